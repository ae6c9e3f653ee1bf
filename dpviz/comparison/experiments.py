"""All mechanisms of each kind of query: over n, d, k and epsilon, and on the clinic's records."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.comparison.mechanisms import cluster, kinds
from dpviz.comparison.mechanisms.task import Instance, Task
from dpviz.data import real_sets
from dpviz.sweeps.experiment import Experiment

FOLDER = Path(__file__).parent

SEED = 2016
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
N = (300, 1000, 3000, 10_000, 30_000)
CLINIC = {  # d and k of what is asked about the clinic; of its columns the first d count
    "distance": (30, 1000),
    "sparse": (50, 100),
    "smooth": (2, 1000),
    "cluster": (2, 1),
    "linear": (3, 20),
}


def _over(kind: str, shows: str, **grid: Any) -> Experiment:
    """All mechanisms of one kind over a grid, on synthetic records of a public law."""
    return Experiment(
        name=f"compare_{kind}",
        shows=shows,
        trial=kinds.trial,
        params=kinds.Params(kind=kind, n=1000, d=1, k=1, epsilons=EPSILONS),
        grid=grid,
        repeats=20,
        rng=SEED,
        folder=FOLDER,
    )


MAP = "Which mechanism for {} has the smallest error at each n, d, k and epsilon."
OVER = {
    each.params.kind: each
    for each in (
        _over("distance", MAP.format("distances"), d=(1, 2, 10), k=(1, 100, 10_000), n=N),
        _over("sparse", MAP.format("lists of names"), d=(5, 50, 500), k=(1, 30, 300), n=N),
        _over(
            "smooth",
            "Which mechanism for Gaussian kernels has the smallest error, with delta and without.",
            delta=(1e-6, 0.0),
            d=(1, 2, 3),
            k=(1, 30, 1000),
            n=N,
        ),
        _over(
            "cluster",
            "Which mechanism finds a small cluster at each n, d and epsilon.",
            d=(1, 2, 10),
            n=N,
        ),
        _over("linear", MAP.format("sets of cells"), d=(2, 3, 4), k=(1, 30, 1000), n=N),
    )
}


def trial_hidden(params: kinds.Params, *, rng: checks.Seed) -> dict[str, float]:
    """All mechanisms on a cluster that no axis shows (``cluster.hidden``)."""
    rng = checks.generator(rng)
    return kinds.trial(params, cluster.hidden(params.n, params.d, rng=rng), rng=rng)


HIDDEN = replace(
    OVER["cluster"],
    name="compare_hidden",
    shows="Which mechanism finds a small cluster that no axis shows, at each n, d and epsilon.",
    trial=trial_hidden,
    grid={"d": (2, 5, 10), "n": N},
)


def trial_hidden_later(params: kinds.Params, *, rng: checks.Seed) -> dict[str, float]:
    """The mechanisms of ``kinds.LATER`` on the records of :func:`trial_hidden`."""
    rng = checks.generator(rng)
    return kinds.trial_later(params, cluster.hidden(params.n, params.d, rng=rng), rng=rng)


def _later(experiment: Experiment, shows: str, trial: Any = kinds.trial_later) -> Experiment:
    """The mechanisms of ``kinds.LATER`` on the records of an experiment."""
    return replace(experiment, name=f"{experiment.name}_later", shows=shows, trial=trial)


OVER_LATER = {
    kind: _later(OVER[kind], f"{what} of compare_{kind}.")
    for kind, what in {
        "distance": "Noise by the joint sensitivity of public places on the records",
        "sparse": "A projection, weights, noise and a sketch on the records",
        "smooth": "Moments in shape, measures, polynomials on the records",
        "cluster": "Groups of columns and of records on those",
    }.items()
}
HIDDEN_LATER = _later(
    HIDDEN, "Groups of columns and of records on those of compare_hidden.", trial_hidden_later
)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What is asked of how many patients: ``kind`` of query, ``n`` records at ``epsilons``."""

    kind: str
    n: int = 569
    epsilons: tuple[float, ...] = EPSILONS


@lru_cache
def patients() -> np.ndarray:
    """The clinic's records in [0, 1], by public bounds; (569, 30)."""
    return real_sets.breast_cancer().unit()


def clinic(params: Sample) -> kinds.Params:
    """The task of one kind on so many of the clinic's records.

    >>> clinic(Sample(kind="linear")).k
    20
    """
    d, k = CLINIC[params.kind]
    return kinds.Params(kind=params.kind, n=params.n, d=d, k=k, epsilons=params.epsilons)


def trial_clinic(params: Sample, *, rng: checks.Seed) -> dict[str, float]:
    """All mechanisms of one kind on ``n`` patients, drawn anew without replacement."""
    rng = checks.generator(rng)
    return kinds.trial(clinic(params), _sampled(params.n, rng), rng=rng)


def trial_clinic_later(params: Sample, *, rng: checks.Seed) -> dict[str, float]:
    """The mechanisms of ``kinds.LATER`` on the patients of :func:`trial_clinic`."""
    rng = checks.generator(rng)
    return kinds.trial_later(clinic(params), _sampled(params.n, rng), rng=rng)


def _sampled(n: int, rng: np.random.Generator) -> np.ndarray:
    rows = patients()
    return rows[np.sort(rng.choice(len(rows), n, replace=False))]


def _of_clinic(kind: str) -> Experiment:
    """All mechanisms of one kind on the clinic's patients, and on fewer of them."""
    return Experiment(
        name=f"compare_clinic_{kind}",
        shows=f"Errors of every mechanism for {kind} queries about the clinic's patients.",
        trial=trial_clinic,
        params=Sample(kind=kind),
        grid={"n": (100, 200, 400, 569)},
        repeats=20,
        rng=SEED,
        folder=FOLDER,
    )


OF_CLINIC = {kind: _of_clinic(kind) for kind in CLINIC}
OF_CLINIC_LATER = {
    kind: _later(
        OF_CLINIC[kind],
        f"Alternatives for {kind} queries about the patients of compare_clinic_{kind}.",
        trial_clinic_later,
    )
    for kind in kinds.LATER
}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One place of a map at epsilon = 1, where a winner may be named: ``name`` in ``CELLS``."""

    name: str


DRAWS = 100  # from which on a winner may be named
# Law of the records, n, d, k, and delta where it is not the usual one.
PLACES: dict[str, dict[str, tuple[Any, ...]]] = {
    "cluster": {
        **{
            f"{law}, {n}": (law, n, 10, 1)
            for law in ("hidden", "hidden in pairs", "hidden in triples")
            for n in (1000, 3000)
        },
        **{f"{law}, 3000": (law, 3000, 10, 1) for law in ("one ball", "several", "heavy tails")},
        **{f"hidden in triples, {n}": ("hidden in triples", n, 10, 1) for n in (2000, 5000)},
    },
    "linear": {
        "few cells, 1000": ("few cells", 1000, 3, 1000),
        "few cells, 10000": ("few cells", 10_000, 3, 1000),
        "one question, 10000": ("few cells", 10_000, 3, 1),
    },
    "attributes": {
        "attributes, 10000": ("attributes", 10_000, 16, 1000),
        "thirty, 10000": ("attributes", 10_000, 16, 30),
    },
    "wide": {
        "attributes, often": ("attributes", 10_000, 16, 1000),
        "thirty, often": ("attributes", 10_000, 16, 30),
    },
    "smooth": {
        "line, pure, 3000": ("usual", 3000, 1, 1000, 0.0),
        "line, pure, 30000": ("usual", 30_000, 1, 1000, 0.0),
        "plane, pure, 3000": ("usual", 3000, 2, 1000, 0.0),
        "plane, 3000": ("usual", 3000, 2, 1000),
    },
    "line": {"line, pure, 1000": ("usual", 1000, 1, 1000, 0.0)},
    "sparse": {
        "short lists, 300": ("usual", 300, 5, 300),
        "long lists, 1000": ("usual", 1000, 500, 300),
    },
}
KIND_OF = {"attributes": "linear", "wide": "linear", "line": "smooth"}  # of groups, else their name


# Who is tried over many cells: all of the first journal, and often who came near to leading there.
KEYS = {
    "attributes": tuple(
        each.key for each in kinds.KINDS["linear"].mechanisms if each.key != "adaptive"
    ),
    "wide": ("gaussian", "factor", "histogram", "joint", "adaptive"),
    "line": ("truncation", "histogram", "projected", "shaped"),
}
SLOW = ("attributes",)  # of which a few draws show who comes near


def trial_cell(params: Cell, *, rng: checks.Seed) -> dict[str, float]:
    """All mechanisms at one of ``PLACES``, at epsilon = 1.

    >>> found = trial_cell(Cell(name="few cells, 1000"), rng=0)
    >>> found["projected 1"] < found["net 1"]
    True
    """
    return _cell(params.name, KEYS.get(group_of(params.name)), rng)


def trial_border(params: Cell, *, rng: checks.Seed) -> dict[str, float]:
    """The mechanisms of ``BORDERS`` at one of its places, at epsilon = 1.

    >>> found = trial_border(Cell(name="one question, 10000"), rng=0)
    >>> found["joint 1"] < found["constant"]
    True
    """
    return _cell(params.name, BORDERS[params.name], rng)


def _cell(name: str, keys: tuple[str, ...] | None, rng: checks.Seed) -> dict[str, float]:
    rng = checks.generator(rng)
    task, instance = instance_of(name, rng)
    at = kinds.Params(kind=kind_of(name), **task.size, delta=task.delta)
    return kinds.fields(kinds.outcomes(at, instance, rng=rng, keys=keys))


def kind_of(name: str) -> str:
    """The kind of query of one of ``PLACES``."""
    return KIND_OF.get(group := group_of(name), group)


def group_of(name: str) -> str:
    """The group of ``PLACES`` in which a name is."""
    return next(group for group, places in PLACES.items() if name in places)


def instance_of(name: str, rng: np.random.Generator) -> tuple[Task, Instance]:
    """Fresh records at one of ``PLACES``, and the task at epsilon = 1."""
    kind = kind_of(name)
    law, n, d, k, *delta = PLACES[group_of(name)][name]
    task = Task(n=n, d=d, k=k, delta=delta[0] if delta else 1e-6)
    if law in cluster.LAWS:
        return task, cluster.of_rows(task, cluster.LAWS[law](n, d, rng=rng))
    return task, kinds.KINDS[kind].draw(task, rng)


def _cells(group: str) -> Experiment:
    """Enough draws to name a winner, at some places of a map; too few if all are tried there."""
    kind = KIND_OF.get(group, group)
    return Experiment(
        name=f"compare_cells_{group}",
        shows=f"Some places of the map for {kind} queries, with more draws or other records.",
        trial=trial_cell,
        params=Cell(name=next(iter(PLACES[group]))),
        grid={"name": tuple(PLACES[group])},
        repeats=20 if group in SLOW else DRAWS,
        rng=SEED,
        folder=FOLDER,
    )


CELLS = {group: _cells(group) for group in PLACES}

FOUND = ("solver", "closest", "tree", "triples")
SOFT = ("functional", "histogram", "projected", "shaped")
ASKED = ("projected", "histogram", "joint", "factor", "gaussian")
BORDERS = {  # places on both sides of three borders, and who may lead there
    "hidden in triples, 2000": FOUND,
    "hidden in triples, 3000": FOUND,
    "plane, pure, 3000": SOFT,
    "plane, 3000": SOFT,
    "one question, 10000": ASKED,
    "few cells, 10000": ASKED,
}


def _borders(group: str) -> Experiment:
    """Twice as many draws as name a winner, of other seeds, at the borders of one kind's map."""
    names = tuple(name for name in BORDERS if group_of(name) == group)
    return Experiment(
        name=f"compare_borders_{group}",
        shows=f"Who leads on both sides of a border of the map for {group} queries.",
        trial=trial_border,
        params=Cell(name=names[0]),
        grid={"name": names},
        repeats=2 * DRAWS,
        rng=SEED + 1,
        folder=FOLDER,
    )


AT_BORDERS = {group: _borders(group) for group in ("cluster", "smooth", "linear")}


SETTINGS = [  # of the closest pairs: records in a group, bins of a column, share of the windows
    dict(zip(("size", "bins", "share"), each, strict=True))
    for each in itertools.product((6, 8, 10, 14, 20), (8, 16, 24, 32), (0.4, 0.6))
]


def trial_settings(params: Cell, *, rng: checks.Seed) -> dict[str, float]:
    """The solver, and closest pairs in each of ``SETTINGS``, at one of ``PLACES``.

    >>> found = trial_settings(Cell(name="hidden in triples, 2000"), rng=0)
    >>> len(found) == 2 + len(SETTINGS)
    True
    """
    rng = checks.generator(rng)
    task, instance = instance_of(params.name, rng)
    each = {"solver": cluster.KIND.mechanism("solver")}
    each |= {f"closest{i}": cluster.closest(**how) for i, how in enumerate(SETTINGS)}
    found = {(key, 1.0): one.outcome(task, instance, rng=rng) for key, one in each.items()}
    return kinds.fields(kinds.Trial(without=instance.without_data, outcomes=found))


OF_SETTINGS = Experiment(
    name="compare_settings",
    shows="The solver beside closest pairs in forty settings, where the solver leads.",
    trial=trial_settings,
    params=Cell(name="hidden in triples, 2000"),
    grid={"name": ("hidden in triples, 2000",)},
    repeats=80,
    rng=SEED + 2,
    folder=FOLDER,
)
