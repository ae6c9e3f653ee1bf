"""The exercises of lesson 03."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz.exercises.answers import RIGHT
from dpviz.exercises.declared import makers
from dpviz.exercises.formulas import neighbours
from dpviz.exercises.program import Program
from dpviz.lessons.distance.experiments import SLOPES
from dpviz.lessons.distance.methods import directions


def _gain() -> float:
    """Error at n = 10 000 over that at 100 000, medians of the stored trials.

    >>> 5.6 < _gain() < 6.6
    True
    """
    slopes = SLOPES.stored().select(composition="zcdp")
    small, large = (np.median(slopes.select(n=n)["error"]) for n in (10_000, 100_000))
    return float(small / large)


def _directions() -> dict[str, Any]:
    """Errors of the four methods at d = 5, and who has the smallest of the first three."""
    words = {
        "interactive": "the paper's mechanism",
        "noise": "noise on each answer",
        "constant": "an answer without data",
    }
    at = directions(n=30_000, epsilon=1.0, d=5, k=10_000)
    errors = {name: at.here(name) for name in (*words, "release")}
    return {"right": words[min(words, key=at.here)], **errors}


def _first_above(gaps, threshold, n, *, epsilon, rng):
    level = threshold + rng.laplace(scale=2 / (n * epsilon))
    for i, gap in enumerate(gaps):
        if gap + rng.laplace(scale=4 / (n * epsilon)) >= level:
            return i
    return len(gaps)


def _first_with(
    level=lambda n, epsilon: 2 / (n * epsilon),
    each=lambda n, epsilon: 4 / (n * epsilon),
    redrawn=False,
):
    """The same with other scales (in units of 1/(n epsilon)), or the threshold's drawn anew."""

    def first(gaps, threshold, n, *, epsilon, rng):
        noise = rng.laplace(scale=level(n, epsilon), size=len(gaps) if redrawn else 1)
        above = gaps + rng.laplace(scale=each(n, epsilon), size=len(gaps)) >= threshold + noise
        return int(above.argmax()) if above.any() else len(gaps)

    return first


FIRSTS = {
    "gap": _first_with(each=lambda n, epsilon: 0.0),
    "threshold": _first_with(level=lambda n, epsilon: 0.0),
    "fresh": _first_with(redrawn=True),
    "equal": _first_with(each=lambda n, epsilon: 2 / (n * epsilon)),
    "sum": _first_with(lambda n, epsilon: 2 / epsilon, lambda n, epsilon: 4 / epsilon),
    "inverse": _first_with(lambda n, epsilon: 2 * epsilon / n, lambda n, epsilon: 4 * epsilon / n),
}


def _first_law(out, gaps, threshold, n, *, epsilon, rng):
    """Uniform if the positions have AboveThreshold's probabilities: over 4,000 thresholds."""
    from scipy import stats  # takes longer to load than the lesson's exercises do

    level = threshold + stats.laplace(scale=2 / (n * epsilon)).ppf((np.arange(4000) + 0.5) / 4000)
    below = stats.laplace(scale=4 / (n * epsilon)).cdf(level[:, None] - gaps)
    later = np.cumprod(below, axis=1).mean(axis=0)  # the first lies behind each gap
    reached = np.concatenate([[0.0], 1 - later, [1.0]])
    at = np.clip(out.astype(int), 0, len(gaps))
    placed = rng.uniform(reached[at], reached[at + 1])
    return np.where(out == at, placed, 0.0)


def _least_sum(B: np.ndarray) -> np.ndarray:
    """The least of 1/C² + B √C over 800 numbers C from ½ to 1,000, within a part in 10,000."""
    C = np.geomspace(0.5, 1000, 800)[:, None]
    return np.min(1 / C**2 + B * np.sqrt(C), axis=0)


def _noise_reused(typed: np.ndarray) -> str:
    """Whether the difference of two answers, which holds no noise, is another on the neighbour."""
    data = neighbours(typed[:-2], 0, 1)
    if isinstance(data, str):
        return data
    one, other = (np.abs(own - typed[-2:, None]).mean(axis=1) for own in data)
    if abs(np.diff(one) - np.diff(other))[0] > 1e-9:
        return RIGHT
    return f"On both data sets the two answers differ by {np.diff(one)[0]:.3g}. Try other places."


globals().update(
    makers(
        __name__,
        ten_times_the_records=lambda: {"number": round(_gain(), 1), "gain": _gain()},
        five_columns=_directions,
        write_test=Program(
            solution=_first_above,
            slips=FIRSTS,
            inputs=lambda rng: [
                (np.full(10, 0.3), 0.3, 20, 1.0),
                (np.full(40, 0.1), 0.5, 20, 1.0),
                (rng.uniform(0, 0.2, 12), 0.15, 100, 0.4),
            ],
            law=_first_law,
            runs=6000,  # without noise on the threshold the law is 0.05 and more away
        ),
        prove_balance={
            "least": lambda B: (1 - 1e-4) * _least_sum(B),
            "most": lambda B: 1.01 * _least_sum(B),
        },
        prove_noise_reused={"check": _noise_reused},
    )
)
