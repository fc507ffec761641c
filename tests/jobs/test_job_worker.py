"""A job that a page started, run by a real worker with its beat on files; it is killed and begins anew."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from batches.models import Session
from jobs.models import Job, JobState
from scoring.coordinator import Scoring
from scoring.models import ExportFile
from scoring.services.export_deleting import file_path
from studies.models import Participant, Study, StudyEvent

ROOT = Path(__file__).resolve().parents[2]
WORKER = [sys.executable, "-m", "celery", "--app", "config.celery", "worker", "--beat", "--pool", "threads"]


@contextmanager
def worker(environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("ab") as out:
        command = [*WORKER, "--concurrency", "2"]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.kill()
        process.wait(30)


def wait_for(state: JobState, log: Path, seconds: float = 60) -> Job:
    until = time.monotonic() + seconds
    while (job := Job.objects.get()).state != state:
        assert job.is_open, f"it ended: {job.error}"
        assert time.monotonic() < until, log.read_text()[-3000:]
        time.sleep(0.02)
    return job


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="embedded is SQLite and files")
@pytest.mark.timeout(180)
def test_a_job_of_a_page_outlives_the_kill_of_its_worker(
    staff: Client,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    child_environment: dict[str, str],
    tmp_path: Path,
) -> None:
    study = make_study(slug="pilot", judge_kind="checks", top_size=1)
    for text in ("1", "2"):
        work(make_person(study), {"p001": text, "p002": "2"})
    score(study, measures=False)
    # Nothing but files and SQLite: what a test machine has beside them is not asked.
    environment = {name: value for name, value in child_environment.items() if name != "REDIS_URL"}
    log = tmp_path / "worker.log"

    began = time.monotonic()
    assert staff.post("/staff/studies/pilot/exports/", {"contents": "public"}).status_code == 302
    assert time.monotonic() - began < 5, "the request waited for the work"
    assert wait_for(JobState.WAITING, log).starts == 0

    with worker(environment, log) as first:
        wait_for(JobState.RUNNING, log)
        with transaction.atomic():  # it cannot store while another writes, and so cannot end before the kill
            first.kill()
            first.wait(30)
    killed = Job.objects.get()
    assert (killed.state, killed.starts, ExportFile.objects.count()) == (JobState.RUNNING, 1, 0)
    Job.objects.update(leased_until=timezone.now())  # time goes by
    with worker(environment, log):
        job = wait_for(JobState.DONE, log)

    assert job.starts == 2
    assert file_path(ExportFile.objects.get()).is_file()
    kinds = StudyEvent.objects.filter(study=study, kind__startswith="job_").values_list("kind", flat=True)
    assert list(kinds) == ["job_started", "job_finished"]
