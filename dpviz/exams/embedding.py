"""Lesson 04: metrics as l1 distances."""

from __future__ import annotations

import itertools
import math

import numpy as np

from dpviz.exams.question import DegenerateError, Instance, one_of, root
from dpviz.papers.distance_queries.embeddings import l1_embedding
from dpviz.papers.distance_queries.embeddings.frechet import scales

NAMES = "abcde"


def frechet_coordinates(rng: np.random.Generator) -> Instance:
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
    return Instance(
        (float(apart[0, -1]), by_hand),
        (max(apart[pair] / true[pair] for pair in pairs), measured.expansion),
        (max(true[pair] / apart[pair] for pair in pairs), measured.contraction),
        road=road,
        named=named,
        first=first,
        last=last,
    )


def star_of_towns(rng: np.random.Generator) -> Instance:
    """A star as cuts, and how many scales Bourgain's map has."""
    lengths = rng.integers(1, 10, size=3)
    count = int(rng.integers(20, 900))
    a, b, c = (int(each) for each in lengths)
    towns = np.diag(lengths)
    return Instance(
        (2 * (a + b + c), float(np.abs(towns[:, None] - towns).sum()) / 2),
        (scales(count), len(bin(count)) - 2),
        a=a,
        b=b,
        c=c,
        count=count,
    )


def random_projections(rng: np.random.Generator) -> Instance:
    """How many projections make l2 an l1 distance, from the tail."""
    k, beta = one_of(rng, 100, 500, 1_000, 5_000), one_of(rng, 0.01, 0.05, 0.1)
    lines = one_of(rng, 500, 1_000, 2_000, 4_000, 10_000)
    error = math.sqrt(math.pi * math.log(2 * k / beta) / lines)
    found = root(lambda a: beta - 2 * k * math.exp(-lines * a**2 / math.pi), 0, 10)
    return Instance(
        (error, found),
        (4 * lines, math.pi * math.log(2 * k / beta) / (error / 2) ** 2),
        k=k,
        beta=beta,
        lines=lines,
    )


def centred_by_the_data(rng: np.random.Generator) -> Instance:
    """A map that looks at the data: what is wrong, and what repairs it."""
    n, d = one_of(rng, 50, 100, 200, 500, 1_000), int(rng.integers(1, 8))
    before, after = np.zeros((n, d)), np.zeros((n, d))
    after[0] = 1
    rows = [each - each.mean(axis=0) for each in (before, after)]
    return Instance(
        (2 * d * (n - 1) / n, float(np.abs(rows[0] - rows[1]).sum())),
        n=n,
        d=d,
    )
