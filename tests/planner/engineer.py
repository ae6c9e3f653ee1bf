"""Twenty questions of an engineer, their plans, and fresh trials about each smallest n."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.comparison import guide
from dpviz.planner import estimates, plans
from dpviz.planner.calls import Call, Case, calls, noise, rehearsed
from dpviz.planner.questions import draw
from dpviz.sweeps.experiment import Experiment

FOLDER = Path(__file__).parent
SEED = 2013
FACTORS = (0.8, 1.0, 1.25)
MANY, FEW = 200, 40
SLOW = ("flight", "heat map", "segments", "hot spot", "three groups")  # a trial takes longer
SLOWEST = ("narrow", "sensors", "lists")  # and of these it draws millions of numbers
REFUSED = -1.0


@lru_cache
def questions() -> dict[str, dict[str, Any]]:
    """What ``dpviz.plan`` is asked, by the name of a question.

    >>> len(questions()), questions()["salary"]["error"]
    (20, 0.01)
    """
    text = (FOLDER / "questions.jsonl").read_text(encoding="utf-8")
    rows = map(json.loads, text.splitlines())
    return {row["name"]: row["how"] for row in rows}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One question by its ``name``; then at ``factor`` times the smallest n of its plan."""

    name: str
    factor: float = 1.0


def case_of(name: str) -> Case:
    """The case of a question."""
    return plans.case_of(**questions()[name])


def trial_plan(params: Asked, *, rng: checks.Seed) -> dict[str, float]:
    """One plan of a question: the place of its winner among the calls, how many are in a tie, the
    place of the best other (-1: there is none), the expected error, and the smallest n (of noise
    alone: the smallest epsilon).
    """
    seed = int(checks.generator(rng).integers(2**31))
    plan = plans.plan(**questions()[params.name], rng=seed)
    options = calls(plan.case.question)
    if plan.winner is None:
        raise ValueError("questions must have an answer")
    others = [each for each in plan.candidates if each.expected is not None]
    others = [each for each in others if each.name != plan.winner.name]
    least = plan.winner.n_expected or plan.winner.epsilon_expected or math.nan
    return {
        "winner": options.index(plan.winner.call),
        "ties": len(plan.ties),
        "other": options.index(others[0].call) if others else REFUSED,
        "expected": float(f"{plan.winner.expected:.4g}"),
        "least": float(f"{least:.5g}"),
    }


def trial_checked(params: Asked, *, rng: checks.Seed) -> dict[str, float]:
    """The error of one fresh trial, on fresh records, at ``factor`` times the smallest n."""
    case, call = case_of(params.name), winner(params.name)
    word = "epsilon" if case.question.kind == "noise" else "n"
    where = estimates.at(case, word, params.factor * planned(params.name)["least"])
    return {"error": _errors([call], where, checks.generator(rng))[0]}


def trial_verdict(params: Asked, *, rng: checks.Seed) -> dict[str, float]:
    """Errors of the winner and of the best other on the same fresh records, at the question's n."""
    case = estimates.smaller(case_of(params.name))
    other = int(planned(params.name)["other"])
    beside = [calls(case.question)[other]] if other >= 0 else []
    errors = _errors([winner(params.name), *beside], case, checks.generator(rng))
    return dict(zip(("error", "other"), [*errors, REFUSED], strict=False))


def _errors(some: list[Call], case: Case, rng: np.random.Generator) -> list[float]:
    """One error of each call on fresh records; ``REFUSED`` where it does not take so few."""
    alone = case.question.kind == "noise"
    data = None if alone else draw(case.question, case.n, rng)
    errors = []
    for call in some:
        if call.misfit(case):
            errors.append(REFUSED)
            continue
        run = noise(call, case, rng) if data is None else rehearsed(call, case, data, rng)
        errors.append(float(f"{run():.4g}"))
    return errors


PLANNED = Experiment(
    name="plans_made",
    shows="The plans of an engineer's twenty questions: who wins, and from which n on.",
    trial=trial_plan,
    params=Asked(name="salary"),
    grid={"name": tuple(questions())},
    repeats=1,
    rng=SEED,
    folder=FOLDER,
)


def _checks(name: str, names: tuple[str, ...], repeats: int) -> Experiment:
    return Experiment(
        name=name,
        shows="Errors in fresh trials at 0.8, 1 and 1.25 times the smallest n of each plan.",
        trial=trial_checked,
        params=Asked(name=names[0]),
        grid={"name": names, "factor": FACTORS},
        repeats=repeats,
        rng=SEED + 1,
        folder=FOLDER,
    )


QUICK = tuple(name for name in questions() if name not in SLOW + SLOWEST)
CHECKED = _checks("plans_checked", QUICK, MANY)
CHECKED_SLOW = _checks("plans_checked_slow", SLOW, FEW)
CHECKED_SLOWEST = _checks("plans_checked_slowest", SLOWEST, FEW)
VERDICTS = replace(
    PLANNED,
    name="plans_verdicts",
    shows="Errors of each plan's winner and of the best other in fresh trials.",
    trial=trial_verdict,
    repeats=FEW,
    rng=SEED + 2,
)
EXPERIMENTS = (PLANNED, CHECKED, CHECKED_SLOW, CHECKED_SLOWEST, VERDICTS)
STORED = (*QUICK, *SLOW, *SLOWEST)


@lru_cache
def planned(name: str) -> dict[str, float]:
    """The stored plan of a question, as :func:`trial_plan` has it."""
    stored = PLANNED.stored()
    place = list(questions()).index(name)
    return {field: float(values[place, 0]) for field, values in stored.values.items()}


def winner(name: str) -> Call:
    """The call that a stored plan takes."""
    return calls(case_of(name).question)[int(planned(name)["winner"])]


def checked(name: str) -> np.ndarray:
    """Errors of the stored fresh trials, infinite for a refusal; (factors, trials)."""
    groups = (CHECKED, CHECKED_SLOW, CHECKED_SLOWEST)
    stored = next(each for each in groups if name in each.grid["name"]).stored()
    errors = stored["error"][list(stored.axes["name"]).index(name)]
    return np.where(errors == REFUSED, np.inf, errors)


def quantiles(name: str) -> np.ndarray:
    """The 1 - beta quantile of the stored fresh trials over the wanted error; (factors,)."""
    errors = checked(name)
    return np.array([guide.quantile(row) for row in errors]) / questions()[name]["error"]


def verdict(name: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Stored errors of a plan's winner in fresh trials, and of the best other; (trials,) each."""
    stored = VERDICTS.stored()
    place = list(questions()).index(name)
    others = stored["other"][place]
    beside = None if (others == REFUSED).all() else np.where(others == REFUSED, np.inf, others)
    return stored["error"][place], beside
