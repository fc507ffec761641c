"""How much one person stores."""

from django.conf import settings
from django.db.models import F
from django.utils.translation import gettext as _

from studies.models import Participant
from studies.services.refusals import Refused


class StorageFull(Refused):
    """There is no room for what the person hands in; nothing of it was stored."""


def storage_take(*, participant: Participant, size: int) -> None:
    """Count `size` bytes for the person, who is locked. Raises StorageFull."""
    if participant.stored_bytes + size > settings.PERSON_BYTES:
        raise StorageFull(
            _(
                "What you may store in this study is used up, so this was not sent. Please write to the "
                "contact named on this page."
            )
        )
    participant.stored_bytes += size
    # Saves of answers count beside this, without the lock.
    Participant.objects.filter(pk=participant.pk).update(stored_bytes=F("stored_bytes") + size)
