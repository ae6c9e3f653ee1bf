"""A curve that a reader draws over a picture, and the true one once it may be seen.

What is drawn and judged stands here; nothing here knows a widget.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.exercises.answers import Curve
from dpviz.instruments.controls import Places
from dpviz.instruments.explorer import Explorer, Handle, Points, View
from dpviz.words import say


@dataclass(frozen=True, eq=False)
class Drawn:
    """What was drawn, and the truth if it may be seen.

    Attributes
    ----------
    places, guess : arrays (k,), where the heights are asked, and the reader's
    truth : array (k,), or None
    """

    places: np.ndarray
    guess: np.ndarray
    truth: np.ndarray | None


class Canvas:
    """An explorer whose only control is the curve.

    Parameters
    ----------
    answer : what is to be drawn

    Attributes
    ----------
    explorer : :class:`dpviz.instruments.explorer.Explorer`

    >>> canvas = Canvas(Curve(places=[0, 1], heights=[0, 1], within=0.1, low=0, high=1))
    >>> canvas.heights
    (0.5, 0.5)
    >>> canvas.explorer.hand("guess:1", "to", None, 7.0)
    >>> canvas.heights
    (0.5, 1.0)
    """

    def __init__(self, answer: Curve):
        self._answer = answer
        self._open = False
        middle = (answer.low + answer.high) / 2
        many = len(answer.places)
        guess = Points(
            name="guess",
            label=say("curve.height"),
            start=((middle,),) * many,
            lower=answer.low,
            upper=answer.high,
            fewest=many,
            most=many,
        )
        view = View(self._frame, self._paint, self._say, lambda result: [])
        handles = [Handle(mark="guess", y="guess")]
        self.explorer = Explorer(self._draw, view, [guess], random=False, handles=handles)

    @property
    def heights(self) -> tuple[float, ...]:
        """What was drawn, from left to right."""
        points = self.explorer.values["guess"]
        assert isinstance(points, tuple)
        return tuple(height for (height,) in points)

    @heights.setter
    def heights(self, heights: tuple[float, ...]) -> None:
        self.explorer.set(guess=tuple((float(height),) for height in heights))

    def show_truth(self, open_: bool) -> None:
        """Draw the truth over it, or take it away."""
        if open_ != self._open:
            self._open = open_
            self.explorer.update()

    def _draw(self, *, guess: Places, seed: int = 1) -> Drawn:
        heights = np.array([height for (height,) in guess])
        truth = np.array(self._answer.heights) if self._open else None
        return Drawn(np.array(self._answer.places), heights, truth)

    def _frame(self, mode: str) -> Figure:
        answer = self._answer
        fig, ax = style.figure("", alt="", mode=mode, height=0.8)
        room = 0.05 * (answer.high - answer.low)
        style.linear_axis(ax, "x", min(answer.places), max(answer.places), list(answer.places))
        style.linear_axis(ax, "y", answer.low - room, answer.high + room)
        style.axis_titles(ax, say("curve.place"), say("curve.height"))
        return fig

    def _paint(self, fig: Figure, result: Drawn) -> None:
        ax, mode = fig.axes[0], fig.mode
        style.retitle(fig, say("curve.title"), say("curve.keys"))
        ends = [(result.places[-1], result.guess[-1], say("curve.yours"), "released")]
        ax.plot(result.places, result.guess, **style.line("released", mode, marker=False))
        dot = style.points("released", mode) | {"ms": 11, "gid": "guess"}
        ax.plot(result.places, result.guess, **dot, clip_on=False)
        if result.truth is not None:
            ax.plot(result.places, result.truth, **style.line("truth", mode))
            ends.append((result.places[-1], result.truth[-1], say("curve.truth"), "truth"))
        style.label_ends(ax, ends)

    def _say(self, result: Drawn) -> str:
        heights = "; ".join(
            say("curve.at", height=style.number(y, 3), place=style.number(x, 3))
            for x, y in zip(result.places, result.guess, strict=True)
        )
        drawn = say("curve.said", heights=heights)
        if result.truth is None:
            return drawn
        off = style.number(float(np.abs(result.guess - result.truth).max()), 2)
        return f"{drawn} {say('curve.off', off=off)}"
