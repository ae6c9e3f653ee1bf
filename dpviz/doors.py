"""Packages whose names stand in their modules, which load when a name is first asked for.

A room may also be called, where a function of the front door has its name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def lazy(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Parameters
    ----------
    package : its full name
    modules : dict from module to the names that it gives, with spaces between

    >>> load, names, _ = lazy("dpviz.accounting", {"zcdp": "zcdp_pure", "roots": ""})
    >>> load("zcdp_pure")(epsilon=2.0), names()
    (2.0, ['zcdp_pure'])
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def load(name: str) -> Any:
        if name in homes:
            return getattr(import_module(f"{package}.{homes[name]}"), name)
        if name in modules:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load, lambda: sorted(homes), sorted(homes)


class CallableRoom(ModuleType):
    """A package that, called, is a function of another module."""

    _function: tuple[str, str]

    @property
    def __wrapped__(self) -> Any:
        module, name = self._function
        return getattr(import_module(module), name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*args, **kwargs)


def call(package: str, module: str, name: str) -> None:
    """Let a package, called, be a function, which loads when it is first called.

    >>> import dpviz.audit.auditor
    >>> callable(dpviz.audit)
    True
    """
    room = sys.modules[package]
    room.__class__ = CallableRoom
    vars(room)["_function"] = module, name
