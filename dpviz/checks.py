"""Bad public arguments become one clear sentence, before any work is done.

Every message names the argument, says what is allowed and shows the value: these are
*public* numbers. Private points are checked in :mod:`dpviz.privacy.private_data`, whose
messages never show a value.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import sys
from collections.abc import Callable, Collection, Sequence
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

# What numpy.random.default_rng takes; a text, because its types load what an import need not.
Seed: TypeAlias = (
    "int | Sequence[int] | np.random.SeedSequence | np.random.BitGenerator | np.random.Generator"
)


UNREAL = "cmMSU"  # kinds of numpy's types: complex, time spans, dates, bytes, text


def number(
    name: str,
    value: object,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    at_least: float = -math.inf,
    at_most: float = math.inf,
) -> float:
    """Return ``value`` as a float if it is a real number in the allowed range.

    Raises ``TypeError`` if it is no real number, ``ValueError`` if it is not finite or lies
    outside ``above < value < below`` or ``at_least <= value <= at_most``.

    >>> number("alpha", 0.01, above=0, below=1)
    0.01
    >>> number("alpha", 1, above=0, below=1)
    Traceback (most recent call last):
    ...
    ValueError: alpha must be a number with 0 < alpha < 1, not 1
    """
    # numpy calls a time span a whole number
    other = isinstance(value, (bool, np.bool_, np.timedelta64))
    if other or not isinstance(value, (float, int, Real)):
        raise TypeError(f"{name} must be a number, not {value!r}")
    try:
        rounded = float(value)  # what is computed with: a tiny fraction is 0
    except OverflowError:
        rounded = math.nan
    inside = above < rounded < below and at_least <= rounded <= at_most
    if not (inside and math.isfinite(rounded)):
        allowed = _range(name, above, below, at_least, at_most)
        raise ValueError(f"{name} must be {allowed}, not {_shown(value)}")
    return rounded


def epsilon(value: object) -> float:
    """Return a privacy parameter as a float, in a range so wide that only its square limits it.

    >>> epsilon(1e-400)
    Traceback (most recent call last):
    ...
    ValueError: epsilon must be a number with 1e-100 <= epsilon <= 1e+100, not 0.0
    """
    return number("epsilon", value, at_least=1e-100, at_most=1e100)


def integer(name: str, value: object, *, at_least: int, at_most: float = math.inf) -> int:
    """Return ``value`` as an int if it is a whole number in ``[at_least, at_most]``.

    Raises ``TypeError`` if it is no whole number, ``ValueError`` if it is out of range.

    >>> integer("queries", 0, at_least=1)
    Traceback (most recent call last):
    ...
    ValueError: queries must be a whole number, at least 1, not 0
    """
    other = isinstance(value, bool | np.bool_ | np.timedelta64)
    if other or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    whole = int(value)
    if not at_least <= whole <= at_most:
        top = "" if math.isinf(at_most) else f" and at most {at_most:g}"
        raise ValueError(f"{name} must be a whole number, at least {at_least}{top}, not {value}")
    return whole


def choice(name: str, value: object, allowed: Collection[str]) -> str:
    """Return ``value`` if it is one of the ``allowed`` words; else raise ``ValueError``.

    >>> choice("side", "up", ("left", "right"))
    Traceback (most recent call last):
    ...
    ValueError: side must be one of 'left', 'right', not 'up'
    """
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        raise ValueError(f"{name} must be one of {words}, not {value!r}")
    return value


Count: TypeAlias = int  # at least 1
Positive: TypeAlias = float
Share: TypeAlias = float  # above 0 and below 1
RANGES: dict[str, Callable[[str, object], float]] = {
    "checks.Count": functools.partial(integer, at_least=1),
    "checks.Positive": functools.partial(number, above=0),
    "checks.Share": functools.partial(number, above=0, below=1),
}


class Declared:
    """Base of dataclasses: a field whose type is a ``checks.Count``, ``checks.Positive`` or
    ``checks.Share`` is checked when one is made; ``None`` where the type says so.

    >>> @dataclasses.dataclass
    ... class Half(Declared):
    ...     share: checks.Share | None = 0.5
    >>> Half(None).share, Half(1.0)
    Traceback (most recent call last):
    ...
    ValueError: share must be a number with 0 < share < 1, not 1.0
    """

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for name, (check, is_optional) in _ranges(kind).items():
            value = getattr(self, name)
            if value is not None or not is_optional:
                check(name, value)


@functools.cache
def _ranges(kind: Any) -> dict[str, tuple[Callable[[str, object], float], bool]]:
    """Of the fields with a range the check, and whether None will do; a base's range stays."""
    ranges = {}
    for base in filter(dataclasses.is_dataclass, reversed(kind.__mro__)):
        for field in dataclasses.fields(base):
            words = str(field.type).split(" | ")
            if words[0] in RANGES:
                ranges[field.name] = RANGES[words[0]], "None" in words
    return ranges


def instance(name: str, value: object, kind: type) -> None:
    """Raise ``TypeError`` that names the argument unless it is of this kind.

    >>> instance("params", None, dict)
    Traceback (most recent call last):
    ...
    TypeError: params must be a dict, not a NoneType
    """
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, not a {type(value).__name__}")


def queries(name: str, value: object, dimension: int = 1) -> np.ndarray:
    """Return public query points as floats: any shape for one dimension, else ``(k, d)``.

    Raises ``TypeError`` if they are no real numbers, ``ValueError`` for the wrong shape or a
    query that is not finite.

    >>> queries("y", [0, 1]).tolist()
    [0.0, 1.0]
    """
    if is_masked(value) or is_unreal(value):
        raise TypeError(f"{name} must be an array of real numbers without a mask")
    try:
        points = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError) as problem:
        raise TypeError(f"{name} must be an array of real numbers") from problem
    if dimension > 1 and (points.ndim != 2 or points.shape[1] != dimension):
        raise ValueError(f"{name} must have shape (k, {dimension}), not {points.shape}")
    if not np.isfinite(points).all():
        raise ValueError(f"{name} must be finite, but holds NaN or infinity")
    return points


def matrix(name: str, value: object, columns: int) -> np.ndarray:
    """Return a public matrix of finite numbers with so many columns.

    >>> matrix("factor", [[1, 0], [0, 2], [1, 1]], columns=2).shape
    (3, 2)
    """
    array = queries(name, value)
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"{name} must have shape (m, {columns}), not {array.shape}")
    return array


def is_masked(value: object) -> bool:
    """Whether a mask would be lost if this became a plain array.

    >>> is_masked([1.0, np.ma.masked]), is_masked([1.0])
    (True, False)
    """
    if "numpy.ma" not in sys.modules:  # which takes long to load: without it there is no mask
        return False
    if not isinstance(value, list | tuple):
        return isinstance(value, np.ma.MaskedArray)
    kinds = set(map(type, value))
    if kinds <= {list, tuple}:  # rows: their entries are looked at together, a million in no time
        kinds = set(map(type, itertools.chain.from_iterable(value)))
    if not any(issubclass(kind, list | tuple | np.ma.MaskedArray) for kind in kinds):
        return False
    return any(map(is_masked, value))


def is_unreal(value: object) -> bool:
    """Whether this would become an array of floats though it is none: complex, a date, text.

    >>> is_unreal([1.0, 1j]), is_unreal(np.datetime64("2020")), is_unreal(["1"]), is_unreal([1.0])
    (True, True, True, False)
    """
    if isinstance(value, float | int):
        return False
    try:
        array = np.asarray(value)
    except ValueError:
        return False  # rows of different lengths: refused for that
    if array.dtype.kind == "O":
        return any(np.asarray(entry).dtype.kind in UNREAL for entry in array.flat)
    return array.dtype.kind in UNREAL


def generator(rng: Seed) -> np.random.Generator:
    """Return ``numpy.random.default_rng(rng)``, naming the argument if it is no seed.

    >>> bool(generator(1).integers(10) == generator(1).integers(10))
    True
    >>> generator("seven")
    Traceback (most recent call last):
    ...
    TypeError: rng must be a seed that numpy.random.default_rng takes, not 'seven'
    """
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as problem:
        message = f"rng must be a seed that numpy.random.default_rng takes, not {rng!r}"
        raise type(problem)(message) from problem


def _shown(value: object) -> str:
    """A public value, cut if it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python prints no integer of more than 4300 digits
        text = "a number of thousands of digits"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _range(name: str, above: float, below: float, at_least: float, at_most: float) -> str:
    """Say the allowed range in one phrase."""
    lower = f"{above:g} < " if above > -math.inf else ""
    lower = f"{at_least:g} <= " if at_least > -math.inf else lower
    upper = f" < {below:g}" if below < math.inf else ""
    upper = f" <= {at_most:g}" if at_most < math.inf else upper
    return f"a number with {lower}{name}{upper}" if lower or upper else "a finite number"
