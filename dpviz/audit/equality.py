"""Whether two things show the same: by type and contents, never by what they say of themselves.

An object may define ``==`` as it likes, and two numbers may be equal and look different (1 and
True, 0.0 and -0.0). What is released is what can be seen, so that is what is compared. Objects
are seen as `pickle` sees them; what it cannot see, a closure or a generator, is refused.
"""

from __future__ import annotations

import types
from collections.abc import Iterator

import numpy as np

PLAIN = {type(None), bool, int, str, bytes}
ITSELF = (type, types.FunctionType, types.BuiltinFunctionType, np.ufunc)


def same(one: object, other: object) -> bool:
    """Whether nothing tells the one from the other; NaN is the same as NaN.

    Raises
    ------
    TypeError
        If something in them cannot be seen.

    >>> same([1, float("nan")], [1, float("nan")]), same(1, True), same(0.0, -0.0)
    (True, False, False)
    >>> same({"a": 1, "b": 2}, {"b": 2, "a": 1})  # their order can be seen
    False
    """
    if type(one) is not type(other):
        return False
    if type(one) in PLAIN:
        return bool(one == other)
    if type(one) in (float, complex):
        return repr(one) == repr(other)
    if type(one) in (list, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is dict:
        return same(list(one.items()), list(other.items()))
    if type(one) in (set, frozenset):
        return {(type(x), x) for x in one} == {(type(x), x) for x in other}
    if isinstance(one, np.ndarray | np.generic):
        return _arrays(one, other)
    if isinstance(one, ITSELF) and one is other:
        return True
    return same(_seen(one), _seen(other))


def _arrays(one: object, other: object) -> bool:
    """Shape, type, mask and contents; signs of zeros too."""
    mine, its = np.asarray(one), np.asarray(other)
    if mine.dtype != its.dtype or mine.shape != its.shape:
        return False
    if not np.array_equal(np.ma.getmaskarray(one), np.ma.getmaskarray(other)):
        return False
    if mine.dtype.kind == "O":
        return all(map(same, mine.flat, its.flat))
    equal = mine == its
    if mine.dtype.kind == "f":
        equal &= np.signbit(mine) == np.signbit(its)
    return bool(np.all(equal | ((mine != mine) & (its != its))))


def _seen(value: object) -> list[object]:
    """All that a pickle would keep of an object; TypeError if that is not all there is."""
    try:
        parts = value.__reduce_ex__(2)
    except TypeError as problem:
        name = type(value).__qualname__
        raise TypeError(
            f"a {name} cannot be compared: release numbers, arrays or a dataclass"
        ) from problem
    parts = [parts] if isinstance(parts, str) else parts
    return [list(part) if isinstance(part, Iterator) else part for part in parts]
