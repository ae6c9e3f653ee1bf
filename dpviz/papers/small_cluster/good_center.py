"""GoodCenter (Algorithm 2, Lemma 4.12): given a radius, the centre of a ball of about t rows.

**Paper.** Nissim, Stemmer and Vadhan (2016), Algorithm 2 (GoodCenter, as corrected in the
second version) and Appendix A (NoisyAVG).

**Setting.** n points of a public box; a ball of a known radius r holds t of them. Neighbours
replace one record.

**Idea.** In few dimensions a box of side a few r, at a lucky random place, holds the cluster.
So project to k dimensions, try shifted grids until a box is full, and keep the rows in it. In
d dimensions they lie in a ball, but where? Look along d axes and take an interval on each.
On the given axes the product of the intervals would be sqrt(d) too wide; after a random
rotation each interval is sqrt(d) narrower. Average what lies in the ball around that box.

**Symbols.**

==============  =====================  ==========================================  ============
paper           here                   meaning                                     shape, unit
==============  =====================  ==========================================  ============
k, f            ``k``, ``projection``  dimension and map of the projection         count, (k, d)
a_i             ``shift``              place of a boundary, in box sides           (k,), [0, 1)
300 r           ``side`` r             side of a box                               side of box
900 r ...       ``interval`` r         length of an interval                       side of box
R               ``rounds``             grids tried at most                         count
z_1 ... z_d     ``axes``               rotated axes                                (d, d)
D, C, D'        ``inside``             rows in the box, in the ball, in both       (n,)
R_C             ``reach``              radius of C; enforced; sets the noise       side of box
y^              ``center``             the answer                                  (d,)
==============  =====================  ==========================================  ============

**Departures.** (1) ``Params.paper`` has the constants as stated (k = 46 log2(2n / beta); the
text at hand lost its formulas, so all of these are our reconstruction, and base 2 is the reading
with which the projection's lemma holds), ``Params.practical`` lengths that a few thousand rows
allow: both are private, because privacy depends on no length. (2) R_C is the half diagonal of the
extended box; 2700, as reconstructed, is twice that. (3) The intervals share (epsilon, delta) / 4
exactly; the reconstructed share is smaller, and below basic composition for d < 6.25 ln(8 / delta).
(4) The average is `Curator.count_average`: the same two noises, 4 times smaller. (5) Boxes
are counted by a number made of their place, exact below 2^53; the heaviest number is looked at
again, because two boxes may have the same one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from dpviz import accounting, checks
from dpviz.papers.small_cluster.planted import Planted, plant
from dpviz.papers.small_cluster.public_grid import FAR, Boxed
from dpviz.privacy.curator import AT_MOST_HALF, Curator
from dpviz.privacy.sparse_vector import threshold_accuracy

STEPS = ("rounds", "box", "axes", "average")
HASH = 2654435761  # a fixed odd number; its powers mix the coordinates of a box
BOXES = 2**14  # numbered through, so that counting needs no order
BLOCK = 2**15  # numbers whose boxes are found at a time: they stay in the processor's cache


@dataclass(frozen=True, kw_only=True)
class Params(Boxed):
    """Radius, count, budget, lengths, public randomness; all public.

    Attributes
    ----------
    t : int >= 1; d : int >= 1; radius : float > 0 (released before, or known)
    k : int >= 1, dimension of the projection
    side, interval : float > 0, lengths in units of ``radius``
    rounds : int >= 1, grids tried at most
    margin : float >= 0, rows below t at which the threshold stands
    as_stated : bool, whether each interval has the share of the budget that the paper states
    seed : int >= 0, of the public randomness (projection, shifts, rotation)

    >>> Params.practical(
    ...     t=100, d=10, radius=0.02, epsilon=1, delta=1e-6, n=1000, lower=0, upper=1
    ... ).side
    8.0
    """

    delta_range = AT_MOST_HALF

    t: int
    radius: checks.Positive
    k: int
    side: checks.Positive
    interval: checks.Positive
    rounds: int
    margin: float
    as_stated: bool = False
    seed: int = 0

    def __post_init__(self):
        super().__post_init__()
        for name, least in {"t": 1, "k": 1, "rounds": 1, "seed": 0}.items():
            checks.integer(name, getattr(self, name), at_least=least)
        checks.number("margin", self.margin, at_least=0)

    @classmethod
    def paper(cls, *, n: int, t: int, d: int, radius: float, epsilon: float, **rest) -> Params:
        """The constants as stated, for n rows; at most 10^6 rounds."""
        beta = rest.get("beta", 0.1)
        bits = math.log2(2 * n / beta)
        k = math.ceil(46 * bits)
        rounds = math.ceil(min(1e6, 2 * n / beta * math.log2(1 / beta)))
        long = 900 * math.sqrt(k * math.log(d * n / beta) / d)
        lengths = {"side": 300.0, "interval": long, "margin": 100 / epsilon * bits}
        public = {"t": t, "d": d, "k": k, "radius": radius, "rounds": rounds, "as_stated": True}
        return cls(epsilon=epsilon, **public, **lengths, **rest)

    @classmethod
    def practical(cls, *, n: int, t: int, d: int, epsilon: float, **rest) -> Params:
        """Four dimensions at most, boxes of 8 radii, intervals as long as a ball is wide."""
        beta = rest.get("beta", 0.1)
        k = rest.pop("k", min(4, d))
        rounds = 200
        width = 2 * turned_share(d, n=n, beta=beta)
        margin = float(threshold_accuracy(checks=rounds, runs=1, beta=beta)) / (epsilon / 4)
        lengths = {"side": 8.0, "interval": width, "margin": margin}
        return cls(t=t, d=d, k=k, rounds=rounds, epsilon=epsilon, **lengths, **rest)

    @property
    def reach(self) -> float:
        """R_C: half the diagonal of a cube of three intervals."""
        return 1.5 * self.interval * self.radius * math.sqrt(self.d)

    @property
    def r(self) -> float:
        """The radius, in sides of the public box."""
        return self.radius / self.unit

    @property
    def axis(self) -> tuple[float, float]:
        """(epsilon, delta) of one interval; all d cost a quarter of the budget at most."""
        delta = self.delta / (8 * self.d)
        if self.as_stated:
            return self.epsilon / (10 * math.sqrt(self.d * math.log(8 / self.delta))), delta
        return _exact_share(self.epsilon / 4, self.delta / 8, self.d), delta


@dataclass(frozen=True)
class Needed:
    """Rows of a ball from which on each step releases something; see :func:`needed`.

    Attributes
    ----------
    box, axes, average : float, what step 7, steps 8 to 10 and step 11 ask for
    """

    box: float
    axes: float
    average: float

    @property
    def most(self) -> float:
        """What all of them together ask for."""
        return max(self.box, self.axes, self.average)


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees; ``failed`` is "" or the step that found nothing.

    Attributes
    ----------
    failed : str, "" or one of ``STEPS``; center : array (d,), NaN if not found
    reach : float, radius of the ball that was averaged, in the unit of the data like the rest
    tries : int, grids tried
    corner : array (d,), centre of that ball, NaN before its step
    sd : float, standard deviation of the noise on each coordinate of the centre, NaN if none
    """

    failed: str
    center: np.ndarray
    reach: float
    tries: int
    corner: np.ndarray
    sd: float = math.nan

    @property
    def found(self) -> bool:
        """Whether there is a centre."""
        return not self.failed


def release(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """Find a centre. Costs ``params.epsilon``, ``params.delta``, found or not.

    Statements: NSV Algorithm 2; NSV Lemma 4.11.
    Four quarters: AboveThreshold, the box, the intervals, the average. Each step is private
    for every earlier output; projection, shifts and axes are public randomness.
    Raises ValueError if t > n or the columns are not d; nothing is spent.

    Parameters
    ----------
    data : array (n, d), private
    """
    rows = params.rows_of(data)
    checks.integer("t", params.t, at_least=1, at_most=len(rows))
    payer = curator.sub_curator(epsilon=params.epsilon, delta=params.delta, label="centre")
    public_rng = np.random.default_rng(params.seed)
    unknown = np.full(params.d, np.nan)
    projected = rows @ _projection(params.k, params.d, public_rng).T  # step 1, of all rows
    shift, tries = shifted_grid(projected, params, payer, public_rng)  # steps 2-6
    if shift is None:
        return Release("rounds", unknown, params.reach, tries, unknown)
    inside = heaviest_box(projected, shift, params, payer)  # step 7
    if inside is None:
        return Release("box", unknown, params.reach, tries, unknown)
    corner = _box_center(rows, inside, rotation(params.d, public_rng), params, payer)  # 8-10
    if corner is None:
        return Release("axes", unknown, params.reach, tries, unknown)
    kept = np.where(inside[:, None], rows, FAR)  # step 11: D' = D and C, enforced by the verb
    cost = {"epsilon": params.epsilon / 4, "delta": params.delta / 4, "label": "average"}
    mean = payer.count_average(kept, center=corner, radius=params.reach / params.unit, **cost)
    center = unknown if mean is None else params.place(np.clip(mean.center, 0, params.top))
    failed, sd = ("average", math.nan) if mean is None else ("", mean.sd * params.unit)
    return Release(failed, center, params.reach, tries, params.place(corner), sd)


def release_repeated(
    data: ArrayLike, params: Params, curator: Curator, *, repeats: int = 3
) -> Release:
    """The best of several searches (Remark 4.13). Costs ``params.epsilon``, ``params.delta``.

    Statements: NSV Remark 4.13.
    Each search may fail with constant probability, so its lengths need no small beta; together
    they fail with that to the power of ``repeats``. One share of epsilon of ``repeats`` + 1
    chooses, by the exponential mechanism, the centre about which a ball of half a box's diagonal
    holds most rows: each count moves by 1 when a record is replaced.

    Parameters
    ----------
    repeats : int >= 1
    """
    checks.integer("repeats", repeats, at_least=1, at_most=1000)
    rows = params.place(params.rows_of(data))
    checks.integer("t", params.t, at_least=1, at_most=len(rows))
    whole = {"epsilon": params.epsilon, "delta": params.delta}
    payer = curator.sub_curator(**whole, label="repeated")
    share = {"epsilon": params.epsilon / (repeats + 1), "delta": params.delta / repeats}
    each = [replace(params, seed=params.seed + i, **share) for i in range(repeats)]
    releases = [release(rows, asked, payer) for asked in each]
    # A search that releases nothing has no ball, so no row is in it.
    reach = params.side * params.radius * math.sqrt(params.d) / 2
    members = [((rows - ball.center) ** 2).sum(axis=1) <= reach**2 for ball in releases]
    counts = [float(inside.sum()) for inside in members]
    best = payer.choose(counts, sensitivity=1, epsilon=share["epsilon"], label="best")
    return releases[best]


def shifted_grid(
    projected: np.ndarray, params: Params, curator: Curator, public_rng: np.random.Generator
) -> tuple[np.ndarray | None, int]:
    """Steps 2 to 6: shift grids until one has a heavy box; (shift or None, grids tried)."""
    side = params.side * params.r
    rounds = params.rounds
    cost = {"sensitivity": 1, "epsilon": params.epsilon / 4, "label": "heavy box?"}
    stream = curator.above_threshold(params.t - params.margin, **cost)
    weights = _hash_weights(params.k, 2 + 20 * math.sqrt(params.d) / side)
    columns = np.ascontiguousarray(projected.T)
    for tries in range(1, rounds + 1):
        shift = public_rng.uniform(size=params.k)
        if stream.above(heaviest_box_count(columns, side, shift, weights)):
            return shift, tries
    return None, rounds


def heaviest_box(
    projected: np.ndarray, shift: np.ndarray, params: Params, curator: Curator
) -> np.ndarray | None:
    """Step 7: which rows lie in the heaviest box of the grid, or None; (n,), private."""
    index = cells(projected, params.side * params.r, shift)
    cost = {"epsilon": params.epsilon / 4, "delta": params.delta / 4, "label": "box"}
    cell = curator.heaviest_cell(cell_keys(index), **cost)
    return None if cell is None else (index == np.frombuffer(cell[0])).all(axis=1)


def _box_center(
    rows: np.ndarray, inside: np.ndarray, axes: np.ndarray, params: Params, curator: Curator
) -> np.ndarray | None:
    """Steps 8 to 10: centre of the box of one interval per axis, or None; (d,)."""
    epsilon, delta = params.axis
    length = params.interval * params.r
    index = np.floor(rows @ axes / length)  # all rows, before any is left out
    total = {"k": params.d, "delta": params.delta / 4, "label": "axes"}
    steps = curator.sub_curator_steps(epsilon=epsilon, step_delta=delta, **total)
    places = []
    for i in range(params.d):
        intervals = zip(index[:, i].tolist(), inside, strict=True)
        keys = [interval if kept else None for interval, kept in intervals]
        cell = steps.heaviest_cell(keys, epsilon=epsilon, delta=delta, label=f"axis {i + 1}")
        if cell is None:
            return None
        places.append((cell[0] + 0.5) * length)
    return axes @ np.array(places)


def error_bound(params: Params, *, n: int) -> float:
    """Proved: a box that is released lacks at most this many of t rows, among n in all.

    With probability at least 1 - beta. Proof. AboveThreshold decides nothing against a gap of
    more than x = ``threshold_accuracy`` (at beta / 2), so the grid taken has at least
    t - margin - x rows in its heaviest box. Then at most n counts have Laplace noise of scale
    8 / epsilon, all within (8 / epsilon) ln(2 n / beta) with probability 1 - beta / 2; the box
    with the largest noisy count has at most twice that fewer.

    >>> params = Params.practical(
    ...     t=25_000, d=10, radius=0.03, epsilon=1, delta=1e-6, n=100_000, lower=0, upper=1
    ... )
    >>> round(error_bound(params, n=100_000))
    465
    """
    n = checks.integer("n", n, at_least=1, at_most=10**18)
    accuracy = float(threshold_accuracy(checks=params.rounds, runs=1, beta=params.beta / 2))
    noise = 4 * accuracy + 16 * math.log(2 * n / params.beta)
    return params.margin + noise / params.epsilon


def needed(params: Params, *, n: int) -> Needed:
    """Proved: a ball of so many rows, among n in all, is found; what each step needs for it.

    Statements: NSV Lemma 3.7; NSV Lemma 4.12.
    With probability at least 1 - 2 beta if ``t`` is that number, if k = d, if some grid that is
    tried holds the ball in one box, if ``margin`` is at least the gap of AboveThreshold (at
    beta / 2), and if an interval is as long as the rows of a box are apart on any axis. Proof.
    Within the two events of :func:`error_bound` (beta) that grid is taken, or one before it, and
    the box named has D = t - ``error_bound`` rows at least.

    *box*: its noisy count is within x of t - margin - gap, and must reach the level of
    `Curator.heaviest_cell`. *axes*: D meets two neighbouring intervals at most. Laplace noise of
    scale s leaves a count of c rows below the level l with probability exp(-(c - l) / s) / 2 if
    c >= l. If both intervals have so many, both stay below with probability
    exp(-(D - 2 l) / s) / 4. If the smaller one has l - u only, the other has D - l + u, and with
    y = exp(-u / s) the probability is exp(-(D - 2 l) / s) y (1 - y / 2) / 2: largest at y = 1,
    where it is the same. So the even split is the worst, and d axes fail with probability beta / 2
    at most if D >= 2 l + s ln(d / (2 beta)). *average*: three intervals hold all of D, which is
    in the ball; the count's noise is below -(8 / epsilon) ln(1 / beta) with probability beta / 2.

    >>> params = Params.practical(
    ...     t=25_000, d=10, radius=0.03, epsilon=1, delta=1e-6, n=100_000, lower=0, upper=1
    ... )
    >>> [round(rows) for rows in vars(needed(params, n=100_000)).values()]
    [466, 3580, 606]
    """
    lost = error_bound(params, n=n)
    quarter = params.epsilon / 4
    delta = params.delta / 4
    scale = 2 / quarter
    noise = scale * math.log(2 * n / params.beta)
    box = lost - noise + 1 + scale * math.log(1 / (2 * delta))
    axis_epsilon, axis_delta = params.axis
    axis_scale = 2 / axis_epsilon
    level = 1 + axis_scale * math.log(1 / (2 * axis_delta))
    axes = lost + 2 * level + axis_scale * math.log(params.d / (2 * params.beta))
    average = lost + 1 + scale * (math.log(1 / delta) + math.log(1 / params.beta))
    return Needed(box, axes, average)


def paper_bound(params: Params) -> float:
    """Lemma 4.12: the radius 451 r sqrt(k) about the centre.

    Statements: NSV Lemma 3.7; NSV Lemma 4.12.

    >>> paper = Params.paper(
    ...     n=10**5, t=25_000, d=10, radius=0.02, epsilon=1, delta=1e-6, lower=0, upper=1
    ... )
    >>> round(paper_bound(paper))
    280
    """
    return 451 * params.radius * math.sqrt(params.k)


def trial(
    params: Params,
    data: Planted | None = None,
    *,
    rng: checks.Seed,
    n: int = 10_000,
    spread: float = 0.02,
) -> dict[str, float]:
    """Look once for the centre of a planted ball, with fresh public randomness.

    Parameters
    ----------
    data : Planted, rows and what was planted among them; by default n rows with a ball of t
    n, spread : rows, and radius of the planted ball, where data are not given

    Returns a dict with ``found``, ``off`` (centre's distance from the truth, over ``spread``),
    ``ratio`` (radius about the centre that holds nine tenths of the cluster, over ``spread``),
    ``tries``, ``reach`` over ``spread``.

    >>> params = Params.practical(
    ...     t=5000, d=2, radius=0.03, epsilon=2, delta=1e-6, n=10_000, lower=0, upper=1
    ... )
    >>> trial(params, rng=0)["off"] < 1
    True
    """
    rng = checks.generator(rng)
    if data is None:
        data = plant(n, params.t, params.d, spread, rng=rng).within(params.box)
    params = replace(params, seed=int(rng.integers(2**62)))
    ball = release(data.data, params, params.curator(rng=rng))
    away = np.linalg.norm(data.data[data.clusters[0]] - ball.center, axis=1)
    return {
        "found": float(ball.found),
        "off": float(np.linalg.norm(ball.center - data.centers[0])) / data.spread,
        "ratio": float(np.quantile(away, 0.9)) / data.spread if ball.found else math.nan,
        "tries": ball.tries,
        "reach": ball.reach / data.spread,
    }


def _projection(k: int, d: int, public_rng: np.random.Generator) -> np.ndarray:
    """Gaussian matrix / sqrt(k): keeps lengths on average; the identity if k >= d and k <= d."""
    return np.eye(d) if k == d else public_rng.standard_normal((k, d)) / math.sqrt(k)


def projection_tail(k: int, eta: float) -> float:
    """Lemma 4.10: a squared length leaves 1 - eta to 1 + eta times itself so often at most.

    Statements: NSV Lemma 4.10.
    Johnson and Lindenstrauss: 2 exp(-k (eta^2 - eta^3) / 4), for one vector.

    >>> round(projection_tail(856, 0.5), 14)
    0.0
    """
    return 2 * math.exp(-k * (eta**2 - eta**3) / 4)


def rotation(d: int, public_rng: np.random.Generator) -> np.ndarray:
    """Uniformly random orthonormal axes, as columns; (d, d).

    Statements: NSV Lemma 4.9.
    On each axis the differences of n rows are at most 2 sqrt(ln(d n / beta) / d) of their
    length, all of them with probability 1 - beta (:func:`turned_share`).

    >>> axes = rotation(3, np.random.default_rng(0))
    >>> bool(np.allclose(axes @ axes.T, np.eye(3)))
    True
    """
    q, r = np.linalg.qr(public_rng.standard_normal((d, d)))
    return q * np.sign(np.diag(r))


def turned_share(d: int, *, n: int, beta: float) -> float:
    """Lemma 4.9: share of its length that a difference of two of n rows has on a rotated axis.

    Statements: NSV Lemma 4.9.
    At most 1, and with probability 1 - beta at most 2 sqrt(ln(d n / beta) / d), for all pairs
    and axes. Proof. One coordinate of a uniformly random unit vector exceeds s with probability
    at most 2 exp(-d s^2 / 2); there are fewer than d n^2 / 2 of them, and (beta / (d n))^2 d n^2
    is at most beta.

    >>> round(turned_share(1000, n=1000, beta=0.1), 2)
    0.25
    """
    return min(1.0, 2 * math.sqrt(math.log(d * n / beta) / d))


@cache
def _exact_share(total: float, slack: float, d: int) -> float:
    """epsilon of each of d steps that cost (total, slack) together, by exact composition."""
    return accounting.step_for(total=total, delta=slack, k=d, rule="exact")


def cells(rows: np.ndarray, side: float, shift: np.ndarray) -> np.ndarray:
    """Number of each row's interval on each axis; NaN for null rows; (n, d) whole floats.

    >>> cells(np.array([[0.1, 0.9]]), 0.5, np.array([0.0, 0.5])).tolist()
    [[0.0, 2.0]]
    """
    index = rows * (1 / side)
    index += shift
    return np.floor(index, out=index)


def cell_keys(index: np.ndarray) -> list[bytes | None]:
    """One key a row, the bytes of its interval numbers; None for null rows.

    >>> [np.frombuffer(key).tolist() for key in cell_keys(np.array([[1.0, 2.0]]))]
    [[1.0, 2.0]]
    """
    keys = np.ascontiguousarray(index + 0.0).view(f"V{8 * index.shape[1]}").ravel().tolist()
    for i in np.flatnonzero(np.isnan(index[:, 0])):
        keys[i] = None
    return keys


def _hash_weights(d: int, largest: float) -> np.ndarray:
    """Public weights that make one whole number of a box, exact up to 2^53; (d,).

    With at most ``largest`` intervals on an axis. Few boxes are numbered through, by weights that
    begin with 1; of many, each number is a hash, and two boxes may have the same one.
    """
    base = math.floor(largest) + 1
    if base**d <= BOXES:
        return float(base) ** np.arange(d)
    limit = max(2, int(2**52 / (d * max(1.0, largest))))
    return np.array([float(pow(HASH, i + 1, 2**61 - 1) % limit + 2) for i in range(d)])


def heaviest_box_count(
    columns: np.ndarray, side: float, shift: np.ndarray, weights: np.ndarray
) -> int:
    """Rows in the heaviest box of one grid. Replacing a row moves it by at most 1.

    Statements: NSV Figure 2.

    Parameters
    ----------
    columns : array (d, n), the rows as columns; private

    >>> heaviest_box_count(np.array([[0.1, 0.2, 0.9]]), 0.5, np.zeros(1), _hash_weights(1, 2))
    2
    """
    n = columns.shape[1]
    if not n:
        return 0
    keys = np.empty(n)
    step = max(1, BLOCK // len(columns))
    for a in range(0, n, step):
        index = columns[:, a : a + step] * (1 / side)
        index += shift[:, None]
        np.dot(weights, np.floor(index, out=index), out=keys[a : a + step])
    if weights[0] == 1 and keys.min() >= 0 and keys.max() < BOXES:
        return int(np.bincount(keys.astype(np.intp)).max())
    ordered = np.sort(keys)
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    heaviest = ordered[ends[np.diff(ends, prepend=-1).argmax()]]
    # A number has all rows of its boxes: if it is one box's alone, no box holds more.
    index = cells(columns[:, keys == heaviest], side, shift[:, None])
    if (index != index[:, :1]).any():
        each = cells(columns, side, shift[:, None])
        return int(np.unique(each, axis=1, return_counts=True)[1].max())
    return index.shape[1]


def box_scores(rows: np.ndarray, sides: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    """Count of the heaviest box of many shifted grids; null rows count nowhere.

    Parameters
    ----------
    rows : array (n, d) in [0, 1], NaN rows null; private
    sides : array (m,); shifts : array (m, k, d) in [0, 1)

    Returns an array (m, k).

    >>> box_scores(np.array([[0.1], [0.2]]), np.array([0.5]), np.zeros((1, 2, 1))).tolist()
    [[2, 2]]
    """
    columns = np.ascontiguousarray(rows[~np.isnan(rows[:, 0])].T)
    weights = _hash_weights(rows.shape[1], 2 + 1 / float(np.min(sides)))
    return np.array(
        [
            [heaviest_box_count(columns, side, shift, weights) for shift in some]
            for side, some in zip(sides, shifts, strict=True)
        ]
    )
