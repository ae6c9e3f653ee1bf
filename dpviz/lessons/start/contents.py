"""The first page: its table of lessons, its check of the installation."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from IPython.display import Markdown

from dpviz import lesson, words
from dpviz.data.real_sets import SETS
from dpviz.words import other, say


def lessons(folder: str | Path = ".") -> Markdown:
    """The lessons found in a folder, in order, each with its title and its promise.

    Raises
    ------
    ValueError
        If there is no lesson in the folder, or a cell of one does not say what it is.
    """
    rows = []
    for path in lesson.paths(Path(folder)):
        book = lesson.read(path)
        abroad = other(book.language, words.lesson())
        told = [f"<span{abroad}>{t}</span>" if abroad else t for t in (book.title, book.promise)]
        rows.append(f"| [{path.stem}]({path.as_posix()}) | {' | '.join(told)} |")
    return Markdown("\n".join([say("| lesson | question | promise |"), "|:--|:--|:--|", *rows]))


def records() -> Markdown:
    """The real sets: how many records, and what one is.

    >>> records().data.split("\\n")[2][:12]
    '| wine | 178'
    """
    rows = []
    for load in SETS.values():
        real = load()
        n, d = real.data.shape
        rows.append(f"| {real.name} | {n} | {d} | {say(real.record)} |")
    head = [say("| set | records | columns | what a record is |"), "|:--|--:|--:|:--|"]
    return Markdown("\n".join([*head, *rows]))


def check_installation() -> str:
    """One sentence: is everything that the lessons need here, and new enough?

    Raises
    ------
    RuntimeError
        If something is missing or too old; the message lists it and says what to type.

    >>> check_installation()
    'Ready: all 12 packages that the lessons need are here.'
    """
    from packaging.requirements import Requirement

    needed = [Requirement(line) for line in metadata.requires("dpviz") or []]
    needed = [need for need in needed if not need.marker or need.marker.evaluate({"extra": "lab"})]
    wrong = [str(need) for need in needed if not _installed(need)]
    if wrong:
        raise RuntimeError(f"missing or too old: {', '.join(wrong)}; run `make lab` again")
    return f"Ready: all {len(needed)} packages that the lessons need are here."


def _installed(need) -> bool:
    """Whether a requirement is met."""
    try:
        return need.specifier.contains(metadata.version(need.name), prereleases=True)
    except metadata.PackageNotFoundError:
        return False
