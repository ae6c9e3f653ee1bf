"""The real sets: shapes, records in words, public bounds that hold."""

import inspect

import numpy as np
import pytest

from dpviz.data import real_sets

SHAPES = {
    "wine": (178, 13),
    "breast cancer": (569, 30),
    "diabetes": (442, 10),
    "digits": (1797, 64),
    "Les Misérables": (1640, 1),
    "karate": (462, 1),
}


@pytest.mark.parametrize("name", SHAPES)
def test_each_set(name):
    real = real_sets.SETS[name]()
    n, d = SHAPES[name]
    assert real.name == name
    assert real.data.shape == (n, d)
    assert len(real.columns) == len(set(real.columns)) == len(real.units) == d
    assert real.lower.shape == real.upper.shape == (d,)
    assert (real.lower < real.upper).all()
    assert len(real.record.split()) >= 30


@pytest.mark.parametrize("name", SHAPES)
def test_no_record_lies_outside_the_stated_bounds(name):
    """A fact about these sets, so that no lesson needs to speak of clipping."""
    real = real_sets.SETS[name]()
    assert ((real.lower <= real.data) & (real.data <= real.upper)).all()


@pytest.mark.parametrize("name", ["wine", "breast cancer", "diabetes"])
def test_bounds_are_round_numbers_and_not_read_off_the_data(name):
    real = real_sets.SETS[name]()
    for bound in (*real.lower, *real.upper):
        assert float(f"{bound:.2g}") == bound, "a public bound has two digits at most"


def test_the_set_itself_names_the_columns_like_its_library():
    from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

    for real, load in [
        (real_sets.wine(), load_wine),
        (real_sets.breast_cancer(), load_breast_cancer),
        (real_sets.diabetes(), load_diabetes),
    ]:
        assert list(real.columns) == list(load().feature_names)


def test_the_novel():
    novel = real_sets.les_miserables()
    counts = np.bincount(novel.data[:, 0].astype(int), minlength=77)
    assert len(novel.categories) == 77
    assert counts[novel.categories.index("Valjean")] == 158


@pytest.mark.parametrize("name", ["les_miserables", "karate"])
def test_a_network_and_its_records_count_the_same_meetings(name):
    real, network = getattr(real_sets, name)(), getattr(real_sets, f"{name}_network")()
    ends = np.zeros(len(network.names))
    for (a, b), count in zip(network.ties, network.counts, strict=True):
        ends[[a, b]] += count
    assert real.categories == network.names
    assert (np.bincount(real.data[:, 0].astype(int), minlength=len(ends)) == ends).all()


def test_column_is_rescaled_by_public_bounds_only():
    wine = real_sets.wine()
    assert np.allclose(wine.column("alcohol"), (wine.data[:, 0] - 11) / 4)
    with pytest.raises(ValueError, match="name must be one of 'alcohol'"):
        wine.column("sugar")


def test_nothing_is_downloaded():
    source = inspect.getsource(real_sets)
    assert not any(word in source for word in ("fetch_", "http", "urllib", "requests"))


def test_growers_stand_beside_their_bottles():
    """The mean proline of each grower, as the library's own description orders them."""
    growers, proline = real_sets.growers().data[:, 0], real_sets.wine().column("proline")
    means = [proline[growers == code].mean() for code in range(3)]
    assert len(growers) == len(proline)
    assert means[0] > means[2] > means[1]
