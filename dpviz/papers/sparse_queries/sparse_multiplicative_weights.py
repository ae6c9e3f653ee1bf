"""Sparse multiplicative weights (Algorithm 1) and its mistake bound (Theorem 4, Lemmas 5 and 6).

**Paper.** Roth's lecture 13, Algorithm 1, Theorem 4, Lemmas 5 and 6.

**Setting.** The learner guesses Q(D). When the guess is off by alpha or more it is told a
value that lies on the right side of it, and moves the names of Q that way.

**Idea.** Relative entropy is a budget: the divergence of the truth from the hypothesis
(Kullback-Leibler, in nats) starts at ln s or below, each update takes at least a fixed part of it,
and it is never negative. The update rule decides how large that part is.

**Symbols.**

==========  ====================  ==============================================  ==========
paper       here                  meaning                                         unit
==========  ====================  ==============================================  ==========
alpha       ``alpha``             a guess may be off by less than this            (0, 1)
m           ``m``                 width of the queries                            count
s           ``size``              number of indices                               count
eta         ``step_size``         exponent of one update                          none
L           updates               how many there can be                           count
B(alpha)    ``mistake_bound``     proved limit on them; stated: 4 ln s / alpha^2  count
(none)      ``kappa``             B(alpha) is kappa ln s / alpha^2                none
Psi         ``potentials``        sum over A of D^(x) ln(D^(x) / D[h(x)]);        nats
                                  corrected: + (1 - p) ln((1 - p) / D[rest])
A, p        ``shares``            elements indexed in the end, their share p      [0, 1]
==========  ====================  ==============================================  ==========

**Departures.** (1) The step alpha/2 is valid, but 4 alpha is eight times better, and moving to
the right value exactly (the projection in relative entropy) never worse; all three are here.
(2) The text has both 4 ln s / alpha^2 and 4 (ln s + 1) / alpha^2; the first is right, the second
is what its size rule leaves room for. (3) Of its proof, one potential must be corrected: see
:func:`potentials`. Lemma 6 says that each update lowers the stated potential by alpha^2 / 4. That
is false where records are never asked about: lowering a guess multiplies all weights up again in
the normalisation, and the stated potential does not see what the untouched elements lose. In
:func:`counterexample` 129 of 437 updates lower a guess, and the worst raises it by 0.0032. The
corrected one puts those records on one aggregate element, which is never indexed: a true
divergence between two distributions on the same indices, which falls by 15/32 alpha^2 or more.
Theorem 4 holds. Lemma 5 also says "always non-negative" beside its own bound -1/e; the corrected
one is never negative.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.accounting.roots import first
from dpviz.papers.sparse_queries.indexed_weights import BatchEvaluator, IndexedWeights
from dpviz.papers.sparse_queries.queries import Batch, Query

KAPPA = {"paper": 32 / 15, "best": 1 / 2, "projection": 1 / 2}
UPDATE_RULES = tuple(KAPPA)
LARGEST_STEP = 60.0  # by as much may an update without a reachable target change a logarithm
SMALLEST_VALUE = 1e-12  # below it some weights may be too small for floats
ORDERS = ("greedy", "random", "least")


class SparseWeights:
    """The learner: indexed weights and an update rule; a ``dpviz.privacy.online.Learner``.

    Statements: L13 Algorithm 1.

    Parameters
    ----------
    size : int >= 1, number of indices
    alpha : float in (0, 1], an answer counts as wrong from here on
    update_rule : "paper" (a step of alpha / 2), "best" (of 4 alpha) or "projection" (moves the
        guess to a safe value exactly)
    reply_error : float >= 0, how far a reply may be off; only the projection asks

    >>> learner = SparseWeights(1000, alpha=0.1, update_rule="projection")
    >>> query = Query(["cat", "dog"])
    >>> learner.predict(query)
    0.002
    >>> learner.update(query, 0.7)
    >>> round(learner.predict(query), 6)
    0.7
    """

    def __init__(
        self, size: int, *, alpha: float, update_rule: str = "projection", reply_error: float = 0.0
    ):
        self.hypothesis = IndexedWeights(size)
        self.alpha = checks.number("alpha", alpha, above=0, at_most=1)
        self.update_rule = checks.choice("update_rule", update_rule, UPDATE_RULES)
        self.reply_error = checks.number("reply_error", reply_error, at_least=0)

    def predict(self, query: Query) -> float:
        """Guess the value of a query."""
        return min(1.0, self.hypothesis.evaluate(query))

    def update(self, query: Query, reply: float) -> None:
        """Move the query's names towards the reply."""
        self.hypothesis.update(query, self.step_size(query, reply))

    def step_size(self, query: Query, reply: float) -> float:
        """The exponent of the update: its sign says on which side the reply lies."""
        guess = self.hypothesis.evaluate(query)
        side = 1.0 if reply >= guess else -1.0
        if self.update_rule == "paper":
            return side * self.alpha / 2  # Algorithm 1: eta = alpha / 2
        if self.update_rule == "best":
            return side * 4 * self.alpha
        reply = min(1.0, max(0.0, reply))
        safe = guess + side * max(self.alpha, abs(reply - guess) - self.reply_error)
        return projection(self.hypothesis, query, safe)


def mistake_bound(size: int, alpha: float, update_rule: str = "projection") -> int:
    """Proved: at most floor(kappa ln s / alpha^2) updates whose side is right.

    Statements: L13 Theorem 4; L13 Section 2 (no FAILURE).
    Proof. Let A be the elements indexed in the end, p their share of the records. Put the
    other 1 - p on one aggregate element, which is never indexed: that makes the data a
    distribution P on the indices, with Q(P) = Q(D^) for each query that was used. An update by eta
    towards the right side lowers KL(P || D) by eta Q(P) - ln Z, where ln Z <= eta Q(D) + eta^2 / 8
    (Hoeffding's lemma), so by at least |eta| gap - eta^2 / 8. With gap >= alpha this is
    15/32 alpha^2 for eta = alpha / 2 and 2 alpha^2 for 4 alpha. The projection to u between
    guess and truth lowers it by eta u - ln Z at its best eta, so by no less than 2 (u - Q(D))^2;
    also where eta is truncated at ``LARGEST_STEP``, for it grows up to there. KL starts at
    ln s or below (the hypothesis is uniform) and is not negative. The free index exists:
    :func:`size_rule` leaves one even after one update more, and so does one index more than names.

    Parameters
    ----------
    size : int >= 1; alpha : float in (0, 1]; update_rule : "paper", "best" or "projection"

    >>> mistake_bound(54601, 0.1), mistake_bound(54601, 0.1, "paper")
    (545, 2326)
    """
    checks.integer("size", size, at_least=1)
    checks.number("alpha", alpha, above=0, at_most=1)
    each = KAPPA[checks.choice("update_rule", update_rule, UPDATE_RULES)] / alpha**2
    return math.floor(each * math.log(size))


def paper_mistake_bound(size: int, alpha: float) -> float:
    """Theorem 4: B(alpha) = 4 ln s / alpha^2, for the step alpha / 2.

    Statements: L13 Theorem 4.

    >>> round(paper_mistake_bound(570146, 0.1))
    5301
    """
    return 4 * math.log(size) / alpha**2


def paper_size(m: int, alpha: float) -> int:
    """Algorithm 1: the smallest s with s / (ln s + 1) >= 4 m / alpha^2.

    Statements: L13 Algorithm 1.

    >>> paper_size(1, 0.1), paper_size(10, 0.1), paper_size(100, 0.1)
    (3685, 47035, 570146)
    """
    m, alpha = checks.integer("m", m, at_least=1), checks.number("alpha", alpha, above=0, at_most=1)
    enough = 4 * m / alpha**2

    def suffices(s: int) -> bool:
        """The left side grows from s = 1 on."""
        return s / (math.log(s) + 1) >= enough

    upper = 1
    while not suffices(upper):
        upper *= 2
    return first(suffices, 0, upper)


def size_rule(m: int, alpha: float, update_rule: str = "projection") -> int:
    """The smallest s that leaves an index free after one update more than can happen.

    Statements: L13 Section 2 (no FAILURE).
    That is s >= m (B + 1) + 1 with B = ``mistake_bound(s, alpha, update_rule)``. The right
    side does not fall as s grows, so going up from the bottom ends at the least solution.

    >>> size_rule(100, 0.1), size_rule(100, 0.1, "paper") < paper_size(100, 0.1)
    (54601, True)
    """
    m = checks.integer("m", m, at_least=1)
    size = 1
    wanted = 2
    kappa = KAPPA[checks.choice("update_rule", update_rule, UPDATE_RULES)]
    each = kappa / checks.number("alpha", alpha, above=0) ** 2
    while wanted > size:
        size = wanted
        wanted = m * (math.floor(each * math.log(size)) + 1) + 1
    return size


def count_updates(
    batch: Batch, truths: ArrayLike, *, alpha: float, update_rule: str, order: str, rng: checks.Seed
) -> dict[str, float]:
    """Update without noise until no query is off by alpha or more; count the updates.

    Parameters
    ----------
    batch : Batch; truths : array (k,), the values of its queries
    order : "greedy" (the query that is off most), "random", or "least" (just off enough)

    Returns a dict with ``updates``, ``bound`` (:func:`mistake_bound`), ``paper_bound``, ``error``,
    ``used``.

    >>> batch = Batch([Query(["a"]), Query(["b", "c"])])
    >>> how = {"alpha": 0.1, "update_rule": "best", "order": "greedy"}
    >>> run = count_updates(batch, [0.5, 0.4], **how, rng=1)
    >>> run["updates"] <= run["bound"] and run["error"] < 0.1
    True
    """
    rng, truths = checks.generator(rng), np.asarray(truths, dtype=float)
    checks.choice("order", order, ORDERS)
    size = paper_size(batch.width, alpha)
    learner = SparseWeights(size, alpha=alpha, update_rule=update_rule)
    read = BatchEvaluator(learner.hypothesis, batch)
    updates = 0
    gaps = np.abs(truths - read())
    while gaps.max() >= alpha:
        i = _pick(gaps, alpha, order, rng)
        learner.update(batch.queries[i], truths[i])
        updates = updates + 1
        gaps = np.abs(truths - read())
    return {
        "updates": updates,
        "bound": mistake_bound(size, alpha, update_rule),
        "paper_bound": paper_mistake_bound(size, alpha),
        "error": float(gaps.max()),
        "used": learner.hypothesis.used,
    }


def _pick(gaps: np.ndarray, alpha: float, order: str, rng: np.random.Generator) -> int:
    """The next query to update at, among those off by alpha or more."""
    if order == "greedy":
        return int(np.argmax(gaps))
    if order == "least":
        return int(np.argmin(np.where(gaps >= alpha, gaps, np.inf)))
    return int(rng.choice(np.flatnonzero(gaps >= alpha)))


def projection(hypothesis: IndexedWeights, query: Query, target: float) -> float:
    """The step after which the query's value is ``target``: closed form if it is 0/1.

    It is the smallest move, in Kullback-Leibler divergence, to the weights with that value. Where
    none has it, or a far step only, the one that changes the weight of a name with the largest
    coefficient by exp(``LARGEST_STEP``). The odds of a 0/1 query go no further than that either, so
    moving to 0 or to 1 twice is moving once. What a float cannot tell from 0 or 1 is read from
    logarithms, so a name whose weight is too small for a float can rise again.

    >>> hypothesis, query = IndexedWeights(10), Query(["a", "b"], [1, 0.5])
    >>> hypothesis.update(query, projection(hypothesis, query, 0.6))
    >>> round(hypothesis.evaluate(query), 9)
    0.6
    """
    if query.binary:
        step = _log_odds(target) - _log_odds_of(hypothesis, query)
        return min(LARGEST_STEP, max(-LARGEST_STEP, step))
    logs = np.array([hypothesis.log_value(name) for name in query.names])
    return _newton(logs, query.values, hypothesis.log_rest(query), target)


def _log_odds(target: float) -> float:
    """ln(target / (1 - target)), at most ``LARGEST_STEP`` from 0."""
    if not 0 < target < 1:
        return math.copysign(LARGEST_STEP, target - 0.5)
    return min(LARGEST_STEP, max(-LARGEST_STEP, math.log(target) - math.log1p(-target)))


def _log_odds_of(hypothesis: IndexedWeights, query: Query) -> float:
    """The same of a 0/1 query's value now, but as far as it is; inf if nothing else is left.

    Above a half, one less the value loses digits, and how many is up to the processor.
    """
    now = hypothesis.evaluate(query)
    if SMALLEST_VALUE < now <= 0.5:
        return math.log(now / (1 - now))
    return hypothesis.log_own(query) - hypothesis.log_rest(query)


def _newton(logs: np.ndarray, values: np.ndarray, rest: float, target: float) -> float:
    """Root of mean(step) = target, mean rising: Newton kept inside a shrinking bracket.

    ``logs`` of the names' weights and of all the ``rest``; names that had sunk may rise from there.
    """
    most = LARGEST_STEP / float(values.max())
    sunk = max(0.0, min(rest - float(logs.max()), 1e4)) / float(values.max())
    lower = -most
    upper = most + sunk
    step = 0.0
    for _ in range(200):
        heights = logs + step * values
        largest = max(float(heights.max()), rest)
        tilted = np.exp(heights - largest)  # nothing overflows, and not all vanish
        total = float(tilted.sum()) + math.exp(rest - largest)
        mean = float(values @ tilted) / total
        spread = float(values**2 @ tilted) / total - mean**2
        lower, upper = (step, upper) if mean < target else (lower, step)
        if abs(mean - target) <= 1e-13 * target or upper - lower < 1e-13:
            break
        there = step + (target - mean) / spread if spread > 0 else math.inf
        step = there if lower < there < upper else (lower + upper) / 2
    return step


SHARE, NAMES = 0.05, 12  # of the example: twelve names with a twentieth of the records each
HALF = Query(range(NAMES // 2))
WHOLE = Query(range(NAMES))


def counterexample(*, alpha: float, update_rule: str = "paper") -> dict[str, float]:
    """One query of six names, one of twelve, 40 % of the records never asked.

    Statements: L13 Lemma 6.
    Always update at the first query if it is off by alpha, else at the second.
    Returns a dict with ``updates``, ``lowered`` (how many lower a guess), ``stated`` and
    ``corrected`` (smallest fall of each potential), ``bound`` (proved limit on the updates).

    >>> run = counterexample(alpha=0.1)
    >>> run["updates"], run["lowered"], round(run["stated"], 4), round(run["corrected"], 4)
    (437, 129, -0.0032, 0.0047)
    """
    checks.number("alpha", alpha, above=0, at_most=1)
    steps = potential_trace(alpha=alpha, update_rule=update_rule)
    falls = -np.diff([state[1:] for state in steps], axis=0)
    size = paper_size(NAMES, alpha)
    return {
        "updates": len(steps) - 1,
        "lowered": sum(state[0] < 0 for state in steps),
        "stated": float(falls[:, 0].min()),
        "corrected": float(falls[:, 1].min()),
        "bound": mistake_bound(size, alpha, update_rule),
    }


def potential_trace(*, alpha: float, update_rule: str = "paper") -> list[tuple]:
    """The states of :func:`counterexample`: (side of the update before, stated, corrected), floats.

    >>> potential_trace(alpha=0.25)[0][0]
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
    shares : dict from each name of A to its share of the records; an untouched name has the common
        weight, as in the definition

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
