"""What is published, and how noisy: the plan of the table, before any data is seen.

**Paper.** Wang, Fan, Zhang and Wang (2013), Algorithm 1.

**Setting.** A table of noisy means of waves; its size, its price and the scale of its noise are
public numbers.

**Idea.** Divide each wave by a public scale, release all with one noise, multiply again: noise
that grows with the degree, where questions look less.

**Symbols.**

===========  ======================  ==========================================  ==============
paper        here                    meaning                                     shape, unit
===========  ======================  ==========================================  ==============
t            ``waves``               waves per variable, 0, ..., t - 1           whole number
t^d          ``size``                moments, the constant included              whole number
epsilon      ``epsilon, delta``      price of the whole table
(none)       ``relative_scales``     r_m: how the noise grows with the wave      (N - 1,)
K            ``smoothness``          in the powers that r_m uses                 whole number
===========  ======================  ==========================================  ==============

**Departures.** The paper's noise is equal on all waves. The powers |m|^(2K/3) (Laplace) and
|m|^(K/2) (Gaussian) minimise the expected worst error over C^K_B, up to constants.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import accounting, checks
from dpviz.papers.smooth_queries import moments, sensitivity
from dpviz.privacy.private_data import OUTSIDE

SHAPES = ("equal", "degree", "product", "given")


@dataclass(frozen=True, kw_only=True)
class Params:
    """The table's size and its price; all public.

    Attributes
    ----------
    d : int >= 1, variables
    waves : int >= 1, waves per variable, the constant included
    epsilon : float > 0; delta : float in [0, 1), 0 for Laplace noise
    index : "tensor", "total" or "cross", see :mod:`dpviz.papers.smooth_queries.moments`
    shape : how the noise's scale depends on the wave m: "equal", "degree" (|m|^(2K/3), or
        |m|^(K/2) for Gaussian noise), "product" (of (1 + m_i) to these powers) or "given"
    smoothness : int >= 0, K in these powers
    scales : the relative scales for "given", one for each wave but the constant
    low, high : public bounds of each variable, a number or d of them
    outside : "clip" or "refuse", what happens to records outside

    >>> Params(d=0, waves=3, epsilon=1)
    Traceback (most recent call last):
    ...
    ValueError: d must be a whole number, at least 1, not 0
    """

    d: int
    waves: int
    epsilon: float
    delta: float = 0.0
    index: str = "tensor"
    shape: str = "equal"
    smoothness: int = 2
    scales: tuple[float, ...] = ()
    low: Any = -1.0
    high: Any = 1.0
    outside: str = "clip"

    def __post_init__(self):
        size = moments.table_size(self.index, self.d, self.waves)
        if size > moments.LARGEST_TABLE:
            moments.index_set(self.index, self.d, self.waves)  # says what is too large
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, at_least=0, below=1)
        checks.choice("shape", self.shape, SHAPES)
        checks.integer("smoothness", self.smoothness, at_least=0)
        checks.choice("outside", self.outside, OUTSIDE)
        scales = checks.queries("scales", self.scales)
        if scales.shape != ((size - 1,) if self.shape == "given" else (0,)) or (scales <= 0).any():
            raise ValueError(
                f"scales must be {size - 1} positive numbers with shape 'given', else empty, not "
                f"of shape {scales.shape}"
            )

    @property
    def size(self) -> int:
        """N, the number of moments, the constant included."""
        return moments.table_size(self.index, self.d, self.waves)


def paper_waves(n: int, *, d: int, smoothness: int) -> int:
    """Algorithm 1's t = n^(1/(2d + K)), rounded down in whole numbers.

    Trap: in floating point 1000000 ** (1 / 6) is below 10.

    >>> paper_waves(10**6, d=2, smoothness=2), int((10**6) ** (1 / 6))
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
    """r_m for every wave but the constant; array (N - 1,).

    >>> relative_scales(Params(d=1, waves=4, epsilon=1, delta=1e-6, shape="degree")).tolist()
    [1.0, 2.0, 3.0]
    """
    if params.shape == "given":
        return np.array(params.scales, dtype=float)
    if params.shape == "equal":
        return np.ones(params.size - 1)
    index = moments.index_set(params.index, params.d, params.waves)[1:]
    if params.shape == "product":
        return np.prod(1.0 + index, axis=1) ** _power(params)
    return np.linalg.norm(index, axis=1) ** _power(params)


def sensitivity_of(params: Params) -> float:
    """L1 (delta = 0) or L2 sensitivity of the sums of scaled waves: the least that is proved.

    A set of waves inside the tensor moves no more than the whole tensor does.

    >>> sensitivity_of(Params(d=2, waves=3, epsilon=1))
    9.375
    >>> sensitivity_of(Params(d=5, waves=3, epsilon=1, index="total"))
    40.0
    """
    shares, gauss = 1 / relative_scales(params), params.delta > 0
    bounds = [sensitivity.l2_any(shares) if gauss else sensitivity.l1_any(shares)]
    if params.shape == "equal":
        tensor = sensitivity.l2_tensor if gauss else sensitivity.l1_tensor
        bounds.append(tensor(params.waves, params.d))
    if params.shape == "product":
        product = sensitivity.l2_product if gauss else sensitivity.l1_product
        bounds.append(product((1.0 + np.arange(params.waves)) ** -_power(params), params.d))
    return min(bounds)


def noise_sd(params: Params, n: int) -> np.ndarray:
    """Standard deviation of the noise on each moment; array (N,), the first 0.

    >>> noise_sd(Params(d=1, waves=2, epsilon=1), 100).round(3)
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
