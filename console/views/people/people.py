"""Everybody of a study, invited or in it: the list, the panel of one of them, and the list as a file."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_GET, require_safe

from batches.selectors.people import needs_check_attempt
from console.forms.people import PeopleQuery
from console.selectors.people import PersonState, Row, people_rows
from console.selectors.people_facts import RowFacts, rows_with_facts
from console.selectors.people_page import Quota, Surroundings, facts_at, panel_of, surroundings
from console.services.people import REPLACEABLE
from console.services.people_file import people_file
from console.views.people.wording import TABS, Line, last_words
from studies.forms.people import VettingForm
from studies.models import Study, StudyStatus
from studies.roles import Can
from studies.selectors.names import profile_names
from studies.services.clock import server_now
from studies.services.events import StudyEventKind
from studies.services.people.participants import has_started, may_let_in
from studies.views.access import rights_here, study_page
from studies.views.csv_files import csv_file
from studies.views.second_factor import proof_required

PEOPLE_PER_PAGE = 50
COLUMNS = {
    "person": gettext_lazy("Person"),
    "profile": gettext_lazy("Profile"),
    "state": gettext_lazy("State"),
    "last": gettext_lazy("Last"),
}


@dataclass(frozen=True, slots=True)
class Draft:
    """A decision that was not taken, or whose mail is to be seen first."""

    form: VettingForm
    mail: EmailMessage | None = None


@study_page(Can.SEE_PEOPLE)
@require_safe
def staff_participants(request: HttpRequest, study: Study) -> HttpResponse:
    """The list under a filter; looking changes nothing."""
    return people_page(request, study, PeopleQuery.of(request.GET.dict(), study))


@study_page(Can.SEE_PEOPLE)
@require_GET
@proof_required
def staff_participants_file(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The same rows as a CSV file, without pages; asking for it is recorded, for it has addresses."""
    query = PeopleQuery.of(request.GET.dict(), study)
    rows = people_file(study=study, wanted=query.wanted, now=server_now())
    return csv_file(request, "people", rows, study=study, kind=StudyEventKind.PEOPLE_LISTED)


def people_page(
    request: HttpRequest, study: Study, query: PeopleQuery, *, draft: Draft | None = None, status: int = 200
) -> HttpResponse:
    """The page, with the panel of the person that the query names; `draft` is a decision about them."""
    now = server_now()
    around = surroundings(study, query.wanted, now)
    total = around.counts[PersonState(query.wanted.state)] if query.wanted.state else around.total
    pages = max(1, -(-total // PEOPLE_PER_PAGE))
    query = query if query.page <= pages else query.on_page(pages)
    before, rows, after = _stretch(study, query, now)
    listed = rows_with_facts(study, rows, now)
    names = profile_names(study)
    facts = facts_at(study, query.person, listed, now)
    lines = [
        Line(
            entry,
            names.profile(entry.row.profile),
            last_words(entry, now),
            query.at(entry.row.handle).text,
            entry is facts,
        )
        for entry in listed
    ]
    context = {
        "study": study,
        "query": query,
        "tabs": _tabs(query, around),
        "columns": _columns(query),
        "quotas": around.quotas,
        "profiles": names.profiles,
        "lines": lines,
        "total": total,
        "pages": pages,
        "draft": draft,
        "undecided": around.counts[PersonState.APPLICATION],
        "mail_language": settings.LANGUAGE_CODE,
        "previous_page": query.on_page(query.page - 1).text if query.page > 1 else "",
        "next_page": query.on_page(query.page + 1).text if query.page < pages else "",
    }
    if facts is not None:
        context |= _panel(request, study, query, facts, around)
        context |= _neighbours(query, listed, facts, before, after)
    return render(request, "console/people.html", context, status=status)


def _stretch(study: Study, query: PeopleQuery, now: datetime) -> tuple[Row | None, list[Row], Row | None]:
    """The rows of the page, and the ones before and after it."""
    start = (query.page - 1) * PEOPLE_PER_PAGE
    first = max(0, start - 1)
    rows = list(people_rows(study, query.wanted, now, start=first, stop=start + PEOPLE_PER_PAGE + 1))
    before = rows.pop(0) if first < start and rows else None
    after = rows.pop() if len(rows) > PEOPLE_PER_PAGE else None
    return before, rows, after


def _tabs(query: PeopleQuery, around: Surroundings) -> list[dict[str, Any]]:
    """All of them, and each state that somebody is in, or that is asked for."""
    tabs = [{"words": _("All"), "number": around.total, "state": ""}]
    tabs += [
        {"words": words, "number": around.counts[state], "state": state.value}
        for state, words in TABS.items()
        if around.counts[state] or state in (query.wanted.state, PersonState.APPLICATION)
    ]
    return [
        {**tab, "link": query.in_state(str(tab["state"])).text, "is_here": tab["state"] == query.wanted.state}
        for tab in tabs
    ]


def _columns(query: PeopleQuery) -> list[dict[str, Any]]:
    sort = query.wanted.sort
    turns = {name: "ascending" for name in COLUMNS if sort == name} | {
        name: "descending" for name in COLUMNS if sort == f"-{name}"
    }
    return [
        {"words": words, "link": query.sorted_by(name).text, "turn": turns.get(name, "")}
        for name, words in COLUMNS.items()
    ]


def _panel(
    request: HttpRequest, study: Study, query: PeopleQuery, facts: RowFacts, around: Surroundings
) -> dict[str, Any]:
    """The panel, and what the asking person can do about the one it is of."""
    quota: Quota | None = next((place for place in around.quotas if place.slug == facts.row.profile), None)
    may_decide = Can.DECIDE_PEOPLE in rights_here(request)
    person = facts.participant
    replaceable = person is not None and not person.is_test and person.replaced_by is None
    return {
        "panel": panel_of(study, facts),
        "participant": person,
        "invitation": facts.invitation,
        "quota": quota,
        "may_decide": may_decide and facts.row.state != PersonState.WITHDRAWN,
        "may_let_in": person is not None and may_let_in(person),
        "may_reject": person is not None and not has_started(person) and person.vetting_status != "rejected",
        "may_replace": (
            may_decide
            and replaceable
            and facts.row.state in REPLACEABLE
            and study.status != StudyStatus.CLOSED
        ),
        "may_try_again": may_decide and person is not None and needs_check_attempt(person),
        "here": query.at(facts.row.handle).text,
        "back": query.at("").text,
    }


def _neighbours(
    query: PeopleQuery, listed: list[RowFacts], facts: RowFacts, before: Row | None, after: Row | None
) -> dict[str, Any]:
    """Who comes before and after in the list, across its pages; nobody where the person is not in it."""
    if facts not in listed:
        return {}
    place = listed.index(facts)
    handles = [entry.row.handle for entry in listed]
    earlier = query.at(handles[place - 1]) if place else before and query.at(before.handle, query.page - 1)
    is_last = place + 1 == len(handles)
    later = (after and query.at(after.handle, query.page + 1)) if is_last else query.at(handles[place + 1])
    # After a decision the person may have left the list: whoever comes next stands on this page then.
    then = after.handle if is_last and after else "" if is_last else handles[place + 1]
    return {
        "position": (query.page - 1) * PEOPLE_PER_PAGE + place + 1,
        "earlier": earlier.text if earlier else "",
        "later": later.text if later else "",
        "then": then,
    }
