"""Show code from the package in a lesson: what runs is what is read."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable

from IPython.display import Markdown


def show(*functions: Callable) -> Markdown:
    """The source of functions or methods, without their docstrings, as one block of code.

    >>> from dpviz.papers.distance_queries.learner.convex_learner import Tangents
    >>> print(show(Tangents.predict).data)
    ```python
    def predict(self, y: ArrayLike) -> np.ndarray:
        slopes, intercepts, ends = self._envelope
        top = np.searchsorted(ends, y)
        return slopes[top] * y + intercepts[top]
    ```
    """
    blocks = [_without_docstring(inspect.getsource(function)) for function in functions]
    return Markdown("```python\n" + "\n\n".join(blocks) + "\n```")


def _without_docstring(source: str) -> str:
    """The same lines, except those of the docstring."""
    source = textwrap.dedent(source).rstrip()
    (block,) = ast.parse(source).body
    assert isinstance(block, ast.FunctionDef | ast.ClassDef)
    body = block.body
    if not ast.get_docstring(block):
        return source
    lines = source.split("\n")
    del lines[body[0].lineno - 1 : body[0].end_lineno]
    return "\n".join(lines)
