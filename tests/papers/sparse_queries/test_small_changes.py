"""What a small change of one line would break and no other test would see."""

import numpy as np

from dpviz.papers.sparse_queries.plan import Params, rule_of_thumb
from dpviz.papers.sparse_queries.queries import Batch, Query
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import (
    SparseWeights,
    count_updates,
    paper_size,
)


def test_answers_that_the_first_guess_has_need_no_update():
    """Even weights give a query of one name 1 / size and one of two names twice that."""
    batch, alpha = Batch([Query(["a"]), Query(["b", "c"])]), 0.4
    guess = SparseWeights(paper_size(batch.width, alpha), alpha=alpha, update_rule="best")
    first = np.array([guess.hypothesis.evaluate(query) for query in batch])
    how = {"alpha": alpha, "update_rule": "best", "order": "greedy", "rng": 0}
    assert count_updates(batch, first / 2 + alpha, **how)["updates"] == 0
    assert count_updates(batch, 2 * first + alpha, **how)["updates"] > 0


def test_few_records_get_two_updates():
    assert rule_of_thumb(Params(epsilon=1.0, m=1, k=10), 20).updates == 2
