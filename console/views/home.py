"""The staff's first page: every study as a card with what waits in it and what to press next."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from console.selectors.cards import StudyCard, study_cards
from console.selectors.next_steps import Attention, Step, attention, next_step
from formats.cells import csv_cell
from presentation.listing import Column, Listing
from studies.models import Study, StudyStatus, User
from studies.roles import Can, SiteCan
from studies.selectors.roles import rights_by_study, site_rights, studies_of_staff
from studies.services.clock import server_now
from studies.views.access import signed_in, site_page
from studies.views.csv_files import csv_file

PAGE_SIZE = 20
SORTS: tuple[Column[Any], ...] = (
    Column("name", _("Name"), ("name",)),
    Column("created", _("Created"), ("created_at",)),
    Column("closes", _("Closes"), ("closes_at",)),
)
PROGRESS = (
    "planned", "coming", "answering", "withdrawn", "excluded", "unfiltered", "counted",
)  # fmt: skip
COLUMNS = ("study", "name", "state", "created_at", "closes_at", "questions", "sets", *PROGRESS, "results_at")
SHOWN = {
    "active": (_("Active"), Q(status__in=[StudyStatus.DRAFT, StudyStatus.FROZEN])),
    "finished": (_("Finished"), Q(status=StudyStatus.CLOSED, archived_at=None)),
    "archived": (_("Archived"), ~Q(archived_at=None)),
    "all": (_("All"), Q()),
}


@dataclass(frozen=True)
class ShownCard:
    """A study with its next step and what waits, as far as it concerns whoever asks."""

    facts: StudyCard
    step: Step
    attention: list[Attention]
    sees_progress: bool


@site_page(SiteCan.PLAN)
@require_safe
def staff_home(request: HttpRequest) -> HttpResponseBase:
    """The studies that somebody has a part in, newest first unless sorted otherwise: active, finished or all,
    by a word of a name; the same as CSV.
    """
    user, now = signed_in(request), server_now()
    selection, words = request.GET.get("show", ""), request.GET.get("q", "").strip()[:100]
    selection = selection if selection in SHOWN else "active"
    studies = studies_of_staff(user)
    selected = studies.filter(SHOWN[selection][1]).select_related("bank_version__bank")
    selected = selected.order_by("-created_at", "-pk")
    if words:
        selected = selected.filter(Q(name__icontains=words) | Q(slug__icontains=words))
    listing = Listing(request, SORTS, per_page=PAGE_SIZE)
    page = listing.page(listing.ordered(selected))
    if listing.wants_csv:
        return csv_file(request, "studies", _lines(user, page.paginator, now))
    rights = rights_by_study(user, page)
    cards = []
    for card in study_cards(page, now):
        own = rights[card.study.pk]
        waiting = list(attention(card, own))
        cards.append(ShownCard(card, next_step(card, own), waiting, sees_progress=Can.SEE_STUDY in own))
    context = {
        "cards": cards,
        "page": page,
        "words": words,
        "shown": selection,
        "listing": listing,
        "filters": [(name, label) for name, (label, _condition) in SHOWN.items()],
        "may_make": SiteCan.MAKE_STUDIES in site_rights(user),
        "has_studies": bool(page) or studies.exists(),
    }
    return render(request, "console/studies.html", context)


def _lines(user: User, pages: "Paginator[Study]", now: datetime) -> Iterator[list[str]]:
    """What the cards say, a page of them at a time; how far a study is for those who may know it."""
    yield list(COLUMNS)
    for number in pages.page_range:
        page = pages.page(number)
        rights = rights_by_study(user, page)
        for card in study_cards(page, now):
            study, sees_progress = card.study, Can.SEE_STUDY in rights[card.study.pk]
            moments = [study.created_at, study.closes_at, card.results_at if sees_progress else None]
            created_at, closes_at, results_at = (moment.isoformat() if moment else None for moment in moments)
            progress = [getattr(card, name) if sees_progress else None for name in PROGRESS]
            facts = [study.slug, study.name, study.status, created_at, closes_at, card.prompts, card.sets]
            yield [csv_cell(cell) for cell in (*facts, *progress, results_at)]
