"""One environment variable replaces every seed."""

import pytest

from dpviz.sweeps import seeds


def test_the_variable_replaces_the_seed(monkeypatch):
    monkeypatch.delenv(seeds.VARIABLE, raising=False)
    assert seeds.seed(2014) == 2014
    monkeypatch.setenv(seeds.VARIABLE, "77")
    assert seeds.seed(2014) == seeds.seed(3) == 77
    monkeypatch.setenv(seeds.VARIABLE, " ")
    assert seeds.seed(2014) == 2014


@pytest.mark.parametrize("text", ["-1", "1.5", "seed", "²"])
def test_what_is_no_seed_is_refused_by_name(monkeypatch, text):
    monkeypatch.setenv(seeds.VARIABLE, text)
    with pytest.raises(ValueError, match="DPVIZ_SEED"):
        seeds.seed(1)


def test_children_are_reproducible_and_apart():
    one, two = seeds.spawn(5, 3), seeds.spawn(6, 3)
    states = [child.generate_state(2).tolist() for child in (*one, *two, *seeds.spawn(5, 3))]
    assert states[:3] == states[6:]
    assert len({tuple(state) for state in states}) == 6
    with pytest.raises(ValueError, match="count"):
        seeds.spawn(5, 0)
