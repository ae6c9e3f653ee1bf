"""The sentences of a plan: its verdict, and what would have to change for another one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dpviz.planner.calls import Call, Case, calls
from dpviz.planner.candidates import Candidate

NUMBERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)  # of questions, tried
NEVER = "never"


def verdict(
    winner: Candidate,
    ties: Sequence[str],
    useful: bool,
    *,
    case: Case,
    error: float | None,
    at: Case,
    without: float,
) -> str:
    """One sentence.

    Parameters
    ----------
    ties : names of all that are as good, the winner's first
    useful : whether it is better than the error ``without`` data
    error : that is wanted, or None
    at : the case with as many records as were simulated
    """
    if not useful:
        return (
            f"nothing: {winner.name} would be off by {near(winner.error(at))}, an answer that "
            f"looks at no record by {near(without)}; ask fewer questions, or take more records or "
            "a larger epsilon"
        )
    tie = f", in a tie with {' and '.join(ties[1:])}" if len(ties) > 1 else ""
    tie += f" (with {at.n:,} records)" if tie and at.n < case.n else ""
    here = f"{winner.name}{tie}: {_how_far(winner, case)}"
    if error is None:
        return here
    if winner.proved is not None and winner.proved <= error:
        return f"{here}, so {error:g} is reached{_from(winner, case, 'from')}"
    is_expected = winner.expected is not None and winner.expected <= error
    if is_expected and (winner.n_expected or 0) <= case.n:
        return f"{here}, so {error:g} is expected, not proved{_from(winner, case, 'from')}"
    if winner.n_expected == math.inf and winner.n_proved in (None, math.inf):
        return (
            f"{here}, and {error:g} is reached by no n that was tried: ask for a larger error or "
            "fewer questions"
        )
    take = _from(winner, case, "take")
    if winner.fewer is not None:
        return f"{here}; {error:g} is neither proved nor simulated at n = {case.n:,}{take}"
    return f"{here}, so {error:g} is not reached{take}"


def _how_far(winner: Candidate, case: Case) -> str:
    """The error of the winner, and whether it is proved or what is expected of it."""
    n = "" if case.question.kind == "noise" else f" at n = {case.n:,}"
    if winner.call.is_exact and winner.proved is not None:
        return f"error {level(winner.proved)}, proved{n}"
    proved = "nothing is proved" if winner.proved is None else f"proved {level(winner.proved)}{n}"
    if winner.expected is None:
        return f"{proved}, not simulated because it takes long"
    if winner.fewer:
        runs = f"in runs with {winner.fewer:,} records, the most that are simulated,"
        return f"{proved}; {runs} {near(winner.expected)}"
    return f"expected error {near(winner.expected)}, {proved}"


def _from(winner: Candidate, case: Case, verb: str) -> str:
    """From which n or epsilon on."""
    parts = []
    for word, sign in (("n", "n ="), ("epsilon", "epsilon")):
        proved = getattr(winner, f"{word}_proved")
        least = getattr(winner, f"{word}_expected")
        least = proved if least in (None, math.inf) else least
        if least in (None, math.inf) or (word == "n" and case.question.kind == "noise"):
            continue
        how = "proved" if least == proved else "expected"
        number = count(least) if word == "n" else level(least)
        parts.append(f"{sign} {number}{'' if winner.call.is_exact else f' ({how})'}")
    return f"; {verb} {' or '.join(parts)}{' on' * (verb == 'from')}" if parts else ""


def changes(winner: Candidate, case: Case) -> Iterator[str]:
    """By proved errors alone: at which other numbers another mechanism would have the least."""
    here = _least_proved(case)
    if here is None:
        return
    if here.name != winner.name:
        proof = f"the least proved error is that of {here.name}"
        yield f"By what is proved alone another would win: {proof}."
    names = {here.name}
    for variants in _variants(case):
        for words, variant in variants:
            best = _least_proved(variant)
            if best is not None and best.name != here.name:
                if best.name not in names:
                    yield f"Another would win by what is proved {words}: {best.name}."
                names.add(best.name)
                break


def _variants(case: Case) -> Iterator[list[tuple[str, Case]]]:
    """What could be otherwise, each from near to far; of each the first that tells is told."""
    delta = 0.0 if case.delta else 1e-6
    words = "without a delta" if case.delta else "with delta 1e-06"
    yield [(words, replace(case, delta=delta))]
    question = case.question
    number = "questions" if question.questions else "columns"
    if question.kind in ("distances", "kernels", "strings", "noise", "means"):
        fewer = [many for many in reversed(NUMBERS) if many < question.k]
        for some in (fewer, [many for many in NUMBERS if many > question.k]):
            yield [
                (
                    f"with {many:,} {number if many > 1 else number[:-1]}",
                    replace(case, question=replace(question, **{number: many})),
                )
                for many in some
            ]
    if question.kind != "noise":
        for factor in (0.01, 0.1, 10, 100):
            n = max(2, round(case.n * factor))
            yield [(f"with n = {n:,}", replace(case, n=n))]


def _least_proved(case: Case) -> Call | None:
    """Whose proved error is the least, if it is less than that of ½, which looks at no record."""
    best = min(calls(case.question), key=lambda call: call.proved(case))
    most = math.inf if case.question.kind == "noise" else 0.5
    return best if best.proved(case) < most else None


def level(x: float | None, none: str = "nothing") -> str:
    """An error or an epsilon in two digits, rounded up: what is proved of it stays true.

    >>> level(None), level(math.inf), level(0.0121), level(0.012), level(333.0)
    ('nothing', 'never', '0.013', '0.012', '340')
    """
    if x is None or math.isinf(x):
        return none if x is None else NEVER
    return near(up(x))


def near(x: float) -> str:
    """An expected error in two digits.

    >>> near(0.0121), near(333.0)
    ('0.012', '330')
    """
    x = float(f"{x:.2g}")
    return f"{x:.2g}" if x < 100 else f"{x:,.0f}"


def sure(beta: float) -> str:
    """The share of runs that err no more.

    >>> sure(0.05), sure(0.001)
    ('95%', '99.9%')
    """
    return f"{100 * (1 - beta):.10g}%"


def count(x: float | None, none: str = "nothing") -> str:
    """A number of records; from a million on in two digits, rounded up.

    >>> count(1165.0), count(2.01e9)
    ('1,165', '2,100,000,000')
    """
    if x is None or math.isinf(x):
        return level(x, none)
    return f"{x if x < 1e6 else up(x):,.0f}"


def up(x: float) -> float:
    """The next number of two digits; a last bit is not counted.

    >>> up(0.0121), up(math.inf)
    (0.013, inf)
    """
    if not math.isfinite(x):
        return x
    step = 10.0 ** (math.floor(math.log10(x)) - 1) if x else 1.0
    return step * math.ceil(x / step * (1 - 1e-12))
