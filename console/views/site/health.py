"""Whether the site is well: what `manage.py doctor` finds, on a page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from operations.services.checkup import checkup
from studies.roles import SiteCan
from studies.views.access import site_page

# What the page calls the parts, by the name the check gives them; the first seven are its tiles.
LABELS: dict[str, Promise] = {
    "worker": _("Worker"),
    "beat": _("Scheduler"),
    "broker": _("Queue"),
    "clock": _("Clock"),
    "mails": _("Mails"),
    "free space": _("Free space"),
    "backup": _("Backup"),
    "database": _("Database"),
    "migrations": _("Tables"),
    "belief in it": _("Belief in the clock"),
    "cache": _("Cache"),
    "mail": _("Mail server"),
    "storage": _("Storage"),
    "rights": _("Rights"),
    "static files": _("Static files"),
    "address": _("Address"),
    "judges' keys": _("Keys of judges"),
}
TILES = tuple(LABELS)[:7]


@site_page(SiteCan.RUN_SITE)
@require_safe
def staff_health(request: HttpRequest) -> HttpResponse:
    """Every part with its state; the mail server is asked only where the address says so."""
    ask_mail = "mail" in request.GET
    checked = list(checkup(now=timezone.now(), ask_mail=ask_mail, recount=False))
    findings = [(LABELS.get(finding.part, finding.part), finding) for finding in checked]
    by_part = {finding.part: finding for finding in checked}
    context = {
        "findings": findings,
        "bad": [(label, finding) for label, finding in findings if not finding.ok],
        "tiles": [(LABELS[part], by_part[part]) for part in TILES if part in by_part],
        "asked_mail": ask_mail,
        "checked_at": timezone.now(),
    }
    return render(request, "console/health.html", context)
