"""Randomly shifted grids of boxes, and the count of the heaviest box (GoodCenter, steps 3 to 5).

**Paper.** Nissim, Stemmer and Vadhan (2016), Algorithm 2 (GoodCenter), steps 3 to 5.

**Setting.** Points of R^d, and axis-parallel boxes of one side that tile the space, shifted
along each axis by public randomness.

**Idea.** A fixed grid may cut the cluster in two. A random shift seldom cuts a small cluster,
so among several shifted grids one has a box that holds it whole.

**Symbols.**

==============  ======================  ============================================  =============
paper           here                    meaning                                       shape, unit
==============  ======================  ============================================  =============
a_i             ``shift``               place of a boundary on each axis, in sides    (d,), [0, 1)
300 r           ``side``                length of a box                               unit of rows
A_j             ``cells``               number of the interval on each axis           (n, d)
q(S)            ``heaviest_box_count``  rows in the heaviest box; sensitivity 1       count
==============  ======================  ============================================  =============

**Departures.** Boxes are counted by a number made of their place, exact below 2^53. Two boxes
with the same number would be counted as one: still a partition, laid out before the data.
"""

from __future__ import annotations

import numpy as np

HASH = 2654435761  # a fixed odd number; its powers mix the coordinates of a box


def cells(rows: np.ndarray, side: float, shift: np.ndarray) -> np.ndarray:
    """Number of each row's interval on each axis; NaN for null rows; (n, d) whole floats.

    >>> cells(np.array([[0.1, 0.9]]), 0.5, np.array([0.0, 0.5])).tolist()
    [[0.0, 2.0]]
    """
    index = rows * (1 / side)
    index += shift
    return np.floor(index, out=index)


def hash_weights(d: int, largest: float) -> np.ndarray:
    """Public weights that make one whole number of a box, exact up to 2^53; (d,).

    >>> weights = hash_weights(3, 100)
    >>> bool((weights * 100 * 3 < 2**53).all())
    True
    """
    limit = max(2, int(2**52 / (d * max(1.0, largest))))
    return np.array([float(pow(HASH, i + 1, 2**61 - 1) % limit + 1) for i in range(d)])


def heaviest_box_count(
    rows: np.ndarray, side: float, shift: np.ndarray, weights: np.ndarray
) -> int:
    """Rows in the heaviest box of one grid. Replacing a row moves it by at most 1.

    >>> heaviest_box_count(np.array([[0.1], [0.2], [0.9]]), 0.5, np.zeros(1), hash_weights(1, 2))
    2
    """
    keys = np.sort(cells(rows, side, shift) @ weights)
    ends = np.flatnonzero(keys[1:] != keys[:-1])
    if not len(keys):
        return 0
    return int(np.diff(ends, prepend=-1, append=len(keys) - 1).max())


def box_scores(rows: np.ndarray, sides: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    """Count of the heaviest box of many shifted grids; null rows count nowhere.

    Parameters
    ----------
    rows : array (n, d) in [0, 1], NaN rows null; private
    sides : array (m,)
    shifts : array (m, k, d) in [0, 1)

    Returns
    -------
    array (m, k)

    >>> box_scores(np.array([[0.1], [0.2]]), np.array([0.5]), np.zeros((1, 2, 1))).tolist()
    [[2, 2]]
    """
    rows = rows[~np.isnan(rows[:, 0])]
    weights = hash_weights(rows.shape[1], 2 + 1 / float(np.min(sides)))
    return np.array(
        [
            [heaviest_box_count(rows, side, shift, weights) for shift in some]
            for side, some in zip(sides, shifts, strict=True)
        ]
    )
