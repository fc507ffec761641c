"""The commands for analysts: files in, text out. No test here may touch a database: none asks for one."""

import json
import math
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

ROOT = Path(__file__).resolve().parents[2]
BANK = {
    "transform": {"squeeze_scale": 0.998, "squeeze_offset": 0.001},
    "calibration": {"sigma_hat": 2.0},
    "items": {"p1": {"a": 1.0, "b": 1.0}, "p2": {"a": 2.0, "b": -2.0}, "p3": {"a": 1.0, "b": 0.0}},
}
LOGIT = math.log(0.999 / 0.001)


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    path = tmp_path / "bank.json"
    path.write_text(json.dumps(BANK))
    return path


def written(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def run(command: str, *arguments: Any) -> tuple[list[dict[str, Any]], str]:
    """The JSON lines on standard output and the text on standard error."""
    out, err = StringIO(), StringIO()
    call_command(command, *map(str, arguments), stdout=out, stderr=err)
    return [
        json.loads(line, parse_constant=pytest.fail) for line in out.getvalue().splitlines()
    ], err.getvalue()


def refusal_of(command: str, *arguments: Any) -> str:
    """The error of a command that must print nothing else."""
    out = StringIO()
    with pytest.raises(CommandError) as refusal:
        call_command(command, *map(str, arguments), stdout=out)
    assert out.getvalue() == ""
    return str(refusal.value)


def test_theta_prints_one_object_per_group_with_the_promised_keys(bank: Path, tmp_path: Path) -> None:
    scores = written(
        tmp_path / "scores.csv",
        "prompt_id,score,group\np1,0,top\np1,1,top\np2,1,top\np3,,top\nx,1,top\np1,nan,b\n",
    )

    (top, missing), notes = run("theta", "--item-bank", bank, scores)

    assert list(top) == [
        "group", "theta", "se", "ci_low", "ci_high", "pairs", "prompts", "coverage", "raw_mean", "theta_pool",
        "se_pool", "theta_ql",
    ]  # fmt: skip
    ql = top.pop("theta_ql")
    expected = 2 / (1 + math.exp(1 - ql)) + 2 / (1 + math.exp(-2 * (ql + 2)))
    assert expected == pytest.approx(1 + 2, abs=1e-9)  # sum a p
    theta, se = (1 + 2 * (LOGIT - 4)) / 5, 2 / math.sqrt(5)
    assert top == {
        "group": "top",
        "theta": pytest.approx(theta, abs=1e-12),
        "se": pytest.approx(se, abs=1e-12),
        "ci_low": pytest.approx(theta - 1.96 * se, abs=1e-12),
        "ci_high": pytest.approx(theta + 1.96 * se, abs=1e-12),
        "pairs": 3,
        "prompts": 2,
        "coverage": pytest.approx(2 / 3),
        "raw_mean": pytest.approx(2 / 3),
        "theta_pool": pytest.approx((2 + 2 * (LOGIT - 4)) / 6, abs=1e-12),
        "se_pool": pytest.approx(2 / math.sqrt(6), abs=1e-12),
    }
    assert missing == {
        "group": "b",
        "pairs": 0,
        "prompts": 0,
        "coverage": 0.0,
        **dict.fromkeys(
            ["theta", "se", "ci_low", "ci_high", "raw_mean", "theta_pool", "se_pool", "theta_ql"]
        ),
    }
    assert notes == "Ignored rows with prompt ids unknown to the item bank: 1 (distinct ids: 1)\n"


def test_theta_on_a_logistic_bank_is_the_maximum_likelihood_of_the_2pl_alone(tmp_path: Path) -> None:
    bank = written(tmp_path / "bank.json", json.dumps(BANK | {"model": "2PL_logistic"}))
    scores = written(
        tmp_path / "scores.csv", "prompt_id,score,group\np1,1,a\np3,0,a\np1,1,full\np2,,full\np3,0,none\n"
    )

    (some, full, none), notes = run("theta", "--item-bank", bank, scores)

    assert some["theta_ql"] == pytest.approx(0.5)  # between two items of one discrimination
    assert (some["pairs"], some["raw_mean"]) == (2, 0.5)
    for name in ("theta", "se", "ci_low", "ci_high", "theta_pool", "se_pool"):
        assert some[name] is None
    assert full["theta_ql"] is none["theta_ql"] is None  # no finite maximum
    assert notes.startswith(
        "The item bank was fitted with the logistic 2PL: ability on its scale is theta_ql;"
    )


def test_theta_without_a_group_column_scores_one_group(bank: Path, tmp_path: Path) -> None:
    scores = written(tmp_path / "scores.csv", "prompt_id,score,rater\np1,0.5,7\n")

    (found,), notes = run("theta", "--item-bank", bank, scores)

    assert (found["group"], found["theta"], found["theta_pool"]) == ("all", 1.0, 1.0)
    assert notes == "Ignored columns: 'rater'\n"


def test_theta_refuses_scores_it_cannot_use_and_names_every_line(bank: Path, tmp_path: Path) -> None:
    scores = written(tmp_path / "scores.csv", "prompt_id,score\np1,2\np2,x\n")

    assert refusal_of("theta", "--item-bank", bank, scores).splitlines() == [
        f"The scores {scores} cannot be used:",
        "line 2: the score 2 is outside 0 to 1; divide percentages by 100",
        "line 3: the score 'x' is not a number; write 0 to 1 with a decimal point, or nothing",
    ]


def test_theta_refuses_an_item_bank_with_a_zero_or_nan(tmp_path: Path) -> None:
    items = {"p1": {"a": 0, "b": 1}, "p2": {"a": 1, "b": math.nan}}
    bank = written(tmp_path / "bank.json", json.dumps({**BANK, "items": items}))
    scores = written(tmp_path / "scores.csv", "prompt_id,score\np1,1\n")

    assert refusal_of("theta", "--item-bank", bank, scores).splitlines() == [
        f"The item bank {bank} cannot be used:",
        "p1, a: is 0; write a number above 0",
        "p2, b: is not a finite number; write an ordinary number",
    ]


def test_match_prints_each_verdict_and_the_accuracy_per_task(tmp_path: Path) -> None:
    lines = [
        {"response": "So the answer is (B).", "reference": "(B)", "task": "snarks"},
        {"response": "(A)", "reference": "(B)", "task": "snarks"},
        {"response": " ", "reference": "(B)", "task": "snarks"},
        {"response": "", "reference": "Yes", "task": "navigate"},
    ]
    responses = written(tmp_path / "responses.jsonl", "\n".join(map(json.dumps, lines)))

    verdicts, accuracies = run("match", "bbh", responses)

    assert verdicts == [
        {"extracted": "(B)", "correct": True},
        {"extracted": "(A)", "correct": False},
        {"extracted": None, "correct": None},
        {"extracted": None, "correct": None},
    ]
    assert accuracies.splitlines() == [
        "snarks: 50.00 % (1 of 2 correct, 1 missing)",
        "navigate: nothing scored (0 of 0 correct, 1 missing)",
    ]


def test_match_says_which_responses_an_earlier_version_of_the_rules_read_otherwise(tmp_path: Path) -> None:
    question = "Which?\nOptions:\n(A) red\n(B) blue"
    lines = [
        {"response": "(B) blue", "reference": "(B)", "task": "snarks", "question": question},
        {"response": "(B) red", "reference": "(B)", "task": "snarks", "question": question},
        {"response": "The answer is 12.5.", "reference": "12", "task": "object_counting"},
        {"response": "(A)", "reference": "(A)", "task": "snarks"},
    ]
    responses = written(tmp_path / "responses.jsonl", "\n".join(map(json.dumps, lines)))
    verdicts, said = run("match", "bbh", responses)
    assert [one["correct"] for one in verdicts] == [True, False, False, True]
    assert said.splitlines()[-1] == (
        "version 4 of the rules reads 3 of 4 responses otherwise than version 3 (lines 1, 2, 3); right now "
        "and wrong before: 1 (lines 1); wrong now and right before: 1 (lines 3)"
    )


def test_match_takes_bbeh_responses_without_tasks(tmp_path: Path) -> None:
    responses = written(tmp_path / "r.jsonl", '{"response": "The answer is: B, A", "reference": "b,a"}')

    assert run("match", "bbeh", responses) == (
        [{"extracted": "b,a", "correct": True}],
        "all: 100.00 % (1 of 1 correct)\n",
    )


def test_match_refuses_lines_it_cannot_judge(tmp_path: Path) -> None:
    responses = written(tmp_path / "r.jsonl", '{"response": "(A)", "reference": "(A)"}\nnot json\n')

    assert refusal_of("match", "bbh", responses).splitlines() == [
        f"The responses {responses} cannot be used:",
        "line 1, task: is missing; BIG-Bench Hard compares by task",
        "line 2, JSON: breaks off at column 1 (Expecting value); correct the JSON",
    ]


def test_benchmark_metrics_reproduces_the_headline_of_table_2(shared_data: Path) -> None:
    path = shared_data / "bbeh" / "paper_table2.json"

    metrics, notes = run("benchmark_metrics", path)

    assert [list(found) for found in metrics] == 13 * [
        ["model", "macro", "micro", "adjusted_harmonic_mean", "not_measured"]
    ]
    assert metrics[-1]["model"] == "o3-mini (high)"
    assert metrics[-1]["adjusted_harmonic_mean"] == pytest.approx(44.8, abs=0.05)
    assert metrics[-1]["micro"] == pytest.approx(54.2, abs=0.05)
    assert notes == ""


def test_benchmark_metrics_leaves_unknown_metrics_null_and_says_why(tmp_path: Path) -> None:
    table = {"models": ["m1", "m2"], "tasks": ["t"], "accuracy_percent": {"t": [None, 40]}}
    path = written(tmp_path / "accuracies.json", json.dumps(table))

    metrics, notes = run("benchmark_metrics", path)

    assert metrics == [
        {"model": "m1", "macro": None, "micro": None, "adjusted_harmonic_mean": None, "not_measured": ["t"]},
        {"model": "m2", "macro": 40.0, "micro": None, "adjusted_harmonic_mean": 41.0, "not_measured": []},
    ]
    first, second = notes.splitlines()
    assert first == "m1: over tasks 0 of 1; null: t"
    assert second == "micro is null: these are not BBEH's tasks; give the questions per task in task_sizes"


def test_benchmark_metrics_refuses_shares_where_percentages_are_due(tmp_path: Path) -> None:
    table = {"models": ["m1", "m2"], "tasks": ["t", "u"], "accuracy_percent": {"t": [45, 0.45], "u": [0, 1]}}
    path = written(tmp_path / "accuracies.json", json.dumps(table))

    assert refusal_of("benchmark_metrics", path).splitlines() == [
        f"The table {path} cannot be used:",
        "accuracy_percent: no accuracy of 'm2' is above 1, so they look like shares; write percentages (45 "
        "for 0.45)",
    ]


def test_benchmark_metrics_refuses_a_table_that_does_not_fit(tmp_path: Path) -> None:
    table = {"models": ["m1", "m2"], "tasks": ["t"], "accuracy_percent": {"t": [1]}}
    path = written(tmp_path / "accuracies.json", json.dumps(table))

    assert refusal_of("benchmark_metrics", path).splitlines() == [
        f"The table {path} cannot be used:",
        "accuracy_percent: 't' has 1 where the models are 2",
    ]


@pytest.mark.slow
def test_the_commands_work_where_no_database_answers(bank: Path, tmp_path: Path) -> None:
    scores = written(tmp_path / "scores.csv", "prompt_id,score\np1,0.5\n")
    environment = os.environ | {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nowhere"}
    environment["CHIRON_DATA_DIR"] = str(tmp_path / "data")

    good = subprocess.run(
        [sys.executable, "manage.py", "theta", "--item-bank", bank, scores],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    bad = subprocess.run(
        [sys.executable, "manage.py", "theta", "--item-bank", scores, scores],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (good.returncode, good.stderr) == (0, "")
    assert json.loads(good.stdout)["theta"] == 1.0
    assert (bad.returncode, bad.stdout) == (1, "")
    assert bad.stderr.startswith(f"CommandError: The item bank {scores} cannot be used:\nline 1: not JSON")
