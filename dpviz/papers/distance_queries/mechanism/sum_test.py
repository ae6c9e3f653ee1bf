"""Lemma 6 as stated: test the sum of the coordinates, then decide which ones were too low.

**Paper.** Huang and Roth (2014), section 3.2, Lemma 6.

**Setting.** As in module ``l1``.

**Idea.** One test a query instead of d. If the sum is above the threshold, measure all d tangents
at once, and learn those whose noisy value says that the hypothesis is too low.

**Symbols.**

==========  =================  =====================================================  ==========
paper       here               meaning                                                unit
==========  =================  =====================================================  ==========
S           ``_measure``       what an update measures: 2 d numbers                   (2 d,)
m(alpha)    ``plan.total``     updates that are paid for, d C_1                       count
alpha_1     ``plan.error``     alpha over the sum of the widths                       coordinate
==========  =================  =====================================================  ==========

**Departures.** (1) The paper asks each one-dimensional learner "on which a mistake is made":
whether it was, is read off the data and not paid for (class ``AsStated``, which is not
private). Here it is decided from the noisy values, which the 2 d functions an update pays for
already hold. (2) The derivatives move by 2/n each, not 1/n; all 2 d numbers together by 2 d/n in
L1 and sqrt(2 d)/n in L2. (3) A query that was above is answered by the noisy
values. Against a test on each coordinate (module ``l1``) there are fewer checks, ln k in the place
of ln(d k), but sqrt(d) (pure: d) times the noise in each measurement: the bound is the worse one
from d = 2 on, wherever we tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz.papers.distance_queries.learner.average_distance import (
    AverageDistance,
    check_call,
    possible,
    prepare,
)
from dpviz.papers.distance_queries.learner.convex_learner import Hypothesis, Tangents
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.privacy.curator import Curator
from dpviz.privacy.online import KINDS, Answer, Online


@dataclass(frozen=True, kw_only=True)
class Params(l1.Params):
    """What the mechanism may know; all public: as ``l1.Params``.

    >>> Params(n=10_000, d=3, k=100, epsilon=1, lower=0, upper=1).plan.total
    9
    """

    joint = True  # one test of the sum and d tangents an update


class Interactive:
    """Answers distance queries one by one. Costs (epsilon, delta), charged when it is made.

    Statements: HR Lemma 6.
    Proof of privacy. The gap of the averaged coordinates moves by at most 1/n, the 2 d numbers
    of a measurement by at most 2 d/n in L1 and sqrt(2 d)/n in L2; which coordinates learn is a
    function of the noisy measurement and the public hypothesis. Then as in module ``l1``.

    Parameters, attributes and errors as there; no ``history``.

    >>> params = Params(n=4, d=1, k=10, epsilon=100, lower=0, upper=1)
    >>> distances = Interactive([0.2, 0.4, 0.4, 0.9], params, Curator(epsilon=100, rng=1))
    >>> distances.answer(0.5).kind
    'guess'
    """

    def __init__(self, data: ArrayLike | AverageDistance, params: Params, curator: Curator):
        check_call(params, Params, curator, basic=True)
        self.params = params
        self.plan = params.plan
        self._data, self._hypothesis = prepare(data, params), Hypothesis(params.d)
        self._weights = (params.widths / params.total_width).tolist()
        self._sub_curator = l1.sub_curator(params, curator)
        threshold = self._sub_curator.above_threshold(
            self.plan.threshold,
            sensitivity=1 / params.n,
            epsilon=self.plan.test_epsilon,
            positives=self.plan.total,
            label="gap of the sum",
        )
        self._online = Online(
            self,
            truth=lambda places: self._mean(self._curves(places)),
            oracle=self._measure,
            threshold=threshold,
            sides="one",
            answers="oracle",
            shift=self.plan.shift,
            after=params.after,
            read=lambda places, tangents: self._mean(_heights_of(tangents, places).tolist()),
        )

    @property
    def learners(self) -> list[Tangents]:
        """The hypothesis of each coordinate."""
        return self._hypothesis.learners

    @property
    def updates_used(self) -> int:
        """Number of measurements so far."""
        return self.plan.total - self._online.threshold.positives_left

    def answer(self, query: ArrayLike) -> Answer:
        """Answer one query, as ``l1.Interactive.answer``."""
        places = self.params.box.unit(query)
        (reply,) = self._online.parts([places])
        return Answer(float(self._possible(reply.value, [places])[0]), reply.kind)

    def answer_all(self, queries: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Answer many, as ``l1.Interactive.answer_all``."""
        places = self.params.box.units(queries)
        values, codes = self._online.answer_all(
            _Batch(self._data, self._hypothesis, places, self._mean)
        )
        return self._possible(values[:, 0], places), np.array(KINDS)[codes[:, 0]]

    def _possible(self, means: ArrayLike, places: ArrayLike) -> np.ndarray:
        """Averages over coordinates as distances, clipped to what these can be; (k,)."""
        values = self.params.total_width * np.atleast_1d(means)
        return possible(values, np.asarray(places)[: len(values)], self.params.widths)

    def predict(self, places: list[float]) -> float:
        """Guess the average over coordinates, in rescaled units: the learner of ``Online``."""
        return self._mean([self._hypothesis.predict(check) for check in enumerate(places)])

    def update(self, places: list[float], tangents: np.ndarray) -> None:
        """Learn the tangents of the coordinates whose guesses were too low."""
        for i in np.flatnonzero(self._too_low(places, tangents)).tolist():
            self._hypothesis.update((i, places[i]), tangents[i])

    def _too_low(self, places: list[float], tangents: np.ndarray) -> np.ndarray:
        """Which coordinates were too low, by the noisy values: at least one."""
        guesses = [self._hypothesis.predict(check) for check in enumerate(places)]
        noisy = _heights_of(tangents, places) - guesses
        return noisy >= min(self.plan.gap, noisy.max())

    def _curves(self, places: list[float]) -> list[float]:
        return [self._data.value_at(i, place) for i, place in enumerate(places)]

    def _measure(self, places: list[float]) -> np.ndarray:
        """Noisy tangents of all coordinates; (d, 2)."""
        tangents = np.array([self._data.tangent_at(i, y) for i, y in enumerate(places)])
        n = self.params.n
        d = self.params.d
        sensitivities = {"l1_sensitivity": 2 * d / n, "l2_sensitivity": math.sqrt(2 * d) / n}
        return l1.measure(self._sub_curator, self.plan, tangents, **sensitivities, label="tangents")

    def _mean(self, parts: Iterable[float | np.ndarray]) -> float | np.ndarray:
        """Average over coordinates, weighted by the widths; always in the same order."""
        return sum(weight * each for weight, each in zip(self._weights, parts, strict=True))


class AsStated(Interactive):
    """Lemma 6 to the letter. Not private: which coordinates learn is read off the data.

    >>> AsStated(
    ...     [0.2], Params(n=1, d=1, k=1, epsilon=1, lower=0, upper=1), Curator(epsilon=1, rng=0)
    ... ).updates_used
    0
    """

    def _too_low(self, places: list[float], tangents: np.ndarray) -> np.ndarray:
        guesses = [self._hypothesis.predict(check) for check in enumerate(places)]
        return np.subtract(self._curves(places), guesses) > self.plan.error


def error_bound(params: Params) -> float:
    """Proved: with probability at least 1 - beta each of k adaptive answers is this near.

    Sum of the widths times ``plan.error``. Proof. As for the test on each coordinate (module
    ``l1``), with these changes. A positive test means that the averaged gap is above
    g + tau, so that of some coordinate is; its noisy value is more than g above the guess, so it
    learns. Charge the update to it: the exact tangents of its earlier charges miss by more than
    g, so each coordinate is charged at most C_1 times, and there are at most d C_1 updates. Once
    all are used, no averaged gap is above g + tau. A query that was above is answered by noisy
    values, within tau.

    >>> error_bound(Params(n=10_000, d=2, k=10_000, epsilon=1, delta=1e-6, lower=0, upper=1))
    0.301
    """
    return params.total_width * params.plan.error


def _heights_of(tangents: np.ndarray, places: ArrayLike) -> np.ndarray:
    """Height of each coordinate's tangent at its place: A + 2 h (y - 1/2); (d,)."""
    return tangents[:, 0] + 2 * tangents[:, 1] * (np.asarray(places) - 0.5)


class _Batch:
    """Many queries, one check each."""

    def __init__(
        self,
        data: AverageDistance,
        hypothesis: Hypothesis,
        places: np.ndarray,
        mean: Callable[[Iterable[np.ndarray]], np.ndarray],
    ):
        self._data = data
        self._hypothesis = hypothesis
        self._places = places
        self._mean = mean
        self.parts = places.tolist()

    def truths(self) -> np.ndarray:
        """Private: the averaged curves at each query; (k,)."""
        return self._mean(self._data.values(self._places).T)

    def guesses(self) -> np.ndarray:
        """The averaged hypothesis at each query; (k,)."""
        return self._mean(self._hypothesis.heights(self._places).T)
