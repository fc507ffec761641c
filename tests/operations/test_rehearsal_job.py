"""A rehearsal by page: a simulated copy, people who go through the real pages, none of them twice."""

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session as SignIn
from django.db import OperationalError, connection
from django.test import Client

from batches.models import Revision, Session
from batches.rules.statuses import SessionStatus
from jobs.context import JobContext
from jobs.models import Job
from jobs.registry import kinds
from jobs.services.claims import job_claim
from jobs.services.working import job_run, jobs_work
from operations.jobs import copy_to_rehearse, demo_to_rehearse
from operations.services import rehearsals
from operations.services.rehearsals import Rehearsed, StudyIsReal, rehearsal_run
from scoring.models import ResultSet
from studies.models import Prompt, Study, StudyStatus, User
from studies.services.clock import server_now
from studies.services.people.participants import participant_add
from studies.services.studies import NameInvalid

# Requests begin with connections of their own, which none of a test's transaction survives.
pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/staff/studies/{}/rehearsal/"


class WorkerKilled(BaseException):
    """What no code of the job sees coming."""


def job_run_alone() -> Job:
    """Run the job that waits, and not the one that it asks for."""
    claim = job_claim(kinds=kinds(), now=server_now())
    assert claim
    job_run(claim, kinds()[claim.job.kind], clock=server_now)
    claim.job.refresh_from_db()
    return claim.job


def rehearse(
    study: Study, people: int, step: Callable[[float, float], None] = lambda _done, _of: None
) -> Rehearsed:
    return rehearsal_run(study=study, people=people, off_task=False, actor=None, clock=server_now, step=step)


def test_a_draft_is_rehearsed_in_a_marked_copy_up_to_its_results(
    staff: Client, make_study: Callable[..., Study]
) -> None:
    study = make_study(slug="spring", judge_kind="llm")
    before = Study.objects.filter(pk=study.pk).values().get()
    for _press in range(2):
        asked = staff.post(PAGE.format("spring"), {"people": "3", "off_task": "on"})
        assert asked["Location"] == PAGE.format("spring")
    asked_for = Job.objects.get()
    assert f'data-job="/staff/jobs/{asked_for.pk}/state/"' in staff.get(asked["Location"]).text
    assert job_run_alone() == asked_for
    copy = Study.objects.get(slug="spring-rehearsal")
    assert (copy.is_simulated, copy.status, copy.name) == (
        True,
        StudyStatus.FROZEN,
        "The study spring (rehearsal)",
    )
    assert copy.protocol.judge_kind == "checks"
    assert Study.objects.filter(pk=study.pk).values().get() == before

    state = staff.get(f"/staff/jobs/{asked_for.pk}/state/").json()
    assert (state["leads"], state["link"]) == (True, PAGE.format("spring-rehearsal"))
    assert "The study spring (rehearsal) is made" in state["sentence"]

    assert jobs_work(clock=server_now) == 1
    job = copy.jobs.get()
    assert (job.state, job.error) == ("done", "")
    sessions = Session.objects.filter(participant__study=copy)
    assert {one.status for one in sessions} == {SessionStatus.SUBMITTED}
    assert job.result["facts"]["through"] == len(sessions) > 0
    assert ResultSet.objects.filter(run__study=copy).exists()
    assert not SignIn.objects.exclude(pk=staff.session.session_key).exists()
    assert "This is a rehearsal" in staff.get(state["link"]).text


def test_a_copy_whose_worker_was_killed_after_making_it_is_made_once(
    staff: Client, make_study: Callable[..., Study]
) -> None:
    study = make_study(slug="spring")
    staff.post(PAGE.format("spring"), {"people": "3"})
    job = Job.objects.get()
    context = JobContext(study=study, actor=job.actor, clock=server_now)
    first, second = (copy_to_rehearse(context, **job.arguments) for _start in range(2))
    assert first == second
    assert list(Study.objects.values_list("slug", flat=True)) == ["spring", "spring-rehearsal"]
    assert Job.objects.filter(kind="rehearsal").count() == 1


def test_what_keeps_a_study_from_being_rehearsed_is_told_at_once_or_by_its_job(
    staff: Client, make_study: Callable[..., Study]
) -> None:
    study = make_study(slug="spring", prompts=4, batch_size=4)
    whole = study.protocol.model_copy(update={"assembly": "matrix"}).model_dump(mode="json")
    Study.objects.update(settings=whole)
    staff.cookies["django_language"] = "de"
    staff.post(PAGE.format("spring"), {"people": "3"})
    jobs_work(clock=server_now)
    assert "Ein Satz von 4 enthält" in staff.get(PAGE.format("spring")).text
    Study.objects.update(settings=whole | {"judge_kind": "checks"})
    Prompt.objects.update(gold_answer=None)
    refused = staff.post(PAGE.format("spring"), {"people": "3"})
    assert refused.status_code == 422
    assert "machine check on every criterion" in refused.text
    assert (Study.objects.count(), Job.objects.count()) == (1, 1)


def test_who_was_interrupted_goes_on_and_nobody_answers_twice(make_study: Callable[..., Study]) -> None:
    study = make_study(slug="trial", prompts=6, batch_size=3)
    Study.objects.update(is_simulated=True)
    study.refresh_from_db()
    steps = 0

    def killed(_done: float, _of: float) -> None:
        nonlocal steps
        steps += 1
        if steps == 4:  # two places of the first person are answered
            raise WorkerKilled

    with pytest.raises(WorkerKilled):
        rehearse(study, 2, killed)
    assert Session.objects.get().status == SessionStatus.ACTIVE
    done = rehearse(study, 2)
    assert (done.people, done.through) == (2, 2)
    assert rehearse(study, 2) == Rehearsed(2, 2, 0)
    assert [one.status for one in Session.objects.all()] == [SessionStatus.SUBMITTED] * 2
    assert set(Revision.objects.values_list("number", flat=True)) == {1}


def test_nobody_of_a_real_study_is_signed_in_for(make_study: Callable[..., Study]) -> None:
    simulated, real = make_study(slug="trial", batch_size=3), make_study(slug="real")
    Study.objects.filter(pk=simulated.pk).update(is_simulated=True)
    simulated.refresh_from_db()
    participant_add(study=real, email="trial-001@example.org", profile="stem-phd", now=server_now())
    assert rehearse(simulated, 2).through == 1
    assert Session.objects.get().participant.user.email == "trial-002@example.org"


def test_somebody_else_in_the_study_keeps_no_simulated_person_out(make_study: Callable[..., Study]) -> None:
    study = make_study(slug="trial", prompts=6, batch_size=3)
    participant_add(study=study, email="guest@example.org", profile="stem-phd", now=server_now())
    Study.objects.update(is_simulated=True)
    study.refresh_from_db()
    assert rehearse(study, 2).through == 2


def test_after_half_an_hour_nobody_further_begins(
    make_study: Callable[..., Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_study(slug="trial", batch_size=3)
    Study.objects.update(is_simulated=True)
    study.refresh_from_db()
    monkeypatch.setattr(rehearsals, "AT_MOST", -rehearsals.AT_MOST)
    assert rehearse(study, 2) == Rehearsed(2, 0, 0)


def test_a_study_of_real_people_takes_no_simulated_ones(
    make_study: Callable[..., Study], staff: Client
) -> None:
    study = make_study(slug="real")
    with pytest.raises(StudyIsReal):
        rehearse(study, 2)
    page = staff.post(PAGE.format("real"), {"people": "0"})
    assert page.status_code == 422
    assert "Write a whole number from 1 to 250." in page.content.decode()
    assert Study.objects.count() == 1


def test_the_demo_study_is_made_once_by_one_click(staff: Client) -> None:
    presses = [staff.post("/staff/demo-study/")["Location"] for _press in range(2)]
    made = job_run_alone()
    assert presses == [f"/staff/jobs/{made.pk}/"] * 2
    assert staff.get(f"{presses[0]}state/").json()["link"] == PAGE.format("demo")
    assert staff.post("/staff/demo-study/")["Location"] == PAGE.format("demo")
    study = Study.objects.get()
    assert (study.is_simulated, study.status, study.name) == (True, StudyStatus.FROZEN, "Demo study")
    assert study.jobs.get().arguments == {"people": 24, "off_task": True}


def test_two_who_ask_for_the_demo_before_either_job_ran_get_a_study_each(staff: Client, lead: User) -> None:
    other = User.objects.create_user("other@example.org", is_staff=True, is_superuser=True)
    client = Client()
    client.force_login(other)
    for one in (staff, client):
        one.post("/staff/demo-study/")
    wanted = list(Job.objects.filter(kind="demo_study").order_by("created_at"))
    assert [job.arguments["slug"] for job in wanted] == ["demo", "demo"]
    jobs = [job_run_alone(), job_run_alone()]
    assert [job.result["args"] for job in jobs] == [["demo"], ["demo-2"]]
    asked_for = {(job.study and job.study.slug, job.actor) for job in Job.objects.filter(kind="rehearsal")}
    assert asked_for == {("demo", lead), ("demo-2", other)}
    for job in jobs:  # begun again
        context = JobContext(study=None, actor=job.actor, clock=server_now)
        assert demo_to_rehearse(context, **job.arguments).args == job.result["args"]
    assert Study.objects.count() == 2


def test_a_refusal_is_told_in_the_language_of_whoever_asked(
    staff: Client, make_study: Callable[..., Study]
) -> None:
    study = make_study(slug="spring")
    staff.cookies["django_language"] = "de"
    staff.post(PAGE.format("spring"), {"people": "3"})
    job = Job.objects.get()
    with pytest.raises(NameInvalid, match="Der Name ist länger"):
        copy_to_rehearse(
            JobContext(study=study, actor=job.actor, clock=server_now), **{**job.arguments, "name": "x" * 999}
        )


@pytest.mark.parametrize("table", ["scoring_modelscore", "jobs_job"])
def test_of_a_demo_study_that_breaks_off_nothing_is_left(staff: Client, table: str) -> None:
    def full(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.startswith(f'INSERT INTO "{table}"'):
            raise OperationalError("no room on the disk")
        return execute(sql, *rest)

    place = staff.post("/staff/demo-study/")["Location"]
    before = {model: model._base_manager.count() for model in apps.get_models()}
    with connection.execute_wrapper(full):
        assert job_run_alone().state == "failed"
    assert before == {model: model._base_manager.count() for model in apps.get_models()}
    assert "Nothing was stored." not in staff.get(place).text
    assert staff.post("/staff/demo-study/")["Location"] != place
    assert job_run_alone().state == "done"
    assert Job.objects.get(kind="rehearsal").study == Study.objects.get()
