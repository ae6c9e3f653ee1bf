"""The exercises of lesson 07."""

from __future__ import annotations

import numpy as np

from dpviz.exercises.answers import RIGHT
from dpviz.exercises.declared import makers
from dpviz.exercises.formulas import neighbours
from dpviz.exercises.program import Program, laplace


def _publish(count, *, epsilon, delta, rng):
    if count == 0:
        return 0  # an empty cell never shows: there is no end of them
    noisy = count + rng.laplace(scale=2 / epsilon)
    return noisy if noisy > 1 + 2 / epsilon * np.log(1 / (2 * delta)) else 0


def _publish_with(scale=2.0, above=1.0, half=2.0, exact=False, empty=False):
    """The same with another noise or threshold, one exact test, or noise on empty cells too."""

    def shown(count, *, epsilon, delta, rng):
        noisy = count + rng.laplace(scale=scale / epsilon)
        enough = above + scale / epsilon * np.log(1 / (half * delta))
        return noisy if (count or empty) and (count if exact else noisy) > enough else 0

    return shown


CELLS = {
    "empty": _publish_with(empty=True),
    "exact": _publish_with(exact=True),
    "scale": _publish_with(scale=1.0),
    "above": _publish_with(above=0.0),
    "half": _publish_with(half=1.0),
}


def _cell_law(out, count, *, epsilon, delta, rng):
    """Uniform if what shows is the upper tail of Laplace noise around a count, and 0 the rest."""
    enough = np.array([1 + 2 / epsilon * np.log(1 / (2 * delta))])
    hidden = laplace(enough, count, 2 / epsilon)[0] if count else 1.0
    density = np.where(out > enough, laplace(out, count, 2 / epsilon), 0.0)
    return np.where(out == 0, rng.uniform(0, hidden, len(out)), density if count else 1.0)


def _best_cell(data: np.ndarray) -> float:
    """The left end of the first of ten cells of [0, 1) with the most records."""
    return float(np.bincount((data * 10 + 1e-9).astype(int), minlength=10).argmax() / 10)


def _best_place(typed: np.ndarray) -> str:
    """How far the best cell moves."""
    data = neighbours(typed, 0, 1)
    if isinstance(data, str):
        return data
    if typed.max() >= 1:
        return "A record lies below 1."
    moved = abs(float(np.diff(list(map(_best_cell, data)))[0]))
    if moved > 0.1 + 1e-9:
        return RIGHT
    return f"The best cell moves by {moved:.1f}. Which counts have to be nearly equal?"


globals().update(
    makers(
        __name__,
        write_cell=Program(
            solution=_publish,
            slips=CELLS,
            inputs=lambda rng: [(12, 1.0, 0.01), (1, 1.0, 0.25), (0, 1.0, 0.25), (5, 0.5, 0.1)],
            law=_cell_law,
        ),
        prove_best_place={"check": _best_place},
    )
)
