"""The exercises of lesson 05."""

from __future__ import annotations

import numpy as np

from dpviz.exercises.answers import RIGHT, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise, named
from dpviz.exercises.formulas import Formula, neighbours, uniform
from dpviz.exercises.program import Coding, Program
from dpviz.exercises.proofs import complete, design, find, repair
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import (
    mistake_bound,
    paper_size,
    size_rule,
)


@named
def predict_memory() -> Exercise:
    """What the dense form needs for a billion names."""
    slips = {
        1.0: "One byte a name? How is a probability stored?",
        4.0: "Half precision would do that; numpy's float has how many bytes?",
        8e9: "That is the number of bytes. In GB?",
    }
    return Exercise(
        "<b>Predict.</b> How many GB does the usual form (one 8-byte number for each name) need "
        "for 10⁹ names?",
        Number(value=8.0, slips=slips),
        ["How many bytes has one name, and how many names are there?", "A GB is 10⁹ bytes."],
        "8 GB, and every update rewrites all of it.",
        reveal="The sparse form of this lesson needs what the queries have named.",
    )


@named
def predict_updates() -> Exercise:
    """The mistake bound with the best step."""
    size = paper_size(50, 0.1)
    most = mistake_bound(size, 0.1, "best")
    return Exercise(
        "<b>Predict.</b> m = 50 names in a query, α = 0.1, the best step, "
        f"s = {size:,} indices: at most how many updates can there be, by Theorem 5.1?",
        Number(
            value=most,
            within=most / 50,
            slips={8 * most: "That is the bound of Theorem 5.5, for another step."},
        ),
        ["How large is the relative entropy at the start?", "ln s / (2 α²), and ln s is __."],
        f"ln({size:,})/(2 × 0.01) = {most:.0f}, whatever the data.",
    )


@named
def certain_names() -> Exercise:
    """One update by hand: what it takes from the relative entropy."""
    slips = {
        0.5: "That is 2 × error², the least that it can be. How much is it here?",
        1.386: "So much there was before. How much is left?",
        0.347: "That was the other truth, with half of the records. Here all are a.",
    }
    return Exercise(
        "<b>By hand.</b> The guess is ¼ each, but all records are a. Somebody asks for the share "
        "of a and b together. By how much does the update lower KL?",
        Number(value=round(float(np.log(2)), 3), within=0.01, slips=slips),
        ["KL is ln(1/guess of a), and that guess goes from ¼ to ½."],
        "From ln 4 to ln 2, by ln 2 = 0.693; at least 2 × ½² = 0.5.",
    )


@named
def least_indices() -> Exercise:
    """The crossing by hand, where the logarithm is soon overtaken."""
    slips = {
        3.0: "ln 3 × 2 = 2.2, so two updates are possible. How many shares may they need?",
        28.0: "That was α = ¼.",
        5.0: "It is enough. Is there a smaller S that is?",
    }
    return Exercise(
        "<b>Count.</b> Lists of one name, α = ½. What is the smallest S that is at least "
        "m (B + 1) + 1?",
        Number(value=float(size_rule(1, 0.5)), slips=slips),
        ["B is 2 ln S, rounded down; ln S is 0.69, 1.10, 1.39 for S = 2, 3, 4."],
        "S = 2 may need 3, S = 3 may need 4, S = 4 needs 4 at most: enough.",
    )


@named
def predict_slope() -> Exercise:
    """How the error of sparse multiplicative weights falls."""
    options = {
        "a hundred times smaller": "That is noise on one fixed number: 1/n. Does α stay as it is?",
        "about ten times smaller": RIGHT,
        "about five times smaller": "That is the power −1/3, of pure ε. Here δ is above 0.",
        "it stays": "More records, less noise: can α not be smaller then?",
    }
    return Exercise(
        "<b>Predict.</b> A hundred times as many records: what happens to the largest error?",
        Pick(options=options),
        ["See Theorem 5.3, with a δ.", "The error is (nε) to the power −½."],
        "√100 = 10, up to logarithms.",
    )


MECHANISMS = (
    "noise on each name's count, drawn once",
    "fresh noise on each answer",
    "the answer 0, without data",
    "multiplicative weights",
)


@named
def predict_winner() -> Exercise:
    """The manual's words: which mechanism errs least."""
    slips = (
        RIGHT,
        "All answers share ε. How many are there?",
        "How large are the true answers?",
        "It pays for comparisons too, and how far must a guess be off to be seen?",
    )
    return Exercise(
        "<b>Predict.</b> Whose largest error is smallest?",
        Pick(options=dict(zip(MECHANISMS, slips, strict=True))),
        ["How many noises are added, how large is each?"],
        "√(8 × 50)/50,000 = 0.0004 is the deviation of a list's noise.",
    )


@named
def predict_adaptive() -> Exercise:
    """What sorting by the noise does to a sum of noises."""
    options = {
        "about 0.13, as for a fixed query": "Were the 500 names chosen at random?",
        "about 0.5": "Add 500 noises that are all positive, of scale 2/500 each.",
        "about 2": RIGHT,
    }
    return Exercise(
        "<b>Predict.</b> 500 records, ε = 1. The query takes the 500 of 1,000 absent names that "
        "had the largest noise. How large is its error before clipping?",
        Pick(options=options),
        ["All its noises are positive. What is the mean of positive Laplace noise of scale b?"],
        "500 noises of mean 2 each, divided by n = 500.",
    )


@named
def predict_alpha() -> Exercise:
    """E1: half the alpha."""
    ratio = _updates_allowed(0.05) / _updates_allowed(0.1)
    slips = {
        1.41: "That was the number of tangents. What does one update take here?",
        2.0: "Each update takes α², not α.",
        8.0: "Is that the error against n?",
    }
    return Exercise(
        "<b>E1, predict.</b> Lists of 50 names, the best step. α goes from 0.1 to 0.05. By "
        "which factor does the number of allowed updates grow?",
        Number(value=round(ratio, 2), within=0.5, slips=slips),
        [
            "Total relative entropy over what one update takes.",
            "The total is ln s; one update takes 2α².",
            "(0.1/0.05) to the power __, and a little more, because ln s grows too.",
        ],
        f"{_updates_allowed(0.1)} become {_updates_allowed(0.05)}: {ratio:.2f} times. Four from "
        "α², the rest from ln s, because a smaller α needs more indices.",
    )


def _updates_allowed(alpha: float) -> int:
    """Updates allowed for lists of 50 names with the paper's number of indices, best step."""
    return mistake_bound(paper_size(50, alpha), alpha, "best")


@named
def pick_winner() -> Exercise:
    """E2: an ordinary case."""
    options = {
        "sparse weights": "How large is m/n? Where on the map is that?",
        "noise on each query": "How large is k/n, and what does its error grow with?",
        "the lazily perturbed histogram": RIGHT,
        "answering ½": "Compare: the histogram sums 300 noises over 10,000 records.",
    }
    return Exercise(
        "<b>E2, predict.</b> n = 10,000 records, lists of m = 300 names, 2,000 queries fixed "
        "beforehand, ε = 1. Which mechanism has the smallest error?",
        Pick(options=options),
        [
            "Compute m/n and k/n.",
            "The histogram's error is about √(8m) × 4 / (εn).",
            "√2400 × 4 / __",
        ],
        "The histogram: m is far below n, so the noise of the names on a list is small, while each "
        "of 2,000 answers needs its share of the budget.",
    )


@named
def wrong_sign() -> Exercise:
    """E3: one update the wrong way."""
    options = {
        "it shrinks by what the right sign would have gained": "Towards whom did the names move?",
        "it grows by exactly what the right sign would have gained": "Is the curve of KL against "
        "the step straight or bent?",
        "it grows by at least what the right sign would have gained": RIGHT,
        "it stays": "Read ln Z: is it zero?",
    }
    return Exercise(
        "<b>E3, change.</b> Give one update the wrong sign. What happens to the relative entropy?",
        Pick(options=options),
        [
            "Think of KL as a function of the step; the present state is the step 0.",
            "This curve is bent upwards, because Z is a mean of exponentials.",
            "Right sign: −η gap + bend. Wrong sign: +η gap + __.",
        ],
        "With the right sign KL falls by η gap − bend, with the wrong one it grows by η gap + "
        "bend', and both bends lie between 0 and η²/8.",
    )


@named
def leaking_list() -> Exercise:
    """E4: which support leaks."""
    options = {
        "the 50 commonest words of a public list": "Two neighbours: the same list on both.",
        "all words seen in the manual": RIGHT,
        "the 50 most frequent words of a noisy histogram that was paid for": "The list follows "
        "from answers that were paid for. Is that a new access to the data?",
        "the words whose true count is even": "That is a leak too, but no list of names: can you "
        "find the one that shows a lone word?",
    }
    return Exercise(
        "<b>E4, break.</b> A query is sent as a list of names. Which list tells that a record "
        "with a rare word is in the data, before any answer is given?",
        Pick(options=options),
        [
            "Replace one record, and make the list again.",
            "For which of the two data sets is the lone word on the list?",
            "If the list changes, the query itself is __.",
        ],
        "“All words seen”: a word that occurs once stands in the list only if its record is in the "
        "data. Noise on the answer does not help: the query is already out.",
    )


@named
def full_capacity() -> Exercise:
    """E5: when the structure is full."""
    slips = {
        4.0: "After three, how many indices are free?",
        10.0: "Each update here needs three indices.",
        3.33: "Updates come in whole numbers.",
    }
    return Exercise(
        "<b>E5, change.</b> Ten indices, queries of three new names each. How many updates "
        "succeed before FAILURE?",
        Number(value=3.0, slips=slips),
        [
            "Each update gives every new name an index.",
            "Free indices before an update: 10 − __ × updates.",
            "For which number of updates is that less than a query needs?",
        ],
        "Before the updates 10, 7, 4 and 1 indices are free. Each update needs three of them, so "
        "the first three succeed; the fourth finds one index where it needs three: FAILURE.",
    )


def _update(weights, level, free, asked, fresh, step):
    weights = np.append(weights, np.full(fresh, level))  # an index for each new name
    asked = np.append(asked, np.ones(fresh))
    weights = weights * np.exp(step * asked)
    total = weights.sum() + (free - fresh) * level
    return np.append(weights, level) / total


def _update_with(factor=np.exp, left=lambda free, fresh: free - fresh, scaled=True):
    """The update with another factor, another count of free indices, or the level as it was."""

    def updated(weights, level, free, asked, fresh, step):
        weights, asked = np.append(weights, np.full(fresh, level)), np.append(asked, np.ones(fresh))
        weights = np.where(asked > 0, weights * factor(step), weights)
        total = weights.sum() + left(free, fresh) * level
        return np.append(weights / total, level / total if scaled else level)

    return updated


UPDATES = [
    (
        _update_with(left=lambda free, fresh: 0),
        "Do the weights of all indices, free ones too, still add up to 1? Which sum is missing?",
    ),
    (
        _update_with(left=lambda free, fresh: free),
        "How many indices are free once the new names have theirs?",
    ),
    (
        _update_with(scaled=False),
        "Nobody asked about the untouched names. Does normalising leave them alone?",
    ),
    (
        _update_with(factor=lambda step: np.exp(-step)),
        "A positive step should raise the names on the query. Do yours rise?",
    ),
    (
        _update_with(factor=lambda step: 1 + step),
        "1 + step is only near the factor that is wanted; it can become negative.",
    ),
]


@named
def write_update(program: object = None) -> Exercise:
    """E6: multiplicative weights on indexed names."""
    question = (
        "<b>E6, write.</b> The names with an index have <code>weights</code>; each of the "
        "<code>free</code> indices weighs <code>level</code>. A query touches the indexed names "
        "where <code>asked</code> is 1, and <code>fresh</code> names that have no index yet. "
        "Complete the update by <code>step</code> (the coefficients are 1): it returns the new "
        "weights, those of the fresh names behind the others, and last the new level."
    )
    answer = Program(
        solution=_update,
        slips=UPDATES,
        inputs=lambda rng: [
            (np.full(6, 0.06), 0.08, 8, rng.permutation([1, 1, 0, 0, 0, 1]), fresh, step)
            for fresh, step in ((2, 0.3), (0, -0.4), (3, 0.1), (1, 0.9))
        ],
    )
    hints = [
        "First give each fresh name an index: what is its weight before the update?",
        "Multiply the names of the query by exp(step); then divide everything by one sum.",
        "total = weights.sum() + (free - __) * level",
    ]
    why = "All indices together weigh 1, and the free ones are fewer by the fresh names."
    return Coding(question, answer, hints, why, program)


@named
def prove_updates() -> Exercise:
    """Complete: what one update takes from the relative entropy."""
    return complete(
        """A list has the share p of the records and the guess g. An update moves the guess to u,
        between g and p and at least α away from g: the weights on the list are multiplied by u/g,
        all others by (1 − u)/(1 − g). Prove that there are at most ln S/(2α²) updates.""",
        """A < D F: So there are at most ln S/(2α²) updates.
        B: The update lowers KL by p ln(u/g) + (1 − p) ln((1 − u)/(1 − g)).
        C ! The update lowers KL by the difference of u and g. // KL is a mean of logarithms. Which
        logarithms does the update change?
        D < ?: So each update takes at least 2α² from KL.
        E < B: As u lies between g and p, this is at least u ln(u/g) + (1 − u) ln((1 − u)/(1 − g)).
        F: KL begins at ln S or less, and is never negative.
        ? < E: For all u and g this is at least __ (a formula in u and g, with the best
        constant).""",
        Formula(
            right="2*(u - g)^2",
            draw=uniform(u=(0.01, 0.99), g=(0.01, 0.99)),
            most=lambda u, g: u * np.log(u / g) + (1 - u) * np.log((1 - u) / (1 - g)),
            slips={
                "2*abs(u-g)": "Near u = g the left side is of the second order.",
                "abs(u-g)": "Near u = g the left side is of the second order.",
                "0": "That is true of every relative entropy. Which square is below it?",
            },
            low="It holds, but a larger constant does, too",
            high="It does not hold",
        ),
        ["Whose inequality compares relative entropy with a distance?"],
        """Each record on the list gains ln(u/g), each other one ln((1 − u)/(1 − g)). (2)
        The difference of the two sides of line E is (p − u) times a logarithm of the same sign. (2)
        Pinsker: 2(u − g)², at least 2α². (2)
        KL begins at ln S at most and stays at or above 0. (1)""",
    )


@named
def prove_enough_indices() -> Exercise:
    """Find: a number of indices that is large enough."""
    return find(
        """For lists of at most m names, S indices suffice if S ≥ m (ln S/(2α²) + 1) + 1. On both
        sides there is an S. Find an S, as a formula in m and α, that fulfils it for every m ≥ 1 and
        every α up to ½, in three lemmas.

        Lemma 1. For every a > 0, ln S ≤ S/a + ln a − 1: a concave function lies below its tangents.

        Lemma 2. With a = m/α² the term with S on the right side is S/2.

        Lemma 3. What is left over is at least m + 1, because m/α² ≥ 4m.

        Type your S. It is tested on thousands of m and α, and may be twice as large as the S that
        these lemmas give.""",
        Formula(
            right="(m/α^2)*ln(m/α^2)",
            draw=uniform(m=(1, 100), α=(0.05, 0.5)),
            least=_enough_indices,
            most=lambda m, α: 2 * (m / α**2) * np.log(m / α**2),
            slips={
                "m/α^2": "The logarithm of S on the right side is not bounded by a constant.",
                "(m/(2*α^2))*ln(m/α^2)": "That is one turn of S = m ln S/(2α²). Does it fulfil it?",
            },
            low="It is not enough",
            high="It is enough, but more than twice what the lemmas give",
        ),
        [
            "Half of S is needed for the tangent. The other half is for ln a − 1.",
            "S = a (ln a − 1) + 2(m + 1), and 2(m + 1) ≤ __",
        ],
        """ln is concave, and its tangent at S = a is S/a + ln a − 1. (2)
        With a = m/α²: m ln S/(2α²) ≤ S/2 + (a/2)(ln a − 1). (2)
        So S/2 ≥ (a/2)(ln a − 1) + m + 1 suffices, that is, S ≥ a ln a − a + 2(m + 1). (2)
        As a ≥ 4m ≥ 2(m + 1), S = a ln a suffices. (1)""",
    )


def _enough_indices(m: np.ndarray, α: np.ndarray) -> np.ndarray:
    """The number from which on S is at least m (ln S / (2 α²) + 1) + 1, by repeated insertion.

    >>> S = _enough_indices(np.array([1.0]), np.array([0.5]))
    >>> bool(np.isclose(S, 2 * np.log(S) + 2)[0])
    True
    """
    size = 8 * m / α**2 * np.log(8 * m / α**2)  # larger than it, so it falls to it
    for _ in range(200):
        size = m * (np.log(size) / (2 * α**2) + 1) + 1
    return size


@named
def prove_true_update() -> Exercise:
    """Repair: an update towards the true answer."""
    return repair(
        """False claim. A list is answered by its guess as long as a noisy check says so. If the
        check says “above”, the guess is moved to the true share of the list; this share is not
        published. Only the checks cost privacy.

        Records are names 1 to 4, and the list {1} is asked twice; its first guess is ¼. Give a
        counterexample: the n records of D, and the n records of a neighbour D′. It is one if, after
        “above”, the second answer on D is impossible on D′.""",
        """1: The checks are paid as in AboveThreshold. // Their noise covers the answers above and
        below.
        2: “Above” is possible on both data sets, since the noise is unbounded. // That is right.
        3 ! The update changes only the hypothesis, which is not an answer, so it needs no noise.
        4: All later answers are functions of the hypothesis, hence post-processing. // Functions of
        something private cost nothing more. Is the hypothesis private?""",
        Numbers(check=_true_update, right="1, 2, 3, 4, 1, 1, 3, 4", wrong="2, 3, 2, 4"),
        ["What is the guess for the list right after the update?"],
        """The second answer is the guess, which is now the true share: line 3. (2)
        If the shares of D and D′ differ, each answer is impossible on the other side: the ratio is
        infinite. (2)
        Repair: move the guess towards a share that was measured with noise, and pay for each
        measurement; there are at most ln S/(2α²) of them. (2)""",
    )


def _true_update(typed: np.ndarray) -> str:
    """Run check, update and second answer without noise, given that the check said above."""
    data = neighbours(typed, 1, 4)
    if isinstance(data, str):
        return data
    if set(typed) - {1, 2, 3, 4}:
        return "A record is one of the names 1, 2, 3 and 4."
    weights = [np.full(4, 0.25) for _ in data]
    answers = []
    for own, hypothesis in zip(data, weights, strict=True):
        share, guess = np.mean(own == 1), hypothesis[0]
        hypothesis[0] *= share / guess
        hypothesis[1:] *= (1 - share) / (1 - guess)
        answers.append(hypothesis[0])
    if abs(answers[0] - answers[1]) > 1e-9:
        return RIGHT
    return f"The second answer is {answers[0]:.3g} on both. Which record does the list see?"


@named
def prove_prior() -> Exercise:
    """Design: a public prior over names."""
    return design(
        """Somebody knows a public dictionary with a probability for every word, and each word that
        occurs in the data has probability q at least. The hypothesis starts with these
        probabilities instead of 1/S for each index. Which line of the proof changes, and how many
        updates of at least α are possible? Type a bound as a formula in q and α.""",
        Formula(
            right="ln(1/q)/(2*α^2)",
            draw=uniform(q=(1e-6, 0.5), α=(0.02, 0.5)),
            least=lambda q, α: np.floor(np.log(1 / q) / (2 * α**2)),
            slips={
                "ln(q)/(2*α^2)": "That is negative.",
                "1/(2*q*α^2)": "What is KL at the start, if all records are one word?",
                "ln(1/q)/α^2": "How much does each update take at least?",
            },
        ),
        ["KL at the start is the sum of D(x) ln(D(x)/prior(x))."],
        """“KL begins at ln S at most” changes: it is now at most ln(1/q), because D(x) ≤ 1 and the
        prior is at least q wherever D is not 0. (2)
        Each update takes 2α² as before: at most ln(1/q)/(2α²) updates. (2)
        No index is needed and no S, because each word has its weight beforehand; a word outside the
        dictionary would make KL infinite, and the bound is lost. (2)
        The dictionary must not come from the private data. (1)""",
    )
