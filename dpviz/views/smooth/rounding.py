"""Errors in words: what is left below twelve digits is rounding, not a measurement."""

from __future__ import annotations

from dpviz.views import style

RELATIVE = 1e-12  # double precision keeps 16 digits; sums of a few thousand terms lose up to 4


def is_rounding(value: float, scale: float = 1.0) -> bool:
    """Whether a number that is not zero says nothing but how sums were rounded.

    Parameters
    ----------
    value : the error
    scale : largest size of what is approximated

    >>> is_rounding(4.4e-16), is_rounding(0.0), is_rounding(4.4e-16, scale=1e-10)
    (True, False, False)
    """
    return 0 < abs(value) < RELATIVE * scale


def error(value: float, scale: float = 1.0, digits: int = 2) -> str:
    """An error as a label says it, or the word for what has no digit left.

    >>> error(0.0123), error(4.4e-16), error(0.0)
    ('0.012', 'rounding', '0')
    """
    return "rounding" if is_rounding(value, scale) else style.number(value, digits)
