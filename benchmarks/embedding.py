"""E: embeddings. Frechet coordinates on a graph; projections against a matrix product's peak."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from distance import seconds

from dpviz.papers.distance_queries.embeddings import frechet, johnson_lindenstrauss, metrics

NODES, QUERIES, SUBSETS = 2000, 1000, 64


def graph() -> metrics.Table:
    """A ring with chords: 2,000 nodes, 6,000 ties."""
    nodes, rng = np.arange(NODES), np.random.default_rng(0)
    rings = [np.column_stack([nodes, (nodes + step) % NODES]) for step in (1, 2)]
    chords = np.column_stack([nodes, (nodes + rng.integers(3, NODES - 3, NODES)) % NODES])
    return metrics.shortest_paths(np.vstack([*rings, chords]), list(map(str, nodes)))


def embed() -> np.ndarray:
    """From the ties to the rows of all nodes."""
    params = frechet.Params(metric=graph(), queries=np.arange(QUERIES), subsets=SUBSETS)
    return params.draw(rng=0).map(np.arange(NODES))


def share_of_peak(n: int = 100_000, d: int = 30, target: int = 1000, rows: int = 4096) -> float:
    """Projection, in blocks of rows that are used and dropped, over a square matrix product."""
    data, room = np.random.default_rng(0).uniform(size=(n, d)), np.empty((rows, target))
    embedding = johnson_lindenstrauss.Params(d=d, target=target, lower=0, upper=1).draw(rng=0)
    blocks = [data[i : i + rows] for i in range(0, n, rows)]
    took = seconds(lambda: [embedding.map(block, out=room[: len(block)]) for block in blocks])
    square = np.random.default_rng(1).uniform(size=(1500, 1500))
    peak = 2 * 1500**3 / seconds(lambda: square @ square)
    return 2 * n * d * target / took / peak


def lines() -> Iterator[dict]:
    """E1 and E2."""
    took, share = seconds(embed, runs=3), share_of_peak()
    yield {
        "id": "E1",
        "what": f"graph of {NODES} nodes: paths, {QUERIES} queries, K = {SUBSETS}, all rows",
        "value": took,
        "unit": "s",
        "target": "< 2",
        "holds": took < 2,
        "peer": "none",
    }
    yield {
        "id": "E2",
        "what": "projection of 1e5 x 30 to 1,000 coordinates, share of the matrix product's peak",
        "value": share,
        "unit": "ratio",
        "target": ">= 0.5",
        "holds": share >= 0.5,
        "peer": "numpy: product of two 1500 x 1500 matrices",
    }
