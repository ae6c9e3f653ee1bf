"""What instruments, exercises and pages say: a table of messages for each language.

English is the source. A message of the interface has a name, ``player.back``, and stands in
``languages/en.toml``; ``languages/de.toml`` holds the same names in German. The sentences of a
lesson stand in the lesson, in English, and each is its own name in ``de.start.toml``. What a
language lacks is said in English. Values are put in as `str.format` does; a message that differs
for one and for several is a pair, of which the value ``count`` takes one.

The interface speaks the language of ``DPVIZ_LANGUAGE``, and a lesson its own: :func:`use`.
"""

from __future__ import annotations

import os
import string
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from numbers import Integral, Real
from typing import Any, TypeAlias

Message: TypeAlias = str | dict[str, str]

SOURCE = "en"
TABLES = files("dpviz").joinpath("languages")


@dataclass
class Languages:
    """What is spoken in this process; the interface's is "" before it was asked for."""

    lesson: str = SOURCE
    interface: str = ""


_now = Languages()


def languages() -> list[str]:
    """The codes of all languages, by ISO 639.

    >>> languages()
    ['de', 'en']
    """
    names = (path.name.removesuffix(".toml") for path in TABLES.iterdir())
    return sorted(name for name in names if "." not in name and name.isalpha())


def known(code: str, what: str = "language") -> str:
    """A code of :func:`languages`.

    Raises
    ------
    ValueError
        If it is none; ``what`` is what the message calls it.
    """
    if code not in languages():
        raise ValueError(f"{what} must be one of {', '.join(languages())}, not {code!r}")
    return code


def use(code: str) -> None:
    """Let a lesson and the interface speak a language from now on.

    Raises
    ------
    ValueError
        If it is none of :func:`languages`.
    """
    _now.lesson = _now.interface = known(code)


def lesson() -> str:
    """The code of the language that the lesson speaks."""
    return _now.lesson


def interface() -> str:
    """The code of the language that the interface speaks.

    Raises
    ------
    ValueError
        If ``DPVIZ_LANGUAGE`` is none of :func:`languages`.
    """
    if not _now.interface:
        _now.interface = known(os.environ.get("DPVIZ_LANGUAGE") or SOURCE, "DPVIZ_LANGUAGE")
    return _now.interface


@contextmanager
def spoken(code: str) -> Iterator[None]:
    """Within it lesson and interface speak a language.

    >>> with spoken("de"):
    ...     say("player.back"), say("player.place", now=2, last=9)
    ('zurück', '2 von 9')
    """
    former = replace(_now)
    use(code)
    try:
        yield
    finally:
        _now.lesson, _now.interface = former.lesson, former.interface


def say(key: str, /, **values: Any) -> str:
    """A message in the language of the interface, or a sentence of a lesson in the lesson's.

    Parameters
    ----------
    key : name of a message of the interface, or the English sentence itself
    values : what stands for the names in braces; without any, braces are taken as they are

    >>> say("player.place", now=2, last=9), say("A radius of {mean:.2f}", mean=1 / 3)
    ('2 of 9', 'A radius of 0.33')
    """
    source = table(SOURCE)
    # Words in a picture stand among those of the lesson.
    code = interface() if key in source and not key.startswith("picture.") else lesson()
    message = table(code).get(joined(key), source.get(key, key))
    if isinstance(message, dict):
        message = message["one" if values["count"] == 1 else "other"]
    return Numbers(code).format(message, **values) if values else message


def mark() -> str:
    """The sign between a number and its decimals, as the lesson writes it."""
    return decimal(lesson())


def other(code: str, around: str) -> str:
    """The attribute of a part whose language is not that of what stands around it; or "".

    >>> other("de", "en"), other("en", "en")
    (' lang="de"', '')
    """
    return f' lang="{code}"' if code != around else ""


@lru_cache
def decimal(code: str) -> str:
    """The decimal sign of a language."""
    return str(table(code).get("number.decimal", "."))


@lru_cache
def table(code: str) -> dict[str, Message]:
    """All messages of a language by their names, those of lessons by their English."""
    messages: dict[str, Message] = {}
    for path in sorted(TABLES.iterdir(), key=lambda path: path.name):
        if path.name.endswith(".toml") and path.name.split(".")[0] == code:
            messages |= flat(tomllib.loads(path.read_text("utf-8")))
    return messages


def flat(tree: Mapping[str, Any], above: str = "") -> dict[str, Message]:
    """A table of tables as one, names joined by dots; a pair of one and other stays whole.

    >>> flat({"a": {"b": "x", "c": {"one": "y", "other": "z"}}})
    {'a.b': 'x', 'a.c': {'one': 'y', 'other': 'z'}}
    """
    messages: dict[str, Message] = {}
    for name, value in tree.items():
        if isinstance(value, dict) and set(value) != {"one", "other"}:
            messages |= flat(value, f"{above}{name}.")
        else:
            messages[above + joined(name)] = value
    return messages


def joined(text: str) -> str:
    """A text in one line, by which it is found however it is broken."""
    return " ".join(text.split()) if "\n" in text else text


class Numbers(string.Formatter):
    """Formats as `str.format` does, decimals with the sign of a language."""

    def __init__(self, code: str):
        self.code = code

    def format_field(self, value: Any, spec: str) -> str:
        """One value; per cent stand apart where a comma begins decimals."""
        text = str(super().format_field(value, spec))
        sign = decimal(self.code)
        if sign == "." or not isinstance(value, Real) or isinstance(value, Integral):
            return text
        return text.replace(".", sign).replace("%", "\u202f%")
