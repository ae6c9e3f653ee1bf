"""OnlineIC with sparse multiplicative weights (Theorems 1, 4 and 7): queries one by one.

**Paper.** Roth's lecture 13, Theorems 1, 4 and 7; Blum and Roth (2013).

**Setting.** Sparse queries about n private names arrive one after another; each may depend on
all answers so far. The universe may be infinite.

**Idea.** A public hypothesis answers nearly every query. A private test says when its guess is off;
only then is a noisy value measured, and the hypothesis learns from it. That can happen few times
only.

**Symbols.**

=============  =====================  =============================================  ==============
paper          here                   meaning                                        unit
=============  =====================  =============================================  ==============
D^t            ``hypothesis``         the public distribution so far                 IndexedWeights
Q_t(D^t)       "guess"                an answer read off the hypothesis              [0, 1]
v_t            "measured"             a noisy value: the guess was off               [0, 1]
c              ``plan.updates``       how many can be measured                       count
(none)         "frozen"               a guess after the last update                  [0, 1]
(none)         ``vocabulary``         public names that queries may use              "in"
=============  =====================  =============================================  ==============

**Departures.** Those of ``plan``. The lecture takes OnlineIC from the one before it and does not
state it; this is ``dpviz.privacy.online`` with a two-sided test. Queries are checked before
anything private is touched, so a bad one costs nothing and changes nothing.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

import numpy as np

from dpviz import checks
from dpviz.papers.sparse_queries import workloads
from dpviz.papers.sparse_queries.indexed_weights import IndexedWeights
from dpviz.papers.sparse_queries.plan import Params, Plan, plan
from dpviz.papers.sparse_queries.queries import (
    Data,
    Query,
    Records,
    check_universe,
    checked_query,
    public_vocabulary,
    truth,
)
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import SparseWeights
from dpviz.privacy.curator import Curator
from dpviz.privacy.online import Answer, Online
from dpviz.privacy.sparse_vector import Threshold


class InteractiveSparse:
    """Answers sparse queries one by one. Costs (``epsilon``, ``delta``), charged when it is made.

    Statements: L13 Theorem 1; L13 Theorem 7 (mechanism).
    Privacy: ``dpviz.privacy.online``. One sub-curator pays for the test, whose values
    |Q(D^) - guess| move by at most 1/n, and at most ``plan.updates`` measurements of sensitivity
    1/n. The plan depends on public numbers only.
    Raises ValueError or TypeError if there is no vocabulary, or it has more names than
    ``params.universe``, or ``data`` are no names. BudgetExceeded if the curator cannot pay.

    Parameters
    ----------
    data : sequence of n hashable names, private
    curator : Curator, basic, which can pay epsilon and delta
    vocabulary : anything with "in": a set, a range, ``Strings()``

    >>> curator, words = Curator(epsilon=1.0, rng=0), {"cat", "dog", "eel"}
    >>> params = Params(epsilon=1.0, m=2, k=100)
    >>> data = ["cat"] * 60_000 + ["dog"] * 40_000
    >>> mechanism = InteractiveSparse(data, params, curator, vocabulary=words)
    >>> [mechanism.answer(Query(["cat"])).kind for _ in range(2)]
    ['measured', 'guess']
    """

    def __init__(
        self, data: Data, params: Params, curator: Curator, *, vocabulary: Container | None = None
    ):
        self.params, self.vocabulary = params, public_vocabulary(vocabulary)
        check_universe(self.vocabulary, params.universe)
        records = Records(data)
        self.plan = plan(params, records.n)
        self._learner = SparseWeights(
            self.plan.size,
            alpha=self.plan.alpha,
            update_rule=params.update_rule,
            reply_error=self.plan.answer_error,
        )
        payer = _sub_curator(params, self.plan, curator)
        self._online = Online(
            self._learner,
            truth=records.truth,
            oracle=lambda query: _measurement(payer, self.plan, records, query),
            threshold=payer.above_threshold(
                self.plan.threshold,
                sensitivity=1 / records.n,
                epsilon=self.plan.test,
                positives=self.plan.updates,
                method="once" if self.plan.composition == "basic" else "fresh",
                label="is the guess off?",
            ),
            answers="oracle",
            after="freeze",
        )

    @property
    def hypothesis(self) -> IndexedWeights:
        """The learner's hypothesis: public."""
        return self._learner.hypothesis

    @property
    def threshold(self) -> Threshold:
        """The test of the guesses. What it compared last is not private: for pictures only."""
        return self._online.threshold

    @property
    def updates_left(self) -> int:
        """How many answers can still be measured."""
        return self.threshold.positives_left

    def answer(self, query: Query) -> Answer:
        """Answer one query: "guess", "measured" or "frozen" is its kind.

        Raises ``ValueError`` or ``TypeError`` if it is too wide or uses names that are not
        public; then nothing has changed.
        """
        checked_query(query, self.vocabulary, self.params.m)
        reply = self._online.answer(query)
        return Answer(min(1.0, max(0.0, reply.value)), reply.kind)

    def answer_all(self, queries: Iterable[Query]) -> tuple[Answer, ...]:
        """Answers to many queries in order: the same as one by one."""
        return tuple(self.answer(query) for query in queries)


def trial(
    params: Params,
    data: Data | None = None,
    queries: Iterable[Query] | None = None,
    *,
    rng: checks.Seed,
    recipe: str = "uneven",
    n: int = 1000,
) -> dict[str, float]:
    """Ask a batch of queries in order, once.

    Parameters
    ----------
    data, queries : the instance; drawn by ``workloads.draw`` if they are not given
    recipe, n : how it is drawn

    Returns a dict with ``error`` (largest), ``bound`` (promised), ``updates``, ``budgeted`` (how
    many could be paid for) and ``frozen`` (answers after they ran out).

    >>> queries = [Query(["cat"]), Query(["dog", "eel"])]
    >>> run = trial(Params(epsilon=1.0, m=2, k=2), ["cat", "dog"] * 5000, queries, rng=1)
    >>> run["error"] <= run["bound"]
    True
    """
    instance = {"recipe": recipe, "n": n, "m": params.m, "k": params.k}
    data, batch, rng = workloads.instance(data, queries, **instance, rng=rng)
    mechanism = InteractiveSparse(data, params, params.curator(rng=rng), vocabulary=batch.number)
    answers = mechanism.answer_all(batch)
    gaps = np.array([each.value for each in answers]) - truth(data, batch)
    return {
        "error": float(np.abs(gaps).max()),
        "bound": mechanism.plan.error,
        "updates": mechanism.plan.updates - mechanism.updates_left,
        "budgeted": mechanism.plan.updates,
        "frozen": sum(each.kind == "frozen" for each in answers),
    }


def _sub_curator(params: Params, split: Plan, curator: Curator) -> Curator:
    """The sub-curator that pays for the test and for all measurements."""
    label = "online answers"
    if split.composition == "basic":
        return curator.sub_curator(epsilon=params.epsilon, label=label)
    return curator.sub_curator_zcdp(epsilon=params.epsilon, delta=params.delta, label=label)


def _measurement(payer: Curator, split: Plan, records: Records, query: Query) -> float:
    """One measurement with noise of its own, never that of the test."""
    charge = {"sensitivity": 1 / records.n, "label": "value"}
    if split.composition == "basic":
        return payer.laplace(records.truth(query), epsilon=split.measure, **charge)
    return payer.gaussian(records.truth(query), rho=split.measure, **charge)
