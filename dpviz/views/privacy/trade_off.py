"""The trade-off (ROC) curve of a mechanism: the two errors of a test, and what epsilon forbids."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from dpviz.views import style
from dpviz.views.style import Figure

TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1]
ROLES = ("released", "event", "baseline")  # of the mechanisms whose tests are measured


def least_misses(alarms: ArrayLike, *, epsilon: float, delta: float = 0.0) -> np.ndarray:
    """The fewest misses that (epsilon, delta) allows a test with so many false alarms.

    No test on two neighbouring data sets is below (Theorem 1.3 of the lesson; Wasserman and
    Zhou 2010).

    Parameters
    ----------
    alarms : array of probabilities of a false alarm (type I error), each in [0, 1]

    Returns
    -------
    array of probabilities of a miss (type II error), each in [0, 1]

    >>> least_misses([0, 1 / (1 + math.e), 1], epsilon=1).round(3).tolist()
    [1.0, 0.269, 0.0]
    """
    a, grow = np.asarray(alarms, dtype=float), math.exp(epsilon)
    return np.maximum(0, np.maximum(1 - delta - grow * a, (1 - delta - a) / grow))


def laplace_misses(alarms: ArrayLike, *, epsilon: float) -> np.ndarray:
    """Misses of the best test against Laplace noise, for a count that may differ by 1.

    Such a test raises the alarm from some level on. Outside the two counts it is on the limit
    of :func:`least_misses`; between them the product of both errors is exp(-epsilon) / 4.

    >>> laplace_misses([0.5], epsilon=1).round(3).tolist()
    [0.184]
    """
    a, corner = np.asarray(alarms, dtype=float), math.exp(-epsilon) / 2
    between = corner / (2 * np.clip(a, corner, 0.5))
    return np.where((a > corner) & (a < 0.5), between, least_misses(a, epsilon=epsilon))


def figure_trade_off(
    measured: Mapping[str, np.ndarray], *, epsilon: float, runs: int, mode: str = "notebook"
) -> Figure:
    """False alarms against misses: measured tests, the exact curve, and the forbidden zone.

    Parameters
    ----------
    measured : mechanism -> array (tests, 2), shares of false alarms and of misses; the first
        mechanism adds Laplace noise to a count
    runs : outputs on each side, from which each share comes
    """
    both = 1 / (1 + math.exp(epsilon))  # where both limits meet
    fig, ax = style.figure(
        f"No test gets both errors below {style.number(100 * both)} %",
        f"is a given record in the data? ε = {style.number(epsilon)}; "
        f"{style.number(runs)} runs a side",
        alt="Misses against false alarms of tests, both from 0 to 1. Below two straight lines, "
        f"which meet at {style.number(both)}, no test can be; measured tests lie on or above "
        f"them: {', '.join(f'{len(rates)} for {name}' for name, rates in measured.items())}.",
        mode=mode,
    )
    _limits(ax, both, epsilon=epsilon)
    for (_, rates), role in zip(measured.items(), ROLES, strict=False):
        look = style.points(role, mode) | ({"marker": "P", "ms": 8} if role == "event" else {})
        ax.plot(*np.transpose(rates), **look | {"clip_on": False})
    ends = enumerate(zip(measured, ROLES, strict=False))
    style.label_ends(ax, [(1, 0.2 - 0.13 * i, name, role) for i, (name, role) in ends])
    style.axis_titles(ax, "false alarms (type I error)", "misses (type II error)")
    return fig


def _limits(ax: Axes, both: float, *, epsilon: float) -> None:
    """What no test can reach, the best tests against Laplace noise, and tests that see nothing."""
    mode = ax.get_figure(root=True).mode
    for which in ("x", "y"):
        style.linear_axis(ax, which, 0, 1, TICKS)
    a = np.union1d(np.linspace(0, 1, 401), [both])
    limit = least_misses(a, epsilon=epsilon)
    style.band(ax, a, 0 * a, limit, "bound")
    ax.plot(a, limit, **style.line("bound", mode, marker=False))
    ax.plot(a, laplace_misses(a, epsilon=epsilon), **style.line("public", mode) | {"lw": 1.4})
    ax.plot(a, 1 - a, **style.line("baseline2", mode, marker=False))
    style.note(ax, 0.05, 0.05, "impossible", "bound")
    style.note(ax, 0.62, 0.42, "test that ignores the output", "baseline2")
