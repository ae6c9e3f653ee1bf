"""Hands the comparison of stored trials to each test as a fixture."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def differences():
    """Function (again, stored) -> fields in which trials differ, on any machine."""
    spec = importlib.util.spec_from_file_location("trials", Path(__file__).with_name("trials.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.differences
