"""Drafting and freezing a study."""

from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from studies.bank.records import ContainsCheck, CriterionRecord
from studies.models import Study, StudyEvent, StudyStatus, User
from studies.protocol.fingerprint import design_hash, protocol_hash
from studies.protocol.judge_texts import DEFAULT_JUDGE_TEXTS
from studies.protocol.settings import ProtocolSettings
from studies.selectors.studies import study_by_slug
from studies.services.amendments import study_amend
from studies.services.people.invitations import invitation_create, invitation_revoke
from studies.services.people.participants import participant_add
from studies.services.readiness import StudyNotReady, prompt_problems
from studies.services.studies import StudyExists, StudyNotDraft, study_freeze, study_update_settings
from tests.studies.lifecycle.drafts import UNCHECKED, answered, draft, graded, version_of

pytestmark = pytest.mark.django_db
CHECKED = CriterionRecord(text="Says this", check=ContainsCheck(any_of=("this",)))


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
        (None, 0, r"closes_at \(1 May 2030, 09:00 UTC\) has passed"),
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
    settings = ProtocolSettings()
    told = protocol_hash(study.design_hash, opens_at=None, closes_at=None, settings=settings)
    assert study.protocol_hash == told
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
    with pytest.raises(StudyNotDraft, match="is locked; change it by an amendment"):
        study_freeze(study=study, now=now + timedelta(days=1))
    study.refresh_from_db()
    assert study.frozen_at == now
    assert kinds(study).count("study_frozen") == 1


def test_the_settings_of_a_frozen_study_do_not_change(now: datetime) -> None:
    study = study_freeze(study=draft(now), now=now)
    with pytest.raises(StudyNotDraft, match="change it by an amendment"):
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


def test_a_program_needs_something_to_judge_every_answer_by(now: datetime) -> None:
    version = version_of(now, answered("one"), graded("two", UNCHECKED), answered("bare"))
    study = draft(now, version, judge_kind="command", judge_command="units")
    assert prompt_problems(version, study.protocol) == []
    version.prompts.filter(prompt_id="bare").update(gold_answer=None)
    with pytest.raises(
        StudyNotReady, match=r'^bare: the judge "command" needs a rubric or a gold answer for'
    ):
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
