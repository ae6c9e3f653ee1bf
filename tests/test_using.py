"""What docs/using.md shows runs as it stands; of what cannot run here the test says which."""

import doctest
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from dpviz import __main__ as command
from dpviz.planner import imports

PAGE = Path(__file__).parents[1] / "docs" / "using.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.M | re.S)
ELSEWHERE = (  # a cluster, its address, Windows, conda
    "from dask_jobqueue import SLURMCluster",
    "dpviz experiments distance_slopes --trials 4000",
    "py -m venv .venv",
    "conda env create",
)


def block(start):
    """The block that starts so."""
    (found,) = [text for _, text in BLOCKS if text.startswith(start)]
    return found


def test_each_block_is_run_here_or_needs_another_machine():
    run = [text for kind, text in BLOCKS if kind == "python" or not text.startswith(ELSEWHERE)]
    starts = ("pip install", "import dpviz", ">>> import dpviz", ">>> print")
    assert sorted(text.startswith(starts) for text in run) == [True] * 4
    assert len(BLOCKS) == len(run) + len(ELSEWHERE)


def test_sessions_give_what_they_print():
    failed, tried = doctest.testfile(str(PAGE), False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0 < tried


def test_the_commands_for_a_table_run(tmp_path, monkeypatch, capsys):
    """All but the installation, on a table with bounds; OpenDP draws."""
    pytest.importorskip("opendp.prelude")
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(1).uniform(size=(3000, 2)) * [60, 100] + [20, 0]
    table = "\n".join(f"{age:.1f},{score:.2f}" for age, score in rows)
    Path("clinic.csv").write_text(f"age,score\n{table}\n", encoding="utf-8")
    Path("bounds.csv").write_text("name,lower,upper\nage,0,120\nscore,0,100\n", encoding="utf-8")
    install, *commands = block("pip install").splitlines()
    assert install.startswith('pip install ".[safe]"')
    for line in commands:
        program, *words = shlex.split(line)
        assert program == "dpviz"
        assert command.main(words) == 0, capsys.readouterr().err
    age, score = np.loadtxt("plan.answers.csv", delimiter=",", skiprows=1, usecols=1)
    assert abs(age - rows[:, 0].mean()) < 1 and abs(score - rows[:, 1].mean()) < 1


def test_the_lines_for_files_run(tmp_path, monkeypatch, capsys):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    monkeypatch.chdir(tmp_path)
    Path("trips").mkdir()
    for part in range(2):
        fares = np.random.default_rng(part).uniform(0, 200, 5000)
        parquet.write_table(pyarrow.table({"fare": fares}), f"trips/{part}.parquet")
    exec(block("import dpviz"), {})
    assert "distance" in capsys.readouterr().out


def test_each_mechanism_to_be_imported_is_in_the_table_with_its_module():
    rows = re.findall(r"^\| `(\w+)`(, with a delta)? \| (.+?) \| `(.+?)` \|$", TEXT, re.M)
    listed = {(name, kind, bool(delta)) for kind, delta, name, _ in rows}
    assert listed == {(each.name, each.kind, each.delta) for each in imports.RECIPES}
    lines = {each.name: "\n".join(each.lines) for each in imports.RECIPES}
    assert all(f"from {module}" in lines[name] for _, _, name, module in rows)
