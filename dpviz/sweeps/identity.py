"""What makes two sweeps the same: the contents of all that was run, not how they print.

numpy prints arrays of more than 1,000 entries with an ellipsis and every float to 8 digits, and two
functions made by the same ``def`` have the same name. So parameters that do not print in full enter
by a digest of their contents, and a trial that closes over values by a digest of these too.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

LONGEST = 2000  # characters of parameters that are written in full


def header(
    trial: Callable,
    params: Any,
    axes: Mapping[str, tuple],
    repeats: int,
    seed: np.random.SeedSequence,
    fixed: Mapping[str, object],
) -> dict:
    """All that decides the numbers of a sweep, as plain JSON; equal headers mean equal sweeps.

    Raises
    ------
    ValueError
        If the trial or an argument holds something whose contents cannot be compared.
    """
    held = contents(trial)
    return {
        "trial": name(trial),
        **({"trial_holds": _digest(held, "trial")} if held else {}),
        "params": _said(params),
        "fixed": {key: _digest(value, f"fixed[{key!r}]") for key, value in fixed.items()},
        "axes": {key: list(values) for key, values in axes.items()},
        "repeats": repeats,
        "seed": [str(seed.entropy), list(seed.spawn_key)],
    }


def name(trial: Callable) -> str:
    """Module and name of a trial; of a partial, those of its function.

    >>> name(functools.partial(max, 3))
    'builtins.max'
    """
    function = trial.func if isinstance(trial, functools.partial) else trial
    return f"{function.__module__}.{function.__qualname__}"


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
    held = [cell.cell_contents for cell in getattr(trial, "__closure__", None) or ()]
    if "<" in getattr(trial, "__qualname__", ""):  # of a module's function the name says them
        held += [*(trial.__defaults__ or ()), *sorted((trial.__kwdefaults__ or {}).items())]
    owner = getattr(trial, "__self__", None)
    if owner is not None and owner is not sys.modules.get("builtins"):
        held.append(owner)
    return tuple(held)


def _said(params: Any) -> str:
    """Parameters in full, or a digest where they would be long or print an address."""
    if _entries(params) <= LONGEST:
        with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
            text = repr(params)
        if len(text) <= LONGEST and " at 0x" not in text:
            return text
    return f"{type(params).__qualname__} {_digest(params, 'params')}"


def _entries(value: Any) -> int:
    """Array entries that a value's text would hold; each takes a character at least.

    >>> _entries((np.zeros(3), [np.zeros((2, 2)), "some words"]))
    7
    """
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, (tuple, list)):
        return sum(map(_entries, value))
    if dataclasses.is_dataclass(value) and type(value).__dataclass_params__.repr:
        named = (each.name for each in dataclasses.fields(value) if each.repr)
        return sum(_entries(getattr(value, name)) for name in named)
    return 0


def _digest(value: object, what: str) -> str:
    """Digest of a value's contents."""
    import pickle

    import joblib

    try:
        return joblib.hash(value)
    except (pickle.PicklingError, AttributeError, TypeError) as problem:
        raise ValueError(f"{what} holds what cannot be compared: {problem}") from problem
