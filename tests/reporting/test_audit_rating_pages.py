"""Rating an audit's answers on the page: blind until rated, one rater each, nothing typed is lost."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batches.models import Session
from jobs.services.working import jobs_work
from judging.models import AuditItem, AuditSample, JudgingRun
from judging.services.audits import audit_draw
from scoring.coordinator import Scoring
from studies.models import Participant, Study, StudyEvent, StudyRole, User
from tests.support.audit_sheets import filled, sheet

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> None:
    study = make_study(slug="pages", judge_kind="checks", replicates_per_profile=50)
    for answer in ("1", "2", "3"):
        work(make_person(study), {f"p{n:03}": f"{answer} {n}" for n in range(1, 5)})
    score_at(study, clock=lambda: now, measures=False)


@pytest.fixture
def sample(judged: None, db: None, now: datetime) -> AuditSample:
    run = JudgingRun.objects.get()
    return audit_draw(run=run, size=8, seed=1, public_only=False, actor=None, now=now)


@pytest.fixture
def reviewer(sample: AuditSample, now: datetime) -> Client:
    user = User.objects.create(email="reviewer@example.org", is_staff=True)
    StudyRole.objects.create(study=sample.judging_run.study, user=user, role="reviewer", given_at=now)
    client = Client()
    client.force_login(user)
    return client


def rate(client: Client, sample: AuditSample, **sent: str) -> Any:
    return client.post(reverse("staff_audit_rate", args=["pages", sample.pk]), sent)


def page(client: Client, sample: AuditSample, **asked: str) -> str:
    response = client.get(reverse("staff_audit_rate", args=["pages", sample.pk]), asked)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_a_lead_sees_the_judges_word_once_they_have_rated(staff: Client, sample: AuditSample) -> None:
    shown = page(staff, sample)
    item = AuditItem.objects.get(number=1)
    assert item.row.answer.text in shown
    assert "What the judge said" not in shown
    # Criterion and answer first, the question folded, the buttons after all of them; their keys wait.
    order = ["Criterion</h3>", "Answer</h3>", 'data-key="q"', 'name="score"']
    assert sorted(order, key=shown.index) == order
    assert (shown.count("data-to-read"), shown.count("data-after-seen")) == (2, 3)
    assert rate(staff, sample, number="1", score="1", comment="Right.").status_code == 302
    item.refresh_from_db()
    assert (item.human_score, item.comment, item.rater) == (1.0, "Right.", "lead@example.org")
    assert "What the judge said" in page(staff, sample, number="1")
    assert "2 of 8" in page(staff, sample)
    rate(staff, sample, number="1", score="0.5", comment="")
    event = StudyEvent.objects.filter(kind="audit_rated").latest("pk")
    assert event.details == {"sample": sample.pk, "number": 1, "earlier": 1.0}


def test_a_reviewer_rates_and_never_sees_judge_person_or_profile(
    reviewer: Client, sample: AuditSample
) -> None:
    rate(reviewer, sample, number="1", score="0")
    shown = page(reviewer, sample, number="1")
    person = AuditItem.objects.get(number=1).row.answer.session.participant
    for hidden in ("What the judge said", person.code, person.user.email, "stem-phd"):
        assert hidden not in shown


def test_of_two_who_rate_the_same_answer_the_second_is_told_and_keeps_the_comment(
    staff: Client, reviewer: Client, sample: AuditSample
) -> None:
    page(staff, sample), page(reviewer, sample)
    rate(reviewer, sample, number="1", score="1", comment="Fine.")
    response = rate(staff, sample, number="1", score="0", comment="I see it otherwise.")
    assert response.status_code == 409
    assert "Somebody else rated number 1 meanwhile" in response.text
    assert AuditItem.objects.get(number=1).human_score == 1.0


def test_a_long_address_is_never_cut_to_anothers_name(reviewer: Client, sample: AuditSample) -> None:
    long = f"{'r' * 60}@{'mail.' * 12}example.org"
    User.objects.filter(email="reviewer@example.org").update(email=long)
    response = rate(reviewer, sample, number="1", score="1", comment="Fine.")
    assert response.status_code == 422
    assert "your address, which is longer than 100 characters" in response.text
    assert "Fine." in response.text
    rows = [row | {"human_score": "1"} for row in sheet(sample)]
    address = reverse("staff_audit_sample", args=["pages", sample.judging_run_id, sample.pk])
    response = reviewer.post(address, {"sheet": SimpleUploadedFile("rated.csv", filled(rows))})
    assert (response.status_code, "longer than 100 characters" in response.text) == (422, True)
    assert not AuditItem.objects.exclude(human_score=None).exists()


@pytest.mark.parametrize(
    "sent",
    [
        {"number": "1"},
        {"number": "1", "score": "2"},
        {"number": "1", "score": "nan"},
        {"number": "99", "score": "1"},
    ],
)
def test_what_is_no_rating_changes_nothing(staff: Client, sample: AuditSample, sent: dict[str, str]) -> None:
    assert rate(staff, sample, comment="Kept text.", **sent).status_code == 422
    assert not AuditItem.objects.exclude(human_score=None).exists()


def test_the_list_of_audits_draws_and_leads_to_rating(
    staff: Client, reviewer: Client, sample: AuditSample
) -> None:
    address = reverse("staff_audits", args=["pages"])
    assert "0 of 8" in " ".join(staff.get(address).text.split())
    assert "Draw the sample" not in reviewer.get(address).text
    assert reviewer.post(address, {"size": "8"}).status_code == 403
    assert staff.post(address, {"size": "900"}).status_code == 302
    jobs_work(clock=timezone.now)
    assert "900 cannot be drawn" in staff.get(address).text
    assert "900 cannot be drawn" not in reviewer.get(address).text
    assert staff.post(address, {"size": "8", "seed": "3"}).status_code == 302
    jobs_work(clock=timezone.now)
    assert AuditSample.objects.count() == 2


def test_rating_takes_a_bounded_number_of_queries(
    staff: Client, sample: AuditSample, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    page(staff, sample)
    with django_assert_max_num_queries(12):
        page(staff, sample)


@pytest.mark.parametrize("seed", ["", "7"])
def test_a_draw_pressed_twice_draws_one_sample_and_another_wish_draws_another(
    staff: Client, sample: AuditSample, seed: str
) -> None:
    pages = (
        reverse("staff_audits", args=["pages"]),
        reverse("staff_audit", args=["pages", sample.judging_run_id]),
    )
    for draw in pages:
        before = AuditSample.objects.count()
        for _press in "12":
            staff.post(draw, {"size": "6", "seed": seed})
        assert jobs_work(clock=timezone.now) == 1
        staff.post(draw, {"size": "6", "seed": seed})
        assert jobs_work(clock=timezone.now) == 1
        assert AuditSample.objects.count() == before + (draw == pages[0])
    for wish in (seed, "8"):
        staff.post(pages[0], {"size": "5", "seed": wish})
        jobs_work(clock=timezone.now)
    assert AuditSample.objects.count() == before + 2
    assert StudyEvent.objects.filter(kind="audit_drawn").count() == before + 2


def send_sheet(client: Client, sample: AuditSample, score: str, **named: str) -> Any:
    rows = [row | {"human_score": score} for row in sheet(sample)]
    file = SimpleUploadedFile("audit.csv", filled(rows), content_type="text/csv")
    where = reverse("staff_audit_sample", args=["pages", sample.judging_run_id, sample.pk])
    return client.post(where, {"sheet": file, **named})


def test_a_reviewers_sheet_stands_under_their_own_name_and_replaces_nobody_elses(
    reviewer: Client, sample: AuditSample
) -> None:
    items = AuditItem.objects.filter(sample=sample)
    items.update(human_score=1.0, rater="other@example.org", rated_at=sample.drawn_at)
    replies = [send_sheet(reviewer, sample, score, rater="other@example.org") for score in ("0", "1")]
    assert [reply.status_code for reply in replies] == [422, 422]
    said = [re.sub("csrf[^>]*", "", reply.text) for reply in replies]
    assert said[0] == said[1], "the reply tells what the other person's rating says"
    assert set(items.values_list("human_score", "rater")) == {(1.0, "other@example.org")}
    assert 'name="rater"' not in replies[0].text
    items.update(human_score=None, rater="", rated_at=None)
    assert send_sheet(reviewer, sample, "0", rater="other@example.org").status_code == 302
    assert set(items.values_list("human_score", "rater")) == {(0.0, "reviewer@example.org")}


def test_nobody_sends_a_sheet_under_another_staff_members_address(
    staff: Client, reviewer: Client, sample: AuditSample
) -> None:
    assert send_sheet(reviewer, sample, "1").status_code == 302
    response = send_sheet(staff, sample, "0", rater="Reviewer@example.org")
    assert response.status_code == 422
    assert "this is the address of another staff member" in response.text
    assert set(AuditItem.objects.values_list("human_score", flat=True)) == {1.0}
