"""People, sessions and their trail as export rows: no name, no address, no vetting reason."""

from collections.abc import Iterator, Mapping

from django.db.models import BooleanField, Case, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import NullIf

from batches.models import Session, SessionEvent, SessionEventKind
from batches.rules.statuses import SessionStatus
from scoring.export.rows.people import EventRow, FlagRow, ParticipantRow, SessionRow, VerdictRow
from screening.models import AnswerFlag, ParticipantFlag
from screening.selectors.participants import (
    ENDED,
    current_answer_flags,
    current_participant_flags,
    current_verdicts,
    excluded_participants,
    retained_participants,
    study_people,
)
from studies.models import Consent, Participant, Prompt, Study, StudyEvent

CHUNK = 1000
# In the order of the columns of `ParticipantRow`, which ends with what is derived.
PARTICIPANT_FACTS = ("code", "profile", "arm", "vetting_status", "submitted_at", "session__status")
# Facts of events that identify nobody; everything else an event carries stays in the database.
PUBLIC_DETAILS = frozenset(
    {
        "arm",
        "arms",
        "assembly",
        "audience",
        "batch",
        "batches",
        "before",
        "budget_minutes",
        "closes_at",
        "deadline_before",
        "minutes",
        "minutes_before",
        "consent_sha256",
        "deadline_at",
        "extra_minutes",
        "fields",
        "lateness",
        "number",
        "position",
        "profiles",
        "prompt_order",
        "protocol_hash",
        "replicates",
        "seed",
    }
)


def participant_rows(study: Study) -> Iterator[ParticipantRow]:
    """Everybody but test participants, in the order they were added."""
    newest = Consent.objects.filter(participant=OuterRef("pk")).order_by("-pk")
    people = (
        study_people(study)
        .annotate(
            arm=NullIf("session__arm", Value("")),
            consented=Subquery(newest.values("accepted")[:1]),
            consented_at=Subquery(newest.values("decided_at")[:1]),
            is_excluded=among(excluded_participants(study)),
            is_retained=among(retained_participants(study)),
        )
        .values_list(*PARTICIPANT_FACTS, "consented", "consented_at", "is_excluded", "is_retained")
    )
    for values in people.order_by("pk").iterator(CHUNK):
        yield ParticipantRow(**dict(zip(ParticipantRow.model_fields, values, strict=True)))


def among(people: QuerySet[Participant]) -> Case:
    """True for the participants in `people`, else false."""
    return Case(
        When(Q(pk__in=people.values("pk")), then=Value(True)),
        default=Value(False),
        output_field=BooleanField(),
    )


def session_rows(study: Study) -> Iterator[SessionRow]:
    """Every started session; what a withdrawn one says about resources is left out."""
    sessions = Session.objects.filter(participant__study=study, participant__is_test=False)
    started = SessionEvent.objects.filter(session=OuterRef("pk"), kind=SessionEventKind.STARTED)
    sessions = sessions.annotate(protocol_hash=Subquery(started.values("details__protocol_hash")[:1]))
    related = sessions.select_related("participant", "batch").order_by("started_at", "participant__code")
    for session in related.iterator(CHUNK):
        withdrawn = session.status == SessionStatus.WITHDRAWN
        declared = session.resources_recorded_at is not None and not withdrawn
        yield SessionRow(
            participant=session.participant.code,
            batch=session.batch.number,
            arm=session.arm or None,
            status=session.status,
            started_at=session.started_at,
            deadline_at=session.deadline_at,
            ended_at=session.ended_at,
            resources=session.resources if declared else None,
            resources_note=session.resources_note if declared else None,
            protocol_hash=session.protocol_hash,
        )


def flag_rows(study: Study) -> Iterator[FlagRow]:
    """Flags on answers to public prompts, then flags on participants."""
    of_answers = (
        current_answer_flags()
        .filter(
            answer__session__participant__study=study,
            answer__session__participant__is_test=False,
            answer__session__status__in=ENDED,
            answer__prompt__split="public",
        )
        .select_related("answer__session__participant", "answer__prompt")
    )
    for flag in of_answers.order_by("pk").iterator(CHUNK):
        yield flag_row(flag, flag.answer.session.participant.code, flag.answer.prompt)
    of_people = (
        current_participant_flags()
        .filter(participant__study=study, participant__is_test=False, participant__session__status__in=ENDED)
        .select_related("participant")
    )
    for found in of_people.order_by("pk").iterator(CHUNK):
        yield flag_row(found, found.participant.code, None)


def flag_row(flag: AnswerFlag | ParticipantFlag, code: str, prompt: Prompt | None) -> FlagRow:
    return FlagRow(
        participant=code,
        prompt_id=prompt.prompt_id if prompt else None,
        label=prompt.label if prompt else None,
        rules_version=flag.rules_version,
        reason=flag.reason,
        evidence=flag.evidence,
        flagged_at=flag.flagged_at,
    )


def verdict_rows(study: Study) -> Iterator[VerdictRow]:
    """Verdicts in their order; reviewers are numbered by their first one."""
    verdicts = (
        current_verdicts()
        .filter(participant__study=study, participant__is_test=False, participant__session__status__in=ENDED)
        .select_related("participant")
    )
    reviewers: dict[int, int] = {}
    for verdict in verdicts.order_by("pk").iterator(CHUNK):
        yield VerdictRow(
            participant=verdict.participant.code,
            rules_version=verdict.rules_version,
            decision=verdict.decision,
            reason=verdict.reason,
            reviewer=reviewers.setdefault(verdict.decided_by_id, len(reviewers) + 1),
            decided_at=verdict.decided_at,
        )


def event_rows(study: Study) -> Iterator[EventRow]:
    """The trail of the study, then that of its sessions, each in the order things happened."""
    of_study = StudyEvent.objects.filter(study=study).exclude(participant__is_test=True)
    for event in of_study.select_related("participant").order_by("happened_at", "pk").iterator(CHUNK):
        yield EventRow(
            scope="study",
            participant=event.participant.code if event.participant else None,
            kind=event.kind,
            details=public(event.details),
            happened_at=event.happened_at,
            recorded_at=None,
        )
    of_sessions = SessionEvent.objects.filter(
        session__participant__study=study, session__participant__is_test=False
    ).select_related("session__participant")
    for entry in of_sessions.order_by("happened_at", "pk").iterator(CHUNK):
        yield EventRow(
            scope="session",
            participant=entry.session.participant.code,
            kind=entry.kind,
            details=public(entry.details),
            happened_at=entry.happened_at,
            recorded_at=entry.recorded_at,
        )


def public(details: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in details.items() if name in PUBLIC_DETAILS}
