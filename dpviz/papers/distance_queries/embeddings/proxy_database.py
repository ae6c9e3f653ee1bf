"""The proxy database of Figure 2: rows of an embedding in a public box.

**Paper.** Huang and Roth (2014), section 4.1, Figure 2, step 1, and Theorem 8.

**Setting.** n private records in a metric space and a public embedding of it (modules
``johnson_lindenstrauss``, ``p_stable``, ``frechet``, ``exact_embeddings``), drawn without the
records.

**Idea.** Each row depends on one record and on public things, so neighbours stay neighbours.
The box is computed from the public map; a row outside would be clipped by itself.

**Symbols.**

=======  ==================  ===============================================  ============
paper    here                meaning                                          shape, unit
=======  ==================  ===============================================  ============
pi       ``embedding``       public map
D'       ``Params.rows``     images of the records                            (n, m)
diam 1   ``Params.inner``    public box of the rows, and their l1 diameter
=======  ==================  ===============================================  ============

**Departures.** The paper takes the image's diameter for 1 because the expansion is 1, which
does not follow for two records. Here it is the box's width, or a certificate of the matrix.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.distance_queries.embeddings.johnson_lindenstrauss import joint_sensitivity
from dpviz.papers.distance_queries.embeddings.l1_embedding import Embedding, Linear, distances
from dpviz.papers.distance_queries.embeddings.metrics import Metric
from dpviz.papers.distance_queries.releases import (
    anchored,
    average_sign,
    haar_wavelet,
    release_params,
)

RELEASES = {"signs": average_sign, "anchored": anchored, "haar": haar_wavelet}


@dataclass(frozen=True, kw_only=True)
class Params:
    """The metric, the drawn embedding, the price and the release; all public.

    Attributes
    ----------
    n : int >= 1, number of records
    metric : has ``distances`` and ``diameter``
    embedding : drawn without looking at the records
    epsilon : float > 0
    delta : float in [0, 1); 0 means pure
    k : int >= 1, queries that the accuracy is promised for
    beta : float in (0, 1), failure probability of the release's bound
    how : "signs", "anchored" (both delta > 0) or "haar" (delta = 0); None: by formula
    scale : float > 0, what an embedded answer is multiplied by (:func:`fitted_scale`)
    cells : power of two, grid of each coordinate

    >>> from dpviz.papers.distance_queries.embeddings.metrics import norm
    >>> from dpviz.papers.distance_queries.embeddings.johnson_lindenstrauss import Params as Shadows
    >>> plane = norm([0, 0], [1, 1], unit=False)
    >>> shadows = Shadows(d=2, target=50).draw(rng=0)
    >>> Params(n=10, metric=plane, embedding=shadows, epsilon=1.0, delta=1e-6).method
    'signs'
    """

    n: int
    metric: Metric
    embedding: Embedding
    epsilon: float
    delta: float = 0.0
    k: int = 1
    beta: float = 0.05
    how: str | None = None
    scale: float = 1.0
    cells: int = 1024

    def __post_init__(self):
        checks.integer("k", self.k, at_least=1)
        checks.number("scale", self.scale, above=0)
        if self.how is not None:
            checks.choice("how", self.how, RELEASES)
            if (self.how == "haar") != (self.delta == 0):
                raise ValueError(f"how must be 'haar' if and only if delta is 0, not {self.how!r}")
        self.inner  # noqa: B018 - made here, so that what is wrong with it is said here

    @cached_property
    def wide(self) -> np.ndarray:
        """Coordinates that can differ at all; bool (m,)."""
        return self.embedding.high > self.embedding.low

    @cached_property
    def inner(self) -> release_params.Params:
        """What the release beside the l1 mechanism is told."""
        low, high = self.embedding.low[self.wide], self.embedding.high[self.wide]
        reach = math.fsum(high - low)
        if isinstance(self.embedding, Linear):
            reach = min(reach, joint_sensitivity(self.embedding))
        return release_params.Params(
            n=self.n,
            d=len(low),
            epsilon=self.epsilon,
            delta=self.delta,
            lower=tuple(low),
            upper=tuple(high),
            cells=self.cells,
            beta=self.beta,
            convex=False,
            diameter=reach,
        )

    @cached_property
    def method(self) -> str:
        """Name of the release: Haar if pure, else the one with the smaller worst noise."""
        if self.how or not self.delta:
            return self.how or "haar"
        return "anchored" if anchored.advantage(self.inner) > 1 else "signs"

    def rows(self, points: Any) -> np.ndarray:
        """Images of the points, each clipped to the box by itself; shape (n, m)."""
        low, high = self.embedding.low, self.embedding.high
        return np.clip(self.embedding.map(points), low, high)[:, self.wide]


def fitted_scale(embedding: Embedding, metric: Metric, points: Any, queries: Any) -> float:
    """The factor that brings the ratios of embedded to true distances nearest to 1, publicly.

    Least squares over the pairs of public points and queries: no record is looked at. It puts
    the near pairs and the far ones on one footing, as Definition 5 does.

    >>> from dpviz.papers.distance_queries.embeddings.exact_embeddings import tree
    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> fitted_scale(tree([-1, 0], [0, 4]), finite([[0, 1], [1, 0]]), [0, 1], [0, 1])
    0.25
    """
    embedded, true = distances(embedding, points, queries), metric.distances(points, queries)
    ratios = embedded[true > 0] / true[true > 0]
    if not ratios.any():
        raise ValueError("points must have embedded distances above 0 to some query")
    return float(ratios.sum() / (ratios**2).sum())
