"""What its reader has done, on pages without Python: filled by `record.js` from what it keeps."""

from __future__ import annotations

from dpviz.pages.sheet import page

NAME = "done.html"
PARTS = ("record", "from_disk")  # of a page that keeps its reader's answers
APART = (
    "Most browsers share this list among all pages that were opened from disk. One that keeps each "
    "page apart shows only in a lesson itself what was answered there."
)


def section() -> str:
    """Where the lists are put; without a script it says what they are for."""
    from dpviz.exercises.done import KEPT
    from dpviz.exercises.record import LESSONS

    names = " ".join(LESSONS)
    return f'<section class="done" data-lessons="{names}">{KEPT}<div class="all"></div></section>'


def written() -> str:
    """The page of all lessons."""
    words = f"<h1>What you have done</h1>{section()}<p>{APART}</p>"
    return page("What you have done", words, parts=PARTS)
