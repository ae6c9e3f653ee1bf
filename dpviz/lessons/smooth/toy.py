"""Lesson 06 in the hand: four records, a few cosines, and a kernel made of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.controls import Places
from dpviz.instruments.explorer import Explorer, Handle, Points, Slider, View, stops
from dpviz.papers.smooth_queries.chebyshev import chebyshev
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels

RECORDS = ((-0.5,), (0.0,), (0.5,), (1.0,))
FINE = np.linspace(-1, 1, 301)
MOST = 12  # cosines
FEW = 3  # so many products are written out


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


def kernels(centres: np.ndarray | float, width: float) -> GaussianKernels:
    """Gaussian kernels on [-1, 1], one for each centre."""
    return GaussianKernels(centres=np.reshape(centres, (-1, 1)), width=width, lower=-1.0, upper=1.0)


def answer(*, records: Places, centre: float, width: float, terms: int, seed: int = 1) -> Answered:
    """Answer a kernel from a few averages of cosines; nothing is random, ``seed`` is not used.

    >>> how = {"records": RECORDS, "centre": 0.0, "width": 1.0}
    >>> few, many = (answer(**how, terms=terms) for terms in (3, 12))
    >>> few.averages.tolist()
    [1.0, 0.25, -0.25]
    >>> abs(many.answer - many.exact) < abs(few.answer - few.exact) < 0.01
    True
    """
    at = np.array(records)
    query = kernels(centre, width)
    coefficients = query.factors(terms)[0][0]
    return Answered(
        records=at[:, 0],
        centre=centre,
        kernel=query.value(FINE[:, None])[:, 0],
        approximation=coefficients @ chebyshev(FINE, terms),
        averages=chebyshev(at[:, 0], terms).mean(axis=1),
        coefficients=coefficients,
        exact=float(query.mean(at)[0]),
    )


def frame_answered(mode: str) -> Figure:
    """Left the kernel over the records, right its cosines."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, widths=[1.4, 1], sharex=False, sharey=False
    )
    style.linear_axis(left, "x", -1, 1, [-1, -0.5, 0, 0.5, 1])
    top = 1.45 if style.MODES[mode].tight else 1.3  # its names stand above the centre
    style.linear_axis(left, "y", -0.3, top, [0, 0.5, 1])
    style.linear_axis(right, "x", -0.6, MOST - 0.4, [0, 3, 6, 9])
    style.linear_axis(right, "y", -1.1, 1.4, [-1, 0, 1])
    style.axis_titles(left, "x = cos θ", "the kernel")
    style.axis_titles(right, "degree m", "coefficient, and average")
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
    style.retitle(fig, title, _products(result))
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
    style.note(left, 0.03, 0.89, _cosines(many), "released", at="axes", va="top")
    style.note(right, 0.98, 0.97, "○ average (private)", "truth", at="axes", ha="right", va="top")
    style.note(right, 0.98, 0.89, "▬ coefficient", "released", at="axes", ha="right", va="top")


def _cosines(many: int) -> str:
    return "1 cosine" if many == 1 else f"sum of {many} cosines"


def _products(result: Answered) -> str:
    """Coefficient times average of each cosine, or how many there are."""
    many = len(result.averages)
    if many > FEW:
        return f"{many} coefficients, each times its average, added up; no noise"
    pairs = zip(result.coefficients, result.averages, strict=True)
    products = " + ".join(f"{_bracketed(c)} × {_bracketed(a)}" for c, a in pairs)
    return f"{products} = {style.fixed(result.answer, 3)}"


def _bracketed(value: float) -> str:
    words = style.fixed(value, 2)
    return f"({words})" if words.startswith("−") else words


def say_answered(result: Answered) -> str:
    """One sentence of reading."""
    many, n = len(result.averages), len(result.records)
    off = abs(result.answer - result.exact)
    return (
        f"A kernel at {style.fixed(result.centre, 2)} over {n} record{'s' * (n > 1)}: "
        f"answered {style.fixed(result.answer, 3)} from {many} cosine{'s' * (many > 1)}, truth "
        f"{style.fixed(result.exact, 3)}, off by {style.number(off)}."
    )


def tabulate_answered(result: Answered) -> list[list[str]]:
    """Of each degree average, coefficient and product."""
    rows = zip(result.averages, result.coefficients, strict=True)
    return [
        ["degree", "average", "coefficient", "product"],
        *([str(k), *map(style.fixed, (a, c, a * c))] for k, (a, c) in enumerate(rows)),
    ]


ANSWERED = View(frame_answered, paint_answered, say_answered, tabulate_answered)


def explore_kernel() -> Explorer:
    """Drag the kernel: its coefficients move. Drag a record: the averages move."""
    controls = [
        Points(name="records", label="record", start=RECORDS, lower=-1, upper=1, most=8),
        Slider(name="centre", label="middle of the kernel", values=stops(-1, 1, also=[0]), start=0),
        Slider(
            name="width", label="width of the kernel", values=stops(0.1, 1, also=[0.3]), start=1
        ),
        Slider(name="terms", label="t, cosines", values=range(1, MOST + 1), start=3),
    ]
    presets = {
        "Three cosines": {},
        "At the edge": {"centre": 1},
        "A sharp kernel": {"width": 0.3},
        "Twelve cosines": {"width": 0.3, "terms": 12},
    }
    handles = [Handle(mark="record", x="records"), Handle(mark="centre", x="centre")]
    return Explorer(answer, ANSWERED, controls, presets, random=False, handles=handles)
