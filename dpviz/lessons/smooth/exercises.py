"""The exercises of lesson 06."""

from __future__ import annotations

import numpy as np
from scipy import special

from dpviz.exercises.answers import RIGHT
from dpviz.exercises.declared import makers
from dpviz.exercises.formulas import neighbours
from dpviz.exercises.program import Program, by_spread, laplace
from dpviz.lessons.smooth.explorers import FUNCTIONS, approximate
from dpviz.papers.smooth_queries.moments import excess


def _ratio(numbers: np.ndarray) -> str:
    """Approximate the chosen function with both operators."""
    names = list(FUNCTIONS)
    if numbers[0] not in range(1, len(names) + 1):
        return f"Please type a number from 1 to {len(names)}."
    function = names[int(numbers[0]) - 1]
    kernel, truncated = (
        approximate(t=9, operator=operator, function=function).worst
        for operator in ("jackson 2", "truncation")
    )
    if kernel >= 100 * truncated:
        return RIGHT
    if function.startswith("kink"):
        return f"Ratio {kernel / truncated:.1f}. Both are slow on a kink. Why?"
    return f"Ratio {kernel / truncated:.1f}. Is there a smoother one?"


def _noisy_moment(data, m, *, epsilon, rng):
    moment = np.cos(m * np.arccos(data)).mean()
    return moment + rng.laplace(scale=2 / (len(data) * epsilon))


def _moment(data, m):
    return np.cos(m * np.arccos(data)).mean()


def _moment_with(values=_moment, scale=lambda n, epsilon: 2 / (n * epsilon)):
    """Another moment, or noise of another scale."""
    return lambda data, m, *, epsilon, rng: (
        values(data, m) + rng.laplace(scale=scale(len(data), epsilon))
    )


MOMENTS = {
    "scale": _moment_with(scale=lambda n, epsilon: 1 / (n * epsilon)),
    "sum": _moment_with(scale=lambda n, epsilon: 2 / epsilon),
    "inverse": _moment_with(scale=lambda n, epsilon: 2 * epsilon / n),
    "power": _moment_with(lambda data, m: np.mean(data**m)),
    "unscaled": _moment_with(lambda data, m: len(data) * _moment(data, m)),
}


def _degree_by_looking(data: np.ndarray) -> int:
    """One more than the largest m up to 8 whose average cosine exceeds 0.3 in size."""
    averages = np.cos(np.arange(1, 9)[:, None] * np.arccos(data)).mean(axis=1)
    large = np.flatnonzero(np.abs(averages) > 0.3)
    return int(large.max()) + 2 if len(large) else 1


def _chosen_degree(typed: np.ndarray) -> str:
    """Compare the degrees of two neighbours."""
    data = neighbours(typed, -1, 1)
    if isinstance(data, str):
        return data
    one, other = map(_degree_by_looking, data)
    if one != other:
        return RIGHT
    return f"The degree is {one} on both. Which average can one record bring across 0.3?"


globals().update(
    makers(
        __name__,
        spent={"number": 1 + round(excess(3), 4)},
        break_kernel={
            "check": _ratio,
            "listed": "; ".join(f"{i}: {name}" for i, name in enumerate(FUNCTIONS, start=1)),
        },
        write_moment=Program(
            solution=_noisy_moment,
            slips=MOMENTS,
            inputs=lambda rng: [
                (rng.uniform(-1, 1, 50), 2, 0.5),
                (rng.uniform(-1, 0.3, 80), 3, 40.0),
                (rng.uniform(-0.2, 1, 30), 7, 5.0),
            ],
            law=lambda out, data, m, *, epsilon, rng: laplace(
                out, _moment(data, m), 2 / (len(data) * epsilon)
            ),
            otherwise=by_spread,
        ),
        prove_tail={"least": lambda t, K: special.zeta(2 * K, t)},
        prove_chosen_degree={"check": _chosen_degree},
    )
)
