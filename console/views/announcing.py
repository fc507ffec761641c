"""What the study team tells many participants at once."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from batches.selectors.notices import people_reached
from console.forms.announcing import AnnouncementForm
from presentation.listing import csv_lines, page_of, wants_csv
from presentation.numbers import numbered
from studies.models import Audience, Study
from studies.roles import Can
from studies.selectors.contact import announcements_of
from studies.selectors.private_questions import private_labels
from studies.services.clock import server_now
from studies.services.people.messages import announcement_make, announcement_withdraw
from studies.views.access import private_shown, rights_here, signed_in, study_page
from studies.views.csv_files import csv_file

PER_PAGE = 20
FILE = {
    "made_at": "made_at", "made_by": "made_by__email", "audience": "audience",
    "question_set": "batch_number", "question": "prompt_label", "text": "text",
    "taken_back_at": "withdrawn_at",
}  # fmt: skip


@study_page(Can.INVITE)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_announcements(request: HttpRequest, study: Study) -> HttpResponseBase:
    """What people in the study are told, the same as CSV; POST tells them something more."""
    rights = rights_here(request)
    sent = request.POST if request.method == "POST" else None
    form = AnnouncementForm(sent, study=study, rights=rights)
    if form.is_valid():
        facts = form.cleaned_data | {"audience": Audience(form.cleaned_data["audience"])}
        made = announcement_make(study=study, **facts, actor=signed_in(request), now=server_now())
        number = people_reached(made)
        sentence = ngettext(
            "Announced to %(number)d person now; open pages show it within half a minute.",
            "Announced to %(number)d people now; open pages show it within half a minute.",
            number,
        )
        messages.success(request, numbered(sentence, {"number": number}))
        return redirect("staff_announcements", study.slug)
    announcements = list(announcements_of(study))
    hidden = private_labels(study, {announcement.prompt_label for announcement in announcements} - {""})
    if Can.SEE_PRIVATE in rights:
        private_shown(request, study, "announcements", hidden)
    else:
        for announcement in announcements:
            if announcement.prompt_label in hidden:
                announcement.prompt_label = ""
    if request.method != "POST" and wants_csv(request):
        return csv_file(request, "announcements", csv_lines(FILE, announcements), study=study)
    context = {"study": study, "form": form, "page": page_of(request, announcements, PER_PAGE)}
    return render(request, "console/announcements.html", context, status=422 if form.is_bound else 200)


@study_page(Can.INVITE)
@require_POST
def staff_announcement_withdraw(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Take one announcement back."""
    announcement = announcements_of(study).filter(pk=number).first()
    if announcement is None:
        raise Http404("no such announcement in this study")
    if announcement_withdraw(announcement=announcement, actor=signed_in(request), now=server_now()):
        messages.success(
            request, _("The announcement is taken back; it disappears from open pages by itself.")
        )
    else:
        messages.info(request, _("This announcement had been taken back before."))
    return redirect("staff_announcements", study.slug)
