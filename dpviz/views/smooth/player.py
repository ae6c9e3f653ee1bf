"""The player of lesson 06: term by term."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.papers.smooth_queries.chebyshev import chebyshev
from dpviz.papers.smooth_queries.release import Release
from dpviz.views import style
from dpviz.views.player import Player, View
from dpviz.views.smooth.bias_variance import error_said
from dpviz.views.style import Figure

X = np.cos(np.linspace(0, np.pi, 401))


@dataclass(frozen=True, eq=False)
class TermAdded:
    """The state after one more term: pure data.

    Attributes
    ----------
    degree, of : which term has just been added, and how many there are
    moment, noisy, sd : its exact mean over the records, the released one, the noise's deviation
    coefficient : its coefficient in the query
    values, before, after : arrays (401,), the query, and its partial sums before and after
    exact, noiseless, answer : true answer, the one without noise so far, the released one so far
    """

    degree: int
    of: int
    moment: float
    noisy: float
    sd: float
    coefficient: float
    values: np.ndarray
    before: np.ndarray
    after: np.ndarray
    exact: float
    noiseless: float
    answer: float


def record(
    released: Release,
    moments: np.ndarray,
    coefficients: np.ndarray,
    values: np.ndarray,
    exact: float,
) -> list[TermAdded]:
    """One state for each term of a summary of one variable.

    Parameters
    ----------
    released : the noisy summary
    moments : array (terms,), the exact ones: for the lesson only, not private
    coefficients : array (terms,), the query's
    values : array (401,), the query on the grid ``X``
    exact : its true answer
    """
    parts = coefficients[:, None] * chebyshev(X, len(coefficients))
    partial_sums = np.concatenate([np.zeros((1, len(X))), np.cumsum(parts, axis=0)])
    noiseless = np.cumsum(coefficients * moments)
    answers = np.cumsum(coefficients * released.summary)
    columns = (moments, released.summary, released.sd, coefficients)
    return [
        TermAdded(
            m,
            len(coefficients),
            *(float(column[m]) for column in columns),
            values,
            partial_sums[m],
            partial_sums[m + 1],
            exact,
            float(noiseless[m]),
            float(answers[m]),
        )
        for m in range(len(coefficients))
    ]


def frame_term_added(mode: str) -> Figure:
    """Left the partial sum, right the two errors so far."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, sharey=False, widths=[1.6, 1], names=["", ""]
    )
    style.linear_axis(left, "x", -1, 1, [-1, -0.5, 0, 0.5, 1])
    style.linear_axis(left, "y", -0.35, 1.25, [0, 0.5, 1])
    style.linear_axis(right, "x", -0.6, 1.6, [])
    style.log_axis(right, "y", 1e-5, 2)
    style.axis_titles(left, "x, one measurement", "the query and its approximation")
    style.axis_titles(right, "", "error so far")
    return fig


def paint_term_added(fig: Figure, step: TermAdded) -> None:
    """The query, its partial sums before and after; the answer's error without and with noise."""
    (left, right), mode = fig.axes, fig.mode
    style.retitle(fig, _title(step), _subtitle(step))
    left.plot(X, step.values, **style.line("truth", mode, marker=False))
    left.plot(X, step.before, **style.line("public", mode) | {"lw": 1.4})
    left.plot(X, step.after, **style.line("released", mode, marker=False))
    bias, whole = abs(step.noiseless - step.exact), abs(step.answer - step.exact)
    for place, height, role in ((0, bias, "truth"), (1, whole, "released")):
        right.plot([place], [max(height, 1.1e-5)], **style.points(role, mode) | {"ms": 9})
        style.note(right, place, max(height, 1.1e-5), error_said(height), role, dy=10, ha="center")
    style.note(right, 0, 1e-5, "no noise", "truth", dy=-9, ha="center", halo="white")
    style.note(right, 1, 1e-5, "released", "released", dy=-9, ha="center", halo="white")


def _title(step: TermAdded) -> str:
    noise = abs(step.coefficient) * step.sd
    if step.degree == 0:
        return "Degree 0 is a constant: it needs no noise"
    return f"Degree {step.degree} adds noise of {error_said(noise)} to the answer"


def _subtitle(step: TermAdded) -> str:
    return (
        f"its mean over the records {style.fixed(step.moment, 3)}, released "
        f"{style.fixed(step.noisy, 3)}; black: the query, blue: degrees 0 to {step.degree}"
    )


def say_term_added(step: TermAdded) -> str:
    """One sentence of reading."""
    return (
        f"Degree {step.degree} of {step.of - 1}: mean {style.fixed(step.moment, 3)}, released "
        f"{style.fixed(step.noisy, 3)}, coefficient {style.fixed(step.coefficient, 3)}; the answer "
        f"is off by {error_said(abs(step.noiseless - step.exact))} without noise and by "
        f"{error_said(abs(step.answer - step.exact))} as released."
    )


def tabulate_term_added(step: TermAdded) -> list[list[str]]:
    """The term and the answer so far."""
    return [
        ["", "number"],
        ["exact moment", style.fixed(step.moment, 4)],
        ["released moment", style.fixed(step.noisy, 4)],
        ["noise, 1 sd", style.number(step.sd, 3)],
        ["coefficient in the query", style.fixed(step.coefficient, 4)],
        ["true answer", style.fixed(step.exact, 4)],
        ["answer so far, no noise", style.fixed(step.noiseless, 4)],
        ["answer so far, released", style.fixed(step.answer, 4)],
    ]


TERM_ADDED = View(frame_term_added, paint_term_added, say_term_added, tabulate_term_added)


def play_terms(
    released: Release,
    moments: np.ndarray,
    coefficients: np.ndarray,
    values: np.ndarray,
    exact: float,
) -> Player:
    """Step through the terms; arguments as in :func:`record`. It starts at degree 3."""
    trace = record(released, moments, coefficients, values, exact)
    return Player(TERM_ADDED, trace, start=min(3, len(trace) - 1))
