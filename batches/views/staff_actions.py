"""The forms of a person's page: what each does, and doing it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from batches.forms.staff import ExtendForm, ExtraTimeForm, ReasonForm
from batches.models import Session
from batches.rules.statuses import SessionStatus
from batches.selectors.people import PersonAction, SessionFacts
from batches.selectors.sessions import session_of
from batches.services.extending import NotStarted, extra_time_grant, session_extend, session_reopen
from batches.services.starting import budget_of
from batches.views.wording import duration_words
from studies.models import Participant, User
from studies.services.people.comprehension import check_attempt_grant

FORMS: Mapping[PersonAction, type[ReasonForm]] = {
    PersonAction.EXTRA_TIME: ExtraTimeForm,
    PersonAction.EXTEND: ExtendForm,
    PersonAction.REOPEN: ReasonForm,
    PersonAction.CHECK_ATTEMPT: ReasonForm,
}
TITLES: Mapping[PersonAction, str | Promise] = {
    PersonAction.EXTRA_TIME: gettext_lazy("Give extra time for the start"),
    PersonAction.EXTEND: gettext_lazy("Extend the time"),
    PersonAction.REOPEN: gettext_lazy("Reopen the batch"),
    PersonAction.CHECK_ATTEMPT: gettext_lazy("Allow one more try of the comprehension check"),
}


@dataclass(frozen=True, slots=True)
class ActionCard:
    """One form with the sentence that says what sending it does, and the deadline that it is about."""

    action: PersonAction
    title: str
    sentence: str
    form: ReasonForm
    deadline_seen: str


def action_card(
    action: PersonAction, participant: Participant, facts: SessionFacts | None, data: Any = None
) -> ActionCard:
    """The form of an action, filled with what was sent."""
    initial = {"minutes": participant.extra_minutes} if action == PersonAction.EXTRA_TIME else None
    form = FORMS[action](data, prefix=action.value, initial=initial)
    sentence = _action_sentence(action, participant, facts)
    deadline_seen = facts.session.deadline_at.isoformat() if facts else ""
    return ActionCard(action, str(TITLES[action]), sentence, form, deadline_seen)


def _action_sentence(action: PersonAction, participant: Participant, facts: SessionFacts | None) -> str:
    """What will happen."""
    if action == PersonAction.CHECK_ATTEMPT:
        return _("The person can answer the check questions once more.")
    if action == PersonAction.EXTRA_TIME or facts is None:
        return _start_sentence(participant)
    if action == PersonAction.REOPEN:
        return _reopen_sentence(facts.session)
    if facts.status == SessionStatus.ACTIVE:
        sentence = _("The deadline moves later by these minutes; the person sees it within seconds.")
    else:
        sentence = _(
            "The session runs again at once, with these minutes from now; all answers are open again."
        )
    return f"{sentence} {_('The closing time of the study does not limit it.')}"


def _start_sentence(participant: Participant) -> str:
    now_words = duration_words(int(budget_of(participant).total_seconds()))
    sentence = _("These minutes are added when the person starts; as it is they get %(time)s.") % {
        "time": now_words
    }
    if participant.study.closes_at is None:
        return sentence
    return f"{sentence} {_('The closing time of the study still ends every session.')}"


def _reopen_sentence(session: Session) -> str:
    return _(
        "The session runs again at once with the %(time)s that were left when it was handed in; "
        "it counts again when it ends. The closing time of the study does not limit it."
    ) % {"time": duration_words(int(session.time_left_at_end.total_seconds()))}


def action_run(
    action: PersonAction, participant: Participant, arguments: Mapping[str, Any], actor: User, now: datetime
) -> str:
    """Do it; the sentence says what was done. Raises Refused."""
    return RUNS[action](participant, actor=actor, now=now, **arguments)


def _extra_time(participant: Participant, **arguments: Any) -> str:
    participant = extra_time_grant(participant=participant, **arguments)
    return _("%(code)s gets %(minutes)d extra minutes at the start.") % {
        "code": participant.code,
        "minutes": participant.extra_minutes,
    }


def _extend(participant: Participant, **arguments: Any) -> str:
    session = session_extend(session=_session(participant), **arguments)
    return _("The time of %(code)s now ends on %(time)s UTC.") % _ends(participant, session)


def _reopen(participant: Participant, **arguments: Any) -> str:
    session = session_reopen(session=_session(participant), **arguments)
    return _("The batch of %(code)s is open again until %(time)s UTC.") % _ends(participant, session)


def _check_attempt(participant: Participant, **arguments: Any) -> str:
    check_attempt_grant(participant=participant, **arguments)
    return _("%(code)s can try the comprehension check once more.") % {"code": participant.code}


def _session(participant: Participant) -> Session:
    session = session_of(participant)
    if session is None:
        raise NotStarted(_("This person has not started, so there is no session to change."))
    return session


def _ends(participant: Participant, session: Session) -> dict[str, str]:
    return {"code": participant.code, "time": date_format(session.deadline_at, _("j F Y, H:i:s"))}


RUNS: Mapping[PersonAction, Callable[..., str]] = {
    PersonAction.EXTRA_TIME: _extra_time,
    PersonAction.EXTEND: _extend,
    PersonAction.REOPEN: _reopen,
    PersonAction.CHECK_ATTEMPT: _check_attempt,
}
