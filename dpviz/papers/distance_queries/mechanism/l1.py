"""The interactive l1 mechanism (Theorem 1): a cutting-plane learner made private.

**Paper.** Huang and Roth (2014), section 3: Theorem 1, Lemma 3 (the reduction), Lemma 6 (one
learner for each coordinate).

**Setting.** n private records in a public box of d coordinates; up to k queries y, each may
depend on the answers before; F(y) is the average l1 distance from y to the records (module
``learner.average_distance``). Neighbours differ in one replaced record; n is public.

**Idea.** A learner guesses each coordinate's summand of F. AboveThreshold, which is paid for only
when it says "too low", compares guess and truth; then a noisy tangent is measured and learnt.
The learner makes few mistakes, so few tangents answer any number of queries. More updates C_1 per
coordinate allow a finer hypothesis (a gap of g = 2/C_1^2 is enough, Lemma 4) but leave less
budget for each, so that its noise grows: the error is 1/C_1^2 + s + tau. Take the whole number C_1
that makes it least.

**Symbols.** All lengths but those of queries are those of a coordinate rescaled to [0, 1].

==========  =====================  ================================================  ==========
paper       here                   meaning                                           unit
==========  =====================  ================================================  ==========
l           d                      number of coordinates                             count
y_t         ``query``              a point of the box; d checks, one a coordinate    (d,)
F^_t        ``learners``           the hypothesis: tangents of each coordinate       (d,)
S           ``_measure``           what an update measures: a tangent, as (A, h)     2 numbers
(none)      A, h                   height of the tangent at 1/2, half its slope      coordinate
m(alpha)    ``plan.total``, C      updates that are paid for, d C_1                  count
(none)      ``gap``, g             every update certifies an exact error above it    coordinate
(none)      ``test_accuracy``, s   no check is decided wrongly by more               coordinate
(none)      ``tau``                no noisy tangent is off by more, anywhere         coordinate
alpha / l   ``plan.error``         proved error alpha_1 of each coordinate           coordinate
alpha       ``error_bound``        proved error of every answer                      of the box
==========  =====================  ================================================  ==========

**Departures.** (1) The paper tests the sum and then updates "the coordinates on which a mistake
was made", which as stated is read off the data; Definition 3 already asks that an update depend on
the private replies alone. Here the test itself is made on each coordinate (module ``sum_test`` has
the other reading). (2) Lemma 6 asks for derivatives that are 1/n-sensitive, and the proof of
Theorem 1 says O(1/n): a derivative moves by 2/n. What is measured is (A, h) instead, which moves
by 2/n in L1 and sqrt(2)/n in L2 (``AverageDistance.tangent_at``). (3) Lemma 3's constant is 3000;
here every constant is computed for the noise that is used (``constants="paper"`` runs the one as
stated). (4) zCDP or plain addition of epsilons where they are better; "advanced" composes its 2 C
equal steps exactly (Kairouz, Oh and Viswanath 2015). (5) Guesses that stand are shifted to the
middle of what the plan leaves open, and every answer is clipped to what a distance can be. (6)
After the last update the hypothesis is frozen, not refused: the bound still holds. (7) The pure
bound in the proof of Theorem 1 keeps a factor log(4/delta), infinite at delta = 0; the theorem
itself is right without it. (8) The paper's error grows like d^(9/5), pure d^(7/3). All d
coordinates together make d C_1 updates, which share the budget, so the mechanism's grows like
d^(7/5), pure d^(5/3) (``error_bound_closed``), without a change of the mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from dpviz import accounting, checks
from dpviz.papers.distance_queries.learner.average_distance import (
    AverageDistance,
    Setting,
    check_call,
    prepare,
    run_trial,
    truth,
)
from dpviz.papers.distance_queries.learner.convex_learner import Hypothesis, Tangents
from dpviz.papers.distance_queries.mechanism.history import (
    Comparison,
    Event,
    RecordedThreshold,
    events,
)
from dpviz.privacy.curator import Curator
from dpviz.privacy.online import KINDS, Answer, Online
from dpviz.privacy.sparse_vector import threshold_accuracy

__all__ = ["Interactive", "Params", "error_bound", "paper_bound", "paper_rate", "trial", "truth"]

COMPOSITIONS = ("zcdp", "pure", "advanced")
CONSTANTS = ("practical", "paper")
MOST = 10**6  # updates per coordinate
BATCH = 8192  # queries whose truth is looked up at once


@dataclass(frozen=True, kw_only=True)
class Params(Setting):
    """What the mechanism may know; all public. More than :class:`Setting` has:

    Attributes
    ----------
    k : int >= 1, queries that accuracy is promised for
    composition : "zcdp", "pure", "advanced"; None for the better of the first two
    updates : int >= 1, C_1; None for the best
    share : float in (0, 1), of the budget for the tests; None for the best; "advanced" takes 1/2
    constants : "practical", or "paper" (those of Lemma 3), without the two above
    after : "freeze" or "refuse", once all updates are used

    >>> Params(n=1000, d=1, k=0, epsilon=1, lower=0, upper=1)
    Traceback (most recent call last):
    ...
    ValueError: k must be a whole number, at least 1, not 0
    """

    k: checks.Count
    composition: str | None = None
    updates: int | None = None
    share: checks.Share | None = None
    constants: str = "practical"
    after: str = "freeze"

    joint = False  # one test of the sum and d tangents an update: module ``sum_test``

    def __post_init__(self):
        super().__post_init__()
        if self.updates is not None:
            checks.integer("updates", self.updates, at_least=1, at_most=MOST)
        checks.choice("constants", self.constants, CONSTANTS)
        if self.constants == "paper" and (self.updates, self.share) != (None, None):
            raise ValueError("constants must not be 'paper' if updates or share are given")
        checks.choice("after", self.after, ("freeze", "refuse"))
        if self.composition is not None:
            checks.choice("composition", self.composition, COMPOSITIONS)
            if self.delta == 0 and self.composition != "pure":
                rule = "composition must be 'pure' if delta is 0"
                raise ValueError(f"{rule}, not {self.composition!r}")

    @property
    def compositions(self) -> tuple[str, ...]:
        """Those to choose from."""
        if self.composition:
            return (self.composition,)
        both = ("advanced",) if self.constants == "paper" else ("zcdp", "pure")
        return both if self.delta else ("pure",)

    @cached_property
    def plan(self) -> Plan:
        """How the budget is spent."""
        return plan_for(self)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the budget is spent; every length is that of a coordinate rescaled to [0, 1].

    Attributes
    ----------
    composition : "zcdp", "pure" or "advanced"; updates, total : int, C_1 and d C_1
    share : float, of the budget that goes to the tests
    test_epsilon : float, epsilon of each run of the threshold
    measurement_budget : float, of each noisy tangent: its rho (zcdp) or epsilon
    gap, test_accuracy, tau : float, see the module; threshold, shift : float
    error : float, alpha_1: proved for each coordinate, with probability 1 - beta for all
    """

    composition: str
    updates: int
    total: int
    share: float
    test_epsilon: float
    measurement_budget: float
    gap: float
    test_accuracy: float
    tau: float
    threshold: float
    shift: float
    error: float


def allocate(params: Params, composition: str, updates: np.ndarray) -> dict[str, np.ndarray]:
    """Budgets, share and the sizes s and tau of the noises, for arrays of numbers of updates.

    zCDP: a run of the test costs epsilon_s^2/2, a measurement rho_o; both together rho/C. The
    errors at the two ends of a noisy tangent are normal with sd sqrt(2) sigma, where sigma =
    1/(n sqrt(rho_o)). Pure: epsilon_s + epsilon_o = epsilon/C; the larger error at an end is
    |a| + |h| of two Laplace noises of scale 2/(n epsilon_o). The share of the tests that makes the
    sum of both sizes least has a closed form. Advanced: 2 C steps of one size. A joint measurement
    has d tangents together, sqrt(d) or d times as sensitive.
    """
    d = params.d
    runs = params.d * updates
    compared, tangents = (params.k, d * runs) if params.joint else (d * params.k, runs)
    accuracy = threshold_accuracy(checks=compared, runs=runs, beta=2 * params.beta / 3) / params.n
    tau = _tangent_error_quantile(composition, tangents, params.beta / 3) / params.n
    if params.joint:
        tau = tau * (math.sqrt(d) if composition == "zcdp" else d)
    if composition == "advanced":
        whole = {"epsilon": params.epsilon, "delta": params.delta}
        test = tangent = np.array([_step(2 * int(c), **whole) for c in runs])
        share, tau = np.full(len(test), 0.5), tau / tangent
    elif composition == "pure":
        each = params.epsilon / runs
        share = (params.share or 1 / (1 + np.sqrt(tau / accuracy))) * np.ones_like(each)
        test = share * each
        tangent = (1 - share) * each
        tau = tau / tangent
    else:
        each = accounting.zcdp_rho(epsilon=params.epsilon, delta=params.delta) / runs
        share = params.share or 1 / (1 + (math.sqrt(2) * tau / accuracy) ** (2 / 3))
        share = share * np.ones_like(each)
        test = np.sqrt(2 * share * each)
        tangent = (1 - share) * each
        tau = tau / np.sqrt(tangent)
    budgets = {"share": share, "test_epsilon": test, "measurement_budget": tangent}
    return {**budgets, "test_accuracy": accuracy / test, "tau": tau}


def _tangent_error_quantile(composition: str, tangents: np.ndarray, beta: float) -> np.ndarray:
    """Largest error of so many noisy tangents, with probability at least 1 - beta.

    For a budget of 1 (rho or epsilon) for each tangent, and n = 1.
    """
    from scipy.special import lambertw, ndtri

    if composition == "zcdp":  # 4 one-sided tails for each tangent: two ends, two signs
        return -math.sqrt(2) * ndtri(beta / (4 * tangents))
    # tangents exp(-u) (1 + u) = beta
    return 2 * (-1 - lambertw(-beta / (math.e * tangents), -1).real)


@lru_cache(maxsize=4096)
def _step(k: int, *, epsilon: float, delta: float) -> float:
    """The largest step that k times costs (epsilon, delta), composed exactly."""
    return accounting.step_for(total=epsilon, k=k, delta=delta, rule="exact")


@lru_cache(maxsize=4096)
def plan_for(params: Params) -> Plan:
    """The plan with the least proved error, or that with given ``updates`` and ``share``.

    Proof of the error. Outside an event of probability beta all tests are right up to s
    (``dpviz.privacy.sparse_vector``, 2 beta/3) and all noisy tangents up to tau on all of
    [0, 1] (beta/3). A gap above the threshold g + s + tau means a gap above g + tau, so the exact
    tangents learnt so far miss by more than g; then Lemma 4 allows fewer than 1 + sqrt(2/g) =
    1 + C_1 updates in each coordinate. A guess that stands is between tau too high and g + 2 s +
    tau too low; shifted by g/2 + s it is off by at most g/2 + s + tau. A guess after an update
    is off by at most tau. Once all d C_1 updates are used, every coordinate had C_1 of them, so
    no point is off by more than g + tau: the frozen hypothesis keeps the same bound.

    >>> best = plan_for(Params(n=10_000, d=1, k=10_000, epsilon=1, lower=0, upper=1))
    >>> best.updates, best.error
    (5, 0.0994)
    """
    if params.constants == "paper":
        return _paper_plan(params)
    return min((_best(params, each) for each in params.compositions), key=lambda plan: plan.error)


def _best(params: Params, composition: str) -> Plan:
    """The best number of updates in one composition."""

    def error(updates: np.ndarray) -> np.ndarray:
        sizes = allocate(params, composition, updates)
        return 1 / updates**2 + sizes["test_accuracy"] + sizes["tau"]

    search = _unimodal_minimum if composition == "advanced" else _scanned_minimum
    updates = params.updates or search(error)
    sizes = _sizes(params, composition, updates)
    gap = 2 / updates**2
    noise = sizes["test_accuracy"] + sizes["tau"]
    sizes |= {"gap": gap, "threshold": gap + noise, "shift": gap / 2 + sizes["test_accuracy"]}
    return Plan(**sizes, error=gap / 2 + noise)


def _sizes(params: Params, composition: str, updates: int) -> dict[str, float]:
    """What a plan with so many updates knows from its allocation."""
    one = allocate(params, composition, np.array([updates]))
    public = {"composition": composition, "updates": updates, "total": params.d * updates}
    return public | {name: float(value[0]) for name, value in one.items()}


def sub_curator(params: Params, curator: Curator) -> Curator:
    """A sub-curator with the budget that the plan spends; costs (epsilon, delta).

    Pure plans cost epsilon alone, "advanced" ones what their steps compose to, exactly. Raises
    ``BudgetExceeded`` if that much is not left.
    """
    plan = params.plan
    label = "l1 queries"
    if plan.composition == "zcdp":
        whole = {"epsilon": params.epsilon, "delta": params.delta}
        return curator.sub_curator_zcdp(**whole, label=label)
    if plan.composition == "pure":
        return curator.sub_curator(epsilon=params.epsilon, label=label)
    steps = {"epsilon": plan.test_epsilon, "k": 2 * plan.total, "delta": params.delta}
    return curator.sub_curator_steps(**steps, label=label)


def measure(
    curator: Curator,
    plan: Plan,
    value: ArrayLike,
    *,
    l1_sensitivity: float,
    l2_sensitivity: float,
    label: str,
) -> np.ndarray:
    """A noisy measurement of a private vector, paid for by :func:`sub_curator`'s."""
    cost = plan.measurement_budget
    if plan.composition == "zcdp":
        return curator.gaussian(value, sensitivity=l2_sensitivity, rho=cost, label=label)
    return curator.laplace(value, sensitivity=l1_sensitivity, epsilon=cost, label=label)


class Interactive:
    """Answers distance queries one by one. Costs (epsilon, delta), charged when it is made.

    Statements: HR Theorem 1.
    Proof of privacy. What depends on the data are the runs of the threshold, at most C, on gaps
    that move by at most 1/n (a rescaled |x - y| lies in [0, 1]), and at most C noisy tangents,
    whose l1 sensitivity is 2/n and whose l2 sensitivity is sqrt(2)/n
    (``AverageDistance.tangent_at``). The runs come one after another, each is one private output
    however long, and all else is a function of these: adaptive composition. It does not matter
    whether any size was chosen well.

    Parameters
    ----------
    data : array (n, d) (or (n,)), private; or what ``prepare`` made of it
    curator : a basic one that can pay (epsilon, delta)
    record : bool, keep every check in ``history``; else only the updates
    trace : bool, keep in ``trace`` what no analyst may see: not private, for pictures only

    Attributes
    ----------
    learners : list of d Tangents, the public hypothesis in rescaled coordinates
    history : list of Event, what the public saw; updates_used : int
    trace : list of Comparison, empty without ``trace``: for comparison only, not private

    Raises BudgetExceeded, ValueError or TypeError; nothing is spent then.

    >>> params = Params(n=4, d=1, k=10, epsilon=100, lower=0, upper=1)
    >>> distances = Interactive([0.2, 0.4, 0.4, 0.9], params, Curator(epsilon=100, rng=1))
    >>> distances.answer(0.5).kind, distances.updates_used
    ('guess', 0)
    """

    def __init__(
        self,
        data: ArrayLike | AverageDistance,
        params: Params,
        curator: Curator,
        *,
        record: bool = False,
        trace: bool = False,
    ):
        check_call(params, Params, curator, basic=True)
        checks.instance("record", record, bool)
        checks.instance("trace", trace, bool)
        self.params = params
        self.plan = params.plan
        self._record = record or trace
        self._traced = trace
        self._data, self._hypothesis = prepare(data, params), Hypothesis(params.d)
        self._sub_curator = sub_curator(params, curator)
        threshold = self._sub_curator.above_threshold(
            self.plan.threshold,
            sensitivity=1 / params.n,
            epsilon=self.plan.test_epsilon,
            positives=self.plan.total,
            label="gap",
        )
        self.history: list[Event] = []
        self.trace: list[Comparison] = []
        self._online = Online(
            self._hypothesis,
            truth=lambda check: self._data.value_at(*check),
            oracle=self._measure,
            threshold=RecordedThreshold(threshold, self.trace) if trace else threshold,
            sides="one",
            shift=self.plan.shift,
            after=params.after,
        )
        self._asked, self._widths = 0, params.widths.tolist()

    @property
    def learners(self) -> list[Tangents]:
        """The hypothesis of each coordinate."""
        return self._hypothesis.learners

    @property
    def updates_used(self) -> int:
        """Number of tangents measured so far."""
        return self.plan.total - self._online.threshold.positives_left

    def answer(self, query: ArrayLike) -> Answer:
        """Answer one query: a point (d,) of the box (a number if d = 1).

        "guess" and "measured" as in :class:`dpviz.privacy.online.Answer`; "frozen" once a
        coordinate was answered after the last update.
        Raises ``ValueError`` for a point that is none, or outside the box, and
        ``BudgetExceeded`` after the last update if ``after`` is "refuse". Nothing is spent then.
        """
        places = self.params.box.unit(query)
        answers = self._online.parts(enumerate(places))
        parts = [
            min(max(answer.value, 0.0), max(y, 1 - y))
            for answer, y in zip(answers, places, strict=True)
        ]
        kinds = [answer.kind for answer in answers]
        value = sum(width * each for width, each in zip(self._widths, parts, strict=True))
        kind = next((kind for kind in ("measured", "frozen") if kind in kinds), "guess")
        if self._record or kind == "measured":
            codes = np.array([[KINDS.index(kind) for kind in kinds]])
            self._note(np.array([places]), np.array([parts]), codes)
        self._asked += 1
        return Answer(value, kind)

    def answer_all(self, queries: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Answer many queries in order: exactly what one by one would answer, faster.

        Parameters
        ----------
        queries : array (k, d); also (k,) if d = 1

        Returns values (k,) and kinds (k,), words. If ``after`` is "refuse", both end with the query
        that used the last update. Raises as :meth:`answer`.
        """
        places = self.params.box.units(queries)
        replies = []
        for start in range(0, max(len(places), 1), BATCH):
            if start and self._refuses():
                break
            replies.append(self._answer_batch(places[start : start + BATCH]))
        values, codes = (np.concatenate(parts) for parts in zip(*replies, strict=True))
        return values, np.array(KINDS)[codes]

    def curve(self, coordinate: int, places: ArrayLike) -> np.ndarray:
        """The true curve of one coordinate, rescaled. For comparison only: not private.

        Raises ``ValueError`` unless made with ``trace=True``.
        """
        if not self._traced:
            raise ValueError("the true curve is private: only trace=True shows it, for pictures")
        return np.array([self._data.value_at(coordinate, float(y)) for y in np.asarray(places)])

    def _refuses(self) -> bool:
        return self.params.after == "refuse" and not self._online.threshold.positives_left

    def _answer_batch(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values and kinds (codes) of some queries, given rescaled; (k, d) to two (k,)."""
        batch = Batch(self._data, self._hypothesis, places)
        parts, codes = self._online.answer_all(batch, each=self.params.d)
        answered = places[: len(parts)]
        parts = np.clip(parts, 0.0, np.maximum(answered, 1 - answered))
        self._note(places, parts, codes)
        self._asked += len(parts)
        values = np.zeros(len(parts))
        for width, column in zip(self._widths, parts.T, strict=True):
            values += width * column
        return values, np.where((codes == 1).any(axis=1), 1, codes.max(axis=1, initial=0))

    def _note(self, places: np.ndarray, values: np.ndarray, codes: np.ndarray) -> None:
        """Keep the history of some queries."""
        left = self._online.threshold.positives_left
        options = {"first": self._asked, "left": left, "every": self._record}
        self.history += events(self.learners, places, (values, codes), **options)

    def _measure(self, check: tuple[int, float]) -> np.ndarray:
        """A noisy tangent of one coordinate."""
        n = self.params.n
        tangent = self._data.tangent_at(*check)
        sensitivities = {"l1_sensitivity": 2 / n, "l2_sensitivity": math.sqrt(2) / n}
        return measure(self._sub_curator, self.plan, tangent, **sensitivities, label="tangent")


class Batch:
    """Many queries as checks in order, for :meth:`dpviz.privacy.online.Online.answer_all`.

    Parameters
    ----------
    data : AverageDistance, private; hypothesis : Hypothesis
    places : array (k, d), rescaled to [0, 1]

    >>> batch = Batch(AverageDistance([[0.0, 1.0]]), Hypothesis(2), np.array([[0.5, 0.25]]))
    >>> batch.parts[1], batch.truths().tolist(), batch.guesses().tolist()
    ((1, 0.25), [0.5, 0.75], [0.0, 0.0])
    """

    def __init__(self, data: AverageDistance, hypothesis: Hypothesis, places: np.ndarray):
        self._data = data
        self._hypothesis = hypothesis
        self._places = places
        self._heights = hypothesis.heights(places)
        self._known = len(hypothesis.learnt)

    @property
    def parts(self) -> Batch:
        """Itself, as the sequence of its checks (coordinate, place)."""
        return self

    def __len__(self) -> int:
        return self._places.size

    def __getitem__(self, j: int) -> tuple[int, float]:
        return j % self._places.shape[1], self._places.item(j)

    def truths(self) -> np.ndarray:
        """Private: the true curve at each check; (k d,)."""
        return self._data.values(self._places).ravel()

    def guesses(self) -> np.ndarray:
        """The hypothesis at each check; only the coordinates that learnt are done anew."""
        learnt = self._hypothesis.learnt
        for i in set(learnt[self._known :]):
            self._heights[:, i] = self._hypothesis.learners[i].predict(self._places[:, i])
        self._known = len(learnt)
        return self._heights.ravel()


def error_bound(params: Params) -> float:
    """Proved: with probability at least 1 - beta each of k adaptive answers is this near.

    Statements: HR Theorem 1; HR Definition 2.
    Sum of the widths times ``plan.error``; the proof stands at :func:`plan_for`. Above half that
    sum it is vacuous: ``average_distance.constant`` does better without data.

    >>> error_bound(Params(n=10_000, d=1, k=10_000, epsilon=1, delta=1e-6, lower=0, upper=1))
    0.0994
    """
    return params.total_width * params.plan.error


def error_bound_closed(params: Params) -> float:
    """Proved: at least ``error_bound``, in powers of d and n.

    With W the total width, W = d for the cube: 2.2 W (L sqrt(d / rho) / n)^(4/5), so d^(7/5)
    n^(-4/5) where the paper has d^(9/5); pure 3.15 W (L d / (n epsilon))^(2/3), so d^(5/3) where it
    has d^(7/3). L grows like logarithms of d, k, n and 1 / beta.

    Statements: HR Theorem 1.
    Proof. d C updates share rho, so with C in each coordinate s + tau = B sqrt(C), B = L sqrt(d /
    rho) / n, and L grows with C like a logarithm: take it at the largest C in question, M = 2 (4 n
    sqrt(rho))^(2/5). C* = (4 / B)^(2/5) makes 1 / C^2 + B sqrt(C) least, and M >= 2 C* since B >=
    1 / (n sqrt(rho)). The next whole number is at most 2 C* if C* >= 1: at most (1 + 4 sqrt 2) /
    C*^2 = 2.20 B^(4/5). If C* < 1, take one update: 1 + B. Pure: s + tau = B C, C* = (2 / B)^(1/3),
    M = 2 (2 n epsilon)^(1/3), at most (1 + 4) / C*^2 = 3.15 B^(2/3).

    >>> cube = Params(n=10**9, d=8, k=10_000, epsilon=1, delta=1e-6, lower=0, upper=1)
    >>> error_bound_closed(cube) / error_bound(cube)
    1.44
    """
    if params.constants == "paper" or params.composition == "advanced":
        raise ValueError("params must have practical constants and compose by zCDP or be pure")
    return params.total_width * min(_closed(params, each) for each in params.compositions)


def paper_bound(params: Params) -> float:
    """Lemma 3 with its constant 3000, solved for the cube; a box counts as its longest side.

    >>> paper_bound(Params(n=1_000_000, d=1, k=10_000, epsilon=1, delta=1e-6, lower=0, upper=1))
    3.88
    """
    return float(params.widths.max()) * paper_alpha(params)


def paper_rate(params: Params) -> float:
    """Theorem 1 with constant 1: d^(9/5) (L / (n epsilon))^(4/5), L = ln(4/delta) ln(k/beta).

    Pure: d^(7/3) (ln(k/beta) / (n epsilon))^(2/3).

    >>> paper_rate(Params(n=10**6, d=1, k=10**4, epsilon=1, lower=0, upper=1))
    0.000530
    """
    longest = float(params.widths.max())
    d = params.d
    size = math.log(params.k / params.beta) / (params.n * params.epsilon)
    if params.delta == 0:
        return longest * d ** (7 / 3) * size ** (2 / 3)
    return longest * d**1.8 * (size * math.log(4 / params.delta)) ** 0.8


def trial(
    params: Params,
    data: ArrayLike | AverageDistance | None = None,
    queries: ArrayLike | None = None,
    *,
    rng: checks.Seed,
) -> dict[str, float]:
    """Answer all queries in order, with a fresh budget.

    Parameters
    ----------
    data : array (n, d) private, or what ``prepare`` made of it; None: a synthetic mixture
    queries : array (k, d); None: uniform in the box

    Returns a dict with ``error`` (largest), ``mean_error``, ``bound``, ``violations`` (answers
    beyond the bound), ``updates`` (used), ``exhausted`` (all were).

    >>> result = trial(Params(n=10_000, d=1, k=1000, epsilon=1, lower=0, upper=1), rng=0)
    >>> result["error"] <= result["bound"], result["violations"]
    (True, 0)
    """
    return run_trial(Interactive, params, data, queries, bound=error_bound(params), rng=rng)


def paper_alpha(params: Params) -> float:
    """Lemma 3 with the 3000 it states, for Lemma 6 (m(alpha) = 3 d^1.5 / sqrt(alpha)), solved.

    Pure: (72000 d^3.5 ln(k/beta) / (n epsilon))^(2/3); with delta:
    (12000 sqrt(6) d^2.25 ln(4/delta) ln(k/beta) / (n epsilon))^(4/5). For the cube [0, 1]^d.

    >>> paper_alpha(Params(n=10**6, d=1, k=10**4, epsilon=1, delta=1e-6, lower=0, upper=1))
    3.88
    """
    d = params.d
    logs = math.log(params.k / params.beta) / (params.n * params.epsilon)
    if params.compositions[0] == "pure":
        return (72_000 * d**3.5 * logs) ** (2 / 3)
    return (12_000 * math.sqrt(6) * d**2.25 * math.log(4 / params.delta) * logs) ** 0.8


def _paper_plan(params: Params) -> Plan:
    """The sizes that the paper's proof gives, alpha_1 = alpha / d: private as any other plan.

    Threshold 3 alpha_1 / 4, noises within alpha_1 / 4, so each update certifies an error
    of alpha_1 / 4; half of the budget for the tests, no shift.
    Raises ``ValueError`` if the noises are larger than that: then 3000 would be too small.
    """
    alpha = paper_alpha(params) / params.d
    updates = max(1, math.ceil(1 + math.sqrt(8 / alpha)) - 1)
    half = replace(params, share=0.5, constants="practical")
    sizes = _sizes(half, params.compositions[0], updates)
    noise = sizes["test_accuracy"] + sizes["tau"]
    if noise > alpha / 2:
        raise ValueError("beta must be larger: the paper's constants do not cover this one")
    sizes |= {"gap": 0.75 * alpha - noise, "threshold": 0.75 * alpha, "shift": 0.0}
    return Plan(**sizes, error=0.75 * alpha + sizes["test_accuracy"])


def _closed(params: Params, composition: str) -> float:
    """``error_bound_closed`` of one coordinate, in one composition."""
    if composition == "zcdp":
        budget = math.sqrt(accounting.zcdp_rho(epsilon=params.epsilon, delta=params.delta))
        power, constant, most = 0.5, 4.0, 2 * (4 * params.n * budget) ** 0.4
    else:
        power, constant, most = 1.0, 2.0, 2 * (2 * params.n * params.epsilon) ** (1 / 3)
    updates = np.array([max(1.0, most)])
    sizes = allocate(params, composition, updates)
    noise = float((sizes["test_accuracy"] + sizes["tau"])[0] / updates[0] ** power)
    best = (constant / noise) ** (1 / (2 + power))
    if best < 1:
        return 1 + noise
    return (1 + 2**power * constant) / best**2


def _scanned_minimum(error: Callable[[np.ndarray], np.ndarray]) -> int:
    """The best of all numbers of updates: the noises grow with it, so at some point none is left.

    >>> _scanned_minimum(lambda u: 1 / u**2 + u / 1000)
    13
    """
    first = 1
    size = 64
    best = 1
    least = math.inf
    while first <= MOST:
        updates = np.arange(first, first + size)
        errors = error(updates)
        if errors.min() < least:
            best = first + int(errors.argmin())
            least = float(errors.min())
        if errors[-1] - 1 / updates[-1] ** 2 >= least:
            break
        first, size = first + size, 4 * size
    return best


def _unimodal_minimum(error: Callable[[np.ndarray], np.ndarray]) -> int:
    """The minimum of an error that falls, then rises, by bisection on its steps.

    >>> _unimodal_minimum(lambda u: 1 / u**2 + u / 1000)
    13
    """
    first = 1
    last = 2
    while last < MOST // 4 and error(np.array([last])) < error(np.array([last // 2])):
        last *= 2
    while first < last:
        middle = (first + last) // 2
        here, there = error(np.array([middle, middle + 1]))
        first, last = (middle + 1, last) if there < here else (first, middle)
    return first
