"""The mechanisms beside a question: what each proves, how far off its runs are, from which n on."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.comparison import guide
from dpviz.planner import estimates
from dpviz.planner.calls import Call, Case, calls, noise, rehearsed
from dpviz.planner.questions import draw

LONG = 3.0  # seconds of simulation that one mechanism of several may take
SEARCH = 9  # steps that a search takes, about


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidate:
    """One mechanism beside the question; all of it public.

    Attributes
    ----------
    call : how it is run
    misfit : why it cannot take the case; "" if it can
    proved : error with probability 1 - beta at n; None where nothing is proved
    expected : 1 - beta quantile of the error: at n where its law is known, else of runs on public
        records; None where it was not run, because it takes long
    fewer : n of these runs, where it is less than that of the question
    level : expected error at the n of the runs, which is the same for all; infinite if it was not
        run
    runs : how many; 0 where the noise is all of the error, whose quantile is exact
    errors : array (runs,) of them
    n_proved, epsilon_proved : the least from which on the wanted error is proved; infinite: never;
        None: nothing is proved, or no error is wanted
    n_expected, epsilon_expected : the same of the quantile of runs
    seconds, memory : of one run on this machine, about
    """

    call: Call
    misfit: str = ""
    proved: float | None = None
    expected: float | None = None
    fewer: int | None = None
    level: float = math.inf
    runs: int = 0
    errors: NDArray = field(default_factory=lambda: np.empty(0), repr=False)
    n_proved: float | None = None
    n_expected: float | None = None
    epsilon_proved: float | None = None
    epsilon_expected: float | None = None
    seconds: float | None = None
    memory: float | None = None

    @property
    def name(self) -> str:
        """The mechanism, in the field's words."""
        return self.call.name

    def error(self, at: Case) -> float:
        """The expected error at the simulated n; what is proved there if it was not run."""
        return self.call.proved(at) if self.expected is None else self.level


def simulating(call: Call, case: Case) -> float:
    """About how many seconds the runs for one quantile take; 0 where it is known."""
    return 0.0 if call.is_exact else estimates.seconds(call, case) * estimates.runs(call, case)


def searching(call: Call, case: Case) -> float:
    """About how many seconds one search takes."""
    return SEARCH * estimates.seconds(call, case) * estimates.search_runs(call, case)


def quick(case: Case) -> list[Call]:
    """The calls that are simulated: those that take ``LONG`` at most, else the quickest."""
    times = {call: simulating(call, case) for call in calls(case.question) if not call.misfit(case)}
    most = max(LONG, min(times.values(), default=LONG))
    return [call for call, time in times.items() if time <= most]


def tried(
    call: Call,
    case: Case,
    at: Case,
    *,
    is_run: bool,
    error: float | None,
    rng: np.random.Generator,
    sample: NDArray | None,
) -> Candidate:
    """One mechanism: what is proved at the case's n, and for the wanted ``error``; if it is run,
    what is expected: at that n if the law of the error is known, else with as many records as are
    simulated (``at``)."""
    if reason := call.misfit(case):
        return _with_least(Candidate(call=call, misfit=reason), case, error)
    candidate = Candidate(call=call, proved=_finite(call.proved(case)))
    if is_run:
        count = estimates.RUNS if call.is_exact else estimates.runs(call, at)
        errors = estimates.simulated(call, at, count, rng=rng, sample=sample)
        if call.is_exact:
            run = noise(call, at, rng)
            known = math.inf if case.question.kind == "noise" else 1.0
        else:
            run = rehearsed(call, at, draw(case.question, at.n, rng, sample), rng)
            known = guide.quantile(errors, case.beta)
        seconds, memory = estimates.cost(run)
        level = min(known, call.proved(at))  # a proof bounds it better than unlucky runs
        candidate = replace(
            candidate,
            expected=min(known, call.proved(case)) if call.is_exact else level,
            fewer=None if call.is_exact or at.n == case.n else at.n,
            level=level,
            runs=0 if call.is_exact else count,
            errors=errors,
            seconds=seconds,
            memory=memory,
        )
    return _with_least(candidate, case, error)


def _finite(proved: float) -> float | None:
    return proved if math.isfinite(proved) else None


def _with_least(candidate: Candidate, case: Case, error: float | None) -> Candidate:
    """With the least n and epsilon of the proved error, unless nothing is proved at any n."""
    call = candidate.call
    far = estimates.at(case, "n", estimates.LIMITS["n"][1])
    if error is None or (candidate.proved is None and not math.isfinite(call.proved(far))):
        return candidate
    least = {
        f"{word}_proved": estimates.proved_least(call, case, error, word)
        for word in (("epsilon",) if case.question.kind == "noise" else ("n", "epsilon"))
    }
    if call.is_exact:
        least |= {name.replace("proved", "expected"): value for name, value in least.items()}
    return replace(candidate, **least)


def searched(
    winner: Candidate,
    at: Case,
    error: float,
    *,
    seed: int,
    sample: NDArray | None,
    progress: bool,
) -> Candidate:
    """With the least n and epsilon of the expected error; a proved one is one, too."""
    if winner.call.is_exact or winner.expected is None:
        return winner
    least: dict[str, Any] = {}
    for word in ("n", "epsilon"):
        if word == "epsilon" and searching(winner.call, at) > 4 * LONG:
            continue
        how: dict[str, Any] = {"seed": seed, "sample": sample, "progress": progress}
        simulated = estimates.least(winner.call, at, error, word, **how)
        proved = getattr(winner, f"{word}_proved")
        least[f"{word}_expected"] = min(simulated, math.inf if proved is None else proved)
    return replace(winner, **least)


def is_better(best: Candidate, other: Candidate, beta: float) -> bool:
    """Whether one is clearly better: by what is known of both, else by their runs."""
    if best.call.is_exact and other.call.is_exact:
        return best.level < other.level
    return is_clear(best.errors, other.errors, beta)


def is_clear(errors: NDArray, others: NDArray, beta: float) -> bool:
    """Whether errors are clearly smaller, in as many runs of both: by ``guide.is_clear``, or
    because the 1 - beta quantiles are farther apart than luck moves them."""
    count = min(len(errors), len(others))
    ours, theirs = errors[:count], others[:count]
    luck = 2 * math.sqrt(count * beta * (1 - beta))  # two standard deviations, in places
    last = math.ceil((1 - beta) * count + luck)
    first = max(1, math.floor((1 - beta) * count - luck))
    apart = last <= count and np.sort(ours)[last - 1] < np.sort(theirs)[first - 1]
    return bool(apart) or guide.is_clear(ours, theirs)
