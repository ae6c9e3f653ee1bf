"""How long a lesson takes, from its words, code, pictures and widgets: ``minutes.py [--write]``.

Two counts. The *lecturer's* minutes show it: proofs are left out, and the words go by at the pace
of a talk. The *reader's* minutes are those of a student who sees it for the first time and unfolds
what is folded; their rates are set by `RATES`, and one factor brings them to the times that three
cores took when they were read so (`TOOK`).

Prints the minutes of each section of each lesson, and of its core; with ``--write`` puts them into
its table, and into the guide for instructors.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
from collections.abc import Collection
from pathlib import Path

import anatomy

from dpviz import lesson
from dpviz.exercises.proofs import MINUTES, Proof
from dpviz.exercises.record import LESSONS
from dpviz.lesson import Cell

FOLDER = Path(__file__).parents[2] / "notebooks"
GUIDE = Path(__file__).parents[2] / "INSTRUCTOR.md"
WORDS = 200  # read in a minute; folded proofs are not, what folds the answer of a prediction is
LINE, FORMULA, PICTURE = 4 / 60, 20 / 60, 30 / 60  # minutes for a line of code, ...
PREDICTION, INSTRUMENT, QUESTION, EXERCISE = 0.75, 2.0, 2.0, 6.0  # question: between sections
PROVED = re.compile(r"^exercises\.(prove_\w+)\(\)$")
# Of a reader, in seconds: for a word of prose, a displayed formula, a line of a proof, ...
RATES = {"word": 60 / 130, "formula": 60, "proof": 25, "line": 6, "row": 4, "picture": 30}
RATES |= {"instrument": 120, "prediction": 45, "exercise": 120}
FACTOR = 1.48
# Minutes by these rates alone, and those that a second-year student's reading took: three cores
# as they stood before the learner's edition.
TOOK = {"00": (13.1, 18), "03": (43.6, 65), "05": (47.3, 80)}
TERM = re.compile(r"^\| week \| lesson \|.*?(?=\n\n|\Z)", re.S | re.M)
PROOFS = re.compile(r"^\| lesson \| proof \|.*?(?=\n\n|\Z)", re.S | re.M)


def minutes(path: str | Path) -> dict[str, float]:
    """Minutes of each section of a lesson, in order; what stands before the first is "Title".

    A part of a section under "### Further: ..." is counted by itself.

    Parameters
    ----------
    path : a notebook, with or without outputs
    """
    found: dict[str, float] = {}
    read = lesson.read(path)
    alone = set(read.within("exercises"))
    for cell in read.cells:
        spent = _of_words(cell) if cell.is_text else _of_code(cell, cell in alone)
        found[cell.part] = found.get(cell.part, 0.0) + spent
    return found


def reading(path: str | Path) -> dict[str, float]:
    """The same for a reader who sees the lesson for the first time and unfolds it."""
    spent: dict[str, float] = {}
    for cell in lesson.read(path).cells:
        seconds = read_words(cell) if cell.is_text else read_code(cell)
        spent[cell.part] = spent.get(cell.part, 0.0) + FACTOR * seconds / 60
    return spent


def read_words(cell: Cell) -> float:
    """Seconds for a cell of text: prose, rows of tables, displays; of a proof its lines."""
    if cell.kind == "proof":
        return RATES["proof"] * anatomy.proof_lines(cell)
    if cell.kind == "minutes":
        return 0.0
    prose = "\n".join(line for line in cell.source.split("\n") if not line.startswith("|"))
    seconds = RATES["word"] * anatomy.count(prose) + RATES["row"] * anatomy.rows(cell.source)
    return seconds + RATES["formula"] * anatomy.displays(cell)


def read_code(cell: Cell) -> float:
    """Seconds for a cell of code: visible lines, what was printed, what is worked with."""
    seconds = RATES["line"] * anatomy.lines(cell) + RATES["row"] * anatomy.printed(cell)
    if cell.tags & set(anatomy.MOVED):
        seconds += RATES["instrument"]
    elif "picture" in cell.tags:
        seconds += RATES["picture"]
    return seconds + sum(RATES[kind] for kind in ("prediction", "exercise") if kind in cell.tags)


def to_read(path: str | Path) -> int:
    """Whole minutes of a reader for the core of a lesson."""
    times = reading(path)
    return sum(max(1, round(times[name])) for name in core(path))


def table(path: str | Path, core: Collection[str]) -> str:
    """The table of minutes of a lesson in Markdown: whole minutes, at least one a section.

    Parameters
    ----------
    path : a notebook
    core : the sections that stand alone; the others are marked as further ones

    What is looked up has no minutes; the sum of the core is that of its rows. The table is folded,
    and tells the reader's minutes first.
    """
    rows, alone = whole(path)
    times = reading(path)
    named = [(name.replace(lesson.TITLE, "Opening", 1), name, time) for name, time in rows]
    lines = [
        f"| {said} | {max(1, round(times[name]))} | {time} | {kind} |"
        for said, name, time in named
        for kind in ["core" if name in core else "further"]
    ]
    inside = sum(time for name, time in rows if name in core)
    head = ["| section | to read | to show | part |", "|:--|--:|--:|:--|"]
    last = [
        f"| **the core** | **{to_read(path)}** | **{inside}** | |",
        f"| Exercises | {alone} | | by yourself |",
    ]
    title = f"How long it takes: {to_read(path)} minutes to read, {inside} to show"
    fold = f"<details><summary>{title}</summary>"
    return "\n".join([fold, "", *head, *lines, *last, "", "</details>"])


def whole(path: str | Path) -> tuple[list[tuple[str, int]], int]:
    """Whole minutes, at least one, of each section that is no reference; and of the exercises."""
    times = {name: max(1, round(time)) for name, time in minutes(path).items()}
    read = lesson.read(path)
    alone = sum(times.pop(cell.part) for cell in read.tagged("exercises"))
    for cell in [*read.tagged("reference"), *read.tagged("lessons")]:
        times.pop(cell.part, None)
    return list(times.items()), alone


def sums(path: str | Path) -> tuple[int, int, int]:
    """Minutes of the core of a lesson, of its further parts, of its exercises."""
    (rows, alone), inside = whole(path), core(path)
    alike = [sum(time for name, time in rows if (name in inside) == part) for part in (True, False)]
    return alike[0], alike[1], alone


def line(path: str | Path) -> str:
    """The minutes of a lesson as the guide for instructors tells them."""
    rows, inside = whole(path)[0], core(path)
    parts = [
        "; ".join(f"{name.removeprefix('Further: ')} {time}" for name, time in rows if part(name))
        for part in (inside.__contains__, lambda name: name not in inside)
    ]
    own, further, alone = sums(path)
    told = f"**Minutes.** Core {own}: {parts[0]}. Further {further}: {parts[1]}."
    return f"{told} Exercises {alone}. A reader needs {to_read(path)} for the core."


def term(paths: Collection[Path], text: str) -> str:
    """The table of a course of one lesson a week; what each is said to need comes from the text."""
    head = "| week | lesson | core | further | exercises | core, read | uses |"
    head += "\n|:--|:--|--:|--:|--:|--:|:--|"
    rows = []
    for week, path in enumerate(paths, start=1):
        needs = re.findall(r"\b0\d\b", section(text, path.stem[:2], "Needs"))
        times = " | ".join(map(str, [*sums(path), to_read(path)]))
        title = f"{path.stem[:2]} {lesson.read(path).title}"
        rows.append(f"| {week} | {title} | {times} | {', '.join(needs)} |")
    return "\n".join([head, *rows])


def section(text: str, number: str, name: str) -> str:
    """A paragraph "**Name.** ..." of a lesson's section of the guide."""
    lesson = text.partition(f"\n## Lesson {number}:")[2].partition("\n## ")[0]
    found = re.search(rf"^\*\*{name}\.\*\*.*$", lesson, re.M)
    return found[0] if found else ""


def in_50(path: str | Path, said: str) -> str:
    """A choice of parts of a lesson, such as "Core (22), Explore (8): 30 ...", with its minutes.

    Raises ``KeyError`` for a part that the lesson has not.
    """
    times = {"Core": sums(path)[0], **dict(whole(path)[0])}
    names = re.findall(r"([A-Z][^,():]*) \(\d+\)", said)
    parts = ", ".join(f"{name} ({times[name]})" for name in names)
    return f"{parts}: {sum(times[name] for name in names)}"


def guide(text: str, paths: Collection[Path]) -> str:
    """The guide with the minutes of now."""
    for path in paths:
        number = path.stem[:2]
        before, heading, after = text.partition(f"\n## Lesson {number}:")
        told = re.sub(
            r"^\*\*Minutes\.\*\*.*$", lambda _, p=path: line(p), after, count=1, flags=re.M
        )
        chosen = re.search(r"^\*\*In 50 minutes\.\*\* (.+?: \d+)(?= counted)", told, re.M)
        if chosen:
            told = told.replace(chosen[1], in_50(path, chosen[1]), 1)
        text = before + heading + told
    text = PROOFS.sub(lambda _: proofs(paths), text)
    return TERM.sub(lambda _: term(paths, text), text)


def proved(cell: Cell) -> Proof | None:
    """The proof to find that a cell asks for, if it does."""
    if not (asked := PROVED.match(cell.source)):
        return None
    for name in LESSONS:
        module = importlib.import_module(f"dpviz.lessons.{name}.exercises")
        if hasattr(module, asked[1]):
            return getattr(module, asked[1])()
    raise ValueError(f"no lesson has {asked[1]}")


def proofs(paths: Collection[Path]) -> str:
    """The table of all proofs to find: what a model solution is worth, minutes, a right answer."""
    rows = ["| lesson | proof | kind | marks | minutes | right |", "|:--|:--|:--|--:|--:|:--|"]
    for path in paths:
        for cell in lesson.read(path).cells:
            if proof := proved(cell):
                right = proof.right.replace(" | ", "; ")
                told = f"{proof.kind} | {proof.marks} | {MINUTES[proof.kind]} | `{right}`"
                rows.append(f"| {path.stem[:2]} | `{PROVED.match(cell.source)[1]}` | {told} |")
    return "\n".join(rows)


def core(path: str | Path) -> tuple[str, ...]:
    """The parts of a lesson that are its core."""
    return lesson.read(path).core


def _of_words(cell: Cell) -> float:
    """Words are read at one speed, a displayed formula takes longer."""
    if cell.kind in ("minutes", "proof"):
        return 0.0
    text = cell.source if cell.kind == "title" else cell.body
    return len(text.split()) / WORDS + text.count("$$") / 2 * FORMULA


def _of_code(cell: Cell, alone: bool) -> float:
    """Lines are read, a picture is looked at, a prediction made, an instrument worked."""
    time = (not cell.is_check) * sum(bool(line.strip()) for line in cell.source.split("\n")) * LINE
    time += ("picture" in cell.tags) * PICTURE
    time += bool(cell.tags & {"explorer", "player"}) * INSTRUMENT
    time += ("prediction" in cell.tags) * PREDICTION
    if proof := proved(cell):
        return time + MINUTES[proof.kind]
    return time + ("exercise" in cell.tags) * (EXERCISE if alone else QUESTION)


def main() -> None:
    """Print every table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="put the tables into the lessons")
    write = parser.parse_args().write
    paths = sorted(FOLDER.glob("*.ipynb"))
    for path in paths:
        made = table(path, core(path))
        print(f"{path.stem} (to read: {to_read(path)})\n{made}\n")
        if write:
            book = json.loads(path.read_text(encoding="utf-8"))
            for cell in lesson.read(path).tagged("minutes"):
                book["cells"][cell.at]["source"] = made.splitlines(keepends=True)
            text = json.dumps(book, indent=1, ensure_ascii=False) + "\n"
            path.write_text(text, encoding="utf-8")
    if write:
        GUIDE.write_text(guide(GUIDE.read_text("utf-8"), paths), encoding="utf-8")


if __name__ == "__main__":
    main()
