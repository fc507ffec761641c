"""Run what waits: one job after the other, with a thread beside it that keeps its lease."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from django.db import Error, connections

from formats.wording import gettext_noop
from jobs.context import Clock, JobCancelled, JobContext, JobInterrupted, JobLost, JobStopped
from jobs.models import JobState
from jobs.process_end import stopping
from jobs.registry import JobKind, kinds
from jobs.services.claims import (
    Claim,
    cancel_is_asked,
    job_claim,
    job_end,
    job_hand_back,
    job_is_free,
    job_renew,
)
from studies.services.refusals import Refused

WRITE_SECONDS = 0.5
FAILED = gettext_noop(
    "It ended with an error of the program, which is in the worker's log. What was stored before is "
    "untouched. Start it again; if it fails again, give the number of this work to whoever runs the server."
)
NOTHING_STORED = gettext_noop("Nothing was stored.")

_one_at_a_time = threading.Lock()
log = structlog.get_logger("chiron.jobs")


def jobs_work(*, clock: Clock) -> int:
    """Run jobs until none waits or this process is to end; return how many were run.

    A process runs one at a time, so that its other threads stay free for what keeps deadlines: a second call
    meanwhile returns at once.
    """
    if not _one_at_a_time.acquire(blocking=False):
        return 0
    try:
        number = 0
        while not stopping.is_set():
            now = clock()
            # Kinds are looked for where a job is there to be run.
            claim = job_claim(kinds=kinds(), now=now) if job_is_free(now=now) else None
            if claim is None:
                break
            job_run(claim, kinds()[claim.job.kind], clock=clock)
            number += 1
        return number
    finally:
        _one_at_a_time.release()


def job_run(claim: Claim, kind: JobKind, *, clock: Clock) -> None:
    """Run one claimed job to its end, whichever that is."""
    job = claim.job
    context = JobContext(study=job.study, actor=job.actor, clock=clock, number=job.pk)
    try:
        with _kept(claim, kind, context, clock):
            result = kind.run(context, **job.arguments)
    except JobCancelled:
        job_end(claim, JobState.CANCELLED, clock())
    except JobStopped:
        job_hand_back(claim, now=clock())
    except JobLost:
        log.warning("a job was taken over by another worker", job=str(job.pk), kind=job.kind)
    except Refused as refusal:
        said: dict[str, object] = {"sentence": NOTHING_STORED} if kind.all_or_nothing else {}
        job_end(claim, JobState.FAILED, clock(), error=str(refusal), result=said)
    except Exception:  # the edge of a job
        log.exception("a job failed", job=str(job.pk), kind=job.kind)
        job_end(claim, JobState.FAILED, clock(), error=FAILED)
    else:
        job_end(claim, JobState.DONE, clock(), result=result.as_json())


@contextmanager
def _kept(claim: Claim, kind: JobKind, context: JobContext, clock: Clock) -> Iterator[None]:
    """Keep the lease, and what the job says on record, while the block runs."""
    over = threading.Event()
    keeper = threading.Thread(target=_keep, args=(claim, kind, context, clock, over), daemon=True)
    keeper.start()
    try:
        yield
    finally:
        over.set()
        keeper.join()


def _keep(claim: Claim, kind: JobKind, context: JobContext, clock: Clock, over: threading.Event) -> None:
    try:
        while not over.wait(WRITE_SECONDS):
            try:
                reason: type[JobInterrupted] | None = None
                if not job_renew(claim, context.said, now=clock()):
                    reason = JobLost
                elif cancel_is_asked(claim):
                    reason = JobCancelled
                elif stopping.is_set() and kind.restartable:
                    reason = JobStopped
            except Error as error:
                # Away for a moment; where it stays away the lease ends, and another worker begins again.
                log.warning("a job could not be kept up", job=str(claim.job.pk), error=type(error).__name__)
                connections.close_all()
                continue
            if reason is not None:
                context.end_with(reason)
    finally:
        connections.close_all()
