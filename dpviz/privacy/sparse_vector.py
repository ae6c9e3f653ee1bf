"""Sparse vector technique (AboveThreshold): which of a stream of values lie above a threshold?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.checks import number, queries
from dpviz.privacy import noise_laws
from dpviz.privacy.account import Account, Single
from dpviz.privacy.ledger import BudgetExceeded, Cost, line
from dpviz.privacy.private_data import finite, finite_number

METHODS = ("fresh", "once")
FIRST = 1 / (1 + 2 ** (2 / 3))  # share of epsilon that goes to the threshold, method "fresh"
SMALLEST, LARGEST = 64, 4096  # noise of so many checks is drawn at once


class SparseVector(Account):
    """The verb that holds a stream of private values against one noisy threshold."""

    def above_threshold(
        self,
        threshold: float,
        *,
        sensitivity: float,
        epsilon: float,
        positives: int = 1,
        method: str = "fresh",
        label: str,
    ) -> Threshold:
        """Sparse vector: which of a stream of values lie above a threshold? See :class:`Threshold`.

        Statements: NSV Theorem 4.8.

        Parameters
        ----------
        threshold : float, public
        sensitivity : float > 0. Largest change of any one value when one record is replaced.
        epsilon : float > 0. With method "fresh" the cost of each run up to a positive answer; with
            "once" that of all.
        positives : int >= 1, how often it may answer "above"
        method : "fresh" or "once"

        Raises BudgetExceeded with method "once", if ``epsilon`` is not left. ValueError or
        TypeError for bad arguments.
        """
        threshold = checks.number("threshold", threshold)
        sensitivity = checks.number("sensitivity", sensitivity, above=0)
        epsilon = checks.epsilon(epsilon)
        positives = checks.integer("positives", positives, at_least=1)
        checks.choice("method", method, METHODS)
        how = {"sensitivity": sensitivity, "epsilon": epsilon}
        return Threshold(self, threshold, **how, positives=positives, method=method, label=label)


class Threshold(Single):
    """Answers "above" or "below" for private values, one by one, adaptively.

    A value is above if value + noise >= threshold + threshold noise; the noise on the value
    is fresh for each check and never leaves.

    *Method "fresh".* Threshold noise of scale s / e1, drawn anew after each positive answer, and
    noise 2 s / e2 on the values, e1 + e2 = epsilon. Each run, from one positive answer to the next,
    costs epsilon (zCDP: epsilon^2 / 2), however many checks stay below. Proof: move the threshold
    noise by s, which makes every "below" at least as likely (factor exp(e1)), and the noise of the
    positive answer by 2 s (factor exp(e2)). Values may be chosen adaptively, because the run is one
    output.

    *Method "once".* One threshold noise for all positive answers; noise 2 c s / e2 on the values
    for c of them. The same move pays e1 once and e2 / c for each: epsilon in all,
    charged at once (Lyu, Su and Li 2017, Theorem 2).

    The split e1 : e2 = 1 : (2 c)^(2/3), with c = 1 for "fresh", minimises the variance of the
    difference of the two noises. The values may move either way, so no factor is saved. How
    far an answer can be wrong: :func:`threshold_accuracy`.
    """

    def __init__(
        self,
        curator: Account,
        threshold: float,
        *,
        sensitivity: float,
        epsilon: float,
        positives: int,
        method: str,
        label: str,
    ) -> None:
        self._curator = curator
        self._label = label
        self._method = method
        self._sensitivity = sensitivity
        self._epsilon = epsilon
        self._threshold = threshold
        self._positives_left = positives
        self._public = {"threshold": threshold, "positives": positives, "method": method}
        per = positives if method == "once" else 1
        first = epsilon / (1 + (2 * per) ** (2 / 3))
        self._threshold_scale = sensitivity / first
        self._value_scale = 2 * per * sensitivity / (epsilon - first)
        self._test = line(label, "above", sensitivity, self._value_scale, Cost())
        self._noise = np.empty(0)
        self._next = 0
        self._level = threshold
        self._running = False
        if method == "once":
            self._start()

    def above(self, value: float) -> bool:
        """Whether a private value is above the noisy threshold; a positive answer uses one of
        ``positives``.

        Raises ``BudgetExceeded`` if all positive answers are used, or a new run cannot be paid;
        ValueError if the value is not finite. Then nothing is drawn.
        """
        if not (isinstance(value, float) and math.isfinite(value)):
            value = finite_number(value)
        with self._curator._turn:
            self._ready()
            above = self._curator._check(self._test, value, self._compare)
            if above:
                self._count()
        return above

    def above_first(self, values: ArrayLike) -> int | None:
        """Index of the first of many private values (m,) that is above, or None.

        The same as asking :meth:`above` one by one up to the first above: the same noise, the
        same answers, the same ledger. What comes after it is not looked at.
        Raises as :meth:`above`; then nothing is drawn.
        """
        private = finite(values)
        if private.ndim != 1:
            raise ValueError("values must be a vector")
        if not len(private):
            return None
        with self._curator._turn:
            self._ready()
            first = self._curator._check_run(self._test, private, self._compare, self._compare_run)
            if first is not None:
                self._count()
        return first

    @property
    def threshold(self) -> float:
        """The public level."""
        return self._threshold

    @property
    def positives_left(self) -> int:
        """How often it may still answer "above"."""
        return self._positives_left

    @property
    def threshold_scale(self) -> float:
        """Scale of the noise on the threshold."""
        return self._threshold_scale

    @property
    def value_scale(self) -> float:
        """Scale of the noise on each value."""
        return self._value_scale

    @property
    def level(self) -> float:
        """The noisy threshold of the last run. Not private: for comparison only."""
        return self._level

    @property
    def noise(self) -> float:
        """The noise on the last value that was checked. Not private: for comparison only."""
        return self._noise.item(self._next - 1)

    def _ready(self) -> None:
        """Refuse if all positive answers are used; pay for a run if none is going on."""
        if not self._positives_left:
            raise BudgetExceeded(
                f"{self._label!r} has given all its positive answers: it answers no more"
            )
        if not self._running:
            self._start()

    def _count(self) -> None:
        """A positive answer uses one, and with fresh thresholds ends the run."""
        self._positives_left -= 1
        self._running = self._method == "once"

    def _start(self) -> None:
        """Pay for a run (or for all), then draw the threshold noise."""
        cost = self._curator._cost(epsilon=self._epsilon)
        verb = "above_threshold"
        scale = self._threshold_scale
        charge = line(self._label, verb, self._sensitivity, scale, cost)
        draw = lambda: self._laplace(scale)  # noqa: E731
        noise = self._curator._ask(charge, np.zeros(()), "max", draw, **self._public)
        self._level = self._threshold + noise
        self._running = True

    def _compare(self, value: float) -> bool:
        """One check; its noise comes from a block that was drawn for many."""
        if self._next == len(self._noise):
            self._draw_block()
        noise = self._noise.item(self._next)
        self._next += 1
        return value + noise >= self._level

    def _compare_run(self, values: np.ndarray) -> int | None:
        """The same for many, block by block, up to the first above."""
        count = 0
        while count < len(values):
            if self._next == len(self._noise):
                self._draw_block()
            noise = self._noise[self._next : self._next + len(values) - count]
            positives = values[count : count + len(noise)] + noise >= self._level
            first = int(positives.argmax())
            if positives[first]:
                self._next += first + 1
                return count + first
            self._next, count = self._next + len(noise), count + len(noise)
        return None

    def _draw_block(self) -> None:
        """Independent noise for the next checks, in ever larger blocks; none is used twice."""
        size = min(max(SMALLEST, 2 * len(self._noise)), LARGEST)
        self._noise = noise_laws.laplace(self._curator._rng, self._value_scale, (size,))
        self._next = 0

    def _laplace(self, scale: float) -> float:
        return float(noise_laws.laplace(self._curator._rng, scale))


def threshold_accuracy(*, checks: ArrayLike, runs: ArrayLike, beta: float) -> np.ndarray:
    """Proved: with probability 1 - beta no check is decided against a gap of more than this.

    Statements: NSV Theorem 4.8.
    For :class:`Threshold`, method "fresh", sensitivity 1 and epsilon 1; for others multiply by
    sensitivity / epsilon. Then every positive answer has a value above threshold - s, every
    negative one a value below threshold + s, however the values were chosen.

    Proof. Let b1, b2 be the scales of the noises on the threshold and on the values, r = b1/b2 < 1,
    and M the largest of the ``runs`` noises on thresholds, in absolute value. Given all of these, a
    check with noise v on its value is wrong with probability at most P(|v - m| > s) <= exp(-s/b2)
    cosh(M/b2), whichever run it belongs to (for |m| <= s this is the exact tail at m. Beyond, with
    b2 = 1: at m = s both sides agree in value and slope; then the right one, e^-s cosh m, is
    convex, the tail, 1 - e^-m sinh s, concave: it stays below). Sum over the checks and take the
    mean over M, the largest of c exponentials: E exp(u M) = c! G(1 - u b1) / G(c + 1 - u b1) with
    the gamma function G (M is a sum of independent exponentials of means b1/j). So s = b2 ln(checks
    E cosh(M/b2) / beta) will do. Nothing was assumed about which check meets which threshold, so
    questions may be adaptive.

    Parameters
    ----------
    checks, runs : int >= 1, or arrays of them: all checks, and all thresholds drawn

    Returns a float or array. Raises ValueError or TypeError if a count is below 1 or ``beta`` out
    of range.

    >>> float(threshold_accuracy(checks=10_000, runs=6, beta=0.1 / 3))
    48.43
    """
    from scipy.special import gammaln

    beta = number("beta", beta, above=0, below=1)
    checks, runs = _counts("checks", checks), _counts("runs", runs)
    b1 = 1 / FIRST
    b2 = 2 / (1 - FIRST)
    r = b1 / b2
    up = gammaln(runs + 1) + gammaln(1 - r) - gammaln(runs + 1 - r)
    down = gammaln(runs + 1) + gammaln(1 + r) - gammaln(runs + 1 + r)
    return b2 * (np.log(checks / (2 * beta)) + np.logaddexp(up, down))


def _counts(name: str, value: ArrayLike) -> np.ndarray:
    """Public counts as floats; one at least, or there is nothing to bound."""
    counts = queries(name, value)
    if (counts < 1).any():
        raise ValueError(f"{name} must be at least 1, not {value!r}")
    return counts
