"""The picture of a plan: what each mechanism proves over n, and what is expected at n."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from dpviz.planner import estimates, verdicts

if TYPE_CHECKING:
    from dpviz.drawing.style import Figure

POINTS = 9  # of a line
DECADES = 1.5  # of n on both sides
ROLES = ("bound", "baseline", "other")
SHOWN = len(ROLES)


def figure(plan: Any) -> Figure:
    """Proved errors over n as lines, expected ones at n as dots; of a ``Plan``.

    >>> import dpviz
    >>> figure(dpviz.plan(ask="mean", n=2000, epsilon=1)).png()[:4]
    b'\\x89PNG'
    """
    from dpviz.drawing.errors import ErrorAxes, Line, Vacuous, log

    if plan.case.question.kind == "noise":
        raise ValueError("a question about noise alone has no n to draw its error over")
    n = np.geomspace(*(plan.case.n * 10.0**side for side in (-DECADES, DECADES)), POINTS)
    n = np.unique(np.maximum(2, np.round(n)))
    shown = [each for each in plan.candidates if not each.misfit][:SHOWN]
    lines = []
    lowest = plan.without
    for each, role in zip(shown, ROLES, strict=False):
        proved = np.array([_proved(each, plan, x) for x in n])
        if np.isfinite(proved).any():
            lines.append(Line(f"{each.name},\nproved", role, n, proved, smooth=True))
            lowest = min(lowest, float(np.nanmin(proved)))
    for each in shown:
        if each.expected is not None:
            name = "expected" if each is shown[0] else ""
            n_of_runs = each.fewer or plan.case.n
            lines.append(Line(name, "released", [n_of_runs], [each.expected], joined=False))
            lowest = min(lowest, each.expected)
    axes = ErrorAxes(
        log("n, records", float(n[0]), float(n[-1])),
        log("largest error, share of the largest answer", 10 ** math.floor(math.log10(lowest)), 5),
        Vacuous(min(1.0, plan.without), "as good without data"),
    )
    name = "nothing helps here" if plan.winner is None else plan.winner.name
    question = plan.case.question.words()
    return axes.figure(
        f"To take: {name}",
        f"{question}; ε = {plan.case.epsilon:g}; dots: {verdicts.sure(plan.case.beta)} of runs",
        lines,
        alt=f"Errors against n, log-log, of {question}: {plan.verdict}."[:300],
    )


def _proved(candidate: Any, plan: Any, n: float) -> float:
    proved = candidate.call.proved(estimates.at(plan.case, "n", float(n)))
    return proved if proved <= 5 else math.nan
