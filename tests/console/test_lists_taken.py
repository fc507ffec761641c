"""Each list of a study that leaves as CSV is on record: who took it, under which filter, how many rows."""

import csv
from collections.abc import Callable, Mapping
from datetime import datetime
from io import StringIO

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Session
from judging.models import JudgingRun
from scoring.coordinator import Scoring
from scoring.models import ResultSet
from studies.models import Audience, Participant, Study, StudyEvent, User
from studies.services.people.invitations import invitation_create
from studies.services.people.messages import announcement_make, message_send
from tests.support.csv_readers import READERS, WORST, read_back

pytestmark = pytest.mark.django_db
FORMULAS = tuple("=+-@")
# The list of every page, with its query.
LISTS: Mapping[str, tuple[str, str]] = {
    "people": ("staff_participants_file", ""),
    "payments": ("staff_payments", ""),
    "invitations": ("staff_invitations", "format=csv"),
    "questions": ("staff_questions", "format=csv"),
    "question-sets": ("staff_questions_sets", "format=csv"),
    "live-finished": ("staff_live_table", "tab=finished"),
    "messages": ("staff_messages", "format=csv"),
    "announcements": ("staff_announcements", "format=csv"),
    "mails": ("staff_mails", "format=csv"),
    "team": ("staff_study_team", "format=csv"),
    "amendments": ("staff_amend", "format=csv"),
    "screening-waiting": ("staff_screening", "format=csv"),
    "exclusions": ("staff_screening_ledger_csv", ""),
    "judging-runs": ("staff_judging", "format=csv"),
    "audit-samples": ("staff_audits", "format=csv"),
    "exports": ("staff_exports", "format=csv"),
    "downloads": ("staff_exports", "format=csv&show=takings"),
    "history": ("staff_history_file", ""),
}


@pytest.fixture(scope="module")
def kept_study(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Study:
    """A judged study whose team writes nothing but the worst."""
    study = make_study(slug="pilot", judge_kind="checks", top_size=1, replicates_per_profile=9)
    people = [make_person(study) for _ in range(3)]
    for person in people:
        work(person, {"p001": "1", "p002": "2"})
    message_send(participant=people[0], text="=1", now=now)
    lead = User.objects.create_superuser("lists@example.org")
    for text in WORST:
        announcement_make(
            study=study, audience=Audience.EVERYBODY, text=f"!{text[:3000]}", batch_number=None,
            prompt_label="", actor=lead, now=now,
        )  # fmt: skip
    invitation_create(study=study, email="-a@example.org", profile="stem-phd", now=now, actor=lead)
    score_at(study, clock=lambda: now)
    return study


@pytest.fixture
def study(kept_study: Study, db: None) -> Study:
    return Study.objects.get(pk=kept_study.pk)


def addresses(study: Study) -> dict[str, str]:
    """Those of the lists, and of what judging and results have for their own."""
    run, results = JudgingRun.objects.get(study=study), ResultSet.objects.latest("pk")
    own = {name: f"{reverse(view, args=[study.slug])}?{query}" for name, (view, query) in LISTS.items()}
    of_run = reverse("staff_judging_run", args=[study.slug, run.pk])
    return own | {
        f"judging-run-{run.pk}-judges": f"{of_run}?format=csv",
        f"judging-run-{run.pk}-reasons": f"{of_run}?format=csv&table=reasons",
        f"verdicts-{run.pk}": reverse("staff_judging_verdicts", args=[study.slug, run.pk]) + "?format=csv",
        "missing-1": reverse("staff_measurement_table", args=[study.slug, results.pk, "missing", 1]),
    }


def rows_of(content: bytes) -> list[list[str]]:
    return list(csv.reader(StringIO(content.decode("utf-8-sig"), newline="")))


def test_every_list_leaves_one_event_with_its_name_and_rows(staff: Client, study: Study, lead: User) -> None:
    for name, address in addresses(study).items():
        before = StudyEvent.objects.latest("pk").pk
        staff.head(address)
        assert not StudyEvent.objects.filter(pk__gt=before).exists(), name
        reply = staff.get(address)
        assert reply.status_code == 200, name
        assert reply["Content-Disposition"] == f'attachment; filename="pilot-{name}.csv"'
        event = StudyEvent.objects.get(pk__gt=before)
        assert (event.actor, event.details["list"]) == (lead, name)
        assert event.details["number"] == len(rows_of(reply.content)) - 1


def test_history_says_who_took_which_list_under_which_filter(staff: Client, study: Study, lead: User) -> None:
    address = reverse("staff_questions", args=["pilot"])
    staff.get(address, {"format": "csv", "flag": "few_answers", "q": "somebody@example.org", "page": "2"})
    event = StudyEvent.objects.get(kind="list_taken")
    assert event.details == {"list": "questions", "filter": "flag=few_answers, q=…", "number": 0}
    page = staff.get(reverse("staff_history", args=["pilot"]), {"kind": "list_taken"}).content.decode()
    for text in ("list downloaded", "questions", "flag=few_answers, q=…", lead.email):
        assert text in page
    assert "somebody@" not in page


def test_who_may_not_see_a_list_leaves_no_event(client: Client, study: Study) -> None:
    client.force_login(User.objects.create_user("nobody@example.org", is_staff=True))
    assert client.get(addresses(study)["team"]).status_code == 404
    assert not StudyEvent.objects.filter(kind="list_taken").exists()


def test_no_cell_is_a_formula_in_whichever_way_a_program_parts_the_lines(staff: Client, study: Study) -> None:
    for name, address in addresses(study).items():
        content = staff.get(address).content
        assert content.startswith(b"\xef\xbb\xbf"), name
        for delimiter, around in ((",", " "), (";", ' "\t'), ("\t", ' "')):
            text = StringIO(content.decode("utf-8-sig"), newline="")
            cells = [cell.strip(around) for row in csv.reader(text, delimiter=delimiter) for cell in row]
            numbers = [cell for cell in cells if cell.replace(".", "").removeprefix("-").isdecimal()]
            assert not [cell for cell in cells if cell.startswith(FORMULAS) and cell not in numbers], name


@pytest.mark.parametrize("reader", READERS)
def test_every_list_is_read_back_whole(staff: Client, study: Study, tmp_path, reader: str) -> None:  # type: ignore[no-untyped-def]
    for name, address in addresses(study).items():
        path = tmp_path / "list.csv"
        path.write_bytes(staff.get(address).content)
        head, *lines = rows_of(path.read_bytes())
        read = read_back(reader, "rows", path)
        assert [["" if row[one] is None else str(row[one]) for one in head] for row in read] == lines, name


def test_a_long_list_is_sent_from_a_file(
    staff: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = staff.get(addresses(study)["announcements"]).content
    monkeypatch.setattr("studies.views.csv_files.IN_MEMORY", 100)
    reply = staff.get(addresses(study)["announcements"])
    assert reply.streaming
    assert reply.getvalue() == whole
    assert reply["Content-Disposition"] == 'attachment; filename="pilot-announcements.csv"'
