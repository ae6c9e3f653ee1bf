"""Joint sensitivity of public questions: how far all their answers move when a record is replaced.

The answers are means of q_j(x) over n records, so they move by (q(x) - q(y)) / n, where x is
replaced by y and q(x) is the vector of all k values. Noise on each of k answers that anybody may
ask must allow for k / n in L1 and sqrt(k) / n in L2; where the questions are public, the largest
distance of two vectors q(x), q(y) is enough. It is computed here, or bounded from above.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from dpviz import checks

CHUNK = 2**22  # pairs of points looked at together
STEPS = 24  # of a column in :func:`of_distances`, on either side of which a question may lie
ROWS = 256  # places compared with all others together
SIDES = {1: 400, 2: 36, 3: 14}  # of a grid in :func:`of_kernels`, by d


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """Largest change of the k answers together, times n.

    Attributes
    ----------
    l1, l2 : float > 0
    """

    l1: float
    l2: float

    @classmethod
    def adaptive(cls, k: int) -> Sensitivity:
        """Of any k questions with values in [0, 1], which need not be known.

        >>> Sensitivity.adaptive(4)
        Sensitivity(l1=4.0, l2=2.0)
        """
        return cls(l1=float(k), l2=math.sqrt(k))


def of_values(values: np.ndarray) -> Sensitivity:
    """Exactly, for questions on a finite domain.

    All pairs of points are compared. Points with the same values are one point.

    Parameters
    ----------
    values : array (k, points), what each question says of each point of the domain

    >>> of_values(np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]))
    Sensitivity(l1=3.0, l2=1.732)
    """
    points = np.unique(np.asarray(values, dtype=float).T, axis=0)
    l1 = 0.0
    squared = 0.0
    each = max(1, CHUNK // points.size)
    for begin in range(0, len(points), each):
        gaps = np.abs(points[begin : begin + each, None] - points[None])
        l1 = max(l1, float(gaps.sum(axis=2).max()))
        squared = max(squared, float(np.square(gaps).sum(axis=2).max()))
    return Sensitivity(l1=l1, l2=math.sqrt(squared))


def of_lists(members: list[np.ndarray], names: int) -> Sensitivity:
    """Exactly, for lists of names; a name that is on no list may be in the data, too.

    With values 0 and 1 the L1 distance is the squared L2 distance |x| + |y| - 2 x.y.

    Parameters
    ----------
    members : k arrays of whole numbers below ``names``; names : int >= 1

    >>> of_lists([np.array([0, 1]), np.array([1])], 2)
    Sensitivity(l1=2.0, l2=1.414)
    """
    from scipy import sparse

    rows = np.repeat(np.arange(len(members)), [len(each) for each in members])
    columns = np.concatenate(members)
    ones = np.ones(len(columns))
    table = sparse.csr_array((ones, (columns, rows)), shape=(names + 1, len(members)))
    size = np.asarray(table.sum(axis=1)).ravel()
    l1 = 0.0
    each = max(1, CHUNK // (names + 1))
    for begin in range(0, names + 1, each):
        common = (table[begin : begin + each] @ table.T).toarray()
        l1 = max(l1, float((size[begin : begin + each, None] + size - 2 * common).max()))
    return Sensitivity(l1=l1, l2=math.sqrt(l1))


def of_distances(places: np.ndarray) -> Sensitivity:
    """Bounds for the l1 distances to public places, divided by d.

    Proof. The change of answer j is a sum over columns c of h_c(q_jc) with h_c(q) = |x_c - q| -
    |y_c - q|. Put a grid of step w on each column. Between two grid points a and b, |x - q| is
    the mean of |a - q| and |b - q| with the weights of x, unless q lies between them, and then
    the mean is larger by at most w / 2. So, up to vectors of L2 norm (w / 2) sqrt(m_c), m_c
    being the most questions between two grid points, x and y may be taken from the grid, because
    the norm is convex and the change affine in the weights of either. For grid points the
    square of the norm is the sum over all pairs of columns of <h_c, h_c'>, each of which is at
    most its largest value over the grid. The L1 norm is at most the sum over the columns of the
    largest sums |h_c|, and at most sqrt(k) times the L2 norm.

    Parameters
    ----------
    places : array (k, d) in [0, 1]

    >>> of_distances(np.array([[0.0], [1.0]]))
    Sensitivity(l1=2.0, l2=1.414)
    """
    k, d = places.shape
    grid = np.linspace(0, 1, STEPS + 1)
    low, high = np.array(list(itertools.combinations(range(len(grid)), 2))).T
    reaches = [np.abs(grid[:, None] - column) for column in places.T]
    inside = [np.histogram(each[~np.isin(each, grid)], bins=grid)[0].max() for each in places.T]
    rounding = [math.sqrt(most) / (2 * STEPS) for most in inside]
    squared = sums = 0.0
    for each in reaches:
        change = each[high] - each[low]
        squared += float(np.square(change).sum(axis=1).max())
        sums += float(np.abs(change).sum(axis=1).max())
    for one, other in itertools.combinations(reaches, 2):
        products = one @ other.T  # <h_c, h_c'> is a difference of differences of these
        squared += 2 * float(np.ptp(products[high] - products[low], axis=1).max())
    l2 = (math.sqrt(squared) + 2 * sum(rounding)) / d
    l1 = (sums + 2 * math.sqrt(k) * sum(rounding)) / d
    return Sensitivity(l1=min(l1, math.sqrt(k) * l2, float(k)), l2=min(l2, math.sqrt(k)))


def of_kernels(centres: np.ndarray, width: float) -> Sensitivity:
    """Bounds for Gaussian kernels about public centres, on the box [-1, 1]^d.

    Proof. On a grid of step w, interpolation between the corners of a cell is wrong by at most
    w^2 / 8 times the largest second derivative along each axis, 1 / width^2, so by e = d w^2 /
    (8 width^2) for every kernel. An interpolated vector is a mean of the corners', and a norm is
    convex, so the largest distance is at most that of two grid points plus 2 e sqrt(k), in L1
    plus 2 e k. No kernel moves by more than 1.

    Parameters
    ----------
    centres : array (k, d), d at most 3; width : float > 0

    >>> of_kernels(np.array([[0.0]]), 0.5).l2 <= 1
    True
    """
    k, d = centres.shape
    side = SIDES[checks.integer("d", d, at_least=1, at_most=max(SIDES))]
    axis = np.linspace(-1, 1, side)
    gaps = axis[:, None, None] - centres  # of each axis by itself: a kernel is a product
    factors = np.exp(-np.square(gaps) / (2 * width**2))
    values = np.ones((1, k))
    for column in range(d):
        values = (values[:, None] * factors[:, :, column]).reshape(-1, k)
    size = np.square(values).sum(axis=1)
    squared = 0.0
    for begin in range(0, len(values), ROWS):  # each pair of places once
        some = slice(begin, begin + ROWS)
        products = values[some] @ values[begin:].T
        squared = max(squared, float((size[some, None] + size[begin:] - 2 * products).max()))
    error = d * (axis[1] - axis[0]) ** 2 / (8 * width**2)
    l2 = float(min(math.sqrt(squared) + 2 * error * math.sqrt(k), math.sqrt(k)))
    return Sensitivity(l1=min(math.sqrt(k) * l2, float(k)), l2=l2)
