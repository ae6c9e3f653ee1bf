"""Exponential mechanism, also by Metropolis-Hastings, and stability-based selection.

Where the candidates are too many to list, a :class:`StepFunction` says their scores interval by
interval, or a :class:`Walk` proposes, compares, and accepts or
stays (Metropolis et al. 1953, Hastings 1970); a transcript sees each of its steps.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from dpviz import accounting, checks
from dpviz.privacy import noise_laws
from dpviz.privacy.account import Account
from dpviz.privacy.ledger import line
from dpviz.privacy.private_data import finite, finite_number

LARGEST = 2**53  # places: up to here a double counts them exactly


@dataclass(frozen=True, eq=False)
class StepFunction:
    """Scores on 0 ... size - 1: ``values[i]`` from ``starts[i]`` to the next start.

    It stands for the vector of all scores, and no more than for that: where the intervals begin
    depends on the data, so nobody but the curator may look at them, and every verb that takes a
    step function draws with the law it has on the vector. Raises ValueError or TypeError if they
    are no such thing. Nothing of ``starts`` or ``values`` is shown.

    Attributes
    ----------
    starts : array (p,) of whole numbers, private: 0 first, rising, below ``size``
    values : array (p,), private; size : int in [1, 2^53], public: places

    >>> StepFunction([0, 3], [1.0, 2.0], 5).at([0, 2, 3, 4]).tolist()
    [1.0, 1.0, 2.0, 2.0]
    """

    starts: np.ndarray
    values: np.ndarray
    size: int

    def __post_init__(self) -> None:
        size = checks.integer("size", self.size, at_least=1, at_most=LARGEST)
        starts = finite(self.starts, "starts")
        values = finite(self.values, "values")
        if values.ndim != 1 or starts.shape != values.shape:
            raise ValueError("starts and values must be vectors of equal length")
        ends = np.append(starts[1:], size)
        if not len(starts) or starts[0] != 0 or (ends <= starts).any() or (starts % 1).any():
            raise ValueError("starts must be whole numbers that rise from 0 and stay below size")
        starts, values = starts.astype(np.int64), values.copy()
        starts.flags.writeable = values.flags.writeable = False
        for name, value in {"starts": starts, "values": values, "size": size}.items():
            object.__setattr__(self, name, value)

    @property
    def lengths(self) -> np.ndarray:
        """Places of each interval; (p,)."""
        return np.diff(self.starts, append=self.size)

    def at(self, places: np.ndarray) -> np.ndarray:
        """Scores at given places in [0, size)."""
        return self.values[np.searchsorted(self.starts, places, side="right") - 1]

    def between(self, begin: int, end: int) -> StepFunction:
        """The scores from ``begin`` on, before ``end``.

        >>> StepFunction([0, 3], [1.0, 2.0], 5).between(1, 4).starts.tolist()
        [0, 2]
        """
        inside = self.starts[(self.starts > begin) & (self.starts < end)]
        starts = np.append(begin, inside)
        return StepFunction(starts - begin, self.at(starts), end - begin)

    def then(self, other: StepFunction) -> StepFunction:
        """These scores, and another's after them.

        >>> StepFunction([0], [1.0], 5).then(StepFunction([0], [2.0], 1)).starts.tolist()
        [0, 5]
        """
        starts = np.append(self.starts, other.starts + self.size)
        return StepFunction(starts, np.append(self.values, other.values), self.size + other.size)

    def highest(self) -> tuple[int, float]:
        """The first place with the highest score, and its lead over the highest of all others.

        >>> StepFunction([0, 3], [1.0, 2.0], 5).highest()
        (3, 0.0)
        """
        best = int(np.argmax(self.values))
        second = float(np.delete(self.values, best).max(initial=-np.inf))
        lead = 0.0 if self.lengths[best] > 1 else float(self.values[best]) - second
        return int(self.starts[best]), lead

    def movement(self, other: StepFunction) -> float:
        """The largest difference of two scores at one place; infinite if the sizes differ.

        >>> StepFunction([0, 3], [1.0, 2.0], 5).movement(StepFunction([0], [1.5], 5))
        0.5
        """
        if self.size != other.size:
            return np.inf
        places = np.union1d(self.starts, other.starts)
        return float(np.abs(self.at(places) - other.at(places)).max())


State = TypeVar("State")  # a candidate of the walk


class ExponentialMechanism(Account):
    """The verbs that choose one of many candidates by a private score."""

    def choose(
        self, scores: ArrayLike | StepFunction, *, sensitivity: float, epsilon: float, label: str
    ) -> int:
        """Exponential mechanism: an index, drawn with weight exp(epsilon score / (2 sensitivity)).

        Statements: R10 Definition 4; R10 Theorem 4.
        Costs ``epsilon`` (zCDP: epsilon^2 / 8, Cesar and Rogers 2021, for its log-ratios span
        at most epsilon in all). Proof: each weight moves by a factor within exp(+-epsilon/2),
        and so does their sum (McSherry and Talwar 2007, Theorem 6).

        Parameters
        ----------
        scores : array (m,), private; one score for each public candidate. A step function is the
            same in fewer numbers: an interval is drawn with its weight times its length, then a
            place in it, all alike
        sensitivity : float > 0. Largest change of any one score when one record is replaced.

        Raises BudgetExceeded as in ``laplace``. ValueError if there is no candidate or a score is
        not finite.
        """
        private, sensitivity = _scores(scores), checks.number("sensitivity", sensitivity, above=0)
        epsilon = checks.epsilon(epsilon)
        with np.errstate(over="ignore"):  # beyond all floats is far enough; a warning would tell
            weights = epsilon / (2 * sensitivity) * _values(private)
        cost = self._cost(epsilon=epsilon, rho=accounting.zcdp_choose(epsilon=epsilon))
        charge = line(label, "choose", sensitivity, 0.0, cost)
        return self._ask(charge, private, "max", lambda: self._drawn(private, weights))

    def choose_metropolis(
        self,
        score: Callable[[State], float],
        start: State,
        move: Callable[[State, np.random.Generator], tuple[State, float]],
        *,
        steps: int,
        sensitivity: float,
        epsilon: float,
        distance: float,
        label: str,
    ) -> State:
        """Exponential mechanism over candidates too many to list: a Metropolis walk, stopped.

        A move is accepted with probability min(1, ratio exp(epsilon change / (2 sensitivity))),
        so the walk's law tends to weight x exp(epsilon score / (2 sensitivity)), where the weight
        is what the moves alone would keep (Hastings 1970). Costs (``epsilon``, (1 + e^epsilon)
        ``distance``). Proof: let the stopped walk be within ``distance`` of its limit in total
        variation, for every data set. Then P(S) <= limit(S) + distance <= e^epsilon limit'(S) +
        distance <= e^epsilon (P'(S) + distance) + distance. How far a finite walk is from its
        limit is the caller's to prove, like a sensitivity; nothing here checks it.

        Parameters
        ----------
        score : state -> float, private; finite at every state
        start : a state, public
        move : (state, generator) -> (state, log of the ratio of the chances of the move back and of
            the move itself), public; it must not change the state it is given. Its generator is a
            child of the curator's, so nothing it does touches the noise. It is tried once from the
            start before anything is paid.
        steps : int in [1, 10^9]
        sensitivity : float > 0. Largest change of any one score when one record is replaced.
        distance : float >= 0, public

        Raises BudgetExceeded, ValueError or TypeError as in :meth:`choose`; also if the curator
        composes by zCDP.
        """
        self._must_be("basic")
        walk = Walk(score, start, move)
        sensitivity = checks.number("sensitivity", sensitivity, above=0)
        epsilon = checks.epsilon(epsilon)
        checks.integer("steps", steps, at_least=1, at_most=10**9)
        most = 1 / (1 + math.exp(min(epsilon, 700)))
        distance = checks.number("distance", distance, at_least=0, below=most)
        cost = self._cost(epsilon=epsilon, delta=distance / most)
        charge = line(label, "choose_metropolis", sensitivity, 0.0, cost)
        walk.try_move(np.random.default_rng(0))  # any stream: nothing of it is used
        factor = epsilon / (2 * sensitivity)
        public = {"start": start, "steps": steps}
        draw = lambda: walk.run(factor, steps, self._rng, self._stranger())  # noqa: E731
        return self._ask(charge, walk, "walk", draw, **public, distance=distance)

    def stable_choice(
        self,
        scores: ArrayLike | StepFunction,
        *,
        sensitivity: float = 1.0,
        epsilon: float,
        delta: float,
        label: str,
    ) -> int | None:
        """The index of the highest score if it leads clearly, else None.

        The lead over the second, plus Laplace noise of scale 2 s / epsilon, must reach
        2 s + (2 s / epsilon) ln(1 / (2 delta)). Costs (``epsilon``, ``delta``), in zCDP
        delta-approximately epsilon^2 / 2. Proof: with the same winner on both sides the lead moves
        by at most 2 s. With another winner both leads are at most 2 s, and each side names one with
        probability at most delta; outside these events both say None. (As circulated, with noise
        1 / epsilon, it is not (epsilon, delta)-private: see `dpviz.audit.broken`.)

        Parameters
        ----------
        scores : array (m,) or step function, private; of equal highest scores the first counts
        sensitivity : float > 0, largest change of any one score, here s
        delta : float in (0, 1/2]

        Raises BudgetExceeded, ValueError or TypeError as in :meth:`choose`.
        """
        private, sensitivity = _scores(scores), checks.number("sensitivity", sensitivity, above=0)
        epsilon = checks.epsilon(epsilon)
        delta = checks.number("delta", delta, above=0, at_most=0.5)
        scale = 2 * sensitivity / epsilon
        enough = 2 * sensitivity + scale * math.log(1 / (2 * delta))
        best, lead = _highest(private)
        cost = self._cost(epsilon=epsilon, delta=delta)
        charge = line(label, "stable_choice", sensitivity, scale, cost)
        return self._ask(
            charge, private, "max", lambda: best if self._reaches(lead, scale, enough) else None
        )

    def _stranger(self) -> np.random.Generator:
        """A stream to hand out: a spawned child would name the seed of its parent."""
        return np.random.default_rng(int.from_bytes(self._rng.bytes(16), "little"))

    def _drawn(self, private: np.ndarray | StepFunction, weights: np.ndarray) -> int:
        """A candidate, drawn with probability proportional to exp(its weight)."""
        if not isinstance(private, StepFunction):
            return noise_laws.gumbel_max(self._rng, weights)
        lengths = private.lengths
        i = noise_laws.gumbel_max(self._rng, weights + np.log(lengths))
        return int(private.starts[i] + self._rng.integers(lengths[i]))

    def _reaches(self, value: float, scale: float, level: float) -> bool:
        """Whether a private value with Laplace noise is at least ``level``."""
        return bool(value + noise_laws.laplace(self._rng, scale) >= level)


def _values(private: np.ndarray | StepFunction) -> np.ndarray:
    """The scores that occur, of a vector or a step function."""
    return private.values if isinstance(private, StepFunction) else private


def _highest(private: np.ndarray | StepFunction) -> tuple[int, float]:
    """The first candidate with the highest score, and its lead over all others."""
    if isinstance(private, StepFunction):
        return private.highest()
    best = int(np.argmax(private))
    return best, float(private[best]) - float(np.delete(private, best).max(initial=-math.inf))


def _scores(scores: ArrayLike | StepFunction) -> np.ndarray | StepFunction:
    """Private scores as a vector or a step function; messages show nothing of them."""
    if isinstance(scores, StepFunction):
        return scores
    array = finite(scores, "scores")
    if array.ndim != 1 or not len(array):
        raise ValueError("scores must be a vector with at least one candidate")
    return array


@dataclass(frozen=True)
class Step(Generic[State]):
    """One proposal of a walk that is watched, and the private score it met."""

    state: State
    proposed: State
    log_ratio: float
    score: float


class Walk(Generic[State]):
    """A private score, a public start and public moves.

    Attributes
    ----------
    first : float, private, the score at the start
    steps : list of :class:`Step`, or None while nobody watches
    mover : the generator of the moves as it was before the first of them, if watched

    >>> walk = Walk(lambda x: -abs(x - 9), 0, lambda x, rng: (x + rng.choice([-1, 1]), 0.0))
    >>> int(walk.run(9.0, 99, np.random.default_rng(0), np.random.default_rng(1)))
    9
    """

    def __init__(
        self,
        score: Callable[[State], float],
        start: State,
        move: Callable[[State, np.random.Generator], tuple[State, float]],
    ) -> None:
        if not callable(score):
            raise TypeError(f"score must be callable, not {score!r}")
        if not callable(move):
            raise TypeError(f"move must be callable, not {move!r}")
        self.score = score
        self.start = start
        self.move = move
        self.first = finite_number(score(start), "score")
        self.steps: list[Step[State]] | None = None
        self.mover: np.random.Generator | None = None

    def watch(self) -> None:
        """Write down each step of the next run."""
        self.steps = []

    def try_move(self, rng: np.random.Generator) -> None:
        """Move once from the start, without the data; TypeError if that gives no proposal."""
        step = self.move(self.start, rng)
        pair = isinstance(step, tuple) and len(step) == 2
        if not (pair and isinstance(step[1], Real) and not math.isnan(step[1])):
            raise TypeError("move must return a state and the log of a ratio of chances")

    def run(
        self, factor: float, steps: int, rng: np.random.Generator, mover: np.random.Generator
    ) -> State:
        """Walk so many steps and return where one stands; scores weigh ``factor``."""
        if self.steps is not None:
            self.mover = copy.deepcopy(mover)
        state = self.start
        now = factor * self.first
        for _ in range(steps):
            proposed, log_ratio = self.move(state, mover)
            score = float(self.score(proposed))
            if self.steps is not None:
                self.steps.append(Step(*copy.deepcopy((state, proposed)), log_ratio, score))
            then = factor * score
            if -rng.standard_exponential() < then - now + log_ratio:
                state = proposed
                now = then
        return state
