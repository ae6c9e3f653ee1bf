"""Workloads: synthetic instances of sparse query release, drawn from public recipes.

**Paper.** Blum and Roth (2013) give no experiments; these recipes are ours.

**Setting.** An instance is n private names and k public queries of width m.

**Idea.** Whether one mechanism beats another depends on m/n and k/n, and on how alike the
queries are; so there is a recipe for each case.

**Symbols.**

============  ===============  ===================================================  ======
paper         here             meaning                                              unit
============  ===============  ===================================================  ======
n             ``n``            number of records                                    count
m             ``m``            width of the queries                                 count
k             ``k``            number of queries                                    count
============  ===============  ===================================================  ======

**Departures.** None: the paper has no counterpart.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dpviz import checks
from dpviz.papers.sparse_queries.queries import Batch, Data, Query, batch_of

RECIPES = ("uneven", "wide", "zipf")


def instance(
    data: Data | None,
    queries: Iterable[Query] | None,
    *,
    recipe: str,
    n: int,
    m: int,
    k: int,
    rng: checks.Seed,
) -> tuple[Data, Batch, checks.Seed]:
    """The instance that is given, or one that is drawn; and the random stream after that.

    >>> instance(None, None, recipe="wide", n=50, m=20, k=3, rng=0)[1].width
    20
    """
    if data is not None and queries is not None:
        return data, batch_of(queries), rng
    if data is not None or queries is not None:
        raise ValueError("data and queries must be given together, or neither")
    rng = checks.generator(rng)
    return *draw(recipe, n=n, m=m, k=k, rng=rng), rng


def draw(recipe: str, *, n: int, m: int, k: int, rng: checks.Seed) -> tuple[np.ndarray, Batch]:
    """Private records and public queries.

    "uneven": 4 m names, a few of them with nearly all records (Dirichlet, 0.05); queries are
    random m of them. "zipf": 10,000 names, the r-th as common as 1/r; 1 to m names a query.
    "wide": 2 m names in 20 hidden groups of uneven size; a query is the names of 10 groups.

    >>> data, queries = draw("wide", n=50, m=20, k=3, rng=0)
    >>> data.shape, len(queries), queries.width
    ((50,), 3, 20)
    """
    rng = checks.generator(rng)
    recipes = {"uneven": _uneven, "wide": _wide, "zipf": _zipf}
    return recipes[checks.choice("recipe", recipe, RECIPES)](n, m, k, rng)


def _uneven(n: int, m: int, k: int, rng: np.random.Generator) -> tuple:
    shares = rng.dirichlet(np.full(4 * m, 0.05))
    data = rng.choice(4 * m, n, p=shares / shares.sum())
    return data, Batch(Query(rng.choice(4 * m, m, replace=False)) for _ in range(k))


def _zipf(n: int, m: int, k: int, rng: np.random.Generator) -> tuple:
    names = rng.permutation(10_000)
    shares = 1 / np.arange(1, len(names) + 1)
    data = names[rng.choice(len(names), n, p=shares / shares.sum())]
    widths = rng.integers(1, m + 1, k)
    return data, Batch(Query(rng.choice(names, width, replace=False)) for width in widths)


def _wide(n: int, m: int, k: int, rng: np.random.Generator) -> tuple:
    groups = rng.permutation(2 * m).reshape(20, -1)  # hidden: every query is made of whole groups
    shares = rng.dirichlet(np.full(20, 0.5))
    data = groups[rng.choice(20, n, p=shares), rng.integers(0, groups.shape[1], n)]
    return data, Batch.of_unions(
        groups, np.array([rng.choice(20, 10, replace=False) for _ in range(k)])
    )
