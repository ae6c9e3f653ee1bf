"""Lesson 08: reconstruction and fat-shattering."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np

from dpviz.exams.question import DegenerateError, Instance, one_of
from dpviz.papers.fat_shattering.classes import monotone, thresholds
from dpviz.papers.fat_shattering.dimension import shatter


def counted(rng: np.random.Generator) -> Instance:
    """Counts of pairs solve for every patient."""
    patients = int(rng.integers(3, 6))
    ill = rng.integers(0, 2, size=patients)
    if ill.sum() in (0, patients):
        raise DegenerateError
    names = "ABCDE"[:patients]
    pairs = list(itertools.combinations(range(patients), 2))
    groups = np.array([[i in pair for i in range(patients)] for pair in pairs], dtype=float)
    solved = np.linalg.lstsq(groups, groups @ ill, rcond=None)[0]
    total = sum(int(ill[i] + ill[j]) for i, j in pairs)
    told = ", ".join(f"{names[i]}{names[j]} {ill[i] + ill[j]}" for i, j in pairs)
    first = sum(int(ill[0] + ill[j]) for j in range(1, patients))
    verdict = "ill" if ill[0] else "well"
    return Instance(
        (total / (patients - 1), float(solved.sum())),
        (
            math.comb(patients, int(ill.sum())),
            sum(sum(each) == ill.sum() for each in itertools.product((0, 1), repeat=patients)),
        ),
        patients=patients,
        told=told,
        name=names[0],
        others=patients - 1,
        total=total,
        first=first,
        fewer=patients - 2,
        verdict=verdict,
    )


def dimensions(rng: np.random.Generator) -> Instance:
    """Dimensions of three classes, and what an attack is compared with."""
    cells = int(rng.integers(2, 6))
    gamma, steps = one_of(rng, (0.15, 10), (0.2, 5), (0.3, 5), (0.35, 10), (0.4, 5))
    patients, ill = one_of(rng, 60, 80, 100, 200), one_of(rng, 0.2, 0.25, 0.3, 0.35, 0.4)
    most = min(cells, math.floor(1 / (2 * gamma)))
    rising = monotone(cells, steps=steps)  # its values are fine enough for this margin
    right = round((1 - ill) * 100) + int(rng.integers(-12, 12))
    verdict = ": more than the attack" if 1 - ill > right / 100 else ": the attack adds the rest"
    verdict = ", the same" if 1 - ill == right / 100 else verdict
    return Instance(
        (most, len(shatter(rising, gamma).points)),
        (1, len(shatter(thresholds(cells), gamma).points)),
        (1 - ill, (patients - round(ill * patients)) / patients),
        cells=cells,
        gamma=gamma,
        patients=patients,
        ill=ill,
        right=right,
        verdict=verdict,
    )


def databases_that_fit(rng: np.random.Generator) -> Instance:
    """How many databases fit all counts within an error."""
    patients, error = int(rng.integers(5, 10)), int(rng.integers(1, 3))
    ill = int(rng.integers(2, patients - 1))
    well = patients - ill
    if min(ill, well) <= error:
        raise DegenerateError
    choices = [sum(math.comb(size, k) for k in range(error + 1)) for size in (ill, well)]
    truth = np.arange(patients) < ill
    everything = np.array(list(itertools.product((False, True), repeat=patients)))
    off = everything @ (everything.astype(int) - truth).T  # of each group in each database
    fits = everything[np.abs(off).max(axis=0) <= error]
    apart = int((fits[:, None] != fits).sum(axis=2).max())
    return Instance(
        (choices[0] * choices[1], len(fits)),
        (min(2 * error, ill) + min(2 * error, well), apart),
        patients=patients,
        ill=ill,
        error=error,
        among_ill=choices[0],
        among_well=choices[1],
    )


@cache
def most_apart(patients: int, error: int) -> int:
    """In how many patients two databases can differ that have answers in common."""
    databases = np.array(list(itertools.product((0, 1), repeat=patients)))
    apart = databases[:, None] - databases
    allowed = np.abs(apart @ databases.T).max(axis=2) <= 2 * error
    return int(np.abs(apart).sum(axis=2)[allowed].max())


def reconstruction(rng: np.random.Generator) -> Instance:
    """All groups, answers off by E: nearly everybody is found, and what that means for privacy."""
    n, share = one_of(rng, 100, 200, 400, 1_000, 2_000), one_of(rng, 0.01, 0.02, 0.03, 0.04, 0.05)
    error = round(share * n)
    small, off = 6, 1
    farthest = most_apart(small, off)
    return Instance(
        (n - 4 * error, n - 2 * (2 * error)),
        (4 * off, farthest),
        n=n,
        error=error,
        small=small,
        off=off,
    )
