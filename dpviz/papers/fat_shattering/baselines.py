"""What the small database has to beat: noise in every cell, or on every answer.

**Paper.** Roth (2010), section 1.1; Dwork et al. (2006); Hardt and Talwar (2010).

**Setting.** As in module ``net_mechanism``: k queries with weights in [0, 1] on a database of
cells.

**Idea.** Publish every cell with Laplace noise and answer from that; or put noise on every answer.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       unit
===========  =====================  ============================================  ============
n            ``cells``              number of cells                               count
k            ``k``                  number of queries                             count
alpha        ``epsilon``            privacy                                       1
||D||        ``total``              people                                        people
(none)       ``apart``              l1 distance of neighbours: 1, or 2 replaced   people
===========  =====================  ============================================  ============

**Departures.** The paper quotes O(k) for noise on every answer: that is one answer's error at
constant alpha, and the largest of k is O((k / alpha) log k).
"""

from __future__ import annotations

import math

import numpy as np

from dpviz import checks


def error_bound_table(
    cells: int, k: int, *, epsilon: float, apart: float = 1.0, beta: float = 0.05
) -> float:
    """Proved: a table with Laplace noise in each cell answers k queries within this, 1 - beta.

    Proof. Each answer is off by a sum of at most ``cells`` Laplace variables of scale b = apart /
    epsilon with weights in [0, 1], so E exp(l sum) <= (1 - (l b)^2)^(-cells) for l b < 1. Markov's
    inequality, both signs, k queries: the sum stays below (ln(2 k / beta) - cells ln(1 -
    (l b)^2)) / l, for each l; the least over a grid is taken.

    >>> round(error_bound_table(6, 40, epsilon=1.0), 1)
    16.3
    """
    checks.integer("cells", cells, at_least=1)
    checks.integer("k", k, at_least=1)
    scale = checks.number("apart", apart, above=0) / checks.number("epsilon", epsilon, above=0)
    x = np.linspace(0.01, 0.99, 99)
    rare = math.log(2 * k / checks.number("beta", beta, above=0, below=1))
    return float(scale * ((rare - cells * np.log1p(-(x**2))) / x).min())


def error_bound_each(k: int, *, epsilon: float, apart: float = 1.0, beta: float = 0.05) -> float:
    """Proved: with Laplace noise of scale k apart / epsilon on each of k answers, 1 - beta.

    Proof. Each noise is larger than scale ln(k / beta) with probability beta / k.

    >>> round(error_bound_each(10, epsilon=1.0), 1)
    53.0
    """
    checks.integer("k", k, at_least=1)
    scale = k * checks.number("apart", apart, above=0) / checks.number("epsilon", epsilon, above=0)
    return scale * math.log(k / checks.number("beta", beta, above=0, below=1))


def paper_rate(k: int, cells: int, *, epsilon: float) -> float:
    """Hardt and Talwar as the paper quotes them: sqrt(k) log(n/k) / alpha, with the constant 1.

    For k >= n / e the log is taken as 1.

    >>> round(paper_rate(100, 10_000, epsilon=1.0))
    46
    """
    checks.number("epsilon", epsilon, above=0)
    return math.sqrt(k) * max(1.0, math.log(cells / k)) / epsilon


def paper_rate_crossover(total: float) -> float:
    """Section 1.1: the small database has less noise from total^(4/3) queries on, logs aside.

    >>> round(paper_rate_crossover(1000.0))
    10000
    """
    return checks.number("total", total, above=0) ** (4 / 3)
