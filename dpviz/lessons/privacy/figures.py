"""Two laws and their ratio, totals by four rules, noise beside sampling error, the two errors of a
test (lesson 01)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from dpviz import accounting
from dpviz.drawing import style
from dpviz.drawing.live import View
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure

COUNT = 212  # malignant patients in the clinic
OUTPUTS = np.linspace(195, 229, 681)  # released counts that are drawn
EPSILONS = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3]
TOP = 5.5  # of the log-ratio axis: five records at ε = 1 stay on it


@dataclass(frozen=True, eq=False)
class Laws:
    """The law of the printed number on the data, and on data with a smaller count.

    Attributes
    ----------
    mechanism : "Laplace" or "Gauss"
    epsilon, delta : the promise for one record
    distance : by how many records the two data sets differ
    log_here, log_there : arrays, log-densities over :data:`OUTPUTS`, up to one constant
    output : the printed number whose odds are read off
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
    output: float = COUNT

    @property
    def evidence(self) -> float:
        """The log-ratio at the output that is read off."""
        return float(np.interp(self.output, OUTPUTS, self.ratio))

    @property
    def ratio(self) -> np.ndarray:
        """Evidence for the larger count, as a log-ratio, at each printed number."""
        return self.log_here - self.log_there


def laws(
    *,
    mechanism: str,
    epsilon: float,
    delta: float,
    distance: int,
    output: float = COUNT,
    seed: int = 1,
) -> Laws:
    """Both laws; nothing is random, ``seed`` is not used."""
    if mechanism == "Laplace":
        here, there = (-epsilon * np.abs(OUTPUTS - c) for c in (COUNT, COUNT - distance))
        needed = -math.expm1(-epsilon * (distance - 1) / 2)
        return Laws(mechanism, epsilon, 0.0, distance, here, there, needed, output)
    sd = accounting.gaussian_sd(epsilon=epsilon, delta=delta)
    here, there = (-0.5 * ((OUTPUTS - c) / sd) ** 2 for c in (COUNT, COUNT - distance))
    needed = accounting.gaussian_delta(sd=sd / distance, epsilon=epsilon)
    return Laws(mechanism, epsilon, delta, distance, here, there, needed, output)


def evidence(*, epsilon: float, output: float, distance: int, seed: int = 1) -> Laws:
    """Both laws under Laplace noise; nothing is random, ``seed`` is not used."""
    return laws(mechanism="Laplace", epsilon=epsilon, delta=0, distance=distance, output=output)


def frame_laws(mode: str, height: float = 1.0, above: float = 1.5) -> Figure:
    """Densities above, their log-ratio below, over the same printed numbers."""
    look = {"rows": 2, "heights": [above, 1], "gutter": True, "height": height}
    fig, (top, bottom) = style.figure("", alt="", mode=mode, **look)
    for ax in (top, bottom):
        style.linear_axis(ax, "x", OUTPUTS[0], OUTPUTS[-1], [200, 205, 210, 215, 220, 225])
    style.linear_axis(top, "y", 0, 1.12, [0, 0.5, 1])
    style.linear_axis(bottom, "y", -TOP, TOP, [-4, -2, 0, 2, 4])
    style.axis_titles(top, "", "density of the printed number (peak = 1)")
    style.axis_titles(bottom, "printed number of malignant patients", "log of their ratio")
    bottom.axhline(0, **style.line("lattice", mode))
    return fig


def paint_laws(fig: Figure, result: Laws) -> None:
    """The data's law filled, the neighbour's dashed; the ratio between its proved lines."""
    top, bottom = fig.axes
    style.retitle(fig, _title(result), _subtitle(result))
    here = np.exp(result.log_here)
    there = np.exp(result.log_there)
    blue = style.line("released", fig.mode, marker=False)
    style.band(top, OUTPUTS, 0 * here, here)
    top.plot(OUTPUTS, here, **blue)
    top.plot(OUTPUTS, there, **blue | {"ls": (0, (4, 2.2)), "lw": 1.6})
    beyond = result.ratio > result.epsilon * (1 + 1e-9)
    if beyond.any():
        yellow = style.ROLES["event"].colour
        ceiling = np.exp(result.epsilon) * there
        look = {"color": yellow, "alpha": 0.75, "lw": 0, "zorder": 3}
        top.fill_between(OUTPUTS, ceiling, here, where=beyond, **look)
    bottom.plot(OUTPUTS, np.clip(result.ratio, -TOP, TOP), **blue)
    for sign, name in ((-1, "−ε"), (1, "+ε")):
        limit = {"lw": 1.2, "marker": "", "gid": name}
        bottom.axhline(sign * result.epsilon, **style.line("bound", fig.mode) | limit)
    smaller = COUNT - result.distance
    names = [(f"data: {COUNT}", here, 0.6), (f"neighbour: {smaller}\n(dashed)", there, 0.3)]
    ends = [np.flatnonzero(law >= height)[-1] for _, law, height in names]
    style.label_ends(
        top,
        [
            (OUTPUTS[end], law[end], words, "released")
            for (words, law, _), end in zip(names, ends, strict=True)
        ],
    )
    _draw_output(top, bottom, result)
    names = [(229, sign * result.epsilon, word, "bound") for sign, word in ((1, "+ε"), (-1, "−ε"))]
    style.label_ends(bottom, names)


def _draw_output(top: Axes, bottom: Axes, result: Laws) -> None:
    """One printed number: how likely under each law, and the log of that ratio."""
    mode = top.get_figure(root=True).mode
    mark = style.line("event", mode, marker=False) | {"zorder": 1.4, "gid": "output"}
    for ax in (top, bottom):
        ax.axvline(result.output, **mark)
    at = [np.interp(result.output, OUTPUTS, np.exp(each))
          for each in (result.log_here, result.log_there)]  # fmt: skip
    dot = style.points("event", mode) | {"marker": "o", "ms": 6}
    top.plot([result.output] * 2, at, **dot)
    shown = float(np.clip(result.evidence, -TOP, TOP))
    bar = {"color": style.INK, "alpha": 0.75, "lw": 9}
    bottom.plot([result.output] * 2, [0, shown], solid_capstyle="butt", **bar)
    bottom.plot([result.output], [shown], **dot)
    # The ratio grows from left to right, so this corner is free.
    ratio = style.number(math.exp(result.evidence), 3)
    words = f"ratio {ratio}, log {style.number(result.evidence)}"
    style.note(bottom, 0.01, 0.97, words, at="axes", va="top")


def _title(result: Laws) -> str:
    """How far the odds can move."""
    reach = float(np.abs(result.ratio).max())
    if result.needed:
        return f"±ε is not enough: it takes δ = {style.number(result.needed)}"
    times = style.number(math.exp(reach), 3)
    return f"Likelihoods differ by a factor of at most {times}"


def _subtitle(result: Laws) -> str:
    promise = f"ε = {style.number(result.epsilon)}"
    promise += f", δ = {style.number(result.delta)}" if result.delta else ""
    records = "1 record" if result.distance == 1 else f"{result.distance} records"
    return f"{result.mechanism} noise, {promise}; the data sets differ in {records}"


def say_laws(result: Laws) -> str:
    """One sentence of reading."""
    reach = float(np.abs(result.ratio).max())
    needed = f"; the δ needed is {style.number(result.needed)}" if result.needed else ""
    inside = reach <= result.epsilon * (1 + 1e-9)
    stays = "leaves" if not inside else "stays here within" if result.needed else "never leaves"
    return (
        f"Two {result.mechanism} curves at {COUNT} and {COUNT - result.distance}, and the log of "
        f"their ratio over printed numbers from 195 to 229: it reaches {style.number(reach, 3)} "
        f"and {stays} ±{style.number(result.epsilon)}{needed}. A printed "
        f"{style.number(result.output, 4)} is {style.number(math.exp(result.evidence), 3)} times "
        f"as likely from {COUNT} as from {COUNT - result.distance}."
    )


def table_laws(result: Laws) -> list[list[str]]:
    """The evidence of the printed number that was chosen, and of four others."""
    rows = [["printed", "log-ratio", "odds from 1 : 1"]]
    for output in (result.output, 205, 212, 214, 225):
        ratio = float(np.interp(output, OUTPUTS, result.ratio))
        rows.append(
            [
                style.number(output, 4),
                style.signed(ratio, 3),
                f"{style.number(math.exp(ratio), 3)} : 1",
            ]
        )
    return rows


def frame_evidence(mode: str) -> Figure:
    """The same, less high: text and controls have room above it on the first screen."""
    return frame_laws(mode, height=0.76, above=0.8)


LAWS = View(frame_laws, paint_laws, say_laws, table_laws)
EVIDENCE = View(frame_evidence, paint_laws, say_laws, table_laws)
figure_laws = LAWS.figure
DELTA = 1e-6
COUNTS = sorted({round(10 ** (i / 12)) for i in range(32)} | {20, 35, 100, 400})
STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]

RULES = {"basic": "baseline", "advanced": "baseline2", "zCDP": "other", "exact": "bound"}


@dataclass(frozen=True, eq=False)
class Totals:
    """Total epsilon at delta = 1e-6 of k pure steps, by four rules.

    Attributes
    ----------
    step : epsilon of one step
    k : the number of steps asked about
    curves : dict from rule to array over :data:`COUNTS`
    here : dict from rule to the total at k
    """

    step: float
    k: int
    curves: dict[str, np.ndarray]
    here: dict[str, float]

    @property
    def first(self) -> int:
        """The first k at which advanced composition beats basic, or 0 if none up to 1,000."""
        for k in range(1, 1001):
            if accounting.pure_advanced(epsilon=self.step, k=k, delta=DELTA) < k * self.step:
                return k
        return 0


@lru_cache(maxsize=10_000)
def total(rule: str, step: float, k: int) -> float:
    """Total epsilon of k steps by one rule."""
    if rule == "basic":
        return k * step
    if rule == "advanced":
        return accounting.pure_advanced(epsilon=step, k=k, delta=DELTA)
    if rule == "zCDP":
        return accounting.zcdp_epsilon(rho=k * step**2 / 2, delta=DELTA)
    return accounting.pure_exact(epsilon=step, k=k, delta=DELTA)


def totals(*, k: int, step: float, seed: int = 1) -> Totals:
    """All four rules; nothing is random, ``seed`` is not used."""
    curves = {rule: np.array([total(rule, step, n) for n in COUNTS]) for rule in RULES}
    return Totals(step, k, curves, {rule: total(rule, step, k) for rule in RULES})


def frame_totals(mode: str) -> Figure:
    """Log-log axes."""
    fig, ax = style.figure("", alt="", mode=mode)
    style.log_axis(ax, "x", 1, 450)
    style.log_axis(ax, "y", 0.01, 500)
    style.axis_titles(ax, "k, answers (log scale)", "total ε at δ = 10⁻⁶ (log scale)")
    return fig


def paint_totals(fig: Figure, result: Totals) -> None:
    """Four curves, and a plus where k is."""
    ax = fig.axes[0]
    here = result.here
    cost = "1 answer costs" if result.k == 1 else f"{result.k} answers cost"
    style.retitle(
        fig,
        f"{cost} ε = {style.number(here['exact'], 3)}",
        f"each of ε = {style.number(result.step)}; by adding up: {style.number(here['basic'], 3)}",
    )
    for rule, role in RULES.items():
        ax.plot(COUNTS, result.curves[rule], **style.line(role, fig.mode, marker=False))
    style.event(ax, result.k, here["exact"], "here", name="here")
    ends = [(450, result.curves[rule][-1], rule, role) for rule, role in RULES.items()]
    style.label_ends(ax, ends)


def say_totals(result: Totals) -> str:
    """One sentence of reading."""
    words = ", ".join(f"{rule} {style.number(value, 3)}" for rule, value in result.here.items())
    least = min(("basic", "advanced", "zCDP"), key=lambda rule: result.here[rule])
    return (
        "Total ε at δ = 10⁻⁶ against the number of steps, each of "
        f"{style.number(result.step)}; for {result.k}: {words}. Of the simple rules {least} is the "
        "best here."
    )


def table_totals(result: Totals) -> list[list[str]]:
    """The four totals at k."""
    rows = [[rule, style.number(value, 3)] for rule, value in result.here.items()]
    return [["rule", "total ε"], *rows]


TOTALS = View(frame_totals, paint_totals, say_totals, table_totals)
figure_totals = TOTALS.figure


def free_from(*, epsilon: float, delta: float = 0.0) -> int:
    """The n from which privacy noise on a share is below its sampling error.

    Noise of standard deviation s/n, with s = sqrt(2)/epsilon (Laplace) or the analytic Gaussian
    one, is at most the largest sampling error 1/(2 sqrt(n)) from n = 4 s^2 on.

    >>> free_from(epsilon=1), free_from(epsilon=0.1), free_from(epsilon=1, delta=1e-6)
    (8, 800, 72)
    """
    if delta:
        return math.ceil(4 * accounting.gaussian_sd(epsilon=epsilon, delta=delta) ** 2)
    return math.ceil(8 / epsilon**2 - 1e-9)


@still
def figure_free(mode: str = "notebook") -> Figure:
    """Sampling error and privacy noise of a share, against n."""
    n = np.logspace(0, 6, 61)
    promises = [(1.0, 0.0), (0.1, 0.0), (0.01, 0.0), (1.0, DELTA)]
    places = [free_from(epsilon=e, delta=d) for e, d in promises]
    fig, ax = style.figure(
        f"At ε = 1 noise equals the sampling error at n = {places[0]}",
        "a share of n records, p = ½: standard deviations; yellow: noise meets sampling error",
        alt="Log-log chart against n, 1 to 10⁶: sampling error falls like 1/√n, privacy noise like "
        f"1/n; they meet at {places[0]}, {places[1]} and {places[2]} for ε = 1, 0.1, 0.01 "
        f"(Laplace) and at {places[3]} for Gauss at ε = 1, δ = 10⁻⁶.",
        mode=mode,
    )
    style.log_axis(ax, "x", 1, 1e6)
    style.log_axis(ax, "y", 1e-6, 10)
    ax.plot(n, 0.5 / np.sqrt(n), **style.line("public", mode) | {"lw": 2})
    names = [(1e6, 0.5e-3, "sampling error", "public")]
    for (epsilon, delta), place in zip(promises, places, strict=True):
        role = "released"
        sd = math.sqrt(2) / epsilon
        if delta:
            role = "baseline2"
            sd = accounting.gaussian_sd(epsilon=epsilon, delta=delta)
        ax.plot(n, sd / n, **style.line(role, mode, marker=False))
        style.event(ax, place, 0.5 / math.sqrt(place), "worst")
        kind = "Gauss, ε = 1" if delta else f"Laplace, ε = {style.number(epsilon)}"
        names.append((1e6, sd / 1e6, kind, role))
    style.label_ends(ax, names)
    style.axis_titles(ax, "n, records (log scale)", "standard deviation of a share (log scale)")
    return fig


TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1]
ROLES = ("released", "event", "baseline")  # of the mechanisms whose tests are measured


def least_misses(alarms: ArrayLike, *, epsilon: float, delta: float = 0.0) -> np.ndarray:
    """The fewest misses that (epsilon, delta) allows a test with so many false alarms.

    No test on two neighbouring data sets is below (Theorem 1.7 of the lesson; Wasserman and
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
    a = np.asarray(alarms, dtype=float)
    grow = math.exp(epsilon)
    return np.maximum(0, np.maximum(1 - delta - grow * a, (1 - delta - a) / grow))


def laplace_tail(level: float) -> float:
    """Probability that Laplace noise of scale 1 exceeds a level.

    >>> laplace_tail(0), round(laplace_tail(1), 3), round(laplace_tail(-1), 3)
    (0.5, 0.184, 0.816)
    """
    return 0.5 * math.exp(-level) if level > 0 else 1 - 0.5 * math.exp(level)


def laplace_misses(alarms: ArrayLike, *, epsilon: float) -> np.ndarray:
    """Misses of the best test against Laplace noise, for a count that may differ by 1.

    Such a test raises the alarm from some level on. Outside the two counts it is on the limit
    of :func:`least_misses`; between them the product of both errors is exp(-epsilon) / 4.

    >>> laplace_misses([0.5], epsilon=1).round(3).tolist()
    [0.184]
    """
    a = np.asarray(alarms, dtype=float)
    corner = math.exp(-epsilon) / 2
    between = corner / (2 * np.clip(a, corner, 0.5))
    return np.where((a > corner) & (a < 0.5), between, least_misses(a, epsilon=epsilon))


@still
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
