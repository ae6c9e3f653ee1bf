"""Lesson 08: reconstruction and fat-shattering."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np

from dpviz.exams.question import DegenerateError, Question, Step, one_of
from dpviz.papers.fat_shattering.classes import monotone, thresholds
from dpviz.papers.fat_shattering.dimension import shatter


def counted(rng: np.random.Generator) -> Question:
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
    return Question(
        f"Of each pair of {patients} patients it is published how many are ill: {told}. How many "
        f"are ill in all, and is {names[0]}? How many databases of {patients} patients fit if only "
        "the total is published?",
        (
            Step(
                f"Each patient is in {patients - 1} pairs, and the counts add up to {total}: {{}}.",
                2,
                total / (patients - 1),
                float(solved.sum()),
            ),
            Step(
                f"The pairs with {names[0]} add up to {first}, which is the total and "
                f"{patients - 2} times {names[0]}: so {names[0]} is "
                + ("ill." if ill[0] else "well."),
                2,
            ),
            Step(
                "With the total only: {}.",
                1,
                math.comb(patients, int(ill.sum())),
                sum(sum(each) == ill.sum() for each in itertools.product((0, 1), repeat=patients)),
            ),
        ),
    )


def dimensions(rng: np.random.Generator) -> Question:
    """Dimensions of three classes, and what an attack is compared with."""
    cells = int(rng.integers(2, 6))
    gamma, steps = one_of(rng, (0.15, 10), (0.2, 5), (0.3, 5), (0.35, 10), (0.4, 5))
    patients, ill = one_of(rng, 60, 80, 100, 200), one_of(rng, 0.2, 0.25, 0.3, 0.35, 0.4)
    most = min(cells, math.floor(1 / (2 * gamma)))
    rising = monotone(cells, steps=steps)  # its values are fine enough for this margin
    right = round((1 - ill) * 100) + int(rng.integers(-12, 12))
    return Question(
        f"Queries have values in [0, 1] on {cells} cells. How many cells can non-decreasing ones "
        f"shatter at γ = {gamma:g}, and how many can thresholds? An attack on {patients} "
        f"patients, of whom {ill:.0%} are ill, is right for {right} %: what has it found?",
        (
            Step(
                "Between two shattered cells with patterns 1, 0 the levels must rise by 2γ: at "
                f"most ⌊1/(2γ)⌋, and {cells} cells: {{}}.",
                2,
                most,
                len(shatter(rising, gamma).points),
            ),
            Step(
                "Thresholds never show 1, 0: {}.",
                1,
                1,
                len(shatter(thresholds(cells), gamma).points),
            ),
            Step(
                "'Well' for everybody is right with share {}: "
                + (
                    "more than the attack."
                    if 1 - ill > right / 100
                    else "the attack adds the rest."
                )
                if 1 - ill != right / 100
                else "'Well' for everybody is right with share {}, the same.",
                1,
                1 - ill,
                (patients - round(ill * patients)) / patients,
            ),
        ),
    )


def databases_that_fit(rng: np.random.Generator) -> Question:
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
    return Question(
        f"Of {patients} patients {ill} are ill. The counts of all groups of patients are published "
        f"as they are, and somebody knows that each may be off by at most {error}. Derive which "
        "databases fit all counts, and how many they are. In how many patients can two of them "
        "differ?",
        (
            Step(
                "The group of all ill patients that a database calls well is off by their number: "
                f"at most {error}; likewise of the well ones it calls ill. Any other group is off "
                "by less or the same.",
                2,
            ),
            Step(
                f"{choices[0]} choices among the ill, {choices[1]} among the well: {{}}.",
                2,
                choices[0] * choices[1],
                len(fits),
            ),
            Step(
                "Two that fit can err about different patients, on both sides: {}.",
                2,
                min(2 * error, ill) + min(2 * error, well),
                apart,
            ),
        ),
    )


@cache
def most_apart(patients: int, error: int) -> int:
    """In how many patients two databases can differ that have answers in common."""
    databases = np.array(list(itertools.product((0, 1), repeat=patients)))
    apart = databases[:, None] - databases
    allowed = np.abs(apart @ databases.T).max(axis=2) <= 2 * error
    return int(np.abs(apart).sum(axis=2)[allowed].max())


def reconstruction(rng: np.random.Generator) -> Question:
    """All groups, answers off by E: nearly everybody is found, and what that means for privacy."""
    n, share = one_of(rng, 100, 200, 400, 1_000, 2_000), one_of(rng, 0.01, 0.02, 0.03, 0.04, 0.05)
    error = round(share * n)
    small, off = 6, 1
    farthest = most_apart(small, off)
    return Question(
        "The number of ill patients in every group of n is published, each off by at most E. Prove "
        "that a database which fits all of them is wrong about at most 4E patients. Why does "
        "the proof fail if only n random groups are published, and what replaces it? Conclude "
        "which E no private mechanism can reach, in words. How many patients are found at "
        f"n = {n:,} and E = {error}? Check the constant at n = {small}, E = {off}: can two "
        "databases that differ in four patients have answers in common?",
        (
            Step(
                "The truth and a database that fits are both within E of each answer, so their "
                "counts differ by at most 2E on every group.",
                2,
            ),
            Step(
                "Take the group of those who are wrongly called ill: their number is such a "
                "difference, at most 2E; likewise those wrongly called well.",
                3,
            ),
            Step(
                "That group need not be published when only n random ones are. Then each far "
                "database is excluded by some group with high probability, if E is less than a "
                "constant times √n (Dinur and Nissim).",
                2,
            ),
            Step(
                "If E is a small share of n, nearly every diagnosis is found, also of somebody "
                "whose record could be replaced unnoticed: so no mechanism with a small ε answers "
                "all groups that well.",
                2,
            ),
            Step(f"At least {{}} of {n:,} are found.", 1, n - 4 * error, n - 2 * (2 * error)),
            Step("By enumeration the farthest two differ in {}: yes.", 1, 4 * off, farthest),
        ),
    )


TEMPLATES = {1: (counted, dimensions), 2: (databases_that_fit,), 3: (reconstruction,)}
