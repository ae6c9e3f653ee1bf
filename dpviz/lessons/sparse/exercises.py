"""The exercises of lesson 05."""

from __future__ import annotations

import numpy as np

from dpviz.exercises.answers import RIGHT
from dpviz.exercises.declared import declarations, makers
from dpviz.exercises.formulas import neighbours
from dpviz.exercises.program import Program
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import (
    mistake_bound,
    paper_size,
    size_rule,
)


def _allowed(size: int) -> dict[str, int]:
    """So many indices for lists of 50 names, and the updates that they allow at alpha = 0.1."""
    return {"size": size, "updates": mistake_bound(size, 0.1, "best")}


def _growth() -> dict[str, float]:
    """Allowed updates at two alphas with the fewest indices, and the ratio of these."""
    larger = size_rule(50, 0.05)
    more, fewer = mistake_bound(larger, 0.05, "best"), _allowed(size_rule(50, 0.1))
    return fewer | {"larger": larger, "more": more, "ratio": round(more / fewer["updates"], 2)}


def _update(weights, level, free, asked, fresh, step):
    weights = np.append(weights, np.full(fresh, level))  # an index for each new name
    asked = np.append(asked, np.ones(fresh))
    weights = weights * np.exp(step * asked)
    total = weights.sum() + (free - fresh) * level
    return np.append(weights, level) / total


def _update_with(factor=np.exp, left=lambda free, fresh: free - fresh, scaled=True):
    """The update with another factor, another count of free indices, or the level as it was."""

    def updated(weights, level, free, asked, fresh, step):
        weights, asked = np.append(weights, np.full(fresh, level)), np.append(asked, np.ones(fresh))
        weights = np.where(asked > 0, weights * factor(step), weights)
        total = weights.sum() + left(free, fresh) * level
        return np.append(weights / total, level / total if scaled else level)

    return updated


UPDATES = {
    "indexed": _update_with(left=lambda free, fresh: 0),
    "free": _update_with(left=lambda free, fresh: free),
    "level": _update_with(scaled=False),
    "sign": _update_with(factor=lambda step: np.exp(-step)),
    "linear": _update_with(factor=lambda step: 1 + step),
}


def _enough_indices(m: np.ndarray, α: np.ndarray) -> np.ndarray:
    """The number from which on S is at least m (ln S / (2 α²) + 1) + 1, by repeated insertion.

    >>> S = _enough_indices(np.array([1.0]), np.array([0.5]))
    >>> bool(np.isclose(S, 2 * np.log(S) + 2)[0])
    True
    """
    size = 8 * m / α**2 * np.log(8 * m / α**2)  # larger than it, so it falls to it
    for _ in range(200):
        size = m * (np.log(size) / (2 * α**2) + 1) + 1
    return size


def _true_update(typed: np.ndarray) -> str:
    """Run check, update and second answer without noise, given that the check said above."""
    data = neighbours(typed, 1, 4)
    if isinstance(data, str):
        return data
    if set(typed) - {1, 2, 3, 4}:
        return "A record is one of the names 1, 2, 3 and 4."
    weights = [np.full(4, 0.25) for _ in data]
    answers = []
    for own, hypothesis in zip(data, weights, strict=True):
        share, guess = np.mean(own == 1), hypothesis[0]
        hypothesis[0] *= share / guess
        hypothesis[1:] *= (1 - share) / (1 - guess)
        answers.append(hypothesis[0])
    if abs(answers[0] - answers[1]) > 1e-9:
        return RIGHT
    return f"The second answer is {answers[0]:.3g} on both. Which record does the list see?"


MECHANISMS = tuple(declarations(__package__)["predict_winner"]["options"])
globals().update(
    makers(
        __name__,
        predict_updates=lambda: _allowed(paper_size(50, 0.1)),
        least_indices=lambda: {"number": size_rule(1, 0.5)},
        predict_alpha=_growth,
        write_update=Program(
            solution=_update,
            slips=UPDATES,
            inputs=lambda rng: [
                (np.full(6, 0.06), 0.08, 8, rng.permutation([1, 1, 0, 0, 0, 1]), fresh, step)
                for fresh, step in ((2, 0.3), (0, -0.4), (3, 0.1), (1, 0.9))
            ],
        ),
        prove_enough_indices={"least": _enough_indices},
        prove_true_update={"check": _true_update},
    )
)
