"""Table 1 of the paper, measured: error, work for the table, work for an answer, over K / d.

**Paper.** Wang, Fan, Zhang and Wang (2013), Theorem 3.1 and Table 1.

**Setting.** The paper's own plan: t = n^(1/(2d+K)), I_{t-1,K}, Laplace noise. The questions have a
K-th derivative that is bounded and jumps, the roughest that the class holds.

**Idea.** Powers of n are claims about slopes: run, count, fit, and set them side by side.

**Symbols.**

===========  ==================  =============================================  ============
paper        here                meaning                                        shape, unit
===========  ==================  =============================================  ============
K, d         ``smoothness, d``   derivatives, variables                         whole numbers
t            ``paper_waves``     n^(1/(2d+K)), rounded down                     whole number
alpha        "error"             worst error over the questions                 power of n
(3), (4)     "summary, query"    multiplications; looks at f and additions      power of n
===========  ==================  =============================================  ============

**Departures.** Work is counted, not timed (the benchmarks time it). The query's work is that of
2 t nodes per variable (module ``chebyshev``), which is below the paper's for all d and K.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpviz import checks
from dpviz.papers.smooth_queries.chebyshev import expand
from dpviz.papers.smooth_queries.release import answer, release, truth
from dpviz.papers.smooth_queries.summary import Params, paper_waves
from dpviz.privacy.curator import Curator


@dataclass(frozen=True, kw_only=True)
class Setup:
    """One row of the table; all public.

    Attributes
    ----------
    d, smoothness : int >= 1
    epsilon : float > 0

    >>> Setup(d=1, smoothness=0)
    Traceback (most recent call last):
    ...
    ValueError: smoothness must be a whole number, at least 1 and at most 4, not 0
    """

    d: int
    smoothness: int
    epsilon: float = 1.0

    def __post_init__(self):
        checks.integer("d", self.d, at_least=1)
        checks.integer("smoothness", self.smoothness, at_least=1, at_most=4)
        checks.number("epsilon", self.epsilon, above=0)

    def plan(self, n: int) -> Params:
        """The paper's table at n records."""
        t = paper_waves(n, d=self.d, smoothness=self.smoothness)
        return Params(d=self.d, waves=t, epsilon=self.epsilon)


def paper_rate(setup: Setup) -> dict[str, float]:
    """Theorem 3.1's exponents of n: error, summary, query (up to logarithms).

    >>> paper_rate(Setup(d=1, smoothness=2))
    {'error': -0.5, 'summary': 1.25, 'query': 1.0}
    """
    d, k = setup.d, setup.smoothness
    whole = 2 * d + k
    return {
        "error": -k / whole,
        "summary": (3 * d + k) / whole,
        "query": (d + 2 + 2 * d / k) / whole,
    }


def trial(setup: Setup, n: int, *, k: int = 20, rng: checks.Seed) -> dict[str, float]:
    """The paper's plan on n random records and k kinks.

    Returns
    -------
    dict with ``error`` and ``drawing`` (without noise), the worst over the kinks; ``table`` and
    ``query`` (counted work); ``waves``

    >>> trial(Setup(d=1, smoothness=1), 1000, k=3, rng=0)["waves"]
    10.0
    """
    rng, params = checks.generator(rng), setup.plan(n)
    data = rng.uniform(-1, 1, (n, setup.d))
    released = release(data, params, Curator(epsilon=setup.epsilon, rng=rng))
    exact, errors, operator = truth(data, params), [], f"jackson {setup.smoothness}"
    for place in rng.uniform(-0.8, 0.8, k):
        ask = partial(ridge, place=place, smoothness=setup.smoothness)
        nodes = 2 * params.waves
        drawn = expand(ask, setup.d, params.waves, operator=operator, nodes=nodes, blind=True)
        shares, mean = drawn.coefficients.ravel(), ask(data).mean()
        errors.append([abs(answer(released, shares) - mean), abs(shares @ exact - mean)])
    error, drawing = np.max(errors, axis=0)
    counted = work(setup, n)
    return {"error": error, "drawing": drawing, "waves": float(params.waves), **counted}


def work(setup: Setup, n: int) -> dict[str, float]:
    """Counted: multiplications for the table, looks and additions for one answer.

    >>> work(Setup(d=1, smoothness=2), 10_000)
    {'summary': 100000.0, 'query': 106.4}
    """
    t, nodes = setup.plan(n).waves, 2 * setup.plan(n).waves
    grid = float(nodes**setup.d)
    return {"summary": float(n * t**setup.d), "query": grid * (1 + math.log2(nodes))}


def ridge(x: np.ndarray, place: float, smoothness: int) -> np.ndarray:
    """A kink along the mean u of the variables: (u - place)^K sign(u - place)^(K+1) / (2^K K!).

    Its K-th derivative jumps. Array (m, d) or (m,) to array (m,).

    >>> ridge(np.array([-1.0, 1.0]), 0.0, 1).tolist()
    [0.5, 0.5]
    """
    offset = (x if x.ndim == 1 else x.mean(axis=1)) - place
    jump = np.abs(offset) ** smoothness * np.sign(offset) ** (smoothness + 1)
    return jump / (2**smoothness * math.factorial(smoothness))
