"""While many rows are stored or deleted, others can write: no lock is held from one slice to the next."""

import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session as SignIn
from django.db import connection

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import JudgeConfig
from judging.services.running import run_rows
from judging.services.running.judge_specs import JudgeSpec
from judging.services.running.runs import run_plan, run_start
from scoring.models import ModelConfiguration
from scoring.readers.model_results.records import ModelResponse, ModelResults
from scoring.selectors.leaderboards import models_on
from scoring.services.leaderboards import leaderboard_import
from scoring.services.model_versions import model_drafts_clear
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, PromptRecord
from studies.models import BankVersion, ItemBank, OutgoingMail, Participant, Study, User
from studies.services import banks
from studies.services.banks import bank_import, item_bank_import
from studies.services.people import invitation_mails, participants
from studies.services.people.invitation_mails import invitations_queue
from studies.services.people.people_import import (
    PeopleReading,
    PersonRow,
    invitations_import,
    participants_import,
)
from studies.services.staff import sign_in
from studies.services.staff.sign_in import sign_ins_clear

pytestmark = pytest.mark.django_db(transaction=True)
ROWS = 2_500


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """Somebody writes, without waiting, each time that the import says how far it is."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL locks rows, not the whole of it")
    monkeypatch.setattr("studies.services.database.time.sleep", lambda seconds: None)

    def write(_done: int = 0, _of: int = 0) -> None:
        with sqlite3.connect(connection.settings_dict["NAME"], timeout=0) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("UPDATE studies_user SET is_active = is_active")
            seen.append((BankVersion.objects.count(), ItemBank.objects.count()))

    seen: list[tuple[int, int]] = []
    write.seen = seen  # type: ignore[attr-defined]
    return write


def test_a_bank_is_stored_in_slices_and_seen_when_it_is_whole(
    others: Callable[[int, int], None], now: datetime
) -> None:
    prompts = tuple(PromptRecord(prompt_id=f"p{n}", text="Q?", gold_answer="1") for n in range(ROWS))
    reading = BankReading(bank=BankRecord(format="chiron", prompts=prompts), problems=(), root=Path())
    bank_import(slug="large", reading=reading, strict=True, now=now, progress=others)
    assert len(others.seen) > ROWS / 250  # type: ignore[attr-defined]
    assert {versions for versions, _ in others.seen} == {0}  # type: ignore[attr-defined]
    assert BankVersion.objects.get().prompts.count() == ROWS


def item_parameters() -> ItemParameters:
    items = tuple(ItemParameter(f"p{n}", a=1.0, b=0.0) for n in range(ROWS))
    return ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)


def test_item_parameters_are_seen_when_they_are_whole(
    others: Callable[[int, int], None], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(banks, "ITEMS_A_SLICE", 500)
    monkeypatch.setattr("studies.services.database.time.sleep", lambda seconds: others(0, 0))
    item_bank, created = item_bank_import(slug="items", parameters=item_parameters(), now=now)
    assert created
    assert {number for _, number in others.seen} == {0}  # type: ignore[attr-defined]
    assert item_bank.items.count() == ROWS


def results(score: float) -> ModelResults:
    responses = tuple(
        ModelResponse(model=f"M{model}", prompt_id=f"p{n}", epoch=1, score=score)
        for model in range(2)
        for n in range(ROWS)
    )
    return ModelResults(responses=responses)


def test_results_of_models_are_seen_when_they_are_whole(
    others: Callable[[int, int], None], now: datetime
) -> None:
    item_bank, _ = item_bank_import(slug="items", parameters=item_parameters(), now=now)
    there: list[int] = []

    def progress(done: int, of: int) -> None:
        others(done, of)
        there.append(models_on(item_bank.pk).count())

    given = {"item_bank": item_bank, "source": "A run", "now": now, "progress": progress}
    leaderboard_import(results=results(0.5), replace=False, **given)  # type: ignore[arg-type]
    assert set(there) == {0}
    assert len(there) >= 2 * ROWS / 1_000
    leaderboard_import(results=results(0.25), replace=True, **given)  # type: ignore[arg-type]
    assert models_on(item_bank.pk).count() == 2
    assert ModelConfiguration.objects.count() == 2  # nobody is compared with those of before


def people(number: int) -> PeopleReading:
    rows = (PersonRow(n, f"a{n}@example.org", "stem-phd", "approved") for n in range(1, number + 1))
    return PeopleReading(tuple(rows), ())


def test_people_of_a_list_are_seen_when_all_are_there(
    make_study: Callable[..., Study],
    others: Callable[[int, int], None],
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study, seen = make_study(), []

    def pause(_seconds: float) -> None:
        others(0, 0)
        seen.append(study.participants.count())

    monkeypatch.setattr("studies.services.database.time.sleep", pause)
    monkeypatch.setattr(participants, "EMAILS_PER_QUERY", 10)
    added = participants_import(study=study, reading=people(45), now=now).added
    assert seen == [0] * 5 + [45]
    assert [one.code for one in added] == list(
        study.participants.order_by("pk").values_list("code", flat=True)
    )
    kinds = Counter(study.events.values_list("kind", "participant"))
    assert set(kinds.values()) == {1}
    assert sum(kind == "participant_approved" for kind, _ in kinds) == 45


def test_people_of_a_list_whose_import_broke_off_are_added_by_the_next_one(
    make_study: Callable[..., Study],
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = make_study()
    monkeypatch.setattr(participants, "rows_insert", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        participants_import(study=study, reading=people(3), now=now)
    assert not study.participants.exists()
    monkeypatch.undo()
    assert len(participants_import(study=study, reading=people(3), now=now).added) == 3
    assert User.objects.filter(email__startswith="a").count() == 3


def test_invitations_of_a_list_are_queued_while_others_write(
    make_study: Callable[..., Study],
    others: Callable[[int, int], None],
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study, waiting = make_study(), []

    def pause(_seconds: float) -> None:
        others(0, 0)
        waiting.append(OutgoingMail.objects.count())

    monkeypatch.setattr("studies.services.database.time.sleep", pause)
    monkeypatch.setattr(invitation_mails, "MAILS_A_SLICE", 2)
    rows = tuple(replace(row, status="") for row in people(6).rows)
    reading = PeopleReading(rows, ())
    made = invitations_import(study=study, reading=reading, now=now)
    assert invitations_queue(study=study, invitations=made.to_send, site_url="https://x", now=now) == 6
    assert waiting == [0, 2, 4, 6]
    # As after a kill in the middle: the list again invites nobody anew, and sends what was not sent.
    again = invitations_import(study=study, reading=reading, now=now)
    assert (again.made, len(again.to_send)) == (0, 6)
    invitations_queue(study=study, invitations=again.to_send, site_url="https://x", now=now)
    assert OutgoingMail.objects.count() == 6
    assert study.events.filter(kind="invitation_created").count() == 6


def test_the_plan_of_a_judging_run_is_stored_while_others_write(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    make_judge: Callable[..., JudgeConfig],
    work: Callable[..., Session],
    others: Callable[[int, int], None],
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study, runs = make_study(), []
    work(make_person(study), {f"p00{n}": f"It is {n}." for n in (1, 2, 3, 4)})
    specs = [JudgeSpec(make_judge("http://127.0.0.1:9/v1"))]

    def pause(_seconds: float) -> None:
        others(0, 0)
        runs.append(study.judging_runs.count())

    monkeypatch.setattr("studies.services.database.time.sleep", pause)
    monkeypatch.setattr(run_rows, "ROWS_A_SLICE", 1)
    plan = run_plan(study=study, specs=specs, now=now, progress=lambda done, of: None)
    run = run_start(plan=plan, budget=None, actor=None, now=now)
    assert runs == [0] * 4
    assert run.rows.count() == run.planned == 4


def test_sign_ins_are_cleared_while_others_write(
    others: Callable[[int, int], None], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = now - timedelta(days=1)
    SignIn.objects.bulk_create(SignIn(session_key=f"{n:032d}", expire_date=over) for n in range(5))
    left: list[int] = []

    def pause(_seconds: float) -> None:
        others(0, 0)
        left.append(SignIn.objects.count())

    monkeypatch.setattr("studies.services.database.time.sleep", pause)
    monkeypatch.setattr(sign_in, "ROWS_A_SLICE", 2)
    assert sign_ins_clear(now=now) == 5
    assert left == [3, 1, 0]


def test_what_a_killed_import_of_models_left_goes(now: datetime, others: Callable[[int, int], None]) -> None:
    item_bank, _ = item_bank_import(slug="items", parameters=item_parameters(), now=now)
    leaderboard_import(item_bank=item_bank, results=results(0.5), source="A run", replace=False, now=now)
    ModelConfiguration.objects.filter(name="M1").update(until=0)
    assert [one.name for one in models_on(item_bank.pk)] == ["M0"]
    model_drafts_clear(before=now)
    assert ModelConfiguration.objects.count() == 2
    model_drafts_clear(before=now.replace(year=now.year + 1))
    assert ModelConfiguration.objects.get().name == "M0"
