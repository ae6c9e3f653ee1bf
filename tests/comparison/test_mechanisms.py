"""The small makers of a comparison: what each hands on, and what it leaves to its mechanism."""

import numpy as np
import pytest

from dpviz import experiments as command
from dpviz.comparison import experiments
from dpviz.comparison.mechanisms import cluster as balls
from dpviz.comparison.mechanisms import linear, sparse
from dpviz.comparison.mechanisms.task import Task
from dpviz.lessons.cluster import experiments as cluster
from dpviz.papers.small_cluster import baselines, good_center, good_radius
from dpviz.papers.sparse_queries import plan
from dpviz.privacy.curator import Curator


def test_an_experiment_over_a_kind_asks_that_kind():
    assert experiments._over("sparse", "Which is best.", n=(300,)).params.kind == "sparse"


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_plan_without_delta_is_pure_and_no_other(delta):
    task = Task(n=10**5, d=50, k=100, delta=delta)
    pure = sparse._is_pure(sparse.params)(task)
    assert pure == (plan.plan(sparse.params(task), task.n).composition == "basic")
    assert pure or delta


def test_a_rival_of_the_clusters_is_its_own_release():
    task = Task(n=400, d=2, k=1)
    instance = balls.draw(task, np.random.default_rng(0))
    centre = balls._baseline("mean of all")(task, instance, Curator(epsilon=1, delta=1e-6, rng=1))
    params = balls.baseline("mean of all")(task)
    found = baselines.release(instance.data, params, Curator(epsilon=1, delta=1e-6, rng=1))
    assert (centre == found.center).all()


def test_a_mechanism_of_names_is_asked_the_same_cells():
    task = Task(n=200, d=3, k=5)
    instance = linear.draw(task, np.random.default_rng(0))

    def exact(task, named, curator):
        assert np.bincount(named.data, minlength=8).tolist() == instance.data.tolist()
        return named.exact

    assert np.abs(linear._by_names(exact)(task, instance, None) - instance.exact).max() < 1e-12


def test_without_data_half_the_records_are_as_good_as_half_the_cells():
    instance = linear.draw(Task(n=200, d=3, k=5), np.random.default_rng(0))
    assert (instance.queries.mean(axis=1) == 0.5).all()
    assert instance.without_data == linear.largest(0.5, instance.exact) > 0


def test_a_quick_search_is_the_smaller_one():
    task = {"source": "one ball", "n": 300, "d": 2, "share": 0.5, "epsilon": 9.0, "seed": 0}
    task["source"] = next(iter(cluster.SHAPES)) if cluster.SHAPES else task["source"]
    quick = cluster.find_ball(**task).params
    default = cluster.find_ball(**task, quick=False).params
    assert all(getattr(quick, name) == value for name, value in cluster.QUICK.items())
    assert any(getattr(default, name) != value for name, value in cluster.QUICK.items())


def test_one_trial_is_enough(capsys):
    command.ask("compare_cluster", trials=1)
    assert "compare_cluster" in capsys.readouterr().out


def test_a_rule_of_thumb_aims_at_something():
    params = plan.Params(m=50, k=1000, epsilon=1.0, delta=1e-6, updates=9, threshold=1e-9)
    assert plan._practical(params, 10**3, "basic").alpha == 1e-6


def test_the_loss_of_a_search_by_quality_covers_its_noise_on_both_sides():
    # 2 Gamma, and twice what Laplace noise of scale 4 passes with probability beta / 4
    tail = 4 * np.log(2 / 0.05)
    assert np.exp(-tail / 4) / 2 == pytest.approx(0.05 / 4)
    lost = good_radius.loss("RecConcave", 21, epsilon=1, beta=0.05, promise=10.0)
    assert lost == pytest.approx(2 * 10 + 2 * tail)


def test_the_best_of_several_searches_is_chosen_by_the_rows_in_its_ball(monkeypatch):
    rows = np.array([[0.5, 0.5], [0.9, 0.5], [0.1, 0.1], [0.9, 0.9]])
    params = good_center.Params.practical(
        n=4, t=2, d=2, radius=0.1, epsilon=1.0, delta=1e-6, lower=0, upper=1
    )
    reach = params.side * params.radius * np.sqrt(2) / 2
    asked = []

    def search(data, own, curator):
        return type("Found", (), {"center": np.array([0.5, 0.5])})()

    def choose(self, scores, **cost):
        asked.extend(scores)
        return 0

    monkeypatch.setattr(good_center, "release", search)
    monkeypatch.setattr(Curator, "choose", choose)
    good_center.release_repeated(rows, params, params.curator(rng=0), repeats=2)
    inside = sum(float(np.hypot(*(row - 0.5)) <= reach) for row in params.place(rows))
    assert asked == [inside, inside]
