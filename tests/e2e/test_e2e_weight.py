"""What the first page of the workspace costs somebody with a slow line."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext

from batches.models import Session

MAX_BYTES = 160_000
# All questions, for the page's memory; fetched when the page stands.
MAX_HELD_BYTES = 30_000


def test_the_first_workspace_page_is_light_and_needs_no_other_host(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session], site: str
) -> None:
    session = begin(prompts=20, note_per_prompt=True, confidence_per_prompt=True)
    page = new_device(session.participant.user).new_page()
    addresses: dict[str, str] = {}
    sizes: dict[str, float] = {}

    def sent(event: dict[str, Any]) -> None:
        addresses[event["requestId"]] = event["request"]["url"]

    def finished(event: dict[str, Any]) -> None:
        sizes[event["requestId"]] = event["encodedDataLength"]

    client = page.context.new_cdp_session(page)
    client.on("Network.requestWillBeSent", sent)
    client.on("Network.loadingFinished", finished)
    client.send("Network.enable")
    client.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(f"/sessions/{session.pk}/prompts/1/", wait_until="networkidle")
    loaded = {addresses[key]: size for key, size in sizes.items() if key in addresses}
    assert all(address.startswith(f"{site}/") for address in addresses.values())
    assert any(address.endswith(".js") for address in loaded)
    held = loaded.pop(f"{site}/sessions/{session.pk}/questions/")
    assert held <= MAX_HELD_BYTES
    heaviest = sorted(loaded.items(), key=lambda pair: -pair[1])[:5]
    assert 5_000 < sum(loaded.values()) <= MAX_BYTES, heaviest
    print(f"first workspace page: {sum(loaded.values()) / 1000:.0f} kB in {len(loaded)} requests")  # noqa: T201
