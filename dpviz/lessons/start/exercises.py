"""The exercises of lesson 00."""

from __future__ import annotations

import math

import numpy as np

from dpviz.exercises.answers import RIGHT, Number, Numbers, Pick, tolerance
from dpviz.exercises.exercise import Exercise, named
from dpviz.exercises.formulas import Formula, uniform
from dpviz.exercises.program import Coding, Program
from dpviz.exercises.proofs import complete, design, find, repair
from dpviz.words import say

N, SPREAD, SCALE = 569, 120.0, 30 / 569 / 0.5  # patients; sd of one recovery; noise at 0.5


@named
def predict_guess() -> Exercise:
    """How often a stranger can be right at epsilon = 1."""
    options = {
        "half of the time": "Is a mean near the world with you as likely without you?",
        "seven times in ten": RIGHT,
        "nine times in ten": "Those are odds of 9 to 1. What does the promise allow?",
    }
    return Exercise(
        "<b>Predict.</b> Your radius is 30, and ε = 1. The stranger always guesses the world in "
        "which the published number is more likely. How often is this right?",
        Pick(options=options),
        [
            "Nowhere is one curve more than e = 2.7 times as high as the other.",
            "If a world is e times as likely, guessing it is right with probability e/(1 + e).",
        ],
        "It is right with probability 1 − e^(−1/2)/2 = 0.697.",
    )


@named
def predict_difference() -> Exercise:
    """What two means give away together."""
    options = {
        "nothing: an average hides the people in it": "The two averages have 568 people in "
        "common. What is left of them in the difference?",
        "about how large the radius is": "Which sum is the mean times 569? Is anything in it "
        "unknown?",
        "the radius, almost exactly": RIGHT,
    }
    return Exercise(
        "<b>Predict.</b> What does the difference between Monday's and Tuesday's mean tell about "
        "the radius of patient 201?",
        Pick(options=options),
        ["A mean is a sum divided by 569.", "Subtract the two sums: which terms are left?"],
        "The sums differ in one term, so 569 times the difference is the radius.",
    )


@named
def predict_recovered() -> Exercise:
    """The noise of two means, multiplied by n."""
    options = {
        "about 0.15": "That is one mean. What is done with the two to recover a value?",
        "about 0.3": "Both means are noisy, but what multiplies their difference?",
        "about 12": "As large as the radius itself? Multiply.",
        say("about {off:.0f}", off=2 * N * SCALE): RIGHT,
    }
    return Exercise(
        "<b>Predict.</b> Each mean is off by 0.15 (one standard deviation). How far off is "
        "the radius recovered from both means?",
        Pick(options=options),
        ["Recovery multiplies by n.", "Noises add like √2: √2 × 0.15 × __."],
        "The difference of two noises of sd 0.149 has the sd 0.21, and recovery multiplies by 569.",
    )


@named
def predict_average() -> Exercise:
    """Independent noises averaged."""
    right = SPREAD / math.sqrt(400)
    slips = {
        SPREAD: "Do independent noises not cancel when they are averaged?",
        SPREAD / 400: "How does the spread of an average fall with the number averaged?",
        SPREAD / math.sqrt(800): "What is off by 120, one mean or one recovery?",
    }
    return Exercise(
        "<b>Predict.</b> One recovered radius is off by 120. Both means are published 400 times, "
        "with fresh noise each time, and the 400 recovered radii are averaged. By how much is the "
        "average off (one standard deviation)?",
        Number(value=right, within=tolerance(right / math.sqrt(2), 2000), slips=slips),
        ["The noises are independent.", "120/√__"],
        "120/√400 = 6: noise alone does not protect against many questions.",
    )


@named
def rounded_twice() -> Exercise:
    """E2: what two roundings can hide."""
    slips = {
        0.2845: "How many numbers were rounded?",
        0.0001: "That is the error of the difference. What multiplies it?",
        1.138: "By how much can rounding to the fourth decimal move a number?",
        5.69: "By how much can rounding to the fourth decimal move a number?",
    }
    return Exercise(
        "<b>E2, predict.</b> A mean over n = 5,690 people is printed with four decimals, twice. "
        "By how much can the recovered value be off?",
        Number(value=0.569, within=0.002, slips=slips),
        [
            "How many numbers were rounded?",
            "Each is off by at most half a unit of the fourth decimal; recovery multiplies by n.",
            "5,690 × 2 × __",
        ],
        "Each printed mean is off by at most half a unit of the fourth decimal, 0.00005, so their "
        "difference is off by at most twice that. Recovery multiplies the difference by n: "
        "5,690 × 2 × 0.00005 = 0.569.",
    )


@named
def half_the_noise() -> Exercise:
    """E1: scale and epsilon."""
    slips = {
        0.25: "Which way does the promise weaken?",
        2.0: "That would be for averages of repeats.",
        0.707: "The scale goes with 1/ε, not with its root.",
    }
    return Exercise(
        "<b>E1, change.</b> Which ε halves the noise of ε = 0.5?",
        Number(value=1.0, slips=slips),
        ["Compute the scale at two values of ε.", "Scale × ε is __.", "Solve for ε."],
        "ε = 1: twice the ε, half the noise, a weaker promise.",
    )


@named
def ask_often() -> Exercise:
    """E3: averaging the noise out, and its price."""
    return Exercise(
        "<b>E3, break.</b> With at most 50 publications of each day at ε = 0.5, find the radius "
        "within 17 more often than not. Type the number of publications a day, and the ε that "
        "the ledger shows for both days.",
        Numbers(check=_attack, right="50, 50", wrong="5, 5", count=2),
        [
            "One recovery is off by 120 (one standard deviation).",
            "The average of m recoveries is off by 120/√m.",
            "m × 2 × 0.5 = __",
        ],
        "50 publications: 120/√50 = 17, so two tries of three lie within 17. The ledger reads "
        "2 × 50 × 0.5 = 50. A promise of ε = 50 is none.",
    )


def _attack(typed: np.ndarray) -> str:
    """Try it 2,000 times with a fixed seed: well clear of one half, or not."""
    publications, total = typed
    if publications != int(publications) or not 1 <= publications <= 50:
        return say("The publications of a day are a whole number from 1 to 50.")
    m = int(publications)
    noise = np.random.default_rng(N).laplace(scale=SCALE, size=(2, 2000, m))
    share = np.mean(np.abs(N * (noise[0] - noise[1]).mean(axis=1)) < 17)
    if share <= 0.5:
        words = "Within 17 in {share:.0%} of 2,000 tries. How does the spread fall with repeats?"
        return say(words, share=share)
    if not math.isclose(total, 2 * m * 0.5):
        return say("The attack works. Its price: how many publications were there, on both days?")
    return RIGHT


def _recovered(monday, tuesday, n, blank):
    return n * (monday - tuesday) + blank


RECOVERIES = [
    (
        lambda monday, tuesday, n, blank: monday - tuesday + blank,
        "So far the means moved. How many people share the difference?",
    ),
    (
        lambda monday, tuesday, n, blank: n * (monday - tuesday),
        "Right if the test row had the value 0. Which term does Tuesday's sum gain?",
    ),
    (
        lambda monday, tuesday, n, blank: n * (tuesday - monday) + blank,
        "Which of the two sums still holds the patient?",
    ),
    (
        lambda monday, tuesday, n, blank: n * (monday - tuesday) - blank,
        "On which side of the equation does the test row stand?",
    ),
]


@named
def write_recovery(program: object = None) -> Exercise:
    """E4: the differencing attack as a function."""
    question = (
        "<b>E4, write.</b> On Tuesday the row of one of n patients is replaced by a test row "
        "whose value, <code>blank</code>, is known and not 0. Complete the function: from the two "
        "exact means it returns the value of that patient."
    )
    answer = Program(
        solution=_recovered,
        slips=RECOVERIES,
        inputs=lambda rng: [(*rng.uniform(9, 20, 2), int(n), 3.5) for n in rng.integers(9, 999, 5)],
    )
    hints = [
        "n times a mean is a sum.",
        "The sums differ in one term: the patient's value on Monday, the blank's on Tuesday.",
        "return n * (monday - __) + __",
    ]
    return Coding(question, answer, hints, "Monday's sum − Tuesday's sum = value − blank.", program)


@named
def prove_limit() -> Exercise:
    """Complete: no guess is right more often than the promise allows."""
    return complete(
        """A fair coin chooses the world with you or the world without you, and a mechanism that
        keeps the promise with ε publishes a number. Somebody says “with you” if the number lies in
        a set S. Let p be the probability of S with you, q the probability without you. Prove that
        he is right with probability r at most e^ε/(1 + e^ε).""",
        """A < ?: Solved for r, this is r ≤ e^ε/(1 + e^ε).
        B: p ≤ e^ε q: the promise, for the set S.
        C ! q ≤ e^(−ε) p: the promise for S, with the two worlds exchanged. // Exchanging the
        worlds gives q ≤ e^ε p. Can it also bound q by less than p?
        D: r = ½ p + ½ (1 − q), because each world is chosen with probability ½.
        E: 1 − q ≤ e^ε (1 − p): the promise for all numbers outside S, the worlds exchanged.
        ? < B D E: The sum of two inequalities, halved, is r ≤ __ (a formula in r and ε).""",
        Formula(
            right="exp(ε)*(1 - r)",
            draw=uniform(r=(0.0, 1.0), ε=(0.01, 3.0)),
            slips={
                "exp(ε)*r": "On the right stand q and 1 − p. Are these guesses right or wrong?",
                "exp(ε)": "The sum of q and 1 − p is not 1. What is half of it?",
            },
        ),
        ["Which two inequalities have p and 1 − q on the left?", "½ q + ½ (1 − p) = 1 − __"],
        """The promise for S, and for its complement with the worlds exchanged. (2)
        r = ½ p + ½ (1 − q). (1)
        Added and halved: r ≤ e^ε (½ q + ½ (1 − p)) = e^ε (1 − r). (2)
        Solved for r. (1)""",
    )


@named
def prove_all_means() -> Exercise:
    """Find: how far off the worst of several noisy means is."""
    return find(
        """Each of m means is published with Laplace noise of scale b, drawn independently. Find an
        x(b, m, β) such that with probability at least 1 − β none of the m means is off by more
        than x, and prove it in two lemmas.

        Lemma 1. One noise is larger than x in size with probability e^(−x/b).

        Lemma 2. At least one of m events happens with probability at most the sum of theirs.

        Type your x. It is tested on thousands of b, m and β against the exact probability; it may
        be as large as these lemmas make it, but not larger.""",
        Formula(
            right="b*ln(m/β)",
            draw=uniform(b=(0.1, 3.0), m=(1, 200), β=(0.001, 0.5)),
            least=lambda b, m, β: -b * np.log(-np.expm1(np.log1p(-β) / m)),
            slips={
                "b*ln(1/β)": "That is one mean. Any of the m may be off.",
                "m*b*ln(1/β)": "It holds, but is m in front of the logarithm needed?",
            },
            low="One of the means is off by more than that too often",
            high="It holds, but the two lemmas give less",
        ),
        ["Which x makes e^(−x/b) equal to β/m?"],
        """Lemma 1: the density e^(−|z|/b)/(2b), integrated over |z| > x, is e^(−x/b). (2)
        Lemma 2: the probability of a union is at most the sum. (1)
        m e^(−x/b) = β, so x = b ln(m/β). (2)""",
    )


@named
def prove_hidden_count() -> Exercise:
    """Repair: the mean without a public n."""
    return repair(
        """False claim. Records lie in [0, 1], and a record may be left out, so that the number n of
        records is private. A mean with Laplace noise of scale 1/(nε), where n is the number of
        records that are there, is ε-differentially private.

        At ε = 1 give a counterexample: the records of D, and last a number y that is published.
        The last record of D is left out in D′. The densities of both worlds at y are compared.""",
        """1: The sums of D and D′ differ by at most 1. // A record lies in [0, 1]. That is right.
        2: The means differ by at most 1/n: by |x − mean of D|/(n − 1), if x is left out. // Right:
        the mean of D contains x itself, so |x − mean| is at most (n − 1)/n.
        3 ! Laplace noise of scale 1/(nε) hides a difference of 1/n: the densities of the two
        worlds have a ratio of at most e^ε at every y.
        4: So this is ε-differentially private. // It would follow. Which line before it fails?""",
        Numbers(check=_hidden_count, right="0, 0, 5", wrong="0, 0, 0"),
        ["Which scale has the noise in D′?", "Look far out: two exponentials of unequal speed."],
        """In D′ the scale is 1/((n − 1)ε), so the two noises have unequal laws: line 3. (2)
        Far out the ratio of the densities of D and D′ falls to 0: with D = (0, 0), y = 5 and ε = 1
        it is 2 e^(−10)/e^(−5), below e^(−1). (2)
        Repair: n is public, and a record is replaced, not left out; or the sum and the number are
        both published with noise, each paid for. (2)""",
    )


def _hidden_count(typed: np.ndarray) -> str:
    """Compare the log-densities of two means whose noise depends on the number of records."""
    *records, y = typed
    if len(records) < 2:
        return say("Please type at least two records, and then y.")
    if min(records) < 0 or max(records) > 1:
        return say("A record lies between 0 and 1.")
    laws = [(np.mean(data), len(data)) for data in (records, records[:-1])]
    one, other = (math.log(n / 2) - n * abs(y - mean) for mean, n in laws)
    if abs(one - other) > 1 + 1e-9:
        return RIGHT
    words = "There the logarithm of the ratio is {ratio:.2f}, within ±1. Look further out."
    return say(words, ratio=one - other)


@named
def prove_family_scale() -> Exercise:
    """Design: one person owns several records."""
    return design(
        """The mean of n records between 0 and U is published with Laplace noise, and a person now
        owns up to k of the n records, all of which may be replaced together. Which sentence of
        “Ten lines” is no longer true? Type the smallest scale that keeps the promise with ε for a
        person, as a formula in U, n, k and ε.""",
        Formula(
            right="k*U/(n*ε)",
            draw=uniform(U=(0.5, 40.0), n=(10, 900), k=(1, 9), ε=(0.05, 3.0)),
            slips={
                "U/(n*ε)": "That is the promise for one record. How far do k of them move the sum?",
                "sqrt(k)*U/(n*ε)": "A root would be right for independent changes. These may all "
                "go the same way.",
                "k*U/ε": "That is the scale for a sum.",
            },
        ),
        ["How far can a person move the sum?"],
        """“One record moves the mean by at most U/n” breaks: a person moves it by up to k U/n. (2)
        With scale k U/(n ε) the ratio of the densities is at most e^ε again. (2)
        The same noise follows from the promise for one record with ε/k: k factors e^(ε/k). (1)
        The price is an error k times as large, so a public bound on k is worth something. (1)""",
    )
