"""Parts in a study: who gives and takes them, and what pages answer to whom."""

import re
from collections.abc import Callable
from datetime import datetime
from html import unescape
from typing import Any

import pytest
from django.test import Client

from batches.services.ending import session_withdraw
from batches.services.extending import session_extend
from batches.services.starting import session_start
from batches.services.voiding import session_void
from studies.models import Participant, Study, StudyEvent, User
from studies.roles import GRANTABLE, ROLES_CAN, Can, Role, SiteCan
from studies.selectors.roles import site_rights, studies_of_staff, study_rights
from studies.services.pausing import recruiting_pause
from studies.services.people.participants import participant_add, participant_approve
from studies.services.staff.roles import (
    LastLead,
    NoCoordinator,
    NotBlind,
    NotOfStaff,
    NotTheirs,
    rights_give,
    role_give,
    role_take,
)
from studies.services.staff.staff import staff_add, staff_disable
from tests.studies.lifecycle.drafts import draft

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot")


def member(study: Study, now: datetime, *roles: Role, email: str = "member@example.org") -> User:
    user, _ = staff_add(email=email)
    for role in roles:
        role_give(study=study, user=user, role=role, now=now)
    return user


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_whoever_makes_a_study_leads_it(now: datetime) -> None:
    maker, _ = staff_add(email="maker@example.org", creates_studies=True)
    study = draft(now, actor=maker)
    assert study_rights(maker, study) == frozenset(Can)
    assert list(StudyEvent.objects.values_list("kind", "actor__email")) == [
        ("study_created", "maker@example.org"),
        ("role_given", "maker@example.org"),
    ]


def test_a_part_is_given_and_taken_once_and_the_trail_says_both(study: Study, now: datetime) -> None:
    lead = member(study, now, Role.LEAD)
    eyes = member(study, now, email="eyes@example.org")
    give = {"study": study, "user": eyes, "role": Role.REVIEWER, "actor": lead, "now": now}
    assert [role_give(**give)[1], role_give(**give)[1]] == [True, False]  # type: ignore[arg-type]
    assert study_rights(eyes, study) == {Can.REVIEW}
    assert [role_take(**give), role_take(**give)] == [True, False]  # type: ignore[arg-type]
    assert study_rights(eyes, study) == frozenset()
    events = study.events.filter(kind__startswith="role_", details__person=eyes.pk)
    assert [(event.kind, event.actor, event.details["role"]) for event in events] == [
        ("role_given", lead, "reviewer"),
        ("role_taken", lead, "reviewer"),
    ]


def test_a_study_keeps_a_lead_who_can_sign_in(study: Study, now: datetime) -> None:
    lead = member(study, now, Role.LEAD)
    with pytest.raises(LastLead, match="You are the only lead of this study"):
        role_take(study=study, user=lead, role=Role.LEAD, actor=lead, now=now)
    second = member(study, now, Role.LEAD, email="second@example.org")
    staff_disable(email=second.email)
    with pytest.raises(LastLead, match=r"^member@example.org is the only lead"):
        role_take(study=study, user=lead, role=Role.LEAD, actor=None, now=now)
    assert study_rights(lead, study) == frozenset(Can)
    second.refresh_from_db()
    assert study_rights(second, study) == frozenset()


def test_only_staff_get_a_part(study: Study, now: datetime) -> None:
    person = User.objects.create_user("person@example.org")
    with pytest.raises(NotOfStaff, match="add them as staff first"):
        role_give(study=study, user=person, role=Role.LEAD, now=now)
    assert not study.roles.exists()


def test_several_parts_add_up_and_count_in_their_study_alone(
    study: Study, now: datetime, make_study: Callable[..., Study]
) -> None:
    other = make_study(slug="other")
    user = member(study, now, Role.ANALYST, Role.COORDINATOR)
    assert {Can.SEE_RESULTS, Can.SEE_PEOPLE} < study_rights(user, study)
    assert Can.DECIDE_PEOPLE not in study_rights(user, study)
    assert study_rights(user, other) == frozenset()
    assert list(studies_of_staff(user)) == [study]


@pytest.mark.parametrize("sighted", [Role.COORDINATOR, Role.ANALYST])
def test_nobody_reviews_blind_who_sees_people_or_scores(study: Study, now: datetime, sighted: Role) -> None:
    first = member(study, now, Role.REVIEWER)
    second = member(study, now, sighted, email="other@example.org")
    for user, role in ((first, sighted), (second, Role.REVIEWER)):
        with pytest.raises(NotBlind, match="nobody is both"):
            role_give(study=study, user=user, role=role, now=now)
        role_give(study=study, user=user, role=Role.LEAD, now=now)  # who is known to see everything


def test_the_site_is_run_by_its_administrators(study: Study) -> None:
    plain, maker = (
        staff_add(email="a@example.org")[0],
        staff_add(email="b@example.org", creates_studies=True)[0],
    )
    root = User.objects.create_superuser("root@example.org")
    assert site_rights(plain) == {SiteCan.PLAN}
    assert site_rights(maker) == {SiteCan.PLAN, SiteCan.MAKE_STUDIES}
    assert site_rights(root) == frozenset(SiteCan)
    assert study_rights(root, study) == frozenset(Can)
    assert study_rights(maker, study) == frozenset()
    assert browser(plain).get("/staff/judges/").status_code == 403
    assert browser(maker).get("/staff/judges/").status_code == 200


def test_staff_without_a_part_learn_nothing_of_a_study(study: Study, now: datetime) -> None:
    client = browser(member(study, now))
    there, nowhere = (client.get(f"/staff/studies/{slug}/") for slug in ("pilot", "nowhere"))
    assert there.status_code == nowhere.status_code == 404
    said = [re.sub(rb'value="\w{64}"|pilot|nowhere', b"", page.content) for page in (there, nowhere)]
    assert said[0] == said[1]
    assert study.name not in client.get("/staff/").content.decode()


def test_a_part_that_lacks_a_page_says_so_whatever_the_address_names(study: Study, now: datetime) -> None:
    client = browser(member(study, now, Role.COORDINATOR))
    for page in ("results/", "screening/", "judging/", "judging/999/", "participants/P-NOBODY/extend/"):
        answer = client.get(f"/staff/studies/pilot/{page}")
        assert answer.status_code == 403
        assert "ask a lead of the study" in unescape(answer.content.decode())
        assert 'href="/staff/studies/pilot/participants/"' in answer.content.decode()
        assert 'href="/staff/studies/pilot/results/"' not in answer.content.decode()


def test_reviewers_are_led_to_their_work(study: Study, now: datetime) -> None:
    client = browser(member(study, now, Role.REVIEWER))
    answer = client.get("/staff/studies/pilot/", follow=True)
    assert answer.redirect_chain == [("/staff/studies/pilot/screening/", 302)]
    assert answer.status_code == 200


def test_a_coordinator_has_exactly_the_rights_that_a_lead_gave_and_the_history_tells(
    study: Study, now: datetime
) -> None:
    lead, user = member(study, now, Role.LEAD), member(study, now, Role.COORDINATOR, email="c@example.org")
    plain = ROLES_CAN[Role.COORDINATOR]
    for rights in ([Can.VOID], [Can.DECIDE_PEOPLE, Can.PAUSE], []):
        assert rights_give(study=study, user=user, rights=rights, actor=lead, now=now)
        assert not rights_give(study=study, user=user, rights=rights, actor=lead, now=now)
        assert study_rights(user, study) == plain | set(rights)
    told = [one.details for one in study.events.filter(kind="coordinator_rights_changed").order_by("pk")]
    assert [(one["person"], one["given"], one["taken"]) for one in told] == [
        (user.pk, ["void"], []),
        (user.pk, ["decide_people", "pause"], ["void"]),
        (user.pk, [], ["decide_people", "pause"]),
    ]
    with pytest.raises(NoCoordinator):
        rights_give(study=study, user=lead, rights=[Can.VOID], actor=lead, now=now)
    with pytest.raises(ValueError, match="no coordinator is given"):
        rights_give(study=study, user=user, rights=[Can.SEE_ANSWERS], actor=lead, now=now)


def test_services_refuse_who_lacks_the_right_and_who_had_it(
    study: Study, now: datetime, make_person: Callable[..., Participant]
) -> None:
    user = member(study, now, Role.COORDINATOR)
    waits = participant_add(study=study, email="a@example.org", profile="stem-phd", now=now)
    session = session_start(participant=make_person(study), now=now)
    why: dict[str, Any] = {"reason": "They asked.", "actor": user, "now": now}
    acts: dict[Can, list[Callable[[], object]]] = {
        Can.DECIDE_PEOPLE: [
            lambda: participant_approve(participant=waits, **why),
            lambda: session_withdraw(participant=waits, **why),
        ],
        Can.GIVE_TIME: [lambda: session_extend(session=session, minutes=5, **why)],
        Can.PAUSE: [lambda: recruiting_pause(study=study, **why)],
        Can.VOID: [lambda: session_void(session=session, **why)],
    }
    assert set(acts) == set(GRANTABLE)
    for right, theirs in acts.items():
        rights_give(study=study, user=user, rights=[one for one in GRANTABLE if one != right], now=now)
        for act in theirs:
            with pytest.raises(NotTheirs, match="Its lead can do it"):
                act()
        rights_give(study=study, user=user, rights=[right], now=now)
        for act in theirs:
            act()
