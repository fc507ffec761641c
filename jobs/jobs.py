"""Lists that are too long for a request."""

import json
from io import BytesIO
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

from allauth.account.internal.flows.login import record_authentication
from allauth.core.context import request_context
from django.contrib.sessions.backends.db import SessionStore
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.urls import resolve
from django.utils import timezone, translation
from django.utils.translation import gettext as _, gettext_lazy

from formats.wording import gettext_noop
from jobs.context import JobContext, JobResult
from jobs.registry import job_kind
from jobs.services.lists import KIND, LIST, TAKEN, list_asked, list_folder
from studies.models import User
from studies.services.refusals import Refused
from studies.views.csv_files import ListFile

WRITING = gettext_noop("Writing the list")


class ListRefused(Refused):
    """Whoever asked may take the list no longer."""


@job_kind(KIND, label=gettext_lazy("List as a file"), can=None, once_per_study=False, all_or_nothing=True)
def list_write(job: JobContext, *, token: str) -> JobResult:
    """Ask the page for its list once more, in the language and zone of whoever asked, and keep the file."""
    asked, folder = list_asked(token), list_folder(token)
    (folder / TAKEN).unlink(missing_ok=True)
    file = ListFile(folder / LIST, said=lambda done, of: job.progress(done, of, WRITING))
    assert job.actor is not None  # noqa: S101  # for the type
    with translation.override(asked["language"]), timezone.override(ZoneInfo(asked["zone"])):
        request = _asked_again(asked["path"], job.actor)
        request.list_file = file  # type: ignore[attr-defined]
        request.resolver_match = page = resolve(request.path)
        with request_context(request):
            record_authentication(request, job.actor, method="mfa")
            page.func(request, *page.args, **page.kwargs)
        if not file.facts:
            raise ListRefused(_("Your part in the study has changed since. Ask for the list again."))
    (folder / TAKEN).write_text(json.dumps(file.facts))
    return JobResult(
        gettext_noop("The list is ready; rows: %(rows)d. It is kept for an hour."),
        {"rows": file.facts["number"]},
        url_name="staff_job_file",
        args=[str(job.number)],
        label=gettext_noop("Download the list"),
    )


def _asked_again(path: str, user: User) -> HttpRequest:
    """The same request. Its sender proved their second factor then, and does so again to take the file."""
    parts = urlsplit(path)
    request = WSGIRequest(
        {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": unquote(parts.path),
            "QUERY_STRING": parts.query,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "wsgi.input": BytesIO(),
        }
    )
    request.user, request.session = User.objects.get(pk=user.pk), SessionStore()
    return request
