"""The mean of one column: the Laplace mechanism in the reader's unit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.door import frames, payment, readings
from dpviz.door.terms import Mechanism, Result, settled
from dpviz.privacy.box import Box
from dpviz.privacy.curator import Budgeted, Curator
from dpviz.privacy.pieces import Sums, blocks_of, column_sums

SUM = "sum"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Mean(Result):
    """A noisy mean.

    Attributes
    ----------
    release : float, the mean itself, also ``value``
    """

    @property
    def value(self) -> float:
        """The noisy mean, in the unit of the column."""
        return float(self.release)

    def __float__(self) -> float:
        return self.value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.array(self.value, dtype=dtype)

    def summary(self) -> str:
        """The value."""
        return f"{self.value:.6g}"


def mean(
    column: ArrayLike | frames.Frame,
    *,
    bounds: frames.Bounds,
    epsilon: float | None = None,
    outside: str = "clip",
    curator: Curator | None = None,
    rng: checks.Seed | None = None,
) -> Mean:
    """The mean of a column, with Laplace noise. Costs ``epsilon``.

    Replacing one of n records, each clipped to the bounds, moves the mean by at most
    (upper - lower) / n: that is the sensitivity. Proved: the noise is larger than
    (upper - lower) ln(1 / beta) / (n epsilon) with probability beta exactly.

    Parameters
    ----------
    column : array (n,), a series, a frame of one column, or a source of them (``dpviz.pieces``)
    bounds : pair (lower, upper), known without looking at the data; what lies outside is clipped
    epsilon : float > 0; without it all that is left of the ``curator``
    outside : "clip", or "refuse": then records outside of the bounds are an error, which tells
        that there are some; for a first try, when the unit may be wrong
    curator : who pays, if it is not a fresh one with ``epsilon``
    rng : a seed, where the noise must be reproducible; None: fresh entropy

    Raises
    ------
    TypeError, ValueError, BudgetExceeded
        Before anything is paid.

    >>> import dpviz
    >>> ages = [34, 51, 29, 47, 62, 38] * 50
    >>> dpviz.mean(ages, bounds=(0, 100), epsilon=1, rng=7)
    mean of column 0: 43.4
      records  300: column 0 in [0, 100], clipped to these bounds
      proved   off by at most 0.999 (unit of column 0), with probability 95%
      cost     epsilon 1; neighbours differ in one replaced record
      ledger   spent epsilon 1 of epsilon 1
    """
    read = readings.column("column", column)
    lower, upper = frames.box(bounds, read, outside=outside)
    amount, _ = payment.budget_of(curator, rng, epsilon=epsilon)
    box = Box(lower, upper)
    limits = Limits(box=box, epsilon=amount)
    data = readings.summed(read, statistic, limits, curator)
    label = read.columns[0]
    title = f"mean of {label}"
    mechanism = Mechanism(
        name="laplace",
        params=limits,
        bound=partial(_bound, box.total / (read.n * amount)),
        release=partial(_release, data, limits, title),
    )
    return settled(
        [mechanism],
        Mean,
        title=title,
        unit=f"(unit of {label})",
        n=read.n,
        bounds={label: (lower[0], upper[0])},
        curator=curator,
        rng=rng,
    )


@dataclass(frozen=True, kw_only=True)
class Limits(Budgeted):
    """The public box of a column, and the budget."""

    box: Box


def statistic(data: ArrayLike, params: Limits) -> Sums:
    """The sum of some of the records, clipped and rescaled to [0, 1]; exact. Private.

    >>> limits = Limits(epsilon=1, box=Box((0.0,), (10.0,)))
    >>> statistic([2.5, 99.0], limits).value(SUM, (1,)).tolist()
    [1.25]
    """
    table = np.asarray(data)
    units = map(params.box.private, blocks_of(table))
    return Sums(n=len(table), totals={SUM: column_sums(units, 1)})


def _release(data: NDArray | Sums, limits: Limits, label: str, curator: Curator) -> Any:
    """The mean in the unit of the column, with noise."""
    box = limits.box
    sums = data if isinstance(data, Sums) else statistic(data, limits)
    exact = box.lower[0] + box.total * (sums.value(SUM, (1,)).item() / sums.n)
    sensitivity = box.total / sums.n
    return curator.laplace(exact, sensitivity=sensitivity, epsilon=limits.epsilon, label=label)


def _bound(scale: float, beta: float) -> float:
    """What Laplace noise exceeds with probability beta."""
    return scale * math.log(1 / beta)
