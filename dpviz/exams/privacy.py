"""Lesson 01: the promise, its laws of noise and how it adds up."""

from __future__ import annotations

import math

import numpy as np

from dpviz.accounting import gaussian_delta, pure_basic, zcdp_epsilon, zcdp_pure
from dpviz.exams.question import Instance, integral, least, one_of, root


def belief(rng: np.random.Generator) -> Instance:
    """What a belief can become, for one record and for a group."""
    epsilon, group = one_of(rng, 0.1, 0.2, 0.25, 0.4, 0.5), one_of(rng, 2, 3, 4, 5, 6)
    before = one_of(rng, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
    odds = before / (1 - before) * math.exp(group * epsilon)
    truthful = 1 / (1 + math.exp(-group * epsilon))
    after = before * truthful / (before * truthful + (1 - before) * (1 - truthful))
    return Instance(
        (odds / (1 + odds), after),
        (1 / (1 + math.exp(epsilon)), root(lambda a: 1 - a - math.exp(epsilon) * a, 0, 1)),
        epsilon=epsilon,
        before=before,
        group=group,
    )


def many_answers(rng: np.random.Generator) -> Instance:
    """Basic composition beside zero-concentrated privacy."""
    k, epsilon = one_of(rng, 20, 30, 40, 50, 80, 100, 150), one_of(rng, 0.05, 0.08, 0.1, 0.15, 0.2)
    delta = one_of(rng, 1e-5, 1e-6, 1e-7, 1e-8)
    rho = k * zcdp_pure(epsilon=epsilon)
    conversion = least(lambda more: _conversion(1 + more, rho=rho, delta=delta), 1e-3, 1e4)[1]
    return Instance(
        (pure_basic(epsilon=epsilon, k=k), math.fsum([epsilon] * k)),
        (rho, k * epsilon**2 / 2),
        (
            rho + 2 * math.sqrt(rho * math.log(1 / delta)),
            least(lambda more: rho * (1 + more) + math.log(1 / delta) / more, 1e-3, 1e4)[1],
        ),
        (
            math.floor(2 * math.log(1 / delta) / (1 - epsilon / 2) ** 2) + 1,
            _first(lambda m: _zcdp(m, epsilon=epsilon, delta=delta) < m * epsilon),
        ),
        (zcdp_epsilon(rho=rho, delta=delta), conversion),
        k=k,
        epsilon=epsilon,
        delta=delta,
        budget=zcdp_epsilon(rho=rho, delta=delta),
    )


def _zcdp(k: int, *, epsilon: float, delta: float) -> float:
    rho = k * epsilon**2 / 2
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def _conversion(order: float, *, rho: float, delta: float) -> float:
    """What the Renyi divergence of an order promises."""
    return order * rho + math.log(1 - 1 / order) - math.log(delta * order) / (order - 1)


def _first(holds) -> int:
    return next(k for k in range(1, 100_000) if holds(k))


def geometric_noise(rng: np.random.Generator) -> Instance:
    """The two-sided geometric law on whole numbers, derived."""
    epsilon, m = int(rng.integers(4, 25)) / 20, int(rng.integers(2, 9))
    factor = math.exp(-epsilon)
    whole = np.arange(-2000, 2001)
    law = factor ** np.abs(whole)
    law /= law.sum()
    return Instance(
        ((1 - factor) / (1 + factor), law[2000]),
        (2 * factor ** (m + 1) / (1 + factor), law[np.abs(whole) > m].sum()),
        (
            factor**m,
            2 * integral(lambda x: epsilon / 2 * np.exp(-epsilon * x), m, m + 60 / epsilon),
        ),
        epsilon=epsilon,
        m=m,
    )


def gaussian_is_not_pure(rng: np.random.Generator) -> Instance:
    """A false proof that Gaussian noise keeps a pure promise, to be repaired."""
    epsilon, ratio = int(rng.integers(4, 17)) / 10, int(rng.integers(8, 31)) / 10
    place = ratio**2 * epsilon + 0.5

    def density(x: np.ndarray, mean: float) -> np.ndarray:
        return np.exp(-(((x - mean) / ratio) ** 2) / 2) / math.sqrt(2 * math.pi) / ratio

    area = integral(
        lambda x: density(x, 1) - math.exp(epsilon) * density(x, 0), place, place + 40 * ratio
    )
    return Instance(
        (place, root(lambda y: (2 * y - 1) / (2 * ratio**2) - epsilon, -10, 1000)),
        (gaussian_delta(sd=ratio, epsilon=epsilon), area),
        ratio=ratio,
        epsilon=epsilon,
    )
