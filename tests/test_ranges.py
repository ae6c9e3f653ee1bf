"""Public arguments out of their range are refused by name, where no mechanism asks for them."""

from types import SimpleNamespace

import pytest

from dpviz.papers.distance_queries.embeddings.l1_embedding import check_embedding
from dpviz.papers.fat_shattering import classes, net_mechanism, reconstruction
from dpviz.papers.small_cluster import one_cluster

PUBLIC = {"epsilon": 1.0, "delta": 1e-6, "lower": 0, "upper": 1}
CROSSED = SimpleNamespace(map=lambda x: x, lower=(0.0, 1.0), upper=(1.0, 0.0), oblivious=True)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: classes.thresholds(0), "cells must be a whole number, at least 1"),
        (lambda: reconstruction.shattering_class([0.9], 0.25), "witness must lie between"),
        (lambda: reconstruction.shattering_class([0.1], 0.25), "witness must lie between"),
        (lambda: one_cluster.Params(t=50, d=2, outside="drop", **PUBLIC), "outside must be"),
        (lambda: check_embedding(CROSSED), "lower and upper of one length, in order"),
        (
            lambda: net_mechanism.relative_size(
                net_mechanism.Params(epsilon=1.0, rows=4), eta=0.2, best_error=-0.1, cells=2
            ),
            "best_error must be a number with 0 <= best_error",
        ),
    ],
)
def test_what_is_out_of_range_is_refused_by_name(ask, said):
    with pytest.raises(ValueError, match=said):
        ask()
