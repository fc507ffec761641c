"""Archiving a study: it is only read then, and not listed among the others, until it is brought back.

Nothing runs in it, and nothing begins: `studies.services.studies.require_not_archived` is asked by every page
and command and wherever work begins; workers pass over its mails and its results.
"""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from jobs.selectors import open_jobs
from judging.models import JudgingRun
from judging.models.runs import RunState
from studies.models import Study, StudyStatus, User
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused
from studies.services.studies import study_lock


class NotArchived(Refused):
    """People may still work in the study, or the site does."""


def something_runs(study: Study) -> bool:
    """Whether a job of the study is open, or a judge is being asked."""
    running = JudgingRun.objects.filter(study=study, state=RunState.RUNNING)
    return open_jobs(study).exists() or running.exists()


@transaction.atomic
def study_archive(*, study: Study, archive: bool, now: datetime, actor: User) -> bool:
    """Archive a closed study, or bring it back; whether that is new. Raises NotArchived."""
    study = study_lock(study)
    if archive and study.status != StudyStatus.CLOSED:
        raise NotArchived(_("Only a closed study is archived. Close it first: nobody starts any more then."))
    if archive and study.participants.filter(session__status="active").exists():
        raise NotArchived(_("A session still runs. Archive the study when it has ended."))
    if archive and something_runs(study):
        raise NotArchived(_("Something runs in this study. Wait until it has ended, or cancel it."))
    if archive == (study.archived_at is not None):
        return False
    study.archived_at = now if archive else None
    study.save(update_fields=["archived_at"])
    event_record(study, StudyEventKind.ARCHIVED if archive else StudyEventKind.BROUGHT_BACK, now, actor=actor)
    return True
