"""Who runs a job: it is claimed by lease, by one worker at a time, and taken over where a worker died.

What becomes of it stands in its study's trail. Jobs of the site belong to no study and have only their row.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet

from formats.wording import gettext_noop
from jobs.context import Progress
from jobs.leases import lease_free, lease_release, lease_renew, lease_take
from jobs.models import OPEN, Job, JobState
from jobs.registry import JobKind, kind_named
from studies.models import User
from studies.services.events import StudyEventKind, event_record

LEASE = timedelta(seconds=30)
# More would mean that the job itself ends whoever takes it up.
MAX_STARTS = 3

KILLED = gettext_noop(
    "The worker that ran this was ended in the middle, and this kind of work is not begun again by itself. "
    "Look at what is there, then start it again."
)
KILLED_AGAIN = gettext_noop(
    "Its worker was ended in the middle three times. What was stored before is untouched. The work may need "
    "more memory than the server has: ask whoever runs it to read the worker's log, then start it again."
)


@dataclass(frozen=True)
class Claim:
    """A job and the token of its lease."""

    job: Job
    token: UUID

    @property
    def row(self) -> QuerySet[Job]:
        """The row while the lease is ours; changing nothing means that it no longer is."""
        return Job.objects.filter(pk=self.job.pk, state=JobState.RUNNING, lease=self.token)


def job_event(job: Job, kind: StudyEventKind, now: datetime, *, actor: User | None = None) -> None:
    """Add one event; call it inside the change's transaction. Why a job failed is in its row alone: it may
    name people.
    """
    if job.study is not None:
        event_record(job.study, kind, now, actor=actor, job=str(job.pk), work=job.kind)


def job_is_free(*, now: datetime) -> bool:
    """Whether there is a job of any kind, known here or not, that nobody runs."""
    return Job.objects.filter(lease_free(now), state__in=OPEN).exists()


def job_claim(*, kinds: dict[str, JobKind], now: datetime) -> Claim | None:
    """Take the oldest job that nobody runs; None where there is none. Those that cannot go on are ended."""
    # Kinds that this process knows: beside it a worker of another version may run.
    free = Job.objects.filter(lease_free(now), state__in=OPEN, kind__in=list(kinds))
    for job in list(free.select_related("study", "actor").order_by("created_at")):
        if job.state == JobState.RUNNING and _end_instead(job, kinds[job.kind], now):
            continue
        token = lease_take(
            Job.objects.filter(pk=job.pk, lease=job.lease, state__in=OPEN), now=now, length=LEASE,
            state=JobState.RUNNING, starts=F("starts") + 1, done=0, total=0, phase="", started_at=now,
            moved_at=now,
        )  # fmt: skip
        if token:
            job.refresh_from_db()
            return Claim(job, token)
    return None


def _end_instead(job: Job, kind: JobKind, now: datetime) -> bool:
    """End a job whose worker died where it is not to be begun again."""
    lost = Claim(job, job.lease) if job.lease else None
    if lost is None:
        return False
    if job.cancel_asked_at is not None:
        return job_end(lost, JobState.CANCELLED, now)
    if not kind.restartable:
        return job_end(lost, JobState.FAILED, now, error=KILLED)
    if job.starts >= MAX_STARTS:
        return job_end(lost, JobState.FAILED, now, error=KILLED_AGAIN)
    return False


def job_renew(claim: Claim, said: Progress, *, now: datetime) -> bool:
    """Keep the lease and write how far it is; False where the lease is somebody else's."""
    moved = (said.done, said.total, said.phase) != (claim.job.done, claim.job.total, claim.job.phase)
    claim.job.done, claim.job.total, claim.job.phase = said.done, said.total, said.phase
    fields = {"done": said.done, "total": said.total, "phase": said.phase, "moved_at": now} if moved else {}
    return lease_renew(claim.row, claim.token, now=now, length=LEASE, **fields)


def cancel_is_asked(claim: Claim) -> bool:
    return claim.row.filter(cancel_asked_at__isnull=False).exists()


def job_hand_back(claim: Claim, *, now: datetime) -> bool:
    """Let another worker begin it again: this one was told to end. What somebody called off ends instead."""
    if cancel_is_asked(claim):
        return job_end(claim, JobState.CANCELLED, now)
    return lease_release(claim.row, claim.token, state=JobState.WAITING, starts=F("starts") - 1, moved_at=now)


def job_end(
    claim: Claim, state: JobState, now: datetime, *, result: dict[str, object] | None = None, error: str = ""
) -> bool:
    """Bring the job to its end, with an event, and tidy up after it; False, and nothing, where the lease is
    not ours any more.

    `error` may quote a file: what no database takes is replaced.
    """
    if not _ended(claim, state, now, result=result, error=error):
        return False
    job_tidy(claim.job)
    return True


def job_tidy(job: Job) -> None:
    """Remove what was kept for a job that has ended for good."""
    kind = kind_named(job.kind)
    if kind is not None and kind.tidy is not None:
        kind.tidy(**job.arguments)


@transaction.atomic
def _ended(
    claim: Claim, state: JobState, now: datetime, *, result: dict[str, object] | None, error: str
) -> bool:
    ended = lease_release(
        claim.row, claim.token, state=state, finished_at=now, result=result or {},
        error=error.replace("\0", "\ufffd"),
    )  # fmt: skip
    if not ended:
        return False
    claim.job.refresh_from_db()
    asked_by = claim.job.cancel_asked_by if state == JobState.CANCELLED else None
    job_event(claim.job, EVENTS[state], now, actor=asked_by or claim.job.actor)
    return True


EVENTS = {
    JobState.DONE: StudyEventKind.JOB_FINISHED,
    JobState.FAILED: StudyEventKind.JOB_FAILED,
    JobState.CANCELLED: StudyEventKind.JOB_CANCELLED,
}
