"""One lesson for a lecture, as a folder that works from a stick: slides, notes, handout, pages.

A folder that holds something else is refused, and so is one in which a file of an earlier lecture
was edited (`dpviz.files`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from pathlib import Path

from dpviz import files, lab
from dpviz import lesson as lessons
from dpviz.pages import done, from_disk, guide, sheet
from dpviz.pages.sheet import page
from dpviz.pages.text import prose
from dpviz.words import say

LIVE = re.compile(r'<a class="live".*?</a>')  # there is no lab on a stick
LINK = re.compile(r'(<a\b[^>]*?) href="(?!#|https?:)([^"#]*)[^"]*"')


def ask(lesson: str, folder: Path | None) -> None:
    """What ``dpviz lecture`` does: write the folder and say what is in it."""
    book = found(lesson, lab.LESSONS)
    target = folder or Path(f"lecture_{book.stem}")
    missing = write(book, target, lab.kept("runs"), guide.beside(lab.LESSONS))
    print(f"Open {target / 'index.html'} in a browser.")
    for piece in missing:
        print(f"Left out: {piece}.")


def found(lesson: str, source: Path) -> Path:
    """The notebook of a lesson that is named by its number or in full.

    Raises
    ------
    ValueError
        If there is none; the message lists what there is.
    """
    books = lessons.paths(source)
    for book in books:
        if lesson in (book.stem, book.stem[:2], book.stem[:2].lstrip("0")):
            return book
    names = ", ".join(book.stem for book in books)
    raise ValueError(f"there is no lesson {lesson!r}: name one of {names}, or its number")


def write(book: Path, target: Path, cache: Path, told: Path) -> list[str]:
    """Write the folder of one lesson.

    Parameters
    ----------
    book : the notebook
    target : a new folder, or one that holds a lecture on this lesson
    cache : where pages are kept (:func:`dpviz.pages.from_disk.pages`)
    told : the instructor's guide, of which the lesson's section becomes the notes

    Returns
    -------
    what the lesson has not, in words

    Raises
    ------
    ValueError
        If the lesson does not run, or the folder holds something else or cannot be written.
    """
    what = f"lecture {book.stem}"
    files.known(target, what)
    tree, missing = pages(book, cache, told)
    files.write(target, {name: text.encode() for name, text in tree.items()}, what)
    return missing


def pages(book: Path, cache: Path, told: Path) -> tuple[dict[str, str], list[str]]:
    """The files of the folder by their names, and what the lesson has not."""
    (parts,) = from_disk.kept([book], cache)
    missing = []
    text = told.read_text("utf-8") if told.is_file() else ""
    if notes := guide.section(text, book.stem[:2]):
        parts["notes.html"] = page(say("lecture.notes", number=book.stem[:2]), prose(notes))
    else:
        missing.append(f"the instructor's notes, because {told.name} has none for this lesson")
    parts[sheet.done()] = done.written()
    parts["index.html"] = index(book, list(parts))
    return {name: alone(text, parts) for name, text in parts.items()}, missing


def index(book: Path, names: Collection[str]) -> str:
    """The first page of the folder."""
    lesson = lessons.read(book)
    title = lesson.title
    words = {name: from_disk.word(name, book.stem) for name in names}
    words |= {f"{book.stem}.html": say("lecture.lesson"), "notes.html": say("slides.notes")}
    words |= {sheet.done(): say("lecture.done")}
    first = {"page.slides": "slides", "slides.notes": "noted", "page.handout": "handout"}
    about = {say(name): say(f"lecture.{told}") for name, told in first.items()}
    order = sorted(names, key=lambda name: [*about, words[name]].index(words[name]))
    rows = [
        f'<li><a href="{name}">{words[name]}</a> {html.escape(about.get(words[name], ""))}</li>'
        for name in order
    ]
    head = f"<h1>{book.stem[:2]} {html.escape(title)}</h1>{prose(lesson.promise)}"
    return page(
        say("lecture.title", title=title),
        f"{head}<ul>{''.join(rows)}</ul><p>{say('lecture.keys')}</p>",
    )


def alone(text: str, names: Collection[str]) -> str:
    """A page whose links lead to files of the folder, or to the web; others are words only.

    >>> alone('<a href="a.html#x">a</a> <a href="b.html">b</a>', ["a.html"])
    '<a href="a.html#x">a</a> <a>b</a>'
    """

    def kept(link: re.Match[str]) -> str:
        return link[0] if link[2] in names else link[1]

    return LINK.sub(kept, LIVE.sub("", text))
