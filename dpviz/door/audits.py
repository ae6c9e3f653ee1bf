"""Is it private? A mechanism's epsilon bounded from below, by its outputs alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit import auditor
from dpviz.door.payment import fresh


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Audit:
    """What an audit proved.

    Attributes
    ----------
    finding : Finding of `dpviz.audit.auditor`
    epsilon : the claim, or None
    samples : outputs on each side
    """

    finding: auditor.Finding
    epsilon: float | None
    samples: int

    @property
    def lower(self) -> float:
        """The true epsilon is at least this, with probability ``confidence``."""
        return self.finding.lower

    @property
    def confidence(self) -> float:
        """Share of audits whose ``lower`` is right, or more."""
        return self.finding.confidence

    @property
    def refuted(self) -> bool:
        """Whether the claimed epsilon is refuted; False where nothing was claimed."""
        return self.epsilon is not None and auditor.alarms(self.finding, self.epsilon)

    def __repr__(self) -> str:
        claim = "no epsilon was claimed"
        if self.epsilon is not None:
            claim = f"epsilon {self.epsilon:g} is {'refuted' if self.refuted else 'not refuted'}"
        found = self.finding
        proved = f"epsilon is at least {self.lower:.3g}, with probability {self.confidence:.0%}"
        return "\n".join(
            [
                f"audit: {proved}",
                f"  claim    {claim}, delta {found.delta:g}",
                f"  samples  {self.samples} of each of two neighbours, {found.judged} as judges",
                f"  event    {found.event}",
                "  caution  a passed audit proves nothing: rare leaks and other pairs stay unseen",
            ]
        )


def audit(
    mechanism: Callable[..., Any],
    x: Any,
    y: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    samples: int = 10_000,
    many: bool = False,
    confidence: float = 0.99,
    rng: checks.Seed | None = None,
) -> Audit:
    """Run a mechanism on two neighbouring data sets and prove from its outputs how much it leaks.

    Nothing is paid and nothing here is private: x and y are examples of the auditor's own.

    Parameters
    ----------
    mechanism : callable (data, generator) -> a number or an array of them, one run; or with
        ``many`` (data, samples, generator) -> array (samples, ...)
    x, y : two data sets that differ in one record
    epsilon : what is claimed, if anything
    delta : float in [0, 1), granted
    samples : int >= 100, runs on each side
    many : whether the mechanism makes all its outputs in one call
    confidence : float in (0, 1)
    rng : a seed; None: fresh entropy

    Raises
    ------
    TypeError, ValueError
        For bad arguments, or outputs that are no numbers.

    >>> import dpviz
    >>> once = lambda data, rng: dpviz.mean(data, bounds=(0, 1), epsilon=1, rng=rng)
    >>> found = dpviz.audit(once, [0, 1], [1, 1], epsilon=0.3, samples=2000, rng=1)
    >>> found.refuted, found.lower <= 1
    (True, True)
    """
    if not callable(mechanism):
        raise TypeError(f"mechanism must be callable, not {mechanism!r}")
    if epsilon is not None:
        checks.epsilon(epsilon)
    budget: dict[str, Any] = {"delta": delta, "confidence": confidence, "rng": fresh(rng)}

    def runs(data: Any, samples: int, rng: np.random.Generator) -> NDArray:
        return np.array([np.asarray(mechanism(data, rng)) for _ in range(samples)])

    finding = auditor.audit(mechanism if many else runs, x, y, samples=samples, **budget)
    return Audit(finding=finding, epsilon=epsilon, samples=samples)
