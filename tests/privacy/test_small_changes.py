"""What a small change of one line would break and no other test would see."""

import math

import numpy as np
import pytest

from dpviz.privacy.curator import Curator
from dpviz.privacy.exponential_mechanism import StepFunction


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
