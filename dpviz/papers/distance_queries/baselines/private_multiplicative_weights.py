"""Private multiplicative weights (Hardt and Rothblum 2010) on a grid of m^d points.

**Paper.** Huang and Roth (2014), sections 1 and 1.2, which names it as the best known before:
Hardt and Rothblum (2010).

**Setting.** As in module ``l1``; records are rounded, each by itself, to the centres of m cells
along each coordinate.

**Idea.** Keep a weight for each of the U = m^d places where a record can be. Where a guess is too
far off, shift weight towards the side of a noisy answer. Few updates are needed, ln(U)/gamma^2,
but each question costs time U: exponential in d.

**Symbols.**

==========  ==============  =====================================================  ==========
paper       here            meaning                                                unit
==========  ==============  =====================================================  ==========
X           ``centers``     the grid, U = m^d places                               (m,) a side
(none)      ``gamma``       an answer counts as wrong beyond this                  diameter
(none)      s               accuracy of AboveThreshold                             diameter
alpha       error_bound     (gamma + 2 s) D + D/(2 m)                              of the box
==========  ==============  =====================================================  ==========

**Departures.** Fresh thresholds after each update and computed constants, as everywhere here. The
step of the weights is gamma/2 (``dpviz.privacy.multiplicative_weights``), with its mistake bound
4 ln(U)/gamma^2. An update is answered by the noisy answer that was measured. Distances are divided
by the diameter D, so that queries have entries in [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.distance_queries.learner.average_distance import (
    AverageDistance,
    Setting,
    check_call,
    possible,
    prepare,
)
from dpviz.papers.distance_queries.mechanism.reduction import Plan, Task, best_plan
from dpviz.privacy.curator import Curator
from dpviz.privacy.multiplicative_weights import Weights
from dpviz.privacy.online import KINDS, Answer, Online

LIMIT = 4_000_000  # places whose weights are kept; a question takes time in proportion


@dataclass(frozen=True, kw_only=True)
class Params(Setting):
    """What the mechanism may know; all public. More than :class:`Setting` has:

    Attributes
    ----------
    k : int >= 1, queries that accuracy is promised for
    cells : int >= 2, m along each coordinate, m^d at most 4,000,000

    >>> Params(n=100, d=10, k=10, epsilon=1, cells=10, lower=0, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: cells must be at most 4 for d = 10: 10^10 = 1e+10 places are more than 4,000,000
    """

    k: checks.Count
    cells: int = 100

    def __post_init__(self):
        super().__post_init__()
        checks.integer("cells", self.cells, at_least=2, at_most=4_000_000)
        most = math.floor(LIMIT ** (1 / self.d) * (1 + 1e-12))
        if self.cells > most:
            raise ValueError(
                f"cells must be at most {most} for d = {self.d}: {self.cells}^{self.d} = "
                f"{float(self.cells) ** self.d:.3g} places are more than {LIMIT:,}"
            )
        self.plan  # noqa: B018 - made here, so that what cannot be is refused here

    @property
    def size(self) -> int:
        """U, the number of places."""
        return self.cells**self.d

    @cached_property
    def plan(self) -> Plan:
        """The plan with the least proved error: Lemma 3 for at most 4 ln(U)/gamma^2 updates."""
        names = ("n", "k", "epsilon", "delta", "beta")
        task = Task(**{name: getattr(self, name) for name in names})
        return best_plan(lambda gamma: 4 * math.log(self.size) / gamma**2, task)


class Interactive:
    """Answers distance queries one by one, in time U each. Costs (epsilon, delta) when made.

    Statements: HR Section 1 (grid).
    Proof of privacy. The gap between the answer on rounded records and the public guess, and that
    answer itself, move by at most 1/n diameters; the rest is as in module ``l1``.

    Parameters
    ----------
    data : array (n, d) private; curator : a basic one

    Raises BudgetExceeded, ValueError or TypeError; nothing is spent then.

    >>> params = Params(n=4, d=1, k=10, epsilon=1000, cells=10, lower=0, upper=1)
    >>> distances = Interactive([0.2, 0.4, 0.4, 0.9], params, Curator(epsilon=1000, rng=1))
    >>> distances.answer(0.5).kind
    'guess'
    """

    def __init__(self, data: ArrayLike | AverageDistance, params: Params, curator: Curator):
        check_call(params, Params, curator, basic=True)
        self.params = params
        self.plan = params.plan
        self._data = _rounded(data, params)
        self._shares = params.widths / params.total_width
        if params.delta:
            budget = {"epsilon": params.epsilon, "delta": params.delta}
            self._sub_curator = curator.sub_curator_zcdp(**budget, label="weights")
        else:
            self._sub_curator = curator.sub_curator(epsilon=params.epsilon, label="weights")
        self._threshold = self._sub_curator.above_threshold(
            self.plan.gamma + self.plan.test_accuracy,
            sensitivity=1 / params.n,
            epsilon=self.plan.test_epsilon,
            positives=self.plan.total,
            label="gap",
        )
        self._online = Online(
            _ByPlace(Weights(params.size, alpha=self.plan.gamma), self._distances),
            truth=self._truth,
            oracle=self._measure,
            threshold=self._threshold,
            answers="oracle",
            after="freeze",
        )

    @property
    def updates_used(self) -> int:
        """Number of noisy answers measured so far."""
        return self.plan.total - self._threshold.positives_left

    def answer(self, query: ArrayLike) -> Answer:
        """Answer one query, as ``l1.Interactive.answer``."""
        place = self.params.box.unit(query)
        reply = self._online.answer(place)
        return Answer(float(self._possible([reply.value], [place])[0]), reply.kind)

    def answer_all(self, queries: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Answer many in order, as ``l1.Interactive.answer_all``."""
        places = self.params.box.units(queries)
        replies = [self._online.answer(place) for place in places.tolist()]
        values = self._possible([each.value for each in replies], places)
        codes = np.array([KINDS.index(each.kind) for each in replies], dtype=int)
        return values, np.array(KINDS)[codes]

    def _possible(self, values: list[float], places: ArrayLike) -> np.ndarray:
        """Answers in diameters as distances, clipped to what these can be; (k,)."""
        answers = self.params.total_width * np.array(values)
        return possible(answers, np.asarray(places).reshape(-1, self.params.d), self.params.widths)

    def _truth(self, places: list[float]) -> float:
        values = [self._data.value_at(i, place) for i, place in enumerate(places)]
        return float(self._shares @ values)

    def _measure(self, places: list[float]) -> float:
        value = self._truth(places)
        cost = self.plan.measurement_budget
        public = {"sensitivity": 1 / self.params.n, "label": "answer"}
        if self.params.delta:
            return self._sub_curator.gaussian(value, rho=cost, **public)
        return self._sub_curator.laplace(value, epsilon=cost, **public)

    def _distances(self, places: list[float]) -> np.ndarray:
        """Distance from a query to each place of the grid, in diameters; (U,)."""
        total = np.zeros(())
        for share, place in zip(self._shares, places, strict=True):
            side = share * np.abs(_centers(self.params.cells) - place)
            total = np.add.outer(total, side)
        return np.minimum(total.ravel(), 1.0)


class _ByPlace:
    """Weights that are asked by a query's coordinates."""

    def __init__(self, weights: Weights, distances: Callable[[list[float]], np.ndarray]):
        self._weights = weights
        self._distances = distances

    def predict(self, places: list[float]) -> float:
        """The mean distance under the weights."""
        return self._weights.predict(self._distances(places))

    def update(self, places: list[float], reply: float) -> None:
        """Shift weight to the side of the reply."""
        self._weights.update(self._distances(places), reply)


def error_bound(params: Params) -> float:
    """Proved: with probability at least 1 - beta each of k adaptive answers is this near.

    (gamma + 2 s) D + D/(2 m). Proof. Outside an event of probability beta all tests are right up
    to s (2 beta/3) and all measured answers up to gamma (beta/3; the plan sees to it). A gap above
    the threshold gamma + s is one of gamma, so the side of the noisy answer is right, and
    ``Weights.mistake_bound`` holds for the rounded records: there is no update that is not paid
    for, and after the last no gap of gamma is left. A guess that stands is off by at most gamma
    + 2 s, a measured answer by gamma. Rounding moves each record by at most D/(2 m).

    >>> error_bound(
    ...     Params(n=100_000, d=1, k=2000, epsilon=1, delta=1e-6, cells=1000, lower=0, upper=1)
    ... )
    0.328
    """
    return params.total_width * (
        params.plan.gamma + 2 * params.plan.test_accuracy + 0.5 / params.cells
    )


def _centers(m: int) -> np.ndarray:
    """Centres of the m cells of [0, 1]; (m,)."""
    return (np.arange(m) + 0.5) / m


def _rounded(data: ArrayLike | AverageDistance, params: Params) -> AverageDistance:
    """Each record moved to the centre of its cell, by itself. Not private: it holds the records."""
    m = params.cells
    return prepare(data, params).moved(
        lambda u: _centers(m)[np.minimum((u * m).astype(int), m - 1)]
    )
