"""``dpviz run`` and ``dpviz ledger``: a plan, a private table and a budget, all of them files."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz import files
from dpviz.door import runs, table_file
from dpviz.door.plans import AGAIN, BALLS, NUMBERS, Plan, read_plan
from dpviz.door.sources import pieces
from dpviz.privacy import ledger_file
from dpviz.privacy.curator import BudgetExceeded, Cost
from dpviz.privacy.ledger_file import FileLedger

FAR = 1.25  # times the plan's n
SHOWN = 5  # answers on the terminal
NOISE = {
    "opendp": "drawn exactly by OpenDP; the sums before it are rounded as floats are",
    "floats": "numpy's floating-point numbers, whose last bits can give records away: not for "
    "private data",
}


def run(
    plan: Sequence[str],
    data: str,
    *,
    ledger: str,
    out: str | None = None,
    dataset: str | None = None,
    unit: str = "one record",
    numpy_noise: bool = False,
    measure: float | None = None,
    select: int | None = None,
    yes: bool = False,
    **reading: Any,
) -> Iterator[str]:
    """The lines that ``dpviz run`` prints; the answers go into the file ``out``.

    Parameters
    ----------
    plan, data, ledger, out : paths
    dataset, unit : what stands in the ledger; by default ``data``'s name, and "one record"
    numpy_noise : whether numpy draws the noise, instead of OpenDP
    measure, select : as of ``runs.Payment``; both are said, and spent only with ``yes``
    reading : as of :func:`read_table`

    Raises
    ------
    ValueError
        If anything cannot be done; where something was charged, the sentence says so.
    """
    noise = "floats" if numpy_noise else "opendp"
    pay = runs.Payment(
        ledger=ledger, dataset=dataset or Path(data).name, unit=unit, noise=noise,
        measure=measure, select=select,
    )  # fmt: skip
    target = Path(out or f"{Path(plan[0]).stem}.answers.csv")
    try:
        plans = [read_plan(file) for file in plan]
        pay.check(plans)
        if target.suffix not in (".csv", ".json") or target.exists():
            raise ValueError(f"{target}: --out must be a new file that ends in .csv or .json")
        table = read_table(plans[0], data, **reading)
        yield from _before(plans[0], pay, reading.get("missing"))
        if (measure is not None or select is not None) and not yes:
            yield "Nothing was charged. To spend this, say the same with --yes."
            return
        found = runs.run(plans, table, pay)
    except (ValueError, TypeError, BudgetExceeded, ModuleNotFoundError) as problem:
        words = str(problem).replace("noise='floats'", "--numpy-noise")
        other = "; or say --numpy-noise, for data that are not private"
        missing = isinstance(problem, ModuleNotFoundError)
        raise ValueError(f"{words}{other if missing else ''}") from None
    header = _header(found.plan, table.columns)
    try:
        files.replace(target, text(found, header, target.suffix, noise).encode(), durable=True)
        where = f"answers: {target}"
    except OSError as problem:
        where = f"{target} cannot be written ({problem.strerror}), so the answers stand here:\n"
        where += text(found, header, ".csv", noise)
    yield from _after(found, noise)
    yield where


def ledger(
    file: str,
    *,
    dataset: str | None = None,
    unit: str = "one record",
    epsilon: float | None = None,
    delta: float = 0.0,
    rho: float | None = None,
) -> Iterator[str]:
    """The lines that ``dpviz ledger`` prints: a ledger as it is, or begun if a dataset is named."""
    if dataset is not None:
        budget = Cost(epsilon=epsilon or 0.0, delta=delta, rho=rho or 0.0)
        ledger_file.create(file, FileLedger(dataset=dataset, unit=unit, budget=budget))
    elif epsilon is not None or rho is not None:
        raise ValueError("--dataset must name the data set of a new ledger")
    yield str(ledger_file.read(file))
    yield ledger_file.WARNING


def read_table(
    plan: Plan,
    file: str,
    *,
    bounds: str | None = None,
    queries: str | None = None,
    columns: Sequence[str] | None = None,
    in_pieces: bool = False,
    **written: Any,
) -> runs.Table:
    """The table that a plan is run on, from files (module ``table_file``).

    Parameters
    ----------
    file, bounds, queries : of the records, of the public bounds, and of the public questions
    columns : names of the columns, in the order of the questions; None: those of the bounds
    in_pieces : whether records are read again at each pass instead of held in memory
    written : ``decimal``, ``missing`` and ``lines``, as ``table_file`` has them

    Raises
    ------
    ValueError
        If a file is missing, breaks a rule, or does not fit the plan.
    """
    asked: Any = None
    sides = None
    if queries is not None and Path(queries).resolve() == Path(file).resolve():
        raise ValueError("--queries must be another file than the records: questions are published")
    if plan.kind in NUMBERS:
        public = _bounds(bounds, written.get("decimal"))
        how = table_file.layout(file, public, columns, **written)
        wanted = 1 if plan.kind == "mean" else plan.question["columns"]
        if len(how.columns) != wanted:
            raise ValueError(f"--columns must name the {wanted} columns that the plan asks about, "
                             f"each with bounds; else {AGAIN}")  # fmt: skip
        sides = [public.pairs[name] for name in how.columns]
        if plan.kind in ("distances", "kernels"):
            asked = table_file.read(table_file.places(_needed(queries, "places"), how))
    elif plan.kind == "strings":
        how = table_file.names_layout(file, columns, **written)
        asked = _names(_needed(queries, "names"))
        if plan.counts:
            asked = [[name] for names in asked for name in names]
    else:
        how = table_file.cells_layout(file, columns, **written)
        asked = np.array(plan.question["queries"], dtype=float)
        cells = asked.shape[1]
        blocks: Callable[[], Iterable[NDArray]] = partial(_cells, how, cells)
        counts = np.zeros(cells)
        for part in blocks():
            counts += np.bincount(part.ravel(), minlength=cells)
        return runs.Table(records=counts, columns=how.columns, queries=asked, blocks=blocks)
    blocks = partial(table_file.blocks, how)
    records: Any = pieces(blocks) if in_pieces else table_file.read(how)
    if not in_pieces:
        starts = range(0, len(records), table_file.BLOCK)
        blocks = lambda: (records[i : i + table_file.BLOCK] for i in starts)  # noqa: E731
    return runs.Table(
        records=records, columns=how.columns, bounds=sides, queries=asked, blocks=blocks
    )


def _bounds(file: str | None, decimal: str | None) -> table_file.Bounds:
    if file is None:
        raise ValueError(
            "--bounds is needed: a file with a line 'name,lower,upper' for each column, known "
            "without looking at the table; bounds read off the table would leak its extremes"
        )
    return table_file.read_bounds(file, decimal)


def _needed(file: str | None, what: str) -> str:
    if file is None:
        raise ValueError(f"--queries is needed: a file with the {what} of a question on each line")
    return file


def _cells(how: table_file.Layout, cells: int) -> Iterator[NDArray]:
    """Of each record the nearest cell: a refusal would tell of a record, and cost nothing."""
    return (np.clip(np.rint(part), 0, cells - 1).astype(int) for part in table_file.blocks(how))


def _names(file: str) -> list[list[str]]:
    """Public questions: the names of each, parted by commas, a line."""
    import csv

    try:
        with Path(file).open(encoding="utf-8-sig", newline="") as lines:
            return [row for row in csv.reader(lines) if row]
    except (OSError, UnicodeDecodeError, csv.Error):
        raise ValueError(f"{file}: the questions cannot be read as lines of names") from None


def _before(plan: Plan, pay: runs.Payment, missing: str | None) -> Iterator[str]:
    """What is said before anything is spent."""
    if plan.kind in NUMBERS:
        yield (
            "Values outside of the bounds are clipped, and a missing cell stands for "
            f"{missing or 'the middle of its bounds'}; how many there are is not said."
        )
    elif plan.kind == "strings":
        yield f"A missing name stands for {missing or ''!r}."
    else:
        yield "A number that is no cell is counted in the nearest one; how many are is not said."
    yield "The number of records is public. Neighbouring tables differ in one replaced record."
    if pay.select is not None:
        yield (
            f"--select spends the plans' epsilon {plan.spends.epsilon:g} on a secret number of "
            f"runs, {pay.select} on average, of which the best is published: a sixth goes to the "
            "answers of a run, so that their noise is six times larger, nothing is proved of "
            "them, and how long it takes must stay secret."
        )
    if pay.measure is not None:
        yield (
            f"--measure spends epsilon {pay.measure:g} more to tell one number, the largest error "
            f"of these answers as a share of the largest possible one, with Laplace noise of scale "
            f"1/({pay.measure:g} n). The answers get no better by it, and later ones lose it."
        )


def _after(found: runs.Answers, noise: str) -> Iterator[str]:
    """What is said of the answers."""
    plan = found.plan
    if plan.n and not plan.n / FAR <= found.n <= FAR * plan.n:
        yield f"The plan was made for {plan.n:,} records; what is proved here is for {found.n:,}."
    yield f"{plan.winner}, for {plan.kind}; {reading(found)}"
    for row in found.rows[:SHOWN]:
        cells = [f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in row]
        yield f"  {'  '.join(cells)}"
    if len(found.rows) > SHOWN:
        yield f"  and {len(found.rows) - SHOWN} more"
    if found.largest is not None:
        error, scale = found.largest
        yield (
            f"measured: the largest error is {error:.3g} of the largest possible answer, with "
            f"Laplace noise of scale {scale:.2g}"
        )
    yield f"noise: {NOISE[noise]}"
    book = found.ledger.ledger
    yield f"charged: {book.charges[-1].cost}; left: {book.left} of {book.budget}"


def reading(found: runs.Answers) -> str:
    """One sentence: how far the answers may be off."""
    most = found.errors.max()
    if not math.isfinite(most):
        return "nothing is proved of the error of these answers"
    sure = f"with probability {1 - found.plan.beta:.10g}"
    if found.plan.kind in BALLS:
        return f"{sure} the first ball lacks at most {most:.4g} of the records that were sought"
    return f"{sure} no answer is off by more than its off_by_at_most, {most:.4g} at most"


def _header(plan: Plan, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the cells of the rows."""
    if plan.kind in BALLS:
        return (*columns, "radius")
    first = {"mean": "column", "means": "column", "strings": "names", "linear": "query"}
    labels = (first[plan.kind],) if plan.kind in first else columns
    return (*labels, "answer")


def text(found: runs.Answers, header: Sequence[str], suffix: str, noise: str) -> str:
    """The answers as CSV or JSON, with what is proved of each; what is not a number is empty."""
    numbers = [[*row, error] for row, error in zip(found.rows, found.errors, strict=True)]
    rows = [[cell if _is_finite(cell) else None for cell in row] for row in numbers]
    names = [*header, "off_by_at_most"]
    probability = 1 - found.plan.beta
    if suffix == ".csv":
        import csv

        page = io.StringIO()
        writer = csv.writer(page, lineterminator="\n")
        writer.writerow([*names, "with_probability"])
        writer.writerows([*row, probability] for row in rows)
        return page.getvalue()
    whole = {
        "how_to_read": reading(found),
        "mechanism": found.plan.winner,
        "plan": found.plan.digest,
        "records": found.n,
        "cost": str(found.ledger.entries[-1].cost),
        "noise": NOISE[noise],
        "with_probability": probability,
        "columns": names,
        "answers": rows,
        "largest_error_and_its_noise": found.largest,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _is_finite(cell: Any) -> bool:
    return not isinstance(cell, float) or math.isfinite(cell)
