"""Run one trial over a grid, many times: reproducible, parallel, resumable.

Every task gets its own child of one ``numpy.random.SeedSequence``, named by its place in the
grid. So one process, many processes and a cluster give the same numbers bit for bit, and an
interrupted sweep continues with exactly the tasks that are missing.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpviz import checks
from dpviz.sweeps import journal as journals
from dpviz.sweeps import slope
from dpviz.sweeps.call import Call, function_name
from dpviz.sweeps.running import Task, run_all

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from pathlib import Path

AGAIN = 3  # trials of a file that are run again before it is believed


@dataclass(frozen=True, eq=False)
class Sweep:
    """Results of a sweep.

    Attributes
    ----------
    axes : dict from name to the tuple of values swept, in order
    repeats : int, trials at each grid point
    header : dict, what was run (name, parameters, seed); equal headers mean equal sweeps
    values : dict from field to array, one axis per entry of ``axes``, then the repeats
    """

    axes: dict[str, tuple]
    repeats: int
    header: dict
    values: dict[str, np.ndarray]

    def __getitem__(self, field: str) -> np.ndarray:
        return self.values[field]

    def quantile(self, field: str, q: float = 0.5) -> np.ndarray:
        """Quantile of ``field`` over the repeats; one entry per grid point."""
        return np.quantile(self[field], q, axis=-1)

    def select(self, **point: object) -> Sweep:
        """The sweep at fixed values of some axes, e.g. ``select(order="random")``."""
        index = tuple(
            self.axes[name].index(point[name]) if name in point else slice(None)
            for name in self.axes
        )
        axes = {name: values for name, values in self.axes.items() if name not in point}
        values = {field: array[index] for field, array in self.values.items()}
        narrowed = {name: list(values) for name, values in axes.items()}
        header = {**self.header, "axes": narrowed, "at": {**self.header.get("at", {}), **point}}
        return Sweep(axes, self.repeats, header, values)

    def slope(
        self, field: str, *, rng: checks.Seed, q: float = 0.5, resamples: int = 1000
    ) -> slope.Slope:
        """Least-squares slope of log ``field`` against log of the only axis, with a 95 % interval.

        See :func:`dpviz.sweeps.slope.fit`. Raises ``ValueError`` unless one axis of at least three
        points is left.
        """
        if len(self.axes) != 1 or len(next(iter(self.axes.values()))) < 3:
            raise ValueError("slope needs one axis of at least three points: use select first")
        x = next(iter(self.axes.values()))
        return slope.fit(x, self[field], rng=rng, q=q, resamples=resamples)

    def save(self, path: str | Path) -> None:
        """Write a whole sweep as lines of JSON; :func:`load` reads it back bit for bit."""
        columns = {field: array.ravel().tolist() for field, array in self.values.items()}
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        journals.write(path, self.header, dict(enumerate(rows)))


def sweep(
    trial: Callable[..., Mapping[str, float]],
    params: Any,
    grid: Mapping[str, Sequence],
    *,
    repeats: int,
    rng: checks.Seed,
    fixed: Mapping[str, object] | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    file: str | Path | None = None,
    name: str | None = None,
    progress: bool = False,
) -> Sweep:
    """Run ``trial(params, **rest, rng=child)`` at every point of a grid, ``repeats`` times.

    A warning says that the trial's source was edited since ``file`` was begun, though three trials
    give the same numbers.

    Parameters
    ----------
    trial : callable returning a dict of numbers
    params : dataclass. Public parameters. Grid names that are its fields replace them; the others
        are passed to the trial by name.
    grid : dict from name to the values to sweep (numbers or words)
    repeats : int >= 1
    rng : int or SeedSequence (a sweep can be resumed), or a Generator (its next child is used)
    fixed : dict of further arguments of the trial, the same everywhere
    jobs : int. Processes to use, through joblib; -1 for all cores.
    executor : any ``concurrent.futures.Executor``, instead of ``jobs``
    file : path. Finished trials are appended at once; a sweep that was interrupted is continued.
        Three trials of a file that is there are run again, and must give the same numbers.
    name : str. By which a file knows the sweep; without it, that of the trial. A module is no part
        of it, so that the trial may move.
    progress : bool, show a tqdm bar

    Raises ValueError if the grid is empty or not sorted, ``repeats`` < 1, ``file`` holds another
    sweep or other numbers or is damaged, it is given for a lambda without a name, or a number for
    it is not finite. What a trial raises is raised when all that was under way has finished and
    stands in the file.

    >>> from dataclasses import make_dataclass
    >>> P = make_dataclass("P", ["scale"])
    >>> def trial(params, n, *, rng):
    ...     return {"error": abs(params.scale * rng.standard_normal() / n)}
    >>> result = sweep(trial, P(1.0), {"n": [10, 100, 1000]}, repeats=50, rng=1)
    >>> result["error"].shape, round(result.slope("error", rng=2).value, 1)
    ((3, 50), -1.0)
    """
    call = call_of(trial, params, grid, repeats=repeats, rng=rng, fixed=fixed, name=name)
    if file and "<lambda>" in call.name:
        raise ValueError("trial must have a name if it has a file: all lambdas print alike")
    header = call.header  # refuses what cannot be compared, before anything runs
    tasks = list(tasks_of(call, bool(file)))
    where = {"jobs": jobs, "executor": executor}
    done: dict[int, dict[str, float]] = {}
    spent: list[float] = []
    if file:
        journal = journals.begin(file, call)
        done = journal.rows
        spent += _repeat(tasks, journal, file, where)
        journals.mend(file, journal)
        _report_edit(call, journal, file)
    left = [task for task in tasks if task.index not in done]
    with contextlib.closing(run_all(left, len(left), **where)) as results:
        for index, row, took in _bar(results, len(tasks), len(left)) if progress else results:
            done[index] = _same_fields(index, row, next(iter(done.values()), row))
            spent.append(took)
            if file:
                journals.append(file, index, done[index])
    if file and "sha256" not in journal.first:
        journals.seal(file, done, seconds=math.fsum(spent) / len(spent) * len(tasks))
    return _assemble(call.axes, repeats, header, done)


def missing(call: Call, file: str | Path) -> list[int]:
    """Places of the trials that are not in a sweep's file, which is made if it is not there.

    Raises ``ValueError`` if the file holds another sweep or is damaged.
    """
    journal = journals.begin(file, call)
    return [place for place in range(journals.trials(call.header)) if place not in journal.rows]


def _report_edit(call: Call, journal: journals.Journal, file: str | Path) -> None:
    """Say if the trial was edited since its file was begun."""
    source = journal.first.get("source")
    if journal.rows and source and call.source and source != call.source:
        words = "was begun with another source of its trial; those that were run again agree"
        warnings.warn(f"file {str(file)!r} {words}", stacklevel=3)


def _repeat(
    tasks: Sequence[Task], journal: journals.Journal, file: str | Path, where: dict
) -> list[float]:
    """Run three trials again that a file holds; the seconds that they took.

    Raises ``ValueError`` if one of them gives other numbers: what the file holds is not this
    trial's, though it has its name.
    """
    rows = journal.rows
    places = sorted(rows)
    chosen = {places[len(places) * part // (2 * AGAIN)] for part in range(1, 2 * AGAIN, 2) if rows}
    again = [task for task in tasks if task.index in chosen]
    spent = []
    with contextlib.closing(run_all(again, len(again), **where)) as results:
        for index, row, took in results:
            if other := _differences(row, rows[index], rows.values()):
                raise ValueError(
                    f"file {str(file)!r} holds other numbers in line {list(rows).index(index) + 2} "
                    f"than its trial {index} gives now ({', '.join(other)}): if the trial was "
                    "changed, give another name; nothing was written"
                )
            spent.append(took)
    return spent


def _differences(row: Mapping, there: Mapping, rows: Iterable[Mapping]) -> list[str]:
    """Fields in which two runs of a trial differ by more than another processor's rounding.

    That is a share of 1e-9, or 1e-12 of the field's largest number, as a residue is nothing but
    rounding.
    """
    if row.keys() != there.keys():
        return sorted(row.keys() ^ there.keys())
    names = []
    for name, value in there.items():
        scale = max(abs(other[name]) for other in rows)
        if not math.isclose(row[name], value, rel_tol=1e-9, abs_tol=1e-12 * scale):
            names.append(name)
    return names


def _same_fields(index: int, row: dict, first: Mapping) -> dict[str, float]:
    """A trial's numbers in the order of another's; ``ValueError`` if they have other names."""
    if row.keys() != first.keys():
        raise ValueError(
            f"trial {index} of the sweep must give {', '.join(first)} as the others, "
            f"not {', '.join(row)}"
        )
    return {name: row[name] for name in first}


def call_of(
    trial: Callable[..., Mapping[str, float]],
    params: Any,
    grid: Mapping[str, Sequence],
    *,
    repeats: int,
    rng: checks.Seed,
    fixed: Mapping[str, object] | None = None,
    name: str | None = None,
) -> Call:
    """What makes a sweep the same as another, checked; parameters as of :func:`sweep`."""
    return Call(
        name=function_name(trial) if name is None else name,
        trial=trial,
        params=params,
        axes=_axes(grid),
        repeats=checks.integer("repeats", repeats, at_least=1),
        seed=_seed_sequence(rng),
        fixed=dict(fixed or {}),
    )


def load(path: str | Path) -> Sweep:
    """Read a finished sweep that :meth:`Sweep.save` or ``sweep(file=...)`` wrote.

    Raises ``ValueError`` if trials are missing: run the same ``sweep(..., file=path)`` again.
    """
    journal = journals.read(path)
    header = journal.header
    if (there := len(journal.rows)) < (whole := journals.trials(header)):
        raise ValueError(f"file {str(path)!r} holds {there} of {whole} trials: run the rest first")
    axes = {name: tuple(values) for name, values in header["axes"].items()}
    return _assemble(axes, header["repeats"], header, journal.rows)


def _axes(grid: Mapping[str, Sequence]) -> dict[str, tuple]:
    """The grid with plain Python values, checked: not empty, numbers sorted, none twice."""
    axes = {name: tuple(np.asarray(values).tolist()) for name, values in grid.items()}
    if not axes or not all(axes.values()):
        raise ValueError("grid must hold at least one axis, each with at least one value")
    for name, values in axes.items():
        ups_and_downs = set(np.sign(np.diff(values))) if not isinstance(values[0], str) else {1}
        if not ups_and_downs <= {1} and not ups_and_downs <= {-1}:
            raise ValueError(f"grid[{name!r}] must be sorted, no value twice, not {list(values)}")
    return axes


def _seed_sequence(rng: checks.Seed) -> np.random.SeedSequence:
    """The root of all children: a seed's own, or a Generator's next child."""
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.Generator):
        return rng.spawn(1)[0].bit_generator.seed_seq
    return checks.generator(rng).bit_generator.seed_seq


def tasks_of(call: Call, finite: bool = False) -> Iterator[Task]:
    """A task for each trial: one at every point of the grid, then another at every point.

    So whatever has finished tells how long the rest will take. Trials at one point share what is
    worked out from its parameters.
    """
    names = {field.name for field in fields(call.params)}
    points = []
    for point in itertools.product(*call.axes.values()):
        named = dict(zip(call.axes, point, strict=True))
        inside = {name: value for name, value in named.items() if name in names}
        outside = {name: value for name, value in named.items() if name not in names}
        points.append((replace(call.params, **inside), {**call.fixed, **outside}))
    for repeat in range(call.repeats):
        for place, (here, arguments) in enumerate(points):
            index = place * call.repeats + repeat
            yield Task(index, call.trial, here, arguments, call.seed, finite)


def _bar(results: Iterable, total: int, left: int) -> Iterable:
    """The same results behind a progress bar (silent where there is no terminal)."""
    from tqdm import tqdm

    return tqdm(results, total=total, initial=total - left, disable=None, unit=" trials")


def _assemble(axes: dict, repeats: int, header: dict, done: Mapping[int, dict]) -> Sweep:
    """Put the rows in grid order."""
    shape = (*map(len, axes.values()), repeats)
    rows = [done[index] for index in range(len(done))]
    values = {field: np.array([row[field] for row in rows]).reshape(shape) for field in rows[0]}
    return Sweep(axes, repeats, header, values)
