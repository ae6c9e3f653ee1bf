"""Sweeps: the same numbers serially, in processes and on a cluster; nothing finished is lost."""

import contextlib
import importlib
import json
import socket
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

import dpviz
from dpviz.sweeps.sweep import load, sweep


@dataclass(frozen=True, kw_only=True)
class Params:
    power: float = 1.0
    kind: str = "plain"


def trial(params, n, shift=0.0, *, rng):
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


def test_a_dask_cluster_gives_the_same_bits(serial, taken):
    distributed = importlib.import_module("distributed")
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 2}
    with distributed.Client(dashboard_address="127.0.0.1:0", **options) as client:
        executor = client.get_executor()
        assert same(serial, sweep(trial, Params(), GRID, **RUN, executor=executor))


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


def test_an_interrupted_sweep_goes_on_where_it_was(serial, tmp_path):
    path, seen = tmp_path / "journal.jsonl", []

    def stops(params, n, *, rng):
        if len(seen) == 17:
            raise KeyboardInterrupt
        seen.append(n)
        return trial(params, n, rng=rng)

    stops.__module__, stops.__qualname__ = trial.__module__, trial.__qualname__
    with pytest.raises(KeyboardInterrupt):
        sweep(stops, Params(), GRID, **RUN, file=path)
    with path.open("a") as file:
        file.write('[17, {"error": 0.1')  # the machine stopped in the middle of a line
    with pytest.raises(ValueError, match="17 of 30 trials"):
        load(path)
    counted = []

    def counts(params, n, *, rng):
        counted.append(n)
        return trial(params, n, rng=rng)

    counts.__module__, counts.__qualname__ = trial.__module__, trial.__qualname__
    assert same(serial, sweep(counts, Params(), GRID, **RUN, file=path))
    assert len(counted) == 30 - 17
    assert same(serial, load(path))


@pytest.mark.parametrize(
    "change", [{"rng": 1}, {"repeats": 6}, {"params": Params(power=2)}, {"fixed": {"shift": 1.0}}]
)
def test_a_file_of_another_sweep_is_refused_and_kept(change, tmp_path):
    path = tmp_path / "journal.jsonl"
    usual = {"params": Params(), "grid": {"n": [1, 2]}, "repeats": 2, "rng": 42}
    sweep(trial, **usual, file=path)
    before = path.read_text()
    with pytest.raises(ValueError, match="holds another sweep"):
        sweep(trial, **{**usual, **change}, file=path)
    assert path.read_text() == before
    assert json.loads(before.split("\n")[0])["axes"] == {"n": [1, 2]}


def test_a_file_of_an_older_version_says_so_and_is_kept(tmp_path):
    """A sweep of version 0.1, whose modules had other names; its first line held no version."""
    path = tmp_path / "journal.jsonl"
    usual = {"params": Params(), "grid": {"n": [1, 2]}, "repeats": 2, "rng": 42}
    sweep(trial, **usual, file=path)
    first, *rows = path.read_text().splitlines()
    assert json.loads(first)["dpviz"] == dpviz.__version__
    old = json.loads(first) | {"trial": "dpviz.papers.distance.l1.trial"}
    del old["dpviz"]
    path.write_text("\n".join([json.dumps(old), *rows]) + "\n")
    before = path.read_text()
    with pytest.raises(ValueError, match=r"written by dpviz 0\.1 \(this is .*nothing was overw"):
        sweep(trial, **usual, file=path)
    assert path.read_text() == before


def test_the_version_is_no_part_of_what_was_run(tmp_path):
    path = tmp_path / "journal.jsonl"
    usual = {"params": Params(), "grid": {"n": [1, 2]}, "repeats": 2, "rng": 42}
    made = sweep(trial, **usual, file=path)
    path.write_text(path.read_text().replace(f'"dpviz": "{dpviz.__version__}"', '"dpviz": "0.9"'))
    before = path.read_text()
    assert same(made, sweep(trial, **usual, file=path)) and same(made, load(path))
    assert path.read_text() == before  # who wrote it stays


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
