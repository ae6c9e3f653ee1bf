"""Tables of strangers: read right, or refused in one sentence that shows nothing of a record."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import write_table

from dpviz.door import table_file
from dpviz.door.table_file import Bounds

BOUNDS = Bounds({"a": (0.0, 10.0), "b": (-2.0, 4.0)})
SECRET = "8317"  # stands in every planted fault, and in no message
RULES = (
    "every cell of 'a' must be",
    "every cell of 'b' must be",
    "each line must have 2 cells",
    "its first line must name",
    "the table must hold records below its line of names",
    "it must be text in UTF-8",
)


@pytest.fixture(params=["pyarrow", "standard library"])
def reader(request, monkeypatch):
    """Both ways to read a file."""
    if request.param == "pyarrow":
        pytest.importorskip("pyarrow")
    else:
        monkeypatch.setattr(table_file, "find_spec", lambda name: None)


def written(folder, text):
    path = folder / "table.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read(folder, text, bounds=BOUNDS, columns=None, **how):
    return table_file.read(table_file.layout(written(folder, text), bounds, columns, **how))


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1.5,2\n3,-.25\n",
        "a;b\n1,5;2\n3;-,25\n",
        "b\ta\n2\t1.5\n-2.5e-1\t3\n",
        "\ufeffa, b,note\r\n1.5, 2,x\r\n\r\n3,-0.25,\r\n",
        'note,b,a\n"x, ""y""\nz",2,"1.5"\n,-0.25,3\n\n',
        "a,b\n1.5,2\n3,-.25",
    ],
)
def test_columns_are_found_by_their_names(tmp_path, text):
    assert read(tmp_path, text).tolist() == [[1.5, 2.0], [3.0, -0.25]]
    assert read(tmp_path, text, columns=["b"]).tolist() == [[2.0], [-0.25]]


@pytest.mark.usefixtures("reader")
def test_a_missing_cell_stands_for_a_public_value_and_no_record_is_dropped(tmp_path):
    text = "a,b\n,1\nNA,nan\n2,null\n,\n"
    assert read(tmp_path, text).tolist() == [[5, 1], [5, 1], [2, 1], [5, 1]]
    assert read(tmp_path, text, missing="7").tolist() == [[7, 1], [7, 7], [2, 7], [7, 7]]
    one = Bounds({"a": (0.0, 10.0)})
    assert read(tmp_path, "a\n1\n\n3\n\n", one).ravel().tolist() == [1, 5, 3, 5]
    with pytest.raises(ValueError, match="missing must be a number, not 'x'"):
        read(tmp_path, text, missing="x")


@pytest.mark.usefixtures("reader")
def test_dates_are_days_where_the_bounds_are_dates(tmp_path):
    (tmp_path / "b.csv").write_text("name,lower,upper\nwhen,1970-01-01,1970-01-11\na,0,10\n")
    bounds = table_file.read_bounds(tmp_path / "b.csv")
    assert bounds.pairs == {"when": (0.0, 10.0), "a": (0.0, 10.0)} and bounds.dates == {"when"}
    text = "a,when\n1,1970-01-03\n2,1970-01-04T12:00\n3,\n"
    assert read(tmp_path, text, bounds).tolist() == [[2, 1], [3.5, 2], [5, 3]]
    assert read(tmp_path, "a,when\n1,1600-01-01\n", bounds).tolist() == [[-135_140, 1]]
    with pytest.raises(ValueError, match="every cell of 'when' must be a date such as"):
        read(tmp_path, "a,when\n1,3\n", bounds)


@pytest.mark.usefixtures("reader")
def test_names_and_numbers_of_cells(tmp_path):
    path = written(tmp_path, "id,name\n0,cat\n1,\n2,NA\n1,a dog\n")
    how = table_file.names_layout(path, ["name"])
    assert table_file.read(how).tolist() == ["cat", "", "", "a dog"]
    how = table_file.names_layout(path, ["name"], missing="none")
    assert table_file.read(how).tolist() == ["cat", "none", "none", "a dog"]
    assert table_file.read(table_file.cells_layout(path, ["id"])).ravel().tolist() == [0, 1, 2, 1]
    with pytest.raises(ValueError, match="--columns must name the one column"):
        table_file.names_layout(path, None)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"a,b\n1,2\n{SECRET},red{SECRET}\n", 3),
        (f"a,b\n1,inf\n{SECRET},2\n", 2),
        (f"a,b\n{SECRET},2,3\n", 2),
        (f"a,b\n1,2\n{SECRET}\n", 3),
        (f"a;b\n1;2\n{SECRET}.5;2\n", 3),
        (f'a,b\n1,"2{SECRET}\n', 2),
        (f"a,c{SECRET}\n1,2\n", None),
        ("a,b\n", None),
        ("a,a\n1,2\n", None),
        ("", None),
        (b"a,b\n\xff8317,2\n", None),
        (b"a,b\xff8317\n1,2\n", None),
    ],
)
def test_a_refusal_names_a_rule_and_a_line_only_where_it_is_asked(tmp_path, text, line, lines):
    with pytest.raises(ValueError) as problem:
        read(tmp_path, text, lines=lines)
    said = str(problem.value).removeprefix(str(tmp_path / "table.csv"))
    assert SECRET not in said and any(rule in said for rule in RULES), said
    if line is not None:
        assert (f", line {line}:" in said) == lines
    assert problem.value.__context__ is None  # no other exception that holds a cell hangs on it


@pytest.mark.usefixtures("reader")
def test_the_decimal_mark_is_public_and_never_guessed_from_records(tmp_path):
    with pytest.raises(ValueError, match="--decimal says otherwise"):
        read(tmp_path, 'a,b\n"1,5",2\n')
    assert read(tmp_path, 'a,b\n"1,5",2\n', decimal=",").tolist() == [[1.5, 2.0]]
    assert read(tmp_path, "a;b\n1.5;2\n", decimal=".").tolist() == [[1.5, 2.0]]
    with pytest.raises(ValueError, match="decimal must be one of"):
        read(tmp_path, "a;b\n1.5;2\n", decimal=";")


CELL = st.sampled_from(["", "NA", "nan", "1", "-2.5", "1e3", "x", " 4", "1,5", '"7"', "inf", "0x1"])
TEXT = st.text(alphabet='ab,;\t\n\r"01.-e \ufeff\x00', max_size=30)
TABLE = st.lists(st.tuples(CELL, CELL).map(",".join), min_size=1, max_size=4).map("\n".join)


@given(st.one_of(TABLE.map("a,b\n{}".format), TEXT.map("a,b\n{}".format), st.binary(max_size=40)))
def test_any_bytes_are_a_table_or_one_sentence(tmp_path_factory, text):
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.getbasetemp()
    for lines in (False, True):  # by pyarrow; by the standard library
        try:
            found = read(folder, text, lines=lines)
        except ValueError as problem:
            said = str(problem).removeprefix(str(folder / "table.csv"))
            assert any(rule in said for rule in RULES), said
        else:
            assert found.shape[1] == 2 and np.isfinite(found).all()


@given(TABLE.map("a,b\n{}\n".format))
def test_both_readers_give_the_same_records(tmp_path_factory, text):
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.getbasetemp()
    found = []
    for lines in (False, True):
        try:
            found.append(read(folder, text, lines=lines).tolist())
        except ValueError:
            found.append(None)
    assert found[0] == found[1]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("cell", ["1_0", "\uff15", "\u0663"])
@pytest.mark.parametrize("lines", [False, True])
def test_a_number_is_one_for_both_readers(tmp_path, cell, lines):
    """Python alone takes 1_0 for ten, and digits of any script."""
    (tmp_path / "table.csv").write_text(f"a\n1\n{cell}\n", encoding="utf-8")
    (tmp_path / "bounds.csv").write_text("a,0,10\n")
    bounds = table_file.read_bounds(tmp_path / "bounds.csv")
    with pytest.raises(ValueError, match="every cell of 'a' must be a finite number"):
        table_file.read(table_file.layout(tmp_path / "table.csv", bounds, lines=lines))


def test_twenty_thousand_columns_and_many_blocks(tmp_path):
    names = [f"column {i}" for i in range(20_000)]
    rows = np.random.default_rng(0).random((3, 20_000))
    write_table(tmp_path / "wide.csv", names, rows)
    bounds = Bounds(dict.fromkeys(names[::-1], (0.0, 1.0)))
    wide = table_file.read(table_file.layout(tmp_path / "wide.csv", bounds))
    assert np.array_equal(wide, rows[:, ::-1])
    long = np.random.default_rng(1).random((3 * table_file.BLOCK + 1, 2))
    write_table(tmp_path / "long.csv", ["a", "b"], long)
    how = table_file.layout(tmp_path / "long.csv", BOUNDS)
    assert np.array_equal(table_file.read(how), long)
    assert len(list(table_file.blocks(how))) >= 1


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = {"b": [1, None, 3], "a": [0.5, 1.5, 2.5], "name": ["x", None, "z"]}
    path = tmp_path / "table.parquet"
    parquet.write_table(pyarrow.table(table), path)
    how = table_file.layout(path, BOUNDS)
    assert table_file.read(how).tolist() == [[0.5, 1], [1.5, 1], [2.5, 3]]
    assert table_file.read(table_file.names_layout(path, ["name"])).tolist() == ["x", "", "z"]
    with pytest.raises(ValueError, match="must have a column 'c'"):
        table_file.read(table_file.layout(path, Bounds({"c": (0.0, 1.0)})))
    text = f"{SECRET}\u00ff".encode("latin-1")  # no UTF-8
    ends = np.array([0, len(text)], dtype=np.int32)
    torn = pyarrow.Array.from_buffers(
        pyarrow.string(), 1, [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(text)]
    )
    parquet.write_table(pyarrow.table({"name": torn}), path)
    with pytest.raises(ValueError, match=r"must be a Parquet file of numbers, dates or text$"):
        table_file.read(table_file.names_layout(path, ["name"]))
    path.write_bytes(b"PAR1 8317")
    with pytest.raises(ValueError, match="must be a Parquet file") as problem:
        table_file.read(how)
    assert SECRET not in str(problem.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,0\n", "a name and two numbers or dates"),
        ("a,5,5\n", "lower < upper"),
        ("a,9,1\n", "lower < upper"),
        ("a,0,inf\n", "lower < upper"),
        ("a,1970-01-01,3\n", "a name and two numbers or dates"),
        ("a,0,1\na,0,1\n", "only once"),
        ("name,lower,upper\n", "at least one column"),
        ("a,low,9\n", "line 1: each line of the bounds"),
        ("a;0,5;1.5\n", "two numbers"),
        ("8317,8318,8319,8320\n", "a name and two numbers"),
        ("", "must name the columns"),
    ],
)
def test_bad_bounds_break_a_named_rule(tmp_path, text, words):
    path = tmp_path / "bounds.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=words) as problem:
        table_file.read_bounds(path)
    assert "83" not in str(problem.value).removeprefix(str(path))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        table_file.read_bounds(tmp_path / "none.csv")
