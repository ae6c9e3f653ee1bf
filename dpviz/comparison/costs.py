"""What one run takes: time and memory beside reading the table, and the budget it spends.

Times differ between machines, so they are told as powers of ten of a yardstick that is measured on
the same machine: the clinic's table, read once from text.
"""

from __future__ import annotations

import io
import math
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.comparison import experiments
from dpviz.comparison.mechanisms.kinds import KINDS
from dpviz.comparison.mechanisms.task import Mechanism, Outcome

RUNS = 3  # of which the fastest counts: what else the machine does can only slow it down


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Of one run: ``seconds`` of processor time, largest ``memory`` at a time in bytes."""

    seconds: float
    memory: float

    def over(self, other: Cost) -> tuple[int, int]:
        """Both as powers of ten of another's, rounded.

        >>> Cost(seconds=5.0, memory=900.0).over(Cost(seconds=0.1, memory=1000.0))
        (2, 0)
        """

        def power(mine: float, theirs: float) -> int:
            return round(math.log10(max(mine, 1e-9) / theirs))

        return power(self.seconds, other.seconds), power(self.memory, other.memory)


def measured(run: Callable[[], Any]) -> Cost:
    """Time and memory of a call; what it keeps for later calls is there before it counts."""
    run()
    seconds = min(_timed(run) for _ in range(RUNS))
    tracemalloc.start()
    run()
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Cost(seconds=seconds, memory=memory)


def _timed(run: Callable[[], Any]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def yardstick() -> Cost:
    """Reading the clinic's table from text: its time, and the memory of its numbers."""
    rows = experiments.patients()
    text = "\n".join(",".join(f"{value:.6g}" for value in row) for row in rows)
    seconds = measured(lambda: np.loadtxt(io.StringIO(text), delimiter=",")).seconds
    return Cost(seconds=seconds, memory=rows.nbytes)


def of_clinic(*, epsilon: float, rng: checks.Seed) -> dict[tuple[str, str], tuple[int, int]]:
    """Time and memory of one run of each mechanism on the clinic's patients.

    Returns a dict from (kind, key) to powers of ten of :func:`yardstick`; without those that
    refuse.
    """
    rng = checks.generator(rng)
    unit = yardstick()
    costs = {}
    for name, kind in KINDS.items():
        task = experiments.clinic(experiments.Sample(kind=name)).task(epsilon=epsilon)
        instance = kind.of_rows(task, experiments.patients())
        for each in kind.mechanisms:
            if not each.misfit(task):
                costs[name, each.key] = measured(_run(each, task, instance, rng)).over(unit)
    return costs


def _run(each: Mechanism, *given: Any) -> Callable[[], Outcome]:
    task, instance, rng = given
    return lambda: each.outcome(task, instance, rng=rng)
