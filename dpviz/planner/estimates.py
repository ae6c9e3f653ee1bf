"""How far off a call is: the 1 - beta quantile of runs on public records; from which n on.

Statements: lesson Definition 9.1.

How many runs, and on how many records, hangs on public numbers alone and never on a clock; so the
same seed gives the same plan on every machine.
"""

from __future__ import annotations

import math
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.comparison import calculator
from dpviz.planner.calls import Call, Case, noise, rehearsed
from dpviz.planner.questions import draw

RUNS = 200  # at most, for one quantile
FEWEST = 20
LUCK = 0.05  # probability with which an n that is too small passes for enough
SEARCH_RUNS = 1000  # at most, at one n of a search
SEARCH_FEWEST = 6.5  # times 1 / beta: two of them may fail
SETS = 10  # runs on one draw of the records
USUAL = 100_000  # records, simulated at most
RECORDS = {"cluster": 20_000, "clusters": 10_000, "mean": 10**15, "means": 10**15}  # others
FEW = 2000  # on which an answer without data is tried
CLOSE, WIDER = 1.06, 1.15  # how near the smallest n is bracketed; where a run is slow
SHORT = 0.5  # seconds of a quantile, from which on it is slow
ANSWERS = 0.2  # seconds that one quantile may take on the machine these were measured on
STEPS = 14
CLIFFS = ("one_cluster", "clusters")  # nearly the same error at all n from which on they succeed
FLAT, JUMP = 0.3, 30.0  # least slope that is believed; a step at most
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
    "one_cluster": (2e-2, 3e-6, 0.0, 0.0),
    "clusters": (3e-2, 2e-6, 0.0, 4e-6),
    "Curator": (1e-4, 0.0, 0.0, 0.0),
}
SLOW = {"Levy's field": 4e-7, "sparse multiplicative weights": 2e-5}  # for each two answers, each
PROJECTED = "random projections"


def seconds(call: Call, case: Case) -> float:
    """About how long one run takes, with its share of drawing the records.

    >>> from dpviz.planner.calls import Question, calls
    >>> case = Case(question=Question(kind="mean"), n=1000, epsilon=1.0, delta=0.0, beta=0.05)
    >>> seconds(calls(case.question)[0], case) < 0.001
    True
    """
    question = case.question
    once, record, answer, both = SECONDS[call.function]
    n, k, d = case.n, question.k, question.d
    time = once + record * n * d + answer * k + both * n * k
    if call.name == "Levy's field":
        time += SLOW[call.name] * k * k + 1e-8 * n * k
    if call.name == "sparse multiplicative weights":
        time += SLOW[call.name] * k
    if call.name == PROJECTED:
        time += 3e-8 * n * 1000
    drawing = 2e-7 * n * d
    if question.kind == "kernels":
        drawing += 6e-9 * n * k * d
    if question.kind == "distances":
        drawing += 1e-8 * n * k * d if question.metric == "euclidean" else 3e-7 * (n + k) * d
    if question.kind == "strings":
        drawing += 1.5e-5 * k * (question.names or 1) ** 0.3
    return time + drawing / sets(call)


def smaller(case: Case) -> Case:
    """A case with no more records than are simulated."""
    return replace(case, n=min(case.n, RECORDS.get(case.question.kind, USUAL)))


def sets(call: Call) -> int:
    """Runs on one draw of the records: one where public randomness is drawn with them."""
    return 1 if call.function in ("sparse_counts", "one_cluster", "clusters") else SETS


def runs(call: Call, case: Case) -> int:
    """How many runs make one quantile: a multiple of ``SETS``."""
    wanted = ANSWERS / seconds(call, case)
    return SETS * round(min(max(wanted, FEWEST), RUNS) / SETS)


def search_runs(call: Call, case: Case) -> int:
    """How many runs there are at one n of a search: so many at least that an n may pass although a
    few errors are larger, for some mechanisms fail now and then at every n."""
    wanted = min(2 * ANSWERS / seconds(call, case), SEARCH_RUNS)
    return SETS * math.ceil(max(wanted, SEARCH_FEWEST / case.beta) / SETS)


def spare(count: int, beta: float) -> int:
    """How many of so many errors may be larger than a number, if a share beta of their law at most
    shall be: by the exact binomial law a larger share passes with probability ``LUCK`` at most. -1
    if there are too few errors (Theorem 9.2).

    Statements: lesson Theorem 9.2.

    >>> [spare(count, 0.05) for count in (50, 60, 130, 1000)]
    [-1, 0, 2, 38]
    """
    from scipy.stats import binom

    return int(binom.ppf(LUCK, count, beta)) - 1


def simulated(
    call: Call,
    case: Case,
    count: int,
    *,
    rng: np.random.Generator,
    sample: NDArray | None = None,
) -> NDArray:
    """Errors of so many runs on public records, drawn anew for each few of them; (count,).

    Where the noise is all of the error, it is drawn without any records.

    >>> from dpviz.planner.calls import Question, calls
    >>> case = Case(question=Question(kind="mean"), n=1000, epsilon=1.0, delta=0.0, beta=0.05)
    >>> errors = simulated(calls(case.question)[0], case, 20, rng=np.random.default_rng(0))
    >>> errors.shape, bool(errors.max() < 0.1)
    ((20,), True)
    """
    if call.is_exact:
        run = noise(call, case, rng)
        return np.array([run() for _ in range(count)])
    return tried(call, case, count, each=sets(call), rng=rng, sample=sample)


def tried(
    call: Call,
    case: Case,
    count: int,
    *,
    each: int,
    rng: np.random.Generator,
    sample: NDArray | None = None,
) -> NDArray:
    """Errors of so many runs, ``each`` of them on one draw of the records."""
    errors: list[float] = []
    while len(errors) < count:
        run = rehearsed(call, case, draw(case.question, case.n, rng, sample), rng)
        errors += [run() for _ in range(min(each, count - len(errors)))]
    return np.array(errors)


def without(case: Case, *, rng: np.random.Generator, sample: NDArray | None = None) -> float:
    """Median error of the best answer that looks at no record; infinite for a single number."""
    if case.question.kind == "noise":
        return math.inf
    n = min(case.n, FEW)
    return float(np.median([draw(case.question, n, rng, sample).without for _ in range(5)]))


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
    *,
    seed: int,
    sample: NDArray | None = None,
    progress: bool = False,
) -> float:
    """The least n, or epsilon, whose runs show that a share beta of errors at most is larger than
    ``error``, by :func:`spare`: each n that is too small passes with probability ``LUCK`` at most,
    as far as runs on one draw of the records are independent.

    Searched from the case on, by factors and then by halves; infinite where the records would be
    too many to simulate, or more do not help. With ``progress`` each step is a line on stderr.
    """
    most = float(RECORDS.get(case.question.kind, USUAL))
    low, high = (2.0, most) if word == "n" else LIMITS["epsilon"]
    close = CLOSE if seconds(call, case) * FEWEST < SHORT else WIDER

    def quantile(x: float, step: int) -> float:
        where = at(case, word, x)
        if call.misfit(where):
            return math.inf
        count = search_runs(call, where)
        most = spare(count, case.beta)
        rng = np.random.default_rng([seed, step])
        errors: list[float] = []
        while len(errors) < count and sum(x > error for x in errors) <= most:
            errors += list(simulated(call, where, SETS, rng=rng, sample=sample))
        reached = sorted(errors)[-1 - most]
        if progress:
            sign = "<=" if reached <= error else ">"
            print(f"{word} = {x:.4g}: error {reached:.2g} {sign} {error:g}", file=sys.stderr)
        return reached

    x = float(getattr(case, word))
    y = quantile(x, STEPS)
    below, above = (x, math.inf) if y > error else (0.0, x)
    slope = FLAT if call.function in CLIFFS else 1.0
    for step in range(STEPS):
        if below and math.isfinite(above) and above <= below * close:
            break
        if (below and below >= high) or (not below and above <= low):
            break
        guess = x * (y / error) ** (1 / slope) if 0 < y < math.inf else 3.0 * x
        guess = _inside(guess, below, above, low, high)
        guess = float(math.ceil(guess)) if word == "n" else guess
        z = quantile(guess, step)
        if 0 < z < math.inf and 0 < y < math.inf and guess != x:
            slope = min(2.0, max(FLAT, -math.log(z / y) / math.log(guess / x)))
        x, y = guess, z
        below, above = (x, above) if y > error else (below, x)
    return above


def _inside(guess: float, below: float, above: float, low: float, high: float) -> float:
    """A guess moved to where it tells something: between the places that are known."""
    if below and math.isfinite(above):
        edge = (above / below) ** 0.2
        return min(max(guess, below * edge), above / edge)
    if below:
        return min(high, max(min(guess, below * JUMP), below * CLOSE))
    return max(low, min(max(guess, above / JUMP), above / CLOSE))


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
