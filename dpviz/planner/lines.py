"""The lines of Python that run a call: here, and in OpenDP where it has the mechanism.

Those in OpenDP are for the same neighbours (one record replaced, n public); OpenDP sees them as two
steps of adding or removing one.
"""

from __future__ import annotations

import numpy as np

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
    box = "BOUNDS" if bounds is None else f"[{', '.join(f'({a:g}, {b:g})' for a, b in bounds)}]"
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
        how = f", width={question.width:g}" if call.transform == "kernels" else ""
        how += f", metric={question.metric!r}" if question.metric else ""
        return [
            "import dpviz",
            "from dpviz.door.means import transformed",
            f"asked = {call.transform!r}, points, places, {box}",
            f"values, sides = transformed(*asked{how})",
            f"result = dpviz.means(values, bounds=sides, {', '.join(given)})",
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

    >>> from dpviz.planner.calls import Question, calls
    >>> case = Case(question=Question(kind="mean"), n=1000, epsilon=1.0, delta=0.0, beta=0.05)
    >>> opendp(calls(case.question)[0], case)[0]
    'import opendp.prelude as dp'
    """
    question = case.question
    low, high = ("LOW", "HIGH") if bounds is None else (repr(float(x)) for x in bounds[0])
    head = ["import opendp.prelude as dp", "dp.enable_features('contrib')"]
    if call.function == "mean":
        return [
            *head,
            f"domain = dp.vector_domain(dp.atom_domain(bounds=({low}, {high})), size={case.n})",
            "space = domain, dp.symmetric_distance()",
            "mean = lambda scale: space >> dp.t.then_mean() >> dp.m.then_laplace(scale)",
            f"run = dp.binary_search_chain(mean, d_in=2, d_out={case.epsilon!r})",
            "result = run(column)  # clipped to the bounds before",
        ]
    if call.function != "Curator" or call.delta:
        return []
    return [
        *head,
        "atom = dp.atom_domain(T=float, nan=False)",
        f"space = dp.vector_domain(atom, size={question.k}), dp.l1_distance(T=float)",
        f"run = dp.m.make_laplace(*space, scale={question.k * question.scale / case.epsilon!r})",
        "noisy = run(numbers)",
    ]


def _value(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float | int) else repr(value)
