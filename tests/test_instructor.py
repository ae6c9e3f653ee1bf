"""The guide for instructors says what the lessons and the code say."""

import ast
import importlib
import inspect
import math
import re
import textwrap
from functools import cache
from importlib import util
from pathlib import Path

import minutes
import numpy as np
import pytest

from dpviz import __main__ as command
from dpviz import accounting, lab, lesson
from dpviz.exercises.answers import DRAWN, RIGHT, Curve, Number, Pick, single
from dpviz.exercises.program import Program
from dpviz.pages import from_disk, guide
from dpviz.papers.distance_queries.embeddings import frechet
from dpviz.papers.distance_queries.learner import average_distance, convex_learner, mistake_bounds
from dpviz.papers.fat_shattering import lower_bounds, reconstruction
from dpviz.papers.smooth_queries import moments, release
from dpviz.papers.sparse_queries import sparse_multiplicative_weights
from dpviz.papers.sparse_queries.indexed_weights import IndexedWeights
from dpviz.papers.sparse_queries.queries import Query
from dpviz.words import say

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "INSTRUCTOR.md").read_text(encoding="utf-8")
PATHS = lesson.paths(lab.LESSONS)
ROOMS = ["start", "privacy", "learner", "distance", "embedding", "sparse", "smooth"]
ROOMS += ["cluster", "fat_shattering", "compare"]
PARTS = ("On the board", "Live", "Predictions and exercises", "Exam questions")
SHOWN = r"^\w+\.((?:explore|play)_\w+)\("
WEEK = "A week later"
PROJECT = "Project and reading"
LINES = ("Needs", "Minutes", "In 50 minutes", "By the clock", "Ask", "Expect", "When late")
LINES += ("The one idea",)
LESSONS = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def section(number, text=GUIDE):
    """What the guide says of a lesson."""
    return text.partition(f"\n## Lesson {number}:")[2].partition("\n## ")[0]


def part(number, name, text=GUIDE):
    """One part of a lesson's section."""
    return section(number, text).partition(f"\n### {name}\n")[2].partition("\n### ")[0]


def bullets(text):
    return re.findall(r"^\* (.+)$", text, re.M)


def spans(text):
    return re.findall(r"`([^`]+)`", text)


def sources(path, kind):
    cells = lesson.read(path).cells
    return [cell.source for cell in cells if cell.is_text == (kind == "markdown")]


@LESSONS
def test_every_lesson_has_a_section_with_all_parts(path):
    title = sources(path, "markdown")[0].partition("\n")[0].removeprefix(f"# {path.stem[:2]} ")
    own = section(path.stem[:2])
    assert own.startswith(f" {title}\n")
    assert [name for name in LINES if f"\n**{name}.** " not in own] == []
    there = re.findall(r"^### (.+)$", own, re.M)
    assert there == [*PARTS, WEEK, PROJECT]
    assert all(len(part(path.stem[:2], name).split()) > 30 for name in PARTS)


def test_minutes_are_those_of_the_script():
    assert minutes.guide(GUIDE, PATHS) == GUIDE, "run: tests/notebooks/minutes.py --write"
    chosen = re.findall(r"^\*\*In 50 minutes\.\*\* Core \(\d+\).*?: (\d+) counted", GUIDE, re.M)
    assert len(chosen) == len(PATHS) and all(int(total) <= 40 for total in chosen)
    plans = GUIDE.partition("## Course plans")[2].partition("\n## ")[0]
    told = re.findall(r"core of (\d\d) \((\d+)\)", plans)
    cores = {path.stem[:2]: str(minutes.sums(path)[0]) for path in PATHS}
    assert {number for number, _ in told} >= {"00", "01", "02", "03", "04", "05", "06", "07", "08"}
    assert [pair for pair in told if cores[pair[0]] != pair[1]] == []


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("**Minutes.** Core 10: Title 3;", "**Minutes.** Core 13: Title 6;"),
        ("pay only for mistakes? | 20 |", "pay only for mistakes? | 25 |"),
        ("Core (20), Experiment (1), Explore (3), Where", "Core (21), Explore (9), Where"),
        ("| 6 | 8 | `D C ? A; exp(2*a)` |", "| 7 | 8 | `D C ? A; exp(2*a)` |"),
    ],
)
def test_false_minutes_are_found(true, false):
    assert true in GUIDE
    told = minutes.guide(GUIDE.replace(true, false), PATHS)
    assert false not in told
    with pytest.raises(KeyError, match="Dessert"):
        minutes.in_50(PATHS[3], "Core (22), Dessert (8): 30")


@LESSONS
def test_statements_have_the_names_of_the_lesson(path):
    stated = r"(?:Definition|Theorem|Lemma|Corollary) \d\d?\.\d+"
    book = "\n".join(sources(path, "markdown"))
    told = set(re.findall(stated, section(path.stem[:2])))
    own = {name for name in told if name.split()[1].partition(".")[0] == str(int(path.stem[:2]))}
    defined = set(re.findall(rf"\*\*({stated})", book))
    assert own <= defined
    everywhere = "\n".join(text for each in PATHS for text in sources(each, "markdown"))
    assert told - own <= set(re.findall(rf"\*\*({stated})", everywhere))
    assert path.stem == "00_start" or len(own) >= 3


# What is shown ---------------------------------------------------------------------------------


@cache
def room(number):
    return importlib.import_module(f"dpviz.lessons.{ROOMS[int(number)]}")


@cache
def told(number, name):
    """Of an explorer: each preset with the words that it shows."""
    explorer, words = getattr(room(number), name)(), {}
    for preset, values in explorer.presets.items():
        explorer.set(**values)
        shown = re.sub(r"<[^>]+>", " ", explorer.screen.words()[0]).replace("&#x27;", "'")
        words[preset] = " ".join(shown.split())
    return words


def live_faults(number, text):
    """Presets that are missing or unknown, and words that a preset does not show."""
    for bullet in bullets(text):
        name, *_ = spans(bullet)
        rest = bullet.partition(f"`{name}`")[2]
        if name.startswith("play_"):
            yield from () if hasattr(room(number), name) else [f"{name} is not there"]
            continue
        shown, preset = told(number, name), ""
        yield from (f"{name} has {each}" for each in shown if f"*{each}*" not in rest)
        for italic, span in re.findall(r"(?<!\*)\*([^*]+)\*|`([^`]+)`", rest):
            preset = italic or preset
            if preset not in shown:
                yield f"{name} has no {preset!r}"
            elif span and span not in shown[preset]:
                yield f"{name}, {preset}: {span!r} is not in {shown[preset]!r}"


@LESSONS
def test_what_is_shown_is_there_and_says_so(path):
    number = path.stem[:2]
    places = {}
    for cell in (cell for cell in lesson.read(path).cells if not cell.is_text):
        for each in re.findall(SHOWN, cell.source, re.M):
            places[each] = f"{places[each]} and {cell.part}" if each in places else cell.part
    assert dict(re.findall(r"^\* `(\w+)` \((.+?)\)", part(number, "Live"), re.M)) == places
    assert list(live_faults(number, part(number, "Live"))) == []


def test_faults_of_what_is_shown_are_found():
    best, wrong = "* `explore_curve`, *Best*: `proved 0.017`", "* `explore_curve`, *Best*: `0.99`"
    assert any("is not in" in fault for fault in live_faults("03", wrong))
    assert not any("is not in" in fault for fault in live_faults("03", best))
    assert any("has Two tangents" in fault for fault in live_faults("03", best))
    assert any("has no" in fault for fault in live_faults("03", "* `explore_curve`, *Worst*"))
    assert list(live_faults("03", "* `play_chess`: no"))


# Exercises -------------------------------------------------------------------------------------


def exercises(number):
    return importlib.import_module(f"dpviz.lessons.{ROOMS[int(number)]}.exercises")


def given(answer, text):
    """What a reader who writes this hands over."""
    return [single(each)[0] for each in text.split(",")] if isinstance(answer, Curve) else text


def questions(function, module):
    """The diagnoses of a check: its strings with a question mark, those of what it calls too."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    told = [node for statement in tree.body[1:] for node in ast.walk(statement)]
    for node in told:  # without its docstring
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "?" in node.value:
            yield node.value.rpartition("}")[2].strip()  # behind the last value that it takes
        called = getattr(module, node.id, None) if isinstance(node, ast.Name) else None
        if inspect.isfunction(called) and called is not function:
            yield from questions(called, module)


def diagnoses(answer, module):
    """What an answer can say of typical wrong ones."""
    if isinstance(answer, Pick):
        return {said for said in answer.options.values() if said != RIGHT}
    if isinstance(answer, Number):
        return set(answer.slips.values())
    if isinstance(answer, Program):
        return set(answer.slips)
    if isinstance(answer, Curve):
        return set(map(say, DRAWN.values())) - {RIGHT}
    return set(questions(answer.check, module))


def exercise_faults(number, bullet):
    """What a bullet says of an exercise, against what the exercise says."""
    module, name = exercises(number), re.match(r"\*\*`(\w+)`\*\*", bullet)[1]
    answer = getattr(module, name)().answer
    right, _, wrong = bullet.partition("*Wrong:*")
    right = spans(right.partition("**:")[2])[0]
    if isinstance(answer, Program):
        if squeezed(right) not in squeezed(answer.right):
            yield f"{name}: {right} is not in the solution"
        replies = [squeezed(each) for each in re.findall("“(.+?)”", wrong)]
        known = {said: squeezed(said) for said in diagnoses(answer, module)}
        begun = {
            said: [each for each in replies if text.startswith(each)]
            for said, text in known.items()
        }
        yield from (f"{name}: nothing about {said!r}" for said, each in begun.items() if not each)
        if len(replies) != len(known):
            yield f"{name}: {len(replies)} wrong answers, not {len(known)}"
        return
    if answer.judge(given(answer, right)) != RIGHT:
        yield f"{name}: {right} is not right"
    replies = {each: answer.judge(given(answer, each)) for each in spans(wrong)}
    yield from (f"{name}: {each} is right" for each, said in replies.items() if said == RIGHT)
    together = " ".join(replies.values())
    for said in diagnoses(answer, module):
        if said not in together:
            yield f"{name}: nothing about {said!r}"
    if isinstance(answer, Pick):
        yield from (
            f"{name}: nobody can choose {each}" for each in replies if each not in answer.options
        )
        missing = set(answer.options) - {right, *replies}
        yield from (f"{name}: nothing about {each}" for each in missing)
    if isinstance(answer, Number):
        known = [single(each)[0] for each in replies]
        for slip in answer.slips:
            close = max(answer.within, 0.01 * abs(slip))
            if not any(abs(each - slip) <= close for each in known):
                yield f"{name}: nothing about {slip}"
        yield from (
            f"{name}: {each} is not diagnosed"
            for each, said in replies.items()
            if said not in answer.slips.values()
        )


def squeezed(text):
    return re.sub(r"\s", "", text)


@LESSONS
def test_every_exercise_is_there_with_every_diagnosed_answer(path):
    number = path.stem[:2]
    asked = re.findall(r"\bexercises\.((?!prove_)\w+)\(", "\n".join(sources(path, "code")))
    told_of = bullets(part(number, "Predictions and exercises"))
    names = [re.match(r"\*\*`(\w+)`\*\*: ", bullet)[1] for bullet in told_of]
    assert sorted(names) == sorted(asked)
    assert [fault for bullet in told_of for fault in exercise_faults(number, bullet)] == []


def test_every_proof_is_listed_with_an_answer_that_is_right():
    rows = re.findall(
        r"^\| (\d\d) \| `(prove_\w+)` \|.*\| (\d+) \| (\d+) \| `(.+)` \|$", GUIDE, re.M
    )
    asked = [
        (path.stem[:2], name)
        for path in PATHS
        for name in re.findall(r"\bexercises\.(prove_\w+)\(", "\n".join(sources(path, "code")))
    ]
    assert [row[:2] for row in rows] == asked and len(asked) == 4 * len(PATHS)
    for number, name, marks, _, right in rows:
        proof = getattr(exercises(number), name)()
        assert proof.answer.judge(right.replace("; ", " | ")) == RIGHT
        assert proof.marks == int(marks)


@pytest.mark.parametrize(
    ("number", "bullet"),
    [
        ("00", "**`half_the_noise`**: `2`. *Wrong:* `0.25`; `2`; `0.707`"),
        ("00", "**`half_the_noise`**: `1`. *Wrong:* `0.25`; `2`"),
        ("00", "**`half_the_noise`**: `1`. *Wrong:* `0.25`; `2`; `0.707`; `9`"),
        ("02", "**`predict_order`**: `random takes fewest`. *Wrong:* `random takes most`"),
        ("02", "**`write_guess`**: `np.max(values + slopes * (y - places))`. *Wrong:* “Every”"),
        ("02", "**`build_worst`**: `0, 1/9, 2/9, 3/9, 4/9, 5/9, 6/9, 7/9, 8/9`. *Wrong:* `0.5`"),
        ("02", "**`predict_curve`**: `0.5, 0.25, 0, 0.25, 0.5`. *Wrong:* `0, 0, 0, 0, 0`"),
    ],
)
def test_faults_about_exercises_are_found(number, bullet):
    assert list(exercise_faults(number, bullet))


# Numbers ---------------------------------------------------------------------------------------


def two_records():
    """Lesson 02, question 2."""
    curve, guess = average_distance.AverageDistance([0.2, 0.6]), convex_learner.Tangents()
    guess.update(0.3, curve.value(0.3), curve.slope(0.3))
    return [curve.value(0.3), curve.slope(0.3), guess.predict(1.0), curve.value(1.0), 0.6 - 0.2]


def four_points():
    """Lesson 04, question 1: distance of the ends, expansion, contraction."""
    true = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    rows = np.stack([true[:, [0]].min(axis=1), true[:, [1, 2]].min(axis=1)], axis=1) / 2
    apart = np.abs(rows[:, None] - rows).sum(axis=2)
    pairs = ~np.eye(4, dtype=bool)
    return [
        apart[0, 3],
        (apart / np.where(pairs, true, 1))[pairs].max(),
        (true[pairs] / apart[pairs]).max(),
    ]


def four_indices():
    """Lesson 05, question 3."""
    hypothesis = IndexedWeights(4)
    hypothesis.update(Query(["new"]), math.log(2))
    return [hypothesis.value("new"), hypothesis.value("another")]


def exam_00():
    scale = 15 / 400 / 0.5
    recovered = 400 * math.sqrt(2) * math.sqrt(2) * scale
    yield from [400 * (9.2150 - 9.1825), 400 * 2 * 0.00005]
    yield from [15 / 400, scale, recovered, recovered / 10, 2 * 100 * 0.5]


def exam_01():
    odds = math.exp(0.5) / 99
    yield from [odds / (1 + odds), 1 / (1 + math.exp(0.5))]
    steps = {"epsilon": 0.1, "k": 50}
    yield from [accounting.pure_basic(**steps), accounting.pure_advanced(**steps, delta=1e-6)]
    rho = 50 * accounting.zcdp_pure(epsilon=0.1)
    yield from [rho, accounting.zcdp_epsilon(rho=rho, delta=1e-6), 1 / (1 + math.exp((10 - 4) / 2))]


def exam_02():
    yield mistake_bounds.mistake_bound(0.005)
    yield mistake_bounds.mistake_bound(0.03, width=3)
    yield from two_records()


def exam_03():
    noise = accounting.gaussian_sd(epsilon=1, delta=1e-6)
    yield from [2 ** (5 / 4), 3 / 200, 2 / 200, noise * 100 / 10_000, noise / 10_000, 100]


def exam_04():
    yield from four_points()
    yield from [
        frechet.scales(200),
        math.sqrt(math.pi * math.log(2 * 1000 / 0.05) / 4000),
        4 * 4000,
    ]


def exam_05():
    yield from [sparse_multiplicative_weights.mistake_bound(10_000, a, "best") for a in (0.1, 0.2)]
    yield from [math.sqrt(8 * 100) / 20_000, math.sqrt(2) * 1000 / 20_000]
    yield from four_indices()


def exam_06():
    moved = 3 * (1 + moments.excess(3))
    yield from [moved, moved / 500]
    yield from [release.paper_terms(10_000, d=d, smoothness=2) for d in (1, 2)]
    yield -2 / (2 * 1 + 2)


def exam_07():
    enough, loss = 1 + 2 / 0.5 * math.log(1 / 2e-6), 2 / 0.2 * math.log(200 / 0.1)
    yield from [2 - 2 / 50, enough, 1 - 0.5 * math.exp(-(60 - enough) * 0.5 / 2)]
    yield from [loss, 1000 - 2 * loss]


def exam_08():
    yield from [math.floor(1 / (2 * 0.15)), 1, 12, reconstruction.reconstruction_bound(0.5, 0.25)]
    yield from [lower_bounds.lower_bound(0.5, 40, epsilon=0.5, beta=0.05), 1 - 30 / 100]
    yield math.comb(6 + 4 - 1, 4)


def exam_09():
    yield from [3000 / 0.25, 1.5 / 3 / 2, 1 / (569 * 0.5), 20.0**-3]


EXAMS = [exam_00, exam_01, exam_02, exam_03, exam_04, exam_05, exam_06, exam_07, exam_08, exam_09]


def week_00():
    yield 1 / (1 + math.exp(-0.5))
    yield from [40 / 200 / 0.5, 6 * 0.5, 1 / (1 + math.exp(-3))]


def week_01():
    yield from [math.log(0.6 / 0.4), (0.6 / 0.4) ** 3, 3 * math.log(0.6 / 0.4)]


def week_02():
    curve, guess = average_distance.AverageDistance([0.2, 0.2, 0.6, 0.8]), convex_learner.Tangents()
    guess.update(0.5, curve.value(0.5), curve.slope(0.5))
    yield mistake_bounds.mistake_bound(0.1, width=5)
    yield from [curve.value(0.5), curve.slope(0.5), guess.predict(1.0)]
    yield from [curve.value(1.0), curve.value(1.0) - guess.predict(1.0)]


def week_03():
    """Where 1/C meets C^(1/2) / n and C / n: powers of n, from two sizes of it."""
    grid = np.logspace(0, 6, 60_001)
    for power in (0.5, 1):
        least = [np.maximum(1 / grid, grid**power / n).min() for n in (1e4, 1e6)]
        yield math.log(least[1] / least[0]) / math.log(100)


def week_04():
    towns = np.diag([1.0, 2.0, 4.0])
    yield from [np.abs(towns[i] - towns[j]).sum() for i, j in ((0, 1), (0, 2), (1, 2))]


def week_05():
    truth, before, after = np.array([0.6, 0.4]), 1 / 5, np.array([0.6, 0.4 / 4])
    yield from after
    yield truth @ np.log(after / before)
    yield 2 * (truth[0] - before) ** 2


def week_09():
    first, second = [1, 1, 2, 2, 2, 3, 9, 9], [3, 3, 4, 4, 4, 4, 5, 6]
    yield from [np.median(first), np.median(second), sorted(first)[6], sorted(second)[6]]
    crossing = (60 / 3) ** 2
    yield from [crossing, crossing / 0.1, 60 / 100, 3 / math.sqrt(100)]


def week_08():
    """All databases of six patients against all groups."""
    databases = np.array(list(np.ndindex(*[2] * 6)))
    truth = np.array([1, 1, 0, 0, 0, 0])
    off = np.abs((databases - truth) @ databases.T).max(axis=1)
    wrong = np.abs(databases - truth).sum(axis=1)
    yield from [(off <= 1).sum(), wrong[off <= 1].max(), (off <= 0.9).sum()]


def week_06():
    records = np.array([1, 1, 0, -1, 0.5])
    yield from [records.mean(), (2 * records**2 - 1).mean(), ((1 + records) ** 2 / 4).mean()]
    yield 2 * 2 / 5


def week_07():
    before, after = (2.0 ** np.array(counts) for counts in ([6, 3, 3, 1, 0], [5, 3, 3, 2, 0]))
    yield from [before[0] / before.sum(), after[0] / after.sum(), 2 * 2, 2 * math.log(2)]


WEEKS = {name[-2:]: week for name, week in globals().copy().items() if name.startswith("week_")}


def number_faults(text, values):
    """Numbers in bold, in order, against what they should be, to the digits written."""
    bold = re.findall(r"\*\*(-?[\d.]+)\*\*", text)
    if len(bold) != len(values):
        yield f"{len(bold)} numbers in bold, {len(values)} are computed"
    for written, value in zip(bold, values, strict=False):
        digits = len(written.partition(".")[2])
        if abs(float(written) - value) > 0.5001 * 10.0**-digits:
            yield f"{written} should be {value:.6g}"


@LESSONS
def test_numbers_of_exam_questions(path):
    number = path.stem[:2]
    text = part(number, "Exam questions")
    asked = re.findall(r"^\d\. \*.+?\?\*|^\d\. \*.+?\.\*", text, re.M)
    assert 2 <= len(asked) <= 4
    assert list(number_faults(text, list(EXAMS[int(number)]()))) == []


@pytest.mark.parametrize("number", WEEKS)
def test_questions_of_a_week_later(number):
    """Three, with as many points in the key as there are marks; one is not in the lesson."""
    text = part(number, WEEK)
    marks = re.findall(
        r"^\d\. \*\((\d) marks.*?\).+?\?\*(.*)$|^\d\. \*\((\d) marks.*?\.\*(.*)$", text, re.M
    )
    asked = [(int(a or b), key or other) for a, key, b, other in marks]
    assert len(asked) == 3 and "not in the lesson" in text
    for most, key in asked:
        assert sum(int(each) for each in re.findall(r"\((\d)\)[;:,.]?", key)) == most, key
    assert list(number_faults(text, list(WEEKS[number]()))) == []


def test_faults_of_numbers_are_found():
    assert list(number_faults("**1.5**", [1.56])) and list(number_faults("**1.5**", []))
    assert not list(number_faults("**1.5** **-2**", [1.46, -2.2]))


def project_faults(text, keys):
    """What is wrong with a project sheet and its reading list."""
    begin = spans(text.partition("*Begin with* ")[2].partition("\n")[0])
    yield from (f"no module {name}" for name in begin if not util.find_spec(name))
    yield from (f"no source {key}" for key in re.findall(r"\[(\w+\d\d)\b", text) if key not in keys)
    if not begin or text.count("?") != 1 or "*A good result:* " not in text:
        yield "one question, a good result and a place to begin are wanted"
    if len(text.split()) > 120 or not 3 <= len(bullets(text)) <= 5:
        yield "at most 120 words and three to five items to read are wanted"
    yield from (f"no reason: {each}" for each in bullets(text) if not re.search(r": \w.+\.$", each))


@LESSONS
def test_a_project_begins_in_the_package_and_readings_are_known(path):
    table = (ROOT / "docs" / "frontier" / "sources.tsv").read_text(encoding="utf-8")
    keys = {line.partition("\t")[0] for line in table.splitlines()}
    text = part(path.stem[:2], PROJECT)
    assert list(project_faults(text, keys)) == []
    assert "no source HR14" in project_faults("[HR14]: a.", set())
    assert "no module dpviz.chess" in project_faults("*Begin with* `dpviz.chess`.\n", keys)


# Links, commands, words ------------------------------------------------------------------------


def test_links_commands_and_files_exist(tmp_path):
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", GUIDE) if "://" not in link]
    assert [link for link in links if not (ROOT / link).exists()] == []
    files = [each for each in spans(GUIDE) if re.fullmatch(r"[\w/]+\.(py|md|ipynb)", each)]
    assert files and [each for each in files if not (ROOT / each).exists()] == []
    made = {each.split()[1] for each in spans(GUIDE) if each.startswith("make ")}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert made and [name for name in made if f"\n{name}:" not in makefile] == []
    typed = [each.split() for each in spans(GUIDE) if each.startswith("dpviz ")]
    known = command.parser()
    for words in typed:
        assert known.parse_args([str(tmp_path) if word.isupper() else word for word in words[1:]])
    assert typed


def test_the_guide_is_a_page_beside_the_lessons(tmp_path, monkeypatch):
    monkeypatch.setattr(from_disk, "kept", lambda books, cache: [{} for _ in books])
    from_disk.pages(tmp_path, lab.LESSONS, tmp_path / "cache")
    assert f'href="{guide.NAME}"' in (tmp_path / "index.html").read_text("utf-8")
    made = (tmp_path / guide.NAME).read_text("utf-8")
    body = made.partition("<main>")[2].partition("</main>")[0]
    places = re.findall(r'id="([^"]+)"', body)
    assert len(places) == len(set(places)) >= len(PATHS)
    assert set(re.findall(r'href="#([^"]+)"', body)) <= set(places)
    assert body.count("<math") > 100
    words = re.sub(r"<code>.*?</code>|<[^>]+>", " ", body)
    assert re.findall(r"\$|\\[a-z]+|\*\*", words) == []


def test_lessons_without_a_guide_have_no_link_to_one(tmp_path, monkeypatch):
    lessons = tmp_path / "notebooks"
    lab.copy(lessons)
    monkeypatch.setattr(from_disk, "kept", lambda books, cache: [{} for _ in books])
    from_disk.pages(tmp_path / "pages", lessons, tmp_path / "cache")
    assert guide.NAME not in (tmp_path / "pages" / "index.html").read_text("utf-8")
    assert not (tmp_path / "pages" / guide.NAME).exists()


@LESSONS
def test_a_section_can_be_taken_out(path):
    taken = guide.section(GUIDE, path.stem[:2])
    assert taken.startswith(f"## Lesson {path.stem[:2]}:") and taken.count("\n## ") == 0
    assert section(path.stem[:2]).strip() in taken
    assert guide.section(GUIDE, "77") == ""
