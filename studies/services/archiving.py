"""Archiving a study: it is only read then, and not listed among the others, until it is brought back."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from studies.models import Study, StudyStatus, User
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused
from studies.services.studies import study_lock


class NotArchived(Refused):
    """People may still work in the study."""


@transaction.atomic
def study_archive(*, study: Study, archive: bool, now: datetime, actor: User) -> bool:
    """Archive a closed study, or bring it back; whether that is new. Raises NotArchived."""
    study = study_lock(study)
    if archive and study.status != StudyStatus.CLOSED:
        raise NotArchived(_("Only a closed study is archived. Close it first: nobody starts any more then."))
    if archive and study.participants.filter(session__status="active").exists():
        raise NotArchived(_("A session still runs. Archive the study when it has ended."))
    if archive == (study.archived_at is not None):
        return False
    study.archived_at = now if archive else None
    study.save(update_fields=["archived_at"])
    event_record(study, StudyEventKind.ARCHIVED if archive else StudyEventKind.BROUGHT_BACK, now, actor=actor)
    return True
