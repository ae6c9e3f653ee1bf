"""The average l1 distance F from a query to the records: the convex function to be learnt.

**Paper.** Huang and Roth (2014), section 3: F(y) = (1/n) sum of ||x - y||_1 over records x.

**Setting.** n private records in [0, 1]^d; a query is a point y; both distances and answers
are in units of the (rescaled) coordinates.

**Idea.** F is a sum over coordinates of convex functions that rise or fall by at most one
per unit. Sort each column once and keep its running sums: then a query needs only the
number of records to its left.

**Symbols.**

==========  ==============  =======================================  =================
paper       here            meaning                                  shape, unit
==========  ==============  =======================================  =================
D, n        ``data``, n     the records and their number (public)    (n, d), [0, 1]
l           d               number of coordinates
F(y)        ``value``       average l1 distance from y               in [0, d]
F^(i)(y)    ``values``      the summand of coordinate i              in [0, 1]
F^(i)'      ``slope``       left or right derivative of that         in [-1, 1]
==========  ==============  =======================================  =================

**Departures.** The paper scans all records, O(d n) a query; here it is O(d log n) after one
sort. It writes F^(i) as a function of y; it depends on y_i only. It calls F
"1/n-Lipschitz": F is 1-Lipschitz in l1, and 1/n belongs to its sensitivity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.privacy.private_data import unit_points

if TYPE_CHECKING:
    from dpviz.privacy.box import Box

SIDES = ("left", "right", "middle")


class AverageDistance:
    """Average l1 distance from a query to the records, exact, in O(d log n) a query.

    Not private: it reads the records. What leaves must pass a curator.

    Parameters
    ----------
    data : array, shape (n,) or (n, d), every entry in [0, 1]
        Private records. Rescale raw ones with :func:`dpviz.privacy.private_data.unit_points`.

    Raises
    ------
    TypeError, ValueError
        If ``data`` is no such array. The message never shows a value.

    >>> distance = AverageDistance([0.25, 0.75])
    >>> distance.value([0.0, 0.5]).tolist()
    [0.5, 0.25]
    >>> float(distance.slope(0.25, side="left")), float(distance.slope(0.25, side="right"))
    (-1.0, 0.0)
    """

    # The public box, and "clip" or "refuse", that the records were rescaled by.
    origin: tuple[Box, str] | None = None

    def __init__(self, data: ArrayLike):
        points = unit_points(data, outside="refuse")
        self.n, self.d = points.shape
        self._data = np.ascontiguousarray(np.sort(points, axis=0).T)
        self._data_sums = np.zeros((self.d, self.n + 1))
        np.cumsum(self._data, axis=1, out=self._data_sums[:, 1:])

    def values(self, y: ArrayLike) -> np.ndarray:
        """Average distance in each coordinate; shape ``(k, d)``, or that of ``y`` if d = 1."""
        y = checks.queries("y", y, self.d)
        return self._each_column(y, self._column_values)

    def value(self, y: ArrayLike) -> np.ndarray:
        """Average l1 distance F(y); shape ``(k,)``, or that of ``y`` if d = 1."""
        values = self.values(y)
        return values if self.d == 1 else values.sum(axis=1)

    def value_at(self, i: int, t: float) -> float:
        """The summand of coordinate i at one place, as :meth:`values` but without its checks."""
        r = int(self._data[i].searchsorted(t, "right"))
        sums = self._data_sums[i]
        return (t * (2 * r - self.n) + sums.item(self.n) - 2 * sums.item(r)) / self.n

    def tangent_at(self, i: int, t: float) -> tuple[float, float]:
        """The left tangent of that summand at one place: its height at 1/2, half its slope."""
        slope = (2 * int(self._data[i].searchsorted(t)) - self.n) / self.n
        return self.value_at(i, t) + slope * (0.5 - t), slope / 2

    def slope(self, y: ArrayLike, side: str = "left") -> np.ndarray:
        """One-sided derivative in each coordinate; shapes as in :meth:`values`.

        ``side`` is "left" (records at y count as right of it), "right" or "middle" (the mean
        of the two). They differ only where y equals a record.
        """
        y = checks.queries("y", y, self.d)
        checks.choice("side", side, SIDES)
        return self._each_column(y, lambda i, t: self._column_slopes(i, t, side))

    def moved(self, move: Callable[[np.ndarray], np.ndarray]) -> AverageDistance:
        """The same after every entry was moved, by an elementwise function into [0, 1].

        The answers depend on the columns alone, not on which entries make one record.
        """
        moved = AverageDistance(move(self._data.T))
        moved.origin = self.origin
        return moved

    def _each_column(self, y: np.ndarray, function: Callable) -> np.ndarray:
        """Apply ``function(i, column)`` to each coordinate of the queries."""
        if self.d == 1:
            return _in_sorted_order(lambda t: function(0, t), y)
        columns = [_in_sorted_order(lambda t, i=i: function(i, t), y[:, i]) for i in range(self.d)]
        return np.stack(columns, axis=1)

    def _column_values(self, i: int, t: np.ndarray) -> np.ndarray:
        """(t (2r - n) + P_n - 2 P_r) / n, with r records up to t and their sum P_r."""
        sums = self._data_sums[i]
        r = np.searchsorted(self._data[i], t, side="right")
        return (t * (2 * r - self.n) + sums[-1] - 2 * sums[r]) / self.n

    def _column_slopes(self, i: int, t: np.ndarray, side: str) -> np.ndarray:
        """(share of records left of t) - (share right of t), ties counted by ``side``."""
        if side == "middle":
            return (self._column_slopes(i, t, "left") + self._column_slopes(i, t, "right")) / 2
        r = np.searchsorted(self._data[i], t, side=side)
        return (2 * r - self.n) / self.n


def _in_sorted_order(function: Callable, y: np.ndarray) -> np.ndarray:
    """Evaluate an elementwise function on sorted queries: neighbours share the cache.

    >>> _in_sorted_order(np.sqrt, np.array([[4.0, 1.0], [9.0, 0.0]])).tolist()
    [[2.0, 1.0], [3.0, 0.0]]
    """
    if y.size < 2:
        return function(y)
    order = np.argsort(y, axis=None)
    result = np.empty(y.size)
    result[order] = function(y.ravel()[order])
    return result.reshape(y.shape)
