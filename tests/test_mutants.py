"""The list of planted faults stays true while the package moves: `make mutants` runs it."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def load(name):
    """A module of the folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"tests/mutants/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


planted, unseen = load("planted"), load("unseen")
LISTS = [planted, unseen]
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


def test_a_survivor_is_one_of_the_faults():
    known = {(name, old) for _, (name, old, _) in FAULTS}
    for faulty in LISTS:
        assert faulty.SURVIVORS.keys() <= known and all(faulty.SURVIVORS.values())
