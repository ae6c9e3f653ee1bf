"""The exercises of lesson 08."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from dpviz.exercises.answers import RIGHT
from dpviz.exercises.declared import declarations, makers
from dpviz.exercises.program import Program
from dpviz.lessons.fat_shattering import experiments
from dpviz.papers.fat_shattering import reconstruction
from dpviz.papers.fat_shattering.lower_bounds import exact_epsilon

BETA = 0.1  # of E4


def _fitting() -> int:
    """How many databases of five patients fit all counts of three ill ones within 1."""
    databases = np.array(list(np.ndindex(*[2] * 5)))
    off = np.abs((databases - [1, 1, 1, 0, 0]) @ databases.T).max(axis=1)
    return int((off <= 1).sum())


def _exact_enough(numbers: np.ndarray) -> str:
    """The chance that every rounded count is right."""
    cells, epsilon = numbers
    if cells < 2 or cells != int(cells):
        return "Please take a whole number of cells, at least 2."
    if epsilon <= 0:
        return "ε is above 0."
    chance = max(0.0, 1 - math.exp(-epsilon / 2)) ** cells
    if chance >= 1 - BETA:
        return RIGHT
    if cells > 1000:
        return "All counts must be right, not most of them. Do fewer cells help?"
    return "How often is one cell wrong at this ε? Put it into the formula."


def _reconstruct(queries, answers):
    solution = np.linalg.lstsq(queries, answers, rcond=None)[0]
    return solution > 0.5


def _solved(queries, answers):
    return np.linalg.lstsq(queries, answers, rcond=None)[0]


DECODED = {
    "estimate": _solved,
    "zero": lambda q, a: _solved(q, a) > 0,
    "few": lambda q, a: np.linalg.solve(q[: q.shape[1]], a[: q.shape[1]]) > 0.5,
    "rate": lambda q, a: np.zeros(q.shape[1]),
    "inverse": lambda q, a: _solved(q, a) < 0.5,
}


def _counted(rng, n=24):
    """Random halves of n people, and noisy counts of the ill among them."""
    queries = rng.integers(0, 2, (4 * n, n)).astype(float)
    ill = rng.random(n) < 0.35
    return queries, queries @ ill + rng.normal(0, 0.4, 4 * n)


def _fewest_records(ε: np.ndarray, β: np.ndarray) -> np.ndarray:
    """The smallest number of records between β and 1 − β, if each moves a probability to the limit.

    >>> _fewest_records(np.array([10.0, 1.0]), np.array([0.4, 0.01]))
    array([1., 9.])
    """
    chance = β.copy()
    records = np.zeros_like(β)
    while np.any(late := chance < 1 - β - 1e-12):
        records += late
        moved = np.minimum(np.exp(ε) * chance, 1 - np.exp(-ε) * (1 - chance))
        chance = np.where(late, moved, chance)
    return records


def _shatters(weights: np.ndarray, margin: float, common: bool = False) -> bool:
    """Whether questions show all four patterns on two patients.

    Parameters
    ----------
    weights : array (questions, 2); margin : γ; common : whether both patients must have one level
    """
    ends = np.concatenate([weights - margin, weights + margin])
    first, second = (np.unique(ends),) * 2 if common else map(np.unique, ends.T)
    pairs = zip(first, second, strict=True) if common else product(first, second)
    return any(
        all(
            np.any(np.all(np.where(pattern, weights - level, level - weights) >= margin - 1e-9, 1))
            for pattern in product((True, False), repeat=2)
        )
        for level in map(np.array, pairs)
    )


def _equal_levels(typed: np.ndarray) -> str:
    """Both kinds of shattering, at the margin 0.15."""
    if typed.min() < 0 or typed.max() > 1:
        return "A weight lies between 0 and 1."
    weights = typed.reshape(4, 2)
    if not _shatters(weights, 0.15):
        return "These questions do not show all four patterns with any levels."
    if _shatters(weights, 0.15, common=True):
        return "One common level does. What if the weights of the patients lie far apart?"
    return RIGHT


GUESSED = tuple(declarations(__package__)["predict_larger_error"]["options"])
TWICE = tuple(declarations(__package__)["predict_twice"]["options"])
globals().update(
    makers(
        __name__,
        fitting_databases=lambda: {"number": _fitting()},
        known_diagnoses={"number": 1000 - reconstruction.reconstruction_bound(25, 0.5, spread=0)},
        cells_wrong={"number": reconstruction.reconstruction_bound(0.2, 0.25) // 2 * 2},
        line_to_beat=lambda: {"rate": float(experiments.patients().mean())},
        break_the_proviso={
            "check": _exact_enough,
            "right": f"10, {math.ceil(exact_epsilon(10, beta=BETA))}",
        },
        write_attack=Program(
            solution=_reconstruct,
            slips=DECODED,
            inputs=lambda rng: [_counted(rng) for _ in range(4)],
        ),
        prove_one_count={"most": _fewest_records},
        prove_equal_levels={"check": _equal_levels},
    )
)
