"""What a call of ``sweep`` runs, as plain JSON: equal descriptions mean equal sweeps.

A sweep is known by its name and its parameters by the names of their fields, so that a module or a
class may move and a field may come. Numbers, words and what is made of them stand as they are: a
float so that reading gives the same bits. Everything else enters by a digest of its contents, not
as it prints: numpy prints arrays of more than 1,000 entries with an ellipsis and every float to
8 digits, and two functions made by the same ``def`` have the same name, so a trial that closes over
values is described by these too.
"""

from __future__ import annotations

import ast
import functools
import inspect
import json
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from types import FunctionType, ModuleType
from typing import Any

import numpy as np


@dataclass(frozen=True, kw_only=True, eq=False)
class Call:
    """All that decides the numbers of a sweep.

    Attributes
    ----------
    name : str, of the sweep; trial : callable; params : dataclass
    axes : dict from name to the tuple of values swept; repeats : int >= 1
    seed : SeedSequence, the root of all streams; fixed : dict of further arguments of the trial
    """

    name: str
    trial: Callable
    params: Any
    axes: Mapping[str, tuple]
    repeats: int
    seed: np.random.SeedSequence
    fixed: Mapping[str, object]

    @functools.cached_property
    def header(self) -> dict:
        """The description as plain JSON.

        Raises ValueError if the trial or an argument holds something whose contents cannot be
        compared.
        """
        closure = contents(self.trial)
        return {
            "experiment": self.name,
            **({"closure": plain(closure, "trial")} if closure else {}),
            "params": plain(self.params, "params"),
            "fixed": plain(dict(self.fixed), "fixed"),
            "axes": {key: list(values) for key, values in self.axes.items()},
            "repeats": self.repeats,
            "seed": [str(self.seed.entropy), list(self.seed.spawn_key)],
        }

    def differences(self, stored: Mapping) -> list[str]:
        """Names of what differs in a stored description, such as "params.epsilon".

        Of another experiment nothing else is compared. A field that the stored one lacks was added
        to the dataclass later: only another value than the default makes it another sweep.
        """
        if stored.get("experiment") != self.name:
            return ["experiment"]
        params = _complete(stored.get("params"), self.params)
        other = list(_differences({**stored, "params": params}, self.header))
        # The place of a trial hangs on the order of the axes.
        if not other and list(stored["axes"]) != list(self.axes):
            return ["axes"]
        return other

    @property
    def source(self) -> str | None:
        """Digest of the trial's syntax tree, 16 hexadecimal digits; None if there is no text.

        Layout, comments, docstrings, imports and the names of modules are no part of it, so it
        stays if the trial moves. What the trial calls is not looked at.
        """
        import hashlib  # loads OpenSSL

        function = self.trial.func if isinstance(self.trial, functools.partial) else self.trial
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        except (OSError, TypeError, SyntaxError):
            return None
        scope = getattr(function, "__globals__", {})
        modules = {name for name, value in scope.items() if isinstance(value, ModuleType)}
        return hashlib.sha256(json.dumps(_tree(tree, modules)).encode()).hexdigest()[:16]


def function_name(trial: Callable) -> str:
    """Name of a trial without its module, which may move; of a partial, that of its function.

    >>> function_name(functools.partial(max, 3))
    'max'
    """
    function = trial.func if isinstance(trial, functools.partial) else trial
    return function.__qualname__


def contents(trial: Callable) -> tuple:
    """What a trial brings along besides its name: arguments, defaults, closed-over values, self.

    >>> def make(scale):
    ...     return lambda params, *, rng: {"error": scale}
    >>> contents(make(5)) == contents(make(5)), contents(make(5)) == contents(make(1))
    (True, False)
    >>> contents(max)
    ()
    """
    if isinstance(trial, functools.partial):
        return (trial.args, sorted(trial.keywords.items()), contents(trial.func))
    cells = [cell.cell_contents for cell in getattr(trial, "__closure__", None) or ()]
    if "<" in getattr(trial, "__qualname__", ""):  # of a module's function the name says them
        cells += [*(trial.__defaults__ or ()), *sorted((trial.__kwdefaults__ or {}).items())]
    owner = getattr(trial, "__self__", None)
    if owner is not None and owner is not sys.modules.get("builtins"):
        cells.append(owner)
    return tuple(cells)


def plain(value: Any, what: str) -> Any:
    """A value as JSON holds it: a dataclass by its fields, what JSON cannot hold by a digest.

    Parameters
    ----------
    value : anything; what : its name in a message

    Raises ValueError if it holds something whose contents cannot be compared.

    >>> plain({"shares": (0.1, np.float64(0.5)), "seed": None}, "params")
    {'shares': [0.1, 0.5], 'seed': None}
    >>> plain(np.zeros(2), "params") == plain(np.zeros(2), "params") != plain(np.ones(2), "params")
    True
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)):
        return [plain(entry, f"{what}[{i}]") for i, entry in enumerate(value)]
    if is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: plain(entry, f"{what}.{key}") for key, entry in value.items()}
    return f"{type(value).__qualname__} {_digest(value, what)}"


def _digest(value: object, what: str) -> str:
    """Digest of a value's contents, with the names of functions and classes but no module's."""
    import pickle

    try:
        return _hasher()().hash(value)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as problem:
        raise ValueError(f"{what} holds what cannot be compared: {problem}") from problem


@functools.cache
def _hasher() -> type:
    """What makes digests; joblib takes long to load."""
    from joblib.hashing import NumpyHasher

    class Hasher(NumpyHasher):
        def save(self, value: object) -> None:
            if isinstance(value, FunctionType) and "<lambda>" in value.__qualname__:
                raise TypeError("a lambda has no name")
            if isinstance(value, FunctionType):
                value = (value.__qualname__, contents(value))
            super().save(value.__qualname__ if isinstance(value, type) else value)

    return Hasher


def _differences(stored: object, today: object, name: str = "") -> Iterator[str]:
    """Dotted names of what differs between two values of JSON."""
    if isinstance(stored, Mapping) and isinstance(today, Mapping):
        for key in {**today, **stored}:
            inner = f"{name}.{key}" if name else key
            if key in stored and key in today:
                yield from _differences(stored[key], today[key], inner)
            else:
                yield inner
    elif json.dumps(stored, sort_keys=True) != json.dumps(today, sort_keys=True):
        yield name


def _complete(stored: object, value: object) -> object:
    """A stored value, with today's defaults of the fields that a dataclass did not have then."""
    if isinstance(stored, list) and isinstance(value, (tuple, list)):
        pairs = zip(stored, value, strict=False)
        return [*(_complete(*pair) for pair in pairs), *stored[len(value) :]]
    if not isinstance(stored, dict) or not is_dataclass(value):
        return stored
    complete = dict(stored)
    for field in fields(value):
        if field.name in stored:
            complete[field.name] = _complete(stored[field.name], getattr(value, field.name))
        elif field.default is not MISSING:
            complete[field.name] = plain(field.default, field.name)
        elif field.default_factory is not MISSING:
            complete[field.name] = plain(field.default_factory(), field.name)
    return complete


def _tree(node: object, modules: set[str]) -> object:
    """A syntax tree as plain lists, without what has no effect on numbers."""
    if isinstance(node, list):
        return [_tree(part, modules) for part in node if not _is_mute(part)]
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) in modules:
        node = ast.Name(node.attr, node.ctx)
    if not isinstance(node, ast.AST):
        return repr(node)
    # An empty field is left out: newer versions of Python have more fields.
    parts = {key: part for key, part in ast.iter_fields(node) if part not in (None, [])}
    return [type(node).__name__, {key: _tree(part, modules) for key, part in parts.items()}]


def _is_mute(node: object) -> bool:
    """Whether it is an import, or a text such as a docstring."""
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or isinstance(node, (ast.Import, ast.ImportFrom))
