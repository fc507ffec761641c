"""The first pages of a report: what was found, and how far to trust it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import unescape

from django.utils.html import strip_tags
from django.utils.translation import gettext as _, ngettext

from presentation.drawings.intervals import Behind, Estimate, interval_plot
from presentation.drawings.shapes import Drawing, Key
from presentation.measures import why_absent
from presentation.numbers import counted, decimals, numbered, percent, span
from presentation.scopes import QUESTIONS
from presentation.tables import Sourced, Table
from psychometrics.inference.limits import FEW_CLUSTERS
from psychometrics.inference.measure import Block
from psychometrics.measures.headlines import GroupNumbers
from reporting.report.parts import (
    Beside,
    BigNumber,
    Bullets,
    Facts,
    Heading,
    Numbers,
    Paragraph,
    Part,
    Tone,
)
from reporting.selectors.headline import (
    AVERAGE,
    NO_SCORES,
    Headline,
    Model,
    ability_of,
    headline_of,
    interval_of,
)
from reporting.selectors.report_records import StudyRecords
from reporting.selectors.reports import NO_ITEM_BANK, SIMULATED, report_of
from reporting.views.headline.figure import ladder_drawing, ladder_key, ladder_notes
from reporting.views.headline.sentence import headline_sentence, subject
from reporting.views.headline.standing import ABOVE, BELOW, LEVEL, VERDICT_WORDS, standing_sentence
from reporting.views.headline.tiles import tiles
from reporting.views.headline.trust import checks
from reporting.views.measurement.blocks.uncertainty import widest_error
from reporting.views.report.choices import choice_parts
from reporting.views.report.tasks import Drawn, task_figure, task_finding, task_parts
from scoring.selectors.measures import BlockMeasures

MOST, HALF, MIDDLE = 0.75, 0.5, 0.25  # of the models
LUCK = 0.05  # from this share on, equally able people would come as high too often
FLAGGED = "dif.items_flagged.holm"
NEAREST = 4  # models on either side of people
ROOM = 440  # pixels: how high a figure of the first page is, so that all that belongs to it stands there


def reported_headline(records: StudyRecords) -> Headline | None:
    """What stands first in a report; None before anything was computed."""
    if records.results is None:
        return None
    report = report_of(
        records.results, records.leading, stored=records.headlines, of_tasks=records.holds_tasks
    )
    return may_leave(headline_of(report, records.measurement), records)


def may_leave(found: Headline, records: StudyRecords) -> Headline:
    """The headline without what no report tells: rows that rest on one private question or one person.
    What is of single questions it takes from the scope in which the report tells of them.
    """
    models = tuple(
        replace(
            one,
            difference=one.difference if one.difference and one.difference.pk in records.leaving else None,
        )
        for one in found.models
        if one.theta.pk in records.leaving
    )
    rows = {place: row for place, row in found.rows.items() if row.pk in records.leaving}
    block = records.blocks.get(Block.DIF)
    if block and (row := block.get(FLAGGED)) and row.pk in records.leaving:
        rows[FLAGGED, "", ""] = row
    return replace(found, models=models, rows=rows)


def finding(found: Headline) -> str:
    """The title: where people stand, and no more than the intervals allow."""
    people = subject(found)
    if not found.report.results.flow["retained"] or found.average is None:
        return _("Nobody is counted yet, so there is no result")
    if found.ability is not None and found.compared:
        return f"{_standing(found, people)}{_of_the_best(found)}"
    if found.ability is not None:
        return _("{people} reach an ability of {value}").format(people=people, value=decimals(found.ability))
    share = found.share
    if share is None:
        return _("There is no number that may be told")
    title = _("{people} got {share} of the possible score")
    if share.tasks is not None:
        title = _("{people} got {share} right on average over {tasks} tasks")
    return title.format(people=people, share=percent(share.value, 0), tasks=counted(share.tasks))


def _standing(found: Headline, people: str) -> str:
    """Among the models that there is a verdict on."""
    compared = [(one.name, one.verdict) for one in found.compared]
    number = len(compared)
    above, below, level = (len(found.standing(verdict)) for verdict in (ABOVE, BELOW, LEVEL))
    if number in (above, below, level):
        return unescape(strip_tags(standing_sentence(compared, people))).removesuffix(".")
    if level >= HALF * number:
        title = _("{people} cannot be told apart from {level} of {models} models")
    elif above >= MOST * number:
        title = _("{people} are stronger than {above} of {models} models")
    elif below >= MOST * number:
        title = _("{people} are weaker than {below} of {models} models")
    elif min(above, below) >= MIDDLE * number:
        title = _("{people} stand in the middle of {models} models")
    else:
        title = _("{people} are stronger than {above} and weaker than {below} of {models} models")
    numbers = {"models": number, "above": above, "below": below, "level": level}
    return title.format(people=people, **{name: counted(value) for name, value in numbers.items()})


def _of_the_best(found: Headline) -> str:
    """What the title adds of Top, where that is measured and more than luck."""
    top, share = found.top, found.luck_share
    if top is None or top.low is None or top.high is None or share is None or share.value is None:
        return ""
    if share.value >= LUCK:
        return _("; that the best of them stand higher may be luck")
    values = [model.theta.value or 0.0 for model in found.models]
    below, above = sum(one < top.low for one in values), sum(one > top.high for one in values)
    if below >= MOST * len(values):
        return _("; the best of them stand near the top")
    if len(values) - below - above >= HALF * len(values):
        return _("; how high the best of them stand is unsure")
    return ""


def front_parts(
    records: StudyRecords, found: Headline, changes: str, drawn: Drawn, width: float
) -> Iterator[Part]:
    """The first page."""
    if changes:
        yield Paragraph(changes, Tone.WARNING)
    tasks = records.blocks.get(Block.BENCHMARK) if found.ability is None else None
    told = task_finding(tasks) if tasks and _of_same(records) else ""
    lead = told or unescape(strip_tags(headline_sentence(found)))
    yield Paragraph(" ".join(filter(None, (_counts(found), lead))), Tone.LEAD)
    if tasks:
        yield from task_figure(
            tasks, drawn, width, highest=ROOM, of="" if _of_same(records) else QUESTIONS[records.scope]
        )
    else:
        yield from drawn(
            ladder_drawing(found, width),
            _("People on the ladder of models, from weaker to stronger; the table has the numbers."),
            ladder_key(found),
            ladder_notes(found),
        )
    first = [
        BigNumber(
            one.label, one.value, one.look or "ink", one.sure.ends if one.sure else "", " ".join(one.notes)
        )
        for one in tiles(found)[:2]
    ]
    if first:
        yield Numbers(first)
    care = [note for note in _care(records, found) if told or not found.share or note != str(NO_ITEM_BANK)]
    flow = records.flow
    rows = [
        (_("Recruited"), counted(flow.recruited)),
        (_("Handed in or ran out of time"), counted(flow.submitted + flow.expired)),
        (_("Not counted: off task"), counted(flow.excluded)),
        (_("Counted"), counted(flow.retained)),
    ]
    yield Beside(
        (
            [Heading(_("Who was counted"), 3), Facts(_("Who was counted"), rows)],
            [Heading(_("Read with care"), 3), Bullets(care)],
        )
    )


def _of_same(records: StudyRecords) -> bool:
    """Whether what is told of tasks is of the same questions as the headline."""
    return records.scope_of(Block.BENCHMARK) == records.leading


def _counts(found: Headline) -> str:
    """What the numbers rest on; nothing where nobody counts."""
    row = found.average
    if row is None or not row.participants:
        return ""
    people = ngettext("%(number)s person", "%(number)s people", row.participants)
    answers = ngettext("%(number)s scored answer", "%(number)s scored answers", row.pairs)
    questions = ngettext("%(number)s question", "%(number)s questions", row.prompts)
    numbers = ((people, row.participants), (answers, row.pairs), (questions, row.prompts))
    return ", ".join(text % {"number": counted(number)} for text, number in numbers) + "."


def _care(records: StudyRecords, found: Headline) -> Iterator[str]:
    """What a reader must know beside the numbers, from what is stored."""
    elsewhere = {str(SIMULATED), *found.report.metric_notes}
    yield from (note for note in found.report.notes if note not in elsewhere)
    low, high = (found.get(name, AVERAGE, NO_SCORES) for name in ("multiverse.low", "multiverse.high"))
    if low and high and low.value is not None and high.value is not None:
        facts = {"low": decimals(low.value), "high": decimals(high.value), "number": counted(low.n)}
        yield _(
            "Who is left out, and what a missing answer counts, moves Average between {low} and {high} "
            "(choices compared: {number})."
        ).format(**facts)
    scored = found.get("share.scored", AVERAGE)
    low, high = (
        found.get(f"missing.theta.{found.scale}", AVERAGE, f"bound:{end}") for end in ("low", "high")
    )
    if scored and scored.value is not None and scored.value < 1:
        sentence = _("{share} of the places have no score.")
        if low and high and low.value is not None and high.value is not None:
            sentence = _(
                "{share} of the places have no score; whatever they had scored, Average lies in {ends}."
            )
        ends = span(low.value, high.value) if low and high else ""
        yield sentence.format(share=percent(1 - scored.value), ends=ends)
    average = found.average
    if average and average.clusters is not None and average.clusters < FEW_CLUSTERS:
        yield numbered(
            ngettext(
                "The interval rests on %(number)d group only: how wide it comes out is largely chance.",
                "The interval rests on %(number)d groups only: how wide it comes out is largely chance.",
                average.clusters,
            ),
            {"number": average.clusters},
        )
    if found.compared:
        yield _(
            "Models may have answered several times, people once: all are compared at one answer a question."
        )
    yield _("One question set cannot rank people; nothing here says anything about one person.")


def brief_parts(records: StudyRecords, found: Headline, drawn: Drawn, width: float) -> Iterator[Part]:
    """The pages after it: by category, how sure, beside the nearest models, what choices change."""
    if found.ability is not None and any(
        row.group == AVERAGE and ability_of(row, found.scale) is not None for row in found.report.categories
    ):
        yield from _category_parts(found, drawn, width)
    elif benchmark := records.blocks.get(Block.BENCHMARK):
        yield from task_parts(benchmark, list(_not_above(records, found, benchmark, drawn, width)))
    yield Heading(_("How far to trust it"), 1, "" if found.ability is None else _("Results"))
    if sources := list(_error_rows(records, found)):
        yield Heading(_("How sure this is"), 2)
        yield Table(
            _("What chance could have changed"),
            [_("Source of chance"), _("Standard error"), _("Serves")],
            sources,
        )
    yield from choice_parts(records, found)
    if models := _nearest(found):
        yield Heading(_("Beside the nearest models"), 2)
        yield _models_table(models)
    yield Heading(_("Whether the numbers can be trusted"), 2)
    judged = replace(
        found, report=replace(found.report, scope=records.scope)
    )  # audits tell of single answers
    yield Table(
        _("Checks, each with all its numbers in the appendix"),
        [_("Check"), _("What was found")],
        [[Sourced(one.label, f"{one.term}."), one.text] for one in checks(records.study, judged, "")],
        numeric=False,
    )


def _not_above(
    records: StudyRecords, found: Headline, tasks: BlockMeasures, drawn: Drawn, width: float
) -> Iterator[Part]:
    """What the first page does not say of tasks already."""
    leads, same = found.ability is None, _of_same(records)
    if not (leads and same) and (told := task_finding(tasks)):
        yield Paragraph(told if same else f"{QUESTIONS[records.scope]}: {told}")
    if not leads:
        yield from task_figure(tasks, drawn, width)


def _category_parts(found: Headline, drawn: Drawn, width: float) -> Iterator[Part]:
    there = {
        found.report.category(row): (row, ability_of(row, found.scale), interval_of(row, found.scale))
        for row in found.report.categories
        if row.group == AVERAGE
    }
    title = _category_title(
        found.ability or 0.0, {name: ends for name, (_row, _value, ends) in there.items()}
    )
    yield Heading(title, 1, _("Results"))
    yield from drawn(
        _category_drawing(found, there, width),
        _("Average of each category with its interval, and the best model there."),
        _(
            "Average by category with 95 % intervals; dashed: over all questions. Of twenty intervals one "
            "misses by chance."
        ),
        "",
    )
    absent: dict[str, list[str]] = {}
    for name, (row, value, _ends) in there.items():
        if value is None:
            why = row.withheld or (row.reason_ql if found.scale == "ql" else row.reason_pool)
            absent.setdefault(str(why_absent(why)), []).append(name)
    for reason, names in absent.items():
        yield Paragraph(
            _("{categories}: no number ({reason}).").format(categories=", ".join(names), reason=reason),
            footnote=_(
                "A part of fewer than three questions or people has no number: it could tell of one of them."
            ),
        )


def _category_title(whole: float, intervals: Mapping[str, tuple[float, float] | None]) -> str:
    """Which categories lie apart from all questions together, by their intervals."""
    higher = ", ".join(name for name, ends in intervals.items() if ends and ends[0] > whole)
    lower = ", ".join(name for name, ends in intervals.items() if ends and ends[1] < whole)
    if higher and lower:
        title = _("Stronger in {higher}, weaker in {lower} than over all questions")
    elif higher:
        title = _("Stronger in {higher} than over all questions")
    elif lower:
        title = _("Weaker in {lower} than over all questions")
    elif any(intervals.values()):
        title = _("In no category do people stand clearly apart from their average")
    else:
        title = _("By category")
    return title.format(higher=higher, lower=lower)


def _category_drawing(
    found: Headline,
    there: Mapping[str, tuple[GroupNumbers, float | None, tuple[float, float] | None]],
    width: float,
) -> Drawing | None:
    estimates = []
    for name, (row, value, ends) in there.items():
        if value is None:
            continue
        low, high = ends or (None, None)
        estimates.append(Estimate(name, value, "average", f"{name}: {decimals(value)}", low, high))
        if models := [one.value for one in found.models_in(row.category, raw=False) if one.value is not None]:
            told = _("{category}, best model: {value}").format(category=name, value=decimals(max(models)))
            estimates.append(Estimate(name, max(models), "model", told, shape="square"))
    return interval_plot(
        estimates, _("ability on the models' scale (logits)"), decimals, width=width,
        keys=[Key(_("Average Human + AI"), "average"), Key(_("best model"), "model", "square")],
        behind=Behind(guides=[(found.ability or 0.0, "dashed")]),
    )  # fmt: skip


def _error_rows(records: StudyRecords, found: Headline) -> Iterator[list[str]]:
    """The standard errors that matter, with what each is for."""
    block = records.blocks.get(Block.UNCERTAINTY)
    rows = block.named(f"uncertainty.theta.{found.scale}", group=AVERAGE) if block else ()
    errors = {
        row.details.get("target"): row for row in rows if row.details.get("serves") and row.se is not None
    }
    first = widest_error(errors)
    for target, source, serves in (
        ("paper", _("answers, each taken by itself"), _("comparison with published intervals")),
        ("T1", _("other people"), _("comparisons on these same questions")),
        ("T2", _("other people and other questions"), _("conclusions about questions like these")),
    ):
        if target in errors and errors[target].pk in records.leaving:
            told = _("the interval on the first page") if target == first else serves
            yield [source, decimals(errors[target].se), told]


def _nearest(found: Headline) -> list[Model]:
    """The strongest first: some that are stronger than people, some that are weaker."""
    if found.ability is None:
        return []
    values = sorted(found.models, key=lambda one: abs((one.theta.value or 0.0) - (found.ability or 0.0)))
    higher = [one for one in values if (one.theta.value or 0.0) >= (found.ability or 0.0)][:NEAREST]
    lower = [one for one in values if (one.theta.value or 0.0) < (found.ability or 0.0)][:NEAREST]
    return sorted([*higher, *lower], key=lambda one: -(one.theta.value or 0.0))


def _models_table(models: list[Model]) -> Table:
    return Table(
        _("Models whose ability is nearest to that of people"),
        [_("Model"), _("Ability"), _("95 % interval"), _("People less model"), _("How people stand to it")],
        [
            [
                Sourced(one.name, str(one.theta.details["source"]))
                if one.theta.details.get("source")
                else one.name,
                decimals(one.theta.value),
                span(one.theta.low, one.theta.high),
                decimals(one.difference.value if one.difference else None),
                str(VERDICT_WORDS[one.verdict]),
            ]
            for one in models
        ],
    )
