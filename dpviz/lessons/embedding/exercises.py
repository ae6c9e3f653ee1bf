"""The exercises of lesson 04."""

from __future__ import annotations

import numpy as np

from dpviz.exercises.answers import RIGHT, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise, named
from dpviz.exercises.formulas import Formula, neighbours, uniform
from dpviz.exercises.program import Coding, Program
from dpviz.exercises.proofs import complete, design, find, repair
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


@named
def prove_two_errors() -> Exercise:
    """Complete: distortion and privacy add up."""
    return complete(
        """Distances d(x, y) are at most 1, and the distance of two rows, times a public factor, is
        d̂(x, y), with a d ≤ d̂ ≤ b d for all pairs and a ≤ 1 ≤ b. A release answers the averages of
        d̂ within η. Prove how far its answers are from the averages F(y) of d.""",
        """A < B ?: By the triangle inequality every answer is off by at most that plus η.
        B: The released average of d̂ is off by at most η.
        C: For each record (a − 1) d ≤ d̂ − d ≤ (b − 1) d.
        D ! For each record (1 − a) d ≤ d̂ − d. // As a ≤ 1, that would make d̂ at least d.
        ? < C: As 0 ≤ d ≤ 1, the averages of d̂ and of d differ by at most __ (a formula in a and
        b).""",
        Formula(
            right="max(1 - a, b - 1)",
            draw=uniform(a=(0.05, 1.0), b=(1.0, 4.0)),
            slips={
                "b-a": "It holds, but one distance is not too long and too short at once.",
                "b-1": "And where rows are too near each other?",
                "1-a": "And where rows are too far from each other?",
                "b/a": "That is the distortion, a ratio. Here a difference is asked for.",
            },
        ),
        ["Which is the larger in size, (a − 1) d or (b − 1) d?"],
        """For each record d̂ − d lies between (a − 1) d and (b − 1) d. (2)
        With d ≤ 1 its size is at most max(1 − a, b − 1), and so is that of an average. (2)
        The release adds η, by the triangle inequality. (1)""",
    )


@named
def prove_turning_lines() -> Exercise:
    """Find: the worst stretch of the shadows on N lines."""
    return find(
        """A segment in the plane is projected onto N lines through a point, neighbouring ones at
        the angle π/N, and the lengths of its N shadows are added up. As the segment turns, this sum
        varies. Find the ratio of its largest to its smallest value, as a formula in N, in three
        lemmas. (The constant is pi; there are cos and sin.)

        Lemma 1. Between two directions that are orthogonal to lines, the sum is A cos(φ − φ_0).

        Lemma 2. So it is smallest at such a direction.

        Lemma 3. By symmetry it is largest midway between two of them.

        Type the ratio. It is compared with thousands of directions for N from 2 to 40.""",
        Formula(
            right="1/cos(pi/(2*N))",
            draw=uniform(N=(2, 40)),
            least=_stretch,
            most=_stretch,
            slips={
                "1/cos(pi/N)": "How far is the middle from the ends of a piece?",
                "cos(pi/(2*N))": "That is the smallest over the largest.",
                "1.41": "That is N = 2.",
            },
            high="No direction has so large a ratio",
        ),
        ["A sum of cosines of one frequency is a cosine.", "The directions are π/N apart."],
        """Between kinks no shadow changes its sign, so the sum is one cosine. (2)
        A cosine is concave where it is positive, so it is smallest at an end of the piece. (2)
        All pieces are alike up to a turn by π/N, and symmetric, so φ_0 is the middle. (1)
        The ratio is cos(0)/cos(π/(2N)). (1)""",
    )


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


@named
def prove_own_scale() -> Exercise:
    """Repair: a map that looks at the data."""
    return repair(
        """False claim. Records in (0, 1] are mapped to rows x/M, where M is the largest record, and
        the average of the n rows is published with Laplace noise of scale 1/(nε). M itself is not
        published. This is ε-differentially private, because a mechanism that is ε-differentially
        private for rows is so for records.

        Give a counterexample: the n records of D, and the n records of a neighbour D′. It is one if
        the two averages are farther apart than 1/n.""",
        """1: For a fixed M each row depends on its own record only, so D and D′ differ in one row.
        // For a fixed map that is right.
        2: Rows lie in [0, 1], so the average of rows has sensitivity 1/n for neighbouring rows. //
        One row moves by at most 1. That is right.
        3 ! M is not published, so the rows of D and of D′ differ in one row only.
        4: So the published average is ε-differentially private. // It would follow. Which line
        before it fails?""",
        Numbers(check=_own_scale, right="0.1, 0.1, 0.1, 0.1, 0.1, 1", wrong="1, 1, 1, 1, 1, 0.5"),
        ["What happens to all other rows if the largest record is replaced?"],
        """If the largest record is replaced, M changes and with it every row: line 3. (2)
        D = (0.1, 0.1, 0.1) has the rows 1, 1, 1; with the last record replaced by 1 they are 0.1,
        0.1, 1: the average moves by 0.6, not by 1/3. (2)
        Repair: M is a public bound, or a bound that was bought with a share of the budget; then
        each record moves its own row only (Theorem 4.2). (2)""",
    )


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


@named
def prove_pairs() -> Exercise:
    """Design: a record that changes several rows."""
    return design(
        """A record now changes up to s rows (it is a small graph of towns, say), and the mechanism
        is (ε, δ)-differentially private if one row is replaced. What becomes of Theorem 4.2? For
        records ε becomes s ε. What does δ become? Type a formula in s, ε and δ that a chain of s
        neighbours proves.""",
        Formula(
            right="δ*(exp(s*ε) - 1)/(exp(ε) - 1)",
            draw=uniform(s=(1, 6), ε=(0.05, 1.5), δ=(1e-7, 1e-4)),
            most=lambda s, ε, δ: s * np.exp((s - 1) * ε) * δ,
            slips={
                "s*δ": "δ does not only add up: the second step multiplies the first one's by e^ε.",
                "δ": "Each row that is replaced adds a δ.",
                "exp(s*ε)*δ": "One δ after s steps. Each of the s steps brings its own.",
            },
            low="That is less than the chain proves",
        ),
        ["p_0 ≤ e^ε p_1 + δ and p_1 ≤ e^ε p_2 + δ.", "A geometric sum."],
        """“One record, one row” breaks; the rows of D and D′ are joined by a chain of s
        neighbours. (2)
        p_0 ≤ e^ε p_1 + δ ≤ e^ε (e^ε p_2 + δ) + δ, and so on. (2)
        After s steps the factor is e^(sε), and δ becomes δ (1 + e^ε + … + e^((s−1)ε)) =
        δ (e^(sε) − 1)/(e^ε − 1). (2)
        So ask the mechanism for ε/s, and for a δ that is smaller by that factor. (1)""",
    )
