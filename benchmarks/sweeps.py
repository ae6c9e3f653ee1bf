"""T15: a sweep on two processes and on two Dask workers, beside one process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpviz.sweeps.sweep import sweep

if TYPE_CHECKING:
    from distributed import Client

LONG = 640, 0.05  # trials, seconds of each


@dataclass(frozen=True)
class Params:
    """How often a trial sorts a thousand numbers: some 10 microseconds each time."""

    rounds: int


def trial(params: Params, n: int, *, rng: np.random.Generator) -> dict[str, float]:
    """Work of a known length that no cache can shorten."""
    total = 0.0
    for _ in range(params.rounds):
        total += float(np.sort(rng.random(1000))[n])
    return {"total": total}


def seconds(rounds: int, trials: int, **where: object) -> tuple[float, np.ndarray]:
    """Wall time of a sweep, and its table."""
    start = time.perf_counter()
    found = sweep(trial, Params(rounds), {"n": [10, 100]}, repeats=trials // 2, rng=1, **where)
    return time.perf_counter() - start, found["total"]


def rounds_for(length: float) -> int:
    """How many rounds a trial of so many seconds has here."""
    took = min(seconds(200, 10)[0] for _ in range(5)) / 10
    return max(1, round(200 * length / took))


@contextmanager
def dask() -> Iterator[Client]:
    """Two workers of one thread each, started and asked once."""
    from distributed import Client

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with Client(processes=True, **options) as client:
        client.run(trial, Params(1), 10, rng=np.random.default_rng(0))
        yield client


def short_lines() -> Iterator[dict]:
    """Short trials on Dask; its workers were started before."""
    with dask() as client:
        where = {"executor": client.get_executor()}
        for id_, length, limit in (("T15a", 0.002, 3.0), ("T15b", 0.02, 0.8)):
            yield compared(id_, 200, length, "two Dask workers", where, limit, runs=3)


def long_on_dask() -> Iterator[dict]:
    """Half a minute of work on the same."""
    with dask() as client:
        where = {"executor": client.get_executor()}
        yield compared("T15c", *LONG, "two Dask workers", where, 0.85, runs=1)


def long_on_processes() -> Iterator[dict]:
    """Half a minute of work on processes, started before."""
    seconds(1, 2, jobs=2)
    yield compared("T15d", *LONG, "two processes", {"jobs": 2}, 0.65, runs=1)


def compared(
    id_: str, trials: int, length: float, place: str, where: dict, limit: float, *, runs: int
) -> dict:
    """Trials of so many seconds there, over one process: the least of the runs, in turn."""
    rounds, ours, serial, same = rounds_for(length), [], [], True
    for _ in range(runs):
        took, table = seconds(rounds, trials)
        serial.append(took)
        took, found = seconds(rounds, trials, **where)
        ours.append(took)
        same &= bool((found == table).all())
    what = f"{trials} trials of {1e3 * length:.0f} ms on {place}, over one process: "
    what += f"{min(ours):.1f} s, {min(serial):.1f} s"
    return line(id_, what, min(ours) / min(serial), limit, same)


def line(id_: str, what: str, ratio: float, limit: float, same: bool) -> dict:
    """One line of the table; a table that differs fails."""
    what += "" if same else "; THE TABLES DIFFER"
    return {"id": id_, "what": what, "value": ratio, "unit": "ratio", "target": f"<= {limit}",
            "holds": same and ratio <= limit, "peer": "one process"}  # fmt: skip
