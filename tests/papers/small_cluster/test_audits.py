"""An audit that has power: a planted score that one record moves too far.

Whole solvers are not audited. Their budget is split among several noisy choices, and with the few
runs that a test can afford the bound stayed 0 even with four times the budget claimed: such an
audit could not fail. What is checked for them is every reply, by the transcripts beside this.
"""

import numpy as np

from dpviz.audit.auditor import audit
from dpviz.privacy.curator import Curator

SAMPLES, BUDGET = 2400, {"epsilon": 1.0, "delta": 0.05}


def released(mechanism):
    """Samples of a mechanism's numbers, as the audit wants them."""

    def run(data, samples, rng):
        return np.array([mechanism(data, Curator(**BUDGET, rng=rng)) for _ in range(samples)])

    return run


def test_the_audit_catches_the_uncapped_maximum():
    """The count of the heaviest ball as a score of the radius 0.3: one record halves it."""

    def uncapped(data, curator):
        held = (np.abs(data - data.T) <= 0.3).sum(axis=1).max()
        return [curator.laplace(held, sensitivity=1, epsilon=1, label="heaviest")]

    two_clusters = np.array([[0.1]] * 8 + [[0.6]] * 8)
    pair = np.vstack([two_clusters, [[0.35]]]), np.vstack([two_clusters, [[1.0]]])
    found = audit(released(uncapped), *pair, samples=SAMPLES, delta=0.0, rng=0)
    assert found.lower > 1.0
