"""Small balls that hold many records: one cluster, or several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.door import frames, payment, readings
from dpviz.door.terms import BETA, Mechanism, Result, asked, planned, settled, sides
from dpviz.papers.small_cluster import one_cluster as solver
from dpviz.papers.small_cluster import several_clusters
from dpviz.privacy.curator import Curator

METHODS = ("solver", "theorem")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Ball(Result):
    """A published ball, in the unit of the data.

    Attributes
    ----------
    release : what the paper's module published
    """

    @property
    def center(self) -> NDArray:
        """Its centre, in the order of ``columns``; array (d,), NaN if none was found."""
        return self.release.center

    @property
    def radius(self) -> float:
        """Its radius; NaN if none was found."""
        return float(self.release.radius)

    @property
    def holds(self) -> float:
        """Records that it holds at least, with the probability of its error bound."""
        return float(self.release.holds)

    @property
    def found(self) -> bool:
        """Whether a ball was published."""
        return self.release.found

    def contains(self, points: ArrayLike | frames.Frame) -> NDArray:
        """Whether points lie in it; bool (k,). Free for public points: post-processing."""
        places = frames.places("points", points, self.columns)
        return self.release.inside(places.reshape(-1, len(self.columns)))

    def summary(self) -> str:
        """Where it is."""
        if not self.found:
            return f"none found, at the step {self.release.failed!r}"
        center = ", ".join(f"{x:.4g}" for x in self.center[:4])
        more = ", ..." if len(self.center) > 4 else ""
        return f"radius {self.radius:.4g} about ({center}{more})"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Balls(Result):
    """Several published balls; ``balls[0]`` is the first of them."""

    def __len__(self) -> int:
        return len(self.release)

    def __getitem__(self, i: int) -> Ball:
        return Ball(**vars(self) | {"release": self.release[i]})

    def __iter__(self) -> Iterator[Ball]:
        return (self[i] for i in range(len(self)))

    def summary(self) -> str:
        """How many were found."""
        return f"{sum(ball.found for ball in self)} of {len(self)} found"


def one_cluster(
    points: ArrayLike | frames.Frame,
    *,
    t: int,
    bounds: frames.Bounds,
    epsilon: float | None = None,
    delta: float | None = None,
    method: str = "solver",
    beta: float = BETA,
    outside: str = "clip",
    curator: Curator | None = None,
    seed: int | None = None,
    rng: checks.Seed | None = None,
) -> Ball:
    """A small ball that holds about t of the records. Costs ``epsilon`` and ``delta``.

    The solver (`dpviz.papers.small_cluster.one_cluster`) is made for thousands of records; proved
    is how many of t records its ball may lack, whatever its radius. The theorem of Nissim, Stemmer
    and Vadhan (module ``radius_then_center``) proves the radius as well and needs far more records.
    Where t is too small for the budget, that is refused before anything is paid.

    Parameters
    ----------
    points : array (n, d) or a frame; the columns have one unit, for distances are Euclidean; or a
        source of them (``dpviz.pieces``), which the solver reads some eight times
    t : int >= 1, records that the ball should hold
    bounds : pairs (lower, upper), a dict by column, or a frame; what lies outside is clipped
    epsilon, delta : the cost, delta > 0; without them all that is left of the ``curator``
    method : "solver" or "theorem"
    beta : probability with which the promise may fail; the mechanism is calibrated for it
    seed : of the public shifts; None: spawned from ``rng``, or fresh
    outside, curator, rng : as in ``dpviz.mean``

    Raises
    ------
    TypeError, ValueError, BudgetExceeded
        Before anything is paid.

    >>> import dpviz, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> places = np.concatenate([rng.normal(40, 1, (2000, 2)), rng.uniform(0, 100, (3000, 2))])
    >>> ball = dpviz.one_cluster(places, t=1800, bounds=(0, 100), epsilon=1, delta=1e-6, rng=7)
    >>> ball.center.round()
    array([40., 40.])
    """
    checks.choice("method", method, METHODS)
    module: Any = solver
    if method == "theorem":
        from dpviz.papers.small_cluster import radius_then_center as module
    how: dict[str, Any] = {"outside": outside, "epsilon": epsilon, "delta": delta}
    how |= {"curator": curator, "rng": rng}
    read, params = _read(module, points, bounds, beta, seed, how, t=t)
    n = read.n
    if isinstance(read, readings.Reading) and method == "theorem":
        raise ValueError("method must be 'solver' for records that are read in pieces")
    module.check_size(n, params)
    if isinstance(read, readings.Reading):
        release: Any = partial(_first, readings.passes(read), params)
    else:
        release = partial(module.release, read.values, params)
    most = solver.error_bound(params) if method == "solver" else module.error_bound(params, n=n)
    lost = partial(planned, most, params.beta)
    mechanism = Mechanism(name=method, params=params, bound=lost, release=release)
    return settled(
        [mechanism],
        Ball,
        title=f"a ball of {t} records",
        unit="of the t records",
        n=n,
        bounds=sides(read, vars(params)),
        curator=curator,
        rng=rng,
    )


def clusters(
    points: ArrayLike | frames.Frame,
    *,
    k: int,
    t: int,
    bounds: frames.Bounds,
    epsilon: float | None = None,
    delta: float | None = None,
    beta: float = BETA,
    outside: str = "clip",
    curator: Curator | None = None,
    seed: int | None = None,
    rng: checks.Seed | None = None,
) -> Balls:
    """k balls of about t records each, found one after the other. Costs ``epsilon``, ``delta``.

    What lies in one ball counts nowhere in later searches
    (`dpviz.papers.small_cluster.several_clusters`); all of them share the budget. Proved is how
    many of t records the first ball may lack; later ones may have fewer than t left.

    Parameters
    ----------
    k : int >= 1, balls
    points, t, bounds, epsilon, delta, beta, outside, curator, seed, rng : as in
        ``dpviz.one_cluster``; a source is read some eight times for each ball

    Raises
    ------
    TypeError, ValueError, BudgetExceeded
        Before anything is paid.

    >>> import dpviz, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> places = np.concatenate([rng.normal(at, 1, (3000, 2)) for at in (20, 70)])
    >>> balls = dpviz.clusters(places, k=2, t=2500, bounds=(0, 100), epsilon=2, delta=1e-6, rng=7)
    >>> sorted(float(ball.center[0].round(-1)) for ball in balls)
    [20.0, 70.0]
    """
    runs = checks.integer("k", k, at_least=1)
    how: dict[str, Any] = {"outside": outside, "epsilon": epsilon, "delta": delta}
    how |= {"curator": curator, "rng": rng}
    read, params = _read(solver, points, bounds, beta, seed, how, t=t, runs=runs)
    solver.check_size(read.n, params)
    lost = partial(planned, solver.error_bound(params), params.beta)
    if isinstance(read, readings.Reading):
        release: Any = partial(_passes().release, readings.passes(read), params)
    else:
        release = partial(several_clusters.release, read.values, params)
    mechanism = Mechanism(name="solver", params=params, bound=lost, release=release)
    return settled(
        [mechanism],
        Balls,
        title=f"{k} balls of {t} records",
        unit="of the t records, by the first ball",
        n=read.n,
        bounds=sides(read, vars(params)),
        curator=curator,
        rng=rng,
    )


def _read(
    module: Any,
    points: Any,
    bounds: frames.Bounds,
    beta: float,
    seed: int | None,
    how: dict[str, Any],
    **counts: int,
) -> tuple[frames.Table | readings.Reading, Any]:
    """The records, and the Params of a paper's module."""
    read, public = asked("points", points, bounds, pure=False, **how)
    checks.number("delta", public["delta"], above=0, at_most=0.5)
    public |= {"beta": beta, "seed": payment.public_seed(seed, how["rng"])}
    return read, module.Params(d=read.d, **public, **counts)


def _passes() -> Any:
    """The solver over pieces; loaded where it is asked for."""
    from dpviz.papers.small_cluster import passes

    return passes


def _first(data: Any, params: Any, curator: Any) -> Any:
    """One ball of records that are read in pieces."""
    return _passes().release(data, params, curator)[0]
