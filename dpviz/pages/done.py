"""What its reader has done, on pages without Python: filled by `record.js` from what it keeps."""

from __future__ import annotations

from dpviz.pages.sheet import page
from dpviz.words import say

PARTS = ("record", "from_disk")  # of a page that keeps its reader's answers


def section() -> str:
    """Where the lists are put; without a script it says what they are for."""
    from dpviz.exercises.done import kept
    from dpviz.exercises.record import LESSONS

    names = " ".join(LESSONS)
    return f'<section class="done" data-lessons="{names}">{kept()}<div class="all"></div></section>'


def written() -> str:
    """The page of all lessons."""
    title = say("done.title")
    words = f"<h1>{title}</h1>{section()}<p>{say('done.apart')}</p>"
    return page(title, words, parts=PARTS)
