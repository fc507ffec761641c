"""Whatever is sent to whichever address, nobody gets an error of the program, and what was typed stays.

Addresses and forms are found, not listed: a page that takes something new is tried without a word here. A
form that no page of this world shows is named in `UNSHOWN` with what is to be sent.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings as django_settings
from pytest_django import Settings

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
    "staff_bank_import": ("token", "slug", "bank_format", "mini", "partial"),
    "staff_judging_cancel": ("left",),
    "staff_judging_pause": (),
    "staff_judging_resume": ("budget",),
    "staff_judging_retry": ("reason",),
    "staff_lock_confirm": ("seen", "without_item_bank"),
    "staff_mails_retry": (),
    "staff_person_promote": ("back", "from_panel"),
    "staff_person_remind": ("back", "from_panel"),
    "staff_person_replace": ("back", "from_panel", "successor"),
    "staff_screening_filter": (),
    "study_check": ("0", "1"),
    "study_practice": ("text", "go"),
    "study_profile": ("field", "level"),
    "session_start": (),
}
# It may be a key that was pasted in the place of its name.
NOT_SHOWN_AGAIN = {"key_variable"}
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(2400)]


@pytest.fixture(scope="module")
def draft(world: World, now: datetime) -> Study:
    """A study that is being set up, on the bank of the others."""
    here = world.here.study
    return study_create(
        slug="draft", name="A draft", item_bank=here.item_bank, judge_protocol=None, now=now,
        settings=ProtocolSettings(), bank_version=here.bank_version,
        actor=User.objects.get(email="lead@example.org"),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def uploads_of_one_test(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


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


@pytest.mark.parametrize("value", PARAMETERS, ids=lambda value: ascii(value[:12]))
def test_no_address_fails_on_what_is_asked_of_it(
    value: str, world: World, draft: Study, visitors: Visitors
) -> None:
    names = parameters()
    assert {"q", "page", "sort", "person", "session", "before"} <= set(names)
    asked = urlencode([(name, value) for name in (*names, "page")])
    failed = [
        f"{one.name}: {status}"
        for one, path in pages(world, draft)
        if (status := visitors.ask("superuser", "GET", f"{path}?{asked}")).startswith("5")
    ]
    assert failed == []


@pytest.mark.parametrize("end", ["%00", "9" * 5000, "%E2%80%AE", "%FF"])
def test_no_address_fails_on_its_own_end(end: str, world: World, draft: Study, visitors: Visitors) -> None:
    failed = [
        f"{one.name}: {status}"
        for one, path in pages(world, draft)
        if (status := visitors.ask("superuser", "GET", re.sub(r"[^/]+(/?)$", rf"{end}\1", path)))[0] == "5"
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
    for name, value in ((name, value) for name in fields for value in ALONE):
        yield f"{name}={value[:20]!a}", {**form.values, name: value}
    for name, file in ((name, file) for name in files for file in FILES):
        yield f"{name} {file!a}", {**form.values, name: upload(file, FILES[file])}


def is_kept(form: Form, name: str, value: str, page: str) -> bool:
    """Whether what was typed into the field is in it again."""
    again = [one for one in forms_of(page, form.path) if one.name == form.name and name in one.kinds]
    return any(typed(value) in map(typed, one.values[name]) for one in again)


def typed(value: str) -> str:
    return value.replace("\r\n", "\n").replace("\0", "").replace("\ufffd", "").strip()


def test_no_form_fails_on_what_is_written_into_it_and_none_forgets_it(
    world: World, draft: Study, visitors: Visitors
) -> None:
    found = forms_shown(world, draft, visitors)
    names, posted = {key[0] for key in found}, posted_to(world, draft, visitors)
    forms = [*found.values(), *unshown(world, names, posted)]
    assert posted - names - set(UNSHOWN) == set(), "no page of this world shows a form of these: UNSHOWN"
    wrong = []
    for role, form in forms:
        for what, fields in attempts(form):
            response, content = visitors.send(role, form.path, fields)
            if response.status_code >= 500:
                wrong.append(f"{form.name} {what}: {response.status_code}")
            # Where all is spoilt, what a page goes by may be, too: kept is one wrong field beside right ones.
            if response.status_code not in {409, 422} or not what.startswith(
                tuple(f"{one}=" for one in form.kinds)
            ):
                continue
            wrong += [
                f"{form.name} {what}: not kept"
                for name, kind in form.kinds.items()
                if kind in TYPED
                and name not in NOT_SHOWN_AGAIN
                and isinstance(value := fields.get(name), str)
                and not is_kept(form, name, value, content.decode())
            ]
    assert wrong == []
