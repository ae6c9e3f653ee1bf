"""Lesson 00: what one person changes."""

from __future__ import annotations

import math

import numpy as np

from dpviz.accounting import pure_basic
from dpviz.exams.question import Question, Step, integral, one_of


def difference_of_means(rng: np.random.Generator) -> Question:
    """A mark, recovered from two exact means."""
    n, top = one_of(rng, 200, 250, 400, 500, 1000, 2000), one_of(rng, 10, 15, 20, 30)
    mark = int(rng.integers(2, top + 1))
    others = int(rng.integers(2 * top * n // 5, 7 * top * n // 10))
    first, second = (others + mark) / n, others / n
    return Question(
        f"A school of {n:,} pupils publishes the mean of a mark between 0 and {top} on Monday, "
        f"{first:.4f}. Then one pupil asks to be left out, the public value 0 takes the place of "
        f"the mark, and on Tuesday the mean is {second:.4f}. What was the mark, and how exactly "
        "do two means with four decimals tell it?",
        (
            Step(
                f"The two sums differ in this mark only, so it is {n:,} times the difference of "
                "the means: {}.",
                2,
                n * (first - second),
                mark,
            ),
            Step(
                "Each mean is off by at most half a unit of the fourth decimal, their difference "
                f"by twice as much, and the mark by {n:,} times that: {{}}.",
                2,
                2 * n * 0.00005,
                n * ((first + 0.00005) - (second - 0.00005)) - mark,
            ),
        ),
    )


def noisy_means(rng: np.random.Generator) -> Question:
    """What Laplace noise does to the same attack, and what it costs."""
    n, top = one_of(rng, 200, 400, 500, 800, 1000), one_of(rng, 10, 15, 20, 40)
    epsilon, m = one_of(rng, 0.1, 0.2, 0.25, 0.5), one_of(rng, 25, 36, 64, 100, 400)
    scale = top / n / epsilon
    variance = 2 * integral(lambda x: x**2 * np.exp(-x / scale) / scale / 2, 0, 60 * scale)
    return Question(
        f"Each of the two means of a mark between 0 and {top} of {n:,} pupils, with one pupil and "
        f"with 0 in the pupil's place, gets Laplace noise at ε = {epsilon:g}. Give the sensitivity "
        "of the mean, the scale of the noise, the standard deviation of the mark that is recovered "
        f"from the two, and of the average over {m} pairs of such means. What do these pairs cost?",
        (
            Step("One mark moves the mean by at most {}.", 1, top / n, (top - 0) / n),
            Step("The scale is the sensitivity over ε: {}.", 1, scale, math.sqrt(variance / 2)),
            Step(
                "A Laplace number has the standard deviation √2 times its scale; two of them are "
                f"subtracted, and the difference is multiplied by {n:,}: {{}}.",
                2,
                2 * top / epsilon,
                n * math.sqrt(2 * variance),
            ),
            Step(
                f"Averaged over {m} pairs it is divided by √{m}: {{}}.",
                1,
                2 * top / epsilon / math.sqrt(m),
                math.sqrt(n**2 * 2 * variance / m),
            ),
            Step(
                f"{2 * m} publications at ε = {epsilon:g} cost ε = {{}}.",
                1,
                2 * m * epsilon,
                pure_basic(epsilon=epsilon, k=2 * m),
            ),
        ),
    )


def guess_of_the_world(rng: np.random.Generator) -> Question:
    """The best guess between two worlds that see a part of the sensitivity."""
    share, epsilon = int(rng.integers(3, 19)) / 20, int(rng.integers(2, 13)) / 5

    def larger(x: np.ndarray) -> np.ndarray:
        near, far = (np.exp(-epsilon * np.abs(x - place)) for place in (0, share))
        return epsilon / 4 * np.maximum(near, far)

    ends = (-60 / epsilon, 0, share / 2, share, 60 / epsilon)
    allowed = math.exp(epsilon) / (1 + math.exp(epsilon))
    right = 1 - math.exp(-share * epsilon / 2) / 2
    return Question(
        f"A mean is published with Laplace noise of scale Δ/ε at ε = {epsilon:g}, where Δ is its "
        "sensitivity. Somebody knows all other records and the two values that yours may have; "
        f"these move the mean by {share:g} Δ, and both are equally likely beforehand. Derive the "
        "probability that the best guess is right, and compare it with what the promise allows.",
        (
            Step("The best guess is the world whose density is larger: the nearer mean.", 1),
            Step(
                f"It is wrong if the noise goes more than {share:g} Δ/2 to the other side, which "
                f"has probability exp(−{share:g} ε/2)/2.",
                2,
            ),
            Step("So the guess is right with probability {}.", 1, right, integral(larger, *ends)),
            Step(
                "The promise allows e^ε/(1 + e^ε) = {}, which randomized response attains.",
                1,
                allowed,
                1 - 1 / (1 + math.exp(epsilon)),
            ),
        ),
    )


def best_guess(rng: np.random.Generator) -> Question:
    """No guess beats a bound, whatever was believed before."""
    epsilon = int(rng.integers(5, 31)) / 20
    belief = int(rng.integers(55, 95)) / 100
    limit = math.exp(epsilon) / (1 + math.exp(epsilon))
    corners = ((limit, 1 - limit), (1, 1), (0, 0))
    return Question(
        "A mechanism is ε-differentially private. Somebody believes beforehand that your record "
        "is in the data with probability p, and in the other case a public value stands in its "
        "place. Prove that, whatever is published, no guess is right with a probability above "
        "max(p, 1 − p, e^ε/(1 + e^ε)). Say which guess and which mechanism attain each of the "
        f"three, and give the bound at ε = {epsilon:g} and p = {belief:g}.",
        (
            Step(
                "Let the guess be 'in' on the set S of outputs, and a and b the probabilities of S "
                "with and without the record. It is right with probability pa + (1 − p)(1 − b).",
                2,
            ),
            Step("The promise for S and for its complement: a ≤ e^ε b and 1 − b ≤ e^ε (1 − a).", 2),
            Step(
                "On the part of the unit square that these two lines leave, a linear function is "
                "largest in a corner: (0, 1), where it is 0, (0, 0), (1, 1), or where both hold "
                "with equality, at a = e^ε/(1 + e^ε) and b = 1 − a.",
                2,
            ),
            Step(
                "In the last three it is 1 − p, p and e^ε/(1 + e^ε). The first two guesses look "
                "at nothing; randomized response attains the third.",
                2,
            ),
            Step(
                "Here the bound is {}.",
                1,
                max(belief, 1 - belief, limit),
                max(belief * a + (1 - belief) * (1 - b) for a, b in corners),
            ),
        ),
    )


TEMPLATES = {1: (difference_of_means, noisy_means), 2: (guess_of_the_world,), 3: (best_guess,)}
