"""The noise of every additive verb has the scale that the ledger shows: exact laws.

Sums of |x| / scale (Laplace) or (x / scale)^2 (Gaussian) have an exact law, twice a Gamma. The
alarm rate is 1e-6 for each sample, whatever the seed. Noise too small by sqrt(2) is a factor of
two in the squares: far beyond that.
"""

import math

import numpy as np
import pytest
from scipy import stats

from dpviz import accounting
from dpviz.privacy.curator import Curator

CALLS = 2000
BASIC, ZCDP = {"epsilon": 1e6, "delta": 0.999}, {"rho": 1e6, "delta": 0.999}


def right(noise, scale, law):
    """Whether a sample of noise can be of this scale."""
    units = np.abs(np.ravel(noise)) / scale
    total = {"laplace": 2 * units.sum(), "gaussian": (units**2).sum()}[law]
    freedom = {"laplace": 2 * units.size, "gaussian": units.size}[law]
    return 5e-7 < stats.chi2(freedom).cdf(total) < 1 - 5e-7


def shown(curator):
    """The scale in the ledger, the same in every line."""
    scales = {charge.scale for charge in curator.ledger.charges}
    assert len(scales) == 1
    return scales.pop()


def laplace(curator):
    noise = curator.laplace(np.zeros(CALLS), sensitivity=3, epsilon=0.5, label="x")
    return noise, shown(curator)


def gaussian(curator):
    noise = curator.gaussian(np.zeros(CALLS), sensitivity=3, label="x", **price(curator))
    return noise, shown(curator)


def shaped(curator):
    factor = 2 * np.eye(50)
    noise = [
        curator.gaussian(np.zeros(50), sensitivity=3, factor=factor, label="x", **price(curator))
        for _ in range(CALLS // 50)
    ]
    return np.array(noise) / 2, shown(curator)


def price(curator):
    return {"rho": 0.3} if curator.composition == "zcdp" else {"epsilon": 1, "delta": 1e-4}


def averages(curator):
    """Half of 400 records stand in the middle of the ball, the others outside."""
    data = np.repeat([[5.0, 5.0, 5.0], [99.0, 99.0, 99.0]], 400, axis=0)
    where = {"center": [5.0] * 3, "radius": 2.0, "label": "x"}
    return [curator.average(data, **where, **price(curator)) for _ in range(CALLS)]


def sums(curator):
    """The noisy sum of offsets in units of the radius is released divided by the noisy count."""
    found = averages(curator)
    noise = [(average.center - 5.0) / 2.0 * average.count for average in found]
    return np.array(noise), shown(curator)


def counts(curator):
    """The count is released divided by sqrt(3)."""
    noise = [math.sqrt(3) * (average.count - 400) for average in averages(curator)]
    return np.array(noise), shown(curator)


def classical(curator):
    data = np.full((400, 2), 5.0)
    where = {"center": [5.0, 5.0], "radius": 2.0, "epsilon": 1, "delta": 1e-4, "label": "x"}
    return [curator.count_average(data, **where) for _ in range(CALLS)]


def classical_counts(curator):
    """A count is released less scale ln(1 / delta)."""
    found = np.array([average.count for average in classical(curator)])
    return found - 400 + shown(curator) * math.log(1e4), shown(curator)


def classical_centers(curator):
    """Gaussian, set by the noisy count: (epsilon / 2, delta / 2) for 2 radius / count."""
    noise = [(average.center - 5.0) * average.count for average in classical(curator)]
    return np.array(noise), 2 * 2.0 * accounting.gaussian_sd(epsilon=0.5, delta=5e-5)


def fullest(curator):
    """One cell of 400, far above the level."""
    how = {"rho": 0.3} if curator.composition == "zcdp" else {"epsilon": 1}
    keys = ["a"] * 400
    found = [curator.heaviest_cell(keys, delta=1e-4, label="x", **how) for _ in range(CALLS)]
    return np.array([count for _, count in found]) - 400, shown(curator)


def common(curator):
    found = curator.stable_histogram(list(range(CALLS)) * 60, epsilon=1, delta=1e-4, label="x")
    assert len(found) == CALLS
    return np.array(list(found.values())) - 60, shown(curator)


def entries(curator):
    table = curator.lazy_histogram(sensitivity=3, epsilon=0.5, label="x")
    return np.array([table.entry(i, 7.0) for i in range(CALLS)]) - 7, shown(curator)


def levels(curator):
    test = curator.above_threshold(7.0, sensitivity=3, epsilon=0.5, positives=CALLS, label="x")
    noise = []
    for _ in range(CALLS):
        assert test.above(1e9)
        noise.append(test.level - 7.0)
    return np.array(noise), shown(curator)


def checks(curator):
    """The noise on values never leaves; it is looked at where it is drawn."""
    test = curator.above_threshold(7.0, sensitivity=3, epsilon=0.5, label="x")
    noise = []
    for _ in range(6):
        test._draw_block()
        noise.append(test._noise)
    split = 3 / test.threshold_scale + 2 * 3 / test.value_scale
    assert split == pytest.approx(0.5)
    return np.concatenate(noise), test.value_scale


CASES = [
    (laplace, BASIC, "laplace"),
    (laplace, ZCDP, "laplace"),
    (gaussian, BASIC, "gaussian"),
    (gaussian, ZCDP, "gaussian"),
    (shaped, BASIC, "gaussian"),
    (sums, BASIC, "gaussian"),
    (sums, ZCDP, "gaussian"),
    (counts, BASIC, "gaussian"),
    (counts, ZCDP, "gaussian"),
    (classical_counts, BASIC, "laplace"),
    (classical_centers, BASIC, "gaussian"),
    (fullest, BASIC, "laplace"),
    (fullest, ZCDP, "gaussian"),
    (common, BASIC, "laplace"),
    (entries, BASIC, "laplace"),
    (levels, BASIC, "laplace"),
    (checks, BASIC, "laplace"),
]


@pytest.mark.parametrize(("verb", "budget", "law"), CASES)
def test_the_noise_is_of_the_scale_that_is_shown(verb, budget, law):
    noise, scale = verb(Curator(rng=9, **budget))
    assert right(noise, scale, law)
    assert not right(noise, scale * math.sqrt(2), law)
    assert not right(noise, scale / math.sqrt(2), law)


def test_an_average_with_too_little_noise_is_caught(monkeypatch):
    """Its ledger shows the right scale all the same."""
    honest = Curator._white
    monkeypatch.setattr(Curator, "_white", lambda self, sd: honest(self, sd / math.sqrt(2)))
    for verb in (sums, counts):
        noise, scale = verb(Curator(rng=9, **ZCDP))
        assert not right(noise, scale, "gaussian")


def test_common_cells_stand_in_the_order_of_their_noisy_counts():
    """Their order in the data would tell who came first; 20 cells, so chance is 1 / 20!."""
    keys = [key for key in range(20) for _ in range(100)]
    found = Curator(rng=9, **BASIC).stable_histogram(keys, epsilon=1, delta=1e-4, label="x")
    assert len(found) == 20
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert list(found) != list(range(20))


@pytest.mark.parametrize("draws", [1, 2, 5])
@pytest.mark.parametrize(("n", "epsilon", "delta"), [(3, 0.3, 0.01), (8, 2.0, 1e-3)])
def test_a_resampled_step_pays_for_both_its_deltas(draws, n, epsilon, delta):
    """A step with an event that gains e^epsilon and delta for each copy of one record, and loses
    as much for each copy of the other. One draw attains the price; more stay within it."""
    rare = 0.5 * math.exp(-draws * epsilon)
    gained = lost = 0.0
    for k in range(draws + 1):
        chance = stats.binom.pmf(k, draws, 1 / n)
        up, down = rare, rare
        for _ in range(k):
            up, down = math.exp(epsilon) * up + delta, math.exp(-epsilon) * (down - delta)
        gained, lost = gained + chance * up, lost + chance * max(0.0, down)
    total, paid = accounting.resample_step(epsilon=epsilon, delta=delta, draws=draws, n=n)
    needed = gained - math.exp(total) * lost
    assert needed <= paid * (1 + 1e-9)  # rounding
    if draws == 1:
        assert needed == pytest.approx(paid, rel=1e-9)
