"""Four private methods to choose a radius by its score, and the rows that each may lose.

**Paper.** Nissim, Stemmer and Vadhan (2016), Algorithm 1 (GoodRadius) for "RecConcave"; Theorem
4.8 (AboveThreshold, the sparse vector technique) for "AboveThreshold".

**Setting.** The score L rises with the radius and is moved by less than 2 when a record is
replaced (module ``radius_quality``). t rows are wanted.

**Idea.** One question, four tools: the exponential mechanism with the quality Q; a binary search
by noisy comparisons; AboveThreshold from the least radius on; or RecConcave, whose loss hardly
grows with the number of radii.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
L(r_i, S)       ``scores``      score at each radius of ``radius_grid``       (M,)
Q(r, S)         ``quality``     half the lesser of t - L(before r) and        (M,)
                                L(r) - t + ``margin``
Gamma           ``promise``     what RecConcave is promised                   count
==============  ==============  ============================================  =============

**Departures.** See module ``good_radius``, which states and proves the losses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.papers.small_cluster import rec_concave
from dpviz.papers.small_cluster.radius_quality import (
    quality_function,
    radius_grid,
    score,
    score_at,
    score_breakpoints,
)
from dpviz.privacy.budgeted import Budgeted
from dpviz.privacy.curator import Curator
from dpviz.privacy.private_data import OUTSIDE

METHODS = ("exponential", "binary search", "AboveThreshold", "RecConcave")


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """What GoodRadius is asked, and its budget; all public.

    Attributes
    ----------
    t : int >= 1, rows wanted
    d : int >= 1, columns
    epsilon, delta : the budget; only "RecConcave" spends (and needs) delta
    beta : float in (0, 1), chance that :func:`error_bound` fails
    size : int >= 2, grid points on an axis
    method : one of ``METHODS``
    outside : "clip" or "refuse"

    >>> Params(t=10, d=1, epsilon=1, method="guess")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: method must be one of 'exponential', 'binary search', 'AboveThreshold', ...
    """

    t: int
    d: int
    epsilon: float
    delta: float = 0.0
    beta: float = 0.1
    size: int = 2**16
    method: str = "exponential"
    outside: str = "clip"

    def __post_init__(self):
        for name, least in {"t": 1, "d": 1, "size": 2}.items():
            checks.integer(name, getattr(self, name), at_least=least)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, at_most=0.5)
        checks.number("beta", self.beta, above=0, below=1)
        checks.choice("method", self.method, METHODS)
        checks.choice("outside", self.outside, OUTSIDE)
        if 4 * self.d * (self.size - 1) ** 2 >= 2**53:
            raise ValueError("size must keep squared distances exact: 4 d (size - 1)^2 < 2^53")
        if self.method == "RecConcave" and self.delta == 0:
            raise ValueError("delta must be above 0 for the method 'RecConcave'")

    @property
    def candidates(self) -> int:
        """How many radii the method chooses among."""
        if self.method == "RecConcave":
            return 2 * self.size * math.ceil(math.sqrt(self.d)) + 1
        return len(radius_grid(self.size, self.d))

    @property
    def rec_concave_params(self) -> rec_concave.Params:
        """What RecConcave is asked: half of epsilon and of beta are its own."""
        half = {"epsilon": self.epsilon / 2, "delta": self.delta, "beta": self.beta / 2}
        return rec_concave.Params(candidates=self.candidates, **half)

    @property
    def promise(self) -> float:
        """Gamma: what RecConcave needs to be promised."""
        return rec_concave.error_bound(self.rec_concave_params)

    @property
    def loss(self) -> float:
        """Rows that may be lost: see ``good_radius.error_bound``."""
        promise = self.promise if self.method == "RecConcave" else 0.0
        budget = {"epsilon": self.epsilon, "beta": self.beta}
        return loss(self.method, self.candidates, **budget, promise=promise)


def by_exponential_mechanism(points: np.ndarray, params: Params, curator: Curator) -> float:
    """The exponential mechanism with quality Q; radius in grid steps. Costs ``params.epsilon``."""
    scores = score(points, params.t, params.size)
    quality = quality_function(scores, params.t, params.loss)
    best = curator.choose(quality, sensitivity=1, epsilon=params.epsilon, label="radius")
    return float(radius_grid(params.size, params.d)[best])


def by_binary_search(points: np.ndarray, params: Params, curator: Curator) -> float:
    """Binary search by noisy comparisons; radius in grid steps. Costs ``params.epsilon``."""
    scores = score(points, params.t, params.size)
    sub_curator = curator.sub_curator(epsilon=params.epsilon, label="binary search")
    below, above = -1, len(scores) - 1
    steps = steps_of_search(len(scores))
    level, epsilon = params.t - params.loss / 2, params.epsilon / steps
    while above - below > 1:
        middle = (below + above) // 2
        noisy = sub_curator.laplace(scores[middle], sensitivity=2, epsilon=epsilon, label="score")
        below, above = (below, middle) if noisy >= level else (middle, above)
    return float(radius_grid(params.size, params.d)[above])


def by_above_threshold(points: np.ndarray, params: Params, curator: Curator) -> float:
    """AboveThreshold from the least radius on; radius in grid steps. Costs ``params.epsilon``."""
    scores = score(points, params.t, params.size)
    accuracy = threshold_accuracy(len(scores), epsilon=params.epsilon, beta=params.beta)
    cost = {"sensitivity": 1, "epsilon": params.epsilon, "label": "radius"}
    stream = curator.above_threshold(params.t / 2 - accuracy, **cost)
    radii = radius_grid(params.size, params.d)
    positives = (r for r, value in zip(radii, scores, strict=True) if stream.above(value / 2))
    return float(next(positives, radii[-1]))


def by_rec_concave(points: np.ndarray, params: Params, curator: Curator) -> float:
    """Algorithm 1: is 0 good enough? If not, RecConcave on all half grid steps."""
    t, promise, half = params.t, params.promise, params.epsilon / 2
    sub_curator = curator.sub_curator(epsilon=params.epsilon, delta=params.delta, label="radius")
    breakpoints = score_breakpoints(points, t)
    at_zero = float(score_at(breakpoints, t, np.zeros(1))[0])
    noisy = sub_curator.laplace(at_zero, sensitivity=2, epsilon=half, label="score at 0")
    radii = np.arange(params.candidates) / 2
    before, here = score_at(breakpoints, t, radii / 2), score_at(breakpoints, t, radii)
    quality = np.minimum(t - before, here - t + 4 * promise) / 2  # step 3
    chosen = rec_concave.release(quality, params.rec_concave_params, sub_curator)
    zero = noisy > t - 2 * promise - 4 / params.epsilon * math.log(2 / params.beta)  # step 2
    return 0.0 if zero else float(radii[chosen])


BY = {
    "exponential": by_exponential_mechanism,
    "binary search": by_binary_search,
    "AboveThreshold": by_above_threshold,
    "RecConcave": by_rec_concave,
}


def steps_of_search(candidates: int) -> int:
    """Comparisons that a binary search makes at most.

    >>> steps_of_search(21), steps_of_search(2)
    (5, 1)
    """
    return max(1, math.ceil(math.log2(candidates)))


def threshold_accuracy(candidates: int, *, epsilon: float, beta: float) -> float:
    """Accuracy of AboveThreshold: its two noises exceed it in sum with probability at most beta.

    Scales 1 / e1 and 2 / e2 with e1 : e2 = 1 : 2^(2/3), tails half of beta each.

    >>> round(threshold_accuracy(21, epsilon=1, beta=0.05))
    31
    """
    first = epsilon / (1 + 2 ** (2 / 3))
    return math.log(2 / beta) / first + 2 / (epsilon - first) * math.log(2 * candidates / beta)


def loss(
    method: str, candidates: int, *, epsilon: float, beta: float, promise: float = 0.0
) -> float:
    """Rows that a method may lose, with probability 1 - beta; proved in ``good_radius``.

    >>> [round(loss(method, 21, epsilon=1, beta=0.05)) for method in METHODS[:2]]
    [48, 92]
    """
    if method == "exponential":
        return 8 / epsilon * math.log(candidates / beta)
    if method == "binary search":
        steps = steps_of_search(candidates)
        return 4 * steps / epsilon * math.log(steps / beta)
    if method == "AboveThreshold":
        return 4 * threshold_accuracy(candidates, epsilon=epsilon, beta=beta)
    return max(3 * promise, 2 * promise + 8 / epsilon * math.log(2 / beta))
