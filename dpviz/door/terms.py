"""What a call promises before anything is paid, and what it gives: frozen, public, printed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.door import frames, readings
from dpviz.door.payment import Curator, Quote, budget_of
from dpviz.privacy.curator import Curator as AnyCurator
from dpviz.privacy.ledger import Cost, Ledger

P = ParamSpec("P")
R = TypeVar("R", bound="Result")
BETA = 0.05


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Terms:
    """What is asked, what it costs and what is proved of it: public numbers only.

    Attributes
    ----------
    title : str, what is asked, such as "mean of alcohol"
    n : int, number of records, which is public
    epsilon, delta : floats, what it costs
    columns : tuple of str, names of the columns
    bounds : dict from column to its public (lower, upper)
    unit : str, of the answers and of their error
    params : the Params of the paper's module that runs
    bound : beta -> proved error
    chosen : str, which mechanism it is and what the others prove, where several could answer
    """

    title: str
    n: int
    epsilon: float
    delta: float
    columns: tuple[str, ...] = ()
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    unit: str
    params: Any
    bound: Callable[[float], float]
    chosen: str = ""

    def error_bound(self, *, beta: float = BETA) -> float:
        """Proved: with probability 1 - ``beta`` the error is at most this, in ``unit``; inf if
        nothing is proved."""
        return float(self.bound(checks.number("beta", beta, above=0, below=1)))

    def __repr__(self) -> str:
        return "\n".join([f"{self.title}: not paid yet", *self.lines()])

    def lines(self) -> list[str]:
        """Three lines: the records, the proved error, the cost."""
        sides = [f"{label} in [{low:g}, {high:g}]" for label, (low, high) in self.bounds.items()]
        more = f" and {len(sides) - 3} more columns" if len(sides) > 3 else ""
        where = f": {', '.join(sides[:3])}{more}, clipped to these bounds" if sides else ""
        most = self.error_bound()
        proved = f"off by at most {most:.3g} {self.unit}, with probability {1 - BETA:.0%}"
        if not np.isfinite(most):
            proved = "nothing is proved of the error"
        if self.chosen:
            proved = f"{proved}; {self.chosen}"
        cost = Cost(epsilon=self.epsilon, delta=self.delta)
        return [
            f"  records  {self.n:,}{where}",
            f"  proved   {proved}",
            f"  cost     {cost}; neighbours differ in one replaced record",
        ]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Result(Terms):
    """What the public sees of one call: its terms, and what was released.

    Attributes
    ----------
    release : the Release of the paper's module, or the noisy number
    ledger : Ledger of the curator who paid, as it was then
    """

    release: Any
    ledger: Ledger

    def summary(self) -> str:
        """What it answers, in a few words."""
        return "released"

    def __repr__(self) -> str:
        paid = f"  ledger   spent {self.ledger.spent} of {self.ledger.budget}"
        return "\n".join([f"{self.title}: {self.summary()}", *self.lines(), paid])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Answers(Result):
    """Answers to several queries, one error bound for all of them.

    Attributes
    ----------
    values : array (k,)
    """

    values: NDArray

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.array(self.values, dtype=dtype)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, i: int) -> float:
        return float(self.values[i])

    def summary(self) -> str:
        """The first of them."""
        first = ", ".join(f"{value:.4g}" for value in self.values[:4])
        return f"{first}{', ...' if len(self.values) > 4 else ''}"


@dataclass(frozen=True, kw_only=True)
class Mechanism:
    """One mechanism that could answer, known before anything is paid.

    Attributes
    ----------
    name : str, of the mechanism
    params : its Params
    bound : beta -> proved error
    release : curator -> what is released
    """

    name: str
    params: Any
    bound: Callable[[float], float]
    release: Callable[[AnyCurator], Any]


def least(mechanisms: Sequence[Mechanism]) -> tuple[Mechanism, str]:
    """The mechanism of the least proved error, and why it is taken: public, free.

    >>> trees = Mechanism(name="trees", params=None, bound=lambda beta: 0.5, release=str)
    >>> cells = Mechanism(name="cells", params=None, bound=lambda beta: 0.2, release=str)
    >>> least([cells, trees])[1]
    'by cells, because this is less than for trees (0.5)'
    """
    proved = [mechanism.bound(BETA) for mechanism in mechanisms] if len(mechanisms) > 1 else [0.0]
    order = sorted(range(len(mechanisms)), key=proved.__getitem__)
    best = mechanisms[order[0]]
    others = " and ".join(f"{mechanisms[i].name} ({proved[i]:.3g})" for i in order[1:])
    return best, f"by {best.name}, because this is less than for {others}" if others else ""


def asked(
    name: str,
    value: Any,
    bounds: frames.Bounds,
    *,
    outside: str,
    epsilon: float | None,
    delta: float | None,
    curator: AnyCurator | None,
    rng: checks.Seed | None,
    pure: bool = True,
) -> tuple[frames.Table | readings.Reading, dict[str, Any]]:
    """The private table, and the public fields lower, upper, epsilon and delta; checked.

    >>> how = {"outside": "clip", "epsilon": 1, "delta": None, "curator": None, "rng": None}
    >>> asked("points", [1, 2], (0, 9), **how)[1]
    {'lower': (0.0,), 'upper': (9.0,), 'epsilon': 1.0, 'delta': 0.0}
    """
    read = readings.table(name, value)
    lower, upper = frames.box(bounds, read, outside=outside)
    amount, rare = budget_of(curator, rng, epsilon=epsilon, delta=delta, pure=pure)
    return read, {"lower": lower, "upper": upper, "epsilon": amount, "delta": rare}


def sides(
    read: frames.Table | readings.Reading, public: dict[str, Any]
) -> dict[str, tuple[float, float]]:
    """The bounds of each column by its name."""
    pairs = zip(public["lower"], public["upper"], strict=True)
    return dict(zip(read.columns, pairs, strict=True))


def proved(error_bound: Callable[..., Any], params: Any, beta: float, **how: Any) -> float:
    """A paper's error bound, of all its queries at once, with this ``beta``."""
    return float(np.max(error_bound(replace(params, beta=beta), **how)))


def planned(most: float, calibrated: float, beta: float) -> float:
    """What holds with the beta that was planned for holds for a larger one."""
    return most if beta >= calibrated else math.inf


def released(module: Any, read: Any, params: Any, curator: AnyCurator) -> Any:
    """What a paper's module releases of the records, in memory or in pieces."""
    data = readings.summed(read, module.statistic, params, curator)
    return module.release(data, params, curator)


def settled(
    mechanisms: Sequence[Mechanism],
    make: Callable[..., R],
    *,
    title: str,
    unit: str,
    n: int,
    bounds: dict[str, tuple[float, float]] | None = None,
    curator: AnyCurator | None,
    rng: checks.Seed | None,
) -> R:
    """Pay for the mechanism of the least proved error, and release; or, where only the terms are
    asked for, give these."""
    mechanism, chosen = least(mechanisms)
    terms = Terms(
        title=title,
        n=n,
        epsilon=mechanism.params.epsilon,
        delta=mechanism.params.delta,
        columns=tuple(bounds or ()),
        bounds=bounds or {},
        unit=unit,
        params=mechanism.params,
        bound=mechanism.bound,
        chosen=chosen,
    )

    def run(payer: AnyCurator) -> R:
        return make(**vars(terms), release=mechanism.release(payer), ledger=payer.ledger)

    if isinstance(curator, Quote):
        return cast(R, run if curator.again else terms)
    payer = curator
    if payer is None:
        payer = Curator(epsilon=terms.epsilon, delta=terms.delta, rng=rng)
    return run(payer)


def promise(verb: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Terms:
    """What a call would promise and cost. Nothing is paid, nothing private is given.

    All arguments are checked as the call itself does.

    Parameters
    ----------
    verb : a function of the front door
    args, kwargs : its arguments

    >>> import dpviz
    >>> ages = [34, 51, 29, 47, 62, 38] * 50
    >>> dpviz.promise(dpviz.mean, ages, bounds=(0, 100), epsilon=1).error_bound(beta=0.05)
    1.00
    """
    terms = _quoted(verb, args, kwargs, again=False)
    if not isinstance(terms, Terms) or isinstance(terms, Result):
        raise TypeError("verb must be a function of the front door that pays a curator")
    return terms


def rehearsal(verb: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Callable[[AnyCurator], R]:
    """A call of the front door on public records, ready to be run often: curator -> result.

    >>> import dpviz
    >>> run = rehearsal(dpviz.mean, [1, 2, 3], bounds=(0, 9), epsilon=1)
    >>> run(Curator(epsilon=1, rng=1)).value == run(Curator(epsilon=1, rng=2)).value
    False
    """
    return cast(Callable[[AnyCurator], R], _quoted(verb, args, kwargs, again=True))


def _quoted(verb: Any, args: Any, kwargs: Any, *, again: bool) -> Any:
    """What a call gives to a quote in the place of its curator."""
    if not callable(verb):
        raise TypeError(f"verb must be a function of the front door, not {verb!r}")
    if "curator" not in signature(verb).parameters:
        raise TypeError("verb must be a function of the front door that pays a curator")
    asked: dict[str, Any] = dict(kwargs)
    curator = asked.get("curator")
    if curator is not None:
        checks.instance("curator", curator, AnyCurator)
    asked["curator"] = Quote(of=curator, again=again)
    return verb(*args, **asked)
