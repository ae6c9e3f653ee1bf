"""The reference pages: what they say is there, examples are short, links lead somewhere.

Sphinx itself refuses a reference to a name that is not there (`make docs`); examples are doctests.
"""

import ast
import importlib.util
import os
import pkgutil
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from dpviz import lesson as lessons
from dpviz import lessons as rooms

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FAMILIES = sorted((DOCS / "families").glob("*.rst"))
CONF = (DOCS / "conf.py").read_text(encoding="utf-8")


def examples(text):
    """The examples of a page: a run of lines without an empty one is one example."""
    return [block for block in re.split(r"\n\s*\n", text) if block.lstrip().startswith(">>>")]


def test_each_family_answers_a_query_in_five_lines():
    text = (DOCS / "index.rst").read_text(encoding="utf-8")
    found = examples(text.partition("Quick use\n")[2])[1:]  # the first one makes the data
    assert len(found) == len(FAMILIES) == len(re.findall(r":doc:`families/", text))
    for block in found:
        assert 2 <= block.count(">>> ") <= 5, block


@pytest.mark.parametrize("page", FAMILIES, ids=lambda path: path.stem)
def test_a_family_says_what_it_promises_and_costs_and_when(page):
    text = page.read_text(encoding="utf-8")
    for words in ("**What it promises.**", "**What it costs.**", "**When to use it.**", ":alt: "):
        assert words in text
    assert f"../pictures/{page.stem}.png" in text


def test_every_paper_has_a_family():
    papers = {path.name for path in (ROOT / "dpviz/papers").iterdir() if path.is_dir()}
    text = "".join(page.read_text(encoding="utf-8") for page in FAMILIES)
    assert papers - {"__pycache__"} <= set(re.findall(r"`dpviz\.papers\.(\w+)`", text))


@pytest.mark.parametrize(
    ("lesson", "words"), re.findall(r'^    "\w+": \("(\w+)", "(.+)"\),$', CONF, re.MULTILINE)
)
def test_the_picture_of_a_family_is_stored_in_its_lesson(lesson, words):
    assert lessons.read(ROOT / "notebooks" / f"{lesson}.ipynb").picture(words)[1:4] == b"PNG"


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.places = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self.places |= {told[name] for name in ("id", "name") if told.get(name)}
        if tag == "a" and "href" in told:
            self.links += [told["href"]]
        elif "src" in told or (tag == "link" and told.get("rel") == "stylesheet"):
            self.loads += [told.get("src") or told["href"]]


def faults(folder):
    """Links of the pages in a folder that lead nowhere, and what they load from elsewhere."""
    pages = {path.resolve(): Page(path.read_text("utf-8")) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        for address in [*page.links, *page.loads]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page.loads and parts.scheme != "data":
                    yield f"{path.name} loads {address}"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = {"", *pages[target].places} if target in pages else {parts.fragment}
            if not target.is_file() or unquote(parts.fragment) not in known:
                yield f"{path.name}: {address}"


def test_faults_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="#here"></a><a href="b.html#x"></a><a href="c.html"></a>'
        '<script src="https://example.org/x.js"></script>'
    )
    (tmp_path / "b.html").write_text('<a href="a.html#here"></a><a href="https://example.org"></a>')
    assert sorted(faults(tmp_path)) == [
        "a.html loads https://example.org/x.js",
        "a.html: b.html#x",
        "a.html: c.html",
    ]


def called(statement):
    """The names that a statement gives: of a function, a class, a value, what it imports."""
    if isinstance(statement, ast.ImportFrom | ast.Import):
        return [alias.asname or alias.name for alias in statement.names]
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return [
        getattr(statement, "name", "") or ast.unparse(each)
        for each in targets
        if each or hasattr(statement, "name")
    ]


def named():
    """Of each module that has a reference: its names, with those in its classes; its docstrings."""
    for path in sorted((ROOT / "dpviz").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if not {"lessons", "drawing", "instruments", "exercises", "pages"} & set(parts):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            inside = {"": tree} | {
                f"{c.name}.": c for c in tree.body if isinstance(c, ast.ClassDef)
            }
            names = {
                f"{start}{name}"
                for start, scope in inside.items()
                for each in scope.body
                for name in called(each)
            }
            bodies = (ast.FunctionDef, ast.ClassDef, ast.Module)
            texts = [ast.get_docstring(e) or "" for e in ast.walk(tree) if isinstance(e, bodies)]
            yield ".".join(parts).removesuffix(".__init__"), names, "\n".join(texts)


def lost(modules):
    """References of docstrings to a name that is neither in their module nor anywhere in full."""
    known = {
        name for module, names, _ in modules for name in [module, *(f"{module}.{n}" for n in names)]
    }
    for module, names, text in modules:
        for target in re.findall(
            r":(?:func|class|mod|meth|data|attr):`(?:[^`]*<)?~?([\w.]+)>?`", text
        ):
            of_a_class = any(name.endswith(f".{target}") for name in names)
            if not (target in names or of_a_class or target in known):
                yield f"{module}: {target}"


def test_every_name_that_a_docstring_refers_to_is_there():
    """What Sphinx would refuse, in a second."""
    modules = list(named())
    assert list(lost(modules)) == []
    assert list(lost([("a", {"b"}, ":func:`b` :func:`~a.b` :mod:`a` :func:`c.b`")])) == ["a: c.b"]


def crooked(text):
    """Lines of simple tables in which a cell crosses the margin of its column, which Sphinx
    refuses."""
    rule = ""
    for line in text.splitlines():
        if re.fullmatch(r" *=+( +=+)+", line):
            rule = line
        elif not line.strip():
            rule = ""
        elif any(bar == " " != sign for bar, sign in zip(rule, line, strict=False)):
            yield line


def test_the_tables_of_docstrings_keep_their_columns():
    table = "==  ==\na   b\n==  ==\naa  b\naaa b\n==  ==\n\naaa b"
    assert list(crooked(table)) == ["aaa b"]
    assert [line for *_, text in named() for line in crooked(text)] == []


def test_the_gallery_shows_every_picture_that_can_be_handled(tmp_path):
    spec = importlib.util.spec_from_file_location("gallery", DOCS / "gallery.py")
    gallery = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gallery)
    page = gallery.write(tmp_path)
    for module in (each for each in pkgutil.iter_modules(rooms.__path__) if each.ispkg):
        room = importlib.import_module(f"dpviz.lessons.{module.name}")
        names = [name for name in room.__all__ if name.startswith(("explore_", "play_"))]
        for name in names:
            (still,) = tmp_path.glob(f"{module.name}.{name}.*")
            assert page.count(f"/{still.name}\n") == 1
            assert still.read_bytes().startswith(b"<svg")
            does = gallery.what(getattr(room, name))
            assert re.fullmatch(r"[A-Z].{20,96}[.?]", does), f"{name}: {does}"
            assert f"      {does}\n" in page
        assert names


@pytest.mark.site
def test_no_link_of_the_reference_is_broken():
    folder = Path(os.environ["DPVIZ_SITE"]).resolve() / "reference"
    assert len(list(folder.rglob("*.html"))) > 100
    assert not list(faults(folder))
