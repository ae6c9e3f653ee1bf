"""The one solver of the accounting: where a falling function reaches zero, on the safe side."""

from __future__ import annotations

from collections.abc import Callable

SMALLEST = 1e-290
LARGEST = 1e290


def least(gap: Callable[[float], float], start: float) -> float:
    """Least ``x > 0`` with ``gap(x) <= 0``, for a continuous ``gap`` that falls as x grows.

    The answer satisfies ``gap(x) <= 0`` as computed, so a bound that is met is met after
    rounding too. It is within a few units of the last place of the true root.

    Parameters
    ----------
    gap : callable
    start : float > 0, a first guess

    Raises
    ------
    ValueError
        If ``gap`` is still positive at 1e290.

    >>> least(lambda x: 2 - x * x, 1.0)
    1.41421356
    """
    from scipy.optimize import brentq

    low, high = _bracket(gap, start)
    x = brentq(gap, low, high, xtol=SMALLEST, rtol=1e-15) if low < high else high
    nudge = 1e-16
    while gap(x) > 0:
        nudge *= 2
        x = min(x * (1 + nudge), high)
    return x


def _bracket(gap: Callable[[float], float], start: float) -> tuple[float, float]:
    """Return low with gap > 0 and high with gap <= 0, in ever larger steps from ``start``."""
    low = high = start
    factor = 2.0
    while gap(high) > 0:
        if high > LARGEST:
            raise ValueError("no solution: these arguments are out of any useful range")
        low, high, factor = high, high * factor, 2 * factor
    while low == high or gap(low) <= 0:
        if low < SMALLEST:
            return high, high
        low, high, factor = low / factor, low, 2 * factor
    return low, high
