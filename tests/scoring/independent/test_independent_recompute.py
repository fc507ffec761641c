"""The short script of an export agrees with what the server wrote, and names what was changed afterwards."""

import json
import random
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from batches.models import Answer, Session
from judging.models import AnswerScore, CriterionScore, JudgeConfig, JudgingRun, ScoringRun
from screening.models import VerdictDecision
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Criterion, Participant, Study, User
from studies.services.banks import item_bank_import
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
from tests.support.judged_study import compute

pytestmark = pytest.mark.django_db
PRIVATE = NAMES[1:8:3]
RUBRIC = tuple(CriterionRecord(text=f"Says part {c}.") for c in range(2))
ENDS = ["submitted"] * 9 + ["expired", "withdrawn"]
Change = Callable[[Path], None]


@pytest.fixture(scope="module")
def rubric_export(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    make_judge: Callable[..., JudgeConfig],
    now: datetime,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """Eleven people on twelve prompts in two batches, three of them private, one without item parameters."""
    bank, _ = item_bank_import(slug="items", parameters=PARAMETERS, now=now)
    prompts = [
        PromptRecord(
            prompt_id=name, text=f"Question {name}?", gold_answer=name, category=("QR", "LR")[n % 2],
            criteria=RUBRIC if n % 3 else (), split="private" if name in PRIVATE else "public",
        )
        for n, name in enumerate(NAMES)
    ]  # fmt: skip
    study = make_study(
        prompts=prompts,
        slug="independent",
        batch_size=6,
        replicates_per_profile=50,
        item_bank=bank,
        top_size=3,
    )
    chance = random.Random(4)
    people = [make_person(study) for _ in ENDS]
    for number, (person, end) in enumerate(zip(people, ENDS, strict=True)):
        texts = {name: "An answer of several words" for name in NAMES if chance.random() < 0.9}
        texts |= {name: "" for name in NAMES if chance.random() < 0.05}
        work(person, dict.fromkeys(NAMES, "idk") if number == 2 else texts, end=end)
    study_screen(study=study, now=now + timedelta(days=1))
    lead = User.objects.create_superuser("lead@example.org")
    verdict_record(
        participant=people[2], decision=VerdictDecision.CONFIRM, reason="Remarks.", actor=lead, now=now
    )
    judge_twice(study, make_judge, now)
    return exported(study, tmp_path_factory.mktemp("rubric") / "export", now)


def judge_twice(study: Study, make_judge: Callable[..., JudgeConfig], now: datetime) -> None:
    """Two runs with results; one criterion in ten has no verdict, and its answer no score."""
    chance = random.Random(7)
    judging_run = JudgingRun.objects.create(
        study=study, state="finished", planned=0, estimate=[], plan_sha256="0", started_at=now,
        resumed_at=now, ended_at=now,
    )  # fmt: skip
    for name in "ab":
        run = ScoringRun.objects.create(
            study=study, config=make_judge("http://127.0.0.1:9/v1", slug=f"judge-{name}"), judge_kind="llm",
            judge={}, judge_sha256=name * 64, protocol_hash=study.protocol_hash,
            design_hash=study.design_hash, started_at=now,
        )  # fmt: skip
        for answer in Answer.objects.filter(has_text=True).order_by("pk"):
            judge_answer(judging_run, run, answer, chance)
    compute(study, now + timedelta(days=2))


def judge_answer(judging_run: JudgingRun, run: ScoringRun, answer: Answer, chance: random.Random) -> None:
    """Scores of the criteria and, by the protocol, the mean of score times confidence."""
    parts: list[float | None] = []
    rubric: list[Criterion | None] = [*answer.prompt.criteria.order_by("position")]
    for criterion in rubric or [None]:
        score = chance.choice((0.0, 0.3, 1.0, 1.0)) if chance.random() > 0.1 else None
        confidence = None if score is None else chance.choice((0.8, 1.0))
        parts.append(None if score is None or confidence is None else score * confidence)
        CriterionScore.objects.create(
            judging_run=judging_run, run=run, answer=answer, revision=answer.revision, criterion=criterion,
            available_at=run.started_at, decided_at=run.started_at, score=score, origin="asked",
            confidence=confidence, state="unscored" if score is None else "scored",
            unscored_reason="reply_empty" if score is None else "",
        )  # fmt: skip
    known = [one for one in parts if one is not None]
    whole = sum(known) / len(known) if len(known) == len(parts) else None
    AnswerScore.objects.create(
        run=run, answer=answer, revision=answer.revision, score=whole, judged_at=run.started_at,
        unscored_reason="" if whole is not None else "reply_empty",
    )  # fmt: skip


def test_a_rubric_study_with_private_prompts_and_two_runs_agrees(rubric_export: Path) -> None:
    code, said = run_script(rubric_export)
    found = agreeing(said)
    assert code == 0
    parts = [part for part in rows_of(rubric_export, "estimates") if part["scope"] == "public"]
    told = [part for part in parts if part["theta_pool"] is not None]
    # Who is in Top hangs on equal scores, and with it whether a part of it is too few to be told.
    assert len(parts) == 2 * 2 * 3
    assert len(told) >= 2 * (2 * 3 - 1)
    assert found["estimates: theta_pool"] == found["estimates: se_twoway"] == len(told)
    assert found["measures: value"] == 2 * (4 + 3 + 4)
    assert found["scores"] == len(rows_of(rubric_export, "scores"))
    assert found["flow"] == 2 * (10 + 14)
    assert "estimates with private prompts" in said
    assert "measures of block missing" in said
    assert not [name for name in PRIVATE if name in said]


def without_row(folder: Path) -> None:
    rows = rows_of(folder, "estimates")
    put(folder, "estimates", [one for one in rows if (one["group"], one["category"]) != ("top", "QR")])


def other_hash(folder: Path) -> None:
    with (folder / "answers.csv").open("a") as file:
        file.write("\n")


def other_flow(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["runs"][0]["flow"]["retained"] += 1
    (folder / "manifest.json").write_text(json.dumps(manifest))


def other_top(folder: Path) -> None:
    """Whoever is first in the table gets full marks from the first judge, criterion by criterion."""
    first = rows_of(folder, "scores")[0]["participant"]
    for table in ("scores", "criteria"):
        rows = rows_of(folder, table)
        for row in (one for one in rows if one["participant"] == first and one["run"] == 1):
            row |= {"score": 1.0} | ({"confidence": 1.0} if table == "criteria" else {})
        put(folder, table, rows)


ALL = {"run": 1, "scope": "public", "group": "average", "category": ""}
TAMPERED: dict[str, tuple[Change, tuple[str, ...]]] = {
    "theta": (cell("estimates", "theta_pool", 0.1234, **ALL), ("estimates: theta_pool", "run 1, average: ")),
    "theta_ql": (cell("estimates", "theta_ql", 0.1234, **ALL), ("estimates: theta_ql", "exported 0.1234")),
    "error": (cell("estimates", "se_pool", 0.1234, **ALL), ("estimates: se_pool", "exported 0.1234")),
    "published error": (cell("estimates", "se", 0.01, **ALL), ("estimates: se:", "exported 0.01")),
    "pairs": (cell("estimates", "pairs", 3, **ALL), ("estimates: pairs", "exported 3")),
    "spread": (
        cell("measures", "value", 9.0, name="tau", scope="public"), ("measures: value", "tau: exported 9.0"),
    ),
    "row": (without_row, ("estimates: theta_pool", "run 1, top, QR: exported no row")),
    "score": (cell("scores", "score", 0.987, run=2), ("scores: ", "run 2, P-")),
    "top": (other_top, ("estimates: raw_mean", "run 1, top: exported")),
    "hash": (other_hash, ("files: sha256", "answers.csv: exported")),
    "flow": (other_flow, ("flow: ", "run 1, retained: exported 10, computed 9")),
    "retained": (
        cell("participants", "retained", False, retained=True), ("people: retained", "computed True"),
    ),
    "verdict": (
        cell("verdicts", "decision", "overturn"), ("people: excluded", "exported True, computed False"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", TAMPERED)
def test_what_was_changed_afterwards_is_named(rubric_export: Path, tmp_path: Path, what: str) -> None:
    folder = tmp_path / "export"
    shutil.copytree(rubric_export, folder)
    change, named = TAMPERED[what]
    change(folder)
    code, said = independently_computed(folder)
    assert code == 1
    for words in named:
        assert words in said, said
    different = [line for line in said.splitlines() if line.endswith(" differ") and " 0 differ" not in line]
    assert named[0] in "\n".join(different)


def test_results_of_an_earlier_design_are_listed_and_not_computed(
    rubric_export: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "export"
    shutil.copytree(rubric_export, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["runs"][0]["design_hash"] = "0" * 64
    (folder / "manifest.json").write_text(json.dumps(manifest))
    code, said = independently_computed(folder)
    assert agreeing(said)["flow"] == 10 + 14
    assert "results of run 1: none, or of an earlier design: 1" in said
    assert code == 0


@pytest.mark.parametrize("name", ["manifest.json", "scores.jsonl", "estimates.csv"])
def test_a_folder_without_one_of_its_files_is_refused_in_one_sentence(
    rubric_export: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "export"
    shutil.copytree(rubric_export, folder)
    (folder / name).unlink()
    code, said = independently_computed(folder)
    assert code == 2
    assert said == f"{folder} is not a whole export: {name} cannot be read.\n"


@pytest.mark.parametrize("name", ["manifest.json", "scores.jsonl"])
def test_a_folder_with_half_a_file_is_refused_in_one_sentence(
    rubric_export: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "export"
    shutil.copytree(rubric_export, folder)
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2 + 3])
    code, said = independently_computed(folder)
    assert code == 2
    assert said.startswith(f"{folder} is not a whole export: a part of it is cut off or not there (")
    assert len(said.splitlines()) == 1
