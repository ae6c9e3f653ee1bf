"""Mechanisms right and wrong: noise and choices, faults that show seldom, sparse vector.

Every function takes private ``data``, draws all its runs at once and returns (samples, ...).
Neighbours differ in one replaced record. The faults are from published code and papers; many are a
correct mechanism with another scale.

In the sparse vector technique a list of queries of sensitivity 1 is compared with a noisy threshold
(here 0), and only "above" or "below" leaves. Lyu, Su and Li ("Understanding the Sparse Vector
Technique for Differential Privacy", 2017) collected six versions from the literature: with other
scales ``marks`` is their Algorithms 1 and 4-6, ``released_comparison`` their Algorithm 3, and
``fresh_value`` is their Algorithm 7 with three equal parts. These take the queries' true values
``data`` (k,) and return (samples, k): 1 for above, -1 for below, nan after the last allowed
positive answer. Those that print a value stop at the first; they return (samples, 2): how many were
below before it, and the value (nan without one).
"""

from __future__ import annotations

import math

import numpy as np

from dpviz.privacy.noise_laws import laplace

INTERVALS = 4  # equal parts of [0, 1] among which ``middle`` chooses


def laplace_noise(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float, spread: float = 1.0
) -> np.ndarray:
    """Correct: noise of scale 1/epsilon on values that move by at most 1 in all (L1 norm).

    With less than a ``spread`` of 1 broken. Truth: epsilon/spread.

    >>> laplace_noise(np.array([1.0, 2.0]), 3, np.random.default_rng(0), epsilon=1).shape
    (3, 2)
    """
    return data + laplace(rng, spread / epsilon, (samples, len(data)))


def reused_noise(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Broken: one draw for all coordinates, so differences between them leave without noise.

    >>> out = reused_noise(np.array([1.0, 3.0]), 1, np.random.default_rng(0), epsilon=1)
    >>> round(float(out[0, 1] - out[0, 0]), 9)
    2.0
    """
    return data + laplace(rng, 1 / epsilon, (samples, 1))


def slope(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float, move: int = 2
) -> np.ndarray:
    """Correct: derivative at 1/2 of the average distance to n records; it moves by up to 2/n.

    The derivative is (records left - records right)/n: a record that crosses changes both. With
    ``move`` 1 broken. Truth: 2 epsilon.

    >>> slope(np.array([0.1, 0.2, 0.9]), 2, np.random.default_rng(0), epsilon=1).shape
    (2,)
    """
    value = np.sign(0.5 - data).mean()
    return value + laplace(rng, move / (len(data) * epsilon), (samples,))


def exponential(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float, weight: float = 0.5
) -> np.ndarray:
    """Correct: index i with probability proportional to exp(epsilon data[i] / 2), scores move by 1.

    McSherry and Talwar (2007). All scores may move, some up and some down: hence the half. With a
    ``weight`` of 1 broken. Truth: up to 2 epsilon.

    >>> exponential(np.array([0.0, 99.0]), 3, np.random.default_rng(0), epsilon=1).tolist()
    [1, 1, 1]
    """
    weights = np.exp(weight * epsilon * (data - data.max()))
    return rng.choice(len(data), size=samples, p=weights / weights.sum())


def gap_test(
    data: np.ndarray,
    samples: int,
    rng: np.random.Generator,
    *,
    epsilon: float,
    delta: float,
    move: int = 2,
) -> np.ndarray:
    """Correct: the index of the best score if it leads clearly, else -1. (epsilon, delta).

    Scores move by 1, so the lead moves by 2: noise 2/epsilon, bar 2 + (2/epsilon) ln(1/(2 delta)).
    With ``move`` 1 broken, and without the 2s. Truth: (2 epsilon, exp(2 epsilon) delta / 2).

    >>> gap_test(np.array([0, 99]), 2, np.random.default_rng(0), epsilon=1, delta=0.01).tolist()
    [1, 1]
    """
    bar = move / epsilon * math.log(1 / (move * delta))
    bar += move if move > 1 else 0
    second, best = np.sort(data)[-2:]
    lead = best - second + laplace(rng, move / epsilon, (samples,))
    return np.where(lead >= bar, int(np.argmax(data)), -1)


def middle(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Correct: centre of the quarter of [0, 1] with the most records, by exponential choice.

    >>> middle(np.full(99, 0.9), 2, np.random.default_rng(0), epsilon=1).tolist()
    [0.875, 0.875]
    """
    low = _chosen_quarter(data, samples, rng, epsilon=epsilon)
    return (low + (low + 1 / INTERVALS)) / 2


def half_difference(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Wrong but private: (high - low)/2 for (high + low)/2. Only a test of accuracy sees it.

    >>> half_difference(np.full(99, 0.9), 2, np.random.default_rng(0), epsilon=1).tolist()
    [0.125, 0.125]
    """
    low = _chosen_quarter(data, samples, rng, epsilon=epsilon)
    return ((low + 1 / INTERVALS) - low) / 2


def heavy_key(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float, delta: float
) -> np.ndarray:
    """Correct: the key with the largest noisy count if it clears the bar, else -1.

    Only keys that occur are counted. Two counts move by 1: noise 2/epsilon, and the bar
    1 + (2/epsilon) ln(1/(2 delta)) hides a key with a single record with probability 1 - delta.

    >>> keys = np.repeat([3, 8], [90, 30])
    >>> heavy_key(keys, 2, np.random.default_rng(0), epsilon=1, delta=0.01).tolist()
    [3, 3]
    """
    keys, noisy, bar = _noisy_counts(data, samples, rng, epsilon=epsilon, delta=delta)
    return np.where(noisy.max(axis=1) >= bar, keys[noisy.argmax(axis=1)], -1)


def largest_key(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float, delta: float
) -> np.ndarray:
    """Wrong but private: the largest key that clears the bar, not that of the largest count.

    >>> keys = np.repeat([3, 8], [90, 30])
    >>> largest_key(keys, 2, np.random.default_rng(0), epsilon=1, delta=0.01).tolist()
    [8, 8]
    """
    keys, noisy, bar = _noisy_counts(data, samples, rng, epsilon=epsilon, delta=delta)
    return np.where(noisy >= bar, keys, -1).max(axis=1)


def _chosen_quarter(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Left ends of the intervals that an exponential choice by count picks."""
    counts, _ = np.histogram(data, INTERVALS, (0, 1))
    return exponential(counts, samples, rng, epsilon=epsilon) / INTERVALS


def _noisy_counts(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float, delta: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Keys that occur (m,), their noisy counts (samples, m), and the bar to clear."""
    keys, counts = np.unique(data, return_counts=True)
    bar = 1 + 2 / epsilon * math.log(1 / (2 * delta))
    return keys, counts + laplace(rng, 2 / epsilon, (samples, len(keys))), bar


def clipped(
    data: np.ndarray,
    samples: int,
    rng: np.random.Generator,
    *,
    epsilon: float,
    forgotten: float = 0.0,
) -> np.ndarray:
    """Correct: the sum of the records clipped to [0, 1], with noise of scale 1/epsilon.

    With ``forgotten`` above 0 broken: so many runs forget to clip, and one record moves the sum
    by its whole size. Truth for a record of size x in place of 0: epsilon x + ln(forgotten).

    >>> clipped(np.array([0.5, 99.0]), 3, np.random.default_rng(0), epsilon=1e9).round(3).tolist()
    [1.5, 1.5, 1.5]
    """
    slips = rng.uniform(size=samples) < forgotten
    total = np.where(slips, data.sum(), np.clip(data, 0, 1).sum())
    return total + laplace(rng, 1 / epsilon, (samples,))


def cut_noise(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float, scales: float = 5.0
) -> np.ndarray:
    """Broken: no noise beyond so many scales, so some answers cannot come. No epsilon holds.

    Its correct variant, :func:`laplace_noise`, has all of the noise.

    >>> drawn = cut_noise(np.zeros(2), 1000, np.random.default_rng(0), epsilon=1)
    >>> drawn.shape, bool(4 < np.abs(drawn).max() < 5)
    ((1000, 2), True)
    """
    shape = (samples, len(data))
    size = -np.log1p(rng.uniform(size=shape) * math.expm1(-scales))  # by the inverse of its law
    return data + rng.choice([-1, 1], size=shape) * size / epsilon


def marks(
    data: np.ndarray,
    samples: int,
    rng: np.random.Generator,
    *,
    epsilon: float,
    threshold: float = 2,
    query: float,
    positives: float = math.inf,
) -> np.ndarray:
    """Sparse vector: above or below, with noise threshold/epsilon, drawn once, and query/epsilon.

    Correct with a threshold of 2 and a query of 4 times the number of positives.

    >>> marks(np.array([-99.0, 99, 99]), 1, np.random.default_rng(0), epsilon=1, query=4,
    ...       positives=1)
    array([[-1.,  1., nan]])
    """
    _, above = _compare(data, samples, rng, threshold=threshold / epsilon, query=query / epsilon)
    marked = 2.0 * above - 1
    marked[_stopped(above, positives)] = np.nan
    return marked


def fresh_value(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Correct: prints the first value above with fresh noise; a third of the budget for each noise.

    >>> out = fresh_value(np.array([-99.0, 99]), 1, np.random.default_rng(0), epsilon=3)
    >>> int(out[0, 0]), bool(90 < out[0, 1] < 110)
    (1, True)
    """
    scale = 3 / epsilon
    _, above = _compare(data, samples, rng, threshold=scale, query=2 * scale)
    return _first_above(data + laplace(rng, scale, above.shape), above)


def released_comparison(
    data: np.ndarray,
    samples: int,
    rng: np.random.Generator,
    *,
    epsilon: float,
    threshold: float = 2,
    query: float = 4,
) -> np.ndarray:
    """Broken: noise enough, but it prints the very value that it compared.

    That value bounds the threshold from above, so every "below" before it counts: the loss
    grows with their number. See ``released_loss``. Without the print, noise of the scales
    threshold/epsilon and query/epsilon would be private where 1/threshold + 2/query is 1.

    >>> released_comparison(np.array([-99.0]), 1, np.random.default_rng(0), epsilon=1).tolist()
    [[1.0, nan]]
    """
    scales = {"threshold": threshold / epsilon, "query": query / epsilon}
    return _first_above(*_compare(data, samples, rng, **scales))


def released_loss(negatives: int, scale: float) -> float:
    """Loss of "so many below, then the value 0 or less" where each comparison has one noise.

    The queries below are 0 with ``data`` and 1 with the neighbour, the last is 1 and 0. The
    print says that the threshold is at most 0, where the noise (Laplace of that ``scale``) has
    distribution function exp(t/scale)/2: each "below" gains 1/scale, the print loses 1/scale.

    >>> [released_loss(negatives, 4.0) for negatives in (10, 100, 300)]  # claimed: 1
    [2.25, 24.75, 74.75]
    """
    return (negatives - 1) / scale


def _compare(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, threshold: float, query: float
) -> tuple[np.ndarray, np.ndarray]:
    """Noisy values and whether they reach the noisy threshold 0; scales of both noises."""
    level = laplace(rng, threshold, (samples, 1))
    noisy = laplace(rng, query, (samples, len(data)))
    noisy += data  # in place: many samples are large
    return noisy, noisy >= level


def _first_above(shown: np.ndarray, above: np.ndarray) -> np.ndarray:
    """How many are below before the first above, and its value (nan if none); (samples, 2)."""
    positive = above.any(axis=1)
    place = above.argmax(axis=1)
    value = np.take_along_axis(shown, place[:, None], axis=1)[:, 0]
    negatives = np.where(positive, place, above.shape[1])
    return np.stack([negatives, np.where(positive, value, np.nan)], axis=1)


def _stopped(above: np.ndarray, positives: float) -> np.ndarray:
    """Whether all allowed positive answers lie before this query."""
    before = np.zeros(above.shape, dtype=np.int32)
    for query in range(1, above.shape[1]):  # a sum along short rows would take ten times as long
        np.add(before[:, query - 1], above[:, query - 1], out=before[:, query])
    return before >= positives
