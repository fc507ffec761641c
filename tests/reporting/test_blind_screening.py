"""While a verdict of the screening is open, nobody who may give it sees scores, or who is Top."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

import judging.urls
import reporting.urls
import screening.urls
from batches.models import Session
from jobs.services.working import jobs_work
from judging.models import JudgingRun
from judging.services.audits import audit_draw
from psychometrics.inference.measure import Block
from scoring.coordinator import Scoring
from scoring.models import ResultSet
from studies.models import Participant, Study, User

pytestmark = pytest.mark.django_db
# Every address of a study in a room that may know scores is one or the other; put a new one somewhere.
HIDDEN = {
    "staff_agreement", "staff_agreement_figure", "staff_measurement", "staff_measurement_figure",
    "staff_measurement_table", "staff_report", "staff_report_file", "staff_results", "staff_results_figure",
    "staff_results_table", "staff_judging_verdicts", "staff_judging_random",
}  # fmt: skip
TELLS_NO_SCORES = {
    "staff_screening", "staff_screening_filter",
    "staff_screening_ledger", "staff_screening_ledger_csv", "staff_verdict", "staff_judging",
    "staff_judging_retry", "staff_audits",
    "staff_audit_rate", "staff_judging_run",
    "staff_judging_live", "staff_judging_pause", "staff_judging_resume", "staff_judging_cancel",
    "staff_audit", "staff_audit_sample", "staff_audit_sheet", "staff_checklist", "staff_results_recompute",
}  # fmt: skip
RECORDS = ("judging/answerscore", "scoring/resultset", "scoring/measurerow")


@pytest.fixture(scope="module")
def kept_results(
    kept: None,
    study_of_pages: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> ResultSet:
    """One of two people is flagged: next to nothing was answered."""
    study = study_of_pages()
    work(make_person(study), {"p1": "41", "p2": "42", "p3": "43", "p4": "44"})
    work(make_person(study), {"p1": "idk"})
    return score_at(study, clock=lambda: now).judges[0].results


@pytest.fixture
def scored(kept_results: ResultSet, db: None) -> ResultSet:
    return ResultSet.objects.get(pk=kept_results.pk)


@pytest.fixture
def root(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root@example.org"))
    return client


def addresses(results: ResultSet) -> dict[str, str]:
    facts: dict[str, dict[str, object]] = {
        "staff_agreement_figure": {"agreement_id": 1, "figure": "differences", "extension": "svg"},
        "staff_measurement": {"block": Block.JUDGE.value},
        "staff_measurement_figure": {
            "results_id": results.pk, "block": Block.COHORT.value, "figure": "thetas", "extension": "svg",
        },
        "staff_report_file": {"extension": "html"},
        "staff_results_figure": {"results_id": results.pk, "extension": "svg"},
        "staff_results_table": {"results_id": results.pk},
        "staff_measurement_table": {
            "results_id": results.pk, "block": Block.COHORT.value, "number": 1,
        },
        "staff_judging_verdicts": {"number": results.run.criteria.earliest("pk").judging_run_id},
    }  # fmt: skip
    return {name: reverse(name, kwargs={"slug": "pages", **facts.get(name, {})}) for name in HIDDEN}


def test_every_page_of_a_study_is_known_to_tell_scores_or_not() -> None:
    patterns = [*screening.urls.urlpatterns, *judging.urls.urlpatterns, *reporting.urls.urlpatterns]
    of_studies = {one.name for one in patterns if str(one.pattern).startswith(reporting.urls.STUDY)}
    assert of_studies == HIDDEN | TELLS_NO_SCORES


def test_results_are_hidden_until_everybody_is_decided_on(
    root: Client, scored: ResultSet, keep_flagged: Callable[[Study, datetime], None], now: datetime
) -> None:
    for address in addresses(scored).values():
        answer = root.get(address)
        assert answer.status_code == 403, address
        assert "1 person waits for a verdict of the screening." in answer.text
        assert reverse("staff_screening", args=["pages"]) in answer.text
    keep_flagged(scored.run.study, now)
    for address in addresses(scored).values():
        assert root.get(address).status_code in {200, 404}, address


def test_an_audit_says_what_judges_said_once_nobody_is_decided_on_any_more(
    root: Client, scored: ResultSet, keep_flagged: Callable[[Study, datetime], None], now: datetime
) -> None:
    run = JudgingRun.objects.earliest("pk")
    sample = audit_draw(run=run, size=4, seed=1, public_only=False, actor=None, now=now)
    address = reverse("staff_audit_sample", args=["pages", run.pk, sample.pk])
    page = root.get(address).text
    assert "whoever screens sees none" in page
    assert 'id="judge-1"' not in page
    assert 'id="strata"' not in page
    keep_flagged(scored.run.study, now)
    assert "How far judges and people agree is being computed." in root.get(address).text
    jobs_work(clock=timezone.now)
    page = root.get(address).text
    assert 'id="judge-1"' in page
    assert "whoever screens sees none" not in page


def test_the_records_leave_out_scores_of_a_study_with_open_verdicts(
    root: Client, scored: ResultSet, keep_flagged: Callable[[Study, datetime], None], now: datetime
) -> None:
    def shown() -> list[bool]:
        pages = [root.get(f"/admin/{name}/").text for name in RECORDS]
        return ["/change/" in page for page in pages]

    assert shown() == [False] * len(RECORDS)
    keep_flagged(scored.run.study, now)
    assert shown() == [True] * len(RECORDS)
