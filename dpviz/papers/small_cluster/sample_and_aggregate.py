"""Sample and aggregate (Algorithm SA, Theorem 6.3): run any function on blocks, aggregate it.

**Paper.** Nissim, Stemmer and Vadhan (2016), section 6: Algorithm SA, Lemma 6.4, Theorem 6.3.

**Setting.** n records of any kind and a function f of m records with values in a public box,
which need not be private (whatever is not a number becomes the lower corner). If f nearly always
lands near one point, publish that point. Neighbours replace one record. An f that fails is refused
with a message that names only the rule; that refusal is itself an observation, and not private.

**Idea.** Cut the records into blocks: one record touches one block, hence one value of f. The
values are points; find the small cluster among them.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
f               ``function``    from one block (m, ...) to (d,)               public box
m               ``block``       records in a block                            count
k               ``blocks``      number of blocks                              count
alpha           ``alpha``       share of blocks on which f lands near         (0, 1]
Y               ``values``      f of every block                              (k, d)
==============  ==============  ============================================  =============

**Departures.** (1) Method "disjoint": blocks of records in a public random order, each used
once; no amplification, and best in practice. (2) Method "holdout": half of the blocks find the
ball, the other half count how many of its values lie in it, with Laplace noise; instead of
Theorem 6.6, which needs 300,000 blocks at alpha = 0.8. Both are paid for in sum. (3) Method
"resampled" is the paper's: n / 9 records drawn with replacement; its cost is that of
``resample_step``, not of Lemma 6.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz import accounting, checks
from dpviz.papers.small_cluster import one_cluster
from dpviz.papers.small_cluster.good_radius import least_ball
from dpviz.papers.small_cluster.public_grid import Boxed
from dpviz.privacy.curator import AT_MOST_HALF, Curator
from dpviz.privacy.private_data import finite

METHODS = ("disjoint", "holdout", "resampled")
CHECKING = 0.1  # share of epsilon with which "holdout" counts

Function = Callable[[np.ndarray], ArrayLike]


@dataclass(frozen=True, kw_only=True)
class Params(Boxed):
    """Blocks, agreement, budget; all public.

    Attributes
    ----------
    block : int >= 1, records in a block; d : int >= 1, columns of f's values
    alpha : float in (0, 1]; method : one of ``METHODS``; seed : int >= 0, of the public randomness
    outside : "clip" is all that is allowed: a value outside is moved into the box

    >>> Params(
    ...     block=20, d=1, alpha=0.8, epsilon=1, delta=1e-6, method="holdout", lower=0, upper=1
    ... ).method
    'holdout'
    """

    delta_range = AT_MOST_HALF

    block: checks.Count
    alpha: float
    method: str = "disjoint"
    seed: int = 0

    def __post_init__(self):
        super().__post_init__()
        checks.choice("outside", self.outside, ("clip",))
        checks.integer("seed", self.seed, at_least=0)
        checks.number("alpha", self.alpha, above=0, at_most=1)
        checks.choice("method", self.method, METHODS)

    @classmethod
    def draw(cls, *, rng: checks.Seed, **numbers: Any) -> Params:
        """Parameters with fresh public randomness."""
        return cls(seed=int(checks.generator(rng).integers(2**62)), **numbers)

    def solver(self, blocks: int, *, epsilon: float, delta: float) -> one_cluster.Params:
        """What is asked about the values of so many blocks: t = alpha k / 2."""
        t = max(1, math.floor(self.alpha * blocks / 2))
        budget = {"epsilon": epsilon, "delta": delta, "beta": self.beta}
        public = {"d": self.d, "lower": self.lower, "upper": self.upper, "seed": self.seed}
        return one_cluster.Params(t=t, **public, **budget)


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees.

    Attributes
    ----------
    ball : one_cluster.Release; blocks : int, blocks that the solver saw
    share : float, noisy share of the other half's values in the ball; NaN unless "holdout"
    certified : float, at least this share of all blocks' values is in the ball, with probability
        1 - beta; NaN unless "holdout"
    """

    ball: one_cluster.Release
    blocks: int
    share: float = math.nan
    certified: float = math.nan


def release(
    data: ArrayLike, params: Params, curator: Curator, *, function: Function, at_once: bool = False
) -> Release:
    """Publish a ball where f lands often. Costs at most ``params.epsilon``, ``params.delta``.

    Statements: NSV Algorithm 4; NSV Lemma 6.5.

    Parameters
    ----------
    data : array (n, ...), private
    function : takes one block (block, ...), gives (d,). It must keep nothing from one block to the
        next, or one record could move more than one value
    at_once : bool, whether f takes all blocks (blocks, block, ...) and gives (blocks, d); faster,
        and private only if f treats each block by itself

    Raises ValueError if the blocks are too few for the solver at this budget, or f fails or gives
    another shape; nothing is spent, except that "resampled" pays before it runs f.
    """
    methods = {"disjoint": disjoint, "holdout": holdout, "resampled": resampled}
    each = function if at_once else _one_by_one(function)
    return methods[params.method](np.asarray(data), params, curator, each)


def disjoint(data: np.ndarray, params: Params, curator: Curator, function: Function) -> Release:
    """Every record in one block: what the solver costs is the cost of all."""
    blocks = _blocks_of(data, params)
    solver = params.solver(len(blocks), epsilon=params.epsilon, delta=params.delta)
    points = _values(blocks, function, params)
    return Release(one_cluster.release(points, solver, curator), len(blocks))


def holdout(data: np.ndarray, params: Params, curator: Curator, function: Function) -> Release:
    """Half of the blocks find the ball, the other half check it."""
    points = _values(_blocks_of(data, params), function, params)
    half = len(points) // 2
    epsilon = params.epsilon * CHECKING
    solver = params.solver(half, epsilon=params.epsilon - epsilon, delta=params.delta)
    one_cluster.check_size(half, solver)
    payer = curator.sub_curator(epsilon=params.epsilon, delta=params.delta, label="holdout")
    ball = one_cluster.release(points[:half], solver, payer)
    inside = one_cluster.answer(ball, points[half:]).mean()
    cost = {"sensitivity": 1 / (len(points) - half), "epsilon": epsilon, "label": "check"}
    share = payer.laplace(float(inside), **cost)
    below = error_bound(params, blocks=len(points) - half)
    return Release(ball, half, share, max(0.0, share - below))


def resampled(data: np.ndarray, params: Params, curator: Curator, function: Function) -> Release:
    """The paper's: a ninth of the records, drawn with replacement, for a larger sub-curator.

    Statements: NSV Algorithm 4; NSV Lemma 6.4.
    """
    size = max(1, len(data) // 9)
    n = len(data)
    epsilon = accounting.resample_budget(epsilon=params.epsilon, draws=size, n=n)
    _, unit = accounting.resample_step(epsilon=epsilon, delta=1e-200, draws=size, n=n)
    delta = min(0.5, params.delta * (1e-200 / unit) * (1 - 1e-12))  # linear, until cut at 1
    budget = {"epsilon": epsilon, "delta": delta}
    solver = params.solver(size // params.block, **budget)
    one_cluster.check_size(size // params.block, solver)
    sample, payer = curator.sub_curator_resampled(data, size=size, **budget, label="resampled")
    points = _values(_blocks_of(sample, params), function, params)
    return Release(one_cluster.release(points, solver, payer), len(points))


def truth(
    data: ArrayLike,
    queries: ArrayLike | None,
    params: Params,
    *,
    function: Function,
    draws: int = 1000,
    rng: checks.Seed = 0,
) -> float:
    """Stability (Definition 6.1): the least r with an (m, r, alpha)-stable point among f's values.

    Statements: NSV Definition 6.1.
    For comparison only: not private. A point c is (m, r, alpha)-stable if f of m records, drawn
    with replacement, lies within r of c with probability alpha. Here from ``draws`` such blocks,
    with one of their values as c: at most twice the least radius.
    """
    rng = checks.generator(rng)
    rows = np.asarray(data)
    checks.integer("draws", draws, at_least=2, at_most=20_000)
    blocks = rows[rng.integers(len(rows), size=(draws, params.block))]
    points = _values(blocks, _one_by_one(function), params)
    return least_ball(points, max(1, math.ceil(params.alpha * draws)))[0]


def error_bound(params: Params, *, blocks: int) -> float:
    """Proved: how far ``certified`` lies below the noisy share of so many checking blocks.

    Statements: NSV Theorem 6.6.
    With probability at least 1 - beta the share of all blocks is above it (method "holdout").
    Proof. The checking blocks are independent of the ball, if records are independent draws: by
    Hoeffding the share among k of them exceeds that of all blocks by sqrt(ln(2 / beta) / (2 k))
    with probability beta / 2; Laplace noise of scale 1 / (k epsilon) exceeds ln(1 / beta) times
    its scale with probability beta / 2. Here epsilon is a tenth of the whole.

    >>> params = Params(
    ...     block=10, d=1, alpha=0.8, epsilon=1, delta=1e-6, method="holdout", lower=0, upper=1
    ... )
    >>> round(error_bound(params, blocks=5000), 3)
    0.022
    """
    blocks = checks.integer("blocks", blocks, at_least=1, at_most=10**18)
    noise = math.log(1 / params.beta) / (blocks * (params.epsilon * CHECKING))
    return noise + math.sqrt(math.log(2 / params.beta) / (2 * blocks))


def paper_bound(params: Params) -> tuple[float, float]:
    """Lemma 6.4 at a ninth of the records: (6 epsilon / 9, e^(6 epsilon / 9) (4 / 9) delta).

    Statements: NSV Lemma 6.4.

    >>> params = Params(block=10, d=1, alpha=0.8, epsilon=1, delta=0.1, lower=0, upper=1)
    >>> [round(x, 3) for x in paper_bound(params)]
    [0.667, 0.087]
    """
    epsilon = 6 * params.epsilon / 9
    return epsilon, math.exp(epsilon) * 4 / 9 * params.delta


def paper_bound_blocks(params: Params) -> dict[str, float]:
    """Theorem 6.3, Lemma 6.7: blocks that its proof asks for, by the reason why.

    Statements: NSV Theorem 6.3; NSV Lemma 6.7; NSV Theorem 6.6.
    Our reconstruction: the text at hand lost its formulas. Returns a dict with ``enough values``
    (Chernoff: half of alpha k of them near the stable point), ``solver`` (t = alpha k / 2 is what
    module ``one_cluster`` asks at least), ``generalisation`` (Theorem 6.6, with a solver of
    alpha / 144), and ``records`` (9 blocks drawn for each, times the largest).

    >>> params = Params(block=10, d=1, alpha=0.8, epsilon=1, delta=1e-6, lower=0, upper=1)
    >>> {why: f"{blocks:.2g}" for why, blocks in paper_bound_blocks(params).items()}
    {'enough values': '34', 'solver': '5.8e+02', 'generalisation': '3.2e+05', 'records': '2.8e+07'}
    """
    alpha = params.alpha
    small = params.alpha / 144
    blocks = {
        "enough values": 8 / alpha * math.log(3 / params.beta),
        "solver": 2 / alpha * params.solver(2, epsilon=params.epsilon, delta=params.delta).loss,
        "generalisation": math.log(4 * small / params.delta) / small**2,
    }
    return blocks | {"records": 9 * params.block * max(blocks.values())}


def trial(
    params: Params, data: ArrayLike | None = None, *, rng: checks.Seed, n: int = 20_000
) -> dict[str, float]:
    """Where means of blocks agree, once, with fresh public randomness.

    Parameters
    ----------
    data : array (m, d) in the unit cube; by default n normal records (sd 0.1 about 0.6), and 4 % of
        the blocks give junk

    Returns a dict with ``found``, ``error`` (of the centre, from the median of the blocks' means,
    or from 0.6), ``radius``, ``share``, ``certified``, ``inside`` (true share of values in the
    ball).

    >>> params = Params(block=10, d=1, alpha=0.8, epsilon=2, delta=1e-6, lower=0, upper=1)
    >>> trial(params, rng=0)["error"] < 0.02
    True
    """
    rng = checks.generator(rng)
    rows = _normal_records(params, n, rng) if data is None else finite(data, "data")
    params = replace(params, seed=int(rng.integers(2**62)))
    curator = params.curator(rng=rng)
    how = {"function": _careful_mean, "at_once": True}
    ball = release(rows, params, curator, **how)
    every = _values(_blocks_of(rows, params), _careful_mean, params)
    center = 0.6 if data is None else np.median(every, axis=0)
    return {
        "found": float(ball.ball.found),
        "error": float(np.linalg.norm(ball.ball.center - center)),
        "radius": ball.ball.radius,
        "share": ball.share,
        "certified": ball.certified,
        "inside": float(one_cluster.answer(ball.ball, every).mean()),
    }


def _normal_records(params: Params, n: int, rng: np.random.Generator) -> np.ndarray:
    """n records about 0.6, of which a few are corrupted (-1): one in 4 % of the blocks; (n, d)."""
    bad = rng.uniform(size=n) < 0.04 / params.block
    return np.where(bad[:, None], -1.0, np.clip(rng.normal(0.6, 0.1, (n, params.d)), 0, 1))


def _careful_mean(blocks: np.ndarray) -> np.ndarray:
    """Mean of each block; junk (a value far off) if a record is corrupted."""
    junk = (blocks < 0).any(axis=(1, 2))
    return np.where(junk[:, None], 0.99, blocks.mean(axis=1))


def _blocks_of(data: np.ndarray, params: Params) -> np.ndarray:
    """Records in a public random order, in blocks; what is left over is not used."""
    order = np.random.default_rng(params.seed).permutation(len(data))
    blocks = len(data) // params.block
    if blocks < 2:
        raise ValueError(f"data must hold at least two blocks of {params.block} records")
    return data[order[: blocks * params.block]].reshape(blocks, params.block, *data.shape[1:])


def _one_by_one(function: Function) -> Function:
    """The same function of all blocks, called with one block at a time."""
    return lambda blocks: np.array([function(block) for block in blocks])


def _values(blocks: np.ndarray, function: Function, params: Params) -> np.ndarray:
    """f of every block, clipped to the public box; not a number becomes its corner; (k, d)."""
    try:
        points = np.asarray(function(blocks), dtype=float)
    except Exception:
        raise ValueError("function must give numbers, without an error, for all blocks") from None
    shape = (len(blocks), params.d)
    if points.shape != shape and (params.d > 1 or points.shape != shape[:1]):
        raise ValueError("function must give an array of shape (d,) for each block")
    points = points.reshape(shape)
    points = np.where(np.isnan(points), params.box.lower, points)
    return np.clip(points, params.box.lower, params.box.upper)
