"""Where a falling function reaches zero, on the safe side; and the first number that will do."""

from __future__ import annotations

from collections.abc import Callable

SMALLEST = 1e-290
LARGEST = 1e290


def least(gap: Callable[[float], float], start: float) -> float:
    """Least ``x > 0`` with ``gap(x) <= 0``, for a continuous ``gap`` that falls as x grows.

    The answer satisfies ``gap(x) <= 0`` as computed, so a bound that is met is met after
    rounding too. It is within a few units of the last place of the true root.
    Raises ValueError if ``gap`` is still positive at 1e290.

    Parameters
    ----------
    gap : callable; start : float > 0, a first guess

    >>> least(lambda x: 2 - x * x, 1.0)
    1.41421356
    """
    low, high = _bracket(gap, start)
    x = _root(gap, low, high) if low < high else high
    nudge = 1e-16
    while gap(x) > 0:
        nudge *= 2
        x = min(x * (1 + nudge), high)
    return x


def first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Least whole number above ``low`` that holds, if all above it do; at most ``high``.

    By halving; ``high`` itself is not asked.

    >>> first(lambda x: x * x > 50, 0, 100)
    8
    """
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


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


def _root(gap: Callable[[float], float], low: float, high: float) -> float:
    """Where a gap that is positive at ``low`` and not at ``high`` reaches zero.

    Inverse quadratic interpolation through the last three points where they lie so that it is
    safe, else the interval is halved. Written out here because scipy.optimize takes longer to
    load than all else that a first call needs.
    """
    a, b = low, high
    fa, fb = gap(a), gap(b)
    share = 0.5
    while True:
        x = a + share * (b - a)
        fx = gap(x)
        if (fx > 0) == (fa > 0):
            c, fc = a, fa
        else:
            c, fc = b, fb
            b, fb = a, fa
        a, fa = x, fx
        best, least_gap = (a, fa) if abs(fa) < abs(fb) else (b, fb)
        edge = (1e-15 * abs(best) + SMALLEST) / abs(b - a)
        if edge > 0.5 or least_gap == 0:
            return best
        place = (a - b) / (c - b)
        level = (fa - fb) / (fc - fb)
        share = 0.5
        if level**2 < place and (1 - level) ** 2 < 1 - place:
            share = fa / (fb - fa) * fc / (fb - fc)
            share += (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        share = min(1 - edge, max(edge, share))
