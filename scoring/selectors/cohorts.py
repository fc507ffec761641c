"""A study's cohort under one scoring run, as the columns the measurement computes with."""

import math
from collections.abc import Iterator

from django.db.models import Avg, Count, F, FilteredRelation, Q

from batches.models import Answer
from batches.rules.statuses import AnswerState, SessionStatus, answer_state, counts
from judging.models import CriterionScore, RowState, ScoringRun
from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from scoring.selectors.scopes import study_prompts
from screening.selectors.participants import retained_participants, screened_participants
from studies.selectors.categories import question_categories
from studies.selectors.item_arrays import item_arrays

CHUNK = 2000
OUTCOME_OF_STATE = {
    AnswerState.DRAFTED_AT_EXPIRY: Outcome.NOT_SUBMITTED,
    AnswerState.BLANK: Outcome.SKIPPED,
    AnswerState.SKIPPED: Outcome.SKIPPED,
    AnswerState.NOT_REACHED: Outcome.NOT_REACHED,
}
Row = tuple[int, int, int, int, float, float, str]


def study_cohort(run: ScoringRun) -> Cohort:
    """Everybody whose session has ended and is not withdrawn, the excluded included (`Person.retained`).

    People and prompts are sorted here: databases sort texts differently, and what is drawn at random goes by
    their numbers.
    """
    study, asked = run.study, study_prompts(run.study)
    retained = set(retained_participants(study).values_list("code", flat=True))
    people = [
        Person(code, profile, code in retained, arm)
        for code, profile, arm in sorted(
            screened_participants(study).values_list("code", "profile", "session__arm")
        )
    ]
    bank = item_arrays(study.item_bank) if study.item_bank else None
    categories = question_categories(study, asked)
    prompts = [
        AskedPrompt(
            prompt_id=prompt.prompt_id,
            category=categories[prompt.prompt_id].category,
            subcategory=categories[prompt.prompt_id].subcategory,
            modality=prompt.modality,
            split=prompt.split,
            task=prompt.task,
            labels=tuple(prompt.labels),
            criteria=prompt.number_of_criteria,
        )
        for prompt in sorted(
            asked.annotate(number_of_criteria=Count("criteria")), key=lambda prompt: prompt.prompt_id
        )
    ]
    rows = cohort_rows(
        run,
        {person.code: place for place, person in enumerate(people)},
        {prompt.prompt_id: place for place, prompt in enumerate(prompts)},
    )
    return cohort_of(people=people, prompts=prompts, bank=bank, rows=list(rows))


def cohort_rows(run: ScoringRun, people: dict[str, int], prompts: dict[str, int]) -> Iterator[Row]:
    """Every place of everybody's batch. A score of an earlier revision is no score of this answer."""
    # With the judge's confidence taken as 1 throughout (GIM paper, D.8, D.9). The stored score of an exact
    # answer is 1 or 0 already, so one mean serves both kinds.
    means = (
        CriterionScore.objects.filter(run=run, state=RowState.SCORED)
        .order_by()
        .values("answer", "revision")
        .annotate(mean=Avg("score"))
        .values_list("answer", "revision", "mean")
    )
    certain = {(answer, revision): mean for answer, revision, mean in means.iterator(CHUNK)}
    rows = (
        Answer.objects.filter(session__participant__in=screened_participants(run.study).values("pk"))
        .annotate(of_run=FilteredRelation("scores", condition=Q(scores__run=run)))
        .values_list(
            "pk", "session__participant__code", "prompt__prompt_id", "session__batch__number", "position",
            "session__status", "session__overdue_rule", "first_seen_at", "has_text", "revision",
            "of_run__revision", F("of_run__score"),
        )
        .order_by("pk")
    )  # fmt: skip
    for row in rows.iterator(CHUNK):
        answer, code, prompt_id, batch, position, status, rule, seen, has_text, revision, judged, score = row
        state = answer_state(
            session_status=SessionStatus(status), first_seen=seen is not None, revisions=revision,
            has_text=has_text,
        )  # fmt: skip
        outcome, p = Outcome.SCORED, math.nan
        if not counts(state, rule):
            outcome = OUTCOME_OF_STATE[state]
        elif judged != revision or score is None:
            outcome = Outcome.UNSCORED
        else:
            p = score
        p_certain = certain.get((answer, revision), p) if outcome == Outcome.SCORED else math.nan
        yield people[code], prompts[prompt_id], batch, position, p, p_certain, outcome
