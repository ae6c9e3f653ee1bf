"""What ``dpviz experiments`` does: list, plan (try a few trials), run one again."""

from __future__ import annotations

import contextlib
import errno
import json
import sys
import time
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.lessons import registry
from dpviz.sweeps import cluster, journal
from dpviz.sweeps.experiment import Experiment

SECONDS = 5.0  # to try trials for, and
SHARE = 0.02  # of the whole run, if there are points of the grid that were not tried


def listing() -> Iterator[str]:
    """A few lines for each experiment: name, trials, time on one process, what it shows."""
    for name, experiment in registry.EXPERIMENTS.items():
        yield f"{name:24} {size(experiment)}, about {stored_time(experiment)}"
        yield f"    {experiment.shows}"


def size(experiment: Experiment) -> str:
    """Points and trials in words.

    >>> size(registry.find("smooth_errors"))
    '8 points x 12 trials'
    """
    return f"{experiment.points} points x {experiment.repeats} trials"


def stored_time(experiment: Experiment) -> str:
    """How long the stored trials took, as their journal says."""
    return duration(journal.first_line(experiment.file)["seconds"])


def ask(
    name: str | None = None,
    *,
    trials: int | None = None,
    out: str | None = None,
    processes: int = 1,
    scheduler: str | None = None,
) -> None:
    """List all experiments; or plan one, and run it if there is a file for its results.

    Parameters
    ----------
    name : of an experiment
    trials : at each point of the grid; as many as are stored, if it is None
    out : file of the results, which is continued if it is there
    processes : on this machine; -1 for one a core
    scheduler : address of a Dask scheduler, instead

    Raises
    ------
    ValueError
        If there is no such experiment, the file is damaged or holds something else or cannot be
        written, the scheduler does not answer. What had finished stays in the file.
    KeyboardInterrupt
        With a note that says what was kept.
    """
    if name is None:
        print(*listing(), "One again: dpviz experiments NAME --out FILE", sep="\n")
        return
    stored = registry.find(name)
    repeats = stored.repeats if trials is None else checks.integer("trials", trials, at_least=1)
    if processes != -1:
        checks.integer("processes", processes, at_least=1)
    experiment = replace(stored, repeats=repeats)
    print(f"{name}: {experiment.shows}", f"{size(experiment)}, seed {experiment.rng}", sep="\n")
    if out is None:
        print(plan(experiment).text(workers(processes)))
        return
    run(experiment, Path(out), processes, scheduler)


def run(experiment: Experiment, file: Path, processes: int, scheduler: str | None) -> None:
    """Plan, run, and say what the file holds then."""
    with kept(file):
        missing = experiment.missing(file)
    with place(processes, scheduler) as (where, width):
        if missing:
            print(plan(experiment, missing).text(width), flush=True)
        if 0 < len(missing) < experiment.points * experiment.repeats:
            print(f"{len(missing)} trials are missing in {file}: the others are there", flush=True)
        with kept(file), warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: print(message, file=sys.stderr)
            experiment.run(file=file, progress=True, **where)
    result = journal.read(file)
    print(f"{len(result.rows)} trials in {file}, by dpviz {result.version}")
    print(f"sha256 {result.first['sha256']}" + compared(experiment, result.rows))
    print(f"To use them: dpviz.sweeps.sweep.load({str(file)!r})")


def workers(processes: int) -> int:
    """How many processes -1 means."""
    from joblib import cpu_count

    return cpu_count() if processes == -1 else processes


@contextlib.contextmanager
def place(processes: int, scheduler: str | None) -> Iterator[tuple[dict[str, Any], int]]:
    """Where to run: options for a sweep, and how many trials run there at a time."""
    if scheduler is None:
        yield {"jobs": processes}, workers(processes)
        return
    with cluster.connect(scheduler) as client:
        width = sum(client.ncores().values())
        if not width:
            print("No workers there yet: the run starts with the first.", flush=True)
        yield {"executor": client.get_executor()}, max(1, width)


@contextlib.contextmanager
def kept(file: Path) -> Iterator[None]:
    """Whatever stops a run, say how much of it is in the file."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        stopped.add_note(f"interrupted: {_finished(file)}")
        raise
    except OSError as problem:
        full = problem.errno in (errno.ENOSPC, errno.EDQUOT)
        why = "the disk is full" if full else f"{file} cannot be written: {problem.strerror}"
        raise ValueError(f"{why}: {_finished(file)}") from problem
    except RuntimeError as problem:
        raise ValueError(f"{problem}: {_finished(file)}") from problem


def _finished(file: Path) -> str:
    rows = len(journal.read(file).rows) if file.is_file() else 0
    return f"{rows} finished trials are in {file}, the same command continues"


def compared(experiment: Experiment, rows: dict[int, dict[str, float]]) -> str:
    """Whether a run with as many trials as are stored gave the stored numbers, bit for bit."""
    if (
        experiment.repeats != registry.find(experiment.name).repeats
        or not experiment.file.is_file()
    ):
        return ""
    if rows == journal.read(experiment.file).rows:
        return ", as the stored table"
    return ", not the stored table's: another processor or library differs in the last bits"


@dataclass(frozen=True)
class Plan:
    """What a run of an experiment is expected to take.

    Attributes
    ----------
    trials : how many there are to run
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


def plan(experiment: Experiment, missing: Collection[int] | None = None) -> Plan:
    """Try trials spread over the grid, and reckon from them; ``missing`` : all that are to run.

    All points are tried twice, unless that takes more than two hundredths of the whole run: the
    first trial at a point also works out what the others there share. One trial before them does
    not count: it loads what all need. Never are more trials tried than are missing.
    """
    points = experiment.points
    repeats = experiment.repeats
    places = [place for place in _spread(points, repeats) if missing is None or place in missing]
    seconds: dict[int, list[float]] = {}
    spent = 0.0
    whole = 0.0
    rows: list[tuple[int, dict]] = []
    if len(places) > 1:
        experiment.once(places[0])
    for index in places[: len(places) - 1 or 1]:
        if spent > SECONDS and (len(rows) >= 2 * points or spent > SHARE * whole):
            break
        took, row = _timed(experiment, index)
        seconds.setdefault(index // repeats, []).append(took)
        rows.append((index, row))
        spent += took
        whole = len(places) * float(
            np.mean([np.median(times[1:] or times) for times in seconds.values()])
        )
    table, file = np.mean([_bytes(*row) for row in rows], axis=0) * points * repeats / 1e6
    numbers = whole, peak_memory(), float(table), float(file)
    return Plan(len(places), len(rows), points, len(seconds), *numbers)


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
    size = sys.getsizeof(row) + sum(map(sys.getsizeof, row.values())) + 100 + 16 * len(row)
    return size, len(json.dumps([index, row])) + 1


def peak_memory() -> float | None:
    """Largest memory of this process so far, MB; None where the system does not count it.

    Linux keeps in `ru_maxrss` what the parent had before it started this program, so the
    program's own high-water mark is read there.

    >>> peak_memory() is None or peak_memory() > 1
    True
    """
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (text for text in status.read_text().splitlines() if text.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    try:
        import resource
    except ImportError:  # Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
