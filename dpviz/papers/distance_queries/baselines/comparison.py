"""All methods to answer l1 distance queries, on the same records and the same queries.

**Paper.** Huang and Roth (2014), Theorem 1, beside noise on each answer, releases of all answers
at once (modules ``average_sign`` and ``haar_wavelet``), and answers without data.

**Setting.** n synthetic records in the unit cube, k uniform queries, one budget for each method
alone; the error is the largest over the queries.

**Idea.** One trial draws records and queries once and lets each mechanism answer them at
each of several budgets, so that the methods differ by nothing else.

**Symbols.**

==============  ====================================================  ==========
here            meaning                                               unit
==============  ====================================================  ==========
"interactive"   the paper's mechanism, module ``l1``                  of a query
"noise"         Laplace or Gaussian noise on each answer              of a query
"release"       ``haar_wavelet`` or ``average_sign``, whichever has   of a query
                the smaller standard error over uniform queries
"constant"      the best answer without data                          of a query
==============  ====================================================  ==========

**Departures.** Each method may choose between its variants by public numbers alone: the
interactive one and the noise by their proved errors, the release by its exact variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.papers.distance_queries.baselines import noise_per_query
from dpviz.papers.distance_queries.learner import average_distance
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.papers.distance_queries.releases import average_sign, curves, haar_wavelet

METHODS = ("interactive", "noise", "release")


@dataclass(frozen=True, kw_only=True)
class Params(checks.Declared):
    """The task; all public.

    Attributes
    ----------
    n, d, k : int >= 1, records, coordinates, queries
    epsilons : tuple of the budgets tried, with ``delta`` each
    digits : int >= 2, significant digits of the errors that are kept

    >>> Params(n=100, d=1, k=10, delta=0)
    Traceback (most recent call last):
    ...
    ValueError: delta must be a number with 0 < delta < 1, not 0
    """

    n: checks.Count
    d: checks.Count
    k: checks.Count
    epsilons: Sequence[float] = (1.0,)
    delta: checks.Share = 1e-6
    digits: int = 4

    def __post_init__(self):
        super().__post_init__()
        for epsilon in self.epsilons:
            checks.number("epsilons", epsilon, above=0)
        checks.integer("digits", self.digits, at_least=2)


def trial(
    params: Params,
    data: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """Largest errors of every method at every budget, on the same records and queries.

    Parameters
    ----------
    data : array (n, d) in [0, 1]; None: a draw of ``average_distance.mixture``
    queries : array (k, d) in [0, 1]; None: uniform ones

    Returns a dict with "constant" and, for each method and epsilon, "<method> <epsilon>".

    >>> found = trial(Params(n=1000, d=1, k=100), rng=0)
    >>> list(found), found["release 1"] < found["constant"]
    (['constant', 'interactive 1', 'noise 1', 'release 1'], True)
    """
    rng = checks.generator(rng)
    size = {"n": params.n, "d": params.d, "k": params.k, "lower": 0, "upper": 1}
    records = average_distance.mixture(params.n, params.d, rng=rng) if data is None else data
    queries = rng.uniform(size=(params.k, params.d)) if queries is None else queries
    public = average_distance.Setting(n=params.n, d=params.d, epsilon=1, lower=0, upper=1)
    ready = average_distance.prepare(records, public)
    exact = average_distance.truth(ready, queries, public)
    errors = {"constant": _worst(average_distance.constant(queries, public), exact)}
    for epsilon in params.epsilons:
        budget = {"epsilon": epsilon, "delta": params.delta}
        for method, answers in (
            ("interactive", _interactive(ready, queries, rng=rng, **size, **budget)),
            ("noise", _noise(ready, queries, rng=rng, **size, **budget)),
            ("release", curves.answer(_best_release(ready, rng=rng, **size, **budget), queries)),
        ):
            errors[f"{method} {epsilon:g}"] = _worst(answers, exact)
    return {name: float(f"{error:.{params.digits}g}") for name, error in errors.items()}


def _interactive(
    data: ArrayLike | AverageDistance, queries: ArrayLike, *, rng: checks.Seed, **public: float
) -> NDArray:
    """Answers of the paper's mechanism; shape (k,). ``public`` are fields of its Params."""
    params = l1.Params(**public)
    return l1.Interactive(data, params, params.curator(rng=rng)).answer_all(queries)[0]


def _noise(
    data: ArrayLike | AverageDistance, queries: ArrayLike, *, rng: checks.Seed, **public: float
) -> NDArray:
    """Answers with noise on each; shape (k,). ``public`` are fields of its Params."""
    params = noise_per_query.Params(**public)
    return noise_per_query.release(data, params, params.curator(rng=rng), queries=queries).answers


def _best_release(
    data: ArrayLike | AverageDistance, *, rng: checks.Seed, k: int = 1, **public: float
) -> curves.Curves:
    """The better of both releases, by their exact standard errors at uniform places."""
    delta = public.pop("delta")
    pure = curves.Params(**public)
    approximate = curves.Params(**public, delta=delta)
    if is_pure_better(pure, approximate):
        return haar_wavelet.release(data, pure, pure.curator(rng=rng))
    return average_sign.release(data, approximate, approximate.curator(rng=rng))


def is_pure_better(pure: curves.Params, approximate: curves.Params) -> bool:
    """Whether the Laplace release has the smaller standard error at uniform places: public.

    It has if there is no delta for the other.

    >>> pure = curves.Params(n=100, epsilon=1, lower=0, upper=1)
    >>> is_pure_better(pure, curves.Params(n=100, epsilon=1, delta=1e-6, lower=0, upper=1))
    True
    """
    if not approximate.delta:
        return True
    grid = np.repeat(np.linspace(0, 1, 33)[:, None], pure.d, axis=1)
    laplace = haar_wavelet.standard_deviation(pure, grid)
    gaussian = average_sign.standard_deviation(approximate, grid)
    return bool(np.square(laplace).mean() <= np.square(gaussian).mean())


def _worst(answers: NDArray, exact: NDArray) -> float:
    return float(np.abs(answers - exact).max())
