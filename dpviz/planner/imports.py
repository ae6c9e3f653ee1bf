"""Mechanisms that are no function of the front door: the lines that import and run them.

A run on public records executes the very lines that a plan prints. Listed is what leads at some
place of lesson 09's maps, and for linear queries and clusters also what ties there by design: a
factorization, an adaptive grid, closest pairs. Of those that lead, two are left out: noise by the
joint sensitivity of public questions, which is the front door's noise on each with a smaller
factor, and moments with noise in shape, which are the front door's with other scales. Of all others
of `dpviz.comparison` none leads anywhere; a test asks the maps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.planner.calls import Case
from dpviz.planner.questions import Data, draw
from dpviz.privacy.curator import Curator

RUNS, SETS = 20, 10  # in all; on one draw of the records
NODES = {1: 64, 2: 32, 3: 16}  # of a kernel's function, per variable, at most
COLUMNS = 12  # of a cluster, at most
FEWEST = 200  # records: twenty groups, whose closest pairs are taken
SCALED = (
    "low, high = np.transpose(BOUNDS)",
    "rows = (np.clip(points, low, high) - low) / (high - low)",
    "own = curator.sub_curator_zcdp({budget}, label='a place')",
)
GAUSSIAN = "from dpviz.papers.smooth_queries.gaussian_kernel import GaussianKernels"
KERNELS = (
    "low, high = np.transpose(BOUNDS)",
    "box = {{'lower': low, 'upper': high}}",
    "kernels = GaussianKernels(centres=places, width={width} * (high - low), **box).unit",
)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A mechanism by its ``name``, the ``kind`` of question, and its ``lines``.

    ``delta`` says whether it needs one. In the lines stand "curator", "rng" for public draws, and
    what `dpviz.planner.lines` calls the records and the questions; they end in "result".
    """

    name: str
    kind: str
    lines: tuple[str, ...]
    delta: bool = False


RECIPES = (
    Recipe(
        name="projected histogram",
        kind="linear",
        lines=(
            "from dpviz.papers.fat_shattering.baselines import nearest_possible",
            "noisy = curator.laplace(counts, sensitivity=2, epsilon={epsilon}, label='cells')",
            "result = queries @ nearest_possible(noisy, {n})",
        ),
    ),
    Recipe(
        name="optimised factorization",
        kind="linear",
        delta=True,
        lines=(
            "from dpviz.comparison.alternatives import factorization, joint_sensitivity",
            "factor = factorization.optimized(queries)",
            "how = {{'factor': factor, 'sensitivity': joint_sensitivity.of_values(factor).l2}}",
            "result = {n} * (queries @ factorization.release(counts, curator, n={n}, **how))",
        ),
    ),
    Recipe(
        name="projected histogram of the names asked for",
        kind="strings",
        lines=(
            "from dpviz.papers.sparse_queries import baselines, plan, queries as lists",
            "batch = [lists.Query(query) for query in queries]",
            "params = plan.Params(m={names}, k={k}, epsilon={epsilon})",
            "how = {{'queries': batch}}",
            "result = baselines.release_projected_histogram(names, params, curator, **how)",
        ),
    ),
    Recipe(
        name="functional mechanism",
        kind="kernels",
        delta=True,
        lines=(
            "from dpviz.papers.smooth_queries import functional_mechanism as noisy",
            GAUSSIAN,
            *KERNELS,
            "params = noisy.Params(d={d}, width=2 * {width}, nodes={nodes}, {budget}, **box)",
            "result = noisy.answer(noisy.release(points, params, curator), kernels.centres)",
        ),
    ),
    Recipe(
        name="projected histogram on a grid",
        kind="kernels",
        lines=(
            "from dpviz.papers.smooth_queries import baselines",
            GAUSSIAN,
            *KERNELS,
            "size = {{'d': {d}, 'epsilon': {epsilon}}}",
            "cells = baselines.cells_for({n}, k={k}, width=2 * {width}, **size)",
            "params = baselines.Params(cells=cells, **size, **box)",
            "release = baselines.release_histogram(points, params, curator).projected()",
            "result = baselines.answer_grid(release, kernels)",
        ),
    ),
    Recipe(
        name="adaptive grid",
        kind="cluster",
        delta=True,
        lines=(
            "from dpviz.comparison.alternatives import quadtree",
            *SCALED,
            "params = quadtree.Params(d={d})",
            "center = quadtree.release(rows, params, own, corner=rng.random({d}))",
            "result = low + (high - low) * center",
        ),
    ),
    Recipe(
        name="closest pairs of few records",
        kind="cluster",
        delta=True,
        lines=(
            "from dpviz.comparison.alternatives import closest_pairs",
            *SCALED,
            "params = closest_pairs.Params(d={d})",
            "center = closest_pairs.release(rows, params, own, order=rng.permutation({n}))",
            "result = low + (high - low) * center",
        ),
    ),
    Recipe(
        name="windows of three columns",
        kind="cluster",
        delta=True,
        lines=(
            "from dpviz.comparison.alternatives import column_groups",
            *SCALED,
            "params = column_groups.Params(d={d}, size=min(3, {d}))",
            "result = low + (high - low) * column_groups.release(rows, params, own)",
        ),
    ),
    Recipe(
        name="axis by axis",
        kind="cluster",
        delta=True,
        lines=(
            "from dpviz.papers.small_cluster import baselines",
            "low, high = np.transpose(BOUNDS)",
            "box = {{'lower': low, 'upper': high}}",
            "how = {{'d': {d}, 't': {t}, 'method': 'axis by axis', 'size': 2**10, **box}}",
            "params = baselines.Params({budget}, **how)",
            "result = baselines.release(points, params, curator).center",
        ),
    ),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Imported:
    """What runs of a recipe's lines say: ``name``, ``lines``, array ``errors`` and their quantile
    ``expected``."""

    name: str
    lines: tuple[str, ...]
    errors: NDArray
    expected: float


def recipes(case: Case) -> Iterator[Recipe]:
    """Those that take a case.

    >>> from dpviz.planner.questions import Question
    >>> question = Question(kind="linear", queries=((1.0, 0.0),))
    >>> case = Case(question=question, n=100, epsilon=1.0, delta=0.0, beta=0.05)
    >>> [recipe.name for recipe in recipes(case)]
    ['projected histogram']
    """
    d = case.question.d
    for recipe in RECIPES:
        fits = recipe.kind == case.question.kind and (case.delta or not recipe.delta)
        if recipe.kind == "kernels":
            fits = fits and d in NODES
        if recipe.kind == "cluster":
            fits = fits and d <= COLUMNS and case.n >= FEWEST
        if fits:
            yield recipe


def lines(recipe: Recipe, case: Case) -> list[str]:
    """The lines that run it.

    >>> from dpviz.planner.questions import Question
    >>> question = Question(kind="linear", queries=((1.0, 0.0),))
    >>> case = Case(question=question, n=100, epsilon=1.0, delta=0.0, beta=0.05)
    >>> lines(RECIPES[0], case)[-1]
    'result = queries @ nearest_possible(noisy, 100)'
    """
    spends = f"epsilon={case.epsilon:g}" + (f", delta={case.delta:g}" if recipe.delta else "")
    body = _body(recipe, case)
    names = [line for line in body if line.startswith("from ")]
    rest = [f"curator = dpviz.Curator({spends})", *body[len(names) :]]
    if any("rng." in line for line in rest):
        rest.insert(0, "rng = np.random.default_rng()  # of what is public")
    numpy = ["import numpy as np"] if any("np." in line for line in rest) else []
    return [*numpy, "import dpviz", *names, *rest]


def _body(recipe: Recipe, case: Case) -> list[str]:
    question = case.question
    width = float(question.width or 1)
    given: dict[str, Any] = {"n": case.n, "d": question.d, "k": question.k}
    given |= {"names": question.names or 1, "width": f"{width:g}", "epsilon": f"{case.epsilon:g}"}
    given["t"] = max(1, round((question.share or 1) * case.n))
    given["nodes"] = min(NODES.get(question.d, 0), max(12, round(3 / width)))
    given["budget"] = f"epsilon={case.epsilon:g}, delta={case.delta:g}"
    return [line.format(**given) for line in recipe.lines]


def imported(
    recipe: Recipe,
    case: Case,
    at: Case,
    *,
    rng: np.random.Generator,
    sample: NDArray | None = None,
) -> Imported:
    """Its lines, and their errors on public records, as many as are simulated (``at``)."""
    body = compile("\n".join(_body(recipe, at)), recipe.name, "exec")
    errors: list[float] = []
    while len(errors) < RUNS:
        data = draw(at.question, at.n, rng, sample)
        errors += [_error(recipe, body, at, data, rng) for _ in range(SETS)]
    expected = float(np.sort(errors)[int(np.ceil((1 - case.beta) * RUNS)) - 1])
    code = tuple(lines(recipe, case))
    return Imported(name=recipe.name, lines=code, errors=np.array(errors), expected=expected)


def _error(
    recipe: Recipe, body: Any, case: Case, data: Data, rng: np.random.Generator
) -> float:  # fmt: skip
    question = case.question
    delta = case.delta if recipe.delta else 0.0
    given: dict[str, Any] = {"np": np, "rng": rng, "BOUNDS": [(0.0, 1.0)] * question.d}
    given["curator"] = Curator(epsilon=case.epsilon, delta=delta, rng=rng)
    given |= {"counts": data.records, "names": data.records, "points": data.records}
    given |= {"places": question.places, "queries": data.queries}
    if question.kind == "strings":
        given["queries"] = [query.names for query in data.queries]
    exec(body, given)
    result = given["result"]
    return data.judge(result / case.n if question.kind == "linear" else result)
