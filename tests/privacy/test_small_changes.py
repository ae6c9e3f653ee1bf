"""What a small change of one line would break and no other test would see."""

import math

import numpy as np
import pytest

from dpviz.privacy.curator import Curator
from dpviz.privacy.exponential_mechanism import StepFunction
from dpviz.privacy.ledger import Cost


def test_nobody_writes_into_a_step_function():
    scores = StepFunction([0, 3], [1.0, 2.0], 5)
    for array in (scores.starts, scores.values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_walk_weighs_scores_as_the_exponential_mechanism_does():
    """Two states, and each move proposes the other: the limit is known, and 30 steps reach it.

    After each step the distance to the limit shrinks by exp(-1); the share of 3,000 walks is
    more than 4.9 standard deviations off with a probability of one in a million.
    """
    runs, epsilon, sensitivity = 3000, 4.0, 2.0
    factor = epsilon / (2 * sensitivity)
    law = 1 / (1 + math.exp(factor))
    ends = [
        Curator(epsilon=epsilon, delta=0.5, rng=seed).choose_metropolis(
            lambda state: -float(state),
            0,
            lambda state, rng: (1 - state, 0.0),
            steps=30,
            sensitivity=sensitivity,
            epsilon=epsilon,
            distance=0.0,
            label="walk",
        )
        for seed in range(runs)
    ]
    assert abs(np.mean(ends) - law) < 4.9 * math.sqrt(law * (1 - law) / runs)


def test_a_curator_that_composes_by_zcdp_has_no_part_that_converts_to_it():
    curator = Curator(rho=1.0, delta=0.5, rng=0)
    with pytest.raises(ValueError, match="needs a 'basic' curator, not a 'zcdp' one"):
        curator.sub_curator_zcdp(epsilon=0.1, delta=1e-6, label="part")
    assert not curator.ledger.charges


@pytest.mark.parametrize(
    ("budget", "cost"),
    [
        ({"rho": 1.0, "delta": 0.5}, {"rho": 0.3, "delta": 0.1}),
        ({"epsilon": 1.0, "delta": 0.5}, {"epsilon": 0.3, "delta": 0.1}),
    ],
)
def test_a_heavy_cell_costs_what_it_was_given(budget, cost):
    curator = Curator(**budget, rng=0)
    curator.heaviest_cell(["a", "a", "b"], label="names", **cost)
    assert curator.ledger.spent == Cost(**cost)
