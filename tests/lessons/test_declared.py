"""Exercises declared in a file: what nothing reads is refused, and what is computed is shown."""

import numpy as np
import pytest

from dpviz.exercises import declared
from dpviz.exercises.answers import RIGHT
from dpviz.exercises.program import Program

TEXTS = """
[half]
question = '''Half of {n:,} is
what?'''
number = "n/2"
slips."2*n" = "Half, not twice {n}."
hints = ["Divide."]
solution = "{share:.1f}"

[best]
question = "Which of {1, 2}?"
options.one = "Is it?"
options.two = "Is that?"
hints = []
solution = "It depends."

[bound]
question = "A bound on n?"
formula = "n"
draw = { n = [1, 9] }
most = "2*n"
hints = []
solution = "n"

[write_double]
question = "Double x."
slips.single = '''Is that twice
the number?'''
otherwise = "Which number is it?"
hints = []
solution = "2x"
"""


@pytest.fixture
def lesson(monkeypatch, tmp_path):
    """A package whose exercises are TEXTS, or others."""

    def write(texts=TEXTS):
        (tmp_path / "exercises.toml").write_text(texts)
        declared.declarations.cache_clear()
        monkeypatch.setattr(declared, "files", lambda package: tmp_path)
        return "dpviz.lessons.small.exercises"

    yield write
    declared.declarations.cache_clear()


def test_what_is_computed_stands_in_sentences_and_formulas(lesson):
    made = declared.makers(lesson(), half=lambda: {"n": 5000, "share": 2500.0})
    exercise = made["half"]()
    assert exercise.question == "Half of 5,000 is what?"
    assert exercise.answer.judge("2500") == RIGHT
    assert exercise.answer.judge("10000") == "Half, not twice 5000."
    assert "2500.0" in exercise.solution and exercise.name == "small.half"


def test_a_computed_choice_is_right_and_braces_stay_where_nothing_is_computed(lesson):
    first, second = (
        declared.makers(lesson(), best={"right": best})["best"]() for best in ("one", "two")
    )
    assert (first.right, second.right) == ("one", "two") and second.wrong == "one"
    exercise = declared.makers(lesson(TEXTS.replace('"Is it?"', "true")))["best"]()
    assert exercise.question == "Which of {1, 2}?"


def test_a_bound_may_be_a_formula_or_a_function(lesson):
    declared_bound = declared.makers(lesson())["bound"]().answer
    computed = declared.makers(lesson(), bound={"most": lambda n: np.full_like(n, 20)})
    for answer, typed, right in (
        (declared_bound, "1.5*n", True),
        (declared_bound, "20", False),
        (computed["bound"]().answer, "20", True),
    ):
        assert (answer.judge(typed) == RIGHT) == right


@pytest.mark.parametrize("slip", ["hint = []", "reveals = 'x'"])
def test_a_key_that_nothing_reads_is_refused(lesson, slip):
    module = lesson(TEXTS.replace("[best]\n", f"[best]\n{slip}\n"))
    with pytest.raises(ValueError, match="best has the unknown key"):
        declared.makers(module)


def test_what_is_computed_for_no_exercise_is_refused(lesson):
    with pytest.raises(ValueError, match=r"computed must name exercises of .*, not third"):
        declared.makers(lesson(), third={"n": 1})


def doubled(x):
    return 2 * x


def test_slips_of_a_function_are_told_by_the_texts_and_each_has_a_text(lesson):
    program = {"solution": doubled, "inputs": lambda rng: [(rng.normal(),)]}
    own = Program(**program, slips={"single": lambda x: x})
    judge = declared.makers(lesson(), write_double=own)["write_double"]().answer.judge
    assert judge(doubled) == RIGHT and judge(lambda x: x) == "Is that twice the number?"
    assert judge(lambda x: x + 1) == "Which number is it?"
    other = Program(**program, slips={"half": lambda x: x})
    with pytest.raises(ValueError, match=r"slips must be \['single'\], not \['half'\]"):
        declared.makers(lesson(), write_double=other)["write_double"]()
