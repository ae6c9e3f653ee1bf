"""Lesson 06 with noise: three published averages answer every kernel at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Explorer, Handle, Slider, View, stops
from dpviz.lessons.smooth.toy import MOST, RECORDS, kernels
from dpviz.papers.smooth_queries.gaussian_kernel import answer_kernels
from dpviz.papers.smooth_queries.release import Params, release, truth

EACH = 2000  # records that a dot stands for
CENTRES = np.linspace(-1, 1, 101)
WIDTH = 1.0


@dataclass(frozen=True, eq=False)
class Published:
    """Averages with noise, and what they answer.

    Attributes
    ----------
    epsilon : what they cost
    averages, noisy : arrays (terms,)
    exact, answers : arrays (101,), of a kernel at each of ``CENTRES``
    centre, here, answer : one kernel, its true average and its answer
    """

    epsilon: float
    averages: np.ndarray
    noisy: np.ndarray
    exact: np.ndarray
    answers: np.ndarray
    centre: float
    here: float
    answer: float


def publish(*, centre: float, epsilon: float, terms: int, seed: int) -> Published:
    """One release of the toy's averages, and the answer to every kernel.

    >>> found = publish(centre=0.0, epsilon=1.0, terms=3, seed=1)
    >>> bool(np.abs(found.answers - found.exact).max() < 0.1)
    True
    """
    data = np.repeat(np.array(RECORDS), EACH, axis=0)
    params = Params(d=1, terms=terms, epsilon=epsilon, lower=-1.0, upper=1.0)
    released = release(data, params, params.curator(rng=seed))
    asked = kernels(np.append(CENTRES, centre), WIDTH)
    exact = asked.mean(np.array(RECORDS))
    answers = answer_kernels(released, asked)
    return Published(
        epsilon=epsilon,
        averages=truth(data, None, params),
        noisy=released.summary,
        exact=exact[:-1],
        answers=answers[:-1],
        centre=centre,
        here=float(exact[-1]),
        answer=float(answers[-1]),
    )


def frame_published(mode: str) -> Figure:
    """Left the averages, right the answers."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1, 1.4], sharex=False, sharey=False
    )
    style.linear_axis(left, "x", -0.6, MOST - 0.4, [0, 3, 6, 9])
    top = 2 if style.MODES[mode].tight else 1.4  # its names stand above the averages
    style.linear_axis(left, "y", -1.1, top, [-1, 0, 1])
    style.linear_axis(right, "x", -1, 1, [-1, -0.5, 0, 0.5, 1])
    style.linear_axis(right, "y", 0, 1.2, [0, 0.5, 1])
    style.axis_titles(left, "degree m", "average")
    style.axis_titles(right, "middle of the kernel", "answer")
    left.axhline(0, **style.line("public", mode))
    return fig


def paint_published(fig: Figure, result: Published) -> None:
    """True and published averages; true and published answers for every kernel."""
    (left, right), mode = fig.axes, fig.mode
    style.retitle(
        fig,
        f"The answer is {style.fixed(result.answer, 3)}; the truth is "
        f"{style.fixed(result.here, 3)}",
        f"{style.number(len(RECORDS) * EACH)} records; one publication at ε = "
        f"{style.number(result.epsilon)} answers every kernel",
    )
    degrees = np.arange(len(result.noisy))
    stems = style.line("released", mode, marker=False) | {"lw": 1.2}
    for degree, before, after in zip(degrees, result.averages, result.noisy, strict=True):
        left.plot([degree, degree], np.clip([before, after], -1.1, 1.4), **stems)
    left.plot(degrees, np.clip(result.noisy, -1.1, 1.4), **style.points("released", mode))
    left.plot(degrees, result.averages, **style.points("records", mode) | {"ms": 8})
    right.plot(CENTRES, result.exact, **style.line("truth", mode, marker=False))
    answers = np.clip(result.answers, 0, 1.2)
    right.plot(CENTRES, answers, **style.line("released", mode, marker=False))
    centre = style.points("event", mode) | {"marker": "P", "ms": 10, "gid": "centre"}
    right.plot([result.centre], [np.clip(result.answer, 0, 1.2)], **centre, clip_on=False)
    style.note(left, 0.98, 0.97, "○ exact (private)", "truth", at="axes", ha="right", va="top")
    style.note(left, 0.98, 0.89, "● published", "released", at="axes", ha="right", va="top")
    style.note(right, 0.03, 0.97, "truth (private)", "truth", at="axes", va="top")
    style.note(right, 0.03, 0.89, "answers", "released", at="axes", va="top")


def say_published(result: Published) -> str:
    """One sentence of reading."""
    worst = float(np.abs(result.answers - result.exact).max())
    return (
        f"{len(result.noisy)} averages at ε = {style.number(result.epsilon)}: the kernel at "
        f"{style.fixed(result.centre, 2)} is answered {style.fixed(result.answer, 3)}, off by "
        f"{style.number(abs(result.answer - result.here))}; the worst kernel by "
        f"{style.number(worst)}."
    )


def tabulate_published(result: Published) -> list[list[str]]:
    """Of each degree the average and what was published; last the answer to the kernel."""
    rows = zip(result.averages, result.noisy, strict=True)
    return [
        ["degree", "average", "published"],
        *([str(k), style.fixed(a, 3), style.fixed(b, 3)] for k, (a, b) in enumerate(rows)),
        ["answer", style.fixed(result.here, 3), style.fixed(result.answer, 3)],
    ]


PUBLISHED = View(frame_published, paint_published, say_published, tabulate_published)


def explore_published() -> Explorer:
    """Drag the kernel: all answers come from the same published averages."""
    budgets = stops(0.005, 1, log=True, also=[0.01])
    controls = [
        Slider(name="centre", label="middle of the kernel", values=stops(-1, 1, also=[0]), start=0),
        Slider(name="epsilon", label="ε", values=budgets, start=0.01),
        Slider(name="terms", label="t, cosines", values=range(2, MOST + 1), start=3),
    ]
    presets = {
        "Three averages": {},
        "ε = 1": {"epsilon": 1},
        "Twelve averages": {"terms": 12},
    }
    handles = [Handle(mark="centre", x="centre", jump=True)]
    return Explorer(publish, PUBLISHED, controls, presets, handles=handles)
