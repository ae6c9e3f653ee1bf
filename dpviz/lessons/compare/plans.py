"""The planner in the hand: plans of five questions at every n, epsilon and number of queries.

The plans were made by `dpviz.plan` and are stored; so a move of the hand reads a table.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, log
from dpviz.drawing.style import Figure
from dpviz.instruments.explorer import Choice, Explorer, Handle, Slider, View
from dpviz.lessons.compare.planned import ASKS, EPSILONS, MANY, NONE, STORED, Asked, N
from dpviz.planner import verdicts
from dpviz.planner.calls import calls
from dpviz.planner.candidates import Candidate

ALPHAS = sorted({float(f"{alpha:.2g}") for alpha in [*np.geomspace(1e-4, 0.5, 160), 0.01]})
LEAST = 1e-4  # of the errors that are drawn
HIGH = 0.1  # from here on a word stands below its mark
ROLES = {
    "Laplace mechanism": "baseline",
    "Gaussian mechanism": "baseline2",
    "Laplace noise on each": "baseline",
    "Gaussian noise on each": "baseline2",
    "Laplace histogram": "released",
    "net mechanism": "paper",
    "average sign function": "released",
    "Haar wavelets": "other",
    "truncated moments, Gaussian": "released",
    "truncated moments, Laplace": "other",
    "lazily perturbed histogram": "released",
    "hashed histogram": "paper",
    "sparse multiplicative weights": "other",
}


@dataclass(frozen=True, eq=False)
class Planned:
    """Stored plans of a question at every n, and where the reader stands.

    Attributes
    ----------
    asked : Asked, here
    alpha : error that is wanted
    lines : by mechanism, its errors over ``N``, proved and expected; nan where there is none
    candidates : by mechanism, Candidate here
    winner : Candidate to take, or None
    ties : names of all that are as good, the winner's first
    verdict : what `dpviz plan` says
    """

    asked: Asked
    alpha: float
    lines: dict[str, tuple[np.ndarray, np.ndarray]]
    candidates: dict[str, Candidate]
    winner: Candidate | None
    ties: list[str]
    verdict: str


@lru_cache(maxsize=512)
def stored(ask: str, k: int, *, epsilon: float) -> dict[str, np.ndarray]:
    """Stored plans over ``N``, by field; nan where there is nothing."""
    found = STORED.stored().select(ask=ask, k=k, epsilon=epsilon)
    return {name: np.where(x[:, 0] == NONE, np.nan, x[:, 0]) for name, x in found.values.items()}


def plan(*, ask: str, k: int, epsilon: float, n: int, alpha: float, seed: int = 1) -> Planned:
    """The stored plan of a question, and from which n on it has the error ``alpha``.

    Between the n of two plans errors are read off a straight line, on logarithmic axes. Nothing is
    random, ``seed`` is not used.

    >>> plan(ask="linear", k=1, epsilon=1.0, n=1000, alpha=0.01).winner.name
    'Laplace noise on each'
    """
    asked = Asked(ask=ask, k=int(k), n=int(n), epsilon=epsilon)
    fields = stored(ask, asked.k, epsilon=epsilon)
    at = N.index(asked.n)
    lines, candidates = {}, {}
    for i, call in enumerate(calls(asked.question)):
        proved, expected = lines[call.name] = fields[f"proved{i}"], fields[f"expected{i}"]
        n_proved = least(proved, alpha)
        candidates[call.name] = Candidate(
            call=call,
            proved=float(proved[at]),
            expected=float(expected[at]),
            level=float(expected[at]),
            n_proved=n_proved,
            n_expected=min(n_proved, least(expected, alpha)),
        )
    ties = [name for i, name in enumerate(lines) if fields[f"leads{i}"][at]]
    ties.sort(key=lambda name: candidates[name].proved)
    winner = candidates[ties[0]]
    without = float(fields["without"][at])
    useful = winner.expected < without
    here = {"case": asked.case, "at": asked.case, "error": alpha, "without": without}
    sentence = verdicts.verdict(winner, ties, useful, **here)
    best = winner if useful else None
    return Planned(asked, alpha, lines, candidates, best, ties, sentence)


def least(errors: np.ndarray, alpha: float) -> float:
    """Where errors over ``N`` pass alpha, to two digits; infinite if nowhere."""
    return float(f"{crossing(np.array(N), errors, alpha):.2g}")


def crossing(n: np.ndarray, errors: np.ndarray, alpha: float) -> float:
    """Where a falling line passes alpha, between its points on log axes; infinite if nowhere.

    >>> round(crossing(np.array([10.0, 1000.0]), np.array([1.0, 0.01]), 0.1))
    100
    """
    above = np.flatnonzero(~(errors <= alpha))
    if not len(above):
        return float(n[0])
    last = above[-1]
    if last == len(n) - 1 or not np.isfinite(errors[last]):
        return math.inf if last == len(n) - 1 else float(n[last + 1])
    x = np.log(n[last : last + 2])
    y = np.log(errors[last : last + 2])
    return float(np.exp(x[0] + (math.log(alpha) - y[0]) / (y[1] - y[0]) * (x[1] - x[0])))


# The picture -------------------------------------------------------------------------------------

AXES = ErrorAxes(log("n, records", N[0], N[-1]), log("largest error", LEAST, 1.0))


def paint(fig: Figure, result: Planned) -> None:
    """What is proved of each mechanism as a line, what is expected as dots; n and the wanted
    error meet in a star."""
    ax, mode = fig.axes[0], fig.mode
    style.retitle(fig, _title(result), _subtitle(result))
    guide = style.line("event", mode, marker=False) | {"lw": 1, "zorder": 1.4}
    ax.axhline(result.alpha, **guide)
    ax.axvline(result.asked.n, **guide)
    ends = []
    for name, (proved, expected) in result.lines.items():
        role = ROLES[name]
        ax.plot(N, proved, **style.line(role, mode, marker=False))
        inside = (expected <= 1) & (expected >= LEAST)
        ax.plot(np.array(N)[inside], expected[inside], **style.points(role, mode), clip_on=False)
        seen = np.flatnonzero((proved <= 1) & (proved >= LEAST))
        if len(seen):
            ends.append((N[seen[-1]], proved[seen[-1]], _ending(name), role))
    if result.winner is not None and math.isfinite(result.winner.n_expected or math.inf):
        style.event(ax, result.winner.n_expected, result.alpha, "worst")
        side, dy = ("bottom", 4) if result.alpha < HIGH else ("top", -4)
        style.note(ax, result.winner.n_expected, result.alpha, "n*", va=side, dx=4, dy=dy)
    style.event(ax, result.asked.n, result.alpha, name="wish")
    style.label_ends(ax, ends)


def _short(name: str) -> str:
    """Without what a picture shows anyway."""
    for words in (" noise", "truncated ", "sparse ", "average "):
        name = name.replace(words, "")
    return name.replace("lazily perturbed", "lazy")


def _ending(name: str) -> str:
    """In two lines, for the gutter."""
    words = _short(name).replace("multiplicative ", "multiplicative\n")
    return words.replace(" on each", ",\non each")


def _title(result: Planned) -> str:
    """What to take, and from which n on the wanted error is expected."""
    if result.winner is None:
        return "None: an answer without data is as good"
    tie = ", tie" if len(result.ties) > 1 else ""
    wanted = style.number(result.alpha, 2)
    enough = _count(result.winner.n_expected, "no n here", "n = ")
    return f"{_first(_short(result.winner.name))}{tie}: error {wanted} from {enough}"


def _first(words: str) -> str:
    """With a capital letter."""
    return words[:1].upper() + words[1:]


def _count(n: float | None, none: str, before: str = "") -> str:
    """A number of records, or a word where it is none up to the last of ``N``."""
    return none if n is None or math.isinf(n) else f"{before}{style.number(n, 2)}"


def _subtitle(result: Planned) -> str:
    asked = result.asked
    proved = "line: proved"
    if result.winner is not None:
        proved += f" ({_count(result.winner.n_proved, 'no n here', 'from ')})"
    words = _written(asked.question.words())
    return f"{words}, ε = {style.number(asked.epsilon)}; dots: expected; {proved}"


def say(result: Planned) -> str:
    """The verdict."""
    return f"{_first(_written(result.verdict))}."


def _written(words: str) -> str:
    """Its numbers as a picture has them.

    >>> _written("proved 3e-05 at n = 2,000, so")
    'proved 3×10⁻⁵ at n = 2\u202f000, so'
    """
    plain = r"\b\d+(?:,\d{3})*(?:\.\d+)?(?:e-\d+)?"
    return re.sub(plain, lambda found: style.number(float(found[0].replace(",", ""))), words)


def table(result: Planned) -> list[list[str]]:
    """Errors here and smallest n of each mechanism."""
    rows = []
    for name, each in result.candidates.items():
        numbers = verdicts.up(each.proved), each.expected, each.n_proved, each.n_expected
        words = [style.number(x, 2) if math.isfinite(x) else "none" for x in numbers]
        rows.append([name, *words])
    return [["", "proved", "expected", "n* proved", "n* expected"], *rows]


VIEW = View(AXES.frame, paint, say, table)


def explore_plans() -> Explorer:
    """Which mechanism, and from which n? What is asked, how often, ε; n and the wanted error."""
    controls = [
        Choice(name="ask", label="ask", values=ASKS, start="linear"),
        Slider(name="k", label="k, queries", values=MANY, start=1),
        Slider(name="epsilon", label="ε", values=EPSILONS, start=1.0),
        Slider(name="n", label="n, records", values=N, start=1000),
        Slider(name="alpha", label="α, error", values=ALPHAS, start=0.01),
    ]
    presets = {
        "One query": {},
        "Thirty queries": {"k": 30},
        "Average distances": {"ask": "distances", "k": 100},
        "Kernels": {"ask": "kernels", "k": 100},
        "Little budget": {"k": 30, "epsilon": 0.1},
    }
    handles = [Handle(mark="wish", x="n", y="alpha", jump=True)]
    return Explorer(plan, VIEW, controls, presets, random=False, handles=handles)
