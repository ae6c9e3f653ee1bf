"""The exercises of lesson 06."""

from __future__ import annotations

import numpy as np
from scipy import special

from dpviz.exercises.answers import RIGHT, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise, named
from dpviz.exercises.formulas import Formula, neighbours, uniform
from dpviz.exercises.program import Coding, Program, by_spread, laplace
from dpviz.exercises.proofs import complete, design, find, repair
from dpviz.lessons.smooth.explorers import FUNCTIONS, approximate
from dpviz.papers.smooth_queries.moments import excess


@named
def square_by_hand() -> Exercise:
    """Another question, answered from the three averages of the toy."""
    slips = {
        -0.25: "That is the average of 2x² − 1. With which coefficients is it x²?",
        0.0625: "That is the square of an average. What is asked is the average of the squares.",
        0.625: "The sign of the last average?",
        0.25: "That is the average of x. Which coefficients has x²?",
    }
    return Exercise(
        "<b>By hand.</b> The averages of 1, x and 2x² − 1 are 1, ¼ and −¼. "
        "What is the average of x²?",
        Number(value=0.375, within=0.001, slips=slips),
        ["Write x² as a number plus a multiple of 2x² − 1."],
        "x² = ½ + ½ (2x² − 1), so ½ · 1 + ½ · (−¼) = 0.375.",
    )


@named
def predict_sharp() -> Exercise:
    """What seven averages make of kernels that are five times sharper."""
    options = {
        "about the same": "The noise is the same. Can seven cosines draw so sharp a kernel?",
        "about five times as large": "Is it in proportion? How small is the bias of wide kernels?",
        "more than ten times as large": RIGHT,
    }
    return Exercise(
        "<b>Predict.</b> How large is it for kernels a tenth as wide as the toy's?",
        Pick(options=options),
        ["How narrow can a hill of seven cosines be?"],
        "Nearly all of it is bias.",
    )


@named
def predict_numbers() -> Exercise:
    """How many published numbers serve ten thousand queries."""
    options = {
        "about 10 000": "That is one number for each query. Do neighbouring kernels differ much?",
        "about 500": "Is there a kernel that needs its own number? Think of how smooth they are.",
        "fewer than 10": RIGHT,
        "it cannot be done": "Not exactly, no. But how close would be good enough?",
    }
    return Exercise(
        "<b>Predict.</b> Ten thousand Gaussian kernel queries of width 0.5 are asked on one axis. "
        "How many published numbers serve them all, to an error of about 0.01?",
        Pick(options=options),
        [
            "How often can a wide kernel rise and fall?",
            "How many peaks does the most oscillating curve need that you want to copy?",
        ],
        "Seven. Each is the average of one Chebyshev polynomial over the clinic.",
        reveal="The next cell counts.",
    )


@named
def predict_each() -> Exercise:
    """Noise on each of ten thousand answers about 569 patients."""
    options = {
        "both below 0.1": "One answer: about 1/569. How much more for ten thousand?",
        "only the Gaussian's below ½": "√10,000 = 100. Times what, divided by 569?",
        "both above ½": RIGHT,
    }
    return Exercise(
        "<b>Predict.</b> Noise on each of the 10,000 answers, ε = 1 in all, n = 569. How large is "
        "the largest error, with Laplace and with Gaussian noise (δ = 10⁻⁶)?",
        Pick(options=options),
        ["Laplace noise has the scale k/(nε).", "The Gaussian's sd is about 4.2 √k/n = __."],
        "Laplace: scale 10,000/569 = 18. Gaussian: sd 0.74, and the largest of 10,000 is 4 sd.",
    )


@named
def predict_truncation() -> Exercise:
    """Nine Chebyshev terms of a Gaussian kernel."""
    options = {
        "about 0.1": "A polynomial of degree 8 has up to seven turns. How many has a kernel?",
        "about 0.01": "Coefficients of smooth functions fall fast. Faster than that.",
        "below 0.001": RIGHT,
    }
    return Exercise(
        "<b>Predict.</b> A Gaussian kernel, its Chebyshev coefficients kept up to degree 8. How "
        "large is the largest error?",
        Pick(options=options),
        ["The error is at most the sum of the coefficients that are left out."],
        "The coefficients of so smooth a function fall faster than any power of the degree.",
    )


@named
def predict_slopes() -> Exercise:
    """What the error figure's two lines do."""
    options = {
        "−1/2 for the paper's plan, −1/2 for truncation": "How fast does truncation converge for "
        "a kernel that is smooth to every order?",
        "about −1/4 for the paper's plan, nearly −1 for truncation": RIGHT,
        "−1 for both": "Is noise of 1/n the larger part of the paper's error?",
    }
    return Exercise(
        "<b>Predict.</b> Which slopes have the two lines, on logarithmic axes?",
        Pick(options=options),
        ["Which part is larger in each, noise or approximation error?", "t = n^(1/4) for K = 2."],
        "The paper's error is that of its operator at t = n^(1/4), which here falls like 1/t; "
        "truncation needs few terms, so noise of about 1/n is what is left.",
    )


@named
def predict_steps() -> Exercise:
    """What more terms do to the Jackson kernel's approximation error."""
    options = {
        "better each time": "That is how it should be. Is the kernel narrower at every t?",
        "the same, then worse, then better": RIGHT,
        "worse each time": "Then the kernel would be of no use at all. Try a large t.",
    }
    return Exercise(
        "<b>Predict.</b> The Jackson kernel with K = 2 approximates a Gaussian kernel with t = 4, "
        "5, 6, then 7, then 10 terms. What becomes of the largest error?",
        Pick(options=options),
        ["The kernel changes only when the highest degree passes a multiple of r = 3."],
        "The highest degree used is 3, 3, 3, then 6, then 9; the errors do not even fall in order.",
    )


@named
def predict_kink() -> Exercise:
    """The exponent for a kink."""
    options = {
        "−2, as the theorem states": "Put a kink under a smooth kernel: how wide is the blur, and "
        "how high is a kink above its blur?",
        "−1": RIGHT,
        "−1/2": "A kink of slope 1, blurred over a width w, is off by about w. And w is about 1/t.",
    }
    return Exercise(
        "<b>Predict.</b> |x| has one bounded derivative, K = 1. How does the largest error fall "
        "with t, on log-log paper?",
        Pick(options=options),
        ["The kernel blurs over a width of 1/t.", "How far is the blurred kink from its tip?"],
        "At the tip the error is about the width of the blur, 1/t: slope −1.",
    )


@named
def threshold() -> Exercise:
    """E1: from which n the paper's algorithm depends on the data."""
    slips = {
        6561: "Is the kernel with r = 3 more than a constant at t = 3, with degrees up to t − 1?",
        4096: "Right idea. For which d?",
        256: "Which power of t is n? The 2d is missing.",
        64: "Which power of t is n?",
    }
    return Exercise(
        "<b>E1, predict.</b> K = 2 and d = 3. From which n does the answer of the paper's "
        "algorithm depend on the data at all?",
        Number(value=4**8, slips=slips),
        [
            "The kernel is flat while the highest degree is below r.",
            "r = 3, and the highest degree is t − 1; n = t to the power 2d + K.",
            "4 to the power __.",
        ],
        "With K = 2 the kernel has r = 3 and is a constant while the highest degree, t − 1, is "
        "below 3; so t = 4 is the first that reads the data. The algorithm takes "
        "t = n^(1/(2d + K)) = n^(1/8), so n = 4⁸ = 65,536.",
    )


@named
def spent() -> Exercise:
    """E2: what the noise as stated spends at t = 3."""
    slips = {
        1.0: "That is the claim. Search the worst pair of rows.",
        1.333: "Is each polynomial at its worst at once?",
        1.2172: "That is the limit for many terms.",
    }
    return Exercise(
        "<b>E2, predict.</b> One variable, t = 3 terms, claimed ε = 1, noise as stated. What is "
        "really spent? (three decimals)",
        Number(value=1 + round(excess(3), 4), within=0.001, slips=slips),
        [
            "Two rows: one stands at x = 1, where every polynomial is 1.",
            "The other stands at the angle where the sum of the cosines is lowest.",
            "Spent: 1 − the least value of (1 + cos θ + cos 2θ)/__.",
        ],
        "The sum is least, −1/8, where cos θ = −1/4. So 1 + (1/8)/3 = 1.0417.",
    )


@named
def which_terms() -> Exercise:
    """E3: when nothing beats the constant."""
    slips = {
        3: "Compare its error with the flat line.",
        2: "Count the numbers: t to the power d, each with noise. Compare with the flat line.",
        7: "Is that d = 1?",
    }
    return Exercise(
        "<b>E3, change.</b> In the second explorer set n = 569, d = 5 and ε = 0.1, truncation, "
        "Laplace. Which t has the smallest error?",
        Number(value=1, slips=slips),
        ["Press “Too many terms”.", "Where is the yellow cross?", "t = __: look at the left."],
        "t = 1: a constant, which has never seen the data. The summary is of no use here.",
    )


@named
def break_kernel() -> Exercise:
    """E4: a function on which Jackson's error is a hundred times that of truncation."""
    names = list(FUNCTIONS)
    listed = "; ".join(f"{i}: {name}" for i, name in enumerate(names, start=1))
    return Exercise(
        "<b>E4, break.</b> Find a function on which the error of the Jackson kernel with K = 2 at "
        f"t = 9 is at least 100 times that of truncation. Type its number: {listed}.",
        Numbers(check=_ratio, right="1", wrong="3", count=1),
        [
            "Where is the error of truncation least?",
            "Smooth, but not represented exactly by both.",
            "Divide the two largest errors: Jackson / truncation > __.",
        ],
        "The Gaussian kernel: 0.21 against 0.00064, more than 300 times. (Truncation represents "
        "the polynomial of degree 2 exactly, so that ratio is without bound: that counts too.)",
    )


def _ratio(numbers: np.ndarray) -> str:
    """Approximate the chosen function with both operators."""
    names = list(FUNCTIONS)
    if numbers[0] not in range(1, len(names) + 1):
        return f"Please type a number from 1 to {len(names)}."
    function = names[int(numbers[0]) - 1]
    kernel, truncated = (
        approximate(t=9, operator=operator, function=function).worst
        for operator in ("jackson 2", "truncation")
    )
    if kernel >= 100 * truncated:
        return RIGHT
    if function.startswith("kink"):
        return f"Ratio {kernel / truncated:.1f}. Both are slow on a kink. Why?"
    return f"Ratio {kernel / truncated:.1f}. Is there a smoother one?"


def _noisy_moment(data, m, *, epsilon, rng):
    moment = np.cos(m * np.arccos(data)).mean()
    return moment + rng.laplace(scale=2 / (len(data) * epsilon))


def _moment_with(values, scale):
    """Another moment, or noise of another scale."""
    return lambda data, m, *, epsilon, rng: (
        values(data, m) + rng.laplace(scale=scale(len(data), epsilon))
    )


def _moment(data, m):
    return np.cos(m * np.arccos(data)).mean()


MOMENTS = [
    (
        _moment_with(_moment, lambda n, epsilon: 1 / (n * epsilon)),
        "From which least to which largest value can one record move its term?",
    ),
    (
        _moment_with(_moment, lambda n, epsilon: 2 / epsilon),
        "That noise would fit a sum. By what is the moment divided?",
    ),
    (
        _moment_with(_moment, lambda n, epsilon: 2 * epsilon / n),
        "Does a smaller ε mean more noise here, or less?",
    ),
    (
        _moment_with(lambda data, m: np.mean(data**m), lambda n, epsilon: 2 / (n * epsilon)),
        "That is the mean of a power of x. What is cos θ, and what is cos mθ?",
    ),
    (
        _moment_with(
            lambda data, m: len(data) * _moment(data, m), lambda n, epsilon: 2 / (n * epsilon)
        ),
        "That is a sum. Whose noise does it have?",
    ),
]


@named
def write_moment(program: object = None) -> Exercise:
    """E5: one Chebyshev moment with its noise."""
    question = (
        "<b>E5, write.</b> Complete the function: it returns the mean of the Chebyshev polynomial "
        "of degree m ≥ 1 over the n numbers of <code>data</code>, which lie in [−1, 1], with the "
        "Laplace noise from <code>rng</code> that makes this one number ε-differentially private."
    )
    answer = Program(
        solution=_noisy_moment,
        slips=MOMENTS,
        inputs=lambda rng: [
            (rng.uniform(-1, 1, 50), 2, 0.5),
            (rng.uniform(-1, 0.3, 80), 3, 40.0),
            (rng.uniform(-0.2, 1, 30), 7, 5.0),
        ],
        law=lambda out, data, m, *, epsilon, rng: laplace(
            out, _moment(data, m), 2 / (len(data) * epsilon)
        ),
        otherwise=by_spread,
    )
    hints = [
        "With x = cos θ the polynomial is cos mθ, and θ = arccos x.",
        "Between which two values does cos lie? So far a replaced record moves its term.",
        "return np.cos(m * __).mean() + rng.laplace(scale=__ / (len(data) * epsilon))",
    ]
    why = "A replaced record moves its term from 1 to −1 at most, and the mean by 2/n."
    return Coding(question, answer, hints, why, program)


@named
def prove_shaped_noise() -> Exercise:
    """Complete: noise that grows with the frequency."""
    return complete(
        """A_m is the average of cos mθ over n records, m = 1, …, t − 1. Let a ≥ 0 be any power and
        W the sum of m^(−a). Prove that Laplace noise of scale 2W m^a/(nε) on each A_m is
        ε-differentially private.""",
        """A < D: Divided by m^a, the average A_m moves by at most 2/(n m^a).
        B < C: Multiplied by m^a again, this is post-processing, and the noise on A_m has the scale
        2W m^a/(nε).
        C < ?: So Laplace noise of scale 2W/(nε) on each divided average is ε-differentially
        private.
        D: A replaced record moves A_m by at most 2/n, because cosines lie between −1 and 1.
        E ! Each divided average moves by at most 2/n, so scale 2/(nε) on each is enough for all. //
        All of them are published. Whose changes add up?
        ? < A: Together the divided averages move, in ℓ1, by at most __ (a formula in W and n).""",
        Formula(
            right="2*W/n",
            draw=uniform(W=(1.0, 9.0), n=(10, 900)),
            slips={
                "W/n": "How far can one cosine move?",
                "2/n": "That is the first of them.",
                "2*W": "They are averages.",
            },
        ),
        ["Add up 2/(n m^a) over m."],
        """Each A_m by 2/n. (1)
        Divided: 2/(n m^a), together 2W/n in ℓ1. (2)
        The Laplace mechanism for a list: scale 2W/(nε). (1)
        Multiplication by a public number is post-processing. (1)""",
    )


@named
def prove_tail() -> Exercise:
    """Find: the bias of the cosines that are left out."""
    return find(
        """The bias of lesson 06 comes from the cosines that are left out: the sum of m^(−2K) over
        all m ≥ t, for t ≥ 2 and K ≥ 1. Find a bound as a formula in t and K, in two lemmas.

        Lemma 1. As x^(−2K) falls, m^(−2K) is at most its integral from m − 1 to m.

        Lemma 2. The integrals add up to one integral from t − 1 to infinity.

        Type your bound. It is compared with the sum itself for thousands of t and K; it may be as
        large as the theorem's (t − 1)^(1 − 2K).""",
        Formula(
            right="(t-1)^(1-2*K)/(2*K-1)",
            draw=uniform(t=(2, 60), K=(1, 4)),
            least=lambda t, K: special.zeta(2 * K, t),
            most=lambda t, K: (t - 1) ** (1 - 2 * K),
            slips={
                "t^(1-2*K)/(2*K-1)": "That integral begins at t. Is it above the sum or below it?",
                "t^(-2*K)": "That is the first of the terms.",
            },
            low="The sum is larger",
            high="It holds, but the theorem's bound is smaller",
        ),
        ["The integral of x^(−2K) is x^(1−2K)/(1 − 2K).", "From t − 1 to infinity it is __"],
        """m^(−2K) ≤ x^(−2K) for m − 1 ≤ x ≤ m, so each term is at most an integral. (2)
        The pieces join: from t − 1 to infinity. (1)
        The integral is (t − 1)^(1−2K)/(2K − 1), at most (t − 1)^(1−2K), because K ≥ 1. (2)""",
    )


@named
def prove_chosen_degree() -> Exercise:
    """Repair: a degree that is chosen by looking at the data."""
    return repair(
        """False claim. Records lie in [−1, 1], and A_m is the average of cos(m arccos x). The
        degree t is chosen by looking: 1 more than the largest m ≤ 8 with |A_m| > 0.3, or 1 if there
        is none. Then t and A_1, …, A_(t−1) are published, the averages with the noise of Theorem
        6.1. This is ε-differentially private.

        Give a counterexample: the n records of D, and the n records of a neighbour D′. It is one if
        t is not the same for both.""",
        """1: For each fixed t the noisy averages are ε-differentially private. // That is Theorem
        6.1.
        2 ! The degree t is no record and no average, only a number of terms, so it may be published
        without noise.
        3: So the whole is ε-differentially private. // It would follow. Which line before it fails?
        """,
        Numbers(check=_chosen_degree, right="0, 0, 0, 0.924", wrong="0, 0, 0, 1"),
        [
            "All records at 0: there A_8 = 1. Which record at another place lowers it most?",
            "cos(8 arccos x) = −1 at x = cos(π/8).",
        ],
        """t is computed from the records: line 2. (2)
        D = (0, 0) has A_8 = 1 and t = 9; with one record at cos(π/8) = 0.924 A_8 is 0 and t = 8.
        Each of the two degrees is impossible on the other side. (2)
        Repair: choose t from n, ε and K by the theorem's balance, which is public; or pay for the
        choice, with the exponential mechanism and a score of known sensitivity. (2)""",
    )


def _degree_by_looking(data: np.ndarray) -> int:
    """One more than the largest m up to 8 whose average cosine exceeds 0.3 in size."""
    averages = np.cos(np.arange(1, 9)[:, None] * np.arccos(data)).mean(axis=1)
    large = np.flatnonzero(np.abs(averages) > 0.3)
    return int(large.max()) + 2 if len(large) else 1


def _chosen_degree(typed: np.ndarray) -> str:
    """Compare the degrees of two neighbours."""
    data = neighbours(typed, -1, 1)
    if isinstance(data, str):
        return data
    one, other = map(_degree_by_looking, data)
    if one != other:
        return RIGHT
    return f"The degree is {one} on both. Which average can one record bring across 0.3?"


@named
def prove_arrivals() -> Exercise:
    """Design: records that come and go."""
    return design(
        """Records may now come and go, so that n is private. Instead of averages the sums of cos mθ
        over all records are published, m = 1, …, t − 1. Which line of the privacy proof changes?
        Type the scale of the Laplace noise on the m-th sum that is ε-differentially private, with
        the shape m^a and W, the sum of m^(−a), as before: a formula in W, m, a and ε.""",
        Formula(
            right="W*m^a/ε",
            draw=uniform(W=(1.0, 9.0), m=(1, 20), a=(0.1, 2.0), ε=(0.05, 3.0)),
            slips={
                "2*W*m^a/ε": "A replaced record moves a sum by 2. And one that comes?",
                "W/ε": "That is the scale on the sum divided by m^a.",
                "m^a/ε": "All the sums are published. What do their changes add up to?",
            },
        ),
        ["How large is one cosine?"],
        """“A replaced record moves A_m by 2/n” becomes: one that comes or goes moves the m-th sum
        by at most 1. (2)
        Divided by m^a they move by W together: scale W m^a/ε. (2)
        An answer needs the average: the number of records is a further sum (m = 0) with noise of
        its own, paid for from ε, by which the others are divided. (2)""",
    )
