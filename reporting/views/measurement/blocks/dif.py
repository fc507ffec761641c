"""DIF: how far prompts differ for people from what the item bank says, and what hangs on it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _, ngettext

from presentation import measures
from presentation.catalogue import QL_ABILITY, SCORED_ANSWERS, label_of
from presentation.drawings.intervals import Behind
from presentation.figures import Point, Style
from presentation.numbers import Text, counted, decimals
from presentation.tables import ABSENT, Term
from reporting.views.measurement import parts
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

ANY = "prompts:without-any-flag"
PARTS: Mapping[str, Text] = {
    "prompts:all": _("all questions"),
    "prompts:without-flagged-categories": _("without shifted categories"),
    "prompts:without-flagged-modalities": _("without shifted modalities"),
    "prompts:without-flagged-prompts": _("without single shifted questions"),
    "prompts:without-extreme": _("without questions of |ab| above 6.5"),
    ANY: _("without all of these"),
}
SPREAD = ("dif.sd", "dif.slope", "dif.slope.expected", "dif.slope.excess")
STYLES = {
    False: Style(_("not shifted"), "circle", "average"),
    True: Style(_("shifted (Holm, 5 %)"), "square", "topmark"),
}
AT_ZERO = Behind(guides=((0.0, "zero"),))


def finding(block: BlockMeasures) -> Text:
    """How many questions are harder or easier for people than for models, beyond chance."""
    row = block.get("dif.items_flagged.holm")
    if row is None or row.value is None:
        return _("There are too few answers to tell whether questions are harder for people than for models.")
    flagged, facts = int(row.details.get("flagged", 0)), {"questions": counted(row.prompts)}
    if not flagged:
        return parts.bold(
            _(
                "<strong>No question</strong> of {questions} is harder or easier for people than for "
                "models by more "
                "than chance; a few answers to each cannot show much."
            ),
            **facts,
        )
    text = ngettext(
        "<strong>{flagged} of {questions} questions</strong> is harder or easier for people than for models, "
        "beyond chance.",
        "<strong>{flagged} of {questions} questions</strong> are harder or easier for people than for "
        "models, "
        "beyond chance.",
        flagged,
    )
    return parts.bold(text, flagged=counted(flagged), **facts)


def summary(block: BlockMeasures) -> Iterator[Text]:
    sd, excess = block.get("dif.sd"), block.get("dif.slope.excess")
    rows = block.named("dif.group")
    flagged = [str(_part_name(block, row.subset)) for row in rows if row.details["flagged"]]
    yield _(
        "A question is harder or easier for these people than the item bank, which was calibrated on "
        "models, says. It is measured in logits of single answers: above 0 is easier."
    )
    if sd is None or sd.low is None:
        yield f"{label_of('dif.sd')}: {measures.value_cell(sd)} ({measures.interval_or_reason(sd)})."
    else:
        yield _(
            "Questions differ for people by an SD of %(sd)s logits (95 %% interval %(interval)s) beyond "
            "chance."
        ) % {"sd": measures.value_cell(sd), "interval": measures.interval_cell(sd)}
    if flagged:
        yield _("Shifted after Holm's correction: %(names)s.") % {"names": ", ".join(flagged)}
    else:
        yield _("No category, modality or profile is shifted after Holm's correction.")
    yield _(
        "The slope on difficulty differs from the expected one by %(excess)s (%(interval)s): below 0, "
        "the axis of difficulty is compressed for people."
    ) % {"excess": measures.value_cell(excess), "interval": measures.interval_or_reason(excess)}
    yield from _without_sentences(block)


def _without_sentences(block: BlockMeasures) -> Iterator[Text]:
    """What Average is without everything that is flagged, and where nothing is."""
    whole, rest = (block.get("dif.theta.pool", "average", part) for part in ("prompts:all", ANY))
    own, other = (block.get("dif.theta.ql", "average", part) for part in ("prompts:all", ANY))
    if whole is None or rest is None or rest.details["left_out"] is None:
        return
    if rest.details["nothing_flagged"]:
        yield _("Nothing is flagged: ability without flagged questions is that of all questions.")
        return
    yield ngettext(
        "Without everything that is flagged (%(prompts)s question) Average is %(rest)s instead of "
        "%(whole)s (ability on the QL scale (theta_QL) %(other)s instead of %(own)s).",
        "Without everything that is flagged (%(prompts)s questions) Average is %(rest)s instead of "
        "%(whole)s (ability on the QL scale (theta_QL) %(other)s instead of %(own)s).",
        rest.details["left_out"],
    ) % {
        "prompts": counted(rest.details["left_out"]),
        **measures.value_cells(rest=rest, whole=whole, other=other, own=own),
    }
    none = [
        str(name) for part, name in PARTS.items()
        if (row := block.get("dif.theta.pool", "average", part)) and part != "prompts:all"
        and row.details["nothing_flagged"]
    ]  # fmt: skip
    if none:
        yield _("Nothing is flagged, and ability is that of all questions: %(names)s.") % {
            "names": ", ".join(none)
        }


def _spread_notes(block: BlockMeasures) -> Iterator[Text]:
    by_holm = block.get("dif.items_flagged.holm")
    yield _(
        "%(share)s of the questions are beyond 5 %% by themselves; 5 %% would be if no question were "
        "harder or easier for people than for models."
    ) % {"share": measures.percent_cell(block.get("dif.items_flagged"))}
    yield _(
        "After Holm's correction over all questions %(number)s of them are flagged. With four or five "
        "answers to a question few can be: that none is says nothing about a single question. If no "
        "question were harder or easier for people than for models about one study in five still flags "
        "one, as so few answers make p approximate."
    ) % {"number": counted(by_holm.details["flagged"] if by_holm else None)}
    # What answers without DIF are expected to be like; measurements of earlier versions do not tell.
    row = block.get("dif.sd")
    if row is None or "deviation_sd" not in row.details:
        return
    yield _(
        "What is expected if no question were harder or easier for people than for models rests on how "
        "answers arise. Taken from this study are the numbers of criteria and the judge's confidences: 1 "
        "in %(certain)s %% of the answers, in the others %(other)s."
    ) % {
        "certain": decimals(100 * row.details["certain_share"], 0),
        "other": decimals(row.details["uncertain_confidence"]),
    }  # fmt: skip
    yield _correlation_note(row.details)
    fitted = _(
        "Deviations of a person on a question have an SD of %(sd)s logits, fitted to how far answers to "
        "the same question scatter; the interval of the slope allows for that."
    )
    assumed = _(
        "Deviations of a person on a question are assumed to have an SD of %(sd)s logits: too few "
        "questions were answered twice to tell. With another SD the slope would be flagged if no question "
        "were harder or easier for people than for models."
    )
    sd = {"sd": decimals(row.details["deviation_sd"])}
    yield (fitted if row.details["deviation_fitted"] else assumed) % sd


def _correlation_note(details: Mapping[str, Any]) -> Text:
    """How far criteria of one answer are met together, and who says so."""
    if "criteria_correlation" not in details:  # of an earlier version
        return _("Assumed is how far criteria of one answer are met together (correlation 0.4).")
    ends = [details[f"criteria_correlation{end}"] for end in ("", "_low", "_high")]
    facts = {name: decimals(end) for name, end in zip(("icc", "low", "high"), ends, strict=True)}
    facts["cells"] = counted(details["criteria_cells"])
    if ends[1] == ends[2]:
        if not details["criteria_cells"]:
            return _(
                "Every answer is right or wrong as a whole: nothing hangs on how far criteria go together."
            )
        text = _(
            "Criteria of one answer are met together with a correlation of %(icc)s, as the epochs of models "
            "tell (questions of a model: %(cells)s)."
        )
    elif details["criteria_cells"]:
        text = _(
            "Criteria of one answer are met together with a correlation of %(icc)s by the epochs of models, "
            "which are few (questions of a model: %(cells)s): flagged is only what holds from %(low)s to "
            "%(high)s, and intervals reach over all of it."
        )
    else:
        text = _(
            "How far criteria of one answer are met together is not known, as no model has several epochs "
            "here: flagged is only what holds for correlations from %(low)s to %(high)s, and intervals reach "
            "over all of it."
        )
    return text % facts


def _part_name(block: BlockMeasures, subset: str) -> Text:
    """What a subset is called: "Category QR", "Profile stem-phd on QR"."""
    kind, _colon, name = subset.partition(":")
    if kind == "profile":
        profile, _slash, category = name.partition("/category:")
        return _("Profile %(profile)s on %(category)s") % {
            "profile": block.names.profile(profile),
            "category": block.names.category(category),
        }
    if kind == "modality":
        return _("Modality %(name)s") % {"name": name}
    return _("Category %(name)s") % {"name": block.names.category(name)}


def of_theta(name: str, cell: Callable[[parts.Row], str]) -> Callable[[BlockMeasures, tuple[str, str]], str]:
    """Of the row of this name of the group, over this part of the prompts."""
    return lambda block, line: cell(block.get(name, *line))


def _left_out_cell(block: BlockMeasures, line: tuple[str, str]) -> Text:
    row = block.get("dif.theta.pool", *line)
    if row is None or line[1] == "prompts:all":
        return ABSENT
    return _("nothing flagged") if row.details["nothing_flagged"] else counted(row.details.get("left_out"))


def prompt_name(block: BlockMeasures, row: MeasureRow) -> Text:
    """Label and id of a public prompt; a private one is not named, as what is shown may be passed on."""
    public = row.details["public"]
    return f"{block.labels[row.prompt_id]} ({row.prompt_id})" if public else _("a private question")


def points(block: BlockMeasures) -> Iterator[Point]:
    """The shift of each category and modality."""
    rows = (row for row in block.named("dif.group") if not row.subset.startswith("profile:"))
    return (Point(str(_part_name(block, row.subset)), STYLES[row.details["flagged"]], row) for row in rows)


PAGE = parts.BlockPage(
    _("Harder or easier for people than for models"),
    finding,
    summary,
    (
        parts.Plot(
            name="shifts",
            title=_("Which categories are easier or harder for people than for models"),
            alt=_("The shift of each category and modality with its 95 % interval around 0."),
            caption=_("Shifts of categories and modalities; right of 0 is easier than expected."),
            draw=parts.intervals(
                points,
                _("easier (right) or harder (left) for people, in logits, with its 95 % interval"),
                behind=lambda _block: (AT_ZERO, ()),
            ),
            view="parts",
        ),
        parts.MeasureTable(
            _("Harder or easier for people than for models over all questions"),
            lambda _block: SPREAD,
            (
                (_("Measure"), lambda _block, name: label_of(name)),
                (_("Value"), lambda block, name: measures.value_cell(block.get(name))),
                (_("95 % interval"), lambda block, name: measures.interval_or_reason(block.get(name))),
            ),
            _spread_notes,
            view="over",
        ),
        parts.MeasureTable(
            _("Shifts of categories, modalities, and profiles on categories"),
            parts.named("dif.group"),
            (
                (_("Part"), lambda block, row: _part_name(block, row.subset)),
                (_("Shift"), parts.value()),
                (_("95 % interval"), parts.interval(here=measures.COMMON)),
                (SCORED_ANSWERS, parts.count("n")),
                (Term(_("Independent groups"), _("Clusters")), parts.count("clusters")),
                (Term(_("chance of as much"), _("p")), parts.detail("p", 3)),
                (Term(_("the same over all rows"), _("p by Holm")), parts.detail("p_holm", 3)),
                (_("Shifted"), parts.yes_or_no("flagged")),
            ),
            _(
                "Mean residual; for a profile, how much more it is off on the category than elsewhere, "
                "compared with the other profiles. Clusters are question sets where each question is in "
                "one question set, else people and questions. Holm's correction counts categories, "
                "modalities and profiles each by themselves: if no question were harder or easier for "
                "people than for models at most about one study in twenty flags any category."
            ),
            view="parts",
        ),
        parts.MeasureTable(
            _("Ability with and without questions that may be off (95 % interval)"),
            lambda _block: [(group, part) for group in parts.GROUPS for part in PARTS],
            (
                (
                    _("Group and questions"),
                    lambda _block, line: f"{measures.group_name(line[0])}, {PARTS[line[1]]}",
                ),
                (_("Questions left out"), _left_out_cell),
                (_("Pooled"), of_theta("dif.theta.pool", measures.value_with_interval)),
                (
                    QL_ABILITY,
                    of_theta("dif.theta.ql", measures.value_with_interval),
                ),
                (_("By question means, as published"), of_theta("dif.theta.prompt", measures.value_cell)),
            ),
            [
                _(
                    "Questions with |ab| above 6.5 were passed or failed by all models: their parameters "
                    "rest on little."
                ),
                _(
                    "Flags are set from the answers of all counted people; Top stays the group that was "
                    "chosen from all questions. Where nothing is flagged the line is that of all "
                    "questions."
                ),
            ],
            view="without",
        ),
        parts.MeasureTable(
            _("For content review: the questions with the largest shifts"),
            parts.named("dif.item"),
            (
                (_("Question"), prompt_name),
                (_("Category"), lambda block, row: block.names.category(row.details["category"]) or ABSENT),
                (_("Shift, shrunken"), parts.value()),
                (_("SD"), parts.se()),
                (_("Shift, raw"), parts.detail("raw")),
                (Term(_("the same over all rows"), _("p by Holm")), parts.detail("p_holm", 3)),
                (_("Answers"), parts.count("n")),
            ),
            _(
                "A few answers a question cannot show that a question is off; these are the ones whose "
                "text is worth reading first. Raw shifts are drawn to the mean by how unreliable they are."
            ),
            view="single",
        ),
    ),
    {
        "parts": _("Categories and profiles"),
        "single": _("Single questions"),
        "without": _("Without what differs"),
        "over": _("Over all questions"),
    },
)
