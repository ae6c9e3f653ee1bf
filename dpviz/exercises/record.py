"""What a reader answered, kept beside the lessons in one small file that is never sent anywhere.

Of each question it holds what was answered with what was said to it, whether the answer was waived,
and a mark of the reader's own: no name, no place, no time. Readable pages write the same file
(`pages/record.js`), a lab in a page keeps it in the browser's storage.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from dpviz.exercises.answers import RIGHT
from dpviz.files import replace
from dpviz.words import lesson, say

FILE = "dpviz-answers.json"
FORMAT = "dpviz answers"
VERSION = 1
MARKS = ("", "done", "to do again")
LONGEST, MOST = 300, 100  # characters of a kept text; answers kept of one question
LARGEST = 5_000_000  # characters of a file
# The lessons' folders in the order of their numbers, 00 to 09.
LESSONS = ("start", "privacy", "learner", "distance", "embedding", "sparse", "smooth", "cluster")
LESSONS += ("fat_shattering", "compare")

Entry = dict[str, Any]
Entries = dict[str, Entry]  # by the name of the question


def packed(entries: Entries) -> str:
    """The text of a file.

    >>> unpacked(packed({}))
    {}
    """
    record = {FORMAT: VERSION, "entries": entries}
    return json.dumps(record, ensure_ascii=False, indent=1)


def unpacked(text: str) -> Entries:
    """What a file holds.

    Raises ValueError if it is no such file, is of another version or is damaged.
    """
    try:
        record = json.loads(text if len(text) <= LARGEST else "")
    except (ValueError, RecursionError):
        raise ValueError(say("record.damaged")) from None
    if not isinstance(record, dict) or FORMAT not in record:
        raise ValueError(say("record.foreign"))
    if record[FORMAT] != VERSION:
        form = str(record[FORMAT])[:20]
        raise ValueError(say("record.version", form=form, version=VERSION))
    entries = record.get("entries")
    if not (isinstance(entries, dict) and all(map(_whole, entries.values()))):
        raise ValueError(say("record.other"))
    return entries


def _whole(entry: object) -> bool:
    """Whether it is what :func:`blank` began."""
    if not isinstance(entry, dict) or set(entry) != set(blank("", False)):
        return False
    pairs = entry["tries"] if isinstance(entry["tries"], list) else [None]
    flags = (entry["prediction"], entry["waived"])
    return (
        all(isinstance(flag, bool) for flag in flags)
        and isinstance(entry["question"], str)
        and entry["mark"] in MARKS
        and all(isinstance(p, list) and len(p) == 2 for p in pairs)
        and all(isinstance(text, str) for pair in pairs for text in pair)
    )


def blank(question: str, prediction: bool) -> Entry:
    """A question to which nothing was answered."""
    return {
        "question": question,
        "prediction": prediction,
        "tries": [],
        "waived": False,
        "mark": "",
    }


def short(text: str) -> str:
    """A text in one line, as long as is kept."""
    text = " ".join(text.split())[:LONGEST]
    return text.encode("utf-8", "replace").decode()


def solved(entry: Entry) -> bool:
    """Whether a right answer was given at last."""
    return any(said == RIGHT for _, said in entry["tries"])


class Record:
    """The file of one folder; each change reads it anew, for other lessons write it too.

    Parameters
    ----------
    path : the file; it is made by the first answer

    Attributes
    ----------
    problem : a sentence about what could not be read or written; "" if all is well
    watchers : what is called after a change
    """

    def __init__(self, path: Path):
        self.path = path
        self.problem = ""
        self.watchers: list[Callable[[], object]] = []
        self._waiting: list[Callable[[Entries], object]] = []

    def entries(self) -> Entries:
        """What was answered so far, also what could not be written yet."""
        try:
            record = self._read()
        except (OSError, ValueError) as problem:
            self.problem = f"{self.path.name} {_said(problem)}."
            record = {}
        for change in self._waiting:
            change(record)
        return record

    def tried(self, asked: Any, given: str, said: str) -> None:
        """An answer and what was said to it; the same one twice is one."""
        kept = [short(given), short(said)]

        def change(entries: Entries) -> None:
            tries = _entry(entries, asked)["tries"]
            if tries[-1:] != [kept]:
                tries[:] = [*tries[: MOST - 1], kept]

        self._change(change, asked)

    def waived(self, asked: Any) -> None:
        """The answer was shown without a prediction."""

        def change(entries: Entries) -> None:
            entry = _entry(entries, asked)
            entry["waived"] = entry["waived"] or not entry["tries"]

        self._change(change, asked)

    def mark(self, name: str, mark: str) -> None:
        """A reader's own mark of a question, one of ``MARKS``.

        Raises ValueError if the mark is none of these, or nothing was answered to the question.
        """
        if mark not in MARKS or name not in self.entries():
            raise ValueError(f"{mark!r} is none of {MARKS}, or {name!r} was not answered")
        self._change(lambda entries: entries.get(name, {}).update(mark=mark))

    def erase(self) -> None:
        """Forget everything: the file goes."""
        self._waiting = []
        self.problem = ""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as problem:
            self.problem = say("record.unerased", file=self.path.name, why=_said(problem))
        self._tell()

    def _change(self, change: Callable[[Entries], object], asked: Any = None) -> None:
        if asked is not None and not asked.name:
            return
        self._waiting.append(change)
        self.problem = ""
        try:
            self._write()
        except OSError as problem:
            self.problem = say("record.unkept", file=self.path.name, why=_said(problem))
        self._tell()

    def _tell(self) -> None:
        for watch in self.watchers:
            watch()

    def _write(self) -> None:
        """Apply what waits; a file that cannot be read is put aside, never overwritten."""
        try:
            entries = self._read()
        except ValueError as problem:
            names = {"file": self.path.name, "aside": self._aside()}
            self.problem = say("record.aside", why=problem, **names)
            entries = {}
        before = packed(entries)
        for change in self._waiting:
            change(entries)
        if packed(entries) != before:
            replace(self.path, packed(entries).encode())
        self._waiting = []

    def _read(self) -> Entries:
        try:
            return unpacked(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except UnicodeDecodeError:
            raise ValueError(say("record.damaged")) from None

    def _aside(self) -> str:
        """Rename the file to a name that is free."""
        names = (f"{self.path.stem}-unread-{i}.json" for i in range(1, 1000))
        free = next(name for name in names if not self.path.with_name(name).exists())
        self.path.rename(self.path.with_name(free))
        return free


def _entry(entries: Entries, asked: Any) -> Entry:
    """The entry of an exercise, begun where there is none."""
    return entries.setdefault(
        asked.name, blank(plain(asked.question), bool(asked.held) or asked.asked)
    )


def plain(question: str) -> str:
    """The words of a question in HTML.

    >>> plain("<b>Predict.</b> Is 1 &lt; 2?")
    'Predict. Is 1 < 2?'
    """
    return short(html.unescape(re.sub(r"<[^>]+>", "", question)))


def _said(problem: Exception) -> str:
    """What went wrong, without the path, which is nobody's business."""
    return getattr(problem, "strerror", None) or str(problem)


@lru_cache
def here() -> Record:
    """The record of the lessons' folder, in which this kernel was started, or in one below it.

    A translated lesson stands in a folder named after its language, and asks the same questions.
    """
    folder = Path.cwd()
    return Record((folder.parent if folder.name == lesson() else folder) / FILE)
