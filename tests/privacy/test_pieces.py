"""Sums of pieces are exact, whatever the order and, record by record, whatever the division."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.privacy.pieces import (
    BY_CELL,
    NUMBERS,
    ONE,
    Exact,
    Few,
    Running,
    Sums,
    cell_sums,
    check_sums,
    column_sums,
    gathered,
    merge,
)


def bits(sums):
    """All that can be seen of sums."""
    return pickle.dumps(
        {name: sums.value(name, shape(total)) for name, total in sums.totals.items()}
    )


def shape(total):
    return (total.size,) if isinstance(total, Few) else getattr(total, "whole", total).shape


@given(st.integers(0, 2**32), st.integers(1, 40))
def test_no_order_and_no_division_shows(seed, cuts):
    rng = np.random.default_rng(seed)
    units = rng.random((200, 2)) ** 5
    units[rng.random(units.shape) < 0.1] = rng.choice([0.0, 1.0])
    whole = cell_sums([units], 2, 16)
    parts = [cell_sums([part], 2, 16) for part in np.array_split(units, cuts)]
    rng.shuffle(parts)
    assert bits(gathered(parts)) == bits(whole)
    total = [column_sums([part], 2) for part in np.array_split(units * 2 - 1, cuts)]
    added = sum(total[1:], start=total[0])
    assert added.value.tolist() == column_sums([units * 2 - 1], 2).value.tolist()


def placed(x, cells):
    """The cell of a number and its place there, rounded to a multiple of 2^-30 of a cell."""
    units = round(Fraction(x) * cells * 2**30)
    cell = min(cells - 1, units >> 30)
    return cell, Fraction(units - (cell << 30), 2**30)


def test_sums_are_those_of_fractions():
    units = np.append(np.random.default_rng(1).random(3000), [0.0, 1.0, 0.25, 1 - 2**-53])[:, None]
    counts, inside = (cell_sums([units], 1, 4).value(name, (1, 4))[0] for name in BY_CELL)
    exact = [placed(x, 4) for x in units[:, 0]]
    for cell in range(4):
        own = [place for at, place in exact if at == cell]
        assert (counts[cell], inside[cell]) == (len(own), float(sum(own)))
    for numbers in (units, 2 * units - 1):  # only those with a sign are scaled
        total = sum(Fraction(round(Fraction(x) * ONE), ONE) for x in numbers[:, 0])
        assert column_sums([numbers], 1).value.tolist() == [float(total)]


@pytest.mark.parametrize("place", [0.0, 1.0, np.nextafter(0.5, 0), np.nextafter(1.0, 0), 0.7])
def test_more_records_in_one_cell_than_an_integer_holds_places(place):
    n = 4 * NUMBERS + 5  # each 2^16 of them fill 46 bits with places, and 17 with their count
    column = np.full((n, 1), place)
    counts, inside = (cell_sums([column], 1, 2).value(name, (1, 2))[0] for name in BY_CELL)
    cell, exact = placed(place, 2)
    assert counts.tolist() == ([0, n] if cell else [n, 0])
    assert inside[cell] == float(n * exact)
    assert column_sums([column], 1).value.tolist() == [n * round(place * ONE) / ONE]


@pytest.mark.parametrize("cells", [1, 3, 1000, 2**15, 2**16, 2**20])
def test_cells_of_any_number_hold_every_record(cells):
    units = np.append(np.random.default_rng(2).random(1000), [0.0, 1.0])[:, None]
    counts, inside = (cell_sums([units], 1, cells).value(name, (1, cells))[0] for name in BY_CELL)
    assert counts.tolist() == np.histogram(units, cells, (0, 1))[0].tolist()
    assert inside @ np.ones(cells) + counts @ np.arange(cells) == pytest.approx(
        units.sum() * cells, rel=1e-9
    )


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_real_sums_are_exact(values):
    parts = [Exact.of(np.array([value])) for value in values]
    forward = sum(parts[1:], start=parts[0])
    backward = sum(parts[-2::-1], start=parts[-1])
    assert forward.value == backward.value
    rounded = sum(Fraction(round(Fraction(value) * ONE), ONE) for value in values)
    assert float(forward.value[0]) == pytest.approx(float(rounded), rel=1e-15, abs=1e-15)


def test_few_and_many_counts_are_added_alike_and_nothing_given_changes():
    few = Few(np.array([1, 3]), np.array([5, 6]), 4)
    many = np.array([1, 1, 1, 1])
    pieces = [Sums(n=11, totals={"x": few}), Sums(n=4, totals={"x": many})]
    for some in (pieces, pieces[::-1]):
        assert merge(*some).totals["x"].tolist() == [1, 6, 1, 7]
        assert merge(some[0], some[0]).n == 2 * some[0].n
    assert (few.counts.tolist(), many.tolist()) == ([5, 6], [1, 1, 1, 1])


def test_sums_show_nothing():
    many, counted, summed = 987_654_321, 654_321_987, 321_987_654  # no address has such digits
    sums = Sums(n=many, totals={"x": np.array([counted]), "y": Exact.of(np.array([summed * 1.0]))})
    running = Running()
    running.add(sums)
    for thing in (sums, running, *sums.totals.values()):
        if not isinstance(thing, np.ndarray):
            assert not any(str(number) in repr(thing) for number in (many, counted, summed))
    assert bits(pickle.loads(pickle.dumps(sums))) == bits(sums)


@pytest.mark.parametrize(
    "other",
    [
        Sums(n=1, totals={"x": np.array([1, 2])}),
        Sums(n=1, totals={"y": np.array([1])}),
        Sums(n=1, totals={"x": Exact.of(np.array([1.0]))}),
    ],
)
def test_sums_of_two_kinds_are_refused(other):
    one = Sums(n=1, totals={"x": np.array([1])})
    with pytest.raises(ValueError, match="same params"):
        merge(one, other)
    with pytest.raises(ValueError, match="same params"):
        one.value("x", (2,))
    with pytest.raises(ValueError, match="at least one"):
        gathered([])
    with pytest.raises(ValueError, match="all n records"):
        check_sums(one, 2)
