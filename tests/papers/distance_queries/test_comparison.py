"""All methods in one trial: what is given stands in place of what would be drawn."""

import numpy as np

from dpviz.papers.distance_queries.baselines.comparison import METHODS, Params, trial
from dpviz.papers.distance_queries.learner import average_distance


def test_given_records_and_queries_stand_for_drawn_ones():
    """The drawn ones, drawn before the call from the same stream, give the same errors."""
    params, rng = Params(n=300, d=2, k=20), np.random.default_rng(5)
    data = average_distance.mixture(300, 2, rng=rng)
    queries = rng.uniform(size=(20, 2))
    given = trial(params, data, queries, rng=rng)
    assert given == trial(params, rng=np.random.default_rng(5))
    assert set(given) == {"constant", *(f"{method} 1" for method in METHODS)}
