"""Answers one by one: OnlineIC with sparse multiplicative weights.

**Paper.** Roth's lecture 13, Theorems 1, 4 and 7; Blum and Roth (2013).

**Setting.** Sparse queries about n private names arrive one after another; each may depend on
all answers so far. The universe may be infinite.

**Idea.** A public guess answers nearly every question. A private test says when it is off; only
then is a noisy value bought, and the guess learns from it. That can happen few times only.

**Symbols.**

=============  =====================  =============================================  =========
paper          here                   meaning                                        unit
=============  =====================  =============================================  =========
D^t            ``slots``              the guess, public                              Slots
Q_t(D^t)       "model"                an answer read off the guess                   [0, 1]
v_t            "measured"             a bought answer: the guess was off             [0, 1]
c              ``plan.updates``       how many can be bought                         count
(none)         "exhausted"            an answer read off the guess, nothing left     [0, 1]
(none)         ``vocabulary``         public names that queries may use              "in"
=============  =====================  =============================================  =========

**Departures.** Those of ``plan``. The lecture takes OnlineIC from the one before it and does not
print it; this is ``dpviz.privacy.online`` with a two-sided test. Queries are checked before
anything private is touched, so a bad one costs nothing and changes nothing.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.sparse_queries.indexed_weights import Slots
from dpviz.papers.sparse_queries.plan import Params, Plan, plan
from dpviz.papers.sparse_queries.queries import (
    Batch,
    Query,
    Records,
    allowed,
    must_fit,
    public_vocabulary,
)
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import SparseWeights
from dpviz.privacy.curator import Curator
from dpviz.privacy.online import Answer, Online

KINDS = {"guess": "model", "measured": "measured", "frozen": "exhausted"}


class InteractiveSparse:
    """Answers sparse queries one by one. Costs (``epsilon``, ``delta``), charged when it is made.

    Privacy: ``dpviz.privacy.online``. One part of the budget pays the test, whose values
    |Q(D^) - guess| move by at most 1/n, and at most ``plan.updates`` measurements of sensitivity
    1/n. The plan depends on public numbers only.

    Parameters
    ----------
    data : sequence of n hashable names, private
    params : Params
    curator : Curator, basic, which can pay epsilon and delta
    vocabulary : anything with "in": a set, a range, ``Strings()``

    Raises
    ------
    ValueError, TypeError
        If there is no vocabulary, or it has more names than ``params.universe``, or ``data`` are
        no names. ``BudgetExceeded`` if the curator cannot pay.

    >>> curator, words = Curator(epsilon=1.0, rng=0), {"cat", "dog", "eel"}
    >>> params = Params(epsilon=1.0, m=2, k=100)
    >>> data = ["cat"] * 60_000 + ["dog"] * 40_000
    >>> mechanism = InteractiveSparse(data, params, curator, vocabulary=words)
    >>> [mechanism.answer(Query(["cat"])).kind for _ in range(2)]
    ['measured', 'model']
    """

    def __init__(
        self, data: Any, params: Params, curator: Curator, *, vocabulary: Container | None = None
    ):
        self.params, self.vocabulary = params, public_vocabulary(vocabulary)
        must_fit(self.vocabulary, params.universe)
        records = Records(data)
        self.plan = plan(params, records.n)
        slack = {"alpha": self.plan.alpha, "slack": self.plan.answer_error}
        self._learner = SparseWeights(self.plan.size, step=params.step, **slack)
        part = paid(params, self.plan, curator)
        self._online = Online(
            self._learner,
            truth=records.truth,
            oracle=lambda query: bought(part, self.plan, records, query),
            threshold=part.above_threshold(
                self.plan.threshold,
                sensitivity=1 / records.n,
                epsilon=self.plan.test,
                positives=self.plan.updates,
                method="once" if self.plan.kind == "pure" else "fresh",
                label="is the guess off?",
            ),
            answers="oracle",
            after="freeze",
        )

    @property
    def slots(self) -> Slots:
        """The guess: public."""
        return self._learner.slots

    @property
    def updates_left(self) -> int:
        """How many answers can still be bought."""
        return self._online.threshold.positives_left

    def answer(self, query: Query) -> Answer:
        """Answer one query: "model", "measured" or "exhausted" is its kind.

        Raises ``ValueError`` or ``TypeError`` if it is too wide or uses names that are not
        public; then nothing has changed.
        """
        allowed(query, self.vocabulary, self.params.m)
        found = self._online.answer(query)
        return Answer(min(1.0, max(0.0, found.value)), KINDS[found.kind])


def release(
    data: Any,
    params: Params,
    curator: Curator,
    *,
    queries: Iterable[Query],
    vocabulary: Container | None = None,
) -> tuple[Answer, ...]:
    """The answers to a list of queries in order. Costs (``epsilon``, ``delta``)."""
    mechanism = InteractiveSparse(data, params, curator, vocabulary=vocabulary)
    return tuple(mechanism.answer(query) for query in queries)


def truth(data: Any, queries: Iterable[Query]) -> np.ndarray:
    """Exact values. For comparison only: not private."""
    return Records(data).truths(Batch(queries))


def trial(params: Params, data: Any, queries: Batch, *, rng: checks.Seed) -> dict[str, float]:
    """Ask a batch of queries in order, once.

    Returns
    -------
    dict with ``error`` (largest), ``bound`` (promised), ``updates``, ``allowed`` (how many were
    paid for) and ``exhausted`` (answers after they ran out)

    >>> batch = Batch([Query(["cat"]), Query(["dog", "eel"])])
    >>> run = trial(Params(epsilon=1.0, m=2, k=2), ["cat", "dog"] * 5000, batch, rng=1)
    >>> run["error"] <= run["bound"]
    True
    """
    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=rng)
    mechanism = InteractiveSparse(data, params, curator, vocabulary=queries.number)
    answers = [mechanism.answer(query) for query in queries.queries]
    gaps = np.array([each.value for each in answers]) - Records(data).truths(queries)
    return {
        "error": float(np.abs(gaps).max()),
        "bound": mechanism.plan.error,
        "updates": mechanism.plan.updates - mechanism.updates_left,
        "allowed": mechanism.plan.updates,
        "exhausted": sum(each.kind == "exhausted" for each in answers),
    }


def paid(params: Params, split: Plan, curator: Curator) -> Curator:
    """The part of the curator that pays for all of it.

    >>> params = Params(epsilon=1.0, m=1, k=10)
    >>> print(paid(params, plan(params, 100), Curator(epsilon=1.0, rng=0)).budget)
    epsilon 1
    """
    label = "online answers"
    if split.kind == "pure":
        return curator.sub_curator(epsilon=params.epsilon, label=label)
    return curator.sub_curator_zcdp(epsilon=params.epsilon, delta=params.delta, label=label)


def bought(part: Curator, split: Plan, records: Records, query: Query) -> float:
    """One measurement with noise of its own, never that of the test.

    >>> params, records = Params(epsilon=1.0, m=1, k=1), Records(["cat"] * 10**6)
    >>> split = plan(params, records.n)
    >>> part = paid(params, split, Curator(epsilon=1.0, rng=0))
    >>> abs(bought(part, split, records, Query(["cat"])) - 1) < 1e-3
    True
    """
    asked = {"sensitivity": 1 / records.n, "label": "value"}
    if split.kind == "pure":
        return part.laplace(records.truth(query), epsilon=split.measure, **asked)
    return part.gaussian(records.truth(query), rho=split.measure, **asked)
