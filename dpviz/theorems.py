"""The index of theorems: every numbered statement of the five papers, and where it stands here.

What the statements are is written in ``papers/<paper>/statements.tsv``: names, one sentence, the
state (see ``STATES``), why, and why no lesson shows it if none does. Where they stand is marked
at the place itself: in code and tests by a line of a docstring or a whole-line comment such as
``Statements: HR Theorem 1; HR Lemma 3.``, in a cell of a lesson by the metadata ``"statements":
["HR Theorem 1"]``. A name means all of its parts, unless its part is said: ``HR Theorem 1
(pure)``. ``dpviz theorems --write`` makes ``THEOREMS.md`` from both. What a lesson states with a
number of its own, and none of the papers does, is marked as ``lesson Theorem 3.9``.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, groupby
from pathlib import Path

from dpviz import lesson as lessons
from dpviz.lab import LESSONS
from dpviz.lesson import Lesson

ROOT = Path(__file__).parent.parent
PAPERS = {
    "HR": ("distance_queries", "Huang and Roth, distance queries"),
    "L13": ("sparse_queries", "Roth's lecture 13, after Blum and Roth, sparse queries"),
    "W13": ("smooth_queries", "Wang, Fan, Zhang and Wang, smooth queries"),
    "NSV": ("small_cluster", "Nissim, Stemmer and Vadhan, small cluster"),
    "R10": ("fat_shattering", "Roth, fat-shattering dimension"),
}
STATES = {
    "works": "runs here, with a test, as stated or better",
    "misprint": "runs here once a slip of writing is corrected; the test named shows the slip",
    "weaker here": "nothing refutes it; what runs here promises less, or shows less, as said",
    "replaced": "refuted by the test named, or the better theorem named stands in its place",
    "quoted": "an open question or a fact proved elsewhere, said in a lesson",
}
RUN = ("works", "misprint", "weaker here")  # states of what has code and a test
HEAD = ["statement", "says", "state", "why", "in no lesson because"]
MARK = re.compile(r"^\s*Statements:\s(.+?)\.(?=\s|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Statement:
    """One row of a ``statements.tsv``; a row with several names is one statement."""

    names: tuple[str, ...]
    says: str
    state: str
    why: str
    unseen: str

    def answers_to(self, name: str) -> bool:
        """Whether a mark with this name is about this statement or about all of its parts."""
        return any(own == name or own.startswith(f"{name} (") for own in self.names)


@dataclass(frozen=True)
class Mark:
    """A place that says which statement stands there.

    ``kind`` is "code", "test" or "cell", ``file`` the path from the top of the project, and
    ``where`` a dotted name, or the number of a cell from 0; empty for a whole module.
    """

    name: str
    kind: str
    file: str
    where: str

    def link(self) -> str:
        """The place as a link of ``THEOREMS.md``."""
        stem = Path(self.file).stem
        words = f"{stem[:2]}[{self.where}]" if self.kind == "cell" else self.where or stem
        if self.kind == "code" and self.where:
            words = f"{stem}.{words}"
        return f"[{words}]({self.file})"


def statements(letters: str) -> list[Statement]:
    """The statements of one paper, in its order.

    >>> statements("HR")[4].names
    ('HR Definition 1',)
    """
    import csv

    path = ROOT / "dpviz" / "papers" / PAPERS[letters][0] / "statements.tsv"
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t"))
    if rows[0] != HEAD:
        raise ValueError(f"the first line of {path.name} names the columns {HEAD}, not {rows[0]}")
    rows = [
        [cell.strip() for cell in [*row, "", "", "", ""][: len(HEAD)]] for row in rows[1:] if row
    ]
    return [Statement(tuple(names.split("; ")), *more) for names, *more in rows]


def marked(text: str) -> list[str]:
    """The names in all marks of a text.

    >>> marked("Statements: HR Theorem 3.1; HR Lemma 3.")
    ['HR Theorem 3.1', 'HR Lemma 3']
    """
    names = "; ".join(MARK.findall(text)).split(";")
    return [" ".join(name.split()) for name in names if name.strip()]


def comments(source: str) -> Iterator[tuple[int, int, str]]:
    """First line, last line and text of each run of whole-line comments."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = [
        (token.start[0], token.string.lstrip("# "))
        for token in tokens
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
    ]
    for _, run in groupby(enumerate(lines), lambda item: item[1][0] - item[0]):
        together = [line for _, line in run]
        yield together[0][0], together[-1][0], "\n".join(text for _, text in together)


def named_parts(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Every function and class of a module with its dotted name, outer ones first."""
    inside = [("", child) for child in tree.body]
    while inside:
        before, node = inside.pop(0)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield (name := f"{before}{node.name}"), node
            inside += [(f"{name}.", child) for child in node.body]


def marks_of_source(source: str, file: str) -> Iterator[Mark]:
    """The marks of one module, in docstrings and in whole-line comments."""
    if "Statements:" not in source:
        return
    tree = ast.parse(source)
    parts = list(named_parts(tree))
    kind = "test" if file.startswith("tests/") else "code"
    texts = [("", ast.get_docstring(tree) or "")]
    texts += [(name, ast.get_docstring(node) or "") for name, node in parts]
    for first, last, text in comments(source):
        # A comment belongs to what it stands in, else to what begins below it.
        at = {
            line: [name for name, node in parts if span(node)[0] <= line <= span(node)[1]]
            for line in (first, last + 1)
        }
        texts.append(((at[first] or at[last + 1] or [""])[-1], text))
    yield from (Mark(each, kind, file, where) for where, text in texts for each in marked(text))


def span(node: ast.stmt) -> tuple[int, int]:
    """First and last line of a definition, with its decorators."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return first, node.end_lineno or first


def marks_of_lesson(lesson: Lesson, file: str) -> Iterator[Mark]:
    """The marks of one lesson, in the metadata of its cells."""
    for cell in lesson.cells:
        own = [f"lesson {cell.number}"] if cell.number and not cell.statements else []
        for name in [*cell.statements, *own]:
            yield Mark(name, "cell", file, str(cell.at))


@cache
def marks() -> tuple[Mark, ...]:
    """All marks of the package, of its tests where they are, and of the lessons."""
    places: list[Mark] = []
    for room in ("dpviz", "tests"):
        for path in sorted((ROOT / room).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            places += marks_of_source(path.read_text(encoding="utf-8"), place)
    for lesson in all_lessons():
        places += marks_of_lesson(lesson, f"notebooks/{lesson.name}.ipynb")
    return tuple(places)


@cache
def all_lessons() -> tuple[Lesson, ...]:
    """The lessons, in order."""
    return tuple(map(lessons.read, lessons.paths(LESSONS)))


def find(words: Iterable[str] = ()) -> Iterator[str]:
    """Each statement of the papers or of a lesson with all of these words: where it stands.

    It is found by its number in the paper and by its number in the lesson.

    >>> name, place, *_ = next(find(["Theorem 3.9"])).splitlines()
    >>> name, place.partition("[")[0]
    ('lesson Theorem 3.9', '    lesson: Theorem 3.9 (03_distance')
    """
    for row, text in rows_to_find():
        if all(holds(word, text) for word in words):
            yield row


@cache
def rows_to_find() -> tuple[tuple[str, str], ...]:
    """Of each statement where it stands, and all the words by which it is found."""
    found = []
    for each, title in every_statement():
        have = places(each, marks())
        cells = [numbered(mark) for mark in have["cell"]]
        rows = {"lesson": dict.fromkeys(cells), "code": {}, "test": {}}
        for kind in ("code", "test"):
            rows[kind] = dict.fromkeys(dotted(mark) for mark in have[kind])
        lines = [f"{', '.join(each.names)}" + (f": {each.says}" if each.says else "")]
        lines += [f"    {kind}: {', '.join(row)}" for kind, row in rows.items() if row]
        heads = [head(mark.file) for mark in have["code"]]
        found.append(("\n".join(lines), " ".join([title, *lines, *heads])))
    return tuple(found)


def every_statement() -> Iterator[tuple[Statement, str]]:
    """The statements of each paper with its title; then those that only a lesson states."""
    for letters, (_, title) in PAPERS.items():
        yield from ((each, title) for each in statements(letters))
    for lesson in all_lessons():
        for cell in lesson.tagged("statement"):
            if not cell.statements:
                yield Statement((f"lesson {cell.number}",), "", "works", "", ""), lesson.title


def holds(word: str, text: str) -> bool:
    """Whether a text holds a word, which is no part of a longer number.

    >>> holds("Theorem 1", "Theorem 11"), holds("theorem 1", "Theorem 1 (pure)")
    (False, True)
    """
    return bool(re.search(rf"{re.escape(word.lower())}(?![\w.]\d|\d)", text.lower()))


def numbered(mark: Mark) -> str:
    """A cell of a lesson, and the number of what it states.

    >>> numbered(Mark("HR Theorem 1", "cell", "notebooks/03_distance.ipynb", "22"))
    'Theorem 3.2 (03_distance[22])'
    """
    name = Path(mark.file).stem
    (lesson,) = (lesson for lesson in all_lessons() if lesson.name == name)
    number = lesson.cells[int(mark.where)].number
    return f"{number} ({name}[{mark.where}])" if number else f"{name}[{mark.where}]"


def dotted(mark: Mark) -> str:
    """A place in the code as one imports it, in the tests as pytest is told it."""
    if mark.kind == "test":
        return f"{mark.file}::{mark.where}"
    return ".".join(filter(None, [*Path(mark.file).with_suffix("").parts, mark.where]))


@cache
def head(file: str) -> str:
    """The first line of what a module says of itself."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def places(statement: Statement, found: Iterable[Mark]) -> dict[str, list[Mark]]:
    """The marks of one statement by their kind."""
    by_kind: dict[str, list[Mark]] = defaultdict(list)
    for mark in found:
        if statement.answers_to(mark.name) and mark not in by_kind[mark.kind]:
            by_kind[mark.kind].append(mark)
    return by_kind


def gaps(statement: Statement, found: Iterable[Mark]) -> list[str]:
    """What a statement lacks: "code", "test", "cell".

    One that was replaced has its test or better theorem in ``why``, one that is quoted needs
    neither.
    """
    have = places(statement, found)
    wanted = ("code", "test") if statement.state in RUN else ()
    wanted += () if statement.unseen else ("cell",)
    return [kind for kind in wanted if not have[kind]]


def all_gaps() -> list[str]:
    """One line for each statement that lacks something: its first name, and what."""
    rows = [(each.names[0], gaps(each, marks())) for each in chain(*map(statements, PAPERS))]
    return [f"{name}: {' '.join(lacks)}" for name, lacks in rows if lacks]


def write() -> None:
    """Make ``THEOREMS.md`` anew."""
    (ROOT / "THEOREMS.md").write_text(page(), encoding="utf-8")


def row(statement: Statement, found: Iterable[Mark]) -> str:
    """One line of the table in ``THEOREMS.md``."""
    have = places(statement, found)
    lacks = gaps(statement, found)
    links = {kind: ", ".join(mark.link() for mark in have[kind]) for kind in have}
    links |= dict.fromkeys(lacks, "*missing*")
    name = ", ".join(statement.names).replace(f", {statement.names[0].split()[0]} ", ", ")
    state = statement.state + (f": {statement.why}" if statement.why else "")
    cell = links.get("cell") or f"none: {statement.unseen}"
    cells = [name, statement.says, links.get("code", ""), links.get("test", ""), cell, state]
    return "| " + " | ".join(text.replace("|", "\\|") for text in cells) + " |"


def page() -> str:
    """All of ``THEOREMS.md``."""
    places = marks()
    lists = {letters: statements(letters) for letters in PAPERS}
    lines = ["# Every statement of the five papers", "", "Made by `dpviz theorems --write`.", ""]
    lines += [f"* **{state}**: {meaning}." for state, meaning in STATES.items()]
    lines += ["", f"| paper | statements | {' | '.join(STATES)} |"]
    lines += ["|:--|" + "--:|" * (1 + len(STATES))]
    for letters, (_, title) in PAPERS.items():
        states = [statement.state for statement in lists[letters]]
        counts = [len(states), *(states.count(state) for state in STATES)]
        lines.append(f"| {letters}: {title} | {' | '.join(map(str, counts))} |")
    for letters, (_, title) in PAPERS.items():
        lines += ["", f"## {letters}: {title}", ""]
        lines += ["| statement | in our words | code | tests | lesson[cell] | state |"]
        lines += ["|:--|:--|:--|:--|:--|:--|", *(row(each, places) for each in lists[letters])]
    return "\n".join(lines) + "\n"
