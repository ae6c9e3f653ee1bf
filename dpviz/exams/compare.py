"""Lesson 09: which mechanism, and from which n."""

from __future__ import annotations

import math

import numpy as np

from dpviz.exams.question import Question, Step, one_of, root


def pure_scaling(rng: np.random.Generator) -> Question:
    """What epsilon n being the only thing that counts gives, and what a selection costs."""
    n, epsilon = one_of(rng, 1_000, 2_000, 3_000, 5_000, 12_000), one_of(rng, 0.5, 1.0, 2.0)
    other, runs = one_of(rng, 0.1, 0.2, 0.25, 0.4), one_of(rng, 3, 5, 10, 20)
    total = one_of(rng, 1.0, 1.5, 2.0, 3.0)
    return Question(
        f"The error of a mechanism hangs on εn only, and is small enough from n = {n:,} on at "
        f"ε = {epsilon:g}. From which n on at ε = {other:g}? In another study ε = {total:g} may be "
        f"spent in all; {runs} settings are run on the data and the one with the least noisy error "
        "is published, half of each run's budget being for that error. How much has one run for "
        "its answers, by basic composition? What would choosing on public data change?",
        (
            Step(
                "εn is the same: {}.",
                2,
                n * epsilon / other,
                root(lambda m: m * other - n * epsilon, 0, 1e9),
            ),
            Step(
                f"{total:g}/{runs}/2 = {{}}.",
                2,
                total / runs / 2,
                root(lambda e: 2 * runs * e - total, 0, 10),
            ),
            Step("The choice would cost nothing, and the one run could take all of it.", 1),
        ),
    )


def honest_report(rng: np.random.Generator) -> Question:
    """Quantiles of a few draws, by hand."""
    errors = [np.sort(rng.integers(10, 100, size=10)) / 1000 for _ in range(2)]
    medians = [float(each[4] + each[5]) / 2 for each in errors]
    text = [", ".join(f"{value:g}" for value in rng.permutation(each)) for each in errors]
    sorted_again = [sorted(each.tolist()) for each in errors]
    lower = min((0, 1), key=lambda i: medians[i])
    return Question(
        f"Two mechanisms were drawn ten times on the same task. Errors of the first: {text[0]}; of "
        f"the second: {text[1]}. Give the medians and, as the .9-quantile, the ninth of the sorted "
        "errors. Who wins by which statistic? What else must be known before a winner is named?",
        (
            Step("Median of the first: {},", 1, medians[0], sum(sorted_again[0][4:6]) / 2),
            Step("of the second: {}.", 1, medians[1], sum(sorted_again[1][4:6]) / 2),
            Step("The ninth: {}", 1, float(errors[0][8]), sorted_again[0][-2]),
            Step("and {}.", 1, float(errors[1][8]), sorted_again[1][-2]),
            Step(
                ("The first" if lower == 0 else "The second")
                + " has the smaller median, if they differ; the ninth may say otherwise. With ten "
                "draws either can be chance: more draws, or an interval for the quantile.",
                2,
            ),
        ),
    )


def crossing(rng: np.random.Generator) -> Question:
    """From which n on the mechanism with the better rate wins."""
    first, second = one_of(rng, 1, 2, 3, 5), one_of(rng, 20, 40, 50, 80, 100)
    rate = one_of(rng, 0.5, 2 / 3, 0.75, 0.8)
    name = {0.5: "1/2", 2 / 3: "2/3", 0.75: "3/4", 0.8: "4/5"}[rate]
    place = (second / first) ** (1 / (1 - rate))
    return Question(
        f"One mechanism has the error {first}·n^(−{name}), another {second}/n. Derive from which n "
        "on the second is better, and both errors there. How does this n move when ε is halved, "
        "if both errors hang on εn only? And when only the second one's constant is improved by "
        "a factor of 2?",
        (
            Step(
                f"{second}/n < {first} n^(−{name}) means n^(1 − {name}) > {second}/{first}: from "
                "n = {} on.",
                3,
                place,
                root(lambda n: first * n**-rate - second / n, 1, 1e12),
            ),
            Step("Both errors are {} there.", 1, second / place, first * place**-rate),
            Step("Half of ε: twice that n.", 1),
            Step(
                "Half the constant: n falls by the factor 2^(1/(1 − r)) = {}.",
                2,
                2 ** (1 / (1 - rate)),
                place / root(lambda n: first * n**-rate - second / 2 / n, 1, 1e12),
            ),
        ),
    )


def enough_draws(rng: np.random.Generator) -> Question:
    """A simulation that may name a winner: designed."""
    beta, doubt = one_of(rng, 0.02, 0.05, 0.1, 0.2), one_of(rng, 0.001, 0.005, 0.01, 0.05)
    runs, cells = one_of(rng, 10, 20, 30, 50), one_of(rng, 20, 40, 60, 100)
    draws = math.ceil(math.log(doubt) / math.log(1 - beta))
    counted = next(m for m in range(1, 100_000) if (1 - beta) ** m <= doubt)
    return Question(
        "Two mechanisms are to be compared on many tasks by simulation. Design the study so that "
        "it names a winner only where one is: which statistic, how many draws, what both must be "
        "given alike, and what is done about many comparisons. Prove that the largest of m draws "
        f"is above the 1 − β quantile with probability at least 1 − (1 − β)^m, and find m for "
        f"β = {beta:g} and a doubt of {doubt:g}. Somebody shows the least error of {runs} draws at "
        f"each of three n: how likely is that choice for an honest draw? With {cells} tasks and a "
        "level of 1 % each, how many winners by chance are to be expected?",
        (
            Step(
                "Statistic: the quantile that the promise names, and beside it the median; both "
                "with an interval.",
                1,
            ),
            Step(
                "The same budget in the form that suits each, the same public questions, what is "
                "known of possible answers used by both, settings chosen on public data for both.",
                2,
            ),
            Step(
                "Each draw is at or below the quantile with probability at most 1 − β + the "
                "probability of the quantile itself; independent draws all are with at most the "
                "m-th power (for continuous errors).",
                2,
            ),
            Step("(1 − β)^m ≤ doubt from m = {} on.", 2, draws, counted),
            Step(f"One in {runs}³, which is {{}}.", 1, runs**-3, math.exp(-3 * math.log(runs))),
            Step(
                "{} by chance; so the level is divided by the number of tasks, or a tie is said.",
                2,
                cells * 0.01,
                math.fsum([0.01] * cells),
            ),
        ),
    )


TEMPLATES = {1: (pure_scaling, honest_report), 2: (crossing,), 3: (enough_draws,)}
