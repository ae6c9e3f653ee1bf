"""RecConcave: private choice on an enormous line when the scores are quasi-concave (Theorem 4.3).

**Paper.** Nissim, Stemmer and Vadhan (2016), section 4.1 and Theorem 4.3; the algorithm is
that of Beimel, Nissim and Stemmer (2013).

**Setting.** Scores Q on 0 ... T, each moved by at most 1 when a record is replaced. They are
quasi-concave (rise, then fall), and the highest is at least a promised r.

**Idea.** First find out how wide the region of good scores is: the exponent of the widest window
that stays high is itself a choice on a line, but one of only log T points. Knowing the width, cut
the line into blocks of that size. Only one or two of them hold good scores, so one leads clearly
and may be named, although there are very many blocks. What is left is a choice among few.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
Q(S, i)         ``data``        score of each candidate, private              (T + 1,)
r               ``promise``     the highest score is at least this            score
alpha           ``alpha``       the choice may have (1 - alpha) r only        (0, 1)
L(S, j)         ``windows``     best "least score in a window of 2^j"         (m + 2,)
P               ``intervals``   intervals on which Q is constant              count
k, 2^k          ``k``           chosen exponent, and window                   count
N               ``depth``       levels of the recursion                       count
==============  ==============  ============================================  =============

**Departures.** (1) The stability-based selection is `Curator.stable_choice`: the form in
circulation is not private enough when records are replaced (`dpviz.audit.broken`). (2) Exact
cost: each level but the last makes two such selections and one exponential choice, the last
one choice. So 3 N - 2 shares of epsilon and 2 N - 2 of delta, less than the (3 N, 3 N) stated
before. It holds for all scores, quasi-concave or not, promise kept or not. (3) Up to 32
candidates need no recursion. (4) Remark 4.4 as it stands: scores may come as a step function, and
then time and memory are about P + log T, whatever T; the law of the choice is the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.privacy.curator import Curator, Promise
from dpviz.privacy.exponential_mechanism import StepFunction
from dpviz.privacy.private_data import finite

FEW = 32  # candidates that the exponential mechanism may choose among directly


@dataclass(frozen=True, kw_only=True)
class Params(Promise):
    """How many candidates there are, what is promised of them, and the budget; all public.

    Attributes
    ----------
    candidates : int >= 1
    epsilon, delta : the budget; delta is neither needed nor spent for at most 32 candidates
    promise : float > 0 that the highest score reaches, or None: what :func:`error_bound` asks for.
        Only usefulness depends on it
    alpha : float in (0, 1), share of the promise that the choice may lose
    depth : int >= 1, levels at most, or None: the best for usefulness

    >>> Params(candidates=20, epsilon=1, promise=0)
    Traceback (most recent call last):
    ...
    ValueError: promise must be a number with 0 < promise, not 0
    """

    candidates: int
    beta: float = 0.1
    promise: checks.Positive | None = None
    alpha: checks.Share = 0.5
    depth: int | None = None

    def __post_init__(self):
        super().__post_init__()
        most = _levels(self.candidates)
        if self.depth is not None:
            most = min(most, checks.integer("depth", self.depth, at_least=1))
        _shares(most, epsilon=self.epsilon, delta=self.delta)

    @property
    def levels(self) -> int:
        """Levels of the recursion: ``depth`` or the best, and no more than there can be."""
        most = _levels(self.candidates)
        if self.depth is not None:
            return min(self.depth, most)
        return min(range(min(2, most), most + 1), key=lambda depth: _needed(self, depth))


def release(data: ArrayLike | StepFunction, params: Params, curator: Curator) -> int:
    """Index of a candidate whose score is near the promise. Costs ``epsilon``, ``delta``.

    Statements: NSV Theorem 4.3; NSV Remark 4.4; NSV Definition 4.1; NSV Definition 4.2.
    Proof. Windows, blocks and tests are made of minima, maxima and public constants, so each
    moves by at most 1 like the scores; which blocks are looked at is an earlier output.

    Parameters
    ----------
    data : array (candidates,) of scores, private, or a step function of that size; each score moves
        by at most 1 when a record is replaced

    Raises ValueError if there are more or fewer scores than ``candidates``; BudgetExceeded if the
    curator cannot pay. Nothing is drawn then.

    >>> from dpviz.privacy.exponential_mechanism import StepFunction
    >>> scores = StepFunction([0, 10**6, 10**6 + 3], [0.0, 300.0, 0.0], 2**40)
    >>> params = Params(candidates=2**40, epsilon=9, delta=0.1, promise=300)
    >>> release(scores, params, params.curator(rng=0)) in range(10**6, 10**6 + 3)
    True
    """
    scores = data if isinstance(data, StepFunction) else _laid_out(finite(data, "data"))
    if scores.size != params.candidates:
        raise ValueError(f"data must be an array of {params.candidates} scores, as params say")
    promise = error_bound(params) if params.promise is None else params.promise
    depth = params.levels
    epsilon, delta = _shares(depth, epsilon=params.epsilon, delta=params.delta)
    whole = {"epsilon": (3 * depth - 2) * epsilon, "delta": 2 * (depth - 1) * delta}
    sub_curator = curator.sub_curator(**whole, label="RecConcave")
    step = {"epsilon": epsilon, "delta": delta}
    return _descend(scores, promise, params.alpha, depth, sub_curator, step)


def error_bound(params: Params) -> float:
    """Proved: with this promise, the chosen score is at least (1 - alpha) of it.

    With probability at least 1 - beta. Proof. At level i the promise is r_i (r_0 = r, r_(i+1) = r_i
    alpha_i / 2, alpha_i = 1/4 below the top). If the exponent k below has quality 3/4 of its
    promise, a window of K = 2^k has scores >= (1 - 5 alpha / 8) r_i, and scores above (1 - 3
    alpha / 8) r_i fill fewer than 2 K places. In one of the two partitions into blocks of 8 K these
    lie K away from every cut, so that block leads by 3 alpha r_i / 8; the stability-based selection
    names it except with probability b if that is 2 + (2 / e) ln(1 / (4 b d)), e and d being a
    step's epsilon and delta. The last choice among at most 16 K places, K of them good, fails with
    probability 16 exp(-3 alpha e r_i / 16). At the bottom there are m candidates: (2 / (alpha e))
    ln(m / b). Sum over the 2 N - 1 things that may fail, each with b = beta / (2 N - 1).

    >>> round(error_bound(Params(candidates=410_000, epsilon=1, delta=1e-6, beta=0.05)))
    908
    """
    return _needed(params, params.levels)


def paper_bound(params: Params) -> float:
    """Theorem 4.3: the promise 8^h (36 h / (alpha epsilon)) ln(12 h / (beta delta)), h = log*.

    Statements: NSV Theorem 4.3.

    >>> paper = Params(candidates=2**17, epsilon=1, delta=1e-6, beta=0.05)
    >>> round(paper_bound(paper) / 1e8, 1)
    2.5
    """
    h = log_star(params.candidates)
    scale = 8**h * 36 * h / (params.alpha * params.epsilon)
    return scale * math.log(12 * h / (params.beta * params.delta))


def _needed(params: Params, depth: int) -> float:
    """The promise that so many levels need; see :func:`error_bound`."""
    size = params.candidates
    alpha = params.alpha
    e, d = _shares(depth, epsilon=params.epsilon, delta=params.delta)
    b = params.beta / (2 * depth - 1)
    need = 0.0
    share = 1.0
    for _ in range(depth - 1):
        lead = 8 / (3 * alpha) * (2 + 2 / e * math.log(1 / (4 * b * d)))
        last = 16 / (3 * alpha * e) * math.log(16 / b)
        need = max(need, max(lead, last) / share)
        share, alpha, size = share * alpha / 2, 0.25, _exponents(size) + 1
    return max(need, 2 / (alpha * e) * math.log(size / b) / share)


def _levels(candidates: int) -> int:
    """Depth of the recursion: how often the number of candidates must shrink to at most 32."""
    # A count of candidates may be beyond all floats.
    small = min(candidates, FEW) if isinstance(candidates, int) else candidates
    checks.integer("candidates", small, at_least=1)
    depth = 1
    while candidates > FEW:
        candidates, depth = _exponents(candidates) + 1, depth + 1
    return depth


def _shares(depth: int, *, epsilon: float, delta: float) -> tuple[float, float]:
    """What one step pays so that all of ``depth`` levels cost (epsilon, delta)."""
    epsilon = checks.number("epsilon", epsilon, above=0)
    if depth == 1:
        return epsilon, 0.0
    delta = checks.number("delta", delta, above=0, at_most=0.5)
    return epsilon / (3 * depth - 2), delta / (2 * depth - 2)


def log_star(x: float) -> int:
    """How often log2 is taken until at most 1 is left.

    >>> [log_star(x) for x in (1, 2, 4, 16, 65536, 2.0**1000)]
    [0, 1, 2, 3, 4, 5]
    """
    times = 0
    while x > 1:
        x, times = math.log2(x), times + 1
    return times


def _exponents(candidates: int) -> int:
    """m with 2^m the least power of two that is at least the number of candidates."""
    return (candidates - 1).bit_length()


def _laid_out(scores: np.ndarray) -> StepFunction:
    """A vector of scores as a step function."""
    if scores.ndim != 1 or not len(scores):
        raise ValueError("data must be an array of scores, at least one")
    starts = np.append(0, np.flatnonzero(scores[1:] != scores[:-1]) + 1)
    return StepFunction(starts, scores[starts], len(scores))


def _descend(
    scores: StepFunction, promise: float, alpha: float, depth: int, curator: Curator, step: dict
) -> int:
    """One level of the recursion, each step of which pays what ``step`` says."""
    choose = {"sensitivity": 1.0, "epsilon": step["epsilon"], "label": f"choose, level {depth}"}
    if depth == 1 or scores.size <= FEW:
        return curator.choose(scores, **choose)
    best = _windows(scores)
    wide = np.minimum(best[:-1] - (1 - alpha) * promise, promise - best[1:])
    k = _descend(_laid_out(wide), alpha / 2 * promise, 0.25, depth - 1, curator, step)
    places = []
    for offset, name in ((0, "A"), (4 * 2**k, "B")):
        tops = _block_tops(scores, 2**k, offset)
        named = curator.stable_choice(tops, **step, label=f"block {name}, level {depth}")
        if named is not None:
            places.append(_block(named, scores.size, 2**k, offset))
    return _choose_within(scores, _union(places) or [(0, 1)], curator, choose)


def _choose_within(
    scores: StepFunction, places: list[tuple[int, int]], curator: Curator, choose: dict
) -> int:
    """The exponential mechanism on one or two stretches [begin, end) of places."""
    first, *rest = [scores.between(begin, end) for begin, end in places]
    chosen = curator.choose(first.then(*rest) if rest else first, **choose)
    if chosen < first.size:
        return places[0][0] + chosen
    return places[1][0] + chosen - first.size


def _union(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """At most two stretches [begin, end) in order, and as one if they meet."""
    places = sorted(places)
    if len(places) == 2 and places[1][0] <= places[0][1]:
        return [(places[0][0], max(places[0][1], places[1][1]))]
    return places


def _windows(scores: StepFunction) -> np.ndarray:
    """For j = 0 ... m: the best least score in a window of 2^j places; then a 0 or less.

    Places after the last count as min(0, last score), up to the next power of two. Each window's
    least score is one that occurs: so the widest stretch at or above each is enough.
    """
    m = _exponents(scores.size)
    if scores.size < 2**m:
        beyond = StepFunction([0], [min(0.0, scores.values[-1])], 2**m - scores.size)
        scores = scores.then(beyond)
    widths, levels = _stretches(scores)
    best = [levels[widths >= 2**j].max() for j in range(m + 1)]
    return np.array([*best, min(0.0, best[-1])])


def _stretches(scores: StepFunction) -> tuple[np.ndarray, np.ndarray]:
    """Every stretch of places that cannot be longer at its least score: widths, and those scores.

    One pass with a stack of the stretches that are still open, lowest first: O(intervals).

    >>> [each.tolist() for each in _stretches(_laid_out(np.array([1.0, 3.0, 2.0])))]
    [[1, 2, 3], [3.0, 2.0, 1.0]]
    """
    starts = scores.starts.tolist()
    values = scores.values.tolist()
    widths = []
    levels = []
    begun: list[int] = []
    level: list[float] = []
    for start, value in zip([*starts, scores.size], [*values, -math.inf], strict=True):
        begin = start
        while level and level[-1] >= value:
            begin = begun.pop()
            widths.append(start - begin)
            levels.append(level.pop())
        begun.append(begin)
        level.append(value)
    return np.array(widths), np.array(levels)


def _block_tops(scores: StepFunction, window: int, offset: int) -> StepFunction:
    """The highest score in each block of 8 windows, cut so that one boundary lies at ``offset``.

    A block that some interval begins in is by itself; from there to the next such block, one
    interval fills all.
    """
    length = 8 * window
    values = scores.values
    shifted = scores.starts + (length - offset) % length
    count = (scores.size - 1 + (length - offset) % length) // length + 1
    blocks, first = np.unique(shifted // length, return_index=True)
    tops = np.maximum.reduceat(values, first)
    enters = shifted[first] % length > 0
    enters[0] = False
    tops[enters] = np.maximum(tops[enters], values[first[enters] - 1])
    leaves = values[np.append(first[1:], len(values)) - 1]
    room = np.append(blocks[1:], count) > blocks + 1
    starts = np.append(blocks, blocks[room] + 1)
    order = np.argsort(starts)
    return StepFunction(starts[order], np.append(tops, leaves[room])[order], count)


def _block(named: int, size: int, window: int, offset: int) -> tuple[int, int]:
    """Where a block of 8 windows begins and ends."""
    length = 8 * window
    begin = named * length - (length - offset) % length
    return max(0, begin), min(size, begin + length)
