"""The curator: pays before it draws, adds up, refuses, and its noise is Laplace's."""

import numpy as np
import pytest
from scipy import stats

from dpviz.privacy.curator import BudgetExceeded, Curator


def test_the_ledger_adds_up_and_the_last_charge_must_fit():
    curator = Curator(epsilon=1.0, rng=0)
    for _ in range(11):
        curator.laplace(0.0, sensitivity=1, epsilon=1 / 11, label="part")
    assert curator.ledger.spent.epsilon == pytest.approx(1.0)
    with pytest.raises(
        BudgetExceeded, match=r"'late' asks for epsilon 0.01, but nothing of epsilon 1 is left"
    ):
        curator.laplace(0.0, sensitivity=1, epsilon=0.01, label="late")
    assert len(curator.ledger.charges) == 11


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"epsilon": 0}, ValueError),
        ({"epsilon": -1}, ValueError),
        ({"epsilon": np.nan}, ValueError),
        ({"sensitivity": 0}, ValueError),
        ({"sensitivity": np.nan}, ValueError),
        ({"sensitivity": "one"}, TypeError),
        ({"value": np.nan}, ValueError),
        ({"epsilon": 0.6}, BudgetExceeded),
    ],
)
def test_a_refused_charge_draws_nothing_and_leaves_the_ledger(change, error):
    good = {"value": 0.0, "sensitivity": 1, "epsilon": 0.25, "label": "x"}
    troubled, calm = Curator(epsilon=0.5, rng=7), Curator(epsilon=0.5, rng=7)
    with pytest.raises(error):
        troubled.laplace(**{**good, **change})
    assert troubled.ledger == calm.ledger
    assert troubled.laplace(**good) == calm.laplace(**good)


@pytest.mark.parametrize("epsilon", [0, -1, np.inf, np.nan])
def test_a_budget_is_a_positive_number(epsilon):
    with pytest.raises(ValueError, match="epsilon must be a number with 0 < epsilon"):
        Curator(epsilon=epsilon, rng=0)


def test_the_noise_is_laplace():
    """Exact laws at 1e6 samples: sum |x|/b is Gamma(n); signs are fair. Alarm rate 2e-6."""
    # Statements: NSV Definition 2.2; NSV Theorem 2.3.
    n, scale = 10**6, 2 / 0.5
    noise = Curator(epsilon=1, rng=3).laplace(np.zeros(n), sensitivity=2, epsilon=0.5, label="x")
    share = stats.gamma(n).cdf(np.abs(noise).sum() / scale)
    assert 5e-7 < share < 1 - 5e-7
    assert 5e-7 < stats.binom(n, 0.5).cdf((noise > 0).sum()) < 1 - 5e-7


def test_the_check_of_the_law_catches_one_per_cent():
    n, scale = 10**6, 2 / 0.5
    noise = Curator(epsilon=1, rng=3).laplace(np.zeros(n), sensitivity=1.98, epsilon=0.5, label="x")
    assert not 5e-7 < stats.gamma(n).cdf(np.abs(noise).sum() / scale) < 1 - 5e-7


def test_arrays_keep_their_shape_and_numbers_stay_numbers():
    curator = Curator(epsilon=1, rng=0)
    assert curator.laplace(np.zeros((2, 3)), sensitivity=1, epsilon=0.1, label="x").shape == (2, 3)
    assert isinstance(curator.laplace(1, sensitivity=1, epsilon=0.1, label="x"), float)
