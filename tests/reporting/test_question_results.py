"""What the questions page tells of each: scores of people and models, time taken, messages."""

import csv
import io
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Answer, Session
from console.selectors.question_results import QuestionResult
from judging.models import AnswerScore
from scoring.models import ModelConfiguration, ResultSet
from screening.services.screening import study_screen
from studies.models import Participant, Study
from studies.services.people.messages import message_send

pytestmark = pytest.mark.django_db


def told(staff: Client, study: Study) -> dict[str, QuestionResult]:
    page = staff.get(reverse("staff_questions", args=[study.slug]))
    return {one.prompt_id: result for one, result in page.context["rows"]}


@pytest.fixture
def models(study: Study, now: datetime) -> None:
    assert study.item_bank
    for name, score in (("one", 1.0), ("two", 0.5), ("failed", None)):
        configuration = ModelConfiguration.objects.create(
            item_bank=study.item_bank, name=name, source="a test", sha256="0" * 64, imported_at=now
        )
        configuration.scores.create(prompt_id="p1", epoch=1, score=score)


def test_means_are_of_what_is_there_and_nothing_is_zero_that_is_missing(
    staff: Client, study: Study, results: ResultSet, models: None
) -> None:
    found = told(staff, study)
    assert (found["p1"].people, found["p1"].scored, found["p1"].models) == (1.0, 2, 0.75)
    assert (found["p2"].people, found["p2"].scored, found["p2"].models) == (0.5, 2, None)
    assert (found["p3"].people, found["p3"].scored) == (0.0, 1)
    Answer.objects.filter(prompt__prompt_id="p3").update(revision=9)  # the score is of an earlier text
    assert (told(staff, study)["p3"].people, told(staff, study)["p3"].scored) == (None, 0)


def test_before_results_there_are_no_scores(
    staff: Client,
    study: Study,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
) -> None:
    work(make_person(study), {"p1": "41"})
    assert told(staff, study)["p1"].people is None
    assert not AnswerScore.objects.exists()


def test_time_is_from_opening_to_the_last_save_and_messages_are_counted(
    staff: Client, study: Study, results: ResultSet, now: datetime
) -> None:
    for answer, minutes in zip(Answer.objects.filter(prompt__prompt_id="p1"), (10, 20), strict=True):
        Answer.objects.filter(pk=answer.pk).update(
            first_seen_at=now, saved_at=now + timedelta(minutes=minutes)
        )
    person = study.participants.get(session__answers=answer)
    label = answer.prompt.label
    message_send(participant=person, text="Which unit?", prompt_label=label, now=now)
    message_send(participant=person, text="Thank you.", now=now)
    shown = staff.get(reverse("staff_questions", args=[study.slug])).context["rows"]
    (found,) = [(one.taken, result.messages) for one, result in shown if one.prompt_id == "p1"]
    assert found == (900.0, 1)
    page = staff.get(reverse("staff_question", args=[study.slug, label])).content.decode()
    assert "15 min" in page


def test_whoever_still_decides_on_somebody_sees_no_scores(
    staff: Client, study: Study, results: ResultSet, now: datetime
) -> None:
    person = study.participants.latest("pk")
    Answer.objects.filter(session__participant=person, has_text=True).update(text="idk")
    study_screen(study=study, now=now + timedelta(days=2))
    assert {result.people for result in told(staff, study).values()} == {None}
    page = staff.get(reverse("staff_questions", args=[study.slug])).content.decode()
    assert "Scores are shown here as soon as everybody flagged is decided" in page
    label = Answer.objects.filter(prompt__prompt_id="p1")[0].prompt.label
    assert "mean score" not in staff.get(reverse("staff_question", args=[study.slug, label])).content.decode()


def test_the_rows_to_take_away_say_the_same(
    staff: Client, study: Study, results: ResultSet, models: None
) -> None:
    address = reverse("staff_questions", args=[study.slug])
    rows = list(
        csv.DictReader(io.StringIO(staff.get(address, {"format": "csv"}).content.decode("utf-8-sig")))
    )
    by_id = {row["prompt_id"]: row for row in rows}
    assert (by_id["p1"]["people_mean"], by_id["p1"]["models_mean"], by_id["p1"]["scored"]) == (
        "1.0",
        "0.75",
        "2",
    )
    assert by_id["p2"]["models_mean"] == ""


@pytest.mark.parametrize(
    ("sort", "first"), [("people", ["p3", "p2", "p1"]), ("-people", ["p1", "p2", "p3"]), ("-models", ["p1"])]
)
def test_questions_sort_by_scores_with_those_that_have_none_last(
    staff: Client, study: Study, results: ResultSet, models: None, sort: str, first: list[str]
) -> None:
    Answer.objects.filter(prompt__prompt_id="p4").update(revision=9)  # the score is of an earlier text
    address = reverse("staff_questions", args=[study.slug])
    shown = [one.prompt_id for one, _result in staff.get(address, {"sort": sort}).context["rows"]]
    assert shown[: len(first)] == first
    assert len(shown) == 4
    file = staff.get(address, {"sort": sort, "q": "p", "format": "csv"}).content.decode()
    assert [row["prompt_id"] for row in csv.DictReader(io.StringIO(file))] == shown


def test_questions_sort_by_time_and_messages(
    staff: Client, study: Study, results: ResultSet, now: datetime
) -> None:
    Answer.objects.update(first_seen_at=None)
    for prompt_id, minutes in (("p2", 20), ("p3", 10)):
        answer = Answer.objects.filter(prompt__prompt_id=prompt_id, has_text=True).earliest("pk")
        Answer.objects.filter(pk=answer.pk).update(
            first_seen_at=now, saved_at=now + timedelta(minutes=minutes)
        )
    message_send(participant=answer.session.participant, text="?", prompt_label=answer.prompt.label, now=now)
    address = reverse("staff_questions", args=[study.slug])
    for sort, found in (
        ("time", ["p3", "p2", "p1", "p4"]), ("-time", ["p2", "p3", "p1", "p4"]),
        ("-messages", ["p3", "p1", "p2", "p4"]),
    ):  # fmt: skip
        assert [one.prompt_id for one, _ in staff.get(address, {"sort": sort}).context["rows"]] == found


def test_the_order_tells_nothing_of_scores_that_are_hidden(
    staff: Client, study: Study, results: ResultSet, now: datetime
) -> None:
    person = study.participants.latest("pk")
    Answer.objects.filter(session__participant=person, has_text=True).update(text="idk")
    study_screen(study=study, now=now + timedelta(days=2))
    address = reverse("staff_questions", args=[study.slug])
    plain, sorted_by = (staff.get(address, {"sort": sort}).context["rows"] for sort in ("", "-people"))
    assert [one for one, _ in plain] == [one for one, _ in sorted_by]


def test_a_question_leads_to_the_verdicts_on_its_answers(
    staff: Client, study: Study, results: ResultSet
) -> None:
    label = Answer.objects.filter(prompt__prompt_id="p2")[0].prompt.label
    page = staff.get(reverse("staff_question", args=[study.slug, label])).content.decode()
    run = study.judging_runs.get()
    address = f"{reverse('staff_judging_verdicts', args=[study.slug, run.pk])}?question={label}"
    assert address in page
    rows = staff.get(address).context["rows"]
    assert {row.answer.prompt.label for row in rows} == {label}
    assert len(rows) == 2
