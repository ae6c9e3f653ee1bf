"""Exercises as data: a lesson's ``exercises.toml`` declares them, its ``exercises.py`` computes.

A table of the file is an exercise with the name of the table: ``question``, ``hints``,
``solution``, perhaps ``reveal`` (see :class:`dpviz.exercises.exercise.Exercise`), and one answer:

* ``options``: from each choice to what is said of it; ``true`` stands at the right one;
* ``number`` with ``within`` and ``slips``, from a wrong number to what is said of it; a number may
  be a formula, such as ``2*ln(3)``;
* ``right`` and ``wrong``, several numbers as typed, perhaps ``count``; they are judged by code;
* ``formula`` with ``draw`` (a range for each letter), ``least`` and ``most``, ``slips``, ``low``
  and ``high``;
* of a function to write ``slips``, from the name of a wrong one to what is said of it.

A proof to find has a ``kind`` and, where lines are asked for, the ``proof``: see
:mod:`dpviz.exercises.proofs`. What code computes for an exercise stands beside the texts by its
name, and every sentence may show it, as in ``{share:.2f}``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np

from dpviz.exercises.answers import RIGHT, Answer, Number, Numbers, Pick
from dpviz.exercises.exercise import Exercise
from dpviz.exercises.formulas import Formula, uniform, values_of
from dpviz.exercises.program import Coding, Program
from dpviz.exercises.proofs import Proof
from dpviz.words import joined, say

Values: TypeAlias = Mapping[str, Any]
Computed: TypeAlias = Values | Callable[[], Values] | Program
Maker: TypeAlias = Callable[..., Exercise]

KEYS = {"question", "hints", "solution", "reveal", "kind", "proof", "options", "number", "within"}
KEYS |= {"slips", "otherwise", "right", "wrong", "count", "formula", "draw", "least", "most"}
KEYS |= {"low", "high", "check", "answer"}


def makers(module: str, **computed: Computed) -> dict[str, Maker]:
    """A maker for each exercise of the ``exercises.toml`` beside a module, by its name.

    Parameters
    ----------
    module : its full name, such as "dpviz.lessons.start.exercises"
    computed : of an exercise what stands beside its texts, or a function without arguments that
        gives it when the exercise is made: numbers for its sentences and formulas, ``number``,
        ``check``, ``least``, ``most``, ``right`` (of several choices that one), or the whole
        ``answer``; of a function to write its :class:`dpviz.exercises.program.Program`

    Raises ValueError if there is no such exercise.

    >>> makers("dpviz.lessons.start.exercises")["half_the_noise"]().name
    'start.half_the_noise'
    """
    tables = declarations(module.rpartition(".")[0])
    if unknown := sorted(set(computed) - set(tables)):
        raise ValueError(f"computed must name exercises of {module}, not {', '.join(unknown)}")
    return {name: _maker(module, name, tables[name], computed.get(name, {})) for name in tables}


@cache
def declarations(package: str) -> dict[str, Any]:
    """The tables of a package's ``exercises.toml``.

    Raises ValueError if a table has a key that nothing reads.
    """
    tables = tomllib.loads(files(package).joinpath("exercises.toml").read_text("utf-8"))
    for name, table in tables.items():
        if unknown := sorted(set(table) - KEYS):
            raise ValueError(f"{package}: {name} has the unknown key {unknown[0]!r}")
    return tables


def _maker(module: str, name: str, table: Values, computed: Computed) -> Maker:
    def exercise(program: object = None) -> Exercise:
        if isinstance(computed, Program):
            question, solution = joined(table["question"]), joined(table["solution"])
            answer = _program(table, computed)
            asked: Exercise = Coding(question, answer, table["hints"], solution, program)
        else:
            asked = _exercise(table, computed() if callable(computed) else computed)
        asked.name = f"{module.split('.')[-2]}.{name}"
        return asked

    def make() -> Exercise:
        return exercise()

    maker: Any = exercise if isinstance(computed, Program) else make
    maker.__module__ = module
    maker.__name__ = maker.__qualname__ = name
    maker.asks = True
    return maker


def _program(table: Values, computed: Program) -> Program:
    """The answer of a function to write, with what the texts say of its slips."""
    if set(table["slips"]) != set(computed.slips):
        raise ValueError(f"slips must be {list(table['slips'])}, not {list(computed.slips)}")
    slips = {joined(said): computed.slips[name] for name, said in table["slips"].items()}
    if "otherwise" not in table:
        return replace(computed, slips=slips)
    return replace(computed, slips=slips, otherwise=lambda *_: say(joined(table["otherwise"])))


def _exercise(table: Values, computed: Values) -> Exercise:
    letters = {name: value for name, value in computed.items() if name not in KEYS}
    declared = {**table, **computed}

    def fill(text: str) -> str:
        return say(joined(text), **letters) if letters else joined(text)

    answer = declared["answer"] if "answer" in computed else _answer(declared, letters, fill)
    hints = list(map(fill, table["hints"]))
    if "kind" in table:
        proof = table.get("proof", "")
        return Proof(table["kind"], table["question"], proof, answer, hints, table["solution"])
    texts = fill(table["solution"]), fill(table.get("reveal", ""))
    return Exercise(fill(table["question"]), answer, hints, *texts)


def _answer(table: Values, letters: Values, fill: Callable[[str], str]) -> Answer[Any]:
    """The answer that a table declares."""
    slips = {slip: fill(reply) for slip, reply in table.get("slips", {}).items()}
    if "options" in table:
        replies = {fill(option): reply for option, reply in table["options"].items()}
        best = table.get("right")
        right = {option for option, reply in replies.items() if best == option or reply is True}
        return Pick(options={o: RIGHT if o in right else fill(r) for o, r in replies.items()})
    if "number" in table:
        numbers = {_number(slip, letters): reply for slip, reply in slips.items()}
        within = _number(table.get("within", 0), letters)
        more = {key: fill(table[key]) for key in ("otherwise",) if key in table}
        value = _number(table["number"], letters)
        return Number(value=value, within=within, slips=numbers, **more)
    if "formula" in table:
        more = {end: _bound(table[end]) for end in ("least", "most") if end in table}
        more |= {end: joined(table[end]) for end in ("low", "high") if end in table}
        draw = uniform(**table["draw"])
        return Formula(right=table["formula"], draw=draw, slips=slips, **more)
    typed = {name: fill(table[name]) for name in ("right", "wrong")}
    return Numbers(check=table["check"], count=table.get("count", 0), **typed)


def _bound(formula: str | Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """The numbers that a formula may not pass."""
    if isinstance(formula, str):
        return lambda **cases: values_of(formula, cases)
    return formula


def _number(written: float | str, letters: Values) -> float:
    """A number, or the value of a formula in what was computed."""
    if not isinstance(written, str):
        return float(written)
    cases = {name: np.array([value]) for name, value in {"one": 1, **letters}.items()}
    return float(values_of(written, cases)[0])
