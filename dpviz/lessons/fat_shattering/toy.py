"""Lesson 08 in the hand: a few patients, every count answered roughly, and who still fits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch

from dpviz.drawing import style
from dpviz.drawing.roles import ON_EVENT, UNLIT
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Explorer, Handle, Slider, View, stops
from dpviz.lessons.fat_shattering.recovery import place_cells, squares_at

SECRETS = {"4": (1, 0, 1, 0), "8": (1, 0, 1, 1, 0, 0, 1, 0)}
ERRORS = np.linspace(0, 4, 801)
DRAWN = ", errors drawn"  # after the number of patients: each count is off by a drawn error


@dataclass(frozen=True, eq=False)
class Fitting:
    """Which databases fit all answers.

    Attributes
    ----------
    secret : bool array (n,), who is ill
    databases : bool array (2^n, n), all that there could be
    fits : bool array (2^n,)
    error : every answer is known up to so much
    drawn : whether each count is off by a drawn error
    left : array over :data:`ERRORS`, how many databases fit
    """

    secret: np.ndarray
    databases: np.ndarray
    fits: np.ndarray
    error: float
    drawn: bool
    left: np.ndarray

    @property
    def farthest(self) -> int:
        """In how many patients a database that fits can differ from the truth."""
        return int((self.databases[self.fits] != self.secret).sum(axis=1).max())


@lru_cache(maxsize=64)
def needed(patients: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """All databases, and of each the least error E at which its counts agree with all answers.

    An answer is the true count plus E times a number u in [-1, 1], which is 0 for answers as they
    are; a count that is g above the true one agrees if |g - E u| <= E.
    """
    number, drawn, _ = patients.partition(DRAWN)
    n = int(number)
    databases = (np.arange(2**n)[:, None] >> np.arange(n)[::-1]) % 2 == 1
    counts = databases.astype(float) @ databases.T.astype(float)  # of each, over each group
    above = counts - np.array(SECRETS[number], dtype=float) @ databases.T
    u = np.random.default_rng(seed).uniform(-1, 1, 2**n) * bool(drawn)
    return databases, np.maximum(above / (1 + u), -above / (1 - u)).max(axis=1)


def fit(*, patients: str, error: float, seed: int) -> Fitting:
    """Ask for the count of every group, and keep what agrees with all answers up to the error.

    >>> [int(fit(patients=n, error=1, seed=1).fits.sum()) for n in "48"]
    [9, 25]
    """
    databases, errors = needed(patients, seed)
    left = (errors <= ERRORS[:, None] + 1e-9).sum(axis=1)
    secret = np.array(SECRETS[patients.partition(DRAWN)[0]]) == 1
    return Fitting(secret, databases, errors <= error + 1e-9, error, DRAWN in patients, left)


def frame_fitting(mode: str) -> Figure:
    """Left room for the databases, right how many are left."""
    fig, (left, right) = style.figure(
        "", alt="", mode=mode, columns=2, sharex=False, sharey=False, widths=[1.2, 1], square=1
    )
    left.set_axis_off()
    left.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", anchor="W")
    style.linear_axis(right, "x", 0, 4, [0, 1, 2, 3, 4])
    style.linear_axis(right, "y", 0, 1.05, [0, 0.25, 0.5, 0.75, 1])
    style.axis_titles(right, "E, error of each count", "share of databases that fit")
    return fig


def paint_fitting(fig: Figure, result: Fitting) -> None:
    """A cell for each database, yellow if it fits; the share that is left, and the dial."""
    (left, right), mode = fig.axes, fig.mode
    many, of = int(result.fits.sum()), len(result.fits)
    fit_all = "fits" if many == 1 else "fit"
    style.retitle(
        fig,
        f"{many} of {of} databases {fit_all} every answer",
        f"{of} counts, each known up to {style.number(result.error, 3)}; plus: the truth (private)",
    )
    _draw_databases(left, result)
    right.plot(ERRORS, result.left / of, **style.line("released", mode, marker=False))
    look = style.line("event", mode, marker=False) | {"zorder": 1.4, "gid": "dial"}
    right.axvline(result.error, **look)
    right.plot([result.error], [many / of], **style.points("released", mode))


def _draw_databases(ax: Axes, result: Fitting) -> None:
    """All databases in a square, those that fit in yellow, the truth with a plus."""
    corners, step = place_cells(len(result.fits))
    places = corners + 0.45 * step
    excluded = {"fc": UNLIT, "ec": UNLIT}
    consistent = {"fc": style.ROLES["event"].colour, "ec": style.INK}
    for some, look in ((result.fits, consistent), (~result.fits, excluded)):
        squares = squares_at(corners[some], 0.9 * step)
        ax.add_artist(PathPatch(squares, lw=0.6, zorder=2, clip_on=False, **look))
    truth = int((result.databases == result.secret).all(axis=1).argmax())
    size = 95 * step
    if style.mode_of(ax).tight:  # so that the words below it are seen
        size = 20 * step * ax.get_position().height * ax.figure.get_figheight()
    colour = ON_EVENT if result.fits[truth] else style.INK  # dark on yellow in any theme
    plus = {"marker": "P", "ms": size, "color": colour, "mew": 0, "zorder": 4}
    ax.plot(*places[[truth]].T, ls="none", **plus)
    if len(result.fits) <= 16 and style.mode_of(ax).lines == 1:  # else no cell has room
        for place, database, fits in zip(places, result.databases, result.fits, strict=True):
            word = "".join(str(int(bit)) for bit in database)
            role = "on event" if fits else None
            style.note(ax, place[0], place[1] - 0.32 * step, word, role, ha="center", halo="none")


def say_fitting(result: Fitting) -> str:
    """One sentence of reading."""
    many, of = int(result.fits.sum()), len(result.fits)
    fit_all = "fits" if many == 1 else "fit"
    return (
        f"{len(result.secret)} patients{DRAWN * result.drawn}, E = "
        f"{style.number(result.error, 3)}: {many} of {of} databases {fit_all}, at most "
        f"{result.farthest} patients wrong."
    )


def table_fitting(result: Fitting) -> list[list[str]]:
    """What is left."""
    return [
        ["", "number"],
        ["databases", str(len(result.fits))],
        ["that fit", str(int(result.fits.sum()))],
        ["most patients wrong", str(result.farthest)],
    ]


FITTING = View(frame_fitting, paint_fitting, say_fitting, table_fitting)


def three_digits(error: float) -> str:
    """An error as it stands beside its slider: two neighbouring stops differ."""
    return style.number(error, 3)


def explore_databases() -> Explorer:
    """Turn the error: databases light up and die."""
    errors, drawn = stops(0, 4, also=[0.4, 1, 2]), [number + DRAWN for number in SECRETS]
    controls = [
        Slider(name="error", label="E, error", values=errors, start=0.4, show=three_digits),
        Choice(name="patients", label="patients", values=(*SECRETS, *drawn), start="4"),
    ]
    presets = {
        "Off by 0.4": {},
        "Off by 1": {"error": 1},
        "Eight patients": {"patients": "8", "error": 1},
        "Drawn errors": {"patients": "4" + DRAWN, "error": 3},
        "Useless": {"error": 4},
    }
    handles = [Handle(mark="dial", x="error", jump=True)]
    random = [{"error": errors[1:], "patients": drawn}]
    return Explorer(fit, FITTING, controls, presets, random=random, handles=handles)
