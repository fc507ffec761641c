"""Agreement of judges, and audit samples without raters' names, as export rows."""

from collections.abc import Iterator

from django.db.models import Exists, F, OuterRef

from batches.selectors.answers import answers_to_score
from judging.models import AuditItem, AuditSample
from judging.selectors.audits import sample_strata, scores_by_judge, study_samples
from psychometrics.agreement.measures import pair_rows, panel_rows
from psychometrics.inference.estimates import none_if_nan
from scoring.export.rows.judges import AgreementRow, AuditResultRow, AuditRow
from scoring.models import MeasureRow
from scoring.selectors.audit_agreements import judges_beside_people
from scoring.selectors.audit_results import audit_result
from scoring.selectors.export_columns import run_numbers, stored_columns
from scoring.selectors.judges import study_agreements
from scoring.selectors.scopes import scope_to_leave
from studies.models import Study
from studies.selectors.private_questions import of_public

AUDIT_PATHS = {
    "item": "number",
    "participant": "row__answer__session__participant__code",
    "prompt_id": "row__answer__prompt__prompt_id",
    "label": "row__answer__prompt__label",
    "criterion": "row__criterion__position",
    "place": "row__answer",
    "of_criterion": "row__criterion",
}


def agreement_rows(study: Study) -> Iterator[AgreementRow]:
    """Every stored statistic that may leave the site, pair by pair."""
    numbers = run_numbers(study)
    leaving = MeasureRow.objects.filter(comparison=OuterRef("pk"), may_leave=True)
    for row in study_agreements(study).filter(Exists(leaving)):
        if row.level == "panel":
            runs = [numbers[pk] for pk in row.values["runs"]]
            for found in panel_rows(row.values["levels"]):
                yield AgreementRow(scope=row.scope, x_run=None, y_run=None, runs=runs, **found)
            continue
        x, y = numbers[row.first_id], numbers[row.second_id]
        compared = {"": [x, y], "x": [x], "y": [y]}
        for found in pair_rows(row.level, row.values):
            of = found.pop("of")
            yield AgreementRow(scope=row.scope, x_run=x, y_run=y, runs=compared[of], **found)


def audit_rows(study: Study) -> Iterator[AuditRow]:
    """Every item and judge of every sample; raters are numbered by their first item."""
    numbers, scope = run_numbers(study), scope_to_leave(study)
    raters: dict[str, int] = {}
    samples = AuditSample.objects.filter(judging_run__study=study).order_by("pk")
    counting = answers_to_score(study).filter(of_public("prompt")).order_by().values("pk")
    for number, sample in enumerate(samples, start=1):
        items = AuditItem.objects.filter(sample=sample, row__answer__in=counting)
        items = items.filter(row__revision=F("row__answer__revision"))
        probability = {stratum.name: stratum.probability for stratum in sample_strata(sample, scope)}
        judges = sample.strata["judges"]
        scores = scores_by_judge(study, judges, items.order_by())
        computed = ("sample", "run", "inclusion_probability", "judge_score")
        for values in stored_columns(AuditRow, items.order_by("number"), AUDIT_PATHS, computed=computed):
            place = values.pop("place"), values.pop("of_criterion")
            rater = values["rater"]
            values["rater"] = raters.setdefault(rater, len(raters) + 1) if rater else None
            for judge in judges:
                yield AuditRow(
                    **values,
                    sample=number,
                    run=numbers[judge],
                    inclusion_probability=probability[values["stratum"]],
                    judge_score=scores.get((judge, place)),
                )


def audit_result_rows(study: Study) -> Iterator[AuditResultRow]:
    """Every sample, in the one scope that leaves the site; what is said of it, by judge."""
    numbers, scope = run_numbers(study), scope_to_leave(study)
    for number, sample in enumerate(study_samples(study).reverse(), start=1):
        result = audit_result(sample, scope, judges_beside_people)
        counts = {"drawn": result.drawn, "rated": result.rated, "raters": result.raters}
        for judge in result.judges:
            place = {"scope": scope, "sample": number, "run": numbers[judge.run.pk]}
            for statistic, value in counts.items():
                yield AuditResultRow(**place, of="sample", statistic=statistic, value=value)
            for of, statistic, n, clusters, estimate in judge.found.statistics():
                yield AuditResultRow(
                    **place,
                    of=of,
                    statistic=statistic,
                    value=none_if_nan(estimate.value),
                    se=none_if_nan(estimate.se),
                    low=none_if_nan(estimate.low),
                    high=none_if_nan(estimate.high),
                    n=n,
                    clusters=clusters,
                    reason=str(estimate.reason) if estimate.reason else None,
                )
