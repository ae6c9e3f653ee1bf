"""Metrics: against plain loops, against networkx, and what is refused."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.data import real_sets as sets
from dpviz.papers.distance_queries.embeddings import metrics
from dpviz.papers.distance_queries.embeddings.metrics import (
    check_metric,
    codes,
    finite,
    norm,
    shortest_paths,
)

LETTERS = st.text("abc", max_size=7)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["les_miserables", "karate"])
def test_shortest_paths_agree_with_networkx(name, weighted):
    network = getattr(sets, f"{name}_network")()
    lengths = 1 / network.counts if weighted else np.ones(len(network.ties))
    graph = nx.Graph()
    for (a, b), length in zip(network.ties.tolist(), lengths, strict=True):
        graph.add_edge(a, b, length=length)
    expected = dict(nx.all_pairs_dijkstra_path_length(graph, weight="length"))
    found = shortest_paths(network.ties, network.names, lengths, unit=False)
    for a, b in np.ndindex(found.table.shape):
        assert found.table[a, b] == pytest.approx(expected[a][b], abs=1e-12)
    check_metric(found.table, found.names)


def test_of_two_ties_the_shorter_counts():
    found = shortest_paths([[0, 1], [1, 0], [0, 1]], "ab", [3.0, 2.0, 5.0], unit=False)
    assert found.table[0, 1] == 2


def plain_edits(a, b):
    """Levenshtein's recursion, one letter at a time."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


@given(st.lists(LETTERS, min_size=1, max_size=5), st.lists(LETTERS, min_size=1, max_size=4))
def test_edit_distances_agree_with_the_plain_recursion(data, queries):
    found = metrics.edit(longest=7, unit=False).distances(data, queries)
    assert found.tolist() == [[plain_edits(a, b) for b in queries] for a in data]


def test_edit_distance_of_many_words_agrees_across_blocks():
    names = sets.les_miserables_network().names
    many = names * 4  # 308 records: more than one block
    table = metrics.edit(longest=16, unit=False).distances(many, names)
    assert (table == np.tile(table[:77], (4, 1))).all()
    check_metric(table[:77], names)


def test_a_longer_record_loses_its_end_or_is_refused():
    assert metrics.edit(longest=3).distances(["abcdef"], ["abc"])[0, 0] == 0
    with pytest.raises(ValueError, match="data must hold words of at most 3 letters"):
        metrics.edit(longest=3, outside="refuse").distances(["abcdef"], ["abc"])
    with pytest.raises(ValueError, match="queries must hold words of at most 3 letters"):
        metrics.edit(longest=3).distances(["abc"], ["abcdef"])


@pytest.mark.parametrize("wrong", ["abc", [1, 2], [None], [b"abc"]])
def test_what_is_no_word_is_refused(wrong):
    with pytest.raises(TypeError, match="data must be a list of words"):
        metrics.edit(longest=3).distances(wrong, ["abc"])


@given(st.integers(0, 2**32), st.integers(2, 6))
@settings(max_examples=30)
def test_norms_agree_with_numpy_and_never_exceed_the_diameter(seed, d):
    rng = np.random.default_rng(seed)
    box = norm(np.zeros(d), np.ones(d), p=1.5, unit=False)
    data, queries = rng.uniform(-1, 2, (5, d)), rng.uniform(size=(3, d))
    expected = [[np.linalg.norm(np.clip(x, 0, 1) - y, 1.5) for y in queries] for x in data]
    assert box.distances(data, queries) == pytest.approx(np.array(expected), abs=1e-12)
    assert box.distances(data, queries).max() <= box.diameter
    assert norm(np.zeros(d), np.ones(d), p=1.5).diameter == 1


def test_queries_outside_the_public_box_are_refused():
    with pytest.raises(ValueError, match="queries must lie in the public box"):
        norm([0], [1]).distances([[0.5]], [[2.0]])


BAD = {
    "d(b, b) = 0": [[0, 1], [1, 2]],
    "d(a, b) = d(b, a)": [[0, 1], [2, 0]],
    "d(a, b) >= 0": [[0, -1], [-1, 0]],
    "d(a, c) <= d(a, b) + d(b, c), but 5 > 1 + 2": [[0, 1, 5], [1, 0, 2], [5, 2, 0]],
}


@pytest.mark.parametrize("rule", BAD)
def test_what_is_no_metric_is_refused_and_the_points_are_named(rule):
    table = BAD[rule]
    with pytest.raises(ValueError) as caught:
        finite(table, "abc"[: len(table)])
    assert rule in str(caught.value)


@given(st.integers(0, 2**32))
@settings(max_examples=50)
def test_the_triangle_that_is_named_is_really_broken(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 9, (5, 5)) * (1 - np.eye(5))
    table = np.triu(table) + np.triu(table).T
    try:
        check_metric(table, "01234")
    except ValueError as problem:
        i, k, j = _named(str(problem))
        assert table[i, k] > table[i, j] + table[j, k]
    else:
        assert all(table[i, k] <= table[i, j] + table[j, k] for i, j, k in np.ndindex(5, 5, 5))


def _named(message):
    """i, k, j from "... d(i, k) <= d(i, j) + d(j, k), ..."."""
    left, _, right = message.partition("<=")
    i, k = (int(x) for x in left[left.index("(") + 1 : left.index(")")].split(","))
    return i, k, int(right[right.index(",") + 1 : right.index(")")])


def test_a_network_that_falls_apart_is_refused():
    with pytest.raises(ValueError, match="no path from a to c"):
        shortest_paths([[0, 1]], "abc")
    with pytest.raises(ValueError, match="no path from a to b"):
        shortest_paths([[0, 0]], "ab")


@pytest.mark.parametrize("lengths", [[0.0], [-1.0], [1.0, 2.0]])
def test_lengths_that_are_not_positive_or_not_one_a_tie_are_refused(lengths):
    with pytest.raises(ValueError, match="lengths must be 1 numbers above 0"):
        shortest_paths([[0, 1]], "ab", lengths)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ([5], ValueError),
        ([0.5], ValueError),
        ([-1], ValueError),
        (["x"], TypeError),
        ([], ValueError),
    ],
)
def test_what_is_no_code_is_refused_without_showing_it(wrong, error):
    with pytest.raises(error, match="data must hold") as caught:
        codes("data", wrong, 3)
    assert not any(str(entry) in str(caught.value) for entry in wrong)


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="name must be one of 'a', 'b'"):
        finite([[0, 1], [1, 0]], "ab").codes(["c"])


def test_a_metric_is_divided_by_its_diameter():
    for metric in (finite([[0, 7], [7, 0]]), norm([0, 0], [5, 5]), metrics.edit(longest=9)):
        assert metric.diameter == pytest.approx(1, abs=1e-15)
    assert metrics.finite([[0.0]]).diameter == 0


@pytest.mark.parametrize("wrong", [{"ab": 1}, {"ab"}, 3, None, np.ma.array(["ab"], mask=[True])])
def test_words_come_in_a_list(wrong):
    with pytest.raises(TypeError, match="data must be a list of words"):
        metrics.edit(longest=3).distances(wrong, ["ab"])


@pytest.mark.parametrize("wrong", [[1j], np.ma.array([1], mask=[True]), {0: 1}, {0}, [object()]])
def test_codes_are_real_whole_numbers_without_a_mask(wrong):
    with pytest.raises(TypeError, match="data must hold codes"):
        finite([[0, 1], [1, 0]]).distances(wrong, [0])
