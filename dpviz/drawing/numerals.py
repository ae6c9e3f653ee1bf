"""Numbers as they stand in a picture: few digits, true minus signs, powers as superscripts."""

from __future__ import annotations

import math
from numbers import Integral

from dpviz.words import mark

THIN = "\u202f"  # narrow space that does not break: 12 000
MINUS = "\u2212"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(base: int, exponent: int) -> str:
    """``base`` raised to an integer, the exponent as a superscript.

    Raises
    ------
    ValueError
        If the exponent is not an integer.

    >>> power(10, -3), power(2, 10)
    ('10⁻³', '2¹⁰')
    """
    if exponent != int(exponent):
        raise ValueError(f"exponent must be an integer, not {exponent!r}")
    return str(base) + str(int(exponent)).translate(_RAISED)


def number(value: float, digits: int = 2) -> str:
    """A number as a label says it: ``digits`` significant digits, no trailing zeros.

    Integers below ten million are counts and stay exact. Thousands are parted by a thin space;
    below a thousandth and from ten million up a power of ten is used.

    >>> number(0.33333), number(3.0), number(12345.6), number(-0.0049)
    ('0.33', '3', '12\u202f000', '−0.0049')
    >>> number(1024), number(2.5e-5), number(1e-6)
    ('1\u202f024', '2.5×10⁻⁵', '10⁻⁶')
    """
    if not math.isfinite(value):
        return "–" if math.isnan(value) else ("∞" if value > 0 else f"{MINUS}∞")
    if isinstance(value, Integral) and abs(value) < 10**7:
        return _plain(f"{int(value):,}")
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    if value != 0 and not -3 <= int(exponent) < 7:
        return _scientific(_plain(_trim(mantissa)), int(exponent))
    places = max(digits - 1 - int(exponent), 0)
    return _plain(_trim(f"{float(f'{mantissa}e{exponent}'):,.{places}f}"))


def fixed(value: float, places: int = 3) -> str:
    """A number with a fixed count of decimals and a true minus, for exponents and tables.

    >>> fixed(-0.4971), fixed(0.5, 2)
    ('−0.497', '0.50')
    """
    return _plain(_unsign(f"{value:,.{places}f}"))


def signed(value: float, digits: int = 2) -> str:
    """A difference: like `number`, with its sign always written (none for zero).

    >>> signed(0.0123), signed(-3.0), signed(0)
    ('+0.012', '−3', '0')
    """
    return ("+" if value > 0 else "") + number(value, digits)


def interval(low: float, high: float, places: int = 3) -> str:
    """An interval in square brackets.

    >>> interval(-0.512, -0.481)
    '[−0.512, −0.481]'
    """
    return f"[{fixed(low, places)}, {fixed(high, places)}]"


def decade(exponent: int) -> str:
    """Label of a tick at a power of ten: plain from 0.01 to 100, else a superscript.

    >>> [decade(k) for k in (-3, -2, 0, 2, 3)]
    ['10⁻³', '0.01', '1', '100', '10³']
    """
    return number(10.0**exponent, 1) if -2 <= exponent <= 2 else power(10, exponent)


def octave(exponent: int, *, plain: bool) -> str:
    """Label of a tick at a power of two: plain (8) or as a superscript (2³).

    >>> octave(3, plain=True), octave(-3, plain=False), octave(0, plain=False)
    ('8', '2⁻³', '1')
    """
    return number(2**exponent) if plain or exponent == 0 else power(2, exponent)


def _plain(text: str) -> str:
    return text.replace(",", THIN).replace("-", MINUS).replace(".", mark())


def _trim(text: str) -> str:
    """Drop trailing zeros of the fraction, and the sign of a zero."""
    return _unsign(text.rstrip("0").rstrip(".") if "." in text else text)


def _unsign(text: str) -> str:
    return text.lstrip("-") if not text.strip("-0.,") else text


def _scientific(mantissa: str, exponent: int) -> str:
    ten = power(10, exponent)
    return {"1": ten, f"{MINUS}1": f"{MINUS}{ten}"}.get(mantissa, f"{mantissa}×{ten}")
