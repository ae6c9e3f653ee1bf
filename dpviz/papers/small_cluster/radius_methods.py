"""Four private ways to choose a radius by its score, and the rows each may lose.

**Paper.** Nissim, Stemmer and Vadhan (2016), Algorithm 1 for "recursive"; Theorem 4.8
(AboveThreshold) for "threshold".

**Setting.** The score L rises with the radius and is moved by less than 2 when a record is
replaced (module ``radius_quality``). t rows are wanted.

**Idea.** One question, four tools: draw from the hill of quality; halve the grid by noisy
comparisons; walk up until a noisy threshold is passed; or RecConcave, whose price hardly
grows with the number of radii.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
L(r_i, S)       ``heights``     score at each radius of ``radius_grid``       (M,)
Q(r, S)         ``hill``        half the lesser of t - L(before r) and        (M,)
                                L(r) - t + room
Gamma           ``promise``     what RecConcave is promised                   count
==============  ==============  ============================================  =============

**Departures.** See module ``good_radius``, which states and proves the losses.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz.papers.small_cluster import rec_concave
from dpviz.papers.small_cluster.radius_quality import radius_grid, score, score_at, staircase


def hill(heights: np.ndarray, t: int, room: float) -> np.ndarray:
    """Quality of each radius of a grid, from L on it; sensitivity 1.

    >>> hill(np.array([1.0, 2.0, 8.0, 8.0]), 8, 4).tolist()
    [-1.5, -1.0, 2.0, 0.0]
    """
    before = np.append(0.0, heights[:-1])
    return np.minimum(t - before, heights - t + room) / 2


def by_choice(points: np.ndarray, params: Any, curator: Any) -> float:
    """The exponential mechanism on the hill; radius in grid steps. Costs ``params.epsilon``."""
    heights = score(points, params.t, params.size)
    quality = hill(heights, params.t, params.loss)
    price = {"sensitivity": 1, "epsilon": params.epsilon}
    best = curator.choose(quality, **price, label="radius")
    return float(radius_grid(params.size, params.d)[best])


def by_search(points: np.ndarray, params: Any, curator: Any) -> float:
    """Halve the grid again and again, by noisy comparisons; radius in grid steps."""
    heights = score(points, params.t, params.size)
    part = curator.sub_curator(epsilon=params.epsilon, label="search")
    low, high = -1, len(heights) - 1
    steps = steps_of_search(len(heights))
    level, price = params.t - params.loss / 2, params.epsilon / steps
    while high - low > 1:
        middle = (low + high) // 2
        noisy = part.laplace(heights[middle], sensitivity=2, epsilon=price, label="score")
        low, high = (low, middle) if noisy >= level else (middle, high)
    return float(radius_grid(params.size, params.d)[high])


def by_threshold(points: np.ndarray, params: Any, curator: Any) -> float:
    """AboveThreshold from the least radius on; radius in grid steps."""
    heights = score(points, params.t, params.size)
    room = threshold_room(len(heights), epsilon=params.epsilon, beta=params.beta)
    price = {"sensitivity": 1, "epsilon": params.epsilon}
    stream = curator.above_threshold(params.t / 2 - room, **price, label="radius")
    radii = radius_grid(params.size, params.d)
    positives = (r for r, height in zip(radii, heights, strict=True) if stream.above(height / 2))
    return float(next(positives, radii[-1]))


def by_recursion(points: np.ndarray, params: Any, curator: Any) -> float:
    """Algorithm 1: is 0 good enough? else RecConcave on all half grid steps."""
    t, promise, half = params.t, params.promise, params.epsilon / 2
    part = curator.sub_curator(epsilon=params.epsilon, delta=params.delta, label="radius")
    jumps = staircase(points, t)
    at_zero = float(score_at(jumps, t, np.zeros(1))[0])
    noisy = part.laplace(at_zero, sensitivity=2, epsilon=half, label="score at 0")
    radii = np.arange(params.candidates) / 2
    before, here = score_at(jumps, t, radii / 2), score_at(jumps, t, radii)
    quality = np.minimum(t - before, here - t + 4 * promise) / 2  # step 3
    price = {"epsilon": half, "delta": params.delta}
    chosen = rec_concave.release(quality, promise=promise, **price, curator=part)
    zero = noisy > t - 2 * promise - 4 / params.epsilon * math.log(2 / params.beta)  # step 2
    return 0.0 if zero else float(radii[chosen])


def steps_of_search(candidates: int) -> int:
    """Comparisons that a binary search makes at most.

    >>> steps_of_search(21), steps_of_search(2)
    (5, 1)
    """
    return max(1, math.ceil(math.log2(candidates)))


def threshold_room(candidates: int, *, epsilon: float, beta: float) -> float:
    """x: the two noises of AboveThreshold exceed this in sum with probability beta at most.

    Scales 1 / e1 and 2 / e2 with e1 : e2 = 1 : 2^(2/3), tails half of beta each.

    >>> round(threshold_room(21, epsilon=1, beta=0.05))
    31
    """
    first = epsilon / (1 + 2 ** (2 / 3))
    return math.log(2 / beta) / first + 2 / (epsilon - first) * math.log(2 * candidates / beta)


def loss(way: str, candidates: int, *, epsilon: float, beta: float, promise: float = 0.0) -> float:
    """Rows that a way may lose, but for beta; proved in ``good_radius.error_bound``.

    >>> [round(loss(way, 21, epsilon=1, beta=0.05)) for way in ("exponential", "search")]
    [48, 92]
    """
    if way == "exponential":
        return 8 / epsilon * math.log(candidates / beta)
    if way == "search":
        steps = steps_of_search(candidates)
        return 4 * steps / epsilon * math.log(steps / beta)
    if way == "threshold":
        return 4 * threshold_room(candidates, epsilon=epsilon, beta=beta)
    return max(3 * promise, 2 * promise + 8 / epsilon * math.log(2 / beta))


WAYS = {
    "exponential": by_choice,
    "search": by_search,
    "threshold": by_threshold,
    "recursive": by_recursion,
}
