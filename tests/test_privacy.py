"""Privacy without statistics: every verb and some adaptive mechanisms, by their transcripts.

Hypothesis draws sizes, records, the one that is replaced, and seeds; never random numbers.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.audit.transcript import faults
from dpviz.privacy.curator import BudgetExceeded

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
    return curator.stable_choice(counts, epsilon=1, delta=0.05, label="mode")


def fullest(data, curator):
    return curator.heaviest_cell([int(4 * x) for x in data], epsilon=1, delta=0.05, label="mode")


def common(data, curator):
    return curator.stable_histogram(
        [int(4 * x) for x in data], epsilon=1, delta=0.05, label="modes"
    )


def fullest_gaussian(data, curator):
    if curator.composition == "basic":
        curator = curator.sub_curator_zcdp(epsilon=2, delta=0.04, slack=0.02, label="part")
    keys = [int(4 * x) if x < 0.9 else None for x in data]
    return curator.heaviest_cell(keys, rho=0.01, delta=0.02, label="mode")


def classical_average(data, curator):
    price = {"epsilon": 2, "delta": 0.05, "label": "ball"}
    return curator.count_average(data[:, None], center=[0.5], radius=0.3, **price)


def thresholds(method):
    def mechanism(data, curator):
        stream = curator.above_threshold(
            0.5, sensitivity=1 / len(data), epsilon=1, positives=2, method=method, label="above"
        )
        answers = []
        for level in np.linspace(0, 1, 9):
            if stream.positives_left:
                answers.append(stream.above(float((data > level).mean())))
        return answers

    mechanism.__name__ = f"thresholds_{method}"
    return mechanism


def table(data, curator):
    entries = curator.lazy_histogram(epsilon=1, label="words")
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
        part = curator.sub_curator_zcdp(epsilon=1, delta=0.01, label="part")
        inner = part.gaussian(data.mean(), sensitivity=1 / len(data), rho=0.01, label="in")
    else:
        part = curator.sub_curator_pure(epsilon=1, label="part")
        inner = part.laplace(data.mean(), sensitivity=1 / len(data), epsilon=1, label="in")
    return inner, mean_laplace(data, curator)


def sampled(data, curator):
    """A secret sample: given the same rows, at most one record differs."""
    sample, part = curator.sub_curator_subsampled(data, size=len(data), epsilon=1, label="sample")
    return mean_laplace(sample, part)


def going_on(data, curator):
    """Refused in the middle, it goes on with what it can pay."""
    first = mean_laplace(data, curator)
    try:
        curator.laplace(data.sum(), sensitivity=1, epsilon=100, label="too dear")
    except BudgetExceeded:
        return first, mean_laplace(data, curator)
    return first, None


def one_buffer(data, curator):
    """The same array for every question, and a reply that is changed in place."""
    counts, answers = np.zeros(4), []
    for shift in (0.0, 0.1):
        counts[:] = np.histogram(np.clip(data - shift, 0, 1), bins=4, range=(0, 1))[0]
        noisy = curator.laplace(counts, sensitivity=2, epsilon=1, label="histogram")
        noisy *= 0.5
        answers.append(noisy)
    return answers


def nothing_found(data, curator):
    """NaN is an answer like any other."""
    noisy = mean_laplace(data, curator)
    return {"none": float("nan"), "many": np.array([np.nan, noisy])}


def by_count(data, curator):
    """A dict in an order that was released."""
    noisy = histogram_laplace(data, curator)
    return {int(cell): float(noisy[cell]) for cell in np.argsort(noisy)}


def levels(data, curator, start=0.5):
    stream = curator.above_threshold(start, sensitivity=1 / len(data), epsilon=1, label="above")
    return stream.above(float((data > 0.5).mean()))


def walk_to_middle(data, curator, start=8, move=None, weight=1.0):
    """The exponential mechanism over seventeenths, by a walk; neighbours move each score by 1."""

    def score(at):
        return -float(abs((data < at / 16).sum() - (data > at / 16).sum())) * weight / 2

    step = lambda at, rng: (int((at + rng.integers(-3, 4)) % 17), 0.0)  # noqa: E731
    price = {"sensitivity": 1.0, "epsilon": 1.0, "distance": 0.01, "label": "middle"}
    if curator.composition == "zcdp":  # a walk has no price in zCDP
        return mean_laplace(data, curator)
    return curator.choose_metropolis(score, start, move or step, steps=40, **price)


def table_asked_twice(data, curator, second=lambda data, name: float((data == name).sum())):
    entries = curator.lazy_histogram(epsilon=1, label="words")
    first = [entries.entry(name, float((data == name).sum())) for name in (0, 1)]
    return first, [entries.entry(name, second(data, name)) for name in (0, 1)]


CORRECT = [
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
    thresholds("once"),
    table,
    ball,
    adaptive,
    parted,
    going_on,
    one_buffer,
    nothing_found,
    by_count,
    levels,
    walk_to_middle,
    table_asked_twice,
]


@pytest.mark.parametrize("budget", [BASIC, ZCDP], ids=["basic", "zcdp"])
@pytest.mark.parametrize("mechanism", CORRECT, ids=lambda m: m.__name__)
@given(pair=neighbours())
@settings(max_examples=40)
def test_every_verb_keeps_what_it_promises(mechanism, budget, pair):
    # Statements: HR Definition 1; W13 Definition 2.1; NSV Definition 1.1.
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


def level_of_the_data(data, curator):
    return levels(data, curator, start=float(data.mean()))


def order_of_the_data(data, curator):
    noisy = histogram_laplace(data, curator)
    return {int(4 * x): noisy[int(4 * x)] for x in sorted(set(data), key=list(data).index)} | {
        cell: noisy[cell] for cell in range(4)
    }


class Yes:
    """Equal to everything, whatever it holds."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return True

    __hash__ = None


def agreeable(data, curator):
    return Yes(data.mean())


def agreeable_closure(data, curator):
    return lambda: 1 + data.mean()


def sign_of_the_data(data, curator):
    return 0.0 * (data[-1] - 0.5)


def other_type(data, curator):
    return 1 if data[-1] > 0.5 else True


def start_of_the_data(data, curator):
    return walk_to_middle(data, curator, start=int(16 * data[-1]))


def scores_too_steep(data, curator):
    """The scores at the start are equal: only what the walk meets later moves by 2."""
    near = lambda at: 0.0 if at == 8 else 2.0 * (data[-1] > 0.5)  # noqa: E731
    move = lambda at, rng: (int((at + rng.integers(-3, 4)) % 17), 0.0)  # noqa: E731
    price = {"sensitivity": 1.0, "epsilon": 1.0, "distance": 0.01, "label": "middle"}
    return curator.choose_metropolis(near, 8, move, steps=40, **price)


def moves_of_the_data(data, curator):
    step = 1 if data[-1] > 0.5 else 2
    return walk_to_middle(data, curator, move=lambda at, rng: ((at + step) % 17, 0.0))


def ball_of_the_data(data, curator):
    where = {"center": [data.mean()], "radius": 9.0}
    return curator.average(data[:, None], **where, label="ball", **gaussian_price(curator))


def factor_of_the_data(data, curator):
    factor = np.diag([1.0, data.mean()])
    price = {"sensitivity": 1, "label": "seen", **gaussian_price(curator)}
    return curator.gaussian(np.zeros(2), factor=factor, **price)


def table_told_later(data, curator):
    return table_asked_twice(data, curator, second=lambda data, name: 100 * float(data.sum()))


def spends_by_the_data(data, curator):
    for _ in range(8 if data[-1] > 0.5 else 9):
        curator.laplace(0.0, sensitivity=1, epsilon=1, label="one of eight")


FAULTS = {
    understated: "moved by 2, paid for 1",
    behind_the_back: "the releases differ",
    small_leak: "the releases differ",
    data_dependent_price: "depends on the data",
    data_dependent_count: "is asked on one side only",
    data_dependent_label: "depends on the data",
    level_of_the_data: "the threshold of 'above' (above_threshold) depends on the data",
    order_of_the_data: "the releases differ",
    agreeable: "the releases differ",
    agreeable_closure: "a function cannot be compared",
    sign_of_the_data: "the releases differ",
    other_type: "the releases differ",
    start_of_the_data: "the start of 'middle' (choose_metropolis) depends on the data",
    scores_too_steep: "'middle' (choose_metropolis) moved by 2, paid for 1 (walk)",
    moves_of_the_data: "the moves of 'middle' (choose_metropolis) depend on the data",
    ball_of_the_data: "the center of 'ball' (average) depends on the data",
    factor_of_the_data: "the factor of 'seen' (gaussian) depends on the data",
    table_told_later: "(entry) moved by",
    spends_by_the_data: "on one side only",
}


@pytest.mark.parametrize("mechanism", FAULTS, ids=lambda m: m.__name__)
def test_planted_faults_are_caught(mechanism):
    # Statements: R10 Fact 1.
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
        entries = curator.lazy_histogram(sensitivity=1, epsilon=1, label="words")
        return [entries.entry(name, float((data == name).sum())) for name in (0, 1)]

    found = faults(short, np.array([0, 0]), np.array([0, 1]), rng=1, **BASIC)
    assert found == ["'words[1]' (entry) moved by 2, paid for 1 (table)"]


def test_lazy_coordinates_are_held_to_the_length_of_all_together():
    """Each of two moves by one, both together by sqrt 2: sensitivity 1 is too little."""

    def short(data, curator):
        noise = curator.lazy_gaussian(sensitivity=1, epsilon=1, delta=0.01, label="path")
        return [noise.coordinates([data.sum()]), noise.coordinates([-data.sum()])]

    found = faults(short, np.array([0, 0]), np.array([0, 1]), rng=1, **BASIC)
    assert found == ["'path' (coordinates) moved by 1.414, paid for 1 (L2)"]


@pytest.mark.parametrize("budget", [BASIC, ZCDP], ids=["basic", "zcdp"])
def test_the_ledger_never_exceeds_the_budget_however_long_one_asks(budget):
    from dpviz.privacy.curator import Curator

    curator, data = Curator(rng=0, **budget), np.array([0.1, 0.9])
    for mechanism in CORRECT * 3:
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
