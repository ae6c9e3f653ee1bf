"""Runs of plans: what is new in them, noise on transformed records and the measured error.

The rest is what the front door pays, whose entries have the worst pairs.
"""

import numpy as np
from registry import Entry

from dpviz.door import runs
from dpviz.door.plans import Plan
from dpviz.door.runs import Table
from dpviz.privacy.ledger import Cost

BUDGET = {"epsilon": 2000.0, "delta": 1e-6}
MEASURED = 1000.0
CHARGED = "their largest error"
ENDS = (np.zeros((40, 1)), np.array([[0.0]] * 39 + [[1.0]]))
NAMES = (np.array(["a"] * 40, dtype=object), np.array(["a"] * 39 + ["b"], dtype=object))
CELLS = (np.zeros((40, 1)), np.array([[0.0]] * 39 + [[1.0]]))
WHERE = {
    "mean": {},
    "means": {},
    "distances": {"questions": 1},
    "kernels": {"questions": 1, "width": 0.1},
    "linear": {"queries": [[1.0, 0.0]]},
    "strings": {},
}


def plan(kind, function, delta=0.0, transform=None, answer=None):
    return Plan(
        question={"kind": kind, **WHERE[kind]},
        n=40,
        beta=0.05,
        winner="a mechanism",
        function=function,
        arguments={"delta": delta} if delta else {"seed": 1} if function == "sparse_counts" else {},
        transform=transform,
        answer=answer,
        spends=Cost(epsilon=MEASURED, delta=delta),
        digest="",
    )


def table(kind, data):
    """The one question of each kind is answered by 0 at one end and by 1 at the other."""
    blocks = lambda: iter([data])  # noqa: E731
    how = {"columns": ("a",), "blocks": blocks}
    if kind == "strings":
        return Table(records=list(data), queries=[["b"]], **how)
    if kind == "linear":
        counts = np.bincount(data.ravel().astype(int), minlength=2)
        return Table(records=counts, queries=np.array(WHERE["linear"]["queries"]), **how)
    return Table(records=data, bounds=[(0.0, 1.0)], queries=np.zeros((1, 1)), **how)


def entry(kind, function, pair, loose, **how):
    planned = plan(kind, function, **how)

    def run(data, curator):
        """The answers, and their noisy largest error."""
        records = table(kind, data)
        rows, errors = runs.answered(planned, records, runs.release(planned, records, curator))
        return rows, errors, runs.measured(planned, records, rows, curator, epsilon=MEASURED)

    delta = how.get("delta", 0.0)
    return Entry(
        name=f"door.runs, {kind} by {function}{' and noise on each' if 'transform' in how else ''}",
        run=run,
        pairs=[pair],
        budget=BUDGET,
        cost=Cost(epsilon=2 * MEASURED, delta=delta),
        loose=loose,
    )


def selected(data, curator):
    """What is charged hangs on no record; by Theorem 9.3 the runs have curators of their own."""
    plans = [plan("mean", "mean"), plan("mean", "means")]
    runs.selected(plans, table("mean", data), curator, runs=2, rng=0)


TERMS = {"moments": "few terms", CHARGED: "a polynomial's bias"}
ENTRIES = [
    entry("mean", "mean", ENDS, {}),
    entry("means", "means", ENDS, {}, delta=1e-6),
    entry("distances", "means", ENDS, {}, transform="distances"),
    entry("kernels", "means", ENDS, {}, transform="kernels"),
    entry("distances", "distances", ENDS, {"Haar coefficients": "see door"}, answer="answer"),
    entry("kernels", "smooth_summary", ENDS, TERMS, answer="kernels"),
    entry("linear", "linear_queries", CELLS, {}),
    entry("strings", "sparse_queries", NAMES, {}),
    entry("strings", "sparse_counts", NAMES, {}, answer="answer"),
    Entry(
        name="door.runs.selected",
        run=selected,
        pairs=[ENDS],
        budget=BUDGET,
        cost=Cost(epsilon=MEASURED),
    ),
]
