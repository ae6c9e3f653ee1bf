"""Rivals from elsewhere, of `dpviz.comparison.alternatives`, and noise on each answer."""

import numpy as np
from registry import Entry

from dpviz.comparison.alternatives import (
    adaptive_projection,
    closest_pairs,
    column_groups,
    dense_weights,
    factorization,
    friendly_core,
    joint_sensitivity,
    quadtree,
)
from dpviz.comparison.mechanisms import noise
from dpviz.comparison.mechanisms.task import Instance, Task
from dpviz.privacy.ledger import Cost

RHO = {"rho": 2.0}
BOTH = {"epsilon": 2.0, "delta": 1e-6}
CELLS = np.array([5.0, 3.0, 0.0, 2.0])
MOVED = [(CELLS, np.array(other)) for other in ([6.0, 2.0, 0.0, 2.0], [6.0, 3.0, 0.0, 1.0])]
CROSSED = [*MOVED, (CELLS, np.array([5.0, 2.0, 1.0, 2.0]))]
HALVES = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
FACTOR = factorization.optimized(HALVES)
WALSH = factorization.questions(4, 6, rng=0)
AWAY = "where the window or ball that was chosen has no record of the pair"


def rows(n=40):
    """Records in a corner, one of which goes to the other corner."""
    data = np.full((n, 3), 0.1)
    other = data.copy()
    other[0] = 0.9
    return data, other


def pairs_of_cells(matrix):
    """Two tables between which a record goes between the columns that are furthest apart."""
    columns = np.stack([matrix @ unit for unit in np.eye(matrix.shape[1])])
    apart = np.square(columns[:, None] - columns[None]).sum(axis=2)
    one, other = np.unravel_index(apart.argmax(), apart.shape)
    data = np.ones(matrix.shape[1])
    moved = data.copy()
    moved[one] += 1
    moved[other] -= 1
    return data, moved


def factored(factor, sensitivity):
    def run(data, curator):
        how = {"factor": factor, "sensitivity": sensitivity, "n": int(data.sum())}
        return factorization.release(data, curator, **how)

    return run


def weights(data, curator):
    params = dense_weights.Params(n=10, rounds=3)
    return dense_weights.release(data, params, curator, queries=HALVES)


def stream(data, curator):
    params = dense_weights.Params(n=10, rounds=3)
    return dense_weights.answers(data, params, curator, queries=HALVES)


def windows(data, curator):
    return column_groups.release(data, column_groups.Params(d=3, size=2), curator)


def closest(data, curator):
    params = closest_pairs.Params(d=3, size=2)
    return closest_pairs.release(data, params, curator, order=np.arange(40))


def friendly(data, curator):
    params = friendly_core.Params(d=3, size=2, full=0.0)
    return friendly_core.release(data, params, curator, order=np.arange(len(data)))


def adaptively(rounds, each):
    def run(data, curator):
        params = adaptive_projection.Params(n=10, rounds=rounds, each=each)
        return adaptive_projection.release(data, params, curator, queries=HALVES)

    return run


def tree(data, curator):
    corner = np.full(3, 0.5)
    return quadtree.release(data, quadtree.Params(d=3), curator, corner=corner)


def noisy(*, laplace):
    """Of answers to public questions by their joint sensitivity."""
    task = Task(n=10, d=2, k=3, **BOTH)
    moves = joint_sensitivity.of_values(HALVES)

    def run(data, curator):
        instance = Instance(data, HALVES, HALVES @ data / 10, 0.5)
        return noise.noisy_answers(task, instance, curator, sensitivity=moves, laplace=laplace)

    return run


ENTRIES = [
    Entry(
        name="comparison.alternatives.dense_weights, zCDP",
        run=weights,
        pairs=MOVED,
        budget=RHO,
        cost=Cost(**RHO),
    ),
    Entry(
        name="comparison.alternatives.dense_weights, pure",
        run=weights,
        pairs=MOVED,
        budget={"epsilon": 2.0},
        cost=Cost(epsilon=2.0),
    ),
    Entry(
        name="comparison.alternatives.dense_weights, one by one",
        run=stream,
        pairs=MOVED,
        budget=RHO,
        cost=Cost(**RHO),
    ),
    Entry(
        name="comparison.alternatives.factorization, optimised",
        run=factored(FACTOR, joint_sensitivity.of_values(FACTOR).l2),
        pairs=[pairs_of_cells(FACTOR)],
        budget=BOTH,
        cost=Cost(**BOTH),
    ),
    Entry(
        name="comparison.alternatives.factorization, parities",
        run=factored(WALSH.best, WALSH.best.sensitivity),
        pairs=[pairs_of_cells(WALSH.best)],
        budget=BOTH,
        cost=Cost(**BOTH),
    ),
    Entry(
        name="comparison.alternatives.factorization, parities and marginals as they are",
        run=factored(WALSH, WALSH.sensitivity),
        pairs=[pairs_of_cells(WALSH)],
        budget=BOTH,
        cost=Cost(**BOTH),
        loose={"factor": "bounded: the largest of two sums need not be attained at one pair"},
    ),
    Entry(
        name="comparison.alternatives.column_groups",
        run=windows,
        pairs=[rows()],
        budget=RHO,
        cost=Cost(**RHO),
        loose={"first": AWAY, "second": AWAY},
    ),
    Entry(
        name="comparison.alternatives.closest_pairs",
        run=closest,
        pairs=[rows()],
        budget=RHO,
        cost=Cost(**RHO),
        loose={"first": AWAY, "second": AWAY},
    ),
    Entry(
        name="comparison.alternatives.friendly_core",
        run=friendly,
        pairs=[rows(200)],
        budget={**RHO, "delta": 1e-6},
        cost=Cost(**RHO, delta=1e-6),
        loose={
            "mean of the core": "bounded: no weight moves across a whole core",
            "first": AWAY,
            "second": AWAY,
        },
    ),
    Entry(
        name="comparison.alternatives.adaptive_projection, two questions of three",
        run=adaptively(1, 2),
        pairs=CROSSED,
        budget=RHO,
        cost=Cost(**RHO),
    ),
    Entry(
        name="comparison.alternatives.adaptive_projection, all questions",
        run=adaptively(2, 2),
        pairs=CROSSED,
        budget=RHO,
        cost=Cost(**RHO),
    ),
    Entry(
        name="comparison.alternatives.quadtree",
        run=tree,
        pairs=[rows()],
        budget=RHO,
        cost=Cost(**RHO),
        loose={"first": AWAY, "second": AWAY},
    ),
    Entry(
        name="comparison.mechanisms.noise, Laplace",
        run=noisy(laplace=True),
        pairs=[pairs_of_cells(HALVES)],
        budget=BOTH,
        cost=Cost(epsilon=2.0),
    ),
    Entry(
        name="comparison.mechanisms.noise, Gaussian",
        run=noisy(laplace=False),
        pairs=[pairs_of_cells(HALVES)],
        budget=BOTH,
        cost=Cost(**BOTH),
    ),
]
