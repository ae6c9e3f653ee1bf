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

from dpviz.exercises.answers import RIGHT, Answer, Pick
from dpviz.exercises.exercise import Exercise
from dpviz.exercises.formulas import Line, Order, Parts, lines_of
from dpviz.words import say

MINUTES = {"complete": 8, "find": 10, "repair": 10, "design": 10}  # that a student needs
MARKS = re.compile(r"\((\d+)\)$")


class Proof(Exercise):
    """A proof to find, with a model solution whose steps have marks.

    Parameters
    ----------
    kind : "complete": lines out of order, one missing, one false, are put in order, and what is
        missing is supplied; "repair": a false proof, of which the first wrong line is named and
        refuted by a counterexample, which is run; "find": a bound, lemma by lemma; "design": an
        assumption changes, and with it the proof
    task : what is asked; of a false proof the claim, and behind a blank line what is typed
    proof : the lines (see the module), where the kind has any
    answer : what is judged beside the lines
    hints : sentences, shown one by one; solution : a step a line, with its marks

    Attributes
    ----------
    kind : as given; marks : of all steps together
    """

    def __init__(
        self,
        kind: str,
        task: str,
        proof: str,
        answer: Answer[Any],
        hints: Sequence[str],
        solution: str,
    ):
        lines = lines_of(say(proof)) if proof else []
        question = _paragraphs(say(task))
        if kind == "complete":
            question += f"{_numbered(lines)}<p>{say('proof.ask')}</p>"
            parts = {say("proof.order"): Order(lines=lines), say("proof.missing"): answer}
            answer = Parts(parts=parts)
        if kind == "repair":
            claim, _, ask = say(task).strip().partition("\n\n")
            question = f"{_paragraphs(claim)}{_numbered(lines)}<p>{prose(ask)}</p>"
            labels = {say("proof.line", label=line.label): line for line in lines}
            wrong = Pick(options={x: RIGHT if y.false else y.reply for x, y in labels.items()})
            answer = Parts(parts={say("proof.wrong"): wrong, say("proof.counterexample"): answer})
        steps = _joined([step.strip() for step in say(solution).strip().split("\n")])
        listed = "".join(f"<li>{prose(step)}</li>" for step in steps)
        title = say("proof.title", kind=say(f"proof.{kind}"))
        super().__init__(f"<b>{title}</b> {question}", answer, hints, f"<ol>{listed}</ol>")
        self.kind = kind
        self.marks = sum(int(match[1]) for step in steps if (match := MARKS.search(step)))


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
    first, *others = re.split(r"\n\s*\n", text.strip())
    return prose(first) + "".join(f"<p>{prose(each)}</p>" for each in others)


def _numbered(lines: Sequence[Line]) -> str:
    """Lines with their labels."""
    rows = (f"<li><b>{line.label}</b>: {prose(line.text)}</li>" for line in lines)
    return f"<ul>{''.join(rows)}</ul>"
