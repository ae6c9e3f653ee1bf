"""A plan run on records of one's own: paid from a ledger's file, before anything is drawn.

Statements: lesson Theorem 9.3; lesson Theorem 9.4.

``dpviz plan`` names one call of the front door, what it spends and what is proved of it; here it is
made. The noise is OpenDP's unless numpy's is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.door import frames, means, payment, readings
from dpviz.door.plans import BALLS, Plan
from dpviz.door.sources import pieces
from dpviz.door.terms import Result, Terms, promise
from dpviz.privacy import ledger_file
from dpviz.privacy.account import NOTHING
from dpviz.privacy.curator import BudgetExceeded, Charge, Cost
from dpviz.privacy.ledger_file import FileLedger

LEVY = "by Levy's field"
ASKED_AT_ONCE = ("linear_queries", "sparse_queries")
Sides = Sequence[tuple[float, float]]
Row = tuple[Any, ...]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Table:
    """What a plan is run on.

    Attributes
    ----------
    records : private, what the front door takes, sources of pieces too; of linear queries the
        number of records in each cell
    columns : names, public
    bounds : pairs, public, in this order; None where records are no numbers
    queries : public questions: array (k, d), or lists of names, of one name where they are counted;
        None where there are none
    blocks : gives the records some at a time; None where only the front door can read them
    """

    records: Any
    columns: tuple[str, ...] = ()
    bounds: Sides | None = None
    queries: Any = None
    blocks: Callable[[], Iterable[NDArray]] | None = None


@dataclass(frozen=True, kw_only=True)
class Payment:
    """Who pays, and for what beside the plan itself.

    Attributes
    ----------
    ledger : path of the ledger's file
    dataset, unit : what must stand in it
    noise : "opendp", or "floats" (numpy's), whose last bits can give records away
    measure : a further epsilon, for the noisy largest error of the answers; or None
    select : mean number of the runs of which the best is published (:func:`selected`); or None
    """

    ledger: str
    dataset: str
    unit: str = "one record"
    noise: str = "opendp"
    measure: float | None = None
    select: int | None = None

    def cost(self, plan: Plan) -> Cost:
        """What is charged."""
        extra = self.measure or 0.0
        return Cost(epsilon=plan.spends.epsilon + extra, delta=plan.spends.delta)

    def check(self, plans: Sequence[Plan]) -> None:
        """Raise what can be known before a record is read."""
        payment.Curator(epsilon=1.0, noise=self.noise)
        if (len(plans) > 1) != (self.select is not None):
            raise ValueError("several plans need --select RUNS, and --select needs several plans")
        if self.select is not None:
            check_selectable(plans)
        if self.measure is not None:
            checks.number("measure", self.measure, above=0)
            check_measurable(plans[0])
        undrawn = [plan.winner for plan in plans if not plan.is_of_opendp]
        if self.noise == "opendp" and undrawn:
            raise ValueError(
                f"OpenDP cannot draw what {undrawn[0]} needs, or not in minutes: such a plan needs "
                "noise='floats', which is not for data that are private"
            )
        held = ledger_file.read(self.ledger)
        ledger_file.fits(held, self.ledger, dataset=self.dataset, unit=self.unit)
        cost = self.cost(plans[0])
        charge = held.cost(epsilon=cost.epsilon, delta=cost.delta)
        ledger_file.affordable(held, self.ledger, charge)


@dataclass(frozen=True, eq=False, kw_only=True)
class Answers:
    """What a run publishes.

    Attributes
    ----------
    plan : Plan that ran
    n : int, records
    rows : for each question what was asked, and the answer; for each ball its centre and radius
    errors : array, with probability 1 - ``plan.beta`` no answer is farther off; inf: not proved
    largest : the noisy largest error and its noise's scale, if they were paid for
    ledger : FileLedger after the charge
    """

    plan: Plan
    n: int
    rows: list[Row]
    errors: NDArray
    largest: tuple[float, float] | None
    ledger: FileLedger


class FiledCurator(payment.Curator):
    """A curator whose whole budget is charged to a ledger's file before anything is drawn.

    Parameters
    ----------
    reserve : called once, before the first draw; if it raises, nothing is drawn
    budget : as of `dpviz.Curator`
    """

    def __init__(self, reserve: Callable[[], object], **budget: Any) -> None:
        super().__init__(**budget)
        self._reserve = reserve
        self.reserved = False

    def _pay(self, charge: Charge, child: Any = None) -> None:
        super()._pay(charge, child)
        if not self.reserved and charge.cost != NOTHING:
            self._reserve()
            self.reserved = True

    def _child(self, budget: dict[str, Any]) -> Any:
        return _curator(self.noise, self._rng, budget)


def run(
    plans: Sequence[Plan], table: Table, pay: Payment, *, rng: checks.Seed | None = None
) -> Answers:
    """Charge a plan to a ledger's file, run it on a table, and give the answers.

    Parameters
    ----------
    plans : one; or, with ``pay.select``, several
    rng : a seed of noise="floats", where it must be reproducible

    Raises
    ------
    ValueError, TypeError, BudgetExceeded, ModuleNotFoundError
        Before anything is charged; where something is, the sentence says so.
    """
    pay.check(plans)
    first = plans[0]
    for plan in plans:
        check_places(plan, table)
        levy = plan.is_euclidean and plan.spends.delta
        if levy and not _promised(plan, table).chosen.startswith(LEVY):
            raise ValueError(
                f"{plan.winner} asks the records again: they must be in memory, and many enough; "
                "else make a plan for delta 0"
            )
    cost = pay.cost(first)
    named = " or ".join(dict.fromkeys(plan.winner for plan in plans))
    what = f"{named}: {first.kind}{', and its largest error' if pay.measure else ''}"
    charged: list[FileLedger] = []

    about: dict[str, Any] = {"dataset": pay.dataset, "unit": pay.unit, "plan": first.digest}
    about |= {"epsilon": cost.epsilon, "delta": cost.delta, "mechanism": what}

    def reserve() -> None:
        charged.append(ledger_file.reserve(pay.ledger, **about))

    budget: dict[str, Any] = {"epsilon": cost.epsilon, "delta": cost.delta, "rng": rng}
    curator = FiledCurator(reserve, **budget, noise=pay.noise)
    try:
        if pay.select is None:
            plan, result = first, release(first, table, curator)
        else:
            secret = payment.fresh(rng) if rng is None else checks.generator(rng).spawn(1)[0]
            plan, result = selected(plans, table, curator, runs=pay.select, rng=secret)
        rows, errors = answered(plan, table, result)
        if pay.select is not None:  # what is proved of one run is not of the best of many
            errors = np.full(len(rows), math.inf)
        largest = None
        if pay.measure is not None:
            largest = measured(plan, table, rows, curator, epsilon=pay.measure)
    except (ValueError, TypeError, BudgetExceeded) as problem:
        if not curator.reserved:
            raise
        raise ValueError(f"{problem}; the ledger was charged before this, and stays so") from None
    how: dict[str, Any] = {"rows": rows, "errors": errors, "largest": largest}
    return Answers(plan=plan, n=result.n, ledger=charged[-1], **how)


def release(plan: Plan, table: Table, curator: payment.Curator, *, share: float = 1.0) -> Result:
    """What a plan releases. Costs what it spends, of the ``curator``.

    Parameters
    ----------
    share : of the plan's epsilon that is spent

    Raises
    ------
    TypeError, ValueError, BudgetExceeded
        As the function of the front door does, before anything is paid.
    """
    verb = _call(plan, table, share)
    return cast(Result, verb(curator=curator))


def check_places(plan: Plan, table: Table) -> None:
    """Raise ``ValueError`` if a release will not answer at the public places: it is asked there
    when it is paid."""
    if plan.answer is None or plan.kind not in ("distances", "kernels"):
        return
    columns = table.columns or tuple(f"column {i}" for i in range(plan.question["columns"]))
    pairs = dict(zip(columns, table.bounds or (), strict=True))
    places = frames.places("queries", table.queries, columns, pairs)
    if plan.is_euclidean and plan.spends.delta:
        from dpviz.papers.distance_queries.embeddings.negative_type import LARGEST

        if len(np.unique(places, axis=0)) > LARGEST:
            raise ValueError(f"queries must be at most {LARGEST} different ones for {plan.winner}")


def _promised(plan: Plan, table: Table) -> Terms:
    """What the call promises; nothing is paid."""
    call = _call(plan, table)
    return promise(call.func, *call.args, **call.keywords)


def _call(plan: Plan, table: Table, share: float = 1.0) -> partial[Any]:
    """The call of the front door, all but its curator."""
    import dpviz

    records = table.records
    bounds = table.bounds
    how = {**plan.arguments, "epsilon": share * plan.spends.epsilon}
    if plan.kind in BALLS:
        how["t"] = max(1, round(plan.question["share"] * readings.table("table", records).n))
    if plan.transform is not None:  # sums are exact, so it does not matter what is read together
        bounds = values(plan, table)[1]
        records = pieces(lambda: values(plan, table)[0])
    if bounds is not None:
        how["bounds"] = bounds
    asked = (table.queries,) if plan.function in ASKED_AT_ONCE else ()
    return partial(getattr(dpviz, plan.function), records, *asked, **how)


def answered(plan: Plan, table: Table, result: Any) -> tuple[list[Row], NDArray]:
    """The ``rows`` and ``errors`` of :class:`Answers`, from a release. Free: post-processing."""
    if plan.kind in BALLS:
        balls = list(result) if plan.kind == "clusters" else [result]
        rows: list[Row] = [(*map(float, ball.center), float(ball.radius)) for ball in balls]
        return rows, np.full(len(rows), result.error_bound(beta=plan.beta))
    source = result
    queries = table.queries
    if plan.answer == "kernels":
        widths = [plan.question["width"] * (high - low) for low, high in table.bounds or ()]
        source = result.kernels(queries, widths)
    elif plan.answer == "answer" and plan.kind == "strings":
        queries = [name for [name] in queries]
    found = result.answer(queries) if plan.answer == "answer" else np.atleast_1d(np.asarray(source))
    sides = np.ones(len(found))
    if plan.function == "means":
        pairs = table.bounds if plan.transform is None else values(plan, table)[1]
        sides = np.ptp(np.array(pairs), axis=1)
    labels = _labels(plan, table, len(found))
    rows = [(*label, float(value)) for label, value in zip(labels, found, strict=True)]
    each = plan.beta / len(found) if plan.function == "sparse_counts" else plan.beta
    return rows, sides * source.error_bound(beta=each)  # counts: proved of one name, so of all


def measured(
    plan: Plan, table: Table, rows: Sequence[Row], curator: payment.Curator, *, epsilon: float
) -> tuple[float, float]:
    """The noisy largest error of published answers, and the noise's scale; costs ``epsilon``.

    Statements: lesson Theorem 9.4.

    As a share of the largest possible answer. Given the answers, replacing one of n records moves
    each mean by at most 1/n of its side, and so the largest error by no more than 1/n.

    Raises ``ValueError`` for balls, and for records that only the front door can read.
    """
    check_measurable(plan)
    parts, sides = values(plan, table)
    low, high = np.array(sides).T
    totals = np.zeros(len(low))
    n = 0
    for part in parts:
        totals += (np.clip(part, low, high) - low).sum(axis=0)
        n += len(part)
    answers = np.array([row[-1] for row in rows]) / (n if plan.counts else 1)
    shares = np.clip((answers - low) / (high - low), 0, 1)
    error = float(np.abs(shares - totals / (n * (high - low))).max())
    cost: dict[str, Any] = {"sensitivity": 1 / n, "epsilon": epsilon}
    noisy = curator.laplace(error, **cost, label="their largest error")
    return float(np.clip(noisy, 0, 1)), 1 / (n * epsilon)


def check_measurable(plan: Plan) -> None:
    """Raise ``ValueError`` where no error can be measured."""
    if plan.kind in BALLS:
        raise ValueError(
            "the error of a ball cannot be measured: one record moves it by any length"
        )


def selected(
    plans: Sequence[Plan], table: Table, curator: payment.Curator, *, runs: int, rng: checks.Seed
) -> tuple[Plan, Result]:
    """The best of a random number of runs, by their noisy errors; costs the plans' epsilon.

    Statements: lesson Theorem 9.3.

    A run takes one of the plans at random and costs a third: half of it for the answers, half for
    their largest error. Of a geometric number of runs only the best is published, which costs three
    times one run (Liu and Talwar 2019).

    Parameters
    ----------
    plans : as :func:`check_selectable` asks
    runs : mean of the number of runs, which stays secret, as does how long they take
    rng : of that number and of which plan is taken; secret
    """
    check_selectable(plans)
    checks.integer("runs", runs, at_least=1)
    rng = checks.generator(rng)
    epsilon = plans[0].spends.epsilon
    curator.sub_curator(epsilon=epsilon, label=f"the best of about {runs} runs")
    noise = getattr(curator, "noise", "floats")
    best: tuple[float, Plan, Result] | None = None
    for _ in range(int(rng.geometric(1 / runs))):
        plan = plans[int(rng.integers(len(plans)))]
        own = _curator(noise, rng.spawn(1)[0], {"epsilon": epsilon / 3})
        result = release(plan, table, own, share=1 / 6)
        rows, _ = answered(plan, table, result)
        score, _ = measured(plan, table, rows, own, epsilon=epsilon / 6)
        if best is None or score < best[0]:
            best = score, plan, result
    assert best is not None  # a geometric number is at least 1
    return best[1], best[2]


def check_selectable(plans: Sequence[Plan]) -> None:
    """Raise ``ValueError`` unless plans ask the same questions at the same epsilon, pure."""
    for plan in plans:
        check_measurable(plan)
        if plan.spends != Cost(epsilon=plans[0].spends.epsilon):
            raise ValueError("plans to select from must spend the same epsilon, and no delta")
        if plan.question != plans[0].question:
            raise ValueError("plans to select from must ask the same questions")


def values(plan: Plan, table: Table) -> tuple[Iterator[NDArray], Sides]:
    """The numbers of which the answers are means, (m, k) for m records at a time; and between
    which bounds they lie. Private."""
    if table.blocks is None:
        raise ValueError("noise on each answer, and a measured error, need records from a file")
    parts = table.blocks()
    queries = table.queries
    if plan.kind in ("distances", "kernels"):
        asked = {"queries": queries, "bounds": table.bounds, "width": plan.question.get("width")}
        asked["metric"] = plan.question.get("metric", "l1")
        sides = means.transformed(plan.kind, np.zeros((0, len(queries[0]))), **asked)[1]
        return (means.transformed(plan.kind, part, **asked)[0] for part in parts), sides
    if plan.kind == "linear":
        weights = np.asarray(queries, dtype=float).T
        return (weights[part.ravel().astype(int)] for part in parts), [(0.0, 1.0)] * len(queries)
    if plan.kind == "strings":
        return (_carried(part, queries) for part in parts), [(0.0, 1.0)] * len(queries)
    return iter(parts), table.bounds or ()


def _carried(names: NDArray, queries: Sequence[Sequence[str]]) -> NDArray:
    """Whether each record carries one of the names of each question."""
    groups = list(map(set, queries))
    labels, places = np.unique(names, return_inverse=True)
    carried = [[label in group for group in groups] for label in labels]
    return np.array(carried, dtype=float)[places]


def _labels(plan: Plan, table: Table, k: int) -> list[Row]:
    """What was asked, in cells."""
    if plan.kind in ("mean", "means"):
        return [(name,) for name in table.columns]
    if plan.kind == "strings":
        return [(" ".join(query),) for query in table.queries]
    if plan.kind == "linear":
        return [(i,) for i in range(1, k + 1)]
    return [tuple(map(float, place)) for place in np.reshape(table.queries, (k, -1))]


def _curator(noise: str, stream: np.random.Generator, budget: dict[str, Any]) -> payment.Curator:
    """A curator of the front door with noise of this kind."""
    rng = None if noise == "opendp" else stream
    return payment.Curator(**budget, noise=noise, rng=rng)
