"""One Chromium for the tests that need it."""

import os
import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser():
    """One on the PATH, else the one that Playwright fetched; none is a failure in CI."""
    from playwright.sync_api import Error, sync_playwright

    path = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        try:
            found = playwright.chromium.launch(
                executable_path=path, args=["--no-sandbox", "--disable-gpu"]
            )
        except Error as problem:
            (pytest.fail if os.environ.get("CI") else pytest.skip)(f"no Chromium: {problem}")
        yield found
        found.close()
