"""1-cluster instances (Definition 1.2) whose answer is known: planted clusters of several shapes.

**Paper.** Nissim, Stemmer and Vadhan (2016), Definition 1.2, from the other side: instances
whose answer is known.

**Setting.** n points of the unit cube; t of them are the cluster, the rest are uniform.

**Idea.** Private answers can only be judged where the truth is known, and a solver that likes
round clusters must be shown rings and corners too.

**Symbols.**

==============  ==============  ============================================  =============
paper           here            meaning                                       shape, unit
==============  ==============  ============================================  =============
r_opt           ``spread``      radius of the planted ball; at least r_opt    side of cube
S               ``data``        the rows, the cluster's first                 (n, d)
==============  ==============  ============================================  =============

**Departures.** None: the paper has no experiments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.papers.small_cluster.public_grid import Ball
from dpviz.privacy.box import Box

SHAPES = ("ball", "blob", "ring", "corner", "duplicates", "two", "none")


@dataclass(frozen=True, eq=False)
class Planted:
    """Points and what was planted among them.

    Attributes
    ----------
    data : array (n, d)
    clusters : tuple of bool arrays (n,), which rows belong to each cluster
    centers : array (m, d), of the clusters; empty if there is none
    spread : float, radius of each
    """

    data: np.ndarray
    clusters: tuple[np.ndarray, ...]
    centers: np.ndarray
    spread: float

    def within(self, box: Box) -> Planted:
        """The same in the largest cube in the lower corner of a box.

        >>> plant(4, 2, 2, rng=0).within(Box.of(2, lower=10, upper=(15, 90))).spread
        0.1
        """
        corner = np.asarray(box.lower)
        side = float(box.widths.min())
        data, centers = (corner + side * x for x in (self.data, self.centers))
        return Planted(data, self.clusters, centers, side * self.spread)

    def compared(self, ball: Ball) -> dict[str, float]:
        """``ratio``: a ball's radius; ``off``: its centre from the planted one; over ``spread``.

        >>> planted = plant(4, 2, 2, rng=0)
        >>> planted.compared(Ball("", planted.centers[0], 0.04, 2.0))
        {'ratio': 2.0, 'off': 0.0}
        """
        off = float(np.linalg.norm(ball.center - self.centers[0]))
        return {"ratio": ball.radius / self.spread, "off": off / self.spread}


def plant(
    n: int, t: int, d: int, spread: float = 0.02, shape: str = "ball", *, rng: checks.Seed
) -> Planted:
    """Draw n points of the unit cube with a cluster of t.

    Parameters
    ----------
    shape : "ball" (uniform), "blob" (Gaussian, mean squared distance spread^2), "ring" (on the
        sphere), "corner" (a ball about 0, clipped to the cube), "duplicates" (one point), "two"
        (two balls of t), "none"

    Raises ValueError or TypeError for bad arguments.

    >>> planted = plant(100, 25, 2, rng=0)
    >>> planted.data.shape, int(planted.clusters[0].sum())
    ((100, 2), 25)
    """
    checks.integer("n", n, at_least=1)
    checks.integer("t", t, at_least=1, at_most=n // 2 if shape == "two" else n)
    checks.integer("d", d, at_least=1)
    checks.number("spread", spread, above=0, below=0.5)
    checks.choice("shape", shape, SHAPES)
    rng = checks.generator(rng)
    data = rng.uniform(size=(n, d))
    many = {"none": 0, "two": 2}.get(shape, 1)
    lower, upper = (0, 1e-9) if shape == "corner" else (spread, 1 - spread)
    centers = rng.uniform(lower, upper, size=(many, d))
    for i, center in enumerate(centers):
        data[i * t : (i + 1) * t] = center + spread * offsets(t, d, shape, rng)
    clusters = tuple(np.arange(n) // t == i for i in range(many))
    return Planted(np.clip(data, 0, 1), clusters, centers, spread)


def offsets(t: int, d: int, shape: str, rng: np.random.Generator) -> np.ndarray:
    """Points of one cluster about 0, of size 1; (t, d).

    >>> bool(np.allclose(offsets(3, 2, "duplicates", np.random.default_rng(0)), 0))
    True
    """
    normal = rng.standard_normal((t, d))
    if shape == "blob":
        return normal / np.sqrt(d)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    reach = {"ring": 1.0, "duplicates": 0.0}.get(shape)
    return normal * (rng.uniform(size=(t, 1)) ** (1 / d) if reach is None else reach)
