"""A Metropolis walk over candidates too many to list, and what a transcript sees of it.

Metropolis et al. (1953), Hastings (1970): propose, compare, accept or stay.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Generic, TypeVar

import numpy as np

from dpviz.privacy.private_data import finite_number

State = TypeVar("State")  # a candidate of the walk


@dataclass(frozen=True)
class Step(Generic[State]):
    """One proposal of a walk that is watched, and the private score it met."""

    state: State
    proposed: State
    log_ratio: float
    score: float


class Walk(Generic[State]):
    """A private score, a public start and public moves.

    Attributes
    ----------
    first : float, private, the score at the start
    steps : list of :class:`Step`, or None while nobody watches
    mover : the generator of the moves as it was before the first of them, if watched

    >>> walk = Walk(lambda x: -abs(x - 9), 0, lambda x, rng: (x + rng.choice([-1, 1]), 0.0))
    >>> int(walk.run(9.0, 99, np.random.default_rng(0), np.random.default_rng(1)))
    9
    """

    def __init__(
        self,
        score: Callable[[State], float],
        start: State,
        move: Callable[[State, np.random.Generator], tuple[State, float]],
    ) -> None:
        if not callable(score):
            raise TypeError(f"score must be callable, not {score!r}")
        if not callable(move):
            raise TypeError(f"move must be callable, not {move!r}")
        self.score, self.start, self.move = score, start, move
        self.first = finite_number(score(start), "score")
        self.steps: list[Step[State]] | None = None
        self.mover: np.random.Generator | None = None

    def watch(self) -> None:
        """Write down each step of the next run."""
        self.steps = []

    def try_move(self, rng: np.random.Generator) -> None:
        """Move once from the start, without the data; TypeError if that gives no proposal."""
        found = self.move(self.start, rng)
        pair = isinstance(found, tuple) and len(found) == 2
        if not (pair and isinstance(found[1], Real) and not math.isnan(found[1])):
            raise TypeError("move must return a state and the log of a ratio of chances")

    def run(
        self, factor: float, steps: int, rng: np.random.Generator, mover: np.random.Generator
    ) -> State:
        """Walk so many steps and return where one stands; scores weigh ``factor``."""
        if self.steps is not None:
            self.mover = copy.deepcopy(mover)
        state, now = self.start, factor * self.first
        for _ in range(steps):
            proposed, log_ratio = self.move(state, mover)
            score = float(self.score(proposed))
            if self.steps is not None:
                self.steps.append(Step(*copy.deepcopy((state, proposed)), log_ratio, score))
            then = factor * score
            if -rng.standard_exponential() < then - now + log_ratio:
                state, now = proposed, then
        return state
