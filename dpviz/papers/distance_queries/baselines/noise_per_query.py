"""The Laplace and Gaussian mechanisms on each of k answers: the baseline.

**Paper.** Huang and Roth (2014), section 1.2, which names it as what to beat (Dwork, McSherry,
Nissim and Smith 2006).

**Setting.** As in module ``l1``, but all k queries are handed in at once.

**Idea.** The k answers are one vector. Replacing a record moves each entry by at most D/n, with
D the l1 diameter of the box: by k D/n in L1, sqrt(k) D/n in L2. Add noise for that.

**Symbols.**

==========  ==============  =================================================  ==========
paper       here            meaning                                            unit
==========  ==============  =================================================  ==========
k           k               number of queries                                  count
(none)      ``scale``       of the Laplace noise, or sd of the Gaussian        of the box
alpha       error_bound     largest error, with probability at least 1 - beta  of the box
==========  ==============  =================================================  ==========

**Departures.** The Gaussian is calibrated exactly (Balle and Wang 2018), which was not known
then. The same noise answers adaptive queries one by one: Laplace at epsilon/k each, Gaussian
because k adaptive Gaussian answers compose to one (Dong, Roth and Su 2022).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.distance_queries.learner.average_distance import (
    AverageDistance,
    Setting,
    check_call,
    drawn,
    judged,
    possible,
    truth,
)
from dpviz.privacy.curator import Budgeted, Curator

METHODS = ("laplace", "gaussian")


@dataclass(frozen=True, kw_only=True)
class Params(Setting):
    """What the mechanism may know; all public. More than :class:`Setting` has:

    Attributes
    ----------
    k : int >= 1, queries
    method : "laplace", "gaussian" (needs delta > 0); None for that with the smaller error

    >>> Params(n=100, d=1, k=1000, epsilon=1, delta=1e-6, lower=0, upper=1).noise
    'gaussian'
    """

    k: checks.Count
    method: str | None = None

    def __post_init__(self):
        super().__post_init__()
        if self.method is not None:
            checks.choice("method", self.method, METHODS)
        if self.method == "gaussian" and self.delta == 0:
            raise ValueError("method must be 'laplace' if delta is 0, not 'gaussian'")

    @cached_property
    def noise(self) -> str:
        """The noise that is used."""
        allowed = (self.method,) if self.method else METHODS if self.delta else METHODS[:1]
        return min(allowed, key=lambda noise: _error_quantile(self, noise))


@dataclass(frozen=True, eq=False)
class Release:
    """All that the public sees.

    Attributes
    ----------
    queries : array (k, d); answers : array (k,)
    error : float, proved for all k, with probability at least 1 - beta
    """

    queries: np.ndarray
    answers: np.ndarray
    error: float


def release(
    data: ArrayLike | AverageDistance,
    params: Params,
    curator: Curator,
    *,
    queries: ArrayLike | None = None,
) -> Release:
    """All answers with noise. Costs epsilon, and delta if the noise is Gaussian.

    Parameters
    ----------
    data : array (n, d) private, or what ``prepare`` made of it
    curator : a basic one
    queries : array (k, d) in the box, k at most that of ``params``; also (k,) if d = 1. They must
        be given: there are no answers to others

    >>> params = Params(n=2, d=1, k=2, epsilon=100, lower=0, upper=1)
    >>> release([0.2, 0.4], params, params.curator(rng=1), queries=[0.0, 0.3]).answers.shape
    (2,)
    """
    check_call(params, Params, curator)
    if queries is None:
        raise ValueError("queries must be given: noise is added to the answers to these alone")
    places = params.box.units(queries)
    if len(places) > params.k:
        raise ValueError(f"queries must be at most k = {params.k}, not {len(places)}")
    private = truth(data, queries, params)
    noisy = _spent(params, params.noise).noisy(private, curator, **_moved(params), label="answers")
    answers = possible(noisy, places, params.widths)
    return Release(np.array(queries, dtype=float), answers, error_bound(params))


def error_bound(params: Params) -> float:
    """Proved: the 1 - beta quantile of the largest of k independent noises, exactly.

    Clipping the answers to what is possible can only make the errors smaller.

    >>> error_bound(Params(n=100_000, d=1, k=10_000, epsilon=1, delta=1e-6, lower=0, upper=1))
    0.0193
    """
    return _error_quantile(params, params.noise)


def paper_bound(params: Params) -> float:
    """The textbook bound for Laplace noise, by a sum over queries: k D ln(k/beta)/(n epsilon).

    >>> paper_bound(Params(n=100_000, d=1, k=10_000, epsilon=1, lower=0, upper=1))
    1.22
    """
    scale = _spent(params, "laplace").noise_scale(**_moved(params))
    return scale * math.log(params.k / params.beta)


def trial(
    params: Params,
    data: ArrayLike | AverageDistance | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """Release all answers once, with a fresh budget.

    Parameters as ``mechanism.l1.trial``; result without ``updates``.

    >>> trial(Params(n=10_000, d=1, k=10, epsilon=1, lower=0, upper=1), rng=0)["violations"]
    0
    """
    rng = checks.generator(rng)
    data, queries = drawn(params, data, queries, rng)
    released = release(data, params, params.curator(rng=rng), queries=queries)
    return judged(np.abs(released.answers - truth(data, queries, params)), error_bound(params))


def _spent(params: Params, noise: str) -> Budgeted:
    """The budget that a noise spends: Laplace noise leaves the delta."""
    return Budgeted(epsilon=params.epsilon, delta=params.delta if noise == "gaussian" else 0.0)


def _moved(params: Params) -> dict[str, float]:
    """How far a replaced record moves all k answers together."""
    each = params.total_width / params.n
    return {"l1": params.k * each, "l2": math.sqrt(params.k) * each}


def _error_quantile(params: Params, noise: str) -> float:
    """The 1 - beta quantile of the largest of k noises."""
    return _spent(params, noise).largest_noise(params.k, params.beta, **_moved(params))
