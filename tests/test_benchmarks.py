"""The bench prints and stores what it has, and ends, whatever it meets."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
LINE = {"id": "X", "what": "w", "value": 1.0, "unit": "s", "target": "<= 2", "holds": True}


@pytest.fixture
def run(monkeypatch):
    before = set(sys.modules)
    monkeypatch.syspath_prepend(BENCHMARKS)
    yield importlib.import_module("run")
    for name in set(sys.modules) - before:
        if str(BENCHMARKS) in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]  # such names as "audit" are not to stay


@pytest.fixture
def browser(run):
    return importlib.import_module("browser")


def works():
    yield {**LINE, "peer": ""}


def breaks():
    yield {**LINE, "id": "Y", "peer": ""}
    raise ZeroDivisionError("nothing\nto divide by")


def test_a_group_that_breaks_off_loses_nothing_else(run, tmp_path, capsys):
    groups = {"before": works, "middle": breaks, "after": works}
    assert run.measure(groups, tmp_path / "kept", tmp_path / "lines.json") == ["middle"]
    stored = json.loads((tmp_path / "lines.json").read_text(encoding="utf-8"))
    assert [line["id"] for line in stored] == ["X", "Y", "X"]
    printed, timed = capsys.readouterr()
    assert "middle broke off: ZeroDivisionError: nothing to divide by" in printed
    assert printed.count("holds") == 3
    assert [line.split(":")[0] for line in timed.splitlines()] == list(groups)


def test_a_line_is_out_before_the_next_is_measured(run, tmp_path, capsys):
    def looks_back():
        yield {**LINE, "peer": ""}
        assert "holds" in capsys.readouterr().out
        assert len(json.loads((tmp_path / "lines.json").read_text(encoding="utf-8"))) == 1
        yield {**LINE, "peer": ""}

    assert run.measure({"X": looks_back}, tmp_path / "kept", tmp_path / "lines.json") == []


def test_groups_run_one_by_one_give_the_page_that_all_together_give(run, tmp_path, monkeypatch):
    groups = {"A": works, "B": breaks, "C": works}
    monkeypatch.setattr(run, "GROUPS", groups)
    monkeypatch.setattr(run, "load", lambda: 0.5)
    pages = []
    for way in ([], ["C", "A", "B"]):
        monkeypatch.setattr(run, "KEPT", tmp_path / f"kept{len(way)}")
        for words in [[name] for name in way] or [[]]:
            page = tmp_path / "page.md"
            monkeypatch.setattr(sys, "argv", ["run.py", "--results", str(page), *words])
            run.main()
            pages.append(page.read_text(encoding="utf-8"))
    whole, first, _, last = pages
    assert last == whole and "3 of 3 lines meet their target. B broke off: ZeroDiv" in whole
    assert "1 of 1 lines meet their target. Groups that were not measured: A, B." in first


def test_the_page_holds_the_newest_run_of_every_group(run):
    page = (BENCHMARKS / "RESULTS.md").read_text(encoding="utf-8")
    runs = {name: run.read(run.KEPT, name) for name in run.GROUPS}
    lines = [line for each in runs.values() for line in each.lines]
    for row in run.results.table(lines).splitlines():
        assert row in page
    assert run.results.loads(runs) in page


def test_the_exit_status_says_that_a_group_broke_off(run, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", ["run.py"])
    monkeypatch.setattr(run, "KEPT", tmp_path)
    monkeypatch.setattr(run, "GROUPS", {"good": works})
    assert run.main() == 0
    monkeypatch.setattr(run, "GROUPS", {"good": works, "bad": breaks})
    assert run.main() == 1


def test_a_group_that_does_not_exist_is_refused():
    command = [sys.executable, str(BENCHMARKS / "run.py"), "T99"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no such group: T99" in done.stderr


class Slider:
    """Stands for a root with so many equal sliders: keys move one, some values show a picture."""

    def __init__(self, steps, shows, handles=1, off=None):
        self.steps, self.shows, self.value, self.pressed = steps, shows, 0, 0
        self.page = self.keyboard = self
        self.handles, self.off = handles, off

    def locator(self, selector):
        return self

    def all(self):
        return [self] * self.handles

    def focus(self):
        pass

    def evaluate(self, *_):
        pass

    def get_attribute(self, name):
        return self.off if name == "disabled" else str(self.value)

    def press(self, key):
        before, moved = self.value, {"Home": -self.steps, "ArrowLeft": -1, "ArrowRight": 1}[key]
        self.value = min(self.steps, max(0, before + moved))
        self.pressed += key != "Home"
        return 50.0 if self.value != before and self.value in self.shows else None


@pytest.mark.parametrize(
    ("steps", "shows", "handles", "keys", "pictures"),
    [
        (9, range(10), 1, 30, 27),  # three keys change nothing: they push at an end
        (9, (), 1, 30, 0),  # dead
        (100, range(101), 1, 30, 30),
        (100, range(101), 3, 30, 30),  # the same number of keys, shared
        (100, range(101), 4, 32, 32),  # rounded up
    ],
)
def test_an_explorer_gets_its_keys_shared_by_its_sliders(
    browser, monkeypatch, steps, shows, handles, keys, pictures
):
    root = Slider(steps, shows, handles)
    monkeypatch.setattr(browser, "press", lambda root, key: root.press(key))
    assert len(browser.key_times(root)) == pictures
    assert root.pressed == keys


def test_the_page_has_ratios_first_and_every_miss_with_its_reason(run, tmp_path, monkeypatch):
    import peers
    import results

    monkeypatch.setattr(peers, "missing", lambda: {"Y-package": "No version of Y-package"})
    monkeypatch.setitem(results.REASONS, "B", "it does more")
    kinds = [("A", "s", True), ("B", "ratio", False), ("C", "s", False), ("D", "share", True)]
    lines = [
        run.Line(**{**LINE, "id": id_, "unit": unit, "holds": holds, "peer": "p"}, load=99.0)
        for id_, unit, holds in kinds
    ]
    monkeypatch.setattr(results.os, "cpu_count", lambda: 1)
    groups = {
        "T1": run.Run("1999-12-31", 7.0, lines, [1.0, 99.0], peers={"Z-package": "3.1"}),
        "T9": run.Run("2000-01-01", 3.0, [], [2.0], "it was too late"),
        "T99": run.Run(),
    }
    results.write(page := tmp_path / "R.md", groups)
    text = page.read_text(encoding="utf-8")
    parts = text.split("\n## ")
    assert [[f"| {line.id} |" in part for part in parts[1:3]] for line in lines] == [
        [False, True], [True, False], [False, True], [True, False]
    ]  # fmt: skip
    assert "**B** (1, target <= 2): it does more." in parts[3]
    assert "**C** (1, target <= 2): measured at a load of 99.0" in parts[3]
    assert "**A**" not in parts[3] and "**D**" not in parts[3]
    told = "2 of 4 lines meet their target. Groups that were not measured: T99. T9 broke off: it"
    assert told in parts[0]
    assert "| T1 | 1999-12-31 | 7 | 1.0 | 99.0 |" in parts[5] and "T99" not in parts[5]
    assert "Z-package 3.1." in parts[4]
    assert "Other programs ran beside 1 of 2 groups" in parts[5]
    assert "Missing: Y-package: No version of Y-package." in text


def test_what_pip_says_is_kept_without_addresses_and_paths(run):
    import install_peers

    said = (
        "Looking in indexes: https://a.b/c\nERROR: No y from https://a.b/c in /home/d (1.0/2.0)\n"
    )
    assert install_peers.reason(said) == "No y from ... in ... (1.0/2.0)"
    assert "did not say" in install_peers.reason("")


def test_a_peer_that_is_missing_is_a_line(run, monkeypatch, tmp_path):
    import install_peers
    import peers

    monkeypatch.setattr(install_peers, "FOLDER", tmp_path)
    monkeypatch.setitem(peers.PARTS, "P1", lambda: iter([peers.ask("opendp_laplace")]))
    [found] = peers.lines("P1")
    assert not found["holds"] and "make peers" in found["what"]
    monkeypatch.setitem(peers.PARTS, "P1", works)
    assert [line["holds"] for line in peers.lines("P1")] == [True]


def test_a_slider_that_is_off_gets_no_keys(browser):
    root = Slider(9, range(10), 2, off="")
    assert browser.key_times(root) == []
    assert root.pressed == 0


def test_moves_in_the_kernel_go_to_other_values_of_what_acts(browser):
    ends = {"a": range(4), "b": ("x", "y"), "off": range(9)}
    controls = {name: SimpleNamespace(values=values) for name, values in ends.items()}
    inputs = {name: SimpleNamespace(value=ends[name][0], disabled=name == "off") for name in ends}
    face = SimpleNamespace(inputs=inputs, explorer=SimpleNamespace(controls=controls, handles={}))
    states = [("a", 0)]
    for move in browser.moves(face):
        before = {name: widget.value for name, widget in inputs.items()}
        move()
        states += [(name, w.value) for name, w in inputs.items() if w.value != before[name]]
        assert inputs["off"].value == 0
    assert len(states) > browser.MOVES / 2  # two of three controls act, and each move changes one
    assert set(states) == {("a", 0), ("a", 1), ("a", 2), ("a", 3), ("b", "x"), ("b", "y")}


def test_an_explorer_that_was_not_reached_is_named(browser, monkeypatch, capsys):
    monkeypatch.setattr(browser, "makers", lambda: dict.fromkeys(["a", "b", "c", "d", "e"]))
    shown = [("a", [10.0, 20.0, 30.0]), ("c", [])]
    monkeypatch.setattr(browser, "in_browser", lambda names, end: iter(shown))
    lines = list(browser.half(0)())
    assert [(line["id"], line["holds"]) for line in lines] == [("T11a", False), ("T11b", False)]
    assert "worst of 1 of 3 (a)" in lines[0]["what"]
    assert "no new picture: c, e;" in capsys.readouterr().err
    shown[1:] = [("c", [5.0]), ("e", [5.0])]
    assert all(line["holds"] for line in browser.half(0)())
