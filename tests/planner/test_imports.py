"""Mechanisms that are no function of the front door: their lines run, and none is forgotten."""

import itertools

import numpy as np
import pytest

import dpviz
from dpviz.comparison import guide
from dpviz.planner import imports, plans
from dpviz.planner.questions import draw

ASKED = {
    "linear": {"ask": "linear", "queries": [[1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 0]]},
    "strings": {"ask": "strings", "names": 3, "questions": 20},
    "kernels": {"ask": "kernels", "columns": 2, "questions": 20, "width": 0.25},
    "cluster": {"ask": "cluster", "columns": 2, "share": 0.25},
}
FAR = {"kernels": 3e-3}  # at a large epsilon: what cells, or terms, leave out


def case_of(kind, epsilon=1.0):
    return plans.case_of(**ASKED[kind], n=4000, epsilon=epsilon, delta=1e-6)


@pytest.mark.parametrize("recipe", imports.RECIPES, ids=lambda recipe: recipe.name)
def test_the_lines_run_as_they_stand_in_the_reader_s_own_unit(recipe, monkeypatch):
    """On bounds of ten and a hundred; at a large epsilon the answers are the true ones."""
    case = case_of(recipe.kind, epsilon=1e4)
    data = draw(case.question, case.n, np.random.default_rng(1))
    sides = np.array([10.0, 100.0])
    given = {"counts": data.records, "names": data.records, "queries": data.queries}
    if recipe.kind in ("kernels", "cluster"):
        given |= {"points": data.records * sides, "places": case.question.places * sides}
        given["BOUNDS"] = [(0.0, side) for side in sides]
    if recipe.kind == "strings":
        given["queries"] = [list(query.names) for query in data.queries]
    fresh = np.random.default_rng
    monkeypatch.setattr(np.random, "default_rng", lambda *seed: fresh(*(seed or (2,))))
    exec("\n".join(imports.lines(recipe, case)), given)
    found = given["result"]
    if recipe.kind == "cluster":
        assert data.judge(found / sides) < 0.1
    else:
        scale = case.n if recipe.kind == "linear" else 1
        assert data.judge(found / scale) < FAR.get(recipe.kind, 1e-3)
    spent = given["curator"].ledger.spent
    assert spent.epsilon == pytest.approx(1e4)
    assert spent.delta == pytest.approx(1e-6 if recipe.delta else 0.0)


def test_the_runs_are_those_of_the_lines_and_one_seed_gives_one_plan():
    how = ASKED["kernels"] | {"n": 4000, "delta": 1e-6}
    first, second = (dpviz.plan(**how) for _ in range(2))
    assert [each.expected for each in first.imported] == [each.expected for each in second.imported]
    assert [len(each.errors) for each in first.imported] == [imports.RUNS] * 2
    assert first.better == ("functional mechanism",)
    assert "Clearly better than what was taken: functional mechanism." in repr(first)
    stored = first.as_dict()
    assert stored["imported"][0]["lines"] == first.code("functional mechanism")
    with pytest.raises(ValueError, match="name must be one of"):
        first.code("another")


def test_the_lines_are_for_all_records_where_fewer_are_simulated():
    """A sum of so many records is what a noisy histogram is moved to: that of the reader's table,
    not that of the runs."""
    how = {**ASKED["linear"], "n": 300_000, "epsilon": 1.0, "delta": 1e-6}
    plan = dpviz.plan(**how)
    counts = np.array([90_000, 120_000, 60_000, 30_000])
    for each in plan.imported:
        given = {"counts": counts, "queries": np.array(ASKED["linear"]["queries"])}
        exec("\n".join(plan.code(each.name)), given)
        assert np.abs(given["result"] - given["queries"] @ counts).max() < 100
    assert plan.at == 100_000 and len(plan.imported) == 2


AT_THE_DOOR = {  # keys of the maps, by kind
    "distance": {"release"},
    "sparse": set(),
    "smooth": set(),
    "cluster": {"solver"},
    "linear": {"histogram"},
}
IMPORTED = {
    "distance": set(),
    "sparse": {"projected"},
    "smooth": {"functional", "histogram", "projected"},
    "cluster": {"axes", "triples"},
    "linear": {"projected", "factor"},
}
LEFT_OUT = {"joint", "shaped"}  # as ``imports`` says


def test_what_leads_on_the_maps_is_listed():
    for what, (kind, _) in guide.WHATS.items():
        many = guide.SIZES[: 1 if kind == "cluster" else None]
        for size, questions, n, epsilon in itertools.product(
            guide.SIZES, many, guide.N, guide.EPSILONS
        ):
            where = guide.setting(what, size, questions)
            leader = guide.advice(where, n=n, epsilon=epsilon).key
            assert not leader or leader in AT_THE_DOOR[kind] | IMPORTED[kind] | LEFT_OUT, (kind, n)
