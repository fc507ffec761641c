"""The judging page leads from step to step: what is next, whether results are current, and who failed."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batches.models import Session
from jobs.context import JobContext
from jobs.models import Job
from judging.coordinator import run_work_through
from judging.models import AnswerScore, CriterionScore, JudgingRun
from judging.selectors.progress import judging_progress
from judging.selectors.run_progress import calls_by_minute
from psychometrics.agreement.two_raters import kappa_of
from psychometrics.inference.measure import Block
from scoring.coordinator import Scoring
from scoring.jobs import results
from scoring.models import ResultSet
from screening.models import VerdictDecision
from screening.services.verdicts import verdict_record
from studies.models import Participant, Study, StudyEvent, User
from tests.support.measuring import only_blocks

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def measures_of_one_block() -> Iterator[None]:
    """Results are current once they are measured; in what does not matter here."""
    with only_blocks(Block.EXCLUSIONS):
        yield


@pytest.fixture(scope="module")
def kept_results(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    keep_flagged: Callable[[Study, datetime], None],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> ResultSet:
    """Results of three people, one of whom is flagged and was kept."""
    study = make_study(slug="pages", judge_kind="checks", top_size=1, replicates_per_profile=50)
    for answer in ("1", "2", "idk"):
        work(make_person(study), {f"p{n:03}": answer for n in range(1, 5)})
    tomorrow = now + timedelta(days=1)
    keep_flagged(study, tomorrow)
    return score_at(study, clock=lambda: tomorrow).judges[0].results


@pytest.fixture
def study(kept_results: ResultSet, db: None) -> Study:
    return Study.objects.get(slug="pages")


def board(client: Client, **asked: str) -> str:
    response = client.get(reverse("staff_judging", args=["pages"]), asked)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def primaries(content: str) -> int:
    return content.count('class="primary"') + content.count("button primary")


def test_an_empty_study_is_led_to_nothing_before_somebody_has_finished(
    staff: Client, make_study: Callable[..., Study]
) -> None:
    make_study(slug="empty", judge_kind="checks")
    shown = " ".join(staff.get(reverse("staff_judging", args=["empty"])).text.split())
    assert "nobody has finished yet" in shown
    assert primaries(shown) == 0


def test_after_a_verdict_results_are_older_and_recomputing_makes_them_current(
    staff: Client, study: Study, lead: User, now: datetime
) -> None:
    assert "Results are current" in board(staff)
    person = Participant.objects.get(verdicts__isnull=False)
    verdict_record(
        participant=person, decision=VerdictDecision.CONFIRM, reason="Idle.", actor=lead,
        now=now + timedelta(days=2), seen_verdict_id=person.verdicts.get().pk,
    )  # fmt: skip
    shown = board(staff)
    assert "Results are older than 1 verdict" in shown
    assert primaries(shown) == 1
    assert '<button class="primary" type="submit">Recompute</button>' in shown
    address = reverse("staff_results_recompute", args=["pages"])
    assert staff.post(address, {"judging": "1"})["Location"] == reverse("staff_judging", args=["pages"])
    job = Job.objects.get()
    assert (job.kind, job.actor) == ("results", lead)
    results(JobContext(study=study, actor=lead, clock=lambda: now + timedelta(days=3)))
    assert ResultSet.objects.latest("pk").flow["excluded"] == 1
    assert "Results are current" in board(staff)
    event = StudyEvent.objects.get(kind="results_recomputed")
    assert (event.actor, event.details["results"]) == (lead, 1)


def test_a_verdict_that_changes_no_number_is_no_reason_to_recompute_for_ever(
    staff: Client, study: Study, lead: User, now: datetime
) -> None:
    person = Participant.objects.get(verdicts__isnull=False)
    verdict_record(
        participant=person, decision=VerdictDecision.OVERTURN, reason="Still on task.", actor=lead,
        now=now + timedelta(days=2), seen_verdict_id=person.verdicts.get().pk,
    )  # fmt: skip
    assert "Results are older than 1 verdict" in board(staff)
    results(JobContext(study=study, actor=lead, clock=lambda: now + timedelta(days=3)))
    assert ResultSet.objects.count() == 1
    assert "Results are current" in board(staff)


def test_what_failed_is_asked_again_by_one_button(staff: Client, study: Study) -> None:
    run, row = JudgingRun.objects.get(), CriterionScore.objects.earliest("pk")
    CriterionScore.objects.filter(pk=row.pk).update(
        state="unscored", score=None, confidence=None, unscored_reason="reply_off_schema", origin="asked"
    )
    AnswerScore.objects.filter(answer=row.answer_id).update(score=None, unscored_reason="reply_off_schema")
    shown = board(staff)
    assert "Ask again what failed" in shown
    assert primaries(shown) == 1
    look = staff.get(
        reverse("staff_judging_verdicts", args=["pages", run.pk]), {"reason": "reply_off_schema"}
    ).text
    assert "1 of 1" in " ".join(look.split())
    retry = reverse("staff_judging_retry", args=["pages", run.pk])
    asked = staff.get(retry, {"reason": "reply_off_schema"})
    assert (asked.status_code, asked.context["calls"], str(asked.context["cost"])) == (200, 0, "0.0000")
    assert JudgingRun.objects.count() == 1
    staff.post(retry, {"reason": "reply_off_schema"})
    again = JudgingRun.objects.latest("pk")
    assert (again.planned, again.pk != run.pk) == (1, True)
    # A run goes on: it is not asked about twice.
    assert "The study" in staff.post(retry, {"reason": ""}, follow=True).text
    run_work_through(run=again, clock=timezone.now, progress=lambda done, total: None)
    assert AnswerScore.objects.get(answer=row.answer_id).score is not None
    assert "Nothing is left to ask again" in staff.post(retry, {"reason": "made up"}, follow=True).text


def test_a_verdict_at_random_is_shown_once_nobody_waits_for_a_verdict(
    staff: Client, study: Study, lead: User
) -> None:
    address = reverse("staff_judging_random", args=["pages"])
    part = staff.get(address, {"part": ""}).text
    assert "criterion 1 of 1" in " ".join(part.split())
    assert "@" not in part
    assert "any_of" not in part
    assert "<h1" not in part
    page = staff.get(address).text  # where "Another" leads without a script
    assert "criterion 1 of 1" in " ".join(page.split())
    assert "<h1" in page
    Participant.objects.get(verdicts__isnull=False).verdicts.all().delete()
    assert "Shown once everybody flagged is decided on" in staff.get(address, {"part": ""}).text
    assert staff.get(address).status_code == 403
    assert staff.get(reverse("staff_judging_verdicts", args=["pages", 10**6])).status_code == 404
    page = reverse("staff_judging_verdicts", args=["pages", JudgingRun.objects.get().pk])
    assert staff.get(page).status_code == 403


def test_the_page_takes_a_bounded_number_of_queries(
    staff: Client, study: Study, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    board(staff)
    with django_assert_max_num_queries(15):  # type: ignore[attr-defined]
        board(staff)


@pytest.mark.parametrize(
    ("first", "second", "kappa"),
    [
        ([1, 1, 0, 0], [1, 1, 0, 0], 1.0),
        ([1, 1, 0, 0], [1, 0, 0, 0], 0.5),
        ([1, 1], [1, 1], None),
        ([], [], None),
    ],
)
def test_kappa_of_two_raters(first: list[float], second: list[float], kappa: float | None) -> None:
    found = kappa_of(first, second)
    assert found != found if kappa is None else found == pytest.approx(kappa)  # NaN


def test_a_finished_run_is_an_hour_of_calls_at_most(study: Study) -> None:
    run = JudgingRun.objects.get()
    assert run.ended_at is not None
    assert calls_by_minute(judging_progress(run, timezone.now() + timedelta(days=1))) == [0] * (
        int((run.ended_at.replace(second=0) - run.started_at.replace(second=0)).total_seconds() // 60) + 1
    )
