"""The short script of an export agrees with what the server wrote, and names what was changed afterwards."""

import ast
import hashlib
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import stdtrit

from batches.models import Answer, Session
from formats.item_parameters import ItemParameter, ItemParameters, ResponseModel
from judging.models import AnswerScore, CriterionScore, JudgeConfig, JudgingRun, ScoringRun
from psychometrics.benchmark.accuracy_table import AccuracyTable
from scoring.coordinator import Scoring
from scoring.export.independent import person_abilities, t_975, theta_ql
from scoring.export.scripts import independent_script
from scoring.services.exports import study_export
from scoring.services.measurement import measurement_compute
from scoring.services.task_tables import task_table_import
from screening.models import VerdictDecision
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Criterion, ItemBank, Participant, Study, User
from studies.services.banks import item_bank_import
from studies.services.people.participants import participant_add, participant_approve
from tests.support.judged_study import compute

pytestmark = pytest.mark.django_db
NAMES = [f"q{n:02d}" for n in range(1, 13)]
PRIVATE = NAMES[1:8:3]
RUBRIC = tuple(CriterionRecord(text=f"Says part {c}.") for c in range(2))
ENDS = ["submitted"] * 9 + ["expired", "withdrawn"]
PARAMETERS = ItemParameters(
    tuple(ItemParameter(name, a=0.6 + n / 10, b=n / 4 - 1.3) for n, name in enumerate(NAMES[:-1])),
    squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5,
)  # fmt: skip
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
        study=study, state="finished", planned=0, estimate=[], plan_sha256="", started_at=now,
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


def exported(study: Study, folder: Path, now: datetime) -> Path:
    study_export(
        study=study, target=folder, replace=False, software="chiron test", now=now + timedelta(days=3)
    )
    return folder


def run_script(folder: Path) -> tuple[int, str]:
    """As a reader runs it: from elsewhere, isolated from everything of ours."""
    command = [sys.executable, "-I", str(folder / "independent.py"), str(folder)]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout


def agreeing(said: str) -> dict[str, int]:
    """How many numbers agree, by quantity; nothing differs."""
    heads = [line for line in said.splitlines() if line.endswith(" differ")]
    assert heads, said
    assert all(line.endswith(" 0 differ") for line in heads), said
    return {head.rpartition(": ")[0]: int(head.rpartition(": ")[2].split()[0]) for head in heads}


def test_a_rubric_study_with_private_prompts_and_two_runs_agrees(rubric_export: Path) -> None:
    code, said = run_script(rubric_export)
    found = agreeing(said)
    assert code == 0
    assert found["estimates: theta_pool"] == found["estimates: se_twoway"] == 2 * 2 * 3
    assert found["measures: value"] == 2 * (4 + 3 + 4)
    assert found["scores"] == len(rows_of(rubric_export, "scores"))
    assert found["flow"] == 2 * (10 + 14)
    assert "estimates with private prompts" in said
    assert "measures of block missing" in said
    assert not [name for name in PRIVATE if name in said]


def rows_of(folder: Path, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{table}.jsonl").read_text().splitlines()]


def put(folder: Path, table: str, rows: list[dict[str, Any]]) -> None:
    """Write a table and its hash, as somebody would who does not want to be noticed."""
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (folder / f"{table}.jsonl").write_bytes(content)
    manifest = json.loads((folder / "manifest.json").read_text())
    entry = next(one for one in manifest["files"] if one["name"] == f"{table}.jsonl")
    entry |= {"sha256": hashlib.sha256(content).hexdigest(), "rows": len(rows)}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def cell(table: str, column: str, value: object, **where: object) -> Change:
    """Change a cell of the first row that is like this."""

    def change(folder: Path) -> None:
        rows = rows_of(folder, table)
        row = next(one for one in rows if where.items() <= one.items() and one[column] is not None)
        row[column] = value
        put(folder, table, rows)

    return change


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
    code, said = run_script(folder)
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
    code, said = run_script(folder)
    assert agreeing(said)["flow"] == 10 + 14
    assert "results of run 1: none, or of an earlier design: 1" in said
    assert code == 0


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
    results = score(study, clock=lambda: now + timedelta(days=1)).judges[0].results
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
    code, said = run_script(folder)
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
    code, said = run_script(folder)
    found = agreeing(said)
    assert code == 0
    assert found["estimates: se_ql"] == 6
    rows = rows_of(folder, "estimates")
    rows[0]["theta"] = rows[0]["theta_ql"]
    put(folder, "estimates", rows)
    code, said = run_script(folder)
    assert code == 1
    assert f"exported {rows[0]['theta']}, computed None" in said


def test_a_study_without_an_item_bank_agrees(make: Any, tmp_path: Path, now: datetime) -> None:
    folder = matched_export(None, "tasks", make, tmp_path / "export", now)
    code, said = run_script(folder)
    assert agreeing(said)["estimates: raw_mean"] == 6
    assert code == 0


def test_a_study_whose_batches_share_prompts_agrees(make: Any, tmp_path: Path, now: datetime) -> None:
    bank, _ = item_bank_import(slug="items", parameters=PARAMETERS, now=now)
    folder = matched_export(bank, "", make, tmp_path / "export", now, assembly="matrix")
    assert {one["interval"] for one in rows_of(folder, "estimates") if one["interval"]} == {"se.twoway"}
    code, said = run_script(folder)
    assert agreeing(said)["estimates: se_pool"] == 6
    assert code == 0


def test_people_who_came_after_the_results_are_not_held_against_them(
    make: Any, tmp_path: Path, now: datetime
) -> None:
    make_study, make_person, work, score = make
    study = make_study(prompts=matched_prompts("tasks"), batch_size=6, judge_kind="match", match_rules="bbeh")
    work(make_person(study), dict.fromkeys(NAMES, "no"))
    results = score(study, clock=lambda: now + timedelta(days=1)).judges[0].results
    measurement_compute(results=results, now=now + timedelta(days=2), resamples=60)
    later = participant_add(
        study=study, email="later@example.org", profile="stem-phd", is_test=False, now=now + timedelta(days=2)
    )
    participant_approve(participant=later, now=now + timedelta(days=2))
    code, said = run_script(exported(study, tmp_path / "export", now))
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
    results = score(study, clock=lambda: now + timedelta(days=1)).judges[0].results
    assert results is not None
    measurement_compute(results=results, now=now + timedelta(days=2), resamples=60)
    code, said = run_script(exported(study, tmp_path / "export", now))
    assert agreeing(said)["flow"] == 10 + 14
    assert code == 0


@pytest.mark.parametrize("name", ["manifest.json", "scores.jsonl", "estimates.csv"])
def test_a_folder_without_one_of_its_files_is_refused_in_one_sentence(
    rubric_export: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "export"
    shutil.copytree(rubric_export, folder)
    (folder / name).unlink()
    code, said = run_script(folder)
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
    code, said = run_script(folder)
    assert code == 2
    assert said.startswith(f"{folder} is not a whole export: a part of it is cut off or not there (")
    assert len(said.splitlines()) == 1


def test_a_folder_that_is_no_export_is_refused(tmp_path: Path) -> None:
    (tmp_path / "independent.py").write_text(independent_script())
    assert run_script(tmp_path) == (2, f"{tmp_path} is not a whole export: manifest.json cannot be read.\n")


def test_it_needs_nothing_but_numpy_and_the_standard_library() -> None:
    nodes = list(ast.walk(ast.parse(independent_script())))
    found = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    found |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in found} <= {"numpy", *sys.stdlib_module_names}


def test_quantiles_of_t_are_those_of_scipy() -> None:
    for df in (1, 2, 3, 7, 40, 245, 1000):
        assert t_975(df) == pytest.approx(float(stdtrit(df, 0.975)), rel=1e-11)


def test_abilities_of_single_people_by_hand() -> None:
    fields = [("person", "U9"), ("a", "f8"), ("b", "f8")]
    pairs = np.array([("x", 1, 0.5), ("x", 2, -1), ("y", 1, 1)], dtype=fields)
    people, theta, se, residual = person_abilities(pairs, np.array([1.0, 2.0, -1.0]))
    assert people == ["x", "y"]
    assert theta == pytest.approx([(1.5 + 2 * 0.0) / 5, 0.0])
    e = np.array([1 - (0.3 - 0.5), 2 - 2 * 1.3])
    s2 = float(e[0] ** 2 + 4 * e[1] ** 2) / (1 - 1 / 5 + 4 * (1 - 4 / 5))
    assert se == pytest.approx(np.sqrt([s2 / 5, s2]))
    assert residual == pytest.approx(float(np.sqrt(e @ e)))
    assert theta_ql(np.ones(2), np.array([0.0, 1.0]), np.array([1.0, 1.0])) is None
    assert theta_ql(np.ones(2), np.array([0.0, 1.0]), np.array([1.0, 0.0])) == pytest.approx(0.5)
