"""The whole main job through commands, a real web server, a real worker and real pages."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BANK = ROOT / "fixtures" / "demo_bank" / "bank.jsonl"
ITEMS = ROOT / "fixtures" / "demo_bank" / "item_parameters.json"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.django_db(transaction=True)]


def manage(environment: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def done(environment: dict[str, str], *arguments: str) -> str:
    process = manage(environment, *arguments)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@pytest.fixture
def prepared(child_environment: dict[str, str]) -> dict[str, str]:
    """A frozen simulated study on the demo bank: two batches of 24, six places."""
    run = child_environment
    settings = {"judge_kind": "checks", "batch_size": 24, "replicates_per_profile": 1, "top_size": 2}
    done(run, "import_bank", "chiron", str(BANK), "--slug", "demo")
    done(run, "import_item_bank", str(ITEMS), "--slug", "items")
    study = (
        "create_study",
        "job",
        "--bank",
        "demo",
        "--item-bank",
        "items",
        "--protocol",
        json.dumps(settings),
    )
    done(run, *study, "--simulated")
    done(run, "build_batches", "job")
    done(run, "freeze_study", "job")
    return run


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_from_a_bank_to_an_exported_result_through_the_pages(
    prepared: dict[str, str], tmp_path: Path
) -> None:
    said = done(prepared, "rehearse", "job", "--off-task", "0", "--skip", "0")
    assert "6 simulated people saved 144 answers" in said
    done(prepared, "screen_study", "job")
    table = done(prepared, "score_study", "job")
    assert "SIMULATED" in table
    done(prepared, "export_study", "job", str(tmp_path / "export"))

    estimates = {row["group"]: row for row in rows(tmp_path / "export", "estimates") if not row["category"]}
    assert estimates["average"]["pairs"] == "144"
    assert estimates["average"]["missing"] == "0"
    assert estimates["average"]["participants"] == "6"
    assert estimates["top"]["pairs"] == "48"
    assert float(estimates["top"]["raw_mean"]) > float(estimates["average"]["raw_mean"])
    assert json.loads((tmp_path / "export" / "manifest.json").read_text())["study"]["simulated"] is True

    again = manage(prepared, "rehearse", "job")
    assert again.returncode == 1
    assert "everybody" in again.stderr.lower()


def test_simulated_people_may_not_enter_a_real_study(child_environment: dict[str, str]) -> None:
    done(child_environment, "import_bank", "chiron", str(BANK), "--slug", "demo")
    done(child_environment, "create_study", "real", "--bank", "demo")
    refused = manage(child_environment, "rehearse", "real")
    assert refused.returncode == 1
    assert "not marked as simulated" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_study_that_is_not_there_is_named(child_environment: dict[str, str]) -> None:
    refused = manage(child_environment, "rehearse", "nowhere")
    assert refused.returncode == 1
    assert 'no study "nowhere"' in refused.stderr
