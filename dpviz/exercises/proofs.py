"""Proofs to find: lines to put in order, a bound to prove, a false proof to refute, a design.

What is typed is judged by what it does. A formula is tested on thousands of drawn cases, a
counterexample is run, an order of lines is right if each line uses only lines above it. The texts
are data of the lessons, written line by line:

* of a proof whose lines are out of order, ``A: ...``; ``B < A ?: ...`` uses A and the missing line;
  ``C ! ... // why it is false`` belongs to no proof; ``? < A: ... __ ...`` is the missing line, in
  which a formula stands for ``__``;
* of a false proof, ``1: ... // why it is right`` and ``2 ! ...``, the first wrong line;
* of a model solution a step a line, each with its marks, ``... (2)``.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any

from dpviz.exercises.answers import RIGHT, Answer, Numbers, Pick
from dpviz.exercises.exercise import Exercise
from dpviz.exercises.formulas import Formula, Line, Order, Parts, lines_of
from dpviz.words import say

MINUTES = {"complete": 8, "find": 10, "repair": 10, "design": 10}  # that a student needs
MARKS = re.compile(r"\((\d+)\)$")


class Proof(Exercise):
    """A proof to find, with a model solution whose steps have marks.

    Parameters
    ----------
    kind : complete, find, repair or design; task : what is asked, HTML; answer : what is judged
    hints : sentences, shown one by one; solution : a step a line, with its marks

    Attributes
    ----------
    kind : as given; marks : of all steps together
    """

    def __init__(
        self, kind: str, task: str, answer: Answer[Any], hints: Sequence[str], solution: str
    ):
        steps = [step.strip() for step in say(solution).strip().split("\n")]
        listed = "".join(f"<li>{prose(step)}</li>" for step in _joined(steps))
        title = say("proof.title", kind=say(f"proof.{kind}"))
        super().__init__(f"<b>{title}</b> {task}", answer, hints, f"<ol>{listed}</ol>")
        self.kind = kind
        self.marks = sum(int(match[1]) for step in _joined(steps) if (match := MARKS.search(step)))


def _joined(rows: Sequence[str]) -> list[str]:
    """The steps of a solution: each ends with its marks."""
    steps = [""]
    for row in rows:
        steps[-1] = f"{steps[-1]} {row}".strip()
        if MARKS.search(row):
            steps.append("")
    assert not steps[-1], f"a step without marks: {steps[-1]!r}"
    return steps[:-1]


def prose(text: str) -> str:
    """A text in HTML, with what follows ^ raised and what follows _ lowered.

    >>> prose("x_1 <= e^(-2ε) and t^K")
    'x<sub>1</sub> &lt;= e<sup>-2ε</sup> and t<sup>K</sup>'
    """
    text = html.escape(" ".join(text.split()), quote=False)
    for mark, tag in (("^", "sup"), ("_", "sub")):
        inner = rf"\{mark}(?:\(((?:[^()]|\([^()]*\))*)\)|((?:[^\W_]|−)+))"
        text = re.sub(inner, lambda m, tag=tag: f"<{tag}>{m[1] or m[2]}</{tag}>", text)
    return text


def _paragraphs(text: str) -> str:
    """Paragraphs of a task, which blank lines part; the first begins on the line of its title."""
    first, *others = re.split(r"\n\s*\n", say(text).strip())
    return prose(first) + "".join(f"<p>{prose(each)}</p>" for each in others)


def _numbered(lines: Sequence[Line]) -> str:
    """Lines with their labels."""
    rows = (f"<li><b>{line.label}</b>: {prose(line.text)}</li>" for line in lines)
    return f"<ul>{''.join(rows)}</ul>"


def complete(task: str, proof: str, missing: Formula, hints: Sequence[str], solution: str) -> Proof:
    """Lines out of order, one missing, one false: put them in order and supply what is missing.

    Parameters
    ----------
    task : what is proved, and the letters; proof : its lines (see the module)
    missing : what stands for ``__`` in the missing line; hints, solution : as for :class:`Proof`
    """
    lines = lines_of(say(proof))
    question = f"{_paragraphs(task)}{_numbered(lines)}<p>{say('proof.ask')}</p>"
    parts = {say("proof.order"): Order(lines=lines), say("proof.missing"): missing}
    answer = Parts(parts=parts)
    return Proof("complete", question, answer, hints, solution)


def repair(
    task: str, proof: str, counterexample: Numbers, hints: Sequence[str], solution: str
) -> Proof:
    """A false proof: name its first wrong line, and give a counterexample, which is run.

    Parameters
    ----------
    task : the false claim, and what the numbers of a counterexample are
    proof : its lines (see the module); counterexample : numbers, and what runs them
    hints, solution : as for :class:`Proof`
    """
    lines = lines_of(say(proof))
    options = {
        say("proof.line", label=line.label): RIGHT if line.false else line.reply for line in lines
    }
    wrong = Pick(options=options)
    parts = {say("proof.wrong"): wrong, say("proof.counterexample"): counterexample}
    answer = Parts(parts=parts)
    claim, _, ask = say(task).strip().partition("\n\n")
    question = _paragraphs(claim) + _numbered(lines) + f"<p>{prose(ask)}</p>"
    return Proof("repair", question, answer, hints, solution)


def find(task: str, answer: Answer[Any], hints: Sequence[str], solution: str) -> Proof:
    """A bound to be found and proved, lemma by lemma; parameters as for :class:`Proof`."""
    return Proof("find", _paragraphs(task), answer, hints, solution)


def design(task: str, answer: Answer[Any], hints: Sequence[str], solution: str) -> Proof:
    """An assumption changes: what breaks, and what to change; parameters as for :class:`Proof`."""
    return Proof("design", _paragraphs(task), answer, hints, solution)
