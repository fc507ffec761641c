"""Sections of a study's report that are made from its records: flow, estimates, provenance, limits."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from batches.rules.statuses import VOID, AnswerState
from presentation.catalogue import ABILITY, SCORED_ANSWERS, WORDS
from presentation.first_intervals import (
    PUBLISHED,
    accuracy_cell,
    first_cell,
    interval_sentences,
    mean_cell,
    pool_cell,
    published_cell,
)
from presentation.measures import group_name, or_dash
from presentation.numbers import counted, decimals
from presentation.scopes import LEADS
from presentation.tables import ABSENT, Table, Term, table_of
from psychometrics.inference.measure import Scope
from psychometrics.measures.headlines import GroupNumbers
from reporting.report.parts import Beside, Bullets, Facts, Figure, Heading, Paragraph, Part, Tone
from reporting.selectors.report_records import StudyRecords
from reporting.selectors.reports import Report
from scoring.selectors.headlines import results_lead


def moment(at: datetime | None) -> str:
    """A time to the minute, in UTC."""
    return f"{date_format(at, _('j F Y, H:i'))} UTC" if at else ABSENT


def flow_parts(records: StudyRecords) -> Iterator[Part]:
    """From recruited to retained, and what became of the answers of who is retained."""
    flow = records.flow
    people = (
        (_("Recruited"), flow.recruited),
        (_("Approved"), flow.approved),
        (_("Rejected"), flow.rejected),
        (_("Started"), flow.started),
        (_("Working now"), flow.active),
        (_("Handed in"), flow.submitted),
        (_("Time ran out"), flow.expired),
        (_("Withdrew"), flow.withdrawn),
        *([(_("Session voided by the study team"), flow.voided)] if flow.voided else []),
        (_("Flagged as off-task"), flow.flagged),
        (_("Not counted as off-task"), flow.excluded),
        (_("Counted"), flow.retained),
    )
    states: dict[str, str] = {
        AnswerState.ANSWERED: _("Handed in"),
        AnswerState.DRAFTED_AT_EXPIRY: _("Saved when the time ran out, not handed in"),
        AnswerState.DRAFT: _("Saved, session still running"),
        AnswerState.BLANK: _("Emptied again"),
        AnswerState.SKIPPED: _("Seen, nothing written"),
        AnswerState.NOT_REACHED: _("Never opened"),
        AnswerState.WITHDRAWN: _("Withdrawn"),
        VOID: _("Session voided by the study team"),
    }
    yield Heading(_("Flow of participants"))
    counted_people = Table(
        _("People; test participants are counted nowhere"),
        [_("Step"), _("People")],
        [[name, counted(number)] for name, number in people],
    )
    counted_answers = Table(
        _("Answers of counted people by state; none of the missing ones is zero"),
        [_("State"), _("Answers")],
        [[states[state], counted(number)] for state, number in flow.answers_retained.items()],
    )
    yield Beside(([counted_people], [counted_answers]))


def estimate_parts(report: Report, figure: Iterable[Figure] = ()) -> Iterator[Part]:
    """The stored estimates, with what must be known before any of them is quoted."""
    yield Heading(_("Estimates"))
    if report.of:
        yield Paragraph(f"{report.of}. {LEADS[results_lead(report.results).why]}")
    for note in report.notes:
        yield Paragraph(note, Tone.WARNING)
    yield Paragraph(
        _("Average is everybody counted. Top is selected on the outcome (in-sample) and therefore too high.")
    )
    yield from map(Paragraph, interval_sentences(report.overall, report.categories))
    rows = [*report.overall, *report.categories]
    if report.has_theta:
        yield table_of(
            _("Ability in logits"),
            rows,
            (
                (_("Group"), _row_name(report)),
                (ABILITY, pool_cell),
                (_("SE"), lambda row: decimals(row.se_pool)),
                (_("95 % interval"), first_cell),
                (PUBLISHED, published_cell),
            ),
        )
    if any(row.raw_mean is not None or row.withheld for row in rows):
        yield _means_table(report, rows)
    yield _counts_table(report, rows if report.has_theta else report.overall)
    yield from figure
    if report.tasks:
        tasks = [[task.task, *map(accuracy_cell, (task.average, task.top))] for task in report.tasks]
        metrics = [
            [metric.name, *map(or_dash, map(decimals, (metric.average, metric.top)), metric.why)]
            for metric in report.metrics
        ]
        caption = _("Task benchmark, in percent")
        yield Table(caption, [_("Task"), _("Average"), _("Top as picked")], [*tasks, *metrics])


def _row_name(report: Report) -> Callable[[GroupNumbers], str]:
    def name(row: GroupNumbers) -> str:
        whole = _("all public questions") if row.scope == Scope.PUBLIC else _("all questions")
        return f"{group_name(row.group)}, {report.category(row) or whole}"

    return name


def _means_table(report: Report, rows: Sequence[GroupNumbers]) -> Table:
    return table_of(
        _("What the groups rest on, and the mean score"),
        rows,
        (
            (_("Group"), _row_name(report)),
            (_("People"), lambda row: counted(row.participants)),
            (_("Responses per question"), lambda row: decimals(row.responses_per_prompt)),
            (_("Mean score"), mean_cell),
            (_("Coverage"), lambda row: decimals(row.coverage, 3)),
        ),
    )


def _counts_table(report: Report, rows: Sequence[GroupNumbers]) -> Table:
    """Without an item bank there is nothing that it could lack."""
    caption, lacking = _("What the estimates rest on: expected = missing + judge failed + scored answers"), []
    if report.has_bank:
        caption = _(
            "What the estimates rest on: expected = missing + judge failed + scored answers + questions "
            "the item bank lacks"
        )
        lacking = [(_("Not in the bank"), lambda row: counted(row.unknown_items))]
    return table_of(
        caption,
        rows,
        (
            (_("Group"), _row_name(report)),
            (_("Expected"), lambda row: counted(row.expected)),
            (_("Missing"), lambda row: counted(row.missing)),
            (Term(_("Judge failed"), _("Unscored")), lambda row: counted(row.unscored)),
            *lacking,
            (SCORED_ANSWERS, lambda row: counted(row.pairs)),
            (_("Questions"), lambda row: counted(row.prompts)),
        ),
    )


def provenance_parts(records: StudyRecords, software: str) -> Iterator[Part]:
    """Where every number comes from, and how to get it again."""
    results, measurement = records.results, records.measurement
    rows = [(_("Software"), software), (_("Study"), records.study.slug)]
    if results:
        judge = results.run.config.slug if results.run.config else results.run.judge_kind
        public = results.inputs_sha256_public
        hash_name = (
            _("Fingerprint of the inputs on public questions") if public else _("Fingerprint of the inputs")
        )
        rows += [
            (_("Judge"), f"{judge}, {results.run.judge_sha256}"),
            (_("Protocol fingerprint of the scores"), results.run.protocol_hash),
            (hash_name, results.sha256_to_leave),
            (_("Results computed"), moment(results.computed_at)),
        ]
    if measurement:
        rows += [
            (_("Measurement computed"), moment(measurement.computed_at)),
            (_("Seed"), str(measurement.seed)),
            (_("Resamples"), counted(measurement.resamples)),
        ]
    yield Heading(_("Provenance"))
    yield Facts(_("Where the numbers come from"), rows)
    yield Paragraph(
        _(
            "The export of the study, from its page Exports, holds the tables that these numbers are "
            "computed from, and recompute.py, which computes them again and says of each whether it agrees."
        )
    )


def words_part() -> Facts:
    """The words of the report with the exact terms, which a printed file has no tooltips for."""
    return Facts(
        _("Words of this report, and the exact terms"),
        [(str(plain), exact) for plain, exact in WORDS],
    )


def limit_parts() -> Iterator[Part]:
    yield Heading(_("Limits"))
    yield Bullets(
        [
            _("One question set cannot rank people; nothing here says anything about one person."),
            _(
                "Top is chosen by the scores that it is measured with; wherever it stands, it is picked by "
                "these same scores."
            ),
            _(
                "Item parameters hold for the judge, the judge texts and the number of responses per "
                "question that they were calibrated with."
            ),
            _(
                "Answers that are missing are left out of the estimates; the bounds show what they could "
                "change."
            ),
            _(
                "Intervals are conditional on the design that was used, and on the judge being the same "
                "throughout."
            ),
        ]
    )
