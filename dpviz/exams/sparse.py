"""Lesson 05: multiplicative weights over any universe."""

from __future__ import annotations

import math

import numpy as np

from dpviz.exams.question import DegenerateError, Instance, least, one_of
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import mistake_bound, size_rule


def one_update(rng: np.random.Generator) -> Instance:
    """One update of equal weights, by hand, and what it takes of the relative entropy."""
    count, listed = one_of(rng, 4, 5, 6, 8, 10), one_of(rng, 1, 2, 3)
    truth, guess = int(rng.integers(10, 95)) / 100, listed / count
    if abs(truth - guess) < 0.1:
        raise DegenerateError
    fall = truth * math.log(truth / guess) + (1 - truth) * math.log((1 - truth) / (1 - guess))
    records = np.concatenate([rng.dirichlet(np.ones(listed)) * truth, [1 - truth]])
    records = np.concatenate([records, np.zeros(count - listed - 1)])
    before = np.full(count, 1 / count)
    factor = np.where(np.arange(count) < listed, truth / guess, (1 - truth) / (1 - guess))
    after = before * factor
    held = records > 0
    entropy = [
        float(records[held] @ np.log(records[held] / weights[held])) for weights in (before, after)
    ]
    names = "name" if listed == 1 else "names"
    return Instance(
        (truth / listed, after[0]),
        ((1 - truth) / (count - listed), after[-1]),
        (fall, entropy[0] - entropy[1]),
        (2 * (truth - guess) ** 2, 2 * float(records[:listed].sum() - guess) ** 2),
        count=count,
        listed=listed,
        names=names,
        truth=truth,
    )


def most_updates(rng: np.random.Generator) -> Instance:
    """How many updates there can be, and how this hangs on the universe."""
    size = one_of(rng, 100, 1_000, 5_000, 20_000, 10**6)
    alpha = int(rng.integers(20, 151)) / 1000
    most = math.floor(math.log(size) / (2 * alpha**2))
    twice = math.floor(math.log(2 * size) / (2 * alpha**2))
    return Instance(
        (most, mistake_bound(size, alpha, "best")),
        (twice, mistake_bound(2 * size, alpha, "best")),
        (math.floor(math.log(size) / (8 * alpha**2)), mistake_bound(size, 2 * alpha, "best")),
        size=size,
        alpha=alpha,
    )


def enough_indices(rng: np.random.Generator) -> Instance:
    """Finitely many indices for infinitely many names."""
    names, alpha = int(rng.integers(1, 11)), int(rng.integers(10, 31)) / 100
    size = names + 1
    while size < names * (math.floor(math.log(size) / (2 * alpha**2)) + 1) + 1:
        size += 1
    bound = math.floor(math.log(size) / (2 * alpha**2))
    return Instance(
        (size, size_rule(names, alpha, "best")),
        names=names,
        alpha=alpha,
        bound=bound,
    )


def entropy_falls(rng: np.random.Generator) -> Instance:
    """Why a correction takes its share, and what happens when it goes too far."""
    alpha = int(rng.integers(10, 26)) / 100
    guess = int(rng.integers(20, 41)) / 100
    truth = guess + alpha

    def left(target: float) -> float:
        return truth * math.log(truth / target) + (1 - truth) * math.log((1 - truth) / (1 - target))

    best = least(lambda odds: left(odds / (1 + odds)), 1e-4, 1e4)
    fall = left(guess) - left(truth)
    verdict = "still a gain" if left(guess) > left(truth + alpha) else "a loss"
    if abs(left(guess) - left(truth + alpha)) < 1e-9:
        raise DegenerateError
    return Instance(
        (fall, left(guess) - best[1]),
        (
            left(guess) - left(truth + alpha),
            truth * math.log((truth + alpha) / guess)
            + (1 - truth) * math.log((1 - truth - alpha) / (1 - guess)),
        ),
        guess=guess,
        truth=truth,
        far=truth + alpha,
        verdict=verdict,
    )
