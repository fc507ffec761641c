"""Audit samples: the verdicts they are drawn from, and what is left of them as people come and go.

Only the newest revisions of counted answers of retained participants are drawn. Whoever withdraws or is
excluded later takes their items out of sheets and results; the numbers of the others stay.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import BooleanField, Count, ExpressionWrapper, F, Min, Q, QuerySet, Subquery

from judging.audit_sheet import SheetRow
from judging.models import AuditItem, AuditSample, CriterionScore, JudgingRun, RowState, ScoringRun
from judging.selectors.answers import counted_answers
from psychometrics.agreement.audit_sample import DrawnStratum, JudgedVerdict, Stratum
from psychometrics.agreement.two_raters import MET, kappa_of
from psychometrics.data.places import PUBLIC
from psychometrics.inference.measure import Scope
from studies.models import Study
from studies.roles import Can
from studies.selectors.private_questions import of_public, private_prompts, seen_by
from studies.selectors.roles import reviewers_see_private

CHUNK = 2000
PROMPT = "row__answer__prompt"
Place = tuple[int, int | None]  # answer and criterion; no criterion where the answer is an exact one


def audit_judges(run: JudgingRun) -> list[ScoringRun]:
    """The judges this run asked, in the order of its plan."""
    rows = CriterionScore.objects.filter(judging_run=run).order_by()
    order = dict(rows.values("run").annotate(first=Min("pk")).values_list("run", "first"))
    runs = ScoringRun.objects.filter(pk__in=order).select_related("config")
    return sorted(runs, key=lambda one: order[one.pk])


def judged_verdicts(
    study: Study, judges: list[ScoringRun], *, public_only: bool = False
) -> Iterator[JudgedVerdict]:
    """Every verdict of the first judge that counts, with what the other judges say."""
    if not judges:
        return
    counted = counted_answers(study).order_by()
    if public_only:
        counted = counted.filter(of_public("prompt"))
    scored = _current_verdicts(study, [one.pk for one in judges]).filter(answer__in=counted.values("pk"))
    facts = scored.values_list(
        "run", "answer", "criterion", "pk", "score", "confidence", "answer__prompt__split"
    )
    first: list[tuple[Place, int, float, float, bool]] = []
    others: dict[Place, list[float]] = {}
    for run, answer, criterion, pk, score, confidence, split in facts.iterator(CHUNK):
        if score is None or confidence is None:
            continue  # never so: a scored row has both
        if run == judges[0].pk:
            first.append(((answer, criterion), pk, score, confidence, split == PUBLIC))
        else:
            others.setdefault((answer, criterion), []).append(score)
    for place, pk, score, confidence, is_public in first:
        yield JudgedVerdict(pk, score, confidence, tuple(others.get(place, ())), is_public)


def drawn_from_public(study: Study, *, wished: bool) -> bool:
    """Whether a sample is drawn from public questions alone, by wish or as the protocol has it."""
    return wished or (not reviewers_see_private(study) and private_prompts(study).exists())


def audit_samples(run: JudgingRun) -> QuerySet[AuditSample]:
    """All samples of a run, newest first, with `drawn` and `rated` items counted."""
    return (
        AuditSample.objects.filter(judging_run=run)
        .select_related("judging_run__study", "drawn_by")
        .annotate(drawn=Count("items"), rated=Count("items", filter=Q(items__human_score__isnull=False)))
        .order_by("-pk")
    )


def study_samples(study: Study) -> QuerySet[AuditSample]:
    """All samples of a study, newest first."""
    samples = AuditSample.objects.filter(judging_run__study=study)
    return samples.select_related("judging_run__study", "drawn_by").order_by("-pk")


def counting_items(sample: AuditSample, rights: Collection[Can] = frozenset(Can)) -> QuerySet[AuditItem]:
    """The items whose answer counts and is still the text that was judged: all, of which numbers are made, or
    those that somebody with `rights` in the study may see.
    """
    # Found from the sample: the study may have a thousand times as many answers.
    counted = counted_answers(sample.judging_run.study).filter(criterion_scores__audit_items__sample=sample)
    items = AuditItem.objects.filter(sample=sample, row__answer__in=counted.order_by().values("pk"))
    return seen_by(rights, items.filter(row__revision=F("row__answer__revision")), PROMPT).order_by("number")


def sheet_rows(sample: AuditSample, rights: Collection[Can] = frozenset(Can)) -> Iterator[SheetRow]:
    """What raters with these rights get, the command line everything; in the order of the numbers, which is
    random.
    """
    items = counting_items(sample, rights).select_related(PROMPT, "row__criterion")
    items = items.prefetch_related(f"{PROMPT}__attachments")
    for item in items:
        answer, criterion = item.row.answer, item.row.criterion
        yield SheetRow(
            number=item.number,
            prompt=answer.prompt.text,
            attachments=tuple(file.name for file in answer.prompt.attachments.all()),
            gold_answer=answer.prompt.gold_answer,
            criterion=criterion.text if criterion else None,
            answer=answer.text,
        )


def private_labels(sample: AuditSample) -> list[str]:
    """The labels of the private prompts of items still in the sheet, one for each item."""
    items = counting_items(sample).exclude(of_public(PROMPT))
    return list(items.values_list(f"{PROMPT}__label", flat=True))


def private_items(sample: AuditSample) -> int:
    """How many items still in the sheet are of private prompts."""
    return len(private_labels(sample))


def sample_judges(sample: AuditSample) -> list[ScoringRun]:
    """The judges at the time of the draw, the first one first."""
    runs = ScoringRun.objects.select_related("config").in_bulk(sample.strata["judges"])
    return [runs[pk] for pk in sample.strata["judges"]]


def sample_strata(sample: AuditSample, scope: Scope) -> Sequence[Stratum]:
    """The strata at the time of the draw; in the scope `public` their public parts, where there are any."""
    strata = [DrawnStratum(**stratum) for stratum in sample.strata["strata"]]
    if scope == Scope.ALL:
        return strata
    return [stratum.public for stratum in strata if stratum.public_verdicts]


def has_public_scope(sample: AuditSample) -> bool:
    """Whether verdicts on private prompts were among those drawn from, so that the scopes differ."""
    whole, public = (sample_strata(sample, scope) for scope in (Scope.ALL, Scope.PUBLIC))
    return sum(one.verdicts for one in public) < sum(one.verdicts for one in whole)


def scores_by_judge(
    study: Study, judges: list[int], answers: QuerySet[AuditItem]
) -> Mapping[tuple[int, Place], float]:
    """What each judge gave to the places of the items; absent where it gave nothing."""
    verdicts = _current_verdicts(study, judges).filter(answer__in=answers.values("row__answer"))
    facts = verdicts.values_list("run", "answer", "criterion", "score")
    return {
        (run, (answer, criterion)): score
        for run, answer, criterion, score in facts.iterator(CHUNK)
        if score is not None
    }


def _current_verdicts(study: Study, judges: list[int]) -> QuerySet[CriterionScore]:
    scored = CriterionScore.objects.filter(run__in=judges, run__study=study, state=RowState.SCORED)
    return scored.filter(revision=F("answer__revision")).order_by()


@dataclass(frozen=True)
class RaterAgreement:
    """How raters and the judge agree in the newest sample, as drawn: shares of the `rated` items.

    `too_kind`: the judge calls met what people do not; `too_strict` the other way. NaN: nothing is rated.
    """

    sample: int
    run: int
    asked: int
    rated: int
    kappa: float
    too_kind: float
    too_strict: float


def newest_rater_agreement(study: Study, scope: Scope = Scope.ALL) -> RaterAgreement | None:
    """Of the newest sample of the study, over the verdicts of the scope; None without one. One query."""
    newest = Subquery(AuditSample.objects.filter(judging_run__study=study).order_by("-pk").values("pk")[:1])
    # Found from the sample, as in `counting_items`.
    counted = counted_answers(study).order_by().filter(criterion_scores__audit_items__sample=newest)
    counts = Q(items__row__answer__in=counted.values("pk")) & Q(
        items__row__revision=F("items__row__answer__revision")
    )
    if scope == Scope.PUBLIC:
        counts &= of_public(f"items__{PROMPT}")
    items = AuditSample.objects.filter(pk=newest).order_by()
    rows = list(
        items.values_list(
            *("pk", "judging_run", "items__human_score", "items__row__score"),
            ExpressionWrapper(counts, BooleanField()),
        )
    )
    if not rows:
        return None
    facts = [(human, judge) for _sample, _run, human, judge, is_counting in rows if is_counting]
    rated = [(human, judge) for human, judge in facts if human is not None and judge is not None]
    people, judge = [human for human, _judge in rated], [given for _human, given in rated]
    share = 1 / len(rated) if rated else math.nan
    kind = sum(human < MET <= given for human, given in rated)
    strict = sum(given < MET <= human for human, given in rated)
    sample, run, *_ = rows[0]
    return RaterAgreement(
        sample, run, len(facts), len(rated), kappa_of(people, judge), kind * share, strict * share
    )
