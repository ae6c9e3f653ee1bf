"""Noise that OpenDP draws: the same laws at the same costs, refusals of the rest, nothing more."""

import math

import numpy as np
import pytest
from scipy import stats

import dpviz
from dpviz import accounting
from dpviz.privacy import safe_noise
from dpviz.privacy.curator import Curator
from dpviz.privacy.ledger import Cost, Question, line

POINTS = np.random.default_rng(0).random((50, 1))


def test_where_opendp_is_missing_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(safe_noise, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'dpviz\[safe\]'"):
        dpviz.Curator(epsilon=1, noise="opendp")
    assert dpviz.Curator(epsilon=1).noise == "floats"


@pytest.fixture
def opendp():
    """OpenDP, where it is installed."""
    return pytest.importorskip("opendp.prelude")


def safe(**budget):
    return dpviz.Curator(**(budget or {"epsilon": 1e6, "delta": 0.5}), noise="opendp")


def test_a_seed_or_another_word_is_refused(opendp):
    with pytest.raises(ValueError, match="rng must be None"):
        dpviz.Curator(epsilon=1, noise="opendp", rng=1)
    with pytest.raises(ValueError, match="noise must be one of"):
        dpviz.Curator(epsilon=1, noise="secure")


def same_law(found, distribution, cells=None):
    """Kolmogorov and Smirnov, at 1e-9: OpenDP takes no seed, so a false alarm must be rare."""
    assert stats.kstest(found, distribution).pvalue > 1e-9


def test_laplace_and_gaussian_noise_have_the_laws_that_are_charged(opendp):
    zeros = np.zeros(10_000)
    payer = safe()
    noise = payer.laplace(zeros, sensitivity=3.0, epsilon=2.0, label="x")
    same_law(noise, stats.laplace(scale=1.5).cdf)
    sd = accounting.gaussian_sd(epsilon=2.0, delta=1e-3)
    noise = payer.gaussian(zeros, sensitivity=3.0, epsilon=2.0, delta=1e-3, label="x")
    same_law(noise, stats.norm(scale=3 * sd).cdf)
    assert [charge.cost for charge in payer.ledger.charges] == [
        Cost(epsilon=2.0),
        Cost(epsilon=2.0, delta=1e-3),
    ]


def test_a_false_law_would_be_seen():
    noise = np.random.default_rng(1).laplace(scale=1.5 * 1.2, size=10_000)
    with pytest.raises(AssertionError):
        same_law(noise, stats.laplace(scale=1.5).cdf)


def chosen(payer, scores, times, **cost):
    found = [payer.choose(scores, **cost, label="x") for _ in range(times)]
    return np.bincount(found, minlength=len(scores))


@pytest.mark.parametrize("composition", ["epsilon", "rho"])
def test_a_selection_has_the_law_of_the_exponential_mechanism(opendp, composition):
    payer = safe(**{composition: 1e6})
    scores = np.array([0.0, 1.0, 3.0])
    cost = {"sensitivity": 2.0, "epsilon": 1.5}
    weights = np.exp(1.5 / 4 * scores)
    counts = chosen(payer, scores, 4000, **cost)
    expected = 4000 * weights / weights.sum()
    assert stats.chisquare(counts, expected).pvalue > 1e-9
    assert stats.chisquare([2000, 1000, 1000], expected).pvalue < 1e-9  # another law is seen
    rho = accounting.zcdp_choose(epsilon=1.5)
    each = Cost(epsilon=1.5) if composition == "epsilon" else Cost(rho=rho)
    assert payer.ledger.charges[0].cost == each


def question(verb, sensitivity, scale, cost, private):
    return Question(charge=line("x", verb, sensitivity, scale, cost), private=private, norm="L1")


def test_opendp_s_own_map_agrees_with_what_is_charged(opendp):
    """Relative: OpenDP rounds its grid outwards."""
    for epsilon in (0.1, 1.0, 7.0):
        asked = question("laplace", 3.0, 3.0 / epsilon, Cost(epsilon=epsilon), np.zeros(5))
        assert safe_noise.measurement_for(asked).map(3.0) == pytest.approx(epsilon, rel=1e-9)
        sd = 3.0 * accounting.gaussian_sd(epsilon=epsilon, delta=1e-6)
        asked = question("gaussian", 3.0, sd, Cost(epsilon=epsilon, delta=1e-6), np.zeros(5))
        rho = (3.0 / sd) ** 2 / 2
        assert safe_noise.measurement_for(asked).map(3.0) == pytest.approx(rho, rel=1e-9)
        asked = question("choose", 3.0, 0.0, Cost(epsilon=epsilon), np.zeros(5))
        # Selection is charged epsilon, or epsilon^2 / 8 in zCDP, which is what OpenDP says.
        mapped = safe_noise.measurement_for(asked).map(3.0)
        assert mapped == pytest.approx(epsilon**2 / 8, rel=1e-9)


REFUSED = {
    "above_threshold": lambda c: c.above_threshold(
        0.5, sensitivity=1, epsilon=1, positives=1, label="x"
    ),
    "heaviest_cell": lambda c: c.heaviest_cell(["a"] * 9, epsilon=1, delta=0.1, label="x"),
    "stable_histogram": lambda c: c.stable_histogram(["a"] * 9, epsilon=1, delta=0.1, label="x"),
    "lazy_gaussian": lambda c: c.lazy_gaussian(
        sensitivity=1, epsilon=1, delta=0.1, label="x"
    ),
    "lazy_histogram": lambda c: c.lazy_histogram(epsilon=1, label="x"),
    "stable_choice": lambda c: c.stable_choice([1.0, 9.0], epsilon=1, delta=0.1, label="x"),
    "count_average": lambda c: c.count_average(
        POINTS, center=[0.5], radius=1, epsilon=1, delta=0.1, label="x"
    ),
    "choose_metropolis": lambda c: c.choose_metropolis(
        lambda x: 0.0, 0, lambda x, rng: (x, 0.0),
        steps=2, sensitivity=1, epsilon=1, distance=0.01, label="x",
    ),
    "sub_curator_subsampled": lambda c: c.sub_curator_subsampled(
        POINTS, size=5, epsilon=1, label="x"
    ),
    "sub_curator_resampled": lambda c: c.sub_curator_resampled(
        POINTS, size=5, epsilon=1, label="x"
    ),
}  # fmt: skip


@pytest.mark.parametrize("verb", REFUSED)
def test_what_opendp_cannot_draw_is_refused_before_anything_is_paid(opendp, verb):
    payer = safe()
    with pytest.raises(ValueError, match="noise='opendp' draws laplace, gaussian, average, choose"):
        REFUSED[verb](payer)
    assert payer.ledger.charges == ()
    REFUSED[verb](dpviz.Curator(epsilon=1e6, delta=0.5, rng=1))  # with floats it is drawn


def test_every_verb_is_drawn_or_refused():
    verbs = {name for room in Curator.__mro__ for name in vars(room) if name[0] != "_"}
    plain = {"budget", "composition", "ledger"}
    curators = {"sub_curator", "sub_curator_zcdp", "sub_curator_pure", "sub_curator_steps"}
    assert verbs - plain - curators == set(safe_noise.VERBS) | set(REFUSED)


def test_parts_of_a_safe_curator_are_safe_and_a_refused_charge_draws_nothing(opendp):
    payer = safe(epsilon=1.0, delta=1e-6)
    part = payer.sub_curator(epsilon=0.5, label="part")
    assert part.noise == "opendp"
    part = payer.sub_curator_zcdp(epsilon=0.25, delta=1e-7, label="part")
    with pytest.raises(ValueError, match="opendp"):
        part.lazy_histogram(epsilon=0.01, label="x")
    with pytest.raises(dpviz.door.payment.BudgetExceeded):
        payer.laplace(0.0, sensitivity=1, epsilon=0.5, label="x")
    assert len(payer.ledger.charges) == 2


def test_the_front_door_runs_on_it_where_it_can(opendp):
    payer = safe(epsilon=4.0, delta=1e-3)
    column = POINTS[:, 0]
    found = dpviz.mean(column, bounds=(0, 1), epsilon=1, curator=payer)
    assert abs(found.value - column.mean()) <= found.error_bound(beta=1e-9)
    curves = dpviz.distances(POINTS, bounds=(0, 1), epsilon=1, delta=1e-3, curator=payer)
    exact = np.abs(POINTS - 0.25).mean()
    assert abs(curves.answer([0.25])[0] - exact) <= curves.error_bound(beta=1e-9)
    with pytest.raises(ValueError, match="opendp"):
        dpviz.sparse_queries(["a", "b"], [["a"]], epsilon=1, method="lazy histogram", curator=payer)
    assert len(payer.ledger.charges) == 2
    assert math.isclose(payer.ledger.spent.epsilon, 2)


def test_a_mean_far_from_zero_is_not_rounded_before_the_noise(opendp):
    """Floats near 10^15 are an eighth apart, so the mean of one neighbour would be rounded up and
    that of the other down, 125 times as far apart as is paid for, and no noise would hide it."""
    low = 1e15
    one = np.full(1000, low)
    one[:62] = low + 1
    other = one.copy()
    other[62] = low + 1
    private = []

    class Seen(dpviz.Curator):
        def _reply(self, question, draw):
            private.append(float(question.private))
            return super()._reply(question, draw)

    for data in (one, other):
        dpviz.mean(data, bounds=(low, low + 1), curator=Seen(epsilon=1, noise="opendp"))
    assert abs(private[1] - private[0]) <= 1e-3 * (1 + 1e-9)
    assert abs(private[1] - private[0]) >= 1e-3 * (1 - 1e-9)


def test_linear_answers_that_hardly_differ_are_not_rounded_before_the_noise(opendp):
    """Weights 1 and 1 - 2^-53 ask for little and pay for little: the sum of a thousand of them has
    coarser last bits, which would say whether a cell holds more than half of the records."""
    query = [[1.0, 1 - 2.0**-53]]
    private = []

    class Seen(dpviz.Curator):
        def _reply(self, question, draw):
            private.append((float(question.private[0]), question.charge.sensitivity))
            return super()._reply(question, draw)

    for held in (512, 513):
        counts = [1000 - held, held]
        payer = Seen(epsilon=1, noise="opendp")
        found = dpviz.linear_queries(counts, query, method="laplace", curator=payer)
        assert found.values[0] == pytest.approx(1000, rel=1e-12)
    (one, paid), (other, _) = private
    assert paid == 2.0**-53
    assert abs(one - other) <= paid * (1 + 1e-9)
