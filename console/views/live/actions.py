"""What the study team does from the live board. Each page says first whom it reaches."""

from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods

from batches.models import Session
from batches.rules.statuses import SessionStatus
from console.forms.live import FORMS, PauseForm
from console.selectors.board import Tab
from console.selectors.board_rows import finished_sessions
from console.services.live import Order, Reached, SessionAction, sessions_change
from console.views.live.words import ACTION_WORDS
from presentation.numbers import numbered
from studies.models import Study
from studies.roles import Can
from studies.services.clock import server_now
from studies.services.pausing import recruiting_pause, recruiting_resume
from studies.services.refusals import Refused
from studies.views.access import page_refused, rights_here, signed_in, study_page

NAMED = 12
MOST_SHOWN = 200


@study_page(Can.GIVE_TIME, Can.VOID)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_live_act(request: HttpRequest, study: Study, action: str) -> HttpResponse:
    """Extra time, reopening or voiding, each for those who may; GET asks for the reason, POST does it."""
    if action not in {SessionAction.EXTEND, SessionAction.REOPEN, SessionAction.VOID}:
        raise Http404("no such action")
    if ACTION_WORDS[SessionAction(action)].can not in rights_here(request):
        return page_refused(request, study)
    return _act(request, study, SessionAction(action))


@study_page(Can.INVITE)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_live_message(request: HttpRequest, study: Study) -> HttpResponse:
    """A message into the conversation of each of the chosen."""
    return _act(request, study, SessionAction.MESSAGE)


@study_page(Can.PAUSE)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_live_pause(request: HttpRequest, study: Study) -> HttpResponse:
    """Let nobody new in, or let them in again."""
    form = PauseForm(request.POST if request.method == "POST" else None)
    paused = study.recruiting_paused_at is not None
    if form.is_valid():
        change = recruiting_resume if paused else recruiting_pause
        try:
            change(study=study, reason=form.cleaned_data["text"], actor=signed_in(request), now=server_now())
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            sentence = _("Recruiting goes on: invitations can be accepted and people can start.")
            if not paused:
                sentence = _(
                    "Recruiting is paused: nobody accepts an invitation or starts. Running sessions go on."
                )
            messages.success(request, sentence)
            return redirect("staff_live", study.slug)
    context = {"study": study, "form": form, "paused": paused}
    return render(request, "console/live/pause.html", context, status=422 if form.is_bound else 200)


def _act(request: HttpRequest, study: Study, action: SessionAction) -> HttpResponse:
    now = server_now()
    query = request.POST if request.method == "POST" else request.GET
    posted = request.method == "POST"
    form = FORMS[action](request.POST if posted else None, initial={"seen_at": now.isoformat()})
    is_valid = form.is_valid()
    seen_at = form.cleaned_data.get("seen_at", now) if posted else now
    sessions, came = _chosen(study, query, now, seen_at)
    if is_valid:
        try:
            facts = form.cleaned_data
            order = Order(action, facts["text"], signed_in(request), seen_at, facts.get("minutes", 0))
            done = sessions_change(study=study, sessions=sessions, order=order, now=now)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            done.refused += [
                (code, _("Not in the list yet when the page was made.")) for code in _codes(came)
            ]
            _say(request, action, done, facts["text"])
            return redirect(_back(study, query))
    codes = _codes(sessions)
    everybody = query.get("all", "")
    context = {
        "study": study,
        "action": action,
        "words": ACTION_WORDS[action],
        "form": form,
        "codes": codes[:MOST_SHOWN],
        "more": max(0, len(codes) - MOST_SHOWN),
        "number": len(codes),
        "all": everybody if everybody in {Tab.ANSWERING, Tab.FINISHED} else "",
        "keys": [] if everybody else _keys(query),
        "back": _back(study, query),
    }
    return render(request, "console/live/act.html", context, status=422 if form.is_bound else 200)


def _chosen(
    study: Study, query: QueryDict, now: datetime, seen_at: datetime
) -> tuple[QuerySet[Session], QuerySet[Session]]:
    """The sessions that were ticked, or all that were in a list already at `seen_at`; and who came since."""
    sessions = Session.objects.filter(participant__study=study)
    everybody = query.get("all", "")
    if everybody == Tab.ANSWERING:
        listed = sessions.filter(status=SessionStatus.ACTIVE, deadline_at__gte=now)
        came = Q(started_at__gt=seen_at)
    elif everybody == Tab.FINISHED:
        listed = sessions.filter(pk__in=finished_sessions(sessions, now))
        came = Q(ended_at__gt=seen_at) | Q(ended_at=None, deadline_at__gt=seen_at)
    else:
        return sessions.filter(pk__in=_keys(query)), sessions.none()
    return listed.exclude(came), listed.filter(came)


def _codes(sessions: QuerySet[Session]) -> list[str]:
    return list(sessions.order_by("participant__code").values_list("participant__code", flat=True))


def _keys(query: QueryDict) -> list[UUID]:
    keys = []
    for text in query.getlist("session"):
        try:
            keys.append(UUID(text))
        except ValueError:
            raise Http404("no such session") from None
    return keys


def _back(study: Study, query: QueryDict) -> str:
    """The board as it was left: its list, and the session where it was about one."""
    keys = query.getlist("session")
    tab = query.get("tab", "")
    kept = {"tab": tab if tab in set(Tab) else "", "session": keys[0] if len(keys) == 1 else ""}
    kept = {name: value for name, value in kept.items() if value}
    address = reverse("staff_live", args=[study.slug])
    return f"{address}?{urlencode(kept)}" if kept else address


def _say(request: HttpRequest, action: SessionAction, done: Reached, text: str) -> None:
    """Whom it reached, and why not the others; where it reached nobody, what was written is not lost."""
    if done.reached:
        number = len(done.reached)
        sentence = ngettext(
            "%(action)s: done for %(people)s.", "%(action)s: done for %(number)d people, %(people)s.", number
        )
        names = {"action": ACTION_WORDS[action].label, "number": number, "people": _named(done.reached)}
        messages.success(request, numbered(sentence, names))
    people: dict[str, list[str]] = {}
    for code, sentence in done.refused:
        people.setdefault(sentence, []).append(code)
    for sentence, codes in people.items():
        messages.warning(
            request,
            _("Not done for %(people)s: %(sentence)s") % {"people": _named(codes), "sentence": sentence},
        )
    if not done.reached:
        messages.info(request, _("You had written: “%(text)s”") % {"text": text})


def _named(codes: list[str]) -> str:
    first = ", ".join(codes[:NAMED])
    left = len(codes) - NAMED
    if left <= 0:
        return first
    return numbered(_("%(people)s and %(number)d more"), {"people": first, "number": left})
