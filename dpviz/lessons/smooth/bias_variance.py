"""The bias-variance trade-off: the approximation error falls with the degree, the noise rises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from dpviz import accounting
from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, Vacuous, doubling, log, without_data
from dpviz.drawing.live import View
from dpviz.drawing.style import Figure
from dpviz.papers.smooth_queries.bounds import noise_of
from dpviz.papers.smooth_queries.chebyshev import chebyshev
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels, product_answers
from dpviz.papers.smooth_queries.jackson import JACKSON
from dpviz.papers.smooth_queries.release import Params, noise_sd, paper_terms, sensitivity_of

RELATIVE = 1e-12  # double precision keeps 16 digits; sums of a few thousand terms lose up to 4


def is_rounding(value: float, scale: float = 1.0) -> bool:
    """Whether a number that is not zero says nothing but how sums were rounded.

    Parameters
    ----------
    value : the error
    scale : largest size of what is approximated

    >>> is_rounding(4.4e-16), is_rounding(0.0), is_rounding(4.4e-16, scale=1e-10)
    (True, False, False)
    """
    return 0 < abs(value) < RELATIVE * scale


def error_said(value: float, scale: float = 1.0, digits: int = 2) -> str:
    """An error as a label says it, or the word for what has no digit left.

    >>> error_said(0.0123), error_said(4.4e-16), error_said(0.0)
    ('0.012', 'rounding', '0')
    """
    return "rounding" if is_rounding(value, scale) else style.number(value, digits)


def operator_name(operator: str) -> str:
    """An operator as the field names it.

    >>> operator_name("jackson 2"), operator_name("vallee poussin"), operator_name("truncation")
    ('Jackson (K = 2)', 'Vallée Poussin', 'truncation')
    """
    names = {"vallee poussin": "Vallée Poussin", "fejer": "Fejér"}
    kind, _, derivatives = operator.partition("jackson ")
    return f"Jackson (K = {derivatives})" if derivatives else names.get(kind, kind)


POPULATIONS = ["skewed", "mirrored"]
MOST, K = 32, 30  # terms and kernels


@lru_cache
def population_moments(population: str) -> np.ndarray:
    """Chebyshev moments of one variable: 2 Beta(2, 3) - 1, or its mirror image; (MOST,)."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    density = 12 * ((nodes + 1) / 2) * ((1 - nodes) / 2) ** 2 / 2
    means = chebyshev(nodes, MOST) @ (weights * density)
    return means if population == "skewed" else means * (-1.0) ** np.arange(MOST)


@lru_cache
def population_truth(population: str, d: int, width: float) -> tuple[GaussianKernels, np.ndarray]:
    """K public Gaussian kernels, and their means over the population."""
    queries = GaussianKernels.draw(K, d=d, width=width, rng=6, lower=-1, upper=1)
    nodes, weights = np.polynomial.legendre.leggauss(200)
    density = weights * 12 * ((nodes + 1) / 2) * ((1 - nodes) / 2) ** 2 / 2
    density = density if population == "skewed" else density[::-1]
    shapes = np.exp(-((nodes - queries.centres[..., None]) ** 2) / (2 * width**2))
    return queries, (shapes @ density).prod(axis=1)


RECORDS = [100, 200, 569, 1000, 2000, 4096, 10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6]
EPSILONS = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]
WIDTHS = [0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0]
OPERATORS_SHOWN = ["truncation", "vallee poussin", *JACKSON]
MECHANISMS = {"Laplace": 0.0, "Gaussian": 1e-6}
LARGEST = 5000
BETA = 0.05
LOW = 1e-6
HIGH = 30.0


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """Errors over the number of terms.

    Attributes
    ----------
    what : the setting in words
    terms : int array (m,)
    approximation_error : array (m,), worst error of the kernels without noise
    noise : array (m,), largest standard deviation of the noise in an answer
    error : array (m,), worst error of a release
    bound : array (m,), proved limit of that error, probability 95 %
    paper_terms, moved : the paper's t; how far the answers at that t change if the population is
        mirrored
    releases : how many at each t; ``error`` is their median
    """

    what: str
    terms: np.ndarray
    approximation_error: np.ndarray
    noise: np.ndarray
    error: np.ndarray
    bound: np.ndarray
    paper_terms: int
    moved: float
    releases: int = 1

    @property
    def best(self) -> int:
        """Index of the least measured error."""
        return int(np.argmin(self.error))


def trade_off(
    *,
    n: int,
    d: int,
    epsilon: float,
    operator: str,
    width: float,
    mechanism: str,
    population: str,
    seed: int,
) -> BiasVariance:
    """One release for each number of terms; n records in the population's proportions."""
    largest = min(MOST, int(LARGEST ** (1 / d) + 1e-9))
    rows = [
        _one(t, n, d, operator, width, mechanism, population, seed, epsilon=epsilon)
        for t in range(1, largest + 1)
    ]
    stated = min(paper_terms(n, d=d, smoothness=2), largest)
    sides = [_approximated(stated, d, operator, width, side)[0] for side in POPULATIONS]
    moved = float(np.abs(sides[0] - sides[1]).max())
    what = f"n = {style.number(n)}, d = {d}, ε = {style.number(epsilon)}"
    what += f", {operator_name(operator)}, {mechanism}"
    approximation_error, noise, error, bound = np.array(rows).T
    terms = np.arange(1, largest + 1)
    return BiasVariance(what, terms, approximation_error, noise, error, bound, stated, moved)


def median_trade_off(seeds: Sequence, **setting) -> BiasVariance:
    """The medians of several releases at each t; all settings of :func:`trade_off` but the seed.

    >>> middle = median_trade_off(range(9), **START)
    >>> middle.releases, middle.error.shape
    (9, (32,))
    """
    runs = [trade_off(**setting, seed=seed) for seed in seeds]
    error = np.median([run.error for run in runs], axis=0)
    return replace(runs[0], error=error, releases=len(runs))


@lru_cache(maxsize=4000)
def _approximated(t: int, d: int, operator: str, width: float, population: str) -> tuple:
    """Answers without noise, and the factors of the kernels."""
    queries, _ = population_truth(population, d, width)
    factors = queries.factors(t, operator=operator, allow_data_independent=True)
    means = population_moments(population)[:t]
    return np.prod([factor @ means for factor in factors], axis=0), factors


@lru_cache(maxsize=4000)
def _norms(t: int, d: int, operator: str, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Length and largest entry of each kernel's coefficients without the constant's; (K,)."""
    params = Params(d=d, terms=t, epsilon=1.0, lower=-1, upper=1)
    one = noise_sd(params, 1)[-1] or 1.0
    length, peak = noise_of(_approximated(t, d, operator, width, "skewed")[1], params, 1)
    return length / one, math.sqrt(2) * peak / one


@lru_cache(maxsize=4000)
def _approximation_bound(t: int, d: int, operator: str, width: float) -> np.ndarray:
    return population_truth("skewed", d, width)[0].approximation_bound(
        t, operator=operator, allow_data_independent=True
    )


@lru_cache
def _gauss(*, epsilon: float, delta: float) -> float:
    return accounting.gaussian_sd(epsilon=epsilon, delta=delta)


def _one(t, n, d, operator, width, mechanism, population, seed, *, epsilon) -> tuple[float, ...]:
    """Approximation error, noise, error of one release, and the proved limit, at t terms."""
    exact = population_truth(population, d, width)[1]
    noiseless, factors = _approximated(t, d, operator, width, population)
    params = Params(d=d, terms=t, epsilon=epsilon, delta=MECHANISMS[mechanism], lower=-1, upper=1)
    sd, limit = _noise_and_limit(params, n, operator, width)
    error = np.abs(noiseless - exact)
    if t > 1:
        error = np.abs(noiseless + _noise(params, n, factors, seed) - exact)
    return np.abs(noiseless - exact).max(), sd.max(), error.max(), limit.max()


def _noise_and_limit(params: Params, n: int, operator: str, width: float) -> tuple:
    """Standard deviation of each answer's noise, and its proved limit as `bounds` has it; (K,)."""
    where = (params.terms, params.d, operator, width)
    length, peak = _norms(*where)
    unit = sensitivity_of(params) / n
    x = math.log(2 * K / BETA)
    if params.delta:
        sd = length * unit * _gauss(epsilon=params.epsilon, delta=params.delta)
        return sd, _approximation_bound(*where) + sd * NormalDist().inv_cdf(1 - BETA / (2 * K))
    b = unit / params.epsilon
    sd = math.sqrt(2) * b * length
    return sd, _approximation_bound(*where) + math.sqrt(2 * x) * sd + x * b * peak


def _noise(params: Params, n: int, factors: list[np.ndarray], seed: int) -> np.ndarray:
    """What the noise of one release adds to the answers: through the curator, on zeros."""
    if isinstance(seed, np.random.SeedSequence):
        seed = int(seed.generate_state(1, np.uint64)[0])
    curator = params.curator(rng=[seed, params.terms])
    budget = {"epsilon": params.epsilon, "sensitivity": sensitivity_of(params) / n}
    zeros = np.zeros(params.size - 1)
    if params.delta:
        noise = curator.gaussian(zeros, delta=params.delta, label="moments", **budget)
    else:
        noise = curator.laplace(zeros, label="moments", **budget)
    return product_answers(np.append(0.0, noise), factors, params)


BIAS_VARIANCE_AXES = ErrorAxes(
    doubling("t, terms per variable", [1, 2, 4, 8, 16, 32]), log("largest error", LOW, HIGH)
)


def paint_bias_variance(fig: Figure, result: BiasVariance) -> None:
    """Bias falls, noise rises, their sum has a lowest point; a flat line without data."""
    ax = fig.axes[0]
    mode = fig.mode
    t = result.terms
    often = "one release" if result.releases == 1 else f"median of {result.releases} releases"
    style.retitle(fig, _title(result), f"{result.what}; largest of {K} kernels, {often} for each t")
    constant = result.error[0]
    few = 2 * t[-1] < MOST
    # Where no curve is, or else where the bound is lower.
    side = "right" if few or result.bound[0] > result.bound[-1] else "left"
    Vacuous(without_data(constant), "a constant does as well", side=side).draw(ax)
    ax.plot(t, _inside(result.approximation_error), **style.line("truth", mode, marker=False))
    ax.plot(t[1:], _inside(result.noise[1:]), **style.line("public", mode) | {"lw": 1.6})
    ax.plot(t, _inside(result.bound), **style.line("bound", mode, marker=False))
    ax.plot(t, _inside(result.error), **style.line("released", mode))
    style.event(ax, t[result.best], _inside(result.error)[result.best], "here")
    below = (
        f"\n({error_said(result.approximation_error[-1])})"
        if result.approximation_error[-1] < LOW
        else ""
    )
    ends = [
        (t[-1], _inside(result.bound)[-1], "proved, 95 %", "bound"),
        (t[-1], _inside(result.error)[-1], "released", "released"),
        (t[-1], _inside(result.noise)[-1], "noise, 1 sd", "public"),
        (t[-1], _inside(result.approximation_error)[-1], f"approximation{below}", "truth"),
    ]
    # A telephone has no room for names beside the zone's words.
    style.label_ends(ax, ends, inside=few and fig.mode != "phone")


def _inside(values: np.ndarray) -> np.ndarray:
    """Values on the axes: what lies beyond is drawn at its edge (the sentence has the number)."""
    return np.clip(values, LOW * 1.05, HIGH * 0.95)


def _title(result: BiasVariance) -> str:
    t = result.terms[result.best]
    error = result.error[result.best]
    if t == 1:
        return "No mechanism beats a constant answer"
    return f"The error is smallest, {error_said(error)}, at t = {t}"


def say_bias_variance(result: BiasVariance) -> str:
    """One sentence of reading."""
    best = result.best
    last = -1
    change = "no answer" if result.moved < 1e-9 else f"answers by {style.number(result.moved)}"
    return (
        f"Largest error against t, log-log; {result.what}. Approximation error falls to "
        f"{error_said(result.approximation_error[last])}, noise rises to "
        f"{style.number(result.noise[last])} at t = {result.terms[last]}; least "
        f"{style.number(result.error[best])} at t = {result.terms[best]}; constant answer "
        f"{style.number(result.error[0])}; at the paper's t = "
        f"{result.paper_terms}, mirroring all records moves {change}."
    )


def tabulate_bias_variance(result: BiasVariance) -> list[list[str]]:
    """Some numbers of terms."""
    rows = [["t", "approximation", "noise", "released", "proved"]]
    places = sorted(
        {0, 1, 2, 4, result.best, len(result.terms) - 1} & set(range(len(result.terms)))
    )
    for i in places:
        numbers = (result.approximation_error, result.noise, result.error, result.bound)
        rows.append([str(result.terms[i]), *(error_said(column[i]) for column in numbers)])
    moved = error_said(result.moved)
    return [*rows, ["mirroring the population changes the paper's answers by", moved, "", "", ""]]


BIAS_VARIANCE = View(
    BIAS_VARIANCE_AXES.frame, paint_bias_variance, say_bias_variance, tabulate_bias_variance
)

START = {"n": 569, "d": 1, "epsilon": 1.0, "operator": "truncation", "width": 0.5}
START |= {"mechanism": "Laplace", "population": "skewed"}
figure_bias_variance = BIAS_VARIANCE.figure
