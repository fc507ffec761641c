"""What the study team tells many participants at once."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from batches.selectors.notices import people_reached
from console.forms.announcing import AnnouncementForm
from studies.models import Audience, Study
from studies.roles import Can
from studies.selectors.contact import announcements_of
from studies.services.people.messages import announcement_make, announcement_withdraw
from studies.views.access import signed_in, study_page


@study_page(Can.INVITE)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_announcements(request: HttpRequest, study: Study) -> HttpResponse:
    """What people in the study are told; POST tells them something more."""
    form = AnnouncementForm(request.POST if request.method == "POST" else None, study=study)
    if form.is_valid():
        facts = form.cleaned_data | {"audience": Audience(form.cleaned_data["audience"])}
        made = announcement_make(study=study, **facts, actor=signed_in(request), now=timezone.now())
        number = people_reached(made)
        said = ngettext(
            "Announced to %(number)d person now; open pages show it within half a minute.",
            "Announced to %(number)d people now; open pages show it within half a minute.",
            number,
        )
        messages.success(request, said % {"number": number})
        return redirect("staff_announcements", study.slug)
    context = {"study": study, "form": form, "announcements": announcements_of(study)}
    return render(request, "console/announcements.html", context, status=422 if form.is_bound else 200)


@study_page(Can.INVITE)
@require_POST
def staff_announcement_withdraw(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Take one announcement back."""
    announcement = announcements_of(study).filter(pk=number).first()
    if announcement is None:
        raise Http404("no such announcement in this study")
    if announcement_withdraw(announcement=announcement, actor=signed_in(request), now=timezone.now()):
        messages.success(
            request, _("The announcement is taken back; it disappears from open pages by itself.")
        )
    else:
        messages.info(request, _("This announcement had been taken back before."))
    return redirect("staff_announcements", study.slug)
