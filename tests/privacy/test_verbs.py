"""Every verb beyond the transcript: its law, its price, its refusals, its worst case exactly."""

import inspect
import itertools
import math

import numpy as np
import pytest
from scipy import special, stats

from dpviz.privacy.curator import BudgetExceeded, Cost, Curator

BASIC, ZCDP = {"epsilon": 4.0, "delta": 0.1}, {"rho": 4.0, "delta": 0.1}


def curator(rng=0, **budget):
    return Curator(rng=rng, **(budget or BASIC))


CALLS = {
    "laplace": lambda c, **k: c.laplace(**{"value": 0.0, "sensitivity": 1, "epsilon": 1, **k}),
    "gaussian": lambda c, **k: c.gaussian(
        **{"value": 0.0, "sensitivity": 1, "epsilon": 1, "delta": 0.01, **k}
    ),
    "average": lambda c, **k: c.average(
        **{"data": [[0.0]], "center": [0], "radius": 1, "epsilon": 1, "delta": 0.01, **k}
    ),
    "choose": lambda c, **k: c.choose(**{"scores": [0, 1], "sensitivity": 1, "epsilon": 1, **k}),
    "stable_choice": lambda c, **k: c.stable_choice(
        **{"scores": [0, 1], "epsilon": 1, "delta": 0.01, **k}
    ),
    "heaviest_cell": lambda c, **k: c.heaviest_cell(
        **{"keys": ["a"], "epsilon": 1, "delta": 0.01, **k}
    ),
    "stable_histogram": lambda c, **k: c.stable_histogram(
        **{"keys": ["a"], "epsilon": 1, "delta": 0.01, **k}
    ),
    "count_average": lambda c, **k: c.count_average(
        **{"data": [[0.0]], "center": [0], "radius": 1, "epsilon": 1, "delta": 0.01, **k}
    ),
    "above_threshold": lambda c, **k: c.above_threshold(
        **{"threshold": 0, "sensitivity": 1, "epsilon": 1, "method": "once", **k}
    ),
    "lazy_histogram": lambda c, **k: c.lazy_histogram(**{"epsilon": 1, **k}),
    "lazy_gaussian": lambda c, **k: c.lazy_gaussian(
        **{"sensitivity": 1, "epsilon": 1, "delta": 0.01, **k}
    ),
}
BAD = {"epsilon": [0, -1, np.nan], "delta": [-0.1, 1, np.nan], "sensitivity": [0, -1, np.nan]}
WRONG = [
    (verb, name, value)
    for verb in CALLS
    for name, values in BAD.items()
    for value in values
    if name in inspect.signature(getattr(Curator, verb)).parameters
]
WRONG += [
    ("laplace", "value", np.nan),
    ("gaussian", "value", [np.inf]),
    ("average", "radius", 0),
    ("average", "center", [0, 0]),
    ("average", "data", [[np.nan]]),
    ("choose", "scores", []),
    ("choose", "scores", [1.0, np.nan]),
    ("stable_choice", "scores", [[1.0]]),
    ("stable_choice", "delta", 0.6),
    ("heaviest_cell", "delta", 0.6),
    ("stable_histogram", "delta", 0.6),
    ("above_threshold", "positives", 0),
    ("above_threshold", "method", "both"),
    ("above_threshold", "threshold", np.nan),
]


@pytest.mark.parametrize(("verb", "name", "value"), WRONG)
def test_bad_arguments_name_themselves_and_draw_nothing(verb, name, value):
    troubled, calm = curator(), curator()
    with pytest.raises((ValueError, TypeError), match=name):
        CALLS[verb](troubled, label="x", **{name: value})
    assert troubled.ledger == calm.ledger
    assert CALLS["laplace"](troubled, label="x") == CALLS["laplace"](calm, label="x")


@pytest.mark.parametrize("verb", CALLS)
def test_after_exhaustion_every_verb_refuses_and_says_what_is_left(verb):
    poor, calm = curator(epsilon=0.5, delta=0.005), curator(epsilon=0.5, delta=0.005)
    with pytest.raises(BudgetExceeded, match=r"'x' asks for epsilon 1.*, but epsilon 0.5, delta"):
        CALLS[verb](poor, label="x")
    assert poor.ledger == calm.ledger
    assert poor.laplace(0, sensitivity=1, epsilon=0.5, label="y") == calm.laplace(
        0, sensitivity=1, epsilon=0.5, label="y"
    )


@pytest.mark.parametrize(
    "budget", [{}, {"epsilon": 1, "rho": 1}, {"epsilon": 1, "delta": 1}, {"rho": -1}]
)
def test_a_budget_is_epsilon_or_rho(budget):
    with pytest.raises(ValueError, match=r"epsilon|rho|delta"):
        Curator(rng=0, **budget)


PRICES = {
    "laplace": Cost(rho=0.5),
    "choose": Cost(rho=1 / 8),
    "stable_choice": Cost(rho=0.5, delta=0.01),
    "heaviest_cell": Cost(rho=0.5, delta=0.01),
    "stable_histogram": Cost(rho=0.5, delta=0.01),
    "count_average": Cost(rho=0.5, delta=0.01),
    "above_threshold": Cost(rho=0.5),
    "lazy_histogram": Cost(rho=0.5),
}


@pytest.mark.parametrize("verb", PRICES)
def test_prices_in_zcdp(verb):
    rich = curator(**ZCDP)
    CALLS[verb](rich, label="x")
    assert rich.ledger.spent == PRICES[verb]


def test_gaussians_must_speak_the_curator_s_language():
    with pytest.raises(ValueError, match="composes by zCDP: give rho"):
        CALLS["gaussian"](curator(**ZCDP), label="x")
    with pytest.raises(ValueError, match="give both, not rho"):
        curator().gaussian(0.0, sensitivity=1, rho=0.1, label="x")


def test_the_gaussian_law():
    """Exact at 1e6 samples: the sum of squares is chi-squared. Alarm rate 1e-6, fixed seed."""
    n = 10**6
    noise = Curator(rho=1, rng=5).gaussian(np.zeros(n), sensitivity=3, rho=0.5, label="x")
    assert 5e-7 < stats.chi2(n).cdf((noise**2).sum() / 9) < 1 - 5e-7
    short = Curator(rho=1, rng=5).gaussian(np.zeros(n), sensitivity=2.98, rho=0.5, label="x")
    assert not 5e-7 < stats.chi2(n).cdf((short**2).sum() / 9) < 1 - 5e-7


def test_a_factor_shapes_the_noise():
    """Covariance L L^T up to 5 standard errors of 20,000 draws."""
    factor = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 1.0]])
    rich = Curator(rho=20_000, rng=1)
    draws = [
        rich.gaussian(np.zeros(2), sensitivity=1, rho=0.5, factor=factor, label="x")
        for _ in range(20_000)
    ]
    assert np.cov(np.array(draws).T) == pytest.approx(
        factor @ factor.T, abs=5 * 5 / np.sqrt(10_000)
    )
    with pytest.raises(ValueError, match="factor must have shape"):
        rich.gaussian(np.zeros(3), sensitivity=1, rho=0.5, factor=factor, label="x")


def test_choose_draws_with_the_weights_it_states():
    """Chi-squared test against exp(epsilon score / 2), 20,000 draws, alarm rate 1e-6."""
    # Statements: R10 Definition 4; R10 Theorem 4.
    rich, scores = curator(epsilon=1e5), np.array([0.0, 1.0, 3.0])
    drawn = [rich.choose(scores, sensitivity=1, epsilon=1, label="x") for _ in range(20_000)]
    weights = np.exp(scores / 2)
    expected = 20_000 * weights / weights.sum()
    found = np.bincount(drawn, minlength=3)
    assert stats.chisquare(found, expected).pvalue > 1e-6
    assert stats.chisquare(found, np.roll(expected, 1)).pvalue < 1e-6
    assert curator().choose([1e300, -1e300], sensitivity=1, epsilon=1, label="x") == 0


def endless(rng):
    """A curator that can be asked thousands of times: a law is looked at, no budget."""
    rich = Curator(epsilon=1e9, delta=0.999, rng=rng)
    rich._pay = lambda *charge: None
    return rich


@pytest.mark.parametrize("epsilon", [0.3, 4.0])
def test_confident_choice_is_tight_in_its_worst_case(epsilon):
    """Scores (2, 0) against (1, 1): another winner. The first is named with probability delta.

    delta = 0.1 of 4,000 draws, +- 5 sd = 0.024.
    """
    rich, price = endless(4), {"epsilon": epsilon, "delta": 0.1, "label": "x"}
    named = [rich.stable_choice([2, 0], **price) is not None for _ in range(4000)]
    assert np.mean(named) == pytest.approx(0.1, abs=0.024)


@pytest.mark.parametrize("epsilon", [0.3, 4.0])
def test_confident_choice_pays_exp_epsilon_with_the_same_winner(epsilon):
    """At the level and 2 below it: probabilities 1/2 and exp(-epsilon)/2; 4,000 draws, +- 5 sd."""
    rich, price = endless(5), {"epsilon": epsilon, "delta": 0.1, "label": "x"}
    level = 2 + 2 / epsilon * math.log(5)
    for lead, wanted in ((level, 0.5), (level - 2, 0.5 * math.exp(-epsilon))):
        named = [rich.stable_choice([lead, 0], **price) is not None for _ in range(4000)]
        assert np.mean(named) == pytest.approx(wanted, abs=0.04)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_erratum_the_clear_winner_test_as_it_goes_round_is_not_private_as_claimed(epsilon):
    """Noise 1/epsilon, threshold ln(1/delta)/epsilon: in the same worst case it names too often.

    The probability is e^(2 epsilon) delta / 2, more than delta from epsilon = 0.35 on.
    """
    delta = 1e-6
    named = stats.laplace.sf(math.log(1 / delta) / epsilon - 2, scale=1 / epsilon)
    assert not named <= delta
    assert named == pytest.approx(math.exp(2 * epsilon) * delta / 2)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_heaviest_cell_shows_a_lone_record_with_probability_delta(epsilon):
    """One record in an empty partition: delta = 0.1 of 4,000 draws, +- 5 sd = 0.024."""
    # Statements: NSV Theorem 2.5.
    draws = endless(3)
    shown = [
        draws.heaviest_cell(["me"], epsilon=epsilon, delta=0.1, label="x") is not None
        for _ in range(4000)
    ]
    assert np.mean(shown) == pytest.approx(0.1, abs=0.024)
    assert draws.heaviest_cell([], epsilon=1, delta=0.1, label="x") is None


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_a_histogram_shows_a_lone_record_with_probability_delta(epsilon):
    """As above; with noise of half the scale it would be 2 delta^2 = 0.02."""
    draws = endless(4)
    shown = [
        "me" in draws.stable_histogram(["me"], epsilon=epsilon, delta=0.1, label="x")
        for _ in range(4000)
    ]
    assert np.mean(shown) == pytest.approx(0.1, abs=0.024)


def test_heaviest_cell_finds_the_fullest_and_not_the_largest_key():
    keys = [9] * 30 + [1] * 300
    assert curator().heaviest_cell(keys, epsilon=1, delta=1e-6, label="x")[0] == 1


def test_the_worst_log_ratio_of_a_run_is_the_claim_and_no_more():
    """By quadrature: m times "below", then "above"; each value moved the worst way."""
    # Statements: NSV Theorem 4.8.
    epsilon, s = 1.0, 1.0
    test = curator().above_threshold(0, sensitivity=s, epsilon=epsilon, label="x")
    b1, b2 = test.threshold_scale, test.value_scale
    assert s / b1 + 2 * s / b2 == pytest.approx(epsilon)
    level, gaps, depths = np.linspace(-200, 200, 40_001), np.linspace(-10, 40, 26), (0, 20, 60)
    law, moves = stats.laplace.logpdf(level, scale=b1), (0.0, s)
    below = {(g, by): stats.laplace.logcdf(level + g + by, scale=b2) for g in gaps for by in moves}
    above = {(h, by): stats.laplace.logsf(level + h - by, scale=b2) for h in depths for by in moves}
    worst = []
    for silent in (1, 20, 200):
        best = 0.0
        for gap, depth in itertools.product(gaps, depths):
            # All silent values lower, the hit higher.
            sides = [law + silent * below[gap, by] + above[depth, by] for by in moves]
            best = max(best, abs(np.subtract(*map(special.logsumexp, sides))))
        worst.append(best / epsilon)
    assert worst[0] < 0.7  # one silent answer costs little; many cost all of it
    assert max(worst) <= 1 + 1e-6
    assert worst[1] > 0.9


def test_fresh_thresholds_pay_for_each_run_and_silence_is_one_line():
    rich = curator(epsilon=3)
    test = rich.above_threshold(0, sensitivity=1, epsilon=1, positives=3, label="t")
    assert len(rich.ledger.charges) == 0
    for _ in range(1000):
        assert not test.above(-1e6)
    assert [charge.verb for charge in rich.ledger.charges] == ["above_threshold"]
    for _ in range(3):
        assert test.above(1e6)
    assert rich.ledger.spent.epsilon == 3
    with pytest.raises(BudgetExceeded, match="given all its positive answers"):
        test.above(0)


def test_a_threshold_drawn_once_pays_once():
    rich = curator(epsilon=1)
    test = rich.above_threshold(0, sensitivity=1, epsilon=1, positives=5, method="once", label="t")
    assert [test.above(1e6) for _ in range(5)] == [True] * 5
    assert rich.ledger.spent.epsilon == 1
    assert 1 / test.threshold_scale + 10 / test.value_scale == pytest.approx(1)


def test_a_table_answers_the_same_name_the_same_way():
    entries = curator().lazy_histogram(epsilon=1, label="words")
    first = entries.entry("tree", 5)
    assert entries.entry("tree", 5) == first
    assert entries.entry("river", 5) != first
    assert entries.scale == 2


def test_lazy_coordinates_have_the_noise_of_one_gaussian_release_drawn_in_order():
    """One by one, in blocks or all at once: the same numbers, and one charge."""
    values = np.arange(6.0)
    price = {"sensitivity": 2, "epsilon": 1, "delta": 1e-6, "label": "x"}
    at_once = curator().gaussian(values, **price)
    payer = curator()
    lazy = payer.lazy_gaussian(**price)
    parts = [lazy.coordinates(values[:1]), lazy.coordinates(values[1:4]), lazy.coordinates([4, 5])]
    assert np.concatenate(parts) == pytest.approx(at_once, rel=1e-12)
    assert len(payer.ledger.charges) == 1
    assert lazy.sd == payer.ledger.charges[0].scale


def test_lazy_coordinates_are_a_vector_of_finite_numbers():
    payer = curator()
    lazy = payer.lazy_gaussian(sensitivity=1, epsilon=1, delta=1e-6, label="x")
    for wrong in (1.0, [[1.0]], [np.nan], ["a"], None):
        with pytest.raises((ValueError, TypeError), match="values"):
            lazy.coordinates(wrong)
    assert lazy.coordinates([]).shape == (0,)


def test_an_adaptive_choice_of_coordinates_loses_no_more_than_one_release():
    """The loss of a bad analyst, who spends the sensitivity where the noise helps, is N(0, s^2).

    D_1^2 = 1/2; then all that is left in one coordinate if the first noise was positive, else in
    a hundred. 40,000 sums of D_k N_k: Kolmogorov's distance from the normal law, chance 1e-6.
    """
    from scipy import stats

    rng = np.random.default_rng(3)
    first = rng.standard_normal(40_000)
    one, many = rng.standard_normal(40_000), rng.standard_normal((40_000, 100)).sum(axis=1) / 10
    sums = 0.5**0.5 * (first + np.where(first > 0, one, many))
    assert stats.kstest(sums, "norm").pvalue > 1e-6


def test_average_finds_the_middle_of_a_full_ball_and_says_none_for_an_empty_one():
    data = np.random.default_rng(0).normal([2, -1], 0.1, size=(5000, 2))
    found = curator().average(data, center=[2, -1], radius=1, epsilon=1, delta=1e-6, label="x")
    assert found.center == pytest.approx([2, -1], abs=5 * found.sd)
    assert found.count == pytest.approx(5000, abs=5 * 8.5)
    assert found.sd < 0.003
    away = curator().average(data, center=[9, 9], radius=1, epsilon=1, delta=1e-6, label="x")
    assert away is None


@pytest.mark.parametrize("trial", range(50))
def test_the_sum_and_the_count_together_move_by_two_at_most(trial):
    """Brute force over what one replaced record can do, in and out of the ball."""
    rng = np.random.default_rng(trial)
    data = rng.uniform(-1.5, 1.5, size=(4, 2))
    asked = []

    class Spy(Curator):
        def _reply(self, question, draw):
            asked.append(question.private)
            return super()._reply(question, draw)

    for _ in range(20):
        other = data.copy()
        other[0] = rng.uniform(-1.5, 1.5, size=2)
        for table in (data, other):
            Spy(rho=1, rng=0).average(table, center=[0, 0], radius=1, rho=1, label="x")
        assert np.linalg.norm(asked[-1] - asked[-2]) <= 2 + 1e-12


def test_the_ledger_is_a_table_and_a_tree():
    rich = curator(epsilon=2, delta=1e-3)
    rich.laplace(0, sensitivity=1, epsilon=0.5, label="count")
    part = rich.sub_curator_zcdp(epsilon=1, delta=1e-6, label="many")
    part.gaussian(np.zeros(3), sensitivity=1, rho=0.01, label="sums")
    text = str(rich.ledger)
    assert text.split("\n")[0].split() == ["label", "verb", "sensitivity", "scale", "cost", "share"]
    assert text.endswith("spent epsilon 1.5, delta 1e-06 of epsilon 2, delta 0.001")
    assert rich.ledger.tree() == "\n".join(
        [
            "spent epsilon 1.5, delta 1e-06 of epsilon 2, delta 0.001",
            "- count: laplace, epsilon 0.5 (25%)",
            "- many: sub_curator_zcdp, epsilon 1, delta 1e-06 (50%)",
            "  spent rho 0.01 of rho 0.02436",
            "  - sums: gaussian, rho 0.01 (41%)",
        ]
    )


def test_parts_are_paid_as_a_whole_and_cannot_overspend():
    rich = curator(epsilon=2, delta=1e-3)
    part = rich.sub_curator(epsilon=1, label="half")
    assert rich.ledger.spent == Cost(epsilon=1)
    part.laplace(0, sensitivity=1, epsilon=1, label="x")
    with pytest.raises(BudgetExceeded):
        part.laplace(0, sensitivity=1, epsilon=0.1, label="y")
    with pytest.raises(BudgetExceeded, match=r"'more' asks for epsilon 1\.5"):
        rich.sub_curator(epsilon=1.5, label="more")
    assert len(rich.ledger.charges) == 1
    with pytest.raises(ValueError, match="give the sub-curator's budget as epsilon"):
        rich.sub_curator(rho=1, label="other")
    with pytest.raises(ValueError, match="needs a 'zcdp' curator"):
        rich.sub_curator_pure(epsilon=1, label="other")


def test_a_part_of_steps_counts_them_and_their_size():
    """A hundred steps of 0.1: the exact composition is 4.78 at delta = 1e-6, not 10."""
    rich = curator(epsilon=5, delta=1e-5)
    part = rich.sub_curator_steps(epsilon=0.1, k=100, delta=1e-6, label="hundred")
    assert rich.ledger.spent.epsilon == pytest.approx(4.78, abs=0.01)
    with pytest.raises(BudgetExceeded):
        part.laplace(0, sensitivity=1, epsilon=0.2, label="too large")
    for _ in range(100):
        part.laplace(0, sensitivity=1, epsilon=0.05, label="step")
    with pytest.raises(BudgetExceeded):
        part.laplace(0, sensitivity=1, epsilon=0.05, label="one too many")


def test_a_sampled_part_is_charged_what_sampling_leaves():
    """A tenth of the records at epsilon = 1: ln(1 + (e - 1) / 10) = 0.159 is charged."""
    rich, data = curator(epsilon=1), np.arange(100.0)
    sample, part = rich.sub_curator_subsampled(data, size=10, epsilon=1, label="sample")
    assert len(set(sample)) == 10
    assert set(sample) <= set(data)
    assert rich.ledger.spent.epsilon == pytest.approx(math.log1p((math.e - 1) / 10))
    part.laplace(sample.mean(), sensitivity=99 / 10, epsilon=1, label="mean")
    with pytest.raises(BudgetExceeded):
        part.laplace(0, sensitivity=1, epsilon=0.1, label="more")
    with pytest.raises(ValueError, match="size must be"):
        rich.sub_curator_subsampled(data, size=101, epsilon=0.1, label="too large")


def test_a_part_of_zcdp_is_charged_its_rho_once():
    rich = curator(**ZCDP)
    part = rich.sub_curator(rho=1, label="part")
    part.laplace(0, sensitivity=1, epsilon=1, label="x")
    assert rich.ledger.spent == Cost(rho=1)
    assert rich.ledger.charges[0].sub_ledger.spent == Cost(rho=0.5)


def test_many_entries_of_a_lazy_histogram_are_those_one_by_one_bit_for_bit():
    one, many = (
        Curator(epsilon=1, rng=5).lazy_histogram(epsilon=1, label="words") for _ in range(2)
    )
    names, values = [*range(100), 7, 7], [i % 7 for i in range(102)]
    alone = [one.entry(name, value) for name, value in zip(names, values, strict=True)]
    assert many.entries(names, values).tolist() == alone
    assert many.entry(3, 99.0) == alone[3] and one.entry(200, 1.0) == many.entries([200], [1.0])[0]
    for wrong, words in ((([1], [1.0, 2.0]), "values must be"), (([[]], [1.0]), "name must be")):
        with pytest.raises((TypeError, ValueError), match=words):
            many.entries(*wrong)
