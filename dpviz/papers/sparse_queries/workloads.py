"""Workloads for sparse query release: one trial for every mechanism and its baselines.

**Paper.** Blum and Roth (2013) give no experiments.

**Setting.** An instance is n private names and k public queries of width m; see ``recipes``.

**Idea.** All mechanisms answer the same instance, so their errors can stand side by side.

**Symbols.**

============  ===============  ===================================================  ======
paper         here             meaning                                              unit
============  ===============  ===================================================  ======
n             ``n``            number of records                                    count
m             ``m``            width of the queries                                 count
k             ``k``            number of queries                                    count
============  ===============  ===================================================  ======

**Departures.** None: the paper has no counterpart. Parameters of the mechanisms are set before an
instance is seen.
"""

from __future__ import annotations

from collections.abc import Iterable

from dpviz import checks
from dpviz.papers.sparse_queries import baselines, online, plan, recipes
from dpviz.papers.sparse_queries.queries import Data, Query


def trial(
    params: plan.Params,
    data: Data | None = None,
    queries: Iterable[Query] | None = None,
    *,
    rng: checks.Seed,
    method: str = "online",
    recipe: str = "uneven",
    n: int = 1000,
) -> dict[str, float]:
    """Let one mechanism answer one instance; measure the largest error.

    Parameters
    ----------
    params : plan.Params; its m and k are those of the instance
    data, queries : the instance; drawn if they are not given
    method : "online", or a name in ``baselines.MECHANISMS``
    recipe, n : how data and queries are drawn, see ``recipes.draw``

    Returns
    -------
    dict with ``error``; with method "online" also what ``online.trial`` returns

    >>> params = plan.Params(epsilon=1.0, m=4, k=20)
    >>> run = trial(params, rng=1, method="lazy_histogram", recipe="zipf")
    >>> run["error"] < 0.1
    True
    """
    rng = checks.generator(rng)
    drawn = {"recipe": recipe, "n": n, "m": params.m, "k": params.k}
    data, batch, rng = recipes.instance(data, queries, **drawn, rng=rng)
    if method == "online":
        return online.trial(params, data, batch, rng=rng)
    return {"error": baselines.largest_error(method, params, data, batch, rng=rng)}


def trial_all(
    params: plan.Params,
    data: Data | None = None,
    queries: Iterable[Query] | None = None,
    *,
    rng: checks.Seed,
    recipe: str = "uneven",
    n: int = 1000,
) -> dict[str, float]:
    """Let every mechanism answer one instance: largest errors, side by side.

    Parameters as for :func:`trial`.

    Returns
    -------
    dict with ``online`` (as promised: ``bound``, ``updates``), ``rule_of_thumb`` (online by
    :func:`plan.rule_of_thumb`) and one entry for each of ``baselines.MECHANISMS``

    >>> params = plan.Params(epsilon=1.0, delta=1e-6, m=4, k=20)
    >>> sorted(trial_all(params, rng=1))[:3]
    ['bound', 'constant', 'gaussian']
    """
    rng = checks.generator(rng)
    drawn = {"recipe": recipe, "n": n, "m": params.m, "k": params.k}
    data, batch, rng = recipes.instance(data, queries, **drawn, rng=rng)
    promised = online.trial(params, data, batch, rng=rng)
    quick = online.trial(plan.rule_of_thumb(params, len(data)), data, batch, rng=rng)
    errors = {
        name: baselines.largest_error(name, params, data, batch, rng=rng)
        for name in baselines.MECHANISMS
    }
    run = {"online": promised["error"], "bound": promised["bound"], "updates": promised["updates"]}
    return run | {"rule_of_thumb": quick["error"]} | errors
