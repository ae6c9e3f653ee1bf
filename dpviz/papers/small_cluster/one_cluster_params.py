"""1-cluster problem: what the practical solver is asked, and the allocation of its budget.

**Paper.** Nissim, Stemmer and Vadhan (2016); these are the parameters of module ``one_cluster``.

**Setting.** See module ``one_cluster``.

**Idea.** Everything here is public and fixed before the data are seen: what is wanted, the
budget of each of the seven steps, and the public randomness that places the boxes.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
t               ``t``           rows the ball should hold                     count
(none)          ``shares``      of the zCDP budget, step by step              7, sum 1
(none)          ``loss``        2a of step 1                                  count
(none)          ``gap``         a of step 7                                   count
==============  ==============  ============================================  =============

**Departures.** See module ``one_cluster``. The shares were set once by hand, not optimised.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from dpviz import accounting, checks
from dpviz.papers.small_cluster.radius_quality import radius_grid
from dpviz.privacy.budgeted import Budgeted
from dpviz.privacy.private_data import OUTSIDE

STEPS = ("radius", "grid", "box", "mean", "recentre", "recentre again", "report")
SLACK = 0.2  # share of delta for the release of a box


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """What is looked for, the budget, the public randomness; all public.

    Attributes
    ----------
    t : int >= 1, rows that the ball should hold
    d : int >= 1, columns
    epsilon, delta : the budget of the whole
    beta : float in (0, 1), chance that a proved promise fails
    size : int >= 2, grid points on each axis; points are rounded to them record by record
    sides, shifts : int >= 1, how many box sides, and shifted grids of each
    sample : int >= 1, rows at most that step 1 looks at
    shares : 7 numbers > 0 with sum 1, of the budget
    runs : int >= 1, clusters that share the budget (module ``several_clusters``)
    seed : int >= 0, of the public randomness (positions of the sample, shifts)
    outside : "clip" or "refuse", records outside the cube

    >>> Params(t=0, d=2, epsilon=1, delta=1e-6)
    Traceback (most recent call last):
    ...
    ValueError: t must be a whole number, at least 1, not 0
    """

    t: int
    d: int
    epsilon: float
    delta: float
    beta: float = 0.1
    size: int = 2**16
    sides: int = 12
    shifts: int = 30
    sample: int = 10_000
    shares: tuple[float, ...] = (0.27, 0.10, 0.10, 0.13, 0.13, 0.17, 0.10)
    runs: int = 1
    seed: int = 0
    outside: str = "clip"

    def __post_init__(self):
        for name in ("t", "d", "sides", "shifts", "runs"):
            checks.integer(name, getattr(self, name), at_least=1)
        checks.integer("size", self.size, at_least=2)
        checks.integer("sample", self.sample, at_least=1)
        checks.integer("seed", self.seed, at_least=0)
        checks.number("epsilon", self.epsilon, above=0)
        checks.number("delta", self.delta, above=0, at_most=0.5)
        checks.number("beta", self.beta, above=0, below=1)
        checks.choice("outside", self.outside, OUTSIDE)
        if 4 * self.d * (self.size - 1) ** 2 >= 2**53:
            raise ValueError("size must keep squared distances exact: 4 d (size - 1)^2 < 2^53")
        if len(self.shares) != len(STEPS) or min(self.shares) <= 0:
            raise ValueError(f"shares must be {len(STEPS)} numbers > 0, not {self.shares}")
        if not math.isclose(sum(self.shares), 1):
            raise ValueError(f"shares must add up to 1, not to {sum(self.shares):g}")

    @classmethod
    def draw(cls, *, rng: checks.Seed, **numbers: Any) -> Params:
        """Parameters with fresh public randomness."""
        return cls(seed=int(checks.generator(rng).integers(2**62)), **numbers)

    @property
    def rho(self) -> tuple[float, ...]:
        """What each step of one run pays in zCDP."""
        slack = SLACK * self.delta
        whole = accounting.zcdp_rho(epsilon=self.epsilon, delta=self.delta, slack=slack)
        return tuple(share * whole / self.runs for share in self.shares)

    @property
    def slack(self) -> float:
        """delta of the one step of a run that needs one: the release of a box."""
        return SLACK * self.delta / self.runs

    @property
    def loss(self) -> float:
        """2a of step 1: rows (among those it looks at) by which the score may miss t."""
        radii = len(radius_grid(self.size, self.d))
        return 8 / math.sqrt(8 * self.rho[0]) * math.log(radii / self.beta)

    def gap(self, candidates: int) -> float:
        """a of step 7: rows by which the choice among so many radii may miss its aim."""
        return 2 / math.sqrt(8 * self.rho[6]) * math.log(candidates / self.beta)
