"""The error of all functions of a smooth class, between what is proved and what nobody can beat."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.errors import (
    ErrorAxes,
    Line,
    Vacuous,
    log,
    measured,
    trials_said,
)
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.papers.fat_shattering.smooth_functions import lower_bound
from dpviz.papers.smooth_queries import bounds, jackson, minimax_rate
from dpviz.papers.smooth_queries.release import Params
from dpviz.sweeps.slope import Slope
from dpviz.sweeps.sweep import Sweep

NUMBERS_OF_RECORDS = [3000, 10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6]


@still
def figure_class(
    runs: Sweep, params: Params, fitted: Slope, stated: float, mode: str = "notebook"
) -> Figure:
    """Errors against n over all of C^K_1: rate as stated, proved before and now, a draw, the limit.

    Parameters
    ----------
    runs : trials of ``minimax_rate.trial`` over n, at the d, K and delta of ``params``
    fitted : slope of the medians of "most"
    stated : the exponent that is predicted
    """
    n = np.array(NUMBERS_OF_RECORDS)
    rows = {
        "now": [proved_now(params, m) for m in n],
        "before": [proved_before(params, m) for m in n],
        "rate": [bounds.paper_rate(params, n=int(m)) for m in n],
        "limit": [limit(params, int(m)) for m in n],
    }
    at = runs.axes["n"]
    setting = f"d = {params.d}, K = {params.smoothness}, ε = {style.number(params.epsilon)}"
    if params.delta:
        setting += f", δ = {style.number(params.delta)}"
    axes = ErrorAxes(
        log("n, records", 2500, 1.2e6),
        log("error of the worst f with derivatives up to 1", 1e-6, 40),
        Vacuous(1.0, "0 for every query does as well", side="left"),
    )
    lines = [
        Line("proved before", "baseline", n, rows["before"]),
        Line("paper's rate", "rate", n, rows["rate"], smooth=True),
        Line("proved now", "bound", n, rows["now"]),
        measured("one release", "released", at, runs["most"]),
        measured("worst f found", "other", at, runs["error"]),
        Line("lower bound", "truth", n, rows["limit"], smooth=True),
    ]
    ratio = rows["before"][1] / rows["now"][1]
    return axes.figure(
        f"Proved error {style.number(ratio, 2)} times smaller at n = 10,000",
        f"{setting}; {trials_said(runs.repeats, 'releases')}",
        lines,
        alt=f"Largest error over a smooth class against n, log-log; {setting}. At n = 10,000 "
        f"proved before {style.number(rows['before'][1], 2)}, now {style.number(rows['now'][1], 2)}"
        f", never below {style.number(rows['limit'][1], 2)}; slope of a release "
        f"{style.fixed(fitted.value)}, predicted {style.fixed(stated)}."[:300],
        mode=mode,
    )


def proved_now(params: Params, n: int) -> float:
    """The proved error of the planned summary, also where it says nothing.

    >>> proved_now(Params(d=1, terms=1, epsilon=1, delta=1e-6, lower=-1, upper=1), 10_000)
    0.0073
    """
    return _least(params, n, now=True)


def proved_before(params: Params, n: int) -> float:
    """The least error proved without weights: by the sizes (pure) or the length of the noise.

    At the best number of terms, as the new one has it; with equal noise on all moments.

    >>> proved_before(Params(d=1, terms=1, epsilon=1, delta=1e-6, lower=-1, upper=1), 10_000)
    0.133
    """
    return _least(params, n, now=False)


def limit(params: Params, n: int) -> float:
    """The error below which no private mechanism answers all of C^K_1.

    >>> limit(Params(d=1, terms=1, epsilon=1, delta=1e-6, lower=-1, upper=1), 10_000)
    0.0002
    """
    budget = {"epsilon": params.epsilon, "delta": params.delta, "beta": params.beta}
    return lower_bound(n, d=params.d, smoothness=params.smoothness, **budget)


def exponents(runs: Sweep, rng: np.random.SeedSequence) -> list[tuple[str, float, Slope, Slope]]:
    """For each budget, d and K: predicted exponent, fitted ones of "most" and of "error"."""
    found = []
    axes = runs.axes
    for delta in axes["delta"]:
        for d in axes["d"]:
            for k in axes["smoothness"]:
                some = runs.select(delta=delta, d=d, smoothness=k)
                asks = Params(d=d, terms=1, epsilon=1, delta=delta, smoothness=k, lower=-1, upper=1)
                name = f"{'δ > 0' if delta else 'pure'}, d = {d}, K = {k}"
                both = [some.slope(field, rng=rng) for field in ("most", "error")]
                found.append((name, -minimax_rate.exponent(asks), *both))
    return found


def rows_of(found: Sequence[tuple[str, float, Slope, Slope]]) -> list[list[str]]:
    """Exponents as a table: predicted, and the two fitted ones with their intervals.

    >>> rows_of([("pure", -1.0, Slope(-1.0, -1.1, -0.9), Slope(-1.0, -1.2, -0.8))])[1]
    ['pure', '−1.00', '−1.00 [−1.10, −0.90]', '−1.00 [−1.20, −0.80]']
    """
    rows = [["setting", "predicted", "one release, at most", "worst f found"]]
    for name, predicted, *fits in found:
        said = [
            f"{style.fixed(fit.value)} [{style.fixed(fit.low)}, {style.fixed(fit.high)}]"
            for fit in fits
        ]
        rows.append([name, style.fixed(predicted), *said])
    return rows


def _least(params: Params, n: int, *, now: bool) -> float:
    """The least proved error over the numbers of terms that are tried."""
    _, bias, noise = minimax_rate.tried(params)
    if not now:
        budget = {"epsilon": params.epsilon, "delta": params.delta, "beta": params.beta}
        noise = _unweighted(params.d, params.smoothness, **budget)
    return float((bias + noise / n).min())


@lru_cache
def _unweighted(d: int, smoothness: int, **budget: float) -> np.ndarray:
    """The noise of each number of terms at n = 1, by ``bounds.noise_norm``."""
    params = Params(d=d, terms=1, smoothness=smoothness, lower=-1, upper=1, **budget)
    found = []
    for t in minimax_rate.tried(params)[0].tolist():
        how = minimax_rate.operator_of(replace(params, terms=t))
        norm = jackson.lebesgue(jackson.operator_weights(how["operator"], t))
        on_grid = norm * (1 + math.pi * t / (2 * how["nodes"]))
        found.append(on_grid**d * bounds.noise_norm(replace(params, terms=t), 1))
    return np.array(found)
