"""The first picture of the results: models as dots, people above them; and the same numbers as a table."""

from django.utils.translation import gettext as _, ngettext

from presentation.drawings.ladder import People, Rung, Words, ladder
from presentation.drawings.shapes import Drawing
from presentation.measures import value_cell
from presentation.numbers import counted, decimals, numbered, span
from presentation.tables import ABSENT, Table
from reporting.selectors.headline import Headline
from reporting.views.headline.standing import LEVEL, VERDICT_WORDS


def ladder_drawing(headline: Headline, width: float) -> Drawing | None:
    """None where nothing is on the scale."""
    if headline.ability is None:
        return None
    words = Words(_("ability on the models' scale (logits)"), _("weaker"), _("stronger"))
    rungs = []
    for model in headline.models:
        verdict = _("modelled from what was published") if model.modelled else VERDICT_WORDS[model.verdict]
        facts = {"model": model.name, "value": decimals(model.theta.value), "verdict": verdict}
        text = _("%(model)s: %(value)s, %(verdict)s") % facts
        rungs.append(Rung(model.name, model.theta.value or 0.0, text, model.verdict == LEVEL, model.modelled))
    return ladder(rungs, _groups(headline, width), words, decimals, width=width)


def _groups(headline: Headline, width: float) -> list[People]:
    groups = []
    short = width < 500
    if headline.picked is not None:
        row = headline.picked
        facts = {"size": counted(row.people), "value": decimals(row.value)}
        luck = headline.luck
        groups.append(
            People(
                (_("Picked by these same scores %(value)s") if short else
                 _("Top %(size)s picked by these same scores %(value)s")) % facts,
                row.value or 0.0,
                _("Top %(size)s, picked by these same scores: %(value)s") % facts,
                "topmark",
                picked=True,
                band=(luck.low or 0.0, luck.high or 0.0) if luck else None,
                band_told=_("Where it would be in 95 of 100 studies of equally able people: %(ends)s")
                % {"ends": span(luck.low, luck.high)} if luck else "",
            )
        )  # fmt: skip
    if headline.top is not None:
        row = headline.top
        facts = {"size": counted(row.people), "value": decimals(row.value), "ends": span(row.low, row.high)}
        text = _("Top %(size)s, free of the choice: %(value)s, 95 %% interval %(ends)s") % facts
        name = _("Top %(size)s Human + AI %(value)s") % facts
        groups.append(People(name, row.value or 0.0, text, "topmark", row.low, row.high))
    value, ends = headline.ability or 0.0, headline.interval
    facts = {"value": decimals(value), "ends": span(*ends) if ends else ABSENT}
    text = _("Average: %(value)s, 95 %% interval %(ends)s") % facts
    name = _("Average Human + AI %(value)s") % facts
    groups.append(People(name, value, text, "average", *(ends or (None, None))))
    return groups


def ladder_title(headline: Headline) -> str:
    number = len(headline.compared or headline.models)
    if not number:
        return _("Where people stand")
    return numbered(
        ngettext(
            "Where people stand beside %(number)d model", "Where people stand among %(number)d models", number
        ),
        {"number": number},
    )


def ladder_caption(headline: Headline) -> str:
    """How to read it, and what else is to be known of the models in it."""
    return " ".join(filter(None, (ladder_key(headline), ladder_notes(headline))))


def ladder_key(headline: Headline) -> str:
    parts = [f"{headline.report.of}."] if headline.report.of else []
    if headline.models:
        parts.append(
            _(
                "Dots: models on the same questions, single answers; ringed ones cannot be told apart from "
                "people."
            )
        )
    parts.append(_("Lines: the 95 % interval that serves this design."))
    if headline.picked is not None and headline.luck is not None:
        parts.append(
            _(
                "Hollow: the best picked by these same scores; shaded around it: where that would land if "
                "all people were equally able."
            )
        )
    return " ".join(parts)


def ladder_notes(headline: Headline) -> str:
    """Of models that are drawn without a verdict or not at all, and where they come from."""
    parts = []
    others = len(headline.models) - len(headline.compared)
    if headline.compared and others:
        parts.append(
            numbered(
                ngettext(
                    "%(number)d more model is drawn that people are not compared with: only its published "
                    "ability is known.",
                    "%(number)d more models are drawn that people are not compared with: only their "
                    "published abilities are known.",
                    others,
                ),
                {"number": others},
            )
        )
    if headline.beyond:
        named = ", ".join(f"{name} ({value_cell(row)})" for name, row in headline.beyond.items())
        parts.append(_("Not on the axis, as all their scores are alike: %(models)s.") % {"models": named})
    sources = {str(model.theta.details.get("source") or "") for model in headline.models}
    if len(sources) == 1 and (source := sources.pop()):
        parts.append(_("Source of the models: %(source)s.") % {"source": source})
    return " ".join(parts)


def ladder_table(headline: Headline) -> Table:
    """Everybody on the ladder, the strongest first."""
    rows: list[tuple[float, list[str]]] = [
        (
            model.theta.value or 0.0,
            [
                model.name,
                decimals(model.theta.value),
                span(model.theta.low, model.theta.high),
                decimals(model.difference.value if model.difference else None),
                str(VERDICT_WORDS[model.verdict]),
            ],
        )
        for model in headline.models
    ]
    if (top := headline.top) is not None:
        cells = [_("Top, free of the choice"), decimals(top.value), span(top.low, top.high), "", ""]
        rows.append((top.value or 0.0, cells))
    if (picked := headline.picked) is not None:
        cells = [_("Top, picked by these same scores"), decimals(picked.value), ABSENT, "", ""]
        rows.append((picked.value or 0.0, cells))
    if headline.ability is not None:
        ends = span(*headline.interval) if headline.interval else ABSENT
        rows.append((headline.ability, [_("Average Human + AI"), decimals(headline.ability), ends, "", ""]))
    caption = _("Everybody on the ladder, the strongest first")
    return Table(
        caption=" ".join(filter(None, (caption, headline.report.of))),
        head=[
            _("Who"), _("Ability"), _("95 % interval"), _("People less model"), _("How people stand to it"),
        ],
        rows=[cells for _value, cells in sorted(rows, key=lambda row: -row[0])],
    )  # fmt: skip
