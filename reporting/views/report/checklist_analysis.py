"""What the records say to the checklist's items on the analysis."""

from django.utils.translation import gettext as _, ngettext

from presentation.agreement import judges_sentence
from presentation.measures import value_cell
from psychometrics.inference.measure import Block
from reporting.selectors.report_records import StudyRecords
from scoring.selectors.measures import block_measures
from scoring.selectors.task_tables import holds_tasks


def tested(records: StudyRecords) -> str:
    if not records.models.compared:
        return ""
    return ngettext(
        "Yes, on the same prompts, for %(number)d model with scores; where it cannot be told from the cohort "
        "that is said.",
        "Yes, on the same prompts, for %(number)d models with scores; those that cannot be told from the "
        "cohort are named.",
        records.models.compared,
    ) % {"number": records.models.compared}


def test_kind(records: StudyRecords) -> str:
    if not records.models.compared:
        return ""
    return _(
        "Two-sided, on differences paired on the same prompts, with errors clustered by the design and "
        "quantiles of t, at the 5 % level after Holm's correction."
    )


def uncertainty(records: StudyRecords) -> str:
    if not (records.computed(Block.UNCERTAINTY) and records.models.compared):
        return ""
    return _(
        "Yes: for people the analytic standard error and those clustered by the design, each with its "
        "target; for models with scores that of their difference from the cohort."
    )


def estimate_kind(records: StudyRecords) -> str:
    if records.average is None or records.average.ci_low_pool is None:
        return ""
    return _("Points with 95 % intervals.")


def metric(records: StudyRecords) -> str:
    if records.study.item_bank is None or not records.models.compared:
        return ""
    if holds_tasks(records.study):
        return _(
            "Yes: accuracy per task and theta on a bank of tasks, at the same number of answers per task."
        )
    return _(
        "Yes: theta.pool and theta_QL on the item bank's scale, models by their single responses. By prompt "
        "means people come out 0.1 to 0.3 too low even at the same number of responses per prompt, which "
        "stands beside every comparison."
    )


def judges(records: StudyRecords) -> str:
    if records.measurement is None or not records.models.compared:
        return ""
    found = block_measures(records.measurement, Block.MODELS, records.scope)
    scored = [row.details for row in found.named("theta.epochs")]
    return judges_sentence(scored) if scored else ""


def robust(records: StudyRecords) -> str:
    if records.measurement is None or not records.computed(Block.EXCLUSIONS):
        return ""
    found = block_measures(records.measurement, Block.EXCLUSIONS, records.scope)
    low, high = (found.get(f"multiverse.{end}", "average", "not_score_based") for end in ("low", "high"))
    paper = next((row for row in found.named("multiverse", group="average") if row.details["paper"]), None)
    if low is None or low.value is None or paper is None or paper.value is None:
        return ""
    return _(
        "Over %(number)d combinations of rules that look at no score, Average ranges from theta = %(low)s to "
        "%(high)s; by the rules of this report it is %(paper)s."
    ) % {
        "number": low.n or 0,
        "low": value_cell(low),
        "high": value_cell(high),
        "paper": value_cell(paper),
    }
