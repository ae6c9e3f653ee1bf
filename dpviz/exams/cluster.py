"""Lesson 07: locating a small cluster."""

from __future__ import annotations

import itertools
import math

import numpy as np

from dpviz.exams.question import DegenerateError, Question, Step, one_of, root


def shortest_interval(rng: np.random.Generator) -> Question:
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
    return Question(
        f"Nine records on a line, at {points}. Which is the shortest interval with {t} of them? "
        f"The record at {places[moved]} is replaced by {target}: which is it now? By how much does "
        "the number of records in one fixed interval change at most? Which of the three may be "
        "published with little noise?",
        (
            Step(
                f"It begins at {starts[0]} and is {{}} long.",
                2,
                int(lengths[0].min()),
                by_length[0],
            ),
            Step(
                f"Then it begins at {starts[1]} and is {{}} long.",
                2,
                int(lengths[1].min()),
                by_length[1],
            ),
            Step("By 1: a count, used as a score, has a small sensitivity.", 1),
            Step("The place jumped across the line, so its noise would have to be as large.", 1),
        ),
    )


def heavy_boxes(rng: np.random.Generator) -> Question:
    """The stability-based histogram with numbers."""
    epsilon, delta = one_of(rng, 0.25, 0.5, 1.0, 2.0), one_of(rng, 1e-5, 1e-6, 1e-7, 1e-8)
    enough = 1 + 2 / epsilon * math.log(1 / (2 * delta))
    count = math.ceil(enough) + int(rng.integers(2, 30))
    tail = root(lambda x: delta - math.exp(-epsilon * (x - 1) / 2) / 2, 1, 10_000)
    seen = 1 - math.exp(-(count - enough) * epsilon / 2) / 2
    return Question(
        "Counts of boxes get Laplace noise of scale 2/ε, and a box is shown if its noisy count "
        f"exceeds a threshold. A box with one record shall show with probability δ only. "
        f"ε = {epsilon:g}, δ = {delta:g}: which threshold is that? With which probability is a "
        f"box with {count} records shown? Why is the number of empty boxes of no account?",
        (
            Step("1 + (2/ε) ln(1/(2δ)) = {}.", 2, enough, tail),
            Step(
                f"It shows unless the noise is below the threshold minus {count}: {{}}.",
                2,
                seen,
                1 - math.exp(-epsilon / 2 * (count - tail)) / 2,
            ),
            Step("Empty boxes get no noise, and are never shown.", 1),
        ),
    )


def choice_of_an_interval(rng: np.random.Generator) -> Question:
    """How much the exponential mechanism loses."""
    count, beta = one_of(rng, 100, 500, 1_000, 10_000, 10**6), one_of(rng, 0.01, 0.05, 0.1)
    epsilon, best = one_of(rng, 0.25, 0.5, 1.0), one_of(rng, 200, 500, 1_000)
    loss = 2 / epsilon * math.log(count / beta)
    found = root(lambda x: beta - count * math.exp(-epsilon * x / 2), 0, 10_000)
    return Question(
        f"One of {count:,} intervals is chosen with probability proportional to e^(ε·score/2), "
        f"where the score is the number of records in it. Derive how far the chosen interval's "
        f"count falls below the best one, {best:,}, at most, with probability 1 − β, at "
        f"ε = {epsilon:g} and β = {beta:g}. What do twice as many intervals cost?",
        (
            Step(
                "An interval with x records fewer than the best is at most e^(−εx/2) times as "
                "likely as the best one.",
                2,
            ),
            Step(
                f"All such together: at most {count:,} e^(−εx/2), which is β at x = {{}}.",
                2,
                loss,
                found,
            ),
            Step(f"At least {{}} of {best:,} records are in it.", 1, best - loss, best - found),
            Step(
                "Twice as many intervals: (2/ε) ln 2 = {} records more.",
                1,
                2 / epsilon * math.log(2),
                2 / epsilon * (math.log(2 * count / beta) - math.log(count / beta)),
            ),
        ),
    )


def averaged_score(rng: np.random.Generator) -> Question:
    """Why the score of a radius averages the t largest counts."""
    t = int(rng.integers(3, 100))
    others = np.eye(t - 1)
    far = np.full((1, t - 1), 100.0)
    tables = [np.concatenate([others, row]) for row in (np.zeros((1, t - 1)), far)]
    scores = []
    for rows in tables:
        apart = np.sqrt(((rows[:, None] - rows) ** 2).sum(axis=2))
        scores.append(np.sort(np.minimum((apart <= 1 + 1e-9).sum(axis=1), t))[-t:].mean())
    return Question(
        "The score of a radius r shall say whether some ball of radius r around a record holds t "
        "records. First take the largest such count, capped at t. Show by an instance that one "
        "record can move it by t − 1. Then take the mean of the t largest counts, each capped at "
        "t, and prove that it moves by less than 2. Show that your bound is attained up to 2/t. "
        f"Compute both movements for t = {t}.",
        (
            Step(
                "Put t − 1 records on a circle of radius r around one record, more than r from "
                "each other: only the middle sees them all. Moved far away, the largest count "
                "falls from t to 1: by {}.",
                3,
                t - 1,
                float((np.sort([t, 2])[-1]) - 1),
            ),
            Step(
                "A replaced record moves the count of every other record by at most 1. If its own "
                "count is not among the t largest, their sum moves by at most t.",
                2,
            ),
            Step(
                "If it is, its own count is at most t and the other t − 1 move by 1 each, while "
                "what it replaces in the sum was at least 1: by at most 2t − 2.",
                3,
            ),
            Step(
                "Divided by t: 2 − 2/t = {} at most, and the same instance attains it.",
                2,
                2 - 2 / t,
                scores[0] - scores[1],
            ),
        ),
    )


TEMPLATES = {1: (shortest_interval, heavy_boxes), 2: (choice_of_an_interval,), 3: (averaged_score,)}
