"""The table itself: many moments of many records, as small matrix products.

**Paper.** Wang, Fan, Zhang and Wang (2013), Algorithm 1.

**Setting.** Records in [-1, 1]^d; for each wave m of a public set the mean of
phi_m(x) = prod_i cos(m_i arccos x_i) is wanted.

**Idea.** No cosine is needed: T_{n+1} = 2 x T_n - T_{n-1}. The waves of half of the variables
times those of the other half, summed over the records, are a matrix product; a few hundred
records at a time stay in the cache.

**Symbols.**

===========  ================  ==============================================  ===========
paper        here              meaning                                         shape
===========  ================  ==============================================  ===========
D            ``points``        records, private, in [-1, 1]^d                  (n, d)
t            ``waves``         waves per variable                              whole number
m            ``index``         rows of wave numbers, the first all 0           (N, d) int
Su(D)        results           means of the waves                              (N,) or tensor
(none)       ``INDEX_SETS``    which waves: all, low total degree, or a cross  words
===========  ================  ==============================================  ===========

**Departures.** The paper takes all t^d waves. "total" keeps m_1 + ... + m_d < t, and "cross"
prod (m_i + 1) <= t, which suits bounded mixed derivatives.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from dpviz import checks
from dpviz.papers.smooth_queries.chebyshev import chebyshev

INDEX_SETS = ("tensor", "total", "cross")
LARGEST_TABLE = 10**7  # moments: 80 MB
RECORDS, INNER = 8064, 672  # per block of waves, per product; no powers of 2: rows would collide


def means(points: np.ndarray, waves: int) -> np.ndarray:
    """All moments; array (waves,) * d.

    >>> means(np.array([[1.0, 0.5], [-1.0, 0.5]]), 2).tolist()
    [[1.0, 0.5], [0.0, 0.0]]
    """
    n, d = points.shape
    half, odd = d // 2, d % 2
    fine = math.isqrt(waves - 1) + 1 if odd else 1
    coarse = math.ceil(waves / fine) if odd else 1
    total = np.zeros((waves**half * coarse, waves**half * fine))
    room = np.empty((len(total), INNER)), np.empty((total.shape[1], INNER))
    table = np.empty((waves, d, min(n, RECORDS)))
    for start in range(0, n, RECORDS):
        block = np.ascontiguousarray(points[start : start + RECORDS].T)
        rows = chebyshev(block, waves, out=table[:, :, : block.shape[1]]).transpose(1, 0, 2)
        left, right = [*rows[:half]], [*rows[half + odd :]]
        if odd:  # the variable in the middle goes to both sides
            left, right = [*left, rows[half][::fine]], [*right, rows[half][:fine]]
        add_products(total, left, right, room)
    return (join(total, waves, half, fine) if odd else total).reshape((waves,) * d) / n


def join(total: np.ndarray, waves: int, half: int, fine: int) -> np.ndarray:
    """From sums with T_(fine p) T_q of the middle variable to sums with T_(fine p + q).

    T_(a + q) = 2 T_a T_q - T_|a - q|: so the product of the two sides is nearly square, which
    is what matrix products like.

    Parameters
    ----------
    total : array (waves^half * coarse, waves^half * fine)

    Returns
    -------
    array (waves^half, waves, waves^half)

    >>> x = np.array([0.3])
    >>> t = chebyshev(x, 5)[:, 0]
    >>> np.allclose(join(np.outer(t[::3], t[:3]), 5, 0, 3).ravel(), t)
    True
    """
    size = waves**half
    split = total.reshape(size, -1, size, fine).transpose(1, 3, 0, 2)
    whole = np.empty((waves, size, size))
    for wave in range(waves):
        p, q = divmod(wave, fine)
        whole[wave] = split[p, q]
        if p and q:
            whole[wave] += split[p, q] - whole[fine * p - q]
    return whole.transpose(1, 0, 2)


def add_products(total: np.ndarray, left: list, right: list, room: tuple) -> None:
    """Add, over the records, the products of the left rows by those of the right ones.

    Parameters
    ----------
    total : array (product of the left sizes, of the right ones), changed
    left, right : lists of arrays (size, records); ``right`` may be empty
    room : two arrays to work in, as many rows as ``total`` has rows and columns

    >>> total = np.zeros((2, 1))
    >>> room = np.empty((2, 9)), np.empty((1, 9))
    >>> add_products(total, [np.array([[1.0, 1], [0, 3]])], [], room)
    >>> total.tolist()
    [[2.0], [3.0]]
    """
    records, step = left[0].shape[1], room[0].shape[1]
    right = right or [np.ones((1, records))]
    for start in range(0, records, step):
        part = slice(start, start + step)
        wide = row_products([row[:, part] for row in left], room[0])
        total += wide @ row_products([row[:, part] for row in right], room[1]).T


def row_products(rows: list[np.ndarray], room: np.ndarray) -> np.ndarray:
    """For each record the product of one entry of each of its rows, all choices.

    >>> row_products([np.array([[2], [3]]), np.array([[5], [7]])], np.empty((4, 1))).ravel()
    array([10., 14., 15., 21.])
    """
    product, width = rows[0], rows[0].shape[1]
    for i, row in enumerate(rows[1:], start=2):
        size = len(product) * len(row)
        out = room[:size, :width] if i == len(rows) else np.empty((size, width))
        shaped = out.reshape(len(product), len(row), width)
        product = np.multiply(product[:, None], row[None], out=shaped).reshape(size, width)
    return product


def selected_means(points: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The moments of some waves; array (N,).

    >>> selected_means(np.array([[1.0, 0.5], [-1.0, 0.5]]), np.array([[0, 0], [2, 1]])).tolist()
    [1.0, 0.5]
    """
    total = np.zeros(len(index))
    waves = int(index.max()) + 1
    for start in range(0, len(points), INNER):
        block = points[start : start + INNER]
        rows = np.ones((len(index), len(block)))
        for column, numbers in zip(block.T, index.T, strict=True):
            rows *= chebyshev(column, waves)[numbers]
        total += rows.sum(axis=1)
    return total / len(points)


def index_set(kind: str, d: int, waves: int) -> np.ndarray:
    """The wave numbers of a table, in the order of a tensor; array (N, d), first row 0.

    Raises ``ValueError`` if there are more than ``LARGEST_TABLE``, before any is made.

    >>> index_set("total", 2, 3).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 0]]
    >>> [table_size(kind, 5, 4) for kind in INDEX_SETS]
    [1024, 56, 26]
    """
    size = table_size(kind, d, waves)
    if size > LARGEST_TABLE:
        raise ValueError(
            f"waves must give at most {LARGEST_TABLE} moments, not {size} ({kind!r}, d = {d}): "
            "take fewer waves, or the index 'total'"
        )
    if kind == "tensor":
        return np.indices((waves,) * d).reshape(d, -1).T
    rows = [()]
    for _ in range(d):
        rows = [(*row, m) for row in rows for m in range(_room_left(kind, row, waves))]
    return np.array(rows, dtype=int)


def table_size(kind: str, d: int, waves: int) -> int:
    """How many moments, the constant included.

    >>> table_size("tensor", 3, 12), table_size("total", 5, 3), table_size("cross", 2, 4)
    (1728, 21, 8)
    """
    checks.choice("index", kind, INDEX_SETS)
    checks.integer("d", d, at_least=1)
    checks.integer("waves", waves, at_least=1)
    if kind == "tensor":
        return waves**d
    if kind == "total":
        return math.comb(d + waves - 1, d)
    ways = {1: 1}  # how many rows have each product of (m_i + 1)
    for _ in range(d):
        longer: dict[int, int] = {}
        for (product, count), m in itertools.product(ways.items(), range(1, waves + 1)):
            if product * m <= waves:
                longer[product * m] = longer.get(product * m, 0) + count
        ways = longer
    return sum(ways.values())


def contract(table: np.ndarray, factors: list[np.ndarray]) -> np.ndarray:
    """Sum a tensor against products of one factor per variable; array (k,).

    Parameters
    ----------
    table : array (size_1, ..., size_d)
    factors : d arrays (k, size_i)

    >>> contract(np.eye(2), [np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])]).tolist()
    [11.0]
    """
    k, step = len(factors[0]), 256
    answers = np.empty(k)
    flat = table.reshape(len(table), -1)
    for start in range(0, k, step):
        part = [factor[start : start + step] for factor in factors]
        rest = part[0] @ flat
        for factor in part[1:]:
            shaped = rest.reshape(len(factor), factor.shape[1], -1)
            rest = np.matmul(factor[:, None], shaped)[:, 0]
        answers[start : start + step] = rest.reshape(len(part[0]), -1)[:, 0]
    return answers


def _room_left(kind: str, row: tuple[int, ...], waves: int) -> int:
    """How many values the next wave number may take."""
    if kind == "total":
        return waves - sum(row)
    return waves // math.prod(m + 1 for m in row)
