"""The exercises of lesson 00."""

from __future__ import annotations

import math

import numpy as np

from dpviz.exercises.answers import RIGHT, tolerance
from dpviz.exercises.declared import makers
from dpviz.exercises.program import Program
from dpviz.words import say

N, SCALE = 569, 30 / 569 / 0.5  # patients; noise at ε = 0.5


def _attack(typed: np.ndarray) -> str:
    """Try it 2,000 times with a fixed seed: well clear of one half, or not."""
    publications, total = typed
    if publications != int(publications) or not 1 <= publications <= 50:
        return say("The publications of a day are a whole number from 1 to 50.")
    m = int(publications)
    noise = np.random.default_rng(N).laplace(scale=SCALE, size=(2, 2000, m))
    share = np.mean(np.abs(N * (noise[0] - noise[1]).mean(axis=1)) < 17)
    if share <= 0.5:
        words = "Within 17 in {share:.0f} % of 2,000 tries. How does the spread fall with repeats?"
        return say(words, share=100 * share)
    if not math.isclose(total, 2 * m * 0.5):
        return say("The attack works. Its price: how many publications were there, on both days?")
    return RIGHT


def _recovered(monday, tuesday, n, blank):
    return n * (monday - tuesday) + blank


RECOVERIES = {
    "mean": lambda monday, tuesday, n, blank: monday - tuesday + blank,
    "blank": lambda monday, tuesday, n, blank: n * (monday - tuesday),
    "days": lambda monday, tuesday, n, blank: n * (tuesday - monday) + blank,
    "sign": lambda monday, tuesday, n, blank: n * (monday - tuesday) - blank,
}


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


globals().update(
    makers(
        __name__,
        predict_recovered={"off": 2 * N * SCALE},
        predict_average={"within": tolerance(120 / math.sqrt(2 * 400), 2000)},
        ask_often={"check": _attack},
        write_recovery=Program(
            solution=_recovered,
            slips=RECOVERIES,
            inputs=lambda rng: [
                (*rng.uniform(9, 20, 2), int(n), 3.5) for n in rng.integers(9, 999, 5)
            ],
        ),
        prove_hidden_count={"check": _hidden_count},
    )
)
