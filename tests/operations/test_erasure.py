"""After a withdrawal the promised data are deleted at the promised time; what happened and when stays."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.management import call_command

from batches.models import Answer, PracticeAnswer, Revision, Session, SessionEvent
from batches.selectors.deletion import people_to_erase, withdrawal_of
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import session_withdraw
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AuditItem, AuditSample, CriterionScore, JudgeCall, JudgingRun
from judging.services.running.counting import run_count, run_differs
from operations.services import erasure
from operations.services.erasure import withdrawn_erase
from psychometrics.inference.measure import Block
from scoring.coordinator import Scoring
from scoring.models import MeasureRow
from scoring.selectors.export_answers import answer_rows
from scoring.selectors.export_people import event_rows, session_rows
from scoring.services.measurement import measurement_compute
from studies.models import Credential, Message, Participant, ProfileForm, Study, StudyEvent, User
from studies.selectors.contact import open_threads
from studies.services.banks import item_bank_import
from studies.services.people.messages import ConversationOver, message_answer, message_send

pytestmark = pytest.mark.django_db
SECRET = "41 because of my very own reasons"


@pytest.fixture(scope="module")
def judged(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Participant:
    """One of two people of a study that was judged."""
    study = make_study(slug="leave", judge_kind="checks", deletion_days=30, top_size=1)
    person = make_person(study)
    work(person, {"p001": SECRET, "p002": "2"})
    work(make_person(study), {"p001": "1"})
    score_at(study, clock=lambda: now + timedelta(hours=3))
    return person


@pytest.fixture
def study(judged: Participant, db: None) -> Study:
    return Study.objects.get(pk=judged.study_id)


@pytest.fixture
def leaver(judged: Participant, now: datetime, db: None) -> Participant:
    """Worked, was judged, said things, handed in a file; then withdrew."""
    person = Participant.objects.get(pk=judged.pk)
    session = person.session
    later = now + timedelta(hours=3)
    row = CriterionScore.objects.get(answer__session=session, answer__prompt__prompt_id="p001")
    CriterionScore.objects.filter(pk=row.pk).update(explanation=f"The answer says: {SECRET}")
    JudgeCall.objects.create(
        judging_run=row.judging_run,
        run=row.run,
        answer=row.answer,
        raw_reply=f"It says {SECRET}",
        request_sha256="",
        judge_protocol_sha256="",
        model="m",
        latency_ms=1,
        outcome="ok",
        called_at=later,
    )
    sample = AuditSample.objects.create(judging_run=row.judging_run, seed=1, strata=[], drawn_at=later)
    AuditItem.objects.create(sample=sample, number=1, row=row, stratum="zero", comment=f"Why {SECRET}?")
    ProfileForm.objects.create(participant=person, answers={"Degree?": SECRET}, submitted_at=now)
    PracticeAnswer.objects.create(participant=person, number=1, text=SECRET, saved_at=now)
    Message.objects.create(
        participant=person, is_from_team=False, author=person.user, text=SECRET, sent_at=now
    )
    Credential.objects.create(
        participant=person,
        file=ContentFile(b"%PDF-1.4", name="degree"),
        name="degree.pdf",
        media_type="application/pdf",
        size_bytes=8,
        sha256="0" * 64,
        uploaded_at=now,
    )
    session_withdraw(participant=person, reason=SECRET, now=later)
    return person


def files() -> list[Path]:
    return [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]


def stored_secrets(person: Participant) -> list[str]:
    """Where the person's own words still are."""
    texts = {
        "answers": Answer.objects.filter(session__participant=person).values_list("text", "note"),
        "revisions": Revision.objects.filter(answer__session__participant=person).values_list("text"),
        "explanations": CriterionScore.objects.values_list("explanation"),
        "replies": JudgeCall.objects.values_list("raw_reply"),
        "audit": AuditItem.objects.values_list("comment"),
        "profile": ProfileForm.objects.values_list("answers"),
        "practice": PracticeAnswer.objects.values_list("text"),
        "messages": Message.objects.values_list("text"),
        "study events": StudyEvent.objects.filter(participant=person).values_list("details"),
        "session events": SessionEvent.objects.values_list("details"),
    }
    return [name for name, rows in texts.items() if SECRET in str(list(rows))]


def due_at(person: Participant) -> datetime:
    withdrawal = withdrawal_of(person)
    assert withdrawal is not None
    return withdrawal.deletes_at


def test_nothing_is_deleted_before_the_promised_time(leaver: Participant, now: datetime) -> None:
    assert due_at(leaver) == now + timedelta(days=30, hours=3)
    before = stored_secrets(leaver)
    assert len(before) == 9
    assert withdrawn_erase(now=due_at(leaver) - timedelta(seconds=1)) == 0
    assert stored_secrets(leaver) == before
    assert len(files()) == 1


def test_everything_in_the_persons_words_is_deleted_and_the_facts_stay(leaver: Participant) -> None:
    at = due_at(leaver)
    facts = ("status", "started_at", "deadline_at", "ended_at", "resources_recorded_at")
    session = Session.objects.filter(participant=leaver).values(*facts).get()
    consents = list(leaver.consents.values())
    revisions = Revision.objects.count()
    assert withdrawn_erase(now=at) == 1
    assert stored_secrets(leaver) == []
    assert (files(), Credential.objects.count()) == ([], 0)
    assert Session.objects.filter(participant=leaver).values(*facts).get() == session
    assert Session.objects.get(participant=leaver).resources == []
    assert list(leaver.consents.values()) == consents
    assert Revision.objects.count() == revisions
    assert StudyEvent.objects.get(kind="data_deleted").happened_at == at
    assert leaver.user.email == Participant.objects.get(pk=leaver.pk).user.email


def test_other_people_keep_their_data(leaver: Participant, study: Study) -> None:
    withdrawn_erase(now=due_at(leaver))
    others = Answer.objects.exclude(session__participant=leaver)
    assert others.get(prompt__prompt_id="p001").text == "1"


def test_exports_and_scoring_go_on_afterwards(
    leaver: Participant, study: Study, score: Callable[..., Scoring]
) -> None:
    at = due_at(leaver)
    before = (list(answer_rows(study)), list(session_rows(study)))
    withdrawn_erase(now=at)
    assert (list(answer_rows(study)), list(session_rows(study))) == before
    assert [row.kind for row in event_rows(study)].count("data_deleted") == 1
    scoring = score(study, clock=lambda: at)
    assert scoring.judges[0].results.flow["withdrawn"] == 1


def test_what_was_measured_of_the_person_goes_and_measuring_goes_on(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    now: datetime,
) -> None:
    """The code of who withdrew stands in no row; everybody else's rows stay."""
    items = tuple(ItemParameter(f"p{n:03d}", a=1.0, b=0.1 * n) for n in range(1, 5))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    item_bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
    study = make_study(judge_kind="checks", top_size=1, item_bank=item_bank, replicates_per_profile=3)
    person, *others = (make_person(study) for _ in range(3))
    work(person, {"p001": "1", "p002": "no"})
    for other in others:
        work(other, {"p001": "1", "p003": "3"})
    codes = {other.code for other in others}
    later = now + timedelta(hours=3)
    results = score(study, clock=lambda: later).judges[0].results
    measurement = measurement_compute(results=results, now=later, resamples=50)
    rows = MeasureRow.objects.filter(results__run__study=study).exclude(participant="")
    assert set(rows.values_list("participant", flat=True)) == {person.code} | codes
    total, own = measurement.result_set.measures.count(), rows.filter(participant=person.code).count()
    session_withdraw(participant=person, now=later)
    withdrawn_erase(now=due_at(person))
    assert set(rows.values_list("participant", flat=True)) == codes
    assert measurement.result_set.measures.count() == total - own
    again = measurement_compute(results=results, now=due_at(person), resamples=50)
    assert again.blocks[Block.COHORT]["state"] == "computed"
    assert not again.result_set.measures.filter(participant=person.code).exists()


def test_what_a_deletion_decides_of_a_counted_run_is_counted_anew(leaver: Participant) -> None:
    run = JudgingRun.objects.get()
    leader = CriterionScore.objects.exclude(answer__session__participant=leaver).first()
    own = CriterionScore.objects.filter(answer__session__participant=leaver, answer__prompt__prompt_id="p001")
    assert leader is not None
    undecided = {"state": "open", "origin": "", "score": None, "confidence": None, "decided_at": None}
    assert own.update(**undecided, asked_with=leader) == 1
    later = due_at(leaver) + timedelta(seconds=1)
    assert run_count(now=later) == run
    assert withdrawn_erase(now=later) == 1
    assert own.get().state == "unscored"
    run.refresh_from_db()
    assert run.counts is None or not run_differs(run, later)


def test_a_second_run_finds_nothing_to_do(leaver: Participant) -> None:
    at = due_at(leaver)
    withdrawn_erase(now=at)
    assert people_to_erase(at + timedelta(days=1)) == []
    assert withdrawn_erase(now=at + timedelta(days=1)) == 0
    assert StudyEvent.objects.filter(kind="data_deleted").count() == 1


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_file_that_could_not_be_removed_is_removed_by_the_next_run(
    leaver: Participant, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def fail(participant: Participant) -> None:
        raise error("the disk is gone")

    with monkeypatch.context() as broken, suppress(KeyboardInterrupt):
        broken.setattr(erasure, "credential_files_delete", fail)
        withdrawn_erase(now=due_at(leaver))
    assert (stored_secrets(leaver), len(files())) == ([], 1)
    assert withdrawn_erase(now=due_at(leaver)) == 1
    assert files() == []


def test_a_crash_among_the_rows_changes_nothing(leaver: Participant, monkeypatch: pytest.MonkeyPatch) -> None:
    before = stored_secrets(leaver)

    def crash(*_: object) -> None:
        raise RuntimeError("stopped")

    with monkeypatch.context() as broken:
        broken.setattr(erasure, "participant_event", crash)
        with pytest.raises(RuntimeError):
            withdrawn_erase(now=due_at(leaver))
    assert (stored_secrets(leaver), len(files())) == (before, 1)
    assert withdrawn_erase(now=due_at(leaver)) == 1


def test_a_text_that_an_old_page_sends_afterwards_is_deleted_too(leaver: Participant) -> None:
    at = due_at(leaver)
    withdrawn_erase(now=at)
    session = Session.objects.get(participant=leaver)
    incoming = IncomingText(text=SECRET, base_revision=1, tab="old", sequence=9)
    answer_save(user_id=leaver.user_id, session_id=session.pk, position=1, incoming=incoming, now=at)
    assert stored_secrets(leaver) == ["revisions"]
    withdrawn_erase(now=at + timedelta(days=1))
    assert stored_secrets(leaver) == []


def test_after_the_deletion_no_message_is_taken_that_would_vanish(leaver: Participant, now: datetime) -> None:
    """One could be lost unread within a day, and the study team would wait for nothing."""
    at = due_at(leaver)
    team = User.objects.create_superuser("lead@example.org")
    message_send(participant=leaver, text="Before", now=now)
    withdrawn_erase(now=at)
    assert not Message.objects.exists()
    assert not open_threads().exists()
    with pytest.raises(ConversationOver, match="contact named on this page"):
        message_send(participant=leaver, text="Where is my money?", now=at)
    with pytest.raises(ConversationOver, match="Write to their address"):
        message_answer(participant=leaver, text="It is on its way.", actor=team, now=at)
    assert not Message.objects.exists()


def test_a_person_who_withdrew_before_starting_is_erased_too(
    study: Study, make_person: Callable[..., Participant], now: datetime
) -> None:
    person = make_person(study)
    session_withdraw(participant=person, now=now)
    assert withdrawn_erase(now=now + timedelta(days=30)) == 1


@pytest.mark.usefixtures("sure_clock")
def test_the_command_says_how_many(leaver: Participant, capsys: pytest.CaptureFixture[str]) -> None:
    StudyEvent.objects.filter(kind="participant_withdrew").update(details={"deletes_at": "2020-01-01T00:00Z"})
    call_command("erase_withdrawn")
    call_command("erase_withdrawn")
    assert capsys.readouterr().out.splitlines() == [
        "Deleted the data of 1 person.",
        "Deleted 0 stored sessions of earlier sign-ins.",
        "Deleted the data of 0 people.",
        "Deleted 0 stored sessions of earlier sign-ins.",
    ]
