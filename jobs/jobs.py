"""Lists that are too long for a request."""

import json
import os
from io import BytesIO
from urllib.parse import unquote, urlsplit
from uuid import uuid4
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
from jobs.services.lists import KIND, LIST, TAKEN, list_asked, list_folder, list_tidy
from studies.models import User
from studies.services.events import departures
from studies.services.refusals import Refused
from studies.views.csv_files import ListFile

WRITING = gettext_noop("Writing the list")


class ListRefused(Refused):
    """Whoever asked may take the list no longer, or somebody left the study while it was written."""


@job_kind(
    KIND, label=gettext_lazy("List as a file"), can=None, once_per_study=False, tidy=list_tidy,
    all_or_nothing=True,
)  # fmt: skip
def list_write(job: JobContext, *, token: str, **_arguments: str) -> JobResult:
    """Ask the page for its list once more, in the language and zone of whoever asked, and keep the file.

    It appears whole, and is written under a name of this start's own: a worker that was taken for dead may
    still write its own.
    """
    asked, folder, left = list_asked(token), list_folder(token), departures(job.study)
    written = folder / f"{uuid4().hex}.part"
    file = ListFile(written, said=lambda done, of: job.progress(done, of, WRITING))
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
        if left < departures(job.study):
            raise ListRefused(
                _("Somebody withdrew while the list was being written, so it was not kept. Ask for it again.")
            )
    os.replace(written, folder / LIST)
    written.write_text(json.dumps(file.facts))
    os.replace(written, folder / TAKEN)
    return JobResult(
        gettext_noop("The list is ready; rows: %(rows)d. It is kept for an hour."),
        {"rows": file.facts["number"], "departures": left},
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
