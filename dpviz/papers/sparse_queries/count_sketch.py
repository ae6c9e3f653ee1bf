"""Private count-sketch: hashed counts with random signs, and noise; a name by a median.

**Paper.** Beside Blum and Roth (2013): Charikar, Chen and Farach-Colton (2004); with Gaussian noise
Pagh and Thorup, *Improved utility analysis of private CountSketch* (NeurIPS 2022).

**Setting.** As in ``hashed_histogram``: everything is published at once, rows x size noisy numbers,
from which anybody answers any sparse query.

**Idea.** Each row sends every name to one bucket, with a random sign. Other names in the bucket
then disturb a count with either sign, so they cancel on average; a median over rows forgets the
rows in which a common name is in the way, and its noise is hardly more than that of one row.

**Symbols.**

=========  ===============  ================================================  ========
paper      here             meaning                                           unit
=========  ===============  ================================================  ========
k          ``rows``         independent repetitions                           odd
b          ``size``         buckets of a row                                  count
h, s       ``buckets``      bucket and sign of a name in each row: lines mod  (rows,)
                            2^61 - 1, then mod 2 size
sigma      ``noise``        standard deviation of a bucket's noise            count
=========  ===============  ================================================  ========

**Departures.** (1) Neighbours replace a record: two entries of each row move by 1, or one by 2. (2)
Laplace noise where no delta is given; it grows with the rows, so one row is the best then. (3)
Bucket and sign come from one line, pairwise independent; the paper takes its hash functions to
be random.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from dpviz import checks
from dpviz.papers.sparse_queries.hashed_histogram import LARGEST, PRIME, fingerprint
from dpviz.papers.sparse_queries.queries import Data, Query, Records, batch_of
from dpviz.privacy.curator import Budgeted, Curator


@dataclass(frozen=True, kw_only=True)
class Params(Budgeted):
    """Public numbers, and the public hash functions.

    Attributes
    ----------
    epsilon : float > 0; delta : float in [0, 1), 0 for Laplace noise
    size : int >= 1, buckets of a row; rows times size at most 10,000,000
    coefficients : tuple with two integers in [0, 2^61 - 1) for each row, of which there is an odd
        number; drawn by :meth:`draw`

    >>> Params(epsilon=1.0, size=9, coefficients=((1, 2), (3, 4)))
    Traceback (most recent call last):
    ...
    ValueError: rows must be odd, so that there is a median, not 2
    """

    size: checks.Count
    coefficients: tuple[tuple[int, int], ...]

    def __post_init__(self):
        super().__post_init__()
        if not isinstance(self.coefficients, tuple) or not self.coefficients:
            raise ValueError(
                "coefficients must be pairs of integers; Params.draw(rng=...) draws them"
            )
        if not self.rows % 2:
            raise ValueError(f"rows must be odd, so that there is a median, not {self.rows}")
        if self.rows * self.size > LARGEST:
            raise ValueError(f"size must satisfy rows size <= {LARGEST}, not {self.size}")
        for pair in self.coefficients:
            if not (isinstance(pair, tuple) and len(pair) == 2):
                raise ValueError("coefficients must be pairs of integers, one pair a row")
            for each in pair:
                checks.integer("coefficients", each, at_least=0, at_most=PRIME - 1)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.coefficients)

    @classmethod
    def draw(cls, *, rows: int, rng: checks.Seed, **public: float) -> Params:
        """Public randomness: a hash function for each row."""
        rows = checks.integer("rows", rows, at_least=1, at_most=1001)
        pairs = checks.generator(rng).integers(0, PRIME, (rows, 2)).tolist()
        return cls(coefficients=tuple(map(tuple, pairs)), **public)


@dataclass(frozen=True, eq=False)
class Release:
    """What the public sees.

    Attributes
    ----------
    sketch : array (rows, size), noisy signed counts; params : Params, with the hash functions
    """

    sketch: np.ndarray = field(repr=False)
    params: Params
    n: int


def release(data: Data, params: Params, curator: Curator) -> Release:
    """The sketch with noise. Costs ``epsilon`` and ``delta``, at once.

    Proof. The hash functions are drawn without the data. Replacing a record takes a sign off one
    bucket of each row and adds one to another, or to the same: a row moves by 2 in L1, and by at
    most 2 in L2, which two opposite names in one bucket attain. So all rows move by 2 rows in L1
    and 2 sqrt(rows) in L2.

    Parameters
    ----------
    data : sequence of n names (strings, numbers, tuples of them), private

    >>> params = Params.draw(epsilon=100.0, size=50, rows=3, rng=0)
    >>> release(["cat"] * 50, params, params.curator(rng=0)).sketch.shape
    (3, 50)
    """
    records = Records(data)
    try:
        exact = _sketch(records, params)
    except TypeError:
        raise TypeError("data must be strings, numbers, or tuples of them") from None
    noisy = params.noisy(exact, curator, **_moved(params.rows), label="sketch")
    return Release(noisy, params, records.n)


def answer(release: Release, queries: Iterable[Query]) -> np.ndarray:
    """Sums of the names' medians, clipped to [0, 1]; (k,). Free: post-processing.

    >>> params = Params.draw(epsilon=1000.0, size=50, rows=3, rng=0)
    >>> found = release(["cat"] * 50, params, params.curator(rng=0))
    >>> answer(found, [Query(["cat"])]).round(2)
    array([1.])
    """
    batch = batch_of(queries)
    return np.clip(batch.apply(_estimates(release, batch.names)) / release.n, 0.0, 1.0)


def noise(params: Params) -> float:
    """Standard deviation of the noise of a bucket.

    >>> noise(Params.draw(epsilon=2.0, size=50, rows=1, rng=0)) == 2**0.5
    True
    """
    return params.noise_sd(**_moved(params.rows))


def _moved(rows: int) -> dict[str, float]:
    """How far a replaced record moves the sketch, in either norm."""
    return {"l1": 2.0 * rows, "l2": 2 * math.sqrt(rows)}


def _estimates(release: Release, names: Sequence[Hashable]) -> np.ndarray:
    """The median over the rows of sign times bucket, for each name; array (names,)."""
    places, signs = buckets(names, release.params)
    rows = np.arange(release.params.rows)[:, None]
    return np.median(signs * release.sketch[rows, places], axis=0)


def buckets(names: Sequence[Hashable], params: Params) -> tuple[np.ndarray, np.ndarray]:
    """Bucket and sign of each name in each row; int arrays (rows, names).

    >>> places, signs = buckets(["cat", "dog"], Params.draw(epsilon=1, size=9, rows=5, rng=0))
    >>> places.shape, set(signs.ravel().tolist()) <= {-1, 1}
    ((5, 2), True)
    """
    prints = [fingerprint(name) for name in names]
    codes = [
        [(a * x + b) % PRIME % (2 * params.size) for x in prints] for a, b in params.coefficients
    ]
    table = np.array(codes, dtype=int).reshape(params.rows, len(prints))
    return table // 2, 2 * (table % 2) - 1


def _sketch(records: Records, params: Params) -> np.ndarray:
    """Signed counts without noise; private."""
    places, signs = buckets(list(records.counts), params)
    counts = np.fromiter(records.counts.values(), dtype=float, count=len(records.counts))
    flat = places + params.size * np.arange(params.rows)[:, None]
    sums = np.bincount(flat.ravel(), (signs * counts).ravel(), minlength=params.rows * params.size)
    return sums.reshape(params.rows, params.size)
