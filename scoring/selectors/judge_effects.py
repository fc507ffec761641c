"""What a cohort does not hold of its judge: confidences, reasons for no score, and other judges' scores."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
from django.db.models import Count, F

from batches.selectors.answers import answers_to_score
from judging.models import AnswerScore, CriterionScore, RowState, ScoringRun
from judging.selectors.answers import counted_answers
from psychometrics.data.cohort import Cohort
from psychometrics.inference.clusters import Array
from scoring.selectors.agreements import panels
from screening.selectors.participants import retained_participants

CHUNK = 2000
CONFIDENCE_DECIMALS = 2
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
        rows = rows.filter(answer__prompt__split="public")
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
        counted = counted.filter(prompt__split="public")
    counts = Counter(reasons.get(answer, NOT_JUDGED) for answer in counted.values_list("pk", flat=True))
    return {reason: number for reason, number in counts.most_common() if reason}


def other_runs(run: ScoringRun) -> list[ScoringRun]:
    """The other judges of the same answers under the same protocol; the oldest first."""
    panel = next((found for found in panels(run.study) if run in found), ())
    return [other for other in panel if other != run]


def scores_by(found: Mapping[tuple[str, str], float], cohort: Cohort) -> Array:
    """Another run's current scores of the cohort's rows (n,); NaN where it has none."""
    codes = [cohort.people[person].code for person in cohort.person]
    prompt_ids = [cohort.prompts[prompt].prompt_id for prompt in cohort.prompt]
    return np.array([found.get(row, np.nan) for row in zip(codes, prompt_ids, strict=True)], dtype=np.float64)


def current_scores(other: ScoringRun) -> dict[tuple[str, str], float]:
    """The run's scores of what counts now, by person and prompt; none of an earlier revision."""
    answers = answers_to_score(other.study).values("pk")
    rows = AnswerScore.objects.filter(
        run=other, revision=F("answer__revision"), answer__in=answers
    ).values_list("answer__session__participant__code", "answer__prompt__prompt_id", "score")
    return {(code, prompt_id): score for code, prompt_id, score in rows.iterator(CHUNK) if score is not None}
