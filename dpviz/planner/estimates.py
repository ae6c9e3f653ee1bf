"""How far off a call is: the 1 - beta quantile of runs on public records; from which n on.

Statements: lesson Definition 9.1.

How many runs, and on how many records, hangs on public numbers alone and never on a clock; so the
same seed gives the same plan on every machine.
"""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.comparison import calculator, guide
from dpviz.planner.calls import Call, Case, rehearsed
from dpviz.planner.questions import Data, draw

RUNS = 200  # at most, for one quantile
FEWEST = 20
SETS = 10  # runs on one draw of the records
RECORDS = 100_000  # simulated at most
CLOSE = 1.06  # how near the smallest n is bracketed
ANSWERS = 0.2  # seconds that one quantile may take on the machine these were measured on
STEPS = 14
LIMITS = {"n": (2.0, 1e15), "epsilon": (1e-4, 1e4)}
# Seconds of one run: of each call, for each record, for each answer, for both; drawing the records.
SECONDS = {
    "distances": (4e-4, 1e-7, 1.5e-6, 0.0),
    "smooth_summary": (1e-3, 2e-7, 1e-6, 0.0),
    "means": (1e-4, 0.0, 1e-7, 0.0),
    "mean": (1e-4, 2e-8, 0.0, 0.0),
    "linear_queries": (3e-4, 0.0, 1e-5, 0.0),
    "sparse_queries": (1e-3, 1.2e-7, 1e-6, 0.0),
    "sparse_counts": (2e-3, 7e-7, 0.0, 0.0),
    "one_cluster": (2e-2, 7e-6, 0.0, 0.0),
    "clusters": (2e-2, 8e-6, 0.0, 8e-6),
    "Curator": (1e-4, 0.0, 0.0, 0.0),
}
SLOW = {"Levy's field": 4e-7, "sparse multiplicative weights": 2e-5}  # for each two answers, each
PROJECTED = "random projections, Haar wavelets"


def seconds(call: Call, case: Case) -> float:
    """About how long one run takes, with its share of drawing the records.

    >>> from dpviz.planner.calls import Question, calls
    >>> case = Case(question=Question(kind="mean"), n=1000, epsilon=1.0, delta=0.0, beta=0.05)
    >>> seconds(calls(case.question)[0], case) < 0.001
    True
    """
    question = case.question
    once, record, answer, both = SECONDS[call.function]
    n, k, d = min(case.n, RECORDS), question.k, question.d
    time = once + record * n * d + answer * k + both * n * k
    if call.name == "Levy's field":
        time += SLOW[call.name] * k * k + 1e-8 * n * k
    if call.name == "sparse multiplicative weights":
        time += SLOW[call.name] * k
    if call.name == PROJECTED:
        time += 3e-8 * n * 1000
    drawing = 2e-7 * n * d
    if question.kind in ("distances", "kernels"):
        drawing += 1e-8 * n * k * d
    if question.kind == "strings":
        drawing += 6e-5 * k * (question.names or 1) ** 0.5
    return time + drawing / sets(call)


def sets(call: Call) -> int:
    """Runs on one draw of the records: one where public randomness is drawn with them."""
    return 1 if call.function in ("sparse_counts", "one_cluster", "clusters") else SETS


def runs(call: Call, case: Case, share: float = 1.0) -> int:
    """How many runs make one quantile: a multiple of ``SETS``."""
    wanted = share * ANSWERS / seconds(call, case)
    return SETS * round(min(max(wanted, FEWEST), RUNS) / SETS)


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of some runs: ``values`` and those of no data on the same records, ``without``."""

    values: NDArray
    without: NDArray

    def quantile(self, beta: float) -> float:
        """The smallest error that at most a share beta of the runs exceeds."""
        return guide.quantile(self.values, beta)


def simulated(
    call: Call,
    case: Case,
    count: int,
    *,
    rng: np.random.Generator,
    sample: NDArray | None = None,
) -> Errors:
    """Errors of so many runs on public records, drawn anew for each few of them.

    >>> from dpviz.planner.calls import Question, calls
    >>> case = Case(question=Question(kind="mean"), n=1000, epsilon=1.0, delta=0.0, beta=0.05)
    >>> errors = simulated(calls(case.question)[0], case, 20, rng=np.random.default_rng(0))
    >>> errors.quantile(0.05) < errors.without.min()
    True
    """
    values, without = [], []
    if call.function == "Curator":
        run = rehearsed(call, case, NOTHING, rng)
        return Errors(np.array([run() for _ in range(count)]), np.full(count, np.inf))
    while len(values) < count:
        data = draw(case.question, case.n, rng, sample)
        run = rehearsed(call, case, data, rng)
        some = min(sets(call), count - len(values))
        values += [run() for _ in range(some)]
        without += [data.without] * some
    return Errors(np.array(values), np.array(without))


NOTHING = Data(None, None, float, math.inf)


def proved_least(call: Call, case: Case, error: float, word: str) -> float:
    """The least n, or epsilon, from which on the proved error is at most ``error``; infinite if
    there is none."""
    bound = lambda x: call.proved(at(case, word, x))  # noqa: E731
    low, high = LIMITS[word]
    if bound(high) > error:
        return math.inf
    least = calculator.narrowed(bound, error, (low, high))
    return float(math.ceil(least)) if word == "n" else least


def at(case: Case, word: str, x: float) -> Case:
    """A case with another n or epsilon."""
    return replace(case, **{word: max(2, math.ceil(x)) if word == "n" else x})


def least(
    call: Call,
    case: Case,
    error: float,
    word: str,
    first: float,
    *,
    seed: int,
    sample: NDArray | None = None,
) -> float:
    """The least n, or epsilon, at which the simulated quantile is at most ``error``.

    Searched from the case on, by factors and then by halves, to within the luck of the runs;
    infinite where the records would be too many to simulate, or more do not help.

    Parameters
    ----------
    first : the quantile at the case
    """
    low, high = (2.0, float(RECORDS)) if word == "n" else LIMITS["epsilon"]

    def quantile(x: float, step: int) -> float:
        where = at(case, word, x)
        if call.misfit(where):
            return math.inf
        count = runs(call, where, share=2.0)
        rng = np.random.default_rng([seed, step])
        return simulated(call, where, count, rng=rng, sample=sample).quantile(case.beta)

    x = float(getattr(case, word))
    y = first
    below, above = (x, math.inf) if y > error else (0.0, x)
    for step in range(STEPS):
        if below and math.isfinite(above) and above <= below * CLOSE:
            break
        guess = x * (y / error if math.isfinite(y) and y else 3.0)
        if below and math.isfinite(above):
            inside = below * CLOSE**0.5 < guess < above / CLOSE**0.5
            guess = guess if inside else math.sqrt(below * above)
        elif not below:
            guess = max(low, above / 30, min(guess, above / 1.05))
        else:
            guess = min(high, below * 30, max(guess, below * 1.05))
        if (below and below >= high) or (not below and above <= low):
            break
        x = float(math.ceil(guess)) if word == "n" else guess
        y = quantile(x, step)
        below, above = (x, above) if y > error else (below, x)
    return above


def cost(run: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of processor time and largest memory in bytes of one run; of this machine."""
    start = time.process_time()
    run()
    spent = time.process_time() - start
    tracemalloc.start()
    run()
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return spent, memory
