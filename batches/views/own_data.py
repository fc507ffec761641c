"""A person's own data, to take away."""

import tempfile

from django.http import FileResponse, HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from batches.selectors.deletion import withdrawal_of
from batches.services.clock import server_now
from batches.services.own_data import own_data_write
from studies.models import Participant
from studies.views.access import for_participant

IN_MEMORY = 1024 * 1024


@require_http_methods(["GET", "HEAD", "POST"])
@for_participant
def study_data(request: HttpRequest, participant: Participant) -> HttpResponseBase:
    """GET says what there is; POST downloads it, and is recorded."""
    if request.method != "POST":
        context = {
            "study": participant.study,
            "participant": participant,
            "withdrawal": withdrawal_of(participant),
        }
        return render(request, "batches/own_data.html", context)
    # The response closes it, and with that it is gone.
    file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
    own_data_write(participant=participant, file=file, now=server_now())
    file.seek(0)
    name = f"{participant.study.slug}-{participant.code}.zip"
    response = FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")
    response["Cache-Control"] = "private, no-store"
    return response
