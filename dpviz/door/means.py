"""The mean of one column, or the means of many at once, in the reader's unit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.door import frames, payment, readings
from dpviz.door.terms import Answers, Mechanism, Result, asked, settled, sides
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
    moved = box.total / read.n
    title = f"mean of {label}"
    mechanism = Mechanism(
        name="laplace",
        params=limits,
        bound=partial(limits.largest_noise, 1, l1=moved, l2=moved),
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


def means(
    columns: ArrayLike | frames.Frame,
    *,
    bounds: frames.Bounds,
    epsilon: float | None = None,
    delta: float | None = None,
    outside: str = "clip",
    curator: Curator | None = None,
    rng: checks.Seed | None = None,
) -> Answers:
    """The means of k columns at once, with noise. Costs ``epsilon`` and, with one, ``delta``.

    Replacing one of n records moves each mean by at most a share 1/n of its side, so all of them
    by k/n in L1 and sqrt(k)/n in L2: Laplace noise without a delta, Gaussian noise with one.
    Proved: the k noises are independent, so all are below t with probability 1 - beta exactly if
    each is with probability (1 - beta)^(1/k).

    Parameters
    ----------
    columns : array (n, k), a frame, or a source of them (``dpviz.pieces``)
    bounds : pairs (lower, upper), a dict by column, or a frame; what lies outside is clipped
    epsilon, delta : the cost, pure without delta; without both all that is left of the ``curator``
    outside, curator, rng : as in ``dpviz.mean``

    Raises
    ------
    TypeError, ValueError, BudgetExceeded
        Before anything is paid.

    >>> import dpviz
    >>> homes = [[2.0, 30.0], [3.0, 45.0], [1.0, 28.0]] * 1000  # rooms, square metres
    >>> dpviz.means(homes, bounds=[(0, 9), (0, 200)], epsilon=1, rng=7).values.round()
    array([ 2., 34.])
    """
    how: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "curator": curator, "rng": rng}
    read, public = asked("columns", columns, bounds, outside=outside, **how)
    box = Box(public["lower"], public["upper"])
    limits = Limits(box=box, epsilon=public["epsilon"], delta=public["delta"])
    data = readings.summed(read, statistic, limits, curator)
    title = f"means of {', '.join(read.columns[:4])}{', ...' * (box.d > 4)}"
    mechanism = Mechanism(
        name="gaussian" if limits.delta else "laplace",
        params=limits,
        bound=partial(bound, limits, read.n),
        release=partial(noisy, data, limits, title),
    )
    return settled(
        [mechanism],
        _answers,
        title=title,
        unit="(share of the bounds of a column), all columns together",
        n=read.n,
        bounds=sides(read, public),
        curator=curator,
        rng=rng,
    )


def _answers(*, release: NDArray, **fields: Any) -> Answers:
    return Answers(**fields, release=release, values=release)


def bound(limits: Limits, n: int, beta: float) -> float:
    """What none of the noises of :func:`means` exceeds, with probability 1 - beta exactly; as a
    share of each side.

    >>> limits = Limits(epsilon=1, box=Box((0.0,), (10.0,)))
    >>> round(bound(limits, 1000, 0.05), 6) == round(math.log(20) / 1000, 6)
    True
    """
    k = limits.box.d
    return limits.largest_noise(k, beta, l1=k / n, l2=math.sqrt(k) / n)


def noisy(data: NDArray | Sums, limits: Limits, label: str, curator: Curator) -> NDArray:
    """All means in the unit of their columns, each with noise in proportion to its side."""
    box = limits.box
    sums = data if isinstance(data, Sums) else statistic(data, limits)
    exact = sums.value(SUM, (box.d,)) / sums.n
    moved = {"l1": box.d / sums.n, "l2": math.sqrt(box.d) / sums.n}
    return np.array(box.lower) + box.widths * limits.noisy(exact, curator, **moved, label=label)


def transformed(
    kind: str, points: ArrayLike, queries: ArrayLike, bounds: Any, *, metric: str = "l1",
    width: float | None = None,
) -> tuple[NDArray, list[tuple[float, float]]]:  # fmt: skip
    """Records as the values of k public functions of them, whose means are then asked. Private.

    Parameters
    ----------
    kind : "distances": from k places in ``metric``; "kernels": exp(-sum_i u_i^2 / 2) for the
        difference u of record and centre in units of ``width`` sides of the bounds
    points : array (n, d), clipped to the bounds; queries : array (k, d), public
    bounds : d pairs (lower, upper), or one for all
    metric : "l1" or "euclidean"

    Returns
    -------
    array (n, k), and the k pairs between which its columns lie: public, from queries and bounds

    >>> transformed("distances", [[1.0], [9.0]], [[0.0], [4.0]], [(0, 10)])
    (array([[1., 3.],
           [9., 5.]]), [(0.0, 10.0), (0.0, 6.0)])
    """
    checks.choice("kind", kind, ("distances", "kernels"))
    places = checks.queries("queries", queries)
    pairs = np.broadcast_to(np.asarray(bounds, dtype=float), (places.shape[1], 2))
    lower, upper = pairs.T
    records = np.clip(np.asarray(points, dtype=float), lower, upper)
    if kind == "kernels":
        sides = checks.number("width", width, above=0) * (upper - lower)
        values = np.exp(-_squares((records - lower) / sides, (places - lower) / sides) / 2)
        return values, [(0.0, 1.0)] * len(places)
    checks.choice("metric", metric, ("l1", "euclidean"))
    farthest = np.maximum(places - lower, upper - places)
    if metric == "l1":
        values = np.stack([np.abs(records - place).sum(axis=1) for place in places], axis=1)
        most = farthest.sum(axis=1)
    else:
        values = np.sqrt(_squares(records - lower, places - lower))
        most = np.sqrt(np.square(farthest).sum(axis=1))
    return values, [(0.0, float(side)) for side in most]


def _squares(records: NDArray, places: NDArray) -> NDArray:
    """Squared Euclidean distances; (n, k)."""
    crossed = np.square(records).sum(axis=1)[:, None] + np.square(places).sum(axis=1)
    return np.maximum(crossed - 2 * records @ places.T, 0.0)


@dataclass(frozen=True, kw_only=True)
class Limits(Budgeted):
    """The public box of some columns, and the budget."""

    box: Box


def statistic(data: ArrayLike, params: Limits) -> Sums:
    """The sums of some of the records, clipped and rescaled to [0, 1]; exact. Private.

    >>> limits = Limits(epsilon=1, box=Box((0.0,), (10.0,)))
    >>> statistic([2.5, 99.0], limits).value(SUM, (1,)).tolist()
    [1.25]
    """
    table = np.asarray(data)
    units = map(params.box.private, blocks_of(table))
    return Sums(n=len(table), totals={SUM: column_sums(units, params.box.d)})


def _release(data: NDArray | Sums, limits: Limits, label: str, curator: Curator) -> Any:
    """The mean in the unit of the column, with noise."""
    box = limits.box
    sums = data if isinstance(data, Sums) else statistic(data, limits)
    above = box.total * (sums.value(SUM, (1,)).item() / sums.n)  # rounded less than the mean itself
    sensitivity = box.total / sums.n
    noisy = curator.laplace(above, sensitivity=sensitivity, epsilon=limits.epsilon, label=label)
    return box.lower[0] + noisy
