"""Whatever is sent to whichever address, nobody gets an error of the program, and what was typed stays.

Addresses and forms are found, not listed: a page that takes something new is tried without a word here. A
form that no page of this world shows is named in `UNSHOWN` with what is to be sent.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings as django_settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import QueryDict

from console.forms.steps import STEP_FORMS
from studies.models import Study, User
from studies.protocol.settings import ProtocolSettings
from studies.services.studies import study_create
from tests.access.addresses import Address, addresses
from tests.access.bad_input import ALONE, FILES, PARAMETERS, TEXTS, upload
from tests.access.forms_shown import TYPED, Form, forms_of
from tests.access.visitors import Visitors
from tests.access.world import World

ROOT = Path(django_settings.BASE_DIR)
READ = re.compile(r'\.get(?:list)?\("(\w+)"')
# Signing in, its own tests are in tests/studies; the stock pages of the administrator.
NOT_OURS = ("account_", "mfa_", "admin:")
# Panels that a page shows on request.
OPENED = {"staff_participants": "?person={code}", "staff_live": "?session={session_id}"}
UNSHOWN: Mapping[str, tuple[str, ...]] = {
    "entry": (),
    "staff_demo_study": (),
    "staff_bank_import": ("token", "slug", "bank_format", "mini", "partial"),
    "staff_judging_cancel": ("left",),
    "staff_judging_pause": (),
    "staff_judging_resume": ("budget",),
    "staff_judging_retry": ("reason",),
    "staff_lock_confirm": ("seen", "confirmed", "again"),
    "staff_mails_retry": (),
    "staff_models_take": ("seen",),
    "staff_people_nudge": (),
    "staff_person_promote": ("back", "from_panel"),
    "staff_person_remind": ("back", "from_panel"),
    "staff_person_replace": ("back", "from_panel", "successor"),
    "staff_screening_filter": (),
    "staff_study_archive": ("archive",),
    "study_check": ("0", "1"),
    "study_practice": ("text", "go"),
    "study_profile": ("field", "level"),
    "session_start": (),
}
# It may be a key that was pasted in the place of its name.
NOT_SHOWN_AGAIN = {"key_variable"}
pytestmark = [
    pytest.mark.django_db, pytest.mark.timeout(600), pytest.mark.usefixtures("brief_refusals", "brief_rails"),
]  # fmt: skip


@pytest.fixture(scope="module")
def draft(world: World, now: datetime) -> Study:
    """A study that is being set up, on the bank of the others."""
    here = world.here.study
    return study_create(
        slug="draft", name="A draft", item_bank=here.item_bank, judge_protocol=None, now=now,
        settings=ProtocolSettings(), bank_version=here.bank_version,
        actor=User.objects.get(email="lead@example.org"),
    )  # fmt: skip


def pages(world: World, draft: Study) -> Iterator[tuple[Address, str]]:
    """Every address of ours, with what is there of it."""
    for one in addresses():
        if one.name.startswith(NOT_OURS) or one.route.startswith("api/"):
            continue
        yield one, one.path(world.here.ids)
        if one.names == {"slug"} and one.name.startswith("staff_"):
            kinds = STEP_FORMS if "<slug:page>" in one.route and "setup" in one.route else ("time",)
            for kind in kinds:
                yield one, one.path({**world.here.ids, "slug": draft.slug}).replace("/time/", f"/{kind}/")


def parameters() -> list[str]:
    """The names that views and forms look for in an address."""
    files = [
        path for path in ROOT.glob("*/**/*.py") if {"views", "forms"} & set(path.relative_to(ROOT).parts)
    ]
    own = [path for path in files if path.relative_to(ROOT).parts[0] not in {"tests", ".venv"}]
    return sorted({name for path in own for name in READ.findall(path.read_text())} | {"since", "until"})


class Looks:
    """Which addresses look for something behind their question mark."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen = False
        given: Any = vars(WSGIRequest)["GET"]

        def looked(request: WSGIRequest) -> QueryDict:
            self.seen = True
            if "GET" not in request.__dict__:
                request.__dict__["GET"] = given.func(request)
            found: QueryDict = request.__dict__["GET"]
            return found

        monkeypatch.setattr(WSGIRequest, "GET", property(looked))


@pytest.fixture(scope="module")
def looking() -> dict[str, bool]:
    """By path, whether its page looks: found out by the first item that asks."""
    return {}


@pytest.mark.parametrize("value", PARAMETERS, ids=lambda value: ascii(value[:12]))
def test_no_address_fails_on_what_is_asked_of_it(
    value: str, world: World, draft: Study, visitors: Visitors, looking: dict[str, bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A page that looks for nothing is asked once by each process: no value can make a difference to it."""
    names, looks = parameters(), Looks(monkeypatch)
    assert {"q", "page", "sort", "person", "session", "before"} <= set(names)
    asked = urlencode([(name, value) for name in (*names, "page")])
    failed = []
    for one, path in pages(world, draft):
        if looking.get(path, True):
            looks.seen = False
            status = visitors.ask("superuser", "GET", f"{path}?{asked}")
            if status != "400":  # refused before any page was asked
                looking[path] = looks.seen
            if status.startswith("5"):
                failed.append(f"{one.name}: {status}")
    # An address with a NUL is refused before anything looks.
    assert "\0" in value or sum(looking.values()) > 30
    assert failed == []


@pytest.mark.parametrize("end", ["%00", "9" * 5000, "%E2%80%AE", "%FF"])
def test_no_address_fails_on_its_own_end(end: str, world: World, draft: Study, visitors: Visitors) -> None:
    """Of those that end in what they name; any other end is no address."""
    failed = [
        f"{one.name}: {status}"
        for one, path in pages(world, draft)
        if re.search(r">/?$", one.route)
        and (status := visitors.ask("superuser", "GET", re.sub(r"[^/]+(/?)$", rf"{end}\1", path)))[0] == "5"
    ]
    assert failed == []


def forms_shown(world: World, draft: Study, visitors: Visitors) -> dict[tuple[str, ...], tuple[str, Form]]:
    """Every form that some page shows to somebody, by its address and its fields, and who it is shown to."""
    found: dict[tuple[str, ...], tuple[str, Form]] = {}
    for role in ("superuser", "participant", "applicant", "invited", "nobody"):
        for one, path in pages(world, draft):
            if role != "superuser" and one.name.startswith("staff_"):
                continue
            for address in {path, path + OPENED.get(one.name, "").format(**world.here.ids)}:
                response, content = visitors.reply(role, "GET", address)
                if response.status_code == 200 and "html" in response.headers.get("Content-Type", ""):
                    for form in forms_of(content.decode(), path):
                        found.setdefault((form.name, *sorted(form.kinds)), (role, form))
    return {key: shown for key, shown in found.items() if key[0] and not key[0].startswith(NOT_OURS)}


def unshown(world: World, shown: set[str], posted: set[str]) -> Iterator[tuple[str, Form]]:
    """The forms of UNSHOWN; those that take part in a study are sent by a participant."""
    for one in addresses():
        if one.name in UNSHOWN and one.name in posted - shown:
            form = Form(one.name, one.path(world.here.ids))
            form.kinds = dict.fromkeys(UNSHOWN[one.name], "hidden")
            yield ("superuser" if one.name.startswith("staff_") else "participant"), form


def posted_to(world: World, draft: Study, visitors: Visitors) -> set[str]:
    """The addresses that take a POST of somebody."""
    asked = [(role, one, path) for one, path in pages(world, draft) for role in ("superuser", "participant")]
    return {
        one.name for role, one, path in asked if visitors.ask(role, "POST", path) not in {"404", "405", "403"}
    }


def attempts(form: Form) -> Iterator[tuple[str, dict[str, Any]]]:
    """The form with nothing in it, with all of it spoilt, and with one field after the other."""
    files = [name for name, kind in form.kinds.items() if kind == "file"]
    fields = [name for name in form.kinds if name not in {*files, "csrfmiddlewaretoken"}]
    yield "nothing", {}
    yield "everything twice", form.values | {name: ["1", "2"] for name in fields}
    yield "files for texts", form.values | {name: upload("a.csv", b"a,b") for name in fields}
    yield "texts for files", form.values | dict.fromkeys(files, "a text")
    for value in TEXTS:
        yield f"everything {value[:20]!a}", form.values | dict.fromkeys(fields, value)
    # Each field is spoilt alone in one way, the next one in the next: all ways come up in a form of three.
    for name, value in zip(fields, cycle(ALONE)):
        yield f"{name}={value[:20]!a}", {**form.values, name: value}
    for name, file in ((name, file) for name in files for file in FILES):
        yield f"{name} {file!a}", {**form.values, name: upload(file, FILES[file])}


def is_kept(form: Form, name: str, value: str, page: str) -> bool:
    """Whether what was typed into the field is in it again."""
    again = [one for one in forms_of(page, form.path) if one.name == form.name and name in one.kinds]
    return any(typed(value) in map(typed, one.values[name]) for one in again)


def typed(value: str) -> str:
    return value.replace("\r\n", "\n").replace("\0", "").replace("\ufffd", "").strip()


@pytest.mark.timeout(1800)
def test_no_form_fails_on_what_is_written_into_it_and_none_forgets_it(
    world: World, draft: Study, visitors: Visitors
) -> None:
    shown = forms_shown(world, draft, visitors)
    names, posted = {key[0] for key in shown}, posted_to(world, draft, visitors)
    assert posted - names - set(UNSHOWN) == set(), "no page of this world shows a form of these: UNSHOWN"
    forms = [*shown.values(), *unshown(world, names, posted)]
    assert [fault for role, form in forms for fault in faults_of(role, form, visitors)] == []


def faults_of(role: str, form: Form, visitors: Visitors) -> Iterator[str]:
    """What goes wrong when this form is sent spoilt in every way."""
    for what, fields in attempts(form):
        response, content = visitors.send(role, form.path, fields)
        if response.status_code >= 500:
            yield f"{form.name} {what}: {response.status_code}"
        # Where all is spoilt, what a page goes by may be, too: kept is one wrong field beside right ones.
        if response.status_code in {409, 422} and what.startswith(tuple(f"{one}=" for one in form.kinds)):
            yield from (f"{form.name} {what}: {name} not kept" for name in forgotten(form, fields, content))


def forgotten(form: Form, fields: Mapping[str, Any], content: bytes) -> Iterator[str]:
    """The fields whose text is not on the page again."""
    for name, kind in form.kinds.items():
        value = fields.get(name)
        if kind not in TYPED or name in NOT_SHOWN_AGAIN or not isinstance(value, str):
            continue
        if not is_kept(form, name, value, content.decode()):
            yield name
