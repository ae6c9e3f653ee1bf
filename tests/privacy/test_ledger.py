"""Ledgers against an independent accountant: never below the true loss, never above the budget."""

from fractions import Fraction

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import PLDAccountant

from dpviz import accounting
from dpviz.privacy.curator import Curator
from dpviz.privacy.ledger import Cost, Sum

DELTA = 1e-6


def event(charge):
    """What the independent accountant calls a charge."""
    multiplier = charge.scale / charge.sensitivity
    if charge.verb == "laplace":
        return dp_accounting.LaplaceDpEvent(multiplier)
    return dp_accounting.GaussianDpEvent(multiplier)


def numerical(ledger):
    """The true total epsilon at :data:`DELTA`, from the privacy loss distribution."""
    accountant = PLDAccountant()
    for charge in ledger.charges:
        accountant.compose(event(charge))
    return accountant.get_epsilon(DELTA)


def spend(curator, gaussians):
    for i, share in enumerate([0.5, 0.2, 0.1, 0.1, 0.1]):
        if gaussians and curator.composition == "zcdp":
            rho = share * curator.budget.rho
            curator.gaussian(np.zeros(3), sensitivity=2, rho=rho, label=f"{i}")
        elif gaussians:
            price = {"epsilon": share * curator.budget.epsilon, "delta": share * DELTA}
            curator.gaussian(np.zeros(3), sensitivity=2, **price, label=f"{i}")
        else:
            whole = curator.budget.epsilon or np.sqrt(2 * curator.budget.rho)
            part = share if curator.composition == "basic" else np.sqrt(share)
            curator.laplace(np.zeros(3), sensitivity=2, epsilon=part * whole, label=f"{i}")
    return curator.ledger


@pytest.mark.parametrize("gaussians", [True, False], ids=["gauss", "laplace"])
@pytest.mark.parametrize("budget", [{"epsilon": 1.0}, {"rho": 0.03}], ids=["basic", "zcdp"])
def test_what_the_ledger_says_covers_what_was_really_lost(budget, gaussians):
    curator = Curator(**budget, delta=DELTA if "epsilon" in budget else 0.0, rng=0)
    ledger = spend(curator, gaussians)
    assert ledger.budget.covers(ledger.spent)
    claimed = ledger.spent.epsilon
    if curator.composition == "zcdp":
        claimed = accounting.zcdp_epsilon(rho=ledger.spent.rho, delta=DELTA)
    true = numerical(ledger)
    assert true <= claimed * (1 + 1e-3)  # the numerical grid rounds up by less than that


def test_gaussians_in_zcdp_are_nearly_exact():
    """Composition loses nothing there; the conversion at the end at most 10 % here."""
    ledger = spend(Curator(rho=0.03, rng=0), gaussians=True)
    claimed = accounting.zcdp_epsilon(rho=ledger.spent.rho, delta=DELTA)
    assert numerical(ledger) <= claimed <= 1.1 * numerical(ledger)


def test_the_check_catches_an_understated_price():
    ledger = spend(Curator(epsilon=1.0, delta=DELTA, rng=0), gaussians=False)
    assert not numerical(ledger) <= 0.5 * ledger.spent.epsilon


def test_a_sum_of_costs_is_exact_and_rounded_once():
    """From the smallest float to the largest budget, against fractions."""
    drawn = np.exp(np.random.default_rng(0).uniform(-744, 230, 500))
    paid, exact = Sum(), Fraction(0)
    for x in [5e-324, 2.2e-308, 1e100, 0.1, 1 / 3, 1.0, *drawn.tolist()]:
        paid, exact = paid.plus(Cost(epsilon=x, rho=x / 3)), exact + Fraction(x)
        assert paid.cost.epsilon == float(exact)
    assert paid.cost.delta == 0


def test_a_share_is_rounded_to_what_a_reader_would_say():
    """Half a percent is neither lost nor rounded to the even number: 2.5% is not 2%."""
    curator = Curator(epsilon=1.0, rng=0)
    for epsilon in (0.025, 0.015, 0.5, 0.0004, 0.4596):
        curator.laplace(0.0, sensitivity=1.0, epsilon=epsilon, label="x")
    shares = [row.split()[-1] for row in str(curator.ledger).splitlines()[1:-1]]
    assert shares == ["2.5%", "1.5%", "50%", "0.04%", "46%"]
    tree = [row.rpartition("(")[2] for row in curator.ledger.tree().splitlines()[1:]]
    assert tree == [f"{share})" for share in shares]
