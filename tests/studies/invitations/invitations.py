"""The link of an invitation, as its mail says it."""

import re
from datetime import datetime

from django.core import mail

from studies.models import Invitation, Study, StudyEvent
from studies.services.people.invitation_mails import invitation_send

SITE = "https://study.example.org"


def token_mailed(invitation: Invitation, now: datetime) -> str:
    invitation_send(invitation=invitation, site_url=SITE, now=now)
    found = re.search(rf"^{SITE}/invitations/([\w-]{{43}})/$", str(mail.outbox[-1].body), re.MULTILINE)
    assert found
    return found[1]


def kinds(study: Study) -> list[str]:
    return list(StudyEvent.objects.filter(study=study).order_by("id").values_list("kind", flat=True))
