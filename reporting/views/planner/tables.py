"""A planned study as tables, for the page and the command."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _, gettext_lazy

from presentation.measures import estimator_name, reason_cell
from presentation.numbers import Text, counted, decimals, percent
from presentation.tables import ABSENT, Table, Term, table_of
from psychometrics.inference.estimates import Reason
from psychometrics.planning.records import MATRIX, MAX_CHOSEN, NESTED, Recovery, SimulatedDesign
from psychometrics.planning.tables import PROMPTS_PER_PERSON, Alternative, Planned

WHY: Mapping[str, Text] = {
    Reason.TOO_FEW_PEOPLE: gettext_lazy("Top would be everybody with a score, or more, or there is only one"),
    Reason.TOO_FEW_PAIRS: gettext_lazy("people have too few answers with a score each"),
    Reason.NO_PAIRS: gettext_lazy("nobody has a score"),
}


def planner_tables(planned: Planned) -> Sequence[Table]:
    by_prompts = _alternatives(
        _("By questions per person, with the same number of answers"),
        _("Questions per person"),
        planned.by_prompts,
    )
    if planned.plan.bank_prompts < max(PROMPTS_PER_PERSON):
        notes = [_("A person cannot get more questions than the bank has; such rows are left out.")]
        by_prompts = replace(by_prompts, notes=notes)
    return [
        *([_rehearsal_table(planned.rehearsed, planned.item_bank)] if planned.rehearsed else []),
        _plan_table(planned),
        table_of(
            _("People needed for a half-width"),
            planned.needed,
            (
                (_("Half-width"), lambda line: f"± {decimals(line[0], 2)}"),
                (_("People"), lambda line: _("no number suffices") if line[1] is None else counted(line[1])),
            ),
            [_("Where no number suffices, what differs between questions alone leaves more than this.")],
        ),
        _alternatives(_("By number of people"), _("People"), planned.by_people),
        _alternatives(_("By people per question set"), _("People per question set"), planned.by_replicates),
        by_prompts,
        _alternatives(_("By SD of ability between people"), _("SD (logits)"), planned.by_sd, decimals),
        _batch_table(planned),
        *([_linkage_table(planned)] if planned.linkage else []),
    ]


def _plan_table(planned: Planned) -> Table:
    own, plan, cost = planned.precision, planned.plan, planned.cost
    rows = [
        (_("Item bank"), planned.item_bank or _("synthetic")),
        (_("Questions of the bank"), counted(plan.bank_prompts)),
        (_("Mean squared discrimination of the bank"), decimals(plan.mean_square, 2)),
        (_("Half-width of the 95 % interval"), decimals(own.half_width)),
        (_("Standard error"), decimals(own.se, 3)),
        (_("Smallest difference from a known value, found with 80 % chance"), decimals(own.detectable)),
        (_("The same between two halves of the people"), decimals(own.detectable_halves)),
        (_("Expected answers with a score"), counted(round(plan.answers))),
        (_("Answers per question that is asked"), decimals(plan.answers_per_prompt, 1)),
        (_("Question sets of one cut"), counted(plan.batches)),
        (_("Cost of people"), decimals(cost.people, 2)),
        (_("Cost of judging"), decimals(cost.judge, 2)),
        (_("Cost in all"), decimals(cost.total, 2)),
    ]
    return Table(_("This plan"), (_("What"), _("Value (logits, numbers, currency)")), rows)


def _alternatives(
    caption: str,
    first: str,
    lines: Sequence[Alternative],
    written: Callable[[float], str] = lambda value: counted(round(value)),
) -> Table:
    return table_of(
        caption,
        lines,
        (
            (first, lambda line: written(line.value)),
            (_("People in all"), lambda line: counted(line.people)),
            (_("Half-width"), lambda line: decimals(line.precision.half_width)),
            (_("Smallest difference"), lambda line: decimals(line.precision.detectable)),
            (_("Between two halves"), lambda line: decimals(line.precision.detectable_halves)),
            (_("Cost in all"), lambda line: decimals(line.cost.total)),
        ),
    )


def _batch_table(planned: Planned) -> Table:
    return table_of(
        _("One question set, one question"),
        planned.per_batch,
        (
            (_("People on it"), lambda line: counted(line.replicates)),
            (
                Term(
                    _("Half-width of the question set's ability"), _("Half-width of the question set's theta")
                ),
                lambda line: decimals(line.half_width),
            ),
            (
                _("Of one question's mean score (0 to 1)"),
                lambda line: (
                    ABSENT
                    if math.isnan(line.prompt_half_width)
                    else f"± {decimals(line.prompt_half_width, 2)}"
                ),
            ),
        ),
        [_("Few people on a question set cannot rank question sets, nor questions.")],
    )


def _linkage_table(planned: Planned) -> Table:
    names = {NESTED: _("nested"), MATRIX: _("matrix sampling")}
    names[planned.kind] += _(" (this plan)")
    return table_of(
        _("How people and questions hang together"),
        planned.linkage,
        (
            (_("Design"), lambda line: names[line[0]]),
            (_("Components"), lambda line: counted(line[1].components)),
            (_("Questions asked"), lambda line: counted(line[1].asked)),
            (_("Fewest people on a question"), lambda line: counted(line[1].fewest_people)),
            (_("Fewest questions met together with one"), lambda line: counted(line[1].fewest_neighbours)),
        ),
        [
            _(
                "Components share neither people nor questions. For ability on a bank calibrated on "
                "models that does no harm; for parameters or functioning of questions among people it "
                "does. Nested question sets serve error by question sets (se.batch), matrix sampling "
                "error by people and questions (se.twoway)."
            )
        ],
    )


def _rehearsal_table(design: SimulatedDesign, item_bank: str | None) -> Table:
    bank_sentence = _(
        "The bank is synthetic: of the planned size and information, with parameters like the published ones."
    )
    if item_bank is not None:
        bank_sentence = _("The items are those of the item bank %(bank)s.") % {"bank": item_bank}
    notes = [
        bank_sentence,
        *_undefined_sentences(design),
        _(
            "Simulated: responses follow an assumed process, not people. The truth of Average is the mean "
            "of everybody who could take part, that of Top the mean of those selected. The truth of Top "
            "free of the choice (top.crossfit5) is that of the selection on all answers, which is "
            "slightly better than its own."
        ),
        _(
            "Ability on the QL scale (theta_QL) has a scale and hence a truth of its own. After ± stands "
            "the error of the coverage that the number of rehearsed studies leaves (Wilson). The interval "
            "of Top free of the choice (top.crossfit5) is rehearsed where the size of Top times the "
            "studies is at most %(most)s."
        )
        % {"most": counted(MAX_CHOSEN)},
        _("Correlation of people's own ability with their true ability: %(value)s; studies: %(studies)s.")
        % {"value": decimals(design.correlation), "studies": counted(design.studies)},
    ]
    return table_of(
        _("Rehearsal with known abilities"),
        design.recoveries,
        (
            (_("Estimator"), lambda recovery: estimator_name(recovery.name)),
            (
                _("Mean"),
                lambda recovery: decimals(recovery.mean) if recovery.studies else _("no number, see below"),
            ),
            (_("Truth"), lambda recovery: decimals(recovery.truth)),
            (_("Bias"), lambda recovery: decimals(recovery.bias)),
            (_("SD over studies"), lambda recovery: decimals(recovery.spread, 3)),
            (_("Mean SE"), lambda recovery: decimals(recovery.mean_se, 3)),
            (_("Coverage of 95 %"), _coverage),
        ),
        notes,
    )


def _coverage(recovery: Recovery) -> str:
    coverage = percent(recovery.coverage)
    return coverage if coverage == ABSENT else f"{coverage} ± {decimals(100 * recovery.error, 1)}"


def _undefined_sentences(design: SimulatedDesign) -> Iterator[str]:
    """Why estimators have no number in some studies or in all; those with the same reason together."""
    named: dict[tuple[Reason, int], list[str]] = {}
    for recovery in design.recoveries:
        for reason, studies in recovery.undefined.items():
            named.setdefault((reason, studies), []).append(estimator_name(recovery.name))
    for (reason, studies), names in named.items():
        yield _("Studies without a number: %(studies)s of %(of)s, for %(names)s (%(reason)s).") % {
            "studies": counted(studies), "of": counted(design.studies), "names": "; ".join(names),
            "reason": reason_cell(reason, WHY),
        }  # fmt: skip
