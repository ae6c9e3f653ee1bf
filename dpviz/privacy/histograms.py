"""Histograms over more cells than anyone can list: the heavy ones, or those that are asked for.

The stability-based histogram names the cells that many records share; the lazily perturbed one
draws the noise of a cell when it is first asked.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.accounting.normal import quantile
from dpviz.privacy import noise_laws
from dpviz.privacy.account import Account, Single
from dpviz.privacy.ledger import Cost, line
from dpviz.privacy.pieces import Few
from dpviz.privacy.private_data import cells, finite, finite_number, hashable


class StableHistogram(Account):
    """The verbs that name cells of a partition which many records share.

    Precondition: keys that compare equal must be indistinguishable. To Python 1, 1.0 and True are
    equal and therefore one cell, but the key that is released is the one of the first record in
    that cell, so its type would reveal something about that record which no noise covers. There is
    no canonical form for keys of every kind, so the caller converts all keys to one type first.
    """

    def heaviest_cell(
        self,
        keys: Collection[Hashable] | Few,
        *,
        delta: float,
        epsilon: float | None = None,
        rho: float | None = None,
        label: str,
    ) -> tuple[Hashable, float] | None:
        """The heaviest cell of a partition, however many cells there are, or None.

        Statements: NSV Theorem 2.5.
        Each non-empty cell's count gets noise; the largest noisy count and its key are released
        if it reaches a level that a lone record's count reaches with probability ``delta``.

        With ``epsilon`` the noise is Laplace of scale 2 / epsilon and the level is
        1 + (2 / epsilon) ln(1 / (2 delta)). Costs (``epsilon``, ``delta``), in zCDP
        delta-approximately epsilon^2 / 2. Proof: replacing a record moves two counts by one, a
        factor of at most exp(epsilon / 2) each. A cell that is empty on one side holds one record
        on the other and is released with probability delta; without that event only the other count
        differs. (Stability-based histogram: Korolova et al. 2009; Bun, Nissim and Stemmer 2016.)

        With ``rho``, in zCDP, it is Gaussian of standard deviation s = 1 / sqrt(rho) and the
        level is 1 + s q, q the normal's upper delta-quantile. Costs (``rho``, ``delta``).
        Proof: two counts that move by one have L2 length sqrt(2), and (sqrt(2) / s)^2 / 2 is
        rho. If a cell is empty on one side, then given that it is not released at most one
        count differs, by one: rho / 2.

        Parameters
        ----------
        keys : list of one hashable key for each record, private; None for a record in no cell
            (precondition: equal keys are indistinguishable, see :class:`StableHistogram`); or
            ``Few``: the records of numbered cells, counted
        delta : float in (0, 1/2]; epsilon, rho : float > 0, one of the two

        Returns (key, noisy count) or None.
        """
        delta = checks.number("delta", delta, above=0, at_most=0.5)
        scale, enough, cost = self._release_level(epsilon=epsilon, delta=delta, rho=rho)
        if isinstance(keys, Few):
            full = keys.counts > 0
            private: object = keys
            counts = Counter(
                dict(zip(keys.places[full].tolist(), keys.counts[full].tolist(), strict=True))
            )
        else:
            private = cells(keys)
            counts = Counter(private)
            counts.pop(None, None)
        charge = line(label, "heaviest_cell", 1.0, scale, cost)
        noise = self._rng.standard_normal if epsilon is None else self._unit_laplace
        return self._ask(
            charge, private, "rows", lambda: _heaviest(counts, lambda m: scale * noise(m), enough)
        )

    def stable_histogram(
        self, keys: Collection[Hashable], *, epsilon: float, delta: float, label: str
    ) -> dict[Hashable, float]:
        """Every cell of a partition that is full enough, with its noisy count.

        As :meth:`heaviest_cell`, but all cells that reach 1 + (2 / epsilon) ln(1 / (2 delta)) are
        released. Costs (``epsilon``, ``delta``), in zCDP delta-approximately epsilon^2 / 2. Proof:
        cells are independent, and replacing a record moves two counts by one. If both cells
        are filled on both sides, each costs a factor of at most exp(epsilon / 2). A cell that is
        empty on one side holds one record on the other and shows there with probability
        delta; the other cell moves by one, a factor of exp(epsilon / 2) beside that delta. If
        one cell is emptied and another filled, both sides show nothing of them with probability
        1 - delta: the laws differ by delta in all.

        Parameters
        ----------
        keys : list of one hashable key for each record, private; None for a record in no cell
            (precondition: equal keys are indistinguishable, see :class:`StableHistogram`)
        delta : float in (0, 1/2]

        Returns a dict from key to noisy count, in the order of the counts, largest first.
        """
        private, epsilon = cells(keys), checks.epsilon(epsilon)
        delta = checks.number("delta", delta, above=0, at_most=0.5)
        scale = 2 / epsilon
        enough = 1 + 2 / epsilon * math.log(1 / (2 * delta))
        counts = Counter(private)
        counts.pop(None, None)
        charge = line(
            label, "stable_histogram", 1.0, scale, self._cost(epsilon=epsilon, delta=delta)
        )
        return self._ask(charge, private, "rows", lambda: _full(self._rng, counts, scale, enough))

    def _release_level(
        self, *, epsilon: float | None, delta: float, rho: float | None
    ) -> tuple[float, float, Cost]:
        """Scale of the noise on counts, the count from which a cell is released, the cost."""
        if (epsilon is None) == (rho is None):
            raise ValueError("give the cost of a heavy cell either as epsilon or as rho")
        if rho is None:
            epsilon = checks.epsilon(epsilon)
            enough = 1 + 2 / epsilon * math.log(1 / (2 * delta))
            return 2 / epsilon, enough, self._cost(epsilon=epsilon, delta=delta)
        if self.composition != "zcdp":
            raise ValueError("this curator adds epsilon and delta: give epsilon, not rho")
        sd = 1 / math.sqrt(checks.number("rho", rho, above=0))
        return sd, 1 + sd * quantile(math.log(delta)), Cost(rho=rho, delta=delta)

    def _unit_laplace(self, m: int) -> np.ndarray:
        return noise_laws.laplace(self._rng, 1.0, (m,))


def _heaviest(
    counts: Counter, noise: Callable[[int], np.ndarray], enough: float
) -> tuple[Hashable, float] | None:
    """Key and noisy count of the largest noisy count, if it is large enough."""
    if not counts:
        return None
    noisy = np.fromiter(counts.values(), dtype=float) + noise(len(counts))
    best = int(np.argmax(noisy))
    return (list(counts)[best], float(noisy[best])) if noisy[best] >= enough else None


def _full(rng: np.random.Generator, counts: Counter, scale: float, enough: float) -> dict:
    """Keys whose noisy count is large enough, by that count: their own order would leak."""
    exact = np.fromiter(counts.values(), dtype=float)
    noisy = exact + noise_laws.laplace(rng, scale, (len(counts),))
    cells = [
        (key, value) for key, value in zip(counts, noisy.tolist(), strict=True) if value >= enough
    ]
    return dict(sorted(cells, key=lambda pair: -pair[1]))


class LazyHistograms(Account):
    """The verb that makes a :class:`LazyHistogram`."""

    def lazy_histogram(
        self, *, sensitivity: float = 2.0, epsilon: float, label: str
    ) -> LazyHistogram:
        """A histogram over names without end: see :class:`LazyHistogram`. Costs ``epsilon`` now.

        Parameters
        ----------
        sensitivity : float > 0. Largest L1 change of all entries together when one record is
            replaced; 2 for counts.
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
        self._curator = curator
        self._label = label
        self._sensitivity = sensitivity
        self._scale = sensitivity / epsilon
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
        names : k names; values : array (k,), private, the value of each

        Returns an array (k,). Raises as :meth:`entry`; then nothing is drawn.
        """
        names = list(names)
        private = finite(values, "values")
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
