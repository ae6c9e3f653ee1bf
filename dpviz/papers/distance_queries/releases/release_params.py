"""Public parameters of the releases that answer all l1 distance queries at once.

**Paper.** None: the setting that the releases beside Huang and Roth (2014) share.

**Setting.** n private records in a public box; a query y in the box asks for the average l1
distance F(y) from the records. Neighbours differ in one replaced record.

**Idea.** F is a sum over coordinates of convex curves. Fix a box that holds all records, and
an even grid of m cells in each coordinate: curves are released at m + 1 grid points.

**Symbols.**

=======  =============================  ===========================================  ===========
usual    here                           meaning                                      shape, unit
=======  =============================  ===========================================  ===========
n, d     ``n``, ``d``                   records and coordinates                      counts
w_i, W   ``widths``, ``total_width``    width of each column of the box, their sum   unit of y
m        ``cells``                      cells of the grid in each coordinate         count
Delta    ``admissible_diameter``        largest l1 distance of two admissible rows   unit of y
c        ``center_point``               point towards which rows are confined        (d,)
=======  =============================  ===========================================  ===========

**Departures.** Huang and Roth take the unit cube and call its diameter 1; here each column has
its own public bounds. A public l1 diameter below W is enforced record by record: a row
further than Delta / 2 from c is moved towards c until it is not. Both maps treat each record by
itself, so neighbours stay neighbours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.privacy.box import Box
from dpviz.privacy.budgeted import Budgeted
from dpviz.privacy.private_data import OUTSIDE


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """Everything public about a release of curves.

    Attributes
    ----------
    n, d : int >= 1, number of records and of coordinates
    epsilon, delta : budget of the whole release; delta = 0 means pure
    lower, upper : float, or tuple (d,); the public box
    cells : a power of two from 2 to 2^20, cells of the grid in each coordinate
    diameter : float in (0, W] or None; l1 diameter of the admissible rows, which lie within
        half of it from the center. None: the whole box is admissible, W its diameter.
    center : float, or tuple (d,), in the box; None: its middle
    beta : float in (0, 1), how often an error bound may fail
    outside : "clip" or "refuse", what happens to inadmissible records
    convex : bool, whether a release ends with ``curves.convex``: smaller errors as a rule for
        d = 1, but a weaker proof (None: no)

    >>> Params(n=100, d=2, epsilon=1, upper=(1.0, 3.0)).total_width
    4.0
    >>> Params(n=100, epsilon=1, cells=1000)
    Traceback (most recent call last):
    ...
    ValueError: cells must be a power of two from 2 to 1048576, not 1000
    """

    n: int
    d: int = 1
    epsilon: float
    delta: float = 0.0
    lower: float | tuple[float, ...] = 0.0
    upper: float | tuple[float, ...] = 1.0
    cells: int = 1024
    diameter: float | None = None
    center: float | tuple[float, ...] | None = None
    beta: float = 0.05
    outside: str = "clip"
    convex: bool | None = None

    def __post_init__(self):
        checks.integer("n", self.n, at_least=1)
        checks.integer("d", self.d, at_least=1)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, below=1)
        checks.number("beta", self.beta, above=0, below=1)
        checks.choice("outside", self.outside, OUTSIDE)
        cells = checks.integer("cells", self.cells, at_least=2, at_most=2**20)
        if cells & (cells - 1):
            raise ValueError(f"cells must be a power of two from 2 to {2**20}, not {cells}")
        if self.convex not in (None, True, False):
            raise ValueError(f"convex must be True, False or None, not {self.convex!r}")
        object.__setattr__(self, "center", _column("center", self.center, self.d))
        if ((self.center_point < self.box.lower) | (self.center_point > self.box.upper)).any():
            raise ValueError(f"center must lie in the box, not at {self.center!r}")
        if self.diameter is not None:
            checks.number("diameter", self.diameter, above=0, at_most=self.total_width)

    @cached_property
    def box(self) -> Box:
        """The public box."""
        return Box.of(self.d, lower=self.lower, upper=self.upper)

    @property
    def widths(self) -> NDArray:
        """Width of each column of the box; shape (d,)."""
        return self.box.widths

    @property
    def total_width(self) -> float:
        """W, the l1 diameter of the box."""
        return math.fsum(self.widths)

    @property
    def admissible_diameter(self) -> float:
        """Delta, the largest l1 distance of two admissible rows."""
        return self.total_width if self.diameter is None else self.diameter

    @property
    def center_point(self) -> NDArray:
        """The point towards which rows are confined; shape (d,)."""
        if self.center is None:
            return np.add(self.box.lower, self.box.upper) / 2
        return np.broadcast_to(self.center, self.d)

    @property
    def is_convex(self) -> bool:
        """Whether a release ends with the convex post-processing."""
        return bool(self.convex)


def resolution(params: Params) -> float:
    """How far an interpolated curve can be off by its grid alone: W / (2 m), for any data.

    Between grid points the chord lies above |x - y| by at most half a cell, and only if x and y
    share the cell; at grid points it is exact. For spread records it is far less.

    >>> resolution(Params(n=9, d=3, epsilon=1, cells=8))
    0.1875
    """
    return params.total_width / (2 * params.cells)


def rescaled_queries(queries: ArrayLike, box: Box) -> tuple[NDArray, tuple[int, ...]]:
    """Public queries rescaled to [0, 1], as a table (k, d), and the shape of their answers.

    Raises ValueError if a query lies outside the box, TypeError or ValueError if it is none.

    >>> rescaled_queries([1.0, 2.0], Box.of(1, lower=0, upper=4))[0].tolist()
    [[0.25], [0.5]]
    """
    points = checks.queries("queries", queries, box.d)
    return box.rescaled(points.reshape(-1, box.d)), answers_shape(points, box.d)


def answers_shape(points: NDArray, d: int) -> tuple[int, ...]:
    """One answer a query: (k,) for a table (k, d), else (d = 1) the shape of the places.

    >>> answers_shape(np.zeros((5, 1)), 1), answers_shape(np.zeros((5, 3)), 1)
    ((5,), (5, 3))
    """
    table = points.ndim == 2 and points.shape[1] == d
    return points.shape[:1] if table else points.shape


def _column(name: str, value: ArrayLike | None, d: int) -> float | tuple[float, ...] | None:
    """A public number, or d of them as a tuple."""
    if value is None:
        return None
    array = checks.queries(name, value)
    if array.shape not in ((), (d,)):
        raise ValueError(f"{name} must be a number or hold d = {d} numbers, not {value!r}")
    return float(array) if array.ndim == 0 else tuple(array.tolist())
