"""The best of several runs, chosen privately: what it costs, and what it brings.

A Laplace histogram of the clinic's cells is published. One analyst spends everything on one run;
the other repeats a run a geometric number of times, gives each a noisy score and publishes the
best. By the theorem on private selection (lesson 09) the second costs three times one run.

The same for a parameter: the number of terms of a summary of moments is chosen by the private
errors, by the proved bound, or by a selection that is paid for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.comparison import experiments
from dpviz.comparison.mechanisms import smooth
from dpviz.comparison.mechanisms.kinds import KINDS
from dpviz.comparison.mechanisms.task import Task
from dpviz.privacy.curator import Curator


@dataclass(frozen=True, kw_only=True)
class Params(checks.Declared):
    """``epsilon`` for everything; ``runs``, the mean of the geometric number of runs; both public.

    >>> Params(runs=0)
    Traceback (most recent call last):
    ...
    ValueError: runs must be a whole number, at least 1, not 0
    """

    epsilon: checks.Positive = 1.0
    runs: checks.Count = 20


def trial(params: Params, *, rng: checks.Seed) -> dict[str, float]:
    """Both analysts once, at the same total cost.

    A run of the second costs epsilon / 3: half of it for the histogram, half for its largest
    error with Laplace noise, which moves by at most 1/n when a record is replaced.
    Returns a dict with ``once`` and ``selected``, their largest errors, ``runs`` that were made,
    and ``best``, the least true error among these, which nobody may know.

    >>> found = trial(Params(), rng=0)
    >>> found["best"] <= found["selected"]
    True
    """
    rng = checks.generator(rng)
    kind = KINDS["linear"]
    histogram = kind.mechanism("histogram")
    task = experiments.clinic(experiments.Sample(kind="linear")).task(epsilon=params.epsilon)
    instance = kind.of_rows(task, experiments.patients())
    each = replace(task, epsilon=params.epsilon / 6)
    errors, best = _selected(lambda: histogram.outcome(each, instance, rng=rng).error, params, rng)
    return {
        "once": histogram.outcome(task, instance, rng=rng).error,
        "selected": best,
        "best": float(errors.min()),
        "runs": len(errors),
    }


def _selected(
    run: Callable[[], float], params: Params, rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Errors of a geometric number of runs at epsilon / 6 each, and that of the best by scores.

    Statements: lesson Theorem 9.3.
    """
    errors = np.array([run() for _ in range(int(rng.geometric(1 / params.runs)))])
    epsilon = params.epsilon / 6
    cost: dict[str, Any] = {
        "sensitivity": 1 / len(experiments.patients()),
        "epsilon": epsilon,
        "label": "score",
    }
    scores = [float(Curator(epsilon=epsilon, rng=rng).laplace(error, **cost)) for error in errors]
    return errors, float(errors[int(np.argmin(scores))])


def trial_terms(params: Params, *, rng: checks.Seed) -> dict[str, float]:
    """A number of terms for a hundred kernels in one column of the clinic, chosen in three ways.

    Returns a dict with the largest errors: ``tuned``, the least over all numbers of terms, each run
    at the whole budget (nobody has paid for looking at them); ``by_bound``, that of the number with
    the least proved bound, which no data chose; ``selected``, by Theorem 9.3: of terms drawn at
    random; and ``tried``, how many numbers of terms there are.

    >>> found = trial_terms(Params(), rng=0)
    >>> found["tuned"] <= found["by_bound"]
    True
    """
    rng = checks.generator(rng)
    kind = KINDS["smooth"]
    task = Task(n=len(experiments.patients()), d=1, k=100, epsilon=params.epsilon, delta=0.0)
    instance = kind.of_rows(task, experiments.patients())
    each = replace(task, epsilon=params.epsilon / 6)
    most = smooth.MOST[task.d]
    errors = [smooth.error_with(task, instance, terms, rng) for terms in range(1, most + 1)]

    def run() -> float:
        return smooth.error_with(each, instance, int(rng.integers(1, most + 1)), rng)

    return {
        "tuned": min(errors),
        "by_bound": errors[smooth.truncated(task).terms - 1],
        "selected": _selected(run, params, rng)[1],
        "tried": most,
    }
