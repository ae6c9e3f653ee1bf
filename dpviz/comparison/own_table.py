"""``dpviz compare``: which mechanisms fit a table of yours, what is proved, what is simulated.

Errors are simulated on public synthetic records with as many rows and columns: nothing of the
table but its number of records and columns is used. An error on the table itself is measured only
where it is asked for; then half of the budget pays for the answers and half for their error.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.comparison import table_file
from dpviz.comparison.mechanisms.kinds import KINDS, Params, Trial, outcomes
from dpviz.comparison.mechanisms.task import Kind, Mechanism, Task
from dpviz.privacy.curator import Curator

QUESTIONS = {"distance": 1000, "sparse": 100, "smooth": 1000, "cluster": 1, "linear": 20}
COLUMNS = {"distance": 50, "sparse": 6, "smooth": 3, "cluster": 10, "linear": 3}  # at most
LISTED = 50  # names on a list at most
MOST = 200_000  # records are simulated


@dataclass(frozen=True, kw_only=True)
class Row:
    """One mechanism beside the table: all of it public.

    Attributes
    ----------
    kind, mechanism : their names
    key : "kind/key", as ``measure`` takes it
    misfit : why it cannot take the task, or ""
    proved : error bound, infinite if nothing is proved
    simulated : array (trials,), errors on synthetic records; empty if it does not fit
    cannot : what it cannot do
    """

    kind: str
    mechanism: str
    key: str
    misfit: str
    proved: float
    simulated: np.ndarray
    cannot: str


def task_for(kind: str, n: int, columns: int, **budget: float) -> Task:
    """What is asked of a table of n records by one kind of query.

    >>> task_for("sparse", 178, 2, epsilon=1.0, delta=1e-6).d
    4
    """
    used = min(columns, COLUMNS[kind])
    d = max(1, min(LISTED, 3**used // 2)) if kind == "sparse" else used
    return Task(n=n, d=d, k=QUESTIONS[kind], **budget)


def rows(
    n: int, columns: int, *, trials: int = 5, rng: checks.Seed = 0, **budget: float
) -> list[Row]:
    """Every mechanism, and what answers without data, for a table of this size.

    Parameters
    ----------
    n, columns : public size of the table
    trials, rng : of the simulation on synthetic records
    budget : epsilon, delta

    >>> found = rows(100, 1, trials=1, epsilon=1.0, delta=1e-6)
    >>> len(found) > 20, found[-1].mechanism
    (True, 'without data')
    """
    checks.integer("trials", trials, at_least=1)
    rng = checks.generator(rng)
    table = []
    for name, kind in KINDS.items():
        task = task_for(name, n, columns, **budget)
        size: dict[str, Any] = {"n": min(n, MOST), "d": task.d, "k": task.k, "delta": task.delta}
        params = Params(kind=name, epsilons=(task.epsilon,), **size)
        runs = [_simulated(kind, params, rng) for _ in range(trials)]
        table += [_row(kind, each, task, runs) for each in kind.mechanisms]
        errors = np.array([run.without for run in runs])
        named = {"mechanism": "without data", "key": "", "misfit": ""}
        table.append(Row(kind=name, proved=math.inf, simulated=errors, cannot="", **named))
    return table


def _simulated(kind: Kind, params: Params, rng: np.random.Generator) -> Trial:
    instance = kind.draw(params.task(epsilon=params.epsilons[0]), rng)
    return outcomes(params, instance, rng=rng)


def _row(kind: Kind, each: Mechanism, task: Task, runs: list[Trial]) -> Row:
    errors = np.array([run.outcomes[each.key, task.epsilon].error for run in runs])
    return Row(
        kind=kind.name,
        mechanism=each.name,
        key=f"{kind.name}/{each.key}",
        misfit=each.misfit(task),
        proved=each.error_bound(task),
        simulated=errors[np.isfinite(errors)],
        cannot=each.cannot,
    )


def measured(
    table: table_file.Table, key: str, curator: Curator, *, rng: checks.Seed
) -> tuple[float, float]:
    """A noisy largest error of one mechanism on the table itself, and the noise's scale.

    Statements: lesson Theorem 9.4.

    Costs the whole epsilon, and delta if the mechanism spends it. Proof. A sub-curator with
    epsilon / 2 pays for the answers, as the mechanism asks. Given them, the largest error is the
    largest |answer - truth| over public questions; replacing a record moves each truth by at most
    1/n of the largest possible answer, and so the largest error by no more. Laplace noise of scale
    2 / (n epsilon) on it costs the other half (basic composition).

    Parameters
    ----------
    key : "kind/mechanism"; not of a cluster, whose radius one record can move by any length
    curator : of basic composition, with the whole budget; all noise is drawn from it
    rng : of public randomness (a hash function); never of noise
    """
    whole = curator.budget
    kind, name, task = task_measured(table, key, epsilon=whole.epsilon, delta=whole.delta)
    mechanism = kind.mechanism(name)
    instance = kind.of_rows(task, table.rows)
    epsilon, delta = mechanism.spends(task)
    payer = curator.sub_curator(epsilon=epsilon, delta=delta, label=f"answers of {key}")
    error = mechanism.outcome(task, instance, rng=rng, curator=payer).error
    cost: dict[str, Any] = {
        "sensitivity": 1 / table.n,
        "epsilon": whole.epsilon / 2,
        "label": "their largest error",
    }
    return max(0.0, float(curator.laplace(error, **cost))), 2 / (table.n * whole.epsilon)


def task_measured(
    table: table_file.Table, key: str, *, epsilon: float, delta: float
) -> tuple[Kind, str, Task]:
    """Kind, key and task of a measurement, whose answers get half of epsilon.

    Raises ``ValueError`` if there is no such mechanism, or it does not fit the table's size.
    """
    kind, _, name = checks.choice("measure", key, measurable()).partition("/")
    task = task_for(kind, table.n, len(table.columns), epsilon=epsilon / 2, delta=delta)
    if reason := KINDS[kind].mechanism(name).misfit(task):
        raise ValueError(f"{key} does not fit this table: {reason}")
    return KINDS[kind], name, task


def measurable() -> list[str]:
    """What can be measured on a table.

    >>> "distance/release" in measurable(), "cluster/solver" in measurable()
    (True, False)
    """
    return [f"{kind.name}/{each.key}" for kind in KINDS.values() if kind.name != "cluster"
            for each in kind.mechanisms]  # fmt: skip


def compare(
    file: str,
    *,
    bounds: str | None,
    epsilon: float = 1.0,
    delta: float = 1e-6,
    trials: int = 5,
    measure: str | None = None,
    decimal: str | None = None,
) -> Iterator[str]:
    """The lines that ``dpviz compare`` prints.

    Parameters
    ----------
    file, bounds : paths of the private table and of its public bounds (module ``table_file``)
    epsilon, delta : budget of each mechanism; also of a measurement
    trials : simulated for each mechanism
    measure : "kind/mechanism" to be run on the table itself, charged
    decimal : "." or ",", how both files write decimals; if None, what could mean two is refused

    Raises
    ------
    ValueError
        If a file breaks a rule or a number is out of range; nothing of any record is said.
    """
    if bounds is None:
        raise ValueError(
            "--bounds is needed: a file with a line 'name, lower, upper' for each column, known "
            "without looking at the table; bounds read off the table would leak its extremes"
        )
    budget: dict[str, Any] = {"epsilon": checks.epsilon(epsilon), "delta": delta}
    curator = Curator(**budget, rng=np.random.default_rng(np.random.SeedSequence()))
    checks.integer("trials", trials, at_least=1)
    public = table_file.read_bounds(bounds, decimal)
    table = table_file.read(file, public, decimal)
    if measure is not None:
        task_measured(table, measure, **budget)
    yield from _said(table, budget)
    yield from _report(rows(table.n, len(table.columns), trials=trials, **budget))
    if measure is None:
        yield "Nothing was charged: the errors are simulated, the table was not asked."
        return
    rng = np.random.default_rng(np.random.SeedSequence())
    error, scale = measured(table, measure, curator, rng=rng)
    yield f"Measured on the table, largest error of {measure}: {error:.3g}, ± {scale:.2g} (noise)"
    yield curator.ledger.tree()


def _said(table: table_file.Table, budget: dict[str, float]) -> Iterator[str]:
    n = table.n
    columns = len(table.columns)
    many = "" if n == 1 else "s"
    wide = "" if columns == 1 else "s"
    yield f"{n} record{many}, {columns} column{wide}: these two numbers are taken as public."
    yield "Neighbouring tables differ in one replaced record. Values outside of the bounds are"
    yield "clipped to them; whether there are any is not counted and not said."
    cut = ", ".join(f"{kind} {min(columns, most)}" for kind, most in COLUMNS.items())
    yield f"Columns that count, from the first: {cut}."
    if n == 1:
        yield "With one record there is nobody to hide among: no private answer can tell anything."
    if n > MOST:
        yield f"Simulated with {MOST} records; the proved errors are those of {n}."
    yield f"Budget of each mechanism: epsilon {budget['epsilon']:g}, delta {budget['delta']:g}."
    yield "Errors: largest over the questions, as a share of the largest possible answer."


def _report(found: list[Row]) -> Iterator[str]:
    """A table of text for each kind, least simulated error first."""
    for name, kind in KINDS.items():
        mine = [row for row in found if row.kind == name]
        yield ""
        yield f"{name}: {kind.question} ({QUESTIONS[name]} asked; without data: {kind.without})"
        yield f"  {'mechanism':38} {'proved':>8} {'simulated':>10}  range"
        mine.sort(key=lambda row: np.median(row.simulated) if len(row.simulated) else math.inf)
        yield from (_line(row) for row in mine)
    yield ""


def _line(row: Row) -> str:
    proved = f"{row.proved:8.3g}" if math.isfinite(row.proved) else f"{'-':>8}"
    if row.misfit:
        return f"  {row.mechanism[:38]:38} {proved} {'refuses':>10}  {shorten(row.misfit, 70)}"
    low = row.simulated.min()
    high = row.simulated.max()
    middle = np.median(row.simulated)
    return f"  {row.mechanism[:38]:38} {proved} {middle:10.3g}  {low:.3g} to {high:.3g}"


def shorten(words: str, length: int) -> str:
    """Whole words of a text, with dots for what is left out.

    >>> shorten("too few records at this budget", 20)
    'too few records at …'
    """
    return textwrap.shorten(words, length, placeholder=" …")


def example(folder: str | Path, name: str = "wine", *, header: bool = True) -> tuple[str, str]:
    """Write one of the real data sets as CSV with its bounds; the two paths.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [Path(path).name for path in example(folder)]
    ['wine.csv', 'wine_bounds.csv']
    """
    from dpviz.data import real_sets

    real = real_sets.SETS[checks.choice("name", name, tuple(real_sets.SETS))]()
    paths = Path(folder) / f"{name}.csv", Path(folder) / f"{name}_bounds.csv"
    table_file.write(paths[0], real.columns if header else None, real.data)
    table_file.write_bounds(paths[1], real.columns, real.lower, real.upper)
    return str(paths[0]), str(paths[1])
