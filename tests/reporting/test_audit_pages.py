"""The pages of an audit: who may open them, drawing, the sheet, sending it back, and what they show."""

import csv
import re
from collections.abc import Callable
from datetime import datetime
from io import StringIO
from typing import Any

import pytest
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.totp.internal.auth import TOTP
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from batches.models import Session
from jobs.services.working import jobs_work
from judging.models import AuditItem, AuditSample, JudgingRun, RunState
from judging.services.audits import audit_draw
from scoring.coordinator import Scoring
from scoring.services.audits import audits_compute
from studies.bank.records import PromptRecord
from studies.models import Participant, Study, User

pytestmark = pytest.mark.django_db
PROMPTS = [
    PromptRecord(prompt_id="p1", text="Question 1?", gold_answer="41"),
    PromptRecord(prompt_id="p2", text="Question 2?", gold_answer="42"),
    PromptRecord(prompt_id="p3", text="A hidden question?", gold_answer="43", split="private"),
]


@pytest.fixture(scope="module")
def judged(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> None:
    """Eight people, 24 verdicts; the first two of them wrote something wrong to everything."""
    study = make_study(
        prompts=PROMPTS,
        slug="pages",
        judge_kind="checks",
        replicates_per_profile=50,
        reviewers_see_private=True,
    )
    for number in range(8):
        wrong = 10 if number < 2 else 0
        work(make_person(study), {"p1": str(41 + wrong), "p2": str(42 + wrong), "p3": str(43 + wrong)})
    score_at(study, clock=lambda: now, measures=False)


@pytest.fixture
def run(judged: None, db: None) -> JudgingRun:
    return JudgingRun.objects.get()


@pytest.fixture
def study(run: JudgingRun) -> Study:
    return run.study


@pytest.fixture
def sample(run: JudgingRun, now: datetime) -> AuditSample:
    return audit_draw(run=run, size=20, seed=1, public_only=False, actor=None, now=now)


def address(name: str, run: JudgingRun, sample: AuditSample | None = None) -> str:
    facts: dict[str, object] = {"slug": run.study.slug, "number": run.pk}
    return reverse(name, kwargs=facts | ({"sample": sample.pk} if sample else {}))


def sheet_of(staff: Client, sample: AuditSample) -> list[dict[str, str]]:
    response = staff.get(address("staff_audit_sheet", sample.judging_run, sample))
    return list(csv.DictReader(StringIO(response.content.decode("utf-8-sig"), newline="")))


def send(staff: Client, sample: AuditSample, content: bytes, rater: str = "Ada") -> Any:
    file = SimpleUploadedFile("audit.csv", content, content_type="text/csv")
    return staff.post(
        address("staff_audit_sample", sample.judging_run, sample), {"rater": rater, "sheet": file}
    )


def filled(rows: list[dict[str, str]]) -> bytes:
    file = StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def text(response: Any) -> str:
    return " ".join(response.content.decode().split())


PAGES = ("staff_audit", "staff_audit_sample", "staff_audit_sheet")


@pytest.mark.parametrize("view", PAGES)
def test_only_staff_open_the_pages(client: Client, sample: AuditSample, view: str) -> None:
    where = address(view, sample.judging_run, None if view == "staff_audit" else sample)
    assert client.get(where).status_code == 302
    client.force_login(Participant.objects.earliest("pk").user)
    assert client.get(where).status_code == 404
    assert client.post(where, {"size": "5"}).status_code == 404
    assert AuditSample.objects.count() == 1
    client.force_login(User.objects.create_superuser("lead@example.org"))
    response = client.get(where)
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]


def test_the_sheet_takes_a_second_factor_proved_lately(
    client: Client, sample: AuditSample, lead: User, settings: Settings
) -> None:
    settings.STAFF_SECOND_FACTOR = True
    TOTP.activate(lead, "JBSWY3DPEHPK3PXP")
    client.force_login(lead)
    request = HttpRequest()
    request.session = session = client.session
    record_authentication(request, lead, method="mfa", type="totp")
    session.save()
    where = address("staff_audit_sheet", sample.judging_run, sample)
    assert client.get(where).status_code == 200
    session["account_authentication_methods"][0]["at"] -= 16 * 60
    session.save()
    assert client.get(where)["Location"].startswith("/accounts/2fa/reauthenticate/?")
    assert client.get(address("staff_audit", sample.judging_run)).status_code == 200


def test_a_sample_is_found_under_its_own_run_only(staff: Client, sample: AuditSample) -> None:
    run = sample.judging_run
    for facts in (
        {"slug": "pages", "number": run.pk, "sample": sample.pk + 1},
        {"slug": "pages", "number": run.pk + 1, "sample": sample.pk},
        {"slug": "other", "number": run.pk, "sample": sample.pk},
    ):
        for page in PAGES[1:]:
            assert staff.get(reverse(page, kwargs=facts)).status_code == 404


def test_the_page_of_a_run_leads_to_its_audit(staff: Client, sample: AuditSample) -> None:
    run = sample.judging_run
    shown = text(staff.get(reverse("staff_judging_run", args=["pages", run.pk])))
    assert address("staff_audit", run) in shown
    assert address("staff_audit_sample", run, sample) in shown
    assert "rated 0 of 20" in shown


def test_staff_draw_a_sample(staff: Client, run: JudgingRun) -> None:
    page = address("staff_audit", run)
    response = staff.post(page, {"size": "20", "seed": "7", "public_only": "on"})
    assert (response.status_code, response["Location"]) == (302, page)
    assert jobs_work(clock=timezone.now) == 1
    assert "20 cannot be drawn: there are 16 verdicts" in text(staff.get(page))
    staff.post(page, {"size": "12", "seed": "7", "public_only": "on"})
    shown = text(staff.get(page))
    assert "data-job=" in shown
    assert "cannot be drawn" not in shown
    assert jobs_work(clock=timezone.now) == 1
    sample = AuditSample.objects.get()
    assert address("staff_audit_sample", run, sample) in text(staff.get(page))
    assert (sample.seed, sample.strata["public_only"], sample.items.count()) == (7, True, 12)
    assert sample.drawn_by is not None
    shown = text(staff.get(address("staff_audit_sample", run, sample)))
    assert "of 12 rated" in shown
    assert "by lead@example.org with seed 7." in shown
    assert "Public questions only." in shown
    assert "must not leave the study team" not in shown


def test_a_seed_is_drawn_by_chance_where_none_is_given(staff: Client, run: JudgingRun) -> None:
    for size in ("12", "13"):
        assert staff.post(address("staff_audit", run), {"size": size, "seed": ""}).status_code == 302
        jobs_work(clock=timezone.now)
    first, second = AuditSample.objects.all()
    assert first.seed != second.seed


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": ""},
        {"size": "0"},
        {"size": "many"},
        {"size": "5", "seed": "-1"},
        {"size": "5", "seed": str(2**63)},
    ],
)
def test_what_cannot_be_drawn_is_said_on_the_page(
    staff: Client, run: JudgingRun, wrong: dict[str, str]
) -> None:
    response = staff.post(address("staff_audit", run), wrong)
    assert response.status_code == 422
    assert "errorlist" in text(response)
    assert not AuditSample.objects.exists()


def test_nothing_is_drawn_while_a_run_goes_on(staff: Client, run: JudgingRun) -> None:
    JudgingRun.objects.update(state=RunState.RUNNING, ended_at=None)
    assert "draw a sample when it is over" in text(staff.get(address("staff_audit", run)))
    assert staff.post(address("staff_audit", run), {"size": "12"}).status_code == 422
    assert not AuditSample.objects.exists()


def test_the_page_warns_of_private_prompts(staff: Client, sample: AuditSample) -> None:
    number = AuditItem.objects.filter(row__answer__prompt__split="private").count()
    assert number > 1
    shown = text(staff.get(address("staff_audit_sample", sample.judging_run, sample)))
    assert f"{number} lines show private questions with their gold answers" in shown


def test_the_page_shows_all_verdicts_or_those_on_public_prompts(
    staff: Client, sample: AuditSample, run: JudgingRun, now: datetime
) -> None:
    page = address("staff_audit_sample", run, sample)
    audits_compute(study=run.study, now=now)
    # Those of all questions are withheld: beside the public ones they would tell of one or two private ones.
    for query in ("", "?prompts=public", "?prompts=private"):
        content = staff.get(page + query).content.decode()
        assert re.search(r"verdicts they stand for</dt>\s*<dd>\s*16\s*</dd>", content)
        assert f'href="{page}?prompts=public"' not in content
    only_public = audit_draw(run=run, size=12, seed=1, public_only=True, actor=None, now=now)
    shown = staff.get(address("staff_audit_sample", run, only_public), {"prompts": "public"}).content.decode()
    assert "Prompts that count" not in shown


def test_the_sheet_is_a_file_that_spreadsheet_programs_open(staff: Client, sample: AuditSample) -> None:
    response = staff.get(address("staff_audit_sheet", sample.judging_run, sample))
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="pages-audit-{sample.pk}.csv"'
    assert response.content.startswith(b"\xef\xbb\xbf")
    assert [row["number"] for row in sheet_of(staff, sample)] == [str(number) for number in range(1, 21)]


def test_a_rated_sheet_is_taken_over_and_compared(staff: Client, sample: AuditSample) -> None:
    rows = sheet_of(staff, sample)
    where = address("staff_audit_sample", sample.judging_run, sample)
    assert "How far judges and people agree is being computed." in text(staff.get(where))
    assert jobs_work(clock=timezone.now) == 1
    assert text(staff.get(where)).count("Nothing is rated yet.") == 1
    marked = [row | {"human_score": str(int(row["answer"] == row["gold_answer"]))} for row in rows]
    marked[0] |= {"human_score": "0,25", "comment": "<script>alert(1)</script>"}
    response = send(staff, sample, filled(marked))
    assert (response.status_code, response["Location"]) == (302, where)
    shown = text(staff.get(where))
    assert "New: 20. Replaced: 0. Unchanged: 0." in shown
    assert "checks and people" in shown
    newer = "Ratings or scores are newer than the numbers on agreement below"
    assert newer in shown
    staff.get(where)
    assert jobs_work(clock=timezone.now) == 1  # asked for once, and brought up to date by it
    shown = text(staff.get(where))
    assert newer not in shown
    assert re.search(r"\b1\d verdicts with both scores\.", shown)  # those on public questions
    assert jobs_work(clock=timezone.now) == 0
    assert "<script>alert(1)" not in shown
    assert AuditItem.objects.get(number=1).human_score == 0.25
    assert AuditItem.objects.get(number=1).comment == "<script>alert(1)</script>"


def test_every_problem_of_a_sheet_is_on_the_page_and_nothing_is_taken_over(
    staff: Client, sample: AuditSample
) -> None:
    rows = sheet_of(staff, sample)
    wrong = [row | {"human_score": "7"} for row in rows[:3]] + [rows[3] | {"human_score": "1"}, *rows[4:]]
    response = send(staff, sample, filled(wrong))
    assert response.status_code == 422
    shown = text(response)
    assert "Nothing was taken over." in shown
    assert shown.count("is no number between 0 and 1") == 3
    assert 'value="Ada"' in shown
    assert not AuditItem.objects.exclude(human_score=None).exists()
    many = send(staff, sample, filled([row | {"human_score": "x"} for row in rows * 6]))
    assert "line 2, 3 and 118 more, human_score: “x” is no number" in text(many)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"PK\x03\x04", b"<script>,\n1,2\n"])
def test_hostile_files_are_refused_on_the_page(staff: Client, sample: AuditSample, content: bytes) -> None:
    response = send(staff, sample, content)
    assert response.status_code == 422
    assert "Nothing was taken over." in text(response)
    assert "<script>," not in text(response)


def test_a_sheet_without_a_rater_or_too_large_is_refused(staff: Client, sample: AuditSample) -> None:
    rows = filled(sheet_of(staff, sample))
    assert "Write who rated." in text(send(staff, sample, rows, rater=" "))
    large = send(staff, sample, b"x" * (5 * 1024 * 1024 + 1))
    assert large.status_code == 422
    assert "The file is larger than 5 MB" in text(large)
    where = address("staff_audit_sample", sample.judging_run, sample)
    assert "Choose the file." in text(staff.post(where, {"rater": "Ada"}))
