"""Lesson 06 in the hand: four records, a few cosines, and a Gaussian kernel made of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.controls import Places
from dpviz.instruments.explorer import Explorer, Handle, Points, Slider, View, stops
from dpviz.papers.smooth_queries.chebyshev import chebyshev, expand

RECORDS = ((-0.7,), (-0.2,), (0.1,), (0.6,))
WIDTH = 0.5  # of the kernel
FINE = np.linspace(-1, 1, 301)
MOST = 12  # cosines


@dataclass(frozen=True, eq=False)
class Answered:
    """A kernel, its cosines, and its average over the records.

    Attributes
    ----------
    records : array (n,) in [-1, 1]
    centre : of the kernel
    kernel, approximation : arrays (301,)
    averages, coefficients : arrays (terms,): of the records, of the kernel
    exact : the kernel's true average
    """

    records: np.ndarray
    centre: float
    kernel: np.ndarray
    approximation: np.ndarray
    averages: np.ndarray
    coefficients: np.ndarray
    exact: float

    @property
    def answer(self) -> float:
        """Coefficients times averages, added up."""
        return float(self.averages @ self.coefficients)


def kernel_at(centre: float, places: np.ndarray) -> np.ndarray:
    """A Gaussian kernel about a centre."""
    return np.exp(-(((places - centre) / WIDTH) ** 2))


def answer(*, records: Places, centre: float, terms: int, seed: int = 1) -> Answered:
    """Answer the kernel from a few averages of cosines; nothing is random, ``seed`` is not used.

    >>> how = {"records": ((-0.7,), (-0.2,), (0.1,), (0.6,)), "centre": 0.0}
    >>> rough, fine = (answer(**how, terms=terms) for terms in (3, 12))
    >>> abs(fine.answer - fine.exact) < abs(rough.answer - rough.exact)
    True
    """
    at = np.array([place for (place,) in records])
    coefficients = expand(
        lambda x: kernel_at(centre, x), 1, terms, nodes=128, lower=-1, upper=1
    ).coefficients
    averages = chebyshev(at, terms).mean(axis=1)
    approximation = coefficients @ chebyshev(FINE, terms)
    exact = float(kernel_at(centre, at).mean())
    kernel = kernel_at(centre, FINE)
    return Answered(at, centre, kernel, approximation, averages, coefficients, exact)


def frame_answered(mode: str) -> Figure:
    """Left the kernel over the records, right its cosines."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.4, 1], sharex=False, sharey=False
    )
    style.linear_axis(left, "x", -1, 1, [-1, -0.5, 0, 0.5, 1])
    style.linear_axis(left, "y", -0.3, 1.3, [0, 0.5, 1])
    style.linear_axis(right, "x", -0.6, MOST - 0.4, [0, 3, 6, 9])
    style.linear_axis(right, "y", -1.1, 1.1, [-1, 0, 1])
    style.axis_titles(left, "x = cos θ", "Gaussian kernel")
    style.axis_titles(right, "degree of the cosine", "average, and coefficient")
    right.axhline(0, **style.line("public", mode))
    return fig


def paint_answered(fig: Figure, result: Answered) -> None:
    """The kernel and its sum of cosines; the records; of each cosine average and coefficient."""
    (left, right), mode = fig.axes, fig.mode
    many = len(result.averages)
    averages = "1 average answers" if many == 1 else f"{many} averages answer"
    title = (
        f"{averages} {style.fixed(result.answer, 3)}; the truth is {style.fixed(result.exact, 3)}"
    )
    style.retitle(
        fig, title, f"{len(result.records)} records; kernel at {result.centre:.2f}; no noise"
    )
    left.plot(FINE, result.kernel, **style.line("truth", mode, marker=False))
    left.plot(FINE, result.approximation, **style.line("released", mode, marker=False))
    record = style.points("records", mode) | {"ms": 9, "mfc": "white", "gid": "record"}
    left.plot(result.records, 0 * result.records, **record, clip_on=False)
    centre = style.points("event", mode) | {"marker": "P", "ms": 10, "gid": "centre"}
    left.plot([result.centre], [1.0], **centre, clip_on=False)
    degrees = np.arange(many)
    for degree, coefficient in zip(degrees, result.coefficients, strict=True):
        right.bar(degree, coefficient, 0.6, fc=style.tint("released", 0.42), lw=0, zorder=2)
    right.plot(degrees, result.averages, **style.points("records", mode) | {"ms": 6})
    style.note(left, 0.03, 0.97, "kernel", "truth", at="axes", va="top")
    style.note(left, 0.03, 0.89, f"{many} cosines", "released", at="axes", va="top")
    style.note(right, 0.98, 0.97, "○ average (private)", "truth", at="axes", ha="right", va="top")
    style.note(right, 0.98, 0.89, "coefficient", "released", at="axes", ha="right", va="top")


def say_answered(result: Answered) -> str:
    """One sentence of reading."""
    many = len(result.averages)
    off = abs(result.answer - result.exact)
    return (
        f"A kernel at {result.centre:.2f} over {len(result.records)} records. Its first {many} "
        f"coefficients times the records' averages add up to {style.fixed(result.answer, 3)}; the "
        f"kernel's true average is {style.fixed(result.exact, 3)}, so {many} cosines are off by "
        f"{style.number(off)}. Another kernel needs no other averages."
    )


def tabulate_answered(result: Answered) -> list[list[str]]:
    """Of each degree average, coefficient and product."""
    rows = zip(result.averages, result.coefficients, strict=True)
    return [
        ["degree", "average", "coefficient", "product"],
        *([str(k), f"{a:.3f}", f"{c:.3f}", f"{a * c:.3f}"] for k, (a, c) in enumerate(rows)),
    ]


ANSWERED = View(frame_answered, paint_answered, say_answered, tabulate_answered)


def explore_kernel() -> Explorer:
    """Drag the kernel: its coefficients move. Drag a record: the averages move."""
    controls = [
        Points(name="records", label="record", start=RECORDS, lower=-1, upper=1, most=8),
        Slider(name="centre", label="centre of the kernel", values=stops(-1, 1, also=[0]), start=0),
        Slider(name="terms", label="t, terms", values=range(1, MOST + 1), start=3),
    ]
    presets = {"Three cosines": {}, "Eight": {"terms": 8}, "At the edge": {"centre": 1, "terms": 5}}
    handles = [Handle(mark="record", x="records"), Handle(mark="centre", x="centre")]
    return Explorer(answer, ANSWERED, controls, presets, random=False, handles=handles)
