"""The transcript test: privacy without statistics.

Run a mechanism on ``data`` and write down every question it asks its curator, with the reply.
Run it again on a neighbour, with a curator that gives the same replies, and compare question
by question: did the private value move by more than it was said to? Did a sensitivity, a
cost, a name, a level or a ball depend on the data? Were as many questions asked? Is what comes
out the same, as far as it can be seen (:func:`same`)? Of a walk, every score that it met
and every move that it made are compared.

This is the induction step in the proof of adaptive composition, carried out on one pair of
neighbours: if at each question, given the same past, the private value moves by at most the
sensitivity that was paid for, the whole output has the privacy that the ledger adds up to.
It holds for the pairs that were tried; the proof is what holds for all.
"""

from __future__ import annotations

import copy
import math
import types
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from dpviz import checks
from dpviz.privacy.curator import BudgetExceeded, Curator
from dpviz.privacy.exponential_mechanism import StepFunction, Walk
from dpviz.privacy.ledger import Charge, Question
from dpviz.privacy.pieces import Few

T = TypeVar("T")

PLAIN = {type(None), bool, int, str, bytes}
ITSELF = (type, types.FunctionType, types.BuiltinFunctionType, np.ufunc)
SLACK = 1e-9  # relative; private values are sums of doubles


class Recorder(Curator):
    """A curator that writes down every question and its reply."""

    def __init__(self, **budget: Any):
        super().__init__(**budget)
        self.questions: list[tuple[Question, object]] = []

    def _reply(self, question: Question, draw: Callable[[], T]) -> T:
        question = _kept(question)
        reply = super()._reply(question, draw)
        self.questions.append((question, copy.deepcopy(reply)))
        return reply

    def _check(self, charge: Charge, value: float, compare: Callable) -> bool:
        return self._reply(_checked(charge, value), lambda: compare(value))

    def _check_run(
        self, charge: Charge, values: np.ndarray, one: Callable, run: Callable
    ) -> int | None:
        first = run(values)
        looked_at = values if first is None else values[: first + 1]
        questions = (_checked(charge, value) for value in looked_at)
        self.questions += [(question, i == first) for i, question in enumerate(questions)]
        return first

    def _make(self, *how: object) -> Curator:
        child = super()._make(*how)
        child.questions = self.questions  # the whole tree is one conversation
        return child


class Replayer(Curator):
    """A curator that pays, but replies what another one replied; it notes what differs."""

    def __init__(self, recorded: list[tuple[Question, object]] = (), **budget: Any):
        super().__init__(**budget)
        self.recorded = iter(recorded)
        self.faults: list[str] = []
        self.moved: dict[Hashable, float] = {}

    def _reply(self, question: Question, draw: Callable[[], T]) -> T:
        self._pay(question.charge)  # a refusal stands in no transcript: the ledger decides it
        before, reply = next(self.recorded, (None, None))
        if before is None:
            self.faults.append(f"{question.charge.label!r} is asked on one side only")
            return draw()
        self.faults += differences(before, question, self.moved)
        return copy.deepcopy(reply)

    def _check(self, charge: Charge, value: float, compare: Callable) -> bool:
        return self._reply(_checked(charge, value), lambda: compare(value))

    def _check_run(
        self, charge: Charge, values: np.ndarray, one: Callable, run: Callable
    ) -> int | None:
        positives = (i for i, value in enumerate(values) if self._check(charge, value, one))
        return next(positives, None)

    def _make(self, *how: object) -> Curator:
        child = super()._make(*how)
        child.recorded = self.recorded
        child.faults = self.faults
        child.moved = self.moved
        return child


def faults(
    mechanism: Callable[[Any, Curator], object],
    data: object,
    neighbour: object,
    *,
    rng: checks.Seed,
    **budget: float,
) -> list[str]:
    """Everything that the transcripts of a mechanism on two neighbours disagree on.

    Statements: R10 Fact 1.

    Parameters
    ----------
    mechanism : callable (data, curator) -> what the public sees
    data, neighbour : private, differing in one record
    rng : seed; the same for both sides, so that noise drawn behind the curator's back shows
    budget : epsilon or rho, and delta, of the curators

    Returns a list of sentences; empty if none was found. Raises BudgetExceeded if the budget does
    not suffice for ``data``.

    >>> mean = lambda data, curator: curator.laplace(
    ...     np.mean(data), sensitivity=1 / 4, epsilon=1, label="mean")
    >>> faults(mean, [0, 0, 0, 0], [0, 0, 0, 1], rng=0, epsilon=1)
    []
    >>> faults(mean, [0, 0, 0, 0], [0, 0, 0, 2], rng=0, epsilon=1)
    ["'mean' (laplace) moved by 0.5, paid for 0.25 (L1)"]
    """
    recorder = Recorder(rng=rng, **budget)
    released = mechanism(data, recorder)
    replayer = Replayer(recorder.questions, rng=rng, **budget)
    try:
        again = mechanism(neighbour, replayer)
    except BudgetExceeded as refusal:
        return [*replayer.faults, f"on one side only: {refusal}"]
    faults_met = list(replayer.faults)
    faults_met += [f"{q.charge.label!r} is asked on one side only" for q, _ in replayer.recorded]
    faults_met += _unlike(released, again, "the releases differ although all replies were equal")
    if recorder.ledger != replayer.ledger:
        faults_met.append("the ledgers differ")
    return faults_met


def differences(before: Question, after: Question, moved: dict[Hashable, float]) -> list[str]:
    """How two questions at the same place differ beyond what was paid for."""
    one = before.charge
    other = after.charge
    if _public(one) != _public(other) or before.norm != after.norm:
        return [f"{one.label!r} ({one.verb}) depends on the data: {_public(other)}"]
    what = f"{one.label!r} ({one.verb})"
    faults = []
    for name in before.public:
        if name != "table":  # the table itself, an object of each side's own
            fault = f"the {name} of {what} depends on the data"
            faults += _unlike(before.public[name], after.public[name], fault)
    if before.norm == "walk":
        proposals = _proposals(before.private, after.private)
        faults += _unlike(*proposals, f"the moves of {what} depend on the data")
    try:
        change = movement(before.private, after.private, before.norm)
    except TypeError as problem:
        return [*faults, f"{what}: {problem}"]
    if before.norm == "table":
        change = _moved_in_all(before, after, moved)
    if change > one.sensitivity * (1 + SLACK):
        paid = f"{one.sensitivity:.4g} ({before.norm})"
        faults.append(f"{what} moved by {change:.4g}, paid for {paid}")
    return faults


def movement(before: object, after: object, norm: str) -> float:
    """How far a private value moved, in the norm of its question.

    >>> movement([0.0, 3.0], [4.0, 0.0], "L1"), movement([0.0, 3.0], [4.0, 0.0], "L2")
    (7.0, 5.0)
    >>> movement(["a", "b"], ["a", "c"], "rows")
    1.0
    """
    if norm == "rows" and isinstance(before, Few) and isinstance(after, Few):
        change = np.abs(before.value - after.value)
        alike = before.value.sum() == after.value.sum()
        return float(change.sum() / 2) if alike else math.inf
    if norm == "rows":
        if len(before) != len(after):
            return math.inf
        return float(sum(not same(x, y) for x, y in zip(before, after, strict=True)))
    if norm == "walk":
        return _walk_movement(before, after)
    if isinstance(before, StepFunction) and isinstance(after, StepFunction):
        return before.movement(after)
    old = np.asarray(before, dtype=float)
    new = np.asarray(after, dtype=float)
    if old.shape != new.shape:
        return math.inf
    change = np.abs(old - new).ravel()
    lengths = {"L1": np.sum, "L2": np.linalg.norm, "max": np.max, "table": np.sum}
    return float(lengths[norm](change)) if change.size else 0.0


def _unlike(one: object, other: object, fault: str) -> list[str]:
    """The fault, if two public things differ; or why they cannot be compared."""
    try:
        return [] if same(one, other) else [fault]
    except TypeError as problem:
        return [str(problem)]


def _kept(question: Question) -> Question:
    """The question with a copy of what the mechanism may overwrite later; a walk is watched."""
    private = question.private
    if isinstance(private, Walk):
        private.watch()
    elif isinstance(private, np.ndarray | list):
        private = private.copy()
    public = {
        name: x if name == "table" else copy.deepcopy(x) for name, x in question.public.items()
    }
    return replace(question, private=private, public=public)


def _moved_in_all(before: Question, after: Question, moved: dict) -> float:
    """How far a table moved over all its names, each by its largest movement so far."""
    table = after.public["table"]
    changes = np.abs(before.private - after.private).tolist()
    for name, change in zip(after.public["names"], changes, strict=True):
        moved[table, name] = max(change, moved.get((table, name), 0.0))
    return math.fsum(value for (other, _), value in moved.items() if other is table)


def _walk_movement(before: Walk, after: Walk) -> float:
    """The largest movement of a score at the start and at all states that were proposed."""
    steps = [abs(after.score(step.proposed) - step.score) for step in before.steps]
    return float(max([abs(after.first - before.first), *steps]))


def _proposals(before: Walk, after: Walk) -> tuple[list, list]:
    """What a walk was proposed, and what the other side's moves propose there, draw for draw."""
    mover = copy.deepcopy(before.mover)
    proposed = [(step.proposed, step.log_ratio) for step in before.steps]
    return proposed, [after.move(step.state, mover) for step in before.steps]


def _checked(charge: Charge, value: float) -> Question:
    """The question that one check asks, alone or in a run."""
    return Question(charge=charge, private=value, norm="max")


def _public(charge: Charge) -> Charge:
    """The charge without the ledger of its part, which is compared on its own."""
    return replace(charge, sub_ledger=None)


def same(one: Any, other: Any) -> bool:
    """Whether nothing tells the one from the other, by type and contents; NaN is the same as NaN.

    An object may define ``==`` as it likes, and two numbers may be equal and look different (1 and
    True, 0.0 and -0.0). What is released is what can be seen, so that is what is compared. Objects
    are seen as `pickle` sees them; what it cannot see, a closure or a generator, is refused.
    Raises TypeError if something in them cannot be seen.

    >>> same([1, float("nan")], [1, float("nan")]), same(1, True), same(0.0, -0.0)
    (True, False, False)
    >>> same({"a": 1, "b": 2}, {"b": 2, "a": 1})  # their order can be seen
    False
    """
    if type(one) is not type(other):
        return False
    if type(one) in PLAIN:
        return bool(one == other)
    if type(one) in (float, complex):
        return repr(one) == repr(other)
    if type(one) in (list, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is dict:
        return same(list(one.items()), list(other.items()))
    if type(one) in (set, frozenset):
        return {(type(x), x) for x in one} == {(type(x), x) for x in other}
    if isinstance(one, np.ndarray | np.generic):
        return _arrays(one, other)
    if isinstance(one, ITSELF) and one is other:
        return True
    return same(_seen(one), _seen(other))


def _arrays(one: object, other: object) -> bool:
    """Shape, type, mask and contents; signs of zeros too."""
    mine = np.asarray(one)
    its = np.asarray(other)
    if mine.dtype != its.dtype or mine.shape != its.shape:
        return False
    if not np.array_equal(np.ma.getmaskarray(one), np.ma.getmaskarray(other)):
        return False
    if mine.dtype.kind == "O":
        return all(map(same, mine.flat, its.flat))
    equal = mine == its
    if mine.dtype.kind == "f":
        equal &= np.signbit(mine) == np.signbit(its)
    return bool(np.all(equal | ((mine != mine) & (its != its))))


def _seen(value: object) -> list[object]:
    """All that a pickle would keep of an object; TypeError if that is not all there is."""
    try:
        parts = value.__reduce_ex__(2)
    except TypeError as problem:
        name = type(value).__qualname__
        raise TypeError(
            f"a {name} cannot be compared: release numbers, arrays or a dataclass"
        ) from problem
    parts = [parts] if isinstance(parts, str) else parts
    return [list(part) if isinstance(part, Iterator) else part for part in parts]
