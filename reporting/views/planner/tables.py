"""A planned study as tables, for the page and the command."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _, gettext_lazy

from presentation.columns import ABSENT
from presentation.measures import estimator_name, reason_cell
from presentation.numbers import Text, counted, decimals, percent
from presentation.tables import Table
from psychometrics.inference.estimates import Reason
from psychometrics.planning.designs import MATRIX, NESTED
from psychometrics.planning.simulated_design import MAX_CHOSEN, Recovery, SimulatedDesign
from psychometrics.planning.tables import PROMPTS_PER_PERSON, Alternative, Planned

WHY: Mapping[str, Text] = {
    Reason.TOO_FEW_PEOPLE: gettext_lazy("fewer people have a score than Top has places, or only one"),
    Reason.TOO_FEW_PAIRS: gettext_lazy("people have too few answers with a score each"),
    Reason.NO_PAIRS: gettext_lazy("nobody has a score"),
}


def planner_tables(found: Planned) -> Sequence[Table]:
    return [
        *([rehearsal_table(found.rehearsed, found.item_bank)] if found.rehearsed else []),
        plan_table(found),
        needed_table(found),
        *alternative_tables(found),
        batch_table(found),
        linkage_table(found),
    ]


def plan_table(found: Planned) -> Table:
    own, plan, cost = found.precision, found.plan, found.cost
    rows = [
        (_("Item bank"), found.item_bank or _("synthetic")),
        (_("Prompts of the bank"), counted(plan.bank_prompts)),
        (_("Mean squared discrimination of the bank"), decimals(plan.mean_square, 2)),
        (_("Half-width of the 95 % interval"), decimals(own.half_width)),
        (_("Standard error"), decimals(own.se, 3)),
        (_("Smallest difference from a known value, found with 80 % chance"), decimals(own.detectable)),
        (_("The same between two halves of the people"), decimals(own.detectable_halves)),
        (_("Expected answers with a score"), counted(round(plan.answers))),
        (_("Answers per prompt that is asked"), decimals(plan.answers_per_prompt, 1)),
        (_("Batches of one cut"), counted(plan.batches)),
        (_("Cost of people"), decimals(cost.people, 2)),
        (_("Cost of judging"), decimals(cost.judge, 2)),
        (_("Cost in all"), decimals(cost.total, 2)),
    ]
    return Table(_("This plan"), (_("What"), _("Value (logits, numbers, currency)")), rows)


def needed_table(found: Planned) -> Table:
    rows = [
        (f"± {decimals(width, 2)}", _("no number suffices") if people is None else counted(people))
        for width, people in found.needed
    ]
    notes = [_("Where no number suffices, what differs between prompts alone leaves more than this.")]
    return Table(_("People needed for a half-width"), (_("Half-width"), _("People")), rows, notes)


def alternative_tables(found: Planned) -> Iterator[Table]:
    yield _alternatives(_("By number of people"), _("People"), found.by_people, _integer)
    yield _alternatives(_("By people per batch"), _("People per batch"), found.by_replicates, _integer)
    by_prompts = _alternatives(
        _("By prompts per person, with the same number of answers"), _("Prompts per person"),
        found.by_prompts, _integer,
    )  # fmt: skip
    if found.plan.bank_prompts < max(PROMPTS_PER_PERSON):
        notes = [_("A person cannot get more prompts than the bank has; such rows are left out.")]
        by_prompts = replace(by_prompts, notes=notes)
    yield by_prompts
    yield _alternatives(_("By SD of ability between people"), _("SD (logits)"), found.by_sd, decimals)


def _integer(value: float) -> str:
    return counted(round(value))


def _alternatives(
    caption: str, first: str, lines: Sequence[Alternative], shown: Callable[[float], str]
) -> Table:
    head = (
        first, _("People in all"), _("Half-width"), _("Smallest difference"), _("Between two halves"),
        _("Cost in all"),
    )  # fmt: skip
    rows = [
        (
            shown(line.value),
            counted(line.people),
            decimals(line.precision.half_width),
            decimals(line.precision.detectable),
            decimals(line.precision.detectable_halves),
            decimals(line.cost.total, 2),
        )
        for line in lines
    ]
    return Table(caption, head, rows)


def batch_table(found: Planned) -> Table:
    rows = [
        (counted(line.replicates), decimals(line.half_width), within_one(line.prompt_half_width))
        for line in found.per_batch
    ]
    head = (_("People on it"), _("Half-width of the batch's theta"), _("Of one prompt's mean score (0 to 1)"))
    notes = [_("Few people on a batch cannot rank batches, nor prompts.")]
    return Table(_("One batch, one prompt"), head, rows, notes)


def within_one(half_width: float) -> str:
    return ABSENT if math.isnan(half_width) else f"± {decimals(half_width, 2)}"


def linkage_table(found: Planned) -> Table:
    names = {NESTED: _("nested"), MATRIX: _("matrix sampling")}
    rows = [
        (
            names[kind] + (_(" (this plan)") if kind == found.kind else ""),
            counted(linkage.components),
            counted(linkage.asked),
            counted(linkage.fewest_people),
            counted(linkage.fewest_neighbours),
        )
        for kind, linkage in found.linkage
    ]
    head = (
        _("Design"), _("Components"), _("Prompts asked"), _("Fewest people on a prompt"),
        _("Fewest prompts met together with one"),
    )  # fmt: skip
    notes = [
        _(
            "Components share neither people nor prompts. For theta on a bank calibrated on models that does "
            "no harm; for parameters or functioning of prompts among people it does. Nested batches serve "
            "se.batch, matrix sampling se.twoway."
        )
    ]
    return Table(_("How people and prompts hang together"), head, rows, notes)


def rehearsal_table(found: SimulatedDesign, item_bank: str | None) -> Table:
    head = (
        _("Estimator"), _("Mean"), _("Truth"), _("Bias"), _("SD over studies"), _("Mean SE"),
        _("Coverage of 95 %"),
    )  # fmt: skip
    notes = [
        bank_sentence(item_bank),
        *undefined_sentences(found),
        _(
            "Simulated: responses follow an assumed process, not people. The truth of Average is the mean of "
            "everybody who could take part, that of Top the mean of those selected. The truth of "
            "top.crossfit5 is that of the selection on all answers, which is slightly better than its own."
        ),
        _(
            "theta_QL has a scale and hence a truth of its own. After ± stands the error of the coverage "
            "that the number of rehearsed studies leaves (Wilson). The interval of top.crossfit5 is "
            "rehearsed where the size of Top times the studies is at most %(most)s."
        )
        % {"most": counted(MAX_CHOSEN)},
        _("Correlation of people's own theta with their true ability: %(value)s; %(studies)s studies.")
        % {"value": decimals(found.correlation), "studies": counted(found.studies)},
    ]
    return Table(
        _("Rehearsal with known abilities"), head, [_recovery(one) for one in found.recoveries], notes
    )


def bank_sentence(item_bank: str | None) -> str:
    if item_bank is None:
        return _(
            "The bank is synthetic: of the planned size and information, with parameters like the published "
            "ones."
        )
    return _("The items are those of the item bank %(bank)s.") % {"bank": item_bank}


def undefined_sentences(found: SimulatedDesign) -> Iterator[str]:
    """Why estimators have no number in some studies or in all; those with the same reason together."""
    named: dict[tuple[Reason, int], list[str]] = {}
    for one in found.recoveries:
        for reason, studies in one.undefined.items():
            named.setdefault((reason, studies), []).append(estimator_name(one.name))
    for (reason, studies), names in named.items():
        yield _("Without a number in %(studies)s of %(of)s studies: %(names)s (%(reason)s).") % {
            "studies": counted(studies), "of": counted(found.studies), "names": "; ".join(names),
            "reason": reason_cell(reason, WHY),
        }  # fmt: skip


def _recovery(one: Recovery) -> Sequence[str]:
    if not one.studies:
        return (estimator_name(one.name), _("no number, see below"), *(ABSENT,) * 5)
    coverage = percent(one.coverage)
    if coverage != ABSENT:
        coverage += f" ± {decimals(100 * one.error, 1)}"
    return (
        estimator_name(one.name), decimals(one.mean), decimals(one.truth), decimals(one.bias),
        decimals(one.spread, 3), decimals(one.mean_se, 3), coverage,
    )  # fmt: skip
