"""What an interactive l1 mechanism did, check by check (Lemma 6): for pictures and players.

**Paper.** Huang and Roth (2014), section 3, Lemma 6; the paper keeps no such record.

**Setting.** As in module ``l1``: a query is d checks, each of one coordinate at one place.

**Idea.** The history is public: it can be read off the answers and the hypothesis. The trace, what
was compared with what, is not: it is kept only if asked for by name, for pictures.

**Symbols.**

==========  ==================  ==================================================  =========
paper       here                meaning                                             shape
==========  ==================  ==================================================  =========
y_ti        ``places``          coordinate i of query t, rescaled                   (k, d)
F^(i)       ``learners``        hypothesis of coordinate i                          (d,)
==========  ==================  ==================================================  =========

**Departures.** None.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dpviz.papers.distance_queries.learner.convex_learner import Tangents
from dpviz.privacy.online import KINDS
from dpviz.privacy.sparse_vector import Threshold


class Comparison(NamedTuple):
    """What one check compared. Not private: for pictures and comparison only.

    Attributes
    ----------
    gap : float, truth minus guess, rescaled; level : float, the noisy threshold of the run
    noise : float, what was added to the gap before it was compared
    """

    gap: float
    level: float
    noise: float


class RecordedThreshold:
    """A threshold that also writes down what it compared. Not private.

    Parameters
    ----------
    threshold : from ``curator.above_threshold``
    seen : list to which a :class:`Comparison` is added for each check

    >>> from dpviz.privacy.curator import Curator
    >>> test = Curator(epsilon=1, rng=0).above_threshold(
    ...     0.5, sensitivity=1, epsilon=1, label="gap")
    >>> seen = []
    >>> RecordedThreshold(test, seen).above(-99.0), seen[0].gap
    (False, -99.0)
    """

    def __init__(self, threshold: Threshold, seen: list[Comparison]):
        self._threshold = threshold
        self._seen = seen

    @property
    def positives_left(self) -> int:
        """As the threshold's."""
        return self._threshold.positives_left

    def above(self, value: float) -> bool:
        """As the threshold's."""
        is_above = self._threshold.above(value)
        self._seen.append(Comparison(value, self._threshold.level, self._threshold.noise))
        return is_above

    def above_first(self, values: np.ndarray) -> int | None:
        """As the threshold's, one by one."""
        return next((i for i, value in enumerate(values.tolist()) if self.above(value)), None)


class Event(NamedTuple):
    """What the public saw of one check.

    Attributes
    ----------
    query, coordinate : int, from 0; kind : "guess", "measured" or "frozen"
    place : float in [0, 1], rescaled; guess : float, the hypothesis there before
    value : float, what was answered for this coordinate, in rescaled units
    tangent : (height at the place, slope) of the noisy tangent, None unless measured
    lines : int, lines that the hypothesis of this coordinate had before
    left : int, updates left afterwards
    """

    query: int
    coordinate: int
    kind: str
    place: float
    guess: float
    value: float
    tangent: tuple[float, float] | None
    lines: int
    left: int

    def before(self, learners: list[Tangents]) -> Tangents:
        """The hypothesis of this coordinate as it was."""
        return Tangents(learners[self.coordinate].lines[: self.lines])


def events(
    learners: list[Tangents],
    places: np.ndarray,
    answers: tuple,
    *,
    first: int,
    left: int,
    every: bool = True,
) -> Iterator[Event]:
    """The history of a batch of queries, in order: of every check, or of the updates alone.

    Parameters
    ----------
    learners : after the batch
    places : array (k, d)
    answers : arrays (k, d) of values and of kinds, which are indices into ``KINDS``
    first : int, number of the first query
    left : int, updates left after the batch

    >>> learner = Tangents()
    >>> learner.update(0.5, 0.25, 0.0)
    >>> answers = np.array([[0.25]]), np.array([[1]])
    >>> print(*events([learner], np.array([[0.5]]), answers, first=7, left=3))
    Event(query=7, coordinate=0, kind='measured', place=0.5, guess=0.0, value=0.25, \
tangent=(0.25, 0.0), lines=1, left=3)
    """
    values, kinds = answers
    counts = [len(learner.lines) for learner in learners]
    learnt = kinds == KINDS.index("measured")
    counts = [all_ - new for all_, new in zip(counts, learnt.sum(axis=0).tolist(), strict=True)]
    left += int(learnt.sum())
    for q, i in np.ndindex(*values.shape) if every else np.argwhere(learnt).tolist():
        place = places.item(q, i)
        kind = KINDS[kinds[q, i]]
        tangent = None
        lines = counts[i]
        if kind == "measured":
            slope, intercept = learners[i].lines[lines]
            tangent = (slope * place + intercept, slope)
            counts[i], left = lines + 1, left - 1
        guess = max(a * place + b for a, b in learners[i].lines[:lines])
        yield Event(first + q, i, kind, place, guess, values.item(q, i), tangent, lines, left)
