"""P: what dpviz and a peer need for the same job, in one run; the peers by their own Python."""

from __future__ import annotations

import json
import math
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import cluster
import install_peers
import numpy as np
import sparse
import yardsticks

from dpviz import accounting
from dpviz.papers.distance_queries.releases import average_sign
from dpviz.papers.small_cluster import one_cluster
from dpviz.papers.small_cluster.planted import plant
from dpviz.papers.smooth_queries import functional_mechanism
from dpviz.privacy.curator import Curator

JOBS = Path(__file__).with_name("peer_jobs.py")
VERSIONS: dict[str, str] = {}  # of the peers that were measured
NOT_PACKAGED = {  # peers that no package index has: they are named, not measured
    "Google's differentially private clustering": "not on the package index",
    "DP-Sniper, DP-Auditorium, StatDP": "not on the package index; T9 states targets of its own",
}


class Missing(Exception):
    """A peer that is not installed, or does not run; says why."""


def ask(job: str, environment: str = "main", **arrays: object) -> dict:
    """What a peer's job gives for these arrays."""
    python = install_peers.python(environment)
    if not python.exists():
        raise Missing("its environment is not there: make peers")
    with tempfile.TemporaryDirectory() as folder:
        np.savez(path := Path(folder) / "given.npz", **arrays)
        command = [str(python), str(JOBS), job, str(path)]
        env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise Missing(install_peers.reason("ERROR: " + (done.stderr.split("\n") or [""])[-2]))
    found = json.loads(done.stdout.splitlines()[-1])
    VERSIONS[job.partition("_")[0]] = found["version"]
    return found


def missing() -> dict[str, str]:
    """Peers that did not install, with what pip said, and those that are not packaged."""
    path = install_peers.FOLDER / "missing.json"
    return (json.loads(path.read_text()) if path.exists() else {}) | NOT_PACKAGED


def line(id_: str, what: str, ratio: float, peer: str) -> dict:
    """One line: how many times longer (or larger) the peer's figure is."""
    return {"id": id_, "what": what, "value": float(ratio), "unit": "ratio", "target": ">= 1",
            "holds": bool(ratio >= 1), "peer": peer}  # fmt: skip


def absent(id_: str, peer: str, why: Missing) -> dict:
    """The line of a peer that could not be measured."""
    return {"id": id_, "what": f"not measured: {why}", "value": math.nan, "unit": "ratio",
            "target": "", "holds": False, "peer": peer}  # fmt: skip


def noise() -> Iterator[dict]:
    """One Laplace number of OpenDP and of diffprivlib over ours in a vector."""
    curator, values = Curator(epsilon=100, rng=0), np.zeros(10**6)
    ours = yardsticks.seconds(
        lambda: curator.laplace(values, sensitivity=1, epsilon=1, label="noise")
    )
    ours /= len(values)
    theirs = ask("opendp_laplace", values=np.zeros(20_000))["seconds"]
    safe = "OpenDP, whose noise is safe against the last bits of floats"
    yield line("P1", "one Laplace number in a vector", theirs / ours, safe)
    rng = np.random.default_rng(0)
    data, queries = rng.beta(2, 5, (yardsticks.N, yardsticks.D)), rng.uniform(size=(10**5, 10))
    whole = yardsticks.seconds(lambda: yardsticks.release(data), 3)
    made = yardsticks.release(data)
    whole += 10 * yardsticks.seconds(lambda: average_sign.answer(made, queries), 3)
    what = "a million distance queries answered: its noise alone over our release and answers"
    yield line("P2", what, 10**6 * theirs / whole, "OpenDP")
    theirs = ask("diffprivlib_laplace", values=np.zeros(20_000))["seconds"]
    yield line("P3a", "one Laplace number of many; it has calls only", theirs / ours, "diffprivlib")
    curator = Curator(epsilon=1e9, rng=0)

    def calls() -> None:
        for _ in range(1000):
            curator.laplace(0.0, sensitivity=1, epsilon=1, label="noise")

    single = yardsticks.seconds(calls, 3) / 1000
    what = "one Laplace number by a call; ours checked, paid and written down"
    yield line("P3b", what, theirs / single, "diffprivlib")


def clusters() -> Iterator[dict]:
    """k-means with 16 centres, and an oracle that picks the best of them and its radius."""
    for d, id_ in ((2, "P4a"), (10, "P4b")):
        sets = [plant(10_000, 2500, d, 0.02, rng=seed) for seed in range(5)]
        rows = np.array([made.data for made in sets])
        found = ask("diffprivlib_kmeans", data=rows, lower=0.0, upper=1.0)
        theirs = np.median(
            [
                radius_ratio(made, centers)
                for made, centers in zip(sets, found["centers"], strict=True)
            ]
        )
        params = one_cluster.Params(t=2500, d=d, epsilon=1.0, delta=1e-6, lower=0, upper=1)
        ours = np.median(
            [one_cluster.trial(params, made, rng=i)["ratio"] for i, made in enumerate(sets)]
        )
        took = cluster.seconds(10_000, d)
        what = (
            f"radius that holds t rows, n = 1e4, d = {d} (planted radius x {theirs:.1f}, ours x "
            f"{ours:.2f}; its time over ours {found['seconds'] / took:.1f})"
        )
        yield line(id_, what, theirs / ours, "diffprivlib: k-means, k = 16, an oracle's pick")


def radius_ratio(made: object, centers: list) -> float:
    """The least radius about one of the centres that holds t rows, over the planted radius."""
    t = int(made.clusters[0].sum())
    gaps = [np.linalg.norm(made.data - center, axis=1) for center in np.array(centers)]
    return min(float(np.partition(gap, t - 1)[t - 1]) for gap in gaps) / made.spread


def sparse_queries() -> Iterator[dict]:
    """Thirty rounds over 1e4 names: the whole job here, one part of it there."""
    data, queries = sparse.spread(10**4, 0)
    ours = sparse.seconds(lambda: sparse.run(data, queries, 10**4), 5)
    picked = [query for query in queries if len(query.names) == sparse.M][:30]
    names = np.array([list(query.names) for query in picked])
    shares = np.bincount(data, minlength=10**4) / len(data)
    noisy = shares[names].sum(axis=1) + np.random.default_rng(0).laplace(0, 1e-3, len(names))
    found = ask("mbi_estimate", size=10**4, names=names, noisy=noisy)
    what = "a distribution on 1e4 names from 30 answers, over our whole job"
    yield line("P5a", what, found["seconds"] / ours, "private-pgm (mbi), mirror descent")
    peer = "smartnoise-synth: MWEM, 30 rounds, its own 1,000 ranges"
    try:
        found = ask("smartnoise_mwem", "smartnoise", data=data)
        yield line("P5b", "multiplicative weights, 1e4 names", found["seconds"] / ours, peer)
    except Missing as why:
        yield absent("P5b", peer, why)


def kernels() -> Iterator[dict]:
    """Kernel sums at 1e4 places: from our published table, and by scikit-learn, not private."""
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.neighbors import KernelDensity

    rng = np.random.default_rng(0)
    data, centres = rng.uniform(-1, 1, (10**5, 3)), rng.uniform(-1, 1, (10**4, 3))
    params = functional_mechanism.Params(
        d=3, width=0.5, nodes=12, epsilon=1.0, delta=1e-6, lower=-1, upper=1
    )
    made = functional_mechanism.release(data, params, params.curator(rng=0))
    ours = yardsticks.seconds(lambda: functional_mechanism.answer(made, centres))
    tree = KernelDensity(bandwidth=0.5, rtol=1e-3).fit(data)
    ways = (lambda: tree.score_samples(centres[:50]), lambda: rbf_kernel(centres[:50], data, 2.0))
    theirs = min(yardsticks.seconds(way, 1) for way in ways) * len(centres) / 50
    what = "1e4 Gaussian kernel sums, n = 1e5, d = 3; the better of its tree and its kernel matrix"
    yield line("P7", what, theirs / ours, "scikit-learn, not private")


def accountant() -> Iterator[dict]:
    """The exact total of a thousand pure steps, and the numerical one."""
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as numerical

    def theirs() -> float:
        step = numerical.from_privacy_parameters(
            common.DifferentialPrivacyParameters(0.1, 0), value_discretization_interval=1e-3
        )
        return step.self_compose(1000).get_epsilon_for_delta(1e-6)

    ours = yardsticks.seconds(lambda: accounting.pure_exact(epsilon=0.1, k=1000, delta=1e-6))
    took = yardsticks.seconds(theirs, 3)
    yield line("P8", "the total of 1,000 pure steps", took / ours, "dp-accounting: PLD")


PARTS = {
    "P1": noise,
    "P4": clusters,
    "P5": sparse_queries,
    "P7": kernels,
    "P8": accountant,
}


def lines(part: str) -> Iterator[dict]:
    """A part's peers beside dpviz; one that is not there is a line, and the next part goes on."""
    try:
        yield from PARTS[part]()
    except Missing as why:
        yield absent(part, f"the rest of {PARTS[part].__name__}", why)
