"""Where the trials of a sweep run: here, in processes, or on any executor, in timed batches."""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dpviz import __version__

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

BATCH = 0.25  # seconds that one batch should take, so that handing it out costs little
DEATHS = 3  # workers that one trial may lose
LISTEN = 0.1  # seconds after which a run of processes looks whether it was interrupted
LOOK = 1.0  # seconds after which a cluster is asked again how many workers it has

Result = tuple[int, dict[str, float], float]  # place, numbers, seconds


@dataclass(frozen=True)
class Task:
    """One trial: its place in the table, all that it needs, and if its numbers must be finite."""

    index: int
    trial: Callable
    params: Any
    arguments: dict[str, object]
    root: np.random.SeedSequence
    finite: bool = False

    def run(self) -> Result:
        """The trial's numbers, wherever this was sent; what it raises says which trial it was."""
        key = (*self.root.spawn_key, self.index)
        rng = np.random.default_rng(np.random.SeedSequence(self.root.entropy, spawn_key=key))
        start = time.perf_counter()
        try:
            row = self.trial(self.params, **self.arguments, rng=rng)
            numbers = {field: float(value) for field, value in row.items()}
            if self.finite and not (numbers and all(map(math.isfinite, numbers.values()))):
                raise ValueError(f"trial must give finite numbers if it has a file, not {numbers}")
        except Exception as problem:
            # Arguments may be whole data sets: only the place in the table is told.
            problem.add_note(f"in trial {self.index} of the sweep")
            raise
        return self.index, numbers, time.perf_counter() - start


def run_all(
    tasks: Iterable[Task], count: int, jobs: int, executor: Executor | None
) -> Iterator[Result]:
    """Results of ``count`` tasks as they finish; their order does not matter.

    If a trial fails, no more is handed out; what is under way is finished and given, so that it
    is not lost, and then the error is raised. A trial whose worker died is run again.
    """
    if executor is not None:
        return Handout(tasks, count, executor).results()
    if jobs == 1:
        return (task.run() for task in tasks)
    return Handout(tasks, count, _processes(jobs), lambda: _processes(jobs)).results()


def _processes(jobs: int) -> Executor:
    """So many processes (-1: one a core), a BLAS thread each; new ones if some have died.

    They are joblib's: they take functions of a notebook, on every system.
    """
    from joblib import cpu_count
    from joblib.externals.loky import get_reusable_executor

    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    workers = jobs if jobs > 0 else max(1, cpu_count() + 1 + jobs)
    env = {**threads, **os.environ}
    return get_reusable_executor(workers, timeout=60, env=env, initializer=_ignore_interrupts)


def _ignore_interrupts() -> None:
    """In a worker: Ctrl-C reaches every process of a terminal, and the first of them ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(executor: Any) -> None:
    """End the processes of ours at once, whatever they do."""
    for process in list(executor._processes.values()):
        process.terminate()
    executor.shutdown(wait=True)


@contextlib.contextmanager
def _noted() -> Iterator[list[int]]:
    """A list that grows at each Ctrl-C, which raises nothing here; so ours alone says when to end.

    Raised anywhere, one would stop what starts or ends processes half way, and some would stay.
    """
    interrupts: list[int] = []
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not usual or threading.current_thread() is not threading.main_thread():
        yield interrupts
        return
    signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass
class Handout:
    """The trials of one sweep on one executor, in batches whose size follows the time they take.

    Attributes
    ----------
    tasks : in the order in which they are handed out
    left : how many of them are not handed out yet; executor : where they run
    fresh : () -> another executor, when all of its workers are gone; None if there is no other
    """

    tasks: Iterable[Task]
    left: int
    executor: Executor
    fresh: Callable[[], Executor] | None = None
    pending: dict[Future, list[Task]] = field(default_factory=dict)
    again: deque[Task] = field(default_factory=deque)  # their worker died once
    suspects: deque[Task] = field(default_factory=deque)  # and again: they run alone, at the end
    lost: Counter = field(default_factory=Counter)  # workers, by the trial that they ran
    each: float | None = None  # seconds that a trial took
    failed: Exception | None = None

    def results(self) -> Iterator[Result]:
        """Everything that finishes; then the error, if there was one."""
        from concurrent.futures import FIRST_COMPLETED, wait

        self.tasks = iter(self.tasks)
        ours = self.fresh is not None
        listening: Any = _noted() if ours else contextlib.nullcontext([])
        with listening as interrupts:
            try:
                while self._hand_out() and not interrupts:
                    for future in wait(self.pending, LISTEN, return_when=FIRST_COMPLETED).done:
                        yield from self._taken(future, self.pending.pop(future))
                if interrupts:
                    raise KeyboardInterrupt
            finally:  # an interrupt, or nobody wants more
                for future in self.pending:
                    future.cancel()
                if ours and (self.pending or interrupts):
                    _end(self.executor)
        if self.failed is not None:
            raise self.failed

    def _hand_out(self) -> bool:
        """Keep every worker busy; whether anything is under way."""
        while self.failed is None and (batch := self._batch()):
            try:
                self._submit(batch)
            except Exception as gone:  # a closed or broken executor
                self.failed = gone
        return bool(self.pending)

    def _batch(self) -> list[Task]:
        """What to hand out next; nothing while all are busy."""
        if not (self.again or self.left):  # then one suspect at a time
            return [self.suspects.popleft()] if self.suspects and not self.pending else []
        width = 2 * self._workers()
        if len(self.pending) >= width:
            return []
        if self.again:
            return [self.again.popleft()]
        size = 1 if self.each is None else _size(self.left, width, each=self.each)
        batch = list(itertools.islice(self.tasks, size))
        self.left = self.left - len(batch) if batch else 0
        return batch or self._batch()

    def _submit(self, batch: list[Task]) -> None:
        from concurrent.futures import BrokenExecutor

        try:
            future = self.executor.submit(_Batch(batch))
        except BrokenExecutor:
            if self.fresh is None:
                raise
            self.executor = self.fresh()
            future = self.executor.submit(_Batch(batch))
        self.pending[future] = batch

    def _taken(self, future: Future, batch: list[Task]) -> list[Result]:
        """What a batch gave."""
        try:
            rows, problem = future.result()
        except Exception as gone:
            self._lose(batch, gone)
            return []
        self.failed = self.failed or problem
        if rows:
            self.each = sum(seconds for _, _, seconds in rows) / len(rows)
        return rows

    def _lose(self, batch: list[Task], problem: Exception) -> None:
        """A batch did not come back: if its worker died, its trials are run again.

        Whichever trial kills its workers is found: the second time each of them runs alone.
        """
        from concurrent.futures import BrokenExecutor

        died = isinstance(problem, BrokenExecutor) or type(problem).__name__ == "KilledWorker"
        if not died or (self.fresh is None and isinstance(problem, BrokenExecutor)):
            self.failed = self.failed or problem
            return
        self.lost.update(task.index for task in batch)
        for task in batch:
            if self.lost[task.index] < DEATHS:
                (self.again if self.lost[task.index] == 1 else self.suspects).append(task)
                continue
            words = (
                f"trial {task.index} of the sweep lost its worker {DEATHS} times (is memory short?)"
            )
            self.failed = self.failed or RuntimeError(words)

    def _workers(self) -> int:
        """How many trials the executor runs at a time, as far as it says."""
        client = getattr(self.executor, "_client", None)  # of a Dask cluster, which may grow
        if client is None:
            return getattr(self.executor, "_max_workers", None) or os.cpu_count() or 1
        now = time.monotonic()
        looked, workers = getattr(self, "_looked", (-LOOK, 1))
        if now - looked >= LOOK:
            looked = now
            workers = max(1, sum(client.ncores().values()))
        self._looked = looked, workers
        return workers


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

    It knows the version that made it, as a worker may join a cluster after all were asked theirs.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tasks
        self.version = __version__

    def __call__(self) -> tuple[list[Result], Exception | None]:
        """Results up to the first trial that fails, and its error."""
        rows: list[Result] = []
        if self.version != __version__:
            words = f"a worker has dpviz {__version__}, this sweep is one of dpviz {self.version}"
            return rows, RuntimeError(words)
        for task in self.tasks:
            try:
                rows.append(task.run())
            except Exception as problem:
                return rows, problem
        return rows, None
