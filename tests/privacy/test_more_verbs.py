"""The Gaussian cell, the classical average, slack and deltas of parts: exactly, at their worst."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpviz import accounting
from dpviz.privacy.curator import BudgetExceeded, Cost, Curator


def hockey(p, q, epsilon):
    """Delta of two densities on a common grid of weights: the sum of (p - e^epsilon q)+."""
    return float(np.maximum(0, p - math.exp(epsilon) * q).sum())


def cell_law(counts, scale, enough, norm):
    """Law of (which of two cells, its noisy count or nothing), on a grid of counts."""
    grid = np.linspace(-60, 160, 8801) * scale / 2
    step = grid[1] - grid[0]
    law = [
        norm.pdf(grid, count, scale) * step if count else np.zeros_like(grid) for count in counts
    ]
    below = [norm.cdf(grid, count, scale) if count else np.ones_like(grid) for count in counts]
    named = [law[i] * below[1 - i] * (grid >= enough) for i in (0, 1)]
    flat = np.concatenate(named)
    return np.append(flat, max(0.0, 1 - flat.sum()))


PAIRS = [
    ((1, 0), (0, 1)),
    ((1, 5), (0, 6)),
    ((5, 4), (4, 5)),
    ((6, 1), (7, 0)),
    ((1, 1), (2, 0)),
    ((1, 0), (0, 0)),
]


@pytest.mark.parametrize(("rho", "slack"), [(0.5, 0.05), (0.02, 0.01), (2.0, 0.2)])
def test_the_gaussian_cell_is_worth_its_rho_and_slack(rho, slack):
    """The conversion allows this delta at each epsilon; the grid errs by less than 1e-3."""
    sd = 1 / math.sqrt(rho)
    enough = 1 + sd * stats.norm.isf(slack)
    for one, other in PAIRS:
        p, q = (cell_law(counts, sd, enough, stats.norm) for counts in (one, other))
        for epsilon in (0.2, 1.0, 3.0):
            allowed = accounting.zcdp_delta(rho=rho, epsilon=epsilon, slack=slack)
            assert hockey(p, q, epsilon) <= allowed + 1e-3
            assert hockey(q, p, epsilon) <= allowed + 1e-3


def test_a_lone_record_is_shown_by_the_gaussian_cell_with_probability_delta():
    """4000 draws at 0.1: outside 0.1 +- 0.024 with probability 6e-7."""
    draws = Curator(rho=1e6, delta=500.0 / 501, rng=0)
    draws._pay = lambda *_: None  # only the law is looked at
    shown = [
        draws.heaviest_cell(["me"], rho=0.5, delta=0.1, label="x") is not None for _ in range(4000)
    ]
    assert np.mean(shown) == pytest.approx(0.1, abs=0.024)


def test_the_gaussian_cell_needs_less_than_the_laplace_cell_at_the_same_price():
    rich = Curator(rho=1.0, delta=0.1, rng=0)
    gauss = rich._release_level(epsilon=None, delta=2e-7, rho=0.0024)[1]
    laplace = rich._release_level(epsilon=math.sqrt(2 * 0.0024), delta=2e-7, rho=None)[1]
    assert (round(gauss), round(laplace)) == (104, 426)


@pytest.mark.parametrize("m", [1, 2, 5, 40])
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.05), (4.0, 1e-3)])
def test_the_classical_average_is_private_by_integration(m, epsilon, delta):
    """Worst pair in one dimension: one of m records leaves the ball at its border.

    Joint law of the noisy count and the mean; the chance of no answer counts as one more event.
    """
    # Statements: NSV Theorem A.3; NSV Algorithm 5.
    scale, unit = 2 / epsilon, accounting.gaussian_sd(epsilon=epsilon / 2, delta=delta / 2)
    shift = scale * math.log(1 / delta)

    def law(count, mean):
        def density(x):
            return math.exp(-abs(x + shift - count) / scale) / (2 * scale)

        return density, mean

    (one, at), (two, other) = law(m, 1.0 if m == 1 else 1.0 / m), law(m - 1, 0.0)
    silent = [stats.laplace.cdf(1 + shift - count, scale=scale) for count in (m, m - 1)]

    def gap(x):
        """Delta at this noisy count: Gaussians of one width, their heights weighted."""
        sd = 2 * unit / x
        ratio = math.exp(epsilon) * two(x) / one(x)
        move = abs(at - other) / sd
        point = math.log(ratio) / move if move else math.inf
        return one(x) * stats.norm.sf(point - move / 2) - one(x) * ratio * stats.norm.sf(
            point + move / 2
        )

    inner = integrate.quad(
        gap, 1, m + 40 * scale, limit=400, points=[m - shift] if m - shift > 1 else None
    )[0]
    total = inner + max(0.0, silent[0] - math.exp(epsilon) * silent[1])
    assert total <= delta


def test_the_joint_average_has_less_noise_than_the_classical_one_at_the_same_price():
    data = np.full((5000, 3), 0.5)
    where = {"center": [0.5] * 3, "radius": 1.0, "epsilon": 1.0, "delta": 1e-6, "label": "x"}
    joint, classical = (
        getattr(Curator(epsilon=1, delta=1e-6, rng=0), verb)(data, **where)
        for verb in ("average", "count_average")
    )
    assert joint.sd < classical.sd / 1.8
    printed = 8 / classical.count * math.sqrt(2 * math.log(8e6))
    assert classical.sd < printed / 1.9  # sensitivity 2 radius, not 4, and the exact Gaussian


def test_an_empty_ball_gives_nothing():
    curator = Curator(epsilon=1, delta=1e-6, rng=0)
    where = {"center": [0.0], "radius": 0.1, "epsilon": 1, "delta": 1e-6, "label": "x"}
    assert curator.count_average(np.ones((50, 1)), **where) is None


def test_an_empty_ball_that_looks_full_has_a_finite_average():
    """No record inside, but the noisy count exceeds 1: noise around the centre, and no warning.

    m' > 1 if the noise exceeds 1 + 2 ln(1 / 0.4) = 2.83 scales of 2: probability 0.12.
    """
    found = [
        Curator(epsilon=1, delta=0.4, rng=seed).count_average(
            np.full((9, 2), 5.0), center=[0, 0], radius=1, epsilon=1, delta=0.4, label="x"
        )
        for seed in range(100)
    ]
    full = [average for average in found if average is not None]
    assert full and all(np.isfinite(average.center).all() for average in full)


def test_slack_is_the_part_s_own_delta():
    whole = Curator(epsilon=1, delta=1e-6, rng=0)
    part = whole.sub_curator_zcdp(epsilon=1, delta=1e-6, slack=2e-7, label="part")
    assert part.budget == Cost(
        rho=accounting.zcdp_rho(epsilon=1, delta=1e-6, slack=2e-7), delta=2e-7
    )
    part.heaviest_cell(["a"] * 9, rho=0.001, delta=2e-7, label="cell")
    with pytest.raises(BudgetExceeded):
        part.heaviest_cell(["a"] * 9, rho=0.001, delta=1e-9, label="again")
    with pytest.raises(ValueError, match="slack"):
        Curator(epsilon=1, delta=1e-6, rng=0).sub_curator_zcdp(
            epsilon=1, delta=1e-6, slack=1e-6, label="x"
        )


def test_steps_with_a_delta_are_charged_for_it_and_refused_beyond():
    whole = Curator(epsilon=1, delta=1e-6, rng=0)
    part = whole.sub_curator_steps(epsilon=0.02, k=10, delta=1e-6, step_delta=5e-8, label="axes")
    for i in range(10):
        part.heaviest_cell(["a"] * 2000, epsilon=0.02, delta=5e-8, label=str(i))
    with pytest.raises(BudgetExceeded):
        part.heaviest_cell(["a"], epsilon=0.02, delta=5e-8, label="one more")
    exact = accounting.pure_exact(epsilon=0.02, k=10, delta=1e-6, step_delta=5e-8)
    assert whole.ledger.spent == Cost(epsilon=exact, delta=1e-6)


def test_a_resampled_part_draws_with_replacement_and_charges_the_lemma():
    whole = Curator(epsilon=1, delta=1e-6, rng=0)
    data = np.arange(50)
    sample, part = whole.sub_curator_resampled(
        data, size=200, epsilon=0.05, delta=1e-9, label="sample"
    )
    assert len(sample) == 200
    assert set(sample) <= set(data.tolist())
    charged = accounting.resample_step(epsilon=0.05, delta=1e-9, draws=200, n=50)
    assert (whole.ledger.spent.epsilon, whole.ledger.spent.delta) == charged
    assert part.budget == Cost(epsilon=0.05, delta=1e-9)


def test_heavy_cells_speak_the_curator_s_language():
    with pytest.raises(ValueError, match="either as epsilon or as rho"):
        Curator(rho=1, delta=0.1, rng=0).heaviest_cell(["a"], delta=0.1, label="x")
    with pytest.raises(ValueError, match="give epsilon, not rho"):
        Curator(epsilon=1, delta=0.1, rng=0).heaviest_cell(["a"], rho=1, delta=0.1, label="x")


@pytest.mark.parametrize("delta", [1e-3, 2e-16, 1e-30])
def test_the_level_of_a_heavy_cell_is_right_for_tiny_deltas_too(delta):
    curator = Curator(rho=1, delta=0.1, rng=0)
    sd, enough, _ = curator._release_level(epsilon=None, delta=delta, rho=0.25)
    assert enough == pytest.approx(1 + sd * stats.norm.isf(delta), rel=1e-9)
    assert curator.heaviest_cell(["a"] * 999, rho=0.25, delta=delta, label="x")[0] == "a"
