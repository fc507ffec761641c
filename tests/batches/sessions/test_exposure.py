"""Nobody gets a batch with a prompt they have met in another study."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from batches.models import Answer, BatchPlan, Session
from batches.selectors.plans import exposed_batches
from batches.services.ending import session_withdraw
from batches.services.plans import batches_build
from batches.services.starting import PlacesTaken, PromptsMet, require_startable, session_start
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, PromptRecord
from studies.models import Participant, Study, User
from studies.protocol.settings import ProtocolSettings
from studies.services.banks import bank_import
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add, participant_approve
from studies.services.studies import study_create, study_freeze

pytestmark = pytest.mark.django_db
MakeBankStudy = Callable[..., Study]


@pytest.fixture
def bank_study(now: datetime, tmp_path: Path) -> MakeBankStudy:
    """`bank_study("one", range(1, 9), suffix="")`: a study on the next version of one bank."""

    def make(slug: str, numbers: range, suffix: str = "", bank: str = "shared", **settings: object) -> Study:
        records = tuple(
            PromptRecord(prompt_id=f"p{n:03d}", text=f"Question {n}{suffix}?", gold_answer="1", category="QR")
            for n in numbers
        )
        reading = BankReading(BankRecord(format="chiron", prompts=records), (), tmp_path)
        study = study_create(
            slug=slug,
            name=slug,
            bank_version=bank_import(slug=bank, reading=reading, strict=True, now=now).version,
            item_bank=None,
            judge_protocol=None,
            settings=ProtocolSettings.model_validate({"batch_size": 4, "assembly": "random", **settings}),
            opens_at=None,
            closes_at=None,
            now=now,
        )
        batches_build(study=study, now=now)
        return study_freeze(study=study, now=now)

    return make


@pytest.fixture
def join(now: datetime) -> Callable[..., Participant]:
    def add(study: Study, email: str = "ada@example.org", *, is_test: bool = False) -> Participant:
        person = participant_add(study=study, email=email, profile="stem-phd", is_test=is_test, now=now)
        person = participant_approve(participant=person, now=now)
        consent_record(participant=person, accepted=True, now=now)
        return person

    return add


def see(session: Session, prompt_id: str, now: datetime) -> None:
    session.answers.filter(prompt__prompt_id=prompt_id).update(first_seen_at=now)


def batch_of(study: Study, prompt_id: str) -> int:
    return study.batch_plan.batches.get(prompts__prompt_id=prompt_id).pk


def test_a_batch_with_a_prompt_seen_before_is_left_out_in_any_version_of_the_bank(
    bank_study: MakeBankStudy, join: Callable[..., Participant], now: datetime
) -> None:
    first, second = (
        bank_study("first", range(1, 5)),
        bank_study("second", range(1, 13), suffix=" (corrected)"),
    )
    session = session_start(participant=join(first), now=now)
    see(session, "p002", now)
    person = join(second)
    left_out = batch_of(second, "p002")
    assert exposed_batches(person, BatchPlan.objects.get(study=second)) == {left_out}
    assert session_start(participant=person, now=now).batch_id != left_out


def test_a_prompt_that_was_assigned_and_never_opened_was_not_met(
    bank_study: MakeBankStudy, join: Callable[..., Participant], now: datetime
) -> None:
    first, second = bank_study("first", range(1, 5)), bank_study("second", range(1, 9))
    session_start(participant=join(first), now=now)
    assert exposed_batches(join(second), BatchPlan.objects.get(study=second)) == set()


def test_the_same_prompt_id_in_another_bank_is_another_prompt(
    bank_study: MakeBankStudy, join: Callable[..., Participant], now: datetime
) -> None:
    first, second = bank_study("first", range(1, 5)), bank_study("second", range(1, 5), bank="other")
    see(session_start(participant=join(first), now=now), "p001", now)
    assert session_start(participant=join(second), now=now)


def test_where_every_free_batch_was_met_the_start_is_refused_with_a_sentence(
    bank_study: MakeBankStudy, join: Callable[..., Participant], now: datetime
) -> None:
    first, second = bank_study("first", range(1, 5)), bank_study("second", range(1, 5), suffix="!")
    session = session_start(participant=join(first), now=now)
    see(session, "p001", now)
    session_withdraw(participant=session.participant, now=now + timedelta(minutes=1))
    person = join(second)
    with pytest.raises(PromptsMet, match="seen in another study"):
        require_startable(person, now)
    with pytest.raises(PromptsMet):
        session_start(participant=person, now=now)
    assert not Session.objects.filter(participant=person).exists()


def test_a_study_without_any_place_says_that_instead(
    bank_study: MakeBankStudy, join: Callable[..., Participant], now: datetime
) -> None:
    first = bank_study("first", range(1, 5))
    second = bank_study("second", range(1, 5), suffix="!", replicates_per_profile=1)
    see(session_start(participant=join(first), now=now), "p001", now)
    session_start(participant=join(second, "grace@example.org"), now=now)
    with pytest.raises(PlacesTaken):
        session_start(participant=join(second), now=now)


def test_a_test_run_shows_prompts_that_count_as_met_and_may_show_them_again(
    bank_study: MakeBankStudy, join: Callable[..., Participant], now: datetime
) -> None:
    first, second, third = (bank_study(f"s{n}", range(1, 5), suffix=" " * n) for n in range(3))
    see(session_start(participant=join(first, is_test=True), now=now), "p001", now)
    assert session_start(participant=join(second, is_test=True), now=now)
    with pytest.raises(PromptsMet):
        session_start(participant=join(third), now=now)


def test_the_number_of_queries_does_not_depend_on_what_was_met(
    bank_study: MakeBankStudy, join: Callable[..., Participant], now: datetime
) -> None:
    first, second = bank_study("first", range(1, 41)), bank_study("second", range(1, 81), suffix="!")
    person = join(second)
    with CaptureQueriesContext(
        connection,
    ) as before:
        require_startable(Participant.objects.select_related("study").get(pk=person.pk), now)
    session_start(participant=join(first), now=now)
    Answer.objects.update(first_seen_at=now)
    with CaptureQueriesContext(connection) as after:
        require_startable(Participant.objects.select_related("study").get(pk=person.pk), now)
    assert User.objects.count() == 1
    assert len(before) == len(after) <= 11
