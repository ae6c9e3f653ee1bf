"""The exercises of lesson 09."""

from __future__ import annotations

import numpy as np

from dpviz import accounting
from dpviz.comparison import calculator, guide, smallest
from dpviz.exercises.answers import RIGHT, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise, named
from dpviz.exercises.formulas import Formula, uniform
from dpviz.exercises.program import Coding, Program
from dpviz.exercises.proofs import complete, design, find, repair


@named
def predict_distances() -> Exercise:
    """Who answers a thousand distance queries about the clinic."""
    options = {
        "the interactive mechanism": "It pays for tests and tangents in each of 30 columns. From "
        "which n is its bound below the error without data?",
        "one release of all answers": RIGHT,
        "noise on each answer": "How does its error grow with the number of questions?",
        "no mechanism": "The average distance moves by 1/n when a record is replaced. Is the "
        "noise of one release larger than the spread of the answers?",
    }
    return Exercise(
        "<b>Predict.</b> Who has the smallest error?",
        Pick(options=options),
        ["Which of them pays once for all questions?"],
        "One release of all answers: its error does not grow with the number of questions.",
    )


def _eighths(numbers: np.ndarray) -> str:
    """Of ten errors the eighth."""
    if np.allclose(numbers, [7, 9]):
        return RIGHT
    if np.allclose(numbers, [12, 9]):
        return "Those are the ninth ones, which one error in ten exceeds. Now it may be two?"
    if np.allclose(numbers, [5, 8]):
        return "Those are the medians, which half of the errors exceed. How many may it be here?"
    if np.allclose(numbers, [9, 7]):
        return "Which of the two was asked for first?"
    return "How many of the ten errors are larger than yours, of A and of B?"


@named
def hand_quantiles() -> Exercise:
    """Two quantiles by hand, for another beta."""
    return Exercise(
        "<b>By hand.</b> Now β = 1/5. What are the quantiles of A and B at n = 200, in hundredths?",
        Numbers(check=_eighths, right="7, 9", wrong="12, 9", count=2),
        ["Which is the least of ten errors that at most two exceed?"],
        "The eighth errors: 7 and 9.",
    )


@named
def cross_by_hand() -> Exercise:
    """Where c/n meets a rate."""
    slips = {
        50.0: "√n is 50 there. And n?",
        0.02: "That is n upside down: where is 100/n = 2/√n?",
        200.0: "100 × 2: was the equation solved for n, or were its numbers multiplied?",
    }
    return Exercise(
        "<b>Balance.</b> One mechanism has error 100/n, another 2/√n. From which n on is the first "
        "one better?",
        Number(value=2500.0, within=5, slips=slips),
        ["Set both equal.", "√n = 100/2, so n = __"],
        "100/n = 2/√n where √n = 50, so at n = 2,500.",
    )


@named
def tenth_of_epsilon() -> Exercise:
    """How n grows when epsilon falls, where Gaussian noise is allowed a delta."""
    sds = [accounting.gaussian_sd(epsilon=epsilon, delta=1e-6) for epsilon in (0.1, 1.0)]
    slips = {
        10.0: "That is Laplace noise, which goes with 1/ε. Does the Gaussian, at a fixed δ?",
        100.0: "That would be a sampling error. What does noise depend on?",
        3.16: "A root: is the noise proportional to the root of 1/ε?",
        1.0: "Less budget for the same error, and no more records?",
    }
    return Exercise(
        "<b>E2, change.</b> ε = 0.1 instead of 1, and δ stays 10⁻⁶. For a sensitivity of 1 the "
        f"standard deviation of Gaussian noise is then {sds[0]:.1f} instead of {sds[1]:.2f}. By "
        "which factor must n grow for the same error?",
        Number(value=round(sds[0] / sds[1], 2), within=0.1, slips=slips),
        ["The sensitivity of a mean is 1/n.", f"{sds[0]:.1f}/n′ = {sds[1]:.2f}/n, so n′/n = __"],
        f"{sds[0]:.1f}/{sds[1]:.2f} = {sds[0] / sds[1]:.1f}: a little less than the 10 of pure ε, "
        "because at a fixed δ Gaussian noise does not go with 1/ε exactly.",
    )


@named
def predict_selected() -> Exercise:
    """How much better the best of twenty runs looks."""
    gain = guide.selected_gain()
    options = {
        "about as good": "Does the least of twenty random numbers lie near their middle?",
        f"about {gain:.0f} times better": RIGHT,
        "about 20 times better": "Is the least of twenty errors a twentieth of the median? Think "
        "of the largest of many noises: how much does it vary?",
    }
    return Exercise(
        "<b>Predict.</b> The same mechanism is run with twenty seeds, and the best run is shown "
        "beside the honest median. How much better does it look?",
        Pick(options=options),
        ["The error is the largest of twenty noisy answers. How wide is the range of 20 runs?"],
        f"{gain:.1f} times at the four numbers of patients, in the median.",
    )


@named
def predict_proved() -> Exercise:
    """How far a proved n is from a measured one."""
    task = smallest.task_of("linear, histogram")
    ratio = calculator.smallest_n(**task) / smallest.found_n()["linear, histogram"]
    options = {
        "about the same": "The bound is a union over 30 questions, each by Chernoff's inequality. "
        "Does it lose nothing?",
        "about twice": RIGHT if 1.5 < ratio < 3 else "no",
        "about a hundred times": "That is rather what constants chosen for a short proof cost.",
    }
    return Exercise(
        "<b>Predict.</b> From some n on a Laplace histogram has error 0.05 with probability 0.95, "
        "measured. How much larger is the n from which this is proved here?",
        Pick(options=options),
        ["Which inequalities does the proof use, and how loose are they at eight cells?"],
        f"{ratio:.1f} times.",
    )


@named
def choose_minority() -> Exercise:
    """E1: a cluster of a quarter in ten columns, which no three of them show."""
    options = {
        "the noisy mean": "Where is the mean of the other three quarters?",
        "private medians": "With a quarter of the rows in the cluster, where is the median?",
        "the densest interval of each column": "Which interval is the densest in a column with a "
        "popular value?",
        "the densest window of each three columns": "Which share of the others has the popular "
        "value in three given columns? And which share of all records is that?",
        "the practical 1-cluster solver": RIGHT,
    }
    return Exercise(
        "<b>E1, choose.</b> 3,000 records with 10 columns, a quarter of them close together. Each "
        "column has a value that four fifths of the others take. ε = 1: what finds the place?",
        Pick(options=options),
        ["0.75 · 0.8³ = 0.384.", "Who looks at all columns at once?"],
        "The 1-cluster solver; means and medians stay where the majority is, and in each column, "
        "and in each three, the popular values are denser than the cluster.",
    )


@named
def choose_pure() -> Exercise:
    """E3: kernels without a delta."""
    options = {
        "the functional mechanism": "Which noise does it use, and what does that noise need?",
        "truncated moments": RIGHT,
        "noise on each answer": "1,000 answers, pure: how does Laplace noise grow with their "
        "number?",
        "a Laplace histogram on a grid": "Wide cells misplace records, narrow ones add up more "
        "noise. How fast does the best of both fall with n?",
        "the Jackson kernel as stated": "How much does it flatten a kernel of width ½?",
    }
    return Exercise(
        "<b>E3, choose.</b> 1,000 Gaussian kernels in one column, n = 30,000, ε = 1 and δ = 0. "
        "What do you use?",
        Pick(options=options),
        [
            "Which of them are pure?",
            "Of the pure ones, whose noise does not grow with k?",
            "Of these, whose error besides the noise is smallest at so large an n?",
        ],
        "The functional mechanism adds Gaussian noise, which needs a δ. Noise on each answer has "
        "a scale of 1,000/(nε) = 1/30, and the largest of 1,000 is many times that. The Jackson "
        "kernel as stated flattens the answers. The histogram comes near, and nearer once it is "
        "moved to the nearest possible one; truncated moments express the kernels with fewer noisy "
        "numbers.",
    )


@named
def spend_selection() -> Exercise:
    """E4: the price of a private selection."""
    slips = {
        1.0: "That would be the price if nothing were selected.",
        0.05: "That is basic composition over 20 runs. What does the theorem say instead?",
        0.5: "One factor e^ε for the chosen output. How many more stand in the proof?",
    }
    return Exercise(
        "<b>E4, spend.</b> Runs are repeated a geometric number of times and the best is "
        "published (Theorem 9.3). Everything may cost ε = 1. What may one run cost, its score "
        "included?",
        Number(value=1 / 3, within=0.004, slips=slips),
        ["The proof has three factors.", "3 × __ = 1"],
        "ε/3 for each run, and its score must be part of what these ε/3 pay for.",
    )


@named
def break_selected() -> Exercise:
    """E5: by luck."""
    slips = {
        0.05: "At one n. What about all four?",
        0.2: "Chances of independent events are not added.",
        1 / 80: "Four times twenty runs, but the question is about one seed at each n.",
    }
    return Exercise(
        "<b>E5, break.</b> Someone shows one curve at four n. You have all twenty runs at each n, "
        "and his is the least every time. With which probability would a curve that was not "
        "picked show this?",
        Number(value=20.0**-4, within=1e-8, slips=slips),
        ["What is the chance at one n?", "Runs at different n are independent.", "(1/20)^__"],
        "20⁻⁴ = 6.25 × 10⁻⁶: not luck, but a choice.",
    )


def _smallest_of(n, errors, alpha, beta):
    enough = (errors > alpha).mean(axis=1) <= beta  # at each n
    on = np.logical_and.accumulate(enough[::-1])[::-1]  # and at all larger ones
    return n[on][0] if on.any() else 0


def _first(n, errors, alpha, beta):
    enough = (errors > alpha).mean(axis=1) <= beta
    return n[enough][0] if enough.any() else 0


def _by(statistic):
    """The smallest n by another statistic of the trials."""

    def found(n, errors, alpha, beta):
        enough = statistic(errors) <= alpha
        on = np.logical_and.accumulate(enough[::-1])[::-1]
        return n[on][0] if on.any() else 0

    return found


SMALLEST = [
    (_first, "At the n that you return the error holds. Does it hold at every larger one?"),
    (
        _by(lambda errors: np.median(errors, axis=1)),
        "Half of the trials may be worse than their median. How often is allowed here?",
    ),
    (
        _by(lambda errors: errors.mean(axis=1)),
        "A small mean allows many large errors. What does β count?",
    ),
    (
        _by(lambda errors: errors.max(axis=1)),
        "You allow no trial at all to be worse. How many of them may be?",
    ),
    (
        _by(lambda errors: errors.min(axis=1)),
        "That is the best of all trials at each n: the curve of the section above.",
    ),
]


def _measured(rng: np.random.Generator) -> list[tuple]:
    """Errors that fall with n, with a lucky n in between; the last case never holds."""
    n = np.array([100, 200, 400, 800, 1600, 3200])
    cases = []
    for scale, alpha in ((40.0, 0.25), (20.0, 0.08), (60.0, 0.1), (900.0, 0.05)):
        errors = scale / n[:, None] * rng.exponential(size=(6, 40))
        errors[1] = min(alpha, scale / 400) / 2  # luck
        cases.append((n, errors, alpha, 0.1))
    return cases


@named
def write_smallest(program: object = None) -> Exercise:
    """E6: the smallest n of stored trials."""
    question = (
        "<b>E6, write.</b> <code>errors</code> has one row of trials for each of the ascending "
        "<code>n</code>. Return the least listed n from which on (there and at all larger ones) "
        "at most a share <code>beta</code> of the trials exceeds <code>alpha</code>; "
        "0 if there is none."
    )
    answer = Program(solution=_smallest_of, slips=SMALLEST, inputs=_measured)
    hints = [
        "First a truth value for each n: is the share of larger errors at most beta?",
        "Go from the largest n downwards, and stop where it fails.",
        "np.logical_and.accumulate(kept[::-1])[__]",
    ]
    why = "One lucky n is no threshold: the promise is about every larger table, too."
    return Coding(question, answer, hints, why, program)


@named
def prove_selection() -> Exercise:
    """Complete: private selection costs three times epsilon."""
    return complete(
        """M is ε-differentially private with ordered outcomes. It is run K times, where K is drawn
        with Pr[K = k] = γ(1 − γ)^(k−1), and only the best outcome is published. For an outcome y
        let p = Pr[M = y], F = Pr[M ≤ y] and G = Pr[M < y] on D, and p′, F′, G′ on a neighbour D′.
        Prove how private this is.""",
        """A < ?: So the published outcome is 3ε-differentially private, for every γ.
        B: p ≤ e^ε p′.
        C: y is published with probability γp/((1 − (1 − γ)F)(1 − (1 − γ)G)), a geometric series.
        D ! F ≤ F′, because the data sets differ in one record only. // F may be larger on D: which
        factor does the promise allow?
        E: 1 − F and 1 − G are probabilities of sets of outcomes, so 1 − F′ ≤ e^ε (1 − F), and the
        same for G.
        F < E: As 1 − (1 − γ)F = γ + (1 − γ)(1 − F), each factor of the denominator on D′ is at most
        e^ε times that on D.
        ? < B C F: The two probabilities of publishing y have a ratio of at most __ (a formula in
        ε).""",
        Formula(
            right="exp(3*ε)",
            draw=uniform(ε=(0.01, 2.0)),
            slips={
                "exp(ε)": "That is the numerator.",
                "exp(2*ε)": "How many factors have the denominators?",
                "3*ε": "Factors are multiplied; that is the logarithm.",
            },
        ),
        ["One numerator and two factors below it."],
        """The geometric series. (2)
        p by the promise for {y}. (1)
        Both factors of the denominator by the promise for the outcomes above y, and for those from
        y on. (2)
        e^ε · e^ε · e^ε = e^(3ε), and γ cancels. (1)""",
    )


@named
def prove_enough_runs() -> Exercise:
    """Find: how many runs a claim about a quantile needs."""
    return find(
        """T independent runs of a mechanism all erred by less than x. One wants to claim that x is
        not below the 1 − β quantile of the error, and to be wrong with probability at most η. Find
        a T that is enough, as a formula in β and η, in two lemmas.

        Lemma 1. If x is at most that quantile, all T runs err by less than x with probability at
        most (1 − β)^T.

        Lemma 2. ln(1 − β) ≤ −β.

        Type your T, which need not be whole. It is compared with the least T for thousands of β and
        η.""",
        Formula(
            right="ln(1/η)/β",
            draw=uniform(β=(0.005, 0.5), η=(0.001, 0.5)),
            least=lambda β, η: np.log(η) / np.log1p(-β),
            slips={
                "1/β": "Lemma 1 also says how η enters.",
                "1/(β*η)": "It is enough, but the two lemmas give a logarithm.",
                "ln(1/β)/η": "Which of the two stands in the power?",
            },
            low="It is not enough",
            high="It is enough, but the lemmas give less",
        ),
        ["(1 − β)^T ≤ η.", "T ln(1 − β) ≤ ln η, and ln(1 − β) is negative."],
        """Theorem 9.2: each run errs by less than x with probability at most 1 − β, and
        independent probabilities multiply. (2)
        (1 − β)^T ≤ e^(−βT), by Lemma 2. (2)
        e^(−βT) = η gives T = ln(1/η)/β. (1)""",
    )


@named
def prove_better_of_two() -> Exercise:
    """Repair: the better of two answers, by looking at the data."""
    return repair(
        """False claim. One mechanism answers a count c of n records by c plus Laplace noise of
        scale 1, the other always by n/2, without the data. Both answers are made, and the one that
        is nearer to the true count is published. This is 1-differentially private.

        Give a counterexample: n, the count on D, the count on a neighbour D′, and an answer y other
        than n/2. It is one if y is possible on one side only.""",
        """1: Each of the two mechanisms is 1-differentially private. // One has Laplace noise for
        sensitivity 1, the other sees no data.
        2: Only one answer is published. // So it is.
        3 ! Whichever it is, it comes from a mechanism that is 1-differentially private, so what is
        published is 1-differentially private.
        4: Its error is at most that of the better of the two. // That is true.""",
        Numbers(check=_better_of_two, right="10, 2, 3, 0", wrong="10, 2, 3, 2.5", count=4),
        [
            "When is a noisy answer published? When it is nearer to c than n/2 is.",
            "So y is possible if |y − c| < |n/2 − c|.",
        ],
        """The choice between them looks at the true count, and nobody has paid for it: line 3. (2)
        With n = 10 and c = 2 all y between −1 and 5 are possible, with c = 3 only those between 1
        and 5: at y = 0 the ratio is infinite. (2)
        Repair: choose by what is public, or with a measured error that is paid for (Theorem 9.4),
        or by private selection at three times ε (Theorem 9.3). (2)""",
    )


def _better_of_two(typed: np.ndarray) -> str:
    """On which side a noisy answer can be published."""
    n, count, other, y = typed
    if min(count, other) < 0 or max(count, other) > n or any(typed[:3] % 1):
        return "Counts are whole numbers from 0 to n."
    if abs(count - other) != 1:
        return "A neighbour's count differs by 1."
    if y == n / 2:
        return "The answer n/2 is always possible. Take another."
    here, there = (abs(y - c) < abs(n / 2 - c) for c in (count, other))
    if here != there:
        return RIGHT
    return f"This y is {'possible' if here else 'impossible'} on both. How near to c must it be?"


@named
def prove_fair_table() -> Exercise:
    """Design: two conventions in one table."""
    return design(
        """A paper releases a histogram with Laplace noise of scale 1/ε on each cell, and calls it
        ε-differentially private: its neighbours are data sets in which one record is added or
        removed. In our table a record is replaced. Which line of its proof breaks here, and with
        which scale does its mechanism belong in our table, at the same ε? Type a formula in ε.""",
        Formula(
            right="2/ε",
            draw=uniform(ε=(0.01, 4.0)),
            slips={
                "1/ε": "A replaced record changes two cells.",
                "1/(2*ε)": "Does a stronger promise need less noise?",
                "sqrt(2)/ε": "That is the ℓ2 sensitivity. Which one does Laplace noise need?",
            },
        ),
        ["A replaced record is one removed and one added."],
        """“One record changes one cell by 1” breaks: a replaced one changes two, so the ℓ1
        sensitivity is 2. (2)
        Laplace noise of scale 2/ε; or its promise at ε/2, twice, by a chain of two neighbours. (2)
        Left at 1/ε it would look twice as accurate as it is; the public n, which the other
        convention has to measure, goes the other way. (2)""",
    )
