"""The first page of the team, and a study at a glance."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Session
from batches.services.ending import session_submit
from batches.services.voiding import session_void
from judging.models import JudgingRun, ScoringRun
from scoring.models import ResultSet
from screening.models import ScreeningRun
from studies.models import Participant, Study, StudyStatus, User
from studies.roles import Role
from studies.services.people.messages import message_send
from studies.services.people.participants import participant_add
from studies.services.staff.roles import role_give

pytestmark = pytest.mark.django_db


def words(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return " ".join(answer.text.split())


def test_a_card_says_how_far_a_study_is_and_what_to_press(
    staff: Client, study: Study, answering: Callable[..., Session], now: datetime
) -> None:
    done = answering()
    session_submit(session=done, resources=None, now=timezone.now())
    message_send(participant=answering().participant, text="Hi", now=timezone.now())
    participant_add(study=study, email="new@example.org", profile="stem-phd", now=now)
    unfiltered = words(staff, "/staff/")
    assert "<strong>0</strong> counted" in unfiltered
    assert ">not yet filtered<" in unfiltered
    ScreeningRun.objects.create(
        study=study, rules_version="1", participants=1, flagged_answers=0, flagged_people=0,
        ran_at=timezone.now(),
    )  # fmt: skip
    page = words(staff, "/staff/")
    assert "<strong>1</strong> counted" in page
    assert "not yet filtered" not in page
    assert "<strong>1</strong> answering now" in page
    assert "<strong>12</strong> planned" in page
    assert "1 application" in page
    assert "1 message" in page
    assert "Decide applications (1)" in page


def test_the_list_of_studies_costs_the_same_for_one_and_for_a_hundred(
    staff: Client, study: Study, django_assert_num_queries: Callable[[int], Any]
) -> None:
    facts = {name: value for name, value in Study.objects.values().get().items() if name != "id"}
    Study.objects.bulk_create(Study(**{**facts, "slug": f"s{n}", "name": f"Number {n}"}) for n in range(100))
    with django_assert_num_queries(8):  # session, person, number, studies, their facts (3), clock
        page = words(staff, "/staff/")
    assert "Page 1 of 6" in page
    found = words(staff, "/staff/?q=number%2099&show=all")
    assert "Number 99" in found
    assert "Number 98" not in found
    assert 'No study of this kind has "nothing"' in words(staff, "/staff/?q=nothing").replace("&quot;", '"')


def test_closed_studies_are_finished(staff: Client, study: Study) -> None:
    Study.objects.update(status=StudyStatus.CLOSED)
    assert "Every study is closed" in words(staff, "/staff/")
    assert study.name in words(staff, "/staff/?show=finished")


def test_a_closed_study_leads_to_no_application_and_to_judging_before_old_results(
    staff: Client, study: Study, answering: Callable[..., Session], now: datetime
) -> None:
    overview = f"/staff/studies/{study.slug}/"
    participant_add(study=study, email="new@example.org", profile="stem-phd", now=now)
    session_submit(session=answering(), resources=None, now=timezone.now())
    run = ScoringRun.objects.create(
        study=study, judge_kind="exact", judge={}, judge_sha256="0", protocol_hash=study.protocol_hash,
        design_hash="0", started_at=now,
    )  # fmt: skip
    ResultSet.objects.create(run=run, computed_at=now, inputs_sha256="0", flow={})
    assert "Decide applications (1)" in words(staff, overview)
    Study.objects.update(status=StudyStatus.CLOSED)
    page = words(staff, overview)
    assert "1 application" not in page
    assert "Decide applications" not in page
    assert ">Judge the answers</a>" in page
    JudgingRun.objects.create(
        study=study, state="finished", purpose="scores", plan_sha256="0", planned=0, estimate=[],
        started_at=timezone.now(), resumed_at=timezone.now(), ended_at=timezone.now(),
    )  # fmt: skip
    assert ">Open results</a>" in words(staff, overview)


def test_a_voided_session_is_not_called_withdrawn(
    staff: Client, study: Study, lead: User, answering: Callable[..., Session]
) -> None:
    answering()
    session_void(session=answering(), reason="Two people at one desk", now=timezone.now(), actor=lead)
    for page in (words(staff, "/staff/studies/live/"), words(staff, "/staff/")):
        assert "voided" in page
        assert "withdrawn" not in page
    assert "1 voided" in words(staff, "/staff/studies/live/")


def test_without_a_study_the_way_begins(staff: Client) -> None:
    page = words(staff, "/staff/")
    assert all(text in page for text in ("Plan a study", "Import a bank", "Make the demo study", "New study"))


def test_a_reviewer_sees_their_study_and_no_progress(
    client: Client, study: Study, lead: User, answering: Callable[..., Session]
) -> None:
    answering()
    reviewer = User.objects.create_user("reviewer@example.org", is_staff=True)
    role_give(study=study, user=reviewer, role=Role.REVIEWER, actor=lead, now=timezone.now())
    client.force_login(reviewer)
    page = words(client, "/staff/")
    assert study.name in page
    assert "counted" not in page
    assert "answering now" not in page
    assert client.get("/staff/studies/live/").status_code == 302


def test_the_overview_leads_from_invited_to_counted_at_a_fixed_cost(
    staff: Client,
    study: Study,
    answering: Callable[..., Session],
    make_person: Callable[..., Participant],
    django_assert_max_num_queries: Callable[[int], Any],
) -> None:
    done = answering()
    session_submit(session=done, resources=None, now=timezone.now())
    answering()
    make_person(study)
    with django_assert_max_num_queries(15):
        page = words(staff, "/staff/studies/live/")
    assert "1 not yet filtered" in page
    for stage, people in (("Invited", 3), ("Approved", 3), ("Started", 2), ("Finished", 1), ("Counted", 0)):
        assert f'<span class="label">{stage}</span> <span class="value">{people}</span>' in page
    assert "Watch live (1)" in page
    assert "1 answering now" in page


def test_the_rail_says_what_waits_and_leads_to_other_studies(
    staff: Client, study: Study, make_study: Callable[..., Study], now: datetime
) -> None:
    other = make_study(slug="other")
    participant_add(study=other, email="o@example.org", profile="stem-phd", now=now)
    participant_add(study=study, email="new@example.org", profile="stem-phd", now=now)
    page = words(staff, "/staff/studies/live/")
    assert f'<a href="/staff/studies/other/">{other.name}</a>' in page
    assert page.count('<span class="count hot">1') == 1
