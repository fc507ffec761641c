"""The mails of a study: each kind with preview, test and switch, and what became of those that were sent."""

from collections.abc import Iterator
from typing import Any

from csp.decorators import csp_replace
from django.conf import settings
from django.contrib import messages
from django.core.mail import EmailMultiAlternatives
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import get_language, gettext as _, gettext_lazy
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_POST, require_safe

from console.selectors.mails import WHEN, mail_kinds, mails_of_study
from console.services.digests import digest_wish_set
from console.services.mail_examples import mail_example
from formats.cells import csv_cell
from studies.models import DigestWish, MailKind, MailOutcome, MailRecord, Study
from studies.roles import Can
from studies.services.clock import server_now
from studies.services.mails.study_mails import mail_retry, mail_switch, mail_test_send
from studies.services.mails.texts import html_part
from studies.services.refusals import Refused
from studies.views.access import signed_in, site_url_of, study_page
from studies.views.csv_files import csv_file
from studies.views.listing import Column, Listing

PER_PAGE = 50
LIST_COLUMNS: tuple[Column[MailRecord], ...] = (
    Column("mail", gettext_lazy("Mail"), ("kind",), str),
    Column("to", gettext_lazy("To"), ("participant__code", "member__email"), str),
    Column("queued", gettext_lazy("Queued"), ("queued_at",), str),
    Column("state", gettext_lazy("State"), ("outcome",), str),
)
FILTERS = (MailOutcome.WAITING, MailOutcome.FAILED, MailOutcome.SENT)
# The preview stands in a frame of its own page: a mail brings its own few rules of style, and nothing else.
ONLY_STYLES: dict[str, Any] = {
    "default-src": ["'none'"],
    "style-src": ["'unsafe-inline'"],
    "frame-ancestors": ["'self'"],
    "sandbox": True,
}


@require_safe
@study_page(Can.INVITE)
def staff_mails(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Every kind of mail, and below them the mails themselves, newest first."""
    outcome = request.GET.get("state", "")
    chosen = outcome if outcome in FILTERS else ""
    listing = Listing(request, LIST_COLUMNS)
    found = listing.ordered(mails_of_study(study, outcome=chosen))
    if listing.wants_csv:
        return csv_file(request, "mails", _lines(found), study=study)
    wish = DigestWish.objects.filter(member=signed_in(request)).first()
    context = {
        "study": study,
        "kinds": mail_kinds(study),
        "page": Paginator(found, PER_PAGE).get_page(request.GET.get("page")),
        "listing": listing,
        "chosen": chosen,
        "filters": FILTERS,
        "wants_digest": wish is None or wish.is_wanted,
    }
    return render(request, "console/mails/mails.html", context)


@require_safe
@study_page(Can.INVITE)
def staff_mails_preview(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """One kind as it would be sent, as text and as HTML, in each language."""
    mail = _example(request, study, _kind(kind))
    context = {
        "study": study,
        "kind": MailKind(kind),
        "when": WHEN[MailKind(kind)],
        "mail": mail,
        "sender": settings.DEFAULT_FROM_EMAIL,
        "language": _language(request),
        "languages": settings.LANGUAGES,
        "rejected": _rejected(request),
    }
    return render(request, "console/mails/preview.html", context)


@xframe_options_sameorigin
@csp_replace(ONLY_STYLES)
@require_safe
@study_page(Can.INVITE)
def staff_mails_html(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """The HTML of the mail, for the frame of its preview."""
    return HttpResponse(html_part(_example(request, study, _kind(kind))))


@require_POST
@study_page(Can.INVITE)
def staff_mails_test(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """Mail an example to whoever asks."""
    actor = signed_in(request)
    try:
        mail_test_send(
            study=study,
            kind=_kind(kind),
            message=_example(request, study, _kind(kind)),
            actor=actor,
            now=server_now(),
        )
        messages.success(request, _("A test mail is on its way to %(email)s.") % {"email": actor.email})
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("staff_mails", study.slug)


@require_POST
@study_page(Can.INVITE)
def staff_mails_switch(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """Send this kind from now on, or none any more."""
    is_on = request.POST.get("send") == "on"
    try:
        mail_switch(study=study, kind=_kind(kind), is_on=is_on, actor=signed_in(request), now=server_now())
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("staff_mails", study.slug)
    said = (
        _("%(kind)s: these mails are sent from now on.")
        if is_on
        else _("%(kind)s: these mails are no longer sent. What was queued before still goes out.")
    )
    messages.success(request, said % {"kind": MailKind(kind).label})
    return redirect("staff_mails", study.slug)


@require_POST
@study_page(Can.INVITE)
def staff_mails_retry(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Try one that waits or failed again at once."""
    try:
        mail_retry(study=study, number=number, actor=signed_in(request), now=server_now())
        messages.success(request, _("The mail is tried again now."))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("staff_mails", study.slug)


@require_POST
@study_page(Can.INVITE)
def staff_mails_digest(request: HttpRequest, study: Study) -> HttpResponse:
    """Whether whoever asks gets the daily digest, of all their studies."""
    is_wanted = request.POST.get("send") == "on"
    digest_wish_set(member=signed_in(request), is_wanted=is_wanted)
    said = _("You get the daily digest.") if is_wanted else _("You get no daily digest any more.")
    messages.success(request, said)
    return redirect("staff_mails", study.slug)


def _lines(rows: QuerySet[MailRecord]) -> Iterator[list[str]]:
    yield ["kind", "is_test", "to", "queued_at", "state", "attempts", "problem", "decided_at"]
    for one in rows.iterator():
        to = one.participant.code if one.participant else str(one.member or "")
        decided_at = one.decided_at.isoformat() if one.decided_at else ""
        cells = (
            *(one.kind, one.is_test, to, one.queued_at.isoformat(), one.outcome),
            *(one.attempts, one.problem, decided_at),
        )
        yield [csv_cell(cell) for cell in cells]


def _kind(text: str) -> MailKind:
    if text not in MailKind.values:
        raise Http404("no such kind of mail")
    return MailKind(text)


def _example(request: HttpRequest, study: Study, kind: MailKind) -> EmailMultiAlternatives:
    return mail_example(
        study=study,
        kind=kind,
        language=_language(request),
        site_url=site_url_of(request),
        now=server_now(),
        rejected=_rejected(request),
    )


def _rejected(request: HttpRequest) -> bool:
    return request.GET.get("as") == "rejected"


def _language(request: HttpRequest) -> str:
    wanted = request.GET.get("language", "") or (get_language() or "")
    return wanted if wanted in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
