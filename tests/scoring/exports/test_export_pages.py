"""Exports on their page: made by a job, for an audience, taken by a link that ends; who may; what is kept."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from batches.models import Session
from batches.services.ending import session_withdraw
from jobs.models import Job, JobState
from jobs.services.working import jobs_work
from reporting.services.study_reports import checklist_answer
from scoring.coordinator import Scoring
from scoring.models import ExportContents, ExportFile, ExportTaking
from scoring.services.export_deleting import KEPT, file_path, files_expire
from scoring.services.export_files import LINK, ExportRefused, file_make, link_token
from studies.models import Participant, Study, StudyEvent, User
from studies.roles import Role
from studies.services.events import StudyEventKind
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add
from tests.support.computed_again import computed_again

pytestmark = pytest.mark.django_db(transaction=True)
OWN_WORDS = "41 because of my very own reasons"


@pytest.fixture
def study(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
) -> Study:
    """Two people's answers, judged and not measured."""
    study = make_study(slug="pilot", judge_kind="checks", top_size=1)
    for text in (OWN_WORDS, "1"):
        work(make_person(study), {"p001": text, "p002": "2"})
    score(study, measures=False)
    return study


@pytest.fixture
def made(study: Study, lead: User, now: datetime) -> ExportFile:
    """The row and the file of an export, as if it had been made."""
    file = ExportFile.objects.create(
        study=study, contents="internal", rows=3, size=4, sha256="0" * 64, made_by=lead, made_at=now
    )
    file_path(file).parent.mkdir(parents=True)
    file_path(file).write_bytes(b"rows")
    return file


def export(client: Client, contents: str) -> ExportFile:
    assert client.post("/staff/studies/pilot/exports/", {"contents": contents}).status_code == 302
    assert jobs_work(clock=timezone.now) == 1
    job = Job.objects.latest("created_at")
    assert (job.state, job.error) == (JobState.DONE, "")
    return ExportFile.objects.latest("made_at")


def link(file: ExportFile, token: str) -> str:
    return f"/staff/studies/pilot/exports/{file.pk}.zip?{urlencode({'link': token})}"


def archive(client: Client, file: ExportFile, user: User) -> zipfile.ZipFile:
    reply = client.get(link(file, link_token(file, user, now=timezone.now())))
    content = b"".join(reply.streaming_content)  # type: ignore[attr-defined]
    assert hashlib.sha256(content).hexdigest() == file.sha256
    assert reply["Content-Disposition"].startswith('attachment; filename="pilot-')
    return zipfile.ZipFile(io.BytesIO(content))


def test_the_public_export_holds_no_word_of_anybody_and_its_numbers_are_computed_again(
    staff: Client, study: Study, lead: User, tmp_path: Path
) -> None:
    public, internal = export(staff, "public"), export(staff, "internal")
    archive(staff, public, lead).extractall(tmp_path)
    archive(staff, internal, lead).extractall(tmp_path)
    told = {
        path.name
        for path in (tmp_path / "pilot-internal").iterdir()
        if OWN_WORDS in path.read_text("latin-1")
    }
    assert told >= {"answers.csv", "answers.jsonl"}
    folder = tmp_path / "pilot-public"
    assert not [path for path in folder.iterdir() if OWN_WORDS in path.read_text("latin-1")]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["audience"], manifest["omitted"]["texts"]) == ("public", True)
    code, said = computed_again(folder)
    assert (code, "Everything that could be computed agrees." in said) == (0, True), said
    assert "rests on the words of answers" in said
    assert public.rows == sum(file["rows"] or 0 for file in manifest["files"] if file["name"].endswith("csv"))
    kinds = ["export_made", "job_finished", "export_taken"]
    assert set(kinds) <= set(StudyEvent.objects.filter(study=study).values_list("kind", flat=True))
    assert list(ExportTaking.objects.values_list("taken_by__email", flat=True)) == ["lead@example.org"] * 2


def test_the_report_is_written_from_its_page_which_says_when_it_is_old(
    staff: Client, study: Study, lead: User, now: datetime
) -> None:
    page, later = reverse("staff_report", args=["pilot"]), now + timedelta(days=1)
    asked = {"contents": "report", "back": "report"}
    assert staff.post("/staff/studies/pilot/exports/", asked)["Location"] == page
    assert staff.get(page).context["job"].kind == "report"
    assert jobs_work(clock=lambda: later) == 1
    file = ExportFile.objects.get()
    assert archive(staff, file, lead).namelist() == ["pilot-report/report.html", "pilot-report/report.pdf"]
    shown = staff.get(page).context
    assert (shown["file"], shown["is_old"], shown["job"]) == (file, False, None)
    checklist_answer(study=study, item="0.1", text="A title.", actor=lead, now=later + timedelta(hours=1))
    assert staff.get(page).context["is_old"]


def test_the_page_lists_what_was_made_and_who_took_it_and_its_csv_has_the_same_rows(
    staff: Client, made: ExportFile, lead: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    b"".join(staff.get(link(made, link_token(made, lead, now=timezone.now()))).streaming_content)  # type: ignore[attr-defined]
    with django_assert_max_num_queries(15):
        page = staff.get("/staff/studies/pilot/exports/").content.decode()
    assert "0" * 64 in page
    assert page.count("lead@example.org") >= 2
    assert "Nobody has downloaded" not in page
    assert "Nothing here yet" in staff.get("/staff/studies/pilot/exports/?contents=public").content.decode()
    head, row = staff.get("/staff/studies/pilot/exports/?format=csv").content.decode("utf-8-sig").splitlines()
    assert head == "made_at,contents,made_by,rows,bytes,sha256,taken,deleted_at"
    assert row.endswith(f",internal,lead@example.org,3,4,{'0' * 64},1,")


def test_downloads_are_listed_sorted_filtered_and_a_file(
    staff: Client, made: ExportFile, lead: User, study: Study, now: datetime
) -> None:
    other = User.objects.create_user("another@example.org", is_staff=True)
    report = ExportFile.objects.create(
        study=study, contents="report", rows=0, size=4, sha256="1" * 64, made_by=lead, made_at=now
    )
    for number, (file, user) in enumerate(((made, lead), (report, other), (report, lead))):
        ExportTaking.objects.create(file=file, taken_by=user, taken_at=now + timedelta(hours=number))
    address = "/staff/studies/pilot/exports/?show=takings"
    page = staff.get(f"{address}&sort=taken_by").context["page"]
    assert [one.taken_by.email.split("@")[0] for one in page] == ["another", "lead", "lead"]
    shown = staff.get(f"{address}&contents=report&sort=-taken_at").context["page"]
    lines = (
        staff.get(f"{address}&contents=report&sort=-taken_at&format=csv")
        .content.decode("utf-8-sig")
        .splitlines()
    )
    assert lines[0] == "taken_at,taken_by,contents,made_at"
    assert [line.split(",")[:3] for line in lines[1:]] == [
        [one.taken_at.isoformat(), one.taken_by.email, "report"] for one in shown
    ]
    assert len(lines) == 3


def test_a_link_ends_and_serves_the_account_and_the_file_it_was_made_for(
    staff: Client, made: ExportFile, lead: User
) -> None:
    now = timezone.now()
    other = User.objects.create_superuser("other@example.org")
    another = ExportFile(pk=uuid4())
    refused = {
        "has expired": link_token(made, lead, now=now - LINK - timedelta(seconds=1)),
        "made for another account": link_token(made, other, now=now),
        "for another account": link_token(another, lead, now=now),
        "is not whole": link_token(made, lead, now=now)[:-2],
    }
    for sentence, token in refused.items():
        reply = staff.get(link(made, token), follow=True)
        assert reply.redirect_chain == [("/staff/studies/pilot/exports/", 302)]
        assert sentence in reply.content.decode()
    file_path(made).unlink()
    gone = staff.get(link(made, link_token(made, lead, now=now)), follow=True)
    assert "not on the server any more" in gone.content.decode()
    assert not ExportTaking.objects.exists()


@pytest.mark.parametrize(
    ("role", "status"), [(Role.COORDINATOR, 403), (Role.REVIEWER, 403), (Role.ANALYST, 200)]
)
def test_only_those_who_may_export_see_the_page_or_take_a_file(
    made: ExportFile, study: Study, now: datetime, role: Role, status: int
) -> None:
    user, _ = staff_add(email="member@example.org")
    role_give(study=study, user=user, role=role, now=now)
    client = Client()
    client.force_login(user)
    assert client.get("/staff/studies/pilot/exports/").status_code == status
    token = link_token(made, user, now=timezone.now())
    assert client.head(link(made, token)).status_code == status
    asked = client.post("/staff/studies/pilot/exports/", {"contents": "internal"})
    assert (asked.status_code, Job.objects.exists()) == ((302, True) if status == 200 else (403, False))
    assert not ExportTaking.objects.exists()


def test_an_analysts_export_recomputes_nothing_and_says_whom_to_ask(
    study: Study, staff: Client, now: datetime
) -> None:
    user, _ = staff_add(email="member@example.org")
    role_give(study=study, user=user, role=Role.ANALYST, now=now)
    client = Client()
    client.force_login(user)
    client.post("/staff/studies/pilot/exports/", {"contents": "public"})
    jobs_work(clock=timezone.now)
    job = Job.objects.get()
    assert (job.state, "Ask a lead of the study to recompute them" in job.error) == (JobState.FAILED, True)
    assert "ask a lead of the study to recompute them" in client.get("/staff/studies/pilot/exports/").text
    assert not StudyEvent.objects.filter(kind="results_recomputed").exists()
    export(staff, "public")
    assert StudyEvent.objects.filter(kind="results_recomputed").count() == 1
    assert export(client, "public").made_by == user
    assert StudyEvent.objects.filter(kind="results_recomputed").count() == 1


def test_a_choice_that_there_is_not_starts_nothing(staff: Client, study: Study) -> None:
    reply = staff.post("/staff/studies/pilot/exports/", {"contents": "=everything"}, follow=True)
    assert "choose what the file is to hold" in reply.content.decode()
    assert not Job.objects.exists()


def test_files_are_deleted_after_a_while(study: Study, made: ExportFile, now: datetime) -> None:
    assert files_expire(now=now + KEPT - timedelta(seconds=1)) == 0
    assert files_expire(now=now + KEPT) == 1
    made.refresh_from_db()
    assert (made.deleted_at, file_path(made).exists()) == (now + KEPT, False)
    assert [event.details["why"] for event in StudyEvent.objects.filter(kind="export_deleted")] == ["expired"]


def asked_for(client: Client, file: ExportFile, user: User) -> str:
    reply = client.get(link(file, link_token(file, user, now=timezone.now())), follow=True)
    return reply.content.decode()


def test_a_withdrawal_that_is_committed_blocks_every_file_and_deletes_it_and_its_row_says_why(
    staff: Client, study: Study, made: ExportFile, lead: User, now: datetime
) -> None:
    # The clock of who made it was ahead: what counts is what is committed.
    ExportFile.objects.update(made_at=timezone.now() + timedelta(hours=1), contents=ExportContents.REPORT)
    person = Participant.objects.earliest("pk")
    with suppress(KeyboardInterrupt), transaction.atomic():
        session_withdraw(participant=person, now=now)
        raise KeyboardInterrupt
    assert file_path(made).is_file()
    assert "Make it anew" not in staff.get("/staff/studies/pilot/exports/").content.decode()
    session_withdraw(participant=person, now=now)
    made.refresh_from_db()
    assert (made.deleted_at, file_path(made).exists()) == (now, False)
    assert "Somebody withdrew after this file was made" in asked_for(staff, made, lead)
    assert "Make it anew" in staff.get("/staff/studies/pilot/exports/").content.decode()
    export(staff, "report")
    assert ExportFile.objects.filter(departures=1, deleted_at=None).count() == 1
    assert staff.get("/staff/studies/pilot/exports/").content.decode().count("?link=") == 1


@pytest.mark.parametrize("left", [StudyEventKind.WITHDREW, StudyEventKind.DATA_DELETED])
def test_whoever_is_killed_between_the_commit_and_the_file_leaves_it_to_the_sweep_and_nobody_gets_it(
    left: StudyEventKind, staff: Client, study: Study, made: ExportFile, lead: User, now: datetime
) -> None:
    person = Participant.objects.earliest("pk")
    # As a kill leaves it: the event is committed, and nothing after it was done.
    StudyEvent.objects.bulk_create([StudyEvent(study=study, participant=person, kind=left, happened_at=now)])
    assert "Somebody withdrew after this file was made" in asked_for(staff, made, lead)
    assert (file_path(made).is_file(), ExportTaking.objects.count()) == (True, 0)
    assert (files_expire(now=now), file_path(made).exists()) == (1, False)
    event = StudyEvent.objects.get(kind="export_deleted")
    assert (event.details["why"], event.happened_at) == ("withdrawal", now)


def test_a_file_is_not_kept_where_somebody_withdraws_while_it_is_made(study: Study, now: datetime) -> None:
    def fill(folder: Path) -> int:
        folder.mkdir()
        session_withdraw(participant=Participant.objects.earliest("pk"), now=now)
        return 0

    with pytest.raises(ExportRefused, match="Make it once more"):
        file_make(
            study=study, contents=ExportContents.PUBLIC, actor=None, now=now, fill=fill,
            packing=lambda _done, _of: None,
        )  # fmt: skip
    file = ExportFile.objects.get()
    assert (file.deleted_at, file_path(file).exists()) == (now, False)
