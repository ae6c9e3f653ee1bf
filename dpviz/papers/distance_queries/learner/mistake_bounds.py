"""Mistake bounds of the cutting-plane learner (Lemma 4), also with a noisy oracle (Lemma 5).

**Paper.** Huang and Roth (2014), section 3.2, Lemmas 4 and 5, which prove the upper bounds only;
the two constructions that attain them, or nearly, are ours.

**Setting.** The learner of Figure 1 (module ``convex_learner``) on the average distance of a column
of n records; the points are asked in some order, the oracle may be noisy: its replies
are off by a little.

**Idea.** Draw a rectangle between neighbouring mistakes: step in place by step in slope. A mistake
was made, so each area exceeds alpha; the steps in place add up to at most 1, those in slope
to at most 2. So few rectangles fit.

**Symbols.**

==============  =====================  =====================================  =========
paper           here                   meaning                                unit
==============  =====================  =====================================  =========
alpha_1         ``alpha``              a guess may be off by this much        unit of G
T               ``mistakes``           number of mistakes                     count
alpha_1 / 4     ``value_error``,       largest error of the oracle in a       unit of G,
                ``slope_error``        value, and in a slope                  1
(none)          ``width``              length of the interval (paper: 1)      that of y
==============  =====================  =====================================  =========

**Departures.** (1) The proof of Lemma 4 has places in [-1, 1]; they are in [0, 1], as its last
line has it. Its sharp form is T <= ceil(sqrt(2/alpha)), which :func:`worst_data` attain; no
deterministic learner beats 1/2 in the place of sqrt(2) (:func:`lower_bound`). (2) Lemma 5 gives
no constant; here one is proved. (3) The condition stated before Lemma 5 lacks a pair of brackets:
the error is G(x) - (G(x') + G'(x') (x - x')).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import (
    FirstOrder,
    Function,
    Run,
    Tangents,
    learn,
)
from dpviz.privacy.private_data import OUTSIDE, unit_points

RECORDS = 1000  # of a trial that is given none
ORDERS = ("random", "left to right", "right to left")
SIGNS = ("random", "negative", "positive")


@dataclass(frozen=True, kw_only=True)
class Params:
    """What is asked, in which order, and how noisy the oracle is; all public.

    Attributes
    ----------
    alpha : float in (0, 1), tolerated error of a guess; k : int >= 1, number of points asked
    order : "random" (uniform), "left to right" or "right to left" (evenly spaced)
    value_error, slope_error : float in [0, 1), largest error of the oracle (Lemma 5: alpha / 4)
    error_sign : "random" (each error has its largest size and a random sign), "negative" or
        "positive"
    outside : "clip" or "refuse", what happens to records outside [0, 1]

    >>> Params(alpha=2)
    Traceback (most recent call last):
    ...
    ValueError: alpha must be a number with 0 < alpha < 1, not 2
    """

    alpha: float
    k: int = 1000
    order: str = "random"
    value_error: float = 0.0
    slope_error: float = 0.0
    error_sign: str = "random"
    outside: str = "clip"

    def __post_init__(self):
        checks.number("alpha", self.alpha, above=0, below=1)
        checks.integer("k", self.k, at_least=1)
        checks.choice("order", self.order, ORDERS)
        checks.number("value_error", self.value_error, at_least=0, below=1)
        checks.number("slope_error", self.slope_error, at_least=0, below=1)
        checks.choice("error_sign", self.error_sign, SIGNS)
        checks.choice("outside", self.outside, OUTSIDE)


def mistake_bound(
    alpha: float, *, value_error: float = 0.0, slope_error: float = 0.0, width: float = 1.0
) -> float:
    """Proved: no order of queries forces more mistakes (attained by an exact oracle).

    Statements: HR Lemma 4; HR Lemma 5.
    Proof. Let mistakes be made at T points, sorted; neighbours differ by dx in place and dg in
    slope. The tangent of the earlier of two neighbours missed the later point by more than alpha,
    of which the errors v and s explain at most v + s dx; convexity bounds the rest by dg dx. So
    sqrt(alpha - v - s dx) < sqrt(dg dx). Sum over the T - 1 pairs: the right side is at most sqrt(2
    w) (Cauchy-Schwarz; slopes span 2, places w), the left side is concave in the dx, so least when
    one takes all the width. Hence T < 2 + (sqrt(2 w) - sqrt(alpha - v - s w)) / sqrt(alpha - v),
    which is 1 + sqrt(2 w / alpha) for an exact oracle.

    Parameters
    ----------
    alpha : float in (0, 1); value_error, slope_error : float >= 0, largest errors of the oracle
    width : float > 0, length of the interval on which G lives

    Returns an int, or ``inf`` if value_error + slope_error * width >= alpha (nothing is proved).

    >>> mistake_bound(0.02), mistake_bound(2**-10), mistake_bound(0.01, width=4)
    (10, 46, 29)
    """
    from decimal import Decimal, localcontext

    checks.number("alpha", alpha, above=0, below=1)
    with localcontext(prec=60):  # exact enough never to be wrong by one
        a = Decimal(alpha) - Decimal(value_error)
        b = a - Decimal(slope_error) * Decimal(width)
        if b <= 0:
            return math.inf
        limit = 2 + (2 * Decimal(width) / a).sqrt() - (b / a).sqrt()
        return math.ceil(limit) - 1


def paper_bound(params: Params) -> float:
    """Lemma 4: fewer than 3 / sqrt(alpha) mistakes.

    Statements: HR Lemma 4.

    >>> paper_bound(Params(alpha=0.01))
    30.0
    """
    return 3 / math.sqrt(params.alpha)


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """Learn the average distance of one column; count mistakes.

    Parameters
    ----------
    data : array (n,), private records; None: 1000 uniform ones
    queries : array (k,) in [0, 1]; None: :func:`draw_queries`

    Returns a dict with ``mistakes``, ``bound`` (:func:`mistake_bound`), ``error`` (largest error of
    the guesses that were not corrected).

    >>> trial(Params(alpha=0.1), [0.2, 0.4, 0.9], rng=1)["mistakes"] <= 5
    True
    """
    _, run = learn_column(params, data, queries, rng=rng)
    gaps = np.abs(run.truth - run.answers)[~run.missed]
    errors = {"value_error": params.value_error, "slope_error": params.slope_error}
    return {
        "mistakes": run.mistakes,
        "bound": mistake_bound(params.alpha, **errors),
        "error": float(gaps.max(initial=0.0)),
    }


def learn_column(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
) -> tuple[Tangents, Run]:
    """What :func:`trial` counts: the learner after all questions, and what happened.

    >>> learner, run = learn_column(Params(alpha=0.1), [0.2, 0.4, 0.9], rng=1)
    >>> len(learner.lines) == 1 + run.mistakes
    True
    """
    rng = checks.generator(rng)
    data = rng.uniform(size=RECORDS) if data is None else data
    function = AverageDistance(unit_points(data, outside=params.outside, lower=0, upper=1))
    queries = draw_queries(params, rng) if queries is None else checks.queries("queries", queries)
    learner = Tangents()
    exact = not params.value_error and not params.slope_error
    oracle = _listed(function, queries) if exact else noisy_oracle(function, params, rng)
    return learner, learn(learner, function, queries, params.alpha, oracle=oracle)


def draw_queries(params: Params, rng: np.random.Generator) -> np.ndarray:
    """The points asked, in order; shape (k,), in [0, 1].

    >>> draw_queries(Params(alpha=0.1, k=3, order="right to left"), None).tolist()
    [1.0, 0.5, 0.0]
    """
    if params.order == "random":
        return rng.uniform(size=params.k)
    grid = np.linspace(0, 1, params.k)
    return grid if params.order == "left to right" else grid[::-1]


def noisy_oracle(function: FirstOrder, params: Params, rng: np.random.Generator) -> Function:
    """Lemma 5's oracle: the same function, its replies off by as much as is allowed.

    >>> params = Params(alpha=0.1, value_error=0.02, slope_error=0.01, error_sign="negative")
    >>> oracle = noisy_oracle(AverageDistance([0.5]), params, None)
    >>> oracle.value(np.array([0.0])).round(2).tolist(), oracle.slope(np.array([1.0])).tolist()
    ([0.48], [0.99])
    """

    def sign(y: np.ndarray) -> np.ndarray | int:
        if params.error_sign == "random":
            return 2 * rng.integers(0, 2, np.shape(y)) - 1
        return 1 if params.error_sign == "positive" else -1

    return Function(
        value=lambda y: function.value(y) + params.value_error * sign(y),
        slope=lambda y: function.slope(y) + params.slope_error * sign(y),
    )


def _listed(function: FirstOrder, queries: np.ndarray) -> Function:
    """The same function at these places, found for all of them at once."""
    values, slopes = function.value(queries), function.slope(queries)
    at = {y: i for i, y in enumerate(queries.tolist())}
    return Function(lambda y: values[[at[y.item()]]], lambda y: slopes[[at[y.item()]]])


def worst_data(alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Records and questions that force all of the ``mistake_bound(alpha)`` mistakes.

    With m + 1 mistakes allowed, put one record at each of 0, 1/m, ..., (m - 1)/m and ask 0, 1/m,
    ..., 1 in this order. The left tangent at i/m misses the next question by exactly
    (2/m) (1/m) > alpha.

    Parameters
    ----------
    alpha : float in (0, 1/4); from 1/4 on the zero line is near enough at the first question

    Returns the data (m,), which may be repeated as often as you like, because the function stays
    the same, and the queries (m + 1,).

    >>> data, queries = worst_data(0.02)
    >>> len(data), len(queries)
    (9, 10)
    """
    checks.number("alpha", alpha, above=0, below=0.25)
    m = mistake_bound(alpha) - 1
    return np.arange(m) / m, np.arange(m + 1) / m


def lower_bound(alpha: float) -> int:
    """Proved: every deterministic learner can be forced into this many mistakes.

    This is ceil(1 / (2 sqrt(alpha))) - 1, the largest m with 4 m^2 alpha < 1. Proof. An adversary
    decides late: start from q(y) = (y - 1/2)^2 + 1/4 and cut [0, 1] into m cells of width w.
    Within a cell both the chord of q and the higher of q's two end tangents go on to a convex
    function with slopes in [-1, 1]. At the middle they lie w^2/4 above and below q and share the
    chord's slope. Whichever is further from the guess is at least w^2/4 > alpha off.

    >>> lower_bound(2**-13), lower_bound(0.0625)
    (45, 1)
    """
    from fractions import Fraction

    exact = 1 / (4 * Fraction(checks.number("alpha", alpha, above=0, below=1)))
    return math.isqrt(math.ceil(exact) - 1)


def trial_worst(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """As :func:`trial`, on :func:`worst_data` where data or queries are None.

    >>> trial_worst(Params(alpha=2**-10), rng=0)["mistakes"], mistake_bound(2**-10)
    (46, 46)
    """
    worst = worst_data(params.alpha)
    data, queries = (
        w if own is None else own for w, own in zip(worst, (data, queries), strict=True)
    )
    return trial(params, data, queries, rng=rng)
