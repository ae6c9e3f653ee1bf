"""The exercises of lesson 08."""

from __future__ import annotations

import math

import numpy as np

from dpviz.exercises.answers import RIGHT, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise, named
from dpviz.exercises.program import Coding, Program
from dpviz.lessons.fat_shattering import experiments
from dpviz.papers.fat_shattering import reconstruction
from dpviz.papers.fat_shattering.lower_bounds import exact_epsilon

BETA = 0.1  # of E4


GUESSED = ("about 22", "about 42", "about 57", "all 64")


@named
def predict_larger_error() -> Exercise:
    """Counts with errors of a quarter of their size."""
    slips = (
        "So few would be wrong more often than a coin.",
        "That is what one guesses without any counts.",
        RIGHT,
        "Do 256 counts average all of it out?",
    )
    return Exercise(
        "<b>Predict.</b> Of how many of the 64 patients is the attack by 256 counts right, on "
        "average?",
        Pick(options=dict(zip(GUESSED, slips, strict=True))),
        ["256 equations, 64 unknowns."],
        "Each unknown is estimated with an error of sd about 0.4, and cut at one half.",
    )


@named
def predict_monotone() -> Exercise:
    """Non-decreasing functions at a quarter."""
    slips = {
        1: "That is so for thresholds. May the second level be higher than the first?",
        4: "How far apart must two levels be?",
        3: "Is there room for a margin at both ends?",
    }
    return Exercise(
        "<b>Predict.</b> How many points do the non-decreasing functions with values in [0, 1] "
        "shatter at γ = 0.25?",
        Number(value=math.floor(1 / (2 * 0.25)), slips=slips),
        ["High, then low: at least how much higher must the second level be?", "1/(2 × __)"],
        "Levels climb by 2γ = 1/2 from one point to the next, between γ and 1 − γ: two.",
    )


TWICE = (
    "no: each answer is as noisy as before",
    "yes: a good part of the noise is undone",
    "yes: all diagnoses are recovered",
)


@named
def predict_twice() -> Exercise:
    """More questions against the same noise."""
    slips = (
        "What does an average of noisy answers do?",
        RIGHT,
        "The spread of an average of m falls like 1/√m only.",
    )
    return Exercise(
        "<b>Predict.</b> The noise has standard deviation 2.8. Do twice as many counts help the "
        "attacker?",
        Pick(options=dict(zip(TWICE, slips, strict=True))),
        ["Which number of equations does least squares average over?"],
        "Twice the equations divide the error of each unknown by √2 or more.",
    )


@named
def fitting_databases() -> Exercise:
    """By hand: how many databases fit, for another number of patients."""
    databases = np.array(list(np.ndindex(*[2] * 5)))
    off = np.abs((databases - [1, 1, 1, 0, 0]) @ databases.T).max(axis=1)
    slips = {
        9: "That was two well and two ill patients. How many are there of each here?",
        6: "Can a database be wrong about a well and about an ill patient at once?",
        7: "Each choice among the ill goes with each choice among the well.",
        32: "Does a database fit that calls all five ill?",
    }
    return Exercise(
        "<b>By hand.</b> Five patients, three of them ill, E = 1. How many of 32 databases fit?",
        Number(value=float((off <= 1).sum()), slips=slips),
        ["How many choices among the ill?"],
        "Among the ill no error or one: 4 choices. Among the well: 3. 4 × 3 = 12.",
    )


@named
def known_diagnoses() -> Exercise:
    """What small errors leave hidden of many patients."""
    slips = {
        950: "Ill patients can be missing, and well ones can be called ill. Did you count both?",
        975: "Both databases are within 25 of each published count. How far from each other?",
        25: "Is that how many are wrong?",
        100: "That is how many can be wrong.",
        0: "Does the number of patients stand in the bound?",
    }
    return Exercise(
        "<b>Count.</b> A database fits the counts of all groups of 1,000 patients, each off by at "
        "most 25. Of how many patients, at least, does it say the truth?",
        Number(value=1000.0 - reconstruction.reconstruction_bound(25, 0.5, spread=0), slips=slips),
        ["4E of them can be wrong."],
        "1,000 − 4 × 25 = 900.",
    )


@named
def monotone_dimension() -> Exercise:
    """E1: monotone functions at gamma = 0.1."""
    slips = {
        10: "How far apart are two levels?",
        1: "Those are yes/no thresholds. What can values in between do?",
        4: "Is there room for a level at each end?",
        20: "Does a smaller margin leave fewer points?",
    }
    return Exercise(
        "<b>E1, predict.</b> At most how many points do the non-decreasing functions with values "
        "in [0, 1] shatter at γ = 0.1, on any number of cells?",
        Number(
            value=5,
            slips=slips,
            otherwise="Try the pattern high, then low: what does it ask of the levels?",
        ),
        [
            "Look at the pattern high, low on two neighbours.",
            "The function cannot fall, so the levels must climb by at least twice the margin.",
            "1/(__ γ)",
        ],
        "Levels climb by 2γ = 0.2 a point, and need γ of room at both ends: 1/0.2 = 5.",
    )


@named
def cells_wrong() -> Exercise:
    """E2: the reach of Lemma 2."""
    slips = {
        3: "The sets have equal sizes: can they differ in an odd number of cells?",
        3.2: "A number of cells is whole.",
        4: "4 is above 4e/γ. Is it allowed?",
        0.8: "What divides, and what multiplies?",
        6: "4e, once.",
    }
    limit = reconstruction.reconstruction_bound(0.2, 0.25)
    return Exercise(
        "<b>E2, predict.</b> All answers are within e = 0.2; γ = 0.25; the attack guesses among "
        "sets of seven cells. In at most how many cells can its guess differ from the truth?",
        Number(value=math.floor(limit / 2) * 2, slips=slips),
        ["4e/γ.", "Both sets have seven cells.", "The largest even number up to __."],
        "Theorem 8.6 allows 4e/γ = 4 × 0.2/0.25 = 3.2 cells, so at most three. Two sets of seven "
        "cells that differ in one cell of the one also differ in one cell of the other, so the "
        "number is even: 2.",
    )


@named
def line_to_beat() -> Exercise:
    """E3: the base rate."""
    rate = float(experiments.patients().mean())
    slips = {
        0.5: "22 of 64 are malignant. What would you say without any counts?",
        rate: "That is the other side.",
        math.e / (1 + math.e): "That is a ceiling for fair bits at ε = 1, not a floor.",
    }
    return Exercise(
        "<b>E3, change.</b> 22 of the 64 lumps are malignant. Which share must an attack beat "
        "before it has told us anything about a patient?",
        Number(value=1 - rate, within=0.001, slips=slips),
        ["What would you say if you knew nothing but the 22?", "Say it of everybody.", "1 − 22/__"],
        "Say “benign” to all: 42/64 = 0.656.",
    )


@named
def break_the_proviso() -> Exercise:
    """E4: answers that are private and exact."""
    right = f"10, {math.ceil(exact_epsilon(10, beta=BETA))}"
    return Exercise(
        "<b>E4, break.</b> By Theorem 2, private answers have errors. Whole numbers of people: "
        "publish each cell with Laplace noise of scale 1/ε and round. Find n ≥ 2 cells and an ε "
        "for which all n counts are exact with probability at least 0.9. Type n and ε.",
        Numbers(check=_exact_enough, right=right, wrong="10, 1", count=2),
        [
            "When does rounding undo the noise?",
            "One cell is wrong if its noise is beyond 1/2: probability exp(−ε/2).",
            "n exp(−ε/2) ≤ __",
        ],
        "Any ε ≥ 2 ln(n/0.1) does, for instance n = 10 and ε = 9.3. So the theorem needs a "
        "dimension that is large against e^ε; as stated it does not say so.",
    )


def _exact_enough(numbers: np.ndarray) -> str:
    """The chance that every rounded count is right."""
    cells, epsilon = numbers
    if cells < 2 or cells != int(cells):
        return "Please take a whole number of cells, at least 2."
    if epsilon <= 0:
        return "ε is above 0."
    chance = max(0.0, 1 - math.exp(-epsilon / 2)) ** cells
    if chance >= 1 - BETA:
        return RIGHT
    if cells > 1000:
        return "All counts must be right, not most of them. Do fewer cells help?"
    return "How often is one cell wrong at this ε? Put it into the formula."


def _reconstruct(queries, answers):
    solution = np.linalg.lstsq(queries, answers, rcond=None)[0]
    return solution > 0.5


def _solved(queries, answers):
    return np.linalg.lstsq(queries, answers, rcond=None)[0]


DECODED = [
    (_solved, "Those are estimates. A diagnosis is 0 or 1: where do you cut?"),
    (
        lambda q, a: _solved(q, a) > 0,
        "Noise moves an estimate of 0 to either side of 0. Where is the middle?",
    ),
    (
        lambda q, a: np.linalg.solve(q[: q.shape[1]], a[: q.shape[1]]) > 0.5,
        "As many equations as unknowns: what do the other counts do against the noise?",
    ),
    (
        lambda q, a: np.zeros(q.shape[1]),
        (
            "The same for everybody is the base rate, not an attack. Which number are the counts "
            "compared with?"
        ),
    ),
    (lambda q, a: _solved(q, a) < 0.5, "0 and 1 have changed places."),
]


def _counted(rng, n=24):
    """Random halves of n people, and noisy counts of the ill among them."""
    queries = rng.integers(0, 2, (4 * n, n)).astype(float)
    ill = rng.random(n) < 0.35
    return queries, queries @ ill + rng.normal(0, 0.4, 4 * n)


@named
def write_attack(program: object = None) -> Exercise:
    """E5: the linear reconstruction attack as a function."""
    question = (
        "<b>E5, write.</b> Row i of <code>queries</code> marks with 1 the people whom query i "
        "counts; <code>answers</code> are the counts of the ill among them, each with a small "
        "error. Complete the attack: it returns 1 or 0 for each person."
    )
    answer = Program(
        solution=_reconstruct, slips=DECODED, inputs=lambda rng: [_counted(rng) for _ in range(4)]
    )
    hints = [
        "queries @ bits is nearly answers: four times as many equations as unknowns.",
        "np.linalg.lstsq finds the numbers whose counts are nearest; they are not yet 0 or 1.",
        "return np.linalg.lstsq(queries, answers, rcond=None)[0] > __",
    ]
    why = "Least squares averages the errors away; each estimate is then cut in the middle."
    return Coding(question, answer, hints, why, program)
