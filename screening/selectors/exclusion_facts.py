"""What exclusion rules look at: what people wrote and how they worked, never what it was worth."""

from collections.abc import Sequence

from django.db.models.functions import Left

from batches.models import Answer
from psychometrics.exclusions.rules import ExclusionFacts
from psychometrics.exclusions.work import LOOKED_AT, Work, facts_of_work
from screening.selectors import participants
from studies.models import Study
from studies.selectors.private_questions import of_public

CHUNK = 5000


def exclusion_facts(study: Study, codes: Sequence[str], *, public_only: bool = False) -> ExclusionFacts:
    """The facts of these people, in this order. Three queries for any number of people and answers.

    `public_only`: as if only the public prompts had been asked; verdicts on people stay as they are.
    """
    work = {code: Work() for code in codes}
    people = participants.screened_participants(study).values("pk")
    flagged = participants.current_answer_flags().filter(answer__session__participant__in=people)
    answers = Answer.objects.filter(session__participant__in=people)
    if public_only:
        flagged, answers = flagged.filter(of_public("answer__prompt")), answers.filter(of_public("prompt"))
    # Reasons of the flags on each answer, of the rules version that was screened with last.
    by_version: dict[str, dict[int, set[str]]] = {}
    version = ""
    flags = flagged.order_by("pk").values_list("answer", "reason", "rules_version")
    for answer, reason, version in flags.iterator(CHUNK):
        by_version.setdefault(version, {}).setdefault(answer, set()).add(reason)
    reasons_of = by_version.get(version, {})
    columns = ("session__participant__code", "pk", "has_text", "saved_at", "session__started_at")
    rows = answers.order_by("pk").values_list(*columns, Left("text", LOOKED_AT)).iterator(CHUNK)
    for code, answer, has_text, saved_at, started_at, start in rows:
        if (own := work.get(code)) is not None:
            reasons = frozenset(reasons_of.get(answer, ()))
            own.add(start if has_text else None, reasons, started_at=started_at, saved_at=saved_at)
    return facts_of_work(
        codes, work, set(participants.excluded_participants(study).values_list("code", flat=True))
    )
