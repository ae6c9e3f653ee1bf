"""Black-box audits of whole mechanisms on tiny data: no proved leak above the price, at 99 %.

Each is run on neighbours that differ in the one record that matters most.
"""

import numpy as np
import pytest

from dpviz.base.audit import audit
from dpviz.base.curator import Curator
from dpviz.papers.cluster import interior, radius, rivals

SAMPLES, BUDGET = 600, {"epsilon": 1.0, "delta": 0.05}
HEAP = np.array([[0.5]] * 6 + [[0.25]])
MOVED = np.array([[0.5]] * 6 + [[1.0]])


def released(mechanism):
    """Samples of a mechanism's numbers, as the audit wants them."""

    def run(data, samples, rng):
        return np.array([mechanism(data, Curator(**BUDGET, rng=rng)) for _ in range(samples)])

    return run


def by(method):
    params = radius.Params(t=6, d=1, **BUDGET, method=method, size=2**4)
    return lambda data, curator: [radius.release(data, params, curator).radius]


def of(rival):
    params = rivals.Params(t=6, d=1, **BUDGET, rival=rival, size=2**4)

    def numbers(data, curator):
        ball = rivals.release(data, params, curator)
        return [ball.center[0], ball.radius]

    return numbers


def between(data, curator):
    params = interior.Params(**BUDGET, size=2**4)
    many = np.concatenate([np.repeat(data[:-1, 0], 12), data[-1]])
    return [interior.release(many, params, curator).point]


CASES = {f"radius, {method}": by(method) for method in radius.METHODS}
CASES |= {rival: of(rival) for rival in rivals.RIVALS} | {"interior point": between}


@pytest.mark.parametrize("name", CASES)
def test_no_leak_above_the_price_is_found(name):
    found = audit(released(CASES[name]), HEAP, MOVED, samples=SAMPLES, delta=0.05, rng=0)
    assert found.lower <= 1.0


def test_the_audit_catches_the_uncapped_maximum():
    """The fullest ball as a score of the radius 0.3: one record halves it."""

    def uncapped(data, curator):
        held = (np.abs(data - data.T) <= 0.3).sum(axis=1).max()
        return [curator.laplace(held, sensitivity=1, epsilon=1, label="fullest")]

    heaps = np.array([[0.1]] * 8 + [[0.6]] * 8)
    pair = np.vstack([heaps, [[0.35]]]), np.vstack([heaps, [[1.0]]])
    found = audit(released(uncapped), *pair, samples=4 * SAMPLES, delta=0.0, rng=0)
    assert found.lower > 1.0
