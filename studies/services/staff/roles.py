"""Giving somebody a part in a study, rights besides, and taking it back; what services ask of who acts."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from studies.models import Participant, Study, StudyRole, User
from studies.roles import GRANTABLE, Can, Role
from studies.selectors.roles import leads_of, rights_of_actor
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused

# What shows people or scores, but for a lead, who sees everything and is known to.
SIGHTED = (Role.COORDINATOR, Role.ANALYST)


class NotOfStaff(Refused):
    """Only staff who can sign in have a part in a study."""


class IsParticipant(Refused):
    """The person takes part in this study, or the account in any, and not to try it out."""


class NotBlind(Refused):
    """A reviewer decides without knowing who somebody is or how they scored, which the other part shows."""


class LastLead(Refused):
    """The study would have nobody left who leads it."""


class NotTheirs(Refused):
    """Whoever acts lacks the right, or has it no longer."""


class NoCoordinator(Refused):
    """Only a coordinator is given rights one by one."""


def require_right(actor: User | None, study: Study, right: Can) -> None:
    """Raise NotTheirs unless whoever acts has this right in the study now; None is the command line."""
    if right not in rights_of_actor(actor, study):
        raise NotTheirs(
            _(
                "Your part in this study does not include this, or no longer. Its lead can do it, or give "
                "you the right."
            )
        )


@transaction.atomic
def rights_give(
    *, study: Study, user: User, rights: Collection[Can], now: datetime, actor: User | None = None
) -> bool:
    """Whether that changed anything: from now on the study's coordinator has exactly these rights besides
    their part. Raises NoCoordinator, or ValueError for a right that is given to nobody.
    """
    if not set(rights) <= set(GRANTABLE):
        raise ValueError("no coordinator is given this right")
    part = StudyRole.objects.select_for_update().filter(study=study, user=user, role=Role.COORDINATOR).first()
    if part is None:
        raise NoCoordinator(_("%(email)s is no coordinator of this study any more.") % {"email": user.email})
    wanted, before = [right.value for right in GRANTABLE if right in rights], part.rights
    if wanted == before:
        return False
    part.rights = wanted
    part.save(update_fields=["rights"])
    event_record(
        study, StudyEventKind.RIGHTS_CHANGED, now, actor=actor, person=user.pk,
        given=[right for right in wanted if right not in before],
        taken=[right for right in before if right not in wanted],
    )  # fmt: skip
    return True


@transaction.atomic
def role_give(
    *, study: Study, user: User, role: Role, now: datetime, actor: User | None = None
) -> tuple[StudyRole, bool]:
    """The person's part in the study, and whether they did not have it before. Raises NotOfStaff,
    IsParticipant or NotBlind.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if not (user.is_active and user.is_staff):
        raise NotOfStaff(
            _("%(email)s is no staff member who can sign in; add them as staff first.")
            % {"email": user.email}
        )
    require_no_participant(study, user.email)
    excluded = SIGHTED if role == Role.REVIEWER else [Role.REVIEWER] if role in SIGHTED else []
    other = study.roles.filter(user=user, role__in=excluded).first()
    if other is not None:
        raise NotBlind(
            _(
                "%(email)s is %(role)s of this study. Whoever reviews decides without seeing who somebody is "
                "or how they scored, so nobody is both. Take the other part back first, or make them lead."
            )
            % {"email": user.email, "role": other.get_role_display().lower()}
        )
    given = {"given_by": actor, "given_at": now}
    row, is_new = StudyRole.objects.get_or_create(study=study, user=user, role=role.value, defaults=given)
    if is_new:
        event_record(study, StudyEventKind.ROLE_GIVEN, now, actor=actor, role=role.value, person=user.pk)
    return row, is_new


def require_no_participant(study: Study, email: str) -> None:
    """Raise IsParticipant where whoever has this address takes part in the study, and not to try it out."""
    people = Participant.objects.filter(study=study, user__email__iexact=email.strip(), is_test=False)
    if people.exists():
        raise IsParticipant(
            _("%(email)s takes part in this study, so they cannot look after it, too.") % {"email": email}
        )


@transaction.atomic
def role_take(*, study: Study, user: User, role: Role, now: datetime, actor: User | None = None) -> bool:
    """Whether the person had this part, which they have no more. A study keeps one lead: raises LastLead."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    row = StudyRole.objects.filter(study=study, user=user, role=role.value).first()
    if row is None:
        return False
    if role == Role.LEAD and not leads_of(study).exclude(user=user).exists():
        if actor is not None and user.pk == actor.pk:
            raise LastLead(
                _(
                    "You are the only lead of this study, so you stay its lead. Make somebody else lead "
                    "first; then give this part back."
                )
            )
        raise LastLead(
            _("%(email)s is the only lead of this study. Make somebody else lead first.")
            % {"email": user.email}
        )
    row.delete()
    event_record(study, StudyEventKind.ROLE_TAKEN, now, actor=actor, role=role.value, person=user.pk)
    return True
