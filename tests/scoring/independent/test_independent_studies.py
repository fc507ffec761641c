"""The short script agrees on studies of every kind whose answers are matched."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from batches.models import Session
from formats.item_parameters import ItemParameters, ResponseModel
from psychometrics.benchmark.accuracy_table import AccuracyTable
from scoring.coordinator import Scoring
from scoring.services.measurement import measurement_compute
from scoring.services.task_tables import task_table_import
from studies.bank.records import PromptRecord
from studies.models import ItemBank, Participant, Study
from studies.services.banks import item_bank_import
from studies.services.people.participants import participant_add, participant_approve
from tests.scoring.independent.independent_exports import (
    NAMES,
    PARAMETERS,
    agreeing,
    cell,
    exported,
    independently_computed,
    put,
    rows_of,
    run_script,
)

pytestmark = pytest.mark.django_db


def matched_prompts(task: str = "") -> list[PromptRecord]:
    return [
        PromptRecord(
            prompt_id=name, text="?", gold_answer="no", category=("QR", "LR")[n % 2],
            task=("web of lies", "disambiguation qa")[n % 2] if task else "",
        )
        for n, name in enumerate(NAMES)
    ]  # fmt: skip


def matched_export(
    bank: ItemBank | None,
    task: str,
    make: tuple[
        Callable[..., Study], Callable[..., Participant], Callable[..., Session], Callable[..., Scoring]
    ],
    folder: Path,
    now: datetime,
    **settings: object,
) -> Path:
    """Eight people whose right-or-wrong answers are matched, in two batches."""
    make_study, make_person, work, score = make
    facts: dict[str, object] = {"batch_size": 6, "judge_kind": "match", "match_rules": "bbeh"} | settings
    study = make_study(
        item_bank=bank, prompts=matched_prompts(task), top_size=3, replicates_per_profile=20, **facts
    )
    for person in range(8):
        texts = {name: "no" if (n * 7 + person * 3) % 10 > person else "yes" for n, name in enumerate(NAMES)}
        work(make_person(study), texts | ({NAMES[4]: ""} if person == 2 else {}))
    results = score(study, clock=lambda: now + timedelta(days=1), measures=False).judges[0].results
    assert results is not None
    measurement_compute(results=results, now=now + timedelta(days=2), resamples=60)
    return exported(study, folder, now)


@pytest.fixture
def make(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
) -> tuple[Callable[..., Any], ...]:
    return make_study, make_person, work, score


def test_a_study_on_a_bank_of_tasks_agrees(make: Any, tmp_path: Path, now: datetime) -> None:
    accuracies: dict[str, list[float | None]] = {
        "Web of Lies": [25.0, 80.0],
        "DisambiguationQA": [10.0, 60.0],
    }
    table = AccuracyTable(models=["Random", "large"], tasks=list(accuracies), accuracy_percent=accuracies)
    bank, _, _ = task_table_import(slug="table", table=table, source="a test", now=now)
    folder = matched_export(bank, "tasks", make, tmp_path / "export", now)
    code, said = run_script(folder)
    found = agreeing(said)
    assert code == 0
    assert found["task_accuracies: accuracy"] == 4
    assert found["metrics: value"] == 6
    cell("metrics", "value", 12.5, name="adjusted_harmonic_mean")(folder)
    code, said = independently_computed(folder)
    assert code == 1
    assert "run 1, average, adjusted_harmonic_mean: exported 12.5, computed" in said


def test_a_study_on_a_logistic_bank_agrees_and_has_only_theta_ql(
    make: Any, tmp_path: Path, now: datetime
) -> None:
    parameters = ItemParameters(
        PARAMETERS.items,
        squeeze_scale=0.998,
        squeeze_offset=0.001,
        sigma_hat=2.5,
        response_model=ResponseModel.LOGISTIC,
    )
    bank, _ = item_bank_import(slug="binary", parameters=parameters, now=now)
    folder = matched_export(bank, "", make, tmp_path / "export", now)
    code, said = independently_computed(folder)
    found = agreeing(said)
    assert code == 0
    assert found["estimates: se_ql"] == 6
    rows = rows_of(folder, "estimates")
    rows[0]["theta"] = rows[0]["theta_ql"]
    put(folder, "estimates", rows)
    code, said = independently_computed(folder)
    assert code == 1
    assert f"exported {rows[0]['theta']}, computed None" in said


def test_a_study_without_an_item_bank_agrees(make: Any, tmp_path: Path, now: datetime) -> None:
    folder = matched_export(None, "tasks", make, tmp_path / "export", now)
    code, said = independently_computed(folder)
    assert agreeing(said)["estimates: raw_mean"] == 6
    assert code == 0


def test_a_study_whose_batches_share_prompts_agrees(make: Any, tmp_path: Path, now: datetime) -> None:
    bank, _ = item_bank_import(slug="items", parameters=PARAMETERS, now=now)
    folder = matched_export(bank, "", make, tmp_path / "export", now, assembly="matrix")
    assert {one["interval"] for one in rows_of(folder, "estimates") if one["interval"]} == {"se.twoway"}
    code, said = independently_computed(folder)
    assert agreeing(said)["estimates: se_pool"] == 6
    assert code == 0


def test_people_who_came_after_the_results_are_not_held_against_them(
    make: Any, tmp_path: Path, now: datetime
) -> None:
    make_study, make_person, work, score = make
    study = make_study(prompts=matched_prompts("tasks"), batch_size=6, judge_kind="match", match_rules="bbeh")
    work(make_person(study), dict.fromkeys(NAMES, "no"))
    results = score(study, clock=lambda: now + timedelta(days=1), measures=False).judges[0].results
    measurement_compute(results=results, now=now + timedelta(days=2), resamples=60)
    later = participant_add(
        study=study, email="later@example.org", profile="stem-phd", is_test=False, now=now + timedelta(days=2)
    )
    participant_approve(participant=later, now=now + timedelta(days=2))
    code, said = independently_computed(exported(study, tmp_path / "export", now))
    assert "flow" not in agreeing(said)
    assert "flow of run 1, counted before somebody came or went: 1" in said
    assert code == 0


@pytest.mark.parametrize("texts", [dict.fromkeys(NAMES[:4], "no"), {NAMES[0]: "no", NAMES[7]: "yes"}, {}])
def test_one_person_who_answered_little_agrees(
    make: Any,
    keep_flagged: Callable[[Study, datetime], None],
    tmp_path: Path,
    now: datetime,
    texts: dict[str, str],
) -> None:
    """Batches without people, tasks and categories without scores, one cluster, fewer people than Top."""
    make_study, make_person, work, score = make
    bank, _ = item_bank_import(slug="items", parameters=PARAMETERS, now=now)
    prompts = [
        one.model_copy(update={"category": f"C{n // 2}", "task": f"task {n // 3}"})
        for n, one in enumerate(matched_prompts())
    ]
    study = make_study(
        item_bank=bank, prompts=prompts, batch_size=6, top_size=3, judge_kind="match", match_rules="bbeh",
        replicates_per_profile=20,
    )  # fmt: skip
    work(make_person(study), texts)
    keep_flagged(study, now + timedelta(hours=2))
    results = score(study, clock=lambda: now + timedelta(days=1), measures=False).judges[0].results
    assert results is not None
    measurement_compute(results=results, now=now + timedelta(days=2), resamples=60)
    code, said = independently_computed(exported(study, tmp_path / "export", now))
    assert agreeing(said)["flow"] == 10 + 14
    assert code == 0
