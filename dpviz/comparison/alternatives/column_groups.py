"""The densest window of each pair, or triple, of columns; then the average of the rows near it.

A cluster that no axis shows may be what is dense in two columns at once, or in three. The columns
are taken in disjoint groups; in each the exponential mechanism chooses a window of two by two bins
with many records, and the crossing of all windows is moved to the average of the rows near it,
twice. Shares of the budget and radii were chosen on synthetic records of other seeds; nothing is
proved about the radius.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.privacy.curator import Curator

BINS, WINDOW = 16, 2  # of a column
SHARES = (0.6, 0.2)  # of rho: all windows, each of two averages
NEAR, LEAST = 1.1, 0.06  # second radius: NEAR sd sqrt(d) + LEAST


@dataclass(frozen=True, kw_only=True)
class Params:
    """Public numbers: ``d`` columns in groups of ``size``, each in so many ``bins``; ``share`` of
    rho for all windows, the rest for the averages.

    >>> Params(d=2, size=3)
    Traceback (most recent call last):
    ...
    ValueError: d must be a whole number, at least 3, not 2
    """

    d: int
    size: int
    bins: int = BINS
    share: float = SHARES[0]

    def __post_init__(self) -> None:
        checks.integer("size", self.size, at_least=1, at_most=4)
        checks.integer("d", self.d, at_least=self.size)
        checks.integer("bins", self.bins, at_least=WINDOW)
        checks.number("share", self.share, above=0, below=1)

    @property
    def groups(self) -> list[list[int]]:
        """The columns in order; the last group is filled up with the ones before.

        >>> Params(d=5, size=2).groups
        [[0, 1], [2, 3], [3, 4]]
        """
        starts = [min(first, self.d - self.size) for first in range(0, self.d, self.size)]
        return [list(range(first, first + self.size)) for first in starts]


def release(data: np.ndarray, params: Params, curator: Curator) -> np.ndarray:
    """The centre (d,). Costs all of the curator's rho.

    Sensitivity. A replaced record moves the number of records in a window by at most 1.

    Parameters
    ----------
    data : array (n, d) in [0, 1], private; curator : of zCDP

    >>> data = np.vstack([np.full((600, 2), 0.3), np.random.default_rng(0).random((400, 2))])
    >>> release(data, Params(d=2, size=2), Curator(rho=1.0, rng=0)).round(1)
    array([0.3, 0.3])
    """
    return averaged(crossing(data, params, curator), data, data, curator)


def crossing(data: np.ndarray, params: Params, curator: Curator) -> np.ndarray:
    """Where the densest windows of all groups cross; array (d,). Costs ``params.share``."""
    groups = params.groups
    rho = curator.budget.rho * params.share / len(groups)
    center = np.empty(params.d)
    for columns in groups:
        center[columns] = densest(data[:, columns], curator, rho=rho, bins=params.bins)
    return center


def averaged(
    center: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    curator: Curator,
    *,
    half: float = WINDOW / BINS / 2,
    share: float = SHARES[1],
) -> np.ndarray:
    """A centre (d,) moved to the average of the rows near it, twice. Costs twice the ``share``.

    Parameters
    ----------
    center : array (d,), public
    first, second : arrays (rows, d) in [0, 1], private, for each of the averages
    curator : of zCDP, who has as much of the budget left
    half : float > 0, how far from the centre the cluster may be in each column
    """
    rho = curator.budget.rho
    root = math.sqrt(len(center))
    sd = half
    how: dict[str, Any] = {"radius": half * root, "rho": share * rho, "label": "first"}
    found = curator.average(first, center=center, **how)
    if found is not None:
        center = np.clip(found.center, 0, 1)
        sd = found.sd
    how = {"radius": NEAR * min(sd, half) * root + LEAST, "rho": share * rho, "label": "second"}
    found = curator.average(second, center=center, **how)
    return center if found is None else np.clip(found.center, 0, 1)


def densest(columns: np.ndarray, curator: Curator, *, rho: float, bins: int) -> np.ndarray:
    """Middle of a window with many records; (size,)."""
    size = columns.shape[1]
    cells = np.minimum((columns * bins).astype(int), bins - 1)
    flat = cells @ bins ** np.arange(size)[::-1]
    counts = np.bincount(flat, minlength=bins**size).reshape([bins] * size)
    side = bins - WINDOW + 1
    sums = np.zeros([side] * size)
    for shift in itertools.product(range(WINDOW), repeat=size):
        sums += counts[tuple(slice(one, one + side) for one in shift)]
    cost: dict[str, Any] = {"sensitivity": 1.0, "epsilon": math.sqrt(8 * rho), "label": "window"}
    chosen = np.unravel_index(curator.choose(sums.ravel(), **cost), sums.shape)
    return (np.array(chosen) + WINDOW / 2) / bins
