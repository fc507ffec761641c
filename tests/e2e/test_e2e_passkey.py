"""A passkey in a real browser, with a device of Chrome's own that keeps it. Passkeys need a domain and a
secure context: of a server on this machine only `localhost` is both.
"""

from collections.abc import Callable, Iterator

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings
from playwright.sync_api import BrowserContext, CDPSession, Page, expect

from studies.models import Participant, Study

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def localhost(site: str, faults: list[str], new_device: Callable[..., BrowserContext]) -> Iterator[str]:
    """The running site under the name `localhost`, which is no other host; every other fault stays one."""
    address = site.replace("127.0.0.1", "localhost")
    yield address
    faults[:] = [fault for fault in faults if f"request to another host: {address}/" not in fault]


def cookie_for(device: BrowserContext, site: str, localhost: str) -> None:
    """The sign-in at the site holds under its other name, too."""
    found = [cookie for cookie in device.cookies(site) if cookie["name"] == settings.SESSION_COOKIE_NAME]
    device.clear_cookies()
    device.add_cookies(
        [{"name": cookie["name"], "value": cookie["value"], "url": localhost} for cookie in found]
    )


def add_authenticator(device: BrowserContext, page: Page) -> tuple[CDPSession, str]:
    browser = device.new_cdp_session(page)
    browser.send("WebAuthn.enable")
    made = browser.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    return browser, made["authenticatorId"]


def test_a_participant_adds_a_passkey_signs_out_and_signs_in_with_it_without_a_code(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    new_device: Callable[..., BrowserContext],
    site: str,
    localhost: str,
) -> None:
    user = make_person(make_study()).user
    device = new_device(user)
    cookie_for(device, site, localhost)
    page = device.new_page()
    browser, authenticator = add_authenticator(device, page)
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(f"{request.method} {request.url}"))

    page.goto(f"{localhost}/accounts/2fa/")
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("A name by which you recognise it").fill("My laptop")
    page.get_by_role("button", name="Add the passkey").click()
    page.wait_for_url(f"{localhost}/accounts/2fa/")
    expect(page.locator("section[aria-labelledby=passkeys] li")).to_contain_text("My laptop")
    kept = browser.send("WebAuthn.getCredentials", {"authenticatorId": authenticator})["credentials"]
    assert [(key["rpId"], key["isResidentCredential"]) for key in kept] == [("localhost", True)]
    passkeys = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN)
    added_at = passkeys.get().last_used_at
    assert added_at is not None

    page.get_by_role("link", name="Sign out", exact=True).click()
    page.locator("main").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("navigation").get_by_role("link", name="Sign in")).to_be_visible()
    page.goto(f"{localhost}/accounts/2fa/")
    page.wait_for_url(f"{localhost}/accounts/login/**")

    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(f"{localhost}/accounts/2fa/")
    expect(page.locator("section[aria-labelledby=passkeys] li")).to_contain_text("My laptop")
    used_at = passkeys.get().last_used_at
    assert used_at is not None
    assert used_at > added_at
    # No code was asked for on the way.
    posted = [line.removeprefix(f"POST {localhost}") for line in asked_for if line.startswith("POST ")]
    assert posted == ["/accounts/2fa/webauthn/add/", "/accounts/logout/", "/accounts/2fa/webauthn/login/"]
    page.close()
