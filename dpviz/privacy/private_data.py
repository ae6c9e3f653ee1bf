"""The border: every private array enters here, and is checked, clipped and rescaled.

Messages name the argument and the public rule, never a value, a row or a count; nor do the
errors from which they come, so none is kept as their context.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks

OUTSIDE = ("clip", "refuse")
LARGEST = float(np.finfo(float).max)
Corner: TypeAlias = float | np.ndarray


def unit_points(
    data: ArrayLike, lower: ArrayLike, upper: ArrayLike, *, outside: str = "clip"
) -> np.ndarray:
    """Check private points, clip them to public bounds and rescale them to [0, 1].

    Each record is treated by itself, so neighbouring data sets stay neighbours.

    Parameters
    ----------
    data : array (n,) or (n, d) of finite numbers, private
    lower, upper : float, or array (d,). Public bounds of each column.
    outside : "clip" or "refuse". Whether a record outside the bounds is clipped or refused.

    Returns an array (n, d), every entry in [0, 1]. Raises TypeError or ValueError if ``data`` or
    the bounds are no such thing. Nothing of ``data`` is ever shown.

    >>> unit_points([11.0, 12.0, 17.0], 11, 15).ravel().tolist()
    [0.0, 0.25, 1.0]
    >>> unit_points([0.5, 3.0], outside="refuse", lower=0, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: data must lie within the public bounds [lower, upper] in every column
    """
    points = table_of(data)
    checks.choice("outside", outside, OUTSIDE)
    return rescaled(points, *corners(lower, upper, points.shape[1]), outside)


def rescaled(points: np.ndarray, lower: Corner, upper: Corner, outside: str) -> np.ndarray:
    """As :func:`unit_points`, of a table and :func:`corners` that were checked.

    >>> rescaled(np.array([[3.0]]), *corners(2, 4, 1), "clip").tolist()
    [[0.5]]
    """
    inside = points
    if not _within(points, lower, upper):
        _must_be_finite(points)
        if outside == "refuse" and ((points < lower) | (points > upper)).any():
            raise ValueError(
                "data must lie within the public bounds [lower, upper] in every column"
            )
        inside = np.clip(points, lower, upper)
    if np.any(upper / 2 - lower / 2 > LARGEST / 2):  # so wide that the width overflows
        inside, lower, upper = inside / 2, lower / 2, upper / 2
    if not np.any(lower):  # a pass less
        return inside / upper
    inside = inside - lower
    inside /= upper - lower
    return inside


def finite(value: object, name: str = "value") -> np.ndarray:
    """A private number or array as floats; messages show nothing of it.

    >>> finite([1, 2]).tolist()
    [1.0, 2.0]
    """
    array = _floats(value)
    if array is None:
        raise TypeError(f"{name} must be a real number or an array of them")
    if not (_all_finite(array) if array.ndim else math.isfinite(array)):
        raise ValueError(f"{name} must be finite: no NaN, no infinity")
    return array


def finite_number(value: object, name: str = "value") -> float:
    """A private number as a float.

    >>> finite_number(3)
    3.0
    """
    array = finite(value, name)
    if array.size != 1:
        raise ValueError(f"{name} must be one number, not an array of them")
    return array.item()


def finite_table(data: object) -> np.ndarray:
    """Private points as floats of shape (n, d); messages show nothing of them."""
    points = table_of(data)
    _must_be_finite(points)
    return points


def table_of(data: object) -> np.ndarray:
    """The same, where it is still to be seen whether they are finite.

    >>> table_of([1, 2]).tolist()
    [[1.0], [2.0]]
    """
    points = _floats(data)
    if points is None:
        raise TypeError("data must be an array of real numbers")
    points = points[:, None] if points.ndim == 1 else points
    if points.ndim != 2 or 0 in points.shape:
        raise ValueError("data must have shape (n,) or (n, d), with n and d at least 1")
    return points


def _all_finite(array: np.ndarray) -> bool:
    """Whether all numbers are: their sum shows what is not, and each only if it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(array.sum()) or bool(np.isfinite(array).all())


def _must_be_finite(points: np.ndarray) -> None:
    if not _all_finite(points):
        raise ValueError("data must be finite: no NaN, no infinity")


def _within(points: np.ndarray, lower: Corner, upper: Corner) -> bool:
    """Whether all points are finite and within their bounds, where two looks at each tell."""
    if not np.ndim(lower) and not np.ndim(upper):
        return bool(points.min() >= lower and points.max() <= upper)  # not of a NaN
    if points.strides[0] != points.itemsize:
        return False  # because a look at row after row takes longer than clipping them
    return bool((points.min(axis=0) >= lower).all() and (points.max(axis=0) <= upper).all())


def records_of(data: object) -> np.ndarray:
    """Private records of any kind as an array (n, ...).

    >>> records_of(["a", "b"]).shape
    (2,)
    """
    array = None if checks.is_masked(data) else _array(data)
    if array is None or not array.ndim:
        raise TypeError("data must be an array with one record in each row, without a mask")
    return array


def cells(keys: Collection[Hashable]) -> list[Hashable]:
    """Private keys as a list; they must be there to be read again after a refusal.

    >>> cells("ab")
    ['a', 'b']
    """
    if not hasattr(keys, "__len__") or checks.is_masked(keys):
        raise TypeError("keys must be a list of keys, not something that is read only once")
    names = list(keys)
    try:
        for _ in map(hash, names):
            pass
    except TypeError:
        raise TypeError("keys must be hashable") from None
    return names


def hashable(key: object) -> bool:
    """Whether a private key or a public name can be counted.

    >>> hashable("a"), hashable(["a"])
    (True, False)
    """
    try:
        hash(key)
    except TypeError:
        return False
    return True


def _floats(value: object) -> np.ndarray | None:
    """As floats, or None if that needs more than a conversion: no mask, no complex numbers."""
    if checks.is_masked(value) or checks.is_unreal(value):
        return None
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None


def _array(value: object) -> np.ndarray | None:
    try:
        return np.asarray(value)
    except ValueError:
        return None


def corners(lower: ArrayLike, upper: ArrayLike, d: int) -> tuple[Corner, Corner]:
    """Public bounds as two arrays (d,), or as numbers where all columns share them.

    Raises ``ValueError`` or ``TypeError``, which shows them, if they are no bounds.

    >>> corners(0, [1, 1], 2)
    (0.0, 1.0)
    """
    lows = checks.queries("lower", lower)
    highs = checks.queries("upper", upper)
    for name, bound in (("lower", lows), ("upper", highs)):
        if bound.shape not in ((), (d,)):
            raise ValueError(f"{name} must be a number or have shape ({d},), not {bound.shape}")
    if not (lows < highs).all():
        raise ValueError(f"lower must be below upper in every column, not {lower!r} and {upper!r}")
    return _common(lows), _common(highs)


def _common(bound: np.ndarray) -> Corner:
    """The one number of columns that share it: loops then run over all rows, not over d columns."""
    return float(bound.flat[0]) if (bound == bound.flat[0]).all() else bound
