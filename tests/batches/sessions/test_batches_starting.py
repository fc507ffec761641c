"""Starting a session: the deadline, the guards, the assignment."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from batches.models import Answer, BatchPlan, BatchPrompt, Session, SessionEvent
from batches.rules.assignment import ordered_prompts
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import session_withdraw, sessions_expire
from batches.services.plans import batches_build
from batches.services.starting import (
    AlreadyStarted,
    BatchesMissing,
    ConsentMissing,
    HasWithdrawn,
    NotApproved,
    PlacesTaken,
    StudyNotOpen,
    require_startable,
    session_start,
)
from studies.models import Participant, Study, StudyStatus
from studies.services.amendments import study_amend
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add, participant_reject
from studies.services.studies import study_close

pytestmark = pytest.mark.django_db
MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]


def test_the_deadline_is_the_start_plus_the_budget(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    session = session_start(participant=make_person(make_study(time_budget_minutes=300)), now=now)
    assert (session.started_at, session.deadline_at) == (now, now + timedelta(hours=5))


def test_the_deadline_is_the_closing_time_where_that_comes_first(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    closes_at = now + timedelta(hours=2)
    session = session_start(participant=make_person(make_study(closes_at=closes_at)), now=now)
    assert session.deadline_at == closes_at


def test_a_start_makes_one_empty_answer_for_every_prompt_of_the_batch(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    session = session_start(participant=make_person(make_study(prompts=4)), now=now)
    answers = session.answers.select_related("prompt")
    assert [answer.position for answer in answers] == [1, 2, 3, 4]
    assert {answer.prompt.prompt_id for answer in answers} == {"p001", "p002", "p003", "p004"}
    assert {(answer.text, answer.revision, answer.first_seen_at) for answer in answers} == {("", 0, None)}


def test_a_random_order_is_stored_at_the_start_and_can_be_derived_again(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(prompts=12, batch_size=12, prompt_order="random", order_seed=7)
    people = [make_person(study) for _ in range(2)]
    batch = list(BatchPrompt.objects.order_by("position").values_list("prompt_id", flat=True))
    orders = []
    for person in people:
        session = session_start(participant=person, now=now)
        stored = list(session.answers.values_list("position", "prompt_id"))
        derived = ordered_prompts(batch, order="random", order_seed=7, participant_code=person.code)
        assert stored == list(enumerate(derived, start=1))
        assert session.events.get().details["prompt_order"] == "random"
        orders.append(derived)
    assert orders[0] != orders[1]
    assert batch not in orders


def test_a_start_keeps_what_was_promised_and_writes_one_event(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(late_tolerance_seconds=7, answer_max_characters=500)
    session = session_start(participant=make_person(study), now=now)
    assert (session.late_tolerance_seconds, session.answer_max_characters) == (7, 500)
    event = SessionEvent.objects.get()
    assert (event.kind, event.happened_at) == ("started", now)
    assert event.details == {
        "deadline_at": session.deadline_at.isoformat(),
        "protocol_hash": study.protocol_hash,
        "budget_minutes": 300,
        "extra_minutes": 0,
        "closes_at": None,
        "batch": 1,
        "arm": "",
        "prompt_order": "fixed",
    }


def test_starting_twice_gives_the_running_session_and_moves_no_deadline(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    participant = make_person(make_study())
    session = session_start(participant=participant, now=now)
    with pytest.raises(AlreadyStarted) as refusal:
        session_start(participant=participant, now=now + timedelta(minutes=3))
    assert refusal.value.session == session
    assert Session.objects.get().deadline_at == session.deadline_at
    assert SessionEvent.objects.count() == 1


def test_nobody_starts_before_the_vetting_decision(make_study: MakeStudy, now: datetime) -> None:
    participant = participant_add(study=make_study(), email="a@example.org", profile="stem-phd", now=now)
    consent_record(participant=participant, accepted=True, now=now)
    with pytest.raises(NotApproved, match="submitted and waits"):
        session_start(participant=participant, now=now)
    assert not Session.objects.exists()


def test_a_rejected_person_reads_the_reason(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    participant = make_person(make_study())
    participant_reject(participant=participant, reason="The degree does not fit.", now=now)
    with pytest.raises(NotApproved, match=r"rejected\. The degree does not fit\."):
        session_start(participant=participant, now=now)


def test_nobody_starts_without_consent_that_still_holds(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    participant = make_person(make_study())
    changes: dict[str, object] = {"consent_text": "Another text."}
    study_amend(study=participant.study, changes=changes, reason="Ethics board", now=now)
    participant.refresh_from_db()
    with pytest.raises(ConsentMissing, match="read the consent text"):
        session_start(participant=participant, now=now)


def test_a_draft_cannot_be_started(make_study: MakeStudy, make_person: MakePerson, now: datetime) -> None:
    study = make_study()
    participant = make_person(study)
    Study.objects.update(status=StudyStatus.DRAFT)
    with pytest.raises(StudyNotOpen, match="still being prepared"):
        session_start(participant=participant, now=now)


def test_a_study_cannot_be_started_before_it_opens_and_says_when_it_does(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    participant = make_person(make_study(opens_at=now + timedelta(days=1)))
    with pytest.raises(StudyNotOpen, match="opens on 2 May 2030, 09:00 UTC"):
        session_start(participant=participant, now=now)


def test_a_closed_study_cannot_be_started(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study()
    participant = make_person(study)
    study_close(study=study, now=now)
    with pytest.raises(StudyNotOpen, match="is closed"):
        session_start(participant=participant, now=now)


def test_at_the_closing_time_itself_nobody_starts(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    closes_at = now + timedelta(hours=1)
    participant = make_person(make_study(closes_at=closes_at))
    with pytest.raises(StudyNotOpen, match="is closed"):
        session_start(participant=participant, now=closes_at)


def test_who_withdrew_before_starting_cannot_start(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    participant = make_person(make_study())
    assert session_withdraw(participant=participant, now=now) is None
    with pytest.raises(HasWithdrawn):
        session_start(participant=participant, now=now)


def test_a_study_without_batches_cannot_be_started(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    participant = make_person(make_study())
    BatchPlan.objects.all().delete()
    with pytest.raises(BatchesMissing, match="have not been built"):
        session_start(participant=participant, now=now)


def test_batches_built_under_other_settings_must_be_built_again(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(batch_size=4)
    make_person(study)
    study.settings["batch_size"] = 2
    study.save()
    participant = Participant.objects.get()
    with pytest.raises(BatchesMissing, match="built under other settings"):
        require_startable(participant, now)
    batches_build(study=study, now=now)
    require_startable(participant, now)


def test_places_are_counted_per_profile_and_the_last_one_is_the_last(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(prompts=4, replicates_per_profile=1)
    session_start(participant=make_person(study), now=now)
    late = make_person(study)
    with pytest.raises(PlacesTaken, match="All places for your profile are taken"):
        session_start(participant=late, now=now)
    session_start(participant=make_person(study, profile="stem-undergraduate"), now=now)
    assert Session.objects.count() == 2


def test_the_batches_of_a_profile_fill_evenly(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(prompts=12, replicates_per_profile=2)
    for _ in range(4):
        session_start(participant=make_person(study), now=now)
    counts = Counter(Session.objects.values_list("batch__number", flat=True))
    assert sorted(counts.values()) == [1, 1, 2]


def test_a_test_person_gets_a_batch_of_a_full_study_and_takes_no_place(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(prompts=4, replicates_per_profile=1)
    session_start(participant=make_person(study, is_test=True), now=now)
    session_start(participant=make_person(study), now=now)
    session_start(participant=make_person(study, is_test=True), now=now)
    assert Session.objects.count() == 3


def test_the_place_of_somebody_who_withdrew_is_free_again(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(prompts=4, replicates_per_profile=1)
    first = make_person(study)
    session_start(participant=first, now=now)
    session_withdraw(participant=first, now=now)
    session_start(participant=make_person(study), now=now)


@pytest.mark.parametrize(
    ("text", "rule", "free"),
    [
        ("", "saved_counts", True),
        (" \n\u200b", "saved_counts", True),
        ("7", "saved_counts", False),
        ("7", "submitted_only", True),
    ],
)
def test_an_expired_session_keeps_its_place_only_with_something_that_counts(
    make_study: MakeStudy, make_person: MakePerson, now: datetime, text: str, rule: str, free: bool
) -> None:
    study = make_study(prompts=4, replicates_per_profile=1, overdue_rule=rule)
    first = make_person(study)
    session = session_start(participant=first, now=now)
    if text:
        incoming = IncomingText(text, base_revision=0, tab="t", sequence=1)
        answer_save(user_id=first.user_id, session_id=session.pk, position=1, incoming=incoming, now=now)
    later = now + timedelta(hours=6)
    assert sessions_expire(now=later) == 1
    second = make_person(study)
    if free:
        session_start(participant=second, now=later)
    else:
        with pytest.raises(PlacesTaken):
            session_start(participant=second, now=later)
    assert Answer.objects.filter(session=session).count() == 4
