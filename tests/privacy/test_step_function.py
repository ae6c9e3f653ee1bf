"""Step functions stand for the vector of their scores, with every verb that takes them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from dpviz.audit.transcript import movement
from dpviz.privacy.curator import Curator
from dpviz.privacy.exponential_mechanism import StepFunction


@st.composite
def step_functions(draw, size=30):
    """A step function on ``size`` places, with ties, and the vector it stands for."""
    starts = [0, *sorted(draw(st.sets(st.integers(1, size - 1))))]
    values = [draw(st.integers(-3, 3)) / 2 for _ in starts]
    steps = StepFunction(starts, values, size)
    return steps, np.repeat(steps.values, steps.lengths)


@given(step_functions(), step_functions(), st.integers(0, 28), st.integers(1, 30))
def test_every_operation_is_that_of_the_vector(one, other, begin, length):
    (steps, vector), (more, moved) = one, other
    end = min(30, begin + length)
    all_of = lambda s: s.at(np.arange(s.size)).tolist()  # noqa: E731
    assert all_of(steps) == vector.tolist()
    assert all_of(steps.between(begin, end)) == vector[begin:end].tolist()
    assert all_of(steps.then(more)) == [*vector, *moved]
    best = int(np.argmax(vector))
    assert steps.highest() == (best, vector[best] - np.delete(vector, best).max())
    assert movement(steps, more, "max") == np.abs(vector - moved).max()
    assert movement(steps, more.between(0, 29), "max") == np.inf


@given(step_functions(), st.integers(0, 10**6))
def test_the_stable_choice_draws_as_on_the_vector(pair, seed):
    ask = {"epsilon": 4.0, "delta": 0.3, "label": "best"}
    one, other = (Curator(epsilon=4.0, delta=0.3, rng=seed) for _ in range(2))
    assert one.stable_choice(pair[0], **ask) == other.stable_choice(pair[1], **ask)


def test_choices_have_the_law_of_the_exponential_mechanism_on_the_vector():
    """8 places, 5,000 draws, each count within its binomial quantiles; alarms below 1e-6."""
    steps, runs = StepFunction([0, 1, 4, 6], [0.0, 1.0, -1.0, 0.5], 8), 5_000
    weights = np.exp(np.repeat(steps.values, steps.lengths) * 2 / 2)
    curator = Curator(epsilon=2.0 * runs * (1 + 1e-9), rng=0)
    ask = {"sensitivity": 1, "epsilon": 2.0, "label": "place"}
    found = np.bincount([curator.choose(steps, **ask) for _ in range(runs)], minlength=8)
    law = binom(runs, weights / weights.sum())
    assert (law.ppf(1e-7 / 2) <= found).all() and (found <= law.isf(1e-7 / 2)).all()


@pytest.mark.parametrize(
    ("starts", "values", "size", "word"),
    [
        ([1], [0.0], 5, "starts"),
        ([0, 5], [0.0, 1.0], 5, "starts"),
        ([0, 2, 2], [0.0, 1.0, 2.0], 5, "starts"),
        ([0, 0.5], [0.0, 1.0], 5, "starts"),
        ([], [], 5, "starts"),
        ([0], [0.0, 1.0], 5, "equal length"),
        ([0], [np.nan], 5, "values"),
        ([0], [0.0], 0, "size"),
        ([0], [0.0], 2**54, "size"),
    ],
)
def test_what_is_no_step_function_is_refused(starts, values, size, word):
    with pytest.raises(ValueError, match=word):
        StepFunction(starts, values, size)
