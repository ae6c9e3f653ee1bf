"""An exam as two pages to print: the sheet, and apart from it the solutions with their marks."""

from __future__ import annotations

import html
import re
from pathlib import Path

from dpviz import files
from dpviz.exams.exam import Exam, draw_exam
from dpviz.exams.question import LEVELS, Question
from dpviz.pages.text import prose
from dpviz.words import SOURCE, interface, say, spoken

FOLDER = Path("exam")
POWER = re.compile(r"\^\(((?:[^()]|\([^()]*\))*)\)|\^([\w.]+)")
STYLE = (Path(__file__).parent / "exam.css").read_text("utf-8")


def ask(folder: Path | None, lessons: list[str], level: int, seed: int | None) -> None:
    """Draw an exam, write both pages into a folder, and say where they are."""
    exam = draw_exam(lessons, level, seed)
    target = folder or FOLDER
    with spoken(SOURCE):  # as the questions are
        pages = {"sheet.html": sheet(exam), "solutions.html": solutions(exam)}
    files.write(target, pages, "an exam")
    print(f"Open {target / 'sheet.html'} in a browser and print it; {exam.marks} marks.")
    print(f"The solutions, with the seed, are {target / 'solutions.html'}.")


def sheet(exam: Exam) -> bytes:
    """What is handed out: questions and marks, and room for the answers."""
    asked = "".join(
        f"<section>{_question(number, lesson, question)}<div class='room'></div></section>\n"
        for number, (lesson, question) in enumerate(exam.questions, 1)
    )
    names = f"<span>{say('exam.name')}</span><span>{say('exam.number')}</span>"
    return _page(exam, f"<p class='name'>{names}</p>\n{asked}", say("exam.title"))


def solutions(exam: Exam) -> bytes:
    """The questions again, the steps of their solutions with marks, and the seed."""
    solved = "".join(
        f"<section>{_question(number, lesson, question)}{_steps(question)}</section>\n"
        for number, (lesson, question) in enumerate(exam.questions, 1)
    )
    command = (
        f"dpviz exam --lessons {' '.join(exam.lessons)} --level {exam.level} --seed {exam.seed}"
    )
    again = f"{say('exam.again')} <code>{html.escape(command)}</code>"
    return _page(exam, f"{solved}<p class='seed'>{again}</p>", say("exam.solutions"))


def _question(number: int, lesson: str, question: Question) -> str:
    heading = f"<h2>{number} <small>{say('exam.lesson', lesson=lesson)}</small></h2>"
    marks = say("exam.marks", count=question.marks)
    return f"<p class='marks'>{marks}</p>{heading}{raised(question.asked)}"


def raised(text: str) -> str:
    """A text as HTML, its exponents raised."""
    return POWER.sub(lambda found: f"<sup>{found[1] or found[2]}</sup>", prose(text))


def _steps(question: Question) -> str:
    steps = "".join(
        f"<li><span class='marks'>{step.marks}</span>{raised(str(step))}</li>"
        for step in question.steps
    )
    return f"<ol>{steps}</ol>"


def _page(exam: Exam, body: str, title: str) -> bytes:
    level = {"level": exam.level, "words": LEVELS[exam.level]}
    which = say("exam.which", lessons=", ".join(exam.lessons), **level)
    return (
        f'<!doctype html>\n<html lang="{interface()}">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="{files.MARK}">\n<title>{title}</title>\n'
        f"<style>{STYLE}</style>\n<main>\n<h1>{title}</h1>\n"
        f"<p>{which} {say('exam.marks', count=exam.marks)}.</p>\n{body}</main>\n</html>\n"
    ).encode()
