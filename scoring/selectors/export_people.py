"""People, sessions and their trail as export rows: no name, no address, no vetting reason."""

from collections.abc import Iterator
from typing import Any

from django.db.models import BooleanField, Case, OuterRef, Q, QuerySet, Subquery, Value, When

from batches.models import Session, SessionEvent, SessionEventKind
from batches.rules.statuses import VOID, SessionStatus
from scoring.export.rows.people import EventRow, FlagRow, ParticipantRow, SessionRow, VerdictRow
from scoring.selectors.export_columns import OF_ANSWER, session_status, stored_columns
from screening.offtask.readings import BLIND
from screening.selectors import participants
from studies.models import Consent, Participant, Study, StudyEvent
from studies.selectors.private_questions import of_public

NOT_USED = (SessionStatus.WITHDRAWN, VOID)
PERSON = {"participant": "participant__code"}
# Facts of events that identify nobody; everything else an event carries stays in the database.
PUBLIC_DETAILS = frozenset(
    """
    arm arms assembly audience batch batches before budget_minutes clock_off_seconds closes_at
    deadline_before minutes minutes_before consent_sha256 deadline_at extra_minutes failed_saves fields
    for_seconds lateness measured_by number position profiles prompt_order protocol_hash replicates
    saved_since seed
    """.split()
)


def participant_rows(study: Study) -> Iterator[ParticipantRow]:
    """Everybody but test participants, in the order they were added."""
    newest = Consent.objects.filter(participant=OuterRef("pk")).order_by("-pk")
    people = participants.study_people(study).annotate(
        consent=Subquery(newest.values("accepted")[:1]),
        consent_decided_at=Subquery(newest.values("decided_at")[:1]),
        excluded=_among(participants.excluded_participants(study)),
        retained=_among(participants.retained_participants(study)),
        shown_status=session_status("session__"),
    )
    paths = {"participant": "code", "arm": "session__arm", "session_status": "shown_status"}
    for values in stored_columns(ParticipantRow, people.order_by("pk"), paths, empty_as_none=("arm",)):
        yield ParticipantRow(**values)


def _among(people: QuerySet[Participant]) -> Case:
    """True for the participants in `people`, else false."""
    return Case(
        When(Q(pk__in=people.values("pk")), then=Value(True)),
        default=Value(False),
        output_field=BooleanField(),
    )


def session_rows(study: Study) -> Iterator[SessionRow]:
    """Every started session; what a withdrawn or voided one says about resources is left out."""
    started = SessionEvent.objects.filter(session=OuterRef("pk"), kind=SessionEventKind.STARTED)
    sessions = Session.objects.filter(participant__study=study, participant__is_test=False).annotate(
        protocol_hash=Subquery(started.values("details__protocol_hash")[:1]), shown_status=session_status()
    )
    paths = PERSON | {
        "batch": "batch__number",
        "declared_at": "resources_recorded_at",
        "status": "shown_status",
    }
    in_order = sessions.order_by("started_at", "participant__code")
    for values in stored_columns(SessionRow, in_order, paths, empty_as_none=("arm",)):
        if values.pop("declared_at") is None or values["status"] in NOT_USED:
            values |= {"resources": None, "resources_note": None}
        yield SessionRow(**values)


def flag_rows(study: Study) -> Iterator[FlagRow]:
    """Flags on answers to public prompts, then flags on participants."""
    of_answers = participants.current_answer_flags().filter(
        of_public("answer__prompt"),
        answer__session__participant__study=study,
        answer__session__participant__is_test=False,
        answer__session__status__in=participants.ENDED,
    )
    for values in stored_columns(FlagRow, of_answers.order_by("pk"), OF_ANSWER):
        yield FlagRow(**values)
    of_people = _of_ended_sessions(participants.current_participant_flags(), study)
    for values in stored_columns(FlagRow, of_people, PERSON, computed=("prompt_id", "label")):
        yield FlagRow(**values, prompt_id=None, label=None)


def verdict_rows(study: Study) -> Iterator[VerdictRow]:
    """Verdicts in their order; reviewers are numbered by their first one."""
    verdicts = _of_ended_sessions(participants.current_verdicts(), study)
    reviewers: dict[int, int] = {}
    paths = PERSON | {"reviewer": "decided_by", "independent": "reading"}
    for values in stored_columns(VerdictRow, verdicts, paths, empty_as_none=("reason_code",)):
        reviewer = reviewers.setdefault(values["reviewer"], len(reviewers) + 1)
        yield VerdictRow(**values | {"reviewer": reviewer, "independent": values["independent"] in BLIND})


def _of_ended_sessions(rows: QuerySet[Any], study: Study) -> QuerySet[Any]:
    return rows.filter(
        participant__study=study,
        participant__is_test=False,
        participant__session__status__in=participants.ENDED,
    ).order_by("pk")


def event_rows(study: Study) -> Iterator[EventRow]:
    """The trail of the study, then that of its sessions, each in the order things happened."""
    of_study = StudyEvent.objects.filter(study=study).exclude(participant__is_test=True)
    for values in stored_columns(
        EventRow, of_study.order_by("happened_at", "pk"), PERSON, computed=("scope", "recorded_at")
    ):
        yield EventRow(**_public(values), scope="study", recorded_at=None)
    of_sessions = SessionEvent.objects.filter(
        session__participant__study=study, session__participant__is_test=False
    ).order_by("happened_at", "pk")
    paths = {"participant": "session__participant__code"}
    for values in stored_columns(EventRow, of_sessions, paths, computed=("scope",)):
        yield EventRow(**_public(values), scope="session")


def _public(values: dict[str, Any]) -> dict[str, Any]:
    """The columns of an event, of its details those that identify nobody."""
    details = {name: value for name, value in values["details"].items() if name in PUBLIC_DETAILS}
    return values | {"details": details}
