"""Read a number as a person means it; where two people could mean two numbers, ask back.

A comma before three digits may group thousands (1,138 records) or begin decimals: such an answer
is neither right nor wrong before its writer has said which.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import islice, product

LIKE = "0.5, 1/2, 50 % or 2e-3"
LONGEST, TRIED = 1000, 64  # characters of an answer; readings of a list that are compared
SIGNS = str.maketrans({"−": "-", "–": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " "})
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
WRITTEN = (
    "½ 1/2 ⅓ 1/3 ⅔ 2/3 ¼ 1/4 ¾ 3/4 ⅕ 1/5 ⅖ 2/5 ⅗ 3/5 ⅘ 4/5 ⅙ 1/6 ⅚ 5/6 ⅛ 1/8 ⅜ 3/8 ⅝ 5/8 ⅞ 7/8"
)
PARTS = dict(zip(WRITTEN.split()[::2], WRITTEN.split()[1::2], strict=True))
# One decimal number: what stands before the decimal sign, after it, and the power of ten.
PLAIN = [
    r"(\d+)(?:\.(\d*))?",
    r"()\.(\d+)",
    r"(\d*),(\d{1,2}|\d{4,})",
    r"(0),(\d+)",
    r"(\d{1,3}(?:,\d{3})+)\.(\d*)",
    r"(\d{1,3}(?:\.\d{3})+),(\d+)",
    r"(\d{1,3}(?:,\d{3}){2,})()",
    r"(\d{1,3}(?:\.\d{3}){2,})()",
    r"(\d{1,3}(?: \d{3})+)(?:[.,](\d+))?",
]
EITHER = r"([1-9]\d{0,2}),(\d{3})"  # thousands, or decimals


def single(text: str) -> tuple[float] | str:
    """The number meant, or a sentence that asks for it.

    >>> single("½"), single("0,5"), single("50 %"), single("2·10⁻³"), single("12 000")
    ((0.5,), (0.5,), (0.5,), (0.002,), (12000.0,))
    >>> single("1,138")
    'Do you mean 1138 or 1.138? Please write it without the comma.'
    """
    if not text.strip():
        return "Please type a number."
    found = readings(text)
    if len(found) > 1:
        return f"Do you mean {_listed(found, ' or ')}? Please write it without the comma."
    return found or f"Please type one number, such as {LIKE}; {_short(text)} cannot be read as one."


def several(text: str, count: int = 0) -> tuple[float, ...] | str:
    """The numbers meant (so many, or any number of them if 0), or a sentence that asks for them.

    >>> several("0, 1/4, 0.5"), several("0,1; 0,2"), several("3,4", count=2)
    ((0.0, 0.25, 0.5), (0.1, 0.2), (3.0, 4.0))
    >>> several("3,4")
    'Do you mean 3; 4 or 3.4? Please put a semicolon between numbers.'
    """
    many = sorted(set(_lists(text))) if len(text) <= LONGEST else []
    fits = [numbers for numbers in many if count in (0, len(numbers))]
    if len(fits) == 1:
        return fits[0]
    if fits:
        meant = " or ".join(_listed(numbers, "; ") for numbers in fits[:2])
        return f"Do you mean {meant}? Please put a semicolon between numbers."
    if len(many) == 1:
        return f"Please type {count} numbers, not {len(many[0])}."
    return f"Please type {count or 'some'} numbers with commas between them, such as 0, 1/4, 0.5."


def readings(text: str) -> tuple[float, ...]:
    """All numbers that a person could mean: none, one, or two.

    >>> readings("1,138"), readings("1 1/2"), readings("seven")
    ((1138.0, 1.138), (), ())
    """
    text = text.translate(SIGNS).strip().lstrip("=≈~ ")
    if len(text) > LONGEST:
        return ()
    share, text = (0.01, text[:-1].rstrip()) if text.endswith("%") else (1, text)
    top, slash, bottom = text.partition("/")
    tops, bottoms = _product(top), _product(bottom) if slash else (1.0,)
    found = [share * a / b for a in tops for b in bottoms if b]
    return tuple(dict.fromkeys(value for value in found if math.isfinite(value)))


def _product(text: str) -> tuple[float, ...]:
    """Factors such as 2 x 10^-3, each with its power."""
    text = re.sub(r"([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", lambda raised: "^" + raised[1].translate(RAISED), text)
    factors = [_power(word) for word in re.split("[×·*x]", text.replace("**", "^"))]
    try:
        return tuple(math.prod(each) for each in product(*factors))
    except OverflowError:
        return ()


def _power(text: str) -> tuple[float, ...]:
    """A number, or one raised to a whole number."""
    base, caret, exponent = text.strip().partition("^")
    if not caret:
        return _plain(base)
    if not re.fullmatch(r"[+-]?\d{1,4}", exponent.strip()):
        return ()
    try:
        return tuple(value ** int(exponent) for value in _plain(base.strip()))
    except (OverflowError, ZeroDivisionError):
        return ()


def _plain(text: str) -> tuple[float, ...]:
    """A decimal number, with its sign and its power of ten, or a written fraction such as 1½."""
    sign = -1.0 if text.startswith("-") else 1.0
    text = text[1:].lstrip() if text[:1] in ("-", "+") else text
    if text and text[-1] in PARTS and re.fullmatch(r"\d*", text[:-1]):
        top, bottom = PARTS[text[-1]].split("/")
        return (sign * (float(text[:-1] or 0) + int(top) / int(bottom)),)
    digits, _, power = text.lower().partition("e")
    if not re.fullmatch(r"[+-]?\d{1,4}", power) and "e" in text.lower():
        return ()
    scale = f"e{power or 0}"
    if either := re.fullmatch(EITHER, digits, re.ASCII):
        return tuple(sign * float(f"{either[1]}{mark}{either[2]}{scale}") for mark in ("", "."))
    for pattern in PLAIN:
        if found := re.fullmatch(pattern, digits, re.ASCII):
            whole = re.sub("[ .,]", "", found[1]) or "0"
            return (sign * float(f"{whole}.{found[2] or 0}{scale}"),)
    return ()


def _lists(text: str) -> Iterator[tuple[float, ...]]:
    """Every list that the text may be: what separates may be a semicolon, a comma, a space."""
    text = text.translate(SIGNS).strip().strip("[]()")
    splits = [r"[;\n]"] if re.search(r"[;\n]", text) else [r",\s+", r",\s*", r"\s+", r"[,\s]+"]
    for split in splits:
        words = [word for word in re.split(split, text.strip(",; \n")) if word.strip()]
        if words:
            yield from islice(product(*map(readings, words)), TRIED)


def _listed(numbers: tuple[float, ...], between: str) -> str:
    return between.join(f"{number:.10g}" for number in numbers)


def _short(text: str) -> str:
    """What was typed, not longer than a line has room for."""
    text = " ".join(text.split())
    return repr(text if len(text) <= 30 else text[:29] + "…")
