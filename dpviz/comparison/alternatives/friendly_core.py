"""Closest pairs of few records, filtered by how many friends they have: a friendly core.

The middles of :mod:`~dpviz.comparison.alternatives.closest_pairs` are a majority where a quarter
of the records stand close together. Two middles are friends if they are within a public radius. A
middle counts in the more the further its friends outnumber half of all, and not at all if they do
not; so any two that count have a common friend, whatever the dimension, and their weighted mean
moves little when one is replaced. No window of any column is looked at.

After FriendlyCore of Tsfadia, Cohen, Kaplan, Mansour and Stemmer (ICML 2022; read: the abstract
and the authors' summary). Theirs keeps or drops a point at random; here its weight is the
probability of staying, so that the proof below is short and all noise is Gaussian. The radius, the
records in a group and the shares of the budget were chosen on synthetic records of other seeds;
nothing is proved about the radius of the ball.

**Privacy.** m middles, of which one is replaced; z_i is the number of friends of middle i among the
other m - 1. Its weight is w_i = min(1, max(0, z_i / (m - 1) - 1/2) / (1/2 - a)) with a = ``full``.

1. *Any two points with a positive weight, each in either data set, are within 2 r.* A positive
   weight takes z > (m - 1) / 2, so z >= m / 2. Call U the m - 1 middles that both data sets have.
   Two points of U have at least m / 2 - 1 friends each in U; if they are not friends, these are
   among m - 3 others, so they have one in common. A point of U and a replaced one have m / 2 - 1
   and m / 2 among m - 2 others, two replaced ones m / 2 each among m - 1: again one in common.
2. *W = sum w_i moves by at most s = 1 + 2 / (1 - 2 a).* Each z_i in U moves by at most 1, so the
   weights in U move by at most 1 / (1/2 - a) together, and that of the replaced middle by 1.
3. *The mean moves by at most 2 r s / W', W' the weight in the other data set.* With mean c before,
   the mean moves by the sum of the changes of w_i (y_i - c), divided by W'. All y_i - c have length
   2 r at most, and the replaced one's part moves by at most 2 r, because its two points are also
   within 2 r of each other.
4. First W is published with Gaussian noise; ``low`` is what is left after subtracting s and the
   noise's 1 - delta quantile, so but for probability delta it is below W and the neighbour's W.
   Then the mean has noise for a move of 2 r s / low. Outside of that event both steps are zCDP,
   and what is published inside of it has probability delta at most: the sub-curator's delta.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.comparison.alternatives import closest_pairs, column_groups
from dpviz.privacy.curator import Curator

SHARE = 0.7  # of the core's rho for its weight; the rest is for its mean
NEAR = 0.015  # radius of friends, in sides of the box times sqrt(d)


@dataclass(frozen=True, kw_only=True)
class Params:
    """Public numbers.

    Attributes
    ----------
    d : int >= 1, columns; size : int >= 2, records in a group
    full : float in [0, 1/2), a share 1 - full of friends gives the whole weight

    >>> Params(d=2, full=0.5)
    Traceback (most recent call last):
    ...
    ValueError: full must be a number with 0 <= full < 0.5, not 0.5
    """

    d: int
    size: int = 14
    full: float = 0.1

    def __post_init__(self) -> None:
        closest_pairs.Params(d=self.d, size=self.size)
        checks.number("full", self.full, at_least=0, below=0.5)

    @property
    def radius(self) -> float:
        """Of friends."""
        return NEAR * math.sqrt(self.d)

    @property
    def moved(self) -> float:
        """How far the weights move together when a middle is replaced: s.

        >>> Params(d=1, full=0.0).moved
        3.0
        """
        return 1 + 2 / (1 - 2 * self.full)


def release(
    data: np.ndarray, params: Params, curator: Curator, *, order: np.ndarray
) -> np.ndarray | None:
    """The centre (d,); None if the core is too small. Costs all of the curator's rho and delta.

    Parameters
    ----------
    data : array (n, d) in [0, 1], of at least three groups, private
    curator : of zCDP, with a delta for the rare event
    order : array (n,), a public permutation that is drawn without the data

    >>> data = np.vstack([np.full((6000, 2), 0.3), np.random.default_rng(0).random((4000, 2))])
    >>> order = np.random.default_rng(1).permutation(10_000)
    >>> release(data, Params(d=2), Curator(rho=2.0, delta=1e-6, rng=0), order=order).round(1)
    array([0.3, 0.3])
    """
    middles = closest_pairs.closest(data[order], params.size)
    center = core(middles, params, curator)
    return None if center is None else column_groups.averaged(center, middles, data, curator)


def core(middles: np.ndarray, params: Params, curator: Curator) -> np.ndarray | None:
    """Noisy mean (d,) of the friendly core; None if its weight may be 0.

    Costs the first of ``column_groups.SHARES`` of the curator's rho, and its delta.
    """
    from scipy.special import ndtri

    rho = column_groups.SHARES[0] * curator.budget.rho
    delta = curator.budget.delta
    own = curator.sub_curator(rho=rho, delta=delta, label="core")
    weights = friendliness(middles, params)
    whole = float(weights.sum())
    first = SHARE * rho
    noisy = own.gaussian(whole, sensitivity=params.moved, rho=first, label="weight of the core")
    low = float(noisy) - params.moved * (1 - float(ndtri(delta)) / math.sqrt(2 * first))
    if low <= 0:
        return None
    mean = weights @ middles / max(whole, low)
    l2 = 2 * params.radius * params.moved / low
    noisy = own.gaussian(mean, sensitivity=l2, rho=rho - first, label="mean of the core")
    return np.clip(noisy, 0, 1)


def friendliness(middles: np.ndarray, params: Params) -> np.ndarray:
    """The weight of each middle, from 0 to 1; array (m,). Private.

    >>> friendliness(np.array([[0.1], [0.1], [0.1], [0.9]]), Params(d=1, full=0.25)).round(2)
    array([0.67, 0.67, 0.67, 0.  ])
    """
    from scipy.spatial import cKDTree

    tree = cKDTree(middles)
    friends = tree.query_ball_point(middles, params.radius, return_length=True) - 1
    share = friends / (len(middles) - 1)
    return np.clip((share - 0.5) / (0.5 - params.full), 0, 1)
