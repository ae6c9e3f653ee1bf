"""Two makes at once: the second waits, says so, and a killed first one leaves no lock behind."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="this system has no such locks")
HERE = Path(__file__).parent
HOLD = """
import pathlib, sys, time
sys.path.insert(0, {here!r})
import alone
with alone.alone(pathlib.Path({path!r})):
    print("mine", flush=True)
    {then}
"""


def start(path, then):
    code = HOLD.format(here=str(HERE), path=str(path), then=then)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def test_the_second_waits_for_the_first_even_if_that_is_killed(tmp_path):
    path = tmp_path / "lock"
    path.touch()
    with start(path, "time.sleep(600)") as first:
        assert first.stdout.readline() == "mine\n"
        with start(path, "pass") as second:
            assert second.stdout.readline().startswith("Another make is installing here; waiting")
            assert second.poll() is None
            first.kill()
            assert second.stdout.readline() == "mine\n"
        assert second.returncode == 0


def test_alone_it_says_nothing_and_gives_the_status_on():
    command = [sys.executable, str(HERE / "alone.py"), sys.executable, "-c", "raise SystemExit(7)"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (7, "")
