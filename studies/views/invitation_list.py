"""Inviting the people of a list: it is checked first, and confirmed before anything is mailed."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods

from formats.problems import grouped
from presentation.numbers import numbered
from studies.forms.invitation_list import InvitationListForm
from studies.models import Study
from studies.roles import Can
from studies.selectors.names import profile_names
from studies.services.clock import server_now
from studies.services.people.invitation_mails import invitations_queue
from studies.services.people.people_import import (
    InvitationsRefused,
    PeopleReading,
    invitations_import,
    invitations_plan,
)
from studies.services.refusals import Refused
from studies.views.access import signed_in, site_url_of, study_page

SHOWN = 200


@study_page(Can.INVITE)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_invitations_upload(request: HttpRequest, study: Study) -> HttpResponse:
    """POST checks a list and shows what would happen; with `confirmed` it invites, and leaves the mails to a
    worker.
    """
    if request.method != "POST":
        return _page(request, study, InvitationListForm())
    form = InvitationListForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, study, form, status=422)
    try:
        if "confirmed" in request.POST:
            return _invited(request, study, form.reading)
        plan = invitations_plan(study=study, reading=form.reading)
    except InvitationsRefused as refusal:
        # A browser keeps no chosen file: its lines are there to be corrected, those with problems among them.
        again = InvitationListForm(initial={"text": form.lines})
        return _page(
            request,
            study,
            again,
            status=422,
            problems=grouped(refusal.problems),
            number=len(refusal.problems),
        )
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return _page(request, study, form, status=422)
    lines = _text(form.reading)
    # Once more with what was sent as lines: a browser keeps no chosen file.
    again = InvitationListForm(
        initial={"text": lines if form.cleaned_data.get("file") else form.cleaned_data["text"]}
    )
    return _page(request, study, again, plan=plan, lines=lines)


def _invited(request: HttpRequest, study: Study, reading: PeopleReading) -> HttpResponse:
    now, actor = server_now(), signed_in(request)
    result = invitations_import(study=study, reading=reading, now=now, actor=actor)
    queued = invitations_queue(
        study=study, invitations=result.to_send, site_url=site_url_of(request), now=now, actor=actor
    )
    sentence = numbered(_("Rows read: %(number)d."), {"number": len(reading.rows)}) + " "
    sentence += numbered(
        ngettext("%(number)d invitation is on its way.", "%(number)d invitations are on their way.", queued),
        {"number": queued},
    )
    if result.unchanged:
        sentence += " " + numbered(
            _("Invited or in the study before: %(number)d."), {"number": result.unchanged}
        )
    messages.success(request, sentence)
    return redirect("staff_invitations", slug=study.slug)


def _text(reading: PeopleReading) -> str:
    """The people of the list as lines that say the same."""
    lines = ["email,profile,is_test,language,name"]
    for row in reading.rows:
        cells = (row.email, row.profile, "yes" if row.is_test else "", row.language, row.name)
        quoted = (
            '"{}"'.format(cell.replace('"', '""')) if set(cell) & set(',"\n') else cell for cell in cells
        )
        lines.append(",".join(quoted))
    return "\n".join(lines)


def _page(
    request: HttpRequest, study: Study, form: InvitationListForm, *, status: int = 200, **more: Any
) -> HttpResponse:
    context = {
        "study": study,
        "form": form,
        "shown": SHOWN,
        "profiles": study.protocol.profiles,
        "names": profile_names(study),
        **more,
    }
    return render(request, "studies/invitation_list.html", context, status=status)
