"""Records read piece by piece: the same release as in memory, and nothing private on the way."""

import functools
import itertools
import os
import stat
import tracemalloc
from pathlib import Path

import numpy as np
import pieced
import pytest
from pieced import BOX, NAMES, POINTS, fresh, released, same

import dpviz
from dpviz.audit.transcript import faults
from dpviz.door import checkpoints, readings, sources
from dpviz.papers.distance_queries.embeddings import any_metric, negative_type
from dpviz.papers.distance_queries.releases import curves
from dpviz.papers.smooth_queries import release as moments
from dpviz.papers.sparse_queries import hashed_histogram
from dpviz.privacy.ledger import BudgetExceeded

SECRET = 7.318281828459045
VERBS = pieced.ONE_PASS


@pytest.mark.parametrize("cuts", [1, 7, 1000])
@pytest.mark.parametrize("name", pieced.quick(pieced.SAME_IN_MEMORY))
def test_pieces_give_the_release_of_the_whole(name, cuts):
    data, verb = pieced.EVERY[name]
    whole = verb(data)
    parted = verb(dpviz.pieces(fresh(data, cuts)))
    if hasattr(whole, "ledger"):
        assert (parted.n, parted.ledger) == (whole.n, whole.ledger)
    same(name, parted, whole)


@pytest.mark.parametrize("name", pieced.quick(pieced.FROM_PIECES))
def test_a_thousand_pieces_give_the_release_of_one(name):
    data, verb = pieced.EVERY[name]
    one, many = (verb(dpviz.pieces(fresh(data, cuts))) for cuts in (1, 1000))
    assert (many.n, many.ledger) == (one.n, one.ledger)
    same(name, many, one)


def functions(work):
    """All that is called in a chain of partials."""
    if isinstance(work, functools.partial):
        yield work.func
        for inner in work.args:
            yield from functions(inner)
    elif callable(work):
        yield work


def test_no_mechanism_over_pieces_is_missing(monkeypatch):
    """Each module with a ``statistic``, and each function of the front door that takes records."""
    root = Path(dpviz.__file__).parent
    asked = {
        ".".join(("dpviz", *path.relative_to(root).with_suffix("").parts))
        for path in root.rglob("*.py")
        if "\ndef statistic(" in path.read_text(encoding="utf-8")
    }
    reached = set()
    add_up = readings.add_up

    def noted(source, work, *more, **how):
        reached.update(function.__module__ for function in functions(work))
        return add_up(source, work, *more, **how)

    monkeypatch.setattr(readings, "add_up", noted)
    for name, (data, verb) in pieced.EVERY.items():
        if "cluster" not in name:  # of many passes; its steps are no ``statistic``
            verb(dpviz.pieces(fresh(data, 2)))
    by_name = (
        "dpviz.papers.distance_queries.baselines.finite_metric"  # `other_metrics` counts names
    )
    assert reached >= asked - {by_name} | {"dpviz.door.other_metrics"}
    called = {verb.func.__name__ for _, verb in pieced.EVERY.values()} - {"by_module"}
    assert called == set(dpviz.__all__) - {"audit", "pieces", "plan", "promise", "Curator"}


def test_euclidean_pieces_take_projections_where_memory_takes_levy_s_field():
    """The field asks the records again at each query."""
    data, verb = pieced.EVERY["euclidean, delta"]
    once = verb(dpviz.pieces(iter(np.array_split(data, 3)), n=len(data)))
    same("euclidean, delta", once, verb(dpviz.pieces(fresh(data, 7))))
    assert isinstance(once.params, any_metric.Params)
    assert isinstance(verb(data).params, negative_type.Params)


@pytest.mark.parametrize("name", VERBS)
def test_what_is_read_once_serves_one_pass(name):
    data, verb = VERBS[name]
    once = dpviz.pieces(iter(np.array_split(data, 3)), n=len(data))
    assert np.array_equal(released(verb(once)), released(verb(data)))


def test_a_source_that_cannot_be_read_twice_is_refused_before_it_is_read_and_paid():
    curator = dpviz.Curator(epsilon=1, rng=1)
    stream = iter(np.array_split(NAMES, 3))
    with pytest.raises(ValueError, match="read only once"):
        dpviz.sparse_counts(dpviz.pieces(stream), curator=curator)
    assert not curator.ledger.charges
    assert len(list(stream)) == 3


def test_cells_of_linear_queries_are_counted():
    cells = (POINTS[:, 0] // 1).astype(int)
    how = {"queries": np.eye(10), "epsilon": 1, "rng": 1}
    whole = dpviz.linear_queries(np.bincount(cells, minlength=10), **how)
    parted = dpviz.linear_queries(dpviz.pieces(fresh(cells, 9)), **how)
    assert np.array_equal(parted.values, whole.values)
    with pytest.raises(ValueError, match="numbers of cells"):
        dpviz.linear_queries(dpviz.pieces(fresh(cells + 1, 9)), **how)


def test_a_cluster_is_found_in_pieces_and_refused_where_that_cannot_be():
    rows = np.concatenate([np.random.default_rng(6).normal(4, 0.1, (3000, 2)), POINTS])
    how = {"t": 2500, **BOX, "epsilon": 2, "delta": 1e-6, "seed": 1, "rng": 1}
    whole = dpviz.one_cluster(rows, **how)
    parted = dpviz.one_cluster(dpviz.pieces(fresh(rows, 9)), **how)
    assert (parted.n, parted.ledger, parted.error_bound()) == (
        whole.n, whole.ledger, whole.error_bound()
    )  # fmt: skip
    assert parted.release.z == whole.release.z
    assert parted.center == pytest.approx(whole.center, abs=0.1)
    with pytest.raises(ValueError, match="several passes"):
        dpviz.one_cluster(dpviz.pieces(iter([rows]), n=len(rows)), **how)
    with pytest.raises(ValueError, match="method must be 'solver'"):
        dpviz.one_cluster(dpviz.pieces(fresh(rows, 9)), method="theorem", **how)
    balls = dpviz.clusters(dpviz.pieces(fresh(rows, 9)), k=1, **how)
    assert np.array_equal(balls[0].center, parted.center)
    rows[-1] = np.nan
    curator = dpviz.Curator(epsilon=2, delta=1e-6, rng=1)
    with pytest.raises(ValueError, match="finite"):
        dpviz.one_cluster(dpviz.pieces(fresh(rows, 9)), t=2500, **BOX, seed=1, curator=curator)
    assert not curator.ledger.charges


def broken(change, at=700):
    """A thousand pieces, one of which was changed."""
    parts = np.array_split(POINTS, 1000)
    parts[at] = change(parts[at].copy())
    return dpviz.pieces(lambda: iter(parts))


def with_secret(rows):
    rows[0, 0] = SECRET
    return rows


@pytest.mark.parametrize(
    ("change", "words", "how"),
    [
        (lambda rows: rows * np.nan, "finite", {}),
        (lambda rows: rows[:, :1], "same columns", {}),
        (lambda rows: np.hstack([rows, rows]), "same columns", {}),
        (lambda rows: rows.astype(str), "numbers", {}),
        (lambda rows: with_secret(rows) + 9, "within the bounds", {"outside": "refuse"}),
    ],
)
def test_a_bad_piece_is_one_sentence_and_nothing_is_charged(change, words, how):
    curator = dpviz.Curator(epsilon=1, rng=1)
    with pytest.raises((ValueError, TypeError), match=words) as met:
        dpviz.distances(broken(change), **BOX, curator=curator, **how)
    assert not curator.ledger.charges
    assert "700" not in str(met.value)
    assert "16.3" not in str(met.value)
    assert met.value.__cause__ is None


def test_finished_pieces_are_kept_when_a_piece_is_bad(tmp_path):
    parts = np.array_split(POINTS, 1000)
    whole = dpviz.distances(POINTS, **BOX, epsilon=1, rng=1)
    good, parts[700] = parts[700], parts[700] * np.nan
    source = dpviz.pieces(lambda: iter(parts), n=5000, checkpoint=tmp_path / "sums")
    with pytest.raises(ValueError, match="finite"):
        dpviz.distances(source, **BOX, epsilon=1, rng=1)
    parts[700] = good
    for place in range(1, 700):  # the first shows the columns
        parts[place] = parts[place] * np.nan  # would be refused if it were looked at again
    found = dpviz.distances(source, **BOX, epsilon=1, rng=1)
    assert np.array_equal(released(found), released(whole))


def test_empty_pieces_count_for_nothing():
    parts = [POINTS[:0], *np.array_split(POINTS, 3), POINTS[:0]]
    found = dpviz.distances(dpviz.pieces(lambda: iter(parts)), **BOX, epsilon=1, rng=1)
    whole = dpviz.distances(POINTS, **BOX, epsilon=1, rng=1)
    assert np.array_equal(released(found), released(whole))


def test_n_is_counted_not_believed():
    source = dpviz.pieces(fresh(POINTS, 3), n=len(POINTS) + 1)
    with pytest.raises(ValueError, match="as many records as n"):
        dpviz.distances(source, **BOX, epsilon=1)
    for few in ([], [POINTS[:1]]):
        with pytest.raises(ValueError, match="points must hold"):
            dpviz.distances(dpviz.pieces(lambda few=few: iter(few)), **BOX, epsilon=1)


def test_a_curator_who_cannot_pay_is_asked_before_the_pass():
    seen = []

    def source():
        seen.append(1)
        return iter(np.array_split(POINTS, 3))

    curator = dpviz.Curator(epsilon=0.5, rng=1)
    with pytest.raises(BudgetExceeded):
        dpviz.distances(dpviz.pieces(source, n=5000), **BOX, epsilon=1, curator=curator)
    assert len(seen) == 1  # for the columns


@pytest.mark.parametrize("source", [[1.0, 2.0], 3, None, {"a": 1}])
def test_what_is_no_source_is_refused(source):
    with pytest.raises(TypeError, match="source must be"):
        dpviz.pieces(source)


def test_a_checkpoint_is_private_and_a_pass_goes_on_from_it(tmp_path):
    path = tmp_path / "sums"
    reads = []
    failing = [True]

    def source():
        for place, part in enumerate(np.array_split(POINTS, 20)):
            reads.append(place)
            if place == 12 and failing:
                raise KeyboardInterrupt
            yield part

    def call():
        how = {"n": 5000, "columns": None, "checkpoint": path}
        return dpviz.distances(dpviz.pieces(source, **how), **BOX, epsilon=1, rng=1)

    with pytest.raises(KeyboardInterrupt):
        call()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    failing.clear()
    other = dpviz.pieces(source, n=5000, checkpoint=path)
    with pytest.raises(ValueError, match="this very pass"):
        dpviz.distances(other, bounds=(0, 11), epsilon=1)
    whole = dpviz.distances(POINTS, **BOX, epsilon=1, rng=1)
    assert np.array_equal(released(call()), released(whole))
    assert not path.exists()
    assert list(tmp_path.iterdir()) == []


def test_without_being_asked_for_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checkpoints, "SECONDS", 0.0)
    dpviz.distances(dpviz.pieces(fresh(POINTS, 30)), **BOX, epsilon=1)
    assert list(tmp_path.iterdir()) == []


def test_the_transcript_of_pieces_moves_as_far_as_was_paid():
    """Two neighbours, and the same divided otherwise: question by question."""
    for name, budget in (("signs", {"epsilon": 1.0, "delta": 1e-6}), ("counts", {"epsilon": 1.0})):
        data, verb = VERBS[name]
        neighbour = data.copy()
        neighbour[0] = data[1] if name == "counts" else 10 - data[0]
        call = functools.partial(
            verb.func, **{k: v for k, v in verb.keywords.items() if k != "rng"}
        )
        cuts = itertools.cycle([4, 9])

        def run(records, curator, call=call, cuts=cuts):
            how = {"seed": 1} if call.func is dpviz.sparse_counts else {}
            return released(call(dpviz.pieces(fresh(records, next(cuts))), curator=curator, **how))

        assert list(faults(run, data[:2000], neighbour[:2000], rng=1, **budget)) == []


def test_memory_stays_below_the_bound_that_was_stated():
    rows, cuts = 50_000, 6
    for name, params, d in (
        ("signs", curves.Params(n=1, d=2, epsilon=1, lower=0, upper=1), 2),
        ("counts", hashed_histogram.Params.draw(epsilon=1.0, m=1, k=1, size=2**21, rng=0), 1),
        ("moments", moments.Params(d=2, terms=10, epsilon=1, lower=-1, upper=1), 2),
    ):
        data, verb = pieced.EVERY[name]
        source = dpviz.pieces(lambda data=data: (data[np.arange(rows) % 5000] for _ in range(cuts)))
        tracemalloc.start()
        verb(source)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < readings.memory(params, d=d, rows=rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import csv, parquet

    path = tmp_path_factory.mktemp("files")
    table = arrow.table({"a": POINTS[:, 0], "b": POINTS[:, 1], "name": NAMES})
    for i, start in enumerate((0, 2000)):
        part = table.slice(start, 2000 if i == 0 else 3000)
        parquet.write_table(part, path / f"{i}.parquet", row_group_size=700)
        csv.write_csv(part, path / f"{i}.csv")
    return path


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_files_give_the_release_of_the_whole(folder, suffix):
    source = dpviz.pieces(folder / f"*.{suffix}", columns=["a", "b"], rows=300)
    found = VERBS["signs"][1](source)
    assert found.columns == ("a", "b")
    assert np.array_equal(released(found), released(VERBS["signs"][1](POINTS)))
    names = dpviz.pieces([folder / f"{i}.{suffix}" for i in range(2)], columns=["name"])
    assert np.array_equal(released(VERBS["counts"][1](names)), released(VERBS["counts"][1](NAMES)))


@pytest.mark.parametrize(
    "name",
    pieced.quick(
        [name for name, (data, _) in pieced.EVERY.items() if data.shape[1:] == (2,)],
        "signs",
        "moments",
    ),
)
def test_columns_of_a_frame_give_the_release_of_one_table(name):
    """Blocks of them are brought together late, in the same pieces: the same bits."""
    arrow = pytest.importorskip("pyarrow")
    data, verb = pieced.EVERY[name]
    parts = [data[:3000], data[3000:]]
    frames = [arrow.table({"a": part[:, 0], "b": part[:, 1]}) for part in parts if len(part)]
    whole, framed = (verb(dpviz.pieces(lambda some=some: iter(some))) for some in (parts, frames))
    assert np.array_equal(released(framed), released(whole))


@pytest.mark.parametrize("change", [os.unlink, lambda path: os.truncate(path, 10**6)])
def test_a_file_that_grows_or_vanishes_while_it_is_read(tmp_path, monkeypatch, change):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "x.parquet"
    parquet.write_table(arrow.table({"a": POINTS[:, 0]}), path, row_group_size=500)
    looks = []

    def after(path, stamp):
        looks.append(path)
        if len(looks) == 6:  # the third of ten groups has been read
            change(path)
        must_be(path, stamp)

    must_be = sources._must_be
    monkeypatch.setattr(sources, "_must_be", after)
    curator = dpviz.Curator(epsilon=1, rng=1)
    kept = tmp_path / "sums"
    with pytest.raises(ValueError, match="must not change while they are read"):
        dpviz.mean(dpviz.pieces(path, checkpoint=kept), bounds=(0, 9), curator=curator)
    assert not curator.ledger.charges
    with np.load(kept) as stored:
        assert stored["done"].tolist() == [0, 1]


def test_files_that_change_or_are_none_are_refused(folder, tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "x.parquet"
    parquet.write_table(arrow.table({"a": [1.0, 2.0, 3.0]}), path)
    source = dpviz.pieces(path)
    parquet.write_table(arrow.table({"a": [1.0, 2.0, 3.0, 4.0]}), path)
    with pytest.raises(ValueError, match="must not change"):
        dpviz.mean(source, bounds=(0, 9), epsilon=1)
    path.unlink()
    with pytest.raises(ValueError, match="must not change"):
        dpviz.mean(source, bounds=(0, 9), epsilon=1)
    with pytest.raises(ValueError, match="files that exist"):
        dpviz.pieces(path)
    path.write_bytes(b"no parquet")
    with pytest.raises(ValueError, match="is none"):
        dpviz.pieces(path)
    with pytest.raises(ValueError, match="'z' is missing"):
        dpviz.pieces(folder / "0.parquet", columns=["z"])
    (tmp_path / "y.csv").write_text("a\n" + "1\n" * 40_000 + f"{SECRET}x\n")
    with pytest.raises((ValueError, TypeError)) as met:
        dpviz.mean(dpviz.pieces(tmp_path / "y.csv", rows=100), bounds=(0, 9), epsilon=1)
    assert "7.318" not in str(met.value)
