"""The lessons for students: without solutions and answers, functions to write as untouched stubs.

Cut are the folded explanations under predictions ("Why"), the solutions and what happened in the
stored outputs of questions, and whatever stands in a function that a reader writes. A cell at the
top makes the exercises without their solutions (`dpviz.views.exercise.hide_solutions`).

This hides answers from somebody who reads and runs the lesson as it is. It cannot hide them from
somebody who looks: the cell can be deleted, the package holds every solution
(``dpviz/views/*/exercises.py``), and a prediction's cell computes what happens.
"""

from __future__ import annotations

import json
import re
from typing import Any

ASKS = re.compile(r"\bexercises\.[a-z]\w*\(")
# A function that a reader writes, and the line that checks it.
WRITTEN = re.compile(
    r"\A(def (?P<name>\w+)\(.*?\)[^\n]*:\n).*?\n+(?P<check>exercises\.write_\w+\((?P=name)\)\s*)\Z",
    re.DOTALL,
)
TAG = re.compile(r"<(/?)details\b[^>]*>", re.IGNORECASE)
ANSWERS = ("Why", "Solution", "What happened")
SWITCH = {
    "cell_type": "code",
    "execution_count": None,
    "id": "student-build",
    "metadata": {},
    "outputs": [],
    "source": "# This copy is for students: exercises show no solutions.\n"
    "from dpviz.views import exercise\n\nexercise.hide_solutions()",
}


def stripped(data: bytes) -> bytes:
    """A lesson's file without solutions and answers.

    Raises
    ------
    ValueError
        If it is no notebook.
    """
    try:
        book = json.loads(data)
        cells = [bare(cell) for cell in book["cells"]]
        cells = [cell for cell in cells if "".join(cell["source"]).strip()]
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
        raise ValueError("a lesson is no notebook, so no copy for students can be made") from None
    first = next((i for i, cell in enumerate(cells) if cell["cell_type"] == "code"), len(cells))
    book["cells"] = [*cells[:first], SWITCH, *cells[first:]]
    return (json.dumps(book, ensure_ascii=False, indent=1) + "\n").encode()


def bare(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell without what gives an answer away."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return {**cell, "source": without(source, ANSWERS).strip()}
    if cell["cell_type"] != "code" or not ASKS.search(source):
        return cell
    begun = stub(source)
    if begun != source:
        return {**cell, "source": begun, "outputs": [], "execution_count": None}
    return {**cell, "outputs": [untold(output) for output in cell["outputs"]]}


def stub(source: str) -> str:
    """A cell in which a function is written, as it was before anybody wrote in it.

    >>> print(stub("def f(x):\\n    return 2 * x\\n\\n\\nexercises.write_f(f)"))
    def f(x):
        return ...
    <BLANKLINE>
    <BLANKLINE>
    exercises.write_f(f)
    """
    found = WRITTEN.match(source)
    return f"{found[1]}    return ...\n\n\n{found['check']}" if found else source


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
    kept, depth, cut_from, at = [], 0, None, 0
    for tag in TAG.finditer(text):
        if tag[1]:
            depth -= 1
            if cut_from == depth:
                cut_from, at = None, tag.end()
            continue
        title = re.match(r"\s*<summary>(.*?)</summary>", text[tag.end() :], re.DOTALL)
        if cut_from is None and title and title[1].strip() in titles:
            kept.append(text[at : tag.start()])
            cut_from = depth
        depth += 1
    if cut_from is not None:
        raise ValueError(f"a part of a lesson is folded and not closed: {text[-80:]!r}")
    return "".join([*kept, text[at:]])
