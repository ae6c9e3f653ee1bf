"""A real text, word by word, and a public list of words for it: the same for every Python.

Both were taken from Python 3.11.7 and are stored beside this module, since a later Python has
another manual and a small one has none. The text is Python's own help, in reading order; the list
was made from ten modules of its library. Licence of the words: PSF-2.0, see ``LICENSE-texts.txt``.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from dpviz import checks

RECORD = (
    "One record is one word of the manual, as it stands there: not its writer, not a page. "
    "Any string of letters may turn up."
)


def manual() -> tuple[str, ...]:
    """The first 50,000 words of Python's help in order, in small letters: the private records.

    >>> words = manual()
    >>> len(words), len(set(words)), words[:3]
    (50000, 2767, ('the', 'assert', 'statement'))
    """
    return _stored()["manual"]


def pairs() -> tuple[str, ...]:
    """Each two neighbouring words as one name, "a b".

    Where a record is a pair, neighbours differ in one pair; but one word of the text stands in two
    pairs, so hiding a word costs twice as much.

    >>> len(pairs()) == len(manual()) - 1
    True
    """
    return tuple(f"{one} {two}" for one, two in pairwise(manual()))


def vocabulary(size: int = 1000) -> tuple[str, ...]:
    """A public list of words, at most 1,000: the commonest of ten modules that come with Python.

    It was made without a look at the manual. That the two are alike is luck, not knowledge.

    >>> vocabulary(4)
    ('self', 'the', 'if', 'return')
    """
    words = _stored()["public"]
    return words[: checks.integer("size", size, at_least=1, at_most=len(words))]


@lru_cache
def _stored() -> dict[str, tuple[str, ...]]:
    """Both lists of words by their name."""
    text = Path(__file__).with_name("texts.jsonl").read_text(encoding="utf-8")
    rows = map(json.loads, text.splitlines())
    return {row["name"]: tuple(row["words"].split()) for row in rows}
