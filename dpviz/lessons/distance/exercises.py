"""The exercises of lesson 03."""

from __future__ import annotations

import numpy as np
from scipy import stats

from dpviz.exercises.answers import RIGHT, Number, Pick
from dpviz.exercises.exercise import Exercise, named
from dpviz.exercises.program import Coding, Program
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
            "Lesson 02: in the worst order √(2/0.0305) = 8.1, so at most 9. At random?",
        ],
        "About 5: a gap must be above the threshold, and in a random order fewer are than the 9 "
        "of the worst order, because a tangent serves on both sides of its place.",
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
