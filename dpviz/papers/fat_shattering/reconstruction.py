"""Answers that are too good give the data back: reconstruction from a shattered set.

**Paper.** Roth (2010), section 3, Lemmas 1 and 2.

**Setting.** The database is a set T of cells, one person in each, out of a known family of sets
inside a gamma-shattered set. Every query of the class is answered with an error of at most e.

**Idea.** For each set T' there is a query that is high on T' and low elsewhere, so it tells T'
from the sets that differ much. Take the set whose own query is exceeded least by its true value:
for the right set that is at most e, for one that differs in many cells it is more.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       shape, unit
===========  =====================  ============================================  ============
S, r         ``Shattering``         shattered points and their levels             (d,)
S^j*         ``bucket_members``     points whose levels lie within gamma          indices
D_T          ``databases``          the family, one set a row                     (c, cells)
q_T          ``asked``              the query that shows 1 on T and 0 elsewhere   (c,) indices
epsilon      ``error``              largest error of an answer                    people
v(T)         ``own - answers``      how far T's query exceeds its answer          people
===========  =====================  ============================================  ============

**Departures.** (1) If the largest bucket holds an odd number of points one is left out (the text
takes half of it as it is). (2) Buckets lose a factor gamma. `pairs` loses a half only: points with
neighbouring levels are paired, and a set takes one of each pair. That is a remark of this project,
with its proof in :func:`pairs`; whether it is known elsewhere was not checked.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.papers.fat_shattering.classes import affordable, unit_queries
from dpviz.papers.fat_shattering.dimension import ROUNDING, Shattering, margin, patterns
from dpviz.privacy.curator import Curator

NOISES = ("bounded", "gauss", "laplace")


@dataclass(frozen=True, kw_only=True)
class Params:
    """How the answers under attack are made wrong; all public.

    Attributes
    ----------
    scale : float > 0, in people: the bound, the standard deviation, or 1 / epsilon
    noise : "bounded" (uniform in [-scale, scale]) or "gauss", fresh for each query; "laplace"
        (a private table: noise of this scale in each cell, which is 1/scale-private)

    >>> Params(scale=-1)
    Traceback (most recent call last):
    ...
    ValueError: scale must be a number with 0 < scale, not -1
    """

    scale: float
    noise: str = "bounded"

    def __post_init__(self):
        checks.number("scale", self.scale, above=0)
        checks.choice("noise", self.noise, NOISES)


@dataclass(frozen=True, eq=False)
class Attack:
    """A family of databases, and for each the query that gives it away.

    Attributes
    ----------
    databases : bool array (c, cells), sets of equal size
    asked : int array (c,), row of the class
    own : array (c,), the true answer of ``asked`` on its own database
    gamma : float
    """

    databases: np.ndarray
    asked: np.ndarray
    own: np.ndarray
    gamma: float

    @property
    def size(self) -> int:
        """People in each database."""
        return int(self.databases[0].sum())

    def guess(self, answers: Any) -> int:
        """Lemma 2: index of the database whose own answer is exceeded least.

        Parameters
        ----------
        answers : array (k,), one for each query of the class
        """
        return int(np.argmin(self.own - checks.queries("answers", answers)[self.asked]))


def error_bound(error: float, gamma: float) -> float:
    """Proved (Lemma 2): the guess differs from the truth in at most 4 error / gamma cells.

    Proof. Let v(T') be the own answer of T' less what was said. v(truth) <= error. For a set at
    N exchanged cells (2 N cells differ) its query is smaller by gamma N or more on the truth
    than on its own set (Lemma 1; :func:`pairs`), so v(T') >= gamma N - error. The guess has the
    least v, so gamma N <= 2 error.

    >>> error_bound(0.2, 0.25)
    3.2
    """
    return 4 * checks.number("error", error, at_least=0) / margin(gamma)


def trial(params: Params, queries: Any, attack: Attack, *, rng: checks.Seed) -> dict[str, float]:
    """Draw one of the databases, answer every query, attack.

    Returns
    -------
    dict with ``error`` (largest error of an answer the attack reads), ``differing`` (cells),
    ``bound`` (:func:`error_bound` at that error), ``recovered`` (share of the people found)

    >>> from dpviz.papers.fat_shattering.dimension import shatter
    >>> queries = levelled([0.5] * 6, 0.25)
    >>> attack = bucket(queries, shatter(queries, 0.25))
    >>> trial(Params(scale=0.01), queries, attack, rng=1)["recovered"]
    1.0
    """
    rng, table = checks.generator(rng), unit_queries(queries)
    data = attack.databases[rng.integers(len(attack.databases))]
    answers = blurred(table, data, params, rng)
    guess = attack.databases[attack.guess(answers)]
    error = float(np.abs(answers - table @ data)[attack.asked].max())
    return {
        "error": error,
        "differing": float((guess ^ data).sum()),
        "bound": error_bound(error, attack.gamma),
        "recovered": float((guess & data).sum() / attack.size),
    }


def blurred(queries: np.ndarray, data: np.ndarray, params: Params, rng: checks.Seed) -> np.ndarray:
    """Answers (k,) to attack: with noise of a stated size, or from a private table.

    >>> blurred(np.eye(2), np.ones(2), Params(scale=1e-9), np.random.default_rng(0)).round(6)
    array([1., 1.])
    """
    if params.noise == "laplace":
        curator = Curator(epsilon=1 / params.scale, rng=rng)
        price = {"sensitivity": 1.0, "epsilon": 1 / params.scale}
        return queries @ curator.laplace(data, **price, label="table")
    draw = {"bounded": lambda k: rng.uniform(-1, 1, k), "gauss": rng.standard_normal}
    return queries @ data + params.scale * draw[params.noise](len(queries))


def bucket(queries: Any, found: Shattering) -> Attack:
    """All halves of the fullest bucket of levels (Lemma 1).

    Lemma 1. Let T, T' be two halves, N cells in T only. q_T is at least r + gamma on those and at
    most r - gamma on the N cells of T' only; levels of a bucket differ by at most gamma; so
    q_T(D_T) - q_T(D_T') >= 2 gamma N - gamma N.

    >>> queries = levelled([0.5, 0.5, 0.5, 0.5], 0.25)
    >>> from dpviz.papers.fat_shattering.dimension import shatter
    >>> len(bucket(queries, shatter(queries, 0.25)).databases)
    6
    """
    members = bucket_members(found.witness, found.gamma)
    half = len(members) // 2
    sets = list(itertools.combinations(members, half))
    chosen = np.zeros((len(sets), found.d), dtype=bool)
    np.put_along_axis(chosen, np.array(sets, dtype=int).reshape(len(sets), half), True, axis=1)
    return _attack(queries, found, chosen)


def pairs(queries: Any, found: Shattering) -> Attack:
    """One of each pair of neighbouring levels: no factor gamma is lost (our remark).

    Proof. Let T, T' take different cells of N pairs, x in T and y in T'. q_T(x) - q_T(y) >=
    (r_x + gamma) - (r_y - gamma) >= 2 gamma - (their gap) >= gamma, and the other pairs cancel.
    Pairs with a gap above gamma are left out: their gaps do not overlap and lie in an
    interval of length 1 - 2 gamma, so they are fewer than 1/gamma - 2.

    >>> queries = levelled([0.3, 0.7, 0.3, 0.7], 0.25)
    >>> from dpviz.papers.fat_shattering.dimension import shatter
    >>> pairs(queries, shatter(queries, 0.25)).databases.astype(int).tolist()[0]
    [0, 0, 1, 1]
    """
    kept = close_pairs(found.witness, found.gamma)
    chosen = np.zeros((2 ** len(kept), found.d), dtype=bool)
    picks = np.where(patterns(len(kept)), kept[:, 0], kept[:, 1])
    np.put_along_axis(chosen, picks, True, axis=1)
    return _attack(queries, found, chosen)


def bucket_members(witness: np.ndarray, gamma: float) -> np.ndarray:
    """Places of the levels in the fullest bucket ((j - 1) gamma, j gamma], an even number.

    >>> bucket_members(np.array([0.3, 0.7, 0.4, 0.5, 0.26]), 0.25).tolist()
    [0, 2, 3, 4]
    """
    buckets = np.ceil(np.asarray(witness) / gamma - ROUNDING / gamma).astype(int)
    names, counts = np.unique(buckets, return_counts=True)
    if not len(names):
        return np.zeros(0, dtype=int)
    members = np.flatnonzero(buckets == names[counts.argmax()])
    return members[: len(members) // 2 * 2]


def close_pairs(witness: np.ndarray, gamma: float) -> np.ndarray:
    """Neighbouring levels, two by two, no further apart than gamma; int array (pairs, 2).

    >>> close_pairs(np.array([0.3, 0.7, 0.4, 0.5]), 0.25).tolist()
    [[0, 2], [3, 1]]
    """
    order = np.argsort(witness, kind="stable")
    couples = order[: len(order) // 2 * 2].reshape(-1, 2)
    gaps = np.asarray(witness)[couples[:, 1]] - np.asarray(witness)[couples[:, 0]]
    return couples[gaps <= gamma + ROUNDING]


def levelled(witness: Any, gamma: float) -> np.ndarray:
    """The class that shatters all its points at these levels, and no more: r +- gamma.

    Returns
    -------
    array (2^d, d), row b for pattern b

    >>> levelled([0.5], 0.25).tolist()
    [[0.25], [0.75]]
    """
    levels, gamma = checks.queries("witness", witness).ravel(), margin(gamma)
    if levels.min(initial=0.5) < gamma - ROUNDING or levels.max(initial=0.5) > 1 - gamma + ROUNDING:
        raise ValueError(f"witness must lie between gamma and 1 - gamma, not {levels.tolist()}")
    affordable("patterns", 2 ** len(levels), len(levels))
    return np.clip(levels + np.where(patterns(len(levels)), gamma, -gamma), 0, 1)


def _attack(queries: Any, found: Shattering, chosen: np.ndarray) -> Attack:
    """The databases of ``chosen`` (c, d), the query that shows each, and its own answer."""
    table = unit_queries(queries)
    databases = np.zeros((len(chosen), table.shape[1]), dtype=bool)
    databases[:, found.points] = chosen
    asked = found.rows[chosen @ (1 << np.arange(found.d))]
    own = (table[asked] * databases).sum(axis=1)
    return Attack(databases, asked, own, found.gamma)
