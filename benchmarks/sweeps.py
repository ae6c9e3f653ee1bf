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

TRIALS = 200


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
        cluster = {"executor": client.get_executor()}
        for id_, length, limit in (("T15a", 0.002, 3.0), ("T15b", 0.02, 0.8)):
            what = f"{TRIALS} trials of {1e3 * length:.0f} ms on two Dask workers, over one process"
            yield compared(id_, what, rounds_for(length), TRIALS, limit, cluster)


def long_lines() -> Iterator[dict]:
    """Half a minute of work everywhere, twice."""
    with dask() as client:
        rounds, trials = rounds_for(0.05), 640
        cluster = {"executor": client.get_executor()}
        places = {"serial": {}, "two Dask workers": cluster, "two processes": {"jobs": 2}}
        seconds(1, 2, jobs=2)  # starts the processes
        runs = [{name: seconds(rounds, trials, **where) for name, where in places.items()}
                for _ in range(2)]  # fmt: skip
        least = {name: min(run[name][0] for run in runs) for name in places}
        for id_, name, limit in (
            ("T15c", "two Dask workers", 0.85),
            ("T15d", "two processes", 0.65),
        ):
            same = all((run[name][1] == run["serial"][1]).all() for run in runs)
            what = f"{least['serial']:.0f} s of work in {trials} trials on {name}, over one process"
            yield line(id_, what, least[name] / least["serial"], limit, same)


def compared(id_: str, what: str, rounds: int, trials: int, limit: float, where: dict) -> dict:
    """The least of three runs each, in turn."""
    ours, serial, same = [], [], True
    for _ in range(3):
        took, table = seconds(rounds, trials)
        serial.append(took)
        took, found = seconds(rounds, trials, **where)
        ours.append(took)
        same &= bool((found == table).all())
    return line(id_, what, min(ours) / min(serial), limit, same)


def line(id_: str, what: str, ratio: float, limit: float, same: bool) -> dict:
    """One line of the table; a table that differs fails."""
    what += "" if same else "; THE TABLES DIFFER"
    return {"id": id_, "what": what, "value": ratio, "unit": "ratio", "target": f"<= {limit}",
            "holds": same and ratio <= limit, "peer": "one process"}  # fmt: skip
