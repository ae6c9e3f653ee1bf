"""Laws of noise, computed anew: exact tails, Chernoff's inequality, and the noise that is added.

Nothing here comes from the package; ``test_laws.py`` holds it to integrals and simulations.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from scipy import integrate, optimize, special


class Probe:
    """Stands in a curator's place: adds the noise that it is given, remembers what was asked.

    Attributes
    ----------
    law : "laplace" or "gaussian"
    scale : of the noise that a curator would draw, Laplace scale or standard deviation
    size : how many numbers are noised
    """

    ledger = ()

    def __init__(self, noise=None, *, composition="basic"):
        self.noise, self.composition = noise, composition

    def laplace(self, value, *, sensitivity, epsilon, label):
        self.law, self.scale = "laplace", sensitivity / epsilon
        return self._add(value)

    def gaussian(self, value, *, sensitivity, epsilon=None, delta=None, rho=None, label):
        unit = gaussian_unit(epsilon, delta) if rho is None else 1 / math.sqrt(2 * rho)
        self.law, self.scale = "gaussian", sensitivity * unit
        return self._add(value)

    def _add(self, value):
        self.size = np.size(value)
        noise = 0.0 if self.noise is None else np.reshape(self.noise, np.shape(value))
        return np.asarray(value) + noise if np.ndim(value) else float(value) + float(noise)


def response(run: Callable[[Probe], np.ndarray], size: float = 1.0) -> tuple[np.ndarray, str]:
    """What unit noise does: matrix from the mechanism's own standard noise to what comes out.

    ``run`` hands a Probe to a mechanism whose output is linear in the noise. Each column is the
    change by one entry of the noise, times its scale; beside it the law of the noise.
    """
    probe = Probe()
    clean = np.ravel(run(probe))
    columns = []
    for i in range(probe.size):
        noise = np.zeros(probe.size)
        noise[i] = size
        columns.append((np.ravel(run(Probe(noise))) - clean) / size)
    return probe.scale * np.transpose(columns), probe.law


def gaussian_unit(epsilon: float, delta: float) -> float:
    """Least standard deviation for L2 sensitivity 1, from the integral that defines delta."""
    return optimize.brentq(
        lambda sd: gaussian_delta(sd, epsilon) / delta - 1, 1e-3, 1e6, xtol=1e-13, rtol=1e-13
    )


def gaussian_delta(sd: float, epsilon: float) -> float:
    """Integral of (p - e^epsilon q)_+ for N(1, sd^2) against N(0, sd^2), where it is positive."""
    start = sd * epsilon + 0.5 / sd  # in units of sd, where the loss is epsilon
    shift = 1 / sd

    def gap(x):
        p = math.exp(-((x - shift) ** 2) / 2)
        return p * -math.expm1(epsilon - shift * x + shift**2 / 2)

    top = max(start, shift) + 40
    marks = sorted({start, min(top, max(start, shift)), min(top, start + 1), top})
    pieces = [
        integrate.quad(gap, a, b, epsabs=0, epsrel=1e-11)[0] for a, b in itertools.pairwise(marks)
    ]
    return math.fsum(pieces) / math.sqrt(2 * math.pi)


def log_mgf(law: str, theta: np.ndarray) -> np.ndarray:
    """ln E exp(theta X) for the standard law: scale 1, standard deviation 1."""
    return -np.log1p(-np.square(theta)) if law == "laplace" else np.square(theta) / 2


def chernoff_tail(weights: np.ndarray, x: float, law: str) -> float:
    """Least exp(ln E exp(theta S) - theta x), one side, of the weighted sum S of unit noises."""
    sizes, copies = np.unique(np.abs(weights[weights != 0]), return_counts=True)
    top = 1 / sizes.max() if law == "laplace" else 12 * x / float(copies @ sizes**2)
    first, last, logs = 0.0, math.pi / 2, np.zeros(1)
    for _ in range(3):  # ever nearer to the least
        places = np.linspace(first, last, 402)[1:-1]
        theta = top * np.sin(places)
        logs = log_mgf(law, np.outer(theta, sizes)) @ copies - theta * x
        best = places[np.argmin(logs)]
        first, last = max(first, best - places[1] + places[0]), best + places[1] - places[0]
        last = min(last, math.pi / 2)
    return float(np.exp(logs.min()))


def tail(weights: np.ndarray, x: float, law: str) -> float:
    """P(|S| > x) exactly, S a weighted sum of independent unit noises of this law."""
    weights = np.abs(weights[weights != 0])
    if law == "gaussian":
        return float(special.erfc(x / math.sqrt(2) / np.linalg.norm(weights)))
    if len(weights) == 1:
        return math.exp(-x / weights[0])
    # Poisson's formula: the sum over odd multiples of a step differs from the integral by what
    # lies beyond 2 pi / step - x, which is negligible here.
    step = 2 * math.pi / (2 * x + 60 * (np.linalg.norm(weights) + weights.max()))
    odd = np.arange(80_000) + 0.5
    sizes, copies = np.unique(weights, return_counts=True)
    logs = sum(c * np.log1p(np.square(odd * step * s)) for s, c in zip(sizes, copies, strict=True))
    return float(1 - 2 / math.pi * np.sum(np.sin(odd * step * x) / odd * np.exp(-logs)))


def quantile(weights: np.ndarray, chance: float, law: str) -> float:
    """The x with P(|S| > x) = ``chance``."""
    top = np.abs(weights).sum() * 60
    return optimize.brentq(
        lambda x: math.log(max(tail(weights, x, law), 1e-300) / chance), top * 1e-9, top, rtol=1e-9
    )


def draws(law: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Standard noise, fixed by a seed."""
    rng = np.random.default_rng(seed)
    return rng.laplace(size=shape) if law == "laplace" else rng.standard_normal(shape)


def spread(chance: float, count: int) -> float:
    """Five standard deviations of a simulated share: the error of a simulation, one in 10^6."""
    return 5 * math.sqrt(chance * (1 - chance) / count)


def largest(chance: float, count: int, law: str) -> float:
    """The x that the largest of ``count`` unit noises exceeds in size with just this chance."""
    return quantile(np.ones(1), -math.expm1(math.log1p(-chance) / count), law)


def least_tail(log_moment: Callable[[np.ndarray], np.ndarray], top: float, x: float) -> float:
    """Least exp(ln E exp(theta S) - theta x) over theta in (0, top), for any moments."""
    first, last, logs = 0.0, top, np.zeros(1)
    for _ in range(3):
        theta = np.linspace(first, last, 402)[1:-1]
        logs = log_moment(theta) - theta * x
        best, step = theta[np.argmin(logs)], theta[1] - theta[0]
        first, last = max(first, best - step), min(last, best + step)
    return float(np.exp(logs.min()))


def misjudged(s: float, b1: float, b2: float, runs: int) -> float:
    """Chance that a check is wrong by more than s: Laplace noises of scales b2 and, on the
    threshold, b1, the largest of ``runs`` in size."""

    def wrong(m):
        if m < s:
            return (math.exp(-(s - m) / b2) + math.exp(-(s + m) / b2)) / 2
        return 1 - (math.exp(-(m - s) / b2) - math.exp(-(m + s) / b2)) / 2

    return _mean_over_largest(wrong, s, b1, runs)


def misjudged_at_most(s: float, b1: float, b2: float, runs: int) -> float:
    """The same with exp(-s / b2) cosh(m / b2) in the place of the tail at m."""
    return _mean_over_largest(
        lambda m: (math.exp((m - s) / b2) + math.exp((-m - s) / b2)) / 2, s, b1, runs
    )


def _mean_over_largest(function, s, scale, runs):
    """Mean over the largest of ``runs`` exponentials of this scale."""

    def density(m):
        below = -math.expm1(-m / scale)
        return runs * math.exp(-m / scale) * below ** (runs - 1) / scale

    middle = scale * math.log(runs + 1)
    marks = sorted({0.0, s, middle, middle + 10 * scale, middle + s + 120 * scale})
    return math.fsum(
        integrate.quad(lambda m: function(m) * density(m), a, b, limit=200, epsrel=1e-10)[0]
        for a, b in itertools.pairwise(marks)
    )
