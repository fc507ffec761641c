"""The page of a job and its renewal: who sees it, 304 while nothing moved, cancel, how it ended."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from jobs.models import Job, JobState
from jobs.registry import kinds
from jobs.services.claims import LEASE
from jobs.services.starting import job_cancel, job_start
from jobs.services.working import jobs_work
from studies.models import Study, User
from studies.roles import Role
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add
from tests.jobs.conftest import Counting

pytestmark = pytest.mark.django_db(transaction=True)
MOST_QUERIES = 15


@pytest.fixture
def job(counting: Counting, study: Study, lead: User) -> Job:
    return job_start(kind="count", study=study, actor=lead, now=timezone.now())


def address(job: Job, more: str = "") -> str:
    return f"/staff/jobs/{job.pk}/{more}"


def browser(study: Study, role: Role | None, now: datetime) -> Client:
    user, _ = staff_add(email=f"{role or 'nobody'}@example.org")
    if role:
        role_give(study=study, user=user, role=role, now=now)
    client = Client()
    client.force_login(user)
    return client


def test_a_page_follows_a_job_and_is_told_304_while_nothing_moved(staff: Client, job: Job) -> None:
    page = staff.get(address(job)).content.decode()
    assert address(job, "state/") in page
    assert "Waiting" in page
    first = staff.get(address(job, "state/"))
    assert (first.json()["state"], first.json()["percent"]) == ("waiting", None)
    again = staff.get(address(job, "state/"), headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    started = timezone.now() - timedelta(seconds=10)
    Job.objects.filter(pk=job.pk).update(
        state=JobState.RUNNING, lease=uuid4(), leased_until=timezone.now() + LEASE, done=1, total=4,
        started_at=started, moved_at=started + timedelta(seconds=10),
    )  # fmt: skip
    moved = staff.get(address(job, "state/"), headers={"if-none-match": first["ETag"]})
    assert moved.status_code == 200
    assert (moved.json()["percent"], moved.json()["left"]) == (25, "about 30 s left")


def test_a_job_whose_worker_is_gone_says_that_nobody_works_on_it(
    staff: Client, job: Job, now: datetime
) -> None:
    started = timezone.now() - timedelta(minutes=5)
    Job.objects.filter(pk=job.pk).update(
        state=JobState.RUNNING, lease=uuid4(), leased_until=timezone.now() + LEASE, done=1, total=4,
        started_at=started, moved_at=started + timedelta(seconds=10),
    )  # fmt: skip
    alive = staff.get(address(job, "state/")).json()
    assert (alive["nobody_works"], alive["left"]) == (False, "about 30 s left")
    Job.objects.update(leased_until=timezone.now())
    gone = staff.get(address(job, "state/")).json()
    assert (gone["nobody_works"], gone["left"], gone["is_open"]) == (True, "", True)


def test_a_job_ends_with_a_link_and_one_that_failed_says_what_to_do(
    counting: Counting, staff: Client, job: Job, study: Study, now: datetime
) -> None:
    counting.release.set()
    jobs_work(clock=timezone.now)
    done = staff.get(address(job, "state/")).json()
    assert (done["sentence"], done["link"]) == ("3 were counted.", f"/staff/studies/{study.slug}/")
    failed = job_start(kind="count", study=study, actor=None, arguments={"upto": 10}, now=now)
    jobs_work(clock=timezone.now)
    page = staff.get(address(failed)).content.decode()
    assert page.count("<h1>") == 1
    assert "<h2>" + page.split("<h2>")[1].split("</h2>")[0] == "<h2>About this work"
    assert "the work goes on at the server" not in page
    assert "Start it again; if it fails again, give the number of this work" in page
    assert "a secret of an answer" not in page


def test_a_refused_job_says_that_nothing_was_stored_and_leads_back(
    counting: Counting, staff: Client, study: Study, now: datetime
) -> None:
    refused = job_start(kind="count", study=study, actor=None, arguments={"upto": 0}, now=now)
    whole = job_start(kind="count_whole", study=study, actor=None, arguments={"upto": 0}, now=now)
    assert "the work goes on at the server" in staff.get(address(whole)).content.decode()
    jobs_work(clock=timezone.now)
    first, second = (staff.get(address(one, "state/")).json() for one in (refused, whole))
    assert (first["sentence"], first["link"]) == ("", "")
    assert second["error"] == "There is nothing to count; add a number first."
    assert second["sentence"] == "Nothing was stored."
    start = f"/staff/studies/{study.slug}/exports/"
    assert (second["link"], second["link_label"]) == (start, "Start it again")
    page = " ".join(staff.get(address(whole)).content.decode().split())
    assert f'<a class="button primary" href="{start}">Start it again</a>' in page


def test_a_job_is_cancelled_from_its_page_and_a_second_time_nothing_happens(staff: Client, job: Job) -> None:
    assert staff.get(address(job, "cancel/")).status_code == 405
    back = f"/staff/studies/{job.study.slug if job.study else ''}/"
    reply = staff.post(address(job, "cancel/"), {"next": back}, follow=True)
    assert reply.redirect_chain == [(back, 302)]
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED
    again = staff.post(address(job, "cancel/"), {"next": "https://elsewhere.example/"}, follow=True)
    assert again.redirect_chain == [(address(job), 302)]
    assert "ended already" in again.content.decode()


@pytest.mark.parametrize(
    "back", ["staff_home", "javascript:alert(1)", "//elsewhere.example/", "\\", "a\nb", ""]
)
def test_what_is_no_place_of_the_site_leads_to_the_job(staff: Client, job: Job, back: str) -> None:
    reply = staff.post(address(job, "cancel/"), {"next": back})
    assert (reply.status_code, reply["Location"]) == (302, address(job))


@pytest.mark.parametrize(
    ("role", "status"), [(Role.LEAD, 200), (Role.ANALYST, 403), (Role.REVIEWER, 403), (None, 404)]
)
def test_who_may_not_do_the_kind_neither_sees_nor_cancels_it(
    job: Job, study: Study, now: datetime, role: Role | None, status: int
) -> None:
    client = browser(study, role, now)
    assert client.get(address(job)).status_code == status
    assert client.get(address(job, "state/")).status_code == status
    assert client.post(address(job, "cancel/")).status_code == (302 if status == 200 else status)
    assert client.get("/staff/jobs/00000000-0000-4000-8000-000000000000/").status_code == 404
    job.refresh_from_db()
    assert job.is_open is (status != 200)


def test_what_belongs_to_no_study_is_seen_and_cancelled_by_who_started_it_and_who_runs_the_site(
    staff: Client, now: datetime
) -> None:
    people = [staff_add(email=f"maker-{number}@example.org", creates_studies=True)[0] for number in range(2)]
    job = job_start(kind="import_bank", study=None, actor=people[0], now=now, arguments={"token": "0" * 32})
    own, other = Client(), Client()
    own.force_login(people[0])
    other.force_login(people[1])
    for client, status in ((other, 404), (own, 200), (staff, 200)):
        assert client.get(address(job)).status_code == status
        assert client.get(address(job, "state/")).status_code == status
    assert other.post(address(job, "cancel/")).status_code == 404
    job.refresh_from_db()
    assert (job.is_open, job.cancel_asked_by) == (True, None)
    assert own.post(address(job, "cancel/")).status_code == 302
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED


def test_a_page_and_its_renewal_take_few_queries(
    staff: Client, job: Job, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(MOST_QUERIES):
        staff.get(address(job))
    with django_assert_max_num_queries(8):
        staff.get(address(job, "state/"))


def test_only_who_chose_a_file_is_told_to_choose_it_anew(
    counting: Counting, staff: Client, study: Study, lead: User, now: datetime
) -> None:
    for kind, said in (
        ("count", "Cancelled. What was finished before stays."),
        ("count_whole", "Cancelled. It has stored nothing."),
        ("count_file", "Cancelled. Nothing was stored; to try again, choose the file anew."),
    ):
        job = job_start(kind=kind, study=study, actor=lead, now=now)
        job_cancel(job=job, actor=lead, now=now)
        assert staff.get(address(job, "state/")).json()["cancelled"] == said
    files = {kind.name for kind in kinds().values() if kind.of_file} - {"count_file"}
    assert files == {
        "read_bank", "import_bank", "import_items", "calibrate", "import_models", "import_table"
    }  # fmt: skip
