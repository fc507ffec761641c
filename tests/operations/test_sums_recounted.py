"""The doctor sees where what is kept of sessions is wrong, and `recount_sums` mends it."""

import io
import time
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from batches.models import Session
from batches.services import sums as services
from batches.services.sums import sessions_count
from operations.services.checkup import sums
from studies.models import Participant, Study

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="others are let write between two slices on SQLite")
def test_people_may_save_between_two_slices_that_are_counted(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study, pauses = make_study(), list[float]()
    for _ in range(2):
        work(make_person(study), {"p001": "It follows."})
    monkeypatch.setattr(services, "SESSIONS_AT_ONCE", 1)
    monkeypatch.setattr(time, "sleep", pauses.append)
    assert sessions_count(now=now + timedelta(days=1), at_most=2) == 2
    assert len(pauses) == 2


def test_a_wrong_sum_is_named_and_mended(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    sure_clock: None,
) -> None:
    later = timezone.now()
    answers = {"p001": "It follows.", "p002": ""}
    session = work(make_person(make_study()), answers, at=later - timedelta(days=1))
    assert session.ended_at is not None
    assert sessions_count(now=session.ended_at + timedelta(minutes=14), at_most=10) == 0, "too early"
    assert sessions_count(now=later, at_most=10) == 1
    session.refresh_from_db()
    assert sorted(session.answer_states) == ["n", "n", "s", "w"]
    (finding,) = sums(later)
    assert (finding.ok, finding.detail) == (
        True, "sessions recounted: 1 of 1; runs of judges, too",
    )  # fmt: skip
    Session.objects.update(answer_states="wwww")
    (finding,) = sums(later)
    person = session.participant
    assert not finding.ok
    assert finding.detail.endswith(f"; wrong: {person.study.slug} {person.code}")
    assert "recount_sums" in finding.remedy
    out = io.StringIO()
    call_command("recount_sums", stdout=out)
    assert f"wrong: {person.study.slug} {person.code}\n1 session and 0 runs counted.\n" in out.getvalue()
    session.refresh_from_db()
    assert sorted(session.answer_states) == ["n", "n", "s", "w"]
