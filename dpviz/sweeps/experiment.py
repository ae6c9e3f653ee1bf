"""One named experiment: what it shows, the call that runs it, and its stored trials."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from dpviz.sweeps.call import Call
from dpviz.sweeps.sweep import Sweep, call_of, load, missing, sweep, tasks_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Experiment:
    """A trial over a grid, under a name; its journal is stored with the package.

    Attributes
    ----------
    name : also that of its journal, which knows it by this name
    shows : one sentence, what it is for; trial : ``(params, ..., *, rng)`` -> dict of numbers
    params : the trial's public parameters; the grid replaces some of them
    grid : dict from parameter to its values; repeats : trials at each point; rng : the seed
    folder : where its journal is stored
    fixed : () -> dict of what else the trial is told; called when it is run
    """

    name: str
    shows: str
    trial: Callable[..., Mapping[str, float]]
    params: Any
    grid: Mapping[str, Sequence]
    repeats: int
    rng: int
    folder: Path
    fixed: Callable[[], Mapping[str, Any]] = dict

    @property
    def file(self) -> Path:
        """Where its trials are stored."""
        return self.folder / f"{self.name}.jsonl"

    @property
    def points(self) -> int:
        """How many points its grid has."""
        return math.prod(len(values) for values in self.grid.values())

    def run(self, **options: Any) -> Sweep:
        """Run all trials; ``options`` (file, jobs, ...) go to :func:`dpviz.sweeps.sweep.sweep`.

        With ``file=experiment.file`` only what is missing there is run.
        """
        return sweep(self.trial, self.params, self.grid, **self._rest(), **options)

    def missing(self, file: Path) -> list[int]:
        """Places of the trials that a file lacks; ``ValueError`` if it holds anything else."""
        return missing(self._call(), file)

    def _call(self) -> Call:
        return call_of(self.trial, self.params, self.grid, **self._rest())

    def _rest(self) -> dict[str, Any]:
        fixed = self.fixed() or None
        return {"repeats": self.repeats, "rng": self.rng, "fixed": fixed, "name": self.name}

    def stored(self) -> Sweep:
        """The trials as they are stored; read once."""
        return _load(self.file)

    def once(self, index: int) -> dict[str, float]:
        """One trial again, by its place in the journal: its stream hangs on seed and place."""
        (task,) = (task for task in tasks_of(self._call()) if task.index == index)
        return task.run()[1]


@lru_cache
def _load(file: Path) -> Sweep:
    return load(file)
