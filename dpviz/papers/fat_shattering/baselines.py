"""Laplace histogram and Laplace mechanism: the baselines that a small database has to beat.

**Paper.** Roth (2010), section 1.1; Dwork et al. (2006); Hardt and Talwar (2010).

**Setting.** As in module ``net_mechanism``: k queries with weights in [0, 1] on a database of
cells.

**Idea.** Publish the count of every cell with Laplace noise and answer from this histogram; or add
Laplace noise to every answer, with the budget divided evenly (basic composition).

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       unit
===========  =====================  ============================================  ============
n            ``cells``              number of cells                               count
k            ``k``                  number of queries                             count
alpha        ``epsilon``            privacy                                       1
delta        ``beta``               probability of a larger error                 (0, 1)
||D||        ``total``              people                                        people
(none)       ``l1_distance``        of neighbours: 1, or 2 if one is replaced     people
===========  =====================  ============================================  ============

**Departures.** The paper quotes O(k) for noise on every answer: that is one answer's error at
constant alpha, and the largest of k is O((k / alpha) log k).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.privacy.curator import PURE, Promise
from dpviz.privacy.simplex import nearest_on_simplex

MOST = 10**18  # cells and queries that a bound is computed for


@dataclass(frozen=True, kw_only=True)
class Params(Promise):
    """What is public.

    Attributes
    ----------
    epsilon : float > 0, cost of all answers together; delta : 0, because Laplace noise is pure
    l1_distance : float > 0, l1 distance of neighbours: 1 (one person more or less), or 2 (one
        person replaced)

    >>> Params(epsilon=1.0, beta=0)
    Traceback (most recent call last):
    ...
    ValueError: beta must be a number with 0 < beta < 1, not 0
    """

    delta_range = PURE

    l1_distance: checks.Positive = 1.0


def error_bound_histogram(params: Params, *, cells: int, k: int) -> float:
    """Proved: with probability at least 1 - beta a histogram with Laplace noise in each cell
    answers all k queries within this.

    Proof. Each answer is off by a sum of at most ``cells`` Laplace variables of scale b =
    l1_distance / epsilon with weights in [0, 1], so E exp(l sum) <= (1 - (l b)^2)^(-cells) for
    l b < 1. By Markov's inequality for both signs and a union bound over the k queries, the sum
    stays below (ln(2 k / beta) - cells ln(1 - (l b)^2)) / l, for each l; the least over a grid is
    taken.

    >>> round(error_bound_histogram(Params(epsilon=1.0), cells=6, k=40), 1)
    16.3
    """
    checks.integer("cells", cells, at_least=1, at_most=MOST)
    checks.integer("k", k, at_least=1, at_most=MOST)
    scale = params.l1_distance / params.epsilon
    x = np.linspace(0.01, 0.99, 99)
    rare = math.log(2 * k / params.beta)
    return float(scale * ((rare - cells * np.log1p(-(x**2))) / x).min())


def nearest_possible(noisy: ArrayLike, total: float) -> np.ndarray:
    """The nearest table (in l2) of counts that are not negative and add up to ``total``.

    Free: post-processing, as the total is public. One level is taken off all counts, so most of
    the noise in empty cells goes.

    Parameters
    ----------
    noisy : array (cells,); total : float > 0, people

    >>> nearest_possible([5.0, -1.0, 3.0], 6.0)
    array([4., 0., 2.])
    """
    return nearest_on_simplex(noisy, total)


def error_bound_laplace(params: Params, *, k: int) -> float:
    """Proved: with probability at least 1 - beta the Laplace mechanism answers all k queries
    within this.

    Proof. Together the k answers have l1 sensitivity at most k l1_distance, so each has noise of
    scale k l1_distance / epsilon. One noise is larger than scale ln(k / beta) with probability
    beta / k; a union bound over the k answers does the rest.
    Statements: R10 Section 1.1 (Laplace).

    >>> round(error_bound_laplace(Params(epsilon=1.0), k=10), 1)
    53.0
    """
    checks.integer("k", k, at_least=1, at_most=MOST)
    scale = k * params.l1_distance / params.epsilon
    return scale * math.log(k / params.beta)


def paper_rate(params: Params, *, k: int, cells: int) -> float:
    """Hardt and Talwar as the paper quotes them: sqrt(k) log(n/k) / alpha, with the constant 1.

    For k >= n / e the log is taken as 1.

    >>> round(paper_rate(Params(epsilon=1.0), k=100, cells=10_000))
    46
    """
    return math.sqrt(k) * max(1.0, math.log(cells / k)) / params.epsilon


def crossover(total: float) -> float:
    """Section 1.1: the small database has less noise from total^(4/3) queries on, logs aside.

    Statements: R10 Section 1.1 (crossover).

    >>> round(crossover(1000.0))
    10000
    """
    return checks.number("total", total, above=0) ** (4 / 3)
