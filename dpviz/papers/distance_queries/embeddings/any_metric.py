"""Distance queries in any metric (Figure 2, Theorems 7 and 8): embed, release, answer.

**Paper.** Huang and Roth (2014), section 4.1, Figure 2, Theorems 7 and 8; Theorems 10 and 15.

**Setting.** n private records in a metric space, a public embedding of it into a public box
(modules ``johnson_lindenstrauss``, ``p_stable``, ``frechet``, ``exact_embeddings``), and a
mechanism for l1.

**Idea.** Each record's row depends on that record alone, so neighbours stay neighbours, and
whatever keeps rows private keeps records private. What the embedding distorts stays
distorted: the error has two parts, and only one of them falls with n.

**Symbols.**

=================  ================  =============================================  ============
paper              here              meaning                                        shape, unit
=================  ================  =============================================  ============
pi                 ``embedding``     public map; drawn without the records
D'                 rows              images of the records                          (n, m)
C                  ``contraction``   largest true over embedded distance            ratio
alpha_epsilon      privacy part      error of the l1 release                        of the box
1/n sum d(x, y)    ``truth``         average distance                               (k,)
=================  ================  =============================================  ============

**Departures.** (1) Theorem 7 states sums where it means averages: the factor 1/n is missing on
both sides, and in the pure half of Theorem 15. (2) Its proof takes the image's diameter for 1;
here rows are clipped, one by one, to a box known from the public map. (3) Theorem 15 says
O(1/log k) for a lower side: Omega is meant. (4) The l1 mechanism of section 3 pays for every
coordinate; by default one of the releases beside it is used (modules ``average_sign``,
``anchored``, ``haar_wavelet``), whose error depends on the width of the box, not on m. (5) Embedded
answers are multiplied by a public ``scale`` (module ``proxy_database``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.embeddings.bourgain import paper_contraction
from dpviz.papers.distance_queries.embeddings.l1_embedding import distances
from dpviz.papers.distance_queries.embeddings.proxy_database import RELEASES, Params
from dpviz.papers.distance_queries.releases import cell_counts
from dpviz.papers.distance_queries.releases.curves import Curves
from dpviz.papers.distance_queries.releases.curves import answer as answer_l1
from dpviz.privacy.curator import Curator
from dpviz.privacy.online import Answer

if TYPE_CHECKING:
    from dpviz.papers.distance_queries.mechanism import (
        l1,  # large, and needed by the interactive reading alone
    )


@dataclass(frozen=True, eq=False)
class Release:
    """Curves in the coordinates of the embedding.

    Attributes
    ----------
    params : Params
    curves : Curves
    """

    params: Params
    curves: Curves


class Interactive:
    """Figure 2 with the interactive mechanism of Theorem 1. Costs (epsilon, delta) when made.

    Remark 8.2: only for an embedding that ignores the queries. Proof of privacy: Theorem 8.

    Parameters
    ----------
    data : n private records of the metric
    params : Params
    curator : a basic one that can pay (epsilon, delta)

    Raises
    ------
    ValueError
        If the embedding was made from its queries; nothing is spent.
    """

    def __init__(self, data: ArrayLike, params: Params, curator: Curator):
        from dpviz.papers.distance_queries.mechanism import l1

        if not params.embedding.oblivious:
            raise ValueError("embedding must ignore the queries; this one was made from them")
        self.params = params
        self.inner = l1.Interactive(params.rows(data), interactive_params(params), curator)

    def answer(self, query: ArrayLike) -> Answer:
        """Average distance from one query, as a "guess", "measured" or "frozen"."""
        found = self.inner.answer(self.params.rows([query])[0])
        return Answer(self.params.scale * found.value, found.kind)

    def answer_all(self, queries: ArrayLike) -> tuple[NDArray, NDArray]:
        """Values (k,) and kinds (k,) of many queries, in order."""
        values, kinds = self.inner.answer_all(self.params.rows(queries))
        return self.params.scale * values, kinds


def release(
    data: ArrayLike, params: Params, curator: Curator, *, queries: ArrayLike | None = None
) -> Release:
    """Figure 2: release curves that answer every query. Costs ``epsilon`` and ``delta``.

    Proof (Theorem 8): a row depends on its own record and the public map alone, so replacing a
    record replaces one row; the release is private for rows in the box.

    Parameters
    ----------
    data : n private records of the metric
    queries : not needed, because every query is answered
    """
    rows = params.rows(data)  # step 1
    mechanism = RELEASES[params.chosen_method]
    return Release(params, mechanism.release(rows, params.inner, curator))  # step 2


def answer(release: Release, queries: ArrayLike) -> NDArray:
    """Average distance from each query; shape (k,). Free: post-processing.

    Frechet coordinates promise accuracy for the queries they were drawn from only (Remark 15.1).
    """
    rows = release.params.rows(queries)
    points = rows[:, 0] if rows.shape[1] == 1 else rows
    return release.params.scale * answer_l1(release.curves, points)


def truth(data: ArrayLike, queries: ArrayLike, params: Params) -> NDArray:
    """Exact average distances, shape (k,). For comparison only: not private."""
    return params.metric.distances(data, queries).mean(axis=0)


def error_bound(
    params: Params, *, queries: ArrayLike, ratios: tuple[float, float] | None = None
) -> tuple[float, float]:
    """Proved: with probability 1 - beta an answer is off by at most the sum of the two parts.

    The first part, of the embedding: an average of |scale e(x, y) - d(x, y)| is at most its
    maximum. Over the listed points of a finite metric it is computed; else it is at most
    max(1 - a, b - 1) times the diameter if a <= scale e / d <= b for all pairs,
    which ``ratios`` = (a, b) states (modules ``johnson_lindenstrauss``, ``p_stable``,
    ``bourgain`` prove such, with their own probability). The second, of privacy: the release's
    bound for k queries, or for all that are given if these are more, times the scale.

    Returns
    -------
    embedding part, privacy part
    """
    inner = _noise_bound(params, queries)
    points = getattr(params.metric, "points", None)
    if ratios is not None:
        smallest, largest = ratios
        return max(1 - smallest, largest - 1, 0.0) * params.metric.diameter, inner
    if points is None:
        raise ValueError("ratios must be given: the points of this metric cannot be listed")
    embedded = distances(params.embedding, points, queries)
    gap = params.scale * embedded - params.metric.distances(points, queries)
    return float(np.abs(gap).max()), inner


def paper_bound(params: Params, *, contraction: float | None = None) -> float:
    """Theorem 7 with the constant 3000 of Lemma 3: error at most (1 - 1/C) + alpha.

    Times the diameter. C: the contraction; if not given, Theorem 11's 64 log2 k.

    >>> from dpviz.papers.distance_queries.embeddings.exact_embeddings import tree
    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> two = Params(n=10**9, metric=finite([[0, 1], [1, 0]]), embedding=tree([-1, 0]), epsilon=1.0)
    >>> round(paper_bound(two, contraction=1.0), 3)
    0.004
    """
    from dpviz.papers.distance_queries.mechanism import l1

    contraction = paper_contraction(params.k) if contraction is None else contraction
    lost = (1 - 1 / checks.number("contraction", contraction, at_least=1)) * params.metric.diameter
    return lost + l1.paper_bound(interactive_params(params))


def paper_rate(params: Params) -> float:
    """Theorem 15 beside its factor O(log k): O~((n epsilon)^(-4/5)); pure: -2/3. Constant 1.

    >>> from dpviz.papers.distance_queries.embeddings.exact_embeddings import tree
    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> two = Params(n=1000, metric=finite([[0, 1], [1, 0]]), embedding=tree([-1, 0]), epsilon=1.0)
    >>> round(paper_rate(two), 6)
    0.01
    """
    return (params.n * params.epsilon) ** (-4 / 5 if params.delta else -2 / 3)


def trial(
    params: Params, data: ArrayLike, queries: ArrayLike, *, rng: checks.Seed
) -> dict[str, float]:
    """One release, its largest error over the queries, and the two parts of that.

    Returns
    -------
    dict with ``error``, ``embedding`` (of the exact embedded averages), ``privacy`` (of the
    release against those), ``bound`` (of the privacy part)

    >>> from dpviz.papers.distance_queries.embeddings.exact_embeddings import tree
    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> two = Params(n=3, metric=finite([[0, 1], [1, 0]]), embedding=tree([-1, 0]), epsilon=1.0)
    >>> found = trial(two, [0, 1, 1], [0, 1], rng=0)
    >>> found["embedding"], found["privacy"] == found["error"]
    (0.0, True)
    """
    curator = params.curator(rng=rng)
    answers = answer(release(data, params, curator), queries)
    rows = params.rows(queries)
    middle = params.scale * cell_counts.truth(params.rows(data), rows, params.inner).reshape(-1)
    exact = truth(data, queries, params)
    bound = _noise_bound(params, queries)
    parts = {"error": answers - exact, "embedding": middle - exact, "privacy": answers - middle}
    return {**{name: float(np.abs(gap).max()) for name, gap in parts.items()}, "bound": bound}


def interactive_params(params: Params) -> l1.Params:
    """What the mechanism of Theorem 1 is told.

    >>> from dpviz.papers.distance_queries.embeddings.exact_embeddings import tree
    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> two = Params(n=3, metric=finite([[0, 1], [1, 0]]), embedding=tree([-1, 0]), epsilon=1.0)
    >>> interactive_params(two).diameter
    1.0
    """
    from dpviz.papers.distance_queries.mechanism import l1

    inner = params.inner
    names = ("n", "d", "epsilon", "delta", "lower", "upper", "beta")
    return l1.Params(k=params.k, **{name: getattr(inner, name) for name in names})


def _noise_bound(params: Params, queries: ArrayLike) -> float:
    """The privacy part of the bound, for k queries or those given, whichever are more."""
    k = max(params.k, len(queries))
    return params.scale * RELEASES[params.chosen_method].error_bound(params.inner, k=k)
