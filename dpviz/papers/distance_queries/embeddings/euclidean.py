"""Euclidean distance queries, interactively (Theorem 10): Theorem 1 behind random projections.

**Paper.** Huang and Roth (2014), section 4.2, Theorem 10; section 4.1, Remark 7.1.

**Setting.** n private records in a public box of R^d; up to k queries of the same box, each may
depend on the answers before and on the drawn map.

**Idea.** Project to l' random lines, which is nearly an isometry into l1, and answer there by the
interactive l1 mechanism. More lines distort less, but the mechanism pays for each of them; the
best l' makes the sum of both errors least.

**Symbols.**

===========  ====================  ==================================================  =========
paper        here                  meaning                                             unit
===========  ====================  ==================================================  =========
l            d                     coordinates of a record                             count
l'           ``target``            random projections                                  count
alpha        ``error_bound``       every answer is this near, with probability         of the
                                   1 - beta                                            box
(none)       ``distortion_bound``  what projecting costs, at most                      of the
                                                                                       box
(none)       ``privacy_bound``     what answering privately costs, at most             of the
                                                                                       box
===========  ====================  ==================================================  =========

**Departures.** (1) The paper charges l' coordinates of width 1 and finds alpha = O~((n
epsilon)^(-4/23)), pure -2/17. But a coordinate of the map is about 1/l' wide, whatever l' is
the box has the total width of the original one, and the mechanism's error is proportional to that.
So the privacy part is O~(l'^(2/5) (n epsilon)^(-4/5)), pure O~(l'^(2/3) (n epsilon)^(-2/3)), and
the balance with l'^(-1/2) lies at alpha = O~((n epsilon)^(-4/9)), pure -2/7. The paper's exponents
are right as upper bounds; the mechanism does better. (2) Lemma 9's error is two-sided here, and
holds for all points of space at once, because adaptive queries may depend on the drawn map. (3)
Nothing needs to be embedded at all: module ``negative_type`` has an error of order 1 / (n epsilon).
This one is for delta = 0, and for more queries than a matrix can have rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.embeddings import any_metric, johnson_lindenstrauss
from dpviz.papers.distance_queries.embeddings.metrics import norm
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance, mixture
from dpviz.papers.distance_queries.learner.average_distance import truth as embedded_truth
from dpviz.privacy.box import Box
from dpviz.privacy.curator import Promise

DISTINCT = 500  # points of synthetic data: memory for these, not for a million records
PUBLIC = ("n", "k", "epsilon", "delta")
LARGEST = 2**20  # projections that are tried


@dataclass(frozen=True, kw_only=True)
class Params(Promise):
    """The box, the budget and the number of projections; all public.

    Attributes
    ----------
    n, d, k : int >= 1, records, coordinates, queries
    lower, upper : float or d floats, the public box of records and queries
    beta : a third each for the map's distortion, its width and the mechanism
    target : int >= 1, l'; None: the best by :func:`error_bound` (Remark 7.1)

    >>> Params(n=10**5, d=2, k=1000, epsilon=1.0, delta=1e-6, lower=0, upper=1).dimension
    458
    """

    n: checks.Count
    d: checks.Count
    k: checks.Count
    lower: float | tuple[float, ...]
    upper: float | tuple[float, ...]
    target: int | None = None

    def __post_init__(self):
        super().__post_init__()
        if self.target is not None:
            checks.integer("target", self.target, at_least=1, at_most=LARGEST)
        self.box  # noqa: B018 - made here, so that a bad one is refused here

    @cached_property
    def box(self) -> Box:
        """The public box."""
        return Box.of(self.d, lower=self.lower, upper=self.upper)

    @property
    def diameter(self) -> float:
        """Distance of opposite corners of the box."""
        return float(np.linalg.norm(self.box.widths))

    @cached_property
    def dimension(self) -> int:
        """Number of projections that is used."""
        return self.target or best_dimension(self)

    def draw(self, *, rng: checks.Seed) -> any_metric.Params:
        """Draw the map, and say what Figure 2 is told; before any record is looked at.

        >>> drawn = Params(n=9, d=3, k=1, epsilon=1.0, target=8, lower=0, upper=1).draw(rng=0)
        >>> drawn.embedding.matrix.shape
        (8, 3)
        """
        box = {"lower": self.box.lower, "upper": self.box.upper}
        size = johnson_lindenstrauss.Params(d=self.d, target=self.dimension, **box)
        return any_metric.Params(
            n=self.n,
            metric=norm(*box.values(), unit=False),
            embedding=size.draw(rng=rng),
            epsilon=self.epsilon,
            delta=self.delta,
            k=self.k,
            beta=self.beta / 3,
        )


def truth(data: ArrayLike, queries: ArrayLike, params: Params) -> NDArray:
    """Exact average distances, shape (k,). For comparison only: not private."""
    box = params.box
    return norm(box.lower, box.upper, unit=False).distances(data, queries).mean(axis=0)


def error_bound(params: Params) -> float:
    """Proved: with probability 1 - beta each of k adaptive answers is off by at most this.

    The sum of :func:`distortion_bound` and :func:`privacy_bound`, which hold with probability
    1 - beta/3 and 1 - 2 beta/3; clipping answers to what is possible enlarges no error.
    Statements: HR Theorem 10 (interactive).

    >>> round(
    ...     error_bound(Params(n=10**6, d=2, k=1000, epsilon=1.0, delta=1e-6, lower=0, upper=1)), 2
    ... )
    0.41
    """
    return distortion_bound(params) + privacy_bound(params)


def paper_bound(params: Params) -> float:
    """Theorem 10 with the constants that the paper states, and ours where it has only an O().

    The proved distortion, plus Lemma 3 with its 3000 for l' coordinates of width 1, at the best
    l'. For diameter 1.

    >>> round(paper_bound(Params(n=10**6, d=2, k=1000, epsilon=1.0, delta=1e-6, lower=0, upper=1)))
    11
    """
    from dpviz.papers.distance_queries.mechanism import l1

    public = {name: getattr(params, name) for name in PUBLIC}

    def parts(target: int) -> tuple[float, float]:
        charged = l1.paper_bound(l1.Params(d=target, beta=params.beta, lower=0, upper=1, **public))
        return _relative(params.d, target, params.beta / 3), charged

    return _least(parts)[0]


def paper_rate(params: Params) -> float:
    """Theorem 10 with constant 1: d^(9/23) (n epsilon)^(-4/23); pure: d^(7/17) (n epsilon)^(-2/17).

    >>> round(paper_rate(Params(n=10**6, d=2, k=1000, epsilon=1.0, lower=0, upper=1)), 3)
    0.262
    """
    pure = not params.delta
    return johnson_lindenstrauss.paper_best_dimension(
        params.n, params.d, epsilon=params.epsilon, pure=pure
    )[1]


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """Draw the map, answer all queries in order; with a fresh budget.

    Parameters
    ----------
    data : array (n, d), private; with fewer rows, each stands for equally many equal records. None:
        a synthetic mixture, of 500 points that occur equally often if 500 divides n
    queries : array (k, d); None: uniform in the box

    Returns a dict with ``error`` (largest), ``embedding`` (of the exact embedded averages),
    ``privacy`` (of the answers against those), ``bound``, ``constant`` (largest error of the best
    answers without data on these queries), ``target``, ``updates``.

    >>> found = trial(Params(n=500, d=2, k=20, epsilon=1.0, target=4, lower=0, upper=1), rng=0)
    >>> found["error"] <= found["bound"]
    True
    """
    rng = checks.generator(rng)
    box = params.box
    if data is None:
        size = DISTINCT if params.n % DISTINCT == 0 else params.n
        data = np.array(box.lower) + box.widths * mixture(size, params.d, rng=rng)
    if queries is None:
        queries = np.clip(rng.uniform(box.lower, box.upper, (params.k, params.d)), *_corners(box))
    embedding = params.draw(rng=rng)
    inner = any_metric.interactive_params(embedding)
    few = replace(embedding, n=len(data))
    own = Repeated(any_metric.embedded_records(data, few), params.n)
    machine = any_metric.Interactive(own, embedding, embedding.curator(rng=rng))
    answers, _ = machine.answer_all(queries)
    rows = embedding.rows(queries)
    middle = embedding.possible(embedded_truth(own, rows, inner), rows)
    exact = truth(data, queries, params)
    gaps = {"error": answers - exact, "embedding": middle - exact, "privacy": answers - middle}
    gaps["constant"] = _constant(queries, params) - exact
    errors = {name: float(np.abs(gap).max()) for name, gap in gaps.items()}
    errors |= {"bound": error_bound(params), "target": params.dimension}
    return {**errors, "updates": machine.inner.updates_used}


class Repeated(AverageDistance):
    """Average distance to n records that are few points, each occurring equally often.

    Not private. Averages over the records are those over the points; only n is larger, and with it
    all that a replaced record moves is smaller.

    >>> many = Repeated(AverageDistance([0.25, 0.75]), 10**6)
    >>> many.n, many.value_at(0, 0.0)
    (1000000, 0.5)
    """

    def __init__(self, points: AverageDistance, n: int):
        if n % points.n:
            raise ValueError(f"n must be a multiple of the number of rows, not {n!r}")
        self._points = points
        self.n = n
        self.d = points.d
        self.origin = points.origin

    def values(self, y: ArrayLike) -> NDArray:
        """As those of the points."""
        return self._points.values(y)

    def value_at(self, i: int, t: float) -> float:
        """As that of the points."""
        return self._points.value_at(i, t)

    def tangent_at(self, i: int, t: float) -> tuple[float, float]:
        """As that of the points."""
        return self._points.tangent_at(i, t)


def best_dimension(params: Params) -> int:
    """Remark 7.1: the number of projections that makes the proved error least.

    Of numbers a sixth apart: within a few per cent of the best.
    Statements: HR Remark 7.1.

    >>> best_dimension(Params(n=10**4, d=2, k=1000, epsilon=1.0, delta=1e-6, lower=0, upper=1))
    64
    """

    def parts(target: int) -> tuple[float, float]:
        distorted = params.diameter * _relative(params.d, target, params.beta / 3)
        return distorted, _privacy(params, target)

    return _least(parts)[1]


def _constant(queries: ArrayLike, params: Params) -> NDArray:
    """The best answers without any data: half of the distance to the farthest corner; (k,).

    Of an interval in which a number can lie anywhere, the middle has the smallest worst error.
    """
    points, (lower, upper) = params.box.admitted(queries), _corners(params.box)
    return np.linalg.norm(np.maximum(points - lower, upper - points), axis=1) / 2


def distortion_bound(params: Params) -> float:
    """With probability 1 - beta/3 no average distance is off by more once it is embedded.

    The relative error of ``johnson_lindenstrauss`` for all of space, times the diameter.

    >>> round(
    ...     distortion_bound(Params(n=1, d=2, k=1, epsilon=1.0, target=10**4, lower=0, upper=1)), 2
    ... )
    0.11
    """
    return params.diameter * _relative(params.d, params.dimension, params.beta / 3)


def privacy_bound(params: Params) -> float:
    """With probability 1 - 2 beta/3 no embedded average is answered worse.

    Theorem 1's bound: the total width of the box of the rows times the error of one rescaled
    coordinate. That width is sqrt(pi/2)/l' times the sum of w_j |G_ij|: its mean is the sum of
    the widths w_j, whatever l' is, and it is ||w|| sqrt(pi / (2 l'))-Lipschitz in G, so it exceeds
    its mean by ||w|| sqrt(pi ln(3/beta) / l') with probability at most beta/3.

    >>> round(
    ...     privacy_bound(
    ...         Params(n=10**6, d=2, k=9, epsilon=1.0, delta=1e-6, target=100, lower=0, upper=1)
    ...     ),
    ...     3,
    ... )
    0.049
    """
    return _privacy(params, params.dimension)


def _corners(box: Box) -> tuple[NDArray, NDArray]:
    """The two ends of a box as arrays (d,)."""
    return np.array(box.lower), np.array(box.upper)


def _relative(d: int, target: int, beta: float) -> float:
    """Relative error of all distances in space, with probability 1 - beta."""
    size = johnson_lindenstrauss.Params(d=d, target=target, beta=beta, lower=0, upper=1)
    return johnson_lindenstrauss.error_bound(size)


def _privacy(params: Params, target: int) -> float:
    """:func:`privacy_bound` for so many projections."""
    from dpviz.papers.distance_queries.mechanism import l1

    public = {name: getattr(params, name) for name in PUBLIC}
    inner = l1.Params(d=target, beta=params.beta / 3, lower=0, upper=1, **public)
    vars(inner).pop("box")  # plans are kept with their params, and these have a million sides
    spread = math.sqrt(math.pi * math.log(3 / params.beta) / target)
    return (params.box.total + params.diameter * spread) * inner.plan.error


def _least(parts: Callable[[int], tuple[float, float]]) -> tuple[float, int]:
    """The least sum of a part that falls with l' and one that grows, and that l'.

    Each number that is tried is about a sixth larger than the one before; when the growing part
    alone is above the least sum, no larger number can do better.
    """
    best = (math.inf, 1)
    target = 1
    while target <= LARGEST:
        falling, growing = parts(target)
        if growing > best[0]:
            break
        best = min(best, (falling + growing, target))
        target = max(target + 1, round(1.15 * target))
    return best
