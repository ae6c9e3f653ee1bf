"""Slides show first words, whole statements and pictures of a lesson; the rest is in the notes."""

import json
import re
from itertools import pairwise
from types import SimpleNamespace

import pytest
from small_lesson import book, cell

from dpviz import lab, lesson
from dpviz.exercises.answers import Number
from dpviz.exercises.exercise import Exercise
from dpviz.lesson import parse
from dpviz.pages import guide, run, slides
from dpviz.pages.run import Piece

GUIDE = guide.beside(lab.LESSONS).read_text("utf-8")
OPENING = (
    cell("# 01 What?", "title", "core", slide="slide"),
    cell("**Promise.** You can.", "promise", "core"),
    cell("Why you should.", "opening", "core", slide="notes"),
    cell("| Title | 1 | core |", "minutes", "core", slide="skip"),
    cell("The **core** stands.", "text", "core", slide="skip"),
)
EXPLORER = '<section class="instrument dpviz-explorer">moved</section>'


def text(source, kind="text", *tags, core=True, slide="-", **more):
    """A cell of text, which begins a section if it has a heading."""
    begins = ["section"] if source.startswith("##") else []
    return cell(source, kind, *begins, *tags, *["core"] * core, slide=slide, **more), ()


def code(*outputs, instruments=(), projected=(), figures=(), core=True, slide="-"):
    made = cell("", "code", *["core"] * core, slide=slide)
    woken = ["" for _ in instruments]
    run = (list(instruments), woken, list(projected), list(figures))
    return {**made, "outputs": list(outputs)}, run


def printed(told):
    return code({"output_type": "stream", "text": told})


def drawn(image):
    return code({"data": {"text/html": "<picture><img></picture>"}}, figures=[image])


def asks(exercise):
    words = {"data": {"text/html": "words"}}
    widget = {"data": {"application/vnd.jupyter.widget-view+json": {}}}
    return code(words, widget, instruments=[exercise], projected=[""])


def deck(*pieces):
    lesson = parse(book(*OPENING, *(raw for raw, _ in pieces)), "01_small")
    runs = [(), (), (), (), (), *(run for _, run in pieces)]
    run = [
        Piece(each, *(more or ([], [], [], [])), [])
        for each, more in zip(lesson.cells, runs, strict=True)
    ]
    return slides.deck(lesson, run)


def kinds(*pieces):
    return [slide.kind for slide in deck(*pieces)]


def test_the_title_has_the_promise_and_its_notes_leave_the_table_out():
    (title,) = deck()
    assert (title.kind, title.heading, title.body) == ("title", "01 What?", "<p>You can.</p>")
    assert "Why you should." in title.notes
    assert not any("|" in note or "stands" in note for note in title.notes)


def test_what_is_not_of_the_core_is_left_out_but_for_its_explorers():
    further = [
        text("## Explore\nMuch.", core=False, slide="skip"),
        code({"output_type": "stream", "text": "1"}, core=False),
        text("Press *Best*.", core=False, slide="skip"),
    ]
    widget = {"data": {"application/vnd.jupyter.widget-view+json": {}}}
    words = {"data": {"text/html": "words"}}
    more = {"instruments": [SimpleNamespace()], "projected": [EXPLORER], "slide": "skip"}
    shown = code(words, widget, core=False, **more)
    after = text("Then stop.", core=False, slide="skip")
    last = text("## Lessons\n* A.", "text", "lessons", core=False, slide="slide")
    made = deck(text("## Idea\nLittle."), *further, shown, after, last)
    assert [slide.kind for slide in made] == ["title", "words", "words", "instrument"]
    assert made[-1].heading == "Explore"
    assert made[-1].notes == ["Press *Best*.", "Then stop."]
    assert "Much" not in str(made)


def test_statements_are_whole_and_their_proofs_are_notes():
    statement = "**Theorem 1.1.** Let it be. It is.\n$$a=b.$$"
    proof = "<details><summary>Proof</summary>\n\nClear.\n\n</details>"
    _, stated = deck(
        text(f"## Idea\n{statement}", "statement", number="Theorem 1.1"), text(proof, "proof")
    )
    assert stated.kind == "stated"
    assert "It is." in stated.body and "<math" in stated.body
    assert stated.notes == [proof]


def test_a_theorem_keeps_its_parts_and_a_heading_its_formula():
    parts = "**Theorem 1.1.** So:\n\n(a) It is $a$.\n\n(b) It is not."
    made = deck(
        text(f"## Idea\n{parts}", "statement", number="Theorem 1.1"),
        text("(By the way.)", "aside", slide="notes"),
    )
    assert "(b) It is not." in made[-1].body
    assert made[-1].notes == ["(By the way.)"]
    shown = slides.section(slides.Slide("words", "What $s$ costs", ""), 1)
    assert "<h1>What <math" in shown


def test_a_paragraph_shows_its_first_words_and_its_notes_hold_all_of_it():
    long = "First it is said. " + "Then it is said again at length, as one does in a book. " * 8
    _, words = deck(text(f"## Idea\n{long}"))
    assert "First it is said." in words.body
    assert len(words.body) < slides.MOST[0] + 20
    assert words.notes == [long.strip()]


def test_more_paragraphs_than_a_slide_holds_make_two():
    assert kinds(text("## Idea\n" + "\n\n".join("abcd"))) == ["title", "words", "words"]


@pytest.mark.parametrize(
    ("piece", "kind"), [(drawn("<img>"), "picture"), (printed("1\n2\n3\n4\n"), "listing")]
)
def test_one_paragraph_is_said_above_what_follows_and_two_are_not(piece, kind):
    assert kinds(text("## Idea\nLook."), piece) == ["title", kind]
    assert kinds(text("## Idea\nLook.\n\nAgain."), piece) == ["title", "words", kind]
    assert deck(text("## Idea\nLook."), piece)[-1].said == "Look."


def test_the_ten_lines_are_shown_and_no_other_code():
    source = "noise = rng.laplace()"
    lines = {**cell(source, "code", "core"), "outputs": [{"output_type": "stream", "text": "4.2"}]}
    run = ([], [], [], [])
    folded = cell("import math", "code", "core", "hide-input")
    pieces = [(lines, run), (folded, run)]
    made = deck(text("## Ten lines\nFew.", "text", "ten-lines"), *pieces)
    assert [slide.kind for slide in made] == ["title", "listing"]
    assert made[-1].said == "Few."
    assert "laplace" in made[-1].body and "4.2" in made[-1].body
    assert "import" not in str(made)
    assert "laplace" not in str(deck(text("## Watch it\nFew."), *pieces))


def test_a_paragraph_alone_after_a_picture_explains_it():
    made = deck(text("## Idea"), drawn("<img>"), text("It falls."))
    assert [slide.kind for slide in made] == ["title", "picture"]
    assert (made[-1].said, made[-1].notes) == ("It falls.", ["It falls."])


def test_a_picture_is_the_projected_one():
    assert deck(text("## Idea"), drawn("<img large>"))[-1].body == "<img large>"


def test_what_cannot_be_read_from_afar_is_left_out():
    rows = "| a |\n|--|\n" + "| 1 |\n" * 30
    table = code({"data": {"text/markdown": rows}})
    assert kinds(text("## Idea\nSee."), printed("1\n" * 40), table) == ["title", "words"]


def test_a_prediction_holds_its_answer_back_until_the_next_slide():
    one = Exercise("<b>Predict.</b> 1 + 1?", Number(value=2), [], "Count.").hold("It is 2.")
    folded = "<details><summary>Why</summary>\n\nOne more.\n\nAnd so on.\n\n</details>"
    title, question, happened = deck(text("## Idea"), asks(one), text(folded, "answer"))
    assert (question.kind, happened.kind) == ("question", "happened")
    assert "Predict." in question.body and "It is 2." not in question.body
    told = question.body.partition('<script type="application/json">')[2]
    assert json.loads(told.partition("</script>")[0])["value"] == 2
    assert "It is 2." in happened.body
    assert happened.said == "One more." and "And so on." in happened.notes[-1]
    assert title.kind == "title"


def test_asides_and_tables_are_only_in_the_notes():
    aside = text("(By the way.)\n\n| a |\n|--|\n| 1 |", "aside", slide="notes")
    _, words = deck(text("## Idea\nSo."), aside)
    assert words.body == "<p>So.</p>"
    assert "By the way." in words.notes[0] and "| 1 |" in words.notes[0]


def test_two_parts_do_not_share_a_slide():
    made = deck(text("## Idea\nA."), text("## Setting\nB."))
    assert [slide.heading for slide in made[1:]] == ["Idea", "Setting"]


def test_emphasis_and_formulas_are_not_cut():
    told = "For each: **guess. If wrong, ask.** Then $a. b$ follows, as it is said below. No."
    assert slides.lead(told, 60).endswith("**guess. If wrong, ask.**")
    told = "Let it be so for every one of them: $$a.$$ And more. " + "x" * 200
    assert slides.lead(told, 40) == "Let it be so for every one of them: $$a.$$"


def explores():
    words = {"data": {"text/html": "words"}}
    widget = {"data": {run.VIEW: {}}}
    return code(words, widget, instruments=[SimpleNamespace()], projected=[EXPLORER])


def test_each_step_of_the_proof_stands_beside_its_picture():
    proof = text("## Why it works\nIn two steps.\n\n1. One. So.\n2. Two.", "text", "why")
    _, first, second, picture = deck(proof, drawn("<img>"))
    assert (first.kind, second.kind, picture.kind) == ("step", "step", "picture")
    assert (first.said, first.notes) == ("In two steps.", ["In two steps.", "One. So."])
    assert (second.said, second.notes) == ("", ["Two."]) and 'start="2"' in second.body
    assert "<img>" in first.body and "<img>" in second.body
    many = text("## Why it works\n" + "Many. " * 26 + "\n\n1. One.", "text", "why")
    assert kinds(many, drawn("<img>")) == ["title", "words", "step", "picture"]
    elsewhere = text("## By hand\n1. One.\n2. Two.", "text", "by-hand")
    assert kinds(elsewhere, drawn("<img>")) == ["title", "picture"]
    alone = deck(text("## Why it works\n1. One.\n2. Two.", "text", "why"))
    assert [slide.kind for slide in alone] == ["title", "step", "step"]


def test_what_is_asked_of_an_explorer_stands_above_it_and_its_answer_on_the_next_slide():
    asked = text("## Idea\nLittle.\n\n" + "Long words. " * 30 + "**Drag it.** Does it move?")
    made = deck(asked, explores(), text("It moves."))
    assert [slide.kind for slide in made] == ["title", "words", "instrument", "instrument"]
    assert "Drag" not in made[1].body and made[2].said.endswith("**Drag it.** Does it move?")
    assert len(made[2].said) <= slides.ASKED + len("Long words. ")
    assert (made[3].said, made[3].body) == ("It moves.", "")  # the instrument comes along
    long = deck(asked, explores(), text("It moves. " * 16))
    assert (long[3].kind, long[3].said) == ("words", "") and "It moves." in long[3].body
    after = deck(asked, explores(), text("It moves."), text("## Setting\nMore."))
    assert after[4].body == "<p>More.</p>"


def test_a_few_words_below_a_statement_stand_on_its_slide():
    stated = text("## Idea\n**Theorem 1.1.** It is.", "statement", number="Theorem 1.1")
    (_, one) = deck(stated, text("At 1 it is 2."))
    assert "It is." in one.body and "At 1 it is 2." in one.body
    assert one.notes == ["At 1 it is 2."]
    assert kinds(stated, text("At 1 it is 2. " * 6)) == ["title", "stated", "words"]


def test_a_solution_of_words_alone_has_its_question_above_it():
    one = Exercise("What is 1 + 1?", Number(value=2), [], "It is 2.")
    assert "What is 1 + 1?" in deck(text("## Idea"), asks(one))[2].body
    one = Exercise("What is 1 + 1?", Number(value=2), [], "Count.").hold("<table></table>")
    assert "What is 1 + 1?" not in deck(text("## Idea"), asks(one))[2].body


def stubbed(each):
    """A cell as its run gives it, without the run."""
    widgets = sum(run.VIEW in output.get("data", {}) for output in each.outputs)
    if each.tags & {"prediction", "exercise", "program"}:
        one = Exercise("Q?", Number(value=1), ["H"], "S")
        return Piece(each, [one] * widgets, [""] * widgets, [""] * widgets, [], [])
    return Piece(each, [SimpleNamespace()] * widgets, [""] * widgets, [EXPLORER] * widgets, [], [])


@pytest.mark.parametrize("path", lesson.paths(lab.LESSONS), ids=lambda path: path.stem)
def test_a_core_has_20_to_28_slides_each_with_something_to_see_or_to_say(path):
    read = lesson.read(path)
    made = slides.deck(read, [stubbed(each) for each in read.cells])
    core = [one for one in made if one.heading in (*read.core, read.title, "Lessons")]
    short = path.stem == "00_start"  # ten minutes, before the core of 01 in the same lecture
    assert (8 if short else 19) <= len(core) <= 27  # and the title
    assert all(one.body or before.body for before, one in pairwise(made))
    assert [one for before, one in pairwise(made) if is_bare(before, one)] == []
    held = [cell.at for cell in read.tagged("prediction") if cell.slide == "skip"]
    assert [at for at in held if "core" in read.cells[at].tags] == []
    assert list(clock_faults(read, made, GUIDE)) == []


def is_bare(before, one):
    """Whether a slide has no picture, and at most 25 words of the lesson (a formula is one)."""
    shown = one.body or before.body
    told = re.sub(r"<math.*?</math>", "x", f"{one.said} {one.body}", flags=re.DOTALL)
    few = len(re.sub("<[^>]+>", " ", told).split()) <= 25
    return few and one.kind in {"words", "step"} and not re.search("<(img|table|pre)", shown)


def clock_faults(read, made, told):
    """Parts of the core that the guide's clock leaves out, their slides and sum; slides named."""
    said = guide.section(told, read.name[:2])
    line = re.search(r"\*\*By the clock\.\*\* (.+)", said)
    parts = re.findall(r"(\d+)(?: to (\d+))? \(([^)]+)\): (\d+)", line[1] if line else "")
    if [part for *_, part, _ in parts] != list(read.core):
        yield "other parts"
    end = 0
    for first, last, part, _ in parts:
        names = {read.title} if part == "Title" else {part}
        there = [at for at, one in enumerate(made, 1) if {one.heading, one.heading[3:]} & names]
        end = int(last or first)
        if [there[0], there[-1]] != [int(first), end]:
            yield f"{part} has the slides {there}"
    if parts and f"These are {sum(int(each) for *_, each in parts)} minutes" not in line[1]:
        yield "another sum"
    heard = " ".join(re.findall(r"^\*\*(?:Ask|When late)\.\*\* (.+)$", said, re.M))
    named = [int(at) for at in re.findall(r"[Ss]lides? (\d+)", heard)]
    yield from (f"no slide {at} in the core" for at in named if at > end)


def test_faults_of_the_clock_are_found():
    (path,) = (path for path in lesson.paths(lab.LESSONS) if path.stem == "05_sparse")
    read = lesson.read(path)
    made = slides.deck(read, [stubbed(each) for each in read.cells])
    wrong = GUIDE.replace("3 to 5 (By hand): 7", "3 to 6 (By hand): 8")
    wrong = wrong.replace("Slide 16: how many indices", "Slide 61: how many indices")
    assert len(list(clock_faults(read, made, wrong))) == 3
