"""The interactive l1 mechanism (Theorem 1): a cutting-plane learner made private.

**Paper.** Huang and Roth (2014), section 3, Theorem 1.

**Setting.** n private records in a public box of d coordinates; up to k queries y, each may
depend on the answers before; F(y) is the average l1 distance from y to the records. Neighbours
differ in one replaced record; n is public.

**Idea.** A learner guesses each coordinate's summand of F. AboveThreshold, which is paid for only
when it says "too low", compares guess and truth; then a noisy tangent is measured and learnt.
The learner makes few mistakes, so few tangents answer any number of queries.

**Symbols.**

==========  ================  ======================================================  ==========
paper       here              meaning                                                 unit
==========  ================  ======================================================  ==========
l           d                 number of coordinates                                   count
alpha       ``error_bound``   every answer is this near, with probability 1 - beta    of the box
alpha_1     ``plan.error``    the same for each coordinate rescaled to [0, 1]         coordinate
m(alpha)    ``plan.total``    updates that are paid for                               count
F^_t        ``learners``      the hypothesis: one set of tangents per coordinate      (d,)
==========  ================  ======================================================  ==========

**Departures.** (1) The paper tests the sum and then updates "the coordinates on which a mistake
was made": read off the data as stated. Here the test itself is made on each coordinate
(module ``sum_test`` has the other correction). (2) Sizes of the noises: modules ``allocation`` and
``calibration``. (3) "Diameter 1" and the cube [0, 1]^d do not go together: the cube has diameter
d; here any public box, coordinates rescaled, so the error is proportional to the sum of its
widths. (4) After the last update the hypothesis is frozen, not refused: the bound still holds.
(5) The pure bound in the proof of Theorem 1 keeps a factor log(4/delta), infinite at delta = 0;
the theorem itself is right without it.
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.mechanism.calibration import paper_alpha
from dpviz.papers.distance_queries.mechanism.interactive import Interactive, Params, run_trial
from dpviz.papers.distance_queries.mechanism.setting import truth

__all__ = ["Interactive", "Params", "error_bound", "paper_bound", "paper_rate", "trial", "truth"]


def error_bound(params: Params) -> float:
    """Proved: with probability at least 1 - beta each of k adaptive answers is this near.

    Sum of the widths times ``plan.error``; the proof stands at
    :func:`dpviz.papers.distance_queries.mechanism.calibration.plan`. Above half that sum it is
    vacuous: ``setting.constant`` does better without data.

    >>> error_bound(Params(n=10_000, d=1, k=10_000, epsilon=1, delta=1e-6))
    0.0994
    """
    return params.diameter * params.plan.error


def paper_bound(params: Params) -> float:
    """Lemma 3 with its constant 3000, solved for the cube; a box counts as its longest side.

    >>> paper_bound(Params(n=1_000_000, d=1, k=10_000, epsilon=1, delta=1e-6))
    3.88
    """
    return float(params.box.widths.max()) * paper_alpha(params.n, params.task)


def paper_rate(params: Params) -> float:
    """Theorem 1 with constant 1: d^(9/5) (L / (n epsilon))^(4/5), L = ln(4/delta) ln(k/beta).

    Pure: d^(7/3) (ln(k/beta) / (n epsilon))^(2/3).

    >>> paper_rate(Params(n=10**6, d=1, k=10**4, epsilon=1))
    0.000530
    """
    longest, d = float(params.box.widths.max()), params.d
    size = math.log(params.k / params.beta) / (params.n * params.epsilon)
    if params.delta == 0:
        return longest * d ** (7 / 3) * size ** (2 / 3)
    return longest * d**1.8 * (size * math.log(4 / params.delta)) ** 0.8


def trial(
    params: Params,
    data: ArrayLike | AverageDistance | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """Answer all queries in order, with a fresh budget.

    Parameters
    ----------
    params : Params
    data : array (n, d) private, or what ``columns`` made of it; None: a synthetic mixture
    queries : array (k, d); None: uniform in the box
    rng : seed or Generator

    Returns
    -------
    dict with ``error`` (largest), ``mean_error``, ``bound``, ``violations`` (answers beyond the
    bound), ``updates`` (used), ``exhausted`` (all were)

    >>> result = trial(Params(n=10_000, d=1, k=1000, epsilon=1), rng=0)
    >>> result["error"] <= result["bound"], result["violations"]
    (True, 0)
    """
    return run_trial(Interactive, params, data, queries, bound=error_bound(params), rng=rng)
