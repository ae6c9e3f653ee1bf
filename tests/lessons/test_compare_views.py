"""The pictures of lesson 09: clean in both modes, the guide as stored, the tasks as stated."""

import every
import numpy as np
import pytest

from dpviz.comparison import experiments, guide, selection
from dpviz.comparison.mechanisms.kinds import IN_CELLS, KINDS, WITHOUT
from dpviz.lessons import compare as view
from dpviz.lessons.compare import (
    billion,
    crossing,
    draws,
    names,
    plans,
    player,
    toy,
    winners_map,
)

MODES = ["notebook", "projector"]
PICTURES = {
    "clinic": lambda mode: view.figure_clinic(mode=mode),
    "clinic, distance": lambda mode: view.figure_clinic(["distance"], mode),
    "smallest": view.figure_smallest,
    "selected": lambda mode: view.figure_selected(mode=mode),
    "billion": lambda mode: view.figure_billion(billion.errors(20, rng=1), mode=mode),
}


@pytest.mark.parametrize("mode", every.stills(MODES))
@pytest.mark.parametrize("name", PICTURES)
def test_nothing_is_clipped_and_no_words_overlap(layout_problems, name, mode):
    figure = PICTURES[name](mode)
    assert layout_problems(figure) == []
    assert 40 <= len(figure.alt) <= 300


def test_every_picture_is_tested():
    drawn = {name for name in view.__all__ if name.startswith("figure_")}
    assert drawn == {f"figure_{name.partition(',')[0]}" for name in PICTURES}


def everywhere():
    """All settings of the maps."""
    for what, (kind, _) in guide.WHATS.items():
        for size in guide.SIZES:
            for questions in guide.SIZES[: 1 if kind == "cluster" else 3]:
                yield guide.setting(what, size, questions)


def test_every_mechanism_has_a_name_and_each_leader_a_role_of_its_own():
    leaders = {name: set() for name in KINDS}
    for where in everywhere():
        told = [guide.advice(where, n=n, epsilon=e) for n in guide.N for e in guide.EPSILONS]
        leaders[where.kind] |= {each.key for each in told if each.key}
    for name, kind in KINDS.items():
        keys = [each.key for each in kind.mechanisms]
        roles = names.roles(name)
        assert list(roles) == keys
        assert len({names.SHORT[key] for key in keys}) == len(keys)
        hues = [roles[key] for key in leaders[name]]
        assert len(set(hues)) == len(hues) and "lattice" not in hues
        assert not {roles[key] for key in set(keys) - leaders[name]} - {"lattice"}


def test_the_guide_says_what_the_trials_say():
    """Who leads is 1.25 times better in the median, better in three of four draws, and no worse at
    the 0.95 quantile, than each; noise by a looser sensitivity is not judged. Where there are a
    hundred draws, they count."""
    often = {
        (guide.Setting(kind="cluster", d=10, k=1, hidden=True), 1000): "hidden, 1000",
        (guide.Setting(kind="cluster", d=10, k=1, hidden=True), 3000): "hidden, 3000",
        (guide.Setting(kind="linear", d=3, k=1), 10_000): "one question, 10000",
        (guide.Setting(kind="linear", d=3, k=1000), 1000): "few cells, 1000",
        (guide.Setting(kind="linear", d=3, k=1000), 10_000): "few cells, 10000",
        (guide.Setting(kind="smooth", d=1, k=1000, delta=0.0), 1000): "line, pure, 1000",
        (guide.Setting(kind="smooth", d=1, k=1000, delta=0.0), 3000): "line, pure, 3000",
        (guide.Setting(kind="smooth", d=1, k=1000, delta=0.0), 30_000): "line, pure, 30000",
        (guide.Setting(kind="smooth", d=2, k=1000, delta=0.0), 3000): "plane, pure, 3000",
        (guide.Setting(kind="smooth", d=2, k=1000), 3000): "plane, 3000",
        (guide.Setting(kind="sparse", d=5, k=300), 300): "short lists, 300",
        (guide.Setting(kind="sparse", d=500, k=300), 1000): "long lists, 1000",
    }
    for where, row in guide.guide():
        draws = guide.trials(where)
        assert {each.shape for each in draws.values()} == {(5, 5, 20)}
        for n, told in zip(guide.N, row, strict=True):
            at = guide.EPSILONS.index(1.0), guide.N.index(n)
            errors = {name: each[at] for name, each in draws.items()}
            if place := often.pop((where, n), ""):
                errors = dict(guide.cell(place))
            if "joint" in errors and np.isfinite(errors["joint"]).all():
                del errors["noise"]
            middle = {name: np.median(each) for name, each in errors.items()}
            best = min((name for name in middle if name != WITHOUT), key=middle.get)
            assert told.best == best and told.quantile == worst(errors[best])
            assert told.draws == (100 if place else 20)
            assert told.winner == (told.key if place else "")
            beaten = {
                name
                for name in errors
                if middle[name] >= 1.25 * middle[best]
                and (errors[best] < errors[name]).mean() >= 0.75
                and worst(errors[best]) <= worst(errors[name])
            }
            near = set(errors) - beaten
            assert set(told.keys) == (near if WITHOUT not in near else set())
            assert told.error == middle[best] and told.low == errors[best].min()
            assert told.high == errors[best].max() and told.margin >= 1
    assert not often


def worst(errors):
    """The 0.95 quantile: of twenty draws the last but one, of a hundred the last but five."""
    return np.sort(errors)[-1 - len(errors) // 20]


def test_a_winner_that_is_named_would_be_named_by_half_of_the_draws():
    """Of all cells with a leader: the even and the odd draws, ten each, agree with
    most. A winner is named from a hundred draws on alone."""
    named = agree = 0
    for where in guide.ROWS:
        draws = guide.trials(where)
        for i in range(len(guide.EPSILONS)):
            for j in range(len(guide.N)):
                here = {name: each[i, j] for name, each in draws.items()}
                key = guide.judged(here).key
                halves = [
                    min((x for x in here if x != WITHOUT), key=lambda x: np.median(here[x][k::2]))
                    for k in (0, 1)
                ]
                named += bool(key)
                agree += bool(key) and halves == [key, key]
    assert named > 100 and agree > 0.8 * named


def test_one_regime_for_a_paper_and_three_against():
    """What the lesson lists, on a hundred draws; and nowhere on the maps a second for clusters,
    lists, distances or sets of cells but by luck."""
    regime = "hidden in triples, 2000"
    assert guide.judged(guide.cell(regime)).winner == "solver"
    for places in experiments.PLACES.values():
        for place in set(places) - {regime}:
            found, kind = guide.judged(guide.cell(place)), KINDS[experiments.kind_of(place)]
            assert not found.winner or kind.mechanism(found.winner).origin != "paper"
    for where in set(everywhere()):
        keys = {each.key for each in KINDS[where.kind].mechanisms if each.origin == "paper"}
        cells = [guide.advice(where, n=n, epsilon=e).key for n in guide.N for e in guide.EPSILONS]
        if where.kind != "smooth":
            assert sum(key in keys for key in cells) <= 1, where  # of 25: luck
    for kind, key in (("distance", "interactive"), ("linear", "net"), ("smooth", "paper")):
        found = [told for where, row in guide.guide() for told in row if where.kind == kind]
        assert key not in {told.key for told in found}


@pytest.mark.parametrize("place", experiments.BORDERS)
def test_a_border_stands_with_two_hundred_fresh_seeds(place):
    """Those that lead or tie in the hundred draws of the lesson, of the mechanisms that may."""
    fresh = guide.border(place)
    stored = {key: guide.cell(place)[key] for key in fresh}
    found, known = guide.judged(fresh), guide.judged(stored)
    assert (found.draws, known.draws) == (200, 100)
    assert set(found.keys) == set(known.keys) and found.winner == known.winner


def test_borders_have_two_sides():
    """Of each border the two places differ in who leads."""
    leaders = [guide.judged(guide.border(place)).keys for place in experiments.BORDERS]
    assert all(set(one) != set(other) for one, other in zip(*[iter(leaders)] * 2, strict=True))
    for place in experiments.BORDERS:  # nobody else comes near
        assert set(guide.judged(guide.cell(place)).keys) <= set(experiments.BORDERS[place])


def test_the_month_has_a_bar_to_grow_for_each_question_to_come():
    """What moves in the page has a partner in the state before; a bar to come shows nothing."""
    for day in player.record():
        bars = [bar for bar in player.DAY.figure(day).axes[0].patches if not bar.get_hatch()]
        coming = bars[2 * len(day.spent) :]
        assert len(bars) == 2 * day.of
        assert [bar.get_width() for bar in coming] == [0.0] * len(coming)


def test_where_each_axis_shows_a_cluster_the_solver_does_not_lead():
    seen = guide.Setting(kind="cluster", d=10, k=1)
    told = [guide.advice(seen, n=n, epsilon=e) for n in guide.N for e in guide.EPSILONS]
    assert "solver" not in {each.key for each in told}
    assert "axes" in {each.key for each in told}


def test_the_table_of_the_clinic_ends_each_kind_without_data():
    lines = view.table_clinic({("linear", "net"): (1, -1)}).data.split("\n")[2:]
    kinds = [line.split("|")[1].strip() for line in lines]
    for name in KINDS:
        last = max(i for i, kind in enumerate(kinds) if kind == name)
        assert "without data" in lines[last]
    untried = sum(map(len, IN_CELLS.values()))
    assert len(lines) == sum(len(kind.mechanisms) + 1 for kind in KINDS.values()) - untried
    (net,) = [line for line in lines if "net mechanism" in line]
    assert "| ×\u00a010 | ×\u00a00.1 | ε |" in net


def test_the_month_spends_its_budget_and_refuses_once(layout_problems):
    days = player.record()
    outcomes = [each.outcome for each in days]
    assert outcomes.count("refused") == 1 == outcomes.count("not published")
    assert days[-1].spent[-1] == pytest.approx(1.0)
    last = guide.EPSILONS.index(0.3)  # at most as much as is asked for on days 18, 23 and 24
    for _, kind, key, epsilon, _ in player.DAYS[3:]:
        told = guide.judged({who: each[last, -1] for who, each in guide.of_clinic(kind).items()})
        assert told.keys[0] == key and epsilon in (0.3, 0.4)
    shown = view.play_month()
    for mode in MODES:
        for state in shown.trace:
            figure = shown.screen.view.figure(state, mode)
            assert layout_problems(figure) == []
            assert len(figure.alt) <= 300


def test_where_each_axis_shows_a_cluster_the_densest_intervals_need_fewer_records():
    draws = guide.trials(guide.Setting(kind="cluster", d=10, k=1))
    first = {
        key: [
            next(n for n, *pair in zip(guide.N, each, other, strict=True) if guide.is_clear(*pair))
            for each, other in zip(draws[key], draws["constant"], strict=True)
        ]
        for key in ("axes", "solver")
    }
    fewer = np.less(first["axes"], first["solver"])
    assert np.all(np.less_equal(first["axes"], first["solver"])) and fewer.sum() >= 4


def test_on_a_line_the_moments_have_half_a_histograms_error_and_it_falls_faster():
    """On the map, with 20 draws at a place; the histogram is moved to the nearest possible one."""
    line = guide.Setting(kind="smooth", d=1, k=1000, delta=0.0)
    product = np.multiply.outer(guide.EPSILONS, guide.N)
    ours, other = (guide.medians(line)[key] for key in ("shaped", "projected"))
    many = product >= 9999  # but for rounding
    for place in zip(*np.nonzero(many), strict=True):
        best = guide.advice(line, n=guide.N[place[1]], epsilon=guide.EPSILONS[place[0]])
        assert "shaped" in best.keys and set(best.keys) <= {"shaped", "truncation"}
    assert 1.5 < np.median(other[many] / ours[many]) < 3
    falls = [np.polyfit(np.log(product[many]), np.log(each[many]), 1)[0] for each in (ours, other)]
    assert falls[0] < falls[1] - 0.05


def test_moved_to_the_nearest_possible_one_a_histogram_ties_with_moments_on_a_line():
    """What lesson 06 says of it, on a hundred draws."""
    draws = guide.cell("line, pure, 30000")
    ours, other = draws["shaped"], draws["projected"]
    assert np.median(other) == pytest.approx(1.4 * np.median(ours), rel=0.05)
    assert 0.5 < np.mean(ours < other) < guide.SURE and not guide.is_clear(ours, other)
    few = guide.cell("line, pure, 3000")
    assert not guide.is_clear(few["shaped"], few["projected"])


def test_what_the_month_does_not_publish_is_no_better_than_no_data():
    found = guide.of_clinic("distance")
    ratio = np.median(found["release"][0, -1]) / np.median(found[WITHOUT][0, -1])
    assert 1 / guide.CLEAR < ratio < guide.CLEAR


def test_the_tasks_of_lesson_09_have_the_answers_it_states():
    """(1) one question: noise; (2) a hidden minority is found by five from 3,000 on, and by one or
    two of them with 1,000; one that each axis shows also by intervals; (3) in two columns
    histograms come up, in three they lead; (4) in one column histograms come up to the functional
    mechanism, and for one question noise leads."""
    shown = winners_map.explore_winners()
    shown.set(kind="distance", questions="many")
    assert shown.screen.result.here.key == "release"
    shown.set(questions="one")
    assert shown.screen.result.here.key == "joint"
    shown.set(**shown.presets["One question"])
    assert shown.screen.result.here.key == "joint"
    minority = shown.presets["A minority"]
    found = {}
    for n in guide.N:
        shown.set(**{**minority, "n": n})
        found[n] = set(shown.screen.result.here.keys)
    assert not found[300] and "triples" in found[1000] and found[1000] <= {"triples", "tree"}
    assert all(found[n] == {"solver", "pairs", "triples", "tree", "closest"} for n in guide.N[2:])
    shown.set(**{**minority, "kind": "cluster"})
    assert set(shown.screen.result.here.keys) >= {"solver", "axes"}
    pure = shown.presets["Kernels, pure"]
    shown.set(**pure)
    assert "truncation" in shown.screen.result.here.keys
    shown.set(**{**pure, "size": "middle"})
    assert "histogram" in shown.screen.result.here.keys
    shown.set(**{**pure, "size": "large"})
    assert shown.screen.result.here.key == "histogram"
    shown.set(kind="smooth", size="large", questions="some", n=1000)
    assert shown.screen.result.here.key == "functional"
    shown.set(size="small")
    assert set(shown.screen.result.here.keys) == {"projected", "functional", "histogram"}
    shown.set(questions="one")
    assert shown.screen.result.here.key == "joint"


def test_one_error_decides_who_leads_in_the_toy():
    """The ninth of ten; the tenth may be as large as it likes, and so may any that stays below."""
    start = toy.A[toy.MOVED]
    for i, moved_to, leader in ((8, 0.09, "A"), (8, 0.1, ""), (9, 0.24, ""), (9, 0.05, "A")):
        errors = tuple((moved_to if j == i else x,) for j, x in enumerate(start))
        assert toy.compare(errors=errors, alpha=0.1).leader == leader, (i, moved_to)
    worse = tuple((0.24,) for _ in start)
    found = toy.compare(errors=worse, alpha=0.1)
    assert found.leader == "B" and found.smallest == {"A": 400, "B": 200}
    assert toy.compare(errors=worse, alpha=0.02).smallest == {"A": np.inf, "B": np.inf}
    lucky = tuple((0.01,) for _ in start)  # at 200, but not at 400
    assert toy.compare(errors=lucky, alpha=0.05).smallest["A"] == np.inf


def test_a_small_database_is_best_between_no_data_and_the_table():
    """1,000 queries, 2^16 cells; the balance (c/b)^(3/2) comes within a few per cent of where the
    curves meet, since b and c leave out beta."""
    places = np.geomspace(1000, 1e5, 2001)
    found = crossing.bounds(places, k=1000, cells=2**16)
    best = np.argmin([*found.values(), np.full(2001, 0.5)], axis=0)
    assert np.all(np.diff(best[best != 3]) <= 0) and best[0] == 3 and best[-1] == 1
    b = 3 * (np.log(2000) * np.log(2**16) / 4) ** (1 / 3)
    c = found["table"][0] * places[0]
    meet = places[np.flatnonzero(found["small"] > found["table"])[0]]
    assert meet == pytest.approx((c / b) ** 1.5, rel=0.1)


def test_few_runs_name_leaders_by_luck():
    """Of four queries the law is a tie; a game of one run has a leader in most cases."""
    many = draws.errors(4, 400, rng=3)
    assert draws.leader_of(many) == ""
    alone = [draws.leader_of({key: x[i : i + 1] for key, x in many.items()}) for i in range(400)]
    assert 0.6 < np.mean([bool(leader) for leader in alone]) < 0.9


def test_a_crossing_at_either_end():
    n, errors = np.array([1.0, 10.0, 100.0]), np.array([1.0, 0.1, 0.01])
    assert plans.crossing(n, errors, 2.0) == 1.0
    assert plans.crossing(n, errors, 0.001) == np.inf
    assert plans.crossing(n, np.array([np.inf, 0.1, 0.01]), 0.5) == 10.0


def test_the_picked_run_looks_better_than_the_honest_one():
    assert 1.5 < guide.selected_gain() < 5


def test_an_honest_choice_of_a_seed_is_worse_than_none():
    """60 pairs; chosen runs have a third of the budget for twice as many parts."""
    runs = [selection.trial(selection.Params(), rng=seed) for seed in range(60)]
    once, chosen = (np.median([run[name] for run in runs]) for name in ("once", "selected"))
    assert chosen > 1.5 * once
    assert all(run["best"] <= run["selected"] for run in runs)


def test_on_few_patients_the_net_is_ahead_of_a_histogram_and_behind_a_projected_one():
    """A hundred draws, beside 1,000 others of other seeds. There the net has the smaller error in
    61 % of the draws, the projected histogram in 78 %, and shares of a hundred draws deviate by
    0.05 at most: four deviations are 0.2. The medians are 1.17 and 1.75 times smaller, and of ten
    hundreds 1.07 to 1.24 and 1.6 to 1.9 times. So the first is a tie, by the guide's 1.25."""
    how = experiments.Sample(kind="linear", n=100, epsilons=(0.3,))
    draws = [experiments.trial_clinic(how, rng=seed) for seed in range(100)]
    net, other, projected = (
        np.array([each[f"{key} 0.3"] for each in draws])
        for key in ("net", "histogram", "projected")
    )
    assert abs((net < other).mean() - 0.61) < 0.2
    assert abs((projected < net).mean() - 0.78) < 0.2
    assert not guide.is_clear(net, other)
    assert np.median(net) > 1.4 * np.median(projected)
