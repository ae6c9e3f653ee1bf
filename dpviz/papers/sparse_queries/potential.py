"""Why the learner stops erring: two potentials, one of which can rise.

**Paper.** Roth's lecture 13, proof of Theorem 4, Lemmas 5 and 6.

**Setting.** A run of updates by the learner; A is the set of names that own a slot in its end,
p their share of the records.

**Idea.** Measure the distance from the data to the guess. It must be a distance between two
distributions on the same slots: the records that are never asked about, 1 - p of them, need a
place too. Put them on one slot that never gets an owner.

**Symbols.**

============  ================  =================================================  =====
paper         here              meaning                                            unit
============  ================  =================================================  =====
Psi           ``printed``       sum over A of D^(x) ln(D^(x) / D[h(x)])            nats
(none)        ``mended``        the same, plus (1 - p) ln((1 - p) / D[spare])      nats
D^(x)         ``shares``        share of the records with name x                   [0, 1]
============  ================  =================================================  =====

**Departures.** Lemma 6 says that each update lowers the printed potential by alpha^2 / 4. That is
false where p < 1: lowering a guess multiplies all slots up again in the normalisation, and the
printed potential does not see what the rest of the slots loses. Example in :func:`trial`: 129
of 437 updates lower a guess, and the worst raises it by 0.0032. The mended one is a true
divergence and falls by 15/32 alpha^2 or more. Theorem 4 holds. Lemma 5 also says "always
non-negative" beside its own bound -1/e; the mended one is never negative.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping

import numpy as np

from dpviz import checks
from dpviz.papers.sparse_queries.indexed_weights import Slots
from dpviz.papers.sparse_queries.queries import Query
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import (
    SparseWeights,
    mistake_bound,
    paper_size,
)

SHARE, NAMES = 0.05, 12  # of the example: twelve names with a twentieth of the records each
HALF, WHOLE = Query(range(NAMES // 2)), Query(range(NAMES))


def trial(*, alpha: float, step: str = "paper", rng: checks.Seed = None) -> dict[str, float]:
    """The example: one query of six names, one of twelve, 40 % of the records never asked.

    Always update at the first query if it is off by alpha, else at the second.

    Returns
    -------
    dict with ``updates``, ``lowered`` (how many lower a guess), ``printed`` and ``mended``
    (smallest fall of each potential), ``bound`` (proved limit on the updates)

    >>> run = trial(alpha=0.1)
    >>> run["updates"], run["lowered"], round(run["printed"], 4), round(run["mended"], 4)
    (437, 129, -0.0032, 0.0047)
    """
    checks.number("alpha", alpha, above=0, at_most=1)
    steps = trace(alpha=alpha, step=step)
    falls = -np.diff([state[1:] for state in steps], axis=0)
    size = paper_size(NAMES, alpha)
    return {
        "updates": len(steps) - 1,
        "lowered": sum(state[0] < 0 for state in steps),
        "printed": float(falls[:, 0].min()),
        "mended": float(falls[:, 1].min()),
        "bound": mistake_bound(size, alpha, step),
    }


def trace(*, alpha: float, step: str = "paper") -> list[tuple[float, float, float]]:
    """The states of :func:`trial`: (side of the update before, printed, mended).

    >>> trace(alpha=0.25)[0][0]
    0.0
    """
    learner = SparseWeights(paper_size(NAMES, alpha), alpha=alpha, step=step)
    shares = dict.fromkeys(WHOLE.names, SHARE)
    states = [(0.0, *both(learner.slots, shares))]
    while True:
        queries = ((query, SHARE * len(query)) for query in (HALF, WHOLE))
        wrong = [(q, v) for q, v in queries if abs(v - learner.predict(q)) >= alpha]
        if not wrong:
            return states
        query, truth = wrong[0]
        side = 1.0 if truth > learner.predict(query) else -1.0
        learner.update(query, truth)
        states.append((side, *both(learner.slots, shares)))


def both(slots: Slots, shares: Mapping[Hashable, float]) -> tuple[float, float]:
    """The printed potential and the mended one.

    Parameters
    ----------
    slots : with a slot free
    shares : dict from each name of A to its share of the records; a name without a slot stands
        at the common level, as in the definition

    >>> [round(x, 3) for x in both(Slots(100), {"cat": 0.5})]
    [1.956, 3.912]
    """
    if not slots.free:
        raise ValueError("slots must have one free slot, which stands for the names not asked")
    printed = _divergence((share, slots.log_value(name)) for name, share in shares.items())
    rest = max(0.0, 1.0 - math.fsum(shares.values()))
    return printed, printed + _divergence([(rest, slots.log_level)])


def _divergence(pairs: Iterable[tuple[float, float]]) -> float:
    """Sum of p (ln p - ln q) over pairs (p, ln q)."""
    return math.fsum(p * (math.log(p) - log_q) for p, log_q in pairs if p > 0)
