"""What a judging run's pages list, as CSV: the same rows, and nothing that the pages do not show."""

import csv
from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Answer, Session
from judging.models import CriterionScore, JudgingRun
from scoring.coordinator import Scoring
from screening.services.screening import study_screen
from studies.bank.records import PromptRecord
from studies.models import Participant, Study
from studies.roles import Role
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> JudgingRun:
    """Two people's answers to a public and a private question; one answer got no score."""
    prompts = [
        PromptRecord(prompt_id="open", text="Question?", gold_answer="41"),
        PromptRecord(prompt_id="secret", text="Hidden?", gold_answer="42", split="private"),
    ]
    study = make_study(prompts=prompts, batch_size=2, slug="pages", judge_kind="checks", top_size=1)
    for answer in ("41", "no"):
        work(make_person(study), {"open": answer, "secret": "42"})
    score_at(study, clock=lambda: now + timedelta(days=1), measures=False)
    failed = CriterionScore.objects.get(answer__prompt__prompt_id="open", score=0)
    CriterionScore.objects.filter(pk=failed.pk).update(
        state="unscored", score=None, confidence=None, unscored_reason="reply_off_schema", origin="asked"
    )
    return JudgingRun.objects.get()


@pytest.fixture
def member(run: JudgingRun, now: datetime) -> Callable[[Role], Client]:
    def make(role: Role) -> Client:
        user, _ = staff_add(email=f"{role}@example.org")
        role_give(study=run.study, user=user, role=role, now=now)
        client = Client()
        client.force_login(user)
        return client

    return make


def address(name: str, run: JudgingRun) -> str:
    return reverse(name, args=["pages", run.pk])


def rows_of(client: Client, path: str, **asked: str) -> list[dict[str, str]]:
    answer = client.get(path, {**asked, "format": "csv"})
    assert answer["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(StringIO(b"".join(answer).decode("utf-8-sig"))))


def test_the_tables_of_a_run_are_files(staff: Client, run: JudgingRun) -> None:
    page = staff.get(address("staff_judging_run", run))
    (judge,) = page.context["progress"].judges
    (row,) = rows_of(staff, address("staff_judging_run", run))
    assert (row["judge"], row["decided"], row["scored"], row["unscored"]) == (judge.name, "4", "3", "1")
    (reason,) = rows_of(staff, address("staff_judging_run", run), table="reasons")
    assert reason == {"reason": "reply_off_schema", "unscored": "1", "asked_again_later": "0"}
    assert [one.code for one in page.context["reasons"]] == ["reply_off_schema"]


def test_verdicts_are_a_file_under_the_filter_of_the_page(staff: Client, run: JudgingRun) -> None:
    path = address("staff_judging_verdicts", run)
    file, shown = rows_of(staff, path), staff.get(path).context["rows"]
    assert len(file) == len(shown) == 3
    (public,) = [row for row in file if row["is_private"] == "false"]
    assert (public["met"], public["score"], public["unscored_reason"]) == ("true", "1.0", "")
    (label,) = {row.answer.prompt.label for row in shown if row.answer.prompt.prompt_id == "open"}
    assert rows_of(staff, path, question=label) == [public]
    (failed,) = rows_of(staff, path, reason="reply_off_schema")
    assert (failed["score"], failed["met"], failed["unscored_reason"]) == ("", "", "reply_off_schema")


def test_the_file_tells_no_label_and_verdict_of_private_questions_and_never_whose_an_answer_is(
    staff: Client, run: JudgingRun
) -> None:
    path = address("staff_judging_verdicts", run)
    private = [row for row in rows_of(staff, path) if row["is_private"] == "true"]
    assert [(row["question"], row["met"], row["score"]) for row in private] == [("", "", "")] * 2
    text = b"".join(staff.get(path, {"format": "csv"})).decode()
    told = {*Participant.objects.values_list("code", flat=True), "secret", "@", "Question?"}
    assert not [one for one in told if one in text]


def test_whoever_still_decides_and_whoever_may_not_see_get_no_file(
    staff: Client, run: JudgingRun, member: Callable[[Role], Client], now: datetime
) -> None:
    page, verdicts = address("staff_judging_run", run), address("staff_judging_verdicts", run)
    asked = {"format": "csv"}
    assert [member(Role.COORDINATOR).get(path, asked).status_code for path in (page, verdicts)] == [403, 403]
    analyst = member(Role.ANALYST)
    assert [analyst.get(path, asked).status_code for path in (page, verdicts)] == [403, 200]
    person = run.study.participants.latest("pk")
    Answer.objects.filter(session__participant=person, has_text=True).update(text="idk")
    study_screen(study=run.study, now=now + timedelta(days=2))
    assert staff.get(verdicts, asked).status_code == 403
    assert len(rows_of(staff, verdicts, reason="reply_off_schema")) == 1
