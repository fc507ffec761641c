"""Entry links for recruiting platforms: one for each profile, closed until a lead opens it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from batches.services.entering import require_entry_open
from console.forms.recruiting import RecruitingForm
from studies.models import RecruitingLink, Study
from studies.roles import Can
from studies.services.clock import server_now
from studies.services.people.platforms import platform_of
from studies.services.people.recruiting_links import (
    LinkChanged,
    link_close,
    link_open,
    link_save,
    link_sha256,
)
from studies.services.refusals import Refused
from studies.views.access import rights_here, signed_in, site_url_of, study_page


@study_page(Can.INVITE)
@require_safe
def staff_recruiting(request: HttpRequest, study: Study) -> HttpResponse:
    """The link of a profile, what it takes and whether it is open."""
    return _page(request, study, _profile(study, request.GET.get("profile", "")))


@study_page(Can.SET_UP)
@require_POST
def staff_recruiting_change(request: HttpRequest, study: Study) -> HttpResponse:
    """Save what the link takes, and open it if asked to; or close it."""
    profile = request.POST.get("profile", "")
    if profile != _profile(study, profile):
        raise Http404("no such profile")  # never another one's link in its place
    actor, now = signed_in(request), server_now()
    form, seen = RecruitingForm(request.POST), request.POST.get("seen", "")
    closes = "close" in request.POST
    if not closes and not form.is_valid():
        return _page(request, study, profile, form, seen=seen)
    try:
        if closes:
            known = study.recruiting_links.filter(profile=profile).select_related("study").first()
            if known is None:
                raise Http404("no link of this profile")
            link_close(link=known, actor=actor, now=now)
            sentence = _("The link is closed: nobody comes in by it. Whoever is in the study stays.")
        else:
            link = link_save(
                study=study, profile=profile, settings=form.settings, actor=actor, now=now, seen=seen
            )
            sentence = _("Saved.")
            if "open" in request.POST:
                link_open(link=link, actor=actor, now=now)
                sentence = _("The link is open. Give its address to the platform.")
        messages.success(request, sentence)
    except LinkChanged as refusal:
        form.add_error(None, str(refusal))
        return _page(request, study, profile, form)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect(f"{reverse('staff_recruiting', args=[study.slug])}?{urlencode({'profile': profile})}")


def _profile(study: Study, wanted: str) -> str:
    """The profile that is asked for, or the first one."""
    slugs = [profile.slug for profile in study.protocol.profiles]
    return wanted if wanted in slugs else slugs[0]


def _page(
    request: HttpRequest,
    study: Study,
    profile: str,
    form: RecruitingForm | None = None,
    *,
    seen: str | None = None,
) -> HttpResponse:
    """The link. What was `seen` when a form was opened stays in it, unless the form stands beside the link
    as it is now.
    """
    links = {link.profile: link for link in study.recruiting_links.select_related("study")}
    link = links.get(profile)
    others = form.beside(link) if form and seen is None else None
    context = {
        "study": study,
        "others": others,
        "seen": link_sha256(link) if seen is None else seen,
        "profiles": study.protocol.profiles,
        "profile": profile,
        "link": link,
        "address": f"{site_url_of(request).rstrip('/')}{reverse('entry', args=[link.token])}" if link else "",
        "example": "&".join(f"{name}=…" for name in link.parameters if name) if link else "",
        "platform": platform_of(link) if link else None,
        "entered": link.entries.count() if link else 0,
        "kept_closed": _kept_closed(link) if link else "",
        "form": form or RecruitingForm.of(link),
        "may_change": Can.SET_UP in rights_here(request),
    }
    status = 409 if others is not None else 422 if form else 200
    return render(request, "console/recruiting.html", context, status=status)


def _kept_closed(link: RecruitingLink) -> str:
    """Why nobody comes in by an open link now; blank where people do, and for a closed one."""
    try:
        require_entry_open(link, server_now())
    except Refused as refusal:
        return str(refusal) if link.opened_at else ""
    return ""
