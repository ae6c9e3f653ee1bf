"""``dpviz plan``: its words to a plan, and the plan to lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpviz.planner import plans
from dpviz.planner.calls import Case


def lines(
    *,
    ask: str,
    json: str | None = None,
    sample: str | None = None,
    bounds: Sequence[str] | None = None,
    queries: str | None = None,
    seed: int = plans.SEED,
    **numbers: Any,
) -> Iterator[str]:
    """The lines that ``dpviz plan`` prints.

    Parameters
    ----------
    json : a file that the plan is written to
    sample, queries : files of numbers, a record or a query a line; a sample of strings, one a line
    bounds : "low:high" for each column
    numbers : as of ``dpviz.plan``; None stands for what was not said

    Raises
    ------
    ValueError
        One sentence that says what to change.

    >>> next(lines(ask="mean", n=2000, epsilon=1.0, error=0.01))
    'About 1 s of simulation on public records ...'
    """
    given: dict[str, Any] = {name: value for name, value in numbers.items() if value is not None}
    if queries is not None:
        given["queries"] = table(queries, "queries")
    if bounds is not None:
        given["bounds"] = [interval(pair) for pair in bounds]
    if len(given.get("bounds", ())) == 1:
        given["bounds"] = given["bounds"][0]
    if sample is not None:
        given["sample"] = names(sample) if ask == "strings" else table(sample, "sample")
    checked = plans.case_of(ask=ask, **given)
    yield waiting(checked, given.get("error"))
    plan = plans.plan(ask=ask, rng=seed, progress=True, **given)
    if json is not None:
        plan.to_json(json)  # before anything is printed: who reads may stop after some lines
    yield from plan.lines()
    if json is not None:
        runs = "" if plan.as_dict()["call"] is None else f": dpviz run {json} DATA.csv"
        yield f"Written to {json}{runs}"


def waiting(case: Case, error: float | None) -> str:
    """How long it will take, said before."""
    seconds = plans.expected_seconds(case, error)
    return f"About {max(1, round(seconds))} s of simulation on public records ..."


def interval(words: str) -> tuple[float, float]:
    """Bounds of a column from "low:high".

    >>> interval("0:2.5")
    (0.0, 2.5)
    """
    try:
        low, high = map(float, words.split(":"))
    except ValueError as problem:
        raise ValueError(f"--bounds must be low:high, such as 0:100, not {words!r}") from problem
    return low, high


def table(file: str, word: str) -> np.ndarray:
    """Public numbers from a file, parted by commas; a first line of names is left out."""
    rows = []
    for number, line in enumerate(_lines(file, word), 1):
        try:
            rows.append([float(cell) for cell in line.split(",")])
        except ValueError as problem:
            if number > 1:
                rule = "must hold numbers parted by commas"
                raise ValueError(f"--{word}: {file}, line {number}, {rule}") from problem
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"--{word}: {file} must have as many numbers in every line, and some")
    return np.array(rows)


def names(file: str) -> np.ndarray:
    """Public strings from a file, one a line."""
    return np.array(list(_lines(file, "sample")))


def _lines(file: str, word: str) -> list[str]:
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as problem:
        raise ValueError(f"--{word}: {file} cannot be read as text") from problem
    return [line for line in text.splitlines() if line.strip()]
