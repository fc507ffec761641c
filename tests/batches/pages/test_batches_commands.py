"""manage.py build_batches and sweep_sessions, and looking at sessions in the admin."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from batches.models import Batch, Session
from batches.services.starting import session_start
from studies.models import Participant, Study

pytestmark = pytest.mark.django_db


def output_of(command: str, *arguments: str) -> str:
    out = StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue()


def test_build_batches_reports_the_coverage(make_study: Callable[..., Study]) -> None:
    study = make_study(prompts=10, slug="pilot")
    lines = output_of("build_batches", "pilot").splitlines()
    assert lines[0] == "3 batches (2 of 4 and 1 of 2), 10 prompts."
    assert Batch.objects.filter(plan__study=study).count() == 3


def test_build_batches_names_a_study_that_does_not_exist() -> None:
    with pytest.raises(CommandError, match=r'There is no study "nowhere"\.'):
        call_command("build_batches", "nowhere")


def test_build_batches_refuses_while_people_work(
    make_study: Callable[..., Study], make_person: Callable[..., Participant]
) -> None:
    session_start(participant=make_person(make_study(slug="pilot")), now=timezone.now())
    with pytest.raises(CommandError, match="1 person has started"):
        call_command("build_batches", "pilot")
    assert Session.objects.count() == 1


@pytest.mark.usefixtures("sure_clock")
def test_sweep_sessions_ends_what_is_overdue(
    make_study: Callable[..., Study], make_person: Callable[..., Participant]
) -> None:
    study = make_study()
    session_start(participant=make_person(study), now=timezone.now() - timedelta(hours=6))
    session_start(participant=make_person(study), now=timezone.now())
    assert output_of("sweep_sessions") == "1 session ended.\n"
    assert output_of("sweep_sessions") == "0 sessions ended.\n"
    assert sorted(Session.objects.values_list("status", flat=True)) == ["active", "expired"]


def test_staff_looking_at_an_overdue_session_changes_nothing(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], admin_client: Client
) -> None:
    start = timezone.now() - timedelta(hours=6)
    session = session_start(participant=make_person(make_study()), now=start)
    for address in ("session/", f"session/{session.pk}/change/", "answer/", "batchplan/", "batch/"):
        reply = admin_client.get(f"/admin/batches/{address}")
        assert reply.status_code == 200
        assert 'name="_save"' not in reply.content.decode()
    assert admin_client.post(f"/admin/batches/session/{session.pk}/delete/").status_code == 403
    session.refresh_from_db()
    assert (session.status, session.ended_at) == ("active", None)
