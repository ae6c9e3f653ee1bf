"""Private agnostic learning of thresholds by the exponential mechanism (section 5).

**Paper.** Roth (2010), sections 1 and 5, after Kasiviswanathan et al. (2008) and Blum, Ligett and
Roth (2008).

**Setting.** n people, each with a cell and a label 0 or 1, drawn independently from one
distribution. Rules say 1 from some cell on. Learn a rule whose error under it is nearly the least:
no rule needs to be right (agnostic learning).

**Idea.** Choose a rule by its number of errors in the sample, at random, good ones far more often.
One person changes each number by at most one.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       shape, unit
===========  =====================  ============================================  ============
D            ``data``               (cell, label) of each person                  (n, 2)
C            ``rules``              t: say 1 from cell t on, t = 0 ... cells      cells + 1
alpha        ``epsilon``            privacy, one person replaced                  1
eta          ``excess``             true error above the least                    share
delta        ``beta``               probability of a larger excess                (0, 1)
===========  =====================  ============================================  ============

**Departures.** The paper states the consequence for learning in words; the bound is ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.privacy.curator import PURE, Curator, Promise
from dpviz.privacy.private_data import finite_table


@dataclass(frozen=True, kw_only=True)
class Params(Promise):
    """What is public.

    Attributes
    ----------
    epsilon : float > 0, cost of everything, one person replaced
    delta : 0, because the mechanism is pure
    cells : int >= 1; cells outside are clipped, record by record

    >>> Params(epsilon=0.0, cells=4)
    Traceback (most recent call last):
    ...
    ValueError: epsilon must be a number with 0 < epsilon, not 0.0
    """

    delta_range = PURE

    cells: checks.Count


@dataclass(frozen=True, eq=False)
class Release:
    """The rule: say 1 from cell ``threshold`` on."""

    threshold: int


def release(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """Choose a rule. Costs ``params.epsilon``; one person moves each count of mistakes by one.

    Statements: R10 Section 1 (learning); R10 Section 5 (learning).

    Parameters
    ----------
    data : array (n, 2) of cells and labels, private; labels other than 0 and 1 are refused

    >>> params = Params(epsilon=9.0, cells=4)
    >>> release([[0, 0], [1, 1]] * 50, params, params.curator(rng=0))
    Release(threshold=1)
    """
    scores = -_mistakes(data, params.cells).astype(float)
    cost = {"sensitivity": 1.0, "epsilon": params.epsilon}
    return Release(curator.choose(scores, **cost, label="rule"))


def error_bound(params: Params, *, n: int) -> float:
    """Proved: with probability at least 1 - beta the rule's true error exceeds the least by at
    most this.

    Proof. With probability 1 - beta/2 all R = cells + 1 rules have sample errors within
    sqrt(ln(4 R / beta) / (2 n)) of their true ones (Hoeffding), which is paid twice. With
    probability 1 - beta/2 the choice makes at most (2 / epsilon) ln(2 R / beta) mistakes more
    than the best rule in the sample (McSherry and Talwar 2007).

    >>> round(error_bound(Params(epsilon=1.0, cells=100), n=10_000), 3)
    0.044
    """
    rules, n = params.cells + 1, checks.integer("n", n, at_least=1)
    sampled = 2 * math.sqrt(math.log(4 * rules / params.beta) / (2 * n))
    return sampled + 2 / (params.epsilon * n) * math.log(2 * rules / params.beta)


def trial(
    params: Params,
    data: ArrayLike | None = None,
    *,
    rng: checks.Seed,
    n: int = 1000,
    label_noise: float = 0.2,
) -> dict[str, float]:
    """Learn with and without privacy. Cells are uniform; labels are 1 from the middle cell on, and
    ``label_noise`` of them are flipped.

    Parameters
    ----------
    data : array (n, 2) drawn from this distribution; None draws n people

    Returns a dict with ``excess`` (of the private rule), ``nonprivate`` (of the best rule in the
    sample), ``bound`` (:func:`error_bound`).

    >>> trial(Params(epsilon=1.0, cells=10), n=2000, rng=0)["excess"]
    0.0
    """
    checks.number("label_noise", label_noise, at_least=0, below=0.5)
    rng = checks.generator(rng)
    middle = params.cells // 2
    if data is None:
        data = _draw(params, n, label_noise, rng)
    private = release(data, params, params.curator(rng=rng)).threshold
    nonprivate = int(_mistakes(data, params.cells).argmin())
    per_cell = (1 - 2 * label_noise) / params.cells  # the true error of each wrong cell
    return {
        "excess": per_cell * abs(private - middle),
        "nonprivate": per_cell * abs(nonprivate - middle),
        "bound": error_bound(params, n=len(data)),
    }


def _draw(params: Params, n: int, label_noise: float, rng: np.random.Generator) -> np.ndarray:
    """People (n, 2) with cells and noisy labels, as :func:`trial` describes them."""
    cells = rng.integers(params.cells, size=checks.integer("n", n, at_least=1))
    labels = (cells >= params.cells // 2) ^ (rng.random(n) < label_noise)
    return np.stack([cells, labels], axis=1)


def _mistakes(data: ArrayLike, cells: int) -> np.ndarray:
    """Mistakes of each rule in the sample, private; int array (cells + 1,)."""
    zeros, ones = labelled_counts(data, cells)
    missed = np.concatenate([[0], np.cumsum(ones)])  # ones before t are called 0
    false = zeros.sum() - np.concatenate([[0], np.cumsum(zeros)])  # zeros from t on are called 1
    return missed + false


def labelled_counts(data: ArrayLike, cells: int) -> np.ndarray:
    """People in each cell with label 0, and with label 1, private; int array (2, cells).

    >>> labelled_counts([[0, 1], [2, 0]], 3).tolist()
    [[0, 0, 1], [1, 0, 0]]
    """
    points = finite_table(data)
    if points.shape[1] != 2:
        raise ValueError("data must have shape (n, 2): a cell and a label for each person")
    if not np.isin(points[:, 1], (0, 1)).all():
        raise ValueError("data must have labels 0 and 1 in its second column")
    places = np.clip(np.rint(points[:, 0]), 0, cells - 1).astype(int)
    labels = points[:, 1] == 1
    return np.stack([np.bincount(places[labels == b], minlength=cells) for b in (0, 1)])
