"""Each explorer of a lesson as a page of its own: full screen, presets on keys, no code."""

from __future__ import annotations

from dpviz.pages.run import Piece
from dpviz.pages.sheet import page
from dpviz.pages.slides import Slide, body
from dpviz.words import say

OPENED = '<section class="instrument dpviz-explorer">'


def named(lesson: str, number: int) -> str:
    """The file name of an explorer's page.

    >>> named("03_distance", 2)
    '03_distance_explorer_2.html'
    """
    return f"{lesson}_explorer_{number}.html"


def pages(run: list[Piece], lesson: str, title: str, book: str) -> dict[str, str]:
    """The pages of a lesson's explorers, by their file names, numbered as they come."""
    explorers = [woken for piece in run for woken in piece.projected if woken.startswith(OPENED)]
    files = {}
    for number, woken in enumerate(explorers, start=1):
        slide = Slide("instrument", title, woken)
        heading = say("page.titled", title=title, kind=say("page.explorer", number=number))
        parts = ("from_disk", "slides")
        files[named(lesson, number)] = page(heading, body([slide]), book, parts, lesson)
    return files


def linked(text: str, lesson: str) -> str:
    """A lesson's page, each explorer with a link to its own page."""
    first, *others = text.split(OPENED)
    links = [first]
    for number, rest in enumerate(others, start=1):
        link = f'<a class="full" href="{named(lesson, number)}">{say("page.full")}</a>'
        links += [OPENED, link, rest]
    return "".join(links)
