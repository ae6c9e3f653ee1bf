"""The exercises of lesson 02."""

from __future__ import annotations

import numpy as np

from dpviz.exercises.answers import RIGHT, Curve, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise, named
from dpviz.exercises.formulas import Formula, uniform
from dpviz.exercises.program import Coding, Program
from dpviz.exercises.proofs import complete, design, find, repair
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.distance_queries.learner.convex_learner import Tangents, learn
from dpviz.papers.distance_queries.learner.mistake_bounds import mistake_bound


@named
def predict_order() -> Exercise:
    """Whether the order of the queries matters."""
    options = {
        "the order does not matter": "When was the last tangent learnt before a query, in each?",
        "random takes fewest": RIGHT,
        "random takes most": "From left to right, where does the next query lie after a mistake?",
    }
    return Exercise(
        "<b>Predict.</b> The queries come from left to right, from right to left, or at random. "
        "How does their order change the number of mistakes?",
        Pick(options=options),
        ["From left to right, on which side of a tangent's place do the next queries lie?"],
        "A tangent learnt in the middle serves on both sides, one learnt on a walk on one only.",
    )


@named
def predict_planes() -> Exercise:
    """How mistakes grow with the dimension."""
    options = {
        "by a few for each dimension": "That would be one learner for each coordinate.",
        "twice as many for each dimension": "How many places of a cube are far from each other?",
        "more than five times as many for each dimension": RIGHT,
    }
    return Exercise(
        "<b>Predict.</b> Records spread evenly: at α = 0.02 one dimension takes at most eight "
        "mistakes. How does the number grow if tangent planes learn the distance in 2, 3 and 4 "
        "dimensions?",
        Pick(options=options),
        ["A plane is good near its place only.", "How many such places has a line, and a cube?"],
        "As many as places far enough from each other: about 7 to the power of the dimension.",
    )


@named
def predict_curve() -> Exercise:
    """The average distance to a single record in the middle."""
    places = (0.0, 0.25, 0.5, 0.75, 1.0)
    heights = AverageDistance([0.5]).value(np.array(places))
    return Exercise(
        "<b>Draw.</b> One bottle stands at 0.5. Drag the curve of the distance to it, at the "
        "places 0, 0.25, 0.5, 0.75 and 1.",
        Curve(places=places, heights=heights.tolist(), within=0.05, low=0.0, high=1.0),
        ["How far is the place 0 from 0.5?", "And the place 0.5 from itself?"],
        "0.5, 0.25, 0, 0.25, 0.5: a V with its foot at the bottle.",
    )


@named
def forced_mistakes() -> Exercise:
    """E1: the sharp bound at one alpha."""
    slips = {
        45: "Mistakes come in whole numbers: which way must one round?",
        96: "That is the paper's bound. Is it reached?",
        1024: "Is that a slope of −1?",
        32: "From where to where do the slopes run?",
    }
    return Exercise(
        "<b>E1, predict.</b> How many mistakes do the worst data force at α = 2⁻¹⁰ = 1/1024?",
        Number(value=mistake_bound(2**-10), slips=slips),
        [
            "Where did the rectangles come from, and how large must each be?",
            "Widths add up to at most 1, heights to at most 2; most fit if all are equal.",
            "√(2 × __), and which way to round?",
        ],
        "Between any two neighbouring mistakes lies a rectangle of area above α; the sides of all "
        "add up to at most 1 and 2, and most fit if all are equal. This gives ⌈√(2/α)⌉ mistakes, "
        "which the worst data reach: ⌈√(2 × 1024)⌉ = ⌈45.25⌉ = 46.",
    )


@named
def wider_box() -> Exercise:
    """E2: a domain of another width."""
    slips = {
        15: "Which side of the box grew?",
        60: "Does the count grow with the width or with its root?",
        57: "Does the count grow with the width or with its root?",
        8: "Would a wider box hold fewer rectangles?",
        30: "Fewer than 1 + a root: is the whole number itself allowed?",
    }
    return Exercise(
        "<b>E2, change.</b> Do not rescale: alcohol runs from 11 to 15 per cent, and α = 0.01 "
        "per cent. At most how many mistakes?",
        Number(value=mistake_bound(0.01, width=4), slips=slips),
        [
            "The box was 2 by 1. What are its sides now?",
            "Slopes still run from −1 to +1; places now span 4.",
            "Fewer than 1 + √(__/0.01).",
        ],
        "The box is 2 by 4, so T &lt; 1 + √(8/0.01) = 29.3: at most 29.",
    )


@named
def build_worst() -> Exercise:
    """E3: place records so that the bound is attained."""
    return Exercise(
        "<b>E3, break.</b> Place records in [0, 1] so that α = 0.02 forces 10 mistakes. They are "
        "asked at your records and at 1, from left to right. Type them with commas; fractions "
        "such as 1/3 are fine.",
        Numbers(check=_attack, right="0, 1/9, 2/9, 3/9, 4/9, 5/9, 6/9, 7/9, 8/9", wrong="0.5"),
        [
            "Equal rectangles.",
            "One step fewer than mistakes; each record makes one step of the slope.",
            "With m records the steps are 2/m and 1/m: you need 2/m × 1/m > __.",
        ],
        "0, 1/9, ..., 8/9. The left slope at a record is the one from before its kink, so each "
        "tangent misses the next place by exactly 2/81 &gt; 0.02.",
    )


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


GUESSES = [
    (
        lambda *case: _tangents(*case)[0].min(),
        "Every tangent lies below the curve. Which of them is then the best guess?",
    ),
    (
        lambda *case: (_tangents(*case)[1] - _tangents(*case)[2] * _tangents(*case)[3]).max(),
        "Is the curve at a place rising if more records lie to the left of it, or falling?",
    ),
    (
        lambda y, places, data: np.max(
            _tangents(y, places, data)[1] + _tangents(y, places, data)[2] * y
        ),
        "A tangent passes through its value at its own place, not at 0.",
    ),
    (
        lambda *case: _tangents(*case)[0][np.abs(_tangents(*case)[3]).argmin()],
        "The tangent of the nearest place is not always the highest one.",
    ),
    (
        lambda *case: _tangents(*case)[1][np.abs(_tangents(*case)[3]).argmin()],
        "That repeats the nearest answer, and may be above the curve. Which slope does it have?",
    ),
]


@named
def write_guess(program: object = None) -> Exercise:
    """E4: the cutting-plane model of an average distance."""
    question = (
        "<b>E4, write.</b> G(t) is the average distance |t − x| from t to the records x in "
        "<code>data</code>. The learner has its tangents at <code>places</code>. Complete the "
        "function: it returns the learner's guess of G at the number y."
    )
    answer = Program(
        solution=_guess,
        slips=GUESSES,
        inputs=lambda rng: [
            (float(y), rng.uniform(size=5), rng.beta(2, 8, size=30)) for y in rng.uniform(size=40)
        ],
    )
    hints = [
        "Of each tangent you need the value and the slope of G at its place.",
        "The slope is the share of records to the left less the share to the right; np.sign helps.",
        "return np.max(values + slopes * (y - __))",
    ]
    why = "The guess is the highest tangent: no tangent of a convex function lies above it."
    return Coding(question, answer, hints, why, program)


@named
def prove_rectangles() -> Exercise:
    """Complete: the mistake bound in a box of any size."""
    return complete(
        """Records and queries lie in an interval of length w, and the slopes of the convex curve G
        in an interval of length h. The learner guesses the highest tangent that it knows. Prove a
        bound on the number T of mistakes, guesses that are too low by more than α.""",
        """A < E: For neighbouring places of mistakes, of which one was measured first, the product
        of the step of the slope and the step of the place is larger than α.
        B: All steps of the place add up to at most w, all steps of the slope to at most h.
        C ! The tangent at p lies above G at q, because G is convex. // Of a convex curve every
        tangent lies below the curve.
        D < ?: So T is below 1 + √(wh/α).
        E: The tangent at p lies below G at q by at most the step of the slope times the step of the
        place, because the slopes between p and q lie between those at p and at q.
        ? < A B: By Cauchy and Schwarz (T − 1)√α is less than the sum of the roots of these
        products, which is at most __ (a formula in w and h).""",
        Formula(
            right="sqrt(w*h)",
            draw=uniform(w=(0.1, 9.0), h=(0.1, 9.0)),
            slips={
                "w*h": "The sum of √a√b is at most the root of a sum times the root of another.",
                "(w+h)/2": "It holds, but Cauchy and Schwarz give the geometric mean.",
            },
        ),
        ["Σ √a_j √b_j ≤ √(Σ a_j) √(Σ b_j)."],
        """The tangent misses by at most the product of the two steps. (2)
        At a mistake it missed by more than α, so each of the T − 1 products is above α. (2)
        Cauchy and Schwarz with the sums w and h: √w √h. (2)
        Solved for T. (1)""",
    )


@named
def prove_nearest_value() -> Exercise:
    """Find: the mistakes of a learner that knows values only."""
    return find(
        """A curve on an interval of length w is never steeper than 1; nothing else is known of it.
        A learner guesses at y the value that it was told at the nearest place, and is told the
        value wherever it is off by more than α (the first query is told in any case). Find a bound
        on the number of told values, as a formula in w and α, in two lemmas.

        Lemma 1. Where it is off by more than α, the nearest told place is farther away than α.

        Lemma 2. So all told places are farther apart than α.

        Type your bound. It is compared with the most places that fit, for thousands of w and α.""",
        Formula(
            right="1 + w/α",
            draw=uniform(w=(0.1, 9.0), α=(0.01, 0.9)),
            least=lambda w, α: np.ceil(w / α),
            slips={
                "w/α": "How many places have k steps between them?",
                "sqrt(2*w/α)": "That bound needs slopes, and a convex curve.",
            },
            low="More places than that fit",
        ),
        ["How long are T − 1 gaps, each longer than α?"],
        """The guess is the value at a distance of at most the error, because the curve is not
        steeper than 1: an error above α needs a distance above α. (2)
        This holds for each told place and those before it, hence for all pairs. (1)
        T − 1 gaps longer than α fit into w, so T is below 1 + w/α. (2)""",
    )


@named
def prove_slope_error() -> Exercise:
    """Repair: a tangent with a wrong slope."""
    return repair(
        """False claim. The oracle tells the exact value of G at a place p, but its slope is off by
        s, perhaps even in sign. The learner's guess, the highest of the lines that it was told, is
        still never above G.

        Give a counterexample: the records in [0, 1], then three numbers: a place p, an error s that
        is added to the slope at p (from the left), and a y at which the told line is above G.""",
        """1: The exact tangent at p lies below G everywhere. // G is convex: this is right.
        2: At y the told line differs from the exact tangent by s(y − p). // Both pass through the
        same point and their slopes differ by s, so it is right.
        3 ! The told line touches G at p, and G is convex, so it lies below G everywhere.
        4: The highest of several lines below G lies below G. // That is right for any lines below.
        """,
        Numbers(check=_slope_error, right="0.5, 0.2, 0.5, 0.4", wrong="0.5, 0.2, 0, 0.4"),
        ["Which lines through a point of G lie below G?", "On a straight piece, only one does."],
        """Only subgradients belong to lines below G; a line of another slope crosses G at p: line
        3. (2)
        One record at 0.5, p = 0.2, s = 0.5: at 0.4 the line has 0.3 − 0.5 · 0.2 = 0.2, G has 0.1.
        (2)
        Repair: the guess is above G by at most |s||y − p|; Theorem 2.5 counts the mistakes of a
        learner whose oracle errs so. (2)""",
    )


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


@named
def prove_squares() -> Exercise:
    """Design: squared distances."""
    return design(
        """Distances are replaced by their squares: G(y) is the mean of (x_i − y)², for records and
        queries in an interval of length w. The oracle tells values and slopes, and the learner
        guesses the highest tangent. Which lines of the proof change? Type a bound on the number of
        mistakes larger than α, as a formula in w and α, and prove it. (The first query may be a
        mistake in any case.)""",
        Formula(
            right="1 + w/sqrt(α)",
            draw=uniform(w=(0.2, 5.0), α=(0.001, 0.03)),
            least=lambda w, α: np.ceil(w / np.sqrt(α)),
            most=lambda w, α: 1 + w * np.sqrt(2 / α),
            slips={
                "sqrt(2*w/α)": "That has slopes from −1 to 1. How far do they range now?",
                "1+w/α": "By how much does a tangent of a parabola miss it at a distance x?",
            },
            low="More mistakes than that can be forced",
        ),
        ["Expand G(q) − G(p) − G′(p)(q − p).", "It is (q − p)², whatever the records are."],
        """Slopes now range over an interval of length 2w, so the old proof gives 1 + w√(2/α). (2)
        Better: a tangent misses by exactly (q − p)², so places of mistakes are farther apart than
        √α. (2)
        T − 1 such gaps fit into w: T is below 1 + w/√α. (2)
        The bound depends on w, no longer on its root: a parabola is curved everywhere. (1)""",
    )
