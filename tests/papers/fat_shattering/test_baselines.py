"""The two baselines: their bounds over many trials, and the crossover the paper states."""

import numpy as np
import pytest
from scipy.stats import binom

from dpviz.papers.fat_shattering import baselines, net_mechanism

BETA = 0.2
PARAMS = baselines.Params(epsilon=1.0, beta=BETA)


def largest_errors(cells, queries, runs=400):
    for seed in range(runs):
        curator = PARAMS.curator(rng=seed)
        noise = curator.laplace(np.zeros(cells), sensitivity=1.0, epsilon=1.0, label="histogram")
        yield np.abs(queries @ noise).max()


@pytest.mark.parametrize(("cells", "k"), [(2, 5), (30, 100)])
def test_the_bound_of_a_noisy_table_holds_and_is_tight_within_3(cells, k):
    queries = np.random.default_rng(0).integers(0, 2, size=(k, cells)).astype(float)
    errors = np.array(list(largest_errors(cells, queries)))
    bound = baselines.error_bound_histogram(PARAMS, cells=cells, k=k)
    assert (errors > bound).sum() <= binom(400, BETA).ppf(1 - 1e-6)
    assert bound <= 3 * np.quantile(errors, 1 - BETA)


def test_the_bound_of_noise_on_each_answer_is_the_exact_quantile_almost():
    k, bound = 20, baselines.error_bound_laplace(PARAMS, k=20)
    inside = (1 - np.exp(-bound / 20)) ** k  # exactly, for independent noises
    assert 1 - BETA <= inside <= 1 - BETA / 1.2


def test_erratum_the_noise_of_k_answers_has_a_log():
    """O(k), as quoted, is one answer's; the largest of k grows faster than any constant times k.

    Statements: R10 Section 1.1 (Laplace).
    """
    params = baselines.Params(epsilon=1.0)
    ratios = [baselines.error_bound_laplace(params, k=k) / k for k in (10, 1000, 10**5)]
    assert ratios[2] > 2 * ratios[0]


def test_the_crossover_of_the_introduction():
    """Rates with the constant 1: they meet near total^(4/3) queries, up to their logs.

    Statements: R10 Section 1.1 (crossover).
    """
    for total in (1e3, 1e5, 1e7):
        k = baselines.crossover(total)
        cells = int(10 * k)
        small = net_mechanism.Params(epsilon=1.0, rows=1, total=total)
        ours = net_mechanism.paper_rate(small, k=int(k), cells=cells)
        theirs = baselines.paper_rate(PARAMS, k=int(k), cells=cells)
        logs = (np.log(k) * np.log(cells)) ** (1 / 3) / np.log(10)
        assert ours / theirs == pytest.approx(logs, rel=0.01)  # k is rounded to a whole number
        much = int(1000 * k)
        theirs = baselines.paper_rate(PARAMS, k=much, cells=cells)
        assert net_mechanism.paper_rate(small, k=much, cells=cells) < theirs


@pytest.mark.parametrize("seed", range(20))
def test_no_possible_table_is_nearer_than_the_projected_one(seed):
    """It is possible; and the way to any other possible table leads away from the noisy one."""
    rng = np.random.default_rng(seed)
    noisy, total = rng.laplace(1, 5, size=12), float(rng.integers(1, 50))
    found = baselines.nearest_possible(noisy, total)
    assert found.min() >= 0 and found.sum() == pytest.approx(total)
    others = total * rng.dirichlet(np.full(12, 0.3), size=200)
    corners = total * np.eye(12)  # all possible tables are mixtures of these
    assert np.all((np.vstack([others, corners]) - found) @ (noisy - found) <= 1e-9 * total**2)


def test_a_table_that_is_possible_stays():
    assert baselines.nearest_possible([3.0, 0.0, 5.0], 8.0) == pytest.approx([3.0, 0.0, 5.0])
    with pytest.raises(ValueError, match="total must be"):
        baselines.nearest_possible([1.0], 0.0)
    for wrong in ([], [[1.0]], [np.nan]):
        with pytest.raises(ValueError, match="noisy must"):
            baselines.nearest_possible(wrong, 1.0)
