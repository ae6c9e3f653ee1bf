"""Noise on each of k answers that are means over the records: its proved error, and one run.

The k questions are public, so the answers together move by their joint sensitivity
(:mod:`dpviz.comparison.alternatives.joint_sensitivity`), which is less than k/n in L1 and
sqrt(k)/n in L2. Laplace noise is taken where its bound is the smaller one, else Gaussian noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.comparison.alternatives.joint_sensitivity import Sensitivity
from dpviz.comparison.mechanisms.task import Instance, Mechanism, Task
from dpviz.privacy.curator import Curator


def bounds(task: Task, sensitivity: Sensitivity | None = None) -> tuple[float, float]:
    """Proved errors of Laplace and of Gaussian noise; without a delta the second is infinite.

    Parameters
    ----------
    sensitivity : of all answers together, times n; None for that of any k questions

    >>> laplace, gaussian = bounds(Task(n=1000, d=1, k=1000))
    >>> gaussian < laplace
    True
    """
    joint = Sensitivity.adaptive(task.k) if sensitivity is None else sensitivity
    moved = {"l1": joint.l1 / task.n, "l2": joint.l2 / task.n}
    laplace = replace(task, delta=0.0).largest_noise(task.k, task.beta, **moved)
    gaussian = task.largest_noise(task.k, task.beta, **moved) if task.delta else math.inf
    return laplace, gaussian


def error_bound(task: Task, sensitivity: Sensitivity | None = None) -> float:
    """The smaller of both."""
    return min(bounds(task, sensitivity))


def is_laplace(task: Task, sensitivity: Sensitivity | None = None) -> bool:
    """Whether Laplace noise is taken."""
    laplace, gaussian = bounds(task, sensitivity)
    return laplace <= gaussian


def noisy_answers(
    task: Task, instance: Instance, curator: Curator, *, sensitivity: Sensitivity, laplace: bool
) -> np.ndarray:
    """Answers with noise. Costs ``task.epsilon`` and, for Gaussian noise, ``task.delta``.

    Parameters
    ----------
    sensitivity : how far all answers move together, as shares of the largest answer, times n
    laplace : which noise
    """
    unit = instance.scale / task.n
    budget = replace(task, delta=0.0) if laplace else task
    moved = {"l1": sensitivity.l1 * unit, "l2": sensitivity.l2 * unit}
    return np.asarray(budget.noisy(instance.exact, curator, **moved, label="answers"))


def jointly(
    of_task: Callable[[Task], Sensitivity] | None = None,
    *,
    of_instance: Callable[[Instance], Sensitivity] | None = None,
    nearest: Callable[[Instance, np.ndarray], np.ndarray] | None = None,
    groups: Callable[[Task], np.ndarray] | None = None,
    key: str = "noise",
    name: str = "noise on each answer",
    cannot: str = "answer a question that was not among the k",
    **more: Any,
) -> Mechanism:
    """Noise on each answer to public questions, as a mechanism of one kind of query.

    Parameters
    ----------
    of_task : (task) -> joint sensitivity, where a task says the questions; without this and
        ``of_instance`` it is that of any k questions
    of_instance : (instance) -> joint sensitivity, where they are drawn with the records; then the
        noise is chosen by, and the bound is, that of any k questions, which is no smaller
    nearest : (instance, answers) -> the nearest possible ones; None for a clip
    groups : (task) -> of each question, which of the distinct ones it is; each of these is answered
        once, and ``of_task`` is about these. None if all differ
    key, name, cannot, more : fields of the Mechanism
    """

    def numbers(task: Task) -> np.ndarray:
        return np.arange(task.k) if groups is None else groups(task)

    def law(task: Task) -> tuple[Task, Sensitivity | None]:
        """What is asked once each, and how far it moves."""
        once = replace(task, k=int(numbers(task).max()) + 1)
        return once, of_task(task) if of_task else None

    def run(task: Task, instance: Instance, curator: Curator) -> np.ndarray:
        once, public = law(task)
        joint = public or (of_instance or _any)(instance)
        number = numbers(task)
        first = np.unique(number, return_index=True)[1]
        asked = replace(instance, exact=instance.exact[first])
        how: dict[str, Any] = {"sensitivity": joint, "laplace": is_laplace(once, public)}
        noisy = noisy_answers(once, asked, curator, **how)[number]
        return noisy if nearest is None else nearest(instance, noisy)

    return Mechanism(
        key=key,
        name=name,
        origin="baseline",
        cannot=cannot,
        params=lambda task: task,
        run=run,
        tuned="proved bound",
        bound=lambda task: error_bound(*law(task)),
        pure=lambda task: is_laplace(*law(task)),
        **more,
    )


def adaptive() -> Mechanism:
    """Noise on each answer to any k questions, which need not be known beforehand."""
    return jointly(
        name="noise on each answer, adaptive",
        cannot="use that the questions are public",
        adaptive=True,
    )


def _any(instance: Instance) -> Sensitivity:
    return Sensitivity.adaptive(len(instance.exact))
