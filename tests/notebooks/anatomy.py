"""What stands on the page of a lesson: its words, displays, pictures, lines of code, handles.

Everything is counted as a reader meets it who unfolds all there is: prose, captions, titles of
pictures, the questions and hints of exercises, what instruments say. Of a picture the words are
those drawn in it; a formula is one word.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

from dpviz.lesson import Cell, joined, picture_of

FORMULA = re.compile(r"\$\$.+?\$\$|(?<!\\)\$[^$]+?\$", re.DOTALL)
DISPLAY = re.compile(r"\$\$.+?\$\$", re.DOTALL)
LINES = re.compile(r"\((\d+) lines?\)")  # that the title of a folded proof promises
SCRIPT = re.compile(r"<(style|script)\b.*?</\1>", re.DOTALL)
ALT = re.compile(r'\balt="([^"]*)"')
TAG = re.compile(r"<[^>]*>")
DRAWN = re.compile(r"<text\b[^>]*>([^<]*)<")
SAYS = re.compile(r"\w")
LINE = 12  # words of a proof that make a line, where its title does not count them
PICTURES = ("picture", "explorer", "player")
MOVED = ("explorer", "player")


def plain(text: str) -> str:
    """Markdown with HTML as its words: a formula is one, a link is what is read of it."""
    text = FORMULA.sub(" FORMULA ", SCRIPT.sub(" ", text))
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return html.unescape(TAG.sub(" ", text))


def count(text: str) -> int:
    """How many words a text has.

    >>> count("**So** $a + b$ is [this](there.md): <b>4</b> &lt; 5."), count("| a | b |")
    (6, 2)
    """
    return sum(bool(SAYS.search(word)) for word in plain(text).split())


def outputs(cell: Cell) -> Iterator[str]:
    """What a cell of code showed, as it was stored: text, Markdown or HTML without pictures."""
    for output in cell.outputs:
        data = output.get("data", {})
        if picture := picture_of(output):
            yield html.unescape(" ".join(ALT.findall(picture)))
        elif "text/html" in data:
            yield SCRIPT.sub(" ", joined(data["text/html"]))
        elif "text/markdown" in data:
            yield joined(data["text/markdown"])
        else:
            yield joined(output.get("text") or data.get("text/plain") or "")


def words(cell: Cell) -> int:
    """How many words a cell has on the page; code, checks and numbers are not counted."""
    if cell.is_check:
        return 0
    if cell.is_text:
        return count(cell.source)
    found = (word for text in pictured(cell) for word in plain(unquote(text)).split())
    return sum(any(map(str.isalpha, word)) for word in found)


def pictured(cell: Cell) -> Iterator[str]:
    """What a reader sees of the outputs of a cell: of a picture the words in it."""
    for output, text in zip(cell.outputs, outputs(cell), strict=True):
        if picture := picture_of(output):
            yield " ".join(DRAWN.findall(picture))
        else:
            yield re.sub(r"<small>.*?</small>", " ", text, flags=re.DOTALL)


def lines(cell: Cell) -> int:
    """Lines of code that are seen without unfolding anything."""
    if cell.is_text or cell.is_folded or cell.is_check:
        return 0
    return sum(bool(line.strip()) for line in cell.source.split("\n"))


def displays(cell: Cell) -> int:
    """Displayed formulas."""
    return len(DISPLAY.findall(cell.source)) if cell.is_text else 0


def pictures(cell: Cell) -> int:
    """Pictures, those that can be moved too."""
    return int(bool(cell.tags & set(PICTURES)))


def proof_lines(cell: Cell) -> int:
    """Lines of a folded proof: as many as its title says, or by its words."""
    said = LINES.search(cell.source.partition("</summary>")[0])
    return int(said[1]) if said else -(-count(cell.source) // LINE)


def rows(text: str) -> int:
    """Rows of the tables in a text, without their heads."""
    lines_of = [line for line in text.split("\n") if line.startswith("|")]
    heads = sum(bool(re.fullmatch(r"\|[\s:|-]+\|", line)) for line in lines_of)
    return len(lines_of) - 2 * heads


def printed(cell: Cell) -> int:
    """Lines and rows that a cell of code printed, without those of instruments and pictures."""
    total = 0
    for output in cell.outputs:
        data = output.get("data", {})
        if "text" in output or set(data) == {"text/plain"}:
            text = joined(output.get("text") or data["text/plain"])
            total += sum(bool(line.strip()) for line in text.split("\n"))
        elif "text/markdown" in data:
            total += rows(joined(data["text/markdown"]))
    return total
