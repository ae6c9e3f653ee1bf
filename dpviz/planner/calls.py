"""The calls of the front door that can answer a question: what each proves, and one run of it.

A plan runs the very call that it recommends, on public records; so it cannot promise one thing and
recommend another. What is proved is asked of the call too (``dpviz.promise``), at any n.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

import dpviz
from dpviz.door import means, sparse_methods
from dpviz.door.frames import Size
from dpviz.door.terms import promise, rehearsal
from dpviz.papers.distance_queries.embeddings.negative_type import LARGEST
from dpviz.papers.smooth_queries import bounds as smooth
from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels
from dpviz.papers.sparse_queries import hashed_histogram, workloads
from dpviz.papers.sparse_queries.queries import Query, batch_of
from dpviz.planner.questions import Data, Question, common
from dpviz.privacy.curator import Curator
from dpviz.privacy.pieces import Exact, Sums

PUBLIC = {"smooth_summary", "distances", "means", "mean", "one_cluster", "clusters"}
LEVY = "Levy's field"
SEEDED = {"one_cluster", "clusters", "sparse_counts"}
TERMS = {1: 14, 2: 10, 3: 8}  # of moments per variable, that are tried
MOST_TERMS = 3
CHECKED = 10**7  # records, up to which balls say whether they fit
SHOWN = 50  # kernels by whose bounds the number of terms is chosen


@dataclass(frozen=True, kw_only=True)
class Case:
    """A question, how many records there are, and the budget; all public."""

    question: Question
    n: int
    epsilon: float
    delta: float
    beta: float


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call of the front door.

    Attributes
    ----------
    name : the mechanism, in the field's words
    function : its name in ``dpviz``; "Curator" where the question is about noise alone
    arguments : beside data, bounds, queries, epsilon and delta
    delta : whether it needs a delta, and is given it
    transform : "distances" or "kernels", where the records' values are asked; None else
    answer : method of the result that answers the queries, or None
    is_exact : whether the proved error is the 1 - beta quantile itself
    """

    name: str
    function: str
    arguments: tuple[tuple[str, Any], ...] = ()
    delta: bool = False
    transform: str | None = None
    answer: str | None = None
    is_exact: bool = False

    def arguments_at(self, case: Case) -> dict[str, Any]:
        """All but data, bounds, queries and curator."""
        given = dict(self.arguments) | {"epsilon": case.epsilon}
        if self.delta:
            given["delta"] = case.delta
        if self.function in ("one_cluster", "clusters"):
            given["t"] = max(1, round((case.question.share or 1) * case.n))
        if self.function == "clusters":
            given["k"] = case.question.k
        if self.function == "smooth_summary":
            given["terms"] = terms(self, case)
        return given

    def misfit(self, case: Case) -> str:
        """Why it cannot take a case, in words of public numbers; empty if it can."""
        if self.delta and not case.delta:
            return "it needs a delta above 0"
        try:
            promised(self, case)
        except ValueError as problem:
            return str(problem)
        return ""

    def proved(self, case: Case) -> float:
        """Proved: no answer is further off, with probability 1 - beta; as a share of the largest
        possible answer. Infinite if nothing is proved, or it does not take the case."""
        return math.inf if self.misfit(case) else promised(self, case)


def calls(question: Question) -> list[Call]:
    """What could answer a question.

    >>> [call.name for call in calls(Question(kind="mean"))]
    ['Laplace mechanism']
    """
    return list(_calls(question))


def _calls(question: Question) -> Iterator[Call]:
    laplace: dict[str, Any] = {"name": "Laplace mechanism", "is_exact": True}
    gaussian: dict[str, Any] = {"name": "Gaussian mechanism", "is_exact": True, "delta": True}
    kind = question.kind
    if kind == "mean":
        yield Call(function="mean", **laplace)
    elif kind in ("means", "noise"):
        function = "means" if kind == "means" else "Curator"
        yield Call(function=function, **laplace)
        yield Call(function=function, **gaussian)
    elif kind in ("distances", "kernels"):
        yield from _distances(question) if kind == "distances" else _kernels()
        laplace |= {"name": "Laplace noise on each", "is_exact": kind == "kernels"}
        gaussian |= {"name": "Gaussian noise on each", "is_exact": kind == "kernels"}
        yield Call(function="means", transform=kind, **laplace)
        yield Call(function="means", transform=kind, **gaussian)
    elif kind == "linear":
        for method, name in (
            ("histogram", "Laplace histogram"),
            ("net", "net mechanism"),
            ("laplace", "Laplace noise on each"),
        ):
            yield Call(name=name, function="linear_queries", arguments=(("method", method),))
    elif kind == "strings":
        yield from _strings(question)
    else:
        yield from _balls(kind)


def _distances(question: Question) -> Iterator[Call]:
    how: dict[str, Any] = {"function": "distances", "answer": "answer"}
    if question.metric in (None, "l1") or question.d == 1:
        how["arguments"] = (("metric", question.metric or "l1"),)
        yield Call(name="Haar wavelets", **how)
        yield Call(name="average sign function", delta=True, **how)
        return
    how["arguments"] = (("metric", "euclidean"),)
    yield Call(name="random projections", **how)
    yield Call(name=LEVY, delta=True, **how)


def _kernels() -> Iterator[Call]:
    how: dict[str, Any] = {"function": "smooth_summary", "answer": "kernels"}
    yield Call(name="truncated moments, Laplace", **how)
    yield Call(name="truncated moments, Gaussian", delta=True, **how)


def _strings(question: Question) -> Iterator[Call]:
    if (question.names or 1) == 1:
        yield Call(name="hashed histogram", function="sparse_counts", answer="answer")
    for method, name, delta in (
        ("lazy histogram", "lazily perturbed histogram", False),
        ("laplace", "Laplace noise on each", False),
        ("gaussian", "Gaussian noise on each", True),
        ("multiplicative weights", "sparse multiplicative weights", True),
    ):
        how: dict[str, Any] = {"arguments": (("method", method),), "delta": delta}
        yield Call(name=name, function="sparse_queries", **how)


def _balls(kind: str) -> Iterator[Call]:
    if kind == "clusters":
        yield Call(name="1-cluster solver, repeated", function="clusters", delta=True)
        return
    for method, name in (("solver", "1-cluster solver"), ("theorem", "1-cluster theorem")):
        how: dict[str, Any] = {"arguments": (("method", method),), "delta": True}
        yield Call(name=name, function="one_cluster", **how)


@lru_cache(maxsize=4096)
def promised(call: Call, case: Case) -> float:
    """The proved error; ``ValueError`` if the call refuses the case."""
    question = case.question
    if call.function == "Curator":
        limits = noise_of(call, case)
        return question.scale * means.bound(limits, 1, case.beta)
    if call.function in ("one_cluster", "clusters"):
        if case.n <= CHECKED:
            terms_of(call, case)
        return math.inf  # of the radius nothing is proved but by the theorem, far from here
    if call.name == LEVY and question.k > LARGEST:
        raise ValueError(f"it answers at most {LARGEST:,} questions")
    terms = terms_of(call, case)
    if call.name == LEVY and not terms.chosen.startswith(f"by {LEVY}"):
        raise ValueError("random projections answer so few records better")
    return share(call, case, terms)


def noise_of(call: Call, case: Case) -> means.Limits:
    """The noise on k numbers, each of which a record moves by a share 1/n of its range."""
    box = means.Box((0.0,) * case.question.k, (1.0,) * case.question.k)
    delta = case.delta if call.delta else 0.0
    return means.Limits(box=box, epsilon=case.epsilon, delta=delta)


def share(call: Call, case: Case, terms: Any) -> float:
    """A promise of the front door as a share of the largest possible answer."""
    question = case.question
    if call.answer == "kernels":
        params = replace(terms.params, beta=case.beta)
        queries = kernels(question)
        return float(smooth.error_bound_kernels(params, n=case.n, queries=queries).max())
    if call.function == "sparse_counts":  # of one name: a k-th of beta for each
        return terms.error_bound(beta=case.beta / question.k) / case.n
    if call.function == "sparse_queries":
        return terms.bound(case.beta)
    error = terms.error_bound(beta=case.beta)
    if call.function == "linear_queries":
        return error / case.n
    if call.transform:
        return error * float(_sides(question).max()) / question.scale
    return error / question.scale


def _sides(question: Question) -> np.ndarray:
    """How far apart the possible answers to each question are, in the unit box."""
    if question.kind == "kernels":
        return np.ones(question.k)
    farthest = np.maximum(question.places, 1 - question.places)
    if question.metric == "euclidean":
        return np.sqrt(np.square(farthest).sum(axis=1))
    return farthest.sum(axis=1)


@lru_cache
def kernels(question: Question) -> GaussianKernels:
    """The public kernels of a question, in the unit box."""
    widths = (float(question.width or 1),) * question.d
    return GaussianKernels(centres=question.places, width=widths, lower=0, upper=1)


@lru_cache
def _batch(question: Question) -> Any:
    """Public lists of names, for what depends on their number and length alone."""
    if (question.names or 1) == 1:
        return batch_of([Query([rank]) for rank in common(question.k)])
    return workloads.draw("uneven", n=2, m=question.names or 1, k=question.k, rng=question.k)[1]


def terms(call: Call, case: Case) -> int:
    """Moments per variable of the least proved error for as wide kernels: public."""
    return _terms(call, replace(case, n=_rounded(case.n)))


def _rounded(n: int) -> int:
    """n to two digits, so that what is nearly the same is worked out once."""
    return round(n, -max(0, len(str(n)) - 2))


@lru_cache(maxsize=4096)
def _terms(call: Call, case: Case) -> int:
    most = TERMS.get(case.question.d, MOST_TERMS)
    few = replace(case.question, questions=min(case.question.k, SHOWN))
    shown = replace(case, question=few)

    def bound(count: int) -> float:
        return share(call, shown, _promise(call, shown, {"terms": count}))

    return min(range(1, most + 1), key=bound)


def terms_of(call: Call, case: Case) -> Any:
    """What the front door promises, before there are records; ``ValueError`` if it refuses."""
    return _promise(call, case, call.arguments_at(case))


def _promise(call: Call, case: Case, given: dict[str, Any]) -> Any:
    question = case.question
    given = given | {"epsilon": case.epsilon}
    if call.delta:
        given["delta"] = case.delta
    verb = getattr(dpviz, call.function)
    if call.function == "linear_queries":
        counts = np.eye(1, question.matrix.shape[1])[0] * case.n
        return promise(verb, counts, question.matrix, **given)
    if call.function == "sparse_queries":  # of which only the lists' number and length count
        given.setdefault("delta", 0.0)
        return sparse_methods.chosen(batch=_batch(question), data=None, n=case.n, **given)
    columns = question.k if call.transform else question.d
    if call.function in PUBLIC:
        given["bounds"] = (0.0, 1.0)
    return promise(verb, Size.of(case.n, columns), **_seeded(call, given))


def _seeded(call: Call, given: dict[str, Any], seed: int = 1) -> dict[str, Any]:
    projected = call.function == "distances" and given.get("metric") == "euclidean"
    return given | {"seed": seed} if call.function in SEEDED or projected else given


def noise(call: Call, case: Case, rng: np.random.Generator) -> Callable[[], float]:
    """The largest noise of one run, as often as it is called, where the noise is all of the
    error; as a share of the largest possible answer, at most one, or in a number's own unit."""
    question = case.question
    limits = noise_of(call, case)
    n = 1 if call.function == "Curator" else case.n
    zero = Sums(n=n, totals={means.SUM: Exact.of(np.zeros(limits.box.d))})
    spends = {"epsilon": limits.epsilon, "delta": limits.delta}
    most = math.inf if call.function == "Curator" else 1.0

    def run() -> float:
        drawn = means.noisy(zero, limits, "noise", Curator(**spends, rng=rng))
        return min(most, question.scale * float(np.abs(drawn).max()))

    return run


def rehearsed(call: Call, case: Case, data: Data, rng: np.random.Generator) -> Callable[[], float]:
    """One run of the call on public records, as often as it is called: its error.

    >>> question = Question(kind="mean")
    >>> case = Case(question=question, n=1000, epsilon=1.0, delta=0.0, beta=0.05)
    >>> rng = np.random.default_rng(0)
    >>> from dpviz.planner.questions import draw
    >>> rehearsed(calls(question)[0], case, draw(question, 1000, rng), rng)() < 0.1
    True
    """
    question = case.question
    given = call.arguments_at(case)
    spends = {"epsilon": case.epsilon, "delta": case.delta if call.delta else 0.0}
    verb = getattr(dpviz, call.function)
    queries = data.queries
    if call.function in ("linear_queries", "sparse_queries"):
        asked = queries.queries if call.function == "sparse_queries" else queries
        run = rehearsal(verb, data.records, asked, **given)
    elif call.transform:
        run = rehearsal(verb, _values(question, data), bounds=_pairs(question), **given)
    else:
        if call.function in PUBLIC:
            given["bounds"] = (0.0, 1.0)
        run = rehearsal(verb, data.records, **_seeded(call, given, int(rng.integers(2**31))))
    return lambda: data.judge(_answers(call, case, run(Curator(**spends, rng=rng)), data))


def _answers(call: Call, case: Case, result: Any, data: Data) -> Any:
    """What a result answers, in the unit box and as shares of the records."""
    if call.function == "one_cluster":
        return result.center
    if call.function == "clusters":
        return np.array([ball.center for ball in result])
    if call.answer == "kernels":
        return result.kernels(data.queries, float(case.question.width or 1)).values
    if call.function == "sparse_counts":
        return hashed_histogram.answer(result.release, data.queries)
    if call.answer == "answer":
        return result.answer(data.queries)
    values = np.asarray(result)
    return values / case.n if call.function == "linear_queries" else values


def _pairs(question: Question) -> list[tuple[float, float]]:
    return [(0.0, float(side)) for side in _sides(question)]


def _values(question: Question, data: Data) -> Size:
    """The sums of the records' values: what the front door's means are made of."""
    n = len(data.records)
    totals = Exact.of(n * np.asarray(data.values) / _sides(question))
    return Size.of(n, question.k, Sums(n=n, totals={means.SUM: totals}))
