"""The standing challenge: every rival runs under the protocol, and the table is of the trials."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from dpviz.comparison import experiments, guide
from dpviz.comparison.mechanisms.kinds import KINDS, WITHOUT
from dpviz.comparison.mechanisms.task import TUNINGS, Task

FOLDER = Path(__file__).parents[2] / "benchmarks" / "challenge"
SMALLEST = {
    "cluster": Task(n=800, d=4, k=1, epsilon=4.0),
    "linear": Task(n=800, d=2, k=6),
    "smooth": Task(n=800, d=1, k=6),
    "sparse": Task(n=800, d=2, k=6),
}


def module_of(name):
    spec = importlib.util.spec_from_file_location(f"challenge_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLE = module_of("table")
RIVALS = TABLE.rivals()


@pytest.mark.parametrize("name", RIVALS)
def test_every_rival_answers_the_smallest_task_of_its_kind(name):
    rival = RIVALS[name]
    task = SMALLEST[rival.KIND]
    rng = np.random.default_rng(0)
    outcome = rival.MECHANISM.outcome(task, KINDS[rival.KIND].draw(task, rng), rng=rng)
    spent = outcome.spent.epsilon, outcome.spent.delta
    assert not outcome.refused and spent == pytest.approx(rival.MECHANISM.spends(task))
    assert outcome.error < 0.5 and rival.MECHANISM.tuned in TUNINGS


def test_the_readme_shows_the_example_that_is_there():
    """Twenty lines, but for docstrings and annotations."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    shown = text.partition("```python\n")[2].partition("```")[0]
    space = {}
    exec(compile(shown, "README.md", "exec"), space)
    mine, theirs = space["MECHANISM"], RIVALS["quadruples"].MECHANISM
    assert (mine.key, mine.zcdp, mine.tuned) == (theirs.key, theirs.zcdp, theirs.tuned)
    assert len([line for line in shown.splitlines() if line.strip()]) <= 20
    task = SMALLEST["cluster"]
    pair = [
        each.outcome(task, KINDS["cluster"].draw(task, np.random.default_rng(1)), rng=2).error
        for each in (mine, theirs)
    ]
    assert pair[0] == pair[1]


def test_the_table_is_that_of_the_stored_trials():
    text = (FOLDER / "TABLE.md").read_text(encoding="utf-8")
    rows = [
        row
        for row in text.splitlines()
        if row.startswith(tuple(f"| {kind} |" for kind in SMALLEST))
    ]
    assert rows == list(TABLE.lines())
    assert len(rows) == sum(map(len, experiments.PLACES.values()))


def test_a_new_rival_meets_the_stored_records():
    """The stored ones come out again on the same records, so all are compared in the same draws."""
    name = "hidden, 1000"
    experiment = experiments.CELLS["cluster"]
    index = list(experiments.PLACES["cluster"]).index(name) * experiment.repeats + 1
    stored = guide.cell(name)[WITHOUT][1]
    rng = np.random.default_rng(np.random.SeedSequence(experiment.rng, spawn_key=(index,)))
    instance = experiments.instance_of(name, rng)[1]
    assert instance.without_data == pytest.approx(stored, rel=1e-3)
    rows = list(TABLE.fresh(experiment, RIVALS["quadruples"], draws=1))
    assert len(rows) == len(experiments.PLACES["cluster"])
