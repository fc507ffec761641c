"""Reads of invitations."""

import hashlib
from datetime import datetime

from django.db.models import Case, CharField, Count, Exists, OuterRef, Q, QuerySet, TextChoices, Value, When
from django.utils.translation import gettext_lazy as _

from studies.models import Invitation, OutgoingMail, Participant, Study, User


class InvitationState(TextChoices):
    """Where an invitation is."""

    NOT_SENT = "not_sent", _("not sent")
    QUEUED = "queued", _("on its way")
    SENT = "sent", _("sent")
    EXPIRED = "expired", _("expired")
    ACCEPTED = "accepted", _("accepted")
    REVOKED = "revoked", _("revoked")


def token_sha256(token: str) -> str:
    """What the token of a link is recognised by; all that is stored of it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def participant_let_in(token: str, user: User) -> Participant | None:
    """This person's place in the study, if they got it by this link."""
    accepted = Participant.objects.filter(user=user, invitation__token_sha256=token_sha256(token))
    return accepted.select_related("study").first()


def invitations_of(study: Study, now: datetime) -> QuerySet[Invitation]:
    """All invitations to a study, newest first, annotated with their `state`."""
    return study.invitations.annotate(state=_state(now)).order_by("-id")


def invitation_counts(study: Study, now: datetime) -> dict[InvitationState, int]:
    """How many invitations are in each state."""
    rows = study.invitations.annotate(state=_state(now)).values_list("state").annotate(number=Count("id"))
    counts = dict(rows.order_by())
    return {state: counts.get(state.value, 0) for state in InvitationState}


def _state(now: datetime) -> Case:
    return Case(
        When(~Q(accepted_at=None), then=Value(InvitationState.ACCEPTED.value)),
        When(~Q(revoked_at=None), then=Value(InvitationState.REVOKED.value)),
        When(
            Q(Exists(OutgoingMail.objects.filter(invitation=OuterRef("pk")))) & Q(send_problem=""),
            then=Value(InvitationState.QUEUED.value),
        ),
        When(Q(sent_at=None), then=Value(InvitationState.NOT_SENT.value)),
        When(Q(expires_at__lte=now), then=Value(InvitationState.EXPIRED.value)),
        default=Value(InvitationState.SENT.value),
        output_field=CharField(),
    )
