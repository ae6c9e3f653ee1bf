"""A public projection of the digits: nine slow cosine waves over each picture."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpviz.data import real_sets

WAVES = [(a, b) for a in range(4) for b in range(4) if 0 < a + b <= 3]


@lru_cache
def waves() -> np.ndarray:
    """Weights of nine waves in each of the 1,797 pictures, in [0, 1]; (1797, 9).

    The waves and their scale are public. No weight can leave [0, 1]: a wave's positive and
    negative parts weigh the same.

    >>> waves().shape
    (1797, 9)
    """
    at = np.pi * (np.arange(8) + 0.5) / 8
    shapes = np.array([np.outer(np.cos(a * at), np.cos(b * at)).ravel() for a, b in WAVES])
    weights = real_sets.digits().unit() @ shapes.T / np.abs(shapes).sum(axis=1)
    return weights + 0.5


@lru_cache
def written() -> np.ndarray:
    """Which figure each picture shows, 0 to 9; only to judge what was found; (1797,)."""
    from sklearn.datasets import load_digits

    return load_digits().target
