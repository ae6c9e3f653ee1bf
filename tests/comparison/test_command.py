"""``dpviz experiments``: what it lists, plans and runs, and what it says when it cannot."""

import errno
import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass, make_dataclass, replace
from pathlib import Path

import pytest

from dpviz import __main__ as command
from dpviz import experiments
from dpviz.lessons import registry
from dpviz.sweeps import cluster, journal
from dpviz.sweeps.experiment import Experiment
from dpviz.sweeps.sweep import load


@dataclass(frozen=True, kw_only=True)
class Params:
    scale: float = 1.0


def trial(params, n, *, rng):
    return {"error": params.scale * rng.standard_normal() / n, "n": n}


SMALL = Experiment(
    name="small", shows="Nothing.", trial=trial, params=Params(), grid={"n": (1, 2, 3)},
    repeats=4, rng=5, folder=Path(),
)  # fmt: skip


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    """A cheap experiment in the registry, its trials stored."""
    monkeypatch.setitem(vars(SMALL), "folder", tmp_path)
    monkeypatch.setitem(registry.EXPERIMENTS, "small", SMALL)
    SMALL.run(file=SMALL.file)


def told(capsys, *words):
    status = command.main(["experiments", *map(str, words)])
    return status, *capsys.readouterr()


def test_a_run_says_what_it_holds_and_that_it_is_the_stored_table(capsys, tmp_path):
    out = tmp_path / "out.jsonl"
    status, said, _ = told(capsys, "small", "--out", out)
    stored = journal.first_line(SMALL.file)["sha256"]
    assert status == 0 and f"sha256 {stored}, as the stored table" in said
    assert "3 points x 4 trials, seed 5" in said and "(11 trials tried, at 3 of 3 points)" in said
    first = journal.first_line(out)
    assert {"dpviz", "numpy", "seconds", "sha256", "params", "seed"} <= first.keys()
    assert (load(out)["error"] == SMALL.stored()["error"]).all()


# A program that holds 300 MB and starts one that holds little.
LARGE = """
import subprocess, sys
held = b"x" * 300_000_000
small = "from dpviz.experiments import peak_memory; print(peak_memory())"
print(subprocess.run([sys.executable, "-c", small], capture_output=True, text=True).stdout)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count each program anew")
def test_the_peak_of_memory_is_not_that_of_the_program_that_started_it():
    done = subprocess.run([sys.executable, "-c", LARGE], capture_output=True, text=True, check=True)
    assert 5 < float(done.stdout) < 200


def test_other_numbers_than_the_stored_ones_are_said(capsys, tmp_path):
    SMALL.file.unlink()
    replace(SMALL, params=Params(scale=2.0)).run(file=SMALL.file)
    _, said, _ = told(capsys, "small", "--out", tmp_path / "out.jsonl")
    assert "not the stored table's" in said


def test_what_is_not_stored_yet_is_run_and_compared_with_nothing(capsys, tmp_path):
    SMALL.file.unlink()
    status, said, _ = told(capsys, "small", "--out", tmp_path / "out.jsonl")
    assert status == 0 and "12 trials in" in said and "stored table" not in said


def test_a_stored_journal_from_before_a_field_came_is_the_same_table(capsys, tmp_path):
    """A new run has the field in its first line, and so another digest; the numbers are equal."""
    longer = make_dataclass("Params", [("beta", float, 0.05)], bases=(Params,), frozen=True)
    registry.EXPERIMENTS["small"] = replace(SMALL, params=longer(scale=1.0))
    out = tmp_path / "out.jsonl"
    status, said, _ = told(capsys, "small", "--out", out)
    assert status == 0 and ", as the stored table" in said
    assert journal.first_line(out)["sha256"] != journal.first_line(SMALL.file)["sha256"]


def test_more_trials_serially_and_in_processes_are_one_table(capsys, tmp_path):
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    assert told(capsys, "small", "--trials", 9, "--out", one)[0] == 0
    assert told(capsys, "small", "--trials", 9, "--out", two, "--processes", 2)[0] == 0
    assert load(one)["error"].shape == (3, 9)
    assert journal.first_line(one)["sha256"] == journal.first_line(two)["sha256"]


def test_without_a_file_it_only_plans(capsys, tmp_path):
    status, said, _ = told(capsys, "small", "--trials", 7)
    assert status == 0 and "3 points x 7 trials" in said and "MB on the disk" in said
    assert [path.name for path in tmp_path.iterdir()] == ["small.jsonl"]


def test_every_experiment_is_listed(capsys, monkeypatch):
    monkeypatch.undo()
    _, said, _ = told(capsys)
    for name, experiment in registry.EXPERIMENTS.items():
        assert f"\n{name} " in "\n" + said and experiment.shows in said


def test_an_unknown_name_suggests_the_nearest(capsys):
    status, _, said = told(capsys, "fat_decodd")
    assert status == 2 and "did you mean fat_decoded?" in said and "cluster_planted" in said
    assert "did you mean" not in told(capsys, "xyz")[2]


@pytest.mark.parametrize("words", [("--trials", 0), ("--processes", 0), ("--processes", -2)])
def test_numbers_out_of_range_are_refused(capsys, words):
    status, _, said = told(capsys, "small", *words)
    assert status == 2 and words[0].strip("-") in said


@pytest.mark.parametrize("text", ["", "hello\n", '{"trial": "t"}\n', "\x00\x01\n", "\udcff\n"])
def test_a_file_that_is_something_else_is_refused_and_kept(capsys, tmp_path, text):
    out = tmp_path / "out.jsonl"
    out.write_bytes(text.encode("utf-8", "surrogateescape"))
    status, _, said = told(capsys, "small", "--out", out)
    assert status == 2 and ("is damaged" in said or "holds another sweep" in said)
    assert out.read_bytes() == text.encode("utf-8", "surrogateescape")


def test_a_file_of_other_trials_is_refused_and_kept(capsys, tmp_path):
    out = tmp_path / "out.jsonl"
    told(capsys, "small", "--trials", 2, "--out", out)
    before = out.read_bytes()
    status, _, said = told(capsys, "small", "--out", out)
    assert status == 2 and "holds another sweep" in said and out.read_bytes() == before


def test_a_place_where_nothing_can_be_written_is_named(capsys, tmp_path):
    where = tmp_path / "no/such/folder/out.jsonl"
    status, _, said = told(capsys, "small", "--out", where)
    assert status == 2 and f"{where} cannot be written" in said


def test_what_is_no_file_is_refused_and_not_read(capsys, tmp_path):
    for where in (os.devnull, tmp_path):
        status, _, said = told(capsys, "small", "--out", where)
        assert status == 2 and f"file {str(where)!r} must be an ordinary file" in said


def stopped_by(problem, monkeypatch):
    """After five trials, keeping one more meets a problem, half of its line written."""
    append, count = journal.append, iter(range(100))

    def full(path, index, row):
        if next(count) == 5:
            with path.open("a") as file:
                file.write("[5, {")
            raise problem
        append(path, index, row)

    monkeypatch.setattr(journal, "append", full)


@pytest.mark.parametrize(
    ("problem", "status", "message"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 2, "the disk is full"),
        (PermissionError(errno.EACCES, "Permission denied"), 2, "cannot be written"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_what_had_finished_stays_and_the_same_command_continues(
    capsys, tmp_path, monkeypatch, problem, status, message
):
    out = tmp_path / "out.jsonl"
    with monkeypatch.context() as here:
        stopped_by(problem, here)
        found, _, said = told(capsys, "small", "--out", out)
    assert found == status and message in said and "5 finished trials are in" in said
    found, said, _ = told(capsys, "small", "--out", out)
    assert found == 0 and "7 trials are missing" in said and "as the stored table" in said


def test_a_scheduler_that_does_not_answer_is_named(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(cluster, "SECONDS", 0.5)
    with socket.socket() as mute:  # it takes the call and says nothing
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        address = "tcp://{}:{}".format(*mute.getsockname())
        for there in (address, "tcp://127.0.0.1:1", "nonsense", "tcp://127.0.0.1:x"):
            status, _, said = told(capsys, "small", "--out", tmp_path / "o", "--scheduler", there)
            assert status == 2 and f"no Dask scheduler answered at {there!r} within 0.5 s" in said


def test_a_plan_reckons_from_all_points(monkeypatch):
    """Points of a hundredfold cost: the sum of all; neither what is loaded at first, nor what is
    worked out once at each."""
    costs = {1: 1.0, 2: 10.0, 3: 100.0}
    now, known = [0.0], set()

    def slow(params, n, *, rng):
        now[0] += costs[n] * (1 if n in known else 9) + (0 if known else 1e4)
        known.add(n)
        return {"error": 0.0}

    monkeypatch.setattr(experiments.time, "perf_counter", lambda: now[0])
    for repeats in (500, 2000):
        known.clear()
        found = experiments.plan(replace(SMALL, trial=slow, repeats=repeats))
        assert found.seconds == pytest.approx(111 * repeats)
        assert found.trials == 3 * repeats and found.seen == 3 and found.tried == 6
    assert found.file == pytest.approx(22 * 6000 / 1e6, rel=0.2)


ASKED = []


def counted(params, n, *, rng):
    ASKED.append(n)
    return {"error": rng.random() / n}


@pytest.mark.parametrize("missing", [1, 2, 5, 16])
def test_no_more_trials_are_tried_than_are_missing(capsys, tmp_path, monkeypatch, missing):
    """A copy of 300 finished trials with the last ones cut off; those tried are among them."""
    stored = replace(SMALL, name="slow", trial=counted, grid={"n": tuple(range(1, 101))}, repeats=3)
    monkeypatch.setitem(registry.EXPERIMENTS, "slow", stored)
    stored.run(file=stored.file)
    out, (first, *rows) = tmp_path / "out.jsonl", stored.file.read_text().splitlines()
    begun = {key: value for key, value in json.loads(first).items() if key != "sha256"}
    out.write_text("\n".join([json.dumps(begun), *rows[:-missing], ""]))
    places = stored.missing(out)
    assert places == list(range(300 - missing, 300))
    ASKED.clear()
    found = experiments.plan(stored, places)
    assert found.trials == missing and 1 <= found.tried <= len(ASKED) <= missing
    assert set(ASKED) <= set(range(95, 101))
    ASKED.clear()
    status, said, _ = told(capsys, "slow", "--out", out)
    assert status == 0 and f"{missing} trials are missing" in said and "as the stored" in said
    assert len(ASKED) <= 2 * missing + 3 and out.read_bytes() == stored.file.read_bytes()


def test_a_copy_of_a_journal_that_names_no_version_is_continued(capsys, tmp_path):
    """As those that the first version wrote."""
    out, (first, *rows) = tmp_path / "out.jsonl", SMALL.file.read_text().splitlines()
    begun = {
        key: value for key, value in json.loads(first).items() if key not in ("dpviz", "sha256")
    }
    out.write_text("\n".join([json.dumps(begun), *rows[:-2], ""]))
    status, said, _ = told(capsys, "small", "--out", out)
    assert status == 0 and "2 trials are missing" in said and "as the stored table" in said
    assert "by dpviz 0.1\n" in said and "dpviz" not in journal.first_line(out)
