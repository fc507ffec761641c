"""What the study's trail says of its jobs. Jobs of the site belong to no study and have only their row."""

from datetime import datetime

from jobs.models import Job
from studies.models import User
from studies.services.events import StudyEventKind, event_record


def job_event(job: Job, kind: StudyEventKind, now: datetime, *, actor: User | None = None) -> None:
    """Add one event; call it inside the change's transaction. Why a job failed is in its row alone: it may
    name people.
    """
    if job.study is not None:
        event_record(job.study, kind, now, actor=actor, job=str(job.pk), work=job.kind)
