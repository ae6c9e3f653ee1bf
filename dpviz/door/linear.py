"""Linear queries about a table of counts: all of them from one release."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.door import frames, payment, readings
from dpviz.door.sources import Pieces
from dpviz.door.terms import Answers, Terms, settled
from dpviz.papers.fat_shattering import baselines, net_mechanism, small_databases
from dpviz.privacy.curator import Curator
from dpviz.privacy.ledger import Ledger
from dpviz.privacy.pieces import Sums

METHODS = ("histogram", "net", "laplace")
CELLS = "records by cell"
ROWS = (1, 2, 3, 4, 6, 8, 12, 16)  # of a small database, that are tried
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
        if self.release.get("noisy") is None:
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
    chosen, params = _chosen(method, matrix, n, epsilon=amount)
    terms = Terms(
        title=f"{len(matrix)} linear queries on {len(counts)} cells, by {chosen}",
        n=n,
        epsilon=amount,
        delta=0.0,
        unit="records, all queries together",
        params=params,
        bound=partial(_bound, chosen, params, matrix),
    )
    spend = partial(_release, counts, chosen, params, matrix)
    return settled(terms, curator, rng, spend, partial(_made, matrix, cells))


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


def _chosen(method: str | None, matrix: NDArray, n: int, *, epsilon: float) -> tuple[str, Any]:
    """Name and Params of the method, by the proved error if none is asked for."""
    wanted = METHODS if method is None else (checks.choice("method", method, METHODS),)
    tried: dict[str, Any] = {}
    for name in wanted:
        if name == "net":
            tried |= _net(matrix, n, epsilon=epsilon, asked=method is not None)
        elif name == "histogram":  # a replaced record moves two cells
            tried[name] = baselines.Params(epsilon=epsilon, l1_distance=2.0)
        elif moved := joint_sensitivity(matrix):  # a k-th of it for each answer
            each = moved / len(matrix)
            tried[name] = baselines.Params(epsilon=epsilon, l1_distance=each)
    if not tried:
        raise ValueError("queries must tell cells apart for method 'laplace': these are constant")
    best = min(tried, key=lambda name: _bound(name, tried[name], matrix, 0.05))
    return best, tried[best]


def _net(matrix: NDArray, n: int, *, epsilon: float, asked: bool) -> dict[str, Any]:
    """The net mechanism at its best number of rows; nothing if there are too many databases."""
    cells = matrix.shape[1]
    rows = [m for m in ROWS if small_databases.count_databases(cells, m) <= LISTED]
    if not rows and asked:
        raise ValueError(
            f"method 'net' lists small databases, which are too many for {cells} cells"
        )
    tried = [net_mechanism.Params(epsilon=epsilon, rows=m, total=float(n)) for m in rows]
    return {"net": min(tried, key=lambda p: _bound("net", p, matrix, 0.05))} if tried else {}


def _bound(method: str, params: Any, matrix: NDArray, beta: float) -> float:
    """Proved for all queries at once, in records."""
    params = replace(params, beta=beta)
    if method == "net":
        return net_mechanism.error_bound(params, queries=matrix)
    if method == "laplace":
        return baselines.error_bound_laplace(params, k=len(matrix))
    return baselines.error_bound_histogram(params, cells=matrix.shape[1], k=len(matrix))


def _release(counts: NDArray, method: str, params: Any, matrix: NDArray, curator: Curator) -> Any:
    if method == "net":
        return net_mechanism.release(counts, params, curator, queries=matrix)
    cost: dict[str, Any] = {"epsilon": params.epsilon, "label": method}
    if method == "laplace":
        moved = joint_sensitivity(matrix)
        return {"answers": curator.laplace(matrix @ counts, sensitivity=moved, **cost)}
    return {"noisy": curator.laplace(counts, sensitivity=params.l1_distance, **cost)}


def _made(
    matrix: NDArray, cells: Any, *, terms: Terms, release: Any, ledger: Ledger
) -> LinearAnswers:
    if isinstance(release, net_mechanism.Release):
        values = net_mechanism.answer(release, matrix)
    else:
        values = release["answers"] if "answers" in release else matrix @ release["noisy"]
    return LinearAnswers(terms=terms, release=release, ledger=ledger, values=values, cells=cells)
