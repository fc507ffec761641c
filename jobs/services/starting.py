"""Jobs are asked for, and called off."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from jobs.models import OPEN, Job, JobState
from jobs.registry import kind_named
from jobs.selectors import newest_job, open_jobs, same_jobs
from jobs.services.claims import job_event, job_tidy
from studies.models import Study, User
from studies.services.events import StudyEventKind
from studies.services.messages import notify_workers
from studies.services.refusals import Refused
from studies.services.studies import require_not_archived, study_lock

WORK = "jobs.tasks.jobs_work"
AGAIN = timedelta(minutes=1)


class JobUnderWay(Refused):
    """Another job of this kind is open, and it was asked for something else."""


class JobOver(Refused):
    """The job has ended already."""


def job_start(
    *,
    kind: str,
    study: Study | None,
    actor: User | None,
    now: datetime,
    arguments: Mapping[str, Any] | None = None,
) -> Job:
    """Ask for a job; a worker takes it within seconds. Whether `actor` may is asked by the page.

    While one of the same kind and study waits or runs, that one is returned. Raises JobUnderWay where that
    one has other arguments, StudyArchived or StudyGone where nothing begins. An unknown kind is an error of
    the program (LookupError).
    """
    known = kind_named(kind)
    if known is None:
        raise LookupError(f"no kind of job is called {kind!r}")
    wanted = dict(arguments or {})
    only_one = f"{kind} {study.pk if study else 'site'}" if known.once_per_study else ""
    try:
        with transaction.atomic():
            job = Job.objects.create(
                kind=kind, study=study, actor=actor, arguments=wanted, only_one=only_one, created_at=now
            )
            job_event(job, StudyEventKind.JOB_STARTED, now, actor=actor)
            if study is not None:  # locked: whoever archives it at this moment finds the job, or was first
                row = study_lock(study)
                if not known.in_archive:
                    require_not_archived(row)
    except IntegrityError:
        under_way = Job.objects.filter(only_one=only_one, state__in=OPEN).first() if only_one else None
        if under_way is None:
            raise
        if under_way.arguments != wanted:
            sentence = _(
                "“%(label)s” is under way already, started with other choices. Nothing was started. Wait "
                "until it has ended, or cancel it."
            )
            raise JobUnderWay(sentence % {"label": known.label}) from None
        return under_way
    transaction.on_commit(partial(notify_workers, WORK))
    return job


def job_kept(
    *, kind: str, actor: User, now: datetime, arguments: Mapping[str, Any], anew: bool = False
) -> Job:
    """What a page shows of a job of the site that is kept by its arguments: the newest that is done, whoever
    asked for it; else this person's own, asked for here unless it waits, runs or has just ended. `anew`: what
    is done is of no use.
    """
    same = same_jobs(kind, arguments)
    own = same.filter(actor=actor).first()
    if not anew and (done := same.filter(state=JobState.DONE).first()) is not None:
        return done
    if own is not None and not may_be_asked_again(own, now):
        return own
    return job_instead(kind=kind, actor=actor, now=now, arguments=arguments)


@transaction.atomic
def job_instead(*, kind: str, actor: User, now: datetime, arguments: Mapping[str, Any]) -> Job:
    """Ask for a job of the site in the place of this person's other open ones of its kind, which are called
    off: of what costs nobody more than opening a page, each has one. One that is open already is returned.
    """
    User.objects.select_for_update(no_key=True).get(pk=actor.pk)  # between looking and asking they ask alone
    same = None
    for job in open_jobs(None).filter(kind=kind, actor=actor):
        if job.arguments == arguments and job.cancel_asked_at is None:
            same = job
        else:
            with suppress(JobOver):
                job_cancel(job=job, actor=actor, now=now)
    return same or job_start(kind=kind, study=None, actor=actor, now=now, arguments=arguments)


def kept_jobs_expire(*, kind: str, before: datetime) -> None:
    """Delete what was kept of this kind of jobs of the site that ended before; who needs it asks again."""
    Job.objects.filter(kind=kind, study=None, finished_at__lt=before).delete()


def job_needed(*, kind: str, study: Study, actor: User, now: datetime) -> Job:
    """What a page shows of a job of the study that brings what it lacks: asked for here unless it waits,
    runs or has just ended. Raises as `job_start`.
    """
    newest = newest_job(study, kind)
    if newest is not None and not may_be_asked_again(newest, now):
        return newest
    return job_start(kind=kind, study=study, actor=actor, now=now)


def may_be_asked_again(job: Job, now: datetime) -> bool:
    """Whether a page that needs what this job did not bring may ask for it by itself: not while it is under
    way, nor at once after its end. What fails would fail for ever, and what is done may be out of date at
    once, again and again.
    """
    return job.finished_at is not None and now - job.finished_at > AGAIN


def job_cancel(*, job: Job, actor: User | None, now: datetime) -> Job:
    """End a job that waits; ask one that runs to end, which it does at its next step. Raises JobOver."""
    job = _cancelled(job, actor, now)
    if job.state == JobState.CANCELLED:
        job_tidy(job)
    return job


@transaction.atomic
def _cancelled(job: Job, actor: User | None, now: datetime) -> Job:
    # Locked: between two looks a worker could take it, or give it back.
    state = Job.objects.select_for_update().values_list("state", flat=True).get(pk=job.pk)
    row = Job.objects.filter(pk=job.pk)
    if state == JobState.WAITING:
        row.update(state=JobState.CANCELLED, finished_at=now, cancel_asked_at=now, cancel_asked_by=actor)
        job.refresh_from_db()
        job_event(job, StudyEventKind.JOB_CANCELLED, now, actor=actor)
    elif state == JobState.RUNNING:
        row.filter(cancel_asked_at=None).update(cancel_asked_at=now, cancel_asked_by=actor)
        job.refresh_from_db()
    else:
        raise JobOver(_("This work has ended already; there was nothing to cancel."))
    return job
