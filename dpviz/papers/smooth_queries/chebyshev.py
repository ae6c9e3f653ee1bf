"""The waves in a public function: by cosine transform, by products, by its parts.

**Paper.** Wang, Fan, Zhang and Wang (2013), Algorithm 2, Fact 4.2, Lemma 4.4.

**Setting.** A public function f on [-1, 1]^d. Wanted: the share c_m of each wave
phi_m(x) = prod_i cos(m_i arccos x_i), m in {0, ..., waves - 1}^d, in f.

**Idea.** Look at f on a grid that is even in the angles. One cosine transform gives all
coefficients, exactly so for waves below the grid's fineness.

**Symbols.**

===========  ================  ===========================================  ================
paper        here              meaning                                      shape, unit
===========  ================  ===========================================  ================
f            ``function``      the question, public                         (m, d) to (m,)
t            ``waves``         waves per variable                           whole number
c_m          ``coefficients``  share of wave m that is kept                 (waves,) * d
(none)       ``nodes``         points per variable at which f is seen       whole number
(none)       ``tail``          sum of |shares| that were seen and dropped   unit of f
===========  ================  ===========================================  ================

**Departures.** Lemma 4.4 integrates each coefficient by sparse grids in O(tau^(-2/K)) looks at
f. No rule can do that on this class for d >= 3 (bumps between the nodes). A plain grid of 2 t
nodes per variable reaches the accuracy that the paper needs, in O(t^d) looks: below Theorem
3.1's query time for every d and K. Module ``sparse_grids`` has the paper's way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.smooth_queries.operators import weights

LARGEST = 2**24  # values of a function on a grid: 128 MiB


@dataclass(frozen=True, eq=False)
class Expansion:
    """A function drawn by waves.

    Attributes
    ----------
    coefficients : array (waves,) * d
    tail : float, sum of |shares| of the waves that the grid saw and the table does not hold;
        where it is large the function is not smooth enough for so few waves
    nodes : int, points per variable at which the function was seen
    """

    coefficients: np.ndarray
    tail: float
    nodes: int


def expand(
    function: Callable,
    d: int,
    waves: int,
    *,
    operator: str = "truncation",
    nodes: int | None = None,
    blind: bool = False,
) -> Expansion:
    """The coefficients of a public function under an operator.

    Parameters
    ----------
    function : callable, array (m, d) (or (m,) if d = 1) to array (m,)
    d, waves : int >= 1
    operator, blind : see :func:`dpviz.papers.smooth_queries.operators.weights`
    nodes : int >= waves
        Points per variable; by default 2 waves, doubled until the last shares are below 1e-12
        of the largest, or the grid would pass 4096 per variable or 4 million in all.

    Raises
    ------
    ValueError, TypeError
        If the grid is too large, or the function's values are not real, finite and (m,); the
        message shows the public node.

    >>> expand(lambda x: 4 * x**3, 1, 4).coefficients.round(12) + 0
    array([0., 3., 0., 1.])
    """
    checks.integer("d", d, at_least=1)
    kept = weights(operator, waves, blind=blind)
    if nodes is None:
        spectrum, nodes = _until_small(function, d, waves)
    else:
        spectrum = transform(function, d, checks.integer("nodes", nodes, at_least=waves))
    box = (slice(waves),) * d
    tail = max(0.0, float(np.abs(spectrum).sum() - np.abs(spectrum[box]).sum()))
    return Expansion(outer([kept] * d) * spectrum[box], tail, nodes)


def drawing_error(function: Callable, operator: str, waves: int, *, points: int = 4001) -> float:
    """The largest error of an operator on a public function, seen on a fine grid; one variable.

    A lower estimate of the largest error: the grid is finite.

    Parameters
    ----------
    function : callable on arrays in [-1, 1]

    >>> 1e4 * drawing_error(lambda x: np.exp(-2 * x**2), "truncation", 9)
    2.2
    """
    theta = np.linspace(0, np.pi, points)
    kept = expand(function, 1, waves, operator=operator, nodes=64 * waves).coefficients
    return float(np.abs(function(np.cos(theta)) - kept @ chebyshev(np.cos(theta), waves)).max())


def transform(function: Callable, d: int, nodes: int) -> np.ndarray:
    """All shares that a grid of ``nodes`` points per variable can see; array (nodes,) * d.

    >>> transform(lambda x: x[:, 0] * x[:, 1], 2, 2).round(12).tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    from scipy.fft import dctn

    if nodes**d > LARGEST:
        raise ValueError(
            f"nodes must satisfy nodes^d <= {LARGEST}, not {nodes}^{d}: take fewer waves, a "
            "product function, or sparse grids"
        )
    axis = chebyshev_nodes(nodes)
    grid = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    values = dctn(_values(function, grid if d > 1 else grid[:, 0]).reshape((nodes,) * d))
    for i in range(d):
        values[(slice(None),) * i + (0,)] /= 2
    return values / nodes**d


def chebyshev_nodes(nodes: int) -> np.ndarray:
    """cos(pi (j + 1/2) / nodes), from 1 down to -1.

    >>> chebyshev_nodes(2).round(4).tolist()
    [0.7071, -0.7071]
    """
    return np.cos(np.pi * (np.arange(nodes) + 0.5) / nodes)


def transform_rows(values: np.ndarray, waves: int) -> np.ndarray:
    """The shares of each row, seen at ``chebyshev_nodes``; array (..., waves).

    >>> transform_rows(chebyshev_nodes(8)[None] ** 2, 3).round(12).tolist()
    [[0.5, 0.0, 0.5]]
    """
    nodes = values.shape[-1]
    table = 2 / nodes * chebyshev(chebyshev_nodes(nodes), waves)
    table[0] /= 2
    return values @ table.T


def chebyshev(x: np.ndarray, waves: int, out: np.ndarray | None = None) -> np.ndarray:
    """cos(n arccos x) for n = 0, ..., waves - 1, by recurrence; array (waves, ...).

    Errors stay near waves^2 * 1e-16, at the ends of [-1, 1] only; in means they vanish.

    >>> chebyshev(np.array([0.5]), 4).ravel().tolist()
    [1.0, 0.5, -0.5, -1.0]
    """
    table = np.empty((waves, *np.shape(x))) if out is None else out
    table[0] = 1.0
    if waves > 1:
        table[1] = x
        twice = 2 * table[1]
    for n in range(2, waves):
        np.multiply(twice, table[n - 1], out=table[n])
        table[n] -= table[n - 2]
    return table


def outer(factors: list[np.ndarray]) -> np.ndarray:
    """The product of one factor per variable, as a tensor.

    >>> outer([np.array([1, 2]), np.array([3, 4])]).tolist()
    [[3, 4], [6, 8]]
    """
    product = np.ones((), dtype=factors[0].dtype)
    for factor in factors:
        product = np.multiply.outer(product, factor)
    return product


def _until_small(function: Callable, d: int, waves: int) -> tuple[np.ndarray, int]:
    """Double the grid until what it sees last is small, or it is as large as allowed."""
    nodes = max(2 * waves, 8)
    most = min(4096, int(2 ** (22 / d)))  # per variable
    while True:
        spectrum = transform(function, d, nodes)
        last = max(np.abs(np.moveaxis(spectrum, i, 0)[-(nodes // 4) :]).max() for i in range(d))
        if last <= 1e-12 * np.abs(spectrum).max() or 2 * nodes > most:
            return spectrum, nodes
        nodes *= 2


def _values(function: Callable, points: np.ndarray) -> np.ndarray:
    """The function's values at public nodes, or an error that shows the node."""
    values: Any = np.asarray(function(points))
    if values.shape != (len(points),):
        raise ValueError(f"function must return shape ({len(points)},), not {values.shape}")
    if values.dtype.kind not in "buif":
        raise TypeError(f"function must return real numbers, not {values.dtype}")
    bad = ~np.isfinite(values.astype(float))
    if bad.any():
        node = np.round(points[bad.argmax()], 4).tolist()
        raise ValueError(f"function must be finite on [-1, 1]^d, but is not at {node}")
    return values.astype(float)
