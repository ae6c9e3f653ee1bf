"""What every verb of a curator stands on: the budget, the ledger and the random stream.

A mechanism that needs a private number asks (``Account._ask``): the charge is entered, or
refused, and only then noise is drawn, in one turn. The verbs are in the modules beside this one,
each a class on top of :class:`Account`; `dpviz.privacy.curator` puts them together.

A random stream must stay single: of two copies one would answer a private question and the other
the question 0, and the difference is the truth. So what holds a stream refuses to be copied,
pickled and used in a forked process. And a budget is checked and charged in one turn, or two
threads would both spend what is left.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn, TypeVar

import numpy as np

from dpviz import accounting, checks
from dpviz.privacy.ledger import BudgetExceeded, Charge, Cost, Ledger, Question, Sum

T = TypeVar("T")
NOTHING = Cost()


class Single:
    """Base of all that holds a curator's random stream.

    >>> import copy
    >>> copy.copy(Single())
    Traceback (most recent call last):
    ...
    TypeError: a Single cannot be copied or pickled: its twin would have the same noise
    """

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f"a {name} cannot be copied or pickled: its twin would have the same noise")


class Turn:
    """A lock for a curator and all its parts, in the process that made it.

    A thread that has it may take it again.

    >>> turn = Turn()
    >>> with turn, turn:
    ...     pass
    """

    __slots__ = ("_lock", "_process")

    def __init__(self) -> None:
        self._lock, self._process = threading.RLock(), os.getpid()

    def __enter__(self) -> None:
        if os.getpid() != self._process:
            raise RuntimeError(
                "this curator belongs to another process: make one there, with a seed of its own"
            )
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class Account(Single):
    """A budget, the charges against it, and the one stream that all its noise comes from."""

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        rho: float | None = None,
        delta: float = 0.0,
        rng: checks.Seed,
    ) -> None:
        if (epsilon is None) == (rho is None):
            raise ValueError("give a budget either as epsilon (and delta) or as rho (and delta)")
        name, value = ("epsilon", epsilon) if rho is None else ("rho", rho)
        amount = {name: checks.number(name, value, above=0)}
        self._budget = Cost(**amount, delta=checks.number("delta", delta, at_least=0, below=1))
        self._rng, self._turn = checks.generator(rng), Turn()
        self._charges: list[tuple[Charge, Account | None]] = []
        self._spent = Sum()
        self._steps, self._step = math.inf, self._budget  # how many charges, and how large each

    @property
    def budget(self) -> Cost:
        """All that may be spent."""
        return self._budget

    @property
    def composition(self) -> str:
        """ "basic" or "zcdp"."""
        return "zcdp" if self.budget.rho else "basic"

    @property
    def ledger(self) -> Ledger:
        """What was spent so far, as a frozen table; parts as they are now."""
        charges = [
            replace(charge, sub_ledger=child.ledger) if child else charge
            for charge, child in [*self._charges]
        ]
        return Ledger(self.budget, tuple(charges))

    def __repr__(self) -> str:
        return str(self.ledger)

    def _repr_html_(self) -> str:
        return self.ledger._repr_html_()

    def _cost(self, *, epsilon: float, delta: float = 0.0, rho: float | None = None) -> Cost:
        """The cost of an (epsilon, delta) step here; in zCDP ``rho``, or epsilon^2 / 2.

        An epsilon-differentially private step is epsilon^2/2-zCDP (Bun and Steinke 2016,
        Proposition 1.4); one that is so outside an event of probability delta is
        delta-approximately so.
        """
        if self.composition == "basic":
            return Cost(epsilon=epsilon, delta=delta)
        return Cost(rho=accounting.zcdp_pure(epsilon=epsilon) if rho is None else rho, delta=delta)

    def _ask(
        self, charge: Charge, private: object, norm: str, draw: Callable[[], T], **public: object
    ) -> T:
        """What every verb ends in; ``public`` is what else was asked and is not in the charge."""
        question = Question(charge=charge, private=private, norm=norm, public=public)
        with self._turn:
            return self._reply(question, draw)

    def _reply(self, question: Question, draw: Callable[[], T]) -> T:
        """Pay, then draw, in one turn. The one place where a private value meets noise."""
        self._pay(question.charge)
        return draw()

    def _check(self, charge: Charge, value: float, compare: Callable[[float], bool]) -> bool:
        """One check against a noisy threshold that is paid for: it costs nothing more."""
        return compare(value)

    def _check_run(
        self,
        charge: Charge,
        values: np.ndarray,
        one: Callable[[float], bool],
        run: Callable[[np.ndarray], int | None],
    ) -> int | None:
        """Many such checks up to the first above: what ``one`` answers, by ``run`` at once."""
        return run(values)

    def _pay(self, charge: Charge, child: Account | None = None) -> None:
        """Enter the charge, or raise ``BudgetExceeded`` and leave the ledger as it was."""
        if charge.cost == NOTHING:
            return
        after = self._spent.plus(charge.cost)
        fits = self._step.covers(charge.cost) and len(self._charges) < self._steps
        if not (fits and self.budget.covers(after.cost)):
            left = self.budget.left_after(self._spent.cost)
            raise BudgetExceeded(
                f"{charge.label!r} asks for {charge.cost}, but {left} of {self.budget} is left"
            )
        self._charges.append((charge, child))
        self._spent = after

    def _must_be(self, composition: str) -> None:
        """Raise ``ValueError`` unless costs compose in this way."""
        if self.composition != composition:
            raise ValueError(
                f"this needs a {composition!r} curator, not a {self.composition!r} one"
            )
