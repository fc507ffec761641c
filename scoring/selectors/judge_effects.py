"""What a cohort does not hold of its judge: confidences, reasons for no score, and other judges' scores."""

from collections import Counter
from collections.abc import Mapping, Sequence

from django.db.models import Count, F

from batches.selectors.answers import answers_to_score
from judging.models import AnswerScore, CriterionScore, RowState, ScoringRun
from judging.selectors.answers import counted_answers
from scoring.selectors.agreements import panels
from screening.selectors.participants import retained_participants
from studies.selectors.private_questions import of_public

CHUNK = 2000
CONFIDENCE_DECIMALS = 2
DIGEST = 8  # characters
NOT_JUDGED = "not_judged"  # the run has not come to this answer, or not to its newest revision


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
    names = [_name_of(run) for run in runs]
    return [
        name if names.count(name) == 1 else f"{name}@{run.judge_sha256[:DIGEST]}"
        for run, name in zip(runs, names, strict=True)
    ]


def _name_of(run: ScoringRun) -> str:
    """The judge, and which time it was asked."""
    name = run.config.slug if run.config else run.judge_kind
    return name if run.replicate == 1 else f"{name}#{run.replicate}"


def study_judge_names(run: ScoringRun) -> tuple[str, ...]:
    """The names by which a model's judge may be this one: of the model that judges, and its own here."""
    return (run.config.model, run.config.slug) if run.config else (run.judge_kind,)
