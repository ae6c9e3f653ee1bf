"""Lesson 06: a summary for smooth queries."""

from __future__ import annotations

import math

import numpy as np

from dpviz.exams.question import DegenerateError, Question, Step, least, one_of, root
from dpviz.exams.question import power as shown
from dpviz.papers.smooth_queries.moments import excess


def moved_averages(rng: np.random.Generator) -> Question:
    """How far one record moves all averages together."""
    terms, n = int(rng.integers(3, 9)), one_of(rng, 200, 500, 1_000, 2_000, 5_000)
    epsilon = one_of(rng, 0.1, 0.25, 0.5, 1.0, 2.0)
    k = np.arange(1, terms)
    angles = np.linspace(0.001, math.pi, 4001)
    near = angles[np.cos(np.outer(angles, k)).sum(axis=1).argmin()]
    moved = terms - 1 - least(lambda a: float(np.cos(k * a).sum()), near - 8e-4, near + 8e-4)[1]
    most = terms * (1 + excess(terms))
    return Question(
        f"A record at the angle a adds cos(ka)/n, k = 0 to {terms - 1}, to the {terms} averages of "
        f"a summary. A record at 0 is replaced by one at the angle where this moves the averages "
        f"most in l1; there the sum of the {terms} cosines is {terms - most:.4g}. Give n times the "
        f"sensitivity, and the scale of the Laplace noise at n = {n:,} and ε = {epsilon:g}. Why "
        f"is it less than {2 * (terms - 1)}, although each cosine alone can move by 2?",
        (
            Step(
                f"At 0 each cosine is 1, so they move by {terms} minus the sum: {{}}.",
                2,
                most,
                moved,
            ),
            Step("The scale is that over nε: {}.", 1, most / n / epsilon, moved / (n * epsilon)),
            Step("Not all cosines can be −1 at one angle.", 1),
        ),
    )


def by_hand(rng: np.random.Generator) -> Question:
    """Three averages, three coefficients and their product."""
    places = np.array([one_of(rng, -1.0, -0.5, 0.0, 0.5, 1.0) for _ in range(4)])
    weights = rng.integers(-4, 5, size=3) / 4
    if len(set(places)) < 3 or (weights[1:] == 0).any():
        raise DegenerateError
    averages = [1.0, places.mean(), (2 * places**2 - 1).mean()]
    query = [weights[0] + weights[1] * x + weights[2] * (2 * x * x - 1) for x in places]
    records = ", ".join(f"{x:g}" for x in places)
    a, b, c = (f"{x:g}" for x in weights)
    grid = np.linspace(-1, 1, 2001)
    values = np.polynomial.chebyshev.chebval(grid, weights)
    near = grid[[values.argmin(), values.argmax()]]
    finer = np.clip(near[:, None] + np.linspace(-0.001, 0.001, 20_001), -1, 1)
    change = float(np.ptp(np.polynomial.chebyshev.chebval(finer, weights)))
    ends = [weights[0] + weights[1] * x + weights[2] * (2 * x * x - 1) for x in (-1, 1)]
    middle = -weights[1] / weights[2] / 4
    inside = [weights[0] + weights[1] * middle + weights[2] * (2 * middle**2 - 1)]
    extremes = ends + inside if abs(middle) < 1 else ends
    return Question(
        f"Four records, {records}. The summary holds the averages of 1, x and 2x² − 1. A query is "
        f"({a}) + ({b})·x + ({c})·(2x² − 1). Compute the three averages and the answer from them. "
        "Records lie in [−1, 1]: by exactly how much can one record move this answer at most?",
        (
            Step("The average of x is {},", 1, averages[1], float(np.cos(np.arccos(places)).mean()))
            if averages[1]
            else Step("The average of x is 0,", 1),
            Step(
                "that of 2x² − 1 is {},",
                1,
                averages[2],
                float(np.cos(2 * np.arccos(places)).mean()),
            )
            if abs(averages[2]) > 1e-12
            else Step("that of 2x² − 1 is 0,", 1),
            Step(
                "and the first is 1. Their product with the coefficients is {}.",
                1,
                float(weights @ averages),
                float(np.mean(query)),
            )
            if abs(np.mean(query)) > 1e-12
            else Step("and the first is 1. Their product with the coefficients is 0.", 1),
            Step(
                "The query's largest value less its least, over 4: {}.",
                2,
                (max(extremes) - min(extremes)) / 4,
                change / 4,
            ),
        ),
    )


def balance_of_terms(rng: np.random.Generator) -> Question:
    """The number of cosines: bias against noise."""
    smoothness, growth = int(rng.integers(1, 7)), int(rng.integers(2, 17)) / 4
    rate = smoothness / (smoothness + growth)
    values = [least(lambda t, n=n: t**-smoothness + t**growth / n, 1e-3, 1e9) for n in (1e4, 1e8)]
    return Question(
        f"With t cosines a class of queries is approximated up to 1/{shown('t', smoothness)}, and "
        f"noise adds {shown('t', growth)}/n. Derive the order of the best t and of the error. By "
        "which factor does t grow, and the error fall, when n is ten times as large? What goes "
        "wrong with too many cosines?",
        (
            Step(f"Both terms are equal at t = n^(1/({smoothness} + {growth:g})).", 2),
            Step(
                "So the error is n to the power −{}.",
                2,
                rate,
                -math.log(values[1][1] / values[0][1]) / math.log(1e4),
            ),
            Step(
                "t grows by the factor {},",
                1,
                10 ** (1 / (smoothness + growth)),
                (values[1][0] / values[0][0]) ** 0.25,
            ),
            Step(
                "the error falls to {} of what it was.",
                1,
                10**-rate,
                (values[1][1] / values[0][1]) ** 0.25,
            ),
            Step("Each further average needs noise, though smooth queries hardly weigh it.", 1),
        ),
    )


def shared_noise(rng: np.random.Generator) -> Question:
    """Where noise does least harm: a budget, divided by Lagrange."""
    ratio, n = one_of(rng, 2, 3, 4, 5, 8, 10), one_of(rng, 500, 1_000, 2_000)
    epsilon = one_of(rng, 0.5, 1.0, 2.0)

    def variance(share: float) -> float:
        parts = (share * epsilon, (1 - share) * epsilon)
        weights = (1.0, 1 / ratio)
        return sum(2 * (w * 2 / (n * part)) ** 2 for w, part in zip(weights, parts, strict=True))

    split = root(lambda s: (1 - s) / s - ratio ** (-2 / 3), 1e-6, 1 - 1e-6)
    share, best = least(lambda odds: variance(odds / (1 + odds)), 1e-4, 1e4)
    return Question(
        "A query weighs two published averages by c₁ and c₂; each average moves by at most 2/n if "
        "a record is replaced, and they get Laplace noise under ε₁ and ε₂ with ε₁ + ε₂ = ε. Design "
        "the division of the budget that makes the variance of the answer least; prove it. Put in "
        f"c₁ = 1, c₂ = 1/{ratio}, ε = {epsilon:g}, n = {n:,}. How much less is the variance than "
        "with equal shares? Why is the division no private choice?",
        (
            Step("The variance is Σ 2c²(2/n)²/ε² over the two averages.", 2),
            Step(
                "By Lagrange c₁²/ε₁³ = c₂²/ε₂³, so the shares go like c^(2/3); the sum is convex, "
                "so this is the least.",
                3,
            ),
            Step("The first average gets the share {} of ε.", 1, split, share / (1 + share)),
            Step(
                "The variance is {} of that with equal shares.",
                2,
                variance(split) / variance(0.5),
                best / variance(0.5),
            ),
            Step("It hangs on the coefficients of public queries only, not on the data.", 1),
        ),
    )


TEMPLATES = {1: (moved_averages, by_hand), 2: (balance_of_terms,), 3: (shared_noise,)}
