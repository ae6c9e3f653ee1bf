"""Lower bounds on mistakes: data and answers that force as many as Lemma 4 allows.

**Paper.** Huang and Roth (2014), Lemma 4, which proves the upper bound only; both
constructions here are ours.

**Setting.** The learner of Figure 1, or any deterministic learner, on a convex function on
[0, 1] whose slopes lie in [-1, 1].

**Idea.** Fill the box "slopes 2 wide, places 1 long" with equal squares: records at equal
steps make slopes and places advance together, and every question is a mistake. Against an
unknown learner, keep two functions ready and answer with the one further from its guess.

**Symbols.**

==========  ============  =================================================  ==========
paper       here          meaning                                            shape
==========  ============  =================================================  ==========
alpha_1     ``alpha``     a guess may be off by this much                    unit of G
(none)      m             steps of the worst data; cells of the other        count
==========  ============  =================================================  ==========

**Departures.** The paper says O(1/sqrt(alpha)) and no more: the sharp constant of its own
learner is sqrt(2), and no deterministic learner beats 1/2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import Learner, Run, Tangents, learn
from dpviz.papers.distance_queries.learner.mistake_bounds import Params, mistake_bound


def worst_data(alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Records and questions that force all of the ``mistake_bound(alpha)`` mistakes.

    With m + 1 mistakes allowed, put one record at each of 0, 1/m, ..., (m - 1)/m and ask 0, 1/m,
    ..., 1 in this order. The left tangent at i/m misses the next question by exactly
    (2/m) (1/m) > alpha.

    Parameters
    ----------
    alpha : float in (0, 1/4); from 1/4 on the zero line is near enough at the first question

    Returns
    -------
    data : array (m,); repeat it as often as you like, the function stays the same
    queries : array (m + 1,)

    >>> data, queries = worst_data(0.02)
    >>> len(data), len(queries)
    (9, 10)
    """
    checks.number("alpha", alpha, above=0, below=0.25)
    m = mistake_bound(alpha) - 1
    return np.arange(m) / m, np.arange(m + 1) / m


def lower_bound(alpha: float) -> int:
    """Proved: every deterministic learner can be forced into this many mistakes.

    This is ceil(1 / (2 sqrt(alpha))) - 1, the largest m with 4 m^2 alpha < 1;
    :func:`force_mistakes` does it.

    >>> lower_bound(2**-13), lower_bound(0.0625)
    (45, 1)
    """
    exact = 1 / (4 * Fraction(checks.number("alpha", alpha, above=0, below=1)))
    return math.isqrt(math.ceil(exact) - 1)


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed = None,
) -> dict[str, float]:
    """Run Figure 1 on :func:`worst_data`, or on other data or queries, and count mistakes.

    Nothing is random: ``rng`` is not used.

    >>> trial(Params(alpha=2**-10))
    {'mistakes': 46, 'bound': 46}
    """
    if data is None or queries is None:
        records, places = worst_data(params.alpha)
        data = records if data is None else data
        queries = places if queries is None else queries
    run = learn(Tangents(), AverageDistance(data), np.asarray(queries), params.alpha)
    return {"mistakes": run.mistakes, "bound": mistake_bound(params.alpha)}


@dataclass(frozen=True, eq=False)
class Forced:
    """What an adversary made of its freedom.

    Attributes
    ----------
    run : Run, every question a mistake
    places, heights : arrays (j,), corners of the piecewise linear function it settled on

    >>> force_mistakes(Tangents(), 0.01).places.shape
    (9,)
    """

    run: Run
    places: np.ndarray
    heights: np.ndarray


def force_mistakes(learner: Learner, alpha: float) -> Forced:
    """Force any deterministic learner into ``lower_bound(alpha)`` mistakes, by deciding late.

    Proof. Start from q(y) = (y - 1/2)^2 + 1/4 and cut [0, 1] into m cells of width w. Within
    a cell both the chord of q and the higher of q's two end tangents go on to a convex
    function with slopes in [-1, 1]. At the middle they lie w^2/4 above and below q and share
    the chord's slope. Whichever is further from the guess is at least w^2/4 > alpha off.

    >>> force_mistakes(Tangents(), 0.001).run.mistakes, lower_bound(0.001)
    (15, 15)
    """
    m = lower_bound(alpha)
    middles = (np.arange(m) + 0.5) / max(m, 1)
    truth, answers = np.empty(m), np.empty(m)
    for i, y in enumerate(middles):
        answers[i] = learner.predict(y)
        sign = 1 if answers[i] < _parabola(y) else -1
        truth[i] = _parabola(y) + sign / (4 * m**2)
        learner.update(y, truth[i], 2 * y - 1)
    run = Run(middles, truth, answers, np.abs(truth - answers) > alpha)
    ends = np.arange(m + 1) / max(m, 1)
    places = np.concatenate([ends, middles])
    heights = np.concatenate([_parabola(ends), truth])
    order = places.argsort()
    return Forced(run, places[order], heights[order])


def _parabola(y: np.ndarray) -> np.ndarray:
    """The average distance to records spread evenly over [0, 1]."""
    return (y - 0.5) ** 2 + 0.25
