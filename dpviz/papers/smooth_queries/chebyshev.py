"""Chebyshev expansion of a public function, by cosine transform (Algorithm 2, Lemma 4.4).

**Paper.** Wang, Fan, Zhang and Wang (2013), Algorithm 2, Fact 4.2, Lemma 4.4.

**Setting.** A public function f on a public box, here moved to [-1, 1]^d. Wanted: the coefficient
c_m of each basis function phi_m(x) = prod_i cos(m_i arccos x_i), m in {0, ..., terms - 1}^d, in f.

**Idea.** Evaluate f on a grid that is even in the angles. One cosine transform gives all
coefficients, exactly so for degrees below the grid's fineness.

**Symbols.**

===========  ================  =============================================  ================
paper        here              meaning                                        shape, unit
===========  ================  =============================================  ================
f            ``function``      the query, public                              (m, d) to (m,)
t            ``terms``         degrees 0, ..., t - 1 per variable             whole number
c_m          ``coefficients``  coefficient of phi_m that is kept              (terms,) * d
(none)       ``nodes``         points per variable at which f is evaluated    whole number
(none)       ``tail``          sum of |c_m| that were computed and dropped    unit of f
===========  ================  =============================================  ================

**Departures.** Lemma 4.4 integrates each coefficient by sparse grids in O(tau^(-2/K)) evaluations
of f. No rule can do that on this class for d >= 3 (a function may differ between the nodes only). A
plain grid of 2 t nodes per variable reaches the accuracy that the paper needs, in O(t^d)
evaluations: below Theorem 3.1's query time for every d and K. Module ``sparse_grids`` has the
paper's way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries.jackson import operator_weights
from dpviz.privacy.box import Box
from dpviz.privacy.curator import Budgeted
from dpviz.privacy.private_data import OUTSIDE

Function: TypeAlias = Callable[[np.ndarray], np.ndarray]
LARGEST = 2**24  # values of a function on a grid: 128 MiB


@dataclass(frozen=True, kw_only=True)
class Boxed(Budgeted):
    """Base of Params of smooth queries: a public box and the budget; at delta = 0 noise is Laplace.

    Attributes
    ----------
    d : int in [1, 64], variables
    lower, upper : public bounds of each variable, a number or d of them
    outside : "clip" or "refuse", what happens to records outside
    """

    d: int
    lower: ArrayLike
    upper: ArrayLike
    outside: str = "clip"

    def __post_init__(self):
        super().__post_init__()
        checks.integer("d", self.d, at_least=1, at_most=64)
        checks.choice("outside", self.outside, OUTSIDE)


@dataclass(frozen=True, eq=False)
class Expansion:
    """A truncated Chebyshev expansion.

    Attributes
    ----------
    coefficients : array (terms,) * d
    tail : float, sum of |coefficients| that the grid saw and the summary does not hold; where it is
        large the function is not smooth enough for so low a degree
    nodes : int, points per variable at which the function was evaluated
    lower, upper : the box on which it was expanded: that of a release, or -1 and 1, its own
        coordinates
    """

    coefficients: np.ndarray
    tail: float
    nodes: int
    lower: ArrayLike
    upper: ArrayLike


def expand(
    function: Function,
    d: int,
    terms: int,
    *,
    lower: ArrayLike,
    upper: ArrayLike,
    operator: str = "truncation",
    nodes: int | None = None,
    allow_data_independent: bool = False,
) -> Expansion:
    """The coefficients of a public function on a public box under an operator.

    Parameters
    ----------
    function : callable, array (m, d) (or (m,) if d = 1) of points of the box to array (m,)
    d, terms : int >= 1
    lower, upper : float, or d of them: the box, in the function's unit
    operator, allow_data_independent : see ``jackson.operator_weights``
    nodes : int >= terms. Points per variable; by default 2 a term, doubled until the last
        coefficients are below 1e-12 of the largest, or the grid would pass 4096 per variable or 4
        million in all.

    Raises ValueError or TypeError if the grid is too large, or the function's values are not real,
    finite and (m,); the message shows the public node.

    >>> expand(lambda x: 4 * x**3, 1, 4, lower=-1, upper=1).coefficients.round(12) + 0
    array([0., 3., 0., 1.])
    >>> expand(lambda x: x, 1, 2, lower=0, upper=10).coefficients.tolist()
    [5.0, 5.0]
    """
    checks.integer("d", d, at_least=1)
    function = _on_box(function, d, lower, upper)
    weights = operator_weights(operator, terms, allow_data_independent=allow_data_independent)
    if nodes is None:
        spectrum, nodes = _until_small(function, d, terms)
    else:
        spectrum = transform(function, d, checks.integer("nodes", nodes, at_least=terms))
    box = (slice(terms),) * d
    tail = max(0.0, float(np.abs(spectrum).sum() - np.abs(spectrum[box]).sum()))
    return Expansion(_outer([weights] * d) * spectrum[box], tail, nodes, lower, upper)


def approximation_error(
    function: Function, operator: str, terms: int, *, points: int = 4001
) -> float:
    """The largest error of an operator on a public function, seen on a fine grid; one variable.

    A lower estimate of the largest error: the grid is finite.

    Parameters
    ----------
    function : callable on arrays in [-1, 1]

    >>> 1e4 * approximation_error(lambda x: np.exp(-2 * x**2), "truncation", 9)
    2.2
    """
    theta = np.linspace(0, np.pi, points)
    how = {"operator": operator, "nodes": 64 * terms}
    weights = expand(function, 1, terms, lower=-1, upper=1, **how).coefficients
    return float(np.abs(function(np.cos(theta)) - weights @ chebyshev(np.cos(theta), terms)).max())


def transform(function: Function, d: int, nodes: int) -> np.ndarray:
    """All coefficients that a grid of ``nodes`` points per variable can see; array (nodes,) * d.

    Statements: W13 Theorem 3.2 (time).

    >>> transform(lambda x: x[:, 0] * x[:, 1], 2, 2).round(12).tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    from scipy.fft import dctn

    if nodes**d > LARGEST:
        raise ValueError(
            f"nodes must satisfy nodes^d <= {LARGEST}, not {nodes}^{d}: take fewer terms, a "
            "product function, or sparse grids"
        )
    axis = chebyshev_nodes(nodes)
    grid = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    values = dctn(values_at(function, grid if d > 1 else grid[:, 0]).reshape((nodes,) * d))
    for i in range(d):
        values[(slice(None),) * i + (0,)] /= 2
    return values / nodes**d


def _on_box(function: Function, d: int, lower: ArrayLike, upper: ArrayLike) -> Function:
    """A function on a box as one of the box's own coordinates, in which it is [-1, 1]^d."""
    box = Box.of(d, lower=lower, upper=upper)
    middle, half = np.add(box.lower, box.upper) / 2, box.widths / 2
    if d == 1:
        middle, half = middle[0], half[0]
    return lambda points: function(middle + half * points)


def same_box(
    name: str, lower: ArrayLike, upper: ArrayLike, low: ArrayLike, high: ArrayLike
) -> None:
    """Raise a ``ValueError`` unless a box is that of a release, or [-1, 1], its own coordinates.

    >>> same_box("queries", -1, 1, 0.0, 9.0)
    >>> same_box("queries", 0, 9, 0.0, [9.0, 9.0])
    """
    own = np.all(np.equal(lower, -1)) and np.all(np.equal(upper, 1))
    if not own and not (np.all(np.equal(lower, low)) and np.all(np.equal(upper, high))):
        raise ValueError(
            f"{name} must be in the unit of the release, whose box is [{low!r}, {high!r}]"
        )


def chebyshev_nodes(nodes: int) -> np.ndarray:
    """cos(pi (j + 1/2) / nodes), from 1 down to -1.

    >>> chebyshev_nodes(2).round(4).tolist()
    [0.7071, -0.7071]
    """
    return np.cos(np.pi * (np.arange(nodes) + 0.5) / nodes)


def transform_rows(values: np.ndarray, terms: int) -> np.ndarray:
    """The coefficients of each row, seen at ``chebyshev_nodes``; array (..., terms).

    >>> transform_rows(chebyshev_nodes(8)[None] ** 2, 3).round(12).tolist()
    [[0.5, 0.0, 0.5]]
    """
    nodes = values.shape[-1]
    basis = 2 / nodes * chebyshev(chebyshev_nodes(nodes), terms)
    basis[0] /= 2
    return values @ basis.T


def chebyshev(x: np.ndarray, terms: int, out: np.ndarray | None = None) -> np.ndarray:
    """cos(n arccos x) for n = 0, ..., terms - 1, by recurrence; array (terms, ...).

    Errors stay near terms^2 * 1e-16, at the ends of [-1, 1] only; in means they vanish.

    >>> chebyshev(np.array([0.5]), 4).ravel().tolist()
    [1.0, 0.5, -0.5, -1.0]
    """
    values = np.empty((terms, *np.shape(x))) if out is None else out
    values[0] = 1.0
    if terms > 1:
        values[1] = x
        twice = 2 * values[1]
    for n in range(2, terms):
        np.multiply(twice, values[n - 1], out=values[n])
        values[n] -= values[n - 2]
    return values


def monomials(coefficients: np.ndarray) -> np.ndarray:
    """The same polynomial in powers of x: how large the naive coefficients become.

    Statements: W13 Section 5 (polynomials).
    The coefficients of T_n alone add up to about (1 + sqrt 2)^n / 2 in size.

    Parameters
    ----------
    coefficients : array (terms,), of cos(n arccos x)

    >>> monomials(np.array([0.0, 0, 0, 0, 1])).tolist()
    [1.0, 0.0, -8.0, 0.0, 8.0]
    """
    return np.polynomial.chebyshev.cheb2poly(coefficients)


def _outer(factors: list[np.ndarray]) -> np.ndarray:
    """The product of one factor per variable, as a tensor."""
    product = np.ones((), dtype=factors[0].dtype)
    for factor in factors:
        product = np.multiply.outer(product, factor)
    return product


def _until_small(function: Function, d: int, terms: int) -> tuple[np.ndarray, int]:
    """Double the grid until what it sees last is small, or it is as large as allowed."""
    nodes = max(2 * terms, 8)
    most = min(4096, int(2 ** (22 / d)))  # per variable
    while True:
        spectrum = transform(function, d, nodes)
        last = max(np.abs(np.moveaxis(spectrum, i, 0)[-(nodes // 4) :]).max() for i in range(d))
        if last <= 1e-12 * np.abs(spectrum).max() or 2 * nodes > most:
            return spectrum, nodes
        nodes *= 2


def values_at(function: Function, points: np.ndarray) -> np.ndarray:
    """The function's values at public nodes, or an error that shows the node."""
    values = np.asarray(function(points))
    if values.shape != (len(points),):
        raise ValueError(f"function must return shape ({len(points)},), not {values.shape}")
    if values.dtype.kind not in "buif":
        raise TypeError(f"function must return real numbers, not {values.dtype}")
    bad = ~np.isfinite(values.astype(float))
    if bad.any():
        node = np.round(points[bad.argmax()], 4).tolist()
        raise ValueError(f"function must be finite on [-1, 1]^d, but is not at {node}")
    return values.astype(float)
