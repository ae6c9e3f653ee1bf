"""Where the trials of a sweep run: here, in processes, or on any executor, in timed batches."""

from __future__ import annotations

import itertools
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from concurrent.futures import Executor

BATCH = 0.25  # seconds that one batch should take, so that handing it out costs little


@dataclass(frozen=True)
class Task:
    """One trial: its place in the table, and all that it needs."""

    index: int
    trial: Callable
    params: Any
    arguments: dict[str, object]
    seed: np.random.SeedSequence

    def run(self) -> tuple[int, dict[str, float]]:
        """The trial's numbers, wherever this was sent; what it raises says which trial it was."""
        try:
            row = self.trial(self.params, **self.arguments, rng=np.random.default_rng(self.seed))
            return self.index, {field: float(value) for field, value in row.items()}
        except Exception as problem:
            # Arguments may be whole data sets: only the place in the table is told.
            problem.add_note(f"in trial {self.index} of the sweep")
            raise


def run_all(
    tasks: Sequence[Task], jobs: int, executor: Executor | None
) -> Iterator[tuple[int, dict[str, float]]]:
    """Results as they finish; their order does not matter.

    If a trial fails, no more is handed out; what is under way is finished and given, so that it
    is not lost, and then the error is raised.
    """
    if executor is not None:
        return _on(executor, deque(tasks))
    if jobs == 1:
        return (task.run() for task in tasks)
    return _in_processes(tasks, jobs)


def _in_processes(tasks: Iterable[Task], jobs: int) -> Iterator[tuple[int, dict[str, float]]]:
    """By joblib, which makes batches of its own."""
    from joblib import Parallel, delayed

    failed: list[Exception] = []
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered")
    open_tasks = itertools.takewhile(lambda task: not failed, tasks)
    for rows, problem, _ in parallel(delayed(_Batch([task]))() for task in open_tasks):
        yield from rows
        failed += [problem] if problem is not None else []
    if failed:
        raise failed[0]


def _on(executor: Executor, queue: deque[Task]) -> Iterator[tuple[int, dict[str, float]]]:
    """Batches on an executor; their size follows the time that a trial was seen to take."""
    from concurrent.futures import FIRST_COMPLETED, wait

    width, size, pending, failed = 2 * _workers(executor), 1, set(), None
    while queue or pending:
        while queue and failed is None and len(pending) < width:
            batch = [queue.popleft() for _ in range(min(size, len(queue)))]
            pending.add(executor.submit(_Batch(batch)))
        if not pending:
            break
        finished, pending = wait(pending, return_when=FIRST_COMPLETED)
        for future in finished:
            try:
                rows, problem, seconds = future.result()
            except Exception as broken:  # the worker itself is gone
                failed = failed or broken
                continue
            yield from rows
            failed = failed or problem
            size = _size(len(queue), width, each=seconds / max(1, len(rows)))
    if failed is not None:
        raise failed


def _size(left: int, width: int, *, each: float) -> int:
    """How many trials of so many seconds make a batch: shares of what is left, but no crumbs.

    >>> _size(200, 4, each=0.002), _size(10, 4, each=0.002), _size(10, 4, each=1.0)
    (50, 15, 1)
    """
    most = max(1, int(BATCH / max(each, 1e-6)))
    return min(most, max(-(-left // width), most // 8, 1))


class _Batch:
    """Some trials to run in a row.

    Not a function and its arguments: Dask looks through arguments for futures, which takes
    longer than a short trial; what is called it only pickles.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tasks

    def __call__(self) -> tuple[list[tuple[int, dict[str, float]]], Exception | None, float]:
        """Results up to the first trial that fails, its error, and the time that they took."""
        rows, start = [], time.perf_counter()
        for task in self.tasks:
            try:
                rows.append(task.run())
            except Exception as problem:
                return rows, problem, time.perf_counter() - start
        return rows, None, time.perf_counter() - start


def _workers(executor: Executor) -> int:
    """How many trials an executor runs at a time, as far as it says."""
    client = getattr(executor, "_client", None)  # of a Dask cluster
    if client is not None:
        return max(1, sum(client.ncores().values()))
    return getattr(executor, "_max_workers", None) or os.cpu_count() or 1
