"""The population of the trade-off: fixed proportions, so that a slider may say how many records."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpviz.papers.smooth_queries.chebyshev import chebyshev
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels

POPULATIONS = ["skewed", "mirrored"]
MOST, K = 32, 30  # terms and kernels


@lru_cache
def population_moments(population: str) -> np.ndarray:
    """Chebyshev moments of one variable: 2 Beta(2, 3) - 1, or its mirror image; (MOST,)."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    density = 12 * ((nodes + 1) / 2) * ((1 - nodes) / 2) ** 2 / 2
    means = chebyshev(nodes, MOST) @ (weights * density)
    return means if population == "skewed" else means * (-1.0) ** np.arange(MOST)


@lru_cache
def population_truth(population: str, d: int, width: float) -> tuple[GaussianKernels, np.ndarray]:
    """K public Gaussian kernels, and their means over the population."""
    queries = GaussianKernels.draw(K, d=d, width=width, rng=6)
    nodes, weights = np.polynomial.legendre.leggauss(200)
    density = weights * 12 * ((nodes + 1) / 2) * ((1 - nodes) / 2) ** 2 / 2
    density = density if population == "skewed" else density[::-1]
    shapes = np.exp(-((nodes - queries.centres[..., None]) ** 2) / (2 * width**2))
    return queries, (shapes @ density).prod(axis=1)
