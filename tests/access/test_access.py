"""Who may do what: every address, as every role, by every method, against the tables of this folder.

A line of a table is an address and methods that are answered alike; a cell is the status for a role. For
redirects: `in` leads to the sign-in page, `2f` to a second factor, `->` elsewhere. In table_own.txt the
addresses name the participant's own study and session, in table_others.txt one part of each belongs to
another study and its people. "-1f" is without a second factor; a "colleague" takes part in the same study,
who is "elsewhere" in the other. "staff" has no part in a study; lead, coordinator, reviewer, analyst have
that part in the participant's study and none in the other.

To see what has changed, or to add an address: CHIRON_WRITE_ACCESS_TABLE=1 with these tests writes the tables
as they are observed; then read the difference line by line before committing it.
"""

import logging
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings as django_settings
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django import Settings

from benchmarks.hashed_judge.running import judge_server
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import JudgeConfig
from studies.models import Participant, Study, User
from studies.services.banks import item_bank_import
from tests.access.world import World, cookies_of, place_of, prompts_with_files

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE")
ROLES = (
    "nobody", "stranger", "invited", "applicant", "participant", "colleague", "elsewhere", "withdrawn",
    "staff", "lead", "coordinator", "reviewer", "analyst", "staff-1f", "disabled", "superuser", "super-1f",
)  # fmt: skip
# What is not of the study team, but for files of prompts, cannot tell these from staff without a part.
TEAM = frozenset({"lead", "coordinator", "reviewer", "analyst"})
# Where an argument's name alone does not say which of a place's ids it is: by the address.
NUMBERS = {"invitation": "invitation", "announcement": "announcement", "judging": "run", "audit": "run"}
TOKENS = {"attachment": "attachment", "staff_credential": "credential", "invitation": "link"}
PLAIN = {
    "position": "1", "block": "cohort", "action": "extend", "name": "plan.png", "pk": "1", "url": "nothing",
    "app_label": "studies", "content_type_id": "1", "figure": "thetas", "extension": "html",
}  # fmt: skip
SPECIAL = {
    "staff_agreement_figure": {"figure": "differences"},
    "staff_measurement_figure": {"extension": "svg"},
}
NAMES_A_THING = set("slug code session_id token number sample agreement_id results_id".split())
# Bodies are empty, but for the JSON interface, which would refuse them before it looks who asks.
SAVE = b'{"text": "mine", "base_revision": 0, "tab": "a", "sequence": 1}'
BODIES = {
    "/answers/1": SAVE,
    "/practice/1": SAVE,
    "/flag": b'{"flagged": true}',
    "/preview": b'{"text": "a"}',
}
ARGUMENT = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)")
# All records stand behind one guard: one model's are asked by every role, those of the others by these.
AT_THE_GUARD = {"nobody", "staff", "superuser"}
RECORDS = re.compile(r"admin:(?:admin/)?(studies|batches|screening|judging|scoring)[_/]([a-z]+)(.*)")


@dataclass(frozen=True)
class Address:
    """`name` as the table has it, `route` as Django has it."""

    name: str
    route: str

    def path(self, ids: Mapping[str, Any]) -> str:
        def value(found: re.Match[str]) -> str:
            return str(self._value(found[1] or found[2], ids))

        return "/" + re.sub(r"[\^$]", "", ARGUMENT.sub(value, self.route))

    def _value(self, argument: str, ids: Mapping[str, Any]) -> object:
        if argument == "slug" and self.name.startswith("staff_judge") and "studies" not in self.route:
            return "alpha"
        if argument == "number":
            kind = next((one for one in NUMBERS if f"/{one}" in self.route), "")
            return ids[NUMBERS[kind]] if kind else 1
        if argument == "token":
            return ids[TOKENS[self.name]]
        if argument == "object_id":
            return first_record(self.name)
        return {**PLAIN, **SPECIAL.get(self.name, {}), **ids}[argument]

    @property
    def names(self) -> set[str]:
        """What of a study or a person the address names."""
        found = {one[1] or one[2] for one in ARGUMENT.finditer(self.route)}
        return found & NAMES_A_THING


def first_record(name: str) -> object:
    found = RECORDS.match(name)
    row = apps.get_model(found[1], found[2]).objects.order_by("pk").first() if found else None
    return row.pk if row else 1


def addresses() -> list[Address]:
    """Every address there is; one without a name of its own goes by its route."""

    def walk(patterns: list[Any], before: str, space: str) -> Iterator[Address]:
        for one in patterns:
            route = before + str(one.pattern)
            if isinstance(one, URLResolver):
                yield from walk(one.url_patterns, route, f"{one.namespace}:" if one.namespace else space)
            elif isinstance(one, URLPattern):
                yield Address(f"{space}{one.name or route}", route)

    return list(walk(get_resolver().url_patterns, "", ""))


@pytest.fixture(scope="module")
def world(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    make_judge: Callable[..., JudgeConfig],
    score_at: Callable[..., Any],
    tmp_path_factory: pytest.TempPathFactory,
    now: Any,
) -> World:
    folder = tmp_path_factory.mktemp("access")
    lead = User.objects.create_superuser("lead@example.org")
    items = tuple(ItemParameter(f"p{n}", a=1.0, b=0.0) for n in (1, 2))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
    with judge_server(log=folder / "a.log") as one, judge_server(log=folder / "b.log", judge="B") as other:
        judges = (make_judge(one.url, "alpha"), make_judge(other.url, "beta"))
        here, there = (
            place_of(
                make_study(
                    prompts=prompts_with_files(folder),
                    root=folder,
                    slug=slug,
                    batch_size=2,
                    item_bank=bank,
                    top_size=1,
                    replicates_per_profile=50,
                    practice_prompts=("Add 2 and 2.",),
                ),
                make_person,
                judges,
                score_at,
                lead,
            )
            for slug in ("here", "there")
        )
    made = World(here, there, Path(django_settings.MEDIA_ROOT))
    made.cookies = cookies_of(here, there, make_person)
    return made


class Visitors:
    """A browser for each role; what a request changes is taken back."""

    def __init__(self, cookies: Mapping[str, str]) -> None:
        self._cookies = cookies
        self._client = Client(raise_request_exception=False)
        # A session's first request is noted: here, once for all that are taken back.
        for cookie in self._cookies.values():
            self._client.cookies[django_settings.SESSION_COOKIE_NAME] = cookie
            self._client.get("/")

    def ask(self, role: str, method: str, path: str) -> str:
        self._client.cookies.clear()
        if role in self._cookies:
            self._client.cookies[django_settings.SESSION_COOKIE_NAME] = self._cookies[role]
        with transaction.atomic():
            response = self._client.generic(method, path, *content_for(path))
            if response.streaming:
                response.getvalue()  # read to its end, a file is closed
            transaction.set_rollback(True)
        return shown(response)


def content_for(path: str) -> tuple[bytes, str]:
    if path.startswith("/api/"):
        return next((body for end, body in BODIES.items() if path.endswith(end)), b""), "application/json"
    return b"", "application/x-www-form-urlencoded"


def shown(response: Any) -> str:
    where = str(response.headers.get("Location", ""))
    if response.status_code != 302:
        return str(response.status_code)
    if where.startswith(("/accounts/login/", "/admin/login/")):
        return "in"
    return "2f" if where.startswith("/accounts/2fa/") and "code" not in where else "->"


Row = tuple[str, ...]  # of ROLES


def table_lines(part: str, cells: Mapping[str, Mapping[str, Row]]) -> Iterator[str]:
    """`cells`: a row of roles by address and method. Methods that are answered alike share a line."""
    yield from (f"# {part}", " ".join([f"{'':58}", *(f"{role:>11}" for role in ROLES)]))
    for name, by_method in cells.items():
        alike: dict[Row, list[str]] = defaultdict(list)
        for method in METHODS:
            alike[by_method[method]].append(method)
        for row, methods in alike.items():
            named = f"{name} {','.join(methods)}"
            yield " ".join([f"{named:58}", *(f"{cell:>11}" for cell in row)]).rstrip()


def records_folded(cells: dict[str, dict[str, Row]]) -> dict[str, dict[str, Row]]:
    """The administrator's records as one entry for each kind of page, and those that differ from it."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for name in cells:
        if found := RECORDS.match(name):
            kinds[found[3]].append(name)
    for kind, names in kinds.items():
        usual, _ = Counter(tuple(sorted(cells[name].items())) for name in names).most_common(1)[0]
        cells[f"admin: all records {kind}"] = dict(usual)
        for name in names:
            if tuple(sorted(cells[name].items())) == usual:
                del cells[name]
    return cells


def observed(visitors: Visitors, asked: list[tuple[str, str]]) -> dict[str, dict[str, Row]]:
    """The answers by address, method and role; what is behind a known guard is not asked by everybody."""
    cells: dict[str, dict[str, Row]] = {}
    first: dict[str, str] = {}

    def row(name: str, method: str, path: str, known: Mapping[str, Row] | None) -> Row:
        told: dict[str, str] = {}
        for role in ROLES:
            if known and role not in AT_THE_GUARD:
                told[role] = known[method][ROLES.index(role)]
            elif role in TEAM and not name.startswith(("staff_", "attachment")):
                told[role] = told["staff"]
            else:
                told[role] = visitors.ask(role, method, path)
        return tuple(told.values())

    for name, path in asked:
        found = RECORDS.match(name)
        known = cells.get(first.setdefault(found[3], name)) if found else None
        # No view of the study team's tells a PUT from a DELETE.
        alike = METHODS[:-1] if name.startswith("staff_") else METHODS
        cells[name] = {method: row(name, method, path, known) for method in alike}
        cells[name].setdefault("DELETE", cells[name]["PUT"])
    return cells


@pytest.fixture
def second_factor(settings: Settings, staff_without_second_factor: None) -> None:
    settings.STAFF_SECOND_FACTOR = True


@pytest.fixture
def visitors(
    world: World, second_factor: None, db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Visitors:
    settings.MEDIA_ROOT = world.media
    # Each refusal would be logged, and pytest would keep each record with its whole request.
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    return Visitors(world.cookies)


@pytest.mark.timeout(2400)
def test_every_address_answers_every_role_as_the_table_says(world: World, visitors: Visitors) -> None:
    own = [(one.name, one.path(world.here.ids)) for one in addresses()]
    assert_answers("table_own.txt", table_lines("Own addresses", records_folded(observed(visitors, own))))


@pytest.mark.timeout(2400)
def test_what_belongs_to_others_is_answered_as_the_table_says(world: World, visitors: Visitors) -> None:
    foreign = observed(visitors, list(of_others(world)))
    assert_answers("table_others.txt", table_lines("What belongs to others", foreign))


def assert_answers(name: str, answers: Iterator[str]) -> None:
    """The lines of a table are those of the file `name`."""
    table, lines = Path(__file__).with_name(name), list(answers)
    if os.environ.get("CHIRON_WRITE_ACCESS_TABLE"):
        table.write_text("\n".join([*lines, ""]))
    assert not [line for line in lines if " 500" in line]
    assert lines == table.read_text().splitlines()


def of_others(world: World) -> Iterator[tuple[str, str]]:
    """Each argument of each address taken from the other study, the others from this one."""
    for one in addresses():
        for argument in sorted(one.names):
            mixed = {**world.here.ids, **stranger_ids(argument, world)}
            if (path := one.path(mixed)) != one.path(world.here.ids):
                yield f"{one.name} other {argument}", path


def stranger_ids(argument: str, world: World) -> dict[str, Any]:
    there = world.there.ids
    several = {
        "number": ("invitation", "announcement", "run"),
        "token": ("attachment", "credential", "link"),
    }.get(argument, (argument,))
    return {name: there[name] for name in several}
