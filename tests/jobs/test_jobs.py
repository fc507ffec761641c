"""Jobs: asked for once, run by one worker, followed, cancelled, taken over; every end leaves an event."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connections

from jobs import registry
from jobs.models import Job, JobState
from jobs.process_end import stopping
from jobs.services.claims import KILLED, KILLED_AGAIN, LEASE, job_claim, job_end, job_hand_back
from jobs.services.starting import AGAIN, JobUnderWay, job_cancel, job_needed, job_start
from jobs.services.working import FAILED, jobs_work
from studies.models import Study, StudyEvent, User
from studies.roles import Can
from studies.services.studies import StudyArchived
from tests.jobs.conftest import Counting

pytestmark = pytest.mark.django_db(transaction=True)


def kinds_of(study: Study) -> list[str]:
    return list(
        StudyEvent.objects.filter(study=study, kind__startswith="job_").values_list("kind", flat=True)
    )


@pytest.fixture
def other(db: None) -> User:
    return User.objects.create_user("another@example.org", is_staff=True)


def working(now: datetime) -> threading.Thread:
    """A thread at work. Celery closes a task's connection when it ended; nobody does for this one."""

    def work() -> None:
        jobs_work(clock=lambda: now)
        connections.close_all()

    worker = threading.Thread(target=work)
    worker.start()
    return worker


def test_a_job_runs_to_its_end_and_says_where_to_look(
    counting: Counting, study: Study, lead: User, now: datetime
) -> None:
    counting.release.set()
    job = job_start(kind="count", study=study, actor=lead, arguments={"upto": 3}, now=now)
    assert jobs_work(clock=lambda: now) == 1
    job.refresh_from_db()
    assert (job.state, job.lease, job.finished_at) == (JobState.DONE, None, now)
    assert job.result["sentence"] % job.result["facts"] == "3 were counted."
    assert kinds_of(study) == ["job_started", "job_finished"]
    assert StudyEvent.objects.filter(kind="job_finished").get().actor == lead


def test_a_second_start_returns_the_open_one_and_refuses_other_choices(
    counting: Counting, study: Study, lead: User, now: datetime
) -> None:
    first = job_start(kind="count", study=study, actor=lead, arguments={"upto": 3}, now=now)
    assert job_start(kind="count", study=study, actor=None, arguments={"upto": 3}, now=now) == first
    with pytest.raises(JobUnderWay, match="under way already"):
        job_start(kind="count", study=study, actor=lead, arguments={"upto": 4}, now=now)
    assert Job.objects.count() == 1
    job_cancel(job=first, actor=lead, now=now)
    assert job_start(kind="count", study=study, actor=lead, arguments={"upto": 4}, now=now) != first


def test_a_running_job_is_followed_and_ends_at_its_next_step_when_it_is_cancelled(
    counting: Counting, study: Study, lead: User, now: datetime
) -> None:
    job = job_start(kind="count", study=study, actor=lead, now=now)
    worker = working(now)
    assert counting.begun.wait(10)
    wait_for(lambda: Job.objects.get(pk=job.pk).done == 1)
    job.refresh_from_db()
    assert (job.state, job.total, job.phase) == (JobState.RUNNING, 3, "Counting")
    job_cancel(job=job, actor=lead, now=now)
    worker.join(10)
    job.refresh_from_db()
    assert (job.state, job.result) == (JobState.CANCELLED, {})
    assert kinds_of(study) == ["job_started", "job_cancelled"]


def test_a_failed_job_says_what_to_do_and_nothing_of_the_error(
    counting: Counting, study: Study, now: datetime
) -> None:
    refused = job_start(kind="count", study=study, actor=None, arguments={"upto": 0}, now=now)
    jobs_work(clock=lambda: now)
    broken = job_start(kind="count", study=study, actor=None, arguments={"upto": 10}, now=now)
    jobs_work(clock=lambda: now)
    refused.refresh_from_db()
    broken.refresh_from_db()
    assert (refused.state, refused.error) == (
        JobState.FAILED,
        "There is nothing to count; add a number first.",
    )
    assert (broken.state, broken.error) == (JobState.FAILED, FAILED)
    assert kinds_of(study) == ["job_started", "job_failed"] * 2


def test_a_job_whose_worker_died_is_begun_again_when_its_lease_is_over_but_not_for_ever(
    counting: Counting, study: Study, now: datetime
) -> None:
    counting.release.set()
    job = job_start(kind="count", study=study, actor=None, now=now)
    later = now
    for _ in range(3):
        assert job_claim(kinds=registry.kinds(), now=later) is not None
        assert job_claim(kinds=registry.kinds(), now=later + LEASE - timedelta(seconds=1)) is None
        later += LEASE
    assert jobs_work(clock=lambda: later) == 0
    job.refresh_from_db()
    assert (job.state, job.error, counting.runs) == (JobState.FAILED, KILLED_AGAIN, 0)


def test_a_kind_that_cannot_be_begun_again_fails_when_its_worker_died(
    counting: Counting, study: Study, now: datetime
) -> None:
    job = job_start(kind="count_once", study=study, actor=None, now=now)
    assert job_claim(kinds=registry.kinds(), now=now) is not None
    assert jobs_work(clock=lambda: now + LEASE) == 0
    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.FAILED, KILLED)


def test_a_worker_that_is_told_to_end_hands_its_job_back(
    counting: Counting, study: Study, now: datetime
) -> None:
    job = job_start(kind="count", study=study, actor=None, now=now)
    worker = working(now)
    assert counting.begun.wait(10)
    stopping.set()
    worker.join(10)
    job.refresh_from_db()
    assert (job.state, job.starts, kinds_of(study)) == (JobState.WAITING, 0, ["job_started"])


def test_who_lost_the_lease_writes_nothing_more(counting: Counting, study: Study, now: datetime) -> None:
    job = job_start(kind="count", study=study, actor=None, now=now)
    worker = working(now)
    assert counting.begun.wait(10)
    taken = job_claim(kinds=registry.kinds(), now=now + 2 * LEASE)
    assert taken is not None
    worker.join(10)
    job.refresh_from_db()
    assert (job.state, job.lease) == (JobState.RUNNING, taken.token)
    assert kinds_of(study) == ["job_started"]


def test_what_was_called_off_too_late_was_done_by_who_asked_for_it(
    counting: Counting, study: Study, lead: User, other: User, now: datetime
) -> None:
    job = job_start(kind="count", study=study, actor=lead, now=now)
    claim = job_claim(kinds=registry.kinds(), now=now)
    assert claim is not None
    job_cancel(job=job, actor=other, now=now)
    assert job_end(claim, JobState.DONE, now)
    assert StudyEvent.objects.get(kind="job_finished").actor == lead


def test_a_job_that_is_called_off_and_handed_back_is_not_begun_again(
    counting: Counting, study: Study, other: User, now: datetime
) -> None:
    job = job_start(kind="count", study=study, actor=None, now=now)
    claim = job_claim(kinds=registry.kinds(), now=now)
    assert claim is not None
    job_cancel(job=job, actor=other, now=now)
    assert job_hand_back(claim, now=now)
    job.refresh_from_db()
    assert (job.state, jobs_work(clock=lambda: now), counting.runs) == (JobState.CANCELLED, 0, 0)
    assert StudyEvent.objects.get(kind="job_cancelled").actor == other


def test_an_error_that_quotes_what_no_database_takes_is_kept(
    counting: Counting, study: Study, now: datetime
) -> None:
    job = job_start(kind="count", study=study, actor=None, now=now)
    claim = job_claim(kinds=registry.kinds(), now=now)
    assert claim is not None
    assert job_end(claim, JobState.FAILED, now, error="line 1: a\0b is no number")
    job.refresh_from_db()
    assert job.error == "line 1: a\ufffdb is no number"


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(200):
        if condition():
            return
        threading.Event().wait(0.05)
    pytest.fail("not within 10 s")


def test_an_archived_study_starts_only_what_keeps_what_its_pages_show(
    counting: Counting, study: Study, lead: User, now: datetime
) -> None:
    registry.job_kind("count_kept", label="Count", can=Can.JUDGE, in_archive=True)(counting)
    Study.objects.update(archived_at=now)
    with pytest.raises(StudyArchived):
        job_start(kind="count", study=study, actor=lead, now=now)
    assert job_start(kind="count_kept", study=study, actor=lead, now=now).state == JobState.WAITING


def test_a_page_asks_for_a_job_by_itself_once_a_minute(
    counting: Counting, study: Study, lead: User, now: datetime
) -> None:
    def needed(at: datetime) -> Job:
        return job_needed(kind="count", study=study, actor=lead, now=at)

    first = needed(now)
    assert needed(now + AGAIN) == first
    Job.objects.update(state=JobState.DONE, finished_at=now)
    assert needed(now + AGAIN) == first
    assert needed(now + AGAIN + timedelta(seconds=1)) != first
