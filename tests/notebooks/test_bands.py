"""The tools that try lessons with other seeds see an assertion that some seeds break."""

import json
import os

import any_seed
import bands

CELLS = [
    "import numpy as np\n\nfrom dpviz.sweeps import seeds\n\nSEED = seeds.seed(5)",
    "values = []\nvalues.append(np.random.default_rng(SEED).uniform())\nother = 1 / 0",
    "assert 2 + 2 == 4",
    "assert values[0] < 0.8 and len(values) == 1",
]


def lesson(folder, cells=CELLS):
    path = folder / "lesson.ipynb"
    code = [{"cell_type": "code", "source": [text]} for text in cells]
    path.write_text(json.dumps({"cells": code}), encoding="utf-8")
    return path


def test_only_what_hangs_on_the_seed_is_listed(tmp_path):
    assert bands.list_seeded(lesson(tmp_path)) == [3]


def test_a_comparison_is_measured_with_what_it_needs_and_nothing_else(tmp_path):
    table = bands.measure(lesson(tmp_path), {3}, range(400), [], minutes=5)
    below, length = table.values()
    assert all(truth for truth, _ in length)
    assert all(truth == (sides[0][0] < 0.8) for truth, sides in below)
    # binomial, mean 80, sd 8; the seeds are fixed
    assert 40 < sum(not truth for truth, _ in below) < 120


def test_a_failure_is_told_with_its_cell_and_the_cells_after_it_run(tmp_path):
    values = [1, 2, 3, 4, 5, 6, 7, 8]
    runs = [any_seed.one(lesson(tmp_path), seed) for seed in values]
    assert all(run[0][0] == 1 and "ZeroDivisionError" in run[0][1] for run in runs)
    table = bands.measure(lesson(tmp_path), {3}, values, [], minutes=5)
    truths = [truth for truth, _ in next(iter(table.values()))]
    assert [len(run) == 1 for run in runs] == truths and 0 < sum(truths) < len(values)
    assert "DPVIZ_SEED" not in os.environ  # other tests of this process have the lesson's seed


def test_a_process_that_dies_is_a_failure(tmp_path):
    dies = lesson(tmp_path, ["import os\n\nos._exit(3)"])
    assert any_seed.one(dies, 1)[0][0] == -1
