"""Lipschitz functions that are not convex: where Figure 1 fails, and a learner that does not.

**Paper.** Huang and Roth (2014), the remark before Lemma 4: on *any* 1-Lipschitz function
Figure 1 makes at most 1/alpha mistakes.

**Setting.** G on [0, 1] has slopes in [-1, 1] but need not be convex.

**Idea.** The maximum of the tangents can never come down. On a tent one tangent learnt on the left
slope overshoots the right end for ever. Remembering values instead of tangents avoids this.

**Symbols.**

==========  ============  =================================================  ==========
paper       here          meaning                                            unit
==========  ============  =================================================  ==========
alpha_1     ``alpha``     a guess may be off by this much                    unit of G
==========  ============  =================================================  ==========

**Departures.** The remark is false for Figure 1: besides the tent, a tangent is only sure to
be within alpha up to a distance of alpha/2, for value and line may part at rate 2. It is true,
as ceil(1/alpha), for the learner that repeats the nearest value.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.distance_queries.learner.convex_learner import Function, Learner, Run


def tent() -> Function:
    """G(y) = min(y, 1 - y), with the left derivative: the smallest counterexample.

    >>> float(tent().value(np.array(1.0))), float(tent().slope(np.array(0.5)))
    (0.0, 1.0)
    """
    return Function(
        value=lambda y: np.minimum(y, 1 - y), slope=lambda y: np.where(y <= 0.5, 1.0, -1.0)
    )


class NearestConstant:
    """Guess the value at the nearest place learnt so far, at first 0.

    >>> learner = NearestConstant()
    >>> learner.update(0.2, 0.7, 0.0)
    >>> learner.predict(np.array([0.0, 1.0])).tolist()
    [0.7, 0.7]
    """

    def __init__(self):
        self._places = np.empty(0)
        self._values = np.empty(0)

    def predict(self, y: ArrayLike) -> np.ndarray:
        """Value at the learnt place nearest to ``y``; same shape."""
        if not len(self._places):
            return np.zeros(np.shape(y))
        between = (self._places[1:] + self._places[:-1]) / 2
        return self._values[np.searchsorted(between, y)]

    def update(self, y: float, value: float, slope: float) -> None:
        """Remember the value; the slope is not used."""
        i = np.searchsorted(self._places, y)
        self._places = np.insert(self._places, i, y)
        self._values = np.insert(self._values, i, value)


def mistake_bound(alpha: float) -> int:
    """Proved: :class:`NearestConstant` makes at most ceil(1/alpha) mistakes.

    Proof. There is no mistake at a distance of at most alpha from an earlier one, since values
    differ by at most the distance. So any two mistakes are more than alpha apart.

    >>> mistake_bound(0.01), mistake_bound(2**-11)
    (100, 2048)
    """
    return math.ceil(1 / Fraction(checks.number("alpha", alpha, above=0, below=1)))


def lower_bound(alpha: float) -> int:
    """Proved: every deterministic learner can be forced into ceil(1/(2 alpha)) mistakes."""
    return math.ceil(1 / (2 * Fraction(checks.number("alpha", alpha, above=0, below=1))))


def force_mistakes(learner: Learner, alpha: float) -> Run:
    """Force any deterministic learner into ``lower_bound(alpha)`` mistakes on a zigzag.

    Proof. At points s > 2 alpha apart the value may be 1/2 + s/2 or 1/2 - s/2, whatever it was
    before: the slope stays in [-1, 1]. One of the two is at least s/2 > alpha off the guess.

    >>> force_mistakes(NearestConstant(), 2**-11).mistakes
    1024
    """
    count = lower_bound(alpha)
    queries = np.linspace(0, 1, count)
    half = 1 / (2 * max(count - 1, 1))
    truth, answers = np.empty(count), np.empty(count)
    for i, y in enumerate(queries):
        answers[i] = learner.predict(y)
        truth[i] = 0.5 + (half if answers[i] < 0.5 else -half)
        learner.update(y, truth[i], 0.0)
    return Run(queries, truth, answers, np.abs(truth - answers) > alpha)
