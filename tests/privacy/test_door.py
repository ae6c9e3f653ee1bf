"""The curator's door is shut: no twin, no second noise, no race, no switch, nothing half paid."""

import copy
import os
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

from dpviz.audit.transcript import Recorder, Replayer
from dpviz.privacy.curator import BudgetExceeded, Curator
from dpviz.privacy.online import Online
from dpviz.sweeps.sweep import sweep

PRICE = {"sensitivity": 1, "epsilon": 1, "label": "x"}


def rich(rng=0, **budget):
    return Curator(rng=rng, **(budget or {"epsilon": 30.0, "delta": 0.1}))


def table(curator):
    return curator.lazy_histogram(epsilon=1, label="words")


def threshold(curator, **how):
    return curator.above_threshold(0, **{**PRICE, "positives": 3, **how})


# One noise for one name


def test_the_noise_of_an_entry_cannot_be_read_off_by_a_second_value():
    words = table(rich())
    first = words.entry("a", 212)
    assert words.entry("a", 0.0) == first
    assert words.entry("a", -1e9) == first


def test_the_first_touch_draws_and_a_refused_one_does_not():
    one, other = rich(3), rich(3)
    with pytest.raises(ValueError, match="value must be finite"):
        table(one).entry("a", np.nan)
    assert table(one).entry("a", 1) == table(other).entry("a", 1)


@pytest.mark.parametrize(
    ("name", "value", "words"), [(["a"], 1, "name"), ("a", [1, 2], "value"), ("a", "b", "value")]
)
def test_what_is_no_entry_is_refused_by_name(name, value, words):
    with pytest.raises((TypeError, ValueError), match=f"^{words} must"):
        table(rich()).entry(name, value)


# No twins


class Holder:
    """An interactive mechanism as papers have them: it holds a curator."""

    def __init__(self, curator):
        self.curator = curator


def online(curator):
    parts = {"truth": float, "oracle": float, "threshold": threshold(curator)}
    return Online(None, **parts)


HOLDERS = {
    "curator": rich,
    "part": lambda: rich().sub_curator(epsilon=1, label="part"),
    "threshold": lambda: threshold(rich()),
    "table": lambda: table(rich()),
    "recorder": lambda: Recorder(epsilon=1, rng=0),
    "replayer": lambda: Replayer(epsilon=1, rng=0),
}
TWINS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickle.dumps}


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("holder", HOLDERS)
def test_whatever_holds_the_stream_has_no_twin(holder, twin):
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        TWINS[twin](HOLDERS[holder]())


@pytest.mark.parametrize("twin", ["deepcopy", "pickle"])
@pytest.mark.parametrize("mechanism", [Holder, online])
def test_a_mechanism_is_copied_with_its_curator_or_not_at_all(mechanism, twin):
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        TWINS[twin](mechanism(rich()))


USES = {
    "laplace": lambda curator, test, words: curator.laplace(0.0, **PRICE),
    "choose": lambda curator, test, words: curator.choose([0, 1], **PRICE),
    "part": lambda curator, test, words: curator.sub_curator(epsilon=1, label="part"),
    "above": lambda curator, test, words: test.above(0.0),
    "above_first": lambda curator, test, words: test.above_first([0.0]),
    "entry": lambda curator, test, words: words.entry("a", 0.0),
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("use", USES)
def test_a_forked_child_is_refused(use):
    curator = rich()
    test, words = threshold(curator), table(curator)
    test.above(-1e9)
    assert said_by_a_child(lambda: USES[use](curator, test, words)).startswith(
        "RuntimeError this curator belongs to another process"
    )


def said_by_a_child(run):
    """What a forked child comes to: the name and the words of its error, or "nothing"."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        said = "nothing"
        try:
            run()
        except Exception as problem:
            said = f"{type(problem).__name__} {problem}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return said


@dataclass(frozen=True)
class Scale:
    """What is public in a trial."""

    scale: float = 1.0


def once(params, *, rng):
    """A trial that makes its own curator, wherever it runs."""
    return {"noise": Curator(epsilon=1, rng=rng).laplace(0.0, **PRICE) * params.scale}


def test_workers_that_make_their_own_curator_go_on():
    """Threads share a process; joblib's workers are processes of their own."""
    grid = {"scale": [1.0, 2.0]}
    here = sweep(once, Scale(), grid, repeats=3, rng=5)
    there = sweep(once, Scale(), grid, repeats=3, rng=5, jobs=2)
    with ThreadPoolExecutor(2) as pool:
        threads = sweep(once, Scale(), grid, repeats=3, rng=5, executor=pool)
    assert np.array_equal(here["noise"], there["noise"])
    assert np.array_equal(here["noise"], threads["noise"])


# No race


def together(run, count=2):
    """Run in so many threads that change places as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)


def until_refused(ask, most=60):
    """Ask until the budget is spent."""
    for _ in range(most):
        try:
            ask()
        except BudgetExceeded:
            return


def test_threads_get_no_more_answers_than_are_paid_for():
    for trial in range(200):
        curator, answers = rich(trial, epsilon=10), []
        part = curator.sub_curator(epsilon=5, label="part")

        def run(curator=curator, part=part, answers=answers):
            until_refused(lambda: answers.append(curator.laplace(0.0, **PRICE)))
            until_refused(lambda: answers.append(part.laplace(0.0, **PRICE)))

        together(run)
        assert len(answers) == len(set(answers)) == 10
        assert curator.ledger.spent.epsilon == 10


def test_a_part_waits_for_its_curator_s_turn():
    """They draw from one stream: while one has its turn the other gets nothing."""
    curator, answers = rich(), []
    part = curator.sub_curator(epsilon=5, label="part").sub_curator(epsilon=2, label="inner")
    thread = threading.Thread(target=lambda: answers.append(part.laplace(0.0, **PRICE)))
    with curator._turn:
        thread.start()
        thread.join(timeout=0.3)
        assert answers == []
    thread.join()
    assert len(answers) == 1


@pytest.mark.parametrize("method", ["fresh", "once"])
def test_threads_get_no_more_hits_than_are_left(method):
    for trial in range(100):
        curator, positives = rich(trial, epsilon=10), []
        test = threshold(curator, method=method, positives=5)

        def run(test=test, positives=positives):
            until_refused(lambda: positives.append(test.above(1e9)))
            until_refused(lambda: positives.append(test.above_first([1e9]) == 0))

        together(run)
        assert positives == [True] * 5
        assert test.positives_left == 0
        assert curator.ledger.spent.epsilon == (5 if method == "fresh" else 1)


def test_threads_read_one_noise_for_one_name():
    for trial in range(50):
        words, read = table(rich(trial)), []

        def run(words=words, read=read):
            read.extend((name, words.entry(name, 0)) for name in range(30))

        together(run)
        assert len(set(read)) == 30


# No switch


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (rich, "budget"),
        (rich, "composition"),
        (rich, "ledger"),
        *((lambda: table(rich()), name) for name in ("scale",)),
        *(
            (lambda: threshold(rich()), name)
            for name in ("positives_left", "threshold", "threshold_scale", "value_scale", "level")
        ),
    ],
)
def test_public_state_is_read_only(make, name):
    made = make()
    before = getattr(made, name)
    with pytest.raises(AttributeError):
        setattr(made, name, 10**6)
    assert getattr(made, name) == before


# Nothing half paid

STAY = lambda state, rng: (state, 0.0)  # noqa: E731


def walk(curator, **how):
    price = {**PRICE, "steps": 3, "distance": 0.0}
    given = {"score": lambda state: 0.0, "start": 0, "move": STAY, **how}
    return curator.choose_metropolis(
        given.pop("score"), given.pop("start"), given.pop("move"), **price
    )


def shaped(curator, value, factor):
    return curator.gaussian(value, sensitivity=1, epsilon=1, delta=0.01, factor=factor, label="x")


HALF = {
    "a factor of one dimension": (lambda c: shaped(c, [1.0, 2.0], [1.0, 2.0]), "factor"),
    "a factor too narrow": (lambda c: shaped(c, [1.0, 2.0], [[1.0]]), "factor"),
    "a factor for a table": (lambda c: shaped(c, np.ones((2, 3)), np.ones((4, 6))), "value"),
    "a factor for a number": (lambda c: shaped(c, 1.0, [[1.0]]), "value"),
    "a move that is none": (lambda c: walk(c, move="north"), "move"),
    "a move without its ratio": (lambda c: walk(c, move=lambda state, rng: state), "move"),
    "a move with words": (lambda c: walk(c, move=lambda state, rng: (state, "even")), "move"),
    "a move with NaN": (lambda c: walk(c, move=lambda state, rng: (state, np.nan)), "move"),
    "a score that is none": (lambda c: walk(c, score=3.0), "score"),
    "a score of two numbers": (lambda c: walk(c, score=lambda state: [0.0, 1.0]), "score"),
    "keys that last one look": (
        lambda c: c.heaviest_cell(iter("aaa"), epsilon=1, delta=0.01, label="x"),
        "keys",
    ),
    "keys that cannot be counted": (
        lambda c: c.stable_histogram([["a"]], epsilon=1, delta=0.01, label="x"),
        "keys",
    ),
    "a sample of a number": (
        lambda c: c.sub_curator_subsampled(3.0, size=1, epsilon=1, label="x"),
        "data",
    ),
}


@pytest.mark.parametrize("case", HALF)
def test_what_is_refused_is_not_charged(case):
    ask, name = HALF[case]
    curator = rich()
    with pytest.raises((TypeError, ValueError), match=f"^{name}"):
        ask(curator)
    assert curator.ledger == rich().ledger
    assert curator.laplace(0.0, **PRICE) == rich().laplace(0.0, **PRICE)


SECRET = 2**100 + 7


def rebuilt(handed):
    """A curator made again from what a generator says of its origin."""
    return rich(handed.bit_generator.seed_seq.entropy)


def test_a_move_cannot_make_the_noise_again():
    """A spawned child names its parent's seed: with that, the noise is drawn again. Not so here."""
    child = np.random.default_rng(SECRET).spawn(1)[0]
    assert rebuilt(child).laplace(0.0, **PRICE) == rich(SECRET).laplace(0.0, **PRICE)
    handed, curator = [], rich(SECRET)
    walk(curator, move=lambda state, rng: (handed.append(rng), (state, 0.0))[1])
    assert len(handed) == 4 and len({id(rng) for rng in handed}) == 2  # tried once, three steps
    noise = curator.laplace(0.0, **PRICE)
    for rng in handed:
        seeds = rng.bit_generator.seed_seq
        assert SECRET not in (seeds.entropy, *seeds.spawn_key) and not seeds.spawn_key
        guess = rebuilt(rng)
        assert guess.laplace(0.0, **PRICE) != rich(SECRET).laplace(0.0, **PRICE)
        guess = rebuilt(rng)
        walk(guess)
        assert guess.laplace(0.0, **PRICE) != noise


LABELLED = {
    "laplace": lambda c, label: c.laplace(0.0, **{**PRICE, "label": label}),
    "gaussian": lambda c, label: c.gaussian(0.0, sensitivity=1, epsilon=1, delta=0.01, label=label),
    "average": lambda c, label: c.average(
        [[0.0]], center=[0], radius=1, epsilon=1, delta=0.01, label=label
    ),
    "count_average": lambda c, label: c.count_average(
        [[0.0]], center=[0], radius=1, epsilon=1, delta=0.01, label=label
    ),
    "choose": lambda c, label: c.choose([0], **{**PRICE, "label": label}),
    "choose_metropolis": lambda c, label: c.choose_metropolis(
        lambda s: 0.0, 0, STAY, steps=1, distance=0.0, **{**PRICE, "label": label}
    ),
    "stable_choice": lambda c, label: c.stable_choice([0], epsilon=1, delta=0.01, label=label),
    "heaviest_cell": lambda c, label: c.heaviest_cell("a", epsilon=1, delta=0.01, label=label),
    "stable_histogram": lambda c, label: c.stable_histogram(
        "a", epsilon=1, delta=0.01, label=label
    ),
    "above_threshold": lambda c, label: c.above_threshold(0, **{**PRICE, "label": label}),
    "lazy_histogram": lambda c, label: c.lazy_histogram(epsilon=1, label=label),
    "lazy_gaussian": lambda c, label: c.lazy_gaussian(
        sensitivity=1, epsilon=1, delta=0.01, label=label
    ),
    "part": lambda c, label: c.sub_curator(epsilon=1, label=label),
    "sub_curator_zcdp": lambda c, label: c.sub_curator_zcdp(epsilon=1, delta=0.01, label=label),
    "sub_curator_steps": lambda c, label: c.sub_curator_steps(
        epsilon=1, k=2, delta=0.01, label=label
    ),
    "sub_curator_subsampled": lambda c, label: c.sub_curator_subsampled(
        [1], size=1, epsilon=1, label=label
    ),
    "sub_curator_resampled": lambda c, label: c.sub_curator_resampled(
        [1], size=1, epsilon=1, label=label
    ),
}


@pytest.mark.parametrize("verb", LABELLED)
def test_a_label_is_a_text_everywhere(verb):
    curator = rich()
    for label in (None, 3, b"x", ["x"]):
        with pytest.raises(TypeError, match="label must be"):
            LABELLED[verb](curator, label)
    assert curator.ledger == rich().ledger


def test_a_walk_s_moves_are_apart_from_the_curator_s_stream():
    seen, curator = [], rich()
    walk(curator, move=lambda state, rng: (seen.append(rng), (state, 0.0))[1])
    assert all(rng is not curator._rng for rng in seen)


@pytest.mark.parametrize(
    "ask",
    [
        lambda c: c.choose([1e308, -1e308], sensitivity=1e-3, epsilon=1, label="x"),
        lambda c: c.stable_choice([1e308, -1e308], epsilon=1, delta=0.01, label="x"),
        lambda c: c.average([[1e308]], center=[-1e308], radius=1, epsilon=1, delta=0.01, label="x"),
        lambda c: walk(c, score=lambda state: np.float64(1e308)),
    ],
)
def test_what_overflows_says_nothing(ask):
    """A warning would depend on the data and cost nothing; warnings are errors here."""
    ask(rich())
