"""The proxy database of Figure 2: images of the records under an embedding, in a public box.

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

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
from dpviz.privacy.budgeted import Budgeted

RELEASES = {"average_sign": average_sign, "anchored": anchored, "haar": haar_wavelet}


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """The metric, the drawn embedding, the budget and the release; all public.

    Attributes
    ----------
    n : int >= 1, number of records
    metric : has ``distances`` and ``diameter``
    embedding : drawn independently of the records
    epsilon : float > 0
    delta : float in [0, 1); 0 means pure
    k : int >= 1, queries that the accuracy is promised for
    beta : float in (0, 1), failure probability of the release's bound
    method : "average_sign", "anchored" (both delta > 0) or "haar" (delta = 0), the release;
        None: by formula
    scale : float > 0, what an embedded answer is multiplied by (:func:`fitted_scale`)
    cells : power of two, grid of each coordinate

    >>> from dpviz.papers.distance_queries.embeddings import johnson_lindenstrauss, metrics
    >>> plane = metrics.norm([0, 0], [1, 1], unit=False)
    >>> drawn = johnson_lindenstrauss.Params(d=2, target=50).draw(rng=0)
    >>> Params(n=10, metric=plane, embedding=drawn, epsilon=1.0, delta=1e-6).chosen_method
    'average_sign'
    """

    n: int
    metric: Metric
    embedding: Embedding
    epsilon: float
    delta: float = 0.0
    k: int = 1
    beta: float = 0.05
    method: str | None = None
    scale: float = 1.0
    cells: int = 1024

    def __post_init__(self):
        checks.integer("k", self.k, at_least=1)
        checks.number("scale", self.scale, above=0)
        if self.method is not None:
            checks.choice("method", self.method, RELEASES)
            if (self.method == "haar") != (self.delta == 0):
                rule = "method must be 'haar' if and only if delta is 0"
                raise ValueError(f"{rule}, not {self.method!r}")
        self.inner  # noqa: B018 - made here, so that what is wrong with it is said here

    @cached_property
    def wide(self) -> NDArray:
        """Coordinates that can differ at all; bool (m,)."""
        return self.embedding.upper > self.embedding.lower

    @cached_property
    def inner(self) -> release_params.Params:
        """What the release beside the l1 mechanism is told."""
        lower, upper = self.embedding.lower[self.wide], self.embedding.upper[self.wide]
        diameter = math.fsum(upper - lower)
        if isinstance(self.embedding, Linear):
            diameter = min(diameter, joint_sensitivity(self.embedding))
        return release_params.Params(
            n=self.n,
            d=len(lower),
            epsilon=self.epsilon,
            delta=self.delta,
            lower=tuple(lower),
            upper=tuple(upper),
            cells=self.cells,
            beta=self.beta,
            convex=False,
            diameter=diameter,
        )

    @cached_property
    def chosen_method(self) -> str:
        """Name of the release: Haar if pure, else the one with the smaller worst noise."""
        if self.method or not self.delta:
            return self.method or "haar"
        return "anchored" if anchored.advantage(self.inner) > 1 else "average_sign"

    def rows(self, points: ArrayLike) -> NDArray:
        """Images of the points, each clipped to the box by itself; shape (n, m)."""
        lower, upper = self.embedding.lower, self.embedding.upper
        return np.clip(self.embedding.map(points), lower, upper)[:, self.wide]


def fitted_scale(
    embedding: Embedding, metric: Metric, points: ArrayLike, queries: ArrayLike
) -> float:
    """The factor that brings the ratios of embedded to true distances nearest to 1, publicly.

    Least squares over the pairs of public points and queries: no record is used. It puts
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
