"""Run inside a kernel after a lesson: works its instruments and prints what they say, as JSON.

Each explorer: about MOST values of each control with the others at their start, each preset.
Each player: about MOST of its states. Each exercise that has an answer: right and wrong. Where an
instrument was made in the lesson, by order, is its name; pictures are looked at elsewhere.
"""

import json

from ipywidgets.widgets.widget import _instances

from dpviz.exercises.faces import DrawnCurve, ExerciseFace
from dpviz.exercises.program import Coding
from dpviz.instruments.faces import ExplorerFace, PlayerFace

MOST = 5


def some(values):
    """About MOST of them, both ends among them."""
    return [*values[:-1][:: max(1, -(-len(values) // MOST))], values[-1]]


def words(screen):
    """Sentence and table as they would be read out."""
    return "\n".join([screen.sentence, *("  ".join(map(str, row)) for row in screen.table)])


def explore(explorer):
    """What it says at each move; then it stands as before."""
    before = dict(explorer.values)
    start = before | {name: control.start for name, control in explorer.controls.items()}
    moves = [{name: v} for name, c in explorer.controls.items() for v in some(c.values)]
    for move in [*moves, *explorer.presets.values()]:
        explorer.set(**{**start, **move})
        yield str(move), words(explorer.screen), explorer.problem
    explorer.set(**before)


def play(player):
    """What it says at each state; then it stands as before."""
    before = player.position
    for place in some(range(len(player.trace))) if player.screen else []:
        player.go(place)
        yield str(place), words(player.screen), ""
    player.go(before)


def answer(face):
    """What it says to a wrong and to a right answer; before and then it is as untouched."""
    face.reset()
    for said in (face.exercise.wrong, face.exercise.right):
        drawn = isinstance(face.entry, DrawnCurve)
        face.entry.value = [float(part) for part in said.split(",")] if drawn else said
        face.check()
        yield said, face.feedback.value, ""
        face.reset()


WAYS = {
    ExplorerFace: lambda face: explore(face.explorer),
    PlayerFace: lambda face: play(face.player),
    ExerciseFace: answer,
}
found = [face for face in list(_instances.values()) if type(face) in WAYS]
found = [f for f in found if not isinstance(getattr(f, "exercise", None), Coding)]
told = [list(WAYS[type(face)](face)) for face in found]
print(json.dumps([[type(face).__name__, said] for face, said in zip(found, told, strict=True)]))
