"""Calibration of the l1 mechanism (Lemma 3, Theorem 1): updates, threshold, proved error.

**Paper.** Huang and Roth (2014), section 3.1, Lemma 3, and section 3.3.

**Setting.** n records and at most k queries in a box of d coordinates, each rescaled to
[0, 1]; the mechanism of module ``l1`` makes d k checks and at most C = d C_1 updates.

**Idea.** More updates allow a finer hypothesis (an error of g = 2/C_1^2 is enough, Lemma 4) but
leave less budget for each, so its noise grows. The error is 1/C_1^2 + s + tau; take the whole
number C_1 that makes it least.

**Symbols.**

==========  =================  ================================================  ============
paper       here               meaning                                           unit
==========  =================  ================================================  ============
m(alpha)    ``total``          updates that are paid for, C = d C_1              count
alpha / l   ``error``          proved error alpha_1 of each rescaled coordinate  coordinate
(none)      ``gap``            g: every update certifies an exact error above    coordinate
                               it
(none)      ``test_accuracy``  s: accuracy of AboveThreshold                     coordinate
(none)      ``tau``            no noisy tangent is off by more, anywhere         coordinate
c alpha     (none)             the paper's tolerance for both, alpha / (4 l)     coordinate
==========  =================  ================================================  ============

**Departures.** (1) Lemma 3's constant is 3000; here every constant is computed for the noise
that is used (``constants="paper"`` runs the one as stated). (2) zCDP or plain addition of epsilons
where they are better. (3) Answers that stand are shifted to the middle of what is possible,
which is free.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import lru_cache

import numpy as np

from dpviz import checks
from dpviz.papers.distance_queries.mechanism.allocation import MOST, Plan, Task, allocate

MOST_RECORDS = 10**15


def plan(n: int, d: int, k: int, *, epsilon: float, **options: float | str | bool | None) -> Plan:
    """The plan with the least proved error, or that with given ``updates`` and ``share``.

    Proof of the error. Outside an event of probability beta all tests are right up to s
    (``dpviz.privacy.threshold_accuracy``, 2 beta/3) and all noisy tangents up to tau on all of
    [0, 1] (beta/3). A gap above the threshold g + s + tau means a gap above g + tau, so the exact
    tangents learnt so far miss by more than g; then Lemma 4 allows fewer than 1 + sqrt(2/g) =
    1 + C_1 updates in each coordinate. A guess that stands is between tau too high and g + 2 s +
    tau too low; shifted by g/2 + s it is off by at most g/2 + s + tau. A guess after an update
    is off by at most tau. Once all d C_1 updates are used, every coordinate had C_1 of them, so
    no point is off by more than g + tau: the frozen hypothesis keeps the same bound.

    Parameters
    ----------
    n, d, k : int >= 1, records, coordinates, queries
    epsilon : float > 0
    delta : float in [0, 1), default 0, which needs composition "pure"
    beta : float in (0, 1), default 0.05, probability that the error is not kept
    composition : "zcdp", "pure", "advanced"; None (default) for the better of the first two
    updates : int >= 1, C_1; None (default) for the best
    share : float in (0, 1) of the tests; None (default) for the best; "advanced" takes 1/2
    constants : "practical" (default), or "paper" (:func:`paper_plan`), without the two above
    joint : bool, default False; True for one test of the sum and d tangents an update
        (module ``sum_test``)

    Raises
    ------
    ValueError, TypeError
        For arguments out of range.

    >>> best = plan(10_000, 1, 10_000, epsilon=1)
    >>> best.updates, best.error
    (5, 0.0994)
    """
    checks.integer("n", n, at_least=1)
    return plan_for(n, Task(d=d, k=k, epsilon=epsilon, **options))


def smallest_n(
    alpha: float, *, width_total: float | None = None, **task: float | str | bool | None
) -> int:
    """The least n from which the sum over coordinates is answered with error ``alpha``, proved.

    Parameters
    ----------
    alpha : float > 0, in the unit of the box
    width_total : float > 0, sum of the widths of the box; None for d
    task : as in :func:`plan`, by name

    Raises ``ValueError`` if even 10^15 records are too few.

    >>> smallest_n(0.1, d=1, k=10_000, epsilon=1)
    9899
    """
    task, alpha = Task(**task), checks.number("alpha", alpha, above=0)
    width = checks.number("width_total", width_total or task.d, above=0)
    few, enough = 0, 1
    while plan_for(enough, task).error * width > alpha:
        few, enough = enough, 2 * enough
        if enough > MOST_RECORDS:
            raise ValueError(f"alpha must be larger: {alpha!r} needs more than 10^15 records")
    while enough - few > 1:
        n = (few + enough) // 2
        few, enough = (few, n) if plan_for(n, task).error * width <= alpha else (n, enough)
    return enough


def check_alpha(alpha: float, n: int, task: Task, *, width_total: float) -> None:
    """Raise ``ValueError`` unless ``alpha`` is proved with n records; say how many would do.

    >>> check_alpha(0.1, 10_000, Task(d=1, k=10_000, epsilon=1), width_total=1)
    """
    reached = width_total * plan_for(n, task).error
    if checks.number("alpha", alpha, above=0) < reached:
        enough = smallest_n(alpha, width_total=width_total, **asdict(task))
        raise ValueError(
            f"alpha must be at least {reached:.4g} with n = {n}; "
            f"{alpha:g} can be proved from n = {enough} on"
        )


def paper_alpha(n: int, task: Task) -> float:
    """Lemma 3 with the 3000 it states, for Lemma 6 (m(alpha) = 3 d^1.5 / sqrt(alpha)), solved.

    Pure: (72000 d^3.5 ln(k/beta) / (n epsilon))^(2/3); with delta:
    (12000 sqrt(6) d^2.25 ln(4/delta) ln(k/beta) / (n epsilon))^(4/5). For the cube [0, 1]^d.

    >>> paper_alpha(10**6, Task(d=1, k=10**4, epsilon=1, delta=1e-6))
    3.88
    """
    d, logs = task.d, math.log(task.k / task.beta) / (n * task.epsilon)
    if task.compositions[0] == "pure":
        return (72_000 * d**3.5 * logs) ** (2 / 3)
    return (12_000 * math.sqrt(6) * d**2.25 * math.log(4 / task.delta) * logs) ** 0.8


def paper_plan(n: int, task: Task) -> Plan:
    """The sizes that the paper's proof gives, alpha_1 = alpha / d: private as any other plan.

    Threshold 3 alpha_1 / 4, noises within alpha_1 / 4, so each update certifies an error
    of alpha_1 / 4; half of the budget for the tests, no shift.

    Raises ``ValueError`` if the noises are larger than that: then 3000 would be too small.

    >>> paper_plan(10**6, Task(d=1, k=10**4, epsilon=1)).error
    0.69
    """
    alpha = paper_alpha(n, task) / task.d
    updates = max(1, math.ceil(1 + math.sqrt(8 / alpha)) - 1)
    half = replace(task, share=0.5, constants="practical")
    one = allocate(n, half, task.compositions[0], np.array([updates]))
    sizes = {name: float(value[0]) for name, value in one.items()}
    if sizes["test_accuracy"] + sizes["tau"] > alpha / 2:
        raise ValueError("beta must be larger: the paper's constants do not cover this one")
    gap = 0.75 * alpha - sizes["test_accuracy"] - sizes["tau"]
    error = 0.75 * alpha + sizes["test_accuracy"]
    return _made(task, task.compositions[0], updates, sizes, gap, 0.75 * alpha, 0.0, error)


@lru_cache(maxsize=4096)
def plan_for(n: int, task: Task) -> Plan:
    """The best over compositions and numbers of updates."""
    if task.constants == "paper":
        return paper_plan(n, task)
    return min((_best(n, task, each) for each in task.compositions), key=lambda plan: plan.error)


def _best(n: int, task: Task, composition: str) -> Plan:
    """The best number of updates in one composition."""

    def error(updates: np.ndarray) -> np.ndarray:
        sizes = allocate(n, task, composition, updates)
        return 1 / updates**2 + sizes["test_accuracy"] + sizes["tau"]

    updates = task.updates or (
        _unimodal_minimum if composition == "advanced" else _scanned_minimum
    )(error)
    one = allocate(n, task, composition, np.array([updates]))
    sizes = {name: float(value[0]) for name, value in one.items()}
    gap, noise = 2 / updates**2, sizes["test_accuracy"] + sizes["tau"]
    shift = gap / 2 + sizes["test_accuracy"]
    return _made(task, composition, updates, sizes, gap, gap + noise, shift, gap / 2 + noise)


def _made(
    task: Task,
    composition: str,
    updates: int,
    sizes: dict[str, float],
    gap: float,
    threshold: float,
    shift: float,
    error: float,
) -> Plan:
    """All fields of a plan."""
    public = {"composition": composition, "updates": updates, "total": task.d * updates}
    lengths = {"gap": gap, "threshold": threshold, "shift": shift, "error": error}
    return Plan(**public, **sizes, **lengths)


def _scanned_minimum(error: Callable[[np.ndarray], np.ndarray]) -> int:
    """The best of all numbers of updates: the noises grow with it, so at some point none is left.

    >>> _scanned_minimum(lambda u: 1 / u**2 + u / 1000)
    13
    """
    first, size, best, least = 1, 64, 1, math.inf
    while first <= MOST:
        updates = np.arange(first, first + size)
        errors = error(updates)
        if errors.min() < least:
            best, least = first + int(errors.argmin()), float(errors.min())
        if errors[-1] - 1 / updates[-1] ** 2 >= least:
            break
        first, size = first + size, 4 * size
    return best


def _unimodal_minimum(error: Callable[[np.ndarray], np.ndarray]) -> int:
    """The minimum of an error that falls, then rises, by bisection on its steps.

    >>> _unimodal_minimum(lambda u: 1 / u**2 + u / 1000)
    13
    """
    first, last = 1, 2
    while last < MOST // 4 and error(np.array([last])) < error(np.array([last // 2])):
        last *= 2
    while first < last:
        middle = (first + last) // 2
        here, there = error(np.array([middle, middle + 1]))
        first, last = (middle + 1, last) if there < here else (first, middle)
    return first
