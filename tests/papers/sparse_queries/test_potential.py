"""Lemma 6: false for the potential as stated, true for the corrected one."""

import math
from itertools import pairwise

import numpy as np
import pytest

from dpviz.papers.sparse_queries.indexed_weights import IndexedWeights
from dpviz.papers.sparse_queries.queries import Query
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import (
    counterexample,
    potential_trace,
    potentials,
)


def test_erratum_the_stated_potential_rises():
    """437 updates, 129 of them lower a guess, and each of these breaks alpha^2 / 4.

    Statements: L13 Lemma 6.
    """
    run = counterexample(alpha=0.1)
    assert (run["updates"], run["lowered"]) == (437, 129)
    assert run["stated"] == pytest.approx(-0.00318, abs=5e-6)
    states = potential_trace(alpha=0.1)
    falls = [a[1] - b[1] for a, b in pairwise(states) if b[0] < 0]
    assert len(falls) == 129
    assert max(falls) < 0.1**2 / 4


def test_the_corrected_potential_falls_as_proved_and_tightly():
    """15/32 alpha^2 = 0.0046875; the least fall is within half a percent of it.

    Statements: L13 Lemma 6.
    """
    run = counterexample(alpha=0.1)
    assert 15 / 32 * 0.01 <= run["corrected"] < 1.005 * 15 / 32 * 0.01
    assert run["updates"] <= run["bound"]


def test_where_all_records_are_asked_about_the_two_agree():
    hypothesis, shares = IndexedWeights(50), {"a": 0.25, "b": 0.75}
    hypothesis.update(Query(["a"]), 0.7)
    stated, corrected = potentials(hypothesis, shares)
    assert stated == corrected


def test_erratum_never_negative_and_at_least_minus_one_over_e_are_two_claims():
    """1/e of the records are "a", which has gained nearly all the weight.

    Statements: L13 Lemma 5.
    """
    hypothesis, share = IndexedWeights(10**6), 1 / math.e
    hypothesis.update(Query(["a"]), 40.0)
    stated, corrected = potentials(hypothesis, {"a": share})
    assert stated < 0
    assert stated == pytest.approx(-1 / math.e, abs=1e-6)
    assert corrected > 0


def test_it_is_the_divergence_written_out():
    """Statements: L13 Section 2 (potential)."""
    rng, hypothesis = np.random.default_rng(0), IndexedWeights(8)
    hypothesis.update(Query(["a", "b"], [1, 0.5]), 0.9)
    hypothesis.update(Query(["c"]), -0.4)
    shares = dict(zip("abc", rng.dirichlet(np.ones(4))[:3].tolist(), strict=True))
    q = [hypothesis.value(name) for name in "abc"]
    p = list(shares.values())
    rest = 1 - sum(p)
    full = sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))
    assert potentials(hypothesis, shares)[0] == pytest.approx(full)
    full += rest * math.log(rest / hypothesis.untouched_weight)
    assert potentials(hypothesis, shares)[1] == pytest.approx(full)


def test_a_full_structure_has_no_place_for_the_rest():
    hypothesis = IndexedWeights(1)
    hypothesis.add(["a"])
    with pytest.raises(ValueError, match="a free index"):
        potentials(hypothesis, {"a": 0.5})
