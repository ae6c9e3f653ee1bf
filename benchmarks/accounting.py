"""T8: how long the slowest accounting call takes, and how near it is to numerical accounting."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from functools import partial

from dpviz import accounting
from dpviz.accounting import composition

EPSILONS, DELTAS, STEPS = (0.01, 0.1, 1.0, 10.0), (1e-10, 1e-6, 0.01), (1, 10, 100, 1000, 10_000)


def single(epsilon: float, delta: float) -> Iterator[Callable[[], object]]:
    """The calls that know no number of steps; the noise runs over the grid of epsilon too."""
    yield partial(accounting.zcdp_rho, epsilon=epsilon, delta=delta)
    yield partial(accounting.gaussian_sd, epsilon=epsilon, delta=delta)
    yield partial(accounting.subsample, epsilon=epsilon, delta=delta, rate=0.01)
    for noise in EPSILONS:
        yield partial(accounting.zcdp_delta, rho=noise, epsilon=epsilon)
        yield partial(accounting.zcdp_epsilon, rho=noise, delta=delta)
        yield partial(accounting.gaussian_delta, sd=noise, epsilon=epsilon)
        yield partial(accounting.gaussian_epsilon, sd=noise, delta=delta)


def composed(epsilon: float, delta: float, k: int) -> Iterator[Callable[[], object]]:
    """The calls for k steps, and for k draws with replacement from k records."""
    yield partial(accounting.pure_advanced, epsilon=epsilon, k=k, delta=delta)
    yield partial(accounting.pure_exact, epsilon=epsilon, k=k, delta=delta)
    yield partial(accounting.pure_exact_delta, epsilon=epsilon, k=k, total=epsilon * k / 4)
    for rule in accounting.RULES:
        yield partial(accounting.step_for, total=epsilon, k=k, delta=delta, rule=rule)
    profile = accounting.pure_profile(epsilon=epsilon / 2)
    yield partial(accounting.resample, epsilon=epsilon, draws=k, n=k, profile=profile)


def seconds(call: Callable[[], object]) -> float:
    """Least processor time of five runs, nothing remembered from one to the next."""
    times = []
    for _ in range(5):
        composition._log_choose.cache_clear()
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def ratios() -> Iterator[tuple[float, float]]:
    """Our exact total over the numerical one: worst steps, Laplace at 0.1."""
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as numerical

    for epsilon, k in itertools.product((0.01, 0.1, 1.0), (100, 1000, 10_000)):
        step = common.DifferentialPrivacyParameters(epsilon, 0)
        worst = numerical.from_privacy_parameters(step, value_discretization_interval=epsilon)
        total = accounting.pure_exact(epsilon=epsilon, k=k, delta=1e-6)
        true = worst.self_compose(k).get_epsilon_for_delta(1e-6)
        laplace = math.nan
        if epsilon == 0.1:
            laplace = numerical.from_laplace_mechanism(10).self_compose(k)
            laplace = total / laplace.get_epsilon_for_delta(1e-6)
        yield total / true, laplace


def lines() -> Iterator[dict]:
    """The slowest call of a grid; the worst ratio over 100 steps and more."""
    grid = list(itertools.product(EPSILONS, DELTAS))
    calls = [call for point in grid for call in single(*point)]
    calls += [
        call for point in itertools.product(grid, STEPS) for call in composed(*point[0], point[1])
    ]
    slowest = max(((seconds(call), call) for call in calls), key=lambda pair: pair[0])
    yield {
        "id": "T8",
        "what": f"slowest of {len(calls)} accounting calls ({slowest[1].func.__name__})",
        "value": slowest[0],
        "unit": "s",
        "target": "<= 0.002",
        "holds": slowest[0] <= 0.002,
        "peer": "dp-accounting",
    }
    pairs = list(ratios())
    worst, laplace = max(pair[0] for pair in pairs), max(x for _, x in pairs if x > 0)
    yield {
        "id": "T8b",
        "what": f"exact total of >= 100 pure steps, over numerical (Laplace at 0.1: {laplace:.3f})",
        "value": worst,
        "unit": "ratio",
        "target": "<= 1.03",
        "holds": max(worst, laplace) <= 1.03,
        "peer": "dp-accounting",
    }
