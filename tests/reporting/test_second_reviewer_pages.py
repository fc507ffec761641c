"""Screening by several reviewers through its page: blind, told of each other, and nothing typed is lost."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from batches.models import Session
from screening.models import ScreeningPlan, ScreeningRun, Verdict
from screening.selectors.participants import (
    excluded_participants,
    retained_participants,
    undecided_participants,
)
from screening.selectors.screening import reviewer_agreement, second_share
from screening.services.screening import study_screen
from studies.models import Participant, Study, StudyEvent, StudyRole, User
from studies.protocol.settings import ProtocolSettings
from tests.support.read_pages import read
from tests.support.screened_people import GOOD

pytestmark = pytest.mark.django_db
EVERYBODY = 1.0


@pytest.fixture
def study(make_study: Callable[..., Study], now: datetime) -> Study:
    settings = {"judge_kind": "checks", "replicates_per_profile": 50, "second_share": EVERYBODY}
    return make_study(slug="pages", **settings)


@pytest.fixture
def flagged(
    study: Study, make_person: Callable[..., Participant], work: Callable[..., Session], now: datetime
) -> Participant:
    person = make_person(study)
    work(person, {"p001": "idk", "p002": "<mark>no idea</mark>"})
    work(make_person(study), dict.fromkeys(("p001", "p002", "p003", "p004"), GOOD))
    study_screen(study=study, now=now + timedelta(hours=2))  # after they ended
    return person


@pytest.fixture
def reviewer(study: Study, now: datetime) -> Callable[[str], Client]:
    def signed_in(name: str) -> Client:
        user, _made = User.objects.get_or_create(email=f"{name}@example.org", is_staff=True)
        StudyRole.objects.get_or_create(study=study, user=user, role="reviewer", defaults={"given_at": now})
        client = Client()
        client.force_login(user)
        return client

    return signed_in


def page(client: Client, **asked: str) -> str:
    response = client.get(reverse("staff_screening", args=["pages"]), asked)
    assert response.status_code == 200
    return response.content.decode()


def decide(client: Client, person: Participant, decision: str, reason: str, seen: int | str = "") -> Any:
    address = reverse("staff_verdict", args=["pages", person.code])
    return client.post(address, {"decision": decision, "reason": reason, "seen": seen})


def newest() -> int:
    return Verdict.objects.latest("pk").pk


def test_the_second_reviewer_does_not_see_the_first_verdict_and_a_third_settles(
    study: Study, flagged: Participant, reviewer: Callable[[str], Client]
) -> None:
    first, second, third = (reviewer(name) for name in ("first", "second", "third"))
    assert decide(first, flagged, "confirm", "One word each.").status_code == 302
    assert "A second reviewer reads this person next." in page(first)
    assert flagged.code not in page(first)
    shown = page(second)
    assert flagged.code in shown
    assert "2nd" in shown
    for hidden in ("One word each.", "first@example.org", "Off-task: not counted"):
        assert hidden not in shown
    assert undecided_participants(study).exists()
    decide(second, flagged, "overturn", "They are answers.", newest())
    assert "The two verdicts differ; a third reviewer or the lead settles it." in page(second)
    assert flagged.code not in page(second)
    assert decide(first, flagged, "confirm", "Again.", newest()).status_code == 422
    shown = page(third)
    assert "Two reviewers disagree" in shown
    assert "One word each." in shown
    assert "They are answers." in shown
    assert "Not sure, ask a second reviewer" not in shown
    decide(third, flagged, "confirm", "Words without content.", newest())
    assert not undecided_participants(study).exists()
    assert excluded_participants(study).get() == flagged
    # Who settles is no independent reader.
    agreement = reviewer_agreement(study)
    assert (agreement.people, agreement.agreeing, agreement.read_twice) == (1, 0, 1)
    events = StudyEvent.objects.filter(study=study, kind="verdict_given").order_by("pk")
    assert [event.details["reading"] for event in events] == ["first", "second", "settling"]
    assert all("decision" not in event.details for event in events)


def test_until_the_second_verdict_no_page_tells_the_first_and_nobody_is_excluded(
    study: Study, flagged: Participant, reviewer: Callable[[str], Client], now: datetime
) -> None:
    first, second = reviewer("first"), reviewer("second")
    user = User.objects.get(email="second@example.org")
    StudyRole.objects.create(study=study, user=user, role="lead", given_at=now)
    names = ("staff_screening", "staff_screening_ledger", "staff_participants", "staff_study")
    history, file = (reverse(name, args=["pages"]) for name in ("staff_history", "staff_history_file"))
    addresses = [*(reverse(name, args=["pages"]) for name in names), f"{history}?source=verdicts"]

    def told(decision: str) -> list[str]:
        with transaction.atomic():
            assert decide(first, flagged, decision, "One word each.").status_code == 302
            assert flagged in retained_participants(study)
            assert not excluded_participants(study).exists()
            pages = [read(second.get(address).content.decode()) for address in addresses]
            pages.append(second.get(file, {"source": "verdicts"}).getvalue().decode())
            transaction.set_rollback(True)
        return pages

    assert told("confirm") == told("overturn")
    assert not any("One word each." in page for page in told("confirm"))
    decide(first, flagged, "confirm", "One word each.")
    decide(second, flagged, "confirm", "As far as I see.", newest())
    assert excluded_participants(study).get() == flagged
    assert "One word each." in read(second.get(addresses[-1]).content.decode())


def test_who_has_seen_what_another_decided_is_no_second_independent_reader(
    study: Study, flagged: Participant, reviewer: Callable[[str], Client]
) -> None:
    first, second = reviewer("first"), reviewer("second")
    decide(first, flagged, "unsure", "Perhaps.")
    decide(second, flagged, "confirm", "One word each.", newest())
    decide(first, flagged, "confirm", "I see it now.", newest())
    assert list(Verdict.objects.values_list("reading", flat=True)) == ["first", "second", "later"]
    assert (reviewer_agreement(study).people, reviewer_agreement(study).read_twice) == (0, 1)
    assert (
        "not yet: it takes two people with two independent verdicts"
        in first.get(reverse("staff_screening", args=["pages"])).text
    )


def test_of_two_who_decide_at_once_the_second_is_told_and_loses_nothing(
    study: Study, flagged: Participant, reviewer: Callable[[str], Client]
) -> None:
    first, second = reviewer("first"), reviewer("second")
    page(first), page(second)
    decide(first, flagged, "confirm", "One word each.")
    response = decide(second, flagged, "confirm", "Hardly any content.")
    told = response.content.decode()
    assert response.status_code == 409
    assert "Somebody decided about" in told
    assert "Hardly any content." in told
    assert "One word each." not in told
    assert Verdict.objects.count() == 1
    assert decide(second, flagged, "confirm", "Hardly any content.", newest()).status_code == 302
    assert list(Verdict.objects.values_list("reading", "leaves_open")) == [
        ("first", "second"),
        ("second", "nothing"),
    ]


def test_a_reviewer_sees_marked_evidence_and_no_score_profile_or_name(
    study: Study, flagged: Participant, reviewer: Callable[[str], Client]
) -> None:
    shown = page(reviewer("first"))
    assert "<mark>idk</mark>" in shown
    assert "&lt;mark&gt;no idea&lt;/mark&gt;" in shown
    assert "1 of 1" in shown
    for hidden in (flagged.user.email, "stem-phd", "STEM PhD", "theta", "Results", "Start the off-task"):
        assert hidden not in shown


def test_nobody_is_flagged_is_said_only_after_the_filter_ran(
    study: Study,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    staff: Client,
    now: datetime,
) -> None:
    work(make_person(study), dict.fromkeys(("p001", "p002", "p003", "p004"), GOOD))
    shown = page(staff)
    assert "The off-task filter has not run" in shown
    assert "Start the off-task filter" in shown
    assert "Nobody is flagged" not in shown
    study_screen(study=study, now=Session.objects.latest("ended_at").ended_at or now)
    shown = page(staff)
    assert "Nobody is flagged" in shown
    assert "looked at 1 person by the rules offtask-1" in shown
    ScreeningRun.objects.update(ran_at=Session.objects.earliest("started_at").started_at)
    shown = page(staff)
    assert "1 person has finished since and was not looked at." in shown
    assert "Run the filter again" in shown


def test_a_reason_of_the_study_is_kept_by_its_short_name_and_own_words_are_for_another_one(
    flagged: Participant, reviewer: Callable[[str], Client]
) -> None:
    first = reviewer("first")
    shown = first.get(reverse("staff_screening", args=["pages"])).text
    assert [f'data-key="{number}"' in shown for number in range(10)] == [True] * 9 + [False]  # eight, and 0
    address = reverse("staff_verdict", args=["pages", flagged.code])
    for sent in ({"reason_code": "other"}, {"reason_code": "too-short"}, {"decision": "confirm"}):
        refused = first.post(address, {"seen": "", **sent})
        assert refused.status_code == 422
        assert ("A verdict needs a reason" in refused.text) == ("too-short" not in sent.values())
    assert 'value="too-short" data-key="2" checked' in " ".join(
        first.post(address, {"seen": "", "reason_code": "too-short"}).text.split()
    )
    first.post(address, {"seen": "", "decision": "confirm", "reason_code": "too-short", "reason": "17 of 20"})
    verdict = Verdict.objects.get()
    said = "Answers much too short for what was asked: 17 of 20"
    assert (verdict.reason_code, verdict.reason) == ("too-short", said)


def test_who_was_locked_before_reads_as_before_and_a_new_study_has_a_fifth_read_twice(study: Study) -> None:
    assert ProtocolSettings().second_share == 0.2
    stored = {
        name: value for name, value in study.settings.items() if not name.startswith(("second", "scree"))
    }
    Study.objects.filter(pk=study.pk).update(settings=stored)
    before = Study.objects.get(pk=study.pk)
    assert (second_share(before), before.protocol.screening_reasons) == (None, ())
    ScreeningPlan.objects.create(study=before, second_share=0.5, changed_at=study.created_at)
    assert second_share(before) == 0.5


def test_the_ledger_says_who_is_not_counted_and_why_and_its_csv_runs_no_formula(
    study: Study, flagged: Participant, reviewer: Callable[[str], Client], staff: Client
) -> None:
    decide(reviewer("first"), flagged, "confirm", "=1+1")
    assert "Nothing is decided here yet" in staff.get(reverse("staff_screening_ledger", args=["pages"])).text
    decide(reviewer("second"), flagged, "confirm", "=2+2", newest())
    shown = staff.get(reverse("staff_screening_ledger", args=["pages"]), {"show": "x"}).text
    assert flagged.code in shown
    assert "Finished people who count: 1 of 2; who do not, by a verdict below: 1." in " ".join(shown.split())
    file = staff.get(reverse("staff_screening_ledger_csv", args=["pages"])).text
    assert f"{flagged.code},false," in file
    assert ",'=2+2,2,false," in file


def test_the_page_takes_the_same_queries_for_many_people(
    study: Study,
    flagged: Participant,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    reviewer: Callable[[str], Client],
    now: datetime,
    django_assert_max_num_queries: Callable[[int], Any],
) -> None:
    for _person in range(5):
        work(make_person(study), {"p001": "idk"})
    study_screen(study=study, now=now)
    client = reviewer("first")
    page(client)
    with django_assert_max_num_queries(15):
        assert "1 of 6" in page(client)


def test_the_queue_is_a_file_of_those_who_wait_for_this_reviewer(
    study: Study, flagged: Participant, reviewer: Callable[[str], Client]
) -> None:
    def queue(client: Client) -> list[str]:
        answer = client.get(reverse("staff_screening", args=["pages"]), {"format": "csv"})
        return b"".join(answer).decode("utf-8-sig").splitlines()

    first, second = reviewer("first"), reviewer("second")
    assert queue(first) == ["person,waits_for", f"{flagged.code},first"]
    decide(first, flagged, "confirm", "One word each.")
    assert queue(first) == ["person,waits_for"]
    assert queue(second) == ["person,waits_for", f"{flagged.code},second"]
