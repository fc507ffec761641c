"""The mails of a study: each kind with preview, test and switch, and what became of those that were sent."""

from typing import Any

from csp.decorators import csp_replace
from django.conf import settings
from django.contrib import messages
from django.core.mail import EmailMultiAlternatives
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import get_language, gettext as _, gettext_lazy
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.selectors.mails import WHEN, mail_kinds, mails_of_study
from console.services.digests import digest_wish_set
from console.services.mail_examples import mail_example
from presentation.listing import Cell, Column, Listing
from studies.models import DigestWish, MailKind, MailOutcome, MailRecord, MailSender, MailText, Study
from studies.roles import Can
from studies.services.clock import server_now
from studies.services.mails.own_texts import mail_sender_set, mail_text_require, mail_text_set
from studies.services.mails.study_mails import mail_retry, mail_switch, mail_test_send
from studies.services.mails.texts import MUST, PLACEHOLDERS, html_part, mail_sender, mail_text_default
from studies.services.people.vetting_mails import Decision
from studies.services.refusals import Refused
from studies.views.access import signed_in, site_url_of, study_page
from studies.views.csv_files import csv_file

PER_PAGE = 50
# In the session: what was written of a mail's text and is shown before it is saved.
WRITTEN = "mail_text_written"
LIST_COLUMNS: tuple[Column[MailRecord], ...] = (
    Column("mail", gettext_lazy("Mail"), ("kind",)),
    Column("to", gettext_lazy("To"), ("participant__code", "member__email")),
    Column("queued", gettext_lazy("Queued"), ("queued_at",)),
    Column("state", gettext_lazy("State"), ("outcome",)),
    Column("", gettext_lazy("Try again"), hidden=True),
)
FILE: dict[str, Cell[MailRecord]] = {
    "kind": "kind", "is_test": "is_test",
    "to": lambda mail: mail.participant.code if mail.participant else str(mail.member or ""),
    "queued_at": "queued_at", "state": "outcome", "attempts": "attempts", "problem": "problem",
    "decided_at": "decided_at",
}  # fmt: skip

DECISIONS: dict[Decision, Promise] = {
    "approved": gettext_lazy("Approved"),
    "reserve": gettext_lazy("Reserve list"),
    "rejected": gettext_lazy("Rejected"),
}
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
    return _mails(request, study)


def _mails(request: HttpRequest, study: Study, problem: str = "", status: int = 200) -> HttpResponseBase:
    outcome = request.GET.get("state", "")
    chosen = outcome if outcome in FILTERS else ""
    listing = Listing(request, LIST_COLUMNS, FILE, PER_PAGE)
    records = listing.ordered(mails_of_study(study, outcome=chosen))
    if listing.wants_csv:
        return csv_file(request, "mails", listing.lines(records.iterator()), study=study)
    wish = DigestWish.objects.filter(member=signed_in(request)).first()
    sender: MailSender | None = getattr(study, "mail_sender", None)
    context = {
        "study": study,
        "kinds": mail_kinds(study),
        "sender": mail_sender(sender),
        "sender_name": request.POST.get("name", sender.name if sender else ""),
        "reply_to": request.POST.get("reply_to", sender.reply_to if sender else ""),
        "problem": problem,
        "page": listing.page(records),
        "listing": listing,
        "chosen": chosen,
        "filters": FILTERS,
        "wants_digest": wish is None or wish.is_wanted,
    }
    return render(request, "console/mails/mails.html", context, status=status)


@require_safe
@study_page(Can.INVITE)
def staff_mails_preview(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """One kind as it would be sent, as text and as HTML, in each language."""
    return _preview(request, study, _kind(kind))


def _preview(
    request: HttpRequest, study: Study, kind: MailKind, problem: str = "", status: int = 200
) -> HttpResponse:
    """The preview, with what was written and could not be stored."""
    template, language = _template(request, kind), _language(request)
    own = MailText.objects.filter(study=study, template=template, language=language).first()
    subject, body = mail_text_default(template, language) if template else ("", "")
    written = _written(request, study, template)
    subject, body = written or ((own.subject, own.body) if own else (subject, body))
    context = {
        "study": study,
        "kind": kind,
        "when": WHEN[kind],
        "mail": _example(request, study, kind),
        "language": language,
        "languages": settings.LANGUAGES,
        "decision": _decision(request),
        "decisions": DECISIONS.items(),
        "query": urlencode(
            {"language": language, "as": _decision(request), **({"written": "yes"} if written else {})}
        ),
        "is_written": bool(written),
        "template": template,
        "own": own,
        "subject": request.POST.get("subject", subject),
        "body": request.POST.get("body", body),
        "placeholders": PLACEHOLDERS.get(template, ()),
        "must": MUST.get(template, ()),
        "problem": problem,
    }
    return render(request, "console/mails/preview.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Can.SET_UP)
def staff_mails_text(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """Mail the study's own words from now on, or Chiron's again; or only show a mail with what is written."""
    back = f"{reverse('staff_mails_preview', args=[study.slug, _kind(kind)])}?" + urlencode(
        {"language": _language(request), "as": _decision(request)}
    )
    template = _template(request, _kind(kind))
    if request.method != "POST" or not template:
        return redirect(back)
    is_default, language = "default" in request.POST, _language(request)
    try:
        if "preview" in request.POST:
            subject, body = request.POST.get("subject", "").strip(), request.POST.get("body", "").strip()
            mail_text_require(template, subject, body)
            request.session[WRITTEN] = [study.pk, template, language, subject, body]
            return redirect(f"{back}&written=yes")
        changed = mail_text_set(
            study=study, template=template, language=language,
            subject="" if is_default else request.POST.get("subject", ""),
            body="" if is_default else request.POST.get("body", ""),
            actor=signed_in(request), now=server_now(),
        )  # fmt: skip
    except Refused as refusal:
        return _preview(request, study, _kind(kind), str(refusal), 422)
    sentence = _("Chiron's text is mailed again.") if is_default else _("This text is mailed from now on.")
    messages.success(request, sentence if changed else _("Nothing was changed."))
    return redirect(back)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Can.SET_UP)
def staff_mails_sender(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Under which name mails come, and where answers to them go."""
    if request.method != "POST":
        return redirect("staff_mails", study.slug)
    try:
        mail_sender_set(
            study=study, name=request.POST.get("name", ""), reply_to=request.POST.get("reply_to", ""),
            actor=signed_in(request), now=server_now(),
        )  # fmt: skip
    except Refused as refusal:
        return _mails(request, study, str(refusal), 422)
    messages.success(request, _("Mails come from this sender from now on."))
    return redirect("staff_mails", study.slug)


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
    sentence = (
        _("%(kind)s: these mails are sent from now on.")
        if is_on
        else _("%(kind)s: these mails are no longer sent. What was queued before still goes out.")
    )
    messages.success(request, sentence % {"kind": MailKind(kind).label})
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
    sentence = _("You get the daily digest.") if is_wanted else _("You get no daily digest any more.")
    messages.success(request, sentence)
    return redirect("staff_mails", study.slug)


def _kind(text: str) -> MailKind:
    if text not in MailKind.values:
        raise Http404("no such kind of mail")
    return MailKind(text)


def _example(request: HttpRequest, study: Study, kind: MailKind) -> EmailMultiAlternatives:
    """A mail of this kind; with what is written and not saved, where that is asked for."""
    now, language, template = server_now(), _language(request), _template(request, kind)
    with transaction.atomic():
        if written := _written(request, study, template):
            subject, body = written
            MailText.objects.update_or_create(
                study=study, template=template, language=language, defaults={"subject": subject, "body": body}
            )
        message = mail_example(
            study=study, kind=kind, language=language, site_url=site_url_of(request), now=now,
            decision=_decision(request),
        )  # fmt: skip
        transaction.set_rollback(bool(written))  # it is only looked at
    return message


def _written(request: HttpRequest, study: Study, template: str) -> tuple[str, str] | None:
    """Subject and body that this person last had shown of this mail, where they are asked for.

    Beside what was sent and refused they would be an earlier text.
    """
    *about, subject, body = request.session.get(WRITTEN, ["", ""])
    is_wanted = (
        request.method != "POST"
        and "written" in request.GET
        and about == [study.pk, template, _language(request)]
    )
    return (subject, body) if is_wanted else None


def _decision(request: HttpRequest) -> Decision:
    return next((decision for decision in DECISIONS if decision == request.GET.get("as")), "approved")


def _template(request: HttpRequest, kind: MailKind) -> str:
    """Which text of `studies/mail/` it is; blank for the digest, which belongs to no study."""
    if kind == MailKind.DIGEST:
        return ""
    return _decision(request) if kind == MailKind.DECISION else kind.value


def _language(request: HttpRequest) -> str:
    wanted = request.GET.get("language", "") or (get_language() or "")
    return wanted if wanted in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
