"""The best of several runs, chosen privately: what it costs, and what it brings.

A Laplace histogram of the clinic's cells is published. One analyst spends everything on one run;
the other repeats a run a geometric number of times, gives each a noisy score and publishes the
best. By the theorem on private selection (lesson 09) the second costs three times one run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dpviz import checks
from dpviz.experiments import compare
from dpviz.experiments.mechanisms.kinds import KINDS
from dpviz.privacy.curator import Curator


@dataclass(frozen=True, kw_only=True)
class Params:
    """``epsilon`` for everything; ``runs``, the mean of the geometric number of runs; both public.

    >>> Params(runs=0)
    Traceback (most recent call last):
    ...
    ValueError: runs must be a whole number, at least 1, not 0
    """

    epsilon: float = 1.0
    runs: int = 20

    def __post_init__(self):
        checks.number("epsilon", self.epsilon, above=0)
        checks.integer("runs", self.runs, at_least=1)


def trial(params: Params, *, rng: checks.Seed) -> dict[str, float]:
    """Both analysts once, at the same total cost.

    A run of the second costs epsilon / 3: half of it for the histogram, half for its largest
    error with Laplace noise, which moves by at most 1/n when a record is replaced.

    Returns
    -------
    dict with ``once`` and ``selected``, their largest errors, ``runs`` that were made, and
    ``best``, the least true error among these, which nobody may know

    >>> found = trial(Params(), rng=0)
    >>> found["best"] <= found["selected"]
    True
    """
    rng, kind = checks.generator(rng), KINDS["linear"]
    histogram = kind.mechanism("histogram")
    task = compare.clinic(compare.Sample(kind="linear")).task(epsilon=params.epsilon)
    instance = kind.of_rows(task, compare.patients())
    each = replace(task, epsilon=params.epsilon / 6)
    many = int(rng.geometric(1 / params.runs))
    errors = np.array([histogram.trial(each, instance, rng=rng) for _ in range(many)])
    cost = {"sensitivity": 1 / task.n, "epsilon": each.epsilon, "label": "score"}
    scores = [Curator(epsilon=each.epsilon, rng=rng).laplace(error, **cost) for error in errors]
    return {
        "once": histogram.trial(task, instance, rng=rng),
        "selected": float(errors[int(np.argmin(scores))]),
        "best": float(errors.min()),
        "runs": many,
    }
