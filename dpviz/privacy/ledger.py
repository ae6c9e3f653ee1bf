"""What was spent: costs, charges, and the ledger as a table and as a tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

BITS = 1074  # every float is a whole number of units of 1 / 2^BITS, the smallest one
ONE = 1 << BITS
ROUNDING = 1e-12  # share of a budget that may be lost to adding floats, e.g. 11 x (1/11)


class BudgetExceeded(Exception):
    """A charge that cannot be paid. Nothing was drawn; the ledger is as before."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """A cost or a budget: (epsilon, delta), or rho with the delta of approximate zCDP.

    >>> print(Cost(rho=0.02, delta=1e-6))
    rho 0.02, delta 1e-06
    """

    epsilon: float = 0.0
    delta: float = 0.0
    rho: float = 0.0

    def __str__(self) -> str:
        named = [(f.name, getattr(self, f.name)) for f in fields(self)]
        first = sorted(named, key=lambda pair: pair[0] == "delta")
        return ", ".join(f"{name} {text(value)}" for name, value in first if value) or "nothing"

    def covers(self, other: Cost) -> bool:
        """Whether ``other`` can be paid from this, up to the last bits of a sum."""
        more = 1 + ROUNDING
        return (
            other.epsilon <= self.epsilon * more
            and other.delta <= self.delta * more
            and other.rho <= self.rho * more
        )

    def left_after(self, spent: Cost) -> Cost:
        """What remains, never below zero."""
        return Cost(
            **{
                f.name: max(0.0, getattr(self, f.name) - getattr(spent, f.name))
                for f in fields(self)
            }
        )

    def share_of(self, whole: Cost) -> float:
        """The larger of the shares in epsilon (or rho) and in delta."""
        pairs = [(getattr(self, f.name), getattr(whole, f.name)) for f in fields(self)]
        return max((mine / all_ for mine, all_ in pairs if all_), default=0.0)


class Sum:
    """An exact running sum of costs, each part by itself: basic composition, or that of zCDP.

    >>> paid = Sum()
    >>> for _ in range(10):
    ...     paid = paid.plus(Cost(epsilon=0.1))
    >>> paid.cost.epsilon
    1.0
    """

    def __init__(self, totals: tuple[int, int, int] = (0, 0, 0)):
        self._totals = totals  # of epsilon, delta and rho, in units of 1 / ONE

    def plus(self, cost: Cost) -> Sum:
        """This sum and one more cost."""
        epsilon, delta, rho = self._totals
        return Sum(
            (epsilon + _units(cost.epsilon), delta + _units(cost.delta), rho + _units(cost.rho))
        )

    @property
    def cost(self) -> Cost:
        """The sum, rounded once."""
        epsilon, delta, rho = self._totals
        return Cost(epsilon=epsilon / ONE, delta=delta / ONE, rho=rho / ONE)


@lru_cache  # a mechanism pays the same again and again
def _units(x: float) -> int:
    """A float as a whole number of the smallest float, exactly."""
    above, below = x.as_integer_ratio()  # below is a power of 2
    return above << (BITS + 1 - below.bit_length())


@dataclass(frozen=True, kw_only=True)
class Charge:
    """One line of the ledger: what left, through which verb, and what it cost.

    Attributes
    ----------
    sensitivity : largest change that one replaced record can make, in the verb's norm
    scale : of the noise (standard deviation if Gaussian); 0 where noise is not additive
    sub_ledger : Ledger of a sub-curator that was paid as a whole, if it is one
    """

    label: str
    verb: str
    sensitivity: float
    scale: float
    cost: Cost
    sub_ledger: Ledger | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """What a mechanism asks of a curator: a charge, and the private value to be covered.

    Attributes
    ----------
    private : the value itself, which only the curator (and a transcript test) sees
    norm : how it may move when one record is replaced, by ``charge.sensitivity`` at most: "L1" or
        "L2" (its length), "max" (each entry), "rows" (one entry is another), "table" (L1 over all
        names of one table), "walk" (each score that a walk may look at)
    public : what else is asked, by name, and must not depend on the data: a ball, a level, a start
    """

    charge: Charge
    private: Any
    norm: str
    public: Mapping[str, Any] = field(default_factory=dict)


COLUMNS = ("label", "verb", "sensitivity", "scale", "cost", "share")


@dataclass(frozen=True)
class Ledger:
    """The charges so far against a budget; prints as a table, and as a tree.

    Gone through it gives a dict for each charge, from which a library of frames makes a frame.

    >>> cost = Cost(epsilon=0.5)
    >>> charge = line("mean", "laplace", 1.0, 2.0, cost)
    >>> [row["epsilon"] for row in Ledger(Cost(epsilon=1.0), (charge,))]
    [0.5]
    """

    budget: Cost
    charges: tuple[Charge, ...] = ()

    @property
    def spent(self) -> Cost:
        """Sum of the charges."""
        paid = Sum()
        for charge in self.charges:
            paid = paid.plus(charge.cost)
        return paid.cost

    @property
    def left(self) -> Cost:
        """Budget less what was spent."""
        return self.budget.left_after(self.spent)

    def __iter__(self) -> Iterator[dict[str, str | float]]:
        names = ("label", "verb", "sensitivity", "scale")
        for charge in self.charges:
            yield {name: getattr(charge, name) for name in names} | vars(charge.cost)

    def _repr_html_(self) -> str:
        from html import escape  # which loads every entity's name

        rows = [COLUMNS, *map(self._row, self.charges)]
        cells = ["".join(f"<td>{escape(entry)}</td>" for entry in row) for row in rows]
        head = cells[0].replace("td>", "th>")
        body = "".join(f"<tr>{row}</tr>" for row in cells[1:])
        caption = f"<caption>{escape(self._sum())}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def __str__(self) -> str:
        table = [COLUMNS, *(self._row(charge) for charge in self.charges)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]
        return "\n".join([*lines, self._sum()])

    def tree(self, indent: str = "") -> str:
        """The charges with those of their parts below them."""
        lines = [] if indent else [self._sum()]
        for charge in self.charges:
            share = percent(charge.cost.share_of(self.budget))
            lines.append(f"{indent}- {charge.label}: {charge.verb}, {charge.cost} ({share})")
            if charge.sub_ledger:
                inner = f"{indent}  "
                lines += [f"{inner}{charge.sub_ledger._sum()}", charge.sub_ledger.tree(inner)]
        return "\n".join(line for line in lines if line.strip())

    def _row(self, charge: Charge) -> tuple[str, ...]:
        scale = text(charge.scale) if charge.scale else "-"
        sensitivity = text(charge.sensitivity) if charge.sensitivity else "-"
        share = percent(charge.cost.share_of(self.budget))
        return charge.label, charge.verb, sensitivity, scale, str(charge.cost), share

    def _sum(self) -> str:
        return f"spent {self.spent} of {self.budget}"


def line(label: str, verb: str, sensitivity: float, scale: float, cost: Cost) -> Charge:
    """A charge, written in the order of the table."""
    if not isinstance(label, str):
        raise TypeError(f"label must be a text, not {label!r}")
    return Charge(label=label, verb=verb, sensitivity=sensitivity, scale=scale, cost=cost)


def percent(share: float) -> str:
    """A share to two digits at least; half a percent is rounded up.

    >>> percent(0.025), percent(0.125), percent(1.0)
    ('2.5%', '13%', '100%')
    """
    return f"{100 * share:.2g}%" if share < 0.1 else f"{share + ROUNDING:.0%}"


def text(value: float) -> str:
    """A number to four digits."""
    return f"{value:.4g}"
