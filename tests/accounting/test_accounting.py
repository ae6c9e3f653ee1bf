"""The accounting against brute force, exact fractions and an independent numerical accountant."""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

from dpviz import accounting as a

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as numerical


def hockey_stick(p, q, level):
    """Exact delta of two finite laws at a level."""
    return float(np.maximum(np.asarray(p) - math.exp(level) * np.asarray(q), 0).sum())


def answers(epsilon, k):
    """The laws of k randomized responses on the two neighbours, outcome by outcome."""
    one = np.array([math.exp(epsilon), 1]) / (1 + math.exp(epsilon))
    laws = [[math.prod(x) for x in itertools.product(row, repeat=k)] for row in (one, one[::-1])]
    return np.array(laws)


# Printed figures.


@pytest.mark.parametrize(
    ("k", "basic", "advanced", "zcdp", "exact"),
    [(20, 2.00, 2.56, 2.14, 1.79), (100, 10.00, 6.31, 5.22, 4.77)],
)
def test_four_ways_to_add_up_laplace_answers(k, basic, advanced, zcdp, exact):
    # Statements: NSV Theorem 2.1; NSV Theorem 4.7.
    step = {"epsilon": 0.1, "k": k}
    totals = [
        a.pure_basic(**step),
        a.pure_advanced(**step, delta=1e-6),
        a.zcdp_epsilon(rho=k * a.zcdp_pure(epsilon=0.1), delta=1e-6),
        a.pure_exact(**step, delta=1e-6),
    ]
    assert np.round(totals, 2).tolist() == [basic, advanced, zcdp, exact]


def test_advanced_first_beats_basic_at_35_steps():
    wins = [k for k in range(1, 60) if a.pure_advanced(epsilon=0.1, k=k, delta=1e-6) < 0.1 * k]
    assert wins == list(range(35, 60))


@pytest.mark.parametrize(
    ("epsilon", "delta", "rho"),
    [
        (1, 1e-6, 0.024356),
        (0.5, 1e-6, 0.006642),
        (1, 1e-5, 0.030557),
        (2, 1e-6, 0.088153),
        (1, 8e-7, 0.02388),
    ],
)
def test_rho_of_a_budget(epsilon, delta, rho):
    assert a.zcdp_rho(epsilon=epsilon, delta=delta) == pytest.approx(rho, rel=2e-4)


def test_gaussian_figures():
    # Statements: NSV Theorem 2.4.
    assert a.gaussian_sd(epsilon=1, delta=1e-6) == pytest.approx(4.22468, rel=1e-6)
    assert a.gaussian_sd(epsilon=0.1, delta=1e-6) == pytest.approx(36.305, rel=2e-5)
    assert a.gaussian_sd_classical(epsilon=1, delta=1e-6) == pytest.approx(5.30, abs=0.005)
    sd = 1 / math.sqrt(2 * 0.02388)
    assert a.gaussian_delta(sd=sd, epsilon=1) == pytest.approx(1.71e-7, abs=0.005e-7)


# Brute force: pure steps.


@pytest.mark.parametrize("epsilon", [0.05, 0.7, 3])
@pytest.mark.parametrize("k", range(1, 7))
def test_exact_composition_by_enumeration(epsilon, k):
    p, q = answers(epsilon, k)
    for total in np.linspace(0, k * epsilon, 14)[:-1]:
        delta = hockey_stick(p, q, total)
        assert a.pure_exact_delta(epsilon=epsilon, k=k, total=total) == pytest.approx(delta)
        if delta < hockey_stick(p, q, 0):
            assert a.pure_exact(epsilon=epsilon, k=k, delta=delta) == pytest.approx(total)
    assert a.pure_exact(epsilon=epsilon, k=k, delta=0) == pytest.approx(k * epsilon)
    assert a.pure_exact(epsilon=epsilon, k=k, delta=hockey_stick(p, q, 0) + 1e-9) == 0


@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_no_pure_step_is_worse_than_randomized_response(epsilon):
    rng, level = np.random.default_rng(3), 0.6
    for _ in range(50):
        q = rng.dirichlet(np.ones(4))
        p = q * np.exp(rng.uniform(-epsilon, epsilon, 4))
        p /= p.sum()
        if np.abs(np.log(p / q)).max() > epsilon:
            continue
        three = [np.einsum("i,j,k->ijk", r, r, r) for r in (p, q)]
        bound = a.pure_exact_delta(epsilon=epsilon, k=3, total=level)
        assert hockey_stick(*three, level) <= bound + 1e-15


@pytest.mark.parametrize(("odds", "k"), [((11, 10), 1000), ((501, 500), 1200), ((3, 1), 200)])
def test_exact_composition_in_exact_fractions(odds, k):
    up, down = odds
    epsilon, whole = math.log(up / down), (up + down) ** k
    for j in range(k // 2, k // 2 - k // 8, -k // 30):
        level = Fraction(up, down) ** (k - 2 * j)
        delta = sum(
            math.comb(k, i) * (up ** (k - i) * down**i - level * up**i * down ** (k - i))
            for i in range(j)
        )
        delta, total = float(delta / whole), (k - 2 * j) * epsilon
        found = a.pure_exact_delta(epsilon=epsilon, k=k, total=total)
        assert found == pytest.approx(delta, rel=1e-9)
        if delta < 0.999:
            found = a.pure_exact(epsilon=epsilon, k=k, delta=delta)
            assert found == pytest.approx(total, abs=1e-9)


def test_steps_with_a_delta_of_their_own():
    whole = 1 - (1 - 1e-8) ** 50 * (1 - 1e-6)
    total = a.pure_exact(epsilon=0.1, k=50, delta=whole, step_delta=1e-8)
    assert total == pytest.approx(a.pure_exact(epsilon=0.1, k=50, delta=1e-6), rel=1e-9)
    back = a.pure_exact_delta(epsilon=0.1, k=50, total=total, step_delta=1e-8)
    assert back == pytest.approx(whole, rel=1e-9)
    # Two answers that fail openly with probability d, else are randomized responses.
    p, q = ([0.1, *(0.9 * one)] for one in answers(0.5, 1))
    p, q = [*p, 0.0], [0.0, q[1], q[2], 0.1]
    delta = hockey_stick(np.outer(p, p), np.outer(q, q), 0.3)
    found = a.pure_exact_delta(epsilon=0.5, k=2, total=0.3, step_delta=0.1)
    assert found == pytest.approx(delta)


# Concentrated privacy.


@pytest.mark.parametrize("rho", [1e-6, 0.02, 0.5, 30])
@pytest.mark.parametrize("epsilon", [0.01, 1, 40])
def test_conversion_is_the_best_order(rho, epsilon):
    t = np.geomspace(1e-9, 1e9, 200_001)
    with np.errstate(over="ignore"):
        logs = t * ((1 + t) * rho - epsilon) - np.log(t) - (1 + t) * np.log1p(1 / t)
    best = math.exp(min(0, logs.min()))
    assert a.zcdp_delta(rho=rho, epsilon=epsilon) == pytest.approx(best, rel=1e-4, abs=1e-300)
    assert a.zcdp_delta(rho=rho, epsilon=epsilon) <= best * (1 + 1e-9)


def test_conversion_covers_the_gaussian_and_beats_the_simple_formula():
    for rho in (0.001, 0.02, 0.5, 5):
        for delta in (1e-9, 1e-6, 1e-2):
            total = a.zcdp_epsilon(rho=rho, delta=delta)
            assert total >= a.gaussian_epsilon(sd=math.sqrt(0.5 / rho), delta=delta)
            assert total <= rho + 2 * math.sqrt(rho * math.log(1 / delta))


def divergence(p, q, order):
    """Rényi divergence of two finite laws."""
    logs = order * np.log(p) + (1 - order) * np.log(q)
    return float(np.logaddexp.reduce(logs)) / (order - 1)


@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
def test_rho_of_pure_steps_and_of_choices(epsilon):
    rng = np.random.default_rng(1)
    for order in (1.001, 1.5, 2, 10, 50):
        p, q = answers(epsilon, 1)
        assert divergence(p, q, order) <= order * a.zcdp_pure(epsilon=epsilon) + 1e-12
        for scores in rng.uniform(0, 8, (20, 5)):
            moved = scores + rng.uniform(-1, 1, 5)
            p, q = (np.exp(epsilon / 2 * s) for s in (scores, moved))
            rho = a.zcdp_choose(epsilon=epsilon)
            assert divergence(p / p.sum(), q / q.sum(), order) <= order * rho + 1e-12


def test_slack_is_proved_for_a_worst_case():
    # A step that fails openly with probability s and else adds Gaussian noise.
    slack, sd, level = 1e-3, 5.0, 0.3
    kept = a.gaussian_delta(sd=sd, epsilon=level)
    rho = 0.5 / sd**2
    bound = a.zcdp_delta(rho=rho, epsilon=level, slack=slack)
    assert slack + (1 - slack) * kept <= bound
    assert a.zcdp_epsilon(rho=rho, delta=bound, slack=slack) == pytest.approx(level)
    assert a.zcdp_rho(epsilon=level, delta=bound, slack=slack) == pytest.approx(rho)
    assert a.zcdp_delta(rho=0, epsilon=1, slack=slack) == slack
    assert a.zcdp_epsilon(rho=0, delta=0.1) == 0


# The Gaussian.


@pytest.mark.parametrize("sd", [0.05, 1, 7, 300])
@pytest.mark.parametrize("epsilon", [0.001, 0.3, 2])
def test_gaussian_delta_by_integration(sd, epsilon):
    x = np.linspace(-40 * sd, 1 + 40 * sd, 400_001)
    near, far = (np.exp(-((x - c) ** 2) / (2 * sd**2)) / sd / math.sqrt(math.tau) for c in (1, 0))
    delta = np.trapezoid(np.maximum(near - math.exp(epsilon) * far, 0), x)
    assert a.gaussian_delta(sd=sd, epsilon=epsilon) == pytest.approx(delta, rel=1e-4, abs=1e-13)


def test_no_noise_hides_nothing_and_much_noise_everything():
    assert a.gaussian_delta(sd=0.001, epsilon=1) == 1
    assert a.gaussian_epsilon(sd=1e6, delta=1e-3) == 0


# The independent accountant.


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("k", [100, 1000])
@pytest.mark.parametrize("delta", [1e-6, 1e-9])
def test_pure_steps_against_the_numerical_accountant(epsilon, k, delta):
    # The worst pure step, on a grid that holds its two losses exactly: nothing is rounded up.
    step = common.DifferentialPrivacyParameters(epsilon, 0)
    one = numerical.from_privacy_parameters(step, value_discretization_interval=epsilon)
    true = one.self_compose(k).get_epsilon_for_delta(delta)
    exact = a.pure_exact(epsilon=epsilon, k=k, delta=delta)
    assert exact == pytest.approx(true, rel=1e-6)
    assert a.zcdp_epsilon(rho=k * a.zcdp_pure(epsilon=epsilon), delta=delta) >= exact
    assert a.pure_advanced(epsilon=epsilon, k=k, delta=delta) >= exact


@pytest.mark.parametrize("k", [100, 1000])
def test_laplace_steps_against_the_numerical_accountant(k):
    laplace = numerical.from_laplace_mechanism(10).self_compose(k).get_epsilon_for_delta(1e-6)
    assert laplace <= a.pure_exact(epsilon=0.1, k=k, delta=1e-6) <= 1.03 * laplace


@pytest.mark.parametrize(("sd", "k"), [(10, 1), (20, 100), (200, 1000)])
def test_gaussians_against_the_numerical_accountant(sd, k):
    ends = []
    for pessimistic in (False, True):
        one = numerical.from_gaussian_mechanism(sd, pessimistic_estimate=pessimistic)
        ends.append(one.self_compose(k).get_epsilon_for_delta(1e-6))
    low, high = ends
    exact = a.gaussian_epsilon(sd=sd / math.sqrt(k), delta=1e-6)
    assert low * (1 - 1e-4) <= exact <= high * (1 + 1e-6)
    assert high <= exact * 1.0005


# Inverses and monotony.

BUDGETS = list(itertools.product([0.01, 0.3, 1, 8], [1e-10, 1e-6, 0.01]))


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_inverses_invert(epsilon, delta):
    near = {"rel": 1e-9}
    rho = a.zcdp_rho(epsilon=epsilon, delta=delta)
    assert a.zcdp_epsilon(rho=rho, delta=delta) == pytest.approx(epsilon, **near)
    assert a.zcdp_delta(rho=rho, epsilon=epsilon) == pytest.approx(delta, **near)
    sd = a.gaussian_sd(epsilon=epsilon, delta=delta)
    assert a.gaussian_delta(sd=sd, epsilon=epsilon) <= delta
    assert a.gaussian_delta(sd=sd * (1 - 1e-8), epsilon=epsilon) > delta
    assert a.gaussian_epsilon(sd=sd, delta=delta) == pytest.approx(epsilon, **near)


@pytest.mark.parametrize(("total", "delta"), BUDGETS)
@pytest.mark.parametrize("k", [1, 2, 37, 10_000])
def test_steps_spend_their_budget(total, delta, k):
    step = {rule: a.step_for(total=total, k=k, delta=delta, rule=rule) for rule in a.RULES}
    exact, advanced = step["exact"], step["advanced"]
    spent = a.pure_exact_delta(epsilon=exact, k=k, total=total)
    assert spent == pytest.approx(delta, rel=1e-9)
    assert a.pure_exact(epsilon=exact, k=k, delta=delta) == pytest.approx(total, rel=1e-9)
    assert a.pure_advanced(epsilon=advanced, k=k, delta=delta) == pytest.approx(total, rel=1e-9)
    rho = k * a.zcdp_pure(epsilon=step["zcdp"])
    assert a.zcdp_epsilon(rho=rho, delta=delta) == pytest.approx(total, rel=1e-9)
    assert exact >= max(step.values()) * (1 - 1e-12)


def test_exact_and_basic_take_no_delta():
    for rule in ("exact", "basic"):
        assert a.step_for(total=1, k=4, delta=0, rule=rule) == 0.25


def test_more_steps_cost_more_and_more_delta_less():
    ks = [a.pure_exact(epsilon=0.1, k=k, delta=1e-6) for k in range(1, 300)]
    deltas = [a.pure_exact(epsilon=0.1, k=60, delta=d) for d in np.geomspace(1e-30, 0.9, 200)]
    sds = [a.gaussian_sd(epsilon=e, delta=1e-6) for e in np.geomspace(0.01, 50, 100)]
    rhos = [a.zcdp_rho(epsilon=e, delta=1e-6) for e in np.geomspace(0.01, 50, 100)]
    assert (np.diff(ks) > 0).all() and (np.diff(rhos) > 0).all()
    assert (np.diff(deltas) <= 0).all() and (np.diff(sds) < 0).all()


# Subsampling, by enumeration of every sample: data are n bits, of which `ones` are 1.


def without(mechanism, ones, n, m):
    """Law of a mechanism on m of n bits drawn without replacement."""
    ways = [math.comb(ones, i) * math.comb(n - ones, m - i) for i in range(m + 1)]
    return sum(w / math.comb(n, m) * mechanism[m, i] for i, w in enumerate(ways) if w)


def with_replacement(mechanism, ones, n, m):
    """Law of a mechanism on m draws with replacement."""
    chances = [math.comb(m, i) * ones**i * (n - ones) ** (m - i) / n**m for i in range(m + 1)]
    return sum(p * mechanism[m, i] for i, p in enumerate(chances))


def mechanisms(seed, largest):
    """A law of three answers for every multiset of at most ``largest`` bits (size, ones)."""
    rng = np.random.default_rng(seed)
    keys = [(m, i) for m in range(largest + 1) for i in range(m + 1)]
    return {key: rng.dirichlet(np.full(3, 0.7)) for key in keys}


def step_delta(mechanism, level, group=1, sizes=None):
    """Exact delta of a mechanism for samples that differ in ``group`` replaced bits."""
    pairs = [
        (x, y)
        for x, y in itertools.product(mechanism, repeat=2)
        if (sizes is None or x[0] in sizes) and x[0] == y[0] and abs(x[1] - y[1]) <= group
    ]
    return max(hockey_stick(mechanism[x], mechanism[y], level) for x, y in pairs)


def worst(law, mechanism, n, size, level):
    """Exact delta over all neighbouring data sets of n bits."""
    pairs = [(i, i + 1) for i in range(n)] + [(i + 1, i) for i in range(n)]
    laws = [law(mechanism, i, n, size) for i in range(n + 1)]
    return max(hockey_stick(laws[i], laws[j], level) for i, j in pairs)


@pytest.mark.parametrize("seed", range(40))
def test_subsampling_by_enumeration(seed):
    n, m, level = 2 + seed % 4, 1 + seed % 3, 0.2 + 0.1 * (seed % 7)
    m = min(n, m)
    mechanism = mechanisms(seed, 5)
    own = step_delta(mechanism, level, sizes={m})
    epsilon, delta = a.subsample(epsilon=level, delta=own, rate=m / n)
    assert worst(without, mechanism, n, m, epsilon) <= delta + 1e-15

    def profile(group, level):
        return step_delta(mechanism, level, group, sizes={m})

    epsilon, delta = a.resample(epsilon=level, draws=m, n=n, profile=profile)
    assert worst(with_replacement, mechanism, n, m, epsilon) <= delta + 1e-15


def respond(key):
    """Randomized response, at ln 3, on whether a sample holds a 1."""
    return np.array([0.75, 0.25]) if key[1] else np.array([0.25, 0.75])


def test_subsampling_is_attained():
    mechanism = {(m, i): respond((m, i)) for m in range(6) for i in range(m + 1)}
    epsilon, _ = a.subsample(epsilon=math.log(3), rate=2 / 5)
    assert worst(without, mechanism, 5, 2, epsilon) < 1e-12
    assert worst(without, mechanism, 5, 2, epsilon - 1e-6) > 1e-8


def test_a_subsample_costs_no_more_than_the_step():
    for epsilon, rate in itertools.product([1e-3, 0.5, 5, 60, 900], [1e-4, 0.3, 1]):
        whole = a.subsample(epsilon=epsilon, delta=1e-6, rate=rate)
        # e^900 is no float, and there 1 + rate (e^epsilon - 1) is rate e^epsilon to every digit.
        back = (
            math.log1p(math.expm1(whole[0]) / rate) if epsilon < 100 else whole[0] - math.log(rate)
        )
        assert back == pytest.approx(epsilon, rel=1e-9)
        assert whole[0] <= epsilon and whole[1] == pytest.approx(rate * 1e-6)


@pytest.mark.parametrize(("draws", "n"), [(3, 7), (50, 1000), (100_000, 1000), (9, 1), (5, 2)])
def test_every_number_of_draws_is_counted(draws, n):
    # Statements: NSV Lemma 6.4.
    _, delta = a.resample(epsilon=1, draws=draws, n=n, profile=lambda j, level: 1.0)
    assert delta == pytest.approx(1 - (1 - 1 / n) ** draws)


# Bad input.

BAD = [
    ("epsilon", [0, -1, math.nan, math.inf, "1", None, True]),
    ("delta", [-0.1, 1, 1.5, math.nan, "0"]),
    ("rho", [-1e-9, math.nan, math.inf, None]),
    ("sd", [0, -1, math.nan]),
    ("k", [0, -1, 1.5, math.nan, True]),
    ("rate", [0, 1.1, math.nan]),
    ("total", [-1, math.nan, "1"]),
    ("slack", [-0.1, 1, math.nan]),
    ("step_delta", [-0.1, 1, math.nan]),
    ("draws", [0, 1.5]),
    ("n", [0, 2.5]),
    ("rule", ["best", None]),
]
GOOD = {
    a.pure_basic: {"epsilon": 1, "k": 2},
    a.pure_advanced: {"epsilon": 1, "k": 2, "delta": 0.1},
    a.pure_exact: {"epsilon": 1, "k": 2, "delta": 0.1, "step_delta": 0.01},
    a.pure_exact_delta: {"epsilon": 1, "k": 2, "total": 1, "step_delta": 0.0},
    a.step_for: {"total": 1, "k": 2, "delta": 0.1, "rule": "zcdp"},
    a.zcdp_pure: {"epsilon": 1},
    a.zcdp_choose: {"epsilon": 1},
    a.zcdp_delta: {"rho": 1, "epsilon": 1, "slack": 0.0},
    a.zcdp_epsilon: {"rho": 1, "delta": 0.1, "slack": 0.0},
    a.zcdp_rho: {"epsilon": 1, "delta": 0.1, "slack": 0.0},
    a.gaussian_delta: {"sd": 1, "epsilon": 1},
    a.gaussian_epsilon: {"sd": 1, "delta": 0.1},
    a.gaussian_sd: {"epsilon": 1, "delta": 0.1},
    a.gaussian_sd_classical: {"epsilon": 1, "delta": 0.1},
    a.subsample: {"epsilon": 1, "delta": 0.1, "rate": 0.5},
    a.resample: {"epsilon": 1, "draws": 2, "n": 3, "profile": lambda j, level: 0.0},
    a.resample_step: {"epsilon": 1, "delta": 0.1, "draws": 2, "n": 3},
    a.resample_budget: {"epsilon": 1, "draws": 2, "n": 3},
    a.pure_profile: {"epsilon": 1},
}
CASES = [
    pytest.param(function, name, value, id=f"{function.__name__}-{name}-{value}")
    for function, arguments in GOOD.items()
    for name, values in BAD
    if name in arguments
    for value in values
]


@pytest.mark.parametrize(("function", "name", "value"), CASES)
def test_bad_arguments_are_named(function, name, value):
    function(**GOOD[function])
    with pytest.raises((ValueError, TypeError), match=rf"^{name} must be "):
        function(**{**GOOD[function], name: value})


def test_every_function_is_in_the_table():
    assert {f.__name__ for f in GOOD} == set(a.__all__) - {"RULES"}


def test_arguments_that_contradict_each_other():
    with pytest.raises(ValueError, match="delta must be"):
        a.pure_exact(epsilon=1, k=10, delta=0.05, step_delta=0.01)
    with pytest.raises(ValueError, match="slack must be"):
        a.zcdp_rho(epsilon=1, delta=1e-6, slack=1e-6)
    for rule in ("zcdp", "advanced"):
        with pytest.raises(ValueError, match="delta must be"):
            a.step_for(total=1, k=10, delta=0, rule=rule)
    with pytest.raises(ValueError, match="epsilon must be"):
        a.gaussian_sd_classical(epsilon=2, delta=1e-6)
