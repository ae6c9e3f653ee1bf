"""The letters of the lessons: what marks say they mean, and the sheet that is made of it.

A cell that says what a symbol is has it in its metadata: ``"symbols": {"\\\\tau": "error of a
measurement"}``, in TeX, or only the letters, ``["tau"]``, which then are on no sheet. What lesson
00 marks holds in all lessons. ``symbols.py`` writes the sheet into lesson 00.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import anatomy

from dpviz import lab, lesson
from dpviz.lesson import Cell, Lesson

COMMANDS = re.compile(r"\\(?:begin|end|text|mathbb|mathrm|operatorname|textit)\{[^}]*\}")
GREEK = "alpha|beta|gamma|Gamma|delta|Delta|epsilon|varepsilon|zeta|eta|theta|kappa|lambda|Lambda"
GREEK += "|mu|nu|xi|pi|rho|sigma|Sigma|tau|phi|Phi|varphi|chi|psi|omega|Omega|ell|Pr"
LETTER = re.compile(rf"\\({GREEK})(?![A-Za-z])|(?<![\\A-Za-z])([A-Za-z])(?![A-Za-z])")
HEAD = "| symbol | meaning | lesson |\n|:--|:--|:--|\n"
FIRST = "00"


def letters(text: str) -> list[str]:
    """The letters of the formulas of a text: names of functions and words are none.

    >>> letters("So $a_i\\\\le\\\\tau$, a word")
    ['a', 'i', 'tau']
    """
    formulas = [COMMANDS.sub(" ", found) for found in anatomy.FORMULA.findall(text)]
    return [greek or latin for each in formulas for greek, latin in LETTER.findall(spaced(each))]


def spaced(formula: str) -> str:
    """A formula in which neighbouring letters stand apart, and commands are whole."""
    parts = re.split(r"(\\[A-Za-z]+)", formula)
    return "".join(
        part if part.startswith("\\") else re.sub(r"([A-Za-z])", r" \1 ", part) for part in parts
    )


def marks(cell: Cell) -> Mapping[str, str] | list[str]:
    """The symbols that a cell says it explains, in TeX, with their meanings."""
    return cell.stored["metadata"].get("symbols", {})


def marked(cell: Cell) -> set[str]:
    """Their letters."""
    symbols = marks(cell)
    if isinstance(symbols, list):
        return set(symbols)
    return {letter for tex in symbols for letter in letters(f"${tex}$")}


def everywhere(lessons: Iterable[Lesson]) -> set[str]:
    """The letters that the first lesson explains for all."""
    first = next(read for read in lessons if read.name.startswith(FIRST))
    return {letter for cell in first.cells for letter in marked(cell)} | {"e", "Pr"}


def sheet(lessons: Iterable[Lesson]) -> str:
    """The table of all symbols with a meaning, by their letters, first what holds for all."""
    rows: dict[tuple[str, str], list[str]] = {}
    for read in lessons:
        for cell in read.cells:
            if isinstance(symbols := marks(cell), dict):
                for row in symbols.items():
                    rows.setdefault(row, []).append(read.name[:2])
    lines = [
        f"| ${tex}$ | {meaning} | {'all' if FIRST in where else ', '.join(dict.fromkeys(where))} |"
        for (tex, meaning), where in sorted(rows.items(), key=_place)
    ]
    return HEAD + "\n".join(lines)


def _place(row: tuple[tuple[str, str], list[str]]) -> tuple[str, str, str]:
    (tex, _), where = row
    return letters(f"${tex}$")[0].lower(), where[0], tex


def main() -> None:
    """Write the sheet into lesson 00."""
    paths = lesson.paths(Path(lab.LESSONS))
    lessons = [lesson.read(path) for path in paths]
    book = json.loads(paths[0].read_text(encoding="utf-8"))
    (at,) = (cell.at for cell in lessons[0].cells if cell.source.startswith(HEAD.split("\n")[0]))
    book["cells"][at]["source"] = sheet(lessons).splitlines(keepends=True)
    paths[0].write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
