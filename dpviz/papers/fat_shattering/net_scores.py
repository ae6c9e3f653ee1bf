"""Quality score of the net mechanism (equation (2)): private counts, error of each database.

**Paper.** Roth (2010), section 4, the score of equation (2).

**Setting.** As in module ``net_mechanism``.

**Idea.** The score of a small database is minus its largest error on the class, after it is scaled
up to the number of people.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       shape, unit
===========  =====================  ============================================  ============
D            ``counts``             people in each cell                           (cells,)
D' / m       ``fractions``          small databases, one a row                    (c, cells)
q            ``queries``            the class                                     (k, cells)
===========  =====================  ============================================  ============

**Departures.** See module ``net_mechanism``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpviz.privacy.curator import Curator
from dpviz.privacy.private_data import finite_table

CHUNK = 1 << 14  # databases scored at a time


def histogram(
    data: ArrayLike | None, cells: int, *, outside: str, total: float | None
) -> np.ndarray:
    """Private counts (cells,), checked; messages show nothing of them.

    Clipping at 0 moves each cell of two databases no further apart. The public total is that of
    the counts as they came in: neighbours share it, but after clipping they need not.
    The score still moves by at most 1: with u <= 1 added to one cell and v <= 1 taken from another,
    an error moves by (u - v) a - u q_i + v q_j for a, q in [0, 1], so by at most max(u, v).

    >>> histogram([3, -1], 2, outside="clip", total=None)
    array([3., 0.])
    """
    counts = finite_table(data)
    if counts.shape != (cells, 1):
        raise ValueError("data must have one count for each cell, as the queries do")
    counts = counts.ravel()
    if outside == "refuse" and (counts < 0).any():
        raise ValueError("data must not hold negative counts")
    if total is not None and not math.isclose(counts.sum(), total, rel_tol=1e-9):
        raise ValueError("data must add up to the public total")
    return np.maximum(counts, 0)


def errors(queries: np.ndarray, counts: np.ndarray, fractions: np.ndarray) -> np.ndarray:
    """Largest error over the class of each small database, in people.

    Parameters
    ----------
    counts : array (cells,), private
    fractions : array (c, cells), public

    >>> errors(np.eye(2), np.array([3.0, 1.0]), np.array([[0.5, 0.5], [1, 0]])).tolist()
    [1.0, 1.0]
    """
    exact, total = queries @ counts, counts.sum()
    chunks = (fractions[i : i + CHUNK] for i in range(0, len(fractions), CHUNK))
    worst = [np.abs(total * (chunk @ queries.T) - exact).max(axis=1) for chunk in chunks]
    return np.concatenate(worst)


def published_total(
    counts: np.ndarray, total: float | None, curator: Curator, *, epsilon: float
) -> float:
    """The public total, or a noisy one, which costs ``epsilon``; one person moves it by one.

    >>> published_total(np.array([7.0]), 7, Curator(epsilon=1.0, rng=0), epsilon=1.0)
    7.0
    """
    if total is not None:
        return float(total)
    return curator.laplace(counts.sum(), sensitivity=1.0, epsilon=epsilon, label="total")
