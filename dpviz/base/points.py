"""The border: every private array enters here, and is checked, clipped and rescaled.

Messages name the argument and the public rule, never a value, a row or a count.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz.base import check

OUTSIDE = ("clip", "refuse")


def unit_points(data: Any, low: Any = 0.0, high: Any = 1.0, *, outside: str = "clip") -> np.ndarray:
    """Check private points, clip them to public bounds and rescale them to [0, 1].

    Each record is treated by itself, so neighbouring data sets stay neighbours.

    Parameters
    ----------
    data : array (n,) or (n, d) of finite numbers, private
    low, high : float, or array (d,)
        Public bounds of each column.
    outside : "clip" or "refuse"
        Whether a record outside the bounds is clipped or refused.

    Returns
    -------
    array (n, d), every entry in [0, 1]

    Raises
    ------
    TypeError, ValueError
        If ``data`` or the bounds are no such thing. Nothing of ``data`` is ever shown.

    >>> unit_points([11.0, 12.0, 17.0], 11, 15).ravel().tolist()
    [0.0, 0.25, 1.0]
    >>> unit_points([0.5, 3.0], outside="refuse")
    Traceback (most recent call last):
    ...
    ValueError: data must lie within the public bounds [low, high] in every column
    """
    points = finite_table(data)
    low, high = _bounds(low, high, points.shape[1])
    check.choice("outside", outside, OUTSIDE)
    if outside == "refuse" and ((points < low) | (points > high)).any():
        raise ValueError("data must lie within the public bounds [low, high] in every column")
    return np.clip((points - low) / (high - low), 0.0, 1.0)


def finite(value: Any) -> np.ndarray:
    """A private number or array as floats; messages show nothing of it.

    >>> finite([1, 2]).tolist()
    [1.0, 2.0]
    """
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise TypeError("value must be a real number or an array of them") from None
    if not np.isfinite(array).all():
        raise ValueError("value must be finite: no NaN, no infinity")
    return array


def finite_table(data: Any) -> np.ndarray:
    """Private points as floats of shape (n, d); messages show nothing of them."""
    try:
        points = np.asarray(data, dtype=float)
    except (TypeError, ValueError):
        raise TypeError("data must be an array of real numbers") from None
    points = points[:, None] if points.ndim == 1 else points
    if points.ndim != 2 or 0 in points.shape:
        raise ValueError("data must have shape (n,) or (n, d), with n and d at least 1")
    if not np.isfinite(points).all():
        raise ValueError("data must be finite: no NaN, no infinity")
    return points


def _bounds(low: Any, high: Any, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Public bounds as two arrays (d,), or a ValueError that shows them."""
    lows, highs = check.queries("low", low), check.queries("high", high)
    for name, bound in (("low", lows), ("high", highs)):
        if bound.shape not in ((), (d,)):
            raise ValueError(f"{name} must be a number or have shape ({d},), not {bound.shape}")
    if not (lows < highs).all():
        raise ValueError(f"low must be below high in every column, not {low!r} and {high!r}")
    return np.broadcast_to(lows, d), np.broadcast_to(highs, d)
