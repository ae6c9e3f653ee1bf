"""Lesson 04: metrics as l1 distances."""

from __future__ import annotations

import itertools
import math

import numpy as np

from dpviz.exams.question import DegenerateError, Question, Step, one_of, root
from dpviz.papers.distance_queries.embeddings import l1_embedding
from dpviz.papers.distance_queries.embeddings.frechet import scales

NAMES = "abcde"


def frechet_coordinates(rng: np.random.Generator) -> Question:
    """Distances to two sets as coordinates, on a road with a few towns."""
    count = int(rng.integers(4, 6))
    steps = rng.integers(1, 4, size=count - 1)
    places = np.concatenate([[0], np.cumsum(steps)]).astype(float)
    true = np.abs(places[:, None] - places)
    sets = [sorted(rng.choice(count, size=size, replace=False).tolist()) for size in (1, 2)]
    rows = np.stack([true[:, chosen].min(axis=1) for chosen in sets], axis=1) / 2
    apart = np.abs(rows[:, None] - rows).sum(axis=2)
    pairs = list(itertools.combinations(range(count), 2))
    if min(apart[pair] for pair in pairs) == 0:
        raise DegenerateError
    measured = l1_embedding.measure(true, apart)
    road = ", ".join(f"{NAMES[i]} to {NAMES[i + 1]} {step}" for i, step in enumerate(steps))
    named = " and ".join("{" + ", ".join(NAMES[i] for i in chosen) + "}" for chosen in sets)
    first, last = NAMES[0], NAMES[count - 1]
    by_hand = sum(
        abs(min(true[0][i] for i in chosen) - min(true[-1][i] for i in chosen)) / 2
        for chosen in sets
    )
    return Question(
        f"Towns on one road, in this order, with the distances {road}. Take as coordinates the "
        f"distances to the sets {named}, each with weight ½. Give the embedded l1 distance of "
        f"{first} and {last}, the expansion and the contraction of the map, and say why no such "
        "map ever expands.",
        (
            Step(f"{first} and {last} are {{}} apart.", 2, float(apart[0, -1]), by_hand),
            Step(
                "The largest quotient of embedded and true distance is {},",
                1,
                max(apart[pair] / true[pair] for pair in pairs),
                measured.expansion,
            ),
            Step(
                "the largest of true and embedded {}.",
                1,
                max(true[pair] / apart[pair] for pair in pairs),
                measured.contraction,
            ),
            Step(
                "The distance to a set moves by at most the distance of two points (triangle "
                "inequality), and the weights add up to 1.",
                2,
            ),
        ),
    )


def star_of_towns(rng: np.random.Generator) -> Question:
    """A star as cuts, and how many scales Bourgain's map has."""
    lengths = rng.integers(1, 10, size=3)
    count = int(rng.integers(20, 900))
    a, b, c = (int(each) for each in lengths)
    towns = np.diag(lengths)
    return Question(
        f"Three towns hang on one hub, by roads of length {a}, {b} and {c}. Write the star as cuts "
        "with weights, and give the l1 coordinates of the towns and their three distances' sum. "
        f"How many scales does a map by random sets take for {count} queries?",
        (
            Step("Each road is a cut between its town and all others, weighted by its length.", 2),
            Step(f"({a}, 0, 0), (0, {b}, 0), (0, 0, {c}), and the hub at 0.", 1),
            Step(
                "Each road is on two of the three ways: {}.",
                1,
                2 * (a + b + c),
                float(np.abs(towns[:, None] - towns).sum()) / 2,
            ),
            Step(
                "Sets that take a half, a quarter, ... of the points: ⌊log₂ k⌋ + 1 = {}.",
                1,
                scales(count),
                len(bin(count)) - 2,
            ),
        ),
    )


def random_projections(rng: np.random.Generator) -> Question:
    """How many projections make l2 an l1 distance, from the tail."""
    k, beta = one_of(rng, 100, 500, 1_000, 5_000), one_of(rng, 0.01, 0.05, 0.1)
    lines = one_of(rng, 500, 1_000, 2_000, 4_000, 10_000)
    error = math.sqrt(math.pi * math.log(2 * k / beta) / lines)
    found = root(lambda a: beta - 2 * k * math.exp(-lines * a**2 / math.pi), 0, 10)
    return Question(
        "The mean length of the shadows of a segment on N random lines, suitably scaled, is off by "
        "a share of more than a with probability at most 2e^(−Na²/π). Derive which relative error "
        f"k = {k:,} segments have together with probability 1 − β, β = {beta:g}, at N = {lines:,}, "
        "and the number of lines that halves it. Why does this map cost no privacy?",
        (
            Step("A union bound over k segments: 2k e^(−Na²/π) = β.", 2),
            Step("So a = √(π ln(2k/β)/N) = {}.", 2, error, found),
            Step(
                "It goes like 1/√N: {} lines.",
                1,
                4 * lines,
                math.pi * math.log(2 * k / beta) / (error / 2) ** 2,
            ),
            Step(
                "The lines are drawn without the data, and each record moves only its own row.", 2
            ),
        ),
    )


def centred_by_the_data(rng: np.random.Generator) -> Question:
    """A map that looks at the data: what is wrong, and what repairs it."""
    n, d = one_of(rng, 50, 100, 200, 500, 1_000), int(rng.integers(1, 8))
    before, after = np.zeros((n, d)), np.zeros((n, d))
    after[0] = 1
    rows = [each - each.mean(axis=0) for each in (before, after)]
    return Question(
        "Records lie in the unit cube with d columns. Somebody subtracts from each column the "
        "mean of all records, and gives the centred rows to a mechanism that is ε-differentially "
        "private, where neighbours differ in one row: 'the map is linear, so nothing is lost'. "
        "Find the mistake. By how much can all rows together move in l1 when one record is "
        f"replaced, at n = {n:,} and d = {d}? Design two repairs, with their price.",
        (
            Step(
                "The mean depends on every record, so that replacing one moves all rows: the two "
                "centred tables differ in n rows, not in one.",
                2,
            ),
            Step("By group privacy only nε is promised, which is nothing.", 1),
            Step(
                "Its own row moves by 1 − 1/n a column, each of n − 1 others by 1/n: "
                "2d(n − 1)/n = {}.",
                3,
                2 * d * (n - 1) / n,
                float(np.abs(rows[0] - rows[1]).sum()),
            ),
            Step("Take a public centre, such as ½: it costs nothing.", 2),
            Step(
                "Or publish the mean first, with noise of sensitivity d/n, and pay for it out of "
                "the same budget.",
                2,
            ),
        ),
    )


TEMPLATES = {
    1: (frechet_coordinates, star_of_towns),
    2: (random_projections,),
    3: (centred_by_the_data,),
}
