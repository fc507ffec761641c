"""What is decided about people on their list: who may take part, who gets a place, who is reminded."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from batches.selectors.recruiting import next_on_reserve
from batches.services.recruiting import NotOnReserve, has_free_place, person_approve, person_promote
from batches.services.reminders import reminder_send
from console.forms.people import PeopleQuery
from console.selectors.people import PersonState
from console.services.people import leads_nudge, place_pass_on
from console.views.people.people import Draft, people_page
from studies.forms.people import APPROVE, REJECT, VettingForm
from studies.models import MailKind, Participant, Study, VettingStatus
from studies.roles import Can
from studies.selectors.participants import participant_by_code
from studies.services.clock import server_now
from studies.services.mails.study_mails import said_of_mail
from studies.services.people.participants import participant_reject
from studies.services.people.vetting_mails import Decision, decision_mail
from studies.services.refusals import Refused
from studies.views.access import person_page, signed_in, site_url_of, study_page


@person_page(Can.DECIDE_PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_decision(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Take one decision and go on to the next person of the list.

    One that is refused comes back with what was written, and so does one whose mail was to be shown first.
    """
    study = participant.study
    query = PeopleQuery.of_text(request.POST.get("back", ""), study)
    if request.method != "POST":  # somebody reloads, or changes the language, where a decision came back
        return _list(study, query)
    sent = request.POST.copy()
    if (previewed := sent.get("preview")) in (APPROVE, REJECT):
        sent["decision"] = str(previewed)
    form = VettingForm(sent)
    here = query.at(participant.code)
    if not form.is_valid():
        return people_page(request, study, here, draft=Draft(form), status=422)
    if "preview" in request.POST:
        return people_page(request, study, here, draft=Draft(form, _mail(request, participant, form)))
    try:
        decide = person_approve if form.cleaned_data["decision"] == APPROVE else participant_reject
        decided = decide(
            participant=participant,
            reason=form.cleaned_data["reason"],
            actor=signed_in(request),
            now=server_now(),
            site_url=site_url_of(request),
            seen=form.cleaned_data["seen"] or None,
        )
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return people_page(request, study, here, draft=Draft(form), status=409)
    messages.success(request, _said(decided))
    return _list(study, query.at(request.POST.get("then", "")[:20]))


@person_page(Can.DECIDE_PEOPLE)
@require_POST
def staff_person_promote(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Give a free place to somebody of the reserve list."""
    return _done(request, participant, _promote)


@person_page(Can.DECIDE_PEOPLE)
@require_POST
def staff_person_replace(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Give the person's place to the first of the reserve list, whom the page named."""
    return _done(request, participant, _replace)


@person_page(Can.INVITE)
@require_POST
def staff_person_remind(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Mail a reminder to somebody who has not started."""
    return _done(request, participant, _remind)


@study_page(Can.SEE_PEOPLE)
@require_POST
def staff_people_nudge(request: HttpRequest, study: Study) -> HttpResponse:
    """Mail the leads that applications wait for them."""
    try:
        leads_nudge(study=study, site_url=site_url_of(request), actor=signed_in(request), now=server_now())
        messages.success(request, _("The study's leads are told by mail that applications wait."))
    except Refused as refusal:
        messages.info(request, str(refusal))
    return _list(study, PeopleQuery.of_text(f"state={PersonState.APPLICATION}", study))


def _list(study: Study, query: PeopleQuery) -> HttpResponseRedirect:
    address = reverse("staff_participants", args=[study.slug])
    return redirect(f"{address}?{query.text}" if query.text else address)


def _done(
    request: HttpRequest,
    participant: Participant,
    act: Callable[[HttpRequest, Participant, dict[str, Any]], str],
) -> HttpResponse:
    """Do it, say what came of it, and return to where the person was looked at."""
    study = participant.study
    query = PeopleQuery.of_text(request.POST.get("back", ""), study)
    common = {"actor": signed_in(request), "now": server_now(), "site_url": site_url_of(request)}
    try:
        messages.success(request, act(request, participant, common))
    except Refused as refusal:
        messages.error(request, str(refusal))
    person = participant.code if "from_panel" in request.POST else ""
    return _list(study, query.at(person))


def _promote(request: HttpRequest, participant: Participant, common: dict[str, Any]) -> str:
    person = person_promote(participant=participant, **common)
    words = _("%(code)s has a place now.") % {"code": person.code}
    return f"{words} {said_of_mail(person.study, MailKind.DECISION)}"


def _replace(request: HttpRequest, participant: Participant, common: dict[str, Any]) -> str:
    successor = request.POST.get("successor", "").replace("\0", "")
    named = participant_by_code(participant.study.slug, successor[:20])
    first = next_on_reserve(participant.study).get(participant.profile)
    if named is None or first is None:
        raise NotOnReserve(_("Nobody of this profile is on the reserve list any more; nothing was changed."))
    person = place_pass_on(participant=participant, successor=named, **common)
    words = _("%(successor)s has the place of %(code)s now.")
    of_mail = said_of_mail(person.study, MailKind.DECISION)
    return f"{words % {'successor': person.code, 'code': participant.code}} {of_mail}"


def _remind(request: HttpRequest, participant: Participant, common: dict[str, Any]) -> str:
    reminder_send(participant=participant, **common)
    return _("A reminder to %(code)s is on its way.") % {"code": participant.code}


def _mail(request: HttpRequest, person: Participant, form: VettingForm) -> Any:
    """What would be mailed."""
    decision: Decision = "rejected"
    if form.cleaned_data["decision"] == APPROVE:
        has_place = person.is_test or has_free_place(person.study, person.profile)
        decision = "approved" if has_place else "reserve"
    reason = form.cleaned_data["reason"].strip()
    return decision_mail(
        person, decision=decision, reason=reason, site_url=site_url_of(request), now=server_now()
    )


def _said(person: Participant) -> str:
    approved, rejected = _("%(code)s is approved."), _("%(code)s is rejected.")
    reserved = _("All places of the profile are held, so %(code)s is on the reserve list.")
    sentences = {VettingStatus.APPROVED: approved, VettingStatus.RESERVE: reserved}
    return sentences.get(VettingStatus(person.vetting_status), rejected) % {"code": person.code}
