"""Which jobs there are."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from jobs.models import OPEN, Job, JobState
from studies.models import Study


def job_by_id(job_id: UUID) -> Job | None:
    return Job.objects.select_related("study", "actor").filter(pk=job_id).first()


def newest_job(study: Study | None, *kinds: str) -> Job | None:
    """The newest of these kinds of the study, open or ended; None where there never was one."""
    return _jobs_of(study).filter(kind__in=kinds).order_by("-created_at").first()


def newest_jobs(study: Study, *kinds: str) -> dict[str, Job]:
    """The newest of each of these kinds of the study, where there is one; one query."""
    same = Job.objects.filter(study=study, kind=OuterRef("kind")).order_by("-created_at").values("pk")[:1]
    return {job.kind: job for job in _jobs_of(study).filter(kind__in=kinds, pk=Subquery(same))}


def unless_done(study: Study | None, *kinds: str) -> Job | None:
    """The newest of them for a page that shows what came of it: none where it is done."""
    job = newest_job(study, *kinds)
    return job if job and job.state != JobState.DONE else None


def same_jobs(kind: str, arguments: Mapping[str, Any]) -> QuerySet[Job]:
    """Those of the site that were asked for the same, the newest first."""
    return _jobs_of(None).filter(kind=kind, arguments=dict(arguments)).order_by("-created_at")


def open_jobs(study: Study | None) -> QuerySet[Job]:
    """What waits or runs, the oldest first."""
    return _jobs_of(study).filter(state__in=OPEN).order_by("created_at")


def _jobs_of(study: Study | None) -> QuerySet[Job]:
    return Job.objects.select_related("study", "actor").filter(study=study)
