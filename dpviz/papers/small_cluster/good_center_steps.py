"""The steps of GoodCenter: a full grid, its box, a ball around the box.

**Paper.** Nissim, Stemmer and Vadhan (2016), Algorithm 2, steps 1 to 10.

**Setting.** See module ``good_center``, whose steps these are; each pays the part it is given.

**Idea.** Everything that is drawn (projection, shifts, axes) is a public coin; what is asked
of the data is a count (is some box full?) or a cell (which one?).

**Symbols.** As in module ``good_center``.

**Departures.** As in module ``good_center``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz.papers.small_cluster.boxes import cells, fullest, hashed


def projection(k: int, d: int, coins: np.random.Generator) -> np.ndarray:
    """Gaussian matrix / sqrt(k): keeps lengths on average; the identity if k >= d and k <= d.

    >>> projection(2, 2, np.random.default_rng(0)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return np.eye(d) if k == d else coins.standard_normal((k, d)) / math.sqrt(k)


def rotation(d: int, coins: np.random.Generator) -> np.ndarray:
    """Uniformly random orthonormal axes, as columns; (d, d).

    >>> axes = rotation(3, np.random.default_rng(0))
    >>> bool(np.allclose(axes @ axes.T, np.eye(3)))
    True
    """
    q, r = np.linalg.qr(coins.standard_normal((d, d)))
    return q * np.sign(np.diag(r))


def full_grid(
    low: np.ndarray, params: Any, part: Any, coins: np.random.Generator
) -> tuple[np.ndarray | None, int]:
    """Steps 2 to 6: shift grids until one has a full box; (shift or None, grids tried)."""
    side, rounds = params.side * params.radius, params.rounds
    price = {"sensitivity": 1, "epsilon": params.epsilon / 4, "label": "full box?"}
    stream = part.above_threshold(params.t - params.room, **price)
    weights = hashed(params.k, 2 + 20 * math.sqrt(params.d) / side)
    for tries in range(1, rounds + 1):
        shift = coins.uniform(size=params.k)
        if stream.above(fullest(low, side, shift, weights)):
            return shift, tries
    return None, rounds


def box(low: np.ndarray, shift: np.ndarray, params: Any, part: Any) -> np.ndarray | None:
    """Step 7: which rows lie in the fullest box of the grid, or None; (n,), private."""
    index = cells(low, params.side * params.radius, shift)
    price = {"epsilon": params.epsilon / 4, "delta": params.delta / 4, "label": "box"}
    full = part.heaviest_cell(list(map(tuple, index.tolist())), **price)
    return None if full is None else (index == full[0]).all(axis=1)


def middle(
    rows: np.ndarray, inside: np.ndarray, axes: np.ndarray, params: Any, part: Any
) -> np.ndarray | None:
    """Steps 8 to 10: centre of the box of one interval per axis, or None; (d,)."""
    epsilon, delta = params.axis
    length = params.interval * params.radius
    index = np.floor(rows @ axes / length)  # all rows, before any is left out
    total = {"k": params.d, "delta": params.delta / 4, "label": "axes"}
    steps = part.sub_curator_steps(epsilon=epsilon, step_delta=delta, **total)
    places = []
    for i in range(params.d):
        keys = [
            cell if own else None for cell, own in zip(index[:, i].tolist(), inside, strict=True)
        ]
        found = steps.heaviest_cell(keys, epsilon=epsilon, delta=delta, label=f"axis {i + 1}")
        if found is None:
            return None
        places.append((found[0] + 0.5) * length)
    return axes @ np.array(places)
