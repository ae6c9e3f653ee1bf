"""Average distances from any places to the records: one release answers all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.door import frames, payment, readings
from dpviz.door.terms import Result, Terms, settled
from dpviz.papers.distance_queries.releases import average_sign, curves, haar_wavelet
from dpviz.privacy.curator import Curator


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Distances(Result):
    """Answers the average distance from any place, as often as you like."""

    def answer(self, queries: ArrayLike | frames.Frame) -> NDArray:
        """Average distance from each place; array (k,). Free: post-processing.

        Parameters
        ----------
        queries : array (k, d) in the order of ``columns``, or a frame with these columns; names of
            points, where the metric is a finite one
        """
        if isinstance(self.release, curves.Curves):
            return curves.answer(self.release, frames.places("queries", queries, self.columns))
        return _other_metric().answer(self.release, queries, self.terms)


def distances(
    points: ArrayLike | frames.Frame,
    *,
    bounds: frames.Bounds = None,
    epsilon: float | None = None,
    delta: float | None = None,
    metric: Any = "l1",
    outside: str = "clip",
    curator: Curator | None = None,
    seed: int | None = None,
    rng: checks.Seed | None = None,
) -> Distances:
    """How far the records are, on average, from any place. Costs ``epsilon`` and ``delta``.

    In the l1 metric all answers together cost what the noise of one does: with delta the average
    sign function under Gaussian noise (`dpviz.papers.distance_queries.releases.average_sign`),
    without it the Haar wavelet mechanism (module ``haar_wavelet``). The Euclidean metric is
    embedded into l1 by public random projections (`johnson_lindenstrauss`), which distort it; a
    finite metric is answered from a noisy histogram of its points.

    Parameters
    ----------
    points : array (n, d) or a frame; of a finite metric, the name of a point for each record; or
        a source of them (``dpviz.pieces``)
    bounds : pairs (lower, upper), a dict by column, or a frame; what lies outside is clipped. A
        finite metric needs none: its points are public
    epsilon, delta : the cost, pure without delta; without both all that is left of the ``curator``
    metric : "l1", "euclidean", or a public finite metric
        (`dpviz.papers.distance_queries.embeddings.metrics`: ``finite``, ``shortest_paths``)
    seed : of the public projections; None: spawned from ``rng``, or fresh
    outside, curator, rng : as in ``dpviz.mean``

    Raises
    ------
    TypeError, ValueError, BudgetExceeded
        Before anything is paid.

    >>> import dpviz
    >>> homes = [[2.0, 30.0], [3.0, 45.0], [1.0, 28.0]] * 1000  # rooms, square metres
    >>> all_distances = dpviz.distances(homes, bounds=[(0, 9), (0, 200)], epsilon=1, delta=1e-6)
    >>> all_distances.answer([[2.0, 30.0]]).round()  # the truth is 6.3
    array([6.])
    """
    if not isinstance(metric, str) or metric != "l1":
        other = _other_metric()
        how: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "curator": curator, "rng": rng}
        how |= {"outside": outside, "make": Distances}
        return other.distances(points, bounds=bounds, metric=metric, seed=seed, **how)
    read = readings.table("points", points)
    lower, upper = frames.box(bounds, read, outside=outside)
    amount, rare = payment.budget_of(curator, rng, epsilon=epsilon, delta=delta)
    public: dict[str, Any] = {"lower": lower, "upper": upper, "epsilon": amount, "delta": rare}
    params = curves.Params(n=1, d=read.d, **public)
    data = readings.summed(read, curves.statistic, params, curator)
    params = replace(params, n=read.n)
    mechanism = _mechanism(params)
    terms = Terms(
        title=f"average l1 distances over {', '.join(read.columns)}",
        n=read.n,
        epsilon=amount,
        delta=rare,
        columns=read.columns,
        bounds=dict(zip(read.columns, zip(lower, upper, strict=True), strict=True)),
        unit="(unit of the columns), at every place at once",
        params=params,
        bound=partial(_bound, params),
    )
    return settled(
        terms,
        curator,
        rng,
        lambda payer: mechanism.release(data, params, payer),
        Distances,
    )


def _mechanism(params: curves.Params) -> Any:
    """Gaussian noise where there is a delta, else Laplace noise."""
    return average_sign if params.delta else haar_wavelet


def _bound(params: curves.Params, beta: float) -> float:
    """Of all answers at once."""
    return _mechanism(params).error_bound(replace(params, beta=beta))


def _other_metric() -> Any:
    """What answers in other metrics; loaded where it is asked for."""
    from dpviz.door import other_metrics

    return other_metrics
