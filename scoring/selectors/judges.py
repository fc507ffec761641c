"""The judges of a study: panels of those asked for scores under one design, how they agree as it is stored;
and what a cohort does not hold of its judge: confidences, reasons for no score, and other judges' scores.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db.models import Count, Exists, F, OuterRef, Prefetch, QuerySet

from batches.selectors.answers import answers_to_score
from judging.models import AnswerScore, CriterionScore, JudgingRun, RowState, ScoringRun
from judging.selectors.answers import counted_answers
from judging.selectors.runs import scores_runs
from scoring.models import JudgeComparison, MeasureRow
from screening.selectors.participants import retained_participants
from studies.models import Study
from studies.selectors.private_questions import of_public

CHUNK = 2000
CONFIDENCE_DECIMALS = 2
DIGEST = 8  # characters
NOT_JUDGED = "not_judged"  # the run has not come to this answer, or not to its newest revision
Panel = tuple[ScoringRun, ...]


def panels(study: Study) -> list[Panel]:
    """Runs under one design that were asked for scores, two or more of them; the oldest panel first."""
    asked = CriterionScore.objects.filter(run=OuterRef("pk"), judging_run__in=scores_runs())
    runs = ScoringRun.objects.filter(Exists(asked), study=study).select_related("config").order_by("pk")
    by_design: dict[str, list[ScoringRun]] = {}
    for run in runs:
        by_design.setdefault(run.design_hash, []).append(run)
    return [tuple(found) for found in by_design.values() if len(found) > 1]


def study_agreements(study: Study) -> QuerySet[JudgeComparison]:
    """What is stored of every scope, pair by pair, with its numbers."""
    related = ("first__config", "second__config")
    compared = JudgeComparison.objects.filter(first__study=study).select_related(*related)
    measures = MeasureRow.objects.order_by("pk")
    return compared.order_by("first", "second", "pk").prefetch_related(Prefetch("measures", measures))


def design_of(judging_run: JudgingRun) -> str:
    """The design its judges were asked under; "" before there is a row."""
    rows = judging_run.rows.order_by("pk").values_list("run__design_hash", flat=True)
    return rows.first() or ""


def newly_judged(first: ScoringRun, second: ScoringRun, since: datetime) -> int:
    """Answers that either of them judged after this moment."""
    return AnswerScore.objects.filter(run__in=(first, second), judged_at__gt=since).count()


def confidence_counts(run: ScoringRun, *, public_only: bool = False) -> dict[float, int]:
    """How often the judge gave each confidence, on what counts now of retained people; ascending."""
    people = retained_participants(run.study).values("pk")
    rows = (
        CriterionScore.objects.filter(
            run=run,
            state=RowState.SCORED,
            revision=F("answer__revision"),
            answer__session__participant__in=people,
        )
        .order_by()
        .values_list("confidence")
        .annotate(number=Count("pk"))
    )
    if public_only:
        rows = rows.filter(of_public("answer__prompt"))
    counts: Counter[float] = Counter()
    for confidence, number in rows:
        if confidence is not None:
            counts[round(confidence, CONFIDENCE_DECIMALS)] += number
    return dict(sorted(counts.items()))


def unscored_reasons(run: ScoringRun, *, public_only: bool = False) -> Mapping[str, int]:
    """Why answers that count have no score, by reason, the most frequent first."""
    own = AnswerScore.objects.filter(run=run, revision=F("answer__revision"))
    reasons = dict(own.values_list("answer", "unscored_reason"))
    counted = counted_answers(run.study)
    if public_only:
        counted = counted.filter(of_public("prompt"))
    counts = Counter(reasons.get(answer, NOT_JUDGED) for answer in counted.values_list("pk", flat=True))
    return {reason: number for reason, number in counts.most_common() if reason}


def other_runs(run: ScoringRun) -> list[ScoringRun]:
    """The other judges of the same answers under the same protocol; the oldest first."""
    panel = next((found for found in panels(run.study) if run in found), ())
    return [other for other in panel if other != run]


def current_scores(other: ScoringRun) -> dict[tuple[str, str], float]:
    """The run's scores of what counts now, by person and prompt; none of an earlier revision."""
    answers = answers_to_score(other.study).values("pk")
    rows = AnswerScore.objects.filter(
        run=other, revision=F("answer__revision"), answer__in=answers
    ).values_list("answer__session__participant__code", "answer__prompt__prompt_id", "score")
    return {(code, prompt_id): score for code, prompt_id, score in rows.iterator(CHUNK) if score is not None}


def judge_names(runs: Sequence[ScoringRun]) -> list[str]:
    """The name of each run's judge; one that was set up anew has the same name, and its digest tells."""
    names = [run.config.slug if run.config else run.judge_kind for run in runs]
    # Which time the same judge was asked, after the first.
    names = [
        name if run.replicate == 1 else f"{name}#{run.replicate}"
        for name, run in zip(names, runs, strict=True)
    ]
    return [
        name if names.count(name) == 1 else f"{name}@{run.judge_sha256[:DIGEST]}"
        for run, name in zip(runs, names, strict=True)
    ]


def study_judge_names(run: ScoringRun) -> tuple[str, ...]:
    """The names by which a model's judge may be this one: of the model that judges, and its own here."""
    return (run.config.model, run.config.slug) if run.config else (run.judge_kind,)
