"""Three jobs as a reader writes them, in dpviz and in its peers: a text each, run where it belongs.

``column`` holds 10,000 numbers between 0 and 100, ``names`` as many names of five, ``counts`` how
often each of these occurs. One record replaced is what neighbours differ in, epsilon is 1, and what
is computed is called ``answer``. Nothing here imports dpviz or a peer: the texts do.
"""

from __future__ import annotations

import ast
import time
import warnings

import numpy as np

RUNS = 400
CATEGORIES = ["ape", "bee", "cat", "dog", "eel"]
MEAN = {
    "dpviz": """
import dpviz
answer = dpviz.mean(column, bounds=(0, 100), epsilon=1).value
""",
    "opendp": """
import opendp.prelude as dp
dp.enable_features("contrib")
context = dp.Context.compositor(
    data=column.tolist(),
    privacy_unit=dp.unit_of(contributions=2),
    privacy_loss=dp.loss_of(epsilon=1.0),
    domain=dp.vector_domain(dp.atom_domain(T=float, nan=False), size=len(column)),
    split_evenly_over=1,
)
answer = context.query().clamp((0.0, 100.0)).mean().laplace().release()
""",
    "diffprivlib": """
from diffprivlib.tools import mean
answer = mean(column, epsilon=1, bounds=(0, 100))
""",
}
STRINGS = {
    "dpviz": """
import dpviz
counts = dpviz.sparse_counts(names, epsilon=1)
answer = counts.answer(categories)
""",
    "opendp": """
import opendp.prelude as dp
dp.enable_features("contrib")
context = dp.Context.compositor(
    data=names.tolist(),
    privacy_unit=dp.unit_of(contributions=2),
    privacy_loss=dp.loss_of(epsilon=1.0),
    domain=dp.vector_domain(dp.atom_domain(T=str), size=len(names)),
    split_evenly_over=1,
)
query = context.query().count_by_categories(categories, null_category=False)
answer = query.laplace().release()
""",
}
COUNTS = {
    "dpviz": """
import dpviz
import numpy as np
answer = dpviz.linear_queries(counts, np.eye(5), epsilon=1).values
""",
    "opendp": """
import opendp.prelude as dp
dp.enable_features("contrib")
space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
noisy = dp.m.make_laplace(*space, scale=2.0)
answer = noisy(counts.tolist())
""",
    "diffprivlib": """
from diffprivlib.mechanisms import Laplace
noisy = Laplace(epsilon=1, sensitivity=2)
answer = [noisy.randomise(float(count)) for count in counts]
""",
    "mbi": """
import numpy as np
from mbi import Domain, LinearMeasurement, estimation
noisy = counts + np.random.default_rng().laplace(scale=2.0, size=5)
measured = [LinearMeasurement(noisy, ("name",), 2.0)]
domain = Domain(["name"], [5])
model = estimation.MirrorDescent().estimate(domain, measured, known_total=float(counts.sum()))
answer = model.project(("name",)).datavector()
""",
}
JOBS = {"a mean": MEAN, "counts of strings": STRINGS, "a vector of counts": COUNTS}


def data(seed: int = 3) -> dict[str, np.ndarray]:
    """What the texts work on."""
    rng = np.random.default_rng(seed)
    names = rng.choice(CATEGORIES, p=[0.4, 0.3, 0.15, 0.1, 0.05], size=10_000)
    counts = np.array([(names == each).sum() for each in CATEGORIES])
    return {"column": rng.beta(2, 5, 10_000) * 100, "names": names, "counts": counts}


def exact(job: str, given: dict[str, np.ndarray]) -> np.ndarray:
    """What the answer is without noise."""
    return given["column"].mean() if job == "a mean" else given["counts"]


def lines(text: str) -> int:
    """Statements, the import included."""
    return len(ast.parse(text).body)


def concepts(text: str) -> int:
    """Names, attributes and arguments of the library, each once; numpy's do not count."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                found.add(name)
            case ast.ImportFrom(names=names):
                found |= {each.name for each in names}
    return len(found - {"tolist", "sum", "size", "scale", "random", "default_rng", "eye"})


def run(text: str, given: dict[str, np.ndarray]) -> tuple[list, float]:
    """Answers of several runs, and the least processor time of one, imports done before."""
    code = compile(text, "job", "exec")
    answers = []
    times = []
    for _ in range(RUNS):
        space = {**given, "categories": CATEGORIES}
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, space)
        times.append(time.process_time() - start)
        answers.append(np.asarray(space["answer"], dtype=float).tolist())
    return answers, min(times[1:])
