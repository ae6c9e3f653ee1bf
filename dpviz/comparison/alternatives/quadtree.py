"""Adaptive grid: the densest half of every column at once, and the densest half inside it.

The box is cut in the middle of each column, so that it has 2^d cells; the exponential mechanism
chooses one with many records, which is cut in the same way. A cluster that no axis shows is what is
dense in one of these cells. Then the centre is moved to the average of the rows near it, twice. A
cut may go through the cluster; the grid's place is random, and public. Shares of the budget, levels
and radii were chosen on synthetic records of other seeds; nothing is proved about the radius.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.comparison.alternatives import column_groups
from dpviz.privacy.curator import Curator

LEVELS = 3
MOST = 12  # columns, whose 2^d cells are scored
SIDE = 1.5  # of the grid, in sides of the box, so that it can be moved


@dataclass(frozen=True, kw_only=True)
class Params:
    """Public numbers: ``d`` columns.

    >>> Params(d=50)
    Traceback (most recent call last):
    ...
    ValueError: d must be at most 12, because 2^d cells are scored, not 50
    """

    d: int

    def __post_init__(self) -> None:
        if checks.integer("d", self.d, at_least=1) > MOST:
            raise ValueError(
                f"d must be at most {MOST}, because 2^d cells are scored, not {self.d}"
            )


def release(
    data: np.ndarray, params: Params, curator: Curator, *, corner: np.ndarray
) -> np.ndarray:
    """The centre (d,). Costs all of the curator's rho.

    Sensitivity. A replaced record moves the number of records in a cell by at most 1.

    Parameters
    ----------
    data : array (n, d) in [0, 1], private; curator : of zCDP
    corner : array (d,) in [0, 1], public and random: where in the grid the box begins

    >>> data = np.vstack([np.full((600, 2), 0.3), np.random.default_rng(0).random((400, 2))])
    >>> release(data, Params(d=2), Curator(rho=1.0, rng=0), corner=np.full(2, 0.5)).round(1)
    array([0.3, 0.3])
    """
    all_levels = column_groups.SHARES[0] * curator.budget.rho
    low = -(SIDE - 1) * np.asarray(corner)
    side = SIDE
    bits = 2 ** np.arange(params.d)
    each = math.sqrt(8 * all_levels / LEVELS)
    cost: dict[str, Any] = {"sensitivity": 1.0, "epsilon": each, "label": "cell"}
    for _ in range(LEVELS):
        inside = data[((data >= low) & (data < low + side)).all(axis=1)]
        cells = (inside >= low + side / 2) @ bits
        counts = np.bincount(cells, minlength=2**params.d).astype(float)
        chosen = curator.choose(counts, **cost)
        side = side / 2
        low = low + side * ((chosen & bits) > 0)
    center = np.clip(low + side / 2, 0, 1)
    return column_groups.averaged(center, data, data, curator, half=side / 2)
