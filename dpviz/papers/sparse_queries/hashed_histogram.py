"""Hashed Laplace histogram: sparse queries without interaction, over a universe of any size.

**Paper.** Blum and Roth (2013), second mechanism: project the universe to a small one, release
noisy counts there. Their text is not at hand, so size, estimator and proofs are our reconstruction.

**Setting.** As in ``online``, but everything is published at once: s noisy numbers, from which
anybody answers any sparse query, without a curator and without a vocabulary.

**Idea.** A random function of limited independence sends each name to one of s buckets. Few names
share a bucket, so a bucket's count is nearly the count of the one name that is asked about.

**Symbols.**

============  ==================  =====================================================  ========
paper         here                meaning                                                unit
============  ==================  =====================================================  ========
s             ``size``            number of buckets                                      count
h             ``bucket``          name to bucket: a random line mod 2^61 - 1, and mod s  [0, s)
(none)        ``coefficients``    of the polynomial: a line, so pairwise independent     integers
W             ``mass``            sum of a query's coefficients                          [0, m]
a_j           ``loads``           sum of the coefficients that fall into bucket j        [0, m]
============  ==================  =====================================================  ========

**Departures.** (1) All of it is our reconstruction. Theirs, as others report it, is a random
Johnson-Lindenstrauss projection of limited independence; ours sends each name to one bucket.
(2) A name becomes a number below 2^61 by a fixed fingerprint (BLAKE2b) first. Privacy does not ask
how good it is; the error bound takes two names with one fingerprint for one name. (3) The
polynomial's value is uniform below 2^61 - 1, not below s: a bucket's probability is off by a share
of s / 2^61 at most, which the bound leaves out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from dpviz import checks
from dpviz.papers.sparse_queries import workloads
from dpviz.papers.sparse_queries.queries import Batch, Data, Query, Records, batch_of, truth
from dpviz.privacy.curator import PURE, Curator, Promise
from dpviz.privacy.pieces import Few, Sums, merge

__all__ = ["merge"]
PRIME = 2**61 - 1
LARGEST = 10**7  # buckets: 80 MB
KNOWN = 2**19  # names whose buckets are remembered during a pass: about 60 MB
BUCKETS = "records by bucket"


@dataclass(frozen=True, kw_only=True)
class Params(Promise):
    """Public numbers, and the public hash function.

    Attributes
    ----------
    epsilon : float > 0, budget of the whole release, which is pure
    m, k : int >= 1, width and number of the queries for which the error is promised
    size : int >= 2, number of buckets
    coefficients : two integers in [0, 2^61 - 1), drawn by :meth:`draw`

    >>> Params(epsilon=1.0, m=3, k=5, size=1, coefficients=(1, 2))
    Traceback (most recent call last):
    ...
    ValueError: size must be a whole number, at least 2 and at most 1e+07, not 1
    """

    delta_range = PURE

    m: checks.Count
    k: checks.Count
    size: int
    coefficients: tuple[int, int]

    def __post_init__(self):
        super().__post_init__()
        checks.integer("size", self.size, at_least=2, at_most=LARGEST)
        if not (isinstance(self.coefficients, tuple) and len(self.coefficients) == 2):
            raise ValueError("coefficients must be two integers; Params.draw(rng=...) draws them")
        for each in self.coefficients:
            checks.integer("coefficients", each, at_least=0, at_most=PRIME - 1)

    @classmethod
    def draw(cls, *, rng: checks.Seed, **public: float) -> Params:
        """Public randomness: a hash function from a pairwise independent family."""
        coefficients = checks.generator(rng).integers(0, PRIME, 2).tolist()
        return cls(coefficients=tuple(coefficients), **public)


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees.

    Attributes
    ----------
    counts : array (size,), noisy number of records in each bucket
    params : Params, with the hash function; n : int, number of records
    """

    counts: np.ndarray = field(repr=False)
    params: Params
    n: int


def release(data: Data | Sums, params: Params, curator: Curator) -> Release:
    """Noisy counts of all buckets. Costs ``epsilon``.

    Statements: L13 Bibliography (Blum and Roth).
    Proof. The hash function is drawn without the data. Replacing a record takes one from one
    count and adds one to another: L1 sensitivity 2. So this is the Laplace mechanism.

    Parameters
    ----------
    data : sequence of n names (strings, numbers, tuples of them), private; or the merged
        :func:`statistic` of its pieces
    curator : Curator, basic, which can pay epsilon

    >>> params = Params.draw(epsilon=1.0, m=2, k=1, size=100, rng=0)
    >>> release(["cat"] * 50, params, params.curator(rng=0)).counts.shape
    (100,)
    """
    sums = data if isinstance(data, Sums) else statistic(Records(data), params)
    cost = {"sensitivity": 2.0, "epsilon": params.epsilon, "label": "buckets"}
    counts = sums.value(BUCKETS, (params.size,))
    return Release(curator.laplace(counts, **cost), params, sums.n)


def statistic(
    data: Data | Records, params: Params, *, known: dict[Hashable, int] | None = None
) -> Sums:
    """What the release needs of some of the records: how many fall into each bucket. Private.

    Parameters
    ----------
    data : sequence of names, or names that were counted
    known : buckets of names that were met before, for another piece of the same pass; private as
        the names are. It is filled up to ``KNOWN`` names

    >>> params = Params.draw(epsilon=1.0, m=2, k=1, size=100, rng=0)
    >>> both = merge(statistic(["cat"] * 3, params), statistic(["cat"], params))
    >>> float(both.value(BUCKETS, (100,)).max())
    4.0
    """
    known = {} if known is None else known
    counts = data.counts if isinstance(data, Records) else Counter(data)

    def met(name: Hashable) -> int:
        place = _bucket(name, params)
        if len(known) < KNOWN:
            known[name] = place
        return place

    try:
        places = [known[name] if name in known else met(name) for name in counts]
    except TypeError:
        raise TypeError("data must be strings, numbers, or tuples of them") from None
    each = np.fromiter(counts.values(), dtype=float, count=len(counts))
    first, inverse = np.unique(np.array(places, dtype=np.int64), return_inverse=True)
    totals = np.bincount(inverse, each, minlength=len(first)).astype(np.int64)
    n = data.n if isinstance(data, Records) else counts.total()
    return Sums(n=n, totals={BUCKETS: Few(first, totals, params.size)})


def answer(release: Release, queries: Iterable[Query]) -> np.ndarray:
    """Answers less the expected share of other names in a bucket; (k,). Free: post-processing.

    Sum of Q(x) count(h(x)) / n has mean Q(D) (1 - 1/s) + W / s over the hash function; solved for
    Q(D), and clipped to [0, 1].

    >>> params = Params.draw(epsilon=100.0, m=2, k=1, size=100, rng=0)
    >>> found = release(["cat"] * 50, params, params.curator(rng=0))
    >>> answer(found, [Query(["cat", "dog"])])
    array([1.])
    """
    batch = batch_of(queries)
    params = release.params
    return np.clip(_solved(_loads(batch, params), batch, release.counts, release.n), 0.0, 1.0)


def error_bound(params: Params, *, n: int, queries: Iterable[Query]) -> float:
    """Proved: all answers to these k queries are within this, with probability 1 - beta.

    The probability is over hash function and noise, for data and queries that were fixed before
    the hash function was drawn: who knows it can ask for names in the bucket of a common one.

    Proof. *Noise*, beta/2: the answer's noise is the sum of a_j Laplace(2 / epsilon) / n, a_j the
    query's coefficients in bucket j; public, so Chernoff's bound is computed for just these.
    *Collisions*, beta/2: C = sum over pairs x != y of w_xy [h(x) = h(y)], with w_xy = D(x) Q(y) +
    D(y) Q(x), has mean at most W / s, so C <= 2 k W / (s beta) for all k queries (Markov's
    inequality with a union bound); as C and its mean are not negative, they differ by no more. Or
    no two names meet at all, but with probability (n + m) times all widths / s; where that is at
    most beta/2, C is 0, and its mean W / s is what is left. Pairwise independence is all that this
    needs. Solving for Q(D) divides by 1 - 1/s.

    >>> params = Params.draw(epsilon=1.0, m=2, k=1, size=10**6, rng=0)
    >>> error_bound(params, n=10**4, queries=[Query(["cat", "dog"])])
    0.0016
    """
    checks.integer("n", n, at_least=1)
    batch = batch_of(queries)
    collisions = collision_bound(params, n, batch)
    return (noise_bound(params, n, batch) + collisions) / (1 - 1 / params.size)


def trial(
    params: Params,
    data: Data | None = None,
    queries: Iterable[Query] | None = None,
    *,
    rng: checks.Seed,
    recipe: str = "uneven",
    n: int = 1000,
) -> dict[str, float]:
    """One release with a new hash function; its largest error.

    Parameters
    ----------
    params : Params, whose hash function is not used
    data, queries : the instance; drawn by ``workloads.draw`` if they are not given
    recipe, n : how it is drawn

    Returns a dict with ``error``, ``collisions`` (the error without noise), ``bound``.

    >>> params = Params.draw(epsilon=1.0, m=4, k=20, size=10**5, rng=0)
    >>> run = trial(params, rng=1, recipe="zipf", n=10**4)
    >>> run["collisions"] < run["error"] < run["bound"]
    True
    """
    rng = checks.generator(rng)
    instance = {"recipe": recipe, "n": n, "m": params.m, "k": params.k}
    data, batch, rng = workloads.instance(data, queries, **instance, rng=rng)
    params = replace(params, coefficients=tuple(rng.integers(0, PRIME, 2).tolist()))
    exact = truth(data, batch)
    records = Records(data)

    def error(histogram: Release) -> float:
        return float(np.abs(answer(histogram, batch) - exact).max())

    def quiet() -> Release:
        counts = statistic(records, params).value(BUCKETS, (params.size,))
        return Release(counts, params, records.n)

    # One after the other, and neither kept: each holds a number for every bucket.
    return {
        "error": error(release(data, params, params.curator(rng=rng))),
        "collisions": error(quiet()),
        "bound": error_bound(params, n=records.n, queries=batch),
    }


def noise_bound(params: Params, n: int, batch: Batch) -> float:
    """Chernoff's bound of the largest noise in the answers, probability beta/2.

    >>> params = Params.draw(epsilon=1.0, m=1, k=1, size=100, rng=0)
    >>> round(noise_bound(params, 1000, Batch([Query(["cat"])])), 4)
    0.0133
    """
    x = params.epsilon / 2 * np.linspace(0.005, 0.995, 199)
    worst = 0.0
    for loads in _loads(batch, params):
        sizes = np.array(list(loads.values()))
        t = x / sizes.max()
        tails = -np.log1p(-((2 * np.outer(t, sizes) / params.epsilon) ** 2)).sum(axis=1)
        tails += math.log(4 * len(batch) / params.beta)
        worst = max(worst, float((tails / t).min()) / n)
    return worst


def collision_bound(params: Params, n: int, batch: Batch) -> float:
    """Bound of the largest deviation that other names in a bucket cause, probability beta/2.

    >>> params = Params.draw(epsilon=1.0, m=1, k=1, size=10**5, rng=0)
    >>> one = Batch([Query(["cat"])])
    >>> [round(1e5 * collision_bound(params, n, one), 3) for n in (1000, 10**4)]
    [1.0, 40.0]
    """
    widths = [len(query) for query in batch]
    mass = max(float(query.values.sum()) for query in batch)
    if (n + max(widths)) * sum(widths) / params.size <= params.beta / 2:
        return mass / params.size
    return 2 * len(batch) * mass / (params.size * params.beta)


def _bucket(name: Hashable, params: Params) -> int:
    """h(name), in [0, s)."""
    value = 0
    x = fingerprint(name)
    for coefficient in params.coefficients:
        value = (value * x + coefficient) % PRIME
    return value % params.size


def fingerprint(name: Hashable) -> int:
    """A fixed number in [0, 2^61 - 1) for a string, a number, or a tuple of them.

    >>> fingerprint("cat") == fingerprint("dog"), fingerprint(1) == fingerprint(True)
    (False, True)
    """
    import hashlib  # loads OpenSSL

    digest = hashlib.blake2b(_text(name).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % PRIME


def _text(name: Hashable) -> str:
    """One text for equal names, different ones for others."""
    if isinstance(name, str):
        return f"s{len(name)}:{name}"
    if isinstance(name, tuple):
        return f"t{len(name)}:" + "".join(map(_text, name))
    if isinstance(name, int | float | np.number | np.bool_) and math.isfinite(name):
        return f"n{int(name) if name == int(name) else float(name)!r};"
    raise TypeError("name must be a string, a finite number, or a tuple of them")


@lru_cache(maxsize=1)  # of a release an answer and its bound ask for the same
def _loads(batch: Batch, params: Params) -> list[dict[int, float]]:
    """For each query the sum of its coefficients in each bucket."""
    buckets = [_bucket(name, params) for name in batch.names]
    found: list[dict[int, float]] = []
    for query in batch:
        loads: dict[int, float] = {}
        for name, value in zip(query.names, query.values.tolist(), strict=True):
            j = buckets[batch.number[name]]
            loads[j] = loads.get(j, 0.0) + value
        found.append(loads)
    return found


def _solved(
    loads: list[dict[int, float]], batch: Batch, counts: np.ndarray, n: int = 1
) -> np.ndarray:
    """Q(D) from the buckets' counts of n records, or from their shares."""
    s = len(counts)
    sums = [sum(value * (counts[j] / n) for j, value in each.items()) for each in loads]
    mass = np.array([query.values.sum() for query in batch])
    return (np.array(sums) - mass / s) / (1 - 1 / s)
