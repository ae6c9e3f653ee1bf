"""Lazily perturbed Laplace histogram: any number of names, each noise drawn when first asked."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.privacy.account import Account, Single
from dpviz.privacy.ledger import Cost, line
from dpviz.privacy.private_data import finite, finite_number, hashable


class LazyHistograms(Account):
    """The verb that makes a :class:`LazyHistogram`."""

    def lazy_histogram(
        self, *, sensitivity: float = 2.0, epsilon: float, label: str
    ) -> LazyHistogram:
        """A histogram over names without end: see :class:`LazyHistogram`. Costs ``epsilon`` now.

        Parameters
        ----------
        sensitivity : float > 0
            Largest L1 change of all entries together when one record is replaced; 2 for counts.
        epsilon : float > 0
        """
        sensitivity = checks.number("sensitivity", sensitivity, above=0)
        epsilon = checks.epsilon(epsilon)
        return LazyHistogram(self, sensitivity=sensitivity, epsilon=epsilon, label=label)


class LazyHistogram(Single):
    """Noisy entries of a table with any number of names; each name's noise is drawn once.

    Proof of the cost: think of Laplace noise of scale sensitivity / epsilon drawn for every
    name at the start. That is the Laplace mechanism on the whole table; drawing a name's
    noise only when it is first asked, from a stream of its own, gives the same law. Asking again
    gives the same answer and costs nothing.

    An entry is a function of the data, so each question about a name brings the same value. What
    is kept is the noisy value of the first question; a value that comes later is not read, or the
    difference of two answers would be the difference of two values without noise. (A transcript
    test does read it: it holds every question against the sensitivity.)
    """

    def __init__(self, curator: Account, *, sensitivity: float, epsilon: float, label: str) -> None:
        self._curator, self._label = curator, label
        self._sensitivity, self._scale = sensitivity, sensitivity / epsilon
        self._noisy: dict[Hashable, float] = {}
        cost = curator._cost(epsilon=epsilon)
        charge = line(label, "lazy_histogram", sensitivity, self._scale, cost)
        curator._ask(charge, np.zeros(()), "max", lambda: None)

    @property
    def scale(self) -> float:
        """Scale of the noise on each entry."""
        return self._scale

    def entry(self, name: Hashable, value: float) -> float:
        """The private ``value`` of an entry plus its noise; later, the same again for any value.

        Raises ValueError or TypeError if ``value`` is no finite number or ``name`` has no hash;
        then nothing is drawn.
        """
        return float(self._noisy_values([name], np.array([finite_number(value)]), f"{name!r}")[0])

    def entries(self, names: Sequence[Hashable], values: ArrayLike) -> np.ndarray:
        """Many entries in one question: the same noise, in the same order, as one by one.

        Parameters
        ----------
        names : k names
        values : array (k,), private, the value of each

        Returns
        -------
        array (k,)

        Raises as :meth:`entry`; then nothing is drawn.
        """
        names, private = list(names), finite(values, "values")
        if private.shape != (len(names),):
            raise ValueError("values must be as many as the names")
        return self._noisy_values(names, private, f"{len(names)} names")

    def _noisy_values(self, names: list[Hashable], private: np.ndarray, said: str) -> np.ndarray:
        """Ask about names; draw the noise of those that are new; return what stands there."""
        if not all(map(hashable, names)):
            raise TypeError("name must be hashable")

        def draw() -> np.ndarray:
            new: dict[Hashable, float] = {}
            for name, value in zip(names, private.tolist(), strict=True):
                if name not in self._noisy:
                    new.setdefault(name, value)  # named twice: what came first counts
            pairs = self._curator._rng.standard_exponential((len(new), 2))  # as noise_laws.laplace
            noise = (self._scale * (pairs[:, 0] - pairs[:, 1])).tolist()
            self._noisy.update((k, v + x) for (k, v), x in zip(new.items(), noise, strict=True))
            return np.array([self._noisy[name] for name in names], dtype=float)

        entry = line(f"{self._label}[{said}]", "entry", self._sensitivity, self._scale, Cost())
        return self._curator._ask(entry, private, "table", draw, table=self, names=tuple(names))
