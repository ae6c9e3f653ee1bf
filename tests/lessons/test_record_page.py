"""The script that keeps answers on a page takes for answers what Python takes for them."""

import json
import shutil
import subprocess

import pytest

from dpviz.exercises.record import blank, unpacked
from dpviz.pages import sheet

NODE = shutil.which("node")
PAGE = """
globalThis.window = globalThis;
globalThis.document = { querySelectorAll: () => [] };
globalThis.addEventListener = () => {};
const kept = {};
globalThis.localStorage = {
  getItem: (key) => kept[key] ?? null, setItem: (key, text) => { kept[key] = text; } };
"""
RUN = """
const found = JSON.parse(require("fs").readFileSync(0, "utf-8")).map((text) => {
  for (const key of Object.keys(kept)) delete kept[key];
  kept["dpviz answers"] = text;
  const read = window.dpvizRecord.entries();
  window.dpvizRecord.tried({ name: "start.new", question: "?", prediction: false }, "1", "No.");
  return [read, kept["dpviz answers unread 0"] ?? null, window.dpvizRecord.problem];
});
process.stdout.write(JSON.stringify(found));
"""
GOOD = {**blank("?", True), "tries": [["1", "Yes."]], "mark": "done"}
BAD = [
    *({"a": entry} for entry in (None, 1, "x", [], True, {}, {**GOOD, "more": 1})),
    *({"a": {**GOOD, key: value}} for key, value in (
        ("question", None), ("prediction", 1), ("waived", "no"), ("mark", "well"), ("mark", None),
        ("tries", None), ("tries", {}), ("tries", [None]), ("tries", [["1"]]), ("tries", "ab"),
        ("tries", [["1", "2", "3"]]), ("tries", [[1, "Yes."]]), ("tries", [["1", None]]))),
    *({"a": {k: v for k, v in GOOD.items() if k != key}} for key in GOOD),
    {"b": GOOD, "a": None}, None, [], [GOOD], "x", 1,
]  # fmt: skip


def text(entries):
    """A file of answers."""
    return json.dumps({"dpviz answers": 1, "entries": entries})


@pytest.mark.skipif(NODE is None, reason="node is not installed: Chromium runs the script")
def test_the_page_refuses_what_python_refuses_and_puts_it_aside():
    code = f"{PAGE}\n{sheet.together('js', ['record'])}\n{RUN}"
    texts = [text(entries) for entries in [*BAD, {}, {"a": GOOD}]]
    done = subprocess.run(
        [NODE, "-e", code], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    *refused, empty, good = json.loads(done.stdout)
    for given, (read, aside, problem) in zip(texts, refused, strict=False):
        with pytest.raises(ValueError, match="holds something else"):
            unpacked(given)
        assert (read, aside) == ({}, given) and "put aside" in problem
    assert empty == [{}, None, ""] and good == [{"a": GOOD}, None, ""]
    assert unpacked(texts[-1]) == {"a": GOOD}
