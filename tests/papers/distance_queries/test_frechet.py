"""Frechet coordinates: never an expansion, contraction as proved, and what Figure 3 gets wrong."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpviz.data import real_sets as sets
from dpviz.papers.distance_queries.embeddings.frechet import (
    SEPARATION,
    Params,
    contraction_bound,
    draw_subset,
    paper_contraction,
    paper_subsets,
    scales,
    subsets_for,
    trial,
)
from dpviz.papers.distance_queries.embeddings.l1_embedding import distances, measure
from dpviz.papers.distance_queries.embeddings.metrics import edit, finite, norm, shortest_paths


def network(name, weighted=False):
    graph = getattr(sets, f"{name}_network")()
    return shortest_paths(graph.ties, graph.names, 1 / graph.counts if weighted else None)


def names():
    words = sets.les_miserables_network().names
    return finite(edit(longest=16).distances(words, words), words)


def cycle(n):
    return shortest_paths([[i, (i + 1) % n] for i in range(n)], list(map(str, range(n))))


def cubic(n):
    graph = nx.random_regular_graph(3, n, seed=1)
    return shortest_paths(list(graph.edges), list(map(str, range(n))))


METRICS = {
    "hops": lambda: network("les_miserables"),
    "weighted": lambda: network("les_miserables", weighted=True),
    "names": names,
    "karate": lambda: network("karate"),
    "cycle": lambda: cycle(256),
    "cubic": lambda: cubic(512),
}


@given(seed=st.integers(0, 2**32), n=st.integers(2, 12), k=st.integers(1, 12))
@settings(max_examples=150)
def test_the_expansion_is_never_above_one(seed, n, k):
    """Any metric: shortest paths of a random weighted graph. Slack: rounding of m sums.

    Statements: HR Figure 3; HR Theorem 11.
    """
    rng = np.random.default_rng(seed)
    lengths = rng.uniform(0.1, 1, n * (n - 1) // 2)
    ties = np.array(np.triu_indices(n, 1)).T
    metric = shortest_paths(ties, list(map(str, range(n))), lengths)
    queries = rng.integers(0, n, k)
    params = Params(metric=metric, queries=queries, subsets=int(rng.integers(1, 6)))
    embedded = distances(params.draw(rng=rng), np.arange(n), np.arange(n))
    assert (embedded <= metric.table + 1e-12).all()


@pytest.mark.parametrize("name", METRICS)
def test_real_metrics_keep_the_expansion_and_the_proved_contraction(name):
    """K = 64 is fewer sets than the proof asks for, and far inside its contraction all the same."""
    metric = METRICS[name]()
    n = len(metric.names)
    queries = np.random.default_rng(0).permutation(n)[: n // 2]
    found = trial(Params(metric=metric, queries=queries, subsets=64), np.arange(n), rng=1)
    assert found["expansion"] <= 1 + 1e-12
    assert found["contraction"] <= found["bound"] / 10 <= found["paper"] / 10


def test_more_sets_do_not_change_the_middle_only_the_worst():
    """Les Miserables by hops: the worst pair from about 12 at K = 4 down to about 6, median .3."""
    metric = network("les_miserables")
    queries = np.random.default_rng(0).permutation(77)[:38]
    runs = {
        subsets: [
            trial(Params(metric=metric, queries=queries, subsets=subsets), np.arange(77), rng=seed)
            for seed in range(10)
        ]
        for subsets in (4, 16, 64, 256)
    }
    worst = {k: np.median([run["contraction"] for run in runs[k]]) for k in runs}
    middle = {k: np.median([run["median"] for run in runs[k]]) for k in runs}
    assert worst[4] > 1.3 * worst[16] > 1.3 * worst[256] > 1.3 * 4
    assert worst[64] < 1.2 * worst[256]
    assert max(middle.values()) - min(middle.values()) < 0.05
    assert 0.25 < middle[64] < 0.35


def test_one_set_can_lose_a_distance_altogether():
    """K = 1: two points as far from every set: infinite contraction, in some of 50 draws."""
    metric = network("les_miserables")
    queries = np.random.default_rng(0).permutation(77)[:38]
    runs = [
        trial(Params(metric=metric, queries=queries, subsets=1), np.arange(77), rng=seed)
        for seed in range(50)
    ]
    assert max(run["contraction"] for run in runs) == np.inf
    assert max(run["expansion"] for run in runs) <= 1 + 1e-12


@pytest.mark.parametrize("name", ["karate", "cycle"])
def test_at_the_proved_number_of_sets_the_contraction_holds(name):
    """Fails in at most 0.05 of runs; more than 10 of 30: chance < 1e-6.

    Statements: HR Theorem 11; HR Corollary 14.
    """
    metric = {"karate": METRICS["karate"], "cycle": lambda: cycle(24)}[name]()
    n = len(metric.names)
    queries = np.arange(0, n, 2)
    params = Params(metric=metric, queries=queries, subsets=subsets_for(n, len(queries), 0.05))
    runs = [trial(params, np.arange(n), rng=seed) for seed in range(30)]
    assert all(0 < run["failure"] <= 0.05 for run in runs)
    assert stats.binom.sf(10, 30, 0.05) < 1e-6
    assert sum(run["contraction"] > run["bound"] for run in runs) <= 10


def separating_chance(inside, near, share, draws=40_000):
    """How often a random set misses ``inside`` points and meets ``near`` others."""
    kept = np.random.default_rng(0).uniform(size=(draws, inside + near)) < share
    return (~kept[:, :inside].any(axis=1) & kept[:, inside:].any(axis=1)).mean()


@pytest.mark.parametrize("level", [2, 3, 5, 8])
def test_a_set_shows_the_difference_with_the_stated_chance(level):
    """The extreme case: 2^(i-1) - 1 points to miss, 2^(i-2) to meet. Exactly, and by draws."""
    m = 2 ** (level - 1)
    exact = (1 - 1 / m) ** (m - 1) * (1 - (1 - 1 / m) ** (m // 2))
    assert exact >= SEPARATION
    assert abs(separating_chance(m - 1, m // 2, 1 / m) - exact) <= 5 * 0.5 / math.sqrt(40_000)


def test_half_of_the_expected_sets_show_it_but_with_the_stated_probability():
    """The Chernoff exponent against the exact binomial, for many numbers of sets."""
    for subsets in (8, 64, 512):
        _, failure = contraction_bound(2, subsets, pairs=1)
        exact = stats.binom.cdf(math.ceil(subsets * SEPARATION / 2) - 1, subsets, SEPARATION)
        assert exact <= failure
    exact = stats.binom.cdf(4000 * SEPARATION / 2, 4000, SEPARATION)
    assert contraction_bound(2, 4000, pairs=1)[1] <= exact**0.9  # the exponent is the right one


def test_the_proof_counts_its_balls_with_the_smaller_radius():
    """With min(r_i, d / 2) in the place of the enlarged radius the balls part.

    Brute force on a cycle: wherever the radius grows, the two balls are disjoint and hold as
    many queries as the proof says.

    Statements: HR Theorem 11.
    """
    metric, k = cycle(12), 6
    table, queries = metric.table, np.arange(0, 12, 2)
    for x, y in [(x, y) for x in range(12) for y in queries if x != y]:
        reach = np.sort(table[[x, y]][:, queries], axis=1)
        radius = [reach[:, 2 ** (i - 1) - 1].max() for i in range(1, scales(k) + 1)]
        cut = [min(r, table[x, y] / 2) for r in radius]
        assert cut[-1] == table[x, y] / 2
        for i in range(1, len(cut)):
            if cut[i - 1] < cut[i]:
                balls = [(table[c, queries] < cut[i]).sum() < 2**i for c in (x, y)]
                assert any(balls)
                assert all((table[c, queries] <= cut[i - 1]).sum() >= 2 ** (i - 1) for c in (x, y))
                assert cut[i] + cut[i - 1] <= table[x, y]


def test_theorem_11_s_enlarged_radius_breaks_the_count_of_lemma_12():
    """Of all i, i' is the largest with r_i + r_(i-1) <= d, then r_i' := d - r_(i'-1).

    A record and a query at distance 1, six queries at 0.6 from both: i' = 2, r_2 grows from 0.6 to
    1. Lemma 12 then needs fewer than 2 queries in one of the open balls of that radius; both
    hold 7. With min(r_2, d/2) one of them holds 1.

    Statements: HR Theorem 11; HR Lemma 12.
    """
    table = np.full((8, 8), 0.6) - 0.6 * np.eye(8)
    table[0, 1] = table[1, 0] = 1.0
    metric = finite(table)
    reach = np.sort(metric.table[:2], axis=1)  # all eight points are queries
    radius = [reach[:, 2 ** (i - 1) - 1].max() for i in range(1, scales(8) + 1)]
    last = max(i for i in range(1, len(radius)) if radius[i] + radius[i - 1] <= 1)
    enlarged = 1 - radius[last - 1]
    assert (last + 1, enlarged) == (2, 1.0)
    assert ((metric.table[:2] < enlarged).sum(axis=1) == 7).all()
    assert ((metric.table[:2] < min(radius[last], 0.5)).sum(axis=1) == 1).all()


def test_lemma_12_rounds_its_chance_down_too_far_but_its_conclusion_holds():
    """Fewer than K/32 of K sets with probability 2^(-K/64).

    False at the chance of 1/16 to which the proof rounds, true at the 0.0984 that it has found.

    Statements: HR Lemma 12.
    """
    subsets = 64 * 100
    log_two = stats.binom.logcdf(subsets // 32 - 1, subsets, 1 / 16) / math.log(2)
    assert log_two > -subsets / 64
    enough = (1 - math.exp(-0.5)) / 4
    assert stats.binom.logcdf(subsets // 32 - 1, subsets, enough) / math.log(2) < -subsets / 64


def lemma_12(metric, queries, subsets, pair, *, rng):
    """What scale i adds to the embedded distance, times log2 k, and r*_i up to i' (cut at d/2)."""
    drawn = Params(metric=metric, queries=queries, subsets=subsets).draw(rng=rng)
    to_queries = metric.distances(list(pair), queries)
    gaps = np.array([abs(np.diff(to_queries[:, s].min(axis=1))[0]) for s in drawn.random_subsets])
    reach = np.sort(to_queries, axis=1)
    d = metric.distances([pair[0]], [pair[1]])[0, 0]
    levels = range(1, scales(len(queries)) + 1)
    radius = [min(reach[:, 2 ** (i - 1) - 1].max(), d / 2) for i in levels]
    return [gaps[drawn.levels == i].mean() for i in levels], radius


def test_lemma_12_every_scale_adds_its_share():
    """With the paper's number of sets: a failure has probability < 1e-6 a pair.

    Statements: HR Lemma 12.
    """
    metric, queries = cycle(24), np.arange(0, 24, 2)
    subsets = paper_subsets(24, 12)
    for pair in [(1, 4), (3, 14), (7, 12)]:
        added, radius = lemma_12(metric, queries, subsets, pair, rng=0)
        for i in range(1, len(radius)):
            assert added[i] >= (radius[i] - radius[i - 1]) / 32


def test_lemma_13_scale_1_adds_the_distance_to_the_queries():
    """Exactly r*_1 = d(x, Q), because S_1j is Q and a query is at distance 0.

    Statements: HR Lemma 13.
    """
    metric, queries = cycle(24), np.arange(0, 24, 6)
    for pair in [(1, 6), (9, 0), (15, 18), (5, 12)]:
        added, _ = lemma_12(metric, queries, 2, pair, rng=0)
        assert added[0] == pytest.approx(metric.table[pair[0], queries].min(), rel=1e-12)
        embedding = Params(metric=metric, queries=queries, subsets=2).draw(rng=0)
        first = np.diff(embedding.map(list(pair))[:, 0])
        assert abs(first[0]) * embedding.scales == pytest.approx(added[0], rel=1e-12)


def test_lemma_12_prints_its_inequality_reversed():
    """Printed: 1 - 2^(-K/64) < 1 - 1 / (n^2 k log k). At the paper's own K it is larger."""
    n, k = 100, 16
    success = 1 - 2.0 ** (-paper_subsets(n, k) / 64)
    assert not success < 1 - 1 / (n**2 * k * math.log2(k))
    assert success > 1 - 1 / (n**2 * k * math.log2(k))


def printed(metric, queries, subsets, *, rng):
    """Figure 3 with indices 0 .. log k but the normaliser log k, and |S| = 0 as distance 0."""
    k = len(queries)
    levels = np.repeat(np.arange(1, int(math.log2(k)) + 2), subsets)
    sets_ = [np.flatnonzero(rng.uniform(size=k) < 2.0 ** (1 - i)) for i in levels]
    table = metric.distances(metric.points, queries)
    columns = [table[:, s].min(axis=1) if len(s) else np.zeros(len(table)) for s in sets_]
    return np.array(columns).T / (subsets * math.log2(k))


def test_the_printed_number_of_scales_expands():
    """Two far clusters: every scale shows the whole distance, so the sum is 1 + 1 / log k.

    Statements: HR Figure 3.
    """
    metric = finite([[0, 1], [1, 0]])
    queries = [0] * 4
    rows = printed(metric, queries, 4, rng=np.random.default_rng(1))
    full = np.abs(rows[0] - rows[1]).sum()
    assert 1 < full <= 1 + 1 / math.log2(4) + 1e-12
    ours = Params(metric=metric, queries=queries, subsets=4).draw(rng=1)
    assert distances(ours, [0], [1])[0, 0] == pytest.approx(1, abs=1e-12)


def test_the_cap_at_one_would_break_the_sum_over_coordinates():
    """min(1, |u|) of a sum is not a sum: four midpoints decide, as for every function f + g.

    Statements: HR Section 4.3 (cap).
    """

    def mixed(distance):
        return distance(0.8, 0.8) + distance(0, 0) - distance(0.8, 0) - distance(0, 0.8)

    assert mixed(lambda a, b: abs(a) + abs(b)) == 0
    assert mixed(lambda a, b: min(1, abs(a) + abs(b))) == pytest.approx(-0.6)


@given(k=st.integers(1, 64), seed=st.integers(0, 2**32))
@settings(max_examples=60)
def test_no_set_is_ever_empty(k, seed):
    params = Params(metric=norm([0], [1]), queries=np.linspace(0, 1, k)[:, None], subsets=5)
    embedding = params.draw(rng=seed)
    assert all(len(s) for s in embedding.random_subsets)
    assert embedding.random_subsets[0].tolist() == list(range(k))
    assert embedding.size == (scales(k) - 1) * 5 + 1
    assert embedding.weights.sum() == pytest.approx(1, abs=1e-12)


def test_sets_are_as_large_as_they_should_be():
    """Mean sizes of 4,000 sets of 64 with share 1/4: 16, within 5 standard errors."""
    rng = np.random.default_rng(0)
    sizes = [len(draw_subset(64, 0.25, rng=rng)) for _ in range(4000)]
    assert abs(np.mean(sizes) - 16) <= 5 * math.sqrt(12 / 4000)


def test_queries_given_to_a_trial_replace_those_of_the_params():
    karate = {"metric": network("karate"), "subsets": 4}
    given, own = Params(**karate, queries=[5]), Params(**karate, queries=[1, 2, 3])
    assert trial(given, np.arange(34), [1, 2, 3], rng=0) == trial(own, np.arange(34), rng=0)


def test_one_query_needs_one_coordinate_and_loses_nothing():
    params = Params(metric=network("karate"), queries=[5], subsets=9)
    found = trial(params, np.arange(34), rng=0)
    assert found["expansion"] == found["contraction"] == found["bound"] == 1
    assert found["failure"] == 0
    with pytest.raises(ValueError, match="k must be a whole number, at least 2"):
        paper_contraction(1)


def test_near_and_far_records_are_told_apart():
    """On the cycle the farther half of the pairs keeps more of its distance than the nearer."""
    metric = cycle(64)
    queries = np.arange(0, 64, 2)
    embedding = Params(metric=metric, queries=queries, subsets=64).draw(rng=0)
    found = measure(metric.table[:, queries], distances(embedding, metric.points, queries))
    assert found.contraction == max(found.near, found.far)
    assert found.near != found.far


def test_the_box_of_a_finite_metric_is_its_own_and_never_wider_than_promised():
    metric = network("les_miserables")
    embedding = Params(metric=metric, queries=np.arange(77), subsets=8).draw(rng=0)
    assert (embedding.upper <= embedding.weights * (1 + 1e-12)).all()
    assert (embedding.map(metric.points) <= embedding.upper).all()
    assert embedding.upper.sum() < 0.8


def test_subsets_for_gives_the_stated_failure():
    for n, k in ((77, 38), (1640, 77)):
        subsets = subsets_for(n, k, 0.01)
        assert contraction_bound(k, subsets, pairs=n * k)[1] <= 0.01
        assert contraction_bound(k, subsets - 1, pairs=n * k)[1] > 0.01
        assert subsets < paper_subsets(n, k) / 5


class Squared:
    """Squared differences: no metric, and no table either."""

    diameter = 1.0

    def distances(self, data, queries):
        return (np.subtract.outer(np.array(data), np.array(queries))) ** 2


def test_an_oracle_that_is_no_metric_is_refused_and_the_queries_are_named():
    with pytest.raises(ValueError, match=r"d\(0.0, 1.0\) <= d\(0.0, 0.5\) \+ d\(0.5, 1.0\), but 1"):
        Params(metric=Squared(), queries=[0.0, 0.5, 1.0])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"queries": []}, "queries must hold at least one point"),
        ({"queries": [99]}, "must hold codes, whole numbers from 0 to 33"),
        ({"subsets": 0}, "subsets must be a whole number, at least 1"),
        ({"queries": 3}, "queries must have __len__, __getitem__, not 3"),
        ({"metric": 3}, "metric must have distances, diameter, not 3"),
    ],
)
def test_bad_parameters_are_refused(wrong, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Params(**{"metric": network("karate"), "queries": [0], **wrong})


def test_the_introduction_promises_fewer_dimensions_than_figure_3_has():
    """Introduction: log k dimensions. Section 4.3: log k times K, K = 512 (log k + log n)."""
    n, k = 1640, 77
    assert scales(k) * paper_subsets(n, k) > 1000 * math.log2(k)
