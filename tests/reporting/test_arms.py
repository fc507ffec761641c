"""A study that compares arms, from the plan to the pages of the study team."""

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import BatchPlan, BatchSlot, Session, SessionEvent
from batches.selectors.own_data import own_facts
from batches.services.starting import OtherInstructions, PlacesTaken, require_startable, session_start
from formats.item_parameters import ItemParameter, ItemParameters
from psychometrics.inference.measure import Block
from reporting.views.report.methods import places
from scoring.coordinator import Scoring
from scoring.selectors.export_people import participant_rows, session_rows
from scoring.selectors.measures import block_measures
from studies.models import Participant, Study, StudyEvent
from studies.protocol.settings import PILOT_PROFILES
from studies.services.amendments import AmendmentRefused, study_amend
from studies.services.banks import item_bank_import
from tests.support.arms import ARMS, INSTRUCTIONS, ONE_PROFILE
from tests.support.measuring import measure_blocks
from tests.support.read_pages import every_part

pytestmark = pytest.mark.django_db
MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]


def browser(participant: Participant) -> Client:
    client = Client()
    client.force_login(participant.user)
    return client


def start_address(study: Study) -> str:
    return reverse("session_start", args=[study.slug])


def shown(reply: Any) -> set[str]:
    """The arms whose instructions a page shows."""
    page = reply.content.decode()
    assert not any(slug in page for slug in INSTRUCTIONS)  # nobody is to see what they are compared with
    return {slug for slug, text in INSTRUCTIONS.items() if text in page}


# --- arms ---------------------------------------------------------------------------------------------


def test_people_of_every_profile_and_batch_are_split_evenly_between_the_arms(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(prompts=8, arms=ARMS)
    for profile in (one.slug for one in PILOT_PROFILES):
        for _ in range(4):
            session_start(participant=make_person(study, profile=profile), now=now)
    cells = Counter(Session.objects.values_list("batch", "participant__profile", "arm"))
    assert len(cells) == 2 * 3 * 2
    assert set(cells.values()) == {1}
    with pytest.raises(PlacesTaken):
        session_start(participant=make_person(study), now=now)


def test_the_start_leaves_its_arm_in_the_trail_and_a_free_place_keeps_it(
    make_study: MakeStudy, make_person: MakePerson, work: Callable[..., Session], now: datetime
) -> None:
    study = make_study(arms=ARMS, profiles=ONE_PROFILE)
    gone = work(make_person(study), {}, end="withdrawn")
    assert SessionEvent.objects.filter(kind="started").get().details["arm"] == gone.arm
    arms = [session_start(participant=make_person(study), now=now).arm for _ in range(2)]
    assert sorted(arms) == ["centaur", "human-only"]


def test_a_person_reads_the_instructions_of_their_arm_before_and_during_the_session(
    make_study: MakeStudy, make_person: MakePerson
) -> None:
    study = make_study(arms=ARMS, profiles=ONE_PROFILE)
    participant = make_person(study)
    page = browser(participant)
    before = shown(page.get(start_address(study)))
    assert page.post(start_address(study)).status_code == 302
    session = Session.objects.get()
    assert before == {session.arm}
    for address in ("session_overview", "session_prompt"):
        place = [1] if address == "session_prompt" else []
        assert shown(page.get(reverse(address, args=[session.pk, *place]))) == {session.arm}


def test_what_was_shown_holds_while_others_start_and_is_shown_anew_where_it_cannot(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(arms=ARMS, profiles=ONE_PROFILE, replicates_per_profile=4)
    early, late = browser(make_person(study)), browser(make_person(study))
    (arm,) = shown(early.get(start_address(study)))
    assert shown(late.get(start_address(study))) == {arm}
    while BatchSlot.objects.filter(arm=arm).count() - Session.objects.filter(arm=arm).count() > 1:
        session_start(participant=make_person(study), now=now)
    assert shown(early.get(start_address(study))) == {arm}
    early.post(start_address(study))
    assert Session.objects.order_by("started_at").last().arm == arm  # type: ignore[union-attr]

    refused = late.post(start_address(study), follow=True)
    assert "The instructions have changed" in refused.content.decode()
    assert shown(refused) == set(INSTRUCTIONS) - {arm}
    assert late.post(start_address(study)).status_code == 302
    assert Counter(Session.objects.values_list("arm", flat=True))[arm] == 2


def test_another_browser_and_another_moment_show_the_same_arm(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(arms=ARMS, profiles=ONE_PROFILE, replicates_per_profile=8)
    person = make_person(study)
    (arm,) = shown(browser(person).get(start_address(study)))
    for _ in range(3):
        session_start(participant=make_person(study), now=now)
        assert shown(browser(person).get(start_address(study))) == {arm}
    event = StudyEvent.objects.get(participant=person, kind="instructions_shown")
    assert event.details == {"arm": arm}


def test_the_own_data_hold_the_instructions_and_never_the_name_of_an_arm(
    make_study: MakeStudy, make_person: MakePerson
) -> None:
    study = make_study(arms=ARMS, profiles=ONE_PROFILE)
    person = make_person(study)
    page = browser(person)
    page.get(start_address(study))
    page.post(start_address(study))
    data = json.dumps(own_facts(person), default=str)
    texts = {arm["slug"]: json.dumps(arm["instructions"]) for arm in ARMS}
    assert texts[Session.objects.get().arm] in data
    assert sum(text in data for text in texts.values()) == 1
    assert not any(slug in data for slug in texts)
    assert "instructions_shown" in data


def test_nobody_starts_with_instructions_they_were_not_shown(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(arms=ARMS)
    with pytest.raises(OtherInstructions):
        session_start(participant=make_person(study), now=now, shown_arm="")
    assert not Session.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"arms": []},
        {"arms": [{**ARMS[0], "instructions": "Anything."}, ARMS[1]]},
        {"replicates_per_profile": 3},
        {"profiles": ONE_PROFILE},
    ],
)
def test_an_amendment_changes_neither_arms_nor_places(
    change: dict[str, object], make_study: MakeStudy, now: datetime
) -> None:
    study = make_study(arms=ARMS)
    with pytest.raises(AmendmentRefused, match="do not change"):
        study_amend(study=study, changes=change, reason="Later thoughts.", now=now)


def test_without_arms_nothing_is_laid_down_and_replicates_can_be_amended(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(profiles=ONE_PROFILE, replicates_per_profile=1)
    assert (BatchSlot.objects.count(), BatchPlan.objects.get().places) == (0, {})
    session = session_start(participant=make_person(study), now=now)
    study_amend(study=study, changes={"replicates_per_profile": 2}, reason="More people.", now=now)
    session_start(participant=make_person(study), now=now)
    assert session.arm == ""
    assert (
        "Instructions for you"
        not in browser(session.participant)
        .get(reverse("session_overview", args=[session.pk]))
        .content.decode()
    )


def test_the_study_team_sees_arms_on_the_study_page_and_on_a_persons_page(
    make_study: MakeStudy, make_person: MakePerson, staff: Client, now: datetime
) -> None:
    study = make_study(arms=ARMS, profiles=ONE_PROFILE)
    session = session_start(participant=make_person(study), now=now)
    page = staff.get(reverse("staff_study", args=[study.slug])).content.decode()
    assert "People see their instructions, never the name of an arm." in page
    assert page.count('<th scope="row">centaur</th>') == 1
    sets = staff.get(reverse("staff_questions_sets", args=[study.slug])).content.decode()
    assert "people asked the same question: at least 2" in sets
    person = staff.get(reverse("staff_person", args=[study.slug, session.participant.code])).content.decode()
    assert re.search(rf"<dt>Arm</dt>\s*<dd>\s*{session.arm}\s*</dd>", person)


def test_a_study_with_arms_is_scored_measured_and_exported(
    make_study: MakeStudy,
    make_person: MakePerson,
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    staff: Client,
    now: datetime,
) -> None:
    items = tuple(ItemParameter(f"p00{n}", a=1.0, b=0.5 * n) for n in range(1, 5))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
    study = make_study(
        prompts=4, slug="arms", judge_kind="checks", top_size=2, item_bank=bank, arms=ARMS,
        profiles=ONE_PROFILE, replicates_per_profile=8,
    )  # fmt: skip
    make_person(study)  # never starts
    people: Counter[str] = Counter()
    for _ in range(8):
        person = make_person(study)
        arm = require_startable(person, now).arm
        right = {"centaur": 3, "human-only": 1}[arm] + people[arm] % 2
        people[arm] += 1
        work(person, {f"p00{n}": str(n if n <= right else 99) for n in range(1, 5)})
    assert {row.arm for row in participant_rows(study)} == {None, "centaur", "human-only"}
    assert Counter(row.arm for row in session_rows(study)) == {"centaur": 4, "human-only": 4}

    results = score(study, measures=False).judges[0].results
    found = block_measures(measure_blocks(results, Block.SLICES, now=now, resamples=0), Block.SLICES)
    thetas = [found.get("slices.theta.pool", "average", f"arm:{arm}") for arm in ("centaur", "human-only")]
    difference = found.get("arms.theta.pool", "average", "arms:centaur/human-only")
    assert difference is not None
    assert difference.value == pytest.approx(thetas[0].value - thetas[1].value)  # type: ignore[union-attr,operator]
    assert difference.se == pytest.approx(sum(one.se**2 for one in thetas) ** 0.5)  # type: ignore[union-attr,operator,misc]
    assert difference.low is not None
    assert difference.low > 0
    page = every_part(staff, reverse("staff_measurement", args=["arms", "slices"]))
    assert "Differences between arms, Average" in page
    assert "centaur − human-only" in page
    assert "Arms, drawn for places with the seed of the assembly: human-only, centaur." in " ".join(
        places(study.protocol)
    )
    figure = reverse("staff_measurement_figure", args=["arms", results.pk, "slices", "arm", "svg"])
    assert b"<svg" in staff.get(figure).content
