"""The walk: its exact chain with and without the factor, its cost, and how it freezes."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chisquare
from second.exact import output_distribution

from dpviz.audit.transcript import faults
from dpviz.papers.fat_shattering import classes, small_databases
from dpviz.papers.fat_shattering.net_mechanism import (
    Params,
    Proposal,
    _errors,
    _initial_state,
    answer,
    error_bound,
    release,
    truth,
)
from dpviz.privacy.curator import BudgetExceeded, Curator

CELLS, ROWS = 5, 6  # 210 databases
DATA = np.array([12.0, 7.0, 5.0, 4.0, 2.0])
QUERIES = np.random.default_rng(0).uniform(size=(20, CELLS))
FOUND = small_databases.databases(CELLS, ROWS)
PLACE = {tuple(row): i for i, row in enumerate(FOUND)}


def total_variation(one, other):
    return np.abs(one - other).sum() / 2


def exact_chain(factor, epsilon=1.0):
    """The walk's transition matrix over all 210 databases, written down from the text."""
    weights = -epsilon / 2 * _errors(QUERIES, DATA, FOUND / ROWS)
    chain = np.zeros((len(FOUND), len(FOUND)))
    for s, counts in enumerate(FOUND):
        for i, j in itertools.product(range(CELLS), repeat=2):
            if counts[i] and i != j:
                moved = counts.copy()
                moved[i] -= 1
                moved[j] += 1
                t = PLACE[tuple(moved)]
                ratio = (counts[j] + 1) / counts[i] if factor else 1.0
                accept = min(1.0, ratio * math.exp(weights[t] - weights[s]))
                chain[s, t] += counts[i] / ROWS / CELLS * accept
        chain[s, s] = 1 - chain[s].sum()
    return chain


def laws():
    """The law over databases, and the one in which each counts as often as it can be ordered."""
    params = Params(epsilon=1.0, rows=ROWS, total=DATA.sum())
    uniform = output_distribution(DATA, params, queries=QUERIES)
    orders = np.array([math.factorial(ROWS) / math.prod(map(math.factorial, c)) for c in FOUND])
    multinomial = uniform * orders
    return uniform, multinomial / multinomial.sum()


def relative_error(params, data, queries, *, rng):
    """Largest error of one walk, as a share of the people."""
    out = release(data, params, params.curator(rng=rng), queries=queries)
    return np.abs(answer(out, queries) - truth(data, queries)).max() / np.sum(data)


def test_the_factor_decides_which_law_the_chain_keeps():
    """Exactly: 210 states, no sampling. The two laws differ by a third."""
    uniform, multinomial = laws()
    assert total_variation(uniform, multinomial) > 0.2
    right, wrong = exact_chain(factor=True), exact_chain(factor=False)
    assert uniform @ right == pytest.approx(uniform, abs=1e-14)
    assert multinomial @ wrong == pytest.approx(multinomial, abs=1e-14)
    assert total_variation(uniform @ np.linalg.matrix_power(wrong, 4096), uniform) > 0.2
    start = np.eye(len(FOUND))[PLACE[(2, 1, 1, 1, 1)]]
    for chain, limit in ((right, uniform), (wrong, multinomial)):
        assert total_variation(start @ np.linalg.matrix_power(chain, 1024), limit) < 1e-6


def test_the_walk_is_that_chain():
    """1,500 walks of 60 steps against the exact law after 60 steps; false alarm 1e-6."""
    chain = exact_chain(factor=True)
    start = np.eye(len(FOUND))[PLACE[(2, 1, 1, 1, 1)]]
    expected = start @ np.linalg.matrix_power(chain, 60)
    params = Params(epsilon=1.0, rows=ROWS, total=DATA.sum(), delta=1e-6, steps=60)
    rng, seen = np.random.default_rng(7), np.zeros(len(FOUND))
    for _ in range(1500):
        out = release(DATA, params, params.curator(rng=rng), queries=QUERIES)
        seen[PLACE[tuple(np.rint(out.fractions * ROWS).astype(int))]] += 1
    order = np.argsort(expected)[::-1]
    groups = np.minimum(np.arange(len(order)), 40)  # rare ones together
    pooled = [np.bincount(groups, weights=x[order]) for x in (seen, 1500 * expected)]
    assert chisquare(*pooled).pvalue > 1e-6


def test_the_moves_keep_the_sums_and_the_ratio():
    rng, mover = np.random.default_rng(1), Proposal(QUERIES)
    state = _initial_state(QUERIES, ROWS)
    for _ in range(200):
        moved, log_ratio = mover(state, rng)
        assert (np.bincount(moved.rows, minlength=CELLS) == moved.counts).all()
        assert moved.sums == pytest.approx(QUERIES @ moved.counts, abs=1e-12)
        i, j = (state.counts - moved.counts).argmax(), (moved.counts - state.counts).argmax()
        if i != j:
            assert math.exp(log_ratio) == pytest.approx(moved.counts[j] / state.counts[i])
        state = moved


def run(data, curator, **settings):
    params = Params(**{"epsilon": 1.0, "delta": 1e-6, "rows": ROWS, "steps": 30, **settings})
    return release(data, params, curator, queries=QUERIES)


def test_the_transcript_and_the_cost():
    other = DATA + np.eye(CELLS)[0]
    assert faults(run, DATA, other, rng=0, epsilon=1.0, delta=1e-6) == []
    curator = Curator(epsilon=1.0, delta=1e-6, rng=0)
    run(DATA, curator)
    assert curator.ledger.spent.delta == pytest.approx(1e-6)
    assert curator.ledger.spent.epsilon == pytest.approx(1.0)


def test_a_score_that_moves_too_much_is_caught():
    def weak(data, curator):
        score = lambda state: -float(np.abs(3 * data - state).max())  # noqa: E731
        stay = lambda state, rng: (state, 0.0)  # noqa: E731
        cost = {"sensitivity": 1.0, "epsilon": 1.0, "distance": 0.0, "label": "walk"}
        return curator.choose_metropolis(score, np.zeros(2), stay, steps=3, **cost)

    found = faults(weak, np.array([1.0, 0]), np.array([2.0, 0]), rng=0, epsilon=1.0)
    assert any("moved by 3, paid for 1" in sentence for sentence in found)


def test_what_cannot_be_paid_is_not_walked():
    with pytest.raises(BudgetExceeded):
        run(DATA, Curator(epsilon=1.0, rng=0))  # no delta
    curator = Curator(epsilon=0.95, delta=1e-6, rng=0)  # enough for the walk, not for the total
    with pytest.raises(BudgetExceeded):
        run(DATA, curator)
    assert not curator.ledger.charges
    with pytest.raises(ValueError, match="composes otherwise"):
        run(DATA, Curator(rho=1.0, delta=0.1, rng=0))
    with pytest.raises(ValueError, match=r"distance must be a number with 0 <= distance < 0\.26"):
        cost = {"sensitivity": 1.0, "epsilon": 1.0, "distance": 0.3, "label": "walk"}
        curator = Curator(epsilon=1.0, delta=0.5, rng=0)
        curator.choose_metropolis(lambda s: 0.0, 0, lambda s, rng: (s, 0.0), steps=1, **cost)


def test_more_people_do_not_help_a_walk_that_freezes():
    """50 cells, 40 rows, 300 queries: from 3,000 people on more of them gain nothing."""
    rng = np.random.default_rng(3)
    queries, shares = rng.uniform(size=(300, 50)), rng.dirichlet(np.ones(50))
    relative = {}
    for total in (300, 3000, 30_000):
        params = Params(epsilon=1.0, rows=40, total=float(total), delta=1e-6, steps=4000)
        data = small_databases.rounded(shares, total).astype(float)
        runs = [relative_error(params, data, queries, rng=i) for i in range(4)]
        relative[total] = np.mean(runs)
    assert relative[300] > 2 * relative[3000]
    assert relative[30_000] > 0.5 * relative[3000]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"delta": 0}, "delta must be"),
        ({"steps": 0}, "steps must be"),
        ({"rows": 0}, "rows must be"),
        ({"method": "half"}, "method must be one of"),
    ],
)
def test_bad_params_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        Params(**{"epsilon": 1.0, "delta": 1e-6, "rows": 3, "steps": 9, **change})


def test_it_goes_where_listing_cannot():
    queries = classes.thresholds(30)
    data = np.full(30, 10.0)
    with pytest.raises(ValueError, match="too many to list"):
        small = Params(epsilon=1.0, rows=20)
        release(data, small, small.curator(rng=0), queries=queries)
    params = Params(epsilon=1.0, rows=20, total=300.0, delta=1e-6, steps=500)
    assert relative_error(params, data, queries, rng=0) < 0.5


def test_of_a_walk_nothing_is_proved():
    params = Params(epsilon=1.0, delta=1e-6, rows=3, steps=9, total=30.0)
    with pytest.raises(ValueError, match=r"^steps must be None"):
        error_bound(params, queries=QUERIES)
    with pytest.raises(ValueError, match=r"^delta must be"):
        Params(epsilon=1.0, delta=1e-6, rows=3)  # listed, so pure


def test_a_huge_epsilon_has_a_distance():
    assert 0 < Params(epsilon=2000.0, delta=1e-6, rows=3, steps=9).distance < 1e-300
