"""manage.py recompute: what the button of the results does, over the same service."""

from collections.abc import Callable
from datetime import datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from batches.models import Session
from scoring.coordinator import Scoring
from scoring.models import Measurement, ResultSet
from studies.models import Participant, Study, StudyEvent, User
from tests.scoring.exports.small_study.exported_tables import PROMPTS

pytestmark = pytest.mark.django_db


def recompute(study: Study, **options: object) -> str:
    said = StringIO()
    call_command("recompute", study.slug, stdout=said, **options)
    return said.getvalue()


def test_results_are_brought_up_once_and_the_trail_says_who_asked(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> None:
    study = make_study(prompts=PROMPTS[:3], judge_kind="checks", top_size=1, replicates_per_profile=50)
    work(make_person(study), {"p1": "42"})
    score_at(study, clock=lambda: now, measures=False)
    work(make_person(study), {"p1": "42"})
    lead = User.objects.create_user("lead@example.org", is_staff=True)
    before = ResultSet.objects.count()
    assert recompute(study, by=lead.email).startswith("Computed: results of 1 of the runs")
    assert ResultSet.objects.count() == before + 1
    assert Measurement.objects.filter(result_set=ResultSet.objects.latest("pk")).exists()
    assert StudyEvent.objects.get(study=study, kind="results_recomputed").actor == lead
    assert recompute(study) == "The results were up to date already.\n"
    assert ResultSet.objects.count() == before + 1


def test_a_study_that_there_is_not_is_named() -> None:
    with pytest.raises(CommandError, match='There is no study "nowhere"'):
        call_command("recompute", "nowhere")
