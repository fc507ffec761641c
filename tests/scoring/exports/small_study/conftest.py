"""A small study with one person of each kind, and its export."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from batches.models import Session
from scoring.coordinator import Scoring
from scoring.services.exports import study_export
from screening.models import VerdictDecision
from screening.services.verdicts import verdict_record
from studies.models import Participant, Study, User
from tests.scoring.exports.small_study.exported_tables import FORMULA, PROMPTS, SECRET_ANSWER


@pytest.fixture(scope="module")
def kept_people(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> dict[str, Participant]:
    """One of each kind, scored; the one off-task is excluded."""
    study = make_study(prompts=PROMPTS, judge_kind="checks", top_size=1, replicates_per_profile=50)
    kinds = ("diligent", "off_task", "late", "withdrawn", "running", "absent")
    people = {kind: make_person(study) for kind in kinds} | {"test": make_person(study, is_test=True)}
    work(people["late"], {"p1": "42", "p3": ""}, end="expired")
    work(people["diligent"], {"p1": "42", "p2": FORMULA, "hidden": SECRET_ANSWER})
    work(people["off_task"], {"p1": "idk"})
    work(people["withdrawn"], {"p1": "a text that was taken back"}, end="withdrawn")
    work(people["running"], {"p1": "a text that is not finished"}, end="active")
    work(people["test"], {"p1": "a text of a test run"})
    score_at(study, clock=lambda: now, measures=False)
    lead = User.objects.create_superuser("lead@example.org")
    confirm = VerdictDecision.CONFIRM
    off_task = people["off_task"]
    verdict_record(
        participant=off_task, decision=confirm, reason="@lead: no answers.", reason_code="empty", actor=lead,
        now=now,
    )  # fmt: skip
    score_at(study, clock=lambda: now)
    return people


@pytest.fixture
def people(kept_people: dict[str, Participant], db: None) -> dict[str, Participant]:
    return {kind: Participant.objects.get(pk=person.pk) for kind, person in kept_people.items()}


@pytest.fixture
def scored(people: dict[str, Participant]) -> Study:
    return people["diligent"].study


@pytest.fixture(scope="module")
def folder(
    kept_people: dict[str, Participant], tmp_path_factory: pytest.TempPathFactory, now: datetime
) -> Path:
    """The export, which tests only read."""
    target = tmp_path_factory.mktemp("exported") / "export"
    study = kept_people["diligent"].study
    study_export(study=study, target=target, replace=False, software="chiron test", now=now)
    return target
