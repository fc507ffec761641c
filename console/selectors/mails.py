"""Reads of a study's mails: each kind with its switch and counts, and what became of single mails."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from studies.models import MailKind, MailOutcome, MailRecord, MailSwitch, Study, StudyRole

WHEN = {
    MailKind.INVITATION: _("When somebody of the team invites a person, and each time they send it again."),
    MailKind.DECISION: _(
        "When the team approves or rejects an application, or withdraws somebody at their wish."
    ),
    MailKind.REMINDER: _("Three days before the study closes, to those who have not started. Once."),
    MailKind.RECEIPT: _("When a session ends: submitted, or at its deadline. It holds no answers."),
    MailKind.REPLY: _("When the team answers a message. The answer is in the mail."),
    MailKind.DIGEST: _(
        "Once a day from 06:00 where they are, to each member of the team for whom something waits."
    ),
}


@dataclass(frozen=True, slots=True)
class KindShown:
    """One kind of mail as the page lists it."""

    kind: MailKind
    when: Promise
    is_off: bool
    has_switch: bool
    sent: int
    waiting: int
    failed: int
    last_sent_at: datetime | None


def mail_kinds(study: Study) -> list[KindShown]:
    """Every kind in the order in which somebody meets them."""
    off = set(MailSwitch.objects.filter(study=study).values_list("kind", flat=True))
    rows = (
        _all(study)
        .order_by()
        .values("kind")
        .annotate(
            sent=Count("pk", filter=Q(outcome=MailOutcome.SENT)),
            waiting=Count("pk", filter=Q(outcome=MailOutcome.WAITING)),
            failed=Count("pk", filter=Q(outcome=MailOutcome.FAILED)),
            last_sent_at=Max("decided_at", filter=Q(outcome=MailOutcome.SENT)),
        )
    )
    counts: dict[str, Any] = {row["kind"]: row for row in rows}
    kinds = []
    for kind in MailKind:
        numbers = counts.get(kind, {})
        line = KindShown(
            kind=kind,
            when=WHEN[kind],
            is_off=kind in off,
            has_switch=kind != MailKind.INVITATION,
            sent=numbers.get("sent", 0),
            waiting=numbers.get("waiting", 0),
            failed=numbers.get("failed", 0),
            last_sent_at=numbers.get("last_sent_at"),
        )
        kinds.append(line)
    return kinds


def mails_of_study(study: Study, *, outcome: str = "", kind: str = "") -> QuerySet[MailRecord]:
    """What was queued for people of the study and its team, newest first."""
    records = _all(study).select_related("participant", "member", "mail__invitation")
    records = records.order_by("-queued_at", "-pk")
    if outcome:
        records = records.filter(outcome=outcome)
    return records.filter(kind=kind) if kind else records


def _all(study: Study) -> QuerySet[MailRecord]:
    """A digest belongs to every study of the member it went to."""
    team = StudyRole.objects.filter(study=study).values("user")
    return MailRecord.objects.filter(Q(study=study) | Q(study=None, kind=MailKind.DIGEST, member__in=team))
