"""All experiments by name."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from dpviz.comparison import experiments as comparison
from dpviz.comparison import smallest
from dpviz.lessons.cluster import experiments as cluster
from dpviz.lessons.compare import planned
from dpviz.lessons.distance import experiments as distance
from dpviz.lessons.embedding import experiments as embedding
from dpviz.lessons.fat_shattering import experiments as fat_shattering
from dpviz.lessons.smooth import experiments as smooth
from dpviz.lessons.sparse import experiments as sparse
from dpviz.sweeps.experiment import Experiment

MODULES = (
    distance,
    embedding,
    sparse,
    smooth,
    cluster,
    fat_shattering,
    comparison,
    smallest,
    planned,
)


def held(module: ModuleType) -> Iterator[Experiment]:
    """The experiments of a module, alone or in a dict, in the order of their definition."""
    for value in vars(module).values():
        for each in value.values() if isinstance(value, dict) else [value]:
            if isinstance(each, Experiment):
                yield each


EXPERIMENTS = {experiment.name: experiment for each in MODULES for experiment in held(each)}


def find(name: str) -> Experiment:
    """An experiment by its name.

    Raises
    ------
    ValueError
        If there is none of that name; the message suggests the nearest and lists all.

    >>> find("smooth_errors").stored()["error"].shape
    (4, 2, 12)
    """
    if name not in EXPERIMENTS:
        import difflib

        near = difflib.get_close_matches(name, EXPERIMENTS, n=1, cutoff=0.5)
        meant = f" (did you mean {near[0]}?)" if near else ""
        raise ValueError(f"name must be one of {', '.join(EXPERIMENTS)}, not {name!r}{meant}")
    return EXPERIMENTS[name]
