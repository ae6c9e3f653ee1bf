"""Sample and aggregate: run anything on small blocks, publish where its results agree.

**Paper.** Nissim, Stemmer and Vadhan (2016), section 6: Algorithm SA, Lemma 6.4, Theorem 6.3.

**Setting.** n records of any kind and a function f of m records with values in the unit cube,
which need not be private (whatever is not a number becomes 0). If f nearly always lands near
one point, publish that point. Neighbours replace one record. An f that fails is refused with
a message that names only the rule; that refusal is itself an observation, and not private.

**Idea.** Cut the records into blocks: one record touches one block, hence one value of f. The
values are points; find the small cluster among them.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
f               ``function``    from (blocks, m, columns) to (blocks, d)      [0, 1]^d
m               ``block``       records in a block                            count
k               ``blocks``      number of blocks                              count
alpha           ``alpha``       share of blocks on which f lands near         (0, 1]
Y               ``values``      f of every block                              (k, d)
==============  ==============  ============================================  =============

**Departures.** (1) Way "disjoint": blocks of records shuffled by public coins, each used once;
no amplification, and best in practice. (2) Way "halves": half of the blocks find the ball, the
other half count how many of its values lie in it, with Laplace noise; instead of Theorem 6.6,
which needs 300,000 blocks at alpha = 0.8. Both are paid for in sum. (3) Way "resampled" is the
paper's: n / 9 records drawn with replacement, priced by ``resample_step``, not by Lemma 6.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz import accounting, checks
from dpviz.papers.small_cluster import one_cluster

WAYS = ("disjoint", "halves", "resampled")
CHECKING = 0.1  # share of epsilon with which "halves" counts


@dataclass(frozen=True, kw_only=True)
class Params:
    """Blocks, agreement, price; all public.

    Attributes
    ----------
    block : int >= 1, records in a block
    d : int >= 1, columns of f's values
    alpha : float in (0, 1]
    epsilon, delta : the price of the whole
    beta : float in (0, 1)
    way : one of ``WAYS``
    seed : int >= 0, of the public coins

    >>> Params(block=20, d=1, alpha=0.8, epsilon=1, delta=1e-6, way="halves").way
    'halves'
    """

    block: int
    d: int
    alpha: float
    epsilon: float
    delta: float
    beta: float = 0.1
    way: str = "disjoint"
    seed: int = 0

    def __post_init__(self):
        checks.integer("block", self.block, at_least=1)
        checks.integer("d", self.d, at_least=1)
        checks.integer("seed", self.seed, at_least=0)
        checks.number("alpha", self.alpha, above=0, at_most=1)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, above=0, at_most=0.5)
        checks.number("beta", self.beta, above=0, below=1)
        checks.choice("way", self.way, WAYS)

    @classmethod
    def draw(cls, *, rng: checks.Seed, **numbers: Any) -> Params:
        """Parameters with fresh public coins."""
        return cls(seed=int(checks.generator(rng).integers(2**62)), **numbers)

    def solver(self, blocks: int, *, epsilon: float, delta: float) -> one_cluster.Params:
        """What is asked about the values of so many blocks: t = alpha k / 2."""
        t = max(1, math.floor(self.alpha * blocks / 2))
        price = {"epsilon": epsilon, "delta": delta, "beta": self.beta}
        return one_cluster.Params(t=t, d=self.d, seed=self.seed, **price)


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees.

    Attributes
    ----------
    ball : locate.Release
    blocks : int, blocks that the solver saw
    share : float, noisy share of the other half's values in the ball; NaN unless "halves"
    certified : float, share of all blocks' values in the ball at least, but for beta; or NaN
    """

    ball: one_cluster.Release
    blocks: int
    share: float = math.nan
    certified: float = math.nan


def release(
    data: Any, function: Callable[[np.ndarray], np.ndarray], params: Params, curator: Any
) -> Release:
    """Publish a ball where f lands often. Costs at most ``params.epsilon``, ``params.delta``.

    Parameters
    ----------
    data : array (n, ...), private
    function : takes (blocks, block, ...), gives (blocks, d); block by block

    Raises
    ------
    ValueError
        If the blocks are too few for the solver at this price, or f fails or gives another
        shape; nothing is spent, but that "resampled" pays before it runs f.
    """
    data = np.asarray(data)
    ways = {"disjoint": disjoint, "halves": halves, "resampled": resampled}
    return ways[params.way](data, function, params, curator)


def disjoint(data: np.ndarray, function: Any, params: Params, curator: Any) -> Release:
    """Every record in one block: the solver's price is the price."""
    blocks = blocks_of(data, params)
    solver = params.solver(len(blocks), epsilon=params.epsilon, delta=params.delta)
    points = values(blocks, function, params.d)
    return Release(one_cluster.release(points, solver, curator), len(blocks))


def halves(data: np.ndarray, function: Any, params: Params, curator: Any) -> Release:
    """Half of the blocks find, half check."""
    points = values(blocks_of(data, params), function, params.d)
    half = len(points) // 2
    epsilon = params.epsilon * CHECKING
    solver = params.solver(half, epsilon=params.epsilon - epsilon, delta=params.delta)
    one_cluster.check_size(half, params.d, solver)
    part = curator.sub_curator(epsilon=params.epsilon, delta=params.delta, label="halves")
    ball = one_cluster.release(points[:half], solver, part)
    inside = one_cluster.answer(ball, points[half:]).mean()
    price = {"sensitivity": 1 / (len(points) - half), "epsilon": epsilon, "label": "check"}
    share = part.laplace(float(inside), **price)
    below = error_bound(len(points) - half, epsilon=epsilon, beta=params.beta)
    return Release(ball, half, share, max(0.0, share - below))


def resampled(data: np.ndarray, function: Any, params: Params, curator: Any) -> Release:
    """The paper's: a ninth of the records, drawn with replacement; the part may spend more."""
    size, n = max(1, len(data) // 9), len(data)
    epsilon = accounting.resample_budget(epsilon=params.epsilon, draws=size, n=n)
    _, unit = accounting.resample_step(epsilon=epsilon, delta=1e-200, draws=size, n=n)
    delta = min(0.5, params.delta * (1e-200 / unit) * (1 - 1e-12))  # linear, until cut at 1
    price = {"epsilon": epsilon, "delta": delta}
    solver = params.solver(size // params.block, **price)
    one_cluster.check_size(size // params.block, params.d, solver)
    sample, part = curator.sub_curator_resampled(data, size=size, **price, label="resampled")
    points = values(blocks_of(sample, params), function, params.d)
    return Release(one_cluster.release(points, solver, part), len(points))


def error_bound(blocks: int, *, epsilon: float, beta: float) -> float:
    """Proved: how far ``certified`` lies below the noisy share (way "halves"), but for beta.

    Proof. The checking blocks are independent of the ball, if records are independent draws:
    by Hoeffding the share among k of them exceeds that of all blocks by sqrt(ln(2 / beta) /
    (2 k)) with probability beta / 2; Laplace noise of scale 1 / (k epsilon) exceeds ln(1 /
    beta) times its scale with probability beta / 2.

    >>> round(error_bound(5000, epsilon=0.1, beta=0.1), 3)
    0.022
    """
    noise = math.log(1 / beta) / (blocks * epsilon)
    return noise + math.sqrt(math.log(2 / beta) / (2 * blocks))


def paper_bound(*, epsilon: float, delta: float) -> tuple[float, float]:
    """Lemma 6.4 at a ninth of the records: (6 epsilon / 9, e^(6 epsilon / 9) (4 / 9) delta).

    >>> [round(x, 2) for x in paper_bound(epsilon=1, delta=1)]
    [0.67, 0.87]
    """
    return 6 * epsilon / 9, math.exp(6 * epsilon / 9) * 4 / 9 * delta


def trial(params: Params, n: int, *, rng: checks.Seed) -> dict[str, float]:
    """Means of blocks of n normal records (sd 0.1 about 0.6); 4 % of blocks give junk.

    Returns
    -------
    dict with ``found``, ``error`` (of the centre), ``radius``, ``share``, ``certified``,
    ``inside`` (true share of values in the ball)

    >>> params = Params(block=10, d=1, alpha=0.8, epsilon=2, delta=1e-6)
    >>> trial(params, 20_000, rng=0)["error"] < 0.02
    True
    """
    from dpviz.privacy.curator import Curator

    rng = checks.generator(rng)
    bad = rng.uniform(size=n) < 0.04 / params.block
    data = np.where(bad[:, None], -1.0, np.clip(rng.normal(0.6, 0.1, (n, params.d)), 0, 1))
    params = replace(params, seed=int(rng.integers(2**62)))
    curator = Curator(epsilon=params.epsilon, delta=params.delta, rng=rng)
    found = release(data, careful_mean, params, curator)
    every = values(blocks_of(data, params), careful_mean, params.d)
    return {
        "found": float(found.ball.found),
        "error": float(np.linalg.norm(found.ball.center - 0.6)),
        "radius": found.ball.radius,
        "share": found.share,
        "certified": found.certified,
        "inside": float(one_cluster.answer(found.ball, every).mean()),
    }


def careful_mean(blocks: np.ndarray) -> np.ndarray:
    """Mean of each block; junk (a value far off) if a record is corrupted.

    >>> careful_mean(np.array([[[0.2], [0.4]], [[0.2], [-1.0]]])).round(2).tolist()
    [[0.3], [0.99]]
    """
    junk = (blocks < 0).any(axis=(1, 2))
    return np.where(junk[:, None], 0.99, blocks.mean(axis=1))


def blocks_of(data: np.ndarray, params: Params) -> np.ndarray:
    """Records shuffled by public coins, in blocks; what is left over is not used.

    >>> params = Params(block=2, d=1, alpha=0.8, epsilon=1, delta=1e-6)
    >>> blocks_of(np.arange(5), params).shape
    (2, 2)
    """
    order = np.random.default_rng(params.seed).permutation(len(data))
    blocks = len(data) // params.block
    if blocks < 2:
        raise ValueError(f"data must hold at least two blocks of {params.block} records")
    return data[order[: blocks * params.block]].reshape(blocks, params.block, *data.shape[1:])


def values(blocks: np.ndarray, function: Callable[[np.ndarray], np.ndarray], d: int) -> np.ndarray:
    """f of every block, clipped to the unit cube; not a number becomes 0; (k, d).

    >>> values(np.array([[0.5, 0.7], [9.0, 9.0]]), lambda b: b.mean(axis=1), 1).tolist()
    [[0.6], [1.0]]
    """
    try:
        points = np.asarray(function(blocks), dtype=float)
    except Exception:
        raise ValueError("function must give numbers, without an error, for all blocks") from None
    if points.shape != (len(blocks), d) and (d > 1 or points.shape != (len(blocks),)):
        raise ValueError("function must give an array of shape (blocks, d), one row a block")
    return np.clip(np.nan_to_num(points).reshape(len(blocks), d), 0, 1)
