"""Audit samples as export rows: what people say beside the judges, without their names."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import F

from batches.selectors.answers import answers_to_score
from judging.models import AuditItem, AuditSample
from judging.selectors.audits import sample_strata, scores_by_judge, study_samples
from psychometrics.inference.estimates import none_if_nan
from scoring.export.manifest import AuditEntry, StratumEntry
from scoring.export.rows.judges import AuditResultRow, AuditRow
from scoring.selectors.audit_results import RESAMPLES, AuditResult, audit_result
from scoring.selectors.export_answers import judging_run_numbers, run_numbers
from scoring.selectors.scopes import scope_to_leave
from studies.models import Study

ITEM_FACTS = (
    "number",
    "stratum",
    "human_score",
    "rater",
    "row__answer",
    "row__criterion",
    "row__criterion__position",
    "row__answer__session__participant__code",
    "row__answer__prompt__prompt_id",
    "row__answer__prompt__label",
)


def audit_rows(study: Study) -> Iterator[AuditRow]:
    """Every item and judge of every sample; raters are numbered by their first item."""
    numbers, scope = run_numbers(study), scope_to_leave(study)
    raters: dict[str, int] = {}
    samples = AuditSample.objects.filter(judging_run__study=study).order_by("pk")
    counting = answers_to_score(study).filter(prompt__split="public").order_by().values("pk")
    for number, sample in enumerate(samples, start=1):
        items = AuditItem.objects.filter(sample=sample, row__answer__in=counting)
        items = items.filter(row__revision=F("row__answer__revision"))
        probability = {stratum.name: stratum.probability for stratum in sample_strata(sample, scope)}
        judges = sample.strata["judges"]
        scores = scores_by_judge(study, judges, items.order_by())
        for values in items.order_by("number").values_list(*ITEM_FACTS):
            item, stratum, human, rater, answer, criterion, position, code, prompt_id, label = values
            rater_number = raters.setdefault(rater, len(raters) + 1) if rater else None
            for judge in judges:
                yield AuditRow(
                    sample=number,
                    item=item,
                    run=numbers[judge],
                    participant=code,
                    prompt_id=prompt_id,
                    label=label,
                    criterion=position,
                    stratum=stratum,
                    inclusion_probability=probability[stratum],
                    judge_score=scores.get((judge, (answer, criterion))),
                    human_score=human,
                    rater=rater_number,
                )


def audit_entries(study: Study) -> Iterator[AuditEntry]:
    """Every sample, oldest first: what it was drawn from, and what its intervals are drawn with."""
    judging_numbers, scope = judging_run_numbers(study), scope_to_leave(study)
    for number, sample in enumerate(study_samples(study).reverse(), start=1):
        yield AuditEntry(
            number=number,
            judging_run=judging_numbers[sample.judging_run_id],
            seed=sample.seed,
            resamples=RESAMPLES,
            strata=tuple(
                StratumEntry(name=one.name, verdicts=one.verdicts, drawn=one.drawn)
                for one in sample_strata(sample, scope)
            ),
            drawn_at=sample.drawn_at,
        )


def audit_result_rows(study: Study) -> Iterator[AuditResultRow]:
    """Every sample, in the one scope that leaves the site."""
    numbers, scope = run_numbers(study), scope_to_leave(study)
    for number, sample in enumerate(study_samples(study).reverse(), start=1):
        yield from sample_rows(audit_result(sample, scope), numbers, scope=scope, sample=number)


def sample_rows(
    result: AuditResult, numbers: Mapping[int, int], **of_sample: Any
) -> Iterator[AuditResultRow]:
    """What is said of a sample, by judge."""
    for judge in result.judges:
        place = {**of_sample, "run": numbers[judge.run.pk]}
        for statistic, value in counts_of(result).items():
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


def counts_of(result: AuditResult) -> dict[str, int]:
    return {"drawn": result.drawn, "rated": result.rated, "raters": result.raters}
