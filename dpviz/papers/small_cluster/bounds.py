"""1-cluster problem (Table 1, Theorem 3.2): from which n anything is promised, with constants.

**Paper.** Nissim, Stemmer and Vadhan (2016), Table 1, Theorem 3.2, Lemmas 3.6 and 4.12.

**Setting.** As in modules ``good_radius``, ``good_center`` and ``one_cluster``.

**Idea.** A bound with constants can be solved for n. With the constants of the lemmas, as far as
they can be reconstructed, a promise begins at billions of records; with those of module
``radius_then_center`` at thousands. What the practical solver proves begins at hundreds, and is
about the rows of its last step only.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
t               ``t``           rows wanted                                   count
Delta           ``lost``        rows that the ball may lack                   count
w               ``wider``       radius over the least                         ratio
Gamma           (concave)       promise of RecConcave                         count
==============  ==============  ============================================  =============

**Departures.** Theorem 3.2 has no constants; those here are of the lemmas that it is made of
(radius step at half the budget, then centre step). The text at hand has lost its formulas: the
lemmas' constants are our reconstruction, from what is left, from another text and from a program.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpviz.accounting.roots import first
from dpviz.papers.small_cluster import good_radius, one_cluster, radius_then_center
from dpviz.papers.small_cluster.rec_concave import log_star


@dataclass(frozen=True)
class Requirement:
    """One row of Table 1 with logarithms and constants 1; see :func:`requirements`."""

    approach: str
    t: float
    lost: float
    wider: float
    time: str


def requirements(
    n: int, d: int, *, size: float = 2.0**16, epsilon: float, delta: float
) -> tuple[Requirement, ...]:
    """Table 1: what each approach asks of t, loses, and overshoots by; all constants 1.

    Statements: NSV Table 1.

    >>> [row.approach for row in requirements(10**4, 2, epsilon=1, delta=1e-6)]
    ['private aggregation', 'all balls', 'thresholds, d = 1', 'this work']
    """
    bits = math.log2(size)
    stars = log_star(size)
    deep = math.log(1 / delta)
    search = d / epsilon * bits**2
    few = 2.0**stars / epsilon
    rows = [
        (
            "private aggregation",
            max(0.51 * n, (d * bits / epsilon) ** 2),
            0.0,
            math.sqrt(d) / epsilon,
            "fast",
        ),
        ("all balls", search, search, 1.0, "size^d"),
        ("thresholds, d = 1", few * deep, few * deep, 1.0, "fast"),
        ("this work", math.sqrt(d) * few * deep, few, math.sqrt(math.log(n)), "fast"),
    ]
    return tuple(Requirement(*row) for row in rows)


def paper_guarantee(
    n: float, d: int, *, size: int = 2**16, epsilon: float, delta: float, beta: float = 0.1
) -> dict[str, float]:
    """What the lemmas guarantee, with reconstructed constants, at half the budget each.

    Statements: NSV Theorem 3.2; NSV Lemma 3.6; NSV Lemma 3.7.
    Returns a dict with ``radius`` and ``centre`` (least t of each step), ``t`` (the larger),
    ``wider`` (4 times 451 sqrt(k)), ``k``, ``trivial`` (least radius from which that ball is the
    cube).

    >>> promise = paper_guarantee(8e9, 10, epsilon=1, delta=1e-6)
    >>> promise["t"] > 1e9, promise["wider"] > 7e4
    (True, True)
    """
    half = {"epsilon": epsilon / 2, "delta": delta / 2, "beta": beta / 2, "lower": 0, "upper": 1}
    first = good_radius.paper_bound(good_radius.Params(t=1, d=d, size=size, **half))
    share = delta / 2
    second = math.log(64 * n * d / (beta * (epsilon / 2) * share)) * math.sqrt(math.log(8 / share))
    second *= 86645 * math.sqrt(d) / (epsilon / 2)
    k = math.ceil(46 * math.log2(2 * n / beta))
    wider = 4 * 451 * math.sqrt(k)
    cube = math.sqrt(d) / 2 / wider
    named = {"radius": first, "centre": second, "t": max(first, second)}
    return {**named, "wider": wider, "k": k, "trivial": cube}


def paper_smallest_n(
    d: int, *, share: float = 0.25, size: int = 2**16, epsilon: float, delta: float
) -> float:
    """Least n from which the lemmas with reconstructed constants promise anything, t = share n.

    >>> 1e9 < paper_smallest_n(10, epsilon=1, delta=1e-6) < 1e11
    True
    """
    n = 1000.0
    budget = {"epsilon": epsilon, "delta": delta}
    while (t := paper_guarantee(n, d, size=size, **budget)["t"]) > share * n:
        n = t / share * (1 + 1e-9)
    return n


def smallest_n(
    d: int, *, share: float = 0.25, epsilon: float, delta: float, beta: float = 0.1
) -> int:
    """Least n at which the solver of module ``one_cluster`` starts at all, for t = share n.

    It then proves that its ball holds some rows; what it finds is measured.

    >>> smallest_n(2, epsilon=1, delta=1e-6)
    926
    """
    params = one_cluster.Params(t=1, d=d, epsilon=epsilon, delta=delta, beta=beta, lower=0, upper=1)
    return math.floor(max(params.loss, one_cluster.error_bound(params)) / share) + 1


def smallest_n_as_stated(
    d: int, *, share: float = 0.25, spread: float, epsilon: float, delta: float
) -> int:
    """Least n from which a ball is promised, and below the cube's own.

    Statements: NSV Theorem 3.2; NSV Lemma 3.7.
    For module ``radius_then_center`` and t = share n rows in a ball of radius ``spread``. A ball of
    half the cube's diagonal about its middle holds everything, and needs no data. 0 if even without
    noise the proved radius is larger.

    >>> smallest_n_as_stated(10, spread=0.1, epsilon=1, delta=1e-6)
    0
    """
    trivial = math.sqrt(d) / 2

    def useful(n: int) -> bool:
        """Whether the proved radius is smaller at so many rows."""
        budget = {"epsilon": epsilon, "delta": delta}
        params = radius_then_center.Params(
            t=max(1, int(share * n)), d=d, lower=0, upper=1, **budget
        )
        return radius_then_center.error_bound_radius(params, n=n, least=spread) < trivial

    return first(useful, 10, 10**9) if useful(10**9) else 0
