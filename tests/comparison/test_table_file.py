"""Tables of strangers: read right, or refused in one sentence with file and line, never a value."""

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpviz import __main__ as command
from dpviz.comparison import own_table, table_file
from dpviz.privacy.curator import Curator

TWO = "a,0,10000\nb,0,10000\n"
# All that may be said, but for the file and the line: nothing in it depends on a record.
RULES = (
    "the table must be text in UTF-8; save it so",
    "the table must not be empty",
    "the table must name each column only once",
    "the table must have at least one record below its line of names",
    r"the first line of the table must hold names that all have bounds, or one number for each of "
    r"the \d columns with bounds, parted by comma, semicolon or tab: drop columns that have none, "
    r"such as an index, a date, a name(; of the bounds' names it lacks '[ab]')?",
    "a blank line is a record without its number: write a public value there, or leave the line "
    "out, before",
    "each quotation mark of the table must be closed in its line, around a whole cell of at most "
    "131072 characters",
    r"each record of the table must have \d cells",
    "each cell of the table must be a finite number, no words, none missing: drop such columns, "
    "and replace what is missing by a public value, or leave out such records, before",
    "a number could mean two: say --decimal . or --decimal , for the mark of its decimals",
)


def read(folder, text, bounds=TWO, decimal=None):
    table, public = folder / "table.csv", folder / "bounds.csv"
    table.write_bytes(text.encode() if isinstance(text, str) else text)
    public.write_text(bounds, encoding="utf-8")
    return table_file.read(table, table_file.read_bounds(public, decimal), decimal)


def refused(folder, text, bounds=TWO, decimal=None):
    """The rule of a refusal and the number of its line, 0 without one."""
    with pytest.raises(ValueError) as problem:
        read(folder, text, bounds, decimal)
    return rule(folder / "table.csv", str(problem.value))


def rule(path, said):
    """What a refusal says beside its file and its line."""
    parts = re.fullmatch(re.escape(str(path)) + r"(?:, line (\d+))?: (.*)", said)
    assert parts and any(re.fullmatch(each, parts[2]) for each in RULES), said
    return parts[2], int(parts[1] or 0)


def test_a_first_line_longer_than_a_cell_may_be(tmp_path):
    """131,072 characters are what Python's csv module takes for one cell."""
    names = [f"column_{i:05}" for i in range(12_000)]
    bounds = "".join(f"{name},0,1\n" for name in names)
    text = ",".join(names) + "\n" + ",".join(["0.5"] * len(names))
    assert len(text.partition("\n")[0]) > 131_072
    assert read(tmp_path, text, bounds).rows.shape == (1, 12_000)


@pytest.mark.parametrize("text", ["a,b\n1,{}\n", "{},2\n", "{}\n", "a,{}\n1,2\n"])
def test_a_long_cell_is_refused(tmp_path, text):
    refused(tmp_path, text.format("7" * 140_000))


class Name(str):
    """A name that counts how often it is compared."""

    count = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Name.count += 1
        return str(self) == str(other)


def compared(folder, columns):
    """How often names are compared while a table with so many columns is read."""
    names = tuple(Name(f"c{i}") for i in range(columns))
    bounds = table_file.Bounds(names, np.zeros(columns), np.ones(columns))
    path = folder / "wide.csv"
    table_file.write(path, names, np.full((2, columns), 0.5))
    Name.count = 0
    assert table_file.read(path, bounds).n == 2
    return Name.count


def test_columns_are_found_in_linear_time(tmp_path):
    """Twenty times as many columns, twenty times as many comparisons (by hash: a few for each)."""
    few, many = compared(tmp_path, 1000), compared(tmp_path, 20_000)
    assert few and many <= 8 * 20_000
    assert many == pytest.approx(20 * few, rel=0.2)  # two hashes may share their last bits


@pytest.mark.parametrize("first", ["a,-inf,9", "a,O,9", "a,0,1O", "a,l,O", "a,nan,inf", "a,low,9"])
def test_a_slip_in_the_first_line_of_the_bounds_is_no_heading(tmp_path, first):
    path = tmp_path / "bounds.csv"
    path.write_text(f"{first}\nb,0,1\n")
    with pytest.raises(ValueError, match="line 1: each line of the bounds must be a name") as said:
        table_file.read_bounds(path)
    assert "the first may be a heading 'name, lower, upper'" in str(said.value)
    assert first not in str(said.value)


def test_the_two_files_exchanged_show_no_value(tmp_path):
    public, table = tmp_path / "bounds.csv", tmp_path / "table.csv"
    public.write_text(TWO)
    table.write_text("8317,8318,8319\n8327,8328,8329\n")
    with pytest.raises(ValueError, match="a name, which is no number") as said:
        table_file.read(public, table_file.read_bounds(table))
    assert "83" not in str(said.value).replace(str(tmp_path), "")


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("12.5", 12.5),
        ("12,5", 12.5),
        ("0.125", 0.125),
        ("0,125", 0.125),
        ("1.234,5", 1234.5),
        ("1,234.5", 1234.5),
        ("1.234.567", 1_234_567),
        ("1,234,567", 1_234_567),
        ("1234,567", 1234.567),
        ("1.5e3", 1500),
        ("1,5E3", 1500),
        ("-.5", -0.5),
    ],
)
@pytest.mark.parametrize("parted", [";", "\t"])
def test_a_number_that_can_mean_one_thing_is_read(tmp_path, parted, cell, value):
    found = read(tmp_path, f"a{parted}b\n1{parted}{cell}\n", "a,0,1\nb,-1,10000000\n")
    assert found.rows[0, 1] == pytest.approx((value + 1) / 10_000_001, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "point", "comma"),
    [
        ("a\tb\n12,345\t1\n", 12_345, 12.345),
        ("12,345\t1\n", 12_345, 12.345),
        ("a;b\n12.345;1\n", 12.345, 12_345),
        ("12.345;1\n", 12.345, 12_345),
        ("a;b\n1,138;2\n", 1138, 1.138),
        ('a,b\n"1,138",2\n', 1138, 1.138),
    ],
)
def test_a_number_that_could_mean_two_is_refused_until_decimals_are_named(
    tmp_path, text, point, comma
):
    said, line = refused(tmp_path, text)
    assert "--decimal" in said and line == (2 if text[0] in "ab" else 1)
    for decimal, value in ((".", point), (",", comma)):
        found = read(tmp_path, text, "a,0,100000\nb,0,10\n", decimal)
        assert found.rows[0, 0] * 1e5 == pytest.approx(value, rel=1e-12)


def test_the_command_takes_the_mark_of_decimals(tmp_path, capsys):
    read(tmp_path, "a;b\n1,5;2\n")
    (tmp_path / "table.csv").write_text("a;b\n12.345;1\n")
    asked = ["compare", str(tmp_path / "table.csv"), "--bounds", str(tmp_path / "bounds.csv")]
    assert command.main([*asked, "--trials", "1"]) == 2
    assert "line 2: a number could mean two: say --decimal" in capsys.readouterr().err
    assert command.main([*asked, "--decimal", ";"]) == 2
    assert "decimal must be one of" in capsys.readouterr().err
    assert command.main([*asked, "--decimal", ",", "--trials", "1"]) == 0


def test_how_a_record_is_read_hangs_on_no_other(tmp_path):
    """A neighbour that shows what the marks mean must not move the other records."""
    for other in ("7.4;1", "7,4;1", "1.234,5;1"):
        refused(tmp_path, f"a;b\n12.345;1\n{other}\n")


def test_what_is_plain_after_a_comma_stays_plain(tmp_path):
    assert read(tmp_path, "a,b\n1.125,12.345\n").rows[0] == pytest.approx([1.125e-4, 12.345e-4])
    assert read(tmp_path, "a\n12.345\n", "a,0,100\n").rows[0, 0] == pytest.approx(0.12345)


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\n1\n\n3\n", 3), ("1\n\n3\n", 2), ("\n1\n", 1), ("a\n1\n \n", 3), ("a\n1\n\n", 3)],
)
def test_a_blank_line_among_records_of_one_cell_is_refused(tmp_path, text, line):
    said, at = refused(tmp_path, text, "a,0,10\n")
    assert "a blank line is a record" in said and at == line


def test_a_line_of_empty_cells_is_a_record(tmp_path):
    for text in ("a\tb\n1\t2\n\t\n", "a;b\n1;2\n;\n", "a,b\n1,2\n,\n"):
        assert refused(tmp_path, text)[1] == 3


def test_a_quotation_mark_swallows_no_record(tmp_path):
    said, line = refused(tmp_path, 'a\n"1\n2"\n3\n', "a,0,10\n")
    assert "quotation mark" in said and line == 2


def test_only_line_ends_end_a_line(tmp_path):
    """A form feed or Unicode's line separator inside of a record makes no two of it."""
    for mark in "\x0b\x0c\x1c\x85\u2028":
        refused(tmp_path, f"a\n1{mark}2\n", "a,0,10\n")
    assert read(tmp_path, "a\r\n1\r\n2\r\n", "a,0,10\n").n == 2
    assert read(tmp_path, "a\r1\r2", "a,0,10\n").n == 2


@pytest.mark.parametrize(
    ("text", "missing"), [("income,b\n1,2\n", "'Income'"), ("Income,B\n1,2\n", "'b'")]
)
def test_the_column_that_has_no_bounds_by_its_name_is_told(tmp_path, text, missing):
    with pytest.raises(ValueError, match=f"it lacks {missing}") as said:
        read(tmp_path, text, "Income,0,1\nb,0,1\n")
    assert "income" not in str(said.value)  # the first line may be a record


NEAR = st.text(alphabet='ab,;\t\n\r"01.-e \ufeff\x00', max_size=40)


@given(st.one_of(st.binary(max_size=60), st.text(max_size=60), NEAR, NEAR.map("a,b\n{}".format)))
@example(b"a,b\n\xff\xfe")
@example("a,b\n1,2")
@pytest.mark.parametrize("bounds", [TWO, "a,0,1\n"])
def test_any_bytes_are_a_table_or_one_sentence_and_nothing_is_charged(
    tmp_path_factory, bounds, text
):
    folder = tmp_path_factory.getbasetemp()
    made = []

    class Seen(Curator):
        def __init__(self, **how):
            super().__init__(**how)
            made.append(self)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(own_table, "Curator", Seen)
        try:
            found = read(folder, text, bounds)
        except ValueError as problem:
            rule(folder / "table.csv", str(problem))
            asked = {"bounds": str(folder / "bounds.csv"), "measure": "linear/histogram"}
            with pytest.raises(ValueError, match=re.escape(str(problem))):
                list(own_table.compare(str(folder / "table.csv"), **asked))
            assert made and str(made[0].ledger) == str(
                Curator(epsilon=1.0, delta=1e-6, rng=0).ledger
            )
        else:
            assert found.rows.shape == (found.n, len(found.columns)) and found.n
            assert ((found.rows >= 0) & (found.rows <= 1)).all()
