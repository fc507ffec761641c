"""The one sentence above everything: where people stand, from what is stored, and what there is not."""

from collections.abc import Iterator

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from presentation.catalogue import plain_reason
from presentation.first_intervals import pool_cell, quasi_cell
from presentation.measures import value_or_reason, why_absent
from presentation.numbers import Text, counted, decimals, percent, span
from presentation.tables import ABSENT
from presentation.top import luck_sentence, no_top_sentence
from psychometrics.inference.measure import Block
from reporting.selectors.headline import Headline
from reporting.views.headline.standing import people_together, standing_sentence


def headline_sentence(headline: Headline, models_since: Text = "") -> SafeString:
    """Two or three short sentences with what matters in bold; `models_since` says that models came later."""
    return format_html_join(" ", "{}", ((sentence,) for sentence in _sentences(headline, models_since)))


def _sentences(headline: Headline, models_since: Text) -> Iterator[Text]:
    flow = headline.report.results.flow
    if not flow["retained"]:
        yield _(
            "Nobody is counted yet, so there is no result: a participant counts once their session ended."
        )
        return
    if of := headline.report.of:
        yield f"{of}:"
    if headline.ability is None:
        yield from _without_ability(headline)
        return
    if headline.compared:
        yield standing_sentence(
            [(model.name, model.verdict) for model in headline.compared], subject(headline)
        )
    else:
        interval = _("(too few people for an interval)")
        if headline.interval is not None:
            interval = _("(95 % interval {ends})").format(ends=span(*headline.interval))
        yield format_html(
            _("{people} reach an ability of <strong>{value}</strong>{interval}."),
            people=subject(headline),
            value=decimals(headline.ability),
            interval=f" {interval}",
        )
        if models_since:
            yield models_since
        elif not headline.measured:
            yield _("They are not compared with models yet: the site computes that within a minute.")
        elif headline.models:
            yield _("No model was scored on these questions, so nobody is told apart.")
        else:
            ended = headline.blocks.get(Block.MODELS, {})
            yield plain_reason(ended) or _("There is no model to compare them with.")
    yield from _top(headline)


def subject(headline: Headline) -> str:
    """Whom the sentence is about."""
    return people_together(bool(headline.report.results.run.study.protocol.arms))


def _without_ability(headline: Headline) -> Iterator[Text]:
    """Raw scores, and why there is nothing else."""
    row = headline.average
    if row is not None and row.withheld:
        yield _("There is no number: {why}.").format(why=why_absent(row.withheld))
        return
    share = headline.share
    if row is None or share is None:
        yield _("No answer of a counted person has a score yet, so there is no result.")
        return
    interval = ""
    if share.low is not None and share.high is not None:
        ends = span(100 * share.low, 100 * share.high, 0)
        interval = " " + _("(95 % interval {ends} %)").format(ends=ends)
    if share.tasks is None:
        sentence = _("{people} got <strong>{share}</strong> of the possible score on average{interval}.")
    else:
        sentence = _("{people} got <strong>{share}</strong> right on average over {tasks} tasks{interval}.")
    yield format_html(
        sentence, people=subject(headline), share=percent(share.value, 0), interval=interval,
        tasks=counted(share.tasks),
    )  # fmt: skip
    if headline.report.results.run.study.item_bank_id is None:
        yield _(
            "The study has no item bank, so there is no ability and nothing to compare with models on one "
            "scale."
        )
    else:
        bound = quasi_cell(row) if headline.scale == "ql" else pool_cell(row)
        if bound != ABSENT:
            yield _("Their ability lies {bound}: every score is the same, so no more can be said.").format(
                bound=bound
            )
            return
        why = why_absent(row.reason_ql if headline.scale == "ql" else row.reason_pool)
        yield _("There is no ability on the scale of the item bank: {why}.").format(
            why=why or _("no scored question has item parameters")
        )


def _top(headline: Headline) -> Iterator[Text]:
    if not headline.measured:
        return
    flow, top = headline.report.results.flow, headline.top
    if top is None:
        if why := no_top_sentence(flow["top_size"], flow["with_scores"]):
            yield why
        elif why := plain_reason(headline.blocks.get(Block.TOP, {})):
            yield _("Top: {why}").format(why=why)
        elif row := headline.get("top.paper", "top"):
            yield _("Top: {why}.").format(why=value_or_reason(row))
        return
    facts = {"size": counted(top.people), "value": decimals(top.value)}
    yield format_html(_("The best {size} reach <strong>{value}</strong>."), **facts)
    if share := headline.luck_share:
        yield luck_sentence(share.value or 0.0, share.details["draws"])
