"""Lesson 00: what one person changes."""

from __future__ import annotations

import math

import numpy as np

from dpviz.accounting import pure_basic
from dpviz.exams.question import Instance, integral, one_of


def difference_of_means(rng: np.random.Generator) -> Instance:
    """A mark, recovered from two exact means."""
    n, top = one_of(rng, 200, 250, 400, 500, 1000, 2000), one_of(rng, 10, 15, 20, 30)
    mark = int(rng.integers(2, top + 1))
    others = int(rng.integers(2 * top * n // 5, 7 * top * n // 10))
    first, second = (others + mark) / n, others / n
    return Instance(
        (n * (first - second), mark),
        (2 * n * 0.00005, n * ((first + 0.00005) - (second - 0.00005)) - mark),
        n=n,
        top=top,
        first=first,
        second=second,
    )


def noisy_means(rng: np.random.Generator) -> Instance:
    """What Laplace noise does to the same attack, and what it costs."""
    n, top = one_of(rng, 200, 400, 500, 800, 1000), one_of(rng, 10, 15, 20, 40)
    epsilon, m = one_of(rng, 0.1, 0.2, 0.25, 0.5), one_of(rng, 25, 36, 64, 100, 400)
    scale = top / n / epsilon
    variance = 2 * integral(lambda x: x**2 * np.exp(-x / scale) / scale / 2, 0, 60 * scale)
    return Instance(
        (top / n, (top - 0) / n),
        (scale, math.sqrt(variance / 2)),
        (2 * top / epsilon, n * math.sqrt(2 * variance)),
        (2 * top / epsilon / math.sqrt(m), math.sqrt(n**2 * 2 * variance / m)),
        (2 * m * epsilon, pure_basic(epsilon=epsilon, k=2 * m)),
        top=top,
        n=n,
        epsilon=epsilon,
        m=m,
        publications=2 * m,
    )


def guess_of_the_world(rng: np.random.Generator) -> Instance:
    """The best guess between two worlds that see a part of the sensitivity."""
    share, epsilon = int(rng.integers(3, 19)) / 20, int(rng.integers(2, 13)) / 5

    def larger(x: np.ndarray) -> np.ndarray:
        near, far = (np.exp(-epsilon * np.abs(x - place)) for place in (0, share))
        return epsilon / 4 * np.maximum(near, far)

    ends = (-60 / epsilon, 0, share / 2, share, 60 / epsilon)
    allowed = math.exp(epsilon) / (1 + math.exp(epsilon))
    right = 1 - math.exp(-share * epsilon / 2) / 2
    return Instance(
        (right, integral(larger, *ends)),
        (allowed, 1 - 1 / (1 + math.exp(epsilon))),
        epsilon=epsilon,
        share=share,
    )


def best_guess(rng: np.random.Generator) -> Instance:
    """No guess beats a bound, whatever was believed before."""
    epsilon = int(rng.integers(5, 31)) / 20
    belief = int(rng.integers(55, 95)) / 100
    limit = math.exp(epsilon) / (1 + math.exp(epsilon))
    corners = ((limit, 1 - limit), (1, 1), (0, 0))
    return Instance(
        (
            max(belief, 1 - belief, limit),
            max(belief * a + (1 - belief) * (1 - b) for a, b in corners),
        ),
        epsilon=epsilon,
        belief=belief,
    )
