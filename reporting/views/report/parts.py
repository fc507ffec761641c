"""A study's report from its records: what stands in it, in which order."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from django.utils.formats import date_format
from django.utils.translation import get_language, gettext as _, ngettext

from presentation.measures import dashed, says_little, why_dashes
from presentation.numbers import counted, numbered
from presentation.scopes import QUESTIONS
from presentation.tables import ABSENT, Dash, PlainWord, Table
from psychometrics.inference.measure import Block, Scope
from reporting.models import ChecklistAnswer
from reporting.report.parts import Document, Heading, Paragraph, Part, Tone, Words
from reporting.selectors.checklist_items import answers_of
from reporting.selectors.headline import Headline
from reporting.selectors.report_records import StudyRecords, study_records
from reporting.selectors.reports import SIMULATED, Report
from reporting.views.measurement.beside import ability_chart, beside_categories, beside_table
from reporting.views.measurement.blocks_shown import PAGES
from reporting.views.report import sections
from reporting.views.report.checklist_records import checklist_parts, state_counts
from reporting.views.report.front import brief_parts, finding, front_parts, reported_headline
from reporting.views.report.judges import judge_parts
from reporting.views.report.methods import methods_texts
from reporting.views.report.protocol import protocol_parts, settings_parts
from reporting.views.report.references import reference_parts
from reporting.views.report.tasks import PAPER, figure_parts
from scoring.selectors.measures import BlockMeasures
from scoring.selectors.runs import changes_since
from studies.models import Study
from studies.selectors.studies import software

MAX_ROWS = 100  # of a table in the report
FINGERPRINT = 8  # characters of a hash in the foot of each page


def study_document(study: Study) -> Document:
    """The whole report, as everything is stored now."""
    records, answers = study_records(study, every_block=True), answers_of(study)
    version = software()
    headline = reported_headline(records)
    computed = (
        _("results of %(at)s") % {"at": date_format(records.results.computed_at, _("j F Y"))}
        if records.results
        else ""
    )
    of = headline.report.of if headline else ""
    # What this report is of, as an export's manifest names it: the protocol, the data under the results.
    protocol, data = study.protocol_hash, records.results.sha256_to_leave if records.results else ""
    fingerprints = (
        _("protocol {hash}").format(hash=protocol[:FINGERPRINT]) if protocol else "",
        _("data {hash}").format(hash=data[:FINGERPRINT]) if records.results else "",
    )
    return Document(
        name=_("%(name)s: report") % {"name": study.name},
        title=finding(headline) if headline else _("No results have been computed yet"),
        kicker=" · ".join(filter(None, (study.name, computed, of))),
        foot=" · ".join(filter(None, (study.name, *fingerprints))),
        written_at=newest_moment(records, answers),
        software=version,
        # What the formats say by themselves.
        words=Words(
            language=(get_language() or "en").split("-")[0],
            contents=_("Contents"),
            undrawn=_("In [brackets]: letters that this file has no font for; report.html has them."),
        ),
        parts=[shortened(part) for part in _report_parts(records, answers, headline, version)],
        warning=str(SIMULATED) if study.is_simulated else "",
    )


def newest_moment(records: StudyRecords, answers: dict[str, ChecklistAnswer]) -> datetime:
    """When the newest of what the report shows was stored: no clock is read, so that it can be made again."""
    stored = (records.results, records.measurement)
    times = [computed.computed_at for computed in stored if computed is not None]
    times += [answer.answered_at for answer in answers.values()]
    times += [amendment.made_at for amendment in records.amendments]
    return max([*times, records.study.frozen_at or records.study.created_at])


def _report_parts(
    records: StudyRecords,
    answers: dict[str, ChecklistAnswer],
    headline: Headline | None,
    version: str,
) -> Iterator[Part]:
    """The brief first; then how it was done; then everything in full."""
    if headline is None:
        yield Paragraph(_("No results have been computed yet, so there are no estimates in this report."))
    else:
        yield from front_parts(records, headline, changes_words(records))
        yield from brief_parts(records, headline)
    yield Heading(_("Methods in short"), 1, _("How it was done"))
    yield from map(Paragraph, methods_texts(records, headline))
    yield from sections.flow_parts(records)
    yield from protocol_parts(records)
    yield from sections.limit_parts()
    yield from reference_parts(records)
    yield Heading(_("Appendices"), new_page=True)
    checklist = checklist_parts(records, answers)
    counts = state_counts(checklist)
    yield Heading(_("Human-baseline checklist"))
    yield Paragraph(
        numbered(
            _(
                "The items of Wei et al. 2025 (arXiv 2506.13776, appendix B) by number, in our own words. "
                "From "
                "the records: %(automatic)d; answered by the study lead: %(answered)d; missing: %(missing)d."
            ),
            {state.value: number for state, number in counts.items()},
        )
    )
    yield from checklist
    if headline is not None:
        yield from _result_parts(records, headline.report)
    yield from judge_parts(records.study, records.scope)
    yield from settings_parts(records.study)
    yield from sections.provenance_parts(records, version)
    yield sections.words_part()


def changes_words(records: StudyRecords) -> str:
    """What happened since the results were computed: with it the numbers of people and those of results
    tell of two moments. Blank where nothing did, or there are none.
    """
    if records.results is None:
        return ""
    changes = changes_since(records.results, public_only=records.scope == Scope.PUBLIC)
    if not changes:
        return ""
    return _(
        "Since the results were computed: %(changes)s. They tell of before that, everything else of now."
    ) % {"changes": ", ".join(changes)}


def _result_parts(records: StudyRecords, report: Report) -> Iterator[Part]:
    """Estimates and every block of the measurement; one sentence where there is nothing.

    A report leaves the site as an export does: without rows about a private prompt or who withdrew.
    """
    figure = figure_parts(
        ability_chart(report, PAPER),
        _("Ability of Average with intervals and of Top without, for all questions and by category."),
        _(
            "Ability (theta.pool), Average with the 95 % interval that stands first. Top is picked by these "
            "same scores."
        ),
    )
    yield from sections.estimate_parts(report, figure)
    for table in (beside_table(report, records.blocks.get(Block.TOP)), beside_categories(report)):
        if table:
            yield table
    yield Heading(_("Measurement"))
    if records.measurement is None:
        yield Paragraph(_("These results are not measured yet, so the report ends with the estimates."))
        return
    for block in map(Block, records.measurement.ended(records.scope)):
        of = str(QUESTIONS[records.scope_of(block)]) if records.lead.both_exist else ""
        measures = records.blocks[block]
        rows = tuple(row for row in measures.rows if row.pk in records.leaving)
        yield from block_parts(replace(measures, rows=rows), PAGES[block].title, of)


def block_parts(measures: BlockMeasures, title: object, of: str = "") -> Iterator[Part]:
    """One block as its page shows it; `of` says which prompts its numbers rest on."""
    page = PAGES[measures.block]
    yield Heading(str(title), 2)
    if of:
        yield Paragraph(f"{of}.")
    if measures.sentence:
        yield Paragraph(measures.sentence)
    yield from map(Paragraph, page.summary(measures))
    for plot in page.figures.values() if measures.rows else ():
        yield from figure_parts(plot.draw(measures, PAPER), plot.alt, plot.caption)
    tables = [table for table in page.tables(measures) if not (measures.sentence and says_little(table))]
    # All but those about single people: a report is passed on.
    yield from (table for table in tables if not table.about_people)
    if any(table.about_people for table in tables):
        yield Paragraph(_("Tables about single people stay on the site."), Tone.NOTE)


def filled(table: Table) -> Table | Paragraph:
    """The table without columns without a value and rows without a number, which notes name and count, with
    why; a sentence where no row has a number.

    One reason for all absent numbers of what is left is said once, as the pages do; of several, or of one in
    a single cell, each cell says its own.
    """
    dashes, _said = dashed(table)
    kept = [number for number, row in enumerate(dashes.rows) if not _lacks_number(row)]
    rows, left = [dashes.rows[number] for number in kept], len(dashes.rows) - len(kept)
    of_left = why_dashes(row for row in dashes.rows if _lacks_number(row))
    if not rows:
        note = _("No number in “%(table)s”: %(reasons)s.")
        of = {"table": table.caption.removesuffix("."), "reasons": "; ".join(of_left)}
        return Paragraph(note % of, Tone.NOTE) if of_left else table
    places = [
        place for place in range(len(table.head)) if not place or any(_says(row[place]) for row in rows)
    ]
    notes = list(table.notes)
    if empty := [place for place in range(len(table.head)) if place not in places]:
        names = ", ".join(table.head[place] for place in empty)
        note = _("Left out, as no row has a value: {columns}.").format(columns=names)
        notes.append(_with_reasons(note, why_dashes([row[place] for place in empty] for row in rows)))
    if left:
        note = ngettext(
            "%(number)s row without a number is left out.",
            "%(number)s rows without a number are left out.",
            left,
        )
        notes.append(_with_reasons(note % {"number": counted(left)}, of_left))
    absent = [row[place] for row in rows for place in places if row[place] == ABSENT]
    known = all(isinstance(cell, Dash) for cell in absent)
    if not known or len(absent) == 1 or len(why_dashes([absent])) != 1:
        rows = [table.rows[number] for number in kept]
    rows = [[row[place] for place in places] for row in rows]
    if known and (why := why_dashes(rows)):
        notes.append(f"{_('Why numbers are absent:')} {'; '.join(why)}.")
    return replace(table, head=[table.head[place] for place in places], rows=rows, notes=notes)


def _with_reasons(sentence: str, reasons: Sequence[str]) -> str:
    return f"{sentence.removesuffix('.')} ({'; '.join(reasons)})." if reasons else sentence


def _lacks_number(row: Sequence[str]) -> bool:
    """Whether a row lacks the number that it is for, which comes first, and most of the others."""
    return not _says(row[1]) and 2 * sum(map(_says, row[1:])) < len(row) - 1


def _says(cell: str) -> bool:
    return cell not in ("", ABSENT)


def shortened(part: Part) -> Part:
    """No table is longer than anybody reads; the first rows stay, and a note counts the others."""
    if not isinstance(part, Table):
        return part
    head = []
    for name in part.head:
        # It begins with a capital, as on the pages; a sign such as n stays.
        begun = name
        if re.match(r"[^\W\d_]{2,}(?![\w.])", name):
            begun = name[:1].upper() + name[1:]
            begun = PlainWord(begun, name.code) if isinstance(name, PlainWord) else begun
        head.append(begun)
    part = filled(replace(part, head=head))
    if isinstance(part, Paragraph) or len(part.rows) <= MAX_ROWS:
        return part
    left = len(part.rows) - MAX_ROWS
    note = ngettext(
        "%(number)s more row is left out of this report.",
        "%(number)s more rows are left out of this report.",
        left,
    ) % {"number": counted(left)}
    return replace(part, rows=part.rows[:MAX_ROWS], notes=[*part.notes, note])
