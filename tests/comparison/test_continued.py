"""Every shipped journal can be continued from a copy of which the end was lost."""

import json

import every
import numpy as np
import pytest

from dpviz.lessons.fat_shattering.experiments import DECODED
from dpviz.lessons.registry import EXPERIMENTS
from dpviz.sweeps import journal, running

# A trial of these takes less than a tenth of a second, what is shared by its point included.
CHEAP = [
    "fat_decoded", "fat_learnt_dimension", "fat_learnt_people", "fat_released",
    "smallest_n_checked",
]  # fmt: skip
LOST = 3  # trials


@pytest.fixture
def cut(tmp_path):
    """Function: the copy of an experiment's journal without its last trials and its digest."""

    def copy(experiment, lost=LOST):
        head, *rows = experiment.file.read_bytes().splitlines(keepends=True)
        first = {key: value for key, value in json.loads(head).items() if key != "sha256"}
        path = tmp_path / "copy.jsonl"
        path.write_bytes(b"".join([json.dumps(first).encode(), b"\n", *rows[: len(rows) - lost]]))
        return path

    return copy


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        (name, lost)
        for k, name in enumerate(EXPERIMENTS)
        for lost in every.in_turn([0, 1, LOST, 10**9], k)
    ],
)
def test_a_copy_is_continued_to_the_same_bytes(name, lost, cut, monkeypatch):
    """Each trial gives here what is stored, so the bytes hang on no machine.

    How many are lost takes turns over the journals (`every`).
    """
    experiment = EXPERIMENTS[name]
    rows = journal.read(experiment.file).rows
    monkeypatch.setattr(running.Task, "run", lambda task: (task.index, rows[task.index], 1.0))
    path = cut(experiment, min(lost, len(rows)))
    assert len(experiment.missing(path)) == min(lost, len(rows))
    experiment.run(file=path)
    assert path.read_bytes() == experiment.file.read_bytes()


def check_trials_of_its_own(experiment, path, differences):
    """The journal from a copy, by the trials themselves: equal up to another processor's bits."""
    experiment.run(file=path)
    again, stored = journal.read(path), journal.read(experiment.file)
    assert again.header == stored.header and list(again.rows) == list(stored.rows)
    whole = {field: values.ravel() for field, values in experiment.stored().values.items()}
    for index, row in again.rows.items():
        assert list(row) == list(stored.rows[index])
        same = row == stored.rows[index]  # most of them were copied
        assert same or differences(row, stored.rows[index], whole) == []


@pytest.mark.parametrize("name", CHEAP)
def test_its_own_trials_continue_a_copy(name, cut, differences):
    check_trials_of_its_own(EXPERIMENTS[name], cut(EXPERIMENTS[name]), differences)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*EXPERIMENTS} - {*CHEAP}))
def test_its_own_trials_continue_a_copy_however_dear(name, cut, differences):
    check_trials_of_its_own(EXPERIMENTS[name], cut(EXPERIMENTS[name], 1), differences)


def test_a_copy_with_another_number_is_refused(cut, monkeypatch):
    """One of the three that are run again: the middle one."""
    path = cut(DECODED)
    lines = path.read_bytes().split(b"\n")
    place = (len(lines) - 2) // 2
    index, row = json.loads(lines[place + 1])
    name, value = next((name, value) for name, value in row.items() if value)
    row[name] = float(np.float64(value) * (1 + 1e-8))
    lines[place + 1] = json.dumps([index, row]).encode()
    path.write_bytes(b"\n".join(lines))
    before = path.read_bytes()
    with pytest.raises(ValueError, match=rf"holds other numbers in line {place + 2} .*\({name}\)"):
        DECODED.run(file=path)
    assert path.read_bytes() == before
