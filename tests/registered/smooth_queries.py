"""Wang, Fan, Zhang and Wang (2013), and its baselines."""

import numpy as np
from registry import Entry

from dpviz.papers.smooth_queries import (
    baselines,
    bernstein,
    functional_mechanism,
    private_measure,
    release,
)
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.papers.smooth_queries.moments import worst_angle
from dpviz.papers.smooth_queries.release import Params
from dpviz.privacy.ledger import Cost

BUDGET = {"epsilon": 1.0, "delta": 1e-6}
PURE, BOTH = Cost(epsilon=1.0), Cost(**BUDGET)
ENDS = (np.array([[1.0], [1.0]]), np.array([[1.0], [-1.0]]))
ANGLE = (np.array([[1.0], [1.0]]), np.array([[1.0], [np.cos(worst_angle(3))]]))
SAME = GaussianKernels(
    centres=[[1.0], [1.0]],
    width=0.05,
    lower=-1,
    upper=1,
)  # both are 1 at one end and 0 at the other


def entry(name, run, cost, pair=ENDS, **more):
    return Entry(name=name, run=run, cost=cost, pairs=[pair], budget=BUDGET, **more)


def summary(terms, delta):
    params = Params(d=1, terms=terms, epsilon=1.0, delta=delta, lower=-1, upper=1)
    return lambda d, c: release.release(d, params, c)


def shaped(terms, delta):
    params = Params(
        d=1,
        terms=terms,
        epsilon=1.0,
        delta=delta,
        noise_scaling="smoothness",
        smoothness=1,
        lower=-1,
        upper=1,
    )
    return lambda d, c: release.release(d, params, c)


def worst_pair(terms, power):
    """One record at 1, where all moments are 1, and the angle that moves scaled moments most."""
    angles = np.linspace(0, np.pi, 100_001)
    degrees = np.arange(1, terms)[:, None]
    scales = degrees ** (1 / 2 if power == 2 else 2 / 3)
    moved = (np.abs((1 - np.cos(degrees * angles)) / scales) ** power).sum(axis=0)
    return np.array([[1.0], [1.0]]), np.array([[1.0], [np.cos(angles[moved.argmax()])]])


def kernel(data, curator):
    params = functional_mechanism.Params(d=1, width=0.5, nodes=12, lower=-1, upper=1, **BUDGET)
    return functional_mechanism.release(data, params, curator)


def baseline(make, delta):
    params = baselines.Params(d=1, epsilon=1.0, delta=delta, cells=8, rounds=2, lower=-1, upper=1)
    return lambda d, c: make(d, params, c, queries=SAME)


def measure(delta):
    params = private_measure.Params(d=1, epsilon=1.0, delta=delta, depth=4, lower=-1, upper=1)
    return lambda d, c: private_measure.release(d, params, c)


def lattice(delta):
    """Two values far apart: a record at one end moves to the other."""
    params = bernstein.Params(
        d=1, epsilon=1.0, delta=delta, width=0.1, lattice=1, lower=-1, upper=1
    )
    return lambda d, c: bernstein.release(d, params, c)


ENTRIES = [
    entry("smooth.release, pure", summary(3, 0.0), PURE, ANGLE),
    entry("smooth.release, Gaussian", summary(4, 1e-6), BOTH),
    entry("smooth.release, in shape, pure", shaped(4, 0.0), PURE, worst_pair(4, 1)),
    entry("smooth.release, in shape, Gaussian", shaped(4, 1e-6), BOTH, worst_pair(4, 2)),
    entry("smooth.functional_mechanism", kernel, BOTH),
    entry(
        "smooth.baselines.additive_noise, pure",
        baseline(baselines.release_additive_noise, 0.0),
        PURE,
    ),
    entry(
        "smooth.baselines.additive_noise, Gaussian",
        baseline(baselines.release_additive_noise, 1e-6),
        BOTH,
    ),
    entry(
        "smooth.baselines.histogram",
        lambda d, c: baselines.release_histogram(
            d, baselines.Params(d=1, epsilon=1.0, cells=8, lower=-1, upper=1), c
        ),
        PURE,
    ),
    entry("smooth.baselines.mwem, pure", baseline(baselines.release_mwem, 0.0), PURE),
    entry("smooth.baselines.mwem, zCDP", baseline(baselines.release_mwem, 1e-6), BOTH),
    entry("smooth.baselines.mwem, textbook", baseline(baselines.release_mwem_textbook, 0.0), PURE),
    entry("smooth.private_measure, pure", measure(0.0), PURE),
    entry("smooth.private_measure, Gaussian", measure(1e-6), BOTH),
    entry("smooth.bernstein, pure", lattice(0.0), PURE),
    entry("smooth.bernstein, Gaussian", lattice(1e-6), BOTH),
]
