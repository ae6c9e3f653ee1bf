"""The gallery of the reference: every picture of the lessons that can be handled.

Their stills are those that the lessons store, and what can be done is the first line of what each
function says of itself, so nothing here is drawn or written by hand.
"""

import importlib
import inspect
import re
import urllib.parse
from pathlib import Path

from dpviz import lesson as lessons

ROOT = Path(__file__).parents[1]
# What a family of the reference is to the lessons; the others are about the front door.
FAMILIES = {"01": "privacy", "02": "distance", "03": "distance", "04": "distance", "05": "sparse"}
FAMILIES |= {"06": "smooth", "07": "cluster", "08": "fat_shattering"}
SHOWS = re.compile(r"\b((?:explore|play)_\w+)\(")
SVG = re.compile(r'srcset="data:image/svg\+xml,([^"]*)"')
HEAD = """Gallery
=======

Every picture of the lessons that can be handled: marks to drag or to press, sliders, steps to play.
Each leads to its lesson, where it moves without an installation; its line opens it in a notebook.
"""


def write(folder):
    """The page as reStructuredText; its pictures go into a folder."""
    text = [HEAD]
    for path in lessons.paths(ROOT / "notebooks"):
        lesson = lessons.read(path)
        number, _, room = path.stem.partition("_")
        page = f"../pages/{path.stem}.html"
        title = f"{number} {lesson.title}"
        family = FAMILIES.get(number)
        where = f":doc:`families/{family}`" if family else ":doc:`the front door <index>`"
        text += [
            title,
            "-" * len(title),
            "",
            f"`Lesson {number} <{page}>`__; functions: {where}.",
            "",
        ]
        text += [".. container:: gallery", ""]
        for name, function, picture in handled(
            lesson, importlib.import_module(f"dpviz.lessons.{room}")
        ):
            file = folder / f"{room}.{name}.svg"
            file.write_text(vectors(picture), "utf-8")
            text += [
                f"   .. figure:: {folder.name}/{file.name}",
                f"      :alt: {alt(picture)}",
                f"      :target: {page}",
                "      :loading: lazy",
                "",
                f"      {what(function)}",
                "",
            ]
            if not required(function):
                text += [f"      ``dpviz.lessons.{room}.{name}()``", ""]
    return "\n".join(text)


def handled(lesson, room):
    """The explorers and players of a lesson in order: name, function, stored picture."""
    for cell in lesson.cells:
        shown = SHOWS.search(cell.source) if {"explorer", "player"} & cell.tags else None
        if shown:
            picture = next(output["data"] for output in cell.outputs if lessons.picture_of(output))
            yield shown[1], getattr(room, shown[1]), picture


def vectors(picture):
    """A stored picture as SVG."""
    return urllib.parse.unquote(SVG.search(lessons.joined(picture["text/html"]))[1])


def alt(picture):
    """What a stored picture shows, in words."""
    return lessons.joined(picture["text/plain"]).partition("\n")[0]


def what(function):
    """What can be done, as its function says."""
    first = function.__doc__.strip().partition("\n")[0]
    return re.sub(r"; (see|arguments as in) :func:`\w+`", "", first)


def required(function):
    """Whether it needs something that only its lesson has."""
    given = inspect.signature(function).parameters.values()
    return any(each.default is each.empty for each in given)
