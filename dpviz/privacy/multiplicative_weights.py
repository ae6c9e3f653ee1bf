"""Dense multiplicative weights: a distribution over a finite universe that learns answers.

Hardt and Rothblum (2010). It is kept as logarithms; every query costs the size of the
universe, which is what the sparse form of a later lesson avoids.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks


class Weights:
    """A distribution over a universe, at first uniform; a :class:`dpviz.privacy.online.Learner`.

    Parameters
    ----------
    size : int >= 1, number of elements
    alpha : float in (0, 1), an answer counts as wrong beyond this

    >>> learner = Weights(4, alpha=0.2)
    >>> query = np.array([1.0, 0, 0, 0])
    >>> learner.predict(query)
    0.25
    >>> learner.update(query, 0.9)
    >>> learner.predict(query) > 0.25
    True
    """

    def __init__(self, size: int, *, alpha: float):
        checks.integer("size", size, at_least=1)
        self.alpha = checks.number("alpha", alpha, above=0, below=1)
        self._logs = np.zeros(size)

    @property
    def distribution(self) -> np.ndarray:
        """The weights, adding up to 1; shape (size,)."""
        weights = np.exp(self._logs - self._logs.max())
        return weights / weights.sum()

    @property
    def mistake_bound(self) -> int:
        """Proved: at most floor(4 ln(size) / alpha^2) updates whose side is right.

        Proof. An update at a query that is off by alpha or more, towards the right side, with step
        alpha / 2, lowers the Kullback-Leibler divergence from the data by at least (alpha / 2)
        alpha - (alpha / 2)^2 = alpha^2 / 4. It starts at ln(size) or below and is never negative.
        """
        return math.floor(4 * math.log(len(self._logs)) / self.alpha**2)

    def predict(self, query: ArrayLike) -> float:
        """Mean of a query, array (size,) with entries in [0, 1]."""
        return float(self._query(query) @ self.distribution)

    def update(self, query: ArrayLike, reply: float) -> None:
        """Shift weight towards the side on which the reply lies."""
        query = self._query(query)
        side = 1.0 if reply > query @ self.distribution else -1.0
        self._logs += side * self.alpha / 2 * query

    def _query(self, query: ArrayLike) -> np.ndarray:
        points = checks.queries("query", query)
        if points.shape != self._logs.shape or points.min() < 0 or points.max() > 1:
            raise ValueError(f"query must have shape {self._logs.shape} and entries in [0, 1]")
        return points
