"""Lesson 02: learning a convex curve by its tangents."""

from __future__ import annotations

import math

import numpy as np

from dpviz.exams.question import DegenerateError, Instance, one_of, root
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import Tangents, value_and_slope
from dpviz.papers.distance_queries.learner.mistake_bounds import mistake_bound


def one_tangent(rng: np.random.Generator) -> Instance:
    """The curve of a few records, one tangent, and how far it is off elsewhere."""
    tenths = np.sort(rng.choice(11, size=int(rng.integers(3, 6)), replace=False))
    place, query = (int(each) for each in rng.choice(11, size=2, replace=False))
    slope = (np.sum(tenths < place) - np.sum(tenths > place)) / tenths.size
    value, truth = (float(np.abs(tenths - each).mean()) / 10 for each in (place, query))
    guess = value + slope * (query - place) / 10
    if place in tenths or guess < 0 or truth - guess < 0.01:
        raise DegenerateError
    curve, learner = AverageDistance(tenths / 10), Tangents()
    learner.update(place / 10, *value_and_slope(curve, place / 10))
    records = ", ".join(f"{each / 10:g}" for each in tenths)
    return Instance(
        (value, float(curve.value(place / 10))),
        (slope, float(curve.slope(place / 10))),
        (guess, learner.predict(query / 10)),
        (truth - guess, float(curve.value(query / 10)) - learner.predict(query / 10)),
        records=records,
        at=place / 10,
        asked=query / 10,
        truth=truth,
    )


def most_mistakes(rng: np.random.Generator) -> Instance:
    """The mistake bound with numbers put in, and what halves it."""
    alpha, width = int(rng.integers(5, 100)) / 1000, int(rng.integers(1, 8))
    sides = math.sqrt(2 * width / alpha)
    most = math.ceil(sides)
    if abs(sides - round(sides)) < 1e-9:  # a number of the machine may be above it or below
        raise DegenerateError
    return Instance(
        (most, mistake_bound(alpha, width=width)),
        (9, 1 / root(lambda share: math.sqrt(share) - 1 / 3, 0, 1)),
        width=width,
        alpha=alpha,
    )


def few_records(rng: np.random.Generator) -> Instance:
    """With few records the number of slopes decides."""
    n = int(rng.integers(3, 40))
    alpha = one_of(rng, 0.0001, 0.0002, 0.0005, 0.001, 0.002)
    by_slopes, by_area = n + 1, math.ceil(math.sqrt(2 / alpha))
    places = np.arange(1, n + 1) / (n + 1)
    kinks = np.concatenate([[0], places, [1]])
    curve = AverageDistance(places)
    slopes = {round(float(curve.slope(each)), 9) for each in (kinks[1:] + kinks[:-1]) / 2}
    return Instance(
        (by_slopes, len(slopes)),
        (2 / by_slopes**2, root(lambda a: by_slopes - math.sqrt(2 / a), 1e-9, 10)),
        (min(by_slopes, by_area), min(len(slopes), mistake_bound(alpha))),
        n=n,
        alpha=alpha,
        by_slopes=by_slopes,
        by_area=by_area,
    )


def other_slopes(rng: np.random.Generator) -> Instance:
    """The mistake bound when the slopes have another range."""
    low, high = one_of(rng, 0.0, 0.5, 1.0, 2.0), one_of(rng, 0.5, 1.5, 2.0, 3.0)
    width, alpha = one_of(rng, 1, 2, 4), one_of(rng, 0.02, 0.04, 0.05, 0.1)
    area = (low + high) * width
    squares = [m for m in range(1, 10_000) if (m - 1) ** 2 * alpha < area * (1 - 1e-12)]
    return Instance(
        (math.ceil(math.sqrt(area / alpha)), max(squares)),
        low=low,
        high=high,
        width=width,
        alpha=alpha,
    )
