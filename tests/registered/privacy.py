"""The curator's own verbs."""

import math

import numpy as np
from registry import Entry

from dpviz.accounting import pure_exact, resample_step, subsample, zcdp_choose
from dpviz.privacy.ledger import Cost

BASIC, ZCDP = {"epsilon": 9.0, "delta": 0.1}, {"rho": 9.0, "delta": 0.1}
LOW, HIGH = np.array([0.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
KEYS = (list("aab"), list("aac"))


def mean(data, curator):
    return curator.laplace(data.mean(), sensitivity=1 / 3, epsilon=1, label="mean")


def pick(data, curator):
    return curator.choose([data.sum(), 1.0], sensitivity=1, epsilon=1, label="scores")


def above(method):
    def run(data, curator):
        how = {
            "sensitivity": 1 / 3,
            "epsilon": 1.0,
            "positives": 1,
            "method": method,
            "label": "test",
        }
        stream = curator.above_threshold(0.9, **how)
        return [
            stream.above(data.mean()),
            stream.positives_left and stream.above_first([data.mean()]),
        ]

    return run


def words(data, curator):
    table = curator.lazy_histogram(epsilon=1, label="words")
    return [table.entry(name, float(data.count(name))) for name in ("b", "c", "b")]


def path(data, curator):
    """Coordinates of which the second question depends on the first reply."""
    noise = curator.lazy_gaussian(sensitivity=1, epsilon=1, delta=0.01, label="path")
    first = noise.coordinates(data[:2])
    return [first, noise.coordinates(data[2:] if first[0] > 0 else data[1:])]


def walk(data, curator):
    def score(state):
        return float(data.sum()) * state

    def move(state, rng):
        return 1 - state, 0.0

    how = {"sensitivity": 1.0, "epsilon": 1.0, "distance": 0.001, "label": "walk"}
    return curator.choose_metropolis(score, 1, move, steps=5, **how)


def in_part(kind, **how):
    def run(data, curator):
        part = getattr(curator, kind)(label="part", **how)
        return mean(data, part)

    return run


def zcdp_part(data, curator):
    part = curator.sub_curator_zcdp(epsilon=1, delta=1e-6, label="part")
    return part.gaussian(data.mean(), sensitivity=1 / 3, rho=0.01, label="mean")


def drawn(kind):
    def run(data, curator):
        sample, part = getattr(curator, kind)(data, size=3, epsilon=1, label="sample")
        return mean(sample, part)

    return run


def entry(name, run, cost, *, budget=BASIC, pairs=((LOW, HIGH),), **more):
    return Entry(name=name, run=run, pairs=pairs, budget=budget, cost=cost, **more)


BALL = {"center": [0.5], "radius": 0.5, "label": "ball"}
CORNERS = (np.zeros((3, 1)), np.array([[0.0], [0.0], [1.0]]))
NOISE = {"sensitivity": 1 / 3, "label": "mean"}
WITHIN = Cost(epsilon=pure_exact(epsilon=1, k=3, delta=0.01), delta=0.01)
KEPT = subsample(epsilon=1, delta=0.0, rate=1.0)
REDRAWN = resample_step(epsilon=1, delta=0.0, draws=3, n=3)

ENTRIES = [
    entry("Curator.laplace", mean, Cost(epsilon=1)),
    entry("Curator.laplace in zCDP", mean, Cost(rho=0.5), budget=ZCDP),
    entry(
        "Curator.gaussian",
        lambda d, c: c.gaussian(d.mean(), epsilon=1, delta=0.01, **NOISE),
        Cost(epsilon=1, delta=0.01),
    ),
    entry(
        "Curator.gaussian in zCDP",
        lambda d, c: c.gaussian([d.mean()], rho=0.1, factor=[[1.0], [2.0]], **NOISE),
        Cost(rho=0.1),
        budget=ZCDP,
    ),
    entry(
        "Curator.average",
        lambda d, c: c.average(d, epsilon=1, delta=0.01, **BALL),
        Cost(epsilon=1, delta=0.01),
        pairs=[CORNERS],
    ),
    entry(
        "Curator.count_average",
        lambda d, c: c.count_average(d, epsilon=1, delta=0.01, **BALL),
        Cost(epsilon=1, delta=0.01),
        pairs=[CORNERS],
    ),
    entry("Curator.choose", pick, Cost(epsilon=1)),
    entry("Curator.choose in zCDP", pick, Cost(rho=zcdp_choose(epsilon=1)), budget=ZCDP),
    entry("Curator.choose_metropolis", walk, Cost(epsilon=1, delta=0.001 * (1 + math.e))),
    entry(
        "Curator.confident_choice",
        lambda d, c: c.stable_choice([d.sum(), 1.0], epsilon=1, delta=0.01, label="winner"),
        Cost(epsilon=1, delta=0.01),
    ),
    entry(
        "Curator.heavy_cell",
        lambda d, c: c.heaviest_cell(d, epsilon=1, delta=0.01, label="cell"),
        Cost(epsilon=1, delta=0.01),
        pairs=[KEYS],
    ),
    entry(
        "Curator.heavy_cell in zCDP",
        lambda d, c: c.heaviest_cell(d, rho=0.1, delta=0.01, label="cell"),
        Cost(rho=0.1, delta=0.01),
        budget=ZCDP,
        pairs=[KEYS],
    ),
    entry(
        "Curator.heavy_cells",
        lambda d, c: c.stable_histogram(d, epsilon=1, delta=0.01, label="cells"),
        Cost(epsilon=1, delta=0.01),
        pairs=[KEYS],
    ),
    entry("Curator.above_threshold, fresh", above("fresh"), Cost(epsilon=1)),
    entry("Curator.above_threshold, once", above("once"), Cost(epsilon=1)),
    entry("Curator.lazy_gaussian", path, Cost(epsilon=1, delta=0.01)),
    entry("Curator.noise_table", words, Cost(epsilon=1), pairs=[KEYS]),
    entry("Curator.sub_curator", in_part("sub_curator", epsilon=2), Cost(epsilon=2)),
    entry("Curator.part_pure", in_part("sub_curator_pure", epsilon=1), Cost(rho=0.5), budget=ZCDP),
    entry("Curator.part_steps", in_part("sub_curator_steps", epsilon=1, k=3, delta=0.01), WITHIN),
    entry("Curator.part_zcdp", zcdp_part, Cost(epsilon=1, delta=1e-6)),
    entry(
        "Curator.part_sampled",
        drawn("sub_curator_subsampled"),
        Cost(epsilon=KEPT[0], delta=KEPT[1]),
    ),
    entry(
        "Curator.part_resampled",
        drawn("sub_curator_resampled"),
        Cost(epsilon=REDRAWN[0], delta=REDRAWN[1]),
        pairs=[(LOW, HIGH)],
        loose={"mean": "a sample with replacement may hold the changed record several times"},
    ),
]
