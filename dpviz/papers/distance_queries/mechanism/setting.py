"""The setting of section 3: average l1 distance queries over a public box, and a budget.

**Paper.** Huang and Roth (2014), section 2.1 and the opening of section 3.

**Setting.** n private records in a public box; queries are points y of the same box; the answer
is the average l1 distance F(y) = (1/n) sum of ||x - y||_1. Neighbours differ in one record.

**Idea.** Rescale each coordinate to [0, 1] by public bounds: then F is a weighted sum of curves
that are alike, and only their weights, the widths, remember the box.

**Symbols.**

==========  ==================  =================================================  ==========
paper       here                meaning                                            unit
==========  ==================  =================================================  ==========
D, n        ``data``, n         the records and their number (public)              of the box
l           d                   number of coordinates                              count
k           k                   queries that accuracy is promised for              count
(none)      ``box``             public bounds; the paper: [0, 1]^l                 of the box
==========  ==================  =================================================  ==========

**Departures.** The paper takes diameter 1 and the cube at once; here F moves by the box's own
l1 diameter over n, the sum of its widths, when one record is replaced.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.privacy.box import Box
from dpviz.privacy.budgeted import Budgeted
from dpviz.privacy.private_data import OUTSIDE


@dataclass(frozen=True, kw_only=True)
class Setting(Budgeted):
    """Public numbers that all mechanisms share; their ``Params`` add their own.

    Attributes
    ----------
    n, d, k : int >= 1, records, coordinates, queries
    epsilon : float > 0, delta : float in [0, 1)
        The privacy budget of the whole mechanism; delta = 0 (default) means pure.
    beta : float in (0, 1), probability that the promised error is not kept
    lower, upper : float or tuple (d,), the public box
    outside : "clip" or "refuse" records outside the box

    >>> Setting(n=10, d=2, k=1, epsilon=1, upper=(1, 4)).diameter
    5.0
    """

    n: int
    d: int
    k: int
    epsilon: float
    delta: float = 0.0
    beta: float = 0.05
    lower: ArrayLike = 0.0
    upper: ArrayLike = 1.0
    outside: str = "clip"

    def __post_init__(self):
        for name in ("n", "d", "k"):
            checks.integer(name, getattr(self, name), at_least=1)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, below=1)
        checks.number("beta", self.beta, above=0, below=1)
        checks.choice("outside", self.outside, OUTSIDE)
        self.box  # noqa: B018 - made here, so that a bad one is refused here

    @cached_property
    def box(self) -> Box:
        """The public box."""
        return Box.of(self.d, lower=self.lower, upper=self.upper)

    @property
    def diameter(self) -> float:
        """Sum of the widths."""
        return self.box.total


def truth(data: ArrayLike | AverageDistance, queries: ArrayLike, params: Setting) -> np.ndarray:
    """Average distances F(y), records clipped to the box. For comparison only: not private.

    Parameters
    ----------
    data : array (n, d), or what :func:`columns` made of it
    queries : array (k, d) in the box; also (k,) if d = 1

    Returns
    -------
    array (k,)

    >>> params = Setting(n=2, d=1, k=1, epsilon=1, upper=10)
    >>> truth([1.0, 4.0], [0.0, 10.0], params).tolist()
    [2.5, 7.5]
    """
    return columns(data, params).values(params.box.units(queries)) @ params.box.widths


def columns(data: ArrayLike | AverageDistance, params: Setting) -> AverageDistance:
    """Private records, checked, clipped, rescaled and sorted once for many runs.

    Not private: it holds the records. What was made before, for the same box and ``outside``,
    passes through; so does an ``AverageDistance`` of one's own, if the box is the unit cube.

    Raises ``ValueError`` or ``TypeError`` if they are not n records of d coordinates, or were
    prepared for another box.

    >>> columns([[0.2, 7.0]], Setting(n=1, d=2, k=1, epsilon=1)).d
    2
    """
    origin = (params.box, params.outside)
    if not isinstance(data, AverageDistance):
        data = AverageDistance(params.box.private(data, outside=params.outside))
        data.origin = origin
    if (data.n, data.d) != (params.n, params.d):
        raise ValueError(f"data must hold n = {params.n} records of d = {params.d} coordinates")
    if (data.origin or (Box.of(params.d, lower=0, upper=1), params.outside)) != origin:
        raise ValueError("data must not be prepared for another box, or for another outside")
    return data


def mixture(n: int, d: int, *, rng: checks.Seed) -> np.ndarray:
    """Synthetic records: in each coordinate a mixture of two betas, drawn anew.

    Weights (0.6, 0.4); the shapes a and b of both are uniform in [1, 6]. Public: it serves to
    try things out.

    Returns
    -------
    array (n, d) in [0, 1]

    >>> mixture(3, 2, rng=0).shape
    (3, 2)
    """
    rng = checks.generator(rng)
    first = rng.uniform(size=(n, d)) < 0.6
    shapes = rng.uniform(1, 6, size=(2, 2, d))
    return np.where(first, *(rng.beta(a, b, size=(n, d)) for a, b in shapes))


def prepared(
    params: Setting,
    data: ArrayLike | AverageDistance | None,
    queries: ArrayLike | None,
    rng: np.random.Generator,
) -> tuple[AverageDistance, np.ndarray]:
    """Records and queries of a trial; None stands for :func:`mixture` and uniform ones.

    >>> distance, queries = prepared(
    ...     Setting(n=3, d=2, k=5, epsilon=1), None, None, np.random.default_rng(0))
    >>> distance.n, queries.shape
    (3, (5, 2))
    """
    lower, widths = np.array(params.box.lower), params.box.widths
    if data is None:
        data = lower + widths * mixture(params.n, params.d, rng=rng)
    if queries is None:
        queries = lower + widths * rng.uniform(size=(params.k, params.d))
        queries = np.minimum(queries, params.box.upper)
    return columns(data, params), queries


def judged(errors: np.ndarray, bound: float) -> dict[str, float]:
    """What a trial says of its errors, (k,), and of the bound that was promised.

    >>> judged(np.array([0.1, 0.3]), 0.25)
    {'error': 0.3, 'mean_error': 0.2, 'bound': 0.25, 'violations': 1}
    """
    return {
        "error": float(errors.max()),
        "mean_error": float(errors.mean()),
        "bound": bound,
        "violations": int((errors > bound).sum()),
    }


def constant(queries: ArrayLike, params: Setting) -> np.ndarray:
    """The best answers without any data: the middle of what F(y) can be.

    Each coordinate's summand lies between 0 (all records at y) and the distance to the further
    end, and both happen.

    >>> constant([0.5, 1.0], Setting(n=1, d=1, k=2, epsilon=1)).tolist()
    [0.25, 0.5]
    """
    places = params.box.units(queries)
    return np.maximum(places, 1 - places) / 2 @ params.box.widths


def constant_bound(params: Setting) -> float:
    """Proved: :func:`constant` is never further off than half the diameter, at a corner.

    A mechanism whose bound is above this is vacuous.

    >>> constant_bound(Setting(n=1, d=3, k=2, epsilon=1))
    1.5
    """
    return params.diameter / 2
