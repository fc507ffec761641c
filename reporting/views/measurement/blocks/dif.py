"""DIF as a page: how far prompts differ for people from what the item bank says, and what hangs on it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _, gettext_lazy

from presentation.columns import ABSENT
from presentation.measures import (
    BY_PEOPLE,
    group_name,
    interval_cell,
    percent_cell,
    se_cell,
    value_cell,
    value_with_interval,
)
from presentation.numbers import Text, counted, decimals
from presentation.tables import Table
from reporting.views.agreement.figure import LIMITS, POINTS, empty_figure
from reporting.views.figures import INK
from reporting.views.measurement.blocks.fit import detail_cell, interval_or_why
from reporting.views.measurement.shown import BlockPage, FigureSpec
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ANY = "prompts:without-any-flag"
PARTS: Mapping[str, Text] = {
    "prompts:all": gettext_lazy("all prompts"),
    "prompts:without-flagged-categories": gettext_lazy("without shifted categories"),
    "prompts:without-flagged-modalities": gettext_lazy("without shifted modalities"),
    "prompts:without-flagged-prompts": gettext_lazy("without single shifted prompts"),
    "prompts:without-extreme": gettext_lazy("without prompts of |ab| above 6.5"),
    ANY: gettext_lazy("without all of these"),
}


def summary(found: BlockMeasures) -> Sequence[str]:
    sd, excess = found.get("dif.sd"), found.get("dif.slope.excess")
    flagged = [row.subset.partition(":")[2] for row in found.named("dif.group") if row.details["flagged"]]
    return (
        _(
            "DIF (differential item functioning): a prompt is harder or easier for these people than the "
            "item bank, which was calibrated on models, says. It is measured in logits of single answers: "
            "above 0 is easier."
        ),
        f"{_('DIF SD over prompts, logits')}: {value_cell(sd)} ({interval_or_why(sd)})."
        if sd is None or sd.low is None
        else _(
            "Prompts differ for people by an SD of %(sd)s logits (95 %% interval %(interval)s) beyond chance."
        )
        % {"sd": value_cell(sd), "interval": interval_cell(sd)},
        _("Shifted after Holm's correction: %(names)s.") % {"names": ", ".join(flagged)}
        if flagged
        else _("No category, modality or profile is shifted after Holm's correction."),
        _(
            "The slope on difficulty differs from the expected one by %(excess)s (%(interval)s): below 0, "
            "the axis of difficulty is compressed for people."
        )
        % {"excess": value_cell(excess), "interval": interval_or_why(excess)},
        *without_sentences(found),
    )


def without_sentences(found: BlockMeasures) -> Iterator[str]:
    """What Average is without everything that is flagged, and where nothing is."""
    whole, rest = (found.get("dif.theta.pool", "average", part) for part in ("prompts:all", ANY))
    own, other = (found.get("dif.theta.ql", "average", part) for part in ("prompts:all", ANY))
    if whole is None or rest is None or rest.details["left_out"] is None:
        return
    if rest.details["nothing_flagged"]:
        yield _("Nothing is flagged: theta without flagged prompts is that of all prompts.")
        return
    yield _(
        "Without everything that is flagged (%(prompts)s prompts) Average is %(rest)s instead of %(whole)s "
        "(theta_QL %(other)s instead of %(own)s)."
    ) % {
        "prompts": counted(rest.details["left_out"]), "rest": value_cell(rest), "whole": value_cell(whole),
        "other": value_cell(other), "own": value_cell(own),
    }  # fmt: skip
    none = [
        str(name) for part, name in PARTS.items()
        if (row := found.get("dif.theta.pool", "average", part)) and part != "prompts:all"
        and row.details["nothing_flagged"]
    ]  # fmt: skip
    if none:
        yield _("Nothing is flagged, and theta is that of all prompts: %(names)s.") % {
            "names": ", ".join(none)
        }


def tables(found: BlockMeasures) -> Sequence[Table]:
    shown = (spread_table(found), group_table(found), theta_table(found), item_table(found))
    return [table for table in shown if table.rows]


def spread_table(found: BlockMeasures) -> Table:
    names = {
        "dif.sd": _("DIF SD over prompts, logits"),
        "dif.slope": _("Slope of people's answers on difficulty"),
        "dif.slope.expected": _("The same, as expected without DIF"),
        "dif.slope.excess": _("Difference of the two"),
    }
    rows = [(name, found.get(key)) for key, name in names.items()]
    flagged, by_holm = found.get("dif.items_flagged"), found.get("dif.items_flagged.holm")
    return Table(
        caption=_("DIF over all prompts"),
        head=(_("Measure"), _("Value"), _("95 % interval")),
        rows=[(name, value_cell(row), interval_or_why(row)) for name, row in rows],
        notes=(
            _("%(share)s of the prompts are beyond 5 %% by themselves; 5 %% would be without DIF.")
            % {"share": percent_cell(flagged)},
            _(
                "After Holm's correction over all prompts %(number)s of them are flagged. With four or five "
                "answers to a prompt few can be: that none is says nothing about a single prompt. Without "
                "DIF about one study in five still flags one, as so few answers make p approximate."
            )
            % {"number": counted(by_holm.details["flagged"] if by_holm else None)},
            *process_notes(found.get("dif.sd")),
        ),
    )


def process_notes(row: MeasureRow | None) -> Iterator[str]:
    """What answers without DIF are expected to be like; measurements of earlier versions do not tell."""
    if row is None or "deviation_sd" not in row.details:
        return
    yield _(
        "What is expected without DIF rests on how answers arise. Taken from this study are the numbers of "
        "criteria and the judge's confidences: 1 in %(certain)s %% of the answers, in the others "
        "%(other)s. Assumed is how far criteria of one answer are met together (correlation 0.4)."
    ) % {
        "certain": decimals(100 * row.details["certain_share"], 0),
        "other": decimals(row.details["uncertain_confidence"], 2),
    }  # fmt: skip
    fitted = _(
        "Deviations of a person on a prompt have an SD of %(sd)s logits, fitted to how far answers to the "
        "same prompt scatter; the interval of the slope allows for that."
    )
    assumed = _(
        "Deviations of a person on a prompt are assumed to have an SD of %(sd)s logits: too few prompts were "
        "answered twice to tell. With another SD the slope would be flagged without DIF."
    )
    sd = {"sd": decimals(row.details["deviation_sd"], 2)}
    yield (fitted if row.details["deviation_fitted"] else assumed) % sd


def group_table(found: BlockMeasures) -> Table:
    head = (
        _("Part"), _("Shift"), _("95 % interval"), _("Pairs"), _("Clusters"), _("p"), _("p by Holm"),
        _("Shifted"),
    )  # fmt: skip
    return Table(
        caption=_("Shifts of categories, modalities, and profiles on categories"),
        head=head,
        rows=[group_cells(row) for row in found.named("dif.group")],
        notes=(
            _(
                "Mean residual; for a profile, how much more it is off on the category than elsewhere, "
                "compared with the other profiles. Clusters are batches where each prompt is in one batch, "
                "else people and prompts. Holm's correction counts categories, modalities and profiles "
                "each by themselves: without DIF at most about one study in twenty flags any category."
            ),
        ),
    )


def group_cells(row: MeasureRow) -> tuple[str, ...]:
    return (
        part_name(row.subset),
        value_cell(row),
        interval_cell(row),
        counted(row.n),
        counted(row.clusters),
        detail_cell(row, "p", 3),
        detail_cell(row, "p_holm", 3),
        _("yes") if row.details["flagged"] else _("no"),
    )


def part_name(subset: str) -> str:
    """What a subset is called: "Category QR", "Profile stem-phd on QR"."""
    kind, _colon, name = subset.partition(":")
    if kind == "profile":
        profile, _slash, category = name.partition("/category:")
        return _("Profile %(profile)s on %(category)s") % {"profile": profile, "category": category}
    if kind == "modality":
        return _("Modality %(name)s") % {"name": name}
    return _("Category %(name)s") % {"name": name}


def theta_table(found: BlockMeasures) -> Table:
    rows = [
        theta_cells(found, group, part, f"{group_name(group)}, {name}")
        for group in ("average", "top")
        for part, name in PARTS.items()
    ]
    return Table(
        caption=_("Theta with and without prompts that may be off (95 % interval)"),
        head=(
            _("Group and prompts"),
            _("Prompts left out"),
            _("Pooled"),
            _("theta_QL"),
            _("By prompt means, as published"),
        ),
        rows=rows,
        notes=(
            str(BY_PEOPLE),
            _(
                "Prompts with |ab| above 6.5 were passed or failed by all models: their parameters rest on "
                "little."
            ),
            _(
                "Flags are set from the answers of all retained people; Top stays the group that was chosen "
                "from all prompts. Where nothing is flagged the line is that of all prompts."
            ),
        ),
    )


def theta_cells(found: BlockMeasures, group: str, part: str, name: str) -> tuple[str, ...]:
    by_prompt, pooled, ql = (
        found.get(key, group, part) for key in ("dif.theta.prompt", "dif.theta.pool", "dif.theta.ql")
    )
    return (
        name,
        left_out_cell(part, pooled),
        value_with_interval(pooled),
        value_with_interval(ql),
        value_cell(by_prompt),
    )


def left_out_cell(part: str, row: MeasureRow | None) -> str:
    if row is None or part == "prompts:all":
        return ABSENT
    return _("nothing flagged") if row.details["nothing_flagged"] else counted(row.details["left_out"])


def item_table(found: BlockMeasures) -> Table:
    head = (
        _("Prompt"), _("Category"), _("Shift, shrunken"), _("SD"), _("Shift, raw"), _("p by Holm"),
        _("Answers"),
    )  # fmt: skip
    return Table(
        caption=_("For content review: the prompts with the largest shifts"),
        head=head,
        rows=[
            (
                prompt_name(found, row),
                row.details["category"] or ABSENT,
                value_cell(row),
                se_cell(row),
                detail_cell(row, "raw", 2),
                detail_cell(row, "p_holm", 3),
                counted(row.n),
            )
            for row in found.named("dif.item")
        ],
        notes=(
            _(
                "A few answers a prompt cannot show that a prompt is off; these are the ones whose text is "
                "worth reading first. Raw shifts are drawn to the mean by how unreliable they are."
            ),
        ),
    )


def prompt_name(found: BlockMeasures, row: MeasureRow) -> str:
    """Label and id of a public prompt; a private one is not named, as what is shown may be passed on."""
    public = row.details["public"]
    return f"{found.labels[row.prompt_id]} ({row.prompt_id})" if public else _("a private prompt")


def shift_figure(found: BlockMeasures) -> "Figure | None":
    """The shift of each category and modality with its interval."""
    rows = [
        row
        for row in found.named("dif.group")
        if row.value is not None and not row.subset.startswith("profile:")
    ]
    if not rows:
        return None
    figure, axes = empty_figure((8.0, 1.4 + 0.4 * len(rows)))
    styles = ((False, "o", POINTS, _("not shifted")), (True, "s", LIMITS, _("shifted (Holm, 5 %)")))
    for flagged, marker, colour, label in styles:
        places = [place for place, row in enumerate(rows) if row.details["flagged"] == flagged]
        values = [rows[place].value or 0.0 for place in places]
        halves = [half_width(rows[place]) for place in places]
        axes.errorbar(
            values, places, xerr=halves, fmt=marker, color=colour, markersize=6, capsize=3, label=label
        )
    axes.axvline(0, color=INK, linewidth=0.6)
    axes.set_yticks(range(len(rows)), [part_name(row.subset) for row in rows], parse_math=False)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(_("mean residual in logits of single answers, with its 95 % interval"))
    axes.grid(axis="x", color="#d9d6cf", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)
    figure.legend(loc="outside upper left", ncols=2, frameon=False)
    return figure


def half_width(row: MeasureRow) -> float:
    """Of the interval; NaN, which is not drawn, where there is none."""
    return math.nan if row.value is None or row.low is None else row.value - row.low


PAGE = BlockPage(
    title=gettext_lazy("DIF"),
    summary=summary,
    tables=tables,
    figures={
        "shifts": FigureSpec(
            draw=shift_figure,
            alt=gettext_lazy("The shift of each category and modality with its 95 % interval around 0."),
            caption=gettext_lazy("Shifts of categories and modalities; right of 0 is easier than expected."),
        )
    },
)
