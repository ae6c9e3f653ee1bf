"""The lessons for students: without solutions and answers, functions to write as untouched stubs.

Cut are the folded explanations under predictions ("Why"), cells that only check what happens, the
solutions and what happened in the stored outputs of questions, and whatever stands in a function
that a reader writes. A cell at the top makes the exercises without their solutions
(`dpviz.exercises.exercise.hide_solutions`).

This hides answers from somebody who reads and runs the lesson as it is. It cannot hide them from
somebody who looks: the cell can be deleted, the package holds every solution
(``dpviz/lessons/*/exercises.toml``), and a prediction's cell computes what happens.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from dpviz import lesson
from dpviz.lesson import Cell
from dpviz.words import SOURCE, languages, table

TAG = re.compile(r"<(/?)details\b[^>]*>", re.IGNORECASE)
ANSWERS = tuple(
    str({**table(SOURCE), **table(code)}[f"exercise.{kind}"])
    for code in languages()
    for kind in ("why", "solution", "happened")
)
SWITCH: dict[str, object] = {
    "cell_type": "code",
    "execution_count": None,
    "id": "student-build",
    "metadata": {"tags": ["code"], "slideshow": {"slide_type": "skip"}},
    "outputs": [],
    "source": "# This copy is for students: exercises show no solutions.\n"
    "from dpviz.exercises import exercise\n\nexercise.hide_solutions()",
}


def stripped(data: bytes) -> bytes:
    """A lesson's file without solutions and answers.

    Raises
    ------
    ValueError
        If it is no notebook, or a cell does not say what it is.
    """
    cells = [bare(cell) for cell in lesson.parse(data, "to be copied").cells if not is_answer(cell)]
    first = next((at for at, cell in enumerate(cells) if cell["cell_type"] == "code"), len(cells))
    book = json.loads(data)
    book["cells"] = [*cells[:first], SWITCH, *cells[first:]]
    return (json.dumps(book, ensure_ascii=False, indent=1) + "\n").encode()


def is_answer(cell: Cell) -> bool:
    """Whether a cell only tells what happens, or checks it."""
    return cell.kind == "answer" or cell.is_check


def bare(cell: Cell) -> dict[str, Any]:
    """A cell without what gives an answer away, as nbformat has it."""
    if "program" in cell.tags:
        begun = stub(cell.source)
        if begun != cell.source:
            return {**cell.stored, "source": begun, "outputs": [], "execution_count": None}
    if cell.tags & {"exercise", "prediction"}:
        return {**cell.stored, "outputs": [untold(output) for output in cell.outputs]}
    return cell.stored


def stub(source: str) -> str:
    """A cell in which a function is written, as it was before anybody wrote in it.

    >>> print(stub("def f(x):\\n    return 2 * x\\n\\n\\nexercises.write_f(f)"))
    def f(x):
        return ...
    <BLANKLINE>
    <BLANKLINE>
    exercises.write_f(f)
    """
    function, *_, check = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    lines = source.splitlines()
    first = function.body[0]
    above = lines[: first.lineno - 1]
    below = lines[check.lineno - 1 : check.end_lineno]
    while above[-1].lstrip().startswith("#") or not above[-1].strip():  # a reader's notes
        above.pop()
    return "\n".join([*above, "    return ...", "", "", *below])


def untold(output: dict[str, Any]) -> dict[str, Any]:
    """The stored output of a question as before anything was answered."""
    data = output.get("data", {})
    if "text/html" not in data:
        return output
    page = without("".join(data["text/html"]), ANSWERS)
    return {**output, "data": {**data, "text/html": page}}


def without(text: str, titles: tuple[str, ...]) -> str:
    """A text without the folded parts of these titles, whatever is folded inside them.

    >>> fold = "<details><summary>{}</summary>{}</details>"
    >>> without("a " + fold.format("Why", fold.format("more", "x")) + " b", ("Why",))
    'a  b'
    """
    cells = []
    depth = 0
    cut_from = None
    at = 0
    for tag in TAG.finditer(text):
        if tag[1]:
            depth -= 1
            if cut_from == depth:
                cut_from = None
                at = tag.end()
            continue
        title = re.match(r"\s*<summary>(.*?)</summary>", text[tag.end() :], re.DOTALL)
        if cut_from is None and title and title[1].strip() in titles:
            cells.append(text[at : tag.start()])
            cut_from = depth
        depth += 1
    if cut_from is not None:
        raise ValueError(f"a part of a lesson is folded and not closed: {text[-80:]!r}")
    return "".join([*cells, text[at:]])
