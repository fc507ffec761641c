"""The staff's first page: every study as a card with what waits in it and what to press next."""

from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from console.selectors.cards import StudyCard, study_cards
from console.selectors.next_steps import Attention, Step, attention, next_step
from studies.models import Study, StudyStatus
from studies.roles import Can, SiteCan
from studies.selectors.roles import rights_by_study, site_rights, studies_of_staff
from studies.views.access import signed_in, site_page

PAGE_SIZE = 20
SHOWN = {
    "active": (_("Active"), Q(status__in=[StudyStatus.DRAFT, StudyStatus.FROZEN])),
    "finished": (_("Finished"), Q(status=StudyStatus.CLOSED)),
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
def staff_home(request: HttpRequest) -> HttpResponse:
    """The studies that somebody has a part in, newest first: active, finished or all, by a word of a name."""
    user, now = signed_in(request), timezone.now()
    shown, words = request.GET.get("show", ""), request.GET.get("q", "").strip()[:100]
    shown = shown if shown in SHOWN else "active"
    studies = studies_of_staff(user)
    page = _page(studies, shown, words, request.GET.get("page"))
    rights = rights_by_study(user, page)
    context = {
        "cards": [_shown(card, rights[card.study.pk]) for card in study_cards(page, now)],
        "page": page,
        "words": words,
        "shown": shown,
        "filters": [(name, label) for name, (label, _condition) in SHOWN.items()],
        "may_make": SiteCan.MAKE_STUDIES in site_rights(user),
        "has_studies": bool(page) or studies.exists(),
    }
    return render(request, "console/studies.html", context)


def _page(studies: QuerySet[Study], shown: str, words: str, number: str | None) -> Page[Study]:
    _label, condition = SHOWN[shown]
    found = studies.filter(condition).select_related("bank_version__bank").order_by("-created_at", "-pk")
    if words:
        found = found.filter(Q(name__icontains=words) | Q(slug__icontains=words))
    return Paginator(found, PAGE_SIZE).get_page(number)


def _shown(card: StudyCard, rights: frozenset[Can]) -> ShownCard:
    return ShownCard(
        card, next_step(card, rights), list(attention(card, rights)), sees_progress=Can.SEE_STUDY in rights
    )
