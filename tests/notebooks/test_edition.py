"""The core of a lesson: order, limits, what is visible, what gives an answer away."""

import ast
import re

import anatomy
import minutes
import pytest
import small_lesson
import spoilers
import symbols
from small_lesson import cell

from dpviz import lab, lesson
from dpviz.exercises.answers import RIGHT, Number, Numbers, Pick

READ = {path.stem: lesson.read(path) for path in lesson.paths(lab.LESSONS)}
LESSONS = pytest.mark.parametrize("name", READ)
# Of the first lesson, and of the others.
MOST = {
    "words of text": (560, 1100),
    "words in all": (735, 1400),
    "statements": (1, 3),
    "pictures": (5, 5),
    "visible lines": (15, 45),
    "minutes to read": (15, 45),
}
MOVABLE = 2  # pictures with a handle, at least
ABOVE = 110  # words above the first picture, so that it stands on the first screen
OWN = 12  # lines of the lesson's own in "Ten lines"
FIRST = ("by-hand", "ten-lines", "why")  # what the first lesson has of the parts


def core(read):
    return [each for each in read.cells if each.part in read.core]


def counted(name, read):
    """What a core holds of each thing that is limited."""
    cells = core(read)
    told = [each for each in cells if each.kind != "minutes"]
    return {
        "words of text": sum(anatomy.words(each) for each in told if each.is_text),
        "words in all": sum(map(anatomy.words, told)),
        "statements": sum(each.kind == "statement" for each in cells),
        "pictures": sum(map(anatomy.pictures, cells)),
        "visible lines": sum(map(anatomy.lines, cells)),
        "minutes to read": minutes.to_read(minutes.FOLDER / f"{name}.ipynb"),
    }


def purposes(read):
    """What the sections of a lesson are for, in order, as far as it is limited."""
    return [
        purpose
        for each in read.tagged("section")
        for purpose in lesson.ANATOMY
        if purpose in each.tags
    ]


@LESSONS
def test_a_core_has_the_parts_in_order(name):
    read = READ[name]
    wanted = FIRST if name == "00_start" else lesson.ANATOMY
    there = purposes(read)
    assert [purpose for purpose in there if purpose in wanted] == list(wanted)
    assert there == [purpose for purpose in lesson.ANATOMY if purpose in there]
    sections = [each.section for each in read.tagged("section") if set(there) & each.tags]
    assert list(read.core) == [lesson.TITLE, *sections]


def opening_faults(read):
    """What is wrong with a lesson up to its first picture, and with what stands below it."""
    first = [each for each in read.cells if each.part == lesson.TITLE]
    at = next((i for i, each in enumerate(first) if each.tags & set(anatomy.PICTURES)), None)
    if at is None:
        yield "no picture"
        return
    above, picture, below = first[:at], first[at], first[at + 1 :]
    if not picture.tags & set(anatomy.MOVED):
        yield "the first picture cannot be moved"
    if sum(map(anatomy.words, above)) > ABOVE:
        yield "too many words above the first picture"
    for each in [*above, picture]:
        if anatomy.lines(each):
            yield f"visible code in cell {each.at}"
        if each.is_text and (anatomy.rows(each.source) or "<table" in each.source):
            yield f"a table in cell {each.at}"
        if each.is_text and each.kind not in ("title", "opening"):
            yield f"cell {each.at} ({each.kind}) stands above the picture"
    for each in below:
        if each.is_text and not each.source.startswith("<details"):
            yield f"cell {each.at} is not folded"
    kinds = [each.kind for each in below if each.is_text]
    wanted = ["promise", "minutes"] + ["needs"] * (not read.name.startswith("00"))
    yield from (f"no {kind} below the picture" for kind in wanted if kind not in kinds)


@LESSONS
def test_the_opening_is_a_picture_that_can_be_moved(name):
    assert list(opening_faults(READ[name])) == []


@LESSONS
def test_a_core_keeps_its_limits(name):
    which = name != "00_start"
    over = {
        what: size for what, size in counted(name, READ[name]).items() if size > MOST[what][which]
    }
    assert over == {}
    assert sum(bool(each.tags & set(anatomy.MOVED)) for each in core(READ[name])) >= MOVABLE


@LESSONS
def test_ten_lines_are_at_most_twelve(name):
    """Up to the cell in which the front door's one call stands."""
    (section,) = {each.section for each in READ[name].tagged("ten-lines")}
    cells = [each for each in core(READ[name]) if each.section == section and not each.is_text]
    longest = max(map(anatomy.lines, cells))
    assert 3 <= longest <= OWN
    assert any(re.search(r"\bdpviz\.\w+\(", each.source) for each in cells)
    assert any(each.is_check for each in cells)


# Order and visibility ----------------------------------------------------------------------------


def code_faults(read):
    """Assertions that are read, checks that give something to others, what nobody would write."""
    bound = set()
    for each in read.cells:
        if each.is_text:
            continue
        tree = ast.parse(each.source)
        asserts = sum(isinstance(node, ast.Assert) for node in ast.walk(tree))
        if asserts and not each.is_check:
            yield f"cell {each.at} asserts in visible code"
        if each.is_check and not asserts:
            yield f"cell {each.at} checks nothing"
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        if not each.is_check and names & bound:
            yield f"cell {each.at} uses {sorted(names & bound)} of a check"
        if each.is_check:
            bound |= stored(tree)
        else:
            bound -= stored(tree)
            assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
            if any(isinstance(node.value, ast.Lambda) for node in assigned) and "core" in each.tags:
                yield f"cell {each.at} names a lambda"


def stored(tree):
    """Names that code binds."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}


def order_faults(read):
    """Predictions that do not stand above the code that computes what happens."""
    waiting = {}
    for each in core(read):
        if each.is_text:
            continue
        if ".hold(" in each.source:
            yield f"cell {each.at} asks when it is computed"
        for question in re.findall(r"^(\w+) = exercises\.\w+\(\)\.ask\(\)", each.source, re.M):
            if each.source.count("\n"):
                yield f"cell {each.at} does more than ask"
            waiting[question] = each.at
        if "result" in each.tags:
            for question in re.findall(r"^(\w+)\.show\(", each.source, re.M):
                if waiting.pop(question, None) is None:
                    yield f"cell {each.at} shows what was not asked"
                if "truth=" not in each.source:
                    yield f"cell {each.at} does not say what is right"
    yield from (f"cell {at} is never answered" for at in waiting.values())


@LESSONS
def test_code_is_to_be_read(name):
    assert list(code_faults(READ[name])) == []


@LESSONS
def test_a_prediction_stands_above_what_computes_it(name):
    assert list(order_faults(READ[name])) == []
    assert any(spoilers.questions(READ[name]))


@LESSONS
def test_no_answer_is_seen_at_or_above_its_question(name):
    assert list(spoilers.faults(READ[name])) == []


COUNT = Number(value=5002, within=10)
NAME = Pick(options={"the cat": RIGHT, "the dog": "Why?"})
ALT = {"text/html": '<picture><img alt="5,002 updates are on the page"></picture>'}
PRINTED = [{"output_type": "stream", "text": ["updates: 5002\n"]}]


def small(*cells):
    read = lesson.parse(small_lesson.book(*small_lesson.FIRST, *cells), "01_small")
    return read.cells[2:]


@pytest.mark.parametrize(
    ("answer", "spoiler"),
    [
        (COUNT, cell("It takes 5,002 updates.", "text")),
        (COUNT, cell("It takes $5{,}002$ updates.", "text")),
        (COUNT, cell("expected = 5e3", "code")),
        (COUNT, cell("assert updates == (5_002, 625)", "code")),
        (COUNT, cell("answer_5002 = updates", "code")),
        (COUNT, cell('style.axis_titles(ax, "updates, 5 002 in all")', "code")),
        (COUNT, cell("figure_it()", "picture") | {"outputs": [{"data": ALT}]}),
        (COUNT, cell("show(updates)", "code") | {"outputs": PRINTED}),
        (COUNT, cell("x", "code", "hide-5002")),
        (COUNT, cell("| a | b |\n|:--|--:|\n| x | 5002.0 |", "text")),
        (NAME, cell("print('The cat!')", "code")),
        (NAME, cell("the_cat = 1", "code")),
        (Numbers(check=str, right="2, 1", wrong="1, 1", count=2), cell("It is 2, 1.", "text")),
    ],
)
def test_planted_spoilers_are_seen(answer, spoiler):
    (planted,) = small(spoiler)
    assert spoilers.spoilers(answer, spoilers.seen(planted))


@pytest.mark.parametrize(
    ("answer", "harmless"),
    [
        (COUNT, cell("It takes 500 updates, or 50,020.", "text")),
        (COUNT, cell("<details><summary>Why</summary>\n\n5,002.\n\n</details>", "text")),
        (NAME, cell("Categories", "text")),
    ],
)
def test_what_gives_nothing_away_is_left_alone(answer, harmless):
    (read,) = small(harmless)
    assert not spoilers.spoilers(answer, spoilers.seen(read))


ASK = "question = exercises.predict_x().ask()"


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        ([("predict.hold(x)", "prediction")], "asks when it is computed"),
        ([(ASK, "prediction")], "is never answered"),
        ([("question.show(x, truth=x)", "result"), (ASK, "prediction")], "what was not asked"),
        ([(f"x = 1\n{ASK}", "prediction"), ("question.show(x, truth=x)", "result")], "does more"),
        ([(ASK, "prediction"), ("question.show(x)", "result")], "does not say what is right"),
    ],
)
def test_planted_faults_of_order_are_seen(cells, fault):
    cells = [cell(source, tag, "core") for source, tag in cells]
    read = lesson.parse(small_lesson.book(*small_lesson.FIRST, *cells), "01_small")
    assert fault in " ".join(order_faults(read))


CHECK = {"jupyter": {"source_hidden": True}}


def test_planted_faults_of_code_are_seen():
    check = cell("x = 1\nassert x", "check", "hide-input", **CHECK)
    for cells, fault in (
        ([cell("assert 1", "code")], "asserts in visible code"),
        ([check, cell("y = x", "code")], "uses ['x'] of a check"),
        ([cell("x = 1", "check", "hide-input", **CHECK)], "checks nothing"),
        ([cell("f = lambda x: x", "code", "core")], "names a lambda"),
        ([check, cell("x = 2\nx", "code")], ""),
    ):
        read = lesson.parse(small_lesson.book(*small_lesson.FIRST, *cells), "01_small")
        assert fault in " ".join(code_faults(read))


FOLDED = cell("<details><summary>Time</summary>\n\n1\n\n</details>", "minutes", "core")


def test_planted_faults_of_an_opening_are_seen():
    handled = cell("view.explore_x()", "explorer", "core", "hide-input", **CHECK)
    title, promise = small_lesson.FIRST
    promise = {**promise, "source": "<details><summary>You can</summary>\n\nSo.\n\n</details>"}
    needs = cell("<details><summary>You need</summary>\n\nNo.\n\n</details>", "needs", "core")
    good = [title, handled, promise, needs, FOLDED]
    table = cell("| a |\n|:--|\n| b |", "opening", "core")
    for cells, fault in (
        (good, None),
        ([title, promise, handled, needs, FOLDED], "stands above the picture"),
        ([title, table, *good[1:]], "a table"),
        ([title, cell("import x", "code", "core"), *good[1:]], "visible code"),
        ([title, cell("word " * 120, "opening", "core"), *good[1:]], "too many words"),
        ([title, cell("figure_x()", "picture", "hide-input", **CHECK), *good[2:]], "be moved"),
        ([*good, cell("More.", "text", "core")], "is not folded"),
        ([title, handled, promise, needs], "no minutes"),
        ([title, promise], "no picture"),
    ):
        read = lesson.parse(small_lesson.book(*cells), "01_small")
        there = " ".join(opening_faults(read))
        assert fault in there if fault else there == ""


# Symbols -----------------------------------------------------------------------------------------


def unknown_letters(read, known):
    """Letters in a core that are used before the sheet or the lesson has said what they are."""
    known = set(known)
    for each in core(read):
        defined = symbols.marked(each)
        used = symbols.letters(each.source) if each.is_text else []
        yield from (f"cell {each.at} marks {one}" for one in sorted(defined - set(used)))
        known |= defined
        yield from (f"cell {each.at}: {one}" for one in dict.fromkeys(used) if one not in known)


@LESSONS
def test_every_letter_is_marked_for_all_lessons_or_where_it_is_defined(name):
    assert list(unknown_letters(READ[name], symbols.everywhere(READ.values()))) == []


def test_the_sheet_of_symbols_is_made_from_the_marks():
    written = [each.source for each in READ["00_start"].within("reference")]
    assert symbols.sheet(READ.values()) in written, "run python tests/notebooks/symbols.py"


def test_a_letter_that_nobody_knows_is_seen():
    assert symbols.letters(r"So $a_i\le\hat f(Dx)+\mathrm{Lap}(b)$ and \$5") == list("aifDxb")
    for marks, fault in (([], "w"), (["w"], None), (["w", "v"], "v"), ({"w,v": ""}, "v")):
        metadata = {"symbols": marks}
        more = cell("Let $w=n$.", "text", "core", **metadata)
        read = lesson.parse(small_lesson.book(*small_lesson.FIRST, more), "01_small")
        there = list(unknown_letters(read, {"n"}))
        assert len(there) == bool(fault) and (not fault or fault in there[0])
    for_all = symbols.everywhere(READ.values())
    assert {"n", "varepsilon", "delta", "rho", "alpha", "beta", "Delta"} <= for_all


# Minutes -----------------------------------------------------------------------------------------


def test_one_factor_brings_the_counts_to_what_three_readings_took():
    for counted_minutes, took in minutes.TOOK.values():
        assert abs(minutes.FACTOR * counted_minutes / took - 1) <= 0.15


def test_a_reader_unfolds_proofs_and_is_slower_than_a_lecturer(tmp_path):
    proof = "<details><summary>Proof (3 lines)</summary>\n\n" + "word " * 90 + "</details>"
    path = tmp_path / "book.ipynb"
    path.write_bytes(
        small_lesson.book(
            cell("# " + "word " * 129, "title", "core"),
            cell("word " * 130, "promise", "core"),
            cell(proof, "proof", "core"),
            cell("$$x$$\n\n| a |\n|:--|\n| b |\n| c |", "text", "core"),
            cell("x = 1\ny = 2", "code", "core") | {"outputs": PRINTED},
            cell("x = 1\nassert x", "check", "core", "hide-input", **CHECK),
            cell("figure_x()", "picture", "prediction", "core"),
            cell("play_x()", "player", "core"),
            cell("exercises.x()", "exercise", "core"),
        )
    )
    seconds = 129 / 130 * 60 + 60 + 3 * 25 + 60 + 60 / 130 + 2 * 4 + 2 * 6 + 4 + 6 + 30 + 45
    seconds += 6 + 120 + 6 + 120
    (time,) = minutes.reading(path).values()
    assert time == pytest.approx(minutes.FACTOR * seconds / 60)
    assert minutes.to_read(path) == round(time) > minutes.sums(path)[0]
