"""What an exercise may ask for: a number, a choice, several numbers, a curve.

A typed number is read as a person means it; where two people could mean two numbers, it is asked
back. A comma before three digits may group thousands (1,138 records) or begin decimals: such an
answer is neither right nor wrong before its writer has said which.

Each kind says which kind of slip an answer was, without giving the right one away. Nothing here
knows a widget: the face of an exercise stands in `dpviz.instruments.faces`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Protocol, TypeVar

import numpy as np

from dpviz.words import say

POWER = "[+-]?[0-9]{1,4}"
LONGEST, TRIED = 1000, 64  # characters of an answer; readings of a list that are compared
# Another minus, and every blank but the end of a line, which may part the numbers of a list.
BLANKS = "\t\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff"
BLANKS += "".join(map(chr, range(0x2000, 0x200B)))
SIGNS = {"−": "-", "–": "-", **dict.fromkeys(BLANKS, " ")}
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True))
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
# What `pages/numbers.js` reads them by.
GRAMMAR = {"letters": SIGNS, "raised": RAISED, "parts": PARTS, "plain": PLAIN, "either": EITHER}
GRAMMAR |= {"longest": LONGEST}


def single(text: str) -> tuple[float] | str:
    """The number meant, or a sentence that asks for it.

    >>> single("½"), single("0,5"), single("50 %"), single("2·10⁻³"), single("12 000")
    ((0.5,), (0.5,), (0.5,), (0.002,), (12000.0,))
    >>> single("1,138")
    'Do you mean 1138 or 1.138? Please write it without the comma.'
    """
    if not text.strip():
        return say("answer.missing")
    numbers = readings(text)
    if len(numbers) > 1:
        return say("answer.either", numbers=_listed(numbers, say("answer.or")))
    return numbers or say("answer.unread", typed=_short(text))


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
        meant = say("answer.or").join(_listed(numbers, "; ") for numbers in fits[:2])
        return say("answer.list", numbers=meant)
    if len(many) == 1:
        return say("answer.count", wanted=count, typed=len(many[0]))
    return say("answer.several", wanted=count) if count else say("answer.some")


def readings(text: str) -> tuple[float, ...]:
    """All numbers that a person could mean: none, one, or two.

    >>> readings("1,138"), readings("1 1/2"), readings("seven")
    ((1138.0, 1.138), (), ())
    """
    text = _plainly(text).lstrip("=≈~ ")
    if len(text) > LONGEST:
        return ()
    share, text = (0.01, text[:-1].strip(" \n")) if text.endswith("%") else (1, text)
    top, slash, bottom = text.partition("/")
    tops = _product(top)
    bottoms = _product(bottom) if slash else (1.0,)
    numbers = [share * a / b for a in tops for b in bottoms if b]
    return tuple(dict.fromkeys(value for value in numbers if math.isfinite(value)))


def _plainly(text: str) -> str:
    """A text with one kind of minus and of blank, and none of these around it."""
    return text.translate(str.maketrans(SIGNS)).strip(" \n")


def _product(text: str) -> tuple[float, ...]:
    """Factors such as 2 x 10^-3, each with its power."""
    low = str.maketrans(RAISED)
    text = re.sub(f"[{''.join(RAISED)}]+", lambda high: "^" + high[0].translate(low), text)
    factors = [_power(word) for word in re.split("[×·*x]", text.replace("**", "^"))]
    products = tuple(math.prod(each) for each in product(*factors))
    return products if all(map(math.isfinite, products)) else ()


def _power(text: str) -> tuple[float, ...]:
    """A number, or one raised to a whole number."""
    base, caret, exponent = text.strip(" \n").partition("^")
    if not caret:
        return _plain(base)
    if not re.fullmatch(POWER, exponent.strip(" \n")):
        return ()
    try:
        return tuple(value ** int(exponent) for value in _plain(base.strip(" \n")))
    except (OverflowError, ZeroDivisionError):
        return ()


def _plain(text: str) -> tuple[float, ...]:
    """A decimal number, with its sign and its power of ten, or a written fraction such as 1½."""
    sign = -1.0 if text.startswith("-") else 1.0
    text = text[1:].lstrip(" \n") if text[:1] in ("-", "+") else text
    if text and text[-1] in PARTS and re.fullmatch("[0-9]*", text[:-1]):
        top, bottom = PARTS[text[-1]].split("/")
        return (sign * (float(text[:-1] or 0) + int(top) / int(bottom)),)
    digits, _, power = text.lower().partition("e")
    if not re.fullmatch(POWER, power) and "e" in text.lower():
        return ()
    scale = f"e{power or 0}"
    if either := re.fullmatch(EITHER, digits, re.ASCII):
        return tuple(sign * float(f"{either[1]}{mark}{either[2]}{scale}") for mark in ("", "."))
    for pattern in PLAIN:
        if match := re.fullmatch(pattern, digits, re.ASCII):
            whole = re.sub("[ .,]", "", match[1]) or "0"
            return (sign * float(f"{whole}.{match[2] or 0}{scale}"),)
    return ()


def _lists(text: str) -> Iterator[tuple[float, ...]]:
    """Every list that the text may be: what separates may be a semicolon, a comma, a space."""
    text = _plainly(text).strip("[]()")
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


SIGMAS = 4.9  # a normal value is further off with probability 9.6e-7
RIGHT = "Yes."  # a verdict, in a reader's record too; a page says :func:`spoken` of it
Given = TypeVar("Given", contravariant=True)  # what was typed, chosen or dragged


def tolerance(sd: float, trials: int) -> float:
    """How far a right answer read off the mean of random trials may lie: once in a million.

    Parameters
    ----------
    sd : standard deviation of one trial; trials : number of trials averaged

    >>> round(tolerance(120.0, 400), 1)
    29.4
    """
    return SIGMAS * sd / math.sqrt(trials)


def written(value: object) -> str:
    """A computed answer as a reader would give it.

    >>> written(0.569), written((2, 1)), written("to the left")
    ('0.569', '2, 1', 'to the left')
    """
    if isinstance(value, str):
        return value
    return ", ".join(f"{number:.10g}" for number in np.atleast_1d(np.asarray(value, float)))


def spoken(verdict: str) -> str:
    """A verdict as a reader is told it."""
    return say("answer.right") if verdict == RIGHT else verdict


class Answer(Protocol[Given]):
    """What an exercise asks for."""

    right: str
    wrong: str

    def reads(self, value: Given) -> bool:
        """Whether it is an answer at all, right or wrong."""

    def judge(self, value: Given) -> str:
        """``RIGHT``, or one or two sentences about what went wrong."""


@dataclass(frozen=True, kw_only=True)
class Number:
    """A number, typed as a person writes one: 0.5, 1/2, ½, 0,5, 50 %, 2e-3.

    Attributes
    ----------
    value : the right number
    within : how far a right answer may be off (0: exactly)
    slips : dict from a wrong number to what to say about it (as close as ``within``, or 1 %)
    otherwise : what to say about any other number
    """

    value: float
    slips: Mapping[float, str] = field(default_factory=dict)
    within: float = 0.0
    otherwise: str = "answer.otherwise"

    @property
    def right(self) -> str:
        """A right answer, as it would be typed."""
        return f"{self.value:.10g}"

    @property
    def wrong(self) -> str:
        """A wrong one."""
        return f"{next(iter(self.slips), self.value + 10 * self.within + 1):.10g}"

    def reads(self, value: str) -> bool:
        """Whether one number was typed."""
        return not isinstance(single(value), str)

    def judge(self, value: str) -> str:
        """Read a number and compare it."""
        numbers = single(value)
        if isinstance(numbers, str):
            return numbers
        (number,) = numbers
        if abs(number - self.value) <= self.within + 1e-9 * abs(self.value):
            return RIGHT
        for slip, said in self.slips.items():
            if abs(number - slip) <= max(self.within, 0.01 * abs(slip)):
                return say(said)
        return say(self.otherwise)


@dataclass(frozen=True, kw_only=True)
class Pick:
    """One of several words.

    Attributes
    ----------
    options : dict from each choice to what to say about it; exactly one says ``RIGHT``
    """

    options: Mapping[str, str]

    def __post_init__(self) -> None:
        words = {say(word): say(said) for word, said in self.options.items()}
        object.__setattr__(self, "options", words)

    @property
    def right(self) -> str:
        """The right choice."""
        return next(word for word, said in self.options.items() if said == RIGHT)

    @property
    def wrong(self) -> str:
        """A wrong one."""
        return next(word for word, said in self.options.items() if said != RIGHT)

    def reads(self, value: str) -> bool:
        """Whether it is one of the choices."""
        return value in self.options

    def judge(self, value: str) -> str:
        """What is said about the choice."""
        return self.options.get(value, say("answer.pick"))


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Several numbers, typed with commas: a curve at stated places, or a construction.

    Attributes
    ----------
    check : array -> ``RIGHT`` or what is wrong; right, wrong : examples, as typed
    count : how many numbers are asked for; any number of them if 0
    """

    check: Callable[[np.ndarray], str]
    right: str
    wrong: str
    count: int = 0

    def reads(self, value: str) -> bool:
        """Whether so many numbers were typed."""
        return not isinstance(several(value, self.count), str)

    def judge(self, value: str) -> str:
        """Read the numbers and let ``check`` say what is wrong."""
        numbers = several(value, self.count)
        return numbers if isinstance(numbers, str) else self.check(np.array(numbers))


# Of a drawn curve: which slip it is, and the message that tells of it.
DRAWN = {"": RIGHT, "flat": "curve.flat", "level": "curve.level", "way": "curve.way"}
DRAWN |= {"shape": "curve.shape"}


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A curve at stated places, drawn by hand. `pages/curve.js` judges it by the same steps.

    Attributes
    ----------
    places : where the heights are asked; heights : the right heights
    within : how far each may be off; low, high : range of the heights
    """

    places: Sequence[float]
    heights: Sequence[float]
    within: float
    low: float
    high: float

    @property
    def right(self) -> str:
        """The right heights."""
        return ", ".join(f"{height:.4g}" for height in self.heights)

    @property
    def wrong(self) -> str:
        """Everything at the bottom."""
        return ", ".join([f"{self.low:g}"] * len(self.places))

    def reads(self, value: Sequence[float]) -> bool:
        """Any heights."""
        return len(value) == len(self.places)

    def judge(self, value: Sequence[float]) -> str:
        """Level, direction or shape: which is off?"""
        drawn = np.array(value, dtype=float)
        truth = np.array(self.heights, dtype=float)
        off = drawn - truth
        together = (drawn - _mean(drawn)) * (truth - _mean(truth))
        if np.abs(off).max() <= self.within:
            slip = ""
        elif np.ptp(drawn) == 0:
            slip = "flat"
        elif np.abs(off - _mean(off)).max() <= self.within:
            slip = "level"
        else:
            slip = "way" if np.cumsum(together)[-1] < 0 else "shape"
        return say(DRAWN[slip])


def _mean(values: np.ndarray) -> float:
    """Summed from left to right, as a page does it."""
    return float(np.cumsum(values)[-1]) / len(values)
