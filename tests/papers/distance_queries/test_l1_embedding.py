"""Every embedding: one record moves one row, rows stay in the public box, distances as promised."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.data import real_sets as sets
from dpviz.papers.distance_queries.embeddings import (
    frechet,
    johnson_lindenstrauss,
    p_stable,
    weighted_hamming,
)
from dpviz.papers.distance_queries.embeddings.l1_embedding import (
    distances,
    linear,
    measure,
    rows_changed,
)
from dpviz.papers.distance_queries.embeddings.metrics import edit, finite, norm, shortest_paths


def random_points(rng, n):
    return rng.uniform(-0.2, 1.2, (n, 3))  # some lie outside the public box


def random_codes(rng, n):
    return rng.integers(0, 34, n)


def random_words(rng, n):
    return ["".join(rng.choice(list("abcd"), rng.integers(0, 6))) for _ in range(n)]


def random_features(rng, n):
    return np.column_stack([rng.integers(0, size, n) for size in (2, 3, 5)])


def karate():
    network = sets.karate_network()
    return shortest_paths(network.ties, network.names)


def projected(rng):
    return johnson_lindenstrauss.Params(d=3, target=12, lower=0, upper=1).draw(rng=rng)


def plainly(rng):
    return p_stable.Params(d=3, target=12, p=1.3, method="plain", lower=0, upper=1).draw(rng=rng)


def bounded(rng):
    return p_stable.Params(d=3, target=12, p=1.3, lower=0, upper=1).draw(rng=rng)


def on_a_network(rng):
    return frechet.Params(metric=karate(), queries=np.arange(0, 34, 2), subsets=3).draw(rng=rng)


def on_words(rng):
    queries = ["ab", "abc", "dd", "", "aaaaa"]
    return frechet.Params(metric=edit(longest=5), queries=queries, subsets=3).draw(rng=rng)


def on_points(rng):
    queries = np.linspace(0, 1, 18).reshape(6, 3)
    box = norm(np.zeros(3), np.ones(3))
    return frechet.Params(metric=box, queries=queries, subsets=3).draw(rng=rng)


def by_category(rng):
    return weighted_hamming.categories([2, 3, 5], rng.uniform(0.1, 1, 3))


def on_a_tree(rng):
    parents = [-1, *(int(rng.integers(0, node)) for node in range(1, 34))]
    return weighted_hamming.tree(parents, rng.uniform(0.1, 1, 34))


EMBEDDINGS = {
    projected: random_points,
    plainly: random_points,
    bounded: random_points,
    on_points: random_points,
    on_a_network: random_codes,
    on_words: random_words,
    by_category: random_features,
    on_a_tree: random_codes,
}
ALL = pytest.mark.parametrize("make", EMBEDDINGS, ids=lambda make: make.__name__)
SEEDS = st.integers(0, 2**32)


@ALL
@given(seed=SEEDS, place=st.integers(0, 6))
@settings(max_examples=20)
def test_changing_one_record_moves_its_own_row_only(make, seed, place):
    """Definition 6, exactly: not one bit of the other rows differs.

    Statements: HR Definition 6.
    """
    rng = np.random.default_rng(seed)
    embedding, records = make(rng), EMBEDDINGS[make](rng, 8)
    data, other = records[:7], [*records[:7]]
    other[place] = records[7]
    neighbour = other if isinstance(data, list) else np.array(other)
    before, after = embedding.map(data), embedding.map(neighbour)
    moved = np.flatnonzero((before != after).any(axis=1))
    assert set(moved) <= {place}
    assert rows_changed(embedding.map, data, neighbour) == len(moved)


@ALL
@given(seed=SEEDS)
@settings(max_examples=20)
def test_every_row_lies_in_the_public_box(make, seed):
    """Up to the last bits of a sum of three products."""
    rng = np.random.default_rng(seed)
    embedding = make(rng)
    rows = embedding.map(EMBEDDINGS[make](rng, 40))
    slack = 1e-12 * (np.abs(embedding.lower) + np.abs(embedding.upper))
    assert (rows >= embedding.lower - slack).all()
    assert (rows <= embedding.upper + slack).all()


def by_records(data):
    """Ordinary Bourgain: the same randomness, but the random subsets are drawn from the records."""
    return frechet.Params(metric=karate(), queries=data, subsets=16).draw(rng=0).map(data)


def by_largest(data):
    """Rescaled by the data's own maximum."""
    return np.asarray(data, dtype=float)[:, None] / np.max(data)


@pytest.mark.parametrize("embed", [by_records, by_largest])
def test_an_embedding_made_from_the_records_moves_others_rows_too(embed):
    # Statements: HR Definition 6.
    data = np.arange(1, 21)
    neighbour = data.copy()
    neighbour[19] = 33
    assert rows_changed(embed, data, neighbour) > 10


@given(seed=SEEDS)
@settings(max_examples=40)
def test_the_linear_box_is_exact(seed):
    """Brute force over the corners of the box of the records."""
    rng = np.random.default_rng(seed)
    matrix, lower = rng.normal(size=(4, 3)), rng.normal(size=3)
    upper = lower + rng.uniform(0.1, 2, 3)
    corners = np.array(np.meshgrid(*zip(lower, upper, strict=True))).reshape(3, -1).T
    embedding = linear(matrix, lower, upper)
    images = embedding.map(corners)
    assert embedding.lower == pytest.approx(images.min(axis=0), abs=1e-12)
    assert embedding.upper == pytest.approx(images.max(axis=0), abs=1e-12)


def test_expansion_one_says_nothing_of_two_records():
    """The proof of Theorem 7 gives the image diameter 1; Definition 5 sees only queries.

    Metric: records a, b at distance 1, each at distance 1 from the query q. The map
    a -> -1, q -> 0, b -> 1 has expansion 1 on records and query, and moves a and b 2 apart.
    """
    image = {"a": -1.0, "b": 1.0, "q": 0.0}
    assert measure([[1.0], [1.0]], [[abs(image["a"])], [abs(image["b"])]]).expansion == 1
    finite([[0, 1, 1], [1, 0, 1], [1, 1, 0]], "abq")  # is a metric of diameter 1
    assert abs(image["a"] - image["b"]) == 2


def test_pairs_at_distance_zero_are_left_out_or_infinite():
    """Definition 5 as printed is 0/0 for a record at a query.

    Statements: HR Definition 5.
    """
    with np.errstate(invalid="ignore"):
        assert np.isnan(np.float64(0) / np.float64(0))
    assert measure([[0.0, 1.0]], [[0.0, 1.0]]).expansion == 1
    assert measure([[0.0, 1.0]], [[0.5, 1.0]]).expansion == np.inf
    assert measure([[2.0, 1.0]], [[0.0, 1.0]]).contraction == np.inf


def test_a_residue_of_rounding_is_no_distance():
    """Some kernels of matrix products send equal points a few last bits apart."""
    exact = measure([[0.0, 1.0, 2.0]], [[0.0, 0.5, 1.8]])
    for residue in (1e-16, 1e-14):
        found = measure([[0.0, 1.0, 2.0]], [[residue, 0.5, 1.8]])
        assert (found.expansion, found.contraction, found.median) == (0.9, 2.0, exact.median)
        assert found.average_error == exact.average_error
        assert measure([[1.0, 2.0]], [[residue, 2.0]]).contraction == np.inf
        assert measure([[residue, 1.0]], [[0.0, 0.5]]).contraction == 2
    tiny = measure([[1e-30, 2e-30]], [[1e-30, 1e-30]])  # of any unit: the scale is their own
    assert (tiny.expansion, tiny.contraction) == (1, 2)


def test_a_small_true_distance_is_kept():
    """A thousandth of a millionth of the largest is a distance, at either end."""
    assert measure([[1e-9, 1.0]], [[0.0, 1.0]]).contraction == np.inf
    assert measure([[0.0, 1.0]], [[1e-9, 1.0]]).expansion == np.inf


@given(seed=SEEDS)
@settings(max_examples=40)
def test_measured_distortion_agrees_with_a_plain_loop(seed):
    # Statements: HR Definition 5.
    rng = np.random.default_rng(seed)
    true = rng.uniform(0.1, 1, (6, 3))
    embedded = true * rng.uniform(0.5, 2, (6, 3))
    found = measure(true, embedded)
    pairs = list(zip(true.ravel(), embedded.ravel(), strict=True))
    assert found.expansion == max(b / a for a, b in pairs)
    assert found.contraction == max(a / b for a, b in pairs) == max(found.near, found.far)
    assert found.average_error == pytest.approx(
        max(abs(embedded[:, j].mean() / true[:, j].mean() - 1) for j in range(3)), abs=1e-12
    )


@pytest.mark.parametrize("wrong", [([1.0], [1.0]), ([[1.0]], [[1.0, 2.0]]), ([[0.0]], [[0.0]])])
def test_tables_that_cannot_be_compared_are_refused(wrong):
    with pytest.raises(ValueError, match="true and embedded must be two"):
        measure(*wrong)


def test_embedded_distances_agree_with_a_plain_loop():
    embedding = linear(np.random.default_rng(0).normal(size=(7, 3)), 0, 1)
    data, queries = np.random.default_rng(1).uniform(size=(2, 4, 3))
    expected = [[np.abs(embedding.matrix @ (x - y)).sum() for y in queries] for x in data]
    assert distances(embedding, data, queries) == pytest.approx(np.array(expected), abs=1e-12)


def test_data_of_another_shape_is_refused_without_being_shown():
    with pytest.raises(ValueError, match="data must have d = 3 columns"):
        projected(0).map([[0.123]])
