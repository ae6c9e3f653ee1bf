"""The words of the interface: all in one table, each used, and said in every language."""

import ast
import re
import string
import tomllib
from pathlib import Path

import pytest

from dpviz import words
from dpviz.exercises.faces import ExerciseFace
from dpviz.instruments.faces import ExplorerFace
from dpviz.lessons.start import exercises, explore_record
from dpviz.words import SOURCE, Numbers, say, spoken, table

ROOT = Path(__file__).parents[1]
NAME = re.compile(r"[a-z]+(?:\.[a-z_]+)+")
SCRIPTS = sorted((ROOT / "dpviz").rglob("*.js"))
PAGES = sorted((ROOT / "dpviz").rglob("*.html"))
SAID = {".js": re.compile(r'say\(\s*"([\w.]+)"'), ".html": re.compile(r"\{([a-z]+\.\w+)\}")}
CODE = [*sorted((ROOT / "dpviz").rglob("*.py")), ROOT / "binder" / "kernel_start.py"]
CODE = [path for path in CODE if "dpviz.words import" in path.read_text("utf-8")]
OTHERS = [code for code in words.languages() if code != SOURCE]


def interface(code):
    """The messages of the interface alone."""
    text = (words.TABLES / f"{code}.toml").read_text("utf-8")
    return words.flat(tomllib.loads(text))


def forms(message):
    """A message, or both of its forms."""
    return list(message.values()) if isinstance(message, dict) else [message]


def holes(message):
    """The names of the values that it takes."""
    return {
        name for form in forms(message) for _, name, _, _ in string.Formatter().parse(form) if name
    }


def constants(path):
    """Every string of a file of Python, with f-strings as patterns."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield re.escape(node.value)
        elif isinstance(node, ast.JoinedStr):
            parts = [
                re.escape(p.value) if isinstance(p, ast.Constant) else "[a-z_]+"
                for p in node.values
            ]
            yield "".join(parts)


def from_files():
    """The messages of scripts and pages, each with its file."""
    paths = [*SCRIPTS, *PAGES]
    return [
        (path.name, name)
        for path in paths
        for name in SAID[path.suffix].findall(path.read_text("utf-8"))
    ]


def test_every_message_is_said_somewhere():
    said = {text for path in CODE for text in constants(path)}
    said |= {name for _, name in from_files()}
    whole = re.compile("|".join(text for text in said if re.search(r"^[a-z]+\\?\.", text)))
    unsaid = [name for name in interface(SOURCE) if not whole.fullmatch(name)]
    assert unsaid == []


def test_no_code_says_a_message_that_is_not_in_the_table():
    calls = [
        (path.name, call.args[0].value)
        for path in CODE
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "say"
        if isinstance(call.args[0], ast.Constant)
    ]
    calls += from_files()
    names = [call for call in calls if NAME.fullmatch(call[1])]
    assert len(names) > 150
    assert [call for call in names if call[1] not in table(SOURCE)] == []


# Sentences that are in no table -----------------------------------------------------------------

COMMENT = re.compile(r"^\s*//.*|\s//\s.*|/\*.*?\*/", re.MULTILINE)
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`([^`]*)`')  # of a script
WORDS = re.compile(r"[A-Za-z]{2,}[,.:?]? [a-z]{2,}(?![\w-]*\()")
# Two words that no reader sees: selectors, classes, a key of the storage, a mark as it is stored.
ASKED = re.compile(r"(querySelector(All)?|closest|matches|matchMedia|Error|class=\\?)\(?$")
SELECTS = re.compile(r"^\.|\[|^released line2d ")
UNSEEN = {"dpviz-warning dpviz-gone", "dpviz answers", "to do again", "(pointer: coarse)"}
ROOMS = [ROOT / "dpviz" / room for room in ("pages", "instruments", "exercises")]
WRITERS = sorted(path for room in ROOMS for path in room.rglob("*.py"))


def in_script(text):
    """What a script could show that is in no table; errors are for who writes it."""
    text = COMMENT.sub("", text)
    for found in TEXT.finditer(text):
        inside = re.sub(r"\$\{.*?\}", "", found[1] or found[2] or "")
        unseen = SELECTS.search(inside) or inside in UNSEEN or ASKED.search(text[: found.start()])
        if WORDS.search(inside) and not unseen:
            yield inside


def in_page(text):
    """Words of a page or of a piece of one, outside of its tags, that are in no table."""
    text = re.sub(r"<(style|script|pre)\b.*?</\1>|<!.*?>", "", text, flags=re.DOTALL)
    words = re.findall(r"[A-Za-z]{2,}", re.sub(r"<[^>]*(>|$)|\{[\w.]*\}|&\w+;", "", text))
    return [word for word in words if word != "dpviz"]


def in_code(source):
    """Words between the tags of HTML that Python writes, and that are in no table."""
    tree = ast.parse(source)
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inside = {id(part) for node in joined for part in node.values}
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    texts = [
        "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        for node in joined
    ]
    texts += [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if id(node) not in inside | told
    ]
    return [
        text
        for text in texts
        if re.search(r"</?[a-z]+[ >]", text) and "[^" not in text and in_page(text)
    ]


@pytest.mark.parametrize("path", WRITERS, ids=lambda path: path.name)
def test_html_from_python_says_nothing_that_is_not_in_the_table(path):
    assert in_code(path.read_text("utf-8")) == []


def test_a_planted_sentence_is_seen():
    assert list(in_script('note.textContent = "It did not load.";')) == ["It did not load."]
    assert list(in_script("tell(`${n} MB of it`); // a comment, with words")) == [" MB of it"]
    assert list(in_script('root.querySelector(".a button"); throw new Error("Not so.")')) == []
    assert in_page("<h1>{front.title}</h1><p title='x'>See <b>{b}</b></p>") == ["See"]
    assert in_code("f'<p>The first run loads {size} MB.</p>'") == [
        "<p>The first run loads {} MB.</p>"
    ]
    assert in_code("x = '<p>Read</p>'") == ["<p>Read</p>"]
    assert in_code('def f():\n    """HTML such as <p>words</p>."""\n    return f"<p>{x}</p>"') == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_says_nothing_that_is_not_in_the_table(path):
    assert list(in_script(path.read_text("utf-8"))) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_says_nothing_that_is_not_in_the_table(path):
    page = path.read_text("utf-8")
    assert in_page(page) == []
    for script in re.findall(r"<script>(.*?)</script>", page, re.DOTALL):
        assert list(in_script(script)) == []


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_says_all_of_it_with_the_same_values(code):
    source, other = interface(SOURCE), interface(code)
    assert [name for name in source if name not in other] == []  # would be said in English
    assert [name for name in other if name not in source] == []
    assert [name for name in source if holes(source[name]) != holes(other[name])] == []
    same = {name for name in source if source[name] == other[name]}
    assert len(same) < 12  # words that both languages have


def test_what_a_language_lacks_is_said_in_english(monkeypatch):
    with spoken("de"):
        monkeypatch.delitem(table("de"), "player.back")
        assert (say("player.back"), say("player.step")) == ("back", "weiter")
        assert say("A sentence that no lesson has.") == "A sentence that no lesson has."


def test_numbers_and_forms_follow_the_language():
    for code, number, share, one in (
        ("en", "1.50", "33%", "One of the lines is still needed."),
        ("de", "1,50", "33\u202f%", "Eine Zeile wird noch gebraucht."),
    ):
        formats = Numbers(code)
        assert formats.format("{x:.2f} {n}", x=1.5, n=7) == f"{number} 7"
        assert formats.format("{x:.0%}", x=1 / 3) == share
        with spoken(code):
            assert say("proof.left", count=1) == one
            assert say("proof.left", count=3)[:2] in ("3 ",)


def test_braces_of_a_sentence_without_values_stay():
    assert say("the set {1, 2}") == "the set {1, 2}"


def test_the_language_of_the_surroundings_is_a_known_one(monkeypatch):
    monkeypatch.setattr(words, "_now", words.Languages())
    monkeypatch.setenv("DPVIZ_LANGUAGE", "de")
    assert (words.interface(), words.lesson()) == ("de", SOURCE)
    assert say("player.back") == "zurück"
    monkeypatch.setattr(words, "_now", words.Languages())
    monkeypatch.setenv("DPVIZ_LANGUAGE", "../de")
    with pytest.raises(ValueError, match="DPVIZ_LANGUAGE must be one of de, en"):
        say("player.back")
    with pytest.raises(ValueError, match="language must be one of de, en, not 'fr'"):
        words.use("fr")


def test_a_lesson_may_stand_under_buttons_of_another_language(monkeypatch):
    monkeypatch.setattr(words, "_now", words.Languages(lesson=SOURCE, interface="de"))
    exercise = exercises.predict_guess()
    assert exercise.page().startswith('<div lang="en"><b>Predict.</b>')
    assert exercise.check(exercise.right).lines == ("Ja.",)
    row = ExerciseFace(exercise).children[1].children
    assert [each.description for each in row] == ["Antwort", "prüfen", "Hinweis", "von vorn"]
    explorer = explore_record()
    assert explorer.movable.startswith("Im Bild: ziehen: patient; drücken: record.")
    sentence, numbers = explorer.screen.words()
    assert 'lang="en"' in sentence and "<summary>die Zahlen</summary><table lang" in numbers
    _, shown, _ = ExplorerFace(explorer).outputs()
    assert shown["text/html"].startswith('<div class="dpviz-words dpviz-pictured" lang="de">')
