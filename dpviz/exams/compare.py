"""Lesson 09: which mechanism, and from which n."""

from __future__ import annotations

import math

import numpy as np

from dpviz.exams.question import Instance, one_of, root


def pure_scaling(rng: np.random.Generator) -> Instance:
    """What epsilon n being the only thing that counts gives, and what a selection costs."""
    n, epsilon = one_of(rng, 1_000, 2_000, 3_000, 5_000, 12_000), one_of(rng, 0.5, 1.0, 2.0)
    other, runs = one_of(rng, 0.1, 0.2, 0.25, 0.4), one_of(rng, 3, 5, 10, 20)
    total = one_of(rng, 1.0, 1.5, 2.0, 3.0)
    return Instance(
        (n * epsilon / other, root(lambda m: m * other - n * epsilon, 0, 1e9)),
        (total / runs / 2, root(lambda e: 2 * runs * e - total, 0, 10)),
        n=n,
        epsilon=epsilon,
        other=other,
        total=total,
        runs=runs,
    )


def honest_report(rng: np.random.Generator) -> Instance:
    """Quantiles of a few draws, by hand."""
    errors = [np.sort(rng.integers(10, 100, size=10)) / 1000 for _ in range(2)]
    medians = [float(each[4] + each[5]) / 2 for each in errors]
    text = [", ".join(f"{value:g}" for value in rng.permutation(each)) for each in errors]
    sorted_again = [sorted(each.tolist()) for each in errors]
    better = "first" if medians[0] <= medians[1] else "second"
    return Instance(
        (medians[0], sum(sorted_again[0][4:6]) / 2),
        (medians[1], sum(sorted_again[1][4:6]) / 2),
        (float(errors[0][8]), sorted_again[0][-2]),
        (float(errors[1][8]), sorted_again[1][-2]),
        first=text[0],
        second=text[1],
        better=better,
    )


def crossing(rng: np.random.Generator) -> Instance:
    """From which n on the mechanism with the better rate wins."""
    first, second = one_of(rng, 1, 2, 3, 5), one_of(rng, 20, 40, 50, 80, 100)
    rate = one_of(rng, 0.5, 2 / 3, 0.75, 0.8)
    name = {0.5: "1/2", 2 / 3: "2/3", 0.75: "3/4", 0.8: "4/5"}[rate]
    place = (second / first) ** (1 / (1 - rate))
    return Instance(
        (place, root(lambda n: first * n**-rate - second / n, 1, 1e12)),
        (second / place, first * place**-rate),
        (
            2 ** (1 / (1 - rate)),
            place / root(lambda n: first * n**-rate - second / 2 / n, 1, 1e12),
        ),
        first=first,
        name=name,
        second=second,
    )


def enough_draws(rng: np.random.Generator) -> Instance:
    """A simulation that may name a winner: designed."""
    beta, doubt = one_of(rng, 0.02, 0.05, 0.1, 0.2), one_of(rng, 0.001, 0.005, 0.01, 0.05)
    runs, cells = one_of(rng, 10, 20, 30, 50), one_of(rng, 20, 40, 60, 100)
    draws = math.ceil(math.log(doubt) / math.log(1 - beta))
    counted = next(m for m in range(1, 100_000) if (1 - beta) ** m <= doubt)
    return Instance(
        (draws, counted),
        (runs**-3, math.exp(-3 * math.log(runs))),
        (cells * 0.01, math.fsum([0.01] * cells)),
        beta=beta,
        doubt=doubt,
        runs=runs,
        cells=cells,
    )
