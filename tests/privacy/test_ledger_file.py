"""A budget in a file: never overspent, nothing lost when a process dies; damage is found."""

import errno
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dpviz import files
from dpviz.privacy import ledger_file
from dpviz.privacy.curator import BudgetExceeded, Cost
from dpviz.privacy.ledger_file import FileLedger, create, read, reserve

ABOUT = {"dataset": "clinic", "unit": "one patient", "mechanism": "laplace", "plan": "ab12"}
ROOT = Path(__file__).parents[2]
HEAD = f"""
import os, signal, sys
from pathlib import Path
from dpviz.privacy import ledger_file
from dpviz.privacy.curator import BudgetExceeded
path, answers = Path(sys.argv[1]), Path(sys.argv[2])
about = {ABOUT!r}
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
def answer():
    ledger_file.reserve(path, epsilon=0.25, **about)
    answers.write_text("42")
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "budget.json"
    create(path, FileLedger(dataset="clinic", unit="one patient", budget=Cost(epsilon=1.0)))
    return path


def child(code, *arguments, wait=True):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", HEAD + code, *map(str, arguments)]
    if wait:
        how = {"capture_output": True, "text": True, "timeout": 60, "env": environment}
        return subprocess.run(command, check=False, **how)
    return subprocess.Popen(command, env=environment)


def test_a_person_can_read_it_and_charges_add_up_exactly(path):
    for _ in range(10):
        reserve(path, epsilon=0.1, **ABOUT)
    stored = json.loads(path.read_text("utf-8"))
    assert stored["spent"] == {"epsilon": 1.0} and len(stored["charges"]) == 10
    charge = stored["charges"][0]
    assert (charge["mechanism"], charge["plan"]) == ("laplace", "ab12") and charge["date"]
    assert "can reset it" in stored["warning"] and stored["unit"] == "one patient"
    with pytest.raises(BudgetExceeded, match="is asked for, but nothing of epsilon 1 is left"):
        reserve(path, epsilon=1e-9, **ABOUT)
    assert "spent epsilon 1 of epsilon 1" in str(read(path))


def test_by_zcdp_pure_charges_add_up_in_rho(tmp_path):
    path = tmp_path / "rho.json"
    create(path, FileLedger(dataset="clinic", unit="one patient", budget=Cost(rho=0.5)))
    for _ in range(4):
        reserve(path, epsilon=0.5, **ABOUT)
    assert read(path).ledger.spent == Cost(rho=0.5)
    with pytest.raises(BudgetExceeded):
        reserve(path, epsilon=0.01, **ABOUT)
    with pytest.raises(ValueError, match="without delta only"):
        reserve(path, epsilon=0.01, delta=1e-9, **ABOUT)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"dataset": "other"}, "has dataset 'clinic', not 'other'"),
        ({"unit": "one visit"}, "has unit 'one patient', not 'one visit'"),
        ({"epsilon": 0.0}, "epsilon must be"),
        ({"epsilon": float("nan")}, "epsilon must be"),
        ({"delta": 1e-9}, "is asked for, but"),
        ({"delta": -0.5}, "delta must be"),
        ({"delta": float("nan")}, "delta must be"),
    ],
)
def test_what_does_not_fit_charges_nothing(path, wrong, words):
    before = path.read_bytes()
    with pytest.raises((ValueError, BudgetExceeded), match=words):
        reserve(path, **{"epsilon": 0.5, **ABOUT, **wrong})
    assert path.read_bytes() == before


def test_a_budget_is_begun_once(path):
    with pytest.raises(ValueError, match="exists already"):
        create(path, FileLedger(dataset="clinic", unit="one patient", budget=Cost(epsilon=9.0)))
    with pytest.raises(ValueError, match="begin it once with: dpviz ledger"):
        read(path.with_name("none.json"))
    with pytest.raises(ValueError, match="budget must be an epsilon"):
        FileLedger(dataset="clinic", unit="one patient", budget=Cost(epsilon=1.0, rho=1.0))


def test_another_name_of_the_file_is_the_same_ledger(path, tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to(path)
    reserve(link, epsilon=0.25, **ABOUT)
    reserve(path, epsilon=0.25, **ABOUT)
    assert link.is_symlink() and read(link).ledger.spent == Cost(epsilon=0.5)


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_a_second_name_that_would_keep_the_old_charges_is_refused(path, tmp_path):
    """A file that is replaced leaves its hard links behind, each with the whole budget."""
    os.link(path, tmp_path / "other.json")
    with pytest.raises(ValueError, match="a hard link"):
        reserve(path, epsilon=0.5, **ABOUT)
    assert read(path).entries == ()


def test_a_charge_gives_nobody_else_the_file(path):
    path.chmod(0o600)
    reserve(path, epsilon=0.25, **ABOUT)
    assert path.stat().st_mode & 0o777 == 0o600


def test_two_processes_on_one_ledger_never_overspend(path, tmp_path):
    """Forty charges of 1/20 are tried: twenty are paid, each exactly once."""
    code = """
paid = 0
for _ in range(20):
    try:
        ledger_file.reserve(path, epsilon=0.05, **about)
        paid += 1
    except BudgetExceeded:
        pass
answers.write_text(str(paid))
"""
    names = [tmp_path / "one", tmp_path / "two"]
    processes = [child(code, path, name, wait=False) for name in names]
    assert [process.wait(60) for process in processes] == [0, 0]
    paid = [int(name.read_text()) for name in names]
    assert sum(paid) == 20 == len(read(path).entries)
    assert read(path).ledger.spent == Cost(epsilon=1.0)


class Windows:
    """The calls that Windows' locks are asked for: simulated, nothing here ran on Windows."""

    LK_LOCK, LK_UNLCK = 1, 0

    def __init__(self, path, *problems):
        self.path, self.problems, self.calls = path, list(problems), []

    def locking(self, fd, mode, size):
        charges = len(read(self.path).entries)
        self.calls.append((os.lseek(fd, 0, os.SEEK_CUR), mode, size, charges))
        if mode == self.LK_LOCK and self.problems:
            raise OSError(self.problems.pop(0), "no lock")


def test_on_windows_the_first_byte_is_locked_before_and_freed_after(path, monkeypatch):
    """After ten seconds Windows gives up (EDEADLK) and is asked again."""
    for problems in ((), (errno.EDEADLK, errno.EDEADLK)):
        fake = Windows(path, *problems)
        with monkeypatch.context() as patched:
            patched.setattr(sys, "platform", "win32")
            patched.setitem(sys.modules, "msvcrt", fake)
            reserve(path, epsilon=0.5, **ABOUT)
        before = len(read(path).entries) - 1
        lock, free = (0, Windows.LK_LOCK, 1, before), (0, Windows.LK_UNLCK, 1, before + 1)
        assert fake.calls == [lock] * (1 + len(problems)) + [free]


def test_on_windows_a_lock_that_is_refused_charges_nothing(path, monkeypatch):
    fake = Windows(path, errno.EACCES)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", fake)
    with pytest.raises(ValueError, match="cannot be locked, so nothing is released: no lock"):
        reserve(path, epsilon=0.5, **ABOUT)
    assert read(path).entries == () and len(fake.calls) == 1


def test_on_windows_the_lock_is_freed_when_a_charge_is_refused(path, monkeypatch):
    fake = Windows(path)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", fake)
    with pytest.raises(BudgetExceeded):
        reserve(path, epsilon=5.0, **ABOUT)
    assert [mode for _, mode, *_ in fake.calls] == [Windows.LK_LOCK, Windows.LK_UNLCK]


RENAMED = "rename = Path.replace\nPath.replace = lambda *a: (rename(*a), die())"
PLACES = {
    "when it holds the lock": ("ledger_file.fits = die", 0),
    "before the file is written": ("os.fsync = die", 0),
    "before it is renamed": ("Path.replace = die", 0),
    "when it is renamed": (RENAMED, 1),
    "before the answer is written": ("Path.write_text = die", 1),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_process_that_is_killed_loses_budget_at_most(path, tmp_path, place):
    fault, charged = PLACES[place]
    answers = tmp_path / "answers"
    process = child(f"{fault}\nanswer()", path, answers)
    assert process.returncode == -9
    assert len(read(path).entries) == charged and not answers.exists()
    assert child("answer()", path, answers).returncode == 0  # the lock is free, the rest is swept
    assert len(read(path).entries) == charged + 1 and answers.exists()
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "answers", "budget.json", "budget.json.lock"
    ]  # fmt: skip


@pytest.mark.parametrize("call", ["write", "fsync", "rename"])
def test_a_full_disk_charges_nothing_and_releases_nothing(path, monkeypatch, call):
    before = path.read_bytes()

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        if call == "fsync":
            patched.setattr(files.os, "fsync", full)
        else:
            patched.setattr(Path, "open" if call == "write" else "replace", full)
        with pytest.raises(ValueError, match="nothing is released: No space left on device"):
            reserve(path, epsilon=0.25, **ABOUT)
    assert path.read_bytes() == before
    assert len(reserve(path, epsilon=0.25, **ABOUT).entries) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits")
def test_a_file_that_may_not_grow_keeps_what_it_held(path, tmp_path):
    """The system itself refuses the write, in the middle of the file."""
    code = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
answer()
"""
    before = path.read_bytes()
    assert len(before) > 300
    process = child(code, path, tmp_path / "answers")
    assert process.returncode == 1 and "so nothing is released" in process.stderr
    assert path.read_bytes() == before and not (tmp_path / "answers").exists()


def test_every_cut_of_the_file_is_found(path):
    reserve(path, epsilon=0.25, **ABOUT)
    whole = path.read_bytes().rstrip()
    for length in range(0, len(whole), 3):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="this ledger is damaged"):
            read(path)
    with pytest.raises(ValueError, match="this ledger is damaged"):
        reserve(path, epsilon=0.25, **ABOUT)
    assert path.read_bytes() == whole[:length]


def edits(stored):
    """Every way to change one entry, or to lose or repeat one."""
    for i, charge in enumerate(stored["charges"]):
        for name in charge:
            yield lambda new, i=i, name=name: new["charges"][i].update({name: "x"})
        yield lambda new, i=i: new["charges"].pop(i)
        yield lambda new, i=i: new["charges"].append(new["charges"][i])
        for epsilon in (0.01, -1.0, math.inf, math.nan):
            yield lambda new, i=i, e=epsilon: new["charges"][i]["cost"].update(epsilon=e)
    for name in stored:
        yield lambda new, name=name: new.pop(name)
    yield lambda new: new["budget"].update(epsilon=100.0)
    yield lambda new: new["charges"].reverse()
    yield lambda new: new.update(more=1)


def test_every_edited_entry_is_found(path):
    for epsilon in (0.25, 0.125):
        reserve(path, epsilon=epsilon, **ABOUT)
    stored = json.loads(path.read_text("utf-8"))
    count = 0
    for edit in edits(stored):
        new = json.loads(json.dumps(stored))
        edit(new)
        path.write_text(json.dumps(new), encoding="utf-8")
        with pytest.raises(ValueError, match="damaged"):
            read(path)
        count += 1
    assert count > 25
    path.write_text(json.dumps(stored), encoding="utf-8")  # other blanks are no damage
    assert len(read(path).entries) == 2


@pytest.mark.parametrize("text", ["", "[]", "null", "7", '"x"', "[" * 100_000, "\udcff"])
def test_what_is_no_ledger_is_refused(path, text):
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=r"damaged|cannot be read"):
        read(path)


def test_a_ledger_of_another_version_is_not_called_damaged(path):
    stored = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**stored, "version": 2}), encoding="utf-8")
    with pytest.raises(ValueError, match="is of version 2, not 1"):
        read(path)
    assert ledger_file.VERSION == 1
