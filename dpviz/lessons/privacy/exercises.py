"""The exercises of lesson 01."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz.accounting import pure_advanced, pure_basic, pure_exact, zcdp_epsilon, zcdp_pure
from dpviz.audit.broken_mechanisms import released_loss
from dpviz.exercises.answers import RIGHT
from dpviz.exercises.declared import makers
from dpviz.exercises.program import Program, by_spread, laplace
from dpviz.privacy.curator import BudgetExceeded, Curator

N, UPPER = 569, 30.0  # patients; public bound of the radius

WANTED = {  # E4: what is asked -> how far one record moves it, and the noise (sd) one can bear
    "how many tumours are malignant": (1.0, 10.0),
    "the mean radius, clipped to [0, 30]": (UPPER / N, 0.5),
    "how many radii lie above 15": (1.0, 5.0),
    "the share of patients whose radius lies above 20": (1.0 / N, 0.01),
    "a histogram of the radii, ten bins": (2.0, 30.0),
}


def _two_counts(typed: np.ndarray) -> str:
    """Both exactly."""
    if typed.tolist() == [2, 1]:
        return RIGHT
    other = "How many cells change, and by how much each?"
    return "Does the new record go into no cell?" if typed[0] == typed[1] else other


def _totals() -> dict[str, float]:
    """E2: what twenty answers at ε = 0.1 cost together by each rule."""
    answers = {"epsilon": 0.1, "k": 20}
    return {
        "basic": pure_basic(**answers),
        "zcdp": zcdp_epsilon(rho=20 * zcdp_pure(epsilon=0.1), delta=1e-6),
        "advanced": pure_advanced(**answers, delta=1e-6),
        "exact": pure_exact(**answers, delta=1e-6),
    }


def _share(typed: np.ndarray) -> str:
    """Exactly 4 parts of 8; the slips are other powers and other sums."""
    said = {
        4 / 8: RIGHT,
        2 / 6: "ρ goes with the sd to which power?",
        1 / 5: "Are all five equal?",
        4 / 5: "Of all five, or compared with one of the others?",
        2 / 3: "How many others are there?",
        1 / 17: "Does less noise cost less?",
    }
    near = [words for share, words in said.items() if abs(typed[0] - share) < 0.004]
    if typed[0] == 4 / 8 or (near and near[0] != RIGHT):
        return near[0]
    other = "Not this one. What are the five parts, in units of the smallest?"
    return other if 0 < typed[0] < 1 else "A share lies between 0 and 1."


def _needed() -> dict[str, Any]:
    """E4: the list of answers, and the smallest epsilon that each of them needs."""
    rows = "".join(f"<li>{what}: noise sd at most {sd:g}</li>" for what, (_, sd) in WANTED.items())
    needs = [math.sqrt(2) * moved / sd for moved, sd in WANTED.values()]
    needed = ", ".join(f"{epsilon:.3f}" for epsilon in needs)
    return {"check": _spend, "rows": rows, "needed": needed, "total": sum(needs)}


def _spend(typed: np.ndarray) -> str:
    """Let a curator charge it all; then compare the noise with what can be borne."""
    if typed.min() <= 0:
        return "Each ε must be above 0: an answer without any has noise without end."
    curator = Curator(epsilon=1.0, rng=N)
    try:
        for epsilon, (what, (moved, _)) in zip(typed, WANTED.items(), strict=True):
            curator.laplace(0.0, sensitivity=moved, epsilon=float(epsilon), label=what)
    except BudgetExceeded:
        return f"The curator refuses {typed.sum():.3g} in all. Which answers are finer than asked?"
    bearable = np.array([sd for _, sd in WANTED.values()])
    scales = np.array([charge.scale for charge in curator.ledger.charges])
    return _noisy(typed, scales / bearable)


def _noisy(typed: np.ndarray, scales: np.ndarray) -> str:
    """Which answers are too noisy, and what their noise has in common; scales in tolerances."""
    late = np.flatnonzero(math.sqrt(2) * scales > 1 + 1e-9)
    if not len(late):
        return RIGHT
    which = ", ".join(str(i + 1) for i in late)
    if np.ptp(typed) < 1e-9:
        return f"Too noisy: {which}. Equal parts: are the five equally hard?"
    if (scales[late] <= 1 + 1e-9).all():
        return f"Too noisy: {which}. Is a tolerance a scale or a standard deviation?"
    if late.tolist() == [len(typed) - 1]:
        return f"Too noisy: {which}. How many bins does one replaced record change?"
    return f"Too noisy: {which}. How far does one record move it, and what is divided by what?"


def _private_mean(data, lower, upper, *, epsilon, rng):
    mean = np.clip(data, lower, upper).mean()
    return mean + rng.laplace(scale=(upper - lower) / (len(data) * epsilon))


def _mean_with(factor=lambda n, e, spread, upper: 1, clip=True, noise="laplace"):
    """A mean whose noise is so many times as wide, of another law, or not clipped."""

    def mean(data, lower, upper, *, epsilon, rng):
        kept = np.clip(data, lower, upper) if clip else data
        width = upper - lower
        wide = factor(len(data), epsilon, np.ptp(data) / width, upper / width)
        return kept.mean() + getattr(rng, noise)(scale=wide * width / (len(data) * epsilon))

    return mean


MEANS = {
    "sum": _mean_with(lambda n, e, spread, upper: n),
    "inverse": _mean_with(lambda n, e, spread, upper: e**2),
    "spread": _mean_with(lambda n, e, spread, upper: spread),
    "upper": _mean_with(lambda n, e, _, upper: upper),
    "unclipped": _mean_with(clip=False),
    "normal": _mean_with(noise="normal"),
}


def _above_again(typed: np.ndarray) -> str:
    """The log-ratio of a stream of answers, with one noise on the threshold for all checks."""
    if len(typed) % 3 != 1 or len(typed) < 4:
        return "Please type three numbers for each check, and last the number of repetitions."
    block, times = typed[:-1].reshape(-1, 3), typed[-1]
    if times not in range(1, 1001) or not set(block[:, 2]) <= {0, 1}:
        return "An answer is 0 or 1, and there are 1 to 1,000 repetitions."
    if np.abs(block[:, :2]).max() > 20:
        return "Please keep the values between −20 and 20."
    if np.abs(block[:, 0] - block[:, 1]).max() > 1:
        return "Between neighbours a check moves by at most 1."
    loss = _threshold_loss(block[:, :2].T, block[:, 2], int(times))
    if abs(loss) > 1 + 1e-6:
        return RIGHT
    return f"The logarithm of the ratio is {loss:.2f}, within ±1. What do opposite answers do?"


def _threshold_loss(values: np.ndarray, above: np.ndarray, times: int) -> float:
    """Log-ratio of the probabilities of answers that share one noisy threshold, by a sum over it.

    Parameters
    ----------
    values : array (2, k), of the checks on two data sets
    above : array (k,), 1 where the answer is above
    times : how often these checks and answers are repeated
    """
    places = np.linspace(-80, 80, 16_001)[:, None]
    logs = []
    for own in values:
        gap = (own - places) / 4
        tail = -np.abs(gap) - math.log(2)  # log-probability of the rarer answer
        often = np.log1p(-np.exp(tail))
        answers = np.where((gap > 0) == (above > 0), often, tail)
        total = times * answers.sum(axis=1) - np.abs(places[:, 0]) / 2
        logs.append(np.logaddexp.reduce(total))
    return float(logs[0] - logs[1])


globals().update(
    makers(
        __name__,
        predict_histogram={"check": _two_counts},
        smallest_total=_totals,
        share_of_rho={"check": _share},
        spend_budget=_needed,
        break_the_vector=lambda: {
            "losses": ", ".join(f"{released_loss(k, 4.0):g}" for k in (10, 100, 300))
        },
        write_mean=Program(
            solution=_private_mean,
            slips=MEANS,
            inputs=lambda rng: [
                (rng.normal(20, 9, 40), 5.0, 30.0, 0.5),
                (rng.normal(-2, 3, 90), -10.0, 5.0, 2.0),
                (rng.normal(16, 6, 60), 10.0, 20.0, 20.0),
            ],
            law=lambda out, data, lower, upper, *, epsilon, rng: laplace(
                out, np.clip(data, lower, upper).mean(), (upper - lower) / (len(data) * epsilon)
            ),
            runs=6000,  # a normal law of that scale is 0.045 away
            otherwise=by_spread,
        ),
        prove_above_again={"check": _above_again},
    )
)
