"""Bounds derived twice: which proved bound is computed a second time, and by which test.

A second computation starts from the proof: simulated tails of the law (fixed seed, the sampling
error of what is compared beside it), numerical integration, exact sums, brute force over tiny
cases. It shares no code with the package and is not the same closed formula typed again. A bound
that is too small by a factor of sqrt 2, or that lost a factor in a logarithm, must fail; one that
is too large is seen too: each test says how much larger than the truth the bound may be, and why.

A test file of this folder says what it covers:

* ``ROOMS = ("accounting",)``: packages or modules under ``dpviz`` (a tuple of texts);
* ``@second("accounting.zcdp.zcdp_pure")`` above a test: bounds that it derives a second time;
* ``WITHOUT = {"accounting.roots.least": "why"}``: those that need none, each with its reason.

``test_inventory.py`` reads the files (it does not run them) and misses every function of these
rooms with the name of a bound that is in none of them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "dpviz"
BOUND = re.compile(
    r"(^|_)(bounds?|accuracy|tails?|quantile|chernoff|moments|union|resolution|slack|needed"
    r"|noise_length|fixed_point|plan|best_plan|allocate|joint_sensitivity)(_|$)"
    r"|^_?(noise|normal|laplace_sum|_release_level)$"
)
QUOTED = re.compile(r"^_?paper_|^check_")  # what a paper states is no promise of ours
WHOLE = ("accounting",)  # rooms in which every public function is a bound
Test = TypeVar("Test", bound=Callable[..., None])


def second(*names: str) -> Callable[[Test], Test]:
    """Mark a test: it derives these bounds, written "room.module.function", a second time."""
    return lambda test: test


def bounds_of(room: str, package: Path = PACKAGE) -> Iterator[str]:
    """Functions and methods of a room that are bounds by their names, "room.module.function"."""
    path = package.joinpath(*room.split("."))
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    for file in files:
        module = ".".join(file.relative_to(package).with_suffix("").parts)
        whole = module.startswith(WHOLE)
        for name in _functions(ast.parse(file.read_text(encoding="utf-8"))):
            last = name.rpartition(".")[2]
            named = BOUND.search(last) or (whole and not last.startswith("_"))
            if named and not QUOTED.search(last):
                yield f"{module}.{name}"


def _functions(tree: ast.Module) -> Iterator[str]:
    """Functions of a module and methods of its classes."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.ClassDef):
            methods = (item for item in node.body if isinstance(item, ast.FunctionDef))
            yield from (f"{node.name}.{method.name}" for method in methods)


def rooms_of(source: str) -> tuple[str, ...]:
    """What a test file says that it covers."""
    return tuple(_constant(source, "ROOMS") or ())


def reasons_of(source: str) -> dict[str, str]:
    """Bounds that need no second computation, with their reasons."""
    return dict(_constant(source, "WITHOUT") or {})


def derived_of(source: str) -> dict[str, str]:
    """From the bound to the test that derives it a second time."""
    return {
        name.value: test.name
        for test in ast.walk(ast.parse(source))
        if isinstance(test, ast.FunctionDef)
        for mark in test.decorator_list
        if isinstance(mark, ast.Call) and getattr(mark.func, "id", "") == "second"
        for name in mark.args
        if isinstance(name, ast.Constant)
    }


def _constant(source: str, name: str) -> object:
    """The value of a constant at the top of a source, or None."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return ast.literal_eval(node.value)
    return None
