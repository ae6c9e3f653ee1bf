"""Lesson 07: locating a small cluster."""

from __future__ import annotations

import itertools
import math

import numpy as np

from dpviz.exams.question import DegenerateError, Instance, one_of, root


def shortest_interval(rng: np.random.Generator) -> Instance:
    """The shortest interval with t points, before and after one moves."""
    places = np.sort(rng.choice(60, size=9, replace=False))
    t = int(rng.integers(3, 6))
    moved, target = int(rng.integers(9)), int(rng.integers(60))
    later = np.sort(np.where(np.arange(9) == moved, target, places))
    lengths = [each[t - 1 :] - each[: 10 - t] for each in (places, later)]
    firsts = [int(each.argmin()) for each in lengths]
    starts = [int(each[at]) for each, at in zip((places, later), firsts, strict=True)]
    if target in places or abs(starts[0] - starts[1]) < 15:
        raise DegenerateError
    if any((each == each.min()).sum() > 1 for each in lengths):
        raise DegenerateError
    by_length = [
        min(
            int(last - first)
            for first, last in itertools.combinations(each, 2)
            if ((each >= first) & (each <= last)).sum() >= t
        )
        for each in (places, later)
    ]
    points = ", ".join(map(str, places))
    return Instance(
        (int(lengths[0].min()), by_length[0]),
        (int(lengths[1].min()), by_length[1]),
        points=points,
        t=t,
        here=places[moved],
        target=target,
        first=starts[0],
        second=starts[1],
    )


def heavy_boxes(rng: np.random.Generator) -> Instance:
    """The stability-based histogram with numbers."""
    epsilon, delta = one_of(rng, 0.25, 0.5, 1.0, 2.0), one_of(rng, 1e-5, 1e-6, 1e-7, 1e-8)
    enough = 1 + 2 / epsilon * math.log(1 / (2 * delta))
    count = math.ceil(enough) + int(rng.integers(2, 30))
    tail = root(lambda x: delta - math.exp(-epsilon * (x - 1) / 2) / 2, 1, 10_000)
    seen = 1 - math.exp(-(count - enough) * epsilon / 2) / 2
    return Instance(
        (enough, tail),
        (seen, 1 - math.exp(-epsilon / 2 * (count - tail)) / 2),
        epsilon=epsilon,
        delta=delta,
        count=count,
    )


def choice_of_an_interval(rng: np.random.Generator) -> Instance:
    """How much the exponential mechanism loses."""
    count, beta = one_of(rng, 100, 500, 1_000, 10_000, 10**6), one_of(rng, 0.01, 0.05, 0.1)
    epsilon, best = one_of(rng, 0.25, 0.5, 1.0), one_of(rng, 200, 500, 1_000)
    loss = 2 / epsilon * math.log(count / beta)
    found = root(lambda x: beta - count * math.exp(-epsilon * x / 2), 0, 10_000)
    return Instance(
        (loss, found),
        (best - loss, best - found),
        (
            2 / epsilon * math.log(2),
            2 / epsilon * (math.log(2 * count / beta) - math.log(count / beta)),
        ),
        count=count,
        best=best,
        epsilon=epsilon,
        beta=beta,
    )


def averaged_score(rng: np.random.Generator) -> Instance:
    """Why the score of a radius averages the t largest counts."""
    t = int(rng.integers(3, 100))
    others = np.eye(t - 1)
    far = np.full((1, t - 1), 100.0)
    tables = [np.concatenate([others, row]) for row in (np.zeros((1, t - 1)), far)]
    scores = []
    for rows in tables:
        apart = np.sqrt(((rows[:, None] - rows) ** 2).sum(axis=2))
        scores.append(np.sort(np.minimum((apart <= 1 + 1e-9).sum(axis=1), t))[-t:].mean())
    return Instance(
        (t - 1, float((np.sort([t, 2])[-1]) - 1)),
        (2 - 2 / t, scores[0] - scores[1]),
        t=t,
    )
