"""Public arguments: the message names the argument, the rule and the value."""

from __future__ import annotations

import ast
import importlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import dpviz
from dpviz import checks


@pytest.mark.parametrize("value", [0, 1, -0.1, 2, np.nan, np.inf])
def test_number_outside_its_range_is_refused(value):
    with pytest.raises(ValueError, match=r"alpha must be a number with 0 < alpha < 1, not"):
        checks.number("alpha", value, above=0, below=1)


@pytest.mark.parametrize("value", ["0.1", None, True, 1j, [0.1]])
def test_number_of_another_type_is_refused(value):
    with pytest.raises(TypeError, match="alpha must be a number, not"):
        checks.number("alpha", value, above=0, below=1)


def test_numbers_of_numpy_and_closed_ends_are_accepted():
    assert checks.number("e", np.float32(0.5), at_least=0, at_most=0.5) == 0.5
    assert checks.integer("n", np.int64(3), at_least=3, at_most=3) == 3


@pytest.mark.parametrize(("value", "error"), [(0, ValueError), (1.0, TypeError), (True, TypeError)])
def test_whole_numbers(value, error):
    with pytest.raises(error, match="n must be a whole number"):
        checks.integer("n", value, at_least=1)


@pytest.mark.parametrize("rng", ["seven", -1, 1.5])
def test_a_seed_that_is_none_is_refused(rng):
    with pytest.raises((TypeError, ValueError), match="rng must be a seed"):
        checks.generator(rng)


@pytest.mark.parametrize(
    ("value", "dimension", "error"),
    [([np.nan], 1, ValueError), (["a"], 1, TypeError), ([0.1, 0.2], 2, ValueError)],
)
def test_queries_are_checked(value, dimension, error):
    with pytest.raises(error, match="y must"):
        checks.queries("y", value, dimension)


@pytest.mark.parametrize(
    "value", [np.timedelta64(5), np.timedelta64(5, "D"), np.datetime64("2020")]
)
def test_a_time_is_no_number(value):
    """numpy registers a time span as a whole number."""
    for ask in (checks.number, partial(checks.integer, at_least=0), checks.queries):
        with pytest.raises(TypeError, match=r"^epsilon must be a"):
            ask("epsilon", value)


@dataclass(frozen=True, kw_only=True)
class Ranged(checks.Declared):
    """A field of each declared range."""

    n: checks.Count = 1
    scale: checks.Positive = 1.0
    share: checks.Share | None = None


@dataclass(frozen=True, kw_only=True)
class Larger(Ranged):
    """The same with another default."""

    n: int = 5


def test_a_field_with_another_default_keeps_its_range():
    assert Larger().n == 5
    with pytest.raises(ValueError, match="n must be a whole number, at least 1"):
        Larger(n=0)


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"n": 0}, "n must be a whole number, at least 1"),
        ({"scale": 0.0}, "scale must be a number with 0 < scale"),
        ({"share": 1.0}, "share must be a number with 0 < share < 1"),
    ],
)
def test_a_field_is_in_the_range_of_its_type(wrong, rule):
    assert Ranged(share=0.5).share == 0.5 and Ranged().share is None
    with pytest.raises(ValueError, match=rule):
        Ranged(**wrong)
    with pytest.raises(TypeError, match=f"{next(iter(wrong))} must be"):
        Ranged(**dict.fromkeys(wrong, "text"))


def test_every_field_with_such_a_type_is_checked():
    """A class that is no ``Declared``, or whose own check forgets its base, is found."""
    seen = 0
    for path in sorted(Path(dpviz.__file__).parent.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            fields = node.body if isinstance(node, ast.ClassDef) else []
            typed = [field for field in fields if isinstance(field, ast.AnnAssign)]
            names = {f.target.id for f in typed if ast.unparse(f.annotation).split(" | ")[0] in
                     checks.RANGES}  # fmt: skip
            if names:
                module = ".".join(path.relative_to(Path(dpviz.__file__).parents[1]).parts)[:-3]
                kind = getattr(importlib.import_module(module), node.name)
                assert names <= set(checks._ranges(kind))
                made = [f for f in fields if getattr(f, "name", "") == "__post_init__"]
                assert all("super().__post_init__()" in ast.unparse(each) for each in made)
                assert issubclass(kind, checks.Declared)
                seen += 1
    assert seen > 30
