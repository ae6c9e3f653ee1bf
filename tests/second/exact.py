"""Laws and constants of these proofs, computed by integration, enumeration or root finding."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy import integrate, optimize, special

from dpviz.papers.fat_shattering import net_mechanism, small_databases


def gaussian_unit(epsilon: float, delta: float) -> float:
    """Least standard deviation at L2 sensitivity 1, from the integral that defines delta."""

    def excess(sd: float) -> float:
        start = sd * epsilon - 0.5 / sd  # the loss is epsilon there, in units of sd from the mean
        gap = lambda z: math.exp(-(z**2) / 2) - math.exp(epsilon - (z + 1 / sd) ** 2 / 2)  # noqa: E731
        top = max(start, 0.0) + 30
        marks = np.unique([start, max(start, 0.0), max(start, 0.0) + 3, top])
        parts = [
            integrate.quad(gap, a, b, epsabs=0, epsrel=1e-10)[0]
            for a, b in itertools.pairwise(marks)
        ]
        return math.fsum(parts) / math.sqrt(2 * math.pi) / delta - 1

    return optimize.brentq(excess, 1e-3, 1e5, xtol=1e-12, rtol=1e-12)


def failing(loss: float, count: float, epsilon: float) -> float:
    """Chance that the exponential mechanism (sensitivity 1) takes one of ``count`` candidates whose
    score is ``loss`` below that of one other: exact."""
    odds = count * math.exp(-epsilon * loss / 2)
    return odds / (1 + odds)


def coin_exponent(share: float) -> float:
    """Exponent per draw with which a fair coin's mean passes 1/2 + ``share`` (Cramer): sup over l
    of l (1/2 + share) - ln E exp(l X), found numerically. Hoeffding's 2 share^2 is its limit."""
    rate = lambda v: v * (0.5 + share) - math.log1p(math.expm1(v) / 2)  # noqa: E731
    found = optimize.minimize_scalar(
        lambda v: -rate(v), bounds=(0, 40), method="bounded", options={"xatol": 1e-12}
    )
    return -float(found.fun)


def laplace_chernoff(weights: np.ndarray, x: float) -> float:
    """Least E exp(l S - l x) of a weighted sum S of unit Laplace noises, over l."""
    top = 1 / np.abs(weights).max()
    logs = lambda v: float(-np.log1p(-np.square(v * weights)).sum() - v * x)  # noqa: E731
    found = optimize.minimize_scalar(
        logs, bounds=(0, top * (1 - 1e-12)), method="bounded", options={"xatol": 1e-12 * top}
    )
    return math.exp(found.fun)


def laplace_tail(weights: np.ndarray, x: float) -> float:
    """P(|S| > x) of a weighted sum of unit Laplace noises, by inverting its transform.

    Poisson's formula at odd multiples of a step is exact up to what lies beyond 2 pi / step - x.
    """
    sizes = np.abs(weights[weights != 0])
    if len(sizes) == 1:
        return math.exp(-x / float(sizes[0]))
    step = 2 * math.pi / (2 * x + 60 * float(np.linalg.norm(sizes) + sizes.max()))
    odd = np.arange(200_000) + 0.5
    logs = np.zeros(len(odd))
    for size in sizes:
        logs += np.log1p(np.square(odd * step * size))
    return float(1 - 2 / math.pi * np.sum(np.sin(odd * step * x) / odd * np.exp(-logs)))


def threshold_gap(checks: int, beta: float) -> float:
    """The gap x with checks * P(|v - m| > x) = beta, for epsilon 1 and sensitivity 1.

    m and v are the Laplace noises of AboveThreshold with the split of least sum of scales in its
    proof: epsilon_1 : epsilon_2 = 1 : 2^(2/3), v paying for two. By integrating over m.
    """
    first = 1 / (1 + 2 ** (2 / 3))
    one, two = 1 / first, 2 / (1 - first)

    def chance(x: float) -> float:
        m = np.linspace(0, 60 * one, 400_001)  # m and -m together
        far = np.where(m < x, np.exp(-(x - m) / two) / 2, 1 - np.exp(-np.abs(m - x) / two) / 2)
        tails = far + np.exp(-(x + m) / two) / 2
        return float(integrate.trapezoid(tails * np.exp(-m / one) / one, m))

    return optimize.brentq(lambda x: math.log(checks * chance(x) / beta), 0.1, 2000)


def normal_tail(x: float) -> float:
    """P(|N(0, 1)| > x)."""
    return float(special.erfc(x / math.sqrt(2)))


def output_distribution(data, params, *, queries):
    """The net mechanism's chance of each of `small_databases.databases`, in their order."""
    table = net_mechanism.unit_queries(queries)
    cells = table.shape[1]
    counts = net_mechanism.histogram(data, cells, outside=params.outside, total=params.total)
    candidates = small_databases.databases(cells, params.rows) / params.rows
    scale = -params.choice_epsilon / (2 * params.sensitivity)
    weights = scale * net_mechanism._errors(table, counts, candidates)
    weights = np.exp(weights - weights.max())
    return weights / weights.sum()
