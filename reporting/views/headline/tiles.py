"""Three numbers with how sure they are: Average, Top free of the choice, and whether it is more than luck."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _, ngettext

from presentation.drawings.scales import Scale, scale_of
from presentation.drawings.shapes import Drawing
from presentation.drawings.sure import EDGE, WIDTH, Reach, sure
from presentation.first_intervals import ERRORS
from presentation.measures import value_or_reason, why_absent
from presentation.numbers import counted, decimals, numbered, percent, span
from presentation.tables import ABSENT
from presentation.top import draws_sentence, luck_words, no_top_sentence
from psychometrics.inference.estimates import FEW_CLUSTERS
from reporting.selectors.headline import Headline
from reporting.views.headline.standing import models_within, near_models


@dataclass(frozen=True)
class HowSure:
    """`ends` is the interval that serves the design, or why there is none; `words` say what it means."""

    ends: str
    words: str = ""
    drawing: Drawing | None = None


def how_sure(reach: Reach | None, scale: Scale | None, words: str = "", why_none: str = ABSENT) -> HowSure:
    """Of a number; without a scale to share nothing is drawn."""
    if reach is None:
        return HowSure(why_none, words)
    return HowSure(span(reach.low, reach.high), words, sure(reach, scale) if scale else None)


@dataclass(frozen=True)
class Tile:
    """`sure` says how sure the value is; `term` is the exact name, for a tooltip."""

    label: str
    value: str
    look: str
    notes: tuple[str, ...] = ()
    term: str = ""
    sure: HowSure | None = None


def tiles(headline: Headline) -> list[Tile]:
    """None where nobody counts."""
    if headline.average is None:
        return []
    if headline.ability is None:
        return [_raw(headline), *_best_right(headline)]
    return [_average(headline), _top(headline), _luck(headline)]


def _raw(headline: Headline) -> Tile:
    row, share, sure = headline.average, headline.share, None
    withheld = [str(why_absent(row.withheld))] if row and row.withheld else []
    if share is not None and share.low is not None and share.high is not None:
        sure = HowSure(_share_ends(share.low, share.high))
    value = percent(share.value if share else None, 0)
    if share is None or share.tasks is None:
        return Tile(
            _("Average Human + AI, mean of all answers"), value, "average", (*withheld, *_basis(headline)),
            sure=sure,
            term=_("Mean score of all scored answers (raw mean); it depends on which questions were asked."),
        )  # fmt: skip
    over = numbered(_("Mean over the tasks (%(number)d), each counting alike;"), {"number": share.tasks})
    answers = _("mean of all answers: %(share)s.") % {"share": percent(row.raw_mean if row else None, 0)}
    return Tile(
        _("Average Human + AI, mean over tasks"), value, "average", (f"{over} {answers}", *_basis(headline)),
        sure=sure, term=_("benchmark.macro: mean of the tasks' shares of right answers"),
    )  # fmt: skip


def _best_right(headline: Headline) -> Iterator[Tile]:
    """Top of a benchmark with tasks, once that is measured: over all answers, so the note compares it with
    others over all answers.
    """
    row, top, average, share = headline.best_right, headline.best, headline.average, headline.share
    if row is None or top is None or top.raw_mean is None or share is None or share.tasks is None:
        return
    low, high, value = (
        None if percentage is None else percentage / 100 for percentage in (row.low, row.high, row.value)
    )
    note = _("Over all answers, too: picked by these same scores %(picked)s, Average %(average)s.") % {
        "picked": percent(top.raw_mean, 0),
        "average": percent(average.raw_mean if average else None, 0),
    }
    yield Tile(
        _("Top %(size)s, free of the choice, share of all answers") % {"size": _top_size(headline)},
        percent(value, 0), "topmark", (note,),
        _("human.top_crossfit: measured on answers that did not choose them"),
        HowSure(str(why_absent(row.reason)) if low is None or high is None else _share_ends(low, high)),
    )  # fmt: skip


def _share_ends(low: float, high: float) -> str:
    return _("%(low)s to %(high)s") % {"low": percent(low, 0), "high": percent(high, 0)}


def _top_size(headline: Headline) -> str:
    return counted(headline.report.results.flow["top_size"])


def _average(headline: Headline) -> Tile:
    row = headline.average
    few = row is not None and row.clusters is not None and row.clusters < FEW_CLUSTERS
    notes, reach = list(_basis(headline)), None
    if headline.ability is not None and headline.interval is not None:
        reach = Reach(headline.ability, *headline.interval)
    if row is not None and few:
        notes.append(
            numbered(
                ngettext(
                    "The interval rests on %(number)d group only: how wide it comes out is largely chance.",
                    "The interval rests on %(number)d groups only: how wide it comes out is largely chance.",
                    row.clusters or 0,
                ),
                {"number": row.clusters},
            )
        )
    return Tile(
        _("Average Human + AI"),
        decimals(headline.ability),
        "average",
        tuple(notes),
        _("Ability (theta.%(scale)s) in logits; 95 %% interval %(error)s")
        % {"scale": headline.scale, "error": ERRORS.get(row.interval if row else "", ABSENT)},
        how_sure(reach, _axis(headline), near_models(headline), _("no interval")),
    )


def _axis(headline: Headline) -> Scale:
    """Where the ladder puts everybody, in the width of a few words."""
    values = [model.theta.value or 0.0 for model in headline.models] + [headline.ability or 0.0]
    values += headline.interval or ()
    if (top := headline.top) is not None:
        values += [end for end in (top.value, top.low, top.high) if end is not None]
    return scale_of(values, EDGE, WIDTH - EDGE)


def _basis(headline: Headline) -> Iterator[str]:
    row = headline.average
    if row is not None:
        people = ngettext("%(number)s person", "%(number)s people", row.participants)
        answers = ngettext("%(number)s scored answer", "%(number)s scored answers", row.pairs)
        yield f"{people % {'number': counted(row.participants)}}, {answers % {'number': counted(row.pairs)}}."


def _top(headline: Headline) -> Tile:
    row, label = headline.top, _("Top %(size)s, free of the choice") % {"size": _top_size(headline)}
    term = _("Top free of the choice (top.crossfit5): measured on answers that did not choose them")
    if row is None:
        flow, stored = headline.report.results.flow, headline.get("top.crossfit5", "top")
        if not headline.measured:
            why = _("Not computed yet; the site does so within a minute.")
        elif not (why := no_top_sentence(flow["top_size"], flow["with_scores"])):
            why = value_or_reason(stored) if stored else _("It cannot be measured here.")
        return Tile(label, ABSENT, "topmark", notes=(why,), term=term)
    picked = _("Picked by these same scores: %(value)s.") % {
        "value": decimals(headline.picked.value if headline.picked else None)
    }
    reach, words = None, ""
    if row.value is not None and row.low is not None and row.high is not None:
        models = [model.theta.value or 0.0 for model in headline.compared or headline.models]
        reach = Reach(row.value, row.low, row.high, "topmark")
        words = models_within(models, row.low, row.high)
    sure = how_sure(reach, _axis(headline), words, str(why_absent(row.reason)))
    return Tile(label, decimals(row.value), "topmark", (picked,), term, sure)


def _luck(headline: Headline) -> Tile:
    label, term = (
        _("More than luck?"),
        _(
            "Top as published (top.paper) beside Top by luck alone (top.null), the published rule on "
            "equally able people"
        ),
    )
    picked, luck, share = headline.picked, headline.luck, headline.luck_share
    if picked is None or luck is None or share is None:
        return Tile(label, ABSENT, "", notes=(_("Not known: there is no Top to compare."),), term=term)
    ends = _(
        "Picking %(size)s of %(people)s equally able people by their scores gives %(ends)s in 95 of 100 "
        "studies; here it gave %(value)s."
    ) % {
        "size": counted(picked.people),
        "people": counted(headline.report.results.flow["with_scores"]),
        "ends": span(luck.low, luck.high),
        "value": decimals(picked.value),
    }
    notes = (draws_sentence(share.value or 0.0, share.details["draws"]), ends)
    return Tile(label, luck_words(share.value or 0.0), "", notes, term)
