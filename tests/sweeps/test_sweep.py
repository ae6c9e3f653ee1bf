"""Sweeps: the same numbers serially, in processes and on a cluster; nothing finished is lost."""

import contextlib
import importlib
import json
import math
import os
import signal
import socket
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import dpviz
from dpviz.sweeps import journal, running, slope
from dpviz.sweeps.sweep import load, sweep


@dataclass(frozen=True, kw_only=True)
class Params:
    power: float = 1.0
    kind: str = "plain"


WATCHED = []  # what a test wants to be told of each trial


def trial(params, n, shift=0.0, *, rng):
    for told in WATCHED:
        told(n)
    draws = rng.standard_normal(64)
    return {"error": shift + np.exp(draws[0]) / n**params.power, "sum": draws @ draws}


GRID = {"n": [10, 100, 1000], "kind": ["plain", "other"]}
RUN = {"repeats": 5, "rng": 42}


def same(one, other):
    return one.header == other.header and all(
        np.array_equal(one[field], other[field]) for field in one.values
    )


@pytest.fixture(scope="module")
def serial():
    return sweep(trial, Params(), GRID, **RUN)


def test_shapes_and_selection(serial):
    assert serial["error"].shape == (3, 2, 5)
    assert serial.quantile("error", 0.9).shape == (3, 2)
    part = serial.select(kind="other")
    assert list(part.axes) == ["n"]
    assert np.array_equal(part["error"], serial["error"][:, 1])


def test_processes_give_the_same_bits(serial):
    assert same(serial, sweep(trial, Params(), GRID, **RUN, jobs=2))


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_executors_give_the_same_bits(serial, pool):
    with pool(2) as executor:
        assert same(serial, sweep(trial, Params(), GRID, **RUN, executor=executor))


@pytest.fixture
def taken():
    """Port 8787 in use, as on a machine with RStudio: Dask's dashboard would want it."""
    with contextlib.closing(socket.socket()) as server:
        with contextlib.suppress(OSError):  # somebody else has it: as good
            server.bind(("127.0.0.1", 8787))
            server.listen()
        yield


def quick(params, n, *, rng):
    return {"error": rng.random() / n}


def slow(params, n, *, rng):
    time.sleep(0.02)
    return quick(params, n, rng=rng)


def test_a_dask_cluster_gives_the_same_bits_though_a_worker_dies(serial, taken):
    """Two worker processes; one is killed while it works, and the batches it had go elsewhere.

    At the end one has another version of dpviz: its numbers are not taken.
    """
    distributed = importlib.import_module("distributed")
    options = {"processes": True, "n_workers": 2, "threads_per_worker": 1}
    run = {"grid": {"n": [10, 100, 1000]}, "repeats": 60, "rng": 42}
    with distributed.Client(dashboard_address="127.0.0.1:0", **options) as client:
        executor = client.get_executor(retries=3)
        assert same(serial, sweep(trial, Params(), GRID, **RUN, executor=executor))
        pids = client.run(os.getpid)
        killed = threading.Timer(0.7, os.kill, [next(iter(pids.values())), signal.SIGKILL])
        killed.start()
        found = sweep(slow, Params(), **run, executor=executor)
        killed.join()
        assert set(client.run(os.getpid).values()) != set(pids.values())
        one = next(iter(client.run(os.getpid)))
        client.run(setattr, running, "__version__", "0.0", workers=[one])  # as if it came later
        with pytest.raises(RuntimeError, match=r"a worker has dpviz 0\.0, this sweep is one of"):
            sweep(slow, Params(), **run, executor=executor)
    assert np.array_equal(found["error"], sweep(quick, Params(), **run)["error"])


class Counting(ThreadPoolExecutor):
    """Counts what it is given."""

    def submit(self, *what):
        self.given = getattr(self, "given", 0) + 1
        return super().submit(*what)


def test_short_trials_are_handed_out_in_batches():
    with Counting(2) as executor:
        found = sweep(trial, Params(), GRID, repeats=200, rng=1, executor=executor)
    assert found["error"].size == 1200 and executor.given < 60


def test_each_task_has_its_own_stream(serial):
    sums = serial["sum"].ravel()
    assert len(set(sums)) == len(sums)
    other = sweep(trial, Params(), GRID, repeats=5, rng=43)
    assert not set(sums) & set(other["sum"].ravel())


def test_a_generator_is_spawned_from_and_not_used():
    rng = np.random.default_rng(5)
    first = sweep(trial, Params(), {"n": [1]}, repeats=2, rng=rng)
    second = sweep(trial, Params(), {"n": [1]}, repeats=2, rng=rng)
    assert not np.array_equal(first["sum"], second["sum"])
    assert rng.random() == np.random.default_rng(5).random()


def test_saving_and_loading_lose_no_bit(serial, tmp_path):
    serial.save(tmp_path / "all.jsonl")
    assert same(serial, load(tmp_path / "all.jsonl"))
    part = serial.select(kind="plain")
    part.save(tmp_path / "part.jsonl")
    again = load(tmp_path / "part.jsonl")
    assert same(part, again)
    assert again.axes == part.axes


@pytest.fixture
def watched(monkeypatch):
    """What a test wants to be told of each trial; nothing afterwards."""
    monkeypatch.setattr(sys.modules[__name__], "WATCHED", [])
    return WATCHED


def test_an_interrupted_sweep_goes_on_where_it_was(serial, watched, tmp_path):
    path, seen, counted = tmp_path / "journal.jsonl", [], []

    def stops(n):
        if len(seen) == 17:
            raise KeyboardInterrupt
        seen.append(n)

    watched.append(stops)
    with pytest.raises(KeyboardInterrupt):
        sweep(trial, Params(), GRID, **RUN, file=path)
    with path.open("a") as file:
        file.write('[17, {"error": 0.1')  # the machine stopped in the middle of a line
    with pytest.raises(ValueError, match="17 of 30 trials"):
        load(path)
    watched[:] = [counted.append]
    assert same(serial, sweep(trial, Params(), GRID, **RUN, file=path))
    assert len(counted) == 30 - 17 + 3
    assert same(serial, load(path))


class Failed(Exception):
    pass


@dataclass(frozen=True, kw_only=True)
class Flaw(Params):
    """Where a flag file lies, one value of n fails."""

    flag: str = ""


def flawed(params, n, *, rng):
    if n == 100 and params.kind == "other" and Path(params.flag).exists():
        raise Failed("no such luck")
    return trial(params, n, rng=rng)


@pytest.mark.parametrize("how", ["serial", "joblib", "pool"])
def test_what_had_finished_when_a_trial_failed_is_kept(how, tmp_path):
    path, flag = tmp_path / "journal.jsonl", tmp_path / "flag"
    flag.touch()
    params = Flaw(flag=str(flag))
    with ProcessPoolExecutor(2) as pool:
        where = {"serial": {}, "joblib": {"jobs": 2}, "pool": {"executor": pool}}[how]
        with pytest.raises(Failed, match="no such luck") as failed:
            sweep(flawed, params, GRID, **RUN, file=path, **where)
        assert "of the sweep" in failed.value.__notes__[0]
        kept = len(path.read_text().splitlines()) - 1
        assert 1 <= kept < 30
        flag.unlink()
        again = sweep(flawed, params, GRID, **RUN, file=path, **where)
    assert same(again, sweep(flawed, params, GRID, **RUN))


@dataclass(frozen=True, kw_only=True, eq=False)
class Large:
    values: np.ndarray


def first_value(params, n, *, rng):
    return {"value": params.values[700] + n}


def test_parameters_are_told_apart_by_their_contents(tmp_path):
    """numpy prints neither the middle of 1,200 numbers nor the tenth digit of one."""
    path = tmp_path / "journal.jsonl"
    one = np.zeros(1200)
    for change in (1.0, 1e-12):
        other = one.copy()
        other[700] += change
        path.unlink(missing_ok=True)
        run = {"grid": {"n": [1, 2]}, "repeats": 1, "rng": 0, "file": path}
        sweep(first_value, Large(values=one), **run)
        assert sweep(first_value, Large(values=one.copy()), **run)["value"].sum() == 3
        with pytest.raises(ValueError, match="holds another sweep"):
            sweep(first_value, Large(values=other), **run)


def make(shift):
    def shifted(params, n, *, rng):
        return {"value": n + shift}

    return shifted


def test_functions_made_alike_are_told_apart(tmp_path):
    run = {"params": Params(), "grid": {"n": [1, 2]}, "repeats": 1, "rng": 0}
    run["file"] = tmp_path / "journal.jsonl"
    assert sweep(make(5), **run)["value"].sum() == sweep(make(5), **run)["value"].sum() == 13
    with pytest.raises(ValueError, match="holds another sweep"):
        sweep(make(1), **run)
    with pytest.raises(ValueError, match="holds another sweep"):
        sweep(partial(trial, shift=1), **run)
    with pytest.raises(ValueError, match="trial must have a name"):
        sweep(lambda params, n, *, rng: {"value": n}, **run | {"file": tmp_path / "other"})


def test_a_finished_file_can_be_read_where_nothing_can_be_written(tmp_path, monkeypatch):
    run = {"grid": {"n": [1, 2]}, "repeats": 2, "rng": 42, "file": tmp_path / "journal.jsonl"}
    made = sweep(trial, Params(), **run)
    monkeypatch.setattr(Path, "write_text", None)  # as on a read-only disk, also for root
    monkeypatch.setattr(Path, "replace", None)
    assert same(made, sweep(trial, Params(), **run))


def test_a_finished_file_names_its_fields_once(tmp_path):
    """Unless its trials have other fields, or in another order."""
    path, rows = tmp_path / "journal.jsonl", {0: {"a": 0.5, "b": 2}, 1: {"a": 0.1, "b": 3}}
    header = {"experiment": "t", "axes": {"n": [1, 2]}, "repeats": 1}
    journal.write(path, header, rows)
    journal.seal(path, rows)
    assert path.read_text().splitlines()[1:] == ["[0, [0.5, 2]]", "[1, [0.1, 3]]"]
    assert journal.read(path).rows == rows and journal.read(path).header == header
    rows[1] = {"b": 3, "a": 0.1}
    journal.write(path, header, rows)
    journal.seal(path, rows)
    assert path.read_text().splitlines()[2] == '[1, {"b": 3, "a": 0.1}]'
    assert journal.read(path).rows == rows and journal.read(path).header == header


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (1, '{"trial": "cut he', "damaged in line 1, which is no line that says what was run"),
        (1, "[0, {}]", "damaged in line 1"),
        (3, "[1, {broken", "damaged in line 3, which is no line of a trial"),
        (3, '"neither"', "damaged in line 3"),
        (3, "[1, [0.5, 0.5, 0.5, 0.5, 0.5]]", "damaged in line 3, which is no line of a trial"),
    ],
)
def test_a_damaged_line_is_named(line, text, message, tmp_path):
    path = tmp_path / "journal.jsonl"
    run = {"grid": {"n": [1, 2]}, "repeats": 2, "rng": 42, "file": path}
    sweep(trial, Params(), **run)
    lines = path.read_text().splitlines()
    lines[line - 1] = text
    path.write_text("\n".join(lines) + "\n")
    for read in (lambda: load(path), lambda: sweep(trial, Params(), **run)):
        with pytest.raises(ValueError, match=message):
            read()


@pytest.mark.parametrize(
    ("change", "other"),
    [
        ({"rng": 1}, "seed"),
        ({"repeats": 6}, "repeats"),
        ({"params": Params(power=2)}, "params.power"),
        ({"fixed": {"shift": 1.0}}, "fixed.shift"),
        ({"grid": {"n": [1, 3]}, "repeats": 3}, "axes.n, repeats"),
    ],
)
def test_a_file_of_another_sweep_is_refused_and_kept(change, other, tmp_path):
    path = tmp_path / "journal.jsonl"
    usual = {"params": Params(), "grid": {"n": [1, 2]}, "repeats": 2, "rng": 42}
    sweep(trial, **usual, file=path)
    before = path.read_text()
    with pytest.raises(ValueError, match=rf"holds another sweep \(other {other} in line 1\)"):
        sweep(trial, **{**usual, **change}, file=path)
    assert path.read_text() == before
    assert json.loads(before.split("\n")[0])["axes"] == {"n": [1, 2]}


def test_the_version_is_no_part_of_what_was_run(tmp_path):
    path = tmp_path / "journal.jsonl"
    usual = {"params": Params(), "grid": {"n": [1, 2]}, "repeats": 2, "rng": 42}
    made = sweep(trial, **usual, file=path)
    path.write_text(path.read_text().replace(f'"dpviz": "{dpviz.__version__}"', '"dpviz": "0.9"'))
    before = path.read_text()
    assert same(made, sweep(trial, **usual, file=path)) and same(made, load(path))
    assert path.read_text() == before  # who wrote it stays


def test_an_interval_of_a_slope_leaves_out_a_fortieth_on_either_side():
    """One trial a point: a slope of redrawn residuals is normal, its variance theirs over Sxx."""
    x = np.geomspace(1, 100, 200)
    residuals = np.random.default_rng(5).normal(size=200)
    line = slope.fit(x, np.exp(residuals)[:, None], rng=6, resamples=20_000)
    logs = np.log(x) - np.log(x).mean()
    left = residuals - residuals.mean() - logs * (logs @ residuals) / (logs @ logs)
    sd = math.sqrt(np.mean(left**2) / (logs @ logs))
    # both ends are 1.96 sd away; 4 sd of the mean of two quantiles of 20,000 draws are 0.054
    assert (line.high - line.low) / (2 * sd) == pytest.approx(1.96, abs=0.055)


def test_slope_and_its_interval():
    """The interval holds the true slope; 95 % of 200 sweeps should: alarm rate below 1e-6."""
    grid, hits = {"n": [10, 30, 100, 300]}, 0
    for seed in range(200):
        result = sweep(trial, Params(power=0.5), grid, repeats=20, rng=seed)
        slope = result.slope("error", rng=seed, resamples=200)
        hits += slope.low <= -0.5 <= slope.high
        assert slope.low <= slope.value <= slope.high
    assert 170 <= hits <= 200  # binomial(200, 0.95) is below 170 with probability 3e-7


def test_slope_of_a_single_trial_uses_the_residuals():
    exact = sweep(lambda params, n, *, rng: {"x": 3 / n}, Params(), {"n": [1, 2, 4]}, **RUN)
    slope = exact.select().slope("x", rng=0)
    assert slope.value == pytest.approx(-1)
    assert slope.high - slope.low < 1e-9


@pytest.mark.parametrize("grid", [{}, {"n": []}])
def test_an_empty_grid_is_refused(grid):
    with pytest.raises(ValueError, match="grid must hold"):
        sweep(trial, Params(), grid, **RUN)


@pytest.mark.parametrize("values", [[1, 3, 2], [1, 1], [1, float("nan")]])
def test_an_unsorted_grid_is_refused_and_shown(values):
    with pytest.raises(ValueError, match=r"grid\['n'\] must be sorted, no value twice, not \[1"):
        sweep(trial, Params(), {"n": values}, **RUN)


def test_slope_needs_one_axis(serial):
    with pytest.raises(ValueError, match="use select first"):
        serial.slope("error", rng=0)


def test_repeats_is_at_least_one():
    with pytest.raises(ValueError, match="repeats"):
        sweep(trial, Params(), GRID, repeats=0, rng=0)
