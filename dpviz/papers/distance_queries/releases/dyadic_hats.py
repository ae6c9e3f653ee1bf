"""Haar coefficients of sign functions (Faber-Schauder hats), and their joint L1 sensitivity.

**Paper.** Beside Huang and Roth (2014); Haar's wavelets, Faber's and Schauder's hats. Privelet
(Xiao, Wang and Gehrke 2010) puts Laplace noise on Haar wavelets of counts; here they are those
of sign functions.

**Setting.** One column of records in [0, 1], m = 2^J cells.

**Idea.** |x - y| = (1 - (1 - 2x)(1 - 2y)) / 2 - sum over levels, x and y in one cell of level j, of
2^(-j-1) T_j(x) T_j(y). So averages of 1 - 2x and of the hats T_jk give every answer, and a record
touches one hat on each level.

**Symbols.**

===========  =======================  =================================================
usual        here                     meaning
===========  =======================  =================================================
J            ``J``                    m = 2^J cells; levels 0 ... J - 1
T_j(x)       ``hat``                  1 - |2 u - 1| at the share u of x's cell of level j
p            ``weights``              precisions (p_c, p_0, ..., p_(J-1)); noise is 1 / p
L_1(p)       ``joint_sensitivity``    largest p-weighted change by one record
===========  =======================  =================================================

**Departures.** Privelet adds up what each level can move at most. No pair of records is extreme on
all levels at once; here only what a pair moves jointly is paid, and the scales follow from it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.papers.distance_queries.releases.cell_counts import Prepared

PAIR = (7 / 6, 1 / 2, 1.0, 4 / 3)  # what the records 1/12 and 2/3 move: mean, levels 0, 1, 2 ...
OBJECTIVES = {
    "mean": (1.0, 1.0, 1.0),
    "worst": (7 / 18, 1 / 6, 4 / 9),
}  # of the mean, level 0, 4^-j


def hat(j: int, u: NDArray) -> NDArray:
    """T_j at places u in [0, 1]; same shape.

    >>> hat(1, np.array([0.25, 0.5, 0.625])).tolist()
    [1.0, 0.0, 0.5]
    """
    return 1 - np.abs(2 * (2.0**j * u % 1) - 1)


def sizes(J: int) -> list[int]:
    """How many coefficients there are: the mean, then 2^j on each level; m in all.

    >>> sizes(3)
    [1, 1, 2, 4]
    """
    return [1, *(2**j for j in range(J))]


@lru_cache(maxsize=64)
def weights(J: int, objective: str = "mean") -> NDArray:
    """Precisions (p_c, p_0, ..., p_(J-1)) whose joint sensitivity is 1; shape (J + 1,).

    Every p obeys the one constraint of the pair (1/12, 2/3): a . p <= 1 with a = 7/6, 1/2, 1,
    4/3, 4/3, ... Under it Hoelder makes p ~ (v / a)^(1/3) minimise sum of v / p^2. For "mean" v
    are the mean weights of the variance (1, 4^-j); for "worst" those of the mixture 5/6 at the
    query 1/6 and 1/6 at 1/3. So no p does better than this does under that constraint; here it
    is rescaled by what all pairs move.

    >>> (1 / weights(10)[:4]).tolist()
    [3.8, 2.9, 5.7, 10.0]
    """
    checks.choice("objective", objective, OBJECTIVES)
    mean, first, rest = OBJECTIVES[objective]
    v = np.array([mean, first, *(rest * 4.0**-j for j in range(1, J))])
    a = np.array([*PAIR[:3], *[PAIR[3]] * J])[: J + 1]
    p = np.cbrt(v / a)
    return p / joint_sensitivity(p)


def joint_sensitivity(p: NDArray) -> float:
    """L_1(p): the largest p_c |2x - 2x'| + sum of p_jk |T_jk(x) - T_jk(x')|, exactly, in O(m).

    Proof. Let x, x' be separated at level s: the midpoint of their smallest common cell lies
    between, at distances u and v <= 2^-s. The mean and the coarser hats move by
    A = 2 p_c + sum over j < s - 1 of 2^(j+1) p_j times u + v; the common cell's own hat by
    B = 2^s p_(s-1) times |u - v|; the finer ones lie in different cells and move by G(u) + G(v).
    By symmetry |u - v| may be read u - v. All is linear between the 2^J grid points.

    Parameters
    ----------
    p : array (J + 1,) of numbers >= 0: p_c, p_0, ..., p_(J-1)

    >>> joint_sensitivity(np.array([1.0, 0.0]))  # 1 - 2x alone
    2.0
    """
    J, finer, most = len(p) - 1, np.zeros(2), 0.0
    for s in range(J, 0, -1):  # ``finer`` is G_s on [0, 2^-s], at grid points
        place = np.linspace(0, 2.0**-s, len(finer))
        coarser = 2 * p[0] + p[1:s] @ 2.0 ** np.arange(1, s)
        own = 2.0**s * p[s]
        sides = [np.max((coarser + sign * own) * place + finer) for sign in (1, -1)]
        most = max(most, float(sum(sides)))
        ramp = np.linspace(0, 1, len(finer))
        finer = p[s] * np.append(ramp, ramp[-2::-1]) + np.append(finer, finer[1:])
    return most


def coefficients(prepared: Prepared) -> NDArray:
    """Averages of 1 - 2x and of all hats, level by level: private; shape (d, m).

    A cell's hat sums, over its left half, the places in that half; over its right half, one
    minus them. Counts and places are folded from the finest cells upwards.

    >>> from dpviz.papers.distance_queries.releases.cell_counts import Params, prepare
    >>> params = Params(n=2, epsilon=1, cells=2)
    >>> coefficients(prepare([0.25, 0.5], params)).tolist()  # mean of 1 - 2x, mean of T_0
    [[0.25, 0.75]]
    """
    counts, inside, found = prepared.counts, prepared.inside, []
    while counts.shape[1] > 1:
        (left, right), (first, second) = _halves(counts), _halves(inside)
        found.append(first + right - second)
        counts, inside = left + right, (first + second + right) / 2
    found.append(counts - 2 * inside)
    return np.concatenate(found[::-1], axis=1) / prepared.params.n


def synthesis(coefficients: NDArray) -> NDArray:
    """Curves on the unit interval from coefficients: (d, m) to (d, m + 1).

    The ends are (1 - c) / 2 and (1 + c) / 2; each midpoint lies 2^-(j+1) T_jk below the chord.

    >>> synthesis(np.array([[0.25, 0.75]])).tolist()  # records 1/4 and 1/2
    [[0.375, 0.125, 0.625]]
    """
    mean = coefficients[:, :1]
    curve = np.concatenate([1 - mean, 1 + mean], axis=1) / 2
    for j in range(coefficients.shape[1].bit_length() - 1):
        finer = np.empty((len(curve), 2 * curve.shape[1] - 1))
        finer[:, ::2] = curve
        finer[:, 1::2] = (curve[:, :-1] + curve[:, 1:]) / 2
        finer[:, 1::2] -= 0.5 ** (j + 1) * coefficients[:, 2**j : 2 ** (j + 1)]
        curve = finer
    return curve


def _halves(table: NDArray) -> tuple[NDArray, NDArray]:
    """Left and right halves of each pair of cells."""
    return table[:, ::2], table[:, 1::2]
