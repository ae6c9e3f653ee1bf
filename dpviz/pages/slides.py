"""Slides of a lesson's core, and after it the explorers of its further parts: one idea each.

Nothing is written for them. A slide shows the first words of a paragraph, a whole definition or
theorem, a picture, a step of "Why it works" beside its picture, the ten lines, what was printed, an
explorer or a player with what is asked of it, or a question; what happened stands on the slide
after the question. Everything else of the lesson's text is in the
speaker's notes of the slide to which it belongs: tables, asides, proofs (folded).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby, takewhile
from operator import itemgetter

from dpviz.lesson import BEGINS, CORE, TITLE, Cell, Lesson, picture_of, unfolded
from dpviz.pages import run as ran
from dpviz.pages.run import Piece
from dpviz.pages.text import prose
from dpviz.words import say

# What is not cut at its full stops: formulas, code, what is stressed, links.
WHOLE = re.compile(
    r"\$\$.+?\$\$|\$[^$]+?\$|`[^`]+`|\*\*.+?\*\*|(?<!\w)\*[^*\s][^*]*?\*|\[[^\]]*\]\([^)]*\)",
    re.DOTALL,
)
END = re.compile(r"(?<=[.!?\x01])\s+")
TOGETHER = 3  # first words of paragraphs on one slide
SHORT = 3  # lines of what was printed, which may stand below words, or below other lines
NAME = 30  # letters of a name, which needs a sentence
STEP = 600  # letters of a step of a proof, which needs its reason
ASKED = 200  # letters of what is asked above an explorer: the last words before it
MOST = (330, 240, 190)  # letters of a paragraph alone on its slide, of one of two, of three
FEW = 25  # words that fill no slide
LONG = 90  # signs of a display that stands in rows
SEEN = {"picture", "listing", "table", "instrument"}
TOLD = {"words", "stated", "listing"}
LINES, ROWS = 16, 10  # of what was printed, of a table: more cannot be read from afar


@dataclass
class Slide:
    """One slide.

    Attributes
    ----------
    kind : "title", "words", "step", "stated", "picture", "listing", "table", "instrument",
        "question" or "happened"
    heading : Markdown
    body : HTML; "" of an answer, to whose slide what it is about comes along from the one before
    said : Markdown of a sentence that stands above the body
    notes : Markdown of what is said
    """

    kind: str
    heading: str
    body: str
    said: str = ""
    notes: list[str] = field(default_factory=list)


def deck(lesson: Lesson, run: list[Piece]) -> list[Slide]:
    """The slides of one lesson: title, core, lessons, and the explorers that the core has not."""
    slides = Deck()
    slides.begin(lesson)
    beside_steps = {cell.section: still(lesson.within("why")) for cell in lesson.tagged("why")}
    aside = {"check", "result"}  # what happened is on the slide after its question
    pieces = [p for p in run if not p.cell.tags & aside]
    core = [p for p in pieces if CORE in p.cell.tags and p.cell.slide != "skip"]
    own = {p.cell.section for p in run if "ten-lines" in p.cell.tags}
    for piece in core:
        first = piece.cell.part == TITLE  # its words stand on the title's slide
        if first and piece.cell.is_text:
            continue
        slides.enter(lesson.title if first else piece.cell.part)
        if piece.cell.is_text:
            slides.read(piece.cell, beside_steps.get(piece.cell.section))
        else:
            if piece.cell.section in own and "hide-input" not in piece.cell.tags:
                slides.show("listing", ran.code(piece.cell.source))
            slides.add(piece)
    slides.flush()
    slides.end([cell.body for cell in lesson.within("lessons") if cell.is_text])
    for piece in pieces:
        if CORE not in piece.cell.tags and not piece.cell.is_text:
            notes = [cell.body for cell in beside(lesson, piece.cell)]
            for woken in piece.projected:
                if "dpviz-explorer" in woken:
                    slides.slides.append(Slide("instrument", piece.cell.part, woken, notes=notes))
    return slides.slides


def beside(lesson: Lesson, cell: Cell) -> list[Cell]:
    """The text before a cell of code, and what stands between it and the next heading or code."""
    before = list(takewhile(lambda other: other.is_text, reversed(lesson.cells[: cell.at])))
    after = takewhile(
        lambda other: other.is_text and not other.tags & set(BEGINS), lesson.cells[cell.at + 1 :]
    )
    return [*reversed(before), *after]


class Deck:
    """Slides in the making: ``waiting`` are paragraphs that have not found theirs."""

    def __init__(self) -> None:
        self.slides: list[Slide] = []
        self.waiting: list[str] = []
        self.heading = ""

    def begin(self, lesson: Lesson) -> None:
        """The title with its promise; what else introduces the lesson is said."""
        notes = [
            unfolded(cell.source)
            for cell in lesson.cells
            if cell.part == TITLE and cell.is_text and cell.slide in ("notes", "-")
        ]
        title = f"{lesson.name[:2]} {lesson.title}"
        self.slides.append(Slide("title", title, prose(lesson.promise), "", notes))

    def enter(self, part: str) -> None:
        """What follows stands in this part of the lesson."""
        if part != self.heading:
            self.flush()
            self.heading = part

    def end(self, texts: list[str]) -> None:
        """The first words of each of the lessons."""
        points = [point for text in texts for point in re.findall(r"^\* (.+)", text, re.MULTILINE)]
        if points:
            body = prose("\n".join(f"* {lead(point, MOST[-1] // 2)}" for point in points))
            self.slides.append(Slide("words", say("page.lessons"), body, "", texts))

    def read(self, cell: Cell, picture: str | None = None) -> None:
        """A cell of text: statements are slides, the answer to a question is said below it.

        With a picture, or "" for none, each point of a numbered list is a step beside it.
        """
        if cell.kind == "answer":
            self.unfold(cell.body)
        elif cell.kind == "statement":
            self.flush()
            self.slides.append(Slide("stated", self.heading, prose(rows(cell.body))))
        elif cell.kind == "proof":
            self.slides[-1].notes.append(cell.body)
        elif cell.slide == "notes":
            self.note(cell.body)
        else:
            for some in filter(None, map(str.strip, cell.body.split("\n\n"))):
                if picture is None or not some.startswith("1. "):
                    self.waiting.append(some)
                    continue
                before = self.waiting if words("".join(self.waiting)) <= FEW else []
                self.waiting = self.waiting[len(before) :]
                self.flush()
                said, notes = "\n\n".join(before), [*before]
                for step in re.split(r"\n(?=\d+\. )", some):
                    number, _, text = step.partition(" ")
                    body = prose(f"{number} {lead(text, STEP)}") + picture
                    self.slides.append(Slide("step", self.heading, body, said, [*notes, text]))
                    said, notes = "", []

    def unfold(self, block: str) -> None:
        """The answer to the question on the last slide."""
        last = self.slides[-1]
        inside = re.sub(r"</?details>|<summary>.*?</summary>", "", block).strip()
        last.said = lead(inside.split("\n\n")[0])
        last.notes.append(inside)

    def note(self, text: str) -> None:
        """What is not shown: with the paragraphs that wait, or of the last slide."""
        if self.waiting:
            self.waiting[-1] += f"\n\n{text}"
        else:
            self.slides[-1].notes.append(text)

    def flush(self) -> None:
        """Paragraphs that wait become slides of their first words, or one of them a picture's."""
        waiting = self.waiting
        self.waiting = []
        last = self.slides[-1]
        if len(waiting) == 1 and last.kind in SEEN and not last.said:
            last.said = lead(waiting[0])
            last.notes += waiting
            return
        few = lead(waiting[0], MOST[0]) if len(waiting) == 1 else ""
        if 0 < words(few) <= FEW and last.body and last.kind in {"stated", *SEEN}:
            if last.kind == "stated":
                last.body += prose(few)
                last.notes += waiting
            else:  # the answer: what was asked about comes along to its slide
                self.slides.append(Slide(last.kind, self.heading, "", few, waiting))
            return
        for at in range(0, len(waiting), TOGETHER):
            some = waiting[at : at + TOGETHER]
            text = "\n\n".join(lead(each, MOST[len(some) - 1]) for each in some)
            self.slides.append(Slide("words", self.heading, prose(text), "", some))

    def show(self, kind: str, body: str) -> None:
        """Something to look at; a single paragraph that waits is said above it.

        What is asked of an explorer or a player stands in the last words before it.
        """
        keep = 1 if kind == "instrument" else len(self.waiting) == 1
        notes = self.waiting[len(self.waiting) - keep :] if self.waiting else []
        self.waiting = self.waiting[: len(self.waiting) - len(notes)]
        self.flush()
        last = self.slides[-1]
        if kind == "listing" and not notes and last.kind in TOLD and short(last.body, body):
            last.body += body
            return
        sentence = ""
        if notes and kind == "instrument":
            sentence = last_words(notes[0], ASKED)
        elif notes:
            sentence = lead(notes[0], MOST[0] if kind == "question" else MOST[-1])
        self.slides.append(Slide(kind, self.heading, body, sentence, notes))

    def add(self, piece: Piece) -> None:
        """What a cell of code showed."""
        figures = iter(piece.figures)
        for kind, some in groupby(ran.outputs(piece), key=itemgetter(0)):
            contents = [each for _, each in some]
            if kind == "text":
                self.print("".join(contents))
                continue
            for each in contents:
                if kind == "instrument":
                    self.wake(piece, int(each))
                elif kind == "picture":
                    self.show("picture", next(figures, each))
                elif kind == "html":
                    self.show("table", each)
                else:
                    self.mark(each)

    def print(self, told: str) -> None:
        """What was printed, if it is not too long."""
        if told.strip() and told.count("\n") <= LINES:
            self.show("listing", f"<pre>{html.escape(told.rstrip())}</pre>")

    def mark(self, told: str) -> None:
        """Source, or a table that is not too long."""
        if told.startswith("```"):
            self.show("listing", prose(told))
        elif told.count("\n") <= ROWS:
            self.show("table", prose(told))
        else:
            self.flush()

    def wake(self, piece: Piece, at: int) -> None:
        """An explorer or a player; or a question, and what happened."""
        one = piece.instruments[at]
        if not ran.asks(one):
            self.show("instrument", piece.projected[at])
            return
        ran.use(one)
        choices = getattr(one.answer, "options", ())
        listed = "".join(f"<li>{html.escape(word)}</li>" for word in choices)
        text = f"{one.question}<ul>{listed}</ul>" if listed else one.question
        question = f'<section class="exercise"><div>{text}</div>{ran.judge(one)}</section>'
        self.show("question", question)
        solution = re.sub(r"</?details>|<summary>.*?</summary>", "", one.solution)
        answer = f"<div>{solution}</div>"
        kind, happened = ("happened", one.held) if one.held else ("solution", answer)
        summary = f"<summary>{say(f'exercise.{kind}')}</summary>"
        folded = f'<details class="held">{summary}{happened}</details>'
        if not re.search("<(img|table|pre)", happened):  # its question again: few words alone
            folded = f'<section class="exercise"><div>{one.question}</div></section>{folded}'
        notes = [one.solution] if one.held else []
        self.slides.append(Slide("happened", self.heading, folded, "", notes))


def rows(statement: str) -> str:
    r"""A statement whose long displays stand in rows, cut where their parts are apart.

    >>> rows(r"So $$a=1,\qquad b=2.$$") == r"So $$a=1,\qquad b=2.$$"
    True
    >>> rows("a" * 90 + r",\qquad b=2.").count("$$"), rows(rf"$${'a' * 90}\qquad b$$").count("$$")
    (0, 4)
    """

    def cut(found: re.Match[str]) -> str:
        parts = found[1].split(r"\qquad")
        whole = all(part.count("{") == part.count("}") for part in parts)
        if len(found[1]) < LONG or not whole:
            return found[0]
        return "\n".join(f"$${part.strip()}$$" for part in parts)

    return re.sub(r"\$\$(.+?)\$\$", cut, statement, flags=re.DOTALL)


def short(above: str, below: str) -> bool:
    """Whether what was printed has room below what stands above it."""
    return below.count("\n") < SHORT and above.count("\n") < LINES


def words(text: str) -> int:
    """How many words a text has; a formula is one.

    >>> words("At $n = 2$ it is **so**."), words("")
    (5, 0)
    """
    return len(re.sub(r"\$[^$]+\$", "x", text).split())


def still(cells: Iterable[Cell]) -> str:
    """The first stored picture of some cells; "" if there is none."""
    stored = (picture_of(output) for cell in cells for output in cell.outputs)
    return next(filter(None, stored), "")


def lead(paragraph: str, most: int = MOST[-1]) -> str:
    """The first sentence of a paragraph, and as many of the next as there is room for.

    >>> lead("**Two ways.** Here one record is *replaced*. Others add or remove it.", most=50)
    '**Two ways.** Here one record is *replaced*.'
    >>> lead("It is $a. b$, and this is long enough to be shown alone. No.", most=58)
    'It is $a. b$, and this is long enough to be shown alone.'
    """
    paragraph = paragraph.partition("\n\n")[0]
    points = re.split(r"\n(?=\* |\d+\. )", paragraph)
    if re.match(r"(\*|\d+\.) ", paragraph):
        return "\n".join(
            re.sub(r"^(\S+ )(.*)", lambda m: m[1] + lead(m[2], MOST[-1] // 2), p, flags=re.DOTALL)
            for p in points
        )
    text, *others = sentences(paragraph)
    for more in others:
        if len(text) > NAME and len(text) + len(more) > most:
            break
        text = f"{text} {more}"
    return text


def last_words(paragraph: str, most: int) -> str:
    """The last sentence of a paragraph, and as many before it as there is room for.

    >>> last_words("Below are records. Each counts. **Drag one.** What moves?", most=30)
    '**Drag one.** What moves?'
    """
    *others, text = sentences(paragraph)
    for more in reversed(others):
        if len(text) + len(more) > most:
            break
        text = f"{more} {text}"
    return text


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph; formulas, code and what is stressed are not cut.

    >>> sentences("It is $a. b$. So **press it. Then** stop.")
    ['It is $a. b$.', 'So **press it. Then** stop.']
    """
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        ends = found[0].rstrip("*$ ")[-1:] in ".!?" and found[0][0] in "*$"
        return f"\x02{len(kept) - 1}\x02" + "\x01" * ends

    cut = END.split(WHOLE.sub(keep, paragraph))
    return [
        re.sub("\x02(\\d+)\x02", lambda found: kept[int(found[1])], one).replace("\x01", "")
        for one in cut
    ]


def body(slides: list[Slide]) -> str:
    """All slides as sections of a page."""
    return "\n".join(section(slide, at) for at, slide in enumerate(slides, start=1))


def section(slide: Slide, at: int) -> str:
    """One slide; ``at`` is its number, from 1."""
    heading = prose(slide.heading).removeprefix("<p>").removesuffix("</p>")
    sentence = f'<div class="said-first">{prose(slide.said)}</div>' if slide.said else ""
    notes = prose("\n\n".join(slide.notes)) if slide.notes else ""
    notes_part = f'<div class="notes">{notes}</div>' if notes else ""
    front = f'<h1>{heading}</h1>{sentence}<div class="body">{slide.body}</div>'
    kind = f"slide is-{slide.kind}"
    return f'<section class="{kind}" id="s{at}"><div class="on">{front}</div>{notes_part}</section>'
