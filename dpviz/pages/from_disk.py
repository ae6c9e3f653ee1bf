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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from dpviz import files
from dpviz import lesson as lessons
from dpviz.lesson import CORE, FOLDED, Lesson, picture_of
from dpviz.pages import done, guide, slides
from dpviz.pages.run import Piece, asks, code, pieces, shown
from dpviz.pages.sheet import done as done_file
from dpviz.pages.sheet import page
from dpviz.pages.stored import processors
from dpviz.pages.text import prose
from dpviz.words import SOURCE, languages, other, say, spoken

HERE = Path(__file__).parent
WHAT = "pages"  # what their folder holds
FRONTIER = "frontier.html"  # the page of what is known beyond the lessons
KINDS = ("handout", "slides")  # pages of a lesson besides the one to read
SIDE_BY_SIDE = 2  # lessons that are run at once
OPENS = ".opening"  # ends the file of what the first page shows of a run
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
    books = [*lessons.paths(source), *lessons.translations(source)]
    parts = kept(books, cache)
    texts = {name: text for some in parts for name, text in some.items()}
    teaching = guide.beside(source)
    for language in languages():
        with spoken(language):
            texts[done_file()] = done.written()
    with spoken(SOURCE):
        if teaching.is_file():
            texts[guide.NAME] = guide.written(teaching.read_text("utf-8"))
        if text := frontier(source):
            texts[FRONTIER] = text
        texts["index.html"] = index(books, parts, teaching.is_file(), bool(text))
    files.write(target, {name: text.encode() for name, text in texts.items()}, WHAT)
    return [target / f"{name(book)}.html" for book in books]


def name(book: Path) -> str:
    """What the files of a lesson's pages begin with.

    >>> name(Path("notebooks/00_start.ipynb")), name(Path("notebooks/de/00_start.ipynb"))
    ('00_start', '00_start_de')
    """
    code = book.parent.name
    return f"{book.stem}_{code}" if code != SOURCE and code in languages() else book.stem


def in_lab(path: Path) -> str:
    """The name of a lesson's file in the lab.

    >>> in_lab(Path("notebooks/00_start.ipynb")), in_lab(Path("notebooks/de/00_start.ipynb"))
    ('00_start.ipynb', 'de/00_start.ipynb')
    """
    code = path.parent.name
    return f"{code}/{path.name}" if code in languages() else path.name


def frontier(source: Path) -> str:
    """The page of what is known beyond the lessons, its picture in it; "" if there is none."""
    beside = {path.suffix: path.read_text("utf-8") for path in lessons.beside(source)}
    if ".md" not in beside:
        return ""
    text = prose(beside[".md"])
    text = re.sub(r'<img[^>]*src="frontier.svg"[^>]*>', lambda _: beside.get(".svg", ""), text)
    return page(f"dpviz: {say('page.frontier')}", f'<article class="frontier">{text}</article>')


def kept(books: list[Path], cache: Path) -> list[dict[str, str]]:
    """Of each lesson its pages, by their file names; those that the cache has not are made."""
    cache.mkdir(parents=True, exist_ok=True)
    waiting = places(books, cache)
    missing = [pair for pair in waiting if not pair[1].exists()]
    longest = sorted(missing, key=lambda pair: pair[0].stat().st_size, reverse=True)
    at_once = min(SIDE_BY_SIDE, max(len(missing), 1))
    work = partial(make, processes=processors(at_once))
    with ThreadPoolExecutor(at_once) as waiting_for:
        list(waiting_for.map(work, longest))
    pieces = [json.loads(path.read_text("utf-8")) for _, path in waiting]
    for _, path in waiting:
        path.touch()
    for old in sorted(cache.glob("*.json"), key=lambda path: path.stat().st_mtime)[:-RUNS]:
        old.unlink(missing_ok=True)
        old.with_suffix(OPENS).unlink(missing_ok=True)
    return pieces


def places(books: list[Path], cache: Path) -> list[tuple[Path, Path]]:
    """Each lesson, and where the pages of its run are kept; beside them what opens it."""
    made_by = code_digest()
    names = [hashlib.sha256(book.read_bytes() + made_by).hexdigest()[:16] for book in books]
    return [(book, cache / f"{name}.json") for book, name in zip(books, names, strict=True)]


def make(pair: tuple[Path, Path], processes: int = 1) -> None:
    """Make the pages of a lesson in a process of its own, in the folder of the lessons.

    Its pictures are drawn by so many ``processes``.
    """
    book, kept = pair
    print(f"Running {name(book)} ...", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "dpviz.pages.from_disk", book.resolve(), kept.resolve()]
    command += [str(processes)]
    done = subprocess.run(command, cwd=book.parent, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise ValueError(f"{book.name} has no page: {done.stderr.decode()[-1500:]}")


def code_digest() -> bytes:
    """One hash of the package and what is installed: a lesson may change with any of it."""
    installed = sorted(f"{each.name} {each.version}" for each in distributions())
    whole = hashlib.sha256(repr([sys.version, installed]).encode())
    for path in sorted(HERE.parent.rglob("*")):
        if path.suffix in {".py", ".js", ".css", ".jsonl", ".html", ".toml"}:
            whole.update(path.relative_to(HERE.parent).as_posix().encode() + path.read_bytes())
    return whole.digest()


def lesson(path: Path, processes: int = 1) -> tuple[dict[str, str], dict[str, Any]]:
    """All pages of one lesson from one run of it, by their file names; what opens it."""
    lesson = lessons.read(path)
    title = f"{path.stem[:2]} {lesson.title}"
    stem = name(path)
    with spoken(lesson.language):
        run = list(pieces(lesson, processes))
        heads = [say("page.titled", title=title, kind=say(f"page.{kind}")) for kind in KINDS]
        bodies = sheet(lesson, run), slides.body(slides.deck(lesson, run))
        book = in_lab(path)
        opens = [asdict(piece.opening) for piece in run if piece.opening]
        made = {
            f"{stem}.html": page(title, read(run), book, parts=done.PARTS),
            f"{stem}_handout.html": page(heads[0], bodies[0]),
            f"{stem}_slides.html": page(heads[1], bodies[1], book, ("from_disk", "slides"), stem),
        }
    return made, dict(*opens)


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
    summary = f"<summary>{say('page.code')}</summary>"
    folded = f'<details class="code"{state}>{summary}{code(source)}</details>'
    parts = [folded if source.strip() else "", *shown(piece)]
    return "\n".join([*parts[1:], parts[0]] if piece.cell.is_folded else parts)


def sheet(lesson: Lesson, run: list[Piece]) -> str:
    """The handout: the toy, the ten lines, the balance, the statement, pictures, exercises."""
    questions = [one.question for piece in run for one in piece.instruments if alone(one)]
    parts = [*handout(lesson), f"<h2>{say('page.exercises')}</h2>", listed(questions)]
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


def index(
    books: list[Path], made: list[dict[str, str]], teaching: bool, beyond: bool = False
) -> str:
    """The first page: what each lesson asks and promises, its other pages, what stands beside."""
    rows = []
    for book, names in zip(books, made, strict=True):
        lesson = lessons.read(book)
        stem = name(book)
        with spoken(lesson.language):
            others = [(each, word(each, stem)) for each in names if each != f"{stem}.html"]
        links = " ".join(f'<a class="more" href="{each}">{words}</a>' for each, words in others)
        first = f'<a href="{stem}.html">{book.stem[:2]} {lesson.title}</a>'
        language = other(lesson.language, SOURCE)
        rows.append(f"<li{language}>{first} {links}{prose(lesson.promise)}</li>")
    listed = "\n".join(rows)
    guided = f"<p>{say('page.teach', link=guide.NAME)}</p>"
    known = f'<p><a href="{FRONTIER}">{say("page.frontier").capitalize()}</a></p>'
    return page(
        f"dpviz: {say('page.index')}",
        f"<h1>{say('page.heading')}</h1>\n<p>{say('page.about')}</p>\n<ul>\n{listed}\n</ul>\n"
        f"{guided if teaching else ''}{known if beyond else ''}",
        parts=done.PARTS,
    )


def word(name: str, lesson: str) -> str:
    """What another page of a lesson is called where it is linked.

    >>> word("03_distance_slides.html", "03_distance"), word("done.html", "03_distance")
    ('slides', 'done')
    """
    kind = name.removeprefix(f"{lesson}_").removesuffix(".html")
    return say(f"page.{kind}") if kind in KINDS else kind


if __name__ == "__main__":
    made, opens = lesson(Path(sys.argv[1]), int(sys.argv[3]))
    files.replace(Path(sys.argv[2]).with_suffix(OPENS), json.dumps(opens).encode())
    files.replace(Path(sys.argv[2]), json.dumps(made).encode())
