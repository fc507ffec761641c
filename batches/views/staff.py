"""One person, for the study team, where looking changes nothing; and the list for whoever pays."""

import csv
from datetime import datetime

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST, require_safe

from batches.selectors.people import PersonAction, TrailEntry, person_actions, person_trail, session_facts
from batches.services.clock import server_now
from batches.services.payments import payments_list
from batches.views.event_words import STATUS_WORDS, detail_words, event_words
from batches.views.staff_actions import ActionCard, action_card, action_run
from batches.views.wording import STATE_WORDS, duration_words
from studies.models import Participant, Study
from studies.selectors.participants import credentials_of, newest_profile
from studies.services.refusals import Refused
from studies.views.access import signed_in, staff_person_required, staff_study_required
from studies.views.second_factor import proof_required

MOMENTS = frozenset({"deadline_at", "deadline_before", "deletes_at"})


@staff_person_required
@require_safe
def staff_person(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Everything the study team may know about the person, and what it can do for them."""
    return render(request, "batches/staff_person.html", _person_context(participant, server_now()))


@staff_person_required
@require_POST
def staff_person_action(request: HttpRequest, participant: Participant, action: str) -> HttpResponse:
    """Change the person's time or tries, for a reason; a refusal leaves what was written in its form."""
    if action not in set(PersonAction):
        raise Http404("no such action")
    now, chosen = server_now(), PersonAction(action)
    facts = session_facts(participant, now)
    card = action_card(chosen, participant, facts, request.POST)
    if card.form.is_valid():
        try:
            sentence = action_run(chosen, participant, card.form.arguments(), signed_in(request), now)
        except Refused as refusal:
            card.form.add_error(None, str(refusal))
        else:
            messages.success(request, sentence)
            return redirect("staff_person", participant.study.slug, participant.code)
    context = _person_context(participant, now, card)
    return render(request, "batches/staff_person.html", context, status=422)


def _person_context(
    participant: Participant, now: datetime, sent: ActionCard | None = None
) -> dict[str, object]:
    """What the page shows; `sent` is a form that was not accepted."""
    facts = session_facts(participant, now)
    offered = person_actions(participant, facts.session if facts else None)
    cards = [
        action_card(action, participant, facts) for action in offered if not sent or action != sent.action
    ]
    return {
        "cards": [sent, *cards] if sent else cards,
        "participant": participant,
        "study": participant.study,
        "now": now,
        "facts": facts,
        "profile_form": newest_profile(participant),
        "credentials": credentials_of(participant),
        "states": [
            (words, facts.states[state]) for state, words in STATE_WORDS.items() if state in facts.states
        ]
        if facts
        else [],
        "status_words": STATUS_WORDS[facts.status] if facts else "",
        "extended": duration_words(facts.session.extended_seconds) if facts else "",
        "consents": participant.consents.order_by("pk"),
        "check_tries": participant.check_tries.order_by("pk"),
        "trail": [_trail_line(entry) for entry in person_trail(participant)],
    }


def _trail_line(entry: TrailEntry) -> dict[str, object]:
    """One event as the page shows it."""
    details = [(detail_words(name), _detail_value(name, value)) for name, value in entry.details.items()]
    return {"entry": entry, "words": event_words(entry.kind), "details": details}


def _detail_value(name: str, value: object) -> object:
    """Moments are kept as ISO text and shown like every other time."""
    if name in MOMENTS and isinstance(value, str):
        return date_format(datetime.fromisoformat(value), _("j F Y, H:i:s"))
    return value


@staff_study_required
@require_GET
@proof_required
def staff_payments(request: HttpRequest, study: Study) -> HttpResponse:
    """A CSV file; asking for it is recorded."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-payments.csv"'
    rows = payments_list(study=study, actor=signed_in(request), now=timezone.now())
    csv.writer(response, lineterminator="\n").writerows(rows)
    return response
