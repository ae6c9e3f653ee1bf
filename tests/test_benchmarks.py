"""The bench prints and stores what it has, and ends, whatever it meets."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

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
    assert run.measure(groups, tmp_path / "lines.json") == ["middle"]
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

    assert run.measure({"X": looks_back}, tmp_path / "lines.json") == []


def test_the_exit_status_says_that_a_group_broke_off(run, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["run.py"])
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
    results.write(page := tmp_path / "R.md", lines, ["T9"], [1.0, 2.0])
    text = page.read_text(encoding="utf-8")
    parts = text.split("\n## ")
    assert [[f"| {line.id} |" in part for part in parts[1:3]] for line in lines] == [
        [False, True], [True, False], [False, True], [True, False]
    ]  # fmt: skip
    assert "**B** (1, target <= 2): it does more." in parts[3]
    assert "**C** (1, target <= 2): measured at a load of 99.0" in parts[3]
    assert "**A**" not in parts[3] and "**D**" not in parts[3]
    assert "2 of 4 lines meet their target. Groups that broke off: T9." in parts[0]
    assert "Missing: Y-package: No version of Y-package." in text


def test_what_pip_says_is_kept_without_addresses_and_paths(run):
    import install_peers

    said = (
        "Looking in indexes: https://a.b/c\nERROR: No y from https://a.b/c in /home/d (1.0/2.0)\n"
    )
    assert install_peers.reason(said) == "No y from ... in ... (1.0/2.0)"
    assert "did not say" in install_peers.reason("")


def test_a_peer_that_is_missing_is_a_line_and_stops_nothing(run, monkeypatch, tmp_path):
    import install_peers
    import peers

    monkeypatch.setattr(install_peers, "FOLDER", tmp_path)
    monkeypatch.setattr(peers, "noise", lambda: iter([peers.ask("opendp_laplace")]))
    monkeypatch.setattr(peers, "accountant", works)
    for name in ("clusters", "sparse_queries", "kernels"):
        monkeypatch.setattr(peers, name, lambda: ())
    found = list(peers.lines())
    assert [line["holds"] for line in found] == [False, True]
    assert "make peers" in found[0]["what"]


def test_a_slider_that_is_off_gets_no_keys(browser):
    root = Slider(9, range(10), 2, off="")
    assert browser.key_times(root) == []
    assert root.pressed == 0
