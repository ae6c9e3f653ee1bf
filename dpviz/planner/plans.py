"""``dpviz.plan``: a verdict, what each mechanism proves and how far off it is, the lines to run.

Nothing private is needed: no record is read, no budget spent. The expected errors are those of runs
on synthetic records of a public law, or on a public sample.
"""

from __future__ import annotations

import html
import json
import math
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.planner import candidates, estimates, imports, lines, verdicts
from dpviz.planner.calls import Case, calls
from dpviz.planner.candidates import Candidate
from dpviz.planner.imports import Imported
from dpviz.planner.questions import KINDS, Question, scaled

if TYPE_CHECKING:
    from dpviz.drawing.style import Figure

VERSION = 1
BETA = 0.05
SEED = 2010
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Plan:
    """What to do with a question: printed, one screen; in a notebook, a table.

    Attributes
    ----------
    case : the question, n, epsilon, delta and beta
    error : that is wanted, or None
    at : n at which the runs were made, and all are compared: that of the case, or fewer
    winner : the Candidate to take, or None
    ties : names of all whose errors are not clearly larger than the least, the winner's first
    candidates : all of them, least expected error first; before them one that wins by its proof
    imported : mechanisms that are no function of the front door, least expected error first
    better : names of those of ``imported`` that are clearly better than the winner
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
    imported: tuple[Imported, ...]
    better: tuple[str, ...]
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
        n = "" if case.question.kind == "noise" else f"; n = {case.n:,}"
        yield f"{case.question.words()}{n}, epsilon {case.epsilon:g}{delta}{wanted}"
        yield from _wrapped(f"Verdict: {self.verdict}")
        yield ""
        rows = self.table()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = [row[0].ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            yield "  ".join(cells).rstrip()
        for each in self.candidates:
            if each.misfit:
                yield from _wrapped(f"{each.name} does not fit: {each.misfit}")
        yield ""
        yield from _wrapped(self.reading())
        for sentence in (*self.beside(), *self.changes):
            yield from _wrapped(sentence)
        if self.winner is not None:
            yield from ("", "To run it:", *(f"    {line}" for line in self.code()))
            other = self.opendp()
            yield ("In OpenDP:" if other else "In OpenDP: no lines are given for this mechanism.")
            yield from (f"    {line}" for line in other)
        if self.better:
            yield f"To run the {self.better[0]}:"
            yield from (f"    {line}" for line in self.code(self.better[0]))

    def table(self) -> list[list[str]]:
        """The candidates that fit, a row each, under a head: words and numbers as text."""
        head = ["mechanism", "proved", "expected"]
        searched = [] if self.error is None else ["n", "epsilon"]
        if self.case.question.kind == "noise":
            searched = searched[1:]
        for word in searched:
            head += ["n proved" if word == "n" else "eps proved", "expected"]
        rows = [[*head, "time", "memory"]]
        for each in self.candidates:
            if each.misfit:
                continue
            at = f" at {each.fewer:,}" if each.fewer else ""
            row = [each.name, verdicts.level(each.proved), f"{_expected(each)}{at}"]
            for word in searched:
                written = verdicts.count if word == "n" else verdicts.level
                row.append(written(getattr(each, f"{word}_proved")))
                row.append(written(getattr(each, f"{word}_expected"), "not run"))
            rows.append([*row, _seconds(each.seconds), _bytes(each.memory)])
        return rows

    def reading(self) -> str:
        """What the numbers of the table are."""
        case = self.case
        sure = verdicts.sure(case.beta)
        if case.question.kind == "noise":
            return (
                f"Errors: the largest noise, in the unit of the numbers, in {sure} of "
                "all runs; it is known exactly, so proved and expected are one."
            )
        on = "a public sample" if self.sampled else "synthetic records of a public law"
        many = sorted({each.runs for each in self.candidates if each.runs})
        counted = f"{many[0]} to {many[-1]}" if len(many) > 1 else f"{many[0]}" if many else ""
        by = f"simulated, {counted} runs on {on}" if many else "exact, as the noise is all of it"
        at = (
            f", with {self.at:,} records where the table says so; there all are compared, unless "
            f"one's proof at n = {case.n:,} is below all that is to be expected of the others"
        )
        fewer = "" if self.at == case.n else at
        waiting = any(each.expected is None and not each.misfit for each in self.candidates)
        places = ""
        if case.question.kind in ("distances", "kernels"):
            places = ", at places drawn at random (of yours `dpviz run` says what is proved)"
        unseen = " What takes long is not run, and wins only by its proof." if waiting else ""
        return (
            f"Errors: the largest over all answers, as a share of the largest possible one, in "
            f"{sure} of runs. Proved: for any records{places}. Expected: {by}{fewer}. "
            f"Without looking at any record: {verdicts.near(self.without)}. No record was read, "
            f"nothing is spent.{unseen} The table has what `import dpviz` offers."
        )

    def beside(self) -> Iterator[str]:
        """What is expected of mechanisms that have to be imported."""
        at = "" if self.at == self.case.n else f" with {self.at:,} records"
        if self.imported:
            names = [f"{each.name} {verdicts.near(each.expected)}" for each in self.imported]
            errors = ", ".join(names)
            yield f"To be imported, with nothing proved here, expected errors{at}: {errors}."
        if self.better:
            yield f"Clearly better than what was taken{at}: {' and '.join(self.better)}."

    def code(self, name: str | None = None) -> list[str]:
        """The lines that run the winner, or the mechanism of ``imported`` with a name; empty if
        there is none."""
        if name is not None:
            names = [each.name for each in self.imported]
            return list(self.imported[names.index(checks.choice("name", name, names))].lines)
        return [] if self.winner is None else lines.here(self.winner.call, self.case, self.bounds)

    def opendp(self) -> list[str]:
        """The lines that run the winner in OpenDP; empty where none are given."""
        winner = self.winner
        return [] if winner is None else lines.opendp(winner.call, self.case, self.bounds)

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON has it; infinite numbers are the word "never"."""
        case, question = self.case, self.case.question
        given = {word: getattr(question, word) for word in Question.__dataclass_fields__}
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
            "imported": [
                {"name": each.name, "expected": each.expected, "lines": list(each.lines)}
                for each in self.imported
            ],
            "better": list(self.better),
        }

    def _call(self) -> dict[str, Any] | None:
        if self.winner is None or self.winner.call.function == "Curator":
            return None
        call = self.winner.call
        given = call.arguments_at(self.case)
        delta = self.case.delta if call.delta else 0.0
        return {
            "function": call.function,
            "arguments": {name: given[name] for name in given if name not in ("epsilon", "t")},
            "transform": call.transform,
            "answer": call.answer,
            "spends": {"epsilon": self.case.epsilon, "delta": delta},
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
        words = html.escape(" ".join([self.reading(), *self.beside()]))
        code = html.escape("\n".join(self.code()))
        verdict = html.escape(self.verdict)
        return f"<p><b>{verdict}</b></p><table>{table}</table><p>{words}</p><pre>{code}</pre>"

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
    progress: bool = False,
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
    progress : whether each step of the search for the smallest n is written to stderr

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
    Laplace mechanism: error 0.0015, proved at n = 2,000, so 0.01 is reached
    """
    case = case_of(ask=ask, n=n, epsilon=epsilon, delta=delta, error=error, beta=beta, **words)
    checks.integer("rng", rng, at_least=0)
    question = case.question
    box = None if bounds is None else pairs(bounds, question.d)
    rows = None if sample is None else public(question, sample, box)
    return _planned(case, error, rows, box, rng, progress)


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
    run = [call for call in candidates.quick(at) if not call.is_exact]
    total = sum(candidates.simulating(call, at) for call in run)
    total += sum(1 for _ in imports.recipes(at)) / 4
    if error is not None and run:
        least = min(candidates.searching(call, at) for call in run)
        total += least if least > 4 * candidates.LONG else 2 * least
    return 0.5 + total


def _planned(
    case: Case,
    error: float | None,
    sample: NDArray | None,
    box: NDArray | None,
    seed: int,
    progress: bool,
) -> Plan:
    at = estimates.smaller(case)
    streams = np.random.SeedSequence(seed).spawn(3)
    without = estimates.without(at, rng=np.random.default_rng(streams[0]), sample=sample)
    options = calls(case.question)
    rngs = [np.random.default_rng(each) for each in streams[1].spawn(len(options))]
    how: dict[str, Any] = {"error": error, "sample": sample}
    quick = candidates.quick(at)
    tried = [
        candidates.tried(call, case, at, is_run=call in quick, rng=rng, **how)
        for call, rng in zip(options, rngs, strict=True)
    ]
    ready, ties = _ranked(tried, case, at)
    beside = sorted(
        (
            imports.imported(recipe, case, at, rng=np.random.default_rng(stream), sample=sample)
            for recipe, stream in zip(
                imports.recipes(at), streams[2].spawn(len(imports.RECIPES)), strict=False
            )
        ),
        key=lambda each: each.expected,
    )
    given: dict[str, Any] = {"case": case, "error": error, "without": without}
    shown: dict[str, Any] = given | {"at": at.n, "bounds": box, "sampled": sample is not None}
    rest = [each for each in tried if each not in ready]
    if not ties:
        reasons = "; ".join(f"{each.name}: {each.misfit}" for each in rest if each.misfit)
        sentence = f"nothing takes this question as it is ({reasons})"
        shown |= {"winner": None, "ties": (), "changes": (), "better": ()}
    else:
        winner = ties[0]
        names = tuple(each.name for each in ties)
        useful = min(winner.error(at), winner.call.proved(case)) < without
        if error is not None:
            search: dict[str, Any] = {"seed": seed, "sample": sample, "progress": progress}
            winner = candidates.searched(winner, at, error, **search)
            ready[ready.index(ties[0])] = winner
        sentence = verdicts.verdict(winner, names, useful, at=at, **given)
        shown |= {"winner": winner if useful else None, "ties": names}
        shown["changes"] = tuple(verdicts.changes(winner, case))
        shown["better"] = tuple(
            each.name
            for each in beside
            if each.expected < without
            and winner.runs + winner.call.is_exact
            and candidates.is_clear(each.errors, winner.errors, case.beta)
        )
    everything = (*ready, *rest)
    return Plan(candidates=everything, imported=tuple(beside), verdict=sentence, **shown)


def _ranked(
    tried: list[Candidate], case: Case, at: Case
) -> tuple[list[Candidate], list[Candidate]]:
    """Those that compete, the least expected error first; and those that are as good as the best,
    the least proved error first. What was not run competes if its proof is better than all runs;
    where there are more records than in the runs, so does everything by what is proved there."""
    ready = sorted((each for each in tried if each.expected is not None), key=lambda x: x.level)
    if not ready:
        return [], []
    others = [each for each in ready[1:] if not candidates.is_better(ready[0], each, at.beta)]
    ties = [ready[0], *others]
    ties.sort(key=lambda each: math.inf if each.proved is None else each.proved)
    others = [each for each in tried if not each.misfit and (each.expected is None or at != case)]
    by_proof = min(others, key=lambda each: each.call.proved(case), default=ties[0])
    if by_proof in ties or by_proof.call.proved(case) >= _hoped(ties[0], case, at):
        return ready, ties
    return [by_proof, *(each for each in ready if each is not by_proof)], [by_proof]


def _hoped(each: Candidate, case: Case, at: Case) -> float:
    """Its expected error in the case, if from the runs on it falls as what is proved of it."""
    before, now = each.call.proved(at), each.call.proved(case)
    return each.level * min(1.0, now / before) if math.isfinite(before) else each.level


def _row(each: Candidate) -> dict[str, Any]:
    """A candidate as JSON has it."""
    names = ("proved", "expected", "n_proved", "n_expected", "epsilon_proved", "epsilon_expected")
    row: dict[str, Any] = {"name": each.name, "function": each.call.function}
    row |= {name: _plain(getattr(each, name)) for name in names}
    row["simulated_n"] = each.fewer
    return row | {name: getattr(each, name) for name in ("runs", "misfit", "seconds", "memory")}


def _plain(x: float | None) -> float | str | None:
    return verdicts.NEVER if x is not None and math.isinf(x) else x


def _expected(each: Candidate) -> str:
    """What is expected, or that it is not known; where it is proved, as that is written."""
    if each.expected is None:
        return "not run"
    return (verdicts.level if each.call.is_exact else verdicts.near)(each.expected)


def _seconds(x: float | None) -> str:
    if x is None:
        return ""
    power = 10.0 ** round(math.log10(max(x, 1e-4)))
    return f"{power:g} s" if power >= 1 else f"{1000 * power:g} ms"


def _bytes(x: float | None) -> str:
    return "" if x is None else f"{10.0 ** round(math.log10(max(x, 1e4) / 1e6)):g} MB"


def _wrapped(words: str) -> list[str]:
    return textwrap.wrap(words, 100, subsequent_indent="    ")
