"""Bernstein mechanism: noisy values on a lattice, read through the iterated Bernstein operator.

**Paper.** Beside Wang, Fan, Zhang and Wang (2013): Aldà and Rubinstein, *The Bernstein mechanism:
function release under differential privacy* (AAAI 2017); iterated Bernstein operators after
Micchelli (1973).

**Setting.** A function of a public place, here the average kernel around it, is to be released for
all places of a box at once. Its values are means over n private records.

**Idea.** Release the function's values on a lattice with noise, and read the others off the
polynomial that they make. Bernstein's polynomials are averages of the values, so they enlarge
no noise; but their bias falls as 1 / m only. Applying the operator to what it misses, again and
again, uses the smoothness of the function.

**Symbols.**

=========  ================  =====================================================  ============
paper      here              meaning                                                shape
=========  ================  =====================================================  ============
k          ``lattice``       m: values at 0, 1/m, ..., 1 of each variable           whole number
h          ``iterations``    times that the operator is applied                     whole number
l          ``d``             variables                                              whole number
B_k^(h)    ``weights_at``    I - (I - B)^h, row by row                              (k, m + 1)
=========  ================  =====================================================  ============

**Departures.** (1) The paper adds up the largest changes of all values. Here they move together
by less, because a kernel that is near a record is far from most places (``_sensitivity``). (2)
Gaussian noise where a delta is given. (3) The paper's rule for the lattice is an order of size;
``_lattice_for`` takes the constant 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.papers.smooth_queries.chebyshev import Boxed
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.papers.smooth_queries.release import rescaled
from dpviz.privacy.curator import Curator

MOST = 2**14  # values of a lattice
FINER = 2  # than the lattice of the paper


@dataclass(frozen=True, kw_only=True)
class Params(Boxed):
    """Budget, kernel and lattice; all public.

    Attributes
    ----------
    width : float > 0, of the kernel, in the unit of [-1, 1]
    lattice : int >= 1, (lattice + 1)^d values of at most 16,384
    iterations : int in [1, 20]

    >>> Params(d=3, width=0.5, lattice=99, epsilon=1.0, lower=-1, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: lattice must satisfy (lattice + 1)^d <= 16384, not 100^3
    """

    width: checks.Positive
    lattice: int
    iterations: int = 4

    def __post_init__(self):
        super().__post_init__()
        checks.integer("iterations", self.iterations, at_least=1, at_most=20)
        side = checks.integer("lattice", self.lattice, at_least=1) + 1
        if side**self.d > MOST:
            raise ValueError(f"lattice must satisfy (lattice + 1)^d <= {MOST}, not {side}^{self.d}")


@dataclass(frozen=True, eq=False)
class Release:
    """Noisy values of the average kernel on the lattice.

    Attributes
    ----------
    values : array ((lattice + 1)^d,)
    """

    params: Params
    values: np.ndarray


def release(data: ArrayLike, params: Params, curator: Curator) -> Release:
    """The average kernel's values on the lattice, with noise. Costs ``epsilon`` and ``delta``.

    The values answer kernels of this width around all places.
    Privacy: ``_sensitivity``.

    >>> params = Params(d=1, width=0.5, lattice=2, epsilon=1e6, lower=-1, upper=1)
    >>> release([[0.0]], params, params.curator(rng=0)).values.round(2).tolist()
    [0.14, 1.0, 0.14]
    """
    points = rescaled(data, params)
    exact = _means(points, params)
    moved = _sensitivity(params) / len(points)
    noisy = params.noisy(exact, curator, l1=moved, l2=moved, label="values on the lattice")
    return Release(params, np.atleast_1d(noisy))


def answer(release: Release, queries: GaussianKernels) -> np.ndarray:
    """The polynomial at the queries' centres; array (k,). Free: post-processing.

    Raises ``ValueError`` for kernels of another width.

    >>> params = Params(d=1, width=0.5, lattice=2, epsilon=1.0, iterations=1, lower=-1, upper=1)
    >>> queries = GaussianKernels(centres=[[0.0]], width=0.5, lower=-1, upper=1)
    >>> answer(Release(params, np.array([0.0, 1.0, 0.0])), queries)
    array([0.5])
    """
    checks.instance("queries", queries, GaussianKernels)
    params = release.params
    own = queries.in_box(params.lower, params.upper, params.d).unit
    if not np.allclose(own.width, params.width, rtol=1e-9):
        raise ValueError(
            f"queries must have width {params.width:g}, for which values were released"
        )
    places = (np.asarray(own.centres) + 1) / 2
    values = np.broadcast_to(release.values, (len(places), len(release.values)))
    for variable in range(params.d):
        rows = _weights_at(places[:, variable], params.lattice, iterations=params.iterations)
        values = np.einsum("kj,kjr->kr", rows, values.reshape(len(places), params.lattice + 1, -1))
    return values[:, 0]


def _lattice_for(n: int, *, d: int, epsilon: float, iterations: int) -> int:
    """The paper's order of the lattice, (epsilon n)^(1 / (d + h)), constant 1; public."""
    size = max(1.0, checks.number("epsilon", epsilon, above=0) * n)
    most = math.floor(MOST ** (1 / d) + 1e-9) - 1
    return min(most, max(1, round(size ** (1 / (d + iterations)))))


def params_for(n: int, *, epsilon: float, delta: float = 0.0, **public: Any) -> Params:
    """Params with a lattice ``FINER`` than the paper's order, and the smaller of both noises.

    Parameters
    ----------
    delta : float in [0, 1); with 0 the noise is Laplace
    public : the other fields of :class:`Params`

    >>> how = {"d": 1, "width": 0.5, "lower": -1, "upper": 1, "epsilon": 1.0, "delta": 1e-6}
    >>> [params_for(n, **how).lattice for n in (10, 10**5)]
    [4, 20]
    """
    iterations = public.setdefault("iterations", 4)
    lattice = _lattice_for(n, d=public["d"], epsilon=epsilon, iterations=iterations)
    pure = Params(lattice=FINER * lattice, epsilon=epsilon, **public)
    if not delta:
        return pure
    return min(pure, replace(pure, delta=delta), key=_noise_sd)


def _sensitivity(params: Params) -> float:
    """How far all values on the lattice move together, times n: in L1 if pure, in L2 else.

    Proof. All values of a kernel lie in [0, 1], so a value moves by the larger of two such values
    at most, and the sum of the changes by at most twice a record's sum of values; no more than
    there are values. A record's sum is a product over the variables of sums of exp(-(x - c)^2 / (2
    h^2)) over lattice places of spacing s: a unimodal function's sum is at most its largest value
    plus its integral over s, 1 + h sqrt(2 pi) / s. For squares h is h / sqrt(2).
    """
    spacing = 2 / params.lattice
    width = params.width / math.sqrt(2) if params.delta else params.width
    side = min(params.lattice + 1.0, 1 + width * math.sqrt(2 * math.pi) / spacing)
    moved = min(2 * side**params.d, (params.lattice + 1.0) ** params.d)
    return math.sqrt(moved) if params.delta else moved


def _noise_sd(params: Params) -> float:
    """Standard deviation of the noise of a value, times n."""
    moved = _sensitivity(params)
    return params.noise_sd(l1=moved, l2=moved)


def _weights_at(places: ArrayLike, lattice: int, *, iterations: int) -> np.ndarray:
    """Weights of the lattice's values in the polynomial at these places; array (k, lattice + 1).

    B takes a function to sum_j f(j/m) C(m, j) x^j (1 - x)^(m - j). The iterated operator is
    sum over i = 1 ... h of C(h, i) (-1)^(i - 1) B^i.

    Parameters
    ----------
    places : array (k,) in [0, 1]
    """
    from scipy.special import comb, gammaln, xlog1py, xlogy

    numbers = np.arange(lattice + 1)
    logs = gammaln(lattice + 1) - gammaln(numbers + 1) - gammaln(lattice - numbers + 1)
    basis, once = (
        np.exp(logs + xlogy(numbers, x) + xlog1py(lattice - numbers, -x))
        for x in (checks.queries("places", places)[:, None], numbers[:, None] / lattice)
    )
    total = np.zeros_like(once)
    power = np.eye(lattice + 1)
    for i in range(1, iterations + 1):
        total += comb(iterations, i) * (-1) ** (i - 1) * power
        power = power @ once
    return basis @ total


def _means(points: np.ndarray, params: Params) -> np.ndarray:
    """The average kernel around all places of the lattice, without noise; private.

    A kernel is a product over the variables, so the last of them is one product of matrices.
    """
    axis = np.linspace(-1, 1, params.lattice + 1)
    step = max(1, MOST * 64 // len(axis) ** (params.d - 1))
    total = np.zeros(len(axis) ** params.d)
    for start in range(0, len(points), step):
        block = points[start : start + step]
        *first, last = np.exp(-((block.T[:, :, None] - axis) ** 2) / (2 * params.width**2))
        products = np.ones((len(block), 1))
        for factor in first:
            products = (products[:, :, None] * factor[:, None]).reshape(len(block), -1)
        total += (products.T @ last).ravel()
    return total / len(points)
