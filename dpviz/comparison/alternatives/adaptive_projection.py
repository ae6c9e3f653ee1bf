"""Adaptive projection: measure the questions that are furthest off, project, look again (RAP).

Of many public questions only those are measured whose guesses are wrong: each round the
exponential mechanism names some of them, Gaussian noise measures these together, and the guess
becomes the nearest shares to everything that was measured so far, which is free. With one round
that measures all it is the projected Gaussian mechanism; measured one by one it is near to MWEM.

After the relaxed adaptive projection of Aydore, Brown, Kearns, Kenthapadi, Melis, Roth and Siva
(2021; the abstract was read). Their relaxation of records to points of a box is for cells that
cannot be listed; here they are listed, so the projection is on their shares themselves. Rounds
and questions a round were chosen on synthetic records of other seeds; nothing is proved about the
error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.comparison.alternatives import factorization
from dpviz.privacy.curator import Curator


@dataclass(frozen=True, kw_only=True)
class Params(checks.Declared):
    """Public numbers.

    Attributes
    ----------
    n : int >= 1, records; rounds : int >= 1; each : int >= 1, questions measured in a round
    share : float in (0, 1), of rho, for measuring; the rest is for choosing

    >>> Params(n=0)
    Traceback (most recent call last):
    ...
    ValueError: n must be a whole number, at least 1, not 0
    """

    n: checks.Count
    rounds: checks.Count = 2
    each: checks.Count = 250
    share: checks.Share = 0.7


def release(data: np.ndarray, params: Params, curator: Curator, *, queries: Any) -> np.ndarray:
    """Shares of the cells. Costs all of the curator's rho.

    Sensitivity. Replacing a record moves each answer by at most 1/n, and so each gap; the answers
    that are measured together move by their joint sensitivity, which is computed of the questions
    that were named. Under zCDP a choice at epsilon costs epsilon^2 / 8. Questions are named without
    repetition; where no more are left than a round measures, all of its rho measures these.

    Parameters
    ----------
    data : array (cells,) of counts, private; curator : of zCDP
    queries : (k, cells) of 0 and 1, an array or
        :func:`~dpviz.comparison.alternatives.factorization.questions`; public

    Returns an array (cells,), shares that add up to 1.

    >>> curator = Curator(rho=50.0, rng=0)
    >>> params = Params(n=1000, rounds=1, each=2)
    >>> release(np.array([900.0, 100.0]), params, curator, queries=np.eye(2)).round(1)
    array([0.9, 0.1])
    """
    exact = queries @ (np.asarray(data, dtype=float) / params.n)
    rounds = min(params.rounds, math.ceil(len(exact) / params.each))
    rho = curator.budget.rho / rounds
    shares = np.full(queries.shape[1], 1 / queries.shape[1])
    left = np.arange(len(exact))
    named = np.empty(0, dtype=int)
    values = np.empty(0)
    for _ in range(rounds):
        chosen = left
        measuring = rho
        if len(left) > params.each:
            measuring = params.share * rho
            chosen = _worst(
                np.abs(exact - queries @ shares), left, params, curator, rho - measuring
            )
        left = np.setdiff1d(left, chosen)
        moved = factorization.part(queries, chosen)[1] / params.n
        noisy = curator.gaussian(exact[chosen], sensitivity=moved, rho=measuring, label="values")
        named = np.append(named, chosen)
        values = np.append(values, noisy)
        shares = factorization.nearest_shares(factorization.part(queries, named)[0], values)
    return shares


def _worst(
    gaps: np.ndarray, left: np.ndarray, params: Params, curator: Curator, rho: float
) -> np.ndarray:
    """Numbers of the questions of a round, named one after another of those that are left."""
    cost: dict[str, Any] = {"sensitivity": 1 / params.n, "label": "worst guess"}
    epsilon = math.sqrt(8 * rho / params.each)
    chosen = []
    for _ in range(params.each):
        place = curator.choose(gaps[left], epsilon=epsilon, **cost)
        chosen.append(left[place])
        left = np.delete(left, place)
    return np.array(chosen)
