"""Who is owed what, and what the payer says became of it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, OuterRef, Q, QuerySet, Subquery, Value, When

from batches.models import PaidState, PaymentReport, PaymentRule, Session
from batches.rules.payments import Owed, owed
from batches.rules.statuses import SessionStatus
from batches.selectors.sums import answers_written
from studies.models import Participant, Study, VettingStatus
from studies.selectors.participants import withdrew

NOT_STARTED = "not_started"
LINES_AT_ONCE = 2000
# All that lines of a whole study read of people and their sessions.
READ = (
    "code", "profile", "is_test", "study", "user__email", "session__participant",
    "session__status", "session__started_at", "session__deadline_at", "session__ended_at",
    "session__voided_at",
    "platform_entry__platform_participant", "platform_entry__platform_study",
    "platform_entry__platform_session",
)  # fmt: skip


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


def payment_rule(study: Study) -> PaymentRule | None:
    """The rule that holds now."""
    return PaymentRule.objects.filter(study=study).select_related("set_by").last()


def paid_people(study: Study) -> QuerySet[Participant]:
    """Everyone approved or ever started, by code: excluded and withdrawn people too, test people not."""
    worked_or_may = Q(vetting_status=VettingStatus.APPROVED) | Q(session__isnull=False)
    return Participant.objects.filter(worked_or_may, study=study, is_test=False).order_by("code")


def pay_lines(
    study: Study, rule: PaymentRule | None, now: datetime, *, people: Sequence[int] | None = None
) -> list[PayLine]:
    """The people of `paid_people`, or those of them with these keys in their order; in two queries for any
    number.
    """
    if people is None:
        return _with_reports(_worked(paid_people(study)), rule, now)
    lines = _with_reports(_worked(paid_people(study).filter(pk__in=people)), rule, now)
    return sorted(lines, key=lambda line: people.index(line.participant.pk))


def each_pay_line(
    study: Study, rule: PaymentRule | None, now: datetime, *, among: QuerySet[Participant] | None = None
) -> Iterator[PayLine]:
    """All of `pay_lines`, or those `among` these people, in two queries for every `LINES_AT_ONCE` of them."""
    listed = paid_people(study)
    if among is not None:
        listed = listed.filter(pk__in=among.order_by().values("pk"))
    people = _worked(listed).only(*READ)
    after = ""
    while lines := _with_reports(people.filter(code__gt=after)[:LINES_AT_ONCE], rule, now):
        yield from lines
        if len(lines) < LINES_AT_ONCE:
            return
        after = lines[-1].participant.code


def _worked(people: QuerySet[Participant]) -> QuerySet[Participant]:
    """With what `_lines` says of each."""
    newest = PaymentReport.objects.filter(participant=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    return people.select_related("user", "session", "platform_entry").annotate(
        gone=Case(When(withdrew(), then=Value(1)), default=Value(0)),
        newest_report=Subquery(newest),
        answered=answers_written("session__"),
    )


def _with_reports(people: Iterable[Any], rule: PaymentRule | None, now: datetime) -> list[PayLine]:
    found = list(people)
    reports = PaymentReport.objects.in_bulk([one.newest_report for one in found if one.newest_report])
    return list(_lines(found, reports, rule, now))


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
        # How and when it ended, whether or not a sweep came by; no moment while it runs.
        status = session.status_at(now)
        ended_at = session.deadline_at if status == SessionStatus.EXPIRED else session.ended_at
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
