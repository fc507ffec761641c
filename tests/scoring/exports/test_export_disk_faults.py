"""An export that the disk does not take fails in one sentence, which names no path of the server."""

import errno
import tempfile
from collections.abc import Callable
from datetime import datetime

import pytest
from django.conf import settings
from django.utils import timezone

from jobs.models import Job, JobState
from jobs.services.starting import job_start
from jobs.services.working import jobs_work
from jobs.shown import job_shown
from scoring.export import folder as export_folder
from scoring.services import exports
from studies.models import Study, User

pytestmark = pytest.mark.django_db(transaction=True)


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", f"{settings.DATA_DIR}/exports/x/.draft-1/content")


@pytest.mark.parametrize(
    ("place", "name"),
    [(exports, "write_table"), (export_folder, "move_into_place"), (tempfile, "mkdtemp")],
)
def test_the_message_of_a_failed_export_names_no_path(
    make_study: Callable[..., Study], monkeypatch: pytest.MonkeyPatch, place: object, name: str, now: datetime
) -> None:
    study = make_study()
    lead = User.objects.create_superuser("lead@example.org")
    job = job_start(
        kind="export", study=study, actor=lead, now=timezone.now(), arguments={"contents": "internal"}
    )
    monkeypatch.setattr(place, name, full)
    jobs_work(clock=timezone.now)
    job = Job.objects.get(pk=job.pk)
    assert job.state == JobState.FAILED
    told = job_shown(job, now=timezone.now()).error
    assert told == (
        "The file could not be written: No space left on device. Nothing was kept. "
        "Free some space on the server."
    )
    assert not list((settings.DATA_DIR / "exports").rglob("*.zip"))
