"""The answers a result is computed from."""

from collections.abc import Iterator

from django.db.models import F, FilteredRelation, Q, QuerySet

from batches.models import Answer
from batches.rules.statuses import SessionStatus, answer_state, counts
from judging.models import ScoringRun
from judging.selectors.judging import answers_of
from psychometrics.data.places import ResultAnswer
from screening.selectors.participants import retained_participants
from studies.models import Study

CHUNK = 2000


def counted_answers(study: Study) -> QuerySet[Answer]:
    """Answers of retained participants that hold text and count: what estimates rest on."""
    return answers_of(study, retained_participants(study))


def result_answers(run: ScoringRun) -> Iterator[ResultAnswer]:
    """Every place of every retained participant's batch, with the run's score where there is one.

    A score of an earlier revision is no score of this answer.
    """
    rows = (
        Answer.objects.filter(session__participant__in=retained_participants(run.study).values("pk"))
        .annotate(of_run=FilteredRelation("scores", condition=Q(scores__run=run)))
        .values_list(
            "session__participant__code", "prompt__prompt_id", "prompt__task", "session__batch__number",
            "session__status", "session__overdue_rule", "has_text", "revision",
            "of_run__revision", F("of_run__score"),
        )
        .order_by("pk")
    )  # fmt: skip
    for row in rows.iterator(CHUNK):
        code, prompt_id, task, batch, status, rule, has_text, revision, judged, score = row
        state = answer_state(
            session_status=SessionStatus(status), first_seen=True, revisions=1, has_text=True
        )
        counted = has_text and counts(state, rule)
        current = score if counted and judged == revision else None
        yield ResultAnswer(code, prompt_id, task, batch, counted, current)
