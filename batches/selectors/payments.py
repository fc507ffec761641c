"""Who is owed what, and what the payer says became of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Case, Count, OuterRef, Q, QuerySet, Subquery, Value, When

from batches.models import PaidState, PaymentReport, PaymentRule, Session
from batches.rules.payments import NOTHING, Owed, owed
from batches.rules.statuses import SessionStatus
from studies.models import Participant, Study, VettingStatus
from studies.selectors.participants import withdrew

NOT_STARTED = "not_started"


@dataclass(frozen=True, slots=True)
class PayLine:
    """One person: how they worked, what they are owed (None: not known yet), what the payer said last.

    `how` is the session's status by the clock, or "not_started". `owed` is None without a rule, too.
    """

    participant: Participant
    session: Session | None
    how: str
    ended_at: datetime | None
    answered: int
    owed: Owed | None
    report: PaymentReport | None

    @property
    def is_paid(self) -> bool:
        return self.report is not None and self.report.state == PaidState.PAID


@dataclass(frozen=True, slots=True)
class PaySums:
    """Totals over everybody listed.

    `owed` is what is known to be owed, `paid` what was reported as paid, `open` what is owed to those who
    were not reported as paid. `unknown` people still work or have not started; of `silent` people who are
    owed something no state was reported. `differing` were paid another amount than is owed to them.
    """

    owed: Decimal
    paid: Decimal
    open: Decimal
    people: int
    unknown: int
    silent: int
    differing: int


def payment_rule(study: Study) -> PaymentRule | None:
    """The rule that holds now."""
    return PaymentRule.objects.filter(study=study).select_related("set_by").last()


def paid_people(study: Study) -> QuerySet[Participant]:
    """Everyone approved or ever started, by code: excluded and withdrawn people too, test people not."""
    worked_or_may = Q(vetting_status=VettingStatus.APPROVED) | Q(session__isnull=False)
    return Participant.objects.filter(worked_or_may, study=study, is_test=False).order_by("code")


def pay_lines(study: Study, rule: PaymentRule | None, now: datetime) -> list[PayLine]:
    """The people of `paid_people`, in two queries for any number."""
    newest = PaymentReport.objects.filter(participant=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    answered = Count("session__answers", filter=Q(session__answers__has_text=True))
    people = list(
        paid_people(study)
        .select_related("user", "session", "platform_entry")
        .annotate(
            gone=Case(When(withdrew(), then=Value(1)), default=Value(0)),
            newest_report=Subquery(newest),
            answered=answered,
        )
    )
    reports = PaymentReport.objects.in_bulk(
        [person.newest_report for person in people if person.newest_report]
    )
    return list(_lines(people, reports, rule, now))


def _lines(
    people: Sequence[Any], reports: dict[int, PaymentReport], rule: PaymentRule | None, now: datetime
) -> Iterator[PayLine]:
    for person in people:
        session = getattr(person, "session", None)
        gone, answered = bool(person.gone), person.answered
        report = reports.get(person.newest_report)
        if session is None:
            how = SessionStatus.WITHDRAWN.value if gone else NOT_STARTED
            yield PayLine(person, None, how, None, 0, None, report)
            continue
        status, ended_at = true_end(session, now)
        seconds = int((ended_at - session.started_at).total_seconds()) if ended_at else None
        due = None
        if rule is not None:
            due = owed(rule.terms, seconds_worked=seconds, answered=answered, has_withdrawn=gone)
        yield PayLine(person, session, status.value, ended_at, answered, due, report)


def platform_cells(participant: Participant) -> tuple[str | None, str | None, str | None]:
    """The ids by which a recruiting platform knows the person: participant, study, session.

    In files to pay by, so that its payouts can be matched.
    """
    entry = getattr(participant, "platform_entry", None)
    if entry is None:
        return None, None, None
    return entry.platform_participant, entry.platform_study or None, entry.platform_session or None


def true_end(session: Session, now: datetime) -> tuple[SessionStatus, datetime | None]:
    """How and when the session ended, whether or not a sweep came by; no moment while it runs."""
    status = session.status_at(now)
    return status, session.deadline_at if status == SessionStatus.EXPIRED else session.ended_at


def pay_sums(lines: list[PayLine]) -> PaySums:
    """Totals over the lines."""
    due = [line for line in lines if line.owed is not None]
    paid = [line for line in due if line.is_paid]
    total = sum((line.owed.total for line in due if line.owed), NOTHING)
    settled = sum((line.owed.total for line in paid if line.owed), NOTHING)
    return PaySums(
        owed=total,
        paid=sum((_paid_amount(line) for line in lines if line.is_paid), NOTHING),
        open=total - settled,
        people=len(lines),
        unknown=sum(line.owed is None and line.how in {NOT_STARTED, SessionStatus.ACTIVE} for line in lines),
        silent=sum(line.report is None and line.owed is not None and line.owed.total > 0 for line in due),
        differing=sum(differs(line) for line in lines),
    )


def _paid_amount(line: PayLine) -> Decimal:
    """What was paid: the payer's word, or what was owed where they name no amount."""
    if line.report is not None and line.report.amount is not None:
        return line.report.amount
    return line.owed.total if line.owed else NOTHING


def differs(line: PayLine) -> bool:
    """Whether the payer names an amount paid that is not the one owed."""
    if line.report is None or not line.is_paid or line.report.amount is None:
        return False
    return line.owed is None or line.report.amount != line.owed.total
