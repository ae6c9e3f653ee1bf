"""Hands the comparison of stored trials to each test as a fixture."""

import importlib.util
from pathlib import Path

import pytest

from dpviz.comparison.mechanisms import kinds


@pytest.fixture
def differences(monkeypatch):
    """Function (again, stored) -> fields in which trials differ, on any machine.

    What runs again is not rounded to the digits that are stored.
    """
    monkeypatch.setattr(kinds, "DIGITS", 17)
    spec = importlib.util.spec_from_file_location("trials", Path(__file__).with_name("trials.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.differences
