"""How Sphinx makes the reference pages: from docstrings, the index of theorems and the lessons."""

import functools
import gc
import logging
import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

# Every class that a signature names is then known, also what is imported for types only.
os.environ["SPHINX_AUTODOC_RELOAD_MODULES"] = "1"

import frontier  # noqa: E402
import gallery  # noqa: E402
from sphinx.addnodes import pending_xref, toctree  # noqa: E402
from sphinx.ext.autosummary import autosummary_toc  # noqa: E402
from sphinx.pycode.parser import Parser  # noqa: E402
from sphinx.search.en import SearchEnglish  # noqa: E402

import dpviz  # noqa: E402
import dpviz.audit  # noqa: E402, the room: asked of dpviz first, it is the function of that name
from dpviz import lesson as lessons  # noqa: E402

# Two fifths of the build were spent on what no page shows: looking again and again for garbage in
# trees that stay, notes for a debugger, a word's stem anew for each page, where each definition
# ends.
gc.set_threshold(200_000, 50, 50)
logging.disable(logging.DEBUG)
SearchEnglish.stem = functools.cache(SearchEnglish.stem)
Parser.parse_definition = lambda parser: None

project = "dpviz"
author = "the dpviz contributors"
copyright = author
version = release = dpviz.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary"]
templates_path = ["_templates"]
exclude_patterns = ["_templates", "paper"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_use_type_comments = False
autodoc_type_aliases = {name: name for name in ("ArrayLike", "NDArray", "Seed")}
autosummary_generate = True
nitpicky = True
nitpick_ignore_regex = [
    ("py:class", r"(?!dpviz\.).*"),  # what Python and numpy call it, and type variables
    ("py:(class|obj)", r"dpviz\.(privacy\.exponential_mechanism\.State|door\.terms\.R)"),
    ("py:class", r".*\._\w+"),  # ours, and nobody else's
]
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "dpviz"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["reference.css"]

SECTIONS = ("Parameters", "Attributes", "Returns", "Raises", "Yields")
BAR = "\u2223"  # as wide as the other, and nothing to Sphinx


def prepared(app, what, name, thing, options, lines):
    """Our docstrings as Sphinx reads them: sections of definitions, and bars that are only bars."""
    made, section, literal = [], False, False
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        literal = line.lstrip().startswith((">>>", "...")) or (literal and bool(line.strip()))
        section = section and bool(line)
        if line in SECTIONS and set(below) == {"-"}:
            made += [f".. rubric:: {line}"]
            section = line != "Returns"
        elif line and set(line) == {"-"} and made[-1].startswith(".. rubric::"):
            made += [""]
        elif literal:
            made += [line]
        elif section and not line[0].isspace():
            term, _, told = line.partition(" : ")
            made += [f"**{term}**", *([f"    {plain(told)}"] if told else [])]
        else:
            made += [plain(line)]
    lines[:] = made


def plain(line):
    """A line in which |m| and T_|m| mean themselves; what stands in backticks stays."""
    parts = re.split(r"(``.+?``)", line)
    parts[::2] = [re.sub(r"(?<=\w)_(?=\W)", r"\_", part).replace("|", BAR) for part in parts[::2]]
    return "".join(parts)


# Stored pictures of the lessons, by how their alt text begins.
PICTURES = {
    "privacy": ("01_privacy", "Total ε at δ"),
    "distance": ("03_distance", "Largest error against n, ε, d and k"),
    "sparse": ("05_sparse", "Three log-log panels. Against ε"),
    "smooth": ("06_smooth", "Largest error against t"),
    "cluster": ("07_cluster", "Radius over the planted one at n = 100,000"),
    "fat_shattering": ("08_fat_shattering", "Error in people, log scale"),
}


def written(app):
    """The pictures of the families and the index of theorems, made anew for each build."""
    (HERE / "pictures").mkdir(exist_ok=True)
    for name, (lesson, words) in PICTURES.items():
        book = HERE.parent / "notebooks" / f"{lesson}.ipynb"
        (HERE / "pictures" / f"{name}.png").write_bytes(lessons.read(book).picture(words))
    known = (HERE.parent / "notebooks" / "frontier.md").read_text(encoding="utf-8")
    pages = {"theorems": theorem_pages(), "frontier": frontier.reference(known)}
    pages["gallery"] = gallery.write(HERE / "pictures")
    for name, page in pages.items():
        path = HERE / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != page:
            path.write_text(page, encoding="utf-8")


def theorem_pages():
    """THEOREMS.md as reStructuredText: what a statement says, its state, and where it stands."""
    made, head = [], []
    for line in (HERE.parent / "THEOREMS.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            title = line.lstrip("# ")
            made += [title, ("=" if line.startswith("# ") else "-") * len(title)]
        elif not line.startswith("|"):
            made, head = [*made, linked(line)], []
        elif not head:
            head = cells(line)
            shown = ["statement", "in our words", "where"] if "code" in head else head
            made += [".. list-table::", "   :header-rows: 1"]
            if "code" in head:
                made += ["   :class: theorems", "   :widths: 22 33 45"]
            made += ["", *row(shown)]
        elif set(line) - set("|:- "):
            made += row(statement(cells(line)) if "code" in head else cells(line))
    return "\n".join(made) + "\n"


def cells(line):
    """The cells of a line of a Markdown table."""
    return [linked(cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def row(texts):
    """A row of a list-table; a cell of several lines is a block of lines."""
    for at, text in enumerate(texts):
        yield f"   {'  -' if at else '* -'} {text}"


ROOMS = ("drawing", "instruments", "exercises", "lessons", "pages")  # without a reference
OWN = tuple(f"dpviz/{room}/" for room in ROOMS)


def statement(told):
    """Name and state, our words, and the places together."""
    name, words, code, tests, lessons, state = told
    lessons = lessons.strip("- ") and f"lesson {lessons}"
    where = "; ".join(place for place in (code, tests, lessons) if place.strip("- "))
    return [f"**{name}**: {state}", words, where]


def linked(text):
    """Links to modules become references; those to tests and lessons their names."""

    def reference(found):
        words, path = found[1], found[2]
        if path.startswith("dpviz/") and path.endswith(".py") and not path.startswith(OWN):
            module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            return f":mod:`{words} <{module}>`"
        return f"``{words}``" if path.startswith("tests/") else words

    text = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", text)
    return re.sub(r"\[((?:[^][]|\[[^]]*\])+)\]\(([^)]*)\)", reference, text)


def by_full_name(app, doctree):
    """A name in a signature is that of its own module, or a full one: never any of that name."""
    for reference in doctree.findall(pending_xref):
        reference.attributes.pop("refspecific", None)
    # The table of a room's modules stands on its page; a list of them would be made and dropped.
    for unseen in doctree.findall(autosummary_toc):
        for tree in unseen.findall(toctree):
            tree["hidden"] = True


def opened(app, page, template, context, doctree):
    """The tree beside a page is open where the page stands: the whole was most of every page."""
    if whole := context.get("toctree"):
        context["toctree"] = lambda **how: whole(**how | {"collapse": True})


def setup(app):
    """Called by Sphinx."""
    app.connect("html-page-context", opened, priority=400)  # before the theme asks for the tree
    app.connect("doctree-read", by_full_name)
    app.connect("builder-inited", written)
    app.connect("autodoc-process-docstring", prepared)
