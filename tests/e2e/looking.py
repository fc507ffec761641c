"""What is wrong with how a page looks: contrast, accessibility, scrolling sideways."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from django.conf import settings as django_settings
from playwright.sync_api import Page

PICTURES = Path(django_settings.BASE_DIR) / "var" / "screenshots"


AXE = Axe()


DARK_ONLY = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}


SMALL = {"width": 1024, "height": 768}
NARROW = {"width": 360, "height": 740}


# 200 % zoom of a window 1280 wide: half as many CSS pixels, two device pixels each.
ZOOMED = {"width": 640, "height": 400, "deviceScaleFactor": 2, "mobile": False}


def faults_in_looks(page: Page, label: str, *, again: bool) -> Iterator[str]:
    """What is wrong in light and dark, narrow and zoomed; a picture of each on the way, where asked for."""
    yield from violations(page, "light")
    picture(page, f"{label}-light")
    show_in(page, "dark")
    yield from violations(page, "dark", DARK_ONLY)
    picture(page, f"{label}-dark")
    show_in(page, "light")
    page.set_viewport_size(SMALL)  # type: ignore[arg-type]
    yield from sideways(page, "at 1024 px")
    picture(page, f"{label}-1024")
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]  # a plain dict will do
    if again and page.locator("#time-bar").is_visible():
        page.reload()  # pages of a session lay themselves out by the width they find
    yield from sideways(page, "at 360 px")
    picture(page, f"{label}-360")
    client = page.context.new_cdp_session(page)
    client.send("Emulation.setDeviceMetricsOverride", ZOOMED)
    yield from sideways(page, "at 200 % zoom")


def show_in(page: Page, scheme: Literal["light", "dark"]) -> None:
    """Change the colours and end their gliding: waiting for it hung for ever where no frame was drawn."""
    page.emulate_media(color_scheme=scheme)
    page.evaluate("document.getAnimations().forEach((animation) => animation.finish())")


def violations(page: Page, scheme: str, options: dict[str, Any] | None = None) -> Iterator[str]:
    found = AXE.run(page, options=options or {"resultTypes": ["violations"]}).response["violations"]
    for violation in found:
        nodes = "; ".join(node["html"][:160] for node in violation["nodes"][:3])
        yield f"axe, {scheme}: {violation['id']}: {violation['help']}: {nodes}"


def sideways(page: Page, size: str) -> Iterator[str]:
    wider = page.evaluate(
        """() => {
          const room = document.documentElement.clientWidth;
          if (document.documentElement.scrollWidth <= room) return [];
          const inScroller = (e) => {
            for (let p = e.parentElement; p !== document.body; p = p.parentElement)
              if (getComputedStyle(p).overflowX !== "visible") return true;
            return false;
          };
          return [...document.body.querySelectorAll("*")]
            .filter((e) => e.getBoundingClientRect().right > room + 0.5 && !inScroller(e))
            .map((e) => e.outerHTML.slice(0, 120)).concat("the page");
        }"""
    )
    if wider:
        yield f"scrolls sideways {size}: {wider[:4]}"


def picture(page: Page, name: str) -> None:
    if "CHIRON_TEST_PICTURES" in os.environ:
        page.screenshot(path=PICTURES / f"{name}.png", full_page=True)
