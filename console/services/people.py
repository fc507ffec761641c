"""Giving a place to somebody else, once it is known who does not count; asking the leads to decide."""

from datetime import datetime, timedelta

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy

from batches.services.recruiting import NotReplaceable, person_replace
from console.selectors.counting import applications
from console.selectors.people import PersonState, state_of
from studies.models import Participant, Study, User
from studies.selectors.roles import leads_of
from studies.services.events import StudyEventKind, event_record
from studies.services.mails.mails import mail_queue
from studies.services.mails.texts import MailButton, mail_of
from studies.services.refusals import Refused
from studies.services.studies import study_lock

REPLACEABLE = frozenset({PersonState.NOT_COUNTED, PersonState.WITHDRAWN, PersonState.REJECTED})

NUDGE_EVERY = timedelta(days=1)


class NoNudge(Refused):
    """The leads were reminded within a day, or nothing waits for them."""


@transaction.atomic
def leads_nudge(*, study: Study, site_url: str, actor: User, now: datetime) -> int:
    """Mail the study's leads that applications wait for their decision, at most once a day for a study; how
    many leads. Of a study without one it is the site's administrators who decide. Raises NoNudge.
    """
    study = study_lock(study)
    number = applications().filter(study=study).count()
    if not number:
        raise NoNudge(_("No application waits for a decision any more."))
    nudged = study.events.filter(kind=StudyEventKind.LEADS_NUDGED, happened_at__gt=now - NUDGE_EVERY)
    if nudged.exists():
        raise NoNudge(_("The leads were reminded within the last day; they are mailed once a day at most."))
    page = site_url.rstrip("/") + reverse("staff_participants", args=[study.slug]) + "?state=application"
    leads = [part.user for part in leads_of(study).select_related("user")]
    leads = leads or list(User.objects.filter(is_superuser=True, is_active=True, is_staff=True))
    for lead in leads:
        facts: dict[str, object] = {"study": study, "number": number, "page": page}
        button = MailButton(page, gettext_lazy("Open the applications"))
        message = mail_of("nudge", facts, to=lead.email, language=lead.language, button=button)
        mail_queue(message=message, now=now, valid_for=NUDGE_EVERY)
    event_record(study, StudyEventKind.LEADS_NUDGED, now, actor=actor, number=number)
    return len(leads)


@transaction.atomic
def place_pass_on(
    *,
    participant: Participant,
    successor: Participant,
    now: datetime,
    actor: User | None = None,
    site_url: str | None = None,
) -> Participant:
    """Give the place of somebody who withdrew, was rejected or does not count to one of the reserve list.

    Raises as `person_replace`, and NotReplaceable for everybody who counts or may still count.
    """
    if state_of(participant, now) not in REPLACEABLE:
        raise NotReplaceable(
            _("%(code)s counts or may still count, so the place is not free.") % {"code": participant.code}
        )
    return person_replace(
        participant=participant, successor=successor, now=now, actor=actor, site_url=site_url
    )
