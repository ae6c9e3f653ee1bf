"""What a run will take: time and memory, from a few of its trials."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpviz.experiments.experiment import Experiment

SECONDS = 5.0  # to try trials for, and
SHARE = 0.02  # of the whole run, if there are points of the grid that were not tried


@dataclass(frozen=True)
class Plan:
    """What a run of an experiment is expected to take.

    Attributes
    ----------
    trials : how many there are
    tried : how many were run to see
    points, seen : of the grid; how many of them were tried
    seconds : one process would need
    process : MB that each process needs, or None where the system does not say
    table : MB more for all results in the process that collects them
    file : MB on the disk
    """

    trials: int
    tried: int
    points: int
    seen: int
    seconds: float
    process: float | None
    table: float
    file: float

    def text(self, processes: int = 1) -> str:
        """Two lines for a reader."""
        shared = f", {duration(self.seconds / processes)} on {processes} processes"
        memory = f"{self.process:.0f} MB a process" if self.process else "memory unknown"
        return (
            f"about {duration(self.seconds)} on one process{shared if processes > 1 else ''} "
            f"({self.tried} trials tried, at {self.seen} of {self.points} points)\n"
            f"{memory}, {self.table:.1f} MB more for the table; {self.file:.1f} MB on the disk"
        )


def plan(experiment: Experiment) -> Plan:
    """Try trials spread over the grid, and reckon from them.

    All points are tried twice, unless that takes more than two hundredths of the whole run: the
    first trial at a point also works out what the others there share. One trial before them does
    not count: it loads what all need.
    """
    points, trials = experiment.points, experiment.points * experiment.repeats
    seconds: dict[int, list[float]] = {}
    spent, whole, rows = 0.0, 0.0, []
    experiment.once(0)
    for index in _spread(points, experiment.repeats):
        if spent > SECONDS and (len(rows) >= 2 * points or spent > SHARE * whole):
            break
        took, row = _timed(experiment, index)
        seconds.setdefault(index // experiment.repeats, []).append(took)
        rows.append((index, row))
        spent += took
        whole = trials * float(
            np.mean([np.median(times[1:] or times) for times in seconds.values()])
        )
    table, file = np.mean([_bytes(*row) for row in rows], axis=0) * trials / 1e6
    return Plan(trials, len(rows), points, len(seconds), whole, _peak(), float(table), float(file))


def duration(seconds: float) -> str:
    """Seconds in words.

    >>> [duration(x) for x in (0.2, 42.0, 250.0, 9000.0, 300000.0)]
    ['1 s', '42 s', '4 min', '2.5 h', '3.5 days']
    """
    for unit, size in (("days", 86400), ("h", 3600)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{max(1, round(seconds))} s"


def _spread(points: int, repeats: int) -> Iterator[int]:
    """Places of trials: the points in an order in which any first few lie far apart, again and
    again.

    >>> list(_spread(5, 2))
    [0, 4, 8, 2, 6, 1, 5, 9, 3, 7]
    """
    order = np.argsort(np.arange(points) * 0.618034 % 1).tolist()
    for repeat in range(repeats):
        yield from (place * repeats + repeat for place in order)


def _timed(experiment: Experiment, index: int) -> tuple[float, dict[str, float]]:
    start = time.perf_counter()
    row = experiment.once(index)
    return time.perf_counter() - start, {name: float(value) for name, value in row.items()}


def _bytes(index: int, row: dict[str, float]) -> tuple[int, int]:
    """Memory of one trial's results while they are collected and put in a table; of their line."""
    kept = sys.getsizeof(row) + sum(map(sys.getsizeof, row.values())) + 100 + 16 * len(row)
    return kept, len(json.dumps([index, row])) + 1


def _peak() -> float | None:
    """Largest memory of this process so far, MB."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
