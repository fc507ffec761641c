"""Starting a session: who may, which batch they get, and the deadline that holds from then on."""

from datetime import datetime, timedelta

from django.db import transaction

from batches.models import Answer, BatchPlan, BatchPrompt, Session, SessionEventKind
from batches.rules.assignment import choose_batch
from batches.rules.deadlines import deadline
from batches.selectors.loads import batch_loads
from batches.selectors.sessions import has_withdrawn, session_of
from batches.services.trail import session_event
from studies.models import Participant, Study, StudyStatus, VettingStatus
from studies.selectors.participants import has_valid_consent
from studies.selectors.studies import study_is_open
from studies.services.refusals import Refused

UNLIMITED = 2**31


class StartRefused(Refused):
    """The person cannot start (now); nothing was changed."""


class AlreadyStarted(StartRefused):
    """The person has their session; `session` is it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        super().__init__("You have started already. Your clock started only once; continue where you were.")


class HasWithdrawn(StartRefused):
    """The person withdrew from the study."""


class NotApproved(StartRefused):
    """The vetting decision is open or negative."""


class ConsentMissing(StartRefused):
    """The person has not accepted the current consent text."""


class StudyNotOpen(StartRefused):
    """The study is a draft, not open yet, or closed."""


class BatchesMissing(StartRefused):
    """The study has no batches that fit its protocol."""


class PlacesTaken(StartRefused):
    """Every batch is full for the person's profile."""


def session_start(*, participant: Participant, now: datetime) -> Session:
    """Start the person's clock: assign a batch, fix the deadline, make an empty answer for every prompt.

    Raises a StartRefused; AlreadyStarted carries the session, so a double click is harmless.
    """
    with transaction.atomic():
        participant = (
            Participant.objects.select_for_update(of=("self",), no_key=True)
            .select_related("study")
            .get(pk=participant.pk)
        )
        # One start at a time in a study: the loads that decide who goes where must not change under us.
        plan = BatchPlan.objects.select_for_update(no_key=True).filter(study=participant.study).first()
        batch_id = free_batch(participant, plan, now)
        return _session_create(participant, batch_id, now)


def require_startable(participant: Participant, now: datetime) -> None:
    """Raise the StartRefused that `session_start` would raise now; for the page with the start button."""
    free_batch(participant, BatchPlan.objects.filter(study=participant.study).first(), now)


def free_batch(participant: Participant, plan: BatchPlan | None, now: datetime) -> int:
    """The id of the batch this person would get. Raises a StartRefused."""
    _require_person(participant)
    _require_open(participant.study, now)
    if not has_valid_consent(participant):
        raise ConsentMissing("Please read the consent text and agree to it before you start.")
    plan = _require_plan(plan, participant.study)
    protocol = participant.study.protocol
    batch_id = choose_batch(
        batch_loads(plan, profile=participant.profile),
        # Test people take no place, so they need none to be free.
        replicates=UNLIMITED if participant.is_test else protocol.replicates_per_profile,
        tie_seed=protocol.assignment_seed,
    )
    if batch_id is None:
        raise PlacesTaken(
            "All places for your profile are taken. Please tell the study team: a place may become free."
        )
    return batch_id


def _require_person(participant: Participant) -> None:
    if has_withdrawn(participant):
        raise HasWithdrawn("You have withdrawn from this study, so there is nothing to start.")
    session = session_of(participant)
    if session is not None:
        raise AlreadyStarted(session)
    if participant.vetting_status == VettingStatus.REJECTED:
        raise NotApproved(f"You cannot start: your participation was rejected. {participant.vetting_reason}")
    if not participant.approved:
        raise NotApproved(
            "You cannot start yet: your participation is submitted and waits for the study team's decision."
        )


def _require_open(study: Study, now: datetime) -> None:
    if study_is_open(study, now):
        return
    if study.status == StudyStatus.DRAFT:
        raise StudyNotOpen("The study is still being prepared. You can start once the study team opens it.")
    if study.status == StudyStatus.FROZEN and study.opens_at and now < study.opens_at:
        raise StudyNotOpen(f"The study opens on {study.opens_at:%d %B %Y at %H:%M} UTC. Come back then.")
    raise StudyNotOpen("The study is closed; nobody can start any more.")


def _require_plan(plan: BatchPlan | None, study: Study) -> BatchPlan:
    if plan is None:
        raise BatchesMissing("The study's batches have not been built yet. Please tell the study team.")
    protocol = study.protocol
    wanted = (study.bank_version_id, protocol.batch_size, protocol.assembly, protocol.assembly_seed)
    built = (plan.bank_version_id, plan.batch_size, plan.assembly, plan.seed)
    # Once people work on them, batches stay: only unused ones can and must follow the settings.
    if built != wanted and not Session.objects.filter(batch__plan=plan).exists():
        raise BatchesMissing(
            "The study's batches were built under other settings and must be built again. "
            "Please tell the study team."
        )
    return plan


def _session_create(participant: Participant, batch_id: int, now: datetime) -> Session:
    study = participant.study
    protocol = study.protocol
    budget = timedelta(minutes=protocol.time_budget_minutes)
    session = Session.objects.create(
        participant=participant,
        batch_id=batch_id,
        started_at=now,
        deadline_at=deadline(started_at=now, budget=budget, closes_at=study.closes_at),
        overdue_rule=protocol.overdue_rule,
        late_tolerance_seconds=protocol.late_tolerance_seconds,
        answer_max_characters=protocol.answer_max_characters,
    )
    places = BatchPrompt.objects.filter(batch=batch_id).values_list("position", "prompt")
    Answer.objects.bulk_create(
        Answer(session=session, position=position, prompt_id=prompt_id) for position, prompt_id in places
    )
    session_event(
        session=session,
        kind=SessionEventKind.STARTED,
        happened_at=now,
        recorded_at=now,
        deadline_at=session.deadline_at.isoformat(),
        protocol_hash=study.protocol_hash,
        batch=session.batch.number,
    )
    return session
