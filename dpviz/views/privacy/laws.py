"""Two laws side by side: what one printed number can say about one record (lesson 01)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpviz import accounting
from dpviz.views import style
from dpviz.views.explorer import Choice, Explorer, Slider
from dpviz.views.live import View
from dpviz.views.style import Figure

COUNT = 212  # malignant patients in the clinic
OUTPUTS = np.linspace(195, 229, 681)  # released counts that are drawn
EPSILONS = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3]
DELTAS = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2]
TOP = 4.5  # of the log-ratio axis


@dataclass(frozen=True, eq=False)
class Laws:
    """The law of the printed number on the data, and on data with a smaller count.

    Attributes
    ----------
    mechanism : "Laplace" or "Gauss"
    epsilon, delta : the promise for one record
    distance : by how many records the two data sets differ
    log_here, log_there : arrays, log-densities over :data:`OUTPUTS`, up to one constant
    needed : the delta that this distance needs: the area by which the data's density stands
        above e^epsilon times the neighbour's
    """

    mechanism: str
    epsilon: float
    delta: float
    distance: int
    log_here: np.ndarray
    log_there: np.ndarray
    needed: float

    @property
    def ratio(self) -> np.ndarray:
        """Evidence for the larger count, as a log-ratio, at each printed number."""
        return self.log_here - self.log_there


def laws(*, mechanism: str, epsilon: float, delta: float, distance: int, seed: int = 1) -> Laws:
    """Both laws; nothing is random, ``seed`` is not used."""
    if mechanism == "Laplace":
        logs = [-epsilon * np.abs(OUTPUTS - c) for c in (COUNT, COUNT - distance)]
        needed = -math.expm1(-epsilon * (distance - 1) / 2)
        return Laws(mechanism, epsilon, 0.0, distance, *logs, needed)
    sd = accounting.gaussian_sd(epsilon=epsilon, delta=delta)
    logs = [-0.5 * ((OUTPUTS - c) / sd) ** 2 for c in (COUNT, COUNT - distance)]
    needed = accounting.gaussian_delta(sd=sd / distance, epsilon=epsilon)
    return Laws(mechanism, epsilon, delta, distance, *logs, needed)


def frame_laws(mode: str) -> Figure:
    """Densities above, their log-ratio below, over the same printed numbers."""
    fig, (top, bottom) = style.figure("", alt="", mode=mode, rows=2, heights=[1.5, 1], gutter=True)
    for ax in (top, bottom):
        style.linear_axis(ax, "x", OUTPUTS[0], OUTPUTS[-1], [200, 205, 210, 215, 220, 225])
    style.linear_axis(top, "y", 0, 1.12, [0, 0.5, 1])
    style.linear_axis(bottom, "y", -TOP, TOP, [-4, -2, 0, 2, 4])
    style.axis_titles(top, "", "density of the printed number (peak = 1)")
    style.axis_titles(bottom, "printed number of malignant patients", "log of their ratio")
    bottom.axhline(0, **style.line("lattice", mode))
    return fig


def paint_laws(fig: Figure, result: Laws) -> None:
    """The data's law filled, the neighbour's dashed; the ratio between its rust lines."""
    top, bottom = fig.axes
    style.retitle(fig, _title(result), _subtitle(result))
    here, there = np.exp(result.log_here), np.exp(result.log_there)
    blue = style.line("released", fig.mode, marker=False)
    style.band(top, OUTPUTS, 0 * here, here)
    top.plot(OUTPUTS, here, **blue)
    top.plot(OUTPUTS, there, **blue | {"ls": (0, (4, 2.2)), "lw": 1.6})
    beyond = result.ratio > result.epsilon * (1 + 1e-9)
    if beyond.any():
        ochre = style.ROLES["event"].colour
        ceiling = np.exp(result.epsilon) * there
        look = {"color": ochre, "alpha": 0.75, "lw": 0, "zorder": 3}
        top.fill_between(OUTPUTS, ceiling, here, where=beyond, **look)
    bottom.plot(OUTPUTS, np.clip(result.ratio, -TOP, TOP), **blue)
    for sign in (-1, 1):
        limit = {"lw": 1.2} | {"marker": ""}
        bottom.axhline(sign * result.epsilon, **style.line("bound", fig.mode) | limit)
    smaller = COUNT - result.distance
    style.label_ends(top, [(229, 0.6, f"data: {COUNT}", "released"),
                           (229, 0.3, f"neighbour: {smaller}\n(dashed)", "released")])  # fmt: skip
    names = [(229, sign * result.epsilon, word, "bound") for sign, word in ((1, "+ε"), (-1, "−ε"))]
    style.label_ends(bottom, names)


def _title(result: Laws) -> str:
    """How far the odds can move."""
    reach = float(np.abs(result.ratio).max())
    if result.needed:
        return f"±ε is not enough: it takes δ = {style.number(result.needed)}"
    return f"No printed number moves the odds over {style.number(math.exp(reach), 3)} : 1"


def _subtitle(result: Laws) -> str:
    promise = f"ε = {style.number(result.epsilon)}"
    promise += f", δ = {style.number(result.delta)}" if result.delta else ""
    records = "1 record" if result.distance == 1 else f"{result.distance} records"
    return f"{result.mechanism} noise, {promise}; the data sets differ in {records}"


def say_laws(result: Laws) -> str:
    """One sentence of reading."""
    reach = float(np.abs(result.ratio).max())
    inside = reach <= result.epsilon * (1 + 1e-9)
    stays = "never leaves" if inside else "leaves"
    return (
        f"Two {result.mechanism} curves at {COUNT} and {COUNT - result.distance}, and the log of "
        f"their ratio over printed numbers from 195 to 229: it reaches {style.number(reach, 3)} "
        f"and {stays} ±{style.number(result.epsilon)}; the δ needed is "
        f"{style.number(result.needed)}."
    )


def table_laws(result: Laws) -> list[list[str]]:
    """The evidence of three printed numbers."""
    rows = [["printed", "log-ratio", "odds from 1 : 1"]]
    for output in (205, 212, 214, 225):
        ratio = float(np.interp(output, OUTPUTS, result.ratio))
        rows.append(
            [str(output), style.signed(ratio, 3), f"{style.number(math.exp(ratio), 3)} : 1"]
        )
    return rows


LAWS = View(frame_laws, paint_laws, say_laws, table_laws)


def figure_laws(result: Laws, mode: str = "notebook") -> Figure:
    """The still picture of two laws."""
    return LAWS.figure(result, mode)


def explore_laws() -> Explorer:
    """Epsilon, delta, the distance of the data sets, the mechanism."""
    controls = [
        Slider(name="epsilon", label="ε", values=EPSILONS, start=1),
        Slider(name="distance", label="records that differ", values=range(1, 6), start=1),
        Slider(name="delta", label="δ (Gauss)", values=DELTAS, start=1e-6),
        Choice(name="mechanism", label="noise", values=("Laplace", "Gauss"), start="Laplace"),
    ]
    presets = {
        "One vote": {},
        "A family of five": {"distance": 5, "epsilon": 0.5},
        "Gauss leaks a little": {"mechanism": "Gauss", "delta": 1e-2, "epsilon": 0.5},
        "Strict": {"epsilon": 0.1},
    }
    return Explorer(laws, LAWS, controls, presets, random=False)
