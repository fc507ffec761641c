"""The daily digest: what waits for each member of a study team, once a day, nothing when nothing waits."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.core.mail import EmailMultiAlternatives
from django.db import transaction
from django.db.models import F
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from console.selectors.waiting import StudyWaits, digest_waits_of
from presentation.moments import known_zone
from studies.models import DigestWish, User
from studies.services.mails.study_mails import digest_mail_queue
from studies.services.mails.texts import MailButton, mail_of

FROM_HOUR = 6  # where the member is
VALID_FOR = timedelta(hours=12)


def digests_queue(*, now: datetime, site_url: str) -> int:
    """Leave today's digest to a worker for everybody for whom something waits; return how many.

    Before six o'clock where somebody is they get none; running it again on the same day does nothing.
    """
    team = User.objects.filter(is_active=True, is_staff=True).exclude(digest_wish__is_wanted=False)
    queued = 0
    for member in team.annotate(last_day=F("digest_wish__made_on")).order_by("pk"):
        here = now.astimezone(ZoneInfo(known_zone(member.time_zone)))
        if here.hour >= FROM_HOUR and (member.last_day is None or member.last_day < here.date()):
            queued += _make(member, here, site_url)
    return queued


@transaction.atomic
def _make(member: User, here: datetime, site_url: str) -> bool:
    """Whether one was queued; the day is taken either way."""
    DigestWish.objects.get_or_create(member=member)
    own = DigestWish.objects.filter(member=member, is_wanted=True).exclude(made_on__gte=here.date())
    if not own.update(made_on=here.date()):  # somebody else makes this day's, or none is wanted any more
        return False
    waits = digest_waits_of(member)
    if not waits:
        return False
    message = digest_mail(member, waits, site_url)
    digest_mail_queue(member=member, message=message, now=here, valid_for=VALID_FOR)
    return True


def digest_mail(member: User, waits: list[StudyWaits], site_url: str) -> EmailMultiAlternatives:
    """What the member is told; also its preview."""
    page = site_url.rstrip("/") + reverse("staff_home") if site_url else ""
    context: dict[str, object] = {"waits": waits, "page": page}
    button = MailButton(page, _("Open the studies")) if page else None
    return mail_of("digest", context, to=member.email, language=member.language, button=button)


def digest_wish_set(*, member: User, is_wanted: bool) -> None:
    """Whether this person gets the digest from now on."""
    DigestWish.objects.update_or_create(member=member, defaults={"is_wanted": is_wanted})
