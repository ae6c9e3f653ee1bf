"""Plans that are run: paid exactly and beforehand, answered truly, refused at no cost."""

import csv
import json
import math

import numpy as np
import pytest
from tables import write_table

import dpviz
from dpviz import __main__ as command
from dpviz.door import run_command, runs
from dpviz.door.plans import read_plan
from dpviz.privacy import ledger_file, safe_noise
from dpviz.privacy.curator import BudgetExceeded, Cost

N = 3000
DELTA = {"delta": 1e-6}
GAUSSIAN = {**DELTA, "method": "gaussian"}
PLACES = [[2.0, 30.0, 0.5], [8.0, 90.0, 0.1]]
MATRIX = [[1, 0, 0, 0], [1, 1, 0, 0.5]]
KINDS = {  # question, function, its arguments, transform, answer, what else is said to the command
    "mean": ({"columns": 1}, "mean", {}, None, None, ["--columns", "a"]),
    "means": ({"columns": 3}, "means", {}, None, None, []),
    "means, delta": ({"columns": 3}, "means", DELTA, None, None, []),
    "distances": ({"metric": "l1"}, "distances", {"metric": "l1"}, None, "answer", []),
    "distances, delta": ({"metric": "l1"}, "distances", DELTA, None, "answer", []),
    "distances, each": ({"metric": "euclidean"}, "means", DELTA, "distances", None, []),
    "kernels": ({"width": 0.3}, "smooth_summary", DELTA, None, "kernels", []),
    "kernels, each": ({"width": 0.3}, "means", {}, "kernels", None, []),
    "linear": ({"queries": MATRIX, "cells": 4}, "linear_queries", {}, None, None, []),
    "strings": ({"names": 2}, "sparse_queries", {}, None, None, []),
    "strings, delta": ({"names": 2}, "sparse_queries", GAUSSIAN, None, None, []),
    "strings, counts": ({"names": 1}, "sparse_counts", {"seed": 1}, None, "answer", []),
    "cluster": ({"share": 0.5}, "one_cluster", DELTA, None, None, []),
    "clusters": ({"share": 0.4, "clusters": 2}, "clusters", {**DELTA, "k": 2}, None, None, []),
}  # fmt: skip
FILES = {
    "linear": ["--columns", "cell"],
    "strings": ["--columns", "name", "--queries", "names.txt"],
}
BALLS = ("cluster", "clusters")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A table, its bounds, the questions, and a ledger with a large budget."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = rng.random((N, 3)) * [10, 100, 1]
    rows[: N // 2] = [5, 50, 0.5]
    with (tmp_path / "table.csv").open("w") as file:
        file.write("a,b,c,cell,name\n")
        for a, b, c in rows.tolist():
            file.write(f"{a},{b},{c},{rng.integers(4)},{'xyz'[rng.integers(3)]}\n")
    (tmp_path / "bounds.csv").write_text("name,lower,upper\na,0,10\nb,0,100\nc,0,1\n")
    write_table("places.csv", ["a", "b", "c"], PLACES)
    (tmp_path / "names.txt").write_text("x,y\nz,nobody\n")
    assert command.main(["ledger", "budget.json", "--dataset", "table.csv", "--epsilon", "50",
                         "--delta", "1e-5"]) == 0  # fmt: skip
    return tmp_path


def written(name, epsilon=1.0, n=N, **changed):
    """A plan of this kind in a file, as ``dpviz plan`` writes it; and how the command is asked."""
    question, function, arguments, transform, answer, more = KINDS[name]
    kind = name.partition(",")[0]
    spends = {"epsilon": epsilon, "delta": arguments.get("delta", 0.0)}
    call = {"function": function, "arguments": arguments, "transform": transform}
    plan = {
        "dpviz_plan": 1,
        "verdict": "this one",
        "question": {"kind": kind, "columns": 3, **question},
        "n": n,
        "budget": {"epsilon": epsilon, "delta": 1e-6},
        "beta": 0.05,
        "error": None,
        "winner": "a mechanism",
        "call": {**call, "answer": answer, "spends": spends},
        **changed,
    }
    with open("plan.json", "w") as file:
        json.dump(plan, file, indent=2)
    asked = FILES.get(kind, ["--bounds", "bounds.csv", *more])
    if kind in ("distances", "kernels"):
        asked = [*asked, "--queries", "places.csv"]
    return ["run", "plan.json", "table.csv", "--ledger", "budget.json", *asked]


def truth(name):
    """What is true of the table, worked out by itself."""
    with open("table.csv") as file:
        table = list(csv.DictReader(file))
    rows = np.array([[float(record[key]) for key in "abc"] for record in table])
    cells = np.array([int(record["cell"]) for record in table])
    carried = [record["name"] for record in table]
    kind = name.partition(",")[0]
    if kind in ("mean", "means"):
        return rows.mean(axis=0)[: 1 if kind == "mean" else 3]
    if kind == "linear":
        return np.array(MATRIX) @ np.bincount(cells, minlength=4)
    if name == "strings, counts":
        return np.array([carried.count(each) for each in ("x", "y", "z", "nobody")])
    if kind == "strings":
        return np.array([carried.count("x") + carried.count("y"), carried.count("z")]) / N
    if kind == "distances":
        order = 1 if KINDS[name][0]["metric"] == "l1" else 2
        return np.array([np.linalg.norm(rows - place, order, axis=1).mean() for place in PLACES])
    widths = 0.3 * np.array([10, 100, 1])
    gaps = (rows[:, None] - np.array(PLACES)) / widths
    return np.exp(-np.square(gaps).sum(axis=2) / 2).mean(axis=0)


def reading(asked, plan):
    """The table as the command reads it."""
    words = vars(command.parser().parse_args(asked))
    names = ("bounds", "queries", "columns", "decimal", "missing", "lines", "in_pieces")
    return run_command.read_table(plan, "table.csv", **{name: words[name] for name in names})


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_is_charged_exactly_what_it_spends_and_answers_truly(folder, monkeypatch, name):
    made = []

    class Seen(runs.FiledCurator):
        def __init__(self, *reserve, **budget):
            super().__init__(*reserve, **budget)
            made.append(self)

    monkeypatch.setattr(runs, "FiledCurator", Seen)
    epsilon = 4.0 if name in BALLS else 1.0
    asked = written(name, epsilon=epsilon)
    plan = read_plan("plan.json")
    pay = runs.Payment(ledger="budget.json", dataset="table.csv", noise="floats")
    found = runs.run([plan], reading(asked, plan), pay, rng=3)
    charge = ledger_file.read("budget.json").entries[-1].cost
    assert charge == plan.spends == Cost(epsilon=epsilon, delta=KINDS[name][2].get("delta", 0.0))
    spent = made[0].ledger.spent
    assert spent.epsilon == pytest.approx(charge.epsilon, rel=1e-9)
    assert spent.delta == pytest.approx(charge.delta, rel=1e-9)
    assert found.n == N
    if name in BALLS:
        assert np.abs(np.array(found.rows[0][:3]) - [5, 50, 0.5]).max() < 10


TRIALS = 20
EXCEEDED = 6  # of 20 at 0.05 each: more than so many happens once in 30,000


@pytest.mark.parametrize("name", [name for name in KINDS if name not in BALLS])
def test_answers_are_off_by_no_more_than_is_proved(folder, name):
    asked = written(name)
    plan = read_plan("plan.json")
    table = reading(asked, plan)
    exact = truth(name)
    exceeded = 0
    for seed in range(TRIALS):
        curator = dpviz.Curator(epsilon=plan.spends.epsilon, delta=plan.spends.delta, rng=seed)
        rows, errors = runs.answered(plan, table, runs.release(plan, table, curator))
        assert np.isfinite(errors).all()
        exceeded += (np.abs(np.array([row[-1] for row in rows]) - exact) > errors).any()
    assert exceeded <= EXCEEDED


@pytest.mark.parametrize("name", [name for name in KINDS if name not in BALLS])
def test_a_measured_error_is_that_of_the_answers(folder, name):
    """Noise of scale 1 / (n 40): twenty of them are exceeded once in 10^8."""
    asked = written(name)
    plan = read_plan("plan.json")
    pay = runs.Payment(ledger="budget.json", dataset="table.csv", noise="floats", measure=40.0)
    found = runs.run([plan], reading(asked, plan), pay, rng=3)
    off = np.abs(np.array([row[-1] for row in found.rows]) - truth(name))
    sides = {"mean": 10, "means": np.array([10, 100, 1])}.get(plan.kind, 1.0)
    if plan.kind == "distances":
        far = np.maximum(PLACES, [10, 100, 1] - np.array(PLACES))
        sides = np.linalg.norm(far, 1 if plan.question["metric"] == "l1" else 2, axis=1)
    if plan.counts:
        sides = N
    error, scale = found.largest
    assert scale == pytest.approx(1 / (N * 40))
    assert error == pytest.approx((off / sides).max(), abs=20 * scale)
    assert found.ledger.entries[-1].cost.epsilon == 41.0


FAR = "a,b,c\n5,50,0.5\n5,50,1.5\n"
BAD = {
    "no bounds": (["--bounds"], "--bounds is needed"),
    "bounds exchanged": ("bounds.csv", "a,10,0\nb,0,100\nc,0,1\n", "lower < upper"),
    "a column less": (["--columns", "a", "b"], "must name the 3 columns that the plan asks about"),
    "records as questions": (["--queries", "table.csv"], "--queries must be another file"),
    "no such column": (["--columns", "a", "b", "z"], "columns must be one of"),
    "another dataset": (["--dataset", "other"], "has dataset 'table.csv', not 'other'"),
    "another unit": (["--unit", "one visit"], "has unit 'one record', not 'one visit'"),
    "no ledger": (["--ledger", "none.json"], "there is no such ledger; begin it once with"),
    "a damaged ledger": ("budget.json", "{", "this ledger is damaged"),
    "too much": (["--measure", "49.5", "--yes"], "is asked for, but"),
    "an answer there already": (["--out", "names.txt"], "--out must be a new file"),
    "words in the table": ("table.csv", "a,b,c\n1,2,secret8317\n2,3,4\n", "every cell of 'c' must"),
    "one record": ("table.csv", "a,b,c\n1,2,3\n", "at least two records"),
    "another version": ({"dpviz_plan": 2}, "a plan of another version: make it again"),
    "nothing serves": ({"call": None}, "no mechanism serves it"),
    "noise alone": ({"call": None, "question": {"kind": "noise"}}, "no question about records"),
    "no plan": ("plan.json", "[]", "this is no plan"),
    "an edited plan": ({"call": {"function": "audit"}}, "this plan cannot be run"),
    "a plan that spends more than it says": (
        {"call": {"function": "means", "arguments": DELTA, "transform": None, "answer": None,
                  "spends": {"epsilon": 1.0, "delta": 0.0}}},
        "asks for epsilon 1, delta 1e-06, but epsilon 1 of epsilon 1 is left",
    ),
    "a plan without columns": ({"question": {"kind": "means"}}, "cannot be run: 'columns'"),
    "a plan for words": ({"n": "many"}, "this plan cannot be run: n must be a whole number"),
    "a plan of kernels of means": (
        {"call": {"function": "means", "arguments": {}, "transform": None, "answer": "kernels",
                  "spends": {"epsilon": 1.0}}},
        "this plan cannot be run: answer must be one of",
    ),
    "an unknown argument": (
        {"call": {"function": "means", "arguments": {"x": 1}, "transform": None, "answer": None,
                  "spends": {"epsilon": 1.0}}},
        "this plan cannot be run: arguments must be one of",
    ),
    "a plan for means that asks the result": (
        {"call": {"function": "means", "arguments": {}, "transform": None, "answer": "answer",
                  "spends": {"epsilon": 1.0}}},
        "this plan cannot be run: answer must be one of",
    ),
    "a plan of another function": (
        {"call": {"function": "smooth_summary", "arguments": {}, "transform": None,
                  "answer": "kernels", "spends": {"epsilon": 1.0}}},
        "this plan cannot be run: function must be one of",
    ),
    "kernels without a width": (
        {"question": {"kind": "kernels", "columns": 3},
         "call": {"function": "smooth_summary", "arguments": {}, "transform": None,
                  "answer": "kernels", "spends": {"epsilon": 1.0}}},
        "this plan cannot be run: 'width'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence_and_nothing_is_charged(folder, capsys, name):
    change, *words = BAD[name]
    asked = written("means", **(change if isinstance(change, dict) else {}))
    if isinstance(change, str):
        (folder / change).write_text(words[0])
    elif change == ["--bounds"]:
        asked = [word for word in asked if word not in ("--bounds", "bounds.csv")]
    elif isinstance(change, list):
        asked += change
    before = (folder / "budget.json").read_bytes()
    capsys.readouterr()
    assert command.main([*asked, "--numpy-noise"]) == 2
    said = capsys.readouterr()
    assert words[-1] in said.err and said.err.count("\n") == 1 and "8317" not in said.err
    assert (folder / "budget.json").read_bytes() == before
    assert not list(folder.glob("*.answers.csv"))


@pytest.mark.parametrize("name", ["distances", "kernels", "many"])
def test_questions_that_will_not_be_answered_are_refused_before_anything_is_charged(
    folder, capsys, name
):
    """They are public: a place outside of the bounds, or more than Levy's field answers."""
    asked = written(name if name in KINDS else "distances")
    rule = "'c' must be between 0 and 1, not 1.5"
    (folder / "places.csv").write_text(FAR)
    if name not in KINDS:
        call = {"function": "distances", "answer": "answer", "transform": None}
        call["arguments"] = {"metric": "euclidean", **DELTA}
        call["spends"] = {"epsilon": 1.0, **DELTA}
        question = {"kind": "distances", "columns": 3, "metric": "euclidean"}
        asked = written("distances", question=question, call=call)
        write_table("places.csv", ["a", "b", "c"], [[1, 1, x / 5000] for x in range(5000)])
        rule = "at most 4096 different ones"
    assert command.main([*asked, "--numpy-noise"]) == 2
    assert rule in capsys.readouterr().err
    assert ledger_file.read("budget.json").entries == ()


def test_no_plan_asks_free_of_charge_whether_a_record_lies_outside(folder, capsys):
    """Neither by refusing what lies outside of the bounds, nor by naming too few cells: whether a
    run is refused must not depend on the records, or a few plans would find the largest one."""
    spends = {"epsilon": 1.0}
    call = {"function": "means", "transform": None, "answer": None, "spends": spends}
    (folder / "bounds.csv").write_text("name,lower,upper\na,0,9\nb,0,100\nc,0,1\n")
    asked = written("means", call={**call, "arguments": {"outside": "refuse"}})
    assert command.main([*asked, "--numpy-noise"]) == 2
    assert "arguments must be one of" in capsys.readouterr().err
    queries = [[1.0, 0.0, 0.0]]  # the table has cells 0 to 3
    asked = written("linear", question={"kind": "linear", "columns": 1, "queries": queries})
    assert command.main([*asked, "--numpy-noise"]) == 0
    assert "is counted in the nearest one" in capsys.readouterr().out


def test_what_is_spent_beside_the_plan_is_said_first_and_needs_a_yes(folder, capsys):
    asked = [*written("means"), "--numpy-noise", "--measure", "0.5"]
    before = (folder / "budget.json").read_bytes()
    assert command.main(asked) == 0
    said = capsys.readouterr().out
    assert "--measure spends epsilon 0.5 more to tell one number" in said
    assert "later ones lose it" in said and "Nothing was charged" in said
    assert (folder / "budget.json").read_bytes() == before
    assert command.main([*asked, "--yes"]) == 0
    said = capsys.readouterr().out
    assert "measured: the largest error is" in said and "charged: epsilon 1.5; left" in said


def test_a_ball_has_no_measured_error(folder, capsys):
    assert command.main([*written("cluster"), "--numpy-noise", "--measure", "1"]) == 2
    assert "cannot be measured" in capsys.readouterr().err


def test_the_best_of_several_plans_is_paid_by_the_theorem(folder, capsys):
    """A run has a third, and half of that for its answers; nothing is proved of the best."""
    other = written("kernels, each", winner="another")[1]
    (folder / other).rename("other.json")
    asked = written("kernels, each")
    asked[1:2] = ["plan.json", "other.json"]
    assert command.main([*asked, "--numpy-noise", "--select", "3", "--yes"]) == 0
    said = capsys.readouterr().out
    assert "a secret number of runs, 3 on average" in said
    assert "nothing is proved of the error of these answers" in said
    last = ledger_file.read("budget.json").entries[-1]
    assert last.cost == Cost(epsilon=1.0)
    assert last.mechanism == "a mechanism or another: kernels"
    assert command.main([*asked, "--numpy-noise"]) == 2
    assert "need --select" in capsys.readouterr().err
    written("distances, delta")
    assert command.main([*asked, "--numpy-noise", "--select", "3"]) == 2
    assert "must spend the same epsilon, and no delta" in capsys.readouterr().err


def test_each_run_of_a_selection_costs_a_third(folder, monkeypatch):
    seen = []
    make = runs._curator

    def noted(*how):
        seen.append(make(*how))
        return seen[-1]

    monkeypatch.setattr(runs, "_curator", noted)
    asked = written("kernels, each", epsilon=0.03)
    plan = read_plan("plan.json")
    pay = runs.Payment(ledger="budget.json", dataset="table.csv", noise="floats", select=5)
    table = reading(asked, plan)
    while len(seen) < 3:  # the number of runs is random
        runs.run([plan, plan], table, pay)
    own = [curator for curator in seen if curator.ledger.charges]
    assert len(own) >= 2
    for curator in own:
        assert curator.budget.epsilon == pytest.approx(0.01)
        assert [charge.cost.epsilon for charge in curator.ledger.charges] == pytest.approx(
            [0.005, 0.005]
        )


def test_a_release_that_fails_later_says_that_it_was_charged(folder, monkeypatch, capsys):
    def fail(*_):
        raise ValueError("the answers cannot be asked")

    monkeypatch.setattr(runs, "answered", fail)
    assert command.main([*written("means"), "--numpy-noise"]) == 2
    assert "the ledger was charged before this, and stays so" in capsys.readouterr().err
    assert len(ledger_file.read("budget.json").entries) == 1


def test_answers_that_cannot_be_written_are_shown_because_they_are_paid(folder, capsys):
    (folder / "closed").mkdir()
    asked = [*written("means"), "--numpy-noise", "--out", "closed/gone/answers.csv"]
    assert command.main(asked) == 0
    said = capsys.readouterr().out
    assert "cannot be written" in said and "column,answer,off_by_at_most" in said
    assert len(ledger_file.read("budget.json").entries) == 1


def test_a_ledger_that_fills_up_between_refuses_before_anything_is_drawn(folder):
    """The budget is there when the run begins, and gone when it is reserved."""
    asked = written("means", epsilon=30.0)
    plan = read_plan("plan.json")
    table = reading(asked, plan)
    pay = runs.Payment(ledger="budget.json", dataset="table.csv", noise="floats")
    drawn = []
    curator = runs.FiledCurator(
        lambda: ledger_file.reserve("budget.json", epsilon=30.0, dataset="table.csv",
                                    unit="one record", mechanism="-", plan="-"),
        epsilon=30.0, rng=1,
    )  # fmt: skip
    runs.run([plan], table, pay, rng=1)
    state = curator._rng.bit_generator.state
    with pytest.raises(BudgetExceeded):
        drawn.append(runs.release(plan, table, curator))
    assert not drawn and curator._rng.bit_generator.state == state


def test_in_pieces_and_in_memory_are_the_same(folder):
    asked = written("means")
    plan = read_plan("plan.json")
    pay = runs.Payment(ledger="budget.json", dataset="table.csv", noise="floats")
    whole, parts = (
        runs.run([plan], reading([*asked, *more], plan), pay, rng=1).rows
        for more in ([], ["--in-pieces"])
    )
    assert whole == parts


def test_any_source_of_the_front_door_is_taken(folder):
    written("distances, delta")
    plan = read_plan("plan.json")
    rows = np.random.default_rng(0).random((N, 3))
    pay = runs.Payment(ledger="budget.json", dataset="table.csv", noise="floats")
    how = {"columns": ("a", "b", "c"), "bounds": [(0.0, 1.0)] * 3, "queries": np.zeros((1, 3))}
    found = runs.run([plan], runs.Table(records=dpviz.pieces(lambda: iter([rows])), **how), pay)
    assert found.rows[0][-1] == pytest.approx(rows.sum(axis=1).mean(), abs=0.1)
    with pytest.raises(ValueError, match="need records from a file"):
        pay = runs.Payment(ledger="budget.json", dataset="table.csv", noise="floats", measure=1.0)
        runs.run([plan], runs.Table(records=dpviz.pieces(lambda: iter([rows])), **how), pay)


def test_real_noise_is_opendp_s_and_numpy_s_needs_a_flag(folder, monkeypatch, capsys):
    asked = written("means")
    with monkeypatch.context() as patched:
        patched.setattr(safe_noise, "find_spec", lambda name: None)
        assert command.main(asked) == 2
        said = capsys.readouterr().err
        assert "pip install 'dpviz[safe]'; or say --numpy-noise" in said
        assert not ledger_file.read("budget.json").entries
        assert command.main([*asked, "--numpy-noise"]) == 0
        assert "last bits can give records away" in capsys.readouterr().out
    pytest.importorskip("opendp")
    assert command.main([*asked, "--out", "answers.json"]) == 0
    assert "drawn exactly by OpenDP" in capsys.readouterr().out
    whole = json.loads((folder / "answers.json").read_text())
    assert (
        whole["cost"] == "epsilon 1" and whole["records"] == N and whole["with_probability"] == 0.95
    )
    assert [row[0] for row in whole["answers"]] == ["a", "b", "c"]
    assert "no answer is off by more than" in whole["how_to_read"]
    assert len(ledger_file.read("budget.json").entries) == 2


UNDRAWN = {  # by OpenDP: question, function, arguments
    "levy": ({"kind": "distances", "metric": "euclidean"}, "distances",
             {"metric": "euclidean", **DELTA}, "answer"),
    "projections": ({"kind": "distances", "metric": "euclidean"}, "distances",
                    {"metric": "euclidean"}, "answer"),
    "lazy": ({"kind": "strings", "names": 2}, "sparse_queries", {"method": "lazy histogram"}, None),
    "weights": ({"kind": "strings", "names": 2}, "sparse_queries",
                {"method": "multiplicative weights", **DELTA}, None),
    "any": ({"kind": "strings", "names": 2}, "sparse_queries", {}, None),
    "ball": ({"kind": "cluster", "share": 0.5}, "one_cluster", DELTA, None),
}  # fmt: skip


@pytest.mark.parametrize("name", UNDRAWN)
def test_what_opendp_cannot_draw_is_refused_before_anything_is_charged(folder, capsys, name):
    pytest.importorskip("opendp")
    question, function, arguments, answer = UNDRAWN[name]
    spends = {"epsilon": 4.0, "delta": arguments.get("delta", 0.0)}
    call = {"function": function, "arguments": arguments, "transform": None, "answer": answer}
    kind = "strings" if question["kind"] == "strings" else "distances"
    asked = written(kind, question={"columns": 3, **question}, call={**call, "spends": spends})
    asked = asked[:-2] if name == "ball" else asked
    assert command.main(asked) == 2
    assert "OpenDP cannot draw what a mechanism needs" in capsys.readouterr().err
    assert ledger_file.read("budget.json").entries == ()
    assert command.main([*asked, "--numpy-noise"]) == 0
    assert len(ledger_file.read("budget.json").entries) == 1


def test_levy_s_field_is_not_replaced_by_another_mechanism(folder, capsys):
    """In pieces the records cannot be asked again: the front door would take projections."""
    question, function, arguments, answer = UNDRAWN["levy"]
    call = {"function": function, "arguments": arguments, "transform": None, "answer": answer}
    asked = written("distances", question={"columns": 3, **question},
                    call={**call, "spends": {"epsilon": 1.0, **DELTA}})  # fmt: skip
    assert command.main([*asked, "--numpy-noise", "--in-pieces"]) == 2
    assert "must be in memory" in capsys.readouterr().err
    assert ledger_file.read("budget.json").entries == ()


def parquet(rows):
    """A file of two row groups."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table(dict(zip("abc", rows.T, strict=True)))
    parquet.write_table(table, "rows.parquet", row_group_size=len(rows) // 2)
    return dpviz.pieces("rows.parquet", columns=["a", "b", "c"])


def dask(rows):
    """An array in three chunks."""
    return pytest.importorskip("dask.array").from_array(rows, chunks=(1000, 3))


@pytest.mark.parametrize("source", [parquet, dask])
def test_sources_that_do_not_fit_are_charged_and_answered(folder, source):
    """The very answers of the same records in memory: sums are exact, and the seed is one."""
    rows = np.random.default_rng(0).random((N, 3)) * [10, 100, 1]
    how = {"columns": ("a", "b", "c"), "bounds": [(0, 10), (0, 100), (0, 1)]}
    pay = runs.Payment(ledger="budget.json", dataset="table.csv", noise="floats")
    for name, queries in (("means", None), ("distances, delta", np.array(PLACES))):
        written(name)
        plan = read_plan("plan.json")
        answers = [
            [row[-1] for row in runs.run([plan], runs.Table(records=records, **how,
                                                            queries=queries), pay, rng=5).rows]
            for records in (rows, source(rows))
        ]  # fmt: skip
        np.testing.assert_allclose(*answers, rtol=1e-12)
    assert len(ledger_file.read("budget.json").entries) == 4


def test_a_plan_for_another_number_of_records_is_said(folder, capsys):
    assert command.main([*written("means", n=100), "--numpy-noise"]) == 0
    assert f"The plan was made for 100 records; what is proved here is for {N:,}." in (
        capsys.readouterr().out
    )
    with open("plan.answers.csv") as file:
        answers = list(csv.DictReader(file))
    for row, side in zip(answers, (10, 100, 1), strict=True):
        proved = 3 * -math.log(-math.expm1(math.log1p(-0.05) / 3)) * side / N
        assert float(row["off_by_at_most"]) == pytest.approx(proved)
        assert row["with_probability"] == "0.95"
