"""What a reader meets first: names, help, results that print themselves, promises that hold."""

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

import dpviz
from dpviz.door import frames
from dpviz.papers.distance_queries.baselines import finite_metric
from dpviz.papers.distance_queries.embeddings import any_metric, metrics, negative_type
from dpviz.papers.smooth_queries import bounds as smooth_bounds
from dpviz.papers.smooth_queries import minimax_rate
from dpviz.papers.smooth_queries import release as smooth
from dpviz.papers.smooth_queries.chebyshev import expand
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.privacy.ledger import Cost

ROOT = Path(__file__).parents[2]
POINTS = np.random.default_rng(0).random((3000, 2))
BOX = [(0.0, 1.0), (0.0, 1.0)]
PLACES = np.random.default_rng(1).random((200, 2))
BUDGET = {"epsilon": 1, "delta": 1e-6}


def loaded(code):
    """Modules that a fresh interpreter has after some code."""
    script = f"import sys; {code}; print(*sys.modules)"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_all_names_are_listed_and_found():
    assert set(dpviz.__all__) == set(dir(dpviz))
    for name in dpviz.__all__:
        assert callable(getattr(dpviz, name))
        assert name in dpviz.__doc__
    with pytest.raises(AttributeError, match="no attribute 'avarage'"):
        dpviz.avarage  # noqa: B018
    assert (ROOT / "dpviz" / "py.typed").is_file()


def test_help_is_one_screen():
    lines = dpviz.__doc__.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("name", dpviz.__all__)
def test_every_docstring_has_an_example_in_the_reader_s_unit(name):
    verb = getattr(dpviz, name)
    text = getattr(verb, "__wrapped__", verb).__doc__  # audit's room may be loaded, and is called
    assert ">>> " in text
    assert "Raises" in text or name == "promise"


def test_the_room_of_audits_can_be_called_before_and_after_it_is_loaded():
    code = "import dpviz; a = dpviz.audit; import dpviz.audit.auditor; b = dpviz.audit; "
    assert "dpviz.audit.auditor" in loaded(f"{code} assert callable(a) and callable(b)")


def test_importing_it_loads_nothing_else_and_a_pure_call_no_scipy():
    assert "numpy" not in loaded("import dpviz")
    calls = [
        "dpviz.mean([1, 2], bounds=(0, 3), epsilon=1)",
        "dpviz.distances([1, 2], bounds=(0, 3), epsilon=1).answer([2])",
        "dpviz.sparse_counts(['a', 'b'], epsilon=1)['a']",
        "dpviz.sparse_queries(['a', 'b'], [['a']], epsilon=1)",
        "dpviz.linear_queries([1, 2], [[1, 0]], epsilon=1)",
        "dpviz.smooth_summary([1, 2], bounds=(0, 3), epsilon=1).kernels([[2]], width=1)",
    ]
    for call in calls:
        found = loaded(f"import dpviz; {call}")
        assert not {"scipy.special", "scipy.optimize", "pandas", "matplotlib"} & found, call
    assert "scipy.optimize" not in loaded(
        "import dpviz; dpviz.distances([1, 2], bounds=(0, 3), epsilon=1, delta=1e-6).answer([2])"
    )


RESULTS = {
    "mean": lambda **how: dpviz.mean(POINTS[:, 0], bounds=(0, 1), epsilon=1, **how),
    "distances": lambda **how: dpviz.distances(POINTS, bounds=BOX, epsilon=1, **how),
    "sparse_counts": lambda **how: dpviz.sparse_counts(["a", "b"] * 9, epsilon=1, **how),
    "sparse_queries": lambda **how: dpviz.sparse_queries("ab" and ["a", "b"], [["a"]], epsilon=1),
    "linear_queries": lambda **how: dpviz.linear_queries([9, 4], [[1, 0]], epsilon=1, **how),
    "one_cluster": lambda **how: dpviz.one_cluster(
        POINTS, t=2000, bounds=BOX, epsilon=1, delta=1e-6, **how
    ),
    "clusters": lambda **how: dpviz.clusters(
        POINTS, k=2, t=1400, bounds=BOX, epsilon=2, delta=1e-6, **how
    ),
    "smooth_summary": lambda **how: dpviz.smooth_summary(POINTS, bounds=BOX, epsilon=1, **how),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_frozen_prints_itself_in_five_lines_and_can_be_kept(name):
    found = RESULTS[name]()
    lines = repr(found).splitlines()
    assert len(lines) == 5
    heads = [line.split()[0] for line in lines[1:]]
    assert heads == ["records", "proved", "cost", "ledger"]
    with pytest.raises(AttributeError):
        found.release = None
    again = pickle.loads(pickle.dumps(found))
    assert repr(again) == repr(found)
    assert found.error_bound(beta=0.2) <= found.error_bound(beta=0.05)
    assert str(found.ledger.spent) == str(Cost(epsilon=found.epsilon, delta=found.delta))
    with pytest.raises(ValueError, match="beta"):
        found.error_bound(beta=1.0)


def test_without_a_seed_no_two_calls_have_the_same_noise_and_with_one_they_do():
    ask = RESULTS["mean"]
    assert ask().value != ask().value
    assert ask(rng=1).value == ask(rng=1).value


def test_a_promise_is_what_the_call_then_keeps_and_costs_nothing():
    payer = dpviz.Curator(epsilon=1.0, delta=1e-6, rng=1)
    how = {"bounds": BOX, "epsilon": 0.5, "delta": 1e-6, "curator": payer}
    promised = dpviz.promise(dpviz.distances, POINTS, **how)
    assert payer.ledger.charges == ()
    assert "not paid yet" in repr(promised)
    kept = dpviz.distances(POINTS, **how)
    assert kept.error_bound(beta=0.1) == promised.error_bound(beta=0.1)
    with pytest.raises(TypeError, match="verb"):
        dpviz.promise("mean", POINTS)
    with pytest.raises(TypeError, match="that pays a curator"):
        dpviz.promise(dpviz.audit, print, POINTS, POINTS, epsilon=1)
    with pytest.raises(ValueError, match="points"):
        dpviz.promise(dpviz.distances, POINTS[:0], bounds=BOX, epsilon=1)


def worst(found, exact):
    return float(np.abs(np.asarray(found) - exact).max())


NAMES = ["a"] * 600 + ["b"] * 300 + ["c"] * 100
TWO = metrics.finite([[0, 1], [1, 0]], names=["near", "far"])
SETS = np.array([[1.0, 0, 0], [1, 1, 0], [0, 1, 1]])
FEW = POINTS[:500]
ROW = metrics.shortest_paths([[i, i + 1] for i in range(8)], "abcdefghi", unit=False)


def euclidean(seed):
    how = {"metric": "euclidean", "epsilon": 1, "delta": 1e-6, "bounds": BOX}
    found = dpviz.distances(FEW, **how, rng=seed)
    exact = np.linalg.norm(FEW[:, None] - PLACES, axis=2).mean(axis=0)
    return worst(found.answer(PLACES), exact), found.error_bound(beta=0.2)


def projected(seed):
    """Without delta there is no Levy's field; with so little noise the distortion is seen."""
    how = {"metric": "euclidean", "epsilon": 1e6, "bounds": BOX}
    found = dpviz.distances(FEW, **how, rng=seed)
    exact = np.linalg.norm(FEW[:, None] - PLACES, axis=2).mean(axis=0)
    return worst(found.answer(PLACES), exact), found.error_bound(beta=0.2)


def finite(metric, names, **how):
    def run(seed):
        found = dpviz.distances(names * 50, metric=metric, epsilon=1, **how, rng=seed)
        exact = metric.table[:, metric.codes(names)].mean(axis=1)
        return worst(found.answer(list(metric.names)), exact), found.error_bound(beta=0.2)

    return run


def mean(seed):
    found = dpviz.mean(FEW[:, 0], bounds=(0, 1), epsilon=1, rng=seed)
    return worst(found.value, FEW[:, 0].mean()), found.error_bound(beta=0.2)


def count(seed):
    found = dpviz.sparse_counts(NAMES, epsilon=1, rng=seed)
    return abs(found["b"] - 300), found.error_bound(beta=0.2)


def sparse(method):
    def run(seed):
        how = {"epsilon": 1, "delta": 1e-6, "method": method, "rng": seed}
        found = dpviz.sparse_queries(NAMES, [["a"], ["b", "c"], ["c"]], **how)
        return worst(found, np.array([0.6, 0.4, 0.1])), found.error_bound(beta=0.2)

    return run


def linear(method):
    def run(seed):
        found = dpviz.linear_queries([600, 300, 100], SETS, epsilon=1, method=method, rng=seed)
        exact = SETS @ np.array([600, 300, 100])
        return worst(found, exact), found.error_bound(beta=0.2)

    return run


def kernels(seed):
    found = dpviz.smooth_summary(1000 * FEW, bounds=(0, 1000), epsilon=1, terms=6, rng=seed)
    answers = found.kernels(1000 * PLACES[:20], width=[250, 400])
    away = ((FEW[:, None] - PLACES[:20]) / [0.25, 0.4]) ** 2
    return worst(answers, np.exp(-away.sum(axis=2) / 2).mean(axis=0)), answers.error_bound(beta=0.2)


def function(**terms):
    def run(seed):
        how = {"bounds": (0, 10), "epsilon": 9, **terms}
        found = dpviz.smooth_summary(10 * FEW[:, 0], **how, rng=seed)
        answers = found.mean(np.sin, smoothness=2, size=1.0)
        return worst(answers, np.sin(10 * FEW[:, 0]).mean()), answers.error_bound(beta=0.2)

    return run


# Seeds of each, and the share of exceedances that is the least: near 0.2 where the bound is exact.
BOUNDS = {
    "mean": (mean, 400, 0.1),
    "Laplace on sparse answers": (sparse("laplace"), 200, 0.05),
    "Gauss on sparse answers": (sparse("gaussian"), 200, 0.0),
    "lazy histogram": (sparse("lazy histogram"), 200, 0.0),
    "multiplicative weights": (sparse("multiplicative weights"), 100, 0.0),
    "Laplace on linear answers": (linear("laplace"), 200, 0.05),
    "histogram of cells": (linear("histogram"), 200, 0.0),
    "net": (linear("net"), 60, 0.0),
    "count": (count, 100, 0.0),
    "Levy's field in the plane": (euclidean, 60, 0.0),
    "projections": (projected, 25, 0.0),
    "two points": (finite(TWO, ["near", "far"]), 200, 0.0),
    "Levy's field of a path": (finite(ROW, list("aci"), delta=1e-6), 200, 0.0),
    "kernels": (kernels, 60, 0.0),
    "function": (function(terms=9), 40, 0.0),
    "function of a class": (function(smoothness=2, delta=1e-6), 40, 0.0),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_what_is_proved_holds_as_often_as_it_says(name):
    """At beta = 0.2: more exceedances than the binomial's quantile come by chance with 1e-6."""
    run, seeds, tight = BOUNDS[name]
    outcomes = [run(seed) for seed in range(seeds)]
    exceeded = sum(error > bound for error, bound in outcomes)
    assert exceeded <= binom.isf(1e-6, seeds, 0.2)
    assert exceeded >= seeds * tight
    assert all(np.isfinite(bound) for _, bound in outcomes)


def euclid(data=POINTS, bounds=BOX, **how):
    return dpviz.promise(dpviz.distances, data, bounds=bounds, metric="euclidean", **how)


def test_the_mechanism_of_the_least_proved_error_is_taken_and_the_promise_says_why():
    """The choice is public: of two tables of equal size, bounds and budget it is the same."""
    both = {"epsilon": 1.0, "delta": 1e-6}
    how = {**both, "seed": 1}  # of the projections, whose bound is said, too
    found = euclid(**how)
    field = negative_type.Params(
        n=3000, metric=metrics.norm(*zip(*BOX, strict=True), unit=False), **both
    )
    assert repr(found.params) == repr(field)
    assert found.error_bound(beta=0.1) == negative_type.error_bound(replace(field, beta=0.1))
    assert "by Levy's field, because this is less than for random projections (0." in repr(found)
    assert repr(euclid(np.zeros((3000, 2)), **how)) == repr(found)
    line = euclid(POINTS[:, 0], bounds=(0, 1), **how)
    assert "by the average sign function, because this is less than for Levy's field" in repr(line)
    assert "random projections" not in repr(line)


def test_what_cannot_be_drawn_is_no_choice():
    """No delta, too few records, OpenDP's noise, which draws no field: projections, and no cost."""
    plain = euclid(epsilon=1)
    assert isinstance(plain.params, any_metric.Params)
    few = negative_type.Params(
        n=1, metric=metrics.norm(*zip(*BOX, strict=True), unit=False), **BUDGET
    )
    needed = negative_type.records_needed(few, k=1)
    for n, kind in ((needed - 1, any_metric.Params), (needed, negative_type.Params)):
        assert isinstance(euclid(POINTS[:n], epsilon=1, delta=1e-6).params, kind)
    pytest.importorskip("opendp")
    payer = dpviz.Curator(epsilon=1, delta=1e-6, noise="opendp")
    assert isinstance(euclid(curator=payer).params, any_metric.Params)


def test_a_finite_metric_has_three_mechanisms_and_one_that_is_not_of_negative_type_two():
    ties = [[0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4]]
    stars = metrics.shortest_paths(ties, "abxyz", unit=False)
    names = {"negative": ROW, "not": stars}
    for kind, metric in names.items():
        data = [metric.names[0], metric.names[-1]] * 500
        found = dpviz.promise(dpviz.distances, data, metric=metric, epsilon=1, delta=1e-6)
        proved = [
            finite_metric.error_bound(
                finite_metric.Params(
                    n=1000, metric=metric, queries=metric.points, method=method, **BUDGET
                )
            )
            for method in finite_metric.METHODS
        ]
        if kind == "negative":
            asks = negative_type.Params(n=1000, metric=metric, **BUDGET)
            proved.append(negative_type.error_bound(asks))
        assert found.error_bound() == min(proved)
        assert ("Levy's field" in repr(found)) == (kind == "negative")
    assert found.params.method in finite_metric.METHODS
    chosen = dpviz.distances(["a", "i"] * 500, metric=ROW, **BUDGET, rng=5)
    codes = ROW.codes(["a", "i"] * 500)
    asks = negative_type.Params(n=1000, metric=ROW, **BUDGET)
    own = negative_type.release(codes, asks, asks.curator(rng=5), queries=ROW.points)
    assert chosen.answer(["b", "h"]).tolist() == own.answers[ROW.codes(["b", "h"])].tolist()
    assert pickle.loads(pickle.dumps(chosen)).answer(["b"]) == chosen.answer(["b"])


def test_levy_s_field_is_charged_once_answers_alike_and_is_not_stored():
    payer = dpviz.Curator(epsilon=1, delta=1e-6, rng=3)
    found = dpviz.distances(POINTS, bounds=BOX, metric="euclidean", curator=payer)
    first = found.answer(PLACES)
    assert found.answer(PLACES[::-1]).tolist() == first[::-1].tolist()
    assert [line.label for line in payer.ledger.charges if line.cost.epsilon] == [
        "average distances"
    ]
    assert payer.ledger.spent.epsilon == 1
    with pytest.raises(TypeError, match="holds the records"):
        pickle.dumps(found)
    with pytest.raises(ValueError, match="queries"):
        found.answer([[2.0, 0.5]])
    assert str(POINTS[0, 0])[:6] not in repr(found)


def test_noise_shaped_by_smoothness_is_taken_where_it_proves_less():
    """Against the papers' modules: equal noise at its best, shaped noise at three shapes."""
    middle = GaussianKernels(centres=np.zeros((1, 1)), width=0.5, lower=-1, upper=1)
    ends = GaussianKernels(centres=[[-1.0], [0.0], [1.0]], width=0.5, lower=-1, upper=1)
    for delta in (0.0, 1e-6):
        equal = smooth.Params(d=1, terms=1, epsilon=1, delta=delta, lower=0, upper=1)
        equal = replace(equal, terms=smooth_bounds.by_bound(equal, 3000, ends, most=14))
        plain = smooth_bounds.error_bound_kernels(equal, n=3000, queries=middle)[0]
        column = POINTS[:, 0]
        found = dpviz.promise(dpviz.smooth_summary, column, bounds=(0, 1), epsilon=1, delta=delta)
        assert found.params.noise_scaling == "smoothness"
        assert found.error_bound() < 0.9 * plain
        assert f"because this is less than for equal noise ({plain:.3g})" in repr(found)
        own = smooth_bounds.error_bound_kernels(found.params, n=3000, queries=middle)[0]
        assert found.error_bound() == own
    one = dpviz.promise(dpviz.smooth_summary, POINTS[:, 0], bounds=(0, 1), epsilon=1, terms=1)
    assert one.params.noise_scaling == "uniform"  # no noise at all: a tie, and the simpler one


def test_a_summary_for_a_class_is_the_plan_of_the_minimax_rate():
    column = 10 * POINTS[:, 0]
    how = {"bounds": (0, 10), "epsilon": 1, "delta": 1e-6}
    found = dpviz.smooth_summary(column, **how, smoothness=2, rng=7)
    asks = smooth.Params(d=1, terms=1, epsilon=1, delta=1e-6, lower=(0.0,), upper=(10.0,))
    asks = minimax_rate.plan(asks, n=3000)
    assert found.params == asks
    assert found.error_bound() == minimax_rate.error_bound(asks, n=3000)
    answers = found.mean(np.sin, smoothness=2, size=1.0)
    assert answers.error_bound() == minimax_rate.error_bound(asks, n=3000, size=25.0)
    own = smooth.release(column, asks, asks.curator(rng=7))
    expansion = expand(np.sin, 1, asks.terms, lower=0, upper=10, **minimax_rate.operator_of(asks))
    assert answers[0] == smooth.answer(own, expansion)
    for_kernels = dpviz.smooth_summary(column, **how, rng=7).mean(np.sin, smoothness=2, size=1.0)
    assert answers.error_bound() < for_kernels.error_bound() / 10
    with pytest.raises(TypeError, match="terms"):
        dpviz.smooth_summary(column, **how, smoothness=2, terms=5)
    with pytest.raises(ValueError, match="n must be at least"):
        dpviz.smooth_summary(column[:20], **how, smoothness=2)


def test_a_wrong_unit_would_be_seen():
    """F1: data in [0, 1] were asked with centres in [-1, 1]: 0.047 for 0.636."""
    column = np.random.default_rng(3).beta(8, 8, 20_000)
    summary = dpviz.smooth_summary(column, bounds=(0, 1), epsilon=1, rng=1)
    exact = np.exp(-((column - 0.5) ** 2) / (2 * 0.25**2)).mean()
    found = summary.kernels([[0.5]], width=0.25)
    assert abs(found[0] - exact) <= found.error_bound() < 0.05
    assert summary.mean(lambda x: x)[0] == pytest.approx(column.mean(), abs=0.02)


def test_balls_and_counts_answer_in_the_unit_of_the_data():
    rng = np.random.default_rng(5)
    places = np.concatenate([rng.normal([300, 40], 2, (2500, 2)), rng.uniform(0, 500, (1500, 2))])
    how = {"bounds": (0, 500), "epsilon": 2, "delta": 1e-6, "rng": 1}
    ball = dpviz.one_cluster(places, t=2300, **how)
    assert ball.found
    assert ball.center == pytest.approx([300, 40], abs=5)
    assert ball.radius < 30
    assert ball.contains(places).sum() >= ball.holds
    assert ball.contains([[0, 499], ball.center]).tolist() == [False, True]
    assert ball.error_bound(beta=0.01) == np.inf  # it was made for 0.05
    balls = dpviz.clusters(places, k=1, t=2300, **how)
    assert balls[0].center == pytest.approx([300, 40], abs=5)
    assert len(list(balls)) == len(balls) == 1


def test_lists_of_names_and_weights_say_the_same():
    pandas = pytest.importorskip("pandas")
    table = pandas.Series([60, 30, 10], index=["a", "b", "c"])
    named = dpviz.linear_queries(table, [["a", "b"], {"c": 0.5}], epsilon=1, rng=1)
    plain = dpviz.linear_queries([60, 30, 10], [[1, 1, 0], [0, 0, 0.5]], epsilon=1, rng=1)
    assert named.values.tolist() == plain.values.tolist()
    later = dpviz.linear_queries(table, [["a"]], epsilon=1, method="histogram", rng=1)
    assert later.answer([["a"]]).tolist() == later.values.tolist()
    with pytest.raises(ValueError, match="'d' is none of them"):
        later.answer([["d"]])


def test_an_audit_refutes_a_false_claim_and_prints_itself():
    half = lambda data, rng: dpviz.mean(data, bounds=(0, 1), epsilon=2, rng=rng)  # noqa: E731
    found = dpviz.audit(half, [0, 1], [1, 1], epsilon=0.5, samples=2000, rng=1)
    assert found.refuted
    assert found.lower <= 2
    assert len(repr(found).splitlines()) == 5
    many = lambda data, samples, rng: data[0] + rng.laplace(size=samples)  # noqa: E731
    assert not dpviz.audit(many, [0.0], [1.0], epsilon=1, many=True, samples=2000, rng=1).refuted
    for bad, words in ((7, "mechanism"), (lambda data: data, "mechanism")):
        with pytest.raises(TypeError):
            dpviz.audit(bad, [0], [1], samples=100)
        assert words


def test_places_and_lengths_keep_the_order_of_the_columns():
    box = {"a": (0, 9), "b": (0, 90)}
    assert frames.lengths("width", {"b": 2, "a": 1}, box, least=0.01).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match=r"at least 0.9 for 'b', 1% of a side"):
        frames.lengths("width", {"b": 0.8, "a": 1}, box, least=0.01)
    with pytest.raises(ValueError, match="'c' is unknown"):
        frames.lengths("width", {"c": 2, "a": 1}, box, least=0.01)


def test_the_net_mechanism_takes_as_many_rows_as_help_and_can_be_listed():
    """On four cells 19,600 databases of 47 rows: with 16 rows, at most, it was off 2.6 times as
    far however many the records."""
    how = {"epsilon": 1.0, "method": "net"}
    many = dpviz.promise(dpviz.linear_queries, [40_000, 30_000, 20_000, 10_000], np.eye(4), **how)
    few = dpviz.promise(dpviz.linear_queries, [40, 30, 20, 10], np.eye(4), **how)
    assert many.params.rows == 47 > few.params.rows
    assert many.error_bound() / many.n < 0.022


def test_noise_on_linear_answers_is_what_a_record_can_move_them_together():
    """By brute force: each record to each other cell; of many cells no less than that."""
    from dpviz.door import linear as door

    rng = np.random.default_rng(2)
    queries = rng.random((4, 30))
    moved = [np.abs(queries[:, i] - queries[:, j]).sum() for i in range(30) for j in range(30)]
    assert door.joint_sensitivity(queries) == pytest.approx(max(moved), rel=1e-12)
    wide = rng.random((2, 10_000))
    assert (
        door.joint_sensitivity(wide)
        >= np.abs(wide[:, :500, None] - wide[:, None, :500]).sum(axis=0).max()
    )
    identity = dpviz.linear_queries([9] * 5, np.eye(5), epsilon=1)
    assert identity.ledger.charges[0].sensitivity == 2
    cells = dpviz.linear_queries([9] * 5, np.eye(5)[:1], epsilon=1, method="histogram")
    assert cells.ledger.charges[0].sensitivity == 2
    with pytest.raises(ValueError, match="constant"):
        dpviz.linear_queries([9, 4], [[1, 1]], epsilon=1, method="laplace")
    assert "laplace" not in dpviz.linear_queries([9, 4], [[1, 1]], epsilon=1).title
