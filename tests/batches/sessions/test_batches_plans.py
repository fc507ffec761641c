"""Building a study's batches."""

from collections.abc import Callable
from datetime import datetime

import pytest

from batches.models import Batch, BatchPlan, BatchPrompt
from batches.services.plans import BatchesRefused, batches_build
from batches.services.starting import session_start
from studies.models import Participant, Study, StudyEvent
from studies.services.studies import study_close

pytestmark = pytest.mark.django_db


def contents(study: Study) -> list[list[str]]:
    return [
        [place.prompt.prompt_id for place in batch.places.select_related("prompt")]
        for batch in Batch.objects.filter(plan__study=study)
    ]


def test_every_prompt_of_the_bank_is_in_exactly_one_batch(make_study: Callable[..., Study]) -> None:
    batches = contents(make_study(prompts=45, batch_size=20))
    assert [len(batch) for batch in batches] == [20, 20, 5]
    assert sorted(prompt for batch in batches for prompt in batch) == [f"p{n:03d}" for n in range(1, 46)]


def test_building_again_gives_the_same_batches_and_leaves_no_old_ones(
    make_study: Callable[..., Study], now: datetime
) -> None:
    study = make_study(prompts=30, assembly="balanced", batch_size=10)
    before = contents(study)
    batches_build(study=study, now=now)
    assert contents(study) == before
    assert (BatchPlan.objects.count(), Batch.objects.count(), BatchPrompt.objects.count()) == (1, 3, 30)


def test_the_plan_says_what_it_was_made_from_and_reports_its_coverage(
    make_study: Callable[..., Study],
) -> None:
    study = make_study(prompts=8, assembly="random", assembly_seed=11)
    plan = BatchPlan.objects.get(study=study)
    assert (plan.bank_version, plan.batch_size, plan.assembly, plan.seed) == (
        study.bank_version,
        4,
        "random",
        11,
    )
    assert plan.report["sizes"] == [4, 4]
    assert StudyEvent.objects.filter(study=study, kind="batches_built").count() == 1


def test_batches_somebody_works_on_are_never_replaced(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], now: datetime
) -> None:
    study = make_study()
    session_start(participant=make_person(study), now=now)
    before = contents(study)
    with pytest.raises(BatchesRefused, match="1 person has started"):
        batches_build(study=study, now=now)
    assert contents(study) == before


def test_a_closed_study_keeps_its_batches(make_study: Callable[..., Study], now: datetime) -> None:
    study = study_close(study=make_study(), now=now)
    with pytest.raises(BatchesRefused, match="is closed"):
        batches_build(study=study, now=now)


def test_a_bank_without_prompts_makes_no_batches(make_study: Callable[..., Study], now: datetime) -> None:
    study = make_study()
    BatchPlan.objects.all().delete()
    study.bank_version.prompts.all().delete()
    with pytest.raises(BatchesRefused, match="has no questions"):
        batches_build(study=study, now=now)
    assert not BatchPlan.objects.exists()
