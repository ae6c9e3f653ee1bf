"""Every mechanism of the comparison under its protocol, on a table of one column.

The sensitivities are attained in the entries of the mechanisms themselves.
"""

from dataclasses import replace

import numpy as np
from registry import Entry

from dpviz.comparison.mechanisms.kinds import KINDS
from dpviz.comparison.mechanisms.task import Task
from dpviz.privacy.ledger import Cost

BUDGET = {"epsilon": 1000.0, "delta": 1e-6}
RECORDS = 40
QUESTIONS = 20


class Loose(dict):
    """Nothing is asked here of how far a quantity moves, but that it is paid for."""

    def __contains__(self, label):
        return True


def outcome(kind, mechanism):
    task = Task(n=RECORDS, d=1, k=QUESTIONS, **BUDGET)

    def run(rows, curator):
        instance = replace(kind.of_rows(task, rows), judge=np.asarray)  # its answers, not its error
        epsilon, delta = mechanism.spends(task)
        payer = curator.sub_curator(epsilon=epsilon, delta=delta, label=mechanism.key)
        return mechanism.outcome(task, instance, rng=0, curator=payer).error

    return run


def entries():
    """All but those of clusters, whose tables are larger; they have entries of their own."""
    rows = np.zeros((RECORDS, 1))
    other = rows.copy()
    other[0] = 1.0
    for kind in KINDS.values():
        for mechanism in kind.mechanisms if kind.name != "cluster" else ():
            epsilon, delta = mechanism.spends(Task(n=RECORDS, d=1, k=QUESTIONS, **BUDGET))
            yield Entry(
                name=f"comparison, {kind.name}/{mechanism.key}",
                run=outcome(kind, mechanism),
                pairs=[(rows, other)],
                budget=BUDGET,
                cost=Cost(epsilon=epsilon, delta=delta),
                loose=Loose(),
            )


ENTRIES = list(entries())
