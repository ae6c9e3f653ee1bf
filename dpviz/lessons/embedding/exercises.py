"""The exercises of lesson 04."""

from __future__ import annotations

import numpy as np

from dpviz.exercises.answers import RIGHT, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise, named
from dpviz.exercises.program import Coding, Program
from dpviz.papers.distance_queries.embeddings.frechet import scales
from dpviz.papers.distance_queries.embeddings.l1_embedding import rows_changed


@named
def add_cuts() -> Exercise:
    """By hand: three sums of cuts."""
    return Exercise(
        "<b>Compute</b> three sums of cuts: of <i>ma</i> and of <i>ab</i> on the star after its "
        "three cuts, and of <i>ac</i> on the square after its two.",
        Numbers(check=_sums, right="1, 2, 2", wrong="1, 1, 2", count=3),
        ["Count the cuts that have the two towns on different sides."],
        "1, 2, 2. Each is the number of hops.",
    )


def _sums(numbers: np.ndarray) -> str:
    slips = [
        "Star: which of the three cuts have m on one side and a on the other?",
        "Star: the cut around a and the cut around b both separate the two.",
        "Square: one cut separates left from right, the other top from bottom. Which separate "
        "a and c?",
    ]
    off = np.flatnonzero(numbers != [1, 2, 2])
    return slips[off[0]] if len(off) else RIGHT


@named
def predict_cast() -> Exercise:
    """Nearest to all appearances, and farthest."""
    options = {
        "Valjean nearest, Jondrette farthest": RIGHT,
        "Valjean nearest, Napoleon farthest": "One of the two has a tie that leads to the centre.",
        "Marius nearest, Jondrette farthest": "Who meets more of those who appear often?",
        "Javert nearest, Napoleon farthest": "Who meets more of those who appear often?",
    }
    return Exercise(
        "<b>Predict.</b> Valjean, Gavroche, Cosette, Marius, Fantine, Javert, Napoleon, Jondrette: "
        "which of them is nearest to all appearances, on average, and which is farthest?",
        Pick(options=options),
        ["Whom does everybody meet?", "Who is met only by one who is met by few?"],
        "The figure has the averages; Jondrette hangs on the network by a single tie.",
    )


@named
def predict_contraction() -> Exercise:
    """The worst pair of the network at 256 sets."""
    options = {
        "about 1": "Then the sets would separate every pair fully.",
        "about 6": RIGHT,
        "about 30": "That is nearer to one scale of the bound. Is a network the worst metric?",
        "about 170": "That is the proved bound, for the worst of all metrics.",
    }
    return Exercise(
        "<b>Predict.</b> How large is the contraction of the worst of all pairs, with K = 256 sets "
        "at each scale?",
        Pick(options=options),
        ["There are six scales for 39 queries.", "At how many of the scales is a near pair apart?"],
        "A near pair is separated by few of the sets, but by more than at worst.",
    )


@named
def predict_larger() -> Exercise:
    """Which of the two errors dominates."""
    options = {
        "the noise of privacy": "With n = 1,640 and ε = 1? Keep your guess until the experiment.",
        "the distortion of the map": RIGHT,
        "about the same": "They differ by more than a factor of ten. Keep your guess.",
    }
    return Exercise(
        "<b>Predict.</b> The appearances are mapped into coordinates, and these are released "
        "privately. Which makes the larger error in the answers, at ε = 1?",
        Pick(options=options),
        ["One of the two shrinks when there are more records. Which?"],
        "The map: it shrinks most distances to less than a third, and no budget changes that.",
    )


@named
def predict_projections() -> Exercise:
    """What many random projections cost."""
    options = {
        "20 times as much budget": "What is charged for: coordinates, or how far a row can move?",
        "√20 times as much noise": "That would be so if each projection were as wide as the first.",
        "no privacy, only time": RIGHT,
    }
    return Exercise(
        "<b>Predict.</b> 4,000 projections instead of 200: what does it cost?",
        Pick(options=options),
        ["Each projection is divided by the number of projections. How wide is the whole box?"],
        "Time. The box keeps its total width, so the release adds the same noise.",
    )


@named
def predict_expansion() -> Exercise:
    """E1: the expansion."""
    options = {
        "rarely": "Then find one set that does it.",
        "with few sets": "What is averaged, and how large can each part be?",
        "if a set is empty": "A real hole: what does the code do with an empty set?",
        "it never can": RIGHT,
    }
    return Exercise(
        "<b>E1, predict.</b> Can an embedded distance in Fréchet coordinates exceed the true one?",
        Pick(options=options),
        [
            "Look at one set first.",
            "The triangle inequality: from x to the set by way of y.",
            "An average of numbers, each of which is at most __.",
        ],
        "Never: |d(x, S) − d(y, S)| ≤ d(x, y) for every set, and the weights add up to 1. An "
        "empty set has no distance, so it is drawn again.",
    )


@named
def how_many_scales() -> Exercise:
    """E2: the number of scales."""
    slips = {
        6: "2⁶ is less than 77: at the last scale, how many queries are left?",
        6.27: "A number of scales is a whole number.",
        77: "Scales, not sets.",
        8: "At scale i each query is kept with chance 1/2^(i − 1). What is it at i = 8?",
    }
    return Exercise(
        "<b>E2, predict.</b> How many scales does the map have for k = 77 queries?",
        Number(value=scales(77), slips=slips),
        [
            "Scale 1 keeps all queries.",
            "Each scale keeps half as many; the last keeps about one.",
            "⌊log₂ __⌋ + 1.",
        ],
        "Scale i keeps each of the 77 queries with probability 1/2^(i − 1), so on average 77, "
        "38.5, 19.3, 9.6, 4.8, 2.4 and 1.2 of them. An eighth scale would keep less than one. "
        "Hence ⌊log₂ 77⌋ + 1 = 6 + 1 = 7.",
    )


@named
def more_projections() -> Exercise:
    """E3: how the distortion falls."""
    slips = {
        0.25: "Which power of the number of projections is that?",
        1.0: "Look at the picture again.",
        0.0625: "Which power of the number of projections is that?",
    }
    return Exercise(
        "<b>E3, change.</b> Let the lines be drawn at random. By what factor does the relative "
        "error of the distances change if there are four times as many?",
        Number(value=0.5, within=0.1, slips=slips),
        ["An average of independent numbers.", "Its spread falls like one over a root.", "1/√__."],
        "1/√4 = 1/2.",
    )


@named
def break_it() -> Exercise:
    """E4: an embedding that looks at other people's records."""
    return Exercise(
        "<b>E4, break.</b> Row of a record x: a·x + b·(mean of the queries) + c·(a random "
        "number, drawn beforehand) + d·x/(the largest record). Type a, b, c, d so that the "
        "one-row test fails.",
        Numbers(check=_leaks, right="1, 0, 0, 1", wrong="1, 1, 1, 0", count=4),
        [
            "Which of the four parts uses somebody else's record?",
            "Queries are public; a random number is not a record.",
            "The one-row test fails only if __ is not 0.",
        ],
        "Any d that is not 0: replace the largest record, and every row moves. Rescaling by the "
        "data's own maximum is a common leak.",
    )


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


COORDINATES = [
    (
        _columns(np.min, weight=lambda subsets: 1),
        (
            "Each coordinate is right by itself. How far apart can two rows then be in the ℓ1 "
            "distance?"
        ),
    ),
    (_columns(np.max), "That is the distance to the farthest member."),
    (
        _columns(np.mean),
        "That is the mean distance to the members. Which of them does one walk to?",
    ),
    (
        _columns(np.min, weight=lambda subsets: np.sqrt(len(subsets))),
        "A root is the weight for Euclidean length. In ℓ1 the differences are added.",
    ),
]


def _network(rng):
    """Distances of ten points in the plane, and four sets of them."""
    points = rng.uniform(size=(10, 2))
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    return apart, [rng.permutation(10)[:size].tolist() for size in (1, 2, 4, 7)]


@named
def write_coordinates(program: object = None) -> Exercise:
    """E5: Fréchet coordinates as a function."""
    question = (
        "<b>E5, write.</b> <code>distances</code> holds the distance of each point to each other "
        "one, <code>subsets</code> lists of points. Complete the function: it returns a row of "
        "Fréchet coordinates for each point, weighted so that no two rows are further apart in ℓ1 "
        "than their points, whatever the subsets are."
    )
    answer = Program(
        solution=_coordinates, slips=COORDINATES, inputs=lambda rng: [_network(rng), _network(rng)]
    )
    hints = [
        "One column for each set: the distance of all points to it.",
        "The distance to a set is that to its nearest member; the columns' weights add up to 1.",
        "columns = [distances[:, subset].__(axis=1) for subset in subsets]",
    ]
    why = "Each column differs by at most the distance; the mean of the columns then does too."
    return Coding(question, answer, hints, why, program)
