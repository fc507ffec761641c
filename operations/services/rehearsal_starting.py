"""Rehearsals and the demo's study are asked for; what takes longer than a request is left to a job."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from itertools import chain, count

from django.utils.translation import get_language, gettext as _

from batches.models import Batch, Session
from batches.rules.statuses import SessionStatus
from batches.selectors.plans import people_per_batch
from jobs.models import Job
from jobs.selectors import open_jobs
from jobs.services.starting import job_start
from operations.services.demo_people import STUDY as DEMO
from studies.models import Study, StudyStatus, User
from studies.protocol.settings import ProtocolSettings
from studies.selectors.studies import study_by_slug
from studies.services.private_questions import require_may_ask
from studies.services.readiness import StudyNotReady, prompt_problems, require_category_source, require_ready
from studies.services.refusals import Refused
from studies.services.slugs import MAX_CHARACTERS
from studies.services.studies import MAX_NAME_CHARACTERS

REHEARSAL, REHEARSAL_COPY, DEMO_STUDY = "rehearsal", "rehearsal_copy", "demo_study"


class StudyNotOpen(Refused):
    """Nobody can start in a study that is a draft or closed."""

    def __init__(self) -> None:
        super().__init__(
            _("Simulated people answer in a study that is locked and not closed. Lock it first.")
        )


def rehearsal_start(*, study: Study, people: int, off_task: bool, actor: User, now: datetime) -> Job:
    """Ask for a rehearsal of a simulated study; of a real one, for a simulated copy and its rehearsal.

    Raises StudyNotOpen, JobUnderWay, and what locking the copy would raise.
    """
    arguments: dict[str, object] = {"people": people, "off_task": off_task}
    if study.is_simulated:
        if study.status != StudyStatus.FROZEN:
            raise StudyNotOpen
        return job_start(kind=REHEARSAL, study=study, actor=actor, now=now, arguments=arguments)
    require_may_ask(actor, study.bank_version)
    require_category_source(study)
    if problems := prompt_problems(study.bank_version, settings_judged_for_free(study)):
        raise StudyNotReady(problems)
    arguments["slug"] = _slug_free(f"{study.slug[: MAX_CHARACTERS - 14]}-rehearsal")
    arguments["name"] = _("%(study)s (rehearsal)") % {"study": study.name[: MAX_NAME_CHARACTERS - 20]}
    arguments["language"] = get_language() or "en"
    return job_start(kind=REHEARSAL_COPY, study=study, actor=actor, now=now, arguments=arguments)


def demo_study_start(*, people: int, actor: User, now: datetime) -> Job:
    """Ask for the demo's study with its models, and for its rehearsal; once, however often."""
    job = open_jobs(None).filter(kind=DEMO_STUDY, actor=actor).first()
    language = get_language() or "en"
    arguments = {"people": people, "slug": _slug_free(DEMO), "name": _("Demo study"), "language": language}
    return job or job_start(kind=DEMO_STUDY, study=None, actor=actor, now=now, arguments=arguments)


def judged_for_free(study: Study) -> bool:
    """Whether the study's judge costs nothing."""
    return study.protocol.judge_kind != "llm"


def settings_judged_for_free(study: Study) -> ProtocolSettings:
    """Those of the study, with a judge that costs nothing where its bank allows one."""
    own = study.protocol
    if own.judge_kind == "llm":
        wanted = own.model_copy(update={"judge_kind": "checks"})
        with suppress(StudyNotReady):
            require_ready(study, wanted)
            return wanted
    return own


def places_of(study: Study) -> int:
    """How many people the question sets have room for; 0 before they are built."""
    return Batch.objects.filter(plan__study=study).count() * people_per_batch(study.protocol)


def through_of(study: Study) -> int:
    """How many people have ended their session, whichever way."""
    return Session.objects.filter(participant__study=study).exclude(status=SessionStatus.ACTIVE).count()


def _slug_free(wanted: str) -> str:
    return next(slug for slug in slugs_from(wanted) if study_by_slug(slug) is None)


def slugs_from(wanted: str) -> Iterator[str]:
    """This short name, then with a number after it, without end."""
    return chain([wanted], (f"{wanted}-{number}" for number in count(2)))
