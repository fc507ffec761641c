"""What a participant is told of how a study reads their answers, and by which version of the rules."""

import uuid
from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client
from django.utils import timezone
from pydantic import JsonValue

from batches.models import Revision, Session
from batches.services.starting import session_start
from judging.models import AnswerScore, ScoringRun
from judging.selectors.readings import answer_reader
from judging.services.running.judge_specs import JudgeSpec, identity_sha256, scoring_run_open
from scoring.coordinator import Scoring
from studies.bank.records import PromptRecord
from studies.models import Participant, Study
from tests.batches.session_pages.session_pages import end_ago, text_of

pytestmark = pytest.mark.django_db

OPTIONS = "Which day is it?\nOptions:\n(A) Monday\n(B) Tuesday"
PROMPTS = [
    PromptRecord(prompt_id="p1", text=OPTIONS, gold_answer="(A)", category="QR", task="date_understanding"),
    PromptRecord(prompt_id="p2", text="How many?", gold_answer="12", category="QR", task="object_counting"),
    PromptRecord(prompt_id="p3", text="Is it?", gold_answer="Yes", category="QR", task="navigate"),
    PromptRecord(prompt_id="p4", text="List: b a", gold_answer="a b", category="QR", task="word_sorting"),
]
MATCH = {"judge_kind": "match", "match_rules": "bbh"}
UNREAD = "No answer is read here."
Make = Callable[..., Study]


@pytest.fixture
def session(make_study: Make, make_person: Callable[..., Participant]) -> Session:
    study = make_study(prompts=PROMPTS, **MATCH)
    return session_start(participant=make_person(study), now=timezone.now())


@pytest.fixture
def visitor(session: Session) -> Client:
    client = Client()
    client.force_login(session.participant.user)
    return client


def place(session: Session, prompt_id: str) -> str:
    answer = session.answers.get(prompt__prompt_id=prompt_id)
    return f"/sessions/{session.pk}/prompts/{answer.position}/"


def read(visitor: Client, session: Session, prompt_id: str, text: str) -> str:
    reply = visitor.post(f"{place(session, prompt_id)}reading/", {"text": text})
    assert reply.status_code == 200
    return text_of(reply).strip()


@pytest.mark.parametrize(
    ("prompt_id", "form"),
    [
        ("p1", "the letter of one option, such as (B)"),
        ("p2", "one number, such as 12"),
        ("p3", "one of the words Yes and No"),
        ("p4", "the words in their order"),
    ],
)
def test_the_workspace_says_what_form_is_read_and_of_an_empty_answer_nothing_else(
    visitor: Client, session: Session, prompt_id: str, form: str
) -> None:
    shown = text_of(visitor.get(place(session, prompt_id)))
    assert form in shown
    assert "Read as" not in shown
    assert UNREAD not in shown


@pytest.mark.parametrize(
    ("prompt_id", "text", "shown"),
    [
        ("p1", "(B) Tuesday", "Read as: B"),
        ("p1", "Tuesday", "Read as: B"),
        ("p1", "The answer is A.", "Read as: A"),
        ("p2", "13 items", "Read as: 13"),
        ("p3", "No, you do not return.", "Read as: No"),
        ("p4", "b, a", "Read as: b a"),
    ],
)
def test_while_it_is_written_the_server_says_as_what_it_is_read_right_or_wrong(
    visitor: Client, session: Session, prompt_id: str, text: str, shown: str
) -> None:
    assert read(visitor, session, prompt_id, text) == shown
    visitor.post(place(session, prompt_id), {"text": text, "base_revision": 0})
    assert shown in text_of(visitor.get(place(session, prompt_id)))


@pytest.mark.parametrize(
    ("prompt_id", "text"), [("p1", "A or B"), ("p1", "(B) Monday"), ("p2", "12 or 13"), ("p4", "b a c")]
)
def test_an_answer_in_which_nothing_is_read_is_warned_about_before_it_is_handed_in(
    visitor: Client, session: Session, prompt_id: str, text: str
) -> None:
    assert read(visitor, session, prompt_id, text).startswith(UNREAD)
    visitor.post(place(session, prompt_id), {"text": text, "base_revision": 0})
    assert UNREAD in text_of(visitor.get(place(session, prompt_id)))
    review = visitor.get(f"/sessions/{session.pk}/submit/")
    assert "In 1 answer nothing is read." in text_of(review)
    assert f'href="{place(session, prompt_id)}"' in review.content.decode().partition('id="unread"')[2]


def test_answers_that_are_read_are_not_warned_about(visitor: Client, session: Session) -> None:
    visitor.post(place(session, "p1"), {"text": "(B) Tuesday", "base_revision": 0})
    assert 'id="unread"' not in visitor.get(f"/sessions/{session.pk}/submit/").content.decode()


def test_a_reading_stores_nothing_and_is_the_persons_own(visitor: Client, session: Session) -> None:
    assert read(visitor, session, "p1", " \n") == ""
    assert read(visitor, session, "p1", "<b>A</b> or not").startswith(UNREAD)
    address = f"{place(session, 'p1')}reading/"
    assert Client().post(address, {"text": "A"}).status_code == 404
    assert visitor.get(address).status_code == 405
    assert visitor.post(f"/sessions/{uuid.uuid4()}/prompts/1/reading/").status_code == 404
    assert visitor.post(f"/sessions/{session.pk}/prompts/99/reading/").status_code == 404
    end_ago(session, 60)
    assert visitor.post(address, {"text": "A"}).status_code == 404
    assert not Revision.objects.exists()


def test_what_is_read_cannot_act_on_the_page(visitor: Client, session: Session) -> None:
    reply = visitor.post(f"{place(session, 'p4')}reading/", {"text": "<script>alert(1)</script>"})
    assert b"<script" not in reply.content


def test_a_study_with_another_judge_says_nothing_of_the_kind(
    make_study: Make, make_person: Callable[..., Participant]
) -> None:
    session = session_start(participant=make_person(make_study()), now=timezone.now())
    visitor = Client()
    visitor.force_login(session.participant.user)
    address = f"/sessions/{session.pk}/prompts/1/"
    assert 'id="reading"' not in visitor.get(address).content.decode()
    assert visitor.post(f"{address}reading/", {"text": "A"}).status_code == 404


def test_the_rules_of_bbeh_stay_as_they_are_published_and_are_told(
    make_study: Make, make_person: Callable[..., Participant]
) -> None:
    study = make_study(prompts=PROMPTS, judge_kind="match", match_rules="bbeh")
    session = session_start(participant=make_person(study), now=timezone.now())
    visitor = Client()
    visitor.force_login(session.participant.user)
    assert "the answer alone, in one line" in text_of(visitor.get(place(session, "p1")))
    assert read(visitor, session, "p1", "The answer is: (B)\nbecause") == "Read as: (b)"
    assert read(visitor, session, "p1", "(B) Tuesday") == "Read as: (b) tuesday"
    assert read(visitor, session, "p1", "The answer is:").startswith(UNREAD)


def by_the_third_version(study: Study, now: datetime) -> ScoringRun:
    """A run as it was begun when the third version was the newest."""
    judge: dict[str, JsonValue] = {"kind": "match", "rules": "bbh", "version": 3}
    return ScoringRun.objects.create(
        study=study, design_hash=study.design_hash, judge_sha256=identity_sha256(judge), replicate=1,
        judge_kind="match", judge=judge, protocol_hash=study.protocol_hash, started_at=now,
    )  # fmt: skip


def test_a_run_that_was_begun_by_earlier_rules_goes_on_by_them_and_the_workspace_says_so(
    make_study: Make, make_person: Callable[..., Participant], work: Callable[..., Session],
    score: Callable[..., Scoring], now: datetime,
) -> None:  # fmt: skip
    study = make_study(prompts=PROMPTS, **MATCH)
    assert answer_reader(study).version == 4  # type: ignore[union-attr]
    run = by_the_third_version(study, now)
    work(make_person(study), {"p1": "(A) Monday", "p2": "12", "p3": "Yes, it is.", "p4": "a b"})
    score(study, measures=False)
    assert list(ScoringRun.objects.all()) == [run]
    scored = AnswerScore.objects.filter(run=run).order_by("answer__prompt__prompt_id")
    assert list(scored.values_list("score", flat=True)) == [0.0, 1.0, 0.0, 1.0]
    assert answer_reader(study).version == 3  # type: ignore[union-attr]
    assert scoring_run_open(study=study, spec=JudgeSpec(), now=now) == run


def test_a_new_run_reads_by_the_newest_rules(
    make_study: Make, make_person: Callable[..., Participant], work: Callable[..., Session],
    score: Callable[..., Scoring],
) -> None:  # fmt: skip
    study = make_study(prompts=PROMPTS, **MATCH)
    work(make_person(study), {"p1": "(A) Monday", "p2": "12 items", "p3": "Yes, it is.", "p4": "a, b"})
    score(study, measures=False)
    assert ScoringRun.objects.get().judge == {"kind": "match", "rules": "bbh", "version": 4}
    assert list(AnswerScore.objects.values_list("score", flat=True)) == [1.0] * 4
