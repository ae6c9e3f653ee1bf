"""An exercise that is answered by a function in a cell: it is run on inputs that are not shown.

What a :class:`Program` returns is compared with the right one's and with typical wrong ones', so
an answer is told the kind of its slip. Inputs are made up, never private data. Nothing here knows
a widget.
"""

from __future__ import annotations

import copy
import html
import inspect
import signal
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.exercises.answers import RIGHT, spoken
from dpviz.exercises.exercise import Exercise, Reply
from dpviz.exercises.record import here
from dpviz.words import say

HIDDEN = 20061  # seed of the inputs
BY_CHANCE = 1e-6  # a right random program is refused less often
SECONDS = 20  # for all inputs together
NEAR = 2.7  # two samples of one law are further apart with probability 1e-6
NOTHING = "program.nothing"


class Misfit(Exception):
    """A function cannot be judged; the message says what is expected."""


def by_factor(found: np.ndarray, expected: np.ndarray) -> str:
    """What is said of numbers that no known slip explains: a common factor, or that they differ.

    >>> by_factor(np.array([2.0, 4.0]), np.array([1.0, 2.0]))[:51]
    'Every number is 2 times what it should be. Where is'
    """
    share = found[expected != 0] / expected[expected != 0]
    if len(share) and _near(found, share[0] * expected) and share[0]:
        return say("program.factor", factor=share[0])
    wrong = np.mean(~np.isclose(found, expected, rtol=1e-9, atol=1e-12))
    return say("program.differ", wrong=wrong)


def by_spread(found: np.ndarray, expected: np.ndarray) -> str:
    """The same for Laplace noise: is it centred, too wide, too narrow?

    Parameters
    ----------
    found : uniform on [0, 1] in each row if the law is right; shape (inputs, runs)
    expected : not used

    >>> by_spread(np.full((2, 9), 1.0), np.zeros(1))
    'The noise is not centred where it should be. Which number is it added to?'
    """
    if np.any(np.abs(np.mean(found < 0.5, axis=1) - 0.5) > 0.1):
        return say("program.centre")
    tail = np.minimum(found, 1 - found).clip(1e-300)
    wide = np.mean(-np.log(2 * tail), axis=1)  # mean of the noise's size in units of its scale
    if np.ptp(wide) > 0.2 * wide.mean():
        return say("program.inputs")
    if abs(wide.mean() - 1) > 0.1:
        return say("program.wide", times=wide.mean())
    return say("program.law")


def laplace(out: np.ndarray, centre: float, scale: float) -> np.ndarray:
    """Where outputs lie in a Laplace law: uniform on [0, 1] exactly if they follow it.

    >>> laplace(np.array([1.0, 1e9]), centre=1.0, scale=2.0)
    array([0.5, 1. ])
    """
    z = (out - centre) / scale
    tail = 0.5 * np.exp(-np.abs(z))
    return np.where(z < 0, tail, 1 - tail)


@dataclass(frozen=True, kw_only=True)
class Program:
    """A function that the reader writes.

    Attributes
    ----------
    solution : a right one; its source is the worked solution
    slips : dict from what is said of it to a typical wrong one; beside the texts of a lesson from
        its name there
    inputs : generator -> list of tuples of arguments
    law : of a random program, whose last argument is a generator: outputs of many runs (runs,) and
        the arguments -> numbers that are uniform on [0, 1] exactly if it is right
    runs : how often a random one is run on each input
    otherwise : what is said of any other: what was found and what is right -> a sentence
    """

    solution: Callable[..., Any]
    slips: Mapping[str, Callable[..., Any]]
    inputs: Callable[[np.random.Generator], Sequence[tuple[Any, ...]]]
    law: Callable[..., np.ndarray] | None = None
    runs: int = 2000
    otherwise: Callable[[np.ndarray, np.ndarray], str] = by_factor

    @property
    def right(self) -> str:
        """Source of a right one."""
        return source_of(self.solution)

    @property
    def wrong(self) -> str:
        """The stub that a reader finds in the cell."""
        return f"{self.right.partition(':')[0]}:\n    return ..."

    def reads(self, value: object) -> bool:
        """Whether it is a function."""
        return callable(value)

    def judge(self, value: object) -> str:
        """Run it beside the right one: ``RIGHT``, or what kind of slip it is."""
        cases = self.inputs(np.random.default_rng(HIDDEN))
        try:
            self._fits(value)
            with _deadline(SECONDS):
                out = [self._outputs(value, case) for case in cases]
        except Misfit as said:
            return str(said)
        except TimeoutError:
            return say("program.late", seconds=SECONDS)
        outs = list(map(self._placed, out, cases))
        if self._holds(outs, cases):
            return RIGHT
        if self.law and all(np.ptp(runs) == 0 for runs in out):
            return say("program.same")
        for said, slip in self.slips.items():
            if all(self._same(given, slip, case) for given, case in zip(outs, cases, strict=True)):
                return say(said)
        right = [self._outputs(self.solution, case) for case in cases]
        joined = np.array if self.law else np.concatenate
        return self.otherwise(joined(outs), joined(right))

    def _outputs(self, program: Any, case: tuple[Any, ...]) -> np.ndarray:
        """All numbers that it returns for an input, or one number for each run."""
        if self.law is None:
            own, named = self._arguments(case)
            shape = np.shape(self.solution(*copy.deepcopy(own), **named))
            return _read([_run(program, copy.deepcopy(own), named)], shape).ravel()
        own, named = self._arguments((*case, np.random.default_rng(HIDDEN + 1)))
        return _read([_run(program, _copied(own), named) for _ in range(self.runs)], ())

    def _arguments(self, case: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """An input as the solution takes it: by place, by name."""
        arguments = zip(inspect.signature(self.solution).parameters.values(), case, strict=True)
        own = []
        named = {}
        for parameter, value in arguments:
            if parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            else:
                own.append(value)
        return own, named

    def _placed(self, out: np.ndarray, case: tuple[Any, ...]) -> np.ndarray:
        """The numbers, or where they lie in the right law."""
        if self.law is None:
            return out
        own, named = self._arguments((*case, np.random.default_rng(HIDDEN + 2)))
        return self.law(out, *own, **named)

    def _holds(self, found: Sequence[np.ndarray], cases: Sequence[tuple[Any, ...]]) -> bool:
        """Equal but for rounding; or uniform, by the exact test of Kolmogorov and Smirnov."""
        if self.law is None:
            pairs = zip(found, cases, strict=True)
            return all(_near(given, self._outputs(self.solution, case)) for given, case in pairs)
        from scipy import stats

        chances = [stats.kstest(row, "uniform").pvalue for row in found]
        return min(chances) > BY_CHANCE / len(found)

    def _same(self, found: np.ndarray, slip: Callable[..., Any], case: tuple[Any, ...]) -> bool:
        """Whether a slip does the same on an input, as far as can be told."""
        other = self._placed(self._outputs(slip, case), case)
        if self.law is None:
            return _near(found, other)
        from scipy import stats

        apart = stats.ks_2samp(found, other, method="asymp").statistic
        return bool(apart < NEAR * (2 / self.runs) ** 0.5)

    def _fits(self, value: object) -> None:
        """Refuse what is no function of the stub's arguments."""
        wanted = inspect.signature(self.solution)
        own, named = self._arguments(list(wanted.parameters))
        if not callable(value):
            kind = type(value).__name__
            raise Misfit(say("program.function", kind=kind))
        try:
            inspect.signature(value).bind(*own, **named)
        except (TypeError, ValueError):
            raise Misfit(say("program.arguments", wanted=wanted)) from None


class Coding(Exercise):
    """An exercise whose answer is a function, judged as its cell runs.

    Parameters
    ----------
    question, answer, hints, solution : as of :class:`dpviz.exercises.exercise.Exercise`
    given : the function of the cell
    """

    buttons = ("hint",)

    def __init__(
        self, question: str, answer: Program, hints: Sequence[str], solution: str, given: object
    ):
        code = f"<pre>{html.escape(answer.right)}</pre>"
        super().__init__(question, answer, hints, say(solution) + code)
        self.said = self.check(given)

    def check(self, given: object) -> Reply:
        """Judge a function."""
        verdict = self.answer.judge(given)
        self.said = Reply((spoken(verdict),), verdict == RIGHT)
        return self.said

    def _ipython_display_(self, **kwargs: object) -> None:
        (said,) = self.said.lines
        self.record = here()
        if said != say(NOTHING):
            # What an error says may name a file of the reader's: its kind is enough.
            raised = said.startswith(say("program.raised").partition("{")[0])
            words = RIGHT if self.said.right else said.partition(":")[0] if raised else said
            self.said = Reply((said, *self.keep("a function", words)), self.said.right)
        super()._ipython_display_(**kwargs)

    def hint(self) -> Reply:
        """One more hint, below what was said of the function."""
        return Reply((*self.said.lines, *super().hint().lines), self.said.right)

    def page(self) -> str:
        """HTML for a reader without a kernel."""
        return f"{super().page()}<p>{html.escape(self.said.lines[0])}</p>"


def source_of(program: Callable[..., Any]) -> str:
    """The source of a function, its name without the underscore of a private one."""
    return textwrap.dedent(inspect.getsource(program)).replace("def _", "def ", 1).rstrip()


def _run(program: Any, own: Sequence[Any], named: dict[str, Any]) -> Any:
    """What it returns; a failure is said in one sentence."""
    try:
        return program(*own, **named)
    except TimeoutError:
        raise
    except KeyboardInterrupt:
        raise Misfit(say("program.interrupted")) from None
    except Exception as error:
        kind = f"{type(error).__name__}: {str(error)[:120]}"
        raise Misfit(say("program.raised", error=kind)) from None


def _read(given: Sequence[Any], shape: tuple[int, ...]) -> np.ndarray:
    """What runs returned, each of the shape that is right, as one array."""
    if any(each is None or each is ... for each in given):
        raise Misfit(say(NOTHING))
    try:
        arrays = [np.asarray(each, dtype=float) for each in given]
    except (TypeError, ValueError):
        kind = type(given[0]).__name__
        raise Misfit(say("program.kind", kind=kind, expected=_words(shape))) from None
    for each in arrays:
        if each.shape != shape:
            words = {"shape": _words(each.shape), "expected": _words(shape)}
            raise Misfit(say("program.shape", **words))
    if not np.all(np.isfinite(arrays)):
        raise Misfit(say("program.infinite"))
    return np.array(arrays)


def _copied(own: Sequence[Any]) -> Sequence[Any]:
    """The same arguments, arrays anew: a function may change its own."""
    return [each.copy() if isinstance(each, np.ndarray) else each for each in own]


def _near(found: np.ndarray, other: np.ndarray) -> bool:
    return found.shape == other.shape and np.allclose(found, other, rtol=1e-9, atol=1e-12)


def _words(shape: tuple[int, ...]) -> str:
    """A shape in words."""
    if not shape:
        return say("program.one")
    return say("program.many" if len(shape) == 1 else "program.array", many=shape[0], shape=shape)


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Raise TimeoutError afterwards, where the system can: otherwise the reader interrupts."""
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def late(*_: object) -> None:
        raise TimeoutError

    former = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
