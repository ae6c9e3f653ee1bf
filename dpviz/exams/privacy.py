"""Lesson 01: the promise, its laws of noise and how it adds up."""

from __future__ import annotations

import math

import numpy as np

from dpviz.accounting import gaussian_delta, pure_basic, zcdp_epsilon, zcdp_pure
from dpviz.exams.question import Question, Step, integral, least, one_of, root


def belief(rng: np.random.Generator) -> Question:
    """What a belief can become, for one record and for a group."""
    epsilon, group = one_of(rng, 0.1, 0.2, 0.25, 0.4, 0.5), one_of(rng, 2, 3, 4, 5, 6)
    before = one_of(rng, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
    odds = before / (1 - before) * math.exp(group * epsilon)
    truthful = 1 / (1 + math.exp(-group * epsilon))
    after = before * truthful / (before * truthful + (1 - before) * (1 - truthful))
    return Question(
        f"A mechanism is {epsilon:g}-differentially private. Somebody believes with probability "
        f"{before:g} that a family of {group} took part, and otherwise public values stand in "
        f"their {group} places. What can this belief become at most? And which error has a test "
        "for a single record at least, if its two kinds of error are equally likely?",
        (
            Step(
                f"For {group} records the odds grow by a factor of at most "
                f"e^({group} · {epsilon:g}) (group privacy), so the probability is at most {{}}.",
                3,
                odds / (1 + odds),
                after,
            ),
            Step(
                "With both errors equal to a, 1 − a ≤ e^ε a, so a is at least 1/(1 + e^ε) = {}.",
                2,
                1 / (1 + math.exp(epsilon)),
                root(lambda a: 1 - a - math.exp(epsilon) * a, 0, 1),
            ),
        ),
    )


def many_answers(rng: np.random.Generator) -> Question:
    """Basic composition beside zero-concentrated privacy."""
    k, epsilon = one_of(rng, 20, 30, 40, 50, 80, 100, 150), one_of(rng, 0.05, 0.08, 0.1, 0.15, 0.2)
    delta = one_of(rng, 1e-5, 1e-6, 1e-7, 1e-8)
    rho = k * zcdp_pure(epsilon=epsilon)
    conversion = least(lambda more: _conversion(1 + more, rho=rho, delta=delta), 1e-3, 1e4)[1]
    return Question(
        f"{k} questions are answered with Laplace noise at ε = {epsilon:g} each. Give the total by "
        "basic composition and ρ of zero-concentrated privacy. Which ε does this ρ give at "
        f"δ = {delta:g} by ρ + 2√(ρ ln(1/δ))? From how many such questions on is that less than "
        "basic composition?",
        (
            Step(
                "Budgets add up: ε = {}.",
                1,
                pure_basic(epsilon=epsilon, k=k),
                math.fsum([epsilon] * k),
            ),
            Step("Each costs ρ = ε²/2, together {}.", 1, rho, k * epsilon**2 / 2),
            Step(
                "Put in: ε = {}. (The best conversion that is known gives "
                f"{zcdp_epsilon(rho=rho, delta=delta):.3g}.)",
                1,
                rho + 2 * math.sqrt(rho * math.log(1 / delta)),
                least(lambda more: rho * (1 + more) + math.log(1 / delta) / more, 1e-3, 1e4)[1],
            ),
            Step(
                "kε₀²/2 + ε₀√(2k ln(1/δ)) < kε₀ means √k (1 − ε₀/2) > √(2 ln(1/δ)), so from "
                "k = {} on.",
                2,
                math.floor(2 * math.log(1 / delta) / (1 - epsilon / 2) ** 2) + 1,
                _first(lambda m: _zcdp(m, epsilon=epsilon, delta=delta) < m * epsilon),
            ),
            Step(
                "By the best conversion: ε = {}.", 1, zcdp_epsilon(rho=rho, delta=delta), conversion
            ),
        ),
    )


def _zcdp(k: int, *, epsilon: float, delta: float) -> float:
    rho = k * epsilon**2 / 2
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def _conversion(order: float, *, rho: float, delta: float) -> float:
    """What the Renyi divergence of an order promises."""
    return order * rho + math.log(1 - 1 / order) - math.log(delta * order) / (order - 1)


def _first(holds) -> int:
    return next(k for k in range(1, 100_000) if holds(k))


def geometric_noise(rng: np.random.Generator) -> Question:
    """The two-sided geometric law on whole numbers, derived."""
    epsilon, m = int(rng.integers(4, 25)) / 20, int(rng.integers(2, 9))
    factor = math.exp(-epsilon)
    whole = np.arange(-2000, 2001)
    law = factor ** np.abs(whole)
    law /= law.sum()
    return Question(
        "A count, which one record moves by at most 1, gets a whole number Z of noise with "
        "Pr[Z = z] = c·e^(−ε|z|). Show that this is ε-differentially private, derive c, and the "
        f"probability that the count is off by more than m. Put in ε = {epsilon:g} and m = {m}. "
        "Laplace noise of scale 1/ε is off by more than m with probability e^(−εm): which of the "
        "two is better here?",
        (
            Step(
                "The published number is y with probability c·e^(−ε|y − f|); f and f' differ by at "
                "most 1, so the ratio is at most e^ε by the triangle inequality.",
                2,
            ),
            Step(
                "The probabilities sum to c(1 + 2q/(1 − q)) with q = e^(−ε), so "
                "c = (1 − q)/(1 + q) = {}.",
                2,
                (1 - factor) / (1 + factor),
                law[2000],
            ),
            Step(
                "Beyond m on both sides: 2c q^(m+1)/(1 − q) = 2q^(m+1)/(1 + q) = {}.",
                2,
                2 * factor ** (m + 1) / (1 + factor),
                law[np.abs(whole) > m].sum(),
            ),
            Step(
                "Laplace noise has {}, which is more: the geometric law is the better one.",
                1,
                factor**m,
                2 * integral(lambda x: epsilon / 2 * np.exp(-epsilon * x), m, m + 60 / epsilon),
            ),
        ),
    )


def gaussian_is_not_pure(rng: np.random.Generator) -> Question:
    """A false proof that Gaussian noise keeps a pure promise, to be repaired."""
    epsilon, ratio = int(rng.integers(4, 17)) / 10, int(rng.integers(8, 31)) / 10
    place = ratio**2 * epsilon + 0.5

    def density(x: np.ndarray, mean: float) -> np.ndarray:
        return np.exp(-(((x - mean) / ratio) ** 2) / 2) / math.sqrt(2 * math.pi) / ratio

    area = integral(
        lambda x: density(x, 1) - math.exp(epsilon) * density(x, 0), place, place + 40 * ratio
    )
    return Question(
        f"Somebody adds Gaussian noise with standard deviation σ = {ratio:g} to a number of "
        f"sensitivity 1 and argues: 'At y the logarithm of the two densities' ratio is "
        f"(2y − 1)/(2σ²). The noise is rarely larger than 3σ, so this is hardly more than "
        f"(6σ + 1)/(2σ²), and the mechanism is ε-differentially private for that ε.' Name what is "
        f"wrong. From which y on does the ratio exceed e^{epsilon:g}? State what is true at "
        f"ε = {epsilon:g}, with the number.",
        (
            Step(
                "A pure promise has to hold for every set of outputs, the rare ones too; the ratio "
                "grows without bound, so no ε is enough.",
                2,
            ),
            Step(
                "(2y − 1)/(2σ²) > ε from y = σ²ε + 1/2 = {} on.",
                2,
                place,
                root(lambda y: (2 * y - 1) / (2 * ratio**2) - epsilon, -10, 1000),
            ),
            Step(
                "It is (ε, δ)-differentially private, where δ is the area by which one density "
                "exceeds e^ε times the other beyond that y: δ = {}.",
                3,
                gaussian_delta(sd=ratio, epsilon=epsilon),
                area,
            ),
        ),
    )


TEMPLATES = {1: (belief, many_answers), 2: (geometric_noise,), 3: (gaussian_is_not_pure,)}
