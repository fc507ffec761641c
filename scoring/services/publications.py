"""What is said about publishing a study. It is no part of the protocol, and may change after the lock."""

from datetime import datetime
from typing import Any

from django.db import transaction

from scoring.models import PublicationSettings
from studies.models import Study, User
from studies.services.events import StudyEventKind, event_record


@transaction.atomic
def publication_save(
    *, study: Study, title: str, authors: str, licence: str, doi: str, actor: User, now: datetime
) -> None:
    """Store it in place of what was said before, which stays in the trail. The same again leaves no event."""
    said: dict[str, Any] = {"title": title, "authors": authors, "licence": licence, "doi": doi}
    if PublicationSettings.objects.select_for_update().filter(study=study, **said).exists():
        return
    PublicationSettings.objects.update_or_create(study=study, defaults=said)
    event_record(study, StudyEventKind.PUBLICATION_SET, now, actor=actor, **said)
