"""The exercises of lesson 08."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from dpviz.exercises.answers import RIGHT, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise, named
from dpviz.exercises.formulas import Formula, uniform
from dpviz.exercises.program import Coding, Program
from dpviz.exercises.proofs import complete, design, find, repair
from dpviz.lessons.fat_shattering import experiments
from dpviz.papers.fat_shattering import reconstruction
from dpviz.papers.fat_shattering.lower_bounds import exact_epsilon

BETA = 0.1  # of E4


GUESSED = ("about 22", "about 42", "about 57", "all 64")


@named
def predict_larger_error() -> Exercise:
    """Counts with errors of a quarter of their size."""
    slips = (
        "So few would be wrong more often than a coin.",
        "That is what one guesses without any counts.",
        RIGHT,
        "Do 256 counts average all of it out?",
    )
    return Exercise(
        "<b>Predict.</b> Of how many of the 64 patients is the attack by 256 counts right, on "
        "average?",
        Pick(options=dict(zip(GUESSED, slips, strict=True))),
        ["256 equations, 64 unknowns."],
        "Each unknown is estimated with an error of sd about 0.4, and cut at one half.",
    )


@named
def predict_monotone() -> Exercise:
    """Non-decreasing functions at a quarter."""
    slips = {
        1: "That is so for thresholds. May the second level be higher than the first?",
        4: "How far apart must two levels be?",
        3: "Is there room for a margin at both ends?",
    }
    return Exercise(
        "<b>Predict.</b> How many points do the non-decreasing functions with values in [0, 1] "
        "shatter at γ = 0.25?",
        Number(value=math.floor(1 / (2 * 0.25)), slips=slips),
        ["High, then low: at least how much higher must the second level be?", "1/(2 × __)"],
        "Levels climb by 2γ = 1/2 from one point to the next, between γ and 1 − γ: two.",
    )


TWICE = (
    "no: each answer is as noisy as before",
    "yes: a good part of the noise is undone",
    "yes: all diagnoses are recovered",
)


@named
def predict_twice() -> Exercise:
    """More questions against the same noise."""
    slips = (
        "What does an average of noisy answers do?",
        RIGHT,
        "The spread of an average of m falls like 1/√m only.",
    )
    return Exercise(
        "<b>Predict.</b> The noise has standard deviation 2.8. Do twice as many counts help the "
        "attacker?",
        Pick(options=dict(zip(TWICE, slips, strict=True))),
        ["Which number of equations does least squares average over?"],
        "Twice the equations divide the error of each unknown by √2 or more.",
    )


@named
def fitting_databases() -> Exercise:
    """By hand: how many databases fit, for another number of patients."""
    databases = np.array(list(np.ndindex(*[2] * 5)))
    off = np.abs((databases - [1, 1, 1, 0, 0]) @ databases.T).max(axis=1)
    slips = {
        9: "That was two well and two ill patients. How many are there of each here?",
        6: "Can a database be wrong about a well and about an ill patient at once?",
        7: "Each choice among the ill goes with each choice among the well.",
        32: "Does a database fit that calls all five ill?",
    }
    return Exercise(
        "<b>By hand.</b> Five patients, three of them ill, E = 1. How many of 32 databases fit?",
        Number(value=float((off <= 1).sum()), slips=slips),
        ["How many choices among the ill?"],
        "Among the ill no error or one: 4 choices. Among the well: 3. 4 × 3 = 12.",
    )


@named
def known_diagnoses() -> Exercise:
    """What small errors leave hidden of many patients."""
    slips = {
        950: "Ill patients can be missing, and well ones can be called ill. Did you count both?",
        975: "Both databases are within 25 of each published count. How far from each other?",
        25: "Is that how many are wrong?",
        100: "That is how many can be wrong.",
        0: "Does the number of patients stand in the bound?",
    }
    return Exercise(
        "<b>Count.</b> A database fits the counts of all groups of 1,000 patients, each off by at "
        "most 25. Of how many patients, at least, does it say the truth?",
        Number(value=1000.0 - reconstruction.reconstruction_bound(25, 0.5, spread=0), slips=slips),
        ["4E of them can be wrong."],
        "1,000 − 4 × 25 = 900.",
    )


@named
def monotone_dimension() -> Exercise:
    """E1: monotone functions at gamma = 0.1."""
    slips = {
        10: "How far apart are two levels?",
        1: "Those are yes/no thresholds. What can values in between do?",
        4: "Is there room for a level at each end?",
        20: "Does a smaller margin leave fewer points?",
    }
    return Exercise(
        "<b>E1, predict.</b> At most how many points do the non-decreasing functions with values "
        "in [0, 1] shatter at γ = 0.1, on any number of cells?",
        Number(
            value=5,
            slips=slips,
            otherwise="Try the pattern high, then low: what does it ask of the levels?",
        ),
        [
            "Look at the pattern high, low on two neighbours.",
            "The function cannot fall, so the levels must climb by at least twice the margin.",
            "1/(__ γ)",
        ],
        "Levels climb by 2γ = 0.2 a point, and need γ of room at both ends: 1/0.2 = 5.",
    )


@named
def cells_wrong() -> Exercise:
    """E2: the reach of Lemma 2."""
    slips = {
        3: "The sets have equal sizes: can they differ in an odd number of cells?",
        3.2: "A number of cells is whole.",
        4: "4 is above 4e/γ. Is it allowed?",
        0.8: "What divides, and what multiplies?",
        6: "4e, once.",
    }
    limit = reconstruction.reconstruction_bound(0.2, 0.25)
    return Exercise(
        "<b>E2, predict.</b> All answers are within e = 0.2; γ = 0.25; the attack guesses among "
        "sets of seven cells. In at most how many cells can its guess differ from the truth?",
        Number(value=math.floor(limit / 2) * 2, slips=slips),
        ["4e/γ.", "Both sets have seven cells.", "The largest even number up to __."],
        "Theorem 8.6 allows 4e/γ = 4 × 0.2/0.25 = 3.2 cells, so at most three. Two sets of seven "
        "cells that differ in one cell of the one also differ in one cell of the other, so the "
        "number is even: 2.",
    )


@named
def line_to_beat() -> Exercise:
    """E3: the base rate."""
    rate = float(experiments.patients().mean())
    slips = {
        0.5: "22 of 64 are malignant. What would you say without any counts?",
        rate: "That is the other side.",
        math.e / (1 + math.e): "That is a ceiling for fair bits at ε = 1, not a floor.",
    }
    return Exercise(
        "<b>E3, change.</b> 22 of the 64 lumps are malignant. Which share must an attack beat "
        "before it has told us anything about a patient?",
        Number(value=1 - rate, within=0.001, slips=slips),
        ["What would you say if you knew nothing but the 22?", "Say it of everybody.", "1 − 22/__"],
        "Say “benign” to all: 42/64 = 0.656.",
    )


@named
def break_the_proviso() -> Exercise:
    """E4: answers that are private and exact."""
    right = f"10, {math.ceil(exact_epsilon(10, beta=BETA))}"
    return Exercise(
        "<b>E4, break.</b> By Theorem 2, private answers have errors. Whole numbers of people: "
        "publish each cell with Laplace noise of scale 1/ε and round. Find n ≥ 2 cells and an ε "
        "for which all n counts are exact with probability at least 0.9. Type n and ε.",
        Numbers(check=_exact_enough, right=right, wrong="10, 1", count=2),
        [
            "When does rounding undo the noise?",
            "One cell is wrong if its noise is beyond 1/2: probability exp(−ε/2).",
            "n exp(−ε/2) ≤ __",
        ],
        "Any ε ≥ 2 ln(n/0.1) does, for instance n = 10 and ε = 9.3. So the theorem needs a "
        "dimension that is large against e^ε; as stated it does not say so.",
    )


def _exact_enough(numbers: np.ndarray) -> str:
    """The chance that every rounded count is right."""
    cells, epsilon = numbers
    if cells < 2 or cells != int(cells):
        return "Please take a whole number of cells, at least 2."
    if epsilon <= 0:
        return "ε is above 0."
    chance = max(0.0, 1 - math.exp(-epsilon / 2)) ** cells
    if chance >= 1 - BETA:
        return RIGHT
    if cells > 1000:
        return "All counts must be right, not most of them. Do fewer cells help?"
    return "How often is one cell wrong at this ε? Put it into the formula."


def _reconstruct(queries, answers):
    solution = np.linalg.lstsq(queries, answers, rcond=None)[0]
    return solution > 0.5


def _solved(queries, answers):
    return np.linalg.lstsq(queries, answers, rcond=None)[0]


DECODED = [
    (_solved, "Those are estimates. A diagnosis is 0 or 1: where do you cut?"),
    (
        lambda q, a: _solved(q, a) > 0,
        "Noise moves an estimate of 0 to either side of 0. Where is the middle?",
    ),
    (
        lambda q, a: np.linalg.solve(q[: q.shape[1]], a[: q.shape[1]]) > 0.5,
        "As many equations as unknowns: what do the other counts do against the noise?",
    ),
    (
        lambda q, a: np.zeros(q.shape[1]),
        (
            "The same for everybody is the base rate, not an attack. Which number are the counts "
            "compared with?"
        ),
    ),
    (lambda q, a: _solved(q, a) < 0.5, "0 and 1 have changed places."),
]


def _counted(rng, n=24):
    """Random halves of n people, and noisy counts of the ill among them."""
    queries = rng.integers(0, 2, (4 * n, n)).astype(float)
    ill = rng.random(n) < 0.35
    return queries, queries @ ill + rng.normal(0, 0.4, 4 * n)


@named
def write_attack(program: object = None) -> Exercise:
    """E5: the linear reconstruction attack as a function."""
    question = (
        "<b>E5, write.</b> Row i of <code>queries</code> marks with 1 the people whom query i "
        "counts; <code>answers</code> are the counts of the ill among them, each with a small "
        "error. Complete the attack: it returns 1 or 0 for each person."
    )
    answer = Program(
        solution=_reconstruct, slips=DECODED, inputs=lambda rng: [_counted(rng) for _ in range(4)]
    )
    hints = [
        "queries @ bits is nearly answers: four times as many equations as unknowns.",
        "np.linalg.lstsq finds the numbers whose counts are nearest; they are not yet 0 or 1.",
        "return np.linalg.lstsq(queries, answers, rcond=None)[0] > __",
    ]
    why = "Least squares averages the errors away; each estimate is then cut in the middle."
    return Coding(question, answer, hints, why, program)


@named
def prove_near() -> Exercise:
    """Complete: databases that fit all answers are near each other."""
    return complete(
        """Each of n patients has a bit. All groups are asked for their number of ones, and every
        answer is off by at most E. Let x be the true bits and z any bits that fit the answers, too:
        their counts are within E of all of them. Prove that x and z differ in few places.""",
        """A < E ?: Together x and z differ in at most 4E places.
        B ! z is within E of the truth on every group, so the first group has at most E patients. //
        z is within E of the answers. And how far are the answers from the truth?
        C: Ask the group of all patients with x = 1 and z = 0: its count is the size of the group
        for x, and 0 for z.
        D: Both counts are within E of the same published answer.
        E < ?: In the same way at most as many patients have x = 0 and z = 1.
        ? < C D: So this group has at most __ patients (a formula in E).""",
        Formula(
            right="2*E",
            draw=uniform(E=(0.1, 9.0)),
            slips={"E": "The answer lies between the two counts. How far apart can they be?"},
        ),
        ["Two numbers within E of a third."],
        """The group where x has 1 and z has 0, which is one of the groups asked. (2)
        Its two counts are at most 2E apart, so it has at most 2E patients. (2)
        The same for the group where x has 0 and z has 1; 4E together. (2)""",
    )


@named
def prove_one_count() -> Exercise:
    """Find: how far apart two databases must be before a private count may tell them apart."""
    return find(
        """D and D′ differ in m records, and the counts of their ones differ by m. On each of them
        an ε-differentially private mechanism publishes an answer that is within E of the count with
        probability at least 1 − β, where β < ½ and 2E < m. Find a lower bound on m, as a formula in
        ε and β, in three lemmas.

        Lemma 1. No answer is within E of both counts.

        Lemma 2. So an answer near the count of D′ has probability at most β on D.

        Lemma 3. By group privacy its probability on D′ is at most e^(mε) times that.

        Type your bound. It may be better than these lemmas; but if it is above the smallest m for
        which such a mechanism exists, it is refuted.""",
        Formula(
            right="ln((1-β)/β)/ε",
            draw=uniform(ε=(0.05, 2.0), β=(0.001, 0.4)),
            most=_fewest_records,
            slips={
                "ln(1/β)/ε": "On D′ the answer is near with probability 1 − β, not 1.",
                "1/ε": "Lemma 3 also says how β enters.",
                "ln((1-β)/β)": "Each record adds ε to the exponent.",
            },
            low="It holds, but the lemmas give more",
            high="A smaller m is possible, with probabilities that each record moves to the limit",
        ),
        ["1 − β ≤ e^(mε) β."],
        """The counts are more than 2E apart. (1)
        The two events exclude each other, so on D the wrong one has at most β. (2)
        1 − β ≤ e^(mε) β, by a chain of m neighbours. (2)
        Take logarithms: m ≥ ln((1 − β)/β)/ε. With the smallest whole m above 2E, which is at most
        2E + 1, this is a lower bound on E. (1)""",
    )


def _fewest_records(ε: np.ndarray, β: np.ndarray) -> np.ndarray:
    """The smallest number of records between β and 1 − β, if each moves a probability to the limit.

    >>> _fewest_records(np.array([10.0, 1.0]), np.array([0.4, 0.01]))
    array([1., 9.])
    """
    chance = β.copy()
    records = np.zeros_like(β)
    while np.any(late := chance < 1 - β - 1e-12):
        records += late
        moved = np.minimum(np.exp(ε) * chance, 1 - np.exp(-ε) * (1 - chance))
        chance = np.where(late, moved, chance)
    return records


@named
def prove_equal_levels() -> Exercise:
    """Repair: levels that are made equal."""
    return repair(
        """False claim. If questions γ-shatter two patients with some levels, they also γ-shatter
        them with one common level.

        Give a counterexample at γ = 0.15: four questions, each with a weight in [0, 1] for patient
        1 and one for patient 2, eight numbers in all. Both kinds of shattering are checked.""",
        """1: Each pattern is shown by some question: its weights are at least r_i + γ where the
        pattern has a 1, and at most r_i − γ where it has a 0. // That is the definition.
        2: Let r be the mean of the two levels. // Nothing is claimed yet.
        3 ! A weight of at least r_i + γ is at least r + γ, and one of at most r_i − γ is at most
        r − γ, because r is as far above one level as it is below the other.
        4: So the same questions show all patterns with the level r. // It would follow. Which line
        before it fails?""",
        Numbers(
            check=_equal_levels,
            right="0, 0.7, 0, 1, 0.3, 0.7, 0.3, 1",
            wrong="0, 0, 0, 1, 1, 0, 1, 1",
            count=8,
        ),
        ["Patient 1 may have only small weights, and patient 2 only large ones."],
        """With r above r_1, a weight of r_1 + γ need not reach r + γ: line 3. (2)
        Weights 0 or 0.3 for patient 1, 0.7 or 1 for patient 2: levels 0.15 and 0.85 do, but a
        common level would have to be 0.15 and 0.85 at once. (2)
        Repair: levels within s of each other may be replaced by their middle, at the margin γ −
        s/2; so the reconstruction loses s (Theorem 8.6). (2)""",
    )


def _shatters(weights: np.ndarray, margin: float, common: bool = False) -> bool:
    """Whether questions show all four patterns on two patients.

    Parameters
    ----------
    weights : array (questions, 2); margin : γ; common : whether both patients must have one level
    """
    ends = np.concatenate([weights - margin, weights + margin])
    first, second = (np.unique(ends),) * 2 if common else map(np.unique, ends.T)
    pairs = zip(first, second, strict=True) if common else product(first, second)
    return any(
        all(
            np.any(np.all(np.where(pattern, weights - level, level - weights) >= margin - 1e-9, 1))
            for pattern in product((True, False), repeat=2)
        )
        for level in map(np.array, pairs)
    )


def _equal_levels(typed: np.ndarray) -> str:
    """Both kinds of shattering, at the margin 0.15."""
    if typed.min() < 0 or typed.max() > 1:
        return "A weight lies between 0 and 1."
    weights = typed.reshape(4, 2)
    if not _shatters(weights, 0.15):
        return "These questions do not show all four patterns with any levels."
    if _shatters(weights, 0.15, common=True):
        return "One common level does. What if the weights of the patients lie far apart?"
    return RIGHT


@named
def prove_replaced() -> Exercise:
    """Design: a record is replaced, not removed."""
    return design(
        """Theorem 8.6 (b) removes a random x from a half T of the d points. Now neighbours are
        databases of one size in which a record is replaced. The proof takes T′ = T without x, but
        with a random point y from outside T, where d/2 points are. A guess P that is as large as T
        and differs from T in at most ud points holds at most ud/2 points outside T. Which line
        changes? Type the largest probability, on T′, that such a P holds x, as a formula in u and
        d.""",
        Formula(
            right="(u*d/2 + 1)/(d/2)",
            draw=uniform(u=(0.01, 0.5), d=(10, 400)),
            slips={
                "(u*d/2+1)/(d/2+1)": "T′ is now as large as T. How many points lie outside it?",
                "u": "x itself is one more, because it lies in T.",
                "(u*d+1)/(d/2)": "Half of the ud points that differ lie outside T.",
            },
        ),
        ["Given T′, which points may x be, and are all equally likely?"],
        """Given T′, x is uniform among the d/2 points outside T′; before there were d/2 + 1. (2)
        P holds at most ud/2 points outside T, and x beside them: (ud/2 + 1)/(d/2) = u + 2/d. (2)
        With λ = (1 − β) e^(−ε): λ(1 − u) ≤ u + 2/d, so u ≥ (λ − 2/d)/(1 + λ). (2)
        The order of the bound is unchanged; the promise is the one of all other lessons. (1)""",
    )
