"""Every colour has one place, `dpviz.drawing.roles`, on a dark ground `palette`.

Elsewhere only the ground may be named.
"""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "dpviz"
ROOMS = ("drawing", "instruments", "exercises", "lessons")
FILES = sorted(path for room in ROOMS for path in (PACKAGE / room).rglob("*.py"))
PLACES = {"roles.py", "palette.py"}
# What matplotlib takes for a colour, as a keyword or as a key of such keywords.
TAKES = {"color", "colors", "c", "fc", "ec", "facecolor", "facecolors", "edgecolor", "edgecolors"}
TAKES |= {"mfc", "mec", "markerfacecolor", "markeredgecolor", "halo"}
GROUND = {"white", "none"}
HEX = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}(?:[0-9a-fA-F]{2})?(?![0-9a-fA-F])")


def given(tree):
    """Each keyword with its value, in calls and in dicts of keywords."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from ((keyword.arg, keyword.value) for keyword in node.keywords)
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            yield from ((k.value, v) for k, v in pairs if isinstance(k, ast.Constant))


def invented(source):
    """Colours that a file makes up: hex codes, names and triples."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from HEX.findall(node.value)
    for name, value in given(tree):
        word = getattr(value, "value", None) if isinstance(value, ast.Constant) else None
        if name in TAKES and isinstance(word, str) and word not in GROUND and not HEX.search(word):
            yield word
        if name in TAKES and isinstance(value, ast.Tuple):
            yield ast.unparse(value)


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}.{p.stem}")
def test_no_colour_is_made_up_outside_its_place(path):
    if path.name not in PLACES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):  # what a docstring shows is no picture
            named = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            if named and ast.get_docstring(node):
                node.body = node.body[1:] or [ast.Pass()]
        assert list(invented(ast.unparse(tree))) == []


@pytest.mark.parametrize(
    "planted",
    [
        'ax.plot(x, y, color="#ffc52e")',
        'ax.plot(x, y, color="red")',
        'ax.plot(x, y, mfc="C0")',
        "ax.bar(x, y, fc=(0.2, 0.3, 0.4))",
        'look = {"ec": "black"}',
        "html = f'<p style=\"color:#1a1a1a\">'",
        'DARK = "#ededed"',
    ],
)
def test_a_planted_colour_is_found(planted):
    assert len(list(invented(planted))) == 1


def test_what_is_allowed_is_not_found():
    fine = 'ax.plot(x, y, color=style.INK, mfc="white", ec="none")\nurl = "#section"'
    assert list(invented(fine)) == []
