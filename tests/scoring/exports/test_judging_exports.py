"""What an export says about judging runs, calls and verdicts."""

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from batches.models import Session
from batches.services.ending import session_withdraw
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.models import JudgeCall, JudgeConfig, JudgingRun
from scoring.coordinator import Scoring, results_bring_up
from scoring.export.manifest import Manifest
from scoring.services.exports import study_export
from studies.bank.records import PromptRecord
from studies.models import Participant, Study

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
PROMPTS = [
    PromptRecord(prompt_id="p1", text="Question 1?", gold_answer="42"),
    PromptRecord(prompt_id="p2", text="Question 2?", gold_answer="43"),
    PromptRecord(prompt_id="hidden", text="Question 3?", gold_answer="44", split="private"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningJudge]:
    with judge_server(log=tmp_path_factory.mktemp("judge") / "judge.log", latency_ms=2) as running:
        yield running


@pytest.fixture(scope="module")
def people(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
) -> list[Participant]:
    """Two give the same answer to p1; the third withdraws after judging."""
    study = make_study(prompts=PROMPTS, batch_size=3, replicates_per_profile=50, top_size=1)
    people = [make_person(study) for _ in range(3)]
    work(people[0], {"p1": "the same", "p2": "mine", "hidden": "secret"})
    work(people[1], {"p1": "the same"})
    work(people[2], {"p1": "taken back later"})
    return people


@pytest.fixture(scope="module")
def folder(
    people: list[Participant],
    score_at: Callable[..., Scoring],
    server: RunningJudge,
    make_judge: Callable[..., JudgeConfig],
    tmp_path_factory: pytest.TempPathFactory,
    now: datetime,
) -> Path:
    study, began = people[0].study, timezone.now()
    judge = make_judge(server.url, input_price=2, output_price=8)
    score_at(study, judge, replicates=2, clock=lambda: now + (timezone.now() - began))
    session_withdraw(participant=people[2], now=now + timedelta(hours=2))
    results_bring_up(study=study, clock=lambda: now)
    target = tmp_path_factory.mktemp("exported") / "export"
    study_export(study=study, target=target, replace=False, software="chiron test", now=now)
    return target


def lines(folder: Path, table: str) -> list[dict[str, Any]]:
    text = (folder / f"{table}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def test_every_request_about_a_public_answer_is_there_without_its_reply(
    folder: Path, people: list[Participant]
) -> None:
    rows = lines(folder, "judge_calls")
    first = people[0].code
    assert sorted((row["run"], row["participant"], row["prompt_id"]) for row in rows) == sorted(
        (run, first, prompt_id) for run in (1, 2) for prompt_id in ("p1", "p2")
    )
    assert {(row["judging_run"], row["outcome"], row["criterion"]) for row in rows} == {(1, "ok", None)}
    for row in rows:
        call = JudgeCall.objects.get(
            request_sha256=row["request_sha256"],
            run__replicate=row["run"],
            answer__session__participant__code=first,
        )
        assert call.cost is not None
        assert row["cost"] == float(call.cost) > 0
        assert (row["prompt_tokens"], row["completion_tokens"]) == (
            call.prompt_tokens,
            call.completion_tokens,
        )
        assert call.raw_reply
        assert call.raw_reply not in (folder / "judge_calls.csv").read_text(encoding="utf-8")


def test_a_verdict_says_where_it_comes_from(folder: Path, people: list[Participant]) -> None:
    found = {
        (row["run"], row["participant"], row["prompt_id"]): (row["origin"], row["revision"])
        for row in lines(folder, "criteria")
    }
    assert found == {
        (run, people[number].code, prompt_id): (origin, 1)
        for run in (1, 2)
        for number, prompt_id, origin in ((0, "p1", "asked"), (0, "p2", "asked"), (1, "p1", "shared"))
    }


def test_the_manifest_says_what_was_planned_asked_and_spent(folder: Path, server: RunningJudge) -> None:
    manifest = Manifest.model_validate_json((folder / "manifest.json").read_bytes())
    assert [(run.number, run.judge_name, run.replicate, run.base_url) for run in manifest.runs] == [
        (1, "judge", 1, server.url),
        (2, "judge", 2, server.url),
    ]
    (entry,) = manifest.judging_runs
    stored = JudgingRun.objects.get()
    assert (entry.number, entry.purpose, entry.state) == (1, "scores", "finished")
    assert [(one.judge, one.replicate) for one in entry.judges] == [("judge", 1), ("judge", 2)]
    # Five answers twice; the two equal ones are one call.
    assert (entry.planned_rows, entry.calls, entry.calls_of_unknown_cost) == (10, 8, 0)
    assert entry.cost == sum(call.cost or 0 for call in JudgeCall.objects.all())
    assert (entry.budget, entry.plan_sha256) == (None, stored.plan_sha256)
    assert (entry.started_at, entry.ended_at) == (stored.started_at, stored.ended_at)


def test_an_export_from_before_there_were_judging_runs_can_be_replaced(
    folder: Path, people: list[Participant], tmp_path: Path, now: datetime
) -> None:
    folder = Path(shutil.copytree(folder, tmp_path / "export"))
    told = json.loads((folder / "manifest.json").read_text())
    del told["judging_runs"]
    for run in told["runs"]:
        del run["judge_name"], run["replicate"], run["base_url"]
    (folder / "manifest.json").write_text(json.dumps(told))
    study_export(study=people[0].study, target=folder, replace=True, software="chiron test", now=now)
    assert json.loads((folder / "manifest.json").read_text())["judging_runs"]
