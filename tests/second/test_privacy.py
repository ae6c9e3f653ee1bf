"""The curator's rooms: accuracy statements and tails a second time."""

import math

import numpy as np
import pytest

from dpviz.privacy import noise_laws, sparse_vector
from dpviz.privacy.curator import Curator
from dpviz.privacy.multiplicative_weights import Weights
from second import laws, second

ROOMS = ("privacy",)
WITHOUT = {
    "privacy.sparse_vector.Threshold.noise": "the noise that was drawn, told to pictures: no bound",
}


@second("privacy.sparse_vector.threshold_accuracy")
@pytest.mark.parametrize(("checks", "runs"), [(1, 1), (10_000, 1), (30, 8), (10, 200)])
@pytest.mark.parametrize("beta", [0.05, 0.5])
def test_no_check_is_off_by_more(checks, runs, beta):
    """Scales from the threshold itself; the exact tail of a check, integrated over M.

    M is the largest of the runs' threshold noises in size. All checks together have beta: the mean
    over M of P(|v - M| > s), a check at a time, is .59 to .99 of it here, since cosh stands for
    that tail beyond s; with cosh it is beta exactly.
    """
    curator = Curator(epsilon=10.0, rng=0)
    threshold = curator.above_threshold(0.0, sensitivity=1.0, epsilon=1.0, label="x")
    b1, b2 = threshold.threshold_scale, threshold.value_scale
    s = float(sparse_vector.threshold_accuracy(checks=checks, runs=runs, beta=beta))

    assert 0.55 * beta <= checks * laws.misjudged(s, b1, b2, runs) <= beta
    assert checks * laws.misjudged_at_most(s, b1, b2, runs) == pytest.approx(beta, rel=1e-5)


@second("privacy.multiplicative_weights.Weights.mistake_bound")
@pytest.mark.parametrize("alpha", [0.02, 0.1])
def test_dense_weights_fall_by_more_than_is_counted(alpha):
    """An update at a gap of alpha lowers the divergence by 15/32 alpha^2 at least, at a half.

    The proof counts 1/4 (e^x <= 1 + x + x^2 in the place of Hoeffding's lemma): 15/8 of what
    is needed, on both sides guarded, so that no factor is lost unseen.
    """
    eta, guesses = alpha / 2, np.linspace(0.001, 0.999 - alpha, 2001)
    falls = eta * (guesses + alpha) - np.log1p(guesses * np.expm1(eta))
    needed = math.log(10**4) / falls.min()
    assert Weights(10**4, alpha=alpha).mistake_bound == pytest.approx(15 / 8 * needed, rel=0.01)
    learner, query = Weights(2, alpha=alpha), np.array([1.0, 0.0])
    learner.update(query, 1.0)
    truth = np.array([0.5 + alpha, 0.5 - alpha])
    fall = truth @ np.log(learner.distribution / 0.5)
    assert fall == pytest.approx(falls.min(), rel=0.01)


@second("privacy.histograms.StableHistogram._release_level")
@pytest.mark.parametrize("delta", [0.4, 0.01])
@pytest.mark.parametrize("kind", ["epsilon", "rho"])
def test_a_lone_record_is_released_with_probability_delta(kind, delta):
    budget = {"epsilon": 5.0, "delta": 0.5} if kind == "epsilon" else {"rho": 5.0, "delta": 0.5}
    curator = Curator(**budget, rng=0)
    cost = {"epsilon": 0.7, "rho": None} if kind == "epsilon" else {"epsilon": None, "rho": 0.7}
    scale, enough, _ = curator._release_level(delta=delta, **cost)
    law = "laplace" if kind == "epsilon" else "gaussian"
    assert laws.tail(np.array([scale]), enough - 1, law) / 2 == pytest.approx(delta)
    # two counts move by one each: exp(scale) for Laplace, sqrt(2) in L2 for Gauss
    moved = 2 / scale / 2 if kind == "epsilon" else (math.sqrt(2) / scale) ** 2 / 2
    assert moved == pytest.approx(0.35 if kind == "epsilon" else 0.7)


@pytest.mark.parametrize("delta", [0.3, 0.01])
def test_a_stable_histogram_shows_a_share_delta_of_lone_records(delta):
    """100,000 keys with one record each, and 20,000 questions for a single cell."""
    curator = Curator(epsilon=1e6, delta=0.999, rng=1)
    count = 100_000
    shown = curator.stable_histogram(range(count), epsilon=0.5, delta=delta, label="all")
    assert len(shown) / count == pytest.approx(delta, abs=laws.spread(delta, count))
    noise = np.array(list(shown.values()))
    level = 1 + laws.quantile(np.array([4.0]), 2 * delta, "laplace")
    assert noise.min() == pytest.approx(level, abs=0.02)  # 300 draws above it, 4 / 300 apart
    curator = Curator(rho=1e6, delta=0.99, rng=2)
    hits = sum(
        curator.heaviest_cell([1], delta=delta / 1e5, rho=1.0, label="one") is not None
        for _ in range(100)
    )
    assert hits == 0


@second("privacy.noise_laws.normal")
@pytest.mark.parametrize(("beta", "k"), [(0.05, 1), (0.9, 1), (0.05, 10**4)])
def test_normal_tails(beta, k):
    x = noise_laws.normal(beta, log_k=math.log(k))
    assert k * laws.tail(np.ones(1), x, "gaussian") == pytest.approx(beta)


@second("privacy.noise_laws.laplace_sum")
@pytest.mark.parametrize(
    ("scales", "loose"),
    [
        ([2.0], {1: 1.0, 10**4: 1.0}),
        ([1.0, -1.0], {1: 1.75, 10**4: 1.4}),
        (np.ones(100), {1: 1.41, 10**4: 1.17}),
        ([5.0, *[0.1] * 30], {1: 1.96, 10**4: 1.4}),
    ],
)
@pytest.mark.parametrize(("beta", "k"), [(0.05, 1), (0.05, 10**4), (0.8, 1)])
def test_sums_of_laplace_variables(scales, loose, beta, k):
    """Two sides by Chernoff have beta; ``loose``: the bound over the exact quantile."""
    scales = np.array(scales)
    x = noise_laws.laplace_sum(scales, beta, log_k=math.log(k))
    exact = laws.quantile(scales, beta / k, "laplace")
    assert exact * (1 - 1e-9) <= x and (beta > 0.5 or x <= loose[k] * exact * (1 + 1e-9))
    if len(scales) > 1:
        share = 2 * k * laws.chernoff_tail(scales, x, "laplace")
        assert 0.97 * beta <= share <= beta * (1 + 1e-6)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.3, 1e-3)])
def test_the_noise_of_the_verbs(epsilon, delta):
    """What the ledger writes down, and what is drawn: its tail at two scales, 100,000 draws."""
    curator, zeros = Curator(epsilon=10.0, delta=0.1, rng=3), np.zeros(100_000)
    probe = laws.Probe()
    for law in ("laplace", "gaussian"):
        cost = {"epsilon": epsilon} | ({"delta": delta} if law == "gaussian" else {})
        noise = getattr(curator, law)(zeros, sensitivity=3.0, label="x", **cost)
        getattr(probe, law)(zeros, sensitivity=3.0, label="x", **cost)
        for x in (1.0, 2.0):
            exact = laws.tail(np.ones(1), x, law)
            share = np.mean(np.abs(noise) > x * probe.scale)
            assert share == pytest.approx(exact, abs=laws.spread(exact, len(zeros)))
