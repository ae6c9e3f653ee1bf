"""The exercises of lesson 02."""

from __future__ import annotations

import numpy as np

from dpviz.exercises.answers import RIGHT, Curve
from dpviz.exercises.declared import makers
from dpviz.exercises.program import Program
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import Tangents, learn
from dpviz.papers.distance_queries.learner.mistake_bounds import mistake_bound


def _curve() -> dict[str, Curve]:
    """The average distance to one record at 0.5."""
    places = (0.0, 0.25, 0.5, 0.75, 1.0)
    heights = AverageDistance([0.5]).value(np.array(places)).tolist()
    return {"answer": Curve(places=places, heights=heights, within=0.05, low=0.0, high=1.0)}


def _attack(records: np.ndarray) -> str:
    """Run the learner on the records that were typed."""
    if records.min() < 0 or records.max() > 1:
        return "Please keep all records between 0 and 1."
    places = np.append(np.unique(records), 1.0)
    run = learn(Tangents(), AverageDistance(records), np.unique(places), 0.02)
    if run.mistakes == mistake_bound(0.02):
        return RIGHT
    if len(places) == 2:
        return f"{run.mistakes} mistakes. One kink: how many tangents does that need?"
    if len(places) > mistake_bound(0.02):
        return f"{run.mistakes} mistakes. Does each rectangle still exceed α?"
    return f"{run.mistakes} mistakes. Are the rectangles equal, and do they fill the box?"


def _guess(y, places, data):
    apart = places[:, None] - data  # a row for each place
    values = np.abs(apart).mean(axis=1)
    slopes = np.sign(apart).mean(axis=1)
    return np.max(values + slopes * (y - places))


def _tangents(y, places, data):
    """Height at y of each tangent, and the value, slope and way that it has."""
    apart = places[:, None] - data
    values = np.abs(apart).mean(axis=1)
    slopes = np.sign(apart).mean(axis=1)
    return values + slopes * (y - places), values, slopes, y - places


GUESSES = {
    "lowest": lambda *case: _tangents(*case)[0].min(),
    "slope": lambda *case: (_tangents(*case)[1] - _tangents(*case)[2] * _tangents(*case)[3]).max(),
    "origin": lambda y, places, data: np.max(
        _tangents(y, places, data)[1] + _tangents(y, places, data)[2] * y
    ),
    "nearest": lambda *case: _tangents(*case)[0][np.abs(_tangents(*case)[3]).argmin()],
    "value": lambda *case: _tangents(*case)[1][np.abs(_tangents(*case)[3]).argmin()],
}


def _slope_error(typed: np.ndarray) -> str:
    """Compare a told line with the curve."""
    if len(typed) < 4:
        return "Please type records, and then p, s and y."
    records, (p, s, y) = typed[:-3], typed[-3:]
    if min(*records, p, y) < 0 or max(*records, p, y) > 1:
        return "Records, p and y lie between 0 and 1."
    if s == 0:
        return "With s = 0 the slope is exact."
    curve = AverageDistance(records)
    slope = np.mean(np.where(records < p, 1.0, -1.0))
    line, height = curve.value(p) + (slope + s) * (y - p), curve.value(y)
    if line > height + 1e-12:
        return RIGHT
    heights = f"At y the told line has {line:.3g} and G has {height:.3g}."
    return f"{heights} On which side of p does s raise the line?"


globals().update(
    makers(
        __name__,
        predict_curve=_curve,
        forced_mistakes={"number": mistake_bound(2**-10)},
        wider_box={"number": mistake_bound(0.01, width=4)},
        build_worst={"check": _attack},
        write_guess=Program(
            solution=_guess,
            slips=GUESSES,
            inputs=lambda rng: [
                (float(y), rng.uniform(size=5), rng.beta(2, 8, size=30))
                for y in rng.uniform(size=40)
            ],
        ),
        prove_slope_error={"check": _slope_error},
    )
)
