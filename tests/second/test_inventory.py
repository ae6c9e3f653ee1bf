"""No proved bound without a second derivation: see ``tests/second/__init__.py``."""

import re

import pytest

from second import HERE, bounds_of, derived_of, reasons_of, rooms_of

FILES = {path.name: path.read_text(encoding="utf-8") for path in sorted(HERE.glob("test_*.py"))}
# Rooms that have no file here yet.
COVERING = {name: source for name, source in FILES.items() if rooms_of(source)}


@pytest.mark.parametrize("file", COVERING)
def test_every_bound_has_a_second_derivation_or_a_reason(file):
    bounds = {name for room in rooms_of(FILES[file]) for name in bounds_of(room)}
    derived, reasons = derived_of(FILES[file]), reasons_of(FILES[file])
    assert bounds and bounds - set(derived) - set(reasons) == set(), "no second derivation"
    assert set(reasons) - bounds == set(), "a reason for what is not there"
    assert set(reasons) & set(derived) == set(), "a reason for what is derived twice"
    assert all(len(reason) > 20 for reason in reasons.values())


@pytest.mark.parametrize("file", COVERING)
def test_a_second_derivation_is_a_test_of_something_that_is_there(file):
    for name, test in derived_of(FILES[file]).items():
        assert test.startswith("test_"), f"{test} never runs"
        module, _, function = name.rpartition(".")
        if module[-1:].isidentifier() and re.search(r"\.[A-Z]\w*$", module):
            module = module.rpartition(".")[0]
        path = HERE.parents[1].joinpath("dpviz", *module.split(".")).with_suffix(".py")
        assert f"def {function}(" in path.read_text(encoding="utf-8"), f"{name} is not there"


def test_every_room_with_bounds_is_covered():
    rooms = tuple(room for source in COVERING.values() for room in rooms_of(source))
    bounds = {name for room in ("accounting", "privacy", "papers") for name in bounds_of(room)}
    covered = tuple(f"{room}." for room in rooms)
    assert {name for name in bounds if not name.startswith(covered)} == set()


def test_a_new_bound_is_missed(tmp_path):
    room = tmp_path / "papers" / "new.py"
    room.parent.mkdir()
    text = "def error_bound(n): ...\nclass A:\n    def noise_bound(self): ...\n"
    room.write_text(text + "def _tail(x): ...\ndef paper_bound(): ...\ndef release(): ...\n")
    names = ["error_bound", "A.noise_bound", "_tail"]
    assert list(bounds_of("papers.new", tmp_path)) == [f"papers.new.{name}" for name in names]


def test_marks_rooms_and_reasons_are_read_from_a_source():
    source = (
        'ROOMS = ("a.b",)\nWITHOUT = {"a.b.least": "why"}\n'
        '@second("a.b.error_bound", "a.b.tail")\ndef test_a(): ...\n'
    )
    assert rooms_of(source) == ("a.b",) and reasons_of(source) == {"a.b.least": "why"}
    assert derived_of(source) == {"a.b.error_bound": "test_a", "a.b.tail": "test_a"}
