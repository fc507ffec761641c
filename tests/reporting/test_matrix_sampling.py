"""A study with matrix sampling, from the plan to the start."""

import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Batch, BatchPlan, BatchPrompt, BatchSlot, Session
from batches.services.plans import BatchesRefused, batches_build
from batches.services.starting import BatchesMissing, PlacesTaken, session_start
from reporting.views.report.methods import places
from studies.models import Participant, Study
from studies.protocol.settings import PILOT_PROFILES
from tests.support.arms import ARMS, INSTRUCTIONS, ONE_PROFILE

pytestmark = pytest.mark.django_db
MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]


# --- matrix sampling ----------------------------------------------------------------------------------


def test_in_a_matrix_everybody_has_a_batch_of_their_own_and_every_prompt_its_people(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(prompts=12, assembly="matrix", arms=ARMS)
    plan = BatchPlan.objects.get()
    assert (plan.report["linkage"]["components"], plan.report["linkage"]["fewest_people"]) == (1, 6)
    assert Counter(Batch.objects.values_list("cut", flat=True)) == dict.fromkeys(range(1, 7), 3)
    for profile in (one.slug for one in PILOT_PROFILES):
        for person in range(6):
            session = session_start(participant=make_person(study, profile=profile), now=now)
            assert session.answers.values("prompt").distinct().count() == 4
            # A cut is filled before the next one, so that prompts are asked evenly at any time.
            first, second = BatchSlot.objects.filter(profile=profile).values_list("batch__cut", flat=True)[
                ::3
            ]
            assert session.batch.cut == (first, second)[person // 3]
    assert set(Counter(Session.objects.values_list("batch", flat=True)).values()) == {1}
    asked = Counter(
        BatchPrompt.objects.filter(batch__sessions__isnull=False).values_list("prompt", flat=True)
    )
    assert set(asked.values()) == {6}
    arms = Counter(Session.objects.values_list("participant__profile", "arm"))
    assert set(arms.values()) == {3}
    with pytest.raises(PlacesTaken):
        session_start(participant=make_person(study), now=now)


def test_test_people_take_no_place_of_a_matrix(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(prompts=8, assembly="matrix", profiles=ONE_PROFILE)
    for _ in range(5):
        session_start(participant=make_person(study, is_test=True), now=now)
    for _ in range(4):
        session_start(participant=make_person(study), now=now)
    assert Session.objects.filter(participant__is_test=False).values("batch").distinct().count() == 4


def test_the_study_page_shows_places_only_where_a_batch_has_any(make_study: MakeStudy, staff: Client) -> None:
    study = make_study(prompts=8, assembly="matrix")
    page = staff.get(reverse("staff_study", args=[study.slug])).content.decode()
    sets = staff.get(reverse("staff_questions_sets", args=[study.slug])).content.decode()
    assert re.search(r'>Linked</span>\s*<span class="value">1</span>', sets)
    assert "categories; modalities" not in page + sets  # a line for each of hundreds of batches
    assert 'max="0"' not in page
    assert "people of each profile per question" in " ".join(places(study.protocol))


def test_a_bank_too_small_for_a_matrix_is_refused_with_the_remedy(
    make_study: MakeStudy, now: datetime
) -> None:
    study = make_study(prompts=4)
    study.settings = {**study.settings, "assembly": "matrix"}
    study.save()
    with pytest.raises(
        BatchesRefused, match=r"A set of 4 holds every question there is.*ask fewer of each person"
    ):
        batches_build(study=study, now=now)


def test_places_of_other_settings_must_be_built_again_before_anybody_starts(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study()
    study.settings = {**study.settings, "arms": list(ARMS)}
    study.save()
    participant = make_person(study)
    with pytest.raises(BatchesMissing, match="built again"):
        session_start(participant=participant, now=now)
    batches_build(study=study, now=now)
    assert session_start(participant=participant, now=now).arm in INSTRUCTIONS
