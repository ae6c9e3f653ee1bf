"""One JupyterLab and one Chromium for all browser tests."""

import os
import shutil

import chromium
import lab
import pytest
import visit
from xdist.scheduler import LoadScopeScheduling

from dpviz import lesson


class ByLesson(LoadScopeScheduling):
    """All tests of one lesson in one process, so that it is opened once.

    What needs no lesson comes in small parts at the end: of one explorer, or of one module, whose
    tests share a notebook and may leave its kernel dead at their end.
    """

    def _split_scope(self, nodeid):
        module, _, test = nodeid.partition("::")
        _, _, of = test.partition("[")
        return of.split(".ipynb")[0] if of[:2].isdigit() or ".explore_" in of else module


def pytest_xdist_make_scheduler(config, log):
    """xdist asks who shares out the tests."""
    config.option.loadscopereorder = False  # they come as below
    return ByLesson(config, log)


def pytest_collection_modifyitems(items):
    """The longest lesson first, what needs none last, so that both processes end together."""
    size = {path.name: path.stat().st_size for path in lab.NOTEBOOKS.glob("*.ipynb")}

    def place(item):
        lesson = getattr(item, "callspec", None) and item.callspec.params.get("lesson")
        return -size.get(lesson, 0), item.path.name

    items.sort(key=place)


@pytest.fixture(scope="session")
def browser():
    """Chromium; without it these tests fail in CI, and on a person's machine say what to type."""
    path = chromium.find()
    if path is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(chromium.how())
    with lab.chromium(path) as context:
        yield context


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A copy of the lessons: JupyterLab saves what it opens."""
    folder = tmp_path_factory.mktemp("lessons")
    for path in [*lab.NOTEBOOKS.glob("*.ipynb"), *lesson.translations(lab.NOTEBOOKS)]:
        place = folder / path.relative_to(lab.NOTEBOOKS)
        place.parent.mkdir(exist_ok=True)
        shutil.copy(path, place)
    return folder


@pytest.fixture(scope="session")
def address(folder, tmp_path_factory):
    """Where JupyterLab serves that folder."""
    with lab.server(folder, tmp_path_factory.mktemp("private")) as address:
        yield address


@pytest.fixture(scope="session")
def pages():
    """The address of the site, on the loopback address."""
    with visit.served() as address:
        yield address
