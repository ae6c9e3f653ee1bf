"""The K-norm: never below a derivative that is found, and attained where it is called exact."""

import math
from itertools import product

import numpy as np
import pytest
from numpy.polynomial import hermite_e

from dpviz.papers.smooth_queries.bounds import error_bound, kernel_norm
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.papers.smooth_queries.release import Params

GRID = np.linspace(-1, 1, 4001)
KERNELS = GaussianKernels(centres=[[0.0], [0.35]], width=0.5, lower=-1, upper=1)


def derivative(order, centre, width):
    """Of a Gaussian in one variable, by the recurrence of its derivatives, on the grid."""
    offset = (GRID - centre) / width
    found = [np.exp(-(offset**2) / 2)]
    found.append(-offset / width * found[0])
    for j in range(1, order):
        found.append(-(offset * found[j] + j / width * found[j - 1]) / width)
    return found[order]


@pytest.mark.parametrize("width", [0.3, 0.5, 2.0])
@pytest.mark.parametrize("smoothness", [0, 1, 2, 5])
def test_the_norm_of_a_kernel_is_the_largest_derivative(width, smoothness):
    """Statements: W13 Section 3 (smooth functions)."""
    centres = np.array([[0.0], [0.35], [-1.0]])
    found = kernel_norm(
        GaussianKernels(centres=centres, width=width, lower=-1, upper=1), smoothness
    )
    for centre, norm in zip(centres.ravel(), found, strict=True):
        orders = range(smoothness + 1)
        seen = max(np.abs(derivative(j, centre, width)).max() for j in orders)
        # a grid of step 1/2000 misses a smooth maximum by less than a part in 10^4
        assert seen <= norm * (1 + 1e-9) and norm <= seen * (1 + 1e-4)


def test_several_variables_share_the_orders():
    queries = GaussianKernels.draw(5, d=2, width=0.6, rng=0, lower=-1, upper=1)
    found = kernel_norm(queries, 3)
    for (a, b), norm in zip(queries.centres, found, strict=True):
        pairs = [(i, j) for i, j in product(range(4), repeat=2) if i + j <= 3]
        sizes = [
            np.abs(derivative(i, a, 0.6)).max() * np.abs(derivative(j, b, 0.6)).max()
            for i, j in pairs
        ]
        assert max(sizes) <= norm * (1 + 1e-9) and norm <= max(sizes) * (1 + 1e-3)


def test_the_norm_is_what_theorem_3_1_needs():
    """A kernel of width 0.5 has B = 4 for K = 2, so its bound is four times that of B = 1."""
    params = Params(d=1, terms=63, epsilon=1, lower=-1, upper=1)
    size = float(kernel_norm(GaussianKernels(centres=[[0.2]], width=0.5, lower=-1, upper=1), 2)[0])
    assert size == pytest.approx(4, rel=1e-9)
    one, four = (error_bound(params, n=63**4, size=b) for b in (1.0, size))
    assert math.isclose(four, size * one, rel_tol=1e-9)


def test_what_is_no_order_is_refused_by_name():
    with pytest.raises(ValueError, match="smoothness must be"):
        kernel_norm(KERNELS, -1)


def test_roots_with_a_trace_of_an_imaginary_part_give_the_same_norm(monkeypatch):
    """They are eigenvalues of an asymmetric matrix: machines differ in their last bits."""
    norm, roots = kernel_norm(KERNELS, 5), hermite_e.hermeroots
    monkeypatch.setattr(hermite_e, "hermeroots", lambda series: roots(series) + 1e-17j)
    assert kernel_norm(KERNELS, 5) == pytest.approx(norm, rel=1e-9)
