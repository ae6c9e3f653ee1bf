"""The summary: Chebyshev moments of many records (Algorithm 1), and how far one record moves them.

**Paper.** Wang, Fan, Zhang and Wang (2013), Algorithm 1; Theorem 3.1, part 1.

**Setting.** Records in [-1, 1]^d; for each multi-index m of a public set the mean of
phi_m(x) = prod_i cos(m_i arccos x_i) is wanted, and the sensitivity of all of them together when
one record is replaced.

**Idea.** *Moments.* No cosine is needed: T_{n+1} = 2 x T_n - T_{n-1}. The polynomials of half of
the variables times those of the other half, summed over the records, are a matrix product; a few
hundred records at a time stay in the cache. *Sensitivity.* The basis functions cannot all be at
their worst at once. For one variable the worst pair is the end x = 1 and the angle where the sum of
cosines is lowest; more variables only multiply.

**Symbols.**

===========  ================  ==============================================  ==============
paper        here              meaning                                         shape, unit
===========  ================  ==============================================  ==============
D            ``points``        records, private, in [-1, 1]^d                  (n, d)
t            ``terms``         degrees 0, ..., t - 1 per variable              whole number
m            ``index``         rows of multi-indices, the first all 0          (N, d) int
Su(D)        results           means of phi_m                                  (N,) or tensor
t^d          (none)            what the paper's noise scale pays for           of the sum
(none)       ``excess``        kappa_t: the fraction by which it is short      0 ... 0.2173
(none)       ``weights``       public weights w_m of the basis functions       (terms,), (N,)
(none)       ``derivatives``   v_m: how far a coefficient moves derivatives    (N,)
===========  ================  ==============================================  ==============

**Departures.** The paper adds noise of scale t^d / (n epsilon). The L1 sensitivity is exactly
(1 + kappa_t) t^d / n, so the noise as stated spends (1 + kappa_t) epsilon: 4 % more than claimed at
t = 3, at most 21.8 % more. All sensitivities here are of sums: divide by n for means.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dpviz import checks
from dpviz.papers.smooth_queries.chebyshev import chebyshev
from dpviz.privacy.pieces import blocks_of

LARGEST_SUMMARY = 10**7  # moments: 80 MB
LARGEST_GRID = 2**22  # places at which a sum of cosines is looked at
MATRIX = 2**16  # cosines in a matrix at most; more are summed by a fast transform
RECORDS, INNER = 8064, 672  # per block of terms, per product; no powers of 2: rows would collide


def sums(points: np.ndarray, terms: int) -> np.ndarray:
    """Sums of all basis functions over the records; array (terms,) * d.

    >>> sums(np.array([[1.0, 0.5], [-1.0, 0.5]]), 2).tolist()
    [[2.0, 1.0], [0.0, 0.0]]
    """
    n, d = points.shape
    half = d // 2
    odd = d % 2
    fine = math.isqrt(terms - 1) + 1 if odd else 1
    coarse = math.ceil(terms / fine) if odd else 1
    total = np.zeros((terms**half * coarse, terms**half * fine))
    workspace = np.empty((len(total), INNER)), np.empty((total.shape[1], INNER))
    basis = np.empty((terms, d, min(n, RECORDS)))
    for start in range(0, n, RECORDS):
        block = np.ascontiguousarray(points[start : start + RECORDS].T)
        rows = chebyshev(block, terms, out=basis[:, :, : block.shape[1]]).transpose(1, 0, 2)
        left = [*rows[:half]]
        right = [*rows[half + odd :]]
        if odd:  # the variable in the middle goes to both sides
            left, right = [*left, rows[half][::fine]], [*right, rows[half][:fine]]
        add_products(total, left, right, workspace)
    return (_join(total, terms, half, fine) if odd else total).reshape((terms,) * d)


def _join(total: np.ndarray, terms: int, half: int, fine: int) -> np.ndarray:
    """From sums with T_(fine p) T_q of the middle variable to sums with T_(fine p + q).

    T_(a + q) = 2 T_a T_q - T_|a - q|: so the product of the two sides is nearly square, which
    is what matrix products like.

    Parameters
    ----------
    total : array (terms^half * coarse, terms^half * fine)

    Returns an array (terms^half, terms, terms^half).

    >>> x = np.array([0.3])
    >>> t = chebyshev(x, 5)[:, 0]
    >>> np.allclose(_join(np.outer(t[::3], t[:3]), 5, 0, 3).ravel(), t)
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
    records = left[0].shape[1]
    step = workspace[0].shape[1]
    right = right or [np.ones((1, records))]
    for start in range(0, records, step):
        some = slice(start, start + step)
        wide = _row_products([row[:, some] for row in left], workspace[0])
        total += wide @ _row_products([row[:, some] for row in right], workspace[1]).T


def _row_products(rows: list[np.ndarray], workspace: np.ndarray) -> np.ndarray:
    """For each record the product of one entry of each of its rows, all choices."""
    product = rows[0]
    width = rows[0].shape[1]
    for i, row in enumerate(rows[1:], start=2):
        size = len(product) * len(row)
        out = workspace[:size, :width] if i == len(rows) else np.empty((size, width))
        shaped = out.reshape(len(product), len(row), width)
        product = np.multiply(product[:, None], row[None], out=shaped).reshape(size, width)
    return product


def multi_indices(d: int, terms: int) -> np.ndarray:
    """The multi-indices of a summary, in the order of a tensor; array (terms^d, d), first row 0.

    >>> multi_indices(2, 2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return np.indices((terms,) * d).reshape(d, -1).T


def contract(tensor: np.ndarray, factors: list[np.ndarray]) -> np.ndarray:
    """Sum a tensor against products of one factor per variable; array (k,).

    Parameters
    ----------
    tensor : array (size_1, ..., size_d); factors : d arrays (k, size_i)

    >>> contract(np.eye(2), [np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])]).tolist()
    [11.0]
    """
    k = len(factors[0])
    step = 256
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


@lru_cache(maxsize=1024)
def excess(terms: int) -> float:
    """kappa_t = -min D / t with equal weights, from above (by 1e-6 at most); 0 for t <= 2.

    Never above 0.2172337 = -min sin(x) / x, for D(a) = sin^2(ta/2) + sin(ta) cot(a/2) / 2 and
    cot(a/2) <= 2 / a. The least value on a grid of step h, less h^2 / 8 sum m^2: the minimiser is
    within h / 2 of a node, D' is 0 there, and |D''| <= sum m^2. The grid is only where D is least:
    as D(a) = 1/2 + sin(f a) / (2 sin(a/2)), f = t - 1/2, and sin(a/2) rises, that is where
    sin(f a) is first negative, f a in [pi, 2 pi].

    >>> [excess(terms) for terms in (2, 3, 4, 8, 256)]
    [0.0, 0.04167, 0.07889, 0.14424, 0.21486]
    """
    if checks.integer("terms", terms, at_least=1) <= 2:
        return 0.0
    points = 2000 * terms
    frequency = terms - 0.5
    first = math.floor(points / frequency)
    angles = math.pi / points * np.arange(first, 2 * first + 3)
    least = float((0.5 + np.sin(frequency * angles) / (2 * np.sin(angles / 2))).min())
    margin = (math.pi / points) ** 2 / 8 * math.comb(terms, 2) * (2 * terms - 1) / 3
    return max(0.0, (margin - least) / terms)


def worst_angle(terms: int) -> float:
    """Where D is lowest: the records (1, ..., 1) and (cos of this, 1, ..., 1) are a worst pair.

    >>> math.degrees(worst_angle(3))
    104.5
    """
    angles = np.linspace(0, np.pi, 2000 * terms + 1)
    return float(angles[np.cos(np.outer(angles, np.arange(terms))).sum(axis=1).argmin()])


def l1_tensor(terms: int, d: int) -> float:
    """The L1 sensitivity of all t^d sums: (1 + kappa_t) t^d, and 0 if there is only the constant.

    Statements: W13 Theorem 3.1 (privacy).
    Proof. One variable: sum |cos ma - cos mb| = 2 sum |sin mu| |sin mv|, u, v = (a +- b) / 2,
    is at most 2 max_u sum sin^2 mu = t - min D (Cauchy and Schwarz), with equality at b = 0.
    More variables, by induction: for features a, b of one variable, A, B of the others, a A - b B
    = [(a - b)(A + B) + (a + b)(A - B)] / 2. In the L1 norm p = |a - b|, P = |A - B|, and |a + b|
    <= 2 t - p, |A + B| <= 2 T - P with T = t^(d-1), as the entries lie in [-1, 1]. So the norm is
    at most t T - (t - p)(T - P) = t T (1 - x X), p = t (1 + x), P = T (1 + X), x and X in
    [-1, kappa_t], and x X is least at a corner.

    >>> l1_tensor(1, 3), l1_tensor(2, 3), l1_tensor(3, 1)
    (0.0, 8.0, 3.125)
    """
    checks.integer("d", d, at_least=1)
    return 0.0 if terms == 1 else (1 + excess(terms)) * float(terms**d)


def l1_any(weights: np.ndarray) -> float:
    """Any set of m: |phi_m(x) - phi_m(y)| <= 2, so 2 times the sum of the weights.

    Parameters
    ----------
    weights : array (N,), not negative, of all m but the constant

    >>> l1_any(np.ones(20))
    40.0
    """
    return 2 * float(np.sum(weights))


def l2_tensor(terms: int, d: int) -> float:
    """An upper bound, attained for even t, of the L2 sensitivity of all t^d sums: sqrt(2 t^d).

    Proof. One variable: sum (cos ma - cos mb)^2 = 4 sum sin^2 mu sin^2 mv is at most 4 max sum
    sin^4 mu = max_p of 3t/2 - 2 D(p) + D(2p)/2, and that is at most 2t: D(2p) - 4 D(p) <= t by the
    closed form of D, case by case on the signs of sin tp and cos tp (a test runs the inequality up
    to t = 400). More variables, by induction: with s = |a|^2, s' = |b|^2 <= t, c = <a, b> and
    capitals alike with T = t^(d-1), |a A - b B|^2 = s S + s' S' - 2 c C. If c C >= 0 this is at
    most 2 t T. If c <= 0 <= C, then -2c <= 2t - s - s' and C <= (S + S')/2, so it is at most t
    (S + S') + (s - s')(S - S')/2 <= 2 t T; and so the other way round.

    >>> l2_tensor(8, 2) ** 2, l2_tensor(1, 2)
    (128.0, 0.0)
    """
    checks.integer("d", d, at_least=1)
    return 0.0 if checks.integer("terms", terms, at_least=1) == 1 else math.sqrt(2 * terms**d)


def derivatives(index: np.ndarray, smoothness: int, nodes: int | None = None) -> np.ndarray:
    """v_m = 2^-(variables in m) times sum_i m_i^(2K): the Sobolev weight of phi_m; array (N,).

    It is the mean square, over all angles, of the K-th derivative of phi_m in each variable, summed
    over the variables. On a grid of ``nodes`` points per variable differences stand for derivatives
    and m_i becomes (2 nodes / pi) sin(pi m_i / (2 nodes)), which is a little less.

    Parameters
    ----------
    index : int array (N, d), without the constant's row; smoothness : int >= 0, K

    >>> derivatives(np.array([[0, 1], [3, 0], [1, 2]]), 1).tolist()
    [0.5, 4.5, 1.25]
    """
    frequency = index.astype(float)
    if nodes is not None:
        frequency = 2 * nodes / math.pi * np.sin(math.pi * index / (2 * nodes))
    present = (index > 0).sum(axis=1)
    return np.ldexp((frequency ** (2 * smoothness)).sum(axis=1), -present)


def l1_set(weights: np.ndarray, index: np.ndarray) -> float:
    """The L1 sensitivity of w_m phi_m over any set of m, from above: W - min D, or 2 W.

    W is the sum of the weights, D(p) = sum_m w_m prod_i cos(m_i p_i). Proof. phi_m(a) is the mean
    of cos(sum_i s_i m_i a_i) over all signs s, so with u, v = (a +- b) / 2 the change of phi_m is
    at most the mean of 2 |sin(s m u)| |sin(s m v)|. Sum with weights; by Cauchy and Schwarz it is
    at most the largest sum of w_m mean_s 2 sin^2(s m u) = W - D(2 u). In one variable it is exact:
    for b = 0 both factors agree.

    Parameters
    ----------
    weights : array (N,), not negative; index : int array (N, d)

    >>> l1_set(np.ones(2), np.array([[1], [2]]))  # as l1_tensor(3, 1)
    3.125
    """
    most = l1_any(weights)
    seen = _cosine_sums(weights, index)
    if seen is None:
        return most
    values, margin = seen
    return min(most, float(weights.sum() - values.min() + margin))


def l2_set(weights: np.ndarray, index: np.ndarray) -> float:
    """The L2 sensitivity of w_m phi_m over any set of m, from above.

    With squared weights in W and D: at most W 3/2 - 2 D(p) + D(2 p) / 2 at the worst p, or 4 W.
    Proof. As in :func:`l1_set`, a square is at most the mean of squares over the signs, and so the
    sum is at most the largest of w_m^2 mean_s 4 sin^4(s m u), p = 2 u. Exact in one variable.

    >>> l2_set(np.ones(3), np.array([[1], [2], [3]])) ** 2  # as l2_tensor(4, 1)
    8.00
    """
    squares = np.square(weights)
    most = 2 * float(np.sqrt(np.sum(squares)))  # each changes by at most 2 w_m
    seen = _cosine_sums(squares, index)
    if seen is None:
        return most
    values, margin = seen
    places = np.arange(len(values))
    twice = np.append(places[::2], places[-3::-2])  # 2 p, folded back where it passes pi
    largest, end = -math.inf, 0
    for some in blocks_of(values):
        end += len(some)
        there = values[twice[end - len(some) : end]]
        for axis in range(1, values.ndim):
            there = there.take(twice, axis=axis)
        there /= 2
        there -= 2 * some
        largest = max(largest, float(there.max()))
    worst = 1.5 * squares.sum() + largest + 4 * margin
    return min(most, float(np.sqrt(worst)))


def _cosine_sums(weights: np.ndarray, index: np.ndarray) -> tuple[np.ndarray, float] | None:
    """D on a grid of [0, pi]^d, and how far below its least value D may lie; None if too large.

    As in :func:`excess`: the minimiser is within half a step h of a node in each variable,
    the first derivatives are 0 there, and no second one, along any direction of such steps, exceeds
    sum w_m |m|_1^2, so that D is less by h^2 / 8 times that sum at most. D(2 p) has 4 times the
    second derivative, so that D(2 p) / 2 - 2 D(p) takes 4 such margins.
    """
    d = index.shape[1]
    terms = int(index.max()) + 1
    most = min(128 * terms, int(LARGEST_GRID ** (1 / d) + 1e-9))
    points = 1 << (most.bit_length() - 1)  # a power of two: fast
    if points < 2 * terms:
        return None
    margin = (math.pi / points) ** 2 / 8 * float(weights @ index.sum(axis=1) ** 2.0)
    few = terms * points <= MATRIX
    values = np.zeros((terms if few else points + 1,) * d)
    values[tuple(index.T)] = weights if few else np.ldexp(weights, -(index > 0).sum(axis=1))
    for axis in range(d):
        if few:
            values = _cosines(values, axis, points)
        else:  # in place; along the axes to come only the first terms are not 0
            there = (slice(None),) * (axis + 1) + (slice(terms),) * (d - axis - 1)
            _fast_cosines(np.moveaxis(values[there], axis, -1))
    return values, margin


def _cosines(values: np.ndarray, axis: int, points: int) -> np.ndarray:
    """The sum of v_m cos(m p) at p = 0, pi / points, ..., pi, along one axis: few m, by a product.

    >>> _cosines(np.array([1.0, 4.0]), 0, 2).round(12).tolist()
    [5.0, 1.0, -3.0]
    """
    places = np.linspace(0, math.pi, points + 1)
    basis = np.cos(np.outer(places, np.arange(values.shape[axis])))
    return np.moveaxis(np.tensordot(basis, values, axes=(1, axis)), 0, axis)


def _fast_cosines(lines: np.ndarray) -> None:
    """v_0 + 2 sum of v_m cos(m p) + v_M cos(M p) at p = 0, pi / M, ..., pi, in place of each line.

    By numpy's transform of the even continuation: to load scipy.fft takes longer than to load
    numpy.

    >>> lines = np.array([[1.0, 2.0, 0.0]])
    >>> _fast_cosines(lines)
    >>> lines.round(12).tolist()
    [[5.0, 1.0, -3.0]]
    """
    for some in blocks_of(np.atleast_2d(lines)):
        even = np.concatenate([some, some[..., -2:0:-1]], axis=-1)
        some[:] = np.fft.rfft(even).real
