"""The auditor: run a mechanism on two neighbours and prove, from samples alone, that it leaks.

If a mechanism is (epsilon, delta) differentially private, every event E keeps
P(E | data) <= exp(epsilon) P(E | neighbour) + delta, in both directions. So one event and its
two counts give a lower bound on epsilon: ln((P1 - delta) / P0), with the shares replaced by
their exact confidence bounds (Clopper and Pearson 1934). The art is to find the event. Half of
the samples look for it, as in StatDP (Ding et al. 2018) and DP-Sniper (Bichsel et al. 2021); the
other half, never seen before, is one honest test:

* quarter 1 fits scores that say which of the two sides an output comes from: a joint histogram
  on quantile cells at several resolutions, and the sum over coordinates of binned
  log-likelihood ratios;
* quarter 2 picks score, direction and threshold by the best bound; a rare event, whose few counts
  there prove little, is preferred if the judges' larger half should prove much more by it;
* the fresh half judges the one event that was picked.

A score is high where an output speaks for the first side and low where it speaks for the second: a
smoothed log-ratio of counts. Any score is valid, because a fresh sample judges the event that it
proposes. Quantile cells alone dilute what is rarer than a cell. So the ends have cells of half the
share, down to 1/4096, what lies beyond a wide gap is apart from what lies before it, and a value
that comes again and again has its own cell, wherever it lies.

A passed audit proves nothing. It cannot see many coordinates that each leak a little,
neighbours that nobody thought of, or a wrong answer; nor what is rarer than ``Finding.smallest``.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks

# The name in quotes keeps numpy.random from being loaded before anything is drawn.
Mechanism = Callable[[np.ndarray, int, "np.random.Generator"], np.ndarray]
THRESHOLDS = 100  # tried for each score and direction, from the rarest event to the commonest
BOLD = 0.5  # what a bolder event must promise beyond the best proved one
RESOLUTIONS = (2, 4, 8, 16, 32, 64)  # quantile cells a coordinate, for values that are not few
ALL = 255  # the last resolution: all cells, those of rare outputs too
TAILS = 1 / 2 ** np.arange(7, 13)  # shares beyond the borders of the cells at either end
GAPS = 4  # the widest gaps between values have a border
ATOMS, REPEATS = 16, 8  # at most so many values, seen so often or more, have their own cells
SMOOTH = 0.5  # added to each count: a cell that nobody visited scores 0
ODD = np.uint64(0x9E3779B97F4A7C15)  # mixes the cells of several coordinates into one key
PLACING = 65_536  # at most so many finite values place the borders of the cells
INFINITE, MISSING = 254, 255  # coarse cells of infinity and of nan; minus infinity has 0


@dataclass(frozen=True)
class Finding:
    """What an audit proved.

    Attributes
    ----------
    lower : float >= 0, the true epsilon is at least this with the stated confidence
    confidence : float, the share of audits whose ``lower`` is right, or more
    delta : float, the delta that the mechanism was granted
    event : str, the outputs that were counted, and one of them
    counts : (int, int), how often they came on the likelier side and on the other
    judged : int, samples on each side among which they were counted
    smallest : float, the least share of them whose event, never seen on the other side, proves
        anything: a leak that is rarer stays unseen. inf if so few samples prove nothing at all
    """

    lower: float
    confidence: float
    delta: float
    event: str
    counts: tuple[int, int]
    judged: int
    smallest: float


class _Event(NamedTuple):
    """Outputs whose score, times the direction, is at least a threshold."""

    score: Score
    direction: int  # 1: likelier with data; -1: likelier with the neighbour
    threshold: float
    bound: float  # proved by the quarter that chooses
    hope: float  # if the judges, who are twice as many, see the same shares

    def holds(self, codes: np.ndarray) -> np.ndarray:
        """Whether each output, given by its cells (d, samples), lies in the event."""
        return self.direction * self.score.of(codes) >= self.threshold

    def likelier_first(self, pair: Sequence) -> tuple:
        """What belongs to the likelier side, then what belongs to the other."""
        first, second = pair
        return (first, second) if self.direction == 1 else (second, first)


def audit(
    mechanism: Mechanism,
    data: object,
    neighbour: object,
    *,
    samples: int = 100_000,
    delta: float = 0.0,
    confidence: float = 0.99,
    rng: checks.Seed,
) -> Finding:
    """Bound a mechanism's epsilon from below by its outputs on two neighbouring inputs.

    Parameters
    ----------
    mechanism : function (data, samples, rng) -> array (samples, ...). Independent outputs as
        numbers. Words are coded, e.g. -1 for "below" and 1 for "above"; nan and infinities are
        values like others (nan where a run had stopped, say).
    data, neighbour : arrays, two inputs that count as neighbours
    samples : int >= 100, outputs drawn on each side
    delta : float in [0, 1), granted to the mechanism; confidence : float in (0, 1)

    Returns a Finding. Raises TypeError or ValueError for bad arguments, or a mechanism that does
    not give ``samples`` numeric outputs.

    >>> def half_noise(data, samples, rng):  # scale 1/2 where 1 was promised: truth 2
    ...     return data + rng.laplace(scale=0.5, size=samples)
    >>> finding = audit(half_noise, 0.0, 1.0, rng=0)
    >>> alarms(finding, 1.0), 1.8 < finding.lower < 2, finding.smallest
    (True, True, 0.00026)
    """
    samples = checks.integer("samples", samples, at_least=100)
    delta = checks.number("delta", delta, at_least=0, below=1)
    confidence = checks.number("confidence", confidence, above=0, below=1)
    rng = checks.generator(rng)
    alpha = (1 - confidence) / 2
    sides = [_outputs(mechanism, side, samples, rng) for side in (data, neighbour)]
    if sides[0].shape != sides[1].shape:
        raise ValueError("mechanism must give outputs of one shape for data and neighbour")
    quarter = samples // 4
    cells = Cells.of(np.concatenate([side[:, :quarter] for side in sides], axis=1))
    fit, choose, judge = zip(*(_parts(cells.codes(side), quarter) for side in sides), strict=True)
    tried = _events(scores(cells, *fit), choose, delta=delta, alpha=alpha)
    event = _pick(list(tried))
    counts = event.likelier_first([int(event.holds(codes).sum()) for codes in judge])
    judged = samples - 2 * quarter
    lower = _bounds(*counts, judged, delta=delta, alpha=alpha)
    examples = event.likelier_first([side[:, quarter : 2 * quarter] for side in sides])[0]
    text = _describe(event, event.likelier_first(choose)[0], examples)
    smallest = _smallest(judged, delta=delta, alpha=alpha)
    return Finding(float(lower), confidence, delta, text, counts, judged, smallest)


def alarms(finding: Finding, claimed: float) -> bool:
    """Whether an audit refutes the claimed epsilon.

    A mechanism that keeps its claim is accused with probability at most ``1 - confidence``.
    """
    return finding.lower > checks.number("claimed", claimed, above=0)


def _outputs(
    mechanism: Mechanism, data: object, samples: int, rng: np.random.Generator
) -> np.ndarray:
    """Outputs as a table (d, samples) of floats, one coordinate after another in memory."""
    outputs = np.asarray(mechanism(data, samples, rng))
    if outputs.dtype.kind not in "biuf":
        raise TypeError(f"mechanism must give numbers, not {outputs.dtype}")
    if outputs.ndim == 0 or len(outputs) != samples or outputs.size == 0:
        raise ValueError(f"mechanism must give {samples} outputs, not shape {outputs.shape}")
    return np.ascontiguousarray(outputs.reshape(samples, -1).T, dtype=float)


def _parts(codes: np.ndarray, quarter: int) -> tuple[np.ndarray, ...]:
    """The quarter that fits, the quarter that chooses, the half that judges."""
    return tuple(np.split(codes, [quarter, 2 * quarter], axis=1))


def _events(
    fitted: Iterable[Score], choose: tuple, *, delta: float, alpha: float
) -> Iterator[_Event]:
    """For each score and direction, the best thresholds on the second quarter."""
    for score in fitted:
        ones, zeros = (np.sort(score.of(codes)) for codes in choose)
        for direction, *pair in ((1, ones, zeros), (-1, -zeros[::-1], -ones[::-1])):
            for best in _thresholds(*pair, delta=delta, alpha=alpha):
                yield _Event(score, direction, *best)


def _thresholds(
    ones: np.ndarray, zeros: np.ndarray, *, delta: float, alpha: float
) -> Iterator[tuple[float, ...]]:
    """The thresholds on sorted scores with the best bound and the best hope, and both of each."""
    n = len(ones)
    tops = ones[n - np.unique(np.geomspace(1, n, THRESHOLDS).astype(int))]
    tops = np.unique(tops)[::-1]  # few cells have few scores
    positives = np.array([n - np.searchsorted(side, tops) for side in (ones, zeros)])
    # The best of many is flattered, so each bound pays for being one of them; a hope pays BOLD.
    bounds = _bounds(*positives, n, delta=delta, alpha=alpha / THRESHOLDS)
    hopes = _bounds(*(2 * positives), 2 * n, delta=delta, alpha=alpha)
    for best in {bounds.argmax(), hopes.argmax()}:
        yield float(tops[best]), float(bounds[best]), float(hopes[best])


def _pick(tried: list[_Event]) -> _Event:
    """The event with the best bound, or a bolder one that promises much more."""
    proved = max(tried, key=lambda event: event.bound)
    hoped = max(tried, key=lambda event: event.hope)
    return hoped if hoped.hope > proved.hope + BOLD else proved


def _bounds(ones: ArrayLike, zeros: ArrayLike, n: int, *, delta: float, alpha: float) -> np.ndarray:
    """Lower bound on epsilon, at least 0, from the numbers of positives among n; each side fails
    with alpha.

    Statements: lesson Theorem 1.7.

    >>> round(float(_bounds(500, 0, 1000, delta=0, alpha=0.005)), 3)  # P1 >= 0.459, P0 <= 0.0053
    4.465
    """
    from scipy.special import betaincinv

    ones, zeros = np.asarray(ones, dtype=float), np.asarray(zeros, dtype=float)
    low = np.where(ones > 0, betaincinv(np.maximum(ones, 1), n - ones + 1, alpha), 0)
    high = np.where(zeros < n, betaincinv(zeros + 1, np.maximum(n - zeros, 1), 1 - alpha), 1)
    return np.log(np.maximum((low - delta) / high, 1.0))


def _smallest(n: int, *, delta: float, alpha: float) -> float:
    """The least share of n, with no hit on the other side, whose bound is above 0; inf if none.

    >>> _smallest(50_000, delta=0, alpha=0.005), _smallest(50, delta=0.99, alpha=0.005)
    (0.00026, inf)
    """

    def proves(positives: int) -> bool:
        return bool(_bounds(positives, 0, n, delta=delta, alpha=alpha) > 0)

    positives = bisect_left(range(n + 1), True, key=proves)
    return positives / n if positives <= n else math.inf


def _describe(event: _Event, codes: np.ndarray, outputs: np.ndarray) -> str:
    """The event in words, with the output that scores highest among those given."""
    best = int((event.direction * event.score.of(codes)).argmax())
    numbers = ", ".join(f"{value:.3g}" for value in outputs[:8, best])
    more = ", ..." if len(outputs) > 8 else ""
    side = "data" if event.direction == 1 else "neighbour"
    least = f"{event.threshold:.3g}, likelier with {side}"
    return f"{event.score.name}, log-ratio at least {least}, such as ({numbers}{more})"


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of every coordinate: quantiles with finer ends, or all values where they are few.

    Cell 0 holds minus infinity; infinity and nan have the last two.

    Attributes
    ----------
    borders : for every coordinate, the left ends of its cells but the first
    quantile : for every coordinate, which quantile cell each finite cell lies in
    """

    borders: tuple[np.ndarray, ...]
    quantile: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, outputs: np.ndarray) -> Cells:
        """Cells fitted to outputs, shape (d, samples).

        >>> cells = Cells.of(np.array([[0.0, 0.0, 1.0, np.nan]]))
        >>> cells.codes(np.array([[-np.inf, 0.0, 1.0, np.inf, np.nan]])).tolist()
        [[0, 1, 2, 3, 4]]
        """
        return cls(*zip(*map(_borders, outputs), strict=True))

    def codes(self, outputs: np.ndarray) -> np.ndarray:
        """The cell of every output, small integers of the same shape (d, samples)."""
        codes = np.empty(outputs.shape, dtype=np.uint8)
        for row, border, column in zip(codes, self.borders, outputs, strict=True):
            row[:] = np.searchsorted(border, column, side="right")
        return codes

    def coarser(self, resolution: int) -> list[np.ndarray]:
        """For every coordinate, the table from its cells to ``resolution`` quantiles, or to all."""
        if resolution == ALL:
            return [_coarser(np.arange(len(cells)), ALL) for cells in self.quantile]
        return [_coarser(cells, resolution) for cells in self.quantile]

    def finest(self) -> int:
        """The largest number of finite cells on a coordinate."""
        return max(len(cells) for cells in self.quantile)


class Score:
    """A number for every output: the sum of log-ratios of the counts of its cells."""

    name = "sum of log-ratios"

    def __init__(self, ones: np.ndarray, zeros: np.ndarray):
        self.tables = [_table(*pair) for pair in zip(ones, zeros, strict=True)]

    def of(self, codes: np.ndarray) -> np.ndarray:
        """Scores of outputs given by their cells, shape (d, samples) -> (samples,)."""
        return sum(table[row] for table, row in zip(self.tables, codes, strict=True))


class Joint(Score):
    """The log-ratio of the counts of all coordinates' cells together."""

    def __init__(self, ones: np.ndarray, zeros: np.ndarray, coarser: list[np.ndarray]):
        self.coarser = coarser
        both = np.concatenate([_keys(ones, coarser), _keys(zeros, coarser)])
        self.keys, place = np.unique(both, return_inverse=True)
        self.name = f"joint histogram of {len(self.keys)} cells"
        self.tables = [_table(place[: ones.shape[1]], place[ones.shape[1] :])]

    def of(self, codes: np.ndarray) -> np.ndarray:
        """Scores of outputs; 0 where their joint cell was not seen before."""
        keys = _keys(codes, self.coarser)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.tables[0][place], 0.0)


def scores(cells: Cells, ones: np.ndarray, zeros: np.ndarray) -> Iterator[Score]:
    """Scores fitted to the cells of two samples, each (d, samples): the sum, then joint ones.

    Joint histograms get finer until a cell holds one output on average, or the cells are all
    there are.
    """
    if len(ones) > 1:  # else the finest joint histogram says the same
        yield Score(ones, zeros)
    for resolution in (*RESOLUTIONS, ALL):
        joint = Joint(ones, zeros, cells.coarser(resolution))
        yield joint
        if len(joint.keys) > ones.shape[1] or cells.finest() <= resolution:
            return


def _borders(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Left ends of one coordinate's cells, minus infinity's successor to nan; their quantiles."""
    finite = column[np.isfinite(column)]
    finite = np.sort(finite[:: 1 + len(finite) // PLACING])  # evenly from both sides
    first = np.flatnonzero(np.diff(finite, prepend=-np.inf))
    values = finite[first]
    counts = np.diff(first, append=len(finite))
    coarse = inner = values[1:]
    if len(values) > RESOLUTIONS[-1]:
        shares = np.arange(1, RESOLUTIONS[-1]) / RESOLUTIONS[-1]
        quantiles = _quantiles(finite, shares)
        coarse = _apart(quantiles, quantiles[1:][np.diff(quantiles) == 0])
        often = np.argsort(counts, kind="stable")[-ATOMS:]
        ends = _quantiles(finite, np.concatenate([TAILS, 1 - TAILS]))
        beyond = values[1:][np.argpartition(np.diff(values), -GAPS)[-GAPS:]]
        inner = np.concatenate([coarse, ends, beyond])
        inner = _apart(inner, values[often[counts[often] >= REPEATS]])
    borders = np.concatenate([[np.finfo(float).min], inner, [np.inf, np.nan]])
    return borders, np.searchsorted(coarse, borders[:-2], side="right")


def _quantiles(ordered: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The values with at most these shares of all below them."""
    return ordered[(shares * (len(ordered) - 1)).astype(int)]


def _apart(borders: np.ndarray, atoms: np.ndarray) -> np.ndarray:
    """Borders, and more of them that give every atom a cell of its own.

    >>> _apart(np.array([0.0, 1.0]), np.array([1.0])).round(9).tolist()
    [0.0, 1.0, 1.0]
    """
    return np.unique(np.concatenate([borders, atoms, np.nextafter(atoms, np.inf)]))


def _coarser(cells: np.ndarray, resolution: int) -> np.ndarray:
    """Table from finite cells, given by their quantiles, to coarser ones; neighbours are merged.

    >>> _coarser(np.array([0, 1, 2, 3, 3]), 2).tolist()
    [0, 1, 1, 2, 2, 2, 254, 255]
    """
    quantiles = int(cells[-1]) + 1
    merged = cells * min(resolution, quantiles) // quantiles + 1
    return np.concatenate([[0], merged, [INFINITE, MISSING]]).astype(np.uint64)


def _keys(codes: np.ndarray, coarser: list[np.ndarray]) -> np.ndarray:
    """One number for the coarse cells of all coordinates; that two meet is harmless and rare."""
    keys = np.zeros(codes.shape[1], dtype=np.uint64)
    for row, table in zip(codes, coarser, strict=True):
        keys *= ODD
        keys += table[row]
    return keys


def _table(ones: np.ndarray, zeros: np.ndarray) -> np.ndarray:
    """Smoothed log-ratio of the counts of every cell, one more than the largest in ``ones``.

    >>> _table(np.array([0, 0, 1]), np.array([0, 1, 1])).round(3).tolist()[:2]
    [0.511, -0.511]
    """
    size = 256 if ones.dtype == np.uint8 else int(max(ones.max(), zeros.max())) + 1
    positives, others = (np.bincount(side, minlength=size) + SMOOTH for side in (ones, zeros))
    return np.log(positives / others)
