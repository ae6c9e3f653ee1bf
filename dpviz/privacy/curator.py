"""The curator: the only door through which a private value leaves.

It owns the two things that have state, the random stream and the ledger. Whoever wants a
private number states its sensitivity and pays; nothing is drawn before it is paid.

Composition is fixed when the curator is made. With ``epsilon`` (and ``delta``) the costs of
(epsilon, delta)-differential privacy add up: basic composition (Dwork et al. 2006). With
``rho`` those of zero-concentrated differential privacy do (Bun and Steinke 2016), and a
``delta`` beside it pays for the events of approximate zCDP. A part of an analysis that
composes otherwise is a sub-curator that is paid as a whole (`dpviz.privacy.sub_curators`), so the
ledger is a tree.

Neighbouring data sets differ in one replaced record; the number of records is public.

The noise is floating point: right as mathematics, not safe against an adversary who reads
the last bits of a double (Mironov 2012). It is for teaching, not for production.

A curator guards against mistakes, not against malice. It cannot be copied, pickled or used in
a forked process, its threads take turns, its public state is read-only, and what it refuses it
does not charge. But Python has no walls inside a process: whoever reads an attribute that
begins with an underscore, a frame of the stack, or the data themselves, finds them. Code that
is not trusted with the data must run in another process, and see only what is released.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dpviz import accounting, checks
from dpviz.privacy.additive_noise import Noise
from dpviz.privacy.exponential_mechanism import Choices
from dpviz.privacy.guard import Single, Turn
from dpviz.privacy.ledger import BudgetExceeded, Charge, Cost, Ledger, Question, Sum
from dpviz.privacy.sparse_vector import Lasting
from dpviz.privacy.stable_histogram import Heavy
from dpviz.privacy.sub_curators import SubCurators

__all__ = ["BudgetExceeded", "Charge", "Cost", "Curator", "Ledger", "Question"]


class Curator(Noise, Choices, Heavy, Lasting, SubCurators, Single):
    """Holds a privacy budget and the random stream that pays it out.

    Parameters
    ----------
    epsilon : float > 0, or
    rho : float > 0
        The whole budget; one of the two.
    delta : float in [0, 1)
    rng : anything ``numpy.random.default_rng`` takes
        Whoever knows the seed knows the noise. A lesson fixes it, to be reproducible; where the
        data are not public it must be secret: ``numpy.random.SeedSequence()`` takes a fresh
        one from the system. Two curators never share a seed (`dpviz.sweeps.seeds.spawn`).

    Raises
    ------
    ValueError, TypeError
        If the budget is not such, or ``rng`` not a seed.

    >>> curator = Curator(epsilon=1.0, rng=0)
    >>> noisy = curator.laplace(212, sensitivity=1, epsilon=0.5, label="malignant")
    >>> print(curator.ledger)
    label      verb     sensitivity  scale  cost         share
    malignant  laplace  1            2      epsilon 0.5  50%
    spent epsilon 0.5 of epsilon 1
    """

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        rho: float | None = None,
        delta: float = 0.0,
        rng: checks.Seed,
    ):
        if (epsilon is None) == (rho is None):
            raise ValueError("give a budget either as epsilon (and delta) or as rho (and delta)")
        name, value = ("epsilon", epsilon) if rho is None else ("rho", rho)
        amount = {name: checks.number(name, value, above=0)}
        self._budget = Cost(**amount, delta=checks.number("delta", delta, at_least=0, below=1))
        self._rng, self._turn = checks.generator(rng), Turn()
        self._charges: list[tuple[Charge, Curator | None]] = []
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

    def _cost(self, *, epsilon: float, delta: float = 0.0, rho: float | None = None) -> Cost:
        """The price of an (epsilon, delta) step here; in zCDP ``rho``, or epsilon^2 / 2.

        An epsilon-differentially private step is epsilon^2/2-zCDP (Bun and Steinke 2016,
        Proposition 1.4); one that is so outside an event of probability delta is
        delta-approximately so.
        """
        if self.composition == "basic":
            return Cost(epsilon=epsilon, delta=delta)
        return Cost(rho=accounting.zcdp_pure(epsilon=epsilon) if rho is None else rho, delta=delta)

    def _ask(
        self, charge: Charge, private: Any, norm: str, draw: Callable[[], Any], **public: Any
    ) -> Any:
        """What every verb ends in; ``public`` is what else was asked and is not in the charge."""
        question = Question(charge=charge, private=private, norm=norm, public=public)
        with self._turn:
            return self._reply(question, draw)

    def _reply(self, question: Question, draw: Callable[[], Any]) -> Any:
        """Pay, then draw, in one turn. The one place where a private value meets noise."""
        self._pay(question.charge)
        return draw()

    def _check(self, charge: Charge, value: float, compare: Callable[[float], bool]) -> bool:
        """One check against a noisy threshold that is paid for: it costs nothing more."""
        return compare(value)

    def _check_run(
        self, charge: Charge, values: Any, one: Callable[[float], bool], run: Callable[[Any], Any]
    ) -> int | None:
        """Many such checks up to the first hit: what ``one`` would answer, by ``run`` at once."""
        return run(values)

    def _pay(self, charge: Charge, child: Curator | None = None) -> None:
        """Enter the charge, or raise ``BudgetExceeded`` and leave the ledger as it was."""
        if charge.cost == Cost():
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
