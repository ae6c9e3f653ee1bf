"""Sparse grids (Lemma 4.4), as the paper uses them and corrected: the combination technique.

**Paper.** Wang, Fan, Zhang and Wang (2013), section 4.2 and Lemma 4.4, after Gerstner and
Griebel (1998); Griebel, Schneider and Zenger (1992) for the combination technique.

**Setting.** A public function on [-1, 1]^d, d so large that a full grid is too much.

**Idea.** Combine many coarse grids, each fine along a few variables only. Done for every
coefficient as one integral (as in the paper) high degrees alias; done for the whole transform they
do not, because each small grid then contributes only the degrees that it resolves.

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
    function : callable, array (m, d) to array (m,)
    d, terms : int >= 1
    level : int >= 0
    aliased : bool
        Integrate each coefficient by itself, as in the paper, instead.

    >>> square = lambda x: x[:, 0] ** 2
    >>> combine(square, 2, 3, level=2).round(12).tolist()
    [[0.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]
    """
    checks.integer("level", level, at_least=0)
    if checks.integer("terms", terms, at_least=1) ** checks.integer("d", d, at_least=1) > LARGEST:
        raise ValueError(f"terms must satisfy terms^d <= {LARGEST}, not {terms}^{d}")
    total = np.zeros((terms,) * d)
    for levels, sign in grids(d, level):
        values = _grid_values(function, levels)
        for i, fine in enumerate(levels):
            rows = rule(fine, terms, aliased=aliased)
            values = np.moveaxis(np.tensordot(rows, values, (1, i)), 0, i)
        total += sign * values
    return total


def grids(d: int, level: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """The small grids and how often each counts.

    >>> list(grids(2, 1))
    [((0, 0), -1), ((0, 1), 1), ((1, 0), 1)]
    """
    for levels in itertools.product(range(level + 1), repeat=d):
        missing = level - sum(levels)
        if 0 <= missing < d:
            yield levels, (-1) ** missing * math.comb(d - 1, missing)


def nodes(fine: int) -> np.ndarray:
    """cos(pi j / 2^l), and one node in the middle for l = 0.

    >>> nodes(1).round(12).tolist(), nodes(0).round(12).tolist()
    ([1.0, 0.0, -1.0], [0.0])
    """
    return np.cos(np.pi * np.arange(2**fine + 1) / 2**fine) if fine else np.zeros(1)


def rule(fine: int, terms: int, *, aliased: bool) -> np.ndarray:
    """From values at ``nodes(fine)`` to coefficients; array (terms, nodes).

    >>> rule(1, 3, aliased=False).round(12).tolist()
    [[0.25, 0.5, 0.25], [0.5, 0.0, -0.5], [0.25, -0.5, 0.25]]
    """
    theta = np.arccos(nodes(fine))
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


def _grid_values(function: Function, levels: tuple[int, ...]) -> np.ndarray:
    """The function on one small grid; array (nodes of l_1, ..., nodes of l_d)."""
    axes = [nodes(fine) for fine in levels]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    return values_at(function, grid.reshape(-1, len(levels))).reshape(grid.shape[:-1])
