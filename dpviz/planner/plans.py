"""``dpviz.plan``: a verdict, what each mechanism proves and how far off it is, the lines to run.

Nothing private is needed: no record is read, no budget spent. The expected errors are those of runs
on synthetic records of a public law, or on a public sample.
"""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.comparison import guide
from dpviz.planner import estimates, lines
from dpviz.planner.calls import Call, Case, calls, noise, rehearsed
from dpviz.planner.questions import KINDS, Question, draw, scaled

if TYPE_CHECKING:
    from dpviz.drawing.style import Figure

VERSION = 1
BETA = 0.05
SEED = 2010
LONG = 3.0  # seconds of simulation that one mechanism of several may take
SEARCH = 9  # quantiles that a search takes, about
NUMBERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)  # of questions, tried
NEVER = "never"
LEFT = {  # to run, by kind: what the plan does not fix
    "mean": ("column", "bounds"),
    "means": ("columns", "bounds"),
    "distances": ("columns", "bounds", "queries"),
    "kernels": ("columns", "bounds", "queries"),
    "linear": ("column",),
    "strings": ("column", "queries"),
    "cluster": ("columns", "bounds"),
    "clusters": ("columns", "bounds"),
    "noise": (),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidate:
    """One mechanism beside the question; all of it public.

    Attributes
    ----------
    call : how it is run
    misfit : why it cannot take the case; "" if it can
    proved : error with probability 1 - beta at n; None where nothing is proved
    expected : 1 - beta quantile of runs on public records; None where it was not run, because it
        takes long
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Plan:
    """What to do with a question: printed, one screen; in a notebook, a table.

    Attributes
    ----------
    case : the question, n, epsilon, delta and beta
    error : that is wanted, or None
    at : n at which the runs were made: that of the case, or fewer
    winner : the Candidate to take, or None
    ties : names of all whose errors are not clearly larger than the least, the winner's first
    candidates : all of them, least expected error first; before them one that wins by its proof
    without : error of the best answer that looks at no record
    verdict : one sentence
    changes : what would have to be otherwise for another mechanism to win, a sentence each
    bounds : array (d, 2) or None
    sampled : whether the runs were made on a public sample
    """

    case: Case
    error: float | None
    at: int
    winner: Candidate | None
    ties: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    without: float
    verdict: str
    changes: tuple[str, ...]
    bounds: NDArray | None
    sampled: bool

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """What is printed."""
        case = self.case
        wanted = "" if self.error is None else f", error {self.error:g}"
        delta = f", delta {case.delta:g}" if case.delta else ""
        n = "" if case.question.kind == "noise" else f"; n = {case.n}"
        yield f"{case.question.words()}{n}, epsilon {case.epsilon:g}{delta}{wanted}"
        yield from _wrapped(f"Verdict: {self.verdict}")
        yield ""
        rows = self.table()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = [row[0].ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            yield "  ".join(cells).rstrip()
        refusals = [each for each in self.candidates if each.misfit]
        for each in refusals:
            yield from _wrapped(f"{each.name} does not fit: {each.misfit}")
        yield ""
        yield from _wrapped(self.reading())
        for change in self.changes:
            yield from _wrapped(change)
        if self.winner is not None:
            yield from ("", "To run it:")
            yield from (f"    {line}" for line in self.code())
            other = self.opendp()
            yield ("In OpenDP:" if other else "In OpenDP: no lines are given for this mechanism.")
            yield from (f"    {line}" for line in other)

    def table(self) -> list[list[str]]:
        """The candidates that fit, a row each, under a head: words and numbers as text."""
        head = ["mechanism", "proved", "expected"]
        searched = self.error is not None
        counted = searched and self.case.question.kind != "noise"
        if counted:
            head += ["n proved", "expected"]
        if searched:
            head += ["eps proved", "expected"]
        rows = [[*head, "time", "memory"]]
        for each in self.candidates:
            if each.misfit:
                continue
            row = [each.name, _error(each.proved), _error(each.expected, "not run")]
            if counted:
                row += [_count(each.n_proved), _count(each.n_expected, "not run")]
            if searched:
                row += [_epsilon(each.epsilon_proved), _epsilon(each.epsilon_expected, "not run")]
            rows.append([*row, _seconds(each.seconds), _bytes(each.memory)])
        return rows

    def reading(self) -> str:
        """What the numbers of the table are."""
        case = self.case
        if case.question.kind == "noise":
            return (
                f"Errors: the largest noise, in the unit of the numbers, in {1 - case.beta:.0%} of "
                "all runs; it is known exactly, so proved and expected are one."
            )
        on = "a public sample" if self.sampled else "synthetic records of a public law"
        many = sorted({each.runs for each in self.candidates if each.runs})
        count = f"{many[0]} to {many[-1]}" if len(many) > 1 else f"{many[0]}" if many else ""
        by = f"simulated, {count} runs on {on}" if many else "exact, because the noise is all of it"
        fewer = "" if self.at == case.n else f" with {self.at} records, not with {case.n}"
        waiting = any(each.expected is None and not each.misfit for each in self.candidates)
        unseen = " What takes long is not run, and wins only by its proof." if waiting else ""
        return (
            f"Errors: the largest over all answers, as a share of the largest possible one, in "
            f"{1 - case.beta:.0%} of runs. Proved: for any records. Expected: {by}{fewer}. Without "
            f"looking at any record: {self.without:.2g}. No record was read, nothing is spent."
            f"{unseen} Candidates: what `import dpviz` offers, not all mechanisms of lesson 09."
        )

    def code(self) -> list[str]:
        """The lines that run the winner; empty if there is none."""
        return [] if self.winner is None else lines.here(self.winner.call, self.case, self.bounds)

    def opendp(self) -> list[str]:
        """The lines that run the winner in OpenDP; empty where none are given."""
        if self.winner is None:
            return []
        return lines.opendp(self.winner.call, self.case, self.bounds)

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON has it; infinite numbers are the word "never"."""
        case, question = self.case, self.case.question
        words = Question.__dataclass_fields__
        given = {word: getattr(question, word) for word in words}
        given = {word: value for word, value in given.items() if value is not None}
        usual = {"distances": {"metric": "l1"}, "strings": {"names": 1}}.get(question.kind, {})
        return {
            "dpviz_plan": VERSION,
            "verdict": self.verdict,
            "question": {"columns": question.d, **usual, **given, "questions": question.k},
            "n": None if question.kind == "noise" else case.n,
            "budget": {"epsilon": case.epsilon, "delta": case.delta},
            "beta": case.beta,
            "error": self.error,
            "winner": None if self.winner is None else self.winner.name,
            "ties": list(self.ties),
            "call": self._call(),
            "left_to_run": list(LEFT[question.kind]),
            "lines": {"dpviz": self.code(), "opendp": self.opendp()},
            "without": _plain(self.without),
            "simulated_n": self.at,
            "changes": list(self.changes),
            "candidates": [_row(each) for each in self.candidates],
        }

    def _call(self) -> dict[str, Any] | None:
        if self.winner is None or self.winner.call.function == "Curator":
            return None
        call = self.winner.call
        given = call.arguments_at(self.case)
        kept_out = {"epsilon", "t"}
        return {
            "function": call.function,
            "arguments": {name: value for name, value in given.items() if name not in kept_out},
            "transform": call.transform,
            "answer": call.answer,
            "spends": {
                "epsilon": self.case.epsilon,
                "delta": self.case.delta if call.delta else 0.0,
            },
        }

    def to_json(self, file: str | Path | None = None) -> str:
        """The plan as JSON, for ``dpviz run``; also written to a file, if one is named."""
        text = json.dumps(self.as_dict(), indent=1) + "\n"
        if file is not None:
            try:
                Path(file).write_text(text, encoding="utf-8")
            except OSError as problem:
                sentence = f"{file}: the plan cannot be written: {problem.strerror}"
                raise ValueError(sentence) from None
        return text

    def _repr_html_(self) -> str:
        head, *rows = self.table()
        cells = ["".join(f"<th>{html.escape(cell)}</th>" for cell in head)]
        cells += ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
        table = "".join(f"<tr>{row}</tr>" for row in cells)
        code = html.escape("\n".join(self.code()))
        return (
            f"<p><b>{html.escape(self.verdict)}</b></p><table>{table}</table>"
            f"<p>{html.escape(self.reading())}</p><pre>{code}</pre>"
        )

    def figure(self) -> Figure:
        """What is proved over n, for those with a proof, and the winner's expected error at n."""
        from dpviz.planner import pictures

        return pictures.figure(self)


def plan(
    *,
    ask: str,
    n: int | None = None,
    epsilon: float = 1.0,
    delta: float = 0.0,
    error: float | None = None,
    beta: float = BETA,
    sample: ArrayLike | None = None,
    bounds: ArrayLike | None = None,
    rng: int = SEED,
    **words: Any,
) -> Plan:
    """Which mechanism answers a question, how well, and from how many records on. Spends nothing.

    Parameters
    ----------
    ask : "mean", "means", "distances", "kernels", "linear", "strings", "cluster", "clusters" or
        "noise"; what each needs beside: ``columns``, ``questions``, ``width``, ``queries``,
        ``names``, ``share``, ``clusters``, ``metric``, ``sensitivity``
        (`dpviz.planner.questions.Question`)
    n : int >= 2, records; not needed for "noise"
    epsilon : float > 0, delta : float in [0, 1), of the whole budget
    error : that is wanted, as a share of the largest possible answer (of "noise": in its unit);
        with it the smallest n and epsilon are searched for
    beta : float in (0, 1), how often an error may be larger
    sample : public records to simulate on, in the place of synthetic ones: array (m, d), numbers of
        cells, or strings
    bounds : pairs (lower, upper), or one for all columns; needed for a sample of numbers, and
        written into the lines that run
    rng : int >= 0, seed of the simulation; the same seed, the same plan

    Returns
    -------
    Plan, which prints itself

    Raises
    ------
    ValueError, TypeError
        If words of the question are missing or contradict each other, or a number is out of range.

    >>> import dpviz
    >>> found = dpviz.plan(ask="mean", n=2000, epsilon=1, error=0.01)
    >>> found.winner.name, found.winner.n_proved
    ('Laplace mechanism', 300.0)
    >>> print(found.verdict.partition("; ")[0])
    Laplace mechanism: error 0.0015, proved at n = 2000, so 0.01 is reached
    """
    case = case_of(ask=ask, n=n, epsilon=epsilon, delta=delta, error=error, beta=beta, **words)
    checks.integer("rng", rng, at_least=0)
    question = case.question
    box = None if bounds is None else pairs(bounds, question.d)
    rows = None if sample is None else public(question, sample, box)
    return _planned(case, error, rows, box, rng)


def case_of(
    *,
    ask: str,
    n: int | None = None,
    epsilon: float = 1.0,
    delta: float = 0.0,
    error: float | None = None,
    beta: float = BETA,
    queries: Any = None,
    sample: Any = None,
    bounds: Any = None,
    **words: Any,
) -> Case:
    """The arguments of :func:`plan`, checked; those of a sample are not looked at."""
    if queries is not None:
        queries = tuple(tuple(map(float, row)) for row in queries)
    question = asked(ask, queries=queries, **words)
    n = 2 if ask == "noise" else n
    if n is None:
        raise ValueError("n must be given: how many records there are, or may be")
    checks.integer("n", n, at_least=2)
    checks.number("epsilon", epsilon, above=0)
    checks.number("delta", delta, at_least=0, below=1)
    checks.number("beta", beta, above=0, below=1)
    if error is not None:
        checks.number("error", error, above=0)
        if ask != "noise" and error >= 1:
            raise ValueError("error must be below 1, which is as wrong as an answer can be")
    return Case(question=question, n=n, epsilon=float(epsilon), delta=float(delta), beta=beta)


def asked(ask: str, **words: Any) -> Question:
    """A question of words of which none is unknown."""
    checks.choice("ask", ask, tuple(KINDS))
    for word in words:
        if word not in Question.__dataclass_fields__ or word == "kind":
            raise TypeError(f"plan has no argument {word!r}")
    return Question(kind=ask, **words)


def pairs(bounds: ArrayLike, d: int) -> NDArray:
    """Bounds as an array (d, 2); ``ValueError`` if one is missing or lower is not below upper."""
    box = np.asarray(bounds, dtype=float)
    if box.shape == (2,):
        box = np.tile(box, (d, 1))
    if box.shape != (d, 2):
        raise ValueError(f"bounds must be {d} pairs (lower, upper), one for each column")
    if not (np.isfinite(box).all() and (box[:, 0] < box[:, 1]).all()):
        raise ValueError("bounds must be pairs (lower, upper) with lower below upper: swap them")
    return box


def public(question: Question, sample: ArrayLike, box: NDArray | None) -> NDArray:
    """A public sample as it is simulated on."""
    if question.kind == "noise":
        raise ValueError("sample must be left out of a question about noise alone")
    rows = np.asarray(sample)
    if not len(rows):
        raise ValueError("sample must hold records")
    if question.kind == "strings":
        return rows.ravel()
    if question.kind == "linear":
        cells = rows.astype(float).ravel()
        inside = (cells >= 0) & (cells < question.matrix.shape[1]) & (cells % 1 == 0)
        if not inside.all():
            raise ValueError("sample must hold numbers of cells: whole, from 0 to the last one")
        return cells
    if box is None:
        raise ValueError("bounds must be given with a sample: what is known of each column")
    rows = rows.astype(float)
    if (rows[:, None] if rows.ndim == 1 else rows).shape[1:] != (question.d,):
        raise ValueError(f"sample must have {question.d} columns, as the question says")
    if not np.isfinite(rows).all():
        raise ValueError("sample must hold finite numbers, none missing")
    return scaled(rows, box)


def expected_seconds(case: Case, error: float | None) -> float:
    """About how long a plan takes, on the machine its costs were measured on; public, free.

    >>> expected_seconds(Case(question=Question(kind="mean"), n=9, epsilon=1.0, delta=0.0,
    ...                       beta=0.05), None) < 1
    True
    """
    at = estimates.smaller(case)
    times = [time for call in _quick(at) if (time := _simulating(call, at))]
    total = sum(times)
    if error is not None and times:
        least = SEARCH * min(times)
        total += least if least > 2 * LONG else 2 * least
    return 0.5 + total


def _simulating(call: Call, case: Case) -> float:
    """Seconds; 0 where the quantile is known."""
    if call.is_exact:
        return 0.0
    return estimates.seconds(call, case) * estimates.runs(call, case)


def _quick(case: Case) -> list[Call]:
    """The calls that are simulated: those that take ``LONG`` at most, else the quickest."""
    fitting = [call for call in calls(case.question) if not call.misfit(case)]
    most = max(LONG, min((_simulating(call, case) for call in fitting), default=LONG))
    return [call for call in fitting if _simulating(call, case) <= most]


def _planned(
    case: Case, error: float | None, sample: NDArray | None, box: NDArray | None, seed: int
) -> Plan:
    at = estimates.smaller(case)
    streams = np.random.SeedSequence(seed).spawn(2)
    without = estimates.without(at, rng=np.random.default_rng(streams[0]), sample=sample)
    options = calls(case.question)
    rngs = [np.random.default_rng(each) for each in streams[1].spawn(len(options))]
    pairs_ = zip(options, rngs, strict=True)
    quick = _quick(at)
    tried = [_tried(call, case, at, sample, call in quick, rng) for call, rng in pairs_]
    tried = [_proved_least(each, case, error) for each in tried]
    ready = sorted((each for each in tried if each.expected is not None), key=_expected)
    rest = [each for each in tried if each.expected is None]
    ties: list[Candidate] = []
    if ready:
        others = [each for each in ready[1:] if not _is_clear(ready[0], each, case.beta)]
        ties = [ready[0], *others]
        ties.sort(key=lambda each: math.inf if each.proved is None else each.proved)
    winner = ties[0] if ties else None
    if winner is not None and (better := _proved_better(rest, at, _expected(winner))):
        winner = better
        ties = [better]
        ready.insert(0, better)
        rest.remove(better)
    useful = winner is not None and _here(winner, at) < without
    if winner is not None and error is not None:
        reached = _searched(winner, at, error, seed, sample)
        ready = [reached if each is winner else each for each in ready]
        winner = reached
    names = tuple(each.name for each in ties)
    given = {"case": case, "error": error, "without": without}
    verdict = _verdict(winner, names, useful, rest, at=at, **given)
    return Plan(
        **given,
        at=at.n,
        winner=winner if useful else None,
        ties=names,
        candidates=(*ready, *rest),
        verdict=verdict,
        changes=tuple(_changes(winner, case)) if winner is not None else (),
        bounds=box,
        sampled=sample is not None,
    )


def _expected(candidate: Candidate) -> float:
    return math.inf if candidate.expected is None else candidate.expected


def _here(candidate: Candidate, at: Case) -> float:
    """The expected error at the simulated n; what is proved there if it was not run."""
    return candidate.call.proved(at) if candidate.expected is None else candidate.expected


def _proved_better(rest: Sequence[Candidate], at: Case, least: float) -> Candidate | None:
    """Of those that were not run the one of the least proved error, if that is below ``least``."""
    waiting = [each for each in rest if not each.misfit and each.call.proved(at) < least]
    return min(waiting, key=lambda each: each.call.proved(at), default=None)


def _tried(
    call: Call,
    case: Case,
    at: Case,
    sample: NDArray | None,
    is_run: bool,
    rng: np.random.Generator,
) -> Candidate:
    """One mechanism at the case: what is proved at n, what is expected at the simulated n."""
    if reason := call.misfit(at):
        return Candidate(call=call, misfit=reason)
    proved = _finite(call, case)
    count = estimates.RUNS if call.is_exact else estimates.runs(call, at)
    if not is_run:
        return Candidate(call=call, proved=proved)
    errors = estimates.simulated(call, at, count, rng=rng, sample=sample)
    if call.is_exact:
        run = noise(call, at, rng)
        expected, runs = min(1.0 if case.question.kind != "noise" else math.inf,
                             call.proved(at)), 0  # fmt: skip
    else:
        data = draw(case.question, at.n, rng, sample)
        run = rehearsed(call, at, data, rng)
        expected, runs = guide.quantile(errors, case.beta), count
    seconds, memory = estimates.cost(run)
    return Candidate(
        call=call,
        proved=proved,
        expected=expected,
        runs=runs,
        errors=errors,
        seconds=seconds,
        memory=memory,
    )


def _finite(call: Call, case: Case) -> float | None:
    """The proved error; None where nothing is proved, at this n or at any."""
    proved = call.proved(case)
    return proved if math.isfinite(proved) else None


def _proved_least(candidate: Candidate, case: Case, error: float | None) -> Candidate:
    """With the least n and epsilon of the proved error."""
    call = candidate.call
    far = estimates.at(case, "n", estimates.LIMITS["n"][1])
    if error is None or (candidate.misfit and _finite(call, far) is None):
        return candidate
    if candidate.proved is None and _finite(call, far) is None:
        return candidate
    least = {
        f"{word}_proved": estimates.proved_least(call, case, error, word)
        for word in ("n", "epsilon")
    }
    if case.question.kind == "noise":
        least["n_proved"] = None
    if call.is_exact:
        least |= {name.replace("proved", "expected"): value for name, value in least.items()}
    return replace(candidate, **least)


def _searched(
    winner: Candidate, at: Case, error: float, seed: int, sample: NDArray | None
) -> Candidate:
    """With the least n and epsilon of the expected error; a proved one is one, too."""
    if winner.call.is_exact or winner.expected is None:
        return winner
    least: dict[str, Any] = {}
    for word in ("n", "epsilon"):
        if word == "epsilon" and SEARCH * _simulating(winner.call, at) > 2 * LONG:
            continue
        simulated = estimates.least(
            winner.call, at, error, word, _expected(winner), seed=seed, sample=sample
        )
        proved = getattr(winner, f"{word}_proved")
        least[f"{word}_expected"] = min(simulated, math.inf if proved is None else proved)
    return replace(winner, **least)


def _is_clear(best: Candidate, other: Candidate, beta: float) -> bool:
    """Whether one is clearly better: by what is known of both; else in as many runs of both, by
    ``guide.is_clear`` or because the 1 - beta quantiles are farther apart than luck moves them."""
    if best.call.is_exact and other.call.is_exact:
        return _expected(best) < _expected(other)
    count = min(len(best.errors), len(other.errors))
    luck = 2 * math.sqrt(count * beta * (1 - beta))  # two standard deviations, in places
    last = math.ceil((1 - beta) * count + luck)
    first = max(1, math.floor((1 - beta) * count - luck))
    errors, others = np.sort(best.errors[:count]), np.sort(other.errors[:count])
    apart = last <= count and errors[last - 1] < others[first - 1]
    return bool(apart) or guide.is_clear(best.errors[:count], other.errors[:count])


def _verdict(
    winner: Candidate | None,
    ties: Sequence[str],
    useful: bool,
    rest: Sequence[Candidate],
    *,
    case: Case,
    error: float | None,
    at: Case,
    without: float,
) -> str:
    """One sentence."""
    if winner is None:
        reasons = "; ".join(f"{each.name}: {each.misfit}" for each in rest if each.misfit)
        return f"nothing takes this question as it is ({reasons})"
    if not useful:
        return (
            f"nothing: {winner.name} would be off by {_here(winner, at):.2g}, an answer that "
            f"looks at no record by {without:.2g}; ask fewer questions, or take more records or a "
            "larger epsilon"
        )
    name = winner.name
    if len(ties) > 1:
        name += f", in a tie with {' and '.join(ties[1:])}"
    here = f"{name}: {_how_far(winner, case, at)}"
    if error is None:
        return here
    if winner.proved is not None and winner.proved <= error:
        return f"{here}, so {error:g} is reached{_from(winner, case, 'from')}"
    if _expected(winner) <= error:
        return f"{here}, so {error:g} is expected, not proved{_from(winner, case, 'from')}"
    if winner.n_expected == math.inf and (winner.n_proved in (None, math.inf)):
        return (
            f"{here}, and {error:g} is reached by no n that was tried: ask for a larger error or "
            "fewer questions"
        )
    return f"{here}, so {error:g} is not reached{_from(winner, case, 'take')}"


def _how_far(winner: Candidate, case: Case, at: Case) -> str:
    """The error of the winner, and whether it is proved or what is expected of it."""
    n = "" if case.question.kind == "noise" else f" at n = {case.n}"
    if winner.call.is_exact and winner.proved is not None:
        return f"error {winner.proved:.2g}, proved{n}"
    proved = "nothing is proved" if winner.proved is None else f"proved {winner.proved:.2g}{n}"
    if winner.expected is None:
        return f"{proved}, not simulated because it takes long"
    return f"expected error {winner.expected:.2g} (simulated at n = {at.n}), {proved}"


def _from(winner: Candidate, case: Case, verb: str) -> str:
    """From which n or epsilon on."""
    parts = []
    for word, sign, written in (("n", "n =", _count), ("epsilon", "epsilon", _epsilon)):
        proved = getattr(winner, f"{word}_proved")
        least = getattr(winner, f"{word}_expected")
        least = proved if least in (None, math.inf) else least
        if least in (None, math.inf) or (word == "n" and case.question.kind == "noise"):
            continue
        how = "proved" if least == proved else "expected"
        parts.append(f"{sign} {written(least)}{'' if winner.call.is_exact else f' ({how})'}")
    words = " or ".join(parts)
    end = " on" if verb == "from" else ""
    return f"; {verb} {words}{end}" if words else ""


def _changes(winner: Candidate, case: Case) -> Iterator[str]:
    """By proved errors alone: at which other numbers another mechanism would have the least."""
    here = _least_proved(case)
    if here is None:
        return
    if here.name != winner.name:
        proof = f"the least proved error is that of {here.name}"
        yield f"By what is proved alone another would win: {proof}."
    number = "questions" if case.question.questions else "columns"
    variants: list[tuple[str, Case]] = []
    if case.delta:
        variants.append(("without a delta", replace(case, delta=0.0)))
    else:
        variants.append(("with delta 1e-06", replace(case, delta=1e-6)))
    if case.question.kind in ("distances", "kernels", "strings", "noise", "means"):
        k = case.question.k
        fewer = [many for many in reversed(NUMBERS) if many < k]
        more = [many for many in NUMBERS if many > k]
        for many in (_first(fewer, case, number, here), _first(more, case, number, here)):
            if many is not None:
                words = f"with {many} {number if many > 1 else number[:-1]}"
                variants.append((words, _asking(case, number, many)))
    for factor in (0.01, 0.1, 10, 100):
        n = max(2, round(case.n * factor))
        if case.question.kind != "noise":
            variants.append((f"with n = {n}", replace(case, n=n)))
    told: set[str] = {here.name}
    for words, variant in variants:
        best = _least_proved(variant)
        if best is not None and best.name not in told:
            told.add(best.name)
            yield f"Another would win by what is proved {words}: {best.name}."


def _asking(case: Case, number: str, many: int) -> Case:
    return replace(case, question=replace(case.question, **{number: many}))


def _first(numbers: Sequence[int], case: Case, number: str, here: Call) -> int | None:
    """The first of some numbers of questions at which another call has the least proved error."""
    for many in numbers:
        best = _least_proved(_asking(case, number, many))
        if best is not None and best.name != here.name:
            return many
    return None


def _least_proved(case: Case) -> Call | None:
    """Whose proved error is the least, if it is less than that of ½, which looks at no record."""
    options = calls(case.question)
    best = min(options, key=lambda call: call.proved(case))
    most = math.inf if case.question.kind == "noise" else 0.5
    return best if best.proved(case) < most else None


def _row(each: Candidate) -> dict[str, Any]:
    """A candidate as JSON has it."""
    names = ("proved", "expected", "n_proved", "n_expected", "epsilon_proved", "epsilon_expected")
    row: dict[str, Any] = {"name": each.name, "function": each.call.function}
    row |= {name: _plain(getattr(each, name)) for name in names}
    return row | {"runs": each.runs, "misfit": each.misfit, "seconds": each.seconds,
                  "memory": each.memory}  # fmt: skip


def _plain(x: float | None) -> float | str | None:
    return NEVER if x is not None and math.isinf(x) else x


def _error(x: float | None, none: str = "nothing") -> str:
    return none if x is None else f"{x:.2g}"


def _count(x: float | None, none: str = "nothing") -> str:
    if x is None or math.isinf(x):
        return none if x is None else NEVER
    return f"{x:.0f}" if x < 1e6 else f"{x:.2g}"


def _epsilon(x: float | None, none: str = "nothing") -> str:
    if x is None or math.isinf(x):
        return none if x is None else NEVER
    return f"{x:.2g}"


def _seconds(x: float | None) -> str:
    if x is None:
        return ""
    power = 10.0 ** round(math.log10(max(x, 1e-4)))
    return f"{power:g} s" if power >= 1 else f"{1000 * power:g} ms"


def _bytes(x: float | None) -> str:
    return "" if x is None else f"{10.0 ** round(math.log10(max(x, 1e4) / 1e6)):g} MB"


def _wrapped(words: str) -> list[str]:
    import textwrap

    return textwrap.wrap(words, 100, subsequent_indent="    ")
