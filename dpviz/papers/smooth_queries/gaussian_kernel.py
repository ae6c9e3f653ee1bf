"""Gaussian kernel queries: the mean over the records of exp(-|x - c|^2 / (2 h^2)).

**Paper.** Wang, Fan, Zhang and Wang (2013) name kernels as smooth queries; Wang, Jin, Fan,
Zhang, Huang, Zhong and Wang (2016) test with mixtures of them.

**Setting.** A query is the mean over the records of exp(-sum_i (x_i - c_i)^2 / (2 h_i^2)), a number
in [0, 1], for a centre c in a public box and widths h, both in the unit of the box; or a mixture of
such with public weights. It says, softly, how many records are near c.

**Idea.** A Gaussian kernel is a product of one factor per variable. So its coefficients are
products, and its approximation error follows from those of the factors, with proof.

**Symbols.**

===========  =======================  =========================================  ===============
paper        here                     meaning                                    shape, unit
===========  =======================  =========================================  ===============
f            ``GaussianKernels``      k kernels, public                          value in [0, 1]
(none)       ``centres``              c, where they stand                        (k, d), of data
sigma        ``width``                h, their width, one or d of them           of data
c_m          ``factors``              coefficients, one factor per variable      d of (k, terms)
gamma        ``approximation_bound``  of |f - its truncated expansion|           (k,)
===========  =======================  =========================================  ===============

**Departures.** None: the paper leaves the queries open.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries import moments
from dpviz.papers.smooth_queries.chebyshev import chebyshev_nodes, same_box, transform_rows
from dpviz.papers.smooth_queries.jackson import operator_weights
from dpviz.papers.smooth_queries.release import Params, Release
from dpviz.privacy.box import EDGE, Box

ROUNDING = 1e-12  # of a factor's coefficients and their sums, at 512 nodes


@dataclass(frozen=True, eq=False, kw_only=True)
class GaussianKernels:
    """k public Gaussian kernel queries of one width for each variable, in the unit of their box.

    Attributes
    ----------
    centres : array (k, d) in the box
    width : float, or d of them; each at least 0.01 of its side, for narrower ones need more nodes
        than are used here
    lower, upper : float, or d of them: the box in whose unit centres and width are. That of the
        release; or -1 and 1, the box's own coordinates, in which every release's box is [-1, 1]

    Raises ValueError or TypeError for anything else.

    >>> kernels = GaussianKernels(centres=[[15.0]], width=5.0, lower=0.0, upper=20.0)
    >>> kernels.unit.centres.tolist(), kernels.unit.width.tolist()
    ([[0.5]], [0.5])
    """

    centres: np.ndarray
    width: ArrayLike
    lower: ArrayLike
    upper: ArrayLike

    def __post_init__(self):
        centres = np.atleast_2d(checks.queries("centres", self.centres))
        if centres.ndim != 2 or centres.size == 0:
            raise ValueError("centres must have shape (k, d)")
        object.__setattr__(self, "centres", centres)
        d = centres.shape[1]
        width = checks.queries("width", self.width)
        if width.shape not in ((), (d,)):
            raise ValueError(f"width must be a number or {d} of them, not {self.width!r}")
        object.__setattr__(self, "width", np.broadcast_to(width, d))
        middle, half = self._middle_and_half()
        if np.abs((centres - middle) / half).max() > 1 + EDGE:
            raise ValueError("centres must have shape (k, d) and entries in the box [lower, upper]")
        for share in self.width / half:
            checks.number("width over half a side of the box", share, at_least=0.02)

    @classmethod
    def draw(
        cls, k: int, *, d: int, width: float, lower: ArrayLike, upper: ArrayLike, rng: checks.Seed
    ) -> GaussianKernels:
        """k kernels with uniform centres: public randomness.

        >>> GaussianKernels.draw(3, d=2, width=0.5, lower=-1, upper=1, rng=1).centres.shape
        (3, 2)
        """
        centres = checks.generator(rng).uniform(-1, 1, (checks.integer("k", k, at_least=1), d))
        low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
        centres = (low + high) / 2 + centres * (high - low) / 2
        return cls(centres=centres, width=width, lower=lower, upper=upper)

    @cached_property
    def unit(self) -> GaussianKernels:
        """The same in the box's own coordinates, in which it is [-1, 1]^d."""
        middle, half = self._middle_and_half()
        centres = np.clip((self.centres - middle) / half, -1, 1)
        return GaussianKernels(centres=centres, width=self.width / half, lower=-1, upper=1)

    def within(self, d: int) -> GaussianKernels:
        """These kernels, if they stand in d variables.

        >>> GaussianKernels(centres=[[0.0]], width=1.0, lower=-1, upper=1).within(2)
        Traceback (most recent call last):
        ...
        ValueError: centres must have d = 2 columns, not 1
        """
        if self.centres.shape[1] != d:
            raise ValueError(f"centres must have d = {d} columns, not {self.centres.shape[1]}")
        return self

    def in_box(self, lower: ArrayLike, upper: ArrayLike, d: int) -> GaussianKernels:
        """These kernels in the coordinates of a release's box: theirs must be that, or [-1, 1].

        >>> kernels = GaussianKernels(centres=[[15.0]], width=5.0, lower=0.0, upper=20.0)
        >>> kernels.in_box(0.0, 30.0, 1)
        Traceback (most recent call last):
        ...
        ValueError: queries must be in the unit of the release, whose box is [0.0, 30.0]
        """
        self.within(d)
        same_box("queries", self.lower, self.upper, lower, upper)
        return self.unit

    def value(self, points: np.ndarray) -> np.ndarray:
        """Each kernel at each point, in the unit of the box; array (m, k) for points (m, d).

        >>> query = GaussianKernels(centres=[[0.0]], width=1.0, lower=-1, upper=1)
        >>> query.value(np.array([[0.0], [1.0]])).ravel().round(4)
        array([1.    , 0.6065])
        """
        self.within(points.shape[1])
        centres = self.centres
        widths = np.asarray(self.width)
        width = float(widths[0])
        if np.ptp(widths):  # lengths in widths: one number serves for all variables
            points = points / widths
            centres = centres / widths
            width = 1.0
        values = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)
        values -= 2 * points @ centres.T  # in place: each pass over another table costs as much
        np.maximum(0.0, values, out=values)
        values /= -(2 * width**2)
        return np.exp(values, out=values)

    def mean(self, points: np.ndarray) -> np.ndarray:
        """The exact answers on records (n, d); array (k,). Not private.

        >>> query = GaussianKernels(centres=[[0.0]], width=1.0, lower=-1, upper=1)
        >>> query.mean(np.array([[0.0], [0.0]]))
        array([1.])
        """
        step = max(1, 2**20 // len(self.centres))
        parts = range(0, len(points), step)
        return sum(self.value(points[i : i + step]).sum(axis=0) for i in parts) / len(points)

    def factors(
        self, terms: int, *, operator: str = "truncation", allow_data_independent: bool = False
    ) -> list[np.ndarray]:
        """The coefficients of each kernel, one factor per variable; d arrays (k, terms).

        >>> query = GaussianKernels(centres=[[0.0, 1.0]], width=2.0, lower=-1, upper=1)
        >>> query.factors(2)[1].round(3).tolist()
        [[0.842, 0.203]]
        """
        weights = operator_weights(operator, terms, allow_data_independent=allow_data_independent)
        return [weights * row[:, :terms] for row in self._coefficients(terms)]

    def constant(self) -> np.ndarray:
        """The mean of each kernel over evenly spread angles: an answer without data; array (k,).

        >>> GaussianKernels(centres=[[0.0]], width=1.0, lower=-1, upper=1).constant()
        array([0.79])
        """
        return np.prod([factor[:, 0] for factor in self.factors(1)], axis=0)

    def approximation_bound(
        self, terms: int, *, operator: str = "truncation", allow_data_independent: bool = False
    ) -> np.ndarray:
        """Bounds of the largest error of each expansion with all t^d terms; array (k,).

        Proved, up to rounding. One variable: each coefficient c_n of the factor is off by
        |1 - w_n| |c_n|, those above by |c_n|; those that the grid cannot see are at most
        :func:`unseen` together, and alias on others once. Several: the factors are at most 1,
        so the product is off by at most prod (1 + e_i) - 1.

        >>> query = GaussianKernels(centres=[[0.2]], width=0.5, lower=-1, upper=1)
        >>> query.approximation_bound(9), query.approximation_bound(9, operator="jackson 2")
        (array([0.0007]), array([0.287]))
        """
        weights = operator_weights(operator, terms, allow_data_independent=allow_data_independent)
        rows = zip(self._coefficients(terms), self.unit.width, strict=True)
        errors = [_axis_error(row, weights, width) for row, width in rows]
        return np.prod([1 + error for error in errors], axis=0) - 1

    def _coefficients(self, terms: int) -> list[np.ndarray]:
        """All that the grid sees of each variable's factors; d arrays (k, nodes)."""
        grids = [grid(terms, width) for width in self.unit.width.tolist()]
        return [self._row(axis, nodes) for axis, nodes in enumerate(grids)]

    def _row(self, axis: int, nodes: int) -> np.ndarray:
        """What a grid sees of one variable's factors, computed once; (k, nodes)."""
        if (axis, nodes) not in self._rows:
            offsets = chebyshev_nodes(nodes) - self.unit.centres[:, axis, None]
            values = np.exp(-(offsets**2) / (2 * float(self.unit.width[axis]) ** 2))
            self._rows[axis, nodes] = transform_rows(values, nodes)
        return self._rows[axis, nodes]

    @cached_property
    def _rows(self) -> dict[tuple[int, int], np.ndarray]:
        return {}

    def _middle_and_half(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each side of the box; exactly 0 and 1 in its own coordinates."""
        box = Box.of(self.centres.shape[1], lower=self.lower, upper=self.upper)
        return np.add(box.lower, box.upper) / 2, box.widths / 2


def answer_kernels(
    release: Release,
    queries: GaussianKernels,
    *,
    operator: str = "truncation",
    allow_data_independent: bool = False,
) -> np.ndarray:
    """Algorithm 2 for Gaussian kernels, whose coefficients are products; array (k,).

    Free: post-processing.

    >>> from dpviz.papers.smooth_queries.release import release
    >>> params = Params(d=1, terms=9, epsilon=1e9, lower=-1, upper=1)
    >>> found = release([[0.5]], params, params.curator(rng=0))
    >>> answer_kernels(found, GaussianKernels(centres=[[0.5]], width=0.5, lower=-1, upper=1))
    array([1.000])
    """
    params = release.params
    checks.instance("queries", queries, GaussianKernels)
    how = {"operator": operator, "allow_data_independent": allow_data_independent}
    queries = queries.in_box(params.lower, params.upper, params.d)
    factors = queries.factors(params.terms, **how)
    return product_answers(release.summary, factors, params)


def _axis_error(coefficients: np.ndarray, kept: np.ndarray, width: float) -> np.ndarray:
    """The error bound of one variable's factors; array (k,)."""
    nodes = coefficients.shape[1]
    terms = len(kept)
    sizes = np.abs(coefficients)
    lost = sizes[:, :terms] @ np.abs(1 - kept) + sizes[:, terms:].sum(axis=1)
    return lost + 2 * unseen(nodes, width) + ROUNDING


@lru_cache(maxsize=1024)
def unseen(nodes: int, width: float) -> float:
    """A bound of the sum of |c_n|, n >= nodes, of one variable's factor.

    Proof. On the ellipse with half axes (r +- 1/r) / 2 the factor is at most
    M = exp(b^2 / (2 h^2)), b = (r - 1/r) / 2, so |c_n| <= 2 M r^-n (Bernstein); take the best r.

    >>> unseen(32, 0.5) < 1e-15
    True
    """
    r = 1 + np.geomspace(1e-3, 1e3, 400)
    b = (r - 1 / r) / 2
    logs = math.log(2) + b**2 / (2 * width**2) + (1 - nodes) * np.log(r) - np.log(r - 1)
    return float(np.exp(min(logs.min(), 50.0)))


def grid(terms: int, width: float) -> int:
    """Nodes per variable: at least two a term, and enough that nothing is unseen.

    >>> grid(8, 0.5), grid(8, 0.02) <= 512
    (32, True)
    """
    nodes = max(16, 2 * terms)
    while unseen(nodes, width) > 1e-14 and nodes < 4096:
        nodes *= 2
    return nodes


def product_coefficients(factors: list[np.ndarray], params: Params) -> Iterator[np.ndarray]:
    """The coefficients of product queries, some at a time; arrays (some, N).

    >>> params = Params(d=2, terms=2, epsilon=1, lower=-1, upper=1)
    >>> factors = [np.array([[1.0, 2]]), np.array([[3.0, 4]])]
    >>> [block.tolist() for block in product_coefficients(factors, params)]
    [[[3.0, 4.0, 6.0, 8.0]]]
    """
    index = moments.multi_indices(params.d, params.terms)
    step = max(1, 2**20 // len(index))
    for start in range(0, len(factors[0]), step):
        coefficients = np.ones(())
        for factor, numbers in zip(factors, index.T, strict=True):
            coefficients = coefficients * factor[start : start + step][:, numbers]
        yield coefficients


def product_answers(summary: np.ndarray, factors: list[np.ndarray], params: Params) -> np.ndarray:
    """Inner products of product queries with a summary; array (k,).

    >>> params = Params(d=1, terms=2, epsilon=1, lower=-1, upper=1)
    >>> product_answers(np.array([1.0, 0.5]), [np.array([[1.0, 2.0]])], params).tolist()
    [2.0]
    """
    return moments.contract(summary.reshape((params.terms,) * params.d), factors)


def synthetic(
    data: ArrayLike | None,
    queries: GaussianKernels | None,
    *,
    d: int,
    n: int,
    k: int,
    width: float,
    lower: ArrayLike,
    upper: ArrayLike,
    rng: np.random.Generator,
) -> tuple[ArrayLike, GaussianKernels]:
    """What a trial runs on: where there is no data, n records whose entries are 2 Beta(2, 3) - 1
    in the box's own coordinates, and where there are no queries, k kernels with uniform centres
    and a width in those.

    >>> rng = checks.generator(0)
    >>> public = {"d": 2, "n": 9, "k": 3, "width": 0.5, "lower": -1, "upper": 1}
    >>> data, queries = synthetic(None, None, **public, rng=rng)
    >>> data.shape, queries.centres.shape
    ((9, 2), (3, 2))
    """
    if data is None:
        box = Box.of(d, lower=lower, upper=upper)
        own = 2 * rng.beta(2, 3, (checks.integer("n", n, at_least=1), d)) - 1
        data = np.add(box.lower, box.upper) / 2 + own * box.widths / 2
    if queries is None:
        queries = GaussianKernels.draw(k, d=d, width=width, lower=-1, upper=1, rng=rng)
    checks.instance("queries", queries, GaussianKernels)
    return data, queries
