"""The whole main job through commands, a real web server, a real worker and real pages.

Runs once, with other whole studies (`make test-studies`).
"""

import csv
import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

ROOT = Path(__file__).resolve().parents[2]
BANK = ROOT / "fixtures" / "demo_bank" / "bank.jsonl"
ITEMS = ROOT / "fixtures" / "demo_bank" / "item_parameters.json"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.django_db(transaction=True)]


def done(*arguments: str) -> str:
    """What a command said."""
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def prepared(child_environment: dict[str, str], settings: Settings, tmp_path: Path) -> dict[str, str]:
    """A frozen simulated study on the demo bank: two batches of 24, six places."""
    settings.MEDIA_ROOT = tmp_path / "data" / "media"  # where the web server finds the bank's pictures
    protocol = {
        "judge_kind": "checks",
        "batch_size": 24,
        "replicates_per_profile": 1,
        "top_size": 2,
        "comprehension_check": True,
        "prompt_order": "random",
        "note_per_prompt": True,
        "confidence_per_prompt": True,
        "credential_file": "required",
    }
    done("import_bank", "chiron", str(BANK), "--slug", "demo")
    done("import_item_bank", str(ITEMS), "--slug", "items")
    study = ("create_study", "job", "--bank", "demo", "--item-bank", "items")
    done(*study, "--protocol", json.dumps(protocol), "--simulated")
    done("build_batches", "job")
    done("freeze_study", "job")
    return child_environment


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_from_a_bank_to_an_exported_result_through_the_pages(
    prepared: dict[str, str], tmp_path: Path
) -> None:
    rehearse = [sys.executable, "manage.py", "rehearse", "job", "--off-task", "0", "--skip", "0"]
    rehearsed = subprocess.run(rehearse, cwd=ROOT, env=prepared, capture_output=True, text=True, check=False)
    assert rehearsed.returncode == 0, rehearsed.stdout + rehearsed.stderr
    assert "6 simulated people saved 144 answers" in rehearsed.stdout
    done("screen_study", "job")
    assert "SIMULATED" in done("score_study", "job")
    done("export_study", "job", str(tmp_path / "export"))

    whole = [
        row for row in rows(tmp_path / "export", "estimates") if not row["category"] and row["scope"] == "all"
    ]
    estimates = {row["group"]: row for row in whole}
    assert estimates["average"]["pairs"] == "144"
    assert estimates["average"]["missing"] == "0"
    assert estimates["average"]["participants"] == "6"
    assert estimates["top"]["pairs"] == "48"
    assert float(estimates["top"]["raw_mean"]) > float(estimates["average"]["raw_mean"])
    assert json.loads((tmp_path / "export" / "manifest.json").read_text())["study"]["simulated"] is True

    with pytest.raises(CommandError, match=r"[Ee]verybody"):
        done("rehearse", "job")


def test_simulated_people_may_not_enter_a_real_study() -> None:
    done("import_bank", "chiron", str(BANK), "--slug", "demo")
    done("create_study", "real", "--bank", "demo")
    with pytest.raises(CommandError, match="not marked as simulated"):
        done("rehearse", "real")


def test_a_study_that_is_not_there_is_named() -> None:
    with pytest.raises(CommandError, match='no study "nowhere"'):
        done("rehearse", "nowhere")
