"""In an archived study nothing begins: no page, command or worker works on it until it is brought back."""

from collections.abc import Callable
from datetime import datetime
from io import StringIO

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from batches.models import Session
from batches.services.ending import session_withdraw
from jobs.models import Job
from jobs.services.starting import job_start
from judging.services.running.judge_specs import study_judge_specs
from judging.services.running.runs import run_plan, run_start
from operations.services.archiving import NotArchived, study_archive
from scoring.coordinator import Scoring, results_measure
from scoring.models import ResultSet
from studies.models import MailKind, Participant, Study, User
from studies.services.clock import server_now
from studies.services.mails.mails import mails_send
from studies.services.mails.study_mails import participant_mail_queue
from studies.services.mails.texts import mail_of
from studies.services.studies import StudyArchived, study_close

pytestmark = pytest.mark.django_db(transaction=True)
COMMANDS = (
    ("screen_study",), ("score_study",), ("recompute",), ("export_study", "elsewhere"),
    ("report_study", "--out", "x"),
    ("measure_study",), ("take_models",), ("build_batches",), ("rehearse",),
    ("vet_participants", "approve", "--waiting"), ("update_study", "--protocol", "{}"),
)  # fmt: skip


@pytest.fixture
def closed(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    now: datetime,
) -> Study:
    """A study that is over, judged and not measured yet, with a mail that nobody has sent."""
    study = make_study(slug="pilot", judge_kind="checks", top_size=1)
    person = make_person(study)
    work(person, {"p001": "1"})
    score(study, measures=False)
    study_close(study=study, now=now)
    message = mail_of("digest", {"waits": [], "page": ""}, to=person.user.email, language="en", button=None)
    participant_mail_queue(person, message, server_now(), kind=MailKind.RECEIPT)
    mail.outbox.clear()
    return Study.objects.get(slug="pilot")


def archive(study: Study, lead: User, *, on: bool = True) -> Study:
    assert study_archive(study=study, archive=on, now=server_now(), actor=lead)
    study.refresh_from_db()
    return study


def test_no_command_or_worker_works_on_it_and_what_waited_goes_on_once_it_is_back(
    closed: Study, lead: User, staff: Client
) -> None:
    archive(closed, lead)
    assert "This study is archived" in staff.get("/staff/studies/pilot/").text
    for name, *more in COMMANDS:
        with pytest.raises(CommandError, match="The study is archived, so nothing in it changes"):
            call_command(name, "pilot", *more, stdout=StringIO(), stderr=StringIO())
    as_read_before = Study.objects.get()
    as_read_before.archived_at = None
    for study in (closed, as_read_before):
        with pytest.raises(StudyArchived):
            job_start(kind="export", study=study, actor=lead, now=server_now())
    plan = run_plan(
        study=closed, specs=study_judge_specs(study=closed, configs=()), now=server_now(),
        progress=lambda _done, _of: None,
    )  # fmt: skip
    with pytest.raises(StudyArchived):
        run_start(plan=plan, budget=None, actor=lead, now=server_now())
    results_measure(clock=server_now)
    assert (mails_send(clock=server_now), mail.outbox) == (0, [])
    assert not ResultSet.objects.exclude(measurement=None).exists()
    assert not Job.objects.exists()

    archive(closed, lead, on=False)
    results_measure(clock=server_now)
    assert ResultSet.objects.exclude(measurement=None).exists()
    assert mails_send(clock=server_now) == 1


def test_who_was_withdrawn_is_told_of_it_in_an_archived_study_too(closed: Study, lead: User) -> None:
    person = Participant.objects.get()
    session_withdraw(participant=person, now=server_now(), actor=lead, site_url="https://chiron.example")
    archive(closed, lead)
    assert mails_send(clock=server_now) == 1
    assert mail.outbox[0].to == [person.user.email]


def test_what_runs_is_ended_first(closed: Study, lead: User, staff: Client) -> None:
    job_start(kind="export", study=closed, actor=lead, now=server_now())
    with pytest.raises(NotArchived, match="Something runs in this study"):
        study_archive(study=closed, archive=True, now=server_now(), actor=lead)
    said = staff.post("/staff/studies/pilot/archive/", {"archive": "on"}, follow=True)
    assert "Wait until it has ended, or cancel it." in said.text
