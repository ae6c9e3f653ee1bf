"""The sparse vector technique, right once and wrong five times.

A list of questions of sensitivity 1 is compared with a noisy threshold (here 0), and only
"above" or "below" leaves. Lyu, Su and Li ("Understanding the Sparse Vector Technique for
Differential Privacy", 2017) collected six versions from the literature; the names
``variant_3`` ... ``variant_6`` are their Algorithms 3-6, ``standard`` is their Algorithm 1 and
``fresh_value`` their Algorithm 7 with three equal parts.

Every function takes the questions' true values ``data`` (k,), draws all its runs at once and
returns (samples, k): 1 for above, -1 for below, nan after the last allowed hit. Those that print
a value stop at the first hit; they return (samples, 2): how many were below before it, and the
value (nan without a hit).
"""

from __future__ import annotations

import math

import numpy as np

from dpviz.privacy.samplers import laplace


def standard(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float, positives: int
) -> np.ndarray:
    """Sound: threshold noise 2/epsilon, drawn once; 4 hits/epsilon on each question.

    >>> standard(np.array([-99.0, 99, 99]), 1, np.random.default_rng(0), epsilon=1, positives=1)
    array([[-1.,  1., nan]])
    """
    _, above = _compare(data, samples, rng, threshold=2 / epsilon, question=4 * positives / epsilon)
    return _marks(above, positives)


def fresh_value(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Sound: prints the value at the hit with fresh noise; a third of the budget for each noise.

    >>> out = fresh_value(np.array([-99.0, 99]), 1, np.random.default_rng(0), epsilon=3)
    >>> int(out[0, 0]), bool(90 < out[0, 1] < 110)
    (1, True)
    """
    scale = 3 / epsilon
    _, above = _compare(data, samples, rng, threshold=scale, question=2 * scale)
    return _first_above(data + laplace(rng, scale, above.shape), above)


def released_comparison(
    data: np.ndarray,
    samples: int,
    rng: np.random.Generator,
    *,
    epsilon: float,
    share: float = 0.5,
) -> np.ndarray:
    """Broken: sound noise, but it prints the very value that it compared.

    That value bounds the threshold from above, so every silence before it counts: the loss
    grows with their number. See ``released_loss``. The threshold gets a ``share`` of epsilon;
    without the print, every share would be sound.

    >>> released_comparison(np.array([-99.0]), 1, np.random.default_rng(0), epsilon=1).tolist()
    [[1.0, nan]]
    """
    scales = {"threshold": 1 / (share * epsilon), "question": 2 / ((1 - share) * epsilon)}
    return _first_above(*_compare(data, samples, rng, **scales))


def released_loss(negatives: int, scale: float) -> float:
    """Loss of "that many silences, then the value 0 or less" where each comparison has one noise.

    The silent questions are 0 with ``data`` and 1 with the neighbour, the last is 1 and 0. The
    print says that the threshold is at most 0, where the noise (Laplace of that ``scale``) has
    distribution function exp(t/scale)/2: each silence gains 1/scale, the print loses 1/scale.

    >>> [released_loss(negatives, 4.0) for negatives in (10, 100, 300)]  # claimed: 1
    [2.25, 24.75, 74.75]
    """
    return (negatives - 1) / scale


def variant_3(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Broken: prints the value that it compared, and compares with half the noise. One hit.

    >>> variant_3(np.array([-99.0]), 1, np.random.default_rng(0), epsilon=1).tolist()
    [[1.0, nan]]
    """
    return _first_above(*_compare(data, samples, rng, threshold=2 / epsilon, question=2 / epsilon))


def variant_4(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float, positives: int
) -> np.ndarray:
    """Broken: the noise on the questions does not grow with the hits. Truth: (1 + 6 hits)/4.

    >>> variant_4(np.array([-99.0]), 1, np.random.default_rng(0), epsilon=1, positives=1).tolist()
    [[-1.0]]
    """
    scales = {"threshold": 4 / epsilon, "question": 4 / (3 * epsilon)}
    return _marks(_compare(data, samples, rng, **scales)[1], positives)


def variant_5(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Broken: no noise on the questions, so some answers cannot come. No epsilon holds.

    >>> variant_5(np.array([-99.0, 99]), 1, np.random.default_rng(0), epsilon=1).tolist()
    [[-1.0, 1.0]]
    """
    _, above = _compare(data, samples, rng, threshold=2 / epsilon, question=0.0)
    return _marks(above, math.inf)


def variant_6(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, epsilon: float
) -> np.ndarray:
    """Broken: never stops, and the noise does not grow with the hits. No epsilon holds.

    >>> variant_6(np.array([-99.0, 99]), 1, np.random.default_rng(0), epsilon=1).tolist()
    [[-1.0, 1.0]]
    """
    _, above = _compare(data, samples, rng, threshold=2 / epsilon, question=2 / epsilon)
    return _marks(above, math.inf)


def _compare(
    data: np.ndarray, samples: int, rng: np.random.Generator, *, threshold: float, question: float
) -> tuple[np.ndarray, np.ndarray]:
    """Noisy values and whether they reach the noisy threshold 0; scales of both noises."""
    level = laplace(rng, threshold, (samples, 1))
    noisy = data + laplace(rng, question, (samples, len(data)))
    return noisy, noisy >= level


def _marks(above: np.ndarray, positives: float) -> np.ndarray:
    """1 above, -1 below, nan once stopped."""
    return np.where(_stopped(above, positives), np.nan, np.where(above, 1.0, -1.0))


def _first_above(shown: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Silences before the first hit, and the value shown at it (nan if none), (samples, 2)."""
    positive, place = above.any(axis=1), above.argmax(axis=1)
    value = np.take_along_axis(shown, place[:, None], axis=1)[:, 0]
    negatives = np.where(positive, place, above.shape[1])
    return np.stack([negatives, np.where(positive, value, np.nan)], axis=1)


def _stopped(above: np.ndarray, positives: float) -> np.ndarray:
    """Whether all allowed hits lie before this question."""
    return np.cumsum(above, axis=1) - above >= positives
