"""Answers of a class: counted, wrong ones by their number; a changed file is named and left out."""

import csv
import io
import json
import re

import numpy as np
import pytest
from PIL import Image

from dpviz import __main__ as command
from dpviz import lab, lesson
from dpviz.exercises import collected, predictions
from dpviz.exercises.record import Record, packed, unpacked
from dpviz.lessons.sparse import exercises as sparse
from dpviz.lessons.start import exercises

ONE, AGAIN = "start.predict_recovered", "start.half_the_noise"
# What each reader answers: of 00 a prediction and an exercise, of 05 a prediction.
CLASS = {
    "anna": (["about 12"], ["½", "0.50", "1"], []),
    "ben": (["about 0.3", "about 12"], ["0.25"], []),
    "cem": (["about 120"], ["1"], ["4"]),
    "dora": (None, ["1/4", "2"], []),
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A file of each reader, as the lessons write it."""
    made = {}
    for name, (one, again, other) in CLASS.items():
        monkeypatch.setattr(predictions, "_LESSON", predictions.Kept())
        made[name] = tmp_path / f"{name}.json"
        record = Record(made[name])
        asked = [
            (exercises.predict_recovered().hold("So."), one),
            (exercises.half_the_noise(), again),
            (sparse.predict_memory().hold("So."), other),
        ]
        for exercise, given in asked:
            exercise.record = record
            for each in given or ():
                exercise.check(each)
            if given is None:
                exercise.waive()
    return made


@pytest.fixture
def questions(files):
    found, left_out = collected.read(list(files.values()))
    assert left_out == []
    return {asked.name: asked for asked in collected.collect(found)}


def test_readers_are_counted_not_answers(questions):
    one, again, memory = questions[ONE], questions[AGAIN], questions["sparse.predict_memory"]
    right = exercises.predict_recovered().right
    assert right == "about 120"  # what cem answers
    assert (one.readers, one.wrong_at_first, one.solved, one.waived) == (3, 2, 1, 1)
    assert one.wrong() == [("about 12", 2), ("about 0.3", 1)]
    assert (again.readers, again.wrong_at_first, again.solved, again.waived) == (4, 3, 2, 0)
    # 1/4 and 0.25 are one wrong answer, ½ and 0.50 of one reader too.
    assert again.wrong() == [("0.25", 2), ("0.5", 1), ("2", 1)]
    assert memory.readers == 1 and [one.prediction, again.prediction] == [True, False]
    assert list(questions) == [ONE, AGAIN, "sparse.predict_memory"]


def test_the_table_says_it(files, capsys):
    assert command.main(["answers", *map(str, files.values())]) == 0
    told = capsys.readouterr().out
    assert "Files of answers read: 4; left out: 0." in told
    assert "\n00 start\n" in told and "\n05 sparse\n" in told
    assert "E1, change. Which ε halves the noise of ε = 0.5?  [half_the_noise]" in told
    assert "answered 4, right at first 1, right at last 2\n" in told
    assert "answered 3, right at first 1, right at last 1, shown without an answer 1\n" in told
    assert "wrong: 'about 12' 2, 'about 0.3' 1" in told
    assert not any(name in told for name in CLASS)


def test_a_damaged_file_is_named_and_left_out_and_the_others_are_counted(files, tmp_path, capsys):
    files["ben"].write_text(files["ben"].read_text("utf-8")[:-20], "utf-8")
    newer = tmp_path / "newer.json"
    newer.write_text(json.dumps({"dpviz answers": 9}))
    binary, absent = tmp_path / "picture.json", tmp_path / "absent.json"
    binary.write_bytes(b"\xff\xd8")
    paths = [*files.values(), newer, binary, absent, tmp_path, files["anna"]]
    assert command.main(["answers", *map(str, paths)]) == 0
    told = capsys.readouterr().out
    assert "Files of answers read: 3; left out: 5." in told  # anna's counts once
    assert f"left out: {files['ben']} is damaged, or no file of answers." in told
    assert f"left out: {newer} is of another version of dpviz: of form 9, not 1." in told
    assert f"left out: {binary} is damaged, or no file of answers." in told
    assert f"left out: {absent} cannot be read: No such file" in told
    assert f"left out: {tmp_path} cannot be read" in told
    assert "answered 3, right at first 1, right at last 2\n" in told


def test_without_any_file_that_can_be_read_it_says_which_and_stops(tmp_path, capsys):
    path = tmp_path / "notes.json"
    path.write_text("{}")
    assert command.main(["answers", str(path)]) == 2
    said = capsys.readouterr()
    assert f"left out: {path} is no file of answers." in said.out
    assert "none of the files holds answers" in said.err


def test_every_answer_is_written_with_its_readers(files, tmp_path):
    path = tmp_path / "all.csv"
    assert command.main(["answers", *map(str, files.values()), "--table", str(path)]) == 0
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
    assert list(rows[0]) == list(collected.HEAD)
    mine = {row["answer"]: row for row in rows if row["question"] == AGAIN}
    assert {
        given: (row["right"], row["readers"], row["at first"]) for given, row in mine.items()
    } == {
        "0.25": ("no", "2", "2"),
        "0.5": ("no", "1", "1"),
        "1": ("yes", "2", "1"),
        "2": ("no", "1", "0"),
    }
    assert sum(int(row["readers"]) for row in rows) == 4 + 6 + 1  # of the three questions


def test_a_file_steers_neither_terminal_nor_spreadsheet(files, tmp_path, capsys):
    entries = unpacked(files["anna"].read_text("utf-8"))
    entries[ONE]["tries"] = [["=HYPERLINK(1)", "\u202eNo."], ["\x1b[31mred\x07", "No."]]
    entries["nowhere.asked"] = entries[ONE]
    files["anna"].write_text(packed(entries), "utf-8")
    path = tmp_path / "all.csv"
    assert command.main(["answers", str(files["anna"]), "--table", str(path)]) == 0
    told = capsys.readouterr().out
    assert "\x1b" not in told and "\x07" not in told and "[31mred" in told
    assert "nowhere" not in told  # no lesson asks it
    assert "'=HYPERLINK(1)" in path.read_text("utf-8") and "\u202e" not in path.read_text("utf-8")


def dark(figure):
    """Pixels of the shade of wrong answers, in rows of the picture."""
    red, green, blue = (
        int(collected.style.tint("truth", collected.DARK)[i : i + 2], 16) for i in (1, 3, 5)
    )
    return (figure.pixels()[..., :3] == (red, green, blue)).all(axis=2).sum(axis=1)


def test_the_picture_shows_how_often_each_prediction_went_wrong(questions, files, tmp_path, capsys):
    path = tmp_path / "class.png"
    assert command.main(["answers", *map(str, files.values()), "--picture", str(path)]) == 0
    assert "Which prediction went wrong how often" in capsys.readouterr().out
    with Image.open(path) as picture:
        assert picture.format == "PNG" and min(picture.size) > 200
    figure = collected.figure_predictions(list(questions.values()), readers=4)
    assert "2 predictions" in figure.alt and "100% of 1" in figure.alt
    words = [text.get_text() for text in figure.axes[0].texts]
    assert " 2 of 3 wrong" in words and " 1 of 1 wrong" in words
    assert not any("E1, change" in word for word in words)  # no prediction
    # Two dark bars, one twice as long as the other.
    lengths = sorted(set(dark(figure)) - {0})
    bars = [length for length in lengths if length > 20]
    assert max(bars) == pytest.approx(2 * min(bars), abs=8)


def test_the_picture_grows_with_the_predictions_and_cuts_no_word(layout_problems, questions):
    one = questions[ONE]
    many = [one] * 40
    figure = collected.figure_predictions(many, readers=4)
    tall, short = figure.get_figheight(), collected.figure_predictions([one], 4).get_figheight()
    assert np.isclose(tall - short, 39 * collected.ROW)
    assert list(layout_problems(collected.figure_predictions(list(questions.values()), 4))) == []


def test_without_predictions_there_is_nothing_to_draw(questions, files, tmp_path, capsys):
    with pytest.raises(ValueError, match="no prediction was answered"):
        collected.figure_predictions([questions[AGAIN]], readers=4)
    path = tmp_path / "away" / "class.png"
    assert command.main(["answers", str(files["anna"]), "--picture", str(path)]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_package_says_what_a_question_asks_not_the_first_file(files, capsys):
    entries = unpacked(files["anna"].read_text("utf-8"))
    entries[ONE] |= {"question": "Invented?", "prediction": False}
    entries[AGAIN] |= {"question": "Invented?", "prediction": True}
    files["anna"].write_text(packed(entries), "utf-8")
    assert command.main(["answers", *map(str, files.values())]) == 0
    told = capsys.readouterr().out
    assert "Invented" not in told and "E1, change. Which ε halves the noise" in told
    first = {asked.name: asked.prediction for asked in collected.collect([entries])}
    assert first[ONE] and not first[AGAIN]


def test_invented_questions_are_one_line_and_no_picture(files, tmp_path, capsys):
    entries = unpacked(files["anna"].read_text("utf-8"))
    names = [f"start.predict_{i}" for i in range(396)]
    names += ["start.Exercise", "start.named", "start.", "nowhere.asked"]
    entries |= dict.fromkeys(names, entries[ONE])
    files["anna"].write_text(packed(entries), "utf-8")
    picture = tmp_path / "class.png"
    asked = ["answers", *map(str, files.values()), "--picture", str(picture)]
    assert command.main(asked) == 0
    told = capsys.readouterr().out
    assert "Questions that no lesson of this version asks: 400; not counted.\n" in told
    assert told.count("\n") < 30
    with Image.open(picture) as drawn:
        assert drawn.size[1] < 1000  # two predictions, not 398


def test_what_is_held_in_a_lesson_is_named_a_prediction():
    """The lessons hold something back in just those that count as predictions."""
    held, asked = set(), set()
    for book in lesson.paths(lab.LESSONS):
        folder = collected.LESSONS[int(book.stem[:2])]
        for cell in json.loads(book.read_text("utf-8"))["cells"]:
            source = "".join(cell["source"]) if cell["cell_type"] == "code" else ""
            for maker in re.findall(r"\bexercises\.(\w+)\(", source):
                name = f"{folder}.{maker}"
                if collected.question(name):
                    (held if re.search(r"\.(hold|ask)\(", source) else asked).add(name)
    assert len(held) > 20 and all(collected.question(name)[1] for name in held)
    assert len(asked) > 20 and not any(collected.question(name)[1] for name in asked)
