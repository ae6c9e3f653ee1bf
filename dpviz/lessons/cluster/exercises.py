"""The exercises of lesson 07."""

from __future__ import annotations

import numpy as np

from dpviz.exercises.answers import RIGHT, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise, named
from dpviz.exercises.formulas import Formula, neighbours, uniform
from dpviz.exercises.program import Coding, Program, laplace
from dpviz.exercises.proofs import complete, design, find, repair


@named
def predict_mean() -> Exercise:
    """Where the mean of all rows lies."""
    options = {
        "in the cluster": "A quarter of the rows pull there. Where do the others pull?",
        "near the middle of the square": RIGHT,
        "at the edge of the cluster": "How far is a weighted mean from its heavier part?",
    }
    return Exercise(
        "<b>Predict.</b> A quarter of the rows stand in a small disc, the rest anywhere. Where "
        "does the mean of all rows lie?",
        Pick(options=options),
        [
            "Every row pulls with the same force.",
            "Three quarters of the rows average to the middle.",
        ],
        "Near the middle, a quarter of the way towards the disc.",
    )


@named
def three_move() -> Exercise:
    """Group privacy: three records are replaced."""
    slips = {
        4.0: "That is one record.",
        12.0: "Do factors add up, or do they multiply?",
        8.0: "So a weight may change. And the sum of all weights?",
    }
    return Exercise(
        "<b>Compute.</b> Each record doubles a weight. <i>Three</i> records are replaced. By which "
        "factor can a probability change at most?",
        Number(value=64.0, slips=slips),
        ["One after the other."],
        "4 × 4 × 4 = 64: for three records ε is 3ε.",
    )


@named
def predict_ratio() -> Exercise:
    """How wide the published ball is in fifty columns."""
    options = {
        "about as wide": RIGHT,
        "7 times, as √50": "A box is so much wider than a ball in it. Is the box averaged last?",
        "50 times": "Does the noise of a mean grow with d, or with its root?",
        "hundreds of times": "So the theorem proves, of a cell. What does recentring do?",
    }
    return Exercise(
        "<b>Predict.</b> n = 10,000, 50 columns: how much wider than the planted ball is that of "
        "<code>dpviz.one_cluster</code>?",
        Pick(options=options),
        ["See the end of <i>Watch it</i>."],
        "About as wide: the median ratio of 20 searches is 1.06.",
    )


@named
def predict_bits() -> Exercise:
    """Where RecConcave loses fewer rows than the exponential mechanism."""
    options = {
        "from about 8 bits": "log* is tiny there, but what multiplies it?",
        "from about 30 bits": "The exponential mechanism loses ln(number of radii). How many radii "
        "has a geometric grid?",
        "nowhere in the picture": RIGHT,
    }
    return Exercise(
        "<b>Predict.</b> From how many bits a coordinate does RecConcave lose fewer rows than the "
        "exponential mechanism, on a geometric grid of radii?",
        Pick(options=options),
        ["How many radii are on the grid if a coordinate has b bits?", "ln(__ × b), against log*."],
        "The number of radii is in proportion to the bits, so its logarithm hardly grows, and the "
        "constants of RecConcave are large.",
    )


@named
def predict_failure() -> Exercise:
    """The step that ends a search with too few rows."""
    options = {
        "the radius": "It is always one of the grid. Can drawing it fail?",
        "the step that names a box": RIGHT,
        "the recentring": "It needs a box first. Which count decides whether there is one?",
        "none: all find a ball": "Is a quarter of 950 far above the noise of a count?",
    }
    return Exercise(
        "<b>Predict.</b> n = 950, d = 50, a quarter of the rows in a cluster: at which step do "
        "most of the searches end that find no ball?",
        Pick(options=options),
        ["Which step has a threshold that keeps a single record from being seen?"],
        "The box is named only if its noisy count passes the threshold of Theorem 1.10.",
    )


@named
def sensitivity() -> Exercise:
    """E1: how far one record moves the score."""
    slips = {
        1: "The row that moves also is a centre: its own count may change by more.",
        10: "That is before averaging: over how many is the mean taken?",
        2: "Safe, and what the mechanisms pay for; but not exact. Which term did you drop?",
        19: "That is before averaging: over how many is the mean taken?",
    }
    return Exercise(
        "<b>E1, predict.</b> By how much at most does one replaced record move L at t = 10? (No "
        "null rows.)",
        Number(value=1.8, slips=slips, within=0.001),
        [
            "Every other count of the best ten moves by 1 at most.",
            "Its own count was at least 1 (it sees itself) and is at most 10.",
            "(9 + 10 − 1) / __",
        ],
        "Nine of the ten best counts belong to other centres, and each moves by at most 1. The "
        "tenth may be that of the record itself, which moves from 1 to 10 at most, by 9. The mean "
        "of ten moves by (9 + 9) / 10 = 1.8, in general by 2 − 2/t.",
    )


@named
def scaling() -> Exercise:
    """E2: half the budget, twice the rows."""
    slips = {
        1.06: "That is at the same ε. What does half of it cost?",
        2.2: "Is the error doubled, or the noise beside a cluster twice as large?",
        2.8: "What is n ε here?",
        1.44: "What is n ε here?",
    }
    return Exercise(
        "<b>E2, predict.</b> In the error figure, d = 50: which ratio do you expect at ε = 0.5 "
        "and n = 10,000?",
        Number(value=1.13, slips=slips, within=0.05),
        [
            "All noise is in proportion to 1 / (n ε).",
            "Find the n at which ε = 1 has the same product.",
            "n = 5,000: read the curve for d = 50 there.",
        ],
        "That of ε = 1 and n = 5,000, about 1.1.",
    )


@named
def raise_share() -> Exercise:
    """E3: what limits fifty axes."""
    options = {
        "the radius": "Is that radius far off? It is 1.2 to 1.9 planted radii in nearly every run.",
        "the box": "Was the box lost? Then there would be no ball at all.",
        "the averages": RIGHT,
        "the report": "It only measures how wide the ball must be.",
    }
    return Exercise(
        "<b>E3, change.</b> At d = 50 and n = 5,000 the centre is off by a third of the "
        "planted radius. Which step deserves a larger share?",
        Pick(options=options),
        [
            "Which step's noise has a part on every axis?",
            "Its length grows with √d.",
            "What does recentring make smaller?",
        ],
        "The averages: their noise is the ball's radius times √d over the rows in it.",
    )


@named
def break_it() -> Exercise:
    """E4: a shortcut that is not private."""
    options = {
        "take the largest distance found in the data as the ball's radius": RIGHT,
        "use a radius stated by law": "Public: it says nothing about a record.",
        "use the radius chosen in step 1": "An earlier, paid output: safe.",
        "use twice the radius that is needed": "Noisier, but private.",
    }
    return Exercise(
        "<b>E4, break.</b> The average clips to a ball whose radius sets the noise. Which choice "
        "of this radius breaks privacy?",
        Pick(options=options),
        [
            "Move the farthest record.",
            "Which of these numbers moves with it?",
            "The scale of noise is visible in many outputs.",
        ],
        "The data's own largest distance: a single record sets it. The transcript test sees this.",
    )


def _publish(count, *, epsilon, delta, rng):
    if count == 0:
        return 0  # an empty cell never shows: there is no end of them
    noisy = count + rng.laplace(scale=2 / epsilon)
    return noisy if noisy > 1 + 2 / epsilon * np.log(1 / (2 * delta)) else 0


def _publish_with(scale=2.0, above=1.0, half=2.0, exact=False, empty=False):
    """The same with another noise or threshold, one exact test, or noise on empty cells too."""

    def shown(count, *, epsilon, delta, rng):
        noisy = count + rng.laplace(scale=scale / epsilon)
        enough = above + scale / epsilon * np.log(1 / (half * delta))
        return noisy if (count or empty) and (count if exact else noisy) > enough else 0

    return shown


CELLS = [
    (
        _publish_with(empty=True),
        "Noise on a cell that nobody is in: how many such cells are there in an endless grid?",
    ),
    (
        _publish_with(exact=True),
        "Whether the cell shows then depends on its exact count. What should be compared?",
    ),
    (
        _publish_with(scale=1.0),
        "How many counts change when one record is replaced, and by how much each?",
    ),
    (
        _publish_with(above=0.0),
        "A cell that one record fills must show with probability δ. Where does its count start?",
    ),
    (
        _publish_with(half=1.0),
        (
            "The noise is above its middle half of the time only. Is your threshold higher "
            "than needed?"
        ),
    ),
]


def _cell_law(out, count, *, epsilon, delta, rng):
    """Uniform if what shows is the upper tail of Laplace noise around a count, and 0 the rest."""
    enough = np.array([1 + 2 / epsilon * np.log(1 / (2 * delta))])
    hidden = laplace(enough, count, 2 / epsilon)[0] if count else 1.0
    density = np.where(out > enough, laplace(out, count, 2 / epsilon), 0.0)
    return np.where(out == 0, rng.uniform(0, hidden, len(out)), density if count else 1.0)


@named
def write_cell(program: object = None) -> Exercise:
    """E5: one cell of a stability-based histogram."""
    question = (
        "<b>E5, write.</b> A box of the grid holds <code>count</code> records. Complete the "
        "function: it returns the noisy count of the stability-based histogram (Theorem 1.10) if "
        "the box is to be published at (ε, δ), and 0 if not. It is called for empty boxes, too."
    )
    answer = Program(
        solution=_publish,
        slips=CELLS,
        inputs=lambda rng: [(12, 1.0, 0.01), (1, 1.0, 0.25), (0, 1.0, 0.25), (5, 0.5, 0.1)],
        law=_cell_law,
        otherwise=lambda found, _: (
            "The box shows with another probability, or with another noise, than the theorem "
            "says. Which of the two can you compute by hand for a count of 1?"
        ),
    )
    hints = [
        "Three cases: an empty box, a noisy count below the threshold, one above it.",
        "Noise of scale 2/ε; a box with one record may show with probability δ only.",
        "enough = 1 + 2 / epsilon * np.log(1 / __)",
    ]
    why = "With a count of 1, the noise exceeds (2/ε) ln(1/(2δ)) with probability δ."
    return Coding(question, answer, hints, why, program)


@named
def prove_score() -> Exercise:
    """Complete: the sensitivity of the score of a radius."""
    return complete(
        """For each of n records let its count be the number of records within a radius r of it, but
        at most t, with t ≥ 2. The score of r is the mean of the t largest counts. Record j is
        replaced. Prove that the score grows by at most 2 − 2/t.""",
        """A < E ?: Divided by t: the score grows by at most 2 − 2/t.
        B: Every other count moves by at most 1.
        C ! Record j's own count moves by at most 1, too. // It may leave an empty place for a
        crowd.
        D < B: If j is among the new t largest, the counts of the t − 1 others grew by at most
        t − 1 together.
        E < B: If j is not among the new t largest, their sum grows by at most t, and t ≤ 2t − 2.
        F: j's own count is at most t now, and was at least 1, because j sees itself.
        ? < D F: In that case the sum of all t grows by at most __ (a formula in t).""",
        Formula(
            right="2*t - 2",
            draw=uniform(t=(2, 60)),
            slips={
                "2*t": "Record j's count was at least 1 before, and only t − 1 others grew.",
                "2*t-1": "One of the two: did j's own count begin at 0, or are there t others?",
                "t": "That is the other case.",
            },
        ),
        ["(t − 1) of the others and (t − 1) of j itself."],
        """Others' counts by 1. (1)
        j not among them: at most t, and t ≤ 2t − 2. (1)
        j among them: (t − 1) + (t − 1). The old t largest sum to at least the old counts of the
        same records. (3)
        Divided by t. (1)""",
    )


@named
def prove_loss() -> Exercise:
    """Find: what the exponential mechanism loses."""
    return find(
        """One of M candidates is drawn with probability proportional to e^(εq/2), where q is its
        score. Find an x(ε, M, β) such that, whatever the scores are, with probability at least
        1 − β the candidate drawn scores less than x below the best, in two lemmas.

        Lemma 1. A candidate that is x or more below the best is drawn at most e^(−εx/2) times as
        often as the best.

        Lemma 2. There are fewer than M of these.

        Type your x. It is compared with the worst scores for thousands of ε, M and β.""",
        Formula(
            right="(2/ε)*ln(M/β)",
            draw=uniform(ε=(0.05, 2.0), M=(2, 200), β=(0.001, 0.3)),
            least=lambda ε, M, β: np.maximum(0, 2 / ε * np.log((M - 1) * (1 - β) / β)),
            slips={
                "(1/ε)*ln(M/β)": "Which factor stands in the exponent?",
                "(2/ε)*ln(1/β)": "That is one bad candidate. How many are there?",
                "2*M/(ε*β)": "It holds, but is far from what the lemmas give.",
            },
            low="With one good candidate and M − 1 bad ones it fails",
            high="It holds, but the lemmas give less",
        ),
        ["M e^(−εx/2) = β."],
        """The ratio of two probabilities is the ratio of the weights. (2)
        All bad candidates together: less than M e^(−εx/2), times a probability of at most 1. (2)
        Set it equal to β and solve: x = (2/ε) ln(M/β). (1)""",
    )


@named
def prove_best_place() -> Exercise:
    """Repair: the best place is published."""
    return repair(
        """False claim. [0, 1) is cut into ten cells of length 0.1. The left end of the cell with
        the most records (of several, the first) is published with Laplace noise of scale 0.1/ε.
        This is ε-differentially private.

        Give a counterexample: the n records of D, and the n records of a neighbour D′. It is one if
        the left ends are farther apart than 0.1.""",
        """1: A replaced record moves the count of each cell by at most 1. // That is right.
        2: So the largest count moves by at most 1. // A maximum moves no more than its terms.
        3 ! So the cell in which it is attained moves by at most one cell.
        4: With noise of scale 0.1/ε its left end is ε-differentially private. // It would be, if
        line 3 were true.""",
        Numbers(
            check=_best_place,
            right="0.05, 0.05, 0.95, 0.95, 0.95, 0.05, 0.05, 0.05, 0.95, 0.95",
            wrong="0.05, 0.15, 0.05, 0.05",
        ),
        ["Let two cells that are far apart have nearly equal counts."],
        """A maximum is stable, the place of a maximum is not: line 3. (2)
        Two records at 0.05 and three at 0.95: one that is replaced moves the best cell by 0.9. (2)
        Repair: draw the cell by the exponential mechanism, with its count as the score; the score
        of each fixed cell has sensitivity 1. (2)""",
    )


def _best_cell(data: np.ndarray) -> float:
    """The left end of the first of ten cells of [0, 1) with the most records."""
    return float(np.bincount((data * 10 + 1e-9).astype(int), minlength=10).argmax() / 10)


def _best_place(typed: np.ndarray) -> str:
    """How far the best cell moves."""
    data = neighbours(typed, 0, 1)
    if isinstance(data, str):
        return data
    if typed.max() >= 1:
        return "A record lies below 1."
    moved = abs(float(np.diff(list(map(_best_cell, data)))[0]))
    if moved > 0.1 + 1e-9:
        return RIGHT
    return f"The best cell moves by {moved:.1f}. Which counts have to be nearly equal?"


@named
def prove_no_grid() -> Exercise:
    """Design: no finite list of candidates."""
    options = {
        "privacy: the score of a candidate moves by more than 1": "The count of a fixed interval "
        "moves by at most 1, wherever the interval lies.",
        "accuracy: M candidates became infinitely many": RIGHT,
        "post-processing: an interval is no number any more": "A function of what was published is "
        "free, whatever it returns.",
        "nothing: the exponential mechanism needs no list": "Over which set is the probability "
        "normalised?",
    }
    return design(
        """The public grid is taken away: records are any real numbers, and an interval of a fixed
        length may lie anywhere. Which line of the proof breaks, that the exponential mechanism
        finds an interval with almost as many records as the best one? Choose, then say what could
        be done instead.""",
        Pick(options=options),
        ["The loss is (2/ε) ln(M/β)."],
        """Privacy holds for every family of fixed intervals; the loss (2/ε) ln(M/β) is infinite,
        and over all reals the weights have no finite sum. (2)
        Instead: shift a grid by a public random number, count its cells, and name only cells whose
        noisy count exceeds a level (Theorem 1.10). Empty cells never show, so their number does not
        matter. (2)
        It costs a δ, and a crowd must exceed the level, which grows like ln(1/δ)/ε. (1)
        A shift may cut the crowd: use cells that are longer than the interval, and several shifts.
        (1)""",
    )
