"""The live board: looking, which changes nothing, and the address from which it renews itself."""

import uuid
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotModified, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from console.forms.live import FORMS
from console.selectors.board import SORTS, Board, Seen, Tab, Wanted, board, board_of, board_seen
from console.selectors.board_incidents import Row
from console.services.live import SessionAction
from console.views.live.words import ACTION_WORDS, RowWords, happening_words, tabs_of
from formats.codes import number_asked
from presentation.listing import Cell, csv_lines
from studies.models import Study
from studies.roles import Can
from studies.selectors.names import profile_names
from studies.services.clock import server_now
from studies.views.access import rights_here, study_page
from studies.views.csv_files import csv_file

# Each is replaced as a whole where it differs; what somebody types stands in none of them.
PARTS = {
    "live-tiles": "console/live/_tiles.html",
    "live-coverage": "console/live/_coverage.html",
    "live-tabs": "console/live/_tabs.html",
    "live-rows": "console/live/_rows.html",
    "live-facts": "console/live/_facts.html",
    "live-happened": "console/live/_happened.html",
}
MAX_PAGE = 100_000


@study_page(Can.SEE_LIVE)
@require_safe
def staff_live(request: HttpRequest, study: Study) -> HttpResponse:
    """Who is answering, how the places fill and what went wrong; `?session=` opens one session."""
    now = server_now()
    state = board(study, wanted_of(request), now)
    context = _context(request, study, state, now)
    return render(request, "console/live/live.html", context)


@study_page(Can.SEE_LIVE)
@require_safe
def staff_live_state(request: HttpRequest, study: Study) -> HttpResponse:
    """The parts of the page as they are now; 304 where nothing that is stored has changed.

    The tag says what was seen and what was shown: where what is seen is the same, nothing more is counted,
    and where it differs, as when something happened in another study, what is shown may still be the same.
    """
    now = server_now()
    known_seen, _dot, known_shown = (
        request.headers.get("If-None-Match", "").removeprefix("W/").strip('"').partition(".")
    )
    seen = board_seen(study, wanted_of(request), now)
    of_seen = _digest(request, study, seen)
    if of_seen == known_seen:
        return HttpResponseNotModified(headers={"ETag": f'"{of_seen}.{known_shown}"'})
    state = board_of(study, seen, now)
    of_shown = _digest(request, study, state)
    tag = f'"{of_seen}.{of_shown}"'
    if of_shown == known_shown:
        return HttpResponseNotModified(headers={"ETag": tag})
    context = _context(request, study, state, now)
    parts = {name: render_to_string(template, context, request) for name, template in PARTS.items()}
    return JsonResponse({"as_of": now.isoformat(), "parts": parts}, headers={"ETag": tag})


def _digest(request: HttpRequest, study: Study, facts: Seen | Board) -> str:
    """Equal for equal facts, as this person reads them: the time alone changes nothing of what is stored."""
    reader = (get_language(), sorted(rights_here(request)), study.settings)
    return sha256(repr((facts, reader)).encode()).hexdigest()[:32]


@study_page(Can.SEE_LIVE)
@require_safe
def staff_live_table(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The list as CSV, all of its pages."""
    now = server_now()
    state = board(study, replace(wanted_of(request), page=None, session=None), now)
    return csv_file(request, f"live-{state.wanted.tab}", csv_lines(FILE, state.rows), study=study)


FILE: dict[str, Cell[Row]] = {
    "person": "code", "question_set": "set_number", "profile": "profile", "status": "status",
    "started_at": "started_at", "deadline_at": "deadline_at", "answered": "answered",
    "questions": "questions", "last_save_at": "last_save", "incidents": lambda row: " ".join(row.incidents),
}  # fmt: skip


def wanted_of(request: HttpRequest) -> Wanted:
    """What the address asks for; anything that is none of it is left out."""
    query = request.GET
    page, sort, tab = query.get("page", ""), query.get("sort", ""), query.get("tab", "")
    try:
        session = uuid.UUID(query.get("session", ""))
    except ValueError:
        session = None
    return Wanted(
        tab=Tab(tab) if tab in set(Tab) else Tab.ANSWERING,
        page=number_asked(page, most=MAX_PAGE) or 1,
        sort=sort if sort in SORTS else "left",
        session=session,
    )


def _context(request: HttpRequest, study: Study, state: Board, now: datetime) -> dict[str, object]:
    rights = rights_here(request)
    names = profile_names(study)
    offered: Iterable[SessionAction] = SessionAction
    if state.wanted.tab != Tab.FINISHED:
        offered = (SessionAction.EXTEND, SessionAction.MESSAGE, SessionAction.VOID)
    happened = state.happened
    if Can.SEE_PEOPLE not in rights:  # a reason for what was done to a person may name them
        happened = [replace(happening, reason="") for happening in happened]
    opened = RowWords(state.opened, names, now) if state.opened else None
    # The forms for the one session that is open.
    seen_at = {"seen_at": now.isoformat()}
    actions = [action for action in opened.actions if ACTION_WORDS[action].can in rights] if opened else []
    forms = [
        (action, ACTION_WORDS[action], FORMS[action](initial=seen_at, auto_id=f"{action}-%s"))
        for action in actions
    ]
    return {
        "study": study,
        "board": state,
        "now": now,
        "tabs": tabs_of(state),
        "rows": [RowWords(row, names, now) for row in state.rows],
        "opened": opened,
        "happened": [happening_words(happening) for happening in happened],
        "bulk": [(action, ACTION_WORDS[action]) for action in offered if ACTION_WORDS[action].can in rights],
        "forms": forms,
        "may_pause": Can.PAUSE in rights,
        "may_invite": Can.INVITE in rights,
        "may_see_people": Can.SEE_PEOPLE in rights,
    }
