"""What ``dpviz experiments`` does: list the experiments, plan one, run one again."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpviz import checks
from dpviz.experiments import planning, registry
from dpviz.experiments.experiment import Experiment
from dpviz.sweeps import cluster, journal


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
    return planning.duration(journal.first_line(experiment.file)["seconds"])


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
        print(planning.plan(experiment).text(workers(processes)))
        return
    run(experiment, Path(out), processes, scheduler)


def run(experiment: Experiment, file: Path, processes: int, scheduler: str | None) -> None:
    """Plan, run, and say what the file holds then."""
    with kept(file):
        missing = experiment.missing(file)
    with place(processes, scheduler) as (where, width):
        if missing:
            print(planning.plan(experiment).text(width), flush=True)
        if 0 < missing < experiment.points * experiment.repeats:
            print(f"{missing} trials are missing in {file}: the others are there", flush=True)
        with kept(file):
            experiment.run(file=file, progress=True, **where)
    first = journal.first_line(file)
    print(f"{experiment.points * experiment.repeats} trials in {file}, by dpviz {first['dpviz']}")
    print(f"sha256 {first['sha256']}" + compared(experiment, first["sha256"]))
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
    done = len(journal.parse(file)[1]) if file.is_file() else 0
    return f"{done} finished trials are in {file}, the same command continues"


def compared(experiment: Experiment, sha256: str) -> str:
    """Whether a run with as many trials as are stored gave the stored numbers."""
    if experiment.repeats != registry.find(experiment.name).repeats:
        return ""
    if sha256 == journal.first_line(experiment.file)["sha256"]:
        return ", as the stored table"
    return ", not the stored table's: another processor or library differs in the last bits"
