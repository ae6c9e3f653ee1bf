"""What is asked of whom: a task, one instance of it, a mechanism that may answer, a kind of query.

Every error is the largest over the questions of a task, as a share of the largest possible
answer; so 1 is as wrong as can be, and what answers without data stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.privacy.curator import Curator

ORIGINS = ("paper", "other", "baseline")
REFUSED = -1.0  # kept in journals for the error of a mechanism that answers nothing
DIGITS = 4


@dataclass(frozen=True, kw_only=True)
class Task:
    """How much is asked of how many records at which budget; all public.

    Attributes
    ----------
    n : int >= 1, records; neighbours differ in one replaced record, so n is public
    d : int >= 1, size of a question: see the kind of query
    k : int >= 1, questions
    epsilon : float > 0, delta : float in [0, 1), the whole budget; with delta = 0 it is pure
    beta : float in (0, 1), how often an error may be larger

    >>> Task(n=0, d=1, k=1)
    Traceback (most recent call last):
    ...
    ValueError: n must be a whole number, at least 1, not 0
    """

    n: int
    d: int
    k: int
    epsilon: float = 1.0
    delta: float = 1e-6
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name in ("n", "d", "k"):
            checks.integer(name, getattr(self, name), at_least=1)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, below=1)
        checks.number("beta", self.beta, above=0, below=1)

    @property
    def size(self) -> dict[str, Any]:
        """n, d and k by name."""
        return {"n": self.n, "d": self.d, "k": self.k}

    @property
    def budget(self) -> dict[str, Any]:
        """epsilon and delta by name."""
        return {"epsilon": self.epsilon, "delta": self.delta}


@dataclass(frozen=True, eq=False)
class Instance:
    """Records and questions, and what is true of them: not private, for comparison only.

    Attributes
    ----------
    data : what the mechanisms of the kind take; private
    queries : public questions
    exact : the true answers; for a cluster nothing
    without_data : float, error of the best answer that uses no data
    """

    data: Any
    queries: Any
    exact: Any
    without_data: float


Run = Callable[[Task, Instance, Curator], float]


@dataclass(frozen=True, kw_only=True, eq=False)
class Mechanism:
    """One mechanism that can answer one kind of query.

    Attributes
    ----------
    key : short name, as journals have it
    name : for a reader
    origin : "paper" (of the five papers), "other" (from elsewhere) or "baseline"
    module : where it stands, below ``dpviz.papers``
    cannot : what it cannot do, in words
    params : (task) -> its Params; ValueError if it does not fit the task
    run : (task, instance, curator) -> error of one run, paid by that curator
    bound : (task) -> error that is proved, with probability 1 - beta; None if nothing is. For
        any records, but for a cluster: there for the synthetic ones
    paper : (task) -> error by the paper's constants; None if it states none
    pure : (task) -> whether a run spends no delta; None if its Params say so
    randomness : (rng) -> public randomness of one run, which ``run`` takes by this name; or None
    """

    key: str
    name: str
    origin: str
    module: str
    cannot: str
    params: Callable[[Task], Any]
    run: Callable[..., float]
    bound: Callable[[Task], float] | None = None
    paper: Callable[[Task], float] | None = None
    pure: Callable[[Task], bool] | None = None
    randomness: Callable[[np.random.Generator], Any] | None = None

    def spends(self, task: Task) -> tuple[float, float]:
        """What one run costs: all of epsilon, and delta or, where it is pure, 0."""
        pure = self.pure(task) if self.pure else not self.params(task).delta
        return task.epsilon, 0.0 if pure else task.delta

    def misfit(self, task: Task) -> str:
        """Why it cannot take this task; empty if it can."""
        try:
            self.params(task)
        except ValueError as problem:
            return str(problem)
        return ""

    def trial(
        self, task: Task, instance: Instance, *, rng: checks.Seed, curator: Curator | None = None
    ) -> float:
        """Error of one run; infinite if it does not fit the task.

        Costs what :meth:`spends` says, of a curator that can pay it; without one, of a fresh one
        that draws from ``rng``. Public randomness is drawn from ``rng`` in any case.
        """
        if self.misfit(task):
            return math.inf
        rng = checks.generator(rng)
        public = {} if self.randomness is None else {"randomness": self.randomness(rng)}
        payer = Curator(**task.budget, rng=rng) if curator is None else curator
        return self.run(task, instance, payer, **public)

    def error_bound(self, task: Task) -> float:
        """Proved: at most this with probability 1 - beta; infinite if nothing is proved."""
        if self.bound is None or self.misfit(task):
            return math.inf
        return self.bound(task)

    def paper_bound(self, task: Task) -> float:
        """By the constants of the paper; infinite if it states none or they promise nothing."""
        if self.paper is None or self.misfit(task):
            return math.inf
        return self.paper(task)


@dataclass(frozen=True, kw_only=True, eq=False)
class Kind:
    """One kind of query, and who can answer it.

    Attributes
    ----------
    name, question : the kind, and what it asks
    size : what d counts
    without : which answer without data is the best one
    most : int, largest d that is tried
    mechanisms : tuple of Mechanism
    draw : (task, rng) -> Instance on synthetic records of a public law
    of_rows : (task, rows (n, columns) in [0, 1]) -> Instance on these records
    """

    name: str
    question: str
    size: str
    without: str
    most: int
    mechanisms: tuple[Mechanism, ...]
    draw: Callable[[Task, np.random.Generator], Instance]
    of_rows: Callable[[Task, np.ndarray], Instance]

    def mechanism(self, key: str) -> Mechanism:
        """One of its mechanisms by its key; ``ValueError`` if there is none."""
        keys = [each.key for each in self.mechanisms]
        return self.mechanisms[keys.index(checks.choice("key", key, keys))]


def largest(answers: np.ndarray | float, exact: np.ndarray, scale: float = 1.0) -> float:
    """The largest of the errors, as a share of ``scale``, the largest possible answer.

    Answers are clipped to [0, scale], which is free, so that no mechanism is judged by impossible
    ones.

    >>> largest(np.array([1.0, 3.0, -9.0]), np.array([1.0, 1.0, 0.0]), 4)
    0.5
    """
    return float(np.abs(np.clip(answers, 0, scale) - exact).max()) / scale
