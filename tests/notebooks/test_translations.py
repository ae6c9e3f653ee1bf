"""A translated lesson says what the English one says: cells, code, numbers, right answers."""

import ast
import html
import importlib
import inspect
import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from dpviz import lesson as lessons
from dpviz.exercises.answers import Number, Numbers, Pick
from dpviz.exercises.formulas import Formula, Order
from dpviz.words import SOURCE, languages, spoken

FOLDER = Path(__file__).parents[2] / "notebooks"
PATHS = lessons.translations(FOLDER)
MAKER = {"00_start": "start"}
# The sheets of symbols stand in English only, and are linked; lists of titles are English there.
LEFT_OUT = {"00_start": (61, 62, 63, 64)}
ENGLISH = {"00_start": (57,)}
LEFT = re.compile(r"\b(?:the|of|is|are|and|with|what|which|how|by|from|to|at|each|this|it)\b")
DRAWN = re.compile(r"<text\b[^>]*>([^<]*)<")
TELLS = ("stream", "text/plain", "text/markdown")


@pytest.fixture(params=PATHS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def path(request):
    """A translated lesson."""
    return request.param


@cache
def pairs(path):
    """Each cell of a translation with its original."""
    original = lessons.read(FOLDER / path.name).cells
    kept = [cell for cell in original if cell.at not in LEFT_OUT[path.stem]]
    return list(zip(kept, lessons.read(path).cells, strict=True))


def numbers(text, code=SOURCE):
    """All numbers of a text, as English writes them; thousands may be parted."""
    text = re.sub(r"\]\([^)]*\)", "]", text).replace("\u202f", "").replace("{,}", ".")
    grouped, decimal = (r"(\d),(\d{3})\b", r"\1\2"), (r"(\d),(\d)", r"\1.\2")
    text = re.sub(*(grouped if code == SOURCE else decimal), text)
    return sorted(re.findall(r"\d+(?:\.\d+)?", text))


def told(cell):
    """What a cell has put out: text, tables, and what stands in its pictures."""
    data = [{"stream": output.get("text", ""), **output.get("data", {})} for output in cell.outputs]
    texts = [lessons.joined(each[kind]) for each in data for kind in TELLS if kind in each]
    pages = (html.unescape(unquote(lessons.joined(each.get("text/html", "")))) for each in data)
    return "\n".join([*texts, *(text for page in pages for text in DRAWN.findall(page))])


def program(source):
    """A cell's code without its words, and without what chooses the language."""
    tree = ast.parse(source)
    tree.body = [node for node in tree.body if "words" not in ast.unparse(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
        if isinstance(node, ast.JoinedStr):
            node.values = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    return ast.unparse(tree)


def test_german_lesson_00_is_there():
    assert [path.relative_to(FOLDER).as_posix() for path in PATHS] == ["de/00_start.ipynb"]
    assert languages() == ["de", "en"]


def test_it_says_its_language_to_tools_and_to_its_kernel(path):
    code = path.parent.name
    assert lessons.read(path).language == code
    first = next(cell for _, cell in pairs(path) if not cell.is_text)
    assert f'words.use("{code}")' in first.source
    assert {lessons.read(book).language for book in lessons.paths(FOLDER)} == {SOURCE}


def test_it_has_the_cells_and_the_code_of_the_original(path):
    for ours, theirs in pairs(path):
        assert (ours.tags, ours.stored["cell_type"]) == (theirs.tags, theirs.stored["cell_type"])
        assert ours.slide == theirs.slide
        if ours.is_text:
            assert ours.source != theirs.source, theirs.at
        elif ours.at not in ENGLISH[path.stem]:
            assert program(ours.source) == program(theirs.source), theirs.at


def test_its_numbers_are_those_of_the_original(path):
    code, compared = path.parent.name, 0
    for ours, theirs in pairs(path):
        if ours.is_text:
            assert numbers(ours.source) == numbers(theirs.source, code), theirs.at
        elif ours.at not in ENGLISH[path.stem]:
            assert numbers(told(ours)) == numbers(told(theirs), code), theirs.at
        compared += len(numbers(ours.source if ours.is_text else told(ours)))
    assert compared > 250


def test_nothing_that_it_shows_is_left_in_english(path):
    for original, cell in pairs(path):
        shown = "".join(
            lessons.joined(o.get("data", {}).get("text/html", "")) for o in cell.outputs
        )
        text = html.unescape(re.sub(r"(?s)<(style|script|pre|code)\b.*?</\1>|<[^>]*>", " ", shown))
        text = text.replace("Run > Run All Above Selected Cell", "")  # JupyterLab's menu
        if cell.is_text:  # titles of books are in italics
            text = re.sub(r"(?m)^\* |\*[^*\n]+\*|`[^`]*`", "", cell.source)
        assert original.at in ENGLISH[path.stem] or LEFT.findall(text) == [], cell.at


def test_a_planted_difference_is_seen():
    assert numbers("0,697 und $0{,}731$, 5000", "de") == numbers("0.697 and 0.731, 5,000")
    assert numbers("0,698", "de") != numbers("0.697")
    assert program('print(f"a {x:.2f}")') == program('print(f"b {x:.2f}")')
    assert program("x = 1") != program("x = 2")
    assert LEFT.findall("der Wert of the Daten") == ["of", "the"]


def rules(answer):
    """What is right by a question, without its words."""
    if isinstance(answer, Pick):
        return list(answer.options).index(answer.right), len(answer.options)
    if isinstance(answer, Number):
        return answer.value, answer.within, list(answer.slips)
    if isinstance(answer, Formula | Order | Numbers):
        return answer.right, answer.wrong
    parts = getattr(answer, "parts", {})
    return [rules(part) for part in parts.values()] or answer.right


def test_the_same_answers_are_right(path):
    module = importlib.import_module(f"dpviz.lessons.{MAKER[path.stem]}.exercises")
    makers = [make for _, make in inspect.getmembers(module) if hasattr(make, "asks")]
    english = [make() for make in makers]
    with spoken(path.parent.name):
        theirs = [make() for make in makers]
    assert len(makers) == 12
    for one, other in zip(english, theirs, strict=True):
        assert (one.name, len(one.hints), one.marks) == (other.name, len(other.hints), other.marks)
        assert rules(one.answer) == rules(other.answer)
        assert one.question != other.question and one.solution != other.solution


def stills(cells):
    """Each still picture that a lesson draws, on a telephone; what it is made of is computed."""
    names = {}
    moved = {"check", "explorer", "player", "exercise", "program"}
    for cell in cells:
        if cell.is_text or ("import" not in cell.source and cell.tags & moved):
            continue
        calls = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call)]
        drawn = [node for node in calls if "figure_" in ast.unparse(node.func)]
        for call in drawn:
            call.keywords.append(ast.keyword("mode", ast.Constant("phone")))
            yield eval(ast.unparse(call), names)
        if not drawn:
            exec(cell.source, names)


def test_its_still_pictures_fit_a_telephone(path, monkeypatch):
    """Labels of another language are longer; pages from disk draw every picture in that size."""
    monkeypatch.chdir(path.parent)
    with spoken(path.parent.name):
        modes = [figure.mode for figure in stills(lessons.read(path).cells)]
    assert len(modes) >= 2 and set(modes) == {"phone"}
