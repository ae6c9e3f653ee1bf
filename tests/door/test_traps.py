"""Whatever is handed to the front door, a result or a named error, and nothing is paid for it."""

import datetime
import inspect
import multiprocessing

import numpy as np
import pytest

import dpviz
from dpviz.papers.distance_queries.embeddings import metrics
from dpviz.privacy.curator import BudgetExceeded

POINTS = np.random.default_rng(0).random((3000, 2))
BOX = [(0.0, 1.0), (0.0, 1.0)]
NAMED = (TypeError, ValueError, BudgetExceeded)
# A call of each verb on points, with all that it needs beside these.
ON_POINTS = {
    "distances": dpviz.distances,
    "euclidean": lambda points, **how: dpviz.distances(points, metric="euclidean", **how),
    "one_cluster": lambda points, **how: dpviz.one_cluster(points, t=1500, **how),
    "theorem": lambda points, **how: dpviz.one_cluster(points, t=2900, method="theorem", **how),
    "clusters": lambda points, **how: dpviz.clusters(points, k=2, t=1400, **how),
    "smooth_summary": dpviz.smooth_summary,
    "mean": dpviz.mean,
}
ON_NAMES = {
    "sparse_counts": dpviz.sparse_counts,
    "sparse_queries": lambda names, **how: dpviz.sparse_queries(names, [["a"]], **how),
}
PRIVATE = {
    "strings": np.array([["x", "y"]] * 3000),
    "one string": "text",
    "dates": np.array([["2020-01-01", "2020-01-02"]] * 3000, dtype="datetime64[D]"),
    "date objects": [[datetime.date(2020, 1, 1)] * 2] * 3000,
    "NaN": np.where(np.arange(6000).reshape(3000, 2) == 7, np.nan, POINTS),
    "infinite": np.where(np.arange(6000).reshape(3000, 2) == 7, np.inf, POINTS),
    "complex": POINTS * 1j,
    "masked": np.ma.masked_array(POINTS, POINTS > 0.5),
    "a generator": (row for row in POINTS),
    "a set": {1.0, 2.0},
    "None": None,
    "one row": POINTS[:1],
    "no rows": POINTS[:0],
    "no columns": np.zeros((3000, 0)),
    "a cube": np.zeros((10, 2, 2)),
    "ragged": [[1.0, 2.0], [1.0]],
}
BOUNDS = {
    "none": None,
    "swapped": [(0.0, 1.0), (1.0, 0.0)],
    "equal": [(0.0, 0.0), (0.0, 1.0)],
    "one too many": [(0.0, 1.0)] * 3,
    "a number": 1.0,
    "three numbers": [0.0, 1.0, 2.0],
    "NaN": [(0.0, np.nan), (0.0, 1.0)],
    "infinite": [(0.0, np.inf), (0.0, 1.0)],
    "text": [("0", "1"), ("0", "1")],
    "names for an array without": {"a": (0.0, 1.0), "b": (0.0, 1.0)},
}


def curator():
    return dpviz.Curator(epsilon=1.0, delta=1e-6, rng=1)


def refused(call, words=None):
    """The call ends in a named error with these words, and its curator has paid nothing."""
    payer = curator()
    with pytest.raises(NAMED, match=words) as caught:
        call(payer)
    assert str(caught.value)
    assert payer.ledger.charges == ()
    return str(caught.value)


def wide(verb):
    """Bounds of a verb: the mean has one column."""
    return BOX[0] if verb == "mean" else BOX


@pytest.mark.parametrize("kind", PRIVATE)
@pytest.mark.parametrize("verb", ON_POINTS)
def test_private_records_that_are_none_are_refused_before_anything_is_paid(verb, kind):
    value = PRIVATE[kind]
    if kind == "a generator":
        value = (row for row in POINTS)
    said = refused(lambda payer: ON_POINTS[verb](value, bounds=wide(verb), curator=payer))
    assert ("column" if verb == "mean" else "points") in said
    assert "2020" not in said
    assert "3000" not in said


@pytest.mark.parametrize("kind", BOUNDS)
@pytest.mark.parametrize("verb", [verb for verb in ON_POINTS if verb != "mean"])
def test_bounds_that_are_none_are_refused_by_name(verb, kind):
    refused(lambda payer: ON_POINTS[verb](POINTS, bounds=BOUNDS[kind], curator=payer), "bounds")


@pytest.mark.parametrize("kind", ["none", "one too many", "a number", "three numbers"])
def test_bounds_of_a_mean_that_are_none_are_refused_by_name(kind):
    refused(lambda p: dpviz.mean(POINTS[:, 0], bounds=BOUNDS[kind], curator=p), "bounds")


def test_a_missing_bound_is_missed_by_name():
    for verb in ("mean", "one_cluster", "clusters", "smooth_summary"):
        more = {"k": 2} if verb == "clusters" else {}
        more |= {"t": 9} if "cluster" in verb else {}
        with pytest.raises(TypeError, match="bounds"):
            getattr(dpviz, verb)(POINTS, epsilon=1, **more)
    with pytest.raises(TypeError, match="bounds must be given"):
        dpviz.distances(POINTS, epsilon=1)


def test_no_verb_has_bounds_of_its_own():
    for name in dpviz.__all__:
        verb = getattr(dpviz, name)
        default = inspect.signature(verb).parameters.get("bounds")
        assert default is None or default.default in (None, inspect.Parameter.empty), name


@pytest.mark.parametrize(
    "names",
    ["text", ["a"], [], [None, "a"], [float("nan"), "a"], [["a"], ["b"]], {"a": 1}, None,
     np.array([["a", "b"]]), np.ma.masked_array([1, 2], [True, False])],
)  # fmt: skip
@pytest.mark.parametrize("verb", ON_NAMES)
def test_private_names_that_are_none_are_refused(verb, names):
    refused(lambda payer: ON_NAMES[verb](names, epsilon=0.5, curator=payer), "names")
    refused(lambda payer: ON_NAMES[verb](iter("ab"), epsilon=0.5, curator=payer), "names")


@pytest.mark.parametrize(
    ("queries", "words"),
    [
        ("text", "queries"),
        (["text"], "not the one string"),
        ([], "queries"),
        ([[]], "names"),
        ([["a", "a"]], "twice"),
        ([{"a": 2.0}], "values"),
        ({"a": 1.0}, "queries"),
        (7, "queries"),
    ],
)
def test_sparse_queries_that_are_none_are_refused(queries, words):
    refused(lambda p: dpviz.sparse_queries(["a", "b"], queries, curator=p), words)


@pytest.mark.parametrize(
    ("table", "queries", "words"),
    [
        ([3, -1], [[1, 0]], "table"),
        ([3, 0.5], [[1, 0]], "table"),
        ([1, 0], [[1, 0]], "table"),
        ([0, 0], [[1, 0]], "table"),
        ([], [[1]], "table"),
        ([[3, 1]], [[1, 0]], "table"),
        (["3", "1"], [[1, 0]], "table"),
        ([3, 1], [[1, 0, 1]], r"shape \(k, 2\)"),
        ([3, 1], [1, 0], r"shape \(k, 2\)"),
        ([3, 1], [[2, 0]], "between 0 and 1"),
        ([3, 1], [["a"]], "no names"),
        ([3, 1], iter([[1, 0]]), "queries"),
    ],
)
def test_tables_and_linear_queries_that_are_none_are_refused(table, queries, words):
    refused(lambda p: dpviz.linear_queries(table, queries, curator=p), words)


def test_a_query_of_another_unit_or_dimension_is_refused():
    """Places outside of the bounds, and of a wrong number of columns; both are public."""
    far = dpviz.distances(POINTS, bounds=BOX, epsilon=1, delta=1e-6)
    round_ = dpviz.distances(POINTS, bounds=BOX, epsilon=1, delta=1e-6, metric="euclidean")
    near = dpviz.smooth_summary(POINTS, bounds=BOX, epsilon=1)
    for ask in (far.answer, round_.answer, lambda places: near.kernels(places, 0.25)):
        with pytest.raises(ValueError, match="box"):
            ask([[50.0, 0.5]])
        with pytest.raises(ValueError, match=r"shape \(k, 2\)"):
            ask([[0.5, 0.5, 0.5]])
        with pytest.raises(ValueError, match=r"shape \(k, 2\)"):
            ask([0.5, 0.5])
        with pytest.raises(TypeError):
            ask([["a", "b"]])
    for width in (0.005, 0.0, -1.0, [0.2] * 3, np.nan, {"age": 0.2}):
        with pytest.raises(ValueError, match="width"):
            near.kernels([[0.5, 0.5]], width)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("a generator", "make a list of it, or see dpviz.pieces"),
        ("masked", "fill it first"),
        ("NaN", "drop or fill what is missing first"),
        ("strings", "turn text, dates and categories into numbers first"),
        ("dates", "turn text, dates and categories into numbers first"),
        ("None", "must be a list, an array or a frame, not a NoneType"),
        ("one row", "at least two records"),
        ("no rows", "must hold records"),
    ],
)
def test_a_message_about_records_says_what_to_do(kind, words):
    value = (row for row in POINTS) if kind == "a generator" else PRIVATE[kind]
    refused(lambda payer: dpviz.distances(value, bounds=BOX, curator=payer), words)


def test_a_message_about_places_widths_and_bounds_names_the_column_and_its_limits():
    frames = pytest.importorskip("pandas")
    table = frames.DataFrame({"age": 100 * POINTS[:, 0], "wage": POINTS[:, 1]})
    box = {"wage": (0, 1), "age": (0, 100)}
    far = dpviz.distances(table, bounds=box, epsilon=1)
    near = dpviz.smooth_summary(table, bounds=box, epsilon=1)
    for ask, name in ((far.answer, "queries"), (lambda x: near.kernels(x, 1), "centers")):
        words = f"{name} must lie in the box of the bounds.*'age' must be between 0 and 100, not 5"
        with pytest.raises(ValueError, match=words):
            ask([[5000.0, 0.5]])
    with pytest.raises(ValueError, match="width must be at least 1 for 'age', 1% of a side"):
        near.kernels([[50.0, 0.5]], 0.5)
    words = r"a pair \(lower, upper\) or 2 of them, one for each column, not an array of shape"
    refused(lambda payer: dpviz.distances(table, bounds=[(0, 1)], curator=payer), words)


def test_data_in_another_unit_than_the_bounds_can_be_refused_where_asked():
    """Nothing can be said of them unasked: whether records lie outside is private."""
    quiet = dpviz.mean(1000 * POINTS[:, 0], bounds=(0, 1), epsilon=1, rng=1)
    assert quiet.value == pytest.approx(1, abs=0.05)
    for verb in ON_POINTS:
        call = ON_POINTS[verb]
        value = POINTS[:, 0] if verb == "mean" else POINTS
        refused(
            lambda p, call=call, value=value, verb=verb: call(
                1000 * value, bounds=wide(verb), outside="refuse", curator=p
            ),
            "bounds",
        )


def test_an_unknown_or_missing_column_is_named():
    frames = pytest.importorskip("pandas")
    table = frames.DataFrame(POINTS, columns=["age", "wage"])
    for bounds, words in (
        ({"age": (0, 1), "pay": (0, 1)}, "'pay' is unknown"),
        ({"age": (0, 1)}, "'wage' is missing"),
    ):
        refused(lambda p, bounds=bounds: dpviz.distances(table, bounds=bounds, curator=p), words)
    tidy = frames.DataFrame({"name": ["wage", "age"], "lower": [0, 0], "upper": [1, 1]})
    found = dpviz.distances(table, bounds=tidy, epsilon=1, rng=7)
    assert found.columns == ("age", "wage")
    with pytest.raises(ValueError, match="'pay' is unknown"):
        found.answer(frames.DataFrame({"age": [0.5], "pay": [0.5]}))
    with pytest.raises(ValueError, match="'wage' is missing"):
        found.answer(frames.DataFrame({"age": [0.5]}))
    twice = frames.DataFrame(POINTS, columns=["age", "age"])
    refused(lambda p: dpviz.distances(twice, bounds=BOX, curator=p), "one column of each name")
    mixed = table.assign(wage="text")
    said = refused(lambda p: dpviz.distances(mixed, bounds=BOX, curator=p), r"points\['wage'\]")
    assert "text'" not in said
    missing = table.assign(age=frames.array([None, *[1] * 2999], dtype="Int64"))
    refused(lambda p: dpviz.distances(missing, bounds=BOX, curator=p), r"points\['age'\]")


def test_integers_and_booleans_are_numbers():
    whole = dpviz.mean(np.arange(10), bounds=(0, 9), epsilon=1, rng=7).value
    assert whole == dpviz.mean(np.arange(10.0), bounds=(0, 9), epsilon=1, rng=7).value
    assert dpviz.mean([True, False], bounds=(0, 1), epsilon=1e9).value == pytest.approx(0.5)


class Spelled:
    """A column of a protocol frame whose numbers stand behind an offset, in two chunks."""

    def __init__(self, values, kind=2):
        self.values, self.kind, self.null_count = np.ascontiguousarray(values), kind, 0

    dtype = property(lambda self: (self.kind, 64, "g", "="))
    offset = 1

    def size(self):
        return len(self.values) - 1

    def get_chunks(self):
        return [self, self]

    def get_buffers(self):
        return {"data": (self, None)}

    bufsize = property(lambda self: self.values.nbytes)
    ptr = property(lambda self: self.values.ctypes.data)


class Protocol:
    """The smallest frame of the interchange protocol."""

    def __init__(self, **columns):
        self.columns_ = columns

    def __dataframe__(self, *_, **__):
        return self

    def column_names(self):
        return list(self.columns_)

    def get_column_by_name(self, name):
        return self.columns_[name]


class OnlyProtocol:
    """What has ``__dataframe__`` and nothing else."""

    def __init__(self, protocol):
        self.protocol = protocol

    def __dataframe__(self):
        return self.protocol


def test_the_interchange_protocol_is_enough():
    values = np.array([9.0, 1.0, 3.0])
    frame = OnlyProtocol(Protocol(age=Spelled(values)))
    found = dpviz.mean(frame, bounds=(0, 9), epsilon=1e9)
    assert found.value == pytest.approx(2.0)  # of 1, 3, 1, 3
    assert found.columns == ("age",)
    text = OnlyProtocol(Protocol(age=Spelled(values, kind=21)))
    refused(lambda p: dpviz.mean(text, bounds=(0, 9), curator=p), "column")
    holes = Spelled(values)
    holes.null_count = 1
    refused(lambda p: dpviz.mean(OnlyProtocol(Protocol(age=holes)), bounds=(0, 9), curator=p),
            "column")  # fmt: skip


def test_a_budget_is_given_or_paid_by_a_curator():
    column = POINTS[:, 0]
    for how, words in (
        ({}, "epsilon must be given"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": "1"}, "epsilon"),
        ({"epsilon": 1, "curator": 7}, "curator"),
        ({"epsilon": 1, "curator": curator(), "rng": 1}, "rng must be None beside a curator"),
        ({"epsilon": 1, "rng": "seven"}, "rng"),
        ({"curator": dpviz.Curator(rho=1.0)}, "epsilon must be given"),
    ):
        with pytest.raises(NAMED, match=words):
            dpviz.mean(column, bounds=(0, 1), **how)
    with pytest.raises(TypeError, match="delta must be given"):
        dpviz.one_cluster(POINTS, t=1500, bounds=BOX, epsilon=1)
    with pytest.raises(ValueError, match="delta"):
        dpviz.one_cluster(POINTS, t=1500, bounds=BOX, epsilon=1, delta=0)


def test_a_curator_pays_for_several_in_turn_and_then_no_more():
    payer = curator()
    first = dpviz.mean(POINTS[:, 0], bounds=(0, 1), epsilon=0.25, curator=payer)
    dpviz.distances(POINTS, bounds=BOX, epsilon=0.5, delta=1e-6, curator=payer)
    assert len(first.ledger.charges) == 1
    last = dpviz.sparse_counts(["a", "b"] * 50, curator=payer)
    assert last.epsilon == pytest.approx(0.25)
    assert payer.ledger.left.epsilon == pytest.approx(0)
    before = payer.ledger
    for epsilon in (None, 0.1):
        with pytest.raises(BudgetExceeded):
            dpviz.mean(POINTS[:, 0], bounds=(0, 1), epsilon=epsilon, curator=payer)
    assert payer.ledger == before
    assert repr(payer) == str(payer.ledger)
    assert payer._repr_html_().count("<tr>") == 4  # a head and three charges


def asked_elsewhere(payer, answers):
    try:
        dpviz.mean([1.0, 2.0], bounds=(0, 3), epsilon=0.1, curator=payer)
    except RuntimeError as problem:
        answers.put(str(problem))
    else:
        answers.put("paid")


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="no process is forked here"
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_curator_of_another_process_is_refused():
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    payer = curator()
    process = context.Process(target=asked_elsewhere, args=(payer, answers))
    process.start()
    assert "another process" in answers.get(timeout=60)
    process.join()
    assert payer.ledger.charges == ()


def test_a_metric_that_is_none_is_refused_by_name():
    for metric in ("l2", 7, None):
        refused(lambda p, m=metric: dpviz.distances(POINTS, bounds=BOX, metric=m, curator=p),
                "metric")  # fmt: skip
    two = metrics.finite([[0, 1], [1, 0]], names=["near", "far"])
    said = refused(
        lambda p: dpviz.distances(["near", "secret"], bounds=None, metric=two, curator=p), "points"
    )
    assert "secret" not in said


def test_a_public_number_out_of_range_is_refused_by_name():
    for call, words in (
        (lambda p: dpviz.one_cluster(POINTS, t=0, bounds=BOX, curator=p), "t must be"),
        (lambda p: dpviz.one_cluster(POINTS, t=5000, bounds=BOX, curator=p), "t must be at most"),
        (lambda p: dpviz.one_cluster(POINTS, t=20, bounds=BOX, curator=p), "too few"),
        (lambda p: dpviz.one_cluster(POINTS, t=1500, bounds=BOX, method="x", curator=p), "method"),
        (lambda p: dpviz.clusters(POINTS, k=0, t=9, bounds=BOX, curator=p), "k must be"),
        (lambda p: dpviz.smooth_summary(POINTS, bounds=BOX, terms=0, curator=p), "terms"),
        (lambda p: dpviz.one_cluster(POINTS, t=1500, bounds=BOX, seed=-1, curator=p), "seed"),
        (lambda p: dpviz.one_cluster(POINTS, t=1500, bounds=BOX, beta=0, curator=p), "beta"),
    ):
        refused(call, words)


def test_a_function_that_is_none_is_refused():
    near = dpviz.smooth_summary(POINTS, bounds=BOX, epsilon=1)
    for function, words in (
        (lambda x: x, "function must return shape"),
        (lambda x: np.full(len(x), np.nan), "finite"),
        (lambda x: np.full(len(x), 1j), "real"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            near.mean(function)
    with pytest.raises(TypeError, match="together"):
        near.mean(lambda x: x[:, 0], smoothness=2)
