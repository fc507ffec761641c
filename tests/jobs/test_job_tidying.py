"""What was kept for a job, such as an upload, goes with its end: whichever that is, and not before."""

from collections.abc import Callable
from datetime import datetime

import pytest

from jobs import registry
from jobs.context import JobContext, JobResult
from jobs.models import Job
from jobs.services.claims import LEASE, MAX_STARTS, cancel_is_asked, job_claim, job_hand_back
from jobs.services.starting import job_cancel, job_start
from studies.models import Study, User
from studies.roles import Can

pytestmark = pytest.mark.django_db


@pytest.fixture
def tidied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tokens that were tidied up."""
    found: list[str] = []

    def keeping(_job: JobContext, *, token: str) -> JobResult:
        raise AssertionError(f"nobody runs {token} here")

    monkeypatch.setattr(registry, "_kinds", dict(registry.kinds()))
    registry.job_kind("keep", label="Keep", can=Can.JUDGE, tidy=lambda *, token: found.append(token))(keeping)
    return found


@pytest.fixture
def job(tidied: list[str], make_study: Callable[..., Study], lead: User, now: datetime) -> Job:
    return job_start(kind="keep", study=make_study(), actor=lead, arguments={"token": "upload"}, now=now)


def test_a_job_that_is_called_off_before_it_began(
    job: Job, tidied: list[str], lead: User, now: datetime
) -> None:
    job_cancel(job=job, actor=lead, now=now)
    assert tidied == ["upload"]


def test_a_job_that_is_called_off_while_its_worker_is_told_to_end(
    job: Job, tidied: list[str], lead: User, now: datetime
) -> None:
    claim = job_claim(kinds=registry.kinds(), now=now)
    assert claim
    job_cancel(job=job, actor=lead, now=now)
    assert cancel_is_asked(claim)
    assert tidied == []
    job_hand_back(claim, now=now)
    assert tidied == ["upload"]


def test_a_job_whose_workers_died_keeps_it_until_it_is_given_up(
    job: Job, tidied: list[str], now: datetime
) -> None:
    for start in range(MAX_STARTS):
        assert job_claim(kinds=registry.kinds(), now=now + start * LEASE)
        assert tidied == []
    assert job_claim(kinds=registry.kinds(), now=now + MAX_STARTS * LEASE) is None
    assert tidied == ["upload"]
