"""The exercises of lesson 03."""

from __future__ import annotations

import numpy as np
from scipy import stats

from dpviz.exercises.answers import RIGHT, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise, named
from dpviz.exercises.formulas import Formula, neighbours, uniform
from dpviz.exercises.program import Coding, Program
from dpviz.exercises.proofs import complete, design, find, repair
from dpviz.lessons.distance.experiments import SLOPES
from dpviz.lessons.distance.methods import directions

BOTTLES = 50


@named
def predict_noise() -> Exercise:
    """Independent noise on ten thousand answers."""
    options = {
        "both below 0.02": "How does the noise of each grow with the number of answers?",
        "only the Gaussian's below 0.02": RIGHT,
        "both above 0.1": "The Gaussian noise grows like the root of 10,000. Divide by n.",
    }
    return Exercise(
        "<b>Predict.</b> 10,000 answers between 0 and 1 share ε = 1 (δ = 10⁻⁶), n = 100,000. How "
        "large is the largest error, with Gaussian and with Laplace noise on each?",
        Pick(options=options),
        ["One answer needs noise of about 1/n.", "Laplace: times k. Gaussian: times about __."],
        "Laplace noise has the scale k/n = 0.1; Gaussian noise √k × 4.2/n, about 0.004.",
    )


@named
def predict_updates() -> Exercise:
    """How many of ten thousand questions need an update."""
    options = {
        "all 10 000": "Must a query be paid for if the guess is close enough?",
        "all 11 coins are spent": "Those are for the worst order. Is a random one the worst?",
        "about 5": RIGHT,
        "none": "Then the first guess, zero everywhere, would have to be right.",
    }
    return Exercise(
        "<b>Predict.</b> How many of the 10 000 queries cost a coin?",
        Pick(options=options),
        [
            "Only a gap above about 0.03, the public threshold, costs one.",
            "Lesson 02: without noise the worst order costs at most √(2/0.0305) = 8.1. At random?",
        ],
        "About 5: a gap must be above the threshold, and in a random order fewer are than in "
        "the worst one, because a tangent serves on both sides of its place.",
    )


@named
def predict_million() -> Exercise:
    """The noise in a million answers from one release."""
    options = {
        "a thousand times as large": "√k: that is noise on each of a million answers.",
        "about 14 times as large": "That is ln of a million. Does reading a curve spend anything?",
        "no larger": RIGHT,
    }
    return Exercise(
        "<b>Predict.</b> The curve is published once, and a million answers are read off it. How "
        "large is the noise of each, compared with that of one query that is asked alone?",
        Pick(options=options),
        ["Which number does replacing one record move most?", "Does reading a curve use records?"],
        "No larger: even the query of largest variance has only the noise it would have alone.",
    )


@named
def jump_of_slope() -> Exercise:
    """E1: the sensitivity of a derivative."""
    slips = {
        1 / BOTTLES: "One of n bottles moved. From which sign to which?",
        1: "Is it the only bottle?",
        2: "Is it the only bottle?",
        0.5 / BOTTLES: "Half of a bottle?",
    }
    return Exercise(
        f"<b>E1, predict.</b> An archive of {BOTTLES} bottles, one column. One bottle is replaced. "
        "By how much can the <i>slope</i> of the curve change at one place, at most?",
        Number(value=2 / BOTTLES, slips=slips),
        [
            "The slope is the share of bottles to the left minus the share to the right.",
            "A bottle that crosses the place changes its sign.",
            f"(+1 − __) / {BOTTLES}",
        ],
        f"A sign goes from −1 to +1: 2/{BOTTLES} = {2 / BOTTLES:g}. The paper's Lemma 6 asks for "
        "1/n, which no average distance has.",
    )


@named
def ten_times_the_records() -> Exercise:
    """E2: what ten times the records bring."""
    slips = {
        10: "Whose slope is −1?",
        3.2: "That is the error of a sample. Is this one?",
        4.5: "Is that the pure variant?",
        1: "Follow the line from one to the other.",
    }
    return Exercise(
        "<b>E2, predict.</b> n grows from 10 000 to 100 000. By which factor does the error of the "
        "paper's mechanism fall?",
        Number(value=round(_gain(), 1), within=0.45, slips=slips),
        ["The line in the error figure has a slope.", "Ten to the power of it.", "10^__"],
        f"10^0.78 = 6.0; measured {_gain():.1f}. The exponent 4/5 alone gives 6.3.",
    )


def _gain() -> float:
    """Error at n = 10 000 over that at 100 000, medians of the stored trials.

    >>> 5.6 < _gain() < 6.6
    True
    """
    slopes = SLOPES.stored().select(composition="zcdp")
    small, large = (np.median(slopes.select(n=n)["error"]) for n in (10_000, 100_000))
    return float(small / large)


@named
def five_columns() -> Exercise:
    """E3: which method is best at d = 5, n = 10 000."""
    at = directions(n=10_000, epsilon=1.0, d=5, k=10_000)
    words = {
        "interactive": ("the paper's mechanism", "Its bound or its error? Read both at d = 5."),
        "noise": ("noise on each answer", "How large can the error of an answer without data be?"),
        "constant": ("an answer without data", "Is it really so far off?"),
    }
    best = min(words, key=at.here)
    options = {name: RIGHT if key == best else said for key, (name, said) in words.items()}
    errors = ", ".join(f"{name} {at.here(key):.2f}" for key, (name, _) in words.items())
    return Exercise(
        "<b>E3, change.</b> d = 5 columns, n = 10 000, ε = 1, 10 000 queries, and no release "
        "of all answers. Which of the three has the smallest error?",
        Pick(options=options),
        [
            "Set the explorer of the four directions.",
            "The answers are sums over five columns: what do they range over?",
        ],
        f"Largest errors: {errors}. They hardly differ, so neither mechanism is worth its budget; "
        f"one release of all answers has an error of {at.here('release'):.3f}.",
    )


@named
def halve_the_noise() -> Exercise:
    """E4: a slope is published with the noise of a value."""
    options = {
        "alarm, on a bottle that crosses the place": RIGHT,
        "alarm, on a bottle that stays on its side": "Does the slope move when it stays there?",
        "no alarm: the noise of the value covers it": "Value and slope are two releases. Which "
        "noise stands on the slope?",
        "no alarm: one of n bottles moves it by 1/n": "What covers the jump of a sign?",
    }
    return Exercise(
        "<b>E4, break.</b> A mechanism publishes slopes with noise for a sensitivity of 1/n. The "
        "auditor of lesson 01 is given neighbours. What does it say, and for which?",
        Pick(options=options),
        ["By how much does the slope change, at most?", "Which pair of archives changes it so?"],
        "The noise covers half of the jump, so twice the claimed ε is lost, on two archives that "
        "differ in a bottle that crosses the place.",
    )


def _first_above(gaps, threshold, n, *, epsilon, rng):
    level = threshold + rng.laplace(scale=2 / (n * epsilon))
    for i, gap in enumerate(gaps):
        if gap + rng.laplace(scale=4 / (n * epsilon)) >= level:
            return i
    return len(gaps)


def _first_with(level, each, redrawn=False):
    """The same with other scales (in units of 1/(n epsilon)), or the threshold's drawn anew."""

    def first(gaps, threshold, n, *, epsilon, rng):
        noise = rng.laplace(scale=level(n, epsilon), size=len(gaps) if redrawn else 1)
        above = gaps + rng.laplace(scale=each(n, epsilon), size=len(gaps)) >= threshold + noise
        return int(above.argmax()) if above.any() else len(gaps)

    return first


FIRSTS = [
    (
        _first_with(lambda n, epsilon: 2 / (n * epsilon), lambda n, epsilon: 0.0),
        "What is compared needs noise too, fresh for each gap.",
    ),
    (
        _first_with(lambda n, epsilon: 0.0, lambda n, epsilon: 4 / (n * epsilon)),
        "The threshold has no noise. What pays then for all the gaps that stayed below?",
    ),
    (
        _first_with(
            lambda n, epsilon: 2 / (n * epsilon), lambda n, epsilon: 4 / (n * epsilon), redrawn=True
        ),
        "One noisy threshold serves all gaps: it is drawn once, before the loop.",
    ),
    (
        _first_with(lambda n, epsilon: 2 / (n * epsilon), lambda n, epsilon: 2 / (n * epsilon)),
        "The gap that is above must make up for two moves: its own and the threshold's.",
    ),
    (
        _first_with(lambda n, epsilon: 2 / epsilon, lambda n, epsilon: 4 / epsilon),
        "How far can one of n records move an average?",
    ),
    (
        _first_with(lambda n, epsilon: 2 * epsilon / n, lambda n, epsilon: 4 * epsilon / n),
        "Does a smaller ε mean more noise here, or less?",
    ),
]


def _first_law(out, gaps, threshold, n, *, epsilon, rng):
    """Uniform if the positions have AboveThreshold's probabilities: over 4,000 thresholds."""
    level = threshold + stats.laplace(scale=2 / (n * epsilon)).ppf((np.arange(4000) + 0.5) / 4000)
    below = stats.laplace(scale=4 / (n * epsilon)).cdf(level[:, None] - gaps)
    later = np.cumprod(below, axis=1).mean(axis=0)  # the first lies behind each gap
    reached = np.concatenate([[0.0], 1 - later, [1.0]])
    at = np.clip(out.astype(int), 0, len(gaps))
    placed = rng.uniform(reached[at], reached[at + 1])
    return np.where(out == at, placed, 0.0)


@named
def write_test(program: object = None) -> Exercise:
    """E5: AboveThreshold as a function."""
    question = (
        "<b>E5, write.</b> Complete AboveThreshold for <code>gaps</code> that each move by at most "
        "1/n when a record is replaced. Half of ε is for the threshold, half for the comparisons. "
        "Return the position of the first gap found above, or the number of gaps if none is."
    )
    answer = Program(
        solution=_first_above,
        slips=FIRSTS,
        inputs=lambda rng: [
            (np.full(10, 0.3), 0.3, 20, 1.0),
            (np.full(40, 0.1), 0.5, 20, 1.0),
            (rng.uniform(0, 0.2, 12), 0.15, 100, 0.4),
        ],
        law=_first_law,
        runs=6000,  # without noise on the threshold the law is 0.05 and more away
        otherwise=lambda found, _: (
            "The positions do not come out with AboveThreshold's probabilities. Which noise is "
            "drawn once, which for each gap, and when does it stop?"
        ),
    )
    hints = [
        "Draw the noise of the threshold first, and once.",
        "Scales: sensitivity over ε/2 for the threshold, twice that for each gap.",
        "level = threshold + rng.laplace(scale=2 / (n * __))",
    ]
    why = "The threshold's noise pays for all gaps below; the gap above pays for two moves."
    return Coding(question, answer, hints, why, program)


@named
def prove_free_answers() -> Exercise:
    """Complete: what answers cost, and how far off the free ones are."""
    return complete(
        """One column. No comparison misjudges a gap by more than s, no noisy tangent is off by more
        than τ, the threshold is w + s + τ with w = 2/C². Prove that at most C coins are paid, and
        how far off the free answers are. (The gap is what the curve has above the guess.)""",
        """A: The gap is at least −τ: exact tangents lie below the curve, noisy ones at most τ above
        them.
        B < D: So with exact tangents at the same places the guess would be too low by more than w.
        C ! After “above” the gap is more than w + 2s + τ, because noise only adds to it. // Noise
        of up to s may have helped the check over the threshold.
        D: After “above” the gap is more than w + τ.
        E: After “below” the gap is at most w + 2s + τ.
        F < B: By the mistake bound of lesson 02 this happens at most C times.
        ? < A E: The guess is raised by the middle of the two bounds of the gap, so a free answer is
        off by at most __ (a formula in w, s and τ).""",
        Formula(
            right="w/2 + s + τ",
            draw=uniform(w=(0.001, 0.5), s=(0.001, 0.5), τ=(0.001, 0.5)),
            slips={
                "w+2*s+τ": "That is the upper end, without the shift.",
                "w/2+s": "That is the shift. How long is half of the interval?",
            },
        ),
        ["How long is an interval from −τ to w + 2s + τ?"],
        """Below: the gap is at most the threshold and s more; above: more than the threshold less
        s. (2)
        The lower end −τ. (1)
        Half of w + 2s + 2τ. (2)
        Exact tangents are at most τ lower, so w remains, and the mistake bound of lesson 02 at α =
        w = 2/C² counts C. (2)""",
    )


@named
def prove_balance() -> Exercise:
    """Find: the least of two terms that work against each other."""
    return find(
        """The error of lesson 03 under (ε, δ) is 1/C² + B√C: what C tangents leave open, and the
        noise of C measurements. Let C be any positive number. Find the least error, as a formula in
        B, in two lemmas.

        Lemma 1. The sum is least where its derivative is 0: at one C, a power of 4/B.

        Lemma 2. There B√C is four times 1/C².

        Type a bound that some C attains. It is compared with the least sum for thousands of B; it
        may be larger by one part in a hundred.""",
        Formula(
            right="5*(B/4)^(4/5)",
            draw=uniform(B=(0.0001, 2.0)),
            least=lambda B: (1 - 1e-4) * _least_sum(B),
            most=lambda B: 1.01 * _least_sum(B),
            slips={
                "2*B^(4/5)": "Equal terms are a good choice of C, but not the best.",
                "B^(4/5)": "That is the rate. Which constant does a C attain?",
                "(B/4)^(4/5)": "That is one of the terms. What is the other?",
            },
            low="No C has so small a sum",
            high="Some C has a smaller sum",
        ),
        ["The derivative is −2/C³ + B/(2√C).", "C = (4/B)^(2/5)."],
        """−2 C^(−3) + ½ B C^(−1/2) = 0 gives C^(5/2) = 4/B. (2)
        The sum falls before this C and rises after it. (1)
        There B√C = 4/C², so the sum is 5/C² = 5 (B/4)^(4/5), about 1.65 B^(4/5). (2)""",
    )


def _least_sum(B: np.ndarray) -> np.ndarray:
    """The least of 1/C² + B √C over 800 numbers C from ½ to 1,000, within a part in 10,000."""
    C = np.geomspace(0.5, 1000, 800)[:, None]
    return np.min(1 / C**2 + B * np.sqrt(C), axis=0)


@named
def prove_noise_reused() -> Exercise:
    """Repair: one noise for all answers."""
    return repair(
        """False claim. Let F(y) be the average distance of n records in [0, 1] to the place y. Draw
        Z once with Laplace noise of scale 1/(nε), and answer every place y by F(y) + Z. This is
        ε-differentially private, however many places are asked.

        Give a counterexample with two places: the n records of D, the n records of a neighbour D′,
        and the two places. It is one if no pair of answers is possible on both.""",
        """1: A replaced record moves each F(y) by at most 1/n. // A distance moves by at most 1.
        2: So a single answer is ε-differentially private. // That is the Laplace mechanism.
        3 ! Z is drawn and paid once, so all answers together cost what one of them costs.
        4: Any number of answers can be given. // It would follow. Which line before it fails?""",
        Numbers(
            check=_noise_reused, right="0, 0.5, 0.2, 0.5, 0, 1", wrong="0, 0.5, 0.2, 0.5, 0.7, 1"
        ),
        ["What is the difference of two answers?", "Can Z be seen in it?"],
        """The difference of two answers is F(y) − F(y′), without noise: line 3. (2)
        Where this difference is not the same for D and D′, no pair of answers is possible on both,
        so the ratio of probabilities is infinite. (2)
        Repair: fresh noise of scale k/(nε) on each of k answers, or one noise for a whole function,
        as large as the function's sensitivity (Theorem 3.9). (2)""",
    )


def _noise_reused(typed: np.ndarray) -> str:
    """Whether the difference of two answers, which holds no noise, is another on the neighbour."""
    data = neighbours(typed[:-2], 0, 1)
    if isinstance(data, str):
        return data
    one, other = (np.abs(own - typed[-2:, None]).mean(axis=1) for own in data)
    if abs(np.diff(one) - np.diff(other))[0] > 1e-9:
        return RIGHT
    return f"On both data sets the two answers differ by {np.diff(one)[0]:.3g}. Try other places."


@named
def prove_surface() -> Exercise:
    """Design: no convexity, two dimensions."""
    slips = {
        1 / 3: "That is pure ε, where C measurements cost C, not √C.",
        4 / 5: "That is the convex curve. What do C values leave open on a square?",
        2 / 3: "That is a curve. How many places that are α apart has a square?",
        1.0: "That is a single answer.",
    }
    return design(
        """The curve is replaced by a surface over the unit square that is not convex, but never
        steeper than 1, and every value of which has sensitivity 1/n. A learner guesses the nearest
        told value; it needs about 1/α² of them, and C coins cost noise of order √C/(nε) under
        (ε, δ). What breaks in the proof of lesson 03, and like which power of 1/(nε) does the best
        error fall? Type the exponent.""",
        Number(value=0.5, within=0.001, slips=slips),
        ["C coins leave an error of about 1/√C.", "1/√C = √C/(nε)"],
        """The guess is no longer below the surface, so each query needs two comparisons, too high
        and too low, and the shift by the middle of the gap is lost. (2)
        The mistake bound is another one: told places are α apart, so C is about 1/α². (2)
        Balance: α = 1/√C = √C/(nε) gives C = nε and the error (nε)^(−1/2). (2)""",
    )
