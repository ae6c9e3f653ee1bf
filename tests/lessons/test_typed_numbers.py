"""Typed numbers have one grammar: Python and a page without Python read each spelling alike.

The page's script runs under node; where node is missing, and besides, in the site's tests it runs
in Chromium (`tests/browser/test_from_disk.py`).
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.exercises.answers import GRAMMAR, readings
from dpviz.pages import sheet

CASES = json.loads(Path(__file__).with_name("typed_numbers.json").read_text("utf-8"))
# Powers and products round in the last digits as a processor's library or a browser's does.
NEAR = {"rel": 1e-12, "abs": 1e-300}
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed: Chromium runs it")
RUN = """
const typed = JSON.parse(require("fs").readFileSync(0, "utf-8"));
process.stdout.write(JSON.stringify(typed.map(window.dpvizReadings)));
"""


def of_the_page(typed):
    """What the page's script reads in each text."""
    code = f"globalThis.window = globalThis;\n{sheet.together('js', ['numbers'])}\n{RUN}"
    done = subprocess.run(
        [NODE, "-e", code], input=json.dumps(typed), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(("typed", "values"), CASES)
def test_python_reads_the_cases(typed, values):
    assert readings(typed) == pytest.approx(values, **NEAR)


@needs_node
def test_the_page_reads_the_cases():
    found = of_the_page([typed for typed, _ in CASES])
    for (typed, values), read in zip(CASES, found, strict=True):
        assert read == pytest.approx(values, **NEAR), typed


SIGN = st.sampled_from(["", "-", "+", "− ", "–", "- ", "--"])
DIGITS = st.text("0123456789", max_size=4)
MARK = st.sampled_from([".", ",", " ", "\u2009", "\u202f", "\xa0", "'", ", "])
PLAIN = st.builds(lambda first, *more: first + "".join(a + b for a, b in more), DIGITS,
                  *[st.tuples(MARK, DIGITS)] * 2)  # fmt: skip
GROUPED = st.builds(
    lambda value, mark, point: f"{value:,}".replace(".", point).replace(",", mark),
    st.decimals(-(10**7), 10**7, places=2),
    st.sampled_from([",", ".", " ", "\u2009"]),
    st.sampled_from([".", ","]),
)
NUMBER = st.one_of(DIGITS, PLAIN, GROUPED, st.builds(str.__add__, DIGITS,
                   st.sampled_from([*GRAMMAR["parts"]])))  # fmt: skip
TAIL = st.sampled_from(["", "", "e-3", "E5", "e", "^2", "⁻³", "**3", "^-", " %", "%", "e400"])
FACTOR = st.builds("".join, st.tuples(SIGN, NUMBER, TAIL))
BETWEEN = st.sampled_from(["/", " / ", "·", " × ", "x", "*", " ", "=", "\n"])
SPELLING = st.one_of(
    FACTOR,
    st.builds("".join, st.tuples(FACTOR, BETWEEN, FACTOR, TAIL)),
    st.builds(lambda text, blank: blank + text + blank, FACTOR, st.sampled_from(" \t\n\ufeff≈=")),
    st.text("0123456789.,-+/%e^*x½⁻³ \u2009−", max_size=12),
    st.text(max_size=8),
)


@needs_node
@settings(max_examples=40, deadline=None)  # of a hundred spellings each
@given(st.lists(SPELLING, min_size=100, max_size=100))
def test_the_page_reads_any_spelling_as_python_does(typed):
    typed = [text.encode("utf-8", "replace").decode() for text in typed]
    for text, read in zip(typed, of_the_page(typed), strict=True):
        assert read == pytest.approx(readings(text), **NEAR), text
