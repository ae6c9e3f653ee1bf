"""The player of lesson 06: cosines add up to a query, then the noise of their means trembles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from dpviz.drawing import style
from dpviz.drawing.style import Figure
from dpviz.instruments.player import Player, View
from dpviz.lessons.smooth.bias_variance import error_said
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.papers.smooth_queries.release import Release, exact_moments, rescaled

PLACES = np.linspace(0, 1, 401)  # along the half circle, from x = -1 to x = 1
ANGLES = np.pi * (1 - PLACES)
MIDDLE = slice(120, 281)  # above the words for the last cosine
LAST, SUM, BIAS = 6.0, 8.5, 12.3  # where the last degree, all noise and the bias stand
REACH = 20  # thousandths; what is larger is drawn there
MAGNIFIED = 30  # times: how large the cosines of the noise are drawn


@dataclass(frozen=True, eq=False)
class TermAdded:
    """The state after one more term, or after another draw of the noise: pure data.

    Attributes
    ----------
    degree, of : which term was added last, and how many there are
    draw : 0 for the release itself; 1, 2, ... for further draws of its noise
    moment, noisy, sd : its exact mean over the records, the released one, the noise's deviation
    coefficient : its coefficient in the query
    values, before, after : arrays (401,), the query, and its partial sums before and after
    noise, spread : arrays (degree + 1,), what the noise of each term adds to the answer, and the
        standard deviation of that
    exact, noiseless, answer : true answer, the one without noise so far, the released one so far
    """

    degree: int
    of: int
    draw: int
    moment: float
    noisy: float
    sd: float
    coefficient: float
    values: np.ndarray
    before: np.ndarray
    after: np.ndarray
    noise: np.ndarray
    spread: np.ndarray
    exact: float
    noiseless: float
    answer: float

    @property
    def cosine(self) -> np.ndarray:
        """The last term of the query, (401,)."""
        return self.coefficient * np.cos(self.degree * ANGLES)

    @property
    def trembling(self) -> np.ndarray:
        """The cosines with the amplitudes of the noise, (401,): at x = 1 its sum, each being 1."""
        return self.noise @ np.cos(np.arange(len(self.noise))[:, None] * ANGLES)


def record(query: GaussianKernels, data: ArrayLike, releases: Sequence[Release]) -> list[TermAdded]:
    """One state for each term of a summary of one variable, then one for each further release.

    Parameters
    ----------
    query : one kernel
    data : array (n, 1), the records; private: a lesson may show them
    releases : the noisy summary, and what other draws of its noise would have been

    Raises
    ------
    ValueError
        If the summary is not of one variable.
    """
    params = releases[0].params
    if params.d != 1:
        raise ValueError(f"releases must be of one variable, not of {params.d}")
    points = rescaled(data, params)
    terms = params.terms
    moments = exact_moments(points, params)
    coefficients = query.factors(terms)[0][0]
    cosines = np.cos(np.arange(terms)[:, None] * ANGLES)
    sums = np.vstack([0 * ANGLES, np.cumsum(coefficients[:, None] * cosines, axis=0)])
    shown = query.value(np.cos(ANGLES)[:, None])[:, 0]
    exact = float(query.mean(points)[0])
    noiseless = np.cumsum(coefficients * moments)

    def state(m: int, draw: int) -> TermAdded:
        summary = releases[draw].summary
        sd = releases[draw].sd
        upto = slice(m + 1)
        return TermAdded(
            degree=m,
            of=terms,
            draw=draw,
            moment=float(moments[m]),
            noisy=float(summary[m]),
            sd=float(sd[m]),
            coefficient=float(coefficients[m]),
            values=shown,
            before=sums[m],
            after=sums[m + 1],
            noise=(coefficients * (summary - moments))[upto],
            spread=np.abs(coefficients * sd)[upto],
            exact=exact,
            noiseless=float(noiseless[m]),
            answer=float(coefficients[upto] @ summary[upto]),
        )

    trace = [state(m, 0) for m in range(terms)]
    return trace + [state(terms - 1, draw) for draw in range(1, len(releases))]


def frame_term_added(mode: str) -> Figure:
    """Left the query along the half circle, right what the answer is off by."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, sharey=False, widths=[1.5, 1], names=["", ""]
    )
    style.linear_axis(left, "x", 0, 1, [0, 1 / 3, 0.5, 2 / 3, 1])
    left.set_xticklabels(["\u22121", "\u2212½", "0", "½", "1"])
    style.linear_axis(left, "y", -0.5, 1.5, [0, 0.5, 1])
    style.linear_axis(right, "x", -0.9, BIAS + 1.4, [])
    style.linear_axis(right, "y", -1.15 * REACH, 1.8 * REACH, [-20, -10, 0, 10, 20])
    style.axis_titles(left, "x = cos θ", "the kernel")
    style.axis_titles(right, "", "error in thousandths")
    right.axhline(0, **style.line("public", mode))
    words = "blue: the noise drawn\ngrey: ± 1 sd of it"
    style.note(right, 0.02, 0.99, words, "muted", at="axes", va="top")
    for x, words, role in ((SUM, "noise", "muted"), (BIAS, "bias", "muted")):
        style.note(right, x, -1.15 * REACH, words, role, dy=-5, ha="center", va="top")
    return fig


def paint_term_added(fig: Figure, step: TermAdded) -> None:
    """The query, its partial sums before and after, the last cosine; noise and bias."""
    (left, right), mode = fig.axes, fig.mode
    style.retitle(fig, _title(step), _subtitle(step))
    thin = {"lw": 1.2 * style.mode_of(left).line_scale}
    thin_line = MAGNIFIED * step.trembling if step.draw else step.cosine
    caption = f"noise of all cosines, {MAGNIFIED} times" if step.draw else f"degree {step.degree}"
    left.plot(PLACES, thin_line, **style.line("released", mode, marker=False) | thin)
    if step.degree or step.draw:  # of one cosine alone the words above say it
        below = float(thin_line[MIDDLE].min())
        style.note(left, 0.5, below, caption, "released", ha="center", va="top", dy=-4)
    left.plot(PLACES, step.values, **style.line("truth", mode, marker=False))
    if not step.draw and step.degree:
        left.plot(PLACES, step.before, **style.line("public", mode) | {"lw": 1.4})
        style.note(left, 0.03, 0.81, "sum before", "public", at="axes", va="top")
    left.plot(PLACES, step.after, **style.line("released", mode, marker=False))
    words = "degree 0" if step.degree == 0 else f"sum up to {step.degree}"
    style.note(left, 0.03, 0.97, "kernel", "truth", at="axes", va="top")
    style.note(left, 0.03, 0.89, words, "released", at="axes", va="top")
    _draw_errors(right, step)


def _draw_errors(ax: Axes, step: TermAdded) -> None:
    """The noise of each term about its spread, all noise together, the error without noise."""
    mode = ax.get_figure(root=True).mode
    degrees = np.arange(step.degree + 1)
    at = degrees * LAST / max(1, step.of - 1)
    # the sum first: what joins comes last, so that a page leads every other mark to its own
    places = np.append(SUM, at)
    noise = np.append(step.noise.sum(), step.noise)
    spread = np.append(np.sqrt((step.spread**2).sum()), step.spread)
    for x, reach in zip(places, np.minimum(1000 * spread, 1.15 * REACH), strict=True):
        ax.plot([x, x], [-reach, reach], **style.line("lattice", mode) | {"lw": 6})
    for x, height in zip(places, 1000 * noise, strict=True):
        _draw_error(ax, x, height, "released")
    _draw_error(ax, BIAS, 1000 * (step.noiseless - step.exact), "truth")
    for x, words in {0: "0", at[-1]: str(step.degree)}.items():
        style.note(ax, x, -1.15 * REACH, words, "muted", dy=-5, ha="center", va="top")


def _draw_error(ax: Axes, x: float, height: float, role: str) -> None:
    """A stem from zero; beyond the axis it ends in a triangle at the edge."""
    mode = ax.get_figure(root=True).mode
    end = float(np.clip(height, -REACH, REACH))
    colour = {"color": style.ROLES[role].colour, "mfc": style.ROLES[role].colour}
    ax.plot([x, x], [0, end], **style.line(role, mode, marker=False) | {"solid_capstyle": "butt"})
    marker = {"marker": "o" if end == height else ("^" if end > 0 else "v")}
    ax.plot([x], [end], **style.points("released", mode) | colour | marker)


def _title(step: TermAdded) -> str:
    if step.draw:
        moved = error_said(abs(step.answer - step.noiseless))
        return f"Noise drawn again: the answer moves by {moved}"
    noise = abs(step.coefficient) * step.sd
    if step.degree == 0:
        return "Degree 0 is a constant: it needs no noise"
    return f"Degree {step.degree} adds noise of {error_said(noise)} to the answer"


def _errors(step: TermAdded) -> tuple[str, str]:
    """Without noise, and as released."""
    return error_said(abs(step.noiseless - step.exact)), error_said(abs(step.answer - step.exact))


def _subtitle(step: TermAdded) -> str:
    noiseless, released = _errors(step)
    which = f"draw {step.draw} after the release; " if step.draw else ""
    return f"{which}answer off by {released} as released, by {noiseless} without noise"


def say_term_added(step: TermAdded) -> str:
    """One sentence of reading."""
    noiseless, released = _errors(step)
    means = f"{style.fixed(step.moment, 3)}, released {style.fixed(step.noisy, 3)}"
    happened = (
        f"Degree {step.degree} of {step.of - 1}: average {means}, coefficient "
        f"{style.fixed(step.coefficient, 3)}"
    )
    if step.draw:
        happened = (
            f"The noise drawn again, {_times(step.draw)}: the average of degree {step.degree} is "
            f"{means}"
        )
    return f"{happened}; answer off by {released}, without noise by {noiseless}."


def _times(draws: int) -> str:
    return "once" if draws == 1 else f"{draws} times"


def tabulate_term_added(step: TermAdded) -> list[list[str]]:
    """The term and the answer so far."""
    return [
        ["", "number"],
        ["degree", str(step.degree)],
        ["average", style.fixed(step.moment, 4)],
        ["released", style.fixed(step.noisy, 4)],
        ["its noise, 1 sd", style.number(step.sd, 3)],
        ["coefficient", style.fixed(step.coefficient, 4)],
        ["noise of the answer, 1 sd", style.fixed(np.sqrt((step.spread**2).sum()), 4)],
        ["true answer", style.fixed(step.exact, 4)],
        ["answer, no noise", style.fixed(step.noiseless, 4)],
        ["answer, released", style.fixed(step.answer, 4)],
    ]


TERM_ADDED = View(frame_term_added, paint_term_added, say_term_added, tabulate_term_added)


def play_terms(query: GaussianKernels, data: ArrayLike, releases: Sequence[Release]) -> Player:
    """Step through the terms; arguments as in :func:`record`. It starts at degree 3."""
    trace = record(query, data, releases)
    return Player(TERM_ADDED, trace, start=min(3, len(trace) - 1))
