"""The command ``dpviz``: what it runs, lists and finds, and what it says when it cannot."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dpviz import __main__ as command
from dpviz import lab, lesson, theorems
from dpviz.words import SOURCE, languages

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize("screen", [True, False])
def test_lab_opens_the_first_lesson(root, screen):
    made = lab.command(["--port=9"], root=root, screen=screen)
    assert made[1:3] == ["-m", "jupyterlab"] and made[-1] == "--port=9"
    assert ("--allow-root" in made, "--no-browser" in made) == (root, not screen)
    page = next(part for part in made if "default_url" in part).partition(
        "/lab/workspaces/dpviz/tree/"
    )[2]
    assert (ROOT / page).is_file()
    assert Path(next(part for part in made if "--config" in part).partition("=")[2]).is_file()


def test_lab_shows_a_copy_in_its_own_folder(tmp_path):
    lab.copy(tmp_path)
    made = lab.command(folder=tmp_path, root=False, screen=True)
    assert f"--ServerApp.root_dir={tmp_path.resolve()}" in made
    assert "--LabApp.default_url=/lab/workspaces/dpviz/tree/00_start.ipynb" in made


@pytest.mark.parametrize("code", [code for code in languages() if code != SOURCE])
def test_lab_in_another_language_opens_the_translation(code, tmp_path):
    (translated,) = lesson.translations(lab.LESSONS, code)
    place = f"{code}/{translated.name}"
    outcome = lab.copy(tmp_path, language=code)
    assert outcome["new"] == [*(path.name for path in lesson.paths(lab.LESSONS)), place]
    (tmp_path / place).write_text("mine")
    assert lab.copy(tmp_path, language=code)["kept"] == [place]
    made = lab.command(folder=tmp_path, root=False, screen=True, language=code)
    assert f"--ServerApp.root_dir={tmp_path.resolve()}" in made
    assert f"--LabApp.default_url=/lab/workspaces/dpviz/tree/{place}" in made


def test_a_translation_is_not_copied_through_a_symbolic_link(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons" / "de").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="it is a symbolic link"):
        lab.copy(tmp_path / "lessons", language="de")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_language_that_is_none_is_named(capsys):
    assert command.main(["lab", "--language", "fr"]) == 2
    assert "language must be one of de, en, not 'fr'" in capsys.readouterr().err


def test_lab_without_lessons_says_so(tmp_path):
    with pytest.raises(ValueError, match="the lessons are not installed"):
        lab.command(folder=tmp_path, root=False, screen=True)


def test_a_copy_overwrites_no_edit(tmp_path):
    names = [path.name for path in lesson.paths(lab.LESSONS)]
    assert lab.copy(tmp_path) == {"new": names, "renewed": [], "kept": [], "same": []}
    edited = tmp_path / names[3]
    edited.write_text("mine")
    told = lab.copy(tmp_path)
    assert told["kept"] == [names[3]] and edited.read_text() == "mine"
    assert told["same"] == [name for name in names if name != names[3]]


def test_a_copy_follows_a_newer_version_where_nothing_was_edited(tmp_path):
    older, mine = tmp_path / "older", tmp_path / "mine"
    lab.copy(older)
    lab.copy(mine, older)
    for name in ("00_start.ipynb", "01_privacy.ipynb"):
        (older / name).write_text((older / name).read_text() + " ")
    (mine / "01_privacy.ipynb").write_text("mine")
    told = lab.copy(mine, older)
    assert (told["renewed"], told["kept"]) == (["00_start.ipynb"], ["01_privacy.ipynb"])
    assert (mine / "00_start.ipynb").read_bytes() == (older / "00_start.ipynb").read_bytes()
    # What was kept stays known as edited, also when the versions have met again.
    assert lab.copy(mine, older)["kept"] == ["01_privacy.ipynb"]


def test_the_lessons_workspace_is_made_once_and_never_overwritten(tmp_path):
    loader = "import sys; from traitlets.config import PyFileConfigLoader as Loader; "
    load = [sys.executable, "-c", f"{loader}Loader(sys.argv[1]).load_config()", str(lab.CONFIG)]
    here = {**os.environ, "JUPYTERLAB_WORKSPACES_DIR": str(tmp_path)}
    subprocess.run(load, env=here, check=True)
    (made,) = tmp_path.glob("dpviz*")
    assert '"collapsed": true' in made.read_text()
    mine = '{"data": {"mine": 1}, "metadata": {"id": "dpviz"}}'
    made.write_text(mine)
    subprocess.run(load, env=here, check=True)
    assert made.read_text() == mine


@pytest.mark.parametrize("record", ["", "[1]", "{not json"])
def test_a_damaged_record_costs_no_edit(tmp_path, record):
    lab.copy(tmp_path)
    (tmp_path / lab.RECORD).write_text(record)
    (tmp_path / "02_learner.ipynb").write_text("mine")
    assert lab.copy(tmp_path)["kept"] == ["02_learner.ipynb"]
    assert (tmp_path / "02_learner.ipynb").read_text() == "mine"


def test_a_folder_that_cannot_be_written_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert command.main(["lessons", str(tmp_path / "file" / "below")]) == 2
    assert "the lessons cannot be copied to" in capsys.readouterr().err


def test_lessons_are_copied_by_the_command(tmp_path, capsys):
    assert command.main(["lessons", str(tmp_path / "mine")]) == 0
    assert "Copied to" in capsys.readouterr().out
    assert len(lesson.paths(tmp_path / "mine")) == len(lesson.paths(lab.LESSONS))


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
    assert f"dpviz.papers.{module}" in "\n".join(theorems.find(words))


def test_theorem_1_is_not_theorem_11():
    assert not any("HR Theorem 11" in row.splitlines()[0] for row in theorems.find(["Theorem 1"]))


def test_what_is_not_there_is_said(capsys):
    assert command.main(["theorems", "no such statement"]) == 2
    assert "no statement of a paper or a lesson" in capsys.readouterr().err


def test_it_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "dpviz", "--help"], capture_output=True, text=True, check=True
    )
    assert all(word in done.stdout for word in ("lab", "lessons", "theorems"))
    done = subprocess.run(
        [sys.executable, "-m", "dpviz"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "required" in done.stderr
