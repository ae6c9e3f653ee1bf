"""The five kinds of query by name, and one trial of all mechanisms of a kind.

A trial is a record (:class:`Trial`) of an :class:`~dpviz.comparison.mechanisms.task.Outcome` for
each mechanism and budget. Journals hold numbers by name, so :func:`trial` writes a record as they
have it, ``"<key> <epsilon>"`` and -1 for a refusal, and :func:`errors` reads it back: the only two
places that know these words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.comparison.mechanisms import cluster, distance, linear, smooth, sparse
from dpviz.comparison.mechanisms.task import Instance, Kind, Mechanism, Outcome, Task

KINDS = {each.KIND.name: each.KIND for each in (distance, sparse, smooth, cluster, linear)}
LATER = {  # by kind, what its first journals do not have
    "distance": ("joint",),
    "sparse": ("projected", "dense", "joint", "sketch"),
    "smooth": ("projected", "shaped", "joint", "measure", "bernstein"),
    "cluster": ("pairs", "triples", "tree", "closest"),
}
IN_CELLS = {  # tried there alone, because they are slow or came last
    "smooth": ("learner",),
    "linear": ("pmw", "adaptive"),
    "cluster": ("friendly",),
}
WITHOUT = "constant"  # the field of the best answer without data
REFUSED = -1.0  # stands in journals for the error of a mechanism that answers nothing
DIGITS = 4


@dataclass(frozen=True, kw_only=True)
class Params:
    """A task at several budgets; all public.

    Attributes
    ----------
    kind : one of ``KINDS``; n, d, k, delta, beta : as of :class:`Task`
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


@dataclass(frozen=True, kw_only=True)
class Trial:
    """All mechanisms of a kind on the same records and questions.

    Attributes
    ----------
    without : float, error of the best answer without data
    outcomes : dict from (key, epsilon) to Outcome
    """

    without: float
    outcomes: Mapping[tuple[str, float], Outcome]


def outcomes(
    params: Params, instance: Instance, *, rng: checks.Seed, keys: Sequence[str] | None = None
) -> Trial:
    """Mechanisms of a kind at every budget on one instance, each with a fresh curator.

    Parameters
    ----------
    keys : of the mechanisms; None for all

    >>> params = Params(kind="linear", n=1000, d=2, k=10)
    >>> instance = KINDS["linear"].draw(params.task(epsilon=1.0), np.random.default_rng(0))
    >>> found = outcomes(params, instance, rng=0)
    >>> found.outcomes["histogram", 1.0].error < found.without
    True
    """
    rng = checks.generator(rng)
    results = {}
    for epsilon in params.epsilons:
        task = params.task(epsilon=epsilon)
        for each in KINDS[params.kind].mechanisms:
            if keys is None or each.key in keys:
                results[each.key, epsilon] = each.outcome(task, instance, rng=rng)
    return Trial(without=instance.without_data, outcomes=results)


def trial(params: Params, data: np.ndarray | None = None, *, rng: checks.Seed) -> dict[str, float]:
    """Errors of the mechanisms of a kind at every budget, by the names that journals use.

    Parameters
    ----------
    data : array (n, columns) in [0, 1]; None for synthetic records of the kind's public law

    Returns a dict with "constant" (without data) and, for each mechanism and budget, "<key>
    <epsilon>": ``REFUSED`` where it answers nothing. Without those of ``LATER``, for which see
    :func:`trial_later`, and of ``IN_CELLS``, which only some places of a map have.

    >>> found = trial(Params(kind="linear", n=1000, d=2, k=10), rng=0)
    >>> found["histogram 1"] < found["constant"]
    True
    """
    later = LATER.get(params.kind, ()) + IN_CELLS.get(params.kind, ())
    keys = [each.key for each in KINDS[params.kind].mechanisms if each.key not in later]
    return _trial(params, data, keys, rng=rng)


def trial_later(
    params: Params, data: np.ndarray | None = None, *, rng: checks.Seed
) -> dict[str, float]:
    """The mechanisms of ``LATER``, on the same records as :func:`trial` with the same stream.

    >>> params = Params(kind="cluster", n=1000, d=2, k=1)
    >>> trial_later(params, rng=0)["constant"] == trial(params, rng=0)["constant"]
    True
    """
    return _trial(params, data, LATER[params.kind], rng=rng)


def _trial(
    params: Params, data: np.ndarray | None, keys: Sequence[str], *, rng: checks.Seed
) -> dict[str, float]:
    rng = checks.generator(rng)
    kind = KINDS[params.kind]
    task = params.task(epsilon=1.0)
    instance = kind.draw(task, rng) if data is None else kind.of_rows(task, data)
    return fields(outcomes(params, instance, rng=rng, keys=keys))


def fields(record: Trial) -> dict[str, float]:
    """A trial by the names that journals use.

    >>> fields(Trial(without=0.5, outcomes={("net", 1.0): Outcome(error=0.25)}))
    {'constant': 0.5, 'net 1': 0.25}
    """
    named = {WITHOUT: _rounded(record.without)}
    for (key, epsilon), outcome in record.outcomes.items():
        named[_field(key, epsilon=epsilon)] = _rounded(outcome.error)
    return named


def errors(stored: Mapping[str, np.ndarray], kind: str, *, epsilon: float) -> dict[str, np.ndarray]:
    """Stored errors of all mechanisms of a kind at one budget, by key; ``WITHOUT`` among them.

    Infinite where a mechanism answered nothing, or was not tried. Parameters: ``stored``, fields
    of :func:`trial` with an array of one shape for each.

    >>> fields = {"constant": np.ones(2)}
    >>> fields |= {f"{each.key} 1": np.array([0.5, -1]) for each in KINDS["linear"].mechanisms}
    >>> errors(fields, "linear", epsilon=1.0)["net"]
    array([0.5, inf])
    """
    table = {WITHOUT: np.asarray(stored[WITHOUT])}
    refused = np.full(table[WITHOUT].shape, REFUSED)
    for each in KINDS[kind].mechanisms:
        found = np.asarray(stored.get(_field(each.key, epsilon=epsilon), refused))
        table[each.key] = np.where(found == REFUSED, np.inf, found)
    return table


def _field(key: str, *, epsilon: float) -> str:
    return f"{key} {epsilon:g}"


def _rounded(error: float) -> float:
    return float(f"{error:.{DIGITS}g}") if math.isfinite(error) else REFUSED


def all_mechanisms() -> list[tuple[Kind, Mechanism]]:
    """Every mechanism with its kind.

    >>> len(all_mechanisms()) >= 20
    True
    """
    return [(kind, each) for kind in KINDS.values() for each in kind.mechanisms]
