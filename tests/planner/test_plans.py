"""The planner: verdicts that hold in fresh trials, lines that run, sentences that help."""

import json
import math

import numpy as np
import pytest
from scipy.stats import binom

import dpviz
from dpviz import __main__ as command
from dpviz.comparison import guide
from dpviz.door import plans as reader
from dpviz.planner import engineer, estimates, plans
from dpviz.planner.calls import Case, calls
from dpviz.planner.questions import KINDS, Question, draw

EASY = {
    "mean": {"ask": "mean", "n": 2000, "error": 0.01},
    "means": {"ask": "means", "columns": 3, "n": 2000, "delta": 1e-6},
    "one distance": {"ask": "distances", "columns": 2, "questions": 1, "n": 2000},
    "distances": {"ask": "distances", "columns": 2, "questions": 50, "n": 2000, "delta": 1e-6},
    "kernels": {"ask": "kernels", "columns": 1, "questions": 20, "width": 0.2, "n": 3000},
    "linear": {"ask": "linear", "queries": [[1, 0, 0], [1, 1, 0]], "n": 2000},
    "lists": {"ask": "strings", "names": 3, "questions": 30, "n": 3000},
    "names": {"ask": "strings", "questions": 5, "n": 3000},
    "noise": {"ask": "noise", "questions": 10, "sensitivity": 2.0, "error": 90.0},
    "cluster": {"ask": "cluster", "columns": 2, "share": 0.5, "n": 4000, "delta": 1e-6},
}
ENOUGH = {"seconds", "memory"}  # of this machine


@pytest.fixture(scope="module", params=EASY)
def plan(request):
    return dpviz.plan(**EASY[request.param])


def without_times(plan):
    rows = plan.as_dict()
    for row in rows["candidates"]:
        for name in ENOUGH:
            del row[name]
    return rows


def test_each_kind_of_question_is_asked_here():
    assert {how["ask"] for how in EASY.values()} | {"clusters"} == set(KINDS)


def test_the_same_seed_gives_the_same_plan_and_another_another():
    how = EASY["distances"] | {"error": 0.05}
    first = without_times(dpviz.plan(**how))
    assert first == without_times(dpviz.plan(**how))
    assert first != without_times(dpviz.plan(**how, rng=1))


def test_the_lines_run_as_they_stand_and_are_as_good_as_expected(plan):
    """On fresh public records in the unit box; twice the 95% quantile is hardly ever exceeded."""
    question, case = plan.case.question, plan.case
    data = draw(question, case.n, np.random.default_rng(3))
    given = {"column": data.records, "columns": data.records, "points": data.records}
    given |= {"counts": data.records, "names": data.records, "places": question.places}
    given |= {"BOUNDS": [(0.0, 1.0)] * question.d, "side": 1.0, "numbers": np.zeros(question.k)}
    if question.kind == "linear":
        given["queries"] = question.matrix
    if question.kind == "strings":
        given["queries"] = data.queries.queries
        given["words"] = [query.names[0] for query in data.queries]
    if question.kind == "mean":
        given["column"] = data.records[:, 0]
    exec("\n".join(plan.code()), given)
    if question.kind == "noise":
        error = np.abs(given["noisy"]).max()
    else:
        found = given.get("answers", given["result"])
        found = found.center if question.kind == "cluster" else np.asarray(found)
        counts = plan.winner.call.function in ("linear_queries", "sparse_counts")
        error = data.judge(found / case.n if counts else found)
    assert error <= 2 * plan.winner.expected


def test_json_is_what_a_run_reads(plan, tmp_path):
    plan.to_json(tmp_path / "plan.json")
    stored = json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))
    assert stored["dpviz_plan"] == 1
    if stored["call"] is None:
        assert plan.case.question.kind == "noise"
        return
    read = reader.read_plan(tmp_path / "plan.json")
    assert (read.function, read.winner) == (plan.winner.call.function, plan.winner.name)
    assert read.spends.delta == (plan.case.delta if plan.winner.call.delta else 0.0)
    assert set(stored["left_to_run"]) <= {"column", "columns", "bounds", "queries"}


def test_the_page_is_a_screen_and_the_notebook_has_a_table(plan):
    lines = repr(plan).splitlines()
    assert len(lines) <= 32
    assert max(map(len, lines)) <= 110
    assert plan.verdict in plan._repr_html_().replace("&#x27;", "'")
    if plan.case.question.kind != "noise":
        assert plan.figure().png()[1:4] == b"PNG"


def test_what_is_exact_is_the_quantile_of_the_very_call():
    """5% of the errors exceed it: 3000 runs, so 0.05 +- 0.0119 is three standard errors."""
    means = Question(kind="means", columns=4)
    for question in (means, Question(kind="noise", questions=7, sensitivity=3.0)):
        case = Case(question=question, n=500, epsilon=1.0, delta=1e-6, beta=0.05)
        for call in calls(question):
            if not call.misfit(case):
                rng = np.random.default_rng(5)
                errors = estimates.simulated(call, case, 3000, rng=rng)
                assert abs(np.mean(errors > call.proved(case)) - 0.05) < 0.012


def test_proved_errors_hold_in_runs_of_the_call():
    question = Question(kind="distances", columns=2, questions=20)
    case = Case(question=question, n=300, epsilon=1.0, delta=1e-6, beta=0.05)
    for call in calls(question):
        rng = np.random.default_rng(6)
        errors = estimates.tried(call, case, 40, each=4, rng=rng)
        assert np.mean(errors > call.proved(case)) <= 0.15


def test_nothing_proved_and_never_are_told_apart():
    ball = dpviz.plan(**EASY["cluster"])
    assert ball.winner.proved is None
    assert ball.table()[1][1] == "nothing"
    fine = dpviz.plan(**EASY["distances"], error=1e-4)
    rows = {each.name: each for each in fine.candidates}
    assert math.isinf(rows["average sign function"].n_proved)  # its cells have a width
    assert math.isfinite(rows["Laplace noise on each"].n_proved)
    assert "never" in repr(fine)


def test_opendp_s_lines_run_and_cost_no_more():
    pytest.importorskip("opendp")
    bounds = [(0.0, 10.0)]
    mean = dpviz.plan(**EASY["mean"], bounds=bounds)
    given = {"column": [5.0] * 2000}
    exec("\n".join(mean.opendp()), given)
    assert given["run"].map(2) <= 1 + 1e-9
    assert abs(given["result"] - 5) < 1
    noise = dpviz.plan(**EASY["noise"])
    given = {"numbers": [0.0] * 10}
    exec("\n".join(noise.opendp()), given)
    assert given["run"].map(20.0) <= 1 + 1e-9


def test_a_public_sample_is_what_is_simulated_on():
    """Where all records are alike, the hashed buckets are too: only noise is left."""
    how = EASY["one distance"]
    rows = np.tile([[3.0, 40.0]], (50, 1))
    sampled = dpviz.plan(**how, sample=rows, bounds=[(0, 10), (0, 100)])
    assert sampled.sampled
    assert "public sample" in sampled.reading()
    assert sampled.without != dpviz.plan(**how).without


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": None}, "n must be given"),
        ({"n": 0}, "n must be a whole number, at least 2"),
        ({"epsilon": 0}, "epsilon must be"),
        ({"delta": 1}, "delta must be"),
        ({"error": 1.5}, "error must be below 1"),
        ({"questions": 4}, "questions must be left out beside ask 'mean'"),
        ({"ask": "kernels", "columns": 2, "questions": 3}, "ask 'kernels' needs width"),
        ({"ask": "linear"}, "ask 'linear' needs queries"),
        ({"ask": "linear", "queries": [[1, 0], [1]]}, "queries must have as many weights"),
        ({"ask": "linear", "queries": [[2, 0]]}, "between 0 and 1"),
        ({"ask": "clusters", "columns": 2, "clusters": 3, "share": 0.5}, "share must be at most"),
        ({"bounds": (9, 1)}, "swap them"),
        ({"bounds": [(0, 1), (0, 1)]}, "bounds must be 1 pairs"),
        ({"sample": [1.0]}, "bounds must be given with a sample"),
        ({"ask": "median"}, "ask must be one of"),
    ],
)
def test_a_bad_question_is_answered_by_one_sentence(change, words):
    with pytest.raises(ValueError, match=words) as caught:
        dpviz.plan(**{"ask": "mean", "n": 100} | change)
    assert "\n" not in str(caught.value)


def test_an_error_that_no_n_reaches_and_a_question_that_nothing_helps_say_what_to_change():
    never = dpviz.plan(ask="mean", n=100, error=1e-17)
    assert "ask for a larger error" in never.verdict
    nothing = dpviz.plan(ask="distances", columns=3, questions=1000, n=2)
    assert nothing.winner is None
    assert "more records" in nothing.verdict
    refused = dpviz.plan(ask="cluster", columns=2, share=0.25, n=5000)
    assert "it needs a delta above 0" in refused.verdict


def test_what_takes_long_wins_by_its_proof_alone(monkeypatch):
    """Where only the quickest is run, a proof below its error is better than it."""
    monkeypatch.setattr(plans, "LONG", 0.0)
    how = {"ask": "distances", "columns": 2, "questions": 500, "n": 20_000, "error": 0.05}
    plan = dpviz.plan(**how)
    first, second = plan.candidates[:2]
    assert plan.winner is first and first.expected is None and plan.ties == (first.name,)
    assert first.proved < second.expected
    assert f"proved {first.proved:.2g} at n = 20000, not simulated" in plan.verdict
    assert "so 0.05 is reached; from n = " in plan.verdict
    assert "wins only by its proof" in plan.reading() and plan.table()[1][2] == "not run"
    assert plan.as_dict()["call"]["function"] == "distances"
    assert plan.figure().png()[1:4] == b"PNG"


def test_a_question_is_simulated_however_long_it_takes(monkeypatch):
    monkeypatch.setattr(plans, "LONG", 0.0)
    assert dpviz.plan(**EASY["cluster"]).winner.expected < 1


def test_the_verdict_says_what_is_proved_and_what_is_expected():
    exact = dpviz.plan(**EASY["mean"])
    assert (
        f"error {exact.winner.proved:.2g}, proved at n = 2000, so 0.01 is reached" in exact.verdict
    )
    ball = dpviz.plan(**EASY["cluster"])
    assert "expected error" in ball.verdict and "nothing is proved" in ball.verdict
    names = dpviz.plan(ask="strings", questions=50, n=5000, error=0.0033)
    assert names.winner.expected < 0.0033 < names.winner.proved
    assert "so 0.0033 is expected, not proved; from n = " in names.verdict
    assert "(expected)" in names.verdict


def test_errors_that_are_known_are_in_no_tie():
    """37 and 53 are no tie, however much single runs of the two overlap."""
    plan = dpviz.plan(ask="noise", questions=10, sensitivity=1.0, delta=1e-6)
    first, second = plan.candidates
    assert first.expected < second.expected and plan.ties == (first.name,)


def test_a_quantile_twice_as_large_is_in_no_tie():
    """Single runs overlap, 200 of them tell the quantiles apart."""
    plan = dpviz.plan(ask="strings", questions=3, n=300)
    rows = {each.name: each for each in plan.candidates}
    noise = rows["Laplace noise on each"]
    assert noise.expected > 1.5 * plan.winner.expected
    assert noise.proved < plan.winner.proved
    assert noise.name not in plan.ties


def test_the_command_says_how_long_it_takes_before_and_writes_the_plan(tmp_path, capsys):
    file = tmp_path / "plan.json"
    asked = "plan --ask distances --columns 2 --questions 1 --n 2000 --bounds 0:9 0:200"
    assert command.main([*asked.split(), "--json", str(file)]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("About ")
    assert any("[(0, 9), (0, 200)]" in line for line in rest)
    assert reader.read_plan(file).transform == "distances"
    assert command.main(["plan", "--ask", "mean", "--n", "9", "--bounds", "0-1"]) == 2
    assert "low:high" in capsys.readouterr().err


def test_many_mechanisms_win_among_the_twenty():
    winners = {engineer.winner(name).name for name in engineer.questions()}
    assert len(winners) >= 6


def exceeding(name):
    """How many fresh trials exceed the wanted error at 0.8, 1 and 1.25 times n; of how many."""
    errors = engineer.checked(name)
    return (errors > engineer.questions()[name]["error"]).sum(axis=1), errors.shape[1]


@pytest.mark.parametrize("name", engineer.STORED)
def test_the_smallest_n_is_confirmed_by_fresh_trials(name):
    """At 1.25 n no significantly larger share than beta exceeds the error (of 18 questions one
    fails by chance with probability 1.8%), at 0.8 n at least a share beta does."""
    (below, _, above), trials = exceeding(name)
    assert below / trials >= 0.05
    assert binom.sf(above - 1, trials, 0.05) > 0.001


def test_the_quantiles_themselves_lie_on_both_sides_of_the_error_but_for_two():
    """A mean, whose trials were kind at 0.8 n, and three clusters, of 40 trials at each n."""
    sides = {name: engineer.quantiles(name) for name in engineer.STORED}
    missed = [name for name, (below, _, above) in sides.items() if not below > 1 >= above]
    assert len(missed) <= 2, missed


@pytest.mark.parametrize("name", engineer.questions())
def test_the_verdict_is_confirmed_by_fresh_trials(name):
    """On the same fresh records no other is clearly better."""
    errors, others = engineer.verdict(name)
    assert others is None or not guide.is_clear(others, errors)
