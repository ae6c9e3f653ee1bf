"""Average distances from any places to the records: one release answers all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.door import frames, payment, readings
from dpviz.door.terms import Mechanism, Result, asked, proved, settled, sides
from dpviz.papers.distance_queries.releases import average_sign, curves, haar_wavelet
from dpviz.privacy.curator import Curator

METRICS = {"l1": "l1", "euclidean": "Euclidean"}


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
        if not self.columns:
            return _other_metrics().answer_names(self.release, queries)
        places = frames.places("queries", queries, self.columns, self.bounds)
        if isinstance(self.release, curves.Curves):
            return curves.answer(self.release, places)
        return _other_metrics().answer(self.release, places.reshape(-1, len(self.columns)))

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Copied and stored like any result, unless the release still reads the records."""
        if hasattr(self.release, "answer_all"):
            raise TypeError("the result holds the records, which it still asks: keep its answers")
        return super().__reduce_ex__(protocol)


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
    without it the Haar wavelet mechanism (module ``haar_wavelet``). Of the other metrics, the
    mechanism whose proved error is less is taken, and the result says which. With delta the
    Euclidean metric is mostly answered under the noise of Levy's field (`negative_type`), which
    distorts nothing: each new place draws its noise, so the result holds the records, cannot be
    stored, and answers at most 4,096 different places. Without delta, or from a source, it is
    embedded into l1 by public random projections (`johnson_lindenstrauss`), which distort it. In
    one column it is the l1 metric. A finite metric is answered from a noisy histogram of its
    points, from noise on all its answers, or, if it is of negative type, there is a delta and the
    records are in memory, by Levy's field.

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
    how: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "curator": curator, "rng": rng}
    if not isinstance(metric, str):
        return _other_metrics().finite(points, metric, Distances, **how)
    checks.choice("metric", metric, tuple(METRICS))
    read, public = asked("points", points, bounds, outside=outside, **how)
    mechanisms = []
    if metric == "euclidean":
        seed = payment.public_seed(seed, rng)
        mechanisms = _other_metrics().euclidean(read, public, curator, seed)
    if metric == "l1" or read.d == 1:
        mechanisms.append(_l1(read, public, curator))
    return settled(
        mechanisms,
        Distances,
        title=f"average {METRICS[metric]} distances over {', '.join(read.columns)}",
        unit="(unit of the columns), at every place at once",
        n=read.n,
        bounds=sides(read, public),
        curator=curator,
        rng=rng,
    )


def _l1(read: frames.Table | readings.Reading, public: dict[str, Any], curator: Any) -> Mechanism:
    """Gaussian noise on the average sign function where there is a delta, else Haar wavelets."""
    params = curves.Params(n=1, d=read.d, **public)
    data = readings.summed(read, curves.statistic, params, curator)
    params = replace(params, n=read.n)
    module: Any = average_sign if params.delta else haar_wavelet
    return Mechanism(
        name="the average sign function" if params.delta else "Haar wavelets",
        params=params,
        bound=partial(proved, module.error_bound, params),
        release=partial(module.release, data, params),
    )


def _other_metrics() -> Any:
    """What answers in other metrics; loaded where it is asked for."""
    from dpviz.door import other_metrics

    return other_metrics
