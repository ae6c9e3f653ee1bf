"""The one reader of lessons: what each cell of a notebook is, by its tags.

Every cell carries nbformat's own tags. They say its kind, what begins with it, and whether it
belongs to the core; the standard ``slideshow`` metadata say what a slide shows. A statement has
its number in the lesson as ``"number": "Theorem 3.4"``, a cell that shows statements of a paper
names them: ``"statements": ["HR Theorem 1"]``, and a cell that explains symbols says in TeX which,
and what they mean: ``"symbols": {"B": "bound on the number of updates"}``. Nothing is read off the
words, so that a word can change and nothing else does. The notebook's own metadata say in which
language it is, ``"lang": "de"``, where that is not English.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dpviz.words import SOURCE, languages

# A cell of text is one of these.
TEXT = {
    "title": "the lesson's number and question, a heading",
    "promise": "what a reader can do afterwards",
    "opening": "the story that it begins with",
    "needs": "which lessons come before",
    "minutes": "how long each part takes, a table",
    "text": "to be read",
    "aside": "to be read, but not shown in a lecture: a table of symbols, what tasks come to",
    "statement": "a definition, a theorem or another statement with a number",
    "proof": "a proof or another folded explanation",
    "answer": "what was to be predicted above, folded",
}
# A cell of code is one of these, or several.
CODE = {
    "code": "computed, printed or shown as a table",
    "picture": "a still picture",
    "explorer": "a picture with sliders",
    "player": "a mechanism step by step",
    "prediction": "a question that holds its result back",
    "exercise": "a question, a program among them",
    "program": "a function that a reader writes, and what checks it",
    "result": "what happened, below a prediction that was asked above; it opens with it",
    "check": "assertions, folded: they are run and compared, and pages leave them out",
}
# What folds the source of a cell for other tools; JupyterLab reads "source_hidden".
FOLDED = "hide-input"
# What begins with a cell, whose first line is then a heading.
BEGINS = {
    "section": "a section",
    "further": "a part of a section that the core does not need",
}
# What a section is for, where something hangs on it.
SECTIONS = {
    "question": "what the lesson asks",
    "by-hand": "the idea on numbers small enough for the head",
    "ten-lines": "the mechanism as a reader would write it",
    "watch": "the mechanism step by step",
    "why": "why it works, beside a picture in a few states",
    "theorem": "the statement, with all its constants",
    "on-data": "one prediction and one experiment on real data",
    "when": "when to use it, and what rather",
    "differences": "where the paper and the code differ",
    "exercises": "done by yourself",
    "lessons": "what to remember",
    "reference": "looked up",
}
# The parts of a core after its opening, in order.
ANATOMY = ("by-hand", "ten-lines", "watch", "why", "theorem", "on-data", "when")
# What stands beside the lessons and is linked from them: made by docs/frontier.py.
BESIDE = ("frontier.md", "frontier.svg")
CORE = "core"  # belongs to the shortest path through the lesson
TITLE = "Title"  # the part before the first section
KNOWN = {*TEXT, *CODE, *BEGINS, *SECTIONS, CORE}
OTHERS = ("nbval-", "raises-exception", "hide-", "remove-")  # of other tools, with a hyphen
FOLD = re.compile(r"<details[^>]*>\s*<summary>.*?</summary>|</details>", re.DOTALL)
PNG = re.compile(r'src="data:image/png;base64,([^"]*)"')
SLIDES = ("slide", "subslide", "fragment", "notes", "skip", "-")


@dataclass(frozen=True, eq=False)
class Cell:
    """A cell of a lesson.

    Attributes
    ----------
    at : its place in the notebook, from 0
    stored : as nbformat has it
    source : its text
    tags : what it is
    section, part : where it stands; a part that the core does not need has a name of its own
    """

    at: int
    stored: dict[str, Any]
    source: str
    tags: frozenset[str]
    section: str
    part: str

    @property
    def is_text(self) -> bool:
        """Whether it is text, not code."""
        return self.stored["cell_type"] == "markdown"

    @property
    def kind(self) -> str:
        """What a cell of text is."""
        return next((name for name in TEXT if name in self.tags), "")

    @property
    def is_folded(self) -> bool:
        """Whether its source is folded, in JupyterLab and wherever its tag is followed."""
        hidden = self.stored["metadata"].get("jupyter", {}).get("source_hidden", False)
        return hidden and FOLDED in self.tags

    @property
    def is_check(self) -> bool:
        """Whether it only checks what the lesson says, and pages leave it out."""
        return "check" in self.tags

    @property
    def slide(self) -> str:
        """What it is on a slide, one of ``SLIDES``."""
        return self.stored["metadata"]["slideshow"]["slide_type"]

    @property
    def number(self) -> str:
        """Of a statement its name in the lesson, such as "Theorem 3.4"; or ""."""
        return self.stored["metadata"].get("number", "")

    @property
    def statements(self) -> list[str]:
        """The statements of a paper that it shows."""
        return self.stored["metadata"].get("statements", [])

    @property
    def body(self) -> str:
        """Its text without a heading in its first line."""
        first, _, rest = self.source.partition("\n")
        return rest.strip("\n") if first.startswith("#") and self.is_text else self.source

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """What it showed when it was stored."""
        return self.stored.get("outputs", [])


@dataclass(frozen=True)
class Lesson:
    """A notebook of which every cell says what it is."""

    name: str
    cells: tuple[Cell, ...]
    language: str = SOURCE

    def tagged(self, tag: str) -> Iterator[Cell]:
        """The cells with a tag, in order."""
        return (cell for cell in self.cells if tag in cell.tags)

    @cached_property
    def title(self) -> str:
        """Its question, without its number."""
        return self.cells[0].source.lstrip("# ").partition(" ")[2].strip()

    @cached_property
    def promise(self) -> str:
        """What a reader can do afterwards, without the word that introduces it; one paragraph."""
        text = unfolded(next(self.tagged("promise")).source).partition("\n\n")[0]
        return text.partition("** ")[2].strip() if text.startswith("**") else text

    @cached_property
    def core(self) -> tuple[str, ...]:
        """The parts of its shortest path, in order."""
        return tuple(dict.fromkeys(cell.part for cell in self.tagged(CORE)))

    def within(self, purpose: str) -> Iterator[Cell]:
        """The cells of the sections that are for something, such as "question"."""
        sections = {cell.section for cell in self.tagged(purpose)}
        return (cell for cell in self.cells if cell.section in sections)

    def picture(self, words: str) -> bytes:
        """The first stored picture whose alt text begins with ``words``: PNG bytes.

        Raises ``ValueError`` if there is none.
        """
        for output in (output for cell in self.cells for output in cell.outputs):
            found = PNG.search(picture_of(output))
            if found and joined(output["data"]["text/plain"]).startswith(words):
                return base64.b64decode(found[1])
        raise ValueError(f"no picture in lesson {self.name} begins with {words!r}")


def paths(folder: Path) -> list[Path]:
    """The lessons' files in order; ``ValueError`` if there is none."""
    there = sorted(Path(folder).glob("[0-9][0-9]_*.ipynb"))
    if not there:
        raise ValueError(f"the lessons are not installed: there are none in {folder}")
    return there


def translations(folder: Path, language: str = "") -> list[Path]:
    """The lessons that are translated into a language, or into any.

    Each stands in a folder that is named after its language.
    """
    codes = [language] if language else languages()
    places = [Path(folder) / code for code in codes if code != SOURCE]
    return [path for place in places for path in sorted(place.glob("[0-9][0-9]_*.ipynb"))]


def beside(folder: Path) -> list[Path]:
    """The pages that stand beside the lessons, as far as they are there."""
    return [path for path in (Path(folder) / name for name in BESIDE) if path.is_file()]


def read(path: str | Path) -> Lesson:
    """A lesson from its file.

    Raises
    ------
    ValueError
        If it is no notebook, or a cell does not say what it is.

    >>> from dpviz.lab import LESSONS
    >>> lesson = read(LESSONS / "00_start.ipynb")
    >>> lesson.title, lesson.core[:3]
    ('What does one person change?', ('Title', 'By hand', 'Ten lines'))
    """
    return parse(Path(path).read_bytes(), Path(path).stem)


def parse(data: bytes, name: str) -> Lesson:
    """The same from what its file holds."""
    try:
        book = json.loads(data)
        stored = [(cell, joined(cell["source"]), cell["cell_type"]) for cell in book["cells"]]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"lesson {name} is no notebook") from None
    cells: list[Cell] = []
    section = part = TITLE
    for at, (cell, source, kind) in enumerate(stored):
        metadata = cell.setdefault("metadata", {})
        tags = frozenset(metadata.get("tags", ()))
        if flaw := _flaw(kind, source, tags, metadata):
            raise ValueError(f"lesson {name}: cell {at} (from 0) {flaw}")
        if tags & set(BEGINS):
            part = source.partition("\n")[0].lstrip("# ").strip()
            section = part if "section" in tags else section
        elif CORE in tags:
            part = section
        cells.append(Cell(at, cell, source, tags, section, part))
    lesson = Lesson(name, tuple(cells), book.get("metadata", {}).get("lang", SOURCE))
    _check_whole(lesson)
    return lesson


def picture_of(output: Mapping[str, Any]) -> str:
    """Of a stored output that is a picture its HTML, else "".

    >>> picture_of({"data": {"text/html": ["<picture>", "</picture>"]}}), picture_of({"text": "4"})
    ('<picture></picture>', '')
    """
    page = joined(output.get("data", {}).get("text/html", ""))
    return page if page.startswith("<picture>") else ""


def unfolded(text: str) -> str:
    """A text that is folded as a whole, without the fold and its title.

    >>> unfolded("<details><summary>Why</summary>\\n\\nSo.\\n\\n</details>"), unfolded("So.")
    ('So.', 'So.')
    """
    return FOLD.sub("", text).strip() if text.startswith("<details") else text


def joined(text: str | list[str]) -> str:
    """A notebook's text, which may be stored as lines."""
    return text if isinstance(text, str) else "".join(text)


def _flaw(kind: str, source: str, tags: frozenset[str], metadata: Mapping[str, Any]) -> str:
    """What is wrong with a cell, as the rest of a sentence; or ""."""
    if not tags:
        return "has no tags"
    unknown = sorted(tag for tag in tags - KNOWN if not tag.startswith(OTHERS))
    if unknown:
        return f"has the unknown tag {unknown[0]!r}"
    kinds = sorted(tags & set(TEXT if kind == "markdown" else CODE))
    if not kinds or (kind == "markdown" and len(kinds) > 1):
        allowed = ", ".join(TEXT if kind == "markdown" else CODE)
        return f"must have a tag of {allowed}, not {', '.join(kinds) or 'none'}"
    if tags & set(BEGINS) and not source.startswith("#"):
        return "begins a part without a heading in its first line"
    if metadata.get("slideshow", {}).get("slide_type") not in SLIDES:
        return f"must have a slide_type of {', '.join(SLIDES)}"
    hidden = metadata.get("jupyter", {}).get("source_hidden", False)
    if "check" in tags and not (hidden and FOLDED in tags):
        return f"is a check, which must have the tag {FOLDED!r} and source_hidden"
    if "statement" in tags and not metadata.get("number"):
        return "is a statement without a number"
    return ""


def _check_whole(lesson: Lesson) -> None:
    """Refuse a lesson without title or promise, or with two statements of one number."""
    for tag in ("title", "promise"):
        if sum(1 for _ in lesson.tagged(tag)) != 1:
            raise ValueError(f"lesson {lesson.name} must have one cell with the tag {tag!r}")
    places: dict[str, int] = {}
    for cell in lesson.tagged("statement"):
        if cell.number in places:
            before = places[cell.number]
            raise ValueError(
                f"lesson {lesson.name}: {cell.number} stands in cell {before} and in cell {cell.at}"
            )
        places[cell.number] = cell.at
