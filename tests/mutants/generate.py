"""Mutants made from the syntax tree: one small change of one function each, as a slip would make.

A mutant is known by the qualified name of its function, the statement it changes, what it changes
there and how many equal changes come before it in the function: a function may move to another
file, and its mutants keep their keys. Left out: text, annotations, what errors say, decorators,
default values and whatever stands outside functions.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).parents[2]
SEED = 2016  # of the draw
DRAWN = {  # room under ``dpviz``: mutants
    "privacy": 60,
    "accounting": 40,
    "papers/distance_queries": 32,
    "papers/sparse_queries": 32,
    "papers/smooth_queries": 32,
    "papers/small_cluster": 32,
    "papers/fat_shattering": 32,
    "experiments": 40,
}
FILES = {  # of a room that is no folder
    "experiments": (
        "comparison/**/*.py",
        "lessons/*/experiments.py",
        "lessons/registry.py",
        "sweeps/experiment.py",
        "experiments.py",
    )
}
Function = ast.FunctionDef | ast.AsyncFunctionDef
COMPARED = [
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn),
]
COMPUTED = [(ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.BitAnd, ast.BitOr)]
ONE_WAY = {ast.Pow: ast.Mult, ast.FloorDiv: ast.Div, ast.Mod: ast.Mult}
OTHERS: dict[type, type] = {
    **dict(COMPARED + COMPUTED),
    **{second: first for first, second in COMPARED + COMPUTED},
    **ONE_WAY,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
NAMES = [("min", "max"), ("minimum", "maximum"), ("floor", "ceil"), ("argmin", "argmax")]
NAMES += [("any", "all"), ("expm1", "exp"), ("log1p", "log")]
OTHER_NAMES = dict(NAMES) | {second: first for first, second in NAMES}
TEXT = {"label", "name", "doc", "strict"}  # keywords: words, and a check that changes no result


@dataclass(frozen=True, eq=False)
class Mutant:
    """One change of one function.

    Attributes
    ----------
    room : folder under ``dpviz``
    path : the file as it lies today; not part of the key
    key : function, statement, change and ordinal
    tree : the file's syntax tree, unchanged
    function, node : where the change is
    change : what turns a copy of the node into another
    """

    room: str
    path: Path
    key: str
    tree: ast.Module
    function: Function
    node: ast.AST
    change: Callable[[ast.AST], ast.AST]

    def planted(self) -> ast.Module:
        """A copy of the tree with the node changed."""
        first, last = self.function.lineno, self.function.end_lineno or 0
        memo: dict[int, ast.AST] = {
            id(other): other  # need not be copied
            for other in self.tree.body
            if (other.end_lineno or 0) < first or last < other.lineno
        }
        whole = copy.deepcopy(self.tree, memo)
        target = memo[id(self.node)]
        new = ast.copy_location(self.change(target), target)
        for parent in ast.walk(memo[id(self.function)]):
            for field, value in ast.iter_fields(parent):
                if value is target and new is not parent:
                    setattr(parent, field, new)
                elif isinstance(value, list):
                    value[:] = [new if part is target else part for part in value]
        return ast.fix_missing_locations(whole)

    def exchanges(self) -> list[tuple[CodeType, CodeType]]:
        """The function's code and what nests in it: before and after; [] if nothing changes."""
        whole = _compiled(self.tree, self.path), _compiled(self.planted(), self.path)
        pairs = [[code for code in codes(part) if self._is_in(code)] for part in whole]
        both = list(zip(*pairs, strict=len(pairs[0]) == len(pairs[1])))
        alike = all(before.co_freevars == after.co_freevars for before, after in both)
        return [] if pairs[0] == pairs[1] or not alike else both

    def _is_in(self, code: CodeType) -> bool:
        heads = [self.function, *self.function.decorator_list]
        first, last = min(head.lineno for head in heads), self.function.end_lineno or 0
        inside = first <= code.co_firstlineno <= last
        return inside and f"{code.co_qualname}.".startswith(self.name + ".")

    @property
    def name(self) -> str:
        """Qualified name of the function."""
        return self.key.split(" | ")[0]


@lru_cache(maxsize=4)
def _compiled(tree: ast.Module, path: Path) -> CodeType:
    return compile(tree, str(path), "exec")


def functions(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    """Outermost functions and methods with their qualified names; what nests in them is theirs."""
    stack: list[tuple[str, ast.AST]] = [("", node) for node in reversed(tree.body)]
    while stack:
        before, node = stack.pop()
        if isinstance(node, Function):
            yield before + node.name, node
        elif isinstance(node, ast.ClassDef):
            stack += [(f"{before}{node.name}.", inner) for inner in reversed(node.body)]


def sites(node: ast.AST, statement: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What may change below a node, with its statement: no text, annotation, error or default."""
    if isinstance(node, Function):
        children: list[ast.AST] = list(node.body)
    elif isinstance(node, ast.Lambda):
        children = [node.body]
    elif isinstance(node, ast.AnnAssign):
        children = [] if node.value is None else [node.value]
    elif isinstance(node, ast.Call):
        chosen = [word.value for word in node.keywords if word.arg not in TEXT]
        children = [node.func, *node.args, *chosen]
    else:
        children = list(ast.iter_child_nodes(node))
    for child in children:
        if isinstance(child, ast.Raise | ast.Assert | ast.JoinedStr) or _is_text(child):
            continue
        inner = child if isinstance(child, ast.stmt) else statement
        yield child, inner
        yield from sites(child, inner)


def _is_text(node: ast.AST) -> bool:
    """Whether a node is a string, or a statement that is one."""
    value = node.value if isinstance(node, ast.Expr) else node
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], ast.AST]]]:
    """What may change at a node: a description, and what turns a copy of the node into another."""
    if isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Compare):
        for i, compared in enumerate(node.ops):
            other = OTHERS[type(compared)]
            yield f"{_name(compared)} {i} -> {other.__name__}", _operator(other, i)
    elif isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) and type(node.op) in OTHERS:
        other = OTHERS[type(node.op)]
        yield f"{_name(node.op)} -> {other.__name__}", _operator(other, None)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield f"{_name(node.op)} -> nothing", lambda copied: copied.operand
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "test -> its opposite", _opposite
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield "return -> None", lambda _: ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "call -> nothing", lambda _: ast.Pass()
    elif isinstance(node, ast.Call):
        yield from _calls(node)


def _constants(node: ast.Constant) -> Iterator[tuple[str, Callable]]:
    value = node.value
    if isinstance(value, bool):
        yield f"{value} -> {not value}", lambda _: ast.Constant(not value)
    elif isinstance(value, int):
        yield f"{value} -> {value + 1}", lambda _: ast.Constant(value + 1)
        if value > 1:
            yield f"{value} -> {value - 1}", lambda _: ast.Constant(value - 1)
    elif isinstance(value, float):
        other = 2 * value or 1.0
        yield f"{value} -> {other}", lambda _: ast.Constant(other)


def _calls(node: ast.Call) -> Iterator[tuple[str, Callable]]:
    """Two arguments exchanged, one keyword left out, or min for max."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name in OTHER_NAMES:
        yield f"{name} -> {OTHER_NAMES[name]}", _renamed
    if len(node.args) > 1 and not any(isinstance(a, ast.Starred) for a in node.args[:2]):
        yield f"{name}: two arguments exchanged", _exchanged
    for i, word in enumerate(node.keywords):
        if word.arg is not None and word.arg not in TEXT and name != "replace":
            yield f"{name}: without {word.arg}", _without(i)


def _operator(other: type, i: int | None) -> Callable[[ast.AST], ast.AST]:
    def change(copied):
        if i is None:
            copied.op = other()
        else:
            copied.ops[i] = other()
        return copied

    return change


def _opposite(copied):
    copied.test = ast.UnaryOp(ast.Not(), copied.test)
    return copied


def _renamed(copied):
    kind = "attr" if isinstance(copied.func, ast.Attribute) else "id"
    setattr(copied.func, kind, OTHER_NAMES[getattr(copied.func, kind)])
    return copied


def _exchanged(copied):
    copied.args[:2] = reversed(copied.args[:2])
    return copied


def _without(i: int) -> Callable[[ast.AST], ast.AST]:
    def change(copied):
        del copied.keywords[i]
        return copied

    return change


def _name(node: ast.AST) -> str:
    return type(node).__name__


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def mutants_of(source: str, room: str = "", path: Path = Path()) -> Iterator[Mutant]:
    """All mutants of a file, in its order."""
    tree = ast.parse(source)
    for name, function in functions(tree):
        seen: Counter[str] = Counter()
        heads: dict[int, str] = {}
        for node, statement in sites(function, function):
            if id(statement) not in heads:
                heads[id(statement)] = ast.unparse(statement).split("\n")[0][:120]
            for what, change in changes(node):
                key = f"{name} | {heads[id(statement)]} | {what}"
                seen[key] += 1
                yield Mutant(room, path, f"{key} | {seen[key]}", tree, function, node, change)


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and all that nest in it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes(inner)


def files(room: str) -> list[Path]:
    """The modules of a room."""
    patterns = FILES.get(room, (f"{room}/**/*.py",))
    return sorted(path for each in patterns for path in (ROOT / "dpviz").glob(each))


def pool(room: str) -> dict[str, Mutant]:
    """All mutants of a room by key; functions of one name that say the same share their mutants."""
    by_key: dict[str, Mutant] = {}
    for path in files(room):
        for mutant in mutants_of(path.read_text(encoding="utf-8"), room, path):
            by_key.setdefault(mutant.key, mutant)
    return by_key


def drawn(rooms: Iterable[str] = tuple(DRAWN)) -> list[Mutant]:
    """The mutants that are run: of each room those whose keys, with the seed, hash lowest.

    So a function that comes or goes changes few of the others. A change that compiles to the same
    code is not drawn.
    """
    chosen = []
    for room in rooms:
        mutants = pool(room)
        ranked = sorted(mutants, key=lambda key: hashlib.sha256(f"{SEED} {key}".encode()).digest())
        fit = (mutants[key] for key in ranked if mutants[key].exchanges())
        chosen += islice(fit, DRAWN[room])
    return chosen
