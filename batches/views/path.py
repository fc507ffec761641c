"""A person's way through a study as the study home shows it: facts gathered, every step in words."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from batches.models import PracticeAnswer, Session
from batches.rules.path import PathFacts, Step, StepKind, StepState, current_step, path_steps
from batches.selectors.sessions import session_of
from batches.services.starting import RESERVED, StartRefused, require_startable
from batches.views import wording
from batches.views.wording import Words
from studies.models import Participant, StudyStatus, VettingStatus
from studies.selectors.participants import (
    check_attempts_left,
    check_passed,
    has_declined,
    has_valid_consent,
    newest_profile,
)
from studies.services.events import has_withdrawn


@dataclass(frozen=True, slots=True)
class StepRow:
    """One step as the page shows it; without an address there is nothing to open."""

    kind: StepKind
    state: StepState
    title: Words
    state_words: Words
    sign: str
    address: str
    action: Words


@dataclass(frozen=True, slots=True)
class Path:
    """The whole way, the step that is next or waits, and what there is to say about it."""

    rows: tuple[StepRow, ...]
    current: StepRow | None
    sentence: Words
    session: Session | None
    is_rejected: bool
    has_declined: bool
    has_withdrawn: bool


def path_of(participant: Participant, request: HttpRequest, now: datetime) -> Path:
    """Where the person is. Looking starts nothing."""
    session = session_of(participant)
    facts, refusal = _gather_facts(participant, session, has_read=has_read(request, participant), now=now)
    steps = path_steps(facts)
    rows = tuple(_row(step, participant, session, facts) for step in steps)
    step = current_step(steps)
    return Path(
        rows=rows,
        current=rows[steps.index(step)] if step else None,
        sentence=_sentence(
            step,
            facts,
            session,
            refusal,
            now,
            is_on_reserve=participant.vetting_status == VettingStatus.RESERVE,
        ),
        session=session,
        is_rejected=step is None and facts.decision == "rejected" and not facts.has_withdrawn,
        has_declined=_is_declined(step, facts),
        has_withdrawn=facts.has_withdrawn,
    )


def _gather_facts(
    participant: Participant, session: Session | None, *, has_read: bool, now: datetime
) -> tuple[PathFacts, str]:
    """The facts, and why a start has to wait although the person has done everything."""
    study, status = participant.study, participant.vetting_status
    protocol = study.protocol
    closed_by_time = study.closes_at is not None and study.closes_at <= now
    has_practised = PracticeAnswer.objects.filter(participant=participant, revision__gt=0).exists()
    passed = check_passed(participant)
    in_session: Literal["none", "running", "ended"] = "none"
    if session is not None:
        in_session = "running" if session.is_running(now) else "ended"
    facts = PathFacts(
        decision=_DECISIONS.get(status, "open"),
        asks_profile=status == VettingStatus.INVITED or newest_profile(participant) is not None,
        profile_sent=status != VettingStatus.INVITED,
        may_consent=study.status != StudyStatus.DRAFT,
        has_consented=has_valid_consent(participant),
        has_declined=has_declined(participant),
        has_read=has_read or has_practised or (protocol.comprehension_check and passed),
        asks_practice=bool(protocol.practice_prompts),
        has_practised=has_practised,
        asks_check=protocol.comprehension_check,
        check_passed=passed,
        may_retry=check_attempts_left(participant) > 0,
        session=in_session,
        has_withdrawn=has_withdrawn(participant),
        is_over=study.status == StudyStatus.CLOSED or closed_by_time,
    )
    refusal = ""
    if facts.is_ready:
        try:
            require_startable(participant, now)
        except StartRefused as reason:
            refusal = str(reason)
    return replace(facts, may_start=not refusal), refusal


def has_read(request: HttpRequest, participant: Participant) -> bool:
    """Whether this browser has opened the instructions since its sign-in."""
    return bool(request.session.get(f"read-{participant.pk}"))


def remember_reading(request: HttpRequest, participant: Participant) -> None:
    """From now on the instructions are not the next step in this browser. Nothing else depends on it."""
    if not has_read(request, participant):
        request.session[f"read-{participant.pk}"] = True


def _row(step: Step, participant: Participant, session: Session | None, facts: PathFacts) -> StepRow:
    sign, state_words = wording.STEP_STATES[step.state]
    if step.kind == StepKind.DECISION and step.state == StepState.DONE:
        state_words = _("not admitted") if facts.decision == "rejected" else _("admitted")
    can_open = step.state in wording.STEPS[step.kind].open_in
    if step.kind == StepKind.START:
        # Its page shows the instructions, too; nobody has to open them on their own page first.
        can_open = facts.is_ready and facts.may_start
    elif step.kind == StepKind.PRACTICE and (facts.has_ended or facts.session != "none"):
        can_open = False
    page, slug, address = wording.STEPS[step.kind].page, participant.study.slug, ""
    if can_open and step.kind == StepKind.PRACTICE:
        address = reverse(page, args=[slug, 1])
    elif can_open and step.kind in (StepKind.SESSION, StepKind.RECEIPT):
        address = reverse(page, args=[session.pk]) if session else ""
    elif can_open:
        address = reverse(page, args=[slug])
    return StepRow(
        kind=step.kind,
        state=step.state,
        title=wording.STEPS[step.kind].title,
        state_words=state_words,
        sign=sign,
        address=address,
        action=wording.STEPS[step.kind].action,
    )


def _is_declined(step: Step | None, facts: PathFacts) -> bool:
    """Whether the path stands still because the person said no."""
    return facts.has_declined and step == Step(StepKind.CONSENT, StepState.NEXT)


def _sentence(
    step: Step | None,
    facts: PathFacts,
    session: Session | None,
    refusal: str,
    now: datetime,
    *,
    is_on_reserve: bool,
) -> Words:
    if facts.has_withdrawn:
        return wording.WITHDRAWN
    if step is None:
        return wording.REJECTED if facts.decision == "rejected" else wording.STUDY_CLOSED
    if _is_declined(step, facts):
        return wording.DECLINED
    if step.kind == StepKind.RECEIPT and session:
        return wording.ended_words(session, session.status_at(now))
    if step.kind == StepKind.DECISION and is_on_reserve:
        return RESERVED
    return wording.STEP_SENTENCES.get((step.kind, step.state), refusal)


_DECISIONS: Mapping[str, Literal["approved", "rejected"]] = {
    VettingStatus.APPROVED: "approved",
    VettingStatus.REJECTED: "rejected",
}
