"""What the study team tells many participants at once."""

from collections.abc import Iterable, Iterator

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from batches.selectors.notices import people_reached
from console.forms.announcing import AnnouncementForm
from formats.cells import csv_cell
from presentation.numbers import numbered
from studies.models import Announcement, Audience, Study
from studies.roles import Can
from studies.selectors.contact import announcements_of
from studies.selectors.private_questions import private_labels
from studies.services.clock import server_now
from studies.services.people.messages import announcement_make, announcement_withdraw
from studies.views.access import private_shown, rights_here, signed_in, study_page
from studies.views.csv_files import csv_file

PER_PAGE = 20
COLUMNS = ("made_at", "made_by", "audience", "question_set", "question", "text", "taken_back_at")


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
        said = ngettext(
            "Announced to %(number)d person now; open pages show it within half a minute.",
            "Announced to %(number)d people now; open pages show it within half a minute.",
            number,
        )
        messages.success(request, numbered(said, {"number": number}))
        return redirect("staff_announcements", study.slug)
    found = list(announcements_of(study))
    hidden = private_labels(study, {one.prompt_label for one in found} - {""})
    if Can.SEE_PRIVATE in rights:
        private_shown(request, study, "announcements", hidden)
    else:
        for one in found:
            one.prompt_label = "" if one.prompt_label in hidden else one.prompt_label
    if request.method != "POST" and request.GET.get("format") == "csv":
        return csv_file(request, "announcements", _lines(found), study=study)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    context = {"study": study, "form": form, "page": page}
    return render(request, "console/announcements.html", context, status=422 if form.is_bound else 200)


def _lines(announcements: Iterable[Announcement]) -> Iterator[list[str]]:
    yield list(COLUMNS)
    for one in announcements:
        taken_back = one.withdrawn_at.isoformat() if one.withdrawn_at else None
        cells = (
            one.made_at.isoformat(), one.made_by.email if one.made_by else None, one.audience,
            one.batch_number, one.prompt_label or None, one.text, taken_back,
        )  # fmt: skip
        yield [csv_cell(cell) for cell in cells]


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
