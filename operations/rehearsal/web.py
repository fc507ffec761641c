"""A simulated participant at the real web pages: sign-in by code, consent, start, answers, submit."""

import re
import ssl
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import httpx

from operations.rehearsal.mailbox import Codes

FORM = re.compile(r"<form\b.*?</form>", re.DOTALL)
HIDDEN_FIELD = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
CERTIFICATES = ssl.create_default_context()  # loading them takes longer than several page requests
SESSION_PATH = re.compile(r"/sessions/[0-9a-f-]{36}/")
ATTEMPTS = 5
PAUSE_SECONDS = 0.5


class PageRefused(Exception):
    """A page answered with an error; carries the step, the status and the page's own words."""

    def __init__(self, step: str, response: httpx.Response) -> None:
        words = re.sub(r"<[^>]+>|\s+", " ", response.text)
        super().__init__(
            f"{step}: HTTP {response.status_code} from {response.url.path}: {words.strip()[:300]}"
        )


@dataclass(frozen=True)
class Place:
    """One prompt of the session as the pages show it."""

    position: int
    prompt_id: str


class WebParticipant:
    """One browser. Every method is one thing a person does; each raises PageRefused when a page refuses."""

    def __init__(
        self, base_url: str, mailbox: Codes | None = None, transport: httpx.BaseTransport | None = None
    ) -> None:
        self.client = httpx.Client(
            base_url=base_url, follow_redirects=True, timeout=60, transport=transport, verify=CERTIFICATES
        )
        self.mailbox = mailbox
        self.tab = uuid.uuid4().hex
        self.sequence = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.client.close()

    def sign_in(self, email: str) -> None:
        """Sign in with a code out of the mailbox."""
        assert self.mailbox is not None  # noqa: S101  # for the type
        page = self.get("sign-in page", "/accounts/login/")
        page = self.fill_in("ask for a code", page, {"email": email})
        if 'name="code"' not in page.text:
            raise PageRefused("ask for a code", page)
        page = self.fill_in("enter the code", page, {"code": self.mailbox.code_for(email)})
        if "/accounts/" in page.url.path:
            raise PageRefused("enter the code", page)

    def consent(self, study: str) -> None:
        page = self.get("consent page", f"/studies/{study}/consent/")
        # Who came this far in a rehearsal that broke off has agreed already.
        if 'value="accept"' in page.text:
            self.fill_in("consent", page, {"decision": "accept"})

    def pass_check(self, study: str, choices: Sequence[int]) -> None:
        """Choose these options, from 1, of the check questions; where they are not asked, go on."""
        page = self.get("check page", f"/studies/{study}/check/")
        if page.url.path.endswith("/check/"):
            entries = {f"question-{number}": choice for number, choice in enumerate(choices, start=1)}
            self.fill_in("check", page, entries)

    def start(self, study: str) -> str:
        """Start the clock, or go on where it runs; return the session's path, `/sessions/<id>/`."""
        page = self.get("start page", f"/studies/{study}/start/")
        if not SESSION_PATH.match(page.url.path):
            page = self.fill_in("start", page, {})
        session = SESSION_PATH.match(page.url.path)
        if not session:
            raise PageRefused("start", page)
        return session[0]

    def places(self, session: str) -> Iterator[Place]:
        """The prompts in order, from the overview page."""
        page = self.get("overview", session)
        prompts = re.findall(r'data-position="(\d+)"[^>]*\sdata-prompt="([^"]+)"', page.text)
        if not prompts:
            raise PageRefused("overview lists no prompts", page)
        for position, prompt_id in prompts:
            yield Place(int(position), prompt_id)

    def read_prompt(self, session: str, place: Place) -> None:
        self.get("prompt page", f"{session}prompts/{place.position}/")

    def save(self, session: str, place: Place, text: str, *, base_revision: int = 0) -> int:
        """Save an answer as the page's script does; return the new revision."""
        self.sequence += 1
        body = {"text": text, "base_revision": base_revision, "tab": self.tab, "sequence": self.sequence}
        response = self.send("POST", f"/api{session}answers/{place.position}", json=body)
        if response.status_code != httpx.codes.OK:
            raise PageRefused("save", response)
        return int(response.json()["revision"])

    def submit(self, session: str, resources: list[str]) -> None:
        page = self.get("review page", f"{session}submit/")
        page = self.fill_in("submit", page, {"categories": resources})
        if 'id="ask-unanswered"' in page.text:
            page = self.fill_in("submit all the same", page, {"categories": resources})
        if not page.url.path.endswith("/receipt/"):
            raise PageRefused("submit", page)

    def withdraw(self, study: str) -> None:
        page = self.get("withdrawal page", f"/studies/{study}/withdraw/")
        self.fill_in("withdraw", page, {"confirm": "on"})

    def get(self, step: str, path: str) -> httpx.Response:
        return self.checked(step, self.send("GET", path))

    def fill_in(self, step: str, page: httpx.Response, entries: Mapping[str, object]) -> httpx.Response:
        """Send the form that has these fields, with its hidden ones as they are."""
        forms = FORM.findall(page.text.partition("<main")[2])
        fitting = [form for form in forms if all(f'name="{name}"' in form for name in entries)]
        if not fitting:
            raise PageRefused(f"{step}: no form with {', '.join(entries) or 'a button'}", page)
        hidden = dict(HIDDEN_FIELD.findall(fitting[0]))
        return self.checked(step, self.send("POST", str(page.url), data={**hidden, **entries}))

    def checked(self, step: str, response: httpx.Response) -> httpx.Response:
        if response.status_code != httpx.codes.OK:
            raise PageRefused(step, response)
        return response

    def send(self, method: str, path: str, **content: object) -> httpx.Response:
        """One request with the page's CSRF token; a busy or restarting server is asked again, a few times."""
        for attempt in range(1, ATTEMPTS + 1):
            headers = {
                "X-CSRFToken": self.client.cookies.get("csrftoken", ""),
                "Referer": str(self.client.base_url),
            }
            try:
                response = self.client.request(method, path, headers=headers, **content)  # type: ignore[arg-type]
            except httpx.TransportError:
                if attempt == ATTEMPTS:
                    raise
            else:
                busy = response.status_code >= 500 or response.status_code == httpx.codes.TOO_MANY_REQUESTS
                if not busy or attempt == ATTEMPTS:
                    return response
            time.sleep(PAUSE_SECONDS * attempt)
        raise AssertionError("the last attempt returns or raises")
