"""Kernels and functions are in the unit of their box; of another box they are refused."""

import numpy as np
import pytest

from dpviz.papers.smooth_queries import baselines, bounds
from dpviz.papers.smooth_queries.chebyshev import expand
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels, answer_kernels
from dpviz.papers.smooth_queries.release import Params, answer, release

LOWER, UPPER = (10.0, -3.0), (30.0, 1.0)
BOX = {"lower": LOWER, "upper": UPPER}
DATA = np.random.default_rng(0).uniform(LOWER, UPPER, (4000, 2))
PARAMS = Params(d=2, terms=8, epsilon=1e6, **BOX)
CENTRES = np.array([[12.0, 0.5], [20.0, -1.0]])


@pytest.fixture(scope="module")
def released():
    return release(DATA, PARAMS, PARAMS.curator(rng=0))


def exact(width):
    away = ((DATA[:, None] - CENTRES) / width) ** 2
    return np.exp(-away.sum(axis=2) / 2).mean(axis=0)


@pytest.mark.parametrize("width", [(9.0, 2.5), 9.0])
def test_centres_and_widths_are_in_the_unit_of_the_data(released, width):
    queries = GaussianKernels(centres=CENTRES, width=width, **BOX)
    assert queries.mean(DATA) == pytest.approx(exact(width), rel=1e-9)
    most = bounds.error_bound_kernels(PARAMS, n=len(DATA), queries=queries)
    assert (np.abs(answer_kernels(released, queries) - exact(width)) <= most).all()
    assert most.max() < 0.05
    noisy = baselines.release_additive_noise(
        DATA,
        baselines.Params(d=2, epsilon=1e6, **BOX),
        baselines.Params(d=2, epsilon=1e6, **BOX).curator(rng=0),
        queries=queries,
    )
    assert noisy == pytest.approx(exact(width), abs=1e-4)


def test_a_box_s_own_coordinates_say_the_same(released):
    own = GaussianKernels(
        centres=(CENTRES - [20.0, -1.0]) / [10.0, 2.0], width=[0.9, 1.25], lower=-1, upper=1
    )
    same = GaussianKernels(centres=CENTRES, width=[9.0, 2.5], **BOX)
    assert answer_kernels(released, own) == pytest.approx(answer_kernels(released, same), rel=1e-9)
    assert same.unit.centres == pytest.approx(own.centres)


def test_kernels_of_another_box_are_refused(released):
    other = GaussianKernels(centres=CENTRES, width=9.0, lower=(10.0, -3.0), upper=(40.0, 1.0))
    with pytest.raises(ValueError, match="unit of the release"):
        answer_kernels(released, other)
    with pytest.raises(ValueError, match="unit of the release"):
        bounds.error_bound_kernels(PARAMS, n=9, queries=other)
    with pytest.raises(TypeError, match="lower"):
        GaussianKernels(centres=CENTRES, width=9.0)
    with pytest.raises(ValueError, match="entries in the box"):
        GaussianKernels(centres=[[0.2, 0.5]], width=9.0, **BOX)
    with pytest.raises(ValueError, match="width"):
        GaussianKernels(centres=CENTRES, width=[9.0, 0.01], **BOX)
    with pytest.raises(ValueError, match="width"):
        GaussianKernels(centres=CENTRES, width=[9.0, 1.0, 1.0], **BOX)


def test_a_function_is_expanded_in_the_unit_of_the_data(released):
    shape = lambda x: np.sin(x[:, 0] / 10) * x[:, 1]  # noqa: E731
    found = answer(released, expand(shape, 2, 8, **BOX))
    assert found == pytest.approx(shape(DATA).mean(), abs=1e-3)
    with pytest.raises(ValueError, match="unit of the release"):
        answer(released, expand(shape, 2, 8, lower=0, upper=1))
    with pytest.raises(TypeError, match="lower"):
        expand(shape, 2, 8)


def test_a_trial_draws_records_and_kernels_in_the_box_of_its_params():
    found = bounds.trial(Params(d=2, terms=8, epsilon=1e6, **BOX), n=500, k=20, width=0.9, rng=1)
    plain = bounds.trial(
        Params(d=2, terms=8, epsilon=1e6, lower=-1, upper=1), n=500, k=20, width=0.9, rng=1
    )
    assert found["approximation_error"] == pytest.approx(plain["approximation_error"], rel=1e-6)
    assert found["error"] <= found["bound"]
