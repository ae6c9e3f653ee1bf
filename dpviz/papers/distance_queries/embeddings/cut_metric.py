"""Cut metrics: a finite metric as a weighted sum of public cuts, by non-negative least squares.

**Paper.** Beside Huang and Roth (2014), section 4.3. That the metrics which embed into l1 are the
cone of the cut metrics is classical (Deza and Laurent 1997).

**Setting.** A finite public metric. Records and queries are codes of its points.

**Idea.** A cut parts the points in two; its metric is 1 for a pair that it separates and 0 else.
A sum of cut metrics with weights of at least 0 is an l1 distance with one coordinate for each cut,
and every l1 distance of finitely many points is such a sum. So list many public cuts and let a
convex program choose their weights. The map of Bourgain's theorem is one such sum, whose
weights never look at the distances that they should reproduce.

**Symbols.**

=========  ==================  ============================================  ==============
usual      here                meaning                                       shape, unit
=========  ==================  ============================================  ==============
S          a row of ``cuts``   one side of a cut                             bool (N,)
w_S        ``weights``         weight of a cut, at least 0                   of distance
W          ``weights.sum()``   width of the box of all rows                  of distance
c          ``center``          public point whose farthest row is nearest    (m,)
=========  ==================  ============================================  ==============

**Departures.** None from a paper: nothing is proved of how good the fit is, so its error is
computed over all pairs of points, which are public. Privacy does not ask: the map is made without
the records.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.embeddings.metrics import Table
from dpviz.papers.distance_queries.embeddings.weighted_hamming import Incidence

MOST = 2000  # cuts: least squares over all pairs of points
NEAR = 1e-9  # of a diameter: what is smaller is a rounding


@dataclass(frozen=True, kw_only=True)
class Params:
    """The metric and the cuts that may get weight; all public.

    Attributes
    ----------
    metric : metrics.Table, of at least two points
    cuts : bool array (m, N), m from 1 to 2000: the points on one side of each

    Raises TypeError or ValueError if the metric cannot be listed, or a cut has no point on one of
    its sides.

    >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
    >>> Params(metric=finite([[0, 1], [1, 0]]), cuts=[[True, True]])
    Traceback (most recent call last):
    ...
    ValueError: cuts must each have a point on either side
    """

    metric: Table
    cuts: ArrayLike

    def __post_init__(self):
        if not isinstance(self.metric, Table):
            raise TypeError(f"metric must be a metrics.Table, not {self.metric!r}")
        points = len(self.metric.points)
        cuts = np.asarray(self.cuts)
        if cuts.dtype != bool or cuts.ndim != 2 or cuts.shape[1] != points or not len(cuts):
            raise ValueError(f"cuts must be true or false, of shape (m, {points})")
        checks.integer("number of cuts", len(cuts), at_least=1, at_most=MOST)
        if not (cuts.any(axis=1) & ~cuts.all(axis=1)).all():
            raise ValueError("cuts must each have a point on either side")

    def fit(self) -> CutEmbedding:
        """The weights whose sum of squared errors over all pairs of points is least.

        >>> from dpviz.papers.distance_queries.embeddings.metrics import finite
        >>> line = finite([[0, 1, 3], [1, 0, 2], [3, 2, 0]], unit=False)
        >>> path = Params(metric=line, cuts=_threshold_cuts(line.table)).fit()
        >>> sorted(path.upper.round(9).tolist()), round(2 * path.radius, 9)
        ([1.0, 2.0], 3.0)
        """
        from scipy.optimize import nnls

        cuts = np.asarray(self.cuts)
        table = self.metric.table
        one, other = np.triu_indices(len(table), 1)
        parted = (cuts[:, one] != cuts[:, other]).T.astype(float)
        weights = nnls(parted, table[one, other], maxiter=50 * len(cuts))[0]
        used = weights > NEAR * table.max()
        if not used.any():
            raise ValueError("cuts must separate points that are not at distance 0")
        weights = weights[used]
        rows = cuts[used].T * weights
        return CutEmbedding((rows,), np.zeros_like(weights), weights)


@dataclass(frozen=True, eq=False)
class CutEmbedding(Incidence):
    """Fitted cuts: one coordinate for each, its weight on one side and 0 on the other.

    All rows lie near a public center, so a release needs less noise than for the whole box.
    """

    @cached_property
    def center(self) -> NDArray:
        """The point of the box whose farthest row is nearest, by a linear program; (m,).

        Of a coordinate with weight w that a row has or has not, a center at c is w - c or c away:
        the distance from each row is linear in the center.
        """
        from scipy.optimize import linprog

        sides = np.where(self.tables[0] > 0, -1.0, 1.0)
        program = linprog(
            np.append(np.zeros(len(self.upper)), 1.0),
            A_ub=np.column_stack([sides, np.full(len(sides), -1.0)]),
            b_ub=-self.tables[0].sum(axis=1),
            bounds=[*zip(self.lower, self.upper, strict=True), (0, None)],
        )
        return np.clip(program.x[:-1], self.lower, self.upper)

    @cached_property
    def radius(self) -> float:
        """Distance of the farthest row from the center."""
        return float(np.abs(self.tables[0] - self.center).sum(axis=1).max())


def _threshold_cuts(columns: ArrayLike) -> NDArray:
    """Cuts by a threshold on public numbers, such as distances to sets of points.

    Parameters
    ----------
    columns : array (j, N), a number for each point

    Returns a bool array (m, N), without repetitions.
    """
    columns = checks.queries("columns", columns)
    return _distinct(
        [column <= level for column in columns for level in np.unique(column)[:-1]],
        columns.shape[1],
    )


def bisector_cuts(table: ArrayLike) -> NDArray:
    """Cuts into the points nearer to a than to b, for all pairs; ties on either side.

    Balls around each point are among what is returned.
    Returns a bool array (m, N), without repetitions.

    Parameters
    ----------
    table : array (N, N), public distances

    >>> bisector_cuts([[0, 1, 3], [1, 0, 2], [3, 2, 0]]).astype(int).tolist()
    [[0, 0, 1], [0, 1, 0], [0, 1, 1]]
    """
    table = checks.queries("table", table)
    near = NEAR * table.max()
    sides = list(_threshold_cuts(table))
    for row in range(len(table)):
        farther = table[row] - table[row + 1 :]
        sides += [*(farther <= -near), *(farther <= near)]
    return _distinct(sides, len(table))


def _distinct(sides: list[NDArray], points: int) -> NDArray:
    """Cuts as the sides without point 0, each once, without those that separate nothing."""
    cuts = np.array(sides, dtype=bool).reshape(-1, points)
    cuts = np.unique(cuts ^ cuts[:, :1], axis=0)
    return cuts[cuts.any(axis=1)]
