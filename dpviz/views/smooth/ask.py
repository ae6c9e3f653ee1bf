"""The exercises of lesson 06."""

from __future__ import annotations

import numpy as np

from dpviz.papers.smooth_queries.sensitivity import excess
from dpviz.views.answers import RIGHT, Number, Numbers, Pick
from dpviz.views.exercise import Exercise
from dpviz.views.smooth.drawing import SHAPES, draw


def predict_numbers() -> Exercise:
    """How many published numbers serve ten thousand questions."""
    options = {
        "about 10 000": "That is one number for each question. Do neighbouring bumps differ much?",
        "about 500": "Is there a bump that needs its own number? Think of how smooth they are.",
        "fewer than 10": RIGHT,
        "it cannot be done": "Not exactly, no. But how close would be good enough?",
    }
    return Exercise(
        "<b>Predict.</b> Ten thousand bumps of width 0.5 are asked on one axis. How many published "
        "numbers serve them all, to an error of about 0.01?",
        Pick(options=options),
        ["How much can a wide bump wiggle?", "How many humps has the most wiggly curve you need?"],
        "Seven. Each is the average of one wave over the clinic.",
        reveal="The next cell counts.",
    )


def predict_staircase() -> Exercise:
    """What more waves do to the kernel's drawing."""
    options = {
        "better each time": "That is how it should be. Is the kernel narrower at every t?",
        "the same, then worse, then better": RIGHT,
        "worse each time": "Then the kernel would be of no use at all. Try a large t.",
    }
    return Exercise(
        "<b>Predict.</b> The kernel with K = 2 draws a bump with t = 4, 5, 6, then 7, then 10 "
        "waves. What becomes of the largest error?",
        Pick(options=options),
        ["The kernel changes only when the highest wave passes a multiple of r = 3."],
        "The highest wave used is 3, 3, 3, then 6, then 9; the errors do not even fall in order.",
    )


def predict_kink() -> Exercise:
    """The exponent for a kink."""
    options = {
        "−2, as the theorem prints": "Put a kink under a smooth kernel: how wide is the blur, and "
        "how high is a kink above its blur?",
        "−1": RIGHT,
        "−1/2": "A kink of slope 1, blurred over a width w, is off by about w. And w is about 1/t.",
    }
    return Exercise(
        "<b>Predict.</b> |x| has one bounded derivative, K = 1. How does the largest error fall "
        "with t, on log-log paper?",
        Pick(options=options),
        ["A blur of width 1/t.", "How far is the blurred kink from the kink, at its tip?"],
        "At the tip the error is about the width of the blur, 1/t: slope −1.",
    )


def threshold() -> Exercise:
    """E1: from which n the literal algorithm looks at the data."""
    slips = {
        6561: "Is the kernel with r = 3 awake at t = 3, if the highest wave is t − 1?",
        4096: "Right idea. For which d?",
        256: "Which power of t is n? The 2d is missing.",
        64: "Which power of t is n?",
    }
    return Exercise(
        "<b>E1, predict.</b> K = 2 and d = 3. From which n does the literal algorithm look at the "
        "data at all?",
        Number(value=4**8, slips=slips),
        [
            "The kernel is flat while the highest wave is below r.",
            "r = 3, and the highest wave is t − 1; n = t to the power 2d + K.",
            "4 to the power __.",
        ],
        "t = r + 1 = 4 and n = 4⁸ = 65,536.",
    )


def spent() -> Exercise:
    """E2: what the noise as printed spends at t = 3."""
    slips = {
        1.0: "That is the claim. Search the worst pair of rows.",
        1.333: "Is each wave at its worst at once?",
        1.2172: "That is the limit for many waves.",
    }
    return Exercise(
        "<b>E2, predict.</b> One variable, t = 3 waves, claimed ε = 1, noise as printed. What is "
        "really spent? (three decimals)",
        Number(value=1 + round(excess(3), 4), within=0.001, slips=slips),
        [
            "Two rows: one stands at x = 1, where every wave is 1.",
            "The other stands at the angle where the waves' sum is lowest.",
            "Spent: 1 − the least value of (1 + cos θ + cos 2θ)/__.",
        ],
        "The sum is least, −1/8, where cos θ = −1/4. So 1 + (1/8)/3 = 1.0417.",
    )


def which_waves() -> Exercise:
    """E3: when nothing beats the constant."""
    slips = {
        3: "Compare its error with the flat line.",
        2: "Count the numbers: t to the power d, each with noise. Compare with the flat line.",
        7: "Is that d = 1?",
    }
    return Exercise(
        "<b>E3, change.</b> In the first explorer set n = 569, d = 5 and ε = 0.1, cut off, "
        "Laplace. Which t wins?",
        Number(value=1, slips=slips),
        ["Press <i>Too many waves</i>.", "Where is the yellow cross?", "t = __: look at the left."],
        "t = 1: a constant, which has never seen the data. Nothing useful can be released here.",
    )


def break_kernel() -> Exercise:
    """E4: a function on which the kernel errs a hundred times more than cutting off."""
    names = list(SHAPES)
    listed = "; ".join(f"{i}: {name}" for i, name in enumerate(names, start=1))
    return Exercise(
        "<b>E4, break.</b> Find a function on which the kernel with K = 2 at t = 9 errs at least "
        f"100 times more than cutting off. Type its number: {listed}.",
        Numbers(check=_ratio, right="1", wrong="3", count=1),
        [
            "Where does cutting off err least?",
            "Smooth, but not drawn exactly by both.",
            "Divide the two largest errors: kernel / cutting off > __.",
        ],
        "The bump: 0.21 against 0.00064, more than 300 times. (Two waves are drawn exactly by "
        "cutting off, so their ratio is without bound: that counts too.)",
    )


def _ratio(numbers: np.ndarray) -> str:
    """Draw the chosen function with both operators."""
    names = list(SHAPES)
    if numbers[0] not in range(1, len(names) + 1):
        return f"Please type a number from 1 to {len(names)}."
    shape = names[int(numbers[0]) - 1]
    kernel, cut = (draw(t=9, operator=o, shape=shape).worst for o in ("jackson 2", "truncation"))
    if kernel >= 100 * cut:
        return RIGHT
    if shape.startswith("kink"):
        return f"Ratio {kernel / cut:.1f}. Both are slow on a kink. Why?"
    return f"Ratio {kernel / cut:.1f}. Is there a smoother one?"
