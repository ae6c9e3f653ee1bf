"""Every module of a paper has the same anatomy, in the same order."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAPERS = [p for p in sorted((ROOT / "dpviz" / "papers").rglob("*.py")) if p.stem != "__init__"]
SECTIONS = ["Paper", "Setting", "Idea", "Symbols", "Departures"]
# The order in which these stand, where they stand; two in one file add a word ("release_offline").
ORDER = [
    "Params",
    "Release",
    "Interactive",
    "release",
    "answer",
    "truth",
    "(error|mistake)_bound",
    "paper_bound",
    "paper_rate",
    "trial",
]


def place(name):
    """Index of a name in the order, or None for the paper's own helpers."""
    for i, pattern in enumerate(ORDER):
        if re.fullmatch(pattern + r"(_\w+)?", name):
            return i
    return None


def faults(source):
    """What is wrong with the anatomy of one module."""
    tree = ast.parse(source)
    doc = ast.get_docstring(tree) or ""
    if re.findall(r"^\*\*(\w+)\.\*\*", doc, re.M) != SECTIONS:
        yield f"the docstring must hold {SECTIONS}, in this order"
    named = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    places = [p for node in named if (p := place(node.name)) is not None]
    if places != sorted(places):
        yield f"the order must be {ORDER}"
    seen_trial = False
    for node in named:
        text = ast.get_docstring(node) or ""
        if node.name == "Params" and "frozen=True, kw_only=True" not in ast.unparse(node):
            yield "Params must be a frozen, keyword-only dataclass"
        seen_trial |= node.name == "trial"
        if seen_trial and not node.name.startswith("_") and ">>>" not in text:
            yield f"{node.name} needs an example that runs"
        if place(node.name) == ORDER.index("(error|mistake)_bound") and "Proved" not in text:
            yield f"{node.name} must be proved, and say so"


def arguments(tree):
    """(function, argument, is keyword-only) for every argument in a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for arg in [*node.args.posonlyargs, *node.args.args]:
                yield node.name, arg.arg, False
            for arg in node.args.kwonlyargs:
                yield node.name, arg.arg, True


def bad_arguments(source):
    """Positional privacy arguments, and names that the house does not use."""
    for function, name, keyword in arguments(ast.parse(source)):
        if name in {"epsilon", "delta"} and not keyword:
            yield f"{function}({name}) must be keyword-only"
        if name in {"eps", "lam"} or name.startswith("num_"):
            yield f"{function}({name}): not a name of this house"


@pytest.mark.parametrize("path", PAPERS, ids=lambda path: path.stem)
def test_anatomy(path):
    assert list(faults(path.read_text(encoding="utf-8"))) == []


DOC = '"""Title.\n\n' + "\n\n".join(f"**{word}.** text" for word in SECTIONS) + '\n"""\n'
GOOD = DOC + 'def error_bound():\n    "Proved."\ndef trial():\n    ">>> 1"\n'


@pytest.mark.parametrize(
    "fault",
    [
        GOOD.replace("**Idea.**", "**Thought.**"),
        DOC + 'def trial():\n    ">>> 1"\ndef paper_bound():\n    ">>> 1"\n',
        GOOD + "@dataclass\nclass Params:\n    ...\n",
        GOOD + 'def draw():\n    "No example."\n',
        GOOD.replace("Proved", "Measured"),
    ],
)
def test_anatomy_catches_planted_faults(fault):
    assert list(faults(GOOD)) == []
    assert list(faults(fault)) != []


FILES = sorted((ROOT / "dpviz").rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_names_of_arguments(path):
    assert list(bad_arguments(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("fault", ["def f(epsilon): 1", "def f(*, eps): 1", "def f(num_rows): 1"])
def test_names_catch_planted_faults(fault):
    assert len(list(bad_arguments(fault))) == 1
