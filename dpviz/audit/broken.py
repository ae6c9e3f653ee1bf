"""Broken mechanisms, each with the pair of neighbours that shows it and its correct variant.

What catches a fault:

* ``audit``: lower bounds on epsilon from outputs alone (:mod:`dpviz.audit.auditor`);
* ``transcript``: replaying the curator's replies to a neighbour, if the mechanism were written
  with a curator: it finds values that move too far, and values that leave past the curator;
* ``sensitivity``: brute force over all neighbours of small inputs;
* ``law``: the exact distribution of the noise;
* ``accuracy``: comparing answers with the truth. A fault that this alone catches hurts nobody's
  privacy, so no audit can see it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from dpviz.audit import broken_mechanisms as mechanisms


@dataclass(frozen=True, eq=False)
class Fault:
    """A mechanism, what it claims, and a pair of neighbours to run it on.

    Attributes
    ----------
    name : str; what : str, what goes wrong
    caught_by : tuple of str, the tests that see it, as listed above
    epsilon, delta : float, the claim
    mechanism : function (data, samples, rng) -> array (samples, ...)
    data, neighbour : arrays
    truth : float, the largest loss on this pair at the claimed delta; None if within the claim
    """

    name: str
    what: str
    caught_by: tuple[str, ...]
    mechanism: Callable[[np.ndarray, int, np.random.Generator], np.ndarray]
    data: np.ndarray
    neighbour: np.ndarray
    truth: float | None = None
    epsilon: float = 1.0
    delta: float = 0.0


def _fault(
    name: str,
    what: str,
    caught_by: str,
    mechanism: Callable,
    correct: Callable,
    data: object,
    neighbour: object,
    truth: float | None = None,
    *,
    epsilon: float = 1.0,
    delta: float = 0.0,
) -> tuple[Fault, Fault]:
    """One line of the catalogue: the fault, and the correct variant on the same pair."""
    claim = {"epsilon": epsilon, **({"delta": delta} if delta else {})}
    pair = np.asarray(data), np.asarray(neighbour)
    words = tuple(caught_by.split())
    fault = Fault(name, what, words, partial(mechanism, **claim), *pair, truth, epsilon, delta)
    right = partial(correct, **claim)
    return fault, replace(fault, what="Correct.", caught_by=(), mechanism=right, truth=None)


CROSSED = np.linspace(0, 0.99, 100)  # records; in the neighbour the first moves to the far end
QUARTERS = np.repeat([0.1, 0.9], [10, 30])
KEYS = np.repeat([3, 8], [40, 20])
FIVE_AND_FIVE = np.repeat([0.0, 1.0], 5)  # all ten move by 1, five each way
QUIET_THEN_LOUD = np.repeat([0.0, 1.0], [15, 3])
FAR = [0.0], [1000.0]
STANDARD = partial(mechanisms.marks, query=20, positives=5)

_ALL = [
    _fault(
        "half noise",
        "The scale is half of what the claim needs.",
        "audit law",
        partial(mechanisms.laplace_noise, spread=1 / 2),
        mechanisms.laplace_noise,
        [0.0],
        [1.0],
        2.0,
    ),
    _fault(
        "scale as deviation",
        "The scale is divided by sqrt(2), as if it were given as a standard deviation.",
        "audit law",
        partial(mechanisms.laplace_noise, spread=1 / math.sqrt(2)),
        mechanisms.laplace_noise,
        [0.0],
        [1.0],
        math.sqrt(2),
    ),
    _fault(
        "reused noise",
        "One draw serves two coordinates: their difference leaves without noise.",
        "audit transcript",
        mechanisms.reused_noise,
        mechanisms.laplace_noise,
        [0.0, 0.0],
        [1.0, 0.0],
        math.inf,
    ),
    _fault(
        "understated slope",
        "A record that crosses moves the derivative by 2/n; noise was added for 1/n.",
        "audit transcript sensitivity",
        partial(mechanisms.slope, move=1),
        mechanisms.slope,
        CROSSED,
        np.append(CROSSED[1:], 1.0),
        2.0,
    ),
    _fault(
        "missing half",
        "The exponential mechanism without the 2: scores that move both ways count twice.",
        "audit law",
        partial(mechanisms.exponential, weight=1),
        mechanisms.exponential,
        np.eye(10)[0],
        1 - np.eye(10)[0],
        1 + math.log((1 + 9 * math.e) / (math.e + 9)),
    ),
    _fault(
        "gap test",
        "A lead moves by 2 when scores move by 1; the noise is for 1.",
        "audit transcript sensitivity",
        partial(mechanisms.gap_test, move=1),
        mechanisms.gap_test,
        [7.0, 0.0],
        [6.0, 1.0],
        math.log((1 - 1000 * math.exp(-7) / 2 - 0.001) / (math.exp(5) / 2000)),
        delta=0.001,
    ),
    _fault(
        "printed comparison",
        "Sparse vector prints the value it compared: every “below” before it counts.",
        "audit transcript",
        partial(mechanisms.released_comparison, threshold=4, query=8 / 3),
        mechanisms.fresh_value,
        QUIET_THEN_LOUD,
        1 - QUIET_THEN_LOUD,
        11.25,
        epsilon=2.0,
    ),
    _fault(
        "variant 3",
        "Sparse vector prints the value it compared, and compares with half the noise.",
        "audit transcript",
        partial(mechanisms.released_comparison, query=2),
        mechanisms.fresh_value,
        np.zeros(10),
        np.ones(10),
        5.0,
    ),
    _fault(
        "variant 4",
        "Sparse vector; its noise does not grow with the c positive answers allowed: (1 + 6 c)/4.",
        "audit",
        partial(mechanisms.marks, threshold=4, query=4 / 3, positives=5),
        STANDARD,
        FIVE_AND_FIVE,
        1 - FIVE_AND_FIVE,
        5.851,
    ),
    _fault(
        "variant 5",
        "Sparse vector without noise on the queries: some answers cannot come.",
        "audit",
        partial(mechanisms.marks, query=0),
        STANDARD,
        FIVE_AND_FIVE,
        1 - FIVE_AND_FIVE,
        math.inf,
    ),
    _fault(
        "variant 6",
        "Sparse vector that never stops; its noise does not grow with the positive answers.",
        "audit",
        partial(mechanisms.marks, query=2),
        STANDARD,
        FIVE_AND_FIVE,
        1 - FIVE_AND_FIVE,
        4.031,
    ),
    _fault(
        "forgotten clip, 2 %",
        "One run in fifty forgets to clip: a far value comes out.",
        "audit transcript",
        partial(mechanisms.clipped, forgotten=0.02),
        mechanisms.clipped,
        *FAR,
        1000 + math.log(0.02),
    ),
    _fault(
        "forgotten clip, 0.2 %",
        "One run in five hundred forgets to clip: a far value comes out.",
        "audit transcript",
        partial(mechanisms.clipped, forgotten=0.002),
        mechanisms.clipped,
        *FAR,
        1000 + math.log(0.002),
    ),
    _fault(
        "cut noise",
        "Noise beyond five scales is never drawn: some answers cannot come.",
        "audit law",
        mechanisms.cut_noise,
        mechanisms.laplace_noise,
        [0.0],
        [1.0],
        math.inf,
    ),
    _fault(
        "half difference",
        "The centre of an interval computed as (high - low)/2: private, and wrong.",
        "accuracy",
        mechanisms.half_difference,
        mechanisms.middle,
        QUARTERS,
        np.append(QUARTERS[:-1], 0.1),
    ),
    _fault(
        "largest key",
        "The largest key that clears the bar, not that of the largest count: private, and wrong.",
        "accuracy",
        mechanisms.largest_key,
        mechanisms.heavy_key,
        KEYS,
        np.append(KEYS[:-1], 5),
        delta=0.001,
    ),
]

FAULTS: dict[str, Fault] = {fault.name: fault for fault, _ in _ALL}
CORRECT: dict[str, Fault] = {correct.name: correct for _, correct in _ALL}
