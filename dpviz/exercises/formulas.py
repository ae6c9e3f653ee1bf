"""What a proof is answered by: an order of its lines, a formula, several parts.

What is typed is judged by what it does. A formula is tested on thousands of drawn cases; an order
of lines is right if each line uses only lines above it. Nothing here knows a widget.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpviz.exercises.answers import RIGHT, SIGNS, Answer, spoken
from dpviz.words import say

HIDDEN, CASES = 47, 4000  # seed and number of the drawn cases
LONGEST = 200  # characters of a formula
BETWEEN = " | "  # of the answers to the parts of a question
FUNCTIONS = {"exp": np.exp, "ln": np.log, "log": np.log, "sqrt": np.sqrt, "abs": np.abs}
FUNCTIONS |= {"min": np.minimum, "max": np.maximum, "ceil": np.ceil, "floor": np.floor}
FUNCTIONS |= {"cos": np.cos, "sin": np.sin}
OPERATIONS = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide}
OPERATIONS |= {ast.Pow: np.power}
# Letters by the names that a keyboard has.
GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "eps": "ε", "epsilon": "ε"}
GREEK |= {"eta": "η", "tau": "τ"}
CONSTANTS = {"e": np.e, "pi": np.pi, "π": np.pi}
LABEL = re.compile(r"^(?P<label>[A-Z?]|\d)(?: < (?P<uses>[A-Z? ]+))?(?P<mark>:| !) ?(?P<text>.*)$")

Cases = dict[str, np.ndarray]  # the drawn values of each letter, (CASES,)


@dataclass(frozen=True)
class Line:
    """A line of a proof.

    Attributes
    ----------
    label : its letter, its number, or "?" for the missing one
    text : what it says; uses : the labels of the lines that it uses; false : whether it is false
    reply : what is said to somebody who takes a false line for true, or a true one for false
    """

    label: str
    text: str
    uses: str = ""
    false: bool = False
    reply: str = ""


def lines_of(text: str) -> list[Line]:
    """The lines of a proof; a line of the text without a label goes on with the one before.

    >>> [(line.label, line.uses, line.false) for line in lines_of("A: x\\nB < A: y\\nC ! z // no")]
    [('A', '', False), ('B', 'A', False), ('C', '', True)]
    """
    joined = re.sub(r"\n\s*(?!\s|[A-Z?\d](?: <[A-Z? ]+)?(?::| !))", " ", text.strip())
    lines = []
    for row in joined.split("\n"):
        match = LABEL.match(row.strip())
        assert match, f"no line of a proof: {row!r}"
        words, _, reply = match["text"].partition(" // ")
        uses = (match["uses"] or "").replace(" ", "")
        lines.append(
            Line(match["label"], words.strip(), uses, match["mark"] == " !", reply.strip())
        )
    return lines


@dataclass(frozen=True, kw_only=True)
class Formula:
    """A formula in some letters, tested on drawn cases.

    Attributes
    ----------
    right : a right one, as typed; draw : generator -> the drawn values of each letter
    least, most : cases -> the numbers between which a right one lies; those of ``right`` if None
    slips : dict from a wrong formula to what is said about it
    low, high : what is said where it is below ``least``, above ``most``
    """

    right: str
    draw: Callable[[np.random.Generator], Cases]
    least: Callable[..., np.ndarray] | None = None
    most: Callable[..., np.ndarray] | None = None
    slips: Mapping[str, str] = field(default_factory=dict)
    low: str = "formula.low"
    high: str = "formula.high"

    @property
    def wrong(self) -> str:
        """A wrong one."""
        return next(iter(self.slips), "0")

    @property
    def cases(self) -> Cases:
        """The same in every judgement."""
        return self.draw(np.random.default_rng(HIDDEN))

    def reads(self, value: str) -> bool:
        """Whether it is a formula in these letters."""
        return not isinstance(evaluate(value, self.cases), str)

    def judge(self, value: str) -> str:
        """Evaluate it on the cases: ``RIGHT``, what slip it is, or where it fails."""
        cases = self.cases
        values = evaluate(value, cases)
        if isinstance(values, str):
            return values
        if not np.all(np.isfinite(values)):
            return say("formula.infinite", case=_case(cases, ~np.isfinite(values)))
        expected = values_of(self.right, cases)
        low = expected if self.least is None else self.least(**cases)
        high = expected if self.most is None else self.most(**cases)
        room = 1e-9 * np.maximum(np.abs(expected), 1e-3)
        if np.all((values >= low - room) & (values <= high + room)):
            return RIGHT
        for slip, reply in self.slips.items():
            if np.allclose(values, values_of(slip, cases), rtol=1e-9, atol=1e-12):
                return say(reply)
        below = values < low - room
        where = below if below.any() else values > high + room
        words = say(self.low if below.any() else self.high)
        here = f"{values[np.argmax(where)]:.3g}"
        return say("formula.at", words=words, case=_case(cases, where), value=here)


def _case(cases: Cases, where: np.ndarray) -> str:
    """The first case in which something is so."""
    at = int(np.argmax(where))
    return ", ".join(f"{letter} = {values[at]:.4g}" for letter, values in cases.items())


def values_of(text: str, cases: Cases) -> np.ndarray:
    """The values of a formula that the lesson itself holds.

    >>> values_of("2*n", {"n": np.array([1.0, 2.0])})
    array([2., 4.])
    """
    values = evaluate(text, cases)
    assert not isinstance(values, str), text
    return values


def evaluate(text: str, cases: Cases) -> np.ndarray | str:
    """The values of a typed formula, or a sentence that asks for one. Nothing is executed.

    >>> evaluate("2b·ln(1/beta)", {"b": np.array([1.0]), "β": np.array([np.exp(-3)])})
    array([6.])
    >>> evaluate("b + x", {"b": np.array([1.0])})
    'The formula holds x, but its letters are b. Which letter is meant?'
    """
    letters = ", ".join(cases)
    ask = say("formula.ask", letters=letters, letter=next(iter(cases)))
    if len(text) > LONGEST:
        return ask
    plain = text.translate(str.maketrans(SIGNS)).strip()
    plain = plain.replace("·", "*").replace("×", "*").replace("^", "**").replace("√", "sqrt")
    plain = re.sub(r"(?<![\w.])(\d+\.?\d*)(?=\s*[^\W\d_e]|\s*\(|e\*\*|exp)", r"\1*", plain)
    try:
        tree = ast.parse(plain, mode="eval").body
        with np.errstate(all="ignore"):
            values = _value(tree, cases)
        return np.broadcast_to(values, next(iter(cases.values())).shape).astype(float)
    except KeyError as unknown:
        name = str(unknown.args[0])[:20]
        return say("formula.letter", name=name, letters=letters)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return ask


def _value(tree: ast.expr, cases: Cases) -> Any:
    """The value of a tree of sums, products, powers and the known functions."""
    if isinstance(tree, ast.Constant) and type(tree.value) in (int, float):
        return np.float64(tree.value) if abs(tree.value) < 1e300 else np.inf
    if isinstance(tree, ast.Name):
        name = GREEK.get(tree.id, tree.id)
        return cases[name] if name in cases else CONSTANTS[name]
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub | ast.UAdd):
        value = _value(tree.operand, cases)
        return -value if isinstance(tree.op, ast.USub) else value
    if isinstance(tree, ast.BinOp) and type(tree.op) in OPERATIONS:
        left, right = _value(tree.left, cases), _value(tree.right, cases)
        return OPERATIONS[type(tree.op)](left, right)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.keywords:
        function = FUNCTIONS[tree.func.id]
        if len(tree.args) == function.nin:  # numpy would write into one more
            return function(*(_value(argument, cases) for argument in tree.args))
    raise ValueError("no formula")


@dataclass(frozen=True, kw_only=True)
class Order:
    """Lines of a proof in an order in which each uses only lines above it; any such order is right.

    Attributes
    ----------
    lines : all of them, false ones too
    """

    lines: Sequence[Line]

    @property
    def right(self) -> str:
        """An order that is right: the first line that may stand next, and so on."""
        placed = ""
        waiting = [line for line in self.lines if not line.false]
        while waiting:
            line = next(line for line in waiting if set(line.uses) <= set(placed))
            waiting.remove(line)
            placed += line.label
        return " ".join(placed)

    @property
    def wrong(self) -> str:
        """The right one turned round."""
        return self.right[::-1]

    def reads(self, value: str) -> bool:
        """Whether it names lines, each once."""
        return not self._asks(self._labels(value))

    def judge(self, value: str) -> str:
        """``RIGHT``, or the first place at which it goes wrong."""
        labels = self._labels(value)
        if ask := self._asks(labels):
            return ask
        own = {line.label: line for line in self.lines}
        for label in labels:
            if own[label].false:
                return say("proof.false", label=label, reply=own[label].reply)
        for at, label in enumerate(labels):
            late = [use for use in own[label].uses if use not in labels[:at]]
            if late and late[0] in labels:
                return say("proof.late", label=label, other=late[0])
            if late:
                return say("proof.unplaced", label=label)
        left = [line.label for line in self.lines if not line.false and line.label not in labels]
        return say("proof.left", count=len(left)) if left else RIGHT

    def _labels(self, value: str) -> str:
        return re.sub(r"[\s,;>→-]", "", value).upper()

    def _asks(self, labels: str) -> str:
        known = {line.label for line in self.lines}
        if not labels or set(labels) - known:
            listed = " ".join(sorted(known - {"?"}))
            return say("proof.letters", letters=listed)
        twice = [label for label in labels if labels.count(label) > 1]
        return say("proof.twice", label=twice[0]) if twice else ""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Several answers to one question, each typed in a place of its own.

    Attributes
    ----------
    parts : dict from the label of a place to its answer
    """

    parts: Mapping[str, Answer[Any]]

    @property
    def right(self) -> str:
        """Right answers, one after the other."""
        return BETWEEN.join(part.right for part in self.parts.values())

    @property
    def wrong(self) -> str:
        """Wrong ones."""
        return BETWEEN.join(part.wrong for part in self.parts.values())

    def split(self, value: str) -> list[str]:
        """What was typed into each place."""
        typed = [text.strip() for text in value.split(BETWEEN.strip())]
        return [*typed, *[""] * len(self.parts)][: len(self.parts)]

    def reads(self, value: str) -> bool:
        """Whether each place holds an answer."""
        pairs = zip(self.parts.values(), self.split(value), strict=True)
        return all(part.reads(text) for part, text in pairs)

    def judge(self, value: str) -> str:
        """``RIGHT`` if all are right, else what is said to each."""
        typed = zip(self.parts.items(), self.split(value), strict=True)
        replies = {label: part.judge(text) for (label, part), text in typed}
        if set(replies.values()) == {RIGHT}:
            return RIGHT
        return " ".join(
            f"{label.capitalize()}: {spoken(words)}" for label, words in replies.items()
        )


def neighbours(typed: np.ndarray, low: float, high: float) -> tuple[np.ndarray, np.ndarray] | str:
    """Two data sets of equal size, typed one behind the other, or why they are no neighbours.

    Parameters
    ----------
    typed : array (2n,), the records of the one, then of the other
    low, high : the range of a record

    >>> neighbours(np.array([0.0, 1.0, 0.5, 1.0]), 0, 1)
    (array([0., 1.]), array([0.5, 1. ]))
    >>> neighbours(np.array([0.0, 1.0, 0.5, 0.0]), 0, 1)
    'Neighbours differ in one record; yours differ in 2.'
    """
    if len(typed) % 2 or not len(typed):
        return say("formula.records")
    if typed.min() < low or typed.max() > high:
        return say("formula.range", low=low, high=high)
    first, second = np.split(typed, 2)
    differ = int(np.sum(first != second))
    if differ != 1:
        return say("formula.neighbours", differ=differ)
    return first, second


def uniform(**ranges: tuple[float, float]) -> Callable[[np.random.Generator], Cases]:
    """Drawn letters, each uniform on its range, or whole if both its ends are whole numbers.

    >>> cases = uniform(n=(2, 9), x=(0.0, 1.0))(np.random.default_rng(1))
    >>> set(cases["n"]) == set(range(2, 10)), bool(cases["x"].max() < 1)
    (True, True)
    """

    def draw(rng: np.random.Generator) -> Cases:
        return {
            letter: rng.integers(low, high + 1, CASES).astype(float)
            if isinstance(low, int) and isinstance(high, int)
            else rng.uniform(low, high, CASES)
            for letter, (low, high) in ranges.items()
        }

    return draw
