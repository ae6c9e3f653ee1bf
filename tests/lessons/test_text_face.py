"""What explorers and players are and say needs no widget: plain text works them all."""

import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import every

from dpviz import lessons

FACE, ROOT = Path(__file__).with_name("text_face.py"), Path(__file__).parents[2]
LESSONS = [found.name for found in pkgutil.iter_modules(lessons.__path__) if found.ispkg]
WITHOUT = """
import sys
sys.modules["ipywidgets"] = sys.modules["IPython"] = None
import dpviz.instruments.controls, dpviz.instruments.explorer, dpviz.instruments.player
{lessons}
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
    imports = "\n".join(f"from dpviz.lessons.{lesson} import *" for lesson in LESSONS)
    done = run("-c", WITHOUT.format(lessons=imports))
    assert done.stdout == "no face\n", done.stderr


def made(lesson):
    """What the face tells of a lesson's explorers and players, without the counts."""
    module = importlib.import_module(f"dpviz.lessons.{lesson}")
    explorers = [name for name in module.__all__ if name.startswith("explore_")]
    played = ["player" for name in module.__all__ if name.startswith("play_")]
    assert played
    return [(lesson, name) for name in explorers + played]


def test_plain_text_works_every_explorer_and_player():
    """Values of each control, each preset, each state; in an interpreter without widgets.

    Of four lessons; that they all are imported there, the test above sees.
    """
    most, chosen = ("8", LESSONS) if every.EVERY else ("2", every.spread(LESSONS, 4))
    done = run(FACE, most, *chosen)
    assert done.returncode == 0, done.stderr
    *names, counts = zip(*(line.split() for line in done.stdout.splitlines()), strict=True)
    assert list(zip(*names, strict=True)) == [each for lesson in chosen for each in made(lesson)]
    assert all(int(count) > 1 for count in counts)
