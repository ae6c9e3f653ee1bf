"""Lesson 05: multiplicative weights over any universe."""

from __future__ import annotations

import math

import numpy as np

from dpviz.exams.question import DegenerateError, Question, Step, least, one_of
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import mistake_bound, size_rule


def one_update(rng: np.random.Generator) -> Question:
    """One update of equal weights, by hand, and what it takes of the relative entropy."""
    count, listed = one_of(rng, 4, 5, 6, 8, 10), one_of(rng, 1, 2, 3)
    truth, guess = int(rng.integers(10, 95)) / 100, listed / count
    if abs(truth - guess) < 0.1:
        raise DegenerateError
    fall = truth * math.log(truth / guess) + (1 - truth) * math.log((1 - truth) / (1 - guess))
    records = np.concatenate([rng.dirichlet(np.ones(listed)) * truth, [1 - truth]])
    records = np.concatenate([records, np.zeros(count - listed - 1)])
    before = np.full(count, 1 / count)
    factor = np.where(np.arange(count) < listed, truth / guess, (1 - truth) / (1 - guess))
    after = before * factor
    held = records > 0
    entropy = [
        float(records[held] @ np.log(records[held] / weights[held])) for weights in (before, after)
    ]
    names = "name" if listed == 1 else "names"
    return Question(
        f"{count} names are guessed equally likely. A list of {listed} {names} has the true share "
        f"{truth:g}, and the update gives the guess this share. Give the new weight of a name on "
        "the list and of another. By how much does the relative entropy of the guess to the truth "
        "fall, and what does Pinsker's inequality promise at least?",
        (
            Step("A name on the list gets {},", 1, truth / listed, after[0]),
            Step("each other {}.", 1, (1 - truth) / (count - listed), after[-1]),
            Step(
                f"With u = {truth:g} and g = {listed}/{count} it falls by "
                "u ln(u/g) + (1 − u) ln((1 − u)/(1 − g)) = {}, whatever the truth on single names "
                "is,",
                2,
                fall,
                entropy[0] - entropy[1],
            ),
            Step(
                "at least by 2(u − g)² = {}.",
                1,
                2 * (truth - guess) ** 2,
                2 * float(records[:listed].sum() - guess) ** 2,
            ),
        ),
    )


def most_updates(rng: np.random.Generator) -> Question:
    """How many updates there can be, and how this hangs on the universe."""
    size = one_of(rng, 100, 1_000, 5_000, 20_000, 10**6)
    alpha = int(rng.integers(20, 151)) / 1000
    most = math.floor(math.log(size) / (2 * alpha**2))
    twice = math.floor(math.log(2 * size) / (2 * alpha**2))
    return Question(
        f"A guess over {size:,} names starts with equal weights and is corrected whenever it is "
        f"off by {alpha:g} or more; the correction gives it the true share. How many corrections "
        "can there be at most? And for twice as many names? For twice the error, with the names "
        "as before?",
        (
            Step(
                f"Relative entropy starts at ln {size:,} at most, never falls below 0, and each "
                f"correction takes 2·{alpha:g}² of it: {{}}.",
                3,
                most,
                mistake_bound(size, alpha, "best"),
            ),
            Step("Twice as many names: {}.", 1, twice, mistake_bound(2 * size, alpha, "best")),
            Step(
                "Twice the error: a quarter, {}.",
                1,
                math.floor(math.log(size) / (8 * alpha**2)),
                mistake_bound(size, 2 * alpha, "best"),
            ),
        ),
    )


def enough_indices(rng: np.random.Generator) -> Question:
    """Finitely many indices for infinitely many names."""
    names, alpha = int(rng.integers(1, 11)), int(rng.integers(10, 31)) / 100
    size = names + 1
    while size < names * (math.floor(math.log(size) / (2 * alpha**2)) + 1) + 1:
        size += 1
    bound = math.floor(math.log(size) / (2 * alpha**2))
    return Question(
        f"Lists of at most {names} of infinitely many names are asked, and a guess off by "
        f"α = {alpha:g} is corrected. The guess lives on S indices: names get one when a list of "
        "theirs leads to a correction, and all other names share one. Derive a condition on S "
        "under which no index is ever missing, say why a finite S meets it, and find the least "
        "one. Does the universe come in?",
        (
            Step("At most B = ⌊ln S/(2α²)⌋ corrections can happen, by relative entropy.", 2),
            Step(
                f"Room for one correction more than can happen, and one index to share: "
                f"S ≥ {names}(B + 1) + 1.",
                2,
            ),
            Step("The right side grows like ln S, the left like S, so the left overtakes it.", 1),
            Step(
                f"The least S is {{}}, with B = {bound}; the universe does not come in.",
                2,
                size,
                size_rule(names, alpha, "best"),
            ),
        ),
    )


def entropy_falls(rng: np.random.Generator) -> Question:
    """Why a correction takes its share, and what happens when it goes too far."""
    alpha = int(rng.integers(10, 26)) / 100
    guess = int(rng.integers(20, 41)) / 100
    truth = guess + alpha

    def left(target: float) -> float:
        return truth * math.log(truth / target) + (1 - truth) * math.log((1 - truth) / (1 - target))

    best = least(lambda odds: left(odds / (1 + odds)), 1e-4, 1e4)
    fall = left(guess) - left(truth)
    if abs(left(guess) - left(truth + alpha)) < 1e-9:
        raise DegenerateError
    return Question(
        "A guess g of a list's share is off by at least α from the truth u. All weights on the "
        "list are multiplied by one factor and all others by another, so that the guess becomes "
        "v and the weights still add up to 1. Prove how much relative entropy this takes, that "
        "v = u takes most, and that this is at least 2α². How much is taken at most for "
        f"g = {guess:g} and u = {truth:g}? Is anything gained if the step goes twice as far, to "
        f"v = {truth + alpha:g}?",
        (
            Step(
                "ln(after/before) is ln(v/g) on the list and ln((1 − v)/(1 − g)) beside it: the "
                "fall is u ln(v/g) + (1 − u) ln((1 − v)/(1 − g)).",
                2,
            ),
            Step("Its derivative in v is (u − v)/(v(1 − v)): it rises up to u, then falls.", 2),
            Step(
                "At v = u, as a function of u with g fixed, it and its slope are 0 at u = g, and "
                "its second derivative 1/(u(1 − u)) is at least 4: so at least 2(u − g)².",
                2,
            ),
            Step("Here at most {} is gained.", 1, fall, left(guess) - best[1]),
            Step(
                f"At v = {truth + alpha:g} it is {{}}"
                + (": still a gain." if left(guess) > left(truth + alpha) else ": a loss."),
                1,
                left(guess) - left(truth + alpha),
                truth * math.log((truth + alpha) / guess)
                + (1 - truth) * math.log((1 - truth - alpha) / (1 - guess)),
            ),
        ),
    )


TEMPLATES = {1: (one_update, most_updates), 2: (enough_indices,), 3: (entropy_falls,)}
