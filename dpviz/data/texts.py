"""A real text of any length and a public list of words for it; both come with Python.

The text is Python's own help, ``pydoc_data.topics``. It changes with Python's version, so only
facts that hold in each version may be stated about it.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

PUBLIC = [
    *("argparse", "ast", "calendar", "datetime", "difflib"),
    *("inspect", "pickle", "random", "statistics", "textwrap"),
]
RECORD = (
    "One record is one word of the manual, as it stands there: not its writer, not a page. "
    "Any string of letters may turn up."
)


@lru_cache
def manual() -> tuple[str, ...]:
    """The words of Python's help in order, in small letters: private records, as a lesson has it.

    >>> words = manual()
    >>> len(words) > 40_000, "the" in words
    (True, True)
    """
    from pydoc_data.topics import topics

    return tuple(word for topic in sorted(topics) for word in _words(topics[topic]))


def pairs() -> tuple[str, ...]:
    """Each two neighbouring words as one name, "a b".

    Where a record is a pair, neighbours differ in one pair; but one word of the text stands in two
    pairs, so hiding a word costs twice as much.

    >>> len(pairs()) == len(manual()) - 1
    True
    """
    words = manual()
    return tuple(f"{one} {two}" for one, two in pairwise(words))


@lru_cache
def vocabulary(size: int = 1000) -> tuple[str, ...]:
    """A public list of words: the commonest of ten source files that come with Python.

    It was made without a look at the manual. That the two are alike is luck, not knowledge.

    >>> len(vocabulary(100)), "self" in vocabulary(100)
    (100, True)
    """
    files = (Path(find_spec(name).origin) for name in PUBLIC)
    counts = Counter(word for path in files for word in _words(path.read_text(encoding="utf-8")))
    return tuple(word for word, _ in sorted(counts.items(), key=lambda p: (-p[1], p[0]))[:size])


def _words(text: str) -> list[str]:
    """Runs of letters, in small letters."""
    return re.findall(r"[a-z]+", text.lower())
