"""Starting a session: who may, which batch they get, and the deadline that holds from then on."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _, gettext_lazy

from batches.models import Answer, BatchPlan, BatchPrompt, Session, SessionEventKind
from batches.rules.assignment import BatchLoad, Place, choose_place, ordered_prompts
from batches.rules.deadlines import deadline
from batches.selectors.plans import batch_loads, exposed_batches, plan_matches
from batches.selectors.sessions import session_of
from batches.services.trail import session_event
from presentation.moments import moment_text
from studies.models import Participant, Study, StudyEvent, StudyStatus, VettingStatus
from studies.selectors.participants import check_passed, has_valid_consent
from studies.selectors.studies import study_is_open
from studies.services.events import StudyEventKind, has_withdrawn, participant_event
from studies.services.mails.study_mails import mails_cancel
from studies.services.people.participants import participant_lock
from studies.services.refusals import Refused

RESERVED = gettext_lazy(
    "You are on the reserve list: all places for your profile are taken. If one becomes free, the study team "
    "writes to you; until then there is nothing to do."
)


class StartRefused(Refused):
    """The person cannot start (now); nothing was changed."""


class AlreadyStarted(StartRefused):
    """The person has their session; `session` is it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        super().__init__(
            _("You have started already. Your clock started only once; continue where you were.")
        )


class HasWithdrawn(StartRefused):
    """The person withdrew from the study."""


class NotApproved(StartRefused):
    """The vetting decision is open or negative."""


class ConsentMissing(StartRefused):
    """The person has not accepted the current consent text."""


class StudyNotOpen(StartRefused):
    """The study is a draft, not open yet, or closed."""


class RecruitingPaused(StudyNotOpen):
    """The study team lets nobody start for the moment."""


class BatchesMissing(StartRefused):
    """The study has no batches that fit its protocol."""


class CheckNotPassed(StartRefused):
    """The comprehension check comes first."""


class PlacesTaken(StartRefused):
    """Every batch is full for the person's profile."""


class OtherInstructions(StartRefused):
    """What the person has read before the start is not what holds for the place they would get now."""


class PromptsMet(StartRefused):
    """There are places, but only in batches with a prompt that the person has met in another study."""


def session_start(*, participant: Participant, now: datetime, shown_arm: str | None = None) -> Session:
    """Start the person's clock: assign a place, fix the deadline, make an empty answer for every prompt.

    `shown_arm` is the arm whose instructions the person has read (None: whichever they get). Raises a
    StartRefused; AlreadyStarted carries the session, so a double click is harmless.
    """
    with transaction.atomic():
        participant = participant_lock(participant)
        # One start at a time in a study: the loads that decide who goes where must not change under us.
        plan = BatchPlan.objects.select_for_update(no_key=True).filter(study=participant.study).first()
        place = _free_place(participant, plan, now, shown_arm or "")
        if shown_arm is not None and shown_arm != place.arm:
            raise OtherInstructions(
                _("The instructions have changed since you opened this page. Please read them again.")
            )
        mails_cancel(participant.events.filter(kind=StudyEventKind.REMINDED), now)
        return _session_create(participant, place, now)


def require_startable(participant: Participant, now: datetime, shown_arm: str = "") -> Place:
    """The place that `session_start` would give now. Raises the StartRefused that it would raise."""
    plan = BatchPlan.objects.filter(study=participant.study).first()
    return _free_place(participant, plan, now, shown_arm)


def place_to_show(*, participant: Participant, now: datetime) -> Place:
    """The place of `require_startable`, for the page with the start button.

    Its arm is recorded, and stays theirs as long as there is a place for it: nobody chooses an arm by opening
    the page in another browser, or after others have started. Raises the same StartRefused.
    """
    if not participant.study.protocol.arms:
        return require_startable(participant, now)
    with transaction.atomic():
        participant = participant_lock(participant)
        shown = arm_shown(participant)
        place = require_startable(participant, now, shown)
        if place.arm != shown:
            participant_event(participant, StudyEventKind.INSTRUCTIONS_SHOWN, now, arm=place.arm)
    return place


def arm_shown(participant: Participant) -> str:
    """The arm whose instructions the person was shown last, empty before any."""
    shown = StudyEvent.objects.filter(participant=participant, kind=StudyEventKind.INSTRUCTIONS_SHOWN)
    newest = shown.order_by("pk").last()
    return str(newest.details["arm"]) if newest else ""


def budget_of(participant: Participant) -> timedelta:
    """How long the person may work."""
    return timedelta(minutes=participant.budget_minutes)


def _free_place(participant: Participant, plan: BatchPlan | None, now: datetime, shown_arm: str) -> Place:
    """The place this person would get. Raises a StartRefused."""
    _require_person(participant)
    _require_open(participant.study, now)
    if not has_valid_consent(participant):
        raise ConsentMissing(_("Please read the consent text and agree to it before you start."))
    if not check_passed(participant):
        raise CheckNotPassed(_("Please answer the check questions before you start."))
    plan = _require_plan(plan, participant.study)
    loads = batch_loads(plan, participant)
    # What a test person answers counts nowhere, so they may meet a prompt again.
    met = set() if participant.is_test else exposed_batches(participant, plan)
    place = _choose([load for load in loads if load.batch_id not in met], participant, shown_arm)
    if place is not None:
        return place
    if met and _choose(loads, participant, shown_arm) is not None:
        raise PromptsMet(
            _(
                "Every free question set has a question that you have seen in another study, so you cannot "
                "take part in this one. Please tell the study team."
            )
        )
    raise PlacesTaken(
        _("All places for your profile are taken. Please tell the study team: a place may become free.")
    )


def _choose(loads: Sequence[BatchLoad], participant: Participant, shown_arm: str) -> Place | None:
    seed = participant.study.protocol.assignment_seed
    return choose_place(loads, tie_seed=seed, shown_arm=shown_arm)


def _require_person(participant: Participant) -> None:
    if has_withdrawn(participant):
        raise HasWithdrawn(_("You have withdrawn from this study, so there is nothing to start."))
    session = session_of(participant)
    if session is not None:
        raise AlreadyStarted(session)
    if participant.vetting_status == VettingStatus.REJECTED:
        sentence = _("You cannot start: your participation was rejected.")
        raise NotApproved(f"{sentence} {participant.vetting_reason}")
    if participant.vetting_status == VettingStatus.INVITED:
        raise NotApproved(_("You cannot start yet: please send the profile form first."))
    if participant.vetting_status == VettingStatus.RESERVE:
        raise NotApproved(RESERVED)
    if not participant.approved:
        raise NotApproved(
            _(
                "You cannot start yet: your participation is submitted and waits for the study team's "
                "decision."
            )
        )


def _require_open(study: Study, now: datetime) -> None:
    if study_is_open(study, now):
        if study.recruiting_paused_at is not None:
            raise RecruitingPaused(
                _("The study team has paused the study for now, so nobody can start. Please come back later.")
            )
        return
    if study.status == StudyStatus.DRAFT:
        raise StudyNotOpen(
            _("The study is still being prepared. You can start once the study team opens it.")
        )
    if study.status == StudyStatus.FROZEN and study.opens_at and now < study.opens_at:
        raise StudyNotOpen(
            _("The study opens on %(time)s. Come back then.") % {"time": moment_text(study.opens_at)}
        )
    raise StudyNotOpen(_("The study is closed; nobody can start any more."))


def _require_plan(plan: BatchPlan | None, study: Study) -> BatchPlan:
    if plan is None:
        raise BatchesMissing(
            _("The study's question sets have not been built yet. Please tell the study team.")
        )
    # Once people work on them, batches stay: only unused ones can and must follow the settings.
    if not plan_matches(plan, study) and not Session.objects.filter(batch__plan=plan).exists():
        raise BatchesMissing(
            _(
                "The study's question sets were built under other settings and must be built again. "
                "Please tell the study team."
            )
        )
    return plan


def _session_create(participant: Participant, place: Place, now: datetime) -> Session:
    study = participant.study
    protocol = study.protocol
    budget = budget_of(participant)
    session = Session.objects.create(
        participant=participant,
        batch_id=place.batch_id,
        arm=place.arm,
        started_at=now,
        deadline_at=deadline(started_at=now, budget=budget, closes_at=study.closes_at),
        overdue_rule=protocol.overdue_rule,
        late_tolerance_seconds=protocol.late_tolerance_seconds,
        answer_max_characters=protocol.answer_max_characters,
        asks_note=protocol.note_per_prompt,
        asks_confidence=protocol.confidence_per_prompt,
    )
    prompts = ordered_prompts(
        BatchPrompt.objects.filter(batch=place.batch_id)
        .order_by("position")
        .values_list("prompt_id", flat=True),
        order=protocol.prompt_order,
        order_seed=protocol.order_seed,
        participant_code=participant.code,
    )
    Answer.objects.bulk_create(
        Answer(session=session, position=position, prompt_id=prompt_id)
        for position, prompt_id in enumerate(prompts, start=1)
    )
    session_event(
        session.pk,
        SessionEventKind.STARTED,
        now,
        deadline_at=session.deadline_at.isoformat(),
        protocol_hash=study.protocol_hash,
        # What the deadline follows from, so that the trail alone proves it.
        budget_minutes=protocol.time_budget_minutes,
        extra_minutes=participant.extra_minutes,
        closes_at=study.closes_at.isoformat() if study.closes_at else None,
        batch=session.batch.number,
        arm=place.arm,
        prompt_order=protocol.prompt_order,
    )
    return session
