"""The command ``dpviz``: what it runs, lists and finds, and what it says when it cannot."""

import subprocess
import sys
from pathlib import Path

import pytest

from dpviz import __main__ as command

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize("screen", [True, False])
def test_lab_opens_the_first_lesson(root, screen):
    made = command.lab_command(["--port=9"], root=root, screen=screen)
    assert made[1:3] == ["-m", "jupyterlab"] and made[-1] == "--port=9"
    assert ("--allow-root" in made, "--no-browser" in made) == (root, not screen)
    page = next(part for part in made if "default_url" in part).partition("/lab/tree/")[2]
    assert (ROOT / page).is_file()
    assert Path(next(part for part in made if "--config" in part).partition("=")[2]).is_file()


def test_lab_without_lessons_says_so(monkeypatch, capsys):
    monkeypatch.setattr(command, "LESSONS", Path("/nowhere/notebooks"))
    assert command.main(["lab"]) == 2
    assert "the lessons are not installed" in capsys.readouterr().err


def test_every_lesson_is_listed(capsys):
    assert command.main(["lessons"]) == 0
    printed = capsys.readouterr().out
    names = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert [line.split()[0] for line in printed.splitlines()[::2]] == names


@pytest.mark.parametrize(
    ("words", "module"),
    [
        (["Roth", "Lemma 5"], "distance_queries.learner.mistake_bounds"),
        (["Johnson-Lindenstrauss"], "distance_queries.embeddings.johnson_lindenstrauss"),
        (["Theorem 8"], "distance_queries.embeddings.any_metric"),
        (["RecConcave"], "small_cluster.rec_concave"),
        (["fat-shattering", "definition 3"], "fat_shattering.dimension"),
    ],
)
def test_a_statement_leads_to_its_module(words, module):
    assert f"dpviz.papers.{module}" in [row[0] for row in command.statements(words)]


def test_theorem_1_is_not_theorem_11():
    assert {row[0] for row in command.statements(["Theorem 1"])}.isdisjoint(
        row[0] for row in command.statements(["Theorem 11"]) if "Theorem 1," not in row[2]
    )


def test_what_is_not_there_is_said(capsys):
    assert command.main(["theorems", "no such statement"]) == 2
    assert "no module's statements" in capsys.readouterr().err


def test_it_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "dpviz", "--help"], capture_output=True, text=True, check=True
    )
    assert all(word in done.stdout for word in ("lab", "lessons", "theorems"))
    done = subprocess.run(
        [sys.executable, "-m", "dpviz"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "required" in done.stderr
