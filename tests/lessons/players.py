"""Every player of the lessons, of a small honest run, and the states that are looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dpviz.instruments.player import Player
from dpviz.lessons import (
    cluster,
    compare,
    distance,
    embedding,
    fat_shattering,
    learner,
    privacy,
    smooth,
    sparse,
    start,
)
from dpviz.lessons.fat_shattering import experiments
from dpviz.papers.distance_queries.learner import mistake_bounds
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance, mixture
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.papers.fat_shattering import linear_reconstruction
from dpviz.papers.small_cluster import one_cluster
from dpviz.papers.small_cluster.planted import plant
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.papers.smooth_queries.release import Params, release
from dpviz.papers.sparse_queries import online, plan
from dpviz.papers.sparse_queries.queries import Query

WORDS = ["the", "cat", "sat", "on", "a", "mat", "dog"]


def _learner() -> Player:
    column = mixture(400, 1, rng=0)[:, 0]
    params = mistake_bounds.Params(alpha=0.02, k=40)
    tangents, run = mistake_bounds.learn_column(params, column, rng=1)
    return learner.play_learner(AverageDistance(column), run, tangents.lines, params.alpha)


def _distance() -> Player:
    params = l1.Params(n=20_000, d=1, k=10_000, epsilon=1, delta=1e-6, lower=0, upper=1)
    column = mixture(params.n, 1, rng=0)
    run = l1.Interactive(column, params, params.curator(rng=0), record=True, trace=True)
    for place in np.random.default_rng(1).uniform(size=40):
        run.answer(float(place))
    return distance.play_distance(run)


def _sparse() -> Player:
    shares = [0.4, 0.1, 0.1, 0.1, 0.2, 0.05, 0.05]
    words = np.random.default_rng(0).choice(WORDS, 50_000, p=shares).tolist()
    lists = [Query(each.split()) for each in ["the a", "cat dog", "sat", "the on", "mat"] * 4]
    params = plan.rule_of_thumb(plan.Params(epsilon=1, m=2, k=1000), len(words))
    run = online.InteractiveSparse(words, params, params.curator(rng=0), vocabulary=WORDS)
    return sparse.play_sparse_weights(run, words, lists)


def _smooth() -> Player:
    data = np.random.default_rng(0).uniform(-1, 1, (300, 1))
    params = Params(d=1, terms=7, epsilon=1, lower=-1, upper=1)
    released = [release(data, params, params.curator(rng=seed)) for seed in range(4)]
    query = GaussianKernels(centres=[[0.2]], width=0.5, lower=-1, upper=1)
    return smooth.play_terms(query, data, released)


def _cluster() -> Player:
    params = one_cluster.Params(t=900, d=2, epsilon=1, delta=1e-6, lower=0, upper=1)
    return cluster.play_cluster(plant(3000, params.t, params.d, rng=3), params, rng=1)


def _reconstruction() -> Player:
    params = linear_reconstruction.Params(noise=0.2)
    bits, _, published = linear_reconstruction.attack(params, experiments.patients(), rng=3)
    return fat_shattering.play_reconstruction(published, bits)


PLAYERS: dict[str, Callable[[], Player]] = {
    "start.play_publication": start.play_publication,
    "privacy.play_guesses": privacy.play_guesses,
    "privacy.play_threshold": privacy.play_threshold,
    "learner.play_learner": _learner,
    "distance.play_distance": _distance,
    "embedding.play_frechet": embedding.play_frechet,
    "sparse.play_sparse_weights": _sparse,
    "smooth.play_terms": _smooth,
    "cluster.play_cluster": _cluster,
    "fat_shattering.play_reconstruction": _reconstruction,
    "compare.play_draws": compare.play_draws,
    "compare.play_month": compare.play_month,
}


def looked_at(player: Player) -> Iterator[tuple[int, Any]]:
    """Number and state: the first, the second, the middle, that of the start, the last."""
    last = len(player.trace) - 1
    for i in sorted({0, min(1, last), last // 2, player.position, last}):
        yield i, player.trace[i]
