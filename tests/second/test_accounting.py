"""Accounting: every conversion and composition a second time: enumerated, integrated, maximised."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, optimize

from dpviz import accounting
from dpviz.accounting import composition, gaussian, normal, roots, subsampling, zcdp
from second import laws, second

ROOMS = ("accounting",)


def response(epsilon):
    """Randomized response: the law of the answer for a true and for a false bit."""
    p = 1 / (1 + math.exp(-epsilon))
    return np.array([p, 1 - p]), np.array([1 - p, p])


def delta_of(p, q, level):
    """Largest P(event) - e^level Q(event), in both directions."""
    return max(
        np.maximum(p - math.exp(level) * q, 0).sum(), np.maximum(q - math.exp(level) * p, 0).sum()
    )


def together(epsilon, k):
    """The laws of k answers, outcome by outcome."""
    p, q = response(epsilon)
    outcomes = list(itertools.product((0, 1), repeat=k))
    return (np.array([math.prod(law[i] for i in each) for each in outcomes]) for law in (p, q))


@second("accounting.composition.pure_basic", "accounting.composition.pure_exact")
@pytest.mark.parametrize(("epsilon", "k"), [(0.3, 1), (0.3, 7), (2.0, 4)])
def test_the_total_of_pure_steps_is_attained(epsilon, k):
    p, q = together(epsilon, k)
    assert composition.pure_basic(epsilon=epsilon, k=k) == pytest.approx(np.log(p / q).max())
    for delta in (0.3, 1e-3, 1e-6):
        total = composition.pure_exact(epsilon=epsilon, k=k, delta=delta)
        if total > 0:
            assert delta_of(p, q, total) == pytest.approx(delta, rel=1e-6)
        else:
            assert delta_of(p, q, 0.0) <= delta


@second("accounting.composition.pure_exact_delta")
@pytest.mark.parametrize("total", [0.0, 0.5, 1.4])
def test_the_delta_of_pure_steps_is_attained(total):
    p, q = together(0.4, 6)
    delta = delta_of(p, q, total)
    found = composition.pure_exact_delta(epsilon=0.4, k=6, total=total)
    assert found == pytest.approx(delta, rel=1e-9)
    # steps that fail outright with probability 0.01: the same laws, if none of the six does
    both = 1 - 0.99**6 + 0.99**6 * delta
    found = composition.pure_exact_delta(epsilon=0.4, k=6, total=total, step_delta=0.01)
    assert found == pytest.approx(both, rel=1e-9)
    if total:
        found = composition.pure_exact(epsilon=0.4, k=6, delta=both, step_delta=0.01)
        assert found == pytest.approx(total, rel=1e-6)


def azuma(epsilon, k, delta):
    """Where the loss, within [-e, e] about a mean of at most e (e^e - 1), has a tail of delta."""
    p, q = response(epsilon)
    most = (p @ np.log(p / q)) <= epsilon * math.expm1(epsilon)
    ranges = np.full(k, epsilon)  # a variable in an interval of length 2 e: moments of sd e
    level = optimize.brentq(
        lambda x: laws.chernoff_tail(ranges, x, "gaussian") / delta - 1, 0.0, 9 * sum(ranges)
    )
    assert most
    return level + k * epsilon * math.expm1(epsilon)


@second("accounting.composition.pure_advanced")
@pytest.mark.parametrize(("epsilon", "k", "delta"), [(0.1, 100, 1e-6), (1.0, 3, 1e-2)])
def test_advanced_composition_by_moments(epsilon, k, delta):
    """The second term is the larger at epsilon = 1: there a lost mean is seen."""
    total = composition.pure_advanced(epsilon=epsilon, k=k, delta=delta)
    assert total == pytest.approx(azuma(epsilon, k, delta), rel=1e-4)
    assert composition.pure_exact_delta(epsilon=epsilon, k=k, total=total) <= delta


@second("accounting.composition.step_for")
@pytest.mark.parametrize(("total", "k", "delta"), [(1.0, 8, 1e-3), (3.0, 5, 1e-6)])
def test_the_step_that_costs_a_total(total, k, delta):
    """Each rule forwards, by the functions of this file."""
    steps = {
        rule: composition.step_for(total=total, k=k, delta=delta, rule=rule)
        for rule in composition.RULES
    }
    assert k * steps["basic"] == pytest.approx(total)
    assert azuma(steps["advanced"], k, delta) == pytest.approx(total, rel=1e-4)
    assert delta_of(*together(steps["exact"], k), total) == pytest.approx(delta, rel=1e-6)
    rho = k * steps["zcdp"] ** 2 / 2
    assert concentrated_delta(rho, total) == pytest.approx(delta, rel=1e-4)


@second("accounting.gaussian.gaussian_delta", "accounting.gaussian.gaussian_epsilon")
@pytest.mark.parametrize(("sd", "epsilon"), [(0.5, 1.0), (4.0, 1.0), (30.0, 0.05)])
def test_the_delta_of_gaussian_noise_is_an_integral(sd, epsilon):
    delta = laws.gaussian_delta(sd, epsilon)
    assert gaussian.gaussian_delta(sd=sd, epsilon=epsilon) == pytest.approx(delta, rel=1e-8)
    assert gaussian.gaussian_epsilon(sd=sd, delta=delta) == pytest.approx(epsilon, rel=1e-7)


@second("accounting.gaussian.gaussian_sd", "accounting.gaussian.gaussian_sd_classical")
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.2, 1e-3), (1.0, 1e-12)])
def test_the_least_gaussian_noise(epsilon, delta):
    """The classical one is above it: by 14 to 91 per cent here, the price of a tail bound."""
    exact = laws.gaussian_unit(epsilon, delta)
    assert gaussian.gaussian_sd(epsilon=epsilon, delta=delta) == pytest.approx(exact, rel=1e-8)
    ratio = gaussian.gaussian_sd_classical(epsilon=epsilon, delta=delta) / exact
    known = {(1.0, 1e-6): 1.2548, (0.2, 1e-3): 1.908, (1.0, 1e-12): 1.14}[epsilon, delta]
    assert ratio == pytest.approx(known, abs=0.03)


def mills(z):
    """Phi(-z) over the density at z: the integral of exp(-t^2 / 2 - z t) over t > 0."""
    scale = 1 / (1 + z)
    found, _ = integrate.quad(
        lambda u: scale * math.exp(-((u * scale) ** 2) / 2 - z * u * scale), 0, 60, epsrel=1e-12
    )
    return found


@second("accounting.normal.erfcx")
@pytest.mark.parametrize("x", [0.0, 0.3, 2.0, 9.999, 10.0, 400.0])
def test_the_scaled_tail_is_an_integral(x):
    exact = mills(math.sqrt(2) * x) * math.sqrt(2 / math.pi)
    assert normal.erfcx(x) == pytest.approx(exact, rel=1e-10)


@second("accounting.normal.quantile")
@pytest.mark.parametrize("log_share", [math.log(0.49), math.log(0.025), -30.0, -1e4])
def test_a_normal_quantile_has_its_share_beyond(log_share):
    """In logarithms, where a relative error of z counts z^2 times."""
    z = normal.quantile(log_share)
    log_density = -(z**2) / 2 - math.log(2 * math.pi) / 2
    assert math.log(mills(z)) + log_density == pytest.approx(log_share, rel=1e-11)


@second("accounting.roots.least")
def test_the_root_is_found_by_halves():
    gap = lambda x: math.exp(-x) - 0.3 * x  # noqa: E731
    low, high = 0.0, 9.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) > 0 else (low, middle)
    for start in (1e-9, 1.0, 1e9):
        x = roots.least(gap, start)
        assert gap(x) <= 0 and x == pytest.approx(high, rel=1e-12)


@second("accounting.roots.first")
def test_the_first_number_is_found_by_asking_each():
    for high in (2, 3, 100):
        for threshold in range(1, high + 3):
            asked = next((x for x in range(1, high) if x >= threshold), high)
            assert roots.first(lambda x, least=threshold: x >= least, 0, high) == asked


def renyi(p, q, order):
    """Divergence of this order between two laws on a few outcomes."""
    return math.log((p**order * q ** (1 - order)).sum()) / (order - 1)


ORDERS = [1.001, 1.1, 2.0, 5.0, 40.0]


@second("accounting.zcdp.zcdp_pure")
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 3.0])
def test_rho_of_a_pure_step_bounds_every_order(epsilon):
    """Attained by randomized response as epsilon falls: tanh(e/2) / (e/2) of it at order 1."""
    most = max(renyi(*response(epsilon), order) / order for order in ORDERS)
    rho = zcdp.zcdp_pure(epsilon=epsilon)
    assert most <= rho and rho <= 1.002 * most * (epsilon / 2) / math.tanh(epsilon / 2)


@second("accounting.zcdp.zcdp_choose")
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 3.0])
def test_rho_of_a_choice_bounds_every_order(epsilon):
    """Two outcomes whose losses lie epsilon apart, at every share; nearly attained."""
    most = 0.0
    for share in np.linspace(0.01, 0.99, 99):
        p = np.array([share, 1 - share])
        q = p * np.exp([0.0, epsilon])
        q /= q.sum()
        most = max(most, *(renyi(p, q, order) / order for order in ORDERS))
    rho = zcdp.zcdp_choose(epsilon=epsilon)
    assert most <= rho <= 1.25 * most and (epsilon > 1 or rho <= 1.01 * most)


def concentrated_delta(rho, epsilon):
    """Least over orders a of E (1 - e^(epsilon - Z))_+ given E e^((a - 1) Z) <= e^((a - 1) a rho).

    For one order the worst loss Z is one place z above epsilon, found on a fine grid.
    """

    def at(order):
        above = np.geomspace(1e-7, 50, 20_000)  # z - epsilon
        share = -np.expm1(-above) * np.exp(-(order - 1) * above)
        return math.log(share.max()) + (order - 1) * (order * rho - epsilon)

    found = optimize.minimize_scalar(
        lambda t: at(1 + math.exp(t)), bounds=(-9, 9), method="bounded"
    )
    return math.exp(found.fun)


@second("accounting.zcdp.zcdp_delta", "accounting.zcdp.zcdp_epsilon", "accounting.zcdp.zcdp_rho")
@pytest.mark.parametrize(("rho", "epsilon"), [(0.02, 1.0), (0.5, 5.0), (3.0, 9.0)])
@pytest.mark.parametrize("slack", [0.0, 1e-4])
def test_conversion_by_the_worst_loss(rho, epsilon, slack):
    """Never below what Gaussian noise of this rho really has, and within a factor 6 of that."""
    inner = concentrated_delta(rho, epsilon)
    delta = slack + (1 - slack) * inner
    budget = {"rho": rho, "epsilon": epsilon, "delta": delta}
    for name, function in {
        "delta": zcdp.zcdp_delta,
        "epsilon": zcdp.zcdp_epsilon,
        "rho": zcdp.zcdp_rho,
    }.items():
        others = {key: value for key, value in budget.items() if key != name}
        assert function(**others, slack=slack) == pytest.approx(budget[name], rel=1e-4)
    assert laws.gaussian_delta(1 / math.sqrt(2 * rho), epsilon) <= inner
    assert inner <= 12 * laws.gaussian_delta(1 / math.sqrt(2 * rho), epsilon)


@second("accounting.subsampling.subsample")
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_subsampling_is_attained_by_a_rare_bit(epsilon):
    """One record of four is drawn; its bit leaves by randomized response, or openly by chance.

    The changed record is the only one with a 1: ratio and difference of the chances.
    """
    rate, delta = 1 / 4, 1e-3
    (p, _), (q, _) = response(epsilon)
    ones, none = rate * p + (1 - rate) * q, q
    found = subsampling.subsample(epsilon=epsilon, delta=delta, rate=rate)
    assert found[0] == pytest.approx(math.log(ones / none))
    assert found[1] == pytest.approx(rate * delta)


def binomial(draws, n):
    """How often one record of n is drawn: chances of 0, 1, ..., counted draw by draw."""
    law = np.array([1.0])
    for _ in range(draws):
        law = np.convolve(law, [1 - 1 / n, 1 / n])
    return np.arange(draws + 1), law


@second(
    "accounting.subsampling.resample",
    "accounting.subsampling.pure_profile",
)
@pytest.mark.parametrize(("draws", "n"), [(5, 20), (30, 10), (4, 1)])
def test_a_resample_by_the_number_of_draws(draws, n):
    """j copies of a bit are randomized response of j epsilon: its delta, averaged."""
    level, times = 0.8, binomial(draws, n)
    profile = subsampling.pure_profile(epsilon=0.3)
    groups = [delta_of(*response(j * 0.3), level) for j in times[0]]
    assert [profile(j, level) for j in range(1, draws + 1)] == pytest.approx(groups[1:])
    epsilon, delta = subsampling.resample(epsilon=level, draws=draws, n=n, profile=profile)
    assert delta == pytest.approx(times[1] @ groups, rel=1e-9)
    rate = 1 - times[1][0]
    (p, _), (q, _) = response(level)
    assert epsilon == pytest.approx(math.log((rate * p + (1 - rate) * q) / q))


def group_delta(j, epsilon):
    """Deltas of j replaced records, e^(i epsilon) for each i below j: j times the last."""
    return j * np.exp(np.maximum(j - 1, 0) * epsilon)


@second("accounting.subsampling.resample_step", "accounting.subsampling.resample_budget")
@pytest.mark.parametrize(("draws", "n"), [(6, 9), (50, 20), (4, 1), (1, 1), (3, 2)])
def test_any_step_on_a_resample_by_averages(draws, n):
    """Averages of e^(K e), e^(-K e) and of the groups' deltas over the counted law of K."""
    epsilon, delta = 0.3, 1e-6
    times, chances = binomial(draws, n)
    if n == 1:
        total, cost = draws * epsilon, group_delta(np.array(draws), epsilon)
    else:
        up, down = (chances @ np.exp(sign * times * epsilon) for sign in (1, -1))
        total = math.log(up / down)
        cost = chances @ group_delta(times, epsilon)
        cost += up / down * (chances @ times) * math.exp(-epsilon)
    found = subsampling.resample_step(epsilon=epsilon, delta=delta, draws=draws, n=n)
    assert found == pytest.approx((total, cost * delta), rel=1e-9)
    exact = sum(math.exp(i * epsilon) for i in range(draws))
    assert n > 1 or exact <= cost <= draws * exact
    back = subsampling.resample_budget(epsilon=total, draws=draws, n=n)
    assert back == pytest.approx(epsilon, rel=1e-9)


def test_nothing_is_exported_that_is_not_in_these_rooms():
    names = {name for name in dir(accounting) if callable(getattr(accounting, name))}
    modules = (composition, gaussian, normal, roots, subsampling, zcdp)
    assert all(any(hasattr(module, name) for module in modules) for name in names)
