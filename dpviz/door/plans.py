"""What a plan's file says of the call that it plans; ``dpviz plan`` writes it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpviz import checks
from dpviz.privacy.ledger import Cost

VERSION = 1
AGAIN = "make it again with dpviz plan"
BALLS = ("cluster", "clusters")
NUMBERS = ("mean", "means", "distances", "kernels", *BALLS)  # kinds whose records are numbers
FUNCTIONS = {  # of the front door, which may answer each kind
    "mean": ("mean", "means"),
    "means": ("means",),
    "distances": ("distances", "means"),
    "kernels": ("smooth_summary", "means"),
    "linear": ("linear_queries",),
    "strings": ("sparse_counts", "sparse_queries"),
    "cluster": ("one_cluster",),
    "clusters": ("clusters",),
}
ANSWERS = {"distances": "answer", "sparse_counts": "answer", "smooth_summary": "kernels"}
ARGUMENTS = ("delta", "k", "method", "metric", "seed", "terms")  # all that is public


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One call of the front door, and what was asked.

    Attributes
    ----------
    question : dict, the kind of question and its sizes
    n : int, records that were planned for, or None
    beta : float, how often the proved error may be exceeded
    winner : str, name of the mechanism
    function, arguments : of the front door; the latter without data, bounds, questions and epsilon
    transform : "distances" or "kernels" where noise goes onto each answer, or None
    answer : how the result is asked, "answer" or "kernels"; None where it is the answers
    spends : Cost
    digest : str, of the file
    """

    question: Mapping[str, Any]
    n: int | None
    beta: float
    winner: str
    function: str
    arguments: Mapping[str, Any]
    transform: str | None
    answer: str | None
    spends: Cost
    digest: str

    def __post_init__(self) -> None:
        checks.number("beta", self.beta, above=0, below=1)
        checks.choice("kind", self.kind, FUNCTIONS)
        checks.choice("function", self.function, FUNCTIONS[self.kind])
        is_on_each = self.function == "means" and self.kind in ("distances", "kernels")
        checks.choice("transform", self.transform or "", (self.kind if is_on_each else "",))
        checks.choice("answer", self.answer or "", (ANSWERS.get(self.function, ""),))
        checks.instance("arguments", self.arguments, dict)
        for name in self.arguments:  # one that refuses some records would tell of them
            checks.choice("arguments", name, ARGUMENTS)
        if self.kind == "kernels":
            checks.number("width", self.question["width"], at_least=0.01)
        if self.kind in BALLS:
            checks.number("share", self.question["share"], above=0, at_most=1)
        if self.n is not None:
            checks.integer("n", self.n, at_least=2)
        checks.epsilon(self.spends.epsilon)
        checks.number("delta", self.spends.delta, at_least=0, below=1)

    @property
    def kind(self) -> str:
        """The kind of question."""
        return str(self.question["kind"])

    @property
    def is_of_opendp(self) -> bool:
        """Whether OpenDP draws all that it needs: no ball, no threshold, nothing on demand; and
        not the million numbers that random projections take, for which it needs minutes."""
        if self.function == "sparse_queries":
            return self.arguments.get("method") in ("laplace", "gaussian")
        return self.kind not in BALLS and not self.is_euclidean

    @property
    def is_euclidean(self) -> bool:
        """Whether one release answers Euclidean distances: Levy's field where there is a delta."""
        euclidean = self.arguments.get("metric") == "euclidean" and self.question["columns"] > 1
        return self.function == "distances" and euclidean

    @property
    def counts(self) -> bool:
        """Whether the answers are numbers of records, not shares or means."""
        return self.function in ("linear_queries", "sparse_counts")


def read_plan(file: str | Path) -> Plan:
    """A plan from its file.

    Raises
    ------
    ValueError
        If it is no plan, one of another version, or one that no mechanism serves.
    """
    try:
        text = Path(file).read_bytes()
        stored = json.loads(text)
        version = stored["dpviz_plan"]
    except OSError as problem:
        raise ValueError(f"{file}: the plan cannot be read: {problem.strerror}") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError(f"{file}: this is no plan: {AGAIN}") from None
    if version != VERSION:
        raise ValueError(f"{file}: this is a plan of another version: {AGAIN}")
    try:
        question = dict(stored["question"])
        call = stored["call"]
        if call is None:
            raise ValueError(_nothing(question))
        named = {name: call[name] for name in ("function", "arguments", "transform", "answer")}
        named |= {name: stored[name] for name in ("n", "beta", "winner")}
        checks.integer("columns", question["columns"], at_least=1)
        spends = Cost(**call["spends"])
        digest = hashlib.sha256(text).hexdigest()
        return Plan(**named, question=question, spends=spends, digest=digest)
    except (ValueError, TypeError, KeyError) as problem:
        raise ValueError(f"{file}: this plan cannot be run: {problem}; {AGAIN}") from None


def _nothing(question: Mapping[str, Any]) -> str:
    """Why there is no call."""
    if question.get("kind") == "noise":
        return "it asks how much noise is needed, which is no question about records"
    return "no mechanism serves it, but one may serve a larger error or a larger budget"
