"""The crowd of the valley: records in fixed proportions, so that a slider may say how many."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpviz.papers.smooth_queries.chebyshev import chebyshev
from dpviz.papers.smooth_queries.gaussian_kernel import Bumps

CROWDS = ["skewed", "mirrored"]
MOST, K = 32, 30  # waves and bumps


@lru_cache
def crowd_moments(crowd: str) -> np.ndarray:
    """Means of the waves of one variable: 2 Beta(2, 3) - 1, or its mirror image; (MOST,)."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    law = 12 * ((nodes + 1) / 2) * ((1 - nodes) / 2) ** 2 / 2
    means = chebyshev(nodes, MOST) @ (weights * law)
    return means if crowd == "skewed" else means * (-1.0) ** np.arange(MOST)


@lru_cache
def crowd_truth(crowd: str, d: int, width: float) -> tuple[Bumps, np.ndarray]:
    """K public bumps, and their means over the crowd."""
    bumps = Bumps.draw(K, d=d, width=width, rng=6)
    nodes, weights = np.polynomial.legendre.leggauss(200)
    law = weights * 12 * ((nodes + 1) / 2) * ((1 - nodes) / 2) ** 2 / 2
    law = law if crowd == "skewed" else law[::-1]
    shapes = np.exp(-((nodes - bumps.centres[..., None]) ** 2) / (2 * width**2))
    return bumps, (shapes @ law).prod(axis=1)
