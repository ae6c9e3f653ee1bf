"""Lesson 03: paying for mistakes only."""

from __future__ import annotations

import math

import numpy as np

from dpviz.accounting import gaussian_sd
from dpviz.exams.question import Question, Step, integral, least, one_of, root
from dpviz.exams.question import power as shown


def release_or_single_answers(rng: np.random.Generator) -> Question:
    """Noise on each of many answers beside one release."""
    n, k = one_of(rng, 2_000, 5_000, 10_000, 20_000), one_of(rng, 100, 400, 2_500, 10_000)
    epsilon, delta = one_of(rng, 0.5, 1.0, 2.0), one_of(rng, 1e-5, 1e-6, 1e-8)
    sd = gaussian_sd(epsilon=epsilon, delta=delta)
    far = root(lambda each: delta - _delta(each, epsilon=epsilon), 0.1, 100)
    return Question(
        f"{n:,} records lie in [0, 1]. {k:,} average distances are asked one after the other, each "
        f"perhaps because of the answers before, under ({epsilon:g}, {delta:g}). By how much can "
        "one record move one answer, and the vector of all of them? Which noise has each answer of "
        f"the Gaussian mechanism, which needs the standard deviation {sd:.3g} for sensitivity 1? "
        "Read off one release of the whole curve an answer has the noise of one question: by "
        "which factor is that less?",
        (
            Step("One record moves an average distance by at most {}.", 1, 1 / n, (1 - 0) / n),
            Step(
                "The vector of k answers moves by at most √k/n = {} in Euclidean length.",
                2,
                math.sqrt(k) / n,
                float(np.linalg.norm(np.full(k, 1 / n))),
            ),
            Step("The standard deviation is {}.", 2, sd * math.sqrt(k) / n, far * math.sqrt(k) / n),
            Step("By √k = {}.", 1, math.sqrt(k), float(np.linalg.norm(np.ones(k)))),
        ),
    )


def _delta(sd: float, *, epsilon: float) -> float:
    """The area by which one normal density exceeds e^epsilon times its neighbour."""
    place = sd**2 * epsilon + 0.5

    def beyond(x: np.ndarray) -> np.ndarray:
        one, other = (np.exp(-(((x - mean) / sd) ** 2) / 2) for mean in (1, 0))
        return (one - math.exp(epsilon) * other) / math.sqrt(2 * math.pi) / sd

    return integral(beyond, place, place + 3 * sd, place + 10 * sd, place + 40 * sd)


def cubes(rng: np.random.Generator) -> Question:
    """Sensitivities in several columns."""
    n, d = one_of(rng, 100, 200, 250, 400, 1000), int(rng.integers(2, 8))
    low, high = one_of(rng, (0, 1), (-1, 1), (0, 5), (10, 30))
    before, after = np.zeros((n, d)), np.zeros((n, d))
    before[0], after[0] = 1, 0
    moved = np.abs(before).sum(axis=1).mean() - np.abs(after).sum(axis=1).mean()
    slopes = np.sign(0.5 - before[:, 0]).mean() - np.sign(0.5 - after[:, 0]).mean()
    return Question(
        f"{n:,} records with {d} columns, each between {low} and {high}. By how much can replacing "
        "one record move the average l1 distance to a query inside this box, and the slope of the "
        "average distance in one column? Both have to be measured under ε, half of it for each: "
        "which scales has the Laplace noise at ε = 1?",
        (
            Step(
                "The distance of one record moves by at most the sum of the widths, over n: {}.",
                2,
                d * (high - low) / n,
                float(moved) * (high - low),
            ),
            Step("Its slope in one column is −1 or 1: {}.", 1, 2 / n, abs(float(slopes))),
            Step(
                "The scale of the value is {},",
                1,
                2 * d * (high - low) / n,
                float(moved) * (high - low) / 0.5,
            ),
            Step("and of the slope {}.", 1, 4 / n, abs(float(slopes)) / 0.5),
        ),
    )


def balance(rng: np.random.Generator) -> Question:
    """The best number of coins for other powers."""
    degree, noise = int(rng.integers(2, 11)) / 2, int(rng.integers(1, 13)) / 4
    rate = degree / (degree + noise)
    errors = [least(lambda c, n=n: c**-degree + c**noise / n, 1e-3, 1e9)[1] for n in (1e4, 1e8)]
    return Question(
        f"A mechanism that pays for at most C corrections is off by 1/{shown('C', degree)} + "
        f"{shown('C', noise)}/n: "
        "what the guess leaves, and the noise when the budget is shared. Derive the order of the "
        "best C and of the error, and the factor by which n must grow so that the error halves. "
        "What could the error become if corrections had no noise at all, whatever C is?",
        (
            Step(
                f"The two terms are equal at C = n^(1/({degree:g} + {noise:g})); beside it one of "
                "them is larger, so up to a constant this is the best.",
                2,
            ),
            Step(
                "The error is n to the power −{}.",
                2,
                rate,
                -math.log(errors[1] / errors[0]) / math.log(1e4),
            ),
            Step(
                "n must grow by the factor 2^(1/rate) = {}.",
                1,
                2 ** (1 / rate),
                root(
                    lambda f: 0.5 - (errors[1] / errors[0]) ** (math.log(f) / math.log(1e4)), 1, 100
                ),
            ),
            Step("Then C could be as large as one likes, and the error would be 0.", 1),
        ),
    )


def more_columns(rng: np.random.Generator) -> Question:
    """The exponent in d, for a budget that is shared in one way or the other."""
    pure, factor = one_of(rng, True, False), int(rng.integers(2, 60))
    n = 1e6
    share = 1.0 if pure else 0.5
    rate = 5 / 3 if pure else 7 / 5
    errors = [
        least(lambda c, d=d: d * (c**-2 + (d * c) ** share / n), 1e-3, 1e9)[1] for d in (1, factor)
    ]
    kind = "pure" if pure else "(ε, δ)"
    noise = "dC/n" if pure else "√(dC)/n"
    best = "(n/d)^(1/3)" if pure else "(n²/d)^(1/5)"
    order = "d^(5/3) n^(−2/3)" if pure else "d^(7/5) n^(−4/5)"
    return Question(
        "The average l1 distance in d columns is the sum of d curves, each learnt by its own "
        "tangents with at most C corrections, which leaves an error of order 1/C² in each. Design "
        f"the allocation of a {kind} budget: how many corrections can there be in all, which noise "
        "has each, and which C is the best one? Derive the error's order in d and n for d ≤ n. By "
        f"which factor does it grow when there are {factor} times as many columns?",
        (
            Step("Each column pays for its own mistakes: at most dC corrections in all.", 2),
            Step(f"Sharing a {kind} budget among them gives each a noise of order {noise}.", 2),
            Step(f"The sum of d errors is d(1/C² + {noise}).", 1),
            Step(f"Both terms are equal at C = {best}, which gives {order}.", 3),
            Step(
                f"{factor} times as many columns: {{}} times the error.",
                1,
                factor**rate,
                errors[1] / errors[0],
            ),
        ),
    )


def all_checks(rng: np.random.Generator) -> Question:
    """How far a noisy check goes wrong, over a whole stream."""
    k, beta = one_of(rng, 100, 500, 1_000, 5_000, 10_000), one_of(rng, 0.01, 0.02, 0.05, 0.1)
    n, epsilon = one_of(rng, 1_000, 5_000, 10_000, 50_000), one_of(rng, 0.1, 0.2, 0.5, 1.0)
    scale = 4 / (n * epsilon)
    return Question(
        f"A check compares a gap of sensitivity 1/n with a threshold; each of {k:,} gaps gets "
        f"Laplace noise of scale 4/(nε), the threshold one of scale 2/(nε) once. n = {n:,}, "
        f"ε = {epsilon:g}. Derive how far every noisy comparison is from the exact one at most, "
        f"with probability 1 − β for β = {beta:g}, by giving half of β to the threshold. What does "
        "it change if there are a thousand times as many questions?",
        (
            Step("Pr[|Lap(b)| > x] = e^(−x/b).", 1),
            Step(
                "Half of β for all gaps, by a union bound: (4/(nε)) ln(2k/β) = {}.",
                2,
                scale * math.log(2 * k / beta),
                root(lambda x: beta / 2 - k * math.exp(-x / scale), 0, 1000),
            ),
            Step(
                "The other half for the threshold: (2/(nε)) ln(2/β) = {}.",
                1,
                scale / 2 * math.log(2 / beta),
                root(lambda x: beta / 2 - math.exp(-2 * x / scale), 0, 1000),
            ),
            Step(
                "A thousand times as many questions add (4/(nε)) ln 1000 = {} only.",
                1,
                scale * math.log(1000),
                root(lambda x: beta / 2 - 1000 * k * math.exp(-x / scale), 0, 1000)
                - root(lambda x: beta / 2 - k * math.exp(-x / scale), 0, 1000),
            ),
        ),
    )


TEMPLATES = {1: (release_or_single_answers, cubes), 2: (balance, all_checks), 3: (more_columns,)}
