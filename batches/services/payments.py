"""The list of whom to pay and how much, the rule that says so, and the payer's word on what became of it.

The list has addresses, so the trail says who took it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from batches.models import PaidState, PaymentReport, PaymentRule
from batches.rules.payments import PaymentTerms
from batches.selectors.payment_sums import in_tab, pay_people
from batches.selectors.payments import each_pay_line, pay_lines, payment_rule, platform_cells
from formats.cells import csv_cell
from formats.problems import Problem, grouped
from formats.sentences import shortened
from presentation.problems import told
from studies.models import Participant, Study, User
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused
from studies.services.studies import study_lock

PAYMENT_COLUMNS = (
    "code", "address", "profile", "reference", "started_at", "ended_at", "ended_how", "answered",
    "currency", "flat", "hourly", "bonus", "owed", "state", "paid_amount", "note",
    "platform_participant", "platform_study", "platform_session",
)  # fmt: skip


class ReportsRefused(Refused):
    """Nothing of the payer's file was kept; carries every problem of it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, grouped(problems))))


class RuleUnchanged(Refused):
    """The rule says this already."""


class RuleChanged(Refused):
    """Another rule was set since whoever asks looked; nothing was set now."""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One line of the payer's file; `amount` is None where it names none."""

    line: int
    code: str
    state: str
    amount: Decimal | None
    currency: str
    note: str


@dataclass(frozen=True, slots=True)
class ReportImport:
    """How many states were recorded now, and how many said what was known."""

    recorded: int
    unchanged: int


def payments_list(*, study: Study, now: datetime, tab: str = "", words: str = "") -> Iterator[list[str]]:
    """The rows of the file, its columns first, safe to open in a spreadsheet program: of everybody, or of
    those in the tab whose code or address has these words.
    """
    rule = payment_rule(study)
    among = in_tab(pay_people(study, rule, now, words), tab, rule) if tab or words else None
    yield list(PAYMENT_COLUMNS)
    for row in payment_rows(study, now, among=among):
        yield [csv_cell(value) for value in row]


def payment_rows(
    study: Study, now: datetime, *, among: QuerySet[Participant] | None = None
) -> Iterator[tuple[str | None, ...]]:
    """Everyone approved or ever started, by code: excluded and withdrawn people too, test people not; of them
    those `among` these.

    Amounts and states that nobody knows are None.
    """
    rule = payment_rule(study)
    for line in each_pay_line(study, rule, now, among=among):
        session, due, report = line.session, line.owed, line.report
        yield (
            line.participant.code,
            line.participant.user.email,
            line.participant.profile,
            session.reference if session else None,
            session.started_at.isoformat() if session else None,
            line.ended_at.isoformat() if line.ended_at else None,
            line.how,
            str(line.answered) if session else None,
            rule.currency if rule and due else None,
            *((str(due.flat), str(due.hourly), str(due.bonus), str(due.total)) if due else (None,) * 4),
            report.state if report else None,
            str(report.amount) if report and report.amount is not None else None,
            report.note or None if report else None,
            *platform_cells(line.participant),
        )


@transaction.atomic
def payment_rule_set(
    *,
    study: Study,
    currency: str,
    terms: PaymentTerms,
    actor: User,
    now: datetime,
    seen: str | None = None,
) -> PaymentRule:
    """Pay by these terms from now on, whatever was paid before. `seen` is the `rule_key` of the rule that
    whoever asks knew of. Raises RuleUnchanged, RuleChanged.
    """
    study = study_lock(study)
    before = payment_rule(study)
    if before is not None and (before.currency, before.terms) == (currency, terms):
        raise RuleUnchanged(_("The rule says this already; nothing was changed."))
    if seen is not None and seen != rule_key(before):
        raise RuleChanged(
            _(
                "Another rule was set after you opened this page. Yours is not set yet, and nothing is lost: "
                "compare the two and set it again to keep what you wrote."
            )
        )
    rule = PaymentRule.objects.create(
        study=study,
        currency=currency,
        flat=terms.flat,
        hourly=terms.hourly,
        hours_cap=terms.hours_cap,
        bonus=terms.bonus,
        bonus_answers=terms.bonus_answers,
        pays_withdrawn=terms.pays_withdrawn,
        set_by=actor,
        set_at=now,
    )
    event_record(
        study,
        StudyEventKind.PAYMENT_RULE_SET,
        now,
        actor=actor,
        currency=currency,
        flat=str(terms.flat),
        hourly=str(terms.hourly),
        hours_cap=None if terms.hours_cap is None else str(terms.hours_cap),
        bonus=str(terms.bonus),
        bonus_answers=terms.bonus_answers,
        pays_withdrawn=terms.pays_withdrawn,
    )
    return rule


def rule_key(rule: PaymentRule | None) -> str:
    """What a rule is recognised by, blank without one; a page hands it back with what was written."""
    return str(rule.pk) if rule else ""


@transaction.atomic
def payment_reports_import(
    *,
    study: Study,
    rows: Sequence[ReportRow],
    unread: Sequence[Problem] = (),
    actor: User,
    now: datetime,
) -> ReportImport:
    """Record what the payer says, all of it or nothing. The same once more changes nothing.

    Raises ReportsRefused with every problem, `unread` being those of lines that could not be read.
    """
    study = study_lock(study)
    rule = payment_rule(study)
    known = {line.participant.code: line for line in pay_lines(study, rule, now)}
    currency = rule.currency if rule else ""
    if problems := [*unread, *_problems(rows, set(known), currency)]:
        raise ReportsRefused(sorted(problems, key=lambda problem: problem.line or 0))
    new = []
    for row in rows:
        report = known[row.code].report
        if report is None or (report.state, report.amount, report.note) != (row.state, row.amount, row.note):
            new.append(row)
    reports = (_report(row, known[row.code].participant, currency, actor, now) for row in new)
    PaymentReport.objects.bulk_create(reports, batch_size=500)
    if new:
        states = Counter(row.state for row in new)
        event_record(study, StudyEventKind.PAYMENTS_REPORTED, now, actor=actor, states=dict(states))
    return ReportImport(len(new), len(rows) - len(new))


def _report(
    row: ReportRow, participant: Participant, currency: str, actor: User, now: datetime
) -> PaymentReport:
    return PaymentReport(
        participant=participant,
        state=row.state,
        amount=row.amount,
        currency=currency if row.amount is not None else "",
        note=row.note,
        reported_by=actor,
        reported_at=now,
    )


def _problems(rows: Sequence[ReportRow], codes: set[str], currency: str) -> list[Problem]:
    first: dict[str, int] = {}
    problems: list[Problem] = []
    for row in rows:
        line = first.setdefault(row.code, row.line)
        facts = {
            "code": shortened(row.code), "state": shortened(row.state), "named": shortened(row.currency),
            "first": line, "currency": currency,
        }  # fmt: skip
        sentences = []
        if row.code not in codes:
            sentences.append(_('nobody who is to be paid has the code "%(code)s"'))
        elif line != row.line:
            sentences.append(_("%(code)s is on line %(first)d already; keep one line"))
        if not row.state:
            sentences.append(_("there is an amount or a note and no state; write ordered, paid or failed"))
        elif row.state not in set(PaidState):
            sentences.append(_('the state is "%(state)s"; write ordered, paid or failed'))
        if (row.amount is not None or row.currency) and not currency:
            sentences.append(_("names an amount or a currency, and the study has no payment rule yet"))
        elif row.currency and row.currency != currency:
            sentences.append(_('the currency is "%(named)s", and the rule of the study says %(currency)s'))
        problems += [told(row.line, "", sentence % facts) for sentence in sentences]
    return problems
