"""Lemma 6: false for the printed potential, true for the mended one."""

import math
from itertools import pairwise

import numpy as np
import pytest

from dpviz.papers.sparse_queries import potential
from dpviz.papers.sparse_queries.indexed_weights import Slots
from dpviz.papers.sparse_queries.queries import Query


def test_erratum_the_printed_potential_rises():
    """437 updates, 129 of them lower a guess, and each of these breaks alpha^2 / 4."""
    run = potential.trial(alpha=0.1)
    assert (run["updates"], run["lowered"]) == (437, 129)
    assert run["printed"] == pytest.approx(-0.00318, abs=5e-6)
    states = potential.trace(alpha=0.1)
    falls = [a[1] - b[1] for a, b in pairwise(states) if b[0] < 0]
    assert len(falls) == 129
    assert max(falls) < 0.1**2 / 4


def test_the_mended_potential_falls_as_proved_and_tightly():
    """15/32 alpha^2 = 0.0046875; the least fall is within half a percent of it."""
    run = potential.trial(alpha=0.1)
    assert 15 / 32 * 0.01 <= run["mended"] < 1.005 * 15 / 32 * 0.01
    assert run["updates"] <= run["bound"]


def test_where_all_records_are_asked_about_the_two_agree():
    slots, shares = Slots(50), {"a": 0.25, "b": 0.75}
    slots.update(Query(["a"]), 0.7)
    printed, mended = potential.both(slots, shares)
    assert printed == mended


def test_erratum_never_negative_and_at_least_minus_one_over_e_are_two_claims():
    """1/e of the records are "a", which has gained nearly all the weight."""
    slots, share = Slots(10**6), 1 / math.e
    slots.update(Query(["a"]), 40.0)
    printed, mended = potential.both(slots, {"a": share})
    assert printed < 0
    assert printed == pytest.approx(-1 / math.e, abs=1e-6)
    assert mended > 0


def test_it_is_the_divergence_written_out():
    rng, slots = np.random.default_rng(0), Slots(8)
    slots.update(Query(["a", "b"], [1, 0.5]), 0.9)
    slots.update(Query(["c"]), -0.4)
    shares = dict(zip("abc", rng.dirichlet(np.ones(4))[:3].tolist(), strict=True))
    q = [slots.value(name) for name in "abc"]
    p = list(shares.values())
    spare = 1 - sum(p)
    full = sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))
    assert potential.both(slots, shares)[0] == pytest.approx(full)
    full += spare * math.log(spare / slots.level)
    assert potential.both(slots, shares)[1] == pytest.approx(full)


def test_a_full_structure_has_no_place_for_the_rest():
    slots = Slots(1)
    slots.add(["a"])
    with pytest.raises(ValueError, match="one free slot"):
        potential.both(slots, {"a": 0.5})
