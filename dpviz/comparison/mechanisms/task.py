"""What is asked of whom: a task, one instance of it, a mechanism that may answer, a kind of query.

The protocol, which :meth:`Mechanism.outcome` enforces for every mechanism, a paper's or another:

* **budget**: exactly the task's, in the form that suits the mechanism: pure, (epsilon, delta), or
  zCDP with Gaussian steps, whose rho is the largest that implies (epsilon, delta)
  (``Curator.sub_curator_zcdp``). Who asks for more than it was given is refused;
* **questions**: all of them are handed over at once, because they are public. A mechanism that
  does not use this is *adaptive*, and says so;
* **answers**: what is impossible is clipped to what is possible, which is free, so that no
  mechanism is judged by impossible answers;
* **parameters**: chosen by a proved bound, or on public synthetic data of another seed, or there
  are none; each mechanism says which (``TUNINGS``).

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
from dpviz.privacy.curator import BudgetExceeded, Cost, Curator, Promise

ORIGINS = ("paper", "other", "baseline")
TUNINGS = ("proved bound", "public data of another seed", "nothing to tune")
FORMS = ("pure", "approximate", "zcdp")
NOTHING = Cost()
SHARE = 1e-9  # relative, of rounding in what a ledger adds up


@dataclass(frozen=True, kw_only=True)
class Task(Promise):
    """How much is asked of how many records at which budget; all public.

    Attributes
    ----------
    n : int >= 1, records; neighbours differ in one replaced record, so n is public
    d : int >= 1, size of a question: see the kind of query
    k : int >= 1, questions

    >>> Task(n=0, d=1, k=1)
    Traceback (most recent call last):
    ...
    ValueError: n must be a whole number, at least 1, not 0
    """

    n: checks.Count
    d: checks.Count
    k: checks.Count
    epsilon: float = 1.0
    delta: float = 1e-6

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
    exact : array (k,), the true answers; private; for a cluster nothing
    without_data : float, error of the best answer that uses no data
    scale : float > 0, the largest possible answer
    judge : (answers) -> error; None for the largest error of clipped answers
    """

    data: Any
    queries: Any
    exact: Any
    without_data: float
    scale: float = 1.0
    judge: Callable[[Any], float] | None = None

    def error(self, answers: Any) -> float:
        """Error of some answers, or of a centre.

        >>> Instance(None, None, np.array([0.5, 1.0]), 0.5).error(np.array([0.75, 7.0]))
        0.25
        """
        if self.judge is not None:
            return self.judge(answers)
        return largest(answers, self.exact, self.scale)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of one run.

    Attributes
    ----------
    error : float >= 0; infinite if nothing was answered
    refused : why nothing was answered, in words of public numbers; "" if something was
    spent : Cost, what the run was charged
    """

    error: float = math.inf
    refused: str = ""
    spent: Cost = NOTHING


Run = Callable[..., Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Mechanism:
    """One mechanism that can answer one kind of query.

    Attributes
    ----------
    key : short name, as journals have it; name : for a reader
    origin : "paper" (of the five papers), "other" (from elsewhere) or "baseline"
    cannot : what it cannot do, in words
    params : (task) -> its Params; ValueError if it does not fit the task
    run : (task, instance, curator) -> answers (k,), or the centre of a cluster; every private value
        leaves through that curator
    tuned : one of ``TUNINGS``, how its parameters are chosen
    adaptive : whether each question is answered before the next is known
    bound : (task) -> error that is proved, with probability 1 - beta; None if nothing is. For any
        records, but for a cluster: there for the synthetic ones
    paper : (task) -> error by the paper's constants; None if it states none
    pure : (task) -> whether a run spends no delta; None if its Params say so
    zcdp : whether the curator that it takes composes by zCDP; then it needs a delta
    slack : float in [0, 1), share of delta for steps that are zCDP outside a rare event only
    randomness : (rng) -> public randomness of one run, which ``run`` takes by this name; or None
    """

    key: str
    name: str
    origin: str
    cannot: str
    params: Callable[[Task], Any]
    run: Run
    tuned: str
    adaptive: bool = False
    bound: Callable[[Task], float] | None = None
    paper: Callable[[Task], float] | None = None
    pure: Callable[[Task], bool] | None = None
    zcdp: bool = False
    slack: float = 0.0
    randomness: Callable[[np.random.Generator], Any] | None = None

    def __post_init__(self) -> None:
        checks.choice("origin", self.origin, ORIGINS)
        checks.choice("tuned", self.tuned, TUNINGS)
        checks.number("slack", self.slack, at_least=0, below=1)
        if self.tuned == "proved bound" and self.bound is None:
            raise ValueError("bound must be given if parameters are chosen by a proved bound")

    def form(self, task: Task) -> str:
        """Form of its budget, one of ``FORMS``."""
        if self.zcdp:
            return "zcdp"
        pure = self.pure(task) if self.pure else not self.params(task).delta
        return "pure" if pure else "approximate"

    def spends(self, task: Task) -> tuple[float, float]:
        """What one run costs: all of epsilon, and delta or, where it is pure, 0."""
        return task.epsilon, 0.0 if self.form(task) == "pure" else task.delta

    def misfit(self, task: Task) -> str:
        """Why it cannot take this task; empty if it can."""
        if self.zcdp and not task.delta:
            return "delta must be above 0 for zCDP, not 0"
        try:
            self.params(task)
        except ValueError as problem:
            return str(problem)
        return ""

    def outcome(
        self, task: Task, instance: Instance, *, rng: checks.Seed, curator: Curator | None = None
    ) -> Outcome:
        """One run under the protocol of this module.

        Costs what :meth:`spends` says, of a curator with just that budget, or of a fresh one that
        draws from ``rng``. Public randomness is drawn from ``rng`` in any case.
        Raises ValueError if the curator composes by zCDP or has another budget than :meth:`spends`.
        """
        if reason := self.misfit(task):
            return Outcome(refused=reason)
        rng = checks.generator(rng)
        public = {} if self.randomness is None else {"randomness": self.randomness(rng)}
        epsilon, delta = self.spends(task)
        cost = Cost(epsilon=epsilon, delta=delta)
        payer = Curator(epsilon=epsilon, delta=delta, rng=rng) if curator is None else curator
        if payer.composition != "basic" or not _is_same(cost, payer.budget):
            raise ValueError("curator must compose by basic composition and have the task's budget")
        own = payer
        if self.form(task) == "zcdp":
            slack = self.slack * task.delta
            own = payer.sub_curator_zcdp(**task.budget, slack=slack, label=self.name)
        try:
            answers = self.run(task, instance, own, **public)
        except BudgetExceeded:
            refused = "it asks for more than the budget that it was given"
            return Outcome(refused=refused, spent=payer.ledger.spent)
        return Outcome(error=instance.error(answers), spent=payer.ledger.spent)

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
    name, question : the kind, and what it asks; size : what d counts
    without : which answer without data is the best one; most : int, largest d that is tried
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


def published(
    release: Callable[..., Any],
    params: Callable[[Task], Any],
    answer: Callable[[Any, Any], Any] | None = None,
    *,
    asks: bool = False,
) -> Run:
    """A run of what publishes a release, and answers from it.

    Parameters
    ----------
    release : (data, params, curator) -> what is published
    answer : (release, queries) -> answers (k,); None if the release is the answers
    asks : whether the release is told the ``queries``
    """

    def run(task: Task, instance: Instance, curator: Curator) -> Any:
        told = {"queries": instance.queries} if asks else {}
        found = release(instance.data, params(task), curator, **told)
        return found if answer is None else answer(found, instance.queries)

    return run


def largest(answers: np.ndarray | float, exact: np.ndarray, scale: float = 1.0) -> float:
    """The largest of the errors, as a share of ``scale``, the largest possible answer.

    Answers are clipped to [0, scale], which is free, so that no mechanism is judged by impossible
    ones.

    >>> largest(np.array([1.0, 3.0, -9.0]), np.array([1.0, 1.0, 0.0]), 4)
    0.5
    """
    return float(np.abs(np.clip(answers, 0, scale) - exact).max()) / scale


def _is_same(cost: Cost, budget: Cost) -> bool:
    """Whether a budget is a cost, up to rounding."""
    pairs = (cost.epsilon, budget.epsilon), (cost.delta, budget.delta)
    return all(math.isclose(*pair, rel_tol=SHARE) for pair in pairs)
