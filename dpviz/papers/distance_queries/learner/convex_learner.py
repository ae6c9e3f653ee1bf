"""Cutting planes (Figure 1): a convex function learnt with few mistakes.

**Paper.** Huang and Roth (2014), section 3.2, Figure 1.

**Setting.** G is convex on [0, 1], never rises or falls by more than one per unit, and is not
negative. Points y are asked one after another; the learner guesses G(y). A guess that is off by
more than alpha is a mistake: then, and only then, a first-order oracle is asked, which tells the
value and a subgradient (a slope) of G at y. No privacy yet: the paper's next section pays for
each oracle call.

**Idea.** Every tangent of a convex function lies below it, so the maximum of the tangents learnt
so far is a max-affine lower bound of G, the cutting-plane model (Kelley 1960). Guess its height;
a mistake means that the tangent at this point is new.

**Symbols.**

============  ====================  ====================================  ============
paper         here                  meaning                               shape, unit
============  ====================  ====================================  ============
G             ``function``          what is learnt: ``value``, ``slope``  [0, 1] to R
alpha_1       ``alpha``             a guess may be off by this much       unit of G
x*_t          ``y`` of a mistake    place of the t-th oracle call         [0, 1]
a_k, b_k      ``lines``             slope and intercept of each tangent   [-1, 1], R
G^            ``predict``           height of the cutting-plane model     unit of G
============  ====================  ====================================  ============

**Departures.** At a kink the paper takes any slope in between; here it is the left one. A gap
counts as a miss above alpha + 1e-12, so that rounding in the last digits never adds a mistake.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks

ROUNDING = 1e-12  # values of G are computed to better than this (tested at n = 1e6)


@dataclass(frozen=True)
class Function:
    """A first-order oracle on [0, 1]: a public function given by its value and a slope.

    Attributes
    ----------
    value, slope : callables, arrays of any shape to arrays of that shape

    >>> parabola = Function(lambda y: (y - 0.5) ** 2 + 0.25, lambda y: 2 * y - 1)
    >>> parabola.value(np.array([0.0, 0.5])).tolist()
    [0.5, 0.25]
    """

    value: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]


class FirstOrder(Protocol):
    """What has a value and a slope at each point: :class:`Function`, ``AverageDistance``."""

    def value(self, y: ArrayLike, /) -> np.ndarray:
        """G at every point of ``y``."""

    def slope(self, y: ArrayLike, /) -> np.ndarray:
        """A subgradient of G at every point of ``y``."""


class Learner(Protocol):
    """A conservative learner: it changes its guesses only after a mistake."""

    def predict(self, y: ArrayLike) -> np.ndarray:
        """Guess G at every point of ``y``; same shape."""

    def update(self, y: ArrayLike, value: float, slope: ArrayLike) -> None:
        """Learn the value and a slope of G at the point ``y``."""


class Tangents:
    """Figure 1: guess the maximum of the tangents learnt so far, at first the zero line.

    Statements: HR Figure 1.
    A guess costs O(log T) for T tangents, by their upper envelope.

    >>> learner = Tangents()
    >>> learner.update(0.0, 0.5, -1.0)
    >>> learner.predict(np.array([0.0, 0.25, 1.0])).tolist()
    [0.5, 0.25, 0.0]
    """

    def __init__(self, lines: Iterable[tuple[float, float]] = ((0.0, 0.0),)):
        self.lines = list(lines)  # (slope, intercept) of each, in the order learnt
        self._hold(_upper_envelope(self.lines))

    def predict(self, y: ArrayLike) -> np.ndarray:
        """Height of the max-affine lower bound at ``y``; same shape."""
        slopes, intercepts, ends = self._envelope
        top = np.searchsorted(ends, y)
        return slopes[top] * y + intercepts[top]

    def height(self, y: float) -> float:
        """The same at one place, faster."""
        slopes, intercepts, ends = self._lists
        top = bisect_left(ends, y)
        return slopes[top] * y + intercepts[top]

    def update(self, y: float, value: float, slope: float) -> None:
        """Keep the tangent at ``y``; a slope that noise pushed out of [-1, 1] is clipped."""
        slope = min(1.0, max(-1.0, float(slope)))
        self.lines.append((slope, float(value) - slope * float(y)))  # Figure 1: a_t, b_t
        highest = zip(*self._lists[:2], strict=True)
        self._keep([*highest, self.lines[-1]])

    def _keep(self, lines: list[tuple[float, float]]) -> None:
        """The envelope with a last line more: what lies below it never matters again."""
        at = bisect_left(self._lists[0], lines[-1][0])
        ends = self._lists[2][: max(0, at - 1)]
        self._hold(_upper_envelope(lines[at:], lines[:at], ends))

    def _hold(self, envelope: Sequence[np.ndarray]) -> None:
        self._envelope = envelope
        self._lists = [array.tolist() for array in envelope]


class Hypothesis:
    """d learners of convex curves as one (Lemma 6, step 1); a learner of ``dpviz.privacy.online``.

    Statements: HR Lemma 6.
    Public: a function of the questions and of the noisy replies.

    >>> hypothesis = Hypothesis(2)
    >>> hypothesis.update((1, 0.3), (0.5, -0.5))
    >>> hypothesis.predict((1, 0.25)), hypothesis.predict((0, 0.25))
    (0.75, 0.0)
    """

    def __init__(self, d: int):
        self.learners = [Tangents() for _ in range(d)]
        self.learnt: list[int] = []  # which coordinate each update was for

    def predict(self, check: tuple[int, float]) -> float:
        """Height of one coordinate's curve at one place."""
        i, place = check
        return self.learners[i].height(place)

    def update(self, check: tuple[int, float], reply: ArrayLike) -> None:
        """Add a noisy tangent to one coordinate."""
        middle, half = reply
        self.learnt.append(check[0])
        self.learners[check[0]].update(0.5, middle, 2 * half)

    def heights(self, places: np.ndarray) -> np.ndarray:
        """Height of each coordinate's curve at its places; (k, d) to (k, d)."""
        columns = zip(self.learners, places.T, strict=True)
        return np.stack([learner.predict(y) for learner, y in columns], axis=1)


@dataclass(frozen=True, eq=False)
class Run:
    """What happened, question by question: pure data for pictures and players.

    Attributes
    ----------
    queries : array (k,) or (k, d)
    truth, answers : arrays (k,), G and the guess made before the oracle was asked
    missed : bool array (k,), the mistakes: guesses that were off by more than alpha
    """

    queries: np.ndarray
    truth: np.ndarray
    answers: np.ndarray
    missed: np.ndarray

    @property
    def mistakes(self) -> int:
        """Number of mistakes, which is that of oracle calls."""
        return int(self.missed.sum())


def learn(
    learner: Learner,
    function: FirstOrder,
    queries: np.ndarray,
    alpha: float,
    *,
    oracle: FirstOrder | None = None,
) -> Run:
    """Ask the queries in order; where the guess is off by more than ``alpha``, ask the oracle.

    Statements: HR Definition 4; lesson Definition 2.1.

    Parameters
    ----------
    learner : has ``predict`` and ``update``; it is changed
    function : has ``value`` and ``slope``; queries : array (k,) in [0, 1], or (k, d)
    alpha : float in (0, 1)
    oracle : what is asked after a mistake, if not the function itself

    >>> from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
    >>> run = learn(Tangents(), AverageDistance([0.5]), np.array([0.0, 1.0, 0.5]), 0.1)
    >>> run.missed.tolist(), run.answers.tolist()
    ([True, True, False], [0.0, 0.0, 0.0])
    """
    checks.number("alpha", alpha, above=0, below=1)
    truth = function.value(queries)
    now = 0
    answers = np.zeros(len(truth))
    missed = np.zeros(len(truth), dtype=bool)
    while now < len(truth):
        guesses, miss = _guess_until_miss(learner, queries[now:], truth[now:], alpha)
        answers[now : now + len(guesses)] = guesses
        now += len(guesses)
        if miss:
            y = queries[now - 1]
            learner.update(y, *value_and_slope(oracle or function, y))
            missed[now - 1] = True
    return Run(queries, truth, answers, missed)


def _guess_until_miss(
    learner: Learner, queries: np.ndarray, truth: np.ndarray, alpha: float
) -> tuple[np.ndarray, bool]:
    """Guess in order up to the first mistake, which is included; and whether there was one.

    Nothing is learnt before the mistake, so ever more questions are guessed at a time.

    >>> y = np.array([0.0, 0.1, 0.9])
    >>> _guess_until_miss(Tangents(), y, truth=y, alpha=0.5)
    (array([0., 0., 0.]), True)
    """
    parts = []
    now = 0
    wrong = np.zeros(1, dtype=bool)
    while now < len(truth) and not wrong.any():
        ahead = slice(now, 2 * now + 1)
        parts.append(learner.predict(queries[ahead]))
        wrong = np.abs(truth[ahead] - parts[-1]) > alpha + ROUNDING
        now += len(wrong)
    if wrong.any():
        parts[-1] = parts[-1][: wrong.argmax() + 1]
    return np.concatenate(parts), bool(wrong.any())


def value_and_slope(function: FirstOrder, y: ArrayLike) -> tuple[float, np.ndarray]:
    """What a first-order oracle says at one point."""
    point = np.asarray(y)[None]
    return function.value(point)[0], function.slope(point)[0]


def _upper_envelope(
    lines: Iterable[tuple[float, float]],
    before: Iterable[tuple[float, float]] = (),
    meeting: Iterable[float] = (),
) -> Sequence[np.ndarray]:
    """The lines that are highest somewhere, from left to right.

    Parameters
    ----------
    lines : of (slope, intercept)
    before, meeting : an envelope of flatter lines, and where each of them hands over to the next

    Returns slopes and intercepts (m,), and ends (m - 1,), where each line hands over to the next.
    """
    top, ends = [*before], [*meeting]
    for a, b in sorted(lines):
        if top and top[-1][0] == a:  # of parallel lines the higher one, which comes later
            top.pop()
            del ends[-1:]
        while top:
            meet = (top[-1][1] - b) / (a - top[-1][0])
            if not ends or meet > ends[-1]:
                ends.append(meet)
                break
            top.pop()
            ends.pop()
        top.append((a, b))
    slopes, intercepts = zip(*top, strict=True)
    return [np.array(each, dtype=float) for each in (slopes, intercepts, ends)]
