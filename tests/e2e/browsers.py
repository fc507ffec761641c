"""Which browser these tests use, and how it starts."""

import os
import shutil

import pytest

BROWSER_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def installed(*names: str) -> str:
    """The browser that CHIRON_CHROMIUM names, or the first of these that there is."""
    found = (os.environ.get("CHIRON_CHROMIUM"), *map(shutil.which, names))
    if path := next(filter(None, found), None):
        return path
    absent = f"there is no {names[0]}; `apt-get install {names[0]}`, or name a Chromium in CHIRON_CHROMIUM"
    if os.environ.get("CHIRON_TEST_BROWSER") == "required":
        pytest.fail(absent, pytrace=False)
    pytest.skip(absent)
