"""Every mechanism of the package with an example, its price, and its worst pairs of neighbours.

A callable under ``PACKAGES``, or a verb of the curator, that is handed a curator (or is one's
own) must run in the example of some entry: `tests/test_registry.py` finds those that do not. Each
entry is held to the transcript test on its pairs, to the price it names, and to its sensitivity:
at some pair each noised quantity must move by at least 0.99 of what was paid for. So a sensitivity
that is understated fails, and one that is overstated (noise for nothing) fails too, unless
``loose`` gives the reason.

What privacy means where several mechanisms run on the same data at once: each keeps its own
guarantee, and together, however their questions are interleaved, they have the composition of
their budgets: concurrent composition (Vadhan and Wang 2021 for pure, Lyu 2022 and Vadhan and
Zhang 2023 for approximate and zero-concentrated differential privacy).
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from dpviz.audit.transcript import Recorder, Replayer, movement
from dpviz.privacy.curator import Curator
from dpviz.privacy.ledger import Cost

ATTAINED = 0.99  # of the claimed sensitivity
PACKAGES = ("dpviz.papers", "dpviz.comparison", "dpviz.door")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One mechanism.

    Attributes
    ----------
    name : str, "room.function" or "paper.module.function"
    run : (data, curator) -> what the public sees
    pairs : pairs (data, neighbour); over all of them each noised quantity attains its sensitivity
    budget : of the curator that it gets
    cost : what it promises to spend of that
    loose : dict from the label of a question to the reason why its sensitivity is not attained
    """

    name: str
    run: Callable[[Any, Curator], Any]
    pairs: Sequence[tuple[Any, Any]]
    budget: Mapping[str, float]
    cost: Cost
    loose: Mapping[str, str] = field(default_factory=dict)


def attained(entry: Entry, *, rng: int = 1) -> dict[str, float]:
    """Largest movement of each labelled quantity over the pairs, as a share of its sensitivity."""
    shares: dict[str, float] = {}
    ordered = [order for one, other in entry.pairs for order in ((one, other), (other, one))]
    for data, neighbour in ordered:
        recorder = Recorder(rng=rng, **entry.budget)
        entry.run(data, recorder)
        replayer = Watcher(recorder.questions, rng=rng, **entry.budget)
        entry.run(neighbour, replayer)
        for label, share in replayer.shares:
            shares[label] = max(share, shares.get(label, 0.0))
    return shares


class Ahead:
    """An iterator whose next item can be looked at; a tree of curators shares one."""

    def __init__(self, items: Sequence):
        self._items = list(items)[::-1]

    def __iter__(self) -> Ahead:
        return self

    def __next__(self) -> Any:
        if not self._items:
            raise StopIteration
        return self._items.pop()

    def first(self) -> Any:
        """The next item, or None at the end."""
        return self._items[-1] if self._items else None


class Watcher(Replayer):
    """A replaying curator that notes how far each quantity moved."""

    def __init__(self, recorded: Any = (), **budget: Any):
        super().__init__(recorded, **budget)
        self.recorded = Ahead(recorded)
        self.shares: list[tuple[str, float]] = []
        self.entries: dict[str, dict[str, float]] = {}  # of each table, how far each name moved

    def _reply(self, question: Any, draw: Callable[[], Any]) -> Any:
        ahead = self.recorded.first()
        if ahead is not None and question.charge.sensitivity:
            self._note(ahead[0], question)
        return super()._reply(question, draw)

    def _note(self, before: Any, question: Any) -> None:
        """How far one quantity moved; a table moves by the sum over its names."""
        change, label = movement(before.private, question.private, question.norm), _table(question)
        if question.norm == "table":
            names = self.entries.setdefault(label, {})
            names[question.charge.label] = max(change, names.get(question.charge.label, 0.0))
            change = sum(names.values())
        self.shares.append((label, change / question.charge.sensitivity))

    def _make(self, *how: Any) -> Curator:
        part = super()._make(*how)
        part.shares, part.entries = self.shares, self.entries
        return part


def _table(question: Any) -> str:
    """The label of a question; of an entry that of its table, which other questions share."""
    if question.norm != "table":
        return question.charge.label
    return question.charge.label.partition("[")[0]


def callables(packages: Sequence[str] = PACKAGES) -> dict[str, CodeType]:
    """Every public function that takes a curator, and every class that is made with one."""
    found = {}
    for package in packages:
        for module in _modules(package):
            for name, thing in vars(module).items():
                if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__:
                    found |= _of(f"{module.__name__}.{name}", thing)
    verbs = dict(inspect.getmembers(Curator, inspect.isfunction))
    public = {name: verb.__code__ for name, verb in verbs.items() if not name.startswith("_")}
    return found | {f"Curator.{name}": code for name, code in public.items()}


def _modules(package: str) -> Iterator[Any]:
    """All modules of a package."""
    root = importlib.import_module(package)
    yield root
    for found in pkgutil.walk_packages(getattr(root, "__path__", []), f"{package}."):
        yield importlib.import_module(found.name)


def _of(name: str, thing: Any) -> dict[str, CodeType]:
    """The function itself; of a class its constructor and its methods that take a curator."""
    if inspect.isfunction(thing):
        return {name: thing.__code__} if _takes(thing) else {}
    if not inspect.isclass(thing):
        return {}
    methods = {key: getattr(value, "__func__", value) for key, value in vars(thing).items()}
    return {
        name if key == "__init__" else f"{name}.{key}": method.__code__
        for key, method in methods.items()
        if inspect.isfunction(method) and (key == "__init__" or key[0] != "_") and _takes(method)
    }


def _takes(function: Callable) -> bool:
    """Whether a parameter is called curator, or said to be one."""
    return any(
        name == "curator" or "Curator" in str(parameter.annotation)
        for name, parameter in inspect.signature(function).parameters.items()
    )


def executed(act: Callable[[], Any]) -> set[CodeType]:
    """The code of every function that runs while ``act`` does."""
    seen: set[CodeType] = set()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: event == "call" and seen.add(frame.f_code))
    try:
        act()
    finally:
        sys.setprofile(before)
    return seen
