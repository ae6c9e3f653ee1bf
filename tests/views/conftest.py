"""Hands ``layout.problems`` to every test of pictures as the fixture ``layout_problems``."""

import importlib.util
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location("layout", Path(__file__).with_name("layout.py"))
_LAYOUT = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_LAYOUT)


@pytest.fixture(scope="session")
def layout_problems():
    """Function (figure) -> list of sentences, empty when every text is whole and apart."""
    return _LAYOUT.problems
