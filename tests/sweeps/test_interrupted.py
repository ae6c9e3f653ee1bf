"""Whatever is killed, the table is the same: the sweep, one of its workers, a worker each time."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from dpviz.sweeps import journal
from dpviz.sweeps.sweep import sweep

MODULE = """
import itertools, os, sys, time
from dataclasses import dataclass
from dpviz.sweeps.sweep import sweep

before = itertools.count()

@dataclass(frozen=True)
class Params:
    scale: float

def trial(params, n, *, rng):
    if stop := int(os.environ["STOP"]):
        time.sleep(0.001 if next(before) < stop else 1000)
    return {"error": params.scale * rng.standard_normal() / n, "other": rng.random()}

if __name__ == "__main__":
    import cheap
    sweep(cheap.trial, cheap.Params(2.0), {"n": [1, 10, 100, 1000]}, repeats=500, rng=7,
          file=sys.argv[1])
"""


def begin(folder, file, module=MODULE, stop=0, **options):
    """A sweep in a process of its own; with ``stop`` it has so many trials and then waits."""
    (folder / "cheap.py").write_text(module)
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    env = os.environ | {"STOP": str(stop), "PYTHONPATH": path}
    call = [sys.executable, str(folder / "cheap.py"), str(file)]
    return subprocess.Popen(call, env=env, **options)


def test_2000_trials_killed_at_half_and_resumed_have_the_hash_of_those_that_were_not(tmp_path):
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    assert begin(tmp_path, whole).wait() == 0
    running = begin(tmp_path, cut, stop=1000)
    while running.poll() is None and (not cut.exists() or cut.read_bytes().count(b"\n") < 1001):
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL
    assert len(journal.read(cut).rows) == 1000
    assert "sha256" not in journal.first_line(cut)
    assert begin(tmp_path, cut).wait() == 0
    first, second = journal.first_line(whole), journal.first_line(cut)
    assert first["sha256"] == second["sha256"]
    assert whole.read_text().splitlines()[1:] == cut.read_text().splitlines()[1:]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows kills in another way")
@pytest.mark.parametrize("lines", [1, 30, 400])
def test_what_a_killed_process_leaves_is_whole_lines_and_a_cut_one_at_most(tmp_path, lines):
    file = tmp_path / "journal.jsonl"
    running = begin(tmp_path, file, stop=1999)
    while running.poll() is None and (not file.exists() or file.read_bytes().count(b"\n") < lines):
        time.sleep(0.002)
    running.send_signal(signal.SIGKILL)
    running.wait()
    first, *rows, rest = file.read_bytes().split(b"\n")
    assert json.loads(first)["repeats"] == 500 and len(rows) >= lines - 1
    assert [json.loads(row)[0] % 500 for row in rows] == [i // 4 for i in range(len(rows))]
    assert len(journal.read(file).rows) == len(rows) and (not rest or rest.startswith(b"["))


SLOW = """
import os, signal, sys, time
from dataclasses import dataclass
from pathlib import Path

@dataclass(frozen=True)
class Params:
    scale: float

def trial(params, n, *, rng):
    time.sleep(0.02 * int(os.environ["STOP"]))
    return {"error": params.scale * rng.standard_normal() / n}

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also if the tests run with "&"
    import cheap  # a worker loads it, and nothing of what is below
    from dpviz import __main__ as main
    from dpviz import experiments
    from dpviz.lessons import registry
    from dpviz.sweeps.experiment import Experiment
    call = {"trial": cheap.trial, "params": cheap.Params(2.0), "grid": {"n": (1, 2, 3)}, "rng": 5}
    call |= {"folder": Path(sys.argv[1]).parent}
    slow = Experiment(name="slow", shows="Nothing.", repeats=1, **call)
    registry.EXPERIMENTS["slow"], experiments.SECONDS = slow, 0
    where = ["--out", sys.argv[1], "--processes", "2"]
    sys.exit(main.main(["experiments", "slow", "--trials", "200", *where]))
"""
PATIENCE = 300  # seconds: it never takes so long, but where it hung it took as long as one waited
DYING = 20  # seconds to be gone when killed; a worker that nobody killed waits for 60 (`running`)


def at_once(tmp_path, gap):
    """Two Ctrl-C in a terminal, which reach all processes: what is there afterwards."""
    file = tmp_path / "journal.jsonl"
    how = {"stop": 1, "stderr": subprocess.PIPE, "start_new_session": True}
    with begin(tmp_path, file, SLOW, **how) as running:
        while running.poll() is None and (not file.exists() or file.read_bytes().count(b"\n") < 9):
            time.sleep(0.01)
        os.killpg(running.pid, signal.SIGINT)
        time.sleep(gap)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGINT)
        try:
            said = running.communicate(timeout=PATIENCE)[1].decode()
        finally:
            alive = lasting(running.pid)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
    # The second one may meet Python at its very end, when nobody catches it any more.
    assert running.returncode in (130, -signal.SIGINT)
    assert "interrupted: " in said and "Traceback" not in said
    return file, alive


def lasting(session):
    """Processes of a session that do not end: a killed one takes a moment on a busy machine."""
    end = time.monotonic() + DYING
    while (alive := list(members(session))) and time.monotonic() < end:
        time.sleep(0.05)
    return alive


def members(session):
    """Processes of a session that are there; a tracker of shared memory ends after its parent."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            there = process.status() != psutil.STATUS_ZOMBIE and os.getsid(process.pid) == session
            if there and "resource_tracker" not in " ".join(process.cmdline()):
                yield process.pid


def check_two_interrupts(tmp_path, gap):
    file, alive = at_once(tmp_path, gap)
    assert alive == []
    before = journal.read(file).rows
    assert 8 <= len(before) < 600 and "sha256" not in journal.first_line(file)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="Windows has no process groups")
@pytest.mark.parametrize("gap", [0.0, 0.2])
def test_two_interrupts_end_a_run_of_processes_and_it_can_be_continued(tmp_path, gap):
    check_two_interrupts(tmp_path, gap)
    file = tmp_path / "journal.jsonl"
    assert begin(tmp_path, file, SLOW).wait() == 0
    assert "sha256" in journal.first_line(file) and len(journal.read(file).rows) == 600


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="Windows has no process groups")
@pytest.mark.parametrize("gap", [0.0, 0.001, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.5])
def test_two_interrupts_end_a_run_of_processes_whenever_they_come(tmp_path, gap):
    check_two_interrupts(tmp_path, gap)


@dataclass(frozen=True, kw_only=True)
class Params:
    flag: str


def deadly(params, n, *, rng):
    """Kills its process where a file of that name lies, which it takes away if it may."""
    once, always = Path(f"{params.flag}-{n}"), Path(f"{params.flag}-{n}-always")
    if once.exists():
        once.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    if always.exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return {"value": rng.random() / n}


def run(tmp_path, **where):
    params, grid = Params(flag=str(tmp_path / "flag")), {"n": list(range(1, 41))}
    return sweep(deadly, params, grid, repeats=3, rng=1, file=tmp_path / "journal.jsonl", **where)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows kills in another way")
def test_trials_whose_process_died_are_run_again(tmp_path):
    for n in (3, 30):
        (tmp_path / f"flag-{n}").touch()
    found = run(tmp_path, jobs=2)
    assert not list(tmp_path.glob("flag*"))
    (tmp_path / "journal.jsonl").unlink()
    assert (found["value"] == run(tmp_path)["value"]).all()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows kills in another way")
def test_a_trial_that_kills_its_process_each_time_is_named_and_the_rest_is_kept(tmp_path):
    # The three repeats of n = 30 are trials 87 to 89: which dies first is up to the machine.
    (tmp_path / "flag-30-always").touch()
    with pytest.raises(RuntimeError, match=r"trial 8[789] of the sweep lost its worker 3 times"):
        run(tmp_path, jobs=2)
    kept = journal.read(tmp_path / "journal.jsonl").rows
    # Three second deaths with four trials under way leave at most twelve to run alone.
    assert len(kept) >= 100 and not {87, 88, 89} & kept.keys()
    (tmp_path / "flag-30-always").unlink()
    assert run(tmp_path, jobs=2)["value"].shape == (40, 3)


def test_a_number_that_was_changed_afterwards_is_seen(tmp_path):
    run(tmp_path)
    path = tmp_path / "journal.jsonl"
    lines = path.read_text().splitlines()
    lines[5] = json.dumps([4, {"value": 0.5}])
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match=r"damaged: .* digest"):
        run(tmp_path)
    with pytest.raises(ValueError, match="damaged"):
        journal.read(path)
