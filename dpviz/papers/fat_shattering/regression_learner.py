"""Private agnostic learning of a real-valued class through the net mechanism (sections 1 and 5).

**Paper.** Roth (2010), sections 1 and 5: what Theorem 5 means for learning real-valued functions;
after Kearns and Schapire (1994), who learn the probability of a label, and Blum, Ligett and Roth
(2008).

**Setting.** n people, each with a cell and a label 0 or 1, drawn independently from one
distribution. Learn a non-decreasing function from cells to [0, 1], an infinite class, whose
squared loss under it is nearly the least of the class. The chance of a label 1 may be no such
function (agnostic learning).

**Idea.** Release a small database of cells and labels once, by Theorem 5, and run isotonic
regression on it as if it were the data. Of the loss only two kinds of linear queries matter: a
non-decreasing function, summed over the people with one label.

**Symbols.**

===========  =====================  ============================================  ============
paper        here                   meaning                                       shape, unit
===========  =====================  ============================================  ============
D            ``data``               (cell, label) of each person                  (n, 2)
C            ``loss_queries``       h(x) where the label is b, h non-decreasing   (k, 2 cells)
d            ``dimension``          min(cells, 1/(2 gamma)), that of the class    count
alpha        ``epsilon``            privacy, one person replaced                  1
m            ``rows``               rows of the small database                    count
eta          ``excess``             true loss above the least of the class        [0, 1]
delta        ``beta``               probability of a larger excess                (0, 1)
===========  =====================  ============================================  ============

**Departures.** The paper states the consequence for learning in words; queries, bound and constants
are ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.fat_shattering import net_mechanism, small_databases, threshold_learner
from dpviz.papers.fat_shattering.classes import thresholds
from dpviz.privacy.curator import Curator


@dataclass(frozen=True, kw_only=True)
class Params(threshold_learner.Params):
    """What is public; more than of the threshold learner:

    Attributes
    ----------
    rows : int >= 1, rows of the small database; to be chosen without looking at the data

    >>> Params(epsilon=1.0, cells=4, rows=0)
    Traceback (most recent call last):
    ...
    ValueError: rows must be a whole number, at least 1, not 0
    """

    rows: checks.Count

    def net(self, n: int) -> net_mechanism.Params:
        """The release of n people, with half of beta."""
        options = {"rows": self.rows, "total": float(n), "beta": self.beta / 2}
        return net_mechanism.Params(epsilon=self.epsilon, **options)


@dataclass(frozen=True, eq=False)
class Release:
    """What was learnt: ``values`` (cells,), non-decreasing in [0, 1]."""

    values: np.ndarray


def release(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """Release a small database and fit to it. Costs ``params.epsilon``; the fit is free.

    Statements: R10 Section 1 (learning); R10 Section 5 (learning).

    Parameters
    ----------
    data : array (n, 2) of cells and labels, private; labels other than 0 and 1 are refused

    Raises ValueError, TypeError or BudgetExceeded before anything is spent, if an argument is bad
    or there are too many databases to list.

    >>> params = Params(epsilon=9.0, cells=2, rows=8)
    >>> release([[0, 0], [1, 1]] * 100, params, params.curator(rng=0)).values
    array([0., 1.])
    """
    counts = threshold_learner.labelled_counts(data, params.cells).ravel().astype(float)
    net = params.net(int(counts.sum()))
    class_ = _loss_queries(params.cells)
    out = net_mechanism.release(counts, net, curator, queries=class_)
    return Release(_isotonic(out.fractions.reshape(2, -1)))


def error_bound(params: Params, *, n: int) -> float:
    """Proved: with probability at least 1 - beta the true squared loss exceeds the least of the
    class by at most this.

    Proof. The loss of f is E y + E h0(x) [y = 0] - E h1(x) [y = 1] with h0 = f^2 and h1 = 2 f -
    f^2, both non-decreasing in [0, 1]. So if all queries of ``_loss_queries`` are within s of
    their expectations, each loss but for E y is within 2 s, and the excess of what is best on the
    release is at most 4 s. s has two parts. The release is within `net_mechanism.error_bound`, as a
    share of n, of the sample, with probability 1 - beta/2. The sample is within
    sqrt(ln(4 k / beta) / (2 n)) of the distribution on the k corners, with probability 1 - beta/2
    (Hoeffding).
    Statements: R10 Section 1 (learning); R10 Section 5 (learning).

    >>> round(error_bound(Params(epsilon=1.0, cells=3, rows=20), n=10**6), 2)
    0.31
    """
    n = checks.integer("n", n, at_least=1)
    class_ = _loss_queries(params.cells)
    released = net_mechanism.error_bound(params.net(n), queries=class_) / n
    sampled = math.sqrt(math.log(4 * len(class_) / params.beta) / (2 * n))
    return 4 * (released + sampled)


def paper_rate(params: Params, *, n: int, dimension: int) -> float:
    """Theorem 5 solved for the error: (d ln(cells) / (epsilon n))^(1/3), with the constant 1; the
    cells are those of people and labels.

    >>> round(paper_rate(Params(epsilon=1.0, cells=4, rows=9), n=1000, dimension=4), 3)
    0.203
    """
    logs = dimension * math.log(2 * params.cells)
    return (logs / (params.epsilon * n)) ** (1 / 3)


def trial(
    params: Params, data: ArrayLike | None = None, *, rng: checks.Seed, n: int = 1000
) -> dict[str, float]:
    """Learn with and without privacy from people drawn as ``_draw`` does.

    Parameters
    ----------
    data : array (n, 2) drawn from that distribution; None draws n people

    Returns a dict with ``excess`` (true squared loss above the least of the class, of the private
    function), ``nonprivate`` (of isotonic regression on the sample), ``constant`` (of 1/2
    everywhere, the best answer without data), ``bound`` (:func:`error_bound`).

    >>> found = trial(Params(epsilon=1.0, cells=3, rows=8), n=3000, rng=0)
    >>> found["excess"] < found["constant"] < found["bound"]
    True
    """
    rng = checks.generator(rng)
    if data is None:
        data = _draw(params, n, rng)
    private = release(data, params, params.curator(rng=rng)).values
    nonprivate = _isotonic(threshold_learner.labelled_counts(data, params.cells))
    chance = _label_chances(params.cells)
    best = _isotonic(np.stack([1 - chance, chance]))

    def excess(values: np.ndarray) -> float:
        return float(((values - chance) ** 2 - (best - chance) ** 2).mean())

    return {
        "excess": excess(private),
        "nonprivate": excess(nonprivate),
        "constant": excess(np.full(params.cells, 0.5)),
        "bound": error_bound(params, n=len(data)),
    }


def _loss_queries(cells: int) -> np.ndarray:
    """Corners of the class: "at or beyond cell t", among the people with label 0, then with 1."""
    one = thresholds(cells)
    none = np.zeros((cells + 1, cells))
    return np.unique(np.vstack([np.hstack([one, none]), np.hstack([none, one])]), axis=0)


def _isotonic(counts: np.ndarray) -> np.ndarray:
    """The non-decreasing function with the least squared loss; between cells that hold people
    it runs straight, and without any it is 1/2.

    Parameters
    ----------
    counts : array (2, cells), people or shares with label 0 and with label 1
    """
    from scipy.optimize import isotonic_regression

    weights = counts.sum(axis=0)
    support = np.flatnonzero(weights)
    if not len(support):
        return np.full(len(weights), 0.5)
    fitted = isotonic_regression(counts[1, support] / weights[support], weights=weights[support]).x
    return np.interp(np.arange(len(weights)), support, np.clip(fitted, 0, 1))


def _label_chances(cells: int) -> np.ndarray:
    """Chance of label 1 in each cell: rising, but every third cell 0.3 lower. Its ends are no
    shares of a few rows.
    """
    rising = np.linspace(0.137, 0.871, checks.integer("cells", cells, at_least=1))
    return rising - 0.3 * (np.arange(cells) % 3 == 2)


def _draw(params: Params, n: int, rng: np.random.Generator) -> np.ndarray:
    """People (n, 2): uniform cells, labels by ``_label_chances``."""
    cells = rng.integers(params.cells, size=checks.integer("n", n, at_least=1))
    labels = rng.random(n) < _label_chances(params.cells)[cells]
    return np.stack([cells, labels], axis=1).astype(int)


def best_rows(params: Params, *, n: int, most: int) -> int:
    """Rows with the least proved bound among 1 ... ``most``, a public choice.

    >>> best_rows(Params(epsilon=1.0, cells=3, rows=1), n=10**4, most=20)
    20
    """
    class_ = _loss_queries(params.cells)

    def bound(rows: int) -> float:
        net = net_mechanism.Params(epsilon=params.epsilon, rows=rows, total=float(n))
        return net_mechanism.error_bound(net, queries=class_)

    fits = [
        rows
        for rows in range(1, most + 1)
        if small_databases.count_databases(2 * params.cells, rows) <= small_databases.LARGEST
    ]
    return min(fits, key=bound)
