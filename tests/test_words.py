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
NAME = re.compile(r"[a-z]+(?:\.[a-z]+)+")
SCRIPTS = sorted((ROOT / "dpviz").rglob("*.js"))
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
                re.escape(p.value) if isinstance(p, ast.Constant) else "[a-z]+" for p in node.values
            ]
            yield "".join(parts)


def test_every_message_is_said_somewhere():
    said = {text for path in CODE for text in constants(path)}
    said |= {
        text for path in SCRIPTS for text in re.findall(r'say\(\s*"([\w.]+)"', path.read_text())
    }
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
    calls += [
        (path.name, name)
        for path in SCRIPTS
        for name in re.findall(r'say\(\s*"([\w.]+)"', path.read_text("utf-8"))
    ]
    names = [call for call in calls if NAME.fullmatch(call[1])]
    assert len(names) > 150
    assert [call for call in names if call[1] not in table(SOURCE)] == []


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
