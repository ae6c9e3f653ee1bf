"""Cell counts: the histogram of the private records, from which every curve is computed.

**Paper.** None: the bookkeeping of the releases beside Huang and Roth (2014).

**Setting.** n private records, clipped to the box of module ``release_params`` one by one.

**Idea.** A coordinate's curve at the grid points needs only two numbers for each cell: how many
records it holds, and where in the cell they lie on average. One pass counts both.

**Symbols.**

==========  ==============  =================================================  ==============
usual       here            meaning                                            shape
==========  ==============  =================================================  ==============
s           ``cell_slopes`` mean of sign(t - x) over records x and a cell's t  (d, m), [-1, 1]
F(y)        ``truth``       average l1 distance, exact                         (k,)
==========  ==============  =================================================  ==============

**Departures.** Huang and Roth scan the records for each query; here they are read once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.releases.release_params import Params, rescaled_queries
from dpviz.privacy.private_data import unit_points

BLOCK = 8192  # records at a time: they stay in the cache
GEOMETRY = ("n", "d", "box", "cells", "diameter", "center", "outside")


@dataclass(frozen=True, eq=False)
class Prepared:
    """Private: the records as counts of cells, to be released again and again.

    Attributes
    ----------
    data : the records as they were given
    params : Params, the box they were put in
    counts : array (d, m), records in each cell
    inside : array (d, m), sum over them of their place in the cell, from 0 to 1
    """

    data: ArrayLike
    params: Params
    counts: NDArray
    inside: NDArray

    @cached_property
    def unit(self) -> NDArray:
        """The records, confined and rescaled to [0, 1] in each column; shape (n, d)."""
        return _admit(self.data, self.params)

    @cached_property
    def exact(self) -> AverageDistance:
        """The records sorted, for exact answers in these units."""
        return AverageDistance(self.unit)


def truth(data: ArrayLike | Prepared, queries: ArrayLike, params: Params) -> NDArray:
    """Average l1 distance from each query to the admissible records.

    For comparison only: not private. ``queries`` and the result are as in ``curves.answer``.

    >>> truth([1.0, 2.0, 9.0], [0.0, 3.0], Params(n=3, epsilon=1, upper=3.0)).tolist()
    [2.0, 1.0]
    """
    unit, shape = rescaled_queries(queries, params.box)
    values = prepare(data, params).exact.values(unit[:, 0] if params.d == 1 else unit)
    return (values.reshape(unit.shape) @ params.widths).reshape(shape)


def prepare(data: ArrayLike | Prepared, params: Params) -> Prepared:
    """Check, clip, confine and count the private records: O(n d), once for many releases.

    Parameters
    ----------
    data : array (n,) or (n, d), private; or what this returned for the same box
    params : Params

    Raises
    ------
    TypeError, ValueError
        If ``data`` has not the shape (n, d) or is not finite; with outside="refuse" if a record
        is not admissible. Nothing of it is shown.

    >>> prepare([0.1, 0.2, 0.9], Params(n=3, epsilon=1, cells=2)).counts.tolist()
    [[2.0, 1.0]]
    """
    if isinstance(data, Prepared):
        if any(getattr(data.params, name) != getattr(params, name) for name in GEOMETRY):
            raise ValueError("data were prepared for other params: prepare them again")
        return data
    data = _array(data)
    if (data.shape if data.ndim > 1 else (*data.shape, 1)) != (params.n, params.d):
        raise ValueError(f"data must have n = {params.n} records of d = {params.d} coordinates")
    counts, inside = np.zeros((2, params.d * params.cells))
    for start in range(0, params.n, BLOCK):
        more = _count(_admit(data[start : start + BLOCK], params), params.cells)
        counts += more[0]
        inside += more[1]
    size = (params.d, params.cells)
    return Prepared(data, params, counts.reshape(size), inside.reshape(size))


def cell_slopes(prepared: Prepared) -> NDArray:
    """Mean slope of each coordinate's curve in each cell: private, exact; shape (d, m).

    The curve of one record x is |x - t|, of slope sign(t - x): at most 1 in size. Between grid
    points the exact curve rises by this times the width of a cell.

    >>> cell_slopes(prepare([0.25, 0.75], Params(n=2, epsilon=1, cells=2))).tolist()
    [[-0.5, 0.5]]
    """
    n = prepared.params.n
    left = np.cumsum(prepared.counts, axis=1) - prepared.inside
    return (2 * left - n) / n


def measure(
    answers: ArrayLike, data: ArrayLike | Prepared, queries: ArrayLike, params: Params
) -> dict[str, float]:
    """Largest and root mean square error of answers. For comparison only: not private.

    >>> measure([0.0], [0.5], [0.2], Params(n=1, epsilon=1))["error"]
    0.3
    """
    gap = np.abs(answers - truth(data, queries, params))
    return {"error": float(gap.max()), "rms": float(np.sqrt(np.mean(gap**2)))}


def _array(data: ArrayLike) -> NDArray:
    """Private records as an array; the message shows nothing of them."""
    try:
        return np.asarray(data)
    except ValueError:
        raise ValueError("data must be a table: records of equal length") from None


def _admit(data: ArrayLike, params: Params) -> NDArray:
    """Records clipped to the box, rescaled to [0, 1] and confined to the diameter."""
    unit = unit_points(data, params.box.lower, params.box.upper, outside=params.outside)
    if params.diameter is None:
        return unit
    center = (params.center_point - params.box.lower) / params.widths
    offset = unit - center
    far = np.abs(offset) @ params.widths
    if params.outside == "refuse" and (far > params.diameter / 2 * (1 + 1e-12)).any():
        raise ValueError("data must lie within half the public diameter from the center")
    shrink = np.minimum(1.0, params.diameter / 2 / np.maximum(far, 1e-300))
    return np.clip(center + offset * shrink[:, None], 0.0, 1.0)


def _count(unit: NDArray, cells: int) -> tuple[NDArray, NDArray]:
    """Records in each cell, and the sum of their places in it; two arrays (d m,)."""
    places, d = unit * cells, unit.shape[1]
    cell = np.minimum(places.astype(np.intp), cells - 1)
    places -= cell
    cell += np.arange(d) * cells
    at, size = cell.ravel(), d * cells
    return np.bincount(at, minlength=size), np.bincount(at, places.ravel(), minlength=size)
