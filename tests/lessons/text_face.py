"""Explorers and players worked as plain text: ``text_face.py MOST LESSON ...``, without a widget.

Whoever imports ipywidgets or IPython here fails. Sets about MOST values of each control, presses
each preset, draws again, steps through each player; prints how many settings it has told.
"""

from __future__ import annotations

import importlib
import sys

import numpy as np

if __name__ == "__main__":  # the collection of doctests imports this file too
    sys.modules["ipywidgets"] = sys.modules["IPython"] = None


def told(screen) -> str:
    """Sentence and table as they would be read out; what must be there is."""
    assert 40 < len(screen.sentence) <= 300, screen.sentence
    assert screen.picture.startswith("<svg")
    head, *rows = screen.table
    assert all(len(row) == len(head) for row in rows), screen.table
    return "\n".join([screen.sentence, *("  ".join(map(str, row)) for row in screen.table)])


def some(values, most) -> list:
    """All of them, or about so many, both ends among them."""
    return [*values[:-1][:: max(1, -(-len(values) // most))], values[-1]]


def explore(explorer, most) -> int:
    """Values of each control, others at their start, each preset, a draw: the count."""
    start = dict(explorer.values)
    moves = [{name: v} for name, c in explorer.controls.items() for v in some(c.values, most)]
    moves += explorer.presets.values()
    for move in moves:
        explorer.set(**{**start, **move})
        assert explorer.values == {**start, **move}
        told(explorer.screen)
        off = [name for name in explorer.controls if not explorer.acts(name)]
        assert all(explorer.controls[name].label in explorer.idle for name in off)
        # Two settings may not fit together: then it says so, and still tells of the last good.
        assert explorer.problem == "" or explorer.problem.endswith("is the last good one."), move
    explorer.set(**start)
    before = told(explorer.screen)
    explorer.again()
    explorer.set(**start)
    assert told(explorer.screen) == before
    return len(moves)


def play(player) -> int:
    """To the first state, through all, back again, past both ends: states told."""
    first, texts = player.position, []
    player.go(-1)
    for i in range(len(player.trace)):
        assert player.position == i
        assert player.screen.result is player.trace[i]
        texts.append(told(player.screen))
        player.step(1)
    assert player.position == len(player.trace) - 1
    for text in reversed(texts):
        assert told(player.screen) == text
        player.step(-1)
    assert player.position == 0
    for speed in player.speeds:
        player.play_at(speed)
    player.go(first)
    return len(texts)


def players(lesson: str, view) -> list:
    """The players of a lesson, on small data."""
    if lesson in PLAYERS:
        return PLAYERS[lesson](view)
    names = [name for name in view.__all__ if name.startswith("play_")]
    return [getattr(view, name)() for name in names]


def of_learner(view) -> list:
    """Lesson 02."""
    from dpviz.papers.distance_queries.learner import mistake_bounds
    from dpviz.papers.distance_queries.learner.average_distance import AverageDistance

    column, params = np.random.default_rng(0).uniform(size=50), mistake_bounds.Params
    tangents, run = mistake_bounds.learn_column(params(alpha=0.05, k=12), column, rng=1)
    return [view.play_learner(AverageDistance(column), run, tangents.lines, 0.05)]


def of_distance(view) -> list:
    """Lesson 03."""
    from dpviz.papers.distance_queries.learner import average_distance
    from dpviz.papers.distance_queries.mechanism import l1

    params = l1.Params(n=20_000, d=1, k=40, epsilon=1, delta=1e-6, lower=0, upper=1)
    some, curator = average_distance.mixture(params.n, 1, rng=0), params.curator(rng=1)
    mechanism = l1.Interactive(some, params, curator, record=True, trace=True)
    for place in np.random.default_rng(2).uniform(size=12):
        mechanism.answer(float(place))
    return [view.play_distance(mechanism)]


def of_sparse(view) -> list:
    """Lesson 05."""
    from dpviz.papers.sparse_queries import online, plan
    from dpviz.papers.sparse_queries.queries import Query

    words = ["the", "a", "is", "are", "if"]
    data = np.random.default_rng(0).choice(words, 50_000, p=[0.4, 0.1, 0.2, 0.2, 0.1]).tolist()
    lists = [Query(names) for names in [["the", "a"], ["is", "are"], ["if", "the"]] * 2]
    params = plan.rule_of_thumb(plan.Params(epsilon=1, m=2, k=100), len(data))
    run = online.InteractiveSparse(data, params, params.curator(rng=0), vocabulary=words)
    return [view.play_sparse_weights(run, data, lists)]


def of_smooth(view) -> list:
    """Lesson 06."""
    from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
    from dpviz.papers.smooth_queries.release import Params, release

    data = np.random.default_rng(0).uniform(-1, 1, (300, 1))
    params = Params(d=1, terms=6, epsilon=1, lower=-1, upper=1)
    drawn = [release(data, params, params.curator(rng=seed)) for seed in range(3)]
    return [
        view.play_terms(GaussianKernels(centres=[[0.2]], width=0.5, lower=-1, upper=1), data, drawn)
    ]


def of_cluster(view) -> list:
    """Lesson 07."""
    from dpviz.papers.small_cluster import one_cluster
    from dpviz.papers.small_cluster.planted import plant

    params = one_cluster.Params(t=900, d=2, epsilon=1, delta=1e-6, lower=0, upper=1)
    return [view.play_cluster(plant(3000, 900, 2, rng=3), params, rng=1)]


def of_fat_shattering(view) -> list:
    """Lesson 08: an attack."""
    from dpviz.papers.fat_shattering import linear_reconstruction

    few = [0, 1, 1, 0] * 4
    bits, _, published = linear_reconstruction.attack(linear_reconstruction.Params(), few, rng=1)
    return [view.play_reconstruction(published, bits)]


PLAYERS = {"learner": of_learner, "distance": of_distance, "sparse": of_sparse}
PLAYERS |= {"smooth": of_smooth, "cluster": of_cluster, "fat_shattering": of_fat_shattering}

if __name__ == "__main__":
    most, *chosen = int(sys.argv[1]), *sys.argv[2:]
    for lesson in chosen:
        module = importlib.import_module(f"dpviz.lessons.{lesson}")
        for maker in (name for name in module.__all__ if name.startswith("explore_")):
            print(f"{lesson} {maker} {explore(getattr(module, maker)(), most)}", flush=True)
        for made in players(lesson, module):
            print(f"{lesson} player {play(made)}", flush=True)
