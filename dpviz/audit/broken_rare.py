"""Faults that show seldom: nearly all outputs are as they should be.

Every function takes private ``data``, draws all its runs at once and returns (samples, ...).
Neighbours differ in one replaced record. Each fault stands beside the sound mechanism that it
spoils.
"""

from __future__ import annotations

import math

import numpy as np

from dpviz.privacy.samplers import laplace


def clipped(
    data: np.ndarray,
    samples: int,
    rng: np.random.Generator,
    *,
    epsilon: float,
    forgotten: float = 0.0,
) -> np.ndarray:
    """Sound: the sum of the records clipped to [0, 1], with noise of scale 1/epsilon.

    With ``forgotten`` above 0 broken: so many runs forget to clip, and one record moves the sum
    by its whole size. Truth for a record of size x in place of 0: epsilon x + ln(forgotten).

    >>> clipped(np.array([0.5, 99.0]), 3, np.random.default_rng(0), epsilon=1e9).round(3).tolist()
    [1.5, 1.5, 1.5]
    """
    slips = rng.uniform(size=samples) < forgotten
    total = np.where(slips, data.sum(), np.clip(data, 0, 1).sum())
    return total + laplace(rng, 1 / epsilon, (samples,))


def cut_noise(
    data: np.ndarray,
    samples: int,
    rng: np.random.Generator,
    *,
    epsilon: float,
    scales: float = 5.0,
) -> np.ndarray:
    """Broken: no noise beyond so many scales, so some answers cannot come. No epsilon holds.

    Its sound twin has all of the noise: ``laplace_noise`` in :mod:`dpviz.audit.broken_noise`.

    >>> drawn = cut_noise(np.zeros(2), 1000, np.random.default_rng(0), epsilon=1)
    >>> drawn.shape, bool(4 < np.abs(drawn).max() < 5)
    ((1000, 2), True)
    """
    shape = (samples, len(data))
    size = -np.log1p(rng.uniform(size=shape) * math.expm1(-scales))  # by the inverse of its law
    return data + rng.choice([-1, 1], size=shape) * size / epsilon
