"""F: the front door: imports and first calls beside numpy, three jobs beside those of peers, tables
as strangers write them beside pyarrow's own reading."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import door_jobs
import imports
import numpy as np
import peers

POINTS = (
    "import dpviz, numpy as np; x = np.arange(4000) * 0.618 % 1; "
    "p = np.column_stack([x, x * 7 % 1]); b = [(0, 1), (0, 1)]; "
)
NAMES = "import dpviz; names = ['u1', 'u2'] * 500; "
PURE = {
    "mean": POINTS + "dpviz.mean(x, bounds=(0, 1), epsilon=1)",
    "distances": POINTS + "dpviz.distances(p, bounds=b, epsilon=1).answer(p[:3])",
    "sparse_counts": NAMES + "dpviz.sparse_counts(names, epsilon=1)['u1']",
    "sparse_queries": NAMES + "dpviz.sparse_queries(names, [['u1']], epsilon=1)",
    "linear_queries": "import dpviz; dpviz.linear_queries([7, 3], [[1, 0]], epsilon=1)",
    "smooth_summary": POINTS
    + "dpviz.smooth_summary(p, bounds=b, epsilon=1).kernels([[0.5, 0.5]], width=0.25)",
}
BOTH = {
    "distances": POINTS + "dpviz.distances(p, bounds=b, epsilon=1, delta=1e-6).answer(p[:3])",
    "sparse_queries": NAMES + "dpviz.sparse_queries(names, [['u1']], epsilon=1, delta=1e-6)",
    "one_cluster": POINTS + "dpviz.one_cluster(p, t=2000, bounds=b, epsilon=1, delta=1e-6)",
    "clusters": POINTS + "dpviz.clusters(p, k=2, t=1500, bounds=b, epsilon=3, delta=1e-6)",
    "smooth_summary": POINTS
    + "dpviz.smooth_summary(p, bounds=b, epsilon=1, delta=1e-6).kernels([[0.5, 0.5]], width=0.25)",
}
ROWS, COLUMNS = 10**6, 20_000  # of a long table and of a wide one
SLOWEST = 3.0  # times pyarrow's own reading
WORST = 1.25  # our mean error over a peer's: means of 400 runs vary by a twentieth


def first_calls() -> Iterator[dict]:
    """Import and call in a fresh interpreter, over the import of numpy."""
    calls = {"numpy": "import numpy", "special": "import numpy, scipy.special"}
    calls |= {"dpviz": "import dpviz"}
    calls |= {f"pure {name}": text for name, text in PURE.items()}
    calls |= {f"both {name}": text for name, text in BOTH.items()}
    times = imports.least_of(calls)
    base = times["numpy"]
    special = f"scipy.special alone {times['special'] / base:.2f}"
    for id_, kind, limit, what in [
        ("F1", "dpviz", 1.1, "import dpviz, over import numpy"),
        ("F2", "pure", 1.6, "import and first pure call, over import numpy, the most"),
        ("F3", "both", 3.0, f"the same with delta ({special}), the most"),
    ]:
        worst = max((name for name in times if name.startswith(kind)), key=times.get)
        value = times[worst] / base
        yield {
            "id": id_,
            "what": f"{what}: {worst.rpartition(' ')[2]}",
            "value": value,
            "unit": "ratio",
            "target": f"<= {limit}",
            "holds": value <= limit,
            "peer": "numpy",
        }


def told(name: str, text: str, error: float, seconds: float) -> str:
    """One side of a job."""
    size = f"{door_jobs.lines(text)} statements, {door_jobs.concepts(text)} concepts"
    return f"{name} {size}, error {error:.2g}, {1000 * seconds:.2g} ms"


def jobs() -> Iterator[dict]:
    """Each job that a peer has: our mean largest error over the peer's, and both sizes."""
    given = door_jobs.data()
    for letter, (job, texts) in zip("abc", door_jobs.JOBS.items(), strict=True):
        truth = door_jobs.exact(job, given)
        answers, seconds = door_jobs.run(texts["dpviz"], given)
        own = error(answers, truth)
        ours = told("ours", texts["dpviz"], own, seconds)
        for peer in [name for name in texts if name != "dpviz"]:
            try:
                found = peers.ask(f"{peer}_door", text=np.array(texts[peer]), **given)
            except peers.Missing as reason:
                yield line(f"F4{letter}", f"{job}: {ours}; not measured: {reason}", 1.0, peer)
                continue
            theirs = error(found["answers"], truth)
            what = f"{job}: {ours}; {told('theirs', texts[peer], theirs, found['seconds'])}"
            yield line(f"F4{letter}", what, own / theirs, peer)


def line(id_: str, what: str, value: float, peer: str) -> dict:
    """A line of the table."""
    aim = {"target": f"<= {WORST}", "holds": value <= WORST}
    return {"id": id_, "what": what, "value": value, "unit": "ratio", **aim, "peer": peer}


def error(answers: list, truth: np.ndarray) -> float:
    """Mean over the runs of the largest error."""
    return float(np.mean([np.abs(np.asarray(each) - truth).max() for each in answers]))


def long_table(file: Path, last: str) -> None:
    """Semicolons, decimal commas, dates, missing cells, an empty line after a thousand; then a
    last cell of numbers."""
    lines = ["when;a;b"]
    for i in range(ROWS - 1):
        cell = "" if i % 100 == 0 else f"{i % 97},{i % 10}"
        lines.append(f"2024-0{1 + i % 9}-1{i % 10};{i % 89},5;{cell}")
        lines += [""] * (i % 1000 == 0)
    file.write_text("\n".join([*lines, f"2024-01-01;1,5;{last}", ""]), encoding="utf-8")


def wide_table(file: Path) -> None:
    """A hundred records, parted by tabs."""
    numbers = (np.arange(100 * COLUMNS) % 1009).reshape(100, COLUMNS)
    head = "\t".join(f"c{i}" for i in range(COLUMNS))
    np.savetxt(file, numbers, fmt="%d", delimiter="\t", header=head, comments="")


def seconds(run: Callable[[], object]) -> float:
    """Processor time of the quicker of two."""
    times = []
    for _ in range(2):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def tables() -> Iterator[dict]:
    """A million records and twenty thousand columns, read and checked, over pyarrow's reading."""
    from pyarrow import csv

    from dpviz.door import table_file

    with tempfile.TemporaryDirectory() as folder:
        file, wrong, wide = (Path(folder) / f"{name}.csv" for name in ("long", "wrong", "wide"))
        long_table(file, "2,5")
        long_table(wrong, "2.5")
        wide_table(wide)
        pairs = {"when": (19_000.0, 20_000.0), "a": (0.0, 90.0), "b": (0.0, 97.0)}
        long = table_file.Bounds(pairs, frozenset({"when"}))
        every = table_file.Bounds({f"c{i}": (0.0, 1009.0) for i in range(COLUMNS)})

        def own(path: Path, bounds: table_file.Bounds) -> Callable[[], object]:
            return lambda: table_file.read(table_file.layout(path, bounds))

        def peer(path: Path, mark: str) -> Callable[[], object]:
            parse = csv.ParseOptions(delimiter=mark)
            read = csv.ReadOptions(use_threads=False, block_size=2**24)
            convert = csv.ConvertOptions(decimal_point="," if mark == ";" else ".")
            how = {"parse_options": parse, "read_options": read, "convert_options": convert}
            return lambda: csv.read_csv(path, **how)

        def refused() -> None:
            try:
                own(wrong, long)()
            except ValueError as problem:
                assert "every cell of 'b' must be a finite number" in str(problem)
            else:
                raise AssertionError("a cell that is no number was read")

        theirs = seconds(peer(file, ";"))
        for id_, words, run, base in (
            ("F5a", "a million records with dates, commas and gaps, read", own(file, long), theirs),
            ("F5b", "the same, refused for its last cell", refused, theirs),
            ("F5c", "a hundred records of 20,000 columns, read", own(wide, every),
             seconds(peer(wide, "\t"))),
        ):  # fmt: skip
            spent = seconds(run)
            what = f"{words}: {spent:.1f} s of a processor, pyarrow's own reading {base:.1f} s"
            value = spent / base
            aim = {"target": f"<= {SLOWEST:g}", "holds": value <= SLOWEST}
            yield {"id": id_, "what": what, "value": value, "unit": "ratio", **aim, "peer": "arrow"}


def lines() -> Iterator[dict]:
    """All of it."""
    yield from first_calls()
    yield from jobs()
