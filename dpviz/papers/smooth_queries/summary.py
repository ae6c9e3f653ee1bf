"""The noisy summary (Algorithm 1): its size, its budget and the scale of its noise, all public.

**Paper.** Wang, Fan, Zhang and Wang (2013), Algorithm 1.

**Setting.** A summary of noisy Chebyshev moments; its size, its budget and the scale of its noise
are chosen before any data are seen.

**Idea.** Divide each moment by a public scale, release all with one noise, multiply again: noise
that grows with the degree, where the coefficients of smooth queries are small.

**Symbols.**

===========  ======================  ==========================================  ==============
paper        here                    meaning                                     shape, unit
===========  ======================  ==========================================  ==============
t            ``terms``               degrees 0, ..., t - 1 per variable          whole number
t^d          ``size``                moments, the constant included              whole number
epsilon      ``epsilon, delta``      budget of the whole summary
beta         ``beta``                failure probability of the error bounds     in (0, 1)
(none)       ``relative_scales``     r_m: how the noise grows with the degree    (N - 1,)
K            ``smoothness``          derivatives that are bounded                whole number
===========  ======================  ==========================================  ==============

**Departures.** The paper's noise is equal on all moments. The powers |m|^(2K/3) (Laplace) and
|m|^(K/2) (Gaussian) minimise the expected worst error over C^K_B, up to constants.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import accounting, checks
from dpviz.papers.smooth_queries import moments, sensitivity
from dpviz.privacy.budgeted import Budgeted
from dpviz.privacy.private_data import OUTSIDE

NOISE_SCALINGS = ("uniform", "degree", "product", "custom")


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """The summary's size and its budget; all public.

    Attributes
    ----------
    d : int >= 1, variables
    terms : int >= 1, basis functions per variable: degrees 0, ..., terms - 1
    epsilon : float > 0; delta : float in [0, 1), 0 for Laplace noise
    beta : float in (0, 1), probability with which the error bounds may fail
    index_set : "tensor", "total degree" or "hyperbolic cross", which degrees are combined (see
        :mod:`dpviz.papers.smooth_queries.moments`)
    noise_scaling : how the noise's scale depends on the multi-index m: "uniform", "degree"
        (|m|^(2K/3), or |m|^(K/2) for Gaussian noise), "product" (of (1 + m_i) to these powers) or
        "custom"
    smoothness : int >= 0, K in these powers and in ``bounds.paper_rate``
    scales : the relative scales for "custom", one for each moment but the constant
    lower, upper : public bounds of each variable, a number or d of them
    outside : "clip" or "refuse", what happens to records outside

    >>> Params(d=0, terms=3, epsilon=1)
    Traceback (most recent call last):
    ...
    ValueError: d must be a whole number, at least 1, not 0
    """

    d: int
    terms: int
    epsilon: float
    delta: float = 0.0
    beta: float = 0.05
    index_set: str = "tensor"
    noise_scaling: str = "uniform"
    smoothness: int = 2
    scales: tuple[float, ...] = ()
    lower: ArrayLike = -1.0
    upper: ArrayLike = 1.0
    outside: str = "clip"

    def __post_init__(self):
        size = moments.summary_size(self.index_set, self.d, self.terms)
        if size > moments.LARGEST_SUMMARY:
            moments.multi_indices(self.index_set, self.d, self.terms)  # says what is too large
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, below=1)
        checks.number("beta", self.beta, above=0, below=1)
        checks.choice("noise_scaling", self.noise_scaling, NOISE_SCALINGS)
        checks.integer("smoothness", self.smoothness, at_least=0)
        checks.choice("outside", self.outside, OUTSIDE)
        scales = checks.queries("scales", self.scales)
        wanted = (size - 1,) if self.noise_scaling == "custom" else (0,)
        if scales.shape != wanted or (scales <= 0).any():
            raise ValueError(
                f"scales must be {size - 1} positive numbers with noise_scaling 'custom', else "
                f"empty, not of shape {scales.shape}"
            )

    @property
    def size(self) -> int:
        """N, the number of moments, the constant included."""
        return moments.summary_size(self.index_set, self.d, self.terms)


def paper_terms(n: int, *, d: int, smoothness: int) -> int:
    """Algorithm 1's t = n^(1/(2d + K)), rounded down in whole numbers.

    Trap: in floating point 1000000 ** (1 / 6) is below 10.

    >>> paper_terms(10**6, d=2, smoothness=2), int((10**6) ** (1 / 6))
    (10, 9)
    """
    power = 2 * checks.integer("d", d, at_least=1) + checks.integer(
        "smoothness", smoothness, at_least=0
    )
    t = round(checks.integer("n", n, at_least=1) ** (1 / power))
    while t**power > n:
        t -= 1
    while (t + 1) ** power <= n:
        t += 1
    return t


def relative_scales(params: Params) -> np.ndarray:
    """r_m for every moment but the constant; array (N - 1,).

    >>> params = Params(d=1, terms=4, epsilon=1, delta=1e-6, noise_scaling="degree")
    >>> relative_scales(params).tolist()
    [1.0, 2.0, 3.0]
    """
    if params.noise_scaling == "custom":
        return np.array(params.scales, dtype=float)
    if params.noise_scaling == "uniform":
        return np.ones(params.size - 1)
    index = moments.multi_indices(params.index_set, params.d, params.terms)[1:]
    if params.noise_scaling == "product":
        return np.prod(1.0 + index, axis=1) ** _power(params)
    return np.linalg.norm(index, axis=1) ** _power(params)


def sensitivity_of(params: Params) -> float:
    """L1 (delta = 0) or L2 sensitivity of the sums of scaled basis functions: the least proved.

    An index set inside the tensor changes by no more than the whole tensor does.

    >>> sensitivity_of(Params(d=2, terms=3, epsilon=1))
    9.375
    >>> sensitivity_of(Params(d=5, terms=3, epsilon=1, index_set="total degree"))
    40.0
    """
    weights, gauss = 1 / relative_scales(params), params.delta > 0
    bounds = [sensitivity.l2_any(weights) if gauss else sensitivity.l1_any(weights)]
    if params.noise_scaling == "uniform":
        tensor = sensitivity.l2_tensor if gauss else sensitivity.l1_tensor
        bounds.append(tensor(params.terms, params.d))
    if params.noise_scaling == "product":
        product = sensitivity.l2_product if gauss else sensitivity.l1_product
        bounds.append(product((1.0 + np.arange(params.terms)) ** -_power(params), params.d))
    return min(bounds)


def noise_sd(params: Params, n: int) -> np.ndarray:
    """Standard deviation of the noise on each moment; array (N,), the first 0.

    >>> noise_sd(Params(d=1, terms=2, epsilon=1), 100).round(3)
    array([0.   , 0.028])
    """
    checks.integer("n", n, at_least=1)
    unit = sensitivity_of(params) / n
    if params.delta:
        unit *= accounting.gaussian_sd(epsilon=params.epsilon, delta=params.delta)
    else:
        unit *= math.sqrt(2) / params.epsilon
    return np.append(0.0, unit * relative_scales(params))


def _power(params: Params) -> float:
    """How fast the noise grows with the degree."""
    return params.smoothness / 2 if params.delta else 2 * params.smoothness / 3
