"""p-stable maps: the law, the exact mean of bounded features, the failure of the plain average."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import cdist

from dpviz.papers.distance_queries.embeddings.johnson_lindenstrauss import Params as GaussianParams
from dpviz.papers.distance_queries.embeddings.johnson_lindenstrauss import (
    error_bound as gaussian_bound,
)
from dpviz.papers.distance_queries.embeddings.l1_embedding import distances
from dpviz.papers.distance_queries.embeddings.p_stable import (
    Params,
    _log_stable,
    _mean_size,
    error_bound,
    importance_sampled_rows,
    trial,
)
from dpviz.sweeps import slope

POWERS = [1.001, 1.01, 1.1, 1.5, 1.9, 2.0]


@pytest.mark.parametrize("p", POWERS)
def test_the_draws_have_the_stable_law(p):
    """E cos(t S) = exp(-|t|^p) at three t: five standard errors of 200,000 draws."""
    logs, signs = _log_stable(p, (200_000,), rng=np.random.default_rng(1))
    draws = signs * np.exp(np.minimum(logs, 700))
    for t in (0.3, 1.0, 2.0):
        cosines = np.cos(t * draws)
        error = cosines.mean() - math.exp(-(t**p))
        assert abs(error) <= 5 * cosines.std() / math.sqrt(200_000)


@pytest.mark.parametrize("p", [1.2, 1.5, 1.8, 2.0])
def test_size_biased_draws_are_weighted_draws(p):
    """P(S <= t) under |s| f(s) / E|S|, by weighting plain draws cut at |s| <= 20."""
    rng = np.random.default_rng(2)
    sized = np.exp(_log_stable(p, (400_000,), rng=rng, sized=True)[0])
    plain = np.exp(np.minimum(_log_stable(p, (400_000,), rng=rng)[0], 700))
    for t in (0.5, 2.0, 20.0):
        weighted = np.where(plain <= t, plain, 0) / _mean_size(p)
        expected, error = weighted.mean(), 5 * weighted.std() / math.sqrt(400_000)
        assert abs((sized <= t).mean() - expected) <= error + 5 * 0.5 / math.sqrt(400_000)


@pytest.mark.parametrize("p", POWERS)
def test_bounded_features_give_the_norm_exactly_on_average(p):
    """Five standard errors of 200,000 features, for a sparse and a full vector."""
    theta = importance_sampled_rows(p, (200_000, 4), rng=np.random.default_rng(3))
    assert np.abs(np.abs(theta).sum(axis=1) - 1).max() <= 1e-12
    for u in ([1, 0, 0, 0], [1, 0.5, -0.3, 0.1], [1, 1, 1, 1]):
        sizes = 4 * np.abs(theta @ np.array(u))
        expected = np.linalg.norm(u, p)
        assert abs(sizes.mean() - expected) <= 5 * sizes.std() / math.sqrt(200_000)
        assert sizes.max() <= 4 * np.abs(u).max() + 1e-12


@pytest.mark.parametrize("p", [1.0001, 1.001])
def test_the_sampler_is_stable_near_p_1(p):
    """As p falls to 1 the map becomes the identity's: one entry takes nearly all of each row."""
    theta = np.abs(importance_sampled_rows(p, (2000, 5), rng=np.random.default_rng(4)))
    assert np.isfinite(theta).all()
    assert np.median(theta.max(axis=1)) > 0.98
    assert np.bincount(theta.argmax(axis=1), minlength=5).min() > 2000 / 5 - 5 * 18


def test_every_coordinate_of_the_bounded_map_has_the_same_width():
    embedding = Params(d=7, target=50, p=1.3, lower=0, upper=1).draw(rng=0)
    assert embedding.upper - embedding.lower == pytest.approx(np.full(50, 7 / 50), abs=1e-12)


@pytest.mark.parametrize(("p", "d"), [(1.1, 3), (1.5, 3), (2.0, 3), (1.1, 1)])
def test_the_proved_error_holds_and_is_guarded(p, d):
    """At most 25 of 200 runs beyond it: more has probability < 1e-4 at beta = 0.05.

    Statements: HR Section 4.2 (l_p).
    """
    rng = np.random.default_rng(5)
    data, queries = rng.uniform(size=(1, d)), rng.uniform(size=(30, d))
    params = Params(d=d, target=300, p=p, lower=0, upper=1)
    true = cdist(data, queries, "minkowski", p=p)[0]
    bound, worst = error_bound(params, k=30), []
    for seed in range(200):
        found = distances(params.draw(rng=seed), data, queries)[0]
        worst.append(np.abs(found / true - 1).max())
    assert stats.binom.sf(25, 200, 0.05) < 1e-4
    assert (np.array(worst) > bound + 1e-12).sum() <= 25
    assert bound <= 3.5 * np.quantile(worst, 0.95)  # the variance is d - 1 at most, often 1


def test_the_bound_of_the_plain_average_is_infinite_but_for_p_2():
    assert (
        error_bound(Params(d=5, target=100, p=1.9, method="plain", lower=0, upper=1), k=3)
        == math.inf
    )
    plain = error_bound(Params(d=5, target=100, p=2.0, method="plain", lower=0, upper=1), k=3)
    assert plain == gaussian_bound(GaussianParams(d=5, target=100, lower=0, upper=1), k=3)


def test_the_plain_average_creeps_and_the_bounded_one_does_not():
    """The remark after Theorem 10: error of one distance against l', p = 1.25.

    Plain: exponent -(1 - 1/p) = -0.2, so halving the error takes 32 times the dimensions.
    Bounded: -0.5. The two 95 % intervals lie on either side of -0.35.

    Statements: HR Section 4.2 (l_p).
    """
    targets, errors = [100, 400, 1600, 6400], {"plain": [], "importance-sampled": []}
    u = np.array([[0.9, 0.2, 0.4, 0.1]])
    for method in errors:
        for target in targets:
            params = Params(d=4, target=target, p=1.25, method=method, lower=0, upper=1)
            sizes = [np.abs(params.draw(rng=seed).matrix @ u[0]).sum() for seed in range(100)]
            errors[method].append(np.abs(np.array(sizes) / np.linalg.norm(u[0], 1.25) - 1))
    fits = {method: slope.fit(targets, np.array(errors[method]), rng=1) for method in errors}
    assert fits["importance-sampled"].low <= -0.5 <= fits["importance-sampled"].high
    assert fits["importance-sampled"].high < -0.35 < fits["plain"].low


@pytest.mark.parametrize(
    ("p", "plain_at_least", "bounded_at_most"),
    [(1.1, 1.4, 1.2), (1.25, 1.3, 1.2), (1.5, 1.12, 1.17), (1.75, 1.05, 1.17)],
)
def test_distortion_at_4000_coordinates(p, plain_at_least, bounded_at_most):
    """d = 10: at p = 1.1 the textbook map distorts by 1.8 to 4, the bounded one by 1.1."""
    rng = np.random.default_rng(0)
    data, queries = rng.uniform(size=(300, 10)), rng.uniform(size=(40, 10))
    found = {
        method: [
            trial(
                Params(d=10, target=4000, p=p, method=method, lower=0, upper=1),
                data,
                queries,
                rng=seed,
            )
            for seed in range(3)
        ]
        for method in ("plain", "importance-sampled")
    }
    assert np.mean([run["distortion"] for run in found["plain"]]) >= plain_at_least
    for run in found["importance-sampled"]:
        assert run["distortion"] <= bounded_at_most
        assert abs(run["median"] - 1) <= 0.03
        assert run["error"] <= run["bound"]


def test_at_p_2_both_kinds_are_as_good():
    rng = np.random.default_rng(0)
    data, queries = rng.uniform(size=(300, 10)), rng.uniform(size=(40, 10))
    for method in ("plain", "importance-sampled"):
        found = trial(
            Params(d=10, target=4000, p=2.0, method=method, lower=0, upper=1), data, queries, rng=1
        )
        assert found["distortion"] <= 1.15


@pytest.mark.parametrize("p", [1.0, 0.5, 2.1, np.nan])
def test_p_outside_1_2_is_refused(p):
    with pytest.raises(ValueError, match="p must be a"):
        Params(d=3, target=5, p=p, lower=0, upper=1)


def test_other_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="method must be one of 'importance-sampled', 'plain'"):
        Params(d=3, target=5, p=1.5, method="median", lower=0, upper=1)
    with pytest.raises(TypeError, match="p must be a number"):
        Params(d=3, target=5, p="1.5", lower=0, upper=1)
