"""One verb, one signature: whoever knows how one mechanism is called can call them all.

The positional parameters of a verb have fixed names in a fixed order. What one mechanism needs
beyond them is keyword-only, so it can be left out of a call that is written for all.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "dpviz" / "papers").rglob("*.py"))
VERBS = {
    "release": ["data", "params", "curator"],
    "statistic": ["data", "params"],
    "answer": ["release", "queries"],
    "truth": ["data", "queries", "params"],
    "error_bound": ["params"],
    "paper_bound": ["params"],
    "paper_rate": ["params"],
    "trial": ["params", "data", "queries"],
}
ONLY_BY_NAME = {"trial": {"rng"}}  # required in every such signature
WHERE_USED = "queries"  # of a release by name, of a trial in its place; elsewhere it is left out
INTERACTIVE = {
    "__init__": ["data", "params", "curator"],
    "answer": ["query"],
    "answer_all": ["queries"],
}
# A field that says which variant is meant is called `method`; a public box is lower and upper.
NOT_FIELDS = {"low", "high", "way", "kind", "how", "rival", "plan", "law", "variant", "mode"}


def verb_of(name):
    """The verb of a function: "release" for release and release_offline, None for others."""
    found = [verb for verb in VERBS if name == verb or name.startswith(f"{verb}_")]
    return found[0] if found else None


def breaches(source):
    """Every signature of one file that is not the one of its verb."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and (verb := verb_of(node.name)):
            yield from wrong(node, VERBS[verb], ONLY_BY_NAME.get(verb, set()), verb)
        if isinstance(node, ast.ClassDef):
            if node.name.startswith("Interactive"):
                methods = {part.name: part for part in node.body if hasattr(part, "args")}
                for name in methods.keys() & INTERACTIVE.keys():
                    yield from wrong(methods[name], ["self", *INTERACTIVE[name]], set())
            if node.name.endswith("Params"):
                fields = {part.target.id for part in node.body if isinstance(part, ast.AnnAssign)}
                yield from (f"{node.name}.{name}" for name in sorted(fields & NOT_FIELDS))


def uses(function):
    """Whether a function does anything with its queries."""
    parts = [part for statement in function.body for part in ast.walk(statement)]
    return any(isinstance(part, ast.Name) and part.id == WHERE_USED for part in parts)


def wrong(node, names, by_name, verb=None):
    """The function's name if its parameters differ."""
    given = [part.arg for part in [*node.args.posonlyargs, *node.args.args]]
    only = {part.arg for part in node.args.kwonlyargs}
    names = [name for name in names if verb != "trial" or name != WHERE_USED or name in given]
    idle = verb in ("release", "trial") and WHERE_USED in {*given, *only} and not uses(node)
    if idle or given != names or not by_name <= only or node.args.vararg or node.args.kwarg:
        yield f"{node.name}({', '.join(given)}, *, {', '.join(sorted(only))})"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_verb_has_its_signature(path):
    assert list(breaches(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "def release(rows, params, curator, *, queries=None): queries",
        "def release(data, params, curator, *, queries=None): ...",
        "def trial(params, data=None, queries=None, *, rng): return data",
        "def release_offline(params, data, curator): ...",
        "def answer(release, points): ...",
        "def truth(data, params): ...",
        "def error_bound(params, n): ...",
        "def error_bound(*, params): ...",
        "def trial(params, data=None, queries=None): queries",
        "def trial(params, queries=None, data=None, *, rng): queries",
        "def trial(params, data=None, *, rng, **more): ...",
        "class Interactive:\n    def answer(self, question): ...",
        "class InteractiveMedian:\n    def __init__(self, data, curator, params): ...",
        "class Params:\n    way: str = 'one'",
    ],
)
def test_each_rule_catches_a_planted_signature(source):
    assert len(list(breaches(source))) == 1


def test_more_may_be_asked_by_name():
    fine = "def error_bound(params, *, n, queries=None): ...\n"
    fine += "def trial(params, data=None, queries=None, *, rng, n=100): queries\n"
    fine += "def trial_of_points(params, data=None, *, rng): ...\n"
    fine += "def release(data, params, curator, *, queries=None, vocabulary=None): queries\n"
    fine += "def release_once(data, params, curator): ...\n"
    assert list(breaches(fine)) == []
