"""What the lab says stands in one file for each language, and nowhere else."""

import re

import pytest
from lite_kernel import site, words

SCRIPTS = sorted(site.HERE.glob("*.js"))
PAGES = sorted(site.HERE.glob("*.html"))
SAID = re.compile(r'\b(?:say|here|button)\(\s*"(\w+)"(?:, "(\w+)")?')
# Texts in a script, without comments; and what looks like words between two words.
COMMENT = re.compile(r"^\s*//.*|\s//\s.*|/\*.*?\*/", re.MULTILINE)
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`([^`]*)`')
WORDS = re.compile(r"[A-Za-z]{2,}[,.:?]? [a-z]{2,}")
# What no reader sees: errors, styles, Python, what one script tells another, and the console.
OTHERS = re.compile(
    r"new Error\($|position:|layout-color|__import__|lite-kernel \$|^take over$|^no reason given$"
)


def unsaid(script):
    """Words in a script that a reader could be shown and that are in no table."""
    text = COMMENT.sub("", script)
    for found in TEXT.finditer(text):
        before, inside = text[: found.start()], found[1] or found[2] or ""
        seen = WORDS.search(re.sub(r"\$\{.*?\}", "", inside))
        if seen and not OTHERS.search(before[-12:]) and not OTHERS.search(inside):
            yield inside


def outside(page):
    """Words of a page that are in no table."""
    text = re.sub(r"<style>.*?</style>|<!.*?>", "", page, flags=re.DOTALL)
    return re.findall(r"[A-Za-z]{2,}", re.sub(r"<[^>]*>|\{\w+\}", "", text))


def said():
    """The names of all messages that a script or a page says."""
    names = [name for path in SCRIPTS for pair in SAID.findall(path.read_text()) for name in pair]
    return {*filter(None, names), "each", "licences", "parts"}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_says_nothing_that_is_not_in_the_table(path):
    assert list(unsaid(path.read_text("utf-8"))) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_says_nothing_that_is_not_in_the_table(path):
    assert outside(path.read_text("utf-8")) == []


def test_a_planted_sentence_is_seen():
    assert list(unsaid('tell("Please wait, Python starts");')) == ["Please wait, Python starts"]
    assert list(unsaid("tell(`${n} MB of them`);")) == ["${n} MB of them"]
    assert list(unsaid('// tell("Please wait");\ntell(say("starting"));')) == []
    assert outside("<style>a { b: c }</style><p>{each}</p><p>Read it.</p>") == ["Read", "it"]


def test_every_message_is_said_and_every_language_has_it():
    tables = words.messages()
    assert said() == set(tables[words.SOURCE])
    holes = re.compile(r"\{\w+\}")
    for code, table in tables.items():
        wrong = [n for n in table if holes.findall(table[n]) != holes.findall(tables["en"][n])]
        assert (code, wrong) == (code, [])
        same = [name for name in table if table[name] == tables["en"][name]]
        assert code == words.SOURCE or same == []


def test_what_jupyterlab_shows_in_its_corner_is_not_cut_there():
    """Of a notification it shows so many letters."""
    most, reader = 140, (site.HERE / "reader.js").read_text("utf-8")
    shown = re.findall(r'Notification\s*\.\w+\(\s*say\("(\w+)"', reader)
    assert {"kept", "unkept", "nothing", "newer"} < set(shown) and len(shown) >= 10
    tables = words.messages()
    assert [(code, n) for code in tables for n in shown if len(tables[code][n]) > most] == []


def test_a_site_has_a_language_and_words_of_its_own():
    book = {"a.ipynb": b'{"cells": []}'}
    own = {"fr": {"each": "Chacun s'ouvre ici."}}
    french = site.Contents(notebooks=book, language="fr", words=own)
    page = french.page("first.html", rows="")
    assert '<html lang="fr">' in page and "Chacun s'ouvre ici." in page and "Licences" in page
    assert french.digest([]) != site.Contents(notebooks=book).digest([])
    with pytest.raises(ValueError, match="language must be one of de, en, not 'xx'"):
        site.Contents(notebooks=book, language="xx")
    with pytest.raises(ValueError, match=r"words\['de'\] has 'eech', which is no message"):
        site.Contents(notebooks=book, words={"de": {"eech": ""}})
