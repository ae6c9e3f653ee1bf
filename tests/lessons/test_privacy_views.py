"""Lesson 01: the player of sparse vector, the auditor, the exercises."""

import inspect
import math
import time

import every
import numpy as np
import pytest

from dpviz.audit.auditor import alarms, audit
from dpviz.audit.broken import CORRECT, FAULTS
from dpviz.exercises.answers import RIGHT
from dpviz.lessons.privacy import exercises, explorers, guesses
from dpviz.lessons.privacy import player as play
from dpviz.lessons.privacy.exercises import _share, _spend
from dpviz.lessons.privacy.figures import figure_trade_off, laplace_misses, least_misses
from dpviz.privacy.curator import BudgetExceeded, Curator

MODES = ("notebook", "projector")
BROKEN = {name for name, fault in explorers._MYSTERY.items() if fault.caught_by}


@pytest.fixture(scope="module")
def player():
    return play.play_threshold()


@pytest.fixture(scope="module")
def explorer():
    return explorers.explore_auditor()


@pytest.mark.parametrize("mode", MODES)
def test_the_player_draws_cleanly_at_every_step(player, mode, layout_problems):
    for step in every.spread(player.trace, 5):
        figure = player.screen.view.figure(step, mode)
        assert layout_problems(figure) == [], step.index
        assert 40 < len(figure.alt) <= 300
        assert len(player.screen.view.table(step)) <= 6


def test_what_the_player_shows_is_what_the_curator_would_have_answered(player):
    last = player.trace[-1]
    curator = Curator(epsilon=play.POSITIVES * play.EPSILON, rng=play.SEED)
    cost = {"sensitivity": 1 / 569, "epsilon": play.EPSILON, "positives": play.POSITIVES}
    stream = curator.above_threshold(play.THRESHOLD, **cost, label="median radius")
    answers = [stream.above(play.share_above(check.radius)) for check in last.checks]
    assert answers == [check.above for check in last.checks]
    assert [charge.cost.epsilon for charge in curator.ledger.charges] == list(last.paid)
    with pytest.raises(BudgetExceeded, match="no more"):
        stream.above(play.share_above(last.asked))


def test_any_search_fits_into_the_picture():
    """Some need more questions than there is room for; only a finished one is refused."""
    traces = [play.record(seed=seed) for seed in range(60)]
    asked = np.array([len(trace[-1].checks) for trace in traces])
    finished = [trace[-1].kind == "refused" for trace in traces]
    assert asked.max() == play.ROOM - 1 and any(finished) and not all(finished)
    assert all(
        (trace[-1].positives == play.POSITIVES) == end
        for trace, end in zip(traces, finished, strict=True)
    )


def test_an_answer_follows_from_what_never_leaves(player):
    checks = player.trace[-1].checks
    assert 5 < len(checks) <= play.ROOM - 1  # the refused one has room too
    for check in checks:
        assert check.above == (check.value + check.noise >= check.level)
    assert len({check.noise for check in checks}) == len(checks)
    assert {check.level for check in checks} == set(player.trace[-1].levels)
    assert any(check.above != (check.value >= play.THRESHOLD) for check in checks)  # noise errs


def test_a_line_is_charged_when_a_threshold_is_drawn_and_at_no_other_step(player):
    trace = player.trace
    assert trace[-1].kind == "refused"
    assert [step.kind for step in trace].count("draw") == play.POSITIVES == trace[-1].positives
    before = play.Step(-1, 0, "", (), (), (), 0, 0)
    for earlier, step in zip([before, *trace], trace, strict=False):
        drawn = step.kind == "draw"
        assert len(step.paid) - len(earlier.paid) == drawn == len(step.levels) - len(earlier.levels)
        assert len(step.checks) - len(earlier.checks) == (step.kind == "check")
        assert sum(step.paid) <= step.budget + 1e-12
        if drawn:  # at the start, and right after a hit
            assert not earlier.checks or earlier.checks[-1].above


def test_it_starts_at_the_first_hit(player):
    step = player.screen.result
    assert (step.positives, step.checks[-1].above, step.kind) == (1, True, "check")
    assert "above" in player.screen.sentence


@pytest.mark.parametrize("samples", [1000, 20_000])
@pytest.mark.parametrize("letter", explorers._MYSTERY)
def test_the_auditor_draws_cleanly(letter, samples, layout_problems):
    result = explorers.audit_mystery(mechanism=letter, samples=samples, seed=2)
    for mode in every.stills(MODES):
        figure = explorers.AUDITED.figure(result, mode)
        assert layout_problems(figure) == []
        assert 40 < len(figure.alt) <= 300


def test_the_sentence_says_what_is_too_rare_to_be_seen():
    result = explorers.audit_mystery(mechanism="A", samples=2000, seed=2)
    share = f"fewer than {explorers.style.number(result.finding.smallest, 2)} of the runs"
    assert share in explorers.say_audited(result)


def test_every_preset_shows_what_compute_says(explorer):
    for preset in explorer.presets.values():
        explorer.set(**preset)
        assert explorer.problem == ""
        result, view = explorer.compute(**explorer.values), explorer.screen.view
        assert result == explorer.screen.result
        assert view.table(result) == view.table(explorer.screen.result)
    assert len(view.table(result)) <= 6


def test_the_picture_and_the_bound_are_the_same_numbers():
    for seed in (1, 2):
        for letter in explorers._MYSTERY:
            result = explorers.audit_mystery(mechanism=letter, samples=10_000, seed=seed)
            (low, _), (_, high) = result.ranges
            bound = max(0.0, math.log(low / high)) if low > 0 else 0.0
            assert result.finding.lower == pytest.approx(bound, abs=1e-9)
            assert result.alarm == (result.needed > high)
            for count, (least, most) in zip(result.finding.counts, result.ranges, strict=True):
                assert least <= count / result.finding.judged <= most


def test_interval_ends_are_exact():
    from scipy import stats

    low, high = explorers.clopper_pearson(7, 50, error=0.005)
    assert stats.binom.sf(6, 50, low) == pytest.approx(0.005)
    assert stats.binom.cdf(7, 50, high) == pytest.approx(0.005)
    assert explorers.clopper_pearson(0, 9, error=0.1)[0] == 0
    assert explorers.clopper_pearson(9, 9, error=0.1)[1] == 1


def test_with_many_samples_the_broken_ones_are_found_and_no_others():
    assert (len(BROKEN), len(explorers._MYSTERY)) == (3, 5)
    for letter, fault in explorers._MYSTERY.items():
        begin = time.process_time()
        result = explorers.audit_mystery(mechanism=letter, samples=100_000, seed=1)
        assert time.process_time() - begin < 2  # 0.1 s here; a slow machine may take its time
        assert result.alarm == (letter in BROKEN)
        assert result.finding.lower < (fault.truth or fault.epsilon)
        assert result.finding.lower < explorers.MOST


def test_the_seal_hides_and_then_tells():
    words = explorers.mystery()
    assert list(words) == list("ABCDE")
    assert {name for name in words if not words[name].startswith("correct")} == BROKEN
    result = explorers.audit_mystery(mechanism="E", samples=1000, seed=1)
    shown = str([explorers.say_audited(result), explorers.table_audited(result)])
    assert not any(name in shown for name in [*FAULTS, "correct", "truth"])


def test_the_seed_changes_the_audit_and_nothing_else_does():
    one = explorers.audit_mystery(mechanism="B", samples=2000, seed=1)
    assert one == explorers.audit_mystery(mechanism="B", samples=2000, seed=1)
    assert one != explorers.audit_mystery(mechanism="B", samples=2000, seed=2)


MAKERS = [
    make
    for name, make in inspect.getmembers(exercises, inspect.isfunction)
    if not name.startswith(("_", "write_")) and make.__module__ == exercises.__name__
]  # functions to be written: test_program.py


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_right_is_right_and_wrong_is_not(make):
    exercise = make()
    assert not exercise.check(exercise.wrong).right
    assert exercise.check(exercise.right).right


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("0.0527", "which ε"),
        ("60", "sum or of a mean"),
        ("0.0743", "Whose"),
        ("0.0264", "smaller"),
        ("0.149", "deviation"),
        ("0.211", "from where to where"),
        ("3", "Which relation"),
    ],
)
def test_slips_of_the_scale(typed, word):
    assert word.lower() in exercises.scale_of_a_mean().answer.judge(typed).lower()


def test_the_scale_is_read_to_half_a_per_cent():
    answer = exercises.scale_of_a_mean().answer
    assert answer.judge("0.1054") == answer.judge("0.105") == answer.judge("0.1059") == RIGHT
    assert answer.judge("0.1049") != RIGHT
    assert answer.judge("0.1060") != RIGHT


def test_basic_is_smallest_by_the_accounting():
    said = exercises.smallest_total().solution
    assert "basic 2.00, zCDP 2.14, advanced 2.56, exact 1.79" in said


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        (1 / 3, "power"),
        (0.333, "power"),
        (0.2, "equal"),
        (0.8, "others"),
        (0.667, "How many"),
        (1 / 17, "less noise"),
        (0.499, "parts"),
        (3, "between"),
    ],
)
def test_slips_of_the_share(typed, word):
    assert word in _share(np.array([typed]))


@pytest.mark.parametrize("typed", ["1/2", "0.5", ".5", "4/8"])
def test_the_share_may_be_typed_in_several_ways(typed):
    assert exercises.share_of_rho().answer.judge(typed) == RIGHT


NEEDED = np.array([math.sqrt(2) * moved / sd for moved, sd in exercises.WANTED.values()])


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        (np.full(5, 0.2), "equally hard"),
        (NEEDED / math.sqrt(2), "scale or a standard deviation"),
        (NEEDED * [1, 1, 1, 1, 0.5], "bins"),
        (NEEDED * [1, 0.3, 1, 1, 1], "Too noisy: 2."),
        (2 * NEEDED, "refuses"),
        (NEEDED - [0, 0, 0, 0, 1], "above 0"),
        (NEEDED, RIGHT),
        (NEEDED / NEEDED.sum(), RIGHT),
    ],
)
def test_the_budget_is_charged_and_its_slips_told_apart(typed, word):
    assert word in _spend(typed)


def test_an_equal_split_fails_and_the_budget_has_room():
    assert 0.85 < NEEDED.sum() < 0.97
    assert (NEEDED > 0.2).sum() == 2


def test_the_change_that_alarms_is_the_one_that_the_auditor_refutes():
    for registry, alarm in ((FAULTS, True), (CORRECT, False)):
        entry = registry["printed comparison"]
        finding = audit(entry.mechanism, entry.data, entry.neighbour, samples=100_000, rng=1)
        assert alarms(finding, entry.epsilon) == alarm
    assert "2.25, 24.75, 74.75" in exercises.break_the_vector().solution


# The trade-off curve --------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
def test_the_trade_off_curve_is_drawn_cleanly(mode, epsilon, layout_problems):
    rates = {"Laplace noise": np.array([[0.2, 0.9], [0.9, 0.2]]), "another": np.full((1, 2), 0.5)}
    figure = figure_trade_off(rates, epsilon=epsilon, runs=1000, mode=mode)
    assert layout_problems(figure) == []
    assert 40 < len(figure.alt) <= 300


@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
def test_laplace_noise_has_the_trade_off_of_its_best_tests(epsilon):
    """Beside every set of outputs of a fine grid that a likelihood ratio can choose."""
    edges = np.linspace(-40 / epsilon, 40 / epsilon, 4001)
    low, high = (np.where(x < 0, np.exp(x) / 2, 1 - np.exp(-abs(x)) / 2)
                 for x in (epsilon * edges, epsilon * (edges - 1)))  # fmt: skip
    alarms, misses = 1 - low, high  # alarm from each edge on
    assert np.abs(laplace_misses(alarms, epsilon=epsilon) - misses).max() < 1e-12
    assert np.all(misses >= least_misses(alarms, epsilon=epsilon) - 1e-12)


def test_delta_lowers_the_limit_and_randomized_response_attains_it():
    a = np.linspace(0, 1, 101)
    assert np.all(least_misses(a, epsilon=1, delta=0.1) <= least_misses(a, epsilon=1))
    turned = 1 / (1 + math.e)  # the chance that an answer is turned round
    assert least_misses(turned, epsilon=1) == pytest.approx(turned)
    assert least_misses(0, epsilon=1, delta=0.1) == pytest.approx(0.9)


def test_each_ball_falls_where_its_noisy_count_is_and_the_score_counts_right_guesses():
    trace = guesses.record(rounds=30, seed=5)
    final = trace[-1]
    assert len({step.values.tobytes() for step in trace}) == 1
    for step in trace:
        likelier = np.abs(final.values - final.count) < np.abs(final.values - final.count + 1)
        assert step.right == (likelier == final.sides)[: step.done].sum()
        at = guesses.places(step)
        waiting = at[:, 1] == guesses.TOP
        assert waiting.sum() == 30 - step.done
        assert len(np.unique(at, axis=0)) == 30  # no two in one place
        right = at[~waiting, 0] > final.count - 0.5
        assert step.right == (right == final.sides[~waiting]).sum()  # as a reader counts
        inside = ~waiting & (np.abs(final.values - final.count + 1) < guesses.REACH)
        assert np.all(np.abs(at[inside, 0] - final.values[inside]) <= guesses.BIN / 2 + 1e-9)
        assert np.all((at[~waiting, 1] > guesses.FLOORS[1]) == final.sides[~waiting])


def test_the_trade_off_of_the_balls_nears_that_of_laplace_noise():
    """3,000 balls; 4.9 standard deviations of a share of half of them."""
    last = guesses.record(rounds=3000, seed=6)[-1]
    false_alarms, hits = guesses.rates(last).T
    levels = guesses.LEVELS
    tail = np.where(levels > 0, 0.5 * np.exp(-np.abs(levels)), 1 - 0.5 * np.exp(-np.abs(levels)))
    margin = 4.9 * math.sqrt(0.25 / 1300)
    assert np.all(np.abs(false_alarms - tail) < margin)
    assert np.all(np.abs(1 - hits - laplace_misses(tail, epsilon=1)) < margin)
    assert last.right / 3000 < last.limit + 4.9 * math.sqrt(0.25 / 3000)


@pytest.mark.parametrize("mode", MODES)
def test_the_heaps_fit(mode, layout_problems):
    for step in guesses.record(seed=7)[::10]:
        assert layout_problems(guesses.GUESSES.figure(step, mode)) == []
