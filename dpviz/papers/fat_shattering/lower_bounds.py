"""Lower bounds (Theorem 2): the error that every differentially private mechanism must have.

**Paper.** Roth (2010), section 3, Theorem 2; Beimel, Kasiviswanathan and Nissim (2010) for point
queries.

**Setting.** A mechanism is epsilon-private for databases at l1 distance 1 (one person more or
less), and with probability 1 - beta all its answers to a class are within e of the truth.

**Idea.** If e is small the attack of module ``reconstruction`` finds most of the people. But it
must find nearly as many of them when one of them is not there.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       unit
===========  =====================  ============================================  ============
alpha        ``epsilon``            privacy                                       1
delta        ``beta``               probability that some answer is worse         [0, 1)
gamma        ``gamma``              distance from the levels                      (0, 1/2]
d            ``d``                  points in the bucket, even                    count
(none)       ``pairs``              pairs of points with levels that are close    count
(none)       ``copies``             people for each point                         count
n            ``cells``              cells of the database                         count
epsilon      returned               error of the answers                          people
===========  =====================  ============================================  ============

**Departures.** (1) The paper's proof exchanges one person for another, distance 2, and pays for
distance 1; it also lets the success of both databases be assumed. Deleting the person instead
corrects both, and the theorem holds as stated with exp(epsilon), for every beta < 1, if the
dimension is large enough. (2) That proviso is missing in the text and needed: whole-number data
can be published with noise and rounded, exact with high probability (:func:`exact_epsilon`).
(3) By pairing (module ``reconstruction``) no factor gamma is lost: our remark.
"""

from __future__ import annotations

import math

from dpviz import checks
from dpviz.papers.fat_shattering.dimension import margin
from dpviz.papers.fat_shattering.reconstruction import told_apart


def lower_bound(
    gamma: float,
    d: int,
    *,
    epsilon: float,
    beta: float,
    copies: int = 1,
    spread: float | None = None,
) -> float:
    """Proved: an epsilon-private mechanism has at least this error on some query (Theorem 2).

    Proof. Let g = 2 gamma - spread, u = 4 e / (g d), T a random half of the points, x in T random,
    T' = T without x, and P the attack's set. Event E: x in P, and P differs from T in at most 4 e /
    g points (`reconstruction.reconstruction_bound`). (i) On T the answers are good with probability
    1 - beta; then at most u d/2 points of T are missed and x is one of them with probability u at
    most: Pr[E] >= (1 - beta)(1 - u). (ii) Privacy, for each T and x: Pr[E on T] <= exp(epsilon)
    Pr[E on T']. (iii) On T' the output knows T' only, and x is uniform over the d/2 + 1 other
    points. On E the set P without T' holds x and at most u d/2 others, so Pr[E] <= (u d/2 + 1)/(d/2
    + 1). Solve for u.
    Statements: R10 Theorem 2; R10 Section 5 (necessary and sufficient).

    Parameters
    ----------
    gamma : float in (0, 1/2]
    d : int >= 2, even: shattered points whose levels lie within ``spread`` of each other
    beta : float in [0, 1)
    copies : int >= 1, people for each point: all scales, and epsilon becomes copies x epsilon
    spread : float in [0, 2 gamma], 0 for equal levels; None for gamma, as of a bucket

    Returns a float >= 0; 0 says nothing.

    >>> u = lower_bound(0.5, 100, epsilon=0.1, beta=0.1) / (0.5 * 100 / 4)
    >>> round(u, 3)
    0.443
    """
    apart = told_apart(gamma, spread)
    share = _kept(beta, copies, epsilon=epsilon)
    if checks.integer("d", d, at_least=2) % 2:
        raise ValueError(f"d must be even (leave one point out), not {d}")
    u = (share * (d + 2) - 2) / (d + share * (d + 2))
    return max(0.0, copies * apart * d / 4 * u)


def lower_bound_pairs(
    gamma: float, pairs: int, *, epsilon: float, beta: float, copies: int = 1
) -> float:
    """Proved (our remark): the same by pairing, where exchanging two points costs distance 2.

    Proof. Let u = 2 e / (gamma pairs), T a random choice, J a random pair, T' = T with J the other
    way. Event E: P agrees with T on J and differs from it in at most 2 e / gamma pairs. On T:
    Pr[E] >= (1 - beta)(1 - u). Privacy at distance 2: a factor exp(2 epsilon). On T', J is
    uniform, and on E it is one of at most 2 e / gamma + 1 pairs in which P differs from T':
    Pr[E] <= u + 1/pairs. Solve for u.
    Statements: R10 Section 3 (conjecture).

    Parameters
    ----------
    pairs : int >= 1, see :func:`least_pairs`; the others as in :func:`lower_bound`

    >>> round(lower_bound_pairs(0.25, 100, epsilon=0.1, beta=0.1), 2)
    5.23
    """
    gamma = margin(gamma)
    share = _kept(beta, copies, epsilon=2 * epsilon)
    checks.integer("pairs", pairs, at_least=1)
    return max(0.0, copies * gamma * pairs / 2 * (share - 1 / pairs) / (1 + share))


def lower_bound_points(cells: int, *, epsilon: float, beta: float) -> float:
    """Proved: a private mechanism has error (ln((1 - beta) cells) / epsilon - 1)/2 on some
    cell.

    So the log of the number of cells is real, although the dimension of point queries is 1.
    Proof. Let w be the least whole number above 2 e, and D_i have w people in cell i. On D_i the
    answers are within e of it with probability 1 - beta, and for different i these events exclude
    each other, as w > 2 e. Each has probability at least (1 - beta) exp(-epsilon w) on the empty
    database, at distance w. They are ``cells`` many, so w >= ln((1 - beta) cells) / epsilon; and
    w <= 2 e + 1.
    Statements: R10 Section 1.1 (point queries); R10 Section 3 (point queries).

    >>> round(lower_bound_points(10**6, epsilon=0.1, beta=0.05), 1)
    68.3
    """
    checks.integer("cells", cells, at_least=1)
    checks.number("epsilon", epsilon, above=0)
    checks.number("beta", beta, at_least=0, below=1)
    return max(0.0, (math.log((1 - beta) * cells) / epsilon - 1) / 2)


def paper_lower_rate(gamma: float, dimension: int, *, epsilon: float) -> float:
    """Theorem 2: error Omega(gamma^2 dimension / exp(epsilon)); here with the constant 1.

    Statements: R10 Theorem 2.

    >>> paper_lower_rate(0.5, 100, epsilon=0.0)
    25.0
    """
    return (
        margin(gamma) ** 2 * checks.integer("dimension", dimension, at_least=0) / math.exp(epsilon)
    )


def least_bucket(gamma: float, dimension: int) -> int:
    """Points that the largest bucket holds for sure, made even.

    Levels lie in [gamma, 1 - gamma], so at most ceil(1/gamma) - 1 buckets are used.
    Statements: R10 Section 3 (buckets).

    >>> least_bucket(0.25, 30)
    10
    """
    used = math.ceil(1 / margin(gamma) - 1e-9) - 1
    return -(-checks.integer("dimension", dimension, at_least=0) // used) // 2 * 2


def least_pairs(gamma: float, dimension: int) -> int:
    """Pairs of close levels that there are for sure.

    >>> least_pairs(0.25, 30), least_pairs(0.1, 30)
    (14, 8)
    """
    wide = max(0, math.ceil(1 / margin(gamma) - 1e-9) - 3)
    return max(0, checks.integer("dimension", dimension, at_least=0) // 2 - wide)


def exact_epsilon(cells: int, *, beta: float) -> float:
    """An epsilon at which a rounded Laplace table is exact in every cell: 2 ln(cells / beta).

    Each cell is wrong with probability exp(-epsilon / 2): noise of scale 1/epsilon beyond 1/2.

    >>> round(exact_epsilon(10, beta=0.1), 2)
    9.21
    """
    checks.integer("cells", cells, at_least=1)
    return 2 * math.log(cells / checks.number("beta", beta, above=0, below=1))


def _kept(beta: float, copies: int, *, epsilon: float) -> float:
    """(1 - beta) exp(-epsilon) for the distance that ``copies`` make."""
    checks.number("epsilon", epsilon, at_least=0)
    checks.number("beta", beta, at_least=0, below=1)
    return (1 - beta) * math.exp(-epsilon * checks.integer("copies", copies, at_least=1))
