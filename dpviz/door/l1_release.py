"""The l1 metric: which release of the distance paper answers it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from dpviz.door import frames, readings
from dpviz.door.terms import Mechanism
from dpviz.papers.distance_queries.releases import average_sign, curves, haar_wavelet


def l1_mechanism(
    read: frames.Table | readings.Reading, public: dict[str, Any], curator: Any = None
) -> Mechanism:
    """Gaussian noise on the average sign function where there is a delta, else Haar wavelets.

    >>> public = {"lower": (0.0,), "upper": (9.0,), "epsilon": 1.0, "delta": 0.0}
    >>> l1_mechanism(frames.table("points", [1.0, 2.0]), public).name
    'Haar wavelets'
    """
    params = curves.Params(n=1, d=read.d, **public)
    data = readings.summed(read, curves.statistic, params, curator)
    params = replace(params, n=read.n)
    return Mechanism(
        name="the average sign function" if params.delta else "Haar wavelets",
        params=params,
        bound=partial(_bound, params),
        release=partial(_module(params).release, data, params),
    )


def _module(params: curves.Params) -> Any:
    """Gaussian noise where there is a delta, else Laplace noise."""
    return average_sign if params.delta else haar_wavelet


def _bound(params: curves.Params, beta: float) -> float:
    """Of all answers at once."""
    return _module(params).error_bound(replace(params, beta=beta))
