"""Calculator: from which n, or which epsilon, a mechanism reaches an error; proved and measured.

Three sources, never mixed: "proved" is the error bound of this package with every constant,
"paper" the paper's own statement with its constants where it has any, "measured" the 1 - beta
quantile of the error over trials on synthetic records of a public law.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dpviz import checks
from dpviz.comparison.mechanisms.kinds import KINDS
from dpviz.comparison.mechanisms.task import Kind, Mechanism, Task

SOURCES = ("proved", "paper", "measured")
RECORDS = (1.0, 1e15)  # n is looked for between these
EPSILONS = (1e-4, 1e4)
CLOSE = 1e-3  # relative, of what is found from a bound
COARSE, FITTED = 40, 5  # trials at each n of the first search; n at which the last one measures


def smallest_n(
    task: Task,
    *,
    kind: str,
    mechanism: str,
    alpha: float,
    source: str = "proved",
    trials: int = 200,
    rng: checks.Seed = 0,
) -> float:
    """The least n from which the error is at most ``alpha`` with probability 1 - beta.

    Statements: lesson Definition 9.1.

    Parameters
    ----------
    task : Task; its n is not used
    kind, mechanism : a name in ``KINDS``, and the key of one of its mechanisms
    alpha : float > 0, as a share of the largest possible answer
    source : "proved", "paper" or "measured"
    trials, rng : of the measurement: how many at each n, and their random stream

    Returns a float, a whole number to within a thousandth (measured: to within the luck of the
    trials); infinite if there is none up to 10^15, or the source says nothing. A bound may rise
    again above some n: this is the n from which on it stays at most alpha (:func:`narrowed`).
    Raises ValueError if a name is not known or a number is out of range.

    >>> task = Task(n=1, d=2, k=100)
    >>> how = {"kind": "distance", "mechanism": "noise", "alpha": 0.05}
    >>> smallest_n(task, **how), smallest_n(task, source="paper", **how)
    (2936.0, 15206.0)
    """
    return _least(
        lambda n: replace(task, n=max(1, math.ceil(n))),
        *(kind, mechanism, alpha, source, trials, rng),
        limits=RECORDS,
        whole=True,
    )


def smallest_epsilon(
    task: Task,
    *,
    kind: str,
    mechanism: str,
    alpha: float,
    source: str = "proved",
    trials: int = 200,
    rng: checks.Seed = 0,
) -> float:
    """The least epsilon from which the error is at most ``alpha``; as :func:`smallest_n`.

    Between 10^-4 and 10^4; ``task.epsilon`` is not used.

    >>> task = Task(n=569, d=3, k=20)
    >>> smallest_epsilon(task, kind="linear", mechanism="histogram", alpha=0.05)
    1.20
    """
    return _least(
        lambda epsilon: replace(task, epsilon=epsilon),
        *(kind, mechanism, alpha, source, trials, rng),
        limits=EPSILONS,
        whole=False,
    )


def _least(
    task_at: Callable[[float], Task],
    kind: str,
    mechanism: str,
    alpha: float,
    source: str,
    trials: int,
    rng: checks.Seed,
    *,
    limits: tuple[float, float],
    whole: bool,
) -> float:
    """The least x at which the task has error alpha."""
    of_kind = KINDS[checks.choice("kind", kind, tuple(KINDS))]
    chosen = of_kind.mechanism(mechanism)
    checks.number("alpha", alpha, above=0)
    checks.choice("source", source, SOURCES)
    if source == "measured":
        checks.integer("trials", trials, at_least=20)
        measure = Measured(of_kind, chosen, checks.generator(rng))
        least = fitted(lambda x, many: measure(task_at(x), many), alpha, trials, limits)
    else:
        bound = chosen.error_bound if source == "proved" else chosen.paper_bound
        least = narrowed(lambda x: bound(task_at(x)), alpha, limits)
    return float(math.ceil(least)) if whole and math.isfinite(least) else least


class Measured:
    """The 1 - beta quantile of a mechanism's error over trials, each on fresh records.

    >>> kind = KINDS["linear"]
    >>> measured = Measured(kind, kind.mechanism("histogram"), np.random.default_rng(0))
    >>> measured(Task(n=100, d=2, k=10), 20) > measured(Task(n=10_000, d=2, k=10), 20)
    True
    """

    def __init__(self, kind: Kind, mechanism: Mechanism, rng: np.random.Generator):
        self.kind = kind
        self.mechanism = mechanism
        self.rng = rng

    def errors(self, task: Task, trials: int) -> np.ndarray:
        """Errors of so many trials; infinite where the mechanism does not fit."""
        if self.mechanism.misfit(task):
            return np.full(trials, np.inf)
        return np.array([self._once(task) for _ in range(trials)])

    def _once(self, task: Task) -> float:
        instance = self.kind.draw(task, self.rng)
        return self.mechanism.outcome(task, instance, rng=self.rng).error

    def __call__(self, task: Task, trials: int) -> float:
        """The smallest error that at most a share beta of the trials exceeds."""
        errors = np.sort(self.errors(task, trials))
        return float(errors[math.ceil((1 - task.beta) * trials) - 1])


def bracketed(
    error: Callable[[float], float], alpha: float, limits: tuple[float, float], *, factor: float
) -> tuple[float, float]:
    """Two places a factor apart, between which a falling error passes alpha; infinite if none.

    >>> bracketed(lambda x: 100 / x, 1.0, (1, 1e6), factor=4)
    (62.5, 250.0)
    """
    low, high = limits
    x = math.sqrt(low * min(high, 1e6 * low))
    if error(x) <= alpha:
        while x > low and error(max(low, x / factor)) <= alpha:
            x = max(low, x / factor)
        return (x / factor, x) if x > low else (low, low)
    while error(min(high, x * factor)) > alpha:
        x *= factor
        if x >= high:
            return math.inf, math.inf
    return x, min(high, x * factor)


def narrowed(error: Callable[[float], float], alpha: float, limits: tuple[float, float]) -> float:
    """The place from which on an error is at most alpha, to within ``CLOSE``, from above.

    Most errors only fall, so that bisection finds where they pass alpha. A bound that changes
    between variants can rise again; so places above the one found are looked at too, first
    ``CLOSE`` away and then twice as far each time, and the search goes on above the last that
    fails. A rise that lies wholly between two of these places is not seen.

    >>> round(narrowed(lambda x: 1 / x, 0.001, (1, 1e9)), -1)
    1000.0
    >>> round(narrowed(lambda x: 1 / x if x < 2000 else 3 / x, 0.001, (1, 1e9)), -1)
    3000.0
    """
    crossing = bisected(error, alpha, bracketed(error, alpha, limits, factor=8.0))
    while math.isfinite(crossing):
        steps = math.ceil(math.log2(limits[1] / (CLOSE * crossing))) + 1
        above = [min(limits[1], crossing * (1 + CLOSE * 2.0**step)) for step in range(steps)]
        failing = [place for place in above if error(place) > alpha]
        if not failing:
            return crossing
        rest = [place for place in above if place > failing[-1]]
        crossing = bisected(error, alpha, (failing[-1], rest[0])) if rest else math.inf
    return crossing


def bisected(error: Callable[[float], float], alpha: float, between: tuple[float, float]) -> float:
    """A place at which an error passes alpha, which it does between two places; from above.

    >>> round(bisected(lambda x: 1 / x, 0.5, (1.0, 8.0)), 2)
    2.0
    """
    low, high = between
    while math.isfinite(high) and high > low * (1 + CLOSE):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if error(middle) <= alpha else (middle, high)
    return high


def fitted(
    error: Callable[[float, int], float], alpha: float, trials: int, limits: tuple[float, float]
) -> float:
    """The place at which a measured error passes alpha: a line through five places around it.

    Both axes are logarithmic; ``error(x, trials)`` is measured with a few trials to find the
    surroundings, and with all of them for the line. Where that line does not fall (the error has
    stopped to depend on x, or rises) it tells nothing, and the upper place of the surroundings is
    returned, at which the few trials were good enough.

    >>> round(fitted(lambda x, trials: 5 / x, 0.01, 20, (1, 1e6)))
    500
    """
    low, high = bracketed(lambda x: error(x, min(trials, COARSE)), alpha, limits, factor=2.0)
    if not math.isfinite(high) or low == high:
        return high
    places = np.geomspace(low, high, FITTED)
    errors = np.array([error(float(x), trials) for x in places])
    finite = np.isfinite(errors)
    if finite.sum() < 2:
        return high
    slope, at_1 = np.polyfit(np.log(places[finite]), np.log(errors[finite]), 1)
    if slope >= 0:
        return high
    return float(np.clip(math.exp((math.log(alpha) - at_1) / slope), low / 2, high * 2))
