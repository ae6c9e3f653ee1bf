"""The closest pair of each few records; then the densest window of each column, over all pairs.

Sample and aggregate (Nissim, Raskhodnikova and Smith 2007): the records are cut into small groups
by a public random order, each group answers without noise, and only the answers are aggregated
privately. A group's answer is the middle of its two closest records. Where a quarter of the
records stand close together, most groups of ten have two of them, so most answers lie in the
cluster: the minority has become a majority, which every axis shows. All columns count in a
distance, so the cluster may hide from any few of them.

The number of records in a group was chosen on synthetic records of other seeds, and others are
tried beside it (`comparison.experiments.SETTINGS`); nothing is proved about the radius.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.comparison.alternatives import column_groups
from dpviz.privacy.curator import Curator


@dataclass(frozen=True, kw_only=True)
class Params:
    """Public numbers: ``d`` columns, ``size`` records in a group; ``bins`` and ``share`` as of
    ``column_groups.Params``.

    >>> Params(d=2, size=1)
    Traceback (most recent call last):
    ...
    ValueError: size must be a whole number, at least 2 and at most 1000, not 1
    """

    d: int
    size: int = 10
    bins: int = column_groups.BINS
    share: float = column_groups.SHARES[0]

    def __post_init__(self) -> None:
        checks.integer("size", self.size, at_least=2, at_most=1000)
        self.columns()

    def columns(self) -> column_groups.Params:
        """Of the windows, a column at a time."""
        return column_groups.Params(d=self.d, size=1, bins=self.bins, share=self.share)


def release(data: np.ndarray, params: Params, curator: Curator, *, order: np.ndarray) -> np.ndarray:
    """The centre (d,). Costs all of the curator's rho.

    Sensitivity. A replaced record is in one group, so it moves one pair's middle: the number of
    middles in a window by at most 1, and of both averages one row.

    Parameters
    ----------
    data : array (n, d) in [0, 1], n >= size, private; curator : of zCDP
    order : array (n,), a public permutation that is drawn without the data

    >>> data = np.vstack([np.full((600, 2), 0.3), np.random.default_rng(0).random((1400, 2))])
    >>> order = np.random.default_rng(1).permutation(2000)
    >>> release(data, Params(d=2), Curator(rho=2.0, rng=0), order=order).round(1)
    array([0.3, 0.3])
    """
    middles = closest(data[order], params.size)
    center = column_groups.crossing(middles, params.columns(), curator)
    half = column_groups.WINDOW / params.bins / 2
    rest = (1 - params.share) / 2
    return column_groups.averaged(center, middles, data, curator, half=half, share=rest)


def closest(rows: np.ndarray, size: int) -> np.ndarray:
    """Middles of the two closest rows of each ``size`` in turn; array (groups, d). Private.

    What is left over at the end, fewer than ``size`` rows, is in no group.

    >>> closest(np.array([[0.0], [0.5], [0.6], [1.0]]), 4)
    array([[0.55]])
    """
    groups = rows[: len(rows) // size * size].reshape(-1, size, rows.shape[1])
    first, second = np.triu_indices(size, 1)
    apart = np.square(groups[:, first] - groups[:, second]).sum(axis=2)
    best = apart.argmin(axis=1)
    number = np.arange(len(groups))
    return (groups[number, first[best]] + groups[number, second[best]]) / 2
