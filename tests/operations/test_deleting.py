"""Deleting drafts, simulated studies and what no study uses; archiving what is over."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client

from batches.models import Answer, Batch, Session
from jobs.models import Job, JobState
from jobs.services.lists import list_folders, list_start
from judging.models import AnswerScore, JudgeConfig
from operations.services.deleting import site_row_delete
from scoring.coordinator import Scoring
from scoring.models import ExportFile, ResultSet
from scoring.services.export_deleting import file_path
from studies.models import BankVersion, Participant, SiteEvent, Study, StudyEvent, User
from studies.roles import Role
from studies.services.clock import server_now
from studies.services.people.invitations import invitation_create
from studies.services.people.messages import message_send
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add
from studies.services.studies import study_close
from tests.studies.invitations.invitations import token_mailed
from tests.studies.lifecycle.drafts import draft

pytestmark = pytest.mark.django_db(transaction=True)
MakeStudy = Callable[..., Study]


def delete(client: Client, kind: str, number: int, typed: str = "") -> str:
    address = f"/staff/delete/{kind}/{number}/"
    assert client.get(address).status_code == 200
    return client.post(address, {"typed": typed}, follow=True).content.decode()


def test_a_simulated_study_goes_with_every_row_and_file_of_it_and_no_row_of_another(
    staff: Client,
    lead: User,
    make_study: MakeStudy,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    now: datetime,
) -> None:
    kept, gone = (make_study(slug=slug, judge_kind="checks", top_size=1) for slug in ("kept", "gone"))
    for study in (kept, gone):
        for text in ("1", "2"):
            work(make_person(study), {"p001": text})
        score(study, measures=False)
    Study.objects.filter(slug="gone").update(is_simulated=True)
    file = ExportFile.objects.create(
        study=gone, contents="public", rows=1, size=1, sha256="0" * 64, made_at=now
    )
    file_path(file).parent.mkdir(parents=True)
    file_path(file).write_bytes(b"rows")
    list_start(path="/staff/studies/gone/people.csv", study=gone, actor=lead, now=now)
    [listed] = list_folders(gone)
    Job.objects.update(state=JobState.DONE, finished_at=now)
    assert listed.is_dir()
    before = {table: table._base_manager.count() for table in apps.get_models()}
    assert "Write the name of the study as it stands above" in delete(staff, "study", gone.pk, "another")
    assert before == {table: table._base_manager.count() for table in apps.get_models()}
    page = staff.get(f"/staff/delete/study/{gone.pk}/").content.decode()
    assert "Write its name to delete it: The study gone" in page
    assert "It is deleted." in delete(staff, "study", gone.pk, "The study gone")
    connection.check_constraints()
    event = SiteEvent.objects.get()
    assert (event.kind, event.about, event.actor) == ("study_deleted", "The study gone (gone)", lead)
    assert not file_path(file).parent.exists()
    assert not listed.exists()
    assert [study.slug for study in Study.objects.all()] == ["kept"]
    # Of every table half went or nothing, as both studies were made alike.
    for table in (Participant, Session, Answer, AnswerScore, ResultSet, Batch):
        assert (table, table._base_manager.count() * 2) == (table, before[table])
    assert User.objects.filter(is_staff=False).count() == 2
    assert staff.get("/staff/studies/kept/").status_code == 200
    assert "study deleted" in staff.get("/staff/history/").content.decode()


def test_a_draft_goes_and_a_locked_study_of_real_people_stays(
    staff: Client, make_study: MakeStudy, now: datetime
) -> None:
    study = draft(now)
    assert "It is deleted." in delete(staff, "study", study.pk)
    study = draft(now)
    invitation_create(study=study, email="new@example.org", profile="stem-phd", now=now)
    assert "Write the name of the study" in delete(staff, "study", study.pk)
    assert "It is deleted." in delete(staff, "study", study.pk, study.name)
    locked = make_study(slug="locked")
    assert "so it stays. Close it, then archive it." in delete(staff, "study", locked.pk, locked.name)
    assert [one.slug for one in Study.objects.all()] == ["locked"]


def test_who_accepts_while_the_study_is_deleted_gets_a_sentence(
    client: Client, lead: User, now: datetime
) -> None:
    study = draft(now)
    role_give(study=study, user=lead, role=Role.LEAD, now=now)
    invitation = invitation_create(study=study, email="new@example.org", profile="stem-phd", now=server_now())
    token = token_mailed(invitation, server_now())
    deleted = False

    def deleted_first(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        nonlocal deleted
        if not deleted and sql.startswith('SELECT "studies_study"'):
            deleted = True
            site_row_delete(row=study, typed=study.name, actor=lead, now=now)
        return execute(sql, *rest)

    with connection.execute_wrapper(deleted_first):
        reply = client.post(f"/invitations/{token}/")
    assert (reply.status_code, deleted) == (410, True)
    assert "This study was deleted meanwhile." in reply.text


def test_a_bank_is_deleted_once_no_study_uses_it_and_named_studies_keep_it(
    staff: Client, make_study: MakeStudy, now: datetime
) -> None:
    make_study(slug="locked")
    version = BankVersion.objects.get()
    page = staff.get(f"/staff/delete/bank/{version.pk}/").content.decode()
    assert ("Studies rest on it, so it stays." in page, "The study locked" in page) == (True, True)
    assert "Studies rest on it" in delete(staff, "bank", version.pk)
    Study.objects.update(is_simulated=True)
    delete(staff, "study", Study.objects.get().pk)
    assert "It is deleted." in delete(staff, "bank", version.pk)
    assert not BankVersion.objects.exists()
    judge = JudgeConfig.objects.create(
        slug="unused", base_url="http://127.0.0.1:9/v1", model="m", created_at=now
    )
    # A plan names its judge: whoever took the name later would be sent its answers.
    planned = draft(now)
    Study.objects.update(settings={**planned.settings, "planned_judge": "unused"})
    assert "Studies rest on it" in delete(staff, "judge", judge.pk)
    Study.objects.update(settings=planned.settings)
    assert "It is deleted." in delete(staff, "judge", judge.pk)
    kinds = list(SiteEvent.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds == ["study_deleted", "bank_deleted", "judge_deleted"]


def test_who_may_delete_what(make_study: MakeStudy, staff: Client, now: datetime) -> None:
    study = draft(now)
    member, _ = staff_add(email="member@example.org")
    client = Client()
    client.force_login(member)
    assert client.get(f"/staff/delete/study/{study.pk}/").status_code == 404
    role_give(study=study, user=member, role=Role.ANALYST, now=now)
    assert client.post(f"/staff/delete/study/{study.pk}/").status_code == 403
    assert client.post(f"/staff/delete/bank/{study.bank_version_id}/").status_code == 403
    role_give(study=study, user=member, role=Role.LEAD, now=now)
    assert "It is deleted." in delete(client, "study", study.pk)
    assert client.get("/staff/history/").status_code == 403


def test_an_archived_study_is_read_and_changed_no_more_until_it_is_brought_back(
    staff: Client, make_study: MakeStudy, make_person: Callable[..., Participant], now: datetime
) -> None:
    study = make_study(slug="pilot")
    person = make_person(study)
    message_send(participant=person, text="Am I done?", now=now)
    archive = "/staff/studies/pilot/archive/"
    assert "Only a closed study is archived." in staff.post(archive, {"archive": "on"}, follow=True).text
    study_close(study=study, now=now)
    assert "The study is archived" in staff.post(archive, {"archive": "on"}, follow=True).text
    assert "The study pilot" not in staff.get("/staff/?show=finished").text.split("<main")[1]
    shown = staff.get("/staff/?show=archived").text
    assert "The study pilot" in shown
    assert "message" not in shown.split("<main")[1]  # nobody could answer it
    before = StudyEvent.objects.count()
    said = staff.post(
        f"/staff/studies/pilot/participants/{person.code}/message/", {"text": "Hello"}, follow=True
    )
    said = staff.post("/staff/studies/pilot/mails/receipt/switch/", {"send": "off"}, follow=True)
    assert "The study is archived, so nothing in it changes." in said.text
    assert StudyEvent.objects.count() == before
    assert staff.get("/staff/studies/pilot/history/").status_code == 200
    # Whoever took part can still leave.
    client = Client()
    client.force_login(person.user)
    client.post("/studies/pilot/withdraw/", {"confirm": "on"})
    assert "back among the others" in staff.post(archive, {"archive": "off"}, follow=True).text
    assert "1 message" in staff.get("/staff/?show=finished").text.split("<main")[1]
    kinds = StudyEvent.objects.filter(kind__in=("study_archived", "study_brought_back"))
    assert [one.kind for one in kinds] == ["study_archived", "study_brought_back"]
