"""The normal tail without scipy.special: against 60 digits, and never on the unsafe side."""

import math

import numpy as np
import pytest
from scipy import special

from dpviz.accounting import gaussian, gaussian_delta, gaussian_epsilon, gaussian_sd, normal

mpmath = pytest.importorskip("mpmath")
UNIT = 2.0**-53


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(60):
        yield


def exact_delta(sd, epsilon):
    sd, epsilon = mpmath.mpf(sd), mpmath.mpf(epsilon)
    near = mpmath.ncdf(1 / (2 * sd) - epsilon * sd)
    return near - mpmath.exp(epsilon) * mpmath.ncdf(-1 / (2 * sd) - epsilon * sd)


def test_the_scaled_tail_is_right_to_sixteen_units_on_both_sides_of_its_seam():
    rng = np.random.default_rng(0)
    places = [*10 ** rng.uniform(-8, 3, 600), *rng.uniform(9.9, 10.1, 200), 0.0, normal.FAR]
    for x in map(float, places):
        exact = mpmath.exp(mpmath.mpf(x) ** 2) * mpmath.erfc(mpmath.mpf(x))
        assert abs(normal.erfcx(x) / exact - 1) <= 16 * UNIT
    assert normal.erfcx(1e300) == pytest.approx(1e-300 / math.sqrt(math.pi), rel=1e-15)


@pytest.mark.parametrize("share", [0.49, 0.1, 0.025, 1e-9, 1e-100, 1e-300])
def test_a_quantile_has_its_share_beyond(share):
    """1e-14: ln of the share is rounded, and z moves by that over z."""
    z = normal.quantile(math.log(share))
    assert z == pytest.approx(float(-special.ndtri(share)), rel=1e-14)
    deep = normal.quantile(-1e7)  # a share that no float is
    exact = mpmath.log(mpmath.erfc(mpmath.mpf(deep) / mpmath.sqrt(2)) / 2)
    assert float(exact) == pytest.approx(-1e7, rel=1e-14)


def test_delta_is_never_below_the_exact_one_and_hardly_above():
    """What privacy needs, over ten powers of both; above by what its docstring adds, twice."""
    rng = np.random.default_rng(1)
    for _ in range(1500):
        sd, epsilon = float(10 ** rng.uniform(-1.5, 4)), float(10 ** rng.uniform(-4, 1.3))
        exact = exact_delta(sd, epsilon)
        if exact < 1e-290:
            continue
        found = gaussian_delta(sd=sd, epsilon=epsilon)
        far = epsilon * sd + 0.5 / sd
        tails = mpmath.ncdf(1 / (2 * mpmath.mpf(sd)) - epsilon * mpmath.mpf(sd)) * 2
        assert exact <= found <= exact + 2 * 2**-50 * (far**2 + 4) * tails


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 1e-2])
def test_the_noise_that_is_drawn_is_enough_exactly(epsilon, delta):
    sd = gaussian_sd(epsilon=epsilon, delta=delta)
    assert exact_delta(sd, epsilon) <= mpmath.mpf(delta)
    assert exact_delta(sd * (1 - 1e-9), epsilon) > mpmath.mpf(delta)
    assert exact_delta(sd, gaussian_epsilon(sd=sd, delta=delta)) <= mpmath.mpf(delta)


def test_what_is_far_out_is_a_number():
    assert gaussian._hockey_stick(1e-280, 1.0) == 1.0
    assert gaussian._hockey_stick(1e280, 1.0) == 0.0
    assert gaussian._hockey_stick(1.0, 700.0) >= 0.0
