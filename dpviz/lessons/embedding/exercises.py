"""The exercises of lesson 04."""

from __future__ import annotations

import numpy as np

from dpviz.exercises.answers import RIGHT
from dpviz.exercises.declared import makers
from dpviz.exercises.formulas import neighbours
from dpviz.exercises.program import Program
from dpviz.papers.distance_queries.embeddings.frechet import scales
from dpviz.papers.distance_queries.embeddings.l1_embedding import rows_changed


def _sums(numbers: np.ndarray) -> str:
    slips = [
        "Star: which of the three cuts have m on one side and a on the other?",
        "Star: the cut around a and the cut around b both separate the two.",
        "Square: one cut separates left from right, the other top from bottom. Which separate "
        "a and c?",
    ]
    off = np.flatnonzero(numbers != [1, 2, 2])
    return slips[off[0]] if len(off) else RIGHT


def _leaks(weights: np.ndarray) -> str:
    """Run the one-row test on ten records of which the largest is replaced."""
    own, asked, public, largest = weights
    data = np.arange(1.0, 11.0)
    neighbour = np.append(data[:-1], 5.0)

    def embed(records: np.ndarray) -> np.ndarray:
        shift = asked * 0.5 + public * 0.37
        return (own * records + shift + largest * records / records.max())[:, None]

    moved = rows_changed(embed, data, neighbour)
    if moved > 1:
        return RIGHT
    if not moved:
        return "No row moved at all. Private, but what does it say about distances?"
    if public:
        return "One row moved: the test holds. Randomness that ignores the records is no leak."
    if asked:
        return "One row moved: the test holds. Queries are public."
    return "One row moved: the test holds. Whose record does each part use?"


def _coordinates(distances, subsets):
    columns = [distances[:, subset].min(axis=1) for subset in subsets]
    return np.transpose(columns) / len(subsets)


def _columns(reach, weight=len):
    """Coordinates with another distance to a set, or another weight."""

    def coordinates(distances, subsets):
        columns = [reach(distances[:, subset], axis=1) for subset in subsets]
        return np.transpose(columns) / weight(subsets)

    return coordinates


COORDINATES = {
    "sum": _columns(np.min, weight=lambda subsets: 1),
    "farthest": _columns(np.max),
    "mean": _columns(np.mean),
    "root": _columns(np.min, weight=lambda subsets: np.sqrt(len(subsets))),
}


def _network(rng):
    """Distances of ten points in the plane, and four sets of them."""
    points = rng.uniform(size=(10, 2))
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    return apart, [rng.permutation(10)[:size].tolist() for size in (1, 2, 4, 7)]


def _stretch(N: np.ndarray) -> np.ndarray:
    """Largest over smallest sum of N shadows, over 2,001 directions of a segment.

    >>> _stretch(np.array([2.0, 4.0])).round(2)
    array([1.41, 1.08])
    """

    def ratio(lines: int) -> float:
        directions = np.linspace(0, np.pi / lines, 2001)[:, None]
        sums = np.abs(np.cos(directions - np.arange(lines) * np.pi / lines)).sum(axis=1)
        return float(sums.max() / sums.min())

    return np.array([ratio(int(lines)) for lines in np.unique(N)])[
        np.unique(N, return_inverse=True)[1]
    ]


def _own_scale(typed: np.ndarray) -> str:
    """How far the average of rows moves if each data set has its own scale."""
    data = neighbours(typed, 0, 1)
    if isinstance(data, str):
        return data
    if min(map(np.min, data)) <= 0:
        return "A record lies above 0."
    moved = abs(float(np.diff([np.mean(own / own.max()) for own in data])[0]))
    n = len(data[0])
    if moved > 1 / n + 1e-9:
        return RIGHT
    return f"The averages differ by {moved:.3g}, no more than 1/{n}. Which record sets the scale?"


globals().update(
    makers(
        __name__,
        add_cuts={"check": _sums},
        how_many_scales={"number": scales(77)},
        break_it={"check": _leaks},
        write_coordinates=Program(
            solution=_coordinates,
            slips=COORDINATES,
            inputs=lambda rng: [_network(rng), _network(rng)],
        ),
        prove_turning_lines={"least": _stretch, "most": _stretch},
        prove_own_scale={"check": _own_scale},
    )
)
