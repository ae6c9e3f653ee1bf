"""Whatever is killed, the table is the same: the sweep, one of its workers, a worker each time."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from dpviz.sweeps import journal
from dpviz.sweeps.sweep import sweep

MODULE = """
import sys, time
from dataclasses import dataclass
from dpviz.sweeps.sweep import sweep

@dataclass(frozen=True)
class Params:
    scale: float

def trial(params, n, *, rng):
    time.sleep(0.001)
    return {"error": params.scale * rng.standard_normal() / n, "other": rng.random()}

if __name__ == "__main__":
    import cheap
    sweep(cheap.trial, cheap.Params(2.0), {"n": [1, 10, 100, 1000]}, repeats=500, rng=7,
          file=sys.argv[1])
"""


def begin(folder, file):
    (folder / "cheap.py").write_text(MODULE)
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])}
    return subprocess.Popen([sys.executable, str(folder / "cheap.py"), str(file)], env=env)


def test_2000_trials_killed_at_half_and_resumed_have_the_hash_of_those_that_were_not(tmp_path):
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    assert begin(tmp_path, whole).wait() == 0
    running = begin(tmp_path, cut)
    while running.poll() is None and (not cut.exists() or cut.read_bytes().count(b"\n") < 1000):
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL
    assert 999 <= len(journal.read(cut).rows) < 2000
    assert "sha256" not in journal.first_line(cut)
    assert begin(tmp_path, cut).wait() == 0
    first, second = journal.first_line(whole), journal.first_line(cut)
    assert first["sha256"] == second["sha256"]
    assert whole.read_text().splitlines()[1:] == cut.read_text().splitlines()[1:]


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
