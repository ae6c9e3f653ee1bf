"""All experiments by name."""

from __future__ import annotations

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

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        distance.METHODS,
        distance.SLOPES,
        distance.DIMENSION,
        distance.BASELINES,
        distance.GROWERS,
        embedding.EUCLIDEAN,
        embedding.EUCLIDEAN_PURE,
        embedding.EUCLIDEAN_DIMENSION,
        sparse.RECORDS,
        sparse.EPSILON,
        sparse.WIDTH,
        sparse.QUERIES,
        sparse.WINNERS,
        sparse.HASHED_RECORDS,
        sparse.HASHED_WIDTH,
        sparse.HASHED_QUERIES,
        smooth.ERRORS,
        smooth.CLASS,
        cluster.PLANTED,
        cluster.THEOREM,
        cluster.PROMISE,
        cluster.PROMISE_WIDE,
        fat_shattering.DECODED,
        fat_shattering.RELEASED,
        fat_shattering.BY_DIMENSION,
        fat_shattering.LEARNT_BY_PEOPLE,
        fat_shattering.LEARNT_BY_DIMENSION,
        *comparison.OVER.values(),
        comparison.HIDDEN,
        *comparison.OF_CLINIC.values(),
        *comparison.OVER_LATER.values(),
        comparison.HIDDEN_LATER,
        *comparison.OF_CLINIC_LATER.values(),
        *comparison.CELLS.values(),
        *comparison.AT_BORDERS.values(),
        smallest.FOUND,
        smallest.CHECKED,
        planned.STORED,
    )
}


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
