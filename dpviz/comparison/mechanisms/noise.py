"""Noise on each of k answers that are means over the records: its proved error, and one run.

Replacing a record moves each answer by at most 1/n, so all of them by k/n in L1 and sqrt(k)/n in
L2. Laplace noise is taken where its bound is the smaller one, else Gaussian noise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz import accounting
from dpviz.comparison.mechanisms.task import Instance, Task
from dpviz.privacy.curator import Curator


def bounds(task: Task) -> tuple[float, float]:
    """Proved errors of Laplace and of Gaussian noise; without a delta the second is infinite.

    Proof. The k noises are independent, so all are below t with probability 1 - beta exactly if
    each is with probability (1 - beta)^(1/k); t is a quantile of the law.

    >>> laplace, gaussian = bounds(Task(n=1000, d=1, k=1000))
    >>> gaussian < laplace
    True
    """
    from scipy.special import ndtri

    outside = -math.expm1(math.log1p(-task.beta) / task.k)
    laplace = -math.log(outside) * task.k / (task.n * task.epsilon)
    if not task.delta:
        return laplace, math.inf
    sd = math.sqrt(task.k) / task.n * accounting.gaussian_sd(**task.budget)
    return laplace, -float(ndtri(outside / 2)) * sd


def error_bound(task: Task) -> float:
    """The smaller of both."""
    return min(bounds(task))


def is_laplace(task: Task) -> bool:
    """Whether Laplace noise is taken."""
    laplace, gaussian = bounds(task)
    return laplace <= gaussian


def run(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
    """Noisy answers. Costs ``task.epsilon`` and, for Gaussian noise, ``task.delta``."""
    cost: dict[str, Any] = {"epsilon": task.epsilon, "label": "answers"}
    if is_laplace(task):
        noisy = curator.laplace(instance.exact, sensitivity=task.k / task.n, **cost)
        return np.asarray(noisy)
    cost |= {"sensitivity": math.sqrt(task.k) / task.n, "delta": task.delta}
    return np.asarray(curator.gaussian(instance.exact, **cost))
