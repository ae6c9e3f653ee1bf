"""What a billion records change: noise vanishes, what bounds and few terms do to an answer stays.

The records are a thousand, each of them repeated: so the true answers, and what is systematically
wrong with the private ones, are the same at every n, and the sums over a billion records are those
of a thousand, a million times (`dpviz.privacy.pieces`).
"""

from __future__ import annotations

import math
from functools import partial, reduce
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.door.means import SUM, Limits, statistic
from dpviz.drawing.errors import ErrorAxes, Line, log, measured, trials_said
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.papers.smooth_queries import release as moments
from dpviz.papers.smooth_queries.chebyshev import Expansion, expand
from dpviz.privacy.box import Box
from dpviz.privacy.curator import Curator
from dpviz.privacy.pieces import Sums, gathered

BASE, POWERS = 1000, 7  # different records, and from how many to 10^6 times as many
N = BASE * 10 ** np.arange(POWERS)
BETA = 0.05
EPSILON = 1.0
TERMS, WIDTH = 8, 0.2
TRIMMED = 0.5  # upper bound that cuts off the largest records
ANSWERS = ("bounds hold", "bounds cut", "few terms")


def records() -> NDArray:
    """A thousand places in [0, 1], more of them below than above; one in eight is above 1/2.

    >>> float((records() > TRIMMED).mean())
    0.125
    """
    return 1 - ((np.arange(BASE) + 0.5) / BASE) ** (1 / 3)


def kernel() -> Expansion:
    """A bell of width 0.2 at the middle of [0, 1], of which eight terms are kept."""
    return expand(lambda x: np.exp(-(((x - 0.5) / WIDTH) ** 2) / 2), 1, TERMS, lower=0, upper=1)


def ten_times(sums: Sums) -> Sums:
    """The sums over all records, each of them taken ten times."""
    return gathered(repeat(sums, 10))


def errors(repeats: int, *, rng: checks.Seed) -> dict[str, NDArray]:
    """Errors of three private answers about n records; arrays (powers, repeats), by ``ANSWERS``.

    The mean of the records with bounds that hold, with bounds that cut, and the mean of a smooth
    function by a summary of few terms; each costs the whole budget.

    >>> errors(1, rng=0)["few terms"].shape
    (7, 1)
    """
    rng = checks.generator(rng)
    rows = records()
    bell = kernel()
    true = np.exp(-(((rows - 0.5) / WIDTH) ** 2) / 2).mean()
    summary = moments.Params(d=1, terms=TERMS, epsilon=EPSILON, lower=0, upper=1)
    found = {name: np.empty((POWERS, repeats)) for name in ANSWERS}
    for name, upper in (("bounds hold", 1.0), ("bounds cut", TRIMMED)):
        once = statistic(rows, Limits(box=Box((0.0,), (upper,)), epsilon=EPSILON))
        for i, sums in enumerate(_growing(once)):
            mean = upper * sums.value(SUM, (1,)).item() / sums.n
            cost = {"sensitivity": upper / sums.n, "epsilon": EPSILON, "label": "mean"}
            ask = partial(Curator.laplace, value=mean, **cost)
            answers = [ask(Curator(epsilon=EPSILON, rng=rng)) for _ in range(repeats)]
            found[name][i] = np.abs(np.array(answers) - rows.mean())
    for i, sums in enumerate(_growing(moments.statistic(rows[:, None], summary))):
        for j in range(repeats):
            release = moments.release(sums, summary, summary.curator(rng=rng))
            found["few terms"][i, j] = abs(moments.answer(release, bell) - true)
    return found


def _growing(sums: Sums) -> list[Sums]:
    return [reduce(lambda many, _: ten_times(many), range(i), sums) for i in range(POWERS)]


def error_bound(n: NDArray) -> NDArray:
    """Proved of the mean whose bounds hold: off by more with probability ``BETA`` at most.

    >>> error_bound(np.array([1000])).round(5).tolist()
    [0.003]
    """
    return math.log(1 / BETA) / (EPSILON * n)


@still
def figure_billion(found: dict[str, NDArray], mode: str = "notebook") -> Figure:
    """Errors against n up to a billion: one falls for ever, two stop at what is no noise."""
    repeats = found[ANSWERS[0]].shape[1]
    axes = ErrorAxes(log("n, records", 700, 1.4e9), log("error", 3e-11, 1))
    stays = [np.median(found[name][-1]) for name in ANSWERS[1:]]
    return axes.figure(
        "Noise vanishes; bounds and few terms do not",
        f"ε = {EPSILON:g}, {trials_said(repeats, 'runs')}",
        [
            Line("proved, bounds hold", "bound", N, error_bound(N)),
            measured("mean, bounds hold", "released", N, found["bounds hold"]),
            measured("mean, bounds cut", "baseline", N, found["bounds cut"]),
            measured(f"kernel, {TERMS} terms", "baseline2", N, found["few terms"]),
        ],
        alt="Errors over n from a thousand to a billion, log-log: that of a mean falls with 1/n, "
        f"that of a mean with bounds that cut stays at {stays[0]:.1g}, that of a kernel by "
        f"{TERMS} terms at {stays[1]:.1g}.",
        mode=mode,
    )
