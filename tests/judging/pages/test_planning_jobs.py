"""The plan of a large study is a job: estimated, looked at, started; cancelled, and begun again."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from jobs.context import JobCancelled, JobContext
from jobs.models import Job, JobState
from jobs.services.starting import job_start
from jobs.services.working import jobs_work
from judging.jobs import PLAN, judging_plan
from judging.models import CriterionScore, JudgeConfig, JudgingRun, RunState
from judging.services.running.plan_file import PlanFile
from judging.services.running.runs import DRAFT_FOR
from reporting.views import judging as judging_views
from studies.models import Study, User
from tests.judging.pages.judging_pages import ROWS, page, plan, seen, words

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging_views, "PEOPLE_AT_ONCE", 1)


def estimated(client: Client, judge: JudgeConfig, **more: str) -> str:
    """The page after the job that estimates."""
    response = client.post(page(), {**plan(judge, **more), "action": "estimate"})
    assert response["Location"] == page()
    jobs_work(clock=timezone.now)
    return client.get(page()).content.decode()


def test_a_large_study_is_estimated_and_started_by_jobs(
    staff: Client, study: Study, judge: JudgeConfig, lead: User
) -> None:
    content = estimated(staff, judge, budget="2")
    assert "Together about" in words(content)
    assert not JudgingRun.objects.exists()
    staff.post(page(), {**plan(judge, budget="2"), "action": "start", "seen": seen(content)})
    staff.post(page(), {**plan(judge, budget="2"), "action": "start", "seen": seen(content)})  # pressed twice
    assert "Plan of judging" in staff.get(page()).content.decode()
    jobs_work(clock=timezone.now)
    run = JudgingRun.objects.get()
    assert (run.planned, run.rows.count(), run.started_by, str(run.budget)) == (ROWS, ROWS, lead, "2.0000")
    estimate, start = Job.objects.order_by("created_at")
    assert (estimate.state, start.state) == (JobState.DONE, JobState.DONE)
    assert page(number=run.pk) in staff.get(f"/staff/jobs/{start.pk}/").content.decode()


def test_a_plan_that_is_another_than_the_estimate_is_not_started(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    staff.post(page(), {**plan(judge), "action": "start", "seen": "0" * 64})
    jobs_work(clock=timezone.now)
    assert "The plan is another one since the estimate." in staff.get(page()).content.decode()
    assert not JudgingRun.everything.exists()


def test_a_start_that_is_called_off_leaves_nothing(study: Study, judge: JudgeConfig, lead: User) -> None:
    first = JobContext(study=study, actor=lead, clock=timezone.now)
    wanted = {"judges": [judge.slug], "replicates": 2, "budget": None}
    sha256 = judging_plan(first, **wanted, seen="").facts["sha256"]
    assert first.said.done == first.said.total

    class CalledOff(JobContext):
        def progress(self, done: int, total: int, phase: str = "") -> None:
            if phase == "Storing the plan":
                raise JobCancelled
            super().progress(done, total, phase)

    with pytest.raises(JobCancelled):
        judging_plan(CalledOff(study=study, actor=lead, clock=timezone.now), **wanted, seen=sha256)
    assert (JudgingRun.everything.count(), CriterionScore.objects.count()) == (0, 0)


def test_a_start_whose_worker_was_killed_is_begun_again(study: Study, judge: JudgeConfig, lead: User) -> None:
    begun = timezone.now()
    left = JudgingRun.everything.create(
        study=study, state=RunState.RUNNING, planned=9, estimate=[], plan_sha256="", started_at=begun,
        resumed_at=begun,
    )  # fmt: skip
    looks: list[int] = []

    def clock() -> object:
        looks.append(1)
        return begun + (len(looks) > 3) * (DRAFT_FOR + timedelta(seconds=1))

    wanted = {"judges": [judge.slug], "replicates": 1, "budget": None}
    sha256 = judging_plan(JobContext(study=study, actor=lead, clock=timezone.now), **wanted, seen="").facts[
        "sha256"
    ]
    judging_plan(JobContext(study=study, actor=lead, clock=clock), **wanted, seen=sha256)  # type: ignore[arg-type]
    run = JudgingRun.objects.get()
    assert run.pk != left.pk
    assert run.rows.count() == CriterionScore.objects.count() == ROWS


def test_a_job_that_was_killed_after_its_run_had_started_leads_to_that_run(
    study: Study, judge: JudgeConfig, lead: User
) -> None:
    wanted = {"judges": [judge.slug], "replicates": 1, "budget": None}
    estimate = judging_plan(JobContext(study=study, actor=lead, clock=timezone.now), **wanted, seen="")
    for _press in range(2):
        arguments = {**wanted, "seen": estimate.facts["sha256"]}
        row = job_start(kind=PLAN, study=study, actor=lead, arguments=arguments, now=timezone.now())
        job = JobContext(study=study, actor=lead, clock=timezone.now, number=row.pk)
        first, again = (judging_plan(job, **arguments) for _start in range(2))
        assert first == again
        # Another job of the same plan starts a run of its own.
        JudgingRun.objects.update(state=RunState.CANCELLED, ended_at=timezone.now())
        Job.objects.update(state=JobState.DONE, finished_at=timezone.now())
    assert JudgingRun.everything.count() == 2


def test_the_page_opens_where_a_judge_of_the_estimate_is_gone(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    assert "Together about" in words(estimated(staff, judge))
    JudgeConfig.objects.filter(pk=judge.pk).update(slug="renamed")
    reply = staff.get(page())
    assert reply.status_code == 200
    assert "Choose among the judges of this site." not in reply.text
    assert "renamed" in reply.text


def test_what_is_known_of_a_plan_is_stored_in_one_transaction() -> None:
    file = PlanFile()
    file.merge()
    assert file._file.in_transaction
