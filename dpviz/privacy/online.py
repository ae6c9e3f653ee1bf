"""Online-to-private reduction (IC mechanism): a learner with a mistake bound, and a threshold test.

Statements: HR Definition 3; L13 Theorem 1.
Huang and Roth (2014), Definitions 3 and 4 and Lemma 3; the same construction is OnlineIC in
Roth's lecture 13 and the median mechanism of Roth and Roughgarden (2010). A public learner
guesses each answer. A threshold test, which pays only for its positive answers, says when the guess
is too far off; only then is a private oracle asked, and the learner learns from its reply.

**Privacy.** All that depends on the data are the answers of the threshold and the replies of
the oracle, and the learner is a function of these. So the whole stream of answers, however
long and however the questions are chosen, costs what the ledger says: the runs of the
threshold and at most ``positives`` calls of the oracle, by adaptive composition. What the learner
is, and whether it learns anything, does not matter.

**Accuracy.** If the noises of the threshold stay within s (`sparse_vector.threshold_accuracy`)
and the learner is wrong by more than threshold - s at most ``positives`` times, every guess that
stands is within threshold + s of the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from dpviz.checks import choice, number
from dpviz.privacy.ledger import BudgetExceeded
from dpviz.privacy.sparse_vector import Threshold

Query: TypeAlias = Any  # whatever the learner and the oracle understand
Reply: TypeAlias = Any  # whatever the oracle gives and the learner learns from


class Learner(Protocol):
    """A public learner: it sees only questions and noisy replies."""

    def predict(self, query: Query) -> float:
        """Guess the answer."""

    def update(self, query: Query, reply: Reply) -> None:
        """Learn from the oracle's reply at a question where the guess was too far off."""


class Many(Protocol):
    """Many questions at once: their parts in order, equally many for each question."""

    parts: Sequence[Query]  # (m,)

    def truths(self) -> np.ndarray:
        """What is private at each; (m,)."""

    def guesses(self) -> np.ndarray:
        """What the learner guesses now at each; (m,)."""


KINDS = ("guess", "measured", "frozen")
WINDOW = 4096  # checks that are looked at together at first; twice as many each time after


@dataclass(frozen=True)
class Answer:
    """A released answer.

    Attributes
    ----------
    kind : "guess" (the learner's own), "measured" (its guess failed, the oracle was asked) or
        "frozen" (the positive answers are used up; nothing is promised but privacy, unless the
        learner's mistake bound is at most their number)
    """

    value: float
    kind: str


class Online:
    """Answers questions one by one; see the module for why it is private.

    Parameters
    ----------
    truth : check -> float, private; moves by at most the threshold's sensitivity
    oracle : check -> reply, a private measurement through a curator
    threshold : from ``curator.above_threshold``; its positive answers are the budget of updates
    sides : "two" tests |truth - guess|, "one" tests truth - guess (for learners that never guess
        too high)
    answers : above the threshold, "learner" gives the learner's new guess, "oracle" the reply
    shift : float, added to guesses that stand: public, so free
    after : once the positive answers are used, "refuse" (BudgetExceeded) or "freeze" (guess on)
    checks : query -> its parts, tested in this order; the answer is the sum over them
    read : (query, reply) -> number, the answer that a reply gives

    Raises ValueError if a word is none of these.
    """

    def __init__(
        self,
        learner: Learner,
        *,
        truth: Callable[[Query], float],
        oracle: Callable[[Query], Reply],
        threshold: Threshold,
        sides: str = "two",
        answers: str = "learner",
        shift: float = 0.0,
        after: str = "refuse",
        checks: Callable[[Query], Iterable[Query]] = lambda query: (query,),
        read: Callable[[Query, Reply], float] = lambda query, reply: reply,
    ):
        self.learner = learner
        self.threshold = threshold
        self._truth = truth
        self._oracle = oracle
        self._checks = checks
        self._read = read
        self._two_sided = choice("sides", sides, ("one", "two")) == "two"
        self._measured = choice("answers", answers, ("learner", "oracle")) == "oracle"
        self._refuses = choice("after", after, ("refuse", "freeze")) == "refuse"
        self._shift = number("shift", shift)

    def answer(self, query: Query) -> Answer:
        """Answer one question; it may depend on all answers so far.

        Raises ``BudgetExceeded`` if the positive answers are used and ``after`` is "refuse".
        """
        answers = self.parts(self._checks(query))
        kinds = [answer.kind for answer in answers]
        kind = next((kind for kind in ("measured", "frozen") if kind in kinds), "guess")
        return Answer(sum(answer.value for answer in answers), kind)

    def parts(self, checks: Iterable[Query]) -> list[Answer]:
        """Answers to the parts of one question, in order. Raises as :meth:`answer`."""
        self._open()
        return [self._check(query) for query in checks]

    def answer_all(self, many: Many, *, each: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Answer many questions in order: the same answers as one by one, faster.

        Parameters
        ----------
        many : :class:`Many`, with k ``each`` parts for k questions
        each : int >= 1, parts of each question

        Returns arrays (k, each): answers to the parts, and kinds, indices into ``KINDS``. If
        ``after`` is "refuse" and the positive answers run out, the arrays end with the question
        that used the last one. Raises ``BudgetExceeded`` if they had run out before.
        """
        self._open()
        values = np.empty(len(many.parts))
        kinds = np.zeros(len(many.parts), dtype=np.int8)
        now = 0
        truths = many.truths() if self.threshold.positives_left else np.empty(0)
        while self.threshold.positives_left:
            guesses = many.guesses()
            end = self._first_above(truths, guesses, now)
            values[now:end] = guesses[now:end] + self._shift
            if end == len(values):
                break
            values[end], kinds[end], now = self._learn(many.parts[end]).value, 1, end + 1
        else:
            values[now:], kinds[now:] = many.guesses()[now:] + self._shift, 2
            if self._refuses:
                end = -(-now // each) * each
                values, kinds = values[:end], kinds[:end]
        return values.reshape(-1, each), kinds.reshape(-1, each)

    def _first_above(self, truths: np.ndarray, guesses: np.ndarray, now: int) -> int:
        """The first check from ``now`` on that is above, or how many there are.

        Where one is soon found, what comes long after it is not subtracted.
        """
        size = WINDOW
        while now < len(truths):
            gaps = truths[now : now + size] - guesses[now : now + size]
            first = self.threshold.above_first(np.abs(gaps) if self._two_sided else gaps)
            if first is not None:
                return now + first
            now, size = now + size, 2 * size
        return len(truths)

    def _open(self) -> None:
        if self._refuses and not self.threshold.positives_left:
            raise BudgetExceeded("all updates are used: no more questions are answered")

    def _check(self, query: Query) -> Answer:
        """Test the guess at one query; ask the oracle only above the threshold."""
        guess = float(self.learner.predict(query))
        if not self.threshold.positives_left:
            return Answer(guess + self._shift, "frozen")
        gap = self._truth(query) - guess
        if not self.threshold.above(abs(gap) if self._two_sided else gap):
            return Answer(guess + self._shift, "guess")
        return self._learn(query)

    def _learn(self, query: Query) -> Answer:
        """Ask the oracle, and learn from its reply."""
        reply = self._oracle(query)
        self.learner.update(query, reply)
        value = self._read(query, reply) if self._measured else self.learner.predict(query)
        return Answer(float(value), "measured")
