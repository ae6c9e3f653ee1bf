"""One summary of the records that answers every smooth query: kernels, and means of functions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.door import frames, readings
from dpviz.door.terms import (
    BETA,
    Answers,
    Mechanism,
    Result,
    asked,
    planned,
    proved,
    released,
    settled,
    sides,
)
from dpviz.papers.smooth_queries import bounds as proofs
from dpviz.papers.smooth_queries import minimax_rate
from dpviz.papers.smooth_queries import release as moments
from dpviz.papers.smooth_queries.chebyshev import Expansion, expand
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels, answer_kernels
from dpviz.privacy.curator import Curator

WIDTH = 0.25  # of a side of the box: the kernels for which the number of terms is chosen
MOST = {1: 14, 2: 10, 3: 8}  # terms per variable that are tried; in more variables fewer
MOMENTS = 4096  # in all, that are tried
SHAPES = {1: (1, 2)}  # derivatives by which the noise is shaped, that are tried; else 2


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Summary(Result):
    """Noisy moments; any number of smooth queries, in the unit of the data."""

    def kernels(
        self, centers: ArrayLike | frames.Frame, width: ArrayLike | Mapping[str, float]
    ) -> Answers:
        """Mean over the records of exp(-sum_i (x_i - c_i)^2 / (2 h_i^2)) for each centre c.

        Free: post-processing. Proved, for these centres asked without looking at the summary:
        ``error_bound`` for all of them at once.

        Parameters
        ----------
        centers : array (k, d) in the order of ``columns``, or a frame with these columns
        width : number, d numbers, or a dict by column: h, in the unit of the data; at least a
            hundredth of a side of the bounds

        Raises
        ------
        TypeError, ValueError
            If a centre lies outside of the bounds, or a width is too narrow.
        """
        centres = frames.places("centers", centers, self.columns, self.bounds)
        widths = frames.lengths("width", width, self.bounds, least=0.01)
        params = self.params
        queries = GaussianKernels(
            centres=centres.reshape(-1, len(self.columns)),
            width=widths,
            lower=params.lower,
            upper=params.upper,
        )
        values = answer_kernels(self.release, queries)
        unit = "(of a mean in [0, 1]), all centres together"
        bound = partial(proved, proofs.error_bound_kernels, params, n=self.n, queries=queries)
        return self._answers("kernels", values, unit, bound)

    def mean(
        self,
        function: Callable[[NDArray], NDArray],
        *,
        smoothness: int | None = None,
        size: float | None = None,
    ) -> Answers:
        """Mean of a smooth function over the records. Free: post-processing.

        Parameters
        ----------
        function : points in the unit of the data, array (m, d) (or (m,) if d = 1), to array (m,)
        smoothness, size : K in 1 to 4, and what bounds the function and its derivatives up to
            order K, in the unit of the data. With them an error is proved; without, none is

        Raises
        ------
        TypeError, ValueError
            If the function's values are no finite numbers, or one of K and size is missing.
        """
        if (smoothness is None) != (size is None):
            raise TypeError("smoothness and size must be given together")
        params = self.params
        box: dict[str, Any] = {"lower": params.lower, "upper": params.upper}
        how: dict[str, Any] = {"operator": "truncation"}
        bound = partial(planned, math.inf, 0.0)
        if smoothness is not None and size is not None:
            order = checks.integer("smoothness", smoothness, at_least=1, at_most=4)
            how = minimax_rate.operator_of(replace(params, smoothness=order))
            largest = checks.number("size", size, above=0) * _stretch(params) ** order
            bound = partial(proved, proofs.error_bound, params, n=self.n, size=largest, **how)
        expansion: Expansion = expand(function, params.d, params.terms, **how, **box)
        value = moments.answer(self.release, expansion)
        name = getattr(function, "__name__", "a function")
        return self._answers(f"mean of {name}", np.array([value]), "(unit of the function)", bound)

    def _answers(
        self, title: str, values: NDArray, unit: str, bound: Callable[[float], float]
    ) -> Answers:
        asked_of = {"title": title, "unit": unit, "bound": bound, "chosen": ""}
        return Answers(**vars(self) | asked_of, values=values)

    def summary(self) -> str:
        """Its size."""
        return f"{self.params.size} moments, {self.params.terms} per variable"


def smooth_summary(
    points: ArrayLike | frames.Frame,
    *,
    bounds: frames.Bounds,
    epsilon: float | None = None,
    delta: float | None = None,
    terms: int | None = None,
    smoothness: int | None = None,
    outside: str = "clip",
    curator: Curator | None = None,
    rng: checks.Seed | None = None,
) -> Summary:
    """Noisy moments of the records, which answer every smooth query. Costs ``epsilon``, ``delta``.

    The means of all Chebyshev polynomials of low degree (Wang, Fan, Zhang and Wang 2013), with
    Laplace noise, or Gaussian noise where there is a delta. The noise is equal on all moments or
    grows with the degree, as smooth functions allow (`dpviz.papers.smooth_queries.minimax_rate`),
    whichever proves the smaller error; the result says which. ``kernels`` asks how many records
    are near a place, softly; ``mean`` asks for the mean of a function.

    Parameters
    ----------
    points : array (n, d) or a frame, or a source of them (``dpviz.pieces``); few columns, for there
        are terms^d moments
    bounds : pairs (lower, upper), a dict by column, or a frame; what lies outside is clipped
    epsilon, delta : the cost, pure without delta; without both all that is left of the ``curator``
    terms : moments per variable; None: by the proved error of kernels whose width is a quarter of
        each side
    smoothness : None, or K in 1 to 4: the summary is then made for ``mean`` of any function with K
        bounded derivatives, with the terms and the noise of the least proved error for all of them
    outside, curator, rng : as in ``dpviz.mean``

    Raises
    ------
    TypeError, ValueError, BudgetExceeded
        Before anything is paid.

    >>> import dpviz
    >>> ages = [34, 51, 29, 47, 62, 38] * 5000
    >>> summary = dpviz.smooth_summary(ages, bounds=(0, 100), epsilon=1, rng=7)
    >>> summary.kernels([[40]], width=25).values.round(1)  # the truth is 0.89
    array([0.9])
    """
    how: dict[str, Any] = {"outside": outside, "epsilon": epsilon, "delta": delta}
    read, public = asked("points", points, bounds, **how, curator=curator, rng=rng)
    if smoothness is None:
        mechanisms = _kernel_mechanisms(read, public, terms)
        unit = "(of a mean in [0, 1]), a kernel in the middle, a quarter of each side wide"
    else:
        if terms is not None:
            raise TypeError("terms must be None beside smoothness, which decides them")
        mechanisms = [_class_mechanism(read, public, smoothness)]
        unit = "(of a function that is, with its derivatives, at most 1 over half a side)"
    return settled(
        mechanisms,
        Summary,
        title=f"smooth queries over {', '.join(read.columns)}",
        unit=unit,
        n=read.n,
        bounds=sides(read, public),
        curator=curator,
        rng=rng,
    )


def _kernel_mechanisms(
    read: frames.Table | readings.Reading, public: dict[str, Any], terms: int | None
) -> list[Mechanism]:
    """Noise equal on all moments, and noise shaped by smoothness; terms by kernels at corners."""
    middle = GaussianKernels(centres=np.zeros((1, read.d)), width=2 * WIDTH, lower=-1, upper=1)
    equal = moments.Params(d=read.d, terms=1 if terms is None else terms, **public)
    if terms is None:
        equal = replace(equal, terms=_best_terms(equal, read.n))
    shaped = replace(equal, noise_scaling="smoothness", smoothness=2)
    if terms is None:
        shaped = replace(shaped, terms=_best_terms(shaped, read.n))
    tried = [replace(shaped, smoothness=order) for order in SHAPES.get(read.d, (2,))]
    how: dict[str, Any] = {"n": read.n, "queries": middle}
    shaped = min(tried, key=lambda params: proved(proofs.error_bound_kernels, params, BETA, **how))
    names = {"equal noise": equal, f"noise shaped for smoothness {shaped.smoothness}": shaped}
    return [
        Mechanism(
            name=name,
            params=params,
            bound=partial(proved, proofs.error_bound_kernels, params, **how),
            release=partial(released, moments, read, params),
        )
        for name, params in names.items()
    ]


def _class_mechanism(
    read: frames.Table | readings.Reading, public: dict[str, Any], smoothness: int
) -> Mechanism:
    """The plan of the least proved error for all functions with so many derivatives."""
    order = checks.integer("smoothness", smoothness, at_least=1, at_most=4)
    params = moments.Params(d=read.d, terms=1, smoothness=order, **public)
    params = minimax_rate.plan(params, n=read.n)
    how = minimax_rate.operator_of(params)
    return Mechanism(
        name="noise shaped by smoothness",
        params=params,
        bound=partial(proved, proofs.error_bound, params, n=read.n, size=1.0, **how),
        release=partial(released, moments, read, params),
    )


def _best_terms(params: moments.Params, n: int) -> int:
    """Terms of the least proved error for kernels at corners and middles, at least as many as there
    are; public, free."""
    axes = (-1.0, 0.0, 1.0) if params.d <= 3 else (-1.0, 0.0)
    corners = np.array(list(itertools.islice(itertools.product(axes, repeat=params.d), 32)))
    queries = GaussianKernels(centres=corners, width=2 * WIDTH, lower=-1, upper=1)
    most = MOST.get(params.d, max(1, math.floor(MOMENTS ** (1 / params.d) + 1e-9)))
    return proofs.by_bound(params, n, queries, most=most, least=params.terms)


def _stretch(params: moments.Params) -> float:
    """How much larger a derivative can be in the box's own coordinates, for each order."""
    return max(1.0, float(np.max(np.subtract(params.upper, params.lower)) / 2))
