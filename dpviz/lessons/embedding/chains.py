"""Lesson 04's experiment: the whole chain on the novel, and whose rows a map moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dpviz.lessons.embedding.experiments import appearances, metric_space
from dpviz.papers.distance_queries.baselines import finite_metric
from dpviz.papers.distance_queries.embeddings import any_metric, frechet
from dpviz.papers.distance_queries.embeddings.l1_embedding import Embedding
from dpviz.sweeps.sweep import Sweep, sweep

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
SUBSETS = 16
MAPS = 24
REPEATS = 20
PARTS = {"embedding": "the distortion of the map", "privacy": "the noise of privacy"}


@dataclass(frozen=True, eq=False)
class Chain:
    """The embedding, the release and the answers, for several draws of the map.

    Attributes
    ----------
    params : of each draw, at epsilon 1
    both : over "epsilon", a draw a repeat: fields ``error``, ``embedding``, ``privacy``
    histogram, joint : the baselines over "epsilon": noisy histogram, Gaussian noise on all answers
    constant : largest error of the answer 1/2
    """

    params: Sequence[any_metric.Params]
    both: Sweep
    histogram: Sweep
    joint: Sweep
    constant: float

    @property
    def baselines(self) -> dict[str, Sweep]:
        """Both with the names that they have in the picture."""
        return {"plain histogram": self.histogram, "77 answers at once,\nGauss": self.joint}

    @cached_property
    def worst_pairs(self) -> np.ndarray:
        """Of each draw, how far the worst pair's distance is off."""
        queries = _hops().points
        return np.array([any_metric.error_bound(each, queries=queries)[0] for each in self.params])

    @property
    def bounds(self) -> tuple[np.ndarray, list[float]]:
        """At each epsilon the proved error, a median over draws, and the paper's."""
        proved = np.median(self.both["bound"] + self.worst_pairs, axis=1)
        paper = [any_metric.paper_bound(replace(self.params[0], epsilon=e)) for e in EPSILONS]
        return proved, paper

    @property
    def larger(self) -> str:
        """Which part of the error is larger at epsilon 1, in words."""
        at_one = self.both.select(epsilon=1.0)
        return PARTS[max(PARTS, key=lambda part: float(np.median(at_one[part])))]


def _hops() -> Any:
    """The novel's network, a listed metric."""
    return metric_space("hops").metric


def run(streams: Sequence[np.random.SeedSequence], baselines: Sequence) -> Chain:
    """Figure 2 of the paper on 1,640 appearances and 77 queries, with delta 1e-6.

    Parameters
    ----------
    streams : 2 * ``MAPS`` of them: for the maps, then for their noise
    baselines : two: for the histogram, and for joint noise
    """
    hops = _hops()
    records = appearances()
    size = frechet.Params(metric=hops, queries=hops.points, subsets=SUBSETS)
    params = [params_of(size.draw(rng=stream)) for stream in streams[:MAPS]]
    grid = {"epsilon": list(EPSILONS)}
    runs = []
    for each, stream in zip(params, streams[MAPS:], strict=True):
        known = any_metric.known(records, hops.points, each)
        fixed = {"data": known, "queries": hops.points}
        runs.append(sweep(any_metric.trial, each, grid, repeats=1, rng=stream, fixed=fixed))
    values = {name: np.concatenate([run[name] for run in runs], axis=1) for name in runs[0].values}
    plain = finite_metric.Params(n=len(records), metric=hops, queries=hops.points, epsilon=1.0)
    gauss = replace(plain, delta=1e-6, method="joint")
    histogram, joint = (
        sweep(finite_metric.trial, each, grid, repeats=REPEATS, rng=rng, fixed={"data": records})
        for each, rng in zip((plain, gauss), baselines, strict=True)
    )
    answers = hops.distances(records, hops.points).mean(axis=0)
    both = replace(runs[0], repeats=len(runs), values=values)
    return Chain(params, both, histogram, joint, float(np.abs(answers - 0.5).max()))


def params_of(embedding: Embedding) -> any_metric.Params:
    """The release behind one map of the novel, with the public factor that fits it best."""
    hops = _hops()
    scale = any_metric.fitted_scale(embedding, hops, hops.points, hops.points)
    size = {"n": len(appearances()), "k": len(hops.points), "cells": 256}
    return any_metric.Params(
        metric=hops, embedding=embedding, epsilon=1.0, delta=1e-6, scale=scale, **size
    )


def rows_moved(streams: Sequence[np.random.SeedSequence]) -> Mapping[str, np.ndarray]:
    """Which of 24 rows three maps move if Valjean is replaced by Jondrette; bools (24,) each.

    Parameters
    ----------
    streams : three of them: for the other records, for sets of records, for sets of queries
    """
    hops = _hops()
    valjean, jondrette = hops.codes(["Valjean", "Jondrette"])
    others = np.setdiff1d(appearances(), [valjean, jondrette])
    rest = np.random.default_rng(streams[0]).choice(others, 23, replace=False)
    sizes = {"metric": hops, "subsets": SUBSETS}
    public = frechet.Params(queries=hops.points, **sizes).draw(rng=streams[2])

    def fitted(records: np.ndarray) -> np.ndarray:
        own = frechet.Params(metric=hops, queries=records).draw(rng=streams[1])
        return own.map(records)

    def rescaled(records: np.ndarray) -> np.ndarray:
        rows = public.map(records)
        return rows / rows.max(axis=0).clip(1e-9)

    maps = {
        "subsets of the queries": public.map,
        "subsets of the records": fitted,
        "divided by the records' largest": rescaled,
    }
    before, after = np.append(rest, valjean), np.append(rest, jondrette)
    return {name: (make(before) != make(after)).any(axis=1) for name, make in maps.items()}
