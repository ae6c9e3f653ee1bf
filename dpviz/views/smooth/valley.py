"""The picture of lesson 06: what few waves cannot draw, the noise of many, and the valley."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from dpviz import accounting
from dpviz.papers.smooth_queries.bounds import noise_of
from dpviz.papers.smooth_queries.operators import JACKSON
from dpviz.papers.smooth_queries.release import product_answers
from dpviz.papers.smooth_queries.summary import Params, noise_sd, paper_waves, sensitivity_of
from dpviz.privacy.curator import Curator
from dpviz.views import style
from dpviz.views.explorer import Choice, Explorer, Slider
from dpviz.views.live import View
from dpviz.views.smooth import residue
from dpviz.views.smooth.crowd import CROWDS, MOST, K, crowd_moments, crowd_truth
from dpviz.views.style import Figure

RECORDS = [100, 200, 569, 1000, 2000, 4096, 10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6]
EPSILONS = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]
WIDTHS = [0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0]
LAWS = ["truncation", "vallee poussin", *JACKSON]
NOISES = {"Laplace": 0.0, "Gauss": 1e-6}
LARGEST, BETA = 5000, 0.05
LOW, HIGH = 1e-6, 30.0


@dataclass(frozen=True, eq=False)
class Valley:
    """Errors over the number of waves.

    Attributes
    ----------
    what : the setting in words
    waves : int array (m,)
    drawing : array (m,), worst error of the bumps without noise
    noise : array (m,), largest standard deviation of the noise in an answer
    error : array (m,), worst error of a release
    bound : array (m,), proved limit of that error, probability 95 %
    literal, moved : the paper's t; how far the answers at that t move if the crowd is mirrored
    releases : how many at each t; ``error`` is their median
    """

    what: str
    waves: np.ndarray
    drawing: np.ndarray
    noise: np.ndarray
    error: np.ndarray
    bound: np.ndarray
    literal: int
    moved: float
    releases: int = 1

    @property
    def best(self) -> int:
        """Index of the least measured error."""
        return int(np.argmin(self.error))


def valley(
    *, n: int, d: int, epsilon: float, operator: str, width: float, kind: str, crowd: str, seed: int
) -> Valley:
    """One release for each number of waves; n records in the crowd's proportions."""
    largest = min(MOST, int(LARGEST ** (1 / d) + 1e-9))
    rows = [
        _one(t, n, d, operator, width, kind, crowd, seed, epsilon=epsilon)
        for t in range(1, largest + 1)
    ]
    literal = min(paper_waves(n, d=d, smoothness=2), largest)
    sides = [_drawn(literal, d, operator, width, side)[0] for side in CROWDS]
    moved = float(np.abs(sides[0] - sides[1]).max())
    what = f"n = {style.number(n)}, d = {d}, ε = {style.number(epsilon)}, {operator}, {kind}"
    columns = np.array(rows).T
    return Valley(what, np.arange(1, largest + 1), *columns, literal, moved)


def median_valley(seeds: Sequence, **setting) -> Valley:
    """The medians of several releases at each t; settings as in :func:`valley`, but for the seed.

    >>> middle = median_valley(range(9), **START)
    >>> middle.releases, middle.error.shape
    (9, (32,))
    """
    runs = [valley(**setting, seed=seed) for seed in seeds]
    error = np.median([run.error for run in runs], axis=0)
    return replace(runs[0], error=error, releases=len(runs))


@lru_cache(maxsize=4000)
def _drawn(t: int, d: int, operator: str, width: float, crowd: str) -> tuple:
    """Answers without noise, and the factors of the bumps."""
    bumps, _ = crowd_truth(crowd, d, width)
    factors = bumps.factors(t, operator=operator, blind=True)
    means = crowd_moments(crowd)[:t]
    return np.prod([factor @ means for factor in factors], axis=0), factors


@lru_cache(maxsize=4000)
def _norms(t: int, d: int, operator: str, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Length and largest entry of each bump's coefficients, but for the constant's; (K,)."""
    params = Params(d=d, waves=t, epsilon=1.0)
    one = noise_sd(params, 1)[-1] or 1.0
    length, peak = noise_of(_drawn(t, d, operator, width, "skewed")[1], params, 1)
    return length / one, math.sqrt(2) * peak / one


@lru_cache(maxsize=4000)
def _proved_drawing(t: int, d: int, operator: str, width: float) -> np.ndarray:
    return crowd_truth("skewed", d, width)[0].drawing(t, operator=operator, blind=True)


@lru_cache
def _gauss(*, epsilon: float, delta: float) -> float:
    return accounting.gaussian_sd(epsilon=epsilon, delta=delta)


def _one(t, n, d, operator, width, kind, crowd, seed, *, epsilon) -> tuple[float, ...]:
    """Drawing, noise, error of one release, and the proved limit, at t waves."""
    exact = crowd_truth(crowd, d, width)[1]
    drawn, factors = _drawn(t, d, operator, width, crowd)
    params = Params(d=d, waves=t, epsilon=epsilon, delta=NOISES[kind])
    sd, limit = _noise_and_limit(params, n, operator, width)
    error = np.abs(drawn - exact)
    if t > 1:
        error = np.abs(drawn + _noise(params, n, factors, seed) - exact)
    return np.abs(drawn - exact).max(), sd.max(), error.max(), limit.max()


def _noise_and_limit(params: Params, n: int, operator: str, width: float) -> tuple:
    """Standard deviation of each answer's noise, and its proved limit as `bounds` has it; (K,)."""
    where = (params.waves, params.d, operator, width)
    length, peak = _norms(*where)
    unit, x = sensitivity_of(params) / n, math.log(2 * K / BETA)
    if params.delta:
        sd = length * unit * _gauss(epsilon=params.epsilon, delta=params.delta)
        return sd, _proved_drawing(*where) + sd * NormalDist().inv_cdf(1 - BETA / (2 * K))
    b = unit / params.epsilon
    sd = math.sqrt(2) * b * length
    return sd, _proved_drawing(*where) + math.sqrt(2 * x) * sd + x * b * peak


def _noise(params: Params, n: int, factors: list[np.ndarray], seed: int) -> np.ndarray:
    """What the noise of one release adds to the answers: through the curator, on zeros."""
    if isinstance(seed, np.random.SeedSequence):
        seed = int(seed.generate_state(1, np.uint64)[0])
    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=[seed, params.waves])
    price = {"epsilon": params.epsilon, "sensitivity": sensitivity_of(params) / n, "label": "waves"}
    zeros = np.zeros(params.size - 1)
    if params.delta:
        noise = curator.gaussian(zeros, delta=params.delta, **price)
    else:
        noise = curator.laplace(zeros, **price)
    return product_answers(np.append(0.0, noise), factors, params)


def frame_valley(mode: str) -> Figure:
    """Waves against error, and the zone where an answer says nothing."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.base2_axis(ax, "x", [1, 2, 4, 8, 16, 32])
    style.log_axis(ax, "y", LOW, HIGH)
    style.vacuous_zone(ax, 1, "vacuous: answers lie in [0, 1]", side="left")
    style.axis_titles(ax, "t, waves per variable (log scale)", "worst error (log scale)")
    return fig


def paint_valley(fig: Figure, result: Valley) -> None:
    """Drawing falls, noise rises, their sum has a lowest point; a flat line without data."""
    ax, mode, t = fig.axes[0], fig.mode, result.waves
    often = "one release" if result.releases == 1 else f"median of {result.releases} releases"
    style.retitle(fig, _title(result), f"{result.what}; worst of {K} bumps, {often} for each t")
    constant = result.error[0]
    ax.axhline(constant, **style.line("baseline", mode, marker=False))
    ax.plot(t, _inside(result.drawing), **style.line("truth", mode, marker=False))
    ax.plot(t[1:], _inside(result.noise[1:]), **style.line("public", mode) | {"lw": 1.6})
    ax.plot(t, _inside(result.bound), **style.line("bound", mode, marker=False))
    ax.plot(t, _inside(result.error), **style.line("released", mode))
    style.event(ax, t[result.best], _inside(result.error)[result.best], "here")
    below = f"\n({residue.error(result.drawing[-1])})" if result.drawing[-1] < LOW else ""
    ends = [
        (t[-1], _inside(result.bound)[-1], "proved, 95 %", "bound"),
        (t[-1], _inside(result.error)[-1], "released", "released"),
        (t[-1], _inside(result.noise)[-1], "noise, 1 sd", "public"),
        (t[-1], constant, "no data at all", "baseline"),
        (t[-1], _inside(result.drawing)[-1], f"cannot be drawn{below}", "truth"),
    ]
    style.label_ends(ax, ends)


def _inside(values: np.ndarray) -> np.ndarray:
    """Values on the axes: what lies beyond is drawn at its edge (the sentence has the number)."""
    return np.clip(values, LOW * 1.05, HIGH * 0.95)


def _title(result: Valley) -> str:
    t, error = result.waves[result.best], result.error[result.best]
    if t == 1:
        return "Nothing beats an answer without data"
    return f"Best at t = {t}: worst error {residue.error(error)}"


def say_valley(result: Valley) -> str:
    """One sentence of reading."""
    best, last = result.best, -1
    blind = "sees nothing" if result.moved < 1e-9 else f"moves by {style.number(result.moved)}"
    return (
        f"Worst error against t, log-log; {result.what}. Drawing falls to "
        f"{residue.error(result.drawing[last])}, noise rises to {style.number(result.noise[last])} "
        f"at t = {result.waves[last]}; least {style.number(result.error[best])} at t = "
        f"{result.waves[best]}; no data {style.number(result.error[0])}; paper's t = "
        f"{result.literal} {blind}."
    )


def table_valley(result: Valley) -> list[list[str]]:
    """Some numbers of waves."""
    rows = [["t", "drawing", "noise", "released", "proved"]]
    shown = sorted({0, 1, 2, 4, result.best, len(result.waves) - 1} & set(range(len(result.waves))))
    for i in shown:
        numbers = (result.drawing, result.noise, result.error, result.bound)
        rows.append([str(result.waves[i]), *(residue.error(part[i]) for part in numbers)])
    moved = residue.error(result.moved)
    return [*rows, ["mirrored crowd moves paper's t by", moved, "", "", ""]]


VALLEY = View(frame_valley, paint_valley, say_valley, table_valley)
START = {"n": 569, "d": 1, "epsilon": 1.0, "operator": "truncation", "width": 0.5}
START |= {"kind": "Laplace", "crowd": "skewed"}


def figure_valley(result: Valley, mode: str = "notebook") -> Figure:
    """The picture of the lesson for one setting (:func:`valley`)."""
    return VALLEY.figure(result, mode)


def explore_valley() -> Explorer:
    """Records, variables, epsilon, operator, width, noise (the crowd only by a preset)."""
    controls = [
        Slider(name="n", label="n, records", values=RECORDS, start=569),
        Slider(name="d", label="d, variables", values=range(1, 6), start=1),
        Slider(name="epsilon", label="ε", values=EPSILONS, start=1.0),
        Slider(name="width", label="width of the bumps", values=WIDTHS, start=0.5),
        Choice(name="operator", label="operator", values=LAWS, start="truncation"),
        Choice(name="kind", label="noise", values=list(NOISES), start="Laplace"),
    ]
    presets = {
        "Clinic, one axis": {},
        "Clinic, three axes": {"d": 3},
        "Blind": {"d": 2, "operator": "jackson 2"},
        "Too many waves": {"epsilon": 0.1, "d": 5},
        "A million patients": {"n": 10**6},
    }
    for d in range(1, 6):  # what a slider will ask first is computed before it moves
        _explored(**{**START, "d": d, "seed": 1})
    return Explorer(_explored, VALLEY, controls, presets)


def _explored(**values) -> Valley:
    return valley(**{**values, "crowd": "skewed"})
