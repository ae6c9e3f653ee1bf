"""What makes two sweeps the same: names and contents, wherever the modules are."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, make_dataclass
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from dpviz.sweeps import call, journal
from dpviz.sweeps.sweep import load, sweep

PACKAGE = Path(call.__file__).parents[1]


@dataclass(frozen=True)
class Inner:
    radius: float = 0.1
    shifts: tuple = (1, 2)


@dataclass(frozen=True)
class Params:
    scale: float = 1.0
    kind: str = "plain"
    inner: Inner = field(default_factory=Inner)
    more: tuple = (Inner(), Inner(0.3))


SCALE = [1.0]  # the body of the trial, which a test changes


def trial(params, n, *, rng, data=None):
    return {"error": SCALE[0] * params.scale * rng.standard_normal() / n}


RUN = {"grid": {"n": [1, 2, 4]}, "repeats": 4, "rng": 3}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


def first_line(path):
    return json.loads(path.read_bytes().partition(b"\n")[0])


def rows_of(path):
    return path.read_bytes().partition(b"\n")[2]


def change(path, edit, *, finished=True):
    """Edit the first line; then the digest is that of what the file holds, or there is none."""
    first, rows = first_line(path), journal.read(path).rows
    first = {key: value for key, value in edit(first).items() if value is not None}
    if finished:
        header = {key: value for key, value in first.items() if key not in journal.WRITTEN}
        first["sha256"] = journal.digest(header, rows)
    else:
        del first["sha256"]
    path.write_bytes(json.dumps(first).encode() + b"\n" + rows_of(path))


# Names


def test_the_first_line_has_names_and_plain_values_but_no_module(path):
    sweep(partial(trial, data=np.zeros(3)), Params(), **RUN, fixed={}, file=path)
    first = first_line(path)
    assert first["experiment"] == "trial"
    assert first["params"] == {
        "scale": 1.0,
        "kind": "plain",
        "inner": {"radius": 0.1, "shifts": [1, 2]},
        "more": [{"radius": 0.1, "shifts": [1, 2]}, {"radius": 0.3, "shifts": [1, 2]}],
    }
    assert __name__ not in json.dumps(first) and "Params" not in json.dumps(first)


def test_a_sweep_of_another_name_is_refused_and_kept(path):
    sweep(trial, Params(), **RUN, file=path, name="this")
    before = path.read_bytes()
    for name in ("that", None):
        with pytest.raises(ValueError, match=r"holds another sweep \(other experiment in line 1"):
            sweep(trial, Params(), **RUN, file=path, name=name)
    assert path.read_bytes() == before
    sweep(trial, Params(), **RUN, file=path, name="this")


def test_a_lambda_can_have_a_file_by_a_name(path):
    made = sweep(lambda params, n, *, rng: {"error": n}, Params(), **RUN, file=path, name="this")
    assert made.header["experiment"] == load(path).header["experiment"] == "this"


MODULE = """
from dataclasses import dataclass
import numpy
import {numbers} as numbers

@dataclass(frozen=True)
class Params:
    scale: float = 1.0

@dataclass(frozen=True)
class Ball:
    radius: float = 0.5

class Plain:
    def __init__(self, ball):
        self.ball = ball

def rule(x):
    return 2 * x

def trial(params, n, *, rng, ball, odd):
{body}
"""
BODY = """
    return {"error": params.scale * ball.radius * rng.standard_normal() * numbers.sqrt(n)}
"""
LAID_OUT = '''
    """The same, said at length."""
    import itertools
    import math
    return {
        "error": params.scale * ball.radius * rng.standard_normal() * numbers.sqrt(n)  # an error
    }
'''


def module(path, body, numbers="numpy"):
    """A module from a file of that name."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(MODULE.format(body=body, numbers=numbers))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    sys.modules[path.stem] = made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture(autouse=True)
def modules():
    """What a test imports is gone afterwards."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "Ball", None):
            del sys.modules[name]


def run_of(made, path):
    """With what does not stand in JSON: a class, a function, an object, keys that are no words."""
    odd = {1: made.Ball, (2, 3): made.rule, None: [made.Plain(made.Ball(0.25))]}
    fixed = {"ball": made.Ball(), "odd": odd}
    return sweep(made.trial, made.Params(), **RUN, fixed=fixed, file=path)


@pytest.mark.parametrize("lines", [3, 8])
def test_a_trial_may_move_with_all_that_it_is_given(path, tmp_path, lines):
    """Another file in another folder, laid out anew: no warning, and the same bytes at the end."""
    run_of(module(tmp_path / "old_place.py", BODY), path)
    whole = path.read_bytes()
    change(path, dict, finished=False)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]))
    run_of(module(tmp_path / "folder" / "another_place.py", LAID_OUT, "math"), path)
    assert path.read_bytes() == whole


def test_a_function_of_another_module_is_the_same(path, monkeypatch):
    sweep(trial, Params(), **RUN, file=path)
    whole = path.read_bytes()
    monkeypatch.setattr(trial, "__module__", "elsewhere")
    for kind in (Params, Inner):
        monkeypatch.setattr(kind, "__module__", "elsewhere.still")
    sweep(trial, Params(), **RUN, file=path)
    assert path.read_bytes() == whole


MOVED = """
from dpviz.lessons.registry import find
checked = find("smallest_n_checked")
assert checked.trial.__module__ == "dpviz.comparison.moved", checked.trial.__module__
assert type(checked.params).__module__ == "dpviz.comparison.moved"
before = checked.file.read_bytes()
assert checked.missing(checked.file) == []
checked.run(file=checked.file)
assert checked.file.read_bytes() == before
print(checked.file)
"""


def test_a_shipped_journal_fits_after_its_module_was_renamed(tmp_path):
    """In a copy of the package; its trial and its Params are of that module."""
    shutil.copytree(PACKAGE, tmp_path / "dpviz", ignore=shutil.ignore_patterns("__pycache__"))
    folder = tmp_path / "dpviz" / "comparison"
    (folder / "smallest.py").rename(folder / "moved.py")
    path = tmp_path / "dpviz" / "lessons" / "registry.py"
    registry = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"\bsmallest\b", "moved", registry), encoding="utf-8")
    command = [sys.executable, "-W", "error::UserWarning", "-c", MOVED]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert Path(done.stdout.strip()).samefile(folder / "smallest_n_checked.jsonl")


# Parameters


@dataclass(frozen=True)
class Longer(Params):
    beta: float = 0.05
    steps: list = field(default_factory=lambda: [1, 2])
    shape: Inner = Inner(7.0)


@pytest.mark.parametrize("finished", [True, False])
def test_a_field_that_came_later_at_its_default_is_the_same_sweep(path, finished):
    sweep(trial, Params(), **RUN, file=path)
    if not finished:
        change(path, dict, finished=False)
    before = path.read_bytes()
    sweep(trial, Longer(), **RUN, file=path)
    assert rows_of(path) == before.partition(b"\n")[2]
    assert "beta" not in first_line(path)["params"] and "sha256" in first_line(path)
    assert path.read_bytes() == before or not finished


@pytest.mark.parametrize(
    ("params", "name"),
    [
        (Longer(beta=0.1), "params.beta"),
        (Longer(steps=[1]), "params.steps"),
        (Longer(shape=Inner(1.0)), "params.shape.radius"),
        (Params(scale=2.0), "params.scale"),
        (Params(scale=1), "params.scale"),  # 1.0 is stored
        (Params(kind=None), "params.kind"),
        (Params(inner=Inner(0.2)), "params.inner.radius"),
        (Params(inner=None), "params.inner"),
        (Params(more=(Inner(),)), "params.more"),
        (make_dataclass("Params", [("scale", float, 1.0)])(), "params.kind, params.inner"),
    ],
)
def test_another_value_is_another_sweep_and_named(path, params, name):
    """Also a field that came since and is not at its default, and one that went."""
    sweep(trial, Params(), **RUN, file=path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=rf"holds another sweep \(other {name}[ ,]") as refused:
        sweep(trial, params, **RUN, file=path)
    assert "in line 1" in str(refused.value) and path.read_bytes() == before


def test_a_field_without_a_default_that_came_later_is_another_sweep(path):
    sweep(trial, make_dataclass("P", ["scale"])(1.0), **RUN, file=path)
    with pytest.raises(ValueError, match=r"\(other params\.m in line 1\)"):
        sweep(trial, make_dataclass("P", ["scale", "m"])(1.0, 2), **RUN, file=path)


@pytest.mark.parametrize("place", ["inner", "more"])
def test_a_field_inside_a_parameter_may_come_later(path, place):
    sweep(trial, Params(), **RUN, file=path)

    def younger(first):
        parts = first["params"][place]
        for part in [parts] if place == "inner" else parts:
            del part["shifts"]
        return first

    change(path, younger)
    assert "shifts" not in json.dumps(first_line(path)["params"][place])
    sweep(trial, Params(), **RUN, file=path)
    other = (Inner(), Inner(0.3, (1, 3))) if place == "more" else Inner(shifts=(1, 3))
    with pytest.raises(ValueError, match=rf"other params\.{place}"):
        sweep(trial, Params(**{place: other}), **RUN, file=path)


@pytest.mark.parametrize(
    "value",
    [
        *(0.1 + 0.2, 5e-324, -0.0, 1e300, float("inf"), float("nan"), 2**70, True, "\ud800", None),
        *(np.float64(0.7), np.float32(0.1), np.int64(3), np.str_("x"), (), [[1], {"a": (2.5,)}]),
        *(np.arange(5.0), {1, 2}, {3: "x"}, date(2014, 7, 3), 1 + 2j, b"x", len, partial(max, 3)),
    ],
)
def test_what_is_read_again_is_what_was_run(path, value):
    params = make_dataclass("P", ["scale", "value"])(1.0, value)
    made = sweep(trial, params, **RUN, fixed={"data": value}, file=path)
    assert json.dumps(made.header) == json.dumps(load(path).header)
    before = path.read_bytes()
    sweep(trial, params, **RUN, fixed={"data": value}, file=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.1 + 0.2, 0.3),
        (0.0, -0.0),
        (1, True),
        (1, "1"),
        (None, "None"),
        ((1, 2), (2, 1)),
        (np.zeros(3), np.zeros((3, 1))),
        (np.zeros(3), np.zeros(3, dtype=int)),
        ({3: "x"}, {3: "y"}),
        ({1, 2}, {1, 3}),
        (Inner, Params),
        (partial(max, 3), partial(max, 4)),
        ({1: Inner(0.1)}, {1: Inner(0.2)}),
    ],
)
def test_values_are_told_apart(path, one, other):
    sweep(trial, Params(), **RUN, fixed={"data": one}, file=path)
    with pytest.raises(ValueError, match=r"holds another sweep \(other fixed\.data"):
        sweep(trial, Params(), **RUN, fixed={"data": other}, file=path)


def recursive():
    def again(params, n, *, rng):
        return again(params, n - 1, rng=rng) if n else {"error": 0.0}

    return again


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_cannot_be_compared_is_refused_before_anything_runs(jobs, monkeypatch):
    monkeypatch.setattr(f"{__name__}.SCALE", None)
    for value in (lambda: 0, [{1: lambda: 0}], (x for x in "x")):
        with pytest.raises(ValueError, match=r"^fixed\.data.* holds what cannot be compared"):
            sweep(trial, Params(), **RUN, fixed={"data": value}, jobs=jobs)
    with pytest.raises(ValueError, match=r"^trial.* holds what cannot be compared"):
        sweep(recursive(), Params(), **RUN, jobs=jobs)


def test_axes_in_another_order_are_another_sweep(path):
    """The place of a trial hangs on it."""
    usual = {"repeats": 2, "rng": 3, "file": path}
    sweep(trial, Params(), {"scale": [1.0, 2.0], "n": [1, 2]}, **usual)
    with pytest.raises(ValueError, match=r"\(other axes in line 1\)"):
        sweep(trial, Params(), {"n": [1, 2], "scale": [1.0, 2.0]}, **usual)


# The source of a trial


def source(tmp_path, body, numbers="numpy"):
    made = module(tmp_path / f"module_{len(list(tmp_path.iterdir()))}.py", body, numbers)
    return call.Call(
        name="x", trial=made.trial, params=None, axes={}, repeats=1, seed=None, fixed={}
    ).source


def test_the_digest_of_a_source_stays_where_only_the_text_changes(tmp_path):
    usual = source(tmp_path, BODY)
    assert len(usual) == 16 and usual == source(tmp_path, BODY)
    assert usual == source(tmp_path, LAID_OUT, "math")
    assert usual == source(tmp_path, BODY.replace("numbers.sqrt", "numpy.sqrt"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("params.scale", "2 * params.scale"),
        ("sqrt", "cbrt"),
        ('"error"', '"other"'),
        ("numbers.sqrt(n)", "numbers.sqrt(n - (1 - 1))"),
        ("    return", "    if n:\n        rng.random()\n    return"),
    ],
)
def test_another_source_has_another_digest(tmp_path, old, new):
    assert old in BODY
    assert source(tmp_path, BODY) != source(tmp_path, BODY.replace(old, new))


def test_the_shape_of_a_source_counts(tmp_path):
    """The same words in the same order, in an "else" or after it, and in other brackets."""
    bodies = [
        "    if n:\n        x = 1\n    else:\n        x = 2\n",
        "    if n:\n        x = 1\n        x = 2\n",
        "    if n:\n        x = 1\n    x = 2\n",
        "    return n - (n - n)",
        "    return (n - n) - n",
        "    return None",
        "    return",
    ]
    assert len({source(tmp_path, body) for body in bodies}) == len(bodies)


def test_a_trial_without_a_text_has_no_digest():
    usual = {"name": "x", "params": None, "axes": {}, "repeats": 1, "seed": None, "fixed": {}}
    assert call.Call(trial=max, **usual).source is None
    made = {}
    exec("def trial(): pass", made)
    assert call.Call(trial=made["trial"], **usual).source is None
    partial_one = call.Call(trial=partial(trial, n=1), **usual).source
    assert partial_one == call.Call(trial=trial, **usual).source is not None


@pytest.mark.parametrize("finished", [True, False])
def test_a_trial_that_was_edited_is_said_and_its_numbers_decide(path, tmp_path, finished):
    run_of(module(tmp_path / "one.py", BODY), path)
    if not finished:
        change(path, dict, finished=False)
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-4]))
    first = first_line(path)
    edited = module(tmp_path / "two.py", BODY.replace("params.scale", "1 * params.scale"))
    with pytest.warns(UserWarning, match="was begun with another source of its trial; those that"):
        run_of(edited, path)
    assert first.items() <= first_line(path).items()
    before = path.read_bytes()
    with pytest.raises(ValueError, match="holds other numbers in line"):
        run_of(module(tmp_path / "three.py", BODY.replace("params.scale", "2")), path)
    assert path.read_bytes() == before
