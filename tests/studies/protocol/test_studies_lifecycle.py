"""Drafting, freezing, amending and closing a study."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from studies.bank.building import BankReading
from studies.bank.records import BankRecord, ContainsCheck, CriterionRecord, PromptRecord
from studies.models import Amendment, BankVersion, Participant, Study, StudyEvent, StudyStatus, User
from studies.protocol.fingerprint import design_hash, protocol_hash
from studies.protocol.judge_texts import DEFAULT_JUDGE_TEXTS
from studies.protocol.settings import ProtocolSettings
from studies.selectors.studies import studies_with_people, study_by_slug, study_is_open
from studies.services.amendments import AmendmentRefused, study_amend
from studies.services.banks import bank_import
from studies.services.people.invitations import invitation_create, invitation_revoke
from studies.services.people.participants import participant_add
from studies.services.readiness import StudyNotReady
from studies.services.studies import (
    StudyExists,
    StudyNotDraft,
    StudyNotFrozen,
    study_close,
    study_create,
    study_freeze,
    study_update_settings,
)

pytestmark = pytest.mark.django_db

CHECKED = CriterionRecord(text="Says this", check=ContainsCheck(any_of=("this",)))
UNCHECKED = CriterionRecord(text="Is clear")


@pytest.fixture
def lead() -> User:
    return User.objects.create_user("lead@example.org", is_staff=True)


def version_of(now: datetime, *prompts: PromptRecord, slug: str = "bank") -> BankVersion:
    bank = BankRecord(format="chiron", prompts=prompts or (answered("one"),))
    reading = BankReading(bank=bank, problems=(), root=Path())
    return bank_import(slug=slug, reading=reading, strict=True, now=now).version


def answered(prompt_id: str) -> PromptRecord:
    return PromptRecord(prompt_id=prompt_id, text="Which?", gold_answer="this")


def graded(prompt_id: str, *criteria: CriterionRecord) -> PromptRecord:
    return PromptRecord(prompt_id=prompt_id, text="Which?", criteria=criteria)


def draft(
    now: datetime,
    version: BankVersion | None = None,
    closes_at: datetime | None = None,
    opens_at: datetime | None = None,
    **settings: object,
) -> Study:
    return study_create(
        slug="pilot",
        name="The pilot",
        bank_version=version or version_of(now),
        item_bank=None,
        judge_protocol=None,
        settings=ProtocolSettings.model_validate(settings),
        opens_at=opens_at,
        closes_at=closes_at,
        now=now,
    )


def kinds(study: Study) -> list[str]:
    return list(study.events.values_list("kind", flat=True))


# --- draft ----------------------------------------------------------------------------------------------


def test_a_new_study_is_a_draft_with_a_first_event(now: datetime) -> None:
    study = draft(now, top_size=3)
    assert (study.status, study.protocol_hash, study.frozen_at) == ("draft", "", None)
    assert study.protocol.top_size == 3
    assert kinds(study) == ["study_created"]
    assert study_by_slug("pilot") == study
    assert study_by_slug("other") is None


def test_a_short_name_is_used_once(now: datetime) -> None:
    version = version_of(now)
    draft(now, version)
    with pytest.raises(StudyExists, match='There is a study "pilot" already'):
        draft(now, version)
    assert StudyEvent.objects.count() == 1


@pytest.mark.parametrize(
    ("opens_in", "closes_in", "sentence"),
    [
        (2, 1, "closes_at is not after opens_at"),
        (1, 1, "closes_at is not after opens_at"),
        (None, 0, r"closes_at \(2030-05-01T09:00:00\+00:00\) has passed"),
    ],
)
def test_impossible_times_are_refused(
    now: datetime, opens_in: int | None, closes_in: int, sentence: str
) -> None:
    opens_at = None if opens_in is None else now + timedelta(days=opens_in)
    with pytest.raises(StudyNotReady, match=sentence):
        draft(now, opens_at=opens_at, closes_at=now + timedelta(days=closes_in))
    assert not Study.objects.exists()


def test_the_settings_of_a_draft_may_change(now: datetime, lead: User) -> None:
    study = draft(now)
    study_update_settings(
        study=study, settings=ProtocolSettings(batch_size=5), actor=lead, now=now + timedelta(1)
    )
    study.refresh_from_db()
    assert study.protocol.batch_size == 5
    assert kinds(study) == ["study_created", "settings_changed"]


# --- freezing -------------------------------------------------------------------------------------------


def test_freezing_fixes_the_protocol_under_its_hash(now: datetime, lead: User) -> None:
    study = study_freeze(study=draft(now), actor=lead, now=now)
    assert (study.status, study.frozen_at) == ("frozen", now)
    assert study.design_hash == design_hash(
        ProtocolSettings(),
        bank_digest=study.bank_version.digest,
        item_bank_digest=None,
        judge_protocol_hash=DEFAULT_JUDGE_TEXTS.sha256,
    )
    assert study.protocol_hash == protocol_hash(study.design_hash, opens_at=None, closes_at=None)
    event = study.events.get(kind="study_frozen")
    assert (event.actor, event.details) == (lead, {"protocol_hash": study.protocol_hash})


def test_a_language_model_judge_without_texts_gets_the_default_ones(now: datetime) -> None:
    study = study_freeze(study=draft(now), now=now)
    assert study.judge_protocol is not None
    assert study.judge_protocol.sha256 == DEFAULT_JUDGE_TEXTS.sha256


def test_other_judges_need_no_texts(now: datetime) -> None:
    study = study_freeze(study=draft(now, judge_kind="match", match_rules="bbeh"), now=now)
    assert study.judge_protocol is None


def test_freezing_twice_is_refused(now: datetime) -> None:
    study = study_freeze(study=draft(now), now=now)
    with pytest.raises(
        StudyNotDraft, match=r"is frozen since 2030-05-01 09:00 UTC, under protocol [0-9a-f]{64}"
    ):
        study_freeze(study=study, now=now + timedelta(days=1))
    study.refresh_from_db()
    assert study.frozen_at == now
    assert kinds(study).count("study_frozen") == 1


def test_the_settings_of_a_frozen_study_do_not_change(now: datetime) -> None:
    study = study_freeze(study=draft(now), now=now)
    with pytest.raises(StudyNotDraft, match="change it with amend_study"):
        study_update_settings(study=study, settings=ProtocolSettings(top_size=1), now=now)


def test_a_study_without_prompts_is_not_frozen(now: datetime) -> None:
    version = version_of(now)
    version.prompts.all().delete()
    study = draft(now, version)
    with pytest.raises(StudyNotReady, match="The bank version bank v1 has no prompts"):
        study_freeze(study=study, now=now)
    study.refresh_from_db()
    assert study.status == StudyStatus.DRAFT


def test_machine_checks_must_be_on_every_criterion(now: datetime) -> None:
    version = version_of(
        now,
        graded("good", CHECKED),
        graded("half", CHECKED, UNCHECKED),
        answered("exact"),
        *[graded(f"bare{n}", UNCHECKED) for n in range(5)],
    )
    study = draft(now, version, judge_kind="checks")
    with pytest.raises(StudyNotReady) as refusal:
        study_freeze(study=study, now=now)
    assert str(refusal.value) == (
        'half, bare0, bare1, bare2, bare3 and 1 more: the judge "checks" needs a machine check on every '
        "criterion, or a gold answer. Choose another judge_kind or import a corrected bank."
    )


def test_machine_checks_on_every_criterion_suffice_and_so_do_answers(now: datetime) -> None:
    version = version_of(now, graded("good", CHECKED, CHECKED), answered("exact"))
    study = draft(now, version, judge_kind="checks")
    assert study_freeze(study=study, now=now).status == StudyStatus.FROZEN


def test_matching_needs_an_answer_for_every_prompt(now: datetime) -> None:
    version = version_of(now, answered("one"), graded("two", CHECKED))
    study = draft(now, version, judge_kind="match", match_rules="bbh")
    with pytest.raises(StudyNotReady, match=r'^two: the judge "match" needs a gold answer for every prompt'):
        study_freeze(study=study, now=now)


def test_nobody_is_left_with_a_profile_that_does_not_exist(now: datetime) -> None:
    study = draft(now)
    person = participant_add(study=study, email="a@example.org", profile="stem-phd", now=now)
    profiles = ({"slug": "other", "name": "Other", "description": "Others"},)
    study = study_update_settings(
        study=study, settings=ProtocolSettings.model_validate({"profiles": profiles}), now=now
    )
    with pytest.raises(StudyNotReady, match=f'{person.code} has the profile "stem-phd"'):
        study_freeze(study=study, now=now)


def test_nobody_is_invited_for_a_profile_that_an_amendment_took_away(now: datetime) -> None:
    study = study_freeze(study=draft(now), now=now)
    invitation = invitation_create(study=study, email="a@example.org", profile="stem-phd", now=now)
    other = {"profiles": [{"slug": "other", "name": "Other", "description": "Others"}]}
    with pytest.raises(StudyNotReady, match='not accepted yet is for the profile "stem-phd"'):
        study_amend(study=study, changes=other, reason="Only others now", now=now)
    invitation_revoke(invitation=invitation, now=now)
    assert study_amend(study=study, changes=other, reason="Only others now", now=now).number == 1


def test_a_study_whose_time_has_passed_is_not_frozen(now: datetime) -> None:
    study = draft(now, closes_at=now + timedelta(days=1))
    with pytest.raises(StudyNotReady, match="has passed"):
        study_freeze(study=study, now=now + timedelta(days=2))


def test_the_database_keeps_a_study_from_leaving_draft_without_a_hash(now: datetime) -> None:
    study = draft(now)
    with pytest.raises(IntegrityError), transaction.atomic():
        Study.objects.filter(pk=study.pk).update(status=StudyStatus.FROZEN)


# --- amending -------------------------------------------------------------------------------------------


@pytest.fixture
def frozen(now: datetime) -> Study:
    return study_freeze(study=draft(now), now=now)


def test_an_amendment_is_numbered_and_says_what_why_and_by_whom(
    frozen: Study, now: datetime, lead: User
) -> None:
    later = now + timedelta(days=1)
    first = study_amend(
        study=frozen,
        changes={"time_budget_minutes": 240, "closes_at": "2031-01-01T01:00:00+01:00"},
        reason=" People asked. ",
        actor=lead,
        now=later,
    )
    frozen.refresh_from_db()
    assert frozen.protocol.time_budget_minutes == 240
    assert frozen.closes_at == datetime(2031, 1, 1, tzinfo=UTC)
    assert (first.number, first.reason, first.made_by, first.made_at) == (1, "People asked.", lead, later)
    assert first.changes == {
        "time_budget_minutes": {"from": 300, "to": 240},
        "closes_at": {"from": None, "to": "2031-01-01T00:00:00+00:00"},
    }
    assert first.protocol_hash == frozen.protocol_hash
    event = frozen.events.get(kind="study_amended")
    assert event.details == {
        "number": 1,
        "fields": ["closes_at", "time_budget_minutes"],
        "reason": "People asked.",
    }


def test_every_amendment_of_the_settings_gives_another_hash(frozen: Study, now: datetime) -> None:
    for number, size in enumerate((10, 12), start=1):
        amendment = study_amend(study=frozen, changes={"top_size": size}, reason="Few came.", now=now)
        assert amendment.number == number
    hashes = [frozen.protocol_hash, *Amendment.objects.values_list("protocol_hash", flat=True)]
    assert len(set(hashes)) == 3


def test_moving_the_closing_time_changes_the_hash_and_the_amendment_keeps_both(
    frozen: Study, now: datetime
) -> None:
    first, closes_at = frozen.protocol_hash, {"closes_at": "2031-01-01T00:00:00Z"}
    one = study_amend(study=frozen, changes=closes_at, reason="Recruiting takes longer.", now=now)
    other = study_amend(study=frozen, changes={"top_size": 10}, reason="Few came.", now=now)
    back = study_amend(study=frozen, changes={"closes_at": None, "top_size": 15}, reason="Back.", now=now)
    chain = [one.protocol_hash_before, one.protocol_hash, other.protocol_hash, back.protocol_hash]
    assert chain[0] == chain[3] == first
    assert len(set(chain)) == 3
    assert [other.protocol_hash_before, back.protocol_hash_before] == chain[1:3]


def test_moving_the_closing_time_leaves_the_design_even_where_the_settings_know_more_since(
    frozen: Study, now: datetime
) -> None:
    design = frozen.design_hash
    fewer = {name: value for name, value in frozen.settings.items() if name != "deletion_days"}
    Study.objects.update(settings=fewer)  # as a release stored them that did not know this setting
    study_amend(study=frozen, changes={"closes_at": "2031-01-01T00:00:00Z"}, reason="Later.", now=now)
    frozen.refresh_from_db()
    assert frozen.design_hash == design
    study_amend(study=frozen, changes={"top_size": 10}, reason="Few came.", now=now)
    frozen.refresh_from_db()
    assert frozen.design_hash != design


def test_times_are_compared_as_moments(frozen: Study, now: datetime) -> None:
    study_amend(study=frozen, changes={"closes_at": "2031-01-01T00:00:00Z"}, reason="End", now=now)
    with pytest.raises(AmendmentRefused, match="nothing to amend"):
        study_amend(study=frozen, changes={"closes_at": "2031-01-01T02:00:00+02:00"}, reason="x", now=now)
    study_amend(study=frozen, changes={"closes_at": None}, reason="No end after all", now=now)
    frozen.refresh_from_db()
    assert frozen.closes_at is None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "nothing to amend"),
        ({"top_size": 15}, "nothing to amend"),
        ({"top_size": 0}, "top_size is below 1"),
        ({"colour": "red"}, "colour is not a known field"),
        ({"judge_kind": "match"}, 'match_rules is needed by the judge "match"'),
        ({"closes_at": "tomorrow"}, "closes_at: write a time with its offset"),
        ({"closes_at": "2031-01-01T00:00:00"}, "closes_at: write a time with its offset"),
        ({"closes_at": "9999-12-31T23:59:59-23:00"}, "closes_at: write a time with its offset"),
        ({"instructions": "\ud800"}, "instructions contains half of a surrogate pair"),
        ({"opens_at": 5}, "opens_at: write a time with its offset"),
        ({"batch_size": 10}, "batch_size: the batches of a frozen study do not change"),
        ({"assembly_seed": 7, "assembly": "random"}, "assembly, assembly_seed: the batches"),
    ],
)
def test_an_amendment_that_cannot_be_made_changes_nothing(
    frozen: Study, now: datetime, changes: dict[str, object], sentence: str
) -> None:
    before = Study.objects.values().get()
    with pytest.raises(AmendmentRefused, match=sentence):
        study_amend(study=frozen, changes=changes, reason="Because", now=now)
    assert Study.objects.values().get() == before
    assert not Amendment.objects.exists()


def test_an_amendment_needs_a_reason(frozen: Study, now: datetime) -> None:
    with pytest.raises(AmendmentRefused, match="needs a reason"):
        study_amend(study=frozen, changes={"top_size": 3}, reason="  ", now=now)


def test_an_amendment_must_leave_the_study_able_to_run(now: datetime) -> None:
    study = study_freeze(study=draft(now, version_of(now, graded("one", UNCHECKED))), now=now)
    with pytest.raises(StudyNotReady, match='one: the judge "checks" needs a machine check'):
        study_amend(study=study, changes={"judge_kind": "checks"}, reason="Cheaper", now=now)
    with pytest.raises(StudyNotReady, match=r"closes_at .* has passed"):
        study_amend(study=study, changes={"closes_at": "2030-04-30T00:00:00Z"}, reason="End", now=now)
    study.refresh_from_db()
    assert (study.protocol.judge_kind, study.closes_at) == ("llm", None)


def test_settings_can_still_be_amended_after_the_closing_time(now: datetime) -> None:
    study = study_freeze(study=draft(now, closes_at=now + timedelta(days=1)), now=now)
    study_amend(study=study, changes={"top_size": 3}, reason="Few came", now=now + timedelta(days=2))
    assert Amendment.objects.count() == 1


def test_changing_to_a_language_model_judge_brings_its_texts(now: datetime) -> None:
    study = study_freeze(study=draft(now, judge_kind="match", match_rules="bbeh"), now=now)
    study_amend(study=study, changes={"judge_kind": "llm", "match_rules": None}, reason="Better", now=now)
    study.refresh_from_db()
    assert study.judge_protocol is not None


def test_a_draft_is_not_amended(now: datetime) -> None:
    with pytest.raises(StudyNotFrozen, match='"pilot" is draft, not frozen; use update_study'):
        study_amend(study=draft(now), changes={"top_size": 3}, reason="x", now=now)


# --- closing and being open -----------------------------------------------------------------------------


def test_closing_is_final(frozen: Study, now: datetime, lead: User) -> None:
    study = study_close(study=frozen, actor=lead, reason="Enough people", now=now)
    assert study.status == StudyStatus.CLOSED
    assert study.events.get(kind="study_closed").details == {"reason": "Enough people"}
    with pytest.raises(StudyNotFrozen, match="is closed; only a frozen study"):
        study_close(study=study, now=now)
    with pytest.raises(StudyNotFrozen, match="is closed, not frozen; it stays as it is"):
        study_amend(study=study, changes={"top_size": 3}, reason="x", now=now)


def test_a_draft_cannot_be_closed(now: datetime) -> None:
    with pytest.raises(StudyNotFrozen, match="is draft"):
        study_close(study=draft(now), now=now)


def test_a_study_is_open_from_its_opening_up_to_its_closing(now: datetime) -> None:
    opens_at, closes_at = now + timedelta(days=1), now + timedelta(days=2)
    study = study_freeze(study=draft(now, opens_at=opens_at, closes_at=closes_at), now=now)
    second = timedelta(seconds=1)
    moments = (opens_at - second, opens_at, closes_at - second, closes_at)
    assert [study_is_open(study, moment) for moment in moments] == [False, True, True, False]


def test_only_a_frozen_study_is_open(now: datetime) -> None:
    study = draft(now)
    assert not study_is_open(study, now)
    study = study_freeze(study=study, now=now)
    assert study_is_open(study, now)
    assert not study_is_open(study_close(study=study, now=now), now)


def test_the_list_of_studies_counts_people(
    now: datetime, frozen: Study, make_person: Callable[..., Participant]
) -> None:
    make_person(frozen)
    participant_add(study=frozen, email="b@example.org", profile="stem-phd", now=now)
    row = studies_with_people().get()
    assert (row.people, row.waiting) == (2, 1)  # type: ignore[attr-defined]  # annotated
