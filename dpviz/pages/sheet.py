"""The whole of a page that opens from disk: its styles and its scripts stand in it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from pathlib import Path

from dpviz.files import MARK
from dpviz.words import SOURCE, interface, say, table

HERE = Path(__file__).parent
SAID = re.compile(r'\bsay\(\s*"([\w.]+)"')  # a message in a script
BOTH = re.compile(r'<picture><source srcset="([^"]*)">(<img [^>]*src=")[^"]*(">)</picture>')


def page(
    title: str,
    body: str,
    book: str = "",
    parts: Sequence[str] = ("from_disk",),
    lesson: str = "",
) -> str:
    """A page in HTML, whose links lead to its neighbours in the same folder.

    Parameters
    ----------
    title : plain text
    body : HTML
    book : file name of the notebook that "live" opens in the lab, if there is one
    parts : names of the scripts and styles beside this module that it needs, in order
    lesson : the lesson, such as "03_distance", whose page it leads back to
    """
    from dpviz.drawing.page import HELD, PICTURE, PLAYER
    from dpviz.drawing.palette import dark

    read = ["numbers", "curve"] if "from_disk" in parts else []
    style, script = together("css", parts), together("js", [*read, *parts])
    style += f"\n{HELD}@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark()} }} }}"
    address = f"../jupyter/lab/index.html?path={book}"
    back = f'<a href="{lesson}.html">{say("page.lesson")}</a>' if lesson else ""
    live = f'<a class="live" hidden href="{address}">{say("page.live")}</a>' if book else ""
    link = f'<a href="{done()}">{say("page.done")}</a>' if "record" in parts else ""
    return (
        f'<!doctype html>\n<html lang="{interface()}">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="{MARK}">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n"
        f'<header><a href="index.html">dpviz</a>{back}{link}{live}</header>\n'
        f"<main>\n{vectors(body)}\n</main>\n{PICTURE}\n{PLAYER}\n<script>{script}</script>\n</html>\n"
    )


def vectors(body: str) -> str:
    """HTML whose pictures are vectors alone, since nothing takes them out of a page.

    >>> from dpviz.drawing.picture import image
    >>> vectors(image("<svg a='b'/>", "A", 760, b"PNG")) == image("<svg a='b'/>", "A", 760)
    True
    """
    return BOTH.sub(lambda found: found[2] + found[1].replace("%20", " ") + found[3], body)


def done() -> str:
    """The file of the page that shows what its reader has done, in the language of now.

    >>> done()
    'done.html'
    """
    return "done.html" if interface() == SOURCE else f"done_{interface()}.html"


def together(kind: str, parts: Sequence[str]) -> str:
    """The files of one kind, one after another, behind what scripts read; a part may lack one."""
    paths = (HERE / f"{part}.{kind}" for part in parts)
    text = "\n".join(path.read_text("utf-8") for path in paths if path.exists())
    return f"{words(text)}{text}" if kind == "js" else text


def words(script: str) -> str:
    """The messages that a script says, and by which grammar it reads typed numbers."""
    from dpviz.exercises.answers import GRAMMAR

    messages = table(SOURCE) | table(interface())
    known: dict[str, object] = {
        "dpvizWords": {name: messages[name] for name in SAID.findall(script)}
    }
    if "dpvizGrammar" in script:
        known["dpvizGrammar"] = GRAMMAR
    said = [f"window.{name} = {json.dumps(each)};" for name, each in known.items()]
    return "\n".join([*said, (HERE / "words.js").read_text("utf-8")])
