"""The exercises of lesson 01."""

from __future__ import annotations

import math

import numpy as np

from dpviz.accounting import pure_advanced, pure_basic, pure_exact, zcdp_epsilon, zcdp_pure
from dpviz.audit.broken_mechanisms import released_loss
from dpviz.exercises.answers import RIGHT, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise, named
from dpviz.exercises.formulas import Formula, uniform
from dpviz.exercises.program import Coding, Program, by_spread, laplace
from dpviz.exercises.proofs import complete, design, find, repair
from dpviz.privacy.curator import BudgetExceeded, Curator

N, UPPER, EPSILON = 569, 30.0, 0.5  # patients; public bound of the radius; the promise of E1
K, STEP, DELTA = 20, 0.1, 1e-6  # answers of E2, epsilon of each, delta of the total

WANTED = {  # E4: what is asked -> how far one record moves it, and the noise (sd) one can bear
    "how many tumours are malignant": (1.0, 10.0),
    "the mean radius, clipped to [0, 30]": (UPPER / N, 0.5),
    "how many radii lie above 15": (1.0, 5.0),
    "the share of patients whose radius lies above 20": (1.0 / N, 0.01),
    "a histogram of the radii, ten bins": (2.0, 30.0),
}


@named
def predict_two_coins() -> Exercise:
    """Two answers by randomized response."""
    slips = {
        3: "That is one answer. Are two of them no more evidence?",
        6: "How do two independent pieces of evidence act on odds, by a sum or by a product?",
        2 * math.log(3): "That is the logarithm. By which factor do the odds move?",
        (9 / 16) / (7 / 16): "Is (1 − 3/4)² the probability of two wrong answers, or 1 − (3/4)²?",
    }
    return Exercise(
        "<b>Predict.</b> She answers twice, with fresh coins. What is the largest factor by which "
        "both answers together can multiply your odds?",
        Number(value=9, slips=slips),
        ["Take two answers “yes”.", "(3/4)² is divided by (1/4)²."],
        "(3/4)²/(1/4)² = 3 × 3: evidence multiplies, so its logarithms add up.",
    )


@named
def predict_odds() -> Exercise:
    """How far one answer moves the odds."""
    options = {
        "10:1": "How many times likelier is 214 if you are the 212th?",
        "3:1": RIGHT,
        "1:1": "Is every output exactly as likely with you as without?",
    }
    return Exercise(
        "<b>Predict.</b> Before, the odds that you are among the malignant were 1:1. The clinic "
        "publishes 214, with Laplace noise of scale 1. Which odds are nearest to what the reader "
        "should give now?",
        Pick(options=options),
        ["The odds are multiplied by the ratio of two densities.", "Laplace: exp(−|214 − 212|)/__"],
        "exp(−2)/exp(−3) = e, 2.72 to 1, and the same for every number above 212.",
    )


@named
def predict_closer() -> Exercise:
    """Which mechanism a test can use best."""
    options = {
        "Laplace noise": "Far from both counts its evidence is as strong as ε allows. And between?",
        "randomized response": RIGHT,
        "both alike": "Try a test with equal errors against each of them.",
    }
    return Exercise(
        "<b>Predict.</b> Randomized response publishes your own diagnosis, but turned round with "
        "probability 1/(1 + e). At ε = 1, against which mechanism does a test come closer to the "
        "limit of the theorem?",
        Pick(options=options),
        ["Both errors of a test against randomized response are 1/(1 + __)."],
        "Randomized response: both errors are 27 %, the corner of the limit. Between the two "
        "counts Laplace noise gives weaker evidence.",
    )


@named
def predict_histogram() -> Exercise:
    """A histogram under two conventions."""
    return Exercise(
        "<b>Predict.</b> By how much do the counts of a histogram move in total if one record is "
        "replaced, and if one is removed? Type the two numbers.",
        Numbers(check=_two_counts, right="2, 1", wrong="1, 1", count=2),
        ["Which cell loses the old record?", "Which cell gains the new one?"],
        "Replaced: one cell loses a record and another gains one. Removed: one cell loses it.",
    )


def _two_counts(typed: np.ndarray) -> str:
    """Both exactly."""
    if typed.tolist() == [2, 1]:
        return RIGHT
    other = "How many cells change, and by how much each?"
    return "Does the new record go into no cell?" if typed[0] == typed[1] else other


@named
def predict_free() -> Exercise:
    """Noise against sampling error."""
    slips = {
        math.sqrt(8): "That is √n. Which n is it?",
        2: "Is the standard deviation of Laplace noise its scale?",
        80: "At which ε would that be right?",
        800: "At which ε would that be right?",
    }
    return Exercise(
        "<b>Predict.</b> At ε = 1, from which n on is √2/(nε), the standard deviation of the "
        "noise, at most 1/(2√n)?",
        Number(value=8, within=0, slips=slips),
        ["Set the two equal.", "√n = 2√2/ε", "n = __/ε²"],
        "√2/n = 1/(2√n) gives √n = 2√2, so n = 8.",
    )


@named
def scale_of_a_mean() -> Exercise:
    """E1: the noise of one average."""
    slips = {
        UPPER / N: "At which ε would that be right?",
        UPPER / EPSILON: "Is that the noise of a sum or of a mean?",
        0.0743: "Whose least and largest radius are these? The range must be public.",
        UPPER / N * EPSILON: "Does a smaller ε need less noise?",
        math.sqrt(2) * UPPER / N / EPSILON: "Is that the scale, or the standard deviation?",
        2 * UPPER / N / EPSILON: "From where to where can one radius move?",
    }
    return Exercise(
        "<b>E1, predict.</b> What is the scale of the Laplace noise on the mean radius of "
        "n = 569 patients, each clipped to the public range [0, 30], at ε = 0.5?",
        Number(value=UPPER / N / EPSILON, within=0.0005, slips=slips),
        ["How far can one record move the mean?", "Divide that by ε.", "30/__/0.5"],
        "One clipped radius moves by at most 30, so the mean by at most 30/569 = 0.0527: that is "
        "its sensitivity. The scale is the sensitivity divided by ε: 0.0527/0.5 = 0.1054.",
    )


@named
def smallest_total() -> Exercise:
    """E2: for few answers the oldest theorem wins."""
    options = {
        "basic": RIGHT,
        "advanced": "Compute its root term alone: is it below the others?",
        "zCDP": "It pays for ln(1/δ) from the first step. Has that paid off by now?",
        "all the same": "Is one of them linear in k, and another not?",
    }
    step = {"epsilon": STEP, "k": K}
    totals = {
        "basic": pure_basic(**step),
        "zCDP": zcdp_epsilon(rho=K * zcdp_pure(epsilon=STEP), delta=DELTA),
        "advanced": pure_advanced(**step, delta=DELTA),
        "exact": pure_exact(**step, delta=DELTA),
    }
    listed = ", ".join(f"{rule} {total:.2f}" for rule, total in totals.items())
    return Exercise(
        "<b>E2, predict.</b> Twenty Laplace answers at ε = 0.1 each, δ = 10⁻⁶. Which rule, the "
        "exact one aside, gives the smallest total?",
        Pick(options=options),
        ["Start with k = 1.", "Which of them has a term without k?", "Compare them at k = 20."],
        f"At k = 20: {listed}. The rules with a root win for larger k.",
    )


@named
def share_of_rho() -> Exercise:
    """E3: rho goes with the inverse square of the noise."""
    return Exercise(
        "<b>E3, change.</b> Five Gaussian answers of one sensitivity; one has half the standard "
        "deviation of the other four. Which share of ρ does it take? 3/7 or 0.43 are both fine.",
        Numbers(check=_share, right="1/2", wrong="1/5", count=1),
        ["Write ρ in terms of the sd.", "What is the ratio of two shares?", "__/(__ + 4)"],
        "ρ goes with 1/sd², so the parts are 4 : 1 : 1 : 1 : 1, and the share is 4/8.",
    )


def _share(typed: np.ndarray) -> str:
    """Exactly 4 parts of 8; the slips are other powers and other sums."""
    said = {
        4 / 8: RIGHT,
        2 / 6: "ρ goes with the sd to which power?",
        1 / 5: "Are all five equal?",
        4 / 5: "Of all five, or compared with one of the others?",
        2 / 3: "How many others are there?",
        1 / 17: "Does less noise cost less?",
    }
    near = [words for share, words in said.items() if abs(typed[0] - share) < 0.004]
    if typed[0] == 4 / 8 or (near and near[0] != RIGHT):
        return near[0]
    other = "Not this one. What are the five parts, in units of the smallest?"
    return other if 0 < typed[0] < 1 else "A share lies between 0 and 1."


@named
def spend_budget() -> Exercise:
    """E4: divide one epsilon among five queries of unequal cost."""
    rows = "".join(f"<li>{what}: noise sd at most {sd:g}</li>" for what, (_, sd) in WANTED.items())
    needs = [math.sqrt(2) * moved / sd for moved, sd in WANTED.values()]
    least = ", ".join(f"{epsilon:.3f}" for epsilon in needs)
    return Exercise(
        "<b>E4, build.</b> A budget of ε = 1 for five Laplace answers about 569 patients, one of "
        f"whom may be replaced. Type an ε for each of the five, in this order:<ol>{rows}</ol>",
        Numbers(check=_spend, right="0.15, 0.16, 0.3, 0.26, 0.12", wrong="1/5 " * 5, count=5),
        [
            "How far does one replaced record move each answer?",
            "Laplace noise of scale b has the standard deviation √2 b.",
            "ε = √2 × __ / sd, for each; what remains is yours.",
        ],
        f"At least {least}: together {sum(needs):.2f}. How the rest is spent is a matter of taste.",
    )


def _spend(typed: np.ndarray) -> str:
    """Let a curator charge it all; then compare the noise with what can be borne."""
    if typed.min() <= 0:
        return "Each ε must be above 0: an answer without any has noise without end."
    curator = Curator(epsilon=1.0, rng=N)
    try:
        for epsilon, (what, (moved, _)) in zip(typed, WANTED.items(), strict=True):
            curator.laplace(0.0, sensitivity=moved, epsilon=float(epsilon), label=what)
    except BudgetExceeded:
        return f"The curator refuses {typed.sum():.3g} in all. Which answers are finer than asked?"
    bearable = np.array([sd for _, sd in WANTED.values()])
    scales = np.array([charge.scale for charge in curator.ledger.charges])
    return _noisy(typed, scales / bearable)


def _noisy(typed: np.ndarray, scales: np.ndarray) -> str:
    """Which answers are too noisy, and what their noise has in common; scales in tolerances."""
    late = np.flatnonzero(math.sqrt(2) * scales > 1 + 1e-9)
    if not len(late):
        return RIGHT
    which = ", ".join(str(i + 1) for i in late)
    if np.ptp(typed) < 1e-9:
        return f"Too noisy: {which}. Equal parts: are the five equally hard?"
    if (scales[late] <= 1 + 1e-9).all():
        return f"Too noisy: {which}. Is a tolerance a scale or a standard deviation?"
    if late.tolist() == [len(typed) - 1]:
        return f"Too noisy: {which}. How many bins does one replaced record change?"
    return f"Too noisy: {which}. How far does one record move it, and what is divided by what?"


@named
def break_the_vector() -> Exercise:
    """E5: one print too many."""
    options = {
        "it prints the value that it compared": RIGHT,
        "it prints the value with fresh noise, and pays": "That is allowed: what would the fresh "
        "noise tell about the threshold?",
        "it prints the threshold that it was given": "Was that number ever private?",
        "it answers “below” 200 times": "Then nothing is changed. What does one more “below” tell?",
    }
    losses = ", ".join(f"{released_loss(k, 4.0):g}" for k in (10, 100, 300))
    return Exercise(
        "<b>E5, break.</b> Sparse vector claims ε = 1 and says above or below until its first "
        "positive answer. Which change makes the auditor raise an alarm?",
        Pick(options=options),
        [
            "One secret keeps many answers “below” cheap. Which?",
            "Which of the prints says something about the noise of the threshold?",
        ],
        "The value that it compared lies above the noisy threshold, and so bounds it: then every "
        f"“below” before it counts. After 10, 100 and 300 of them the loss is {losses}.",
    )


def _private_mean(data, lower, upper, *, epsilon, rng):
    mean = np.clip(data, lower, upper).mean()
    return mean + rng.laplace(scale=(upper - lower) / (len(data) * epsilon))


def _mean_with(factor=lambda n, e, spread, upper: 1, clip=True, noise="laplace"):
    """A mean whose noise is so many times as wide, of another law, or not clipped."""

    def mean(data, lower, upper, *, epsilon, rng):
        kept = np.clip(data, lower, upper) if clip else data
        width = upper - lower
        wide = factor(len(data), epsilon, np.ptp(data) / width, upper / width)
        return kept.mean() + getattr(rng, noise)(scale=wide * width / (len(data) * epsilon))

    return mean


MEANS = [
    (_mean_with(lambda n, e, spread, upper: n), "Noise for a sum. How far does a mean move?"),
    (_mean_with(lambda n, e, spread, upper: e**2), "Does a smaller ε mean more noise, or less?"),
    (
        _mean_with(lambda n, e, spread, upper: spread),
        "The noise depends on the records' own range, and so gives it away. Which is public?",
    ),
    (_mean_with(lambda n, e, _, upper: upper), "A record lies between two bounds. How far apart?"),
    (_mean_with(clip=False), "A record beyond the bounds moves it further than the noise allows."),
    (_mean_with(noise="normal"), "The scale is right, but normal noise of it gives no pure ε."),
]


@named
def write_mean(program: object = None) -> Exercise:
    """E5: the Laplace mechanism for a clipped mean."""
    question = (
        "<b>E5, write.</b> Complete the function: clip the n values of <code>data</code> to the "
        "public bounds, and return their mean with the Laplace noise that makes it "
        "ε-differentially private (one record replaced). Draw the noise from <code>rng</code>."
    )
    answer = Program(
        solution=_private_mean,
        slips=MEANS,
        inputs=lambda rng: [
            (rng.normal(20, 9, 40), 5.0, 30.0, 0.5),
            (rng.normal(-2, 3, 90), -10.0, 5.0, 2.0),
            (rng.normal(16, 6, 60), 10.0, 20.0, 20.0),
        ],
        law=lambda out, data, lower, upper, *, epsilon, rng: laplace(
            out, np.clip(data, lower, upper).mean(), (upper - lower) / (len(data) * epsilon)
        ),
        runs=6000,  # a normal law of that scale is 0.045 away
        otherwise=by_spread,
    )
    hints = [
        "Two steps: a number that one record moves by a known amount, and noise for that amount.",
        "Laplace noise has the scale sensitivity/ε; a mean moves by the n-th part of a sum.",
        "return np.clip(data, lower, upper).mean() + rng.laplace(scale=__)",
    ]
    return Coding(question, answer, hints, "One record moves it by (upper − lower)/n.", program)


@named
def prove_exponential() -> Exercise:
    """Complete: the exponential mechanism with any factor in the exponent."""
    return complete(
        """A candidate r is drawn with probability w(r)/W, where w(r) = exp(a u(D, r)/Δ) and W is
        the sum of the weights of all candidates. Each score u(D, r) moves by at most Δ between
        neighbours. Prove for which a > 0 this is ε-differentially private.""",
        """A < ?: The probability of a set of candidates is a sum of these, so the mechanism is
        2a-differentially private, and a = ε/2 is the right choice.
        B ! W is the same on D and on D′, because the probabilities add up to 1 on both. // The
        probabilities add up to 1, but the weights before the division may all rise.
        C < D: W(D) ≥ e^(−a) W(D′), because W is a sum of weights.
        D: Each weight changes by a factor of at most e^a, up or down, between neighbours.
        ? < C D: So w(r)/W on D is at most __ times as large as on D′ (a formula in a).""",
        Formula(
            right="exp(2*a)",
            draw=uniform(a=(0.01, 3.0)),
            slips={"exp(a)": "That is the numerator. What may the denominator do?"},
        ),
        ["How far can a numerator and a denominator move in opposite ways?"],
        """The exponent moves by at most a, so each weight by a factor of at most e^a. (2)
        So does their sum, in the unfavourable way too. (2)
        The quotient: e^a · e^a = e^(2a); sums of probabilities keep the factor. (1)
        a = ε/2. (1)""",
    )


@named
def prove_many_options() -> Exercise:
    """Find: randomized response with several options."""
    return find(
        """Each person has one of k options, reports it with probability p, and otherwise each of
        the k − 1 others with equal probability. Find the largest p that is ε-differentially
        private for one person, as a formula in k and ε, in two lemmas.

        Lemma 1. The largest ratio of the probabilities of one report, for two true options, is
        p (k − 1)/(1 − p), if p is at least 1/k.

        Lemma 2. This ratio grows with p, and is e^ε for one p only.

        Type that p. It is tested on thousands of k and ε: a smaller one wastes truth, a larger one
        breaks the promise.""",
        Formula(
            right="exp(ε)/(exp(ε) + k - 1)",
            draw=uniform(k=(2, 60), ε=(0.05, 4.0)),
            slips={
                "exp(ε)/(exp(ε)+1)": "That is right for two options. How is the rest shared out?",
                "exp(ε)/(exp(ε)+k)": "One of the k options is the true one. How many others are "
                "there?",
            },
            low="It keeps the promise, but a larger p does, too",
            high="It breaks the promise",
        ),
        ["p (k − 1)/(1 − p) = e^ε.", "Multiply by 1 − p and collect p."],
        """A report has probability p if it is true, (1 − p)/(k − 1) if not: the ratio of the two,
        or its inverse, is the largest. (2)
        It grows from 1 at p = 1/k, without bound. (1)
        p (k − 1) = e^ε (1 − p) gives p = e^ε/(e^ε + k − 1). (2)""",
    )


@named
def prove_above_again() -> Exercise:
    """Repair: AboveThreshold that goes on after it said above."""
    return repair(
        """False claim. AboveThreshold at ε = 1 draws the noise of its threshold once, with scale 2
        (the threshold itself is 0), and fresh noise of scale 4 for each check. It may go on after
        each “above”, as long as one likes, and the whole stream is 1-differentially private.

        Give a counterexample as a block of checks and how often it is repeated. For each check
        type three numbers, its value on D, its value on D′ and its answer, 0 for below and 1 for
        above; last type the number of repetitions (at most 1,000). Both probabilities of the
        stream are computed.""",
        """1: If every threshold is moved up by 1, all checks that were below on D stay below on D′;
        this costs a factor of e^(1/2), once. // One shift serves for all answers “below”.
        2: At an “above” the value and the threshold move by 2 together, which costs a factor of
        e^(1/2). // The noise of that check has scale 4, so this is right.
        3 ! The noise of the threshold has been paid, so every later check, below or above, costs
        nothing more.
        4: The factors multiply to e. // They would. Which line before it fails?""",
        Numbers(check=_above_again, right="0, 1, 0, 1, 0, 1, 20", wrong="0, 1, 0, 20"),
        [
            "Answers “below” alone can be paid by one shift, whatever their number.",
            "Let some checks rise by 1 and others fall by 1, with opposite answers.",
        ],
        """Each further “above” needs the factor of line 2 again: line 3 is the first wrong one. (2)
        Checks that rise and are answered “below” beside checks that fall and are answered “above”:
        every repetition adds to the log-ratio. (2)
        Repair: stop after the first “above”, or after c of them: then 1/2 + c/2 is paid. (2)
        A run that begins anew draws a new noise for its threshold, and pays as a new mechanism.
        (1)""",
    )


def _above_again(typed: np.ndarray) -> str:
    """The log-ratio of a stream of answers, with one noise on the threshold for all checks."""
    if len(typed) % 3 != 1 or len(typed) < 4:
        return "Please type three numbers for each check, and last the number of repetitions."
    block, times = typed[:-1].reshape(-1, 3), typed[-1]
    if times not in range(1, 1001) or not set(block[:, 2]) <= {0, 1}:
        return "An answer is 0 or 1, and there are 1 to 1,000 repetitions."
    if np.abs(block[:, :2]).max() > 20:
        return "Please keep the values between −20 and 20."
    if np.abs(block[:, 0] - block[:, 1]).max() > 1:
        return "Between neighbours a check moves by at most 1."
    loss = _threshold_loss(block[:, :2].T, block[:, 2], int(times))
    if abs(loss) > 1 + 1e-6:
        return RIGHT
    return f"The logarithm of the ratio is {loss:.2f}, within ±1. What do opposite answers do?"


def _threshold_loss(values: np.ndarray, above: np.ndarray, times: int) -> float:
    """Log-ratio of the probabilities of answers that share one noisy threshold, by a sum over it.

    Parameters
    ----------
    values : array (2, k), of the checks on two data sets
    above : array (k,), 1 where the answer is above
    times : how often these checks and answers are repeated
    """
    places = np.linspace(-80, 80, 16_001)[:, None]
    logs = []
    for own in values:
        gap = (own - places) / 4
        tail = -np.abs(gap) - math.log(2)  # log-probability of the rarer answer
        often = np.log1p(-np.exp(tail))
        answers = np.where((gap > 0) == (above > 0), often, tail)
        total = times * answers.sum(axis=1) - np.abs(places[:, 0]) / 2
        logs.append(np.logaddexp.reduce(total))
    return float(logs[0] - logs[1])


@named
def prove_chosen_epsilons() -> Exercise:
    """Design: the analyst chooses each epsilon when the earlier answers are known."""
    options = {
        "add up the ε of the answers that were given, and report the sum": "The sum depends on the "
        "answers, so it may be large just where they tell much. Is it bounded beforehand?",
        "refuse whatever would make the sum exceed ε": RIGHT,
        "charge the average of what could have been chosen": "A promise holds for every output, "
        "not on average.",
        "nothing is possible: each ε must be fixed beforehand": "Given the earlier answers, the "
        "next ε is a number. Is that not enough?",
    }
    return design(
        """Theorem 1.3 (b) has numbers ε_1, …, ε_k that are fixed beforehand. Now the analyst
        chooses each ε_i after seeing the answers before it, even whether there is a next one.
        What has to be done so that the whole is ε-differentially private? Choose, and prove it.""",
        Pick(options=options),
        ["Write the density of all answers as a product, for one fixed list of answers."],
        """The statement breaks: the sum of the ε_i is now a function of the answers. (1)
        Fix a list of answers. Given the earlier ones, ε_i is a number and M_i a fixed algorithm, so
        its factor of the density changes by at most e^(ε_i). (2)
        If a rule refuses every step with which the sum would exceed ε, then for every list the
        product is at most e^ε; a refusal is a function of the earlier answers. (2)
        Integrate over a set of lists. (1)""",
    )
