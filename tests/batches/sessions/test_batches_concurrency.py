"""Many people start at the same moment, in threads and in processes of their own."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest

from batches.models import Answer, BatchPlan, Session, SessionEvent
from batches.services.ending import session_withdraw
from batches.services.plans import batches_build
from batches.services.starting import AlreadyStarted, HasWithdrawn, PlacesTaken, session_start
from studies.models import Participant, Study
from tests.support.same_moment import at_the_same_moment

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]
PROFILES = ("stem-undergraduate", "stem-phd", "non-stem-undergraduate")
SCRIPT = Path(__file__).with_name("starting_process.py")


def outcome_of_start(participant: Participant, now: datetime) -> str:
    try:
        session_start(participant=participant, now=now)
    except (AlreadyStarted, PlacesTaken, HasWithdrawn) as refusal:
        return type(refusal).__name__
    return "started"


def assert_evenly_assigned(study: Study, people: int, batches: int, replicates: int) -> None:
    """One session each; within a profile no two batches differ by more than one person; none overflows."""
    assert Session.objects.count() == people
    assert Session.objects.values("participant").distinct().count() == people
    numbers = study.batch_plan.batches.values_list("number", flat=True)
    assert len(numbers) == batches
    for profile in PROFILES:
        sessions = Session.objects.filter(participant__profile=profile)
        counts = Counter(sessions.values_list("batch__number", flat=True))
        filled = [counts[number] for number in numbers]
        assert max(filled) - min(filled) <= 1
        assert max(filled) <= replicates
    per_session = Counter(Answer.objects.values_list("session", flat=True))
    assert set(per_session.values()) == {4}
    assert SessionEvent.objects.filter(kind="started").count() == people


def test_a_hundred_people_who_start_at_once_each_get_one_batch_evenly(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(prompts=68, batch_size=4, replicates_per_profile=2)
    people = [make_person(study, profile=PROFILES[n % 3]) for n in range(100)]
    outcomes = at_the_same_moment(partial(outcome_of_start, person, now) for person in people)
    assert Counter(outcomes) == {"started": 100}
    assert_evenly_assigned(study, people=100, batches=17, replicates=2)


def test_more_people_than_places_fill_every_place_and_not_one_more(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(prompts=20, batch_size=4, replicates_per_profile=2)
    people = [make_person(study) for _ in range(30)]
    outcomes = at_the_same_moment(partial(outcome_of_start, person, now) for person in people)
    assert Counter(outcomes) == {"started": 10, "PlacesTaken": 20}
    assert set(Counter(Session.objects.values_list("batch__number", flat=True)).values()) == {2}


def test_twenty_clicks_of_one_person_start_once(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    participant = make_person(make_study())
    outcomes = at_the_same_moment([partial(outcome_of_start, participant, now)] * 20)
    assert Counter(outcomes) == {"started": 1, "AlreadyStarted": 19}
    assert (Session.objects.count(), Answer.objects.count()) == (1, 4)


def test_batches_that_are_built_several_times_at_once_are_there_once(
    make_study: MakeStudy, now: datetime
) -> None:
    study = make_study(prompts=20, batch_size=4)
    study.batch_plan.delete()
    at_the_same_moment([partial(batches_build, study=study, now=now)] * 4)
    assert BatchPlan.objects.get().batches.count() == 5


def test_processes_that_start_the_same_people_give_each_one_batch_evenly(
    make_study: MakeStudy, make_person: MakePerson, child_environment: dict[str, str]
) -> None:
    study = make_study(prompts=40, batch_size=4, replicates_per_profile=2)
    # Each process starts people of every profile.
    people = [make_person(study, profile=PROFILES[n // 3 % 3]).pk for n in range(48)]
    moment = time.time() + 4
    children = []
    for child in range(3):
        # Everybody is started by two processes.
        ids = [pk for n, pk in enumerate(people) if child in (n % 3, (n + 1) % 3)]
        command = [sys.executable, str(SCRIPT), str(moment), *map(str, ids)]
        children.append(
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=with_project(child_environment))
        )
    lines = [line for child in children for line in child.communicate(timeout=60)[0].splitlines()]
    assert [child.returncode for child in children] == [0] * 3
    assert Counter(line.split()[1] for line in lines) == {"started": 48, "already": 48}
    assert_evenly_assigned(study, people=48, batches=10, replicates=2)


def with_project(environment: dict[str, str]) -> dict[str, str]:
    root = str(Path(__file__).resolve().parent.parent.parent.parent)
    return {**environment, "PYTHONPATH": root, "DJANGO_SETTINGS_MODULE": "config.settings"}


def test_starting_and_withdrawing_at_once_never_leaves_a_running_session(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(prompts=40)
    for _ in range(5):
        participant = make_person(study)

        def withdraw(participant: Participant = participant) -> str:
            session_withdraw(participant=participant, now=now)
            return "withdrew"

        jobs: list[Callable[[], str]] = [partial(outcome_of_start, participant, now), withdraw]
        assert at_the_same_moment(jobs)[0] in {"started", "HasWithdrawn"}
    assert not Session.objects.filter(status="active").exists()
