"""The exercises of lesson 09."""

from __future__ import annotations

import numpy as np

from dpviz import accounting
from dpviz.comparison import calculator, guide, smallest
from dpviz.exercises.answers import RIGHT
from dpviz.exercises.declared import makers
from dpviz.exercises.program import Program


def _eighths(numbers: np.ndarray) -> str:
    """Of ten errors the eighth."""
    if np.allclose(numbers, [7, 9]):
        return RIGHT
    if np.allclose(numbers, [12, 9]):
        return "Those are the ninth ones, which one error in ten exceeds. Now it may be two?"
    if np.allclose(numbers, [5, 8]):
        return "Those are the medians, which half of the errors exceed. How many may it be here?"
    if np.allclose(numbers, [9, 7]):
        return "Which of the two was asked for first?"
    return "How many of the ten errors are larger than yours, of A and of B?"


def _tenth() -> dict[str, float]:
    """Gaussian noise at a tenth of epsilon, at epsilon, and the ratio of the two."""
    small, large = (accounting.gaussian_sd(epsilon=epsilon, delta=1e-6) for epsilon in (0.1, 1.0))
    return {"small": small, "large": large, "ratio": round(small / large, 2)}


def _proved() -> dict[str, float]:
    """How many times as large as a measured n the proved one is."""
    task = smallest.task_of("linear, histogram")
    return {"ratio": calculator.smallest_n(**task) / smallest.found_n()["linear, histogram"]}


def _smallest_of(n, errors, alpha, beta):
    enough = (errors > alpha).mean(axis=1) <= beta  # at each n
    on = np.logical_and.accumulate(enough[::-1])[::-1]  # and at all larger ones
    return n[on][0] if on.any() else 0


def _first(n, errors, alpha, beta):
    enough = (errors > alpha).mean(axis=1) <= beta
    return n[enough][0] if enough.any() else 0


def _by(statistic):
    """The smallest n by another statistic of the trials."""

    def found(n, errors, alpha, beta):
        enough = statistic(errors) <= alpha
        on = np.logical_and.accumulate(enough[::-1])[::-1]
        return n[on][0] if on.any() else 0

    return found


SMALLEST = {
    "first": _first,
    "median": _by(lambda errors: np.median(errors, axis=1)),
    "mean": _by(lambda errors: errors.mean(axis=1)),
    "most": _by(lambda errors: errors.max(axis=1)),
    "least": _by(lambda errors: errors.min(axis=1)),
}


def _measured(rng: np.random.Generator) -> list[tuple]:
    """Errors that fall with n, with a lucky n in between; the last case never holds."""
    n = np.array([100, 200, 400, 800, 1600, 3200])
    cases = []
    for scale, alpha in ((40.0, 0.25), (20.0, 0.08), (60.0, 0.1), (900.0, 0.05)):
        errors = scale / n[:, None] * rng.exponential(size=(6, 40))
        errors[1] = min(alpha, scale / 400) / 2  # luck
        cases.append((n, errors, alpha, 0.1))
    return cases


def _better_of_two(typed: np.ndarray) -> str:
    """On which side a noisy answer can be published."""
    n, count, other, y = typed
    if min(count, other) < 0 or max(count, other) > n or any(typed[:3] % 1):
        return "Counts are whole numbers from 0 to n."
    if abs(count - other) != 1:
        return "A neighbour's count differs by 1."
    if y == n / 2:
        return "The answer n/2 is always possible. Take another."
    here, there = (abs(y - c) < abs(n / 2 - c) for c in (count, other))
    if here != there:
        return RIGHT
    return f"This y is {'possible' if here else 'impossible'} on both. How near to c must it be?"


globals().update(
    makers(
        __name__,
        hand_quantiles={"check": _eighths},
        tenth_of_epsilon=_tenth,
        predict_selected=lambda: {"gain": guide.selected_gain()},
        predict_proved=_proved,
        write_smallest=Program(solution=_smallest_of, slips=SMALLEST, inputs=_measured),
        prove_better_of_two={"check": _better_of_two},
    )
)
