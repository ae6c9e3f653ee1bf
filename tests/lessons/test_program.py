"""Functions that a reader writes: right is right, slips are told apart, nonsense is answered."""

import importlib
import inspect
import json
import pkgutil
import signal
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dpviz import lessons
from dpviz.exercises import program
from dpviz.exercises.answers import RIGHT
from dpviz.exercises.faces import ExerciseFace
from dpviz.exercises.program import Coding, Program, by_factor, by_spread, laplace
from dpviz.lessons.privacy import exercises
from dpviz.words import say

FOLDERS = [found.name for found in pkgutil.iter_modules(lessons.__path__) if found.ispkg]
CODED = [
    make
    for module in (importlib.import_module(f"dpviz.lessons.{name}.exercises") for name in FOLDERS)
    for name, make in inspect.getmembers(module, inspect.isfunction)
    if name.startswith("write_")
]


@pytest.mark.parametrize("make", CODED, ids=lambda make: make.__name__)
def test_the_solution_is_right_and_each_slip_is_told(make):
    answer = make().answer
    assert answer.judge(answer.solution) == RIGHT
    assert [answer.judge(slip) for slip in answer.slips.values()] == list(answer.slips)
    assert len(answer.slips) >= 4


@pytest.mark.parametrize("make", CODED, ids=lambda make: make.__name__)
def test_the_stub_is_met_kindly_and_the_hints_are_three(make):
    names = {}
    exec(make().answer.wrong, names)
    stub = next(each for name, each in names.items() if name != "__builtins__")
    exercise = make(stub)
    assert exercise.said.lines == (say(program.NOTHING),) and not exercise.said.right
    assert say(program.NOTHING) in exercise.page()
    assert len(exercise.hints) == 3
    code = "".join(make().answer.right.split())
    assert not any("".join(hint.split()) in code for hint in exercise.hints)


def test_the_lessons_hold_the_stubs():
    paths = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
    cells = [cell for path in paths for cell in json.loads(path.read_text("utf-8"))["cells"]]
    sources = {"".join(cell["source"]) for cell in cells}
    for make in CODED:
        stub = make().answer.wrong
        name = stub.removeprefix("def ").partition("(")[0]
        assert f"{stub}\n\n\nexercises.{make.__name__}({name})" in sources


@pytest.mark.parametrize("make", CODED, ids=lambda make: make.__name__)
def test_the_worked_solution_runs_as_it_is_printed(make):
    """With numpy alone, as in the lesson's cell."""
    names = {"np": np}
    exec(make().answer.right, names)
    answer = make().answer
    written = names[answer.right.removeprefix("def ").partition("(")[0]]
    assert make(written).said.right


def forever(data, lower, upper, *, epsilon, rng):
    while True:
        pass


def interrupted(data, lower, upper, *, epsilon, rng):
    raise KeyboardInterrupt


def always(value):
    """A function of the right arguments that returns the same, or fails."""
    return lambda data, lower, upper, *, epsilon, rng: value() if callable(value) else value


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (None, "the function itself"),
        (3.2, "not a float"),
        (np.zeros(3), "not a ndarray"),
        (lambda data: 1.0, "should take (data, lower, upper, *, epsilon, rng)"),
        (lambda data, lower, upper, epsilon: 1.0, "should take"),
        (always("0.3"), "same number"),  # text that is a number is one
        (always("seven"), "a str instead of one number"),
        (always({}), "a dict instead of one number"),
        (always(1j), "a complex instead of one number"),
        (always([1.0, 2.0]), "2 numbers; expected: one number"),
        (always(np.zeros((2, 2))), "an array of shape (2, 2); expected: one number"),
        (always(np.nan), "not finite"),
        (always(None), "Nothing is returned yet"),
        (always(lambda: 1 / 0), "It raised ZeroDivisionError: division by zero"),
        (always(7.0), "same number in every run"),
        (interrupted, "It was interrupted"),
        (forever, "has not returned"),
    ],
)
def test_nonsense_is_told_what_is_expected(given, word, monkeypatch):
    if given is forever:
        monkeypatch.setattr(program, "SECONDS", 0.2)
        if not hasattr(signal, "setitimer"):
            pytest.skip("here a reader has to interrupt it")
    said = exercises.write_mean(given).said
    assert not said.right and len(said.lines[0]) < 200
    assert word in said.lines[0]


def test_a_reader_cannot_change_the_inputs():
    def greedy(data, lower, upper, *, epsilon, rng):
        np.clip(data, lower, upper, out=data)
        return data.mean() + rng.laplace(scale=(upper - lower) / (len(data) * epsilon))

    assert exercises.write_mean(greedy).said.right


def test_other_right_ways_are_right():
    """A difference of exponentials is Laplace noise; a sum is a mean times n."""

    def other(data, lower, upper, *, epsilon, rng):
        n = len(data)
        total = sum(min(max(value, lower), upper) for value in data.tolist())
        one, two = rng.exponential(size=2)
        return (total + (upper - lower) / epsilon * (one - two)) / n

    assert exercises.write_mean(other).said.right


def test_a_right_random_answer_fails_once_in_a_million():
    """The Kolmogorov-Smirnov test is exact; three inputs share the probability."""
    far = stats.kstwo.isf(program.BY_CHANCE / 3, 6000)
    draw = np.random.default_rng(4)
    found = [stats.kstest(draw.uniform(size=6000), "uniform").statistic for _ in range(300)]
    assert max(found) < far < 0.04  # a normal law of the same scale is 0.045 away
    placed = laplace(draw.laplace(3, 2, size=6000), 3, 2)
    assert stats.kstest(placed, "uniform").statistic < far


def test_what_no_slip_explains_is_told_by_its_kind():
    expected = np.array([1.0, -2.0, 0.0])
    assert "Every number is -3 times" in by_factor(-3 * expected, expected)
    assert "33% of the numbers differ" in by_factor(np.array([1.0, -2.0, 1.0]), expected)
    draw = np.random.default_rng(2).laplace(size=(2, 4000))
    assert "about 3 times as wide" in by_spread(laplace(3 * draw, 0, 1), draw)
    assert "not centred" in by_spread(laplace(draw + 1, 0, 1), draw)
    assert "What should it depend on" in by_spread(laplace(draw * [[1], [2]], 0, 1), draw)
    normal = np.random.default_rng(3).normal(scale=1.25, size=(2, 4000))
    assert "not Laplace" in by_spread(laplace(normal, 0, 1), normal)


def double(x):
    return 2 * x


def test_the_face_shows_what_was_said_and_hints_below_it():
    task = Program(
        solution=double,
        slips={"Twice!": lambda x: x},
        inputs=lambda rng: [(rng.normal(),) for _ in range(3)],
    )
    exercise = Coding("Double it.", task, ["Add.", "x + __"], "Twice:", lambda x: x)
    face = ExerciseFace(exercise)
    assert "Twice!" in face.feedback.value and "def double(x):" in face.solution.value
    face.hint()
    assert "Twice!" in face.feedback.value and "Hint 1. Add." in face.feedback.value
    assert [each.description for each in face.children[1].children[1:]] == ["hint"]
    assert "Each run of the cell checks" in face.entry.value
    assert exercise.check(double).right and exercise.said.right
    assert "Every number is 4 times" in exercise.check(lambda x: 8 * x).lines[0]


def test_the_argument_of_each_maker_is_the_function():
    for make in CODED:
        (name,) = inspect.signature(make).parameters
        assert name == "program" and isinstance(make(), Coding)
