"""What explorers and players are and say needs no widget: plain text works them all."""

import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

from dpviz import lessons

FACE, ROOT = Path(__file__).with_name("text_face.py"), Path(__file__).parents[2]
LESSONS = [found.name for found in pkgutil.iter_modules(lessons.__path__) if found.ispkg]
WITHOUT = """
import sys
sys.modules["ipywidgets"] = sys.modules["IPython"] = None
import dpviz.instruments.controls, dpviz.instruments.explorer, dpviz.instruments.player
try:
    import dpviz.instruments.faces
except ImportError:
    print("no face")
"""


def run(*command):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *command], env=env, capture_output=True, text=True, check=False
    )


def test_the_logic_is_imported_without_widgets_and_a_face_is_not():
    done = run("-c", WITHOUT)
    assert done.stdout == "no face\n", done.stderr


@pytest.mark.parametrize("most", [2, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("lesson", LESSONS)
def test_plain_text_works_every_explorer_and_player(lesson, most):
    """Values of each control, each preset, each state; in an interpreter without widgets."""
    done = run(FACE, lesson, str(most))
    assert done.returncode == 0, done.stderr
    module = importlib.import_module(f"dpviz.lessons.{lesson}")
    made = [name for name in module.__all__ if name.startswith("explore_")]
    names, counts = zip(*(line.split() for line in done.stdout.splitlines()), strict=True)
    played = ["player" for name in module.__all__ if name.startswith("play_")]
    assert list(names) == made + played and played
    assert all(int(count) > 1 for count in counts)
