"""The staff's page of one study: how far it has come, what is next, and what waits."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_safe

from console.selectors.board_numbers import board_numbers
from console.selectors.cards import StudyCard, study_cards
from console.selectors.next_steps import attention, next_step
from console.selectors.spread import answers_per_question, arms_filled
from console.views.setup.protocol_rows import setting_label
from presentation.numbers import counted
from studies.models import Study
from studies.roles import Can
from studies.services.clock import server_now
from studies.views.access import rights_here, study_page


@dataclass(frozen=True)
class Stage:
    """How many people came so far, and what became of those who did not go on."""

    words: str | Promise
    people: int
    note: str = ""
    tone: str = ""


def funnel(card: StudyCard) -> Sequence[Stage]:
    """The stages in their order; test people are in none."""
    unanswered = _noted((card.open_invitations, _("not answered")))
    left = _noted((card.withdrawn, _("withdrawn")), (card.voided, _("voided")))
    not_counted = _noted((card.unfiltered, _("not yet filtered")), (card.excluded, _("not counted")))
    return (
        Stage(gettext_lazy("Invited"), card.invited, unanswered, "pale"),
        Stage(gettext_lazy("Applied"), card.people, _noted((card.applications, _("to decide"))), "pale"),
        Stage(gettext_lazy("Approved"), card.approved, "", "pale"),
        Stage(gettext_lazy("Started"), card.started, _noted((card.answering, _("answering now")))),
        Stage(gettext_lazy("Finished"), card.ended, left),
        Stage(gettext_lazy("Counted"), card.counted, not_counted),
    )


def _noted(*parts: tuple[int, str]) -> str:
    return ", ".join(f"{counted(people)} {words}" for people, words in parts if people)


@study_page(Can.SEE_STUDY, instead="staff_screening")
@require_safe
def staff_study(request: HttpRequest, study: Study) -> HttpResponse:
    """From invited to counted, coverage, next step; the protocol for whoever may see it.

    Reviewers must not know how far the study has come with whom: they are led to their own work.
    """
    now, rights = server_now(), rights_here(request)
    card = study_cards([study], now)[0]
    context = {
        "study": study,
        "facts": card,
        "step": next_step(card, rights),
        "attention": list(attention(card, rights)),
        "funnel": funnel(card),
        "numbers": board_numbers(study, now),
        "per_question": answers_per_question(study, card.prompts),
        "arms": arms_filled(study) if Can.SEE_PROTOCOL in rights else (),
        "amendments": [
            (amendment, [setting_label(name) for name in amendment.changes])
            for amendment in study.amendments.order_by("number")
        ],
        "may_see_protocol": Can.SEE_PROTOCOL in rights,
    }
    return render(request, "console/study_overview.html", context)
