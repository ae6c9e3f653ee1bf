"""Measurements on one's own table: every mechanism that can be measured, and its largest error.

The budget is large, so that the answers are nearly the truth of one table; on the other table
the largest error is then by how far the truth moved, which is what is charged.
"""

import numpy as np
from registry import Entry

from dpviz.comparison import own_table, table_file
from dpviz.privacy.ledger import Cost

BUDGET = {"epsilon": 2000.0, "delta": 1e-6}
RECORDS = 40
CHARGED = "their largest error"
SPEND_DELTA = {
    "distance/tree",
    "distance/noise",
    "distance/joint",
    "sparse/mwem",
    "sparse/stable",
    "sparse/dense",
    "smooth/functional",
    "smooth/noise",
    "smooth/learner",
    "smooth/joint",
    "linear/mwem",
    "linear/gaussian",
    "linear/factor",
    "linear/pmw",
    "linear/adaptive",
}
# They answer so roughly, even at this budget, that the worst question is not the one that moves.
ROUGH = {
    "distance/offline": "a grid of questions, far apart",
    "distance/release": "noise, seen at a thousand places",
    "distance/noise": "noise on a thousand answers",
    "distance/joint": "noise on a thousand answers",
    "sparse/noise": "noise on each answer",
    "sparse/joint": "noise on each answer",
    "smooth/truncation": "few terms, and noise",
    "smooth/functional": "noise, seen at a thousand places",
    "smooth/histogram": "cells",
    "smooth/noise": "noise on a thousand answers",
    "smooth/joint": "noise on a thousand answers",
    "smooth/projected": "cells",
    "smooth/learner": "cells, and a few rounds",
    "smooth/shaped": "few terms, and noise",
    "smooth/bernstein": "a polynomial's bias",
    "linear/weights": "rule of thumb: answers are guesses",
}
SLOW = {"distance/interactive", "distance/grid"}  # thousands of checks; `tests/comparison`


class Loose(dict):
    """Of the answers nothing is asked here: the mechanism's own entry has its worst pair."""

    def __contains__(self, label):
        return label != CHARGED or super().__contains__(label)


def measured(key):
    def run(rows, curator):
        return own_table.measured(table_file.Table(("a",), rows), key, curator, rng=0)

    return run


def moved():
    """All records at one end of the only column; one of them goes to the other end."""
    rows = np.zeros((RECORDS, 1))
    other = rows.copy()
    other[0] = 1.0
    return rows, other


ENTRIES = [
    Entry(
        name=f"comparison.own_table.measured, {key}",
        run=measured(key),
        pairs=[moved()],
        budget=BUDGET,
        cost=Cost(**BUDGET) if key in SPEND_DELTA else Cost(epsilon=BUDGET["epsilon"]),
        loose=Loose({CHARGED: ROUGH[key]} if key in ROUGH else {}),
    )
    for key in own_table.measurable()
    if key not in SLOW
]
