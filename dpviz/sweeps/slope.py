"""Fitted exponents: the slope of a log-log line through trials, with its uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz import checks


@dataclass(frozen=True)
class Slope:
    """A fitted log-log slope and its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


def fit(
    x: Sequence[float],
    trials: np.ndarray,
    *,
    rng: checks.Seed,
    q: float = 0.5,
    resamples: int = 1000,
) -> Slope:
    """Least-squares slope of log(quantile ``q`` of the trials) against log(x).

    The bootstrap draws the trials at each point anew; where there is one trial a point, it
    draws the residuals of the fit instead.

    Parameters
    ----------
    x : positive numbers, (points,); trials : positive numbers, (points, repeats)
    rng : seed or Generator, for the bootstrap; q : float in [0, 1]; resamples : int >= 1

    >>> line = fit([1, 10, 100], np.array([[3.0], [0.3], [0.03]]), rng=0)
    >>> round(line.value, 6), round(line.high - line.low, 6)
    (-1.0, 0.0)
    """
    rng, resamples = checks.generator(rng), checks.integer("resamples", resamples, at_least=1)
    x, trials = np.log(np.asarray(x, dtype=float)), np.asarray(trials)
    y = np.log(np.quantile(trials, q, axis=1))
    intercept, slope = np.polynomial.polynomial.polyfit(x, y, 1)
    if trials.shape[1] == 1:
        line = intercept + slope * x
        ys = line + rng.choice(y - line, (resamples, len(y)))
    else:
        draws = rng.integers(trials.shape[1], size=(resamples, *trials.shape))
        ys = np.log(np.quantile(np.take_along_axis(trials[None], draws, axis=2), q, axis=2))
    slopes = np.polynomial.polynomial.polyfit(x, ys.T, 1)[1]
    return Slope(float(slope), *np.quantile(slopes, [0.025, 0.975]).tolist())
