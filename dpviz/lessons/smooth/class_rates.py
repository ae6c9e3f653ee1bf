"""The error of all functions of a smooth class, between what is proved and what nobody can beat."""

from __future__ import annotations

from collections.abc import Sequence

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
from dpviz.papers.smooth_queries import bounds, minimax_rate
from dpviz.papers.smooth_queries.release import Params
from dpviz.sweeps.slope import Slope
from dpviz.sweeps.sweep import Sweep

NUMBERS_OF_RECORDS = [3000, 10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6]


@still
def figure_class(
    runs: Sweep, params: Params, fitted: Slope, stated: float, mode: str = "notebook"
) -> Figure:
    """Errors against n over all of C^K_1: rate as stated, proved, a draw, the limit.

    Parameters
    ----------
    runs : trials of ``minimax_rate.trial`` over n, at the d, K and delta of ``params``
    fitted : slope of the medians of "most"
    stated : the exponent that is predicted
    """
    n = np.array(NUMBERS_OF_RECORDS)
    rows = {
        "proved": [proved(params, m) for m in n],
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
        Line("paper's rate", "rate", n, rows["rate"], smooth=True),
        Line("proved", "bound", n, rows["proved"]),
        measured("one release", "released", at, runs["most"]),
        measured("worst f found", "other", at, runs["error"]),
        Line("lower bound", "truth", n, rows["limit"], smooth=True),
    ]
    first = {name: style.number(values[1], 2) for name, values in rows.items()}
    return axes.figure(
        f"All of the class within {first['proved']} at n = {style.number(10_000)}",
        f"{setting}; {trials_said(runs.repeats, 'releases')}",
        lines,
        alt=f"Largest error over a smooth class against n, log-log; {setting}. At n = 10,000 the "
        f"paper's rate is {first['rate']}, proved {first['proved']}, never below {first['limit']}; "
        f"slope of a release {style.fixed(fitted.value)}, predicted {style.fixed(stated)}."[:300],
        mode=mode,
    )


def proved(params: Params, n: int) -> float:
    """The proved error of the planned summary, also where it says nothing.

    >>> proved(Params(d=1, terms=1, epsilon=1, delta=1e-6, lower=-1, upper=1), 10_000)
    0.0073
    """
    _, bias, noise = minimax_rate.tried(params)
    return float((bias + noise / n).min())


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
