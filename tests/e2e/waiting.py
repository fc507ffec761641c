"""Waiting in a browser test for what no element of the page tells."""

import time
from collections.abc import Callable

from playwright.sync_api import Page

STEP_MS = 100


def wait_until(page: Page, holds: Callable[[], object], what: str, *, seconds: float = 30) -> None:
    """Let the page go on until it `holds`; fails with the words of `what`."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began <= seconds, f"not within {seconds:.0f} s: {what}"
        page.wait_for_timeout(STEP_MS)
