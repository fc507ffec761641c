"""Amending and closing a study, and when it is open."""

from datetime import UTC, datetime, timedelta

import pytest

from studies.models import Amendment, Study, StudyStatus, User
from studies.selectors.studies import study_is_open
from studies.services.amendments import AmendmentRefused, study_amend
from studies.services.readiness import StudyNotReady
from studies.services.studies import StudyNotFrozen, study_close, study_freeze
from tests.studies.lifecycle.drafts import UNCHECKED, draft, graded, version_of

pytestmark = pytest.mark.django_db


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
        ({"batch_size": 10}, "batch_size: the question sets of a locked study do not change"),
        ({"assembly_seed": 7, "assembly": "random"}, "assembly, assembly_seed: the question sets"),
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
    with pytest.raises(StudyNotFrozen, match='"pilot" is not locked yet: change it in its set-up'):
        study_amend(study=draft(now), changes={"top_size": 3}, reason="x", now=now)


# --- closing and being open -----------------------------------------------------------------------------


def test_closing_is_final(frozen: Study, now: datetime, lead: User) -> None:
    study = study_close(study=frozen, actor=lead, reason="Enough people", now=now)
    assert study.status == StudyStatus.CLOSED
    assert study.events.get(kind="study_closed").details == {"reason": "Enough people"}
    with pytest.raises(StudyNotFrozen, match="or closed already; only a locked one"):
        study_close(study=study, now=now)
    with pytest.raises(StudyNotFrozen, match="is closed; it stays as it is"):
        study_amend(study=study, changes={"top_size": 3}, reason="x", now=now)


def test_a_draft_cannot_be_closed(now: datetime) -> None:
    with pytest.raises(StudyNotFrozen, match="is not locked, or closed already"):
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


def test_a_setting_that_is_newer_than_the_lock_is_no_change_of_an_amendment(
    frozen: Study, now: datetime
) -> None:
    """A study that was locked before there was the setting keeps its design, and so all of its scores."""
    without = {name: value for name, value in frozen.settings.items() if name != "reviewers_see_private"}
    Study.objects.filter(pk=frozen.pk).update(settings=without)
    design, closes_at = frozen.design_hash, "2031-01-01T00:00:00+00:00"
    made = study_amend(
        study=frozen, changes={"closes_at": closes_at}, reason="Recruiting takes longer.", now=now
    )
    assert made.changes == {"closes_at": {"from": None, "to": closes_at}}
    frozen.refresh_from_db()
    assert (frozen.design_hash, frozen.protocol.reviewers_see_private) == (design, False)
    told = study_amend(
        study=frozen, changes={"reviewers_see_private": True}, reason="They rate all.", now=now
    )
    assert told.changes == {"reviewers_see_private": {"from": False, "to": True}}
