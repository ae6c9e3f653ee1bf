"""Johnson-Lindenstrauss (Lemma 9): the Euclidean distance into l1 by random projections.

**Paper.** Huang and Roth (2014), section 4.2, Lemma 9 and Theorem 10.

**Setting.** Records and queries lie in a public box of R^d; the distance is Euclidean. The
map is drawn once, without records or queries, and may be published.

**Idea.** The projection of a segment onto a random line has, on average, a fixed share of its
length. Average enough projections: a sum of absolute values, which is an l1 distance.

**Symbols.**

=========  ==============  ============================================  ===============
paper      here            meaning                                       shape, unit
=========  ==============  ============================================  ===============
l          d               coordinates of a record
l'         ``target``      number of random projections
pi         ``Linear``      sqrt(pi / 2) G / l', G standard normal        (target, d)
alpha      error           relative error of a distance or an average    1
=========  ==============  ============================================  ===============

**Departures.** (1) The paper speaks of expansion 1; a projection has it with high probability
only. Here nothing is rescaled, errors are two-sided, and privacy never rests on them: the box
of each coordinate comes from the matrix. (2) The proved number of projections has no log(1 /
alpha). (3) Remark 7.1 looks for the best l' because the paper's mechanism pays for dimensions;
the total width of our box hardly depends on l', so more projections cost time, not privacy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.distance_queries.embeddings.l1_embedding import Linear, distances, linear, measure
from dpviz.privacy.box import Box


@dataclass(frozen=True, kw_only=True)
class Params(checks.Declared):
    """Size of the map and the public box of the records.

    Attributes
    ----------
    d : int >= 1, coordinates of a record
    target : int >= 1, number of projections: coordinates of a row
    lower, upper : float or d floats, the public box
    beta : float in (0, 1), failure probability of the bound

    >>> Params(d=5, target=0, lower=0, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: target must be a whole number, at least 1, not 0
    """

    d: checks.Count
    target: checks.Count
    lower: float | tuple[float, ...]
    upper: float | tuple[float, ...]
    beta: checks.Share = 0.05

    def __post_init__(self):
        super().__post_init__()
        Box.of(self.d, lower=self.lower, upper=self.upper)

    def draw(self, *, rng: checks.Seed) -> Linear:
        """Draw the map, independently of records and queries.

        >>> Params(d=3, target=8, lower=0, upper=1).draw(rng=0).matrix.shape
        (8, 3)
        """
        gaussian = checks.generator(rng).standard_normal((self.target, self.d))
        return linear(math.sqrt(math.pi / 2) / self.target * gaussian, self.lower, self.upper)


def error_bound(params: Params, *, k: int | None = None) -> float:
    """Proved: with probability 1 - beta no average distance has a larger relative error.

    Statements: HR Lemma 9.
    Proof, for k queries fixed before the map is drawn. The embedded average is a function of
    the entries of G with gradient at most sqrt(pi / (2 l')) times the true average (each
    record adds a vector of length at most that times its distance), and its mean is the true
    average. Gaussian concentration of a Lipschitz function gives 2 exp(-l' a^2 / pi) for each
    query. The number of records does not enter: sums of distances to n records concentrate
    as one distance does. For single distances put k = number of pairs.

    Proof, for all points of space at once (k = None; queries may depend on everything). Let
    X_j(u) = sqrt(pi / 2) |<G_j, u>| over unit vectors u. Symmetrisation and the contraction of the
    absolute value bound the mean of the largest excess, and of the largest deficit, by 2
    sqrt(pi / 2) E|sum of +-G_j| / l' <= 2 sqrt(pi d / (2 l')); both are sqrt(pi / (2 l'))-Lipschitz
    in G, so each exceeds that by sqrt(pi ln(2 / beta) / l') with probability at most beta / 2.

    Parameters
    ----------
    k : int >= 1, number of averages asked; or None, all of space

    >>> round(error_bound(Params(d=10, target=4000, lower=0, upper=1), k=100), 3)
    0.081
    """
    beta = params.beta
    m = params.target
    everywhere = 2 * math.sqrt(math.pi * params.d / (2 * m))
    everywhere += math.sqrt(math.pi * math.log(2 / beta) / m)
    if k is None:
        return everywhere
    k = checks.integer("k", k, at_least=1)
    return min(everywhere, math.sqrt(math.pi * math.log(2 * k / beta) / m))


def trial(
    params: Params, data: ArrayLike, queries: ArrayLike, *, rng: checks.Seed
) -> dict[str, float]:
    """Draw one map and measure what it distorts.

    Returns a dict with ``error`` (largest relative error of an average), ``bound`` (for these
    queries), ``expansion``, ``contraction``, ``spread`` (logarithm of their product), ``width``
    (total width of the box).

    >>> found = trial(
    ...     Params(d=2, target=500, lower=0, upper=1), [[0, 0], [1, 0]], [[0.5, 0.5]], rng=1
    ... )
    >>> found["error"] <= found["bound"]
    True
    """
    from scipy.spatial.distance import cdist

    embedding = params.draw(rng=rng)
    distortion = measure(cdist(data, queries), distances(embedding, data, queries))
    return {
        "error": distortion.average_error,
        "bound": error_bound(params, k=len(queries)),
        "expansion": distortion.expansion,
        "contraction": distortion.contraction,
        "spread": math.log(distortion.expansion * distortion.contraction),
        "width": float((embedding.upper - embedding.lower).sum()),
    }


def joint_sensitivity(embedding: Linear) -> float:
    """Certificate: no two records of the box are farther apart in l1 than this.

    sqrt(l') times the largest singular value of M times the box's diagonal, because
    ||M u||_1 <= sqrt(l') ||M u||_2. It is read off the drawn matrix: true, not just likely.
    Never above the total width of the box, which bounds the same.

    >>> round(joint_sensitivity(linear(np.eye(2), 0, 1)), 3)
    2.0
    """
    stretch = math.sqrt(len(embedding.matrix)) * np.linalg.norm(embedding.matrix, 2)
    diagonal = np.linalg.norm(embedding.domain.widths)
    return float(min(stretch * diagonal, (embedding.upper - embedding.lower).sum()))


def paper_best_dimension(
    n: int, d: int, *, epsilon: float, pure: bool = False
) -> tuple[float, float]:
    """Remark 7.1 and Theorem 10: the paper's best l' and its error, constants and logs 1.

    Statements: HR Remark 7.1.
    The error of l' = d / alpha^2 coordinates is (l')^(9/5) N^(-4/5), N = n epsilon (pure:
    7/3 and 2/3); equal to alpha at alpha = d^(9/23) N^(-4/23) (pure: d^(7/17) N^(-2/17)).

    >>> dimension, error = paper_best_dimension(10**6, 10, epsilon=1)
    >>> round(error, 3), round(dimension)
    (0.223, 202)
    """
    size = checks.integer("n", n, at_least=1) * checks.number("epsilon", epsilon, above=0)
    up, down = (7 / 3, 2 / 3) if pure else (9 / 5, 4 / 5)
    alpha = (d**up / size**down) ** (1 / (1 + 2 * up))
    return d / alpha**2, alpha
