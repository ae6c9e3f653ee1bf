"""``dpviz compare`` reads tables of many kinds; a refusal names a rule and shows no value."""

import numpy as np
import pytest

from dpviz import __main__ as command
from dpviz.audit import transcript
from dpviz.comparison import own_table, table_file
from dpviz.data import real_sets
from dpviz.privacy.curator import BudgetExceeded, Curator

BUDGET = {"epsilon": 1.0, "delta": 1e-6}
SECRET = "8317"  # stands in every planted fault, and in no message


def written(folder, text, bounds="a,0,10000\nb,0,10000\n"):
    table, public = folder / "table.csv", folder / "bounds.csv"
    table.write_text(text, encoding="utf-8")
    public.write_text(bounds, encoding="utf-8")
    return str(table), str(public)


def read(folder, text, bounds="a,0,10000\nb,0,10000\n"):
    table, public = written(folder, text, bounds)
    return table_file.read(table, table_file.read_bounds(public))


@pytest.mark.parametrize("name", ["wine", "diabetes"])
@pytest.mark.parametrize("header", [True, False])
def test_a_real_set_comes_back_as_it_was(tmp_path, name, header):
    table, bounds = own_table.example(tmp_path, name, header=header)
    found = table_file.read(table, table_file.read_bounds(bounds))
    real = real_sets.SETS[name]()
    assert found.columns == real.columns
    assert np.allclose(found.rows, real.unit(), rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", ["wine", "diabetes"])
@pytest.mark.parametrize("header", [True, False])
def test_the_command_compares_all_mechanisms_and_charges_nothing(tmp_path, capsys, name, header):
    table, bounds = own_table.example(tmp_path, name, header=header)
    asked = ["compare", table, "--bounds", bounds, "--trials", "1"]
    assert command.main(asked) == 0
    printed = capsys.readouterr().out
    n, d = real_sets.SETS[name]().data.shape
    assert f"{n} records, {d} columns: these two numbers are taken as public" in printed
    assert "Nothing was charged" in printed and "clipped" in printed
    for kind in own_table.KINDS.values():
        assert kind.question in printed
        assert all(each.name in printed for each in kind.mechanisms)


def test_a_simulated_line_depends_on_nothing_but_the_size_of_the_table(tmp_path):
    lines = []
    for seed in (1, 2):
        values = np.random.default_rng(seed).uniform(0, 9999, (60, 2))
        table, bounds = written(tmp_path, "\n".join(f"{a},{b}" for a, b in values))
        lines.append(list(own_table.compare(table, bounds=bounds, trials=1)))
    assert lines[0] == lines[1]


def test_a_measurement_is_charged_and_the_ledger_is_shown(tmp_path, capsys):
    table, bounds = own_table.example(tmp_path)
    asked = ["compare", table, "--bounds", bounds, "--trials", "1", "--measure", "linear/histogram"]
    assert command.main(asked) == 0
    printed = capsys.readouterr().out
    assert "Measured on the table, largest error of linear/histogram" in printed
    assert "their largest error" in printed
    assert "spent epsilon 1 of epsilon 1, delta 1e-06" in printed  # a Laplace histogram is pure


def test_a_measured_error_is_near_the_true_one():
    """Noise of scale 2 / (n epsilon) = 0.00002: thirty of them are exceeded once in 10^13."""
    rng = np.random.default_rng(0)
    table = table_file.Table(("a", "b"), rng.uniform(size=(1000, 2)))
    curator = Curator(epsilon=100.0, delta=1e-6, rng=1)
    error, scale = own_table.measured(table, "linear/histogram", curator, rng=2)
    assert scale == pytest.approx(2e-5)
    assert error < 0.01  # Laplace noise of scale 2 / (50 * 1000) in 4 cells
    with pytest.raises(BudgetExceeded):
        own_table.measured(table, "linear/histogram", curator, rng=2)


@pytest.mark.parametrize("key", own_table.measurable())
def test_a_measurement_s_ledger_holds_what_the_mechanism_spent(key):
    """The part that pays for the answers spends all that was charged for it, and no more."""
    table = table_file.Table(("a", "b"), np.random.default_rng(0).uniform(size=(400, 2)))
    curator = Curator(epsilon=40.0, delta=1e-6, rng=1)
    own_table.measured(table, key, curator, rng=2)
    answers, largest = curator.ledger.charges
    assert answers.cost.epsilon == largest.cost.epsilon == 20.0 and largest.cost.delta == 0.0
    spent = answers.sub_ledger.spent
    paid = [(cost.epsilon, cost.delta) for cost in (spent, answers.cost)]
    assert paid[0] == pytest.approx(paid[1], rel=1e-9)  # sums of many shares


def test_all_noise_of_a_measurement_is_drawn_from_the_curator():
    """Another stream for public randomness changes nothing, another curator does."""
    table = table_file.Table(("a", "b"), np.random.default_rng(0).uniform(size=(60, 2)))
    found = [
        own_table.measured(table, "linear/histogram", Curator(**BUDGET, rng=noise), rng=public)
        for noise, public in ((1, 2), (1, 3), (4, 2))
    ]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    "key", ["distance/tree", "sparse/lazy", "smooth/truncation", "linear/histogram"]
)
def test_one_record_moves_a_measurement_by_no_more_than_it_is_charged_for(key):
    """Transcripts on random tables and neighbours; `tests/registered` has the worst pairs."""
    rng = np.random.default_rng(3)
    run = lambda rows, curator: own_table.measured(  # noqa: E731
        table_file.Table(("a", "b"), rows), key, curator, rng=0
    )
    for _ in range(5):
        rows = rng.uniform(size=(20, 2))
        other = rows.copy()
        other[0] = rng.integers(0, 2, 2)
        assert transcript.faults(run, rows, other, rng=1, epsilon=50.0, delta=1e-6) == []


def test_values_outside_of_the_bounds_are_clipped_and_not_counted(tmp_path):
    inside = read(tmp_path, "a,b\n1,2\n3,4", "a,0,3\nb,2,4\n")
    outside = read(tmp_path, "a,b\n1,-2\n3000,4", "a,0,3\nb,2,4\n")
    assert np.array_equal(inside.rows, outside.rows)
    table, bounds = written(tmp_path, "a,b\n1,-2\n3000,4", "a,0,3\nb,2,4\n")
    said = "\n".join(own_table.compare(table, bounds=bounds, trials=1))
    assert "clipped" in said and "3000" not in said


@pytest.mark.parametrize(
    "text",
    [
        "a;b\n1,5;2\n3;4,25\n",
        "1,5;2\n3;4,25",
        "a\tb\n1.5\t2\n3\t4,25\n",
        "b,a\n2,1.5\n4.25,3\n",
        "\ufeffa, b\n1.5, 2\n\n3, 4.25\n",
    ],
)
def test_delimiters_decimal_commas_and_headers(tmp_path, text):
    found = read(tmp_path, text, "a,0,10\nb,0,10\n")
    assert found.rows[:, found.columns.index("a")].tolist() == [0.15, 0.3]
    assert found.rows[:, found.columns.index("b")].tolist() == [0.2, 0.425]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"a,b\n1,2\n{SECRET},red{SECRET}\n", "no words, none missing"),
        (f"a,b\n1,\n{SECRET},2\n", "no words, none missing"),
        (f"a,b\n1,nan\n{SECRET},2\n", "no words, none missing"),
        (f"a,b\n{SECRET},2,3\n", "must have 2 cells"),
        (f"a,c{SECRET}\n1,2\n", "names that all have bounds"),
        (f"a|b\n{SECRET}|2\n", "comma, semicolon or tab"),
        (f"{SECRET}\n", "one number for each of the 2 columns"),
        ("a,b\n", "at least one record"),
        ("a,a\n1,2\n", "only once"),
        ("", "must not be empty"),
    ],
)
def test_a_bad_table_breaks_a_named_rule_and_shows_no_value(tmp_path, capsys, text, words):
    table, bounds = written(tmp_path, text)
    assert command.main(["compare", table, "--bounds", bounds]) == 2
    told = capsys.readouterr()
    assert words in told.err and SECRET not in told.err and told.out == ""
    assert "red8" not in told.err and f"dpviz: {table}" in told.err


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ("a,0\n", "a name, which is no number, and two finite numbers"),
        ("a,5,5\n", "lower < upper"),
        ("a,0,1\na,0,1\n", "only once"),
        ("column,lower,upper\n", "at least one column"),
        ("", "must not be empty"),
    ],
)
def test_bad_bounds_break_a_named_rule(tmp_path, bounds, words):
    table, public = written(tmp_path, "1,2\n", bounds)
    with pytest.raises(ValueError, match=words):
        list(own_table.compare(table, bounds=public))


def test_without_bounds_it_says_why_they_are_needed(tmp_path, capsys):
    table, _ = written(tmp_path, f"{SECRET},2\n")
    assert command.main(["compare", table]) == 2
    told = capsys.readouterr().err
    assert "--bounds is needed" in told and SECRET not in told


def test_a_file_that_is_not_there_or_no_text(tmp_path):
    _, bounds = written(tmp_path, "1,2\n")
    with pytest.raises(ValueError, match=r"none\.csv: the table cannot be read: No such file"):
        list(own_table.compare(str(tmp_path / "none.csv"), bounds=bounds))
    (tmp_path / "bytes.csv").write_bytes(b"a,b\n\xff\xfe,1\n")
    with pytest.raises(ValueError, match="must be text in UTF-8"):
        list(own_table.compare(str(tmp_path / "bytes.csv"), bounds=bounds))


def test_one_record(tmp_path):
    table, bounds = written(tmp_path, "1,2\n")
    said = "\n".join(own_table.compare(table, bounds=bounds, trials=1))
    assert "1 record, 2 columns" in said and "nobody to hide among" in said


def test_a_thousand_columns(tmp_path):
    columns = [f"c{i}" for i in range(1000)]
    rows = np.random.default_rng(0).uniform(size=(40, 1000))
    table_file.write(tmp_path / "wide.csv", columns, rows)
    table_file.write_bounds(tmp_path / "bounds.csv", columns, [0] * 1000, [1] * 1000)
    how = {"bounds": str(tmp_path / "bounds.csv"), "trials": 1}
    said = "\n".join(own_table.compare(str(tmp_path / "wide.csv"), **how))
    assert "40 records, 1000 columns" in said and "distance 50, sparse 6, smooth 3" in said


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"epsilon": 0.0}, "epsilon must be"),
        ({"epsilon": 1e-300}, "epsilon must be"),
        ({"delta": 2.0}, "delta must be"),
        ({"trials": 0}, "trials must be"),
        ({"measure": "cluster/solver"}, "measure must be one of"),
        ({"measure": "sparse/stable", "delta": 0.0}, "delta must be above 0 for a stability"),
    ],
)
def test_a_bad_argument_is_refused_before_a_line_is_printed(tmp_path, wrong, words):
    table, bounds = written(tmp_path, "1,2\n3,4\n5,6\n")
    with pytest.raises(ValueError, match=words):
        next(own_table.compare(table, bounds=bounds, **wrong))


def test_without_a_delta_what_is_pure_is_compared():
    found = own_table.rows(60, 2, trials=1, epsilon=1.0, delta=0.0)
    answers = {row.key for row in found if len(row.simulated)}
    assert answers >= {"distance/release", "sparse/lazy", "smooth/truncation", "linear/histogram"}
    assert not answers & {"sparse/stable", "smooth/functional", "cluster/medians"}


def test_what_is_measured_must_exist_and_fit():
    table = table_file.Table(("a", "b"), np.random.default_rng(0).uniform(size=(50, 2)))
    for key in ("cluster/solver", "linear/other"):
        curator = Curator(**BUDGET, rng=0)
        with pytest.raises(ValueError, match="measure must be one of"):
            own_table.measured(table, key, curator, rng=0)
        assert str(curator.ledger) == str(Curator(**BUDGET, rng=0).ledger)
