"""Noise and choices, right and wrong: one question, one answer.

Every function takes private ``data``, draws all its runs at once and returns (samples, ...).
Neighbours differ in one replaced record. The faults are from published code and papers, and
each stands beside the sound mechanism that it spoils.
"""

from __future__ import annotations

import math

import numpy as np

from dpviz.privacy.samplers import laplace

INTERVALS = 4  # equal parts of [0, 1] among which ``middle`` chooses


def laplace_noise(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Sound: noise of scale 1/epsilon on values that move by at most 1 in all (L1 norm).

    >>> laplace_noise(np.array([1.0, 2.0]), 3, np.random.default_rng(0), epsilon=1).shape
    (3, 2)
    """
    return data + laplace(rng, 1 / epsilon, (samples, len(data)))


def half_noise(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Broken: half the scale. Truth: 2 epsilon.

    >>> half_noise(np.array([1.0]), 3, np.random.default_rng(0), epsilon=1).shape
    (3, 1)
    """
    return laplace_noise(data, samples, rng, epsilon=2 * epsilon)


def scale_as_deviation(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Broken: the scale is divided by sqrt(2), as if 1/epsilon were the standard deviation.

    >>> scale_as_deviation(np.array([1.0]), 3, np.random.default_rng(0), epsilon=1).shape
    (3, 1)
    """
    return laplace_noise(data, samples, rng, epsilon=math.sqrt(2) * epsilon)


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
    """Sound: derivative at 1/2 of the average distance to n records; it moves by up to 2/n.

    The derivative is (records left - records right)/n: a record that crosses changes both.

    >>> slope(np.array([0.1, 0.2, 0.9]), 2, np.random.default_rng(0), epsilon=1).shape
    (2,)
    """
    value = np.sign(0.5 - data).mean()
    return value + laplace(rng, move / (len(data) * epsilon), (samples,))


def understated_slope(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Broken: noise for a derivative that moves by 1/n. Truth: 2 epsilon.

    >>> understated_slope(np.array([0.1, 0.9]), 2, np.random.default_rng(0), epsilon=1).shape
    (2,)
    """
    return slope(data, samples, rng, epsilon=epsilon, move=1)


def exponential(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Sound: index i with probability proportional to exp(epsilon data[i] / 2), scores move by 1.

    McSherry and Talwar (2007). All scores may move, some up and some down: hence the 2.

    >>> exponential(np.array([0.0, 99.0]), 3, np.random.default_rng(0), epsilon=1).tolist()
    [1, 1, 1]
    """
    weights = np.exp(epsilon / 2 * (data - data.max()))
    return rng.choice(len(data), size=samples, p=weights / weights.sum())


def missing_half(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Broken: exp(epsilon data[i]), without the 2. Truth: up to 2 epsilon.

    >>> missing_half(np.array([0.0, 99.0]), 3, np.random.default_rng(0), epsilon=1).tolist()
    [1, 1, 1]
    """
    return exponential(data, samples, rng, epsilon=2 * epsilon)


def gap_test(
    data: np.ndarray,
    samples: int,
    rng: np.random.Generator,
    *,
    epsilon: float,
    delta: float,
) -> np.ndarray:
    """Sound: the index of the best score if it leads clearly, else -1. (epsilon, delta).

    Scores move by 1, so the lead moves by 2: noise 2/epsilon, bar 2 + (2/epsilon) ln(1/(2 delta)).

    >>> gap_test(np.array([0, 99]), 2, np.random.default_rng(0), epsilon=1, delta=0.01).tolist()
    [1, 1]
    """
    bar = 2 + 2 / epsilon * math.log(1 / (2 * delta))
    return _leader(data, laplace(rng, 2 / epsilon, (samples,)), bar)


def gap_test_moved_by_one(
    data: np.ndarray,
    samples: int,
    rng: np.random.Generator,
    *,
    epsilon: float,
    delta: float,
) -> np.ndarray:
    """Broken: noise for a lead that moves by 1. Truth: (2 epsilon, exp(2 epsilon) delta / 2).

    >>> out = gap_test_moved_by_one(
    ...     np.array([0, 99]), 2, np.random.default_rng(0), epsilon=1, delta=0.01
    ... )
    >>> out.tolist()
    [1, 1]
    """
    bar = 1 / epsilon * math.log(1 / delta)
    return _leader(data, laplace(rng, 1 / epsilon, (samples,)), bar)


def middle(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Sound: centre of the quarter of [0, 1] with the most records, by exponential choice.

    >>> middle(np.full(99, 0.9), 2, np.random.default_rng(0), epsilon=1).tolist()
    [0.875, 0.875]
    """
    low = _chosen_quarter(data, samples, rng, epsilon=epsilon)
    return (low + (low + 1 / INTERVALS)) / 2


def threshold_accuracy(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Wrong but private: (high - low)/2 for (high + low)/2. Only a test of accuracy sees it.

    >>> threshold_accuracy(np.full(99, 0.9), 2, np.random.default_rng(0), epsilon=1).tolist()
    [0.125, 0.125]
    """
    low = _chosen_quarter(data, samples, rng, epsilon=epsilon)
    return ((low + 1 / INTERVALS) - low) / 2


def heavy_key(
    data: np.ndarray,
    samples: int,
    rng: np.random.Generator,
    *,
    epsilon: float,
    delta: float,
) -> np.ndarray:
    """Sound: the key with the largest noisy count if it clears the bar, else -1.

    Only keys that occur are counted. Two counts move by 1: noise 2/epsilon, and the bar
    1 + (2/epsilon) ln(1/(2 delta)) keeps a key with a single record silent but for delta.

    >>> keys = np.repeat([3, 8], [90, 30])
    >>> heavy_key(keys, 2, np.random.default_rng(0), epsilon=1, delta=0.01).tolist()
    [3, 3]
    """
    keys, noisy, bar = _noisy_counts(data, samples, rng, epsilon=epsilon, delta=delta)
    return np.where(noisy.max(axis=1) >= bar, keys[noisy.argmax(axis=1)], -1)


def largest_key(
    data: np.ndarray,
    samples: int,
    rng: np.random.Generator,
    *,
    epsilon: float,
    delta: float,
) -> np.ndarray:
    """Wrong but private: the largest key that clears the bar, not that of the largest count.

    >>> keys = np.repeat([3, 8], [90, 30])
    >>> largest_key(keys, 2, np.random.default_rng(0), epsilon=1, delta=0.01).tolist()
    [8, 8]
    """
    keys, noisy, bar = _noisy_counts(data, samples, rng, epsilon=epsilon, delta=delta)
    return np.where(noisy >= bar, keys, -1).max(axis=1)


def _leader(data: np.ndarray, noise: np.ndarray, bar: float) -> np.ndarray:
    """Index of the best score where its noisy lead reaches the bar, else -1."""
    second, best = np.sort(data)[-2:]
    return np.where(best - second + noise >= bar, int(np.argmax(data)), -1)


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
