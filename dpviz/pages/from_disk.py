"""A lesson as pages that need no Python and no network: they open from disk.

Each lesson is run once, in a process of its own, and gives all of its pages (`dpviz.pages.run`);
they are kept by the hash of all that they are made of.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dpviz import files
from dpviz import lesson as lessons
from dpviz.lesson import CORE, FOLDED, Lesson, picture_of
from dpviz.pages import done, full_screen, guide, slides
from dpviz.pages.run import Piece, asks, code, pieces, shown
from dpviz.pages.sheet import page
from dpviz.pages.text import prose

HERE = Path(__file__).parent
WHAT = "pages"  # what their folder holds
SIDE_BY_SIDE = 2  # lessons that are run at once
RUNS = 20  # runs of lessons that a cache keeps, the newest ones
# Which test shows it: for a screen, not for paper.
TESTED = r"\s*\((?:`test_\w+`(?:, )?)+\)|: `test_\w+`(?=\.)"


def pages(target: Path, source: Path, cache: Path) -> list[Path]:
    """Write the pages of each lesson, the guide, an index; unchanged lessons come from the cache.

    Parameters
    ----------
    target : a new folder, or one that holds such pages; what else stands in it is left alone
    source : folder of notebooks; the instructor's guide stands beside it
    cache : where pages are kept, by the hash of all that they are made of

    Returns
    -------
    the page of each lesson; its other pages stand beside it (:func:`lesson`)

    Raises
    ------
    ValueError
        If a lesson does not run, or the folder holds something else or cannot be written.
    """
    files.known(target, WHAT)
    books = lessons.paths(source)
    parts = kept(books, cache)
    texts = {name: text for some in parts for name, text in some.items()}
    teaching = guide.beside(source)
    if teaching.is_file():
        texts[guide.NAME] = guide.written(teaching.read_text("utf-8"))
    if text := frontier(source):
        texts["frontier.html"] = text
    texts |= {"index.html": index(books, parts, teaching.is_file()), done.NAME: done.written()}
    files.write(target, {name: text.encode() for name, text in texts.items()}, WHAT)
    return [target / f"{book.stem}.html" for book in books]


def frontier(source: Path) -> str:
    """The page of what is known beyond the lessons, its picture in it; "" if there is none."""
    beside = {path.suffix: path.read_text("utf-8") for path in lessons.beside(source)}
    if ".md" not in beside:
        return ""
    text = prose(beside[".md"])
    text = re.sub(r'<img[^>]*src="frontier.svg"[^>]*>', lambda _: beside.get(".svg", ""), text)
    return page("dpviz: the frontier", f'<article class="frontier">{text}</article>')


def kept(books: list[Path], cache: Path) -> list[dict[str, str]]:
    """Of each lesson its pages, by their file names; those that the cache has not are made."""
    cache.mkdir(parents=True, exist_ok=True)
    made_by = code_digest()
    waiting = []
    for book in books:
        name = hashlib.sha256(book.read_bytes() + made_by).hexdigest()[:16]
        waiting.append((book, cache / f"{name}.json"))
    missing = [pair for pair in waiting if not pair[1].exists()]
    for at in range(0, len(missing), SIDE_BY_SIDE):
        together(missing[at : at + SIDE_BY_SIDE])
    pieces = [json.loads(path.read_text("utf-8")) for _, path in waiting]
    for _, path in waiting:
        path.touch()
    for old in sorted(cache.glob("*.json"), key=lambda path: path.stat().st_mtime)[:-RUNS]:
        old.unlink(missing_ok=True)
    return pieces


def together(some: list[tuple[Path, Path]]) -> None:
    """Make pages side by side, each in a process of its own, in the folder of the lessons."""
    names = " and ".join(book.stem for book, _ in some)
    print(f"Running {names} ...", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "dpviz.pages.from_disk"]
    running = [
        (
            book,
            subprocess.Popen(
                [*command, book.resolve(), kept.resolve()],
                cwd=book.parent,
                stderr=subprocess.PIPE,
            ),
        )
        for book, kept in some
    ]
    for book, process in running:
        _, said = process.communicate()
        if process.returncode:
            raise ValueError(f"{book.name} has no page: {said.decode()[-1500:]}")


def code_digest() -> bytes:
    """One hash of the package: what a lesson computes may change with any of it."""
    whole = hashlib.sha256()
    for path in sorted(HERE.parent.rglob("*")):
        if path.suffix in {".py", ".js", ".css", ".jsonl", ".html"}:
            whole.update(path.relative_to(HERE.parent).as_posix().encode() + path.read_bytes())
    return whole.digest()


def lesson(path: Path) -> dict[str, str]:
    """All pages of one lesson from one run of it, by their file names."""
    lesson = lessons.read(path)
    run = list(pieces(lesson))
    name = path.stem
    title = f"{name[:2]} {lesson.title}"
    sections = slides.body(slides.deck(lesson, run))
    parts = ("from_disk", "slides")
    return {
        f"{name}.html": page(
            title, full_screen.linked(read(run), name), path.name, parts=done.PARTS
        ),
        f"{name}_handout.html": page(f"{title}: handout", sheet(lesson, run)),
        f"{name}_slides.html": page(f"{title}: slides", sections, path.name, parts, name),
        **full_screen.pages(run, name, title),
    }


def read(run: list[Piece]) -> str:
    """The page to read: every cell but checks; what happened opens at its question.

    Code is folded, but the reader's own in "Ten lines".
    """
    some = [piece for piece in run if not piece.cell.tags & {"check", "result"}]
    own = {piece.cell.section for piece in some if "ten-lines" in piece.cell.tags}
    return "\n".join(
        prose(p.cell.source) if p.cell.is_text else of_code(p, p.cell.section in own) for p in some
    )


def of_code(piece: Piece, is_open: bool = False) -> str:
    """A cell of code, folded, and what it showed; what is folded in the lab, too, stands below."""
    source = piece.cell.source
    state = " open" if is_open and not piece.cell.is_folded else ""
    folded = f'<details class="code"{state}><summary>code</summary>{code(source)}</details>'
    parts = [folded if source.strip() else "", *shown(piece)]
    return "\n".join([*parts[1:], parts[0]] if piece.cell.is_folded else parts)


def sheet(lesson: Lesson, run: list[Piece]) -> str:
    """The handout: the toy, the ten lines, the balance, the statement, pictures, exercises."""
    questions = [one.question for piece in run for one in piece.instruments if alone(one)]
    parts = [*handout(lesson), "<h2>Exercises</h2>", listed(questions)]
    return f'<article class="handout">{"".join(parts)}</article>'


def alone(instrument: Any) -> bool:
    """Whether it is an exercise, neither a prediction nor a proof to find, which needs a page."""
    return asks(instrument) and not instrument.held and not instrument.marks


def handout(lesson: Lesson) -> Iterator[str]:
    """The core without what needs a screen: text, the ten lines, two pictures."""
    yield prose(f"# {lesson.name[:2]} {lesson.title}\n\n{lesson.promise}")
    opening, balance = pictures(lesson)
    yield opening
    for purpose in ("by-hand", "ten-lines", "why", "theorem"):
        for cell in lesson.within(purpose):
            if CORE not in cell.tags:
                continue
            if cell.kind in ("text", "statement"):
                yield prose(re.sub(TESTED, "", cell.source))
            elif purpose == "ten-lines" and not cell.is_text and FOLDED not in cell.tags:
                yield code(cell.source)
        if purpose == "why":
            yield balance


def pictures(lesson: Lesson) -> tuple[str, str]:
    """The first stored picture of the core, and that of "Why it works" or else its second one."""
    stored = [
        (cell, f"<figure>{picture}</figure>")
        for cell in lesson.tagged(CORE)
        for picture in filter(None, map(picture_of, cell.outputs))
    ]
    why = set(lesson.within("why"))
    later = sorted(stored[1:], key=lambda pair: pair[0] not in why)
    first, second, *_ = [figure for _, figure in [*stored[:1], *later]] + ["", ""]
    return first, second


def listed(questions: list[str]) -> str:
    """Questions with numbers."""
    return f"<ol>{''.join(f'<li>{question}</li>' for question in questions)}</ol>"


def index(books: list[Path], made: list[dict[str, str]], teaching: bool) -> str:
    """The first page: what each lesson asks and promises, its other pages, the guide."""
    rows = []
    for book, names in zip(books, made, strict=True):
        lesson = lessons.read(book)
        others = [(name, word(name, book.stem)) for name in names if name != f"{book.stem}.html"]
        links = " ".join(f'<a class="more" href="{name}">{words}</a>' for name, words in others)
        first = f'<a href="{book.stem}.html">{book.stem[:2]} {lesson.title}</a>'
        rows.append(f"<li>{first} {links}{prose(lesson.promise)}</li>")
    listed = "\n".join(rows)
    guided = f'<p>For those who teach: <a href="{guide.NAME}">the instructor\'s guide</a>.</p>'
    return page(
        "dpviz: lessons to read",
        f"<h1>How to answer very many questions about private data</h1>\n"
        f"<p>Ten lessons on differential privacy, to read anywhere: sliders move among stored "
        f"settings, players step, predictions and exercises with a number, a choice or a curve are "
        f"checked. Nothing is loaded from elsewhere, nothing leaves this page.</p>\n"
        f"<ul>\n{listed}\n</ul>\n"
        f"{guided if teaching else ''}",
        parts=done.PARTS,
    )


def word(name: str, lesson: str) -> str:
    """What another page of a lesson is called where it is linked.

    >>> word("03_distance_explorer_2.html", "03_distance")
    'explorer 2'
    """
    return name.removeprefix(f"{lesson}_").removesuffix(".html").replace("_", " ")


if __name__ == "__main__":
    made = lesson(Path(sys.argv[1]))
    files.replace(Path(sys.argv[2]), json.dumps(made).encode())
