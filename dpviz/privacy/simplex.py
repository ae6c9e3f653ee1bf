"""The nearest distribution: what noisy counts can be made into for free."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks


def nearest_on_simplex(noisy: ArrayLike, total: float) -> np.ndarray:
    """The nearest table (in l2) of numbers that are not negative and add up to ``total``.

    Free: post-processing, as the total is public. One level is taken off all numbers, so most of
    the noise in empty cells goes. The level is that at which the sum is right (Held, Wolfe and
    Crowder 1974): by sorting.

    Parameters
    ----------
    noisy : array (cells,); total : float > 0

    >>> nearest_on_simplex([5.0, -1.0, 3.0], 6.0)
    array([4., 0., 2.])
    """
    noisy = checks.queries("noisy", noisy)
    total = checks.number("total", total, above=0)
    if noisy.ndim != 1 or not len(noisy):
        raise ValueError(f"noisy must have shape (cells,) with a cell at least, not {noisy.shape}")
    falling = np.sort(noisy)[::-1]
    levels = (np.cumsum(falling) - total) / np.arange(1, len(noisy) + 1)
    level = levels[np.flatnonzero(falling > levels)[-1]]
    return np.maximum(noisy - level, 0.0)
