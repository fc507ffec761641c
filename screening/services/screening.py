"""The off-task filter: rules flag, people decide. Nobody is excluded by a rule, and no score is looked at."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef

from batches.models import Answer
from screening.models import AnswerFlag, ParticipantFlag, ScreeningRun
from screening.offtask.facts import AnswerFacts, Flag, OfftaskRules, PromptFacts
from screening.offtask.rules import DEFAULT_RULES, flag_answer, flag_participant
from screening.selectors.participants import (
    current_answer_flags,
    current_participant_flags,
    flagged_participants,
    screened_participants,
)
from screening.selectors.screening import Screening, screening_summary
from studies.models import Criterion, Prompt, Study, User
from studies.services.events import StudyEventKind, event_record

PEOPLE_AT_ONCE = 20
Progress = Callable[[int, int], None]


def no_progress(done: int, of: int) -> None:
    """For callers that show no progress."""


def study_screen(
    *,
    study: Study,
    now: datetime,
    rules: OfftaskRules = DEFAULT_RULES,
    actor: User | None = None,
    progress: Progress = no_progress,
) -> Screening:
    """Run the rules over every ended session and store what is new; running them again adds no flag.

    Only where a session was extended or reopened since do new flags replace the old ones. That the rules
    ran, over how many, is kept: only then does "nobody is flagged" say something. `progress` hears how many
    people were looked at; where it raises, what was stored stays, and the next run continues.
    """
    criteria = Criterion.objects.filter(prompt=OuterRef("pk"))
    asked = Prompt.objects.filter(version=study.bank_version_id).annotate(by_rubric=Exists(criteria))
    prompts = {
        pk: PromptFacts(prompt_id, text, "rubric" if by_rubric else "exact", gold)
        for pk, prompt_id, text, by_rubric, gold in asked.values_list(
            "pk", "prompt_id", "text", "by_rubric", "gold_answer"
        )
    }
    people = list(screened_participants(study).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(people), PEOPLE_AT_ONCE):
        progress(start, len(people))
        _screen_some(people[start : start + PEOPLE_AT_ONCE], prompts, rules, now)
    summary = screening_summary(study, rules.version)
    ScreeningRun.objects.create(
        study=study, rules_version=summary.rules_version, started_by=actor, ran_at=now,
        participants=len(people), flagged_answers=sum(summary.answers.values()),
        flagged_people=flagged_participants(study).count(),
    )  # fmt: skip
    return summary


def offtask_filter_run(
    *, study: Study, actor: User | None, now: datetime, progress: Progress = no_progress
) -> Screening:
    """Run the rules because somebody asked for it: as `study_screen`, and with an event."""
    summary = study_screen(study=study, now=now, actor=actor, progress=progress)
    event_record(
        study, StudyEventKind.OFFTASK_FILTER_RUN, now, actor=actor, rules_version=summary.rules_version,
        participants=summary.participants, flagged=summary.people, undecided=summary.undecided,
    )  # fmt: skip
    return summary


def _screen_some(
    people: Sequence[int], prompts: Mapping[int, PromptFacts], rules: OfftaskRules, now: datetime
) -> None:
    def columns(flag: Flag[Any]) -> dict[str, Any]:
        stored = {"reason": flag.reason, "evidence": flag.evidence}
        return {**stored, "rules_version": rules.version, "flagged_at": now}

    answers_of: dict[int, list[Answer]] = {pk: [] for pk in people}
    given = Answer.objects.filter(session__participant__in=people).select_related("session")
    for answer in given.order_by("position"):
        answers_of[answer.session.participant_id].append(answer)
    of_answers: list[AnswerFlag] = []
    of_people: list[ParticipantFlag] = []
    for participant_id, answers in answers_of.items():
        facts, flags = [], {}
        for answer in answers:
            prompt = prompts[answer.prompt_id]
            facts.append(AnswerFacts(answer.pk, prompt.prompt_id, answer.text, answer.state))
            flags[answer.pk] = flag_answer(facts[-1], prompt, rules=rules)
            of_answers += [AnswerFlag(answer_id=answer.pk, **columns(flag)) for flag in flags[answer.pk]]
        of_people += [
            ParticipantFlag(participant_id=participant_id, **columns(flag))
            for flag in flag_participant(facts, flags, rules=rules)
        ]
    with transaction.atomic():
        # Flags on what people have worked on again since: their session was extended or reopened.
        earlier_of_answers = AnswerFlag.objects.filter(answer__session__participant__in=people)
        earlier_of_answers.exclude(pk__in=current_answer_flags().values("pk")).delete()
        earlier_of_people = ParticipantFlag.objects.filter(participant__in=people)
        earlier_of_people.exclude(pk__in=current_participant_flags().values("pk")).delete()
        AnswerFlag.objects.bulk_create(of_answers, ignore_conflicts=True)
        ParticipantFlag.objects.bulk_create(of_people, ignore_conflicts=True)
