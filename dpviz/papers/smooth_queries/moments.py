"""Chebyshev moments of many records (Algorithm 1), as small matrix products.

**Paper.** Wang, Fan, Zhang and Wang (2013), Algorithm 1.

**Setting.** Records in [-1, 1]^d; for each multi-index m of a public set the mean of
phi_m(x) = prod_i cos(m_i arccos x_i) is wanted.

**Idea.** No cosine is needed: T_{n+1} = 2 x T_n - T_{n-1}. The polynomials of half of the variables
times those of the other half, summed over the records, are a matrix product; a few hundred
records at a time stay in the cache.

**Symbols.**

===========  ================  ==============================================  ==============
paper        here              meaning                                         shape
===========  ================  ==============================================  ==============
D            ``points``        records, private, in [-1, 1]^d                  (n, d)
t            ``terms``         degrees 0, ..., t - 1 per variable              whole number
m            ``index``         rows of multi-indices, the first all 0          (N, d) int
Su(D)        results           means of phi_m                                  (N,) or tensor
(none)       ``INDEX_SETS``    which m: all, low total degree, or a cross      words
===========  ================  ==============================================  ==============

**Departures.** The paper takes all t^d multi-indices. "total degree" keeps m_1 + ... + m_d < t, and
"hyperbolic cross" prod (m_i + 1) <= t, which suits bounded mixed derivatives.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from dpviz import checks
from dpviz.papers.smooth_queries.chebyshev import chebyshev

INDEX_SETS = ("tensor", "total degree", "hyperbolic cross")
LARGEST_SUMMARY = 10**7  # moments: 80 MB
RECORDS, INNER = 8064, 672  # per block of terms, per product; no powers of 2: rows would collide


def means(points: np.ndarray, terms: int) -> np.ndarray:
    """All moments; array (terms,) * d.

    >>> means(np.array([[1.0, 0.5], [-1.0, 0.5]]), 2).tolist()
    [[1.0, 0.5], [0.0, 0.0]]
    """
    n, d = points.shape
    half, odd = d // 2, d % 2
    fine = math.isqrt(terms - 1) + 1 if odd else 1
    coarse = math.ceil(terms / fine) if odd else 1
    total = np.zeros((terms**half * coarse, terms**half * fine))
    workspace = np.empty((len(total), INNER)), np.empty((total.shape[1], INNER))
    basis = np.empty((terms, d, min(n, RECORDS)))
    for start in range(0, n, RECORDS):
        block = np.ascontiguousarray(points[start : start + RECORDS].T)
        rows = chebyshev(block, terms, out=basis[:, :, : block.shape[1]]).transpose(1, 0, 2)
        left, right = [*rows[:half]], [*rows[half + odd :]]
        if odd:  # the variable in the middle goes to both sides
            left, right = [*left, rows[half][::fine]], [*right, rows[half][:fine]]
        add_products(total, left, right, workspace)
    return (join(total, terms, half, fine) if odd else total).reshape((terms,) * d) / n


def join(total: np.ndarray, terms: int, half: int, fine: int) -> np.ndarray:
    """From sums with T_(fine p) T_q of the middle variable to sums with T_(fine p + q).

    T_(a + q) = 2 T_a T_q - T_|a - q|: so the product of the two sides is nearly square, which
    is what matrix products like.

    Parameters
    ----------
    total : array (terms^half * coarse, terms^half * fine)

    Returns
    -------
    array (terms^half, terms, terms^half)

    >>> x = np.array([0.3])
    >>> t = chebyshev(x, 5)[:, 0]
    >>> np.allclose(join(np.outer(t[::3], t[:3]), 5, 0, 3).ravel(), t)
    True
    """
    size = terms**half
    split = total.reshape(size, -1, size, fine).transpose(1, 3, 0, 2)
    whole = np.empty((terms, size, size))
    for degree in range(terms):
        p, q = divmod(degree, fine)
        whole[degree] = split[p, q]
        if p and q:
            whole[degree] += split[p, q] - whole[fine * p - q]
    return whole.transpose(1, 0, 2)


def add_products(
    total: np.ndarray,
    left: list[np.ndarray],
    right: list[np.ndarray],
    workspace: tuple[np.ndarray, np.ndarray],
) -> None:
    """Add, over the records, the products of the left rows by those of the right ones.

    Parameters
    ----------
    total : array (product of the left sizes, of the right ones), changed
    left, right : lists of arrays (size, records); ``right`` may be empty
    workspace : two arrays to work in, as many rows as ``total`` has rows and columns

    >>> total = np.zeros((2, 1))
    >>> workspace = np.empty((2, 9)), np.empty((1, 9))
    >>> add_products(total, [np.array([[1.0, 1], [0, 3]])], [], workspace)
    >>> total.tolist()
    [[2.0], [3.0]]
    """
    records, step = left[0].shape[1], workspace[0].shape[1]
    right = right or [np.ones((1, records))]
    for start in range(0, records, step):
        some = slice(start, start + step)
        wide = row_products([row[:, some] for row in left], workspace[0])
        total += wide @ row_products([row[:, some] for row in right], workspace[1]).T


def row_products(rows: list[np.ndarray], workspace: np.ndarray) -> np.ndarray:
    """For each record the product of one entry of each of its rows, all choices.

    >>> row_products([np.array([[2], [3]]), np.array([[5], [7]])], np.empty((4, 1))).ravel()
    array([10., 14., 15., 21.])
    """
    product, width = rows[0], rows[0].shape[1]
    for i, row in enumerate(rows[1:], start=2):
        size = len(product) * len(row)
        out = workspace[:size, :width] if i == len(rows) else np.empty((size, width))
        shaped = out.reshape(len(product), len(row), width)
        product = np.multiply(product[:, None], row[None], out=shaped).reshape(size, width)
    return product


def selected_means(points: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The moments of some multi-indices; array (N,).

    >>> selected_means(np.array([[1.0, 0.5], [-1.0, 0.5]]), np.array([[0, 0], [2, 1]])).tolist()
    [1.0, 0.5]
    """
    total = np.zeros(len(index))
    terms = int(index.max()) + 1
    for start in range(0, len(points), INNER):
        block = points[start : start + INNER]
        rows = np.ones((len(index), len(block)))
        for column, numbers in zip(block.T, index.T, strict=True):
            rows *= chebyshev(column, terms)[numbers]
        total += rows.sum(axis=1)
    return total / len(points)


def multi_indices(index_set: str, d: int, terms: int) -> np.ndarray:
    """The multi-indices of a summary, in the order of a tensor; array (N, d), first row 0.

    Raises ``ValueError`` if there are more than ``LARGEST_SUMMARY``, before any is made.

    >>> multi_indices("total degree", 2, 3).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 0]]
    >>> [summary_size(index_set, 5, 4) for index_set in INDEX_SETS]
    [1024, 56, 26]
    """
    size = summary_size(index_set, d, terms)
    if size > LARGEST_SUMMARY:
        raise ValueError(
            f"terms must give at most {LARGEST_SUMMARY} moments, not {size} ({index_set!r}, d = "
            f"{d}): take fewer terms, or index set 'total degree'"
        )
    if index_set == "tensor":
        return np.indices((terms,) * d).reshape(d, -1).T
    rows = [()]
    for _ in range(d):
        rows = [(*row, m) for row in rows for m in range(_degrees_left(index_set, row, terms))]
    return np.array(rows, dtype=int)


def summary_size(index_set: str, d: int, terms: int) -> int:
    """How many moments, the constant included.

    >>> summary_size("tensor", 3, 12), summary_size("total degree", 5, 3)
    (1728, 21)
    >>> summary_size("hyperbolic cross", 2, 4)
    8
    """
    checks.choice("index_set", index_set, INDEX_SETS)
    checks.integer("d", d, at_least=1)
    checks.integer("terms", terms, at_least=1)
    if index_set == "tensor":
        return terms**d
    if index_set == "total degree":
        return math.comb(d + terms - 1, d)
    counts = {1: 1}  # how many rows have each product of (m_i + 1)
    for _ in range(d):
        longer: dict[int, int] = {}
        for (product, count), m in itertools.product(counts.items(), range(1, terms + 1)):
            if product * m <= terms:
                longer[product * m] = longer.get(product * m, 0) + count
        counts = longer
    return sum(counts.values())


def contract(tensor: np.ndarray, factors: list[np.ndarray]) -> np.ndarray:
    """Sum a tensor against products of one factor per variable; array (k,).

    Parameters
    ----------
    tensor : array (size_1, ..., size_d)
    factors : d arrays (k, size_i)

    >>> contract(np.eye(2), [np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])]).tolist()
    [11.0]
    """
    k, step = len(factors[0]), 256
    answers = np.empty(k)
    flat = tensor.reshape(len(tensor), -1)
    for start in range(0, k, step):
        some = [factor[start : start + step] for factor in factors]
        rest = some[0] @ flat
        for factor in some[1:]:
            shaped = rest.reshape(len(factor), factor.shape[1], -1)
            rest = np.matmul(factor[:, None], shaped)[:, 0]
        answers[start : start + step] = rest.reshape(len(some[0]), -1)[:, 0]
    return answers


def _degrees_left(index_set: str, row: tuple[int, ...], terms: int) -> int:
    """How many values the next degree may take."""
    if index_set == "total degree":
        return terms - sum(row)
    return terms // math.prod(m + 1 for m in row)
