"""T17, T18: records out of files, piece by piece, beside numpy's and pyarrow's own pass over them.

Each job runs in a process of its own, which says its processor time and its peak memory: run as
``python benchmarks/pieces.py JOB FOLDER FILES``. The files are made once, uncompressed, and read
from the system's cache.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np

FILES, RECORDS = 10, 10**7  # of each kind; records of a file
ROWS = 2**20  # read at a time, by all: as `dpviz.pieces` does
NAMES = 200_000
BOX = {"bounds": (0, 100)}
MOST = 500  # MB
SHORT = 3.0  # s
SIZES = (1, 3, FILES)  # files of which the growth is measured
CURVES = Path(__file__).with_name("growth.svg")


def make(folder: str, *, names: bool = True) -> None:
    """Three columns of numbers, a tenth of them in a ball; and names of which few are common."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    words = pa.array([f"user{i:07d}" for i in range(NAMES)])
    how = {"row_group_size": 2**20, "compression": "none"}
    for i in range(FILES):
        numbers = rng.random((3, RECORDS)) * 100
        numbers[:, : RECORDS // 10] = rng.normal(50, 1, (3, RECORDS // 10))
        columns = pa.table(dict(zip("abc", numbers, strict=True)))
        parquet.write_table(columns, f"{folder}/numbers{i}.parquet", use_dictionary=False, **how)
        if not names:
            continue
        codes = pa.array(((rng.zipf(1.3, RECORDS) - 1) % NAMES).astype(np.int32))
        text = pa.DictionaryArray.from_arrays(codes, words).cast(pa.string())
        parquet.write_table(pa.table({"name": text}), f"{folder}/names{i}.parquet", **how)


def batches(files: list[str], columns: list[str]) -> Iterator[Any]:
    """What pyarrow reads, on one thread."""
    from pyarrow import parquet

    for path in files:
        with parquet.ParquetFile(path) as file:
            yield from file.iter_batches(ROWS, columns=columns, use_threads=False)


def summed(files: list[str], columns: list[str]) -> np.ndarray:
    """Numpy's own sums of the columns."""
    total = np.zeros(len(columns))
    for batch in batches(files, columns):
        total += [np.asarray(batch[name]).sum() for name in columns]
    return total


def counted(files: list[str]) -> int:
    """Pyarrow's own counts: of each batch, then added up by name."""
    import pyarrow as pa

    found = [batch["name"].value_counts() for batch in batches(files, ["name"])]
    parts = pa.Table.from_batches([pa.RecordBatch.from_struct_array(each) for each in found])
    return parts.group_by("values").aggregate([("counts", "sum")]).num_rows


def job(name: str, folder: str, files: int) -> Callable[[], object]:
    """What a name stands for."""
    import dpviz

    numbers = sorted(glob(f"{folder}/numbers*"))[:files]
    names = sorted(glob(f"{folder}/names*"))[:files]
    columns = list("abc"[: int(name[-1])]) if name[-1].isdigit() else ["name"]

    def source() -> Any:
        files = names if columns == ["name"] else numbers
        return dpviz.pieces(files, columns=columns, rows=ROWS)

    budget = {"epsilon": 1.0, "rng": 1}
    t = files * RECORDS // 12
    return {
        "numpy": lambda: summed(numbers, columns),
        "pyarrow": lambda: counted(names),
        "mean": lambda: dpviz.mean(source(), **BOX, **budget),
        "distances": lambda: dpviz.distances(source(), **BOX, delta=1e-6, **budget),
        "moments": lambda: dpviz.smooth_summary(source(), **BOX, terms=8, **budget),
        "names": lambda: dpviz.sparse_counts(source(), **budget),
        "cluster": lambda: dpviz.one_cluster(source(), t=t, **BOX, delta=1e-6, **budget),
    }[name.rstrip("123 ")]


def measured(name: str, folder: str, files: int) -> dict[str, float]:
    """Processor time, wall time and peak memory of a job in a process of its own."""
    command = [sys.executable, __file__, name, folder, str(files)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def on_dask(folder: str, files: int, workers: int) -> float:
    """Processor time of the busiest worker, of so many with one thread; distances, one column.

    It does not hang on what else the machine does, as the time until all are done would.
    """
    from distributed import Client

    import dpviz

    options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    numbers = sorted(glob(f"{folder}/numbers*"))
    with Client(processes=True, **options) as client:

        def call(some: list[str]) -> None:
            source = dpviz.pieces(some, columns=["a"], rows=ROWS, client=client)
            dpviz.distances(source, **BOX, epsilon=1, rng=1)

        call(numbers[:2])
        before = client.run(time.process_time)
        call(numbers[:files])
        after = client.run(time.process_time)
        return max(after[worker] - before[worker] for worker in after)


def line(id_: str, what: str, value: float, unit: str, most: float, peer: str = "") -> dict:
    """A line of the table; without a limit it holds."""
    target = f"<= {most:g}" if math.isfinite(most) else "none"
    return {
        "id": id_, "what": what, "value": value, "unit": unit, "target": target,
        "holds": value <= most, "peer": peer,
    }  # fmt: skip


def lines() -> Iterator[dict]:
    """T17, and the growth with n of T18."""
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        yield from of_folder(folder)


def of_folder(folder: str) -> Iterator[dict]:
    """The lines, for files that were made before."""
    beside = {name: growth(name, folder) for name in ("numpy 1", "numpy 3", "pyarrow")}
    curves = dict(beside)
    for id_, name, peer in (
        ("T17a", "distances 1", "numpy 1"),
        ("T17b", "distances 3", "numpy 3"),
        ("T17c", "moments 3", "numpy 3"),
        ("T17d", "mean 1", "numpy 1"),
        ("T17e", "names", "pyarrow"),
    ):
        curves[name] = growth(name, folder)
        ours, theirs = curves[name][-1], beside[peer][-1]
        what = f"{words(name)}, n = {FILES * RECORDS:.0e}: processor time over that of "
        what += "value_counts" if peer == "pyarrow" else "reading and summing the same files"
        what += f" ({ours['processor']:.1f} s, {theirs['processor']:.1f} s)"
        of = "pyarrow.value_counts" if peer == "pyarrow" else "numpy on pyarrow's batches"
        yield line(id_, what, ours["processor"] / theirs["processor"], "ratio", 2.0, of)
        yield line(f"{id_}m", f"peak memory, {words(name)}", ours["memory"], "MB", MOST)
        slope, ten = fitted(curves[name])
        what = f"slope in n of {words(name)}, 1e7 to 1e8 records; it should be 1. 1e10 by it: "
        what += f"{ten / 60:.0f} minutes of one processor"
        yield line("T18", what, slope, "slope", 1.1)
    draw(curves)
    one, two = (on_dask(folder, FILES, workers) for workers in (1, 2))
    what = f"distances, 1 column, two Dask workers over one ({two:.1f} s, {one:.1f} s): processor "
    what += "time of the busiest"
    yield line("T17f", what, two / one, "ratio", 0.7, "one worker")


def cluster() -> Iterator[dict]:
    """T17g: a ball of a tenth of 1e8 records in three columns, found in passes over files."""
    with tempfile.TemporaryDirectory() as folder:
        make(folder, names=False)
        yield from of_cluster(folder)


def of_cluster(folder: str) -> Iterator[dict]:
    """The lines, for files that were made before."""
    ours, theirs = (measured(name, folder, FILES) for name in ("cluster 3", "numpy 3"))
    passes, each = ours["passes"], theirs["processor"]
    what = f"a cluster of {FILES * RECORDS:.0e} records in 3 columns, {passes} passes "
    what += f"({ours['processor']:.0f} s): processor time over that of reading and summing the "
    what += f"same files as often ({passes} times {each:.1f} s)"
    ratio = ours["processor"] / passes / each
    yield line("T17g", what, ratio, "ratio", math.inf, "numpy on pyarrow's batches")
    yield line("T17gm", "peak memory of the same", ours["memory"], "MB", MOST)


def words(name: str) -> str:
    """A job's name in words.

    >>> words("mean 1")
    'mean of 1 column'
    """
    what, _, columns = name.partition(" ")
    return f"{what} of {columns} column{'s' * (columns != '1')}" if columns else f"{what} counted"


def growth(name: str, folder: str) -> list[dict[str, float]]:
    """A job on more and more files."""
    return [{"n": k * RECORDS} | least(name, folder, k) for k in SIZES]


def least(name: str, folder: str, files: int) -> dict[str, float]:
    """The run of the least processor time; a short one is run five times, as others disturb it."""
    runs = [measured(name, folder, files)]
    if runs[0]["processor"] < SHORT:
        runs += [measured(name, folder, files) for _ in range(4)]
    return min(runs, key=lambda run: run["processor"])


def fitted(points: list[dict[str, float]]) -> tuple[float, float]:
    """Slope of the processor time in n, log-log, and the time at 1e10 records by it."""
    n, spent = (np.log10([point[key] for point in points]) for key in ("n", "processor"))
    slope, level = np.polyfit(n, spent, 1)
    return float(slope), float(10 ** (level + 10 * slope))


def draw(curves: dict[str, list[dict[str, float]]]) -> None:
    """The curves of T18, and where they come to at 1e10 records."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.4), layout="constrained")
    ax = figure.subplots()
    for name, points in curves.items():
        slope, ten = fitted(points)
        look = {"marker": "o", "ls": "--" if name in ("numpy 1", "numpy 3", "pyarrow") else "-"}
        n = [point["n"] for point in points]
        spent = [point["processor"] for point in points]
        drawn = ax.loglog(n, spent, **look, label=f"{words(name)}: slope {slope:.2f}")
        ax.loglog([n[-1], 1e10], [spent[-1], ten], ls=":", color=drawn[0].get_color())
    ax.set(xlabel="n, records (log scale)", ylabel="processor time, s (log scale)")
    ax.set_title("Time grows in proportion to n; dotted: by the slope")
    ax.legend(fontsize="small")
    figure.savefig(CURVES, metadata={"Date": None})


def counted_passes() -> list[int]:
    """A list that grows by one with each pass over a source."""
    from dpviz.door import sources

    passes: list[int] = []
    read = sources._results

    def noted(*how: Any) -> Iterator[Any]:
        passes.append(1)
        return read(*how)

    sources._results = noted
    return passes


def main() -> None:
    """One job; its figures as JSON."""
    name, folder, files = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if name != "cluster 3":
        job(name, folder, 1)()  # loads what is needed
    from dpviz.experiments import peak_memory

    act = job(name, folder, files)
    passes = counted_passes()
    before = time.process_time()
    start = time.perf_counter()
    act()
    spent = time.process_time() - before
    found = {"processor": spent, "wall": time.perf_counter() - start, "memory": peak_memory()}
    found["passes"] = len(passes)
    print(json.dumps(found))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
