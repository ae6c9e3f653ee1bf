"""Learning a threshold in private: what the paper's theorem is for.

**Paper.** Roth (2010), sections 1 and 5, after Kasiviswanathan et al. (2008) and Blum, Ligett and
Roth (2008).

**Setting.** n people, each with a cell and a label 0 or 1, drawn independently from one law. Rules
say 1 from some cell on. Learn a rule whose error under the law is nearly the least: no rule needs
to be right (agnostic learning).

**Idea.** Choose a rule by its number of errors in the sample, at random, good ones far more often.
One person changes each number by at most one.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       shape, unit
===========  =====================  ============================================  ============
D            ``data``               (cell, label) of each person                  (n, 2)
C            ``rules``              t: say 1 from cell t on, t = 0 ... cells      cells + 1
alpha        ``epsilon``            privacy, one person replaced                  1
eta          ``excess``             error under the law above the least           share
===========  =====================  ============================================  ============

**Departures.** The paper states the consequence for learning in words; the bound is ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.privacy.curator import Curator
from dpviz.privacy.private_data import finite_table


@dataclass(frozen=True, kw_only=True)
class Params:
    """What is public.

    Attributes
    ----------
    epsilon : float > 0, price of everything, one person replaced
    delta : 0, for this is pure
    cells : int >= 1; cells and labels outside are clipped, record by record

    >>> Params(epsilon=0.0, cells=4)
    Traceback (most recent call last):
    ...
    ValueError: epsilon must be a number with 0 < epsilon, not 0.0
    """

    epsilon: float
    delta: float = 0.0
    cells: int

    def __post_init__(self):
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, at_most=0)
        checks.integer("cells", self.cells, at_least=1)


@dataclass(frozen=True, eq=False)
class Release:
    """The rule: say 1 from cell ``start`` on."""

    start: int


def release(data: Any, params: Params, curator: Curator) -> Release:
    """Choose a rule. Costs ``params.epsilon``; one person moves each count of errors by one.

    Parameters
    ----------
    data : array (n, 2) of cells and labels, private

    >>> curator = Curator(epsilon=9.0, rng=0)
    >>> release([[0, 0], [1, 1]] * 50, Params(epsilon=9.0, cells=4), curator)
    Release(start=1)
    """
    scores = -mistakes(data, params.cells).astype(float)
    price = {"sensitivity": 1.0, "epsilon": params.epsilon}
    return Release(curator.choose(scores, **price, label="rule"))


def answer(release: Release, cells: Any) -> np.ndarray:
    """Free: post-processing. The rule's labels of some cells.

    >>> answer(Release(1), [0, 1, 2]).tolist()
    [0, 1, 1]
    """
    return (checks.queries("cells", cells) >= release.start).astype(int)


def error_bound(params: Params, n: int, *, beta: float = 0.05) -> float:
    """Proved: with probability 1 - beta the rule's error under the law exceeds the least by at
    most this.

    Proof. With probability 1 - beta/2 all R = cells + 1 rules have sample errors within
    sqrt(ln(4 R / beta) / (2 n)) of those under the law (Hoeffding), which is paid twice. With
    probability 1 - beta/2 the choice makes at most (2 / epsilon) ln(2 R / beta) mistakes more
    than the best rule in the sample (McSherry and Talwar 2007).

    >>> round(error_bound(Params(epsilon=1.0, cells=100), 10_000), 3)
    0.044
    """
    rules, n = params.cells + 1, checks.integer("n", n, at_least=1)
    checks.number("beta", beta, above=0, below=1)
    sampled = 2 * math.sqrt(math.log(4 * rules / beta) / (2 * n))
    return sampled + 2 / (params.epsilon * n) * math.log(2 * rules / beta)


def paper_rate(n: int, dimension: int, cells: int, *, epsilon: float) -> float:
    """Theorem 5 solved for the error: (d ln(cells) / (epsilon n))^(1/3), with the constant 1.

    >>> round(paper_rate(1000, 1, 100, epsilon=1.0), 3)
    0.166
    """
    return (dimension * math.log(cells) / (epsilon * n)) ** (1 / 3)


def trial(params: Params, n: int, flip: float = 0.2, *, rng: checks.Seed) -> dict[str, float]:
    """Draw n people, learn with and without privacy.

    Cells are uniform; labels are 1 from the middle cell on, and ``flip`` of them turned round.

    Returns
    -------
    dict with ``excess`` (of the private rule), ``plain`` (of the best rule in the sample),
    ``bound`` (:func:`error_bound`)

    >>> trial(Params(epsilon=1.0, cells=10), 2000, rng=0)["excess"]
    0.0
    """
    checks.number("flip", flip, at_least=0, below=0.5)
    rng, middle = checks.generator(rng), params.cells // 2
    cells = rng.integers(params.cells, size=checks.integer("n", n, at_least=1))
    labels = (cells >= middle) ^ (rng.random(n) < flip)
    data = np.stack([cells, labels], axis=1)
    private = release(data, params, Curator(epsilon=params.epsilon, rng=rng)).start
    plain = int(mistakes(data, params.cells).argmin())
    per_cell = (1 - 2 * flip) / params.cells  # each wrong cell costs this under the law
    return {
        "excess": per_cell * abs(private - middle),
        "plain": per_cell * abs(plain - middle),
        "bound": error_bound(params, n),
    }


def mistakes(data: Any, cells: int) -> np.ndarray:
    """Mistakes of each rule in the sample, private; int array (cells + 1,).

    >>> mistakes([[0, 1], [2, 0]], 3).tolist()
    [1, 2, 2, 1]
    """
    points = finite_table(data)
    if points.shape[1] != 2:
        raise ValueError("data must have shape (n, 2): a cell and a label for each person")
    places = np.clip(np.rint(points[:, 0]), 0, cells - 1).astype(int)
    labels = points[:, 1] >= 0.5
    ones = np.bincount(places[labels], minlength=cells)
    zeros = np.bincount(places[~labels], minlength=cells)
    missed = np.concatenate([[0], np.cumsum(ones)])  # ones before t are called 0
    false = zeros.sum() - np.concatenate([[0], np.cumsum(zeros)])  # zeros from t on are called 1
    return missed + false
