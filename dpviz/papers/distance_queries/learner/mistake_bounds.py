"""How many looks the learner needs: the mistake bounds of Lemmas 4 and 5.

**Paper.** Huang and Roth (2014), section 3.2, Lemmas 4 and 5.

**Setting.** The learner of Figure 1 (module ``convex_learner``) on the average distance of a column
of n records; the points are asked in some order, the oracle may lie a little.

**Idea.** Draw a rectangle between neighbouring looks: step in place by step in slope. A look
was needed, so each area exceeds alpha; the steps in place add up to at most 1, those in slope
to at most 2. So few rectangles fit.

**Symbols.**

==============  =====================  =====================================  =========
paper           here                   meaning                                unit
==============  =====================  =====================================  =========
alpha_1         ``alpha``              a guess may be off by this much        unit of G
T               ``mistakes``           number of looks                        count
alpha_1 / 4     ``value_error``,       largest lie of the oracle about a      unit of G,
                ``slope_error``        value, and about a slope               1
(none)          ``width``              length of the interval (paper: 1)      that of y
==============  =====================  =====================================  =========

**Departures.** (1) The proof of Lemma 4 prints places in [-1, 1]; they lie in [0, 1], as its
last line has it. Its sharp form is T <= ceil(sqrt(2/alpha)), which is attained (module
``adversary``). (2) Lemma 5 gives no constant; here one is proved. (3) The condition printed
before Lemma 5 lacks a pair of brackets: a miss is G(x) - (G(x') + G'(x') (x - x')).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import Function, Run, Tangents, learn
from dpviz.privacy.private_data import OUTSIDE, unit_points

ORDERS = ("random", "left to right", "right to left")
LIES = ("random", "low", "high")


@dataclass(frozen=True, kw_only=True)
class Params:
    """What is asked, in which order, and how much the oracle may lie; all public.

    Attributes
    ----------
    alpha : float in (0, 1), tolerated error of a guess
    queries : int >= 1, number of points asked
    order : "random" (uniform), "left to right" or "right to left" (evenly spaced)
    value_error, slope_error : float in [0, 1), largest lie of the oracle (Lemma 5: alpha / 4)
    lie : "random" (each lie has its largest size and a random sign), "low" or "high"
    outside : "clip" or "refuse", what happens to records outside [0, 1]

    >>> Params(alpha=2)
    Traceback (most recent call last):
    ...
    ValueError: alpha must be a number with 0 < alpha < 1, not 2
    """

    alpha: float
    queries: int = 1000
    order: str = "random"
    value_error: float = 0.0
    slope_error: float = 0.0
    lie: str = "random"
    outside: str = "clip"

    def __post_init__(self):
        checks.number("alpha", self.alpha, above=0, below=1)
        checks.integer("queries", self.queries, at_least=1)
        checks.choice("order", self.order, ORDERS)
        checks.number("value_error", self.value_error, at_least=0, below=1)
        checks.number("slope_error", self.slope_error, at_least=0, below=1)
        checks.choice("lie", self.lie, LIES)
        checks.choice("outside", self.outside, OUTSIDE)


def mistake_bound(
    alpha: float, *, value_error: float = 0.0, slope_error: float = 0.0, width: float = 1.0
) -> float:
    """Proved: no order of queries costs more looks than this (attained without lies).

    Proof. Let looks be made at T points, sorted; neighbours differ by dx in place and dg in
    slope. The earlier look of two neighbours missed the later by more than alpha, of which
    the lies v and s explain at most v + s dx; convexity bounds the rest by dg dx. So
    sqrt(alpha - v - s dx) < sqrt(dg dx). Sum over the T - 1 pairs: the right side is at most
    sqrt(2 w) (Cauchy-Schwarz; slopes span 2, places w), the left side is concave in the dx,
    so least when one takes all the width. Hence
    T < 2 + (sqrt(2 w) - sqrt(alpha - v - s w)) / sqrt(alpha - v), which is
    1 + sqrt(2 w / alpha) for an oracle that tells the truth.

    Parameters
    ----------
    alpha : float in (0, 1)
    value_error, slope_error : float >= 0, largest lies of the oracle
    width : float > 0, length of the interval on which G lives

    Returns
    -------
    int, or ``inf`` if value_error + slope_error * width >= alpha (nothing is proved)

    >>> mistake_bound(0.02), mistake_bound(2**-10), mistake_bound(0.01, width=4)
    (10, 46, 29)
    """
    checks.number("alpha", alpha, above=0, below=1)
    with localcontext(prec=60):  # exact enough never to be wrong by one
        a = Decimal(alpha) - Decimal(value_error)
        b = a - Decimal(slope_error) * Decimal(width)
        if b <= 0:
            return math.inf
        limit = 2 + (2 * Decimal(width) / a).sqrt() - (b / a).sqrt()
        return math.ceil(limit) - 1


def paper_bound(alpha: float) -> float:
    """Lemma 4: fewer than 3 / sqrt(alpha) looks."""
    return 3 / math.sqrt(checks.number("alpha", alpha, above=0, below=1))


def paper_rate(alpha: float) -> float:
    """Lemma 5: O(1 / sqrt(alpha)) looks, also with lies; here with the constant 1."""
    return 1 / math.sqrt(checks.number("alpha", alpha, above=0, below=1))


def trial(params: Params, data: Any, *, rng: checks.Seed) -> dict[str, float]:
    """Learn the average distance of one column; count looks.

    Parameters
    ----------
    params : Params
    data : array (n,), private records
    rng : seed or Generator

    Returns
    -------
    dict with ``mistakes``, ``bound`` (:func:`mistake_bound`), ``error`` (largest error of the
    guesses that were not corrected)

    >>> trial(Params(alpha=0.1), [0.2, 0.4, 0.9], rng=1)["mistakes"] <= 5
    True
    """
    _, run = learn_column(params, data, rng=rng)
    kept = np.abs(run.truth - run.answers)[~run.missed]
    errors = {"value_error": params.value_error, "slope_error": params.slope_error}
    return {
        "mistakes": run.mistakes,
        "bound": mistake_bound(params.alpha, **errors),
        "error": float(kept.max(initial=0.0)),
    }


def learn_column(params: Params, data: Any, *, rng: checks.Seed) -> tuple[Tangents, Run]:
    """What :func:`trial` counts: the learner after all questions, and what happened.

    >>> learner, run = learn_column(Params(alpha=0.1), [0.2, 0.4, 0.9], rng=1)
    >>> len(learner.lines) == 1 + run.mistakes
    True
    """
    rng = checks.generator(rng)
    function = AverageDistance(unit_points(data, outside=params.outside))
    queries = draw_queries(params, rng)
    learner, oracle = Tangents(), lying(function, params, rng)
    return learner, learn(learner, function, queries, params.alpha, oracle=oracle)


def draw_queries(params: Params, rng: np.random.Generator) -> np.ndarray:
    """The points asked, in order; shape (queries,), in [0, 1].

    >>> draw_queries(Params(alpha=0.1, queries=3, order="right to left"), None).tolist()
    [1.0, 0.5, 0.0]
    """
    if params.order == "random":
        return rng.uniform(size=params.queries)
    grid = np.linspace(0, 1, params.queries)
    return grid if params.order == "left to right" else grid[::-1]


def lying(function: Any, params: Params, rng: np.random.Generator) -> Function:
    """Lemma 5's oracle: the same function, its answers off by as much as is allowed.

    >>> params = Params(alpha=0.1, value_error=0.02, slope_error=0.01, lie="low")
    >>> oracle = lying(AverageDistance([0.5]), params, None)
    >>> oracle.value(np.array([0.0])).round(2).tolist(), oracle.slope(np.array([1.0])).tolist()
    ([0.48], [0.99])
    """

    def sign(y: np.ndarray) -> Any:
        fixed = {"low": -1, "high": 1}
        return rng.choice([-1, 1], np.shape(y)) if params.lie == "random" else fixed[params.lie]

    return Function(
        value=lambda y: function.value(y) + params.value_error * sign(y),
        slope=lambda y: function.slope(y) + params.slope_error * sign(y),
    )
