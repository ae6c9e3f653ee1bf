"""Proofs to find: what is judged right is right, false claims fail, and their repairs hold."""

import importlib
import inspect
import itertools
import math

import numpy as np
import pytest
from scipy import optimize

from dpviz.exercises.answers import RIGHT, Numbers
from dpviz.exercises.faces import ExerciseFace
from dpviz.exercises.formulas import (
    CASES,
    Formula,
    Order,
    Parts,
    evaluate,
    lines_of,
    neighbours,
    uniform,
)
from dpviz.exercises.proofs import MINUTES
from dpviz.exercises.record import LESSONS
from dpviz.lessons.cluster import exercises as cluster
from dpviz.lessons.distance import exercises as distance
from dpviz.lessons.embedding import exercises as embedding
from dpviz.lessons.fat_shattering import exercises as fat
from dpviz.lessons.learner import exercises as learner
from dpviz.lessons.privacy import exercises as privacy
from dpviz.lessons.smooth import exercises as smooth
from dpviz.lessons.sparse import exercises as sparse
from dpviz.lessons.start import exercises as start
from dpviz.papers.distance_queries.learner.average_distance import AverageDistance
from dpviz.papers.sparse_queries.sparse_multiplicative_weights import size_rule
from dpviz.words import say

DRAWN = 300


def proofs():
    for lesson in LESSONS:
        module = importlib.import_module(f"dpviz.lessons.{lesson}.exercises")
        for name, make in inspect.getmembers(module, inspect.isfunction):
            if name.startswith("prove_"):
                yield pytest.param(make(), id=f"{lesson}-{name}")


ALL = list(proofs())
EACH = pytest.mark.parametrize("proof", ALL)


def parts(proof):
    answer = proof.answer
    return list(answer.parts.values()) if isinstance(answer, Parts) else [answer]


def formulas():
    for param in ALL:
        for part in parts(param.values[0]):
            if isinstance(part, Formula):
                yield pytest.param(part, id=param.id)


FORMULAS = list(formulas())


def test_every_lesson_has_one_of_each_kind():
    names = [param.id.partition("-")[0] for param in ALL]
    kinds = [(name, param.values[0].kind) for name, param in zip(names, ALL, strict=True)]
    assert sorted(kinds) == sorted(itertools.product(LESSONS, MINUTES))


@EACH
def test_steps_of_the_solution_have_marks_and_hints_are_few(proof):
    assert 4 <= proof.marks <= 10
    assert proof.solution.count("<li>") >= 3 and 1 <= len(proof.hints) <= 3
    assert all(proof.right not in hint for hint in proof.hints)


NONSENSE = ["", "|", "seven", "A A ?", "Z | 1", "1/0 | 1/0", "x" * 900, "((((", "<b>", "٣ | ٣"]


@EACH
def test_right_wrong_and_nonsense(proof):
    assert proof.check(proof.right).right
    assert not proof.check(proof.wrong).right
    for typed in NONSENSE:
        said = proof.check(typed)
        assert not said.right and 10 < len(said.lines[0]) < 600
    for part in parts(proof):
        assert part.judge(part.right) == RIGHT and part.reads(part.right)
        assert part.judge(part.wrong) != RIGHT


@EACH
def test_a_part_that_is_wrong_is_named(proof):
    if not isinstance(proof.answer, Parts):
        return
    right, wrong = proof.right.split(" | "), proof.wrong.split(" | ")
    for at, label in enumerate(proof.answer.parts):
        mixed = " | ".join([*right[:at], wrong[at], *right[at + 1 :]])
        said = proof.answer.judge(mixed)
        assert f"{label.capitalize()}: " in said and said.count(RIGHT) == len(right) - 1


# Orders ----------------------------------------------------------------------------------------

ORDERS = [
    pytest.param(part, id=param.id)
    for param in ALL
    for part in parts(param.values[0])
    if isinstance(part, Order)
]


@pytest.mark.parametrize("order", ORDERS)
def test_exactly_the_orders_that_use_lines_above_are_right(order):
    true = {line.label: line.uses for line in order.lines if not line.false}
    pairs = [(use, label) for label, uses in true.items() for use in uses]
    right = 0
    for labels in itertools.permutations(true):
        valid = all(labels.index(use) < labels.index(label) for use, label in pairs)
        assert (order.judge(" ".join(labels)) == RIGHT) == valid
        right += valid
    assert 1 <= right < math.factorial(len(true)) / 4


@pytest.mark.parametrize("order", ORDERS)
def test_a_false_line_and_a_missing_one_are_found(order):
    false = [line for line in order.lines if line.false]
    assert len(false) == 1 and false[0].reply
    assert order.judge(f"{false[0].label} {order.right}").endswith(false[0].reply)
    assert order.judge(order.right[:-2]) == say("proof.left", count=1)
    assert "uses" in order.judge(order.right[2:])
    assert order.judge(order.right.lower().replace(" ", ",")) == RIGHT


def test_lines_are_read():
    lines = lines_of("""A < B ?: two
        rows
        B ! no // why
        ? < B: x""")
    assert [line.text for line in lines] == ["two rows", "no", "x"]
    assert [line.uses for line in lines] == ["B?", "", "B"] and lines[1].reply == "why"
    with pytest.raises(AssertionError, match="no line of a proof"):
        lines_of("nothing")


# Formulas --------------------------------------------------------------------------------------


@pytest.mark.parametrize("formula", FORMULAS)
def test_slips_are_told_and_factors_are_found(formula):
    for slip, said in formula.slips.items():
        assert formula.judge(slip) == said
    for factor in ("3", "0.3"):
        said = formula.judge(f"{factor}*({formula.right})")
        assert ": at " in said and said.endswith(".")
    spelled = formula.right.replace("ε", "eps").replace("β", "beta").replace("^", "**")
    assert formula.judge(spelled) == RIGHT
    assert len(next(iter(formula.cases.values()))) == CASES


LETTERS = {"x": np.array([2.0, 3.0])}


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("2x", [4, 6]),
        ("2 (x − 1)", [2, 4]),
        ("x^2/2", [2, 4.5]),
        ("3e^0", [3, 3]),
        ("max(x, 2.5)", [2.5, 3]),
        ("√(x·x)", [2, 3]),
        ("2exp(0)", [2, 2]),
        ("1e-1x", [0.2, 0.3]),
        ("-x", [-2, -3]),
    ],
)
def test_a_formula_is_read_as_a_person_means_it(typed, values):
    assert np.allclose(evaluate(typed, LETTERS), values)


@pytest.mark.parametrize(
    "typed",
    [
        "__import__('os').getcwd()",
        "x.real",
        "[x]",
        "lambda: 1",
        "x if x else x",
        "exp(x, out=x)",
        "f(x)",
        "exp()",
        "'a'",
        "True",
        "x == 2",
        "9e999",
        "(" * 150,
        "x" * 201,
        "",
    ],
)
def test_nothing_but_a_formula_is_evaluated(typed):
    said = evaluate(typed, LETTERS)
    assert isinstance(said, str) or not np.all(np.isfinite(said))


def test_no_formula_writes_into_the_drawn_cases():
    """numpy's functions take one argument more, into which they write: E would become 0."""
    own = Formula(right="2*E", draw=uniform(E=(0.1, 9.0)))
    for typed in ("sqrt(0*E, E)", "min(0*E, 0*E, E)", "abs(0, E)"):
        assert own.judge(typed).startswith("Please type a formula")
    assert own.judge("9" * 1_000_000).startswith("Please type a formula")  # at once


# Bounds to find, by a second way ---------------------------------------------------------------


def find(module, name):
    return getattr(module, f"prove_{name}")().answer


def values(formula):
    cases = formula.cases
    return cases, evaluate(formula.right, cases)


def test_the_worst_of_several_noises():
    cases, x = values(find(start, "all_means"))
    fails = 1 - (1 - np.exp(-x / cases["b"])) ** cases["m"]
    assert np.all(fails <= cases["β"] * (1 + 1e-9)) and np.all(fails >= 0.7 * cases["β"])


def test_the_largest_share_of_truth():
    cases, p = values(find(privacy, "many_options"))
    other = (1 - p) / (cases["k"] - 1)
    assert np.allclose(np.log(p / other), cases["ε"]) and np.all(other >= 0)


def test_places_that_are_farther_apart_than_alpha():
    rng = np.random.default_rng(3)
    cases, bound = values(find(learner, "nearest_value"))
    for at in range(20):
        w, alpha = cases["w"][at], cases["α"][at]
        spread = [0.0]
        while spread[-1] + alpha * (1 + 1e-9) <= w:
            spread.append(spread[-1] + alpha * (1 + 1e-9))
        assert len(spread) <= bound[at]
        told = []
        for place in rng.uniform(0, w, 400):
            if not told or min(abs(place - each) for each in told) > alpha:
                told.append(place)
        assert len(told) <= bound[at]


def test_tangents_of_squares():
    """Their guess is off by the square of the distance to the nearest place."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        records, told, y = rng.uniform(0, 2, 9), rng.uniform(0, 2, 5), rng.uniform(0, 2)
        lines = [np.mean((records - p) ** 2) + 2 * (p - records.mean()) * (y - p) for p in told]
        gap = np.mean((records - y) ** 2) - max(lines)
        assert gap == pytest.approx(np.min((told - y) ** 2), abs=1e-12)


def test_the_least_sum():
    bounds = np.array([0.001, 0.1, 1.5])
    for B, grid in zip(bounds, distance._least_sum(bounds), strict=True):
        least = optimize.minimize_scalar(
            lambda c, B=B: math.exp(-2 * c) + B * math.exp(c / 2), bracket=(0, 3)
        ).fun
        assert least == pytest.approx(5 * (B / 4) ** 0.8) and least <= grid <= 1.0001 * least


def test_enough_indices_are_enough():
    rng = np.random.default_rng(5)
    for m, alpha in zip(rng.integers(1, 60, 40), rng.uniform(0.1, 0.5, 40), strict=True):
        size = m / alpha**2 * math.log(m / alpha**2)
        assert size >= m * (math.log(size) / (2 * alpha**2) + 1) + 1 - 1e-9
        assert math.ceil(size) >= size_rule(int(m), float(alpha))


def test_the_tail_of_a_sum():
    cases, bound = values(find(smooth, "tail"))
    for at in range(40):
        t, K = cases["t"][at], cases["K"][at]
        assert np.sum(np.arange(t, 200_000.0) ** (-2 * K)) <= bound[at] * (1 + 1e-12)


def test_the_loss_of_the_exponential_mechanism():
    rng = np.random.default_rng(6)
    cases, x = values(find(cluster, "loss"))
    for at in range(100):
        epsilon, many = cases["ε"][at], int(cases["M"][at])
        scores = rng.choice([0.0, -x[at], -0.5 * x[at], -2 * x[at]], many)
        scores[0] = 0
        weights = np.exp(epsilon * scores / 2)
        assert weights[scores <= -x[at]].sum() / weights.sum() <= cases["β"][at]


def test_few_records_cannot_tell_two_counts_apart():
    epsilon, beta = np.array([0.5]), np.array([0.01])
    (fewest,) = fat._fewest_records(epsilon, beta)
    assert fewest >= math.log(0.99 / 0.01) / 0.5
    chance = [0.01]
    for _ in range(int(fewest)):
        chance.append(min(math.exp(0.5) * chance[-1], 1 - math.exp(-0.5) * (1 - chance[-1])))
    assert chance[-2] < 0.99 <= chance[-1] + 1e-12


def test_enough_runs():
    rng = np.random.default_rng(7)
    for beta, eta in rng.uniform([0.01, 0.001], [0.5, 0.5], (100, 2)):
        runs = math.log(1 / eta) / beta
        assert (1 - beta) ** runs <= eta and runs <= 2 * (1 + math.log(eta) / math.log(1 - beta))


# False claims fail, their repairs hold on drawn cases ------------------------------------------


def pairs(low=0.0, high=1.0, n=6):
    """Neighbours: uniform records of which one is replaced."""
    rng = np.random.default_rng(8)
    for _ in range(DRAWN):
        data = rng.uniform(low, high, n)
        other = data.copy()
        other[rng.integers(n)] = rng.uniform(low, high)
        yield rng, data, other


def counterexample(module, name):
    """The check of a false claim, after its counterexample was accepted and a harmless one not."""
    proof = getattr(module, f"prove_{name}")()
    numbers = proof.answer.parts["counterexample"]
    assert isinstance(numbers, Numbers)
    assert numbers.judge(numbers.right) == RIGHT != numbers.judge(numbers.wrong)
    return numbers


@pytest.mark.parametrize("proof", [p for p in ALL if p.values[0].kind == "repair"])
def test_any_list_of_numbers_gets_a_sentence(proof):
    rng = np.random.default_rng(15)
    numbers = proof.answer.parts["counterexample"]
    for _ in range(150):
        size = int(rng.choice([1, 2, 3, 4, 7, 8, 13]))
        drawn = rng.choice([rng.integers(-2, 6, size), rng.uniform(0, 1, size)])
        said = numbers.judge("; ".join(f"{each:.4g}" for each in drawn))
        assert isinstance(said, str) and said


def test_neighbours_are_refused_that_are_none():
    assert "first" not in neighbours(np.array([0.0]), 0, 1)
    assert "between 0 and 1" in neighbours(np.array([0.0, 2.0]), 0, 1)
    assert "differ in 0" in neighbours(np.array([0.0, 0.0]), 0, 1)


def test_a_mean_needs_a_public_number_of_records():
    counterexample(start, "hidden_count")
    for rng, data, other in pairs():
        y, n = rng.uniform(-9, 9), len(data)
        assert abs(n * abs(y - data.mean()) - n * abs(y - other.mean())) <= 1 + 1e-9


def test_above_threshold_pays_for_each_above():
    numbers = counterexample(privacy, "above_again")
    assert "neighbours" in numbers.judge("0, 2, 0, 1") and "three" in numbers.judge("0, 1")
    rng = np.random.default_rng(9)
    for _ in range(20):
        k = int(rng.integers(2, 9))
        before = rng.uniform(-5, 5, k)
        both = np.array([before, before + rng.choice([-1, 1], k)])
        above = rng.integers(0, 2, k)
        loss = privacy._threshold_loss(both, above, 1)
        assert abs(loss) <= 0.5 + 0.5 * above.sum() + 1e-6
    below = privacy._threshold_loss(np.array([[0.0], [1.0]]), np.zeros(1), 400)
    assert 0.4 < below <= 0.5 + 1e-6  # one shift pays for all


def test_the_stream_of_answers_is_integrated_rightly():
    """The probability of two answers by drawing noise."""
    rng = np.random.default_rng(10)
    threshold, noise = rng.laplace(scale=2, size=400_000), rng.laplace(scale=4, size=(2, 400_000))
    both = [[0.0, 1.0], [1.0, 0.0]]
    drawn = [np.mean((a + noise[0] < threshold) & (b + noise[1] >= threshold)) for a, b in both]
    loss = privacy._threshold_loss(np.array(both), np.array([0, 1]), 1)
    assert loss == pytest.approx(math.log(drawn[0] / drawn[1]), abs=0.03)  # 9 standard deviations


def test_a_wrong_slope_lifts_a_line_by_at_most_its_error():
    counterexample(learner, "slope_error")
    for rng, data, _ in pairs():
        curve = AverageDistance(data)
        p, y, s = rng.uniform([0, 0, -2], [1, 1, 2])
        slope = np.mean(np.where(data < p, 1, -1))
        line = curve.value(p) + (slope + s) * (y - p)
        assert line <= curve.value(y) + abs(s) * abs(y - p) + 1e-12


def test_each_answer_needs_noise_of_its_own():
    counterexample(distance, "noise_reused")
    for rng, data, other in pairs():
        places = rng.uniform(0, 1, (4, 1))
        moved = np.abs(np.abs(data - places).mean(axis=1) - np.abs(other - places).mean(axis=1))
        assert np.sum(moved) * len(data) / 4 <= 1 + 1e-9  # noise of scale 4/n on each of four


def test_a_public_scale_moves_one_row():
    counterexample(embedding, "own_scale")
    for _, data, other in pairs(0.01):
        assert abs(data.mean() - other.mean()) <= 1 / len(data)


def test_a_noisy_update_is_private():
    counterexample(sparse, "true_update")
    for rng, data, other in pairs():
        y = rng.uniform(-2, 2)
        shares = [np.mean(np.ceil(4 * own) == 1) for own in (data, other)]
        assert abs(abs(y - shares[0]) - abs(y - shares[1])) * len(data) <= 1 + 1e-9


def test_a_degree_may_be_drawn_by_its_score():
    counterexample(smooth, "chosen_degree")
    for _, data, other in pairs(-1.0):
        laws = []
        for own in (data, other):
            averages = np.cos(np.arange(1, 9)[:, None] * np.arccos(own)).mean(axis=1)
            weights = np.exp(-np.abs(np.abs(averages) - 0.3) * len(own) / 4)  # sensitivity 2/n
            laws.append(weights / weights.sum())
        assert np.abs(np.log(laws[0] / laws[1])).max() <= 1 + 1e-9


def test_a_place_may_be_drawn_by_its_count():
    counterexample(cluster, "best_place")
    for _, data, other in pairs(high=0.999):
        laws = []
        for own in (data, other):
            weights = np.exp(np.bincount((10 * own).astype(int), minlength=10) / 2)
            laws.append(weights / weights.sum())
        assert np.abs(np.log(laws[0] / laws[1])).max() <= 1 + 1e-9


def test_levels_that_differ_by_s_lose_half_of_s():
    counterexample(fat, "equal_levels")
    rng = np.random.default_rng(11)
    for _ in range(DRAWN):
        margin, apart = 0.1, rng.uniform(0, 0.19)
        levels = np.array([0.4, 0.4 + apart])
        signs = np.array(list(itertools.product((-1, 1), repeat=2)))
        weights = levels + signs * (margin + rng.uniform(0, 0.2, (4, 2)))
        assert fat._shatters(weights, margin)
        assert fat._shatters(weights, margin - apart / 2, common=True)


def test_the_better_answer_is_chosen_by_looking():
    numbers = counterexample(
        importlib.import_module("dpviz.lessons.compare.exercises"), "better_of_two"
    )
    for n, count, other, y in itertools.product([4, 7], range(5), range(5), [-1, 0.5, 3, 6]):
        typed = f"{n}, {count}, {other}, {y}"
        if abs(count - other) != 1:
            assert "differs by 1" in numbers.judge(typed)
    rng = np.random.default_rng(12)
    for _ in range(DRAWN):  # private selection, at three times epsilon
        gamma, law = rng.uniform(0.01, 1), rng.dirichlet(np.ones(5))
        other = law * np.exp(rng.uniform(-0.25, 0.25, 5))
        other /= other.sum()  # within e^0.5 of the first
        published = [
            np.diff(gamma * c / (1 - (1 - gamma) * c)) for c in map(cumulated, (law, other))
        ]
        assert np.abs(np.log(published[0] / published[1])).max() <= 1.5 + 1e-9


def cumulated(law):
    return np.concatenate([[0], np.cumsum(law)]).clip(0, 1)


# What the other lines of the proofs say --------------------------------------------------------


def test_scores_of_a_radius_grow_by_at_most_what_is_proved():
    t = 3
    largest = 0.0
    for rng, data, other in pairs(n=7):
        radius = rng.uniform(0.02, 0.4)
        scores = []
        for own in (data, other):
            counts = np.minimum((np.abs(own[:, None] - own) <= radius).sum(axis=1), t)
            scores.append(np.sort(counts)[-t:].mean())
        largest = max(largest, scores[1] - scores[0])
    assert 0.6 < largest <= 2 - 2 / t


def test_updates_take_what_is_proved():
    rng = np.random.default_rng(13)
    p, g, share = rng.uniform(0.01, 0.99, (3, 5000))
    u = g + share * (p - g)
    falls = p * np.log(u / g) + (1 - p) * np.log((1 - u) / (1 - g))
    least = u * np.log(u / g) + (1 - u) * np.log((1 - u) / (1 - g))
    assert np.all(falls >= least - 1e-12) and np.all(least >= 2 * (u - g) ** 2 - 1e-12)


def test_databases_that_fit_are_near():
    """Four patients, all groups asked, errors of one: 4E is never passed, and nearly attained."""
    bits = np.array(list(itertools.product((0, 1), repeat=4)))
    groups = bits
    rng = np.random.default_rng(14)
    farthest = 0
    for _ in range(100):
        answers = groups @ bits[rng.integers(16)] + rng.integers(-1, 2, 16)
        fits = bits[np.abs(groups @ bits.T - answers[:, None]).max(axis=0) <= 1]
        farthest = max(farthest, np.abs(fits[:, None] - fits).sum(axis=2).max())
    assert 2 <= farthest <= 4


def test_a_chain_of_neighbours_attains_its_delta():
    """Probabilities that grow at every step as far as (ε, δ) allows."""
    epsilon, delta = 0.3, 1e-5
    chance = 0.0
    for steps in range(1, 6):
        chance = math.exp(epsilon) * chance + delta
        bound = delta * (math.exp(steps * epsilon) - 1) / (math.exp(epsilon) - 1)
        assert chance == pytest.approx(bound, rel=1e-12)


# On the page -----------------------------------------------------------------------------------


def test_parts_have_labelled_places_and_enter_checks():
    face = ExerciseFace(start.prove_limit())
    order, missing = face.entry.children
    assert (order.description, missing.description) == ("order", "missing")
    order.value, missing.value = "D B E ? A", "exp(eps)*(1-r)"
    missing._handle_custom_msg({"event": "submit"}, [])
    assert RIGHT in face.feedback.value and face.exercise.tries == ["D B E ? A | exp(eps)*(1-r)"]
    face.reset()
    assert order.value == missing.value == "" and face.feedback.value == ""


def test_a_page_without_a_kernel_folds_the_solution():
    page = start.prove_hidden_count().page()
    assert "<summary>Solution</summary><ol>" in page and "False claim" in page
    assert page.index("False claim") < page.index("<summary>Hint 1") < page.index("Solution")


def test_drawn_letters():
    cases = uniform(k=(1, 3), x=(0.0, 1.0))(np.random.default_rng(1))
    assert set(cases["k"]) == {1, 2, 3} and cases["x"].max() < 1
