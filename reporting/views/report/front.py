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
from psychometrics.inference.estimates import FEW_CLUSTERS
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
from reporting.views.report.tasks import PAPER, figure_parts, task_figure, task_finding, task_parts

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


def may_leave(headline: Headline, records: StudyRecords) -> Headline:
    """The headline without what no report tells: rows that rest on one private question or one person.
    What is of single questions it takes from the scope in which the report tells of them.
    """
    models = []
    for model in headline.models:
        if model.theta.pk in records.leaving:
            difference = model.difference
            stays = difference is None or difference.pk in records.leaving
            models.append(model if stays else replace(model, difference=None))
    rows = {place: row for place, row in headline.rows.items() if row.pk in records.leaving}
    block = records.blocks.get(Block.DIF)
    if block and (row := block.get(FLAGGED)) and row.pk in records.leaving:
        rows[FLAGGED, "", ""] = row
    return replace(headline, models=tuple(models), rows=rows)


def finding(headline: Headline) -> str:
    """The title: where people stand, and no more than the intervals allow."""
    people = subject(headline)
    if not headline.report.results.flow["retained"] or headline.average is None:
        return _("Nobody is counted yet, so there is no result")
    if headline.ability is not None and headline.compared:
        return f"{_standing(headline, people)}{_of_the_best(headline)}"
    if headline.ability is not None:
        return _("{people} reach an ability of {value}").format(
            people=people, value=decimals(headline.ability)
        )
    share = headline.share
    if share is None:
        return _("There is no number that may be told")
    title = _("{people} got {share} of the possible score")
    if share.tasks is not None:
        title = _("{people} got {share} right on average over {tasks} tasks")
    return title.format(people=people, share=percent(share.value, 0), tasks=counted(share.tasks))


def _standing(headline: Headline, people: str) -> str:
    """Among the models that there is a verdict on."""
    compared = [(model.name, model.verdict) for model in headline.compared]
    number = len(compared)
    above, below, level = (len(headline.standing(verdict)) for verdict in (ABOVE, BELOW, LEVEL))
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


def _of_the_best(headline: Headline) -> str:
    """What the title adds of Top, where that is measured and more than luck."""
    top, share = headline.top, headline.luck_share
    if top is None or top.low is None or top.high is None or share is None or share.value is None:
        return ""
    if share.value >= LUCK:
        return _("; that the best of them stand higher may be luck")
    values = [model.theta.value or 0.0 for model in headline.models]
    below, above = sum(value < top.low for value in values), sum(value > top.high for value in values)
    if below >= MOST * len(values):
        return _("; the best of them stand near the top")
    if len(values) - below - above >= HALF * len(values):
        return _("; how high the best of them stand is unsure")
    return ""


def front_parts(records: StudyRecords, headline: Headline, changes: str) -> Iterator[Part]:
    """The first page."""
    if changes:
        yield Paragraph(changes, Tone.WARNING)
    tasks = records.blocks.get(Block.BENCHMARK) if headline.ability is None else None
    task_sentence = task_finding(tasks) if tasks and _of_same(records) else ""
    lead = task_sentence or unescape(strip_tags(headline_sentence(headline)))
    yield Paragraph(" ".join(filter(None, (_counts(headline), lead))), Tone.LEAD)
    if tasks:
        yield from task_figure(tasks, ROOM, of="" if _of_same(records) else QUESTIONS[records.scope])
    else:
        yield from figure_parts(
            ladder_drawing(headline, PAPER),
            _("People on the ladder of models, from weaker to stronger; the table has the numbers."),
            ladder_key(headline),
            ladder_notes(headline),
        )
    first = [
        BigNumber(
            tile.label,
            tile.value,
            tile.look or "ink",
            tile.sure.ends if tile.sure else "",
            " ".join(tile.notes),
        )
        for tile in tiles(headline)[:2]
    ]
    if first:
        yield Numbers(first)
    care = [
        note for note in _care(headline) if task_sentence or not headline.share or note != str(NO_ITEM_BANK)
    ]
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


def _counts(headline: Headline) -> str:
    """What the numbers rest on; nothing where nobody counts."""
    row = headline.average
    if row is None or not row.participants:
        return ""
    people = ngettext("%(number)s person", "%(number)s people", row.participants)
    answers = ngettext("%(number)s scored answer", "%(number)s scored answers", row.pairs)
    questions = ngettext("%(number)s question", "%(number)s questions", row.prompts)
    numbers = ((people, row.participants), (answers, row.pairs), (questions, row.prompts))
    return ", ".join(text % {"number": counted(number)} for text, number in numbers) + "."


def _care(headline: Headline) -> Iterator[str]:
    """What a reader must know beside the numbers, from what is stored."""
    elsewhere = {str(SIMULATED), *headline.report.metric_notes}
    yield from (note for note in headline.report.notes if note not in elsewhere)
    low, high = (headline.get(name, AVERAGE, NO_SCORES) for name in ("multiverse.low", "multiverse.high"))
    if low and high and low.value is not None and high.value is not None:
        facts = {"low": decimals(low.value), "high": decimals(high.value), "number": counted(low.n)}
        yield _(
            "Who is left out, and what a missing answer counts, moves Average between {low} and {high} "
            "(choices compared: {number})."
        ).format(**facts)
    scored = headline.get("share.scored", AVERAGE)
    low, high = (
        headline.get(f"missing.theta.{headline.scale}", AVERAGE, f"bound:{end}") for end in ("low", "high")
    )
    if scored and scored.value is not None and scored.value < 1:
        sentence = _("{share} of the places have no score.")
        if low and high and low.value is not None and high.value is not None:
            sentence = _(
                "{share} of the places have no score; whatever they had scored, Average lies in {ends}."
            )
        ends = span(low.value, high.value) if low and high else ""
        yield sentence.format(share=percent(1 - scored.value), ends=ends)
    average = headline.average
    if average and average.clusters is not None and average.clusters < FEW_CLUSTERS:
        yield numbered(
            ngettext(
                "The interval rests on %(number)d group only: how wide it comes out is largely chance.",
                "The interval rests on %(number)d groups only: how wide it comes out is largely chance.",
                average.clusters,
            ),
            {"number": average.clusters},
        )
    if headline.compared:
        yield _(
            "Models may have answered several times, people once: all are compared at one answer a question."
        )
    yield _("One question set cannot rank people; nothing here says anything about one person.")


def brief_parts(records: StudyRecords, headline: Headline) -> Iterator[Part]:
    """The pages after it: by category, how sure, beside the nearest models, what choices change."""
    if headline.ability is not None and any(
        row.group == AVERAGE and ability_of(row, headline.scale) is not None
        for row in headline.report.categories
    ):
        yield from _category_parts(headline)
    elif benchmark := records.blocks.get(Block.BENCHMARK):
        same, above = _of_same(records), list[Part]()
        # The first page has the finding where it is of the same questions, and the figure of no ability.
        if not (headline.ability is None and same) and (sentence := task_finding(benchmark)):
            above.append(Paragraph(sentence if same else f"{QUESTIONS[records.scope]}: {sentence}"))
        if headline.ability is not None:
            above.extend(task_figure(benchmark))
        yield from task_parts(benchmark, above)
    yield Heading(_("How far to trust it"), 1, "" if headline.ability is None else _("Results"))
    if sources := list(_error_rows(records, headline)):
        yield Heading(_("How sure this is"), 2)
        yield Table(
            _("What chance could have changed"),
            [_("Source of chance"), _("Standard error"), _("Serves")],
            sources,
        )
    yield from choice_parts(records, headline)
    if headline.ability is not None and headline.models:
        yield Heading(_("Beside the nearest models"), 2)
        yield _nearest_models(headline, headline.ability)
    yield Heading(_("Whether the numbers can be trusted"), 2)
    # Audits tell of single answers.
    judged = replace(headline, report=replace(headline.report, scope=records.scope))
    yield Table(
        _("Checks, each with all its numbers in the appendix"),
        [_("Check"), _("What was found")],
        [[Sourced(check.label, f"{check.term}."), check.text] for check in checks(records.study, judged, "")],
        numeric=False,
    )


def _category_parts(headline: Headline) -> Iterator[Part]:
    there = {
        headline.report.category(row): (
            row,
            ability_of(row, headline.scale),
            interval_of(row, headline.scale),
        )
        for row in headline.report.categories
        if row.group == AVERAGE
    }
    title = _category_title(
        headline.ability or 0.0, {name: ends for name, (_row, _value, ends) in there.items()}
    )
    yield Heading(title, 1, _("Results"))
    yield from figure_parts(
        _category_drawing(headline, there),
        _("Average of each category with its interval, and the best model there."),
        _(
            "Average by category with 95 % intervals; dashed: over all questions. Of twenty intervals one "
            "misses by chance."
        ),
    )
    absent: dict[str, list[str]] = {}
    for name, (row, value, _ends) in there.items():
        if value is None:
            why = row.withheld or (row.reason_ql if headline.scale == "ql" else row.reason_pool)
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
    headline: Headline,
    there: Mapping[str, tuple[GroupNumbers, float | None, tuple[float, float] | None]],
) -> Drawing | None:
    estimates = []
    for name, (row, value, ends) in there.items():
        if value is None:
            continue
        low, high = ends or (None, None)
        estimates.append(Estimate(name, value, "average", f"{name}: {decimals(value)}", low, high))
        models = [
            model.value for model in headline.models_in(row.category, raw=False) if model.value is not None
        ]
        if models:
            best = _("{category}, best model: {value}").format(category=name, value=decimals(max(models)))
            estimates.append(Estimate(name, max(models), "model", best, shape="square"))
    return interval_plot(
        estimates, _("ability on the models' scale (logits)"), decimals, width=PAPER,
        keys=[Key(_("Average Human + AI"), "average"), Key(_("best model"), "model", "square")],
        behind=Behind(guides=[(headline.ability or 0.0, "dashed")]),
    )  # fmt: skip


def _error_rows(records: StudyRecords, headline: Headline) -> Iterator[list[str]]:
    """The standard errors that matter, with what each is for."""
    block = records.blocks.get(Block.UNCERTAINTY)
    rows = block.named(f"uncertainty.theta.{headline.scale}", group=AVERAGE) if block else ()
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
            purpose = _("the interval on the first page") if target == first else serves
            yield [source, decimals(errors[target].se), purpose]


def _nearest_models(headline: Headline, ability: float) -> Table:
    """The strongest first: some that are stronger than people, some that are weaker."""
    abilities = [(model, model.theta.value or 0.0) for model in headline.models]
    abilities.sort(key=lambda pair: abs(pair[1] - ability))
    higher = [pair for pair in abilities if pair[1] >= ability][:NEAREST]
    lower = [pair for pair in abilities if pair[1] < ability][:NEAREST]
    nearest = sorted([*higher, *lower], key=lambda pair: -pair[1])
    return Table(
        _("Models whose ability is nearest to that of people"),
        [_("Model"), _("Ability"), _("95 % interval"), _("People less model"), _("How people stand to it")],
        [
            [
                Sourced(model.name, str(source))
                if (source := model.theta.details.get("source"))
                else model.name,
                decimals(model.theta.value),
                span(model.theta.low, model.theta.high),
                decimals(model.difference.value if model.difference else None),
                str(VERDICT_WORDS[model.verdict]),
            ]
            for model, _ability in nearest
        ],
    )
