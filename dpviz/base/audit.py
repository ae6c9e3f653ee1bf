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
* quarter 2 picks score, direction and threshold by the best bound;
* the fresh half judges the one event that was picked.

A passed audit proves nothing. It cannot see many coordinates that each leak a little,
neighbours that nobody thought of, or a wrong answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpviz.base import check
from dpviz.base.audit_scores import Cells, Score, scores

# The name in quotes keeps numpy.random from being loaded before anything is drawn.
Mechanism = Callable[[np.ndarray, int, "np.random.Generator"], np.ndarray]
THRESHOLDS = 100  # tried for each score and direction, from the rarest event to the commonest


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
    """

    lower: float
    confidence: float
    delta: float
    event: str
    counts: tuple[int, int]
    judged: int


class _Event(NamedTuple):
    """Outputs whose score, times the direction, is at least a threshold."""

    score: Score
    direction: int  # 1: likelier with data; -1: likelier with the neighbour
    threshold: float
    bound: float

    def holds(self, codes: np.ndarray) -> np.ndarray:
        """Whether each output, given by its cells (d, samples), lies in the event."""
        return self.direction * self.score.of(codes) >= self.threshold

    def likelier_first(self, pair: Sequence) -> tuple:
        """What belongs to the likelier side, then what belongs to the other."""
        first, second = pair
        return (first, second) if self.direction == 1 else (second, first)


def audit(
    mechanism: Mechanism,
    data: Any,
    neighbour: Any,
    *,
    samples: int = 100_000,
    delta: float = 0.0,
    confidence: float = 0.99,
    rng: Any,
) -> Finding:
    """Bound a mechanism's epsilon from below by its outputs on two neighbouring inputs.

    Parameters
    ----------
    mechanism : function (data, samples, rng) -> array (samples, ...)
        Independent outputs as numbers. Words are coded, e.g. -1 for "below" and 1 for "above";
        nan and infinities are values like others (nan where a run had stopped, say).
    data, neighbour : arrays, two inputs that count as neighbours
    samples : int >= 100, outputs drawn on each side
    delta : float in [0, 1), granted to the mechanism
    confidence : float in (0, 1)
    rng : seed or Generator

    Returns
    -------
    Finding

    Raises
    ------
    TypeError, ValueError
        For bad arguments, or a mechanism that does not give ``samples`` numeric outputs.

    >>> def half_noise(data, samples, rng):  # scale 1/2 where 1 was promised: truth 2
    ...     return data + rng.laplace(scale=0.5, size=samples)
    >>> finding = audit(half_noise, 0.0, 1.0, rng=0)
    >>> alarms(finding, 1.0), 1.8 < finding.lower < 2
    (True, True)
    """
    samples = check.integer("samples", samples, at_least=100)
    delta = check.number("delta", delta, at_least=0, below=1)
    confidence = check.number("confidence", confidence, above=0, below=1)
    rng, alpha = check.generator(rng), (1 - confidence) / 2
    sides = [_outputs(mechanism, side, samples, rng) for side in (data, neighbour)]
    if sides[0].shape != sides[1].shape:
        raise ValueError("mechanism must give outputs of one shape for data and neighbour")
    quarter = samples // 4
    cells = Cells.of(np.concatenate([side[:, :quarter] for side in sides], axis=1))
    fit, choose, judge = zip(*(_parts(cells.codes(side), quarter) for side in sides), strict=True)
    tried = _events(scores(cells, *fit), choose, delta=delta, alpha=alpha)
    event = max(tried, key=lambda event: event.bound)
    counts = event.likelier_first([int(event.holds(codes).sum()) for codes in judge])
    judged = samples - 2 * quarter
    lower = _bounds(*counts, judged, delta=delta, alpha=alpha)
    examples = event.likelier_first([side[:, quarter : 2 * quarter] for side in sides])[0]
    text = _describe(event, event.likelier_first(choose)[0], examples)
    return Finding(float(lower), confidence, delta, text, counts, judged)


def alarms(finding: Finding, claimed: float) -> bool:
    """Whether an audit refutes the claimed epsilon.

    A mechanism that keeps its claim is accused with probability at most ``1 - confidence``.
    """
    return finding.lower > check.number("claimed", claimed, above=0)


def _outputs(mechanism: Mechanism, data: Any, samples: int, rng: np.random.Generator) -> np.ndarray:
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
    """For each score and direction, the threshold with the best bound on the second quarter."""
    for score in fitted:
        with_data, with_neighbour = (np.sort(score.of(codes)) for codes in choose)
        best = _threshold(with_data, with_neighbour, delta=delta, alpha=alpha)
        yield _Event(score, 1, *best)
        ones, zeros = -with_neighbour[::-1], -with_data[::-1]
        yield _Event(score, -1, *_threshold(ones, zeros, delta=delta, alpha=alpha))


def _threshold(ones: np.ndarray, zeros: np.ndarray, *, delta: float, alpha: float) -> tuple:
    """The threshold on sorted scores with the best bound, and that bound."""
    n = len(ones)
    tops = ones[n - np.unique(np.geomspace(1, n, THRESHOLDS).astype(int))]
    hits = [n - np.searchsorted(side, tops) for side in (ones, zeros)]
    # The best of many is flattered, so each pays for being one of them.
    bounds = _bounds(*hits, n, delta=delta, alpha=alpha / THRESHOLDS)
    best = int(bounds.argmax())
    return float(tops[best]), float(bounds[best])


def _bounds(ones: Any, zeros: Any, n: int, *, delta: float, alpha: float) -> np.ndarray:
    """Lower bound on epsilon, at least 0, from the hits among n; each side errs with alpha.

    >>> round(float(_bounds(500, 0, 1000, delta=0, alpha=0.005)), 3)  # P1 >= 0.459, P0 <= 0.0053
    4.465
    """
    from scipy.special import betaincinv

    ones, zeros = np.asarray(ones, dtype=float), np.asarray(zeros, dtype=float)
    low = np.where(ones > 0, betaincinv(np.maximum(ones, 1), n - ones + 1, alpha), 0)
    high = np.where(zeros < n, betaincinv(zeros + 1, np.maximum(n - zeros, 1), 1 - alpha), 1)
    return np.log(np.maximum((low - delta) / high, 1.0))


def _describe(event: _Event, codes: np.ndarray, outputs: np.ndarray) -> str:
    """The event in words, with the output that scores highest among those given."""
    best = int((event.direction * event.score.of(codes)).argmax())
    shown = ", ".join(f"{value:.3g}" for value in outputs[:8, best])
    more = ", ..." if len(outputs) > 8 else ""
    side = "data" if event.direction == 1 else "neighbour"
    least = f"{event.threshold:.3g}, likelier with {side}"
    return f"{event.score.name}, log-ratio at least {least}, such as ({shown}{more})"
