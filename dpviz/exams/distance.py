"""Lesson 03: paying for mistakes only."""

from __future__ import annotations

import math

import numpy as np

from dpviz.accounting import gaussian_sd
from dpviz.exams.question import Instance, integral, least, one_of, root
from dpviz.exams.question import power as shown


def release_or_single_answers(rng: np.random.Generator) -> Instance:
    """Noise on each of many answers beside one release."""
    n, k = one_of(rng, 2_000, 5_000, 10_000, 20_000), one_of(rng, 100, 400, 2_500, 10_000)
    epsilon, delta = one_of(rng, 0.5, 1.0, 2.0), one_of(rng, 1e-5, 1e-6, 1e-8)
    sd = gaussian_sd(epsilon=epsilon, delta=delta)
    far = root(lambda each: delta - _delta(each, epsilon=epsilon), 0.1, 100)
    return Instance(
        (1 / n, (1 - 0) / n),
        (math.sqrt(k) / n, float(np.linalg.norm(np.full(k, 1 / n)))),
        (sd * math.sqrt(k) / n, far * math.sqrt(k) / n),
        (math.sqrt(k), float(np.linalg.norm(np.ones(k)))),
        n=n,
        k=k,
        epsilon=epsilon,
        delta=delta,
        sd=sd,
    )


def _delta(sd: float, *, epsilon: float) -> float:
    """The area by which one normal density exceeds e^epsilon times its neighbour."""
    place = sd**2 * epsilon + 0.5

    def beyond(x: np.ndarray) -> np.ndarray:
        one, other = (np.exp(-(((x - mean) / sd) ** 2) / 2) for mean in (1, 0))
        return (one - math.exp(epsilon) * other) / math.sqrt(2 * math.pi) / sd

    return integral(beyond, place, place + 3 * sd, place + 10 * sd, place + 40 * sd)


def cubes(rng: np.random.Generator) -> Instance:
    """Sensitivities in several columns."""
    n, d = one_of(rng, 100, 200, 250, 400, 1000), int(rng.integers(2, 8))
    low, high = one_of(rng, (0, 1), (-1, 1), (0, 5), (10, 30))
    before, after = np.zeros((n, d)), np.zeros((n, d))
    before[0], after[0] = 1, 0
    moved = np.abs(before).sum(axis=1).mean() - np.abs(after).sum(axis=1).mean()
    slopes = np.sign(0.5 - before[:, 0]).mean() - np.sign(0.5 - after[:, 0]).mean()
    return Instance(
        (d * (high - low) / n, float(moved) * (high - low)),
        (2 / n, abs(float(slopes))),
        (2 * d * (high - low) / n, float(moved) * (high - low) / 0.5),
        (4 / n, abs(float(slopes)) / 0.5),
        n=n,
        d=d,
        low=low,
        high=high,
    )


def balance(rng: np.random.Generator) -> Instance:
    """The best number of coins for other powers."""
    degree, noise = int(rng.integers(2, 11)) / 2, int(rng.integers(1, 13)) / 4
    rate = degree / (degree + noise)
    errors = [least(lambda c, n=n: c**-degree + c**noise / n, 1e-3, 1e9)[1] for n in (1e4, 1e8)]
    return Instance(
        (rate, -math.log(errors[1] / errors[0]) / math.log(1e4)),
        (
            2 ** (1 / rate),
            root(lambda f: 0.5 - (errors[1] / errors[0]) ** (math.log(f) / math.log(1e4)), 1, 100),
        ),
        guess=shown("C", degree),
        spread=shown("C", noise),
        degree=degree,
        noise=noise,
    )


def more_columns(rng: np.random.Generator) -> Instance:
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
    return Instance(
        (factor**rate, errors[1] / errors[0]),
        kind=kind,
        factor=factor,
        noise=noise,
        best=best,
        order=order,
    )


def all_checks(rng: np.random.Generator) -> Instance:
    """How far a noisy check goes wrong, over a whole stream."""
    k, beta = one_of(rng, 100, 500, 1_000, 5_000, 10_000), one_of(rng, 0.01, 0.02, 0.05, 0.1)
    n, epsilon = one_of(rng, 1_000, 5_000, 10_000, 50_000), one_of(rng, 0.1, 0.2, 0.5, 1.0)
    scale = 4 / (n * epsilon)
    return Instance(
        (
            scale * math.log(2 * k / beta),
            root(lambda x: beta / 2 - k * math.exp(-x / scale), 0, 1000),
        ),
        (
            scale / 2 * math.log(2 / beta),
            root(lambda x: beta / 2 - math.exp(-2 * x / scale), 0, 1000),
        ),
        (
            scale * math.log(1000),
            root(lambda x: beta / 2 - 1000 * k * math.exp(-x / scale), 0, 1000)
            - root(lambda x: beta / 2 - k * math.exp(-x / scale), 0, 1000),
        ),
        k=k,
        n=n,
        epsilon=epsilon,
        beta=beta,
    )
