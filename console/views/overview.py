"""The staff's page of one study: how far it has come, what is next, and what waits."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from console.selectors.board_numbers import board_numbers
from console.selectors.cards import study_cards
from console.selectors.funnel import funnel
from console.selectors.next_steps import attention, next_step
from console.selectors.spread import answers_per_question, arms_filled
from console.views.setup.protocol_rows import setting_label
from studies.models import Study
from studies.roles import Can
from studies.services.clock import server_now
from studies.views.access import rights_here, study_page


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
