"""Lesson 02: learning a convex curve by its tangents."""

from __future__ import annotations

import math

import numpy as np

from dpviz.exams.question import DegenerateError, Question, Step, one_of, root
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import Tangents, value_and_slope
from dpviz.papers.distance_queries.learner.mistake_bounds import mistake_bound


def one_tangent(rng: np.random.Generator) -> Question:
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
    return Question(
        f"The records are {records}, and G(y) is their average distance to y. The learner asks "
        f"for value and slope at {place / 10:g}. Give both, the guess that this tangent makes at "
        f"{query / 10:g}, and by how much it is wrong there. On which side, and why?",
        (
            Step(f"G({place / 10:g}) = {{}}.", 1, value, float(curve.value(place / 10))),
            Step(
                "The slope is the share of the records below minus the share above: {}.",
                1,
                slope,
                float(curve.slope(place / 10)),
            ),
            Step(f"At {query / 10:g} it guesses {{}}.", 1, guess, learner.predict(query / 10)),
            Step(
                f"G is {truth:.3g} there, so the guess is too low by {{}}:",
                1,
                truth - guess,
                float(curve.value(query / 10)) - learner.predict(query / 10),
            ),
            Step("a convex curve lies above each of its tangents.", 1),
        ),
    )


def most_mistakes(rng: np.random.Generator) -> Question:
    """The mistake bound with numbers put in, and what halves it."""
    alpha, width = int(rng.integers(5, 100)) / 1000, int(rng.integers(1, 8))
    sides = math.sqrt(2 * width / alpha)
    most = math.ceil(sides)
    if abs(sides - round(sides)) < 1e-9:  # a number of the machine may be above it or below
        raise DegenerateError
    return Question(
        f"Records and queries lie in [0, {width}], and a guess may be off by α = {alpha:g}. How "
        "often can the learner of a convex curve with slopes between −1 and 1 be wrong at most? "
        "By which factor must α grow so that this bound, not rounded, falls to a third?",
        (
            Step(
                "Rectangles between neighbouring mistakes have areas above α, sides that add up "
                f"to {width} and to 2: T < 1 + √(2·{width}/α), so at most {{}}.",
                3,
                most,
                mistake_bound(alpha, width=width),
            ),
            Step(
                "The bound goes like 1/√α: α must grow by the factor {}.",
                1,
                9,
                1 / root(lambda share: math.sqrt(share) - 1 / 3, 0, 1),
            ),
        ),
    )


def few_records(rng: np.random.Generator) -> Question:
    """With few records the number of slopes decides."""
    n = int(rng.integers(3, 40))
    alpha = one_of(rng, 0.0001, 0.0002, 0.0005, 0.001, 0.002)
    by_slopes, by_area = n + 1, math.ceil(math.sqrt(2 / alpha))
    places = np.arange(1, n + 1) / (n + 1)
    kinks = np.concatenate([[0], places, [1]])
    curve = AverageDistance(places)
    slopes = {round(float(curve.slope(each)), 9) for each in (kinks[1:] + kinks[:-1]) / 2}
    return Question(
        f"The curve G of {n} records at different places of [0, 1] is to be learnt, and every "
        "slope that the learner is told is one of the curve's. Derive a bound on the number of "
        "mistakes that holds for every α > 0, and the α from which on downwards it is better than "
        f"√(2/α). Which of the two bounds is smaller at α = {alpha:g}?",
        (
            Step(
                f"G is linear between records: it has {n} + 1 pieces. A tangent that touches a "
                "piece answers the whole piece exactly, so each is measured at most once: {}.",
                3,
                by_slopes,
                len(slopes),
            ),
            Step(
                "√(2/α) is larger than this below α = 2/(n + 1)² = {}.",
                2,
                2 / by_slopes**2,
                root(lambda a: by_slopes - math.sqrt(2 / a), 1e-9, 10),
            ),
            Step(
                f"Here the two say {by_slopes} and {by_area}; the smaller is {{}}.",
                1,
                min(by_slopes, by_area),
                min(len(slopes), mistake_bound(alpha)),
            ),
        ),
    )


def other_slopes(rng: np.random.Generator) -> Question:
    """The mistake bound when the slopes have another range."""
    low, high = one_of(rng, 0.0, 0.5, 1.0, 2.0), one_of(rng, 0.5, 1.5, 2.0, 3.0)
    width, alpha = one_of(rng, 1, 2, 4), one_of(rng, 0.02, 0.04, 0.05, 0.1)
    area = (low + high) * width
    squares = [m for m in range(1, 10_000) if (m - 1) ** 2 * alpha < area * (1 - 1e-12)]
    return Question(
        "The learner guesses by the largest of its tangents. A convex function on an interval of "
        "length W has slopes between −a and b. Prove a bound on the number of guesses that are "
        "wrong by more than α, and say where convexity is used. Does the order in which the "
        f"points are asked matter? Put in a = {low:g}, b = {high:g}, W = {width}, α = {alpha:g}.",
        (
            Step(
                "Sort the points of the mistakes by place. Of two neighbours the later one was "
                "asked when the tangent of the earlier was known, whichever lies to the left.",
                2,
            ),
            Step(
                "That tangent lies below the function (convexity) and misses by at most "
                "Δx·Δg, the steps in place and in slope: so Δx·Δg > α.",
                2,
            ),
            Step("The Δx add up to at most W, the Δg to at most a + b, since slopes rise.", 1),
            Step(
                "By Cauchy and Schwarz (T − 1)√α < √(W(a + b)). The order of the points was not "
                "used.",
                2,
            ),
            Step("T is at most {}.", 1, math.ceil(math.sqrt(area / alpha)), max(squares)),
        ),
    )


TEMPLATES = {1: (one_tangent, most_mistakes), 2: (few_records,), 3: (other_slopes,)}
