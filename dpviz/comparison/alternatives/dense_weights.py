"""MWEM with weights for all cells (Hardt, Ligett, McSherry 2012), under zCDP, with free passes.

Each round the exponential mechanism names the question whose guess is furthest off, Gaussian noise
measures it, and the weights are moved until they give the measured value. Moving to all older
measurements again is post-processing. Questions have values 0 and 1, so
that a step which gives a measured value exactly multiplies the weights inside the set by one
number and those outside by another: the projection in relative entropy.

Nothing is proved about the error. Rounds were chosen on synthetic records of other seeds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.privacy.curator import Curator

ABOVE = 4.0  # threshold of a question's gap, in 1 / (n epsilon) of its test
LEAST = 1e-4  # of a measured share: a set never loses all of its weight


@dataclass(frozen=True, kw_only=True)
class Params(checks.Declared):
    """Public numbers.

    Attributes
    ----------
    n : int >= 1, records; rounds : int >= 1
    share : float in (0, 1), of rho, for measuring; the rest is for choosing

    >>> Params(n=0)
    Traceback (most recent call last):
    ...
    ValueError: n must be a whole number, at least 1, not 0
    """

    n: checks.Count
    rounds: checks.Count = 20
    share: checks.Share = 0.5


def release(data: np.ndarray, params: Params, curator: Curator, *, queries: Any) -> np.ndarray:
    """Weights of the cells. Costs all of the curator's rho, or of its epsilon.

    Sensitivity. Replacing a record moves each answer by at most 1/n, and so each gap.

    Parameters
    ----------
    data : array (cells,) of counts, private
    curator : of zCDP; or of basic composition, whose epsilon is then divided evenly
    queries : (k, cells) of 0 and 1, an array or a linear operator; public

    Returns an array (cells,), shares that add up to 1.

    >>> curator = Curator(rho=50.0, rng=0)
    >>> release(np.array([900.0, 100.0]), Params(n=1000), curator, queries=np.eye(2)).round(1)
    array([0.9, 0.1])
    """
    shares = np.asarray(data, dtype=float) / params.n
    exact = queries @ shares
    weights = np.full(len(shares), 1 / len(shares))
    choose, measure = _costs(params, curator)
    sets: list[np.ndarray] = []
    values: list[float] = []
    for _ in range(params.rounds):
        gaps = np.abs(exact - queries @ weights)
        worst = curator.choose(gaps, sensitivity=1 / params.n, label="worst guess", **choose)
        question: dict[str, Any] = {"sensitivity": 1 / params.n, "label": "value", **measure}
        verb = curator.gaussian if "rho" in measure else curator.laplace
        noisy = float(verb(float(exact[worst]), **question))
        sets.append(_row(queries, worst))
        values.append(min(max(noisy, LEAST), 1 - LEAST))
        weights = _moved(weights, sets[-1], values[-1])
        for inside, value in zip(sets, values, strict=True):
            weights = _moved(weights, inside, value)
    return weights


def answers(data: np.ndarray, params: Params, curator: Curator, *, queries: Any) -> np.ndarray:
    """Private multiplicative weights (Hardt and Rothblum 2010) under zCDP: one answer at a time.

    Costs all of the curator's rho. Each question is answered before the next is looked
    at: by the weights, unless the sparse vector technique says that they are further off than a
    threshold; then by Gaussian noise, and the weights learn. After ``rounds`` such updates the
    weights answer alone.

    Sensitivity. As in :func:`release`.

    Parameters
    ----------
    data, queries : as in :func:`release`; curator : of zCDP

    Returns an array (k,).

    >>> curator = Curator(rho=50.0, rng=0)
    >>> answers(np.array([900.0, 100.0]), Params(n=1000), curator, queries=np.eye(2)).round(1)
    array([0.9, 0.1])
    """
    exact = queries @ (np.asarray(data, dtype=float) / params.n)
    weights = np.full(queries.shape[1], 1 / queries.shape[1])
    payer = curator.sub_curator(rho=curator.budget.rho, label="one by one")
    each = payer.budget.rho / params.rounds
    step: dict[str, Any] = {"sensitivity": 1 / params.n}
    test = math.sqrt(2 * (1 - params.share) * each)
    how: dict[str, Any] = {"epsilon": test, "positives": params.rounds, "label": "gap", **step}
    gap = payer.above_threshold(ABOVE / (test * params.n), **how)
    found = queries @ weights
    sets: list[np.ndarray] = []
    values: list[float] = []
    start = 0
    while gap.positives_left and start < len(exact):
        first = gap.above_first(np.abs(exact - found)[start:])
        if first is None:
            break
        start += first + 1
        at = start - 1
        noisy = payer.gaussian(exact[at], rho=params.share * each, label="value", **step)
        sets.append(_row(queries, at))
        values.append(min(max(float(noisy), LEAST), 1 - LEAST))
        for number in [-1, *range(len(sets))]:
            weights = _moved(weights, sets[number], values[number])
        found = np.concatenate([found[:at], values[-1:], (queries @ weights)[start:]])
    return found


def _costs(params: Params, curator: Curator) -> tuple[dict[str, float], dict[str, float]]:
    """Budget of one choice and of one measurement.

    Under zCDP a choice at epsilon costs epsilon^2 / 8.
    """
    if curator.composition == "basic":
        each = curator.budget.epsilon / params.rounds
        return {"epsilon": (1 - params.share) * each}, {"epsilon": params.share * each}
    each = curator.budget.rho / params.rounds
    return {"epsilon": math.sqrt(8 * (1 - params.share) * each)}, {"rho": params.share * each}


def _row(queries: Any, number: int) -> np.ndarray:
    """Which cells a question asks for; array (cells,) of 0 and 1."""
    unit = np.zeros(queries.shape[0])
    unit[number] = 1.0
    return np.asarray(queries.T @ unit).round()


def _moved(weights: np.ndarray, inside: np.ndarray, value: float) -> np.ndarray:
    """The nearest weights in relative entropy that give a set this share.

    What lies outside is summed up by itself: as 1 - share it would be all rounding where the share
    is nearly 1, and the weights would add up to something else soon.
    """
    outside = 1 - inside
    share, rest = float(inside @ weights), float(outside @ weights)
    if not LEAST / 10 < share < 1 - LEAST / 10:
        return weights
    return weights * (value / share * inside + (1 - value) / rest * outside)
