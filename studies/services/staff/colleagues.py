"""Bringing somebody into the team of a study or of the site, with an account where they have none."""

from datetime import datetime, timedelta

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from studies.models import Study, StudyRole, User
from studies.roles import Role
from studies.services.events import SiteEventKind, site_event_record
from studies.services.mails.mails import mail_queue
from studies.services.mails.texts import mail_of
from studies.services.people.participants import normal_email
from studies.services.refusals import Refused
from studies.services.staff.roles import require_no_participant, role_give
from studies.services.staff.staff import second_factor_forget, sign_out_everywhere, staff_add

MAIL_VALID_FOR = timedelta(days=3)


class AccountClosed(Refused):
    """The account was closed, which only those who run the site take back."""


class ResetRefused(Refused):
    """The second factor stays as it is."""


@transaction.atomic
def colleague_add(
    *, study: Study, email: str, role: Role, site_url: str, now: datetime, actor: User | None = None
) -> tuple[StudyRole, bool]:
    """The part of whoever has this address in the study, and whether it is new to them.

    An address without an account gets one, and everybody who is new to the team a mail with the way to sign
    in. `site_url` is where people reach the site. Raises EmailInvalid, AccountClosed or IsParticipant.
    """
    address = normal_email(email)
    known = User.objects.filter(email=address).first()
    if known is not None and not known.is_active:
        raise AccountClosed(
            _("The account of %(email)s is closed. Ask whoever runs this site to open it again.")
            % {"email": address}
        )
    require_no_participant(study, address)
    user, _changed = staff_add(email=address, actor=actor)
    row, is_new = role_give(study=study, user=user, role=role, now=now, actor=actor)
    if is_new and not study.roles.filter(user=user).exclude(pk=row.pk).exists():
        context: dict[str, object] = {
            "study": study,
            "role": row.get_role_display(),
            "link": site_url.rstrip("/") + reverse("staff_home"),
        }
        mail_queue(message=mail_of("colleague", context, to=address), now=now, valid_for=MAIL_VALID_FOR)
    return row, is_new


@transaction.atomic
def staff_invite(
    *, email: str, superuser: bool, creates_studies: bool, site_url: str, now: datetime, actor: User
) -> tuple[User, bool]:
    """The person as staff of the site, and whether anything changed; whoever was none gets a mail with the
    way to sign in. `site_url` is where people reach the site. Raises EmailInvalid.
    """
    address = normal_email(email)
    was_staff = User.objects.filter(email=address, is_staff=True, is_active=True).exists()
    user, changed = staff_add(
        email=address, superuser=superuser, creates_studies=creates_studies, actor=actor
    )
    if not was_staff:
        context: dict[str, object] = {"link": site_url.rstrip("/") + reverse("staff_home")}
        mail_queue(message=mail_of("staff", context, to=address), now=now, valid_for=MAIL_VALID_FOR)
    return user, changed


@transaction.atomic
def second_factor_reset(*, user: User, reason: str, site_url: str, now: datetime, actor: User) -> None:
    """Take away every passkey, app and recovery code of a member of the staff who lost them, sign them out
    everywhere and tell them by mail; at the next sign-in they set up a new one.

    Raises ResetRefused: nobody resets their own, and nobody without a reason.
    """
    reason = reason.strip()
    if user == actor:
        raise ResetRefused(
            _("Nobody resets their own second factor here. Use “Sign-in and security”, or ask a colleague.")
        )
    if not reason:
        raise ResetRefused(_("Write why it is reset, and how you know that it is they who ask."))
    number = second_factor_forget(user=user)
    sign_out_everywhere(user=user)
    site_event_record(
        SiteEventKind.SECOND_FACTOR_RESET, now, about=user.email, actor=actor, reason=reason, factors=number
    )
    link = site_url.rstrip("/") + reverse("staff_home")
    message = mail_of("factor_reset", {"link": link}, to=user.email, language=user.language)
    mail_queue(message=message, now=now, valid_for=MAIL_VALID_FOR)
