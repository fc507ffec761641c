"""The answers a result is computed from."""

from collections.abc import Iterator

from django.db.models import F, FilteredRelation, Q, QuerySet

from batches.models import Answer, Session
from batches.rules.statuses import SessionStatus, answer_state, counts
from batches.selectors.answers import answers_to_score
from batches.selectors.sums import sessions_to_score
from judging.models import ScoringRun
from psychometrics.data.answers import ResultAnswer
from screening.selectors.participants import is_retained, retained_participants, screened_participants
from studies.models import Participant, Study

CHUNK = 2000


def counted_answers(study: Study) -> QuerySet[Answer]:
    """Answers of retained participants that hold text and count: what estimates rest on."""
    return _answers_of(study, retained_participants(study))


def answers_to_judge(study: Study) -> QuerySet[Answer]:
    """What goes to the judges: answers that count, those of excluded people, too, if the study says so."""
    people = screened_participants if study.protocol.judge_excluded else retained_participants
    return _answers_of(study, people(study))


def sessions_to_judge(study: Study) -> QuerySet[Session]:
    """Whose written answers these are."""
    sessions = sessions_to_score(study)
    return sessions if study.protocol.judge_excluded else sessions.filter(is_retained(study))


def _answers_of(study: Study, people: QuerySet[Participant]) -> QuerySet[Answer]:
    """Answers with text that count under their session's rule: of everybody the first, then the second ….

    So one person's answers, which may all be of a kind that a judge fails on, are never asked about in a row.
    """
    own = answers_to_score(study).filter(session__participant__in=people.values("pk"))
    return own.order_by("position", "pk")


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
