"""Whether a picture that was drawn anew is the stored one, but for the last digits of places.

A stored picture is a claim that somebody looked at: titles, labels, bands and curves. Words are
compared letter by letter, elements one by one, and places up to :data:`PIXELS`.
"""

from __future__ import annotations

import base64
import io
import re
import urllib.parse
from collections.abc import Iterator
from itertools import zip_longest

import numpy as np
from PIL import Image

# Places are written in tenths of a pixel, and the last bits of a number may turn one tenth;
# a line that is drawn elsewhere is further off.
PIXELS = 0.3
# Of a picture kept as an image: how many dots may differ where an edge falls between two.
DOTS = 40
SOURCE = re.compile(r'srcset="data:image/svg\+xml,([^"]*)"')
PIECE = re.compile(r"<[^>]*>|[^<]+")
NUMBER = re.compile(r"(#[0-9a-f]+)|(-?\d*\.?\d+)")  # a colour, or a number


def stored(page: str) -> list[str]:
    """The SVG of every picture in the HTML of an output."""
    return [urllib.parse.unquote(source) for source in SOURCE.findall(page)]


def differences(old: str, new: str) -> list[str]:
    """What differs between two pictures, a line for each piece; empty where nothing does."""
    pairs = zip_longest(PIECE.findall(old), PIECE.findall(new), fillvalue="nothing")
    return [f"{short(was)} is now {short(now)}" for was, now in pairs if not same(was, now)]


def same(was: str, now: str) -> bool:
    """Whether two pieces are alike.

    >>> same("<path d='M1.9L2 3'/>", "<path d='M2L2.1 3'/>"), same("0.11", "0.12")
    (True, False)
    >>> same("<path d='M1.9L2 3'/>", "<path d='M2.9L2 3'/>"), same("<g fill='#1'>", "<g fill='#2'>")
    (False, False)
    """
    if was == now:
        return True
    if not (was.startswith("<") and now.startswith("<")):
        return False  # words are the same or not
    if "data:image/png" in was and "data:image/png" in now:
        return same_image(was, now)
    if form(was) != form(now):
        return False
    return bool(np.allclose(places(was), places(now), rtol=0, atol=PIXELS))


def form(piece: str) -> str:
    """A piece without its numbers."""
    return NUMBER.sub(lambda match: match[1] or "0", piece)


def places(piece: str) -> list[float]:
    """The numbers of a piece."""
    return [float(number) for _, number in NUMBER.findall(piece) if number]


def same_image(was: str, now: str) -> bool:
    """Whether two images differ in a few dots at most: an octree moves all colours a little."""
    before, after = (dots(piece) for piece in (was, now))
    if before.shape != after.shape:
        return False
    return int((np.abs(before - after).max(axis=2) > 64).sum()) <= DOTS


def dots(piece: str) -> np.ndarray:
    """The image inside an element, (height, width, 3)."""
    code = re.search(r"base64,([^\"']*)", piece)
    assert code is not None
    return np.array(Image.open(io.BytesIO(base64.b64decode(code[1]))).convert("RGB"), dtype=int)


def short(piece: str) -> str:
    """The beginning of a piece."""
    return piece if len(piece) < 100 else f"{piece[:97]}..."


def pictures(outputs: list[dict]) -> Iterator[str]:
    """Every picture of a cell's outputs, in order."""
    for output in outputs:
        yield from stored("".join(output.get("data", {}).get("text/html", "")))
