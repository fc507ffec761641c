"""The staff's first page: every study as a card with what waits in it and what to press next."""

from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from console.selectors.cards import StudyCard, study_cards
from console.selectors.steps import Attention, Step, attention, next_step
from studies.models import Study, StudyStatus
from studies.roles import Can
from studies.views.access import staff_required

PAGE_SIZE = 20
SHOWN = {
    "active": (_("Active"), Q(status__in=[StudyStatus.DRAFT, StudyStatus.FROZEN])),
    "finished": (_("Finished"), Q(status=StudyStatus.CLOSED)),
    "all": (_("All"), Q()),
}


@dataclass(frozen=True)
class ShownCard:
    """A study with its next step and what waits, for whoever asks."""

    facts: StudyCard
    step: Step
    attention: list[Attention]


@never_cache
@staff_required
@require_safe
def staff_home(request: HttpRequest) -> HttpResponse:
    """Studies, newest first: active, finished or all, by a word of their name."""
    shown, words = request.GET.get("show", ""), request.GET.get("q", "").strip()
    shown = shown if shown in SHOWN else "active"
    studies = Study.objects.all()
    page = _page(studies, shown, words, request.GET.get("page"))
    context = {
        "cards": [_shown(card) for card in study_cards(page, timezone.now())],
        "page": page,
        "words": words,
        "shown": shown,
        "filters": [(name, label) for name, (label, _condition) in SHOWN.items()],
        "has_studies": bool(page) or studies.exists(),
    }
    return render(request, "console/studies.html", context)


def _page(studies: QuerySet[Study], shown: str, words: str, number: str | None) -> Page[Study]:
    _label, condition = SHOWN[shown]
    found = studies.filter(condition).select_related("bank_version__bank").order_by("-created_at", "-pk")
    if words:
        found = found.filter(Q(name__icontains=words) | Q(slug__icontains=words))
    return Paginator(found, PAGE_SIZE).get_page(number)


def _shown(card: StudyCard) -> ShownCard:
    rights = frozenset(Can)
    return ShownCard(card, next_step(card, rights), list(attention(card, rights)))
