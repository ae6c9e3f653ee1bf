"""The list of planted faults stays true while the package moves: `make mutants` runs it."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("planted", ROOT / "tests/mutants/planted.py")
planted = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(planted)
FAULTS = [(room, fault) for room, faults in planted.ROOMS.items() for fault in faults]


@pytest.mark.parametrize(("room", "fault"), FAULTS, ids=lambda part: str(part)[:60])
def test_a_fault_can_still_be_planted(room, fault):
    name, old, new = fault
    text = (ROOT / "dpviz" / name).read_text(encoding="utf-8")
    assert text.count(old) == 1 and old != new
    compile(text.replace(old, new), name, "exec")


def test_there_are_enough():
    sizes = {room: len(faults) for room, faults in planted.ROOMS.items()}
    assert sum(sizes.values()) >= 40 and min(sizes.values()) >= 5 and sizes["privacy"] >= 10


def test_a_survivor_is_one_of_the_faults():
    known = {(name, old) for _, (name, old, _) in FAULTS}
    assert planted.SURVIVORS.keys() <= known and all(planted.SURVIVORS.values())
