"""Reconstruction attack on a fat-shattered set (Lemmas 1 and 2): accurate answers give it back.

**Paper.** Roth (2010), section 3, Lemmas 1 and 2.

**Setting.** The database is a set T of cells, one person in each, out of a known family of sets
inside a gamma-shattered set. Every query of the class is answered with an error of at most e.

**Idea.** For each set T' there is a query that is high on T' and low elsewhere, so it tells T'
from the sets that differ much. The true answer of a set's witness query on the set
itself exceeds what was published by at most e if the set is the right one, and by more if it
differs in many cells. Guess the set with the least excess.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       shape, unit
===========  =====================  ============================================  ============
S, r         ``Shattering``         shattered points and their levels             (d,)
S^j*         ``bucket_members``     points whose levels lie within gamma          indices
D_T          ``databases``          the family, one set a row                     (c, cells)
q_T          ``witness_queries``    the query that is high on T, low elsewhere    (c,) indices
epsilon      ``error``              largest error of an answer                    people
q_T(T)       ``witness_answers``    its true answer on its own set                (c,) people
===========  =====================  ============================================  ============

**Departures.** (1) If the largest bucket holds an odd number of points one is left out (the text
takes half of it as it is). (2) Buckets lose a factor gamma. :func:`pairing_attack` loses a half
only: points with neighbouring levels are paired, and a set takes one of each pair. That is a remark
of this project, with its proof there; whether it is known elsewhere was not checked.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.fat_shattering.classes import check_size, unit_queries
from dpviz.papers.fat_shattering.dimension import ROUNDING, Shattering, margin, patterns
from dpviz.privacy.curator import Curator
from dpviz.privacy.private_data import finite

NOISES = ("uniform", "gaussian", "laplace")


@dataclass(frozen=True, kw_only=True)
class Params:
    """How the answers under attack are made wrong; all public.

    Attributes
    ----------
    scale : float > 0, in people: the bound, the standard deviation, or 1 / epsilon
    noise : "uniform" (in [-scale, scale]) or "gaussian", fresh for each query; "laplace" (a Laplace
        histogram: noise of this scale in each cell, which is 1/scale-private)

    >>> Params(scale=-1)
    Traceback (most recent call last):
    ...
    ValueError: scale must be a number with 0 < scale, not -1
    """

    scale: float
    noise: str = "uniform"

    def __post_init__(self):
        checks.number("scale", self.scale, above=0)
        checks.choice("noise", self.noise, NOISES)


@dataclass(frozen=True, eq=False)
class Attack:
    """A family of databases, and for each the query that gives it away.

    Attributes
    ----------
    databases : bool array (c, cells), sets of equal size
    witness_queries : int array (c,), row of the class that is high on the database only
    witness_answers : array (c,), the true answer of each witness query on its own database
    gamma : float
    """

    databases: np.ndarray
    witness_queries: np.ndarray
    witness_answers: np.ndarray
    gamma: float

    @property
    def size(self) -> int:
        """People in each database."""
        return int(self.databases[0].sum())

    def guess(self, answers: ArrayLike) -> int:
        """Lemma 2: index of the database whose witness answer exceeds the published one least.

        Parameters
        ----------
        answers : array (k,), one for each query of the class
        """
        published = checks.queries("answers", answers)[self.witness_queries]
        return int(np.argmin(self.witness_answers - published))


def reconstruction_bound(error: float, gamma: float, *, spread: float | None = None) -> float:
    """Proved (Lemma 2): the guess differs from the truth in at most 4 error / (2 gamma - spread)
    cells, where levels lie within ``spread`` of each other; None for gamma, as in a bucket.

    Proof. Let v(T') be the witness answer of T' less what was published. v(truth) <= error. For a
    set at N exchanged cells (2 N cells differ) its query is smaller by (2 gamma - spread) N or more
    on the truth than on its own set (Lemma 1; :func:`pairing_attack`), so v(T') >= (2 gamma -
    spread) N - error. The guess has the least v, so (2 gamma - spread) N <= 2 error.
    Statements: R10 Lemma 2.

    >>> reconstruction_bound(0.2, 0.25), reconstruction_bound(1, 0.5, spread=0)
    (3.2, 4.0)
    """
    apart = told_apart(gamma, spread)
    limit = 4 * checks.number("error", error, at_least=0)
    return limit / apart if apart else math.inf


def told_apart(gamma: float, spread: float | None = None) -> float:
    """By how much the answers of a set's own query fall for each cell that is exchanged, at least.

    >>> told_apart(0.25), told_apart(0.25, 0)
    (0.25, 0.5)
    """
    gamma = margin(gamma)
    if spread is None:
        return gamma
    return 2 * gamma - checks.number("spread", spread, at_least=0, at_most=2 * gamma)


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
    attack: Attack,
) -> dict[str, float]:
    """Answer every query about one of the databases, attack.

    Parameters
    ----------
    data : array (cells,) of 0 and 1; None for one of ``attack.databases``, drawn uniformly
    queries : array (k, cells) in [0, 1], the class; it must be given

    Returns a dict with ``error`` (largest error of an answer the attack reads), ``differing``
    (cells), ``bound`` (:func:`reconstruction_bound` at that error), ``recovered`` (share of the
    people).

    >>> from dpviz.papers.fat_shattering.dimension import shatter
    >>> queries = shattering_class([0.5] * 6, 0.25)
    >>> attack = bucket_attack(queries, shatter(queries, 0.25))
    >>> trial(Params(scale=0.01), queries=queries, attack=attack, rng=1)["recovered"]
    1.0
    """
    rng = checks.generator(rng)
    table = unit_queries(queries)
    if data is None:
        data = attack.databases[rng.integers(len(attack.databases))]
    data = finite(data) > 0.5
    answers = _noisy_answers(table, data, params, rng)
    guess = attack.databases[attack.guess(answers)]
    error = float(np.abs(answers - table @ data)[attack.witness_queries].max())
    return {
        "error": error,
        "differing": float((guess ^ data).sum()),
        "bound": reconstruction_bound(error, attack.gamma),
        "recovered": float((guess & data).sum() / attack.size),
    }


def _noisy_answers(
    queries: np.ndarray, data: np.ndarray, params: Params, rng: np.random.Generator
) -> np.ndarray:
    """Answers (k,) to attack: with noise of a stated size, or from a Laplace histogram."""
    if params.noise == "laplace":
        curator = Curator(epsilon=1 / params.scale, rng=rng)
        cost = {"sensitivity": 1.0, "epsilon": 1 / params.scale}
        return queries @ curator.laplace(data, **cost, label="histogram")
    draw = {"uniform": lambda k: rng.uniform(-1, 1, k), "gaussian": rng.standard_normal}
    return queries @ data + params.scale * draw[params.noise](len(queries))


def bucket_attack(queries: ArrayLike, found: Shattering) -> Attack:
    """All halves of the largest bucket of levels (Lemma 1).

    Lemma 1. Let T, T' be two halves, N cells in T only. q_T is at least r + gamma on those and at
    most r - gamma on the N cells of T' only; levels of a bucket differ by at most gamma; so
    q_T(D_T) - q_T(D_T') >= 2 gamma N - gamma N.
    Statements: R10 Lemma 1.

    >>> queries = shattering_class([0.5, 0.5, 0.5, 0.5], 0.25)
    >>> from dpviz.papers.fat_shattering.dimension import shatter
    >>> len(bucket_attack(queries, shatter(queries, 0.25)).databases)
    6
    """
    members = bucket_members(found.witness, found.gamma)
    half = len(members) // 2
    sets = list(itertools.combinations(members, half))
    chosen = np.zeros((len(sets), found.d), dtype=bool)
    np.put_along_axis(chosen, np.array(sets, dtype=int).reshape(len(sets), half), True, axis=1)
    return _attack(queries, found, chosen)


def pairing_attack(queries: ArrayLike, found: Shattering) -> Attack:
    """One of each pair of neighbouring levels: no factor gamma is lost (our remark).

    Proof. Let T, T' take different cells of N pairs, x in T and y in T'. q_T(x) - q_T(y) >=
    (r_x + gamma) - (r_y - gamma) >= 2 gamma - (their gap) >= gamma, and the other pairs cancel.
    Pairs with a gap above gamma are left out: their gaps do not overlap and lie in an
    interval of length 1 - 2 gamma, so they are fewer than 1/gamma - 2.
    Statements: R10 Section 3 (conjecture).

    >>> queries = shattering_class([0.3, 0.7, 0.3, 0.7], 0.25)
    >>> from dpviz.papers.fat_shattering.dimension import shatter
    >>> pairing_attack(queries, shatter(queries, 0.25)).databases.astype(int).tolist()[0]
    [0, 0, 1, 1]
    """
    pairs = _close_pairs(found.witness, found.gamma)
    chosen = np.zeros((2 ** len(pairs), found.d), dtype=bool)
    picks = np.where(patterns(len(pairs)), pairs[:, 0], pairs[:, 1])
    np.put_along_axis(chosen, picks, True, axis=1)
    return _attack(queries, found, chosen)


def bucket_members(witness: np.ndarray, gamma: float) -> np.ndarray:
    """Places of the levels in the largest bucket ((j - 1) gamma, j gamma], an even number.

    Statements: R10 Section 3 (buckets).

    >>> bucket_members(np.array([0.3, 0.7, 0.4, 0.5, 0.26]), 0.25).tolist()
    [0, 2, 3, 4]
    """
    buckets = np.ceil(np.asarray(witness) / gamma - ROUNDING / gamma).astype(int)
    names, counts = np.unique(buckets, return_counts=True)
    if not len(names):
        return np.zeros(0, dtype=int)
    members = np.flatnonzero(buckets == names[counts.argmax()])
    return members[: len(members) // 2 * 2]


def _close_pairs(witness: np.ndarray, gamma: float) -> np.ndarray:
    """Neighbouring levels, two by two, no further apart than gamma; int array (pairs, 2)."""
    order = np.argsort(witness, kind="stable")
    couples = order[: len(order) // 2 * 2].reshape(-1, 2)
    gaps = np.asarray(witness)[couples[:, 1]] - np.asarray(witness)[couples[:, 0]]
    return couples[gaps <= gamma + ROUNDING]


def shattering_class(witness: ArrayLike, gamma: float) -> np.ndarray:
    """The class that shatters all its points at these levels, and no more: r +- gamma.

    Returns an array (2^d, d), row b for pattern b.

    >>> shattering_class([0.5], 0.25).tolist()
    [[0.25], [0.75]]
    """
    levels, gamma = checks.queries("witness", witness).ravel(), margin(gamma)
    if levels.min(initial=0.5) < gamma - ROUNDING or levels.max(initial=0.5) > 1 - gamma + ROUNDING:
        raise ValueError(f"witness must lie between gamma and 1 - gamma, not {levels.tolist()}")
    check_size("patterns", 2 ** len(levels), len(levels))
    return np.clip(levels + np.where(patterns(len(levels)), gamma, -gamma), 0, 1)


def _attack(queries: ArrayLike, found: Shattering, chosen: np.ndarray) -> Attack:
    """The databases of ``chosen`` (c, d), the witness query of each, and its answer."""
    table = unit_queries(queries)
    databases = np.zeros((len(chosen), table.shape[1]), dtype=bool)
    databases[:, found.points] = chosen
    witness_queries = found.rows[chosen @ (1 << np.arange(found.d))]
    witness_answers = (table[witness_queries] * databases).sum(axis=1)
    return Attack(databases, witness_queries, witness_answers, found.gamma)
