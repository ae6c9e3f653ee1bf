"""Distance queries in any metric (Figure 2, Theorems 7 and 8): embed, release, answer.

**Paper.** Huang and Roth (2014), section 4.1, Figure 2, Theorems 7 and 8; Theorem 15.

**Setting.** n private records in a metric space, a public embedding of it into a public box, drawn
without the records (modules ``johnson_lindenstrauss``, ``p_stable``, ``frechet``,
``weighted_hamming``), and a mechanism for l1.

**Idea.** Each record's row depends on that record alone, so neighbours stay neighbours, and
whatever keeps rows private keeps records private. What the embedding distorts stays
distorted: the error has two parts, and only one of them falls with n.

**Symbols.**

=================  ==============================  =====================================  =========
paper              here                            meaning                                shape
=================  ==============================  =====================================  =========
pi                 ``embedding``                   public map; drawn without the records
D'                 ``Params.rows``                 images of the records                  (n, m)
C                  ``contraction``                 largest true over embedded distance    ratio
alpha_epsilon      privacy part                    error of the l1 release                of box
1/n sum d(x, y)    ``truth``                       average distance                       (k,)
s                  ``sensitivity_of(embedding)``   rows that one record changes           count
=================  ==============================  =====================================  =========

**Departures.** (1) Theorem 7 states sums where it means averages: the factor 1/n is missing on
both sides, and in the pure half of Theorem 15. (2) Its proof takes the image's diameter for 1
because the expansion is 1, which does not follow for two records; here rows are clipped, one by
one, to a box known from the public map, and the diameter is that box's or a certificate of the
matrix. (3) Theorem 15 says O(1/log k) for a lower side: Omega is meant. (4) Figure 2 runs the l1
mechanism of Theorem 2, ``method="offline"``, which pays for every coordinate; by default one of
the releases beside it is used (modules ``average_sign``, ``anchored``, ``haar_wavelet``), whose
error depends on the width of the box, not on m. (5) Embedded answers are multiplied by a public
``scale`` and clipped to what is possible. (6) Remark 8.1 leaves
s-sensitive embeddings aside; here they are paid for (``Grouped``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.embeddings.cut_metric import CutEmbedding
from dpviz.papers.distance_queries.embeddings.frechet import paper_contraction
from dpviz.papers.distance_queries.embeddings.johnson_lindenstrauss import joint_sensitivity
from dpviz.papers.distance_queries.embeddings.l1_embedding import (
    Embedding,
    Grouped,
    Linear,
    check_embedding,
    distances,
    map_records,
    sensitivity_of,
)
from dpviz.papers.distance_queries.embeddings.metrics import Metric, Table, check_kind, codes
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance, prepare
from dpviz.papers.distance_queries.releases import anchored, average_sign, curves, haar_wavelet
from dpviz.papers.distance_queries.releases.curves import Curves
from dpviz.papers.distance_queries.releases.curves import answer as answer_l1
from dpviz.privacy.curator import Curator, Promise
from dpviz.privacy.online import Answer
from dpviz.privacy.pieces import Columns, Sums, merge

if TYPE_CHECKING:  # large, and needed by Theorems 1 and 2 alone
    from dpviz.papers.distance_queries.mechanism import l1, offline

__all__ = ["merge"]
RELEASES = {"average_sign": average_sign, "anchored": anchored, "haar": haar_wavelet}
METHODS = (*RELEASES, "offline")


@dataclass(frozen=True, kw_only=True)
class Params(Promise):
    """The metric, the drawn embedding, the budget and the release; all public.

    Attributes
    ----------
    n : int >= 1, number of records; metric : has ``distances`` and ``diameter``
    embedding : drawn independently of the records
    delta : float in [0, 1); 0 means pure
    k : int >= 1, queries that the accuracy is promised for
    method : "average_sign", "anchored" (both delta > 0) or "haar" (delta = 0), the release;
        "offline", Theorem 2's mechanism; None: one of the first three, by formula
    scale : float > 0, what an embedded answer is multiplied by (:func:`fitted_scale`)
    cells : power of two, grid of each coordinate; Theorem 2 takes its own

    >>> from dpviz.papers.distance_queries.embeddings import johnson_lindenstrauss, metrics
    >>> plane = metrics.norm([0, 0], [1, 1], unit=False)
    >>> drawn = johnson_lindenstrauss.Params(d=2, target=50, lower=0, upper=1).draw(rng=0)
    >>> Params(n=10, metric=plane, embedding=drawn, epsilon=1.0, delta=1e-6).chosen_method
    'average_sign'
    """

    n: int
    metric: Metric
    embedding: Embedding
    k: checks.Count = 1
    method: str | None = None
    scale: checks.Positive = 1.0
    cells: int = 1024

    def __post_init__(self):
        super().__post_init__()
        check_kind("metric", self.metric, "distances", "diameter")
        check_embedding(self.embedding)
        if self.method is not None:
            checks.choice("method", self.method, METHODS)
            if self.method in RELEASES and (self.method == "haar") != (self.delta == 0):
                rule = "method must be 'haar' if and only if delta is 0, or 'offline'"
                raise ValueError(f"{rule}, not {self.method!r}")
        if self.method == "offline" and sensitivity_of(self.embedding) > 1:
            raise ValueError("embedding must be 1-sensitive if method is 'offline'")
        self.inner  # noqa: B018 - made here, so that what is wrong with it is said here

    @cached_property
    def wide(self) -> NDArray:
        """Coordinates that can differ at all; bool (m,)."""
        return self.embedding.upper > self.embedding.lower

    @cached_property
    def inner(self) -> curves.Params:
        """What the release beside the l1 mechanism is told."""
        lower = self.embedding.lower[self.wide]
        upper = self.embedding.upper[self.wide]
        diameter = math.fsum(upper - lower)
        center = None
        if isinstance(self.embedding, Linear):
            diameter = min(diameter, joint_sensitivity(self.embedding))
        elif isinstance(self.embedding, CutEmbedding):
            center = tuple(self.embedding.center[self.wide])
            diameter = min(diameter, 2 * self.embedding.radius)
        return curves.Params(
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
            center=center,
        )

    @cached_property
    def chosen_method(self) -> str:
        """Name of the release: Haar if pure, else the one with the smaller worst noise."""
        if self.method or not self.delta:
            return self.method or "haar"
        return "anchored" if anchored.advantage(self.inner) > 1 else "average_sign"

    def rows(self, points: ArrayLike) -> NDArray:
        """Images of points, each clipped to the box by itself; shape (n, m)."""
        return self.clipped(self.embedding.map(points))

    def clipped(self, rows: NDArray) -> NDArray:
        """Rows clipped to the box, one by one, without the coordinates that cannot differ."""
        return np.clip(rows, self.embedding.lower, self.embedding.upper)[:, self.wide]

    def possible(self, embedded: ArrayLike, rows: NDArray) -> NDArray:
        """Embedded answers times the scale, clipped to what is possible; (k,).

        An average distance is at most the diameter, and an embedded one at most the distance of
        the query's row to the farthest corner of the box.
        """
        lower = self.embedding.lower[self.wide]
        upper = self.embedding.upper[self.wide]
        # Row by row in memory: one query is then summed in the same order as many.
        farthest = np.ascontiguousarray(np.maximum(rows - lower, upper - rows)).sum(axis=1)
        most = np.minimum(self.scale * farthest, self.metric.diameter)
        return np.clip(self.scale * np.asarray(embedded), 0.0, most)


@dataclass(frozen=True, eq=False)
class Release:
    """Curves in the coordinates of the embedding.

    Attributes
    ----------
    curves : Curves, or Theorem 2's frozen hypothesis
    """

    params: Params
    curves: Curves | offline.Release


class Interactive:
    """Figure 2 with the interactive mechanism of Theorem 1. Costs (epsilon, delta) when made.

    Remark 8.2: only for an embedding that ignores the queries. Proof of privacy: Theorem 8.
    Statements: HR Figure 2 (interactive); HR Remark 8.2.

    Parameters
    ----------
    data : n private records of the metric; or what :func:`embedded_records` made of them
    curator : a basic one that can pay (epsilon, delta)

    Raises ValueError or TypeError if the embedding was made from its queries or is not 1-sensitive,
    or an argument is of the wrong kind; nothing is spent.
    """

    def __init__(self, data: ArrayLike, params: Params, curator: Curator):
        from dpviz.papers.distance_queries.mechanism import l1

        _check(params, curator, basic=True)
        if not params.embedding.oblivious:
            raise ValueError("embedding must ignore the queries; this one was made from them")
        if sensitivity_of(params.embedding) > 1:
            raise ValueError("embedding must be 1-sensitive for the interactive mechanism")
        self.params = params
        own = embedded_records(data, params)
        self.inner = l1.Interactive(own, interactive_params(params), curator)

    def answer(self, query: ArrayLike) -> Answer:
        """Average distance from one query, as a "guess", "measured" or "frozen"."""
        row = self.params.rows([query])
        reply = self.inner.answer(row[0])
        return Answer(float(self.params.possible(reply.value, row)[0]), reply.kind)

    def answer_all(self, queries: ArrayLike) -> tuple[NDArray, NDArray]:
        """Values (k,) and kinds (k,) of many queries, in order."""
        rows = self.params.rows(queries)
        values, kinds = self.inner.answer_all(rows)
        return self.params.possible(values, rows), kinds


def release(data: ArrayLike | Sums | Known, params: Params, curator: Curator) -> Release:
    """Figure 2: release curves that answer every query. Costs ``epsilon`` and ``delta``.

    Proof (Theorem 8): a row depends on its own record and the public map alone, so replacing a
    record replaces one row; the release is private for rows in the box. Of an s-sensitive
    embedding a record replaces s rows, and every sensitivity is multiplied by s (Remark 8.1).
    Statements: HR Figure 2 (release); HR Theorem 8; HR Theorem 10 (offline); HR Theorem 15;
    HR Remark 8.1.

    Parameters
    ----------
    data : n private records of the metric; or, but for the method "offline", the merged
        :func:`statistic` of their pieces

    Raises ValueError or TypeError if an argument is of the wrong kind, or ``data`` are no points;
    nothing is spent.
    """
    _check(params, curator)
    summed = isinstance(data, Sums)
    rows = data if summed else _images(data, params)  # step 1
    if params.method == "offline":  # step 2
        from dpviz.papers.distance_queries.mechanism import offline

        return Release(params, offline.release(rows, _offline_params(params), curator))
    moved = sensitivity_of(params.embedding)
    payer = curator if moved == 1 else Grouped(curator, moved)
    mechanism = RELEASES[params.chosen_method]
    return Release(params, mechanism.release(rows, params.inner, payer))


def statistic(data: ArrayLike, params: Params) -> Sums:
    """What a release of curves needs of some of the records: each is embedded by itself. Private.

    Parameters
    ----------
    data : some of the records of the metric

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> from dpviz.papers.distance_queries.embeddings.weighted_hamming import tree
    >>> two = Params(n=3, metric=finite([[0, 1], [1, 0]]), embedding=tree([-1, 0]), epsilon=1.0)
    >>> merge(statistic([0, 1], two), statistic([1], two)).n
    3
    """
    rows = params.clipped(map_records(params.embedding, data))
    return RELEASES[params.chosen_method].statistic(rows, params.inner)


def answer(release: Release, queries: ArrayLike) -> NDArray:
    """Average distance from each query; shape (k,). Free: post-processing.

    Frechet coordinates promise accuracy for the queries they were drawn from only (Remark 15.1).
    Statements: HR Remark 15.1.
    """
    rows = release.params.rows(queries)
    if release.params.method == "offline":
        from dpviz.papers.distance_queries.mechanism import offline

        return release.params.possible(offline.answer(release.curves, rows), rows)
    points = rows[:, 0] if rows.shape[1] == 1 else rows
    return release.params.possible(answer_l1(release.curves, points), rows)


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
    ``frechet`` prove such, with their own probability). The second, of privacy: the release's
    bound for k queries, or for all that are given if these are more, times the scale; Theorem
    2's is for all queries. Clipping both sides to the same interval enlarges no difference. For an
    s-sensitive embedding the noise is s times as large: that of n / s records.

    Statements: HR Theorem 7.
    Returns embedding part, privacy part.
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

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> from dpviz.papers.distance_queries.embeddings.weighted_hamming import tree
    >>> two = Params(n=10**9, metric=finite([[0, 1], [1, 0]]), embedding=tree([-1, 0]), epsilon=1.0)
    >>> round(paper_bound(two, contraction=1.0), 3)
    0.004
    """
    from dpviz.papers.distance_queries.mechanism import l1, offline

    contraction = paper_contraction(params.k) if contraction is None else contraction
    lost = (1 - 1 / checks.number("contraction", contraction, at_least=1)) * params.metric.diameter
    if params.method == "offline":
        return lost + offline.paper_bound(_offline_params(params))
    return lost + l1.paper_bound(interactive_params(params))


@dataclass(frozen=True, eq=False)
class Known:
    """What trials compare with, made once for many of them by :func:`known`. Not private.

    Attributes
    ----------
    rows : of the records, in the box
    exact, embedded : averages of the distance and of the embedded one, as answers, each (k,)
    """

    rows: NDArray | Columns
    exact: NDArray
    embedded: NDArray


def known(data: ArrayLike, queries: ArrayLike, params: Params) -> Known:
    """The records and the exact answers, for trials of one embedding at any budget. Not private."""
    asked, rows = params.rows(queries), _images(data, params)
    embedded = curves.truth(rows, asked, params.inner).reshape(-1)
    return Known(rows, truth(data, queries, params), params.possible(embedded, asked))


def trial(
    params: Params, data: ArrayLike | Known, queries: ArrayLike, *, rng: checks.Seed
) -> dict[str, float]:
    """One release, its largest error over the queries, and the two parts of that.

    Parameters
    ----------
    data : the records, or what :func:`known` made of them and these queries

    Returns a dict with ``error``, ``embedding`` (of the exact embedded averages), ``privacy`` (of
    the release against those), ``bound`` (of the privacy part).

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> from dpviz.papers.distance_queries.embeddings.weighted_hamming import tree
    >>> two = Params(n=3, metric=finite([[0, 1], [1, 0]]), embedding=tree([-1, 0]), epsilon=1.0)
    >>> found = trial(two, [0, 1, 1], [0, 1], rng=0)
    >>> found["embedding"], found["privacy"] == found["error"]
    (0.0, True)
    """
    at = data if isinstance(data, Known) else known(data, queries, params)
    answers = answer(release(at, params, params.curator(rng=rng)), queries)
    bound = _noise_bound(params, queries)
    gaps = answers - at.exact, at.embedded - at.exact, answers - at.embedded
    parts = dict(zip(("error", "embedding", "privacy"), gaps, strict=True))
    return {**{name: float(np.abs(gap).max()) for name, gap in parts.items()}, "bound": bound}


class _Images(Columns):
    """Rows of the records, embedded when they are taken: all of them can be large."""

    def __init__(self, data: NDArray, params: Params):
        self._data, self._params = data, params
        self.shape = (len(data), int(params.wide.sum()))
        # Of a finite metric each point is embedded once.
        listed = params.metric.points if isinstance(params.metric, Table) else ()
        self._table = params.rows(listed) if 0 < len(listed) < len(data) else None

    def __getitem__(self, rows: slice | NDArray) -> NDArray:
        if self._table is not None:
            return self._table[codes("data", self._data[rows], len(self._table))]
        return self._params.rows(self._data[rows])


def _images(data: ArrayLike | Known, params: Params) -> NDArray | Columns:
    """Rows of the records, clipped to the box one by one."""
    if isinstance(data, Known):
        return data.rows
    if isinstance(data, np.ndarray) and data.ndim and not hasattr(params.embedding, "map_records"):
        return _Images(data, params)
    return params.clipped(map_records(params.embedding, data))


def fitted_scale(
    embedding: Embedding, metric: Metric, points: ArrayLike, queries: ArrayLike
) -> float:
    """The factor that brings the ratios of embedded to true distances nearest to 1, publicly.

    Least squares over the pairs of public points and queries: no record is used. It puts
    the near pairs and the far ones on one footing, as Definition 5 does.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> from dpviz.papers.distance_queries.embeddings.weighted_hamming import tree
    >>> fitted_scale(tree([-1, 0], [0, 4]), finite([[0, 1], [1, 0]]), [0, 1], [0, 1])
    0.25
    """
    embedded = distances(embedding, points, queries)
    true = metric.distances(points, queries)
    ratios = embedded[true > 0] / true[true > 0]
    if not ratios.any():
        raise ValueError("points must have embedded distances above 0 to some query")
    return float(ratios.sum() / (ratios**2).sum())


def embedded_records(data: ArrayLike | AverageDistance, params: Params) -> AverageDistance:
    """The records embedded and sorted once, for many runs of :class:`Interactive`.

    It holds the private records. What was made before passes through.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> from dpviz.papers.distance_queries.embeddings.weighted_hamming import tree
    >>> two = Params(n=3, metric=finite([[0, 1], [1, 0]]), embedding=tree([-1, 0]), epsilon=1.0)
    >>> embedded_records([0, 1, 1], two).d
    1
    """
    own = data if isinstance(data, AverageDistance) else params.rows(data)
    return prepare(own, interactive_params(params))


def interactive_params(params: Params) -> l1.Params:
    """What the mechanism of Theorem 1 is told.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> from dpviz.papers.distance_queries.embeddings.weighted_hamming import tree
    >>> two = Params(n=3, metric=finite([[0, 1], [1, 0]]), embedding=tree([-1, 0]), epsilon=1.0)
    >>> interactive_params(two).total_width
    1.0
    """
    from dpviz.papers.distance_queries.mechanism import l1

    return l1.Params(k=params.k, **_public(params))


def _offline_params(params: Params) -> offline.Params:
    """What the mechanism of Theorem 2 is told."""
    from dpviz.papers.distance_queries.mechanism import offline

    return offline.Params(k=params.k, **_public(params))


def _public(params: Params) -> dict:
    """What Theorems 1 and 2 take from the box of the embedding."""
    names = ("n", "d", "epsilon", "delta", "lower", "upper", "beta")
    return {name: getattr(params.inner, name) for name in names}


def _noise_bound(params: Params, queries: ArrayLike) -> float:
    """The privacy part of the bound, for k queries or those given, whichever are more."""
    if params.method == "offline":
        from dpviz.papers.distance_queries.mechanism import offline

        return params.scale * offline.error_bound(_offline_params(params))
    k = max(params.k, len(queries))
    inner = params.inner
    if (moved := sensitivity_of(params.embedding)) > 1:
        inner = replace(inner, n=max(1, params.n // moved))
    return params.scale * RELEASES[params.chosen_method].error_bound(inner, k=k)


def _check(params: Params, curator: Curator, *, basic: bool = False) -> None:
    """Raise a ``TypeError`` or ``ValueError`` that names what is of the wrong kind."""
    if not isinstance(params, Params):
        raise TypeError(f"params must be any_metric.Params, not {params!r}")
    params.payable_by(curator, basic=basic or params.method == "offline")
