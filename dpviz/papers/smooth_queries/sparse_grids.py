"""Sparse grids (Lemma 4.4), as the paper uses them and corrected: the combination technique.

**Paper.** Wang, Fan, Zhang and Wang (2013), section 4.2 and Lemma 4.4, after Gerstner and
Griebel (1998); Griebel, Schneider and Zenger (1992) for the combination technique.

**Setting.** A public function on [-1, 1]^d, d so large that a full grid is too much.

**Idea.** Combine many coarse grids, each fine along a few variables only. Done for every
coefficient as one integral (as in the paper) high degrees alias; done for the whole transform they
do not, because each small grid then contributes only the degrees that it resolves. For d >= 3 no
deterministic rule has as few evaluations as the paper gives it (``least_error``).

**Symbols.**

===========  ================  =============================================  ===============
paper        here              meaning                                        shape, unit
===========  ================  =============================================  ===============
(none)       ``level``         L: fineness; |l| = L - d + 1, ..., L           whole number
(none)       ``levels``        l: 2^l_i + 1 nodes of a grid in variable i     (d,) int
c_m          result            coefficient of phi_m in the function           (terms,) * d
===========  ================  =============================================  ===============

**Departures.** The supplement with the paper's rule was not available; this is the same
construction on the nested nodes cos(pi j / 2^l), one node where l = 0. ``aliased=True`` is the
paper's use of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from dpviz import checks
from dpviz.accounting.roots import first
from dpviz.papers.smooth_queries.chebyshev import LARGEST, Function, values_at


def combine(
    function: Function, d: int, terms: int, *, level: int, aliased: bool = False
) -> np.ndarray:
    """The coefficients of a public function from sparse grids; array (terms,) * d.

    Statements: W13 Lemma 4.4.
    Exact, if not ``aliased``, on every product of polynomials of degrees 2^l_1, ..., 2^l_d
    with |l| = level (degree 0 where l_i = 0).

    Parameters
    ----------
    function : callable, array (m, d) to array (m,); d, terms : int >= 1; level : int >= 0
    aliased : bool. Integrate each coefficient by itself, as in the paper, instead.

    >>> square = lambda x: x[:, 0] ** 2
    >>> combine(square, 2, 3, level=2).round(12).tolist()
    [[0.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]
    """
    checks.integer("level", level, at_least=0)
    if checks.integer("terms", terms, at_least=1) ** checks.integer("d", d, at_least=1) > LARGEST:
        raise ValueError(f"terms must satisfy terms^d <= {LARGEST}, not {terms}^{d}")
    total = np.zeros((terms,) * d)
    for levels, sign in _grids(d, level):
        values = _grid_values(function, levels)
        for i, fine in enumerate(levels):
            rows = _rule(fine, terms, aliased=aliased)
            values = np.moveaxis(np.tensordot(rows, values, (1, i)), 0, i)
        total += sign * values
    return total


def _grids(d: int, level: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """The small grids and how often each counts."""
    for levels in itertools.product(range(level + 1), repeat=d):
        missing = level - sum(levels)
        if 0 <= missing < d:
            yield levels, (-1) ** missing * math.comb(d - 1, missing)


def _nodes(fine: int) -> np.ndarray:
    """cos(pi j / 2^l), and one node in the middle for l = 0."""
    return np.cos(np.pi * np.arange(2**fine + 1) / 2**fine) if fine else np.zeros(1)


def _rule(fine: int, terms: int, *, aliased: bool) -> np.ndarray:
    """From values at ``nodes(fine)`` to coefficients; array (terms, nodes)."""
    theta = np.arccos(_nodes(fine))
    mass = np.full(len(theta), 2 / 2**fine)
    if fine:
        mass[[0, -1]] /= 2
    rows = mass * np.cos(np.outer(np.arange(terms), theta))
    rows[0] /= 2
    if not aliased:
        rows[2**fine if fine else 1 :] *= 0 if not fine else 0.5
        rows[2**fine + 1 :] = 0
    return rows


def count(d: int, level: int) -> int:
    """How many different points the grids have together.

    >>> count(5, 3), count(5, 5)
    (241, 2433)
    """
    fresh = [1, 2, *(2 ** (fine - 1) for fine in range(2, level + 1))]  # nodes new at each level
    counts = [1] + [0] * level
    for _ in range(d):
        counts = [sum(counts[a - b] * fresh[b] for b in range(a + 1)) for a in range(level + 1)]
    return sum(counts)


def places(d: int, level: int) -> np.ndarray:
    """The different points of all the grids; array (count(d, level), d).

    >>> places(2, 1).tolist()
    [[-1.0, 0.0], [0.0, -1.0], [0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    boxes = [[_nodes(fine) for fine in levels] for levels, _ in _grids(d, level)]
    points = [np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, d) for axes in boxes]
    return np.unique(np.concatenate(points).round(12) + 0.0, axis=0)


def least_error(evaluations: int, d: int, smoothness: int, *, bound: float = 1.0) -> float:
    """What no deterministic rule with so many evaluations can beat on the class C^K_B.

    Statements: W13 Lemma 4.4.
    Bakhvalov's argument (1959). Cut [-1, 1]^d into m^d cells with m^d >= 2N. At least half of them
    hold no place of the N at which the rule looks when all values are 0. Put the piece B m^-K M^-d
    b(m (x_1 - c_1)) ... b(m (x_d - c_d)) into each of these, b(s) = (1 - s^2)^(K+1), where M bounds
    b and its first K derivatives. Their sum f is in the class, and the rule sees zeros, as it does
    for -f. So for one of the two its coefficient c_0 = pi^-d int f prod dx_i / sqrt(1 - x_i^2) is
    off by at least pi^-d int f >= (B/2) (I / (pi M))^d m^-K, I the integral of b. That is of order
    N^(-K/d), where the lemma needs N^(-K/2).

    >>> [round(least_error(n, 1, 1), 4) for n in (1, 8)]
    [0.0551, 0.0069]
    """
    checks.integer("evaluations", evaluations, at_least=1)
    largest, mass = _piece_size(checks.integer("smoothness", smoothness, at_least=1))
    share = (mass / (math.pi * largest)) ** checks.integer("d", d, at_least=1)
    return bound / 2 * share * _cells_per_side(evaluations, d) ** -float(smoothness)


def _cells_per_side(evaluations: int, d: int) -> int:
    """The least m with m^d >= 2N."""
    return first(lambda m: m**d >= 2 * evaluations, 0, 2 * evaluations)


def _piece_size(smoothness: int) -> tuple[float, float]:
    """M, the largest of (1 - s^2)^(K+1) and its first K derivatives, and I, its integral."""
    shape = np.polynomial.Polynomial([1, 0, -1]) ** (smoothness + 1)
    whole = shape.integ()
    sizes = []
    for order in range(smoothness + 1):
        slope = shape.deriv(order)
        turns = slope.deriv().roots()
        inner = turns[np.abs(turns.imag) < 1e-9].real
        places = np.concatenate([[-1.0, 1.0], np.clip(inner, -1, 1)])
        sizes.append(float(np.abs(slope(places)).max()))
    return max(sizes), float(whole(1) - whole(-1))


def unseen(places: np.ndarray, smoothness: int, *, bound: float = 1.0) -> Function:
    """The fooling function f of ``least_error``: in the class, 0 at all these places, array (N, d).

    >>> f = unseen(np.array([[0.5], [0.9]]), 1)
    >>> f(np.array([[0.5], [0.9], [-0.25], [0.25]])).round(4).tolist()
    [0.0, 0.0, 0.1624, 0.1624]
    """
    evaluations, d = places.shape
    m = _cells_per_side(evaluations, d)
    largest, _ = _piece_size(smoothness)
    height = bound * m ** -float(smoothness) * largest ** -float(d)

    def cell(points: np.ndarray) -> np.ndarray:
        return np.clip(np.floor((points + 1) * m / 2), 0, m - 1)

    number = float(m) ** np.arange(d)  # the cells, counted through
    taken = cell(places) @ number

    def function(points: np.ndarray) -> np.ndarray:
        own = cell(points)
        inside = (points + 1) * m - 2 * own - 1
        values = np.prod(np.maximum(1 - inside**2, 0) ** (smoothness + 1), axis=1)
        return np.where(np.isin(own @ number, taken), 0.0, height * values)

    return function


def _grid_values(function: Function, levels: tuple[int, ...]) -> np.ndarray:
    """The function on one small grid; array (nodes of l_1, ..., nodes of l_d)."""
    axes = [_nodes(fine) for fine in levels]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    return values_at(function, grid.reshape(-1, len(levels))).reshape(grid.shape[:-1])
