"""A journal that was cut or changed: continued to the same bytes, or one sentence and no change."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpviz.sweeps import journal, running
from dpviz.sweeps.sweep import load, sweep


@dataclass(frozen=True, kw_only=True)
class Params:
    scale: float = 1.0


SCALE, MORE = [1.0], {}  # the body of the trial, which a test changes


def trial(params, n, *, rng):
    draw = rng.standard_normal()
    return {"error": SCALE[0] * params.scale * draw / n, "large": draw > 1, **MORE}


def run(path, **where):
    return sweep(trial, Params(), {"n": [1, 2, 4]}, repeats=4, rng=3, file=path, **where)


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    """The bytes of the file: while 12 trials were appended, and when it was sealed."""
    path = tmp_path_factory.mktemp("whole") / "journal.jsonl"
    written = []
    with pytest.MonkeyPatch.context() as patch:
        seal = journal.seal

        def look(path, done, **more):
            written.append(path.read_bytes())
            seal(path, done, **more)

        patch.setattr(journal, "seal", look)
        run(path)
    return written[0], path.read_bytes()


def essence(content):
    """What two runs of a sweep have in common: all but the seconds, and who wrote it down."""
    head, *rows = content.split(b"\n")
    first = {key: value for key, value in json.loads(head).items() if key != "seconds"}
    return first, rows


def continued(path, content, sealed):
    """The sweep run with a file of these bytes: the same table, or a sentence and no change."""
    path.write_bytes(content)
    try:
        run(path)
    except ValueError as refused:
        text = str(refused)
        assert f"file {str(path)!r} " in text and " line " in text and "\n" not in text
        assert path.read_bytes() == content
        return False
    first, rows = essence(path.read_bytes())
    whole, right = essence(sealed)
    assert rows == right
    # Versions say who wrote it, and stand in no digest: a changed one is kept as it is.
    about = {"dpviz": 0, "numpy": 0, "source": 0}
    assert first | about == whole | about
    return True


# The file is the example's own: it is written anew each time.
example = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@example
@given(data=st.data(), kind=st.sampled_from([0, 1]))
def test_a_file_cut_anywhere_is_continued_or_refused(contents, tmp_path, data, kind):
    """Where the first line is whole and says that the trials were not finished: continued."""
    content = contents[kind]
    length = data.draw(st.integers(0, len(content)))
    whole = continued(tmp_path / "journal.jsonl", content[:length], contents[1])
    assert whole == (length > content.index(b"\n") if kind == 0 else length == len(content))


@pytest.mark.filterwarnings("ignore:.* another source of its trial")
@example
@given(data=st.data(), kind=st.sampled_from([0, 1]), byte=st.integers(0, 255))
def test_a_file_with_any_other_byte_is_continued_or_refused(contents, tmp_path, data, kind, byte):
    content = contents[kind]
    place = data.draw(st.integers(0, len(content) - 1))
    changed = content[:place] + bytes([byte]) + content[place + 1 :]
    continued(tmp_path / "journal.jsonl", changed, contents[1])


ROW = {"error": 0.5, "large": 0.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("999", "which is no line of a trial"),
        ('"x"', "which is no line of a trial"),
        ("", "which is no line of a trial"),
        ("[1]", "which is no line of a trial"),
        ("[" * 10**5, "which is no line of a trial"),
        ('[1, {"error": 0.5', "which is no line of a trial"),
        ("[1, [0.5, 0.0]]", "which is no line of a trial"),
        (json.dumps([1, ROW, 7]), "which is no line of a trial"),
        ("[1, {}]", "has something else than finite numbers"),
        ('[1, {"error": NaN, "large": 0.0}]', "has something else than finite numbers"),
        ('[1, {"error": Infinity, "large": 0.0}]', "has something else than finite numbers"),
        ('[1, {"error": 1e999, "large": 0.0}]', "has something else than finite numbers"),
        ('[1, {"error": "x", "large": 0.0}]', "has something else than finite numbers"),
        ('[1, {"error": null, "large": 0.0}]', "has something else than finite numbers"),
        ('[1, {"error": 0.5, "large": true}]', "has something else than finite numbers"),
        ('[1, {"error": 0.5}]', "has other fields than line 2"),
        (json.dumps([1, {**ROW, "more": 1.0}]), "has other fields than line 2"),
        (json.dumps([True, ROW]), "whose trial is none of 0 to 11"),
        (json.dumps([1.0, ROW]), "whose trial is none of 0 to 11"),
        (json.dumps(["1", ROW]), "whose trial is none of 0 to 11"),
        (json.dumps([-1, ROW]), "whose trial is none of 0 to 11"),
        (json.dumps([12, ROW]), "whose trial is none of 0 to 11"),
        (json.dumps([8, ROW]), "whose trial 8 stands in line 4 already"),
        (json.dumps([1, ROW]) + "\r", "a byte order mark or a carriage return"),
        ("\udcff", "which is not UTF-8"),
    ],
)
def test_a_line_that_nobody_wrote_is_refused_by_its_number(contents, tmp_path, text, message):
    """The fifth line of a file that is not finished; the file is left as it is."""
    path, lines = tmp_path / "journal.jsonl", contents[0].split(b"\n")
    lines[4] = text.encode("utf-8", "surrogateescape")
    content = b"\n".join(lines)
    path.write_bytes(content)
    for use in (run, load):
        with pytest.raises(ValueError, match=rf"^file '.*' is damaged in line 5, .*{message}"):
            use(path)
        assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: b"\xef\xbb\xbf" + content, "has a byte order mark or a carriage return"),
        (lambda content: content.replace(b"\n", b"\r\n"), "has a byte order mark or a carriage"),
        (lambda content: content.replace(b"trial", b"tri\xffl", 1), "is not UTF-8"),
        (lambda content: content.decode().encode("utf-16"), "is not UTF-8"),
    ],
)
def test_a_first_line_of_another_encoding_is_refused(contents, tmp_path, change, message):
    path, content = tmp_path / "journal.jsonl", change(contents[1])
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"^file '.*' is damaged in line 1, which {message}"):
        run(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.replace(b'"repeats": 4', b'"repeats": "4"'),
        lambda content: content.replace(b'"axes": {"n": [1, 2, 4]}', b'"axes": {"n": 3}'),
        lambda content: content.replace(b'"fields": ["error", "large"]', b'"fields": "error"'),
        lambda content: content.replace(b"\n", b"\r"),
        lambda content: b"",
    ],
)
def test_another_first_line_is_refused(contents, tmp_path, change):
    path, content = tmp_path / "journal.jsonl", change(contents[1])
    assert content != contents[1]
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"^file '.*' is damaged in line 1, which "):
        run(path)
    assert path.read_bytes() == content


def test_what_stands_after_the_last_line_and_no_trial_begins_so_is_refused(contents, tmp_path):
    path, content = tmp_path / "journal.jsonl", contents[0] + b"my own notes"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="damaged in line 14, which no trial's line begins with"):
        run(path)
    assert path.read_bytes() == content


def test_a_cut_line_does_not_stay_in_the_middle(contents, tmp_path, monkeypatch):
    """A run that continues a cut file and is stopped itself leaves one that can be read."""
    path, append = tmp_path / "journal.jsonl", journal.append
    path.write_bytes(contents[0][:-20])
    before = len(journal.read(path).rows)

    def full(path, index, row):
        append(path, index, row)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(journal, "append", full)
        with pytest.raises(KeyboardInterrupt):
            run(path)
    assert len(journal.read(path).rows) == before + 1
    assert continued(path, path.read_bytes(), contents[1])


def test_the_order_of_the_fields_is_that_of_the_file(contents, tmp_path, monkeypatch):
    """Though the trial was written anew and gives the same numbers in another order."""
    once = running.Task.run

    def turned(task):
        index, row, seconds = once(task)
        return index, dict(reversed(row.items())), seconds

    monkeypatch.setattr(running.Task, "run", turned)
    assert continued(tmp_path / "journal.jsonl", contents[0][:-20], contents[1])


def test_a_whole_file_without_its_digest_is_sealed(contents, tmp_path):
    assert continued(tmp_path / "journal.jsonl", contents[0], contents[1])
    assert journal.first_line(tmp_path / "journal.jsonl")["seconds"] > 0


@pytest.mark.parametrize("kind", [0, 1])
def test_a_trial_that_was_changed_does_not_get_its_old_numbers(
    contents, tmp_path, monkeypatch, kind
):
    """Whether the file is finished or not, and though its last line is cut."""
    path, content = tmp_path / "journal.jsonl", contents[kind]
    if kind == 0:
        content = content[:-20]
    path.write_bytes(content)
    monkeypatch.setattr(f"{__name__}.SCALE", [1 + 2e-9])
    with pytest.raises(ValueError, match=r"^file '.*' holds other numbers in line \d+ .*\(error\)"):
        run(path)
    assert path.read_bytes() == content
    monkeypatch.setattr(f"{__name__}.SCALE", [1 + 1e-11])  # as another processor rounds
    run(path)


def test_a_trial_that_gives_other_fields_than_its_file_is_seen(contents, tmp_path, monkeypatch):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(contents[1])
    monkeypatch.setattr(f"{__name__}.MORE", {"b": 1})
    with pytest.raises(ValueError, match=r"holds other numbers in line \d+ .*\(b\)"):
        run(path)


def test_three_trials_over_the_whole_file_are_run_again(contents, tmp_path, monkeypatch):
    path, places = tmp_path / "journal.jsonl", []
    path.write_bytes(contents[1])
    monkeypatch.setattr(f"{__name__}.SCALE", Watched(places))
    run(path)
    assert len(places) == 3
    path.write_bytes(b"\n".join(contents[0].split(b"\n")[:3]) + b"\n")  # two trials are there
    places.clear()
    run(path)
    assert len(places) == 12


class Watched:
    """Counts how often it is asked."""

    def __init__(self, places):
        self.places = places

    def __getitem__(self, place):
        self.places.append(place)
        return 1.0


def infinite(params, n, *, rng):
    return {"error": float("inf") if n == 2 else 0.0}


def uneven(params, n, *, rng):
    return {"error": 0.0} | ({"other": 0.0} if n == 2 else {})


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_could_not_be_read_again_is_not_written(tmp_path, jobs):
    path: Path = tmp_path / "journal.jsonl"
    usual = {"params": Params(), "grid": {"n": [1, 2]}, "repeats": 2, "rng": 3, "jobs": jobs}
    with pytest.raises(ValueError, match=r"finite numbers .* not \{'error': inf\}"):
        sweep(infinite, **usual, file=path)
    assert sorted(journal.read(path).rows) == [[0], [0, 1]][jobs - 1]  # two are under way with it
    assert sweep(infinite, **usual)["error"].max() == float("inf")
    path.unlink()
    with pytest.raises(ValueError, match=r"must give error(, other)? as the others, not error"):
        sweep(uneven, **usual, file=path)
    journal.read(path)
