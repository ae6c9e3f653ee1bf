"""Levy's field and that of directions: sensitivity, noise, bounds, refusals, the nearest table."""

import contextlib
import copy
import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier, BrokenBarrierError

import numpy as np
import pytest
from scipy import stats

from dpviz.lessons.embedding import experiments
from dpviz.papers.distance_queries.embeddings import johnson_lindenstrauss, metrics
from dpviz.papers.distance_queries.embeddings import negative_type as field
from dpviz.papers.distance_queries.embeddings.negative_type import Params
from dpviz.papers.distance_queries.releases import anchored, curves, haar_wavelet
from dpviz.privacy.curator import Curator
from dpviz.sweeps.sweep import sweep

PRICE = {"epsilon": 1.0, "delta": 1e-6}
K23 = metrics.shortest_paths(
    [[a, b] for a in (0, 1) for b in (2, 3, 4)], ["a", "b", "x", "y", "z"], unit=False
)


def box(d, p=2.0, **how):
    return metrics.norm(np.zeros(d), np.ones(d), p, **how)


def settings(p=2.0):
    """Boxes of 1 to 20 coordinates; a long one; one in other units."""
    yield from (box(d, p) for d in (1, 2, 3, 5, 20))
    yield metrics.norm([-1.0, 3.0, 0.0], [4.0, 3.5, 0.1], p, unit=False)


def some_points(metric, size, rng):
    """In a box: at random, its corners, its middle. In a table: all."""
    if isinstance(metric, metrics.Table):
        return metric.points
    lower, upper = np.array(metric.box.lower), np.array(metric.box.upper)
    corners = rng.choice([0.0, 1.0], (20, len(lower)))
    unit = np.vstack([rng.uniform(size=(size, len(lower))), corners, 1 - corners])
    return np.vstack([lower + unit * (upper - lower), (lower + upper) / 2])


def squared_moves(params, points):
    """v' K^(-1) v for all pairs of records among points, v seen through queries there."""
    covariance = params.field.covariance(points, points)
    floor = field.JITTER * params.field.variance * np.eye(len(points))
    factor = np.linalg.cholesky(covariance + floor)
    white = np.linalg.solve(factor, params.metric.distances(points, points).T)
    inner = white.T @ white
    own = np.diag(inner)
    return own[:, None] + own - 2 * inner


def trees(rng):
    """A random tree of 25 points with random lengths."""
    ties = [[i, int(rng.integers(i))] for i in range(1, 25)]
    return metrics.shortest_paths(ties, [str(i) for i in range(25)], rng.uniform(0.1, 1, 24))


def cuts(rng):
    """Cuts of 20 points with random weights."""
    sides = rng.choice([0, 1], (30, 20))
    weights = rng.exponential(size=30)
    return metrics.finite(np.einsum("c,cij->ij", weights, sides[:, :, None] != sides[:, None]))


# What a record moves


@pytest.mark.parametrize("p", [1.0, 1.3, 2.0])
def test_no_record_moves_the_whole_function_by_more_and_some_move_it_by_all(p):
    """Levy's field: S is attained by opposite corners, seen at the two and the middle.

    Statements: lesson Theorem 4.10.
    """
    rng = np.random.default_rng(1)
    for metric in settings(p):
        params = Params(n=9, metric=metric, method="levy", **PRICE)
        moved = squared_moves(params, some_points(metric, 80, rng)).max()
        squared = params.field.sensitivity**2
        assert squared == pytest.approx(2 * metric.diameter)
        assert 0.999 * squared <= moved <= squared * (1 + 1e-9)


@pytest.mark.parametrize(("d", "attained"), [(1, 0.999), (2, 0.94), (3, 0.92), (4, 0.91), (5, 0.9)])
def test_nor_with_directions_which_pay_for_a_little_more_than_queries_can_see(d, attained):
    """Seen through 290 points of the box; S is for the ball around it, and all directions."""
    rng = np.random.default_rng(2)
    params = Params(n=9, metric=box(d), method="directions", **PRICE)
    points = some_points(params.metric, 250, rng)
    moved = squared_moves(params, points).max() / params.field.sensitivity**2
    assert attained <= moved <= 1 + 1e-9


def test_directions_are_those_of_random_lines():
    """c_d |x - y| / 2 is how often a random line's point separates x and y; and the flat part.

    400,000 lines in the plane and in space, six standard errors.
    """
    for d in (2, 3):
        rng = np.random.default_rng(d)
        u = rng.standard_normal((400_000, d))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        t = rng.uniform(-1, 1, 400_000)
        side = 2 / math.sqrt(d)  # of a box of radius 1
        metric = metrics.norm(np.full(d, -side / 2), np.full(d, side / 2), unit=False)
        made = field._directions(metric)
        x, y = rng.uniform(-side / 2, side / 2, (2, d))
        signs = [np.sign(t - u @ z) for z in (x, y)]
        flat = [-u @ z for z in (x, y)]  # mean of the sign over t
        rest = [s - m for s, m in zip(signs, flat, strict=True)]
        drawn = (
            2 * (flat[0] * flat[1] + made.share * rest[0] * rest[1]) * field._crofton(d) ** 2 / 4
        )
        error = drawn.std() / math.sqrt(len(drawn))
        assert abs(drawn.mean() - made.covariance(x[None], y[None])[0, 0]) < 6 * error
        measured = metric.diameter / 2 - np.mean(signs[0] * signs[1])
        assert field._crofton(d) * measured == pytest.approx(np.linalg.norm(x - y), abs=0.02)


@pytest.mark.parametrize("make", [trees, cuts])
def test_trees_and_cuts_need_no_embedding(make):
    for seed in range(5):
        metric = make(np.random.default_rng(seed))
        params = Params(n=50, metric=metric, **PRICE)
        moved = squared_moves(params, metric.points).max()
        assert 0.999 <= moved / params.field.sensitivity**2 <= 1 + 1e-9


# What an answer costs


def ratio(metric, method=None):
    params = Params(n=50, metric=metric, method=method, **PRICE)
    return field.worst_sd(params) / field.single_query_sd(params)


def test_every_answer_has_less_than_twice_the_noise_of_the_worst_single_one():
    """sqrt(10) / 2 in every dimension; by directions less up to five, and more from six on.

    Statements: lesson Theorem 4.10; lesson Theorem 4.11.
    """
    assert [round(ratio(box(d)), 2) for d in (1, 2, 3, 4, 5, 6, 30)] == [
        1.0,
        1.2,
        1.33,
        1.44,
        1.53,
        1.58,
        1.58,
    ]
    for d in (1, 2, 3, 8):
        assert ratio(box(d), "levy") == pytest.approx(math.sqrt(10) / 2, rel=1e-6)
        white = math.sqrt(field._crofton(d))  # all with the same variance
        assert ratio(box(d), "directions") <= white * (1 + 1e-6)
    assert ratio(box(3, 1.5)) == pytest.approx(math.sqrt(10) / 2, rel=1e-6)


def test_a_level_of_half_the_radius_is_the_best_one():
    """The worst variance over queries at R from the center, for other a^2."""
    far = np.linspace(0, 1, 101)
    pairs = [(a, b) for a in far for b in far if a >= b]
    for level in np.linspace(0.1, 3, 59):
        moved = max((a - b) ** 2 / level + 2 * (a + b) for a, b in pairs)
        assert moved * (level + 2) >= 10 - 1e-12


def test_any_metric_of_negative_type_costs_at_most_twice_the_root_of_two_less_one():
    """2 sqrt(2) - 1 = 1.83: Jung's theorem in the Hilbert space; trees, cuts and random tables."""
    rng = np.random.default_rng(5)
    spread = [make(np.random.default_rng(seed)) for seed in range(4) for make in (trees, cuts)]
    for size in (3, 8, 40):
        points = rng.standard_normal((size, 6))
        squares = ((points[:, None] - points) ** 2).sum(axis=2)  # of negative type, not metric
        spread.append(metrics.Table(tuple(map(str, range(size))), squares / squares.max()))
    for metric in spread:
        assert 1 - 1e-9 <= ratio(metric) <= 1.835


@pytest.mark.parametrize("size", [2, 3, 10, 200])
def test_of_equal_distances_it_is_the_best_gaussian_noise(size):
    """By symmetry the best covariance is u I + v 11', so K(y, y) S >= 2 (1 - 1 / N)."""
    equal = metrics.finite(1 - np.eye(size))
    assert ratio(equal) ** 2 == pytest.approx(2 * (1 - 1 / size), rel=1e-3)


def test_no_gaussian_noise_in_the_plane_is_below_the_floor():
    """The trace of the square root over 600 points of the circle, for a grid of shares p.

    Statements: lesson Theorem 4.11.
    """
    angles = np.arange(600) * 2 * math.pi / 600
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    apart = np.linalg.norm(circle[:, None] - circle, axis=2)
    antipodes = apart - np.roll(apart, 300, axis=0)
    centred = apart - apart.mean(axis=0)
    best = 0.0
    for share in np.linspace(0, 1, 41):
        second = share * antipodes.T @ antipodes + (1 - share) * 2 * centred.T @ centred
        sizes = np.linalg.eigvalsh(second / 600**2).clip(0)
        best = max(best, np.sqrt(sizes).sum())
    assert best / 2 == pytest.approx(field.least_ratio(2), rel=2e-3)
    for d in (1, 2, 3, 5, 30):
        assert field.least_ratio(d) <= ratio(box(d)) + 1e-9


def test_the_anchored_release_of_lesson_03_is_levy_s_field_of_the_l1_distance():
    """The same standard deviation at every grid point: nothing more is to be had there."""
    params = curves.Params(n=40, d=3, cells=8, diameter=3.0, lower=0, upper=1, **PRICE)
    grid = np.array(list(itertools.product(np.arange(9) / 8, repeat=3)))
    mine = field.standard_deviation(
        Params(n=40, metric=box(3, 1.0, unit=False), method="levy", **PRICE), grid
    )
    assert anchored.standard_deviation(params, grid) == pytest.approx(mine, rel=1e-5)


# What is released


def test_one_by_one_in_blocks_and_at_once_are_the_same_draws():
    rng = np.random.default_rng(3)
    params = Params(n=200, metric=box(3), **PRICE)
    data, y = rng.uniform(size=(200, 3)), rng.uniform(size=(40, 3))
    asked = np.vstack([y, y[:5], y[7:8]])
    released = field.release(data, params, Curator(rng=4, **PRICE), queries=asked)
    at_once = field.answer(released, asked)
    single = field.Interactive(data, params, Curator(rng=4, **PRICE))
    singles = [single.answer(query).value for query in asked]
    blocks = field.Interactive(data, params, Curator(rng=4, **PRICE))
    halves = np.concatenate([blocks.answer_all(part)[0] for part in (asked[:9], asked[9:])])
    assert singles == pytest.approx(at_once, abs=1e-9)
    assert halves == pytest.approx(at_once, abs=1e-9)
    assert single.answer(y[0]).kind == "measured"
    assert singles[:5] == singles[40:45], "asked again, answered the same"


def interactive():
    params = Params(n=20, metric=metrics.norm([0, 0], [1, 1]), epsilon=1.0, delta=1e-6)
    data = np.random.default_rng(8).random((20, 2))
    return field.Interactive(data, params, params.curator(rng=9))


def test_a_query_has_one_noise_in_all_threads(monkeypatch):
    """Two draws at one place would be averaged; so threads meet where they would both draw."""
    meeting, exact = Barrier(2), field._averages

    def averages(*how):
        with contextlib.suppress(BrokenBarrierError):
            meeting.wait(0.2)
        return exact(*how)

    monkeypatch.setattr(field, "_averages", averages)
    asked = interactive()
    with ThreadPoolExecutor(2) as pool:
        answers = pool.map(lambda _: asked.answer([0.3, 0.4]).value, range(2))
    assert len(set(answers)) == 1
    assert meeting.broken


def test_an_interactive_field_has_no_twin_that_draws_anew():
    with pytest.raises(TypeError, match="twin would have the same noise"):
        copy.copy(interactive())


def test_an_interrupt_after_the_draw_leaves_later_answers_at_their_places(monkeypatch):
    asked, other = interactive(), interactive()
    extend = asked._extend
    monkeypatch.setattr(asked, "_extend", lambda points: (extend(points), 1 / 0))
    with pytest.raises(ZeroDivisionError):
        asked.answer([0.3, 0.4])
    monkeypatch.undo()
    other.answer([0.3, 0.4])
    assert asked.answer([0.9, 0.1]) == other.answer([0.9, 0.1])


@pytest.mark.parametrize("method", ["levy", "directions"])
def test_the_noise_has_this_covariance(method):
    """2,000 releases: each variance and each variance of a difference, 1e-6 for each."""
    params = Params(n=2000, metric=box(2), method=method, **PRICE)
    y = np.array([[0.5, 0.5], [0.45, 0.55], [0.0, 0.0], [1.0, 0.2], [0.3, 0.9]])
    data = np.tile([0.4, 0.4], (2000, 1))
    draws = [
        field.release(data, params, Curator(rng=seed, **PRICE), queries=y).answers
        for seed in range(2000)
    ]
    noise = np.array(draws) - field.truth(data, y, params)
    scale = params.field.sensitivity * params.unit / params.n
    exact = scale**2 * params.field.covariance(y, y)
    low, high = stats.chi2.interval(1 - 1e-6, 2000)
    assert field.standard_deviation(params, y) ** 2 == pytest.approx(np.diag(exact), rel=1e-5)
    for i, j in itertools.combinations(range(5), 2):
        for sign in (0, 1):
            found = ((noise[:, i] - sign * noise[:, j]) ** 2).sum()
            true = exact[i, i] + sign * (exact[j, j] - 2 * exact[i, j])
            assert low <= found / true <= high


def test_a_tree_and_its_answers():
    """No noise to speak of: answers are exact, as codes, and for queries of the release alone."""
    metric = trees(np.random.default_rng(0))
    params = Params(n=30, metric=metric, epsilon=1e9, delta=0.5)
    data = np.random.default_rng(1).integers(0, 25, 30)
    released = field.release(data, params, params.curator(rng=1), queries=[3, 3, 7])
    exact = metric.distances(data, [7, 3]).mean(axis=0)
    assert field.answer(released, [7, 3]) == pytest.approx(exact, abs=1e-4)
    with pytest.raises(ValueError, match="queries must be among those"):
        field.answer(released, [8])


# Bounds


@pytest.mark.parametrize(("d", "method"), [(2, "directions"), (2, "levy"), (10, "levy")])
def test_the_bound_for_k_queries_holds_and_is_close(d, method):
    """400 runs of 50 queries at a beta of 0.2; false alarm 1e-6."""
    params = Params(n=500, metric=box(d), method=method, beta=0.2, **PRICE)
    rng = np.random.default_rng(6)
    data, y = (
        rng.uniform(size=(500, d)),
        rng.choice([0.0, 1.0], (50, d)) * rng.uniform(size=(50, d)),
    )
    runs = [field.trial(params, data, y, rng=seed) for seed in range(400)]
    missed = sum(run["error"] > run["bound"] for run in runs)
    assert missed <= stats.binom.isf(1e-6, 400, params.beta)
    assert runs[0]["bound"] <= 1.6 * np.quantile([run["error"] for run in runs], 0.8)


def climb(machine, truth, rng, rounds):
    """The worst error that an analyst meets who asks near the worst place so far."""
    y = rng.uniform(size=(20, 2))
    worst = 0.0
    for step in range(rounds):
        gaps = np.abs(machine.answer_all(y)[0] - truth(y))
        worst = max(worst, gaps.max())
        y = np.clip(y[gaps.argmax()] + rng.normal(size=(10, 2)) * 0.5 ** (step % 6), 0, 1)
    return worst


def test_the_bound_for_all_queries_holds_against_an_analyst_who_looks_for_large_noise():
    """300 analysts at a beta of 0.3, who know the truth; false alarm 1e-6.

    What they find is more than as many queries chosen beforehand would meet.
    """
    params = Params(n=500, metric=box(2), beta=0.3, **PRICE)
    rng = np.random.default_rng(7)
    data = np.full((500, 2), 0.5)
    truth = lambda y: field.truth(data, y, params)  # noqa: E731
    found = [
        climb(
            field.Interactive(data, params, Curator(rng=seed, **PRICE)),
            truth,
            np.random.default_rng([8, seed]),
            6,
        )
        for seed in range(300)
    ]
    everywhere = field.error_bound(params)
    assert sum(error > everywhere for error in found) <= stats.binom.isf(1e-6, 300, params.beta)
    beforehand = [
        field.trial(params, data, rng.uniform(size=(70, 2)), rng=seed)["error"]
        for seed in range(300)
    ]
    assert np.median(found) > np.median(beforehand)


@pytest.mark.parametrize("method", ["levy", "directions"])
@pytest.mark.parametrize(("d", "side", "most"), [(1, 400, 2.4), (2, 31, 2.5), (3, 10, 2.75)])
def test_the_bound_for_all_queries_is_at_most_so_much_above_a_fine_grid_s_largest(
    method, d, side, most
):
    """2,000 draws of the field; its largest value on the grid at a beta of 0.05."""
    params = Params(n=500, metric=box(d), method=method, **PRICE)
    grid = np.array(list(itertools.product(np.linspace(0, 1, side), repeat=d)))
    covariance = params.field.covariance(grid, grid) + 1e-6 * np.eye(len(grid))
    scale = params.field.sensitivity * params.unit / params.n
    white = np.random.default_rng(0).standard_normal((len(grid), 2000))
    largest = scale * np.abs(np.linalg.cholesky(covariance) @ white).max(axis=0)
    everywhere = field.error_bound(params)
    exceeded = int((largest > everywhere).sum())
    assert exceeded <= stats.binom.isf(1e-6, 2000, params.beta)
    assert everywhere <= most * np.quantile(largest, 0.95)


@pytest.mark.parametrize("d", [2, 8])
def test_the_error_falls_like_one_over_n(d):
    """Measured and proved, where Theorem 10 has 4/23 and its corrected accounting 4/9.

    Statements: HR Theorem 10 (interactive).
    """
    rng = np.random.default_rng(9)
    params = Params(n=1000, metric=box(d), **PRICE)
    grid = {"n": [1000, 10_000, 100_000, 1_000_000]}
    fixed = {"data": rng.uniform(size=(500, d)), "queries": rng.uniform(size=(50, d))}
    runs = sweep(field.trial, params, grid, repeats=30, rng=1, fixed=fixed)
    slope = runs.slope("error", rng=2)
    assert slope.low < -1 < slope.high
    assert slope.high - slope.low < 0.1
    bounds = [field.error_bound(replace(params, n=n), k=50) for n in grid["n"]]
    assert np.diff(np.log10(bounds)) == pytest.approx(-1, abs=1e-9)


def test_without_delta_projections_have_exponent_one_half_up_to_logarithms():
    """The least sum of both proved parts over the number of lines, n from 10^6 to 10^12.

    Distortion sqrt(pi ln(2 k / beta) / l'); the Haar release of l' coordinates 2 / l' wide.
    """
    k, sizes = 100, [10**j for j in (6, 8, 10, 12)]
    one = curves.Params(n=1, epsilon=1.0, d=1, cells=2**20, lower=0, upper=1)
    unit = haar_wavelet.standard_deviation(one, [0.0])[0]
    lines = np.unique(np.geomspace(1, 10**15, 400).astype(int))
    maps = [
        johnson_lindenstrauss.Params(d=2, target=int(m), beta=0.025, lower=0, upper=1)
        for m in lines
    ]
    distorted = np.array([johnson_lindenstrauss.error_bound(each, k=k) for each in maps])
    noise = unit * 2.0 * np.sqrt(lines) * math.sqrt(2 * math.log(4 * k / 0.05))
    best = [(distorted + noise / n).min() for n in sizes]
    assert np.diff(np.log10(best)) / 2 == pytest.approx(-0.5, abs=0.005)
    at = [lines[(distorted + noise / n).argmin()] for n in sizes]
    assert np.diff(np.log10(at)) / 2 == pytest.approx(1, abs=0.05)


# Refusals


def test_k_2_3_is_refused_by_name_and_so_is_what_holds_it():
    """Of negative type only if 3 d(a, b) + 4 d(x, y) <= 12 d(a, x); here 14 > 12.

    Statements: lesson Definition 4.9.
    """
    rule = r"metric must be of negative type, but with the weights 0\.55 of a, 0\.55 of b, -0\.37"
    with pytest.raises(ValueError, match=rule):
        Params(n=100, metric=K23, **PRICE)
    words = ["ab", "ba", "a", "aba", "bab"]
    table = metrics.edit(longest=3, unit=False).distances(words, words)
    assert (table == K23.table).all()
    with pytest.raises(ValueError, match=r"weights 0\.55 of ab, 0\.55 of ba"):
        Params(n=100, metric=metrics.finite(table, words), **PRICE)
    with pytest.raises(TypeError, match=r"metric must be a Table or a Norm .* not Edit"):
        Params(n=100, metric=metrics.edit(longest=3), **PRICE)
    with pytest.raises(ValueError, match="p must be at most 2, not 3"):
        Params(n=100, metric=box(3, 3.0), **PRICE)


def test_beyond_p_2_the_rule_breaks_indeed_and_below_it_does_not():
    """In three coordinates: random weights for l_4 found by eigenvalues; none for p <= 2."""
    rng = np.random.default_rng(11)
    signs = np.array(list(itertools.product([-1.0, 0.0, 1.0], repeat=3)))
    for p, broken in ((1.0, False), (1.5, False), (2.0, False), (4.0, True), (math.inf, True)):
        points = np.vstack([signs, rng.uniform(-1, 1, (40, 3))])
        table = np.linalg.norm(points[:, None] - points, p, axis=2)
        top = np.linalg.eigvalsh(table - table.mean(0) - table.mean(0)[:, None] + table.mean())[-1]
        assert (top > 1e-6) == broken


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda c: field.release([[0.5]] * 9, PARAMS, c, queries=[[0.5]]), "data must have n = 50"),
        (lambda c: field.release([[0.5]] * 50, PARAMS, c, queries=[[2.0]]), "queries"),
        (lambda c: field.release([[0.5]] * 50, PARAMS, c, queries=np.zeros((0, 1))), "queries"),
        (lambda c: field.release([[np.nan]] * 50, PARAMS, c, queries=[[0.5]]), "data must be"),
        (
            lambda c: field.release([[0.5]] * 9, replace(PARAMS, n=9), c, queries=[[0.5]]),
            "n must be at least 17, not 9",
        ),
        (lambda c: field.Interactive([[0.5]] * 9, replace(PARAMS, n=9), c), "n must be at least"),
        (
            lambda c: field.release(
                [[0.5]] * 50, PARAMS, c, queries=np.linspace(0, 1, 5000)[:, None]
            ),
            "queries must be at most 4096 different ones, not 5000: any_metric",
        ),
    ],
)
def test_what_is_refused_spends_nothing(call, rule):
    curator = Curator(rng=0, **PRICE)
    with pytest.raises(ValueError, match=rule):
        call(curator)
    assert curator.ledger.charges == ()


PARAMS = Params(n=50, metric=metrics.norm([0.0], [1.0]), **PRICE)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"delta": 0.0}, "delta must be a number with 0 < delta < 1, not 0"),
        ({"method": "lines"}, "method must be one of"),
        ({"metric": box(3, 1.0), "method": "directions"}, "method must be 'levy' unless"),
        ({"metric": metrics.finite([[0.0]])}, "metric must have two points"),
        ({"n": 0}, "n must be a whole number"),
        ({"beta": 1.0}, "beta must be"),
    ],
)
def test_bad_parameters_are_named(change, rule):
    with pytest.raises(ValueError, match=rule):
        replace(PARAMS, **change)


def test_from_the_named_number_of_records_on_the_bound_beats_a_constant():
    for metric in (box(2), box(12), K23_NEAREST):
        params = Params(n=1000, metric=metric, **PRICE)
        for k in (1, 100, None):
            needed = field.records_needed(params, k=k)
            half = metric.diameter / 2
            assert field.error_bound(replace(params, n=needed), k=k) <= half * (1 + 1e-9)
            assert field.error_bound(replace(params, n=needed - 1), k=k) > half


# The nearest table of negative type

K23_NEAREST = field.nearest(K23)


def test_the_nearest_table_of_k_2_3_is_its_projection_onto_one_inequality():
    """3 d(a, b) + 4 d(x, y) <= 12 d(a, x), by Lagrange: a step of 2 / 38.33 along its gradient."""
    step = 2 / (9 + 16 / 3 + 24)
    table = K23_NEAREST.table
    assert table[0, 1] == pytest.approx(2 - 3 * step, abs=1e-6)
    assert table[2, 3] == pytest.approx(2 - 4 / 3 * step, abs=1e-6)
    assert table[0, 2] == pytest.approx(1 + 2 * step, abs=1e-6)
    field.check_negative_type(K23_NEAREST)


def test_the_nearest_table_is_of_negative_type_and_nothing_near_it_is_nearer():
    """The novel's network; the variational inequality against 40 other tables of negative type."""
    hops = experiments.metric_space("hops").metric
    with pytest.raises(ValueError, match="and others the sum of w w d is"):
        field.check_negative_type(hops)
    near = field.nearest(hops)
    field.check_negative_type(near)
    rng = np.random.default_rng(12)
    step = hops.table - near.table
    others = [field.nearest(metrics.Table(hops.names, m)).table for m in perturbed(hops.table, rng)]
    assert max((step * (other - near.table)).sum() for other in others) <= 1e-6
    assert np.abs(field.nearest(near).table - near.table).max() < 1e-9


def perturbed(table, rng):
    for _ in range(10):
        noise = rng.normal(scale=0.05, size=table.shape)
        noise = (noise + noise.T) / 2
        np.fill_diagonal(noise, 0)
        yield np.abs(table + noise)


def test_on_the_novel_it_distorts_averages_far_less_than_random_sets_do():
    """Least squares 0.006, Frechet coordinates 0.1 to 0.2; with its noise still a tenth of that."""
    hops, records = experiments.metric_space("hops").metric, experiments.appearances()
    near = field.nearest(hops)
    exact = hops.distances(records, hops.points).mean(axis=0)
    assert np.abs(near.distances(records, near.points).mean(axis=0) - exact).max() < 0.0065
    assert np.abs(near.table - hops.table).max() < 0.075
    params = Params(n=1640, metric=near, **PRICE)
    errors = [
        np.abs(
            field.release(records, params, params.curator(rng=seed), queries=near.points).answers
            - exact
        ).max()
        for seed in range(40)
    ]
    assert np.median(errors) < 0.012  # medians of 40 of 800 draws: at most .0109


def test_what_is_near_is_a_table():
    with pytest.raises(TypeError, match="metric must be a Table, not Norm"):
        field.nearest(box(2))
    with pytest.raises(ValueError, match="steps must be"):
        field.nearest(K23, steps=0)
