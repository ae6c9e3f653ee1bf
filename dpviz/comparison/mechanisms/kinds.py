"""The five kinds of query by name, and one trial of all mechanisms of a kind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.comparison.mechanisms import cluster, distance, linear, smooth, sparse
from dpviz.comparison.mechanisms.task import DIGITS, REFUSED, Kind, Mechanism, Task

KINDS = {each.KIND.name: each.KIND for each in (distance, sparse, smooth, cluster, linear)}
WITHOUT = "constant"  # the field of the best answer without data


@dataclass(frozen=True, kw_only=True)
class Params:
    """A task at several budgets; all public.

    Attributes
    ----------
    kind : one of ``KINDS``
    n, d, k, delta, beta : as of :class:`Task`
    epsilons : budgets that are tried on the same records

    >>> Params(kind="other", n=1, d=1, k=1)
    Traceback (most recent call last):
    ...
    ValueError: kind must be one of 'distance', 'sparse', 'smooth', 'cluster', 'linear', not 'other'
    """

    kind: str
    n: int
    d: int
    k: int
    epsilons: Sequence[float] = (1.0,)
    delta: float = 1e-6
    beta: float = 0.05

    def __post_init__(self) -> None:
        checks.choice("kind", self.kind, tuple(KINDS))
        self.task(epsilon=1.0)

    def task(self, *, epsilon: float) -> Task:
        """The task at one budget."""
        size = {"n": self.n, "d": self.d, "k": self.k}
        return Task(**size, epsilon=epsilon, delta=self.delta, beta=self.beta)


def trial(params: Params, data: np.ndarray | None = None, *, rng: checks.Seed) -> dict[str, float]:
    """Errors of every mechanism of a kind at every budget, on the same records and questions.

    Parameters
    ----------
    data : array (n, columns) in [0, 1]; None for synthetic records of the kind's public law

    Returns
    -------
    dict with "constant" (without data) and, for each mechanism and budget, "<key> <epsilon>":
    ``REFUSED`` where it cannot take the task

    >>> found = trial(Params(kind="linear", n=1000, d=2, k=10), rng=0)
    >>> found["histogram 1"] < found["constant"]
    True
    """
    rng = checks.generator(rng)
    kind = KINDS[params.kind]
    task = params.task(epsilon=1.0)
    instance = kind.draw(task, rng) if data is None else kind.of_rows(task, data)
    errors = {WITHOUT: instance.without_data}
    for epsilon in params.epsilons:
        at = params.task(epsilon=epsilon)
        for each in kind.mechanisms:
            errors[f"{each.key} {epsilon:g}"] = each.trial(at, instance, rng=rng)
    return {name: _kept(error) for name, error in errors.items()}


def _kept(error: float) -> float:
    return float(f"{error:.{DIGITS}g}") if math.isfinite(error) else REFUSED


def all_mechanisms() -> list[tuple[Kind, Mechanism]]:
    """Every mechanism with its kind.

    >>> len(all_mechanisms()) >= 20
    True
    """
    return [(kind, each) for kind in KINDS.values() for each in kind.mechanisms]
