"""The explorers of lesson 01: two laws, totals, and an auditor to find the broken one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from textwrap import shorten

from matplotlib.axes import Axes

from dpviz.audit.auditor import Finding, alarms, audit
from dpviz.audit.broken import CORRECT, FAULTS, Fault
from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Explorer, Handle, Slider, View, stops
from dpviz.lessons.privacy.figures import (
    EPSILONS,
    EVIDENCE,
    LAWS,
    TOTALS,
    evidence,
    laws,
    totals,
)

OUTPUT = Slider(
    name="output",
    label="printed number",
    values=stops(196, 228),
    start=214,
    show=lambda value: style.fixed(value, 1),
)


def explore_evidence() -> Explorer:
    """Drag the printed number; the bar of its evidence stays in the band."""
    epsilons = stops(EPSILONS[0], EPSILONS[-1], log=True, also=EPSILONS)
    controls = [
        OUTPUT,
        Slider(name="epsilon", label="ε", values=epsilons, start=1),
        Slider(name="distance", label="records that differ", values=range(1, 6), start=1),
    ]
    handles = [Handle(mark="output", x="output", jump=True), Handle(mark="+ε", y="epsilon")]
    return Explorer(evidence, EVIDENCE, controls, random=False, handles=handles)


def explore_laws() -> Explorer:
    """Drag a printed number under two densities, and epsilon by the flank of one."""
    gauss = [{"mechanism": ["Gauss"]}]
    epsilons = stops(EPSILONS[0], EPSILONS[-1], log=True, also=EPSILONS)
    deltas = stops(1e-9, 0.1, log=True, also=[1e-6])
    controls = [
        Slider(name="epsilon", label="ε", values=epsilons, start=1),
        OUTPUT,
        Slider(name="distance", label="records that differ", values=range(1, 6), start=1),
        Slider(name="delta", label="δ (Gauss)", values=deltas, start=1e-6, acts=gauss),
        Choice(name="mechanism", label="noise", values=("Laplace", "Gauss"), start="Laplace"),
    ]
    presets = {
        "One vote": {},
        "A family of five": {"distance": 5, "epsilon": 0.5},
        "Gauss leaks": {"mechanism": "Gauss", "delta": 0.1, "epsilon": 0.5, "output": 220},
        "Strict": {"epsilon": 0.1},
    }
    handles = [
        Handle(mark="output", x="output", jump=True),
        Handle(mark="+ε", y="epsilon"),
    ]
    return Explorer(laws, LAWS, controls, presets, random=False, handles=handles)


def explore_totals() -> Explorer:
    """Drag the number of answers: what do they cost together, by each theorem?"""
    ks = stops(1, 400, log=True, whole=True, also=[20, 34, 35, 100])
    controls = [
        Slider(name="k", label="k, answers", values=ks, start=20),
        Slider(
            name="step", label="ε of each", values=stops(0.01, 1, log=True, also=[0.1]), start=0.1
        ),
    ]
    presets = {"Twenty queries": {}, "A hundred": {"k": 100}, "Large steps": {"step": 1, "k": 20}}
    handles = [Handle(mark="here", x="k", jump=True)]
    return Explorer(totals, TOTALS, controls, presets, random=False, handles=handles)


SAMPLES = [200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000]
MOST, RAREST = 4.0, 1e-5  # ends of the axes: epsilon, share of the samples
SIDES = ("likelier side", "other side")
LENGTHS = {"notebook": 130, "projector": 100, "phone": 80}  # of the subtitle

_MYSTERY: dict[str, Fault] = {
    "A": CORRECT["half noise"],
    "B": FAULTS["missing half"],
    "C": FAULTS["variant 4"],
    "D": CORRECT["variant 4"],
    "E": FAULTS["half noise"],
}


@dataclass(frozen=True)
class Audited:
    """What the auditor says about one mystery mechanism.

    Attributes
    ----------
    name : the letter on the seal
    claimed : epsilon that the mechanism claims
    finding : what the audit proved
    ranges : for both sides the exact interval of the event's probability, the likelier first
    """

    name: str
    claimed: float
    finding: Finding
    ranges: tuple[tuple[float, float], tuple[float, float]]

    @property
    def alarm(self) -> bool:
        """Whether the claim is refuted."""
        return alarms(self.finding, self.claimed)

    @property
    def needed(self) -> float:
        """Least probability of the event on the other side, if the claim were true."""
        return (self.ranges[0][0] - self.finding.delta) * math.exp(-self.claimed)


@lru_cache(maxsize=128)  # a slider goes to and fro
def audit_mystery(*, mechanism: str, samples: int, seed: int) -> Audited:
    """Audit the mechanism behind a letter."""
    mystery = _MYSTERY[mechanism]
    finding = audit(
        mystery.mechanism,
        mystery.data,
        mystery.neighbour,
        samples=samples,
        delta=mystery.delta,
        rng=seed,
    )
    error = (1 - finding.confidence) / 2
    ranges = [clopper_pearson(count, finding.judged, error=error) for count in finding.counts]
    return Audited(mechanism, mystery.epsilon, finding, tuple(ranges))


def clopper_pearson(count: int, trials: int, *, error: float) -> tuple[float, float]:
    """Exact interval of a probability; each end is wrong with probability at most ``error``.

    >>> [round(end, 4) for end in clopper_pearson(0, 100, error=0.025)]
    [0.0, 0.0362]
    """
    from scipy.special import betaincinv

    lower = betaincinv(count, trials - count + 1, error) if count else 0.0
    upper = betaincinv(count + 1, trials - count, 1 - error) if count < trials else 1.0
    return float(lower), float(upper)


def mystery() -> dict[str, str]:
    """What is behind the five letters, in words. For after the guess."""
    return {name: _words(fault) for name, fault in _MYSTERY.items()}


def _words(fault: Fault) -> str:
    if not fault.caught_by:
        return f"correct: it keeps its claim, as {fault.name!r} does not"
    loss = f"it claims {style.number(fault.epsilon)} and loses {style.number(fault.truth, 3)}"
    return f"{fault.name}: {loss}. {fault.what}"


def frame_audited(mode: str) -> Figure:
    """Above epsilon, below how often the event came."""
    fig, (top, bottom) = style.figure(
        "", alt="", mode=mode, rows=2, heights=[1, 1.5], sharex=False, gutter=True
    )
    style.linear_axis(top, "x", 0, MOST, [0, 1, 2, 3, 4])
    style.linear_axis(top, "y", 0, 1, [])
    style.log_axis(bottom, "x", RAREST, 1)
    style.linear_axis(bottom, "y", 1.7, -0.7, [])
    style.axis_titles(top, "ε", "what ε can still be")
    style.axis_titles(bottom, "(log scale)", "how often the event came, with its interval")
    for row in range(len(SIDES)):
        bottom.axhline(row, **style.line("lattice", mode))
    style.label_ends(bottom, [(1, row, name, "released") for row, name in enumerate(SIDES)])
    return fig


def paint_audited(fig: Figure, result: Audited) -> None:
    """The claim beside the bound; both counts beside what the claim needs."""
    top, bottom = fig.axes
    verdict = "refuted" if result.alarm else "not refuted"
    lower = style.fixed(result.finding.lower, 2)
    style.retitle(
        fig, f"{result.name}: ε is at least {lower}; claim {verdict}", _subtitle(fig, result)
    )
    _draw_epsilon(top, result)
    for row, (count, ends) in enumerate(zip(result.finding.counts, result.ranges, strict=True)):
        _draw_share(bottom, row, count / result.finding.judged, ends)
    _draw_needed(bottom, result)


def _subtitle(fig: Figure, result: Audited) -> str:
    """How many were judged, and the event without its example, as far as there is room."""
    event = result.finding.event.partition(", such as")[0]
    words = f"{style.number(result.finding.judged)} a side judged; {event}"
    return shorten(words, LENGTHS[fig.mode], placeholder=" ...")


def _draw_epsilon(ax: Axes, result: Audited) -> None:
    """From the bound to the right: what epsilon can still be; the claim as a line."""
    mode = ax.get_figure(root=True).mode
    lower = min(result.finding.lower, MOST)
    blue = style.line("released", mode, marker=False)
    ax.axvspan(lower, MOST, fc=blue["color"], alpha=0.18)
    ax.axvline(lower, **blue)
    ax.axvline(result.claimed, **style.line("bound", mode, marker=False))
    if result.alarm:
        style.event(ax, lower, 0.5)
    claimed = style.number(result.claimed)
    shown = style.fixed(result.finding.lower, 2)
    words = [(f"claimed: {claimed}", "bound"), (f"shown: ≥ {shown}", "released")]
    style.label_ends(ax, [(MOST, y, *named) for y, named in zip((0.75, 0.25), words, strict=True)])


def _draw_share(ax: Axes, row: int, share: float, ends: tuple[float, float]) -> None:
    """A share as a dot with its interval; never seen, it is an interval alone."""
    mode = ax.get_figure(root=True).mode
    low, high = (max(end, RAREST) for end in ends)
    thick = style.line("released", mode, marker=False) | {"lw": 7, "alpha": 0.34}
    ax.plot([low, high], [row, row], **thick | {"solid_capstyle": "butt"})
    if share:
        ax.plot([share], [row], **style.points("released", mode))


def _draw_needed(ax: Axes, result: Audited) -> None:
    """What the claim needs on the other side."""
    mode = ax.get_figure(root=True).mode
    needed = result.needed
    if needed > RAREST:
        ax.plot([needed] * 2, [0.7, 1.4], **style.line("bound", mode, marker=False))
        side = "right" if needed > 100 * RAREST else "left"
        style.note(ax, needed, 0.5, "the claim: at least this", "bound", ha=side)


def say_audited(result: Audited) -> str:
    """One sentence of reading, and another on what is too rare to be seen."""
    finding, (often, seldom) = result.finding, map(style.number, result.finding.counts)
    verdict = "the claim is refuted" if result.alarm else "no alarm, which proves nothing"
    reading = (
        f"{result.name} claims ε = {style.number(result.claimed)}. The event that was found came "
        f"{often} and {seldom} times in {style.number(finding.judged)} runs a side: with "
        f"{100 * finding.confidence:.0f} % confidence ε is at least {finding.lower:.2f}; {verdict}."
    )
    blind = f" A leak in fewer than {style.number(finding.smallest, 2)} of the runs stays unseen."
    return reading + blind


def table_audited(result: Audited) -> list[list[str]]:
    """Counts with their intervals, the bound and the claim."""
    rows = [
        [f"{side}: {style.number(count)}", f"[{style.number(low, 3)}, {style.number(high, 3)}]"]
        for side, count, (low, high) in zip(
            SIDES, result.finding.counts, result.ranges, strict=True
        )
    ]
    return [
        ["", "number"],
        *rows,
        ["ε shown: at least", f"{result.finding.lower:.3f}"],
        ["ε claimed", style.number(result.claimed, 3)],
        ["confidence", f"{100 * result.finding.confidence:.0f} %"],
    ]


AUDITED = View(frame_audited, paint_audited, say_audited, table_audited)


def explore_auditor() -> Explorer:
    """Audit five mystery mechanisms by their outputs: which of them is not private?"""
    controls = [
        Choice(name="mechanism", label="mechanism", values=list(_MYSTERY), start="A"),
        Slider(name="samples", label="samples a side", values=SAMPLES, start=100_000),
    ]
    presets = {
        "A, few samples": {"samples": 1000},
        "A, many samples": {},
        "E, few samples": {"mechanism": "E", "samples": 1000},
        "E, many samples": {"mechanism": "E"},
    }
    return Explorer(audit_mystery, AUDITED, controls, presets)
