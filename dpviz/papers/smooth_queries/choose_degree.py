"""How many waves? Ask a bound that uses public numbers only.

**Paper.** Wang, Fan, Zhang and Wang (2013) set t = n^(1/(2d+K)), which knows neither
epsilon nor the questions.

**Setting.** A public sample of questions; n, epsilon, delta. Choosing costs no privacy.

**Idea.** For each t add what the waves cannot draw, as seen at public points, to twice the noise
of the sampled questions; take the t where the worst of them is least. t = 1, an answer
without data, is a candidate: what does not beat it releases nothing useful.

**Symbols.**

===========  ================  ============================================  ============
paper        here              meaning                                       shape, unit
===========  ================  ============================================  ============
t            ``waves``         waves per variable                            whole number
(none)       ``Mixtures``      questions: weighted bumps of a pool           (q, k)
(none)       ``expected``      drawing + 2 sd, the worst of the sample       unit of f
===========  ================  ============================================  ============

**Departures.** A rule of thumb, not a bound: the drawing error is seen at finitely many points,
and 2 sd is no tail. ``bounds.error_bound_bumps`` is the proof. Never choose t by measured
private errors: that would cost, and is not done here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dpviz import checks
from dpviz.papers.smooth_queries.bounds import error_bound_bumps, trial
from dpviz.papers.smooth_queries.chebyshev import chebyshev
from dpviz.papers.smooth_queries.gaussian_kernel import Bumps
from dpviz.papers.smooth_queries.moments import index_set
from dpviz.papers.smooth_queries.release import product_shares
from dpviz.papers.smooth_queries.summary import Params, noise_sd, paper_waves


@dataclass(frozen=True, eq=False)
class Mixtures:
    """Questions as in Wang et al. (2016): each the weighted mean of ten bumps of a pool.

    Attributes
    ----------
    pool : Bumps
    members : int array (q, 10)
    shares : array (q, 10), each row adds up to 1

    >>> Mixtures.draw(4, d=2, width=0.5, pool=20, rng=0).of(np.ones(20))
    array([1., 1., 1., 1.])
    """

    pool: Bumps
    members: np.ndarray
    shares: np.ndarray

    @classmethod
    def draw(cls, q: int, *, d: int, width: float, pool: int = 1000, rng: checks.Seed) -> Mixtures:
        """Random centres, members with replacement, uniform weights: public randomness."""
        rng = checks.generator(rng)
        bumps = Bumps.draw(pool, d=d, width=width, rng=rng)
        shares = rng.uniform(size=(checks.integer("q", q, at_least=1), 10))
        return cls(bumps, rng.integers(pool, size=(q, 10)), shares / shares.sum(axis=1)[:, None])

    def of(self, answers: np.ndarray) -> np.ndarray:
        """The mixtures' answers from the pool's; arrays (..., k) to (..., q)."""
        mixed = 0.0
        for member, share in zip(self.members.T, self.shares.T, strict=True):
            mixed = mixed + answers[..., member] * share
        return mixed

    def some(self, q: int) -> Mixtures:
        """The first q of them."""
        return replace(self, members=self.members[:q], shares=self.shares[:q])


def waves(
    plan: Params,
    n: int,
    questions: Mixtures,
    *,
    most: int,
    operator: str = "truncation",
    rng: checks.Seed,
) -> int:
    """The number of waves, from 1 to ``most``, whose expected worst error is least.

    Parameters
    ----------
    plan : Params, of which everything but the waves is used
    n : int
    questions : Mixtures, a public sample
    rng : seed or Generator, for the public points

    >>> questions = Mixtures.draw(50, d=1, width=0.5, pool=100, rng=0)
    >>> waves(Params(d=1, waves=1, epsilon=1), 569, questions, most=12, rng=1)
    6
    """
    rng = checks.generator(rng)
    points = rng.uniform(-1, 1, (100, plan.d))
    values = questions.of(questions.pool.value(points))
    found = [
        expected(replace(plan, waves=t), n, questions, points, values, operator=operator)
        for t in range(1, checks.integer("most", most, at_least=1) + 1)
    ]
    return int(np.argmin(found)) + 1


def expected(
    params: Params,
    n: int,
    questions: Mixtures,
    points: np.ndarray,
    values: np.ndarray,
    *,
    operator: str = "truncation",
) -> float:
    """Drawing error at the points plus 2 sd of the noise, for the worst question.

    Parameters
    ----------
    points : array (p, d) in [-1, 1], public
    values : array (p, q), the questions at the points

    >>> questions = Mixtures.draw(50, d=1, width=0.5, pool=100, rng=0)
    >>> points = np.linspace(-1, 1, 99)[:, None]
    >>> values = questions.of(questions.pool.value(points))
    >>> expected(Params(d=1, waves=7, epsilon=1), 569, questions, points, values) < 0.05
    True
    """
    shares = mixed_shares(params, questions, operator=operator)
    noise = 2 * np.sqrt(shares**2 @ noise_sd(params, n) ** 2)
    index = index_set(params.index, params.d, params.waves)
    features = np.ones((len(points), len(index)))
    for column, numbers in zip(points.T, index.T, strict=True):
        features *= chebyshev(column, params.waves)[numbers].T
    return float((np.abs(features @ shares.T - values).max(axis=0) + noise).max())


def mixed_shares(
    params: Params, questions: Mixtures, *, operator: str = "truncation"
) -> np.ndarray:
    """The mixtures' coefficients; array (q, N).

    >>> questions = Mixtures.draw(5, d=1, width=0.5, pool=9, rng=0)
    >>> mixed_shares(Params(d=1, waves=3, epsilon=1), questions).shape
    (5, 3)
    """
    factors = questions.pool.factors(params.waves, operator=operator, blind=True)
    pool = np.concatenate(list(product_shares(factors, params)))
    return questions.of(pool.T).T


def scales_for(plan: Params, questions: Mixtures) -> tuple[float, ...]:
    """Relative scales that suit a sample: v_m^(-1/4), or v_m^(-1/3) for Laplace noise.

    v_m is the largest squared share of wave m in the sample, floored at 1e-12 of the largest; the
    powers minimise sum v_m r_m^2 at a given price (Lagrange).

    >>> questions = Mixtures.draw(50, d=1, width=0.5, pool=100, rng=0)
    >>> scales = scales_for(Params(d=1, waves=9, epsilon=1, delta=1e-6), questions)
    >>> len(scales), scales[0] < scales[-1]
    (8, True)
    """
    most = (mixed_shares(plan, questions)[:, 1:] ** 2).max(axis=0)
    most = np.maximum(most, 1e-12 * most.max(initial=1e-300))
    relative = most ** (-1 / 4 if plan.delta else -1 / 3)
    return tuple((relative / relative.min()).tolist()) if len(relative) else ()


def by_bound(plan: Params, n: int, bumps: Bumps, *, most: int, beta: float = 0.05) -> int:
    """The number of waves for which the proved bound for these bumps is least: public, free.

    >>> bumps = Bumps.draw(9, d=1, width=0.5, rng=0)
    >>> by_bound(Params(d=1, waves=1, epsilon=1), 569, bumps, most=12)
    6
    """
    tried = range(1, checks.integer("most", most, at_least=1) + 1)
    bounds = [error_bound_bumps(replace(plan, waves=t), n, bumps, beta=beta).max() for t in tried]
    return int(np.argmin(bounds)) + 1


def trial_plan(
    params: Params, n: int, plan: str, *, k: int = 100, rng: checks.Seed
) -> dict[str, float]:
    """Two plans on skewed records: the paper's t and kernel (K = 2), or cutting off by the bound.

    >>> trial_plan(Params(d=1, waves=1, epsilon=1), 1000, "cut", rng=0)["error"] < 0.1
    True
    """
    rng = checks.generator(rng)
    data = 2 * rng.beta(2, 3, (n, params.d)) - 1
    bumps = Bumps.draw(k, d=params.d, width=0.5, rng=rng)
    if checks.choice("plan", plan, ("paper", "cut")) == "paper":
        chosen, how = (
            paper_waves(n, d=params.d, smoothness=2),
            {"operator": "jackson 2", "blind": True},
        )
    else:
        chosen, how = by_bound(params, n, bumps, most=14), {}
    return trial(replace(params, waves=chosen), data, bumps, **how, rng=rng)
