"""What the assertions of a lesson see over many seeds: ``bands.py LESSON [CELL ...] [--draws 400]``

Without cells it lists those that assert something which hangs on the lesson's seed. With cells it
runs them with many seeds, and before them only the statements that they need, and prints for each
comparison how often it failed and, of each number in it, the standard deviation and the quantiles
0, 0.001, 0.01, 0.5, 0.99, 0.999 and 1. From these a band is set; its failure rate stands beside it.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import sys
import time
from pathlib import Path
from unittest import mock

import numpy as np

FOLDER = Path(__file__).parents[2] / "notebooks"
LEVELS = (0, 0.001, 0.01, 0.5, 0.99, 0.999, 1)
IMPORTS = (ast.Import, ast.ImportFrom)
STATEFUL = {"curator", "payer", "draw", "rng"}  # names of curators and generators in the lessons


def list_names(node: ast.AST, context: type) -> set[str]:
    """Names that a statement reads (``ast.Load``) or binds (``ast.Store``) outside itself."""
    inner = set()
    for part in ast.walk(node):
        if isinstance(part, ast.comprehension):
            inner |= {name.id for name in ast.walk(part.target) if isinstance(name, ast.Name)}
        if isinstance(part, ast.Lambda):
            inner |= {argument.arg for argument in part.args.args}
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, context)} - inner


def list_bindings(statement: ast.stmt) -> set[str]:
    """Names that a statement binds, those that it imports included."""
    names = list_names(statement, ast.Store)
    for part in ast.walk(statement):
        if isinstance(part, IMPORTS):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in part.names}
    return names


def find_root(node: ast.AST | None) -> str | None:
    """The name at which a chain of attributes, calls and items begins."""
    while node and not isinstance(node, ast.Name):
        node = getattr(node, "value", None) or getattr(node, "func", None)
    return node.id if isinstance(node, ast.Name) else None


def list_changes(statement: ast.stmt) -> set[str]:
    """Names whose value a statement changes in place: ``name.add(...)``, ``name[i] = ...``."""
    chains = []
    for part in ast.walk(statement):
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            chains.append(part.value.func)
        elif isinstance(part, ast.AugAssign):
            chains.append(part.target)
        elif isinstance(getattr(part, "ctx", None), ast.Store) and not isinstance(part, ast.Name):
            chains.append(part)
    drawn = list_names(statement, ast.Load) & STATEFUL
    return drawn | {find_root(chain) for chain in chains}


def read_cells(path: Path) -> dict[int, list[ast.stmt]]:
    """The statements of every code cell of a lesson."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = {i: cell["source"] for i, cell in enumerate(cells) if cell["cell_type"] == "code"}
    return {i: ast.parse("".join(source)).body for i, source in sources.items()}


def has_assertion(statement: ast.stmt) -> bool:
    return any(isinstance(part, ast.Assert) for part in ast.walk(statement))


def slice_cells(cells: dict[int, list[ast.stmt]], asked: set[int]) -> list[tuple[int, ast.stmt]]:
    """The assertions of the cells asked for and all on which they depend, in order."""
    statements = [(i, statement) for i, body in cells.items() for statement in body]
    modules = {name for _, s in statements if isinstance(s, IMPORTS) for name in list_bindings(s)}
    names, chain = set(), []
    for i, statement in reversed(statements):
        asserts = i in asked and has_assertion(statement)
        if isinstance(statement, ast.Assert) and not asserts:
            continue
        binds = list_bindings(statement)
        if asserts or names & binds or (names - modules) & list_changes(statement):
            chain.append((i, statement))
            if (
                isinstance(statement, (ast.Assign, *IMPORTS))
                and not list_changes(statement) & binds
            ):
                names -= binds
            names |= list_names(statement, ast.Load)
    return chain[::-1]


class Recorder(ast.NodeTransformer):
    """Turns each assertion of a cell asked for into calls that record its comparisons."""

    def __init__(self, cell: int, asked: set[int]) -> None:
        self.cell, self.asked = cell, asked

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        if self.cell not in self.asked:
            return [ast.copy_location(ast.Pass(), node)]
        both = isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And)
        return [self.record(test) for test in (node.test.values if both else [node.test])]

    def record(self, test: ast.expr) -> ast.stmt:
        """``RECORD(text, truth, side, side, ...)``."""
        sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
        text = ast.Constant(f"[{self.cell}] {ast.unparse(test)}")
        return ast.Expr(ast.Call(ast.Name("RECORD", ast.Load()), [text, test, *sides], []))


def build_program(path: Path, asked: set[int], also: list[str]):
    """What is run for each seed."""
    body = []
    for cell, statement in slice_cells(read_cells(path), asked):
        calls = Recorder(cell, asked).visit(statement)
        body += calls if isinstance(calls, list) else [calls]
    body += ast.parse("\n".join(f"RECORD({text!r}, True, {text})" for text in also)).body
    return ast.fix_missing_locations(ast.Module(body, []))


def list_seeded(path: Path) -> list[int]:
    """Cells with an assertion that hangs on the lesson's seed."""
    cells = read_cells(path)
    chosen = [i for i, body in cells.items() if any(map(has_assertion, body))]
    slices = {i: ast.unparse(build_program(path, {i}, [])) for i in chosen}
    return [i for i, text in slices.items() if "seeds.seed(" in text]


def read_numbers(side) -> list[float]:
    """At most twelve numbers of one side of a comparison."""
    try:
        return np.asarray(side, float).ravel()[:12].tolist()
    except (TypeError, ValueError):
        return []


def measure(path: Path, asked: set[int], seeds: range, also: list[str], minutes: float) -> dict:
    """For each comparison a list of (truth, numbers of each side) over the seeds."""
    table, start = {}, time.monotonic()
    code = compile(build_program(path, asked, also), path.stem, "exec")

    def record(text, truth, *sides):
        row = bool(np.all(truth)), [read_numbers(side) for side in sides]
        table.setdefault(text, []).append(row)

    for seed in seeds:
        if time.monotonic() - start > 60 * minutes:
            break
        chosen = mock.patch.dict(os.environ, DPVIZ_SEED=str(seed))
        with chosen, contextlib.redirect_stdout(io.StringIO()):
            exec(code, {"__name__": "__main__", "RECORD": record})
    return table


def report(table: dict) -> None:
    """Print how often each comparison failed, and the quantiles of what hangs on the seed."""
    for text, rows in table.items():
        print(f"{sum(not row[0] for row in rows):4d} of {len(rows)} fail: {text}")
        for place, side in enumerate(zip(*[row[1] for row in rows], strict=True)):
            if len({len(values) for values in side}) == 1:
                for values in np.array(side, float).T:
                    if not np.all(values == values[0]):
                        quantiles = np.nanquantile(values, LEVELS)
                        print(f"  side {place}, sd {np.nanstd(values):.3g}:", end=" ")
                        print(*(f"{value:.4g}" for value in quantiles))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lesson", help="e.g. 06_smooth")
    parser.add_argument("cells", type=int, nargs="*", help="all that hang on the seed: -1")
    parser.add_argument("--draws", type=int, default=400, help="how many seeds")
    parser.add_argument("--first", type=int, default=10_001, help="the first of them")
    parser.add_argument("--minutes", type=float, default=60, help="stop after these")
    parser.add_argument("--also", nargs="*", default=[], help="expressions to record besides")
    parser.add_argument("--show", action="store_true", help="the statements, and stop")
    parser.add_argument("--out", type=Path, help="write all numbers there, as JSON")
    options = parser.parse_args()
    path = FOLDER / f"{options.lesson}.ipynb"
    if not options.cells:
        print(*list_seeded(path))
        return 0
    asked = set(options.cells)
    if options.show:
        print(ast.unparse(build_program(path, asked, options.also)))
        return 0
    os.chdir(FOLDER)
    seeds = range(options.first, options.first + options.draws)
    table = measure(path, asked, seeds, options.also, options.minutes)
    report(table)
    if options.out:
        options.out.write_text(json.dumps(table), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
