"""A public projection of the digits: nine low-frequency coefficients of the cosine transform."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpviz.data import real_sets

FREQUENCIES = [(a, b) for a in range(4) for b in range(4) if 0 < a + b <= 3]


@lru_cache
def dct_coefficients() -> np.ndarray:
    """Nine coefficients of the discrete cosine transform of each picture, in [0, 1]; (1797, 9).

    The frequencies and the scale are public. No coefficient can leave [0, 1], because the
    positive and negative values of a cosine weigh the same.

    >>> dct_coefficients().shape
    (1797, 9)
    """
    at = np.pi * (np.arange(8) + 0.5) / 8
    cosines = np.array([np.outer(np.cos(a * at), np.cos(b * at)).ravel() for a, b in FREQUENCIES])
    coefficients = real_sets.digits().unit() @ cosines.T / np.abs(cosines).sum(axis=1)
    return coefficients + 0.5


@lru_cache
def digit_labels() -> np.ndarray:
    """Which figure each picture shows, 0 to 9; only to judge what was found; (1797,)."""
    from sklearn.datasets import load_digits

    return load_digits().target
