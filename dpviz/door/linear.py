"""Linear queries about a table of counts: all of them from one release."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.door import frames, payment, readings
from dpviz.door.sources import Pieces
from dpviz.door.terms import BETA, Answers, Mechanism, proved, settled
from dpviz.papers.fat_shattering import baselines, net_mechanism, small_databases
from dpviz.privacy.curator import Curator
from dpviz.privacy.pieces import Sums

METHODS = ("histogram", "net", "laplace")
CELLS = "records by cell"
MOVED = 2.0  # a replaced record leaves one cell and enters another
ROWS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 47, 64, 80)  # of a small database, that are tried
PAIRS = 10**8  # entries of all pairs of columns, that are compared
LISTED = 20_000  # small databases that may be listed


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LinearAnswers(Answers):
    """Answers to the queries; after a histogram or a small database, to any others too.

    Attributes
    ----------
    values : array (k,), in records
    cells : tuple, names of the cells, if the table had some
    """

    cells: tuple[Hashable, ...] | None = None

    def answer(self, queries: Any) -> NDArray:
        """Further linear queries, (k,). Free: post-processing. Their error is not among those
        that ``error_bound`` bounds.

        Raises ``ValueError`` after noise on each answer, which published no table.
        """
        if isinstance(self.release, net_mechanism.Release):
            cells = len(self.release.fractions)
            return net_mechanism.answer(self.release, weights(queries, cells, self.cells))
        if "noisy" not in self.release:
            raise ValueError("queries must be asked beforehand with method 'laplace'")
        noisy = self.release["noisy"]
        return weights(queries, len(noisy), self.cells) @ noisy


def linear_queries(
    table: ArrayLike | frames.Frame,
    queries: ArrayLike | Iterable[Iterable[Hashable] | Mapping[Hashable, float]],
    *,
    epsilon: float | None = None,
    method: str | None = None,
    curator: Curator | None = None,
    rng: checks.Seed | None = None,
) -> LinearAnswers:
    """How many records lie in these sets of cells? Costs ``epsilon``.

    The method with the least proved error: a Laplace histogram of all cells, the net mechanism
    (Roth 2010: a small database, drawn by the exponential mechanism, where all of them can be
    listed), or Laplace noise on the answers, as much as one record can move all of them together.

    Parameters
    ----------
    table : number of records in each cell: array (cells,), a series whose index names the cells,
        or a frame of two columns, name and count. Their sum n is public. Or a source of records
        (``dpviz.pieces``), of each the number of its cell, from 0 on
    queries : array (k, cells) of weights in [0, 1]; or, where the cells have names, lists of
        names, or dicts from name to weight
    epsilon, curator, rng : as in ``dpviz.mean``
    method : "histogram", "net", "laplace"; None: by the proved error

    Raises
    ------
    TypeError, ValueError, BudgetExceeded
        Before anything is paid.

    >>> import dpviz
    >>> answers = dpviz.linear_queries([700, 200, 100], [[1, 0, 0], [1, 1, 0]], epsilon=1, rng=7)
    >>> answers.values.round(-1)
    array([700., 900.])
    """
    source = readings.pieces_of(table)
    if source is None:
        counts, cells = _counts(table)
        matrix = weights(queries, len(counts), cells)
    else:
        matrix = weights(queries, _width(queries), None)
        counts, cells = _counted(source, matrix.shape[1]), None
    n = round(counts.sum())
    frames.many("table", n)
    amount, _ = payment.budget_of(curator, rng, epsilon=epsilon)
    mechanism = _chosen(method, matrix, counts, n, epsilon=amount)
    return settled(
        [mechanism],
        partial(_answers, matrix, cells),
        title=f"{len(matrix)} linear queries on {len(counts)} cells, by {mechanism.name}",
        unit="records, all queries together",
        n=n,
        curator=curator,
        rng=rng,
    )


def weights(queries: Any, cells: int, names: Sequence[Hashable] | None) -> NDArray:
    """Public queries as an array (k, cells) of weights in [0, 1].

    >>> weights([["a", "c"], {"b": 0.5}], 3, ("a", "b", "c")).tolist()
    [[1.0, 0.0, 1.0], [0.0, 0.5, 0.0]]
    """
    if hasattr(queries, "__next__"):
        raise TypeError("queries must be a list of queries or an array (k, cells)")
    if isinstance(queries, list | tuple) and any(map(_by_name, queries)):
        if names is None:
            raise ValueError("queries must be weights: the cells of this table have no names")
        queries = [_row(query, names) for query in queries]
    matrix = checks.queries("queries", queries)
    if matrix.ndim != 2 or matrix.shape[1] != cells or not len(matrix):
        raise ValueError(f"queries must have shape (k, {cells}), not {matrix.shape}")
    if not 0 <= matrix.min() <= matrix.max() <= 1:
        raise ValueError("queries must have weights between 0 and 1")
    return matrix


def joint_sensitivity(queries: NDArray) -> float:
    """How far all answers together can move in L1 if a record goes to another cell.

    The largest L1 distance of two columns, exact; of very many cells the sum over queries of how
    far their weights reach, which is never less.

    >>> joint_sensitivity(np.eye(5)), joint_sensitivity(np.array([[1.0, 0.0], [1.0, 0.5]]))
    (2.0, 1.5)
    """
    k, cells = queries.shape
    if k * cells**2 > PAIRS:
        return float(np.ptp(queries, axis=1).sum())
    return float(max(np.abs(queries.T - column).sum(axis=1).max() for column in queries.T))


def _by_name(query: object) -> bool:
    names = isinstance(query, list | tuple) and any(isinstance(name, str) for name in query)
    return isinstance(query, Mapping) or names


def _row(query: Any, names: Sequence[Hashable]) -> list[float]:
    """Weights of one query that names its cells."""
    given = query if isinstance(query, Mapping) else dict.fromkeys(query, 1.0)
    for name in given:
        if name not in names:
            raise ValueError(f"queries must use names of the cells, but {name!r} is none of them")
    return [given.get(name, 0.0) for name in names]


def _counts(table: Any) -> tuple[NDArray, tuple[Hashable, ...] | None]:
    """Private counts of the cells, and their public names."""
    labels = frames._columns(table)
    names: tuple[Hashable, ...] | None = None
    if labels is not None and len(labels) == 2 and not frames._is_series(table):
        names = tuple(frames.names_of("table", table[labels[0]]))
        table = table[labels[1]]
    elif hasattr(table, "index") and hasattr(table, "to_numpy"):
        names = tuple(table.index)
    read = frames._numbers("table", table)
    if read.ndim != 1 or not len(read):
        raise ValueError("table must have one count for each cell: array (cells,), a series, or a "
                         "frame of two columns, name and count")  # fmt: skip
    if (read < 0).any() or (read % 1).any():
        raise ValueError("table must hold numbers of records: whole, none below 0")
    return read, names


def statistic(data: ArrayLike, params: int) -> Sums:
    """How many of some records lie in each cell. Private.

    Parameters
    ----------
    data : array (m,) or (m, 1) of numbers of cells
    params : int, number of cells

    >>> statistic([0, 2, 2], 3).value(CELLS, (3,)).tolist()
    [1.0, 0.0, 2.0]
    """
    values = np.asarray(data).ravel()
    if not ((values >= 0) & (values < params) & (values % 1 == 0)).all():
        raise ValueError("table must hold numbers of cells: whole, from 0 to the last one")
    counts = np.bincount(values.astype(np.intp), minlength=params)
    return Sums(n=len(values), totals={CELLS: counts.astype(np.int64)})


def _width(queries: Any) -> int:
    """Number of weights of a query; 0 if that cannot be said, which is refused later."""
    try:
        return int(np.asarray(queries).shape[-1])
    except (ValueError, IndexError):
        return 0


def _counted(source: Pieces, cells: int) -> NDArray:
    """Private counts of the cells, from the records."""
    sums = readings.summed(readings.column("table", source), statistic, cells)
    return sums.value(CELLS, (cells,))


def _chosen(
    method: str | None, matrix: NDArray, counts: NDArray, n: int, *, epsilon: float
) -> Mechanism:
    """The method that was asked for, or that of the least proved error."""
    wanted = METHODS if method is None else (checks.choice("method", method, METHODS),)
    k, cells = matrix.shape
    mechanisms = []
    if "histogram" in wanted:
        params = baselines.Params(epsilon=epsilon, l1_distance=MOVED)
        bound = partial(proved, baselines.error_bound_histogram, params, cells=cells, k=k)
        release = partial(_noisy, "noisy", counts, MOVED, "histogram", epsilon=epsilon)
        mechanisms.append(Mechanism(name="histogram", params=params, bound=bound, release=release))
    if "net" in wanted:
        mechanisms += _nets(matrix, counts, n, epsilon=epsilon)
        if not mechanisms and method is not None:
            raise ValueError(
                f"method 'net' lists small databases, which are too many for {cells} cells"
            )
    if "laplace" in wanted and (moved := joint_sensitivity(matrix)):  # a k-th for each answer
        params = baselines.Params(epsilon=epsilon, l1_distance=moved / k)
        bound = partial(proved, baselines.error_bound_laplace, params, k=k)
        release = partial(_noisy_answers, matrix, counts, moved, epsilon=epsilon)
        mechanisms.append(Mechanism(name="laplace", params=params, bound=bound, release=release))
    if not mechanisms:
        raise ValueError("queries must tell cells apart for method 'laplace': these are constant")
    return min(mechanisms, key=lambda mechanism: mechanism.bound(BETA))


def _nets(matrix: NDArray, counts: NDArray, n: int, *, epsilon: float) -> list[Mechanism]:
    """The net mechanism at each number of rows for which few databases are to be listed."""
    rows = [m for m in ROWS if small_databases.count_databases(matrix.shape[1], m) <= LISTED]
    nets = [net_mechanism.Params(epsilon=epsilon, rows=m, total=float(n)) for m in rows]
    return [
        Mechanism(
            name="net",
            params=params,
            bound=partial(proved, net_mechanism.error_bound, params, queries=matrix),
            release=partial(net_mechanism.release, counts, params, queries=matrix),
        )
        for params in nets
    ]


def _noisy(
    name: str, exact: NDArray, moved: float, label: str, curator: Curator, *, epsilon: float
) -> dict[str, Any]:
    """Numbers with Laplace noise, as much as a record can move all of them together."""
    return {name: curator.laplace(exact, sensitivity=moved, epsilon=epsilon, label=label)}


def _noisy_answers(
    matrix: NDArray, counts: NDArray, moved: float, curator: Curator, *, epsilon: float
) -> dict[str, Any]:
    """Noise on how far each answer lies above its least possible value, which is public: what the
    weights have in common would coarsen the last bits of a sum that moves less than these."""
    least = matrix.min(axis=1)
    above = (matrix - least[:, None]) @ counts
    noisy = _noisy("answers", above, moved, "laplace", curator, epsilon=epsilon)
    return {"answers": least * round(counts.sum()) + noisy["answers"]}


def _answers(matrix: NDArray, cells: Any, *, release: Any, **fields: Any) -> LinearAnswers:
    if isinstance(release, net_mechanism.Release):
        values = net_mechanism.answer(release, matrix)
    else:
        values = release["answers"] if "answers" in release else matrix @ release["noisy"]
    return LinearAnswers(**fields, release=release, values=values, cells=cells)
