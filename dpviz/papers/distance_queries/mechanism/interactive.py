"""The interactive l1 mechanism itself (Lemmas 3 and 6): online-to-private reduction.

**Paper.** Huang and Roth (2014), Lemma 3, Lemma 6 and the proof of Theorem 1.

**Setting.** As in module ``l1``, which holds the theorem.

**Idea.** A query is d checks, one a coordinate, in a fixed order. Each compares the hypothesis
with the true curve by AboveThreshold; if the gap is above, a noisy tangent is measured there.

**Symbols.**

==========  ================  ======================================================  ==========
paper       here              meaning                                                 shape
==========  ================  ======================================================  ==========
y_t         ``query``         a point of the box                                      (d,)
F^_t        ``learners``      the hypothesis: one set of tangents per coordinate      (d,)
S           ``_measure``      what an update measures: 2 numbers of one coordinate    (2,)
==========  ================  ======================================================  ==========

**Departures.** The test is made on each coordinate, not on their sum, so that which one was too
low is itself a private answer, and paid for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import Tangents
from dpviz.papers.distance_queries.mechanism.allocation import Plan, Task
from dpviz.papers.distance_queries.mechanism.calibration import check_alpha, plan_for
from dpviz.papers.distance_queries.mechanism.hypothesis import (
    Batch,
    Comparison,
    Event,
    Hypothesis,
    RecordedThreshold,
    events,
)
from dpviz.papers.distance_queries.mechanism.setting import (
    Setting,
    columns,
    judged,
    prepared,
    truth,
)
from dpviz.privacy.curator import Curator
from dpviz.privacy.online import KINDS, Answer, Online

BATCH = 8192  # queries whose truth is looked up at once
TASK = ("d", "k", "epsilon", "delta", "beta", "composition", "updates", "share", "constants")


@dataclass(frozen=True, kw_only=True)
class Params(Setting):
    """What the mechanism may know; all public. More than :class:`Setting` has:

    Attributes
    ----------
    composition : "zcdp", "pure", "advanced"; None for the better of the first two
    updates, share, constants : see :func:`dpviz.papers.distance_queries.mechanism.calibration.plan`
    alpha : float > 0, an error that must be proved, or ValueError; None for none
    after : "freeze" or "refuse", once all updates are used

    >>> Params(n=1000, d=1, k=100, epsilon=1, alpha=0.01)
    Traceback (most recent call last):
    ...
    ValueError: alpha must be at least 0.3794 with n = 1000; 0.01 can be proved from n = 276155 on
    """

    composition: str | None = None
    updates: int | None = None
    share: float | None = None
    constants: str = "practical"
    alpha: float | None = None
    after: str = "freeze"

    def __post_init__(self):
        super().__post_init__()
        checks.choice("after", self.after, ("freeze", "refuse"))
        self.task  # noqa: B018 - made here, so that what is bad in it is refused here
        if self.alpha is not None:
            check_alpha(self.alpha, self.n, self.task, width_total=self.diameter)

    @cached_property
    def task(self) -> Task:
        """What the plan depends on, but n."""
        return Task(**{name: getattr(self, name) for name in TASK})

    @cached_property
    def plan(self) -> Plan:
        """How the budget is spent."""
        return plan_for(self.n, self.task)


class Interactive:
    """Answers distance queries one by one. Costs (epsilon, delta), charged when it is made.

    Proof of privacy. What depends on the data are the runs of the threshold, at most C, on gaps
    that move by at most 1/n (a rescaled |x - y| lies in [0, 1]), and at most C noisy tangents,
    whose l1 sensitivity is 2/n and whose l2 sensitivity is sqrt(2)/n (module ``allocation``). The
    runs come one after another, each is one private output however long, and all else is a
    function of these: adaptive composition. It does not matter whether any size was chosen well.

    Parameters
    ----------
    data : array (n, d) (or (n,)), private; or what :func:`columns` made of it
    params : Params
    curator : a basic one that can pay (epsilon, delta)
    record : bool, keep every check in ``history``; else only the updates
    trace : bool, keep in ``trace`` what no analyst may see: not private, for pictures only

    Attributes
    ----------
    learners : list of d Tangents, the public hypothesis in rescaled coordinates
    history : list of Event, what the public saw
    updates_used : int
    trace : list of Comparison, empty without ``trace``: for comparison only, not private

    Raises
    ------
    BudgetExceeded, ValueError, TypeError
        Nothing is spent then.

    >>> params = Params(n=4, d=1, k=10, epsilon=100)
    >>> distances = Interactive([0.2, 0.4, 0.4, 0.9], params, Curator(epsilon=100, rng=1))
    >>> distances.answer(0.5).kind, distances.updates_used
    ('guess', 0)
    """

    def __init__(
        self,
        data: ArrayLike | AverageDistance,
        params: Params,
        curator: Curator,
        *,
        record: bool = False,
        trace: bool = False,
    ):
        self.params, self.plan = params, params.plan
        self._record, self._traced = record or trace, trace
        self.trace: list[Comparison] = []
        self._data, self._hypothesis = columns(data, params), Hypothesis(params.d)
        budget = {"epsilon": params.epsilon, "delta": params.delta}
        self._sub_curator = self.plan.sub_curator(curator, **budget, label="l1 queries")
        threshold = self._sub_curator.above_threshold(
            self.plan.threshold,
            sensitivity=1 / params.n,
            epsilon=self.plan.test_epsilon,
            positives=self.plan.total,
            label="gap",
        )
        self._online = Online(
            self._hypothesis,
            truth=lambda check: self._data.value_at(*check),
            oracle=self._measure,
            threshold=RecordedThreshold(threshold, self.trace) if trace else threshold,
            sides="one",
            shift=self.plan.shift,
            after=params.after,
        )
        self.history: list[Event] = []
        self._asked, self._widths = 0, params.box.widths.tolist()

    @property
    def learners(self) -> list[Tangents]:
        """The hypothesis of each coordinate."""
        return self._hypothesis.learners

    @property
    def updates_used(self) -> int:
        """Number of tangents measured so far."""
        return self.plan.total - self._online.threshold.positives_left

    def answer(self, query: ArrayLike) -> Answer:
        """Answer one query: a point (d,) of the box (a number if d = 1).

        "guess" and "measured" as in :class:`dpviz.privacy.online.Answer`; "frozen" once a
        coordinate was answered after the last update.

        Raises ``ValueError`` for a point that is none, or outside the box, and
        ``BudgetExceeded`` after the last update if ``after`` is "refuse". Nothing is spent then.
        """
        places = self.params.box.unit(query)
        parts = self._online.parts(enumerate(places))
        value, kinds = 0.0, []
        for width, found in zip(self._widths, parts, strict=True):
            value += width * found.value
            kinds.append(found.kind)
        kind = next((kind for kind in ("measured", "frozen") if kind in kinds), "guess")
        if self._record or kind == "measured":
            codes = np.array([[KINDS.index(kind) for kind in kinds]])
            self._note(np.array([places]), np.array([[found.value for found in parts]]), codes)
        self._asked += 1
        return Answer(value, kind)

    def answer_all(self, queries: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Answer many queries in order: exactly what one by one would answer, faster.

        Parameters
        ----------
        queries : array (k, d); also (k,) if d = 1

        Returns
        -------
        values : array (k,)
        kinds : array (k,) of words

        If ``after`` is "refuse", both end with the query that used the last update. Raises as
        :meth:`answer`.
        """
        places, done = self.params.box.units(queries), []
        for start in range(0, max(len(places), 1), BATCH):
            if start and self._refuses():
                break
            done.append(self._answer_batch(places[start : start + BATCH]))
        values, codes = (np.concatenate(parts) for parts in zip(*done, strict=True))
        return values, np.array(KINDS)[codes]

    def curve(self, coordinate: int, places: ArrayLike) -> np.ndarray:
        """The true curve of one coordinate, rescaled. For comparison only: not private.

        Raises ``ValueError`` unless made with ``trace=True``.
        """
        if not self._traced:
            raise ValueError("the true curve is private: only trace=True shows it, for pictures")
        return np.array([self._data.value_at(coordinate, float(y)) for y in np.asarray(places)])

    def _refuses(self) -> bool:
        return self.params.after == "refuse" and not self._online.threshold.positives_left

    def _answer_batch(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values and kinds (codes) of some queries, given rescaled; (k, d) to two (k,)."""
        batch = Batch(self._data, self._hypothesis, places)
        parts, codes = self._online.answer_all(batch, each=self.params.d)
        self._note(places, parts, codes)
        self._asked += len(parts)
        values = np.zeros(len(parts))
        for width, column in zip(self._widths, parts.T, strict=True):
            values += width * column
        return values, np.where((codes == 1).any(axis=1), 1, codes.max(axis=1, initial=0))

    def _note(self, places: np.ndarray, values: np.ndarray, codes: np.ndarray) -> None:
        """Keep the history of some queries."""
        left = self._online.threshold.positives_left
        options = {"first": self._asked, "left": left, "every": self._record}
        self.history += events(self.learners, places, (values, codes), **options)

    def _measure(self, check: tuple[int, float]) -> np.ndarray:
        """A noisy tangent of one coordinate."""
        n, tangent = self.params.n, self._data.tangent_at(*check)
        sensitivities = {"l1_sensitivity": 2 / n, "l2_sensitivity": math.sqrt(2) / n}
        return self.plan.measure(self._sub_curator, tangent, **sensitivities, label="tangent")


class Mechanism(Protocol):
    """An interactive mechanism of this folder."""

    plan: Plan

    @property
    def updates_used(self) -> int:
        """Number of measurements so far."""

    def answer_all(self, queries: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Values and kinds of the answers."""


# How an interactive mechanism is made: its class, or what stands for it in a test.
Make: TypeAlias = "Callable[[AverageDistance, Params, Curator], Mechanism]"


def run_trial(
    make: Make,
    params: Params,
    data: ArrayLike | AverageDistance | None,
    queries: ArrayLike | None,
    *,
    bound: float,
    rng: checks.Seed,
) -> dict[str, float]:
    """One trial of an interactive mechanism, ``make(data, params, curator)``; see ``l1.trial``.

    >>> params = Params(n=10, d=1, k=5, epsilon=100)
    >>> run_trial(Interactive, params, None, None, bound=1.0, rng=0)["violations"]
    0
    """
    rng = checks.generator(rng)
    data, queries = prepared(params, data, queries, rng)
    distances = make(data, params, params.curator(rng=rng))
    answers, _ = distances.answer_all(queries)
    errors = np.abs(answers - truth(data, queries, params)[: len(answers)])
    used = distances.updates_used
    exhausted = used == distances.plan.total
    return {**judged(errors, bound), "updates": used, "exhausted": exhausted}
