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

# The parts at the top of the page, by the name the check gives them.
TILES: dict[str, Promise] = {
    "worker": _("Worker"),
    "beat": _("Scheduler"),
    "broker": _("Queue"),
    "clock": _("Clock"),
    "mails": _("Mails"),
    "free space": _("Free space"),
    "backup": _("Backup"),
}


@site_page(SiteCan.RUN_SITE)
@require_safe
def staff_health(request: HttpRequest) -> HttpResponse:
    """Every part with its state; the mail server is asked only where the address says so."""
    ask_mail = "mail" in request.GET
    findings = list(checkup(now=timezone.now(), ask_mail=ask_mail))
    by_part = {finding.part: finding for finding in findings}
    context = {
        "findings": findings,
        "bad": [finding for finding in findings if not finding.ok],
        "tiles": [(label, by_part[part]) for part, label in TILES.items() if part in by_part],
        "asked_mail": ask_mail,
        "checked_at": timezone.now(),
    }
    return render(request, "console/health.html", context)
