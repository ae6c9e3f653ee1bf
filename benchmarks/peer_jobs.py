"""Jobs of the peers, run by their own Python, which has no dpviz.

``python peer_jobs.py NAME FILE``: each job takes the arrays of an .npz file and returns numbers;
they are printed as one line of JSON, with the version of its package.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version

import numpy as np


def least(work: Callable[[], object], runs: int) -> float:
    """Least processor time of several runs."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def opendp_laplace(values: np.ndarray) -> dict[str, float]:
    """OpenDP: one Laplace number, in a vector."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    noisy = dp.m.make_laplace(domain, dp.l1_distance(T=float), scale=1.0)
    numbers = values.tolist()
    return {"seconds": least(lambda: noisy(numbers), 3) / len(numbers)}


def diffprivlib_laplace(values: np.ndarray) -> dict[str, float]:
    """diffprivlib: one Laplace number, by a call."""
    from diffprivlib.mechanisms import Laplace

    mechanism = Laplace(epsilon=1.0, sensitivity=1.0, random_state=0)
    numbers = values.tolist()
    return {"seconds": least(lambda: [mechanism.randomise(x) for x in numbers], 3) / len(numbers)}


def diffprivlib_kmeans(data: np.ndarray, lower: float, upper: float) -> dict[str, list]:
    """diffprivlib: 16 private centres of each of several data sets, (m, n, d)."""
    from diffprivlib.models import KMeans

    centers, start = [], time.process_time()
    for seed, rows in enumerate(data):
        bounds = (np.full(rows.shape[1], lower), np.full(rows.shape[1], upper))
        model = KMeans(n_clusters=16, epsilon=1.0, bounds=bounds, random_state=seed)
        centers.append(model.fit(rows).cluster_centers_.tolist())
    return {"seconds": (time.process_time() - start) / len(data), "centers": centers}


def mbi_estimate(size: int, names: np.ndarray, noisy: np.ndarray) -> dict[str, float]:
    """private-pgm: from noisy sums over sets of names, (k, m) and (k,), to a distribution."""
    import jax.numpy as jnp
    from mbi import Domain, LinearMeasurement, estimation

    matrix = np.zeros((len(names), size), dtype=np.float32)
    np.put_along_axis(matrix, names, 1.0, axis=1)
    rows = jnp.asarray(matrix)
    measured = [LinearMeasurement(noisy, ("x",), 1.0, lambda factor: rows @ factor.datavector())]

    def work() -> None:
        model = estimation.MirrorDescent().estimate(
            Domain(["x"], [size]), measured, known_total=1.0, iters=1000
        )
        np.asarray(model.project(("x",)).datavector())

    return {"seconds": least(work, 2)}


def smartnoise_mwem(data: np.ndarray) -> dict[str, float]:
    """smartnoise: MWEM on one column, 30 rounds, a pool of 1,000 of its own range queries."""
    import pandas
    from snsynth import Synthesizer

    frame = pandas.DataFrame({"x": data})
    options = {"iterations": 30, "q_count": 1000, "add_ranges": True}

    def work() -> None:
        model = Synthesizer.create("mwem", epsilon=1.0, verbose=False, **options)
        model.fit(frame, categorical_columns=["x"])

    return {"seconds": least(work, 1)}


def front_door(text: str, column: np.ndarray, names: np.ndarray, counts: np.ndarray) -> dict:
    """A job of `door_jobs`, as its text says."""
    import door_jobs

    given = {"column": column, "names": names, "counts": counts}
    answers, seconds = door_jobs.run(text, given)
    return {"answers": answers, "seconds": seconds}


def opendp_door(**given: np.ndarray) -> dict:
    """OpenDP, by its Context where it has one for the job."""
    return front_door(**given)


def diffprivlib_door(**given: np.ndarray) -> dict:
    """diffprivlib."""
    return front_door(**given)


def mbi_door(**given: np.ndarray) -> dict:
    """private-pgm, which is handed noisy counts."""
    return front_door(**given)


PACKAGES = {
    opendp_laplace: "opendp",
    opendp_door: "opendp",
    diffprivlib_door: "diffprivlib",
    mbi_door: "mbi",
    diffprivlib_laplace: "diffprivlib",
    diffprivlib_kmeans: "diffprivlib",
    mbi_estimate: "mbi",
    smartnoise_mwem: "smartnoise-synth",
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    job = globals()[sys.argv[1]]
    with np.load(sys.argv[2]) as held:
        arguments = {name: value if value.ndim else value.item() for name, value in held.items()}
    print(json.dumps({"version": version(PACKAGES[job]), **job(**arguments)}))
