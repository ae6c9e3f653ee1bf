"""Embeddings of distances: every proved bound a second time."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

from dpviz.papers.distance_queries.embeddings import (
    any_metric,
    euclidean,
    frechet,
    johnson_lindenstrauss,
    negative_type,
    p_stable,
    weighted_hamming,
)
from dpviz.papers.distance_queries.embeddings.l1_embedding import Linear, linear
from dpviz.papers.distance_queries.embeddings.metrics import finite, norm
from dpviz.papers.distance_queries.mechanism import l1, offline
from dpviz.papers.distance_queries.releases import curves
from second import laws, second

ROOMS = ("papers.distance_queries.embeddings",)


@second(
    "papers.distance_queries.embeddings.weighted_hamming.error_bound",
    "papers.distance_queries.embeddings.weighted_hamming._tail",
)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("beta", [0.05, 0.9])
@pytest.mark.parametrize("k", [1, 7, None])
def test_weighted_hamming_by_impulses(delta, beta, k):
    """All answers there are, one by one: the worst of k has beta / k, exactly or by Chernoff."""
    sizes, weights = (2, 3, 4), (1.0, 2.0, 0.5)
    params = weighted_hamming.Params(
        n=30, sizes=sizes, weights=weights, epsilon=1.0, delta=delta, beta=beta
    )
    data = np.column_stack([np.arange(30) % s for s in sizes])
    shares, law = laws.response(lambda probe: weighted_hamming.release(data, params, probe).shares)
    blocks = np.split(shares, np.cumsum(sizes)[:-1])
    rows = [
        -sum(w * block[c] for w, block, c in zip(weights, blocks, query, strict=True))
        for query in itertools.product(*map(range, sizes))
    ]
    bound, k = weighted_hamming.error_bound(params, k=k), k or len(rows)
    exact = max(laws.tail(row[np.abs(row) > 1e-12], bound, law) for row in rows)
    assert exact <= beta / k * (1 + 1e-5)
    if delta:
        assert exact == pytest.approx(beta / k, rel=1e-6)
    else:
        most = max(laws.chernoff_tail(row, bound, law) for row in rows)
        assert 0.97 * beta / k <= 2 * most <= beta / k * (1 + 1e-6)


class Doubled(Linear):
    """A map of which one record changes two rows."""

    sensitivity = 2


@second(
    "papers.distance_queries.embeddings.any_metric.error_bound",
    "papers.distance_queries.embeddings.any_metric._noise_bound",
)
@pytest.mark.parametrize("moved", [1, 2])
@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_the_two_parts_of_a_release_for_any_metric(moved, scale):
    """Noise: impulses through the map, at the worst corner, times the scale. Map: all pairs."""
    kind = Linear if moved == 1 else Doubled
    plane, one = norm(np.zeros(2), np.ones(2), unit=False), linear(np.eye(2), 0, 1)
    embedding = kind(**{name: getattr(one, name) for name in one.__dataclass_fields__})
    params = any_metric.Params(
        n=50, metric=plane, embedding=embedding, epsilon=1.0, delta=1e-6, scale=scale, cells=8,
        method="average_sign",
    )  # fmt: skip
    data = np.tile([0.5, 0.5], (50, 1))
    matrix, law = laws.response(lambda probe: any_metric.release(data, params, probe).curves.values)
    noise = matrix.reshape(2, 9, -1)
    rows = (noise[0][:, None] + noise[1][None]).reshape(81, -1)
    corner = scale * rows[np.argmax(np.linalg.norm(rows, axis=1))]
    queries, distances = [[0.1, 0.2], [0.3, 0.3], [0.9, 0.4]], np.linspace(0, math.sqrt(2), 50)
    for ratios in ((0.6, 1.3), (0.9, 1.3), (1.0, 1.0)):
        inside, privacy = any_metric.error_bound(params, queries=queries, ratios=ratios)
        gaps = [abs(r * d - d) for r in np.linspace(*ratios, 50) for d in distances]
        assert inside == pytest.approx(max(gaps))
    level = privacy - scale * curves.resolution(params.inner)
    assert 3 * laws.tail(corner, level, law) == pytest.approx(params.beta, rel=1e-6)


@second("papers.distance_queries.embeddings.any_metric.error_bound")
def test_the_map_of_listed_points_by_all_pairs():
    rng = np.random.default_rng(1)
    table = rng.uniform(1, 2, size=(6, 6))
    table = np.triu(table, 1) + np.triu(table, 1).T
    table /= table.max()
    metric = finite(table)
    embedding = frechet.Params(metric=metric, queries=[0, 2, 5], subsets=3).draw(rng=0)
    for method in (None, "offline"):
        params = any_metric.Params(
            n=5000, metric=metric, embedding=embedding, epsilon=1.0, scale=2.5, method=method
        )
        found = any_metric.error_bound(params, queries=[0, 2, 5])
        images = params.embedding.map(range(6))
        worst = 0.0
        for point, query in itertools.product(range(6), (0, 2, 5)):
            embedded = sum(abs(a - b) for a, b in zip(images[point], images[query], strict=True))
            worst = max(worst, abs(2.5 * embedded - table[point, query]))
        assert found[0] == pytest.approx(worst)
    inner = {name: getattr(params.inner, name) for name in ("n", "d", "lower", "upper")}
    assert found[1] == pytest.approx(
        2.5 * offline.error_bound(offline.Params(epsilon=1.0, **({"lower": 0, "upper": 1} | inner)))
    )


def gradient(function, size):
    """Length of the gradient of a function of ``size`` normal numbers, at three random places."""
    rng, step, most = np.random.default_rng(3), 1e-6, 0.0
    for _ in range(3):
        at = rng.standard_normal(size)
        shifts = step * np.eye(size)
        slopes = [(function(at + shift) - function(at - shift)) / (2 * step) for shift in shifts]
        most = max(most, float(np.linalg.norm(slopes)))
    return most


def concentrated(slope, chance):
    """Where the tail of a normal number of this deviation, by Chernoff, is ``chance``."""
    entry = np.array([slope])
    return optimize.brentq(
        lambda x: laws.chernoff_tail(entry, x, "gaussian") / chance - 1, 0, 60 * slope
    )


def projected(target):
    """Embedded length of a unit vector, as a function of the target's normal numbers."""
    return lambda g: math.sqrt(math.pi / 2) * np.abs(g).mean()


@second("papers.distance_queries.embeddings.johnson_lindenstrauss.error_bound")
@pytest.mark.parametrize("k", [1, 500])
@pytest.mark.parametrize("beta", [0.05, 0.9])
def test_gaussian_projections_concentrate(k, beta):
    """Mean 1; a gradient by differences; two sides of k averages have beta for such a function.

    Concentration knows the gradient, not the variance: at most sqrt(pi / (pi - 2)) = 1.66 of a
    single distance's own deviation, times Chernoff's inequality: 1.9 in all for k = 500.
    """
    target, d = 400, 10
    params = johnson_lindenstrauss.Params(d=d, target=target, beta=beta, lower=0, upper=1)
    bound = johnson_lindenstrauss.error_bound(params, k=k)
    slope = gradient(projected(target), target)
    share = 2 * k * laws.chernoff_tail(np.array([slope]), bound, "gaussian")
    assert share == pytest.approx(beta, rel=1e-3)
    rng = np.random.default_rng(0)
    drawn = np.abs(rng.standard_normal((4000, target))).mean(axis=1) * math.sqrt(math.pi / 2)
    assert drawn.mean() == pytest.approx(1, abs=5 * drawn.std() / math.sqrt(len(drawn)))
    one = stats.norm.isf(beta / (2 * k)) * drawn.std()
    assert one <= bound
    if k == 500 and beta == 0.05:
        assert bound / one == pytest.approx(1.9, rel=0.07)


def everywhere(d, target, beta):
    """Mean of the largest distortion, by symmetrisation, and its concentration, beta / 2 a side."""
    mean = 2 * math.sqrt(math.pi / 2) * math.sqrt(d / target)
    return mean + concentrated(gradient(projected(target), target), beta / 2)


@second("papers.distance_queries.embeddings.johnson_lindenstrauss.error_bound")
@pytest.mark.parametrize(("d", "target"), [(2, 100), (50, 100), (1, 10)])
@pytest.mark.parametrize("beta", [0.05, 0.9])
def test_projections_of_all_of_space(d, target, beta):
    """sqrt(l' d) stands for the mean length of a sum of l' signed normal vectors, simulated.

    In the plane the largest distortion itself: the mean is 4.8 of it (symmetrisation).
    """
    params = johnson_lindenstrauss.Params(d=d, target=target, beta=beta, lower=0, upper=1)
    bound = johnson_lindenstrauss.error_bound(params)
    assert bound == pytest.approx(everywhere(d, target, beta), rel=1e-6)
    rng = np.random.default_rng(0)
    mean = bound - concentrated(gradient(projected(target), target), beta / 2)
    sums = np.linalg.norm(rng.standard_normal((20_000, d)) * math.sqrt(target), axis=1)
    granted = 2 * math.sqrt(math.pi / 2) * sums.mean() / target
    assert granted <= mean * 1.01 and (d < 50 or granted == pytest.approx(mean, rel=0.02))
    if d == 2:
        angles = np.linspace(0, math.pi, 60, endpoint=False)
        units = np.array([np.cos(angles), np.sin(angles)])
        drawn = rng.standard_normal((1000, target, 2)) @ units
        lengths = np.abs(drawn).mean(axis=1) * math.sqrt(math.pi / 2)
        excess = (lengths - 1).max(axis=1).mean()
        assert excess <= mean and mean / excess == pytest.approx(4.84, rel=0.1)


@second("papers.distance_queries.embeddings.johnson_lindenstrauss.joint_sensitivity")
@pytest.mark.parametrize(("target", "ratio"), [(2, 1.14), (40, 1.22)])
def test_no_two_records_are_farther_apart(target, ratio):
    """All differences of corners: the certificate is above, by no more than was counted."""
    params = johnson_lindenstrauss.Params(d=3, target=target, upper=(1.0, 2.0, 0.5), lower=0)
    embedding = params.draw(rng=4)
    most = max(
        np.abs(embedding.matrix @ (np.array(signs) * [1.0, 2.0, 0.5])).sum()
        for signs in itertools.product((-1, 1), repeat=3)
    )
    certificate = johnson_lindenstrauss.joint_sensitivity(embedding)
    assert most <= certificate * (1 + 1e-12)
    assert certificate / most == pytest.approx(ratio, rel=0.12)


@second("papers.distance_queries.embeddings.p_stable.error_bound")
@pytest.mark.parametrize(("d", "target", "ratio"), [(10, 4000, 1.1), (10, 60, 1.36), (2, 500, 1.1)])
@pytest.mark.parametrize("k", [1, 100])
def test_importance_sampled_projections_by_their_worst_law(d, target, ratio, k):
    """A projection's share is d with chance 1 / d, else 0: the whole range, the largest variance.

    Sums of these are binomial: the exact tail has beta / k. ``ratio``: Bernstein's inequality.
    """
    params = p_stable.Params(d=d, target=target, p=1.1, lower=0, upper=1)
    bound = p_stable.error_bound(params, k=k)
    law = stats.binom(target, 1 / d)

    def passed(a):
        high = np.floor(target / d * (1 + a) * (1 + 1e-12))
        low = np.ceil(target / d * (1 - a) * (1 - 1e-12))
        return law.sf(high) + law.cdf(low - 1)

    assert k * passed(bound) <= params.beta
    if k > 1:
        places = np.linspace(0, bound, 2001)
        exact = places[np.argmax(k * passed(places) <= params.beta)]
        assert bound / exact == pytest.approx(ratio, rel=0.12)
    plain = replace(params, method="plain")
    assert p_stable.error_bound(plain, k=k) == math.inf
    normal = p_stable.error_bound(replace(plain, p=2.0), k=k)
    slope = gradient(projected(target), target)
    share = 2 * k * laws.chernoff_tail(np.array([slope]), normal, "gaussian")
    assert share == pytest.approx(params.beta, rel=1e-3)


def separation():
    """Least chance that a set misses 2^(i-1) - 1 points and meets 2^(i-2) others, over scales i.

    Each point is in with probability 2^(1-i).
    """
    chances = []
    for i in range(2, 40):
        p = 2.0 ** (1 - i)
        missed = math.exp((2 ** (i - 1) - 1) * math.log1p(-p))
        chances.append(missed * -math.expm1(2 ** (i - 2) * math.log1p(-p)))
    return min(chances)


@second("papers.distance_queries.embeddings.frechet.contraction_bound")
@pytest.mark.parametrize("k", [2, 38, 64])
def test_random_sets_contract_by_so_much(k):
    """Chances of a set counted for every scale; the binomial tail of K of them, exactly.

    Steps t_i - t_(i-1) from 0 to d / 2: half of q K sets at each scale, of weight 1 / (K L).
    """
    q, subsets, pairs = separation(), 20_000, 3
    embedding = frechet.Params(
        metric=norm([0.0], [1.0]), queries=[[i / k] for i in range(k)], subsets=1
    ).draw(rng=0)
    levels = int(embedding.levels.max())
    assert 2**levels > k, "at the last scale two disjoint balls would hold too many queries"
    rng = np.random.default_rng(0)
    steps = np.diff(np.sort(rng.uniform(0, 0.5, levels - 1)), prepend=0.0, append=0.5)
    least = sum(step * q / 2 / levels for step in steps)
    contraction, failure = frechet.contraction_bound(k, subsets, pairs=pairs)
    assert contraction == pytest.approx(1 / least, rel=1e-5)
    # the first scale gives its step surely: pairs times the other scales, each a binomial tail
    exact = stats.binom.logcdf(math.ceil(q * subsets / 2) - 1, subsets, q)
    granted = math.log(failure / (pairs * (levels - 1)))
    assert exact <= granted and granted / exact == pytest.approx(1, abs=0.02)
    one, two = (frechet.contraction_bound(k, sets, pairs=pairs)[1] for sets in (300, 600))
    assert one**2 / two == pytest.approx(pairs * (levels - 1)), "the union, whatever the exponent"


@second(
    "papers.distance_queries.embeddings.euclidean.error_bound",
    "papers.distance_queries.embeddings.euclidean.distortion_bound",
    "papers.distance_queries.embeddings.euclidean.privacy_bound",
)
@pytest.mark.parametrize("target", [5, 300])
@pytest.mark.parametrize("beta", [0.05, 0.9])
def test_euclidean_distances_by_thirds_of_beta(target, beta):
    """Map, width of its box and mechanism have beta / 3; widths are simulated besides."""
    widths = np.array([1.0, 3.0])
    public = {"n": 10**5, "k": 50, "epsilon": 1.0, "delta": 1e-6}
    params = euclidean.Params(
        **public, d=2, lower=(0.0, 0.0), upper=tuple(widths), beta=beta, target=target
    )
    distorted = math.sqrt(10) * everywhere(2, target, beta / 3)
    assert euclidean.distortion_bound(params) == pytest.approx(distorted, rel=1e-6)

    def total(g):
        return math.sqrt(math.pi / 2) / target * (np.abs(g.reshape(-1, 2)) @ widths).sum()

    width = 4.0 + concentrated(gradient(total, 2 * target), beta / 3)
    drawn = params.draw(rng=1)
    assert drawn.beta == pytest.approx(beta / 3)
    plan = l1.Params(lower=0, upper=1, **public, d=target, beta=drawn.beta).plan
    privacy = euclidean.privacy_bound(params)
    assert privacy == pytest.approx(width * plan.error, rel=1e-6)
    assert euclidean.error_bound(params) == pytest.approx(distorted + privacy)
    rng = np.random.default_rng(2)
    sizes = np.abs(rng.standard_normal((4000, target, 2))) @ widths
    wide = np.mean(sizes.mean(axis=1) * math.sqrt(math.pi / 2) > privacy / plan.error)
    assert wide <= beta / 3 + laws.spread(beta / 3, 4000)


class Seen:
    """In a curator's place: adds unit noise in one coordinate, seen through the factor."""

    composition, ledger = "basic", ()

    def __init__(self, i=None):
        self.i = i

    def gaussian(self, value, *, sensitivity, epsilon, delta, factor, label):
        self.size, self.scale = len(value), sensitivity * laws.gaussian_unit(epsilon, delta)
        noise = np.zeros(len(value))
        if self.i is not None:
            noise[self.i] = self.scale
        return factor @ (value + noise)


def field_noise(params, data, queries):
    """Matrix from standard noise to the answers, by impulses; answers are far from their ends."""
    plain = Seen()
    clean = negative_type.release(data, params, plain, queries=queries).answers
    rows = [
        negative_type.release(data, params, Seen(i), queries=queries).answers - clean
        for i in range(plain.size)
    ]
    return np.transpose(rows)


def needed_level(count, chance):
    """t with count exp(-t^2 / 2) = chance."""
    return optimize.brentq(lambda t: math.log(count) - t * t / 2 - math.log(chance), 0, 200)


@second("papers.distance_queries.embeddings.negative_type.error_bound")
@pytest.mark.parametrize("method", ["levy", "directions"])
@pytest.mark.parametrize("k", [1, 40])
def test_a_field_s_worst_answer_by_impulses(method, k):
    """Corners of a box have the largest variance; there the exact tail is beta / k.

    And the sensitivity, from the same matrix: (answers of two records)' (noise noise')^(-1) is at
    most one noise's square over n^2; opposite corners come within a tenth of that.
    """
    plane = norm(np.zeros(2), np.array([3.0, 4.0]), unit=False)
    params = negative_type.Params(
        n=60, metric=plane, epsilon=1.0, delta=1e-6, beta=0.2, method=method
    )
    ends = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 4.0], [3.0, 0.0], [1.5, 2.0]])
    grid = np.vstack([ends, np.random.default_rng(1).uniform(0, 1, (60, 2)) * [3.0, 4.0]])
    noise = field_noise(params, np.tile([1.5, 2.0], (60, 1)), grid)
    worst = max(noise[:5], key=np.linalg.norm)
    bound = negative_type.error_bound(params, k=k)
    assert k * laws.tail(worst, bound, "gaussian") == pytest.approx(params.beta, rel=1e-4)
    apart = np.linalg.norm(grid[:, None] - ends[:2], axis=2) / params.n
    moved = np.linalg.solve(noise, apart[:, 0] - apart[:, 1])
    unit = laws.gaussian_unit(1.0, 1e-6)
    assert 0.9 <= np.linalg.norm(moved) * unit <= 1


@second(
    "papers.distance_queries.embeddings.negative_type.error_bound",
    "papers.distance_queries.embeddings.negative_type._union",
)
@pytest.mark.parametrize("method", ["levy", "directions"])
@pytest.mark.parametrize("beta", [0.05, 0.6])
def test_a_field_s_largest_answer_by_its_chain_of_grids(method, beta):
    """Standard deviations of the first centers and of steps are read off the noise at a query.

    Counts and shares of beta as in the proof, each level's t by root finding, for every first
    grid; steps of all levels shrink by sqrt 2, which the noise confirms.
    """
    side = 0.5**0.5
    square = norm(np.zeros(2), np.full(2, side), unit=False)
    params = negative_type.Params(
        n=200, metric=square, epsilon=1.0, delta=1e-6, beta=beta, method=method
    )
    middle = side / 2
    steps = [middle + side / 2 ** (j + 2) for j in range(3)]  # one level down
    steps = [(s, s) for s in steps]
    queries = np.array([[middle, middle], *steps, [0.0, 0.0]])
    noise = field_noise(params, np.tile([middle, middle], (200, 1)), queries)
    assert params.beta == beta
    start = np.linalg.norm(noise[-1])
    sizes = [np.linalg.norm(noise[1 + j] - noise[0]) for j in range(3)]
    if method == "levy":
        assert sizes[1:] == pytest.approx([s / 2**0.5 for s in sizes[:-1]], rel=1e-3)
    largest = max(size * 2 ** (j / 2) for j, size in enumerate(sizes))
    share = 0.999 * beta
    tried = []
    for first in range(12):
        total = start * needed_level(4.0**first, share / 2)
        for j in range(first, 60):
            chance = share / 2 ** (j - first + 2)
            total += largest * 2 ** (-j / 2) * needed_level(4.0 ** (j + 1), chance)
        tried.append(total)
    rare = 1e-3 * start * needed_level(4096.0, 1e-3 * beta)
    bound = negative_type.error_bound(params)
    assert min(tried) + rare <= bound * (1 + 1e-4)
    assert bound <= (min(tried) + rare) * (1.001 if method == "levy" else 1.2)


@second(
    "papers.distance_queries.embeddings.negative_type.error_bound",
    "papers.distance_queries.embeddings.negative_type.records_needed",
)
def test_a_field_of_a_table_covers_all_of_its_points():
    """A path of five points: union over the five; the records by trying one n after another."""
    table = finite(np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0))))
    params = negative_type.Params(n=100, metric=table, epsilon=1.0, delta=1e-6, beta=0.1)
    noise = field_noise(params, np.full(100, 2), table.points)
    worst = max(noise, key=np.linalg.norm)
    bound = negative_type.error_bound(params)
    assert 5 * laws.tail(worst, bound, "gaussian") == pytest.approx(0.1, rel=2e-3)
    size = 1
    while 5 * laws.tail(worst * 100 / size, 0.5, "gaussian") > 0.1:
        size += 1
    assert abs(negative_type.records_needed(params) - size) <= 1
