"""The lines of Python that run a call: here, and in OpenDP where it has the mechanism.

Those in OpenDP are for the same neighbours (one record replaced, n public); OpenDP sees them as two
steps of adding or removing one.
"""

from __future__ import annotations

import math

import numpy as np

from dpviz.door.linear import joint_sensitivity
from dpviz.planner.calls import Call, Case

DATA = {
    "mean": "column",
    "means": "columns",
    "linear": "counts",
    "strings": "names",
}


def here(call: Call, case: Case, bounds: np.ndarray | None = None) -> list[str]:
    """The lines that run it through the front door of dpviz.

    Parameters
    ----------
    bounds : array (d, 2), or None, for a name that stands for them

    >>> from dpviz.planner.calls import Question, calls
    >>> case = Case(question=Question(kind="mean"), n=1000, epsilon=1.0, delta=0.0, beta=0.05)
    >>> here(calls(case.question)[0], case, np.array([[0.0, 9.0]]))
    ['import dpviz', 'result = dpviz.mean(column, bounds=[(0, 9)], epsilon=1)']
    """
    question = case.question
    given = [f"{name}={_value(value)}" for name, value in call.arguments_at(case).items()]
    box = "BOUNDS" if bounds is None else _pairs(bounds)
    if call.function == "Curator":
        verb = "gaussian" if call.delta else "laplace"
        moved = question.scale * (np.sqrt(question.k) if call.delta else question.k)
        payer = ", ".join(given)
        return [
            "import dpviz",
            f"curator = dpviz.Curator({payer})",
            f"noisy = curator.{verb}(numbers, sensitivity={moved:.6g}, {payer}, label='numbers')",
        ]
    if call.transform:
        return [
            "import dpviz",
            *_transformed(call, case, box),
            f"result = dpviz.means(values, bounds=box, {', '.join(given)})",
        ]
    data = DATA.get(question.kind, "points")
    if call.function in ("linear_queries", "sparse_queries"):
        data += ", queries"
    elif call.function != "sparse_counts":
        data += f", bounds={box}"
    lines = ["import dpviz", f"result = dpviz.{call.function}({data}, {', '.join(given)})"]
    if call.answer == "kernels":
        widths = f"{question.width:g} * side"
        if bounds is not None:
            widths = f"[{', '.join(f'{question.width * (b - a):g}' for a, b in bounds)}]"
        lines.append(f"answers = result.kernels(places, width={widths})")
    elif call.answer:
        asked = "words" if call.function == "sparse_counts" else "places"
        lines.append(f"answers = result.answer({asked})")
    return lines


def opendp(call: Call, case: Case, bounds: np.ndarray | None = None) -> list[str]:
    """The lines that run it in OpenDP; empty where it has no such mechanism.

    Noise goes onto the same numbers as here, scaled by OpenDP's own accountant; for counts of names
    that nobody can list, which are answered here by hashing or on demand, a delta allows OpenDP to
    publish those that reach a threshold.

    >>> from dpviz.planner.calls import Question, calls
    >>> case = Case(question=Question(kind="mean"), n=1000, epsilon=1.0, delta=0.0, beta=0.05)
    >>> opendp(calls(case.question)[0], case)[0]
    'import opendp.prelude as dp'
    """
    head = ["import opendp.prelude as dp", "dp.enable_features('contrib')"]
    if call.function == "mean":
        return head + _mean(case, bounds)
    if call.function == "linear_queries" and ("method", "histogram") in call.arguments:
        return head + _histogram(case)
    if call.function == "sparse_counts" and case.delta:
        return head + _thresholded(case)
    parts = _vector(call, case, "BOUNDS" if bounds is None else _pairs(bounds))
    if parts is None:
        return []
    before, size, moved, after = parts
    numpy = ["import numpy as np"] if "np." in "".join([*before, after]) else []
    return [*numpy, *head, *before, *_noisy(call, case, size, moved), after]


def _mean(case: Case, bounds: np.ndarray | None) -> list[str]:
    low, high = ("LOW", "HIGH") if bounds is None else (repr(float(x)) for x in bounds[0])
    return [
        f"domain = dp.vector_domain(dp.atom_domain(bounds=({low}, {high})), size={case.n})",
        "space = domain, dp.symmetric_distance()",
        "mean = lambda scale: space >> dp.t.then_mean() >> dp.m.then_laplace(scale)",
        f"run = dp.binary_search_chain(mean, d_in=2, d_out={case.epsilon!r})",
        "result = run(column)  # clipped to the bounds before",
    ]


def _histogram(case: Case) -> list[str]:
    cells = case.question.matrix.shape[1]
    return [
        f"space = dp.vector_domain(dp.atom_domain(T=int), size={case.n}), dp.symmetric_distance()",
        f"count = dp.t.then_count_by_categories(list(range({cells})), null_category=False)",
        "noisy = lambda scale: space >> count >> dp.m.then_laplace(scale)",
        f"run = dp.binary_search_chain(noisy, d_in=2, d_out={case.epsilon!r})",
        "result = queries @ run(cells)  # of each record the number of its cell",
    ]


def _thresholded(case: Case) -> list[str]:
    return [
        "space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()",
        "count = space >> dp.t.then_count_by()",
        f"noise = lambda least: dp.m.then_laplace_threshold({2 / case.epsilon!r}, least)",
        f"rare = lambda least: (count >> noise(least)).map(2)[1] <= {case.delta!r}",
        "run = count >> noise(dp.binary_search(rare, bounds=(3, 10**9), T=int))",
        "result = run(names)  # only of names that are not rare",
    ]


def _vector(
    call: Call, case: Case, box: str
) -> tuple[list[str], int, tuple[float, float], str] | None:
    """Of noise on each answer: what makes the numbers, how many they are, how far a record moves
    them in L1 and L2, and the answers; None of other mechanisms."""
    question = case.question
    k = question.k
    share = k / case.n, math.sqrt(k) / case.n
    if call.function == "Curator":
        moved = question.scale * k, question.scale * math.sqrt(k)
        return [], k, moved, "noisy = run(numbers)"
    if call.function == "means":
        before = [f"values, box = columns, {box}"]
        if call.transform:
            before = _transformed(call, case, box)
        before += [
            "low, high = np.transpose(box)",
            "shares = ((np.clip(values, low, high) - low) / (high - low)).mean(axis=0)",
        ]
        return before, k, share, "result = low + (high - low) * run(shares.tolist())"
    method = dict(call.arguments).get("method")
    if call.function == "sparse_queries" and method in ("laplace", "gaussian"):
        before = ["shares = [np.isin(names, query).mean() for query in queries]"]
        return before, k, share, "result = np.array(run(shares))"
    if method == "laplace":
        moved = joint_sensitivity(question.matrix)
        return [], k, (moved, moved), "result = np.array(run((queries @ counts).tolist()))"
    return None


def _transformed(call: Call, case: Case, box: str) -> list[str]:
    """The lines that make of each record the values whose means are asked, and their bounds."""
    question = case.question
    how = f", width={question.width:g}" if call.transform == "kernels" else ""
    how += f", metric={question.metric!r}" if question.metric else ""
    return [
        "from dpviz.door.means import transformed",
        f"values, box = transformed({call.transform!r}, points, places, {box}{how})",
    ]


def _noisy(call: Call, case: Case, size: int, moved: tuple[float, float]) -> list[str]:
    """Laplace or Gaussian noise on a vector, scaled by OpenDP."""
    norm, far = ("l2", moved[1]) if call.delta else ("l1", moved[0])
    space = f"space = dp.vector_domain(dp.atom_domain(T=float, nan=False), size={size})"
    lines = [space, f"space = space, dp.{norm}_distance(T=float)"]
    if not call.delta:
        noise, spends = "dp.m.make_laplace(*space, scale)", repr(case.epsilon)
    else:
        noise = "dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale))"
        noise = f"dp.c.make_fix_delta({noise}, {case.delta!r})"
        spends = f"({case.epsilon!r}, {case.delta!r})"
    return [
        *lines,
        f"noise = lambda scale: {noise}",
        f"run = dp.binary_search_chain(noise, d_in={far!r}, d_out={spends})",
    ]


def _pairs(bounds: np.ndarray) -> str:
    return f"[{', '.join(f'({a:g}, {b:g})' for a, b in bounds)}]"


def _value(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float | int) else repr(value)
