"""Every mechanism is registered, keeps its transcript, its price and its sensitivity."""

import importlib
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import registry
from registry import ATTAINED, Entry

from dpviz.audit.transcript import Recorder, faults
from dpviz.privacy.ledger import Cost

ROOMS = sorted(path.stem for path in (Path(__file__).parent / "registered").glob("*.py"))
ENTRIES = [e for room in ROOMS for e in importlib.import_module(f"registered.{room}").ENTRIES]


def wrong(entry):
    """Everything in which a mechanism breaks what its entry promises."""
    for data, neighbour in entry.pairs:
        for pair in ((data, neighbour), (neighbour, data)):
            yield from faults(entry.run, *pair, rng=1, **entry.budget)
    curator = Recorder(rng=1, **entry.budget)
    entry.run(entry.pairs[0][0], curator)
    spent = curator.ledger.spent
    if not alike(spent, entry.cost):
        yield f"spends {spent}, promised {entry.cost}"
    for label, share in registry.attained(entry).items():
        if share < ATTAINED and label not in entry.loose:
            yield f"{label!r} moves by {share:.3f} of its sensitivity at the worst pair given"


def alike(one, other):
    return one.covers(other) and other.covers(one)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_a_registered_mechanism_keeps_its_promise(entry):
    assert list(wrong(entry)) == []


def unregistered(names):
    """The callables that no entry runs."""

    def run_all():
        for entry in ENTRIES:
            for data, _ in entry.pairs:
                entry.run(data, Recorder(rng=1, **entry.budget))

    seen = registry.executed(run_all)
    return sorted(name for name, code in names.items() if code not in seen)


def test_every_mechanism_is_registered():
    names = registry.callables()
    assert len(names) > 60
    assert unregistered(names) == []


def understated(data, curator):
    """A mechanism as one would write it, but for a sensitivity a hundred times too small."""
    return curator.laplace(data.sum(), sensitivity=0.01, epsilon=1, label="sum")


def promised(run, **more):
    how = {"pairs": [PAIR], "budget": {"epsilon": 1.0}, "cost": Cost(epsilon=1), **more}
    return Entry(name="planted", run=run, **how)


PAIR = np.array([0.0, 0.0]), np.array([0.0, 1.0])


def test_a_mechanism_that_nobody_registered_is_found(monkeypatch):
    planted = types.ModuleType("planted")
    understated.__module__, planted.release = "planted", understated
    monkeypatch.setitem(sys.modules, "planted", planted)
    names = registry.callables(("planted",))
    assert unregistered({"planted.release": names["planted.release"]}) == ["planted.release"]


def test_registered_it_is_caught_too():
    assert any("moved by 1, paid for 0.01" in fault for fault in wrong(promised(understated)))


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (promised(understated, cost=Cost(epsilon=2)), "spends epsilon 1, promised epsilon 2"),
        (
            promised(lambda d, c: c.laplace(d.sum(), sensitivity=2, epsilon=1, label="sum")),
            "'sum' moves by 0.500 of its sensitivity",
        ),
    ],
    ids=["price", "overstated"],
)
def test_a_wrong_promise_is_caught(entry, fault):
    assert any(fault in sentence for sentence in wrong(entry))
