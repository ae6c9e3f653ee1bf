"""Hands what the tests of pictures share to each of them as a fixture."""

import importlib.util
from pathlib import Path

import pytest


def _load(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def layout_problems():
    """Function (figure) -> list of sentences, empty when every text is whole and apart."""
    return _load("layout").problems
