"""One person, for the study team, where looking changes nothing and each form does what it says; and the list
for whoever pays.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_POST, require_safe

from batches.forms import ExtendForm, ExtraTimeForm, ReasonForm
from batches.models import Session
from batches.rules.statuses import SessionStatus
from batches.selectors.deletion import withdrawal_among
from batches.selectors.payment_sums import TABS
from batches.selectors.people import (
    PersonAction,
    SessionFacts,
    TrailEntry,
    person_actions,
    person_events,
    person_trail,
    session_facts,
)
from batches.selectors.sessions import session_of
from batches.services.ending import session_withdraw
from batches.services.extending import NotStarted, extra_time_grant, session_extend, session_reopen
from batches.services.payments import payments_list
from batches.services.starting import budget_of
from batches.views.wording import (
    STATUS_WORDS,
    detail_words,
    duration_words,
    event_words,
    state_counts,
    value_words,
)
from presentation.moments import moment
from presentation.numbers import numbered
from studies.models import MailKind, Participant, Study
from studies.roles import Can
from studies.selectors.participants import credentials_of, newest_profile
from studies.services.clock import server_now
from studies.services.events import StudyEventKind
from studies.services.mails.study_mails import said_of_mail
from studies.services.people.comprehension import check_attempt_grant
from studies.services.refusals import Refused
from studies.views.access import page_refused, person_page, rights_here, signed_in, site_url_of, study_page
from studies.views.csv_files import csv_file
from studies.views.second_factor import proof_required

# Which questions somebody has under which instructions: not for those who look after people.
OF_THE_PROTOCOL = frozenset({"arm", "batch", "prompt"})
# What an upload brings later than it happened is told with both times.
LATE = timedelta(minutes=1)
MOMENTS = frozenset({"deadline_at", "deadline_before", "deletes_at"})


@dataclass(frozen=True, slots=True)
class ActionCard:
    """One form with the sentence that says what sending it does, and the deadline that it is about."""

    action: PersonAction
    title: str
    sentence: str
    form: ReasonForm
    deadline_seen: str


@person_page(Can.SEE_PEOPLE)
@require_safe
def staff_person(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Everything the study team may know about the person, and what it can do for them."""
    context = _person_context(participant, server_now(), rights_here(request))
    return render(request, "batches/staff_person.html", context)


@person_page(Can.GIVE_TIME, Can.DECIDE_PEOPLE)
@require_POST
def staff_person_action(request: HttpRequest, participant: Participant, action: str) -> HttpResponse:
    """Change the person's time or tries, for a reason; a refusal leaves what was written in its form."""
    if action not in set(PersonAction):
        raise Http404("no such action")
    now, chosen = server_now(), PersonAction(action)
    if _right_for(chosen) not in rights_here(request):
        return page_refused(request, participant.study)
    facts = session_facts(participant, now)
    card = _action_card(chosen, participant, facts, request.POST)
    if card.form.is_valid():
        try:
            told = {"site_url": site_url_of(request)} if chosen == PersonAction.WITHDRAW else {}
            sentence = ACTIONS[chosen].run(
                participant, actor=signed_in(request), now=now, **card.form.cleaned_data, **told
            )
        except Refused as refusal:
            card.form.add_error(None, str(refusal))
        else:
            messages.success(request, sentence)
            if "back" in request.POST:  # from the panel beside the list
                address = reverse("staff_participants", args=[participant.study.slug])
                return redirect(f"{address}?{request.POST['back']}")
            return redirect("staff_person", participant.study.slug, participant.code)
    context = _person_context(participant, now, rights_here(request), card)
    return render(request, "batches/staff_person.html", context, status=422)


def _person_context(
    participant: Participant, now: datetime, rights: frozenset[Can], sent: ActionCard | None = None
) -> dict[str, object]:
    """What the page shows to somebody with these rights; `sent` is a form that was not accepted."""
    facts, events = session_facts(participant, now), list(person_events(participant))
    withdrawal = withdrawal_among(events)
    possible = person_actions(participant, facts.session if facts else None, withdrew=withdrawal is not None)
    offered = [action for action in possible if _right_for(action) in rights]
    hidden = frozenset() if Can.SEE_PROTOCOL in rights else OF_THE_PROTOCOL
    cards = [
        _action_card(action, participant, facts) for action in offered if not sent or action != sent.action
    ]
    return {
        "cards": [sent, *cards] if sent else cards,
        "participant": participant,
        "study": participant.study,
        "now": now,
        "facts": facts,
        "profile_form": newest_profile(participant),
        "credentials": credentials_of(participant),
        "states": state_counts(facts.states) if facts else [],
        "status_words": STATUS_WORDS[facts.status] if facts else "",
        "extended": duration_words(facts.session.extended_seconds) if facts else "",
        "withdrawal": withdrawal,
        "consents": participant.consents.order_by("pk"),
        "check_tries": participant.check_tries.order_by("pk"),
        "trail": [_trail_line(entry, hidden) for entry in person_trail(events, facts)],
    }


def _right_for(action: PersonAction) -> Can:
    vetting = (PersonAction.WITHDRAW, PersonAction.CHECK_ATTEMPT)
    return Can.DECIDE_PEOPLE if action in vetting else Can.GIVE_TIME


def _trail_line(entry: TrailEntry, hidden: frozenset[str]) -> dict[str, object]:
    """One event as the page shows it, but for what is `hidden` of its details."""
    details: list[tuple[str, object]] = []
    for name, value in entry.details.items():
        if name in hidden:
            continue
        # Moments are kept as ISO text and shown like every other time.
        if name in MOMENTS and isinstance(value, str):
            value = moment(datetime.fromisoformat(value))
        else:
            value = value_words(name, value)
        details.append((detail_words(name), value))
    is_late = entry.recorded_at - entry.happened_at >= LATE
    return {"entry": entry, "words": event_words(entry.kind), "details": details, "is_late": is_late}


@study_page(Can.PAY)
@require_GET
@proof_required
def staff_payments(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The rows of the page as a CSV file; asking for it is recorded."""
    tab, words = request.GET.get("state", ""), request.GET.get("q", "").strip()[:100]
    rows = payments_list(study=study, now=server_now(), tab=tab if tab in TABS else "", words=words)
    return csv_file(
        request,
        "payments",
        rows,
        study=study,
        kind=StudyEventKind.PAYMENTS_LISTED,
        count=study.participants.count,
    )


def _action_card(
    action: PersonAction, participant: Participant, facts: SessionFacts | None, data: Any = None
) -> ActionCard:
    """The form of an action, filled with what was sent."""
    initial = {"minutes": participant.extra_minutes} if action == PersonAction.EXTRA_TIME else None
    form = ACTIONS[action].form(data, prefix=action.value, initial=initial)
    sentence = _action_sentence(action, participant, facts)
    deadline_seen = facts.session.deadline_at.isoformat() if facts else ""
    return ActionCard(action, str(ACTIONS[action].title), sentence, form, deadline_seen)


def _action_sentence(action: PersonAction, participant: Participant, facts: SessionFacts | None) -> str:
    """What will happen."""
    if action == PersonAction.CHECK_ATTEMPT:
        return _("The person can answer the check questions once more.")
    if action == PersonAction.WITHDRAW:
        return numbered(
            ngettext(
                "Everything of this person stops counting at once, and what they wrote is erased %(days)d "
                "day later. This cannot be undone. Say how they asked for it.",
                "Everything of this person stops counting at once, and what they wrote is erased %(days)d "
                "days later. This cannot be undone. Say how they asked for it.",
                participant.study.protocol.deletion_days,
            ),
            {"days": participant.study.protocol.deletion_days},
        )
    if action == PersonAction.EXTRA_TIME or facts is None:
        sentence = _("These minutes are added when the person starts; as it is they get %(time)s.") % {
            "time": duration_words(int(budget_of(participant).total_seconds()))
        }
        if participant.study.closes_at is None:
            return sentence
        return f"{sentence} {_('The closing time of the study still ends every session.')}"
    if action == PersonAction.REOPEN:
        return _(
            "The session runs again at once with the %(time)s that were left when it was handed in; "
            "it counts again when it ends. The closing time of the study does not limit it."
        ) % {"time": duration_words(int(facts.session.time_left_at_end.total_seconds()))}
    if facts.status == SessionStatus.ACTIVE:
        sentence = _("The deadline moves later by these minutes; the person sees it within seconds.")
    else:
        sentence = _(
            "The session runs again at once, with these minutes from now; all answers are open again."
        )
    return f"{sentence} {_('The closing time of the study does not limit it.')}"


def _extra_time(participant: Participant, **arguments: Any) -> str:
    participant = extra_time_grant(participant=participant, **arguments)
    sentence = ngettext(
        "%(code)s gets %(minutes)d extra minute at the start.",
        "%(code)s gets %(minutes)d extra minutes at the start.",
        participant.extra_minutes,
    )
    return numbered(sentence, {"code": participant.code, "minutes": participant.extra_minutes})


def _extend(participant: Participant, **arguments: Any) -> str:
    session = session_extend(session=_session(participant), **arguments)
    return format_html(
        _("The time of {code} now ends on {time}."), code=participant.code, time=moment(session.deadline_at)
    )


def _reopen(participant: Participant, **arguments: Any) -> str:
    session = session_reopen(session=_session(participant), **arguments)
    return format_html(
        _("The question set of {code} is open again until {time}."),
        code=participant.code,
        time=moment(session.deadline_at),
    )


def _check_attempt(participant: Participant, **arguments: Any) -> str:
    check_attempt_grant(participant=participant, **arguments)
    return _("%(code)s can try the comprehension check once more.") % {"code": participant.code}


def _withdraw(participant: Participant, **arguments: Any) -> str:
    session_withdraw(participant=participant, **arguments)
    words = _("%(code)s is withdrawn from the study.") % {"code": participant.code}
    return f"{words} {said_of_mail(participant.study, MailKind.DECISION, always=True)}"


def _session(participant: Participant) -> Session:
    session = session_of(participant)
    if session is None:
        raise NotStarted(_("This person has not started, so there is no session to change."))
    return session


class _Action(NamedTuple):
    form: type[ReasonForm]
    title: Promise
    run: Callable[..., str]


ACTIONS: Mapping[PersonAction, _Action] = {
    PersonAction.EXTRA_TIME: _Action(
        ExtraTimeForm, gettext_lazy("Give extra time for the start"), _extra_time
    ),
    PersonAction.EXTEND: _Action(ExtendForm, gettext_lazy("Extend the time"), _extend),
    PersonAction.REOPEN: _Action(ReasonForm, gettext_lazy("Reopen the question set"), _reopen),
    PersonAction.CHECK_ATTEMPT: _Action(
        ReasonForm, gettext_lazy("Allow one more try of the comprehension check"), _check_attempt
    ),
    PersonAction.WITHDRAW: _Action(ReasonForm, gettext_lazy("Withdraw this person, as they wish"), _withdraw),
}
"""The form of each action, its title, and doing it, which says what was done or raises Refused."""
