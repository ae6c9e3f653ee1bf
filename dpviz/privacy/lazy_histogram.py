"""Lazily perturbed Laplace histogram: any number of names, each noise drawn at its first touch."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from dpviz import checks
from dpviz.privacy import samplers
from dpviz.privacy.account import Account
from dpviz.privacy.guard import Single
from dpviz.privacy.ledger import Cost, line
from dpviz.privacy.private_data import finite_number, hashable


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

    Proof of the price: think of Laplace noise of scale sensitivity / epsilon drawn for every
    name at the start. That is the Laplace mechanism on the whole table; drawing a name's
    noise only at its first touch, from a stream of its own, gives the same law. Asking again
    gives the same answer and costs nothing.

    An entry is a function of the data, so each touch of a name brings the same value. What is
    kept is the noisy value of the first touch; a value that comes later is not looked at, or the
    difference of two answers would be the difference of two values without noise. (A transcript
    test does look: it holds every touch against the sensitivity.)
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
        private = finite_number(value)
        if not hashable(name):
            raise TypeError("name must be hashable")
        touch = line(f"{self._label}[{name!r}]", "entry", self._sensitivity, self._scale, Cost())
        draw = lambda: self._touch(name, private)  # noqa: E731
        return self._curator._ask(touch, private, "table", draw, table=self, name=name)

    def _touch(self, name: Hashable, value: float) -> float:
        """Draw the noise of a name that is new; return what stands under the name."""
        if name not in self._noisy:
            self._noisy[name] = value + float(samplers.laplace(self._curator._rng, self._scale))
        return self._noisy[name]
