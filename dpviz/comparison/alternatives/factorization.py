"""Factorization mechanism: Gaussian noise on a well chosen factor of the workload, projected.

A workload Q = L R is answered by L (R x + noise). The noise is scaled to the largest distance of
two columns of R (one record is replaced, n is public), so the factorization decides how much of
it reaches the answers: the matrix mechanism (Li, Hay, Rastogi, McGregor, Miklau 2010; convex
form: Yuan, Yang, Zhang, Hao 2016; Edmonds, Nikolov, Ullman 2020). The noisy answers are then
replaced by the nearest that some records could have, which is free: the projection mechanism
(Nikolov, Talwar, Zhang 2013). With R = Q it is the *projected Gaussian mechanism*.

* ``optimized``: the factor with the least expected squared error of all answers, a convex program
  in X = R^T R: minimise trace(Q X^-1 Q^T) over X with ones on the diagonal, solved by its dual,
  which has one number for each cell. For up to ``MOST`` cells.
* :class:`Walsh`: in closed form for conjunctions and parities of yes-or-no attributes, whose
  factor consists of parities.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.comparison.alternatives import joint_sensitivity
from dpviz.privacy.curator import Curator

MOST = 256  # cells for which a program is solved
STEPS, STEPS_SMALL = 60, 200  # of the projection, over many cells and few
BOLD = 0.1  # of the smoothness that a proof needs
ROUNDS = 2000  # of the program
NEAR, ZERO = 1e-12, 1e-12  # its stop; a share of the largest eigenvalue
ATTRIBUTES = 3  # of a question


def optimized(queries: np.ndarray) -> np.ndarray:
    """The factor R (cells, cells), columns of norm 1, of least expected squared error.

    The number of records is public, so a constant may be added to each question: those with values
    0 and 1 become -1/2 and 1/2. With G their Gram matrix, ``trace(G X^-1)`` over X with ones on
    the diagonal is least where ``X^-1 G X^-1`` is a diagonal matrix D, so where
    X = D^-1/2 (D^1/2 G D^1/2)^1/2 D^-1/2; and ``2 trace (D^1/2 G D^1/2)^1/2 - trace D`` is below
    the least for every D. D is multiplied by the square of X's diagonal until that is 1. Whatever
    is found is a valid factor; of all with one X it is the symmetric one.

    Parameters
    ----------
    queries : array (k, cells) in [0, 1], cells at most ``MOST``; public

    >>> factor = optimized(np.eye(2))
    >>> round(float(np.square((np.eye(2) - 0.5) @ np.linalg.pinv(factor, rcond=NEAR)).sum()), 2)
    0.5
    """
    cells = checks.integer("cells", queries.shape[1], at_least=1, at_most=MOST)
    centred = queries - 0.5
    gram = centred.T @ centred
    weights = np.diag(gram).copy()
    there = weights > 0
    gram = gram[np.ix_(there, there)]
    weights = weights[there]
    for _ in range(ROUNDS):
        scales = np.sqrt(weights)
        product = _root(scales[:, None] * gram * scales) / np.outer(scales, scales)
        diagonal = np.diag(product)
        if np.abs(diagonal - 1).max(initial=0) < NEAR:
            break
        weights = weights * np.square(diagonal)
    norms = np.sqrt(np.diag(product))
    factor = np.zeros((cells, cells))
    factor[np.ix_(there, there)] = _root(product / np.outer(norms, norms))
    return factor


def _root(matrix: np.ndarray) -> np.ndarray:
    """Symmetric square root of a matrix that has one; eigenvalues near 0 are 0."""
    values, vectors = np.linalg.eigh(matrix)
    values = np.where(values > ZERO * values.max(initial=0), values, 0)
    return np.asarray((vectors * np.sqrt(values)) @ vectors.T)


@dataclass(frozen=True, eq=False)
class Walsh:
    """Questions about d yes-or-no attributes, as sums of parities; a linear operator (k, 2^d).

    Question j is sum_w coefficients[j, w] chi_w, chi_w(x) = (-1)^(number of common ones of x and
    w): two terms for "is the number of yes among these attributes odd?", 2^m for "are these m
    attributes as given?".

    Attributes
    ----------
    d : int >= 1; parities : int array (r,), the numbers w; coefficients : sparse array (k, r)
    sensitivity : float > 0, at least the largest L2 distance of two columns
    largest_square : float > 0, at least the largest squared norm of a column
    """

    d: int
    parities: np.ndarray
    coefficients: Any
    sensitivity: float
    largest_square: float

    @property
    def shape(self) -> tuple[int, int]:
        """(k, 2^d)."""
        return self.coefficients.shape[0], 2**self.d

    def __len__(self) -> int:
        return self.shape[0]

    def __matmul__(self, weights: np.ndarray) -> np.ndarray:
        """Answers (k,) to weights (2^d,)."""
        return np.asarray(self.coefficients @ transform(weights)[self.parities])

    @property
    def T(self) -> _Transposed:
        """The transposed operator."""
        return _Transposed(self)

    @cached_property
    def best(self) -> Walsh:
        """The weighted parities of least expected squared error.

        The variance of the answers is sum_w c_w / s_w^2 with c_w = sum_j coefficients[j, w]^2,
        and the squared sensitivity at most 4 sum_w s_w^2; by Cauchy and Schwarz the product is
        least for s_w^2 proportional to sqrt(c_w). The parity of no attribute is constant, so it
        is not measured. Replacing x by y moves s_w chi_w by 2 s_w where chi_w(x xor y) = -1, and
        nowhere else, so the sensitivity is computed exactly.
        """
        from scipy import sparse

        strength = np.asarray(self.coefficients.multiply(self.coefficients).sum(axis=0)).ravel()
        scales = np.where(self.parities == 0, 0.0, strength**0.25)
        spread = np.zeros(2**self.d)
        spread[self.parities] = np.square(scales)
        moved = 2 * float((spread.sum() - transform(spread)).max())
        table = sparse.dia_array((scales[None], [0]), shape=(len(scales), len(scales)))
        return Walsh(self.d, self.parities, table.tocsr(), math.sqrt(moved), float(spread.sum()))


@dataclass(frozen=True, eq=False)
class _Transposed:
    operator: Walsh

    def __matmul__(self, values: np.ndarray) -> np.ndarray:
        """Sums (2^d,) of the questions with these values (k,)."""
        own = self.operator
        spread = np.zeros(2**own.d)
        spread[own.parities] = own.coefficients.T @ values
        return transform(spread)


def questions(d: int, k: int, *, rng: checks.Seed) -> Walsh:
    """k public questions about d attributes: odd sums of three, and triples as given, in turn.

    Sensitivity. Replacing x by y moves a parity by 1 where chi(x xor y) = -1: the largest number P
    of these is computed over all x xor y. A conjunction moves by at most its values at x and y
    together, of which A(x) are 1 at x, so the square of the L2 distance is at most max P + 2 max A.

    >>> asked = questions(4, 4, rng=0)
    >>> asked.shape, (asked @ np.full(16, 1 / 16)).round(3).tolist()
    ((4, 16), [0.5, 0.125, 0.5, 0.125])
    """
    from scipy import sparse

    checks.integer("d", d, at_least=ATTRIBUTES, at_most=20)
    rng = checks.generator(rng)
    triples = list(itertools.combinations(range(d), ATTRIBUTES))
    odd = rng.permutation(len(triples))
    rows = []
    for j in range(checks.integer("k", k, at_least=1)):
        if j % 2 == 0:
            attributes = triples[odd[j // 2 % len(triples)]]
            rows.append({0: 0.5, sum(2**each for each in attributes): -0.5})
        else:
            attributes = triples[rng.integers(len(triples))]
            rows.append(_conjunction(attributes, rng.integers(0, 2, ATTRIBUTES)))
    parities = np.array(sorted({w for row in rows for w in row}))
    place = {int(w): column for column, w in enumerate(parities)}
    table = sparse.lil_array((k, len(parities)))
    for j, row in enumerate(rows):
        for w, value in row.items():
            table[j, place[int(w)]] = value
    return _with_sensitivity(d, parities, table.tocsr())


def part(queries: np.ndarray | Walsh, numbers: np.ndarray) -> tuple[Any, float]:
    """Some of the questions, and how far their answers move together, times n.

    Parameters
    ----------
    queries : array (k, cells) of 0 and 1, or :func:`questions`; public
    numbers : int array, of the questions that are taken

    >>> round(part(np.eye(3), np.array([0, 2]))[1], 3)
    1.414
    """
    if isinstance(queries, Walsh):
        some = _with_sensitivity(queries.d, queries.parities, queries.coefficients[numbers])
        return some, some.sensitivity
    return queries[numbers], joint_sensitivity.of_values(queries[numbers]).l2


def _with_sensitivity(d: int, parities: np.ndarray, coefficients: Any) -> Walsh:
    """Odd sums, which have two terms, and conjunctions, with the bound of :func:`questions`."""
    plain = Walsh(d, parities, coefficients, 1.0, 1.0)
    k = coefficients.shape[0]
    is_odd = np.diff(coefficients.indptr) == 2
    moved = -2 * (coefficients.T @ is_odd.astype(float))
    moved[parities == 0] = 0
    spread = np.zeros(2**d)
    spread[parities] = moved
    odd = float((spread.sum() - transform(spread)).max()) / 2
    both = float((plain.T @ (~is_odd).astype(float)).max())
    square = float((plain.T @ np.ones(k)).max())
    return replace(plain, sensitivity=math.sqrt(min(k, odd + 2 * both)), largest_square=square)


def _conjunction(attributes: tuple[int, ...], values: np.ndarray) -> dict[int, float]:
    """Whether these attributes have these values, as a sum of parities."""
    terms = {0: 1.0}
    for attribute, value in zip(attributes, values.tolist(), strict=True):
        sign = -1 if value else 1
        terms |= {w + 2**attribute: sign * each for w, each in terms.items()}
    return {w: each / 2 ** len(attributes) for w, each in terms.items()}


def transform(values: np.ndarray) -> np.ndarray:
    """Walsh-Hadamard transform of an array (2^d,), without a factor.

    >>> transform(np.array([1.0, 0.0, 0.0, 0.0]))
    array([1., 1., 1., 1.])
    """
    d = len(values).bit_length() - 1
    table = np.array(values, dtype=float).reshape(2 ** (d // 2), -1)
    return _butterflies(_butterflies(table).T.copy()).T.ravel()


def _butterflies(table: np.ndarray) -> np.ndarray:
    """The transform along the first axis, in place."""
    half = 1
    while half < len(table):
        pairs = table.reshape(-1, 2, half * table.shape[1])
        first = pairs[:, 0] + pairs[:, 1]
        np.subtract(pairs[:, 0], pairs[:, 1], out=pairs[:, 1])
        pairs[:, 0] = first
        half *= 2
    return table


def release(
    data: np.ndarray, curator: Curator, *, factor: Any, sensitivity: float, n: int
) -> np.ndarray:
    """Nearest shares of the cells to a noisy factor of them. Costs all of the curator's budget.

    Parameters
    ----------
    data : array (cells,) of counts, private; curator : of basic composition, with a delta
    factor : (r, cells), an array or a linear operator; public
    sensitivity : largest L2 distance of two columns of the factor
    n : int >= 1, records; public

    Returns an array (cells,), shares that add up to 1.

    >>> curator = Curator(epsilon=20.0, delta=1e-6, rng=0)
    >>> how = {"factor": np.eye(2), "sensitivity": 1.414, "n": 100}
    >>> release(np.array([90.0, 10.0]), curator, **how).round(1)
    array([0.9, 0.1])
    """
    exact = factor @ (np.asarray(data, dtype=float) / n)
    budget = curator.budget
    cost: dict[str, Any] = {"epsilon": budget.epsilon, "delta": budget.delta, "label": "factor"}
    noisy = np.asarray(curator.gaussian(exact, sensitivity=sensitivity / n, **cost))
    return nearest_shares(factor, noisy)


def nearest_shares(factor: Any, noisy: np.ndarray) -> np.ndarray:
    """Shares x >= 0 that add up to 1 and make |R x - noisy| small: accelerated mirror descent.

    Free: post-processing, so how near it comes to the least matters for accuracy alone. Over
    many cells it takes few steps, ten times as long as a proof of convergence allows.

    >>> nearest_shares(np.eye(2), np.array([1.5, -0.5])).round(2)
    array([1., 0.])
    """
    cells = factor.shape[1]
    shares = np.full(cells, 1 / cells)
    ahead = shares.copy()
    small = cells <= MOST
    smooth = _largest_square(factor) * (1.0 if small else BOLD)
    momentum = 1.0
    logs = np.log(shares)
    for _ in range(STEPS_SMALL if small else STEPS):
        gradient = factor.T @ (factor @ ahead - noisy)
        logs = logs - momentum / smooth * gradient
        logs = logs - logs.max()
        mirror = np.exp(logs)
        mirror = mirror / mirror.sum()
        weight = 1 / momentum
        shares = (1 - weight) * shares + weight * mirror
        following = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        momentum = following
        ahead = (1 - 1 / momentum) * shares + mirror / momentum
    return shares


def _largest_square(factor: Any) -> float:
    """Smoothness of |R x - y|^2 / 2 in the l1 norm: the largest squared norm of a column."""
    if isinstance(factor, np.ndarray):
        return float(np.square(factor).sum(axis=0).max())
    return float(factor.largest_square)
