"""ARM64 is run honestly: the right lines of the lock, or a sentence that says why not."""

import arm64
import pytest

HASHES = " \\\n    --hash=sha256:" + 64 * "0" + " \\\n    --hash=sha256:" + 64 * "1" + "\n"
LOCK = "".join(
    line + HASHES
    for line in (
        "absl-py==2.5.1",
        "numpy==2.4.6 ; python_full_version < '3.12'",
        "numpy==2.5.5 ; python_full_version >= '3.12'",
        "only-x86==1 ; platform_machine == 'x86_64'",
        "only-arm==1 ; platform_machine == 'aarch64'",
        "late==1 ; python_full_version >= '3.11.5'",
        "playwright==1.60.0",
    )
)


@pytest.mark.parametrize(
    ("version", "names"),
    [
        ("3.11.2", ["absl-py==2.5.1", "numpy==2.4.6", "only-arm==1"]),
        ("3.13.5", ["absl-py==2.5.1", "numpy==2.5.5", "only-arm==1", "late==1"]),
    ],
)
def test_the_lines_of_the_lock_are_those_of_that_python_there(version, names):
    assert arm64.requirements(LOCK, version) == "".join(name + HASHES for name in names)


def test_every_line_of_the_lock_is_read():
    text = arm64.LOCK.read_text("utf-8")
    lines = arm64.requirements(text, "3.11.2").splitlines()
    assert sum(line.startswith("numpy==") for line in lines) == 1
    hashed = [line for line in lines if line.startswith("    --hash=sha256:")]
    named = [line for line in lines if "==" in line and line.endswith(" \\")]
    assert len(hashed) + len(named) == len(lines) > 1000


@pytest.fixture
def elsewhere(monkeypatch):
    """A machine of another kind, on which nothing may be unpacked."""
    monkeypatch.setattr(arm64, "unpack", lambda: pytest.fail("it unpacks"))
    monkeypatch.setattr(arm64.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(arm64.platform, "freedesktop_os_release", lambda: {"ID": "fedora"})
    return monkeypatch


@pytest.mark.parametrize(("ci", "status"), [("", 0), ("true", 1)])
def test_elsewhere_it_says_why_it_cannot_and_in_ci_that_is_a_failure(elsewhere, capsys, ci, status):
    elsewhere.setenv("CI", ci)
    assert arm64.main() == status
    assert capsys.readouterr().out.startswith("No ARM64 here")


def test_without_qemu_it_is_asked_for_and_then_said(elsewhere, capsys):
    asked = []
    elsewhere.setattr(arm64.platform, "freedesktop_os_release", lambda: {"ID": "debian"})
    elsewhere.setattr(arm64.shutil, "which", lambda name: None)
    elsewhere.setattr(arm64.chromium, "install", asked.append)
    assert arm64.obstacle() == arm64.MISSING
    assert asked == ["qemu-user-static"]


def test_on_arm64_itself_nothing_is_simulated(elsewhere, capsys):
    elsewhere.setattr(arm64.platform, "machine", lambda: "aarch64")
    assert arm64.main() == 0
    assert capsys.readouterr().out.startswith("This processor is ARM64")


def test_the_status_of_the_command_is_ours(monkeypatch):
    monkeypatch.setattr(arm64.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(arm64, "obstacle", lambda: "")
    monkeypatch.setattr(arm64, "unpack", lambda: arm64.sys.executable)
    monkeypatch.setattr(arm64.sys, "argv", ["arm64.py", "-c", "raise SystemExit(3)"])
    assert arm64.main() == 3


def test_a_step_that_fails_says_what_it_printed():
    python = arm64.sys.executable
    with pytest.raises(SystemExit, match="no such thing"):
        arm64.run([python, "-c", "raise SystemExit('no such thing')"])
    assert arm64.run([python, "-c", "print(1)"]) == "1\n"
