"""Stored plans of five questions at every n, epsilon and number of queries; drawn by `plans`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from dpviz import checks
from dpviz.planner import plans
from dpviz.planner.calls import Case, calls
from dpviz.planner.questions import Question
from dpviz.sweeps.experiment import Experiment

GROUPS = 16  # of patients, of which a linear query asks for some
WIDTH = 0.1  # of a kernel, in sides of the bounds
DELTA = 1e-6
N = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
MANY = (1, 2, 5, 10, 30, 100, 1000)
EPSILONS = (0.1, 0.3, 1.0, 3.0)
ASKS = ("linear", "means", "distances", "kernels", "strings")
MOST = 5  # mechanisms for a question
NONE = -1.0


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question, the number ``k`` of its queries, ``n`` and ``epsilon``; all public."""

    ask: str
    k: int = 1
    n: int = 1000
    epsilon: float = 1.0

    @property
    def question(self) -> Question:
        """It as the planner has it."""
        return question(self.ask, self.k)

    @property
    def case(self) -> Case:
        """With its budget."""
        budget = {"epsilon": self.epsilon, "delta": DELTA}
        return Case(question=self.question, n=self.n, **budget, beta=plans.BETA)


@lru_cache
def question(ask: str, k: int) -> Question:
    """So many queries of a kind.

    >>> question("linear", 30).words()
    '30 linear queries on 16 cells'
    """
    if ask == "linear":
        halves = np.random.default_rng(GROUPS).integers(0, 2, (max(MANY), GROUPS))[:k]
        return Question(kind=ask, queries=tuple(tuple(map(float, row)) for row in halves))
    if ask == "means":
        return Question(kind=ask, columns=k)
    if ask == "distances":
        return Question(kind=ask, columns=2, questions=k)
    if ask == "kernels":
        return Question(kind=ask, columns=1, width=WIDTH, questions=k)
    return Question(kind=ask, questions=k)


def trial(params: Asked, *, rng: checks.Seed) -> dict[str, float]:
    """One plan: of each mechanism what is proved, what is expected and whether it is in a tie
    with the best; and the error without data. What there is not is -1."""
    asked = params.question
    words = {name: getattr(asked, name) for name in Question.__dataclass_fields__}
    words = {name: value for name, value in words.items() if value is not None}
    seed = int(checks.generator(rng).integers(2**31))
    budget = {"n": params.n, "epsilon": params.epsilon, "delta": DELTA}
    plan = plans.plan(ask=words.pop("kind"), rng=seed, **budget, **words)
    by_name = {each.name: each for each in plan.candidates}
    row = {"without": float(f"{plan.without:.4g}")}
    names = [call.name for call in calls(asked)]
    for i in range(MOST):
        candidate = by_name.get(names[i]) if i < len(names) else None
        proved = None if candidate is None else candidate.proved
        expected = None if candidate is None else candidate.expected
        row[f"proved{i}"] = NONE if proved is None else float(f"{proved:.4g}")
        row[f"expected{i}"] = NONE if expected is None else float(f"{expected:.4g}")
        row[f"leads{i}"] = float(i < len(names) and names[i] in plan.ties)
    return row


STORED = Experiment(
    name="plans_in_hand",
    shows="Plans of five questions over n, epsilon and the number of queries: the opening of 09.",
    trial=trial,
    params=Asked(ask="linear"),
    grid={"ask": ASKS, "k": MANY, "epsilon": EPSILONS, "n": N},
    repeats=1,
    rng=2012,
    folder=Path(__file__).parent,
)
