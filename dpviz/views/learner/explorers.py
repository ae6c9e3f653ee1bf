"""The explorers of lesson 02: one run, and mistakes against alpha over many runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from dpviz import checks
from dpviz.data import real_sets
from dpviz.papers.distance_queries.learner import mistake_bounds, other_learners
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import (
    FirstOrder,
    Learner,
    Run,
    Tangents,
    learn,
)
from dpviz.sweeps.sweep import Sweep
from dpviz.views import style
from dpviz.views.explorer import Choice, Explorer, Slider, View
from dpviz.views.learner.figures import GRID, draw_tangents
from dpviz.views.learner.mistakes import Counted, counted_view
from dpviz.views.style import Figure

COLUMNS = {
    "wine: alcohol": ("wine", "alcohol"),
    "wine: proline": ("wine", "proline"),
    "clinic: mean radius": ("breast cancer", "mean radius"),
    "clinic: mean area": ("breast cancer", "mean area"),
}

WORST, TENT = "worst data", "a tent (not convex)"
LEARNERS = {"tangents": Tangents, "nearest value": other_learners.NearestConstant}
ORACLE_ERRORS = {"none": 0.0, "α/8": 1 / 8, "α/4": 1 / 4, "α/2": 1 / 2}
ALPHAS = [0.001, 0.002, 0.003, 0.005, 0.008, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2]


@dataclass(frozen=True, eq=False)
class Learnt:
    """One run and what it is compared with.

    Attributes
    ----------
    what : the data, the order and the oracle in words
    function, learner, run : the curve, the learner after all questions, what happened
    alpha : tolerated error of this coordinate
    d, total : number of coordinates, and mistakes of all of them together
    bound, paper : proved limit and the paper's, for all coordinates; inf where there is none
    """

    what: str
    function: FirstOrder
    learner: Learner
    run: Run
    alpha: float
    d: int
    total: int
    bound: float
    paper: float


@lru_cache
def columns(name: str) -> list[tuple[str, AverageDistance]]:
    """The named column first, then the others of its set in order, each as a function."""
    real = real_sets.SETS[COLUMNS[name][0]]()
    first = real.columns.index(COLUMNS[name][1])
    order = [*range(first, len(real.columns)), *range(first)]
    names = [real.columns[i] for i in order]
    return [(column, AverageDistance(real.column(column))) for column in names]


def functions(source: str, d: int, alpha: float) -> list[FirstOrder]:
    """The functions to be learnt: d columns of a real set, or one made curve."""
    if source == TENT:
        return [other_learners.tent()]
    if source == WORST:
        return [AverageDistance(mistake_bounds.worst_data(alpha)[0])]
    return [function for _, function in columns(source)[:d]]


def learn_all(
    *, source: str, alpha: float, order: str, oracle_error: str, d: int, learner: str, seed: int
) -> Learnt:
    """Learn d coordinates, each to alpha / d, from the same kind of questions.

    Raises ``ValueError`` if the arguments do not fit together (Params, ``worst_data``).
    """
    made = source in (WORST, TENT)
    if made and d > 1:
        raise ValueError(f"d must be 1 for {source!r}, which has one coordinate, not {d}")
    share, error = alpha / d, ORACLE_ERRORS[oracle_error] * alpha / d
    params = mistake_bounds.Params(alpha=share, order=order, value_error=error, slope_error=error)
    rng = np.random.default_rng(seed)
    done = [_learn(f, params, source, learner, rng) for f in functions(source, d, share)]
    function, first, run = done[0]
    bound, paper = _limits(source, learner, params)
    what = f"{source}, {order}, oracle error: {oracle_error}"
    total = sum(each.mistakes for _, _, each in done)
    return Learnt(what, function, first, run, share, d, total, d * bound, d * paper)


def _learn(
    function: FirstOrder, params: mistake_bounds.Params, source: str, learner: str, rng: checks.Seed
) -> tuple:
    """One coordinate: the worst data come with their own questions."""
    queries = mistake_bounds.draw_queries(params, rng)
    if source == WORST:
        places = mistake_bounds.worst_data(params.alpha)[1]
        orders = {"random": rng.permutation(places), "right to left": places[::-1]}
        queries = orders.get(params.order, places)
    pupil, oracle = LEARNERS[learner](), mistake_bounds.noisy_oracle(function, params, rng)
    return function, pupil, learn(pupil, function, queries, params.alpha, oracle=oracle)


def _limits(source: str, learner: str, params: mistake_bounds.Params) -> tuple[float, float]:
    """Proved limit and the paper's for one coordinate."""
    if learner == "nearest value":
        noisy = params.value_error > 0
        return (math.inf if noisy else other_learners.mistake_bound_nearest(params.alpha)), math.inf
    if source == TENT:
        return math.inf, 1 / params.alpha  # the remark before Lemma 4, which is false
    errors = {"value_error": params.value_error, "slope_error": params.slope_error}
    proved = mistake_bounds.mistake_bound(params.alpha, **errors)
    return proved, mistake_bounds.paper_bound(params)


def frame_learnt(mode: str) -> Figure:
    """Axes of the curve."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.linear_axis(ax, "x", 0, 1)
    style.linear_axis(ax, "y", -0.05, 1.05, [0, 0.2, 0.4, 0.6, 0.8, 1])
    style.axis_titles(ax, "place y, on the public range of the column", "average distance")
    return fig


def paint_learnt(fig: Figure, result: Learnt) -> None:
    """Truth, guess with its band, tangents, mistakes; what was needed and allowed."""
    ax, mode, run = fig.axes[0], fig.mode, result.run
    style.retitle(fig, _title(result), f"{result.what}; α = {style.number(result.alpha)}")
    guess, truth = result.learner.predict(GRID), result.function.value(GRID)
    style.band(ax, GRID, guess - result.alpha, guess + result.alpha, alpha=0.13)
    draw_tangents(ax, getattr(result.learner, "lines", [])[1:])
    ax.plot(GRID, truth, **style.line("truth", mode))
    ax.plot(GRID, guess, **style.line("released", mode, marker=False))
    places = run.queries[run.missed]
    ax.plot(places, 0 * places - 0.03, **style.points("event", mode) | {"marker": "|", "ms": 9})
    ends = [(1, truth[-1], "truth G\n(private)", "truth"), (1, guess[-1], "guess", "released")]
    style.label_ends(ax, [*ends, (1, -0.03, "mistakes", "event")])


def _title(result: Learnt) -> str:
    """Mistakes of all coordinates beside the proved limit."""
    if math.isinf(result.bound):
        return f"{result.total} mistakes; no bound is proved"
    return f"{result.total} mistakes; at most {result.bound:.0f} are possible"


def say_learnt(result: Learnt) -> str:
    """One sentence of reading."""
    worst = np.max(np.abs(result.run.truth - result.run.answers)[~result.run.missed], initial=0)
    parts = "" if result.d == 1 else f" (all {result.d} coordinates together)"
    limit = "no limit is proved" if math.isinf(result.bound) else f"proved {result.bound:.0f}"
    return (
        f"A curve and its guess: {style.number(len(result.run.queries))} queries, with "
        f"{result.total} mistakes{parts} ({result.what}). Bounds: {limit}, paper "
        f"{style.number(result.paper)}. Guesses that stood were off by at most "
        f"{style.number(worst)}."
    )


def table_learnt(result: Learnt) -> list[list[str]]:
    """Mistakes, limits and the tolerated error."""
    return [
        ["", "number"],
        ["mistakes, all coordinates", str(result.total)],
        ["mistakes, the one drawn", str(result.run.mistakes)],
        ["proved bound", style.number(result.bound, 4)],
        ["the paper's bound", style.number(result.paper, 3)],
        ["α of each coordinate", style.number(result.alpha, 3)],
    ]


LEARNT = View(frame_learnt, paint_learnt, say_learnt, table_learnt)


HOW = (  # a run is made, in both explorers
    Choice(name="order", label="order", values=mistake_bounds.ORDERS, start="random"),
    Choice(name="oracle_error", label="oracle error", values=list(ORACLE_ERRORS), start="none"),
    Choice(name="learner", label="learner", values=list(LEARNERS), start="tangents"),
)
# In a fixed order, an oracle that tells the truth leaves nothing to chance.
DRAWN = [{"order": ["random"]}, {"oracle_error": [*ORACLE_ERRORS][1:]}]


def explore_learner() -> Explorer:
    """One run: data, alpha, order, oracle, coordinates, learner."""
    controls = [
        Slider(name="alpha", label="α, tolerated error", values=ALPHAS, start=0.01),
        Slider(name="d", label="d, coordinates", values=range(1, 14), start=1),
        Choice(name="source", label="data", values=[*COLUMNS, WORST, TENT], start="wine: alcohol"),
        *HOW,
    ]
    presets = {
        "Alcohol, random": {},
        "Left to right": {"order": "left to right"},
        "The worst data": {"source": WORST, "order": "left to right", "alpha": 0.02},
        "Noisy oracle": {"oracle_error": "α/4", "alpha": 0.05},
        "A tent": {"source": TENT, "alpha": 0.1},
        "Nearest value": {"learner": "nearest value", "alpha": 0.05},
        "All 13 columns": {"d": 13, "alpha": 0.1},
    }
    return Explorer(learn_all, LEARNT, controls, presets, random=DRAWN)


SMALLEST = -12


def count(
    *, runs: int, smallest: int, source: str, order: str, oracle_error: str, learner: str, seed: int
) -> Counted:
    """Runs at each alpha from 2^smallest to 1/8, one seed for each run."""
    alphas = tuple(2.0**i for i in range(smallest, -2))
    one = partial(_mistakes, source=source, order=order, oracle_error=oracle_error, learner=learner)
    table = np.array([[one(alpha, seed=1000 * seed + i) for i in range(runs)] for alpha in alphas])
    values = dict(zip(("mistakes", "bound", "paper"), np.moveaxis(table, 2, 0), strict=True))
    sweep = Sweep({"alpha": alphas}, runs, {}, values)
    what = f"{source}, {order}, {learner}, oracle error: {oracle_error}"
    plain = learner == "tangents" and oracle_error == "none"
    forced = [mistake_bounds.mistake_bound(alpha) for alpha in alphas] if plain else []
    fitted = sweep.slope("mistakes", rng=0, resamples=200)
    return Counted(what, sweep, forced, fitted, -0.5 if learner == "tangents" else -1.0)


@lru_cache(maxsize=10_000)
def _mistakes(alpha: float, **how) -> tuple[float, float, float]:
    """Mistakes, proved limit and the paper's for one run."""
    result = learn_all(alpha=alpha, d=1, **how)
    return result.total, result.bound, result.paper


def explore_mistakes() -> Explorer:
    """Mistakes against alpha over many runs: runs, range, data, order, oracle, learner."""
    controls = [
        Slider(name="runs", label="runs", values=range(1, 21), start=5),
        Slider(
            name="smallest",
            label="smallest α",
            values=range(SMALLEST, -5),
            start=-10,
            show=partial(style.power, 2),
        ),
        Choice(name="source", label="data", values=list(COLUMNS), start="wine: alcohol"),
        *HOW,
    ]
    presets = {
        "Alcohol": {},
        "Left to right": {"order": "left to right", "runs": 1},
        "Oracle error α/4": {"oracle_error": "α/4"},
        "Nearest value": {"learner": "nearest value", "smallest": -9},
    }
    return Explorer(count, counted_view(range(SMALLEST, -2)), controls, presets, random=DRAWN)
