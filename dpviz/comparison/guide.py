"""What the stored trials say: errors over n and epsilon, who leads, and a guide made of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz.comparison import experiments
from dpviz.comparison.mechanisms import kinds
from dpviz.comparison.mechanisms.kinds import WITHOUT
from dpviz.sweeps.sweep import Sweep

N = experiments.N  # of all maps
EPSILONS = experiments.EPSILONS
SIZES = ("small", "middle", "large")
GRIDS = {kind: each.grid for kind, each in experiments.OVER.items()}
GRIDS["hidden"] = experiments.HIDDEN.grid
WHATS = {  # what is asked on the maps: kind of query, delta
    "distance": ("distance", 1e-6),
    "sparse": ("sparse", 1e-6),
    "smooth": ("smooth", 1e-6),
    "smooth, pure": ("smooth", 0.0),
    "cluster": ("cluster", 1e-6),
    "hidden": ("cluster", 1e-6),
    "linear": ("linear", 1e-6),
}
CLEAR = 1.25  # times as large a median error: less is no clear difference
BETA = 0.05  # how often an error may be larger than the quantile by which a guide judges
LOOSER = {"noise": "joint"}  # the same with a looser sensitivity: shown, but not judged beside it
SURE = 0.75  # share of the draws in which the winner has to be the better one


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What is asked: ``kind``, ``d`` and ``k``, with ``delta`` (0 for kernels only); of a cluster
    whether it is ``hidden``, so that no axis shows it.
    """

    kind: str
    d: int
    k: int
    delta: float = 1e-6
    hidden: bool = False


def setting(what: str, size: str, questions: str) -> Setting:
    """A setting by the words of the map: what is asked, how large it is, and how often.

    >>> setting("sparse", "large", "middle")
    Setting(kind='sparse', d=500, k=30, delta=1e-06, hidden=False)
    """
    kind, delta = WHATS[what]
    row = what if what == "hidden" else kind
    d = GRIDS[row]["d"][SIZES.index(size)]
    k = GRIDS[row].get("k", (1, 1, 1))[SIZES.index(questions)]
    return Setting(kind=kind, d=d, k=k, delta=delta, hidden=what == "hidden")


@lru_cache(maxsize=256)
def trials(where: Setting) -> dict[str, np.ndarray]:
    """Stored errors of each mechanism and of no data: arrays (epsilons, n, trials), infinite where
    it refuses.

    >>> found = trials(Setting(kind="linear", d=2, k=30))
    >>> found["histogram"].shape
    (5, 5, 20)
    """
    sweep = (experiments.HIDDEN if where.hidden else experiments.OVER[where.kind]).stored()
    place = tuple(
        slice(None) if axis == "n" else list(values).index(getattr(where, axis))
        for axis, values in sweep.axes.items()
    )
    later = experiments.HIDDEN_LATER if where.hidden else experiments.OVER_LATER.get(where.kind)
    values = {**(later.stored().values if later else {}), **sweep.values}
    here = {name: table[place] for name, table in values.items()}
    return _stacked(here, where.kind)


@lru_cache(maxsize=256)
def medians(where: Setting) -> dict[str, np.ndarray]:
    """Medians of :func:`trials`; arrays (epsilons, n)."""
    return {name: np.median(each, axis=-1) for name, each in trials(where).items()}


@dataclass(frozen=True, kw_only=True)
class Advice:
    """Who has the smallest error at one n and epsilon.

    One error is clearly smaller than another if its median is at least ``CLEAR`` times smaller, its
    1 - beta quantile (Definition 9.1) is no larger, and it is the smaller one in at least a share
    ``SURE`` of the draws, which all mechanisms share. Who is clearly best *leads*; a *winner* is
    named from ``experiments.DRAWS`` draws on.

    Attributes
    ----------
    best : that of the smallest median error, whether it helps or not
    keys : those of the smallest median error and of all that are not clearly worse, best first; ()
        if no error is clearly smaller than that of an answer without data
    error, low, high : median and range over the draws of the smallest error
    without : median error of the best answer without data
    margin : median error of the next best over the smallest one (no data counts)
    quantile : 1 - beta quantile of the smallest error
    failures : share of the draws in which it is not below the answer without data
    """

    best: str
    keys: tuple[str, ...]
    error: float
    low: float
    high: float
    without: float
    margin: float
    quantile: float
    failures: float
    draws: int

    @property
    def key(self) -> str:
        """Who leads; "" if nobody does."""
        return self.keys[0] if len(self.keys) == 1 else ""

    @property
    def winner(self) -> str:
        """Who leads in enough draws for a winner to be named; "" if nobody does."""
        return self.key if self.draws >= experiments.DRAWS else ""

    @property
    def tie(self) -> bool:
        """Whether several help, and their draws do not tell which is best."""
        return len(self.keys) > 1


def is_clear(errors: np.ndarray, others: np.ndarray, beta: float = BETA) -> bool:
    """Whether errors are clearly smaller than others in the same draws; two arrays (draws,).

    >>> is_clear(np.array([1.0, 2.0, 1.0]), np.array([2.0, 3.0, 2.0]))
    True
    >>> is_clear(np.array([1.0, 1.0, 1.0, 4.0]), np.array([3.0, 3.0, 3.0, 3.0]))
    False
    """
    enough = np.median(others) >= CLEAR * np.median(errors)
    reliable = quantile(errors, beta) <= quantile(others, beta)
    return bool(enough and reliable and np.mean(errors < others) >= SURE)


def quantile(errors: np.ndarray, beta: float = BETA) -> float:
    """The smallest error that at most a share beta of the draws exceeds (Definition 9.1).

    Of few draws even the largest may lie below that of the law.
    Statements: lesson Theorem 9.2.

    >>> quantile(np.arange(100.0)), quantile(np.arange(20.0))
    (94.0, 18.0)
    """
    return float(np.sort(errors)[math.ceil((1 - beta) * len(errors) * (1 - 1e-12)) - 1])


@lru_cache(maxsize=8192)
def advice(where: Setting, *, n: int, epsilon: float = 1.0) -> Advice:
    """What to use at one place of the stored grid.

    >>> advice(Setting(kind="cluster", d=10, k=1, hidden=True), n=10_000).tie
    True
    """
    return judged({name: each[EPSILONS.index(epsilon), N.index(n)]
                   for name, each in trials(where).items()})  # fmt: skip


def judged(draws: dict[str, np.ndarray]) -> Advice:
    """The advice by the errors of some draws: arrays (draws,) by key, ``WITHOUT`` among them.

    >>> draws = {"a": np.ones(9), "b": np.full(9, 1.1), "c": np.full(9, 3.0)}
    >>> judged({**draws, WITHOUT: np.full(9, 4.0)}).keys
    ('a', 'b')
    >>> judged({**draws, WITHOUT: np.full(9, 1.2)}).keys
    ()
    """
    draws = {name: each for name, each in draws.items() if not _is_looser(name, draws)}
    middle = {name: float(np.median(each)) for name, each in draws.items()}
    order = sorted(middle, key=lambda name: middle[name])
    first = next(name for name in order if name != WITHOUT)
    best = draws[first]
    near = [name for name in order if name != WITHOUT and not is_clear(best, draws[name])]
    helps = is_clear(best, draws[WITHOUT])
    least = middle[order[0]]
    following = middle[order[1]]
    return Advice(
        best=first,
        keys=tuple(near) if helps else (),
        error=float(np.median(best)),
        low=float(best.min()),
        high=float(best.max()),
        without=middle[WITHOUT],
        margin=following / least if least else np.inf,
        quantile=quantile(best),
        failures=float(np.mean(best >= draws[WITHOUT])),
        draws=len(best),
    )


def _is_looser(name: str, draws: Mapping[str, np.ndarray]) -> bool:
    """Whether the same mechanism with a tighter sensitivity was tried as well."""
    tighter = draws.get(LOOSER.get(name, ""))
    return tighter is not None and bool(np.isfinite(tighter).all())


def cell(name: str) -> dict[str, np.ndarray]:
    """Stored errors at one of ``experiments.PLACES``, by key: arrays (draws,), infinite where a
    mechanism refuses.

    >>> len(cell("hidden, 3000")["solver"]) == experiments.DRAWS
    True
    """
    return _at(name, experiments.CELLS[experiments.group_of(name)].stored(), None)


def border(name: str) -> dict[str, np.ndarray]:
    """As :func:`cell`, with fresh seeds, at one of ``experiments.BORDERS``: its mechanisms alone.

    >>> border("hidden in triples, 3000")["solver"].shape
    (200,)
    """
    stored = experiments.AT_BORDERS[experiments.group_of(name)].stored()
    return _at(name, stored, (WITHOUT, *experiments.BORDERS[name]))


def settings() -> tuple[np.ndarray, np.ndarray]:
    """Stored errors of the solver (draws,), and of closest pairs in each of
    ``experiments.SETTINGS`` in the same draws (settings, draws).

    >>> solver, pairs = settings()
    >>> pairs.shape == (len(experiments.SETTINGS), len(solver))
    True
    """
    stored = experiments.OF_SETTINGS.stored()
    each = np.array([stored[f"closest{i} 1"][0] for i in range(len(experiments.SETTINGS))])
    return stored["solver 1"][0], each


def _at(name: str, sweep: Sweep, keys: tuple[str, ...] | None) -> dict[str, np.ndarray]:
    place = list(sweep.axes["name"]).index(name)
    stored = {field: table[place] for field, table in sweep.values.items()}
    errors = kinds.errors(stored, experiments.kind_of(name), epsilon=1.0)
    return {key: errors[key] for key in keys or errors}


ROWS = (  # of the guide
    Setting(kind="distance", d=1, k=1),
    Setting(kind="distance", d=10, k=10_000),
    Setting(kind="sparse", d=5, k=300),
    Setting(kind="sparse", d=500, k=30),
    Setting(kind="sparse", d=500, k=300),
    Setting(kind="smooth", d=2, k=1000),
    Setting(kind="smooth", d=1, k=1000, delta=0.0),
    Setting(kind="smooth", d=2, k=1000, delta=0.0),
    Setting(kind="cluster", d=2, k=1),
    Setting(kind="cluster", d=10, k=1),
    Setting(kind="cluster", d=10, k=1, hidden=True),
    Setting(kind="linear", d=2, k=1000),
    Setting(kind="linear", d=3, k=1),
    Setting(kind="linear", d=3, k=1000),
)


OFTEN = {  # where the question of a row has enough draws for a winner to be named
    (Setting(kind=experiments.kind_of(name), d=d, k=k, delta=(*delta, 1e-6)[0],
             hidden=law == "hidden"), n): name
    for places in experiments.PLACES.values()
    for name, (law, n, d, k, *delta) in places.items()
    if law in ("hidden", "few cells", "usual")
}  # fmt: skip


def guide() -> list[tuple[Setting, list[Advice]]]:
    """The advice for each row and each n, at epsilon = 1, by the most draws that are stored.

    >>> len(guide()[0][1]) == len(N)
    True
    """
    return [(where, [judged(cell(OFTEN[where, n])) if (where, n) in OFTEN else advice(where, n=n)
                     for n in N]) for where in ROWS]  # fmt: skip


def of_clinic(kind: str) -> dict[str, np.ndarray]:
    """Stored errors about the clinic's patients: arrays (epsilons, n, trials), n as in the journal;
    infinite where a mechanism refuses.

    >>> of_clinic("linear")["net"].shape
    (5, 4, 20)
    """
    later = experiments.OF_CLINIC_LATER.get(kind)
    values = {
        **(later.stored().values if later else {}),
        **experiments.OF_CLINIC[kind].stored().values,
    }
    return _stacked(values, kind)


def _stacked(stored: Mapping[str, np.ndarray], kind: str) -> dict[str, np.ndarray]:
    """Stored errors by key; arrays (epsilons, ...)."""
    tables = [kinds.errors(stored, kind, epsilon=epsilon) for epsilon in EPSILONS]
    return {key: np.stack([table[key] for table in tables]) for key in tables[0]}


def selected_gain(kind: str = "linear", key: str = "histogram") -> float:
    """Median over n of (median of twenty runs) / (best of them): one mechanism on the clinic.

    >>> 1.2 < selected_gain() < 5
    True
    """
    runs = of_clinic(kind)[key][EPSILONS.index(1.0)]
    return float(np.median(np.median(runs, axis=1) / runs.min(axis=1)))
