"""The ten lines of 02, 03, 05, 08 do what the package does; toys count what they say."""

import itertools
import re

import numpy as np
import pytest

from dpviz import lab, lesson
from dpviz.lessons.distance import balance, coins
from dpviz.lessons.fat_shattering import experiments
from dpviz.lessons.learner import toy
from dpviz.papers.distance_queries.learner import average_distance, convex_learner
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.papers.fat_shattering import linear_reconstruction
from dpviz.papers.sparse_queries import online
from dpviz.papers.sparse_queries import plan as sparse_plan
from dpviz.papers.sparse_queries.queries import Query
from dpviz.privacy.curator import Curator
from dpviz.sweeps import seeds


def ten_lines(name):
    """The one cell of a lesson in which its mechanism stands: its source."""
    read = lesson.read(lab.LESSONS / f"{name}.ipynb")
    cells = [cell.source for cell in read.within("ten-lines") if not cell.is_text]
    loop = r"^for \w+ in (queries|lists):|^for scale, draw in"
    (source,) = [text for text in cells if re.search(loop, text, re.M)]
    return source


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [500, 20_000])
def test_the_private_ten_lines_answer_as_the_package_draw_for_draw(n, seed):
    rng = np.random.default_rng([n, seed])
    records = rng.beta(2, 3, size=n)
    queries = rng.uniform(size=300)
    params = l1.Params(n=n, d=1, k=300, epsilon=1, composition="pure", updates=40, lower=0, upper=1)
    plan = params.plan
    curator = params.curator(rng=seed)
    run = {"sensitivity": 1 / n, "epsilon": plan.test_epsilon, "positives": plan.total}
    names = {"np": np, "records": records, "queries": queries, "plan": plan, "curator": curator}
    names["test"] = curator.above_threshold(plan.threshold, **run, label="gap")
    names["tangent"] = {"sensitivity": 2 / n, "epsilon": plan.measurement_budget, "label": "t"}
    exec(ten_lines("03_distance"), names)
    answers = np.clip(names["answers"], 0, np.maximum(queries, 1 - queries))
    package = l1.Interactive(records, params, params.curator(rng=seed))
    assert np.allclose(answers, package.answer_all(queries)[0], rtol=0, atol=1e-9)
    assert len(names["tangents"]) == 1 + package.updates_used


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [20, 1000])
def test_the_sparse_ten_lines_answer_as_the_package_draw_for_draw(k, seed):
    rng = np.random.default_rng([k, seed])
    everyone = [f"name {i}" for i in range(40)]
    records = rng.choice(everyone, 100_000, p=rng.dirichlet(np.full(40, 0.1)))
    lists = [rng.choice(everyone, 5, replace=False).tolist() for _ in range(20)]
    params = sparse_plan.Params(epsilon=1, m=5, k=k)
    chosen = sparse_plan.plan(params, len(records))
    curator = params.curator(rng=seed).sub_curator(epsilon=1, label="lists")
    how = {"sensitivity": 1e-5, "epsilon": chosen.test, "positives": chosen.updates}
    test = curator.above_threshold(chosen.threshold, **how, method="once", label="gap")
    names = {"np": np, "records": records, "lists": lists, "n": 100_000, "chosen": chosen}
    names |= {"curator": curator, "test": test, "weights": {None: 1 / chosen.size}, "answers": []}
    names["measured"] = []
    exec(ten_lines("05_sparse"), names)
    how = {"vocabulary": everyone}
    package = online.InteractiveSparse(records.tolist(), params, params.curator(rng=seed), **how)
    wanted = [package.answer(Query(some)).value for some in lists]
    assert np.allclose(names["answers"], wanted, rtol=0, atol=1e-9)
    assert set(names["weights"]) == {None, *package.hypothesis.index}
    assert package.updates_left < chosen.updates


@pytest.mark.parametrize("seed", range(5))
def test_the_attack_of_the_ten_lines_is_that_of_the_package(seed):
    names = {"np": np, "Curator": Curator, "experiments": experiments}
    names |= dict(zip(("GROUPS", "CAREFREE", "CAREFUL"), seeds.spawn(seed, 3), strict=True))
    exec(ten_lines("08_fat_shattering"), names)
    groups, patients = names["groups"], names["patients"]
    most = groups.sum(axis=0).max()
    for scale, draw in ((0.6, "CAREFREE"), (most, "CAREFUL")):
        params = linear_reconstruction.Params(epsilon=most / scale)
        curator = params.curator(rng=names[draw])
        published = linear_reconstruction.release(patients, params, curator, queries=groups)
        guess = linear_reconstruction.decode(groups, published.answers, "least squares")
        assert names["right"][round(most / scale)] == (guess == patients).sum()
    assert np.array_equal(names["counts"], published.answers)
    assert max(names["right"].values()) >= 63


@pytest.mark.parametrize("seed", range(20))
def test_the_public_ten_lines_make_the_mistakes_of_the_package(seed):
    rng = np.random.default_rng(seed)
    records, queries = rng.uniform(size=50), rng.uniform(size=400)
    names = {"np": np, "records": records, "queries": queries, "alpha": 0.01}
    exec(ten_lines("02_learner"), names)
    curve = average_distance.AverageDistance(records)
    run = convex_learner.learn(convex_learner.Tangents(), curve, queries, alpha=0.01)
    assert np.array_equal(names["mistakes"], queries[run.missed])


def test_no_order_of_queries_spends_more_coins_than_the_purse_holds():
    rng = np.random.default_rng(1)
    for alpha in (0.05, 0.2):
        for _ in range(100):
            queries = tuple((float(y),) for y in rng.uniform(size=12))
            paid = coins.buy(bottles=toy.BOTTLES, queries=queries, alpha=alpha)
            assert paid.mistakes.sum() <= paid.coins and paid.worst <= alpha + coins.ROUNDING


def test_three_coins_can_be_spent_as_the_guide_says():
    """With a move of one query from its setting, to a place that every page stores."""
    first, _, last = coins.explore_queries().presets["Three queries"]["queries"]
    paid = [
        coins.buy(bottles=toy.BOTTLES, queries=(first, (y,), last), alpha=0.2).mistakes.sum()
        for y in (0.8, 0.0)
    ]
    assert paid == [2, 3]


def test_forty_bottles_attain_the_bound_and_five_do_not():
    places = [((x,),) for x in np.linspace(0, 1, 9)]
    five = [
        toy.ask(bottles=toy.BOTTLES, queries=sum(order, ())).mistakes
        for order in itertools.permutations(places, 4)
    ]
    walk = tuple((x,) for x in (0.0, 0.25, 0.5, 0.75, 1.0))
    assert toy.ask(bottles=toy.FORTY, queries=walk).mistakes == 5 > max(five)


@pytest.mark.parametrize("composition", balance.BUDGETS)
def test_the_star_of_the_balance_is_the_plan_of_the_mechanism(composition):
    for n in (10_000, 100_000, 1_000_000):
        name = balance.BUDGETS[composition]
        delta = balance.DELTA if name == "zcdp" else 0.0
        params = l1.Params(
            n=n, d=1, k=10_000, epsilon=1, delta=delta, composition=name, lower=0, upper=1
        )
        weighed = balance.weigh(n=n, coins=2, composition=composition)
        assert weighed.best == params.plan.updates
        assert np.isclose(weighed.error.min(), params.plan.error)
