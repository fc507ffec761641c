"""A list that is too long for a request: a job writes it, and whoever asked for it takes it."""

import os
import shutil
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.conf import settings as site_settings
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from formats.cells import sheet_line
from jobs.models import Job, JobState
from jobs.services.lists import KEPT, list_folder, lists_expire
from jobs.services.starting import job_cancel
from jobs.services.working import jobs_work
from studies.models import Participant, Study, StudyEvent, StudyRole, User
from studies.roles import Role
from studies.services.events import StudyEventKind, event_record
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add
from studies.views import csv_files
from tests.studies.second_factor.second_factors import SECRET, app_code, signed_in

pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE = 7


@pytest.fixture
def people(study: Study, make_person: Callable[..., Participant]) -> list[Participant]:
    return [make_person(study) for _ in range(PEOPLE)]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    return lambda rows: monkeypatch.setattr(csv_files, "ROWS_AT_ONCE", rows)


def work() -> None:
    jobs_work(clock=timezone.now)


def asked(client: Client, address: str) -> Job:
    """The job to which the address leads."""
    response = client.get(address)
    assert response.status_code == 302, response.content
    return Job.objects.get(pk=response["Location"].strip("/").rpartition("/")[2])


def whole(client: Client, address: str) -> bytes:
    response = client.get(address)
    assert response.status_code == 200
    return bytes(response.getvalue())


def lists_taken() -> list[tuple[str, object]]:
    taken = StudyEvent.objects.filter(kind__in=("people_listed", "payments_listed", "list_taken"))
    return [(event.kind, event.details["number"]) for event in taken.order_by("pk")]


def a_lead(study: Study, name: str, now: datetime) -> Client:
    user, _ = staff_add(email=f"{name}@example.org")
    role_give(study=study, user=user, role=Role.LEAD, now=now)
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize(
    ("name", "kind"),
    [("people.csv?sort=-person", "people_listed"), ("payments.csv", "payments_listed"),
     ("history.csv", "list_taken")],
)  # fmt: skip
def test_a_long_list_is_the_same_file_whoever_writes_it(
    name: str, kind: str, staff: Client, study: Study, people: list[Participant],
    at_once: Callable[[int], None],
) -> None:  # fmt: skip
    address = f"/staff/studies/{study.slug}/{name}"
    whole = staff.get(address)
    at_once(PEOPLE - 1)
    StudyEvent.objects.filter(kind=kind).delete()
    job = asked(staff, address)
    assert lists_taken() == []
    work()
    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.DONE, "")
    file = f"/staff/jobs/{job.pk}/list.csv"
    assert file in staff.get(f"/staff/jobs/{job.pk}/").content.decode()
    taken = staff.get(file)
    content = taken.getvalue()
    if kind != "list_taken":  # of the trail itself, which has grown
        assert content == whole.getvalue()
        assert lists_taken() == [(kind, PEOPLE)]
    assert taken["Content-Disposition"] == whole["Content-Disposition"]
    assert StudyEvent.objects.filter(kind=kind).count() == 1
    assert staff.head(file).status_code == 200
    assert StudyEvent.objects.filter(kind=kind).count() == 1


def test_only_who_asked_for_a_list_sees_its_job_and_takes_it(
    staff: Client, study: Study, people: list[Participant], at_once: Callable[[int], None], now: datetime
) -> None:
    at_once(2)
    address = f"/staff/studies/{study.slug}/people.csv"
    other = a_lead(study, "other", now)
    job = asked(staff, address)
    assert asked(staff, address) == job  # pressed twice
    theirs = asked(other, address)
    assert theirs != job
    work()
    for more in ("", "state/", "list.csv"):
        assert other.get(f"/staff/jobs/{job.pk}/{more}").status_code == 404
        assert whole(staff, f"/staff/jobs/{job.pk}/{more}")
    StudyRole.objects.filter(user__email="other@example.org").update(role=Role.REVIEWER)
    refused = other.get(f"/staff/jobs/{theirs.pk}/list.csv", follow=True).content.decode()
    assert "Your part in the study has changed since." in refused


def test_who_may_no_longer_take_a_list_gets_none_written(
    study: Study, people: list[Participant], at_once: Callable[[int], None], now: datetime
) -> None:
    at_once(2)
    job = asked(a_lead(study, "other", now), f"/staff/studies/{study.slug}/people.csv")
    StudyRole.objects.filter(user__email="other@example.org").update(role=Role.REVIEWER)
    work()
    job.refresh_from_db()
    assert (job.state, job.error[:27]) == (JobState.FAILED, "Your part in the study has ")


def test_a_list_is_gone_after_an_hour_and_one_that_was_called_off_is_never_there(
    staff: Client, study: Study, people: list[Participant], at_once: Callable[[int], None], lead: User
) -> None:
    at_once(2)
    job = asked(staff, f"/staff/studies/{study.slug}/people.csv")
    folder = list_folder(job.arguments["token"])
    assert (oct(folder.stat().st_mode)[-3:], folder.is_relative_to(site_settings.DATA_DIR)) == ("700", True)
    grow_old(folder)
    lists_expire(now=timezone.now())  # a job is to write it
    work()
    assert whole(staff, f"/staff/jobs/{job.pk}/list.csv")
    lists_expire(now=timezone.now())
    assert whole(staff, f"/staff/jobs/{job.pk}/list.csv")
    grow_old(folder)
    lists_expire(now=timezone.now())
    assert not folder.exists()
    gone = staff.get(f"/staff/jobs/{job.pk}/list.csv", follow=True).content.decode()
    assert "it is kept for an hour. Ask for it again." in gone
    again = asked(staff, f"/staff/studies/{study.slug}/people.csv")
    job_cancel(job=again, actor=lead, now=timezone.now())
    work()
    refused = staff.get(f"/staff/jobs/{again.pk}/list.csv", follow=True)
    assert refused.redirect_chain


def grow_old(folder: Path) -> None:
    then = timezone.now().timestamp() - KEPT.total_seconds() - 60
    for path in (folder, *folder.iterdir()):
        os.utime(path, (then, then))


def test_a_list_is_begun_again_after_its_worker_was_killed(
    staff: Client, study: Study, people: list[Participant], at_once: Callable[[int], None]
) -> None:
    at_once(2)
    job = asked(staff, f"/staff/studies/{study.slug}/people.csv")
    (list_folder(job.arguments["token"]) / "list.csv").write_text("half of it")
    assert staff.get(f"/staff/jobs/{job.pk}/list.csv", follow=True).redirect_chain  # nothing half is taken
    work()
    assert staff.get(f"/staff/jobs/{job.pk}/list.csv").getvalue().count(b"\r\n") == PEOPLE + 1


def test_a_second_factor_is_proved_to_ask_for_a_list_and_again_to_take_it_late(
    client: Client, study: Study, people: list[Participant], at_once: Callable[[int], None], lead: User,
    settings: Settings,
) -> None:  # fmt: skip
    settings.STAFF_SECOND_FACTOR = True
    at_once(2)
    TOTP.activate(lead, SECRET)
    signed_in(client, lead)
    client.post("/accounts/2fa/authenticate/", {"code": app_code(SECRET)})
    job = asked(client, f"/staff/studies/{study.slug}/people.csv")
    work()
    file = f"/staff/jobs/{job.pk}/list.csv"
    assert whole(client, file).count(b"\r\n") == PEOPLE + 1
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] -= 24 * 60 * 60
    session.save()
    assert "reauthenticate" in client.get(file)["Location"]


def test_an_archived_study_starts_no_job_and_gives_its_lists_at_once(
    staff: Client, study: Study, people: list[Participant], at_once: Callable[[int], None]
) -> None:
    at_once(2)
    Study.objects.filter(pk=study.pk).update(archived_at=timezone.now())
    assert staff.get(f"/staff/studies/{study.slug}/people.csv").status_code == 200
    assert not Job.objects.exists()


def leave(study: Study, kind: StudyEventKind, now: datetime) -> None:
    event_record(study, kind, now, participant=Participant.objects.earliest("pk"))


@pytest.mark.parametrize("kind", [StudyEventKind.WITHDREW, StudyEventKind.DATA_DELETED])
def test_a_list_is_deleted_and_handed_out_no_more_once_somebody_has_left(
    kind: StudyEventKind, staff: Client, study: Study, people: list[Participant],
    at_once: Callable[[int], None], now: datetime,
) -> None:  # fmt: skip
    at_once(2)
    address = f"/staff/studies/{study.slug}/people.csv"
    early, late = asked(staff, address), asked(staff, f"{address}?sort=-person")
    work()
    leave(study, kind, now)
    assert not list_folder(early.arguments["token"]).exists()
    said = staff.get(f"/staff/jobs/{late.pk}/list.csv", follow=True).content.decode()
    assert "Somebody withdrew after this list was made" in said
    assert lists_taken() == []
    again = asked(staff, address)
    leave(study, kind, now)  # before a worker begins: nobody is in it who has left
    work()
    assert whole(staff, f"/staff/jobs/{again.pk}/list.csv")


def test_whoever_is_killed_before_the_list_is_deleted_leaves_it_to_the_sweep(
    staff: Client, study: Study, people: list[Participant], at_once: Callable[[int], None], now: datetime
) -> None:
    at_once(2)
    address = f"/staff/studies/{study.slug}/people.csv"
    first, second = asked(staff, address), asked(staff, f"{address}?sort=-person")
    work()
    left = StudyEventKind.WITHDREW
    StudyEvent.objects.bulk_create([StudyEvent(study=study, kind=left, happened_at=now)])
    assert list_folder(first.arguments["token"]).exists()
    refused = staff.get(f"/staff/jobs/{first.pk}/list.csv", follow=True).content.decode()
    assert "Somebody withdrew after this list was made" in refused
    assert not list_folder(first.arguments["token"]).exists()
    lists_expire(now=timezone.now())
    assert not list_folder(second.arguments["token"]).exists()


def test_a_list_during_which_somebody_leaves_is_not_kept(
    staff: Client, study: Study, people: list[Participant], at_once: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch, now: datetime,
) -> None:  # fmt: skip
    at_once(2)
    job = asked(staff, f"/staff/studies/{study.slug}/people.csv")
    lines = sheet_line

    def left_meanwhile(row: Sequence[str]) -> str:
        leave(study, StudyEventKind.WITHDREW, now)
        return lines(row)

    monkeypatch.setattr(csv_files, "sheet_line", left_meanwhile)
    work()
    job.refresh_from_db()
    assert (job.state, job.error[:24]) == (JobState.FAILED, "Somebody withdrew while ")
    assert not list_folder(job.arguments["token"]).exists()


def test_a_list_that_is_called_off_leaves_nothing(
    staff: Client, study: Study, people: list[Participant], at_once: Callable[[int], None], lead: User
) -> None:
    at_once(2)
    job = asked(staff, f"/staff/studies/{study.slug}/people.csv")
    assert list_folder(job.arguments["token"]).is_dir()
    job_cancel(job=job, actor=lead, now=timezone.now())
    assert not list_folder(job.arguments["token"]).exists()


def test_the_same_list_asked_for_later_has_a_file_of_its_own(
    staff: Client, study: Study, people: list[Participant], at_once: Callable[[int], None]
) -> None:
    at_once(2)
    address = f"/staff/studies/{study.slug}/people.csv"
    first = asked(staff, address)
    work()
    second = asked(staff, address)
    assert whole(staff, f"/staff/jobs/{first.pk}/list.csv").count(b"\r\n") == PEOPLE + 1
    assert staff.get(f"/staff/jobs/{second.pk}/list.csv", follow=True).redirect_chain
    work()
    assert whole(staff, f"/staff/jobs/{second.pk}/list.csv").count(b"\r\n") == PEOPLE + 1


def test_half_a_file_of_another_start_is_in_nobodys_way(
    staff: Client, study: Study, people: list[Participant], at_once: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    at_once(2)
    job = asked(staff, f"/staff/studies/{study.slug}/people.csv")
    lines = sheet_line

    def other_writes(row: Sequence[str]) -> str:
        (list_folder(job.arguments["token"]) / "list.csv").write_text("half of it")
        return lines(row)

    monkeypatch.setattr(csv_files, "sheet_line", other_writes)
    work()
    assert whole(staff, f"/staff/jobs/{job.pk}/list.csv").count(b"\r\n") == PEOPLE + 1


def test_what_cannot_be_deleted_keeps_no_other_list(monkeypatch: pytest.MonkeyPatch) -> None:
    stray = list_folder("a-plain-file")
    stray.parent.mkdir(parents=True)
    stray.write_text("not ours")
    folders = [list_folder(name) for name in ("first", "locked", "second")]
    for folder in folders:
        folder.mkdir()
        grow_old(folder)
    remove = shutil.rmtree

    def locked(path: Path) -> None:
        if path.name == "locked":
            raise PermissionError(13, "Permission denied")
        remove(path)

    monkeypatch.setattr(shutil, "rmtree", locked)
    lists_expire(now=timezone.now())
    assert [folder.exists() for folder in (stray, *folders)] == [True, False, True, False]
