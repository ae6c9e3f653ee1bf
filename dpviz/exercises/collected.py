"""Answers of many readers in one table, and a picture: which prediction went wrong how often.

Each reader hands in the file that the lessons keep (`dpviz.exercises.record`). A file that is
damaged or of another version is named and left out; the others are counted. What a question asks,
and whether it is a prediction, the package says, not a file.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import shorten

from matplotlib.axes import Axes

from dpviz.drawing import style
from dpviz.exercises.answers import RIGHT, readings
from dpviz.exercises.record import LESSONS, Entries, Entry, plain, short, solved, unpacked

HEAD = ("lesson", "question", "kind", "text", "answer", "right", "said", "readers", "at first")
ROW, BESIDE = 0.38, 1.3  # in: of a question in the picture, of all else
DARK, PALE = 0.6, 0.12  # shares of ink
# Exercises that hold something back beside those whose names say that they are predictions.
PREDICTIONS = ("privacy.smallest_total", "sparse.pick_winner")
SMALL, LETTERS = 8.2, 110  # pt and letters of a question


@dataclass
class Asked:
    """One question, with what all readers answered.

    Attributes
    ----------
    name, text, prediction : the question's name, its text, and whether something was held back
    first, ever : readers who gave an answer first, or at all; by the answer and what was said
    readers, solved, waived : how many answered, were right at last, and asked to be shown
    """

    name: str
    text: str
    prediction: bool
    first: Counter[tuple[str, str]] = field(default_factory=Counter)
    ever: Counter[tuple[str, str]] = field(default_factory=Counter)
    readers: int = 0
    solved: int = 0
    waived: int = 0

    def add(self, entry: Entry) -> None:
        """Count one reader."""
        given = [(alike(given, said), said) for given, said in entry["tries"]]
        self.waived += entry["waived"]
        self.readers += bool(given)
        self.solved += solved(entry)
        self.first.update(given[:1])
        self.ever.update(set(given))

    @property
    def lesson(self) -> str:
        """Number and folder of the lesson, e.g. "00 start"."""
        folder = self.name.partition(".")[0]
        return f"{LESSONS.index(folder):02} {folder}"

    @property
    def wrong_at_first(self) -> int:
        """Readers whose first answer was wrong."""
        return sum(count for (_, said), count in self.first.items() if said != RIGHT)

    def wrong(self) -> list[tuple[str, int]]:
        """Wrong answers, each with its readers, the most frequent first."""
        counted: Counter[str] = Counter()
        for (given, said), count in self.ever.items():
            if said != RIGHT:
                counted[said if given == "a function" else given] += count
        return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))


def alike(given: str, said: str) -> str:
    """An answer so that equal numbers are equal answers, however they were written.

    >>> alike("½", "Why?"), alike("0.50", "Why?"), alike("about 2", "Why?")
    ('0.5', '0.5', 'about 2')
    """
    numbers = readings(given)
    return f"{numbers[0]:.6g}" if len(numbers) == 1 else given


def told(files: Sequence[Path], table: Path | None, picture: Path | None) -> Iterator[str]:
    """The table of what was answered in files, line by line.

    Parameters
    ----------
    table : where every answer is written with its number of readers, as CSV
    picture : where the picture of the predictions is written, as PNG

    Raises ValueError if no file can be read, or ``table`` or ``picture`` cannot be written.
    """
    records, left_out = read(files)
    yield f"Files of answers read: {len(records)}; left out: {len(left_out)}."
    yield from (f"  left out: {name} {why}." for name, why in left_out)
    if not records:
        raise ValueError("none of the files holds answers that can be counted")
    questions = collect(records)
    if unknown := {name for entries in records for name in entries if not question(name)}:
        yield f"Questions that no lesson of this version asks: {len(unknown)}; not counted."
    lesson = ""
    for asked in questions:
        if asked.lesson != lesson:
            lesson = asked.lesson
            yield f"\n{lesson}"
        yield from lines(asked)
    try:
        if table:
            write_table(table, questions)
            yield f"\nEvery answer with its number of readers: {table}"
        if picture:
            picture.write_bytes(figure_predictions(questions, readers=len(records)).png())
            yield f"\nWhich prediction went wrong how often: {picture}"
    except OSError as problem:
        raise ValueError(f"cannot be written: {problem}") from problem


def lines(asked: Asked) -> Iterator[str]:
    """A question in the table."""
    yield f"  {cut(asked.text, 96)}  [{asked.name.partition('.')[2]}]"
    right = asked.readers - asked.wrong_at_first
    words = f"answered {asked.readers}, right at first {right}, right at last {asked.solved}"
    yield f"      {words}" + (f", shown without an answer {asked.waived}" if asked.waived else "")
    wrong = [f"{cut(given, 60)!r} {count}" for given, count in asked.wrong()]
    if wrong:
        yield f"      wrong: {', '.join(wrong)}"


def cut(text: str, letters: int) -> str:
    """The first words of a text."""
    return shorten(text, letters, placeholder=" ...")


def read(files: Sequence[Path]) -> tuple[list[Entries], list[tuple[str, str]]]:
    """What files hold; and of those that cannot be counted, the path and why; none counts twice."""
    records = []
    left_out = []
    for path in {path.resolve(): path for path in files}.values():
        try:
            entries = unpacked(path.read_text("utf-8"))
        except UnicodeDecodeError:
            left_out.append((str(path), "is damaged, or no file of answers"))
        except OSError as problem:
            left_out.append((str(path), f"cannot be read: {problem.strerror}"))
        except ValueError as problem:
            left_out.append((str(path), str(problem)))
        else:
            records.append(entries)
    return records, left_out


def collect(found: Sequence[Entries]) -> list[Asked]:
    """All questions of the lessons that anybody met, lesson by lesson."""
    questions: dict[str, Asked] = {}
    for name, entry in (pair for entries in found for pair in entries.items()):
        if not (known := question(name)):
            continue
        asked = questions.setdefault(name, Asked(name, *known))
        asked.add({**entry, "tries": [tuple(map(printable, pair)) for pair in entry["tries"]]})
    return sorted(questions.values(), key=lambda asked: asked.lesson)


@cache
def question(name: str) -> tuple[str, bool] | None:
    """What a question asks, and whether it is a prediction; None if no lesson asks it.

    >>> question("start.half_the_noise")
    ('E1, change. Which ε halves the noise of ε = 0.5?', False)
    """
    lesson, _, maker = name.partition(".")
    if lesson not in LESSONS:
        return None
    make = getattr(import_module(f"dpviz.lessons.{lesson}.exercises"), maker, None)
    if not hasattr(make, "asks"):
        return None
    return plain(make().question), maker.startswith("predict_") or name in PREDICTIONS


def printable(text: str) -> str:
    """A text from somebody's file, without what steers a terminal."""
    return "".join(letter for letter in short(text) if letter.isprintable())


def write_table(path: Path, questions: Sequence[Asked]) -> None:
    """Every answer with its readers, as CSV; a text that a spreadsheet would run is quoted."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(HEAD)
        for asked in questions:
            kind = "prediction" if asked.prediction else "exercise"
            for (given, said), count in sorted(asked.ever.items()):
                words = [asked.lesson, asked.name, kind, asked.text, given]
                right = "yes" if said == RIGHT else "no"
                counts = (count, asked.first[given, said])
                rows.writerow([*map(quoted, words), right, quoted(said), *counts])


def quoted(text: str) -> str:
    """A text that no spreadsheet takes for a formula.

    >>> quoted("=1+1"), quoted("-3"), quoted("0.5")
    ("'=1+1", '-3', '0.5')
    """
    return f"'{text}" if text[:1] in "=+-@" and text and len(readings(text)) != 1 else text


def figure_predictions(questions: Sequence[Asked], readers: int) -> style.Figure:
    """How many readers were wrong at first, right at first, or shown each prediction's answer.

    Parameters
    ----------
    questions : those of :func:`collect`; readers : how many files were read

    Raises ValueError if no prediction was answered or waived.
    """
    rows = [asked for asked in questions if asked.prediction and asked.readers + asked.waived]
    if not rows:
        raise ValueError("no prediction was answered, so there is nothing to draw")
    worst = max(rows, key=lambda asked: asked.wrong_at_first / max(asked.readers, 1))
    share = worst.wrong_at_first / max(worst.readers, 1)
    alt = (
        f"{len(rows)} predictions, a bar of readers each: dark wrong at first, pale right. Most "
        f"often wrong: {share:.0%} of {worst.readers}, {cut(worst.text, 130)}"
    )
    fig, ax = style.figure(
        "Which predictions went wrong",
        f"{readers} readers by first answer; dark: wrong, pale: right, white: shown without one",
        alt=alt,
        height=(BESIDE + ROW * len(rows)) / style.MODES["notebook"].height,
        gutter=False,
        grid=False,
    )
    for i, asked in enumerate(rows):
        draw_row(ax, i, asked)
    most = max(asked.readers + asked.waived for asked in rows)
    style.linear_axis(ax, "x", 0, 1.22 * most, sorted({0, most // 2, most}))
    style.linear_axis(ax, "y", len(rows) - 0.3, -0.7, [])
    style.axis_titles(ax, "readers", "")
    return fig


def draw_row(ax: Axes, row: int, asked: Asked) -> None:
    """A bar with its question above it and its readers at its end."""
    ink = style.ROLES["truth"].colour
    right = asked.readers - asked.wrong_at_first
    at = 0
    for count, fill in ((asked.wrong_at_first, DARK), (right, PALE), (asked.waived, 0.0)):
        look = {"fc": style.tint("truth", fill), "ec": ink, "lw": 0.6, "height": 0.36}
        ax.barh(row + 0.2, count, left=at, **look)
        at += count
    if asked.readers:
        caption = f" {asked.wrong_at_first} of {asked.readers} wrong"
        ax.text(at, row + 0.2, caption, va="center", color=style.MUTED, fontsize=SMALL)
    words = cut(asked.text.removeprefix("Predict. "), LETTERS)
    ax.text(0, row - 0.06, f"{asked.lesson[:2]}  {words}", color=style.INK, fontsize=SMALL)
