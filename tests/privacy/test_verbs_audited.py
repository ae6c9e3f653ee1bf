"""Black-box audits of the curator's verbs: none may be shown to exceed its price.

Each audit is at confidence 0.99 with a fixed seed; a sound verb would alarm for one seed in a
hundred at most.
"""

import numpy as np
import pytest

from dpviz.audit.auditor import alarms, audit
from dpviz.privacy.curator import Curator

EPSILON = 1.0
RICH = {"epsilon": 1e9, "delta": 0.999}


def rich(rng):
    """A curator that can be asked a hundred thousand times: a law is audited, no budget."""
    curator = Curator(rng=rng, **RICH)
    curator._pay = lambda *charge: None
    return curator


def laplace(data, samples, rng):
    price = {"sensitivity": 1, "epsilon": EPSILON, "label": "x"}
    return rich(rng).laplace(np.full(samples, float(sum(data))), **price)


def gaussian(data, samples, rng):
    price = {"sensitivity": 1, "epsilon": EPSILON, "delta": 0.01, "label": "x"}
    return rich(rng).gaussian(np.full(samples, float(sum(data))), **price)


def choose(data, samples, rng):
    curator, scores = rich(rng), [float(sum(data)), float(len(data) - sum(data))]
    price = {"sensitivity": 1, "epsilon": EPSILON, "label": "x"}
    return np.array([curator.choose(scores, **price) for _ in range(samples)])


def confident(data, samples, rng):
    curator, scores = rich(rng), [2.0 * sum(data), 2.0 * (len(data) - sum(data))]
    price = {"sensitivity": 2, "epsilon": EPSILON, "delta": 0.01, "label": "x"}
    found = [curator.stable_choice(scores, **price) for _ in range(samples)]
    return np.array([-1 if index is None else index for index in found])


def heavy(data, samples, rng):
    curator = rich(rng)
    price = {"epsilon": EPSILON, "delta": 0.05, "label": "x"}
    found = [curator.heaviest_cell(data, **price) for _ in range(samples)]
    return np.array([(-1, 0) if cell is None else cell for cell in found], dtype=float)


def common(data, samples, rng):
    curator, keys = rich(rng), (7, 8, 9)
    price = {"epsilon": EPSILON, "delta": 0.05, "label": "x"}
    found = [curator.stable_histogram(data, **price) for _ in range(samples)]
    return np.array([[cells.get(key, np.nan) for key in keys] for cells in found])


def threshold(method):
    def stream(data, samples, rng):
        curator, answers = rich(rng), np.full((samples, 6), np.nan)
        price = {"sensitivity": 1, "epsilon": EPSILON, "label": "x", "method": method}
        for row in answers:
            test = curator.above_threshold(0.5, **price)
            for i in range(6):
                if test.positives_left:
                    row[i] = test.above(float(data[i] if i < 5 else 1 - data[0]))
        return answers

    stream.__name__ = f"threshold_{method}"
    return stream


def table(data, samples, rng):
    curator, price = rich(rng), {"epsilon": EPSILON, "label": "x"}
    rows = []
    for _ in range(samples):
        entries = curator.lazy_histogram(**price)
        rows.append([entries.entry(k, float(sum(x == k for x in data))) for k in (0, 1, 0)])
    return np.array(rows)


def ball(data, samples, rng):
    curator, rows = rich(rng), np.array(data, dtype=float)[:, None]
    price = {"epsilon": EPSILON, "delta": 0.01, "label": "x"}
    found = [curator.average(rows, center=[0], radius=1, **price) for _ in range(samples)]
    return np.array([(np.nan, 0) if a is None else (a.center[0], a.count) for a in found])


def path(data, samples, rng):
    """Half of the squared sensitivity at once; the rest where the first reply says."""
    curator, price = rich(rng), {"epsilon": EPSILON, "delta": 0.01, "label": "x"}
    change, rows = float(sum(data)) * 0.5**0.5, []
    for _ in range(samples):
        noise = curator.lazy_gaussian(sensitivity=1, **price)
        first = noise.coordinates([change])[0]
        rest = [change] if first > 0 else [change / 2] * 4
        replies = noise.coordinates(rest)
        rows.append([first, replies.sum() / len(rest) ** 0.5])
    return np.array(rows)


FEW = (0, 0, 0, 0, 0), (1, 0, 0, 0, 0)
CASES = [
    (laplace, *FEW, 0.0, 100_000),
    (gaussian, *FEW, 0.01, 100_000),
    (choose, *FEW, 0.0, 20_000),
    (confident, (0, 0, 0), (1, 0, 0), 0.01, 20_000),
    (heavy, (7,), (8,), 0.05, 20_000),
    (common, (7, 9, 9, 9, 9), (8, 9, 9, 9, 9), 0.05, 20_000),
    (common, (7, 9, 9, 9, 9), (9, 9, 9, 9, 9), 0.05, 20_000),
    (threshold("fresh"), *FEW, 0.0, 20_000),
    (threshold("once"), *FEW, 0.0, 20_000),
    (table, *FEW, 0.0, 10_000),
    (path, *FEW, 0.01, 10_000),
    (ball, (1,) * 20, (-1,) + (1,) * 19, 0.01, 10_000),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_no_verb_exceeds_its_price(case):
    """Verbs that answer one question a call with fewer samples than `at_full_size`."""
    mechanism, data, neighbour, delta, samples = case
    finding = audit(mechanism, data, neighbour, samples=samples, delta=delta, rng=11)
    assert not alarms(finding, EPSILON)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_no_verb_exceeds_its_price_at_full_size(case):
    """As above at 1e5 samples a side."""
    mechanism, data, neighbour, delta, _ = case
    finding = audit(mechanism, data, neighbour, samples=100_000, delta=delta, rng=11)
    assert not alarms(finding, EPSILON)


# The choice loses 0.88 on this pair; 10,000 samples a side judge the event.
@pytest.mark.parametrize(
    ("mechanism", "claimed", "samples"), [(laplace, 0.9, 100_000), (choose, 0.3, 20_000)]
)
def test_the_audits_are_not_blind(mechanism, claimed, samples):
    """With a smaller price claimed for the same noise they alarm."""
    assert alarms(audit(mechanism, *FEW, samples=samples, rng=11), claimed)
