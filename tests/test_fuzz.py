"""Fuzzed calls: whatever is handed in, the answer is a result or a named error, and no bill.

The calls are those that the registry's examples make (`tests/registry.py`): of every public
function, constructor and verb of the papers and of privacy that they reach, one call is kept. Then
one argument at a time is replaced by something strange. A refusal is a ``ValueError``, a
``TypeError`` or ``BudgetExceeded`` with words; any other error is a fault, and so is a warning, a
call that runs away, and a charge for a call that was then refused.
"""

import dataclasses
import importlib
import inspect
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
import registry

from dpviz.privacy.curator import BudgetExceeded, Curator

VERBS = {"release", "answer", "truth", "error", "paper", "trial"}  # and what follows a "_"
PACKAGES = ("dpviz.papers", "dpviz.privacy")
ROOMS = sorted(path.stem for path in (Path(__file__).parent / "registered").glob("*.py"))
NAMED = (ValueError, TypeError, BudgetExceeded)
SECONDS = 20  # a strange argument may not make a call run away; loaded machines are slow
CALLS = 2000
# Objects of this package, and the state that a caller's own functions walk on.
OURS = {"params", "curator", "release", "start"}
STRANGE = {
    "None": None,
    "text": "text",
    "NUL": "a\0",
    "bytes": b"x",
    "dict": {"a": 1},
    "empty": [],
    "ragged": [[1.0], [1.0, 2.0]],
    "object": object(),
    "function": lambda: 0,
    "complex": 1j,
    "complex array": np.array([0.5 + 1j, 0.5]),
    "masked array": np.ma.masked_array([0.5, 0.25], [True, False]),
    "object array": np.array([object(), None]),
    "text array": np.array(["x", "y"]),
    "NUL array": np.array(["a\0", "b"]),
    "NaN": np.nan,
    "infinite": np.inf,
    "negative": -1,
    "huge integer": 10**400,
    "huge": 1e308,
    "tiny": 5e-324,
    "true": True,
    "no rows": np.zeros((0, 2)),
    "cube": np.zeros((2, 2, 2)),
    "NaN array": np.array([[np.nan, 0.5]]),
    "huge array": np.array([[1e308, -1e308]]),
}


def public_code():
    """Code of every verb of a paper, interactive mechanism and verb of the curator."""
    found = {}
    for module in (each for package in PACKAGES for each in registry._modules(package)):
        for name, thing in vars(module).items():
            if getattr(thing, "__module__", "") != module.__name__ or name[0] == "_":
                continue
            if inspect.isfunction(thing) and name.split("_")[0] in VERBS:
                found[thing.__code__] = (f"{module.__name__}.{name}", thing, None)
            elif name.startswith("Interactive") or thing in Curator.__mro__:
                for key, method in vars(thing).items():
                    if inspect.isfunction(method) and (key[0] != "_" or key == "__init__"):
                        told = f"{module.__name__}.{name}.{key}"
                        found[method.__code__] = (told, method, thing)
    return found


class Call:
    """One call that an example made: of a function, a constructor or a method."""

    def __init__(self, name, function, owner, own, values):
        self.name, self.function, self.owner, self.own = name, function, owner, own
        self.values, self.made_by = values, None

    def fresh(self, old):
        """A curator like an old one, with nothing spent."""
        kind = "rho" if old.composition == "zcdp" else "epsilon"
        amount = {kind: getattr(old.budget, kind)}
        return Curator(**amount, delta=old.budget.delta, rng=1)

    def ready(self):
        """What to call, with which arguments, and the curators that could be charged."""
        values, curators = dict(self.values), []
        for key, value in values.items():
            if isinstance(value, Curator):
                values[key] = self.fresh(value)
                curators.append(values[key])
        if self.owner is None:
            return self.function, values, curators
        if self.function.__name__ == "__init__":
            return self.owner, values, curators
        if isinstance(self.own, Curator):
            curators.append(self.fresh(self.own))
            return getattr(curators[-1], self.function.__name__), values, curators
        made, how, curators = self.made_by.ready()
        return getattr(made(**how), self.function.__name__), values, curators


def run_examples():
    """The first call of each public function that the registry's examples make."""
    codes, calls = public_code(), {}

    def watch(frame, event, _):
        known = codes.get(frame.f_code) if event == "call" else None
        flags = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
        if known is None or known[0] in calls or frame.f_code.co_flags & flags:
            return
        values = dict(frame.f_locals)
        calls[known[0]] = Call(*known, values.pop("self", None), values)

    for room in ROOMS:
        for entry in importlib.import_module(f"registered.{room}").ENTRIES:
            before = sys.getprofile()
            sys.setprofile(watch)
            try:
                entry.run(entry.pairs[0][0], Curator(**entry.budget, rng=1))
            finally:
                sys.setprofile(before)
    for call in calls.values():
        if call.owner is not None and not isinstance(call.own, Curator):
            call.made_by = calls.get(f"{call.name.rpartition('.')[0]}.__init__")
    return [call for call in calls.values() if not (call.name.endswith("Account.__init__"))]


def beside(call):
    """The free verbs in the module of a release, where they run: answer, truth, bounds, trial."""
    module = inspect.getmodule(call.function)
    if call.owner is not None or call.function.__name__ != "release":
        return
    call_it, how, _ = call.ready()
    have = {name: call.values.get(name) for name in ("data", "params", "queries")}
    have |= {"release": call_it(**how), "rng": 1}
    for name in ("answer", "truth", "error_bound", "paper_bound", "paper_rate", "trial"):
        function = getattr(module, name, None)
        if inspect.isfunction(function) and (name != "answer" or have["queries"] is not None):
            taken = {key: have[key] for key in inspect.signature(function).parameters.keys() & have}
            try:
                function(**taken)
            except Exception:  # it needs more than a release does
                continue
            yield Call(f"{module.__name__}.{name}", function, None, None, taken)


def all_params(calls):
    """Every Params that an example used, as a call that changes one field."""
    found = {}
    for call in calls:
        for value in call.values.values():
            if dataclasses.is_dataclass(value) and type(value).__name__.endswith("Params"):
                found.setdefault(type(value), value)
    for kind, value in found.items():
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        yield Call(f"{kind.__module__}.{kind.__name__}", kind, None, None, fields)


@pytest.fixture(scope="module")
def calls():
    made = run_examples()
    free = {call.name: call for one in made for call in beside(one)}
    known = {call.name for call in made}
    return [*made, *(c for name, c in free.items() if name not in known), *all_params(made)]


def stop(*_):
    raise TimeoutError("a call that runs away")


def fault(call, argument, strange):
    """What is wrong with the answer to one strange argument, or None."""
    function, values, curators = call.ready()
    before = [curator.ledger.spent for curator in curators]
    values[argument] = strange
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        function(**values)
    except NAMED as refusal:
        if not str(refusal):
            return f"refused without a word: {refusal!r}"
        if [curator.ledger.spent for curator in curators] != before:
            return f"charged and then refused: {refusal!r}"
    except Exception as problem:
        return f"no named error: {problem!r}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def may_be_none(call, name):
    """None has a meaning where it is the default."""
    return inspect.signature(call.function).parameters[name].default is None


def test_strange_arguments_are_answered_or_refused_by_name_and_never_charged(calls):
    old = signal.signal(signal.SIGALRM, stop)
    tries = [
        (call, name, word)
        for call in calls
        for name in sorted(call.values.keys() - OURS)
        for word in STRANGE
        if word != "None" or not may_be_none(call, name)
    ]
    chosen = np.random.default_rng(20).permutation(len(tries))[:CALLS]
    try:
        found = [(tries[i], fault(*tries[i][:2], STRANGE[tries[i][2]])) for i in chosen]
    finally:
        signal.signal(signal.SIGALRM, old)
    assert [f"{c.name}({a}={word}): {why}" for (c, a, word), why in found if why] == []
