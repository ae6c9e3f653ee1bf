"""The relative entropy potential (Lemmas 5 and 6): as stated it can rise, corrected it falls.

**Paper.** Roth's lecture 13, proof of Theorem 4, Lemmas 5 and 6.

**Setting.** A run of updates by the learner; A is the set of elements that are indexed in its end,
p their share of the records.

**Idea.** Measure the divergence of the data from the hypothesis. It must be one between two
distributions on the same indices: the records that are never asked about, 1 - p of them, need a
place too. Put them on one aggregate element, which is never indexed.

**Symbols.**

============  ================  ====================================================  =====
paper         here              meaning                                               unit
============  ================  ====================================================  =====
Psi           ``stated``        sum over A of D^(x) ln(D^(x) / D[h(x)])               nats
(none)        ``corrected``     the same, plus (1 - p) ln((1 - p) / D[aggregate])     nats
D^(x)         ``shares``        share of the records with name x                      [0, 1]
============  ================  ====================================================  =====

**Departures.** Lemma 6 says that each update lowers the stated potential by alpha^2 / 4. That is
false where p < 1: lowering a guess multiplies all weights up again in the normalisation, and the
stated potential does not see what the untouched elements lose. Example in :func:`counterexample`:
129 of 437 updates lower a guess, and the worst raises it by 0.0032. The corrected one is a true
divergence and falls by 15/32 alpha^2 or more. Theorem 4 holds. Lemma 5 also says "always
non-negative" beside its own bound -1/e; the corrected one is never negative.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping

import numpy as np

from dpviz import checks
from dpviz.papers.sparse_queries.indexed_weights import IndexedWeights
from dpviz.papers.sparse_queries.queries import Query
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import (
    SparseWeights,
    mistake_bound,
    paper_size,
)

SHARE, NAMES = 0.05, 12  # of the example: twelve names with a twentieth of the records each
HALF, WHOLE = Query(range(NAMES // 2)), Query(range(NAMES))


def counterexample(*, alpha: float, update_rule: str = "paper") -> dict[str, float]:
    """One query of six names, one of twelve, 40 % of the records never asked.

    Statements: L13 Lemma 6.

    Always update at the first query if it is off by alpha, else at the second.

    Returns
    -------
    dict with ``updates``, ``lowered`` (how many lower a guess), ``stated`` and ``corrected``
    (smallest fall of each potential), ``bound`` (proved limit on the updates)

    >>> run = counterexample(alpha=0.1)
    >>> run["updates"], run["lowered"], round(run["stated"], 4), round(run["corrected"], 4)
    (437, 129, -0.0032, 0.0047)
    """
    checks.number("alpha", alpha, above=0, at_most=1)
    steps = trace(alpha=alpha, update_rule=update_rule)
    falls = -np.diff([state[1:] for state in steps], axis=0)
    size = paper_size(NAMES, alpha)
    return {
        "updates": len(steps) - 1,
        "lowered": sum(state[0] < 0 for state in steps),
        "stated": float(falls[:, 0].min()),
        "corrected": float(falls[:, 1].min()),
        "bound": mistake_bound(size, alpha, update_rule),
    }


def trace(*, alpha: float, update_rule: str = "paper") -> list[tuple[float, float, float]]:
    """The states of :func:`counterexample`: (side of the update before, stated, corrected).

    >>> trace(alpha=0.25)[0][0]
    0.0
    """
    learner = SparseWeights(paper_size(NAMES, alpha), alpha=alpha, update_rule=update_rule)
    shares = dict.fromkeys(WHOLE.names, SHARE)
    states = [(0.0, *potentials(learner.hypothesis, shares))]
    while True:
        queries = ((query, SHARE * len(query)) for query in (HALF, WHOLE))
        wrong = [(q, v) for q, v in queries if abs(v - learner.predict(q)) >= alpha]
        if not wrong:
            return states
        query, truth = wrong[0]
        side = 1.0 if truth > learner.predict(query) else -1.0
        learner.update(query, truth)
        states.append((side, *potentials(learner.hypothesis, shares)))


def potentials(hypothesis: IndexedWeights, shares: Mapping[Hashable, float]) -> tuple[float, float]:
    """The potential as stated and the corrected one.

    Statements: L13 Section 2 (potential); L13 Lemma 5.

    Parameters
    ----------
    hypothesis : with an index free
    shares : dict from each name of A to its share of the records; an untouched name has
        the common weight, as in the definition

    >>> [round(x, 3) for x in potentials(IndexedWeights(100), {"cat": 0.5})]
    [1.956, 3.912]
    """
    if not hypothesis.free:
        raise ValueError("hypothesis must have a free index, which stands for the names not asked")
    stated = _divergence((share, hypothesis.log_value(name)) for name, share in shares.items())
    rest = max(0.0, 1.0 - math.fsum(shares.values()))
    return stated, stated + _divergence([(rest, hypothesis.log_untouched_weight)])


def _divergence(pairs: Iterable[tuple[float, float]]) -> float:
    """Sum of p (ln p - ln q) over pairs (p, ln q)."""
    return math.fsum(p * (math.log(p) - log_q) for p, log_q in pairs if p > 0)
