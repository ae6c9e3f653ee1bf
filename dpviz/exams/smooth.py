"""Lesson 06: a summary for smooth queries."""

from __future__ import annotations

import math

import numpy as np

from dpviz.exams.question import DegenerateError, Instance, least, one_of, root
from dpviz.exams.question import power as shown
from dpviz.papers.smooth_queries.moments import excess


def moved_averages(rng: np.random.Generator) -> Instance:
    """How far one record moves all averages together."""
    terms, n = int(rng.integers(3, 9)), one_of(rng, 200, 500, 1_000, 2_000, 5_000)
    epsilon = one_of(rng, 0.1, 0.25, 0.5, 1.0, 2.0)
    k = np.arange(1, terms)
    angles = np.linspace(0.001, math.pi, 4001)
    near = angles[np.cos(np.outer(angles, k)).sum(axis=1).argmin()]
    moved = terms - 1 - least(lambda a: float(np.cos(k * a).sum()), near - 8e-4, near + 8e-4)[1]
    most = terms * (1 + excess(terms))
    return Instance(
        (most, moved),
        (most / n / epsilon, moved / (n * epsilon)),
        averages=terms - 1,
        terms=terms,
        rest=terms - most,
        n=n,
        epsilon=epsilon,
        alone=2 * (terms - 1),
    )


def by_hand(rng: np.random.Generator) -> Instance:
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
    return Instance(
        (averages[1], np.cos(np.arccos(places)).mean()),
        (averages[2], np.cos(2 * np.arccos(places)).mean()),
        (float(weights @ averages), float(np.mean(query))),
        ((max(extremes) - min(extremes)) / 4, change / 4),
        records=records,
        a=a,
        b=b,
        c=c,
    )


def balance_of_terms(rng: np.random.Generator) -> Instance:
    """The number of cosines: bias against noise."""
    smoothness, growth = int(rng.integers(1, 7)), int(rng.integers(2, 17)) / 4
    rate = smoothness / (smoothness + growth)
    values = [least(lambda t, n=n: t**-smoothness + t**growth / n, 1e-3, 1e9) for n in (1e4, 1e8)]
    return Instance(
        (rate, -math.log(values[1][1] / values[0][1]) / math.log(1e4)),
        (10 ** (1 / (smoothness + growth)), (values[1][0] / values[0][0]) ** 0.25),
        (10**-rate, (values[1][1] / values[0][1]) ** 0.25),
        bias=shown("t", smoothness),
        noise=shown("t", growth),
        smoothness=smoothness,
        growth=growth,
    )


def shared_noise(rng: np.random.Generator) -> Instance:
    """Where noise does least harm: a budget, divided by Lagrange."""
    ratio, n = one_of(rng, 2, 3, 4, 5, 8, 10), one_of(rng, 500, 1_000, 2_000)
    epsilon = one_of(rng, 0.5, 1.0, 2.0)

    def variance(share: float) -> float:
        parts = (share * epsilon, (1 - share) * epsilon)
        weights = (1.0, 1 / ratio)
        return sum(2 * (w * 2 / (n * part)) ** 2 for w, part in zip(weights, parts, strict=True))

    split = root(lambda s: (1 - s) / s - ratio ** (-2 / 3), 1e-6, 1 - 1e-6)
    share, best = least(lambda odds: variance(odds / (1 + odds)), 1e-4, 1e4)
    return Instance(
        (split, share / (1 + share)),
        (variance(split) / variance(0.5), best / variance(0.5)),
        ratio=ratio,
        epsilon=epsilon,
        n=n,
    )
