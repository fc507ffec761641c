"""Results judged before an amendment say so until the answers are judged again, whatever else is pressed."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Session
from jobs.models import Job
from jobs.services.starting import job_start
from jobs.services.working import jobs_work
from psychometrics.inference.measure import Block
from scoring.coordinator import Scoring, results_recompute
from scoring.models import Measurement, ResultSet
from scoring.selectors.runs import changes_since, measures_are_coming
from studies.models import Participant, Study
from studies.services.amendments import study_amend
from tests.support.measuring import only_blocks
from tests.support.read_pages import read

pytestmark = pytest.mark.django_db
CHANGES = ["1 session that ended or was withdrawn", "an amended protocol"]


@pytest.fixture(scope="module", autouse=True)
def measures_of_one_block() -> Iterator[None]:
    with only_blocks(Block.EXCLUSIONS):
        yield


@pytest.fixture
def study(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Study:
    study = make_study(slug="pilot", judge_kind="checks", top_size=1, replicates_per_profile=9)
    work(make_person(study), {"p001": "1", "p002": "2"})
    score_at(study, clock=lambda: now + timedelta(days=1))
    return study


@pytest.fixture
def later(now: datetime) -> datetime:
    return now + timedelta(days=2)


@pytest.fixture
def amended(
    study: Study, later: datetime, make_person: Callable[..., Participant], work: Callable[..., Session]
) -> Study:
    """Amended after it was judged, and then somebody more finished."""
    study_amend(study=study, changes={"top_size": 2}, reason="More came.", now=later)
    work(make_person(study), {"p001": "1", "p002": "1"}, at=later)
    return study


def page(staff: Client, name: str) -> str:
    return read(staff.get(reverse(name, args=["pilot"])).content.decode())


def made(kind: str, study: Study, now: datetime, **arguments: str) -> Job:
    job = job_start(kind=kind, study=study, actor=None, now=now, arguments=arguments)
    assert jobs_work(clock=lambda: now) == 1
    job.refresh_from_db()
    assert job.state == "done", job.error
    return job


def test_computing_again_hides_no_change_and_the_way_on_is_judging(
    amended: Study, later: datetime, staff: Client
) -> None:
    assert changes_since(ResultSet.objects.get()) == CHANGES
    job = made("results", amended, later + timedelta(hours=1))
    assert "judged before the protocol was amended" in str(job.result)
    assert changes_since(ResultSet.objects.get()) == CHANGES
    shown = page(staff, "staff_results")
    assert "Judge again" in shown
    assert "press Judge again" in shown
    assert "Recompute" not in shown


def test_an_export_and_a_report_of_such_results_say_so(
    amended: Study, later: datetime, staff: Client
) -> None:
    assert "before the protocol was amended" in str(made("export", amended, later, contents="public").result)
    said = f"Since the results were computed: {', '.join(CHANGES)}."
    assert said in page(staff, "staff_report")
    report = staff.get(reverse("staff_report_file", args=["pilot", "html"])).content.decode()
    assert read(report).count(said) == 1
    assert read(report).partition(said)[0].endswith("There is no number that may be told ")  # its title


def test_a_report_is_of_results_brought_up_to_date(
    study: Study, later: datetime, make_person: Callable[..., Participant], work: Callable[..., Session]
) -> None:
    work(make_person(study), {"p001": "1", "p002": "1"}, at=later)
    assert changes_since(ResultSet.objects.latest("pk")) == CHANGES[:1]
    made("report", study, later + timedelta(hours=1), language="en")
    assert changes_since(ResultSet.objects.latest("pk")) == []


def test_results_without_their_measures_are_being_computed(
    study: Study, later: datetime, staff: Client
) -> None:
    assert "Current" in page(staff, "staff_results")
    Measurement.objects.all().delete()
    shown = page(staff, "staff_results")
    assert "Being computed" in shown
    assert "Recompute" not in shown
    assert "Results are not all computed" in page(staff, "staff_judging")
    results = ResultSet.objects.get()
    assert measures_are_coming(results, results.computed_at + timedelta(seconds=9))
    assert not measures_are_coming(results, results.computed_at + timedelta(hours=1))
    results_recompute(study=study, actor=None, clock=lambda: later)
    assert "Current" in page(staff, "staff_results")
