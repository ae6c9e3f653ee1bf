"""The contrary BLAS shows that it works, and where there is none one line says why."""

import json
import stat
import sys

import contrary
import machines
import pytest

NAMES = ["scipy_cblas_ddot64_", "scipy_cblas_dgemm64_", "scipy_cblas_dgemv64_"]
ALL = sorted([*NAMES, "scipy_cblas_dsyrk64_"])
FORTRAN = ["scipy_ddot_", "scipy_dgemm_", "scipy_dgemv_", "scipy_dsyrk_"]
SHIPPED = {
    "system": "linux",
    "kinds": ["openblas"],
    "asked": {"numpy": ALL, "scipy": FORTRAN},
    "defined": {"/libs/numpy.so": ALL, "/libs/scipy.so": FORTRAN},
}
OTHERS = {
    "MKL": {"kinds": ["mkl"], "defined": {"/libs/libmkl_rt.so": []}},
    "none that threadpoolctl knows": {"kinds": [], "defined": {}},
    "Accelerate": {"system": "darwin", "kinds": [], "asked": {"numpy": [], "scipy": []}},
    "Windows": {"system": "win32"},
}
WORDS = {
    "MKL": r"numpy asks no OpenBLAS for products here \(BLAS found: mkl\)",
    "none that threadpoolctl knows": r"BLAS found: none that is known",
    "Accelerate": "on Linux only, and this is darwin",
    "Windows": "on Linux only, and this is win32",
}
NEEDS = pytest.mark.skipif(sys.platform != "linux", reason="libraries are preloaded on Linux only")


def script(folder, words):
    """A program of two lines in a folder; its path."""
    path = folder / "compiler"
    path.write_text(f"#!/bin/sh\n{words}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def outcome(monkeypatch, capfd, real):
    """Exit status and words of a run on a machine that looks so; the command writes RAN."""
    monkeypatch.setattr(contrary, "fresh", lambda program, **variables: real)
    status = machines.run_contrary([sys.executable, "-c", "print('RAN')"])
    return status, capfd.readouterr().out


@pytest.mark.parametrize("name", OTHERS)
def test_a_blas_of_another_name_is_said_in_one_line(monkeypatch, capfd, name):
    status, words = outcome(monkeypatch, capfd, {**SHIPPED, **OTHERS[name]})
    assert status == 0
    assert words.startswith("Contrary BLAS: not tried, ") and words.count("\n") == 1
    assert contrary.re.search(WORDS[name], words)


def test_a_missing_compiler_is_said_in_one_line(monkeypatch, capfd, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    missing = "Contrary BLAS: not tried, no C compiler is found (CC, cc, gcc, clang).\n"
    assert outcome(monkeypatch, capfd, SHIPPED) == (0, missing)
    monkeypatch.setenv("CC", "icc -O3")
    missing = "Contrary BLAS: not tried, the C compiler that CC names, icc, is not found.\n"
    assert outcome(monkeypatch, capfd, SHIPPED) == (0, missing)


@pytest.mark.parametrize("words", ["echo 'no stdint.h' >&2; exit 1", "echo 'no stdint.h' >&2"])
@NEEDS
def test_a_broken_compiler_is_said_in_one_line(monkeypatch, capfd, tmp_path, words):
    broken = script(tmp_path, words)
    monkeypatch.setenv("CC", str(broken))
    status, words = outcome(monkeypatch, capfd, SHIPPED)
    assert status == 0
    assert words == f"Contrary BLAS: not tried, the C compiler {broken} does not work here: " + (
        "no stdint.h.\n"
    )


def test_a_folder_that_cannot_be_preloaded_is_said(tmp_path):
    with pytest.raises(contrary.NotTried, match="takes no folder with a space or colon"):
        contrary.build(str(tmp_path / "a b"), {})


def test_the_names_are_those_of_numpy_and_scipy():
    home = {**dict.fromkeys(ALL, "/libs/numpy.so"), **dict.fromkeys(FORTRAN, "/libs/scipy.so")}
    assert contrary.covered(SHIPPED) == home
    assert contrary.uncovered(SHIPPED) == []
    assert contrary.uncovered({**SHIPPED, "defined": {"/libs/numpy.so": ALL}}) == ["scipy"]
    assert contrary.uncovered({**SHIPPED, "asked": {"numpy": NAMES, "scipy": FORTRAN}}) == ["numpy"]
    lines = {
        "scipy_cblas_dgemm64_": 'CBLAS_GEMM(scipy_cblas_dgemm64_, int64_t, "/l/a\\"b.so")\n',
        "cblas_ddot": 'CBLAS_DOT(cblas_ddot, int32_t, "/l/a\\"b.so")\n',  # Debian's numpy
        "dsyrk_": 'FORTRAN_SYRK(dsyrk_, int32_t, "/l/a\\"b.so")\n',
        "scipy_dgemv_64_": 'FORTRAN_GEMV(scipy_dgemv_64_, int64_t, "/l/a\\"b.so")\n',
    }
    assert {name: contrary.call(name, '/l/a"b.so') for name in lines} == lines


GOOD = {"shown": {"numpy gemm": [0.6, 4e-16]}, "integers": True, "same call": True}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"shown": {"numpy gemm": [0.0, 0.0]}}, "numpy gemm: 0% of all numbers"),
        ({"shown": {"numpy dot": [0.6, 1e-9]}}, "numpy dot: two shapes differ by 1.0e-09"),
        ({"integers": False}, "what must stay: integers"),
        ({"same call": False}, "what must stay: same call"),
    ],
)
def test_what_does_not_work_as_it_says_stops_the_run(monkeypatch, change, words):
    monkeypatch.setattr(contrary, "fresh", lambda program, **variables: {**GOOD, **change})
    with pytest.raises(RuntimeError, match=words):
        contrary.check("library.so")
    if "shown" in change:
        contrary.check("library.so", without=["numpy"])


def test_a_real_blas_is_no_contrary_one(monkeypatch):
    """Nothing is preloaded: its products would have to differ in many numbers."""
    monkeypatch.delenv(contrary.PRELOAD, raising=False)
    with pytest.raises(RuntimeError, match="of all numbers hang on the shape"):
        contrary.check("")


@NEEDS
def test_the_command_runs_under_it_and_its_failure_is_ours(capfd):
    command = f"{contrary.SHOW}raise SystemExit(3)"
    status = machines.run_contrary([sys.executable, "-c", command])
    words = capfd.readouterr().out
    if "not tried" in words:  # no compiler here, or another BLAS: said, as above
        assert (status, words.count("\n")) == (0, 1)
        return
    lines = words.splitlines()
    assert (status, lines[-1]) == (3, "Contrary BLAS: exit 3")
    shown = json.loads(lines[-2])["shown"]
    assert min(share for name, (share, _) in shown.items() if name.startswith("numpy")) > 0.4


def test_all_runs_the_contrary_blas_too(monkeypatch):
    ran = []
    monkeypatch.setattr(machines, "look", lambda: {"kernels": [], "dispatched": [], "on": []})
    monkeypatch.setattr(machines, "run_contrary", lambda command: ran.append(command) or 3)
    for option, status in (("--all", 3), ("--contrary", 3), (None, 0)):
        monkeypatch.setattr(sys, "argv", ["machines.py", *filter(None, [option]), "true"])
        assert machines.main() == status
    assert ran == [["true"], ["true"]]
