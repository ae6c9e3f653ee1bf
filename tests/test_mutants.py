"""The list of planted faults stays true while the package moves: `make mutants` runs it."""

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def load(name):
    """A module of the folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"tests/mutants/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


planted, unseen, painted = load("planted"), load("unseen"), load("painted")
sys.path.insert(0, str(ROOT / "tests/mutants"))
import generate  # noqa: E402
import killed  # noqa: E402

LISTS = [planted, unseen, painted]
FAULTS = [
    (room, fault) for faulty in LISTS for room, faults in faulty.ROOMS.items() for fault in faults
]


@pytest.mark.parametrize(("room", "fault"), FAULTS, ids=lambda part: str(part)[:60])
def test_a_fault_can_still_be_planted(room, fault):
    name, old, new = fault
    text = (ROOT / "dpviz" / name).read_text(encoding="utf-8")
    assert text.count(old) == 1 and old != new
    compile(text.replace(old, new), name, "exec")


def test_no_fault_is_in_both_lists():
    places = [(name, old) for _, (name, old, _) in FAULTS]
    assert len(places) == len(set(places))
    assert sum(map(len, unseen.ROOMS.values())) == 20 and len(unseen.ROOMS) >= 10


def test_there_are_enough():
    sizes = {room: len(faults) for room, faults in planted.ROOMS.items()}
    assert sum(sizes.values()) >= 40 and min(sizes.values()) >= 5 and sizes["privacy"] >= 10
    assert sizes["door"] >= 10


def test_a_survivor_is_one_of_the_faults():
    known = {(name, old) for _, (name, old, _) in FAULTS}
    for faulty in LISTS:
        assert faulty.SURVIVORS.keys() <= known and all(faulty.SURVIVORS.values())


SOURCE = '''
def spread(values, *, scale: float = 1.0):
    """No 1 + 1 here."""
    if len(values) < 2 or not scale:
        raise ValueError(f"values must be {2 + 2}")
    total = max(values) - min(values)
    total += round(total, 3)
    print(total, label=4)
    checked = int(-total, base=True)
    return scale * (total / 0.5) if checked is None else total**2
'''
CHANGES = {
    "Lt 0 -> LtE": "len(values) <= 2",
    "Or -> And": "len(values) < 2 and (not scale)",
    "Not -> nothing": "< 2 or scale",
    "test -> its opposite": "if not (len(values) < 2 or not scale)",
    "2 -> 3": "len(values) < 3",
    "2 -> 1": "len(values) < 1",
    "Sub -> Add": "max(values) + min(values)",
    "max -> min": "min(values) - min(values)",
    "min -> max": "max(values) - max(values)",
    "Add -> Sub": "total -= round(total, 3)",
    "round: two arguments exchanged": "round(3, total)",
    "call -> nothing": "    pass",
    "True -> False": "base=False",
    "int: without base": "int(-total)",
    "USub -> nothing": "int(total, base=True)",
    "Mult -> Div": "scale / (total / 0.5)",
    "Div -> Mult": "total * 0.5",
    "0.5 -> 1.0": "total / 1.0",
    "Is 0 -> IsNot": "checked is not None",
    "Pow -> Mult": "total * 2",
    "return -> None": "return None",
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_made_once_and_nowhere_else(what):
    mutants = [
        mutant for mutant in generate.mutants_of(SOURCE) if mutant.key.split(" | ")[2] == what
    ]
    before = ast.unparse(ast.parse(SOURCE)).split("\n")
    after = ast.unparse(mutants[0].planted()).split("\n")
    differ = [new for old, new in zip(before, after, strict=True) if old != new]
    assert len(differ) == 1 and CHANGES[what] in differ[0]
    assert mutants[0].exchanges()


def test_text_annotations_and_errors_do_not_change():
    changed = [ast.unparse(mutant.planted()) for mutant in generate.mutants_of(SOURCE)]
    fixed = ['"""No 1 + 1 here."""', "{2 + 2}", "scale: float=1.0", "label=4"]
    assert all(part in text for text in changed for part in fixed if "pass" not in text)
    known = {mutant.key.split(" | ")[2] for mutant in generate.mutants_of(SOURCE)}
    assert known - CHANGES.keys() <= {"3 -> 4", "3 -> 2", "round: without ndigits"}


def test_keys_are_stable_when_a_function_moves():
    here = {mutant.key for mutant in generate.mutants_of(SOURCE)}
    moved = "import math\n\nX = 3\n\n\ndef other(y):\n    return y + 1\n\n" + SOURCE
    there = {mutant.key for mutant in generate.mutants_of(moved)}
    assert here < there and {key.split(" | ")[0] for key in there - here} == {"other"}


@pytest.fixture(scope="module")
def keys():
    """Of all mutants of all rooms."""
    return [key for room in generate.DRAWN for key in generate.pool(room)]


def test_the_draw_is_as_large_as_said(keys):
    assert sum(generate.DRAWN.values()) == 300
    assert generate.DRAWN["privacy"] + generate.DRAWN["accounting"] == 100
    assert len(keys) > 10_000


def test_reasons_belong_to_mutants_that_exist(keys):
    reasons = killed.equivalent()
    assert reasons.keys() <= set(keys) and all(reasons.values())
