"""What is asked, by an engineer's words; and public records to try it on.

All errors are the largest over the questions, as a share of the largest possible answer: of a
distance that between two corners of the bounds, of a cluster half that. A single number (kind
"noise") has its own unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.comparison.mechanisms.cluster import HELD
from dpviz.door.means import transformed
from dpviz.papers.distance_queries.learner import average_distance
from dpviz.papers.small_cluster.planted import offsets
from dpviz.papers.sparse_queries import workloads
from dpviz.papers.sparse_queries.queries import Query, Records, batch_of

KINDS = {  # the words of a question, and which of them must be given
    "mean": (),
    "means": ("columns",),
    "distances": ("columns", "questions"),
    "kernels": ("columns", "questions", "width"),
    "linear": ("queries",),
    "strings": ("questions",),
    "cluster": ("columns", "share"),
    "clusters": ("columns", "clusters", "share"),
    "noise": ("questions",),
}
ALLOWED = {"distances": ("metric",), "strings": ("names",), "noise": ("sensitivity",)}
MEANING = {
    "columns": "how many columns count",
    "questions": "how many are asked",
    "width": "of a kernel, as a share of each side of the bounds",
    "queries": "a file with a line of weights for each query, one for each cell",
    "names": "how many names a list has at most",
    "clusters": "how many balls",
    "share": "of the records, that a ball should hold",
    "metric": "l1 or euclidean",
    "sensitivity": "how far one record moves a number",
}
SEED = 48  # of the public places
SPREAD = 0.02  # of a synthetic cluster, in sides of the box
NAMES = 10_000  # of strings that are counted one by one
UNIVERSE = 4  # times as many names as a list has
BLOCK = 2**22  # numbers at a time


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question as a user has it; all public.

    Attributes
    ----------
    kind : one of ``KINDS``
    columns, questions : int >= 1
    width : of kernels, a share of each side of the bounds, 0.01 to 10
    metric : of distances, "l1" or "euclidean"
    names : int >= 1, of a list of strings at most
    share : of the records that a ball should hold, above 0, at most 1
    clusters : int >= 1, balls
    sensitivity : float > 0, how far one record moves each number whose noise is asked for
    queries : k lines of weights in [0, 1], one for each cell

    >>> Question(kind="kernels", columns=2, questions=9)
    Traceback (most recent call last):
    ...
    ValueError: ask 'kernels' needs width: of a kernel, as a share of each side of the bounds
    """

    kind: str
    columns: int | None = None
    questions: int | None = None
    width: float | None = None
    metric: str | None = None
    names: int | None = None
    share: float | None = None
    clusters: int | None = None
    sensitivity: float | None = None
    queries: tuple[tuple[float, ...], ...] | None = None

    def __post_init__(self) -> None:
        needed = KINDS[checks.choice("ask", self.kind, tuple(KINDS))]
        for word in MEANING:
            value = getattr(self, word)
            if value is None and word in needed:
                raise ValueError(f"ask {self.kind!r} needs {word}: {MEANING[word]}")
            if value is not None and word not in needed + ALLOWED.get(self.kind, ()):
                raise ValueError(
                    f"{word} must be left out beside ask {self.kind!r}, which takes "
                    f"{', '.join(needed + ALLOWED.get(self.kind, ())) or 'none of these words'}"
                )
        for word in ("columns", "questions", "names", "clusters"):
            if (value := getattr(self, word)) is not None:
                checks.integer(word, value, at_least=1)
        if self.width is not None:
            checks.number("width", self.width, at_least=0.01, at_most=10)
        if self.share is not None:
            checks.number("share", self.share, above=0, at_most=1)
        if self.share is not None and self.share * (self.clusters or 1) > 1:
            raise ValueError(
                f"share must be at most 1 / clusters = {1 / (self.clusters or 1):.3g}, so that "
                "each ball can have its own records"
            )
        if self.sensitivity is not None:
            checks.number("sensitivity", self.sensitivity, above=0)
        if self.metric is not None:
            checks.choice("metric", self.metric, ("l1", "euclidean"))
        if self.queries is not None:
            _check_weights(self.matrix)

    @property
    def d(self) -> int:
        """Columns that count."""
        return self.columns or 1

    @property
    def k(self) -> int:
        """Answers."""
        if self.queries is not None:
            return len(self.queries)
        return self.questions or self.clusters or (self.d if self.kind == "means" else 1)

    @property
    def scale(self) -> float:
        """The largest possible answer, in sides of the unit box."""
        if self.kind == "distances":
            return float(self.d if self.metric in (None, "l1") else np.sqrt(self.d))
        return float(self.sensitivity or 1) if self.kind == "noise" else 1.0

    @cached_property
    def matrix(self) -> NDArray:
        """The weights of linear queries; (k, cells)."""
        try:
            return np.array(self.queries, dtype=float)
        except ValueError as problem:
            raise ValueError("queries must have as many weights in every line") from problem

    @cached_property
    def places(self) -> NDArray:
        """Public places for distances and kernels, uniform in the unit box; (k, d)."""
        return np.random.default_rng([SEED, self.d, self.k]).uniform(size=(self.k, self.d))

    def words(self) -> str:
        """It in a few words.

        >>> Question(kind="kernels", columns=3, questions=1000, width=0.1).words()
        '1,000 kernels 0.1 of a side wide, in 3 columns'
        """
        columns = _many(self.d, "column")
        metric = {"euclidean": "Euclidean"}.get(self.metric or "l1", "l1")
        lists = f"lists of {self.names} names" if (self.names or 1) > 1 else "names"
        return {
            "mean": "the mean of one column",
            "means": f"the mean{'s' * (self.d > 1)} of {columns}",
            "distances": f"{_many(self.k, f'average {metric} distance')}, in {columns}",
            "kernels": f"{_many(self.k, 'kernel')} {self.width} of a side wide, in {columns}",
            "linear": f"{_many(self.k, 'linear quer', 'y', 'ies')} on "
            f"{len((self.queries or ((),))[0])} cells",
            "strings": f"{_many(self.k, 'count')} of {lists}",
            "cluster": f"a ball of {self.share} of the records, in {columns}",
            "clusters": f"{_many(self.k, 'ball')} of {self.share} of the records, in {columns}",
            "noise": f"the noise on {_many(self.k, 'number')} that a record moves by "
            f"{self.scale:g}",
        }[self.kind]


def _many(count: int, noun: str, one: str = "", more: str = "s") -> str:
    return f"{count:,} {noun}{one if count == 1 else more}"


@dataclass(frozen=True, eq=False)
class Data:
    """Public records to try a question on.

    Attributes
    ----------
    records : as the front door takes them, in the unit box
    queries : as the front door takes them
    judge : (answers) -> error; without : of the best answer that looks at no record
    values : exact answers (k,), where the answers are means
    """

    records: Any
    queries: Any
    judge: Callable[[Any], float]
    without: float
    values: NDArray | None = None


def draw(
    question: Question, n: int, rng: np.random.Generator, sample: NDArray | None = None
) -> Data:
    """Records of a public law, or n of a public sample, drawn with replacement.

    >>> Question(kind="mean").k
    1
    >>> data = draw(Question(kind="mean"), 1000, np.random.default_rng(0))
    >>> data.judge(data.values) == 0 < data.without
    True
    """
    if question.kind in ("cluster", "clusters"):
        return _clusters(question, n, rng, sample)
    if question.kind == "linear":
        return _linear(question, n, rng, sample)
    if question.kind == "strings":
        return _strings(question, n, rng, sample)
    rows = (
        average_distance.mixture(n, question.d, rng=rng)
        if sample is None
        else _drawn(sample, n, rng)
    )
    even = _even(question.d)
    values, guess = rows.mean(axis=0), even.mean(axis=0)
    queries = None
    if question.kind in ("distances", "kernels"):
        queries = question.places
        values, guess = averages(question, rows), averages(question, even)
    return _means(rows, queries, values, (guess, 0.5 * question.scale), question.scale)


def averages(question: Question, rows: NDArray) -> NDArray:
    """Exact average distances or kernels over rows of the unit box; (k,)."""
    n, d = rows.shape
    if question.kind == "distances" and question.metric in (None, "l1"):
        setting = average_distance.Setting(n=n, d=d, epsilon=1, lower=0, upper=1)
        ready = average_distance.prepare(rows, setting)
        return average_distance.truth(ready, question.places, setting)
    how: dict[str, Any] = {"width": question.width, "metric": question.metric or "l1"}
    step = max(1, BLOCK // (question.k * d))
    total = np.zeros(question.k)
    for start in range(0, n, step):
        block = rows[start : start + step], question.places, [(0.0, 1.0)] * d
        total += transformed(question.kind, *block, **how)[0].sum(axis=0)
    return total / n


def _means(records: Any, queries: Any, values: NDArray, guesses: Any, scale: float) -> Data:
    """Answers that lie in [0, scale]: what is impossible is clipped, which is free."""

    def judge(answers: Any) -> float:
        return float(np.abs(np.clip(answers, 0, scale) - values).max()) / scale

    return Data(records, queries, judge, min(map(judge, guesses)), values)


@lru_cache
def _even(d: int) -> NDArray:
    """Evenly spread records."""
    return np.random.default_rng([SEED, d]).uniform(size=(2000, d))


def _drawn(sample: NDArray, n: int, rng: np.random.Generator) -> NDArray:
    return sample[rng.integers(len(sample), size=n)]


def _linear(
    question: Question, n: int, rng: np.random.Generator, sample: NDArray | None
) -> Data:  # fmt: skip
    """Uneven shares of the cells (Dirichlet, ½)."""
    cells = question.matrix.shape[1]
    if sample is None:
        counts = rng.multinomial(n, rng.dirichlet(np.full(cells, 0.5)))
    else:
        counts = np.bincount(_drawn(sample, n, rng).astype(int).ravel(), minlength=cells)
    values = question.matrix @ counts / n
    return _means(counts, question.matrix, values, (question.matrix.mean(axis=1), 0.5), 1.0)


def _strings(
    question: Question, n: int, rng: np.random.Generator, sample: NDArray | None
) -> Data:  # fmt: skip
    """Names of which the r-th is as common as 1/r, asked one by one; or lists of few names."""
    length = question.names or 1
    if sample is not None:
        data = _drawn(sample.ravel(), n, rng)
        universe = np.unique(sample)
        lists: Any = [rng.choice(universe, min(length, len(universe)), replace=False)
                      for _ in range(question.k)]  # fmt: skip
        batch = batch_of([Query(names) for names in lists])
    elif length == 1:
        ranks = np.arange(1, NAMES + 1)
        data = rng.choice(ranks, n, p=(1 / ranks) / (1 / ranks).sum())
        batch = batch_of([Query([rank]) for rank in common(question.k)])
    else:
        data, batch = workloads.draw("uneven", n=n, m=length, k=question.k, rng=rng)
    values = Records(data).truths(batch)
    return _means(data, batch, values, (0.0, 1 / UNIVERSE), 1.0)


def common(k: int) -> list[int]:
    """Ranks of k names, from the most common one on to rare ones.

    >>> common(4)
    [1, 21, 464, 10000]
    """
    return [int(rank) for rank in np.geomspace(1, max(NAMES, k), k)]


def _clusters(
    question: Question, n: int, rng: np.random.Generator, sample: NDArray | None
) -> Data:  # fmt: skip
    """Balls of records at random places, the others uniform; judged by how far about a published
    centre nine tenths of the records of a ball reach."""
    size = max(1, int((question.share or 1) * n))
    rows = rng.uniform(size=(n, question.d))
    for start in range(0, question.k * size, size):
        center = rng.uniform(SPREAD, 1 - SPREAD, question.d)
        rows[start : start + size] = center + SPREAD * offsets(size, question.d, "ball", rng)
    rows = np.clip(rows, 0, 1) if sample is None else _drawn(sample, n, rng)
    groups = [rows]
    if sample is None and question.k > 1:
        groups = [rows[i * size : (i + 1) * size] for i in range(question.k)]
    inside = max(1, int(np.ceil(HELD * size)))
    half = np.sqrt(question.d) / 2

    def reach(group: NDArray, centers: NDArray) -> float:
        centers = np.where(np.isfinite(centers), centers, 0.5)
        away = [np.square(group - center).sum(axis=1) for center in np.atleast_2d(centers)]
        return float(np.sqrt(min(np.partition(line, inside - 1)[inside - 1] for line in away)))

    def judge(centers: Any) -> float:
        return max(reach(group, np.asarray(centers)) for group in groups) / half

    return Data(rows, None, judge, judge(np.full((1, question.d), 0.5)))


def _check_weights(matrix: NDArray) -> None:
    if matrix.ndim != 2 or not matrix.size or not 0 <= matrix.min() <= matrix.max() <= 1:
        raise ValueError("queries must be lines of as many weights, between 0 and 1")


def scaled(sample: ArrayLike, bounds: NDArray) -> NDArray:
    """A public sample in the unit box."""
    lower, upper = bounds.T
    rows = np.asarray(sample, dtype=float)
    rows = rows[:, None] if rows.ndim == 1 else rows
    return (np.clip(rows, lower, upper) - lower) / (upper - lower)
