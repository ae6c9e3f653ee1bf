"""Privacy without statistics: every verb and some adaptive mechanisms, by their transcripts.

Hypothesis draws sizes, records, the one that is replaced, and seeds; never random numbers.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.base.curator import BudgetExceeded
from dpviz.base.transcript import faults

UNIT = st.integers(0, 16).map(lambda i: i / 16)
BASIC, ZCDP = {"epsilon": 8.0, "delta": 0.1}, {"rho": 20.0, "delta": 0.1}


@st.composite
def neighbours(draw):
    """Two columns of numbers in [0, 1] that differ in one record, and a seed."""
    data = draw(st.lists(UNIT, min_size=1, max_size=8))
    other = list(data)
    other[draw(st.integers(0, len(data) - 1))] = draw(UNIT)
    return np.array(data), np.array(other), draw(st.integers(0, 2**32))


def mean_laplace(data, curator):
    return curator.laplace(data.mean(), sensitivity=1 / len(data), epsilon=1, label="mean")


def histogram_laplace(data, curator):
    counts = np.histogram(data, bins=4, range=(0, 1))[0]
    return curator.laplace(counts, sensitivity=2, epsilon=1, label="histogram")


def histogram_gaussian(data, curator):
    counts = np.histogram(data, bins=4, range=(0, 1))[0]
    return curator.gaussian(
        counts, sensitivity=np.sqrt(2), label="histogram", **gaussian_price(curator)
    )


def path_gaussian(data, curator):
    counts = np.histogram(data, bins=4, range=(0, 1))[0]
    sums = np.tril(np.ones((4, 4)))
    return curator.gaussian(
        counts, sensitivity=np.sqrt(2), factor=sums, label="path", **gaussian_price(curator)
    )


def gaussian_price(curator):
    return {"rho": 0.5} if curator.composition == "zcdp" else {"epsilon": 1, "delta": 0.01}


def pick(data, curator):
    scores = [-np.abs(data - y).sum() for y in (0, 0.5, 1)]
    return curator.choose(scores, sensitivity=1, epsilon=1, label="median")


def clear_winner(data, curator):
    counts = np.histogram(data, bins=4, range=(0, 1))[0]
    return curator.confident_choice(counts, epsilon=1, delta=0.05, label="mode")


def fullest(data, curator):
    return curator.heavy_cell([int(4 * x) for x in data], epsilon=1, delta=0.05, label="mode")


def common(data, curator):
    return curator.heavy_cells([int(4 * x) for x in data], epsilon=1, delta=0.05, label="modes")


def fullest_gaussian(data, curator):
    if curator.composition == "basic":
        curator = curator.part_zcdp(epsilon=2, delta=0.04, slack=0.02, label="part")
    keys = [int(4 * x) if x < 0.9 else None for x in data]
    return curator.heavy_cell(keys, rho=0.01, delta=0.02, label="mode")


def classical_average(data, curator):
    price = {"epsilon": 2, "delta": 0.05, "label": "ball"}
    return curator.count_average(data[:, None], center=[0.5], radius=0.3, **price)


def thresholds(plan):
    def mechanism(data, curator):
        stream = curator.above_threshold(
            0.5, sensitivity=1 / len(data), epsilon=1, hits=2, plan=plan, label="above"
        )
        answers = []
        for level in np.linspace(0, 1, 9):
            if stream.hits_left:
                answers.append(stream.above(float((data > level).mean())))
        return answers

    mechanism.__name__ = f"thresholds_{plan}"
    return mechanism


def table(data, curator):
    entries = curator.noise_table(epsilon=1, label="words")
    names = [0, 1, 2, 3, 1, 0]
    return [entries.entry(name, float((np.floor(4 * data) == name).sum())) for name in names]


def ball(data, curator):
    return curator.average(
        data[:, None], center=[0.5], radius=0.3, label="ball", **gaussian_price(curator)
    )


def adaptive(data, curator):
    """What is asked second, and its name, depend on the first answer: that is allowed."""
    first = curator.laplace((data > 0.5).mean(), sensitivity=1 / len(data), epsilon=1, label="1")
    level = 0.25 if first > 0.5 else 0.75
    label = f"above {level}"
    second = curator.laplace(
        (data > level).mean(), sensitivity=1 / len(data), epsilon=1, label=label
    )
    return first, second


def parted(data, curator):
    """A part that composes otherwise, and something after it."""
    if curator.composition == "basic":
        part = curator.part_zcdp(epsilon=1, delta=0.01, label="part")
        inner = part.gaussian(data.mean(), sensitivity=1 / len(data), rho=0.01, label="in")
    else:
        part = curator.part_pure(epsilon=1, label="part")
        inner = part.laplace(data.mean(), sensitivity=1 / len(data), epsilon=1, label="in")
    return inner, mean_laplace(data, curator)


def sampled(data, curator):
    """A secret sample: given the same rows, at most one record differs."""
    sample, part = curator.part_sampled(data, size=len(data), epsilon=1, label="sample")
    return mean_laplace(sample, part)


SOUND = [
    mean_laplace,
    histogram_laplace,
    histogram_gaussian,
    path_gaussian,
    pick,
    clear_winner,
    fullest,
    common,
    fullest_gaussian,
    classical_average,
    thresholds("fresh"),
    thresholds("lasting"),
    table,
    ball,
    adaptive,
    parted,
]


@pytest.mark.parametrize("budget", [BASIC, ZCDP], ids=["basic", "zcdp"])
@pytest.mark.parametrize("mechanism", SOUND, ids=lambda m: m.__name__)
@given(pair=neighbours())
@settings(max_examples=40)
def test_every_verb_keeps_what_it_promises(mechanism, budget, pair):
    data, other, seed = pair
    assert faults(mechanism, data, other, rng=seed, **budget) == []


def understated(data, curator):
    counts = np.histogram(data, bins=4, range=(0, 1))[0]
    return curator.laplace(counts, sensitivity=1, epsilon=1, label="histogram")


def behind_the_back(data, curator):
    return mean_laplace(data, curator) + data.mean() + curator._rng.normal()


def small_leak(data, curator):
    return mean_laplace(data, curator) + 1e-3 * data.mean()


def data_dependent_price(data, curator):
    return curator.laplace(
        data.mean(), sensitivity=1 / len(data), epsilon=1 if data.mean() > 0.5 else 2, label="mean"
    )


def data_dependent_count(data, curator):
    answers = [mean_laplace(data, curator)]
    if data.max() > 0.5:
        answers.append(mean_laplace(data, curator))
    return answers[0]


def data_dependent_label(data, curator):
    return curator.laplace(0.0, sensitivity=1, epsilon=1, label=f"near {data[0]}")


FAULTS = {
    understated: "moved by 2, paid for 1",
    behind_the_back: "the releases differ",
    small_leak: "the releases differ",
    data_dependent_price: "depends on the data",
    data_dependent_count: "is asked on one side only",
    data_dependent_label: "depends on the data",
}


@pytest.mark.parametrize("mechanism", FAULTS, ids=lambda m: m.__name__)
def test_planted_faults_are_caught(mechanism):
    data, other = np.array([0.1, 0.2, 0.9]), np.array([0.1, 0.2, 0.4])
    if mechanism is data_dependent_price:
        data, other = np.array([0.6]), np.array([0.4])
    if mechanism is data_dependent_label:
        data, other = np.array([0.6]), np.array([0.4])
    found = faults(mechanism, data, other, rng=1, **BASIC)
    assert any(FAULTS[mechanism] in sentence for sentence in found), found


def test_a_table_is_held_to_the_sum_over_its_names():
    """Each entry moves by one at most, both together by two: sensitivity 1 is too little."""

    def short(data, curator):
        entries = curator.noise_table(sensitivity=1, epsilon=1, label="words")
        return [entries.entry(name, float((data == name).sum())) for name in (0, 1)]

    found = faults(short, np.array([0, 0]), np.array([0, 1]), rng=1, **BASIC)
    assert found == ["'words[1]' (entry) moved by 2, paid for 1 (table)"]


@pytest.mark.parametrize("budget", [BASIC, ZCDP], ids=["basic", "zcdp"])
def test_the_ledger_never_exceeds_the_budget_however_long_one_asks(budget):
    from dpviz.base.curator import Curator

    curator, data = Curator(rng=0, **budget), np.array([0.1, 0.9])
    for mechanism in SOUND * 3:
        try:
            mechanism(data, curator)
        except BudgetExceeded:
            continue
    assert curator.budget.covers(curator.ledger.spent)
    assert not curator.budget.left_after(curator.ledger.spent).covers(curator.budget)


@given(pair=neighbours())
@settings(max_examples=40)
def test_a_sampled_part_keeps_what_it_promises(pair):
    data, other, seed = pair
    assert faults(sampled, data, other, rng=seed, **BASIC) == []
