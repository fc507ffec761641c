"""Uploads of the site: a worker reads and stores them, and the page of its job says what became of them."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from console.forms.uploads import UploadForm
from console.services.staging import upload_stage
from jobs.selectors import job_by_id, open_jobs
from jobs.services.starting import job_start
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.services.slugs import require_slug
from studies.views.access import signed_in


def uploaded(request: HttpRequest, kind: str, form: UploadForm, *, slug_of: str = "") -> HttpResponse | None:
    """Keep the file of a form that was sent, and leave it with what was chosen beside it to a job of this
    kind. None where the form is to be shown, with a refusal in it; `slug_of` is what its short name is for.
    """
    if request.method != "POST" or not form.is_valid():
        return None
    values = form.cleaned_data
    try:
        if slug_of:
            require_slug(values["slug"], of=slug_of)
        token = upload_stage(name=values["file"].name, content=values["file"].read())
        # Of a row its key.
        chosen = {name: getattr(value, "pk", value) for name, value in values.items() if name != "file"}
        return left_to_a_job(request, kind, {**chosen, "token": token})
    except Refused as refusal:
        form.refuse(refusal)
        return None


def left_to_a_job(request: HttpRequest, kind: str, arguments: dict[str, Any]) -> HttpResponse:
    """Start it, unless the same work on the same upload waits or runs: a button may be pressed twice."""
    job = open_jobs(None).filter(kind=kind, arguments__token=arguments["token"]).first()
    if job is None:
        actor, now = signed_in(request), server_now()
        job = job_start(kind=kind, study=None, actor=actor, now=now, arguments=arguments)
    return redirect("staff_job", job.pk)


def chosen_before(request: HttpRequest) -> dict[str, Any]:
    """What somebody chose beside a file that their job `again` refused: it need not be filled in anew."""
    try:
        job = job_by_id(UUID(request.GET.get("again", "")))
    except ValueError:
        return {}
    return dict(job.arguments) if job and job.study is None and job.actor == request.user else {}
